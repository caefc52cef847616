# SPDX-License-Identifier: GPL-3.0-or-later
"""An established session follows the configuration and the link: `interpret communities` in both directions, the
subnets of the link, and our address of the other family. After each change the members hold what members hold whose
sessions come up after the change."""

from links import *
from view import View, attributes

if KIND != "ternd":
    cannot_here("this is about ternd")

REFRESH_CAP = b"\x02\x00"
IP6_CAP = b"\x01\x04\x00\x02\x00\x01"
NO_EXPORT, NO_ADVERTISE, NO_SUBCONFED = (65535, 65281), (65535, 65282), (65535, 65283)
NETS = {
    "198.51.100.0/24": (),
    "198.51.101.0/24": (NO_EXPORT,),
    "198.51.102.0/24": (NO_ADVERTISE,),
    "198.51.103.0/24": (NO_SUBCONFED,),
}

MEMBERS = """router id 10.0.0.1;
log "RUN/bird.log" all;
%(threads)s
protocol device {}
%(table)s
template bgp any { local 127.0.10.1 port %(port)d as 65000; %(reach)s passive; strict bind on; rs client; error wait \
time 1, 1; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; ipv4 { import all; export all; }; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; interpret communities %(how)s; ipv4 { %(m2)s import all; \
export all; }; }
"""
OVERLAY = (
    "ipv4 table t2;\nprotocol pipe p2 { table master4; peer table t2; import all; export all; }\nprotocol static s0 {"
    " ipv4; }\n"
)
WAYS = {
    "one table": {"table": "", "m2": "", "threads": ""},
    "an overlay, shared threads": {"table": OVERLAY, "m2": "table t2;", "threads": "threads 2;"},
    "secondary": {"table": "ipv4 table master4 { sorted; };", "m2": "secondary;", "threads": "", "reach": "direct;"},
    "add-path": {"table": "", "m2": "add paths tx;", "threads": ""},
    "an export table": {"table": "", "m2": "export table;", "threads": ""},
}


def marked(marks):
    return attribute(0xC0, 8, b"".join(struct.pack("!HH", *m) for m in marks)) if marks else b""


def holds(view, want):
    """Does the member hold these networks?"""
    view.drain()
    return {n for _, n in view.routes} == {nlri(p) for p in want}


def communities(way):
    """NO_EXPORT and its like go or stay as the option says now, before and after a new session."""
    port = free_port()

    def text(how):
        return MEMBERS % {"how": how, "port": port, "reach": "multihop;", **way}

    d = Daemon(text("off")).start()
    ids = way["m2"].startswith("add paths")
    m1 = member(port, 1)
    m2 = member(port, 2, b"\x45\x04\x00\x01\x01\x01" if ids else b"")
    v = View("m2", m2, ids, True)
    plain = [n for n, marks in NETS.items() if not marks]
    for n, marks in NETS.items():
        m1.update([n], extra=marked(marks))
    wait_until(lambda: holds(v, NETS), "all networks, since communities aren't interpreted")
    for how, want, mark in (("on", plain, False), ("off", NETS, True), ("on", plain, False)):
        d.write(text(how))
        reply = d.run("configure")
        check(any("m2: refiltered: interpret communities" in line for _, line in reply), "the reply: %r" % reply)
        wait_until(lambda: holds(v, want), lambda: "interpret communities %s: %r" % (how, v.routes.keys()))
        # A new network with a community, and one without behind it: what m1 says comes in order.
        m1.update(["203.0.113.0/25"], extra=marked((NO_EXPORT,)))
        m1.update(["203.0.113.128/25"])
        more = (["203.0.113.0/25"] if mark else []) + ["203.0.113.128/25"]
        wait_until(lambda: holds(v, list(want) + more), lambda: "new ones, %s: %r" % (how, v.routes.keys()))
        m1.withdraw(["203.0.113.0/25", "203.0.113.128/25"])
        wait_until(lambda: holds(v, want), "the new ones to go")
    # `soft`: what the member holds stays, new networks are judged by the option.
    d.write(text("off"))
    check(d.code("configure soft") in (3, 4), "configure soft")
    m1.update(["203.0.113.0/25"], extra=marked((NO_EXPORT,)))
    wait_until(lambda: holds(v, plain + ["203.0.113.0/25"]), lambda: "after soft: %r" % v.routes.keys())
    check(any(code == 15 for code, _ in d.run("reload out m2")), "reload out")
    wait_until(lambda: holds(v, list(NETS) + ["203.0.113.0/25"]), lambda: "after reload out: %r" % v.routes.keys())
    equal(d.established(), 2, "sessions")
    m1.cease()
    m2.cease()
    d.stop()


# --- the link ---

LAN = """router id 10.9.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp any { local 10.9.0.1 port %d as 65000; passive; strict bind on; error wait time 1, 1; %s }
protocol bgp m2 from any { neighbor 10.9.0.2 as 65002; }
protocol bgp m3 from any { neighbor 10.9.0.3 as 65003; }
protocol bgp i4 from any { neighbor 10.9.0.4 as 65000; multihop; }
protocol static { ipv6; route 2001:db8::/32 unreachable; }
"""
BOTH = "ipv4 { import all; export all; }; ipv6 { import all; export all; };"


