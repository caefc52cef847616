# SPDX-License-Identifier: GPL-3.0-or-later
"""The daemons that are measured: how each starts, is configured, is told to read its configuration
anew, and ends.

ternload writes the configurations (`ternload --conf`), so that all have the same clients and
do the same; what is here is the rest. Each run has a folder of its own, RUN in what follows."""
import ctypes
import glob
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import waits  # noqa: E402
from ports import first_free  # noqa: E402


class Failed(Exception):
    """A run that gives no figures; why."""


class Refused(Failed):
    """The daemon doesn't know yet what the row asks of it; what it says."""


class Kind:
    """A sort of daemon."""

    def __init__(self, program, words, reload=None, version="--version", lenient=False, package=None,
                 limit_s=10 ** 6, unknown=False):
        self.program = program
        self.words = words
        self.reload = reload  # a shell command, run when RUN/conf.new has become RUN/conf
        self.version = version
        self.lenient = lenient
        self.unknown = unknown  # withdraws paths that it hasn't sent yet
        self.package = package
        self.limit_s = limit_s  # what takes longer is given up, so that one daemon doesn't cost all the time


# What a client gets whose own route is the best: nothing from BIRD and tern, the route itself from FRR,
# the second best from GoBGP, which also sends LOCAL_PREF. Only in the first case it is checked (lenient).
KINDS = {
    "tern": Kind(None, "-f -c RUN/conf -s RUN/ctl -P RUN/pid", "BUILD/ternc -s RUN/ctl configure"),
    "bird2": Kind("/usr/sbin/bird", "-f -c RUN/conf -s RUN/ctl -P RUN/pid", "birdc -s RUN/ctl configure",
                  package="bird2", unknown=True),
    "frr": Kind("/usr/lib/frr/bgpd",
                "-n -Z -S -f RUN/conf -i RUN/pid -l ADDRESS -p PORT -A 127.0.0.1 -P 0 --vty_socket RUN",
                "vtysh --vty_socket RUN -d bgpd -f RUN/conf && "
                "vtysh --vty_socket RUN -d bgpd -c 'clear bgp CLEAR'",
                lenient=True, package="frr"),
    "openbgpd": Kind("/usr/sbin/bgpd", "-d -f RUN/conf", "bgpctl -s RUN/bgpd.sock reload", "-V",
                     lenient=True, package="openbgpd", limit_s=600),
    "gobgp": Kind("/usr/bin/gobgpd",
                  "-f RUN/conf -l warn --pprof-disable --api-hosts 127.0.0.1:API",
                  "kill -HUP PID",
                  lenient=True, package="gobgpd", limit_s=300),
}


class Daemon:
    """One line of the tables: a kind with a name, a program and options of its own."""

    def __init__(self, name, kind, program, threads=None):
        self.name = name
        self.kind_name = kind
        self.kind = KINDS[kind]
        self.program = program
        self.threads = threads

    def version(self):
        """What the program says that it is; else what its package is."""
        got = subprocess.run([self.program, self.kind.version], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=10)
        lines = [l for l in got.stdout.splitlines() if any(c.isdigit() for c in l)]
        if got.returncode == 0 and lines:
            return lines[0].strip()
        if self.kind.package and shutil.which("dpkg-query"):
            return self.kind.package + " " + subprocess.run(
                ["dpkg-query", "-W", "-f", "${Version}", self.kind.package], stdout=subprocess.PIPE,
                text=True).stdout
        return "unknown"


def parse(spec, build):
    """NAME[:KIND][=PATH], where NAME may be tern-2: tern with `threads 2`. Returns: a Daemon, or None if
    its program isn't there."""
    name, _, path = spec.partition("=")
    name, _, kind = name.partition(":")
    threads = None
    if not kind:
        kind, _, n = name.partition("-")
        if kind == "tern" and n.isdigit():
            threads = int(n)
    if kind not in KINDS:
        raise SystemExit("bench: no daemon '%s'; known: %s" % (kind, " ".join(KINDS)))
    program = path or KINDS[kind].program or os.path.join(build, "ternd")
    program = os.path.abspath(program)
    if not os.access(program, os.X_OK):
        print("bench: %s: %s is missing, left out" % (name, program), file=sys.stderr)
        return None
    return Daemon(name, kind, program, threads)


def end_in_order():
    """Signals that end the program become exceptions, so that daemons and folders go."""
    for sig in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(sig) != signal.SIG_IGN:  # as nohup has it
            signal.signal(sig, lambda *_: sys.exit(1))


