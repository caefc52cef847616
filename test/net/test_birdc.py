# SPDX-License-Identifier: GPL-3.0-or-later
"""test_birdc compares the replies that a script or a looking glass reads: some 900 commands (birdc_commands.py), each
asked of bird2 and of ternd, which serve the same members with the same file, in ten states and more. Codes must be
equal, and texts but for times, sizes and what stands in ALLOWED, each with its reason."""

from birdc_commands import LOOK, SINGLE, lines, whole
from harness import *

if KIND == "bird2" or not BIRD or not shutil.which(BIRD):
    needs("bird2")

CONF = """
router id 10.0.0.1;
hostname "rs1";
log "RUN/bird.log" all;
timeformat base iso long;
timeformat route iso long;
timeformat protocol iso long;
ipv4 table t1;
ipv4 table empty4;
roa4 table r4;
define PFX = 10.1.0.0/16;
define ADR = 10.20.1.7;
define ROA = 10.20.0.0/16 max 24 as 65001;
define ASN = 65000;
define NETS = [10.0.0.0/8+, 192.168.0.0/16{20,24}];
define PAIRS = [(65000,1), (65001,1..5)];
define TEXT = "some";
attribute int seen;
function is_short(int n) { return n < 20; }
filter f_in { if net.len > 28 then reject; bgp_large_community.add((65000,1,1)); seen = 7; accept; }
filter f_out { if (65000,666) ~ bgp_community then reject; accept; }
filter f_pipe { if net ~ [10.9.0.0/16+] then accept; reject; }
protocol device { }
protocol static s1 { description "our own"; ipv4;
  route 10.1.0.0/16 blackhole; route 10.2.0.0/16 unreachable; route 10.9.1.0/24 prohibit; }
protocol static sr { roa4 { table r4; }; route 10.20.0.0/16 max 24 as 65001; route 10.30.0.0/16 max 16 as 65002; }
protocol pipe pp { table master4; peer table t1; import none; export filter f_pipe; }
template bgp rsc {
  local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client; hold time 90;
  ipv4 { import keep filtered; import filter f_in; export filter f_out; };
}
protocol bgp p1 from rsc { neighbor 127.0.11.1 as 65001; description "one"; }
protocol bgp p2 from rsc { neighbor 127.0.11.2 as 65002; ipv4 { import limit 100 action restart; }; }
protocol bgp p3 from rsc { neighbor 127.0.11.3 as 65003; ipv4 { import limit 2 action block; receive limit 50; }; }
protocol bgp p4 from rsc { neighbor 127.0.11.4 as 65004; disabled; }
protocol bgp p5 from rsc { neighbor 127.0.11.5 as 65005; ipv4 { export none; }; }
"""

# What differs, and stays: (command, line of bird2 or of ternd, why)
ALLOWED = (
    ("show .*status", r"tern \d", "who it is, where no tool looks"),
    (
        "show protocols all",
        r" +(Dirty networks|Last sent|Sent early|Segments read|Decisions made|Messages built|Messages sent):",
        "how far behind a member is",
    ),
    ("show protocols all", r"    Down at: ", "when and why it was lost before"),
    ("show protocols all", r"    Send hold timer:  T/T", "later versions have it"),
    (
        "show protocols all",
        r"      (Enhanced refresh|Graceful restart|Long-lived graceful restart)$",
        "what was negotiated",
    ),
    (
        "show protocols all",
        r" +(Import|Export) (updates|withdraws):",
        "counted in other places: test_cli.py and test_day.py look",
    ),
    ("show protocols all", r"    Import limit:   2( \[HIT\])?$", "bird2 doesn't say each time that it was hit"),
    ("show symbols", r"\S+ *\tundefined", "each word that the parser has met"),
    ("show symbols", r"ip[prst]+_\w+ *\tconstant", "constants out of /etc/iproute2"),
    ("eval .*", None, "texts of values: doc/differences.md"),
    ("configure.*", r"\d+ sessions? will close$|(protocol|table|cli) .*: |\w+: enabled$", "what changes"),
    ("configure check .*", None, "why a file can't be read"),
    ("dump .*", r"Dumping .* to |\.\.\. dumped \d+ bytes in ", "a later bird2 says how far it is"),
    ("show route .*table .*(protocol|noexport).*", r"Table \w+:", "a table that was named has a heading"),
)
DUMP = "dump (resources|sockets|events|interfaces|attributes|routes|protocols|filter all)"


