# SPDX-License-Identifier: GPL-3.0-or-later
"""ternd and other daemons on one link: sessions over IPv4 (with a password and TTL security), IPv6 and link-local addresses between
4-octet AS numbers; routes with their attributes are compared at both ends; each side asks the other for its routes again; several
routes of a net are sent to who takes them (RFC 7911)."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd beside other daemons")

OURS, THEIRS = 4200000001, 4200000002
PASSWORD = "interop"
SESSIONS = {"v4": ("10.9.0.1", "10.9.0.2", "ipv4"), "v6": ("fd09::1", "fd09::2", "ipv6"), "ll": ("fe80::1", "fe80::2", "ipv6")}
NETS = {"ipv4": ("10.50.0.0/16", "10.60.0.0/16"), "ipv6": ("2001:db8:50::/48", "2001:db8:60::/48")}
TWICE = "10.51.0.0/16"  # two routes of it
# What all routes have.
MED, COMMUNITIES, LARGE = 50, ["64512:1", "64512:2"], ["4200000009:2:3"]


def run_there(argv, **kw):
    return subprocess.run(["nsenter", "-t", str(ROUTER.pid), "-n"] + argv, timeout=30 * SLOW, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **kw).stdout.decode()


class Other:
    """A daemon in the other namespace. For each kind: package, programs, conf(), routes(net), refresh()."""

    local = True  # has sessions over link-local addresses
    asks = True  # sends a ROUTE-REFRESH when it is told to
    answers = True  # sends its routes again when it is asked

    def __init__(self):
        self.dir = temp_dir()
        self.procs = []
        for path in self.programs:
            if not os.path.exists(path):
                needs(self.package)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w") as f:
            f.write(text.replace("RUN", self.dir))
        os.chmod(self.path(name), mode)

    def spawn(self, *argv):
        out = open(self.path("out"), "ab")
        self.procs.append(spawn(["nsenter", "-t", str(ROUTER.pid), "-n"] + [a.replace("RUN", self.dir) for a in argv],
                                stdout=out, stderr=out, cwd=self.dir))

    def ask(self, *argv):
        return run_there([a.replace("RUN", self.dir) for a in argv])

    def said(self):
        with open(self.path("out"), errors="replace") as f:
            return f.read()[-2000:]

    def stop(self):
        for p in self.procs:
            end(p)

    def ready(self):
        """What is to be done when it runs."""


class Bird2(Other):
    package, programs = "bird2", [BIRD]

    def start(self):
        text = 'router id 10.9.0.2; log stderr all; protocol device {}\n'
        for fam, (_, net) in NETS.items():
            text += ("protocol static { %s { import filter { bgp_med = %d; %s bgp_large_community.add((4200000009,2,3)); accept; }; };"
                     " route %s blackhole; }\n" % (fam, MED, " ".join("bgp_community.add((64512,%d));" % n for n in (1, 2)), net))
        for name, (ours, theirs, fam) in SESSIONS.items():
            text += "protocol bgp %s { local %s as %d; neighbor %s%s as %d; connect delay time 1; connect retry time 2; %s\n" % (
                name, theirs, THEIRS, ours, "%a0" if name == "ll" else "", OURS,
                'password "%s"; ttl security on;' % PASSWORD if name == "v4" else "")
            text += "  %s { import all; export filter { bgp_med = %d; accept; }; next hop self; add paths rx; }; }\n" % (fam, MED)
        self.write("conf", text)
        self.spawn(BIRD, "-f", "-c", "RUN/conf", "-s", "RUN/ctl", "-P", "RUN/pid")

    def ctl(self, *words):
        with Cli_of(self.path("ctl")) as c:
            return "\n".join(t for _, t in c.run(" ".join(words)))

    def routes(self, net):
        found = []
        for one in self.ctl("show route all", net).split("BGP.origin:")[1:]:
            get = lambda what: (re.findall(what + r": (.*)", one) or [""])[0]
            found.append((get("as_path"), int(get("med") or 0), re.findall(r"\((\d+),(\d+)\)", get("BGP.community")),
                          re.findall(r"\((\d+), ?(\d+), ?(\d+)\)", get("large_community"))))
        return [(p, m, [":".join(c) for c in cs], [":".join(l) for l in ls]) for p, m, cs, ls in found]

    def refresh(self):
        self.ctl("reload in v4")


class Cli_of:
    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.c = Cli(self.path)
        return self.c

    def __exit__(self, *_):
        self.c.close()


class Frr(Other):
    package, programs = "frr", ["/usr/lib/frr/bgpd", "/usr/lib/frr/zebra", "/usr/bin/vtysh"]

    def start(self):
        os.chmod(self.dir, 0o777)
        text = """frr defaults traditional
