# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults that the rig meets: an interrupt, a machine that dies, a route that a daemon withholds. Nothing stays."""

from rig_place import *

WITHHOLD = """sed 's/^\\(protocol bgp p%d from rsc { neighbor [0-9.]* as [0-9]*; \\)}/\\1 ipv4 { import filter f_in;
 next hop keep; export filter { if net.len = 24 \\&\\& net.ip.mask(8) = 11.0.0.0 then reject; accept; }; }; }/'"""


def interrupted_and_killed():
    """Ctrl-C ends all of it; going on, a load machine dies in the middle: its run fails by name, others don't; and a
    device that keeps a route from one member is found, whether ternload plays that or a real daemon."""
    text = (
        MACHINES
        + """name: faults
daemons:
  - {name: victim, kind: tern}
  - name: third
    kind: tern
    edit: >-
      %s
  - name: last
    kind: tern
    edit: >-
      %s
  - {name: healthy, kind: tern}
peers: [20]
routes: [2000]
steps: announce,settle=100,hold=1,mark=7,settle=100
limit: 20
"""
        % tuple((WITHHOLD % n).replace("\n", "\n     ") for n in (3, 19))
    )
    plan, out = write_plan("faults", text), os.path.join(OUT, "faults")
    ids = ["single-20-2000-%s-l2-r1" % d for d in ("victim", "third", "last", "healthy")]

    def first_run_plays():
        return any(w[0].endswith("/ternload") and "--play" in w for _, w in processes())

    with open(OUT + "/said", "w") as said:
        p = spawn([RIG, "run", plan, "--out", out, "--no-plot"], stdout=said, stderr=said, env=ENV)
        wait_until(first_run_plays, "the first run to play", 100)
        p.send_signal(signal.SIGINT)
        equal(p.wait(100), 130, "exit status after Ctrl-C: " + open(OUT + "/said").read()[-1500:])
    nothing_runs()
    equal(results_of(out), {}, "results of what was interrupted")

    with open(OUT + "/said", "w") as said:
        p = spawn([RIG, "run", plan, "--out", out, "--no-plot"], stdout=said, stderr=said, env=ENV)
        wait_until(first_run_plays, "the first run to play", 100)
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
    equal([found[i]["status"] for i in ids], ["failed", "failed", "failed", "ok"], "runs: %r" % found)
    check(0 < found[ids[3]]["mark_s"] and found[ids[3]]["mark_lacked"] == 0, "policy: %r" % found[ids[3]])
    check(found[ids[0]]["why"].startswith("machine gone: load2: "), found[ids[0]]["why"])
    check(
        re.search(r"ternload: client 100\.64\.0\.4 .*: missing 11\.\d+\.\d+\.0/24", found[ids[1]]["why"]),
        found[ids[1]]["why"],
    )
    check(
        re.search(r"member.*\n11\.\d+\.\d+\.0/24 is missing", found[ids[2]]["why"])
        or "has" in found[ids[2]]["why"]
        and "nets" in found[ids[2]]["why"],
        found[ids[2]]["why"],
    )
    nothing_runs()


case("machines are made of namespaces", machines_up)
case("Ctrl-C, a machine that dies, a route that is withheld", interrupted_and_killed)
case("nothing is left", cleaned)
done()
