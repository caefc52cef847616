#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and branches that the tests ran, one line a folder (`make coverage`).

    coverage.py BUILD [--files] [--missing PREFIX] [--ranges PREFIX]

BUILD is a build folder with CFLAGS='--coverage -O0' in which tests have run. --files prints one line a source file.
--missing prints each line of the sources below PREFIX that no test ran, with the source text. --ranges prints one line
a source: how many lines no test ran, and which ones; the sources with the most such lines come first.

A test may include the source that it tests, so one source has counts in several objects: a line or a branch is covered
if one of the objects ran it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRODUCT = ("lib", "sysdep", "filter", "nest", "proto", "client")


def counters_of(build):
    return sorted(os.path.join(at, n) for at, _, names in os.walk(build) for n in names if n.endswith(".gcda"))


def documents(build, counters):
    """The JSON documents of gcov for some files of counters."""
    r = subprocess.run(["gcov", "-b", "-j", "-t", *counters], cwd=build, capture_output=True, check=False)
    return [json.loads(text) for text in r.stdout.decode(errors="replace").split("\n") if text.startswith("{")]


def source_name(build, doc, entry):
    """The name of a source of the product within the tree, or None."""
    name = os.path.normpath(os.path.join(doc.get("current_working_directory", build), entry["file"]))
    if name.startswith(build + "/"):
        name = name[len(build) + 1 :]
    elif name.startswith(TOP + "/"):
        name = name[len(TOP) + 1 :]
    return name if name.split("/")[0] in PRODUCT else None


def counts_of(build):
    """{source: {line: count}} and {source: {(line, branch): count}}."""
    lines = collections.defaultdict(dict)
    branches = collections.defaultdict(dict)
    counters = counters_of(build)
    groups = [counters[i : i + 40] for i in range(0, len(counters), 40)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for docs in pool.map(lambda group: documents(build, group), groups):
            for doc in docs:
                for entry in doc["files"]:
                    name = source_name(build, doc, entry)
                    if name:
                        add_counts(lines[name], branches[name], entry)
    return lines, branches


def add_counts(lines, branches, entry):
    for line in entry["lines"]:
        number = line["line_number"]
        lines[number] = max(lines.get(number, 0), line["count"])
        for i, branch in enumerate(line.get("branches", [])):
            if not branch["throw"]:
                branches[(number, i)] = max(branches.get((number, i), 0), branch["count"])


def folder_of(name):
    """The first two folders of a source: nest/rib/table/net.c counts for nest/rib."""
    return "/".join(os.path.dirname(name).split("/")[:2])


def print_table(lines, branches, key_of):
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for name in lines:
        for key in {key_of(name), "all"}:
            s = sums[key]
            s[0] += sum(1 for count in lines[name].values() if count)
            s[1] += len(lines[name])
            s[2] += sum(1 for count in branches[name].values() if count)
            s[3] += len(branches[name])
    for key in sorted(sums):
        ran, all_lines, taken, all_branches = sums[key]
        print(
            "%-20s lines %5.1f %% of %6d  branches %5.1f %% of %6d"
            % (key, 100 * ran / max(1, all_lines), all_lines, 100 * taken / max(1, all_branches), all_branches)
        )


def print_missing(lines, prefix):
    for name in sorted(lines):
        if not name.startswith(prefix) or not os.path.exists(os.path.join(TOP, name)):
            continue
        with open(os.path.join(TOP, name), encoding="utf-8") as f:
            text = f.read().split("\n")
        for number in sorted(n for n, count in lines[name].items() if not count):
            print("%s:%d:%s" % (name, number, text[number - 1]))


def ranges_of(counts):
    """The lines without a run, as text: "12-15 20". Lines without code between them do not divide a range."""
    ranges, open_range = [], False
    for number in sorted(counts):
        if counts[number]:
            open_range = False
        elif open_range:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
            open_range = True
    return " ".join("%d-%d" % (a, b) if a != b else "%d" % a for a, b in ranges)


def print_ranges(lines, prefix):
    missing = {n: sum(1 for c in counts.values() if not c) for n, counts in lines.items() if n.startswith(prefix)}
    for name in sorted(missing, key=lambda n: (-missing[n], n)):
        if missing[name]:
            print("%5d  %s: %s" % (missing[name], name, ranges_of(lines[name])))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("build")
    p.add_argument("--files", action="store_true")
    p.add_argument("--missing", metavar="PREFIX")
    p.add_argument("--ranges", metavar="PREFIX")
    args = p.parse_args()
    build = os.path.abspath(args.build)
    lines, branches = counts_of(build)
    if not lines:
        print("coverage: %s has no counters" % build, file=sys.stderr)
        return 1
    if args.missing is not None:
        print_missing(lines, args.missing)
    elif args.ranges is not None:
        print_ranges(lines, args.ranges)
    else:
        print_table(lines, branches, (lambda name: name) if args.files else folder_of)
    return 0


sys.exit(main())
