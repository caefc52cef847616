# SPDX-License-Identifier: GPL-3.0-or-later
"""protocol direct: the routes of interfaces and addresses that are there, come, go, flap and change their names are
those of bird2 with the same configuration, where that is installed; changed patterns move what differs, and nothing
else."""

from links import *

if KIND != "ternd":
    cannot_here("this is about ternd")

PATTERNS = (
    '"m*"',
    '-"m1", "*"',
    '10.0.0.0/8',
    '-"m0", 10.9.0.0/16',
    '"m1" 10.1.3.0/24',
    '"none"',
    '"lo"',
    '10.10.10.10',
    '-10.0.0.0/8, "*"',
    '192.0.2.9',
    '2001:db8::/32',
    '"m0"; interface "d*", -"m*"',
)
HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { scan time 1; }
"""
CONF = (
    HEAD
    + """protocol direct { ipv4; ipv6; }
ipv4 table c4; ipv6 table c6;
protocol direct cl { ipv4 { table c4; }; ipv6 { table c6; }; check link; }
ipv4 table f4; ipv6 table f6;
protocol direct { ipv4 { table f4; import filter {
    if ifname = "lo" || source != RTS_DEVICE || proto != "direct2" then reject;
    if net ~ 10.0.0.0/8 then { preference = ifindex; bgp_med = ifindex; }
    if defined(igp_metric) || gw != 0.0.0.0 || from != 0.0.0.0 || dest != RTD_UNICAST || scope != SCOPE_UNIVERSE then \
reject;
    accept; }; };
  ipv6 { table f6; preference 77; import where ifname ~ "m?"; }; }
"""
    + "".join(
        "ipv4 table p%d; ipv6 table q%d; protocol direct d%d { ipv4 { table p%d; }; ipv6 { table q%d; }; interface"
        " %s; }\n" % (k, k, k, k, k, p)
        for k, p in enumerate(PATTERNS)
    )
    + """
