# SPDX-License-Identifier: GPL-3.0-or-later
"""protocol static: routes by gateways and interfaces are those of bird2 with the same configuration, where that is
installed, and come and go with interfaces, addresses and carriers as bird2's do; a changed configuration moves what
differs, and nothing else; a link that flaps a thousand times leaves the right routes, here and at a peer, and no
memory."""

from links import *

if KIND != "ternd":
    cannot_here("this is about ternd")

MACHINE = """
link add m0 type veth peer name m1
link add d0 type veth peer name d1
link add b0 type bridge
link set m0 up
link set m1 up
link set d0 up
link set d1 up
link set b0 up
addr add 10.1.1.1/24 dev m0
addr add 10.1.2.1/24 dev m0
addr add 10.2.1.1/24 dev d0
addr add 10.2.3.1/31 dev d0
addr add 10.3.1.1 peer 10.3.1.2 dev d0
addr add 10.3.2.1 peer 10.3.5.2/24 dev d0
addr add 10.1.0.1/16 dev d0
addr add 169.254.7.7/16 dev d0
addr add 2001:db8:1::1/64 dev m0 nodad
addr add fe80::aa/64 dev m0 nodad
addr add fe80::bb/64 dev d0 nodad
addr add 2001:db8:2::1/64 dev d0 nodad
addr add 10.9.1.1/24 dev b0
addr add 10.9.1.7/32 dev b0
addr add 10.10.10.10/32 dev lo
addr add 10.10.11.10/24 dev lo
"""
FOUR = """via 10.1.1.2 | via 10.1.1.2%m0 | via 10.1.1.2%d0 | via 10.1.1.2%b0 | via 10.1.1.2%nope | via 10.1.1.3%nope \
onlink
via 10.7.7.7 | via 10.7.7.7 onlink | via 10.7.7.7%m0 onlink weight 7 | via 10.1.1.2 onlink | via 10.2.1.2 onlink off
via "m0" | via "d0" | via "nope" | via "b0" | via "lo" | via 10.1.1.255 | via 10.1.1.0 | via 10.2.1.0
via 10.3.1.2 | via 10.3.5.2 | via 10.3.5.7 | via 10.2.3.0 | via 10.1.5.5 | via 10.9.1.255
via 127.0.0.5 | via 127.0.0.5%lo onlink | via 224.0.0.5%m0 onlink | via 255.255.255.255%m0 | via 240.0.0.1%m0 onlink
via 169.254.1.1 | via 169.254.1.1%m0 | via 10.10.11.11 | via 10.10.10.9
via fe80::1%m0 | via fe80::1 | via 2001:db8:1::7 | via 2001:db8:2:: | via 2001:db8:2:0:ffff:ffff:ffff:ffff
via 10.1.1.2 via 10.2.1.2 | via 10.1.1.2 weight 3 via 10.2.1.2 weight 5 | via 10.1.1.2 weight 3 via 10.7.7.7 weight 5
via 10.1.1.2 via 10.1.1.2 | via 10.1.1.2 weight 2 via 10.1.1.2 weight 3 | via "m0" weight 3 via "d0" weight 2 | via \
"m0" via 10.2.1.2 weight 256
via 10.1.1.9 weight 3 via "m0" weight 3 via 10.2.1.9 weight 3 via "d0" weight 3 via 10.1.1.5 weight 9 via "d0" weight \
1 via 10.7.7.7%m0 onlink weight 3
via 10.1.1.9 via "nope" via "b0" weight 2 | via fe80::2%m0 via 10.1.1.2 via 2001:db8:2::5
via 10.2.1.4 weight 4 via 10.9.1.4 weight 4 via 10.1.2.4 weight 4 via 10.3.1.2 weight 4
blackhole | unreachable | prohibit
via 10.1.1.2 { bgp_med = 5; preference = 250; } | via 10.1.1.2 weight 7 { ca = weight; if onlink then cb = 1; else cb \
= 2; }
via 10.1.1.2 weight 7 via 10.2.1.2 weight 3 { ca = weight; ci = gw; if ifname = "m0" then cb = 1; }
via 10.1.1.2 weight 9 via 10.2.1.2 weight 7 { weight = 20; ca = weight; }
via 10.1.1.2 weight 7 via 10.2.1.2 weight 9 { onlink = true; }
via 10.7.7.7%m0 onlink weight 4 { ifname = "d0"; if onlink then cb = 1; else cb = 2; ca = weight; }
via 10.7.7.7%m0 onlink weight 4 { weight = 11; onlink = false; if onlink then cb = 1; ca = weight; } | via 10.1.1.2 { \
cb = 1; }
blackhole { ca = weight; if onlink then cb = 1; } | blackhole { onlink = true; cb = 7; }
blackhole { weight = 3; cb = 7; } | via 10.1.1.2 via 10.2.1.2 { dest = RTD_BLACKHOLE; ca = weight; } | via 10.1.1.2 { \
weight = 300; cb = 7; }
via 10.1.1.2 weight 2 via "m0" weight 2 { onlink = false; } | via 10.1.1.2 onlink { ifname = "b0"; if onlink then cb = \
1; }
via 10.1.1.2 { ifname = "zork"; cb = 7; } | via "d0" { ifname = "m0"; ca = ifindex; }"""
SIX = """via fe80::1%m0 | via fe80::1 | via 2001:db8:1::2 | via fe80::1%m0 via fe80::1%d0 | via fe80::1%m0 weight 2 \
via fe80::1%d0 weight 3
via 2001:db8:1:: | via "d0" | via ::1%lo | via ff02::5%m0 | via 2001:db8:7::7%d0 onlink | via 10.1.1.2
via 2001:db8:2::9 via "m0" via 2001:db8:1::9 | blackhole"""
# Compared only at the start: when interfaces go, bird2 keeps routes via our own addresses, and makes one neighbour of
# 10.1.1.2%m0 with and without `onlink`; and gateways that code has assigned stay with the interface that they were on.
AT_FIRST = """via 10.1.1.1 | via 10.1.1.1%d0 | via 10.3.1.1 | via 10.3.2.1 | via 10.2.3.1 | via 10.9.1.7 | via \
10.10.10.10 | via 10.10.10.10%lo
via 2001:db8:1::1 | via fe80::aa%m0 | via 10.1.1.2 { gw = 10.1.1.1; cb = 1; }
via 10.1.1.2%m0 onlink via 10.1.1.2%m0 via 10.1.1.2
via 10.1.1.2 weight 9 via 10.2.1.2 weight 7 { gw = 10.2.1.3; }
via 10.7.7.7%m0 onlink weight 4 { gw = 10.2.1.2; if onlink then cb = 1; ca = weight; }
via 10.1.1.2 { gw = 10.10.11.11; }
blackhole { gw = 10.1.1.2; weight = 3; ca = weight; }
via 10.1.1.2 { gw = 10.99.1.1; cb = 7; }"""
HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { scan time 1; }
"""


def is_newer():
    """Is it a later bird than 2.0? That one has no route by `onlink` without an interface."""
    p = subprocess.run(
        [BIRD, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20 * SLOW, check=False
    )
    return b"version 2.0." not in p.stdout


NEWER = os.path.exists(BIRD) and is_newer()


def forms(text):
    if NEWER:
        text = re.sub(r"(via [^\s%]+) onlink(?! off)", r"\1", text)
    return [f.strip() for line in text.split("\n") for f in line.split(" | ")]


def routes(net, text, first=AT_FIRST):
    """Each form as a route of its own; some prefixes have several."""
    lines = ["route %s %s;\n" % (net % k, f) for k, f in enumerate(forms(text))]
    lines += ["route %s %s;\n" % (net % (150 + k), f) for k, f in enumerate(forms(first))]
    several = [f for f in forms(text) if "{" not in f][::3]
    return "".join(lines) + "".join("route %s %s;\n" % (net % (200 + k // 3), f) for k, f in enumerate(several))


CONF = (
    HEAD
    + "attribute int ca;\nattribute int cb;\nattribute ip ci;\nipv4 table t4; ipv6 table t6;\n"
    + "".join(
        "protocol static s%s { ipv4%s; %s\nroute 224.0.0.0/8 via 10.1.1.9;\n%s}\nprotocol static x%s { ipv6%s;"
        " %s\n%s}\n"
        % (
            name,
            " { table t4; }" if opt else "",
            opt,
            routes("20.0.%d.0/24", FOUR),
            name,
            " { table t6; }" if opt else "",
            opt,
            routes("2001:db8:a%02x::/48", SIX),
        )
        for name, opt in (("a", ""), ("c", "check link;"))
    )
)
CHANGES = (
    "link set m0 down",
    "link set m1 down",
    "link set m0 up",
    "link set m1 up",
    "link set d1 down",
    "link set d1 up",
    "addr del 10.1.0.1/16 dev d0",
    "addr del 10.1.1.1/24 dev m0",
    "addr add 10.1.1.1/25 dev m0",
    "addr add 10.1.0.1/16 dev b0",
    "link add nope type bridge",
    "link set nope up",
    "addr add 10.7.0.1/16 dev nope",
    "link set m0 down\nlink set m0 name n0\nlink set n0 up",
    "link set n0 down\nlink set n0 name m0\nlink set m0 up",
    "link del nope",
    "link set b0 down",
    "link set b0 up",
    "link set m1 master b0",
    "addr flush dev d0",
    "link set lo down",
    "link set lo up",
    "link del m0",
)
NOTHING = ("link set m1 down", "link add nope type bridge")  # change no routes


def shown(d):
    """{(what, net): [lines, without times]}. Which of several routes of a net comes first is a matter of history in
    bird2; here it is that of the file."""
    found, table, net = {}, None, None
    for what in "show route all table all", "show static":
        for _, line in d.run(what):
            if line.startswith("Table "):
                table = line.split()[1]
            elif not line[:1].isspace() and line.strip():
                net, table = line.split()[0], table if what[5] == "r" else "static"
            if table and line.strip() and not line.startswith("Table "):
                found.setdefault((table, net), []).append(re.sub(r" \d\d:\d\d:\d\d\.\d+\]", "]", line))
    for key, lines in found.items():
        if key[0] != "static":
            whole = re.split(r"\n(?=\S|    )", "\n".join(lines))
            found[key] = sorted(re.sub(r"^\S* +", "", r).replace(" *", "") for r in whole)
    return found


def differ(a, b):
    return {k: (a.get(k), b.get(k)) for k in set(a) | set(b) if a.get(k) != b.get(k)}


def same(d, b, what, but=()):
    def now():
        return {k: v for k, v in differ(shown(d), shown(b)).items() if k[1] not in but}

    wait_until(lambda: not now(), lambda: "%s: ternd, bird2: %r" % (what, now()))


def as_bird():
    if not os.path.exists(BIRD):
        needs("bird2")
    ip(MACHINE)
    d, b = Daemon(CONF).start(), Bird(CONF, "bird").start()
    same(d, b, "at the start")
    check(len(forms(FOUR)) > 60 and len(shown(d)) > 200, "forms: %d, lines: %d" % (len(forms(FOUR)), len(shown(d))))
    first = {net % (150 + k) for net in ("20.0.%d.0/24", "2001:db8:a%02x::/48") for k in range(len(forms(AT_FIRST)))}
    for text in CHANGES:
        step(text, lambda: shown(b), text not in NOTHING)
        same(d, b, text, first)
    wait_until(lambda: "sa: Ignoring bogus route 224.0.0.0/8" in d.whole_log(), lambda: "a bogus route")
    b.kill()
    d.stop()


TWO_LINKS = """link add a0 type veth peer name a1
link set a0 up
link set a1 up
link add b0 type bridge
link set b0 up
addr add 10.1.0.1/16 dev a0
addr add 10.2.0.1/16 dev b0
"""


IN_VRF = (
    HEAD
    + """ipv4 table t1; ipv4 table t2;
