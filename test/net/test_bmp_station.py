# SPDX-License-Identifier: GPL-3.0-or-later
"""protocol bmp as a station: what a ternd and FRR report is in its tables, each RIB of each peer a source of its own;
routers come, go, come back, lie, and end in the middle of a message."""

import json
import random

import bmp_read
from bmp_write import bmp, init, peer_head, route, up
from harness import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")
SEED = int(os.environ.get("TERN_SEED", "1"))
PORT, BMP = free_port(), free_port()
RX = struct.pack("!BBHBB", 69, 4, 1, 1, 2)  # it sends several paths
TX = struct.pack("!BBHBB", 69, 4, 1, 1, 1)  # it takes several
LAST = "172.16.0.0/24"  # of what a member sends

ROUTER = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
filter tagged { if net ~ [ 10.66.0.0/16+ ] then reject; bgp_community.add((65000, 1)); accept; }
template bgp any { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; strict bind on; error wait time 1,1;
  graceful restart off; ipv4 { import filter tagged; export all; add paths rx; }; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; }
protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; ipv4 { import filter tagged; export all; add paths; }; }
protocol bmp b { station address ip 127.0.0.1 port %d; monitoring rib in pre_policy; monitoring rib in post_policy;
  monitoring rib out post_policy; monitoring rib local; connect retry time 1; system name "rs1"; }
