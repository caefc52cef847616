# SPDX-License-Identifier: GPL-3.0-or-later
"""An operator's day at the control socket: what a command says is so when it has answered, on its own connection and on
any other. Each case with a thread a worker, and with two threads."""

from harness import *

HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
"""
SESSION = """protocol bgp %s { local 127.0.0.1 port %d as 65000; neighbor 127.0.9.%d as %d; passive; multihop; rs \
client;
	error wait time 1, 1; %s ipv4 { import all; export all; %s }; }
"""
STATIC_CNT = 3000
STATIC = "protocol static s1 { ipv4; %s }\n" % " ".join(
    "route 30.%d.%d.0/24 blackhole;" % (k // 250, k % 250) for k in range(STATIC_CNT)
)
NETS = ["20.%d.%d.0/24" % (k // 250, k % 250) for k in range(1000)]


def session(name, k=1, port=1, more="", channel=""):
    return SESSION % (name, port, k, 65000 + k, more, channel)


def head(threads):
    return ("threads %d;\n" % threads if threads else "") + HEAD


def announce(p, nets=NETS):
    for k in range(0, len(nets), 200):
        p.update(nets[k : k + 200])


def imported(d, name, cnt):
    wait_until(
        lambda: re.search(r"Routes: +%d imported" % cnt, d.text("show protocols all " + name)),
        lambda: "%d routes of %s: %s" % (cnt, name, d.text("show protocols all " + name)),
    )


def routes_of(c, name):
    return int(re.match(r"(\d+) of", c.run("show route protocol %s count" % name)[0][1]).group(1))


def state_of(c, name):
    rows = [t.split() for code, t in c.run("show protocols " + name) if code == 1002]
    return rows[0][3]


def said_is_so(threads):
    """disable, enable and restart of a member with routes, of static routes, and of a pipe; each time two clients
    look."""
    port = free_port()
    d = Daemon(
        head(threads)
        + session("m1", 1, port)
        + STATIC
        + "ipv4 table t2;\nprotocol pipe p1 { table master4; peer table t2; import none; export all; }\n"
    ).start()
    own, other, late = Cli(d.ctl), Cli(d.ctl), []
    for turn in range(5):
        p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
        announce(p)
        imported(d, "m1", len(NETS))
        wait_until(
            lambda: int(re.match(r"(\d+) of", d.text("show route table t2 count")).group(1)) == len(NETS) + STATIC_CNT,
            "the pipe",
        )
        for name, back in ("p1", "up"), ("m1", "start"), ("s1", "up"):
            said = Said(own, 'disable %s "turn %d"' % (name, turn), 9, name + ": disabled")
            late.append(said.late)
            for c in other, own:
                said.so(lambda: routes_of(c, name), 0, "routes of %s, disabled, turn %d" % (name, turn))
                said.so(lambda: state_of(c, name), "down", name + ", disabled")
                said.so(
                    lambda: "turn %d" % turn in "".join(t for _, t in c.run("show protocols all " + name)),
                    True,
                    "the message",
                )
            if name == "p1":
                said.so(
                    lambda: other.run("show route table t2 count")[0][1].split()[0],
                    "0",
                    "routes behind the pipe, turn %d" % turn,
                )
            said = Said(own, "enable " + name, 11, name + ": enabled")
            late.append(said.late)
            for c in other, own:
                said.so(lambda: state_of(c, name), back, name + ", enabled")
                if name == "s1":
                    said.so(lambda: routes_of(c, name), STATIC_CNT, "static routes, enabled, turn %d" % turn)
        for command, code, text in ("restart s1", 12, "s1: restarted"), ("reload s1", 15, "s1: reloading"):
            said = Said(own, command, code, text)
            said.so(lambda: routes_of(other, "s1"), STATIC_CNT, "static routes after %s, turn %d" % (command, turn))
        p.s.close()
    if VIRTUAL:  # a busy machine may be late each time
        check(sum(late) < len(late) / 2, "%d of %d commands were late" % (sum(late), len(late)))
    d.stop()


def reload_done(threads):
    """`reload` answers when the filters have run over all that is kept, and what they made of it is in the tables; so
    does `enable` of a pipe."""
    cnt_250 = size(40, 10)  # 250 networks each
    nets, port = ["20.%d.%d.0/24" % (k, j) for k in range(cnt_250) for j in range(250)], free_port()

    def conf(member, pipe):
        verdict = "filter { if net ~ 20.9.0.0/16 then %s; accept; }"
        return (
            head(threads)
            + session("m1", 1, port, "", "import table on; import " + verdict % member + "; ")
            + "ipv4 table t2;\nprotocol pipe p1 { table master4; peer table t2; import none; export "
            + verdict % pipe
            + "; }\n"
        )

    d = Daemon(conf("accept", "accept")).start()
    own, other = Cli(d.ctl), Cli(d.ctl)
    cnt = lambda table: int(other.run("show route table %s count" % table)[0][1].split()[0])
    p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    announce(p, nets)
    wait_until(lambda: cnt("t2") == len(nets), "the pipe")
    for turn in range(3):
        for member, pipe in ("reject", "accept"), ("accept", "accept"), ("accept", "reject"), ("accept", "accept"):
            d.write(conf(member, pipe))
            check(d.run("configure soft")[-1][0] == 3, "configure soft")
            what = "turn %d, %s, %s: " % (turn, member, pipe)
            Said(own, "reload in m1", 15, "m1: reloading").so(
                lambda: cnt("master4"), len(nets) - 250 * (member == "reject"), what + "the member"
            )
            Said(own, "reload p1", 15, "p1: reloading").so(
                lambda: cnt("t2"), len(nets) - 250 * (member == "reject" or pipe == "reject"), what + "the pipe"
            )
        own.run("disable p1")
        Said(own, "enable p1", 11, "p1: enabled").so(lambda: cnt("t2"), len(nets), "enabled pipe, turn %d" % turn)
    p.s.close()
    d.stop()


def part_reloaded(threads):
    """`reload ... partial SET`: what was changed softly takes effect for these networks, and is there when the command
    has answered."""
    port = free_port()
    low, nets = ["20.0.%d.0/24" % k for k in range(100)], ["20.%d.%d.0/24" % (k // 100, k % 100) for k in range(2000)]

    def conf(to):
        verdict = "{ bgp_med = %d; accept; }" % to
        return (
            head(threads)
            + "ipv4 table t2; ipv4 table t3;\ndefine LOW = [ 20.0.0.0/16+ ]; define ONE = 20.0.0.0/16;\n"
            + session("m1", 1, port, "", "import table on; import filter %s; " % verdict)
            + session("m2", 2, port, "", "import filter %s; " % verdict).replace(
                "export all", "export filter " + verdict
            )
            + "protocol pipe p1 { table master4; peer table t2; import none; export filter %s; }\n" % verdict
            + "protocol static s2 { ipv4 { table t3; import filter %s; }; %s }\n"
            % (verdict, " ".join("route %s blackhole;" % n for n in nets))
        )

    d = Daemon(conf(1)).start()
    own, other = Cli(d.ctl), Cli(d.ctl)
    med = lambda table, to: int(
        other.run("show route table %s where bgp_med = %d count" % (table, to))[0][1].split()[0]
    )
    member = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    second = Peer(port, "127.0.9.2", 65002, server="127.0.0.1").establish()
    announce(member, nets)
    for table in "t2", "t3":
        wait_until(lambda t=table: med(t, 1) == len(nets), lambda t=table: "%s: %d" % (t, med(t, 1)))
    # The daemon may not have read the member's KEEPALIVE yet; then the session shows no counters.
    sent = lambda: int((re.search(r"Export updates: +(\d+)", d.text("show protocols all m2")) or [0, 0])[1])
    wait_until(lambda: sent() >= len(nets), lambda: "%d sent to m2" % sent())
    d.write(conf(2))
    check(d.run("configure soft")[-1][0] == 3, "configure soft")
    done = lambda name: [(15, "%s: reloading" % name), (0, "")]
    for name, table, words in (("s2", "t3", "reload in s2"), ("m1", "master4", "reload filters in m1")):
        equal(own.run(words + " partial LOW"), done(name), name)
        equal((med(table, 2), med(table, 1)), (len(low), len(nets) - len(low)), table)
        equal(own.run(words + " partial [ 20.1.0.0/24, 20.1.5.0/24 ]"), done(name), name)
        equal(med(table, 2), len(low) + 2, table)
        equal(own.run(words + " partial []"), done(name), name + ", none")
        equal(med(table, 2), len(low) + 2, table + ", none")
    # the pipe has passed on what the member's reload has changed
    equal(own.run("reload out p1 partial [ 20.7.0.0/16+ ]"), done("p1"), "p1")
    wait_until(lambda: med("t2", 2) == len(low) + 2 + 100, lambda: "t2: %d" % med("t2", 2))
    before = settled(sent, "what m2 has been sent")
    check(before >= len(nets), "m2 has been sent %d" % before)
    equal(own.run("reload out m2 partial LOW"), done("m2"), "m2")
    wait_until(lambda: sent() == before + len(low), lambda: "%d sent" % (sent() - before))
    # what can't be had, and what isn't understood
    equal(own.run("reload in m2 partial LOW"), [(8006, "m2: reload failed"), (0, "")], "what isn't kept")
    equal(own.run("reload s2 partial ONE"), [(9001, "Partial spec must be prefix set")], "a network")
    equal(own.run("reload s2 partial [ 5 ]"), [(9001, "Partial spec must be prefix set")], "numbers")
    equal(
        [
            code
            for words in (
                "reload s2 partial",
                "reload s2 partial LOW LOW",
                "reload bgp m1 partial LOW",
                "reload s2 partial NONE",
            )
            for code, _ in own.run(words)
        ],
        [9001] * 4,
        "what isn't understood",
    )
    # all of it, on the way
    for k in range(20):
        own.run(
            "reload %s%s%s"
            % (("", "in ", "out ")[k % 3], ("m1", "s2", "p1")[k // 3 % 3], " partial LOW" if k % 4 else "")
        )
    own.run("reload all")
    wait_until(lambda: (med("master4", 2), med("t2", 2), med("t3", 2)) == (len(nets),) * 3, "all in the end")
    for k in range(3):  # a session that ends with one under way
        own.send("reload in m1 partial LOW\ndisable m1\nenable m1\n")
        for _ in range(3):
            own.reply()
    d.stop()
    for p in member, second:
        p.s.close()


def counts(d, row):
    """The five numbers of a row of counters; None: not counted."""
    got = re.search(row + ": +(.*)", d.text("show protocols all m1"))
    return [None if x == "---" else int(x) for x in got.group(1).split()]


def counted(d, what, routes, updates, withdraws):
    """What `show protocols all m1` counts. Received is filtered, ignored and accepted."""
    want = (routes, updates, withdraws)
    wait_until(lambda: "Routes:" in d.text("show protocols all m1"), "the channel")
    see = lambda: (
        re.search("Routes: +(.*)", d.text("show protocols all m1")).group(1),
        counts(d, "Import updates"),
        counts(d, "Import withdraws"),
    )
    wait_until(lambda: see() == want, lambda: "%s: %s instead of %s" % (what, see(), want))
    equal(updates[0], sum(updates[1:]), what)


FIVE = ["20.0.%d.0/24" % k for k in range(5)]
REFUSES_3 = "import filter { if net ~ 20.0.3.0/24 then reject; accept; }; "


def life_counted(threads):
    """Counters are of one session: a new one begins at 0. What is there already is ignored, what is refused isn't."""
    port = free_port()
    d = Daemon(
        head(threads) + session("m1", 1, port, "", REFUSES_3.replace("import f", "import keep filtered on; import f"))
    ).start()
    for life in range(3):
        p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
        p.update(FIVE)
        counted(d, "five", "4 imported, 1 filtered, 0 exported, 4 preferred", [5, 0, 1, 0, 4], [0, 0, None, 1, 0])
        p.withdraw(["20.0.3.0/24", "20.0.0.0/24", "20.0.99.0/24"])
        counted(
            d, "three withdrawn", "3 imported, 0 filtered, 0 exported, 3 preferred", [5, 0, 1, 0, 4], [3, 0, None, 3, 1]
        )
        p.update(FIVE[:4])
        p.update(FIVE[3:4])
        counted(
            d, "five again", "4 imported, 1 filtered, 0 exported, 4 preferred", [10, 0, 3, 2, 5], [3, 0, None, 4, 1]
        )
        d.run("reload in m1")
        counted(d, "reload", "4 imported, 1 filtered, 0 exported, 4 preferred", [15, 0, 4, 6, 5], [3, 0, None, 4, 1])
        if life:
            d.run("restart m1")
        p.s.close()
        wait_until(lambda: d.sessions()["m1"][0] == "start", "the session's end")
    d.stop()


