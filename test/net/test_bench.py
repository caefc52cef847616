# SPDX-License-Identifier: GPL-3.0-or-later
"""bench.py itself, in its shortest form."""

import csv
import sys

from harness import *

SCRIPT = os.path.join(sys.argv.pop(), "test/bench/bench.py")
STEPS = ["own-10", "policy-10", "list-10", "die-32", "flapfeed-10", "churn-10", "mixed-10"]


def bench(*args):
    out = temp_dir()
    got = subprocess.run([sys.executable, "-B", SCRIPT, "--build", BUILD, "--out", out] + list(args),
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=250)
    with open(out + "/results.csv", newline="") as f:
        return got, list(csv.DictReader(f)), open(out + "/results.md").read()


def every_daemon():
    got, runs, tables = bench("--test")
    equal(got.returncode, 0, "exit status: " + got.stdout[-3000:])
    daemons = [r["daemon"] for r in runs]
    check("tern" in daemons, "no run of tern: " + got.stdout[-1000:])
    for r in runs:
        check(r["daemon"] in tables and float(r["peak_mb"]) > 0, "figures of %r" % r)


def every_event():
    got, runs, tables = bench("--quick", "--daemon", "tern", "--rows", ",".join(STEPS))
    equal(got.returncode, 0, "exit status: " + got.stdout[-3000:])
    equal([r["row"] for r in runs], STEPS, "rows")
    for r in runs:
        wanted = {"own-10": "cpu_s", "mixed-10": "cpu_s", "flapfeed-10": "flap_p99_ms"}.get(r["row"], "event_s")
        check(float(r[wanted]) > 0, "%s: %s is %r" % (r["row"], wanted, r[wanted]))
        check(r["row"] in tables, "no table of " + r["row"])


def failures():
    """A daemon that doesn't start is a failure, not a figure."""
    got, runs, tables = bench("--test", "--daemon", "none:tern=/bin/false")
    equal(got.returncode, 1, "exit status: " + got.stdout[-1000:])
    equal([r["cpu_s"] for r in runs], [""], "figures")
    check("no run" in tables or "ended with" in tables, "tables: " + tables)


case("every daemon that is installed", every_daemon)
case("rows with events", every_event)
case("a daemon that doesn't start", failures)
done()
