# SPDX-License-Identifier: GPL-3.0-or-later
"""Next hops of BGP that are looked up: which route is best, where its packets go and what others are told, as bird2 has
it by the same configuration, after each of many random changes of the table that they are looked up in; what the kernel
gets of them; and who has nothing to look them up in pays nothing."""

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
addr add 10.2.0.1/16 dev d0
"""
PEERS = 3
HOPS = ["30.%d.%d.%d" % (n, k, h) for n in range(4) for k in range(3) for h in (1, 9)] + [
    "10.2.200.1",
    "99.0.0.1",
    "10.1.1.7",
]
NETS = (
    ["30.%d.0.0/16" % n for n in range(4)]
    + ["30.%d.0.0/15" % n for n in (0, 2)]
    + ["30.%d.%d.0/24" % (n, k) for n in range(4) for k in range(3)]
    + ["0.0.0.0/0"]
)
FORMS = (
    "via 10.1.1.2",
    "via 10.1.1.3",
    "via 10.2.1.2",
    'via "m0"',
    "via 10.7.7.7%d0 onlink",
    "via 10.7.7.7",
    "blackhole",
    "unreachable",
    "prohibit",
    "via 10.1.1.4 weight 3 via 10.2.1.4 weight 2",
    "recursive 30.0.0.1",
)
METRICS = ("", "", " { igp_metric = 5; }", " { igp_metric = 7; }", " { igp_metric = 5; }")
HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { scan time 1; }
ipv4 table tg;
protocol direct dd { ipv4 { table tg; }; }
"""


def conf(port, igp, table="igp table tg;", more=""):
    """@igp: {prefix: form}."""
    text = (
        HEAD
        + "protocol static sg { ipv4 { table tg; };\n%s }\n"
        % "".join("route %s %s;\n" % x for x in sorted(igp.items()))
        + more
    )
    for k in range(PEERS):
        text += (
            "protocol bgp p%d { local 127.0.0.1 port %d as 65000; neighbor 127.0.0.%d as %d; multihop; passive; ipv4 {"
            " %s import %s; export none; }; }\n"
            % (
                k,
                port,
                10 + k,
                65001 + k,
                table,
                (
                    "all",
                    (
                        "filter { if net = 40.0.3.0/24 then preference = 120; if net = 40.0.4.0/24 then bgp_next_hop ="
                        " 30.0.0.9; accept; }"
                    ),
                    "all",
                )[k],
            )
        )
    return text


class Both:
    """A daemon with its peers, which say the same to each."""

    def __init__(self, cls, name, igp, caps=b"", **more):
        self.port, self.more = free_port(), more
        self.d = cls(conf(self.port, igp, **more), name).start()
        self.peers = [Peer(self.port, "127.0.0.%d" % (10 + k), 65001 + k, caps=caps).establish() for k in range(PEERS)]

    def announce(self, said):
        for k, net, hop in said:
            self.peers[k].update([net], [65001 + k], hop)

    def configure(self, igp):
        self.d.write(conf(self.port, igp, **self.more))
        text = self.d.text("configure")
        check("Reconfigur" in text, text)

    def keep(self):
        for p in self.peers:
            p.send(message(KEEPALIVE))

    def best(self, table="master4"):
        """{net: [whose, where to]} of best routes, in which a metric that isn't known is left out."""
        found, net = {}, None
        for _, line in self.d.run("show route primary table " + table):
            if line.startswith("Table") or not line.strip():
                continue
            if not line[:1].isspace():
                net = line.split()[0]
                found[net] = [re.sub(r"/[-?]\)", ")", re.sub(r" \d\d:\d\d:\d\d\.\d+", "", re.sub(" +", " ", line)))]
            elif net:
                found[net].append(line.strip())
        for net, lines in found.items():
            if " unicast " not in lines[0]:
                del lines[1:]
            if " unreachable " in lines[0]:  # which of several that lead nowhere is a matter of history in bird2
                lines[0] = "unreachable"
        return found