def blocked_counted(threads):
    """What a limit keeps out is ignored; with `import keep filtered` it is seen."""
    port = free_port()
    d = Daemon(
        head(threads) + session("m1", 1, port, "", REFUSES_3 + "import keep filtered on; import limit 3 action block;")
    ).start()
    p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    p.update(FIVE)
    counted(d, "five", "3 imported, 2 filtered, 0 exported, 3 preferred", [5, 0, 1, 1, 3], [0, 0, None, 1, 0])
    equal(
        set(re.findall(r"(?m)^20\.\S+", d.text("show route filtered"))),
        {"20.0.3.0/24", "20.0.4.0/24"},
        "show route filtered",
    )
    check("Import limit:   3 [HIT]" in d.text("show protocols all m1"), "the limit")
    p.update(FIVE[4:])
    counted(
        d, "the last one again", "3 imported, 2 filtered, 0 exported, 3 preferred", [6, 0, 1, 2, 3], [0, 0, None, 1, 0]
    )
    p.withdraw(["20.0.0.0/24"])
    p.update(FIVE[4:])
    counted(d, "there is room", "3 imported, 1 filtered, 0 exported, 3 preferred", [7, 0, 1, 2, 4], [1, 0, None, 1, 1])
    p.withdraw(FIVE[3:4])
    counted(
        d, "a refused one goes", "3 imported, 0 filtered, 0 exported, 3 preferred", [7, 0, 1, 2, 4], [2, 0, None, 2, 1]
    )
    d.run("restart m1")
    check("[HIT]" not in d.text("show protocols all m1"), "the limit after a restart")
    p.s.close()
    d.stop()