def shape(line):
    """A line with what differs between runs taken out."""
    line = line.replace("Connection reset by peer", "Connection closed")  # what was still unread decides which
    line = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?", "TIME", line)
    line = re.sub(r"\d+\.\d{3}/\d+", "T/T", line)
    line = re.sub(
        r"^BIRD 2(\.\d+)+$", "BIRD 2", line
    )  # tern answers as 2.0.12 does, the installed bird2 may be a later version
    line = re.sub(r"^Dumped \d+ bytes in \d+\.\d+ s$", "Dumped", line)
    return re.sub(r"/\S+/rs\.conf", "CONF", line)


def allowed(command, text):
    return any(re.fullmatch(c + "( .*)?", command) and line and re.match(line, text) for c, line, _ in ALLOWED)


def form_of(d, command):
    """A later bird2 (2.17) dumps to a new file alone, 2.0 dumps to its log alone, and ternd does both: the form that
    the installed bird2 has."""
    if not DUMPS_TO_FILES or not re.fullmatch(DUMP, command):
        return command
    path = os.path.join(d.dir, "dump")
    if os.path.exists(path):
        os.unlink(path)
    return '%s "%s"' % (command, path)


def told(d, command):
    """What is compared: lines in any order, since networks come in no order from bird2. Of what isn't understood the
    code."""
    reply = [(code, shape(text)) for code, text in d.run(form_of(d, command))]
    if reply[-1][0] == 9001:
        return [(9001, "")]
    if any(re.fullmatch(c, command) and not line for c, line, _ in ALLOWED):
        return [(code, "") for code, _ in reply]
    if re.search(r" filtered\b", command):
        # which of several is the best: bird2 doesn't compare them
        reply = [(code, re.sub(r"^(\d\S*)? +(unreachable .*\]) (\* )?\(", r"\2 (", text)) for code, text in reply]
    return sorted(x for x in reply if not allowed(command, x[1]))


def compare(commands, state):
    different = []
    for command in commands:
        ours, theirs = told(TERN, command), told(THEIRS, command)
        # What a table was told may be on its way yet.
        if ours != theirs and re.match("show (route|protocols)", command):

            def same():
                nonlocal ours, theirs
                ours, theirs = told(TERN, command), told(THEIRS, command)
                return ours == theirs

            happens(same, 10)
        if ours == theirs:
            continue
        different.append(command)
        note("     %s:" % command)
        for x in [x for x in theirs if x not in ours][:5]:
            note("       bird2 %r" % (x,))
        for x in [x for x in ours if x not in theirs][:5]:
            note("       ternd %r" % (x,))
    check(not different, "%s: other than bird2: %s" % (state, ", ".join(different)))


def both(fn):
    for d in TERN, THEIRS:
        fn(d)


def announce(n, fn):
    def one(d):
        d.peer[n] = member(d.port, n)
        fn(d.peer[n])
        d.peer[n].end_of_rib()

    both(one)


def communities(kind, octets):
    return attribute(0xC0, kind, octets)


def first(p):
    extra = attribute(0x80, 4, struct.pack("!I", 17)) + communities(8, struct.pack("!HHHH", 65001, 7, 65002, 8))
    extra += communities(16, bytes.fromhex("0002fde900000001")) + communities(32, struct.pack("!III", 65001, 2, 3))
    p.update(["10.20.1.0/24", "10.20.2.0/24"], [65001, 64999], extra=extra)
    p.update(["10.20.1.128/29"])
    p.update(["10.9.7.0/24"])


def second(p):
    p.update(["10.20.1.0/24", "10.30.0.0/16"], [65002, 64998, 64997])
    p.update(["10.31.0.0/16"], [65002], extra=communities(8, struct.pack("!HH", 65000, 666)))


def third(p):
    p.update(["10.40.1.0/24", "10.40.2.0/24", "10.40.3.0/24"])


def time_formats():
    """A command of later versions, and of one connection."""
    c = Cli(TERN.ctl)
    for command in ("iso long", "iso short ms", "iso long us", '"%T" 600 "%F"', '"%T" limit 600 "%F"'):
        equal(c.run("timeformat " + command), [(0, "")], command)
    for command in ("nosuch", "", "iso", "iso long 5", '"%T" 600', "iso short h"):
        equal(c.run("timeformat " + command)[-1][0], 9001, command)
    c.close()


P1 = "neighbor 127.0.11.1 as 65001; "
LIMIT = "ipv4 { import limit 2 action disable; }; "


def every(state):
    """All commands, in one state."""
    compare(ALL, state)
    TOTAL.append(len(ALL))
    both(lambda d: d.run("debug all off"))


def again(*announcements):
    """All members that are up go, these come."""
    both(lambda d: [p.s.close() for p in d.peer.values()])
    for n, fn in announcements:
        announce(n, fn)


