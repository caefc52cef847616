# SPDX-License-Identifier: GPL-3.0-or-later
"""A route server whose members take its routes in different ways - the best of each prefix, the first that they may
have (`secondary`), all (add-path, RFC 7911) - and give one or several. bird2 and ternd get the same changes and the
same configurations: members come, go, restart, take their routes in another way, filters change, and ROAs. After each
round every member holds the same routes of both, with their attributes, path identifiers apart. So it is in each of the
four set-ups of a route server: one table or one for each member, with import and export tables or without.

What is told needlessly is counted: a changed filter that decides as before sends nothing, and one that changes
something sends that alone."""

import harness
from harness import *
from view import View, attributes

import examples
import namespace

if KIND != "ternd":
    cannot_here("this is about ternd")
SERVER = "100.127.255.254"
NUMBERS = range(1, 9)
NETS = ["10.1.%d.0/24" % i for i in range(24)]
ROUNDS = int(os.environ.get("TERN_ROUNDS", "100" if SOAK else "9"))

HEAD = """
router id 100.127.255.254;
log "RUN/bird.log" all;
protocol device {}
ipv4 table master4 sorted;
roa4 table r4;
protocol static roas { roa4 { table r4; };%(roas)s }
template bgp any { local %(server)s port %(port)d as 65000; direct; passive; rs client; allow as sets;
  error wait time 1, 1; connect delay time 1; }
"""
MEMBER = """
protocol bgp m%(n)d from any { neighbor 100.64.0.%(n)d as %(as)d;
  ipv4 { %(tables)s import filter { %(in)s accept; }; export filter { %(goes)s %(out)s accept; }; secondary \
%(second)s; %(paths)s }; }
"""
GOES = "if (0, %(n)d) ~ bgp_community then reject; if (8, %(version)d) ~ bgp_community then reject;"
# A table of its own. Its filter about others' routes is on the pipe, and so may the other one be.
PIPE = """
ipv4 table t%(n)d sorted;
protocol pipe p%(n)d { table t%(n)d; peer table master4; import filter { %(goes)s %(out)s accept; }; export all; }
"""
# What several filters have in common is how they decide: they differ in text alone.
OUT = [
    ["", "if bgp_path.len > 60 then reject;"],
    ["if bgp_path.len > 3 then reject;", "if bgp_path.len >= 4 then reject;"],
    [
        "if net.len = 24 && bgp_path.len = 2 then bgp_community.add((7, 7));",
        "if bgp_path.len = 2 then { if net ~ [10.1.0.0/16+] then bgp_community.add((7, 7)); }",
    ],
    [
        "if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject;",
        "if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; if bgp_path.len > 60 then reject;",
    ],
]
IN = ["", "if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject;", "if net = 10.1.3.0/24 then reject;"]
PATHS = ["off", "off", "tx", "rx", "on"]
GIVES, TAKES = ("rx", "on"), ("tx", "on")


class Setup:
    """What the configuration says of all members. @imex: None: import tables, and an export table for some."""

    def __init__(self, multi=False, imex=None):
        self.multi, self.imex = multi, imex

    def tables(self, kept, kind):
        """@kept: the member is one of those. bird2 doesn't ask filters again when ROAs change unless it has both."""
        bird = kind == "bird2"
        return "import table; " * (bird or self.imex is not False) + "export table;" * (
            bird or self.imex is True or (kept and self.imex is None)
        )


SETUPS = {
    "single": Setup(imex=False),
    "imex": Setup(imex=True),
    "multi": Setup(True, False),
    "mulimex": Setup(True, True),
}


class Setting:
    """What the configuration says of a member."""

    def __init__(self, rng):
        self.paths, self.second, self.kept = rng.choice(PATHS), rng.random() < 0.5, rng.random() < 0.3
        self.out, self.words, self.into = rng.randrange(len(OUT)), 0, rng.randrange(len(IN))
        self.version = 0  # of the export filter: routes with (8, version) are refused
        self.on_pipe = rng.random() < 0.5

    def text(self, n, kind, setup):
        goes, out, tables = (
            GOES % {"n": n, "version": self.version},
            OUT[self.out][self.words],
            setup.tables(self.kept, kind),
        )
        pipe = ""
        if setup.multi:
            pipe = PIPE % {"n": n, "goes": goes, "out": out if self.on_pipe else ""}
            goes, out, tables = "", "" if self.on_pipe else out, "table t%d; %s" % (n, tables)
        return pipe + MEMBER % {
            "n": n,
            "as": 65000 + n,
            "tables": tables,
            "goes": goes,
            "in": IN[self.into],
            "out": out,
            "second": "on" if self.second else "off",
            "paths": "add paths %s;" % self.paths,
        }