def blocked_come(threads):
    """A raised limit lets in what it has blocked, from what is kept: the peer isn't asked for it."""
    port = free_port()
    conf = lambda most: head(threads) + session(
        "m1", 1, port, "", REFUSES_3 + "import keep filtered on; import limit %d action block;" % most
    )
    d = Daemon(conf(2)).start()
    p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    p.update(FIVE)
    routes = lambda: (re.findall("Routes: +(.*)", d.text("show protocols all m1")) or [""])[0]
    for most, what in (2, "2 imported, 3 filtered"), (3, "3 imported, 2 filtered"), (9, "4 imported, 1 filtered"):
        d.write(conf(most))
        equal(d.code("configure"), 3, "configure")
        wait_until(lambda: routes().startswith(what), lambda: "limit %d: %s" % (most, routes()))
    equal(p.lying(REFRESH), 0, "requests for all routes")
    p.s.close()
    d.stop()


def refused_counted(threads):
    """A limit takes away a filtered route that would be there now: that isn't a withdrawal, since nobody sent one."""
    port = free_port()
    d = Daemon(
        head(threads)
        + session(
            "m1",
            1,
            port,
            "",
            "import table on; import limit 1 action block; import filter { if bgp_med = 7 then reject; accept; };",
        )
    ).start()
    p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    p.update(FIVE[:1])
    p.update(FIVE[1:2], extra=attribute(0x80, 4, b"\0\0\0\7"))
    counted(d, "one is filtered", "1 imported, 0 exported, 1 preferred", [2, 0, 1, 0, 1], [0, 0, None, 1, 0])
    p.update(FIVE[1:2])
    counted(d, "there is no room for it", "1 imported, 0 exported, 1 preferred", [3, 0, 1, 1, 1], [0, 0, None, 1, 0])
    p.s.close()
    d.stop()


