# SPDX-License-Identifier: GPL-3.0-or-later
"""protocol bfd: sessions with bird2, frr's bfdd and another ternd, in a network namespace of their own. IPv4, IPv6,
link-local, multihop, each authentication; what is lost when a link is cut, a neighbour freezes, ends or is set to be
down; packets that are forged."""

from bfd_place import *

if KIND != "ternd":
    cannot_here("this is about ternd")

OURS = 'router id 10.8.0.1; log "RUN/bird.log" all; protocol device {}\n'
NEIGHBORS = {
    "10.8.0.2": "neighbor 10.8.0.2;",
    "fd08::2": 'neighbor fd08::2 dev "a1" local fd08::1;',
    "fe80::2": "neighbor fe80::2%a1;",
    "10.8.1.2": "neighbor 10.8.1.2 local 10.8.1.1 multihop;",
    "fd08:1::2": "neighbor fd08:1::2 local fd08:1::1 multihop;",
}


def turned(text):
    """The same as seen from the other side."""
    text = re.sub(
        r"(10\.8\.\d\.|fd08:1::|fd08::|fe80::)([12])\b", lambda m: m.group(1) + "21"[int(m.group(2)) - 1], text
    )
    return text.replace("a1", "a0")


def conf(options, neighbors, head=""):
    return 'protocol bfd { %s interface "a*" { %s }; multihop { %s };\n%s\n}\n' % (
        head,
        options,
        options,
        "\n".join(neighbors),
    )


def pair(other, ours=FAST, theirs=FAST, neighbors=NEIGHBORS.values(), head=""):
    d = Daemon(OURS + conf(ours, neighbors, head)).start()
    o = other(OURS.replace("10.8.0.1", "10.8.0.2") + conf(theirs, [turned(n) for n in neighbors])).start()
    return d, o


# A block of `show bfd sessions all`, as BIRD 2.17 prints the block.
ROWS = (
    "Address:",
    "Interface:",
    "Session type:",
    "Session state:",
    "Remote state:",
    "Last state change:",
    "Local diagnostic:",
    "Remote diagnostic:",
    "Local discriminator:",
    "Remote discriminator:",
    "Transmit timer:",
    "Detect timer:",
    "Local parameters:",
    "  Min TX interval:",
    "  Min RX interval:",
    "  Demand mode:",
    "  Multiplier:",
    "Remote parameters:",
    "  Min TX interval:",
    "  Min RX interval:",
    "  Demand mode:",
    "  Multiplier:",
)


def same_rows(d, o):
    """Names, order and columns of the rows are BIRD's; rows of our own follow; an empty line ends a block."""
    reply = [line for code, line in d.run("show bfd sessions all address fd08::2") if code == 1020]
    equal(reply[0], "bfd1:", "the instance's line")
    equal([re.match(r"  ( *[A-Za-z ]+:)", x).group(1) for x in reply[1 : 1 + len(ROWS)]], list(ROWS), "rows")
    values = dict(re.match(r"  ([A-Za-z ]+): *(.*)", x).groups() for x in reply[1:13])
    equal(
        [values[x] for x in ("Address", "Interface", "Session type", "Session state", "Local diagnostic")],
        ["fd08::2", "a1", "Direct", "Up", "None"],
        "values",
    )
    check(re.fullmatch(r"\d+\.\d{3} / %.3f" % (0.1 * SLOW), values["Transmit timer"]), "%r" % values)
    check(re.fullmatch(r"\d+\.\d{3} / %.3f" % FAST_S, values["Detect timer"]), "%r" % values)
    check("    Min TX interval:    %.3f" % (0.1 * SLOW) in reply, "%r" % reply)
    check("  Local address:        fd08::1" in reply and not reply[-1].strip(), "%r" % reply)
    check(
        len([x for x in d.run("show bfd sessions all") if not x[1].strip() and x[0] == 1020]) == 5,
        "an empty line behind each",
    )
    theirs = [line for code, line in o.run("show bfd sessions all address fd08::1") if code == 1020]
    if theirs:  # older versions don't have `all`
        equal(
            [re.match(r" *[A-Za-z ]+:", x).group(0) for x in theirs[1 : 1 + len(ROWS)]],
            [re.match(r" *[A-Za-z ]+:", x).group(0) for x in reply[1 : 1 + len(ROWS)]],
            "rows of bird",
        )


