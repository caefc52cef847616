# SPDX-License-Identifier: GPL-3.0-or-later
"""The rig's commands."""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import daemons
import local
import machines
import plan as plans
import results
import runs

STATE = os.environ.get("TERN_RIG_STATE", "/var/tmp/tern-rig-local")
TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
PACKAGES = {
    "bird2": ("bird2", "bird"),
    "frr": ("frr", "/usr/lib/frr/bgpd"),
    "openbgpd": ("openbgpd", "bgpd"),
    "gobgp": ("gobgpd", "gobgpd"),
}
ALWAYS = {"iproute2": "ip", "python3": "python3"}


def say(text):
    print(text, flush=True)


def read_plan(path):
    try:
        return plans.Plan(path, daemons.KINDS)
    except plans.BadPlan as e:
        raise SystemExit("rig: %s" % e)


# --- plan ---


def show_plan(args):
    p = read_plan(args.plan)
    each = p.runs()
    say("%s: %d runs on %s" % (p.name, len(each), ", ".join(p.hosts())))
    say(
        "  device under test: %s; load: %s; member: %s"
        % (
            p.machines["dut"],
            ", ".join(p.machines["load"]),
            "none" if p.member["kind"] == "none" else "%s on %s" % (p.member["kind"], p.machines["collector"]),
        )
    )
    for run in each:
        say(
            "  %-36s %6d peers, %8d routes, %s, at most %d s"
            % (run.id, run.peers, run.routes, run.daemon.name, p.limit_of(run))
        )
    say(
        "at most %.1f hours; runs beyond 'total' are left out" % (sum(p.limit_of(r) for r in each) / 3600.0)
        if not p.total
        else "%.2f hours at most ('total')" % (p.total / 3600)
    )
    return 0


# --- run ---


def programs_of(plan, build):
    """Build what is to be built. Returns: {name in the machines' bin folder: path here}"""
    out = {"ternload": os.path.join(build, "ternload")}
    for d in plan.daemons:
        d.program = None
        if d.build:
            say("rig: building %s: %s" % (d.name, d.build))
            if subprocess.run(["sh", "-c", d.build], cwd=plan.base).returncode:
                raise SystemExit("rig: %s: the build command failed: %s" % (d.name, d.build))
        path = plan.at(d.path) if d.path else os.path.join(build, "ternd") if d.kind == "tern" else None
        if path is None:
            continue
        d.program = path
        out["%s/%s" % (d.name, os.path.basename(path))] = path
        control = os.path.join(os.path.dirname(path), "ternc")
        if d.kind == "tern" and os.path.exists(control):
            out["%s/ternc" % d.name] = control
    if plan.member["kind"] == "tern":
        out["ternd"] = os.path.join(build, "ternd")
    for name, path in out.items():
        if not os.access(path, os.X_OK):
            raise SystemExit("rig: %s doesn't exist: build tern, or name the folder of the programs by --build" % path)
    return out


def needs_of(plan):
    """{host: ([package, ...], [program, ...])}"""
    out = {h: (list(ALWAYS), list(ALWAYS.values())) for h in plan.hosts()}

    def need(host, package, program):
        if program not in out[host][1]:
            out[host][0].append(package)
            out[host][1].append(program)

    for d in plan.daemons:
        if not d.path and d.kind in PACKAGES:
            package, program = PACKAGES[d.kind]
            need(plan.machines["dut"], d.package or package, program)
    if plan.member["kind"] == "bird2":
        need(plan.machines["collector"], *PACKAGES["bird2"])
    return out


def variables(plan, inventory, bundle="", install=False, needs=None):
    own, _ = runs.addresses(plan.network, inventory)
    needs = needs or {}
    return {
        "rig_bundle": bundle,
        "rig_install": install,
        "rig_address": own,
        "rig_packages": {h: n[0] for h, n in needs.items()},
        "rig_programs": {h: n[1] for h, n in needs.items()},
    }


def prepare(plan, inventory, out, args):
    """Returns: the hosts that can't be used, with why."""
    bundle = os.path.join(out, "bundle.tar")
    files = {"bin/" + n: p for n, p in programs_of(plan, args.build).items()}
    if plan.prefixes:
        files[runs.prefixes_name(plan)] = plan.at(plan.prefixes)
    machines.bundle(bundle, files)
    code, hosts, said = machines.playbook(
        inventory, "prepare", plan.hosts(), variables(plan, inventory, bundle, args.install, needs_of(plan))
    )
    bad = [h for h in plan.hosts() if h not in hosts or hosts[h]["failures"] or hosts[h]["unreachable"]]
    if code or bad:
        say("rig: machines that can't be prepared: %s\n%s" % (", ".join(bad) or "?", said))
    else:
        say(
            "rig: the machines are ready after %d changes"
            % sum(c["changed"] for c in hosts.values())
        )
    if len(bad) == len(plan.hosts()) or plan.machines["dut"] in bad or (code and not bad):
        raise SystemExit(1)
    return bad


def one_run(rig, run, store):
    why = store.skip(run)
    if why:
        store.add(
            {
                "id": run.id,
                "status": "skipped",
                "why": why,
                "setup": run.setup,
                "peers": run.peers,
                "asked": run.routes,
                "daemon": run.daemon.name,
                "kind": run.daemon.kind,
                "loads": run.loads,
                "rep": run.rep,
            }
        )
        say("%-40s skipped: %s" % (run.id, why))
        return True
    got = runs.play(rig, run, store.folder(run.id))
    store.add(got)
    say("%-40s %s" % (run.id, results.line_of(got)))
    return got["status"] in ("ok", "refused", "timeout", "memory")


