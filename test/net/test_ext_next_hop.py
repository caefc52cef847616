# SPDX-License-Identifier: GPL-3.0-or-later
"""Next hops of members on one link: a global address, a global and a link-local one, a link-local one alone, in both
forms; IPv6 next hops of IPv4 routes (RFC 8950) to who has negotiated them and to who hasn't; sessions over link-local
addresses. What is announced is looked at octet by octet. The same table holds for bird2 2.0.12, but for what multihop
peers are told: TERN_DAEMON=bird2."""

from harness import *

EXT = b"\x05\x06\x00\x01\x00\x01\x00\x02"
# Who tells of routes: own address, and per net the octets of the next hop. G is fd00:9::N, L is fe80::N, 0 is ::.
SOURCES = {
    "global": ("G21", ["G21"]),
    "both": ("G22", ["G22 L22"]),
    "local": ("G23", ["0 L23", "L23"]),
    "own_local": ("L24", ["G24 L24", "0 L24"]),
    "third": ("G25", ["G77", "G77 L77"]),
}
# Who is told: own address, options of the session and of the channel, does it send the capability?
PEERS = {
    "ext": ("G31", "", "", True),
    "ext_client": ("G32", "rs client;", "", True),
    "ext_local": ("L33", "rs client;", "", True),
    "ext_multihop": ("G34", "multihop; rs client;", "", True),
    "ext_inner": ("G500", "multihop;", "", True),  # of our AS
    "ext_ip4": ("10.9.0.35", "rs client;", "", True),
    "ext_self": ("G36", "", "next hop self;", True),
    "ext_local_self": ("L37", "", "next hop self;", True),
    "deaf": ("10.9.0.41", "", "", False),
    "deaf_client": ("10.9.0.42", "rs client;", "", False),
    "deaf_keep": ("10.9.0.43", "", "next hop keep;", False),
    "deaf_six": ("G44", "rs client;", "", False),
}
if KIND == "ternd":  # since BIRD 2.17
    SOURCES["twice"] = ("G26", ["L26 L26"])
    PEERS.update(
        {
            "ext_native": ("G51", "rs client;", "link local next hop format native;", True),
            "ext_single": ("G52", "rs client;", "link local next hop format single;", True),
            "ext_double": ("G53", "rs client;", "link local next hop format double;", True),
            "ext_self_single": ("L54", "", "link local next hop format single; next hop self;", True),
            "ext_self_double": ("L55", "", "link local next hop format double; next hop self;", True),
        }
    )
if KIND == "bird2" and not os.path.exists(BIRD):
    needs("bird2")


def sh(text, there=False):
    subprocess.run(
        "%s sh -c '%s'" % ("nsenter -t %d -n" % ROUTER.pid if there else "", text),
        shell=True,
        check=True,
        timeout=20 * SLOW,
    )


def ip_of(text):
    return {"G": "fd00:9::", "L": "fe80::", "0": "::"}.get(text[0], text) + (text[1:] if text[0] in "GL" else "")


def ip_octets(text):
    return socket.inet_pton(socket.AF_INET6, ip_of(text))


def net(family, source, k):
    n = 16 * list(SOURCES).index(source) + k
    return ("10.%d.0.0/16" % (100 + n)) if family == 4 else "2001:db8:%x::/48" % (0x100 + n)


