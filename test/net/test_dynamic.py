# SPDX-License-Identifier: GPL-3.0-or-later
"""`neighbor range`: members connect, get instances, go and come back, while the range, its instances and the
configuration around them change, and while bounds are reached."""

from harness import *
import threading

if KIND != "ternd":
    cannot_here("this is about ternd")

SERVER = "127.0.18.1"
RANGE = "127.0.19.0/24"
CEASE = {"shutdown": b"\x06\x02", "deconfigured": b"\x06\x03", "rejected": b"\x06\x05", "changed": b"\x06\x06"}


def conf(port, more="", channel="", before="", after="", name="rs", peers="neighbor range %s external;" % RANGE):
    return """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp t { local %s port %d as 65000; strict bind; multihop; error wait time 1, 1; connect delay time 600; }
%s
protocol bgp %s from t { %s dynamic name "dyn"; dynamic name digits 3; %s
  ipv4 { import all; export all; import table; %s }; }
%s
""" % (
        SERVER,
        port,
        before,
        name,
        peers,
        more,
        channel,
        after,
    )


def address(n):
    return "127.0.19.%d" % n


def peer(port, n, hold=90):
    return Peer(port, address(n), 65000 + n, hold=hold, server=SERVER)


def come(port, n, limit_s=waits.LIMIT_S):
    """A session of member n; one that is refused tries again."""

    return join_when_taken(lambda: peer(port, n), "member %d is taken" % n, limit_s)


def last_words(p):
    got = p.wait_for(NOTIFICATION)
    return got[:2] if got else got


def refused(port, n):
    """A connection gets Cease 6/5, and no OPEN."""
    p = peer(port, n)
    p.s.settimeout(5 * SLOW)
    got = p.receive()
    p.s.close()
    return got is not None and got[0] == NOTIFICATION and got[1][:2] == CEASE["rejected"]


def states(d):
    """{name: first word of Info, else the state} of all instances of BGP."""
    return {n: (s[2].split() or [s[0]])[0] for n, s in d.sessions().items()}


def reconfigure(d, text):
    d.write(text)
    got = d.run("configure")
    check(got[-1][0] in (3, 4), "configure: %r" % got)
    return "\n".join(t for _, t in got)


def comes_and_goes():
    port = free_port()
    d = Daemon(conf(port)).start()
    wait_until(lambda: states(d) == {"rs": "Passive"}, lambda: "nobody has come: %s" % states(d))
    a, b = come(port, 2), come(port, 3)
    wait_until(
        lambda: states(d) == {"rs": "Passive", "dyn001": "Established", "dyn002": "Established"}, lambda: str(states(d))
    )
    order = [line.split()[0] for code, line in d.run("show protocols") if code == 1002 and " BGP " in line]
    equal(order, ["rs", "dyn001", "dyn002"], "in order")
    text = d.text("show protocols all rs")
    check("Neighbor range:   %s" % RANGE in text and "BGP state:          Passive" in text, text)
    text = d.text("show protocols all dyn002")
    for line in (
        "Neighbor address: 127.0.19.3",
        "Neighbor AS:      65003",
        "Local AS:         65000",
        "Session:          external",
    ):
        check(line in text, "%s in %s" % (line, text))
    # Their routes are like any others'.
    a.update(["192.0.2.0/24"], next_hop="127.0.19.2")
    wait_until(lambda: "[dyn001 " in d.text("show route protocol dyn001"), "a route of dyn001")
    got = b.wait_for(UPDATE)
    while b"\x18\xc0\x00\x02" not in got:
        got = b.wait_for(UPDATE)
    # The member's instance stays when it goes, and is its own again when it is back.
    a.cease()
    wait_until(lambda: states(d)["dyn001"] in ("Idle", "Active"), lambda: str(states(d)))
    wait_until(lambda: "192.0.2.0/24" not in d.text("show route"), "its routes to go")
    a = come(port, 2)
    wait_until(
        lambda: states(d) == {"rs": "Passive", "dyn001": "Established", "dyn002": "Established"}, lambda: str(states(d))
    )
    check("Sessions: 2 of 2 up" in d.text("show health"), d.text("show health"))
    # Who isn't of the range is a stranger.
    p = Peer(port, "127.0.20.1", 65001, server=SERVER)
    equal(last_words(p), CEASE["rejected"], "a stranger")
    wait_until(lambda: "Unexpected connect from unknown address 127.0.20.1" in d.whole_log(), "it is logged")
    d.stop()
    equal((last_words(a), last_words(b)), (CEASE["shutdown"],) * 2, "the daemon ends")


