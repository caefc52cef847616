# SPDX-License-Identifier: GPL-3.0-or-later
"""The gate measures the cost of a route without clocks: instructions, system calls and wake-ups, compared with figures
in the tree.

    make bench-gate                    compare; exit status 1 if a figure has changed
    make bench-gate TERN_GATE=update   write the figures of this compiler and this C library; a build with link-time
                                       optimisation has figures of its own

Each set-up of gate_run.py runs five times with its work and five times without. The median with the work, less
the median without, is the work's. Instructions may differ by 5 %. System calls and wake-ups must be equal.

    gate.py --short                    the form of ./check: the set-ups of SHORT_SET_UPS run once with their work and
                                       once without; a set-up that differs from its figures in the tree by more than
                                       2.5 % runs five times
"""

import concurrent.futures
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import gate_run  # noqa: E402
from harness import cannot_here, is_sanitized, needs, note, program  # noqa: E402

RUNS = 5
JOBS = 8  # most of a run is waiting
MAY_DIFFER = 0.05
ONE_RUN_MAY_DIFFER = MAY_DIFFER / 2
# One announced route that many members receive, a filter for each member, and withdrawals.
SHORT_SET_UPS = ("single", "filter per member", "flap")
SHOWN = 12
# A function that costs less per route is left out of the file.
LEAST = 0.5


def one_run(name, part):
    got = subprocess.run(
        [sys.executable, "-B", os.path.join(HERE, "gate_run.py"), name, part],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if got.returncode != 0:
        raise SystemExit("FAIL %s, %s: %s" % (name, part, got.stderr[-3000:]))
    return json.loads(got.stdout)


def median_of(runs, function):
    return statistics.median(r["functions"].get(function, 0) for r in runs)


def same_in_all(name, runs, key):
    """What must be exact is equal in each run."""
    if any(r[key] != runs[0][key] for r in runs):
        raise SystemExit("FAIL %s: %s differ from run to run: %s" % (name, key, [r[key] for r in runs]))
    return runs[0][key]


def figures_of(name, worked, started):
    """The figures of a set-up, from its runs with and without the work."""
    figures = {
        key: same_in_all(name, worked, key) for key in ("announced", "received", "calls", "quiet_calls", "wake_ups")
    }
    total = statistics.median(sum(r["functions"].values()) for r in worked) - statistics.median(
        sum(r["functions"].values()) for r in started
    )
    announced = figures["announced"]
    figures["instructions_per_announced"] = round(total / announced, 1)
    figures["instructions_per_received"] = round(total / figures["received"], 1)
    functions = {
        f: round((median_of(worked, f) - median_of(started, f)) / announced, 1)
        for f in set().union(*(r["functions"] for r in worked))
    }
    figures["functions"] = {f: n for f, n in sorted(functions.items()) if n >= LEAST}
    return figures


def measure(names, run_cnt):
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        runs = {
            (name, part): [pool.submit(one_run, name, part) for _ in range(run_cnt)]
            for name in names
            for part in ("work", "start-up")
        }
        got = {key: [f.result() for f in futures] for key, futures in runs.items()}
    return {name: figures_of(name, got[name, "work"], got[name, "start-up"]) for name in names}


def measure_short(old):
    figures = measure(SHORT_SET_UPS, 1)
    doubtful = sorted(
        {line.split(":")[0] for line in compare(old, figures, ONE_RUN_MAY_DIFFER)} & set(gate_run.SET_UPS)
    )
    if doubtful:
        note(
            "one run differs by more than %.1f %%, therefore %d runs: %s"
            % (100 * ONE_RUN_MAY_DIFFER, RUNS, ", ".join(doubtful))
        )
        figures.update(measure(doubtful, RUNS))
    return figures


def grown(old, new):
    """The functions that cost more than before, the worst first."""
    more = {f: n - old.get(f, 0) for f, n in new.items() if n > old.get(f, 0) + LEAST}
    return ["%s: %.1f, was %.1f" % (f, new[f], old.get(f, 0)) for f in sorted(more, key=lambda f: -more[f])[:SHOWN]]


def compare(old, new, may_differ):
    """@may_differ: a share of the instructions. Returns: a line for each figure that has changed, and lines for the
    functions that grew."""
    said = []
    for name in new:
        was, now = old.get(name), new[name]
        if was is None:
            said.append("%s: the file has no figures of this set-up" % name)
            continue
        for key in ("announced", "received", "calls", "quiet_calls", "wake_ups"):
            if was[key] != now[key]:
                said.append("%s: %s are %s, were %s" % (name, key, now[key], was[key]))
        for key in ("instructions_per_announced", "instructions_per_received"):
            by = now[key] / was[key] - 1
            if abs(by) > may_differ:
                said.append("%s: %s are %.1f, were %.1f (%+.1f %%)" % (name, key, now[key], was[key], 100 * by))
        if any(line.startswith(name + ": instr") for line in said):
            said += ["    " + line for line in grown(was["functions"], now["functions"])]
    return said


def compiler():
    cc = os.environ.get("CC", "cc").split()
    text = subprocess.run(cc + ["--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    version = subprocess.run(
        cc + ["-dumpfullversion", "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return "%s-%s" % ("clang" if "clang" in text else "gcc", version.split()[0])


def show(figures):
    for name, f in figures.items():
        note(
            "%s: instructions %.1f per announced and %.1f per received route; %s calls per route and %.1f wake-ups per"
            " quiet change"
            % (
                name,
                f["instructions_per_announced"],
                f["instructions_per_received"],
                "%.4f" % (sum(f["calls"].values()) / f["received"]),
                f["wake_ups"] / gate_run.QUIET_CHANGES,
            )
        )


def main():
    if is_sanitized(program("ternd")):
        cannot_here("sanitizers add instructions")
    if not shutil.which("valgrind"):
        needs("valgrind")
    libc = os.confstr("CS_GNU_LIBC_VERSION").replace(" ", "-")
    here = "%s, %s, %s" % (compiler(), libc, platform.machine())
    flags = platform.machine() + " " + " ".join(os.environ.get("TERN_FLAGS", "").split())
    lto = "-lto" if "-flto" in flags else ""
    path = os.path.join(HERE, "gate-%s-%s%s.json" % (compiler(), libc, lto))
    update = os.environ.get("TERN_GATE") == "update"
    old = None
    if os.path.exists(path) and not update:
        with open(path) as f:
            old = json.load(f)
        if old["flags"] != flags:
            cannot_here("the figures are of a build with %s; this build has %s" % (old["flags"], flags))
    short = "--short" in sys.argv[1:] and old is not None
    figures = measure_short(old["set_ups"]) if short else measure(gate_run.SET_UPS, RUNS)
    show(figures)
    text = json.dumps({"flags": flags, "set_ups": figures}, indent=1, sort_keys=True) + "\n"
    if update:
        with open(path, "w") as f:
            f.write(text)
        note("%s has the figures of %s" % (os.path.relpath(path), here))
    elif old is None:
        note("%s would be:\n%s" % (os.path.basename(path), text))
        cannot_here("no figures for %s; the log has the file %s" % (here, os.path.basename(path)))
    else:
        said = compare(old["set_ups"], figures, MAY_DIFFER)
        for line in said:
            note(line)
        if said:
            sys.exit(
                "FAIL: figures have changed; if that is meant, the commit that says why takes the new figures (make"
                " bench-gate TERN_GATE=update)"
            )


if __name__ == "__main__":
    main()