class Side:
    """One of the two daemons, with its members."""

    def __init__(self, kind, world):
        harness.KIND = self.kind = kind
        self.port = free_port()
        self.daemon = Daemon(world.conf(self.port, kind)).start()
        self.view = {}

    def join(self, n, setting):
        peer = Peer(self.port, "100.64.0.%d" % n, 65000 + n, server=SERVER, caps=struct.pack("!BBHBB", 69, 4, 1, 1, 3))
        self.view[n] = View(
            "m%d of %s" % (n, self.kind), peer.establish(), setting.paths in TAKES, self.kind == "ternd"
        )

    def drain(self, world):
        for n, v in self.view.items():
            v.drain()
            if v.refreshes:  # it has no import table
                v.refreshes = 0
                world.say_again(self, n)


class World:
    def __init__(self, kinds, rng, numbers, setup=Setup()):
        self.rng, self.setup = rng, setup
        self.roas = set()
        self.setting = {n: Setting(rng) for n in numbers}
        self.said = {}  # (member, identifier, net) -> (path, communities)
        self.step = 0
        self.sides = [Side(kind, self) for kind in kinds]
        self.up = set()
        for n in numbers:
            self.join(n)

    def conf(self, port, kind):
        roas = "".join(" route %s max 24 as %d;" % r for r in sorted(self.roas))
        return HEAD % {"roas": roas, "server": SERVER, "port": port} + "".join(
            s.text(n, kind, self.setup) for n, s in sorted(self.setting.items())
        )

    def configure(self):
        for s in self.sides:
            s.daemon.write(self.conf(s.port, s.kind))
            check(s.daemon.code("configure") in (3, 4), "configure")

    def join(self, n):
        for s in self.sides:
            s.join(n, self.setting[n])
        self.up.add(n)

    def leave(self, n):
        for s in self.sides:
            s.view.pop(n).peer.cease()
        self.up.discard(n)
        self.said = {k: v for k, v in self.said.items() if k[0] != n}

    def name(self, n, ident, net):
        return (ident, net) if self.setting[n].paths in GIVES else net

    def say(self, s, n, ident, nets, path, communities):
        extra = attribute(0xC0, 8, b"".join(struct.pack("!HH", *c) for c in communities)) if communities else b""
        s.view[n].peer.update([self.name(n, ident, net) for net in nets], path, extra=extra)

    def give(self, n, ident, nets, path, communities=()):
        for s in self.sides:
            self.say(s, n, ident, nets, path, communities)
        for net in nets:
            self.said[n, ident, net] = path, communities

    def say_again(self, s, n):
        for (k, ident, net), (path, communities) in self.said.items():
            if k == n:
                self.say(s, n, ident, [net], path, communities)

    def change(self):
        rng = self.rng
        n = rng.choice(sorted(self.up))
        several = self.setting[n].paths in GIVES
        ident = rng.randrange(4) if several else 0
        nets = rng.sample(NETS, rng.randrange(1, 6))
        if rng.random() < 0.3:
            for s in self.sides:
                s.view[n].peer.withdraw([self.name(n, ident, net) for net in nets])
            for net in nets:
                self.said.pop((n, ident, net), None)
            return
        # Routes of one member aren't equal: bird would take the older one for the best.
        length = ident if several else rng.randrange(4)
        path = [65000 + n] + [rng.randrange(65101, 65104) for _ in range(length)]
        self.give(n, ident, nets, path, [(0, k) for k in NUMBERS if rng.random() < 0.2] + [(3, rng.randrange(3))])

    def mark(self):
        """A prefix of each member that all others are told, whatever their filters: what was said before has come."""
        self.step += 1
        for n in self.up:
            self.give(n, 0, ["10.2.%d.0/24" % n], [65000 + n], [(9, self.step)])

    def marked(self, s):
        mark = struct.pack("!HH", 9, self.step)
        return all(
            any(mark in attrs for attrs in s.view[n].held().get(nlri("10.2.%d.0/24" % k), ()))
            for n in self.up
            for k in self.up
            if k != n
        )

    def held(self, s, n):
        return {net: sorted(sorted(attributes(a).items()) for a in routes) for net, routes in s.view[n].held().items()}

    def agree(self, what):
        self.mark()

        def same():
            for s in self.sides:
                s.drain(self)
            return all(self.marked(s) for s in self.sides) and all(
                self.held(self.sides[0], n) == self.held(s, n) for s in self.sides[1:] for n in self.up
            )

        wait_until(same, lambda: "%s: %s" % (what, self.differences()), 30)
        for n, v in self.sides[-1].view.items():
            for net, routes in v.held().items():
                check(len(set(routes)) == len(routes), "%s: a route of %s has two identifiers" % (v.who, net.hex()))

    def differences(self):
        found = [str({s.kind: self.marked(s) for s in self.sides})]
        for n in sorted(self.up):
            a, b = (self.held(s, n) for s in (self.sides[0], self.sides[-1]))
            found += [
                "m%d (%s), %s: %s | %s" % (n, vars(self.setting[n]), net.hex(), a.get(net), b.get(net))
                for net in sorted(set(a) | set(b))
                if a.get(net) != b.get(net)
            ]
        return "\n".join(found[:6])

    # ---- what an operator does ----

    def out_and_in(self):
        absent = [n for n in NUMBERS if n not in self.setting]
        if absent and (len(self.setting) < 4 or self.rng.random() < 0.5):
            n = self.rng.choice(absent)
            self.setting[n] = Setting(self.rng)
            self.configure()
            self.join(n)
        else:
            n = self.rng.choice(sorted(self.setting))
            self.leave(n)
            del self.setting[n]
            self.configure()

    def other_way(self):
        """Another `add paths` or `secondary`: the session restarts."""
        n = self.rng.choice(sorted(self.setting))
        self.leave(n)
        into, out = self.setting[n].into, self.setting[n].out
        self.setting[n] = Setting(self.rng)
        self.setting[n].into, self.setting[n].out = into, out
        self.configure()
        self.join(n)

    def filters(self):
        for n in self.rng.sample(sorted(self.setting), 2):
            self.setting[n].out = self.rng.randrange(len(OUT))
            self.setting[n].into = self.rng.randrange(len(IN))
        self.configure()

    def change_roas(self):
        changed = {(net, self.rng.choice([65101, 65102, 65103, 65001, 65002])) for net in self.rng.sample(NETS, 6)}
        self.roas ^= changed
        self.configure()
        for s in self.sides:
            if s.kind == "ternd" and self.setup.imex is False:
                self.ask_again(s, changed)

    def ask_again(self, s, roas):
        """tern asks members for their routes again once a minute, however often ROAs change (test_roa); the operator
        needn't wait for it. @roas: those that have changed."""

        def in_use():
            return all(
                ("ROA_VALID" in s.daemon.text("eval roa_check(r4, %s, %d)" % r)) == (r in self.roas) for r in roas
            )

        wait_until(in_use, "the new ROAs")
        for n in self.up:
            if self.setting[n].into == 1:
                s.daemon.run("reload in m%d" % n)

    def restart(self):
        n = self.rng.choice(sorted(self.up))
        self.leave(n)
        self.join(n)

    def pipe(self):
        """Its filters go to the session, or come from there; or it begins anew."""
        n = self.rng.choice(sorted(self.setting))
        if self.rng.random() < 0.5:
            self.setting[n].on_pipe = not self.setting[n].on_pipe
            self.configure()
        else:
            for s in self.sides:
                s.daemon.run("%s p%d" % (self.rng.choice(("restart", "reload")), n))

    def refresh(self):
        n = self.rng.choice(sorted(self.up))
        for s in self.sides:
            s.view[n].peer.send(message(REFRESH, b"\0\1\0\1"))

    def stop(self):
        for s in self.sides:
            for v in s.view.values():
                v.peer.cease()
            harness.KIND = s.kind
            s.daemon.stop()
        harness.KIND = "ternd"


