# SPDX-License-Identifier: GPL-3.0-or-later
"""Rights of control sockets: what `restrict` denies, rules of commands (`allow`, `deny`), group and mode of the
file."""

import grp
import stat

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
threads 2;
protocol device { }
cli "RUN/ro.ctl" { restrict; };
cli "RUN/lg.ctl" { restrict; allow "show", "configure  check"; deny "show protocols all"; };
cli "RUN/noc.ctl" { deny "down", "configure"; allow "configure check"; allow "enable", "show"; };
cli "RUN/most.ctl" { deny "down", "eval", "show bfd"; deny "show memory", "show protocols all", "show route export"; };
cli "RUN/own.ctl" { allow "disable device1"; };
cli "RUN/open.ctl";
"""
DENIED = (8007, "Access denied")
D = Daemon(CONF).start()


def client(name):
    return Cli("%s/%s.ctl" % (D.dir, name))


def rights(name, allowed, denied):
    c = client(name)
    for command in allowed:
        check(c.run(command)[-1][0] < 8000, "%s: %s: %s" % (name, command, c.run(command)[-1]))
    for command in denied:
        equal(c.run(command)[-1], DENIED, "%s: %s" % (name, command))
    c.close()


def restricted():
    rights(
        "ro",
        ("show status", "json show status", "show protocols all", "configure status", "timeformat iso long", "help"),
        (
            "eval 1 + 1",
            "echo all",
            "configure",
            "configure check",
            "down",
            "enable device1",
            "dump routes",
            "mrt dump table master4 to \"x\"",
            "debug all all",
            "log reopen",
            "reload all",
            "flush stale all",
            "drain all",
            "undrain all",
            "override add limit 5 from as1 reason \"a\"",
            "override remove 1",
            "override extend 1 for 5",
            "graceful restart",
            "mrtdump all all",
        ),
    )
    c = Cli(D.ctl)
    equal(c.run("eval 1 + 1")[-1], (23, "2"), "eval of an unrestricted session")
    equal(c.run("restrict")[-1][0], 16, "restrict")
    equal(c.run("eval 1 + 1")[-1], DENIED, "eval of a restricted session")
    c.close()


def ruled():
    rights(
        "lg",
        (
            "show protocols",
            "show  route",
            "json show protocols",
            "configure check",
            "help",
            "timeformat iso long",
            "show protocols device1",
        ),
        (
            "show protocols all",
            "json  show protocols   all",
            "configure",
            "configure soft",
            "eval 1",
            "echo all",
            "down",
        ),
    )
    rights(
        "noc",
        ("configure check", "enable device1", "show status"),
        ("configure", "configure soft", "down", "disable device1", "eval 1"),
    )
    rights(
        "most",
        ("show status", "echo off", "enable device1"),
        ("down", "show memory", "json show memory", "show memory tables"),
    )
    c = client("lg")
    c.run("restrict")
    equal(c.run("configure check")[-1], DENIED, "`restrict` of the session stands above the rules")
    c.close()


def spellings(words):
    """Other spellings of a command, with and without arguments; the parser finds the same command in each."""
    joined = (" ", "  ", "\t", " \t", "/**/", " /* \" */ ")
    behind = "", " ", '"x"', "'x'", ' "x"', "{", "{ all }", "(1)", ";", ",", " ?", "/**/", "# x", "*", "-1", "\r"
    for join in joined:
        for text in behind:
            yield join.join(words.split()) + text
            yield " json" + join + join.join(words.split()) + text if words.startswith("show") else "\t" + words + text


def disguised():
    """A rule is about the command that the parser finds: no character behind a word, no blank and no comment hides the
    command. Tried on sockets with a `deny`, with an `allow` of other commands, and with `restrict`."""
    most, lg, ro = client("most"), client("lg"), client("ro")
    for words in "show memory", "show protocols all", "eval", "show bfd sessions":
        for line in spellings(words):
            equal(most.run(line)[-1], DENIED, "deny: %r" % line)
    for words in "eval", "echo", "configure", "show protocols all":
        for line in spellings(words):
            equal(lg.run(line)[-1], DENIED, "allow of others: %r" % line)
    for words in "eval", "echo", "configure", "dump routes", "debug", "mrt dump":
        for line in spellings(words):
            equal(ro.run(line)[-1], DENIED, "restrict: %r" % line)
    # in any order of the options, and by any of their names
    for line in (
        "show route export device1",
        "show route exported device1",
        "show route all export device1",
        "show route table master4 all exported device1",
        'show route where net.len > 8 exported"device1"',
        "json show route count primary export device1",
    ):
        equal(most.run(line)[-1], DENIED, line)
    for line in "show route count", "show route table master4 count", "show protocols", 'show protocols "all"':
        check(most.run(line)[-1] != DENIED, line)
    # no command, neither for the rules nor for the parser
    for line in "SHOW memory", "Show Memory", "show mem", "sh memory", "showmemory", "show_memory", "'show' memory":
        equal(most.run(line)[-1][0], 9001, line)
    for c in most, lg, ro:
        check(c.run("show status")[-1][0] == 13, "the session is up")
        c.close()


def ternc():
    def ask(name, *words):
        p = subprocess.run(
            [program("ternc"), "-s", "%s/%s.ctl" % (D.dir, name), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60 * SLOW,
        )
        return p.returncode, p.stdout.decode().strip().split("\n")[-1]

    for words in ("show", "memory"), ("sh", "mem"), ("show memory tab",), ('show memory "x"',), ("ev", "1"), ("s p a",):
        equal(ask("most", *words), (1, DENIED[1]), words)
    equal(ask("most", "show", "route", "ta", "all", "exported", "device1"), (1, DENIED[1]), "options of show route")
    equal(ask("most", "-j", "show", "protocols", "all")[0], 1, "JSON")
    equal(ask("lg", "con", "che")[0], 0, "configure check")
    equal(ask("lg", "con"), (1, DENIED[1]), "configure")
    equal(ask("own", "disable", "device1"), (0, "device1: disabled"), "a name in a rule")
    equal(ask("own", "disable", '"device1"'), (1, DENIED[1]), "a pattern")
    equal(ask("own", "-r", "disable", "device1"), (1, DENIED[1]), "-r")
    D.run("enable device1")


def changed():
    """Other rules hold at once, also for clients that are connected."""
    c = client("most")
    equal(c.run("show memory")[-1], DENIED, "before")
    D.write(CONF.replace('deny "show memory"', 'deny "show status"'))
    check(D.run("configure")[-1][0] in (3, 4), "configure")
    check(c.run("show memory")[-1][0] < 8000, "after")
    equal(c.run("show status")[-1], DENIED, "after")
    D.write(CONF.replace('cli "RUN/most.ctl" {', 'cli "RUN/most.ctl" { restrict;'))
    check(D.run("configure")[-1][0] in (3, 4), "restrict")
    equal(c.run("enable device1")[-1], DENIED, "restrict")
    D.write(CONF)
    check(D.run("configure")[-1][0] in (3, 4), "configure")
    check(c.run("enable device1")[-1][0] < 8000, "back")
    c.close()


def removed():
    """The clients of a socket that a configuration removes have no rights from then on. One of them sends both
    commands at once: the second is read before the server closes the connection."""
    for command in "eval 1 + 1", "enable device1", "show status":
        c = client("open")
        equal(c.run(command)[-1][0] < 8000, True, command)
        D.write(CONF.replace('cli "RUN/open.ctl";\n', ""))
        c.send("configure\n%s\n" % command)
        check(c.reply()[-1][0] in (3, 4), "configure")
        line = c.line()
        check(line in (None, "%d %s" % DENIED), "a client of a removed socket: %r" % line)
        check(c.is_closed(), "the client is still there")
        D.write(CONF)
        check(D.run("configure")[-1][0] in (3, 4), "configure")


def echoed():
    """Log lines end when a configuration takes `echo` from a socket."""
    c = client("open")
    equal(c.run("echo all")[-1][0], 0, "echo")
    D.run("configure check")
    check(c.line().startswith("+"), "a log line")
    D.write(CONF.replace('cli "RUN/open.ctl";', 'cli "RUN/open.ctl" { deny "echo"; };'))
    check(D.run("configure")[-1][0] in (3, 4), "configure")
    while True:
        line = c.line()
        check(line and line.startswith("+"), "the echo has no end: %r" % line)
        if line == "+No more log lines: echo is denied":
            break
    D.run("configure check")
    c.send("show status\nshow status\n")
    for _ in range(2):
        line = c.line()
        while not line.startswith("0013 "):
            check(not line.startswith("+"), line)
            line = c.line()
    c.close()
    D.write(CONF)
    check(D.run("configure")[-1][0] in (3, 4), "configure")


def faults():
    """A rule that fits no command is an error at the rule's place."""
    for wrong, col, text in (
        ("allow;", 0, "expected"),
        ('allow "";', 6, "expected the first words of a command"),
        ('deny "down", 5;', 13, "expected"),
        ("permit;", 0, "expected restrict, plans, group, mode, allow, deny or v2 attributes"),
        ('deny "dwon";', 5, "no command 'dwon'; did you mean 'down'?"),
        ('deny "show protcols";', 5, "no command 'show protcols'; did you mean 'show protocols'?"),
        ('allow "show", "show protocols al";', 14, "command 'show protocols' has no option 'al'; did you mean 'all'?"),
        ('deny "down now";', 5, "command 'down' has no option 'now'"),
        ('deny "down\"x";', 5, None),
        ('allow "Show";', 6, "no command 'Show'; did you mean 'show'?"),
        ('deny "json show";', 5, "no command 'json show'"),
        ('allow "disable no_such_one";', 6, "command 'disable' has no option 'no_such_one'"),
        ('deny "disable device1";', 5, "'deny' takes no 'device1' of the command 'disable'"),
        ('deny "reload in";', 5, "'deny' takes no 'in' of the command 'reload'"),
    ):
        head = 'cli "%s/x.ctl" { ' % D.dir
        D.write(CONF.replace("protocol device { }", head + wrong + " };\nprotocol device { }"))
        code, said = D.run("configure")[-1]
        equal(code, 8002, wrong)
        if text is not None:
            place = "%s:5:%s" % (D.conf, "%d " % (len(head) + col + 1) if col else "")
            check(said.startswith(place) and text in said, "%s: %s" % (wrong, said))
        equal(D.run("configure check")[-1], (code, said), wrong)
    check(os.path.exists(D.dir + "/most.ctl") and not os.path.exists(D.dir + "/x.ctl"), "the sockets are as before")
    D.write(CONF)


