# SPDX-License-Identifier: GPL-3.0-or-later
"""Several routes a prefix from one peer (RFC 7911): from members that are played by hand, and from bird, which
is given them by several members and passes them all on."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
PORT = free_port()

RX, TX, BOTH = 1, 2, 3
NETS = ["10.%d.0.0/16" % i for i in range(1, 9)]

HEAD = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
roa4 table r4;
protocol static roas { roa4 { table r4; };%(roas)s }
template bgp any { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; strict bind on;
  error wait time 1, 1; connect delay time 1; }
"""
OURS = (
    HEAD
    + """
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001;
  ipv4 { import keep filtered; import limit %(limit)d action block; import filter { %(filter)s accept; }; export none;
    add paths rx; require add paths; }; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; ipv4 { import all; export all; }; }
"""
)


def conf(text=OURS, limit=1000, roas=(), filter=""):
    return text % {"port": PORT, "limit": limit, "filter": filter, "roas": "".join(" route %s;" % r for r in roas)}


def add_path(way, afi=1):
    return struct.pack("!BBHBB", 69, 4, afi, 1, way)


def paths(d, net, more=""):
    """The last AS of each path of a net, the best one first."""
    return [int(p.split()[-1]) for p in re.findall(r"BGP.as_path: (.*)", d.text("show route %s all %s" % (net, more)))]


def wait_paths(d, net, want, more=""):
    wait_until(
        lambda: paths(d, net, more) == want, lambda: "paths of %s: %s, not %s" % (net, paths(d, net, more), want)
    )


def counts(d, name):
    m = re.search(r"Routes: +(\d+) imported, (?:(\d+) filtered, )?", d.text("show protocols all " + name))
    return (int(m.group(1)), int(m.group(2) or 0)) if m else None  # its session isn't up yet


def wait_counts(d, name, want):
    wait_until(lambda: counts(d, name) == want, lambda: "routes of %s: %s, not %s" % (name, counts(d, name), want), 60)


def wait_up(d, name):
    """What its peer has seen it may not have."""
    wait_until(lambda: d.sessions()[name][0] == "up", "%s to be up" % name)


def told(peer, net):
    """The last AS of the path that a member is told next for a net; None: it is withdrawn. What came while its session
    did may be told twice."""
    last = peer.__dict__.setdefault("last_told", {})
    while True:
        now = told_next(peer, net)
        if net not in last or last[net] != now:
            last[net] = now
            return now


def told_next(peer, net):
    while True:
        body = peer.wait_for(UPDATE)
        check(body is not None, "the session has ended")
        withdrawn = struct.unpack("!H", body[:2])[0]
        if nlri(net) in body[2 : 2 + withdrawn]:
            return None
        length = struct.unpack("!H", body[2 + withdrawn : 4 + withdrawn])[0]
        attrs, nets = body[4 + withdrawn :][:length], body[4 + withdrawn + length :]
        if nlri(net) in nets:
            at = attrs.index(b"\x40\x02") + 3
            return struct.unpack("!I", attrs[at + 4 * attrs[at + 1] - 2 :][:4])[0]


def by_hand():
    """Each identifier is a route of its own; the best one is passed on."""
    p, q = member(PORT, 1, add_path(TX)), member(PORT, 2)
    net = NETS[0]
    p.update([(1, net)], [65001, 7, 11])
    equal(told(q, net), 11, "the first")
    p.update([(0, net), (0xFFFFFFFF, net), (5, NETS[1])], [65001, 12])
    equal(told(q, net), 12, "a better one")
    wait_paths(D, net, [12, 12, 11])
    wait_counts(D, "m1", (4, 0))
    p.update([(1, net), (1, net)], [65001, 13])
    wait_paths(D, net, [12, 12, 13])  # equal ones in the order of their octets, then of identifiers
    p.withdraw([(0, net), (77, net)])
    wait_paths(D, net, [12, 13])
    p.withdraw([(0xFFFFFFFF, net)])
    equal(told(q, net), 13, "the best but one")
    wait_paths(D, net, [13])
    p.withdraw([(1, net)])
    equal(told(q, net), None, "the last one")
    wait_paths(D, net, [])
    wait_paths(D, NETS[1], [12])
    p.cease()
    equal(told(q, NETS[1]), None, "with the session")
    q.cease()


