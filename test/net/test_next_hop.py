# SPDX-License-Identifier: GPL-3.0-or-later
"""Next hops: what peers are told that are no clients of a route server, by where a route comes from, what filters did,
and the options of `next hop`. The peers sit on two links, in a network namespace of their own. The same table holds for
bird2 2.0.12: TERN_DAEMON=bird2."""

from harness import *

LINKS = {"8": "b", "9": "a"}


def sh(text):
    subprocess.run(text, shell=True, check=True, timeout=20 * SLOW)


def there(text):
    """In the daemon's namespace."""
    sh("nsenter -t %d -n %s" % (ROUTER.pid, text))


def tentative():
    """Addresses that can't be used yet, here or there (RFC 4862, 5.4)."""
    show = "ip -6 -o address show tentative"
    return subprocess.run(
        "%s; nsenter -t %d -n %s" % (show, ROUTER.pid, show),
        shell=True,
        check=True,
        timeout=20 * SLOW,
        stdout=subprocess.PIPE,
    ).stdout


def address(six, host):
    """ "9.20" -> 10.9.0.20 or fd00:9::20"""
    link, n = host.split(".")
    return "fd00:%s::%s" % (link, n) if six else "10.%s.0.%s" % (link, n)


def net(six, n):
    return "2001:db8:%d::/48" % n if six else "10.%d.0.0/16" % (100 + n)


# Sources: own address, AS, options, what the import filter does, {net: next hop}.
SOURCES = {
    "near": (
        "9.2",
        64502,
        "",
        "if net = NET4 then bgp_next_hop = 8.20; if net = NET5 then gw = 8.30;",
        {1: "9.2", 2: "9.20", 3: "9.99", 4: "9.2", 5: "9.2", 6: "9.101", 7: "9.104", 8: "9.115"},
    ),
    "far": ("8.2", 64512, "", "", {11: "8.2", 12: "8.20"}),
    "hops": ("9.9", 64509, "multihop;", "", {21: "9.9", 22: "9.20", 23: "8.20"}),
    "inner": ("9.12", 65000, "", "", {31: "9.12", 32: "8.20"}),
    "inner_near": ("9.13", 65000, "direct;", "", {41: "9.20"}),
}
STATIC = {51: "9.50", 52: "8.50"}
KEPT = {n: hop for s in SOURCES.values() for n, hop in s[4].items()}
KEPT[4] = "8.20"
OWN = dict.fromkeys(list(KEPT) + list(STATIC), "9.1")
FAR = {**OWN, **dict.fromkeys(OWN, "8.1")}
# of a peer on the first link: those of sessions there, whatever they are, and gateways there
LINK = {**OWN, **{n: KEPT[n] for n in (1, 2, 3, 4, 5, 6, 7, 8, 21, 22, 31, 41)}, 51: "9.50"}
# Peers aren't told that they are the next hop themselves (RFC 4271, 5.1.3): whether they would be is seen in the end
# only. Nets 6 to 8 lead to peers.


def but(told, *nets):
    return {n: hop for n, hop in told.items() if n not in nets}


