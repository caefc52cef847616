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
cli "RUN/most.ctl" { deny "down"; deny "show memory"; };
cli "RUN/open.ctl";
"""
DENIED = (8007, "Access denied")
D = Daemon(CONF).start()


def client(name):
    return Cli("%s/%s.ctl" % (D.dir, name))


def rights(name, allowed, denied):
    c = client(name)
    for command in allowed:
        check(c.run(command)[-1] != DENIED, "%s: %s is denied" % (name, command))
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
        ("show status", "eval 1", "enable device1"),
        ("down", "show memory", "json show memory", "show memory tables"),
    )
    c = client("lg")
    c.run("restrict")
    equal(c.run("configure check")[-1], DENIED, "`restrict` of the session stands above the rules")
    c.close()


def changed():
    """Other rules hold at once, also for clients that are connected."""
    c = client("most")
    equal(c.run("show memory")[-1], DENIED, "before")
    D.write(CONF.replace('deny "show memory"', 'deny "show status"'))
    check(D.run("configure")[-1][0] in (3, 4), "configure")
    check(c.run("show memory")[-1] != DENIED, "after")
    equal(c.run("show status")[-1], DENIED, "after")
    c.close()
    for wrong, where in (('allow;', "4"), ('allow "";', "4"), ('deny "a", 5;', "4"), ("permit;", "4")):
        D.write(CONF.replace("protocol device { }", 'cli "RUN/x.ctl" { %s };\nprotocol device { }' % wrong))
        equal(D.run("configure")[-1][0], 8002, wrong)
    check(os.path.exists(D.dir + "/most.ctl") and not os.path.exists(D.dir + "/x.ctl"), "the sockets are as before")


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


def groups():
    """Names of two groups that a file of this user may belong to."""
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


def file_rights():
    if VIRTUAL:
        raise NotVirtual("rights of files")
    own = os.getegid()
    equal(rights_of("ro"), ("0660", own), "without options")
    sockets = 'cli "RUN/f.ctl" { restrict; mode "%s"; %s };\ncli "RUN/g.ctl" { %s };\nprotocol device { }'

    def conf(mode, f="", g=""):
        return CONF.replace("protocol device { }", sockets % (mode, f, g))

    def configure(text, code=3):
        D.write(text)
        said = D.run("configure")
        check(said[-1][0] == code, said)
        return [line for _, line in said]

    configure(conf("0600"))
    equal((rights_of("f"), rights_of("g")), (("0600", own), ("0660", own)), "new sockets")
    c = client("f")
    check("control socket %s/f.ctl: another mode" % D.dir in configure(conf("666")), "the plan")
    equal(rights_of("f"), ("0666", own), "another mode")
    equal(c.run("show status")[-1][0], 13, "the client stays")
    for name in groups():
        gid = grp.getgrnam(name).gr_gid
        check(
            "control socket %s/f.ctl: another group" % D.dir in configure(conf("0640", 'group "%s";' % name)),
            "the plan",
        )
        equal(rights_of("f"), ("0640", gid), name)
        configure(conf("0640", 'group "%d";' % gid, 'group "%s";' % name))
        equal((rights_of("f")[1], rights_of("g")[1]), (gid, gid), "a number")
        D.write(conf("0600").replace("protocol device", 'cli "/nonexistent/x.ctl";\nprotocol device'))
        equal(D.run("configure")[-1][0], 8002, "a socket that cannot be made")
        equal(rights_of("f"), ("0640", gid), "the socket is as before")
    configure(conf("0660"))
    equal((rights_of("f"), rights_of("g")), (("0660", own), ("0660", own)), "back")
    c.close()
    for wrong, text in (
        ('group "no_such_group_";', "there is no group 'no_such_group_'"),
        ('mode "0400";', "expected a mode"),
        ('mode "0770";', "expected a mode"),
        ('mode "66";', "expected a mode"),
        ('mode "1666";', "expected a mode"),
        ('mode "069";', "expected a mode"),
        ("mode 660;", "expected text"),
        ("group;", "expected"),
    ):
        said = configure(conf("0600", wrong), 8002)[-1]
        check(said.startswith("%s:5:" % D.conf) and text in said, said)
        equal(rights_of("f"), ("0660", own), "after an error")
    configure(CONF)
    check(not os.path.exists(D.dir + "/f.ctl"), "removed")


case("restrict", restricted)
case("file", file_rights)
case("rules", ruled)
case("configure", changed)
case("removed", removed)
D.stop()
done()