def as_bird():
    if not os.path.exists(BIRD):
        needs("bird2")
    ip(MACHINE)
    rnd = random.Random(SEED)
    igp = {n: rnd.choice(FORMS) + rnd.choice(METRICS) for n in NETS[::2]}
    both = [Both(Daemon, "ternd", igp), Both(Bird, "bird", igp)]
    said = [(k, "40.0.%d.0/24" % n, rnd.choice(HOPS)) for n in range(60) for k in range(PEERS)]
    for x in both:
        x.announce(said)

    def same(what):
        def differ():
            a, b = [x.best() for x in both]
            return {n: (a.get(n), b.get(n)) for n in set(a) | set(b) if a.get(n) != b.get(n)}

        wait_until(
            lambda: not differ(),
            lambda: "%s: ternd, bird2: %r; said: %r; igp: %r"
            % (what, differ(), [s for s in said if s[1] in differ()], igp),
            every_s=0.02 * SLOW,
        )

    wait_until(lambda: all(len(x.best()) == 60 for x in both), "all routes", every_s=0.2)
    same("at the start")
    kinds = set()
    for k in range(10000 if SOAK else size(60, 25)):
        if rnd.random() < 0.25:
            one = [(rnd.randrange(PEERS), "40.0.%d.0/24" % rnd.randrange(60), rnd.choice(HOPS))]
            said = [s for s in said if s[:2] != one[0][:2]] + one
            for x in both:
                x.announce(one)
        else:
            n = rnd.choice(NETS)
            if n in igp and rnd.random() < 0.3:
                del igp[n]
            else:
                igp[n] = rnd.choice(FORMS) + rnd.choice(METRICS)
            for x in both:
                x.configure(igp)
        same("change %d" % k)
        kinds |= {lines[0].split()[lines[0] != "unreachable"] for lines in both[0].best().values()}
        if k % 10 == 9:
            for x in both:
                x.keep()
    check({"unicast", "unreachable"} <= kinds, "seen: %r" % kinds)
    for x in both:
        x.d.stop()


KERNEL = "protocol kernel k { kernel table 100; scan time 60; ipv4 { export all; }; }\n"


def in_kernel():
    """What the kernel gets follows at once; a reload and another filter leave it so."""
    ip(MACHINE)
    x = Both(Daemon, "ternd", {"30.0.0.0/16": "via 10.1.1.2"}, more=KERNEL)

    def there():
        return sorted(
            line
            for line in re.sub(r"\s*\n\t", " ", ip_said("route", "show", "table", "all")).split("\n")
            if "table 100" in line
        )

    cnt = size(2000, 600)
    x.announce(
        [(0, "41.%d.%d.0/24" % (n >> 8, n & 255), "30.0.0.%d" % (1 + n % 200)) for n in range(cnt)]
        + [(1, "42.0.0.0/24", "30.1.0.1")]
    )
    wait_until(
        lambda: len([r for r in there() if "via 10.1.1.2 dev m0" in r]) == cnt
        and "unreachable 42.0.0.0/24" in there()[-1],
        lambda: "%r" % there()[-3:],
    )
    before = time.monotonic()
    x.configure({"30.0.0.0/16": "via 10.2.1.9 via 10.1.1.3", "30.1.0.0/16": "via 10.1.1.7"})
    wait_until(
        lambda: len([r for r in there() if "nexthop via 10.1.1.3 dev m0 weight 1 nexthop via 10.2.1.9 dev d0" in r])
        == cnt,
        lambda: "%r" % there()[-3:],
    )
    wait_until(lambda: "42.0.0.0/24 via 10.1.1.7 dev m0" in there()[-1], lambda: there()[-1])
    note("%d routes moved in %.2f s" % (cnt, time.monotonic() - before))
    x.d.run("reload in p0")
    x.configure({})
    wait_until(
        lambda: len([r for r in there() if r.startswith("unreachable 4")]) == cnt + 1, lambda: "%r" % there()[-3:]
    )
    x.configure({"0.0.0.0/0": "via 10.1.1.2"})
    wait_until(lambda: len([r for r in there() if "via 10.1.1.2 dev m0" in r]) == cnt + 1, lambda: "%r" % there()[-3:])
    ip("link set m0 down")
    wait_until(
        lambda: len([r for r in there() if r.startswith("unreachable 4")]) == cnt + 1,
        lambda: "the link goes: %r" % there()[-3:],
    )
    ip("link set m0 up")
    wait_until(
        lambda: len([r for r in there() if "via 10.1.1.2 dev m0" in r]) == cnt + 1,
        lambda: "and comes: %r" % there()[-3:],
    )
    for p in x.peers:
        p.reset()
    wait_until(lambda: not there(), lambda: "the peers have gone: %r" % there()[-3:])
    x.d.stop()


