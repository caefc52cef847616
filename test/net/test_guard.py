# SPDX-License-Identifier: GPL-3.0-or-later
"""Guards on input (`guard { set ...; }`): a `configure` whose generated sets have lost their content is refused, and
`configure force` overrides. The ages of files are set by utime, so virtual time serves."""

import caches
from harness import *
from rtr_cache import Cache

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
log "RUN/audit.log" { audit };
threads 2;
guard {
  set "AS_OLD*" { older 48 h; };
  set "AS_WARN*" { empty warn; shrink 10 % warn; older 2 d warn; };
  set "AS_MILD*" { empty warn; shrink 30 %; };
  set "AS*" { empty refuse; shrink 30 %; };
};
include "sets/*.conf";
protocol device { }
protocol static s { ipv4; route 192.0.2.0/24 blackhole; }
cli "RUN/ro.ctl" { restrict; mode "0666"; };
cli "RUN/some.ctl" { allow "configure"; deny "configure force"; };
"""
D = Daemon(CONF)
os.mkdir(D.dir + "/sets")


def prefixes(cnt):
    return "[%s]" % ", ".join("10.%d.0.0/16{16,24}" % i for i in range(cnt))


def asns(cnt):
    return "[%s]" % ", ".join("%d" % (64512 + 7 * i) for i in range(cnt))


def path(name):
    return "%s/sets/%s.conf" % (D.dir, name)


def write(name, value, age_s=0):
    with open(path(name), "w") as f:
        f.write("# generated\ndefine %s = %s;\n" % (name, value))
    os.utime(path(name), (time.time() - age_s,) * 2)


GOOD = {
    "AS1": prefixes(10),
    "AS2": asns(100),
    "AS3": "[(65000, 1), (65000, 2), (65000, 3), (65000, 4)]",
    "AS4": "[]",
    "AS_OLD": prefixes(3),
    "AS_WARN": asns(10),
    "AS_MILD": asns(10),
    "OTHER": asns(10),
}


def good():
    for name, value in GOOD.items():
        write(name, value)


good()
write("AS_OLD", GOOD["AS_OLD"], 50 * 3600 + 1200)
D.start()


def lines(command, sock=None):
    c = Cli(sock or D.ctl)
    said = c.run(command)
    c.close()
    return said


def configure(code, text, command="configure", sock=None):
    said = lines(command, sock)
    equal(said[-1][0], code, "%s: %s" % (command, said))
    whole = "\n".join(t for _, t in said)
    check(text in whole, "%r in %s" % (text, whole))
    return whole


def audit():
    with open(D.dir + "/audit.log") as f:
        return f.read()


def first():
    """The first configuration is not refused: the log has the fault."""
    wait_until(lambda: "set AS_OLD is of a file that is 50 h 20 min old, at most 48 h" in D.whole_log(), D.whole_log)
    good()
    configure(3, "Reconfigured")


def digest_now():
    return re.search(r"Digest of its files: (\w+)", D.text("show health")).group(1)


def refused():
    digest = digest_now()
    for name, value, text in (
        ("AS1", prefixes(6), "has 6 entries, 10 before: 40 % less, at most 30 %"),
        ("AS1", "[]", "is empty, 10 entries before"),
        ("AS1", "-empty-", "is no longer a set, 10 entries before"),
        ("AS2", asns(69), "has 69 entries, 100 before: 31 % less, at most 30 %"),
        ("AS3", "[(65000, 1)]", "has 1 entry, 4 before: 75 % less, at most 30 %"),
        ("AS_MILD", "[]", "has 0 entries, 10 before: 100 % less, at most 30 %"),
    ):
        write(name, value)
        where = "%s:2:8 guard: set %s %s" % (path(name), name, text)
        end = "; `configure force` commits the configuration"
        for command in "configure check", "configure", "configure soft", "configure timeout 5":
            before = len(D.whole_log())
            said = configure(8002, where + end, command)
            check("Reconfigured" not in said, said)
            if command != "configure check":
                wait_until(lambda: where in D.whole_log()[before:], lambda: command + ": " + D.whole_log()[before:])
        check(where in D.text("show status"), "show status")
        check(where in D.text("show health"), "show health")
        text = "\n".join(t for _, t in lines("show status", D.dir + "/ro.ctl"))
        found = path(name) + ":2:8" in text and "guard: set" not in text
        check(found, "a restricted socket has the place alone: " + text)
        line = 'configure "%s" digest ' % D.conf
        wait_until(lambda: where in audit().split(line)[-1], audit)
        equal(digest_now(), digest, "nothing has changed")
        write(name, GOOD[name])
        configure(3, "Reconfigured")
    # SIGHUP has no `force`
    write("AS1", prefixes(1))
    os.kill(D.pid, signal.SIGHUP)
    wait_until(lambda: "set AS1 has 1 entry, 10 before" in D.whole_log(), D.whole_log)
    wait_until(lambda: "set AS1 has 1 entry" in audit().split("signal configure")[-1], audit)
    equal(digest_now(), digest, "SIGHUP is refused")
    write("AS1", GOOD["AS1"])


def several():
    for name in GOOD:
        write(name, "[]")
    said = configure(8002, ", and 3 more; `configure force`")
    check("Warning: " in said and "set AS_WARN is empty" in said, "a warning beside the refusals: " + said)
    check("set AS4" not in said, "empty as before: " + said)
    for name in ("AS1", "AS2", "AS3"):
        check("set %s is empty" % name in said, said)
    check("OTHER" not in said, "a set without a guard: " + said)
    good()


def taken():
    """A loss within the share, a warning, a new set, a set that has gone, and a growth."""
    write("AS1", prefixes(7))
    write("AS2", asns(70))
    write("AS_WARN", asns(8))
    write("AS9", asns(1))
    said = configure(3, "Warning: %s:2:8 guard: set AS_WARN has 8 entries, 10 before: 20 %% less" % path("AS_WARN"))
    check("AS1" not in said and "AS9" not in said, said)
    good()
    os.unlink(path("AS9"))
    write("AS8", "[]")
    configure(8002, "set AS8 is new and empty")
    os.unlink(path("AS8"))
    said = configure(3, "set AS9 has gone, 1 entry before")
    equal(said.count("guard"), 1, "growth: " + said)


def gone():
    """A set that has gone has lost its content: a warning, or a refusal by `gone`. A set that was empty may go."""
    os.unlink(path("AS3"))
    os.unlink(path("AS4"))
    said = configure(3, "Warning: %s:2:8 guard: set AS3 has gone, 4 entries before" % path("AS3"))
    check("AS4" not in said, said)
    good()
    configure(3, "Reconfigured", "configure force")
    write("AS2", "5")
    configure(3, "Warning: %s:2:8 guard: set AS2 is no longer a set, 100 entries before" % path("AS2"))
    good()
    configure(3, "Reconfigured")
    D.write(CONF.replace('set "AS*" {', 'set "AS*" { gone;'))
    for name in GOOD:
        os.unlink(path(name))
    said = configure(8002, ", and 2 more; `configure force` commits the configuration")
    for name, cnt in (("AS1", 10), ("AS2", 100), ("AS3", 4), ("AS_MILD", 10)):
        check("guard: set %s has gone, %d entries before" % (name, cnt) in said, said)
    configure(3, "guard: set AS1 has gone, 10 entries before", "configure force")
    D.write(CONF)
    good()
    configure(3, "Reconfigured", "configure force")


def old():
    write("AS_OLD", GOOD["AS_OLD"], 48 * 3600 + 1200)
    configure(8002, "set AS_OLD is of a file that is 48 h 20 min old, at most 48 h")
    write("AS_OLD", GOOD["AS_OLD"], 47 * 3600)
    write("AS_WARN", GOOD["AS_WARN"], 49 * 3600)
    configure(3, "Warning: %s:2:8 guard: set AS_WARN is of a file that is 2 d 1 h old, at most 2 d" % path("AS_WARN"))
    good()
    configure(3, "Reconfigured")


def forced():
    write("AS1", prefixes(2))
    configure(8007, "Access denied", "configure force", D.dir + "/some.ctl")
    configure(8007, "Access denied", "configure force", D.dir + "/ro.ctl")
    configure(8002, "set AS1", "configure", D.dir + "/some.ctl")
    configure(9001, "syntax error", "configure soft force")
    said = configure(3, "Warning: %s:2:8 guard: set AS1 has 2 entries, 10 before" % path("AS1"), "configure force")
    check("Reconfigured" in said, said)
    text = "set AS1 has 2 entries, 10 before: 80 % less, at most 30 % (forced)"
    wait_until(lambda: text in D.whole_log(), D.whole_log)
    wait_until(lambda: 'configure force "%s" digest ' % D.conf in audit(), audit)
    check("guard: set AS1 has 2 entries" in audit().split('configure force "')[-1], "the audit line has the numbers")
    configure(3, "Reconfigured")
    # undo is not refused
    write("AS1", prefixes(9))
    configure(3, "Reconfigured")
    equal(D.run("configure undo")[-1][0], 3, "undo")
    good()
    configure(3, "Reconfigured")


def wrong():
    for guard, text in (
        ("guard 5;", "expected '{'"),
        ("guard { sets; };", "expected set, rpki shrink, lost routes or closed sessions"),
        ('guard { set "A" { }; };', "the guard is empty"),
        ('guard { set "A" { shrink 30; }; };', "expected '%'"),
        ('guard { set "A" { shrink 100 %; }; };', "number out of range: 100 (allowed: 1 to 99)"),
        ('guard { set "A" { older 48 weeks; }; };', "expected a unit: s, min, h or d"),
        ('guard { set "A" { older 48; }; };', "expected a unit: s, min, h or d"),
        ('guard { set "A" { full refuse; }; };', "expected empty, shrink, older or gone"),
        ("guard { set 5 { empty; }; };", "expected text in double quotes"),
        ("guard { rpki shrink 0 %; };", "number out of range: 0"),
        ("guard { lost routes; };", "expected a number"),
        ("guard { lost routes 5; };", "expected '%'"),
        ("guard { lost routes 100 %; };", "number out of range: 100"),
        ("guard { closed sessions warn; };", "expected a number"),
        ("guard { rpki empty; };", "expected set, rpki shrink, lost routes or closed sessions"),
    ):
        D.write(CONF + guard + "\n")
        said = configure(8002, text)
        check(said.startswith("Reading") and "%s:%d:" % (D.conf, CONF.count("\n") + 1) in said, said)
    D.write(CONF)
    configure(3, "Reconfigured")


def vrps(cnt4, cnt6):
    v4 = [("10.%d.0.0/16" % i, 24, 65001) for i in range(cnt4)]
    return set(v4 + [("2001:db8:%x::/48" % i, 48, 65001) for i in range(cnt6)])


def records(d):
    return tuple(len(caches.keys(d, t)) for t in ("r4", "r6"))


def rpki():
    """A cache that loses more than its share of the records of one kind keeps the old records, and reports."""
    cache = Cache(free_port())
    cache.vrps = vrps(100, 10)
    one = caches.rpki("c", cache.port, "refresh keep 1;", "roa4; roa6;")
    guard = "guard { rpki shrink 30 %; };\n"
    d = Daemon(caches.conf(one) + guard).start()
    wait_until(lambda: records(d) == (100, 10), lambda: str(records(d)))
    cache.set(vrps(70, 7))
    wait_until(lambda: records(d) == (70, 7), lambda: "a loss within the share: %s %s" % (records(d), d.said()))
    # one kind of two, by an answer about changes, and then by all data of a session that is asked again and again
    cache.set(vrps(200, 4))
    text = "guard: the cache has 4 IPv6 ROAs, 7 before: 42 % less, at most 30 %"
    wait_until(lambda: text + "; asking for all data in 1 s, the cache's data stays" in d.whole_log(), d.whole_log)
    kept = "c: %s; the cache's records stay unchanged" % text
    wait_until(lambda: kept in d.text("show health"), d.text("show health"))
    equal(d.run("show health")[-1][0], 8099, "a problem")
    wait_until(lambda: d.whole_log().count("Sending Reset Query") >= 3, d.whole_log)
    equal(records(d), (70, 7), "the old records")
    # a configure in the middle, and a daemon that connects anew
    d.write(caches.conf(one) + guard + "ipv4 table other;\n")
    equal(d.run("configure")[-1][0], 3, "configure")
    cache.drop()
    equal(records(d), (70, 7), "the old records")
    cache.set(vrps(200, 6))
    wait_until(lambda: records(d) == (200, 6), lambda: "the cache is back: %s" % str(records(d)))
    check("cache's records stay" not in d.text("show health"), "the end of the problem")
    wait_until(lambda: "In sync again" in d.whole_log(), d.whole_log)
    # without the guard the loss counts, and so it does after an operator's restart
    cache.set(vrps(10, 6))
    wait_until(lambda: "the cache has 10 IPv4 ROAs, 200 before" in d.text("show health"), d.text("show health"))
    d.run("restart c")
    wait_until(lambda: records(d) == (10, 6), lambda: str(records(d)))
    cache.set(vrps(1, 6))
    wait_until(lambda: "the cache has 1 IPv4 ROA, 10 before" in d.text("show health"), d.text("show health"))
    d.write(caches.conf(one))
    equal(d.run("configure")[-1][0], 3, "no guard")
    wait_until(lambda: records(d) == (1, 6), lambda: str(records(d)))
    d.stop()
    cache.kill()


case("the first configuration", first)
case("refused", refused)
case("several sets", several)
case("taken", taken)
case("sets that have gone", gone)
case("old files", old)
case("force", forced)
case("errors", wrong)
D.stop()
case("a cache", rpki)
done()
