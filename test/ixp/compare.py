# SPDX-License-Identifier: GPL-3.0-or-later
"""compare.py compares the results of two daemons with the same configuration and the same members.

    compare.py LEFT.json RIGHT.json [PLAN.json]

Compared are, after each round: what each member has been told (attributes as they came, in bytes),
the routes in the tables and those that import filters refused, with all attributes and which is the
best; states, counts and limits of the sessions; what filters printed.
"""

import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from wire import family

# Moments in time are left out.
HEAD = re.compile(
    r"^(\S+)?\s+(unicast|blackhole|unreachable|prohibit) \[(\S+) [^\]]*?\](?: (\*))? \((\d+)\)(?: \[(.*)\])?$"
)


def routes(lines):
    """{(table, prefix, protocol): {attribute: value}}"""
    found, table, prefix, at = {}, None, None, None
    for line in lines:
        if line.startswith("Table "):
            table = line
        elif line.startswith("\t"):
            if at is None:
                continue
            name, _, value = line.strip().partition(": ")
            if name.startswith("via "):
                name, value = "via", name[4:]
            if name.endswith("community:"):
                continue  # an empty list, left by a filter: tern has none then
            if name == "BGP.large_community":
                value = " ".join(dict.fromkeys(re.findall(r"\(.*?\)", value)))  # bird keeps one that came twice
            at[name] = value
        else:
            m = HEAD.match(line)
            if not m:
                at = None
                if line.strip():
                    # a ROA
                    found[(table, re.sub(r" +\[(\S+) [^]]*\]", r" [\1]", line.strip()), "")] = {}
                continue
            prefix = m.group(1) or prefix
            at = {"dest": m.group(2), "best": bool(m.group(4)), "preference": m.group(5), "origin": m.group(6)}
            key = (table, prefix, m.group(3))
            while key in found:
                key = key[:2] + (key[2] + "'",)
            found[key] = at
    return found


# The counters of what was sent depend on how changes were gathered; those of what came in don't.
PROTOCOL = re.compile(r"^(\S+)\s+BGP\s+\S+\s+(\S+)\s+\S+ \S+\s*(.*?)\s*$")


def protocols(lines):
    found, name = {}, None
    channel = ""
    for line in lines:
        m = PROTOCOL.match(line)
        if m:
            name = m.group(1)
            # a peer that goes with octets unread resets the connection: then or a moment later
            found[(name, "state")] = m.group(2), m.group(3).replace("Connection reset by peer", "Connection closed")
            if not m.group(3).startswith("Established"):
                name = None
            continue
        if line[:1].strip():
            name = None
        if name is None:
            continue
        line = line.strip()
        if line.startswith("Channel "):
            channel = line
        m = re.match(r"Routes:\s+(\d+ imported, .*?), (\d+) exported, (\d+ preferred)", line)
        if m:
            found[(name, channel, "Routes")] = m.group(1) + ", " + m.group(3)
            found[(name, channel, "exported")] = int(m.group(2))
        m = re.match(r"(Import limit|Receive limit|Action|Last error|State):\s+(.*)$", line)
        if m:
            found[(name, channel, m.group(1))] = m.group(2)
    return found


def printed(log):
    """What import filters said: a set, for how often they run is each daemon's own affair; so is which
    passing states an export filter gets to see."""
    found = set()
    for line in log:
        m = re.match(r"[-0-9]+ [:0-9.]+ <INFO> (.*)$", line)
        if m and re.search(r" - (REJECTING|ACCEPTING|WARNING) ", m.group(1)):
            found.add(m.group(1))
    return found


WIDTHS = {"8": 4, "16": 8, "32": 12}


def as_sets(told, plan=None):
    """Communities are a set; bird sorts what it sends, tern leaves the order. With a plan: bird also
    takes the Partial bit off communities that came with it and that a filter looked through."""
    found = {}
    for prefix, attrs in told.items():
        attrs = dict(attrs)
        for code, width in WIDTHS.items():
            if code in attrs:
                flags, text = attrs[code].split()
                n = 2 * width
                if (
                    flags == "e0"
                    and plan
                    and any("partial" in " ".join(says.get(prefix.split("#")[0], [])) for says in plan["log"].values())
                ):
                    flags = "c0"
                parts = [text[i : i + n] for i in range(0, len(text), n)]
                if code == "32":
                    parts = set(parts)  # RFC 8092, 3: one that came twice is taken once; bird keeps both
                attrs[code] = flags + " " + " ".join(sorted(parts))
        found[prefix] = attrs
    return by_place(found)


def by_place(told):
    """Path identifiers are each daemon's own: the routes of a prefix are numbered by what they are."""
    several, found = {}, {}
    for key, attrs in told.items():
        prefix, ident, _ = key.partition("#")
        if ident:
            several.setdefault(prefix, []).append(attrs)
        else:
            found[key] = attrs
    for prefix, routes in several.items():
        for k, attrs in enumerate(sorted(routes, key=repr)):
            found["%s#%d" % (prefix, k)] = attrs
    return found


