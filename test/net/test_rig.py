# SPDX-License-Identifier: GPL-3.0-or-later
"""The rig: the words about bad plans, a short plan from beginning to end, playbooks. test_rig_faults.py: interrupts and
machines that die."""

from rig_place import *


def bad_plans():
    good = "name: x\n" + MACHINES + "daemons:\n  - {name: a, kind: tern}\npeers: [10]\nroutes: [100]\n"
    for line, said, text in (
        (1, "'machines' is missing", "name: x\n"),
        (7, "no such key: 'peer'", good + "peer: 3\n"),
        (7, "'ratio' must be a number from 1 to 64, not 'many'", good + "ratio: many\n"),
        (4, "'daemons.kind' must be one of", good.replace("kind: tern", "kind: quagga")),
        (4, "no such key: 'daemons.thread'", good.replace("kind: tern", "kind: tern, thread: 3")),
        (7, "no such step: 'jump'", good + "steps: announce,settle,jump\n"),
        (7, "step 'flap' needs one load machine", good + "steps: announce,settle,flap=3\n"),
        (7, "no point multi-10-100", good + "first: [multi-10-100]\n"),
        (5, "'peers' must be a whole number", good.replace("[10]", "[ten]")),
        (7, "'peers' occurs twice", good + "peers: [3]\n"),
        (7, "'load_machines' has 3, but the plan has only 2 load machines", good + "load_machines: [3]\n"),
        (7, "knows set-up single alone", good.replace("kind: tern", "kind: frr") + "setups: [multi]\n"),
        (3, "", "name: x\nmachines: {\n"),
    ):
        path = write_plan("bad", text)
        got = rig("plan", path, status=1)
        check(
            got.startswith("rig: %s:%d: " % (path, line)) or (not said and "%s:" % path in got),
            "line %d in %r" % (line, got),
        )
        check(said in got, "%r in %r" % (said, got))
    check("1 runs on dut, load1, load2" in rig("plan", write_plan("good", good)), "a good plan")
    order = good.replace("[10]", "[100, 10]").replace("[100]\n", "[900, 100]\n") + "first: [single-10-900]\n"
    equal(
        re.findall(r"single-(\d+-\d+)-a", rig("plan", write_plan("order", order))),
        ["10-900", "10-100", "100-100", "100-900"],
        "the order of points",
    )
    for name in sorted(os.listdir(os.path.join(SRC, "test/rig/plans"))):
        check(" runs on " in rig("plan", os.path.join(SRC, "test/rig/plans", name)), name)


def a_minute():
    """All figures are there, charts too; a run of what is done already does nothing. Without TERN_SOAK, the plan has
    one of its two set-ups."""
    with open(os.path.join(SRC, "test/rig/plans/minute.yml")) as f:
        text = f.read()
    check("\nsetups: [single, mulimex]\n" in text, text)
    plan = write_plan("minute", text if SOAK else text.replace("[single, mulimex]", "[mulimex]"))
    out = os.path.join(OUT, "minute")
    rig("run", plan, "--out", out)
    found = results_of(out)
    equal(len(found), 4 if SOAK else 2, "runs")
    for r in found.values():
        equal(r["status"], "ok", r["id"])
        equal(r["hashes"], 19, "clients whose hash was compared")
        equal(r["table_wrong"], 0, "routes of the member")
        check(r["table_routes"] > 500, "routes of the member: %d" % r["table_routes"])
        for key in ("elapsed_s", "count_s", "cpu_s", "peak_mb", "churn_s", "in_octets", "wire_mb"):
            check(r[key] > 0, "%s of %s is %r" % (key, r["id"], r[key]))
        offset, rtt = r["clocks"]["load2"]  # one clock, asked of two processes
        check(abs(offset) <= rtt / 2 + 0.001, "clocks: %r" % r["clocks"])
        folder = os.path.join(out, "runs", r["id"])
        for path in (
            "dut/%s/conf" % r["daemon"],
            "dut/%s/samples.csv" % r["daemon"],
            "load1/load1.json",
            "load2/hashes",
            "load1/member/count.csv",
            "machines.json",
            "curves.json",
        ):
            check(os.path.getsize(os.path.join(folder, path)) > 0, path)
    for form in ("png", "pdf", "svg"):
        check(os.path.getsize(os.path.join(out, "charts/time-mulimex." + form)) > 1000, form)
    with open(out + "/index.html") as f:
        page = f.read()
    for text in ("mulimex-20-2000-tern-l2-r1", "name: minute", "BIRD version", "charts/memory-mulimex.png"):
        check(text in page, "%s in the page" % text)
    check("%d runs done before" % len(found) in rig("run", plan, "--out", out), "resumed")
    equal(results_of(out), found, "results when all was done before")
    nothing_runs()


def too_large():
    """Who takes more memory than the plan allows is killed, and isn't tried with more routes."""
    plan, out = (
        write_plan(
            "large",
            MACHINES
            + """name: large
daemons: [{name: tern, kind: tern}]
peers: [20]
routes: [2000, 4000]
memory: 4
""",
        ),
        os.path.join(OUT, "large"),
    )
    rig("run", plan, "--out", out, "--no-plot")
    found = results_of(out)
    equal(
        [(r["status"], r["why"]) for r in found.values()],
        [("memory", "dut: tern took more than 4 MB"), ("skipped", "memory was up with 20 peers and 2000 routes")],
        "runs",
    )
    nothing_runs()