def there(text):
    subprocess.run(
        ["nsenter", "-t", str(ROUTER.pid), "-n", "ip", "-batch", "-"],
        input=text.encode(),
        check=True,
        timeout=60 * SLOW,
    )


def lan():
    ip(
        "link set lo up\nlink add a0 type veth peer name a1\nlink set a0 netns %d\nlink set a1 up\n" % ROUTER.pid
        + "".join("addr add 10.9.0.%d/24 dev a1\n" % k for k in (2, 3, 4))
    )
    there("link set lo up\nlink set a0 addrgenmode none up\naddr add 10.9.0.1/24 dev a0\n")


def lan_daemon(port):
    d = Daemon(LAN % (port, BOTH))
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    return d.start()


def lan_member(port, k, as_number=None):
    p = Peer(port, "10.9.0.%d" % k, as_number or 65000 + k, server="10.9.0.1", caps=IP6_CAP)
    return View("m%d" % k, p.establish(), False, False)


def hop4(view, net):
    """The next hop of an IPv4 network; None: the member doesn't hold it."""
    view.drain()
    attrs = view.routes.get((0, nlri(net)))
    return attrs and socket.inet_ntoa(attributes(attrs)[3][1])


class V6(View):
    """What it was told last of IPv6: a next hop, or None for a withdrawal."""

    def take(self, body):
        size = struct.unpack("!H", body[:2])[0]
        found = attributes(body[4 + size : 4 + size + struct.unpack("!H", body[2 + size : 4 + size])[0]])
        if 14 in found and found[14][1][:3] == b"\0\x02\x01":
            value = found[14][1]
            self.hop = socket.inet_ntop(socket.AF_INET6, value[4:20])
        if 15 in found and len(found[15][1]) > 3:
            self.hop = None
        super().take(body)


def subnets():
    """A third party's next hop on a subnet that comes to the link, and goes from it."""
    port = free_port()
    d = lan_daemon(port)
    m2, i4 = lan_member(port, 2), lan_member(port, 4, 65000)
    pref = attribute(0x40, 5, struct.pack("!I", 100))
    i4.peer.update(["20.3.0.0/16"], [64777], "10.9.1.78", pref)
    wait_until(lambda: hop4(m2, "20.3.0.0/16") == "10.9.0.1", "our address as the next hop")
    there("addr add 10.9.1.1/24 dev a0\n")
    wait_until(
        lambda: hop4(m2, "20.3.0.0/16") == "10.9.1.78", lambda: "the subnet has come: %r" % hop4(m2, "20.3.0.0/16")
    )
    m3 = lan_member(port, 3)
    wait_until(lambda: hop4(m3, "20.3.0.0/16") == "10.9.1.78", "the same of a new session")
    # m3 says the same of itself: that is refused before the subnet is there, and the peer is asked again when it is.
    asked = m3.refreshes
    there("addr del 10.9.1.1/24 dev a0\n")
    for v in (m2, m3):
        wait_until(
            lambda: hop4(v, "20.3.0.0/16") == "10.9.0.1",
            lambda: "the subnet has gone: %s %r" % (v.who, hop4(v, "20.3.0.0/16")),
        )
    wait_until(lambda: m3.drain() or m3.refreshes > asked, "a ROUTE-REFRESH, since next hops are judged anew")
    i4.peer.update(["20.4.0.0/16"], [64777], "10.9.1.79", pref)
    for v in (m2, m3):
        wait_until(
            lambda: hop4(v, "20.4.0.0/16") == "10.9.0.1", lambda: "a new route: %s %r" % (v.who, hop4(v, "20.4.0.0/16"))
        )
    equal(d.established(), 3, "sessions")
    for v in (m2, m3, i4):
        v.peer.cease()
    d.stop()


def addresses():
    """Our IPv6 address on IPv4 sessions, direct and multihop: none, one, another one, none."""
    port = free_port()
    d = lan_daemon(port)
    views = []
    for k, n in ((2, 65002), (4, 65000)):
        v = lan_member(port, k, n)
        v.__class__, v.hop = V6, "never told"
        views.append(v)

    def told(hop):
        return lambda: [v.drain() or v.hop for v in views] == [hop, hop]

    def what(when):
        return lambda: "%s: %r" % (when, [v.hop for v in views])

    d.wait_established(2)
    there("addr add 2001:db8:9::1/64 dev a0 nodad\n")
    wait_until(told("2001:db8:9::1"), what("an address comes"))
    there("addr del 2001:db8:9::1/64 dev a0\naddr add 2001:db8:9::2/64 dev a0 nodad\n")
    wait_until(told("2001:db8:9::2"), what("another one comes in its place"))
    there("addr del 2001:db8:9::2/64 dev a0\n")
    wait_until(told(None), what("it goes"))
    equal(d.established(), 2, "sessions")
    for v in views:
        v.peer.cease()
    d.stop()


in_namespace()
ip("link set lo up\n")
for what, way in WAYS.items():
    case("interpret communities: " + what, communities, way)
ROUTER = other_namespace()
lan()
case("the subnets of the link", subnets)
case("our address of the other family", addresses)
done()
