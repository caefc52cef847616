# SPDX-License-Identifier: GPL-3.0-or-later
"""Plant the faults of planted.list in a copy of the tree, one at a time, and play the simulated world until a run
fails.

    planted.py --check                    each fault fits the tree
    planted.py [--seeds N] [--out FILE] [--again] [--compare] [NAME...]
    planted.py --subturns [--seeds N] [--out FILE] [--again] [NAME...]

The stories come first (4 seeds each), then drawn days and pairs of features from seed 1 on, in equal numbers, N seeds
at most. A hang of the simulation counts as found. With --compare each fault is played a second time without the
oracle (sim --no-oracle). With --subturns the programs of sub-turns are played, N seeds of each, for the faults of the
code that the programs have. FILE (planted.json, planted_subturns.json in the build folder) has one line of JSON for
each fault that was played; a later call skips these faults unless --again is given.

Environment: TERN_SRCDIR, TERN_BUILDDIR. The copy lies in TERN_BUILDDIR/planted."""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

SRC = os.path.abspath(os.environ.get("TERN_SRCDIR", "."))
BUILD = os.path.abspath(os.environ.get("TERN_BUILDDIR", "."))
TREE = os.path.join(BUILD, "planted")
LIST = os.path.join(SRC, "test", "sim", "planted.list")
SUBTURNS = "test/sim/subturns/subturns"
SUBTURN_CODE = ("lib/mt/", "sysdep/loop/")
STORY_SEEDS = 4
STEP = 50  # seeds of one call of sim
HANG_S = 900


class Fault:
    """A name, a sentence, a file, and lines in place of others."""

    def __init__(self, lines):
        self.name = lines[0].split()[1]
        self.what, self.file = lines[1], lines[2]
        self.old = [line[1:] for line in lines[3:] if line[:1] == "-"]
        self.new = [line[1:] for line in lines[3:] if line[:1] == "+"]

    def apply(self, text):
        """The text with the fault; None: the old lines do not occur once."""
        old = "\n" + "\n".join(self.old) + "\n"
        if text.count(old) != 1:
            return None
        return text.replace(old, "\n" + "".join(line + "\n" for line in self.new))


def read_faults():
    with open(LIST) as f:
        blocks = f.read().split("\nfault ")[1:]
    return [Fault(("fault " + b).rstrip("\n").split("\n")) for b in blocks]


def check(faults):
    failed = 0
    names = [f.name for f in faults]
    for f in faults:
        path = os.path.join(SRC, f.file)
        if names.count(f.name) > 1:
            print("planted.list: two faults have the name %s" % f.name)
            failed += 1
        if not os.path.exists(path):
            print("planted.list: %s: %s is missing" % (f.name, f.file))
            failed += 1
            continue
        with open(path) as file:
            if f.apply(file.read()) is None:
                print("planted.list: %s: the old lines do not occur once in %s" % (f.name, f.file))
                failed += 1
    print("%d faults, %d do not fit" % (len(faults), failed))
    return failed != 0


def run(argv, limit_s, **kw):
    """(exit status, output); the status of a program that ran too long is 124."""
    try:
        r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit_s, **kw)
        return r.returncode, r.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as e:
        return 124, (e.stdout or b"").decode(errors="replace")


def make(target):
    return run(["make", "-s", "-j%d" % os.cpu_count(), target], 3600, cwd=TREE)


def make_tree(target):
    """A copy of the tree with the simulation, built without optimisation across files and without warnings."""
    if not os.path.exists(os.path.join(TREE, "Makefile")):
        skip = shutil.ignore_patterns("*.o", "*.d", "*.a", ".git", "build", "planted", "autom4te.cache", "venv", "deb")
        shutil.rmtree(TREE, ignore_errors=True)
        shutil.copytree(SRC, TREE, ignore=skip, symlinks=True)
        for name in ("config.status", "config.log", "Makefile"):
            if os.path.exists(os.path.join(TREE, name)):
                os.remove(os.path.join(TREE, name))
        run(["autoreconf", "-i"], 600, cwd=TREE)
        status, text = run(["./configure", "--disable-lto", "CFLAGS=-O1 -g1 -w"], 600, cwd=TREE)
        if status != 0:
            sys.exit(text[-2000:] + "planted.py: configure fails")
    status, text = make(target)
    if status != 0:
        sys.exit(text[-2000:] + "planted.py: the tree without a fault does not build")


