# SPDX-License-Identifier: GPL-3.0-or-later
"""Static routes and ROAs: the same file and the same announcements given to ternd and bird; then what
happens when ROAs change while sessions are up."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

HEAD = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
roa4 table r4%(settle)s;
roa6 table r6;
attribute int mark;
filter by_roa {
  if roa_check(r4) = ROA_INVALID then { print "invalid ", net; reject; }
  if roa_check(r4, net, bgp_path.last) = ROA_VALID then bgp_large_community.add((65000, 1, 1));
  if roa_check(r6, net, bgp_path.last) != ROA_UNKNOWN then reject;
  accept;
}
template bgp rsmember { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; allow as sets;
  connect delay time 1; }
"""

ROAS = [
    "10.0.0.0/8 max 24 as 65001",
    "10.0.0.0/8 max 16 as 65002",
    "10.1.0.0/16 max 16 as 0",
    "10.2.0.0/16 max 24 as 7",
    "10.2.3.0/24 max 24 as 8",
    "10.2.3.0/24 max 32 as 65001",
    "172.16.0.0/12 max 16 as 65002",
]


def static_roas(roas, name="roas"):
    routes = "".join("  route %s;\n" % r for r in roas)
    return "protocol static %s {\n  roa4 { table r4; };\n%s}\n" % (name, routes)


SAME = (
    HEAD
    + static_roas(ROAS)
    + """
protocol static more { roa4 { table r4; }; route 10.2.3.0/24 max 24 as 8 { preference = 300; mark = 3; }; }
protocol static six { roa6 { table r6; import where net.len <= 32; };
  route 2001:db8::/32 max 48 as 65001; route 2001:db8:1::/48 max 48 as 65001; }
protocol static holes { ipv4 { preference 90; import keep filtered; import filter { if net = 192.0.2.0/24 then reject; \
accept; }; };
  route 192.0.2.0/24 blackhole; route 198.51.100.0/24 unreachable { mark = 5; bgp_community.add((65535, 666)); };
  route 203.0.113.0/24 prohibit; route 10.2.3.0/24 drop; route 10.99.0.0/16 reject { preference = 300; }; }
protocol bgp m1 from rsmember { neighbor 127.0.11.1 as 65001; ipv4 { import keep filtered; import filter by_roa; \
export none; }; }
protocol bgp m2 from rsmember { neighbor 127.0.11.2 as 65002; ipv4 { import keep filtered; import filter by_roa; \
export none; }; }
"""
)

ROUTES = [
    "10.0.0.0/8",
    "10.0.0.0/16",
    "10.0.1.0/24",
    "10.0.1.0/25",
    "10.1.0.0/16",
    "10.1.1.0/24",
    "10.2.0.0/16",
    "10.2.3.0/24",
    "10.2.3.128/25",
    "10.2.4.0/24",
    "172.16.0.0/12",
    "172.16.0.0/16",
    "172.16.0.0/17",
    "172.32.0.0/16",
    "192.168.0.0/16",
    "10.99.0.0/16",
]


def announce(port):
    peers = []
    for n in (1, 2):
        p = member(port, n)
        p.update(ROUTES[::2])
        p.update(ROUTES[1::2], path=[65000 + n, 7])
        p.update(["10.2.3.0/25", "10.2.0.0/20"], path=[65000 + n, 65002, 65001])
        # an origin that is a set has no AS: never valid
        path = struct.pack("!BBII", 2, 2, 65000 + n, 7) + struct.pack("!BBI", 1, 1, 65000 + n)
        attrs = attribute(0x40, 1, b"\0") + attribute(0x40, 2, path) + attribute(0x40, 3, socket.inet_aton(p.address))
        nets = nlri("10.77.0.0/16") + nlri("192.168.77.0/24")
        p.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + nets))
        peers.append(p)
    return peers


