# SPDX-License-Identifier: GPL-3.0-or-later
"""AIGP (RFC 7311): who takes it and is told it, what the way to the next hop adds, and its part in the decision. The
peers sit on one link, in a network namespace of their own. The same tables hold for bird2 2.0.12: TERN_DAEMON=bird2."""

from harness import *

# Peers: last octet of the address: AS, options of the session, of the channel.
PEERS = {
    2: (202, "", "aigp on; cost 20;"),
    3: (203, "", "aigp on;"),
    4: (65000, "direct;", ""),
    5: (205, "", "aigp on;"),
    6: (65000, "direct;", "aigp originate;"),
    7: (207, "", "aigp originate; cost 7;"),
    8: (65000, "direct;", "next hop self;"),
    9: (205, "", "next hop self; aigp on;"),
    10: (210, "", ""),
    11: (65000, "direct;", "aigp off; next hop self;"),
}
METRIC = {
    26: lambda v: "aigp %d" % struct.unpack("!Q", v[3:11]),
    3: lambda v: "via " + socket.inet_ntoa(v).split(".")[3],
}


def aigp(metric, after=b""):
    return attribute(0x80, 26, b"\1\0\x0b" + struct.pack("!Q", metric) + after)


# Routes: number of the net: from whom, length of the path, AIGP or nothing; each line is one after the other.
ROUTES = [
    (1, 2, 1, 100),
    (2, 3, 1, 100),
    (3, 10, 1, 100),
    (4, 3, 1, None),
    (5, 4, 1, 100),
    (6, 11, 1, 100),
    # AIGP comes before the length of the path, the way to the next hop counts, and 1 at least; who has none comes last
    (7, 2, 3, 100),
    (7, 3, 1, 110),
    (8, 2, 3, 100),
    (8, 3, 1, 120),
    (9, 2, 3, 100),
    (9, 10, 1, None),
    (12, 2, 1, 81),
    (12, 3, 3, 100),
    (13, 2, 1, 80),
    (13, 3, 3, 99),
]
TOTAL = {
    1: "100/120",
    2: "100/101",
    3: "100",
    4: "100",
    5: "100/101",
    6: "100",
    7: "100/111",
    8: "100/120",
    9: "100/120",
    12: "100/101",
    13: "100/100",
}
BEST = {1: 2, 2: 3, 3: 10, 4: 3, 5: 4, 6: 11, 7: 3, 8: 2, 9: 2, 12: 2, 13: 2}
KEPT = {
    1: "aigp 100",
    2: "aigp 100",
    5: "aigp 100",
    7: "aigp 110",
    8: "aigp 100",
    9: "aigp 100",
    12: "aigp 81",
    13: "aigp 80",
}
OURS = {
    1: "aigp 120",
    2: "aigp 101",
    5: "aigp 101",
    7: "aigp 111",
    8: "aigp 120",
    9: "aigp 120",
    12: "aigp 101",
    13: "aigp 100",
}


def conf(port):
    text = (
        'router id 10.9.0.1;\nlog "RUN/bird.log" all;\nprotocol device { scan time 1; }\nprotocol static { ipv4; route'
        ' 10.77.0.0/16 blackhole; }\n'
    )
    if KIND == "bird2":
        text += "protocol direct { ipv4 { import filter { preference = 1; accept; }; }; }\n"
    for n, (number, options, channel) in PEERS.items():
        text += (
            "protocol bgp p%d { local 10.9.0.1 port %d as 65000; neighbor 10.9.0.%d as %d; passive; %s\n ipv4 { import"
            " all; export where source != RTS_DEVICE; %s }; }\n" % (n, port, n, number, options, channel)
        )
    return text


