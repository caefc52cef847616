# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows about VRPs from a cache: how they are loaded, what a cache costs that restarts, and how soon members know when
VRPs have changed. The cache is our own (test/lib/rtr_cache.py) and has its answers ready, so that its time isn't
counted."""
import os
import re
import select
import signal
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "net"), os.path.join(HERE, "..", "lib")]
_signals = {s: signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGINT)}
import daemons  # noqa: E402
import harness  # noqa: E402
import rtr_cache as rtr  # noqa: E402

for _s, _handler in _signals.items():
    signal.signal(_s, _handler)  # harness has those of a test

MEMBERS, NETS, CHANGED = 100, 100000, 1000
EVENTS = 6  # of rpki-change
CONF = """
router id 10.0.0.1;
log "RUN/bird.log" { warning, error, fatal, bug };
roa4 table r4;
roa6 table r6;
protocol device {}
protocol rpki c { roa4 { table r4; }; roa6 { table r6; }; remote 127.0.0.1 port CACHE; retry keep 1; refresh keep \
3600; }
template bgp member { local 127.0.0.1 port PORT as 65000; strict bind on; passive; multihop; rs client; allow as sets;
  ipv4 { IMPORT import where roa_check(r4) != ROA_INVALID; export all; }; }
""".replace(
    "member", "rsmember"
)
# What lets each of them judge routes again without asking members for them.
KEPT = {"tern": "import keep filtered;", "bird2": "import table on;"}


def vrps(cnt):
    return ["%d.%d.%d.0/24" % (20 + i // 65536, i // 256 % 256, i % 256) for i in range(cnt)]


class Cache(rtr.Cache):
    """A cache whose answers are made before they are asked for. `blob`: all records; `news`: those since the last
    serial."""

    def __init__(self, records):
        self.blob, self.news, self.told = b"".join(records), b"", 0.0
        super().__init__(daemons.free_port(26000, 27000))
        self.version, self.lower, self.mode = 1, "answer", self.reply

    def reply(self, _cache, _version, kind, session, serial):
        if kind == rtr.SERIAL and (session != self.session or serial != self.serial - 1):
            return rtr.pdu(1, rtr.CACHE_RESET)
        records = self.news if kind == rtr.SERIAL else self.blob
        answer = rtr.pdu(1, rtr.RESPONSE, self.session) + records + self.end_of_data(1)
        self.told = time.monotonic()
        return answer


class Watched:
    """A running daemon with what it costs, and its control socket."""

    def __init__(self, run):
        self.run, self.pid = run, run.proc.pid
        self.cli = harness.Cli(os.path.join(run.dir, "ctl"))

    def cpu(self):
        """Seconds, of threads that have ended, too: the clock of the process."""
        return time.clock_gettime(~self.pid << 3 | 2)

    def status(self, field):
        with open("/proc/%d/status" % self.pid) as f:
            return int(re.search(r"%s:\s+(\d+) kB" % field, f.read()).group(1)) / 1024

    def forget_peak(self):
        with open("/proc/%d/clear_refs" % self.pid, "w") as f:
            f.write("5")

    def quiesce(self):
        last = [self.cpu()]

        def rests():
            last.append(self.cpu())
            return last[-1] - last[-2] < 0.01

        harness.spread(0.5)
        harness.wait_until(rests, "the daemon to come to rest", 120, 0.5)

    def says(self, pattern):
        """What `show protocols all c` has of it; None: nothing."""
        m = re.search(pattern, "\n".join(t for _, t in self.cli.run("show protocols all c")))
        return m and m.group(1)

    def wait(self, what, limit_s=120):
        """Until the function says so; it costs the daemon little: a command each 10 ms."""
        if not harness.happens(what, limit_s, 0.01):
            raise daemons.Failed("time is up: %s" % self.says(r"((?:.|\n)*)"))

    def imported(self):
        return int(self.says(r"Routes: +(\d+) imported") or 0)

    def moved(self):
        """Announcements and withdrawals from the cache so far, of the first channel."""
        return sum(int(self.says(r"Import %s: +(\d+)" % x)) for x in ("updates", "withdraws"))


def running(bench, daemon, cache, members=0):
    def configure(run, f, _name):
        text = CONF.replace("CACHE", str(cache.port)).replace("IMPORT", KEPT[daemon.kind_name])
        for i in range(max(members, 1)):
            text += "protocol bgp p%d from rsmember { neighbor 127.0.2.%d as %d; }\n" % (i, i + 1, 65001 + i)
        f.write(run.fill(text))

    return daemons.Running(daemon, bench.args.ports, bench.args.build, configure)


def loaded(w, cache, cnt):
    """Wait for the whole answer. Returns: seconds since it was asked for."""
    w.wait(lambda: w.imported() == cnt)
    return time.monotonic() - cache.told


def load(bench, daemon, cnt=600000):
    """A cache's first answer."""
    cache = Cache(rtr.prefix_pdu(1, (p, 24, 64512 + i % 1000)) for i, p in enumerate(vrps(cnt)))
    try:
        with running(bench, daemon, cache) as run:
            w = Watched(run)
            elapsed = loaded(w, cache, cnt)
            w.quiesce()
            return {
                "elapsed_s": elapsed,
                "cpu_s": w.cpu(),
                "peak_mb": w.status("VmHWM"),
                "settled_mb": w.status("VmRSS"),
            }
    finally:
        cache.kill()


