# SPDX-License-Identifier: GPL-3.0-or-later
"""Longest matches in a table image of tern, by libternfib and ctypes.

    import ternfib
    t = ternfib.Image('/run/tern/master4.fib')
    t.find('192.0.2.1')             # {'kind': ..., 'next hop': ..., 'origin as': ...} or None
    t.bulk(addresses)               # array of answers for an array of addresses
    t.facts(answer)                 # the dictionary of an answer
    for first, last, answer in t.walk(): ...
    t.stat(), t.verify()

A bulk takes any object with the buffer protocol: for IPv4 unsigned numbers of 32 bits in host order
(array.array('I'), numpy.uint32), for IPv6 16 octets an address. The result is an array.array('Q') with an answer for
each address: 0 means no route. hop_of, origin_of and attr_of take the indices out of an answer.

Errors of the library are OSError with the error number of ternfib(3).

One image serves one thread at a time.
"""
import array
import ctypes
import errno
import ipaddress
import os

_lib = ctypes.CDLL(os.environ.get('TERNFIB_LIBRARY', 'libternfib.so.1'))
_u64, _void = ctypes.c_uint64, ctypes.c_void_p


class _Hop(ctypes.Structure):
    _fields_ = [('addr', ctypes.c_uint8 * 16), ('ifindex', ctypes.c_uint32), ('kind', ctypes.c_int)]


class _Attr(ctypes.Structure):
    _fields_ = [
        ('peer_as', ctypes.c_uint32),
        ('rpki', ctypes.c_int),
        ('community_cnt', ctypes.c_uint32),
        ('large_cnt', ctypes.c_uint32),
        ('community', ctypes.c_uint32 * 256),  # TERNFIB_COMMUNITIES_MAX
        ('large', ctypes.c_uint32 * 3 * 256),
    ]


class _Range(ctypes.Structure):
    _fields_ = [('first', ctypes.c_uint8 * 16), ('last', ctypes.c_uint8 * 16), ('answer', _u64)]


class _Stat(ctypes.Structure):
    _fields_ = (
        [('table', ctypes.c_char * 64)]
        + [(_n, ctypes.c_uint32) for _n in ('bits', 'fields', 'pid', 'replaced')]
        + [(_n, _u64) for _n in ('start_id', 'generation', 'prefix_cnt')]
        + [(_n, _u64) for _n in ('created_ns', 'published_ns', 'heartbeat_ns')]
        + [(_n, _u64) for _n in ('image_octets', 'side_octets', 'idle_octets', 'lookups', 'repeated')]
    )


_each = ctypes.CFUNCTYPE(ctypes.c_int, _void, ctypes.POINTER(_Range))

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
    ('origin', ctypes.c_int, [_void, _u64, ctypes.POINTER(ctypes.c_uint32)]),
    ('attr', ctypes.c_int, [_void, _u64, ctypes.POINTER(_Attr)]),
    ('walk', ctypes.c_int, [_void, _each, _void]),
    ('stat', None, [_void, ctypes.POINTER(_Stat)]),
    ('verify', ctypes.c_int, [_void, ctypes.POINTER(ctypes.c_char_p)]),
    ('plain', ctypes.c_int, [_void, ctypes.c_int]),
):
    _function = getattr(_lib, 'ternfib_' + _name)
    _function.restype, _function.argtypes = _result, _args


def hop_of(answer):
    """Index of the next hop."""
    return answer & 0xFFFF


def origin_of(answer):
    """Index of the origin AS."""
    return answer >> 16 & 0xFFFFF


def attr_of(answer):
    """Index of the attribute set."""
    return answer >> 36 & 0xFFFFF


_KINDS = {1: 'ip', 2: 'link', 3: 'drop', 4: 'reject'}  # enum ternfib_kind
_STATES = (None, 'unknown', 'valid', 'invalid')  # enum ternfib_rpki
_FIELDS = ('origin as', 'peer as', 'communities', 'rpki')  # bits of ternfib_stat.fields