def kept():
    """With an import table what is kept is as it came, and is looked up anew by a reload; a filter that assigns a
    gateway ends it."""
    ip(MACHINE)
    conf_of, text = conf, "igp table tg; import table; preference 99;"
    x = Both(Daemon, "ternd", {"30.0.0.0/16": "via 10.1.1.2 { igp_metric = 9; }"}, table=text)
    x.announce([(0, "43.0.0.0/24", "30.0.0.1"), (1, "43.0.0.0/24", "30.1.0.1")])
    wait_until(lambda: x.best().get("43.0.0.0/24", [""])[0].endswith("(99/9) [AS65001i]"), lambda: "%r" % x.best())
    x.configure({"30.0.0.0/16": "via 10.1.1.2 { igp_metric = 9; }", "30.1.0.0/16": "via 10.1.1.5 { igp_metric = 3; }"})
    wait_until(lambda: x.best()["43.0.0.0/24"][1:] == ["via 10.1.1.5 on m0"], lambda: "%r" % x.best())
    x.d.run("reload in all")
    check(x.best()["43.0.0.0/24"][1:] == ["via 10.1.1.5 on m0"], "%r" % x.best())
    x.d.write(
        conf_of(x.port, {"30.1.0.0/16": "via 10.1.1.6"}, table=text).replace(
            "import all", "import filter { gw = 10.1.1.8; accept; }"
        )
    )
    x.d.run("configure")
    wait_until(
        lambda: x.best()["43.0.0.0/24"][1:] == ["via 10.1.1.8 on m0"], lambda: "a filter's own gateway: %r" % x.best()
    )
    x.d.stop()


def refused(cls):
    """Refused routes that are kept follow a change of the looked-up table, too, unless the filter assigned a gateway. A
    withdrawal and a new filter find the moved route."""
    ip(MACHINE)
    keep = "igp table tg; import keep filtered;"
    x = Both(cls, cls.__name__, {"30.0.0.0/16": "via 10.1.1.2"}, table=keep)
    policy = "import filter { if net.len = 25 then gw = 10.1.1.8; if net.len > 23 then reject; accept; }"

    def configure(igp, policy=policy):
        x.d.write(conf(x.port, igp, table=keep).replace("import all", policy))
        check("Reconfigur" in x.d.text("configure"), "configure")

    def ways(what=" filtered"):
        text = x.d.text("show route table master4" + what)
        found = re.findall(r"(48\S+) +(\S+) .*(?:\n\tvia (\S+) )?", text)
        return {net: via or dest for net, dest, via in found}

    nets = ["48.0.0.0/24", "48.0.1.0/25", "48.0.2.0/24", "48.0.4.0/23"]
    configure({"30.0.0.0/16": "via 10.1.1.2"})
    x.announce([(0, net, "30.0.0.1") for net in nets] + [(0, "48.0.6.0/24", "30.1.0.1")])

    def wait(via, far):
        want = {"48.0.0.0/24": via, "48.0.1.0/25": "10.1.1.8", "48.0.2.0/24": via, "48.0.6.0/24": far}
        wait_until(lambda: ways() == want, lambda: "%r, want %r" % (ways(), want))
        wait_until(lambda: ways("").get("48.0.4.0/23") == via, lambda: "the accepted route: %r" % ways(""))

    wait("10.1.1.2", "unreachable")
    configure({"30.0.0.0/16": "via 10.1.1.3", "30.1.0.0/16": "via 10.1.1.4"})
    wait("10.1.1.3", "10.1.1.4")
    configure({"30.1.0.0/16": "via 10.1.1.5"})
    wait("unreachable", "10.1.1.5")
    configure({"30.0.0.0/16": "via 10.2.1.3", "30.1.0.0/16": "via 10.1.1.5"})
    wait("10.2.1.3", "10.1.1.5")
    x.peers[0].withdraw(["48.0.2.0/24"])
    wait_until(lambda: "48.0.2.0/24" not in ways(), lambda: "%r" % ways())
    configure({"30.0.0.0/16": "via 10.2.1.3", "30.1.0.0/16": "via 10.1.1.5"}, policy.replace("> 23", "> 24"))
    want = {"48.0.0.0/24": "10.2.1.3", "48.0.4.0/23": "10.2.1.3", "48.0.6.0/24": "10.1.1.5"}
    if cls is Bird:  # which asks the peer
        x.announce([(0, "48.0.0.0/24", "30.0.0.1"), (0, "48.0.6.0/24", "30.1.0.1")])
    wait_until(lambda: ways("") == want, lambda: "%r" % ways(""))
    wait_until(lambda: list(ways()) == ["48.0.1.0/25"], lambda: "%r" % ways())
    if cls is Daemon:
        text = x.d.text("show protocols all p0")
        check("3 imported, 1 filtered" in text, text)
    x.d.stop()


