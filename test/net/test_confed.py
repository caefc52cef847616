# SPDX-License-Identifier: GPL-3.0-or-later
"""A confederation (RFC 5065): peers of our member AS, of other member ASes and of other ASes, played by hand; what each
is told of the others' routes, attribute by attribute, and what isn't taken from them. The same table holds for bird2
2.0.12, but for what is marked: TERN_DAEMON=bird2."""

from harness import *

PORT = free_port()
SEQ, SET, CSEQ, CSET = 2, 1, 3, 4
NO_EXPORT, NO_ADVERTISE, NO_SUBCONFED = 0xFFFFFF01, 0xFFFFFF02, 0xFFFFFF03

# Peers: address's last octet, AS, options.
PEERS = {
    "inner": (2, 65001, ""),
    "inner2": (3, 65001, ""),
    "member": (4, 65002, "confederation member;"),
    "member2": (5, 65003, "confederation member;"),
    "outer": (6, 200, ""),
    "client": (7, 201, "rs client;"),
}


def conf(more=""):
    text = "router id 10.9.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device { }\n"
    for name, (host, number, options) in PEERS.items():
        text += (
            "protocol bgp p_%s { local 127.0.14.1 port %d as 65001; confederation 100; neighbor 127.0.14.%d as %d;"
            " passive; multihop; allow as sets;\n %s %s ipv4 { import all; export all; }; }\n"
            % (name, PORT, host, number, options, more)
        )
    return text


def path(*segments):
    return b"".join(bytes([kind, len(ases)]) + b"".join(struct.pack("!I", a) for a in ases) for kind, ases in segments)


def text_of_path(value):
    out = []
    while value:
        kind, cnt = value[0], value[1]
        ases = " ".join(str(struct.unpack("!I", value[2 + 4 * i : 6 + 4 * i])[0]) for i in range(cnt))
        out.append({SEQ: "%s", SET: "{%s}", CSEQ: "(%s)", CSET: "({%s})"}[kind] % ases)
        value = value[2 + 4 * cnt :]
    return " ".join(out)


