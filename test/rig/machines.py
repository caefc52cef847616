# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines: those of an Ansible inventory. Playbooks prepare and clean them; while something is measured there is
one connection to each by ssh, with the inventory's own address, port, user and key, over which an agent
(agent.py) is told what to do and tells what happens."""
import atexit
import contextlib
import glob
import io
import ipaddress
import json
import os
import queue
import shlex
import shutil
import subprocess
import tarfile
import tempfile
import threading
import time

import waits

HERE = os.path.dirname(os.path.abspath(__file__))
LIB = os.path.join(HERE, "..", "lib")
DIR = "/var/tmp/tern-rig"
# Ansible's folder on the machines; clean.yml removes the folder. Two rigs with machines on one host need two folders.
REMOTE_TMP = os.environ.get("TERN_RIG_ANSIBLE", "/var/tmp/tern-rig-ansible")
# The path of a socket has at most 107 octets. Behind the folder come "/cp/", 10 octets of Ansible, 17 octets of ssh.
HOME_MAX = 70
_home = None  # Ansible's, for as long as the rig runs


class Gone(Exception):
    """A machine that can't be reached, or no more; which, and why."""


class Trouble(Exception):
    """A machine couldn't do what it was told; which, and what it says."""

    refused = False


class Inventory:
    def __init__(self, path):
        self.path = os.path.abspath(path)
        if not os.path.exists(self.path):
            raise SystemExit("rig: %s: no such inventory (`rig local` makes an inventory of namespaces)" % path)
        need_ansible()
        got = subprocess.run(
            ["ansible-inventory", "-i", self.path, "--list"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        if got.returncode:
            raise SystemExit("rig: %s: %s" % (path, got.stderr.strip()))
        self.vars = json.loads(got.stdout).get("_meta", {}).get("hostvars", {})

    def check(self, names):
        for n in names:
            if n not in self.vars:
                raise SystemExit(
                    "rig: %s: no host '%s'; known: %s" % (self.path, n, ", ".join(sorted(self.vars)) or "none")
                )
            if "rig_interface" not in self.vars[n]:
                raise SystemExit(
                    "rig: %s: host '%s' has no variable 'rig_interface': the interface to the network "
                    "of members and servers" % (self.path, n)
                )
            if len(self.interface(n)) > 11:
                raise SystemExit("rig: %s: host '%s': the interface's name is too long for a label" % (self.path, n))

    def interface(self, name):
        return self.vars[name]["rig_interface"]

    def dir(self, name):
        return self.vars[name].get("rig_dir", DIR)

    def ssh(self, name, command):
        v = self.vars[name]
        argv = [
            "ssh",
            "-T",
            "-o",
            "BatchMode=yes",
            "-o",
            "ConnectTimeout=10",
            "-o",
            "ServerAliveInterval=5",
            "-o",
            "ServerAliveCountMax=3",
        ]
        argv += shlex.split(v.get("ansible_ssh_common_args", "")) + shlex.split(v.get("ansible_ssh_extra_args", ""))
        for key, option in (("ansible_port", "-p"), ("ansible_user", "-l"), ("ansible_ssh_private_key_file", "-i")):
            if key in v:
                argv += [option, os.path.expanduser(str(v[key]))]
        return argv + [str(v.get("ansible_host", name)), ("sudo -n " if v.get("rig_become") else "exec ") + command]


def need_ansible():
    if not shutil.which("ansible-playbook"):
        raise SystemExit("rig: ansible-playbook is missing: apt-get install ansible-core openssh-client")


def end_connections(folder):
    """The shared connections end, and @folder goes. A connection that does not answer ends by itself after 10 s."""
    for path in glob.glob(folder + "/cp/*"):
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                ["ssh", "-o", "ControlPath=" + path, "-O", "exit", "machine"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=5,
            )
    shutil.rmtree(folder, True)


def environment():
    """The environment of Ansible's programs. The programs leave nothing in the home of the user.

    The tasks of a run share a connection to each machine: a new connection for each task costs a quarter of the
    processor time. A connection ends with the rig, or 10 s after a rig that was killed."""
    global _home
    if _home is None:
        _home = tempfile.mkdtemp(prefix="tern-rig.")
        atexit.register(end_connections, _home)
    return dict(
        os.environ,
        ANSIBLE_HOME=_home,
        ANSIBLE_LOCAL_TEMP=_home + "/tmp",
        ANSIBLE_REMOTE_TMP=REMOTE_TMP,
        ANSIBLE_SSH_ARGS="-o ControlMaster=%s -o ControlPersist=10" % ("auto" if len(_home) <= HOME_MAX else "no"),
        ANSIBLE_SSH_CONTROL_PATH_DIR=_home + "/cp",
        ANSIBLE_HOST_KEY_CHECKING="False",
        ANSIBLE_NOCOWS="1",
        ANSIBLE_PIPELINING="True",
        ANSIBLE_RETRY_FILES_ENABLED="False",
        ANSIBLE_PYTHON_INTERPRETER="/usr/bin/python3",
        ANSIBLE_DEPRECATION_WARNINGS="False",
        ANSIBLE_LOCALHOST_WARNING="False",
        LC_ALL="C.UTF-8",
        ANSIBLE_DISPLAY_SKIPPED_HOSTS="False",
    )


def playbook(inventory, name, hosts, variables=None):
    """Returns: (exit status, {host: {"changed": n, "unreachable": n, "failures": n, ...}}, what was said)."""
    books = os.path.join(HERE, "playbooks")
    env = dict(environment(), ANSIBLE_STDOUT_CALLBACK="rig", ANSIBLE_CALLBACK_PLUGINS=os.path.join(books, "callback"))
    got = subprocess.run(
        [
            "ansible-playbook",
            "-i",
            inventory.path,
            "--limit",
            ",".join(hosts),
            "-f",
            str(max(len(hosts), 1)),
            "-e",
            json.dumps(variables or {}),
            os.path.join(books, name + ".yml"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        stdin=subprocess.DEVNULL,
    )
    try:
        told = json.loads(got.stdout.strip().split("\n")[-1])
    except ValueError:
        return got.returncode, {}, (got.stdout + got.stderr)[-2000:]
    return got.returncode, told["hosts"], "\n".join(told["said"])


class Channel:
    """The connection to the agent of one machine. Events go to @events as (name, {...})."""

    def __init__(self, inventory, name, events):
        self.name, self.events = name, events
        self.pending, self.number, self.lock = {}, 0, threading.Lock()
        self.gone = None
        home = inventory.dir(name)
        self.proc = subprocess.Popen(
            inventory.ssh(
                name,
                "%s -B %s/lib/agent.py serve %s"
                % (
                    inventory.vars[name].get("ansible_python_interpreter", "python3"),
                    shlex.quote(home),
                    shlex.quote(home),
                ),
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        try:
            self.about = self.ask("hello", limit_s=40)  # it may have to end one that was cut off
            self.measure_clock()
        except BaseException:
            self.close()
            raise
        threading.Thread(target=self.stay, daemon=True).start()

    def stay(self):
        """Say every few seconds that we are there: an agent that hears nothing ends."""
        while not self.gone:
            with self.lock:
                self.write({"do": "alive"})
            waits.pause(5)

    def read(self):
        for line in self.proc.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if "event" in message:
                self.events.put((self.name, message))
            else:
                with self.lock:
                    box = self.pending.pop(message["id"], None)
                if box:
                    box.put(message)
        said = self.proc.stderr.read().strip()
        with self.lock:
            self.gone = "the connection has ended" + (": " + said[-300:] if said else "")
            boxes, self.pending = list(self.pending.values()), {}
        for box in boxes:
            box.put(None)
        self.events.put((self.name, {"event": "gone"}))

    def tell(self, what, **args):
        """Returns: a box for the answer (take)."""
        box = queue.Queue()
        with self.lock:
            if self.gone:
                raise Gone("%s: %s" % (self.name, self.gone))
            self.number += 1
            self.pending[self.number] = box
            self.write(dict(args, id=self.number, do=what))
        return box

    def write(self, message):
        try:
            self.proc.stdin.write(json.dumps(message) + "\n")
            self.proc.stdin.flush()
        except (OSError, ValueError):
            pass  # the reader tells; ValueError: close() was quicker

    def take(self, box, what, limit_s):
        try:
            got = box.get(timeout=limit_s)
        except queue.Empty:
            raise Gone("%s: no answer to '%s' for %d s" % (self.name, what, limit_s))
        if got is None:
            raise Gone("%s: %s" % (self.name, self.gone))
        if "error" in got:
            t = Trouble("%s: %s: %s" % (self.name, what, got["error"].strip()))
            t.refused = got.get("refused", False)
            raise t
        return got

    def ask(self, what, limit_s=60, **args):
        return self.take(self.tell(what, **args), what, limit_s)

    def measure_clock(self):
        """How far its clock is ahead of ours, by the question that was answered quickest: known to half its way."""
        best = None
        for _ in range(8):
            before = time.time()
            theirs = self.ask("time", limit_s=20)["time"]
            after = time.time()
            if best is None or after - before < best[0]:
                best = (after - before, theirs - (before + after) / 2)
        self.rtt_s, self.offset_s = best

    def close(self):
        try:
            self.proc.stdin.close()
        except OSError:
            pass
        try:
            self.proc.wait(20)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait()
        self.reader.join(5)


def bundle(path, more):
    """The files that every machine gets, as a tar that is the same whenever they are. @more: {name: path}, beside
    ours"""
    files = {
        "lib/agent.py": os.path.join(HERE, "agent.py"),
        "lib/expect.py": os.path.join(HERE, "expect.py"),
        "lib/measure.py": os.path.join(HERE, "measure.py"),
        "lib/daemons.py": os.path.join(LIB, "daemons.py"),
        "lib/ports.py": os.path.join(LIB, "ports.py"),
        "lib/waits.py": os.path.join(LIB, "waits.py"),
    }
    files.update(more)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name in sorted({os.path.dirname(n) for n in files} - {""}):
            at = tarfile.TarInfo(name)
            at.type, at.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(at)
        for name, source in sorted(files.items()):
            at = tarfile.TarInfo(name)
            with open(source, "rb") as f:
                data = f.read()
            at.size, at.mode = len(data), 0o755 if name.startswith("bin/") else 0o644
            tar.addfile(at, io.BytesIO(data))
    if not os.path.exists(path) or open(path, "rb").read() != out.getvalue():
        with open(path, "wb") as f:
            f.write(out.getvalue())


def blocks(first, count):
    """The addresses from @first on as prefixes."""
    last = ipaddress.ip_address(first) + count - 1
    return [str(n) for n in ipaddress.summarize_address_range(ipaddress.ip_address(first), last)]


def unpack(text, folder):
    import base64

    os.makedirs(folder, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(text)), mode="r:gz") as tar:
        for m in tar:
            if m.isfile() and not m.name.startswith("/") and ".." not in m.name.split("/"):
                tar.extract(m, folder)
