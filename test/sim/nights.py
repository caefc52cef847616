# SPDX-License-Identifier: GPL-3.0-or-later
"""Play seeds of the simulated world for as long as asked, and write a page.

    nights.py [--minutes N] [--seed N] [--dir FOLDER] [--no-shrink]

Drawn days, runs of pairs and hours of an exchange take turns, on all processors. FOLDER (nights in the build folder)
has the state: a later call goes on behind the last seed. FOLDER/page.md has the numbers of runs, what the oracle has
judged, and the findings; a finding has its seed, the command that replays the run, and a small story (shrink.py).

Exit status 1: there is a finding.

Environment: TERN_SRCDIR, TERN_BUILDDIR."""

import argparse
import json
import os
import re
import subprocess
import sys
import time

SRC = os.path.abspath(os.environ.get("TERN_SRCDIR", "."))
BUILD = os.path.abspath(os.environ.get("TERN_BUILDDIR", "."))
SIM = os.path.join(BUILD, "test", "sim", "sim")
# Kinds of runs: the words of sim, and the seeds of one call.
KINDS = {
    "day": (["--day"], 100),
    "pairs of 10 minutes": (["--pairs", "--minutes", "10"], 100),
    "pairs of 20 minutes": (["--pairs", "--minutes", "20"], 50),
    "hour of 20 members": (["--day", "--hours", "1", "--members", "20", "--rate", "5"], 4),
}
SUMS = re.compile(
    r"oracle: (\d+) checks, (\d+) networks of members, (\d+) reasons and (\d+) counts of replies judged, (\d+) limits"
)
SUM_NAMES = ("checks", "networks of members", "reasons of replies", "counts of replies", "limits")


def run(argv):
    r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return r.stdout.decode(errors="replace")


def new_state(seed):
    return {
        "runs": {kind: 0 for kind in KINDS},
        "next": {kind: seed for kind in KINDS},
        "judged": [0] * len(SUM_NAMES),
        "vague": {},
        "seconds": 0,
        "findings": [],
    }


def save(path, text):
    with open(path + ".new", "w") as f:
        f.write(text)
    os.replace(path + ".new", path)


def note_sums(state, text):
    found = SUMS.search(text)
    if found:
        state["judged"] = [a + int(b) for a, b in zip(state["judged"], found.groups())]
    for cnt, what in re.findall(r"not judged: (\d+) of (.*)", text):
        state["vague"][what] = state["vague"].get(what, 0) + int(cnt)


def shrink(folder, kind, seed):
    """The small story of a failed run; None: the story of the run does not fail, or the run has no story."""
    if "--hours" in KINDS[kind][0]:
        return None
    out = os.path.join(folder, "%s-%d.story" % (kind.split()[0], seed))
    tool = os.path.join(SRC, "test", "sim", "shrink.py")
    run([sys.executable, "-B", tool, *KINDS[kind][0], "--seed", str(seed), "--limit", "300", "--out", out])
    return out if os.path.exists(out) else None


def play(state, kind, folder, with_shrink):
    words, cnt = KINDS[kind]
    first = state["next"][kind]
    began = time.monotonic()
    text = run([SIM, *words, "--seed", str(first), "--seeds", str(cnt), "--jobs", str(min(64, os.cpu_count()))])
    state["seconds"] += time.monotonic() - began
    if "seeds %d to %d: %d runs" % (first, first + cnt - 1, cnt) not in text:
        sys.exit("nights.py: sim does not end as expected:\n" + text[-2000:])
    state["runs"][kind] += cnt
    state["next"][kind] = first + cnt
    note_sums(state, text)
    for seed, replay in re.findall(r"^FAIL \S+ seed (\d+); replay: (.*)", text, re.M):
        says = re.search(r"^seed %s, [^:]*: (.*)" % seed, text, re.M)
        state["findings"].append(
            {
                "kind": kind,
                "seed": int(seed),
                "replay": replay,
                "says": says.group(1) if says else "",
                "story": shrink(folder, kind, int(seed)) if with_shrink else None,
            }
        )


def page(state):
    lines = ["# Nights of the simulated world", "", "| runs | number |", "|---|---|"]
    lines += ["| %s | %d |" % (kind, state["runs"][kind]) for kind in KINDS]
    lines += [
        "",
        "Hours: %.1f. The oracle has judged:" % (state["seconds"] / 3600),
        "",
        "| judged | number |",
        "|---|---|",
    ]
    lines += ["| %s | %d |" % pair for pair in zip(SUM_NAMES, state["judged"])]
    lines += ["", "| not judged | number |", "|---|---|"]
    lines += ["| %s | %d |" % pair for pair in sorted(state["vague"].items(), key=lambda p: -p[1])]
    lines += ["", "## Findings", ""]
    for f in state["findings"]:
        lines += ["- %s, seed %d: %s" % (f["kind"], f["seed"], f["says"]), "  `%s`" % f["replay"]]
        lines += ["  %s" % f["story"]] if f["story"] else []
    lines += [] if state["findings"] else ["None."]
    return "\n".join(lines) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--minutes", type=float, default=60)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--dir", default=os.path.join(BUILD, "nights"))
    p.add_argument("--no-shrink", action="store_true")
    a = p.parse_args()
    until = time.monotonic() + 60 * a.minutes
    os.makedirs(a.dir, exist_ok=True)
    path = os.path.join(a.dir, "state.json")
    state = new_state(a.seed)
    if os.path.exists(path):
        with open(path) as f:
            state = json.load(f)
    while time.monotonic() < until:
        kind = min(KINDS, key=lambda k: state["runs"][k] / KINDS[k][1])
        play(state, kind, a.dir, not a.no_shrink)
        save(path, json.dumps(state, indent=1))
        save(os.path.join(a.dir, "page.md"), page(state))
    print("%d runs, %d findings: %s/page.md" % (sum(state["runs"].values()), len(state["findings"]), a.dir))
    return 1 if state["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
