#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convergence of route servers side by side: the same clients, routes and configuration for each.

Each round runs every daemon once, one after the other, so that what else the machine does hits all
alike. CPU is user and system of the daemon from its start until the last client holds exactly
what it must; runs in which some client doesn't are failures, not numbers. Medians are printed, all runs
are written as CSV.

    TERN_BUILDDIR=build test/bench/convergence.py --prefixes table.txt.gz --rows 100,700
"""
import argparse
import csv
import json
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

# name: what it is, arguments of ternload, at most so much of the first daemon's CPU
ROWS = {
    "10": ("10 clients, 100,000 nets, ratio 2.4",
           "--clients 10 --nets 100000 --ratio 2.4", None),
    "100": ("100 clients, 100,000 nets, ratio 2.4",
            "--clients 100 --nets 100000 --ratio 2.4", 1 / 5),
    "700": ("700 clients, 400,400 routes in 700 sets",
            "--clients 700 --nets 400400 --ratio 1 --sets-per-client 1", 1 / 20),
    "1000": ("1,000 clients, 50,000 nets, ratio 2.4",
             "--clients 1000 --nets 50000 --ratio 2.4", None),
    "own": ("100 clients, 100,000 nets, a filter of its own each",
            "--clients 100 --nets 100000 --ratio 2.4 --own-filter", None),
    "inter": ("100 clients, 100,000 nets, interleaved",
              "--clients 100 --nets 100000 --ratio 2.4 --interleave", None),
    "churn": ("100 clients, 100,000 nets, 10,000 routes change",
              "--clients 100 --nets 100000 --ratio 2.4 "
              "--do announce,settle,churn=10000,settle", None),
    "flap": ("100 clients, 100,000 nets, 200 single flaps",
             "--clients 100 --nets 100000 --ratio 2.4 --do announce,settle,flap=200,settle",
             None),
    "small": ("20 clients, 2,000 nets", "--clients 20 --nets 2000", None),
}
DEFAULT_ROWS = "100,700,own,inter"

# kind: program, arguments; RUN is the folder of the run
DAEMONS = {
    "bird2": ("/usr/sbin/bird", "-f -c RUN/conf -s RUN/ctl -P RUN/pid"),
    "tern": (None, "-f -c RUN/conf -s RUN/ctl -P RUN/pid"),
    "frr": ("/usr/lib/frr/bgpd", "-n -Z -S -f RUN/conf -i RUN/pid -l 127.0.0.1 -p PORT "
            "-A 127.0.0.1 -P 0 --vty_socket RUN"),
    "openbgpd": ("/usr/sbin/bgpd", "-d -f RUN/conf"),
    "gobgp": ("/usr/bin/gobgpd", "-f RUN/conf -l warn --pprof-disable "
              "--api-hosts 127.0.0.1:50151"),
}


# What a client gets whose own route is the best: nothing from BIRD and tern, the route itself from
# FRR, the second best from GoBGP, which also sends LOCAL_PREF. Only in the first case it is checked.
LENIENT = ("frr", "gobgp", "openbgpd")


class Failed(Exception):
    pass


def raise_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def stop(proc):
    """End a daemon and all that it started: it leads a process group of its own."""
    for sig in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(proc.pid, sig)
        except ProcessLookupError:
            pass
        try:
            proc.wait(10)
        except subprocess.TimeoutExpired:
            continue
        try:
            os.killpg(proc.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return


class Rig:
    def __init__(self, args):
        self.args = args

    def daemon(self, spec):
        """NAME[=PATH] or NAME:KIND=PATH -> name, kind, program, arguments"""
        name, _, path = spec.partition("=")
        name, _, kind = name.partition(":")
        kind = kind or name
        if kind not in DAEMONS:
            raise SystemExit("convergence: no daemon '%s'; known: %s" %
                             (kind, " ".join(DAEMONS)))
        program, words = DAEMONS[kind]
        program = path or program or os.path.join(self.args.build, "ternd")
        if not os.access(program, os.X_OK):
            print("convergence: %s: %s isn't there, left out" % (name, program))
            return None
        return name, kind, program, words

    def load_args(self, row, kind):
        out = ROWS[row][1].split()
        out += ["--port", str(self.args.port), "--quiet", "--seed", str(self.args.seed),
                "--time-limit", str(self.args.time_limit)]
        if self.args.prefixes:
            out += ["--prefixes", self.args.prefixes]
        if kind in LENIENT:
            out.append("--lenient")
        return out

    def configure(self, kind, row, run):
        with open(run + "/conf", "w") as f:
            subprocess.run([self.args.load] + self.load_args(row, kind) +
                           ["--conf", kind, "--run-dir", run], stdout=f, check=True)
            if kind == "tern" and self.args.threads:
                f.write("threads %d;\n" % self.args.threads)
        # frr drops privileges; openbgpd insists on a private configuration
        if kind == "openbgpd":
            os.makedirs("/run/openbgpd", exist_ok=True)
        os.chmod(run, 0o755)
        os.chmod(run + "/conf", 0o600 if kind == "openbgpd" else 0o644)

    def then(self, kind, run):
        if kind != "tern" or not self.args.then:
            return []
        return ["--then", self.args.then.replace("RUN", run)]

    def once(self, daemon, row):
        """One run of one daemon. Returns: what ternload told."""
        _, kind, program, words = daemon
        run = tempfile.mkdtemp(prefix="convergence.")
        words = words.replace("RUN", run).replace("PORT", str(self.args.port))
        proc = None
        try:
            self.configure(kind, row, run)
            with open(run + "/out", "w") as out:
                proc = subprocess.Popen([program] + words.split(), cwd=run, stdout=out,
                                        stderr=out, stdin=subprocess.DEVNULL,
                                        start_new_session=True)
            time.sleep(0.3)
            if proc.poll() is not None:
                raise Failed(open(run + "/out").read()[-500:])
            load = subprocess.run(
                [self.args.load] + self.load_args(row, kind) + ["--pid", str(proc.pid)] +
                self.then(kind, run), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, timeout=self.args.time_limit + 60)
            if load.returncode:
                raise Failed(load.stderr[-800:] + open(run + "/out").read()[-300:])
            if self.args.then and load.stderr:
                print(load.stderr)
            return json.loads(load.stdout)
        finally:
            if proc:
                stop(proc)
            shutil.rmtree(run, ignore_errors=True)


def figures(result):
    """The numbers of one run by name."""
    step = {s["step"]: s for s in result["steps"]}
    first = step["announce"]
    out = {
        "cpu_s": first["cpu_s"],
        "elapsed_s": result["complete_last_s"],
        "median_client_s": result["complete_median_s"],
        "peak_mb": result["peak_rss_kb"] / 1024,
        "settled_mb": result["rss_kb"] / 1024,
        "out_mb": first["in_octets"] / 1e6,
        "out_prefixes": first["in_prefixes"],
        "messages": first["in_messages"],
        "sessions_lost": result["sessions_lost"],
    }
    if "churn" in step:
        before = result["steps"][[s["step"] for s in result["steps"]].index("churn") - 1]
        out["churn_cpu_s"] = step["churn"]["cpu_s"] - before["cpu_s"]
        out["churn_s"] = step["churn"]["last_s"]
    if "flap" in step:
        out["flap_median_ms"] = step["flap"]["flap_median_ms"]
        out["flap_p99_ms"] = step["flap"]["flap_p99_ms"]
        out["flap_last_ms"] = step["flap"]["flap_last_client_median_ms"]
    return out


COLUMNS = [("cpu_s", "CPU s", "%.2f"), ("elapsed_s", "elapsed s", "%.2f"),
           ("peak_mb", "peak MB", "%.0f"), ("out_mb", "MB out", "%.0f"),
           ("out_prefixes", "prefixes", "%d"), ("churn_cpu_s", "churn CPU", "%.2f"),
           ("churn_s", "churn s", "%.3f"), ("flap_median_ms", "flap ms", "%.3f"),
           ("flap_p99_ms", "99th", "%.3f"), ("flap_last_ms", "last", "%.3f")]


def print_row(row, runs, names):
    """Medians of each daemon and the ratio of its CPU to the first one's. Returns: budget kept?"""
    text, _, budget = ROWS[row]
    medians = {}
    for name in names:
        if runs[name]:
            keys = runs[name][0].keys()
            medians[name] = {k: statistics.median(r[k] for r in runs[name]) for k in keys}
    print("\n%s: %s" % (row, text))
    shown = [c for c in COLUMNS if any(c[0] in m for m in medians.values())]
    print("  %-12s" % "" + "".join("%12s" % c[1] for c in shown) + "%12s%6s" % ("CPU ratio", "runs"))
    kept = True
    for name in names:
        m = medians.get(name)
        if not m:
            print("  %-12s no run succeeded" % name)
            kept = False
            continue
        base = medians.get(names[0])
        ratio = base["cpu_s"] / m["cpu_s"] if base and m["cpu_s"] else 0
        print("  %-12s" % name + "".join("%12s" % (c[2] % m[c[0]]) for c in shown) +
              "%12s%6d" % ("%.1f" % ratio if ratio else "-", len(runs[name])))
        if name == "tern" and budget and names[0] == "bird2" and base:
            ok = m["cpu_s"] <= base["cpu_s"] * budget
            print("  tern may use 1/%d of bird2's CPU: %s" %
                  (round(1 / budget), "kept" if ok else "NOT KEPT"))
            kept = kept and ok
    sys.stdout.flush()
    return kept


