# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that lie over a common one (a table for each member, and a pipe): what members are told and what `show route`
says is what bird2 says, whose tables hold everything twice; the policy of a pipe changes in place."""

import json
import random

import mrt_read
from harness import *
from view import View, attributes

if KIND != "ternd":
    cannot_here("this is about ternd")
if not os.path.exists(BIRD):
    needs("bird2")

HEAD = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
roa4 table r4;
protocol static roas { roa4 { table r4; }; route 10.4.0.0/16 max 16 as 64999; }
template bgp any { local 127.0.10.1 port PORT as 65000; multihop; passive; rs client; strict bind on; OPTIONS
  error wait time 1, 1; connect delay time 1; }
"""
MEMBER = """
ipv4 table t%(n)d%(sorted)s;
protocol bgp m%(n)d from any { neighbor 127.0.11.%(n)d as %(as)d; ipv4 { table t%(n)d; import filter { %(in)s accept; \
}; export %(out)s; %(second)s }; }
protocol pipe p%(n)d { table master4; peer table t%(n)d; import where !((65000, 999) ~ bgp_community); export filter { \
%(policy)s accept; }; }
%(more)s
"""
KEEP = "if (0, %d) ~ bgp_community then reject;"
POLICIES = (
    KEEP,
    "",
    KEEP + " if bgp_path.len > 2 then reject;",
    KEEP + " if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject;",
    KEEP + " if net = 10.2.0.0/16 then reject;",
    KEEP + " if net ~ [10.1.0.0/16+] then bgp_community.add((65000, 7));",
    KEEP + " if bgp_path ~ [= 65003 * =] then preference = 200;",
    "reject;",
)


def indexed(text):
    """What bird2 doesn't have: indices of longest matches, over the common table and some of those over it."""
    return "ipv4 table master4 { longest match index; };\n" + re.sub(
        r"(ipv4 table t[13]( sorted)?);", r"\1 { longest match index; };", text
    )


class World:
    """Members, the same for both daemons."""

    def __init__(self, options=""):
        self.options = options
        self.member = {
            n: {
                "n": n,
                "as": 65000 + n,
                "in": "",
                "out": "all",
                "second": "",
                "sorted": "",
                "more": "",
                "policy": KEEP % n,
            }
            for n in (1, 2, 3)
        }
        self.sides = []
        for kind in Daemon, Bird:
            port = free_port()
            d = kind(self.text(port), kind.__name__).start() if kind is Bird else kind(indexed(self.text(port))).start()
            self.sides.append(
                (
                    d,
                    port,
                    {
                        n: View("m%d of %s" % (n, kind.__name__), member(port, n), False, kind is Daemon)
                        for n in self.member
                    },
                )
            )

    def text(self, port):
        return HEAD.replace("PORT", str(port)).replace("OPTIONS", self.options) + "".join(
            MEMBER % m for m in self.member.values()
        )

    def configure(self):
        for d, port, _ in self.sides:
            d.write(indexed(self.text(port)) if d is self.sides[0][0] else self.text(port))
            check(d.code("configure") in (3, 4), "configure")

    def say(self, n, nets, path=None, marks=(), med=None, hop=None):
        extra = attribute(0x80, 4, struct.pack("!I", med)) if med is not None else b""
        extra += attribute(0xC0, 8, b"".join(struct.pack("!HH", *m) for m in marks)) if marks else b""
        for _, _, views in self.sides:
            views[n].peer.update(nets, path, hop, extra)

    def withdraw(self, n, nets):
        for _, _, views in self.sides:
            views[n].peer.withdraw(nets)

    def held(self):
        found = []
        for _, _, views in self.sides:
            for v in views.values():
                v.drain()
            found.append(
                {
                    n: {net: [attributes(a) for a in routes] for net, routes in v.held().items()}
                    for n, v in views.items()
                }
            )
        return found

    def agree(self, what):
        """Nothing differs, and nothing comes any more."""

        def same():
            ours, theirs = self.held()
            return ours == theirs

        def differing():
            ours, theirs = self.held()
            return "%s: %r %s" % (
                what,
                {n: (ours[n], theirs[n]) for n in ours if ours[n] != theirs[n]},
                open(w.sides[0][0].dir + "/bird.log").read(),
            )

        # what came last is everywhere
        for d, _, _ in self.sides:
            d.run("show route count")
        settled(self.held, what, 0.05 * SLOW)
        wait_until(same, differing)

    def stop(self):
        for d, _, views in self.sides:
            for v in views.values():
                v.peer.cease()
            d.stop()

    def begin(self):
        self.say(1, ["10.1.0.0/16", "10.1.1.0/24", "10.9.0.0/16"])
        self.say(2, ["10.2.0.0/16", "10.1.0.0/16", "10.9.0.0/16"], [65002, 64999], [(0, 3)])
        self.say(
            3,
            ["10.3.0.0/16", "10.1.1.0/24", "10.2.0.0/16", "10.4.0.0/16", "10.9.0.0/16"],
            [65003, 64998, 64997],
            [(65003, 1)],
        )
        self.agree("at first")