class Other(Daemon):
    """bird with the same file."""

    def argv(self, *more):
        return [BIRD, "-c", self.conf, "-s", self.ctl, "-P", self.pidfile] + list(more)


def shown(d, command):
    """Lines without times, prefixes on each, sorted: the order of nets is bird's own affair."""
    net, out = "", []
    for code, line in d.run(command):
        line = re.sub(r"\d\d:\d\d:\d\d\.\d\d\d", "TIME", line)
        if re.match(r"\S+/\d+", line):
            net = line[:20]
        elif line.startswith("     "):
            line = net + line[20:]
        # loopback: bird finds no way to a next hop there
        line = re.sub(r" (unicast|unreachable) \[m", " ANY [m", line)
        line = re.sub(r"^(\S+\s+)\S+ \[m", r"\1ANY [m", line)
        if line.startswith("\tvia ") or line.startswith("Table ") or not line.strip():
            continue
        # which of several refused routes comes first has no meaning
        line = line.replace(" *", "") if "filtered" in command else line
        out.append("%d %s" % (code, line.rstrip()))
    return sorted(out)


def wait_roa(d, question, want, what):
    """The index follows the table in a thread of its own."""
    wait_until(lambda: d.text("eval roa_check(%s) = %s" % (question, want)) == "TRUE", what)


def as_bird():
    if not os.path.exists(BIRD):
        needs("bird2")
    got = []
    for cls in (Daemon, Other):
        port = free_port()
        d = cls(SAME % {"port": port, "settle": ""}).start()
        for last in ("r4, 172.16.0.0/12, 65002", "r4, 10.2.3.0/24, 8", "r6, 2001:db8:1::/48, 65001"):
            wait_roa(d, last, "ROA_VALID", "all ROAs")
        peers = announce(port)
        arrived = lambda m: sum(
            int(x)
            for counts in re.findall(r"Routes: +(\d+) imported, (\d+) filtered", d.text("show protocols all " + m))
            for x in counts
        )
        wait_until(lambda: arrived("m1") == arrived("m2") == 20, "all routes")
        settled(lambda: (shown(d, "show route"), shown(d, "show route filtered")), "the routes", 0.1)
        answers = {
            c: shown(d, c)
            for c in (
                "show route table r4",
                "show route table r4 all",
                "show route table r6",
                "show route table r4 count",
                "show route table r4 primary",
                "show route table r4 where preference > 200",
                "show route table all count",
                "show route protocol roas",
                "show static",
                "show static roas",
                "show route",
                "show route filtered",
                "show route table master4 where roa_check(r4, net, 65001) = ROA_VALID",
                "show route protocol holes all",
                "show route table r4 for 10.0.0.0/8",
                "show protocols",
            )
        }
        answers["routes"] = [
            re.findall(r"Routes:.*", d.text("show protocols all " + p)) for p in ("roas", "more", "six", "holes")
        ]
        answers["large"] = len(re.findall(r"\(65000, 1, 1\)", d.text("show route all")))
        d.stop()
        for p in peers:
            p.s.close()
        got.append(answers)
    for c in got[0]:
        if got[0][c] != got[1][c]:
            ours, theirs = got[0][c], got[1][c]
            if isinstance(ours, list) and ours and isinstance(ours[0], str):
                ours, theirs = [x for x in ours if x not in theirs], [x for x in theirs if x not in ours]
            raise Failed("%s: ternd %r, bird %r" % (c, ours, theirs))


CHANGE = (
    HEAD
    + """
%(roas)s
protocol bgp m1 from rsmember { neighbor 127.0.11.1 as 65001; ipv4 { import keep filtered; import filter by_roa; \
export none; }; }
protocol bgp m2 from rsmember { neighbor 127.0.11.2 as 65002; ipv4 { import filter by_roa; export none; }; }
protocol bgp m3 from rsmember { neighbor 127.0.11.3 as 65003; ipv4 { import none;
  export where roa_check(r4, net, bgp_path.last) != ROA_INVALID; }; }
protocol bgp m4 from rsmember { neighbor 127.0.11.4 as 65004; ipv4 { rpki reload off; import keep filtered;
  import filter by_roa; export none; }; }
protocol bgp m5 from rsmember { neighbor 127.0.11.5 as 65005; ipv4 { import filter by_roa; export none; }; }
"""
)


