# SPDX-License-Identifier: GPL-3.0-or-later
"""Members that restart (RFC 4724): played by hand, and bird. What a third member is told meanwhile is what counts."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
PORT = free_port()
BIRD_PORT = free_port()
SOON = 1 + int(SLOW)  # a restart time, in seconds, within which a few things can be looked at
NETS = ["10.%d.0.0/16" % i for i in range(1, 11)]
MARKS = iter(["20.%d.%d.0/24" % (i // 250, i % 250) for i in range(60000)])

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
roa4 table r4;
protocol static roas { roa4 { table r4; };%(roas)s }
template bgp any { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; strict bind on;
  error wait time 1, 1; connect delay time 1; ipv4 { import all; export all; }; }
protocol bgp m1 from any { neighbor 127.0.11.1 as %(as)d; %(more)s
  ipv4 { import filter { %(filter)s accept; }; %(chan)s }; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; }
protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; }
"""


def conf(more="", chan="", filter="", roas=(), number=65001):
    return CONF % {
        "port": PORT,
        "more": more,
        "chan": chan,
        "filter": filter,
        "as": number,
        "roas": "".join(" route %s;" % r for r in roas),
    }


def restarts(seconds=120, families=1, kept=True, again=False, notify=False):
    """The capability; @again: it has restarted; @notify: RFC 8538."""
    value = struct.pack("!H", (0x8000 if again else 0) | (0x4000 if notify else 0) | seconds)
    value += struct.pack("!HBB", 1, 1, 0x80 if kept else 0) * families
    return struct.pack("!BB", 64, len(value)) + value


def long_lived(seconds=1000, families=1, kept=True):
    """The capability of RFC 9494."""
    return (
        struct.pack("!BB", 71, 7 * families)
        + struct.pack("!HBI", 1, 1, (0x80 if kept else 0) << 24 | seconds) * families
    )


def up(caps=b"", number=1):
    return member(PORT, number, caps)


class Third:
    """Two more members: what the one is told until the other one's route comes."""

    def __init__(self):
        self.q, self.m = member(PORT, 2, long_lived(families=0)), member(PORT, 3)
        self.has = {}
        self.told()

    def told(self):
        """The changes since the last call: net -> the last AS of its path, None: withdrawn. One with LLGR_STALE: as
        a text, with an s."""
        mark = next(MARKS)
        self.q.send(message(KEEPALIVE))  # it says nothing else, and its hold time is 90 s
        self.m.update([mark], [65003])
        changes = {}
        while mark not in changes:
            body = self.q.wait_for(UPDATE)
            check(body is not None, "the session of the third has ended")
            gone = struct.unpack("!H", body[:2])[0]
            for net in nets(body[2 : 2 + gone]):
                changes[net] = None
            length = struct.unpack("!H", body[2 + gone : 4 + gone])[0]
            attrs = body[4 + gone :][:length]
            for net in nets(body[4 + gone + length :]):
                at = attrs.index(b"\x40\x02") + 3
                last = struct.unpack("!I", attrs[at + 4 * attrs[at + 1] - 2 :][:4])[0]
                changes[net] = "%ds" % last if b"\xff\xff\0\6" in attrs else last
        changes = {net: what for net, what in changes.items() if not net.startswith("20.")}
        self.has.update(changes)
        return changes

    def wait(self, want):
        """Until it was told @want since; and nothing else."""
        seen = {}

        def all_seen():
            seen.update(self.told())
            return seen == want

        wait_until(all_seen, lambda: "told %s, not %s" % (seen, want))

    def hears_nothing(self):
        stays(lambda: not self.told(), lambda: "what a third is told: %s" % self.has, 0.2, 0.1)


def nets(octets):
    while octets:
        size = (octets[0] + 7) // 8
        yield "%d.%d.%d.%d/%d" % (*(octets[1 : 1 + size] + bytes(4))[:4], octets[0])
        octets = octets[1 + size :]


def shown(name="m1"):
    return D.text("show protocols all " + name)


def counts(name="m1"):
    """Imported, filtered, stale."""
    m = re.search(r"Routes: +(\d+) imported, (?:(\d+) filtered, )?", shown(name))
    stale = re.search(r"Stale routes: +(\d+)", shown(name))
    return (int(m.group(1)), int(m.group(2) or 0), int(stale.group(1)) if stale else 0) if m else None


def wait_counts(*want):
    wait_until(lambda: counts() == want, lambda: "routes: %s, not %s" % (counts(), want))


