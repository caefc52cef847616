# SPDX-License-Identifier: GPL-3.0-or-later
"""Gateways: which next hop members of one link are told when filters assign `gw`, or take `bgp_next_hop` away, and when
a static route has one. bird2 2.0.12 told its clients the same next hops, given the same filters in namespaces of their
own."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")


def ip(*words):
    subprocess.run(["ip"] + list(words), check=True, timeout=20 * SLOW)


CONF = """
router id 10.9.0.1;
log "RUN/bird.log" all;
protocol device {}
protocol static { ipv4; route 10.5.0.0/16 via 10.9.0.50%%a0; route 10.6.0.0/16 blackhole; route 10.8.0.0/16 via \
192.0.2.1%%lo onlink;
  route 10.7.0.0/16 via 10.9.0.51 { gw = 10.9.0.60; weight = 3; }; }
template bgp member { local 10.9.0.1 port %d; passive; rs client; local as 65000; ipv4 { import none; export all; }; }
protocol bgp from member { neighbor 10.9.0.2 as 64502; ipv4 { import filter {
  if net = 10.2.0.0/16 then { bgp_next_hop = 10.9.0.20; if gw != 10.9.0.2 then reject; }
  if net = 10.3.0.0/16 then { gw = 10.9.0.30; if ifname != "a0" then reject; }
  if net = 10.4.0.0/16 then gw = 192.0.2.1;
  accept; }; export none; }; }
protocol bgp from member { neighbor 10.9.0.3 as 64503; }
protocol bgp from member { neighbor 10.9.0.4 as 64504; ipv4 { export filter { gw = 10.9.0.77; accept; }; }; }
protocol bgp from member { neighbor 10.9.0.5 as 64505; ipv4 { export filter { unset(bgp_next_hop); accept; }; }; }
protocol bgp from member { neighbor 10.9.0.6 as 64506; ipv4 { export filter { unset(bgp_next_hop); gw = 10.9.0.77; \
accept; }; }; }
protocol bgp from member { neighbor 10.9.0.7 as 64507; multihop;
  ipv4 { export filter { unset(bgp_next_hop); gw = 10.9.0.77; accept; }; }; }
protocol bgp from member { neighbor 10.9.0.50 as 64508; ipv4 { export filter { unset(bgp_next_hop); accept; }; }; }
"""
OWN = "10.9.0.1"
# 10.1 as it came, 10.2 and 10.3 changed by the import filter, 10.5 to 10.8 static
BGP = {"10.1.0.0/16": "10.9.0.2", "10.2.0.0/16": "10.9.0.20", "10.3.0.0/16": "10.9.0.2"}
STATIC = {"10.5.0.0/16": "10.9.0.50", "10.6.0.0/16": OWN, "10.7.0.0/16": "10.9.0.60", "10.8.0.0/16": OWN}
GW = {"10.1.0.0/16": "10.9.0.2", "10.2.0.0/16": "10.9.0.2", "10.3.0.0/16": "10.9.0.30"}
ALL = sorted(set(BGP) | set(STATIC))
WANT = {
    "10.9.0.3": {**BGP, **STATIC},
    "10.9.0.4": {**BGP, **dict.fromkeys(STATIC, "10.9.0.77")},
    "10.9.0.5": {**GW, **STATIC},
    "10.9.0.6": dict.fromkeys(ALL, "10.9.0.77"),
    "10.9.0.7": dict.fromkeys(ALL, OWN),
    # what leads to the member itself isn't told to it
    "10.9.0.50": {k: v for k, v in {**GW, **STATIC}.items() if v != "10.9.0.50"},
}


def told(body):
    """{prefix: next hop} of one UPDATE."""
    attrs = body[4 : 4 + struct.unpack("!H", body[2:4])[0]]
    rest, hop, out = body[4 + len(attrs) :], None, {}
    check(body[:2] == b"\0\0", "nothing is withdrawn")
    while attrs:
        size, at = (struct.unpack("!H", attrs[2:4])[0], 4) if attrs[0] & 0x10 else (attrs[2], 3)
        if attrs[1] == 3:
            hop = socket.inet_ntoa(attrs[at : at + size])
        attrs = attrs[at + size :]
    while rest:
        n = (rest[0] + 7) // 8
        out["%s/%d" % (socket.inet_ntoa(rest[1 : 1 + n].ljust(4, b"\0")), rest[0])] = hop
        rest = rest[1 + n :]
    return out


def main():
    ip("link", "set", "lo", "up")
    ip("link", "add", "a0", "type", "veth", "peer", "name", "a1")
    ip("link", "set", "a1", "up")
    ip("link", "set", "a0", "up")
    for n in 1, 2, 3, 4, 5, 6, 7, 50:
        ip("address", "add", "10.9.0.%d/%d" % (n, 24 if n == 1 else 32), "dev", "a0" if n == 1 else "lo")
    port = free_port()
    d = Daemon(CONF % port)
    d.start()
    first = Peer(port, "10.9.0.2", 64502, server=OWN).establish()
    attrs = (
        attribute(0x40, 1, b"\0")
        + attribute(0x40, 2, b"\2\1" + struct.pack("!I", 64502))
        + attribute(0x40, 3, socket.inet_aton("10.9.0.2"))
    )
    first.send(
        message(
            UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + b"".join(nlri("10.%d.0.0/16" % n) for n in (1, 2, 3, 4))
        )
    )
    wait_until(lambda: d.routes()[1] == len(ALL), "the routes")
    text = "\n".join(t for _, t in d.run("show route all"))
    check("via 10.9.0.30 on a0" in text and "via 10.9.0.60 on a0" in text, text)
    wait_until(
        lambda: "gw must be an address on the link of an interface: 192.0.2.1" in d.whole_log(),
        "the log tells the gateway that can't be",
    )
    for address, want in WANT.items():
        p = Peer(
            port, address, {"10.9.0.50": 64508}.get(address, 64500 + int(address.split(".")[3])), server=OWN
        ).establish()
        got = {}
        while len(got) < len(want):
            kind, body = p.receive()
            if kind == UPDATE:
                got.update(told(body))
        check(got == want, "%s was told %s, not %s" % (address, got, want))
        p.cease()
    first.cease()
    d.kill()


in_namespace()
main()