# Peers: own address, AS, options, channel's options, what the export filter does, what they are told.
PEERS = {
    "plain": ("9.101", 64601, "", "", "", but(LINK, 6)),
    "other_link": (
        "8.102",
        64602,
        "",
        "",
        "",
        {**FAR, 5: "8.30", 11: "8.2", 12: "8.20", 23: "8.20", 32: "8.20", 52: "8.50"},
    ),
    "multihop": ("9.103", 64603, "multihop;", "", "", OWN),
    "self": ("9.104", 64604, "", "next hop self;", "bgp_next_hop = 9.88;", OWN),
    "self_ebgp": ("9.105", 64605, "", "next hop self ebgp;", "", {**OWN, 31: "9.12", 41: "9.20", 51: "9.50"}),
    "self_ibgp": ("9.106", 64606, "", "next hop self ibgp;", "", {**LINK, 31: "9.1", 41: "9.1"}),
    "keep": ("9.107", 64607, "", "next hop keep;", "", {**KEPT, 51: "9.50", 52: "9.1"}),
    "keep_ebgp": ("9.108", 64608, "", "next hop keep ebgp;", "", {**LINK, **{n: KEPT[n] for n in (11, 12, 23)}}),
    "address": (
        "9.109",
        64609,
        "",
        "next hop address 9.77;",
        "",
        {n: "9.77" if LINK[n] == "9.1" else LINK[n] for n in LINK},
    ),
    "client": ("9.110", 64610, "rs client;", "", "", {**KEPT, 51: "9.50", 52: "9.1"}),
    "sets_hop": ("9.111", 64611, "", "", "bgp_next_hop = 8.88;", dict.fromkeys(OWN, "8.88")),
    "sets_hop_multihop": ("9.112", 64612, "multihop;", "", "bgp_next_hop = 8.88;", dict.fromkeys(OWN, "8.88")),
    "sets_off": ("9.115", 64615, "", "", "if bgp_next_hop = 9.115 then bgp_next_hop = 9.88;", {**LINK, 8: "9.88"}),
    "sets_back": ("9.116", 64616, "", "", "if net = NET1 then bgp_next_hop = 9.116;", but(LINK, 1)),
    "sets_gw": (
        "9.113",
        64613,
        "",
        "",
        "gw = 9.88;",
        {**dict.fromkeys(OWN, "9.88"), **{n: KEPT[n] for n in (1, 2, 3, 4, 5, 6, 7, 8, 41)}},
    ),
    "sets_gw_away": (
        "9.114",
        64614,
        "",
        "",
        "gw = 8.88;",
        {**OWN, **{n: KEPT[n] for n in (1, 2, 3, 4, 5, 6, 7, 8, 41)}},
    ),
}


def text_of(six, text):
    text = re.sub(r"NET(\d+)", lambda m: net(six, int(m.group(1))), text)
    return re.sub(r"\b([89]\.\d+)\b", lambda m: address(six, m.group(1)), text)


def protocol(six, port, name, host, number, options, channel):
    return text_of(
        six,
        "protocol bgp n_%s { local %s.1 port %d as 65000; neighbor %s as %d; passive; %s\n ipv%d { %s }; }\n"
        % (name, host.split(".")[0], port, host, number, options, 6 if six else 4, channel),
    )


def conf(six, port, more=""):
    chan = "ipv6" if six else "ipv4"
    text = "router id 10.9.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device { scan time 1; }\n"
    if KIND == "bird2":  # it looks next hops up in the table
        text += "protocol direct { %s { import filter { preference = 1; accept; }; }; }\n" % chan
    text += "protocol static { %s; %s }\n" % (
        chan,
        text_of(six, " ".join("route NET%d via %s;" % s for s in STATIC.items())),
    )
    for name, (host, number, options, does, _) in SOURCES.items():
        text += protocol(six, port, name, host, number, options, "import filter { %s accept; }; export none;" % does)
    for name, (host, number, options, chopts, does, _) in PEERS.items():
        text += protocol(
            six,
            port,
            name,
            host,
            number,
            options,
            "import none; export filter { if source = RTS_DEVICE then reject; %s accept; }; %s %s"
            % (does, chopts, more if name == "plain" else ""),
        )
    return text