def away():
    """Until its session is gone."""
    wait_until(lambda: D.sessions()["m1"][0] == "start", "the session to end")


def begin(caps, last=7, cnt=5, extra=b""):
    """A member with routes that the third has."""
    p = up(caps)
    p.update(NETS[:cnt], [65001, last], extra=extra)
    p.end_of_rib()
    T.wait({net: last for net in NETS[:cnt]})
    return p


def gone(cnt=5):
    T.wait({net: None for net in NETS[:cnt]})


def change(text, code=3):
    D.write(text)
    check(D.code("configure") in (3, 4), "configure")


def comes_back():
    p = begin(restarts())
    p.reset()
    away()
    text = shown()
    for line in (
        "Neighbor graceful restart active",
        "    State:          START",
        "    Neighbor GR:    Regular",
        "5 imported",
    ):
        check(line in text, "%r isn't shown: %s" % (line, text))
    check(re.search(r"Restart timer: +1(1[5-9]|20)\.\d+/-", text), "the timer: " + text)
    wait_counts(5, 0, 5)
    T.hears_nothing()
    p = up(restarts(again=True))
    wait_until(lambda: "Restart recovery" in shown(), "the session")
    check("Neighbor graceful restart active" in shown(), "it is over too early")
    T.hears_nothing()
    p.update(NETS[:3], [65001, 7])
    p.update(NETS[3:4], [65001, 8])
    T.wait({NETS[3]: 8})
    wait_counts(5, 0, 1)
    p.end_of_rib()
    T.wait({NETS[4]: None})
    wait_counts(4, 0, 0)
    check("Neighbor GR" not in shown() and "restart active" not in shown(), "it isn't over: " + shown())
    p.cease()
    gone(4)


def forgets():
    """It is back, but says that it has forwarded nothing meanwhile; or says nothing of the family any more."""
    for caps in (restarts(kept=False), restarts(families=0), b""):
        p = begin(restarts())
        p.reset()
        T.hears_nothing()
        p = up(caps)
        gone()
        p.cease()


def orderly_end():
    p = begin(restarts())
    p.cease()
    gone()


def last_words():
    """A member says why it ends, and closes its socket with octets unread, so that its end is a reset. The daemon finds
    out by a write, and may have read a part of the NOTIFICATION. The routes go, because the daemon reads the rest."""
    p = begin(restarts())
    for _ in range(10):
        T.m.update([next(MARKS)], [65003])  # the daemon writes to the member meanwhile
        p.cease()
        T.m.update([next(MARKS)], [65003])
        gone()
        p = begin(restarts())
    p.cease()
    gone()


def not_asked_for():
    """Without the capability, without the family, without time, and where it is switched off."""
    for caps in (b"", restarts(families=0), restarts(0)):
        p = begin(caps)
        p.reset()
        gone()
    change(conf("graceful restart off;"))
    p = begin(restarts())
    check("Graceful restart\n" not in shown().split("Neighbor capabilities")[0], "it is announced")
    p.reset()
    gone()
    change(conf())


def too_late():
    p = begin(restarts(SOON))
    p.reset()
    away()
    T.hears_nothing()
    gone()
    change(conf("max graceful restart time 1;"))
    p = begin(restarts(500))
    p.reset()
    gone()
    change(conf("min graceful restart time 100;"))
    p = begin(restarts(0))
    p.reset()
    away()
    check(re.search(r"Restart timer: +\d\d\.\d+/-", shown()), "the timer: " + shown())
    T.hears_nothing()
    change(conf())
    check(D.code("restart m1") in (0, 12, 2), "restart")
    gone()


def twice():
    """It breaks again before it has told all: what was stale already goes."""
    p = begin(restarts())
    p.reset()
    away()
    p = up(restarts())
    p.update(NETS[:2], [65001, 7])
    wait_counts(5, 0, 3)
    p.reset()
    T.wait({net: None for net in NETS[2:5]})
    p = up(restarts())
    p.update(NETS[:2], [65001, 7])
    p.update(NETS[8:9], [65001, 7])
    p.end_of_rib()
    T.wait({NETS[8]: 7})
    wait_counts(3, 0, 0)
    p.cease()
    T.wait({net: None for net in NETS[:2] + NETS[8:9]})


