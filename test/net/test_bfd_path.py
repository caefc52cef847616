# SPDX-License-Identifier: GPL-3.0-or-later
"""BFD when something happens to the path, or to one of the two sides: a switch stops forwarding, and a third party's
route is gone in time; a neighbour is killed and comes back; its clock is set, or ours. With bird2 and frr's bfdd.
TERN_SOAK=1: 20 cuts of each kind."""

from bfd_place import *

if KIND != "ternd":
    cannot_here("this is about ternd")

TRIES = 20 if SOAK else 2
HEAD = 'router id 10.8.0.%d; log "RUN/bird.log" all; protocol device {}\n'
BFD = 'protocol bfd { interface "a*" { %s }; multihop { %s };\n%s\n}\n'
NET = "10.22.0.0/16"
ALL = ("10.8.0.2", "fd08::2", "fe80::2", "10.8.1.2", "fd08:1::2")
NEIGHBORS = (
    "neighbor 10.8.0.2;",
    'neighbor fd08::2 dev "a1" local fd08::1;',
    "neighbor fe80::2%a1;",
    "neighbor 10.8.1.2 local 10.8.1.1 multihop;",
    "neighbor fd08:1::2 local fd08:1::1 multihop;",
)
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long
step(void)
{
	FILE *f = fopen(getenv("CLOCK_STEP"), "re");
	long s = 0;

	if (f) {
		if (fscanf(f, "%ld", &s) != 1)
			s = 0;
		fclose(f);
	}
	return s;
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	static int (*real)(clockid_t, struct timespec *);
	int rc;

	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	rc = real(id, ts);
	if (id == CLOCK_REALTIME)
		ts->tv_sec += step();
	return rc;
}

time_t
time(time_t *t)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	if (t)
		*t = ts.tv_sec;
	return ts.tv_sec;
}

int
gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
	struct timespec ts;

	(void)tz;
	clock_gettime(CLOCK_REALTIME, &ts);
	*tv = (struct timeval){ ts.tv_sec, ts.tv_nsec / 1000 };
	return 0;
}
"""


class Switch:
    """The link between both namespaces goes through a bridge in a third one: neither side sees its link change when
    that doesn't forward any more."""

    def __init__(self):
        self.proc = other_namespace()
        enter = ["nsenter", "-t", str(self.proc.pid), "-n"]
        sh(
            "ip link add s1 type veth peer name s0; ip link set s1 netns %d; ip link set s0 netns %d"
            % (self.proc.pid, self.proc.pid)
        )
        sh(
            "ip link del a1; ip link add a1 type veth peer name t1; ip link set t1 netns %d; ip link set a1 addrgenmode"
            " none up; ip addr add 10.8.0.1/24 dev a1; ip addr add fd08::1/64 dev a1 nodad; ip addr add fe80::1/64 dev"
            " a1 nodad; ip route add 10.8.1.2 via 10.8.0.2; ip route add fd08:1::2 via fd08::2"
            % self.proc.pid
        )
        sh(
            "ip link add a0 type veth peer name t0; ip link set t0 netns %d; ip link set a0 netns %d"
            % (self.proc.pid, PLACE.proc.pid)
        )
        for line in (
            "link set a0 addrgenmode none up",
            "addr add 10.8.0.2/24 dev a0",
            "addr add fd08::2/64 dev a0 nodad",
            "addr add fe80::2/64 dev a0 nodad",
            "route add 10.8.1.1 via 10.8.0.1",
            "route add fd08:1::1 via fd08::1",
        ):
            PLACE.run("ip " + line)
        self.ip = subprocess.Popen(enter + ["ip", "-batch", "-"], stdin=subprocess.PIPE, text=True)
        self.say(
            "link add b0 type bridge",
            "link set b0 up",
            "link set t1 master b0",
            "link set t0 master b0",
            "link set t1 up",
            "link set t0 up",
        )

    def say(self, *lines):
        self.ip.stdin.write("".join(line + "\n" for line in lines))
        self.ip.stdin.flush()

    def cut(self):
        self.say("link set t0 nomaster")

    def heal(self):
        self.say("link set t0 master b0")

    def end(self):
        self.ip.stdin.close()
        self.ip.wait(10)


def third(port):
    return (
        "protocol bgp third { local 127.0.0.1 port %d as 65001; neighbor 127.0.1.9 as 65009; multihop; passive; hold"
        " time 240; ipv4 { import none; export where net = %s; }; }\n" % (port, NET)
    )