class Image:
    """An open table image."""

    def __init__(self, path):
        self._path = path
        self._t = _void()
        self._check(_lib.ternfib_open(ctypes.byref(self._t), os.fsencode(path)))
        self.bits = _lib.ternfib_bits(self._t)

    def close(self):
        """Unmap the image."""
        if self._t:
            _lib.ternfib_close(self._t)
            self._t = None

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _open(self):
        if not self._t:
            raise ValueError('the image is closed')
        return self._t

    def _check(self, result):
        """Raise OSError for a negative result of the library."""
        if result < 0:
            raise OSError(-result, os.strerror(-result), self._path)
        return result

    @property
    def generation(self):
        """The number of the last publication."""
        return _lib.ternfib_generation(self._open())

    def poll(self):
        """Follow a new file of the writer; True: the image is new. OSError: the image was removed or replaced, and no
        new image exists yet; lookups use the former image."""
        new = self._check(_lib.ternfib_poll(self._open())) > 0
        self.bits = _lib.ternfib_bits(self._open())
        return new

    def wait(self, generation, timeout_ms=-1):
        """Wait until the generation differs or poll() has news; False: the time is over."""
        result = _lib.ternfib_wait(self._open(), generation, timeout_ms)
        return result != -errno.ETIMEDOUT and self._check(result) == 0

    def plain(self, on):
        """Use the code without AVX2 and AVX-512; True: the image uses AVX2 or AVX-512."""
        return _lib.ternfib_plain(self._open(), bool(on)) > 0

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
        while True:
            answer = self.answer(address)
            try:
                return self.facts(answer) if answer else None
            except OSError as e:
                if e.errno != errno.ESTALE:  # the writer has used an index again
                    raise

    def _has(self, result):
        """True: the answer has the part that the library was asked for."""
        return result != -errno.ENOENT and self._check(result) == 0

    def facts(self, answer):
        """The dictionary of an answer of the last lookup. OSError with ESTALE: look the address up again."""
        hop, asn, attr = _Hop(), ctypes.c_uint32(), _Attr()
        out = {}
        if self._has(_lib.ternfib_hop(self._open(), answer, ctypes.byref(hop))):
            a = ipaddress.IPv6Address(bytes(hop.addr))
            out['kind'] = _KINDS.get(hop.kind)
            out['next hop'] = str(a.ipv4_mapped or a) if int(a) else None
            out['interface'] = hop.ifindex
        if self._has(_lib.ternfib_origin(self._open(), answer, ctypes.byref(asn))):
            out['origin as'] = asn.value
        if self._has(_lib.ternfib_attr(self._open(), answer, ctypes.byref(attr))):
            out['peer as'] = attr.peer_as
            out['rpki'] = _STATES[attr.rpki]
            words = attr.community[: min(attr.community_cnt, 256)]
            out['communities'] = [(w >> 16, w & 0xFFFF) for w in words]
            out['large communities'] = [tuple(w) for w in attr.large[: min(attr.large_cnt, 256)]]
            out['more communities'] = max(attr.community_cnt - 256, 0) + max(attr.large_cnt - 256, 0)
        return out

    def bulk(self, addresses):
        """The answers for an array of addresses."""
        view = memoryview(addresses).cast('B')
        if len(view) % (self.bits // 8):
            raise ValueError('%d octets are no whole number of addresses of %d bits' % (len(view), self.bits))
        cnt = len(view) // (self.bits // 8)
        out = array.array('Q', bytes(8 * cnt))
        source = (ctypes.c_char * len(view)).from_buffer(view) if not view.readonly else bytes(view)
        call = _lib.ternfib_bulk4 if self.bits == 32 else _lib.ternfib_bulk6
        call(self._open(), out.buffer_info()[0], ctypes.cast(source, _void), cnt)
        return out

    def walk(self, each=None):
        """All ranges of addresses with a route, in order: a list of (first, last, answer). @each(first, last, answer):
        called for each range instead; an exception ends the walk."""
        found, failed = [], []
        kind, skip = (ipaddress.IPv4Address, 12) if self.bits == 32 else (ipaddress.IPv6Address, 0)

        def one(_, r):
            octets = bytes(r.contents)
            item = kind(octets[skip:16]), kind(octets[16 + skip : 32]), r.contents.answer
            try:
                each(*item) if each else found.append(item)
            except BaseException as e:  # an exception cannot pass through the library
                failed.append(e)
            return len(failed)

        result = _lib.ternfib_walk(self._open(), _each(one), None)
        if failed:
            raise failed[0]
        self._check(result)
        return None if each else found

    def stat(self):
        """Numbers of the image and of the handle as a dictionary; names as struct ternfib_stat has."""
        s = _Stat()
        _lib.ternfib_stat(self._open(), ctypes.byref(s))
        out = {name: getattr(s, name) for name, _ in _Stat._fields_}
        out['table'] = s.table.decode()
        out['fields'] = ['next hop'] + [name for i, name in enumerate(_FIELDS) if s.fields >> i & 1]
        out['replaced'] = bool(s.replaced)
        return out

    def verify(self):
        """Check the whole image. Returns the reason why the image is damaged; None: sound. OSError with EBUSY: the
        writer published during each check."""
        why = ctypes.c_char_p()
        result = _lib.ternfib_verify(self._open(), ctypes.byref(why))
        if result == -errno.EIO:
            return why.value.decode()
        self._check(result)
        return None