def kinds(other):
    """Sessions of all kinds come up, are disabled, come back, and are lost when the link is cut."""
    d, o = pair(other)
    for a in NEIGHBORS:
        wait_state(d, a, "Up")
        wait_state(o, turned(a), "Up")
    wait_until(lambda: one(d, "10.8.0.2")[1:] == (0.1 * SLOW, FAST_S), lambda: "intervals: %s" % sessions(d))
    equal(sorted(i for _, i in sessions(d)), ["---", "---", "a1", "a1", "a1"], "interfaces")
    for words, want in (
        ("ipv4", 2),
        ("ipv6", 3),
        ("direct", 3),
        ("multihop", 2),
        ("ipv6 multihop", 1),
        ('interface "a*"', 3),
        ("address fd08::/16", 2),
        ("address 10.8.0.2", 1),
        ("bfd1", 5),
    ):
        got = [line for code, line in d.run("show bfd sessions " + words) if code == 1020 and " Up " in line]
        equal(len(got), want, "show bfd sessions " + words)
    equal(
        d.text("show bfd sessions bfd1 ipv4 direct all").count("  Session state:        Up"), 1, "bfd1 ipv4 direct all"
    )
    same_rows(d, o)
    check("Sessions:       5, 5 up" in d.text("show protocols all bfd1"), "show protocols all")
    o.run("disable bfd1")
    for a in NEIGHBORS:
        wait_state(d, a, "Down")
    o.run("enable bfd1")
    for a in NEIGHBORS:
        wait_state(d, a, "Up")
    sh("ip link set a1 down")
    for a in ("10.8.0.2", "fd08::2", "10.8.1.2"):
        wait_until(lambda a=a: "Up" not in state(d, a), "the link is cut: " + a)
    sh(
        "ip link set a1 up; ip addr replace fd08::1/64 dev a1 nodad; ip addr replace fd08:1::1/128 dev lo nodad; ip"
        " addr replace fe80::1/64 dev a1 nodad; ip route replace 10.8.1.2 via 10.8.0.2; ip route replace fd08:1::2 via"
        " fd08::2"
    )
    for a in NEIGHBORS:
        wait_state(d, a, "Up")
    o.kill()
    d.stop()


def intervals():
    """Each side sends as seldom as the other wants it, and a change of it is agreed without losing the session."""
    two = ["neighbor 10.8.0.2;"]
    d, o = pair(
        BirdThere,
        "min tx interval 100 ms; min rx interval 200 ms; multiplier 4;",
        "min tx interval 400 ms; min rx interval 300 ms; multiplier 7;",
        two,
    )
    wait_state(d, "10.8.0.2", "Up")
    wait_until(lambda: one(d, "10.8.0.2")[1:] == (0.3, 2.8), lambda: "ours: %s" % sessions(d))
    wait_until(lambda: one(o, "10.8.0.1")[1:] == (0.4, 1.2), lambda: "theirs: %s" % sessions(o))
    for options, ours, theirs in (
        ("interval 500 ms; multiplier 4;", (0.5, 3.5), (0.5, 2.0)),
        ("interval 250 ms; multiplier 5;", (0.3, 2.8), (0.4, 1.5)),
    ):
        d.write(OURS + conf(options, two))
        d.run("configure")
        wait_until(lambda: one(d, "10.8.0.2")[1:] == ours, lambda: "%s: ours: %s" % (options, sessions(d)))
        wait_until(lambda: one(o, "10.8.0.1")[1:] == theirs, lambda: "%s: theirs: %s" % (options, sessions(o)))
    exchanged(d, ["10.8.0.2"], 5)
    equal(json_of(d)["losses"], 0, "the session stood")
    o.kill()
    d.stop()


