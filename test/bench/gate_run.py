# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of one set-up of the gate: ternd under valgrind, with members that the run plays by hand.

    gate_run.py SET-UP work|start-up      prints the figures of the run as JSON

The members work in lock-step. A member sends one burst. The run waits until the members hold the routes
of the burst and the daemon is quiet. The loop of the daemon finds the same work in the same turns in each
run, and the numbers of system calls and wake-ups are exact.

The daemon is quiet if no socket holds octets, every thread sleeps, and no thread ran between two looks.
"""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))
from harness import (  # noqa: E402
    UPDATE,
    Daemon,
    Failed,
    Peer,
    attribute,
    check,
    end,
    equal,
    free_port,
    message,
    nlri,
    settled,
    spawn,
    spread,
    temp_dir,
)

MEMBERS = 8
BURSTS = 6  # per member
SETS = 8  # attribute sets per burst; each set has an UPDATE
SET_ROUTES = 5
BURST_ROUTES = SETS * SET_ROUTES
ROUTES = MEMBERS * BURSTS * BURST_ROUTES
QUIET_CHANGES = 20
FLAPS = 200
RELOADS = 2
LIMIT_S = 100
# The C library reads the clock without a system call; valgrind turns each reading into a call. Chance decides whether
# liburcu's thread sleeps when the loop has work for that thread, and from whom the C library gets memory.
NOT_COUNTED = {"clock_gettime", "gettimeofday", "futex", "sched_yield", "mmap", "munmap", "mprotect", "madvise", "brk"}
EPOLL_WAIT = re.compile(r"epoll_p?wait \( \d+, \S+, \d+, (\d+)")  # its time in ms; without end: 2^32 - 1
ADD_PATH = b"\x45\x04\x00\x01\x01\x01"  # RFC 7911, 4: the member receives several paths of an IPv4 net


def gate_clock():
    """The library with the daemon's clock, gate_clock.c."""
    made = os.path.join(temp_dir(), "gate_clock.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gate_clock.c")
    subprocess.run(
        os.environ.get("CC", "cc").split() + ["-shared", "-fPIC", "-O2", "-D_GNU_SOURCE", "-o", made, source],
        check=True,
    )
    return made


class GateMember(Peer):
    """A member that counts the routes that the daemon sends."""

    def __init__(self, port, k, add_path):
        super().__init__(
            port, "127.0.11.%d" % (k + 1), 65001 + k, hold=0, server="127.0.10.1", caps=ADD_PATH if add_path else b""
        )
        self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.k, self.id_len = k, 4 if add_path else 0
        self.received = self.withdrawn = 0

    def count_nets(self, data):
        at = cnt = 0
        while at < len(data):
            at += self.id_len
            at += 1 + (data[at] + 7) // 8
            cnt += 1
        return cnt

    def drain(self):
        """Read the octets that are there and count their routes. Returns: whether there were octets."""
        self.s.setblocking(False)
        try:
            data = self.s.recv(1 << 20)
        except BlockingIOError:
            return False
        check(data, "the daemon has closed a session")
        self.buf += data
        while len(self.buf) >= 19:
            length, kind = struct.unpack("!HB", self.buf[16:19])
            if len(self.buf) < length:
                break
            body, self.buf = self.buf[19:length], self.buf[length:]
            if kind == UPDATE:
                gone = struct.unpack("!H", body[:2])[0]
                attrs = struct.unpack("!H", body[2 + gone : 4 + gone])[0]
                self.withdrawn += self.count_nets(body[2 : 2 + gone])
                self.received += self.count_nets(body[4 + gone + attrs :])
        return True

    def burst(self, number, nets_of):
        """The UPDATEs of a burst, in one piece. @nets_of: the member whose nets these are."""
        data = b""
        for i in range(SETS):
            serial = (nets_of * BURSTS + number) * SETS + i
            path = [self.as_number, 64500 + serial % 7, 64600 + serial % 11]
            attrs = (
                attribute(0x40, 1, b"\0")
                + attribute(0x40, 2, bytes([2, len(path)]) + b"".join(struct.pack("!I", a) for a in path))
                + attribute(0x40, 3, socket.inet_aton(self.address))
                + attribute(0xC0, 8, struct.pack("!HHHH", 64501, serial, 64502, self.k))
            )
            nets = b"".join(nlri("20.%d.%d.0/24" % divmod(serial * SET_ROUTES + j, 256)) for j in range(SET_ROUTES))
            data += message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + nets)
        self.send_all(data)

    def send_all(self, data):
        self.s.setblocking(True)
        self.s.sendall(data)

    def change(self, announce):
        """One route comes or goes."""
        self.s.setblocking(True)
        if announce:
            self.update(["30.0.%d.0/24" % self.k])
        else:
            self.withdraw(["30.0.%d.0/24" % self.k])