def unnoticed():
    """It connects anew while its old connection still seems to stand."""
    p = begin(restarts())
    n = up(restarts())
    T.hears_nothing()
    n.update(NETS[:5], [65001, 7])
    n.end_of_rib()
    wait_counts(5, 0, 0)
    T.hears_nothing()
    p.s.close()
    T.hears_nothing()
    n.cease()
    gone()


def given_up():
    """A connection that it has closed by the time that we look at it, as after a collision, says nothing of the session
    that stands."""
    p = begin(restarts())
    freeze(D.pid)
    other = socket.create_connection(("127.0.10.1", PORT), 5, ("127.0.11.1", 0))
    other.close()
    arrives()
    os.kill(D.pid, signal.SIGCONT)
    D.run("show status")
    T.hears_nothing()
    wait_counts(5, 0, 0)
    equal(p.lying(NOTIFICATION), 0, "NOTIFICATIONs")
    p.cease()
    gone()


def told_to_stop():
    """While it is away: disabled, another AS, removed."""

    def leave(n):
        p = begin(restarts())
        p.reset()
        away()

    leave(1)
    D.text("disable m1")
    gone()
    D.text("enable m1")
    leave(2)
    change(conf(number=65009))
    gone()
    change(conf())
    leave(3)
    whole = conf()
    change(re.sub(r"protocol bgp m1 (?s:.*?)\n(?=protocol)", "", whole))
    gone()
    change(whole)


def somebody_else():
    """What comes back is of another AS."""
    p = begin(restarts())
    p.reset()
    away()
    other = Peer(PORT, "127.0.11.1", 65008, server="127.0.10.1", caps=restarts())
    other.send(other.open_message())
    gone()
    other.s.close()


def limits():
    """They are about what it tells now, and don't end its session for what is stale."""
    for kind, action in (("import", "block"), ("import", "restart"), ("receive", "restart"), ("receive", "disable")):
        change(conf(chan="%s limit 5 action %s;" % (kind, action)))
        p = begin(restarts())
        p.reset()
        away()
        p = up(restarts())
        p.update(NETS[3:8], [65001, 7])
        T.wait({net: 7 for net in NETS[5:8]})
        wait_counts(8, 0, 3)
        check("Problem: m1.ipv4 has 5 routes, the %s limit is 5" % kind in D.text("show health"), "show health")
        equal(bool(re.search(r"limit: +5 \[HIT", shown())), action == "block", "[HIT] in " + shown())
        D.write(conf(chan="%s limit 6 action restart;" % kind))
        check("session ends" not in D.text("configure check"), "configure check")
        p.end_of_rib()
        T.wait({net: None for net in NETS[:3]})
        p.update(NETS[:2], [65001, 7])  # too many
        if action == "block":
            T.hears_nothing()
            p.cease()
        T.wait({net: None for net in NETS[3:8]})
        p.s.close()
        D.text("enable m1")
    change(conf())


def changed_meanwhile():
    """Filters and ROAs change while it is away, and while it tells all again; and reloads."""
    check_roa = "if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject;"
    for table in ("import table;", "import keep filtered;"):
        change(conf(chan=table, filter=check_roa))
        p = begin(restarts())
        p.reset()
        away()
        change(conf(chan=table, filter=check_roa + " if net = %s then reject;" % NETS[0]))
        D.text("reload in m1")
        p = up(restarts())
        p.update(NETS[:3], [65001, 7])
        T.wait({NETS[0]: None})
        change(conf(chan=table, filter=check_roa + " if net ~ [ %s, %s ] then reject;" % (NETS[0], NETS[3])))
        T.wait({NETS[3]: None})  # it is still stale
        change(
            conf(
                chan=table,
                filter=check_roa + " if net ~ [ %s, %s ] then reject;" % (NETS[0], NETS[3]),
                roas=[NETS[4] + " max 16 as 9", NETS[1] + " max 16 as 9"],
            )
        )
        T.wait({NETS[4]: None, NETS[1]: None})
        D.text("reload in m1")
        stays(lambda: counts()[2] == 2, lambda: "stale routes after a reload: %s" % counts()[2], 0.2)
        p.end_of_rib()
        wait_until(lambda: counts()[2] == 0, "the end")
        T.hears_nothing()
        change(conf(chan=table))
        T.wait({NETS[0]: 7, NETS[1]: 7})
        p.cease()
        T.wait({net: None for net in NETS[:3]})
    change(conf())


