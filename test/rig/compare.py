# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results beside each other: what of B is slower than of A, by more than the noise of its repetitions?

The noise of a point is how far its repetitions lie apart, in A or in B, whichever is more. A point that was measured
once has the noise that is usual for its figure: the median of all points with repetitions; and with none of these
a fifth, which is said."""
import statistics

FIGURES = [("elapsed_s", "s", 0.05), ("cpu_s", "CPU s", 0.02), ("peak_mb", "MB", 1), ("count_s", "count s", 0.25),
           ("churn_s", "churn s", 0.01), ("mark_s", "policy s", 0.01), ("flap_median_ms", "flap ms", 0.1)]
UNKNOWN = 0.2


def points(rows):
    """{(setup, peers, routes, load machines, daemon): [run, ...]}"""
    out = {}
    for r in rows:
        if r["status"] == "ok":
            out.setdefault((r["setup"], r["peers"], r["asked"], r["loads"], r["daemon"]), []).append(r)
    return out


def apart(values):
    """How far values lie apart, as a part of their median; None: there is one."""
    mid = statistics.median(values)
    return (max(values) - min(values)) / mid if len(values) > 1 and mid else None


def values(runs, key):
    return [r[key] for r in runs if r.get(key) is not None]


def usual(a, b, key):
    """The noise of a figure where nothing is known of the point. Returns: (noise, is it a guess?)"""
    seen = [x for each in (a, b) for runs in each.values() for x in [apart(values(runs, key) or [0])] if x is not None]
    return (statistics.median(seen), False) if seen else (UNKNOWN, True)


def compare(rows_a, rows_b):
    """Returns: ([line, ...], how many points are slower)"""
    a, b = points(rows_a), points(rows_b)
    both = sorted(set(a) & set(b), key=str)
    lines, slower, faster, guess = [], 0, 0, False
    for at in both:
        for key, unit, least in FIGURES:
            va, vb = values(a[at], key), values(b[at], key)
            if not va or not vb:
                continue
            known = [x for x in (apart(va), apart(vb)) if x is not None]
            noise, guessed = (max(known), False) if known else usual(a, b, key)
            guess = guess or guessed
            ma, mb = statistics.median(va), statistics.median(vb)
            if abs(mb - ma) <= max(noise * ma, least):  # least: so little is nothing
                continue
            slower += mb > ma
            faster += mb < ma
            lines.append("%-44s %-8s %10.3f -> %10.3f  %+6.0f %%  (noise %.0f %%%s)" % (
                "%s %d peers %d routes %s" % (at[0], at[1], at[2], at[4]), unit, ma, mb,
                100 * (mb / ma - 1) if ma else 0, 100 * noise, ", a guess" if guessed else ""))
    for name, one, other in (("B", a, b), ("A", b, a)):
        gone = sorted(set(one) - set(other), key=str)
        lines += ["%-44s is missing in %s" % ("%s %d peers %d routes %s" % (at[0], at[1], at[2], at[4]), name)
                  for at in gone]
    lines.append("%d points in both: %d figures are worse in B, %d better" % (len(both), slower, faster))
    if guess:
        lines.append("no point was measured twice: a fifth is taken for noise")
    return lines, slower