protocol direct dr { vrf "red"; ipv4 { table t1; }; }
protocol static sr { vrf "red"; ipv4 { table t2; }; route 20.0.0.0/24 via 10.1.1.2; route 20.0.1.0/24 via 10.2.1.2; \
route 20.0.2.0/24 via 10.9.9.2;
  route 20.0.3.0/24 via "m0"; route 20.0.4.0/24 via "d0"; route 20.0.5.0/24 via "red"; route 20.0.6.0/24 via \
10.7.7.7%m0 onlink;
  route 20.0.7.0/24 via 10.7.7.7%d0 onlink; route 20.0.8.0/24 via 10.2.1.3%d0; route 20.0.11.0/24 via 10.1.1.2 via \
10.2.1.2; route 20.0.12.0/24 via 10.1.1.2%m0;
  route 20.0.14.0/24 via 10.10.11.11; route 20.0.15.0/24 recursive 20.0.0.1; route 20.0.16.0/24 blackhole; }
"""
)


def in_vrf():
    """Gateways are looked for, and networks taken, on the interfaces of the VRF alone. Which those are is said by their
    master, so here a bridge does for a VRF, which not every kernel has."""
    if not os.path.exists(BIRD):
        needs("bird2")
    ip(
        MACHINE
        + "addr add 10.1.1.9/24 dev d1\nlink add red type bridge\nlink set red up\naddr add 10.9.9.1/24 dev red\n"
    )
    d, b = Daemon(IN_VRF).start(), Bird(IN_VRF, "bird").start()
    same(d, b, "at the start")
    check("10.1.1.0/24" not in d.text("show route table t1"), "nothing is in it: " + d.text("show route table t1"))
    for text in (
        "link set m0 master red",
        "link set d0 master red",
        "link set m0 nomaster",
        "link set d0 nomaster",
        "link set m0 master red",
        "link del red",
    ):
        step(text, lambda: shown(b), True)
        same(
            d, b, text, {"20.0.5.0/24"} if "del" in text else ()
        )  # bird2 keeps what a named interface has in a VRF, though that has gone
    check("dormant" in d.text("show static sr"), "what has gone")
    b.kill()
    d.stop()


def moves():
    """What is told to the table is what differs, after a changed configuration and after changed interfaces."""
    ip(TWO_LINKS + "link set a1 down")

    def conf(inside, chan=""):
        return HEAD + "protocol static s { ipv4 { %s }; %s }\n" % (chan, inside)

    def many(first, cnt, how):
        return "".join(
            "route 20.%d.%d.0/24 %s;\n" % (k >> 8, k & 255, how(k) if callable(how) else how)
            for k in range(first, first + cnt)
        )

    two = lambda k: "via 10.%d.0.%d" % (1 + k % 2, 2 + k % 100)
    d = Daemon(conf(many(0, 3000, two))).start()
    wait_until(lambda: d.routes()[1] == 3000, "the first routes")
    equal(d.counters("s"), [3000, 0], "updates, withdraws")

    def moved(what, do, routes, came, went):
        before = d.counters("s")
        do()
        want = [before[0] + came, before[1] + went]
        wait_until(
            lambda: d.routes()[0] == routes and d.counters("s") == want,
            lambda: "%s: %r, %d routes came, %d went"
            % ((what, d.routes()) + tuple(x - y for x, y in zip(d.counters("s"), before))),
        )

    def reconf(*args):
        d.write(conf(*args))
        equal(d.code("configure"), 3, "configure")

    for inside, chan, routes, came, went in (
        (many(0, 3000, two), "", 3000, 0, 0),
        (many(10, 3000, two), "", 3000, 10, 10),
        (many(10, 3000, two) + "route 30.0.0.0/8 via 10.9.9.9;", "", 3000, 0, 0),
        (many(10, 3000, two) + "check link;", "", 1500, 0, 1500),
        (many(10, 3000, two), "", 3000, 1500, 0),
        (many(10, 3000, two), "preference 7;", 3000, 3000, 0),
        (many(10, 3000, lambda k: two(k) + "%a0" if k % 2 == 0 else two(k)), "preference 7;", 3000, 0, 0),
        (
            many(10, 3000, lambda k: two(k) + " weight 3 via \"b0\"" if k % 2 == 0 else two(k)),
            "preference 7;",
            3000,
            1500,
            0,
        ),
        (many(10, 3000, "blackhole"), "", 3000, 3000, 0),
        (many(10, 3000, two) + many(20, 5, "blackhole") * 2, "", 3010, 3010, 0),
        (many(20, 5, "blackhole") * 2 + many(10, 3000, two), "", 3010, 10, 0),
        (many(10, 3000, two), "", 3000, 5, 10),
    ):
        if went == 0 and came == 0 and "%a0" in inside:
            came = 1500  # other words for the same: they are announced anew
        moved(inside[:60] + chan, lambda: reconf(inside, chan), routes, came, went)
    for text, routes, came, went in (
        ("link set b0 down", 1500, 0, 1500),
        ("link set b0 up", 3000, 1500, 0),
        ("link set a0 mtu 1400", 3000, 0, 0),
        ("link set a1 up", 3000, 0, 0),
        ("link set a1 down", 3000, 0, 0),
        ("addr add 10.1.0.1/24 dev a0", 3000, 0, 0),
        ("addr add 10.2.0.1/24 dev a0", 3000, 1500, 0),
        ("addr del 10.2.0.1/24 dev a0", 3000, 1500, 0),
        ("link set a0 down\nlink set a0 name z0\nlink set z0 up", 3000, 1500, 1500),
        ("addr flush dev b0", 1500, 0, 1500),
        ("addr add 10.2.0.1/16 dev b0", 3000, 1500, 0),
    ):
        if "name" in text:  # the flap may not be seen
            ip(text)
            wait_until(lambda: d.text("show route").count("on z0") == 1500 and d.routes()[1] == 3000, text)
        else:
            moved(text, lambda: ip(text), routes, came, went)
    for command in ("disable s", "enable s", "restart s", "reload s"):
        d.run(command)
        wait_until(lambda: d.routes()[1] == (0 if command[0] == "d" else 3000), command)
    d.stop()


def flaps():
    """Links flap while a peer is told the routes."""
    ip(TWO_LINKS)
    port = free_port()
    bgp = """protocol bgp { local 127.0.0.%d port %d as 6500%d; neighbor 127.0.0.%d port %d as 6500%d; multihop; ipv4 \
{ import all; export all; }; }\n"""
    ways = "".join(
        "route 20.%d.%d.0/24 via 10.1.%d.2 weight 2 via 10.2.%d.2;\nroute 21.%d.%d.0/24 via 10.%d.%d.9;\n"
        % (k >> 8, k & 255, k % 200, k % 100, k >> 8, k & 255, 1 + k % 2, k % 250)
        for k in range(1000)
    )
    d = Daemon(HEAD + "protocol static s { ipv4; %s }\n" % ways + bgp % (1, port, 1, 2, port, 2)).start()
    peer = Daemon(HEAD.replace("10.0.0.1", "10.0.0.2") + bgp % (2, port, 2, 1, port, 1), "peer").start()
    for x in d, peer:
        wait_until(lambda: x.routes()[1] == 2000, lambda: "routes: %r" % (x.routes(),))
    rss = []
    rounds = 100 if SOAK else size(8, 2)
    for k in range(rounds):
        for _ in range(5):
            ip("\n".join("link set %s down\nlink set %s up" % (n, n) for n in ["a0", "b0"] * 9))
        for way, left in (("down", 1500), ("up", 2000)) * 5:  # the daemon sees each flap
            ip("link set b0 " + way)
            wait_until(lambda: d.routes()[1] == left, lambda: "b0 is %s: %r" % (way, d.routes()))
        ip("link set a0 down")
        for x in d, peer:
            wait_until(lambda: x.routes()[1] == 1500, lambda: "a0 is down: %r" % (x.routes(),))
        # as many are there while b0 is down: the way over b0 is what is left
        shown = lambda: d.text("show route 20.0.0.0/24")
        wait_until(lambda: re.findall(r"via (\S+)", shown()) == ["10.2.0.2"], lambda: "one way is left: " + shown())
        ip("link set a0 up")
        for x in d, peer:
            wait_until(lambda: x.routes()[1] == 2000, lambda: "round %d: %r" % (k, x.routes()))
        wait_until(lambda: "weight 2" in d.text("show route 20.0.0.0/24"), "both ways")
        rss.append(d.stats()["rss_kb"])
    came, went = d.counters("s")
    least = 5 * 500 * rounds
    check(came >= least and went >= least, "at least %d of each: %d routes came, %d went" % (least, came, went))
    note("%d routes came, %d went" % (came, went))
    note("resident kB after each 100 flaps: %s" % rss)
    if not is_sanitized(os.path.join(BUILD, "ternd")):  # which keeps what was freed
        wait_until(
            lambda: d.stats()["rss_kb"] < rss[1] + 1500, "the memory of flaps to go back, after each 100: %s kB" % rss
        )
    peer.stop()
    d.stop()


in_namespace()
link_case("routes as bird2 has them", as_bird)
link_case("in a VRF, as bird2", in_vrf)
link_case("what a change moves", moves)
link_case("a thousand flaps", flaps)
if not is_sanitized(os.path.join(BUILD, "ternd")):
    real_case("a thousand flaps, and the resident memory of the process", on_a_bare_machine, flaps)
done()
