#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""No circles of files: x.h and x.c are one node, and an arrow leads from it to each y whose header either of
them includes. An x_priv.h is a node of its own, which goes on where x.h ends: its arrow to x doesn't count.

Files that recurse by nature are named in doc/architecture.md, under "## Circles":

    - `nest/conf/a`, `nest/conf/b`: why

These are let pass, as long as they are a circle. Run in the source's root.
"""
import os
import re
import sys

TOP = ('lib', 'sysdep', 'filter', 'nest', 'proto', 'client')
DOC = 'doc/architecture.md'
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)\.h"', re.M)


def arrows():
    """{node: {node it includes}}"""
    to = {}
    for top in TOP:
        for folder, _, names in os.walk(top):
            for name in names:
                if not name.endswith(('.c', '.h', '.l', '.y')):
                    continue
                node = folder + '/' + name[:-2]
                with open(folder + '/' + name, encoding='utf-8') as f:
                    to.setdefault(node, set()).update(INCLUDE.findall(f.read()))
    for node, others in to.items():
        others.discard(node)
        if node.endswith('_priv'):
            others.discard(node[:-len('_priv')])
        others.intersection_update(to)
    return to


def reach(to, start):
    seen, todo = set(), [start]
    while todo:
        new = set(to[todo.pop()]) - seen
        seen |= new
        todo.extend(new)
    return seen


def circles(to):
    """Sets of nodes that reach each other."""
    all_of = {n: reach(to, n) for n in to}
    found, done = [], set()
    for n in sorted(to):
        if n in all_of[n] and n not in done:
            found.append({m for m in all_of[n] if n in all_of[m]})
            done |= found[-1]
    return found


def known(title):
    """Sets of files: the entries of the section @title."""
    if not os.path.exists(DOC):
        return []
    with open(DOC, encoding='utf-8') as f:
        part = re.search(r'^## %s\n(.*?)(?=^## |\Z)' % title, f.read(), re.M | re.S)
    return [set(re.findall(r'`([^`]+)`', names))
            for names in re.findall(r'^- ((?:`[^`]+`,?\s+)*`[^`]+`):', part[1] if part else '', re.M)]


def main():
    to = arrows()
    found, named = circles(to), known('Circles')
    bad = 0
    for c in found:
        if c in named:
            continue
        bad = 1
        print('a circle of %d files:' % len(c))
        for n in sorted(c):
            print('    %s includes %s' % (n, ', '.join(sorted(to[n] & c))))
    for c in named:
        if c not in found:
            bad = 1
            print('%s names a circle that does not exist: %s' % (DOC, ', '.join(sorted(c))))
    return bad


if __name__ == '__main__':
    sys.exit(main())