COMMANDS = (
    [
        c.replace("TABLE", t)
        for t in ("t1", "t3", "master4")
        for c in (
            "show route table TABLE",
            "show route table TABLE all",
            "show route table TABLE count",
            "show route table TABLE primary",
            "show route 10.1.0.0/16 table TABLE all",
            "show route 10.1.1.0/24 table TABLE",
            "show route 10.7.0.0/16 table TABLE",
            "show route for 10.1.1.77 table TABLE",
            "show route for 10.1.2.77 table TABLE",
            "show route for 10.77.0.1 table TABLE",
            "show route in 10.1.0.0/16 table TABLE",
            "show route table TABLE where bgp_path.len > 1",
            "show route table TABLE protocol m2",
            "show route table TABLE protocol m1",
            "show route table TABLE where (65003, 1) ~ bgp_community count",
            "show route table TABLE filtered",
            "show route table TABLE protocol m3 count",
            "show route table TABLE where from = 127.0.11.2",
        )
    ]
    + [
        "show route table %s %s p%d%s" % (t, w, n, a)
        for n in (1, 3)
        for t in ("t%d" % n, "master4")
        for w in ("export", "noexport", "preexport")
        for a in ("", " all")
    ]
    + [
        "show route %s m%d%s" % (w, n, a)
        for w in ("export", "noexport", "preexport")
        for n in (1, 2, 3)
        for a in ("", " all")
    ]
    + ["show route count", "show route table all count", "show route protocol m2", "show route 10.9.0.0/16 table all"]
)


def text_of(d, command):
    """What is told of routes, without times. The best of a net comes first, the others in another order than
    bird2's."""
    nets, net = {}, "-"
    for line in d.text(command).splitlines():
        line = re.sub(r" \d\d:\d\d:\d\d\.\d+", "", line)
        if line.startswith("Table "):
            net = line
        elif line[:1].isdigit() and "/" in line.split()[0]:
            net = line.split()[0]
            line = line[len(net) :].strip()
        nets.setdefault(net, []).append(line.strip())
    # tern has the heading of a table that was asked for by name
    return {k: (v[0] if " * " in v[0] else None, sorted(v)) for k, v in nets.items() if not k.startswith("Table")}


def dump_of(d, table):
    """{net: its routes}, the best first, then by what they are."""
    path = os.path.join(d.dir, table + ".mrt")
    equal(d.code('mrt dump table %s to "%s"' % (table, path)), 0, "a dump")
    wait_until(lambda: os.path.exists(path), "the dump of " + table)  # bird2 answers before

    def whole():
        try:
            return mrt_read.read(path)[1]
        except mrt_read.Bad:
            return None

    dump = wait_until(whole, "the whole dump of " + table)
    found = {
        net: [
            (
                str(dump.peers[e.peer][1]),
                {k: v[1] for k, v in e.attrs.items() if k != 8},
                sorted(e.attrs.get(8, (0, b""))[1][i : i + 4] for i in range(0, len(e.attrs.get(8, (0, b""))[1]), 4)),
            )
            for e in entries
        ]
        for net, entries in dump.ribs.items()
    }
    os.unlink(path)
    return {net: (routes[0], sorted(routes, key=str)) for net, routes in found.items()}


def show_all(w, what):
    for command in COMMANDS:
        ours, theirs = (text_of(d, command) for d, _, _ in w.sides)
        equal(ours, theirs, "%s: %s" % (what, command))


