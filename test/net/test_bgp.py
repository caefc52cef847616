# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions with bird: eBGP and iBGP, active and passive, passwords and TTL security, both families;
collisions, refreshes, shutdown messages, hold time, wrong AS numbers."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
if not os.path.exists(BIRD):
    needs("bird2")
PORT = free_port()

OURS = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp any { strict bind on; multihop; connect delay time 1; error wait time 2, 4;
  ipv4 { import all; export all; }; }
protocol bgp e1 from any { local 127.0.8.1 port %(p)d as 65000; neighbor 127.0.9.1 port %(p)d as 65001;
  ipv6 { import all; export all; }; }
protocol bgp i1 from any { local 127.0.8.2 port %(p)d as 65000; neighbor 127.0.9.2 port %(p)d as 65000;
  password "open sesame"; hold time 6; }
protocol bgp c1 from any { local 127.0.8.3 port %(p)d as 65000; neighbor 127.0.9.3 port %(p)d as 65003;
  passive; rs client; ttl security on; hold time 9; }
protocol bgp c2 from any { local 127.0.8.4 port %(p)d as 65000; neighbor 127.0.9.4 port %(p)d as 65004;
  passive; rs client; }
protocol bgp w1 from any { local 127.0.8.5 port %(p)d as 65000; neighbor 127.0.9.5 port %(p)d as 65005;
  passive; }
"""

THEIRS = """
router id %(id)s;
log "RUN/other.log" all;
protocol device {}
protocol static { ipv4; route 10.1.0.0/16 blackhole { bgp_community.add((65001,7));
  bgp_large_community.add((1,2,3)); }; route 10.2.0.0/16 blackhole; }
protocol static { ipv6; route 2001:db8:1::/48 blackhole; }
template bgp any { strict bind on; multihop; connect delay time 1; error wait time 1, 2;
  ipv4 { import all; export none; }; }
protocol bgp e1 from any { local 127.0.9.1 port %(p)d as 65001; neighbor 127.0.8.1 port %(p)d as 65000;
  ipv4 { import all; export where source = RTS_STATIC; };
  ipv6 { import all; export where source = RTS_STATIC; next hop address 2001:db8::2; }; }
protocol bgp i1 from any { local 127.0.9.2 port %(p)d as 65000; neighbor 127.0.8.2 port %(p)d as 65000;
  password "open sesame"; }
protocol bgp c1 from any { local 127.0.9.3 port %(p)d as 65003; neighbor 127.0.8.3 port %(p)d as 65000;
  ttl security on; }