def conf(port, roas):
    return CHANGE % {"port": port, "settle": " { digest settle time 50 ms 500 ms; }", "roas": static_roas(roas)}


def nets(d, what):
    return sorted(re.findall(r"^(\d+\.\d+\.\d+\.\d+/\d+)", d.text("show route table master4 " + what), re.M))


def change(threads):
    port = free_port()
    extra = "threads %d;\n" % threads if threads else ""
    d = Daemon(extra + conf(port, [])).start()
    m1, m2, m3, m4 = [member(port, n) for n in (1, 2, 3, 4)]
    m1.update(["10.0.0.0/16", "10.1.0.0/16", "10.2.0.0/16"])
    m2.update(["11.0.0.0/16", "11.1.0.0/16"])
    m2.end_of_rib()
    m4.update(["12.0.0.0/16"])
    wait_until(lambda: len(nets(d, "")) == 6, "six routes")

    # m1's /16 and one of m2's become invalid; m4 doesn't look again.
    d.write(extra + conf(port, ["10.1.0.0/16 max 24 as 9", "11.0.0.0/8 max 24 as 9", "12.0.0.0/16 max 16 as 9"]))
    equal(d.code("configure"), 3, "configure")
    wait_until(lambda: nets(d, "filtered protocol m1") == ["10.1.0.0/16"], "m1's route is refused")
    said = (
        "Table r4: 3 added, 1 route asked again by 1 import filter, 4 routes asked again by 1 export filter, 1 channel"
        " requests all routes again"
    )
    wait_until(lambda: said in d.whole_log(), lambda: "the log says what follows: " + d.whole_log())
    equal(nets(d, "protocol m1"), ["10.0.0.0/16", "10.2.0.0/16"], "m1's other routes")
    equal(nets(d, "protocol m4"), ["12.0.0.0/16"], "rpki reload off")
    check(m2.wait_for(REFRESH, 3) is not None, "m2 isn't asked for its routes as soon as it has sent all")
    m2.update(["11.0.0.0/16", "11.1.0.0/16"])
    m2.end_of_rib()
    m5 = member(port, 5)
    m5.update(["13.0.0.0/16"])
    heard = time.monotonic()
    wait_until(lambda: nets(d, "protocol m5") == ["13.0.0.0/16"], "m5's route")
    wait_until(lambda: nets(d, "protocol m2") == [], "m2's routes are refused")

    # And back; one more becomes valid and is marked so.
    d.write(extra + conf(port, ["10.2.0.0/16 max 16 as 65001"]))
    equal(d.code("configure"), 3, "configure")
    wait_until(lambda: nets(d, "protocol m1") == ["10.0.0.0/16", "10.1.0.0/16", "10.2.0.0/16"], "all of m1's routes")
    wait_until(lambda: "(65000, 1, 1)" in d.text("show route 10.2.0.0/16 all"), "a valid route")
    check(
        m5.lying(REFRESH) == 0 or time.monotonic() > heard + 5,
        "m5, which has sent no End-of-RIB, is asked for its routes at once",
    )
    equal(m2.lying(REFRESH), 0, "m2 is asked twice in a minute")
    check(
        threads or m5.wait_for(REFRESH, 8) is not None,
        "m5 isn't asked for its routes when it has been quiet for a while",
    )
    equal(m2.lying(REFRESH), 0, "m2 is asked twice in a minute")
    check("(65000, 1, 1)" not in d.text("show route 10.1.0.0/16 all"), "an unknown route is marked")

    # Only what changed was looked at: nothing else was announced to the table.
    equal(d.counters("m1")[0], 3 + 1 + 2, "updates that came from m1: 3 announced, one looked at again, then two")

    # Undo brings the table's former content back.
    equal(d.code("configure undo"), 3, "undo")
    wait_until(lambda: nets(d, "filtered protocol m1") == ["10.1.0.0/16"], "m1's route is refused again")
    equal(m1.lying(5), 0, "m1 is asked for its routes")
    d.stop()