def reloads():
    """A changed filter and a changed ROA look at all of them again, without asking the peer."""
    p = member(PORT, 1, add_path(TX))
    net = NETS[2]
    for i in range(1, 6):
        p.update([(i, net)], [65001] + [7] * i + [20 + i])
    wait_paths(D, net, [21, 22, 23, 24, 25])
    D.write(conf(filter="if bgp_path.last = 21 || bgp_path.last > 23 then reject;"))
    equal(D.code("configure"), 3, "configure")
    wait_paths(D, net, [22, 23])
    wait_paths(D, net, [21, 24, 25], "filtered")
    wait_counts(D, "m1", (2, 3))
    by_roa = "if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject;"
    D.write(conf(filter=by_roa))
    equal(D.code("configure"), 3, "configure")
    wait_paths(D, net, [21, 22, 23, 24, 25])
    D.write(conf(filter=by_roa, roas=["%s max 16 as 22" % net, "%s max 16 as 25" % net]))
    equal(D.code("configure"), 3, "configure")
    wait_paths(D, net, [22, 25])
    D.write(conf(filter="if bgp_path.last = 21 then reject;"))
    equal(D.code("configure"), 3, "configure")
    wait_paths(D, net, [22, 23, 24, 25])
    before = D.filtered("m1")
    equal(D.code("reload in m1"), 0, "reload in")
    wait_until(lambda: D.filtered("m1") > before, "a reload")
    equal(p.lying(REFRESH), 0, "refreshes asked for")
    p.cease()
    wait_paths(D, net, [])
    D.write(conf())
    equal(D.code("configure"), 3, "configure")


def limits():
    D.write(conf(limit=4))
    equal(D.code("configure"), 3, "configure")
    p = member(PORT, 1, add_path(TX))
    p.update([(i, n) for n in NETS[:2] for i in range(1, 4)], [65001])
    wait_counts(D, "m1", (4, 2))  # `import keep filtered` keeps what the limit blocks
    equal((len(paths(D, NETS[0])), len(paths(D, NETS[1]))), (3, 1), "routes of each")
    p.withdraw([(2, NETS[0])])
    p.update([(9, NETS[3])], [65001, 5])
    wait_paths(D, NETS[3], [5])
    p.cease()
    D.write(conf())
    equal(D.code("configure"), 3, "configure")


def refused(caps, octets, what, code):
    """A session with @caps that sends @octets ends with NOTIFICATION @code."""
    p = member(PORT, 1, caps)
    p.update([(1, NETS[0])], [65001])
    wait_paths(D, NETS[0], [65001])
    p.send(message(UPDATE, octets))
    equal(p.wait_for(NOTIFICATION)[:2], bytes(code), what)
    p.s.close()
    wait_paths(D, NETS[0], [])


def malformed():
    """NLRI that can't be read cost the session (RFC 7606, 5.3), bad attributes the routes alone."""
    cut = nlri((2, NETS[0]))[:-1]
    refused(add_path(TX), struct.pack("!H", len(cut)) + cut + b"\0\0", "half a prefix", (3, 10))
    alone = struct.pack("!HH", 0, 0) + nlri(NETS[0])
    refused(add_path(TX), alone, "no identifier", (3, 10))
    p = member(PORT, 1, add_path(TX))
    p.update([(1, NETS[0]), (2, NETS[0])], [65001])
    wait_paths(D, NETS[0], [65001, 65001])
    p.update([(2, NETS[0]), (3, NETS[0])], [65001, 9], extra=attribute(0xC0, 8, b"\0\0\0"))
    wait_paths(D, NETS[0], [65001])
    passes(1.1)  # a line a second
    p.update([(1, "127.0.0.0/8"), (7, NETS[0])], [65001, 8])
    wait_paths(D, NETS[0], [65001, 8])
    wait_until(lambda: "Ignoring bogus route 127.0.0.0/8" in D.said(), "a word of the bogus one")
    p.cease()
    wait_paths(D, NETS[0], [])


def capabilities():
    """What is required is required, and a capability with another value isn't one."""
    for caps in (b"", add_path(RX), add_path(TX, 2), add_path(4), struct.pack("!BB3s", 69, 3, b"\0\1\1")):
        wait_until(lambda: D.sessions()["m1"][2].startswith("Passive"), "the error wait time to be over")
        p = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", caps=caps)
        p.send(p.open_message())
        body = p.wait_for(NOTIFICATION)
        equal(body and body[:2], b"\2\7", "with %r" % caps)
        p.s.close()
    p = member(PORT, 1, add_path(BOTH))
    wait_up(D, "m1")
    shown = D.text("show protocols all m1")
    check("      ADD-PATH\n        RX: ipv4\n        TX:\n" in shown, shown)
    check("      ADD-PATH\n        RX: ipv4\n        TX: ipv4\n" in shown, shown)
    p.cease()
    q = member(PORT, 2, add_path(BOTH))
    wait_up(D, "m2")
    check("RX:" not in D.text("show protocols all m2").split("Neighbor capabilities")[0], "m2 announces it")
    q.update([NETS[0]], [65002])  # not negotiated: none
    wait_paths(D, NETS[0], [65002])
    q.cease()