class Speaker(Peer):
    """A session of routes of one family over whatever address it has."""

    def __init__(self, family, name, own, port, caps=b""):
        self.family, self.name, self.own, self.port = family, name, own, port
        self.as_number, self.hold, self.caps = 64500 + int(re.search(r"\d+$", own).group()), 90, caps
        self.address = "1.1.1.%d" % (self.as_number % 100)
        self.dial()
        self.establish()

    def dial(self):
        self.buf = b""

        def connected():
            if self.own[0] in "GL":
                self.s = socket.socket(socket.AF_INET6)
                scope = socket.if_nametoindex("a1") if self.own[0] == "L" else 0
                ends = [(ip_of(self.own), 0, 0, scope), (ip_of(self.own[0] + "1"), self.port, 0, scope)]
            else:
                self.s = socket.socket()
                ends = [(self.own, 0), ("10.9.0.1", self.port)]
            self.s.settimeout(20 * SLOW)
            try:
                self.s.bind(ends[0])
                self.s.connect(ends[1])
                return True
            except OSError:
                self.s.close()
                return False

        wait_until(connected, "a connection from " + self.own, every_s=0.1)

    def open_message(self):
        caps = (
            b"\x01\x04\x00%c\x00\x01" % (1 if self.family == 4 else 2)
            + self.caps
            + b"\x41\x04"
            + struct.pack("!I", self.as_number)
        )
        body = struct.pack("!BHH4sB", 4, self.as_number, self.hold, socket.inet_aton(self.address), len(caps) + 2)
        return message(OPEN, body + bytes([2, len(caps)]) + caps)

    def announce(self, text, hop):
        hops = b"".join(ip_octets(h) for h in hop.split())
        if self.family == 4:
            where = b"\0\1\1", nlri(text)
        else:
            where = b"\0\2\1", b"\x30" + socket.inet_pton(socket.AF_INET6, text.split("/")[0])[:6]
        attrs = attribute(0x80, 14, where[0] + bytes([len(hops)]) + hops + b"\0" + where[1])
        inner = self.as_number == 65000
        attrs += attribute(0x40, 1, b"\0") + attribute(
            0x40, 2, b"" if inner else b"\2\1" + struct.pack("!I", self.as_number)
        )
        attrs += attribute(0x40, 5, struct.pack("!I", 100)) if inner else b""
        self.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs))

    def told(self, last, limit_s):
        """{net: next hop as it is on the wire}, when @last has come, or nothing more comes."""
        got = {}
        while True:
            try:
                kind, body = self.receive(limit_s if last not in got else 0.3)
            except TimeoutError:
                return got
            if kind == UPDATE:
                got.update(self.one(body))

    def one(self, body):
        attrs = body[4 : 4 + struct.unpack("!H", body[2:4])[0]]
        rest, hop, six = body[4 + len(attrs) :], None, False
        while attrs:
            size, at = (struct.unpack("!H", attrs[2:4])[0], 4) if attrs[0] & 0x10 else (attrs[2], 3)
            value, code, attrs = attrs[at : at + size], attrs[1], attrs[at + size :]
            if code == 3:
                hop = value
            if code == 14:
                hop, rest, six = value[4 : 4 + value[3]], value[5 + value[3] :], value[1] == 2
        out = {}
        while rest:
            n = (rest[0] + 7) // 8
            a = socket.inet_ntop(
                socket.AF_INET6 if six else socket.AF_INET, rest[1 : 1 + n].ljust(16 if six else 4, b"\0")
            )
            out["%s/%d" % (a, rest[0])] = hop
            rest = rest[1 + n :]
        return out


def name_of(hop):
    """G21 L21 of octets."""
    if hop is None or len(hop) == 4:
        return hop and socket.inet_ntoa(hop)
    found = []
    for i in range(0, len(hop), 16):
        a = socket.inet_ntop(socket.AF_INET6, hop[i : i + 16])
        found.append("0" if a == "::" else a.replace("fd00:9::", "G").replace("fe80::", "L"))
    return " ".join(found)


def protocol(family, port, name, own, options, channel):
    local = {"G": "fd00:9::1", "L": "fe80::1"}.get(own[0], "10.9.0.1")
    scope = "%a0" if own[0] == "L" else ""
    return "protocol bgp n_%s { local %s%s port %d as 65000; neighbor %s%s as %d; passive; %s\n ipv%d { %s }; }\n" % (
        name,
        local,
        scope if KIND == "ternd" else "",
        port,
        ip_of(own),
        scope,
        64500 + int(re.search(r"\d+$", own).group()),
        options,
        family,
        channel,
    )


