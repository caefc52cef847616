# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual time for session tests: the daemon runs in the simulated world of test/sim, and this program acts in that
world through a socket (test/sim/bridge.c).

    python3 -B virtual.py TEST.py [ARGUMENT]...     runs a test in virtual time; TERN_VIRTUAL=0: in real time

install() puts stand-ins for the modules socket, time, select, threading and fcntl in their place. A test that imports
these modules afterwards waits in virtual time and talks to simulated sockets. The test itself does not change.

Rules of the world:
- Virtual time stands still while a test computes. Time moves when the test waits.
- One thread of the test runs at a time. A thread gives way to the next thread when it makes a request.
- Files are real files. Programs other than ternd, ternshadow and ternload run outside the world, in real time.
- TERN_SIM_SEED chooses the order of events (1)."""

import errno
import fcntl as real_fcntl
import os
import runpy
import select as real_select
import selectors as real_selectors
import signal as real_signal
import socket as real_socket
import struct
import subprocess
import sys
import tempfile  # noqa: F401 - it must know the real modules
import termios
import threading as real_threading
import time as real_time
import types

import virtual_ip

REAL_BASE_S = 1772323200 - 1000  # test/sim/clock.c
(
    EXIT,
    SPAWN,
    SLEEP,
    SOCKET,
    BIND,
    CONNECT,
    LISTEN,
    ACCEPT,
    SEND,
    RECV,
    CLOSE,
    SETSOCKOPT,
    GETSOCKOPT,
    SHUTDOWN,
    NAME,
    POLL,
    LAUNCH,
    STATUS,
    SIGNAL,
    UNREAD,
    LINK,
    LINKS,
    CUT,
    CLOCK,
    RANDOM,
    SENDTO,
    RECVMSG,
    USAGE,
    FILES,
    THREADS,
    ROUTES,
) = range(31)
REQUEST, ANSWER = struct.Struct("=IIqqqQ"), struct.Struct("=IiqQQ")
SEED = os.environ.get("TERN_SIM_SEED", "1")


class NotVirtual(Exception):
    """What a test asks for exists in the real world only. The case runs again there (harness.py)."""


def replay():
    """How to repeat a failure. The runner knows this line, and repeats nothing (run_tests.py)."""
    script = os.path.splitext(os.path.abspath(sys.argv[0]))[0] + ".sh"
    src, build = (os.path.abspath(os.environ.get("TERN_%sDIR" % d, ".")) for d in ("SRC", "BUILD"))
    return "seed %s of the world; replay: TERN_SIM_SEED=%s TERN_SRCDIR=%s TERN_BUILDDIR=%s sh %s" % (
        SEED,
        SEED,
        src,
        build,
        script,
    )


class World:
    """The process `sim`, and who of our threads may run."""

    def __init__(self, path):
        here, there = real_socket.socketpair()
        argv = [path, "--seed", SEED, "--bridge", str(there.fileno())]
        if os.environ.get("TERN_SIM_TRACE"):
            argv.insert(1, "--trace")
        self.proc = subprocess.Popen(argv, pass_fds=[there.fileno()], stdin=subprocess.DEVNULL)
        there.close()
        self.socket = here
        self.link = here.makefile("rwb", buffering=1 << 20)
        self.now_ns = 0
        self.clock_step_ns = 0
        self.thread_cnt = 1
        self.mine = real_threading.local()
        self.mine.nr = 1
        self.turn = {1: real_threading.Semaphore(0)}
        self.box = {}
        self.lost = []
        self.has_ended = False
        self.daemons = {}
        self.read_answer()  # the start of thread 1
        self.box.clear()

    def read_answer(self):
        head = self.link.read(ANSWER.size)
        if len(head) < ANSWER.size:
            code = self.proc.wait()
            print("the simulated world has ended with %s" % code)
            print(replay(), flush=True)
            os._exit(1)
        thread, error, result, self.now_ns, length = ANSWER.unpack(head)
        self.box[thread] = result, error, self.link.read(length) if length else b""
        return thread

    def await_answer(self, me):
        """Wait for the answer to thread @me. The answer to another thread lets that thread run."""
        thread = self.read_answer()
        if thread != me:
            self.turn[thread].release()
            if me is None:
                return None
            self.turn[me].acquire()
        return self.box.pop(me)

    def ask(self, op, a=0, b=0, c=0, data=b""):
        """Returns (result, errno, octets)."""
        while self.lost and op != EXIT:
            self.request(CLOSE, self.lost.pop())
        return self.request(op, a, b, c, data)

    def request(self, op, a=0, b=0, c=0, data=b""):
        me = self.mine.nr
        self.link.write(REQUEST.pack(me, op, int(a), int(b), int(c), len(data)) + data)
        self.link.flush()
        return self.await_answer(None if op == EXIT else me)

    def call(self, op, a=0, b=0, c=0, data=b""):
        """The same; raises OSError. Returns (result, octets)."""
        result, error, out = self.ask(op, a, b, c, data)
        if result < 0:
            if error == errno.ETIMEDOUT and op in (ACCEPT, SEND, RECV, CONNECT):
                raise real_socket.timeout("timed out")
            if op == SOCKET and error == errno.EAFNOSUPPORT:
                raise NotVirtual("a socket of another kind")
            raise OSError(error, os.strerror(error))
        return result, out

    def call_link(self, host, words):
        """A change of interfaces (test/sim/link.h)."""
        result, error, _ = self.ask(LINK, host, data=b"".join(w.encode() + b"\0" for w in words))
        if result < 0:
            raise virtual_ip.Failure("%s: %s" % (" ".join(words), os.strerror(error)))

    def routes(self):
        return self.call(ROUTES)[1].decode()

    def links(self, host):
        return self.call(LINKS, host)[1].decode()

    def end(self):
        self.has_ended = True
        self.socket.close()
        try:
            self.link.close()
        except (OSError, RuntimeError):  # RuntimeError: a signal has come during a read
            pass
        try:
            self.proc.wait(20)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait()


world = None


# --- time ---


def sleep(seconds):
    world.ask(SLEEP, max(0, int(seconds * 1e9)))


def monotonic_ns():
    world.now_ns += 1000  # a loop that only reads the clock ends
    return world.now_ns


def time_ns():
    return monotonic_ns() + REAL_BASE_S * 10**9 + world.clock_step_ns


def set_calendar(step_ns):
    """The calendar clock of all daemons and of the test is @step_ns ahead of the clock that nobody sets."""
    world.call(CLOCK, step_ns - world.clock_step_ns)
    world.clock_step_ns = step_ns


def _time_module():
    m = types.ModuleType("time")
    m.__dict__.update({k: v for k, v in vars(real_time).items() if not k.startswith("__")})
    m.sleep, m.monotonic_ns, m.time_ns, m.perf_counter_ns = sleep, monotonic_ns, time_ns, monotonic_ns
    m.time = lambda: time_ns() / 1e9
    m.monotonic = m.perf_counter = lambda: monotonic_ns() / 1e9
    m.localtime = lambda s=None: real_time.localtime(m.time() if s is None else s)
    m.gmtime = lambda s=None: real_time.gmtime(m.time() if s is None else s)
    m.strftime = lambda f, t=None: real_time.strftime(f, m.localtime() if t is None else t)
    return m


# --- sockets ---


def _pack(family, address):
    if family == real_socket.AF_UNIX:
        raw = address if isinstance(address, bytes) else address.encode()
        return struct.pack("=H", family) + raw + b"\0"
    host, port = address[0], address[1]
    if family == real_socket.AF_INET:
        host = {"": "0.0.0.0", "localhost": "127.0.0.1"}.get(host, host)
        return struct.pack("=H", family) + struct.pack("!H4s8x", port, real_socket.inet_aton(host))
    host, _, zone = host.partition("%")
    scope = (
        int(zone) if zone.isdigit() else virtual_ip.index_of(zone) if zone else address[3] if len(address) > 3 else 0
    )
    host = {"": "::", "localhost": "::1"}.get(host, host)
    return (
        struct.pack("=H", family)
        + struct.pack("!HI16s", port, 0, real_socket.inet_pton(family, host))
        + struct.pack("=I", scope)
    )


def _unpack(raw):
    family = struct.unpack("=H", raw[:2])[0] if len(raw) >= 2 else 0
    if family == real_socket.AF_INET:
        port, host = struct.unpack("!H4s", raw[2:8])
        return real_socket.inet_ntoa(host), port
    if family == real_socket.AF_INET6:
        port, _, host = struct.unpack("!HI16s", raw[2:24])
        return real_socket.inet_ntop(family, host), port, 0, struct.unpack("=I", raw[24:28])[0]
    return ""


class Socket:
    """A socket of the simulated network, with the methods of socket.socket that tests use."""

    def __init__(self, family=real_socket.AF_INET, type=real_socket.SOCK_STREAM, proto=0, fileno=None):
        self.family, self.type, self.proto = family, type, proto
        self.limit = None
        self.fd = -1
        self.fd = world.call(SOCKET, family, type, proto)[0] if fileno is None else fileno

    def _ns(self):
        return -1 if self.limit is None else int(self.limit * 1e9)

    def _open(self):
        if self.fd < 0:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self.fd

    def fileno(self):
        return self.fd

    def settimeout(self, limit):
        self.limit = limit

    def gettimeout(self):
        return self.limit

    def setblocking(self, on):
        self.limit = None if on else 0.0

    def bind(self, address):
        world.call(BIND, self._open(), data=_pack(self.family, address))

    def connect(self, address):
        world.call(CONNECT, self._open(), self._ns(), data=_pack(self.family, address))

    def connect_ex(self, address):
        result, error, _ = world.ask(CONNECT, self._open(), self._ns(), data=_pack(self.family, address))
        return error if result < 0 else 0

    def listen(self, backlog=100):
        world.call(LISTEN, self._open(), backlog)

    def accept(self):
        fd, raw = world.call(ACCEPT, self._open(), self._ns())
        return Socket(self.family, self.type, self.proto, fd), _unpack(raw)

    def send(self, data, flags=0):
        return world.call(SEND, self._open(), self._ns(), data=bytes(data[:65536]))[0]

    def sendall(self, data, flags=0):
        data = memoryview(bytes(data))
        while data:
            data = data[self.send(data) :]

    def recv(self, most, flags=0):
        return world.call(RECV, self._open(), self._ns(), most, struct.pack("=i", int(flags)) if flags else b"")[1]

    def sendto(self, data, *flags_address):
        name = _pack(self.family, flags_address[-1])
        return world.call(SENDTO, self._open(), len(name), data=name + bytes(data))[0]

    def recvmsg(self, most, control=0, flags=0):
        out = world.call(RECVMSG, self._open(), self._ns(), most)[1]
        name, cmsg = struct.unpack("=II", out[:8])
        facts, at, rest = [], 0, out[8 + name : 8 + name + cmsg]
        while at < cmsg:
            size, level, kind = struct.unpack("=Qii", rest[at : at + 16])
            facts.append((level, kind, rest[at + 16 : at + size]))
            at += (size + 7) // 8 * 8
        return out[8 + name + cmsg :], facts, 0, _unpack(out[8 : 8 + name])

    def recvfrom(self, most, flags=0):
        data, _, _, address = self.recvmsg(most)
        return data, address

    def recv_into(self, buffer, most=0, flags=0):
        got = self.recv(most or len(buffer), flags)
        memoryview(buffer)[: len(got)] = got
        return len(got)

    def setsockopt(self, level, option, value, length=None):
        world.call(
            SETSOCKOPT,
            self._open(),
            level,
            option,
            struct.pack("=i", value) if isinstance(value, int) else bytes(value),
        )

    def getsockopt(self, level, option, length=0):
        raw = world.call(GETSOCKOPT, self._open(), level, option)[1]
        return raw if length else struct.unpack("=i", raw)[0]

    def shutdown(self, how):
        world.call(SHUTDOWN, self._open(), how)

    def getsockname(self):
        return _unpack(world.call(NAME, self._open(), 0)[1])

    def getpeername(self):
        return _unpack(world.call(NAME, self._open(), 1)[1])

    def detach(self):
        fd, self.fd = self.fd, -1
        return fd

    def close(self):
        if self.fd >= 0 and not world.has_ended:
            world.ask(CLOSE, self.detach())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if self.fd >= 0:
            world.lost.append(self.fd)  # to be closed before the next request


def create_connection(address, timeout=None, source_address=None):
    s = Socket(real_socket.AF_INET6 if ":" in address[0] else real_socket.AF_INET)
    s.settimeout(timeout)
    if source_address:
        s.bind(source_address)
    s.connect(address)
    return s


def create_server(address, family=real_socket.AF_INET, backlog=100, reuse_port=False, dualstack_ipv6=False):
    s = Socket(family)
    s.bind(address)
    s.listen(backlog)
    return s


def _socket_module():
    m = types.ModuleType("socket")
    m.__dict__.update({k: v for k, v in vars(real_socket).items() if not k.startswith("__")})
    m.socket, m.create_connection, m.create_server, m.if_nametoindex = (
        Socket,
        create_connection,
        create_server,
        virtual_ip.index_of,
    )
    return m


# --- select, fcntl ---


def _number(f):
    return f if isinstance(f, int) else f.fileno()


def _poll(events, limit_s):
    """@events: [(descriptor, events), ...]. Returns the same with what holds."""
    data = b"".join(struct.pack("=ihh", fd, ev, 0) for fd, ev in events)
    out = world.call(POLL, -1 if limit_s is None or limit_s < 0 else int(limit_s * 1e9), data=data)[1]
    return [struct.unpack("=ihh", out[k : k + 8]) for k in range(0, len(out), 8)]


def _select(r, w, x, limit_s=None):
    IN, OUT = real_select.POLLIN, real_select.POLLOUT
    got = _poll([(_number(f), IN) for f in r] + [(_number(f), OUT) for f in w], limit_s)
    return [f for f, g in zip(r, got) if g[2]], [f for f, g in zip(w, got[len(r) :]) if g[2]], []


class Poll:
    def __init__(self):
        self.watched = {}

    def register(self, f, events=real_select.POLLIN | real_select.POLLOUT):
        self.watched[_number(f)] = events

    modify = register

    def unregister(self, f):
        del self.watched[_number(f)]

    def poll(self, limit_ms=None):
        got = _poll(list(self.watched.items()), None if limit_ms is None else limit_ms / 1000)
        return [(fd, holds) for fd, _, holds in got if holds]


class Selector:
    """selectors.DefaultSelector."""

    def __init__(self):
        self.keys = {}

    def register(self, f, events, data=None):
        self.keys[_number(f)] = key = real_selectors.SelectorKey(f, _number(f), events, data)
        return key

    modify = register

    def unregister(self, f):
        return self.keys.pop(_number(f), None) or self.keys.pop(next(n for n, k in self.keys.items() if k.fileobj is f))

    def select(self, timeout=None):
        IN, OUT = real_select.POLLIN, real_select.POLLOUT
        READ, WRITE = real_selectors.EVENT_READ, real_selectors.EVENT_WRITE
        if not self.keys:
            sleep(timeout or 0)
            return []
        got = _poll(
            [(k.fd, (IN if k.events & READ else 0) | (OUT if k.events & WRITE else 0)) for k in self.keys.values()],
            timeout,
        )
        return [
            (
                self.keys[fd],
                (READ if holds & ~OUT else 0) & self.keys[fd].events
                | (WRITE if holds & ~IN else 0) & self.keys[fd].events,
            )
            for fd, _, holds in got
            if holds
        ]

    def get_key(self, f):
        return self.keys[_number(f)]

    def get_map(self):
        return {k.fileobj: k for k in self.keys.values()}

    def close(self):
        self.keys.clear()


def _selectors_module():
    m = types.ModuleType("selectors")
    m.__dict__.update({k: v for k, v in vars(real_selectors).items() if not k.startswith("__")})
    m.DefaultSelector = Selector
    return m


def _select_module():
    m = types.ModuleType("select")
    m.__dict__.update({k: v for k, v in vars(real_select).items() if not k.startswith("__")})
    m.select, m.poll = _select, Poll
    return m


def _ioctl(f, request, *more):
    if isinstance(f, Socket) and request == termios.FIONREAD:
        return struct.pack("i", world.call(UNREAD, f.fileno())[0])
    return real_fcntl.ioctl(f, request, *more)


def _fcntl_module():
    m = types.ModuleType("fcntl")
    m.__dict__.update({k: v for k, v in vars(real_fcntl).items() if not k.startswith("__")})
    m.ioctl = _ioctl
    return m


# --- threads ---


class Thread:
    """A thread of the test. Threads run one at a time, in the order that the world chooses."""

    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, daemon=None):
        self.target, self.args, self.kwargs = target, args, kwargs or {}
        self.name, self.daemon = name, True
        self.alive = False
        self.ident = None

    def run(self):
        if self.target:
            self.target(*self.args, **self.kwargs)

    def start(self):
        world.thread_cnt += 1
        self.ident = nr = world.thread_cnt
        world.turn[nr] = real_threading.Semaphore(0)
        self.alive = True
        real_threading.Thread(target=self._life, args=(nr,), daemon=True).start()
        world.call(SPAWN, nr)

    def _life(self, nr):
        world.mine.nr = nr
        world.turn[nr].acquire()
        world.box.pop(nr)
        try:
            self.run()
        except Exception:
            sys.excepthook(*sys.exc_info())
        finally:
            self.alive = False
            world.ask(EXIT)

    def join(self, timeout=None):
        until = None if timeout is None else monotonic_ns() + int(timeout * 1e9)
        while self.alive and (until is None or world.now_ns < until):
            sleep(0.001)

    def is_alive(self):
        return self.alive


class Event:
    def __init__(self):
        self.flag = False

    def set(self):
        self.flag = True

    def clear(self):
        self.flag = False

    def is_set(self):
        return self.flag

    def wait(self, timeout=None):
        until = None if timeout is None else monotonic_ns() + int(timeout * 1e9)
        while not self.flag and (until is None or world.now_ns < until):
            sleep(0.0005)
        return self.flag


class Lock:
    def __init__(self):
        self.owner, self.depth = None, 0

    def acquire(self, blocking=True, timeout=-1):
        until = None if timeout < 0 else monotonic_ns() + int(timeout * 1e9)
        while self.depth and not (self.again and self.owner == world.mine.nr):
            if not blocking or (until is not None and world.now_ns >= until):
                return False
            sleep(0.0002)
        self.owner, self.depth = world.mine.nr, self.depth + 1
        return True

    again = False

    def release(self):
        self.depth -= 1

    def locked(self):
        return self.depth > 0

    def __enter__(self):
        self.acquire()
        return self

    def __exit__(self, *_):
        self.release()


class RLock(Lock):
    again = True


def _threading_module():
    m = types.ModuleType("threading")
    m.__dict__.update({k: v for k, v in vars(real_threading).items() if not k.startswith("__")})
    m.Thread, m.Event, m.Lock, m.RLock = Thread, Event, Lock, RLock
    return m


# --- daemons ---


class Process:
    """A program of the world (PROGRAMS), with the methods of subprocess.Popen that tests use."""

    def __init__(self, argv, cwd=None, out="", err="", host=0):
        free = [nr for nr in range(1, 8) if nr not in world.daemons or world.daemons[nr].poll() is not None]
        if not free:
            raise OSError(errno.EAGAIN, "more than seven daemons in one world")
        self.nr, self.args, self.returncode = free[0], argv, None
        self.pid = 10**6 * self.nr + 4242
        world.daemons[self.nr] = self
        words = [cwd or os.getcwd(), out, err, os.path.basename(argv[0])] + list(argv[1:])
        world.call(LAUNCH, self.nr, host, data=b"".join(w.encode() + b"\0" for w in words))

    def _look(self, wait=0, limit_ns=-1):
        if self.returncode is None and world.has_ended:
            self.returncode = -int(real_signal.SIGKILL)
        if self.returncode is not None:
            return True
        runs, out = world.call(STATUS, self.nr, wait, limit_ns)
        if not runs:
            self.returncode = struct.unpack("=i", out)[0]
        return not runs

    def poll(self):
        self._look()
        return self.returncode

    def wait(self, timeout=None):
        if not self._look(1, -1 if timeout is None else int(timeout * 1e9)):
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self.returncode

    def send_signal(self, signo):
        if self.poll() is None:
            world.call(SIGNAL, self.nr, int(signo))

    def usage(self):
        """Octets of memory that the program has allocated, its threads and its descriptors."""
        return struct.unpack("=3Q", world.call(USAGE, self.nr)[1])

    def threads(self):
        """[(number, how often the thread has slept, name)]"""
        lines = world.call(THREADS, self.nr)[1].decode().splitlines()
        return [(int(nr), int(sleeps), name) for nr, sleeps, name in (line.split(" ", 2) for line in lines)]

    def files(self):
        """[(kind or path, (address, port) of a listener or None)] of the program's descriptors."""
        found = []
        for line in world.call(FILES, self.nr)[1].decode().splitlines():
            what, _, at = line.partition(" at ")
            found.append((what, (at.split()[0], int(at.split()[1])) if at else None))
        return found

    def kill(self):
        self.send_signal(real_signal.SIGKILL)

    def terminate(self):
        self.send_signal(real_signal.SIGTERM)


