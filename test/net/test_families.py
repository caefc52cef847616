# SPDX-License-Identifier: GPL-3.0-or-later
"""A member that reads slowly gets a change of IPv6 while IPv4's full table is going out to it."""

from harness import *

NETS = 20000
PORT = free_port()
CONF = (
    """
router id 10.0.0.1;
ipv4 table master4;
ipv6 table master6;
protocol device {}
template bgp member {
  local 127.0.10.1 port %d as 65000; strict bind on; passive; multihop; rs client;
  ipv4 { import all; export all; next hop keep; };
  ipv6 { import all; export all; next hop address 2001:db8::1; };
}
protocol bgp m1 from member { neighbor 127.0.11.1 as 65001; }
protocol bgp m2 from member { neighbor 127.0.11.2 as 65002; }
protocol static six { disabled; ipv6; route 2001:db8::/32 blackhole; }
"""
    % PORT
)
BOTH = b"\x01\x04\x00\x01\x00\x01" + b"\x01\x04\x00\x02\x00\x01"


class Both(Peer):
    """A peer of both families whose kernel takes little that isn't read."""

    def dial(self):
        super().dial()
        self.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)

    def open_message(self):
        caps = BOTH + b"\x41\x04" + struct.pack("!I", self.as_number)
        params = struct.pack("!BB", 2, len(caps)) + caps
        return message(
            OPEN, struct.pack("!BHH4sB", 4, self.as_number, 90, socket.inet_aton(self.address), len(params)) + params
        )


def announce(p):
    """Each net has communities of its own, 800 octets."""
    for k in range(NETS):
        own = attribute(0xC0, 8, b"".join(struct.pack("!HH", k % 60000, c) for c in range(200)))
        p.update(["11.%d.%d.0/24" % (k >> 8, k & 255)], extra=own)


def is_six(body):
    """Is it an announcement of an IPv6 route?"""
    return b"\x20\x20\x01\x0d\xb8" in body


def turns():
    d = Daemon(CONF).start()
    slow = Both(PORT, "127.0.11.2", 65002, server="127.0.10.1").establish()
    source = member(PORT, 1)
    announce(source)
    wait_until(lambda: d.routes()[0] == NETS, "routes of m1", 60)
    d.run("enable six")
    wait_until(lambda: d.routes()[0] == NETS + 1, "the IPv6 route", 60)
    before, after, found = 0, 0, False
    while before + after < NETS:
        got = slow.receive()
        check(got is not None, "the session was lost")
        found = found or (got[0] == UPDATE and is_six(got[1]))
        if got[0] == UPDATE and len(got[1]) > 100:
            before += not found
            after += found
    note("%d IPv4 routes before the IPv6 route, %d after it" % (before, after))
    check(found and after > before, "the IPv6 route came after %d of %d IPv4 routes" % (before, NETS))
    d.stop()


case("IPv6 has turns", turns)
done()