def main():
    src = os.environ.get("TERN_SRCDIR", ".")
    build = os.environ.get("TERN_BUILDDIR", ".")
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rows", default=DEFAULT_ROWS, help=", ".join(ROWS))
    p.add_argument("--daemon", action="append",
                   help="NAME, NAME=PATH or NAME:KIND=PATH; repeatable (bird2, tern)")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--prefixes", default=os.environ.get("TERN_PREFIXES"),
                   help="file of prefixes, one a line (TERN_PREFIXES); else they are made up")
    p.add_argument("--build", default=build, help="where ternd and ternload are")
    p.add_argument("--load", help="ternload (of --build)")
    p.add_argument("--port", type=int, help="else a free one")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, help="`threads N;` for tern")
    p.add_argument("--time-limit", type=int, default=600, help="seconds a run")
    p.add_argument("--csv", default="convergence.csv")
    p.add_argument("--then", help="command to run after convergence with tern; RUN/ctl is its socket")
    args = p.parse_args()
    args.load = args.load or os.path.join(args.build, "ternload")
    args.src = src
    if args.prefixes:
        args.prefixes = os.path.abspath(args.prefixes)
    args.port = args.port or free_port()
    raise_limit()
    rig = Rig(args)
    daemons = [d for d in map(rig.daemon, args.daemon or ["bird2", "tern"]) if d]
    names = [d[0] for d in daemons]
    kept = bool(daemons)
    with open(args.csv, "w", newline="") as f:
        out = None
        for row in args.rows.split(","):
            if row not in ROWS:
                raise SystemExit("convergence: no row '%s'; known: %s" % (row, " ".join(ROWS)))
            runs = {n: [] for n in names}
            for i in range(args.rounds):
                for d in daemons:
                    try:
                        got = figures(rig.once(d, row))
                    except (Failed, subprocess.TimeoutExpired) as e:
                        print("convergence: %s, row %s, round %d failed:\n%s" %
                              (d[0], row, i + 1, e), flush=True)
                        kept = False
                        continue
                    runs[d[0]].append(got)
                    record = {"row": row, "round": i + 1, "daemon": d[0], **got}
                    if out is None:
                        names_all = list(dict.fromkeys(
                            ["row", "round", "daemon"] + list(got) +
                            [c[0] for c in COLUMNS]))
                        out = csv.DictWriter(f, names_all)
                        out.writeheader()
                    out.writerow(record)
                    f.flush()
                    print("%s round %d %s: CPU %.2f s, elapsed %.2f s" %
                          (row, i + 1, d[0], got["cpu_s"], got["elapsed_s"]), flush=True)
            kept = print_row(row, runs, names) and kept
    print("\nall runs: %s" % args.csv)
    return 0 if kept else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that `finally` runs
    sys.exit(main())
