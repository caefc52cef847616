# SPDX-License-Identifier: GPL-3.0-or-later
"""The charts: time, memory and CPU over routes, both axes logarithmic, one for each set-up; a line for each daemon and
number of peers. The points of the experiment that began all this (published.csv) are faint behind them."""
import csv
import json
import os

import plots

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = [("elapsed_s", "time until every peer has all routes (s)", "time", "time_s"),
           ("count_s", "time until `show route count` of one peer has all routes (s)", "count", "time_s"),
           ("peak_mb", "peak memory (MB)", "memory", "rss_mb"),
           ("cpu_s", "CPU until every peer has all routes (s)", "cpu", None)]
FORMATS = ("png", "pdf", "svg")
LITTLE_S = 2  # below it, times of the experiment mean little: what starts and asks takes as long
MARKERS = "os^vDx+*pP"
COLOURS = ["black", "tab:blue", "tab:red", "tab:green", "tab:purple", "tab:orange"]


def published():
    with open(os.path.join(HERE, "published.csv"), newline="") as f:
        rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
    return [dict(r, daemon=r["version"], peers=int(r["peers"]), routes=float(r["routes"]), time_s=float(r["time_s"]),
                 rss_mb=float(r["rss_mb"])) for r in rows]


def save(fig, folder, name, pyplot):
    # bbox_inches="tight" would lay the chart out anew for each format.
    box = fig.get_tightbbox(fig.canvas.get_renderer()).padded(0.1)
    for form in FORMATS:
        fig.savefig(os.path.join(folder, "%s.%s" % (name, form)), dpi=110, bbox_inches=box)
    pyplot.close(fig)
    return name


def daemon_name(r):
    return r["daemon"] + (" (%d load machines)" % r["loads"] if r["several"] else "")


def chart(pyplot, folder, rows, old, setup, figure):
    key, label, name, old_key = figure
    runs = [dict(r, daemon=daemon_name(r)) for r in rows if r["setup"] == setup and r.get(key)]
    if not runs:
        return None
    fig, ax = pyplot.subplots(figsize=(9, 6))
    peers = sorted({r["peers"] for r in runs})
    names = sorted({r["daemon"] for r in runs}, key=lambda d: (not d.startswith("tern"), d))
    faint = [o for o in old if o["setup"] == setup and o["peers"] in peers] if old_key else []
    for i, version in enumerate(sorted({o["version"] for o in faint})):
        for n in peers:
            at = plots.lines(faint, "routes", "peers", n, old_key).get(version, [])
            if at:
                ax.loglog([x for x, _ in at], [y for _, y in at], ("-", "--", ":")[i % 3],
                          marker=MARKERS[peers.index(n) % len(MARKERS)], markersize=3, linewidth=0.8,
                          color="0.6", alpha=0.6, label=version if n == peers[-1] else None, zorder=1)
    for n in peers:
        each = plots.lines(runs, "routes", "peers", n, key)
        for d in names:
            if d in each:
                ax.loglog([x for x, _ in each[d]], [y for _, y in each[d]], "-",
                          marker=MARKERS[peers.index(n) % len(MARKERS)], markersize=5,
                          color=COLOURS[names.index(d) % len(COLOURS)], label="%s, %d peers" % (d, n), zorder=2)
    if name in ("time", "count"):
        ax.axhline(LITTLE_S, color="0.4", linewidth=0.8, linestyle="-.")
        ax.annotate("2 s", (1, LITTLE_S), xycoords=("axes fraction", "data"), fontsize=8)
    ax.set(xlabel="routes", ylabel=label, title="%s: %s" % (setup, label))
    ax.grid(True, which="both", alpha=0.25)
    ax.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5))
    return save(fig, folder, "%s-%s" % (name, setup), pyplot)


def curve(pyplot, store, folder, row):
    """One run: how clients and the member filled, and what it cost."""
    path = os.path.join(store.folder(row["id"]), "curves.json")
    if not os.path.exists(path):
        return None
    with open(path) as f:
        c = json.load(f)
    fig, ax = pyplot.subplots(figsize=(7, 3.5))
    for i, points in enumerate(c["clients"]):
        if points and points[0][1]:
            ax.plot([p[0] for p in points], [100 - 100 * p[1] / points[0][1] for p in points], "k-",
                    linewidth=1, label="prefixes right, all clients" if not i else None)
    if c["member"] and c["member"][-1][1]:
        most = max(n for _, n in c["member"])
        ax.plot([p[0] for p in c["member"]], [100 * p[1] / most for p in c["member"]], "C0.-", drawstyle="steps-post",
                label="show route count of one member")
    ax.set(xlabel="s", ylabel="%", title=row["id"], ylim=(-3, 103))
    side = ax.twinx()
    side.plot([p[0] for p in c["device"]], [p[2] / 1024 for p in c["device"]], "C1-", linewidth=1, label="memory (MB)")
    side.set(ylabel="MB")
    ax.legend(fontsize=7, loc="lower right")
    side.legend(fontsize=7, loc="upper left")
    return save(fig, folder, "curve-" + row["id"], pyplot)


def draw(store):
    """Returns: [(name, what it is), ...] of the charts in the results' folder charts/. Raises ImportError."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    matplotlib.rcParams.update({"svg.hashsalt": "rig", "font.size": 9})
    folder = os.path.join(store.path, "charts")
    os.makedirs(folder, exist_ok=True)
    rows = [r for r in store.rows() if r["status"] == "ok"]
    several = len({r["loads"] for r in rows}) > 1
    rows = [dict(r, several=several) for r in rows]
    old, out = published(), []
    setups = [s for s in ("single", "multi", "imex", "mulimex") if any(r["setup"] == s for r in rows)]
    for figure in FIGURES:
        for setup in setups:
            name = chart(pyplot, folder, rows, old, setup, figure)
            if name:
                out.append((name, "%s: %s" % (setup, figure[1])))
    for setup in setups:
        mine = [r for r in rows if r["setup"] == setup]
        most = max((r["peers"] * r["asked"], r["rep"]) for r in mine)
        for r in mine:
            if (r["peers"] * r["asked"], r["rep"]) == most:
                name = curve(pyplot, store, folder, r)
                if name:
                    out.append((name, "the run %s" % r["id"]))
    return out
