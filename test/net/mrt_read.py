# SPDX-License-Identifier: GPL-3.0-or-later
"""MRT files (RFC 6396, 8050), read independently of the daemon.

    read(path)     -> (records, Dump): what the file has, in its order
    Dump.peers     -> [(bgp id, address, AS)], the peer index table
    Dump.ribs      -> {(prefix): [Entry]}
    records        -> [Message | State], of BGP4MP

Whatever doesn't fit a record, or is left over in it, is an error.
"""
import collections
import ipaddress
import struct

TABLE_DUMP_V2, BGP4MP, BGP4MP_ET = 13, 16, 17
PEER_INDEX_TABLE = 1
RIBS = {2: (4, False), 4: (6, False), 8: (4, True), 10: (6, True)}  # subtype: family, add-path
# subtype: (AS numbers have 4 octets, it is a change of state, local, add-path)
MESSAGES = {0: (False, True, False, False), 5: (True, True, False, False),
            1: (False, False, False, False), 4: (True, False, False, False),
            6: (False, False, True, False), 7: (True, False, True, False),
            8: (False, False, False, True), 9: (True, False, False, True),
            10: (False, False, True, True), 11: (True, False, True, True)}

Entry = collections.namedtuple("Entry", "peer time path_id attrs")
State = collections.namedtuple("State", "time peer_as local_as iface peer local old new")
Message = collections.namedtuple(
    "Message", "time peer_as local_as iface peer local add_path is_local octets as4")


class Bad(Exception):
    """The file isn't what its format says."""


class Octets:
    """A cursor; nothing is read beyond the end."""

    def __init__(self, data):
        self.data = data
        self.pos = 0

    def take(self, n):
        if n > len(self.data) - self.pos:
            raise Bad("%d octets wanted, %d are there" % (n, len(self.data) - self.pos))
        self.pos += n
        return self.data[self.pos - n:self.pos]

    def num(self, n):
        return int.from_bytes(self.take(n), "big")

    def left(self):
        return len(self.data) - self.pos

    def address(self, is_v6):
        return ipaddress.ip_address(self.take(16 if is_v6 else 4))

    def done(self):
        if self.left():
            raise Bad("%d octets are left over" % self.left())


class Dump:
    """A table of TABLE_DUMP_V2."""

    def __init__(self):
        self.collector = None
        self.view = None
        self.peers = []
        self.ribs = {}
        self.add_path = None
        self.next_nr = 0
        self.time = None


def attributes(data):
    """{code: (flags, value)}; each at most once."""
    o, out = Octets(data), {}
    while o.left():
        flags, code = o.num(1), o.num(1)
        value = o.take(o.num(2 if flags & 0x10 else 1))
        if code in out:
            raise Bad("attribute %d is there twice: %s" % (code, data.hex()))
        out[code] = (flags & ~0x10, value)
    return out


def prefix(o, family):
    length = o.num(1)
    if length > (32 if family == 4 else 128):
        raise Bad("a prefix of %d bits" % length)
    raw = o.take((length + 7) // 8)
    raw += bytes((4 if family == 4 else 16) - len(raw))
    return ipaddress.ip_network((raw, length))


def peer_index(o, dump):
    dump.collector = ipaddress.ip_address(o.take(4))
    dump.view = o.take(o.num(2)).decode()
    for _ in range(o.num(2)):
        kind = o.num(1)
        if kind & ~3:
            raise Bad("peer type %d" % kind)
        ident = ipaddress.ip_address(o.take(4))
        addr = o.address(kind & 1)
        dump.peers.append((ident, addr, o.num(4 if kind & 2 else 2)))


def rib(o, dump, family, add_path):
    nr = o.num(4)
    if nr != dump.next_nr:
        raise Bad("sequence number %d, not %d" % (nr, dump.next_nr))
    dump.next_nr += 1
    if dump.add_path not in (None, add_path):
        pass  # both may stand in one file
    dump.add_path = bool(dump.add_path) or add_path
    net = prefix(o, family)
    entries = dump.ribs.setdefault(net, [])
    for _ in range(o.num(2)):
        peer, at = o.num(2), o.num(4)
        path_id = o.num(4) if add_path else 0
        if peer >= len(dump.peers):
            raise Bad("peer %d of %d" % (peer, len(dump.peers)))
        entries.append(Entry(peer, at, path_id, attributes(o.take(o.num(2)))))


def message(o, at, sub):
    if sub not in MESSAGES:
        raise Bad("BGP4MP of subtype %d" % sub)
    as4, is_state, is_local, add_path = MESSAGES[sub]
    peer_as, local_as = o.num(4 if as4 else 2), o.num(4 if as4 else 2)
    iface, afi = o.num(2), o.num(2)
    if afi not in (1, 2):
        raise Bad("AFI %d" % afi)
    peer, local = o.address(afi == 2), o.address(afi == 2)
    if is_state:
        return State(at, peer_as, local_as, iface, peer, local, o.num(2), o.num(2))
    octets = o.take(o.left())
    if len(octets) < 19 or octets[:16] != b"\xff" * 16:
        raise Bad("no BGP message")
    if struct.unpack(">H", octets[16:18])[0] != len(octets):
        raise Bad("a BGP message of another length")
    return Message(at, peer_as, local_as, iface, peer, local, add_path, is_local, octets, as4)


def parse(data):
    o, records, dump = Octets(data), [], Dump()
    while o.left():
        at, kind, sub, length = o.num(4), o.num(2), o.num(2), o.num(4)
        body = Octets(o.take(length))
        if kind == TABLE_DUMP_V2:
            dump.time = at
            if sub == PEER_INDEX_TABLE:
                dump.next_nr, dump.peers = 0, []
                peer_index(body, dump)
            elif sub in RIBS:
                rib(body, dump, *RIBS[sub])
            else:
                raise Bad("TABLE_DUMP_V2 of subtype %d" % sub)
        elif kind in (BGP4MP, BGP4MP_ET):
            when = at + (body.num(4) / 1e6 if kind == BGP4MP_ET else 0)
            records.append(message(body, when, sub))
        else:
            raise Bad("type %d" % kind)
        body.done()
    return records, dump


def read(path):
    with open(path, "rb") as f:
        return parse(f.read())
