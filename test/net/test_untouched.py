# SPDX-License-Identifier: GPL-3.0-or-later
"""A change of one object closes no session of another object and withdraws no route of another object. The table of a
member lies over the common one (an overlay) until another protocol uses it: a session, a static route, a pipe, a
protocol that reads it. The member's session stays, no route is withdrawn from it, and it holds what a new session
holds. The same of `monitoring rib`, whose stations are told all that there is."""

import bmp_read
from harness import *
from view import View, attributes

if KIND != "ternd":
    cannot_here("this is about ternd")

HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
%(threads)s
protocol device {}
ipv4 table t2; ipv4 table other;
template bgp any { local 127.0.10.1 port %(port)d as 65000; multihop; passive; strict bind on; rs client; error wait \
time 1, 1; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; ipv4 { import all; export all; }; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; ipv4 { table t2; import all; %(m2)s export all; }; }
protocol pipe p2 { table master4; peer table t2; import all; export where !((65000, 2) ~ bgp_community); }
# of two tables that may be overlays none is: this one isn't
protocol static s0 { ipv4; }
"""
MORE = {
    "a session": (
        "protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; ipv4 { table t2; import all; export all; }; }\n"
    ),
    "a static route": "protocol static s2 { ipv4 { table t2; }; route 203.0.113.0/24 blackhole; }\n",
    "a pipe": (
        "protocol pipe p3 { table t2; peer table other; import all; export all; }\n"
        "protocol static so { ipv4 { table other; }; route 203.0.113.0/24 blackhole; }\n"
    ),
    "recursive routes": (
        "protocol static s3 { ipv4 { table other; }; igp table t2; route 192.0.2.0/24 recursive 10.1.0.1; }\n"
    ),
}
IDS_CAP = b"\x45\x04\x00\x01\x01\x01"
BRINGS = {"a static route": ["203.0.113.0/24"], "a pipe": ["203.0.113.0/24"]}
WAYS = {
    "plain": {"threads": "", "m2": ""},
    "shared threads": {"threads": "threads 2;", "m2": ""},
    "an export table": {"threads": "", "m2": "export table;"},
    "a filter of its own": {"threads": "", "m2": "", "filter": True},
}
COMMON = ["10.%d.0.0/16" % k for k in range(1, 200)]
HIDDEN, OWN, BOTH = "10.201.0.0/16", "10.202.0.0/16", "10.203.0.0/16"


class Strict(View):
    """@gone: what was withdrawn from it."""

    def take(self, body):
        before = set(self.routes)
        super().take(body)
        self.gone = getattr(self, "gone", set()) | (before - set(self.routes))


def nets_of(v):
    v.drain()
    return {n for _, n in v.routes}


def what(v, want):
    return lambda: "%s: lacks %r, has %r more" % (v.who, want - nets_of(v), nets_of(v) - want)


def marks(*m):
    return attribute(0xC0, 8, b"".join(struct.pack("!HH", *x) for x in m))


def closes_none(reply):
    """Of `configure`: it was done, and no session is said to close."""
    return any(code in (3, 4) for code, _ in reply) and not any(
        re.match(r"[1-9]\d* session", line) for _, line in reply
    )


def used(name, how):
    way = dict(WAYS[how])
    port = free_port()

    def text(more):
        out = HEAD % {"port": port, **way} + more
        return (
            out.replace(
                "table t2; import all;  export all;", "table t2; import all; export filter { bgp_med = 7; accept; };"
            )
            if way.get("filter")
            else out
        )

    d = Daemon(text("")).start()
    m1, m2 = member(port, 1), member(port, 2)
    v = Strict("m2", m2, False, True)
    for k in range(0, len(COMMON), 20):
        m1.update(COMMON[k : k + 20])
    m1.update([HIDDEN], extra=marks((65000, 2)))
    m1.update([BOTH], [65001, 64999, 64998])
    m2.update([OWN, BOTH])
    want = {nlri(p) for p in COMMON}
    wait_until(
        lambda: nets_of(v) == want and "10.203.0.0/16" in d.text("show route protocol m2 table t2"), what(v, want)
    )
    wait_until(lambda: d.routes()[0] >= len(COMMON) + 4, "what m2 says to be in the common table")
    v.gone, since = set(), d.sessions()["m2"]
    for turn in range(3):
        d.write(text(MORE[name]))
        reply = d.run("configure")
        check(closes_none(reply), "the reply: %r" % reply)
        more = {nlri(p) for p in BRINGS.get(name, [])}
        wait_until(lambda: nets_of(v) == want | more, what(v, want | more))
        equal(v.gone, set(), "what was withdrawn")
        # what follows comes, and goes
        m1.update(["198.51.100.0/24"])
        wait_until(
            lambda: nets_of(v) == want | more | {nlri("198.51.100.0/24")},
            what(v, want | more | {nlri("198.51.100.0/24")}),
        )
        m1.withdraw(["198.51.100.0/24"])
        wait_until(lambda: nets_of(v) == want | more, what(v, want | more))
        # of both the own one is the better one: when it goes the other one comes
        m2.withdraw([BOTH])
        wait_until(lambda: nets_of(v) == want | more | {nlri(BOTH)}, what(v, want | more | {nlri(BOTH)}))
        m2.update([BOTH])
        wait_until(lambda: nets_of(v) == want | more, what(v, want | more))
        v.gone = set()
        d.write(text(""))
        reply = d.run("configure")
        check(closes_none(reply), "the reply: %r" % reply)
        wait_until(lambda: nets_of(v) == want, what(v, want))
        equal({n for _, n in v.gone}, more, "what was withdrawn when it went")
        v.gone = set()
    check(any(code in (3, 4) for code, _ in d.run("configure undo")), "undo")
    wait_until(lambda: nets_of(v) == want | more, what(v, want | more))
    equal(d.sessions()["m2"], since, "the session")
    # A new session holds the same, and so does `show route`.
    held = v.held()
    m2.cease()
    m2 = member(port, 2)
    m2.update([OWN, BOTH])
    v = View("m2 anew", m2, False, False)
    wait_until(lambda: nets_of(v) == want | more, what(v, want | more))
    equal(
        {n: [attributes(a) for a in r] for n, r in v.held().items()},
        {n: [attributes(a) for a in r] for n, r in held.items()},
        "of a new session",
    )
    shown = {line.split()[0] for line in d.text("show route table t2").splitlines() if line[:1].isdigit()}
    equal({nlri(p) for p in shown}, want | more | {nlri(OWN), nlri(BOTH)}, "show route")
    # Routes of the common table that go with their session go from the member.
    m1.cease()
    wait_until(lambda: nets_of(v) == more, what(v, more))
    check(d.alive(), "the daemon lives")
    m2.cease()
    d.stop()


def at_once():
    """Another user comes and goes while the common table changes, and while the member comes and goes."""
    port = free_port()
    way = WAYS["shared threads"]
    d = Daemon(HEAD % {"port": port, **way}).start()
    m1, m2 = member(port, 1), member(port, 2)
    v = View("m2", m2, False, False)
    for turn in range(12):
        nets = ["11.%d.%d.0/24" % (turn, k) for k in range(250)]
        m1.update(nets[:120])
        d.write(HEAD % {"port": port, **way} + (MORE["a static route"] if turn % 2 == 0 else ""))
        d.run("configure")
        m1.update(nets[120:])
        if turn % 4 == 3:
            m2.cease()
            m2 = member(port, 2)
            v = View("m2", m2, False, False)
        if turn % 3 == 2:
            m1.withdraw(nets)
    want = {nlri("11.%d.%d.0/24" % (t, k)) for t in range(12) if t % 3 != 2 for k in range(250)}
    wait_until(
        lambda: nets_of(v) == want, lambda: "lacks %d, has %d more" % (len(want - nets_of(v)), len(nets_of(v) - want))
    )
    m1.cease()
    m2.cease()
    d.stop()


MONITORED = """router id 10.0.0.1;
log "RUN/bird.log" all;
%(threads)s
protocol device {}
%(tables)s
template bgp any { local 127.0.10.1 port %(port)d as 65000; %(reach)s passive; strict bind on; rs client; error wait \
time 1, 1; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; ipv4 { import where net != 192.0.2.0/24; export all; }; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; ipv4 { %(m2)s import all; export where net != \
198.51.100.0/24; }; }
"""
OVER = (
    "ipv4 table t2;\nprotocol pipe p2 { table master4; peer table t2; import all; export all; }\nprotocol static s0 {"
    " ipv4; }\n"
)
MONITORED_WAYS = {
    "one table": {"tables": "", "m2": "", "threads": "", "reach": "multihop;"},
    "an overlay, shared threads": {"tables": OVER, "m2": "table t2;", "threads": "threads 2;", "reach": "multihop;"},
    "secondary": {"tables": "ipv4 table master4 { sorted; };", "m2": "secondary;", "threads": "", "reach": "direct;"},
    "add-path": {"tables": "", "m2": "add paths tx;", "threads": "", "reach": "multihop;"},
}
REFUSED, UNSENT = "192.0.2.0/24", "198.51.100.0/24"
ALL_RIBS = ("in pre_policy", "in post_policy", "out pre_policy", "out post_policy")
TURNS = [
    ("in pre_policy",),
    ("out post_policy",),
    ("out pre_policy", "out post_policy"),
    (),
    ALL_RIBS,
    ("in post_policy",),
    ALL_RIBS,
]
NAME_OF = {"in pre_policy": "pre", "in post_policy": "post", "out pre_policy": "out pre", "out post_policy": "out post"}


class Teller(Strict):
    """It announces @nets, and does so again when it is asked."""

    def __init__(self, who, peer, nets):
        super().__init__(who, peer, False, True)
        self.nets_told, self.answered = list(nets), 0
        self.tell()

    def tell(self):
        for k in range(0, len(self.nets_told), 20):
            self.peer.update(self.nets_told[k : k + 20])

    def drain(self):
        super().drain()
        if self.answered < self.refreshes:
            self.answered = self.refreshes
            self.tell()

    def add(self, net):
        self.nets_told.append(net)
        self.peer.update([net])

    def remove(self, net):
        self.nets_told.remove(net)
        self.peer.withdraw([net])


def told(st, n, rib):
    """The networks that the station has of member @n."""
    return {k[1] if isinstance(k, tuple) else k for k in st.rib("127.0.11.%d" % n, NAME_OF[rib]) or {}}


def monitored(how):
    """What stations are told is turned on and off: no session closes, no route goes, and each station has what there
    is."""
    port, way = free_port(), MONITORED_WAYS[how]
    stations = [bmp_read.Station(), bmp_read.Station()]
    ids = how == "add-path"

    def text(ribs):
        t = MONITORED % {"port": port, **way}
        if ribs:
            t += "protocol bmp b { %s connect retry time 1; %s }\n" % (
                " ".join("station address ip 127.0.0.1 port %d;" % s.port for s in stations),
                " ".join("monitoring rib %s;" % r for r in ribs),
            )
        return t

    d = Daemon(text(())).start()
    m1, m2 = member(port, 1), member(port, 2, IDS_CAP if ids else b"")
    v1 = Teller("m1", m1, COMMON + [REFUSED, UNSENT])
    v2 = Strict("m2", m2, ids, True)
    sent = {nlri(p) for p in COMMON}
    wait_until(lambda: nets_of(v1) == set() and nets_of(v2) == sent, what(v2, sent))
    v2.gone, since = set(), d.sessions()

    def due():
        all_nets = set(v1.nets_told)
        return {
            "in pre_policy": (1, all_nets),
            "in post_policy": (1, all_nets - {REFUSED}),
            "out pre_policy": (2, all_nets - {REFUSED}),
            "out post_policy": (2, all_nets - {REFUSED, UNSENT}),
        }

    def wait_told(st, ribs, where):
        def lacks():
            nets_of(v1), nets_of(v2)
            st.check()
            return [
                "%s: %d of %d" % (r, len(told(st, due()[r][0], r)), len(due()[r][1]))
                for r in ribs
                if told(st, *(due()[r][0], r)) != due()[r][1]
            ]

        wait_until(lambda: not lacks(), lambda: "%s: %s" % (where, lacks()))

    for ribs in TURNS:
        where = "with %s" % (", ".join(ribs) or "nothing")
        d.write(text(ribs))
        reply = d.run("configure")
        check(closes_none(reply), "%s: the reply: %r" % (where, reply))
        if stations[0].conn:
            wait_until(lambda: stations[0].ended and stations[1].ended, "%s: Termination" % where)
        for st in stations:
            st.close()
            if ribs:
                st.accept().run()
                wait_told(st, ribs, where)
                for r in ribs:
                    p = st.peer("127.0.11.%d" % due()[r][0])
                    wait_until(lambda: p.ends[NAME_OF[r], 1] >= 1, "%s: End-of-RIB of %s" % (where, r))
                for n in (1, 2):
                    got = {rib for rib, routes in st.peer("127.0.11.%d" % n).ribs.items() if routes}
                    check(got <= {NAME_OF[r] for r in ribs}, "%s: m%d: %r" % (where, n, got))
        # what follows comes, and goes
        v1.add("203.0.113.0/24")
        wait_until(lambda: nets_of(v2) == sent | {nlri("203.0.113.0/24")}, what(v2, sent))
        for st in stations if ribs else []:
            wait_told(st, ribs, where + ", one more")
        check(not v2.gone, "%s: withdrawn from m2: %r" % (where, v2.gone))
        v1.remove("203.0.113.0/24")
        wait_until(lambda: nets_of(v2) == sent, what(v2, sent))
        for st in stations if ribs else []:
            wait_told(st, ribs, where + ", one less")
            check(not st.downs, "%s: Peer Down: %r" % (where, st.downs))
        v2.gone = set()
    equal(d.sessions(), since, "the sessions")
    # One that comes back is monitored from its start.
    m2.cease()
    m2 = member(port, 2, IDS_CAP if ids else b"")
    v2 = Strict("m2", m2, ids, True)
    wait_until(lambda: nets_of(v2) == sent, what(v2, sent))
    for st in stations:
        wait_told(st, ALL_RIBS, "a new session")
    d.write(text(()))
    check(closes_none(d.run("configure")), "without it")
    m2.cease()
    m2 = member(port, 2)
    v2 = Strict("m2", m2, False, True)
    wait_until(lambda: nets_of(v2) == sent, what(v2, sent))
    check(
        "No export table" in str(d.run("show route export table m2.ipv4")),
        "a new session without monitors keeps no export table",
    )
    check(d.alive(), "the daemon lives")
    for st in stations:
        st.check()
        st.close()
    m1.cease()
    m2.cease()
    d.stop()


def loc_rib():
    """A table that was an overlay is told as a Loc-RIB when it is an ordinary one: nothing but a reader has come, or a
    route."""
    for more in ("recursive routes", "a static route"):
        port, st = free_port(), bmp_read.Station()
        b = (
            "protocol bmp b { station address ip 127.0.0.1 port %d; monitoring rib local; connect retry time 1; }\n"
            % st.port
        )
        text = HEAD % {"port": port, **WAYS["plain"]} + b
        d = Daemon(text).start()
        m1 = member(port, 1)
        m1.update(COMMON[:50])
        st.accept().run()
        wait_until(lambda: len(st.rib("master4", "loc") or {}) == 50, "master4")
        check(not st.table("t2"), "an overlay is told with its base")
        d.write(text + MORE[more])
        check(closes_none(d.run("configure")), "configure")
        want = set(COMMON[:50]) | set(BRINGS.get(more, []))
        wait_until(
            lambda: set(st.rib("t2", "loc") or {}) == want,
            lambda: "%s: of t2 the station has %s" % (more, st.table("t2") and len(st.rib("t2", "loc"))),
        )
        wait_until(lambda: st.table("t2").ends["loc", 1] >= 1, "End-of-RIB")
        m1.update(["198.51.100.0/24"])
        wait_until(lambda: "198.51.100.0/24" in st.rib("t2", "loc"), "what follows")
        st.check()
        d.stop()
        st.close()


for name in MORE:
    case("others use a member's table: %s" % name, used, name, "plain")
for how in list(WAYS)[1:]:
    case("others use a member's table: a static route, %s" % how, used, "a static route", how)
case("others come and go while routes do", at_once)
for how in MONITORED_WAYS:
    case("monitoring rib, turned on and off: %s" % how, monitored, how)
case("monitoring rib local, of a table that was an overlay", loc_rib)
done()
