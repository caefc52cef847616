# SPDX-License-Identifier: GPL-3.0-or-later
"""Days on which something is wrong with the network: a whole exchange loses its carrier for a second, nothing passes
for a while, or for longer than the hold time; ternd and bird2 are on the same LAN, and what becomes of their sessions
is compared. Many members come at once after a start; hold timers are kept while much is to be done."""

from crowd import Crowd
from links import *

import threading

if KIND != "ternd":
    cannot_here("this is about ternd beside bird2")

HOLD = 90 if SOAK else 6
ALL = 1000 // SLOW
CNT = ALL if SOAK else 150 // SLOW  # where bird2 is asked, too, which takes its time
ROUTES = 2000 if SOAK else 200  # of a member, when all tell theirs
CONF_MB = 50 if SOAK else 5
SERVERS = {"ternd": "10.9.0.1", "bird2": "10.9.0.2"}
PORT = free_port()
MAC = "02:00:00:00:09:01"  # of the members


def address(k):
    return "10.9.%d.%d" % (k // 250 + 1, k % 250 + 1)


MEMBERS = [(address(k), 65001 + k % 60000) for k in range(ALL)]


def there(text):
    subprocess.run(
        ["nsenter", "-t", str(ROUTER.pid), "-n", "ip", "-batch", "-"],
        input=text.encode(),
        check=True,
        timeout=60 * SLOW,
    )


def lan():
    """a0 is the server's; a bridge between a1 and b1, whose other end has the members' addresses. The kernel holds
    1,024 neighbors in all namespaces together (gc_thresh3), and permanent neighbors do not count: without the permanent
    neighbors, tests beside this test would get no connection."""
    ip(
        "link set lo up\n"
        "link add a0 type veth peer name a1\n"
        "link add b0 address %s type veth peer name b1\n"
        "link add br0 type bridge\n"
        "link set a1 master br0\n"
        "link set b1 master br0\n"
        "link set br0 up\n"
        "link set a1 up\n"
        "link set b1 up\n"
        "link set b0 up\n"
        "link set a0 netns %d\n" % (MAC, ROUTER.pid)
        + "".join("addr add %s/16 dev b0\n" % address(k) for k in range(ALL))
    )
    there(
        "link set lo up\nlink set a0 up\n"
        + "".join("addr add %s/16 dev a0\n" % a for a in SERVERS.values())
        + "".join("neigh add %s lladdr %s dev a0 nud permanent\n" % (address(k), MAC) for k in range(CNT, ALL))
    )


def passing(on):
    """Whether anything passes the LAN; nobody loses the carrier."""
    subprocess.run(["bridge", "link", "set", "dev", "b1", "state", "3" if on else "0"], check=True, timeout=20 * SLOW)


def conf(server, hold, members, more="", channel="import all; export none;"):
    text = (
        "router id 10.0.0.1;\nlog \"RUN/bird.log\" all;\n%s\nprotocol device { scan time 1; }\ntemplate bgp t { local"
        " %s port %d as 65000; strict bind on; passive; hold time %d; rs client; error wait time 1, 2;\n  ipv4 { %s"
        " }; }\n" % (more, server, PORT, hold, channel)
    )
    return text + "".join(
        "protocol bgp p%d from t { neighbor %s as %d; }\n" % (k, a, n) for k, (a, n) in enumerate(members)
    )


def daemon(kind, *args, **kw):
    d = {"ternd": Daemon, "bird2": Bird}[kind](conf(SERVERS[kind], *args, **kw))
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    return d.start()


class Place:
    """A daemon and its members."""

    def __init__(self, kind):
        self.kind, self.d = kind, daemon(kind, HOLD, MEMBERS[:CNT])
        self.c = Crowd(MEMBERS[:CNT], SERVERS[kind], PORT, HOLD).start()

    def wait_up(self, what, limit_s=60):
        wait_until(
            lambda: self.c.up() == CNT and self.d.established() == CNT,
            lambda: "%s: %d of %d sessions of %s: %s"
            % (what, self.d.established(), CNT, self.kind, self.d.said()[-1000:]),
            limit_s,
        )

    def back(self, since):
        """How long after @since the last member was up again that had gone."""
        return max([m.ups[-1] - since for m in self.c.members if len(m.ups) > 1 and m.ups[-1] > since] or [0.0])

    def kept(self, since):
        """Who has still the session from before."""
        return sum(m.state == "up" and m.ups[-1] < since for m in self.c.members)

    def end(self):
        self.c.end()
        self.d.kill()


def trouble(what, places, begin, end, seconds, keeps=False, says=None):
    """@keeps: nobody is lost. @says: what the log says of those that end."""
    for p in places:
        p.wait_up("before " + what)
    began = time.monotonic()
    begin()
    passes(seconds)
    end()
    over = time.monotonic()
    if keeps:
        passes(0.4 * HOLD)
    for p in places:
        p.wait_up("after " + what, 4 * HOLD)
    ours, theirs = places
    note(
        "     %s: ternd kept %d of %d and had all back after %.1f s; bird2 %d, %.1f s"
        % (what, ours.kept(began), CNT, ours.back(over), theirs.kept(began), theirs.back(over))
    )
    if keeps:
        equal((ours.kept(began), ours.c.lost(began)), (CNT, {}), "who stays up, and who doesn't, and how")
    check(
        ours.kept(began) >= theirs.kept(began),
        "%s: ternd kept %d, bird2 %d" % (what, ours.kept(began), theirs.kept(began)),
    )
    # members that have been sent away try again once a second
    check(
        ours.back(over) <= theirs.back(over) + (2 if SOAK else 10) * SLOW,
        "%s: all are back after %.1f s, with bird2 after %.1f s" % (what, ours.back(over), theirs.back(over)),
    )
    if says:
        equal(
            len({line.split()[3] for line in ours.d.whole_log().split("\n") if says in line}),
            CNT,
            "sessions of which the log says " + says,
        )


def lan_fails():
    places = [Place(kind) for kind in SERVERS]
    trouble(
        "a second without carrier",
        places,
        lambda: ip("link set a1 down\n"),
        lambda: ip("link set a1 up\n"),
        1,
        says="Link down",
    )
    silent = lambda: passing(False), lambda: passing(True)
    # TCP repeats what was lost after a third of the hold time at the latest
    trouble("a silence within the hold time", places, *silent, HOLD * 2 / 3 if SOAK else 1, keeps=not SOAK)
    trouble("a silence longer than that", places, *silent, 1.4 * HOLD, says="Hold timer expired")
    for p in places:
        p.end()


def cold_start():
    """Members that try to connect all the time, and a daemon that starts: all are up soon."""
    c = Crowd(MEMBERS, SERVERS["ternd"], PORT, 90, again_s=0.1).start()
    spread(0.5)
    began, cpu = time.monotonic(), time.process_time()
    d = daemon("ternd", 90, MEMBERS)
    ready = time.monotonic() - began
    wait_until(lambda: c.up() == ALL, lambda: "%d of %d are up" % (c.up(), ALL), 100)
    took = max(m.ups[0] for m in c.members) - began
    wait_until(lambda: d.established() == ALL, "that it says so")
    user, system = [
        int(x) / os.sysconf("SC_CLK_TCK")
        for x in open("/proc/%d/stat" % d.pid).read().rsplit(") ", 1)[1].split()[11:13]
    ]
    note(
        "     %d sessions: %.2f s after the start, which took %.2f s; %.2f s of CPU, and %.2f s of the members'"
        % (ALL, took, ready, user + system, time.process_time() - cpu)
    )
    equal(c.lost(), {}, "sessions that ended")
    c.end()
    d.stop()


def big(mb):
    """A set of prefixes that takes so much text."""
    nets = ",\n".join("%d.%d.%d.0/24{24,32}" % (40 + (n >> 16), n >> 8 & 255, n & 255) for n in range(mb * 45000))
    return "define BIG = [\n%s ];\n" % nets


def told(m, k, community):
    """All that member @k announces, @community in it."""
    attrs = (
        attribute(0x40, 1, b"\0")
        + attribute(0x40, 2, b"\2\1" + struct.pack("!I", m.as_number))
        + attribute(0x40, 3, socket.inet_aton(m.address))
        + attribute(0xC0, 8, struct.pack("!HH", 65001, community))
    )
    nets = [bytes([28]) + struct.pack("!I", (20 << 24) + (k * ROUTES + n) * 16) for n in range(ROUTES)]
    head = struct.pack("!HH", 0, len(attrs)) + attrs
    return b"".join(message(UPDATE, head + b"".join(nets[i : i + 700])) for i in range(0, ROUTES, 700))


def hold_timers(cnt, threads):
    """Much is to be done: all members tell all that they have, again and again, and a large configuration is read. No
    hold timer ends, ours or theirs."""
    filters = "import where net !~ BIG; export where net ~ [ 20.0.0.0/22+ ];"
    some = MEMBERS[:cnt]
    d = daemon("ternd", 9, some, threads + big(1), filters)
    c = Crowd(some, SERVERS["ternd"], PORT, 9).start()
    wait_until(lambda: c.up() == len(some), lambda: "%d of %d are up" % (c.up(), len(some)), 60)
    d.write(conf(SERVERS["ternd"], 9, some, threads + big(CONF_MB), filters))
    began, turns = time.monotonic(), 3
    reading = threading.Thread(target=lambda: d.text("configure", 600))
    for turn in range(turns):
        for k, m in enumerate(c.members):
            c.post(m, told(m, k, turn))
        if not turn:
            reading.start()
        wait_until(c.posted, "that all is sent", 120)
    reading.join()
    all_new = "show route where (65001, %d) ~ bgp_community count" % (turns - 1)
    wait_until(
        lambda: d.text(all_new).startswith("%d of" % (len(some) * ROUTES)), lambda: d.text("show route count"), 300
    )
    took = time.monotonic() - began
    wait_until(lambda: time.monotonic() >= began + 7, "KEEPALIVEs, which are sent every 3 s")
    note(
        "     %d sessions, %d routes %d times, a configuration of %d MB: %.1f s; the longest silence %.2f s, of"
        " ourselves %.2f s" % (len(some), len(some) * ROUTES, turns, CONF_MB, took, c.longest_silence(), c.stall)
    )
    equal((c.lost(), d.established()), ({}, len(some)), "sessions that ended, sessions")
    check(not SOAK or c.longest_silence() < 9 * 2 / 3, "a member heard nothing for %.1f s" % c.longest_silence())
    c.end()
    d.stop()


in_namespace()
ROUTER = other_namespace()
lan()
case("cold start", cold_start)
case("hold timers, shared threads", hold_timers, ALL, "threads 2;\n")
if SOAK:
    case("hold timers, a thread for each worker", hold_timers, 200, "")
bird_case("LAN", lan_fails)
done()
