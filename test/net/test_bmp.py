# SPDX-License-Identifier: GPL-3.0-or-later
"""protocol bmp: what stations are told, read by a decoder of its own, is what the tables and the import tables have;
whatever stations and members do."""

import random

import bmp_read
from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
SEED = int(os.environ.get("TERN_SEED", "1"))
PORT = free_port()
RX = struct.pack("!BBHBB", 69, 4, 1, 1, 2)  # it sends several paths

CONF = (
    """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
filter tagged { if net ~ [ 10.66.0.0/16+ ] then reject; bgp_community.add((65000, 1)); accept; }
template bgp any { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; strict bind on; error wait time 1,1;
  graceful restart off; ipv4 { import filter tagged; export all; add paths rx; }; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; }
protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; }
protocol bgp m4 from any { neighbor 127.0.11.4 as 65004; }
protocol static s { ipv4; route 192.0.2.0/24 blackhole; }
"""
    % PORT
)

ALL = "monitoring rib in pre_policy; monitoring rib in post_policy; monitoring rib local; connect retry time 1;"


def bmp(stations, more=ALL):
    return "protocol bmp b { %s %s }\n" % (
        " ".join("station address ip 127.0.0.1 port %d;" % s.port for s in stations),
        more,
    )


def shown(d, command):
    """{prefix or (prefix, session)...}: lines of `show route` with attributes, as [(prefix, session, communities,
    path)]."""
    out, net, cur = [], None, None
    for line in d.text(command + " all").splitlines():
        m = re.match(r"(\S+/\d+)?\s+(?:unicast|blackhole|unreachable) \[(\S+) ", line)
        if m:
            net = m.group(1) or net
            cur = [net, m.group(2), "", ""]
            out.append(cur)
        m = re.match(r"\s+(?:BGP\.)?(as_path|community): ?(.*)$", line.replace("bgp_", "BGP."))
        if m and cur:
            cur[3 if m.group(1) == "as_path" else 2] = m.group(2).strip()
    return [tuple(r) for r in out]


def text_of(attrs):
    """(communities, path) of a station's route, as `show route` has them."""
    com = attrs.get(8, b"")
    com = " ".join("(%d,%d)" % struct.unpack("!HH", com[i : i + 4]) for i in range(0, len(com), 4))
    return com, " ".join(str(a) for _, seg in attrs.get(2, []) for a in seg)


def told(st, who, rib):
    got = st.rib(who, rib)
    if got is None:
        return None
    return sorted((k[1] if isinstance(k, tuple) else k,) + text_of(a) for k, a in got.items())


def want(d, n, rib):
    if rib == "pre":
        rows = shown(d, "show route import table m%d.ipv4" % n)
    elif rib == "post":
        rows = shown(d, "show route protocol m%d" % n)
    else:
        rows = shown(d, "show route table master4 primary")
    return sorted((r[0], r[2], r[3]) for r in rows)


def same(d, st, members):
    """Is all that the station knows what the daemon shows?"""
    st.check()
    for n in members:
        for rib in ("pre", "post"):
            if told(st, "127.0.11.%d" % n, rib) != want(d, n, rib):
                return False
    return told(st, "master4", "loc") == want(d, 0, "loc")


def differs(d, st, members):
    for n in members:
        for rib in ("pre", "post"):
            got, due = told(st, "127.0.11.%d" % n, rib), want(d, n, rib)
            if got != due:
                more = [r for r in got or [] if r not in due][:3]
                less = [r for r in due if r not in (got or [])][:3]
                return "m%d %s: %s told, %d due; too many %s, missing %s" % (
                    n,
                    rib,
                    got is not None and len(got),
                    len(due),
                    more,
                    less,
                )
    return "Loc-RIB: %s, %s" % ((told(st, "master4", "loc") or [])[:3], want(d, 0, "loc")[:3])


def wait_same(d, st, members, what, limit_s=20):
    wait_until(
        lambda: same(d, st, members), lambda: "%s: %s %s" % (what, differs(d, st, members), st.error), limit_s, 0.2
    )