def commands():
    port = free_port()
    d = Daemon(conf(port)).start()
    a, b = come(port, 2), come(port, 3)
    wait_until(lambda: d.established() == 2, "both")
    # A member that is disabled isn't made anew.
    equal(d.run("disable dyn001")[0], (9, "dyn001: disabled"), "disable")
    equal(last_words(a), CEASE["shutdown"], "the member hears of it")
    for _ in range(3):
        check(refused(port, 2), "it is refused while it is disabled")
    equal(states(d)["dyn001"], "down", "it stays down")
    line = "dyn001: Connection from 127.0.19.2 refused: the protocol is disabled"
    wait_until(lambda: line in d.whole_log(), "the line in the log")
    equal(d.whole_log().count(line), 1, "lines in the log")
    equal(d.run("enable dyn001")[0][0], 11, "enable")
    a = come(port, 2)
    # Held through a configuration, also one that restarts all.
    equal(d.run("disable dyn001 hold")[0][0], 9, "hold")
    reconfigure(d, conf(port, "hold time 60;"))
    wait_until(lambda: states(d).get("dyn001") == "held", lambda: str(states(d)))
    check(refused(port, 2), "it is refused while it is held")
    reconfigure(d, conf(port, "hold time 60; enforce first as;"))
    wait_until(
        lambda: set(states(d)) == {"rs", "dyn001", "dyn002"} and states(d)["dyn001"] == "held", lambda: str(states(d))
    )
    check(refused(port, 2), "it is refused after all have restarted")
    d.run("enable dyn001")
    b = come(port, 3)
    # With the range itself disabled members stay, and no new ones come.
    equal(d.run("disable rs")[0][0], 9, "disable rs")
    equal(states(d)["rs"], "down", "the range")
    check(refused(port, 4), "nobody new")
    wait_until(lambda: states(d)["dyn002"] == "Established", lambda: "a member stays: %s" % states(d))
    equal(d.run("enable rs")[0][0], 11, "enable rs")
    c = come(port, 4)
    wait_until(lambda: states(d).get("dyn003") == "Established", lambda: str(states(d)))
    equal(d.run("restart dyn003")[0][0], 12, "restart")
    check(last_words(c) == b"\x06\x04", "a restart is an administrative reset")
    c = come(port, 4)
    equal(d.run("restart all")[0][0], 12, "restart all")
    equal((last_words(b), last_words(c)), (b"\x06\x04",) * 2, "all")
    check(d.alive(), "it lives")
    d.stop()


