# SPDX-License-Identifier: GPL-3.0-or-later
"""Longest matches in a table image of tern, by libternfib and ctypes.

    import ternfib
    t = ternfib.Image('/run/tern/master4.fib')
    t.find('192.0.2.1')             # {'kind': ..., 'next hop': ..., 'origin as': ...} or None
    t.bulk(addresses)               # array of answers for an array of addresses

A bulk takes any object with the buffer protocol: for IPv4 unsigned numbers of 32 bits in host order
(array.array('I'), numpy.uint32), for IPv6 16 octets an address. The result is an array.array('Q') with an answer for
each address: 0 means no route. hop_of, origin_of and attr_of take the indices out of an answer.

One image serves one thread at a time.
"""
import array
import ctypes
import ipaddress
import os

_lib = ctypes.CDLL(os.environ.get('TERNFIB_LIBRARY', 'libternfib.so.1'))
_u64, _void = ctypes.c_uint64, ctypes.c_void_p


class _Hop(ctypes.Structure):
    _fields_ = [('addr', ctypes.c_uint8 * 16), ('ifindex', ctypes.c_uint32), ('kind', ctypes.c_int)]


for _name, _result, _args in (
        ('open', ctypes.c_int, [ctypes.POINTER(_void), ctypes.c_char_p]),
        ('close', None, [_void]),
        ('bits', ctypes.c_uint, [_void]),
        ('generation', _u64, [_void]),
        ('poll', ctypes.c_int, [_void]),
        ('wait', ctypes.c_int, [_void, _u64, ctypes.c_int]),
        ('find4', _u64, [_void, ctypes.c_uint32]),
        ('find6', _u64, [_void, ctypes.c_char_p]),
        ('bulk4', None, [_void, _void, _void, ctypes.c_size_t]),
        ('bulk6', None, [_void, _void, _void, ctypes.c_size_t]),
        ('hop', ctypes.c_int, [_void, _u64, ctypes.POINTER(_Hop)]),
        ('origin', ctypes.c_int, [_void, _u64, ctypes.POINTER(ctypes.c_uint32)])):
    _function = getattr(_lib, 'ternfib_' + _name)
    _function.restype, _function.argtypes = _result, _args


def hop_of(answer):
    """Index of the next hop."""
    return answer & 0xffff


def origin_of(answer):
    """Index of the origin AS."""
    return answer >> 16 & 0xfffff


def attr_of(answer):
    """Index of the attribute set."""
    return answer >> 36 & 0xfffff


_KINDS = {1: 'ip', 2: 'link', 3: 'drop', 4: 'reject'}  # enum ternfib_kind


class Image:
    """An open table image."""

    def __init__(self, path):
        self._t = _void()
        err = _lib.ternfib_open(ctypes.byref(self._t), os.fsencode(path))
        if err:
            raise OSError(-err, os.strerror(-err), path)
        self.bits = _lib.ternfib_bits(self._t)

    def close(self):
        """Unmap the image."""
        if self._t:
            _lib.ternfib_close(self._t)
            self._t = None

    __del__ = close

    def _open(self):
        if not self._t:
            raise ValueError('the image is closed')
        return self._t

    @property
    def generation(self):
        """The number of the last publication."""
        return _lib.ternfib_generation(self._open())

    def poll(self):
        """Follow a new file of the writer; True: the image is new."""
        new = _lib.ternfib_poll(self._open()) > 0
        self.bits = _lib.ternfib_bits(self._open())
        return new

    def wait(self, generation, timeout_ms=-1):
        """Wait until the generation differs; False: the time is over."""
        return _lib.ternfib_wait(self._open(), generation, timeout_ms) == 0

    def answer(self, address):
        """The answer for an address as text."""
        a = ipaddress.ip_address(address)
        if a.max_prefixlen != self.bits:
            raise ValueError('%s: the image has addresses of %d bits' % (a, self.bits))
        if self.bits == 32:
            return _lib.ternfib_find4(self._open(), int(a))
        return _lib.ternfib_find6(self._open(), a.packed)

    def find(self, address):
        """The route of an address as a dictionary; None: no route."""
        answer = self.answer(address)
        if not answer:
            return None
        hop, asn = _Hop(), ctypes.c_uint32()
        out = {}
        if not _lib.ternfib_hop(self._open(), answer, ctypes.byref(hop)):
            a = ipaddress.IPv6Address(bytes(hop.addr))
            out['kind'] = _KINDS.get(hop.kind)
            out['next hop'] = str(a.ipv4_mapped or a) if int(a) else None
            out['interface'] = hop.ifindex
        if not _lib.ternfib_origin(self._open(), answer, ctypes.byref(asn)):
            out['origin as'] = asn.value
        return out

    def bulk(self, addresses):
        """The answers for an array of addresses."""
        view = memoryview(addresses).cast('B')
        cnt = len(view) // (self.bits // 8)
        out = array.array('Q', bytes(8 * cnt))
        source = (ctypes.c_char * len(view)).from_buffer(view) if not view.readonly else bytes(view)
        call = _lib.ternfib_bulk4 if self.bits == 32 else _lib.ternfib_bulk6
        call(self._open(), out.buffer_info()[0], ctypes.cast(source, _void), cnt)
        return out
