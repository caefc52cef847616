# SPDX-License-Identifier: GPL-3.0-or-later
"""An agent measures these figures: CPU and memory of a daemon with its children, what an interface has carried, and how
many nets a member has."""
import os
import re
import signal
import socket
import threading
import time

DESCENDANTS_S = 1.0  # looking for them costs some ms


def descendants(pid):
    """@pid and all that it started"""
    parent = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as f:
                    parent[int(name)] = int(f.read().rsplit(") ", 1)[1].split()[1])
            except (OSError, IndexError):
                pass
    found = {pid} & set(parent)
    while True:
        more = {p for p, of in parent.items() if of in found} - found
        if not more:
            return found
        found |= more


def memory(pid):
    """(resident kB now, at most)"""
    try:
        with open("/proc/%d/status" % pid) as f:
            text = f.read()
    except OSError:
        return 0, 0
    return tuple(int((re.search(key + r":\s+(\d+)", text) or [0, 0])[1]) for key in ("VmRSS", "VmHWM"))


def cpu_of(pid):
    """Seconds of all threads, to the nanosecond; by the number of the clock of a process (clock_getcpuclockid)."""
    try:
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:
        return 0  # it has just ended


def machine_busy():
    with open("/proc/stat") as f:
        t = [int(w) for w in f.readline().split()[1:9]]
    return (sum(t) - t[3] - t[4]) / os.sysconf("SC_CLK_TCK")


def octets(interface):
    out = []
    for way in ("rx_bytes", "tx_bytes"):
        try:
            with open("/sys/class/net/%s/statistics/%s" % (interface, way)) as f:
                out.append(int(f.read()))
        except OSError:
            out.append(0)
    return out


class Sampler(threading.Thread):
    """CPU and memory of a process with its children, the machine's, and octets, every so often."""

    HEAD = ["at", "cpu_s", "rss_kb", "peak_kb", "busy_s", "rx_octets", "tx_octets"]

    def __init__(self, pid, every_s, interface, path, most_mb=None):
        """@most_mb: who takes more is killed."""
        super().__init__(daemon=True)
        self.pid, self.every_s, self.interface, self.path = pid, every_s, interface, path
        self.most_mb, self.over = most_mb, False
        self.rows = []
        self.looked, self.all_of = 0, ()
        self.end = threading.Event()

    def take(self):
        now = time.time()
        if now >= self.looked + DESCENDANTS_S:
            self.looked, self.all_of = now, descendants(self.pid)
        mem = [memory(p) for p in self.all_of]
        if self.most_mb and sum(m[0] for m in mem) > self.most_mb * 1024 and not self.over:
            self.over = True
            for p in self.all_of:
                try:
                    os.kill(p, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.rows.append([now, sum(cpu_of(p) for p in self.all_of), sum(m[0] for m in mem), sum(m[1] for m in mem),
                          machine_busy()] + octets(self.interface))

    def run(self):
        while not self.end.wait(self.every_s):
            self.take()

    def finish(self):
        self.end.set()
        self.join(5)
        with open(self.path, "w") as f:
            f.write(",".join(self.HEAD) + "\n")
            for r in self.rows:
                f.write(",".join("%.4f" % v if isinstance(v, float) else str(v) for v in r) + "\n")


class Control:
    """The control socket of bird2 and tern."""

    LAST = re.compile(rb"(?:^|\n)\d{4} [^\n]*\n$")

    def __init__(self, path, limit_s=600):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(limit_s)
        self.s.connect(path)
        self.read()

    def read(self):
        got = [b""]
        while not self.LAST.search(got[-1][-4096:] if len(got[-1]) > 4096 else b"".join(got[-2:])[-4096:]):
            more = self.s.recv(1 << 20)
            if not more:
                raise OSError("the control socket was closed")
            got.append(more)
        return b"".join(got).decode(errors="replace")

    def ask(self, text):
        self.s.sendall(text.encode() + b"\n")
        return self.read()


class Counter(threading.Thread):
    """Asks a member by `show route count` how many nets it has, again and again."""

    def __init__(self, path, every_s, out):
        super().__init__(daemon=True)
        self.control, self.every_s, self.path = Control(path), every_s, out
        self.points = []
        self.end = threading.Event()

    def run(self):
        try:
            while not self.end.is_set():
                m = re.search(r"(\d+) of \d+ routes for", self.control.ask("show route count"))
                n = int(m.group(1)) if m else 0
                if not self.points or self.points[-1][1] != n:
                    self.points.append((time.time(), n))
                self.end.wait(self.every_s)
        except OSError:
            pass

    def finish(self):
        self.end.set()
        self.join(5)
        with open(self.path, "w") as f:
            f.write("at,nets\n" + "".join("%.4f,%d\n" % p for p in self.points))
