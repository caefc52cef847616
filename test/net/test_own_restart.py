# SPDX-License-Identifier: GPL-3.0-or-later
"""Our own graceful restart (RFC 4724, 4.1): `ternd -R`, `graceful restart wait`, the command `graceful restart`.
Members are played by hand, by bird and by ternd; what a member's own neighbor is told meanwhile is what counts."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
NETS = ["10.%d.0.0/16" % i for i in range(1, 21)]
# `graceful restart wait`. What a test looks at before its end takes as long as the machine needs.
HELD, GONE = (4, 6) if VIRTUAL else (15 + SLOW, 15 + SLOW)

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
%(more)s
protocol device {}
template bgp any { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; strict bind on;
  error wait time 1, 1; connect delay time 1; graceful restart on;
  ipv4 { import %(import)s; export all; }; }
"""
MEMBER = "protocol bgp m%d from any { neighbor 127.0.11.%d as 6500%d; %s }\n"


def conf(port, members, more="", policy="all"):
    """@members: number -> more options."""
    text = CONF % {"port": port, "more": more, "import": policy}
    return text + "".join(MEMBER % (n, n, n, members[n]) for n in members)


def restarts(seconds=120, families=1, kept=True, again=False):
    value = struct.pack("!H", (0x8000 if again else 0) | seconds)
    value += struct.pack("!HBB", 1, 1, 0x80 if kept else 0) * families
    return struct.pack("!BB", 64, len(value)) + value


def nets(octets):
    while octets:
        size = (octets[0] + 7) // 8
        yield "%d.%d.%d.%d/%d" % (*(octets[1 : 1 + size] + bytes(4))[:4], octets[0])
        octets = octets[1 + size :]


class Ears:
    """What a session is told."""

    def __init__(self, p):
        self.p = p
        self.has, self.withdrawn, self.ends = {}, [], 0
        self.notification = None
        self.over = False

    def listen(self, seconds=0.0):
        """What has come; for so long."""
        until = time.monotonic() + seconds
        while not self.over:
            try:
                got = self.p.receive(max(until - time.monotonic(), 0.02) / SLOW)
            except (socket.timeout, BlockingIOError):
                return self
            if got is None:
                self.over = True
            elif got[0] == NOTIFICATION:
                self.notification = got[1]
            elif got[0] == UPDATE:
                self.take(got[1])
            if time.monotonic() > until + 5:
                return self
        return self

    def take(self, body):
        if body == bytes(4):
            self.ends += 1
            return
        gone = struct.unpack("!H", body[:2])[0]
        for net in nets(body[2 : 2 + gone]):
            self.withdrawn.append(net)
            self.has.pop(net, None)
        length = struct.unpack("!H", body[2 + gone : 4 + gone])[0]
        for net in nets(body[4 + gone + length :]):
            self.has[net] = self.ends

    def nothing(self, seconds=0.3):
        self.listen(seconds)
        equal((self.has, self.withdrawn, self.ends, self.over), ({}, [], 0, False), "what it is told")

    def wait(self, fn, what):
        wait_until(
            lambda: fn(self.listen(0.02)),
            lambda: "%s: %s, %s withdrawn, %s ends, over: %s"
            % (what, sorted(self.has), self.withdrawn, self.ends, self.over),
        )

    def all_told(self, want):
        """End-of-RIB has come, and not before the last of @want."""
        self.wait(lambda e: e.ends, "End-of-RIB")
        equal(sorted(net for net in self.has if not self.has[net]), sorted(want), "what was told before End-of-RIB")
        equal(self.withdrawn, [], "what was withdrawn")


def status(d):
    return [line for code, line in d.run("show status") if code == 24]


def waiting(d):
    """For how many channels it waits; None: it doesn't."""
    lines = status(d)
    return int(re.search(r"Waiting for (\d+) channels", lines[1]).group(1)) if lines else None


def start(members, more="", *argv, **kw):
    port = free_port()
    d = Daemon(conf(port, members, more, **kw))
    d.port = port
    return d.start(*argv)


def again(d):
    """What it has is gone, and it is back."""
    end(d.proc, signal.SIGKILL)
    d.drop_cli()
    d.start("-R")