hostname other
log file RUN/bgpd.log
route-map own permit 10
 set metric %d
 set community %s
 set large-community %s
router bgp %d
 bgp router-id 10.9.0.2
 no bgp ebgp-requires-policy
 no bgp default ipv4-unicast
 no bgp network import-check
 neighbor 10.9.0.1 remote-as %d
 neighbor 10.9.0.1 password %s
 neighbor 10.9.0.1 ttl-security hops 1
 neighbor fd09::1 remote-as %d
 neighbor fe80::1 remote-as %d
 neighbor fe80::1 interface a0
 neighbor 10.9.0.1 timers connect 1
 neighbor fd09::1 timers connect 1
 neighbor fe80::1 timers connect 1
 address-family ipv4 unicast
  network %s route-map own
  neighbor 10.9.0.1 activate
  neighbor 10.9.0.1 soft-reconfiguration inbound
 exit-address-family
 address-family ipv6 unicast
  network %s route-map own
  neighbor fd09::1 activate
  neighbor fe80::1 activate
 exit-address-family
line vty
""" % (MED, " ".join(COMMUNITIES), LARGE[0], THEIRS, OURS, PASSWORD, OURS, OURS, NETS["ipv4"][1], NETS["ipv6"][1])
        text = text.replace("  neighbor 10.9.0.1 soft-reconfiguration inbound\n", "")
        self.write("conf", text)
        self.write("zebra.conf", "hostname other\nline vty\n")
        common = ["-u", "frr", "-g", "frr", "-P", "0", "-A", "127.0.0.1", "-z", "RUN/zserv", "--vty_socket", "RUN"]
        self.spawn("/usr/lib/frr/zebra", "-f", "RUN/zebra.conf", "-i", "RUN/zebra.pid", *common)
        wait_until(lambda: os.path.exists(self.path("zserv")), self.said)
        self.spawn("/usr/lib/frr/bgpd", "-n", "-f", "RUN/conf", "-i", "RUN/bgpd.pid", *common)

    def vtysh(self, command):
        return self.ask("vtysh", "--vty_socket", "RUN", "-d", "bgpd", "-c", command)

    def routes(self, net):
        text = self.vtysh("show bgp %s unicast %s json" % ("ipv6" if ":" in net else "ipv4", net))
        try:
            paths = json.loads(text[text.index("{"):]).get("paths", [])
        except ValueError:
            return []
        return [(p["aspath"]["string"], p.get("metric", p.get("med", 0)), p.get("community", {}).get("list", []),
                 p.get("largeCommunity", {}).get("list", [])) for p in paths]

    def refresh(self):
        self.vtysh("clear bgp ipv4 unicast 10.9.0.1 in")


class Openbgpd(Other):
    package, programs = "openbgpd", ["/usr/sbin/bgpd", "/usr/sbin/bgpctl"]
    answers = False  # 7.7 logs "route refresh: AID IPv4 unicast not negotiated", to bird2 as well

    def start(self):
        what = "{ metric %d %s large-community %s }" % (MED, " ".join("community " + c for c in COMMUNITIES), LARGE[0])
        text = """AS 4200000002
