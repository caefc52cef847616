# SPDX-License-Identifier: GPL-3.0-or-later
"""Stale routes of a member that is away (RFC 4724, 4.2): which events withdraw them, and what a changed import policy
makes of them. What another member is told counts. Routes of both families, with regular and long-lived stale routes,
tables that keep routes before policy in either way or not at all, overlay tables, and loops on two threads."""

from bfd_place import *
import threading

if KIND != "ternd":
    cannot_here("this is about ternd")
PORT = free_port()
HEAD = 'router id 10.0.0.1; log "RUN/bird.log" all; protocol device {}\n'
V4 = ["20.1.%d.0/24" % i for i in range(4)]
V6 = ["2001:db8:%d::/48" % i for i in range(1, 5)]
ALL = set(V4 + V6)
GR, LLGR = "graceful restart", "long-lived graceful restart"
MP6 = b"\1\4\0\2\0\1"  # capability: IPv6 unicast


def restarts(seconds=300, notify=False):
    value = struct.pack("!H", (0x4000 if notify else 0) | seconds) + b"\0\1\1\x80\0\2\1\x80"
    return struct.pack("!BB", 64, len(value)) + value


def long_lived(seconds=1000):
    value = b"".join(struct.pack("!HBI", afi, 1, 0x80 << 24 | seconds) for afi in (1, 2))
    return struct.pack("!BB", 71, len(value)) + value


