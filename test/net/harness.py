# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests of running daemons share these parts: a daemon with its folder, the control socket, a small BGP speaker
that can misbehave, ternload, and the promise that nothing stays behind.

A test is a script that uses `case()` for each thing that it shows and ends with `done()`.
Environment: TERN_BUILDDIR, TERN_SRCDIR; TERN_DAEMON=bird2 runs the daemon bird instead of
ternd, to try the tests themselves; TERN_SOAK=1 asks for the long form; TERN_BIRD: another bird than
the one that is installed; TERN_VIRTUAL=1: ternd runs in virtual time (virtual.py), as most scripts ask for.
"""

import atexit
import contextlib
import ctypes
import fcntl
import glob
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import virtual  # noqa: E402
import waits  # noqa: E402
from ports import first_free  # noqa: E402
from virtual import NotVirtual  # noqa: E402
from waits import Failed, happens, passes, settled, spread, stays  # noqa: E402, F401

VIRTUAL = virtual.world is not None

BUILD = os.path.abspath(os.environ.get("TERN_BUILDDIR", "."))
SRC = os.path.abspath(os.environ.get("TERN_SRCDIR", "."))
KIND = os.environ.get("TERN_DAEMON", "ternd")
BIRD = os.environ.get("TERN_BIRD") or shutil.which("bird") or "/usr/sbin/bird"
SOAK = os.environ.get("TERN_SOAK", os.environ.get("SOAK", "")) not in ("", "0")
SEED = int(os.environ.get("TERN_SEED", "1"))
PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)
_procs = []
_failed = []
_ran = []
_real = []
_only = json.loads(os.environ.get("TERN_ONLY", "[]"))


def note(text):
    print(text, flush=True)


def check(ok, what):
    if not ok:
        raise Failed(what)


def equal(got, want, what):
    if got != want:
        raise Failed("%s: got %r, want %r" % (what, got, want))


class LeftOut(SystemExit):
    """Ends the test with 77; in a case, the others go on."""

    def __init__(self, why):
        super().__init__(77)
        self.why = why
        note(why)


def cannot_here(why):
    """Left out for a reason that no package could mend; ./check forgives that alone."""
    raise LeftOut("cannot here: " + why)


def needs(package):
    raise LeftOut("needs %s: apt-get install %s" % (package, package))


def case(what, fn, *args):
    """Run one case; the others run also if it fails. TERN_CASE: a pattern of the cases to run;
    TERN_CASE_NOT: a pattern of the cases to leave out."""
    left_out = os.environ.get("TERN_CASE_NOT")
    if not re.search(os.environ.get("TERN_CASE", ""), what) or (_only and what not in _only):
        return
    if left_out and re.search(left_out, what):
        return
    _ran.append(what)
    began, before = time.monotonic(), list(_procs)
    try:
        fn(*args)
        note("ok   %s (%.1f s%s)" % (what, time.monotonic() - began, " of virtual time" if VIRTUAL else ""))
    except NotVirtual as e:
        _leave_to_real(what, before, e)
    except LeftOut as e:
        note("skip %s (%s)" % (what, e.why))
    except OSError as e:
        if VIRTUAL and str(e.filename).startswith("/proc/"):
            _leave_to_real(what, before, e)
            return
        _has_failed(what, before, e)
    except (Failed, subprocess.SubprocessError, ValueError, LookupError, AttributeError, TypeError) as e:
        _has_failed(what, before, e)


def _end_new(before):
    for p in [p for p in _procs if p not in before]:  # or the next case would find its ports taken
        end(p, signal.SIGKILL)


def _has_failed(what, before, e):
    _failed.append(what)
    note("FAIL %s: %s" % (what, e if isinstance(e, Failed) else repr(e)))
    if VIRTUAL:
        note(virtual.replay())
    _end_new(before)


def _leave_to_real(what, before, e):
    note("real %s (%s)" % (what, e))
    _real.append(what)
    _end_new(before)


def real_case(what, fn, *args):
    """A case that is about the real machine: its memory, threads, processes, kernel."""

    def asked():
        if VIRTUAL:
            raise NotVirtual("about the real machine")
        fn(*args)

    case(what, asked)


def real_world(why):
    """Run the whole test in real time, unless it runs there."""
    if VIRTUAL:
        note("real time: %s" % why)
        _end_all()
        os.environ["TERN_VIRTUAL"] = "0"
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "-B"] + sys.argv)


def real_if_long():
    """The long form of a test is about load: the whole test runs in real time."""
    if SOAK:
        real_world("the long form is about load")


# What to do with a script that runs no case in virtual time.
LISTED = "test/net/real.list names scripts that run in real time"


def _unexpected(kind, value, trace, before=sys.excepthook):
    if kind is NotVirtual:
        note("FAIL: no case can run in virtual time (%s); %s" % (value, LISTED))
    before(kind, value, trace)


sys.excepthook = _unexpected


def _run_real():
    """The cases that were left to the real world. Returns: an exit status."""
    if not _real:
        return 0
    env = dict(os.environ, TERN_VIRTUAL="0", TERN_ONLY=json.dumps(_real))
    return subprocess.call([sys.executable, "-B"] + sys.argv, env=env)


def bird_case(what, fn, *args):
    """A case that runs bird2 beside: left out, and said so, where that isn't there."""

    def asked():
        if VIRTUAL:
            raise NotVirtual("bird2")
        if not shutil.which(BIRD):
            needs("bird2")
        fn(*args)

    case(what, asked)