protocol bgp c2 from any { local 127.0.9.4 port %(p)d as 65004; neighbor 127.0.8.4 port %(p)d as 65000; }
protocol bgp w1 from any { local 127.0.9.5 port %(p)d as 65099; neighbor 127.0.8.5 port %(p)d as 65000; }
"""
GOOD = ["e1", "i1", "c1", "c2"]


def other(ident):
    """bird, on the other side."""
    return Bird(THEIRS % {"p": PORT, "id": ident}).start()


def info(name):
    return D.sessions()[name][2]


def all_up():
    wait_until(lambda: all(info(n).startswith("Established") for n in GOOD), lambda: "sessions: %s" % D.sessions())


def come_up():
    all_up()
    shown = D.text("show protocols all e1")
    for line in [
        "  BGP state:          Established",
        "    Neighbor address: 127.0.9.1",
        "    Neighbor AS:      65001",
        "    Local AS:         65000",
        "        AF announced: ipv4 ipv6",
        "      Route refresh",
        "    Session:          external multihop AS4",
        "    Source address:   127.0.8.1",
    ]:
        check(line in shown, "no %r in %s" % (line, shown))
    check("Session:          internal multihop AS4" in D.text("show protocols all i1"), "i1 isn't internal")
    check("route-server" in D.text("show protocols all c1"), "c1 isn't a client")


def routes_pass():
    wait_until(lambda: D.routes() == (3, 3), "routes to arrive")
    shown = D.text("show route 10.1.0.0/16 all")
    for line in [
        "unreachable",
        "BGP.as_path: 65001",
        "BGP.next_hop: 127.0.9.1",
        "BGP.local_pref: 100",
        "BGP.community: (65001,7)",
        "BGP.large_community: (1, 2, 3)",
    ]:
        check(line in shown, "no %r in %s" % (line, shown))
    check("2001:db8::2" in D.text("show route 2001:db8:1::/48 all"), "next hop of IPv6")
    # Both the internal peer and the client are given them, the latter as they came.
    for net in ("10.1.0.0/16", "10.2.0.0/16"):
        wait_until(lambda: "65001" in OTHER.text("show route %s all protocol c1" % net), "%s to be sent" % net)
    shown = OTHER.text("show route 10.1.0.0/16 all protocol c1")
    check("BGP.as_path: 65001\n" in shown and "BGP.next_hop: 127.0.9.1" in shown, shown)
    wait_until(lambda: "10.1.0.0/16" in OTHER.text("show route protocol i1"), "a route over iBGP")
    check("10.1.0.0/16" not in OTHER.text("show route protocol e1"), "a route went back to where it came from")


def refresh():
    before = D.text("show protocols all e1")
    OTHER.text("reload in c1")
    equal(D.code("reload in e1"), 0, "reload in")
    updates = lambda text: int(re.search(r"Import updates:\s+(\d+)", text).group(1))
    wait_until(lambda: updates(D.text("show protocols all e1")) >= updates(before) + 2, "a refresh")
    check(info("e1").startswith("Established"), "the session went down")


def shut_down():
    D.run('disable e1 "back at noon"')
    wait_until(lambda: "back at noon" in OTHER.text("show protocols all e1"), "the message to arrive")
    check("Received: Administrative shutdown" in OTHER.text("show protocols all e1"), "Cease")
    wait_until(lambda: D.sessions()["e1"][0] == "down", "e1 to be shown as down")
    wait_until(lambda: D.routes() == (0, 0), "its routes to go")
    D.run("enable e1")
    all_up()
    wait_until(lambda: D.routes() == (3, 3), "routes to return")
    OTHER.text('restart c2 "once more"')
    wait_until(
        lambda: "once more" in D.text("show protocols all c2") or "once more" in D.whole_log(), "the restart to be seen"
    )
    all_up()


def collide():
    """Both sides connect at the same moment, again and again: one connection stays."""
    for _ in range(20 if SOAK else 4):
        D.run("restart e1")
        OTHER.text("restart e1")
        wait_until(lambda: not info("e1").startswith("Established"), "e1 to restart")
        all_up()
        stays(lambda: info("e1").startswith("Established"), "the session went down again", 0.2)


def wrong_as():
    wait_until(lambda: "BGP Error: Bad peer AS" in info("w1"), lambda: "an error to be shown, not " + info("w1"))
    wait_until(lambda: "Bad peer AS" in OTHER.text("show protocols w1"), "the peer to be told why")


def hold_time():
    freeze(OTHER.proc.pid)
    try:
        wait_until(lambda: "BGP Error: Hold timer expired" in info("i1"), "i1 to go down")
        wait_until(lambda: "BGP Error: Hold timer expired" in info("c1"), "c1 to go down")
        check(info("e1").startswith("Established"), "e1 went down")
    finally:
        os.kill(OTHER.proc.pid, signal.SIGCONT)
    all_up()


def killed():
    global OTHER
    OTHER.kill()
    wait_until(lambda: D.established() == 0, "sessions to go down")
    wait_until(lambda: D.routes() == (0, 0), "routes to go")
    OTHER = other("10.0.0.9")
    all_up()
    wait_until(lambda: D.routes() == (3, 3), "routes to return")


D = Daemon(OURS % {"p": PORT}).start()
OTHER = other("10.0.0.2")
case("sessions of all kinds come up", come_up)
case("routes pass", routes_pass)
case("refreshes, both ways", refresh)
case("shutdown with a message", shut_down)
case("collisions", collide)
case("a wrong AS number", wrong_as)
case("hold time", hold_time)
case("the peer is killed", killed)


def stop():
    D.stop()

    # From its log: what it shows is soon the refused attempt to connect again.
    def log():
        with open(os.path.join(OTHER.dir, "other.log")) as f:
            return f.read()

    for name in GOOD:
        wait_until(lambda: name + ": Received: Administrative shutdown" in log(), "a farewell to " + name)


case("stop", stop)
done()
