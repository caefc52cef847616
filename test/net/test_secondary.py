# SPDX-License-Identifier: GPL-3.0-or-later
"""`secondary`: bird2 and ternd get the same changes, and after each round their members hold what a model says that
looks at everything: the best of the routes that are neither the member's own nor refused by its filter. So says
`show route export`. In between members go and return, ask for all again, and filters change; what a changed filter
leaves as it is isn't sent."""

import harness
from harness import *

import namespace

if not os.access(BIRD, os.X_OK):
    needs("bird2")
SERVER = "100.127.255.254"
MEMBERS = range(1, 6)
NETS = ["10.1.%d.0/24" % i for i in range(40)]
ROUNDS = 200 if SOAK else 30
LONGEST = 4  # the path that the second filter lets through

HEAD = """
router id 100.127.255.254;
log "RUN/bird.log" all;
protocol device {}
ipv4 table master4 sorted;
template bgp any { local %s port %d as 65000; direct; passive; rs client; error wait time 1, 1; connect delay time 1; }
"""
MEMBER = """
protocol bgp m%(k)d from any { neighbor 100.64.0.%(k)d as %(as)d;
  ipv4 { import all; export filter { if (0, %(k)d) ~ bgp_community then reject; %(more)s accept; }; secondary %(on)s; \
}; }
"""
MORE = [
    "",
    "if bgp_path.len > %d then reject;" % LONGEST,
    "if (7, 7) ~ bgp_community then reject; if bgp_path.len >= %d then reject;" % (LONGEST + 1),
]
PROOF = "10.2.0.0/24"  # no member's that has the last of them holds it, if it has that community


def communities(refused):
    return attribute(0xC0, 8, b"".join(struct.pack("!HH", 0, k) for k in refused)) if refused else b""


class Member(Peer):
    """What a session holds is in .held: {net: path}."""

    def __init__(self, port, k):
        super().__init__(port, "100.64.0.%d" % k, 65000 + k, server=SERVER)
        self.held = {}
        self.updates = 0
        self.establish()

    def refresh(self):
        self.send(message(5, b"\0\1\0\1"))

    def take(self):
        """All that lies in the socket."""
        self.s.setblocking(False)
        try:
            while True:
                d = self.s.recv(1 << 20)
                check(d, "a session has ended")
                self.buf += d
        except BlockingIOError:
            pass
        while len(self.buf) >= 19:
            length, kind = struct.unpack("!HB", self.buf[16:19])
            if len(self.buf) < length:
                return
            body, self.buf = self.buf[19:length], self.buf[length:]
            check(kind != NOTIFICATION, "a NOTIFICATION came")
            if kind == UPDATE:
                self.read(body)

    def read(self, body):
        gone = 2 + struct.unpack("!H", body[:2])[0]
        end = gone + 2 + struct.unpack("!H", body[gone : gone + 2])[0]
        attrs, path = body[gone + 2 : end], None
        while attrs:
            code, head = attrs[1], 4 if attrs[0] & 0x10 else 3
            length = int.from_bytes(attrs[2:head], "big")
            value, attrs = attrs[head : head + length], attrs[head + length :]
            if code == 2:  # one sequence
                path = struct.unpack("!%dI" % value[1], value[2:])
        for part, what in ((body[2:gone], None), (body[end:], path)):
            for net in nets_of(part):
                self.updates += 1
                if what is None:
                    self.held.pop(net, None)
                else:
                    self.held[net] = what


def nets_of(octets):
    found = []
    while octets:
        size = (octets[0] + 7) // 8
        found.append("%s/%d" % (socket.inet_ntoa((octets[1 : 1 + size] + bytes(4))[:4]), octets[0]))
        octets = octets[1 + size :]
    return found


class Side:
    """One of the two daemons, with its members."""

    def __init__(self, kind):
        harness.KIND = self.kind = kind
        self.port = free_port()
        self.daemon = Daemon(self.conf({k: 0 for k in MEMBERS}, MEMBERS)).start()
        self.member = {}

    def conf(self, variant, second):
        return HEAD % (SERVER, self.port) + "".join(
            MEMBER % {"k": k, "as": 65000 + k, "more": MORE[variant[k]], "on": "on" if k in second else "off"}
            for k in MEMBERS
        )


