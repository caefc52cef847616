#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convergence of bird2 and tern: bench.py with rows of its own, some of which are as bad as it gets for
tern, and exit status 1 when tern takes more than its share of bird2's CPU.

    TERN_BUILDDIR=build test/bench/convergence.py --prefixes table.txt.gz --rows 100,700
"""
import sys

import bench
import rows
from bench import daemons

LOAD = "--clients %d --nets %d --ratio 2.4"


def row(name, text, load, part=None, steps=None, event=None):
    budgets = [rows.Budget("cpu_s", part, "bird2")] if part else []
    return rows.Row(name, text, load, steps, budgets, event, limit_s=1800)


ROWS = [
    row("100", "100 clients, 100,000 nets, ratio 2.4", LOAD % (100, 100000), 1 / 5),
    row("700", "700 clients, 400,400 routes in 700 sets",
        "--clients 700 --nets 400400 --ratio 1 --sets-per-client 1", 1 / 20),
    row("own", "100 clients, 100,000 nets, a filter of its own each", LOAD % (100, 100000) + " --own-filter"),
    row("inter", "100 clients, 100,000 nets, no two prefixes share an UPDATE",
        LOAD % (100, 100000) + " --interleave"),
]
MORE = [
    row("10", "10 clients, 100,000 nets, ratio 2.4", LOAD % (10, 100000)),
    row("1000", "1,000 clients, 50,000 nets, ratio 2.4", LOAD % (1000, 50000)),
    row("churn", "100 clients, 100,000 nets, 10,000 routes change", LOAD % (100, 100000),
        steps="announce,settle,churn=10000,settle", event="churn"),
    row("flap", "100 clients, 100,000 nets, 200 single flaps", LOAD % (100, 100000),
        steps="announce,settle,flap=200,settle", event="flap"),
    row("small", "20 clients, 2,000 nets", LOAD % (20, 2000)),
]

if __name__ == "__main__":
    daemons.end_in_order()
    rows.MODES["convergence"] = ROWS
    rows.MORE += MORE
    sys.exit(bench.main("convergence", ["tern", "bird2"]))