class Speaker(Peer):
    """A session of either family, for that family only."""

    def __init__(self, six, host, number, port, over=None):
        """Of IPv6 or IPv4 routes; over IPv6 or IPv4, the same if it isn't said."""
        self.six, self.as_number, self.address, self.hold = six, number, "1.1." + host, 90
        self.over, self.host, self.port = six if over is None else over, host, port
        self.dial()
        self.establish()

    def endpoints(self):
        family = socket.AF_INET6 if self.over else socket.AF_INET
        return (
            family,
            (address(self.over, self.host), 0),
            (address(self.over, self.host.split(".")[0] + ".1"), self.port),
        )

    def open_message(self):
        caps = b"\x01\x04\x00%c\x00\x01" % (2 if self.six else 1) + b"\x41\x04" + struct.pack("!I", self.as_number)
        body = struct.pack("!BHH4sB", 4, self.as_number, self.hold, socket.inet_aton(self.address), len(caps) + 2)
        return message(OPEN, body + bytes([2, len(caps)]) + caps)

    def announce(self, n, hop, local=None):
        """@hop None: @local alone."""
        path = b"" if self.as_number == 65000 else b"\2\1" + struct.pack("!I", self.as_number)
        attrs = attribute(0x40, 1, b"\0") + attribute(0x40, 2, path)
        if not self.six:
            attrs += attribute(0x40, 3, socket.inet_aton(address(False, hop)))
        if self.as_number == 65000:
            attrs += attribute(0x40, 5, b"\0\0\0\x64")
        if not self.six:
            self.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + nlri(net(False, n))))
            return
        both = ([address(True, hop)] if hop else []) + ([local] if local else [])
        hops = b"".join(socket.inet_pton(socket.AF_INET6, a) for a in both)
        where = socket.inet_pton(socket.AF_INET6, net(True, n).split("/")[0])[:6]
        attrs = attribute(0x80, 14, b"\0\2\1" + bytes([len(hops)]) + hops + b"\0\x30" + where) + attrs
        self.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs))

    def told(self, cnt):
        """{net: [next hops]}, as soon as there are so many and nothing more comes."""
        got = {}
        while True:
            try:
                kind, body = self.receive(20 if len(got) < cnt else 0.3)
            except TimeoutError:
                return got
            if kind == UPDATE:
                got.update(self.one(body))

    def one(self, body):
        attrs = body[4 : 4 + struct.unpack("!H", body[2:4])[0]]
        rest, hops, size_of = body[4 + len(attrs) :], None, 4
        while attrs:
            size, at = (struct.unpack("!H", attrs[2:4])[0], 4) if attrs[0] & 0x10 else (attrs[2], 3)
            value = attrs[at : at + size]
            if attrs[1] == 3:
                hops = [socket.inet_ntoa(value)]
            if attrs[1] == 14:
                hops = [socket.inet_ntop(socket.AF_INET6, value[4 + i : 20 + i]) for i in range(0, value[3], 16)]
                rest, size_of = value[5 + value[3] :], 16
            attrs = attrs[at + size :]
        out = {}
        while rest:
            n = (rest[0] + 7) // 8
            a = socket.inet_ntop(
                socket.AF_INET6 if size_of == 16 else socket.AF_INET, rest[1 : 1 + n].ljust(size_of, b"\0")
            )
            out["%s/%d" % (a, rest[0])] = hops
            rest = rest[1 + n :]
        return out


def links():
    sh("ip link set lo up")
    there("ip link set lo up")
    for link, dev in LINKS.items():
        sh("ip link add %s0 type veth peer name %s1" % (dev, dev))
        sh("ip link set %s0 netns %d" % (dev, ROUTER.pid))
        sh("ip link set %s1 up" % dev)
        there("ip link set %s0 up" % dev)
        for six in False, True:
            size = 64 if six else 24
            there("ip address add %s/%d dev %s0 %s" % (address(six, link + ".1"), size, dev, "nodad" if six else ""))
            for host in [x[0] for x in list(SOURCES.values()) + list(PEERS.values())]:
                if host.split(".")[0] == link:
                    sh("ip address add %s/%d dev %s1 %s" % (address(six, host), size, dev, "nodad" if six else ""))


