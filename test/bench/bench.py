#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Route servers side by side: each workload against each daemon with the same clients, routes and policy.

Each round runs every daemon once, one after the other, so that what else the machine does hits all alike;
rounds begin with different daemons. A run counts only if every client ends up with exactly what
it must hold (ternload's model of a route server says what that is); others are failures, not figures.

    test/bench/bench.py --quick
    test/bench/bench.py --rows single-100-100k,flap-10 --rounds 5
    test/bench/bench.py --daemon tern --daemon tern-2 --daemon old:tern=../old/ternd --rows 'single-100*'
"""
import argparse
import contextlib
import csv
import datetime
import json
import os
import platform
import re
import signal
import subprocess
import sys
import threading
import time

import figures
import plots
import rows

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import daemons  # noqa: E402
import examples  # noqa: E402
import namespace  # noqa: E402

KEYS = ["row", "round", "daemon", "version", "when", "clients", "nets", "routes"]
ROUNDS = {"test": 1, "quick": 1, "normal": 3, "full": 5}


def prefer(pid):
    """The clients are machines of their own elsewhere: the scheduler shall not let them wait for a daemon with
    many threads. Needs root, else it stays as it is."""
    try:
        with open("/proc/%d/autogroup" % pid, "w") as f:
            f.write("-10")
    except OSError:  # no such groups
        try:
            os.setpriority(os.PRIO_PROCESS, pid, -10)
        except OSError:
            pass


def run_load(argv, run, limit, busy):
    """ternload, for so long as the daemon lives. Returns: its exit status and what it said."""
    load = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    if busy:
        prefer(load.pid)
    until = time.monotonic() + limit
    try:
        while True:
            try:
                out, err = load.communicate(timeout=1)
                return load.returncode, out, err
            except subprocess.TimeoutExpired:
                if run.proc.poll() is not None:
                    raise daemons.Failed("\n".join(run.death() + [run.said()[-400:]]).strip())
                if time.monotonic() > until:
                    raise daemons.Failed("time is up, and ternload doesn't end")
    finally:
        if load.poll() is None:
            load.kill()
            load.wait()


def as_example(name, text, log):
    """The example @name for the same server and members as @text, a configuration by ternload."""
    server, port = re.search(r"local (\S+) port (\d+) as", text).groups()
    return examples.filled(
        name,
        (server, int(port)),
        log,
        re.findall(r"neighbor (\S+) as (\d+);", text),
        "".join(option + " " for option in ("multihop;", "allow as sets;") if option in text),
    )


class Asking:
    """Somebody who asks on the control socket of a daemon, for a `with` block; `waited`: what he found."""

    def __init__(self, run):
        self.path = os.path.join(run.dir, "ctl")
        self.waited = []

    def __enter__(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "control.py")
        self.proc = subprocess.Popen(
            [sys.executable, "-B", script, self.path],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        prefer(self.proc.pid)
        # A reader of its own, since a pipe doesn't hold the answers of a long run.
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        return self

    def read(self):
        for line in self.proc.stdout:
            self.waited.append(tuple(float(w) for w in line.split()))

    def __exit__(self, *_):
        self.proc.terminate()
        try:
            self.proc.wait(5)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait()
        self.reader.join(5)


class Bench:
    def __init__(self, args):
        self.args = args
        self.began = time.monotonic()
        self.gave_up = {}  # (daemon, event or None): [(clients, nets), ...] for which time was up
        self.done = []
        self.took = {}  # (daemon, row): seconds of the longest run
        self.out = None

    def left_s(self):
        return self.args.limit - (time.monotonic() - self.began) if self.args.limit else 10**9

    # --- one run ---

    def load_args(self, row, daemon, port, more=()):
        out = (
            [self.args.load]
            + row.load
            + ["--port", str(port), "--quiet", "--report", "3", "--seed", str(self.args.seed)]
        )
        if self.args.prefixes and not row.made_up:
            out += ["--prefixes", self.args.prefixes]
        if row.lan:
            out += namespace.lan()
        if daemon.kind.lenient:
            out.append("--lenient")
        if daemon.kind.unknown and "--add-paths" in row.load:
            out.append("--allow-unknown")
        return out + list(more)

    def once(self, row, daemon):
        """Returns: what ternload tells, or the row's own function. Raises Failed."""
        if row.measure:
            try:
                return row.measure(self, daemon)
            except rows.rpki.harness.Failed as e:
                raise daemons.Failed(str(e))

        def configure(run, f, name):
            more = ["--run-dir", run.dir, "--conf", daemon.kind_name]
            if name == "conf.new":
                more += row.reload.split() + ["--conf-change"]
            elif name != "conf":
                more += ["--irr-reload", name.rsplit(".", 1)[1]]
            text = subprocess.run(
                self.load_args(row, daemon, run.port, more), stdout=subprocess.PIPE, check=True, timeout=300, text=True
            ).stdout
            f.write(as_example(row.example, text, run.dir + "/bird.log") if row.example else text)

        limit = int(min(self.args.run_limit or min(row.limit_s, daemon.kind.limit_s), max(self.left_s(), 10)))
        with daemons.Running(daemon, self.args.ports, self.args.build, configure) as run:
            argv = self.load_args(
                row, daemon, run.port, ["--do", row.steps, "--time-limit", str(limit), "--pid", str(run.proc.pid)]
            )
            if row.reload:
                run.write("conf.new")
                argv += ["--reload", run.reload_command(row.clear)]
            for i in range(row.reloads):
                run.write("conf.new.%d" % (i + 1))
            if row.reloads:
                argv += ["--reload", run.reload_command(row.clear, "conf.new.$STEP")]
            if self.args.then and daemon.kind_name == "tern":
                argv += ["--then", run.fill(self.args.then)]
            with contextlib.ExitStack() as stack:
                stack.enter_context(namespace.setting("/proc/sys/net/ipv4/tcp_rmem", row.rmem))
                asking = stack.enter_context(Asking(run)) if row.control else None
                code, out, err = run_load(argv, run, limit + 300, row.busy)
            if code:
                lines = err.strip().split("\n")  # that time is up comes first, then differences
                raise daemons.Failed("\n".join(run.death() + lines[:8] + lines[8:][-2:] + [run.said()[-400:]]).strip())
            if self.args.then and err:
                print(err)
            return dict(json.loads(out), control=asking.waited if asking else [])

    # --- rows ---

    def too_big(self, row, daemon):
        """Why the daemon isn't tried with this row; None: it is."""
        size = self.size(row)
        # Who can't announce so much can't do anything else with it, either.
        seen = self.gave_up.get((daemon.name, None), []) + self.gave_up.get((daemon.name, row.event), [])
        for clients, nets in seen:
            if size[0] >= clients and size[1] >= nets:
                return "not tried: time was up with %d clients and %d nets" % (clients, nets)
        if row.only and daemon.kind_name not in row.only:
            return "can't do this case"
        if row.lan and namespace.INSIDE not in os.environ:
            return "can't be tried without a network namespace"
        if self.took.get((daemon.name, row.name), 5) > self.left_s():
            return "not tried: the time limit of all is near"
        return None

    @staticmethod
    def size(row):
        return tuple(int(row.load[row.load.index(o) + 1]) for o in ("--clients", "--nets"))

    def record(self, row, round_, daemon, result, got, error):
        clients, nets = self.size(row)
        if self.out is None:
            self.csv = open(self.args.csv, "a" if self.args.append else "w", newline="")
            self.out = csv.DictWriter(self.csv, KEYS + figures.FIGURES + ["error"], extrasaction="ignore")
            if not self.csv.tell():
                self.out.writeheader()
        self.out.writerow(
            {
                "row": row.name,
                "round": round_,
                "daemon": daemon.name,
                "version": daemon.text,
                "when": datetime.datetime.now().isoformat(timespec="seconds"),
                "clients": clients,
                "nets": nets,
                "routes": result.get("routes", ""),
                **got,
                "error": error.replace("\n", " ")[:200],
            }
        )
        self.csv.flush()

    def try_once(self, row, i, daemon, runs, failures):
        began = time.monotonic()
        try:
            result = self.once(row, daemon)
            got = figures.of_run(row, result)
        except daemons.Refused as e:
            failures[daemon.name] = "can't do this yet: %s" % e
            print("%s round %d %s can't do this yet: %s" % (row.name, i, daemon.name, e), flush=True)
            return
        except (daemons.Failed, subprocess.SubprocessError, OSError) as e:
            failures[daemon.name] = str(e)
            self.record(row, i, daemon, {}, {}, str(e))
            print(
                "%s round %d %s FAILED:\n    %s" % (row.name, i, daemon.name, str(e).strip().replace("\n", "\n    ")),
                flush=True,
            )
            if "time is up" in str(e):
                self.gave_up.setdefault((daemon.name, row.event), []).append(self.size(row))
            return
        finally:
            key = (daemon.name, row.name)
            self.took[key] = max(self.took.get(key, 0), time.monotonic() - began)
        runs[daemon.name].append(got)
        self.record(row, i, daemon, result, got, "")
        print(
            "%s round %d %s: %s"
            % (
                row.name,
                i,
                daemon.name,
                ", ".join("%s %s" % (c[1], c[2] % got[c[0]]) for c in figures.COLUMNS if c[0] in got),
            ),
            flush=True,
        )

    def run_row(self, row, these):
        """Returns: was every run right and every budget met?"""
        runs = {d.name: [] for d in these}
        failures = {}
        for i in range(self.args.rounds):
            for d in these[i % len(these) :] + these[: i % len(these)]:
                why = self.too_big(row, d)
                if why:
                    failures.setdefault(d.name, why)
                    continue
                self.try_once(row, i + 1, d, runs, failures)
        lines = figures.table(row, runs, failures)
        marks = {True: "met", False: "MISSED", None: "not judged"}
        budgets = [(t, marks[v]) for t, v in figures.verdicts(row, runs, self.done)]
        print("\n%s: %s\n%s" % (row.name, row.text, figures.as_text(lines)))
        for text, mark in budgets:
            print("  budget: %s: %s" % (text, mark))
        print(flush=True)
        self.report.write("\n### %s: %s\n\n%s\n" % (row.name, row.text, figures.as_markdown(lines)))
        if budgets:
            self.report.write("\n" + "".join("- budget: %s: %s\n" % b for b in budgets))
        self.report.flush()
        self.done.append((row, runs))
        failed = [n for n, why in failures.items() if not why.startswith(("not tried", "can't"))]
        return not failed, all(m != "MISSED" for _, m in budgets)

    def daemons_of(self, row):
        names = row.own if row.own and not self.args.daemon else self.names
        out = []
        for name in names:
            if row.own and name.startswith("tern-") and int(name[5:]) > max(os.cpu_count(), 2):
                continue
            if name not in self.known:
                self.known[name] = daemons.parse(name, self.args.build)
                if self.known[name]:
                    self.known[name].text = self.known[name].version()
            if self.known[name]:
                out.append(self.known[name])
        # Two threads are a line of their own where budgets ask for it.
        if any("tern-2" in (b.who, b.beside) for b in row.budgets) and not self.args.daemon and "tern-2" not in names:
            out += self.daemons_of(rows.Row("", "", "", own=["tern-2"]))
        return out

    def main(self):
        self.known = {}
        self.names = self.args.daemon or ["tern", "bird2", "frr", "openbgpd", "gobgp"]
        chosen = rows.find(self.args.rows, self.args.mode)
        with open(self.args.report, "a" if self.args.append else "w") as self.report:
            head = about(self)
            self.report.write("%s\n" % head)
            print(head, flush=True)
            try:
                return self.run_rows(chosen)
            finally:  # also of what there is when somebody interrupts it
                lines = figures.summary(self.done)
                self.report.write("\n### All rows: medians, and ratios to tern\n\n%s\n" % figures.as_markdown(lines))
                print("medians, and ratios to tern\n" + figures.as_text([l[:-1] for l in lines]))

    def run_rows(self, chosen):
        right = met = True
        for row in chosen:
            these = self.daemons_of(row)
            if self.left_s() < 5:
                print("%s: not tried: the time limit of all is reached" % row.name)
                continue
            if these:
                r, m = self.run_row(row, these)
                right, met = right and r, met and m
            else:
                right = False
        return right, met


def about(bench):
    """Command, machine, versions, date."""
    cpu = "unknown CPU"
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
    with open("/proc/meminfo") as f:
        mem = int(f.readline().split()[1]) >> 20
    head = [
        "- command: bench.py %s" % " ".join(sys.argv[1:]),
        "- machine: %d cores, %s, %d GB, Linux %s; clients and daemon together, on loopback"
        % (os.cpu_count(), cpu, mem, platform.release()),
        "- date: %s; load average at the start: %.1f"
        % (datetime.datetime.now().strftime("%d %B %Y, %H:%M"), os.getloadavg()[0]),
    ]
    for name in bench.names:
        d = bench.known[name] = daemons.parse(name, bench.args.build)
        if d:
            d.text = d.version()
        head.append("- %s: %s" % (name, d.text if d else "missing, left out"))
    return "\n".join(head)


def options(mode):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    g = p.add_mutually_exclusive_group()
    for m, text in (
        ("quick", "small rows, a few minutes"),
        ("full", "all rows, hours"),
        ("test", "one tiny row: do the daemons and the rig work?"),
    ):
        g.add_argument("--" + m, dest="mode", action="store_const", const=m, default=mode, help=text)
    p.add_argument(
        "--rows",
        help="only these cases, divided by commas; 'flap*' works; also single-CLIENTS-NETS, and `budgets`: "
        "all cases with a budget",
    )
    p.add_argument("--list", action="store_true", help="list the rows of the mode and leave")
    p.add_argument(
        "--daemon",
        action="append",
        help="NAME[:KIND][=PATH], repeatable; kinds: %s; tern-2 is tern with `threads 2` (all that are installed)"
        % " ".join(daemons.KINDS),
    )
    p.add_argument("--rounds", type=int, help="of each row (test and quick 1, normal 3, full 5)")
    p.add_argument("--limit", type=float, help="seconds for all cases; cases that don't fit are left out")
    p.add_argument("--run-limit", type=float, help="seconds for one run (each row's own)")
    p.add_argument(
        "--prefixes",
        default=os.environ.get("TERN_PREFIXES"),
        help="file of prefixes, one a line (TERN_PREFIXES); without FILE the prefixes are made up",
    )
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--build", default=os.environ.get("TERN_BUILDDIR", "."), help="where the programs are")
    p.add_argument("--ports", default="17900:19000", help="range of ports to use")
    p.add_argument("--out", help="folder for results (BUILD/bench)")
    p.add_argument("--append", action="store_true", help="add to earlier results")
    p.add_argument("--plot", metavar="CSV", help="only draw the plots of this file, and print a table")
    p.add_argument("--then", help="command to run with tern while all sessions are up; RUN/ctl is its socket")
    args = p.parse_args()
    args.build = os.path.abspath(args.build)
    args.load = os.path.join(args.build, "ternload")
    args.rounds = args.rounds or ROUNDS.get(args.mode, 5)
    args.ports = tuple(int(n) for n in args.ports.split(":"))
    args.out = args.out or os.path.join(args.build, "bench" if mode == "normal" else "bench-" + mode)
    args.csv = os.path.join(args.out, "results.csv")
    args.report = os.path.join(args.out, "results.md")
    if args.prefixes:
        args.prefixes = os.path.abspath(args.prefixes)
    return args


def read_runs(path, mode):
    """[(row, {daemon: [figures, ...]}), ...] of a file that was written before"""
    found = {}
    with open(path, newline="") as f:
        for r in csv.DictReader(f):
            each = found.setdefault(r["row"], {}).setdefault(r["daemon"], [])
            if not r["error"]:
                each.append({k: float(r[k]) for k in figures.FIGURES if r.get(k)})
    return [(rows.find(name, mode)[0], runs) for name, runs in found.items()]


def draw(csv_path, out):
    """By this interpreter or, since the first one in PATH need not be the one that matplotlib is installed for,
    by the system's."""
    sys.stdout.flush()
    for python in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        if (
            os.access(python, os.X_OK)
            and not subprocess.run([python, "-B", plots.__file__, csv_path, out], stderr=subprocess.PIPE).returncode
        ):
            return
    print("no plots: neither %s nor /usr/bin/python3 has matplotlib (Debian: python3-matplotlib)" % sys.executable)


def main(mode="normal", names=None):
    """Returns: 0 when every run was right; of what has names of its own also budgets must be met."""
    args = options(mode)
    args.daemon = args.daemon or names
    if args.list:
        for r in rows.find(args.rows, args.mode):
            print("%-18s %s" % (r.name, r.text))
        return 0
    os.makedirs(args.out, exist_ok=True)
    if args.plot:
        draw(args.plot, args.out)
        print(figures.as_markdown(figures.summary(read_runs(args.plot, args.mode))))
        return 0
    if namespace.enter():
        namespace.default_routes()
    if not os.access(args.load, os.X_OK):
        raise SystemExit("bench: %s doesn't exist: build tern, or name the folder by --build" % args.load)
    daemons.raise_limit()
    try:
        right, met = Bench(args).main()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one may be late
        print("interrupted; results until then: %s" % args.csv)
        return 130
    print("all runs: %s\ntables: %s" % (args.csv, args.report))
    if args.mode != "test" and os.path.exists(args.csv):
        draw(args.csv, args.out)
    print(
        "every run was right: %s; every budget that could be judged was met: %s"
        % ("yes" if right else "NO", "yes" if met else "NO")
    )
    return 0 if right and (met or not names) else 1


if __name__ == "__main__":
    daemons.end_in_order()
    sys.exit(main())