class Speaker(Peer):
    def announce(self, n, length, metric, after=b""):
        inner = self.as_number == 65000
        extra = attribute(0x40, 5, struct.pack("!I", 100)) if inner else b""
        path = [self.as_number] * (not inner) + list(range(300, 300 + length - (not inner)))
        self.update(["10.%d.0.0/16" % n], path=path, extra=extra + (aigp(metric, after) if metric is not None else b""))

    def told(self, last):
        """{net: next hop and metric}, when net @last has come."""
        got = {}
        while last not in got:
            kind, body = self.receive()
            if kind != UPDATE:
                continue
            gone = body[2 : 2 + struct.unpack("!H", body[:2])[0]]
            attrs = body[len(gone) + 4 : len(gone) + 4 + struct.unpack("!H", body[len(gone) + 2 : len(gone) + 4])[0]]
            rest, words = body[len(gone) + 4 + len(attrs) :], []
            while attrs:
                size, at = (struct.unpack("!H", attrs[2:4])[0], 4) if attrs[0] & 0x10 else (attrs[2], 3)
                if attrs[1] in METRIC:
                    words.append(METRIC[attrs[1]](attrs[at : at + size]))
                if attrs[1] == 26:
                    self.value = attrs[at : at + size]
                attrs = attrs[at + size :]
            while gone:
                got.pop(gone[2], None)
                gone = gone[1 + (gone[0] + 7) // 8 :]
            while rest:
                got[rest[2]] = " ".join(words)
                rest = rest[1 + (rest[0] + 7) // 8 :]
        return got


def wanted(n):
    """What peer @n is told: {net: text}."""
    number, _, channel = PEERS[n]
    own, out = "self" in channel, {77: "via 1"}
    for net, source in BEST.items():
        if source == n or number == 65000 and PEERS[source][0] == 65000:  # RFC 4271, 9.2
            continue
        metric = "" if "off" in channel or number == 210 else (OURS if own else KEPT).get(net, "")
        out[net] = ("via %d %s" % (1 if own else source, metric)).strip()
    return out


def told():
    port = free_port()
    d = Daemon(conf(port))
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    d.start()
    peers = {n: Speaker(port, "10.9.0.%d" % n, PEERS[n][0], server="10.9.0.1").establish() for n in PEERS}
    for n, source, length, metric in ROUTES:
        peers[source].announce(n, length, metric)
    for n, text in TOTAL.items():
        want = r"\A[^[]*\[p%d [^\]]*\] \* \(%s\)" % (BEST[n], text)
        wait_until(
            lambda: re.search(want, d.text("show route 10.%d.0.0/16" % n).split("\n", 1)[-1]),
            lambda: "net %d by %d: %s" % (n, BEST[n], d.text("show route 10.%d.0.0/16" % n)),
        )
    peers[2].announce(99, 1, None)
    peers[3].announce(98, 1, None)
    for n, p in peers.items():
        wait_until(lambda: d.text("show route 10.98.0.0/16").count("[p3"), "the last route")
        got = p.told(98 if n != 3 else 99)
        if n not in (2, 3) and 99 not in got:
            got.update(p.told(99))
        equal({k: v for k, v in got.items() if k < 98}, wanted(n), "what %d is told" % n)
    # other TLVs stay as they are, whether we add to the metric or not
    more = b"\x63\0\5ab"
    peers[2].announce(97, 1, 100, more)
    for n, metric in (5, 100), (8, 120):
        peers[n].told(97)
        equal(peers[n].value, b"\1\0\x0b" + struct.pack("!Q", metric) + more, "AIGP for %d" % n)
    d.kill()


def originated():
    """`aigp originate`: a network of our interfaces is at no distance; the way to a static route isn't known."""
    port = free_port()
    d = Daemon(
        "router id 10.9.0.1;\nprotocol device { scan time 1; }\nprotocol direct { ipv4; }\nprotocol static { ipv4;"
        " route 10.77.0.0/16 blackhole; }\nprotocol bgp p6 { local 10.9.0.1 port %d as 65000; neighbor 10.9.0.6 as"
        " 65000; passive; direct; ipv4 { import none; export all; aigp originate; }; }\n" % port
    )
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    d.start()
    p = Speaker(port, "10.9.0.6", 65000, server="10.9.0.1").establish()
    got = p.told(9)
    if 77 not in got:
        got.update(p.told(77))
    equal(got, {9: "via 1 aigp 0", 77: "via 1"}, "what is told")
    d.kill()


in_namespace()
ROUTER = other_namespace()
for line in (
    [
        "ip link set lo up",
        "ip link add a0 type veth peer name a1",
        "ip link set a0 netns %d" % ROUTER.pid,
        "ip link set a1 up",
    ]
    + ["ip address add 10.9.0.%d/24 dev a1" % n for n in PEERS]
    + [
        "nsenter -t %d -n %s" % (ROUTER.pid, line)
        for line in ("ip link set lo up", "ip link set a0 up", "ip address add 10.9.0.1/24 dev a0")
    ]
):
    subprocess.run(line.split(), check=True, timeout=20 * SLOW)
case("told", told)
case("originated", originated)
done()