_libc = ctypes.CDLL(None)


def die_with_us():
    """For what is started: it ends when the thread that has started it ends, however that comes."""
    _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def raise_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def free_port(first, last):
    port = first_free(range(first, last))
    if port is None:
        raise Failed("no free port from %d to %d" % (first, last))
    return port


def stop(proc):
    """End a daemon and all that it started: it leads a process group of its own."""
    for sig in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(proc.pid, sig)
        except ProcessLookupError:
            pass
        try:
            proc.wait(10)
        except subprocess.TimeoutExpired:
            continue
        try:
            os.killpg(proc.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return


class Running:
    """A daemon in a folder of its own, for a `with` block. @configure: a function that writes a
    configuration, given the folder and the name of the file. @folder: one that is there and stays; None:
    one is made, and goes with the daemon. @address: where it listens, in its own words for it."""

    def __init__(self, daemon, ports, build, configure, folder=None, address="127.0.0.1"):
        self.d = daemon
        self.folder = folder
        self.address = address
        self.build = build
        self.configure = configure
        self.port = free_port(*ports)
        self.api = free_port(self.port + 1, ports[1])
        self.dir = None
        self.proc = None

    def fill(self, text):
        pid = self.proc.pid if self.proc else 0
        for word, value in (("RUN", self.dir), ("PORT", self.port), ("API", self.api),
                            ("BUILD", self.build), ("PID", pid)):
            text = text.replace(word, str(value))
        return text.replace("ADDRESS", self.address)

    def reload_command(self, clear, new="conf.new"):
        """For sh: take what configure() wrote as @new, and say so to the daemon."""
        return "cd %s && mv %s conf && %s >reload.out 2>&1" % (
            self.dir, new, "{ %s; }" % self.fill(self.d.kind.reload.replace("CLEAR", clear)))

    def write(self, name):
        path = os.path.join(self.dir, name)
        with open(path, "w") as f:
            self.configure(self, f, name)
            if self.d.threads:
                f.write("threads %d;\n" % self.d.threads)
        # openbgpd insists on a private configuration; frr drops privileges before it reads.
        os.chmod(path, 0o600 if self.d.kind_name == "openbgpd" else 0o644)

    def said(self):
        text = ""
        for path in glob.glob(self.dir + "/*.out") + glob.glob(self.dir + "/*.log"):
            with open(path, errors="replace") as f:
                text += f.read()[-800:]
        return text

    def death(self):
        """[how the daemon ended], [] if it lives"""
        try:
            code = self.proc.wait(0.5)  # its connections close a little earlier
        except subprocess.TimeoutExpired:
            return []
        return ["%s ended with %s" % (
            self.d.name, "exit status %d" % code if code >= 0 else signal.Signals(-code).name)]

    def start(self):
        with open(self.dir + "/daemon.out", "w") as out:
            self.proc = subprocess.Popen([self.d.program] + self.fill(self.d.kind.words).split(),
                                         cwd=self.dir, stdout=out, stderr=out,
                                         stdin=subprocess.DEVNULL, start_new_session=True,
                                         preexec_fn=die_with_us)

        def serves():
            if self.proc.poll() is not None:
                said = self.said()
                for line in said.split("\n"):
                    if "is not supported yet" in line:
                        raise Refused(line.split(" ", 1)[1])
                raise Failed("%s: %s" % (self.death()[0], said))
            return listens(self.port)

        if not waits.happens(serves):
            raise Failed("%s doesn't listen: %s" % (self.d.name, self.said()))

    def __enter__(self):
        self.dir = self.folder or tempfile.mkdtemp(prefix="tern-bench.")
        os.chmod(self.dir, 0o755)
        try:
            if self.d.kind_name == "openbgpd":
                os.makedirs("/run/openbgpd", exist_ok=True)  # the folder that it changes root to
            self.write("conf")
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # Who presses Ctrl-C a second time still leaves nothing behind.
        old = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            if self.proc:
                stop(self.proc)
            if not self.folder:
                shutil.rmtree(self.dir, ignore_errors=True)
        finally:
            signal.signal(signal.SIGINT, old)


def listens(port):
    """Does somebody listen on the port? Read from the system: a connection would be one more client."""
    want = ":%04X" % port
    for path in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(path) as f:
                for line in f:
                    words = line.split()
                    if len(words) > 3 and words[1].endswith(want) and words[3] == "0A":
                        return True
        except OSError:
            pass
    return False