PROGRAMS = {"ternd", "ternshadow", "ternload"}
# ternload starts a program for each of these.
FORKS = {"--pair", "--then", "--reload"}


def is_program(words):
    """Whether a command runs in the world."""
    name = os.path.basename(words[0])
    return name == "ternload" and not FORKS & set(words) or name in PROGRAMS and "-f" in words


# A command with one of these prints something, and needs no daemon.
PRINTS = {"--conf", "--routes", "--version"}
OUTSIDE = {
    "ip",
    "unshare",
    "nsenter",
    "tc",
    "ss",
    "gdb",
    "strace",
    "bird",
    "birdc",
    "birdcl",
    "ternc",
    "ternload",
    "systemctl",
}


class Popen(subprocess.Popen):
    """A program beside the world: one that needs the daemon, its socket or the network is not for virtual time. ip(8)
    is for the world's own interfaces (virtual_ip.py)."""

    def __new__(cls, args, *more, **kw):
        found = virtual_ip.commands_of(args, kw.get("shell"))
        return virtual_ip.Done(args, found, kw) if found else super().__new__(cls)

    def __init__(self, args, *more, **kw):
        words = [os.fspath(w) for w in args] if not isinstance(args, (str, bytes)) else str(args).split()
        for w in words[:3] if words[0] in ("sh", "env") else words[:1]:
            if os.path.basename(w) in OUTSIDE and not PRINTS & set(words):
                raise NotVirtual(os.path.basename(w))
        if any(w.endswith(".ctl") for w in words):
            raise NotVirtual(os.path.basename(words[0]))
        super().__init__(args, *more, **kw)