def switches(d, name):
    """How often the threads whose names match have slept, by thread."""
    if VIRTUAL:
        return {nr: sleeps for nr, sleeps, of in d.proc.threads() if re.match(name, of)}
    out, task = {}, "/proc/%d/task" % int(open(d.pidfile).read())
    for t in os.listdir(task):
        try:
            with open("%s/%s/status" % (task, t)) as f:
                status = f.read()
        except OSError:
            continue
        if re.match("Name:\\s+" + name, status):
            out[t] = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.M).group(1))
    return out


OWNERS = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
roa4 table r4 { digest settle time 20 ms 200 ms; };
filter valid { if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; accept; }
template bgp rsmember { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; allow as sets;
  ipv4 { import keep filtered; import filter valid; export all; }; }
protocol static one { roa4 { table r4; }; route 10.0.7.0/24 max 24 as 65007; }
"""


def wakes_one(d, name, times):
    """A ROA that comes and goes again wakes one thread of those whose names match."""
    woken = []
    # What threads do a while after the last route (rings are given back, say) isn't meant.
    settled(lambda: switches(d, name), "the threads", 1)
    for command in ["disable one", "enable one"] * times:
        before = switches(d, name)
        d.code(command)
        after = settled(lambda: switches(d, name), "the threads", 0.1 * SLOW)
        woken.append(len([t for t in after if after[t] != before.get(t)]))
    equal(sorted(woken)[len(woken) // 2], 1, "threads that a ROA wakes: %r" % woken)


def owners():
    """A ROA that concerns a route of one member wakes that one, and nobody else: here it changes no route."""
    port, cnt = free_port(), 20
    conf = "".join(
        "protocol bgp m%d from rsmember { neighbor 127.0.11.%d as %d; }\n" % (n, n, 65000 + n)
        for n in range(1, cnt + 1)
    )
    d = Daemon(OWNERS % port + conf).start()
    peers = [member(port, n) for n in range(1, cnt + 1)]
    for n, p in enumerate(peers, 1):
        p.update(["10.0.%d.0/24" % n])
    wait_until(lambda: "%d of %d routes" % (cnt, cnt) in d.text("show route table master4 count"), "all routes")
    # A thread that has just been made has the name of the one that made it for a moment.
    wait_until(
        lambda: len(switches(d, r"m\d")) == cnt,
        lambda: "a thread for each member: %r" % sorted(n for n, _ in d.threads()),
    )
    wakes_one(d, r"m\d", 4)
    d.stop()


BEHIND = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
roa4 table r4 { digest settle time 20 ms 200 ms; };
filter valid { if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; accept; }
template bgp rsmember { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; allow as sets; }
protocol static one { roa4 { table r4; }; route 10.0.7.0/24 max 24 as 65007; }
"""


