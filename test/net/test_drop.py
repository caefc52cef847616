# SPDX-License-Identifier: GPL-3.0-or-later
"""Some members go, half of them rudely, and come back, again and again, while routes change."""

from harness import *

real_if_long()

CLIENTS, DROP, NETS = (200, 50, 20000) if SOAK else (20, 5, 1500)
TIMES = size(10, 4)


def run(threads):
    port = free_port()
    options = load_options(port, CLIENTS, nets=NETS, ratio=2.4, seed=SEED)
    d = Daemon(load_conf(options, threads)).start()
    steps = "announce,settle,rate=%d,%s,rate=0,settle=1000" % (200 // SLOW, ",".join(["drop=%d:0.5" % DROP] * TIMES))
    result = load_run(options + ["--pid", str(d.pid)], 600 if SOAK else 120, steps)
    check(result["ok"], "ternload's verdict")
    d.stop()


case("a thread for each worker", run, 0)
case("two threads", run, 2)
done()