def conf(family, port):
    text = "router id 10.9.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device { scan time 1; }\n"
    if KIND == "bird2":
        text += (
            "protocol direct { ipv4 { import filter { preference = 1; accept; }; }; ipv6 { import filter { preference ="
            " 1; accept; }; }; }\n"
        )
    ext = "extended next hop;" if family == 4 else ""
    for name, (own, _) in SOURCES.items():
        text += protocol(
            family,
            port,
            name,
            own,
            "",
            "import filter { if from = bgp_next_hop then bgp_community.add((65000, 1)); if bgp_next_hop = :: then"
            " bgp_community.add((65000, 2)); accept; }; export none; " + ext,
        )
    for name, (own, options, channel, can) in PEERS.items():
        if family == 4 or own[0] in "GL":
            text += protocol(
                family,
                port,
                name,
                own,
                options,
                "import none; export where source = RTS_BGP; %s %s" % (channel, ext if can else ""),
            )
    text += "protocol static { ipv%d; route %s blackhole; }\n" % (family, net(family, "global", 15))
    return text


def run(family):
    port = free_port()
    d = Daemon(conf(family, port))
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    d.start()
    sources = []
    for name, (own, hops) in SOURCES.items():
        sources.append(Speaker(family, name, own, port, EXT if family == 4 else b""))
        for k, hop in enumerate(hops):
            sources[-1].announce(net(family, name, k), hop)
    last = net(family, "third", 1)
    nets = [net(family, s, k) for s in SOURCES for k in range(len(SOURCES[s][1]))]
    wait_until(lambda: all(n in d.text("show route") for n in nets), lambda: "the routes: " + d.text("show route"))
    for source, (own, hops) in SOURCES.items():
        for k, hop in enumerate(hops):
            shown = d.text("show route %s all" % net(family, source, k))
            alone = wanted(family, "ext_client", hop)
            via = alone.split()[1] if alone[0] == "0" else alone.split()[0]
            check("via %s on a0" % ip_of(via) in shown, "%s: where %s leads: %s" % (source, hop, shown))
            check(
                "BGP.next_hop: %s\n" % " ".join(ip_of(x) for x in alone.split()) in shown,
                "%s: what is shown of %s: %s" % (source, hop, shown),
            )
            mark = "(65000,2)" if alone[0] == "0" else "(65000,1)" if hop.split()[0] == own else None
            equal(
                re.findall(r"BGP.community: (.*)", shown),
                [mark] if mark else [],
                "%s: what a filter saw of %s" % (source, hop),
            )
    for name in PEERS:
        if family == 4 or PEERS[name][0][0] in "GL":
            peer(d, family, port, name, last)
    d.kill()


def formed(channel, hop):
    """A link-local next hop alone, in the form that the channel asks for."""
    form = re.search("format (single|double)", channel)
    if not form or hop[0] != "0":
        return hop
    return hop.split()[1] if form.group(1) == "single" else " ".join([hop.split()[1]] * 2)


def wanted(family, name, hop):
    """What @name is told of a next hop; None: nothing."""
    own, options, channel, can = PEERS[name]
    ours = "10.9.0.1" if own[0] not in "GL" or family == 4 and not can else "G1 L1" if own[0] == "G" else "0 L1"
    if "self" in channel:
        return formed(channel, ours)
    if family == 4 and not can:
        return ours if not options and "keep" not in channel else None
    if name == "ext_inner" and hop[0] != "G":
        return "G1"
    if KIND == "ternd" and "multihop" in options:  # RFC 2545, 3: a link-local one only to who shares the link
        return hop.split()[0] if hop[0] == "G" else "G1"
    return formed(channel, hop if hop[0] != "L" else "0 " + hop.split()[0])


def peer(d, family, port, name, last):
    p = Speaker(family, name, PEERS[name][0], port, EXT if PEERS[name][3] and family == 4 else b"")
    want = {net(family, s, k): wanted(family, name, h) for s in SOURCES for k, h in enumerate(SOURCES[s][1])}
    want = {n: hop for n, hop in want.items() if hop}
    got = p.told(last if want else None, 5 if want else 0.5)
    equal({n: name_of(hop) for n, hop in got.items()}, want, "next hops that %s is told" % name)
    if KIND == "ternd":
        shown = d.text("show protocols all n_" + name)
        equal(
            "Extended next hop" in shown, PEERS[name][3] and family == 4, "the capability of %s, in %s" % (name, shown)
        )
    p.cease()