def required():
    change(conf("require graceful restart;"))

    def refused():
        p = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1")
        p.send(p.open_message())
        said = p.wait_for(NOTIFICATION)
        p.s.close()
        return said and said[:2] == b"\x02\x07"

    wait_until(refused, "a refusal without it")
    change(conf("require graceful restart; require long lived graceful restart;"))
    wait_until(refused, "a refusal without both")
    change(conf("require enhanced route refresh;"))
    wait_until(refused, "a refusal without enhanced refresh")
    change(conf("require graceful restart; require long lived graceful restart;"))
    p = begin(restarts() + long_lived())
    p.cease()
    gone()
    change(conf())


def stale(cnt=5):
    T.wait({net: "7s" for net in NETS[:cnt]})


def stays_long():
    """After its restart time its routes are the last choice, and not for members that don't know of that."""
    p = begin(restarts(SOON) + long_lived())
    T.m.cease()
    T.m = member(PORT, 3)
    wait_until(lambda: T.told() == {}, "the marks to be over")
    p.update(NETS[5:6], [65001, 7], extra=attribute(0xC0, 8, b"\xff\xff\0\7"))
    T.wait({NETS[5]: 7})
    T.m.update(NETS[:1], [65003, 1, 2, 3, 9])
    p.reset()
    away()
    T.hears_nothing()
    T.wait({**{net: "7s" for net in NETS[1:5]}, NETS[0]: 9, NETS[5]: None})
    seen = set()
    while not seen.issuperset(NETS[1:5]):
        body = T.m.wait_for(UPDATE)
        check(body is not None and b"\xff\xff\0\6" not in body, "a member that doesn't know it got it")
        seen.update(nets(body[2 : 2 + struct.unpack("!H", body[:2])[0]]))
    for text, want in (
        (shown(), "    Neighbor GR:    Long-lived"),
        (D.text("show route " + NETS[1]), "(100s)"),
        (D.text("show route all " + NETS[1]), "(65535,6)"),
    ):
        check(want in text, "%r isn't shown: %s" % (want, text))
    check(re.search(r"LL stale timer: +99\d\.\d+/-", shown()) and "Restart timer" not in shown(), "timers: " + shown())
    T.m.withdraw(NETS[:1])
    T.wait({NETS[0]: "7s"})
    p = up(restarts(SOON) + long_lived())
    p.update(NETS[:3], [65001, 7])
    T.wait({net: 7 for net in NETS[:3]})
    p.reset()  # once more: the rest stays, and these become as stale at once
    T.wait({net: "7s" for net in NETS[:3]})
    p = up(restarts(SOON) + long_lived())
    p.update(NETS[1:3], [65001, 7])
    T.wait({net: 7 for net in NETS[1:3]})
    passes(SOON + 0.5)
    T.hears_nothing()
    p.end_of_rib()
    T.wait({NETS[0]: None, NETS[3]: None, NETS[4]: None})
    wait_counts(2, 0, 0)
    check("Neighbor GR" not in shown() and "stale timer" not in shown(), "it isn't over: " + shown())
    p.cease()
    T.wait({net: None for net in NETS[1:3]})


def long_ends():
    """Its time is over; it is told to stop; it has forgotten; it never had the first time."""
    p = begin(restarts(0) + long_lived(SOON))
    p.reset()
    stale()
    gone()
    p = begin(restarts(0) + long_lived())
    p.reset()
    stale()
    D.text("restart m1")
    gone()
    p = begin(restarts(families=0) + long_lived())
    p.reset()
    stale()
    p = up(restarts() + long_lived(kept=False))
    gone()
    p.cease()
    change(conf("max long lived stale time %d;" % SOON))
    p = begin(restarts(0) + long_lived())
    p.reset()
    stale()
    gone()
    change(conf("max long lived stale time 1;", "min long lived stale time 50; max long lived stale time 60;"))
    p = begin(restarts(0) + long_lived())
    p.reset()
    stale()
    check(re.search(r"LL stale timer: +[56]\d\.\d+/-", shown()), "the timer: " + shown())
    change(conf("long lived graceful restart off;"))
    gone()
    p = begin(restarts(0) + long_lived())
    p.reset()
    gone()
    change(conf())