def holds_back():
    """One that keeps, one that understands, one without, and one that never comes: nothing is told until the time is
    over."""
    d = start({1: "", 2: "graceful restart aware;", 3: "", 4: ""}, "graceful restart wait %d;" % HELD, "-R")
    equal(waiting(d), 4, "who is waited for")
    check(re.match(r"  Wait timer is \d+\.\d+/%d$" % HELD, status(d)[2]), "the timer: %s" % status(d))
    p = {1: member(d.port, 1, restarts()), 2: member(d.port, 2, restarts(families=0)), 3: member(d.port, 3)}
    ears = {n: Ears(p[n]) for n in p}
    wait_until(lambda: waiting(d) == 3, "one without not to be waited for")
    for n, want in ((1, "pending waiting"), (2, "pending waiting"), (3, "waiting")):
        # a member is up before its session at the daemon
        shown = "    GR recovery:    %s\n" % want
        wait_until(lambda: shown in d.text("show protocols all m%d" % n), "what is shown of it")
    for n in p:
        p[n].update(NETS[n : n + 1], [65000 + n])
    p[1].end_of_rib()
    p[2].end_of_rib()
    wait_until(lambda: waiting(d) == 1, "who has told all")
    for n in p:
        ears[n].nothing()
    check("    GR recovery:    waiting\n" in d.text("show protocols all m1"), "what is shown of it")
    got = json.loads(d.run("json show status")[0][1])["recovery"]
    check(got["channels"] == 1 and 0 < got["left_s"] <= HELD, "its JSON: %s" % got)
    got = json.loads(d.run("json show protocols all m1")[0][1])["channels"][0]["recovery"]
    equal(got, {"pending": False, "waiting": True}, "its JSON")
    equal(d.routes()[0], 3, "routes that are chosen meanwhile")
    p[1].send(message(REFRESH, struct.pack("!HBB", 1, 0, 1)))
    p[3].withdraw(NETS[3:4])
    p[3].update(NETS[4:5], [65003])
    ears[1].nothing()
    for n in p:
        ears[n].all_told([net for k, net in ((1, NETS[1]), (2, NETS[2]), (3, NETS[4])) if k != n])
    equal(waiting(d), None, "when the time is over")
    check("GR recovery" not in d.text("show protocols all"), "what is shown when it is over")
    for line in ("Graceful restart started", "but 1 channel has not recovered", "Graceful restart done"):
        wait_until(lambda: line in d.whole_log(), lambda: "%r isn't logged" % line)
    d.stop()


def ends_early():
    """All have told all; two families end by themselves; others aren't waited for."""
    d = start({1: "", 2: "", 3: "", 4: "disabled;", 5: "graceful restart off;"}, "graceful restart wait 100;", "-R")
    equal(waiting(d), 3, "who is waited for")
    p = {1: member(d.port, 1, restarts()), 3: member(d.port, 3, restarts(again=True)), 5: member(d.port, 5, restarts())}
    ears = {n: Ears(p[n]) for n in p}
    wait_until(lambda: waiting(d) == 2, "one that restarts, too, not to be waited for")
    p[1].reset()
    p[5].update(NETS[5:6], [65005])
    ears[3].nothing()
    equal(waiting(d), 2, "one that has gone again is still waited for")
    p[1] = member(d.port, 1, restarts())
    p[1].update(NETS[:5], [65001])
    p[1].end_of_rib()
    ears[3].nothing()
    d.text("disable m2")
    for n in (3, 5):
        ears[n].all_told([net for net in NETS[:6] if n == 3 or net != NETS[5]])
    equal(waiting(d), None, "at the end")
    d.stop()
    d = start({1: "graceful restart aware;"}, "graceful restart wait 100;", "-R")
    p = member(d.port, 1)
    Ears(p).all_told([])  # nobody keeps anything
    d.stop()


