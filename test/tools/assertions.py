#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The number of assertions in the text of the tests, one line a folder.

    assertions.py [COMMIT...]

One column for each commit, and the last column for the files of the working tree. An assertion is:
- in C, a call of a function assert_...(): cmocka's and the tests' own;
- in Python, a statement assert, or a call of a function check, equal, until, stays, same, expect or wait, or of a
  function whose name begins with one of these words and "_";
- in a story, a line with the word expect or never, or a line that begins with "answer" or "log" and a condition.
A definition is no call. An assertion in a loop or in a helper counts once.
"""
import collections
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IN_C = re.compile(r"^(?!#define|[a-z]).*?\bassert_\w+\(", re.M)
IN_PYTHON = re.compile(r"(?<!def )\b(?:check|equal|until|stays|same|expect|wait)(?:_\w+)?\(|^\s*assert ", re.M)
IN_STORY = re.compile(
    r"^(?:(?:at|after|within)\s+\S+\s+)*(?:(?:expect|never)\b|answer\s+(?:has|lacks)\b|log\s+(?:has|lacks|at|\d)).*",
    re.M,
)
FOLDERS = ("test/unit", "test/prop", "test/stress", "test/net", "test/sim/stories")


def assertions_of(name, text):
    if name.endswith((".c", ".h")):
        return len(IN_C.findall(text))
    if name.endswith(".py"):
        return len(IN_PYTHON.findall(text))
    return len(IN_STORY.findall(text)) if "/stories/" in name else 0


def folder_of(name):
    return next((f for f in FOLDERS if name.startswith(f + "/")), "elsewhere")


def git(*args):
    return subprocess.run(["git", "-C", TOP, *args], capture_output=True, check=True).stdout


def texts_of(commit):
    """(name, text) of each file below test/ of a commit; None stands for the working tree."""
    if commit is None:
        names = [os.path.join(at, n) for at, _, found in os.walk(os.path.join(TOP, "test")) for n in found]
        for name in names:
            if name.endswith((".c", ".h", ".py")) or "/stories/" in name:
                with open(name, encoding="utf-8", errors="replace") as f:
                    yield os.path.relpath(name, TOP), f.read()
        return
    for name in git("ls-tree", "-r", "--name-only", commit, "test/").decode().split("\n"):
        if name.endswith((".c", ".h", ".py")) or "/stories/" in name:
            yield name, git("show", "%s:%s" % (commit, name)).decode(errors="replace")


def counts_of(commit):
    counts = collections.Counter()
    for name, text in texts_of(commit):
        n = assertions_of(name, text)
        counts[folder_of(name)] += n
        counts["all"] += n
    return counts


def main():
    commits = sys.argv[1:] + [None]
    columns = [counts_of(c) for c in commits]
    print("%-18s" % "assertions" + "".join("%12s" % (c[:10] if c else "tree") for c in commits))
    for key in ("all",) + FOLDERS + ("elsewhere",):
        print("%-18s" % key + "".join("%12d" % counts[key] for counts in columns))
    return 0


sys.exit(main())