def away(cls):
    """Routes of a peer that restarts follow what leads to their next hops, and still go if it doesn't bring them
    again."""
    if cls is Bird and not os.path.exists(BIRD):
        needs("bird2")
    ip(MACHINE)
    able = struct.pack("!BBHHBB", 64, 6, 120, 1, 1, 0x80)
    x = Both(cls, "one", {"30.0.0.0/16": "via 10.1.1.2"}, caps=able)
    nets = ["45.0.%d.0/24" % k for k in range(3)]

    def go(*ways):
        wait_until(
            lambda: [x.best().get(n, ["", "none"])[-1] for n in nets] == list(ways), lambda: "%r: %r" % (ways, x.best())
        )

    x.announce([(0, n, "30.0.0.1") for n in nets])
    go(*["via 10.1.1.2 on m0"] * 3)
    x.peers[0].s.close()
    wait_until(lambda: "Established" not in x.d.text("show protocols p0"), "the peer to be missed")
    x.configure({"30.0.0.0/16": "via 10.1.1.5"})
    go(*["via 10.1.1.5 on m0"] * 3)
    x.configure({"30.0.0.0/24": "via 10.1.1.6"})
    go(*["via 10.1.1.6 on m0"] * 3)
    x.peers[0].dial()
    x.peers[0].establish()
    x.announce([(0, nets[1], "30.0.0.1")])
    x.configure({"30.0.0.0/24": "via 10.2.1.7"})
    go(*["via 10.2.1.7 on d0"] * 3)
    x.peers[0].end_of_rib()
    go("none", "via 10.2.1.7 on d0", "none")
    x.d.stop()


def come_and_go():
    """Next hops that no route has any more are forgotten: however many there were, the next one is looked up."""
    ip(MACHINE)
    x = Both(Daemon, "ternd", {"30.0.0.0/8": "via 10.1.1.2"})
    x.announce([(0, "46.0.1.0/24", "30.9.9.9")])
    for k in range(6):
        x.announce([(0, "46.0.0.0/24", "30.%d.%d.%d" % (k, n >> 8, n & 255)) for n in range(2500)])
        wait_until(lambda: "30.%d.9.195" % k in x.d.text("show route all for 46.0.0.0"), "round %d" % k)
        check(x.best()["46.0.0.0/24"][1:] == ["via 10.1.1.2 on m0"], "round %d: %r" % (k, x.best()))
        spread(0.1)
    x.announce([(1, "47.%d.%d.0/24" % (n >> 8, n & 255), "30.77.%d.%d" % (n >> 8, n & 255)) for n in range(10100)])
    wait_until(lambda: "More than 10000 next hops" in x.d.whole_log(), lambda: "too many at once: " + x.d.whole_log())
    x.configure({"30.0.0.0/8": "via 10.1.1.5"})
    for net in "46.0.0.0/24", "46.0.1.0/24", "47.0.7.0/24":
        wait_until(lambda: x.best()[net][1:] == ["via 10.1.1.5 on m0"], lambda: "%s: %r" % (net, x.best()[net]))
    x.d.stop()


def nothing_to_look_in():
    """All routes of a table are to be looked up in it: none leads anywhere, and nobody watches it."""
    ip(MACHINE)
    x = Both(Daemon, "ternd", {}, table="")
    x.announce([(k, "44.0.0.0/24", "30.0.0.%d" % k) for k in range(PEERS)])
    wait_until(lambda: "unreachable" in x.best().get("44.0.0.0/24", [""]), lambda: "%r" % x.best())
    names = [t[0] if isinstance(t, (list, tuple)) else t for t in x.d.threads()]
    check(names.count("p0") <= 1, "threads: %r" % names)
    x.d.stop()


in_namespace()
link_case("routes as bird2 has them", as_bird)
link_case("what the kernel gets", in_kernel)
link_case("what is kept", kept)
link_case("refused routes", refused, Daemon)
link_case("refused routes, of bird2", refused, Bird)
link_case("a peer that is away", away, Daemon)
link_case("a peer that is away, of bird2", away, Bird)
link_case("next hops that come and go", come_and_go)
link_case("nothing to look them up in", nothing_to_look_in)
done()