def shows():
    w = World()
    w.begin()
    show_all(w, "three members")
    for table in "t1", "t3", "master4":
        ours, theirs = (dump_of(d, table) for d, _, _ in w.sides)
        equal(ours, theirs, "what is dumped of " + table)
        check(len(ours) > 4, "nets: %r" % ours)
    d = w.sides[0][0]
    rows = [json.loads(line) for line in d.text("json show route table t1").splitlines() if line.startswith("{")]
    equal(len([r for r in rows if "network" in r]), d.text("show route table t1").count(" from "), "routes in JSON")
    for net, said in (
        ("10.2.0.0/16", r"to m1\.ipv4, m2 path \d+: goes"),
        ("10.9.0.0/16", r"m2 path \d+: not sent, the best route is the receiver's own"),
    ):
        check(re.search(said, d.text("show route why %s to m1" % net)), d.text("show route why %s to m1" % net))
    check(
        "p3" not in d.text("show route why 10.2.0.0/16 to m3")
        and re.search(
            r"to m3.ipv4, m2 path \d+: refused by the pipe.*rs.conf", d.text("show route why 10.2.0.0/16 to m3")
        ),
        d.text("show route why 10.2.0.0/16 to m3"),
    )
    for k, policy in enumerate(POLICIES):
        for m in w.member.values():
            m["policy"] = policy % m["n"] if "%" in policy else policy
        w.configure()
        w.agree("policy %d" % k)
        show_all(w, "policy %d: %s" % (k, policy))
    for m in w.member.values():
        m["policy"] = KEEP % m["n"]
        m["second"], m["sorted"] = "secondary on;", " sorted"
    w.stop()


def refused_routes():
    """A refused route of a member represents its net only if the others have no route of the net."""
    w = World("ipv4 { import keep filtered on; };")
    w.member[1]["in"] = "if net ~ [10.2.0.0/16, 10.8.0.0/16] then reject;"
    w.configure()
    w.begin()
    w.say(1, ["10.2.0.0/16", "10.8.0.0/16"])
    w.agree("two refused routes")
    for a in "filtered", "filtered all", "filtered primary", "filtered count":
        ours, theirs = (text_of(d, "show route table t1 " + a) for d, _, _ in w.sides)
        equal(ours, theirs, "show route table t1 " + a)
    text = w.sides[0][0].text("show route table t1 filtered")
    equal([" * " in line for line in text.splitlines() if "m1" in line], [False, True], text)
    w.stop()


def own_routes():
    """A member's own route, also one that the pipe keeps from the others: what it is told meanwhile."""
    w = World()
    w.begin()
    for how in ("", "in", "second", "mixed"):
        if how == "in":
            for m in w.member.values():
                m["in"] = "preference = 90 + %d * 5;" % m["n"]
        elif how == "second":
            for m in w.member.values():
                m["in"] = ""
        elif how == "mixed":
            for m in w.member.values():
                m["policy"] = KEEP % m["n"] + " bgp_community.add((65000, 8));"
        w.configure()
        w.agree("set-up '%s'" % how)
        nets = ["10.2.0.0/16", "10.3.0.0/16", "10.50.0.0/16", "10.9.0.0/16"]
        w.say(1, nets, marks=[(65000, 999)])
        w.agree("refused by the pipe (%s)" % how)
        show_all(w, "refused by the pipe (%s)" % how)
        w.say(2, ["10.50.0.0/16"])
        w.agree("one of them by another member, too (%s)" % how)
        w.say(1, nets, [65001, 64990, 64991, 64992, 64993], [(65000, 999)])
        w.agree("refused, and a long way (%s)" % how)
        w.say(1, nets, [65001, 64990, 64991, 64992, 64993])
        w.agree("a long way (%s)" % how)
        w.say(1, nets)
        w.agree("a short way (%s)" % how)
        w.withdraw(1, nets)
        w.withdraw(2, ["10.50.0.0/16"])
        w.say(1, ["10.9.0.0/16"])
        w.agree("gone (%s)" % how)
    w.stop()