AUTH = {
    "simple": 'authentication simple; password "pass";',
    "md5": 'authentication keyed md5; password "word" { id 7; };',
    "met md5": 'authentication meticulous keyed md5; password "word";',
    "sha1": 'authentication keyed sha1; password "a longer password 20" { id 3; };',
    "met sha1": 'authentication meticulous keyed sha1; password "abc" { id 200; };',
}


def authentication():
    """Of each kind with bird2: up with the same key; changed on both sides without a loss; down with another key."""
    two = ["neighbor 10.8.0.2;"]
    for name, options in AUTH.items():
        d, o = pair(BirdThere, FAST + options, FAST + options, two)
        wait_state(d, "10.8.0.2", "Up")
        wait_state(o, "10.8.0.1", "Up")
        stands(d, ["10.8.0.2"])
        d.write(OURS + conf(FAST + options.replace('"', '"x', 1).replace("password 20", "passwd 20"), two))
        d.run("configure")
        wait_state(d, "10.8.0.2", "Down")
        wait_until(lambda: "is refused: wrong password" in d.whole_log(), lambda: name + ": the log: " + d.whole_log())
        o.kill()
        d.stop()


def keys_change(other):
    """Keys that change by time, without a loss: each side has both, and the hour tells which one is sent. The session
    outlives a packet that comes with the other key, but not a detection time of such packets."""
    two = ["neighbor 10.8.0.2;"]
    at = time.monotonic() + 4 * SLOW
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
    options = (
        FAST + 'authentication meticulous keyed sha1; passwords { password "old" { id 1; generate to "%s"; };'
        ' password "new" { id 2; generate from "%s"; }; };' % (when, when)
    )
    d, o = pair(other, options, options, two)
    wait_state(d, "10.8.0.2", "Up")
    passes(at + 1 - time.monotonic())
    exchanged(d, ["10.8.0.2"], 2 * MULTIPLIER)
    equal((state(d, "10.8.0.2"), json_of(d)["losses"]), (["Up"], 0), "the session stands")
    equal(state(o, "10.8.0.1"), ["Up"], "as the other side sees it")
    d.write(OURS + conf(FAST + 'authentication meticulous keyed sha1; password "new" { id 2; };', two))
    d.run("configure")
    exchanged(d, ["10.8.0.2"], 2 * MULTIPLIER)
    equal((state(d, "10.8.0.2"), json_of(d)["losses"]), (["Up"], 0), "the new key alone is in use")
    o.kill()
    d.stop()


def strict():
    """With `strict bind` each address that a session has gets a socket, and there is none for all."""
    d, o = pair(BirdThere, head="strict bind; zero udp6 checksum rx;")
    for a in NEIGHBORS:
        wait_state(d, a, "Up")
    bound = subprocess.run(["ss", "-Hlun"], stdout=subprocess.PIPE, timeout=20 * SLOW, text=True).stdout
    for port, addresses in ((3784, 3), (4784, 2)):
        got = [line.split()[3] for line in bound.split("\n") if line.split() and line.split()[3].endswith(":%d" % port)]
        equal(len(got), addresses, "sockets of port %d: %s" % (port, got))
        check(not [a for a in got if a.startswith(("0.0.0.0", "*", "[::]"))], "one for all: %s" % got)
    o.kill()
    d.stop()


def passive():
    """Who is passive begins only when the other side does; two of them never do."""
    two = ["neighbor 10.8.0.2;"]
    d, o = pair(TernThere, FAST + "passive;", FAST, two)
    wait_state(d, "10.8.0.2", "Up")
    o.write(OURS.replace("10.8.0.1", "10.8.0.2") + conf(FAST + "passive;", [turned(n) for n in two]))
    o.run("configure")
    exchanged(d, ["10.8.0.2"], 2 * MULTIPLIER)
    equal(state(d, "10.8.0.2"), ["Up"], "what is up stays")
    for side in (d, o):
        side.run("disable bfd1")
    for side in (d, o):
        side.run("enable bfd1")
    for side, a in ((d, "10.8.0.2"), (o, "10.8.0.1")):

        def waits():
            s = json_of(side)
            return (s["state"], s["packets_sent"], s["passive"]) == ("Down", 0, True)

        # a session that is down sends once a second
        stays(waits, lambda: "%s: %s" % (a, json_of(side)), 1.5)
    o.kill()
    d.stop()