def configured(change):
    """Another file for both: what @change makes of its text."""

    def one(d):
        d.write(change(d.read()))
        d.sum = [c for c, _ in d.run("configure")]

    both(one)
    check(TERN.sum[-1] in (3, 4) and THEIRS.sum[-1] in (3, 4), "configure: %r, %r" % (TERN.sum, THEIRS.sum))
    both(lambda d: wait_until(lambda: d.code("configure status") == 0, "it is done"))


def nobody():
    every("nobody is up")


def all_up():
    again((1, first), (2, second), (3, third))
    every("members are up")


def beyond(d):
    """It may be disabled before its connection is up."""
    d.peer[1] = member(d.port, 1)
    first(d.peer[1])


def limits_hit():
    """One that disables p1, one that blocks p3."""
    again((2, second), (3, third))
    configured(lambda t: t.replace(P1, P1 + LIMIT))
    both(lambda d: beyond(d))
    both(
        lambda d: wait_until(
            lambda: re.search(r"^p1 +BGP +--- +down", d.text("show protocols p1"), re.M),
            lambda: d.text("show protocols"),
        )
    )
    every("limits are hit")
    configured(lambda t: t.replace(LIMIT, ""))
    both(lambda d: d.run("enable p1"))


def disabled():
    again((1, first), (3, third))
    both(lambda d: d.run('disable p2 "gone fishing"'))
    both(lambda d: wait_until(lambda: "down" in d.text("show protocols p2"), "p2 is down"))
    every("p2 is disabled")


def all_filtered():
    configured(lambda t: t.replace("if net.len > 28 then reject;", "reject;"))
    again((1, first), (2, second), (3, third))
    every("all is filtered")
    configured(lambda t: t.replace("filter f_in { reject;", "filter f_in { if net.len > 28 then reject;"))


def goes():
    again((1, first), (2, second), (3, third))

    def leave(d):
        """What isn't read would make it a reset."""
        d.peer[1].send(message(NOTIFICATION, b"\x06\x02"))
        while d.peer[1].receive() is not None:
            pass
        d.peer[1].s.close()

    both(leave)
    both(lambda d: wait_until(lambda: "Established" not in d.text("show protocols p1"), "p1 has gone"))
    every("p1 has gone")


def unconfirmed():
    """A configuration that goes by itself, unless confirmed."""

    def one(d):
        d.write(d.read().replace("route 10.2.0.0/16 unreachable;", "route 10.3.0.0/16 unreachable;"))
        d.run("configure timeout 300")

    again((1, first), (2, second))
    both(one)
    commands = [c for c in ALL if not c.startswith("configure")]
    compare(commands, "a configuration that isn't confirmed")
    TOTAL.append(len(commands))
    both(lambda d: d.run("configure undo"))
    both(lambda d: d.write(d.read().replace("route 10.3.0.0/16 unreachable;", "route 10.2.0.0/16 unreachable;")))


def while_it_is_on():
    """Commands right behind `configure`, on its connection and on another: they are answered, with the same codes."""

    def codes(d):
        d.write(
            d.read()
            .replace("description \"one\"", "description \"two\"")
            .replace("import limit 100 ", "import limit 200 ")
        )
        c, other, out = Cli(d.ctl), Cli(d.ctl), []
        sent = ["configure"] + lines(LOOK)
        c.send("".join(x + "\n" for x in sent))
        for command in lines(LOOK):
            out.append((command, {c for c, _ in other.run(command)}))
        for command in sent:
            out.append((command, {{3: 4, 2: 4, 20: 4, 11: 4}.get(c, c) for c, _ in c.reply()}))
        c.close()
        other.close()
        TOTAL.append(len(out))
        return out

    ours, theirs = codes(TERN), codes(THEIRS)
    different = [x for x, y in zip(ours, theirs) if x != y and not x[0].startswith(("show route", "show protocols"))]
    check(not different, "codes: %r" % different)


def reconfigured():
    configured(
        lambda t: t.replace("protocol bgp p5", "protocol bgp p6")
        .replace("net.len > 28", "net.len > 29")
        .replace("route 10.2.0.0/16 unreachable;", "")
    )
    again((1, first), (2, second), (3, third))
    every("another configuration")
    for command in (
        "configure timeout 100",
        "configure timeout",
        "configure confirm",
        "configure confirm",
        "configure undo",
        "configure undo",
        "configure status",
        "configure soft",
        "configure soft timeout 0",
    ):
        ours, theirs = TERN.run(command), THEIRS.run(command)
        # in progress or done: which of the two is a matter of time
        last = [{3: 4}.get(r[-1][0], r[-1][0]) for r in (ours, theirs)]
        equal(last[0], last[1], command)


