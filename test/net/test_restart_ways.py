# SPDX-License-Identifier: GPL-3.0-or-later
"""Members that restart (RFC 4724), in every combination: limits of routes with their actions, what is kept of refused
routes, ROAs that change while it is away and come back, reloads, a second restart during the first. What is to be there
is said by a model of a few lines; another member must be told that and no withdrawal more."""

from harness import *
import itertools

if KIND != "ternd":
    cannot_here("this is about ternd")

LIMITS = {"": None, "import block": 6, "import restart": 6, "receive block": 7, "receive disable": 7}
KEPT = ["", "import table;", "import keep filtered;"]
PORT = free_port()


def restarts(again):
    value = struct.pack("!HHBB", (0x8000 if again else 0) | 300, 1, 1, 0x80)
    return struct.pack("!BB", 64, len(value)) + value


def nets(octets):
    while octets:
        size = (octets[0] + 7) // 8
        yield "%d.%d.%d.%d/%d" % (*(octets[1 : 1 + size] + bytes(4))[:4], octets[0])
        octets = octets[1 + size :]


class Way:
    """One session. has: what is to be there; fresh: of that, what isn't stale."""

    def __init__(self, n, limit, kept, roa, reload, second):
        self.n, self.limit, self.kept, self.roa, self.reload, self.second = n, limit, kept, roa, reload, second
        self.name = "%d (%s)" % (
            n,
            ", ".join(x for x in (limit, kept, roa and "ROA", reload and "reload", second and "second") if x),
        )
        self.p, self.has, self.over = None, set(), False
        self.received, self.accepted = set(), set()  # in this session

    def conf(self):
        limit = (
            "%s limit %d action %s;" % (self.limit.split()[0], LIMITS[self.limit], self.limit.split()[1])
            if self.limit
            else ""
        )
        check_roa = "if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject;" if self.roa else ""
        return (
            "protocol bgp m%d from any { neighbor 127.0.33.%d as %d; ipv4 { %s %s import filter { if net ~ ["
            " 30.0.0.0/8+ ] then reject; %s accept; }; export none; }; }\n"
            % (self.n, self.n, 64000 + self.n, limit, self.kept, check_roa)
        )

    def net(self, k):
        """-1: one that the filter refuses."""
        return "30.%d.0.0/16" % self.n if k < 0 else "20.%d.%d.0/24" % (self.n, k)

    def comes(self, again=True):
        self.p = Peer(
            PORT, "127.0.33.%d" % self.n, 64000 + self.n, server="127.0.34.1", hold=0, caps=restarts(again)
        ).establish()
        self.received, self.accepted = set(), set()

    def goes(self):
        self.p.reset()

    def tells(self, *numbers):
        for k in numbers:
            try:
                self.p.update([self.net(k)])
            except OSError:
                check(self.limit.endswith(("restart", "disable")), "session %s has ended" % self.name)
            self.takes(k)

    # --- the model ---

    def refuses(self, k):
        return k < 0 or (self.roa and self.net(k) in ROAS)

    def full(self, cnt):
        return cnt >= LIMITS[self.limit]

    def hits(self):
        """Over the limit. Returns: whether the session goes on."""
        if self.limit.endswith("block"):
            return True
        self.over, self.has = True, set()
        return False

    def takes(self, k):
        if self.over:
            return
        if self.kept or not self.refuses(k):  # what a receive limit counts
            if self.limit.startswith("receive") and k not in self.received and self.full(len(self.received)):
                self.hits()
                return
            self.received.add(k)
        if self.refuses(k):
            self.has.discard(k)
            self.accepted.discard(k)
            return
        if self.limit.startswith("import") and k not in self.accepted and self.full(len(self.accepted)):
            self.hits()
            return
        self.accepted.add(k)
        self.has.add(k)

    def ends_rib(self):
        if not self.over:
            self.p.end_of_rib()
            self.has = set(self.accepted)


