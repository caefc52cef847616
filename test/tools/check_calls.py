#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls follow the floors, as includes do: an arrow is a symbol that one object takes of another.

    check_calls.py BUILD     run in the source's root; BUILD has libtern.list and the objects

An object takes symbols of its own floor and folder, or of earlier ones (check_floors.sh has the order; folders
between commas are equal); an object in a folder without a place in the order is an error. No cycle of objects crosses
a border between folders that are not equal. doc/architecture.md names the cycles that remain, under "## Cycles in
calls":

    - `nest/mrt/mrt_dump`, `nest/mrt/mrt_dump_nets`: why

An entry there allows a cycle, and each cycle inside of it. An entry whose objects form no cycle is an error.
"""
import os
import re
import subprocess
import sys

from check_circles import circles, known

DOC = 'doc/architecture.md'
FLOORS = [['lib/base', 'lib/crypto', 'lib/json', 'lib/mem'], ['lib/mt'], ['lib/net', 'lib/fib'], ['lib/attr'],
          ['lib/wire'], ['sysdep'], ['filter'], ['nest'], ['proto']]

UNKNOWN = -1  # the place of a folder that the order lacks


def folders_of():
    """{house: [[folder, equal folder], ...]} of check_floors.sh, which lies beside this file."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'check_floors.sh')
    with open(path, encoding='utf-8') as f:
        return {h: [r.split(',') for r in text.replace('\\\n', ' ').split()]
                for h, text in re.findall(r'folders\["([^"]+)"\] = "([^"]*)"', f.read())}


def place(path, folders):
    """(floor, house, folder): the smaller number comes first; what lies in the house itself comes first of all.
    UNKNOWN: the order lacks the folder."""
    floor = next(i for i, parts in enumerate(FLOORS) if any(path.startswith(f + '/') for f in parts))
    house = next((h for h in folders if path.startswith(h + '/')), '')
    folder = os.path.dirname(path)[len(house) + 1:]
    order = folders.get(house, []) if folder else []
    return floor, house, next((i + 1 for i, r in enumerate(order) if folder in r), UNKNOWN if folder and house else 0)


def symbols(path):
    """(given, taken) of an object: gcc's objects with two halves and ordinary ones by readelf, bitcode by llvm-nm."""
    given, taken = set(), set()
    run = subprocess.run(['readelf', '-sW', path], capture_output=True, text=True, check=False)
    if run.returncode == 0 and not run.stderr:
        for line in run.stdout.splitlines():
            p = line.split()
            if len(p) > 7 and p[0].endswith(':') and p[4] != 'LOCAL':
                (taken if p[6] == 'UND' else given).add(p[7])
    else:
        run = subprocess.run(['llvm-nm', path], capture_output=True, text=True, check=True)
        for line in run.stdout.splitlines():
            p = line.split()
            (taken if p[-2] == 'U' else given).add(p[-1])
    return given, taken


def arrows(build):
    """{object: {object: [symbol]}}, objects without their ending"""
    with open(os.path.join(build, 'libtern.list'), encoding='utf-8') as f:
        objects = [o[:-2] for o in f.read().split()]
    owner, takes = {}, {}
    for o in objects:
        given, takes[o] = symbols(os.path.join(build, o + '.o'))
        for s in given:
            owner.setdefault(s, o)
    to = {o: {} for o in objects}
    for o in objects:
        for s in sorted(takes[o]):
            if owner.get(s, o) != o:
                to[o].setdefault(owner[s], []).append(s)
    return to


def main():
    folders = folders_of()
    to = arrows(sys.argv[1])
    at = {o: place(o, folders) for o in to}
    bad = 0
    if not any(to.values()):
        bad = 1
        print('the objects have no symbols')
    for o in sorted(to):
        if at[o][2] == UNKNOWN:
            bad = 1
            print('%s: the order of folders has no folder %s' % (o, os.path.dirname(o)))
        for other, names in sorted(to[o].items()):
            if at[other][0] > at[o][0] or (at[other][:2] == at[o][:2] and at[other][2] > at[o][2]):
                bad = 1
                print('%s calls %s on a higher floor: %s' % (o, other, ', '.join(names)))
    found, named = circles(to), known('Cycles in calls')
    for c in found:
        if any(c <= k for k in named):
            continue
        bad = 1
        print('a cycle of %d files:' % len(c))
        for n in sorted(c):
            print('    %s calls %s' % (n, ', '.join('%s (%s)' % (m, to[n][m][0]) for m in sorted(c & set(to[n])))))
    for k in named:
        if not any(c <= k for c in found):
            bad = 1
            print('%s names a cycle that is gone: %s' % (DOC, ', '.join(sorted(k))))
        elif len({at[n] for n in k if n in at}) > 1:
            bad = 1
            print('%s names a cycle across a border: %s' % (DOC, ', '.join(sorted(k))))
        for c in [c for c in found if c <= k and c != k]:
            bad = 1
            print('%s names more files than the cycle has: %s' % (DOC, ', '.join(sorted(k - c))))
    return bad


if __name__ == '__main__':
    sys.exit(main())