def renumbered():
    """Our address on an interface becomes another one: the session is gone at once, and comes back from there."""
    d = Daemon(
        OURS + conf(FAST, ["neighbor 10.8.0.2;"]) + "protocol static { ipv4; route 10.50.0.0/16 via 10.8.0.2 bfd; }\n"
    ).start()
    o = TernThere(
        OURS.replace("10.8.0.1", "10.8.0.2") + conf(FAST, ["neighbor 10.8.0.1;", "neighbor 10.8.0.9;"])
    ).start()
    wait_state(d, "10.8.0.2", "Up")
    for was, now in (("10.8.0.1/24", "10.8.0.9/25"), ("10.8.0.9/25", "10.8.0.1/24")):
        sh("ip addr add %s dev a1; ip addr del %s dev a1; ip route replace 10.8.1.2 via 10.8.0.2" % (now, was))
        was, now = was.split("/")[0], now.split("/")[0]
        wait_until(
            lambda: state(o, now) == ["Up"] and state(o, was) == ["Down"],
            lambda: "as the other side sees it: %s" % sessions(o),
        )
        wait_until(
            lambda: (state(d, "10.8.0.2"), json_of(d)["local_address"]) == (["Up"], now), lambda: "%s" % json_of(d)
        )
        check("10.50.0.0/16" in d.text("show route 10.50.0.0/16"), "the route by it is there")
    s = json_of(d)
    equal((s["losses"], s["ups"], s["asks"]), (2, 3, 1), "losses, how often it came up, who asks")
    o.kill()
    d.stop()


def slept():
    """We don't run for longer than the detection time, which the other side has patience for: its packets have come
    meanwhile, and count."""
    two = ["neighbor 10.8.0.2;"]
    d, o = pair(TernThere, "interval %d ms; multiplier 100;" % (100 * SLOW), FAST, two)
    wait_state(d, "10.8.0.2", "Up")
    wait_until(lambda: one(d, "10.8.0.2")[2] == FAST_S, lambda: "our timeout: %s" % sessions(d))
    for _ in range(3):
        freeze(d.pid)
        sent = json_of(o)["packets_sent"]
        wait_until(
            lambda: json_of(o)["packets_sent"] > sent + (5 if VIRTUAL else 2) * MULTIPLIER, "packets of the other side"
        )
        os.kill(d.pid, signal.SIGCONT)
        exchanged(d, ["10.8.0.2"], MULTIPLIER)
        equal((state(d, "10.8.0.2"), json_of(d)["losses"]), (["Up"], 0), "the session")
    equal(json_of(o)["losses"], 0, "the other side")
    o.kill()
    d.stop()


def with_frr():
    """Sessions of all kinds with bfdd, which wants other intervals than we do; frozen, and ended."""
    for name in Frr.PROGRAMS:
        if not os.path.exists(name):
            needs("frr")
    d = Daemon(OURS + conf(FAST, NEIGHBORS.values())).start()
    o = Frr()
    for a in NEIGHBORS:
        wait_state(d, a, "Up")
        wait_until(lambda a=a: o.peers()[turned(a)]["status"] == "up", lambda a=a: "bfdd: %s" % o.peers())
    for a in NEIGHBORS:
        wait_until(lambda a=a: one(d, a)[1:] == (0.2 * SLOW, FAST_S), lambda: "ours: %s" % sessions(d))
    for a, p in o.peers().items():
        equal(
            (p["remote-receive-interval"], p["remote-transmit-interval"], p["remote-detect-multiplier"]),
            (100 * SLOW, 100 * SLOW, MULTIPLIER),
            "what bfdd knows of us: " + a,
        )
    stands(d, NEIGHBORS)
    freeze(o.procs[1].pid)
    for a in NEIGHBORS:
        wait_state(d, a, "Down")
        equal(json_of(d, "address " + a)["diagnostic"], "Control Detection Time Expired", "why " + a)
    os.kill(o.procs[1].pid, signal.SIGCONT)
    for a in NEIGHBORS:
        wait_state(d, a, "Up")
    d.run("disable bfd1")
    wait_until(
        lambda: all(
            p["status"] == "down" and p["remote-diagnostic"] == "administratively down" for p in o.peers().values()
        ),
        lambda: "bfdd: %s" % o.peers(),
    )
    d.run("enable bfd1")
    for a in NEIGHBORS:
        wait_state(d, a, "Up")
    o.end()
    d.stop()