def beside_bird(setup):
    if not os.access(BIRD, os.X_OK):
        needs("bird2")
    w = World(["bird2", "ternd"], random.Random(SEED), range(1, 7), setup)
    deeds = [w.filters, w.change_roas, w.other_way, w.out_and_in, w.restart, w.refresh] + [w.pipe] * setup.multi
    for i in range(ROUNDS):
        deed = deeds[i % len(deeds)]
        for _ in range(w.rng.choice((1, 10, 60))):
            w.change()
        deed()
        for _ in range(w.rng.choice((0, 5))):
            w.change()
        w.agree("round %d, %s" % (i, deed.__name__))
    spread(2)  # what bird puts off
    w.agree("at the end")
    w.stop()


def full(setup=Setup()):
    """A ternd whose members take routes in all ways, with many routes."""
    w, numbers = World(["ternd"], random.Random(SEED), (), setup), range(1, 7)
    for n in numbers:
        s = w.setting[n] = Setting(w.rng)
        s.paths, s.second, s.kept, s.out, s.into = ("off", "tx", "on")[n % 3], n > 3, n % 2 == 0, n % len(OUT), 0
    w.roas = {(net, 65101) for net in NETS[:8]}
    w.configure()
    for n in numbers:
        w.join(n)
    for _ in range(300):
        w.change()
    w.agree("at first")
    return w


