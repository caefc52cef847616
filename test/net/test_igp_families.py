# SPDX-License-Identifier: GPL-3.0-or-later
"""Next hops of both families: a channel and a static instance have an igp table for IPv4 next hops and an igp table for
IPv6 next hops, given or by default. Which configurations load, and where the routes lead after each of many random
changes of both tables, as in bird2 by the same configuration."""

import random

from links import *

if KIND != "ternd":
    cannot_here("this is about ternd")

MACHINE = """
link add m0 type veth peer name m1
link add d0 type veth peer name d1
link set m0 up
link set m1 up
link set d0 up
link set d1 up
addr add 10.1.1.1/24 dev m0
addr add 10.2.1.1/24 dev d0
addr add 2001:db8:1::1/64 dev m0 nodad
addr add 2001:db8:2::1/64 dev d0 nodad
"""
HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { scan time 1; }
ipv4 table t4; ipv4 table own4;
ipv6 table t6; ipv6 table own6;
protocol direct dd { ipv4 { table t4; }; ipv6 { table t6; }; }
protocol direct dm { ipv4 { preference 1; }; ipv6 { preference 1; }; }
"""
EXT = b"\x05\x06\x00\x01\x00\x01\x00\x02"
HOPS = {
    4: ["30.%d.%d.1" % (n, k) for n in range(3) for k in range(2)] + ["10.1.1.7", "99.0.0.1"],
    6: ["2001:db8:30:%d%d::1" % (n, k) for n in range(3) for k in range(2)] + ["2001:db8:1::7", "2001:db8:99::1"],
}
NETS = {
    4: ["30.%d.0.0/16" % n for n in range(3)] + ["30.%d.%d.0/24" % (n, k) for n in range(3) for k in range(2)],
    6: ["2001:db8:30::/48"] + ["2001:db8:30:%d%d::/64" % (n, k) for n in range(3) for k in range(2)],
}
FORMS = {
    4: ("via 10.1.1.2", "via 10.2.1.2", 'via "m0"', "blackhole", "unreachable", "via 10.1.1.4 via 10.2.1.4"),
    6: ("via 2001:db8:1::2", "via 2001:db8:2::2", 'via "d0"', "prohibit", "unreachable", "recursive 2001:db8:1::9"),
}
# An igp table without any next hop resolves nothing, and its first next hop restarts sessions.
FIXED = {4: {"31.0.0.0/8": "via 10.1.1.9"}, 6: {"2001:db8:31::/48": "via 2001:db8:1::9"}}
# The igp tables of the channel ipv4, and the channel ipv6 beside the channel.
WAYS = {
    "of the other family": ("igp table t6;", ""),
    "of both families": ("igp table t6; igp table t4;", ""),
    "of the own family": ("igp table t4;", ""),
    "the default tables": ("", ""),
    "the igp table of the channel ipv6": ("igp table t4;", "ipv6 { import all; export none; igp table t6; };"),
    "the table of the channel ipv6": ("table own4;", "ipv6 { table own6; import all; export none; };"),
    "given twice": ("igp table own6; igp table t6; igp table own4; igp table t4;", ""),
}


def underlay(igp):
    """Routes to the next hops, in each table that a way of WAYS names, and another gateway in each."""
    text = ""
    for family, tables in (4, ("t4", "master4", "own4")), (6, ("t6", "master6", "own6")):
        for k, table in enumerate(tables):
            routes = "".join("route %s %s;\n" % x for x in sorted({**igp[family], **FIXED[family]}.items()))
            routes = re.sub(r"(via [0-9a-f.:]+[.:])(\d)\b", lambda m: m[1] + str(int(m[2]) + 10 * k), routes)
            text += "protocol static u%s { ipv%d { table %s; }; %s }\n" % (table, family, table, routes)
    return text


def lines_of(d, *tables):
    """{net: lines}, without times; of routes that lead nowhere only the first line."""
    found, net = {}, None
    for table in tables:
        for _, line in d.run("show route primary table " + table):
            if line.startswith("Table") or not line.strip():
                continue
            if not line[:1].isspace():
                net = table + " " + line.split()[0]
                found[net] = [re.sub(r"/[-?]\)", ")", re.sub(r" \d\d:\d\d:\d\d\.\d+", "", re.sub(" +", " ", line)))]
            elif net:
                found[net].append(line.strip())
    return {net: lines if " unicast " in lines[0] else lines[:1] for net, lines in found.items()}


def changes(rnd, texts, both, shown, what, rounds):
    """Change both underlays, and compare the routes after each change. @texts: of either daemon."""
    igp = {family: {n: rnd.choice(FORMS[family]) for n in NETS[family][::2]} for family in (4, 6)}
    seen = set()
    for k in range(rounds if not SOAK else 100 * rounds):
        family = rnd.choice((4, 6))
        n = rnd.choice(NETS[family])
        if n in igp[family] and rnd.random() < 0.3:
            del igp[family][n]
        else:
            igp[family][n] = rnd.choice(FORMS[family])
        for d, text in zip(both, texts):
            d.write(text + underlay(igp))
            check(d.code("configure") in (3, 4), "configure")

        def differ():
            a, b = [shown(d) for d in both]
            return {n: (a.get(n), b.get(n)) for n in set(a) | set(b) if a.get(n) != b.get(n)}

        wait_until(
            lambda: not differ(), lambda: "%s, change %d: ternd, bird2: %r; %r" % (what, k, differ(), igp), every_s=0.02
        )
        seen |= {line[0].split()[1] for line in shown(both[0]).values()}
    return seen


class Member(Peer):
    """Announces IPv4 routes by next hops of both families."""

    def announce(self, net, hop):
        if ":" not in hop:
            self.update([net], [self.as_number], hop)
            return
        attrs = attribute(0x40, 1, b"\0") + attribute(0x40, 2, b"\2\1" + struct.pack("!I", self.as_number))
        reach = b"\0\1\1\x10" + socket.inet_pton(socket.AF_INET6, hop) + b"\0" + nlri(net)
        attrs += attribute(0x80, 14, reach)
        self.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs))


def sessions(way):
    """BGP: `extended next hop`."""
    if not os.path.exists(BIRD):
        needs("bird2")
    ip(MACHINE)
    rnd = random.Random(int(os.environ.get("TERN_SEED", "1")))
    four, six = WAYS[way]
    both, peers = [], []
    nets = {"40.0.%d.0/24" % k: hop for k, hop in enumerate(HOPS[4] + HOPS[6])}
    table = "own4" if "own4" in four and "igp" not in four else "master4"
    texts = []
    for cls, name in (Daemon, "ternd"), (Bird, "bird"):
        port = free_port()
        texts.append(
            HEAD
            + "protocol bgp p0 { local 127.0.0.1 port %d as 65000; neighbor 127.0.0.10 as 65001; multihop; passive;"
            " ipv4 { extended next hop; %s import all; export none; }; %s }\n" % (port, four, six)
        )
        both.append(cls(texts[-1] + underlay({4: {}, 6: {}}), name).start())
        peers.append(Member(port, "127.0.0.10", 65001, caps=EXT).establish())
        for net, hop in nets.items():
            peers[-1].announce(net, hop)
    shown = lambda d: {n: lines for n, lines in lines_of(d, table).items() if n.startswith(table + " 40.")}
    for d in both:
        wait_until(lambda: len(shown(d)) == len(nets), lambda: "all routes: %r" % shown(d))
    seen = changes(rnd, texts, both, shown, way, 25)
    check({"unicast", "unreachable"} <= seen, "seen: %r" % seen)
    told = [re.findall(r"IGP IPv\d table: +\S+", d.text("show protocols all p0")) for d in both]
    equal(told[0], told[1], "show protocols all")
    for p in peers:
        p.reset()
    both[1].kill()
    both[0].stop()


def static(options):
    """Recursive static routes of both families by next hops of both families."""
    if not os.path.exists(BIRD):
        needs("bird2")
    ip(MACHINE)
    rnd = random.Random(int(os.environ.get("TERN_SEED", "1")))
    text = HEAD
    for family, form in (4, "40.0.%d.0/24"), (6, "2001:db8:40:%d::/64"):
        text += "protocol static r%d { ipv%d; %s %s }\n" % (
            family,
            family,
            options,
            "".join("route %s recursive %s;\n" % (form % k, hop) for k, hop in enumerate(HOPS[4] + HOPS[6])),
        )
    both = [Daemon(text, "ternd").start(), Bird(text, "bird").start()]
    shown = lambda d: {n: x for n, x in lines_of(d, "master4", "master6").items() if re.search(" 40.| 2001:db8:40:", n)}
    seen = changes(rnd, [text, text], both, shown, options, 25)
    check({"unicast", "unreachable"} <= seen, "seen: %r" % seen)
    # the first and the last recursive route of the other family do not restart the instance
    d, more = both[0], "protocol static one { ipv4 { table own4; }; route 50.0.0.0/8 blackhole; %s }\n"
    d.write(text + more % "")
    check(d.code("configure") in (3, 4), "configure")
    for turn in range(3):
        d.write(text + more % "route 50.1.0.0/16 recursive 2001:db8:1::9;")
        reply = d.run("configure")
        check(not any("one: restarts" in line for _, line in reply), "the reply: %r" % reply)
        wait_until(lambda: "via 2001:db8:1::9 on m0" in d.text("show route 50.1.0.0/16 table own4"), "the route")
        d.write(text + more % "")
        check(d.code("configure") in (3, 4), "configure")
        wait_until(lambda: "50.1.0.0/16" not in d.text("show route table own4"), "the end of the route")
    both[1].kill()
    d.stop()


def loads():
    """Which configurations are valid, as in bird2."""
    tables = "roa4 table r4;\n"
    ibgp = "protocol bgp b { local 10.0.0.1 as 65000; neighbor 10.0.0.2 as 65000; %s }\n"
    ebgp = "protocol bgp b { local 10.0.0.1 as 65000; neighbor 10.0.0.2 as 65001; %s }\n"
    policy = "import all; export all;"
    rows = [
        (ibgp % "ipv4 { extended next hop; igp table t6; %s };" % policy, None),
        (ibgp % "ipv4 { extended next hop; igp table t6; igp table t4; %s };" % policy, None),
        (ibgp % "ipv4 { igp table t4; igp table own4; %s };" % policy, None),
        (ibgp % "ipv4 { igp table t6; %s };" % policy, "no extended next hop"),
        (ibgp % "ipv6 { igp table t4; %s };" % policy, "no extended next hop"),
        (ibgp % "ipv6 { extended next hop; igp table t4; %s };" % policy, None),
        (ibgp % "ipv4 { igp table r4; %s };" % policy, "igp table 'r4' doesn't hold routes to prefixes"),
        (ebgp % "ipv4 { igp table t6; %s };" % policy, None),
        (ebgp % "ipv4 { gateway recursive; igp table t6; %s };" % policy, "no extended next hop"),
        (ebgp % "ipv4 { igp table r4; %s };" % policy, "igp table 'r4' doesn't hold routes to prefixes"),
        ("protocol static st { ipv4; igp table t6; igp table t4; }\n", None),
        ("protocol static st { ipv6; route 2001:db8::/32 recursive 10.0.0.1; }\n", None),
        ("protocol static st { ipv4; igp table r4; }\n", "igp table 'r4' doesn't hold routes to prefixes"),
    ]
    for text, fault in rows:
        d = Daemon(HEAD + tables + text)
        p = subprocess.run(d.argv("-p"), capture_output=True, text=True, timeout=20 * SLOW)
        equal((p.returncode, (fault or "") in p.stderr), (1 if fault else 0, True), text + p.stderr)
        check(not fault or re.search(r"\.conf:\d+:\d+ ", p.stderr), p.stderr)
        if os.path.exists(BIRD):
            rc = subprocess.run([BIRD, "-p", "-c", d.conf], capture_output=True, timeout=20 * SLOW).returncode
            equal(rc, p.returncode, "bird2: " + text)


def passed_on():
    """A template passes on the given igp tables; the defaults are of the protocol."""
    member = "local 10.1.1.1 as 65000; neighbor 10.1.1.%d as 6501%d; multihop; passive;"
    policy = "import all; export none;"
    d = Daemon(
        HEAD
        + "template bgp given { ipv4 { table t4; igp table own4; %s }; }\n" % policy
        + "template bgp bare { ipv4 { table t4; extended next hop; %s }; }\n" % policy
        + "protocol bgp first from bare { %s }\n" % (member % (2, 2))
        + "protocol bgp second from bare { %s ipv4 { table own4; extended next hop off; }; }\n" % (member % (3, 3))
        + "protocol bgp third from given { %s ipv4 { table master4; }; }\n" % (member % (4, 4))
    ).start()

    def tables(name):
        return re.findall(r"IGP (\w+) table: (\w+)", d.text("show protocols all " + name))

    equal(tables("first"), [("IPv4", "t4"), ("IPv6", "master6")], "first")
    equal(tables("second"), [("IPv4", "own4")], "second")
    equal(tables("third"), [("IPv4", "own4")], "third")
    d.stop()


in_namespace()
link_case("what loads", loads)
link_case("what a template passes on", passed_on)
for one in WAYS:
    link_case("igp tables: " + one, sessions, one)
for some in "igp table t6; igp table t4;", "igp table t6;", "":
    link_case("static routes: " + (some or "default tables"), static, some)
done()