class SetUp:
    """A configuration and what the members do with it: `before` is done in each run, `work` is measured."""

    add_path = shared_nets = False

    def member_text(self, k, version):
        return "protocol bgp m%d from member { neighbor 127.0.11.%d as %d; }\n" % (k, k + 1, 65001 + k)

    def channel(self):
        return "import all; export all;"

    def text(self, port, version=0):
        return (
            "router id 10.0.0.1;\nthreads 1;\n"
            "template bgp member {\n\tlocal 127.0.10.1 port %d as 65000;\n\trs client;\n\tmultihop;\n\tpassive;\n"
            "\tipv4 { %s };\n}\n" % (port, self.channel())
            + "".join(self.member_text(k, version) for k in range(MEMBERS))
        )

    def before(self, run):
        pass

    def work(self, run):
        run.load()


class Multi(SetUp):
    """A table per member, and pipes between these tables and one table."""

    def member_text(self, k, version):
        return (
            "ipv4 table t%d;\nprotocol bgp m%d from member { neighbor 127.0.11.%d as %d; ipv4 { table t%d; };"
            " }\nprotocol pipe p%d { table t%d; peer table master4; export all; import where ! ((64503, %d) ~"
            " bgp_community); }\n" % (k, k, k + 1, 65001 + k, k, k, k, k)
        )


class FilterPerMember(SetUp):
    """An export filter per member, which reads communities and sets one."""

    def member_text(self, k, version):
        return (
            "filter out%d {\n\tif (64503, %d) ~ bgp_community then reject;\n\tif (64502, %d) ~ bgp_community then"
            " bgp_path.prepend(65000);\n\tbgp_community.add((65000, %d));\n\taccept;\n}\nprotocol bgp m%d from member {"
            " neighbor 127.0.11.%d as %d; ipv4 { export filter out%d; }; }\n"
            % (k, k, (k + 1) % MEMBERS, 100 + version, k, k + 1, 65001 + k, k)
        )


class Reload(FilterPerMember):
    """`configure` with changed export filters: every route is sent once more."""

    def before(self, run):
        run.load()

    def work(self, run):
        for version in range(1, RELOADS + 1):
            run.configure(version)


