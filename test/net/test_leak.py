# SPDX-License-Identifier: GPL-3.0-or-later
"""A member leaks all that it has, and comes again and again, with each limit and each action: the others' changes are
as quick as before, memory is bounded and comes back, the log has a line a crossing and not one a route."""

from harness import *
import functools
import threading

real_if_long()

if KIND != "ternd":
    cannot_here("this is about ternd")

LEAK = 1000000 if SOAK else size(300000, 100000)
TURNS = 3
SAMPLES = 100 if SOAK else size(60, 30)
CONF = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp t { local 127.0.18.1 port %d as 65000; strict bind on; passive; multihop; rs client; hold time 180;
  error wait time 1, 1; ipv4 { import where net !~ [ 160.0.0.0/4+ ]; export all; %s }; }
"""


def conf(port, channel):
    text = CONF % (port, channel)
    for k in range(1, 6):
        text += "protocol bgp p%d from t { neighbor 127.0.19.%d as %d; %s }\n" % (
            k,
            k,
            65000 + k,
            "ipv4 { export where net ~ [ 21.0.0.0/8+ ]; };" if k == 2 else "",
        )
    return text


def peer(port, k):
    return Peer(port, "127.0.19.%d" % k, 65000 + k, hold=180, server="127.0.18.1").establish()


def drained(p):
    """@p, with somebody who reads what it is told, and forgets it."""

    def drain():
        try:
            while p.s.recv(1 << 20):
                pass
        except OSError:
            pass

    threading.Thread(target=drain, daemon=True).start()
    return p


class Probe:
    """How long it takes until what one member announces is told to another."""

    def __init__(self, port):
        self.a, self.b, self.cnt, self.all = drained(peer(port, 1)), peer(port, 2), 0, []
        self.a.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.b.wait_for(UPDATE)  # End-of-RIB

    def once(self):
        self.cnt += 1
        net = "21.%d.%d.0/24" % (self.cnt >> 8 & 255, self.cnt & 255)
        began = time.monotonic()
        self.a.update([net])
        while True:
            body = self.b.wait_for(UPDATE)
            check(body is not None, "a member that does nothing wrong was told to go")
            if body.endswith(nlri(net)):
                break
        self.all.append(time.monotonic() - began)
        spread(0.005)

    def p95(self):
        """Of what was measured since the last call, in ms."""
        found, self.all = sorted(self.all), []
        return 1000 * found[int(len(found) * 0.95)], len(found)


@functools.cache
def all_routes(first):
    """A feed of networks from FIRST.0.0.0/24 on."""
    attrs = (
        attribute(0x40, 1, b"\0")
        + attribute(0x40, 2, b"\2\1" + struct.pack("!I", 65003))
        + attribute(0x40, 3, b"\x7f\0\x13\3")
    )
    head = struct.pack("!HH", 0, len(attrs)) + attrs
    nets = [b"\x18" + struct.pack("!I", (first << 16) + n)[1:] for n in range(LEAK)]
    return b"".join(message(UPDATE, head + b"".join(nets[i : i + 900])) for i in range(0, LEAK, 900))


class Leaker:
    """A member that announces all that it has, and comes again. Runs beside the probe."""

    def __init__(self, d, port, first, ends):
        self.d, self.port, self.feed, self.ends = d, port, all_routes(first), ends
        self.highest, self.error = 0, None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def ask(self, command):
        """Over a connection of its own."""
        c = Cli(self.d.ctl)
        text = "\n".join(t for _, t in c.run(command))
        c.close()
        return text

    def run(self):
        try:
            for _ in range(TURNS):
                self.turn()
        except (Failed, OSError) as e:
            self.error = e

    def turn(self):
        p = peer(self.port, 3)
        try:
            p.send(self.feed)
        except OSError:
            check(self.ends, "the session of the leaker ended")
        if self.ends:
            body = p.wait_for(NOTIFICATION)
            check(body is None or body[:2] == b"\6\1", "the leaker is told %r" % body)
        else:
            wait_until(
                lambda: re.search(r"Import updates: +%d " % LEAK, self.ask("show protocols all p3")), "all is read", 120
            )
        self.highest = max(self.highest, self.d.stats()["rss_kb"])
        p.reset()
        wait_until(
            lambda: re.search(r"p3 .* start .*", self.ask("show protocols p3")) or self.ends, "the end of the session"
        )
        if self.ends:  # it may come again when its time is over, or somebody enables it
            self.ask("enable p3")


def leak(channel, first, ends):
    port = free_port()
    d = Daemon(conf(port, channel)).start()
    probe, others = Probe(port), [drained(peer(port, k)) for k in (4, 5)]
    others[0].update(["20.0.%d.0/24" % k for k in range(200)])
    wait_until(lambda: d.routes()[1] >= 200, "routes")
    while len(probe.all) < SAMPLES:
        probe.once()
    (idle, _), before = probe.p95(), d.stats()["rss_kb"]
    leaker = Leaker(d, port, first, ends)
    probe.once()  # the leaker may end before the first look at its thread
    while leaker.thread.is_alive():
        probe.once()
    check(not leaker.error, "%r" % leaker.error)
    busy, cnt = probe.p95()
    ended = time.monotonic()
    wait_until(lambda: d.routes()[1] == 200 + probe.cnt, "only the routes of others stay")
    if not is_sanitized(program("ternd")):  # which keep what is freed for a while
        # A net that stays keeps the memory of the 4,096 that were made with it: 32 octets each.
        stays = before + (leaker.highest - before) // 4 + 4096 + min(probe.cnt, LEAK // 4096) * 132
        wait_until(
            lambda: d.stats()["rss_kb"] < stays,
            lambda: "%d kB before, %d kB with it, %d kB after" % (before, leaker.highest, d.stats()["rss_kb"]),
        )
    note(
        "     p95 %.1f ms idle, %.1f ms of %d with the leak; %d kB, at most %d kB, %.1f s later %d kB"
        % (idle, busy, cnt, before, leaker.highest, time.monotonic() - ended, d.stats()["rss_kb"])
    )
    equal(d.established(), 4, "sessions of others")
    hits = [line for line in d.whole_log().split("\n") if " hits route " in line]
    check(
        ("limit" in channel) <= len(hits) <= TURNS * ("limit" in channel),
        "%d lines of the log about limits" % len(hits),
    )
    lines = len(d.whole_log().split("\n"))
    check(lines < 60, "the log has %d lines" % lines)
    for p in others + [probe.a, probe.b]:
        p.s.close()
    d.stop()


case("accepted", leak, "", 50, False)
real_case("accepted: memory goes back to the system", leak, "", 50, False)
case("refused", leak, "", 160, False)
case("refused and kept", leak, "import keep filtered;", 160, False)
for action in "warn", "block", "restart", "disable":
    ends = action in ("restart", "disable")
    case("accepted, import limit, " + action, leak, "import limit 1000 action %s;" % action, 50, ends)
    case(
        "refused, receive limit, " + action,
        leak,
        "import keep filtered; receive limit 1000 action %s;" % action,
        160,
        ends,
    )
done()