def by_family():
    """IPv4 ends by itself while IPv6 goes on. Then the configuration, and the end of the daemon, meanwhile."""
    port = free_port()
    text = conf(
        port,
        {1: "ipv6 { import all; export all; };", 2: "ipv6 { import all; export all; };", 3: "", 4: ""},
        "graceful restart wait 100; threads 2;",
    )
    d = Daemon(text).start("-R")
    both = struct.pack("!BBHHB", 64, 10, 120, 1, 1) + b"\x80" + struct.pack("!HB", 2, 1) + b"\x80"
    v6 = b"\x01\x04\0\2\0\1"
    p = {1: member(port, 1, v6 + both), 2: member(port, 2, v6)}
    ears = {n: Ears(p[n]) for n in p}
    wait_until(lambda: waiting(d) == 4, lambda: "two families of one, and two others: %s" % status(d))
    p[1].update(NETS[:2], [65001])
    p[1].end_of_rib()
    wait_until(lambda: waiting(d) == 3, lambda: "one family to be through: %s" % status(d))
    ears[2].nothing()
    d.write(text.replace("protocol bgp m3", "protocol bgp m5").replace("127.0.11.3", "127.0.11.5"))
    check(d.code("configure") in (3, 4), "configure")
    # the new one joins those that are waited for; whether it does so before the old one has gone isn't said
    wait_until(lambda: waiting(d) == 3, lambda: "another one in its place: %s" % status(d))
    ears[2].nothing()
    d.write(
        text.replace("protocol bgp m3", "protocol bgp m5")
        .replace("127.0.11.3", "127.0.11.5")
        .replace("protocol bgp m4 from any {", "protocol bgp m4 from any { disabled;")
    )
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: waiting(d) == 2, lambda: "one less: %s" % status(d))
    d.text("disable m5")
    ears[2].all_told(NETS[:2])
    equal(waiting(d), 1, "IPv6")
    check("GR recovery:    waiting" in d.text("show protocols all m2"), "its IPv6 isn't held back")
    equal(ears[2].ends, 1, "ends of IPv4 alone")
    p[1].send(message(UPDATE, b"\0\0\0\6\x80\x0f\3\0\2\1"))
    wait_until(lambda: waiting(d) is None, lambda: "the other one: %s" % status(d))
    got = p[2].wait_for(UPDATE)
    equal(got, b"\0\0\0\6\x80\x0f\3\0\2\1", "End-of-RIB of IPv6, which nothing of IPv4 precedes")
    d.stop()
    for command in ("down", "graceful restart"):
        d = Daemon(text).start("-R")
        p = member(port, 1, v6 + both)
        ears = Ears(p)
        d.drop_cli()
        Cli(d.ctl).run(command)
        ears.wait(lambda e: e.over, "its end")
        equal((ears.ends, ears.notification is None), (0, command != "down"), "what it was told when the daemon went")
        equal(d.proc.wait(20 * SLOW), 0, "exit status (%s)" % d.said())


def routes_of(d):
    return d.text("show route table master4")


def changed_meanwhile():
    """Limits, tables that are kept, ROAs, filters, reloads and refreshes during recovery: nothing is told before its
    end, and then what a daemon tells that was started otherwise."""
    check_roa = "if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject;"

    def text(port, channel, roas, policy):
        head = "graceful restart wait 100; roa4 table r4; protocol static roas { roa4 { table r4; }; %s }" % roas
        return conf(
            port,
            {n: "ipv4 { %s export filter { %s accept; }; };" % (channel, policy) for n in (1, 2, 3)},
            head,
            "filter { %s accept; }" % check_roa,
        )

    def play(channel, *argv):
        port = free_port()
        d = Daemon(text(port, channel, "", "")).start(*argv)
        p = {n: member(port, n, restarts()) for n in (1, 2, 3)}
        ears = {n: Ears(p[n]) for n in p}
        p[1].update(NETS[:6], [65001])
        p[2].update(NETS[3:9], [65002, 7, 8])
        wait_until(lambda: d.routes()[0] >= (10 if "import limit" in channel else 12), "routes")
        d.write(text(port, channel, "route %s max 16 as 9;" % NETS[1], "if net = %s then reject;" % NETS[4]))
        check(d.code("configure") in (3, 4), "configure")
        for command in ("reload in all", "reload out all", "reload bgp out all"):
            d.run(command)
        p[2].send(message(REFRESH, struct.pack("!HBB", 1, 0, 1)))
        p[1].withdraw(NETS[:1])
        p[1].update(NETS[9:10], [65001])
        for n in (1, 2):
            p[n].end_of_rib()
        if argv:
            wait_until(lambda: waiting(d) == 1, lambda: "two to be through: %s" % status(d))
            for n in p:
                ears[n].nothing(0.1)
        if "import table" in channel or "keep filtered" in channel:  # else the peer would have to send all again
            wait_until(lambda: NETS[1] not in routes_of(d), lambda: "the changed ROA: " + routes_of(d))
        p[3].end_of_rib()
        for n in p:
            ears[n].wait(lambda e: e.ends, "End-of-RIB")
        wait_until(lambda: waiting(d) is None, "the end")
        if argv:
            equal([ears[n].withdrawn for n in p], [[], [], []], "what is withdrawn")
        # what was asked of a peer is answered, and what is late has come
        count = lambda n: int(re.search(r"(\d+) exported", d.text("show protocols all m%d" % n)).group(1))
        if "export limit" in channel:  # what a withdrawal has made room for isn't offered by itself
            d.run("reload out all")
            wait_until(lambda: count(3) == 4, lambda: "%d routes at m3 by its limit" % count(3))
        if "limit" not in channel:
            for n in (2, 3):
                ears[n].wait(lambda e: NETS[9] in e.has and NETS[0] not in e.has, "what has changed last")
        exported = [count(n) for n in p]
        for n in p:
            ears[n].wait(lambda e: len(e.has) == exported[n - 1], "all %d" % exported[n - 1])
        got = [sorted(ears[n].has) for n in p]
        d.kill()
        return got

    for channel in (
        "",
        "import table; export table;",
        "import keep filtered; import limit 5 action block;",
        "export limit 4 action block; import table;",
    ):
        want = play(channel)
        got = play(channel, "-R")
        if "limit" in channel:  # which of them isn't said: how many one has that brings none
            got, want = len(got[2]), len(want[2])
        equal(got, want, "with '%s'" % channel)


