# SPDX-License-Identifier: GPL-3.0-or-later
"""Daemons other than bird2, as neighbors of ternd on one link: how each is configured and started, what it is asked,
and what it holds. A test makes the link with make_link()."""

from harness import *

OURS, THEIRS = 4200000001, 4200000002
PASSWORD = "interop"
SESSIONS = {
    "v4": ("10.9.0.1", "10.9.0.2", "ipv4"),
    "v6": ("fd09::1", "fd09::2", "ipv6"),
    "ll": ("fe80::1", "fe80::2", "ipv6"),
}
NETS = {"ipv4": ("10.50.0.0/16", "10.60.0.0/16"), "ipv6": ("2001:db8:50::/48", "2001:db8:60::/48")}
TWICE = "10.51.0.0/16"  # two routes of it
# What all routes have.
MED, COMMUNITIES, LARGE = 50, ["64512:1", "64512:2"], ["4200000009:2:3"]


# Others than those that are installed: what test/tools/peers.sh has made.
PEERS = os.environ.get("TERN_PEERS", "")


def is_bookworm():
    with open("/etc/os-release") as f:
        return "VERSION_CODENAME=bookworm" in f.read()


NEWER = bool(PEERS) or not is_bookworm()  # than those of Debian 12


# The roles of RFC 9234, and who stands on the other side.
ROLES = {
    "provider": "customer",
    "customer": "provider",
    "peer": "peer",
    "rs_server": "rs_client",
    "rs_client": "rs_server",
}


class Place:
    """Where the others run."""

    router = None


def inside_there():
    return ["nsenter", "-t", str(Place.router.pid), "-n"]


def run_there(argv, **kw):
    return subprocess.run(
        inside_there() + argv, timeout=30 * SLOW, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **kw
    ).stdout.decode()


class Other:
    """A daemon in the other namespace. For each kind: package, programs, conf(), routes(net), refresh()."""

    local = True  # has sessions over link-local addresses
    asks = True  # sends a ROUTE-REFRESH when it is told to
    answers = True  # sends its routes again when it is asked; None: better not
    restarts = False  # it is asked to keep routes over restarts (RFC 4724)
    times = (120, 600)  # then: how long, and how long after that (RFC 9494); seconds
    role = None  # of session v4 (RFC 9234), as in ROLES
    again = False  # it has been killed, and comes back
    shows_why = False  # with which words we have closed a session
    keyed = True  # its listening socket has the password of session v4

    def __init__(self):
        self.dir = temp_dir()
        self.procs = []
        for path in self.programs:
            if not os.path.exists(PEERS + path):
                needs(self.package)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w") as f:
            f.write(text.replace("RUN", self.dir))
        os.chmod(self.path(name), mode)

    def spawn(self, *argv):
        out = open(self.path("out"), "ab")
        self.procs.append(
            spawn(inside_there() + [a.replace("RUN", self.dir) for a in argv], stdout=out, stderr=out, cwd=self.dir)
        )

    def ask(self, *argv):
        return run_there([a.replace("RUN", self.dir) for a in argv])

    def has_password(self):
        """Of session v4. One that is killed and comes back is to be connected to at once."""
        return self.keyed or not self.restarts

    def said(self):
        with open(self.path("out"), errors="replace") as f:
            return f.read()[-2000:]

    def stop(self):
        for p in self.procs:
            end(p)

    def ready(self):
        """What is to be done when it runs."""

    def killed(self):
        """kill -9 of all that it consists of."""
        for p in self.procs:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
        self.procs, self.again = [], True