class Ears:
    """A member that is told everything."""

    def __init__(self):
        self.p = Peer(PORT, "127.0.33.250", 64999, server="127.0.34.1", hold=0).establish()
        self.has, self.withdrawn = set(), []

    def listen(self):
        while True:
            try:
                got = self.p.receive(0.05 / SLOW)
            except (socket.timeout, BlockingIOError):
                return
            check(got is not None, "the session of who is told has ended")
            if got[0] == UPDATE:
                body = got[1]
                gone = struct.unpack("!H", body[:2])[0]
                self.withdrawn += list(nets(body[2 : 2 + gone]))
                self.has -= set(self.withdrawn)
                length = struct.unpack("!H", body[2 + gone : 4 + gone])[0]
                self.has |= set(nets(body[4 + gone + length :]))

    def wait(self, step):
        """Until it has what it must; and nothing else was withdrawn."""
        want = {w.net(k) for w in WAYS for k in w.has}
        before = set(self.has)
        self.withdrawn = []

        def same():
            self.listen()
            return self.has == want

        wait_until(same, lambda: "%s: %s" % (step, self.differs(want)))
        stays(same, lambda: "%s: what is told a moment later: %s" % (step, self.differs(want)), 0.2)
        lost = [net for net in self.withdrawn if net in before & want]
        check(not lost, "%s: withdrawn without a reason: %s" % (step, lost[:9]))
        note("     %s: %d routes, %d withdrawn" % (step, len(want), len(self.withdrawn)))

    def differs(self, want):
        by = {}
        for net in self.has ^ want:
            by.setdefault(int(net.split(".")[1]), []).append(("too much: " if net in self.has else "missing: ") + net)
        return "; ".join("%s: %s" % (w.name, ", ".join(sorted(by[w.n]))) for w in WAYS if w.n in by)[:1500]


WAYS = [
    Way(n, *way)
    for n, way in enumerate(itertools.product(LIMITS, KEPT, (False, True), (False, True), (False, True)), 1)
]
ROAS = []


def conf():
    text = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
roa4 table r4;
protocol static { roa4 { table r4; }; %s }
template bgp any { local 127.0.34.1 port %d as 65000; multihop; passive; rs client; strict bind on; error wait time \
600, 600; error forget time 700;
  ipv4 { import all; export all; }; }
protocol bgp ears from any { neighbor 127.0.33.250 as 64999; ipv4 { import none; }; }
""" % (
        " ".join("route %s max 24 as 9;" % r for r in ROAS),
        PORT,
    )
    return text + "".join(w.conf() for w in WAYS)


def change(d):
    d.write(conf())
    check(d.code("configure") in (3, 4), "configure")


def reload(d, step, ears):
    for w in WAYS:
        if w.reload and not w.over:
            d.run("reload in m%d" % w.n)
    ears.wait(step)


def ways():
    d = Daemon(conf()).start()
    ears = Ears()
    for w in WAYS:
        w.comes(again=False)
        w.tells(0, 1, 2, 3, 4, -1)
        w.ends_rib()
    ears.wait("at first")
    for w in WAYS:
        w.goes()
    wait_until(lambda: d.established() == 1, lambda: "the sessions to end: %d" % d.established())
    ears.wait("all are away")
    ROAS[:] = [w.net(1) for w in WAYS if w.roa]
    change(d)
    for w in WAYS:
        if w.roa:  # what isn't kept can't be decided again
            w.has = {k for k in w.has if not w.refuses(k)} if w.kept else set()
    ears.wait("ROAs have changed")
    reload(d, "reloads while they are away", ears)
    stale = lambda: int(re.search(r"(\d+) of", d.text("show route stale count")).group(1))
    again = [w for w in WAYS if w.second]
    for w in again:
        w.comes()
        w.tells(0)
    ears.wait("some come back")
    old = sum(len(w.has) for w in WAYS) - len(again)
    wait_until(lambda: stale() == old, lambda: "%d routes are stale, not %d" % (stale(), old))
    for w in again:
        w.goes()
        w.has = {0}  # what was stale already goes (RFC 4724, 4.2)
    ears.wait("and are away again")
    for w in WAYS:
        w.comes()
        w.tells(0, 1, 2, 5, 6, 7, 8, -1)
    ears.wait("all have come back")
    reload(d, "reloads before the end", ears)
    ROAS.extend([w.net(3) for w in WAYS if w.roa])
    change(d)
    for w in WAYS:
        if w.kept:
            w.has -= {k for k in w.has if w.refuses(k)}
    ears.wait("more ROAs")
    equal(stale(), sum(len(w.has - w.accepted) for w in WAYS if not w.over), "stale routes")
    for w in WAYS:
        w.ends_rib()
    ears.wait("End-of-RIB")
    equal(stale(), 0, "stale routes after End-of-RIB")
    ROAS.clear()
    change(d)
    for w in WAYS:
        if w.roa and w.kept and not w.over and 1 in w.received:
            w.takes(1)
    ears.wait("ROAs are as before")
    equal(
        {w.name for w in WAYS if w.over},
        {w.name for w in WAYS if not d.sessions()["m%d" % w.n][2].startswith("Established")},
        "sessions that a limit has ended",
    )
    d.stop()


case("ways", ways)
done()