def reset(bench, daemon, cnt=600000):
    """It restarts with another session id and the same data."""
    cache = Cache(rtr.prefix_pdu(1, (p, 24, 64512 + i % 1000)) for i, p in enumerate(vrps(cnt)))
    try:
        with running(bench, daemon, cache) as run:
            w = Watched(run)
            loaded(w, cache, cnt)
            w.quiesce()
            moved, before, settled = w.moved(), w.cpu(), w.status("VmRSS")
            w.forget_peak()
            cache.session += 1
            cache.drop()
            w.wait(
                lambda: w.says(r"Session ID: +(\d+)") == str(cache.session)
                and w.says(r"Status: +(\S+)") == "Established"
            )
            w.wait(lambda: w.imported() == cnt)
            took = time.monotonic() - cache.told
            w.quiesce()
            return {
                "event_s": took,
                "event_cpu_s": w.cpu() - before,
                "moved": w.moved() - moved,
                "settled_mb": settled,
                "peak_mb": w.status("VmHWM"),
                "peak_ratio": w.status("VmHWM") / settled,
            }
    finally:
        cache.kill()


class Members:
    """Sessions that announce nets and note what comes, and when."""

    def __init__(self, port, nets):
        self.each = len(nets) // MEMBERS
        self.peers = [harness.Peer(port, "127.0.2.%d" % (i + 1), 65001 + i, hold=0).establish() for i in range(MEMBERS)]
        self.poll = select.epoll()
        self.by_fd = {p.s.fileno(): i for i, p in enumerate(self.peers)}
        for i, p in enumerate(self.peers):
            mine = nets[i::MEMBERS]
            for at in range(0, len(mine), 500):
                p.update(mine[at : at + 500])
            p.s.setblocking(False)
            self.poll.register(p.s, select.EPOLLIN)
        self.clear()

    def clear(self):
        """Forget what has come, up to the beginning of a message."""
        self.held = [0] * MEMBERS  # prefixes announced and withdrawn since then
        self.last = 0.0

    def take(self, quiet_s):
        """Read until nothing comes for so long; then look what it was."""
        got = []
        while True:
            ready = self.poll.poll(quiet_s)
            if not ready:
                break
            for fd, _ in ready:
                p = self.peers[self.by_fd[fd]]
                try:
                    data = p.s.recv(1 << 20)
                except BlockingIOError:
                    continue
                if not data:
                    raise daemons.Failed("a session has ended")
                got.append((time.monotonic(), self.by_fd[fd], data))
        for at, i, data in got:
            self.peers[i].buf += data
            if self.look(i):
                self.last = max(self.last, at)

    def look(self, i):
        """Count what whole messages say. Returns: was there an UPDATE?"""
        buf, at, seen = self.peers[i].buf, 0, False
        while len(buf) - at >= 19 and len(buf) - at >= int.from_bytes(buf[at + 16 : at + 18], "big"):
            end = at + int.from_bytes(buf[at + 16 : at + 18], "big")
            if buf[at + 18] == harness.REFRESH:
                raise daemons.Failed("a member is asked for his routes")
            if buf[at + 18] == harness.UPDATE:
                seen = True
                withdrawn = int.from_bytes(buf[at + 19 : at + 21], "big")
                attrs = int.from_bytes(buf[at + 21 + withdrawn : at + 23 + withdrawn], "big")
                for begin, over in ((at + 21, at + 21 + withdrawn), (at + 23 + withdrawn + attrs, end)):
                    while begin < over:
                        begin += 1 + (buf[begin] + 7) // 8
                        self.held[i] += 1
            at = end
        self.peers[i].buf = buf[at:]
        return seen

    def wait(self, want, exactly=True, limit_s=120):
        """Until each has been told of so many prefixes, and nothing more comes. A first feed may repeat some."""
        until = time.monotonic() + limit_s
        while min(self.held) < want:
            self.take(0.1)
            if time.monotonic() > until:
                raise daemons.Failed(
                    "members are told of %d to %d prefixes, not %d" % (min(self.held), max(self.held), want)
                )
        self.take(0.3)
        if exactly and max(self.held) > want:
            raise daemons.Failed(
                "members are told of %d prefixes, but only %d have changed for them" % (max(self.held), want)
            )


def change(bench, daemon):
    """VRPs that make routes of all members invalid come, and go, in turn."""
    nets = vrps(NETS)
    # Net i is of member i % MEMBERS. Half of them have a VRP; of the others so many get one of another AS.
    records = [rtr.prefix_pdu(1, (p, 24, 65001 + i % MEMBERS)) for i, p in enumerate(nets) if i // MEMBERS % 2]
    step = NETS // (CHANGED // MEMBERS)
    bad = [(nets[i + m], 24, 64511) for i in range(0, NETS, step) for m in range(MEMBERS)]
    cache = Cache(records)
    try:
        with running(bench, daemon, cache, MEMBERS) as run:
            w = Watched(run)
            loaded(w, cache, len(records))
            members = Members(run.port, nets)
            members.wait(NETS - NETS // MEMBERS, exactly=False)
            w.quiesce()
            took, cpu = [], []
            for event in range(EVENTS):
                members.clear()
                before = w.cpu()
                cache.news = b"".join(rtr.prefix_pdu(1, v, event % 2 == 0) for v in bad)
                cache.serial += 1
                cache.notify()
                members.wait(len(bad) - len(bad) // MEMBERS)
                took.append(members.last - cache.told)
                w.quiesce()
                cpu.append(w.cpu() - before)
            return {
                "event_s": statistics.median(took),
                "event_cpu_s": statistics.median(cpu),
                "peak_mb": w.status("VmHWM"),
            }
    finally:
        cache.kill()
