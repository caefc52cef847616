# SPDX-License-Identifier: GPL-3.0-or-later
"""`log udp` and `log fixed`; `debug commands`, `debug show route`, `debug latency`, `watchdog warning`, `watchdog
timeout`."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
protocol static s { ipv4; route 192.0.2.0/24 blackhole; route 198.51.100.0/24 blackhole; }
%s
"""
MARK = "==== the newest line is above ====\n"


def log_lines(d):
    with open(d.log) as f:
        return f.read()


def by_udp():
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    u.bind(("127.0.0.1", 0))
    u.settimeout(10 * SLOW)
    port = u.getsockname()[1]
    d = Daemon(
        CONF % "log udp 127.0.0.1 port %d { info }; log udp \"localhost\" port %d { error };" % (port, port)
    ).start()
    got = u.recv(2000).decode()
    check(re.match(r"<30>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ tern: Started$", got), got)
    equal(d.code("disable s"), 0, "disable")
    got = u.recv(2000).decode()
    check(got.endswith("tern: Disabling protocol s"), got)
    d.write(CONF % ("log udp 127.0.0.1 port %d { error };" % port))
    equal(d.code("configure"), 3, "configure")
    u.settimeout(0.5)
    try:
        while True:
            check("<30>" in u.recv(2000).decode(), "a line of a class that isn't wanted")
    except socket.timeout:
        pass
    d.stop()


def fixed():
    d = Daemon(CONF % 'log fixed "RUN/ring" 16384 all;').start()
    ring = os.path.join(d.dir, "ring")
    for k in range(150):
        d.code("disable s" if k % 2 else "enable s")
    equal(d.code("configure"), 3, "configure")
    equal(d.code("disable s"), 0, "disable")

    def text():
        with open(ring) as f:
            return f.read()

    wait_until(lambda: text().split(MARK)[0].endswith("Disabling protocol s\n"), "the newest line")
    check(os.path.getsize(ring) <= 16384, "%d octets" % os.path.getsize(ring))
    before = text().split(MARK)[0]
    d.stop()
    d.start()
    wait_until(lambda: "Started" in text().split(MARK)[0][-200:], "the newest line behind the old ones")
    check(before[-100:] in text(), "old lines")
    d.stop()


def said():
    d = Daemon(CONF % "debug commands 2; debug show route;").start()
    wait_until(lambda: "2 imported" in d.text("show protocols all s"), "both routes")
    d.text("show route")
    d.text("show status")
    d.drop_cli()
    wait_until(
        lambda: 0 < log_lines(d).count("<INFO> CLI connect") == log_lines(d).count("<INFO> CLI disconnect"),
        "the end of all clients",
    )
    text = log_lines(d)
    for line in (
        "<INFO> CLI connect",
        "<TRACE> CLI: show route",
        "<TRACE> CLI: show status",
        "<TRACE> CLI: show route: 2 of 2 routes in ",
    ):
        check(line in text, "no %s in %s" % (line, text))
    d.write(CONF % "debug commands 1;")
    equal(d.code("configure"), 3, "configure")
    d.drop_cli()
    d.text("show route")
    text = log_lines(d)
    check(text.count("CLI connect") >= 2 and text.count("CLI: show route") == 2, text)
    d.stop()


def long_rounds():
    d = Daemon(CONF % "watchdog warning 1 us; debug latency all; debug latency limit 1 us;").start()
    d.text("show route")
    wait_until(lambda: re.search(r"<WARN> Loop \S.* was busy for 0\.0", log_lines(d)), "a warning")
    wait_until(lambda: re.search(r"<DBG> Loop \S.*: (events|timers|sockets|wake-up) took 0\.", log_lines(d)), "latency")
    d.write(CONF % "watchdog warning 1000; debug latency off; watchdog timeout 100;")
    equal(d.code("configure"), 3, "configure")
    before = settled(lambda: log_lines(d).count("Loop "), "lines about loops")
    d.text("show route")
    stays(
        lambda: log_lines(d).count("Loop ") == before,
        lambda: "lines about loops: %d, %d" % (before, log_lines(d).count("Loop ")),
        1.5,
    )
    d.stop()


def stuck():
    """A loop that works isn't taken for one that never comes to its end."""
    # on a busy machine a loop may not run for a while
    d = Daemon(CONF % "watchdog timeout %d ms;" % (2000 * SLOW)).start()
    stays(d.alive, lambda: "it ended though nothing was wrong: " + d.said(), 3 * SLOW)
    d.stop()


def tables():
    d = Daemon(CONF % "ipv4 table t1 { debug { routes }; }; debug tables { states };").start()
    for line in ("<TRACE> master4: table made", "<TRACE> master6: table made"):
        wait_until(lambda: line in log_lines(d), lambda: "%s in %s" % (line, log_lines(d)))
    text = log_lines(d)
    check("t1: table made" not in text and "192.0.2.0/24: the best" not in text, text)
    d.write(CONF % "debug tables all;")
    equal(d.code("configure"), 3, "configure")
    equal(d.code("disable s"), 0, "disable")
    equal(d.code("enable s"), 0, "enable")
    for line in (
        "master4: 192.0.2.0/24: no route",
        "master4: 192.0.2.0/24: the best route is from s",
        "master4: 198.51.100.0/24: the best route is from s",
    ):
        wait_until(lambda: "<TRACE> " + line in log_lines(d), lambda: "%s in %s" % (line, log_lines(d)))
    d.write(CONF % "")
    equal(d.code("configure"), 3, "configure")
    before = log_lines(d).count("master4: ")
    equal(d.code("restart s"), 0, "restart")
    equal(log_lines(d).count("master4: "), before, "lines about master4")
    d.stop()


def unwritable():
    """configure check names the log files that configure can't open."""
    warning = "Warning: Cannot open log file %s: "
    d = Daemon(CONF % "").start()
    d.write(CONF % 'log "RUN/none/a.log" all; log fixed "RUN/none/ring" 16384 all; log "RUN/new.log" all;')
    reply = d.text("configure check")
    for name in ("none/a.log", "none/ring"):
        check(warning % os.path.join(d.dir, name) + "No such file or directory" in reply, reply)
    equal(reply.count("Cannot open log file"), 2, "warnings in " + reply)
    check("Configuration OK" in reply and not os.path.exists(os.path.join(d.dir, "new.log")), reply)
    os.mkdir(os.path.join(d.dir, "none"))
    reply = d.text("configure check")
    check("Cannot open log file" not in reply, reply)
    equal(d.code("configure"), 3, "configure")
    d.stop()


case("log files that can't be opened", unwritable)
case("log udp", by_udp)
case("debug tables", tables)
case("log fixed", fixed)
case("debug commands, debug show route", said)
case("watchdog warning, debug latency", long_rounds)
case("watchdog timeout ends nobody who works", stuck)
done()