def links():
    sh(
        "ip link set lo up; ip link add a0 type veth peer name a1; ip link set a0 netns %d; ip link set a1 addrgenmode"
        " none; ip link set a1 up" % ROUTER.pid
    )
    sh(
        (
            "ip link set lo up; ip link set a0 addrgenmode none; ip link set a0 up; ip address add 10.9.0.1/24 dev a0; "
            "ip address add fd00:9::1/64 dev a0 nodad; ip address add fe80::1/64 dev a0 nodad"
        ),
        there=True,
    )
    for own in [x[0] for x in list(SOURCES.values()) + list(PEERS.values())]:
        sh(
            "ip address add %s/%d dev a1 %s"
            % (ip_of(own), 64 if own[0] in "GL" else 24, "nodad" if own[0] in "GL" else "")
        )


def owns():
    """RFC 4271, 5.1.3: none of our addresses is taken as a next hop, whatever session it comes by and whatever
    interface has it."""
    port = free_port()
    sh(
        (
            "ip address add 10.9.0.2/24 dev a0; ip address add fd00:9::2/64 dev a0 nodad; ip address add 10.9.0.3/32"
            " dev lo; ip address add fd00:9::3/128 dev lo; ip link add z0 type veth peer name z1; ip link set z0"
            " addrgenmode none; ip link set z0 up; ip link set z1 up; ip address add fe80::83/64 dev z0 nodad"
        ),
        there=True,
    )
    members, hops = ("10.9.0.81", "G82", "L83"), ("G1", "G2", "G3", "L1", "G1 L77", "G77 L1", "0 L1", "L1 L1")
    hops4 = ("10.9.0.1", "10.9.0.2", "10.9.0.3")
    for family in 4, 6:
        text = "router id 10.9.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device { scan time 1; }\n"
        for own in members:
            text += protocol(
                family,
                port,
                "m" + own[-2:],
                own,
                "",
                "import all; export none;" + (" extended next hop;" if family == 4 else ""),
            )
        d = Daemon(text)
        argv = d.argv
        d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
        d.start()
        for own in members:
            sh(
                "ip address replace %s/%d dev a1 %s"
                % (ip_of(own), 64 if own[0] in "GL" else 24, "nodad" if own[0] in "GL" else "")
            )
            p = Speaker(family, "m" + own[-2:], own, port, EXT if family == 4 else b"")
            for k, hop in enumerate(hops):
                p.announce(net(family, "global", k), hop)
            if family == 4:
                p.update(["10.77.1.0/24"], next_hop=hops4[0])
                p.update(["10.77.2.0/24"], next_hop=hops4[1])
                p.update(["10.77.3.0/24"], next_hop=hops4[2])
            good = net(family, "third", 2)
            p.announce(good, "G82 L83")  # the latter is ours on another link
            wait_until(lambda: good in d.text("show route"), lambda: "%d, %s: %s" % (family, own, d.text("show route")))
            equal(
                re.findall(r"^\S+/\d+", d.text("show route"), re.M),
                [good],
                "family %d, session of %s: routes" % (family, own),
            )
            check(d.sessions()["n_m" + own[-2:]][2].startswith("Established"), "the session of %s stays up" % own)
            wait_until(lambda: "next hop is our own address" in d.whole_log(), lambda: d.whole_log()[-1500:])
            p.cease()
            wait_until(lambda: good not in d.text("show route"), "the end of the session")
        d.kill()
    sh(
        (
            "ip link del z0; ip address del 10.9.0.3/32 dev lo; ip address del fd00:9::3/128 dev lo; ip address del"
            " 10.9.0.2/24 dev a0; ip address del fd00:9::2/64 dev a0"
        ),
        there=True,
    )