def reconfigured():
    port = free_port()
    d = Daemon(conf(port)).start()
    a, b = come(port, 2), come(port, 3)
    wait_until(lambda: d.established() == 2, "both")
    since = d.sessions()
    said = reconfigure(d, conf(port))
    check("dyn" not in said, "nothing to do: " + said)
    # A filter: in place, for each.
    a.update(["192.0.2.0/24", "198.51.100.0/25"], next_hop=address(2))
    wait_until(lambda: d.routes()[0] == 2, "routes")
    said = reconfigure(d, conf(port, channel="import where net.len < 25;"))
    check(
        "protocol dyn001: refiltered: ipv4 import" in said and "protocol dyn002: refiltered: ipv4 import" in said, said
    )
    wait_until(lambda: d.routes()[0] == 1, "a route less")
    equal(d.sessions(), since, "nobody has moved")
    # What concerns the range alone: nobody moves, though the range restarts.
    said = reconfigure(d, conf(port, "dynamic limit 7;", peers="neighbor range 127.0.18.0/23 external;"))
    check("protocol rs: restarts: neighbor range" in said and "0 sessions will close" in said, said)
    wait_until(lambda: states(d).get("rs") == "Passive", lambda: str(states(d)))
    equal(
        {n: s for n, s in d.sessions().items() if n != "rs"},
        {n: s for n, s in since.items() if n != "rs"},
        "members stay",
    )
    # What needs a restart: theirs, too, under the same names.
    said = reconfigure(d, conf(port, "enforce first as;"))
    check("2 sessions will close" in said and "protocol dyn002: restarts: enforce first as" in said, said)
    equal((last_words(a), last_words(b)), (CEASE["changed"],) * 2, "restart")
    a, b = come(port, 2), come(port, 3)
    wait_until(
        lambda: states(d) == {"rs": "Passive", "dyn001": "Established", "dyn002": "Established"}, lambda: str(states(d))
    )
    check("Neighbor address: 127.0.19.3" in d.text("show protocols all dyn002"), "the names are the same members'")
    # A member gets an instance of its own.
    own = "protocol bgp own from t { neighbor 127.0.19.2 as 65002; ipv4 { import all; export all; }; }"
    said = reconfigure(d, conf(port, "enforce first as;", before=own))
    check("protocol dyn001: removed" in said and "protocol own: added" in said, said)
    equal(last_words(a), CEASE["deconfigured"], "its instance goes")
    a = come(port, 2)
    wait_until(
        lambda: states(d) == {"own": "Established", "rs": "Passive", "dyn002": "Established"}, lambda: str(states(d))
    )
    # Disabled, that is no way into the range.
    d.run("disable own")
    equal(last_words(a), CEASE["shutdown"], "disable own")
    check(refused(port, 2), "no instance of the range for it")
    # While the session ends, the listener refuses a connection without asking whether the instance is disabled.
    wait_until(
        lambda: "own: Connection from 127.0.19.2 refused: the protocol is disabled" in d.whole_log()
        or not refused(port, 2),
        "it is named",
    )
    wait_until(
        lambda: "own: Connection from 127.0.19.2 refused: the protocol is disabled" in d.whole_log(),
        lambda: "a connection was not refused",
    )
    # A configuration that has a protocol of a member's name, which is the same neighbor.
    same = (
        'protocol bgp dyn002 from t { neighbor 127.0.19.3 as 65003; enforce first as; ipv4 { import all; export all;'
        ' }; }'
    )
    reconfigure(d, conf(port, "enforce first as;", before=same))
    b = come(port, 3)
    wait_until(lambda: states(d).get("dyn002") == "Established" and "own" not in states(d), lambda: str(states(d)))
    check("Neighbor AS:      65003" in d.text("show protocols all dyn002"), "it is configured now")
    c = come(port, 5)
    wait_until(
        lambda: len(states(d)) == 3 and "Established" in [s for n, s in states(d).items() if n not in ("rs", "dyn002")],
        lambda: str(states(d)),
    )
    # Another range, without those that are here.
    said = reconfigure(d, conf(port, peers="neighbor range 127.0.21.0/24 external;"))
    check("removed" in said, said)
    equal((last_words(b), last_words(c)), (CEASE["deconfigured"],) * 2, "out of the range")
    wait_until(lambda: states(d) == {"rs": "Passive"}, lambda: str(states(d)))
    reconfigure(d, conf(port))
    b = come(port, 3)
    # The range disabled in the file, and removed.
    reconfigure(d, conf(port, "disabled;"))
    equal(last_words(b), CEASE["deconfigured"], "disabled")
    wait_until(lambda: states(d) == {"rs": "down"}, lambda: str(states(d)))
    reconfigure(d, conf(port))
    b = come(port, 3)
    reconfigure(d, "router id 10.0.0.1; log \"RUN/bird.log\" all; protocol device {}")
    equal(last_words(b), CEASE["deconfigured"], "removed")
    wait_until(lambda: states(d) == {}, lambda: str(states(d)))
    d.run("configure undo")
    b = come(port, 3)
    wait_until(lambda: "Established" in states(d).values(), lambda: str(states(d)))
    d.stop()
    equal(last_words(b), CEASE["shutdown"], "the daemon ends")


def bounds():
    port = free_port()
    more = "dynamic limit 3; dynamic age 2;"
    d = Daemon(conf(port, more)).start()
    members = [come(port, n) for n in (2, 3, 4)]
    check(refused(port, 5), "the limit")
    wait_until(lambda: "rs: No instance for 127.0.19.5: the dynamic limit is reached" in d.whole_log(), "it is logged")
    for _ in range(20):
        check(refused(port, 5), "again")
    equal(d.whole_log().count("No instance for"), 1, "lines in the log")
    # One goes; a while later its place is free, and one that is disabled keeps its own.
    d.run("disable dyn003")
    members[0].cease()
    check(refused(port, 5), "not at once")
    wait_until(lambda: "dyn001" not in states(d), lambda: str(states(d)))
    wait_until(lambda: "Removing protocol dyn001: the protocol has been down too long" in d.whole_log(), "it is logged")
    members.append(come(port, 5))
    wait_until(
        lambda: states(d) == {"rs": "Passive", "dyn002": "Established", "dyn003": "down", "dyn004": "Established"},
        lambda: str(states(d)),
    )
    stays(lambda: states(d)["dyn003"] == "down", "a disabled one stays", 3)
    # A higher limit.
    reconfigure(d, conf(port, "dynamic limit 4; dynamic age 2;"))
    members.append(come(port, 6))
    # One that only connects, and whose AS is wrong, leaves the place soon.
    reconfigure(d, conf(port, "dynamic limit 5; dynamic age 2;", peers="neighbor range %s as 65002;" % RANGE))
    wait_until(lambda: set(states(d).values()) <= {"Passive", "Idle", "Active", "down"}, lambda: str(states(d)))
    wait_until(lambda: states(d) == {"rs": "Passive"}, lambda: str(states(d)), 30)
    p = peer(port, 9)
    p.send(p.open_message())
    equal(last_words(p), b"\x02\x02", "bad peer AS")
    wait_until(lambda: "BGP Error: Bad peer AS" in d.text("show protocols"), "its instance tells why")
    wait_until(lambda: states(d) == {"rs": "Passive"}, lambda: str(states(d)), 30)
    d.stop()