def read_only():
    """ternd -p finds the fault, too."""
    d = Daemon(CONF.replace('deny "down"', 'deny "dwon"'))
    p = subprocess.run(d.argv("-p"), capture_output=True, text=True, timeout=20 * SLOW)
    equal(p.returncode, 1, "the exit status of -p: " + p.stderr)
    check(":8:" in p.stderr and "no command 'dwon'; did you mean 'down'?" in p.stderr, p.stderr)
    d.write(CONF)
    equal(subprocess.run(d.argv("-p"), capture_output=True, timeout=20 * SLOW).returncode, 0, "a valid file")


def groups():
    """Names of at most two further groups that a file of this user may belong to."""
    path = D.dir + "/file"
    open(path, "w").close()
    found = []
    for g in grp.getgrall():
        try:
            os.chown(path, -1, g.gr_gid)
        except OSError:
            continue
        if g.gr_gid != os.getegid():
            found.append(g.gr_name)
    return found[:2]


def rights_of(name):
    st = os.lstat("%s/%s.ctl" % (D.dir, name))
    check(stat.S_ISSOCK(st.st_mode), name)
    return "%04o" % stat.S_IMODE(st.st_mode), st.st_gid


def with_files(mode, f="", g=""):
    sockets = 'cli "RUN/f.ctl" { restrict; mode "%s"; %s };\ncli "RUN/g.ctl" { %s };\nprotocol device { }'
    return CONF.replace("protocol device { }", sockets % (mode, f, g))