def policies():
    """One policy after the other, a pipe that goes and comes, while routes change: no session ends."""
    w = World("deterministic med on;")
    w.begin()
    rng = random.Random(int(os.environ.get("TERN_SEED", "1")))
    for step in range(3000 if SOAK else size(60, 25)):
        n, deed = rng.choice((1, 2, 3)), rng.randrange(5)
        m = w.member[n]
        if deed < 2:
            policy = rng.choice(POLICIES)
            m["policy"] = policy % n if "%" in policy else policy
            w.configure()
        elif deed == 2:
            for command in rng.choice(
                (("disable p%d", "enable p%d"), ("restart p%d",), ("reload p%d",), ("disable p%d",), ("enable p%d",))
            ):
                for d, _, _ in w.sides:
                    d.run(command % n)
        else:
            nets = ["10.%d.0.0/16" % rng.randrange(1, 12) for _ in range(3)]
            if rng.random() < 0.4:
                w.withdraw(n, nets)
            else:
                w.say(
                    n,
                    nets,
                    [65000 + n] + [64990 + k for k in range(rng.randrange(4))],
                    rng.sample([(0, 1), (0, 2), (0, 3), (65000, 999), (65003, 1)], rng.randrange(3)),
                    rng.choice((None, None, 0, 10, 20)),
                )
        w.agree("seed %s, step %d" % (os.environ.get("TERN_SEED", "1"), step))
        if step % 10 == 9:
            for d, _, _ in w.sides:
                for k in w.member:
                    d.run("enable p%d" % k)
            w.agree("step %d, all pipes" % step)
            show_all(w, "step %d" % step)
    w.stop()


def softly():
    """A policy that is changed softly, then a reload, the pipe's end, another policy: members hold what bird2's do."""
    w = World()
    w.begin()
    command = lambda text: [d.run(text) for d, _, _ in w.sides]

    def soft(policy):
        for m in w.member.values():
            m["policy"] = policy
        for d, port, _ in w.sides:
            d.write(w.text(port))
            check(d.code("configure soft") in (3, 4), "configure soft")
        settled(w.held, "a soft change", 0.05)

    refuse = "if net ~ [10.1.0.0/16+, 10.3.0.0/16] then reject;"
    for then in (
        lambda: command("reload p1") + command("reload p2") + command("reload p3"),
        lambda: command('disable "p*"'),
        lambda: command('restart "p*"'),
    ):
        soft(refuse)
        ours, _ = w.held()
        check(nlri("10.3.0.0/16") in ours[1], "a soft change withdraws nothing: %r" % ours[1])
        then()
        w.agree("after a soft change")
        command('enable "p*"')
        w.agree("all pipes")
        for m in w.member.values():
            m["policy"] = KEEP % m["n"]
        w.configure()
        w.agree("another policy")
    soft(refuse)
    for m in w.member.values():
        m["policy"] = refuse + " if bgp_path.len > 50 then reject;"
    w.configure()
    w.agree("one that refuses the same")
    d = w.sides[0][0]
    said = {
        r["name"]: r
        for r in map(json.loads, (x for x in d.text("json show protocols all p1").splitlines() if x.startswith("{")))
        if "name" in r
    }
    routes = re.search(r"Routes: +(\d+) imported, (\d+) exported", d.text("show protocols all p1"))
    check(
        '"exported":%s' % routes.group(2) in json.dumps(said).replace(" ", "") and int(routes.group(2)) > 0,
        "%r %r" % (routes.groups(), said),
    )
    equal(d.text("show route stale table t1").count(" from "), 0, "stale routes")
    w.stop()


def soft_preference():
    """A soft change after which a route behind the best of the common table is before it for a member."""
    w = World()
    for m in w.member.values():
        m["policy"] = ""
    w.configure()
    w.say(1, ["10.1.0.0/16"], [65001])
    w.agree("one route")
    for m in w.member.values():
        m["policy"] = "if bgp_path ~ [= 65003 * =] then preference = 200;"
    for d, port, _ in w.sides:
        d.write(w.text(port))
        check(d.code("configure soft") in (3, 4), "configure soft")
    settled(w.held, "a soft change", 0.1 * SLOW)
    w.say(3, ["10.1.0.0/16"], [65003, 64000, 64001])
    w.agree("one that the policy prefers")
    w.stop()


def sources():
    """The best of the common table changes its source and nothing else: what a member's own route is before or
    behind."""
    w = World()
    net, own = ["10.1.0.0/16"], [(65000, 999)]
    w.say(3, net, [65001], hop="127.0.11.9")
    w.agree("one")
    w.say(2, net, marks=own)
    w.agree("an own route before it")
    equal(len(w.held()[0][2]), 0, "routes at m2")
    w.say(1, net, [65001], hop="127.0.11.9")
    w.agree("the same from a member whose route is before the own one")
    equal(len(w.held()[0][2]), 1, "routes at m2")
    w.withdraw(1, net)
    w.agree("that one has gone")
    w.stop()