def slow_links():
    """What a link can't carry sooner comes later, and all of it comes."""
    rate = 4e6
    plan, out = (
        write_plan(
            "slow",
            MACHINES
            + """name: slow
daemons: [{name: tern, kind: tern}]
peers: [20]
routes: [4000]
link: {rcvbuf: 4096, sndbuf: 4096, tcp_rmem: 4096 8192 16384, tc: tbf rate 4mbit burst 16k latency 50ms}
""",
        ),
        os.path.join(OUT, "slow"),
    )
    rig("run", plan, "--out", out, "--no-plot")
    (r,) = results_of(out).values()
    equal((r["status"], r.get("table_wrong")), ("ok", 0), r["why"])
    least = r["in_octets"] * 8 / rate
    check(least > 0.5, "%d octets are too few to be held up" % r["in_octets"])
    check(r["elapsed_s"] > 0.8 * least, "%d octets in %.2f s" % (r["in_octets"], r["elapsed_s"]))
    nothing_runs()


def comparison():
    """What is slower by more than the repetitions lie apart is said, and nothing else."""
    for name, times in (("a", (1.0, 1.1, 1.05)), ("b", (1.1, 1.15, 1.05)), ("c", (1.9, 2.0, 2.1))):
        os.makedirs(os.path.join(OUT, name), exist_ok=True)
        with open(os.path.join(OUT, name, "results.jsonl"), "w") as f:
            for i, t in enumerate(times):
                f.write(
                    json.dumps(
                        {
                            "id": "x%d" % i,
                            "status": "ok",
                            "setup": "single",
                            "peers": 10,
                            "asked": 100,
                            "daemon": "tern",
                            "loads": 1,
                            "rep": i,
                            "elapsed_s": t,
                            "cpu_s": 1,
                        }
                    )
                    + "\n"
                )
    check("0 figures are worse" in rig("compare", OUT + "/a", OUT + "/b"), "a and b")
    got = rig("compare", OUT + "/a", OUT + "/c", status=1)
    check("1 figures are worse" in got and "+90 %" in got, got)
    check("1 better" in rig("compare", OUT + "/c", OUT + "/a"), "c and a")


def no_sshd():
    """An sshd that does not start: `rig local` repeats the words of sshd and leaves nothing."""
    folder, state = temp_dir(), temp_dir() + "/state"
    with open(folder + "/sshd", "w") as f:
        f.write("#!/bin/sh\necho 'no hostkeys available' >&2\nexit 1\n")
    os.chmod(folder + "/sshd", 0o755)
    env = dict(ENV, PATH=folder + ":" + ENV.get("PATH", os.environ["PATH"]))
    p = subprocess.run(
        [RIG, "local", "--state", state, "--prefix", "rigno", "dut"],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    said = p.stdout + p.stderr
    check(p.returncode == 1 and "the sshd of dut does not start: no hostkeys available" in said, said)
    left = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True).stdout
    check("rigno-" not in left and not os.path.exists("/sys/class/net/rigno-lan"), "left: " + left)
    check(not os.path.exists(state), "the folder is left")


def nothing_behind():
    """`rig local` without an sshd, and with an sshd that fails, in a /run of its own: no folder of sshd stays."""
    folder, state = temp_dir(), temp_dir() + "/state"
    with open(folder + "/sshd", "w") as f:
        f.write("#!/bin/sh\necho 'no hostkeys available' >&2\nexit 1\n")
    os.chmod(folder + "/sshd", 0o755)
    sshd = os.path.realpath(shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin"))
    for instead, why in (
        ("/dev/null", "sshd is missing: apt-get install"),
        (folder + "/sshd", "no hostkeys available"),
    ):
        p = subprocess.run(
            ["unshare", "-mnp", "--fork", "--mount-proc", "sh", "-c"]
            + ['mount -t tmpfs run /run && mount --bind "$0" "$1" && shift && "$@"; rc=$?; ls /run; exit $rc']
            + [instead, sshd, RIG, "local", "--state", state, "--prefix", "rigru", "dut"],
            env=ENV,
            capture_output=True,
            text=True,
            timeout=120,
        )
        said = p.stdout + p.stderr
        check(p.returncode == 1 and why in said, said)
        check("sshd" not in p.stdout.split() and not os.path.exists(state), "left: " + said)


case("bad plans are refused with their line", bad_plans)
case("two results are compared", comparison)
case("an sshd that fails", no_sshd)
case("nothing stays without sshd", nothing_behind)
case("machines are made of namespaces", machines_up)
case("a minute of everything", a_minute)
if SOAK:
    case("memory has a limit", too_large)
    case("slow links", slow_links)
case("playbooks change nothing the second time", playbooks)

def cleaned_by_inventory():
    """The inventory leads to the machines of `rig local --state`."""
    cleaned("--inventory", os.path.join(STATE, "inventory.yml"), "--state", STATE + ".other")


case("nothing is left", cleaned_by_inventory)
done()