def bgp(me, ours, theirs, options):
    ours, theirs = (ours, theirs) if me == 1 else (theirs, ours)
    return (
        "protocol bgp m { local %s as %d; neighbor %s as %d; connect delay time 1; connect retry time 1; error wait"
        " time 1, 1; hold time 240; bfd; %s ipv4 { import all; export all; next hop self; extended next hop; }; }\n"
        % (ours, 65000 + me, theirs, 65003 - me, options)
    )


def wait_update(peer, withdrawn):
    """The next UPDATE that announces or withdraws something."""
    while True:
        body = peer.wait_for(UPDATE)
        check(body is not None, "the third party's session ended")
        if len(body) > 4 and (body[:2] != b"\0\0") == withdrawn:
            return


def cuts(what, source, other):
    """A route by the other side is gone at a third when the switch stops forwarding, long before the hold time (240 s)
    is over."""
    port = free_port()
    d = Daemon(HEAD % 1 + BFD % (FAST, FAST, "") + source + third(port)).start()
    o = other()
    peer = Peer(port, "127.0.1.9", 65009, hold=240).establish()
    took = []

    def facts():
        return json_of(d) if sessions(d) else {"losses": 0, "state": "none"}

    def agreed():  # what was agreed on is in force
        return [True for s in sessions(d).values() if s[0] == "Up" and s[2] <= FAST_S * 2]

    for k in range(TRIES):
        wait_update(peer, False)
        wait_until(agreed, lambda: "sessions: %s" % sessions(d))
        exchanged(d, [facts()["address"]], MULTIPLIER)
        before = facts()["losses"]
        began = time.monotonic()
        SWITCH.cut()
        wait_update(peer, True)
        while facts()["losses"] == before:  # a busy machine had lost the session before
            wait_update(peer, True)
        equal(facts()["diagnostic"], "Control Detection Time Expired", "why")
        took.append(time.monotonic() - began)
        SWITCH.heal()
    took.sort()
    note(
        "%s: of %d cuts, the route was gone after %.0f to %.0f ms, %.0f in the middle; detection time about %.0f ms"
        % (what, TRIES, 1000 * took[0], 1000 * took[-1], 1000 * took[len(took) // 2], 1000 * FAST_S)
    )
    o.end() if isinstance(o, Frr) else o.kill()
    d.stop()


def cut_bgp(ours, peer, options=""):
    cuts(
        "BGP with bird2, %s" % peer,
        bgp(1, ours, peer, options),
        lambda: BirdThere(
            HEAD % 2
            + BFD % (FAST, FAST, "")
            + bgp(2, ours, peer, options)
            + "protocol static { ipv4; route %s blackhole; }\n" % NET
        ).start(),
    )


def cut_static():
    for name in Frr.PROGRAMS:
        if not os.path.exists(name):
            needs("frr")
    cuts("a static route by frr", "protocol static { ipv4; route %s via 10.8.0.2 bfd; }\n" % NET, Frr)


def with_neighbors(d_class, options=FAST):
    return d_class(HEAD % 1 + BFD % (options, options, "\n".join(NEIGHBORS)))


def birds_side(cls=BirdThere, options=FAST):
    text = BFD % (options, options, "\n".join(NEIGHBORS))
    text = re.sub(
        r"(10\.8\.\d\.|fd08:1::|fd08::|fe80::)([12])\b", lambda m: m.group(1) + "21"[int(m.group(2)) - 1], text
    )
    text = re.sub(r"\ba1\b", "a0", text)
    return cls(HEAD % 2 + text).start()


def restarted(options):
    """bird2 is killed, and started again at once: it is back with other discriminators, and numbers of authentication
    of its own."""
    d = with_neighbors(Daemon, options).start()
    o = birds_side(options=options)
    for _ in range(2):
        for a in ALL:
            wait_state(d, a, "Up")
        ups = {a: json_of(d, "address " + a)["ups"] for a in ALL}
        o.kill()
        o.start()
        wait_until(
            lambda: all(json_of(d, "address " + a)["ups"] > ups[a] for a in ALL), lambda: "sessions: %s" % sessions(d)
        )
    stands(d, ALL)
    o.kill()
    d.stop()


def restarted_frr():
    for name in Frr.PROGRAMS:
        if not os.path.exists(name):
            needs("frr")
    d = with_neighbors(Daemon).start()
    o = Frr()
    for a in ALL:
        wait_state(d, a, "Up")
    end(o.procs.pop(), signal.SIGKILL)
    for a in ALL:
        wait_state(d, a, "Down")
    o.spawn_bfdd()
    for a in ALL:
        wait_state(d, a, "Up")
    stands(d, ALL)
    o.end()
    d.stop()


class Stepped:
    """With a calendar clock that can be set."""

    shim = step = None

    @classmethod
    def prepare(cls):
        if not shutil.which("cc"):
            needs("gcc")
        folder = temp_dir()
        cls.shim, cls.step = os.path.join(folder, "shim.so"), os.path.join(folder, "step")
        with open(os.path.join(folder, "shim.c"), "w") as f:
            f.write(SHIM)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", cls.shim, f.name, "-ldl"], check=True)
        cls.set(0)

    @classmethod
    def set(cls, seconds):
        with open(cls.step + ".new", "w") as f:
            f.write("%d\n" % seconds)
        os.chmod(f.name, 0o644)
        os.rename(f.name, cls.step)

    @classmethod
    def env(cls):
        return ["env", "LD_PRELOAD=" + cls.shim, "CLOCK_STEP=" + cls.step]

    def argv(self, *more):
        return self.env() + super().argv(*more)


class TernStepped(Stepped, Daemon):
    pass


class BirdStepped(There, Stepped, Bird):
    pass


class OtherUptime(There, Daemon):
    """Its monotonic clock is ten days ahead of ours."""

    def argv(self, *more):
        return (
            There.place.enter
            + ["unshare", "-T", "--monotonic", "864000", "--boottime", "864000", "--kill-child"]
            + Daemon.argv(self, *more)
        )


def stand(d, o):
    """A timer that took the step for time would lose the session at once, or send nothing for hours."""
    for a in ALL:
        wait_state(d, a, "Up")
    exchanged(d, ALL, 3)
    before = sum(json_of(d, "address " + a)["losses"] for a in ALL)
    for step in (3600, -7200, 365 * 86400, 0):
        Stepped.set(step)
        exchanged(d, ALL, 12)
        for a in ALL:
            equal(state(d, a), ["Up"], "%s, the clock was set by %d s" % (a, step))
    equal(sum(json_of(d, "address " + a)["losses"] for a in ALL), before, "losses")


def clock(ours, other):
    """The clock of one side is set forth and back: sessions of all kinds stand; and they are lost in time all the
    same."""
    Stepped.prepare()
    d = with_neighbors(ours, PATIENT).start()
    o = birds_side(other, PATIENT)
    stand(d, o)
    if ours is TernStepped:
        Stepped.set(7200)
        d.run("show status")
        hours = {line[11:13] for line in d.whole_log().split("\n") if re.match(r"20\d\d-", line)}
        o.run("disable bfd1")
        wait_state(d, "10.8.0.2", "Down")
        wait_until(
            lambda: {line[11:13] for line in d.whole_log().split("\n") if re.match(r"20\d\d-", line)} - hours,
            "the daemon sees that clock",
        )
        o.run("enable bfd1")
        for a in ALL:
            wait_state(d, a, "Up")
    freeze(o.pid)
    wait_until(lambda: "Up" not in [state(d, a)[0] for a in ALL], "all are lost")
    o.kill()
    d.stop()


def clock_frr():
    for name in Frr.PROGRAMS:
        if not os.path.exists(name):
            needs("frr")
    Stepped.prepare()
    d = with_neighbors(Daemon, PATIENT).start()
    o = Frr(Stepped.env(), 50)
    stand(d, o)
    o.end()
    d.stop()


def uptime():
    if subprocess.run(["unshare", "-T", "--monotonic", "1", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        cannot_here("no time namespaces")
    d = with_neighbors(Daemon, PATIENT).start()
    o = birds_side(OtherUptime, PATIENT)
    for a in ALL:
        wait_state(d, a, "Up")
    exchanged(d, ALL, 12)
    equal([json_of(d, "address " + a)["losses"] for a in ALL], [0] * len(ALL), "losses")
    o.kill()
    for a in ALL:
        wait_state(d, a, "Down")
    d.stop()


PLACE = begin()
bird_case("restarted: bird2", alone(restarted), FAST)
bird_case(
    "restarted: bird2, with authentication",
    alone(restarted),
    FAST + 'authentication meticulous keyed sha1; password "abc" { id 200; };',
)
case("restarted: frr", alone(restarted_frr))
bird_case("our clock is set", alone(clock), TernStepped, BirdThere)
bird_case("bird2's clock is set", alone(clock), Daemon, BirdStepped)
case("frr's clock is set", alone(clock_frr))
case("another uptime", alone(uptime))
SWITCH = Switch()
bird_case("cut: BGP with bird2", alone(cut_bgp), "10.8.0.1", "10.8.0.2")
bird_case("cut: BGP with bird2 over IPv6", alone(cut_bgp), "fd08::1", "fd08::2")
bird_case("cut: BGP with bird2, multihop", alone(cut_bgp), "10.8.1.1", "10.8.1.2", "multihop;")
case("cut: a static route by frr", alone(cut_static))
SWITCH.end()
done()