router-id 10.9.0.2
fib-update no
socket "RUN/sock"
nexthop qualify via default
network %s set %s
network %s set %s
neighbor 10.9.0.1 {
  remote-as %d
  descr v4
  local-address 10.9.0.2
  announce IPv4 unicast
  announce add-path recv yes
  tcp md5sig password %s
  ttl-security yes
}
neighbor fd09::1 {
  remote-as %d
  descr v6
  local-address fd09::2
  announce IPv6 unicast
}
neighbor fe80::1%%a0 {
  remote-as %d
  descr ll
  local-address fe80::2%%a0
  announce IPv6 unicast
}
allow from any
allow to any
""" % (NETS["ipv4"][1], what, NETS["ipv6"][1], what, OURS, PASSWORD, OURS, OURS)
        self.write("conf", text, 0o600)
        os.makedirs("/run/openbgpd", exist_ok=True)
        self.spawn("/usr/sbin/bgpd", "-d", "-f", "RUN/conf")

    def routes(self, net):
        text = self.ask("bgpctl", "-s", "RUN/sock", "-j", "show", "rib", "detail", net)
        try:
            rib = json.loads(text).get("rib", [])
        except ValueError:
            return []
        return [(r["aspath"], r.get("metric", 0), r.get("communities", []), r.get("large_communities", [])) for r in rib]

    def refresh(self):
        self.ask("bgpctl", "-s", "RUN/sock", "neighbor", "10.9.0.1", "refresh")


class Gobgp(Other):
    package, programs = "gobgpd", ["/usr/bin/gobgpd", "/usr/bin/gobgp"]
    asks = False  # it keeps what came

    def start(self):
        text = """[global.config]
as = %d
router-id = "10.9.0.2"
""" % THEIRS
        for name, (ours, _, fam) in SESSIONS.items():
            text += """[[neighbors]]
[neighbors.config]
neighbor-address = "%s%s"
peer-as = %d
%s
[neighbors.timers.config]
connect-retry = 5
idle-hold-time-after-reset = 5
[[neighbors.afi-safis]]
[neighbors.afi-safis.config]
afi-safi-name = "%s-unicast"
[neighbors.afi-safis.add-paths.config]
receive = true
""" % (ours, "%a0" if name == "ll" else "", OURS,
                'auth-password = "%s"\n[neighbors.ttl-security.config]\nenabled = true\nttl-min = 255' % PASSWORD if name == "v4" else "", fam)
        self.write("conf", text)
        self.spawn("/usr/bin/gobgpd", "-f", "RUN/conf", "-l", "warn", "--pprof-disable", "--api-hosts", "127.0.0.1:50151")

    def gobgp(self, *words):
        return self.ask("gobgp", "-p", "50151", *words)

    def ready(self):
        wait_until(lambda: "AS:" in self.gobgp("global"), self.said)
        for fam, (_, net) in NETS.items():
            said = self.gobgp("global", "rib", "add", "-a", fam, net, "med", str(MED), "community", ",".join(COMMUNITIES),
                              "large-community", ",".join(LARGE))
            check("rror" not in said and "nvalid" not in said, said)

    def routes(self, net):
        text = self.gobgp("global", "rib", net, "-a", "ipv6" if ":" in net else "ipv4", "-j")
        found = []
        try:
            paths = json.loads(text)
        except ValueError:
            return []
        for p in paths if isinstance(paths, list) else [q for ps in paths.values() for q in ps]:
            a = {x["type"]: x for x in p["attrs"]}
            path = [str(n) for seg in a.get(2, {}).get("as_paths", []) for n in seg["asns"]]
            found.append((" ".join(path), a.get(4, {}).get("metric", 0),
                          ["%d:%d" % (c >> 16, c & 65535) for c in a.get(8, {}).get("communities", [])],
                          ["%d:%d:%d" % (l["ASN"], l["LocalData1"], l["LocalData2"]) for l in a.get(32, {}).get("value", [])]))
        return found


def conf(other):
    text = """router id 10.9.0.1;
