# SPDX-License-Identifier: GPL-3.0-or-later
"""test_configure checks the effects of a single `configure` on instances and control sockets, and commands right
behind: the smallest forms of what random reconfigurations (test_reconf) have found."""

import errno
import select

from harness import *

HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
"""
SESSION = """protocol bgp %s { local 127.0.0.1 port %d as 65000; neighbor 127.0.9.%d as %d; passive; multihop; rs \
client;
	error wait time 1, 1; %s ipv4 { import all; export all; %s }; }
"""


def session(name, k=1, port=1, more="", channel=""):
    return SESSION % (name, port, k, 65000 + k, more, channel)


def configure(d, text, codes=(3, 4), command="configure"):
    d.write(text)
    code = d.code(command)
    check(code in codes, "%s: %d: %s" % (command, code, d.said()))


def timed(d, name, seconds):
    """`configure timeout`, with a session of this name."""
    d.write(HEAD + session(name))
    code = d.code("configure timeout %d" % seconds)
    check(code in (3, 4), "configure timeout %d: %d" % (seconds, code))


def undone():
    """What is unconfirmed goes back to the last that was confirmed, however often another one came in between."""
    d = Daemon(HEAD + session("good")).start()
    timed(d, "second", 300)
    timed(d, "third", 300)
    timed(d, "fourth", 1)
    wait_until(lambda: list(d.sessions()) == ["good"], "the timed undo")
    check(22 not in [code for code, _ in d.run("configure status")], "something is unconfirmed still")
    equal(d.run("configure undo")[-1], (19, "Nothing to do"), "undo of an undo")
    timed(d, "second", 300)
    equal(d.code("configure confirm"), 18, "confirm")
    timed(d, "third", 300)
    timed(d, "fourth", 1)
    wait_until(lambda: list(d.sessions()) == ["second"], "the timed undo after a confirm")
    # By hand it is one step, once.
    timed(d, "third", 300)
    timed(d, "fourth", 300)
    check(d.code("configure undo") in (3, 4), "undo")
    wait_until(lambda: list(d.sessions()) == ["third"], "one step back")
    equal(d.run("configure undo")[-1], (19, "Nothing to do"), "a second undo")
    d.stop()


def undo_is_told():
    """The end of `configure timeout` is told to each client of each control socket, once, in bird2's words: also to who
    is restricted, to who is in the middle of a long reply, and to who has the log's lines anyway."""
    conf = HEAD + 'cli "RUN/two.ctl";\nprotocol static s { ipv4; %s }\n' % "".join(
        "route 10.%d.%d.0/24 blackhole;\n" % (k // 256, k % 256) for k in range(20000)
    )
    d = Daemon(conf).start()
    two = os.path.join(d.dir, "two.ctl")
    asker, idle, restricted, other, echo = clients = [Cli(p) for p in (d.ctl, d.ctl, d.ctl, two, two)]
    equal(restricted.run("restrict")[-1][0], 16, "restrict")
    equal(echo.run("echo { info }")[-1][0], 0, "echo")
    d.write(conf + session("new"))
    check(asker.run("configure timeout 1")[-1][0] in (3, 4), "configure timeout")
    other.send("show route all\n")
    want = "+Config timeout expired, starting undo"
    for c in clients:
        line = c.line()
        while line != want:
            check(line is not None and (c in (other, echo) or not line.startswith("+")), "before it: %r" % line)
            line = c.line()
    wait_until(lambda: list(d.sessions()) == [], "the timed undo")
    for c in clients:  # the reply behind it: nothing is told twice
        c.send("show status\n")
        lines = []
        while not lines or not lines[-1].startswith("0013 "):
            lines.append(c.line())
        check(want not in lines, "told twice: %r" % [x for x in lines if x.startswith("+")])
        c.close()
    d.stop()


def log_refused():
    """A log file that can't be opened doesn't hold up the rest, and who gave the command is told."""
    d = Daemon(HEAD).start()
    bad = os.path.join(d.dir, "none", "bird.log")
    d.write((HEAD + session("m1")).replace("RUN/bird.log", bad))
    got = d.run("configure")
    check(
        (2, "Cannot open log file %s: No such file or directory (the log stays unchanged)" % bad) in got
        and got[-1][0] == 3,
        "the reply: %r" % got,
    )
    equal(list(d.sessions()), ["m1"], "the rest of the configuration")
    wait_until(lambda: "Cannot open log file" in d.whole_log(), "the old log to tell of it")
    configure(d, HEAD)
    equal(len(d.run("configure")), 2, "lines of the reply when it is good")
    d.stop()


def files():
    """Who gives commands can't have files read by them."""
    d = Daemon(HEAD).start()
    secret = os.path.join(d.dir, "secret")
    with open(secret, "w") as f:
        f.write("47")
    for restrict in False, True:
        if restrict:
            d.run("restrict")
        for command in ("eval %s", "show route where %s", "show route filter %s"):
            for path in secret, secret + ".none":
                want = (
                    (8007, "Access denied")
                    if restrict and command.startswith("eval")
                    else (9001, "a command can't include files")
                )
                equal(d.run(command % ('include "%s";' % path)), [want], command)
    d.stop()


def member_replaced(threads):
    """Seventeen members, of which one goes while another comes. Nobody is connected."""

    def conf(first):
        return HEAD + "".join(session("m%d" % k, k % 250 + 1) for k in range(first, first + 17))

    d = Daemon(("threads %d;\n" % threads if threads else "") + conf(0)).start()
    for k in range(size(200, 60)):
        configure(d, conf(k + 1))
        check(d.alive(), "the daemon has ended after %d times: %s" % (k + 1, d.said()))
    wait_until(lambda: len(d.sessions()) == 17, "seventeen sessions")
    d.stop()


def rights(path):
    """What one may do there: None: nobody listens; else the code of a command that changes something."""
    try:
        c = Cli(path)
    except OSError:
        return None
    code = c.run("disable nobody")[-1][0]
    c.close()
    return code


def control_sockets():
    d = Daemon(HEAD).start()
    one, two = os.path.join(d.dir, "one.ctl"), os.path.join(d.dir, "two.ctl")
    equal(rights(one), None, "a socket that isn't configured")
    configure(d, HEAD + 'cli "RUN/one.ctl";\n')
    equal(rights(one), 9001, "an open one, asked for an unknown protocol")
    kept = Cli(one)
    configure(d, HEAD + 'cli "RUN/one.ctl" { restrict; };\ncli "RUN/two.ctl";\n')
    equal(kept.run("disable all")[-1][0], 8007, "a client that was there before")
    equal(rights(one), 8007, "a new client")
    equal(rights(two), 9001, "the other socket")
    configure(d, HEAD + 'cli "RUN/one.ctl";\n')
    equal(kept.run("disable nobody")[-1][0], 9001, "loosened again")
    equal(kept.run("restrict")[-1][0], 16, "restrict")
    configure(d, HEAD + 'cli "RUN/one.ctl";\n# the same\n')
    equal(kept.run("disable nobody")[-1][0], 8007, "what a client has given up stays so")
    equal(rights(two), None, "one that was taken away")
    check(not os.path.exists(two), "its file is still there")
    # The client that takes its own socket away gets its answer, then the end.
    d.write(HEAD)
    own = Cli(one)
    check(own.run("configure")[-1][0] in (3, 4), "the last answer")
    check(own.is_closed() and kept.is_closed(), "clients of a socket that was taken away")
    # Back and forth, as fast as it goes.
    for k in range(size(100, 40)):
        configure(d, HEAD + ('cli "RUN/one.ctl"%s;\n' % (" { restrict; }" if k % 4 else "") if k % 2 else ""))
        equal(rights(one), (None, 8007 if k % 4 else 9001)[k % 2], "rights, round %d" % k)
    equal(sorted(os.listdir(d.dir)), sorted(["rs.conf", "rs.ctl", "rs.pid", "rs.err", "bird.log", "one.ctl"]), "files")
    configure(d, HEAD)
    d.stop()


def reply_goes_on():
    """Who is reading a long reply when his socket is taken away gets the reply, then the end. Who doesn't read is let
    go, and at once when the daemon ends."""
    routes = "protocol static { ipv4; %s }\n" % "".join(
        "route 10.%d.%d.0/24 blackhole; " % (k // 250, k % 250) for k in range(20000)
    )
    d = Daemon(HEAD + routes).start()
    wait_until(lambda: d.routes()[0] == 20000, "the routes")
    for end in False, True:
        configure(d, HEAD + routes + 'cli "RUN/one.ctl";\n')
        slow, deaf, idle = [Cli(os.path.join(d.dir, "one.ctl")) for _ in range(3)]
        slow.send("show route all\nshow status\n")
        deaf.send("show route all\n")
        slow.wait_full()
        deaf.wait_full()
        configure(d, HEAD + routes)
        check(idle.is_closed(), "an idle client stays")
        got = slow.reply()
        check(
            sum("10." in x[1] for x in got) >= 20000 and got[-1][0] == 0,
            "a reply of %d lines: %r" % (len(got), got[-1]),
        )
        check(slow.is_closed(), "the next command was answered, too")
        if end:
            d.stop()  # which doesn't wait for a client that doesn't read
        else:
            wait_until(
                lambda: [name for name, _ in d.threads()].count("cli") == 1, "the one that doesn't read to be gone", 20
            )


def control_socket_refused():
    """One that can't be had: the whole configuration is refused, and nothing has changed."""
    d = Daemon(HEAD + 'cli "RUN/one.ctl";\n').start()
    for bad, why in (
        ("RUN/none/two.ctl", "No such file"),
        ("RUN/bird.log", "not a socket|on non-socket"),
        ("RUN/rs.ctl", "in use"),
    ):
        d.write(HEAD + session("m1") + 'cli "RUN/new.ctl";\ncli "%s";\n' % bad)
        got = d.run("configure")
        equal(got[-1][0], 8002, "a control socket at %s" % bad)
        check(re.search(why, got[-1][1]) and bad.replace("RUN", d.dir) in got[-1][1], "why: %r" % (got[-1],))
        check(not d.sessions(), "a part of the configuration was taken")
        check(not os.path.exists(os.path.join(d.dir, "new.ctl")), "another socket was left behind")
        equal(rights(os.path.join(d.dir, "one.ctl")), 9001, "the old one")
    d.stop()


def restarting(d, port, text, *commands):
    """A configuration by which m1 restarts, its peer being slow to go, and commands right behind. Returns their
    replies."""
    p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    wait_until(lambda: d.sessions()["m1"][2].startswith("Established"), "our KEEPALIVE to arrive")
    d.write(text)
    c = Cli(d.ctl)
    c.send("configure\n" + "".join(x + "\n" for x in commands))
    check(c.reply()[-1][0] in (3, 4), "configure")
    if text != HEAD and not commands[0].startswith("debug"):
        quiet = lambda: c.at == len(c.buf) and not select.select([c.s], [], [], 0)[0]
        stays(quiet, "an answer before the new m1", 0.05, 0.01)
    p.s.close()
    got = [c.reply() for _ in commands]
    c.close()
    return got


def said_while_it_restarts():
    """Commands right behind a `configure` that restarts the protocol concern the one that comes."""
    port = free_port()

    def conf(k):
        return HEAD + session("m1", port=port, more="multihop %d;" % (2 + k))

    d = Daemon(conf(0)).start()
    for k in range(1, 11):
        got = restarting(d, port, conf(k), 'disable m1 "round %d"' % k, "disable m1")
        equal([r[0] for r in got], [(9, "m1: disabled"), (8, "m1: already disabled")], "round %d" % k)
        wait_until(
            lambda: re.search("Message: .*round %d" % k, d.text("show protocols all m1")), "the message, round %d" % k
        )
        equal(d.sessions()["m1"][0], "down", "the new m1, round %d" % k)
        equal(d.run("enable m1")[0], (11, "m1: enabled"), "enable")
        wait_until(lambda: d.sessions()["m1"][0] == "start", "m1 to start")
    for k, (command, first) in enumerate(
        (
            ("restart m1", (12, "m1: restarted")),
            ("enable m1", (10, "m1: already enabled")),
            ("reload m1", (15, "m1: reloading")),
        )
    ):
        equal(restarting(d, port, conf(20 + k), command)[0][0], first, command)
        wait_until(lambda: d.sessions().get("m1", ("",))[0] == "start", "m1 after " + command)
    check(restarting(d, port, HEAD, "disable m1")[0][-1][0] in (8003, 9001), "disable of a protocol that is removed")
    d.stop()


def debug_while_it_restarts():
    port = free_port()

    def conf(k):
        return HEAD + 'mrtdump "RUN/all.mrt";\n' + session("m1", port=port, more="multihop %d;" % (2 + k))

    d = Daemon(conf(0)).start()
    answers = restarting(d, port, conf(1), "debug m1 { events }", "mrtdump m1 { messages }")
    equal([a[-1][0] for a in answers], [0, 0], "debug and mrtdump")
    wait_until(lambda: d.sessions().get("m1", ("",))[0] == "start", "m1 to start")
    p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    wait_until(lambda: re.search("m1: Incoming connection: .* Established", d.whole_log()), "events of m1 in the log")
    wait_until(lambda: os.path.getsize(d.dir + "/all.mrt") > 0, "messages of m1 in the MRT file")
    # Nothing of m1 has changed, and yet: the file says what is traced.
    configure(d, conf(1))
    p.cease()
    wait_until(lambda: d.whole_log().count("m1: Session closed") == 2, "the second session's end")
    check("Established -> Idle" not in d.whole_log(), "traced as the operator said before the configuration")
    configure(d, conf(1) + "# again\n")
    d.stop()


def file_decides():
    """What was disabled by an operator or by a limit is as the file says after `configure`."""
    port = free_port()

    def conf(limit, more=""):
        return (
            HEAD
            + session("m1", port=port, more=more, channel="import limit %d action disable;" % limit)
            + "protocol static s1 { ipv4; route 10.9.0.0/16 blackhole; }\n"
        )

    d = Daemon(conf(2)).start()
    d.run("disable all")
    wait_until(lambda: not re.search(" (start|up) ", d.text("show protocols")), "all to be down")
    configure(d, conf(2))
    wait_until(lambda: d.sessions()["m1"][0] == "start", "m1 as the file says")
    wait_until(lambda: re.search(r"s1 .* up ", d.text("show protocols")), "s1 as the file says")
    p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    p.update(["20.0.%d.0/24" % k for k in range(5)])
    wait_until(lambda: d.sessions()["m1"][0] == "down", "the limit")
    p.s.close()
    configure(d, conf(100))
    wait_until(lambda: d.sessions()["m1"][0] == "start", "m1 with a higher limit")
    p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    p.update(["20.0.%d.0/24" % k for k in range(5)])
    wait_until(lambda: "5 imported" in d.text("show protocols all m1"), "routes")
    configure(d, conf(100, "disabled;"))
    wait_until(lambda: d.sessions()["m1"][0] == "down", "disabled by the file")
    p.s.close()
    d.stop()


def listeners_change():
    """All sessions go from any address to one of ours, on the same port: at once, not when it is tried again."""
    port = free_port()

    def conf(strict):
        return HEAD + "".join(session("m%d" % k, k, port, "strict bind %s;" % strict) for k in range(1, 6))

    d = Daemon(conf("off")).start()
    for strict in ("on", "off", "on"):
        configure(d, conf(strict))
        for k in range(1, 6):
            Peer(port, "127.0.9.%d" % k, 65000 + k, server="127.0.0.1").establish().s.close()
        check("Can't listen" not in d.whole_log(), "the new listener was in the way of the old one")
    d.stop()


def pair(d, port):
    """Two members: one that announces, one that is told."""
    a = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
    b = Peer(port, "127.0.9.2", 65002, server="127.0.0.1").establish()
    equal(b.wait_for(UPDATE), bytes(4), "End-of-RIB")
    a.update(["20.0.0.0/24", "20.1.0.0/24"])
    return a, b


def exported(d, name, cnt):
    wait_until(
        lambda: re.search(r"Routes: .* %d exported" % cnt, d.text("show protocols all " + name)),
        lambda: "%s to be told %d routes: %s" % (name, cnt, d.text("show protocols all " + name)),
    )


def exported_still(d, name, cnt):
    """Nothing changes that."""
    exported(d, name, cnt)
    stays(
        lambda: re.search(r"Routes: .* %d exported" % cnt, d.text("show protocols all " + name)),
        lambda: "%s is told %d routes: %s" % (name, cnt, d.text("show protocols all " + name)),
        0.2,
    )


def two(port, export, more=""):
    return (
        HEAD + more + session("m1", 1, port) + session("m2", 2, port, channel="export filter { %s accept; };" % export)
    )


def softly():
    """`configure soft` with one filter, then `configure` with another that says the same of all routes: the member
    still has what a third one said."""
    port = free_port()
    d = Daemon(two(port, "if net ~ 20.0.0.0/16 then reject;")).start()
    a, b = pair(d, port)
    exported(d, "m2", 1)
    configure(d, two(port, "if net ~ 20.0.0.0/12 then reject;"), command="configure soft")
    exported_still(d, "m2", 1)
    configure(d, two(port, "if net ~ 20.0.0.0/13 then reject;"))
    exported(d, "m2", 0)
    d.stop()
    a.s.close(), b.s.close()


def roas_and_filter():
    """ROAs change, and before anybody is told, the export filter no longer asks them: the old filter, asked now, says
    of the routes what the new one says, and not what it said when they were sent."""
    port = free_port()
    table = "roa4 table r4 { digest settle time %d s %d s; };\n" % (20 * SLOW, 30 * SLOW)
    roas = "protocol static roas { roa4 { table r4; }; %s }\n"
    asks = "if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject;"
    for first, then, told in (
        ("", "route 20.0.0.0/8 max 8 as 1;", (2, 0)),
        ("route 20.0.0.0/8 max 8 as 1;", "", (0, 2)),
    ):
        d = Daemon(two(port, asks, table + roas % first)).start()
        has_roa = lambda: d.text("eval roa_check(r4, 20.0.0.0/24, 65001)") == "ROA_INVALID"
        wait_until(lambda: has_roa() == bool(first), "the ROAs of the start")
        a, b = pair(d, port)
        wait_until(lambda: "2 imported" in d.text("show protocols all m1"), "two routes")
        # At least: a net that m2 was told from the table may come once more with its segment, and be left out.
        refused = lambda: re.findall(r"Export updates: +\d+ +\d+ +(\d+) ", d.text("show protocols all m2"))
        wait_until(
            lambda: refused() and int(refused()[0]) >= 2 - told[0],
            lambda: "m2's filter to refuse: " + d.text("show protocols all m2"),
        )
        exported(d, "m2", told[0])
        configure(d, two(port, asks, table + roas % then))
        wait_until(lambda: has_roa() == bool(then), "the ROA")
        exported(d, "m2", told[0])
        configure(d, two(port, "if net ~ 20.0.0.0/8 then reject;" if then else "", table + roas % then))
        exported(d, "m2", told[1])
        d.stop()
        a.s.close(), b.s.close()


def limit_raised(action):
    """What a limit has kept out comes in when it is raised, without a word of the operator's."""
    port = free_port()

    def conf(limit, more=""):
        return HEAD + session("m1", port=port, channel="import limit %d action %s; %s" % (limit, action, more))

    for more in ("", "import table on;"):
        d = Daemon(conf(2, more)).start()
        p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
        nets = ["20.0.%d.0/24" % k for k in range(5)]
        p.update(nets)
        wait_until(lambda: "2 imported" in d.text("show protocols all m1"), "two routes")
        configure(d, conf(100, more))
        check(p.wait_for(REFRESH) is not None, "no ROUTE-REFRESH came")
        p.update(nets)
        wait_until(lambda: "5 imported" in d.text("show protocols all m1"), "all five")
        d.stop()
        p.s.close()


def preference():
    """A changed preference, also of routes that the table keeps as they came."""
    port = free_port()

    def conf(value, more):
        return (
            HEAD
            + session("m1", port=port, channel="preference %d; %s" % (value, more))
            + "protocol static s1 { ipv4 { preference %d; %s }; route 10.9.0.0/16 blackhole;"
            " route 10.8.0.0/16 blackhole { preference = 77; }; }\n" % (value, more.replace("import table on;", ""))
        )

    def shows(d, value):
        text = d.text("show route table master4")
        return (
            re.search(r"20\.0\.0\.0/24 .*\(%d\)" % value, text)
            and re.search(r"10\.9\.0\.0/16 .*\(%d\)" % value, text)
            and (re.search(r"10\.8\.0\.0/16 .*\(77\)", text))
        )

    for more in ("import keep filtered on;", "import table on;"):
        d = Daemon(conf(100, more)).start()
        p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
        p.update(["20.0.0.0/24"])
        wait_until(lambda: shows(d, 100), "the routes")
        for value in (120, 90):
            configure(d, conf(value, more))
            wait_until(
                lambda: shows(d, value),
                lambda: "preference %d, %s: %s" % (value, more, d.text("show route table master4")),
            )
        d.stop()
        p.s.close()


def export_limit_raised():
    """The same for what a limit has kept from a member."""
    port = free_port()

    def conf(limit):
        return HEAD + session("m1", 1, port) + session("m2", 2, port, channel=limit)

    d = Daemon(conf("export limit 1 action block;")).start()
    a, b = pair(d, port)
    exported(d, "m2", 1)
    for limit, cnt in (("export limit 100 action block;", 2), ("export limit 1 action warn;", 2)):
        configure(d, conf(limit))
        exported(d, "m2", cnt)
    configure(d, conf("export limit 1 action block;"))
    a.update(["20.2.0.0/24"])
    exported_still(d, "m2", 2)
    configure(d, conf(""))
    exported(d, "m2", 3)
    d.stop()
    a.s.close(), b.s.close()


def softly_raised():
    """`configure soft` that also raises an export limit: what the limit had kept from the member comes; what it holds
    isn't looked at by the new filter."""
    port = free_port()

    def conf(limit, export):
        return (
            HEAD
            + session("m1", 1, port)
            + session("m2", 2, port, channel="export filter { %s accept; }; %s" % (export, limit))
        )

    d = Daemon(conf("export limit 1 action block;", "")).start()
    a, b = pair(d, port)
    exported(d, "m2", 1)
    configure(
        d,
        conf("export limit 10 action block;", "if net ~ [20.0.0.0/24, 20.1.0.0/24] then reject;"),
        command="configure soft",
    )
    exported_still(d, "m2", 1)
    a.update(["20.2.0.0/24", "20.3.0.0/24"])
    exported(d, "m2", 3)
    configure(d, conf("export limit 3 action block;", ""))
    wait_until(lambda: "Export limit:   3" in d.text("show protocols all m2"), "m2 to have the limit")
    a.update(["20.4.0.0/24"])
    exported(d, "m2", 3)
    configure(d, conf("export limit 10 action block;", "if net ~ [20.2.0.0/24] then reject;"), command="configure soft")
    exported(d, "m2", 5)  # 20.0, 20.1, 20.2, 20.3, 20.4
    configure(d, conf("export limit 10 action block;", "if net ~ [20.3.0.0/24] then reject;"))
    exported(d, "m2", 4)
    d.stop()
    a.s.close(), b.s.close()


HARMLESS = (
    "",
    "if net ~ 30.0.0.0/8 then reject;",
    "if bgp_path.len > 60 then reject;",
    "if (65000, 77) ~ bgp_community then reject;",
    "if net.len > 30 then bgp_local_pref = 300;",
    "int k; k = 5; if k > 6 then reject;",
    "bgp_community.delete([(65000, 5)]);",
    "bgp_community.add((65000, 9)); bgp_community.delete((65000, 9));",
    "if bgp_path ~ [64999] then bgp_med = 7;",
    "case net.len { 31: reject; else: ; }",
    "if source != RTS_BGP then reject;",
)
NETS = ["20.%d.%d.0/24" % (k // 250, k % 250) for k in range(1000)]


def told(held, body):
    """What an UPDATE of IPv4 says: prefixes as octets come to @held, or go."""

    def each(data):
        while data:
            n = 1 + (data[0] + 7) // 8
            yield data[:n]
            data = data[n:]

    gone = 2 + struct.unpack("!H", body[:2])[0]
    attrs = struct.unpack("!H", body[gone : gone + 2])[0]
    held.difference_update(each(body[2:gone]))
    held.update(each(body[gone + 2 + attrs :]))


def harmless(keep):
    """Filters change ten times and say the same of a thousand routes: nobody is told anything."""
    port = free_port()

    def conf(imp, exp):
        return (
            HEAD
            + session("m1", 1, port, channel="%s import filter { %s accept; };" % (keep, imp))
            + session("m2", 2, port, channel="export filter { %s accept; };" % exp)
        )

    d = Daemon(conf("", "")).start()
    a, b = pair(d, port)
    b.withdraw([])
    a.withdraw(["20.0.0.0/24", "20.1.0.0/24"])
    for k in range(0, 1000, 200):
        a.update(NETS[k : k + 200])
    exported(d, "m2", 1000)
    held = set()
    while len(held) < 1000:
        kind, body = b.receive()
        if kind == UPDATE:
            told(held, body)
    refreshed = 0
    for imp, exp in [(x, "") for x in HARMLESS] + [("", x) for x in HARMLESS]:
        configure(d, conf(imp, exp))
        spread(0.05)  # a REFRESH that comes later is answered in the next turn
        while a.lying(REFRESH):
            a.receive()
            refreshed += 1
            for k in range(0, 1000, 200):
                a.update(NETS[k : k + 200])
    mark = ["20.99.0.0/16"]
    a.update(mark)  # what was to be told has been told before it
    exported(d, "m2", 1001)
    body = b.wait_for(UPDATE)
    check(body.endswith(nlri(mark[0])), "an UPDATE came before that of the last route")
    check(bool(refreshed) != bool(keep), "%d refreshes asked for" % refreshed)
    d.stop()
    a.s.close(), b.s.close()


def pipe():
    """A configuration that is a pipe, or includes one, and nobody writes to it: an error at once, and the daemon ends
    when it is told to."""
    d = Daemon(HEAD).start()
    fifo = os.path.join(d.dir, "fifo")
    os.mkfifo(fifo)
    for command in ('configure "%s"' % fifo, 'configure check "%s"' % fifo):
        code, text = d.run(command)[-1]
        equal((code, text), (8002, fifo + ": can't read the file: not a regular file"), command)
    configure(d, 'include "fifo";\n' + HEAD, (8002,))
    c = Cli(d.ctl)
    c.send('configure "%s"\n' % fifo)
    os.kill(d.pid, signal.SIGTERM)
    try:
        d.proc.wait(20 * SLOW)
    except subprocess.TimeoutExpired:
        raise Failed("the daemon doesn't end: " + d.said())
    equal(d.proc.returncode, 0, "exit status")
    c.close()


TCP_MD5SIG = 14


def signed(address, key, server, port, limit_s):
    """Does a connection with this key (None: without one) come up?"""
    s = socket.socket()
    s.settimeout(limit_s)
    s.bind((address, 0))
    if key:
        to = struct.pack("!HH4s", 0, 0, socket.inet_aton(server))
        to = struct.pack("H", socket.AF_INET) + to[2:] + b"\0" * 120
        s.setsockopt(socket.IPPROTO_TCP, TCP_MD5SIG, to + struct.pack("BBHI", 0, 0, len(key), 0) + key.ljust(80, b"\0"))
    try:
        s.connect((server, port))
        return True
    except (socket.timeout, ConnectionError):
        return False
    finally:
        s.close()


def passwords():
    """Two sessions with one neighbor, at two addresses of ours, both with the password: one goes, and the other one's
    connections are checked as before."""
    port = free_port()

    def one(k):
        return (
            'protocol bgp s%d { local 127.0.10.%d port %d as 65000; neighbor 127.0.9.1 as 65001; passive; multihop;'
            ' password "secret"; ipv4 { import all; export all; }; }\n' % (k, k, port)
        )

    d = Daemon(HEAD + one(1) + one(2)).start()
    try:
        wait_until(lambda: signed("127.0.9.1", b"secret", "127.0.10.1", port, 1), "a connection with the password", 5)
    except OSError as e:
        d.stop()
        if e.errno != errno.ENOPROTOOPT:
            raise
        cannot_here("this kernel has no TCP MD5")
    check(not signed("127.0.9.1", None, "127.0.10.1", port, 1), "a connection without it came up")
    configure(d, HEAD + one(2))
    wait_until(lambda: len(d.sessions()) == 1, "the other one to go")
    check(signed("127.0.9.1", b"secret", "127.0.10.2", port, 3), "with the password, after the other one went")
    check(not signed("127.0.9.1", None, "127.0.10.2", port, 1), "without it, after the other one went")
    d.stop()


case("a member is replaced, a thread for each worker", member_replaced, 0)
case("a member is replaced, two threads", member_replaced, 2)
case("control sockets come, go and change their rights", control_sockets)
case("a reply that goes on when its socket is taken away", reply_goes_on)
case("a control socket that can't be had", control_socket_refused)
case("commands while a protocol restarts", said_while_it_restarts)
case("debug while a protocol restarts", debug_while_it_restarts)
case("what the file says of disabled protocols counts", file_decides)
case("a filter after `configure soft`", softly)
case("ROAs and filter change", roas_and_filter)
case("a limit is raised, action block", limit_raised, "block")
case("harmless changes of filters", harmless, "")
case("harmless changes of filters, routes kept", harmless, "import keep filtered on;")
case("another preference", preference)
case("an export limit is raised, action block", export_limit_raised)
case("an export limit is raised by `configure soft`", softly_raised)
case("the password of two sessions with one neighbor", passwords)
case("listeners change their address", listeners_change)
case("a configuration that is a pipe", pipe)
case("what is undone to", undone)
case("clients are told of a timed undo", undo_is_told)
case("files that a command names", files)
case("a log file that can't be opened", log_refused)
done()
