# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions in VRFs: two of them with the same addresses, and the same neighbor in both and outside; one that comes
later, goes and returns. Where the kernel has none, how that is said."""

from harness import *

OWN, PEER = "10.0.0.1", "10.0.0.2"
SIDES = ("red", "blue", "plain")


def sh(text, where=None, may_fail=False):
    argv = ["nsenter", "-t", str(where.pid), "-n"] if where else []
    r = subprocess.run(argv + ["sh", "-c", text], capture_output=True, text=True, timeout=20 * SLOW)
    check(may_fail or not r.returncode, "%s: %s" % (text, r.stderr))
    return r.returncode == 0


def session(name, port, more="", passive=False):
    vrf = "" if name == "plain" else 'vrf "%s";' % name
    return (
        "protocol bgp %s { local %s port %d as 65000; neighbor %s port %d as 65001; %s %s %s connect delay time 1;"
        " connect retry time 1; error wait time 1, 1; hold time 6; ipv4 { import all; export none; }; }\n"
        % (name, OWN, port, PEER, port, vrf, "passive;" if passive else "", more)
    )


def conf(port, more="", passive=False, sides=SIDES):
    text = 'router id 10.0.0.1;\nlog "RUN/bird.log" all;\nprotocol device { scan time 1; }\n'
    return text + "".join(session(s, port, more, passive) for s in sides)


def peer_conf(n, port, more="", passive=False):
    return (
        'router id 10.0.0.2;\nlog "RUN/bird.log" all;\nprotocol device { scan time 1; }\nprotocol static { ipv4; route'
        ' 10.%d.0.0/16 blackhole; }\nprotocol bgp p { local %s port %d as 65001; neighbor %s port %d as 65000; %s %s'
        ' connect delay time 1; connect retry time 1; error wait time 1, 1; hold time 6; ipv4 { import none; export'
        ' all; }; }\n' % (10 + n, PEER, port, OWN, port, "passive;" if passive else "", more)
    )


class There(Daemon):
    def __init__(self, where, text):
        super().__init__(text)
        self.where = where

    def argv(self, *more):
        return ["nsenter", "-t", str(self.where.pid), "-n"] + super().argv(*more)


def links():
    """An interface of each VRF, and one of none, each with a neighbor of its own behind it."""
    places = []
    for n, side in enumerate(SIDES):
        where = other_namespace()
        places.append(where)
        sh("ip link add l%d type veth peer name p0; ip link set p0 netns %d" % (n, where.pid))
        sh("ip link set lo up; ip link set p0 up; ip address add %s/24 dev p0" % PEER, where)
        if side != "plain":
            add_vrf(n, side)
        sh("ip link set l%d up; ip address add %s/24 dev l%d" % (n, OWN, n))
    return places


def add_vrf(n, side):
    sh(
        "ip link add %s type vrf table %d; ip link set %s up; ip link set l%d master %s"
        % (side, 100 + n, side, n, side)
    )


def since(d, name):
    return next(
        line.split()[4] for line in d.text("show protocols " + name).splitlines() if line.startswith(name + " ")
    )


def up(d, name):
    return "Established" in d.text("show protocols " + name)


def same_neighbor():
    """Each side gets the routes of its own neighbor, over its own link, whoever connects."""
    for passive, more in (
        (False, ""),
        (True, ""),
        (True, 'password "open sesame";'),
        (False, "ttl security;"),
        (True, "ttl security;"),
    ):
        port = free_port()
        d = Daemon(conf(port, more, passive)).start()
        peers = [There(w, peer_conf(n, port, more, not passive)).start() for n, w in enumerate(PLACES)]
        for n, side in enumerate(SIDES):
            net = "10.%d.0.0/16" % (10 + n)
            wait_until(lambda: net in d.text("show route protocol " + side), "%s of %s (%s)" % (net, side, more))
            check(
                side == "plain" or "via %s on l%d" % (PEER, n) in d.text("show route all " + net),
                "the way to %s: %s" % (net, d.text("show route all " + net)),
            )
            equal(d.text("show route protocol %s table master4 count" % side).split()[0], "1", "routes of " + side)
        check("VRF:            red" in d.text("show protocols all red"), "the VRF is shown")
        for p in [d] + peers:
            p.stop()


def comes_and_goes():
    """A VRF that goes ends its session, and no other one; when it is there again the session is, too."""
    port = free_port()
    d = Daemon(conf(port, passive=True)).start()
    peers = [There(w, peer_conf(n, port)).start() for n, w in enumerate(PLACES)]
    wait_until(lambda: all(up(d, s) for s in SIDES), "all three")
    before = [since(d, s) for s in ("blue", "plain")]
    sh("ip link delete red")
    wait_until(lambda: not up(d, "red"), "the end of the session", 10)
    wait_until(lambda: "in VRF red port %d: No such device" % port in d.whole_log(), "why it isn't listened there", 15)
    add_vrf(0, "red")
    sh("ip address replace %s/24 dev l0" % OWN)
    wait_until(lambda: up(d, "red"), "the session in the VRF that is back", 30)
    equal([since(d, s) for s in ("blue", "plain")], before, "the other sessions")
    for p in [d] + peers:
        p.stop()


def without():
    """A VRF that isn't there: said by name, and nobody else minds."""
    port = free_port()
    sh("ip link set lo up; ip link add l0 type veth peer name p0; ip link set l0 up; ip address add %s/24 dev l0" % OWN)
    where = other_namespace()
    sh("ip link set p0 netns %d" % where.pid)
    sh("ip link set p0 up; ip address add %s/24 dev p0" % PEER, where)
    d = Daemon(conf(port, sides=("red", "plain"))).start()
    p = There(where, peer_conf(0, port)).start()
    wait_until(lambda: up(d, "plain"), "the session outside")
    wait_until(lambda: "in VRF red port %d: No such device" % port in d.whole_log(), "the line in the log")
    check(not up(d, "red"), "a session in no VRF")
    check("Not listening: No such device" in d.text("show protocols all red"), d.text("show protocols all red"))
    p.stop()
    d.write(conf(port, sides=("red",)))
    d.text("configure")
    absent = "The peer's interface or VRF doesn't exist"
    wait_until(lambda: absent in d.text("show protocols all red"), "why it doesn't connect")
    d.stop()


in_namespace()
sh("ip link set lo up")
if sh("ip link add v0 type vrf table 99", may_fail=True):
    sh("ip link delete v0")
    PLACES = links()
    case("the same neighbor", same_neighbor)
    case("one comes and goes", comes_and_goes)
else:
    case("a kernel without them", without)
    note("the rest needs a kernel with VRFs (CONFIG_NET_VRF)")
done()