def sim(*argv):
    return run([os.path.join(TREE, "test", "sim", "sim"), *argv], HANG_S, cwd=TREE)


def replay_of(text):
    """(command that replays the first failure, what sim says about the failure)."""
    says = ""
    for line in text.split("\n"):
        if line.startswith("seed "):
            says = says or line.split(": ", 1)[-1]
        if "--trace" in line:
            return line.strip().split("sim ", 1)[-1], says
    return "hang", says


def first_failure(seeds, *more):
    """(kind of runs, number of seeds before the failure, replay_of), or None. @more: options of sim."""
    jobs = str(os.cpu_count())
    for story in sorted(glob.glob(os.path.join(TREE, "test", "sim", "stories", "*.story"))):
        status, text = sim(*more, "--seeds", str(STORY_SEEDS), story)
        if status != 0:
            return "story " + os.path.basename(story)[:-6], STORY_SEEDS, replay_of(text)
    for at in range(0, seeds, STEP):
        for kind, time_of in (("day", []), ("pairs", ["--minutes", "20"])):
            seed = ["--seed", str(at + 1), "--seeds", str(STEP), "--jobs", jobs]
            status, text = sim(*more, "--" + kind, *time_of, *seed)
            if status != 0:
                return kind, at + STEP, replay_of(text)
    return None


def first_subturn(seeds):
    """As first_failure, for the programs of sub-turns."""
    status, text = run([os.path.join(TREE, SUBTURNS), "--seeds", str(seeds)], HANG_S, cwd=TREE)
    if status == 0:
        return None
    m = re.search(r"^seed (\d+): (\w+): (.*)\n +(.*)", text, re.M)
    return ("program " + m.group(2), int(m.group(1)), (m.group(4), m.group(3))) if m else ("hang", seeds, ("hang", ""))


def plant(f, seeds, target, compare):
    path = os.path.join(TREE, f.file)
    with open(os.path.join(SRC, f.file)) as file:
        sound = file.read()
    began = time.monotonic()
    try:
        with open(path, "w") as file:
            file.write(f.apply(sound))
        status, text = make(target)
        if status != 0:
            sys.exit(text[-2000:] + "planted.py: %s does not build" % f.name)
        found = first_subturn(seeds) if target == SUBTURNS else first_failure(seeds)
        plain = first_failure(seeds, "--no-oracle") if compare else None
    finally:
        with open(path, "w") as file:
            file.write(sound)
    result = {"fault": f.name, "what": f.what, "file": f.file, "seconds": round(time.monotonic() - began)}
    if found:
        result.update(found_by=found[0], seeds=found[1], replay=found[2][0], says=found[2][1])
    else:
        result.update(found_by=None, seeds=seeds)
    if compare:
        result.update(without_oracle=plain[0] if plain else None, seeds_without=plain[1] if plain else seeds)
    return result


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--check", action="store_true")
    p.add_argument("--again", action="store_true")
    p.add_argument("--compare", action="store_true")
    p.add_argument("--subturns", action="store_true")
    p.add_argument("--seeds", type=int)
    p.add_argument("--out")
    p.add_argument("names", nargs="*")
    a = p.parse_args()
    faults = read_faults()
    if a.check:
        return check(faults)
    target, out, seeds = "test/sim/sim", "planted.json", 1000
    if a.subturns:
        target, out, seeds = SUBTURNS, "planted_subturns.json", 100000
        faults = [f for f in faults if f.file.startswith(SUBTURN_CODE)]
    a.out = a.out or os.path.join(BUILD, out)
    a.seeds = a.seeds or seeds
    unknown = set(a.names) - {f.name for f in faults}
    if unknown:
        sys.exit("planted.py: no fault %s" % ", ".join(sorted(unknown)))
    done = {}
    if os.path.exists(a.out):
        with open(a.out) as file:
            done = {r["fault"]: r for r in map(json.loads, file)}
    chosen = [f for f in faults if (not a.names or f.name in a.names) and (a.again or f.name not in done)]
    make_tree(target)
    for i, f in enumerate(chosen):
        r = plant(f, a.seeds, target, a.compare)
        with open(a.out, "a") as file:
            file.write(json.dumps(r) + "\n")
        done[f.name] = r
        print("%d of %d: %s: %s, %d s" % (i + 1, len(chosen), f.name, r["found_by"] or "not found", r["seconds"]))
        sys.stdout.flush()
    print("%d faults played, %d found" % (len(done), sum(1 for r in done.values() if r["found_by"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
