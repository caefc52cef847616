# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a failing run of the simulated world small: a story with few steps that fails in the same way.

    shrink.py [--seeds N] [--limit S] [--out FILE] --day --seed N
    shrink.py [--seeds N] [--limit S] [--out FILE] --pairs --seed N [--minutes M]
    shrink.py [--seeds N] [--limit S] [--out FILE] STORY

A drawn run becomes a story first (sim --script). The story plays with N seeds, because another order of events may
hide the fault: a story fails if one seed fails in the same way. Delta debugging (Zeller and Hildebrandt, 2002) then
removes steps, lines of files, and times, as long as the story fails, for S seconds at most.

Environment: TERN_BUILDDIR, TERN_SRCDIR."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(os.environ.get("TERN_BUILDDIR", "."))
SIM = os.path.join(BUILD, "test", "sim", "sim")
# The kinds of failures: the same kind counts as the same failure.
KINDS = (
    "the oracle expects",
    "fresh daemon tells",
    "what a fresh one would be",
    "holds no such route",
    "lost a session without a reason",
    "come to rest",
    "killed by signal",
)


def kind_of(text):
    """The kind of the first failure of a run; None: no failure, or a step without a meaning."""
    for kind in KINDS:
        if kind in text:
            return kind
    found = re.search(r"^seed \d+, [^:]*: (?:\S+\.story:\d+: )?(.*)", text, re.M)
    return found.group(1)[:40] if found else None


def run_sim(*argv):
    try:
        r = subprocess.run([SIM, *argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        return r.returncode, r.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return 124, "the world does not come to rest"


def read_steps(text):
    """The steps of a story; a step with a block is a list of lines."""
    steps, block = [], None
    for line in text.splitlines():
        if block is not None:
            block.append(line)
            if line == ".":
                block = None
            continue
        steps.append([line])
        if re.match(r"(at \S+ )?(config$|file |repeat )", line):
            block = steps[-1]
    return steps


def read_units(lines):
    """The statements of a file: lists of lines, each with all of its braces."""
    units, depth = [], 0
    for line in lines:
        if depth == 0:
            units.append([])
        units[-1].append(line)
        depth += line.count("{") - line.count("}")
    return units


class Shrinker:
    """The smallest failing story so far."""

    def __init__(self, args):
        self.args = args
        self.until = time.monotonic() + args.limit
        self.dir = tempfile.mkdtemp()
        self.path = os.path.join(self.dir, "shrunk.story")
        self.kind = None
        self.seed = 1
        self.runs = 0

    def over(self):
        return time.monotonic() > self.until

    def fails(self, steps):
        """Does a story of these steps fail in the same way? The last failing seed is tried first."""
        with open(self.path, "w") as f:
            f.write("".join(line + "\n" for step in steps for line in step))
        for first, cnt in ((self.seed, 1), (1, self.args.seeds)):
            self.runs += 1
            status, text = run_sim("--seed", str(first), "--seeds", str(cnt), "--jobs", "2", self.path)
            if status != 0 and (self.kind is None or kind_of(text) == self.kind):
                self.kind = kind_of(text)
                found = re.search(r"FAIL .* seed (\d+);", text)
                self.seed = int(found.group(1)) if found else self.seed
                return True
        return False

    def without(self, items, make):
        """ddmin: the smallest list of @items for which the story make(items) fails."""
        parts = 2
        while len(items) >= 1 and not self.over():
            size = max(1, len(items) // parts)
            for at in range(0, len(items), size):
                rest = items[:at] + items[at + size :]
                if self.over() or self.fails(make(rest)):
                    break
            else:
                if size == 1:
                    break
                parts = min(len(items), 2 * parts)
                continue
            if self.over():
                break
            items = rest
            parts = max(2, parts - 1)
        return items

    def shrink(self, steps):
        steps = self.without(steps, lambda s: s)
        for i, step in enumerate(steps):  # lines of files
            if len(step) > 2 and not self.over():

                def put(lines, i=i, step=step):
                    return steps[:i] + [[step[0], *lines, "."]] + steps[i + 1 :]

                def put_units(units, put=put):
                    return put([line for unit in units for line in unit])

                units = self.without(read_units(step[1:-1]), put_units)
                steps = put(self.without([line for unit in units for line in unit], put))
        for i, step in enumerate(steps):  # times
            bare = re.sub(r"^at \S+ ", "", step[0])
            if bare != step[0] and not self.over():
                tried = steps[:i] + [[bare, *step[1:]]] + steps[i + 1 :]
                steps = tried if self.fails(tried) else steps
        return self.without(steps, lambda s: s)


def first_story(args):
    if args.story:
        with open(args.story) as f:
            return f.read()
    with tempfile.NamedTemporaryFile("r", suffix=".story") as f:
        what = ["--pairs", "--minutes", str(args.minutes)] if args.pairs else ["--day"]
        status, text = run_sim(*what, "--seed", str(args.seed), "--script", f.name)
        if status == 0:
            sys.exit("shrink.py: seed %d does not fail" % args.seed)
        print("%s: %s" % (" ".join(what), kind_of(text)))
        return f.read()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--day", action="store_true")
    p.add_argument("--pairs", action="store_true")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--minutes", type=int, default=10)
    p.add_argument("--seeds", type=int, default=8)
    p.add_argument("--limit", type=int, default=600)
    p.add_argument("--out", default="shrunk.story")
    p.add_argument("story", nargs="?")
    a = p.parse_args()
    if not (a.day or a.pairs or a.story):
        p.error("--day, --pairs or a STORY")
    began = time.monotonic()
    s = Shrinker(a)
    steps = read_steps(first_story(a))
    if not s.fails(steps):
        sys.exit("shrink.py: the story does not fail with seeds 1 to %d" % a.seeds)
    before = sum(len(step) for step in steps)
    steps = s.shrink(steps)
    s.fails(steps)
    with open(a.out, "w") as f:
        f.write("".join(line + "\n" for step in steps for line in step))
    after = sum(len(step) for step in steps)
    said = (before, after, s.runs, time.monotonic() - began, a.out, s.seed, s.kind)
    print("%d lines became %d in %d runs and %.0f s: %s, seed %d: %s" % said)
    return 0


if __name__ == "__main__":
    sys.exit(main())
