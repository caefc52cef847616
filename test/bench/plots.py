# SPDX-License-Identifier: GPL-3.0-or-later
"""PNG plots of a CSV of bench.py: CPU, elapsed time and memory over routes and over clients, both axes
logarithmic, a line for each daemon.

matplotlib (Debian: python3-matplotlib) and not gnuplot: the figures are in Python already, so there is no
second language and no intermediate file, and both take about as much room.

    plots.py CSV FOLDER       exit status 3: there is no matplotlib"""
import csv
import os
import statistics
import sys

FIGURES = [("cpu_s", "CPU (s)"), ("elapsed_s", "until the last client is complete (s)"),
           ("peak_mb", "peak memory (MB)")]
STYLE = {"tern": "k-o", "tern-2": "k--s", "bird2": "C0-^", "frr": "C1-v", "openbgpd": "C2-D", "gobgp": "C3-x"}


def read(path):
    """[{...}] of the runs that gave figures, numbers as numbers."""
    out = []
    with open(path, newline="") as f:
        for r in csv.DictReader(f):
            if r["error"] or not r["row"].startswith("single-"):
                continue
            out.append({k: float(v) if v and k not in ("row", "daemon", "version", "error", "when") else v
                        for k, v in r.items()})
    return out


def lines(runs, over, fixed, value, figure):
    """{daemon: [(x, median), ...]} of the runs in which @fixed is @value"""
    out = {}
    for r in runs:
        if r[fixed] == value and r[figure] != "":
            out.setdefault(r["daemon"], {}).setdefault(r[over], []).append(r[figure])
    return {d: sorted((x, statistics.median(v)) for x, v in at.items()) for d, at in out.items()}


def most_points(runs, over, fixed):
    """The value of @fixed with the most different values of @over, and how many those are."""
    seen = {}
    for r in runs:
        seen.setdefault(r[fixed], set()).add(r[over])
    best = max(seen, key=lambda v: (len(seen[v]), v), default=None)
    return best, len(seen.get(best, ()))


def draw(csv_path, out_dir):
    """Returns: the files written; [] with too little to draw."""
    runs = read(csv_path)
    written = []
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        sys.exit(3)

    for over, fixed, name, label, title in (
            ("routes", "clients", "routes", "routes", "%d clients"),
            ("clients", "nets", "clients", "clients", "%d nets")):
        value, points = most_points(runs, over, fixed)
        if points < 2:
            continue
        for figure, text in FIGURES:
            fig, ax = pyplot.subplots(figsize=(7, 5))
            for daemon, at in sorted(lines(runs, over, fixed, value, figure).items()):
                ax.loglog([x for x, _ in at], [y for _, y in at], STYLE.get(daemon, "-+"), label=daemon)
            ax.set(xlabel=label, ylabel=text, title=title % value)
            ax.grid(True, which="both", alpha=0.3)
            ax.legend()
            path = os.path.join(out_dir, "%s-over-%s.png" % (figure.rsplit("_", 1)[0], name))
            fig.savefig(path, dpi=120, bbox_inches="tight")
            pyplot.close(fig)
            written.append(path)
    return written


if __name__ == "__main__":
    for written_path in draw(*sys.argv[1:]):
        print("plot: " + written_path)
