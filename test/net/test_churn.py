# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances and tables come and go by reconfigurations, while clients of the control socket look at them without a
pause. Meant for builds with a sanitizer: nobody may find what is gone already."""

from harness import *

import threading

CNT = 12
ROUNDS = 150 if SOAK else 25

HEAD = 'router id 10.0.0.1;\nlog "RUN/bird.log" all;\nprotocol device {}\n'
# A few tables that nobody reads: these go at once.
MANY = HEAD + "".join("ipv4 table u%d;\n" % k for k in range(CNT)) + "".join(
    "ipv4 table t%d;\nprotocol static s%d { ipv4 { table t%d; }; %s }\n" % (
        k, k, k, " ".join("route 20.%d.%d.0/24 blackhole;" % (k, i) for i in range(40))) for k in range(CNT))
# The names come back as something else: a table of another family, an instance of another protocol.
OTHER = HEAD + "".join("ipv6 table t%d;\n" % k for k in range(CNT)) + "".join(
    "protocol bgp s%d { local 127.0.0.1 port 1 as 65000; neighbor 127.0.9.%d as 65001; disabled; multihop;"
    " ipv6 { table t%d; import all; export all; }; }\n" % (k, k + 1, k) for k in range(CNT))
COMMANDS = ("show protocols all", "show table", "show route all table all", "show static", "show route count table all",
            "show memory", "show route protocol s3", "show symbols table")


def asker(d, stop, failed, first):
    try:
        c = Cli(d.ctl)
        while not stop.is_set():
            for k in range(len(COMMANDS)):
                c.run(COMMANDS[(first + k) % len(COMMANDS)], 60)
        c.close()
    except (Failed, OSError) as e:
        failed.append(e)


def churn(threads):
    d = Daemon(HEAD + ("threads %d;\n" % threads if threads else "")).start()
    path = []
    for name, text in (("many", MANY), ("other", OTHER), ("none", HEAD)):
        path.append(os.path.join(d.dir, name + ".conf"))
        with open(path[-1], "w") as f:
            f.write(text.replace("RUN", d.dir))
    stop, failed = threading.Event(), []
    askers = [threading.Thread(target=asker, args=(d, stop, failed, k), daemon=True) for k in range(4)]
    for t in askers:
        t.start()
    for k in range(ROUNDS):
        for p in path[:2] if k % 2 else (path[0], path[2]):
            check(d.alive(), "the daemon ended: " + d.said())
            check(d.code('configure "%s"' % p) in (3, 4), "configure")
            spread((k % 5) * 0.004)
    stop.set()
    for t in askers:
        t.join(60 * SLOW)
    check(not failed, "a client of the control socket: %s: %s" % (failed, d.said()))
    d.stop()


def paused(command):
    """A client that doesn't read holds its command up; when it goes on, the names are those of other things."""
    d = Daemon(HEAD + "ipv4 table t0;\nprotocol static s0 { ipv4 { table t0; }; %s }\n" % (
        "\n".join("route 20.%d.%d.0/24 blackhole;" % (k // 256, k % 256) for k in range(20000)))).start()
    wait_until(lambda: "20000 routes" in d.text("show route count table t0"), "the routes")
    c = Cli(d.ctl)
    c.send(command.encode() + b"\n")
    c.wait_full()
    d.write(OTHER)
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: "s0" in d.sessions() and "BGP" in d.text("show protocols s0"), "the other s0")
    rows = c.reply()
    check(1000 < len(rows) < 20000, "%d rows: the command wasn't held up, or went on" % len(rows))
    equal(rows[-1][0], 0, "the end of the reply")
    c.close()
    d.stop()


case("show static", paused, "show static s0")
case("show route", paused, "show route table t0")
case("a thread for each worker", churn, 0)
case("two threads", churn, 2)
done()