def many():
    """65,535 routes of one prefix, in any order; memory comes back."""
    D.write(conf(limit=100000))
    equal(D.code("configure"), 3, "configure")
    cnt = 65535 if SLOW == 1 else 6000
    ids = list(range(1, cnt + 1))
    random.Random(SEED).shuffle(ids)
    p = member(PORT, 1, add_path(TX))
    for at in range(0, cnt, 400):
        p.update([(i, NETS[0]) for i in ids[at : at + 400]], [65001] + [5] * (at // 400 % 7))
    wait_counts(D, "m1", (cnt, 0))
    for at in range(0, cnt - 10, 400):
        p.withdraw([(i, NETS[0]) for i in ids[at : min(at + 400, cnt - 10)]])
    wait_counts(D, "m1", (10, 0))
    p.cease()
    wait_paths(D, NETS[0], [])
    D.write(conf())
    equal(D.code("configure"), 3, "configure")


# ---- bird passes on what three members say ----

FROM_BIRD = (
    HEAD
    + """
protocol bgp b from any { passive off; neighbor 127.0.10.9 port %(other)d as 65009;
  ipv4 { import all; export none; add paths rx; }; }
"""
)
THEIRS = """
router id 10.0.0.9;
log "RUN/other.log" all;
protocol device {}
template bgp any { local 127.0.10.9 port %(other)d as 65009; multihop; passive; rs client; strict bind on;
  error wait time 1, 1; connect delay time 1; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; ipv4 { import all; export none; add paths rx; }; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; ipv4 { import all; export none; }; }
protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; ipv4 { import all; export none; }; }
protocol bgp t from any { neighbor 127.0.10.1 as 65000; ipv4 { import none; export all; add paths tx; }; }
"""


def held(text):
    """Nets with the sets of attributes of their routes, however these are ordered."""
    found, net = {}, None
    for block in re.split(r"\n(?=\S+/\d+ |  +unreachable)", text):
        head = re.match(r"(\d\S+/\d+)? +unreachable", block)
        if head:
            net = head.group(1) or net
            attrs = tuple(re.findall(r"BGP\.(?:as_path|next_hop|community|med|origin): .*", block))
            found.setdefault(net, []).append(attrs)
    return {n: sorted(v) for n, v in found.items()}


def same(d, other):
    wait_until(
        lambda: held(d.text("show route all")) == held(other.text("show route all")),
        lambda: "tern has\n%s\nbird\n%s" % (d.text("show route all"), other.text("show route all")),
    )


def from_bird():
    port = free_port()
    other = Bird(THEIRS % {"other": port}).start()
    d = Daemon((FROM_BIRD % {"port": PORT, "other": port, "roas": ""})).start()
    rng = random.Random(SEED)
    peers = []
    for n in (1, 2, 3):
        p = Peer(port, "127.0.11.%d" % n, 65000 + n, server="127.0.10.9", caps=add_path(TX) if n == 1 else b"")
        peers.append(p.establish())
    wait_up(d, "b")
    check("      ADD-PATH\n        RX: ipv4\n        TX:\n" in d.text("show protocols all b"), "our capability")
    for step in range(40 if SOAK else 12):
        for _ in range(60):
            i = rng.randrange(3)
            net = rng.choice(NETS)
            if i == 0:
                net = (rng.randrange(4), net)
            if rng.randrange(3):
                path = [65001 + i] + [rng.randrange(1, 9) for _ in range(rng.randrange(4))]
                peers[i].update([net], path, extra=attribute(0xC0, 8, struct.pack("!HH", 1, rng.randrange(5))))
            else:
                peers[i].withdraw([net])
        if step % 4 == 3:
            d.run("restart b")
            d.wait_established(1)
        same(d, other)
    check(max(len(v) for v in held(d.text("show route all")).values()) > 3, "no net has four routes")
    peers[0].cease()
    same(d, other)
    d.stop()


def capability_as_bird():
    """Our OPEN has the octets of bird's."""
    text = (
        "router id 1.2.3.4; log \"RUN/bird.log\" all; protocol device {}\n"
        "protocol bgp p { local 127.0.10.5 port %d as 65000; neighbor 127.0.11.5 as 65005; multihop; passive;"
        " strict bind on; ipv4 { import all; export none; add paths rx; };"
        " ipv6 { import all; export none; %s }; }\n"
    )
    for six in ("add paths rx;", "add paths tx;", "add paths on;", "add paths off;"):
        seen = []
        for argv0 in (program("ternd"), BIRD):
            port = free_port()
            d = Daemon(text % (port, six))
            d.argv = lambda *more, d=d, a=argv0: [a, "-c", d.conf, "-s", d.ctl, "-P", d.pidfile] + list(more)
            d.start()
            p = Peer(port, "127.0.11.5", 65005, server="127.0.10.5")
            p.send(p.open_message())
            body = p.wait_for(OPEN)
            caps, at = [], 12
            while at < len(body):
                caps.append(body[at : at + 2 + body[at + 1]])
                at += 2 + body[at + 1]
            seen.append([c for c in caps if c[0] == 69])
            p.s.close()
            d.kill()
        equal(seen[0], seen[1], "capability 69")


D = Daemon(conf()).start()
case("routes by identifier", by_hand)
case("changed filters and ROAs", reloads)
case("limits count routes", limits)
case("malformed", malformed)
case("capabilities", capabilities)
case("one prefix with many routes", many)
D.stop()
if os.path.exists(BIRD):
    case("from bird", from_bird)
    case("capability as bird's", capability_as_bird)
done()
