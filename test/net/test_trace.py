# SPDX-License-Identifier: GPL-3.0-or-later
"""test_trace checks the log lines about a session that comes up and goes down, with and without `debug`, and the
replies to `reload` of a session that is down or whose peer can't send its routes again."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
CONF = (
    """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp any { local 127.0.0.1 port %d as 65000; strict bind on; passive; multihop; rs client;
  error wait time 1, 2; ipv4 { import all; export all; }; }
protocol bgp p1 from any { neighbor 127.0.3.1 as 65101; }
protocol bgp p2 from any { neighbor 127.0.3.2 as 65102; }
protocol bgp p3 from any { neighbor 127.0.3.3 as 65103;
  ipv4 { import filter { if 1 / (bgp_path.len - 1) = 7 then reject; accept; }; }; }
protocol bgp p4 from any { neighbor 127.0.3.4 as 65104;
  ipv4 { export filter { if 1 / (bgp_path.len - 2) = 7 then reject; accept; }; }; }
protocol bgp p5 from any { neighbor 127.0.3.5 as 65105; ipv4 { import limit 2 action restart; }; }
protocol bgp p6 from any { neighbor 127.0.3.6 as 65106; ipv4 { import where net != 20.3.0.0/16; }; }
protocol bgp p7 from any { neighbor 127.0.3.7 as 65107; ipv4 { debug { filters }; export where net != 20.2.0.0/16; }; }
"""
    % PORT
)
D = Daemon(CONF).start()


def peer(n):
    return Peer(PORT, "127.0.3.%d" % n, 65100 + n)


def new_lines(at=[0]):
    """What has been logged since the last call."""
    with open(D.log, errors="replace") as f:
        f.seek(at[0])
        text = f.read()
        at[0] += len(text.encode())
    return text


def logged(what):
    text = [""]

    def look():
        text[0] += new_lines()
        return re.search(what, text[0])

    wait_until(look, "the log to say %r" % what)
    return text[0]


def down(name):
    wait_until(lambda: not D.sessions()[name][2].startswith("Established"), name + " to go down")


def test_plain():
    """Without `debug`: that a session came, that it went, and why; nothing more."""
    new_lines()
    p = peer(1).establish()
    logged(r"<INFO> p1: Session established with 127\.0\.3\.1")
    p.s.close()
    text = logged(r"<INFO> p1: Session closed: Socket: Connection (closed|reset by peer)")
    check("<TRACE>" not in text, text)
    p = peer(1).establish()
    logged("p1: Session established")
    p.cease()
    logged(r"<INFO> p1: Session closed: Received: Administrative shutdown")


def test_debug():
    equal(D.run("debug p1 { states, events, packets }"), [(0, "")], "debug")
    new_lines()
    p = peer(1).establish()
    text = logged("<TRACE> p1: State changed to up")
    for want in (
        r"Incoming connection accepted",
        r"Incoming connection: Active -> OpenSent \(.+\)",
        r"Sending OPEN\(as=65000,hold=240,id=10\.0\.0\.1\)",
        r"Got OPEN\(as=65101,hold=90,id=127\.0\.3\.1\)",
        r"Got KEEPALIVE",
        r"Sending KEEPALIVE",
        r"OpenConfirm -> Established",
    ):
        check(re.search("<TRACE> p1: .*" + want, text), "no %r in %s" % (want, text))
    p.update(["20.0.0.0/16"])
    logged(r"<TRACE> p1: Got UPDATE \(\d+ octets\)")
    other = peer(2).establish()
    text = logged("p2: Session established")
    check("<TRACE> p2" not in text, text)
    equal(D.run('debug "p*" off')[-1][0], 0, "debug off")
    settled(D.whole_log, "the log", 0.05)
    new_lines()
    p.cease()
    text = logged("p1: Session closed")
    check("<TRACE>" not in text, text)
    equal(D.run("debug all all")[-1][0], 0, "debug all all")
    other.update(["20.1.0.0/16"])
    logged("<TRACE> p2: Got UPDATE")
    # What the configuration says is what holds after `configure`.
    equal(D.code("configure"), 3, "configure")
    wait_until(lambda: D.code("configure") == 3, "a second configure")
    settled(D.whole_log, "the log", 0.1)
    new_lines()
    other.update(["20.2.0.0/16"])
    wait_until(lambda: D.routes()[0] == 2, "the route")
    check("<TRACE>" not in new_lines(), "it goes on tracing")
    for command in (
        "debug",
        "debug p1",
        "debug p1 {",
        "debug p1 { }",
        "debug p1 { states",
        "debug p1 { nix }",
        "debug p1 { states } x",
        "debug nix all",
        "debug p1 on",
    ):
        equal(D.code(command), 9001, command)
    equal(D.code('debug "x*" all'), 8003, "nobody's name")
    other.cease()
    down("p2")


def traced(want, what):
    """These lines about channels, in any order, and no others."""
    got = []

    def look():
        got.extend(re.findall(r"<TRACE> (p\d\.ipv4 .*)", new_lines()))
        return len(got) >= len(want)

    wait_until(look, "lines about " + what)
    settled(D.whole_log, "the log", 0.05)
    look()
    equal(sorted(got), sorted(want), what)


def test_routes():
    """What comes and goes through channels, in bird2's words."""
    wait_until(lambda: D.routes()[0] == 0, "routes of before to go")
    a, b = peer(6).establish(), peer(7).establish()
    for p in a, b:
        equal(p.wait_for(UPDATE), bytes(4), "End-of-RIB")
    equal(D.code("debug p6 { routes, filters }"), 0, "debug")
    new_lines()
    a.update(["20.1.0.0/16", "20.2.0.0/16", "20.3.0.0/16"])
    traced(
        [
            "p6.ipv4 < rejected by protocol 20.1.0.0/16",
            "p6.ipv4 < rejected by protocol 20.2.0.0/16",
            "p6.ipv4 > added 20.1.0.0/16",
            "p6.ipv4 > added 20.2.0.0/16",
            "p6.ipv4 > filtered out 20.3.0.0/16",
            "p7.ipv4 < filtered out 20.2.0.0/16",
        ],
        "routes that come",
    )
    equal(D.code("debug p7 { routes }"), 0, "debug")
    a.update(["20.1.0.0/16"], path=[65106, 1])
    traced(
        ["p6.ipv4 < rejected by protocol 20.1.0.0/16", "p6.ipv4 > added 20.1.0.0/16", "p7.ipv4 < replaced 20.1.0.0/16"],
        "one that changes",
    )
    a.withdraw(["20.1.0.0/16"])
    traced(["p6.ipv4 > removed 20.1.0.0/16", "p7.ipv4 < removed 20.1.0.0/16"], "one that goes")
    b.update(["20.1.0.0/16"])
    traced(
        ["p6.ipv4 < added 20.1.0.0/16", "p7.ipv4 < rejected by protocol 20.1.0.0/16", "p7.ipv4 > added 20.1.0.0/16"],
        "the other way",
    )
    equal(D.code('debug "p*" off'), 0, "debug off")
    settled(D.whole_log, "the log", 0.05)
    new_lines()
    a.update(["20.1.0.0/16", "20.4.0.0/16"], path=[65106])
    for p in a, b:
        p.cease()
    down("p6")
    down("p7")
    wait_until(lambda: D.routes()[0] == 0, "the routes to go")
    check("p6.ipv4" not in new_lines(), "it goes on tracing")