def owners_behind_pipes(where):
    """The same where each member has a table of its own behind a pipe: the filter that asks is the member's, or the
    pipe's. Either way one thread is woken of all of them, and no member is sent anything."""
    port, cnt = free_port(), 12
    conf = "".join(
        """
ipv4 table t%d;
protocol bgp m%d from rsmember { neighbor 127.0.11.%d as %d; ipv4 { table t%d; import keep filtered; import %s; export \
all; }; }
protocol pipe p%d { table master4; peer table t%d; import %s; export all; }
"""
        % (
            n,
            n,
            n,
            65000 + n,
            n,
            "filter valid" if where == "m" else "all",
            n,
            n,
            "filter valid" if where == "p" else "all",
        )
        for n in range(1, cnt + 1)
    )
    d = Daemon(BEHIND % port + conf).start()
    peers = [member(port, n) for n in range(1, cnt + 1)]
    for n, p in enumerate(peers, 1):
        p.update(["10.0.%d.0/24" % n])
    wait_until(
        lambda: all(
            "%d of %d routes" % (cnt, cnt) in d.text("show route table t%d count" % n) for n in range(1, cnt + 1)
        ),
        "all routes in all tables",
    )
    wait_until(lambda: len(switches(d, r"[mp]\d")) == 2 * cnt, "a thread for each member and each pipe")
    sent = lambda: [p.lying(UPDATE) for p in peers]
    wait_until(lambda: min(sent()) >= cnt, lambda: "all routes, and an End-of-RIB, at all members: %r" % sent())
    before = settled(sent, "UPDATEs at members", 0.2)
    wakes_one(d, r"[mp]\d", 3)
    equal(sent(), before, "UPDATEs that members were sent")
    d.stop()


def export():
    """The export filter of m3 asks: what becomes invalid is withdrawn, and comes back."""
    port = free_port()
    d = Daemon(conf(port, [])).start()
    m1, m3 = [member(port, n) for n in (1, 3)]
    m4 = member(port, 4)
    m4.update(["12.0.0.0/16", "12.1.0.0/16"])
    exported = lambda: sum(int(x) for x in re.findall(r"(\d+) exported", d.text("show protocols all m3")))
    wait_until(
        lambda: exported() == 2,
        lambda: "two routes are exported: " + d.text("show route all") + d.text("show protocols all") + d.said(),
    )
    d.write(conf(port, ["12.0.0.0/16 max 16 as 9"]))
    equal(d.code("configure"), 3, "configure")
    wait_until(lambda: exported() == 1, "one is withdrawn")
    equal(nets(d, "export m3"), ["12.1.0.0/16"], "what is exported")
    d.write(conf(port, ["12.0.0.0/16 max 16 as 65004"]))
    equal(d.code("configure"), 3, "configure")
    wait_until(lambda: exported() == 2, "it comes back")
    got = []
    while got[-2:] != ["w", "a"]:  # before: both routes, in one UPDATE or two, and End-of-RIB
        body = m3.wait_for(2)
        check(body is not None, "the session has ended")
        withdrawn = struct.unpack("!H", body[:2])[0]
        got.append("w" if withdrawn else "e" if len(body) == 4 else "a")
    check(got.count("w") == 1 and got.count("a") <= 3, "m3 was sent %r" % got)
    d.stop()