log "RUN/bird.log" all;
protocol device {}
filter own { bgp_med = %d; %s bgp_large_community.add((4200000009,2,3)); accept; }
protocol static { ipv4 { import filter own; }; route %s blackhole; route %s blackhole; }
protocol static { ipv4 { import filter own; preference 90; }; route %s blackhole; }
protocol static { ipv6 { import filter own; }; route %s blackhole; }
""" % (MED, " ".join("bgp_community.add((64512,%d));" % n for n in (1, 2)), NETS["ipv4"][0], TWICE, TWICE, NETS["ipv6"][0])
    for name, (ours, theirs, fam) in SESSIONS.items():
        if name == "ll" and not other.local:
            continue
        text += "protocol bgp %s { local %s as %d; neighbor %s%s as %d; connect delay time 1; connect retry time 2; error wait time 1, 2;\n" % (
            name, ours, OURS, theirs, "%a1" if name == "ll" else "", THEIRS)
        text += "  allow bgp_med; debug { events, packets }; %s\n" % ('password "%s"; ttl security on;' % PASSWORD if name == "v4" else "")
        text += "  %s { import all; export where source = RTS_STATIC; next hop self; %s }; }\n" % (fam, "add paths tx;" if name == "v4" else "")
    return text


def sorted_route(r):
    return (r[0], r[1], sorted(r[2]), sorted(r[3]))


def here(d, name, net):
    """What ternd holds of a session's route."""
    text = d.text("show route %s all protocol %s" % (net, name))
    get = lambda what: (re.findall(what + r": (.*)", text) or [""])[0]
    return (get("as_path"), int(get("med") or 0), [":".join(c) for c in re.findall(r"\((\d+),(\d+)\)", get("BGP.community"))],
            [":".join(c) for c in re.findall(r"\((\d+), ?(\d+), ?(\d+)\)", get("large_community"))])


def interop(kind):
    other = kind()
    d = Daemon(conf(other)).start()
    other.start()
    other.ready()
    try:
        between(d, other)
    finally:
        d.stop()
        other.stop()


def between(d, other):
    names = [n for n in SESSIONS if n != "ll" or other.local]
    wait_until(lambda: all(d.sessions()[n][2].startswith("Established") for n in names),
               lambda: "%s %s" % (d.sessions(), other.said()), 60)
    want = lambda asn: (str(asn), MED, COMMUNITIES, LARGE)
    for name in names:
        mine, its = NETS[SESSIONS[name][2]]
        wait_until(lambda: sorted_route(here(d, name, its)) == want(THEIRS), lambda: "%s here: %r" % (name, here(d, name, its)))
        wait_until(lambda: want(OURS) in [sorted_route(r) for r in other.routes(mine)], lambda: "%s there: %r" % (name, other.routes(mine)))
        text = d.text("show protocols all " + name)
        check("4-octet AS numbers" in text.split("Neighbor capabilities")[1], text)
    # Both routes of a net, to who takes them.
    wait_until(lambda: [sorted_route(r) for r in other.routes(TWICE)].count(want(OURS)) == 2,
               lambda: "add-path: %r" % (other.routes(TWICE),))
    # Refresh, both ways.
    before = d.counters("v4", 1)
    equal(d.run("reload bgp in v4")[0][0], 15, "reload bgp in")
    if other.answers:
        wait_until(lambda: d.counters("v4", 1)[0] > before[0], "it sends its routes again")
    if other.asks:
        other.refresh()
        wait_until(lambda: "Got ROUTE-REFRESH" in d.whole_log(), "it asks for ours")
    equal(d.established(), len(names), "all are still up")
    d.run("disable static1")
    wait_until(lambda: not other.routes(NETS["ipv4"][0]), "our withdrawal there")


in_namespace()
ROUTER = other_namespace()
there = "nsenter -t %d -n " % ROUTER.pid
for line in ("ip link set lo up", there + "ip link set lo up", "ip link add a1 type veth peer name a0", "ip link set a0 netns %d" % ROUTER.pid,
             "ip address add 10.9.0.1/24 dev a1", "ip address add fd09::1/64 dev a1 nodad", "ip address add fe80::1/64 dev a1 nodad",
             there + "ip address add 10.9.0.2/24 dev a0", there + "ip address add fd09::2/64 dev a0 nodad",
             there + "ip address add fe80::2/64 dev a0 nodad",
             "ip link set a1 addrgenmode none up", there + "ip link set a0 addrgenmode none up"):
    subprocess.run(line.split(), check=True, timeout=20 * SLOW)
for kind in (Bird2, Frr, Openbgpd, Gobgp):
    case(kind.__name__.lower(), interop, kind)
done()