def wait_held(w, is_so, what):
    """Until it is so of what the members hold. A mark doesn't show that a new filter is in use: it is a new route, and
    each member's worker goes over the old ones when it gets to it. It takes as few as they are here in one turn."""

    def drained():
        w.sides[0].drain(w)
        return is_so()

    wait_until(drained, what)


def new_filters(w, numbers):
    """The export filters of @numbers change, at the least in that they refuse a prefix more, and are in use."""
    version = 1 + max(s.version for s in w.setting.values())
    proof = {n: "10.2.%d.0/24" % (100 * n + version) for n in (1, 2)}
    for n, net in proof.items():
        w.give(n, 0, [net], [65000 + n], [(8, version)])

    def holders():
        return {n for n in w.up for k, net in proof.items() if k != n and nlri(net) in w.sides[0].view[n].held()}

    wait_held(w, lambda: holders() == w.up, "a prefix for each member")
    for n in numbers:
        w.setting[n].version = version
    w.configure()
    wait_held(w, lambda: not holders() & set(numbers), "the new filters")


def told_by(w, deed):
    """{member: nets that it is told by @deed}, which waits until it shows. Those of marks and proofs don't count."""
    side = w.sides[0]
    for v in side.view.values():
        v.told = []
    deed()
    w.agree("after it")
    return {n: {net for net in v.told if not net.startswith(b"\x18\x0a\x02")} for n, v in side.view.items()}


def equal_outcome(setup):
    w = full(setup)

    def other_words():
        for s in w.setting.values():
            s.words = 1
        new_filters(w, w.up)

    def one_member():
        """The others' filters stay as they are."""
        new_filters(w, [1])

    def more_roas():
        """They are asked again about all below it, and say the same of most."""
        check(invalid(), "the ROA changes nothing")
        w.roas |= {("10.1.0.0/16", 65101)}
        w.configure()
        wait_held(w, lambda: not invalid(), "the new ROA")

    def invalid():
        """Routes that members with a filter about ROAs hold, and may not with this ROA."""
        return [
            net
            for n, s in w.setting.items()
            if "roa_check" in OUT[s.out][0]
            for net, routes in w.held(w.sides[0], n).items()
            for attrs in routes
            if net.startswith(b"\x18\x0a\x01") and dict(attrs)[2][1][-4:] != struct.pack("!I", 65101)
        ]

    for deed in (other_words, one_member, more_roas):
        before = {n: w.held(w.sides[0], n) for n in w.up}
        told = told_by(w, deed)
        for n in w.up:
            after = w.held(w.sides[0], n)
            differ = {net for net in set(before[n]) | set(after) if before[n].get(net) != after.get(net)}
            check(
                told[n] <= differ,
                "%s: m%d (%s) is told %d nets, of which %d differ"
                % (deed.__name__, n, vars(w.setting[n]), len(told[n]), len(told[n] & differ)),
            )
    w.stop()


def some_differ():
    """A filter that refuses one prefix more: that alone is told."""
    w = full()
    OUT.append(["%s if net = 10.1.5.0/24 then reject;" % OUT[0][0]])
    for n in sorted(w.up):
        w.setting[n].out, w.setting[n].words = 0, 0
    new_filters(w, w.up)
    w.agree("before")

    def holders():
        return {n for n, v in w.sides[0].view.items() if net in v.held()}

    def refuse():
        for s in w.setting.values():
            s.out = len(OUT) - 1
        w.configure()
        wait_held(w, lambda: not holders(), "the filter that refuses it")

    net = nlri("10.1.5.0/24")
    held = holders()
    check(len(held) >= 4, "only %s hold it" % held)
    told = told_by(w, refuse)
    for n in w.up:
        check(
            told[n] == ({net} if n in held else set()),
            "m%d (%s) is told %s" % (n, vars(w.setting[n]), sorted(t.hex() for t in told[n])),
        )
    OUT.pop()
    w.stop()