def done():
    _end_all()
    if VIRTUAL and _real == _ran and "TERN_CASE" not in os.environ:
        _failed.append("no case runs in virtual time; " + LISTED)
    bad = _run_real()
    if _failed:
        note("%d failed: %s" % (len(_failed), ", ".join(_failed)))
    if not _ran:
        note("no case has run: TERN_CASE=%s" % os.environ.get("TERN_CASE", ""))
    sys.exit(1 if _failed or bad or not _ran else 0)


# --- Processes ---


def _in_child():
    os.setsid()
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def spawn(argv, **kw):
    """Start a process that ends with us. tern's programs run in the world if there is one (VIRTUAL)."""
    if VIRTUAL:
        host, words = virtual.virtual_ip.host_of(argv)
        if os.path.dirname(words[0]) != BUILD or not virtual.is_program(words):
            raise NotVirtual(os.path.basename(words[0]))
        out, err = (getattr(kw.get(k), "name", "") for k in ("stdout", "stderr"))
        p = virtual.Process(words, kw.get("cwd"), out, err, host)
        _procs.append(p)
        return p
    p = subprocess.Popen(argv, preexec_fn=_in_child, stdin=subprocess.DEVNULL, **kw)
    _procs.append(p)
    return p


def end(p, sig=signal.SIGTERM, wait_s=10):
    """End a process. Returns its exit status (negative: the signal)."""
    if p.poll() is None:
        try:
            os.kill(p.pid, sig)
            os.kill(p.pid, signal.SIGCONT)
        except ProcessLookupError:
            pass
    try:
        p.wait(wait_s)
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()
    return p.returncode


_keep = []


def temp_dir():
    d = tempfile.mkdtemp(prefix="tern-net.")
    os.chmod(d, 0o755)
    _keep.append(d)
    return d


def _end_all():
    if VIRTUAL:
        virtual.world.end()
    for p in _procs:
        if p.poll() is None:
            p.kill()
            p.wait()
    del _procs[:]
    for d in Daemon.all:
        d.kill()
    for d in _keep:
        if not os.environ.get("TERN_KEEP"):
            shutil.rmtree(d, ignore_errors=True)
    del _keep[:]


def _on_term(sig, _frame):
    # The runner ends a test that takes too long. In virtual time the seed decides what the test waits for.
    if VIRTUAL and not virtual.world.has_ended:
        note("ended by signal %d" % sig)
        note(virtual.replay())
    _end_all()
    os._exit(1)


_ports = []


_next_port = iter(range(20000, 32000, 3))


