# SPDX-License-Identifier: GPL-3.0-or-later
"""bench.py itself, in its shortest form."""

import csv
import sys

from harness import *

SCRIPT = os.path.join(sys.argv.pop(), "test/bench/bench.py")
STEPS = [
    "own-10",
    "policy-10",
    "list-10",
    "storm-5",
    "flapfeed-10",
    "churn-10",
    "mixed-10",
    "irr-20",
    "closed-3",
    "unique-20k",
    "churners-2",
]


def bench(*args):
    out = temp_dir()
    got = subprocess.run(
        [sys.executable, "-B", SCRIPT, "--build", BUILD, "--out", out] + list(args),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=250,
    )
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
        wanted = {
            "own-10": "cpu_s",
            "mixed-10": "cpu_s",
            "flapfeed-10": "flap_p99_ms",
            "irr-20": "gap_s",
            "closed-3": "pair_p95_ms",
            "unique-20k": "pair_median_ms",
            "churners-2": "changes_s",
        }.get(r["row"], "event_s")
        check(float(r[wanted]) > 0, "%s: %s is %r" % (r["row"], wanted, r[wanted]))
        check(r["row"] in tables, "no table of " + r["row"])


def several_paths():
    """Who doesn't know of it yet is left out with what he says, and that is no failure."""
    names = ["secondary-10", "addpath-10", "example-mulimex-10"]
    if SOAK:
        names += ["ownsecondary-10", "mulimex-10"]
    got, runs, tables = bench("--quick", "--daemon", "tern", "--daemon", "bird2", "--rows", ",".join(names))
    equal(got.returncode, 0, "exit status: " + got.stdout[-3000:])
    for name in names:
        ran = [r for r in runs if r["row"] == name]
        check(all(float(r["cpu_s"]) > 0 for r in ran), "figures of " + name)
        left_out = [
            line for line in got.stdout.split("\n") if line.startswith(name + " round") and "not supported" in line
        ]
        missing = ["bird2"] if "bird2: /usr/sbin/bird is missing" in got.stdout else []
        equal(len(ran) + len(left_out) + len(missing), 2, "daemons of " + name)


def failures():
    """A daemon that doesn't start is a failure, not a figure."""
    got, runs, tables = bench("--test", "--daemon", "none:tern=/bin/false")
    equal(got.returncode, 1, "exit status: " + got.stdout[-1000:])
    equal([r["cpu_s"] for r in runs], [""], "figures")
    check("no run" in tables or "ended with" in tables, "tables: " + tables)


def script(text):
    """A program of ours that stands for a daemon."""
    path = os.path.join(temp_dir(), "daemon")
    with open(path, "w") as f:
        f.write("#!/bin/sh\n[ \"$1\" = --version ] || %s\nexec %s/ternd \"$@\"\n" % (text, BUILD))
    os.chmod(path, 0o755)
    return path


def others_go_on():
    """One that dies, one that stands still, one that isn't there: each is named, tern's runs count."""
    got, runs, tables = bench(
        "--quick",
        "--rows",
        "churn-10",
        "--run-limit",
        "10",
        "--daemon",
        "none:bird2=/nonexistent/bird",
        "--daemon",
        "dies:tern=" + script("( sleep 0.2; kill -KILL $$ ) &"),
        "--daemon",
        "hangs:tern=" + script("( sleep 0.2; kill -STOP $$ ) &"),
        "--daemon",
        "tern",
    )
    equal(got.returncode, 1, "exit status: " + got.stdout[-3000:])
    check("/nonexistent/bird: missing, left out" in tables, "the missing one: " + tables)
    errors = {r["daemon"]: r["error"] for r in runs}
    equal(errors["tern"], "", "tern")
    check("ended with SIGKILL" in errors["dies"], "how it died: %r" % errors["dies"])
    check("time is up" in errors["hangs"], "the hanging one: %r" % errors["hangs"])


def processes(word):
    got = subprocess.run(["ps", "-eo", "args"], stdout=subprocess.PIPE, text=True).stdout
    return [l for l in got.split("\n") if word in l]


def interrupted():
    """Ctrl-C, pressed twice: no process and no folder stays, and the results until then are kept."""
    out = temp_dir()
    child = subprocess.Popen(
        [
            sys.executable,
            "-B",
            SCRIPT,
            "--build",
            BUILD,
            "--out",
            out,
            "--quick",
            "--rows",
            "churn-10",
            "--rounds",
            "100",
            "--daemon",
            "tern",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=dict(os.environ, TMPDIR=out),
        start_new_session=True,
    )
    wait_until(
        lambda: len(open(out + "/results.csv").readlines()) > 1 if os.path.exists(out + "/results.csv") else False,
        "a first run",
        60,
    )
    wait_until(lambda: processes(out + "/tern-bench."), "a daemon", 60)
    for _ in range(2):
        os.killpg(child.pid, signal.SIGINT)
        spread(0.01)
    said = child.communicate(timeout=60)[0]
    equal(child.returncode, 130, "exit status: " + said[-2000:])
    check("interrupted" in said, said[-2000:])
    equal(processes(out + "/tern-bench."), [], "processes")
    equal([n for n in os.listdir(out) if n.startswith("tern-bench.")], [], "folders")


def plotted():
    """Of any results, where some python has matplotlib; else it says so."""
    out = temp_dir()
    with open(out + "/in.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow("row daemon clients nets routes cpu_s elapsed_s peak_mb error".split())
        for nets in (1000, 10000):
            for name in ("tern", "bird2"):
                w.writerow(["single-10-%dk" % (nets // 1000), name, 10, nets, nets * 2, nets / 1e4, 1, 9, ""])
    got = subprocess.run(
        [sys.executable, "-B", SCRIPT, "--plot", out + "/in.csv", "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
    )
    equal(got.returncode, 0, "exit status: " + got.stdout)
    if "no plots" in got.stdout:
        return
    for name in ("cpu", "elapsed", "peak"):
        with open("%s/%s-over-routes.png" % (out, name), "rb") as f:
            equal(f.read(8), b"\x89PNG\r\n\x1a\n", name)


case("every daemon that is installed", every_daemon)
case("rows with events", every_event)
case("rows with several paths a net", several_paths)
case("a daemon that doesn't start", failures)
case("daemons that die, hang or aren't there", others_go_on)
case("Ctrl-C", interrupted)
case("plots", plotted)
done()