def long_policy():
    """A changed filter, while it tells all again, leaves them what they are."""
    for table in ("import table;", "import keep filtered;"):
        change(conf(chan=table))
        p = begin(restarts(0) + long_lived())
        p.reset()
        stale()
        p = up(restarts(0) + long_lived())
        p.update(NETS[:1], [65001, 7])
        T.wait({NETS[0]: 7})
        change(conf(chan=table, filter="if net = %s then reject; bgp_path.prepend(5);" % NETS[1]))
        D.text("reload in m1")
        T.wait({NETS[1]: None, NETS[0]: 7, **{net: "7s" for net in NETS[2:5]}})
        equal(counts()[2], 4, "stale routes")
        no_llgr = "if net = %s then bgp_community.add((65535, 7));" % NETS[2]
        change(conf(chan=table, filter="if net = %s then reject; %s bgp_path.prepend(5);" % (NETS[1], no_llgr)))
        T.wait({NETS[2]: None})
        p.end_of_rib()
        T.wait({net: None for net in NETS[3:5]})
        p.cease()
        T.wait({NETS[0]: None})
    change(conf())


def unread():
    """Its time ends while what it has told again waits to be read: here since its filter asks a table without data
    yet."""
    waits = "if roa_check(r5, net, bgp_path.last) = ROA_INVALID then reject;"
    long = 1 + SOON
    change(conf(chan="import table;"))  # or the changed filter would withdraw what is stale
    p = begin(restarts(0) + long_lived(long))
    p.reset()
    stale()
    began = time.monotonic()
    change(
        conf(chan="import table;", filter=waits).replace(
            "roa4 table r4;", "roa4 table r4; roa4 table r5 { rpki wait %d; };" % (2 * long + 2), 1
        )
    )
    p = up(restarts(0) + long_lived(long))
    p.update(NETS[:4], [65001, 8])
    p.end_of_rib()
    while time.monotonic() < began + long + 1.5:
        T.hears_nothing()
    T.wait({**{net: 8 for net in NETS[:4]}, NETS[4]: None})
    wait_counts(4, 0, 0)
    p.cease()
    gone(4)
    change(conf())


def shown_and_flushed():
    """`show route stale`, and `flush stale`: while it is away, and while it tells all again; by a restart or a
    refresh."""

    def listed(more=""):
        return sorted(set(re.findall(r"^(10\.\S+)", D.text("show route stale " + more), re.M)))

    p = begin(restarts())
    equal(listed(), [], "stale routes of one that is there")
    equal(D.code("flush stale m1"), 0, "with none")
    check("m1: no stale routes" in D.text("flush stale m1"), "the answer")
    p.reset()
    away()
    wait_counts(5, 0, 5)
    equal(listed(), NETS[:5], "stale routes")
    equal(listed("protocol m2"), [], "those of another")
    check("5 of " in D.text("show route stale count"), "their number: " + D.text("show route stale count"))
    p = up(restarts())
    p.update(NETS[:2], [65001, 7])
    wait_counts(5, 0, 3)
    equal(listed(), NETS[2:5], "what it hasn't sent again")
    check("m1: 3 stale routes flushed" in D.text('flush stale "m*"'), "the answer")
    T.wait({net: None for net in NETS[2:5]})
    wait_counts(2, 0, 0)
    check("Neighbor GR" not in shown(), "it isn't over: " + shown())
    p.update(NETS[2:3], [65001, 7])
    T.wait({NETS[2]: 7})
    p.reset()
    away()
    wait_counts(3, 0, 3)
    check("3 stale routes flushed" in D.text("flush stale all"), "the answer while it is away")
    gone(3)
    check("restart active" not in shown(), "it is waited for: " + shown())
    p = begin(b"\x46\0")
    p.send(message(REFRESH, struct.pack("!HBB", 1, 1, 1)))
    wait_counts(5, 0, 5)
    p.update(NETS[:1], [65001, 7])
    wait_counts(5, 0, 4)
    D.text("flush stale m1")
    T.wait({net: None for net in NETS[1:5]})
    p.cease()
    gone(1)
    equal(D.code("flush stale nosuch"), 9001, "an unknown protocol")
    cli = Cli(D.ctl)
    cli.run("restrict")
    equal(cli.run("flush stale m1")[-1][0], 8007, "a restricted session")


def silent():
    """It says nothing any more: the end of the hold time is like a broken connection."""
    p = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", hold=3, caps=restarts() + long_lived()).establish()
    p.update(NETS[:5], [65001, 7])
    T.wait({net: 7 for net in NETS[:5]})
    wait_until(lambda: D.sessions()["m1"][0] == "start", "the hold timer")
    check(p.wait_for(NOTIFICATION) is None, "it is told")
    check("Last error:       Socket: Hold timer expired" in shown(), "the reason: " + shown())
    T.hears_nothing()
    p.s.close()
    D.text("restart m1")
    gone()