def _reserve(port):
    """Until this test ends no other one gets it. Returns: whether one has it."""
    s = socket.socket(socket.AF_UNIX)
    try:
        s.bind("\0tern-port-%d" % port)
    except OSError:
        s.close()
        return False
    _ports.append(s)
    return True


def free_port():
    """A port that nobody has, nor any test beside this one until this one ends, also before it is bound."""
    if VIRTUAL:  # the world has no other tests
        return next(_next_port)
    for _ in range(1000):
        port = first_free([random.randrange(20000, 32000)])
        if port is not None and _reserve(port):
            return port
    raise Failed("no free port")


def program(name):
    if VIRTUAL and name == "ternc":
        raise NotVirtual(name)
    path = os.path.join(BUILD, name)
    if not os.path.exists(path):
        raise Failed("%s is not built" % path)
    return path


def is_sanitized(path):
    """Which sanitizer a program is built with: '', 'address' or 'thread'."""
    with open(path, "rb") as f:
        data = f.read()
    if b"__tsan_init" in data:
        return "thread"
    return "address" if b"__asan_init" in data else ""


def _sanitized():
    """Is the daemon under test built with a sanitizer?"""
    path = os.path.join(BUILD, "ternd")
    return KIND == "ternd" and os.path.exists(path) and bool(is_sanitized(path))


SANITIZED = _sanitized()
# What a sanitizer costs in time; nothing in virtual time.
SLOW = waits.slow = 5 if SANITIZED and not VIRTUAL else 1


def size(whole, sanitized):
    """How much a test does: @whole, and @sanitized with a sanitizer. A step costs a multiple of the processor's time
    then, in virtual time as well."""
    return sanitized if SANITIZED else whole


wait_until = waits.until


def freeze(pid):
    """Stop process @pid, and wait until none of its threads runs: kill() returns before the threads stop. SIGCONT ends
    the stop."""

    def frozen():
        states = []
        for stat in glob.glob("/proc/%d/task/*/stat" % pid):
            try:
                with open(stat) as f:
                    states.append(f.read().rpartition(")")[2].split()[0])
            except OSError:  # the thread ended
                pass
        return states and not set(states) - {"T", "Z"}

    os.kill(pid, signal.SIGSTOP)
    if not virtual.world or pid not in [p.pid for p in virtual.world.daemons.values()]:
        wait_until(frozen, "process %d does not stop" % pid, every_s=0.001)


# --- The daemon ---


def daemon_argv():
    if KIND == "bird2":
        return [BIRD]
    return [program("ternd")]


