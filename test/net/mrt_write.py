# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of an MRT file, octet by octet (RFC 6396)."""

import socket
import struct
import time

from harness import attribute, nlri


def record(kind, sub, body):
    return struct.pack("!IHHI", int(time.time()), kind, sub, len(body)) + body


def peer_entry(address, as_number=65001):
    return b"\x02" + 2 * socket.inet_aton(address) + struct.pack("!I", as_number)


def index(peers):
    """@peers: addresses of AS 65001, or (address, AS)."""
    entries = [peer_entry(*(p if isinstance(p, tuple) else (p,))) for p in peers]
    return record(13, 1, socket.inet_aton("10.0.0.9") + struct.pack("!HH", 0, len(peers)) + b"".join(entries))


def net_record(seq, prefix, entries, attrs=None):
    if attrs is None:
        attrs = (
            attribute(0x40, 1, b"\0")
            + attribute(0x40, 2, b"\x02\x01" + struct.pack("!I", 65001))
            + attribute(0x40, 3, b"\x0a\0\0\1")
        )
    return record(
        13,
        2,
        struct.pack("!I", seq)
        + nlri(prefix)
        + struct.pack("!H", len(entries))
        + b"".join(struct.pack("!HIH", e, 0, len(attrs)) + attrs for e in entries),
    )


def session(peer, local, as4=True):
    """The head of a record of BGP4MP. @peer, @local: (address, AS)."""
    numbers = struct.pack("!II" if as4 else "!HH", peer[1], local[1])
    return numbers + struct.pack("!HH", 0, 1) + socket.inet_aton(peer[0]) + socket.inet_aton(local[0])


def state_record(peer, local, old, new):
    return record(16, 5, session(peer, local) + struct.pack("!HH", old, new))


def message_record(peer, local, octets, sub=4):
    """@sub: 1 (2-octet AS numbers), 4, 7 (sent by @local), 9 (with path identifiers)."""
    return record(16, sub, session(peer, local, sub != 1) + octets)
