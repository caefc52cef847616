# SPDX-License-Identifier: GPL-3.0-or-later
"""All routes of a prefix to those who take them (RFC 7911): members that are played by hand say the same to ternd
and to bird, and are told the same by both, path identifiers apart; after random changes, sessions that end, changed
filters and refreshes. No identifier is withdrawn that wasn't announced, and no route has two."""

from harness import *
from view import View

if KIND != "ternd":
    cannot_here("this is about ternd")
if not os.path.exists(BIRD):
    needs("bird2")

NETS = ["10.%d.0.0/16" % i for i in range(1, 9)]
RX, TX, BOTH = 1, 2, 3
TAKES = {1: BOTH, 2: RX, 3: 0, 4: RX}  # what each member announces; the daemon has the other side of it
OPTION = {BOTH: "add paths on;", RX: "add paths tx;", 0: ""}

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp any { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; strict bind on;
  error wait time 1, 1; connect delay time 1; }
"""


def conf(port, filters=None):
    text = CONF % {"port": port}
    for n, way in TAKES.items():
        text += (
            "protocol bgp m%d from any { neighbor 127.0.11.%d as %d; ipv4 { import all; export filter { %s accept; };"
            " %s }; }\n" % (n, n, 65000 + n, (filters or {}).get(n, ""), OPTION[way])
        )
    return text


def view(who, port, n):
    way = TAKES[n]
    peer = member(port, n, struct.pack("!BBHBB", 69, 4, 1, 1, way) if way else b"")
    # bird withdraws more than it has announced
    return View("m%d of %s" % (n, who), peer, way & RX, "tern" in who)


class Server:
    """One of the two daemons with its members."""

    def __init__(self, argv0):
        self.name = os.path.basename(argv0)
        self.port = free_port()
        self.d = Daemon(conf(self.port))
        self.d.argv = lambda *more: [argv0, "-c", self.d.conf, "-s", self.d.ctl, "-P", self.d.pidfile] + list(more)
        self.d.start()
        self.view = {n: view(self.name, self.port, n) for n in TAKES}

    def restart(self, n):
        self.view[n].peer.cease()
        self.view[n] = view(self.name, self.port, n)

    def configure(self, filters):
        self.d.write(conf(self.port, filters))
        equal(self.d.code("configure"), 3, "configure")


def settled(servers, said):
    """Both have told the same, and it is what was said: to those who take all, each route of the others once."""

    def same():
        for s in servers:
            for v in s.view.values():
                v.drain()
        return all(servers[0].view[n].held() == servers[1].view[n].held() for n in TAKES) and complete(servers[0])

    def complete(s):
        if said is None:
            return True
        want = {}
        for (n, net), mine in said.items():
            for path in set(mine.values()):
                want.setdefault(net, []).append((n, path))
        for n in TAKES:
            if TAKES[n] & RX:
                cnt = sum(len([1 for who, _ in v if who != n]) for v in want.values())
                if sum(len(v) for v in s.view[n].held().values()) < cnt:
                    return False
        return True

    def shown():
        text = ""
        for n in TAKES:
            a, b = (s.view[n].held() for s in servers)
            for net in sorted(set(a) | set(b)):
                if a.get(net) != b.get(net):
                    text += "m%d, %s: tern %r\n bird %r\n" % (n, net.hex(), a.get(net), b.get(net))
        return text or "the same, but not all"

    wait_until(same, shown)
    for v in servers[0].view.values():
        for net, routes in v.held().items():
            check(len(set(routes)) == len(routes), "%s: a route of %s has two identifiers" % (v.who, net.hex()))


def change(servers, rng, said):
    n = rng.choice(list(TAKES))
    net = rng.choice(NETS)
    ident = rng.randrange(4) if TAKES[n] & TX else 0
    mine = said.setdefault((n, net), {})
    named = (ident, net) if TAKES[n] & TX else net
    if rng.randrange(3):
        # Routes of one member aren't equal: bird would take the older one for the best.
        more = ident if TAKES[n] & TX else rng.randrange(4)
        path = tuple([65000 + n] + [rng.randrange(1, 9) for _ in range(more)])
        mine[ident] = path
        for s in servers:
            s.view[n].peer.update([named], list(path))
    else:
        mine.pop(ident, None)
        for s in servers:
            s.view[n].peer.withdraw([named])


def churn():
    servers = [Server(program("ternd")), Server(BIRD)]
    rng = random.Random(SEED)
    said = {}
    filters = [
        {},
        {2: "if bgp_path.len > 2 then reject;"},
        {2: "if net = 10.3.0.0/16 then reject;", 4: "bgp_community.add((1,2));"},
    ]
    for step in range(60 if SOAK else 16):
        for _ in range(rng.choice((1, 10, 80))):
            change(servers, rng, said)
        settled(servers, said if step % 8 < 4 else None)
        if step % 4 == 1:
            n = rng.choice(list(TAKES))
            for s in servers:
                s.restart(n)
            for key in [k for k in said if k[0] == n]:
                del said[key]
            settled(servers, None)
        if step % 4 == 3:
            chosen = rng.choice(filters)
            for s in servers:
                s.configure(chosen)
            settled(servers, None)
            for s in servers:
                s.view[2].peer.send(message(REFRESH, b"\0\1\0\1"))
            settled(servers, None)
        if step % 8 == 7:
            for s in servers:
                s.configure({})
            settled(servers, said)
    most = max(len(v) for v in servers[0].view[2].held().values())
    check(most > 3, "at most %d routes of a net" % most)
    for n in TAKES:
        for s in servers:
            s.view[n].peer.cease()
    servers[0].d.stop()
    servers[1].d.kill()


case("two daemons under the same churn", churn)
done()