def octets6(prefix):
    addr, length = prefix.split("/")
    return bytes([int(length)]) + socket.inet_pton(socket.AF_INET6, addr)[: (int(length) + 7) // 8]


def texts(octets, v6):
    while octets:
        size = (octets[0] + 7) // 8
        full = octets[1 : 1 + size] + bytes((16 if v6 else 4) - size)
        yield "%s/%d" % (socket.inet_ntop(socket.AF_INET6 if v6 else socket.AF_INET, full), octets[0])
        octets = octets[1 + size :]


class Ears:
    """A member that is told everything: has: net -> its standard communities."""

    def __init__(self, *at):
        self.p = Peer(*at, hold=0, server="127.0.10.1", caps=MP6 + long_lived()).establish()
        self.has = {}

    def take(self, body):
        gone = struct.unpack("!H", body[:2])[0]
        nets = {net: None for net in texts(body[2 : 2 + gone], False)}
        length = struct.unpack("!H", body[2 + gone : 4 + gone])[0]
        attrs, come, comms = body[4 + gone :][:length], list(texts(body[4 + gone + length :], False)), ()
        while attrs:
            flags, code, size = attrs[0], attrs[1], attrs[2]
            head = 3
            if flags & 0x10:
                size, head = struct.unpack("!H", attrs[2:4])[0], 4
            value, attrs = attrs[head : head + size], attrs[head + size :]
            if code == 8:
                comms = struct.unpack("!%dI" % (size // 4), value)
            elif code == 14 and value[2] == 1:
                come += list(texts(value[5 + value[3] :], True))
            elif code == 15:
                nets.update((net, None) for net in texts(value[3:], True))
        nets.update((net, comms) for net in come)
        for net, what in nets.items():
            if what is None:
                self.has.pop(net, None)
            else:
                self.has[net] = what

    def listen(self):
        while True:
            try:
                got = self.p.receive(0.05 / SLOW)
            except (socket.timeout, BlockingIOError):
                return
            check(got is not None, "the session of who is told has ended")
            if got[0] == UPDATE:
                self.take(got[1])

    def wait(self, want, what):
        """Until it has these nets; @want: a set, or a function of what it has."""
        fits = want if callable(want) else lambda has: set(has) == want

        def seen():
            self.listen()
            return fits(self.has)

        wait_until(seen, lambda: "%s: %s" % (what, self.has), 10)

    def still(self, want, what):
        """The daemon has done all that a command before asked for: what is to be told is told."""
        self.wait(want, what)
        D.text("show status")
        self.listen()
        check(set(self.has) == want, "%s, a moment later: %s" % (what, self.has))


class Setup:
    """One way to run: what keeps routes, where they go, how long-lived they are."""

    def __init__(self, chan="", over=False, long=False, threads=0):
        self.chan, self.over, self.long, self.threads = chan, over, long, threads
        self.name = ", ".join(
            x
            for x in (
                chan.strip(";") or "nothing kept",
                over and "overlay tables",
                LLGR if long else GR,
                threads and "threads %d" % threads,
            )
            if x
        )

    def conf(self, filter="accept;", more="", roas=(), limits=""):
        """@filter: of imports, after the check of ROAs; "none": without one. @limits: of both channels."""
        where = (
            "filter { if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; %s }" % filter
            if filter != "none"
            else "none"
        )
        tables = pipes = ""
        own = lambda v: ""
        if self.over:
            tables = "ipv4 table o4; ipv6 table o6;\n"
            pipes = "".join(
                "protocol pipe p%d { table master%d; peer table o%d; import all; export all; }\n" % (v, v, v)
                for v in (4, 6)
            )
            own = lambda v: "table o%d; " % v
        chans = "".join(
            "ipv%d { %s%s %s import %s; export all; %s }; "
            % (v, own(v), self.chan, limits, where, "next hop address 2001:db8:ffff::1;" if v == 6 else "")
            for v in (4, 6)
        )
        return (
            HEAD
            + ("threads %d;\n" % self.threads if self.threads else "")
            + tables
            + "roa4 table r4;\nprotocol static roas { roa4 { table r4; };%s }\n"
            % "".join(" route %s max 24 as 9;" % r for r in roas)
            + pipes
            + "template bgp any { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; strict bind on; long"
            " lived graceful restart %s; error wait time 1, 1; ipv4 { import all; export all; }; ipv6 { import all;"
            " export all; next hop address 2001:db8:ffff::1; }; }\nprotocol bgp m1 from any { neighbor 127.0.11.1 as"
            " 65001; %s %s}\nprotocol bgp m2 from any { neighbor 127.0.11.2 as 65002; }\n"
            % (PORT, "on" if self.long else "aware", more, chans)
        )


D = None


def start(conf):
    global D
    for d in Daemon.all:
        d.kill()
    D = Daemon(conf).start()
    return D


def change(conf, soft=False):
    """Returns: the reply."""
    D.write(conf)
    reply = D.run("configure soft" if soft else "configure")
    check(reply[-1][0] in (3, 4), "configure: %s" % reply)
    return "\n".join(text for _, text in reply)


def comes(caps, ears=None, cnt=4, at=(PORT, "127.0.11.1", 65001, 0, "127.0.10.1")):
    p = Peer(*at, caps=MP6 + caps).establish()
    p.update(V4[:cnt])
    attrs = (
        attribute(0x40, 1, b"\0")
        + attribute(0x40, 2, struct.pack("!BBI", 2, 1, 65001))
        + attribute(
            0x80,
            14,
            b"\0\2\1\x10"
            + socket.inet_pton(socket.AF_INET6, "2001:db8:fffe::1")
            + b"\0"
            + b"".join(octets6(n) for n in V6[:cnt]),
        )
    )
    p.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs))
    p.end_of_rib()
    p.send(message(UPDATE, b"\0\0\0\6" + attribute(0x80, 15, b"\0\2\1")))
    if ears:
        ears.wait(set(V4[:cnt] + V6[:cnt]), "the member's routes")
    return p


def goes(p, name="m1"):
    p.reset()
    wait_until(lambda: not D.sessions()[name][2].startswith("Established"), "the session to end")


def stale(name="m1"):
    return [int(n) for n in re.findall(r"Stale routes: +(\d+)", D.text("show protocols all " + name))]


def away(setup, ears, cnt=4):
    """Its routes are stale; long-lived if the setup says so."""
    goes(comes(restarts(0 if setup.long else 300) + (long_lived() if setup.long else b""), ears, cnt))
    marked = lambda has: len(has) == 2 * cnt and all((0xFFFF0006 in comms) == setup.long for comms in has.values())
    ears.wait(marked, "stale routes stay")


def has_mark(net):
    return lambda has: len(has) == 8 and (65000 << 16 | 77) in has[net]


def marks(setup, has):
    """Long-lived stale routes are still marked as that after they have passed another policy."""
    check(all((0xFFFF0006 in comms) == setup.long for comms in has.values()), "LLGR_STALE: %s" % has)


def policy(setup):
    """From what is kept: a changed filter, ROAs, limits, `import none` and reloads decide again."""
    d = start(setup.conf())
    ears = Ears(PORT, "127.0.11.2", 65002)
    away(setup, ears)
    add = "if net = %s then bgp_community.add((65000,77)); accept;"
    for net in (V4[1], V6[1]):
        reply = change(setup.conf(add % net))
        check("withdrawn" not in reply and "protocol m1: refiltered" in reply, reply)
        ears.wait(has_mark(net), "a changed filter")
        marks(setup, ears.has)
    change(setup.conf("accept;", roas=[V4[2]]))
    ears.wait(ALL - {V4[2]}, "a ROA that makes a route invalid")
    change(setup.conf("accept;"))
    ears.wait(ALL, "the ROA is gone")
    marks(setup, ears.has)
    equal(stale(), [4, 4], "they are stale")
    equal(D.run("reload in m1")[0], (15, "m1: reloading stale routes"), "reload in")
    equal(
        D.run("reload bgp in m1")[0],
        (8006, "m1: reload failed: the neighbor is away and can't send its routes again"),
        "reload bgp in",
    )
    equal(D.run("reload out m1")[0][1], "m1: is not UP", "reload out")
    ears.still(ALL, "a reload")
    change(setup.conf("none"))
    ears.wait(set(), "import none")
    change(setup.conf("reject;"), soft=True)
    change(setup.conf("accept;"), soft=True)
    ears.still(set(), "configure soft decides nothing again")
    equal(D.run("reload in m1 partial [ %s ]" % V4[0])[0], (15, "m1: reloading stale routes"), "reload of a part")
    ears.wait({V4[0]}, "a reload of a part")
    D.text("reload in m1")
    ears.wait(ALL, "a reload")
    p = comes(restarts())
    ears.still(ALL, "the member is back")
    wait_until(lambda: stale() == [], "no stale routes: %s" % stale())
    p.cease()
    ears.wait(set(), "the member ends its session")
    d.stop()


def limits(setup):
    """A limit that is lowered counts stale routes; one that is raised again lets those come that the table keeps."""
    d = start(setup.conf())
    ears = Ears(PORT, "127.0.11.2", 65002)
    for kind in ("import", "receive"):
        for action in ("warn", "block", "restart", "disable"):
            away(setup, ears)
            equal(len(ears.has), 8, "stale routes")
            reply = change(setup.conf(limits="%s limit 4 action %s;" % (kind, action)))
            check("withdrawn" not in reply, reply)
            ears.still(ALL, "%s limit 4: they fit" % kind)
            reply = change(setup.conf(limits="%s limit 1 action %s;" % (kind, action)))
            if action == "warn":
                ears.still(ALL, "a limit that only warns")
                wait_until(lambda: "Protocol m1 hits route %s limit (1)" % kind in D.whole_log(), "the log")
            elif action == "block" and setup.chan:
                ears.wait(lambda has: len(has) == 2, "one route of each family is left")
                if kind == "import" and "filtered" in setup.chan:
                    change(setup.conf(limits="import limit 9 action block;"))
                    ears.wait(ALL, "the limit is raised")
            else:
                check(
                    "protocol m1: " in reply
                    and "stale routes of ipv4 withdrawn: " in reply
                    and "stale routes of ipv6 withdrawn: " in reply,
                    reply,
                )
                ears.wait(set(), "%s limit, action %s" % (kind, action))
            D.text("disable m1")
            ears.wait(set(), "disabled")
            D.text("enable m1")
            change(setup.conf())
    d.stop()


def nothing_kept(setup):
    """What isn't kept can't be decided again: it goes, and the reply or the log names the member."""
    d = start(setup.conf())
    ears = Ears(PORT, "127.0.11.2", 65002)
    away(setup, ears)
    equal(
        D.run("reload in m1")[0],
        (8006, "m1: reload failed: the neighbor is away, and stale routes of ipv4, ipv6 aren't kept before policy"),
        "reload in",
    )
    change(setup.conf(more="hold time 60;"))
    change(setup.conf("bgp_med = 1; accept;"), soft=True)
    change(setup.conf("bgp_med = 1; accept;", roas=["9.9.9.0/24"]))
    wait_until(lambda: "9.9.9.0/24" in D.text("show route table r4"), "the ROA")
    ears.still(ALL, "what concerns none of its routes")
    D.write(setup.conf("bgp_med = 2; accept;"))
    checked = D.text("configure check")
    reply = change(setup.conf("bgp_med = 2; accept;"))
    for text in (checked, reply):
        check(
            re.search(
                r"protocol m1: .*stale routes of ipv4 withdrawn: routes before policy aren't kept; "
                r"stale routes of ipv6 withdrawn: routes before policy aren't kept",
                text,
            ),
            text,
        )
    ears.wait(set(), "a changed filter")
    wait_until(
        lambda: "m1: The import filter has changed, and routes before policy aren't kept: the stale routes of ipv6 are"
        " removed"
        in D.whole_log(),
        lambda: D.whole_log(),
    )
    equal(D.run("reload in m1")[0][1], "m1: is not UP", "nothing is stale any more")
    away(setup, ears)
    change(setup.conf("bgp_med = 2; accept;", roas=[V4[0]]))
    ears.wait(set(V6), "a ROA about one of its routes")
    wait_until(
        lambda: "m1: ROAs or ASPAs have changed, and routes before policy aren't kept: the stale routes of ipv4 are"
        " removed"
        in D.whole_log(),
        "the log",
    )
    equal(
        D.run("reload in m1")[0][1],
        "m1: reload failed: the neighbor is away, and stale routes of ipv6 aren't kept before policy",
        "reload in",
    )
    d.stop()


def cut_off(setup):
    """The session breaks while a changed filter is at work: what becomes stale follows the new one all the same."""
    d = start(setup.conf())
    ears = Ears(PORT, "127.0.11.2", 65002)
    for _ in range(5):
        p = comes(restarts(), ears)
        D.write(setup.conf("if net = %s then reject; accept;" % V4[3]))
        wait = threading.Thread(target=lambda: Cli(D.ctl).run("configure"))
        wait.start()
        p.reset()
        wait.join()
        ears.wait(ALL - {V4[3]} if setup.chan else lambda has: V4[3] not in has, "the new filter")
        D.text("disable m1")
        ears.wait(set(), "disabled")
        D.text("enable m1")
        change(setup.conf())
    # The filter was changed, the peer asked, and gone before it sent anything.
    if not setup.chan:
        p = comes(restarts(), ears)
        change(setup.conf("bgp_med = 3; accept;"))
        check(p.wait_for(5) is not None, "no ROUTE-REFRESH")
        goes(p)
        ears.wait(set(), "what the old filter has decided")
        wait_until(
            lambda: "The neighbor hasn't sent the routes again that a changed policy asks for" in D.whole_log(),
            lambda: D.whole_log(),
        )
    d.stop()


def told():
    """An operator's word withdraws stale routes at once; a broken connection, a NOTIFICATION with the N bit and a
    return don't."""
    setup = Setup("import table;")
    d = start(setup.conf())
    ears = Ears(PORT, "127.0.11.2", 65002)
    for command in ("disable m1", "restart m1", "flush stale m1", "remove", "another AS"):
        away(setup, ears)
        if command == "remove":
            change(re.sub(r"protocol bgp m1 .*\n", "", setup.conf()))
        elif command == "another AS":
            change(setup.conf().replace("neighbor 127.0.11.1 as 65001", "neighbor 127.0.11.1 as 65009"))
        else:
            D.text(command)
        ears.wait(set(), command)
        D.text("enable m1")
        change(setup.conf())
    change(setup.conf(more="graceful restart notification on;"))
    p = comes(restarts(notify=True), ears)
    p.send(message(NOTIFICATION, b"\x06\x04"))
    p.s.close()
    wait_until(lambda: stale() == [4, 4], "stale routes")
    ears.still(ALL, "a NOTIFICATION with the N bit")
    p = comes(restarts(notify=True), ears)
    ears.still(ALL, "the member is back")
    p.cease()
    d.stop()


LOSSES = (
    ("ip link set a1 down", "ip link set a1 up; ip addr add fd08::1/64 dev a1 nodad"),
    ("PLACE ip link set a0 down", "PLACE ip link set a0 up; PLACE ip addr add fd08::2/64 dev a0 nodad"),
    ("ip addr del 10.8.0.1/24 dev a1", "ip addr add 10.8.0.1/24 dev a1"),
)
AT = ("10.8.0.2", 65001, 0, "10.8.0.1")


class Far(Peer):
    """One that sits in the other namespace."""

    def dial(self):
        with inside(There.place.proc):
            super().dial()


def link_conf(options="", more=""):
    return (
        HEAD
        + "template bgp any { local 10.8.0.1 port %d as 65000; passive; rs client; error wait time 1, 1;"
        " ipv4 { import all; export all; }; }\nprotocol bgp m1 from any { neighbor 10.8.0.2 as 65001; %s }\n"
        "protocol bgp m2 from any { local 127.0.10.1; multihop; neighbor 127.0.11.2 as 65002; }\n%s"
        % (PORT, options, more)
    )


def link():
    """The loss of the link withdraws the routes of a member that is away, and of one that would keep its routes after a
    NOTIFICATION."""
    enter = " ".join(There.place.enter)
    d = start(link_conf("graceful restart notification on;"))
    ears = Ears(PORT, "127.0.11.2", 65002)
    for lose, gain in LOSSES:
        for first in ("away", "with the N bit"):
            p = Far(PORT, *AT, caps=restarts(notify=first != "away")).establish()
            p.update(V4)
            p.end_of_rib()
            ears.wait(set(V4), "its routes")
            if first == "away":
                goes(p)
                ears.still(set(V4), "they are stale")
            sh(lose.replace("PLACE", enter))
            ears.wait(set(), "%s, %s" % (lose, first))
            wait_until(
                lambda: re.search("Neighbor lost|Link down", D.text("show protocols m1")),
                lambda: D.text("show protocols m1"),
            )
            sh(gain.replace("PLACE", enter))
            p.s.close()
    # With `check link off` the carrier says nothing; an interface of others neither.
    change(link_conf("check link off;"))
    p = Far(PORT, *AT, caps=restarts()).establish()
    p.update(V4)
    p.end_of_rib()
    ears.wait(set(V4), "its routes")
    goes(p)
    sh(LOSSES[1][0].replace("PLACE", enter))
    sh("ip link add z0 type veth peer name z1 && ip link set z0 up && ip link del z0")
    ears.still(set(V4), "check link off")
    change(link_conf())
    ears.wait(set(), "check link on")
    sh(LOSSES[1][1].replace("PLACE", enter))
    d.stop()


def bfd(options):
    """BFD is lost while the member is away: without `graceful` its stale routes go."""
    for d in Daemon.all:
        d.kill()
    bfd_proto = 'protocol bfd { interface "a*" { %s }; }\n' % FAST
    d = start(link_conf(options, bfd_proto))
    ears = Ears(PORT, "127.0.11.2", 65002)
    o = BirdThere(
        "router id 10.8.0.2; protocol device {}\n"
        + bfd_proto
        + "protocol static { ipv4; route %s blackhole; }\nprotocol bgp { local 10.8.0.2 as 65001; neighbor 10.8.0.1"
        " port %d as 65000; connect delay time 1; bfd; graceful restart on; ipv4 { import none; export all; next hop"
        " self; }; }\n" % (V4[0], PORT)
    ).start()
    ears.wait({V4[0]}, "its route")
    wait_state(d, "10.8.0.2", "Up")
    os.kill(o.pid, signal.SIGKILL)  # TCP is reset at once, BFD notices a little later
    wait_until(lambda: not d.sessions()["m1"][2].startswith("Established"), "BGP is down")
    wait_until(lambda: "Session to 10.8.0.2 is down" in d.whole_log(), "BFD is down")
    if "graceful" in options:
        ears.still({V4[0]}, options)
        equal(stale(), [1], options)
    else:
        ears.wait(set(), options)
    o.kill()
    d.stop()


begin()
TABLE, FILTERED = "import table;", "import keep filtered;"
for s in (
    Setup(TABLE),
    Setup(FILTERED),
    Setup(TABLE, long=True),
    Setup(FILTERED, over=True, long=True),
    Setup(TABLE, over=True, threads=2),
):
    case("policy: " + s.name, policy, s)
for s in (Setup(TABLE), Setup(FILTERED, long=True), Setup(FILTERED, over=True, threads=2), Setup()):
    case("limits: " + s.name, limits, s)
for s in (Setup(), Setup(long=True, over=True, threads=2)):
    case("policy: " + s.name, nothing_kept, s)
for s in (Setup(TABLE), Setup()):
    case("cut off: " + s.name, cut_off, s)
case("told by an operator", told)
case("links that are lost", link)
case("BFD", bfd, "bfd;")
case("BFD, graceful", bfd, "bfd graceful;")
done()
