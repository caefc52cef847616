# SPDX-License-Identifier: GPL-3.0-or-later
"""From what ternload tells of a run to figures; from the figures of several runs to a table.

Times are seconds, memory is MB of 2^20 octets, resident. CPU is user and system of the daemon with all
its processes: cpu_s from its start until the last client holds exactly what it must, event_cpu_s
during the event that the row is about. Sums of a daemon's threads are exact to about 20 ms."""
import statistics

# name, heading, format, ratio to tern?
COLUMNS = [
    ("cpu_s", "CPU s", "%.2f", True), ("elapsed_s", "elapsed s", "%.2f", True),
    ("peak_mb", "peak MB", "%.0f", True), ("settled_mb", "settled MB", "%.0f", True),
    ("event_cpu_s", "event CPU s", "%.3f", True), ("event_s", "event s", "%.3f", True),
    ("event_median_s", "median client s", "%.3f", False),
    ("return_cpu_s", "return CPU s", "%.3f", True), ("return_s", "return s", "%.3f", True),
    ("flap_median_ms", "flap median ms", "%.3f", True), ("flap_p99_ms", "flap 99th ms", "%.3f", True),
    ("flap_last_ms", "last client ms", "%.3f", False), ("gap_s", "longest gap s", "%.3f", True),
    ("control_gap_s", "control socket's gap s", "%.3f", True),
    ("pair_median_ms", "pair median ms", "%.2f", True), ("pair_p95_ms", "pair 95th ms", "%.2f", True),
    ("changes_s", "changes a second", "%.0f", True),
    ("moved", "routes moved", "%.0f", False), ("peak_ratio", "peak to settled", "%.2f", False),
    ("load_lag_ms", "ternload's lag ms", "%.1f", False),
    ("out_mb", "MB out", "%.0f", False), ("load_cpu_s", "ternload CPU s", "%.2f", False),
]
# All that goes into the CSV.
FIGURES = [c[0] for c in COLUMNS] + ["median_client_s", "flap_p99_to_median", "gap_median_s", "pair_p99_ms",
                                     "pair_max_ms", "out_prefixes",
                                     "messages", "load_elapsed_s"]


def of_event(result, name):
    """The steps of that name as one: mean CPU of each, median of the times."""
    steps = result["steps"]
    cpu, last, median = [], [], []
    for before, s in zip(steps, steps[1:]):
        if s["step"] == name:
            cpu.append(s["cpu_s"] - before["cpu_s"])
            last.append(s["last_s"])
            median.append(s["median_s"])
    return sum(cpu) / len(cpu), statistics.median(last), statistics.median(median)


def of_run(row, result):
    """The numbers of one run by name."""
    if row.measure:
        return result
    first = next(s for s in result["steps"] if s["step"] == "announce")
    out = {
        "cpu_s": first["cpu_s"], "elapsed_s": result["complete_last_s"],
        "median_client_s": result["complete_median_s"],
        "peak_mb": result["peak_rss_kb"] / 1024, "settled_mb": result["rss_kb"] / 1024,
        "out_mb": first["in_octets"] / 1e6, "out_prefixes": first["in_prefixes"],
        "messages": first["in_messages"], "load_cpu_s": result["load_cpu_s"],
        "load_elapsed_s": result["load_elapsed_s"],
    }
    if not row.event:
        return out
    step = next(s for s in result["steps"] if s["step"] == row.event)
    out["load_lag_ms"] = step["load_lag_s"] * 1000  # the longest turn of its loop during the event
    if "flap_median_ms" in step:
        out["flap_median_ms"] = step["flap_median_ms"]
        out["flap_p99_ms"] = step["flap_p99_ms"]
        out["flap_last_ms"] = step["flap_last_client_median_ms"]
        out["flap_p99_to_median"] = step["flap_p99_ms"] / step["flap_median_ms"]
        out["flaps"] = step["flaps"]
    elif row.event != "pair":
        out["event_cpu_s"], out["event_s"], out["event_median_s"] = of_event(result, row.event)
    if "pair_median_ms" in step:
        out.update({k: step[k] for k in ("pair_median_ms", "pair_p95_ms", "pair_p99_ms", "pair_max_ms")})
        # What members tell without pause, or what each of them gets of one who joins.
        out["changes_s"] = (step["changes"] or step["in_prefixes"] / result["sessions"]) / step["took_s"]
    if row.event == "die":
        out["return_cpu_s"], out["return_s"], _ = of_event(result, "join")
    these = [s for s in result["steps"] if s["step"] == row.event]
    if "gap_s" in step:
        out["gap_s"] = max(s["gap_s"] for s in these)
        out["gap_median_s"] = statistics.median(s["gap_median_s"] for s in these)
    if result.get("control"):
        out["control_gap_s"] = control_gap(result["control"], these)
    return out