class Member(Peer):
    def wait_for(self, kind, limit_s=20):
        body = super().wait_for(kind, limit_s)
        if kind == OPEN and body:
            four = body.index(b"\x41\x04") + 2
            self.shown = set(struct.unpack("!H", body[1:3]) + struct.unpack("!I", body[four : four + 4]))
        return body

    def announce(self, n, segments, **more):
        """Net 10.n/16. more: pref, med, comm (a list), ext, hop."""
        attrs = (
            attribute(0x40, 1, b"\0")
            + attribute(0x40, 2, path(*segments))
            + attribute(0x40, 3, socket.inet_aton(more.get("hop", self.address)))
        )
        if "med" in more:
            attrs += attribute(0x80, 4, struct.pack("!I", more["med"]))
        if "pref" in more:
            attrs += attribute(0x40, 5, struct.pack("!I", more["pref"]))
        if "comm" in more:
            attrs += attribute(0xC0, 8, b"".join(struct.pack("!I", c) for c in more["comm"]))
        if "ext" in more:
            attrs += attribute(0xC0, 16, more["ext"])
        self.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + nlri("10.%d.0.0/16" % n)))

    def told(self, last):
        """{n: text}, until net @last has come."""
        got = {}
        while last not in got:
            kind, body = self.receive()
            if kind == UPDATE:
                got.update(self.one(body))
        return got

    def one(self, body):
        attrs = body[4 : 4 + struct.unpack("!H", body[2:4])[0]]
        rest, words = body[4 + len(attrs) :], []
        while attrs:
            size, at = (struct.unpack("!H", attrs[2:4])[0], 4) if attrs[0] & 0x10 else (attrs[2], 3)
            value, code = attrs[at : at + size], attrs[1]
            if code == 2:
                words.append(text_of_path(value) or "-")
            if code == 3:
                words.append("via " + socket.inet_ntoa(value).split(".")[3])
            if code in (4, 5):
                words.append("%s %d" % ({4: "med", 5: "pref"}[code], struct.unpack("!I", value)[0]))
            if code == 16:
                words.append("ext %d" % (len(value) // 8))
            attrs = attrs[at + size :]
        out = {}
        while rest:
            cnt = (rest[0] + 7) // 8
            out[rest[2]] = " ".join(words)
            rest = rest[1 + cnt :]
        return out


EXT = bytes([0x40, 2, 0, 0, 0, 0, 0, 1, 0, 2, 0, 1, 0, 0, 0, 2])  # one that isn't transitive, one that is
# What is announced: number of the net: by whom, path, more.
ROUTES = {
    1: ("inner", [], {"pref": 100}),
    2: ("inner", [(CSEQ, [65009]), (SEQ, [300])], {"pref": 150, "med": 7, "ext": EXT}),
    3: ("inner", [(SEQ, [300])], {"pref": 100, "comm": [NO_EXPORT]}),
    4: ("inner", [(SEQ, [300])], {"pref": 100, "comm": [NO_SUBCONFED]}),
    11: ("member", [(CSEQ, [65002])], {"pref": 100}),
    12: ("member", [(CSEQ, [65002, 65009]), (SEQ, [300, 301])], {"pref": 150, "med": 7, "ext": EXT}),
    13: ("member", [(CSEQ, [65002])], {"pref": 100, "comm": [NO_EXPORT]}),
    14: ("member", [(CSEQ, [65002])], {"pref": 100, "comm": [NO_SUBCONFED]}),
    15: ("member", [(CSEQ, [65002])], {"pref": 100, "comm": [NO_ADVERTISE]}),
    16: ("member", [(CSEQ, [65002]), (CSET, [65007, 65008])], {"pref": 100}),
    17: ("member", [(CSEQ, [65002, 65001])], {"pref": 100}),
    18: ("member", [(CSEQ, [65002]), (SEQ, [300, 100])], {"pref": 100}),
    19: ("member", [(SEQ, [300])], {"pref": 100}),
    20: ("member", [], {"pref": 100}),
    21: ("member", [(CSEQ, [65009])], {"pref": 100}),
    22: ("member", [(CSEQ, [65002])], {}),
    23: ("member", [(CSEQ, [65002]), (SEQ, [300, 65001])], {"pref": 100}),
    31: ("outer", [(SEQ, [200, 400])], {"med": 7, "ext": EXT}),
    32: ("outer", [(SEQ, [200, 100])], {}),
    33: ("outer", [(SEQ, [200, 65001])], {}),
    34: ("outer", [(SEQ, [200]), (CSEQ, [65009])], {}),
    35: ("outer", [(SEQ, [200])], {"pref": 150}),
    36: ("outer", [(SEQ, [200])], {"comm": [NO_EXPORT]}),
    37: ("outer", [(SEQ, [200])], {"comm": [NO_SUBCONFED]}),
    38: ("outer", [(SEQ, [200, 65002])], {}),
    41: ("client", [(SEQ, [201])], {"med": 8}),
}
LAST = 50  # told last of all, by the client; and one more by the inner one
# What isn't taken: loops (our member AS, our confederation), paths that a peer of that kind can't have.
REFUSED = [17, 19, 20, 23, 32, 33, 34]
# As RFC 5065, 4 has it; bird2 looks for the confederation in what comes from outside alone.
LOOPS = [18] if KIND == "ternd" else []
REFUSED += LOOPS
# What peers are told: path, last octet of the next hop, the rest.
INSIDE = {
    1: "%s via 2 pref 100",
    2: "%s 300 via 2 med 7 pref 150 ext 2",
    3: "%s 300 via 2 pref 100",
    4: "%s 300 via 2 pref 100",
    11: "%s via 4 pref 100",
    12: "%s 300 301 via 4 med 7 pref 150 ext 2",
    13: "%s via 4 pref 100",
    14: "%s via 4 pref 100",
    16: "%s ({65007 65008}) via 4 pref 100",
    18: "%s 300 100 via 4 pref 100",
    21: "%s via 4 pref 100",
    22: "%s via 4 pref 100",
    31: "%s 200 400 via 6 med 7 pref 100 ext 2",
    35: "%s 200 via 6 pref 100",
    36: "%s 200 via 6 pref 100",
    37: "%s 200 via 6 pref 100",
    38: "%s 200 65002 via 6 pref 100",
    41: "%s 201 via 7 med 8 pref 100",
    50: "%s 201 via 7 pref 100",
    51: "%s via 2 pref 100",
}
MEMBERS = {
    2: [65009],
    11: [65002],
    12: [65002, 65009],
    13: [65002],
    14: [65002],
    16: [65002],
    18: [65002],
    21: [65009],
    22: [65002],
}


def inside(first, *without):
    """What one in the confederation is told; @first: what we put before the numbers of members."""
    out = {}
    for n, text in INSIDE.items():
        before = " ".join(str(a) for a in first + MEMBERS.get(n, []))
        if n not in without + tuple(LOOPS):
            out[n] = (text % ("(%s)" % before if before else "")).strip()
    return out


OURS = [n for n in INSIDE if ROUTES.get(n, ["inner" if n == LAST + 1 else "client"])[0] == "inner"]
THEIRS = [n for n in ROUTES if ROUTES[n][0] == "member"]
SUBCONFED = [4, 14, 37]
WANT = {
    # RFC 4271, 9.2: internal peers aren't told what internal ones said
    "inner": inside([], *OURS),
    "inner2": inside([], *OURS),
    "member": inside([65001], *THEIRS, *SUBCONFED),
    "member2": inside([65001], *SUBCONFED),
    "outer": {
        1: "100 via 1",
        2: "100 300 via 1 ext 1",
        11: "100 via 1",
        12: "100 300 301 via 1 ext 1",
        16: "100 via 1",
        18: "100 300 100 via 1",
        21: "100 via 1",
        22: "100 via 1",
        41: "100 201 via 1",
        50: "100 201 via 1",
        51: "100 via 1",
    },
    "client": {
        1: "- via 2",
        2: "300 via 2 med 7 ext 1",
        11: "- via 4",
        12: "300 301 via 4 med 7 ext 1",
        16: "- via 4",
        18: "300 100 via 4",
        21: "- via 4",
        22: "- via 4",
        31: "200 400 via 6 med 7 ext 1",
        35: "200 via 6",
        38: "200 65002 via 6",
        51: "- via 2",
    },
}


def start(text):
    """The daemon, and all peers."""
    d = Daemon(text).start()
    return d, {
        name: Member(PORT, "127.0.14.%d" % host, number, server="127.0.14.1").establish()
        for name, (host, number, _) in PEERS.items()
    }


def told():
    d, peers = start(conf())
    for n, (name, segments, more) in ROUTES.items():
        peers[name].announce(n, segments, **more)
    wait_until(
        lambda: all("10.%d.0.0" % n in d.text("show route") for n in INSIDE if n < LAST and n not in LOOPS),
        "the routes",
    )
    peers["client"].announce(LAST, [(SEQ, [201])])
    peers["inner"].announce(LAST + 1, [], pref=100)
    wait_until(lambda: "10.%d.0.0" % (LAST + 1) in d.text("show route"), "the last route")
    for name, p in peers.items():
        got = p.told(LAST + 1 if name == "client" else LAST)
        if LAST + 1 in WANT[name] and LAST + 1 not in got:
            got.update(p.told(LAST + 1))
        if (
            KIND == "bird2" and name == "client"
        ):  # it shows a client the confederation, which that has to refuse (RFC 5065, 5)
            continue
        equal(got, {n: text for n, text in WANT[name].items() if n not in LOOPS}, "what %s is told" % name)
        equal(p.shown, {100 if name in ("outer", "client") else 65001}, "our AS for %s" % name)
    for n in REFUSED:
        check("not found" in d.text("show route 10.%d.0.0/16" % n), "route %d was taken" % n)
    d.stop()


def decided():
    """Which of two routes is the best: outer before inner; a member's counts as inner, and its numbers make no path
    longer."""
    d, peers = start(conf())
    two = [(CSEQ, [65002, 65004, 65005]), (SEQ, [300])]
    peers["member"].announce(1, two, pref=100)
    peers["inner"].announce(1, [(SEQ, [300, 301])], pref=100)
    peers["member"].announce(2, [(CSEQ, [65002]), (SEQ, [300])], pref=100)
    peers["outer"].announce(2, [(SEQ, [200])])
    peers["member"].announce(3, [(CSEQ, [65002]), (SEQ, [200])], pref=100, med=5)
    peers["outer"].announce(3, [(SEQ, [200])], med=9)
    best = {1: "p_member", 2: "p_outer", 3: "p_member"}

    def found():
        """The one that is marked, which stands first, though MED may have chosen it."""
        text = {n: d.text("show route 10.%d.0.0/16" % n) for n in best}
        return all(t.count("[p_") == 2 for t in text.values()) and {
            n: re.search(r"\A[^[]*\[(p_\w+) [^\]]*\] \*", t).group(1) for n, t in text.items()
        }

    wait_until(lambda: found() == best, lambda: "%s: %s" % (found(), d.text("show route")))
    d.stop()


ASKED = {
    1: [(CSEQ, [65002, 65003])],
    2: [(CSEQ, [65002]), (SEQ, [200, 300])],
    3: [(CSEQ, [65002]), (SEQ, [200]), (CSEQ, [65003])],
    4: [(CSEQ, [65002]), (CSET, [65003])],
    5: [(CSEQ, [65002]), (SET, [300, 400]), (SEQ, [200])],
    6: [(CSEQ, [65002, 65004])],
}
# What a filter finds: the first AS, the last one, the last of the leading sequences, whether a ROA of AS 65003 fits;
# what `show route` prints.
FOUND = {
    1: ((0, 65003, 65003), 1, "[AS65003i]"),
    2: ((0, 300, 300), 2, "[AS300i]"),
    3: ((0, 65003, 65003), 1, "[AS65003i]"),
    4: ((0, 0, 65002), 2, "[i]"),
    5: ((0, 200, 65002), 2, "[AS200i]"),
    6: ((0, 65004, 65004), 2, "[AS65004i]"),
}


def asked():
    """Filters, ROAs and `show route` count members of a confederation in the ends of a path."""
    roas = "roa4 table r4;\nprotocol static { roa4 { table r4; }; route 10.0.0.0/8 max 32 as 65003; }\n"
    policy = (
        "import filter { bgp_large_community.add((bgp_path.first, bgp_path.last, bgp_path.last_nonaggregated));"
        " if roa_check(r4) = ROA_VALID then bgp_community.add((1, 1)); else bgp_community.add((1, 2)); accept; };"
    )
    text = conf().replace("protocol device { }\n", "protocol device { }\n" + roas)
    at = text.index("protocol bgp p_member ")
    d, peers = start(text[:at] + text[at:].replace("import all;", policy, 1))
    for n, segments in ASKED.items():
        peers["member"].announce(n, segments, pref=100)
    for n, (ends, roa, shown) in FOUND.items():
        wait_until(lambda: "10.%d.0.0/16" % n in d.text("show route"), "route %d" % n)
        got = d.text("show route 10.%d.0.0/16 all" % n)
        check(
            "(%d, %d, %d)" % ends in got and "(1,%d)" % roa in got and shown in got,
            "%s: %s" % ((ends, roa, shown), got),
        )
    d.stop()


def direct():
    """Members leave next hops as they are: who has a direct session with one takes them with `gateway recursive`."""
    router = other_namespace()
    for line in [
        "ip link add a0 type veth peer name a1",
        "ip link set a0 netns %d" % router.pid,
        "ip link set a1 up",
        "ip address add 10.9.0.4/24 dev a1",
    ] + [
        "nsenter -t %d -n %s" % (router.pid, line)
        for line in ("ip link set lo up", "ip link set a0 up", "ip address add 10.9.0.1/24 dev a0")
    ]:
        subprocess.run(line.split(), check=True, timeout=20 * SLOW)
    for options, taken in ("", False), ("gateway recursive;", True):
        d = Daemon(
            """router id 10.9.0.1;\nlog "RUN/bird.log" all;\nprotocol device { }
protocol bgp p_member { local 10.9.0.1 port %d as 65001; confederation 100; confederation member; neighbor 10.9.0.4 as \
65002; passive;
  ipv4 { import all; export all; %s }; }\n"""
            % (PORT, options)
        )
        argv = d.argv
        d.argv = lambda *more: ["nsenter", "-t", str(router.pid), "-n"] + argv(*more)
        d.start()
        p = Member(PORT, "10.9.0.4", 65002, server="10.9.0.1").establish()
        p.announce(2, [(CSEQ, [65002])], pref=100, hop="192.0.2.77")
        p.announce(3, [(CSEQ, [65002])], pref=100)
        wait_until(lambda: "10.3.0.0/16" in d.text("show route"), "a route of a neighbor")
        equal("10.2.0.0/16" in d.text("show route"), taken, "a next hop beyond the link, with %r" % options)
        check("unicast" in d.text("show route 10.3.0.0/16"), d.text("show route"))
        d.kill()


def refused():
    """A member needs the confederation's number; RFC 8212 isn't about members."""
    d = Daemon(conf()).start()
    d.write(conf().replace("confederation 100; neighbor 127.0.14.4", "neighbor 127.0.14.4"))
    check("confederation" in d.text("configure").lower(), "a member without a confederation was taken")
    for bad, says in (("neighbor 127.0.14.6 as 200", "neighbor 127.0.14.6 as 100"), "confederation's"), (
        ("as 65003; passive; multihop; allow as sets;", "as 65003; passive; multihop; rs client;"),
        "client",
    ):
        d.write(conf().replace(*bad))
        check(KIND == "bird2" or says in d.text("configure"), "%r was taken" % (bad,))
    d.write(conf().replace("import all; export all;", "", 4))
    check("econfigur" in d.text("configure"), "members need a policy")
    d.write(conf().replace("import all; export all;", "", 5))
    check("policy" in d.text("configure"), "an external peer needs none")
    d.stop()


in_namespace()
subprocess.run("ip link set lo up".split(), check=True, timeout=20 * SLOW)
case("told", told)
case("decided", decided)
case("asked", asked)
if KIND == "ternd":
    case("direct", direct)
case("refused", refused)
done()
