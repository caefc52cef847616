# SPDX-License-Identifier: GPL-3.0-or-later
"""Next hops of members on one link, as bird2, frr and openbgpd receive them from a route server: a global address, a
global and a link-local one, a link-local one alone, :: and a link-local one; of IPv6 networks, and of IPv4 ones to who
has negotiated that (RFC 8950). Who hasn't gets no IPv4 network with an IPv6 next hop."""

from others import *

import ctypes

if KIND != "ternd":
    cannot_here("this is about ternd beside other daemons")

SOURCE = "fd09::21"
G, L = "fd09::77", "fe80::77"  # of a router that is neither
FORMS = [[G], [G, L], [L], ["::", L]]
EXT = b"\x05\x06\0\1\0\1\0\2"


def net(family, k):
    return "10.7%d.0.0/16" % k if family == 4 else "2001:db8:7%d::/48" % k


class Source(Peer):
    """A member over fd09::21, in the namespace of the others, of both families."""

    def dial(self):
        self.buf = b""
        # ternd may begin to listen at the address later than the member dials
        wait_until(self.connects, "the server listens", 20)

    def connects(self):
        self.s = socket.socket(socket.AF_INET6)  # see there()
        self.s.settimeout(20 * SLOW)
        self.s.bind((SOURCE, 0))
        try:
            self.s.connect(("fd09::1", 179))
        except ConnectionRefusedError:
            self.s.close()
            return False
        return True

    def announce(self, family, k):
        hops = b"".join(socket.inet_pton(socket.AF_INET6, a) for a in FORMS[k])
        where = b"\0\1\1" if family == 4 else b"\0\2\1"
        n = nlri(net(4, k)) if family == 4 else b"\x30" + socket.inet_pton(socket.AF_INET6, net(6, k).split("/")[0])[:6]
        attrs = attribute(0x80, 14, where + bytes([len(hops)]) + hops + b"\0" + n)
        attrs += attribute(0x40, 1, b"\0") + attribute(0x40, 2, b"\2\1" + struct.pack("!I", self.as_number))
        self.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs))


def there(fn):
    """Call it in the others' namespace: a socket stays where it was made."""
    with open("/proc/self/ns/net") as here_fd, open("/proc/%d/ns/net" % Place.router.pid) as there_fd:
        check(ctypes.CDLL(None).setns(there_fd.fileno(), 0x40000000) == 0, "setns")
        try:
            return fn()
        finally:
            ctypes.CDLL(None).setns(here_fd.fileno(), 0x40000000)


CONF = """router id 10.9.0.1; log "RUN/bird.log" all; protocol device {}
template bgp t { local as %d; rs client; connect delay time 1; connect retry time 2; error wait time 1, 2; debug all; }
protocol bgp source from t { local fd09::1; neighbor %s as 64521; passive;
  ipv4 { import all; export none; extended next hop; }; ipv6 { import all; export none; }; }
protocol bgp v4 from t { local 10.9.0.1; neighbor 10.9.0.2 as %d; ipv4 { import none; export all; }; }
protocol bgp v6 from t { local fd09::1; neighbor fd09::2 as %d; ipv6 { import none; export all; }; %s }
""" % (
    OURS,
    SOURCE,
    THEIRS,
    THEIRS,
    "%s",
)


class BirdHere(Bird2):
    ext = True

    def start(self):
        self.write(
            "conf",
            """router id 10.9.0.2; log stderr all; protocol device {} protocol direct { ipv6; }
protocol bgp v4 { local 10.9.0.2 as %d; neighbor 10.9.0.1 as %d; connect delay time 1; enforce first as off; ipv4 { \
import all; export none; }; }
protocol bgp v6 { local fd09::2 as %d; neighbor fd09::1 as %d; connect delay time 1; enforce first as off;
  ipv4 { import all; export none; extended next hop; import keep filtered; }; ipv6 { import all; export none; import \
keep filtered; }; }
"""
            % (THEIRS, OURS, THEIRS, OURS),
        )
        self.spawn(PEERS + self.programs[0], "-f", "-c", "RUN/conf", "-s", "RUN/ctl", "-P", "RUN/pid")

    def hops(self, n):
        return [sorted(h.split()) for h in re.findall(r"BGP.next_hop: (.*)", self.ctl("show route all", n))]