class Daemon:
    """A daemon with a folder of its own."""

    all = []
    own = []  # [path] of another program than the daemon under test
    hostile = False  # the test makes system calls that the sandbox refuses

    def __init__(self, conf=None, name="rs"):
        self.dir = temp_dir()
        self.conf = os.path.join(self.dir, name + ".conf")
        self.ctl = os.path.join(self.dir, name + ".ctl")
        self.pidfile = os.path.join(self.dir, name + ".pid")
        self.err = os.path.join(self.dir, name + ".err")
        self.log = os.path.join(self.dir, "bird.log")
        self.proc = None
        self.pid = None
        self._cli = None
        if conf is not None:
            self.write(conf)
        Daemon.all.append(self)

    def write(self, conf):
        tmp = self.conf + ".new"
        with open(tmp, "w") as f:
            f.write(conf.replace("RUN", self.dir))
        os.rename(tmp, self.conf)

    def read(self):
        with open(self.conf) as f:
            return f.read()

    def argv(self, *more):
        # the state file of the machine is not a test's
        state = (
            ["--state", os.path.join(self.dir, "state")]
            if KIND == "ternd" and "--state" not in more and not self.own
            else []
        )
        return (self.own or daemon_argv()) + ["-c", self.conf, "-s", self.ctl, "-P", self.pidfile] + state + list(more)

    def start(self, *more, wait=True):
        with open(self.err, "ab") as err:
            self.proc = spawn(self.argv("-f", *more), stderr=err, stdout=err, cwd=self.dir)
        self.pid = self.proc.pid
        if wait:
            self.wait_up()
        return self

    def wait_up(self, limit_s=waits.LIMIT_S):
        def answers():
            if self.proc.poll() is not None:
                raise Failed("the daemon ended with %d: %s" % (self.proc.returncode, self.said()))
            try:
                Cli(self.ctl).close()
                return True
            except OSError:
                return False

        wait_until(answers, lambda: "the daemon to answer: " + self.said(), limit_s)

    def said(self):
        """The end of what the daemon wrote to stderr and its log."""
        text = ""
        for path in (self.err, self.log):
            if os.path.exists(path):
                with open(path, errors="replace") as f:
                    text += f.read()[-4000:]
        return text

    def whole_log(self):
        """All that it wrote to stderr and its log."""
        text = ""
        for path in (self.err, self.log):
            if os.path.exists(path):
                with open(path, errors="replace") as f:
                    text += f.read()
        return text

    def run(self, command, limit_s=60):
        """One command over a connection that is kept. Returns [(code, text), ...]."""
        if self._cli is None:
            self._cli = Cli(self.ctl)
        return self._cli.run(command, limit_s)

    def code(self, command, limit_s=60):
        return self.run(command, limit_s)[-1][0]

    def text(self, command, limit_s=60):
        return "\n".join(t for _, t in self.run(command, limit_s))

    def sessions(self):
        """{name: (state, since, info)} of the BGP protocols."""
        found = {}
        for code, line in self.run("show protocols"):
            m = re.match(r"(\S+)\s+BGP\s+\S+\s+(\S+)\s+(\S+(?: \d\d:\S+)?)\s*(.*?)\s*$", line)
            if code == 1002 and m:
                found[m.group(1)] = m.groups()[1:]
        return found

    def established(self):
        return sum(1 for s in self.sessions().values() if s[2].startswith("Established"))

    def wait_established(self, cnt, limit_s=waits.LIMIT_S):
        wait_until(
            lambda: self.established() >= cnt,
            lambda: "only %d of %d sessions: %s" % (self.established(), cnt, self.said()),
            limit_s,
            0.1,
        )

    def routes(self):
        """Number of routes and nets in all tables."""
        m = re.findall(r"(\d+) of (\d+) routes for (\d+) networks", self.text("show route count"))
        return int(m[-1][1]), int(m[-1][2])

    def filtered(self, name):
        """How often a session's import filter has refused a route; what is passed through it again counts."""
        return int(re.search(r"Import updates:\s+\d+\s+\d+\s+(\d+)", self.text("show protocols all " + name)).group(1))

    def counters(self, name, channels=None):
        """What `show protocols all` counts as received: updates and withdraws that were imported. @channels: of so
        many; None: all."""
        text = self.text("show protocols all " + name)
        return [
            sum(int(n) for n in re.findall(r"Import %s: +(\d+)" % what, text)[:channels])
            for what in ("updates", "withdraws")
        ]

    def alive(self):
        return self.proc is not None and self.proc.poll() is None

    def stats(self):
        """Resident kB, threads and open files. In virtual time: allocated kB (`show memory`)."""
        if VIRTUAL:
            memory, threads, files = self.proc.usage()
            return {"rss_kb": memory // 1024, "threads": threads, "fds": files}
        with open("/proc/%d/status" % self.pid) as f:
            text = f.read()
        return {
            "rss_kb": int(re.search(r"VmRSS:\s+(\d+)", text).group(1)),
            "threads": int(re.search(r"Threads:\s+(\d+)", text).group(1)),
            "fds": len(os.listdir("/proc/%d/fd" % self.pid)),
        }

    def threads(self):
        """[(name, what its stat file says from its state on), ...]. In virtual time no thread has a stat file."""
        if VIRTUAL:
            return [(name, []) for _, _, name in self.proc.threads()]
        found = []
        for path in glob.glob("/proc/%d/task/*/stat" % self.pid):
            try:
                with open(path) as f:
                    head, rest = f.read().rsplit(") ", 1)
            except OSError:
                continue
            found.append((head.split("(", 1)[1], rest.split()))
        return found

    def wait_served(self):
        """Until a client of the control socket is answered: those before may not be gone yet, and one more be
        refused."""

        def served():
            try:
                return self.code("show status") == 13
            except (OSError, Failed):
                self.drop_cli()
                return False

        wait_until(served, "a client to be served")

    def drop_cli(self):
        if self._cli is not None:
            self._cli.close()
            self._cli = None

    def kill(self):
        self.drop_cli()
        if self.proc is not None and self.proc.poll() is None:
            self.proc.kill()
            self.proc.wait()

    def stop(self, limit_s=30, command="down"):
        """`down`; the daemon must end with status 0 and leave no socket and no pid file."""
        check(self.alive(), "the daemon has ended: " + self.said())
        check(self.hostile or "Sandbox refused" not in self.whole_log(), "a call is missing in sandbox_calls.c")
        code = Cli(self.ctl).run(command)[-1][0]
        equal(code, 7, "reply to down")
        self.drop_cli()
        try:
            self.proc.wait(limit_s * SLOW)
        except subprocess.TimeoutExpired:
            raise Failed("the daemon does not end: " + self.said())
        equal(self.proc.returncode, 0, "exit status after down (%s)" % self.said())
        check(not os.path.exists(self.ctl), "the socket is still there")
        check(not os.path.exists(self.pidfile), "the pid file is still there")


class Bird(Daemon):
    """bird, beside ternd or on the other side, whatever is tested."""

    def __init__(self, *args, **kw):
        if VIRTUAL:
            raise NotVirtual("bird2")
        super().__init__(*args, **kw)

    def argv(self, *more):
        return [BIRD, "-c", self.conf, "-s", self.ctl, "-P", self.pidfile] + list(more)


class Cli:
    """The control socket, as raw as it is."""

    def __init__(self, path, limit_s=20):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(limit_s)
        try:
            self.s.connect(path)
            self.banner = self.s.recv(4096).decode()
        except OSError:
            self.s.close()
            raise
        self.buf, self.at = b"", 0  # what was received; the lines before @at are read
        self.code = 0

    def close(self):
        self.s.close()

    def send(self, data):
        self.s.sendall(data if isinstance(data, bytes) else data.encode())

    def line(self, limit_s=20):
        """One raw line without its end; None at the end of the connection."""
        end = self.buf.find(b"\n", self.at)
        while end < 0:
            self.s.settimeout(limit_s)
            d = self.s.recv(65536)
            if not d:
                return None
            self.buf, self.at = self.buf[self.at :] + d, 0
            end = self.buf.find(b"\n")
        line, self.at = self.buf[self.at : end], end + 1
        return line.decode(errors="replace")

    def reply(self, limit_s=60):
        """[(code, text), ...] up to the last line."""
        got = []
        while True:
            line = self.line(limit_s)
            if line is None:
                raise Failed("the connection was closed in a reply, after %r" % got[-3:])
            if line.startswith("+"):
                continue
            if line.startswith(" "):
                got.append((self.code, line[1:]))
                continue
            check(re.match(r"\d{4}[ -]", line), "no reply line: %r" % line)
            self.code = int(line[:4])
            got.append((self.code, line[5:]))
            if line[4] == " ":
                return got

    def run(self, command, limit_s=60):
        self.send(command + "\n")
        return self.reply(limit_s)

    def wait_full(self):
        """Until nothing more comes to the socket, from which nothing is read: the daemon can't write."""
        lies = [0]

        def full():
            lies.append(struct.unpack("i", fcntl.ioctl(self.s, termios.FIONREAD, b"1234"))[0])
            return lies[-1] == lies[-2] > 0

        wait_until(full, lambda: "the socket to be full: %s octets" % lies[-5:], every_s=0.2)

    def is_closed(self, limit_s=5):
        try:
            while self.line(limit_s) is not None:
                pass
            return True
        except socket.timeout:
            return False
        except OSError:
            return True


class Said:
    """A command and its answer. Who was busy for a second is named in it ("not yet", 0004): what the command says is so
    soon."""

    def __init__(self, c, command, code, text):
        """@c: a Daemon or a Cli. @code, @text: the line of the answer, besides 0004 and 0000."""
        answer = c.run(command)
        equal([line for line in answer if line[0] != 4], [(code, text), (0, "")], command)
        self.late = any(line[0] == 4 for line in answer)

    def so(self, fn, want, what):
        """What the command has brought about is so now; if it was late, soon."""
        if self.late:
            wait_until(lambda: fn() == want, lambda: "%s: %r, not %r" % (what, fn(), want))
        equal(fn(), want, what)


# --- ternload ---


def load_options(port, clients, **more):
    """Options of ternload from keywords: first_as=1 becomes --first-as 1."""
    out = ["--port", str(port), "--clients", str(clients)]
    for k, v in more.items():
        k = "--" + k.replace("_", "-")
        out += [k] if v is True else [k, str(v)]
    return out


def load_conf(options, threads=0):
    """The configuration that ternload prints for its clients."""
    text = subprocess.run(
        [program("ternload"), "--conf", "bird2", "--run-dir", "RUN"] + options,
        check=True,
        stdout=subprocess.PIPE,
        timeout=60,
    ).stdout.decode()
    if threads and KIND == "ternd":
        text = "threads %d;\n" % threads + text
    return "timeformat protocol iso long ms;\n" + text


class Load:
    """ternload, running."""

    def __init__(self, options, time_limit_s=60, steps=None):
        d = temp_dir()
        self.out_path = os.path.join(d, "load.json")
        self.err_path = os.path.join(d, "load.err")
        argv = [program("ternload")] + options + ["--time-limit", str(time_limit_s * SLOW)]
        if steps:
            argv += ["--do", steps]
        self.limit_s = time_limit_s * SLOW
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            self.proc = spawn(argv, stdout=out, stderr=err)

    def said(self):
        """What it found, and the last of its progress lines."""
        with open(self.err_path, errors="replace") as f:
            lines = f.read().splitlines(keepends=True)
        progress = [line for line in lines if "% right" in line]
        found = [line for line in lines if "% right" not in line]
        return "".join(found)[-3000:] + "".join(progress[-6:])

    def wait_hold(self, limit_s=60):
        """Wait until all steps before `hold` are done: everybody holds what he must."""

        def holds():
            check(self.proc.poll() is None, "ternload: " + self.said())
            return re.search(r"^ *[0-9.]+ s +hold ", self.said(), re.M)

        wait_until(holds, lambda: "not everything arrives: " + self.said(), limit_s)

    def finish(self):
        """Wait for the verdict. Returns (exit status, JSON)."""
        try:
            self.proc.wait(self.limit_s + 30)
        except subprocess.TimeoutExpired:
            end(self.proc)
            raise Failed("ternload does not end: " + self.said())
        with open(self.out_path) as f:
            text = f.read()
        return self.proc.returncode, json.loads(text) if text.strip() else {}

    def verdict(self, rc, result):
        """Why a run failed, in words."""
        why = [
            "%s %s" % (k, result[k]) for k in ("sessions_lost", "malformed", "missing", "extra", "wrong") if k in result
        ]
        return "ternload: status %d, %s: %s" % (rc, ", ".join(why) or "no result", self.said())

    def succeed(self):
        """The same, and every client must hold exactly what it must. Returns the JSON."""
        rc, result = self.finish()
        if rc != 0:
            raise Failed(self.verdict(rc, result))
        return result

    def stop(self):
        return end(self.proc)


def load_run(options, time_limit_s=60, steps=None):
    return Load(options, time_limit_s, steps).succeed()


# --- A small BGP speaker ---

OPEN, UPDATE, NOTIFICATION, KEEPALIVE, REFRESH = 1, 2, 3, 4, 5


def message(kind, body=b""):
    return b"\xff" * 16 + struct.pack("!HB", 19 + len(body), kind) + body


def attribute(flags, code, value):
    if len(value) > 255:
        return struct.pack("!BBH", flags | 0x10, code, len(value)) + value
    return struct.pack("!BBB", flags, code, len(value)) + value


def nlri(prefix):
    """@prefix: a text, or (path identifier, text)."""
    if isinstance(prefix, tuple):
        return struct.pack("!I", prefix[0]) + nlri(prefix[1])
    addr, length = prefix.split("/")
    length = int(length)
    return bytes([length]) + socket.inet_aton(addr)[: (length + 7) // 8]


def join_when_taken(make, what, limit_s=waits.LIMIT_S):
    """A Peer of make() with an open session; a session that is refused is tried again."""

    def joins():
        p = make()
        try:
            if p.opened():
                return p
        except OSError:
            pass
        p.s.close()
        return None

    return wait_until(joins, what, limit_s, 0.1)


class Peer:
    """One BGP session that a test plays by hand. @caps: octets of capabilities besides the usual ones."""

    def __init__(self, port, address, as_number, hold=90, server="127.0.0.1", caps=b""):
        self.as_number = as_number
        self.caps = caps
        self.address = address
        self.hold = hold
        self.port, self.server = port, server
        self.dial()

    def endpoints(self):
        """Of its connection: the family, its own end, the daemon's."""
        return socket.AF_INET, (self.address, 0), (self.server, self.port)

    def dial(self):
        self.buf = b""
        family, here, there = self.endpoints()

        def connected():
            self.s = socket.socket(family)
            self.s.settimeout(waits.LIMIT_S * SLOW)
            self.s.bind(here)
            try:
                self.s.connect(there)
                return True
            except (ConnectionRefusedError, ConnectionResetError):
                self.s.close()
                return False

        # A daemon that has just started answers on its control socket a little earlier.
        try:
            wait_until(connected, "a connection from %s to %s" % (here, there), 10)
        except Failed as e:
            raise ConnectionRefusedError(str(e)) from e

    def open_message(self):
        caps = b"\x01\x04\x00\x01\x00\x01" + b"\x02\x00" + b"\x41\x04" + struct.pack("!I", self.as_number) + self.caps
        params = struct.pack("!BB", 2, len(caps)) + caps
        as2 = self.as_number if self.as_number < 65536 else 23456
        body = struct.pack("!BHH4sB", 4, as2, self.hold, socket.inet_aton(self.address), len(params))
        return message(OPEN, body + params)

    def send(self, data):
        self.s.sendall(data)

    def receive(self, limit_s=20):
        """One message: (type, body); None: the connection has ended."""
        self.s.settimeout(limit_s * SLOW)
        while True:
            if len(self.buf) >= 19:
                length, kind = struct.unpack("!HB", self.buf[16:19])
                if len(self.buf) >= length:
                    body, self.buf = self.buf[19:length], self.buf[length:]
                    return kind, body
            try:
                d = self.s.recv(65536)
            except ConnectionResetError:
                return None
            if not d:
                return None
            self.buf += d

    def wait_for(self, kind, limit_s=20):
        """The body of the next message of a kind; others are dropped."""
        until = time.monotonic() + limit_s * SLOW
        while time.monotonic() < until:
            got = self.receive(limit_s)
            if got is None:
                return None
            if got[0] == kind:
                return got[1]
        return None

    def lying(self, kind):
        """How many messages of a kind lie in the socket; they stay there."""
        self.s.setblocking(False)
        try:
            self.buf += self.s.recv(1 << 20)
        except BlockingIOError:
            pass
        cnt, buf = 0, self.buf
        while len(buf) >= 19:
            length, k = struct.unpack("!HB", buf[16:19])
            cnt += k == kind and len(buf) >= length
            buf = buf[length:]
        return cnt

    def establish(self):
        """A daemon that has just started may listen before it knows this neighbor, and one that has just taken a new
        configuration may have to end the session that it has opened by the old one: it is dialled again."""
        tries = []

        def opens():
            if tries:
                self.s.close()
                self.dial()
            tries.append(1)
            return self.opened()

        wait_until(opens, "no OPEN or no KEEPALIVE came")
        return self

    def opened(self):
        try:
            self.send(self.open_message())
            if self.wait_for(OPEN) is None:
                return False
            self.send(message(KEEPALIVE))
            return self.wait_for(KEEPALIVE) is not None
        except (BrokenPipeError, ConnectionResetError):
            return False

    def update(self, prefixes, path=None, next_hop=None, extra=b""):
        path = [self.as_number] if path is None else path
        attrs = (
            attribute(0x40, 1, b"\0")
            + attribute(0x40, 2, bytes([2, len(path)]) + b"".join(struct.pack("!I", a) for a in path))
            + attribute(0x40, 3, socket.inet_aton(next_hop or self.address))
            + extra
        )
        body = struct.pack("!HH", 0, len(attrs)) + attrs + b"".join(nlri(p) for p in prefixes)
        self.send(message(UPDATE, body))

    def end_of_rib(self):
        """It has sent all that it has (IPv4)."""
        self.send(message(UPDATE, bytes(4)))

    def withdraw(self, prefixes):
        w = b"".join(nlri(p) for p in prefixes)
        self.send(message(UPDATE, struct.pack("!H", len(w)) + w + b"\0\0"))

    def cease(self):
        try:
            # Or it may wait for an acknowledgement, and be lost when the socket is closed with octets unread.
            self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.send(message(NOTIFICATION, b"\x06\x02"))
        except OSError:
            pass
        self.s.close()

    def reset(self):
        """Go without a word, by a TCP reset."""
        self.s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.s.close()


def member(port, n, caps=b"", hold=90):
    """A session of AS 65000 + n; a daemon that has just started answers before it knows its neighbors. @hold: 0 for a
    member that is silent for as long as the test takes: on a busy machine a loop takes longer than any hold time."""

    def joins():
        p = Peer(port, "127.0.11.%d" % n, 65000 + n, server="127.0.10.1", caps=caps, hold=hold)
        try:
            return p.establish()
        except (Failed, OSError) as e:
            p.s.close()
            failed.append(e)
            return None

    failed = []
    return wait_until(joins, lambda: "member %d: %s" % (n, failed[-1]), every_s=0.1)


def arrives():
    """What was sent has arrived. On loopback that is so at once; in the simulated world a message takes up to 50 ms."""
    if VIRTUAL:
        spread(0.1)


signal.signal(signal.SIGTERM, _on_term)
signal.signal(signal.SIGINT, _on_term)
atexit.register(_end_all)


def new_namespace():
    """The command that runs another in a network namespace of its own."""
    if VIRTUAL:
        raise NotVirtual("network namespaces")
    for tool, package in (("ip", "iproute2"), ("unshare", "util-linux")):
        if not shutil.which(tool):
            needs(package)
    for argv in (["unshare", "-n"], ["unshare", "-rn"]):
        try:
            if (
                subprocess.run(
                    argv + ["ip", "link", "add", "a0", "type", "veth", "peer", "name", "a1"],
                    timeout=20 * SLOW,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                ).returncode
                == 0
            ):
                return argv
        except subprocess.TimeoutExpired:
            pass
    cannot_here("no network namespaces with veth pairs")


def in_namespace():
    """Run the test again in a network namespace of its own, unless that has been done. The simulated world is one."""
    if VIRTUAL:
        return
    if sys.argv[1:] != ["inside"]:
        argv = new_namespace() + [sys.executable, "-B", os.path.abspath(sys.argv[0]), "inside"]
        os.execvp(argv[0], argv)


@contextlib.contextmanager
def inside(other):
    """Sockets that the block makes are in the network namespace of that process (other_namespace)."""
    if VIRTUAL:  # an address of any host can be used
        yield
        return
    with open("/proc/self/ns/net") as here, open("/proc/%d/ns/net" % other.pid) as there:
        check(ctypes.CDLL(None, use_errno=True).setns(there.fileno(), 0) == 0, "setns")
        try:
            yield
        finally:
            check(ctypes.CDLL(None, use_errno=True).setns(here.fileno(), 0) == 0, "setns")


def other_namespace():
    """One more. Returns: a process in it, which ends with the test."""
    if VIRTUAL:
        return virtual.virtual_ip.Host()
    other = spawn(["unshare", "-n", "sleep", "infinity"])
    wait_until(
        lambda: os.readlink("/proc/%d/ns/net" % other.pid) != os.readlink("/proc/self/ns/net"), "another namespace"
    )
    return other
