# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP messages to bytes and back (RFC 4271, 4760, 6793, 7911): as much as a member needs who says
unusual things and remembers all that he hears.
"""

import ipaddress
import struct

OPEN, UPDATE, NOTIFICATION, KEEPALIVE = 1, 2, 3, 4
OPTIONAL, TRANSITIVE, PARTIAL, EXTENDED = 0x80, 0x40, 0x20, 0x10
ORIGIN, AS_PATH, NEXT_HOP, MED, LOCAL_PREF, ATOMIC, AGGREGATOR, COMMUNITY = 1, 2, 3, 4, 5, 6, 7, 8
MP_REACH, MP_UNREACH, EXT_COMMUNITY, AS4_PATH, AS4_AGGREGATOR, LARGE_COMMUNITY, OTC = 14, 15, 16, 17, 18, 32, 35
AS_TRANS = 23456


def message(kind, body=b""):
    return b"\xff" * 16 + struct.pack("!HB", 19 + len(body), kind) + body


def attribute(flags, code, value):
    if len(value) > 255:
        return struct.pack("!BBH", flags | EXTENDED, code, len(value)) + value
    return struct.pack("!BBB", flags, code, len(value)) + value


def prefix_bytes(prefix):
    addr, length = prefix.split("/")
    return bytes([int(length)]) + ipaddress.ip_address(addr).packed[: (int(length) + 7) // 8]


def family(prefix):
    return 6 if ":" in prefix else 4


def path_bytes(path, as4):
    """A path is a list of AS numbers and of lists, which are AS_SETs."""
    out, run = b"", []

    def segment(kind, numbers):
        if as4:
            body = struct.pack("!%dI" % len(numbers), *numbers)
        else:
            body = struct.pack("!%dH" % len(numbers), *[n if n < 65536 else AS_TRANS for n in numbers])
        return struct.pack("!BB", kind, len(numbers)) + body

    for item in path + [None]:
        if isinstance(item, int):
            run.append(item)
            continue
        if run:
            out += segment(2, run)
            run = []
        if item is not None:
            out += segment(1, item)
    return out


def flat(path):
    return [n for item in path for n in (item if isinstance(item, list) else [item])]


def update(prefixes, attrs, next_hop, as4=True, withdrawn=()):
    """The body of an UPDATE. attrs: {code: (flags, bytes)}; AS_PATH: (flags, path)."""
    attrs = dict(attrs)
    six = [p for p in prefixes if family(p) == 6]
    via6 = prefixes and ":" in next_hop
    if AS_PATH in attrs:
        flags, path = attrs[AS_PATH]
        attrs[AS_PATH] = (flags, path_bytes(path, as4))
        if not as4 and any(n > 65535 for n in flat(path)):
            attrs[AS4_PATH] = (OPTIONAL | TRANSITIVE, path_bytes(path, True))
    if AGGREGATOR in attrs and not as4:
        flags, value = attrs[AGGREGATOR]
        number = struct.unpack("!I", value[:4])[0]
        attrs[AGGREGATOR] = (flags, struct.pack("!H", min(number, AS_TRANS)) + value[4:])
    body4, gone4 = b"", b""
    if six or via6:
        packed = ipaddress.ip_address(next_hop).packed
        attrs[MP_REACH] = (OPTIONAL, struct.pack("!HBB", 2 if six else 1, 1, len(packed)) + packed + b"\0"
                           + b"".join(prefix_bytes(p) for p in prefixes))
    elif prefixes:
        attrs[NEXT_HOP] = (TRANSITIVE, ipaddress.ip_address(next_hop).packed)
        body4 = b"".join(prefix_bytes(p) for p in prefixes)
    gone6 = [p for p in withdrawn if family(p) == 6]
    if gone6:
        attrs[MP_UNREACH] = (OPTIONAL, struct.pack("!HB", 2, 1) + b"".join(prefix_bytes(p) for p in gone6))
    gone4 = b"".join(prefix_bytes(p) for p in withdrawn if family(p) == 4)
    packed = b"".join(attribute(f, c, v) for c, (f, v) in sorted(attrs.items()))
    return struct.pack("!H", len(gone4)) + gone4 + struct.pack("!H", len(packed)) + packed + body4


def capability(code, value=b""):
    return struct.pack("!BB", code, len(value)) + value


def open_message(asn, ident, families, as4=True, role=None, add_path=False, extended_next_hop=False, hold=90):
    caps = b"".join(capability(1, struct.pack("!HBB", 2 if f == 6 else 1, 0, 1)) for f in families)
    caps += capability(2)
    caps += capability(64, b"\0\0")  # who has it is told where the first feed ends (RFC 4724, 2)
    if as4:
        caps += capability(65, struct.pack("!I", asn))
    if extended_next_hop:
        caps += capability(5, struct.pack("!HHH", 1, 1, 2))
    if role is not None:
        caps += capability(9, bytes([role]))
    if add_path:
        caps += capability(69, b"".join(struct.pack("!HBB", 2 if f == 6 else 1, 1, 1) for f in families))
    params = struct.pack("!BB", 2, len(caps)) + caps
    body = struct.pack("!BHH4sB", 4, asn if asn < 65536 else AS_TRANS, hold, ident, len(params))
    return message(OPEN, body + params)


def _prefixes(data, afi, add_path):
    at = 0
    while at < len(data):
        ident = ""
        if add_path:
            ident = "#%d" % struct.unpack("!I", data[at:at + 4])
            at += 4
        length = data[at]
        n = (length + 7) // 8
        raw = data[at + 1:at + 1 + n] + bytes((16 if afi == 2 else 4) - n)
        at += 1 + n
        yield "%s/%d%s" % (ipaddress.ip_address(raw), length, ident)


def parse_update(body, add_path=False):
    """(withdrawn, announced, attributes {code: "flags value"}). The order of attributes is dropped."""
    gone, new, attrs = [], [], {}
    n = struct.unpack("!H", body[:2])[0]
    gone += _prefixes(body[2:2 + n], 1, add_path)
    at = 2 + n
    n = struct.unpack("!H", body[at:at + 2])[0]
    at += 2
    stop = at + n
    new += _prefixes(body[stop:], 1, add_path)
    while at < stop:
        flags, code = body[at], body[at + 1]
        if flags & EXTENDED:
            n, at = struct.unpack("!H", body[at + 2:at + 4])[0], at + 4
        else:
            n, at = body[at + 2], at + 3
        value, at = body[at:at + n], at + n
        if code == MP_REACH:
            afi, _, n = struct.unpack("!HBB", value[:4])
            new += _prefixes(value[5 + n:], afi, add_path)
            value = value[4:4 + n]
        elif code == MP_UNREACH:
            gone += _prefixes(value[3:], struct.unpack("!H", value[:2])[0], add_path)
            continue
        attrs[code] = "%02x %s" % (flags & ~EXTENDED, value.hex())
    return gone, new, attrs