def of_a_range():
    """Who will come from a range isn't known: the time decides. Those that have come are waited for as others."""
    port = free_port()
    text = (
        conf(port, {}, "graceful restart wait %d;" % HELD)
        + "protocol bgp m from any { neighbor range 127.0.11.0/24 external; }\n"
    )
    d = Daemon(text).start("-R")
    equal(waiting(d), 1, "the range")
    p = {n: member(port, n, restarts()) for n in (1, 2)}
    ears = Ears(p[2])
    wait_until(lambda: waiting(d) == 3, lambda: "the range and two of it: %s" % status(d))
    for n in p:
        p[n].update(NETS[n : n + 1], [65000 + n])
        p[n].end_of_rib()
    wait_until(lambda: waiting(d) == 1, lambda: "the range: %s" % status(d))
    ears.nothing()
    ears.all_told(NETS[1:2])
    d.stop()


def comes_with():
    """Many routes, and two tables with pipes between: End-of-RIB comes behind the last of them."""
    port = free_port()
    text = conf(port, {}, "graceful restart wait 100; ipv4 table t1; ipv4 table t2; ipv4 table t3;")
    for n in (1, 2, 3):
        text += "protocol pipe p%d { table t%d; peer table master4; import all; export all; }\n" % (n, n)
        text += (
            "protocol bgp m%d { local 127.0.10.1 port %d as 65000; neighbor 127.0.11.%d as 6500%d; multihop; passive;"
            " rs client; strict bind on; graceful restart on; ipv4 { table t%d; import all; export all; }; }\n"
            % (n, port, n, n, n)
        )
    many = ["%d.%d.%d.0/24" % (20 + n, i // 250, i % 250) for n in (0, 1) for i in range(6000)]
    for _ in range(3):
        d = Daemon(text).start("-R")
        p = {n: member(port, n, restarts()) for n in (1, 2, 3)}
        ears = Ears(p[3])
        for n in (1, 2):
            for i in range(6000 * n - 6000, 6000 * n, 600):
                p[n].update(many[i : i + 600], [65000 + n, i + 1])
        p[3].end_of_rib()
        p[1].end_of_rib()
        ears.nothing()
        p[2].end_of_rib()
        ears.all_told(many)
        d.kill()


def leaves():
    """`graceful restart` says nothing to anybody; `down` does."""
    for command, want in (("graceful restart", 25), ("down", 7)):
        d = start({n: "" for n in range(1, 7)})
        p = {n: member(d.port, n, restarts(families=n % 2)) for n in range(1, 7)}
        ears = {n: Ears(p[n]) for n in p}
        for n in p:
            p[n].update(["%d.%d.%d.0/24" % (30 + n, i // 250, i % 250) for i in range(300)], [65000 + n])
        for n in p:
            ears[n].wait(lambda e: len(e.has) == 1500, "all routes")
        said = Cli(d.ctl).run(command)
        equal(said[-1][0], want, "the answer to " + command)
        if command == "graceful restart":
            equal(said[-1][1], "Graceful restart requested", "its answer")
        for n in p:
            ears[n].wait(lambda e: e.over, "its end")
            equal(ears[n].notification and ears[n].notification[:2], None if want == 25 else b"\x06\x02", "last words")
        d.drop_cli()
        equal(d.proc.wait(20 * SLOW), 0, "exit status (%s)" % d.said())
        check(not os.path.exists(d.ctl) and not os.path.exists(d.pidfile), "something is left")
        if want == 25:
            equal([ears[n].withdrawn for n in p], [[]] * 6, "what is withdrawn")
            wait_until(lambda: "Shutting down for graceful restart" in d.whole_log(), lambda: "it isn't logged")
    d = start({1: ""})
    cli = Cli(d.ctl)
    cli.run("restrict")
    equal(cli.run("graceful restart")[-1][0], 8007, "a restricted session")
    d.stop()


BIRD_MEMBER = """
router id 127.0.11.%(n)d; log "RUN/bird.log" all; protocol device {}
protocol static own { ipv4; route 10.%(n)d.0.0/16 blackhole; }
protocol bgp server { local 127.0.11.%(n)d port %(down)d as 6500%(n)d; neighbor 127.0.10.1 port %(port)d as 65000; \
multihop; strict bind on;
  %(more)s connect delay time 1; connect retry time 1; error wait time 1, 2; ipv4 { import all; export all; next hop \
self; }; }
protocol bgp below { local 127.0.11.%(n)d port %(down)d as 6500%(n)d; neighbor 127.0.12.%(n)d as 64900; multihop; \
passive;
  strict bind on; ipv4 { import none; export all; }; }
"""


class Member:
    """A daemon that is a member, and a neighbor of it who listens."""

    def __init__(self, n, port, more="graceful restart on;", kind=None):
        self.down = free_port()
        self.d = (kind or Bird)(BIRD_MEMBER % {"n": n, "port": port, "down": self.down, "more": more})
        self.d.start()
        self.ears = Ears(Peer(self.down, "127.0.12.%d" % n, 64900, server="127.0.11.%d" % n, hold=0).establish())

    def has(self, *numbers):
        want = sorted("10.%d.0.0/16" % k for k in numbers)
        self.ears.wait(lambda e: sorted(e.has) == want, "it should have " + " ".join(want))

    def kept(self):
        """Routes of 3, which isn't waited for, may come late."""
        equal([net for net in self.ears.listen(0.3).withdrawn if net != "10.3.0.0/16"], [], "what its neighbor lost")


def members_keep(kind):
    """With bird, or ternd, as members: kill -9 and -R, again during recovery, the file changed between, the command;
    one without."""
    d = start({1: "", 2: "", 3: "graceful restart aware;", 4: ""}, "graceful restart wait 100;")
    m = {
        1: Member(1, d.port, kind=kind),
        2: Member(2, d.port, kind=kind),
        3: Member(3, d.port, "graceful restart off;", kind=kind),
        4: Member(4, d.port, kind=kind),
    }
    for n in m:
        m[n].has(1, 2, 3, 4)

    def back(*numbers):
        wait_until(lambda: waiting(d) is None, lambda: "recovery to be done: %s" % status(d), 60)
        for n in numbers:
            m[n].has(1, 2, 3, 4)
            m[n].kept()

    again(d)
    back(1, 2, 4)
    m[3].has(1, 2, 3, 4)
    # Again, and once more when two of them are waited for; a policy changes meanwhile. Who had a session with the
    # second one has lost what was stale (RFC 4724, 4.2: consecutive restarts), and gets it anew; who hadn't keeps it.
    freeze(m[4].d.pid)
    again(d)
    wait_until(lambda: waiting(d) == 1, lambda: "all but one: %s" % status(d), 40)
    m[1].kept()
    m[2].kept()
    d.write(
        conf(
            d.port,
            {1: "", 2: "", 3: "graceful restart aware;", 4: ""},
            "graceful restart wait 100;",
            "where net != 10.2.0.0/16",
        )
    )
    again(d)
    os.kill(m[4].d.pid, signal.SIGCONT)
    wait_until(lambda: waiting(d) is None, lambda: "recovery to be done: %s" % status(d), 60)
    m[4].has(1, 3, 4)
    m[4].ears.withdrawn.remove("10.2.0.0/16")
    m[4].kept()
    m[1].has(1, 3, 4)
    m[2].has(1, 2, 3, 4)
    m[1].ears.withdrawn.clear()
    # The command. One never comes back: the wait ends it.
    d.write(conf(d.port, {1: "", 2: "", 3: "graceful restart aware;", 4: ""}, "graceful restart wait %d;" % GONE))
    equal(d.code("graceful restart"), 25, "graceful restart")
    d.proc.wait(20 * SLOW)
    d.drop_cli()
    m[4].d.kill()
    began = time.monotonic()
    d.start("-R")
    m[1].ears.wait(lambda e: "10.4.0.0/16" in e.withdrawn, "the end of the wait")
    check(time.monotonic() - began > GONE - 0.5, "the wait ended after %.1f s" % (time.monotonic() - began))
    m[1].has(1, 2, 3)
    m[1].ears.withdrawn.remove("10.4.0.0/16")
    m[1].kept()
    # A start without -R says that nothing was kept. Who is slow tells of routes that go and are back at once by
    # nothing.
    for _ in range(3):
        end(d.proc, signal.SIGKILL)
        d.drop_cli()
        m[1].ears.withdrawn.clear()
        m[1].kept()
        d.start()
        until = time.monotonic() + 5 * SLOW
        while not m[1].ears.listen(0.1).withdrawn and time.monotonic() < until:
            pass
        if m[1].ears.withdrawn:
            break
    check(m[1].ears.withdrawn, "a start without -R: nothing was withdrawn")
    m[1].has(1, 2, 3)
    d.stop()
    m[1].has(1)
    for n in m:
        m[n].d.kill()


def capabilities(body):
    caps, at = [], 12
    while at < len(body):
        caps.append(body[at : at + 2 + body[at + 1]])
        at += 2 + body[at + 1]
    return [c.hex() for c in caps if c[0] in (64, 71)]


def as_bird():
    """What OPEN tells of it has the octets of bird's."""
    text = (
        "router id 1.2.3.4; log \"RUN/bird.log\" all; protocol device {}\n"
        "protocol bgp p { local 127.0.10.5 port %d as 65000; neighbor 127.0.11.5 as 65005; multihop; passive;"
        " strict bind on; %s ipv4 { import all; export none; %s }; ipv6 { import all; export none; }; }\n"
    )
    on, long_on = "graceful restart on;", "long lived graceful restart on;"
    for more, channel in (
        (on, ""),
        (on, "graceful restart off;"),
        ("graceful restart aware;", on),
        ("graceful restart off;", on),
        (long_on, ""),
        (on + long_on, ""),
        (long_on + "long lived stale time 77;", "long lived stale time 100;"),
        (long_on, "long lived graceful restart off;"),
        ("long lived graceful restart off;", long_on),
        (on + "graceful restart time 33;", ""),
        ("", ""),
    ):
        for argv in ((), ("-R",)):
            seen = []
            for program_of in (Daemon, Bird):
                port = free_port()
                d = program_of(text % (port, more, channel)).start(*argv)
                p = Peer(port, "127.0.11.5", 65005, server="127.0.10.5")
                p.send(p.open_message())
                seen.append(capabilities(p.wait_for(OPEN)))
                p.s.close()
                d.kill()
            equal(seen[0], seen[1], "capabilities with '%s' and '%s' %s" % (more, channel, argv))


case("what is held back", holds_back)
case("an early end", ends_early)
case("each family by itself", by_family)
case("changes meanwhile", changed_meanwhile)
case("a range", of_a_range)
case("all that comes through pipes", comes_with)
case("going", leaves)
case("members of ternd", members_keep, Daemon)
if os.path.exists(BIRD):
    case("members of bird", members_keep, Bird)
    case("OPEN as bird's", as_bird)
done()
