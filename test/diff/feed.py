# SPDX-License-Identifier: GPL-3.0-or-later
"""The routes that generated filters see: one BGP session that announces them to each daemon."""

import struct
from harness import Peer, UPDATE, attribute, message, nlri, socket, wait_until

CONF = """router id 192.0.2.1;
log "RUN/bird.log" all;
protocol device {}
protocol bgp feed {
	local 127.0.0.1 port PORT as 65000; strict bind on; passive; multihop; rs client; allow as sets; hold time 240;
	neighbor 127.0.1.1 as 64501;
	ipv4 { import all; export none; };
}
"""


def sequence(*a):
    return bytes([2, len(a)]) + b"".join(struct.pack("!I", x) for x in a)


def as_set(*a):
    return b"\1" + sequence(*a)[1:]


def words(kind, *w):
    return b"".join(struct.pack(kind, x) for x in w)


MED = lambda v: attribute(0x80, 4, words("!I", v))  # noqa: E731
PREF = lambda v: attribute(0x40, 5, words("!I", v))  # noqa: E731
COMM = lambda *v: attribute(0xC0, 8, words("!H", *v))  # noqa: E731
LARGE = lambda *v: attribute(0xC0, 32, words("!I", *v))  # noqa: E731
EXT = lambda *v: attribute(0xC0, 16, b"".join(bytes.fromhex(x) for x in v))  # noqa: E731
OTC = attribute(0xC0, 35, words("!I", 64501))
ATOMIC = attribute(0x40, 6, b"")
AGGREGATOR = attribute(0xC0, 7, words("!I", 70000) + b"\x0a\x01\x02\x03")

# prefix: (path, origin, other attributes)
ROUTES = {
    "0.0.0.0/0": (sequence(64501), 0, OTC),
    "10.0.0.0/8": (sequence(64501, 5, 6), 0, MED(100) + COMM(1, 2, 65000, 1)),
    "10.1.0.0/16": (sequence(64501, 5) + as_set(7, 8), 2, MED(77) + COMM(65000, 1, 65535, 65281)),
    "10.1.2.0/24": (sequence(64501, 1, 1, 1, 2), 0, LARGE(1, 2, 3, 65000, 1, 2)),
    "10.1.2.3/32": (sequence(64501, 70000, 4200000000, 3), 1, EXT("0002000100000002", "0003000200000003")),
    "192.168.0.0/16": (sequence(64501, 5) + as_set(7, 8) + sequence(70000, 9), 1,
                       AGGREGATOR + ATOMIC + EXT("0102010203040065", "0202000111700065", "4302010203040065")
                       + LARGE(65000, 1, 2, 70000, 3, 4)),
    "192.0.2.0/24": (sequence(64501, 100), 0, MED(0) + COMM(0, 0, 1, 1, 2, 3, 65000, 100, 1, 2)),
    "128.0.0.0/1": (sequence(64501, 2, 3, 4, 5, 6, 7, 8), 2, MED(4294967295) + COMM(65000, 65000)
                    + EXT("8006000100000002") + LARGE(0, 0, 0)),
}
NETS = sorted(ROUTES)


def feed(port, daemon):
    """Announce all; returns the peer when the daemon has them."""
    p = Peer(port, "127.0.1.1", 64501).establish()
    for net, (path, origin, other) in ROUTES.items():
        attrs = (attribute(0x40, 1, bytes([origin])) + attribute(0x40, 2, path)
                 + attribute(0x40, 3, socket.inet_aton("127.0.1.1")) + other)
        p.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + nlri(net)))
    wait_until(lambda: daemon.routes()[1] == len(ROUTES), "the routes of the feed")
    return p
