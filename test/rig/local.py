# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines made of network namespaces: each with an sshd of its own, an interface `lan` in a bridge where members and
servers meet, and one in a bridge by which it is managed from here.

They share this machine's files and processes, so each has a folder of its own, and nothing of it is known
to the system but the namespaces' names. STATE is the folder with keys, configurations and the inventory."""
import glob
import os
import re
import shutil
import signal
import subprocess
import time

import waits
import yaml

SSHD_RUN = "/run/sshd"
MANAGE = "198.18.%d.%d"  # RFC 2544: for measuring only
SSHD = """Port 22
ListenAddress %(address)s
HostKey %(state)s/host_key
AuthorizedKeysFile %(state)s/key.pub
PidFile %(state)s/%(name)s.pid
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PermitRootLogin yes
MaxSessions 100
MaxStartups 100
Subsystem sftp internal-sftp
"""


def run(*argv, check=True):
    got = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    if check and got.returncode:
        raise SystemExit("rig local: %s: %s" % (" ".join(argv), got.stdout.strip()))
    return got.stdout


def subnet_of(prefix):
    """Several rigs on one machine, each with machines of its own."""
    return sum(prefix.encode()) % 250


def namespaces(prefix):
    return [
        n
        for n in (line.split()[0] for line in run("ip", "netns", "list").splitlines() if line.strip())
        if n.startswith(prefix + "-")
    ]


def up(state, prefix, names):
    """Make machines @names. Those that are there are used as they are. After a failure nothing is left of machines that
    this call began. Returns: the inventory's path."""
    was = os.path.exists(os.path.join(state, "prefix"))
    try:
        return make(state, prefix, names)
    except BaseException:
        if not was:
            down(state)
        raise


def make(state, prefix, names):
    if os.geteuid():
        raise SystemExit("rig local: namespaces need root")
    for program in ("ip", "sshd", "ssh", "ssh-keygen", "ansible-playbook"):
        if not shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            raise SystemExit(
                "rig local: %s is missing: apt-get install iproute2 openssh-server openssh-client ansible-core"
                % program
            )
    if len(prefix) > 8 or not prefix.isalnum():
        raise SystemExit("rig local: --prefix is up to 8 letters and digits")
    os.makedirs(state, mode=0o755, exist_ok=True)
    with open(os.path.join(state, "prefix"), "w") as f:
        f.write(prefix)
    for key in ("key", "host_key"):
        if not os.path.exists(os.path.join(state, key)):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "rig", "-f", os.path.join(state, key))
    net = subnet_of(prefix)
    links = run("ip", "-o", "link")
    for bridge in (prefix + "-lan", prefix + "-mgmt"):
        if " %s:" % bridge not in links:
            run("ip", "link", "add", "name", bridge, "type", "bridge")
            run("ip", "link", "set", bridge, "up")
    if MANAGE % (net, 254) not in run("ip", "-o", "addr", "show", "dev", prefix + "-mgmt"):
        run("ip", "addr", "add", MANAGE % (net, 254) + "/24", "dev", prefix + "-mgmt")
    hosts = {}
    for i, name in enumerate(names):
        machine(state, prefix, name, i, MANAGE % (net, 11 + i))
        hosts[name] = {
            "ansible_host": MANAGE % (net, 11 + i),
            "rig_interface": "lan",
            "rig_dir": os.path.join(state, "machines", name),
        }
    path = os.path.join(state, "inventory.yml")
    with open(path, "w") as f:
        yaml.safe_dump(
            {
                "all": {
                    "hosts": hosts,
                    "vars": {
                        "ansible_user": "root",
                        "ansible_ssh_private_key_file": os.path.join(state, "key"),
                        "ansible_python_interpreter": "/usr/bin/python3",
                        "ansible_ssh_common_args": (
                            "-o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no -o LogLevel=ERROR"
                        ),
                    },
                }
            },
            f,
        )
    return path


