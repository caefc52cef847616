# SPDX-License-Identifier: GPL-3.0-or-later
"""Each session script runs in virtual time, or test/net/real.list has the script with a reason: never both.

The head of real.list lists the reasons. (A script that calls virtual.py and runs no case in virtual time fails when the
script runs: harness.py.)"""

import glob
import os
import re
import sys

LIST = "test/net/real.list"


def is_virtual(path):
    with open(path) as f:
        return any("virtual.py" in line for line in f if not line.startswith("#"))


def read_list():
    """Returns: the reasons, and [(number of the line, script, reason, words)]."""
    reasons, rows = set(), []
    with open(LIST) as f:
        for number, line in enumerate(f, 1):
            head = re.match(r"#   (\S+(?:, \S+)*)  ", line)
            if head:
                reasons.update(head.group(1).split(", "))
            elif line.strip() and not line.startswith("#"):
                script, reason, words = (line.split(None, 2) + ["", ""])[:3]
                rows.append((number, script, reason, words.strip()))
    return reasons, rows


def main():
    virtual = {os.path.basename(p)[:-3]: is_virtual(p) for p in sorted(glob.glob("test/net/test_*.sh"))}
    reasons, rows = read_list()
    faults, listed = [], set()
    for number, script, reason, words in rows:
        where = "%s:%d: %s" % (LIST, number, script)
        if script not in virtual:
            faults.append(where + ": no such script")
        elif virtual[script]:
            faults.append(where + " runs in virtual time")
        if script in listed:
            faults.append(where + " stands here twice")
        if reason not in reasons:
            faults.append("%s: '%s' is no reason" % (where, reason))
        if not words:
            faults.append(where + ": no words behind the reason")
        listed.add(script)
    for script in sorted(set(virtual) - listed):
        if not virtual[script]:
            faults.append("test/net/%s.sh runs in real time, and %s does not say why" % (script, LIST))
    print("\n".join(faults) or "%d scripts in virtual time, %d in real time" % (sum(virtual.values()), len(listed)))
    return 1 if faults else 0


sys.exit(main())