def control_gap(asked, steps):
    """The longest that somebody waited for an answer who waited during one of the steps.
    @asked: [(when, how long), ...]"""
    return max([took for at, took in asked for s in steps
                if at < s["began_s"] + s["took_s"] and at + took > s["began_s"]], default=0)


def medians(runs):
    """{daemon: [figures, ...]} -> {daemon: {figure: median}}"""
    out = {}
    for name, each in runs.items():
        if each:
            keys = [k for k in each[0] if all(k in r for r in each)]
            out[name] = {k: statistics.median(r[k] for r in each) for k in keys}
    return out


def cell(values, form):
    """min/median/max; one number when there was one run"""
    if not values:
        return "-"
    if len(values) == 1:
        return form % values[0]
    return "/".join(form % v for v in (min(values), statistics.median(values), max(values)))


def table(row, runs, failures, base="tern"):
    """Returns: [[heading, ...], [cell, ...], ...]; a line for each daemon."""
    shown = [c for c in COLUMNS if any(c[0] in r for each in runs.values() for r in each)]
    mid = medians(runs)
    head = ["", "runs"]
    for _, title, _, ratio in shown:
        head += [title] + (["x"] if ratio and base in mid and len(mid) > 1 else [])
    lines = [head]
    for name, each in runs.items():
        if not each:
            lines.append([name, "0", failures.get(name, "").strip().split("\n")[0][:100]])
            continue
        line = [name, "%d" % len(each)]
        for key, _, form, ratio in shown:
            line.append(cell([r[key] for r in each if key in r], form))
            if ratio and base in mid and len(mid) > 1:
                ours, theirs = mid[base].get(key), mid[name].get(key)
                line.append(ratio_text(theirs, ours) or "-")
        lines.append(line)
    return lines


def verdicts(row, runs, done=()):
    """[(text, True, False or None), ...] of the row's budgets. @done: rows that may stand beside it"""
    mid = {"%s:%s" % (r.name, d): m for r, each in done for d, m in medians(each).items()}
    mid.update(medians(runs))
    return [b.judge(mid) for b in row.budgets]


def ratio_text(theirs, ours):
    if not ours or theirs is None:
        return ""
    r = theirs / ours
    return "%.2g" % r if r < 100 else "%.0f" % r


# What a row is about, by its event; None: there is none.
MAIN = {None: ("cpu_s", "elapsed_s", "peak_mb"), "flap": ("flap_median_ms", "flap_p99_ms"),
        "busyflap": ("flap_median_ms", "flap_p99_ms"), "mark": ("event_cpu_s", "event_s", "gap_s"),
        "irr": ("event_cpu_s", "event_s", "gap_s", "control_gap_s", "peak_mb"),
        "pair": ("pair_median_ms", "pair_p95_ms", "changes_s"),
        "reset": ("event_cpu_s", "event_s", "moved", "peak_ratio"),
        "die": ("event_cpu_s", "event_s", "return_cpu_s", "return_s")}


def summary(done, base="tern"):
    """@done: [(row, runs), ...]. Returns: one table of medians with ratios to tern, budgets beside."""
    names = list(dict.fromkeys(n for _, runs in done for n in runs))
    lines = [["row", "figure"] + names + ["budgets"]]
    titles = {c[0]: (c[1], c[2]) for c in COLUMNS}
    for row, runs in done:
        mid = medians(runs)
        marks = {True: "met", False: "MISSED", None: "not judged"}
        budgets = "; ".join("%s: %s" % (t, marks[v]) for t, v in verdicts(row, runs, done))
        for key in MAIN.get(row.event, ("event_cpu_s", "event_s")):
            line = [row.name, titles[key][0]]
            for n in names:
                value = mid.get(n, {}).get(key)
                text = "-" if value is None else titles[key][1] % value
                if value is not None and n != base:
                    text += " (%s)" % ratio_text(value, mid.get(base, {}).get(key))
                line.append(text.replace(" ()", ""))
            lines.append(line + [budgets])
            budgets = ""
    return lines


def as_text(lines):
    widths = [max(len(l[i]) if i < len(l) else 0 for l in lines if l[1] != "0")
              for i in range(len(lines[0]))]
    out = []
    for l in lines:
        if l[1] == "0":
            out.append("  %-*s  %s" % (widths[0], l[0], "no run succeeded: " + l[2]))
        else:
            out.append("  " + "  ".join("%-*s" % (w, c) if i == 0 else "%*s" % (w, c)
                                        for i, (c, w) in enumerate(zip(l, widths))))
    return "\n".join(out)


def as_markdown(lines):
    def one(l):
        return "| " + " | ".join(c.replace("|", "/") for c in l + [""] * (len(lines[0]) - len(l))) + " |"

    return "\n".join([one(lines[0]), "|" + "---|" * len(lines[0])] + [one(l) for l in lines[1:]])