NOTIFY = "graceful restart on; graceful restart notification;"


def said_of_restart(p):
    """Flags of capability 64 in the daemon's OPEN: N, R and F of IPv4."""
    seen = []

    def answers():
        try:
            p.send(p.open_message())
            seen.append(p.wait_for(OPEN))
        except (BrokenPipeError, ConnectionResetError):
            seen.append(None)
        if seen[-1] is None:
            p.s.close()
            p.dial()
        return seen[-1]

    wait_until(answers, "an OPEN", 40, 0.2)
    body, at = seen[-1], 12
    while body[at] != 64:
        at += 2 + body[at + 1]
    return body[at + 2] >> 6 & 1, body[at + 2] >> 7, body[at + 7] >> 7 if body[at + 1] > 2 else None


def back(want=(1, 0, 1)):
    """It comes back; what our OPEN says then."""
    p = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", caps=restarts(notify=True))
    equal(said_of_restart(p), want, "N, R and F")
    p.send(message(KEEPALIVE))
    check(p.wait_for(KEEPALIVE) is not None, "the session")
    p.update(NETS[:5], [65001, 7])
    p.end_of_rib()
    wait_counts(5, 0, 0)
    T.hears_nothing()
    return p


def after_notifications():
    """RFC 8538: with the bit on both sides routes stay after NOTIFICATIONs of either side, too, and after silence."""
    change(conf(NOTIFY))
    p = begin(restarts(notify=True))
    check("Also after NOTIFICATION" in shown().split("Neighbor capabilities")[1], "it isn't shown: " + shown())
    p.send(message(NOTIFICATION, b"\x03\x01"))
    away()
    wait_counts(5, 0, 5)
    T.hears_nothing()
    p = back()
    for command in ("restart m1", "a bad UPDATE", "another hold time"):
        if command == "restart m1":
            D.text(command)
            want = b"\x06\x04"
        elif command == "a bad UPDATE":
            p.send(message(UPDATE, b"\0\xff\0\0"))
            want = b"\x03\x01"
        else:
            change(conf(NOTIFY + " hold time 30;"))
            want = b"\x06\x06"
        equal((p.wait_for(NOTIFICATION) or b"")[:2], want, command)
        p.s.close()
        T.hears_nothing()
        p = back()
        wait_counts(5, 0, 0)
    p.cease()
    away()
    T.hears_nothing()
    p = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", hold=3, caps=restarts(notify=True)).establish()
    p.update(NETS[:5], [65001, 7])
    wait_counts(5, 0, 0)
    equal(p.wait_for(NOTIFICATION), b"\x04\0", "after the hold time")
    wait_counts(5, 0, 5)
    T.hears_nothing()
    D.text("disable m1")
    gone()
    change(conf())


def hard_reset(p, want):
    """It is told so, and nothing of it stays."""
    got = p.wait_for(NOTIFICATION)
    equal(got and got[: len(want)], want, "the NOTIFICATION")
    p.s.close()
    gone()


def hard_resets():
    """RFC 8538, 3 and 5: what isn't over soon is a Hard Reset, and it keeps nothing."""
    change(conf(NOTIFY))
    p = begin(restarts(notify=True))
    p.send(message(NOTIFICATION, b"\x06\x09\x06\x02\x03bye"))
    gone()
    wait_until(
        lambda: 'Received: Hard reset: Administrative shutdown: "bye"' in D.whole_log(), "the reset to be logged"
    )
    p.s.close()
    p = begin(restarts(notify=True))
    D.text('disable m1 "see you"')
    hard_reset(p, b"\x06\x09\x06\x02\x07see you")
    D.text("enable m1")
    p = begin(restarts(notify=True))
    change(conf(NOTIFY, number=65009))
    hard_reset(p, b"\x06\x09\x06\x06")
    change(conf(NOTIFY))
    p = begin(restarts(notify=True))
    change(re.sub(r"protocol bgp m1 (?s:.*?)\n(?=protocol)", "", conf(NOTIFY)))
    hard_reset(p, b"\x06\x09\x06\x03")
    for action in ("restart", "disable"):
        change(conf(NOTIFY, chan="import limit 5 action %s;" % action))
        p = begin(restarts(notify=True))
        p.update(NETS[5:6], [65001, 7])
        got = p.wait_for(NOTIFICATION)
        equal(got, b"\x06\x09\x06\x01\0\1\1\0\0\0\5", "with the limit")
        p.s.close()
        wait_until(lambda: T.told() is not None and all(T.has.get(net) is None for net in NETS), "its routes to go")
        D.text("enable m1")
    change(conf(NOTIFY))
    p = begin(restarts())  # it doesn't know that
    D.text("disable m1")
    hard_reset(p, b"\x06\x02")
    D.text("enable m1")
    p = begin(restarts())
    p.cease()
    gone()
    change(conf("graceful restart on;"))
    p = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", caps=restarts(notify=True))
    equal(said_of_restart(p), (0, 0, 0), "N, R and F without the option")
    p.s.close()
    change(conf())


