# SPDX-License-Identifier: GPL-3.0-or-later
"""A change of one object closes no session of another object and withdraws no route of another object. The table of a member lies over
the common one (an overlay) until another protocol uses it: a session, a static route, a pipe, a protocol that reads it. The member's
session stays, no route is withdrawn from it, and it holds what a new session holds."""

from harness import *
from view import View, attributes

if KIND != "ternd":
    cannot_here("this is about ternd")

HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
%(threads)s
protocol device {}
ipv4 table t2; ipv4 table other;
template bgp any { local 127.0.10.1 port %(port)d as 65000; multihop; passive; strict bind on; rs client; error wait time 1, 1; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; ipv4 { import all; export all; }; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; ipv4 { table t2; import all; %(m2)s export all; }; }
protocol pipe p2 { table master4; peer table t2; import all; export where !((65000, 2) ~ bgp_community); }
"""
MORE = {
    "a session": "protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; ipv4 { table t2; import all; export all; }; }\n",
    "a static route": "protocol static s2 { ipv4 { table t2; }; route 203.0.113.0/24 blackhole; }\n",
    "a pipe": "protocol pipe p3 { table t2; peer table other; import all; export all; }\n"
              "protocol static so { ipv4 { table other; }; route 203.0.113.0/24 blackhole; }\n",
    "recursive routes": "protocol static s3 { ipv4 { table other; }; igp table t2; route 192.0.2.0/24 recursive 10.1.0.1; }\n",
}
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
    return attribute(0xc0, 8, b"".join(struct.pack("!HH", *x) for x in m))


def closes_none(reply):
    """Of `configure`: it was done, and no session is said to close."""
    return any(code in (3, 4) for code, _ in reply) and not any(re.match(r"[1-9]\d* session", line) for _, line in reply)


def used(name, how):
    way = dict(WAYS[how])
    port = free_port()

    def text(more):
        out = HEAD % {"port": port, **way} + more
        return out.replace("table t2; import all;  export all;", "table t2; import all; export filter { bgp_med = 7; accept; };") if way.get("filter") else out

    d = Daemon(text("")).start()
    m1, m2 = member(port, 1), member(port, 2)
    v = Strict("m2", m2, False, True)
    for k in range(0, len(COMMON), 20):
        m1.update(COMMON[k:k + 20])
    m1.update([HIDDEN], extra=marks((65000, 2)))
    m1.update([BOTH], [65001, 64999, 64998])
    m2.update([OWN, BOTH])
    want = {nlri(p) for p in COMMON}
    wait_until(lambda: nets_of(v) == want and "10.203.0.0/16" in d.text("show route protocol m2 table t2"), what(v, want))
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
        wait_until(lambda: nets_of(v) == want | more | {nlri("198.51.100.0/24")}, what(v, want | more | {nlri("198.51.100.0/24")}))
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
    equal({n: [attributes(a) for a in r] for n, r in v.held().items()}, {n: [attributes(a) for a in r] for n, r in held.items()}, "of a new session")
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
    wait_until(lambda: nets_of(v) == want, lambda: "lacks %d, has %d more" % (len(want - nets_of(v)), len(nets_of(v) - want)))
    m1.cease()
    m2.cease()
    d.stop()


for name in MORE:
    case("others use a member's table: %s" % name, used, name, "plain")
for how in list(WAYS)[1:]:
    case("others use a member's table: a static route, %s" % how, used, "a static route", how)
case("others come and go while routes do", at_once)
done()