class Bird2(Other):
    package, programs = "bird2", ["/usr/sbin/bird"]
    shows_why = True

    def why(self):
        return self.ctl("show protocols all v4")

    def start(self):
        text = 'router id 10.9.0.2; log stderr all; protocol device {}\n'
        for fam, (_, net) in NETS.items():
            text += (
                "protocol static { %s { import filter { bgp_med = %d; %s bgp_large_community.add((4200000009,2,3));"
                " accept; }; }; route %s blackhole; }\n"
                % (fam, MED, " ".join("bgp_community.add((64512,%d));" % n for n in (1, 2)), net)
            )
        for name, (ours, theirs, fam) in SESSIONS.items():
            text += (
                "protocol bgp %s { local %s as %d; neighbor %s%s as %d; connect delay time 1; connect retry time 2;"
                " %s\n"
                % (
                    name,
                    theirs,
                    THEIRS,
                    ours,
                    "%a0" if name == "ll" else "",
                    OURS,
                    ('password "%s"; ttl security on; %s' % (PASSWORD, self.played()) if name == "v4" else "")
                    + self.more(),
                )
            )
            text += (
                "  %s { import all; export filter { bgp_med = %d; accept; }; next hop self; add paths rx; }; }\n"
                % (fam, MED)
            )
        self.write("conf", text)
        self.spawn(
            PEERS + self.programs[0],
            "-f",
            "-c",
            "RUN/conf",
            "-s",
            "RUN/ctl",
            "-P",
            "RUN/pid",
            *(["-R"] if self.again else [])
        )

    def more(self):
        return (
            "graceful restart on; graceful restart time %d; long lived graceful restart on; long lived stale time %d;"
            % self.times
            if self.restarts
            else ""
        )

    def played(self):
        return "local role %s;" % self.role if self.role else ""

    def otc(self, net):
        return re.findall(r"otc: (\d+)", self.ctl("show route all", net))

    def ctl(self, *words):
        with Cli_of(self.path("ctl")) as c:
            return "\n".join(t for _, t in c.run(" ".join(words)))

    def routes(self, net):
        # bird 3 has the filters' names
        text = re.sub(r"\tbgp_", "\tBGP.", self.ctl("show route all", net)).replace("BGP.path", "BGP.as_path")
        found = []
        for one in text.split("BGP.origin:")[1:]:
            get = lambda what: (re.findall(r"BGP\." + what + r": (.*)", one) or [""])[0]
            found.append(
                (
                    get("as_path"),
                    int(get("med") or 0),
                    re.findall(r"\((\d+),(\d+)\)", get("community")),
                    re.findall(r"\((\d+), ?(\d+), ?(\d+)\)", get("large_community")),
                )
            )
        return [(p, m, [":".join(c) for c in cs], [":".join(l) for l in ls]) for p, m, cs, ls in found]

    def refresh(self):
        self.ctl("reload %sin v4" % ("bgp " if isinstance(self, Bird3) else ""))


class Bird3(Bird2):
    """Of TERN_PEERS alone: Debian 12 has none."""

    package, programs = "bird3", ["/opt/bird3/usr/sbin/bird"]


BIRDS = (Bird2, Bird3) if PEERS else (Bird2,)


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
    shows_why = True

    def why(self):
        with open(self.path("bgpd.log")) as f:
            return self.vtysh("show bgp neighbors 10.9.0.1 json") + f.read()[-3000:]

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
%s
 neighbor 10.9.0.1 remote-as %d
 neighbor 10.9.0.1 password %s
 neighbor 10.9.0.1 ttl-security hops 1
