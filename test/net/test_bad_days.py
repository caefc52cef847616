# SPDX-License-Identifier: GPL-3.0-or-later
"""Days on which something else is wrong: the daemon is stopped for longer than the hold time, the clock jumps, members fall silent, a
member leaks all that it has and comes again and again."""

from harness import *
import threading

if KIND == "bird2":
    cannot_here("this is about ternd")

HOLD = 90 if SOAK else 3
LEAK = 250000 if SOAK else 60000


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
                    self.send(message(KEEPALIVE))
                except OSError:
                    return
            time.sleep(HOLD / 9)

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


def conf(port, cnt, more="", channel=""):
    text = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp t { local 127.0.18.1 port %d as 65000; strict bind on; passive; multihop; rs client; hold time %d;
  error wait time 1, 1; %s ipv4 { import where net !~ [ 60.0.0.0/6+ ]; export all; %s }; }
""" % (port, HOLD, more, channel)
    return text + "".join("protocol bgp p%d from t { neighbor 127.0.19.%d as %d; }\n" % (k, k, 65000 + k) for k in range(1, cnt + 1))


def peers(port, cnt):
    return [Alive(port, "127.0.19.%d" % k, 65000 + k, hold=HOLD, server="127.0.18.1").establish().live() for k in range(1, cnt + 1)]


def stopped():
    """The daemon doesn't run for longer than the hold time. What the members said meanwhile lies in its sockets: it is read before any
    hold timer is believed, so nobody is lost."""
    port = free_port()
    d = Daemon(conf(port, 20)).start()
    all_of_them = peers(port, 20)
    d.wait_established(20)
    os.kill(d.pid, signal.SIGSTOP)
    time.sleep(1.5 * HOLD)
    os.kill(d.pid, signal.SIGCONT)
    time.sleep(HOLD / 2)
    equal(d.established(), 20, "sessions after the daemon was stopped for %d s" % (1.5 * HOLD))
    check(not any(p.ended for p in all_of_them), "a member was told to go")
    # one that is silent goes when its time is over, not before and not much later
    quiet = all_of_them[0]
    time.sleep(HOLD / 9)
    quiet.silent, since = True, time.monotonic()
    wait_until(lambda: quiet.ended, "the end of a silent session", 2 * HOLD)
    took = quiet.ended - since
    check(quiet.why == "0400", "told %s" % quiet.why)
    check(HOLD * 0.85 < took < HOLD * 1.2 + SLOW, "a silent member went after %.1f s" % took)
    equal(d.established(), 19, "sessions after a silent member went")
    d.stop()


SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The wall clock is wrong by an hour as long as there is a file. */
int
clock_gettime(clockid_t id, struct timespec *ts)
{
	static int (*real)(clockid_t, struct timespec *);
	int rc;

	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	rc = real(id, ts);
	if (id == CLOCK_REALTIME && !access(getenv("WRONG_CLOCK"), F_OK))
		ts->tv_sec += 3600;
	return rc;
}
"""


def clock():
    """The wall clock goes an hour ahead, and back: no timer is early, none late."""
    if not shutil.which("cc"):
        needs("gcc")
    folder = temp_dir()
    shim, wrong = os.path.join(folder, "shim.so"), os.path.join(folder, "wrong")
    with open(os.path.join(folder, "shim.c"), "w") as f:
        f.write(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, f.name, "-ldl"], check=True)
    port = free_port()
    d = Daemon(conf(port, 5))
    argv = d.argv
    d.argv = lambda *more: ["env", "LD_PRELOAD=" + shim, "WRONG_CLOCK=" + wrong] + argv(*more)
    d.start()
    all_of_them = peers(port, 5)
    d.wait_established(5)
    for ahead in True, False:
        if ahead:
            open(wrong, "w").close()
        else:
            os.unlink(wrong)
        time.sleep(1.3 * HOLD)
        equal(d.established(), 5, "sessions after the clock jumped")
        d.run("reload in p1")
    hours = {int(line[11:13]) for line in open(d.log) if re.match(r"20\d\d-", line)}
    quiet = all_of_them[0]
    open(wrong, "w").close()
    quiet.silent, since = True, time.monotonic()
    wait_until(lambda: quiet.ended, "the end of a silent session", 2 * HOLD)
    check(HOLD * 0.85 < quiet.ended - since < HOLD * 1.2 + SLOW, "a silent member went after %.1f s" % (quiet.ended - since))
    wait_until(lambda: len({int(line[11:13]) for line in open(d.log) if re.match(r"20\d\d-", line)} | hours) > 1,
               "that the daemon sees the wrong clock at all")
    d.stop()


def leak(what, channel, first, ends):
    """A member announces all that it has, and comes again and again: others stay, memory is bounded and comes back, and the log
    has a line a crossing and not one a route. @first: of its networks; @ends: the limit ends its sessions."""
    port = free_port()
    d = Daemon(conf(port, 4, channel=channel)).start()
    others = peers(port, 3)
    others[0].update(["20.0.%d.0/24" % k for k in range(200)])
    wait_until(lambda: d.routes()[1] >= 200, "routes")
    before, log = d.stats()["rss_kb"], os.path.getsize(d.log)
    highest = []
    for turn in range(3):
        p = Peer(port, "127.0.19.4", 65004, hold=HOLD * 30, server="127.0.18.1").establish()
        try:
            for k in range(LEAK // 250):
                p.update(["%d.%d.%d.0/24" % (first + (n >> 16), n >> 8 & 255, n & 255) for n in range(k * 250, k * 250 + 250)])
        except OSError:
            check(ends, "%s: the session of the leaker ended" % what)
        if ends:
            body = p.wait_for(NOTIFICATION)
            check(body is None or body[:2] == b"\6\1", "%s: told %r" % (what, body))
        else:
            wait_until(lambda: re.search(r"Import updates: +%d " % LEAK, d.text("show protocols all p4")), "%s: all is read" % what, 60)
        highest.append(d.stats()["rss_kb"])
        p.reset()
        wait_until(lambda: "Established" not in d.sessions()["p4"][2], "the end of the session")
        if ends:  # it may come again when its time is over, or somebody enables it
            d.run("enable p4")
    wait_until(lambda: d.routes()[1] == 200, "%s: only the routes of others stay" % what)
    wait_until(lambda: d.stats()["rss_kb"] < before + (max(highest) - before) // 4 + 4096,
               lambda: "%s: %d kB before, %r with it, %d kB after" % (what, before, highest, d.stats()["rss_kb"]), 5)
    equal(d.established(), 3, "%s: sessions of others" % what)
    check(not any(p.ended for p in others), "%s: another member was told to go" % what)
    check(os.path.getsize(d.log) - log < 20000, "%s: the log has %d octets more" % (what, os.path.getsize(d.log) - log))
    note("     %s: %d kB, at most %d kB, then %d kB" % (what, before, max(highest), d.stats()["rss_kb"]))
    d.stop()


case("stopped", stopped)
case("clock", clock)
for action in "warn", "block", "restart", "disable":
    case("leak, " + action, leak, action, "import limit 1000 action %s;" % action, 50, action in ("restart", "disable"))
case("leak, accepted", leak, "accepted", "", 50, False)
case("leak, refused", leak, "refused", "", 60, False)
case("leak, refused and kept", leak, "kept", "import keep filtered; receive limit 1000 action block;", 60, False)
done()