def test_reload():
    down("p1")
    equal(D.run("reload p1"), [(8, "p1: is not UP"), (0, "")], "it is down: there is nothing to reload")
    p = peer(1).establish()
    wait_until(lambda: D.sessions()["p1"][2].startswith("Established"), "p1")
    equal(D.run("reload p1")[0], (15, "p1: reloading"), "reload")
    check(p.wait_for(REFRESH) is not None, "no refresh was asked for")
    p.cease()
    down("p1")
    equal(D.run("disable p1")[0][0], 9, "disable")
    equal(D.run("reload p1")[0], (8, "p1: already disabled"), "reload of a disabled one")


def test_flood():
    """A peer that comes and goes all the time doesn't fill the log; how much is left out is told."""
    equal(D.run("enable p1")[0][0], 11, "enable")
    new_lines()
    began = time.monotonic()
    for _ in range(200):
        p = Peer(PORT, "127.0.3.1", 65101)
        p.send(p.open_message() + message(KEEPALIVE) + message(NOTIFICATION, b"\6\2\2hi"))
        p.wait_for(NOTIFICATION)
        p.s.close()
    lines = new_lines().count("p1: ")
    allowed = 40 + 2 * (time.monotonic() - began)
    check(10 <= lines <= allowed, "%d lines" % lines)
    passes(3)  # a few lines may be logged again
    p = peer(1).establish()
    check(
        re.search(r"p1: \d{2,} lines not logged, the lines came too fast", logged("p1: Session established")),
        "no count",
    )
    p.cease()
    down("p1")