def ranges():
    """The longest range that has a peer takes it; an instance of its own comes first."""
    port = free_port()
    shorter = """protocol bgp wide from t { neighbor range 127.0.16.0/20 external; dynamic name "wide"; ipv4 { import \
none; export none; }; }
protocol bgp one from t { neighbor 127.0.19.7 as 65007; ipv4 { import none; export none; }; }"""
    d = Daemon(conf(port, before=shorter, after='filter dyn001 { accept; }')).start()
    outside = join_when_taken(lambda: Peer(port, "127.0.22.1", 65022, server=SERVER), "a member of the wide range")
    here = [come(port, 2), come(port, 7), outside]
    want = {"wide": "Passive", "one": "Established", "rs": "Passive", "wide1": "Established", "dyn002": "Established"}
    wait_until(lambda: states(d) == want, lambda: str(states(d)))
    d.stop()
    equal([last_words(p) for p in here], [CEASE["shutdown"]] * 3, "the daemon ends")


def longer():
    """A longer range that a configuration adds takes the peer from the shorter range, and refuses the peer while the
    longer range is disabled. A longer range at another address of ours takes nothing."""
    port = free_port()
    wide = """protocol bgp wide from t { neighbor range 127.0.16.0/20 external; dynamic name "wide"; ipv4 { import \
none; export none; }; }
"""
    d = Daemon(conf(port, before=wide, peers="neighbor range 127.0.23.0/24 external;")).start()
    a = come(port, 2)
    wait_until(lambda: states(d).get("wide1") == "Established", lambda: str(states(d)))
    reconfigure(d, conf(port, "local 127.0.18.2;", before=wide))
    equal(states(d).get("wide1"), "Established", "the range is at another address")
    reconfigure(d, conf(port, before=wide))
    equal(last_words(a), CEASE["deconfigured"], "the longer range takes the member")
    a = come(port, 2)
    want = {"wide": "Passive", "rs": "Passive", "dyn001": "Established"}
    wait_until(lambda: states(d) == want, lambda: str(states(d)))
    reconfigure(d, conf(port, "disabled;", before=wide))
    check(a.wait_for(NOTIFICATION) is not None, "the member is told to go")
    check(refused(port, 2), "the shorter range takes no peer of the longer range")
    check("wide2" not in states(d), "no instance of the shorter range: %s" % states(d))
    d.stop()


def beside():
    """Instances with a member's address, but for connections to another address or port of ours, or in a VRF, don't
    take it from the range."""
    port = free_port()
    other = free_port()
    t = "neighbor 127.0.19.2 as 65002; passive; ipv4 { import none; export none; }; }\n"
    own = (
        "protocol bgp own from t { local 127.0.18.2 port %d; " % port
        + t
        + "protocol bgp far from t { local %s port %d; " % (SERVER, other)
        + t
    )
    own += 'protocol bgp red from t { vrf "nowhere"; ' + t
    d = Daemon(conf(port, before=own)).start()
    here = [come(port, 2)]
    wait_until(lambda: states(d).get("dyn001") == "Established", lambda: str(states(d)))
    here += [
        Peer(port, address(2), 65002, server="127.0.18.2").establish(),
        Peer(other, address(2), 65002, server=SERVER).establish(),
    ]
    wait_until(
        lambda: [states(d).get(n) for n in ("dyn001", "own", "far")] == ["Established"] * 3, lambda: str(states(d))
    )
    # Nor do they when the configuration is read again, or one of them is disabled.
    reconfigure(d, conf(port, "dynamic limit 7;", before=own))
    equal(d.run("disable own")[0][0], 9, "disable own")
    equal(last_words(here[1]), CEASE["shutdown"], "own ends")
    check(refused(port, 3) is False, "a second member comes to the range")
    equal(
        [states(d).get(n) for n in ("dyn001", "own", "far")], ["Established", "down", "Established"], "the others stay"
    )
    # An instance that takes connections to any address takes its own.
    reconfigure(d, conf(port, "dynamic limit 7;", before="protocol bgp own from t { " + t))
    equal(last_words(here[0]), CEASE["deconfigured"], "the member's instance goes")
    d.stop()