def by_med():
    """The own route takes the best of the common table out by its MED, and is behind another one itself."""
    for default in 0, 5:
        w = World("deterministic med on; default bgp_med %d;" % default)
        net = ["10.1.0.0/16"]
        w.say(3, net, [65003], [(65000, 999)], None if default else 0)
        w.say(2, net, [65002], med=0)
        w.agree("own, and one before it")
        for med in (10, 0, 20, 5):
            w.say(1, net, [65003], med=med)
            w.agree("one of the own one's AS with MED %d, %d by default" % (med, default))
        w.withdraw(2, net)
        w.agree("the one before it has gone")
        w.say(3, net, [65003], [(65000, 999)], 30)
        w.agree("another MED")
        w.withdraw(3, net)
        w.agree("no own route")
        net = ["10.2.0.0/16"]
        w.say(1, net, [65003], [(65000, 999)], 10)
        w.say(2, net, [65002], med=0)
        w.agree("own, before another one")
        for med in (15, 7, 12, 6):
            w.say(3, net, [65003], med=med)
            w.agree("behind the best of the common table one of the own one's AS, with MED %d" % med)
        w.withdraw(3, net)
        w.agree("that has gone")
        w.stop()


HELD_BACK = """
router id 10.0.0.1;
log "RUN/bird.log" all;
roa4 table r4 { rpki wait 3 s; };
ipv4 table t3;
protocol device {}
template bgp any { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; }
protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; ipv4 { table t3; import none; export all; rpki reload \
%(reload)s; }; }
protocol bgp m4 from any { neighbor 127.0.11.4 as 65004; ipv4 { import all; export none; }; }
protocol pipe p { disabled; table master4; peer table t3; import none; export where roa_check(r4) != ROA_INVALID; }
"""


def held_back():
    """A pipe that comes while the table of ROAs that it asks isn't ready: its routes wait, and then they go."""
    for reload in "off", "on":
        port = free_port()
        d = Daemon(HELD_BACK % dict(port=port, reload=reload)).start()
        m3, m4 = member(port, 3), member(port, 4)
        m4.update(["10.4.0.0/16"])
        equal(m3.wait_for(UPDATE), bytes(4), "End-of-RIB of m3")
        wait_until(lambda: "10.4.0.0/16" in d.text("show route table master4"), "the route")
        d.run("enable p")
        wait_until(lambda: "Waiting" not in d.text("show status"), "the end of the wait", 20)
        while nlri("10.4.0.0/16") not in m3.wait_for(UPDATE):
            pass
        d.stop()


RESTARTED = """
router id 10.0.0.1;
log "RUN/bird.log" all;
graceful restart wait 2;
ipv4 table t1;
protocol device {}
template bgp any { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; graceful restart on; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; ipv4 { table t1; import all; export all; }; }
protocol pipe p1 { table master4; peer table t1; import none; export all; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; ipv4 { import all; export none; }; }
protocol bgp away from any { neighbor 127.0.11.3 as 65003; ipv4 { import all; export none; }; }
"""


def restarted():
    """Own routes, which the common table never has, that change while a restarted daemon holds its routes back, and
    when it doesn't any more."""
    port = free_port()
    d = Daemon(RESTARTED % dict(port=port)).start("-R")
    m1, m2 = View("m1", member(port, 1), False, True), member(port, 2)
    m2.update(["10.1.0.0/16", "10.2.0.0/16"], [65002, 65009, 65009])
    wait_until(lambda: "10.2.0.0/16" in d.text("show route table master4"), "the routes of m2")
    m1.peer.update(["10.1.0.0/16"])
    wait_until(lambda: "10.1.0.0/16" in d.text("show route table t1 protocol m1"), "the route of m1")

    def told(nets):
        m1.drain()
        return sorted(m1.held()) == [nlri(net) for net in nets]

    wait_until(lambda: told(["10.2.0.0/16"]), lambda: "after the wait: %s" % m1.held())
    m1.peer.update(["10.2.0.0/16"])
    wait_until(lambda: told([]), lambda: "its own route is the best: %s" % m1.held())
    m1.peer.withdraw(["10.1.0.0/16", "10.2.0.0/16"])
    wait_until(lambda: told(["10.1.0.0/16", "10.2.0.0/16"]), lambda: "no own route: %s" % m1.held())
    d.stop()