""" % (
    PORT,
    BMP,
)

STATION = """router id 10.0.0.2;
log "RUN/bird.log" all;
protocol device {}
ipv4 table locs;
protocol bmp st { station; listen address 127.0.0.1 port %d; keep time %d; %s ipv4 { %s }; ipv6 { import all; }; }
protocol pipe p { table master4; peer table locs; import none; export where proto ~ "*/loc"; }
"""


def as_json(st, d):
    """Both sides of BMP as JSON: as the schema says, and as the text has it."""
    with open(os.path.join(SRC, "doc/json.schema.json")) as f:
        schema = Schema(json.load(f))

    def of(daemon, name):
        found = [json.loads(t) for code, t in daemon.run("json show protocols all " + name) if code == 1100]
        wrong = [w for o in found for w in schema.errors(o)]
        check(not wrong, "JSON: %s" % wrong[:3])
        return found[0]["bmp"]

    routers = of(st, "st")["routers"]
    equal(
        [(r["name"], r["address"], r["up"], r["peers"], r["not_taken"]) for r in routers],
        [("rs1", "127.0.0.1", True, 4, 0)],
        "routers",
    )
    check(routers[0]["received_messages"] > 10, str(routers))
    stations = of(d, "b")["stations"]
    equal(
        [(s["address"], s["port"], s["up"], s["resyncs"]) for s in stations], [("127.0.0.1", BMP, True, 0)], "stations"
    )
    check(
        stations[0]["sent_messages"] > 10 and stations[0]["sent_octets"] > 1000 and stations[0]["connects"] >= 1,
        str(stations),
    )
    unmet = {m for m in schema.members() - schema.seen if m.startswith("protocol.bmp")}
    check(not unmet, "no object has %s" % unmet)


def station(keep=60, options="", policy="import all;"):
    return STATION % (BMP, keep, options, policy)


def listening(options=""):
    """A station that keeps nothing of routers that are gone, when it takes them."""
    st = Daemon(station(0, options), name="station").start()
    wait_until(lambda: "0 routers" in st.text("show protocols st"), lambda: st.text("show protocols st"))
    return st


def rows(d, what):
    """[(net, proto, from, attributes)] of `show route ... all`."""
    out, net = [], None
    for line in d.text("show route %s all" % what).splitlines():
        m = re.match(r"(\S+/\d+)?\s+(?:unicast|blackhole|unreachable) \[(\S+) [^\]]*?(?:from (\S+?))?\]", line)
        if m:
            net = m.group(1) or net
            out.append((net, m.group(2), m.group(3), []))
        elif out and re.match(r"\s+BGP\.(as_path|next_hop|community|med|origin)", line):
            out[-1][3].append(line.strip())
    return sorted((n, p, f, tuple(sorted(a))) for n, p, f, a in out)


def routes(d, what):
    return sorted((n, a) for n, _, _, a in rows(d, what))


def fill(h, cnt=300):
    n = h.as_number - 65000
    h.update(["10.%d.%d.%d/28" % (n, i // 16, i % 16 * 16) for i in range(cnt)])
    h.update(["10.66.%d.0/24" % n, LAST], path=[h.as_number, 64999])


def wait_at_router(d, n, net, paths):
    """Until the router has so many paths of a net from a member: only then is it of use to compare."""

    def cnt(what):
        return sum(1 for got, _, _, _ in rows(d, what) if got == net)

    wait_until(
        lambda: cnt("import table m%d.ipv4" % n) == cnt("protocol m%d" % n) == paths,
        lambda: "%s of m%d at the router: %s" % (net, n, d.text("show route import table m%d.ipv4" % n)[-500:]),
    )


def pairs(members):
    """(of the station, of the router): what is to be the same."""
    for n in members:
        at = "rs1/127.0.11.%d/" % n
        yield 'where proto = "%sin-pre"' % at, "import table m%d.ipv4" % n
        yield 'where proto = "%sin-post"' % at, "protocol m%d" % n
        yield 'where proto = "%sout-post"' % at, "export table m%d.ipv4" % n
    yield 'where proto = "rs1/master4/loc"', "table master4 primary"


def bare(rs):
    """Without what a session adds on the way out."""
    return [(n, tuple(x for x in a if "as_path" in x or "community" in x)) for n, a in rs]


def differs(st, d, members):
    for ours, theirs in pairs(members):
        got, want = bare(routes(st, ours)), bare(routes(d, theirs))
        if sorted(got) != sorted(want):
            return "%s: %d, %s: %d; too many %s, missing %s" % (
                ours,
                len(got),
                theirs,
                len(want),
                [r for r in got if r not in want][:2],
                [r for r in want if r not in got][:2],
            )
    return None


def wait_same(st, d, members, what, limit_s=20):
    wait_until(
        lambda: not differs(st, d, members),
        lambda: "%s: %s\n%s" % (what, differs(st, d, members), st.text("show protocols all st")),
        limit_s,
        0.2,
    )


def tern_to_tern():
    st = Daemon(station(), name="station").start()
    d = Daemon(ROUTER).start()
    m = {1: member(PORT, 1), 2: member(PORT, 2, caps=RX), 3: member(PORT, 3, caps=TX)}
    fill(m[1])
    m[2].update([(1, "10.2.0.0/16"), (2, "10.2.0.0/16"), (7, LAST), (8, "10.66.9.0/24")])
    m[2].update([(2, "10.2.0.0/16")], path=[65002, 65009])
    fill(m[3])
    wait_at_router(d, 1, LAST, 1)
    wait_at_router(d, 2, "10.2.0.0/16", 2)
    wait_at_router(d, 3, LAST, 1)
    wait_same(st, d, [1, 2, 3], "after the feed")
    wait_until(lambda: "1 router, 4 peers" in st.text("show protocols st"), lambda: st.text("show protocols st"))
    text = st.text("show protocols all st")
    check(re.search(r"Router: +rs1\n +Address: +127.0.0.1\n +State: +Up\n +Peers: +4\n", text), text)
    as_json(st, d)
    total = len(rows(st, ""))
    check(re.search(r"Routes: +%d imported" % total, text), "%d: %s" % (total, text))
    equal(sorted({p for _, p, _, _ in rows(st, "table locs")}), ["rs1/master4/loc"], "what the pipe lets through")
    equal(len(rows(st, "table locs")), len(rows(d, "table master4 primary")), "how many")
    equal({f for _, p, f, _ in rows(st, "") if p.startswith("rs1/127.0.11.2/")}, {"127.0.11.2"}, "from")
    m[1].withdraw(["10.1.0.0/28", LAST])
    m[2].withdraw([(1, "10.2.0.0/16")])
    wait_at_router(d, 1, LAST, 0)
    wait_at_router(d, 2, "10.2.0.0/16", 1)
    wait_same(st, d, [1, 2, 3], "after withdrawals")
    m[2].cease()
    wait_until(lambda: not [1 for _, p, _, _ in rows(st, "") if "127.0.11.2" in p], "a session that ended")
    wait_same(st, d, [1, 3], "the others")
    m[2] = member(PORT, 2, caps=RX)
    m[2].update([(5, "10.2.0.0/16")])
    wait_at_router(d, 2, "10.2.0.0/16", 1)
    wait_same(st, d, [1, 2, 3], "it is back")
    # another filter; what was told is told anew
    st.write(station(policy='import where proto !~ "*/in-*";'))
    check(st.code("configure") in (3, 4), "configure")
    wait_until(lambda: {p.split("/")[-1] for _, p, _, _ in rows(st, "")} == {"out-post", "loc"}, "another filter", 30)
    st.write(station(policy="import keep filtered; import where net.len = 24;"))
    check(st.code("configure") in (3, 4), "configure")
    wait_until(
        lambda: rows(st, "")
        and {n[-3:] for n, _, _, _ in rows(st, "")} == {"/24"}
        and {p.split("/")[-1] for _, p, _, _ in rows(st, "filtered")} == {"in-pre", "in-post", "out-post", "loc"},
        "another one",
        30,
    )
    st.write(station(policy="import keep filtered; import all;"))
    check(st.code("configure") in (3, 4), "configure")
    wait_same(st, d, [1, 2, 3], "all again")
    st.code("disable st")
    wait_until(lambda: not rows(st, ""), "disabled")
    st.code("enable st")
    wait_same(st, d, [1, 2, 3], "enabled", 30)
    d.stop()
    st.stop()


def goes_and_is_back():
    keep = 2 + 2 * SLOW
    st = Daemon(station(keep), name="station").start()
    d = Daemon(ROUTER).start()
    m = member(PORT, 1)
    fill(m)
    wait_at_router(d, 1, LAST, 1)
    wait_same(st, d, [1], "at first")
    d.kill()
    wait_until(
        lambda: "State:          Kept" in st.text("show protocols all st"), lambda: st.text("show protocols all st")
    )
    check(len(rows(st, "")) > 600, "kept: %d" % len(rows(st, "")))
    d = Daemon(ROUTER).start()
    m = member(PORT, 1)
    m.update(["10.1.0.0/28"])
    wait_at_router(d, 1, "10.1.0.0/28", 1)
    wait_same(st, d, [1], "it is back")
    wait_until(lambda: "1 router, 2 peers" in st.text("show protocols st"), lambda: st.text("show protocols st"))
    d.kill()
    begun = time.monotonic()
    wait_until(lambda: not rows(st, ""), "it goes")
    check(time.monotonic() - begun > keep / 2, "too early: %.1f s" % (time.monotonic() - begun))
    wait_until(lambda: "0 routers, 0 peers" in st.text("show protocols st"), lambda: st.text("show protocols st"))
    st.stop()


def connect():
    s = socket.socket()
    s.connect(("127.0.0.1", BMP))
    return s


def closed(s):
    s.settimeout(20 * SLOW)
    try:
        return s.recv(1) == b""
    except ConnectionResetError:
        return True


def bounds_and_lies():
    st = listening("max routers 3; max peers 5; allow 127.0.0.0/8;")
    a = connect()
    a.sendall(
        init(b"r 1/x")
        + b"".join(up(n) for n in range(1, 8))
        + b"".join(route(n, ["10.%d.0.0/16" % n]) for n in range(1, 8))
    )
    wait_until(lambda: len(rows(st, "")) == 5, lambda: "5 of 7 peers: %s" % rows(st, ""))
    wait_until(lambda: "5 peers report already" in st.whole_log(), "the log")
    equal(
        {p for _, p, _, _ in rows(st, "")},
        {"127.0.0.1/10.9.0.%d/in-pre" % n for n in range(1, 6)},
        "a name that is none isn't used",
    )
    b, c = connect(), connect()
    b.sendall(init(b"twin"))
    c.sendall(init(b"other"))
    wait_until(lambda: "3 routers" in st.text("show protocols st"), lambda: st.text("show protocols st"))
    check(closed(connect()), "a fourth router")
    # what can't be: another version, a message before Initiation, a length, a cut UPDATE, a peer that isn't up
    for bad in (
        b"\x02\0\0\0\6\4",
        bmp(3, b""),
        b"\3\xff\xff\xff\xff\0",
        init(b"x") + bmp(3, peer_head(1) + b"\0"),
        init(b"x") + b"\3\0\0\0\0\0",
    ):
        b.close()
        wait_until(lambda: "2 routers" in st.text("show protocols st"), lambda: st.text("show protocols st"))
        b = connect()
        b.sendall(bad)
        check(closed(b), "it isn't closed: %s" % bad.hex())
    c.sendall(route(1, ["10.0.0.0/8"]) + up(1) + route(1, ["10.0.0.0/8"])[:-3])
    wait_until(
        lambda: "the peer isn't up" in st.whole_log() or "peers" in st.text("show protocols st"), "a peer that isn't up"
    )
    a.sendall(bmp(2, peer_head(1) + b"\1") + up(2) + bmp(1, peer_head(3) + struct.pack("!I", 0)))
    wait_until(
        lambda: sorted(n for n, _, _, _ in rows(st, "")) == ["10.3.0.0/16", "10.4.0.0/16", "10.5.0.0/16"],
        lambda: "%s" % rows(st, ""),
    )
    a.sendall(bmp(5, struct.pack("!HHH", 1, 2, 0)))
    check(closed(a), "after its Termination")
    wait_until(lambda: not rows(st, ""), "it is gone, and nothing is kept")
    c.close()
    b.close()
    wait_until(lambda: "0 routers, 0 peers" in st.text("show protocols st"), lambda: st.text("show protocols st"))
    rnd = random.Random(SEED)
    note("seed %d" % SEED)
    good = (
        init(b"f")
        + up(1)
        + up(2)
        + route(1, ["10.1.0.0/16"])
        + route(2, ["10.2.0.0/16"], 0x40)
        + route(2, ["10.2.0.0/16"], 0x10)
    )
    for _ in range(200):
        data = bytearray(good)
        for _ in range(rnd.randrange(1, 5)):
            data[rnd.randrange(len(data))] = rnd.randrange(256)
        s = connect()
        s.sendall(data[: rnd.randrange(len(data))] if rnd.random() < 0.2 else data)
        s.close()
    wait_until(
        lambda: "0 routers, 0 peers" in st.text("show protocols st") and not rows(st, ""),
        lambda: st.text("show protocols st"),
        40,
    )
    st.stop()


def twins():
    """Two instances of one router report to one station: neither pushes out the other. When one ends, what the other
    tells, too, does not stay in two copies; the rest stays for `keep time`."""
    st = Daemon(station(600), name="station").start()
    wait_until(lambda: "0 routers" in st.text("show protocols st"), lambda: st.text("show protocols st"))
    two = ROUTER.replace(
        "protocol bmp b {",
        "protocol bmp a { station address ip 127.0.0.1 port %d; monitoring rib in post_policy; "
        "connect retry time 1; system name \"rs1\"; }\nprotocol bmp b {" % BMP,
    )
    d = Daemon(two).start()
    m1 = member(PORT, 1)
    m1.update(["10.1.0.0/16"])
    of = lambda: sorted(p for n, p, _, _ in rows(st, "table master4") if n == "10.1.0.0/16" and "in-" in p)
    both = lambda: sorted(x.replace("#2", "") for x in of()) == [
        "rs1/127.0.11.1/in-post",
        "rs1/127.0.11.1/in-post",
        "rs1/127.0.11.1/in-pre",
    ]
    wait_until(both, lambda: "%s" % of())
    routers = lambda: re.findall(r"Router: +(\S+)\n.*\n +State: +(\S+)", st.text("show protocols all st"))
    wait_until(
        lambda: sorted(routers()) == [("rs1", "Up"), ("rs1#2", "Up")], lambda: "%s" % routers()
    )  # shown once a second
    for name in "ab":
        shown = [json.loads(t) for code, t in d.run("json show protocols all " + name) if code == 1100]
        equal(shown[0]["bmp"]["stations"][0]["connects"], 1, "connections of " + name)
    check("connected again" not in st.whole_log(), "one pushes out the other: " + st.whole_log())
    equal(d.code("disable a"), 0, "disable")
    wait_until(
        lambda: sorted(x.replace("#2", "") for x in of()) == ["rs1/127.0.11.1/in-post", "rs1/127.0.11.1/in-pre"],
        lambda: "without a: %s" % of(),
    )
    equal(d.code("enable a"), 0, "enable")
    wait_until(both, lambda: "with a again: %s" % of())
    equal(d.code("disable b"), 0, "disable")  # nobody else tells in-pre: it is kept
    wait_until(
        lambda: sorted(x.replace("#2", "") for x in of()) == ["rs1/127.0.11.1/in-post", "rs1/127.0.11.1/in-pre"],
        lambda: "without b: %s" % of(),
    )
    d.kill()  # a router that ends in peace reports its peers down, and their routes go
    wait_until(
        lambda: [s for _, s in routers()] == ["Kept"] * len(routers()) and len(of()) == 2,
        lambda: "%s %s" % (routers(), of()),
    )
    # a router whose second connection comes before the first has ended, as after a power cut
    for order in (0, 1):
        a, b = connect(), connect()
        a.sendall(init(b"cut") + up(7) + route(7, ["10.7.0.0/16"]))
        wait_until(
            lambda: [p for n, p, _, _ in rows(st, "") if n == "10.7.0.0/16"] == ["cut/10.9.0.7/in-pre"],
            lambda: "%s" % rows(st, ""),
        )
        b.sendall(init(b"cut") + up(7))
        wait_until(lambda: ("cut#2", "Up") in routers(), lambda: "%s" % routers())
        if order:  # the second one tells its routes later
            a.close()
            wait_until(lambda: ("cut", "Kept") in routers(), lambda: "%s" % routers())
            b.sendall(route(7, ["10.7.0.0/16"]))
        else:
            b.sendall(route(7, ["10.7.0.0/16"]))
            wait_until(
                lambda: len([p for n, p, _, _ in rows(st, "") if n == "10.7.0.0/16"]) == 2, lambda: "%s" % rows(st, "")
            )
            a.close()
        wait_until(
            lambda: [p for n, p, _, _ in rows(st, "") if n == "10.7.0.0/16"] == ["cut#2/10.9.0.7/in-pre"],
            lambda: "%s" % rows(st, ""),
        )
        b.sendall(bmp(2, peer_head(7) + b"\1"))
        b.close()
        wait_until(lambda: not [n for n, _, _, _ in rows(st, "") if n == "10.7.0.0/16"], lambda: "%s" % rows(st, ""))
        equal(st.code("restart st"), 0, "restart")
        wait_until(
            lambda: not routers() and "0 routers" in st.text("show protocols st"),
            lambda: st.text("show protocols all st"),
        )
    st.stop()


def strangers():
    """What strangers send doesn't fill the log; a router that comes later has its line."""
    st = listening("max routers 4000;")
    for _ in range(300):
        s = connect()
        s.sendall(b"garbage" * 3)
        s.close()
    s = connect()
    s.sendall(init(b"good"))
    wait_until(lambda: "Router good at 127.0.0.1 is connected" in st.whole_log(), "a router's line")
    wait_until(lambda: "1 router," in st.text("show protocols st"), lambda: st.text("show protocols st"))
    equal(st.whole_log().count("the version of BMP isn't 3"), 10, "lines about strangers")
    for _ in range(300):
        s = connect()
        s.sendall(init(b"name"))
        s.close()
    wait_until(lambda: "0 routers" in st.text("show protocols st"), lambda: st.text("show protocols st"))
    check(st.whole_log().count("Router name") <= 100, "lines about routers")
    st.stop()


