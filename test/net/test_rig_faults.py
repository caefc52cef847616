# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults that the rig meets: an interrupt, a machine that dies, a route that a daemon withholds. Nothing stays."""

from rig_place import *

WITHHOLD = """sed 's/^\\(protocol bgp p%d from rsc { neighbor [0-9.]* as [0-9]*; \\)}/\\1 ipv4 { import filter f_in;
 next hop keep; export filter { if net.len = 24 \\&\\& net.ip.mask(8) = 11.0.0.0 then reject; accept; }; }; }/'"""
LAST = """  - name: last
    kind: tern
    edit: >-
      %s
"""


def withhold(n):
    return (WITHHOLD % n).replace("\n", "\n     ")


def interrupted_and_killed():
    """Ctrl-C ends the whole run. The next run goes on; a load machine dies in the middle: its run fails by name, other
    runs do not. The rig finds a device that keeps a route from one member. ternload plays this member; with TERN_SOAK,
    a real daemon plays the member, too."""
    text = (
        MACHINES
        + """name: faults
daemons:
  - {name: victim, kind: tern}
  - name: third
    kind: tern
    edit: >-
      %s
%s  - {name: healthy, kind: tern}
peers: [20]
routes: [2000]
steps: announce,settle=100,hold=1,mark=7,settle=100
limit: 20
"""
        % (withhold(3), LAST % withhold(19) if SOAK else "")
    )
    plan, out = write_plan("faults", text), os.path.join(OUT, "faults")
    ids = ["single-20-2000-%s-l2-r1" % d for d in ("victim", "third", "last", "healthy") if SOAK or d != "last"]

    def first_run_plays(found):
        return any(w[0].endswith("/ternload") and "--play" in w for _, w in found)

    with open(OUT + "/said", "w") as said:
        p = spawn([RIG, "run", plan, "--out", out, "--no-plot"], stdout=said, stderr=said, env=ENV)
        wait_for_processes(first_run_plays, "the first run to play")
        p.send_signal(signal.SIGINT)
        equal(p.wait(100), 130, "exit status after Ctrl-C: " + open(OUT + "/said").read()[-1500:])
    nothing_runs()
    equal(results_of(out), {}, "results of what was interrupted")

    with open(OUT + "/said", "w") as said:
        p = spawn([RIG, "run", plan, "--out", out, "--no-plot"], stdout=said, stderr=said, env=ENV)
        wait_for_processes(first_run_plays, "the first run to play")
        agents = [
            pid
            for pid, w in processes()
            if "serve" in w and os.path.join(STATE, "machines/load2") in w and "python" in os.path.basename(w[0])
        ]
        equal(len(agents), 1, "agents of load2")
        os.kill(agents[0], signal.SIGKILL)
        equal(p.wait(250), 1, "exit status: " + open(OUT + "/said").read()[-1500:])
    check("ready after 0 changes" in open(OUT + "/said").read(), "preparing what is ready changes something")
    found = results_of(out)
    equal([found[i]["status"] for i in ids], ["failed"] * (len(ids) - 1) + ["ok"], "runs: %r" % found)
    check(0 < found[ids[-1]]["mark_s"] and found[ids[-1]]["mark_lacked"] == 0, "policy: %r" % found[ids[-1]])
    check(found[ids[0]]["why"].startswith("machine gone: load2: "), found[ids[0]]["why"])
    check(
        re.search(r"ternload: client 100\.64\.0\.4 .*: missing 11\.\d+\.\d+\.0/24", found[ids[1]]["why"]),
        found[ids[1]]["why"],
    )
    check(
        not SOAK
        or re.search(r"member.*\n11\.\d+\.\d+\.0/24 is missing", found[ids[2]]["why"])
        or "has" in found[ids[2]]["why"]
        and "nets" in found[ids[2]]["why"],
        found[ids[2]]["why"],
    )
    nothing_runs()


case("machines are made of namespaces", machines_up)
case("Ctrl-C, a machine that dies, a route that is withheld", interrupted_and_killed)
case("nothing is left", cleaned)
done()