def configured(text, code=3):
    D.write(text)
    said = D.run("configure")
    check(said[-1][0] == code, said)
    return [line for _, line in said]


def file_rights():
    own = os.getegid()
    equal(rights_of("ro"), ("0660", own), "without options")
    configured(with_files("0600"))
    equal((rights_of("f"), rights_of("g")), (("0600", own), ("0660", own)), "new sockets")
    c = client("f")
    check("control socket %s/f.ctl: another mode" % D.dir in configured(with_files("666")), "the plan")
    equal(rights_of("f"), ("0666", own), "another mode")
    equal(c.run("show status")[-1][0], 13, "the client stays")
    configured(with_files("0660"))
    equal((rights_of("f"), rights_of("g")), (("0660", own), ("0660", own)), "back")
    c.close()
    for wrong, text in (
        ('group "no_such_group_";', "no group has the name 'no_such_group_'"),
        ('mode "0400";', "expected a mode"),
        ('mode "0770";', "expected a mode"),
        ('mode "66";', "expected a mode"),
        ('mode "1666";', "expected a mode"),
        ('mode "069";', "expected a mode"),
        ("mode 660;", "expected text"),
        ("group;", "expected"),
    ):
        said = configured(with_files("0600", wrong), 8002)[-1]
        check(said.startswith("%s:5:" % D.conf) and text in said, said)
        equal(rights_of("f"), ("0660", own), "after an error")
    configured(CONF)
    check(not os.path.exists(D.dir + "/f.ctl"), "removed")