%s
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
""" % (
            MED,
            " ".join(COMMUNITIES),
            LARGE[0],
            THEIRS,
            self.more(),
            OURS,
            PASSWORD,
            self.played(),
            OURS,
            OURS,
            NETS["ipv4"][1],
            NETS["ipv6"][1],
        )
        text = text.replace("  neighbor 10.9.0.1 soft-reconfiguration inbound\n", "")
        self.write("conf", text)
        self.write("zebra.conf", "hostname other\nline vty\n")
        common = ["-u", "frr", "-g", "frr", "-P", "0", "-A", "127.0.0.1", "-z", "RUN/zserv", "--vty_socket", "RUN"]
        self.spawn(PEERS + "/usr/lib/frr/zebra", "-f", "RUN/zebra.conf", "-i", "RUN/zebra.pid", *common)
        wait_until(lambda: os.path.exists(self.path("zserv")), self.said)
        self.spawn(PEERS + "/usr/lib/frr/bgpd", "-n", "-f", "RUN/conf", "-i", "RUN/bgpd.pid", *common)

    def more(self):
        return (
            " bgp graceful-restart\n bgp graceful-restart preserve-fw-state\n bgp graceful-restart restart-time %d\n"
            " bgp long-lived-graceful-restart stale-time %d"
            % self.times
            if self.restarts
            else ""
        )

    def played(self):
        return " neighbor 10.9.0.1 local-role " + self.role.replace("_", "-") if self.role else ""

    def otc(self, net):
        return re.findall(r'"otc": ?(\d+)', self.vtysh("show bgp ipv4 unicast %s json" % net))

    def vtysh(self, command):
        return self.ask(PEERS + "/usr/bin/vtysh", "--vty_socket", "RUN", "-d", "bgpd", "-c", command)

    def routes(self, net):
        text = self.vtysh("show bgp %s unicast %s json" % ("ipv6" if ":" in net else "ipv4", net))
        try:
            paths = json.loads(text[text.index("{") :]).get("paths", [])
        except ValueError:
            return []
        return [
            (
                p["aspath"]["string"],
                p.get("metric", p.get("med", 0)),
                p.get("community", {}).get("list", []),
                p.get("largeCommunity", {}).get("list", []),
            )
            for p in paths
        ]

    def refresh(self):
        self.vtysh("clear bgp ipv4 unicast 10.9.0.1 in")


class Openbgpd(Other):
    package, programs = "openbgpd", ["/usr/sbin/bgpd", "/usr/sbin/bgpctl"]
    answers = False  # 7.7 logs "route refresh: AID IPv4 unicast not negotiated", to bird2 as well
    keyed = False  # 7.7: with a password only its own connections are made, 120 s after one that failed

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
  announce restart yes
%s
%s
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
""" % (
            NETS["ipv4"][1],
            what,
            NETS["ipv6"][1],
            what,
            OURS,
            self.played(),
            "  tcp md5sig password " + PASSWORD if self.has_password() else "",
            OURS,
            OURS,
        )
        self.write("conf", text, 0o600)
        os.makedirs("/run/openbgpd", exist_ok=True)
        self.spawn(PEERS + "/usr/sbin/bgpd", "-d", "-f", "RUN/conf")

    def played(self):
        name = {"rs_server": "rs", "rs_client": "rs-client"}.get(self.role, self.role)
        return "" if not name else ("  role %s\n  announce policy yes" if NEWER else "  announce policy %s") % name

    def otc(self, net):
        text = self.ask(PEERS + "/usr/sbin/bgpctl", "-s", "RUN/sock", "show", "rib", "detail", net)
        return re.findall(r"OTC: (\d+)", text)

    def routes(self, net):
        text = self.ask(PEERS + "/usr/sbin/bgpctl", "-s", "RUN/sock", "-j", "show", "rib", "detail", net)
        try:
            rib = json.loads(text).get("rib", [])
        except ValueError:
            return []
        return [
            (r["aspath"], r.get("metric", 0), r.get("communities", []), r.get("large_communities", [])) for r in rib
        ]

    def refresh(self):
        self.ask(PEERS + "/usr/sbin/bgpctl", "-s", "RUN/sock", "neighbor", "10.9.0.1", "refresh")


