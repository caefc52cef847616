# SPDX-License-Identifier: GPL-3.0-or-later
"""protocol bmp, `monitoring rib out post_policy` and `out pre_policy`: what a station is told of each member's
Adj-RIB-Out, read by a decoder of its own, is what the member has read from its socket; before policy, what it reads
when its export filter accepts everything."""

import random
import threading

import bmp_read
from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
SEED = int(os.environ.get("TERN_SEED", "1"))
PORT = free_port()
TAKES = struct.pack("!BBHBB", 69, 4, 1, 1, 1)  # it takes several paths

CONF = (
    """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
ipv4 table t4;
filter marked { if net ~ [ 10.66.0.0/16+ ] then reject; bgp_community.add((65000, 3)); accept; }
function by_length() { return net.len < 28; }
template bgp any { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; strict bind on; error wait time 1,1;
  graceful restart off; ipv4 { import all; export all; }; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; ipv4 { import all; export all; add paths tx; }; }
protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; ipv4 { import all; export filter marked; }; }
protocol bgp m4 from any { neighbor 127.0.11.4 as 65004; ipv4 { table t4; import all; export all; }; }
protocol pipe p4 { table master4; peer table t4; import where from != 192.0.2.1; export where by_length(); }
"""
    % PORT
)
CAPS = {2: TAKES}


def bmp(stations, more=""):
    return "protocol bmp b { %s monitoring rib out post_policy; connect retry time 1; %s }\n" % (
        " ".join("station address ip 127.0.0.1 port %d;" % s.port for s in stations),
        more,
    )


class Hearer:
    """A member that keeps what it is sent."""

    def __init__(self, n):
        self.n, self.rib, self.error = n, {}, None
        self.peer = member(PORT, n, caps=CAPS.get(n, b""), hold=0)
        self.lock, self.write = threading.Lock(), self.peer.send
        self.peer.send = self.send
        threading.Thread(target=self.hear, daemon=True).start()

    def send(self, octets):
        with self.lock:
            self.write(octets)

    def hear(self):
        ids = {(1, 1)} if self.n in CAPS else set()
        try:
            while True:
                got = self.peer.receive(1000)
                if got is None:
                    return
                if got[0] == KEEPALIVE:  # a case may take longer than the hold time
                    self.send(message(KEEPALIVE))
                if got[0] != UPDATE:
                    continue
                u = bmp_read.Update(message(UPDATE, got[1]), True, ids)
                rib = dict(self.rib)
                for k in u.withdrawn:
                    rib.pop(k, None)
                for k in u.reached:
                    rib[k] = u.attrs
                self.rib = rib
        except OSError:
            pass
        except bmp_read.Bad as e:
            self.error = e

    def lose(self):
        """Go without a word; it is being read from."""
        self.peer.s.shutdown(socket.SHUT_RDWR)
        self.peer.s.close()


def rows_of(d, table):
    return re.findall(r"^(\S+/\d+)", d.text("show route table " + table), re.M)


def address(h):
    return "127.0.11.%d" % h.n


def same(st, members):
    st.check()
    for h in members:
        check(not h.error, "m%d: %s" % (h.n, h.error))
        if st.rib(address(h), "out post") != h.rib:
            return False
    return True


def differs(st, members):
    for h in members:
        got, due = st.rib(address(h), "out post"), h.rib
        if got != due:
            return "m%d: %s told, %d held; too many %s, missing %s, other %s" % (
                h.n,
                got and len(got),
                len(due),
                [r for r in got or {} if r not in due][:3],
                [r for r in due if r not in (got or {})][:3],
                [r for r in due if r in (got or {}) and got[r] != due[r]][:3],
            )
    return "now the same"


def wait_same(st, members, what, limit_s=20):
    wait_until(lambda: same(st, members), lambda: "%s: %s %s" % (what, differs(st, members), st.error), limit_s, 0.1)


def wait_held(h, cnt, what):
    wait_until(lambda: len(h.rib) == cnt, lambda: "%s: m%d holds %d, %d are due" % (what, h.n, len(h.rib), cnt))