class World:
    def __init__(self, rng, sides):
        self.rng, self.sides = rng, sides
        self.told = {k: {} for k in MEMBERS}  # net -> (path, who may not have it)
        self.up = set()
        self.variant = {k: 0 for k in MEMBERS}
        self.second = set(MEMBERS) - {5}

    def give(self, k, nets, route):
        path, refused = route
        for s in self.sides:
            s.member[k].update(nets, path, extra=communities(refused))
        for n in nets:
            self.told[k][n] = route

    def join(self, k):
        for s in self.sides:
            s.member[k] = Member(s.port, k)
        self.up.add(k)

    def leave(self, k):
        for s in self.sides:
            s.member.pop(k).cease()
        self.up.discard(k)
        self.told[k] = {}

    def route(self, k):
        path = [65000 + k] + [self.rng.randrange(100, 104) for _ in range(self.rng.randrange(LONGEST + 1))]
        return path, [j for j in MEMBERS if self.rng.random() < 0.2]

    def change(self):
        rng = self.rng
        k = rng.choice(list(MEMBERS))
        if k not in self.up:
            self.join(k)
        elif rng.random() < 0.04:
            self.leave(k)
        elif rng.random() < 0.05:
            for s in self.sides:
                s.member[k].refresh()
        elif rng.random() < 0.3 and self.told[k]:
            nets = rng.sample(sorted(self.told[k]), min(len(self.told[k]), rng.randrange(1, 6)))
            for s in self.sides:
                s.member[k].withdraw(nets)
            for n in nets:
                del self.told[k][n]
        else:
            self.give(k, rng.sample(NETS, rng.randrange(1, 8)), self.route(k))

    def configure(self):
        for s in self.sides:
            s.daemon.write(s.conf(self.variant, self.second))
            check(s.daemon.code("configure") in (3, 4), "configure")

    def chosen(self, k):
        """{net: (whose, path)} of what member k must hold."""
        found = {}
        for n in NETS:
            order = sorted((len(self.told[j][n][0]), j) for j in self.up if n in self.told[j])
            for _, j in order if k in self.second else order[:1]:
                path, refused = self.told[j][n]
                if j != k and k not in refused and not (self.variant[k] and len(path) > LONGEST):
                    found[n] = (j, tuple(path))
                    break
        return found

    def agree(self, what):
        for s in self.sides:

            def holds():
                for m in s.member.values():
                    m.take()
                return all(s.member[k].held == {n: p for n, (_, p) in self.chosen(k).items()} for k in self.up)

            wait_until(holds, lambda: "%s: %s: %s" % (s.kind, what, self.wrong(s)), 15)

    def wrong(self, s):
        return [
            "m%d %s: holds %s, must hold %s" % (k, n, s.member[k].held.get(n), self.chosen(k).get(n))
            for k in self.up
            for n in NETS
            if s.member[k].held.get(n) != (self.chosen(k).get(n) or (0, None))[1]
        ][:3]

    def shown(self):
        for s in self.sides:
            for k in self.up:
                text = s.daemon.text("show route export m%d" % k)
                got = {n: int(j) for n, j in re.findall(r"^(10\S+) .*\[m(\d) ", text, re.M)}
                equal(got, {n: j for n, (j, _) in self.chosen(k).items()}, "%s: show route export m%d" % (s.kind, k))


def start(kinds):
    sides = [Side(kind) for kind in kinds]
    w = World(random.Random(SEED), sides)
    w.configure()
    for k in MEMBERS:
        w.join(k)
    return w


def stop(w):
    for s in w.sides:
        for m in s.member.values():
            m.cease()
        harness.KIND = s.kind
        s.daemon.stop()


def random_changes():
    w = start(["bird2", "ternd"])
    for i in range(ROUNDS):
        for _ in range(w.rng.randrange(1, 25)):
            w.change()
        if i % 5 == 4:
            k = w.rng.choice(list(MEMBERS))
            w.variant[k] = w.rng.randrange(len(MORE))
            w.configure()
        w.agree("round %d" % i)
        if i % 3 == 2:
            w.shown()
    stop(w)


def silent_filter():
    """A changed filter, with which all is as it was: no member is told anything."""
    w = start(["ternd"])
    for k in MEMBERS:
        for n in NETS:
            w.give(k, [n], w.route(k))
    w.variant = {k: 1 for k in MEMBERS}
    w.configure()
    w.agree("at first")
    member = w.sides[0].member

    def wait_holders(want, what):
        def holders():
            for m in member.values():
                m.take()
            return {k for k, m in member.items() if PROOF in m.held}

        wait_until(lambda: holders() == want, lambda: "%s: %s hold it" % (what, holders()))

    for k, who in (1, {2, 3, 4, 5}), (2, set(MEMBERS)):  # the best one first: nobody is told twice
        member[k].update([PROOF], extra=attribute(0xC0, 8, struct.pack("!HH", 7, 7)))
        wait_holders(who, "a prefix for each")
    told = {k: m.updates for k, m in member.items()}
    w.variant = {k: 2 for k in MEMBERS}
    w.configure()
    wait_holders(set(), "the filter that refuses it")  # the workers have gone over what there was
    w.give(1, ["10.1.0.0/24"], ([65001], []))  # what comes after it has come: so has all before
    w.agree("after it")
    for k, m in member.items():
        check(m.updates - told[k] <= 2, "m%d is told %d nets" % (k, m.updates - told[k]))
    stop(w)


def option():
    """The option is taken away from one and given to another: both restart, and hold what they must."""
    w = start(["ternd"])
    for k in MEMBERS:
        for n in NETS:
            w.give(k, [n], w.route(k))
    w.agree("at first")
    for k, on in ((1, False), (5, True)):
        w.second.symmetric_difference_update({k})
        for s in w.sides:
            s.member.pop(k).s.close()
        w.up.discard(k)
        w.told[k] = {}
        w.configure()
        w.join(k)
        for n in NETS:
            w.give(k, [n], w.route(k))
        w.agree("m%d, secondary %s" % (k, "on" if on else "off"))
        w.shown()
    stop(w)


in_namespace()
namespace.lan()
case("random changes beside bird2", random_changes)
case("a changed filter with equal outcome", silent_filter)
case("the option changes", option)
done()