def link_local(dev):
    text = subprocess.run(
        "nsenter -t %d -n ip -6 -o address show dev %s scope link" % (ROUTER.pid, dev),
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return text.split("inet6 ")[1].split("/")[0]


def wanted(six, name, host, n, hop):
    """What the peer should be told: in IPv6 our address on a common link comes with our link-local one (RFC 2545,
    3)."""
    ours = hop in ("8.1", "9.1") or name == "address" and hop == "9.77"
    local = six and ours and "multihop" not in name
    return [address(six, hop)] + ([link_local(LINKS[host.split(".")[0]] + "0")] if local else [])


def told(d, six, port, name, want):
    host, number = PEERS[name][:2]
    p = Speaker(six, host, number, port)
    got = p.told(len(want))
    if KIND == "ternd":
        equal(
            d.text("show route export n_%s count" % name).split()[0],
            str(len(want)),
            "number of routes that %s is said to get" % name,
        )
    p.cease()
    for n, hop in want.items():
        equal(got.get(net(six, n)), wanted(six, name, host, n, hop), "next hop of %s for %s" % (net(six, n), name))
    equal(len(got), len(want), "number of routes for %s" % name)


def family(six):
    port = free_port()
    d = Daemon(conf(six, port))
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    d.start()
    sources = {}
    for name, (host, number, _, _, routes) in SOURCES.items():
        sources[name] = Speaker(six, host, number, port)
        for n, hop in routes.items():
            sources[name].announce(n, hop)
    wait_until(lambda: all(net(six, n) in d.text("show route") for n in OWN), "the routes")
    for name in PEERS:
        told(d, six, port, name, PEERS[name][5])
    if six:  # a link-local next hop stays with its global one
        sources["near"].announce(1, "9.2", "fe80::77")
        wait_until(lambda: "fe80::77" in d.text("show route all"), "the link-local next hop")
        p = Speaker(six, PEERS["plain"][0], PEERS["plain"][1], port)
        equal(p.told(len(OWN))[net(six, 1)], [address(six, "9.2"), "fe80::77"], "both next hops")
    else:  # the option can be changed under way
        p = Speaker(six, PEERS["plain"][0], PEERS["plain"][1], port)
        p.told(len(OWN))
        d.write(conf(six, port, "next hop self;"))
        d.text("configure")
        equal(p.told(len(OWN) // 2)[net(six, 1)], [address(six, "9.1")], "next hop after the option was set")
        d.write(conf(six, port))
        d.text("configure")
        equal(p.told(len(OWN) // 2)[net(six, 1)], [address(six, "9.2")], "next hop after the option was taken away")
    p.cease()
    d.kill()


def two_addresses():
    """`next hop prefer`: which of a next hop's two addresses packets go to. Peers are told both either way."""
    for prefer, want in (
        ("", "fd00:9::2"),
        ("next hop prefer global;", "fd00:9::2"),
        ("next hop prefer local;", "fe80::77"),
    ):
        port = free_port()
        d = Daemon(conf(True, port).replace("export none;", prefer + " export none;", 1))
        argv = d.argv
        d.argv = lambda *more, argv=argv: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
        d.start()
        near = Speaker(True, *SOURCES["near"][:2], port)
        near.announce(1, "9.2", "fe80::77")
        near.announce(2, "9.20")
        near.announce(5, "9.2", "fe80::77")  # the filter assigns a gateway
        wait_until(lambda: net(True, 5) in d.text("show route"), "the routes")
        for n, gw in (1, want), (2, "fd00:9::20"), (5, "fd00:8::30"):
            text = d.text("show route all %s" % net(True, n))
            check(
                "via %s on %s" % (gw, LINKS[gw[5]] + "0" if gw[:2] == "fd" else LINKS["9"] + "0") in text,
                "gateway of %d: %s" % (n, text),
            )
        equal(
            d.text("show route where gw = %s table master6 count" % want).split()[0],
            "1",
            "routes with that gateway for filters",
        )
        p = Speaker(True, PEERS["plain"][0], PEERS["plain"][1], port)
        equal(p.told(3)[net(True, 1)], [address(True, "9.2"), "fe80::77"], "both next hops")
        p.cease()
        d.kill()


# Members of a route server: own address, channel's options. Sources on link 9; readers on both links, two each, so
# that messages are shared.
READERS = {"here": "9.101", "here_too": "9.102", "there": "8.103", "there_too": "8.104", "sets": "8.105"}
OWN_LOCAL = {"9": "a0", "8": "b0"}


def other_link():
    """RFC 2545, 3: a link-local next hop goes to peers on its link alone. Peers on another link get the global next hop
    without the link-local address, or the address of the daemon. A next hop that an export filter assigns stays."""
    port = free_port()
    text = "router id 10.9.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device { scan time 1; }\n"
    text += "protocol direct { ipv6 { import filter { preference = 1; accept; }; }; }\n" if KIND == "bird2" else ""
    text += protocol(True, port, "near", "9.2", 64502, "rs client;", "import all; export none;")
    for k, (name, host) in enumerate(READERS.items()):
        sets = "if net = NET2 then bgp_next_hop = fe80::99;" if name == "sets" else ""
        export = "import none; export filter { if source = RTS_DEVICE then reject; %s accept; };" % sets
        text += protocol(True, port, name, host, 64700 + k, "rs client;", export)
    d = Daemon(text)
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    for name, host in READERS.items():
        dev = OWN_LOCAL[host[0]][0] + "1"
        sh("ip address replace %s/64 dev %s nodad" % (address(True, host), dev))
    d.start()
    near = Speaker(True, "9.2", 64502, port)
    readers = {n: Speaker(True, h, 64700 + k, port) for k, (n, h) in enumerate(READERS.items())}
    near.announce(1, "9.2", "fe80::77")
    near.announce(2, None, "fe80::77")
    near.announce(3, "9.2")
    for when in "from the journal", "from a cut":
        for k, (name, host) in enumerate(READERS.items()):
            told_here = readers[name].told(3)
            readers[name].cease()
            ours = [address(True, host[0] + ".1"), link_local(OWN_LOCAL[host[0]])]
            here = host[0] == "9" or KIND == "bird2"
            alone = ["::", "fe80::77"] if here else ours
            if name == "sets":
                alone = ["fe80::99"] if KIND == "bird2" else ["::", "fe80::99"]
            want = {
                1: [address(True, "9.2")] + (["fe80::77"] if here else []),
                2: alone,
                3: [address(True, "9.2")],
            }
            equal(told_here, {net(True, n): hops for n, hops in want.items()}, "what %s is told %s" % (name, when))
            readers[name] = Speaker(True, host, 64700 + k, port) if when != "from a cut" else None
    d.kill()


def part():
    """`export in` of a channel: networks of that part go out, and no others; also when it changes."""
    port = free_port()
    text = conf(False, port)
    d = Daemon(text)
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    plain = "export filter { if source = RTS_DEVICE then reject;  accept; };"
    check(plain in text, "the policy of a peer: %s" % text[-900:])
    d.write(text.replace(plain, plain.replace("export", "export in 10.101.0.0/16"), 1))
    d.start()
    near = Speaker(False, *SOURCES["near"][:2], port)
    near.announce(1, "9.2")
    near.announce(2, "9.20")
    wait_until(lambda: net(False, 2) in d.text("show route"), "the routes")
    p = Speaker(False, PEERS["plain"][0], PEERS["plain"][1], port)
    equal(list(p.told(1)), [net(False, 1)], "networks of the part")
    equal(d.text("show route export n_plain count").split()[0], "1", "number of routes that the peer is said to get")
    d.write(text.replace(plain, plain.replace("export", "export in 10.100.0.0/14"), 1))
    d.text("configure")
    equal(sorted(p.told(1)), [net(False, 2)], "networks of a larger part that are news")
    p.cease()
    d.kill()


# Sessions whose routes are of the other family (those of IPv4 on link 9 only): options, channel's options, what they
# are told our address is. Link 6 has IPv4 and link-local addresses only, 7 is the loopback interface.
CROSSED = {
    "direct": ("9.101", "", "", ["9.1", "local"]),
    "client": ("9.108", "rs client;", "", ["9.1", "local"]),
    "keep": ("9.103", "", "next hop keep;", ["9.1", "local"]),
    "self": ("9.104", "", "next hop self;", ["9.1", "local"]),
    "address": ("9.105", "", "next hop address 9.77;", ["9.77", "local"]),
    "multihop": ("9.106", "multihop;", "", ["9.1"]),
    "inner": ("9.107", "direct;", "", ["9.1", "local"]),
    "loopback": ("7.2", "multihop;", "", ["7.1"]),
    "local": ("6.2", "", "", ["::", "local"]),
    "local_multihop": ("6.3", "multihop;", "", None),
}
LINKS6 = {"9": "a", "6": "c"}


def crossed(six):
    """Routes without a next hop, over the other family."""
    port = free_port()
    names = [n for n in CROSSED if six or CROSSED[n][0][0] == "9"]
    text = "router id 10.9.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device { scan time 1; }\n"
    text += "protocol static { %s; route %s blackhole; }\n" % ("ipv6" if six else "ipv4", net(six, 61))
    for name in names:
        host, options, channel, _ = CROSSED[name]
        ours, theirs = address(not six, host.split(".")[0] + ".1"), address(not six, host)
        text += (
            "protocol bgp n_%s { local %s port %d as 65000; neighbor %s as %d; passive; %s ipv%d { import all; export"
            " all; %s }; }\n"
            % (
                name,
                ours,
                port,
                theirs,
                65000 if name == "inner" else 64600,
                options,
                6 if six else 4,
                text_of(six, channel),
            )
        )
    d = Daemon(text)
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    d.start()
    for name in names:
        host, _, _, want = CROSSED[name]
        p = Speaker(six, host, 65000 if name == "inner" else 64600, port, not six)
        if not want or KIND == "bird2" and name == "local":
            wait_until(
                lambda: re.search("isn't sent: no address of ours can be the next hop|Missing next hop", d.whole_log()),
                "a line in the log",
            )
            equal(p.told(0), {}, "what %s is told" % name)
        else:
            local = link_local(LINKS6[host[0]] + "0") if "local" in want and six else None
            want = [a if a == "::" else local if a == "local" else address(six, a) for a in want if a != "local" or six]
            equal(p.told(1), {net(six, 61): want}, "what %s is told" % name)
            row = "BGP Next hop:   " + " ".join(want)
            check(
                want[0] == "::" or any(x.strip() == row for x in d.text("show protocols all n_" + name).split("\n")),
                "%s: %s" % (name, row),
            )
        p.cease()
    # Our own address of the other family is no next hop for us; the peer's is.
    host, _, _, _ = CROSSED[names[0]]
    p = Speaker(six, host, 65000 if names[0] == "inner" else 64600, port, not six)
    p.told(1)
    p.announce(70, host.split(".")[0] + ".1")
    p.announce(71, host)
    wait_until(lambda: d.text("show route %s" % net(six, 71)).startswith("Table"), "a route of the peer")
    if KIND == "ternd" or names[0] != "link":
        check("not found" in d.text("show route %s" % net(six, 70)), "a route by ourselves was taken")
    d.kill()


def more_links():
    sh(
        "ip link add c0 type veth peer name c1; ip link set c0 netns %d; ip link set c1 up; ip address add 10.6.0.2/24"
        " dev c1"
        % ROUTER.pid
    )
    there("ip link set c0 up")
    there("ip address add 10.6.0.1/24 dev c0")
    sh("ip address add 10.6.0.3/24 dev c1; ip address add 10.7.0.2/32 dev lo; ip route add 10.7.0.1/32 via 10.6.0.1")
    for a in "10.7.0.1/32", "fd00:7::1/128":
        there("ip address add %s dev lo" % a)
    there("ip route add 10.7.0.2/32 via 10.6.0.2")


in_namespace()
ROUTER = other_namespace()
links()
more_links()
wait_until(lambda: not tentative(), "the end of duplicate address detection")
case("IPv4", family, False)
case("IPv6", family, True)
case("IPv6 over IPv4", crossed, True)
case("IPv4 over IPv6", crossed, False)
case("link-local next hop of another link", other_link)
if KIND == "ternd":
    case("two addresses", two_addresses)
    case("export in", part)
done()