def machine(state, prefix, name, i, address):
    ns = "%s-%s" % (prefix, name)
    if ns not in namespaces(prefix):
        run("ip", "netns", "add", ns)
        for bridge, inside, outside in (
            ("lan", "lan", "%s-l%d" % (prefix, i)),
            ("mgmt", "mgmt", "%s-m%d" % (prefix, i)),
        ):
            run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", ns)
            run("ip", "link", "set", outside, "master", "%s-%s" % (prefix, bridge), "up")
            run("ip", "-n", ns, "link", "set", inside, "up")
        run("ip", "-n", ns, "link", "set", "lo", "up")
        run("ip", "-n", ns, "addr", "add", address + "/24", "dev", "mgmt")
    start_sshd(state, prefix, name, address)


def start_sshd(state, prefix, name, address):
    conf = os.path.join(state, name + ".sshd")
    with open(conf, "w") as f:
        f.write(SSHD % {"address": address, "state": state, "name": name})
    if not os.path.isdir(SSHD_RUN):
        open(os.path.join(state, "made-run"), "w").close()  # so that `rig clean` removes the folder
        os.makedirs(SSHD_RUN, mode=0o755, exist_ok=True)
    if alive(os.path.join(state, name + ".pid")):
        return
    sshd = shutil.which("sshd") or "/usr/sbin/sshd"
    log = os.path.join(state, name + ".log")
    got = subprocess.run(
        ["ip", "netns", "exec", "%s-%s" % (prefix, name), sshd, "-f", conf, "-E", log],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
    )
    if got.returncode or not waits.happens(lambda: alive(os.path.join(state, name + ".pid"))):
        raise SystemExit(
            "rig local: the sshd of %s does not start: %s"
            % (name, (got.stdout + tail(log)).strip() or "status %d, and no word" % got.returncode)
        )


def tail(path):
    """The last lines of a log, which goes with the machines."""
    try:
        with open(path, errors="replace") as f:
            return "".join(f.readlines()[-5:])
    except OSError:
        return ""


def alive(pidfile):
    try:
        with open(pidfile) as f:
            os.kill(int(f.read()), 0)
        return True
    except (OSError, ValueError):
        return False


def down(state):
    """Remove the machines of @state, and all that runs in them. Returns: None: there was nothing; else a list of what
    could not be removed."""
    try:
        with open(os.path.join(state, "prefix")) as f:
            prefix = f.read().strip()
    except OSError:
        return None
    for ns in namespaces(prefix):
        for sig in (signal.SIGTERM, signal.SIGKILL):
            for pid in run("ip", "netns", "pids", ns, check=False).split():
                try:
                    os.kill(int(pid), sig)
                except (ProcessLookupError, ValueError):
                    pass
            waits.happens(lambda: not run("ip", "netns", "pids", ns, check=False).split(), 3)
        run("ip", "netns", "del", ns, check=False)
    # What the system takes away with a namespace goes when it likes.
    for line in run("ip", "-o", "link").splitlines():
        # There may be lines that aren't about a link ("Dump was interrupted ..." beside others' changes).
        link = re.match(r"\d+: (%s-(?:lan|mgmt|[lm]\d+))[@:]" % re.escape(prefix), line)
        if link:
            run("ip", "link", "del", link.group(1), check=False)
    rest = remains(prefix)
    if rest:
        return rest  # the folder names the prefix for the next try
    if os.path.exists(os.path.join(state, "made-run")):
        remove_sshd_run()
    try:
        for path in glob.glob(os.path.join(state, "*")):
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        os.rmdir(state)
    except OSError as e:
        return ["%s (%s)" % (state, e)]
    return []


def remove_sshd_run():
    """Remove the folder that sshd needs, unless an sshd runs: each new connection of an sshd needs the folder."""
    for path in glob.glob("/proc/[0-9]*/comm"):
        try:
            with open(path) as f:
                if f.read().strip() == "sshd":
                    return
        except OSError:
            pass
    try:
        os.rmdir(SSHD_RUN)
    except OSError:
        pass


def remains(prefix):
    """The namespaces and bridges of @prefix that are still there."""
    bridges = [b for b in (prefix + "-lan", prefix + "-mgmt") if os.path.exists("/sys/class/net/" + b)]
    return namespaces(prefix) + bridges