ENHANCED = b"\x46\0"
ASK, BEGIN, END = 0, 1, 2


def refresh(kind):
    return message(REFRESH, struct.pack("!HBB", 1, kind, 1))


def refreshed_in():
    """RFC 7313: what it hasn't sent again between begin and end goes; a second begin counts anew."""
    p = begin(ENHANCED)
    p.send(refresh(BEGIN))
    wait_counts(5, 0, 5)
    p.update(NETS[:3], [65001, 7])
    wait_counts(5, 0, 2)
    p.send(refresh(BEGIN))
    wait_counts(5, 0, 5)
    T.hears_nothing()
    p.update(NETS[:2], [65001, 7])
    p.update(NETS[2:3], [65001, 8])
    p.end_of_rib()  # isn't its end
    T.wait({NETS[2]: 8})
    wait_counts(5, 0, 2)
    p.send(refresh(END))
    T.wait({NETS[3]: None, NETS[4]: None})
    p.send(refresh(END))
    wait_counts(3, 0, 0)
    p.send(refresh(BEGIN))
    wait_counts(3, 0, 3)
    p.cease()
    gone(3)
    p = begin(b"")  # without the capability the subtype isn't looked at
    p.send(refresh(BEGIN))
    p.update(NETS[:1], [65001, 8])  # when this has come it has been read
    T.wait({NETS[0]: 8})
    equal(counts(), (5, 0, 0), "routes")
    p.cease()
    gone()


def marks(p, until):
    """What it is told: refreshes, routes (one mark for many) and End-of-RIB, until so many marks."""
    seen = []
    while len(seen) < until:
        got = p.receive()
        check(got is not None, "the session has ended")
        kind, body = got
        now = ("ask", "begin", "end")[body[2]] if kind == REFRESH else "eor" if body == bytes(4) else "routes"
        if kind in (REFRESH, UPDATE) and (now != "routes" or seen[-1:] != ["routes"]):
            seen.append(now)
    return seen


def refreshed_out():
    p = up(ENHANCED)
    equal(marks(p, 2), ["routes", "eor"], "the first time")
    for _ in range(3):
        p.send(refresh(ASK))
        equal(marks(p, 3), ["begin", "routes", "end"], "asked")
    p.send(refresh(ASK) * 20)
    seen = marks(p, 3)
    equal(seen, ["begin", "routes", "end"], "asked often")
    p.cease()
    p = up()
    equal(marks(p, 2), ["routes", "eor"], "the first time")
    p.send(refresh(ASK))
    equal(marks(p, 2), ["routes", "eor"], "asked without the capability")
    p.cease()


def bird_refreshes():
    """Either asks the other one."""
    b = Bird(bird(5, "debug all;")).start()
    T.wait({net: 65001 for net in NETS[:5]})

    def said(text):
        with open(b.log) as f:
            return f.read().count(text)

    def imported():
        return re.search(r"(\d+) imported", b.text("show protocols all server")).group(1)

    D.text("reload in m1")
    wait_until(lambda: said("Sending END-OF-RR") == 1, "bird's answer")
    wait_counts(5, 0, 0)
    T.hears_nothing()
    wait_until(lambda: imported() == re.search(r"(\d+) exported", shown()).group(1), "bird to have all")
    before = imported()
    b.text("reload in server")
    wait_until(lambda: said("Got END-OF-RR") == 1 and said("Got BEGIN-OF-RR") == 1, "our answer")
    equal(imported(), before, "bird's routes after the refresh")
    b.stop()
    gone()


BIRD_MEMBER = """
router id 127.0.11.1; log "RUN/bird.log" all; protocol device {}
protocol static own { ipv4; %(routes)s }
protocol bgp server { local 127.0.11.1 port %(own)d as 65001; neighbor 127.0.10.1 port %(port)d as 65000; multihop; \
strict bind on;
  graceful restart on; %(more)s connect delay time 1; ipv4 { import all; export all; next hop self; }; }
"""