def many():
    """65,535 routes of one prefix, from one member to one that takes all, and to one that may have the worst alone."""
    w = World(["ternd"], random.Random(SEED), ())
    for n, paths in ((1, "rx"), (2, "tx"), (3, "off")):
        s = w.setting[n] = Setting(w.rng)
        s.paths, s.second, s.kept, s.out, s.into = paths, True, n == 2, 0, 0
    w.configure()
    for n in w.setting:
        w.join(n)
    d, (_, all_of_it, third) = w.sides[0].daemon, w.sides[0].view.values()
    before = d.stats()["rss_kb"]
    cnt = 65535 if SLOW == 1 else 10000
    ids = list(range(1, cnt + 1))
    w.rng.shuffle(ids)
    names = [[(i, NETS[0]) for i in ids[at : at + 400]] for at in range(0, cnt, 400)]
    peer = w.sides[0].view[1].peer

    def wait_held(cnt, more, what):
        began = time.monotonic()

        def held():
            w.sides[0].drain(w)
            return len(all_of_it.routes) == cnt and len(third.routes) == more

        wait_until(held, lambda: "%s: %d and %d routes" % (what, len(all_of_it.routes), len(third.routes)), 60)
        return time.monotonic() - began

    w.give(1, ids[0], NETS[:1], [65001] + [7] * 20)
    for k, some in enumerate(names):
        peer.update(some[k == 0 :], [65001] + [5] * (k % 7 + 1), extra=attribute(0xC0, 8, struct.pack("!HH", 0, 3)))
        w.sides[0].drain(w)
    wait_held(cnt, 1, "announced")
    check(len(attributes(list(third.routes.values())[0])[2][1]) == 2 + 4 * 21, "it isn't the worst one")
    grown = d.stats()["rss_kb"] - before
    check(SLOW > 1 or grown < 65535 * 300 // 1024, "memory has grown by %d kB" % grown)
    peer.withdraw([(cnt + 1 + i, NETS[0]) for i in range(400)])  # which it hasn't announced
    for some in names:
        peer.withdraw(some)
        w.sides[0].drain(w)
    wait_held(0, 0, "withdrawn")
    w.stop()


def example(kind, name, ids, want):
    """The first member's route is the best and not for the third."""
    if kind == "bird2" and not os.access(BIRD, os.X_OK):
        needs("bird2")
    harness.KIND = kind
    port = free_port()
    d = Daemon(
        examples.filled(name, (SERVER, port), "RUN/bird.log", [("100.64.0.%d" % n, 64500 + n) for n in (1, 2, 3)])
    ).start()
    view = {}
    for n in (1, 2, 3):
        caps = struct.pack("!BBHBB", 69, 4, 1, 1, 1) if n in ids else b""
        peer = Peer(port, "100.64.0.%d" % n, 64500 + n, server=SERVER, caps=caps).establish()
        view[n] = View("m%d" % n, peer, n in ids, kind == "ternd")
    for n in (1, 2, 3):
        view[n].peer.update(
            ["11.1.0.0/24"],
            [64500 + n] + list(range(1, n)),
            extra=attribute(0xC0, 32, struct.pack("!III", 65000, 0, 64503)) if n == 1 else b"",
        )

    def held():
        for v in view.values():
            v.drain()
        return {
            n: sorted(struct.unpack("!I", attributes(a)[2][1][2:6])[0] - 64500 for a in v.routes.values())
            for n, v in view.items()
        }

    wait_until(lambda: held() == want, lambda: "they hold %s, not %s" % (held(), want))
    if "imex" in name:
        came, told = (d.text("show route %s table as64502.ipv4" % way) for way in ("import", "export"))
        check("[AS1i]" in came and "[AS64501i]" not in came, "what member 2 has sent: " + came)
        check("[AS64501i]" in told and "[AS1i]" not in told, "what it was told: " + told)
    for v in view.values():
        v.peer.cease()
    d.stop()
    harness.KIND = "ternd"


in_namespace()
namespace.lan()
for kind in ("bird2", "ternd"):
    case("%s: example of secondary" % kind, example, kind, "rs-secondary.conf", (), {1: [2], 2: [1], 3: [2]})
    case("%s: example of add-path" % kind, example, kind, "rs-add-path.conf", (1, 2), {1: [2, 3], 2: [1, 3], 3: [2]})
    for name in ("small.conf", "imex.conf"):
        case("%s: %s" % (kind, name), example, kind, name, (), {1: [], 2: [1], 3: []})
    for name in ("multi.conf", "mulimex.conf"):  # the third one's own route isn't better than the second one's
        case("%s: %s" % (kind, name), example, kind, name, (), {1: [], 2: [1], 3: [2]})
for name, setup in SETUPS.items():
    case("%s, all ways, beside bird2" % name, beside_bird, setup)
for name, setup in {"some with export tables": Setup(), **SETUPS}.items():
    case("%s: a changed filter with equal outcome" % name, equal_outcome, setup)
case("a filter that refuses one prefix more", some_differ)
case("one prefix with many routes", many)
done()