class Flap(SetUp):
    """One route comes and goes, while the other routes stay."""

    def before(self, run):
        run.load()

    def work(self, run):
        for i in range(FLAPS):
            run.one_change(run.members[i // 2 % MEMBERS], i % 2 == 0)


class AddPath(SetUp):
    """Two members announce each net, and the members receive all paths."""

    add_path = shared_nets = True

    def channel(self):
        return "import all; export all; add paths tx;"


SET_UPS = {
    "single": SetUp,
    "multi": Multi,
    "filter per member": FilterPerMember,
    "reload": Reload,
    "flap": Flap,
    "add-path": AddPath,
}


class Run:
    """The daemon, the members, and the places in valgrind's log between which system calls count."""

    def __init__(self, name):
        self.set_up = SET_UPS[name]()
        self.port = free_port()
        self.daemon = Daemon(self.set_up.text(self.port))
        self.calls_log = os.path.join(self.daemon.dir, "calls")
        self.counts = os.path.join(self.daemon.dir, "counts")
        self.members = []
        self.calls_read, self.last = "", {}
        self.announced = 0
        self.expected = 0  # routes that the members receive, all together

    def start(self):
        d = self.daemon
        valgrind = [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            "--trace-syscalls=yes",
            "--log-file=" + self.calls_log,
            "--cachegrind-out-file=" + self.counts,
        ]
        with open(d.err, "ab") as err:
            d.proc = spawn(
                valgrind + d.argv("-f", "--no-sandbox"),  # valgrind makes system calls of its own
                stderr=err,
                stdout=err,
                cwd=d.dir,
                env=dict(os.environ, LD_PRELOAD=gate_clock()),
            )
        d.pid = d.proc.pid
        d.wait_up(LIMIT_S)
        self.log = open(self.calls_log, errors="replace")
        # A session that the daemon refuses at first would be a session more.
        settled(self.looks, "the daemon", 0.02)
        for k in range(MEMBERS):
            m = GateMember(self.port, k, self.set_up.add_path)
            check(m.opened(), "the daemon refused a session: " + d.said())
            self.members.append(m)
        # The loop alone asks how much a socket holds; liburcu's thread alone sleeps by poll.
        self.loop, self.rcu = self.thread_with(r"ioctl \( \d+, 0x541b"), self.thread_with(r"poll \( 0x0, 0, 10 \)")
        self.settle()

    # --- lock-step ---

    def looks(self):
        """How often each thread has run so far; None: a thread runs now, or has ended meanwhile."""
        found = []
        task = "/proc/%d/task" % self.daemon.pid
        try:
            for tid in sorted(os.listdir(task), key=int):
                with open("%s/%s/stat" % (task, tid)) as f:
                    if f.read().rsplit(")", 1)[1].split()[0] != "S":
                        return None
                with open("%s/%s/status" % (task, tid)) as f:
                    found.append((tid, re.findall(r"ctxt_switches:\s+(\d+)", f.read())))
        except (FileNotFoundError, ProcessLookupError):
            return None
        return found

    def octets_wait(self):
        """Whether a socket between the daemon and a member has octets that were not read or acknowledged."""
        here = ":%04X" % self.port
        with open("/proc/net/tcp") as f:
            rows = [line.split() for line in f.readlines()[1:]]
        return any(r[3] == "01" and r[4] != "00000000:00000000" for r in rows if here in (r[1][8:], r[2][8:]))

    def settle(self):
        """Wait until the members have the routes that they are to have, and the daemon is quiet."""
        until = time.monotonic() + LIMIT_S
        before = None
        while True:
            check(
                time.monotonic() < until,
                "%d of %d routes arrived: %s" % (self.received(), self.expected, self.daemon.said()),
            )
            if any([m.drain() for m in self.members]):
                before = None
                continue
            arrived = self.received() >= self.expected and self.rests() and not self.octets_wait()
            now = self.looks() if arrived else None
            if now is None:
                spread(0.005)
            elif now == before:
                return
            before = now

    def received(self):
        return sum(m.received + m.withdrawn for m in self.members)

    # --- what set-ups do ---

    def load(self):
        """Every member announces its routes, burst by burst."""
        for number in range(BURSTS):
            for m in self.members:
                m.burst(number, m.k // 2 * 2 if self.set_up.shared_nets else m.k)
                self.announced += BURST_ROUTES
                self.expected += BURST_ROUTES * (MEMBERS - 1)
                self.settle()

    def one_change(self, m, announce):
        m.change(announce)
        self.announced += 1
        self.expected += MEMBERS - 1
        self.settle()

    def configure(self, version):
        self.daemon.write(self.set_up.text(self.port, version))
        check(self.daemon.code("configure") in (3, 4), "configure failed")
        self.announced += ROUTES
        self.expected += ROUTES * (MEMBERS - 1)
        self.settle()

    # --- results ---

    def thread_with(self, call):
        """The number in valgrind's log of the thread that makes a call most often."""
        with open(self.calls_log, errors="replace") as f:
            found = re.findall(r"^SYSCALL\[\d+,(\d+)\]\(\s*\d+\) sys_" + call, f.read(), re.M)
        check(found, "no thread calls " + call)
        return int(max(set(found), key=found.count))

    def rests(self):
        """Whether liburcu's thread waits for work, and the loop waits for sockets and for no timer within 0.1 s."""
        self.calls_read += self.log.read()
        whole, end_of_line, self.calls_read = self.calls_read.rpartition("\n")
        for number, line in re.findall(r"^SYSCALL\[\d+,(\d+)\](.*)", whole, re.M):
            self.last[int(number)] = line.rstrip()
        rcu, loop = self.last.get(self.rcu, ""), self.last.get(self.loop, "")
        wait = EPOLL_WAIT.search(loop)
        return (
            "sys_futex" in rcu
            and rcu.endswith("[async] ...")
            and wait is not None
            and loop.endswith("[async] ...")
            and int(wait.group(1)) > 100
        )

    def here(self):
        return os.path.getsize(self.calls_log)

    def calls(self, since, to):
        """({system call: times}, wake-ups) of the loop between two places of the log. The loop looks at the sockets by
        the clock, timers run by the clock, and liburcu's thread posts messages by the clock, whose wake-up byte the
        loop reads. So a wait counts if a socket of a member ended the wait."""
        with open(self.calls_log, "rb") as f:
            f.seek(since)
            text = f.read(to - since).decode(errors="replace")
        found, wakes, waits, woken = {}, 0, True, False
        for name, rest in re.findall(r"^SYSCALL\[\d+,%d\]\(\s*\d+\) (?:sys_)?(\w+|\.\.\.)(.*)" % self.loop, text, re.M):
            if name == "...":
                woken = woken or waits and "Success(0x0)" not in rest
                waits = False
            elif name in ("epoll_wait", "epoll_pwait"):
                waits, woken = EPOLL_WAIT.search(name + rest).group(1) != "0", False
            elif name not in NOT_COUNTED:
                wakes += woken and name != "read"
                woken = False
                if name != "read":
                    found[name] = found.get(name, 0) + 1
        return found, wakes

    def instructions(self):
        """{function: user-space instructions} of the whole run."""
        found, name = {}, ""
        with open(self.counts, errors="replace") as f:
            for line in f:
                if line.startswith("fn="):
                    name = re.sub(r"\.(constprop|isra|part|lto_priv|cold)\b[.\d]*", "", line[3:].strip())
                elif line[0].isdigit():
                    found[name] = found.get(name, 0) + int(line.split()[1])
        return found


def measure(name, with_work):
    """Returns: the figures of one run. Without work the run is the start-up that is subtracted."""
    run = Run(name)
    run.start()
    run.set_up.before(run)
    announced, received = run.announced, run.received()
    begin = run.here()
    if with_work:
        run.set_up.work(run)
    worked = run.here()
    announced, received = run.announced - announced, run.received() - received
    for i in range(QUIET_CHANGES):
        run.one_change(run.members[i // 2 % MEMBERS], i % 2 == 0)
    quiet = run.here()
    equal(run.received(), run.expected, "routes that members received")
    # The daemon has no part in its end: what a daemon that is asked to end does depends on which session ends first.
    equal(end(run.daemon.proc, signal.SIGALRM, LIMIT_S), -signal.SIGALRM, "how the daemon ended")
    work_calls, _ = run.calls(begin, worked)
    quiet_calls, wakes = run.calls(worked, quiet)
    return {
        "announced": announced,
        "received": received,
        "calls": work_calls,
        "quiet_calls": quiet_calls,
        "wake_ups": wakes,
        "functions": run.instructions(),
    }


if __name__ == "__main__":
    json.dump(measure(sys.argv[1], sys.argv[2] == "work"), sys.stdout)