def no_link():
    """RFC 2545, 3: a session that shares no link takes no next hop that is link-local alone, neither one of ours nor
    another one's."""
    port = free_port()
    members = ("G85", "multihop;"), ("G500", "multihop;"), ("10.9.0.86", "multihop;")
    refused = "L1", "L85", "L85 L85", "0 L85", "L1 L1", "0 L1"
    taken = "G85", "G85 L85", "G77 L1"
    for family in 4, 6:
        text = "router id 10.9.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device { scan time 1; }\n"
        for own, options in members:
            text += protocol(
                family,
                port,
                "m" + own[-2:],
                own,
                options,
                "import all; export none;" + (" extended next hop;" if family == 4 else ""),
            )
        d = Daemon(text)
        argv = d.argv
        d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
        d.start()
        for own, _ in members:
            sh(
                "ip address replace %s/%d dev a1 %s"
                % (ip_of(own), 64 if own[0] in "GL" else 24, "nodad" if own[0] in "GL" else "")
            )
        for own, _ in members:
            p = Speaker(family, "m" + own[-2:], own, port, EXT if family == 4 else b"")
            nets = [net(family, "global", k) for k in range(len(refused + taken))]
            for n in nets:  # what was accepted before is withdrawn
                p.announce(n, "G85")
            wait_until(
                lambda: sorted(re.findall(r"^\S+/\d+", d.text("show route"), re.M)) == sorted(nets),
                lambda: d.text("show route"),
            )
            for n, hop in zip(nets, refused + taken):
                p.announce(n, hop)
            left = sorted(nets[len(refused) :])
            wait_until(
                lambda: sorted(re.findall(r"^\S+/\d+", d.text("show route"), re.M)) == left,
                lambda: "family %d, session of %s: %s" % (family, own, d.text("show route")),
            )
            for n in nets[: len(refused)]:
                o = json.loads(d.run("json show route why " + n)[0][1])
                check(o["reason"] == "far_next_hop", "why %s: %r" % (n, o))
            check(d.sessions()["n_m" + own[-2:]][2].startswith("Established"), "the session of %s stays up" % own)
            p.cease()
            wait_until(lambda: not re.findall(r"^\S+/\d+", d.text("show route"), re.M), "the end of the session")
        d.kill()


def options():
    """`onlink` and `disable rx`."""
    port = free_port()
    d = Daemon(
        "router id 10.9.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device { scan time 1; }\ntemplate bgp any { local"
        " 10.9.0.1 port %d as 65000; passive; error wait time 1, 1; ipv4 { import all; export all; }; }\n" % port
        + "protocol bgp n_onlink from any { neighbor 10.77.0.61 as 64561 onlink; interface \"a0\"; }\n"
        "protocol bgp n_by_route from any { neighbor 10.77.0.62 as 64562; }\n"
        "protocol bgp n_deaf from any { neighbor 10.9.0.63 as 64563; disable rx; hold time 3; }\n"
    )
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    d.start()
    deaf = Speaker(4, "deaf", "10.9.0.63", port)
    deaf.update(["20.1.0.0/16"])
    started = time.monotonic()
    both = [Speaker(4, name, own, port) for name, own in (("onlink", "10.77.0.61"), ("by_route", "10.77.0.62"))]
    both[0].update(["20.2.0.0/16"], next_hop="10.77.0.61")
    wait_until(lambda: "20.2.0.0/16" in d.text("show route"), "a route of who is on the link by `onlink`")
    both[0].update(["20.3.0.0/16"], next_hop="10.66.0.1")
    wait_until(lambda: "Invalid route 20.3.0.0/16" in d.said(), "a next hop that is on no link")

    def over():  # more than the hold time, while its keepalives lie there unread
        deaf.send(message(KEEPALIVE))
        return time.monotonic() >= started + 4

    wait_until(over, "more than the hold time", every_s=0.5)
    check(
        d.sessions()["n_deaf"][2].startswith("Established"),
        "the session that isn't read: %s" % d.sessions()["n_deaf"][2],
    )
    check("20.1.0.0/16" not in d.text("show route"), "something was read with `disable rx`")
    sh("ip link set a1 down")
    wait_until(lambda: "Link down" in d.sessions()["n_onlink"][2], "the session on the link to end")
    check(d.sessions()["n_by_route"][2].startswith("Established"), "a session whose link isn't known has ended")
    d.kill()