def connect_as(uid, gid, more=()):
    """A client of f.ctl whose process has the user and the groups: the kernel notes them at the connect."""
    own = os.getgroups()
    try:
        os.setgroups(list(more))
        os.setegid(gid)
        os.seteuid(uid)
        return client("f")
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(own)


def clients_of_files():
    """A changed mode or group holds for connected clients at once: who could not connect any more is told and
    disconnected; the others stay."""
    if os.geteuid():
        cannot_here("another user can be had by root alone")
    nobody, some, other = 65534, 65531, 65532

    def ends(c, what):
        c.s.settimeout(20 * SLOW)
        got = b""
        while True:
            try:
                more = c.s.recv(4096)
            except ConnectionResetError:
                break
            if not more:
                break
            got += more
        check(b"+The rights of this socket have changed: you have none\n" in got, "%s: %r" % (what, got))

    def stays_on(c, what):
        equal(c.run("show status")[-1][0], 13, what)

    for d in (D.dir, os.path.dirname(D.dir)):
        os.chmod(d, os.stat(d).st_mode | 0o011)
    configured(with_files("0666"))
    root, stranger = connect_as(0, 0), connect_as(nobody, nobody)
    first, second = connect_as(nobody, some), connect_as(nobody, nobody, [some])
    configured(with_files("0666", 'group "%d";' % some))
    # of a file for all the group's own rights decide for its members
    for c, what in (root, "root"), (stranger, "a stranger"), (first, "the group"), (second, "a further group"):
        stays_on(c, what + " with mode 0666")
    configured(with_files("0660", 'group "%d";' % some))
    ends(stranger, "a stranger with mode 0660")
    for c, what in (root, "root"), (first, "the group"), (second, "a further group"):
        stays_on(c, what + " with mode 0660")
    configured(with_files("0660", 'group "%d";' % other))
    ends(first, "the former group")
    ends(second, "the former group as a further group")
    stays_on(root, "root with another group")
    mine = connect_as(nobody, other)
    # a reply under way ends before the connection
    mine.send("show protocols all\n")
    configured(with_files("0600"))
    ends(mine, "mode 0600")
    stays_on(root, "root with mode 0600")
    root.close()
    configured(CONF)


def file_groups():
    names = groups()
    if not names:
        cannot_here("this user belongs to one group alone")
    own = os.getegid()
    configured(with_files("0600"))
    for name in names:
        gid = grp.getgrnam(name).gr_gid
        check(
            "control socket %s/f.ctl: another group" % D.dir in configured(with_files("0640", 'group "%s";' % name)),
            "the plan",
        )
        equal(rights_of("f"), ("0640", gid), name)
        configured(with_files("0640", 'group "%d";' % gid, 'group "%s";' % name))
        equal((rights_of("f")[1], rights_of("g")[1]), (gid, gid), "a number")
        D.write(with_files("0600").replace("protocol device", 'cli "/nonexistent/x.ctl";\nprotocol device'))
        equal(D.run("configure")[-1][0], 8002, "a socket that cannot be made")
        equal(rights_of("f"), ("0640", gid), "the socket is as before")
    configured(with_files("0660"))
    equal((rights_of("f"), rights_of("g")), (("0660", own), ("0660", own)), "back")
    configured(CONF)


case("restrict", restricted)
real_case("file", file_rights)
real_case("groups of files", file_groups)
real_case("clients of files", clients_of_files)
case("rules", ruled)
case("disguises", disguised)
case("ternc", ternc)
case("configure", changed)
case("removed", removed)
case("echo", echoed)
case("faults", faults)
case("-p", read_only)
D.stop()
done()
