# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters that exceed a bound or fail otherwise, in a running daemon: the route is refused, the log hears of it once an
interval with filter, line and route, and the session and its other routes don't suffer."""

from harness import *

INTERVAL_S = 10
ROUTES = size(40, 8)
TEXT = "0123456789abcdef"
# prefix, what the log says, statements that fail
BAD = [
    (
        "10.1",
        "the filter takes too many steps",
        (
            "for int a in bgp_path do for int b in bgp_path do for int c in bgp_path do "
            "for int d in bgp_path do i = i + d;"
        ),
    ),
    ("10.2", "functions call each other too deeply", "i = deep(1);"),
    ("10.3", "the text grows beyond 65535 octets", "for int a in bgp_path do { s = s ++ s; }"),
    ("10.4", "the filter takes too many steps", "i = wide(40);"),
    ("10.5", "division by zero", "i = i / zero();"),
    ("10.6", "an assertion is false", "bt_assert(net.len = 25);"),
    ("10.7", "my own words", "error \"my own words\";"),
    (
        "10.8",
        "the filter takes too many steps",
        (
            "for int a in bgp_path do for int b in bgp_path do for int c in bgp_path do "
            "bgp_large_community.add((a, b, c));"
        ),
    ),
    ("10.9", "functions call each other too deeply", "i = large(10);"),
]
MEMORY_KB = 200000


def conf(port):
    many = "".join(" int v%d;" % i for i in range(200))
    lines = "".join("\tif net ~ [ %s.0.0/16+ ] then {\n\t\t%s\n\t}\n" % (p, code) for p, _, code in BAD)
    return """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
filter steps 1000000;
function zero() { return 0; }
function deep(int n) { return deep(n + 1); }
function wide(int n) { if n = 0 then return 0; return wide(n - 1) + wide(n - 1); }
function large(int n) {%s if n = 0 then return 0; return large(n - 1); }
filter risky
int i; string s;
{
	i = 1; s = "%s";
%s	bt_assert(net.len = 24);
	accept;
}
template bgp t { local 127.0.0.1 port %d as 65000; strict bind on; passive; multihop; rs client;
	ipv4 { import filter risky; export none; }; }
protocol bgp p1 from t { neighbor 127.0.3.1 as 65101; }
protocol bgp p2 from t { neighbor 127.0.3.2 as 65102; }
""" % (
        many,
        TEXT,
        lines,
        port,
    )


def line_of(words):
    """In which line of the configuration these words are."""
    return [i + 1 for i, t in enumerate(D.read().split("\n")) if words in t][0]


def told():
    with open(D.log, errors="replace") as f:
        return [t.rstrip() for t in f if "filter risky" in t]


def announce(peer, net):
    path = [peer.as_number] + list(range(1, 40))
    for i in range(ROUTES):
        peer.update(["%s.%d.0/24" % (net, i)], path)


def test_refused():
    for peer in PEERS:
        for net, _, _ in BAD:
            announce(peer, net)
        announce(peer, "10.99")
    wait_until(lambda: D.routes() == (2 * ROUTES, ROUTES), "the good routes and no others", 60)


def test_told_once():
    wait_until(
        lambda: all([t for t in told() if "route %s." % net in t] for net, _, _ in BAD),
        lambda: "a line of each: %r" % told(),
    )
    got = told()
    for net, what, code in BAD:
        where = line_of(code.split(";")[0])
        if code.startswith("i = ") and "zero" not in code:
            where = line_of("function " + code[4:8])
        want = r"filter risky: %s at %s:%d, route %s\.\d+\.0/24" % (what, re.escape(D.conf), where, re.escape(net))
        lines = [t for t in got if re.search(want, t)]
        check(lines, "nothing in the log like %s: %r" % (want, got))
        check(len(lines) <= 1 + (time.monotonic() - BEGAN) / INTERVAL_S, "told more than once an interval: %r" % lines)
    check(len(got) <= len(BAD) * (1 + (time.monotonic() - BEGAN) / INTERVAL_S), "too many lines: %r" % got)


def test_told_again():
    """After the interval one more line, with how many weren't told."""
    net, what, _ = BAD[4]
    before = len([t for t in told() if what in t])
    passes(INTERVAL_S + 1)
    PEERS[0].update([net + ".200.0/24"])
    wait_until(lambda: len([t for t in told() if what in t]) > before, "a second line")
    last = [t for t in told() if what in t][-1]
    check(re.search(r"\(\d+ earlier errors were not logged\)$", last), last)


def test_unharmed():
    rss = D.stats()["rss_kb"]
    check(rss < MEMORY_KB * SLOW, "the daemon takes %d kB" % rss)
    equal(D.established(), 2, "sessions")
    PEERS[1].update(["10.99.100.0/24"])
    wait_until(lambda: D.routes()[1] == ROUTES + 1, "one more route")
    D.stop()


PORT = free_port()
D = Daemon(conf(PORT)).start()
BEGAN = time.monotonic()
PEERS = [Peer(PORT, "127.0.3.%d" % i, 65100 + i).establish() for i in (1, 2)]
case("what fails is refused, the rest accepted", test_refused)
case("told once, with filter, line and route", test_told_once)
case("told again after the interval", test_told_again)
case("the sessions live", test_unharmed)
done()