def filtered_shown():
    """`show route filtered` has what `import keep filtered` keeps, and nothing that is kept for `import table`."""
    port = free_port()
    for more, cnt in (
        ("import table on;", 0),
        ("import keep filtered on;", 1),
        ("import table on; import keep filtered on;", 1),
    ):
        d = Daemon(HEAD + session("m1", 1, port, "", REFUSES_3 + more)).start()
        p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
        p.update(FIVE)
        imported(d, "m1", 4)
        equal(len(re.findall("20.0.3.0/24", d.text("show route filtered"))), cnt, "refused routes with " + more)
        check(
            "%d of %d routes" % (cnt, cnt) in d.text("show route table master4 filtered count"),
            "their number with " + more,
        )
        p.s.close()
        d.stop()


def timers_of(d, name):
    """{"Hold": seconds, "Keepalive": seconds, "Send hold": seconds}: the running timers of a session."""
    found = re.findall(r"([A-Z][a-z ]*) timer: +\S+/(\d+)", d.text("show protocols all " + name))
    return {k: int(v) for k, v in found}


def hold_time(threads):
    """A changed hold time counts at once: by a new session where what was agreed changes, and only there."""
    port = free_port()
    conf = lambda more: head(threads) + session("m1", 1, port, more)
    d = Daemon(conf("")).start()
    p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    wait_until(lambda: "Hold" in timers_of(d, "m1"), "the session")
    agreed = timers_of(d, "m1")["Hold"]
    for more, what, want in (
        ("hold time %d;" % (agreed + 30), "Hold", agreed),
        ("keepalive time 7;", "Keepalive", 7 * agreed // 240),
        ("send hold time 77;", "Send hold", 77),
    ):
        d.write(conf(more))
        equal(d.code("configure"), 3, "configure")
        wait_until(lambda: timers_of(d, "m1").get(what) == want, lambda: "%s: %s" % (more, timers_of(d, "m1")))
    equal(d.established(), 1, "the session that stays")
    check("Restarting" not in d.whole_log(), "it restarts")
    d.write(conf("hold time %d;" % (agreed - 30)))
    equal(d.code("configure"), 3, "configure")
    equal(p.wait_for(NOTIFICATION)[:2], bytes([6, 6]), "the end of the session: a changed configuration")
    wait_until(lambda: "m1: Restarting: the timers changed" in d.said(), "the log to say so")
    p.s.close()
    p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    wait_until(lambda: d.established() == 1 and timers_of(d, "m1").get("Hold") == agreed - 30, "the new hold time")
    p.s.close()
    d.stop()


def timers_confirmed(threads):
    """Timers that change while a session waits for the peer's first KEEPALIVE; its OPEN has come, so the hold time is
    agreed."""
    port = free_port()
    conf = lambda more: head(threads) + session("m1", 1, port, more)
    d = Daemon(conf("")).start()
    p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1")
    until = time.monotonic() + 20
    while True:
        p.send(p.open_message())
        if p.wait_for(OPEN) is not None and p.wait_for(KEEPALIVE) is not None:
            break
        check(time.monotonic() < until, "no OPEN")
        p.s.close()
        p.dial()
    wait_until(lambda: "OpenConfirm" in d.text("show protocols m1"), "the state before the last")
    d.write(conf("hold time 270; keepalive time 27; send hold time 77;"))
    equal(d.code("configure"), 3, "configure")
    p.send(message(KEEPALIVE))
    wait_until(lambda: d.established() == 1, "the session")
    # The thread of a busy session starts the timers later than `show` has the state; the answer to `configure` comes
    # after a second at the latest.
    wait_until(
        lambda: timers_of(d, "m1").get("Send hold") == 77 and "Keepalive" in timers_of(d, "m1"),
        lambda: "what was configured last: %s" % timers_of(d, "m1"),
    )
    agreed = timers_of(d, "m1")
    equal(agreed["Keepalive"], 27 * agreed["Hold"] // 270, "the keepalive time of the agreed hold time")
    check("Restarting" not in d.said(), "it restarts")
    p.s.close()
    d.stop()


def revived(threads):
    """`configure` enables what a command or a limit has disabled, and says whom; not who is held, or was told to
    wait."""
    port = free_port()
    limit = "import limit 2 action disable;"

    def conf(more="", lim=limit, third=""):
        return (
            head(threads)
            + session("m1", 1, port, more, lim)
            + session("m2", 2, port, "revive after limit off; " + more, lim)
            + (session("m3", 3, port, more + third))
            + "protocol static s1 { ipv4; route 30.0.0.0/24 blackhole; }\n"
        )

    def down():
        return [n for n in ("m1", "m2", "m3", "s1") if state_of(c, n) == "down"]

    def configure(text, command="configure"):
        d.write(text)
        got = d.run(command)
        check(got[-1][0] in (3, 4), "configure: %r" % got)
        return sorted(t for code, t in got if code == 11)

    d = Daemon(conf()).start()
    c = Cli(d.ctl)
    peers = [Peer(port, "127.0.9.%d" % k, 65000 + k, server="127.0.0.1").establish() for k in (1, 2)]
    for p in peers:
        p.update(FIVE)
    wait_until(lambda: down() == ["m1", "m2"], "the limits")
    for p in peers:
        p.s.close()
    equal(configure(conf()), ["m1: enabled"], "by the same file")
    wait_until(lambda: down() == ["m2"], lambda: "down: %s" % down())
    equal(configure(conf(lim="")), [], "by a file without limits")
    equal(configure(conf(lim="", more="multihop 3;")), [], "by a file that restarts all")
    equal(configure(conf(lim="")), [], "again")
    wait_until(lambda: down() == ["m2"], lambda: "down: %s" % down())
    equal(c.run("enable m2")[0], (11, "m2: enabled"), "enable")
    equal(
        [
            x[0][0]
            for x in (
                c.run("disable m1"),
                c.run('disable m3 hold "a new port"'),
                c.run("disable s1 hold"),
                c.run("disable m2"),
            )
        ],
        [9] * 4,
        "disable",
    )
    equal(down(), ["m1", "m2", "m3", "s1"], "disabled")
    check(
        "until `enable`" in d.text("show protocols all m3") and "until" not in d.text("show protocols all m1"),
        "who is held",
    )
    equal(configure(conf(lim=""), "configure soft"), ["m1: enabled", "m2: enabled"], "those who aren't held")
    wait_until(lambda: down() == ["m3", "s1"], lambda: "down: %s" % down())
    for k in range(4):
        equal(configure(conf(lim="", more="multihop %d;" % (4 + k % 2))), [], "held over a restart")
        equal(c.run("disable m3")[0], (8, "m3: already disabled"), "disable of who is held")
        wait_until(lambda: "a new port" in d.text("show protocols all m3"), "the message of who is held")
        wait_until(lambda: down() == ["m3", "s1"], lambda: "down, time %d: %s" % (k, down()))
    configure(conf(lim="", third="disabled;"))
    equal(configure(conf(lim="")), [], "held over `disabled`")
    equal([c.run("enable " + n)[0] for n in ("m3", "s1")], [(11, "m3: enabled"), (11, "s1: enabled")], "enable")
    wait_until(lambda: not down(), lambda: "down: %s" % down())
    equal(configure(conf(lim="")), [], "when all are enabled")
    c.run("disable s1 hold")
    configure(head(threads))
    wait_until(lambda: "s1" not in d.text("show protocols"), "s1 to go")
    configure(conf())
    wait_until(lambda: state_of(c, "s1") == "up", "one that was removed isn't held any more")
    d.write(conf() + "# for a while\n")
    d.run("configure timeout %d" % (1 if VIRTUAL else 10))  # `disable` comes before the undo
    d.run("disable s1")
    wait_until(lambda: state_of(c, "s1") == "up", "s1 after the timed undo")
    equal(
        configure(head(threads) + session("m1", 1, port, "", limit)),
        [],
        "by a file without the one that the undo has enabled",
    )
    configure(conf())
    wait_until(lambda: len(c.run("show protocols")) > 5 and not down(), "all of them")
    d.run("disable m1")
    os.kill(d.pid, signal.SIGHUP)
    wait_until(lambda: not down(), "m1 after SIGHUP")
    d.run("disable all")
    d.write(conf() + "# once more\n")
    equal(sum(code == 11 for code, _ in d.run("configure timeout 300")), 5, "configure timeout")
    d.run("disable all")
    equal(sum(code == 11 for code, _ in d.run("configure undo")), 5, "configure undo")
    d.stop()


def stays_down(threads):
    """What a limit has disabled for good stays so when the file disables it and doesn't any more: every class of
    protocol."""

    def conf(more="", limit="action disable"):
        own = "revive after limit off; " + more
        return head(threads) + (
            "ipv4 table t2; ipv4 table t3;\n"
            "protocol static s1 { ipv4; route 30.0.1.0/24 blackhole; route 30.0.2.0/24 blackhole; }\n"
            "protocol static s2 { %s ipv4 { table t2; import limit 1 %s; }; route 30.0.1.0/24 blackhole; "
            "route 30.0.2.0/24 blackhole; }\n"
            "protocol pipe p1 { %s table master4; peer table t3; import none; export all; "
            "export limit 1 %s; }\n"
        ) % (
            own,
            limit,
            own,
            limit,
        )

    d = Daemon(conf()).start()
    c = Cli(d.ctl)
    states = lambda: [state_of(c, n) for n in ("s1", "s2", "p1")]
    # before they start they are down, too
    wait_until(
        lambda: states() == ["up", "down", "down"]
        and all("Route limit exceeded" in d.text("show protocols all " + n) for n in ("s2", "p1")),
        lambda: "the limits: %s" % states(),
    )
    for k in range(3):
        for more in "disabled;", "disabled; description \"once more\";", "":
            d.write(conf(more, "action warn"))
            got = d.run("configure")
            check(got[-1][0] in (3, 4) and not [t for code, t in got if code == 11], "configure %r: %r" % (more, got))
            for name in "s2", "p1":  # which waits for the one that comes
                equal(c.run("disable " + name)[0][0], 8, "%s, configured with %r" % (name, more))
            equal(states(), ["up", "down", "down"], "with %r" % more)
    for name in "s2", "p1":
        equal(c.run("enable " + name)[0], (11, name + ": enabled"), "enable")
    wait_until(lambda: states() == ["up"] * 3, lambda: "enabled: %s" % states())
    d.write(conf("disabled;", "action warn"))
    d.run("configure")
    wait_until(lambda: states() == ["up", "down", "down"], lambda: "disabled: %s" % states())
    d.write(conf("", "action warn"))
    equal(sorted(t for code, t in d.run("configure") if code == 11), ["p1: enabled", "s2: enabled"], "enabled again")
    wait_until(lambda: states() == ["up"] * 3, lambda: "enabled by the file: %s" % states())
    d.stop()


def log_moved(threads):
    """A log file is moved away; the command makes a new one, and so does the signal. The configuration isn't read."""
    d = Daemon(head(threads)).start()
    read = lambda path: open(path).read() if os.path.exists(path) else ""
    for k, reopen in enumerate(
        (lambda: equal(d.run("log reopen"), [(0, "")], "log reopen"), lambda: os.kill(d.pid, signal.SIGUSR2))
    ):
        old = d.log + str(k)
        os.rename(d.log, old)
        d.write("rubbish")
        reopen()
        wait_until(lambda: "Log files reopened" in read(d.log), "the new file")
        said = read(old)
        d.run("disable device1")
        d.run("enable device1")
        wait_until(lambda: "Enabling protocol device1" in read(d.log), "a line in the new file")
        equal(read(old), said, "the old file")
        check("Reading" not in read(d.log), "the configuration was read")
    d.write(head(threads))
    os.rename(d.log, d.log + "2")
    os.mkdir(d.log)
    got = d.run("log reopen")
    equal(
        got,
        [(8009, "Cannot open log file %s: Is a directory (the log stays unchanged)" % d.log)],
        "a file that can't be opened",
    )
    wait_until(lambda: "Cannot open log file" in read(d.log + "2"), "the old file to tell of it")
    os.rmdir(d.log)
    equal(d.run("log reopen"), [(0, "")], "log reopen, when it can be opened again")
    c = Cli(d.ctl)
    c.run("restrict")
    equal(c.run("log reopen")[0][0], 8007, "by who may only look")
    c.close()
    d.stop()


for threads in 0, 2:
    how = ", two threads" if threads else ""
    case("what a command says is so when it has answered" + how, said_is_so, threads)
    case("reload answers when it is done" + how, reload_done, threads)
    case("a part of the networks" + how, part_reloaded, threads)
    case("counters of a session" + how, life_counted, threads)
    case("counters at a limit" + how, blocked_counted, threads)
    case("a limit that is raised" + how, blocked_come, threads)
    case("counters where a limit takes a filtered route away" + how, refused_counted, threads)
    case("who is enabled by configure" + how, revived, threads)
    case("who stays down after a limit" + how, stays_down, threads)
    case("log files that are moved away" + how, log_moved, threads)
    case("another hold time" + how, hold_time, threads)
    case("other timers before the session is up" + how, timers_confirmed, threads)
case("what show route filtered is about", filtered_shown)
done()
