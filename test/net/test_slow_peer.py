# SPDX-License-Identifier: GPL-3.0-or-later
"""A member stops reading while another announces and withdraws many different prefixes: memory stays bounded,
the others are not held up, and when it reads again all hold exactly the right routes."""

from harness import *

import threading

real_if_long()

CLIENTS = 20 if SOAK else 6
NETS = 10000 if SOAK else 2000
STORM = 1000000 if SOAK else 60000


def run(threads):
    port = free_port()
    # Whoever does not read for long is closed (RFC 9687); here it may take its time.
    options = load_options(port, CLIENTS, nets=NETS, ratio=2.4, seed=SEED)
    text = load_conf(options, threads).replace("hold time 180;", "hold time 1200;")
    d = Daemon(text).start()
    steps = "announce,settle,stall=1:0,storm=%d:0,unstall,settle=1000" % (STORM // SLOW)
    load = Load(options + ["--hold-time", "1200"], 900 if SOAK else 100, steps)
    peaks = []

    def ended():
        peaks.append(d.stats()["rss_kb"])
        return load.proc.poll() is not None

    wait_until(ended, lambda: "ternload to end: " + load.said(), load.limit_s + 60)
    result = load.succeed()
    equal(result["sessions_lost"], 0, "sessions lost")
    if SLOW == 1:
        # Half of the prefixes must not need less memory than all of them.
        half, all_of_it = max(peaks[: len(peaks) * 2 // 3]), max(peaks)
        check(all_of_it < half * 1.25 + 16000, "resident: %d kB, then %d kB" % (half, all_of_it))
        check(all_of_it < (400000 if SOAK else 150000), "resident: %d kB" % all_of_it)
    d.stop()


def told():
    """`tx size warning`: said once while it lasts, of the one who doesn't read."""
    port = free_port()
    options = load_options(port, 3, nets=size(60000, 30000), ratio=2.4, seed=SEED)
    text = load_conf(options, 2).replace("hold time 180;", "hold time 1200; tx size warning 1000;")
    d = Daemon(text).start()
    load = Load(options + ["--hold-time", "1200"], 100, "stall=1:0,announce,settle=2500,unstall,settle=1000")
    equal(load.succeed()["sessions_lost"], 0, "sessions lost")
    lines = [
        line
        for line in d.whole_log().splitlines()
        if "changed prefixes wait to be sent, tx size warning is 1000" in line
    ]
    names = [line.split("> ")[1].split(":")[0] for line in lines]
    equal(names.count("p1"), 1, "how often it is said: %s" % lines)
    check(all(int(line.split(": ")[1].split()[0]) > 1000 for line in lines), "how many wait: %s" % lines)
    d.stop()


case("a thread for each worker", run, 0)
case("two threads", run, 2)
case("how many wait is said", told)
real_case("resident memory of two threads", run, 2)
done()