BIRD_CONF = """
router id 1.1.1.71; log "RUN/bird.log" all; protocol device { scan time 1; } protocol direct { ipv6; }
protocol static { ipv4; route 30.71.0.0/16 blackhole; }
protocol bgp server { local fd00:9::71 as 64571; neighbor fd00:9::1 port PORT as 65000; connect delay time 1;
  ipv4 { import all; export where source = RTS_STATIC; extended next hop; }; }
"""
GOBGP_CONF = """
[global.config]
  as = 64572
  router-id = "1.1.1.72"
  port = -1
[[neighbors]]
  [neighbors.config]
    neighbor-address = "fd00:9::1"
    peer-as = 65000
  [neighbors.transport.config]
    local-address = "fd00:9::72"
    remote-port = PORT
  [[neighbors.afi-safis]]
    [neighbors.afi-safis.config]
      afi-safi-name = "ipv4-unicast"
"""


def gobgp(api, command):
    return subprocess.run(
        ["gobgp", "-u", "127.0.0.1", "-p", str(api)] + command.split(),
        capture_output=True,
        text=True,
        timeout=20 * SLOW,
    )


def others():
    """bird and gobgp over IPv6, which bring IPv4 routes and get others."""
    port, api = free_port(), free_port()
    text = (
        "router id 10.9.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device { scan time 1; }\nprotocol static { ipv4;"
        " route 10.250.0.0/16 blackhole; }\n"
    )
    names = {71: "n_bird"} if os.path.exists(BIRD) else {}
    if shutil.which("gobgpd") and shutil.which("gobgp"):
        names[72] = "n_gobgp"
    if not names:
        needs("bird2")
    for n, name in names.items():
        text += (
            "protocol bgp %s { local fd00:9::1 port %d as 65000; neighbor fd00:9::%d as %d; passive; "
            "ipv4 { import all; export all; extended next hop; require extended next hop; next hop self; }; }\n"
            % (name, port, n, 64500 + n)
        )
    d = Daemon(text)
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    d.start()
    bird = Bird(BIRD_CONF.replace("PORT", str(port))).start() if 71 in names else None
    if 72 in names:
        path = os.path.join(temp_dir(), "gobgp.toml")
        with open(path, "w") as f:
            f.write(GOBGP_CONF.replace("PORT", str(port)))
        spawn(
            ["gobgpd", "-f", path, "-l", "warn", "--pprof-disable", "--api-hosts", "127.0.0.1:%d" % api],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(
            lambda: gobgp(api, "global rib add 30.72.0.0/16 nexthop fd00:9::72 -a ipv4").returncode == 0, "gobgpd"
        )
    d.wait_established(len(names))
    for n in names:
        wait_until(
            lambda: "BGP.next_hop: fd00:9::%d" % n in d.text("show route 30.%d.0.0/16 all" % n),
            "a route of %s" % names[n],
        )
        for other in names:
            net = "10.250.0.0/16" if other == n else "30.%d.0.0/16" % other
            hop = "fd00:9::1"
            if n == 71:
                wait_until(
                    lambda: "BGP.next_hop: " + hop in bird.text("show route %s all" % net),
                    lambda: "%s in bird by %s: %s" % (net, hop, bird.text("show route all")),
                )
            else:
                wait_until(
                    lambda: re.search(re.escape(net) + r"\s+%s\s" % hop, gobgp(api, "global rib -a ipv4").stdout),
                    lambda: "%s in gobgp by %s: %s" % (net, hop, gobgp(api, "global rib -a ipv4").stdout),
                )
    d.kill()


in_namespace()
ROUTER = other_namespace()
links()
case("IPv4 by IPv6 next hops", run, 4)
case("IPv6", run, 6)
if KIND == "ternd":
    case("our own addresses", owns)
    case("link-local next hops by multihop sessions", no_link)
    sh("ip address add 10.77.0.61/32 dev a1; ip address add 10.77.0.62/32 dev a1; ip address add 10.9.0.63/24 dev a1")
    sh("ip address add fd00:9::71/64 dev a1 nodad; ip address add fd00:9::72/64 dev a1 nodad")
    case("bird and gobgp", others)
    sh("ip route add 10.77.0.0/24 dev a0", there=True)
    case("options about links and reading", options)
done()