STATIC = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
%s
"""


def statics(first, cnt, more="", kind="blackhole"):
    routes = "".join("route 10.%d.%d.0/24 %s;\n" % (i // 256, i % 256, kind) for i in range(first, first + cnt))
    return STATIC % ("protocol static s { ipv4; %s %s}\n" % (routes, more))


def differences():
    """A reconfiguration announces what differs and nothing else; also large ones, and the way down."""
    d = Daemon(statics(0, 20000)).start()
    count = lambda: int(re.search(r"(\d+) of \d+ routes", d.text("show route table master4 count")).group(1))
    updates = lambda: d.counters("s")
    wait_until(lambda: count() == 20000, "20,000 routes")
    equal(updates(), [20000, 0], "updates")
    d.write(
        statics(10, 20000, 'route 10.0.20.0/24 unreachable; route 172.16.0.0/12 via "lo";').replace(
            "10.0.20.0/24 blackhole", "10.0.20.0/24 prohibit"
        )
    )
    equal(d.code("configure"), 3, "configure")
    wait_until(lambda: count() == 20002, "20,002 routes")
    equal(updates(), [20013, 10], "updates, withdrawals: ten new, one changed, a second one, one by an interface")
    equal(
        re.findall(r"prohibited|unreachable", d.text("show route 10.0.20.0/24")),
        ["prohibited", "unreachable"],
        "two routes, in order",
    )
    check("dev lo" in d.text("show route 172.16.0.0/12"), "no interface")
    check(
        "unicast" in d.text("show route where net = 172.16.0.0/12 && dest = RTD_UNICAST && source = RTS_STATIC"),
        "dest, source",
    )
    equal(d.code("configure soft"), 3, "configure soft")
    equal(updates(), [20013, 10], "updates when nothing differs")
    equal(d.code("disable s"), 0, "disable")
    wait_until(lambda: count() == 0, "no routes")
    equal(d.code("enable s"), 0, "enable")
    wait_until(lambda: count() == 20002, "routes again")
    equal(d.code("reload s"), 0, "reload")
    equal(d.code("restart s"), 0, "restart")
    wait_until(lambda: count() == 20002, "routes again")
    d.write(STATIC % "protocol static other { ipv4; route 10.0.0.0/8 blackhole; }")
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: count() == 1, "one route")
    d.stop()


SENT = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
protocol static { ipv4; route 10.1.0.0/16 blackhole;
  route 10.2.0.0/16 unreachable { bgp_community.add((1, 2)); bgp_med = 7; bgp_local_pref = 3; };
  route 10.3.0.0/16 prohibit { bgp_path.prepend(77); bgp_origin = ORIGIN_EGP; bgp_next_hop = 192.0.2.9; }; }
protocol bgp m1 { local 127.0.10.1 port %(port)d as 65000; multihop; passive; %(rs)s
  neighbor 127.0.11.1 as 65001; ipv4 { import none; export all; }; }
"""


def sent():
    """Static routes go out by BGP as bird sends them, octet by octet."""
    for rs in ("", "rs client;"):
        got = []
        for cls in (Daemon, Other) if os.path.exists(BIRD) else (Daemon,):
            port = free_port()
            d = cls(SENT % {"port": port, "rs": rs}).start()
            p = member(port, 1)
            routes = {}
            while len(routes) < 3:
                body = p.wait_for(2)
                check(body is not None, "the session has ended")
                attrs = struct.unpack("!H", body[2:4])[0]
                if len(body) > 4 + attrs:
                    routes[body[4 + attrs :].hex()] = body[4 : 4 + attrs].hex()
            p.s.close()
            d.stop()
            got.append(routes)
        check(all("4001010" in a for a in got[0].values()), "no ORIGIN")
        if len(got) == 2:
            equal(got[0], got[1], "what is sent")