def told_once():
    """A change is told by itself, also when many routes have passed: nothing else is said again."""
    w = World()
    d, _, views = w.sides[0]
    nets = ["%d.%d.%d.0/24" % (20 + k // 65536, k // 256 % 256, k % 256) for k in range(size(20000, 5000))]
    for k in range(0, len(nets), 500):
        views[1].peer.update(nets[k : k + 500], [65001, 64000 + k // 500])
    views[2].peer.update(nets[:1000], [65002])

    def holding(n):
        views[n].drain()
        return len(views[n].held())

    wait_until(
        lambda: holding(3) == len(nets) and holding(2) == len(nets) - 1000,
        lambda: "all routes: %d %d" % (holding(3), holding(2)),
    )
    wait_until(lambda: (views[1].drain(), set(views[1].held()))[1] == {nlri(n) for n in nets[:1000]}, "what m1 gets")
    by_m2 = b"\2\1" + struct.pack("!I", 65002)

    def replaced():
        views[3].drain()
        held = views[3].held()
        return all(by_m2 in held[nlri(n)][0] for n in nets[:1000])

    wait_until(replaced, "routes of m2 at m3")
    for v in views.values():
        v.told.clear()
    for k in range(50):
        views[1].peer.update(["10.1.0.0/16"], [65001] + [64000] * (k % 5))
        spread(0.005)
    wait_until(lambda: (views[3].drain(), views[3].held().get(nlri("10.1.0.0/16")))[1] is not None, "the last route")
    settled(lambda: [(v.drain(), len(v.told)) for v in views.values()], "what members are told", 0.1)
    for n, v in views.items():
        check(
            len(v.told) <= 50 and set(v.told) <= {nlri("10.1.0.0/16")},
            "m%d is told %d times, of %d nets" % (n, len(v.told), len(set(v.told))),
        )
    w.stop()


def said():
    """A table that is filled another way is said before, and is filled under a session that stays."""
    w = World()
    w.begin()
    d, port, views = w.sides[0]
    w.member[2]["more"] = "protocol static s2 { ipv4 { table t2; }; route 10.60.0.0/16 blackhole; }"
    d.write(w.text(port))
    plan = d.text("configure check")
    check(
        "protocol m2: changed: ipv4 source of the table" in plan and "0 sessions will close" in plan,
        "the plan: %s" % plan,
    )
    check("protocol m1" not in plan and "protocol m3" not in plan, "the plan: %s" % plan)
    check(d.code("configure") in (3, 4), "configure")
    wait_until(
        lambda: "10.60.0.0/16" in d.text("show route table t2") and "10.60.0.0/16" in d.text("show route"),
        "the static route",
    )
    views[2].peer.update(["10.2.0.0/16", "10.1.0.0/16"])
    wait_until(lambda: "m2" in d.text("show route 10.2.0.0/16 table t1"), "its routes at another member")
    wait_until(
        lambda: (views[2].drain(), views[2].held())[1].keys() >= {nlri("10.3.0.0/16"), nlri("10.60.0.0/16")},
        "what it is told",
    )
    w.stop()


def walked():
    """The pipe goes while the table is walked: the walk has what was there when it began, each net once."""
    cnt, own = size(20000, 5000), {"10.0.0.0/24", "10.0.1.0/24", "11.0.0.0/24"}
    nets = {"10.%d.%d.0/24" % (i // 256, i % 256) for i in range(cnt)}
    port = free_port()
    slow = " ".join("if %d ~ some then s = s + 1;" % (i % 12) for i in range(900))
    d = Daemon(
        HEAD.replace("PORT", str(port)).replace("OPTIONS", "")
        + """
ipv4 table t1;
protocol static many { ipv4; %s }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; ipv4 { table t1; import all; export all; }; }
protocol pipe p1 { table master4; peer table t1; import all; export all; }
function slow() int set some; int s; { some = [ 1..9 ]; s = net.len; %s return s > 0; }
"""
        % ("".join("route %s blackhole;" % n for n in sorted(nets)), slow)
    ).start()
    m = member(port, 1)
    m.update(sorted(own))

    def has(routes):
        wait_until(
            lambda: d.text("show route count table t1").startswith("%d of" % routes),
            lambda: d.text("show route count table t1"),
        )

    def pipe(command, routes):
        d.run(command + " p1")
        has(routes)

    has(cnt + 3)
    c = Cli(d.ctl)
    c.send(b"show route table t1\n")
    c.wait_full()
    pipe("disable", 3)
    rows = [t.split()[0] for code, t in c.reply() if code == 1007 and t[:1] not in ("", " ", "\t")]
    equal(
        (len([r for r in rows if "/" in r]), set(r for r in rows if "/" in r)),
        (cnt + 1, nets | own),
        "show route while the pipe goes",
    )
    pipe("enable", cnt + 3)
    path = d.dir + "/t1.mrt"
    c.send(('mrt dump table t1 to "%s" where slow()\n' % path).encode())
    stays(lambda: not os.path.exists(path), "the dump was over too soon", 0.2 * SLOW)
    pipe("disable", 3)
    check(not os.path.exists(path), "the pipe went too late")
    equal(c.reply(120)[-1][0], 0, "the dump")
    c.close()
    with open(path, "rb") as f:
        seen = records(f.read())
    equal((len(seen), set(seen)), (cnt + 1, nets | own), "a dump while the pipe goes")
    d.stop()


def records(data):
    """The nets of a file, IPv4, one for each record."""
    found, at = [], 0
    while at < len(data):
        kind, size = struct.unpack("!xxxxHxxI", data[at : at + 12])
        (sub,) = struct.unpack("!H", data[at + 6 : at + 8])
        if (kind, sub) == (13, 2):
            n = data[at + 16]
            found.append("%s/%d" % (socket.inet_ntoa(data[at + 17 : at + 17 + (n + 7) // 8].ljust(4, b"\0")), n))
        at += 12 + size
    return found


def counts():
    """Counters of channels are those of bird2, whose tables hold everything twice."""
    w, first = World(), []

    def of(d, n):
        text = d.text("show protocols all m%d" % n)
        sent = re.search(r"Export updates: +(\d+) +(\d+) +(\d+) +--- +(\d+)", text)
        return (int(re.search(r"(\d+) preferred", text).group(1)),) + tuple(int(x) for x in sent.groups())

    def since():
        """Preferred; received, rejected, filtered and accepted since the beginning."""
        return [
            {n: [v - (f[n][k] if k else 0) for k, v in enumerate(of(d, n))] for n in f}
            for f, (d, _, _) in zip(first, w.sides)
        ]

    w.say(1, ["10.1.0.0/16", "10.2.0.0/16"])
    w.agree("one member")
    # A worker publishes its counters after the turn that sent the routes.
    # bird2 may send both routes twice.
    wait_until(
        lambda: all(of(d, n)[-1] >= (0 if n == 1 else 2) for d, _, _ in w.sides for n in w.member),
        lambda: "both routes are counted: %r" % [of(d, n) for d, _, _ in w.sides for n in w.member],
    )
    first = settled(lambda: [{n: of(d, n) for n in w.member} for d, _, _ in w.sides], "counters", 0.1)
    for n, nets, more in (
        (2, ["10.1.0.0/16", "10.3.0.0/16"], ([65002, 64999],)),
        (3, ["10.3.0.0/16", "10.4.0.0/16"], ()),
        (1, ["10.5.0.0/16"], ([65001, 64999], [(65000, 999)])),
        (2, ["10.5.0.0/16"], ([65002, 64999, 64998],)),
    ):
        w.say(n, nets, *more)
        w.agree("%d says %r" % (n, nets))
        wait_until(lambda: since()[0] == since()[1], lambda: "%d says %r: %r" % (n, nets, since()))
    d = w.sides[0][0]
    equal(
        (since()[0][2][0], re.findall(r'"preferred":(\d+)', d.text("json show protocols all m2"))),
        (1, ["1"]),
        "in JSON",
    )
    check("m2 " in d.text("show protocols where preferred = 1"), "it isn't chosen by its count")
    w.stop()


case("what is shown", shows)
case("refused routes", refused_routes)
case("counters", counts)
case("own routes", own_routes)
case("policies", policies)
case("softly", softly)
case("a soft change of preference", soft_preference)
case("another source", sources)
case("own routes and MED", by_med)
case("routes that are held back", held_back)
case("after a restart", restarted)
case("what is told", told_once)
case("another way", said)
case("while it is walked", walked)
done()