def bird(cnt, more=""):
    return BIRD_MEMBER % {
        "port": PORT,
        "own": BIRD_PORT,
        "more": more,
        "routes": "".join(" route %s blackhole;" % net for net in NETS[:cnt]),
    }


def bird_killed():
    """kill -9 of bird, which comes back with -R; then without, when it says that it has forgotten all."""
    b = Bird(bird(5)).start()
    T.wait({net: 65001 for net in NETS[:5]})
    wait_until(lambda: "AF preserved:\n" in shown() and "AF supported: ipv4" in shown(), "its capability")
    end(b.proc, signal.SIGKILL)
    away()
    T.hears_nothing()
    b.write(bird(4))
    b.start("-R")
    T.wait({NETS[4]: None})
    wait_counts(4, 0, 0)
    check("AF preserved: ipv4" in shown(), "its capability")
    end(b.proc, signal.SIGKILL)
    away()
    T.hears_nothing()
    b.start()
    wait_until(lambda: "AF preserved:\n" in shown(), "it to be back")
    T.told()
    wait_counts(4, 0, 0)
    b.stop()
    wait_until(lambda: T.told() is not None and all(T.has.get(net) is None for net in NETS), "its end")


def bird_long():
    b = Bird(bird(5, "graceful restart time 1; long lived graceful restart on; long lived stale time 500;")).start()
    T.wait({net: 65001 for net in NETS[:5]})
    wait_until(lambda: "LL stale time: 500" in shown(), "its capability")
    end(b.proc, signal.SIGKILL)
    T.wait({net: "65001s" for net in NETS[:5]})
    b.start("-R")
    T.wait({net: 65001 for net in NETS[:5]})
    wait_counts(5, 0, 0)
    b.stop()
    gone()


def bird_capability():
    """Ours has the octets of bird's."""
    text = (
        "router id 1.2.3.4; log \"RUN/bird.log\" all; protocol device {}\n"
        "protocol bgp p { local 127.0.10.5 port %d as 65000; neighbor 127.0.11.5 as 65005; multihop; passive;"
        " strict bind on; %s ipv4 { import all; export none; }; ipv6 { import all; export none; }; }\n"
    )
    for more in ("", "graceful restart off;", "graceful restart aware;", "long lived graceful restart off;"):
        seen = []
        for argv0 in (program("ternd"), BIRD):
            port = free_port()
            d = Daemon(text % (port, more))
            d.argv = lambda *more, d=d, a=argv0: [a, "-c", d.conf, "-s", d.ctl, "-P", d.pidfile] + list(more)
            d.start()
            p = Peer(port, "127.0.11.5", 65005, server="127.0.10.5")
            p.send(p.open_message())
            body = p.wait_for(OPEN)
            caps, at = [], 12
            while at < len(body):
                caps.append(body[at : at + 2 + body[at + 1]])
                at += 2 + body[at + 1]
            seen.append([c for c in caps if c[0] in (64, 70, 71)])
            p.s.close()
            d.kill()
        equal(seen[0], seen[1], "capabilities with '%s'" % more)


D = Daemon(conf()).start()
T = Third()
case("it comes back", comes_back)
case("it has forgotten", forgets)
case("it ends in good order", orderly_end)
case("last words", last_words)
case("not asked for", not_asked_for)
case("it comes too late", too_late)
case("a second restart during the first", twice)
case("an unnoticed restart", unnoticed)
case("a connection that was given up", given_up)
case("told to stop meanwhile", told_to_stop)
case("somebody else comes back", somebody_else)
case("limits", limits)
case("changed meanwhile", changed_meanwhile)
case("required", required)
case("long-lived", stays_long)
case("the end of long-lived ones", long_ends)
case("long-lived ones and a changed filter", long_policy)
case("unread input", unread)
case("show and flush", shown_and_flushed)
case("silence", silent)
case("NOTIFICATIONs", after_notifications)
case("Hard Resets", hard_resets)
case("refreshes of a member", refreshed_in)
case("refreshes for a member", refreshed_out)
bird_case("bird is killed", bird_killed)
bird_case("bird is away for long", bird_long)
bird_case("refreshes with bird", bird_refreshes)
bird_case("capability as bird's", bird_capability)
D.stop()
done()