def many_roas():
    """Tables that come, change and go with 30,000 ROAs."""
    roas = ["10.%d.%d.0/24 max 24 as %d" % (i // 256 % 256, i % 256, 1 + i // 65536 + i % 7) for i in range(30000)]
    one = STATIC % ("roa4 table r4;" + static_roas(roas))
    d = Daemon(one).start()
    count = lambda t="r4": int(re.search(r"(\d+) of \d+ routes", d.text("show route table %s count" % t)).group(1))
    wait_until(lambda: count() == 30000, "30,000 ROAs")
    wait_until(lambda: re.search(r"ROAs:\s+30000\n.*Routes:\s+30000", d.text("show table r4")), "show table")
    wait_roa(d, "r4, 10.1.2.0/24, %d" % (1 + 258 % 7), "ROA_VALID", "valid")
    wait_roa(d, "r4, 10.1.2.0/24, 8", "ROA_INVALID", "invalid")
    equal(d.text("eval roa_check(r4, 11.1.2.0/24, 8)"), "ROA_UNKNOWN", "unknown")
    d.write(
        STATIC
        % (
            "roa4 table r4; roa4 table r5;"
            + static_roas(roas[100:] + ["11.0.0.0/8 max 8 as 1"])
            + static_roas(roas[:50], "half").replace("table r4", "table r5")
        )
    )
    equal(d.code("configure"), 3, "configure")
    wait_until(lambda: count() == 29901 and count("r5") == 50, "changed")
    equal(d.counters("roas"), [30001, 100], "updates, withdrawals")
    d.write(STATIC % ("roa4 table r5;" + static_roas(roas[:50], "half").replace("table r4", "table r5")))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: "\nr4" not in d.text("show symbols table") and count("r5") == 50, "r4 goes")
    equal(d.code("disable half"), 0, "disable")
    wait_until(lambda: count("r5") == 0, "withdrawn")
    check(d.code("configure undo") in (3, 4), "undo")
    wait_until(lambda: count() == 29901, "r4 is back")
    d.stop()


def why(d):
    """show roa check: the verdict, and what it is made of."""
    ask = lambda what: d.run("show roa check " + what)
    wait_until(lambda: re.search(r"ASPAs:\s+3\n", d.text("show table at")), "three customers in the index")
    equal(
        ask("192.0.2.0/25 as 65001"),
        [
            (1019, "192.0.2.0/25 AS65001: valid in table q4"),
            (1019, "\t192.0.2.0/24-25 AS65001          matches"),
            (1019, "\t192.0.2.0/24-24 AS65001          for shorter prefixes"),
            (1019, "\t192.0.2.0/24-25 AS65002          another AS"),
            (0, ""),
        ],
        "valid",
    )
    equal(ask("192.0.2.1 as 65002")[0], (1019, "192.0.2.1/32 AS65002: invalid in table q4"), "too long")
    equal(ask("198.51.100.0/24 as 65009")[:-1], [(1019, "198.51.100.0/24 AS65009: unknown in table q4")], "unknown")
    equal(
        ask("192.0.2.0/24 path 65020 65010 65010 65001 table q4 aspa table at")[4:],
        [
            (1019, "path of 4: upstream invalid, downstream valid in table at"),
            (1019, "\tAS65001 to AS65010: its provider"),
            (1019, "\tAS65010 to AS65020: not its provider"),
            (1019, "\tAS65020 to AS65010: its provider"),
            (1019, "\tAS65010 to AS65001: not its provider"),
            (0, ""),
        ],
        "up, and down again",
    )
    equal(
        ask("192.0.2.0/24 as 65002 path 7 65002")[4:],
        [
            (1019, "path of 2: upstream unknown, downstream valid in table at"),
            (1019, "\tAS65002 to AS7: no ASPA"),
            (1019, "\tAS7 to AS65002: no ASPA"),
            (0, ""),
        ],
        "nothing is known",
    )
    equal(
        ask("2001:db8::/32 as 65001"),
        [(9001, "Several tables have type roa6: choose a table by `table NAME`")],
        "which table?",
    )
    equal(ask("2001:db8:1::/48 as 65001 table q6")[0][1], "2001:db8:1::/48 AS65001: valid in table q6", "IPv6")
    equal(ask("192.0.2.0/24 as 65001 table q6"), [(9001, "Table q6 isn't of type roa4")], "the other family")


def ordinary():
    """A ROA table is a table: one net of it, limits, refused routes that are kept, filters that ask it."""
    conf = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
roa4 table q4;
roa6 table q6;
roa6 table z6;
aspa table at;
attribute int mark;
protocol static providers { aspa { table at; };
  route aspa 65001 providers 65010; route aspa 65010 transit; route aspa 65020 providers 65010; }
protocol static roas { roa4 { table q4; import keep filtered; import filter {
    if net.asn = 65009 then { mark = 5; reject; } accept; }; %s };
  route 192.0.2.0/24 max 25 as 65001; route 192.0.2.0/24 max 25 as 65002; route 192.0.2.0/24 max 24 as 65001;
  route 198.51.100.0/24 max 24 as 65009; }
protocol static more { roa4 { table q4; preference 50; }; route 192.0.2.0/24 max 25 as 65001; }
protocol static six { roa6 { table q6; }; route 2001:db8::/32 max 48 as 65001; }
"""
    d = Daemon(conf % "").start()
    show = lambda what: [re.sub(r"\d\d:\d\d:\d\d\.\d\d\d", "TIME", x).strip() for _, x in d.run("show route " + what)]
    wait_until(lambda: "4 of 4 routes" in d.text("show route table q4 count"), "four routes")
    wait_until(lambda: "1 of 1 routes" in d.text("show route table q6 count"), "a route")
    wait_until(lambda: re.search(r"ROAs:\s+3\n", d.text("show table q4")), "its three ROAs in the index")
    equal(
        show("192.0.2.0/24 max 25 as 65001 table q4"),
        ["Table q4:", "192.0.2.0/24-25 AS65001  [roas TIME] * (200)", "[more TIME] (50)", ""],
        "one ROA",
    )
    equal(
        show("192.0.2.0/24 max 25 as 65002"),
        ["Table q4:", "192.0.2.0/24-25 AS65002  [roas TIME] * (200)", ""],
        "one ROA, of no table",
    )
    equal(
        show("2001:db8::/32 max 48 as 65001"), ["Table q6:", "2001:db8::/32-48 AS65001  [six TIME] * (200)", ""], "IPv6"
    )
    equal(d.code("show route 192.0.2.0/24 max 26 as 65001 table q4"), 8001, "no such ROA")
    for bad in (
        "192.0.2.0/24 max 23 as 1",
        "192.0.2.0/24 max 33 as 1",
        "192.0.2.0/24 max 25",
        "192.0.2.0/24 max 25 as x",
        "192.0.2.0/24 max 25 as 1 table q6",
        "192.0.2.0/24 table q4",
        "aspa 1 table q4",
    ):
        equal(d.code("show route " + bad), 9001, bad)
    equal(show("table q4 filtered"), ["Table q4:", "198.51.100.0/24-24 AS65009  [roas TIME] * (200)", ""], "filtered")
    check("\tmark: 5" in d.text("show route table q4 filtered all"), "what the filter wrote")
    equal(d.text("eval roa_check(q4, 198.51.100.0/24, 65009)"), "ROA_UNKNOWN", "what was refused isn't asked")
    equal(d.text("eval roa_check(q4, 192.0.2.0/25, 65001)"), "ROA_VALID", "what was accepted is")
    check(
        "2 of 4 routes for 3 networks" in d.text("show route table q4 count where net.asn = 65001 && net.maxlen = 25"),
        "where",
    )
    why(d)
    d.write(conf % "import limit 2 action block;")
    check(d.code("configure") in (3, 4), "configure")
    equal(d.code("restart roas"), 0, "restart")
    wait_until(
        lambda: re.search(r"Routes: +2 imported, 2 filtered", d.text("show protocols all roas")), "the limit blocks"
    )
    d.write(conf % "import limit 2 action disable;")
    check(d.code("configure") in (3, 4), "configure")
    d.code("restart roas")
    wait_until(lambda: re.search(r"\nroas .* down ", "\n" + d.text("show protocols")), "the limit disables")
    wait_roa(d, "q4, 192.0.2.0/24, 65002", "ROA_INVALID", "its ROAs go")
    equal(d.text("eval roa_check(q4, 192.0.2.0/24, 65001)"), "ROA_VALID", "the other's stay")
    d.stop()


case("the same file, the same routes as bird", as_bird)
case("a ROA table is a table", ordinary)
case("changed ROAs, a thread for each worker", change, 0)
case("changed ROAs, two threads", change, 2)
case("a ROA of one member", owners)
case("a ROA of one member behind a pipe, its filter", owners_behind_pipes, "m")
case("a ROA of one member behind a pipe, the pipe's filter", owners_behind_pipes, "p")
case("changed ROAs and an export filter", export)
case("static routes by differences", differences)
case("static routes by BGP", sent)
case("many ROAs", many_roas)
done()
