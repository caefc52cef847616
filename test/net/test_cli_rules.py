# SPDX-License-Identifier: GPL-3.0-or-later
"""Rights of control sockets: what `restrict` denies, and rules of commands (`allow`, `deny`)."""

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


case("restrict", restricted)
case("rules", ruled)
case("configure", changed)
D.stop()
done()
