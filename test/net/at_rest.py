# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a daemon at rest, for a comparison with another daemon: protocols and routes as `show` prints them,
without times, counters and what has happened."""

from harness import *

# Lines that tell what has happened, not what is; and times.
PASSING = re.compile(
    r"^\s+(Import|Export|Route change|Last |Down at|Received|Message|Dirty|Segments|Decisions|Messages|Sent early|Hold"
    r" timer|Keepalive timer|"
    r"Send hold|Error wait|Connect delay|Connect retry|Retry timer|Source|Start|Sent:|Sessions: +\d+"
    r" known|.*[Tt]imer|Lag)"
)


def protocols(d):
    rows, name = [], ""
    for code, line in d.run("show protocols all"):
        if code == 1002:
            m = re.match(r"(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(?:\d+:\S+|\S+ \d+:\S+)\s*(\S*)", line)
            if not m:
                continue
            name = m.group(1)
            info = m.group(5) if m.group(5) == "Established" else ""
            rows.append(" ".join(m.groups()[:4]) + " " + info)
        elif re.match(r"\s+Import limit|\s+Receive limit", line):
            rows.append(name + line.replace("[HIT]", "").rstrip())
        elif "BGP state" in line and "Established" not in line and "Down" not in line:
            rows.append(name + "  not established")
        elif not PASSING.match(line):
            rows.append(name + line)
    return rows


def routes(d, what):
    text = d.text("show route %s all table all" % what)
    return re.sub(r"\[(\S+) (?:\d+-\d+-\d+ )?\d+:\d+:\d+(?:\.\d+)?", r"[\1", text).split("\n")


def difference(a, b):
    """What differs, as text; None: nothing."""
    out = []
    for k in a:
        if a[k] == b[k]:
            continue
        if isinstance(a[k], list):
            in_a, in_b = set(a[k]), set(b[k])
            only_a = [x for x in a[k] if x not in in_b][:12]
            only_b = [x for x in b[k] if x not in in_a][:12]
            out.append(
                "%s: here %s, fresh %s" % (k, only_a, only_b)
                if only_a or only_b
                else "%s: in another order: %s / %s" % (k, a[k][:40], b[k][:40])
            )
        elif isinstance(a[k], dict):
            for x in sorted(set(a[k]) | set(b[k]), key=str):
                here, fresh = a[k].get(x), b[k].get(x)
                if isinstance(here, dict) and isinstance(fresh, dict) and here and fresh:
                    out += [
                        "%s %s" % (k, line) for line in (difference({x: here}, {x: fresh}) or "").split("\n") if line
                    ]
                elif here != fresh:
                    out.append("%s %s: here %s, fresh %s" % (k, x, here, fresh))
        else:
            out.append("%s: here %s, fresh %s" % (k, a[k], b[k]))
    return "\n".join(out) or None
