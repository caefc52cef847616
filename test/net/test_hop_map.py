# SPDX-License-Identifier: GPL-3.0-or-later
"""`next hop map`: after a change of the file each member is told the concerned routes, and no other route; a wrong file
is refused with file and line, and changes nothing. The members have no extended next hops, and the import filter gives
their routes IPv6 next hops."""

from harness import *
from view import View, attributes

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { }
filter in { if (65000,9) !~ bgp_community then {
TO } accept; }
template bgp any { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client;
  next hop map "lan.map"; ipv4 { import filter in; export all; }; }
ipv4 table t5;
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; ipv4 { import none; }; }
protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; ipv4 { import none; add paths tx; }; }
protocol bgp m4 from any { neighbor 127.0.11.4 as 65004; ipv4 { import none; export table on; }; }
protocol bgp m5 from any { neighbor 127.0.11.5 as 65005; ipv4 { table t5; import none; }; }
protocol bgp m6 from any { neighbor 127.0.11.6 as 65006; ipv4 { import none; next hop map off; }; }
protocol pipe p5 { table master4; peer table t5; import all; export all; }
"""
HOPS = range(1, 7)
ENTRY = "127.0.12.%d fd00::%d\n"
ALL = "".join(ENTRY % (n, n) for n in HOPS if n != 5)
MEMBERS = (2, 3, 4, 5)


def net(hop, k):
    return "10.%d.%d.0/24" % (hop, k)


def held(n):
    """{network: next hop} of member @n."""
    views[n].drain()
    found = {}
    for (_, octets), attrs in views[n].routes.items():
        found["%d.%d.%d.0/24" % tuple(octets[1:4])] = socket.inet_ntoa(attributes(attrs)[3][1])
    return found


def expected(entries):
    """@entries: {number of a next hop: the last octet of its IPv4 address}."""
    return {net(h, k): "127.0.12.%d" % o for h, o in entries.items() for k in range(3)}


def wait_for(entries):
    for n in MEMBERS:
        wait_until(
            lambda: held(n) == expected(entries),
            lambda: "member %d holds %r in place of %r" % (n, held(n), expected(entries)),
        )


def write_map(text):
    with open(os.path.join(D.dir, "lan.map"), "w") as f:
        f.write(text)


def forget():
    for v in views.values():
        v.drain()
        v.told.clear()


def told(n):
    return sorted("%d.%d.%d.0/24" % tuple(o[1:4]) for o in views[n].told)


def start():
    for h in HOPS:
        for k in range(3):
            attrs = attribute(0x40, 1, b"\0") + attribute(0x40, 2, b"\2\1" + struct.pack("!I", 65001))
            attrs += attribute(0x40, 3, socket.inet_aton("127.0.11.1")) + attribute(
                0xC0, 8, struct.pack("!HH", 65000, 10 + h)
            )
            views[1].peer.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + nlri(net(h, k))))
    wait_for({h: h for h in HOPS if h != 5})
    equal(held(6), {}, "the member without a map")
    for n, why in ((2, "unmapped_next_hop"), (3, "unmapped_next_hop"), (6, "no_extended_next_hop")):
        wait_until(
            lambda: '"reason":"%s"' % why in D.text("json show route why %s to m%d" % (net(5, 1), n)).replace(" ", ""),
            lambda: D.text("json show route why %s to m%d" % (net(5, 1), n)),
        )


def change(text, entries, concerned):
    """The map @text is in force: each member holds the routes of @entries, and was told those of @concerned alone."""
    forget()
    before = D.sessions()
    write_map(text)
    check(D.code("configure") in (3, 4), "configure")
    wait_for(entries)
    views[1].peer.send(message(UPDATE, struct.pack("!H", 4) + nlri(net(99, 0)) + b"\0\0"))  # a last word behind all
    check("networks are waiting" not in D.text("show route count"), "show route count")
    for n in MEMBERS:
        equal(told(n), sorted(net(h, k) for h in concerned for k in range(3)), "member %d was told" % n)
    equal({k: v[2] for k, v in D.sessions().items()}, {k: v[2] for k, v in before.items()}, "sessions")


def changes():
    change(
        "# a changed entry, an entry that goes, a new entry\n"
        + "".join(ENTRY % (o, n) for n, o in ((1, 1), (2, 22), (4, 4), (5, 5), (6, 6))),
        {1: 1, 2: 22, 4: 4, 5: 5, 6: 6},
        (2, 3, 5),
    )
    change(
        "".join(ENTRY % (o, n) for n, o in ((6, 6), (5, 5), (4, 4), (2, 22), (1, 1))),
        {1: 1, 2: 22, 4: 4, 5: 5, 6: 6},
        (),
    )
    change(ALL, {h: h for h in HOPS if h != 5}, (2, 3, 5))


def wrong():
    forget()
    for text, error in (
        (ALL + ENTRY % (1, 77), "lan.map:6:1 a second entry of 127.0.12.1; line 1 has the first"),
        (ALL + ENTRY % (77, 1), "lan.map:6:1 a second entry of fd00::1; line 1 has the first"),
        ("127.0.12.1\n" + ALL, "lan.map:1:11 expected an IPv6 address"),
        (ALL[:-2], "lan.map:5:"),
        (ALL + "127.0.12.5 fe80::5\n", "lan.map:6:12 the address can be no next hop"),
        ("", "lan.map:1:1 expected an IPv4 address and an IPv6 address: the file has no entry"),
        (None, "can't read"),
    ):
        if text is None:
            os.remove(os.path.join(D.dir, "lan.map"))
        else:
            write_map(text)
        said = D.text("configure")
        check(error in said, "%r: %s" % (text, said))
    equal(held(2), expected({h: h for h in HOPS if h != 5}), "after wrong files")
    for n in MEMBERS:
        equal(told(n), [], "member %d was told" % n)
    write_map(ALL)


D = Daemon()
D.port = free_port()
TO = "".join("if (65000,%d) ~ bgp_community then bgp_next_hop = fd00::%d;\n" % (10 + h, h) for h in HOPS)
D.write(CONF.replace("PORT", str(D.port)).replace("TO ", TO))
write_map(ALL)
D.start()
views = {
    n: View("m%d" % n, member(D.port, n, caps=b"\x45\x04\0\1\1\1" if n == 3 else b""), n == 3, False)
    for n in (1,) + MEMBERS + (6,)
}
case("next hops by the map", start)
case("a changed file", changes)
case("wrong files", wrong)
case("a changed file after wrong files", changes)
D.stop()
done()