class Gobgp(Other):
    package, programs = "gobgpd", ["/usr/bin/gobgpd", "/usr/bin/gobgp"]
    local = not NEWER  # 3.36 sends the next hop :: over it
    asks = False  # it keeps what came

    def start(self):
        text = (
            """[global.config]
as = %d
router-id = "10.9.0.2"
"""
            % THEIRS
        )
        for name, (ours, _, fam) in SESSIONS.items():
            text += """[[neighbors]]
[neighbors.config]
neighbor-address = "%s%s"
peer-as = %d
%s
[neighbors.timers.config]
connect-retry = 5
idle-hold-time-after-reset = 5
%s
[[neighbors.afi-safis]]
[neighbors.afi-safis.config]
afi-safi-name = "%s-unicast"
%s
[neighbors.afi-safis.add-paths.config]
receive = true
""" % (
                ours,
                "%a0" if name == "ll" else "",
                OURS,
                (
                    'auth-password = "%s"\n[neighbors.ttl-security.config]\nenabled = true\nttl-min = 255' % PASSWORD
                    if name == "v4"
                    else ""
                ),
                *(
                    (
                        "[neighbors.graceful-restart.config]\nenabled = true\nrestart-time = %d\nlong-lived-enabled ="
                        " true"
                        % self.times[0],
                        fam,
                        "[neighbors.afi-safis.mp-graceful-restart.config]\nenabled = true\n"
                        "[neighbors.afi-safis.long-lived-graceful-restart.config]\nenabled = true\nrestart-time = %d"
                        % self.times[1],
                    )
                    if self.restarts
                    else ("", fam, "")
                ),
            )
        self.write("conf", text)
        self.spawn(
            PEERS + "/usr/bin/gobgpd",
            *(["-r"] if self.again else []),
            "-f",
            "RUN/conf",
            "-l",
            "warn",
            "--pprof-disable",
            "--api-hosts",
            "127.0.0.1:50151"
        )

    def gobgp(self, *words):
        return self.ask(PEERS + "/usr/bin/gobgp", "-p", "50151", *words)

    def ready(self):
        wait_until(lambda: "AS:" in self.gobgp("global"), self.said)
        for fam, (_, net) in NETS.items():
            said = self.gobgp(
                "global",
                "rib",
                "add",
                "-a",
                fam,
                net,
                "med",
                str(MED),
                "community",
                ",".join(COMMUNITIES),
                "large-community",
                ",".join(LARGE),
            )
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
            found.append(
                (
                    " ".join(path),
                    a.get(4, {}).get("metric", 0),
                    ["%d:%d" % (c >> 16, c & 65535) for c in a.get(8, {}).get("communities", [])],
                    ["%d:%d:%d" % (l["ASN"], l["LocalData1"], l["LocalData2"]) for l in a.get(32, {}).get("value", [])],
                )
            )
        return found


class Exabgp(Other):
    package, programs = "exabgp", ["/usr/sbin/exabgp"]
    local = False  # it can't name the interface
    asks = False  # a process of its own has what came
    answers = None  # 4.2.21 resets the connection

    def start(self):
        self.write("sink", "#!/bin/sh\nwhile read -r line; do echo \"$line\" >>RUN/got; done\n", 0o755)
        text = "process sink { run RUN/sink; encoder json; }\n"
        for name, (ours, theirs, fam) in SESSIONS.items():
            if name == "ll":
                continue
            text += """neighbor %s {
  router-id 10.9.0.2; local-address %s; local-as %d; peer-as %d; hold-time 180;
  %s
  capability { %s route-refresh enable; add-path receive; }
  family { %s unicast; }
  api { processes [ sink ]; receive { parsed; update; } }
  static { route %s next-hop %s med %d community [ %s ] large-community [ %s ]; }
}
""" % (
                ours,
                theirs,
                THEIRS,
                OURS,
                'md5-password "%s"; outgoing-ttl 255; incoming-ttl 255;' % PASSWORD if name == "v4" else "",
                "graceful-restart 120;" if self.restarts else "",
                fam,
                NETS[fam][1],
                theirs,
                MED,
                " ".join(COMMUNITIES),
                " ".join(LARGE),
            )
        self.write("conf", text)
        # What came to one that is gone isn't known to the next.
        self.write("got", "")
        self.spawn(
            PEERS + "/usr/bin/env",
            "exabgp.daemon.user=root",
            "exabgp.api.cli=false",
            "exabgp.log.destination=stderr",
            "/usr/sbin/exabgp",
            "RUN/conf",
        )

    def routes(self, net):
        has = {}
        with open(self.path("got")) as f:
            for line in f:
                try:
                    got = json.loads(line)["neighbor"]["message"]["update"]
                except (ValueError, KeyError):
                    continue
                for what in ("withdraw", "announce"):
                    for listed in got.get(what, {}).values():
                        for each in listed.values() if what == "announce" else [listed]:
                            for n in each:
                                if n.get("nlri") == net:
                                    key = n.get("path-information", "")
                                    has.pop(key, None)
                                    if what == "announce":
                                        has[key] = got["attribute"]
        return [
            (
                " ".join(str(n) for n in a.get("as-path", [])),
                a.get("med", 0),
                ["%d:%d" % tuple(c) for c in a.get("community", [])],
                ["%d:%d:%d" % tuple(c) for c in a.get("large-community", [])],
            )
            for a in has.values()
        ]