def flood(seconds):
    """Send forged packets from the neighbour's addresses. Returns: how many."""
    rng, socks, sent = random.Random(SEED), [], 0

    def packet(state=3, mine=77, yours=0, auth=b"", mult=3):
        return (
            struct.pack(
                ">BBBBIIIII", 0x20, state << 6 | (4 if auth else 0), mult, 24 + len(auth), mine, yours, 10000, 10000, 0
            )
            + auth
        )

    for host, port in (("10.8.0.1", 3784), ("10.8.1.1", 4784), ("fd08::1", 3784)):
        for ttl in (255, 254):
            six = ":" in host
            with inside(PLACE.proc):
                s = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_DGRAM)
                s.setsockopt(
                    *((socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS) if six else (socket.IPPROTO_IP, socket.IP_TTL)),
                    ttl
                )
                s.bind((turned(host), 0))
                s.connect((host, port))
            socks.append(s)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        arrives()
        for _ in range(100 if VIRTUAL else 1):
            for s in socks:
                p = (
                    rng.randbytes(rng.randrange(0, 100)),
                    packet(rng.randrange(4), rng.randrange(1, 1 << 32), rng.randrange(1 << 32)),
                    packet(1),
                    packet(0),
                    packet(1, auth=bytes([4, 28, 1, 0]) + rng.randbytes(24)),
                    packet(3, yours=5, mult=0),
                )[rng.randrange(6)]
                try:
                    s.send(p)
                    sent += 1
                except OSError:
                    pass
    for s in socks:
        s.close()
    return sent


def hostile():
    """A flood of forged packets from the neighbour's own address, which sessions with a key outlive: garbage,
    strangers, wrong keys, a TTL below 255. The log has a line a kind."""
    key = FAST + 'authentication meticulous keyed sha1; password "secret";'
    three = [NEIGHBORS[a] for a in ("10.8.0.2", "fd08::2", "10.8.1.2")]
    d, o = pair(TernThere, key, key, three)
    for a in ("10.8.0.2", "fd08::2", "10.8.1.2"):
        wait_state(d, a, "Up")
    note("%d forged packets in 3 s" % flood(3))
    for a in ("10.8.0.2", "fd08::2", "10.8.1.2"):
        s = json_of(d, "address " + a)
        equal((s["state"], s["losses"]), ("Up", 0), a)
    log = [line for line in d.whole_log().split("\n") if "WARN" in line]
    for what in ("Bad packet from", "with TTL 254, not 255", "is of no session", "is refused:"):
        equal(len([line for line in log if what in line]), 1, "lines of the log: " + what)
    o.kill()
    d.stop()


PLACE = begin()
case("sessions with another ternd", alone(kinds), TernThere)
bird_case("sessions with bird2", alone(kinds), BirdThere)
bird_case("intervals of both sides", alone(intervals))
bird_case("authentication", alone(authentication))
case("keys change in time", alone(keys_change), TernThere)
if SLOW == 1:
    bird_case("keys change in time, with bird2", alone(keys_change), BirdThere)
bird_case("strict bind", alone(strict))
case("passive", alone(passive))
case("another address of ours", alone(renumbered))
case("we sleep", alone(slept))
case("sessions with frr", alone(with_frr))
case("a flood of forged packets", alone(hostile))
done()