def kill(pid, signo, real=os.kill):
    """os.kill, of daemons in the world, too."""
    for p in world.daemons.values():
        if p.pid == pid:
            if p.poll() is not None:
                raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
            return p.send_signal(signo)
    return real(pid, signo)


def install(path):
    """Begin a world. @path: the program sim."""
    global world
    world = World(path)
    virtual_ip.begin(world, NotVirtual)
    for name, module in (
        ("time", _time_module()),
        ("socket", _socket_module()),
        ("select", _select_module()),
        ("selectors", _selectors_module()),
        ("threading", _threading_module()),
        ("fcntl", _fcntl_module()),
    ):
        sys.modules[name] = module
    os.kill, subprocess.Popen = kill, Popen


def main():
    """Run a test as a program."""
    del sys.argv[0]
    if os.environ.get("TERN_VIRTUAL", "1") == "0" or os.environ.get("TERN_DAEMON", "ternd") != "ternd":
        os.execv(sys.executable, [sys.executable, "-B"] + sys.argv)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import virtual

    os.environ["TERN_VIRTUAL"] = "1"
    virtual.install(os.path.join(os.environ.get("TERN_BUILDDIR", "."), "test/sim/sim"))
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except Exception:
        print(virtual.replay(), flush=True)  # a failure outside the cases
        raise


if __name__ == "__main__":
    main()