def answers(port):
    """Does the server take a connection without a signature? None: there is no answer."""

    def tried():
        with socket.socket() as s:
            s.settimeout(0.5)
            s.bind((address(8), 0))
            try:
                return [s.connect((SERVER, port)) is None]
            except ConnectionRefusedError:  # it doesn't listen yet
                return None
            except (TimeoutError, socket.timeout):
                return [None]

    return wait_until(tried, "it listens")[0]


def password():
    port = free_port()
    d = Daemon(conf(port, 'password "secret";')).start()
    equal(answers(port), None, "without the password")
    member = Daemon(
        'router id 10.0.0.2; protocol device {}\nprotocol bgp m { local %s as 65002; neighbor %s port %d as 65000;'
        ' password "secret"; multihop; connect delay time 1; connect retry time 1; ttl security on;'
        ' ipv4 { import all; export all; }; }\n' % (address(2), SERVER, port)
    )
    member.write(member.read().replace("multihop; ", "multihop 3; "))
    reconfigure(d, conf(port, 'password "secret"; multihop 3; ttl security on;'))
    member.start()
    wait_until(lambda: d.established() == 1, lambda: str(states(d)))
    member.stop()
    reconfigure(d, conf(port))
    come(port, 8)
    d.stop()


def storm():
    """Members come and go in their own rhythm, as threads, while the configuration changes and operators give
    commands."""
    port = free_port()
    more = "dynamic age 1; dynamic limit 12;"
    d = Daemon(conf(port, more)).start()
    stop = threading.Event()
    ups = [0] * 16

    def member(n):
        while not stop.is_set():
            p = None
            try:
                p = peer(port, n + 2)
                p.s.settimeout(2)
                if p.opened():
                    ups[n] += 1
                    p.update(["198.18.%d.0/24" % n], next_hop=address(n + 2))
                    spread(0.05 * (n % 4))
                (p.reset if n % 3 else p.cease)()
            except (OSError, Failed):
                if p:
                    p.s.close()
            spread(0.01 * (n % 5))

    threads = [threading.Thread(target=member, args=(n,)) for n in range(len(ups))]
    for t in threads:
        t.start()
    until = time.monotonic() + 6
    i = 0
    while time.monotonic() < until or sum(ups) <= 20 and time.monotonic() < until + 20 * SLOW:
        i += 1
        variants = (
            conf(port, more),
            conf(port, more + "hold time 60;"),
            conf(port, more + "enforce first as;"),
            conf(port, more, channel="import none;"),
            conf(port, more + "disabled;"),
            conf(port, more, name="other"),
            conf(
                port,
                more,
                before="protocol bgp own from t { neighbor 127.0.19.2 as 65002; ipv4 { import all; export all; }; }",
            ),
        )
        d.write(variants[i % len(variants)])
        d.run("configure")
        for command in (
            "show protocols all",
            "disable dyn00*",
            "enable all",
            "restart dyn*",
            "show route count",
            "reload all",
        ):
            d.run(command)
    d.write(conf(port, "dynamic limit 100;"))
    d.run("configure")
    d.run("enable all")
    stop.set()
    for t in threads:
        t.join()
    check(d.alive(), "it lives")
    check(sum(ups) > 20, "sessions came up: %r" % ups)
    for n in range(len(ups)):
        come(port, n + 2, 30)
    d.stop()


def named():
    """Without a range, too: who connects to an instance that is disabled is told from a stranger."""
    port = free_port()
    d = Daemon(
        conf(
            port,
            peers="neighbor %s as 65002;" % address(2),
            after="protocol bgp other from t { neighbor 127.0.19.9 as 65009; ipv4 { import all; export all; }; }",
        )
    ).start()
    come(port, 2).cease()
    d.run("disable rs")
    check(refused(port, 2) and refused(port, 3), "both are refused")
    for line in (
        "BGP: Connection from 127.0.19.2 refused: rs is disabled",
        "BGP: Unexpected connect from unknown address 127.0.19.3",
    ):
        wait_until(lambda: line in d.whole_log(), line)
    d.stop()


case("members come and go", comes_and_goes)
case("commands", commands)
case("reconfiguration", reconfigured)
case("bounds", bounds)
case("ranges", ranges)
case("a longer range", longer)
case("the same address elsewhere", beside)
case("password", password)
case("a disabled instance is named", named)
case("all at once", storm)
done()