def fill(m, n, cnt=300):
    for at in range(0, cnt, 50):
        m.update(
            ["10.%d.%d.0/24" % (n, i) for i in range(at, min(at + 50, cnt))][:50]
            if cnt <= 256
            else ["10.%d.%d.%d/28" % (n, i // 16, i % 16 * 16) for i in range(at, min(at + 50, cnt))]
        )
    m.update(["10.66.%d.0/24" % n, "172.16.0.0/24"])  # refused; and of all members


def from_the_start():
    st = bmp_read.Station()
    d = Daemon(
        CONF + bmp([st], ALL + ' stats interval 1; route mirroring; system name "rs1"; system description "desc";')
    ).start()
    st.accept().run()
    a, b = member(PORT, 1), member(PORT, 2, caps=RX)
    fill(a, 1)
    b.update([(1, "10.2.0.0/16"), (2, "10.2.0.0/16"), (7, "172.16.0.0/24")])
    b.update([(2, "10.2.0.0/16")], path=[65002, 65009])
    a.end_of_rib()
    wait_until(lambda: len(want(d, 2, "pre")) == 3 and len(want(d, 1, "pre")) > 300, "the members' routes")
    wait_same(d, st, [1, 2], "after the feed")
    equal(
        sorted(st.rib("127.0.11.2", "pre")),
        [(1, "10.2.0.0/16"), (2, "10.2.0.0/16"), (7, "172.16.0.0/24")],
        "identifiers, pre",
    )
    equal(sorted(st.rib("127.0.11.2", "post")), sorted(st.rib("127.0.11.2", "pre")), "identifiers, post")
    equal(st.init, [(1, b"desc"), (2, b"rs1")], "Initiation")
    p = st.peer("127.0.11.1")
    equal(p.received["as4"], 65001, "AS of the peer's OPEN")
    equal((p.sent["as"], p.sent["id"]), (65000, socket.inet_aton("10.0.0.1")), "our OPEN")
    check(p.ends["pre", 1] == 1, "End-of-RIB as it came: %s" % p.ends)
    a.withdraw(["10.1.0.0/28", "10.66.1.0/24"])
    b.withdraw([(1, "10.2.0.0/16")])
    wait_same(d, st, [1, 2], "after withdrawals")
    # our own AS in the path: it isn't taken, so it isn't told; what was there before is withdrawn
    a.update(["10.1.0.16/28"], path=[65001, 65000])
    wait_until(lambda: "10.1.0.16/28" not in st.rib("127.0.11.1", "pre"), "a loop withdraws")
    # malformed: ORIGIN 9
    bad = (
        attribute(0x40, 1, b"\x09")
        + attribute(0x40, 2, b"\x02\x01" + struct.pack("!I", 65001))
        + attribute(0x40, 3, bytes([127, 0, 11, 1]))
    )
    bad = struct.pack("!HH", 0, len(bad)) + bad + nlri("10.1.0.32/28")
    a.send(message(UPDATE, bad))
    wait_until(lambda: st.mirrored, "a mirrored UPDATE")
    equal(dict(st.mirrored[0][1]), {1: b"\0\0", 0: message(UPDATE, bad)}, "what is mirrored")
    wait_same(d, st, [1, 2], "after a malformed UPDATE")
    wait_until(lambda: len(st.stats) >= 2, "statistics")
    wait_until(lambda: st.stats[p.key].get(7) == len(want(d, 1, "pre")), lambda: "routes of m1: %s" % st.stats)
    # ends
    a.cease()
    wait_until(lambda: st.peer("127.0.11.1") is None, "Peer Down of m1")
    equal(st.downs[-1][1:], (3, message(NOTIFICATION, b"\x06\x02")), "reason")
    b.reset()
    wait_until(lambda: st.peer("127.0.11.2") is None, "Peer Down of m2")
    equal(st.downs[-1][1:], (4, b""), "reason")
    c = member(PORT, 3)
    fill(c, 3, 100)
    wait_same(d, st, [3], "m3")
    d.code("disable m3")
    wait_until(lambda: st.peer("127.0.11.3") is None, "Peer Down of m3")
    equal((st.downs[-1][1], st.downs[-1][2][18:21]), (1, b"\x03\x06\x02"), "reason")
    check("1 of 1 stations" in d.text("show protocols b"), d.text("show protocols b"))
    check("State:          Up" in d.text("show protocols all b"), d.text("show protocols all b"))
    d.stop()
    wait_until(lambda: st.ended, "Termination")
    equal(st.term, [(1, b"\0\0")], "its reason")
    st.check()
    st.close()


def comes_late():
    """Stations that come when all is there; one of two that is closed in the middle of a message, and is back."""
    one, two = bmp_read.Station(), bmp_read.Station()
    d = Daemon(CONF + bmp([one, two])).start()
    one.accept().run()
    a, b = member(PORT, 1), member(PORT, 2, caps=RX)
    fill(a, 1, size(3000, 600))
    b.update([(i, "10.2.0.0/16") for i in range(5)] + [(9, "10.66.0.0/24")])
    wait_same(d, one, [1, 2], "the first")
    two.accept()
    two.conn.recv(700)  # a message and a half
    two.conn.close()
    two.accept().run()
    wait_same(d, two, [1, 2], "the late one")
    check(two.peer("127.0.11.1").ends["pre", 1] == 1, "End-of-RIB, pre")
    wait_until(lambda: two.peer("127.0.11.1").ends["post", 1] >= 1, "End-of-RIB, post")
    equal(two.table("master4").ends["loc", 1], 1, "End-of-RIB of the Loc-RIB")
    # an instance that is made while sessions are up; and goes
    three = bmp_read.Station()
    d.write(d.read() + bmp([three]).replace("bmp b", "bmp c"))
    check(d.code("configure") in (3, 4), "configure")
    three.accept().run()
    wait_same(d, three, [1, 2], "the new instance's")
    equal(d.established(), 2, "sessions: those that were monitored already stay")
    d.write(d.read().replace(bmp([three]).replace("bmp b", "bmp c"), ""))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: three.ended, "Termination")
    a.withdraw(["10.1.0.0/28"])
    wait_same(d, one, [1, 2], "the first, at the end")
    wait_same(d, two, [1, 2], "the second, at the end")
    d.stop()
    for st in (one, two, three):
        st.check()
        st.close()


def under_churn():
    """Members flap and change; one station reads, one stalls again and again, one restarts."""
    rnd = random.Random(SEED)
    note("seed %d" % SEED)
    good, lazy, fickle = bmp_read.Station(), bmp_read.Station(), bmp_read.Station()
    d = Daemon(CONF + bmp([good, lazy, fickle], ALL + " tx buffer limit 1;")).start()
    good.accept().run()
    lazy.accept(rcvbuf=65536).run()
    fickle.accept().run()
    live = {n: member(PORT, n, caps=RX if n == 4 else b"", hold=0) for n in (1, 2, 3, 4)}

    def change(n):
        nets = ["10.%d.%d.%d/28" % (n, rnd.randrange(40), rnd.randrange(16) * 16) for _ in range(60)]
        nets = sorted(set(nets + ["172.16.%d.0/24" % rnd.randrange(8), "10.66.%d.0/24" % rnd.randrange(8)]))
        if n == 4:
            nets = [(rnd.randrange(3), p) for p in nets]
            nets = sorted(set(nets))
        if rnd.random() < 0.3:
            live[n].withdraw(nets)
        else:
            live[n].update(nets, path=[65000 + n] + [rnd.randrange(1, 64000) for _ in range(rnd.randrange(12))])

    def resyncs():
        return [int(n) for n in re.findall(r"Resyncs: +(\d+)", d.text("show protocols all b"))]

    until = time.monotonic() + size(6, 2)
    stalled = False
    while time.monotonic() < until:
        for _ in range(size(40, 6)):
            change(rnd.choice((1, 2, 3, 4)))
        n = rnd.choice((1, 2, 3, 4))
        what = rnd.random()
        if what < 0.15:
            live[n].cease() if rnd.random() < 0.5 else live[n].reset()
            live[n] = member(PORT, n, caps=RX if n == 4 else b"", hold=0)
        elif what < 0.25:
            fickle.close()
            fickle.accept().run()
        if rnd.random() < 0.2:
            lazy.run() if stalled else lazy.pause()
            stalled = not stalled
        good.check()
    # More than fits into the queue of one that doesn't read. With a sanitizer, most of a message is an attribute,
    # because each network costs a multiple of the time.
    if not stalled:
        lazy.pause()
    big = ["10.1.%d.%d/28" % (i // 16, i % 16 * 16) for i in range(size(300, 40))]
    long = attribute(0xC0, 250, bytes(size(2000, 3500)))  # a long message of few routes
    for i in range(size(1500, 8000)):
        live[1].update(big, path=[65001, 100 + i], extra=long)
        if not i % 20:
            change(2)
        if SANITIZED and i % 100 == 99 and resyncs()[1] > 0:
            break
    wait_same(d, good, [1, 2, 3, 4], "the good one", 40)
    lazy.run()
    wait_same(d, lazy, [1, 2, 3, 4], "the lazy one", 40)
    note("resyncs: %s; messages %s" % (resyncs(), [sum(s.seen.values()) for s in (good, lazy, fickle)]))
    check(resyncs()[1] > 0, "the lazy one wasn't reset: %s" % resyncs())
    if fickle.conn:
        wait_same(d, fickle, [1, 2, 3, 4], "the fickle one", 40)
    equal(d.established(), 4, "sessions")
    d.stop()
    for st in (good, lazy, fickle):
        st.check()
        st.close()


def comes_and_goes():
    """Disabled and enabled, restarted, reconfigured; a station that nobody is at."""
    st = bmp_read.Station()
    nobody = free_port()
    d = Daemon(
        CONF + bmp([st]).replace("protocol bmp b {", "protocol bmp b { station address ip 127.0.0.1 port %d;" % nobody)
    ).start()
    st.accept().run()
    a = member(PORT, 1)
    fill(a, 1, 200)
    wait_same(d, st, [1], "at first")
    for what in ("disable b", "enable b", "restart b"):
        d.code(what)
        if what != "enable b":
            wait_until(lambda: st.ended, "Termination")
        if what != "disable b":
            st.close()
            st.accept().run()
            wait_same(d, st, [1], what)
    # a table that comes and goes
    d.write(d.read() + "ipv4 table t2; protocol pipe p { table master4; peer table t2; import none; export all; }\n")
    check(d.code("configure") in (3, 4), "configure")
    wait_until(
        lambda: st.table("t2") is not None and len(st.rib("t2", "loc")) == len(st.rib("master4", "loc")),
        lambda: "t2: %s" % st.error,
    )
    d.write(
        d.read().replace(
            "ipv4 table t2; protocol pipe p { table master4; peer table t2; import none; export all; }\n", ""
        )
    )
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: st.table("t2") is None, "t2 goes")
    wait_same(d, st, [1], "at the end")
    d.stop()
    st.check()
    st.close()


OVER = """
ipv4 table t8;
protocol bgp m8 from any { neighbor 127.0.11.8 as 65008; ipv4 { table t8; import filter tagged; export all; }; }
protocol pipe p8 { table master4; peer table t8; import none; export %s; }
"""
SECOND = "protocol static s8 { ipv4 { table t8; }; route 192.0.3.0/24 blackhole; }\n"


def loc_as():
    """RFC 9069, 4.1: the AS of a Loc-RIB is that of the router, whether a session is up or not, and follows
    `configure`."""
    st = bmp_read.Station()
    text = CONF + bmp([st])
    d = Daemon(text).start()
    st.accept().run()

    def head():
        p = st.table("master4")
        return p and (p.key[3], p.sent["as4"], p.received["as4"], socket.inet_ntoa(p.key[4]), sorted(p.ribs["loc"]))

    for asn in 65000, 65010, 65000:
        d.write(text.replace("as 65000;", "as %d;" % asn))
        check(d.code("configure") in (3, 4), "configure")
        due = asn, asn, asn, "10.0.0.1", ["192.0.2.0/24"]
        wait_until(lambda: head() == due, lambda: "%r, not %r %s" % (head(), due, st.error))
        equal(sum(p.table == "master4" for p in st.peers.values()), 1, "peers of the table")
    m = member(PORT, 1)
    m.update(["10.1.0.0/16"])
    wait_until(lambda: head() and head()[4] == ["10.1.0.0/16", "192.0.2.0/24"], lambda: "%r" % (head(),))
    equal(head()[0], 65000, "with a session that is up")
    m.cease()
    st.check()
    d.stop()
    st.close()


def ends():
    """End-of-RIB of sessions that come up while two stations are connected: each time after all routes that came before
    it, and of those sessions alone; of a table over another one, with path identifiers, after a restart, and while
    `configure` goes on."""
    for threads in ("", "threads 2;"):
        one, two = bmp_read.Station(), bmp_read.Station()
        d = Daemon(
            threads + CONF.replace("graceful restart off", "graceful restart on") + OVER % "all" + bmp([one, two])
        ).start()
        one.accept().run()
        two.accept().run()
        wait_until(lambda: one.table("master4") and two.table("master4"), "the stations are there")

        def end(st, n, cnt, why):
            who = "127.0.11.%d" % n
            wait_until(
                lambda: st.peer(who) and st.peer(who).ends["post", 1] == cnt,
                lambda: "%s: m%d: %s %s" % (why, n, st.peer(who) and st.peer(who).ends, st.error),
            )

        def whole(st, n, cnt):
            at = "End-of-RIB comes first: m%d: %d of %d" % (n, len(st.rib("127.0.11.%d" % n, "post")), cnt)
            check(len(st.rib("127.0.11.%d" % n, "post")) == cnt, at)

        m = {n: member(PORT, n, caps=RX if n == 2 else b"") for n in (1, 2, 8)}
        fill(m[1], 1, 3000)
        m[2].update([(i, "10.2.0.0/16") for i in range(5)])
        fill(m[8], 8, 600)
        for n, cnt in (1, 3001), (2, 5), (8, 601):  # what the filter refuses isn't there
            for st in (one, two):
                equal(
                    st.peer("127.0.11.%d" % n).ends["post", 1] if st.peer("127.0.11.%d" % n) else 0,
                    0,
                    "before its End-of-RIB: m%d" % n,
                )
            m[n].end_of_rib()
            for st in (one, two):
                end(st, n, 1, "the first")
                whole(st, n, cnt)
        # it goes and is back, its routes wait for it meanwhile (graceful restart) or not
        m[1].reset()
        wait_until(lambda: one.peer("127.0.11.1") is None, "Peer Down")
        m[1] = member(PORT, 1)
        fill(m[1], 1, 400)
        d.write(d.read() + "ipv4 table t9;\n")
        m[1].end_of_rib()
        check(d.code("configure") in (3, 4), "configure")
        for st in (one, two):
            end(st, 1, 1, "after a restart")
            wait_until(lambda: len(st.rib("127.0.11.1", "post")) == 401, "routes of before go")
        for _ in range(3):  # a peer may say it again
            m[2].end_of_rib()
        for st in (one, two):
            wait_until(lambda: st.peer("127.0.11.2").ends["post", 1] >= 2, "again")  # close ones may be told as one
            equal([st.peer("127.0.11.%d" % n).ends["post", 1] for n in (1, 8)], [1, 1], "of others")
        # a station that comes late has one of each session, whatever tables there are
        two.close()
        two.accept().run()
        for n in (1, 2, 8):
            end(two, n, 1, "a late station")
        d.stop()
        for st in (one, two):
            st.check()
            st.close()


def overlay_goes():
    """A table over another one has no Loc-RIB. When a second protocol uses it, the table is one of its own and has one,
    whatever happens then, and what the station is told is what `show route` shows."""
    st = bmp_read.Station()
    d = Daemon(CONF + OVER % "all" + bmp([st])).start()
    st.accept().run()
    a, e = member(PORT, 1), member(PORT, 8)
    fill(a, 1, 100)
    fill(e, 8, 100)
    wait_same(d, st, [1, 8], "at first")
    check(st.table("t8") is None, "a Loc-RIB of a table over another one")
    for more in (SECOND, "", SECOND):
        d.write(d.read().replace(SECOND, "") + more)
        check(d.code("configure") in (3, 4), "configure")
        due = lambda: sorted({r[0] for r in shown(d, "show route table t8 primary")})
        wait_until(
            lambda: (st.table("t8") is not None and sorted(st.rib("t8", "loc")) == due())
            and ("192.0.3.0/24" in due()) == bool(more),
            lambda: "t8 is a table of its own: %s %s" % (len(st.rib("t8", "loc") or ()), st.error),
        )
        wait_same(d, st, [1, 8], "others")
    st.check()
    d.stop()
    st.close()


def dynamic():
    """Members of a range come and go: when they are gone for good, nothing is known of them; one that is back is told
    whole."""
    one, two = bmp_read.Station(), bmp_read.Station()
    text = (
        CONF
        + "protocol bgp dyn from any { neighbor range 127.0.11.32/27 external; dynamic name \"dyn\"; dynamic age 1; }\n"
        + bmp([one, two])
    )
    d = Daemon(text).start()
    one.accept().run()
    two.accept().run()
    a = member(PORT, 1)
    fill(a, 1, 20)
    known = lambda: int(re.search(r"Sessions: +(\d+) known", d.text("show protocols all b")).group(1))
    for turn in range(3):
        m = [member(PORT, n) for n in range(33, 43)]
        for h in m:
            h.update(["10.%d.%d.0/24" % (h.as_number - 65000, turn)])
        for h in m:
            for st in (one, two):
                for rib in "pre", "post":
                    wait_until(
                        lambda: list(st.rib("127.0.11.%d" % (h.as_number - 65000), rib) or ())
                        == ["10.%d.%d.0/24" % (h.as_number - 65000, turn)],
                        lambda: "AS%d at turn %d: %s" % (h.as_number, turn, st.error),
                    )
        equal(known(), 11, "sessions")
        for h in m:
            h.cease() if turn % 2 else h.reset()
        wait_until(lambda: known() == 1, lambda: "%d sessions are known" % known())
        for st in (one, two):
            equal([st.peer("127.0.11.%d" % n) for n in range(33, 43)], [None] * 10, "peers")
    wait_same(d, one, [1], "who stays")
    d.stop()
    for st in (one, two):
        st.check()
        st.close()


case("from the start", from_the_start)
case("the AS of a Loc-RIB", loc_as)
case("End-of-RIB of sessions that come later", ends)
case("a table over another one becomes one of its own", overlay_goes)
case("dynamic neighbors", dynamic)
case("stations that come late", comes_late)
case("under churn", under_churn)
case("comes and goes", comes_and_goes)
done()
