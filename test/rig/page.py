# SPDX-License-Identifier: GPL-3.0-or-later
"""One HTML page with all results of a plan: charts, figures of each run, what failed and why, machines and their
clocks, and the plan."""
import html
import json
import os

import results

STYLE = """body { font: 14px sans-serif; margin: 2em; max-width: 75em } table { border-collapse: collapse }
td, th { border: 1px solid #ccc; padding: 2px 6px; text-align: right } td:first-child, th:first-child { text-align: \
left }
img { max-width: 48%; vertical-align: top } pre { background: #f4f4f4; padding: 1em; white-space: pre-wrap }
.failed { color: #b00 }"""
COLUMNS = [
    ("elapsed_s", "all have all, s", "%.2f"),
    ("count_s", "show route count, s", "%.2f"),
    ("up_s", "sessions up, s", "%.2f"),
    ("cpu_s", "CPU s", "%.2f"),
    ("peak_mb", "peak MB", "%.0f"),
    ("settled_mb", "settled MB", "%.0f"),
    ("in_octets", "MB of BGP", lambda v: "%.1f" % (v / 1e6)),
    ("wire_mb", "MB on the wire", "%.1f"),
    ("in_messages", "messages", "%d"),
    ("churn_s", "churn s", "%.3f"),
    ("churn_cpu_s", "churn CPU s", "%.3f"),
    ("mark_s", "policy s", "%.3f"),
    ("mark_cpu_s", "policy CPU s", "%.3f"),
    ("flap_median_ms", "flap median ms", "%.2f"),
    ("flap_p99_ms", "flap 99th ms", "%.2f"),
    ("load_cpu_s", "load CPU s", "%.2f"),
    ("start_spread_s", "starts apart, ms", lambda v: "%.2f" % (v * 1e3)),
    ("setup_s", "set up, s", "%.1f"),
]


def cell(form, value):
    return "" if value is None else form(value) if callable(form) else form % value


def table(rows):
    shown = [c for c in COLUMNS if any(c[0] in r for r in rows)]
    out = ["<table><tr><th>run</th><th>routes</th>" + "".join("<th>%s</th>" % c[1] for c in shown) + "</tr>"]
    for r in rows:
        out.append(
            "<tr><td><a href='runs/%s/'>%s</a></td><td>%d</td>" % (r["id"], r["id"], r["routes"])
            + "".join("<td>%s</td>" % cell(c[2], r.get(c[0])) for c in shown)
            + "</tr>"
        )
    return "\n".join(out + ["</table>"])


def clocks(store, rows):
    """What is known of the machines, by the last run; clocks by all."""
    out, about, worst = [], {}, {}
    for r in rows:
        try:
            with open(os.path.join(store.folder(r["id"]), "machines.json")) as f:
                found = json.load(f)
        except OSError:
            continue
        for h, m in found.items():
            about[h] = m
            if h not in worst or abs(m["offset_s"]) > abs(worst[h][0]):
                worst[h] = (m["offset_s"], m["rtt_s"])
    for h, m in sorted(about.items()):
        out.append(
            "<tr><td>%s</td><td>%s</td><td>%d</td><td>%d</td><td>%s</td><td>%+.3f</td><td>%.3f</td></tr>"
            % (
                h,
                html.escape(m["cpu"]),
                m["cpus"],
                m["mem_mb"],
                html.escape(m["kernel"]),
                worst[h][0] * 1e3,
                worst[h][1] * 500,
            )
        )
    return (
        "<table><tr><th>machine</th><th>CPU</th><th>cores</th><th>MB</th><th>kernel</th><th>clock ahead, ms</th>"
        "<th>known to, ms</th></tr>%s</table>"
        % "".join(out)
    )


def write(store, drawn):
    """Returns: the page's path."""
    rows = store.rows()
    good = sorted(
        (r for r in rows if r["status"] == "ok"),
        key=lambda r: (r["setup"], r["peers"], r["asked"], r["daemon"], r["rep"]),
    )
    with open(os.path.join(store.path, "plan.yml")) as f:
        plan = f.read()
    title = "Results of %s" % html.escape(os.path.basename(store.path))
    versions = sorted({(r["daemon"], r["version"]) for r in rows if r.get("version")})
    parts = [
        "<!DOCTYPE html><meta charset='utf-8'><title>%s</title><style>%s</style><h1>%s</h1><p>%s</p>"
        % (title, STYLE, title, html.escape(store.summary())),
        "<ul>%s</ul>" % "".join("<li>%s: %s</li>" % (html.escape(d), html.escape(v)) for d, v in versions),
    ]
    parts += [
        "<h2>Charts</h2><p>Grey: the points of the experiment that was published in 2022. Times below the line at "
        "2 s mean little.</p>"
    ]
    parts += ["<img src='charts/%s.png' alt='%s'>" % (n, html.escape(t)) for n, t in drawn]
    if good:
        parts += ["<h2>Runs</h2>", table(good)]
    other = [r for r in rows if r["status"] != "ok"]
    if other:
        parts += (
            ["<h2>Runs without figures</h2><ul>"]
            + [
                "<li><b>%s</b>: <span class='%s'>%s</span></li>"
                % (r["id"], r["status"], html.escape(results.line_of(r)))
                for r in other
            ]
            + ["</ul>"]
        )
    parts += ["<h2>Machines</h2>", clocks(store, rows), "<h2>Plan</h2><pre>%s</pre>" % html.escape(plan)]
    path = os.path.join(store.path, "index.html")
    with open(path, "w") as f:
        f.write("\n".join(parts) + "\n")
    return path
