# SPDX-License-Identifier: GPL-3.0-or-later
"""Days on which something else is wrong: the daemon is stopped for longer than the hold time, the clock jumps,
members fall silent."""

from harness import *
import threading

if KIND == "bird2":
    cannot_here("this is about ternd")

HOLD = 90 if SOAK else 3


class Alive(Peer):
    """A peer that keeps its session alive by itself, until it falls silent, and notes when and how it ended."""

    def live(self):
        self.silent = False
        self.ended = None
        threading.Thread(target=self.beat, daemon=True).start()
        threading.Thread(target=self.read, daemon=True).start()
        return self

    def beat(self):
        while self.ended is None:
            if not self.silent:
                try:
                    self.beaten = time.monotonic()
                    self.send(message(KEEPALIVE))
                except OSError:
                    return
            spread(HOLD / 9)

    def read(self):
        while True:
            try:
                got = self.receive(4 * HOLD)
            except (TimeoutError, OSError):
                return
            if got is None or got[0] == NOTIFICATION:
                self.why = got and got[1][:2].hex()
                self.ended = time.monotonic()
                return


def conf(port, cnt):
    text = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp t { local 127.0.18.1 port %d as 65000; strict bind on; passive; multihop; rs client; hold time %d;
  error wait time 1, 1; ipv4 { import all; export all; }; }
""" % (
        port,
        HOLD,
    )
    return text + "".join(
        "protocol bgp p%d from t { neighbor 127.0.19.%d as %d; }\n" % (k, k, 65000 + k) for k in range(1, cnt + 1)
    )


def peers(port, cnt):
    return [
        Alive(port, "127.0.19.%d" % k, 65000 + k, hold=HOLD, server="127.0.18.1").establish().live()
        for k in range(1, cnt + 1)
    ]


def stopped():
    """The daemon doesn't run for longer than the hold time. What the members said meanwhile lies in its sockets: it is
    read before any hold timer is believed, so nobody is lost."""
    port = free_port()
    d = Daemon(conf(port, 20)).start()
    all_of_them = peers(port, 20)
    d.wait_established(20)
    freeze(d.pid)
    passes(1.5 * HOLD)
    os.kill(d.pid, signal.SIGCONT)
    stays(lambda: d.established() == 20, "sessions after the daemon was stopped for %d s" % (1.5 * HOLD), HOLD / 2)
    check(not any(p.ended for p in all_of_them), "a member was told to go")
    # one that is silent goes when its time is over, not before and not much later
    quiet = all_of_them[0]
    passes(HOLD / 9)
    quiet.silent = True
    wait_until(lambda: quiet.ended, "the end of a silent session", 2 * HOLD)
    took = quiet.ended - quiet.beaten
    check(quiet.why == "0400", "told %s" % quiet.why)
    check(HOLD * 0.85 < took, "a silent member went after %.1f s" % took)
    equal(d.established(), 19, "sessions after a silent member went")
    d.stop()


def set_clock(ahead):
    """The calendar clock of the world: right, or ahead by an hour."""
    virtual.set_calendar(3600 * 10**9 if ahead else 0)


def clock():
    """The wall clock goes an hour ahead, and back: no timer is early, none late."""
    if not VIRTUAL:
        cannot_here("the calendar clock jumps in virtual time")
    port = free_port()
    d = Daemon(conf(port, 5))
    d.start()
    all_of_them = peers(port, 5)
    d.wait_established(5)
    for ahead in True, False:
        set_clock(ahead)
        stays(lambda: d.established() == 5, "sessions after the clock jumped", 1.3 * HOLD)
        d.run("reload in p1")
    hours = {int(line[11:13]) for line in open(d.log) if re.match(r"20\d\d-", line)}
    quiet = all_of_them[0]
    set_clock(True)
    quiet.silent = True
    wait_until(lambda: quiet.ended, "the end of a silent session", 2 * HOLD)
    took = quiet.ended - quiet.beaten
    check(HOLD * 0.85 < took, "a silent member went after %.1f s" % took)
    wait_until(
        lambda: len({int(line[11:13]) for line in open(d.log) if re.match(r"20\d\d-", line)} | hours) > 1,
        "that the daemon sees the wrong clock at all",
    )
    d.stop()


case("stopped", stopped)
case("clock", clock)
done()