def test_filter_error():
    """A filter that fails names a route, also if it was asked about many at once."""
    new_lines()
    four = peer(4).establish()
    three = peer(3).establish()
    three.update(["20.8.0.0/16", "20.9.0.0/16"])
    logged("<ERR> filter .*: division by zero at .*, route 20.8.0.0/16")
    three.update(["30.8.0.0/16", "30.9.0.0/16"], path=[65103, 65110])
    logged("<ERR> filter .*: division by zero at .*, route 30.8.0.0/16")
    wait_until(lambda: D.routes()[0] == 2, lambda: "two routes, not %d" % D.routes()[0])
    for p in (three, four):
        p.cease()
    down("p3")
    down("p4")


def test_limit():
    """Why a session was closed by a limit."""
    new_lines()
    p = peer(5).establish()
    p.update(["20.%d.0.0/16" % i for i in range(3)])
    logged(r"<INFO> p5: Session closed: Automatic shutdown: Route limit exceeded")
    check(p.wait_for(NOTIFICATION)[:2] == b"\6\1", "no Cease 1")
    down("p5")
    p.s.close()


def test_clients():
    """Clients that are too many are refused, and that is logged once."""
    many = []
    D.drop_cli()
    new_lines()
    for _ in range(300):
        c = socket.socket(socket.AF_UNIX)
        c.connect(D.ctl)
        many.append(c)
    equal(logged(r"has 256 clients").count("has 256 clients"), 1, "lines")
    refused = 0
    for c in many:
        c.settimeout(10 * SLOW)
        refused += c.recv(100).startswith(b"8000 ")
        c.close()
    equal(refused, 300 - 256, "refused")
    D.wait_served()
    check(new_lines().count("has 256 clients") == 0, "logged again")


def test_message():
    """All 255 octets of a shutdown communication are shown (RFC 9003)."""
    said = "because " + "\u00e9" * 123 + "x"
    p = peer(2).establish()
    logged("p2: Session established")
    p.send(message(NOTIFICATION, b"\6\2" + bytes([255]) + said.encode()))
    down("p2")
    shown = re.search(r"Message: +(.*)", D.text("show protocols all p2"))
    equal(shown and shown.group(1), said, "Message")
    p.s.close()


def test_bad_attribute():
    """The log says which attribute is wrong; once a second at most, whatever comes."""
    p = peer(2).establish()
    logged("p2: Session established")
    p.update(["20.8.0.0/16"], extra=attribute(0x40, 99, b"x"))
    logged(r"<RMT> p2: Invalid route 20.8.0.0/16 withdrawn: unknown well-known attribute \(attribute 99\)")
    passes(1.1)  # the next line may be logged
    began = time.monotonic()
    for _ in range(100):
        p.update(["20.9.0.0/16"], extra=attribute(0x40, 1, b"\1"))
    text = logged(r"<RMT> p2: Attribute left out: attribute occurs twice \(attribute 1\)")
    wait_until(lambda: D.routes()[0] == 1, "the route")
    check((text + new_lines()).count("left out") <= 3 + time.monotonic() - began, "a line each")
    p.cease()
    down("p2")


case("a session's coming and going is logged", test_plain)
case("debug", test_debug)
case("debug of routes", test_routes)
case("reload of sessions that are down", test_reload)
case("a peer that comes and goes", test_flood)
case("filters that fail", test_filter_error)
case("a limit", test_limit)
case("too many clients", test_clients)
case("a long shutdown message", test_message)
case("an attribute that is wrong", test_bad_attribute)
case("stop", D.stop)
done()