# doc/differences.md: what BIRD keeps though it will never be used, and the LOCAL_PREF of other ASes.
def accepted(lines):
    found = routes(lines)
    for at in found.values():
        at.pop("BGP.62", None)
        at.setdefault("BGP.local_pref", "100")
    return found


def refused(lines):
    """Which of the refused is the best is no question."""
    found = accepted(lines)
    for at in found.values():
        at.pop("best", None)
    return found


def alike(a, b):
    """Long lists end in "...", bird's in the middle of a value."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(a[k], b[k]) for k in a)
    if isinstance(a, str) and isinstance(b, str) and a.endswith("...") and b.endswith("..."):
        n = min(len(a), len(b)) - 4
        return n > 400 and a[:n] == b[:n]
    return a == b


class Report:
    def __init__(self, plan):
        self.lines, self.count = [], {}
        self.plan = plan or {}

    def note(self, kind, text):
        n = self.count[kind] = self.count.get(kind, 0) + 1
        if n <= 12:
            self.lines.append("%s: %s" % (kind, text))

    def why(self, prefix):
        return "; ".join(
            "%s says %s" % (ip, " -> ".join(says[prefix]))
            for ip, says in self.plan.get("log", {}).items()
            if prefix in says
        )

    def dicts(self, kind, left, right, prefix=None):
        for key in sorted(set(left) | set(right), key=repr):
            a, b = left.get(key), right.get(key)
            if alike(a, b):
                continue
            p = key if isinstance(key, str) else key[1] if len(key) > 1 else ""
            why = self.why(p.split("#")[0])
            if isinstance(a, dict) and isinstance(b, dict):
                text = ", ".join(
                    "%s: %s | %s" % (k, a.get(k), b.get(k)) for k in sorted(set(a) | set(b)) if a.get(k) != b.get(k)
                )
            else:
                text = "%s | %s" % (a, b)
            self.note(kind, "%s: %s%s" % (key, text, " (%s)" % why if why else ""))


def cut_short(seen):
    """Members whose routes a limit keeps out: filters may have seen more or fewer of them."""
    first = next(iter(seen["rounds"].values()))
    name = {n: ip for ip, n in seen["names"].items()}
    found = {ip for ip, up in first["up"].items() if not up}
    for key, value in protocols(first["protocols"]).items():
        if key[-1] == "Action" and value == "block":
            found.add(name.get(key[0]))
    return found


def compare(left, right, plan=None):
    """Lines that say what differs; none: nothing does."""
    r = Report(plan)
    if left["names"] != right["names"]:
        r.note("names", "%s | %s" % (left["names"], right["names"]))
    for name in left["rounds"]:
        a, b = left["rounds"][name], right["rounds"][name]
        r.dicts("round %s, sessions up" % name, a["up"], b["up"])
        # where a session was closed with more of the member's octets on their way, it may be lost
        for ip in a["notification"]:
            if a["notification"][ip] and b["notification"][ip]:
                r.dicts("round %s, notifications" % name, {ip: a["notification"][ip]}, {ip: b["notification"][ip]})
        for ip in a["told"]:
            r.dicts("round %s, told to %s" % (name, ip), as_sets(a["told"][ip], plan), as_sets(b["told"][ip], plan))
        r.dicts("round %s, routes" % name, accepted(a["routes"]), accepted(b["routes"]))
        r.dicts("round %s, filtered" % name, refused(a["filtered"]), refused(b["filtered"]))
        one, two = protocols(a["protocols"]), protocols(b["protocols"])
        # bird's count of exported routes is wrong at times; tern's must be right
        for key in [k for k in two if k[-1] == "exported"]:
            one.pop(key, None)
            n, told = two.pop(key), b["told"].get({v: k for k, v in right["names"].items()}.get(key[0]), {})
            if len({family(p) for p in told}) < 2 and n != len(told):
                r.note("round %s, count of exported" % name, "%s: %d, but %d were told" % (key, n, len(told)))
        r.dicts("round %s, protocols" % name, one, two)
    one, two = printed(left["log"]), printed(right["log"])
    limited = set()
    for ip in cut_short(left) | cut_short(right):
        limited |= set(r.plan.get("log", {}).get(ip, ()))
    for which, lines in (("first", one - two), ("second", two - one)):
        for line in sorted(lines):
            if not limited.intersection(line.split()):
                r.note("printed by the %s only" % which, line)
    r.lines += ["%s: %d in all" % (k, n) for k, n in r.count.items() if n > 12]
    return r.lines


def measure(seen):
    """What was there to compare: a comparison of nothing must not pass."""
    last = list(seen["rounds"].values())
    return {
        "told": sum(len(t) for x in last for t in x["told"].values()),
        "routes": sum(len(routes(x["routes"])) for x in last),
        "filtered": sum(len(routes(x["filtered"])) for x in last),
        "printed": len(printed(seen["log"])),
    }


def load(path):
    with open(path) as f:
        return json.load(f)


if __name__ == "__main__":
    args = [load(p) for p in sys.argv[1:]]
    lines = compare(*args)
    print("\n".join(lines))
    print(measure(args[0]), measure(args[1]))
    sys.exit(1 if lines else 0)