def fill(h, cnt):
    for at in range(0, cnt, 500):
        h.peer.update(["10.%d.%d.%d/28" % (h.n, i // 16, i % 16 * 16) for i in range(at, min(at + 500, cnt))])
    h.peer.update(["10.66.%d.0/24" % h.n, "172.16.0.0/24"])


def as_it_goes():
    """One station from the start, one that comes late, one that is closed in the middle of a message."""
    st, late, cut = bmp_read.Station(), bmp_read.Station(), bmp_read.Station()
    d = Daemon(CONF + bmp([st, late, cut])).start()
    st.accept().run()
    m = [Hearer(n) for n in (1, 2, 3, 4)]
    cnt = size(3000, 800)
    for h in m[:3]:
        fill(h, cnt)
    wait_held(m[0], 2 * cnt + 2, "other members' /28, their /24; of the common one its own is the best")
    wait_held(m[1], 2 * cnt + 2 + 2, "of all paths")
    wait_held(m[2], 2 * cnt + 1, "what the filter lets through")
    wait_held(m[3], 3 + 1, "what the pipe lets through")
    wait_same(st, m, "from the start")
    equal(st.peer(address(m[1])).ids_out, {(1, 1)}, "families with identifiers")
    check(b"\xfd\xe8\x00\x03" in st.rib(address(m[2]), "out post")["172.16.0.0/24"][8], "what the export filter adds")
    check(st.peer(address(m[0])).ends["out post", 1] >= 1, "End-of-RIB: %s" % st.peer(address(m[0])).ends)
    equal(set(st.peer(address(m[0])).ribs), {"out post"}, "what is told")
    late.accept().run()
    wait_same(late, m, "the late one")
    wait_until(lambda: late.peer(address(m[0])).ends["out post", 1] == 1, "End-of-RIB of the late one")
    cut.accept()
    cut.conn.recv(900)
    cut.conn.close()
    cut.accept().run()
    wait_same(cut, m, "the one that was cut off")
    m[0].peer.withdraw(["10.1.0.0/28", "172.16.0.0/24"])
    m[1].peer.update(["10.2.0.0/28"], path=[65002, 64999])
    wait_held(m[1], 2 * cnt + 2 + 2 - 2, "after a withdrawal")
    wait_held(m[2], 2 * cnt + 1 - 1, "after a withdrawal")
    for s in (st, late, cut):
        wait_same(s, m, "after changes")
    # what a session says of itself is what the export table says
    shown = set(re.findall(r"^(\S+/\d+)", d.text("show route export table m3.ipv4"), re.M))
    equal(set(m[2].rib), shown, "show route export table")
    m[1].lose()
    wait_until(lambda: st.peer(address(m[1])) is None, "Peer Down")
    m[1] = Hearer(2)
    for s in (st, late, cut):
        wait_same(s, m, "after a session was lost")
    d.stop()
    for s in (st, late, cut):
        s.check()
        s.close()


def is_added():
    """To a daemon whose sessions are up: they stay; taken away, likewise. Peers can't be asked for their routes, and
    the log says so."""
    st = bmp_read.Station()
    d = Daemon(CONF.replace("multihop;", "multihop; enable route refresh off;")).start()
    m = [Hearer(n) for n in (1, 3)]
    fill(m[0], 500)
    wait_held(m[1], 500 + 1, "before")
    since = d.sessions()
    with_it = bmp(
        [st],
        (
            "monitoring rib in pre_policy; monitoring rib in post_policy; monitoring rib local; "
            "monitoring rib out pre_policy;"
        ),
    )
    d.write(d.read() + with_it)
    check(d.code("configure") in (3, 4), "configure")
    st.accept().run()
    line = "Monitors receive only ipv4 routes that arrive from"
    wait_until(lambda: d.whole_log().count(line) == len(m), "a line in the log for each session")
    fill(m[0], 600)
    wait_held(m[1], 600 + 1, "after")
    wait_same(st, m, "with it")
    wait_until(
        lambda: len(st.rib(address(m[0]), "pre")) == 602 and len(st.rib(address(m[0]), "post")) == 602, "what came, too"
    )
    wait_until(lambda: len(st.rib(address(m[1]), "out pre")) == 602, "what is before policy")
    d.write(d.read().replace(with_it, ""))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: st.ended, "Termination")
    equal(d.sessions(), since, "the sessions")
    d.stop()
    st.check()
    st.close()


OFFER = "monitoring rib out pre_policy; stats interval 1;"
MORE = """
protocol bgp m5 from any { neighbor 127.0.11.5 as 65005; ipv4 { import all; export all; secondary; }; }
protocol bgp m6 from any { neighbor 127.0.11.6 as 65006; ipv4 { import all; export all; export limit 20 action block; \
}; }
protocol bgp m7 from any { neighbor 127.0.11.7 as 65007; interpret communities off; }
"""


def with_policy(name):
    """All members' export policy: the sessions go on."""
    return re.sub(
        r"export (all|filter \w+|where net.len = 28|none)(?=;)",
        "export " + name,
        CONF.replace("ipv4 table t4;", "ipv4 table master4 sorted;\nipv4 table t4;").replace("multihop;", "direct;")
        + MORE,
    )


def configure(d, name, stations, more=OFFER):
    d.write(with_policy(name) + bmp(stations, more))
    check(d.code("configure") in (3, 4), "configure")


def offers(st, members):
    return {h.n: st.rib(address(h), "out pre") for h in members}


def told_before(st):
    """Messages about what is before policy of an Adj-RIB-Out."""
    return sum(kind == "monitoring" and flags & 0x50 == 0x10 for kind, _, flags in list(st.log))


def same_offer(st, members):
    st.check()
    return all(st.rib(address(h), "out pre") == h.rib for h in members)


def wait_offer(st, members, what, limit_s=30):
    def why():
        for h in members:
            got, due = st.rib(address(h), "out pre") or {}, h.rib
            if got != due:
                return "m%d: %d told, %d held; too many %s, missing %s, other %s" % (
                    h.n,
                    len(got),
                    len(due),
                    [r for r in got if r not in due][:3],
                    [r for r in due if r not in got][:3],
                    [r for r in due if r in got and got[r] != due[r]][:3],
                )
        return st.error

    wait_until(lambda: same_offer(st, members), lambda: "%s: %s" % (what, why()), limit_s, 0.1)


def settle(d):
    """All that was said is told."""

    def look():
        shown = d.text("show protocols all")
        return (
            re.findall(r"(Before policy|Import updates|Import withdraws):(.*)", shown),
            re.findall(r"exported, [1-9]\d* dirty", shown),
            d.text("show route count"),
        )

    wait_until(lambda: not settled(look, "counters", 0.2 * SLOW)[1], "dirty networks to be told")


def wait_quiet(stations):
    """All that was told before policy is read: nothing more comes for a second."""
    settled(lambda: [told_before(s) for s in stations], "what stations read", 0.3 * SLOW)


def before_policy():
    """What is told before policy is what members hold without one; other policies don't change it, and nothing is
    told."""
    st, late = bmp_read.Station(), bmp_read.Station()
    d = Daemon(with_policy("all") + bmp([st, late], OFFER)).start()
    st.accept().run()
    m = [Hearer(n) for n in range(1, 8)]
    others = [h for h in m if h.n != 6]  # whose limit keeps it from what it is offered
    for h in m:
        fill(h, 400)
    m[0].peer.update(["172.17.0.0/24"], extra=attribute(0xC0, 8, struct.pack("!HH", 0xFFFF, 0xFF02)))  # NO_ADVERTISE
    wait_held(m[0], 6 * 400 + 6, "without its own")
    settle(d)  # others' workers may be behind
    wait_quiet([st])
    wait_offer(st, others, "no policy")
    wait_same(st, m, "no policy, as it is sent")
    check(st.peer(address(m[0])).ends["out pre", 1] >= 1, "End-of-RIB: %s" % st.peer(address(m[0])).ends)
    equal([h.n for h in m if "172.17.0.0/24" in st.rib(address(h), "out pre")], [7], "NO_ADVERTISE")
    shown = set(
        re.findall(r"^(\S+/\d+)", d.text('show route primary where proto != "m3" && net != 172.17.0.0/24'), re.M)
    )
    equal(set(st.rib(address(m[2]), "out pre")), shown, "show route")
    limited = st.rib(address(m[5]), "out pre")
    check(
        len(limited) == 2400 + 6 + 1 and len(m[5].rib) == 20,
        "an export limit: %d of %d" % (len(m[5].rib), len(limited)),
    )
    want = offers(st, m)
    wait_until(
        lambda: st.stats.get(st.peer(address(m[0])).key, {}).get(14) == len(want[1]),
        lambda: "statistics: %s" % st.stats,
    )
    key = st.peer(address(m[0])).key
    equal(st.stats[key][16, 1], len(want[1]), "the same by family")
    check("Monitoring:       out pre_policy, out post_policy" in d.text("show protocols all b"), "show protocols all b")
    check(
        "Before policy:  %d exported, 0 dirty" % len(want[1]) in d.text("show protocols all m1"),
        "show protocols all m1",
    )

    cnt = told_before(st)
    configure(d, "filter marked", [st, late])
    wait_until(
        lambda: all(b"\xfd\xe8\x00\x03" in r.get(8, b"") for h in m for r in h.rib.values()), "what the filter does"
    )
    wait_same(st, m, "another policy, as it is sent")
    check(len(st.rib(address(m[2]), "out post")) < len(want[3]), "what the filter refuses")
    equal(offers(st, m), want, "another policy")
    equal(told_before(st), cnt, "messages of it")
    late.accept().run()
    wait_until(lambda: offers(late, m) == want, "the late one")
    wait_same(late, m, "the late one, as it is sent")
    wait_until(lambda: late.peer(address(m[0])).ends["out pre", 1] == 1, "End-of-RIB of the late one")

    m[0].peer.withdraw(["10.1.0.0/28", "172.16.0.0/24"])  # live, with a policy
    m[1].peer.update(["10.2.0.0/28"], path=[65002, 64999])
    m[2].peer.update(["10.66.9.0/24"])
    m[1].lose()
    wait_until(lambda: st.peer(address(m[1])) is None, "Peer Down")
    m[1] = Hearer(2)
    others = [h for h in m if h.n != 6]
    m[1].peer.update(["10.2.0.16/28", "172.16.0.0/24"])
    wait_until(
        lambda: "10.66.9.0/24" in st.rib(address(m[0]), "out pre") and "10.66.9.0/24" not in m[0].rib, "a new route"
    )
    settle(d)
    wait_quiet([st])
    want = offers(st, m)
    cnt = told_before(st)
    configure(d, "none", [st, late])
    wait_until(lambda: not any(h.rib for h in m), "nothing is sent")
    equal(offers(st, m), want, "nothing is sent")
    configure(d, "all", [st, late])
    wait_offer(st, others, "none any more")
    equal(offers(st, m), want, "none any more")
    equal(told_before(st), cnt, "messages of it")
    wait_offer(late, others, "the late one, in the end")
    d.stop()
    for s in (st, late):
        s.check()
        s.close()


OVER = """
ipv4 table t8;
protocol bgp m10 from any { neighbor 127.0.11.10 as 65010; }
protocol bgp m8 from any { neighbor 127.0.11.8 as 65008; ipv4 { table t8; import all; export all; }; }
protocol bgp m9 from any { neighbor 127.0.11.9 as 65009; }
protocol pipe p8 { table master4; peer table t8; import where net !~ [ 10.99.0.0/16+ ]; export %s; }
"""


def own_routes():
    """A member whose table lies over the common one isn't offered a net of which its own route is the best in its
    table, in whatever order both come; the same if the table begins to lie over the other one while the station is
    connected."""
    st = bmp_read.Station()
    for over, threads in ((True, ""), (True, "threads 1;"), (False, "threads 2;")):
        d = Daemon(threads + CONF + (OVER % "all" if over else OVER % "none") + bmp([st], OFFER)).start()
        st.accept().run()
        one, m10, m8, m9 = [Hearer(n) for n in (1, 10, 8, 9)]  # m9 and m10 make messages that m8 is sent, too
        members = [one, m8, m9, m10]
        nets = ["10.99.%d.0/24" % i for i in range(4)]
        m8.peer.update(nets[:2])
        m8.peer.update(["10.98.0.0/24"])
        wait_until(lambda: len(rows_of(d, "t8")) == 3, lambda: "%s" % rows_of(d, "t8"))
        for cnt in range(2, 9):  # longer paths than m8's own
            one.peer.update(nets, path=[65001] + cnt * [64999])
            one.peer.update(["10.97.0.0/24"], path=[65001] + cnt * [64999])
            one.peer.update(["10.97.%d.0/24" % cnt])
            if over or cnt > 2:
                wait_until(lambda: len(m8.rib.get("10.97.%d.0/24" % cnt, ())) > 0, lambda: "it is sent: %s" % m8.rib)
            m8.peer.update(nets[2:] if cnt == 2 else [])
            if not over and cnt == 2:
                d.write(d.read().replace("export none;", "export all;"))
                check(d.code("configure") in (3, 4), "configure")
        wait_until(
            lambda: sorted(m8.rib) == ["10.97.%s.0/24" % i for i in "02345678"],
            lambda: "what is sent: %s" % sorted(m8.rib),
        )
        # networks that are new to the common table, one at a time: m8's session may find messages of m9 or m10
        fresh = ["10.99.%d.0/24" % i for i in range(100, 140)]
        m8.peer.update(fresh)
        wait_until(lambda: len(rows_of(d, "t8")) >= 5 + len(fresh), "m8's own")
        for i, net in enumerate(fresh):
            one.peer.update([net], path=[65001, 64999, 1 + i])
            wait_until(lambda: net in m9.rib and net in m10.rib, "a new network")
        one.peer.update(["10.97.99.0/24"])
        wait_until(lambda: "10.97.99.0/24" in m8.rib, "the last one")
        wait_same(st, members, "as it is sent")
        wait_offer(st, members, "before policy")
        m8.peer.withdraw(nets[:1] + nets[2:3])
        wait_until(lambda: nets[0] in m8.rib and nets[2] in m8.rib, "its own are gone")
        wait_offer(st, members, "without its own")
        m8.peer.update(nets[:1])
        one.peer.withdraw(nets[2:3])
        wait_until(lambda: nets[0] not in m8.rib and nets[2] not in m8.rib, "its own is back")
        wait_offer(st, members, "with its own again")
        d.stop()
        st.check()
    st.close()


def under_churn():
    """Members flap, policies change; one station reads, one stalls so that its queue overflows, one restarts."""
    rnd = random.Random(SEED)
    note("seed %d" % SEED)
    good, lazy, fickle = bmp_read.Station(), bmp_read.Station(), bmp_read.Station()
    stations, more = [good, lazy, fickle], OFFER + "monitoring rib in pre_policy; tx buffer limit 1;"
    d = Daemon(with_policy("all") + bmp(stations, more)).start()
    good.accept().run()
    lazy.accept(rcvbuf=65536).run()
    fickle.accept().run()
    m = {n: Hearer(n) for n in (1, 2, 3, 4, 5)}

    def change(h):
        nets = sorted(
            {"10.%d.%d.%d/28" % (h.n, rnd.randrange(40), rnd.randrange(16) * 16) for _ in range(60)}
            | {"172.16.%d.0/24" % rnd.randrange(8), "10.66.%d.0/24" % rnd.randrange(8)}
        )
        if rnd.random() < 0.3:
            h.peer.withdraw(nets)
        else:
            h.peer.update(nets, path=[65000 + h.n] + [rnd.randrange(1, 64000) for _ in range(rnd.randrange(12))])

    until = time.monotonic() + size(5, 4)
    stalled = False
    while time.monotonic() < until:
        for _ in range(size(40, 10)):
            change(m[rnd.choice((1, 2, 3, 4, 5))])
        n, what = rnd.choice((1, 2, 3, 4, 5)), rnd.random()
        if what < 0.15:
            m[n].lose()
            m[n] = Hearer(n)
        elif what < 0.25:
            fickle.close()
            fickle.accept().run()
        elif what < 0.5:
            configure(d, rnd.choice(("all", "filter marked", "where net.len = 28")), stations, more)
        if rnd.random() < 0.2:
            lazy.run() if stalled else lazy.pause()
            stalled = not stalled
        good.check()
    if not stalled:
        lazy.pause()
    big = ["10.1.%d.%d/28" % (i // 16, i % 16 * 16) for i in range(40)]

    def resyncs():
        return [int(n) for n in re.findall(r"Resyncs: +(\d+)", d.text("show protocols all b"))]

    # What m1 announces is told as it came, too: up to 8,000 times 3.3 kB are more than a queue of 1 MB and the sockets
    # take. Most of it is an attribute, since stations in Python would be behind for minutes with as many octets of
    # networks.
    before = resyncs()[1]
    for i in range(8000):
        m[1].peer.update(big, path=[65001, 100 + i], extra=attribute(0xC0, 99, struct.pack("!I", i) * 750))
        if i % 250 == 249 and resyncs()[1] > before:
            break
    members = list(m.values())
    wait_same(good, members, "the good one", 60)
    lazy.run()
    wait_same(lazy, members, "the lazy one", 60)
    note("resyncs: %s; messages %s" % (resyncs(), [sum(s.seen.values()) for s in (good, lazy, fickle)]))
    check(resyncs()[1] > 0, "the lazy one wasn't reset: %s" % resyncs())
    wait_same(fickle, members, "the fickle one", 60)
    settle(d)
    wait_quiet(stations)
    want = [offers(s, members) for s in stations]
    configure(d, "all", stations, more)
    for s, w in zip(stations, want):
        wait_offer(s, members, "before policy", 60)
        equal(offers(s, members), w, "before policy, until now")
    equal(d.established(), 5, "sessions")
    d.stop()
    for st in (good, lazy, fickle):
        st.check()
        st.close()


case("as it goes", as_it_goes)
case("is added", is_added)
case("before policy", before_policy)
case("own routes in a table over another one", own_routes)
case("under churn", under_churn)
done()
