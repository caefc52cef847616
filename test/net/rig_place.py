# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests of the rig run in a place: three machines made of namespaces, and the programs that the rig needs. Each
script has machines, names and folders of its own, so that two scripts can run at the same time."""

from harness import *

import namespace

RIG = os.path.join(SRC, "test/rig/rig")
PREFIX = "rt%d" % (os.getpid() % 100000)
STATE = os.path.join(temp_dir(), "state")
OUT = temp_dir()
ANSIBLE_TMP = os.path.join(temp_dir(), "ansible")
ENV = dict(os.environ, TERN_RIG_STATE=STATE, TERN_BUILDDIR=BUILD, TERN_RIG_ANSIBLE=ANSIBLE_TMP)
os.environ["TERN_RIG_ANSIBLE"] = ANSIBLE_TMP
ANSIBLES = os.path.expanduser("~/.ansible/cp/*")
MACHINES = "machines: {dut: dut, load: [load1, load2], collector: load1}\n"


def rig(*args, limit_s=280, status=0):
    got = subprocess.run(
        [RIG] + list(args), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENV, timeout=limit_s
    )
    if status is not None:
        equal(got.returncode, status, "exit status of rig %s: %s" % (" ".join(args), got.stdout[-3000:]))
    return got.stdout


def write_plan(name, text):
    path = os.path.join(OUT, name + ".yml")
    with open(path, "w") as f:
        f.write(text)
    return path


def results_of(out):
    with open(os.path.join(out, "results.jsonl")) as f:
        return {r["id"]: r for r in map(json.loads, f)}


def processes():
    """[(number, words), ...] of what runs on the machines."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as f:
                words = f.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        # A daemon is told by its configuration: bird's program isn't of the machine.
        if (
            any(w.startswith(STATE) for w in words)
            and "serve" in words
            or any(w.startswith(STATE + "/machines") for w in words)
        ):
            found.append((int(path.split("/")[2]), words))
    return found


def wait_for_processes(condition, what, limit_s=100):
    """Wait until @condition(processes()). A look reads all of /proc and takes 10 ms of processor time."""
    wait_until(lambda: condition(processes()), what, limit_s, every_s=0.2)


def nothing_runs():
    wait_for_processes(lambda found: not found, "nothing of the rig to run")


def machines_up():
    rig("local", "--prefix", PREFIX, "dut", "load1", "load2")
    rig("local", "--prefix", PREFIX, "dut", "load1", "load2")  # what is there is used


def book(inventory, name):
    """Run one playbook. Returns: how many things the playbook has changed."""
    import machines

    code, counts, said = machines.playbook(inventory, name, ["dut", "load1", "load2"])
    equal((code, sorted(counts), said), (0, ["dut", "load1", "load2"], ""), name)
    return sum(c["changed"] for c in counts.values())


def playbooks():
    """The playbooks change something once, and nothing the second time."""
    sys.path.insert(0, os.path.join(SRC, "test/rig"))
    import machines

    inventory = machines.Inventory(os.path.join(STATE, "inventory.yml"))
    equal(book(inventory, "stop"), 0, "what stop ends where nothing runs")
    check(book(inventory, "clean") > 0, "clean has nothing to do")
    equal(book(inventory, "clean"), 0, "what clean changes the second time")
    equal([os.listdir(STATE + "/machines")], [[]], "files")


def cleaned(*options):
    rig("clean", *options)
    equal(processes(), [], "processes")
    equal(set(glob.glob(ANSIBLES)) - before, set(), "connections of Ansible")
    check(not os.path.exists(ANSIBLE_TMP), "Ansible's folder")
    check(PREFIX not in subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, text=True).stdout, "namespaces")
    check(PREFIX not in subprocess.run(["ip", "-o", "link"], stdout=subprocess.PIPE, text=True).stdout, "links")
    check(not os.path.exists(STATE), "the folder")
    check("clean" in rig("clean"), "cleaning twice")


def end_machines():
    subprocess.run([RIG, "clean"], env=ENV, stdout=subprocess.DEVNULL)


if not namespace.enter():
    cannot_here("no network namespace can be made")
if os.geteuid():
    cannot_here("namespaces need root")
for program, package in (("ansible-playbook", "ansible-core"), ("sshd", "openssh-server"), ("bird", "bird2")):
    if not shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
        needs(package)
atexit.register(end_machines)
before = set(glob.glob(ANSIBLES))