def conf(other, more="", channel="", v4=""):
    """Of ternd. @more, @channel: options of its sessions, and of their channels. @v4: of session v4 alone."""
    text = """router id 10.9.0.1;
log "RUN/bird.log" all;
protocol device {}
filter own { bgp_med = %d; %s bgp_large_community.add((4200000009,2,3)); accept; }
protocol static { ipv4 { import filter own; }; route %s blackhole; route %s blackhole; }
protocol static { ipv4 { import filter own; preference 90; }; route %s blackhole; }
protocol static { ipv6 { import filter own; }; route %s blackhole; }
""" % (
        MED,
        " ".join("bgp_community.add((64512,%d));" % n for n in (1, 2)),
        NETS["ipv4"][0],
        TWICE,
        TWICE,
        NETS["ipv6"][0],
    )
    for name, (ours, theirs, fam) in SESSIONS.items():
        if name == "ll" and not other.local:
            continue
        text += (
            "protocol bgp %s { local %s as %d; neighbor %s%s as %d; connect delay time 1; connect retry time 2; error"
            " wait time 1, 2; %s\n" % (name, ours, OURS, theirs, "%a1" if name == "ll" else "", THEIRS, more)
        )
        text += "  allow bgp_med; debug { events, packets }; %s\n" % (
            "%sttl security on; %s" % ('password "%s"; ' % PASSWORD if other.has_password() else "", v4)
            if name == "v4"
            else ""
        )
        text += "  %s { import all; export where source = RTS_STATIC; next hop self; %s %s }; }\n" % (
            fam,
            "add paths tx;" if name == "v4" else "",
            channel,
        )
    return text


def sorted_route(r):
    return (r[0], r[1], sorted(r[2]), sorted(r[3]))


def here(d, name, net):
    """What ternd holds of a session's route."""
    text = d.text("show route %s all protocol %s" % (net, name))
    get = lambda what: (re.findall(what + r": (.*)", text) or [""])[0]
    return (
        get("as_path"),
        int(get("med") or 0),
        [":".join(c) for c in re.findall(r"\((\d+),(\d+)\)", get("BGP.community"))],
        [":".join(c) for c in re.findall(r"\((\d+), ?(\d+), ?(\d+)\)", get("large_community"))],
    )


def make_link():
    """A pair of interfaces between us and another namespace, with an address of each kind at both ends."""
    in_namespace()
    Place.router = other_namespace()
    there = "nsenter -t %d -n " % Place.router.pid
    for line in (
        "ip link set lo up",
        there + "ip link set lo up",
        "ip link add a1 type veth peer name a0",
        "ip link set a0 netns %d" % Place.router.pid,
        "ip address add 10.9.0.1/24 dev a1",
        "ip address add fd09::1/64 dev a1 nodad",
        "ip address add fe80::1/64 dev a1 nodad",
        there + "ip address add 10.9.0.2/24 dev a0",
        there + "ip address add fd09::2/64 dev a0 nodad",
        there + "ip address add fe80::2/64 dev a0 nodad",
        "ip link set a1 addrgenmode none up",
        there + "ip link set a0 addrgenmode none up",
    ):
        subprocess.run(line.split(), check=True, timeout=20 * SLOW)