class FrrHere(Frr):
    ext = True

    def more(self):
        # Since frr 9 each neighbor has an option of its own.
        return """ no %s enforce-first-as
 neighbor fd09::1 capability extended-nexthop
 address-family ipv4 unicast
  neighbor fd09::1 activate
 exit-address-family""" % (
            "neighbor fd09::1" if NEWER else "bgp"
        )

    def start(self):
        write = self.write
        # the neighbor has to be there before what is said of it
        self.write = lambda name, text, mode=0o644: write(name, self.mended(text) if name == "conf" else text, mode)
        super().start()

    def mended(self, text):
        text = "\n".join(
            line
            for line in text.split("\n")
            if "password" not in line and "ttl-security" not in line and "fe80::1" not in line
        )
        more = self.more()
        return text.replace(more + "\n", "").replace(
            " neighbor 10.9.0.1 timers connect 1\n", more + "\n neighbor 10.9.0.1 timers connect 1\n"
        )

    def hops(self, n):
        text = self.vtysh("show bgp %s unicast %s json" % ("ipv6" if ":" in n else "ipv4", n))
        try:
            paths = json.loads(text[text.index("{") :]).get("paths", [])
        except ValueError:
            return []
        return [sorted({h["ip"] for h in p["nexthops"]}) for p in paths if "6452" in p["aspath"]["string"]]


class OpenbgpdHere(Openbgpd):
    ext = False  # not in 7.7

    def start(self):
        self.write(
            "conf",
            """AS %d
router-id 10.9.0.2
fib-update no
socket "RUN/sock"
nexthop qualify via default
neighbor 10.9.0.1 {
  remote-as %d
  local-address 10.9.0.2
  enforce neighbor-as no
  announce IPv4 unicast
}
neighbor fd09::1 {
  remote-as %d
  local-address fd09::2
  enforce neighbor-as no
  announce IPv6 unicast
}
allow from any
"""
            % (THEIRS, OURS, OURS),
            0o600,
        )
        os.makedirs("/run/openbgpd", exist_ok=True)
        self.spawn("/usr/sbin/bgpd", "-d", "-f", "RUN/conf")

    def hops(self, n):
        text = self.ask("bgpctl", "-s", "RUN/sock", "-j", "show", "rib", "detail", n)
        try:
            return [[r["exit_nexthop"]] for r in json.loads(text).get("rib", [])]
        except ValueError:
            return []


def receive(kind):
    other = kind()
    ipv4 = "ipv4 { import none; export all; extended next hop; };" if other.ext else ""
    d = Daemon(CONF % ipv4).start()
    source = there(
        lambda: Source(179, "10.9.0.21", 64521, server="fd09::1", hold=0, caps=EXT + b"\x01\x04\0\2\0\1").establish()
    )
    other.start()
    try:
        up = lambda name: d.sessions()[name][2].startswith("Established")
        wait_until(lambda: up("v4") and up("v6"), lambda: "%s %s" % (d.sessions(), other.said()), 60)
        for family in 4, 6:
            for k in range(len(FORMS)):
                source.announce(family, k)
        wait_until(lambda: net(6, 3) in d.text("show route"), lambda: "the routes: " + d.text("show route"))
        for family in (6, 4) if other.ext else (6,):
            for k in 0, 1:  # what has a global address; of the others each makes what it can
                want = sorted(FORMS[k]) if kind is BirdHere else None
                wait_until(
                    lambda: other.hops(net(family, k)),
                    lambda: "%s at %s: %s" % (net(family, k), kind.__name__, other.said()),
                )
                got = other.hops(net(family, k))
                check(
                    len(got) == 1 and G in got[0] and (not want or got[0] == want),
                    "next hop of %s: %s" % (net(family, k), got),
                )
        wait_until(
            lambda: (other.hops(net(6, 3)) or [["::"]]) == (other.hops(net(6, 2)) or [["::"]]),
            "a link-local next hop alone, in both forms",
        )
        log = d.whole_log()
        if not other.ext:
            equal(
                [other.hops(net(4, k)) for k in range(4)],
                [[]] * 4,
                "IPv4 networks with IPv6 next hops, to who can't have them",
            )
        equal(
            re.search(r"(\d+) exported", d.text("show protocols all v4")).group(1),
            "0",
            "IPv4 networks with IPv6 next hops, over IPv4",
        )
        check(up("v4") and up("v6") and "Received: " not in log, "nobody minds: " + log[-800:])
        note("     %s: %s" % (kind.__name__, {net(f, k): other.hops(net(f, k)) for f in (4, 6) for k in range(4)}))
    finally:
        d.kill()
        source.s.close()
        other.stop()


make_link()
subprocess.run(inside_there() + ["ip", "address", "add", SOURCE + "/64", "dev", "a0", "nodad"], check=True, timeout=20)
for kind in (BirdHere, FrrHere, OpenbgpdHere):
    case(kind.package, receive, kind)
done()