ipv4 table t4;
template direct t { interface "m0"; ipv4 { table t4; }; check link off; }
protocol direct e from t { interface "m1"; }
protocol direct { }
protocol direct { disabled; ipv4; ipv6; }
"""
)
MACHINE = """
link add m0 type veth peer name m2
link set m0 up
link add d0 type bridge
link set d0 up
link add m3 type veth peer name m1
link set m3 up
link set m1 up
addr add 10.1.1.1/24 dev m1
addr add 10.1.1.2/24 dev m1
addr add 10.1.3.1/24 dev m1
addr add 10.1.3.2/16 dev m1
addr add 10.1.1.77/24 dev m3
addr add 2001:db8:1::1/64 dev m1 nodad
addr add fd00::3/64 dev m1 nodad
addr add 192.0.2.1 peer 192.0.2.9/32 dev d0
addr add 192.0.2.33 peer 192.0.2.99/28 dev d0
addr add 169.254.3.3/16 dev d0
addr add 172.17.3.3/31 dev d0
addr add 172.18.3.2/30 dev d0
addr add 172.18.3.9/32 dev d0
addr add 240.0.0.5/8 dev d0
addr add 0.0.0.5/8 dev d0
addr add 224.0.0.5/8 dev d0
addr add 127.9.0.5/24 dev d0
addr add 255.255.255.255/32 dev d0
addr add 8.8.9.8/24 scope host dev d0
addr add 2001:db8:9::1/127 dev d0 nodad
addr add 2001:db8:9::7/126 dev d0 nodad
addr add 2001:db8:a::1 peer 2001:db8:a::2 dev d0 nodad
addr add 2001:db8:b::1/128 dev d0 nodad
addr add fec0::5/64 dev d0 nodad
addr add fe80::77/64 dev d0 nodad
addr add 10.9.0.1/24 dev m0
addr add 10.9.0.2/24 dev m0 label m0:x
addr add 10.9.0.5/32 dev m0
tuntap add tun0 mode tun
link set tun0 up
addr add 10.7.0.1/24 dev tun0
tuntap add tun2 mode tun
addr add fd00::7:1 peer fd00::7:2 dev tun2
addr add 10.10.10.10/32 dev lo
addr add 10.10.11.10/24 dev lo
addr add 2001:db8:f::1/128 dev lo
"""


def shown(d):
    """{(table, net): [lines of its routes, without times]}. Of routes on several interfaces the first is the one that
    bird2 has had longest, and ternd's of the lowest index: which one that is isn't compared."""
    found, table, net = {}, None, None
    for code, line in d.run("show route all table all"):
        if line.startswith("Table "):
            table = line.split()[1]
        elif not line[:1].isspace() and line.strip():
            net = line.split()[0]
        if table and line.strip() and not line.startswith("Table "):
            found.setdefault((table, net), []).append(re.sub(r" \d\d:\d\d:\d\d\.\d+\]", "]", line))
    for key, lines in found.items():
        if "".join(lines).count("dev ") > 1:
            found[key] = sorted(line.split("[")[-1].replace(" *", "") for line in lines)
    return found


def differ(a, b):
    return {k: (a.get(k), b.get(k)) for k in set(a) | set(b) if a.get(k) != b.get(k)}


def same(d, b, what):
    wait_until(
        lambda: not differ(shown(d), shown(b)), lambda: "%s: ternd, bird2: %r" % (what, differ(shown(d), shown(b)))
    )


CHANGES = (
    "link set m0 down",
    "link set m0 up",
    "link set m2 up",
    "link set m2 down",
    "addr del 10.9.0.1/24 dev m0",
    "addr add 10.9.0.1/24 dev m0",
    "link set m1 down",
    "link set m1 up",
    "addr del 10.1.3.2/16 dev m1",
    "link set m3 down\nlink set m3 name x3\nlink set x3 up",
    "link set d0 mtu 1400",
    "link set lo down",
    "link set lo up",
    "link set d0 down",
    "link set tun2 up",
    "tuntap del tun0 mode tun",
    "addr add 2001:db8:c::1/64 dev m0 nodad",
    "addr del 10.1.1.1/24 dev m1",
    "link set m1 master d0",
    "link del m0",
)
NOTHING = ("link set d0 mtu 1400", "link set m1 master d0")  # change no routes


def as_bird():
    if not os.path.exists(BIRD):
        needs("bird2")
    ip(MACHINE)
    d, b = Daemon(CONF).start(), Bird(CONF, "bird").start()
    same(d, b, "at the start")
    check(len(shown(d)) > 100, "routes: %d" % len(shown(d)))
    counts = [[line.split()[:2] for _, line in x.run("show protocols") if len(line.split()) > 2] for x in (d, b)]
    equal(counts[0], counts[1], "instances")
    for text in CHANGES:
        step(text, lambda: shown(b), text not in NOTHING)
        same(d, b, text)
    equal(d.whole_log().count("direct1: Ignoring bogus route 224.0.0.0/8"), 1, "lines about a bogus route")
    for text in (
        "interface \"d0\", -",
        "interface",
        "interface eth0",
        "check link maybe",
        "interface \"a\" { }",
        "vpn4",
        "roa4",
    ):
        d.write(HEAD + "protocol direct { ipv4; %s; }\n" % text)
        equal(d.code("configure"), 8002, text)
    b.kill()
    d.stop()


def three_links():
    """a0, b0, c0 with 20 networks of each family; the other end of c0 is down."""
    ip(
        "link add a0 type veth peer name a1\nlink set a0 up\nlink set a1 up\nlink add b0 type bridge\nlink set b0"
        " up\nlink add c0 type veth peer name c1\nlink set c0 up\n"
        + "".join(
            "addr add 10.%d.%d.1/24 dev %s0\naddr add 2001:db8:%x%02x::1/64 dev %s0 nodad\n"
            % (ord(n), k, n, ord(n), k, n)
            for n in "abc"
            for k in range(20)
        )
    )


# What is written in the instance and in its channels, how many routes there are then, how many came, how many went. A
# changed channel passes its routes through the filter once more: they count as received.
MOVES = (
    ('interface "a0", "b0";', "", 80, 40, 0),
    ('interface "b0"; interface "a*";', "", 80, 0, 0),
    ('interface "b0", "c0";', "", 80, 40, 40),
    ('interface "b0", "c0"; check link;', "", 40, 0, 40),
    ('interface 10.98.3.0/24, "c0";', "", 41, 40, 39),
    ("", "", 120, 79, 0),
    ("", "preference 7;", 120, 120, 0),
    ("", "preference 7; import where net ~ [ 10.0.0.0/8+ ];", 60, 120, 0),
    ('interface "a0";', "import where net !~ [ 10.97.0.0/20+ ];", 24, 40, 80),
)


def moves():
    """Changed patterns, a changed check of links and a changed import filter move the routes that they concern, and no
    others."""
    three_links()

    def conf(inside, chan=""):
        return HEAD + "protocol direct d { ipv4 { %s }; ipv6 { %s }; %s }\n" % (chan, chan, inside)

    d = Daemon(conf('interface "a0";')).start()
    wait_until(lambda: d.routes()[1] == 40, "the first routes")
    want = [40, 0]
    for inside, chan, routes, came, went in MOVES:
        what = "%s %s" % (inside, chan)
        equal(d.counters("d"), want, "came and went before " + what)  # what comes late would be too much
        want = [want[0] + came, want[1] + went]
        d.write(conf(inside, chan))
        equal(d.code("configure"), 3, "configure")
        wait_until(lambda: d.routes()[1] == routes, lambda: "%s: %r, not %d" % (what, d.routes(), routes))
        preference = "(7)" if "preference 7" in chan else "(240)"
        wait_until(lambda: d.text("show route").count(preference) == routes, "preference with " + chan)
        wait_until(
            lambda: d.counters("d") == want, lambda: "%s: came and went %r, not %r" % (what, d.counters("d"), want)
        )
    for command, code, text, left in (
        ("disable d", 9, "disabled", 0),
        ("enable d", 11, "enabled", 24),
        ("restart d", 12, "restarted", 24),
        ("reload d", 15, "reloading", 24),
    ):
        Said(d, command, code, "d: " + text).so(lambda: d.routes()[1], left, command)
    d.write(conf("", "import limit 10 action disable;"))
    equal(d.code("configure"), 3, "configure")
    wait_until(lambda: "Route limit exceeded" in d.text("show protocols all d") and d.routes()[1] == 0, "a limit")
    d.write(HEAD)
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: d.code('show protocols "d"') == 8003, "an instance to go")
    d.stop()


def once():
    """Where `import keep filtered` keeps routes, a changed import filter is asked once about each, as it is
    elsewhere."""
    three_links()

    def conf(keep, word, preference):
        own = (
            'ipv4 { table %s; preference %d; import keep filtered %s; import filter { print "%s ", proto, " ", net;'
            ' accept; }; };'
        )
        d, s = (own % (table, preference, keep, word) for table in ("t0", "t1"))
        return (
            HEAD
            + """ipv4 table t0; ipv4 table t1; protocol direct d { %s interface "a0"; }
            protocol static s { %s route 192.0.2.0/24 blackhole; route 198.51.100.0/24 blackhole; }\n"""
            % (d, s)
        )

    for keep in "off", "on":
        d = Daemon(conf(keep, "first", 7)).start()
        routes = lambda preference: d.text("show route table all").count("(%d)" % preference)
        asked = lambda word: [d.whole_log().count("%s %s " % (word, name)) for name in "ds"]
        wait_until(lambda: routes(7) == 22, "routes")
        for word, preference in ("second", 7), ("third", 8), ("fourth", 9):
            d.write(conf(keep, word, preference))
            equal(d.code("configure"), 3, "configure")
            wait_until(
                lambda: routes(preference) == 22 and asked(word) == [20, 2],
                lambda: "the filter %s, keep %s: %r, preference: %r" % (word, keep, asked(word), routes(preference)),
            )
        d.write(conf(keep, "fourth", 10))
        equal(d.code("configure"), 3, "configure")
        wait_until(lambda: routes(10) == 22, "the last preference")
        for word in "first", "second", "third":
            equal(asked(word), [20, 2], "%s, keep %s" % (word, keep))
        d.stop()


def held():
    """Routes of one family that wait, here for a validator that says nothing, don't keep those of the other: they come,
    go and are renewed. `reload` waits for both."""
    three_links()
    nobody = free_port()
    text = (
        HEAD
        + """roa4 table r4 { %s }; protocol rpki { roa4; remote 127.0.0.1 port %d; }
        protocol direct d { interface "b0"; ipv4 { import filter { if roa_check(r4, net, 65000) = ROA_INVALID then \
reject; accept; }; }; %s; }\n"""
    )
    d = Daemon(text % ("rpki wait 600 s;", nobody, "ipv6")).start()
    routes = lambda table: d.text("show route table " + table).count("dev b0")
    wait_until(lambda: routes("master6") == 20, lambda: "routes of IPv6: %d" % routes("master6"))
    ip("addr add 10.98.200.1/24 dev b0\naddr add 2001:db8:62ff::1/64 dev b0 nodad")
    wait_until(lambda: routes("master6") == 21, "one more")
    ip("addr del 2001:db8:6200::1/64 dev b0")
    wait_until(lambda: routes("master6") == 20, "one less")
    d.write(text % ("rpki wait 600 s;", nobody, "ipv6 { preference 9; }"))
    equal(d.code("configure"), 3, "configure")
    wait_until(lambda: d.text("show route table master6").count("(9)") == 20, "another preference")
    equal(routes("master4"), 0, "routes of IPv4")
    said = d.text("reload d")
    check("d" in said and "busy" in said, "reload: " + said)
    d.write(text % ("rpki wait 0 s;", nobody, "ipv6"))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(
        lambda: (routes("master4"), routes("master6")) == (21, 20),
        lambda: "routes: %d, %d" % (routes("master4"), routes("master6")),
    )
    d.stop()


def told(body):
    """Octets of its attributes and of its prefixes, of one UPDATE."""
    attrs = struct.unpack("!H", body[2:4])[0]
    return body[4 : 4 + attrs], body[4 + attrs :]


def to_peers():
    """A member is told our address for a next hop, as bird2 tells it."""
    three_links()
    got = {}
    for kind in (Daemon, Bird):
        if kind == Bird and not os.path.exists(BIRD):
            needs("bird2")
        port = free_port()
        d = kind(
            HEAD
            + """protocol direct { ipv4; interface "a0" 10.97.4.0/24, "a0" 10.97.5.0/24; }
            protocol bgp { local 10.97.4.1 port %d as 65000; neighbor 10.97.5.1 as 65001; passive; multihop; ipv4 { \
import none; export all; }; }
            protocol bgp { local 10.97.4.1 port %d as 65000; neighbor 10.97.6.1 as 65000; passive; multihop; ipv4 { \
import none; export all; }; }
            """
            % (port, port),
            kind.__name__,
        ).start()
        for address, asn in (("10.97.5.1", 65001), ("10.97.6.1", 65000)):
            p = Peer(port, address, asn, server="10.97.4.1").establish()
            while len(got.setdefault((address, kind), [b"", b""])[1]) < 8:
                k, body = p.receive()
                if k == UPDATE and len(body) > 4:
                    attrs, nets = told(body)
                    got[address, kind][0] = attrs
                    got[address, kind][1] += nets
            p.cease()
        d.kill()
    for address in ("10.97.5.1", "10.97.6.1"):
        equal(got[address, Daemon][0], got[address, Bird][0], "attributes to " + address)
        equal(sorted(got[address, Daemon][1]), sorted(got[address, Bird][1]), "nets to " + address)
        check(socket.inet_aton("10.97.4.1") in got[address, Daemon][0], "next hop to " + address)


def flaps():
    """A link that flaps a thousand times, and is renamed meanwhile, leaves the routes of the kernel, here and at a
    peer, and no memory."""
    three_links()
    ip("link set c1 up\nlink set b0 down\nlink set b0 up")  # which takes its IPv6 addresses
    port = free_port()
    bgp = """protocol bgp { local 127.0.0.%d port %d as 6500%d; neighbor 127.0.0.%d port %d as 6500%d; multihop;
        ipv4 { import all; export all; }; ipv6 { import all; export all; next hop address 2001:db8::%d; }; }\n"""
    d = Daemon(
        HEAD + "protocol direct direct1 { ipv4; ipv6; check link; }\n" + bgp % (1, port, 1, 2, port, 2, 1)
    ).start()
    peer = Daemon(HEAD.replace("10.0.0.1", "10.0.0.2") + bgp % (2, port, 2, 1, port, 1, 2), "peer").start()
    for x in d, peer:
        wait_until(lambda: x.routes()[1] == 100, lambda: "routes: %r" % (x.routes(),))
    rss, rounds = [], 10 if not SOAK else 200
    for k in range(rounds):
        for _ in range(5):
            ip("\n".join("link set %s down\nlink set %s up" % (n, n) for n in ["a1", "b0", "c1"] * 7))
        for way, left in (("up", 100), ("down", 80)) * 8 + (("up", 100),):
            ip("link set b0 " + way)
            wait_until(lambda: d.routes()[1] == left, lambda: "round %d, %s: %r" % (k, way, d.routes()), every_s=0.002)
        ip("link set a0 down\nlink set a0 name z0\nlink set z0 up\naddr add 10.97.200.1/24 dev z0")
        wait_until(lambda: "dev z0" in d.text("show route 10.97.200.0/24"), "the new name")
        wait_until(lambda: "dev a0" not in d.text("show route"), "the old name to go")
        ip(
            "addr del 10.97.200.1/24 dev z0\nlink set z0 down\nlink set z0 name a0\nlink set a0 up\n"
            + "".join("addr add 2001:db8:61%02x::1/64 dev a0 nodad\n" % n for n in range(20))
        )
        wait_until(lambda: d.routes()[1] == 100, lambda: "round %d: %r" % (k, d.routes()))
        wait_until(lambda: peer.routes()[1] == 100, lambda: "round %d, the peer: %r" % (k, peer.routes()))
        rss.append(d.stats()["rss_kb"])
    nets, there = (set(re.findall(r"^([0-9a-f.:]+/\d+) ", x.text("show route"), re.M)) for x in (d, peer))
    kernel = json.loads(
        subprocess.run(
            ["ip", "-json", "route", "show", "proto", "kernel"], check=True, timeout=20 * SLOW, stdout=subprocess.PIPE
        ).stdout
    )
    equal({n for n in nets if ":" not in n}, {r["dst"] for r in kernel if "linkdown" not in r["flags"]}, "networks")
    equal(there, nets, "the peer's networks")
    came, went = d.counters("direct1")
    check(
        came >= 160 * rounds and went >= 160 * rounds,
        "it hasn't seen all flaps: %d routes came, %d went" % (came, went),
    )
    note("%d routes came, %d went" % (came, went))
    note("resident kB after each 100 flaps: %s" % rss)
    if not is_sanitized(os.path.join(BUILD, "ternd")):  # which keeps what was freed
        check(rss[-1] < rss[1] + 1000, "resident kB after each 100 flaps: %s" % rss)
    peer.stop()
    d.stop()


in_namespace()
link_case("routes as bird2 has them", as_bird)
link_case("what a changed configuration moves", moves)
link_case("each route passes a changed filter once", once)
link_case("one family waits", held)
link_case("what peers are told", to_peers)
link_case("a thousand flaps", flaps)
done()