def run_plan(args):
    plan = read_plan(args.plan)
    inventory = machines.Inventory(args.inventory)
    inventory.check(plan.hosts())
    out = os.path.abspath(args.out or "rig-" + plan.name)
    store = results.Store(out)
    store.begin(plan, args.again)
    todo = [r for r in plan.runs() if not store.has(r.id)]
    say(
        "rig: %s: %d runs, %d runs done before; results in %s"
        % (plan.name, len(plan.runs()), len(plan.runs()) - len(todo), out)
    )
    if not todo:
        return 0
    began = time.time() - store.spent_s()
    for name in ("SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), lambda *_: sys.exit(143))
    rig = runs.Rig(plan, inventory, plans.SETUPS)
    right = True
    try:
        prepare(plan, inventory, out, args)
        for run in todo:
            if plan.total and time.time() - began > plan.total:
                say(
                    "rig: the time for all ('total') is over: %d runs are left out"
                    % len([r for r in todo if not store.has(r.id)])
                )
                break
            right = one_run(rig, run, store) and right
    except KeyboardInterrupt:
        say("rig: interrupted; say `rig run` again to go on")
        return 130
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # who presses it twice still leaves nothing behind
        rig.close()
        if rig.lost:  # its agent has ended all that it started, if there was one left to do so
            code, _, said = machines.playbook(inventory, "stop", plan.hosts(), variables(plan, inventory))
            if code and said:
                say("rig: some machines did not answer whether programs of a run are alive:\n" + said)
        signal.signal(signal.SIGINT, signal.default_int_handler)
    say("rig: %s" % store.summary())
    if not args.no_plot:
        args.results = out
        plot(args)
    return 0 if right else 1


# --- plot, compare, clean, local ---


def plot(args):
    import charts
    import page

    store = results.Store(args.results)
    store.need()
    try:
        drawn = charts.draw(store)
    except ImportError:
        say("rig: no charts: matplotlib is missing (Debian: python3-matplotlib)")
        return 3
    path = page.write(store, drawn)
    say("rig: %d charts, and a page: %s" % (len(drawn), path))
    return 0


def compare(args):
    import compare as comparison

    a, b = results.Store(args.a), results.Store(args.b)
    a.need()
    b.need()
    lines, slower = comparison.compare(a.rows(), b.rows())
    say("\n".join(lines))
    return 1 if slower else 0


def clean(args):
    state_inventory = os.path.join(args.state, "inventory.yml")
    path = args.inventory
    if os.path.exists(path):
        inventory = machines.Inventory(path)
        code, _, said = machines.playbook(inventory, "clean", sorted(inventory.vars))
        if code:
            say("rig: not all machines could be cleaned:\n" + said)
            if os.path.realpath(path) != os.path.realpath(state_inventory):
                return 1
    left = local.down(args.state)
    folder = os.path.dirname(os.path.realpath(path))
    if not left and folder != os.path.realpath(args.state):  # `rig local --state` made these machines
        there = local.down(folder)
        left = left if there is None else there
    if left:
        say("rig: left over: " + ", ".join(left))
        return 1
    say("rig: clean" + ("" if left is None else "; the namespaces are gone"))
    return 0


def make_local(args):
    path = local.up(args.state, args.prefix, args.names or ["dut", "load1", "load2", "collector"])
    say("rig: the inventory is %s" % path)
    return 0


def main(doc):
    p = argparse.ArgumentParser(prog="rig", description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name, function, text):
        c = sub.add_parser(name, help=text)
        c.set_defaults(function=function)
        c.add_argument("--state", default=STATE, help="folder of the machines that `rig local` makes (%s)" % STATE)
        return c

    c = command("local", make_local, "machines out of network namespaces")
    c.add_argument("names", nargs="*", help="(dut load1 load2 collector)")
    c.add_argument("--prefix", default="rig", help="of their names, for several rigs on one machine (rig)")
    c = command("plan", show_plan, "check a plan and list its runs")
    c.add_argument("plan")
    c = command("run", run_plan, "measure")
    c.add_argument("plan")
    c.add_argument("--inventory", help="of Ansible (default: the inventory of `rig local`)")
    c.add_argument("--out", help="folder for results (rig-NAME)")
    c.add_argument(
        "--build",
        default=os.environ.get("TERN_BUILDDIR", os.path.join(TOP, "build")),
        help="where tern's programs are (build)",
    )
    c.add_argument("--install", action="store_true", help="install packages that machines lack")
    c.add_argument("--again", action="store_true", help="repeat failed runs")
    c.add_argument("--no-plot", action="store_true")
    c = command("plot", plot, "charts and a page")
    c.add_argument("results")
    c = command("compare", compare, "is B slower than A?")
    c.add_argument("a")
    c.add_argument("b")
    c = command("clean", clean, "end programs, remove files and namespaces")
    c.add_argument("--inventory", help="(default: the inventory of `rig local`)")
    args = p.parse_args()
    args.state = os.path.abspath(args.state)
    if "inventory" in args:
        args.inventory = args.inventory or os.path.join(args.state, "inventory.yml")
    if "build" in args:
        args.build = os.path.abspath(args.build)
    return args.function(args)
