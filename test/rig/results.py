# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of a plan: a folder with the plan, results.jsonl (an object a run, as they come) and a folder for each run,
runs/ID/MACHINE/."""
import json
import os

FINAL = ("ok", "timeout", "memory", "refused", "failed", "skipped")


def line_of(r):
    """A run in one line."""
    if r["status"] != "ok":
        return "%s: %s" % (r["status"].upper() if r["status"] == "failed" else r["status"],
                           r["why"].strip().replace("\n", "\n    "))
    out = "%.2f s, CPU %.2f s, %.0f MB" % (r["elapsed_s"], r["cpu_s"], r["peak_mb"])
    if "count_s" in r:
        out += ", show route count %.2f s" % r["count_s"]
    for key, text in (("churn_s", "churn %.3f s"), ("mark_s", "policy %.3f s"), ("flap_median_ms", "flap %.2f ms")):
        if key in r:
            out += ", " + text % r[key]
    return out + " (set up in %.1f s, in all %.1f s)" % (r["setup_s"], r["took_s"])


class Store:
    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.file = os.path.join(self.path, "results.jsonl")

    def need(self):
        if not os.path.exists(self.file):
            raise SystemExit("rig: %s: no results (results.jsonl)" % self.path)

    def folder(self, run_id):
        return os.path.join(self.path, "runs", run_id)

    def rows(self):
        """The last of each run."""
        found = {}
        try:
            with open(self.file) as f:
                for line in f:
                    try:
                        r = json.loads(line)
                    except ValueError:
                        continue  # cut off by whatever ended the rig then
                    found[r["id"]] = r
        except OSError:
            pass
        return list(found.values())

    def begin(self, plan, again):
        """Make the folder, or go on with it. Results of another plan are refused."""
        os.makedirs(os.path.join(self.path, "runs"), exist_ok=True)
        copy = os.path.join(self.path, "plan.yml")
        if os.path.exists(copy):
            with open(copy) as f:
                if f.read() != plan.text:
                    raise SystemExit("rig: %s has results of another plan (plan.yml): name another folder by --out" %
                                     self.path)
        else:
            with open(copy, "w") as f:
                f.write(plan.text)
        rows = [r for r in self.rows() if not (again and r["status"] == "failed")]
        with open(self.file + ".new", "w") as f:
            f.write("".join(json.dumps(r) + "\n" for r in rows))
        os.rename(self.file + ".new", self.file)
        self.known = {r["id"] for r in rows}

    def has(self, run_id):
        return run_id in self.known

    def add(self, row):
        with open(self.file, "a") as f:
            f.write(json.dumps(row) + "\n")
        self.known.add(row["id"])

    def spent_s(self):
        """What all runs took."""
        return sum(r.get("took_s", 0) for r in self.rows())

    def skip(self, run):
        """Why a run isn't tried; None: it is."""
        for r in self.rows():
            if r["status"] == "refused" and r["daemon"] == run.daemon.name and r["setup"] == run.setup:
                return "the daemon can't do %s" % run.setup
            # Who wasn't ready with as many routes of fewer peers isn't with these.
            if r["status"] in ("timeout", "memory") and r["daemon"] == run.daemon.name and r["setup"] == run.setup and \
                    r["loads"] == run.loads and r["peers"] <= run.peers and r["asked"] <= run.routes:
                return "%s with %d peers and %d routes" % (
                    "time was up" if r["status"] == "timeout" else "memory was up", r["peers"], r["asked"])
        return None

    def summary(self):
        rows = self.rows()
        return ", ".join("%d %s" % (sum(r["status"] == s for r in rows), s) for s in FINAL
                         if any(r["status"] == s for r in rows)) or "nothing"