def under_load():
    """A router with 20 peers of 5,000 routes each (1,000 with a sanitizer) in two RIBs, and one that flaps; commands
    are answered meanwhile."""
    st = listening()
    nets = [
        ["20.%d.%d.0/24" % (i // 256, i % 256) for i in range(at, at + 500)] for at in range(0, size(5000, 1000), 500)
    ]
    cnt = 40 * 500 * len(nets)
    data = init(b"big") + b"".join(up(n) for n in range(1, 21))
    for n in range(1, 21):
        for part in nets:
            data += route(n, part) + route(n, part, 0x40)
    s = connect()
    begun = time.monotonic()
    s.sendall(data)
    worst, flaps = 0, 0

    def all_there():
        nonlocal worst, flaps
        t = time.monotonic()
        text = st.text("show route count")
        worst = max(worst, time.monotonic() - t)
        if flaps < 20:
            f = connect()
            f.sendall(init(b"flap") + up(30) + route(30, nets[0]))
            f.close()
            flaps += 1
        return text.startswith("%d of %d" % (cnt, cnt))

    wait_until(all_there, lambda: st.text("show route count"), 100, 0.02)
    note(
        "%d routes in %.2f s; %d flaps; the longest answer took %.0f ms"
        % (cnt, time.monotonic() - begun, flaps, worst * 1000)
    )
    begun = time.monotonic()
    s.sendall(b"".join(bmp(2, peer_head(n) + b"\4") for n in range(1, 11)))
    wait_until(
        lambda: st.text("show route count").startswith("%d of" % (cnt // 2)), lambda: st.text("show route count")
    )
    note("half of the peers were flushed in %.2f s" % (time.monotonic() - begun))
    begun = time.monotonic()
    s.close()
    wait_until(lambda: st.text("show route count").startswith("0 of"), lambda: st.text("show route count"))
    note("the router in %.2f s" % (time.monotonic() - begun))
    st.stop()


def frr():
    for path in ("/usr/lib/frr/bgpd", "/usr/bin/vtysh"):
        if not os.path.exists(path):
            needs("frr")
    st = Daemon(station(), name="station").start()
    reader = bmp_read.Station()  # what FRR says, read independently
    reader.strict = False  # its times are hours off, and it tells of the end of sessions that never were
    folder, port = temp_dir(), free_port()
    os.chmod(folder, 0o777)
    with open(folder + "/conf", "w") as f:
        f.write(
            """hostname edge
router bgp 65100
 bgp router-id 10.0.0.3
 no bgp ebgp-requires-policy
 no bgp network import-check
 neighbor 127.0.11.5 remote-as 65005
 neighbor 127.0.11.5 passive
 neighbor 127.0.11.5 ebgp-multihop 5
 neighbor 127.0.11.6 remote-as 65006
 neighbor 127.0.11.6 passive
 neighbor 127.0.11.6 ebgp-multihop 5
 address-family ipv4 unicast
  neighbor 127.0.11.5 soft-reconfiguration inbound
  neighbor 127.0.11.6 soft-reconfiguration inbound
  neighbor 127.0.11.6 route-map in in
 exit-address-family
 bmp targets t
  bmp connect 127.0.0.1 port %d min-retry 100 max-retry 1000
  bmp connect 127.0.0.1 port %d min-retry 100 max-retry 1000
  bmp monitor ipv4 unicast pre-policy
  bmp monitor ipv4 unicast post-policy
 exit
exit
ip prefix-list some permit 10.6.0.0/17 le 32
route-map in permit 10
 match ip address prefix-list some
 set community 65100:6
line vty
"""
            % (BMP, reader.port)
        )
    os.chmod(folder + "/conf", 0o644)
    out = open(folder + "/out", "wb")
    p = spawn(
        [
            "/usr/lib/frr/bgpd",
            "-M",
            "bmp",
            "-n",
            "-Z",
            "-S",
            "-f",
            folder + "/conf",
            "-i",
            folder + "/pid",
            "-p",
            str(port),
            "-l",
            "127.0.12.1",
            "-P",
            "0",
            "--vty_socket",
            folder,
        ],
        stdout=out,
        stderr=out,
        cwd=folder,
    )

    def members():
        got = []
        for n in (5, 6):
            h = Peer(port, "127.0.11.%d" % n, 65000 + n, server="127.0.12.1").establish()
            h.update(["10.%d.%d.0/24" % (n, i) for i in range(0, 256)], next_hop="10.8.0.%d" % n)
            h.update(["172.16.0.0/24"], path=[65000 + n, 64999], next_hop="10.8.0.%d" % n)
            got.append(h)
        return got

    def vtysh(command):
        return subprocess.run(
            ["vtysh", "--vty_socket", folder, "-d", "bgpd", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=30 * SLOW,
        ).stdout.decode()

    def told(n, kind):
        text = vtysh("show bgp ipv4 unicast neighbors 127.0.11.%d %s json" % (n, kind))
        try:
            got = json.loads(text[text.index("{") :])
        except ValueError:
            return None
        table = got.get("receivedRoutes", got.get("routes"))
        return None if table is None else sorted(table)

    def same():
        """FRR 8.4 doesn't tell before policy what its route map refuses as it comes: of that only the reader is
        asked."""
        reader.check()
        for n in (5, 6):
            for rib, kind in (("in-pre", "received-routes"), ("in-post", "routes")):
                got = sorted(net for net, _, _, _ in rows(st, 'where proto = "edge/127.0.11.%d/%s"' % (n, rib)))
                if not got or got != sorted(reader.rib("127.0.11.%d" % n, rib[3:]) or []):
                    return False
                if got != told(n, kind) and (n, rib) != (6, "in-pre"):
                    return False
        return True

    def how():
        return "%s\n%s\n%s" % (
            [
                (n, rib, len(rows(st, 'where proto = "edge/127.0.11.%d/%s"' % (n, rib))), len(told(n, kind) or []))
                for n in (5, 6)
                for rib, kind in (("in-pre", "received-routes"), ("in-post", "routes"))
            ],
            st.text("show protocols all st"),
            open(folder + "/out", errors="replace").read()[-500:],
        )

    reader.accept().run()
    m = members()
    wait_until(same, how, 40, 0.5)
    got = [a for n, _, _, a in rows(st, "where proto = \"edge/127.0.11.6/in-post\"") if n == "10.6.1.0/24"]
    check(len(got) == 1 and "BGP.community: (65100,6)" in got[0], "what a route map sets: %s" % got)
    m[0].withdraw(["10.5.%d.0/24" % i for i in range(0, 256, 2)])
    wait_until(same, how, 40, 0.5)
    m[1].s.close()
    wait_until(lambda: not [1 for _, q, _, _ in rows(st, "") if "127.0.11.6" in q], how, 40, 0.5)
    end(p)
    reader.close()
    st.stop()


case("ternd reports to ternd", tern_to_tern)
case("a router goes, and is back", goes_and_is_back)
case("bounds and lies", bounds_and_lies)
case("two instances of one router", twins)
case("what strangers send", strangers)
case("under load", under_load)
case("FRR reports", frr)
done()