def soft():
    """A filter that hasn't been run yet, since nobody wanted that."""
    both(lambda d: d.write(d.read().replace("net.len > 29", "net.len > 20")))
    both(lambda d: d.run("configure soft"))
    every("a filter that was changed softly")


def all_disabled():
    both(lambda d: d.run("disable all"))
    both(lambda d: wait_until(lambda: " up " not in d.text("show protocols"), lambda: d.text("show protocols")))
    compare(lines(LOOK), "all is disabled")
    TOTAL.append(len(lines(LOOK)))
    both(lambda d: d.run("enable all"))


def changes():
    """Commands that change something, then what is there."""
    for command in (
        'disable p2 "gone fishing"',
        "disable p2",
        "enable p4",
        "enable p4",
        "disable p4",
        "restart s1",
        "reload s1",
        "reload in p1",
        "reload out p1",
        'disable "s*"',
        'enable "s*"',
        "disable all",
        "disable all",
        "enable all",
        "reload all",
        "restart all",
        "disable p4",
    ):
        if command == "reload s1":  # bird2's has to come up again first
            both(lambda d: wait_until(lambda: re.search(r"^s1 .* up ", d.text("show protocols s1"), re.M), "s1 is up"))
        # who has nothing to reload is named, as later versions do
        ours = [x for x in TERN.run(command) if not x[1].endswith(": is not UP")]
        equal(sorted(ours), sorted(THEIRS.run(command)), command)
    both(lambda d: [p.s.close() for p in d.peer.values()])
    announce(1, first)
    announce(3, third)
    both(lambda d: d.run("disable p2"))
    compare(lines(LOOK), "p2 is disabled")


def unasked():
    """Log lines come as bird2 says them, between replies; not to who hasn't asked, and no more when it has said
    `off`."""

    def one(d):
        c, quiet = Cli(d.ctl), Cli(d.ctl)
        equal(c.run("echo { info }"), [(0, "")], "echo")
        d.run("disable p3")
        d.run("enable p3")
        d.run("configure timeout 1")
        want = [
            "+Disabling protocol p3",
            "+Enabling protocol p3",
            "+Reconfiguring",
            "+Reconfigured",
            "+Config timeout expired, starting undo",
        ]
        got = []
        while [x for x in want if x not in got]:
            got.append(c.line(10 * SLOW))
        check([x for x in got if x in want][:5] == want, "in this order: %r" % got)
        equal(c.run("echo off"), [(0, "")], "echo off")
        d.run("reload s1")
        equal(quiet.run("show status")[-1][0], 13, "one that hasn't asked")
        wait_until(lambda: "Reloading" in d.whole_log(), "the log")
        equal(c.run("show status")[-1][0], 13, "the one that asks no more")
        c.s.setblocking(False)
        try:
            c.buf += c.s.recv(4096)
        except BlockingIOError:
            pass
        check(b"Reloading" not in c.buf[c.at :], "after `off`: %r" % c.buf)

    both(one)


def flood():
    """Who doesn't read what it has asked for holds up nobody, and is told how much it has missed."""
    c = Cli(TERN.ctl)
    equal(c.run("echo all 256"), [(0, "")], "echo")
    for _ in range(200):
        TERN.run("reload s1")
    wait_until(lambda: re.search("^\\+[0-9]+ log lines lost", c.line(5) or ""), "the count of what was lost")
    equal(c.run("echo off")[-1], (0, ""), "off")
    c.close()


def start(d):
    d.port = free_port()
    d.peer = {}
    d.write(CONF.replace("PORT", str(d.port)))
    return d.start()


TERN, THEIRS = start(Daemon()), start(Bird())
DUMPS_TO_FILES = THEIRS.code("dump resources") == 9001
TOTAL = []
ALL = whole(7 if SLOW > 1 else 1)
case("nobody is up", nobody)
case("members are up", all_up)
case("time formats", time_formats)
case("limits are hit", limits_hit)
case("a member is disabled", disabled)
case("all is filtered", all_filtered)
case("a member goes", goes)
case("a configuration that isn't confirmed", unconfirmed)
case("commands behind configure", while_it_is_on)
case("commands that change something", changes)
case("another configuration", reconfigured)
case("a filter that was changed softly", soft)
case("all is disabled", all_disabled)
note("     %d commands were compared" % sum(TOTAL))
case("log lines for who asks", unasked)
case("more of them than it reads", flood)
case("down", TERN.stop)
THEIRS.kill()
done()
