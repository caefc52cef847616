# SPDX-License-Identifier: GPL-3.0-or-later
"""ternhttp beside two daemons, one with `threads 2` and one with a thread for each worker, whose members have IPv6
sessions, both families, tables of their own, add-path and `secondary`: each address of the API, each page, and the
APIs of birdwatcher and Bird's Eye answer alike for both families; lists in pages have the routes of both servers; also
while `configure` runs, and after a restart with -R."""

import threading
import urllib.parse

from glass import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")
in_namespace()

with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
BOTH = b"\x01\x04\0\2\0\1"  # besides IPv4
MORE_PATHS = b"\x45\x08\0\1\1\1\0\2\1\1"  # ADD-PATH of both families, to receive
SIX_HOPS = b"\x05\x06\0\1\0\1\0\2"  # IPv6 next hops of IPv4 routes (RFC 8950)
SERVERS = ("rs1", "rs2")
CONF = """
router id 10.0.0.ID;
log "RUN/bird.log" all;
THREADS
cli "RUN/lg.ctl" { restrict; mode "0666"; };
protocol device { }
ipv4 table master4 sorted; ipv6 table master6 sorted;
roa4 table r4; roa6 table r6;
protocol static { roa4 { table r4; }; route 20.0.0.0/16 max 24 as 65001; }
protocol static { roa6 { table r6; }; route 2001:db8::/32 max 48 as 65001; }
filter f_in {
  if (net.type = NET_IP4 && net.len > 24) || (net.type = NET_IP6 && net.len > 48) then reject "prefix too long";
  if (65000,3) ~ bgp_community then bgp_large_community.add((65000,1101,9));
  accept; }
filtered communities [(65000,1101,*)];
filter f_out { if (65000,0) ~ bgp_community then reject "marked"; accept; }
template bgp any { strict bind on; passive; direct; rs client; hold time 240; }
template bgp two from any { ipv4 { import keep filtered; import filter f_in; export filter f_out; };
  ipv6 { import keep filtered; import filter f_in; export filter f_out; }; }
protocol bgp b1 from two { local 10.0.1.10ID port 179 as 65000; neighbor 10.0.1.1 as 65001; }
protocol bgp v2 from two { local fd00::ID port 179 as 65000; neighbor fd00::1:2 as 65002;
  ipv4 { extended next hop; }; }
protocol bgp add3 from any { local fd00::ID port 179 as 65000; neighbor fd00::1:3 as 65003;
  ipv4 { add paths tx; import none; export all; }; ipv6 { add paths tx; import none; export all; }; }
protocol bgp sec4 from any { local fd00::ID port 179 as 65000; neighbor fd00::1:4 as 65004;
  ipv4 { secondary; import none; export filter f_out; }; ipv6 { secondary; import none; export filter f_out; }; }
ipv4 table t5_4; ipv6 table t5_6;
protocol bgp own5 from any { local fd00::ID port 179 as 65000; neighbor fd00::1:5 as 65005;
  ipv4 { table t5_4; import keep filtered; import filter f_in; export all; };
  ipv6 { table t5_6; import keep filtered; import filter f_in; export all; }; }
protocol pipe pp5_4 { table master4; peer table t5_4; import all; export filter f_out; }
protocol pipe pp5_6 { table master6; peer table t5_6; import all; export filter f_out; }
"""


class Member(Peer):
    """A member with both families; over IPv6, unless @n is 1."""

    def __init__(self, server, n):
        self.n, self.id = n, server
        super().__init__(179, "10.0.1.%d" % n, 65000 + n, hold=0, caps=BOTH + {2: SIX_HOPS, 3: MORE_PATHS}.get(n, b""))

    def endpoints(self):
        if self.n == 1:
            return socket.AF_INET, (self.address, 0), ("10.0.1.10%d" % self.id, 179)
        return socket.AF_INET6, ("fd00::1:%d" % self.n, 0), ("fd00::%d" % self.id, 179)

    def announce_six_hop(self, net):
        """The IPv4 network @net with an IPv6 next hop (RFC 8950)."""
        address, length = net.split("/")
        nlri = bytes([int(length)]) + socket.inet_aton(address)[: (int(length) + 7) // 8]
        hop = socket.inet_pton(socket.AF_INET6, "fd00::2:%d" % self.n)
        attrs = attribute(0x40, 1, b"\0") + attribute(0x40, 2, b"\2\1" + struct.pack("!I", self.as_number))
        attrs += attribute(0x80, 14, b"\0\1\1\x10" + hop + b"\0" + nlri)
        self.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs))

    def announce(self, four, six, path=None, tag=None):
        """The networks @four of IPv4 and @six of IPv6."""
        comms = attribute(0xC0, 8, struct.pack("!HH", 65000, tag)) if tag is not None else b""
        path = path or [self.as_number]
        # a router beside the member: an own address of the host is no next hop
        self.update(four, path=path, extra=comms, next_hop="10.0.1.20%d" % self.n)
        hop = socket.inet_pton(socket.AF_INET6, "fd00::2:%d" % self.n)
        nets = b"".join(
            bytes([int(p.split("/")[1])])
            + socket.inet_pton(socket.AF_INET6, p.split("/")[0])[: (int(p.split("/")[1]) + 7) // 8]
            for p in six
        )
        attrs = attribute(0x40, 1, b"\0")
        attrs += attribute(0x40, 2, bytes([2, len(path)]) + b"".join(struct.pack("!I", a) for a in path)) + comms
        attrs += attribute(0x80, 14, b"\0\2\1\x10" + hop + b"\0" + nets)
        self.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs))


def pair(k):
    """The network @k of both families."""
    return "20.0.%d.0/24" % k, "2001:db8:%x::/48" % k


subprocess.run(["ip", "link", "add", "a0", "type", "veth", "peer", "name", "a1"], check=True)
for link in "lo", "a0", "a1":
    subprocess.run(["ip", "link", "set", link, "up"], check=True)
for n in range(1, 6):
    subprocess.run(["ip", "addr", "add", "fd00::1:%d/64" % n, "dev", "a0", "nodad"], check=True)
    subprocess.run(["ip", "addr", "add", "10.0.1.%d/24" % n, "dev", "a0"], check=True)
for n in (1, 2):
    subprocess.run(["ip", "addr", "add", "10.0.1.10%d/24" % n, "dev", "a0"], check=True)
    subprocess.run(["ip", "addr", "add", "fd00::%d/64" % n, "dev", "a0", "nodad"], check=True)
D = [
    Daemon(CONF.replace("ID", str(n)).replace("THREADS", "threads 2;" if n == 1 else ""), "rs%d" % n).start()
    for n in (1, 2)
]
P = {}
G = Glass({"rs%d" % n: D[n - 1].dir + "/lg.ctl" for n in (1, 2)}, "-n", "0")


def join():
    for server in (1, 2):
        for n in range(1, 6):
            P[server, n] = Member(server, n).establish()
        one, two, five = (P[server, n] for n in (1, 2, 5))
        one.announce(*([pair(k)[i] for k in range(1, 8)] for i in (0, 1)))
        two.announce(*([pair(k)[i] for k in (1, 2)] for i in (0, 1)), path=[65002, 65009])
        one.announce(["20.0.8.0/24"], ["2001:db8:8::/48"], tag=0)
        one.announce(["20.0.9.128/25"], ["2001:db8:9:1::/64"])
        one.announce(["20.0.10.0/24"], ["2001:db8:a::/48"], tag=3)
        five.announce(["20.0.20.0/24"], ["2001:db8:20::/48"])
        five.announce(["20.0.21.128/25"], ["2001:db8:21:1::/64"])


def objects(target, kind):
    """{server: objects}; each object is as json.schema.json says, and each server answers."""
    found = {}
    for s in G.json(target)["servers"]:
        for o in s["objects"]:
            plain = {k: v for k, v in o.items() if k not in ("words", "remedy")}
            check(not SCHEMA.errors(plain), "%s: %s" % (target, SCHEMA.errors(plain)))
        equal(s["reply"]["state"], "up", target)
        check("code" in s["reply"], "%s: %s" % (target, s["reply"]))
        found[s["server"]] = [o for o in s["objects"] if o["type"] == kind]
    equal(tuple(found), SERVERS, target)
    return found


def nets(target, kind="route"):
    """The networks in the list; waits until both servers, which learn routes one after the other, have one list."""

    def equal_lists():
        found = objects(target, kind)
        both = [sorted(o["network"] for o in found[s]) for s in SERVERS]
        return both[0] == both[1] and both

    return wait_until(equal_lists, lambda: "%s: %s" % (target, objects(target, kind)))[0]


def as_pairs(*ks):
    return sorted(n for k in ks for n in pair(k))


def families(found):
    """How many networks of each family."""
    return sum(":" not in n for n in found), sum(":" in n for n in found)


LONG = ["20.0.9.128/25", "2001:db8:9:1::/64"]
MARKED = ["20.0.10.0/24", "2001:db8:a::/48"]


def members():
    """The lists of a member have both families, on both servers."""
    want = {
        (65001, "accepted"): as_pairs(*range(1, 9)) + MARKED,
        (65001, "filtered"): LONG + MARKED,
        (65001, "received"): as_pairs(*range(1, 9)) + LONG + MARKED * 2,
        (65002, "accepted"): as_pairs(1, 2),
        (65002, "notexported"): as_pairs(8),
        (65003, "notexported"): [],
        (65004, "notexported"): as_pairs(8),
        (65005, "filtered"): ["20.0.21.128/25", "2001:db8:21:1::/64"],
    }
    for (asn, kind), found in want.items():
        target = "/v1/members/%d/routes/%s" % (asn, kind)
        wait_until(lambda t=target, f=found: nets(t) == sorted(f), lambda t=target: "%s: %s" % (t, nets(t)))
    for asn in range(65002, 65006):
        target = "/v1/members/%d/routes/exported" % asn
        wait_until(lambda t=target: set(as_pairs(3, 4, 5, 6, 7)) <= set(nets(t)), target)
        equal(*families(nets(target)), "%s: %s" % (target, nets(target)))
    for o in objects("/v1/members/65002", "member")["rs1"]:
        equal([o[f]["accepted"] for f in ("ipv4", "ipv6")], [2, 2], "counts")
    tables = {o["name"] for o in objects("/v1/tables", "table")["rs2"]}
    equal(tables, {"master4", "master6", "r4", "r6", "t5_4", "t5_6"}, "tables")


def networks():
    """Questions about a network have the same answer for the network of each family."""
    for i in (0, 1):
        n1, n3, n8 = pair(1)[i], pair(3)[i], pair(8)[i]
        host = n3.split("/")[0].replace("::", "::7") if i else "20.0.3.7"
        equal({o["protocol"] for o in objects("/v1/routes?prefix=" + n1, "route")["rs1"]}, {"b1", "v2"}, n1)
        for ask in "longest=" + host, "prefix=" + host:
            equal(set(nets("/v1/routes?" + ask)), {n3}, ask)
        equal({n for n in nets("/v1/routes?as=65009") if (":" in n) == bool(i)}, {n1, pair(2)[i]}, "by AS")
        equal({n for n in nets("/v1/routes?community=65000:0") if (":" in n) == bool(i)}, {n8}, "by community")
        who = objects("/v1/prefix/%s/who-gets-it" % n8, "why_to")
        for s in SERVERS:
            told = {o["to"]: (o["goes"], o.get("reason")) for o in who[s]}
            equal(told["v2"], (False, "export_filter"), n8)
            equal(told["add3"], (True, None), n8)
            equal(told["own5"], (False, "pipe"), n8)
            check("(the route has 65000:0)" in who[s][-1]["remedy"], who[s][-1])
        why = objects("/v1/why?prefix=%s&from=b1" % LONG[i], "why")["rs2"]
        equal([(o["reason"], o["said"]) for o in why], [("import_filter", "prefix too long")], LONG[i])
        for s, found in objects("/v1/communities?value=65000:0&prefix=%s" % n3, "why_to").items():
            told = {o["to"]: o["goes"] for o in found}
            check(not told["v2"] and told["add3"] and not told["own5"], "%s: %s" % (s, told))
    told = [(o["to"], o["channel"], o.get("goes")) for o in objects("/v1/communities?value=65000:0", "why_with")["rs1"]]
    for channel in "ipv4", "ipv6":
        check(("v2", channel, False) in told and ("add3", channel, True) in told, told)


def six_hops():
    """An IPv4 route with an IPv6 next hop: the list of routes not sent, `why`, who-gets-it and the page give the reason
    to each member without RFC 8950, also with add-path, `secondary` and a table of its own."""
    net = "20.0.30.0/24"
    for s in (1, 2):
        P[s, 2].announce_six_hop(net)
    for asn, name in (65001, "b1"), (65003, "add3"), (65004, "sec4"), (65005, "own5"):
        target = "/v1/members/%d/routes/notexported" % asn
        wait_until(lambda t=target: net in nets(t), lambda t=target: "%s: %s" % (t, nets(t)))
        for s, found in objects(target, "route").items():
            told = [(o["protocol"], o["reason"]) for o in found if o["network"] == net]
            equal(told, [("v2", "no_extended_next_hop")], "%s %s" % (s, target))
        for ask in "/v1/why?prefix=%s&to=%s" % (net, name), "/v1/prefix/%s/who-gets-it" % net:
            for s, found in objects(ask, "why_to").items():
                told = [(o["goes"], o["reason"], "RFC 8950" in o["remedy"]) for o in found if o["to"] == name]
                equal(told, [(False, "no_extended_next_hop", True)], "%s %s" % (s, ask))
        check("the receiver lacks RFC 8950" in G.text("/member/%d/notexported" % asn), "the page of %d" % asn)
    for s in (1, 2):
        P[s, 2].withdraw([net])
    for kind, asn in ("received", 65002), ("notexported", 65001):
        wait_until(lambda t="/v1/members/%d/routes/%s" % (asn, kind): net not in nets(t), "the route is gone")


def pages_of(target, limit):
    """{server: the networks of all pages}, and the number of pages."""
    found, cursor, cnt, before = {s: [] for s in SERVERS}, "", 0, set(SERVERS)
    while True:
        a = G.json("%slimit=%d%s" % (target, limit, "&cursor=" + urllib.parse.quote(cursor) if cursor else ""))
        names = [s["server"] for s in a["servers"]]
        equal(set(names), before, "%s: the servers of page %d" % (target, cnt))
        before = set()
        for s in a["servers"]:
            routes = [o["network"] for o in s["objects"] if o["type"].endswith("route")]
            equal(s["reply"]["code"], 0, "%s: %s" % (target, s["reply"]))
            # a page ends behind the last route of a network
            check(len(set(routes[limit - 1 :])) <= 1, "%s: %s" % (target, routes))
            if s["reply"].get("message") == "more routes follow":
                before.add(s["server"])
            found[s["server"]] += routes
        cnt += 1
        equal("next" in a, bool(before), target)
        if "next" not in a:
            return found, cnt
        cursor = a["next"]


def in_pages():
    """Each list in pages has the routes of both servers in each page, and each route once, whatever the limit."""
    lists = ["/v1/members/%d/routes/%s?" % (65001 + (k > 2), kind) for k, kind in enumerate(KINDS)]
    lists += ["/v1/routes?as=65001&", "/v1/routes?community=65000:0&", "/v1/routes?prefix=%s&" % pair(1)[1]]
    for target in lists:
        whole = {s["server"]: s["objects"] for s in G.json(target.rstrip("?&"))["servers"]}
        whole = {s: [o["network"] for o in whole[s] if o["type"].endswith("route")] for s in SERVERS}
        for limit in 1, 2, 3, 7, 100:
            found, cnt = pages_of(target, limit)
            equal(found, whole, "%s, %d" % (target, limit))
            check(limit == 100 or cnt > 1 or max(map(len, whole.values())) <= limit + 1, "%s: %d pages" % (target, cnt))
    # the servers have lists of different lengths
    P[2, 1].announce([], ["2001:db8:f%x::/48" % k for k in range(9)])
    wait_until(lambda: len(G.json("/v1/routes?as=65001")["servers"][1]["objects"]) > 29, "more routes")
    found, cnt = pages_of("/v1/routes?as=65001&", 4)
    equal(len(found["rs2"]), len(found["rs1"]) + 9, "more routes of one server")
    for wrong in "0,,0,0,,0;0,,0,0,,0", "0,,0,0,,0;7,,0,0,,0", ";", "0,b1,0,0,,0;1,nosuch,0,0,,0;":
        G.problem("/v1/members/65001/routes/accepted?limit=2&cursor=" + urllib.parse.quote(wrong), 400)
    # a session that one server lacks does not hide the routes of the other server
    a = G.json("/v1/members/65001/routes/accepted?limit=2&cursor=" + urllib.parse.quote("0,b1,0,0,,0;1,nosuch,0,0,,0"))
    equal([len(s["objects"]) > 1 for s in a["servers"]], [True, False], a)
    check(a["servers"][1]["reply"]["code"] >= 8000 and "session" in a["servers"][1]["reply"]["message"], a)


KINDS = ("received", "accepted", "filtered", "exported", "notexported")


def looks():
    """The pages show both families of both servers."""
    home = G.text("/")
    check(all(">%d</a>" % (65000 + n) in home for n in range(1, 6)), home)
    for kind in KINDS:
        asn = 65002 if kind in ("exported", "notexported") else 65001
        page, want = G.text("/member/%d/%s" % (asn, kind)), nets("/v1/members/%d/routes/%s" % (asn, kind))
        for n in want:
            equal(page.count("/prefix/%s" % n) >= 2, True, "%s of %d: %s" % (kind, asn, n))
    for i in (0, 1):
        for what in pair(1)[i], pair(1)[i].replace("/", "%2F"), pair(1)[i].split("/")[0].replace("::", "::7"):
            page = G.text("/prefix/" + what)
            check(page.count("2 paths of <code>%s</code>" % pair(1)[i]) == 2, "%s: %s" % (what, page))
            check("ROA valid" in page and "ROA invalid" in page, page)
        page = G.text("/prefix/%s?to=v2" % pair(8)[i])
        check(page.count("To do:") >= 2 and "65000:0" in page, page)
        check("prefix too long" in G.text("/prefix/" + LONG[i]), LONG[i])
        for text in pair(3)[i], pair(3)[i].split("/")[0]:
            status, headers, _ = G.get("/search?q=" + urllib.parse.quote(text))
            equal((status, urllib.parse.unquote(headers["Location"])), (303, "/prefix/" + text), text)
        check("/prefix/" + pair(8)[i] in G.text("/community/65000:0"), "community")
    check("r4" in G.text("/rpki") and "r6" in G.text("/rpki"), "tables of ROAs")
    changes = G.text("/changes?since=1h")
    check("AS65001" in changes and "AS65005" in changes, changes)


def clients():
    """birdwatcher and Bird's Eye have both families."""
    for s in SERVERS:
        bw, be = "/birdwatcher/" + s, "/birdseye/%s/api" % s

        def listed(target):
            return sorted(r["network"] for r in json.loads(G.text(target))["routes"])

        equal(families(listed(bw + "/routes/protocol/v2")), (2, 2), "received")
        equal(listed(bw + "/routes/filtered/b1"), sorted(LONG + MARKED), "filtered")
        equal(listed(bw + "/routes/noexport/v2"), as_pairs(8), "noexport")
        equal(listed(bw + "/routes/peer/fd00::1:2"), as_pairs(1, 2), "an IPv6 address")
        for i, table in enumerate(("master4", "master6")):
            whole = listed("%s/routes/table/%s" % (bw, table))
            equal(families(whole)[1 - i], 0, table)
            check(set(pair(k)[i] for k in range(1, 9)) <= set(whole), whole)
            own = listed("%s/routes/table/t5_%d/peer/fd00::1:5" % (bw, 4 + 2 * i))
            equal(own, [["20.0.20.0/24"], ["2001:db8:20::/48"]][i], "a table of its own")
            net = urllib.parse.quote(pair(1)[i], safe="")
            for more in "/table/" + table, "/protocol/b1":
                equal(set(listed("%s/route/%s%s" % (be, net, more))), {pair(1)[i]}, more)
            equal(listed("%s/route/%s/export/sec4" % (be, urllib.parse.quote(pair(3)[i], safe=""))), [pair(3)[i]], "")
            check(pair(3)[i] in listed("%s/routes/table/%s" % (be, table)), table)
        p = json.loads(G.text(bw + "/protocols/bgp"))["protocols"]["v2"]
        equal((p["neighbor_address"], p["routes"]["imported"]), ("fd00::1:2", 4), "birdwatcher's protocol")
        equal({f: c["routes"]["imported"] for f, c in p["channels"].items()}, {"ipv4": 2, "ipv6": 2}, "channels")
        p = json.loads(G.text(be + "/protocol/v2"))["protocol"]
        equal((p["neighbor_address"], p["routes"]["imported"]), ("fd00::1:2", 4), "Bird's Eye's protocol")
        equal(listed(be + "/routes/lc-zwild/protocol/b1/65000/1101"), sorted(MARKED), "marked routes")
        equal([listed(be + "/routes/export/add3").count(n) for n in pair(1)], [2, 2], "add-path")
        check(families(listed(be + "/routes/protocol/own5")) == (1, 1), "a table of its own")
    m = G.text("/metrics")
    for s in SERVERS:
        for family in "4", "6":
            line = [
                x
                for x in m.splitlines()
                if x.startswith("bird_protocol_prefix_import_count{")
                and 'name="v2"' in x
                and 'ip_version="%s"' % family in x
                and 'daemon="%s"' % s in x
            ]
            equal([x.rsplit(" ", 1)[1] for x in line], ["2"], "%s of %s" % (family, s))


def streams():
    """A stream of the routes of an IPv6 network."""
    for net in pair(3):
        c = http.client.HTTPConnection("127.0.0.1", G.port, timeout=60 * SLOW)
        c.request("GET", "/v1/events?prefix=" + net)
        r, seen = c.getresponse(), []
        while sum("event: snapshot" in x for x in seen) < 2:
            seen.append(r.readline().decode())
        c.close()
        told = [json.loads(x[6:]) for x in seen if x.startswith("data: ")]
        found = {(o["server"], o["network"]) for o in told if o["type"] == "route"}
        equal(found, {(s, net) for s in SERVERS}, "a stream")


ALL = [
    "/v1/status",
    "/v1/health",
    "/v1/protocols",
    "/v1/members",
    "/v1/members/65002",
    "/v1/tables",
    "/v1/configurations",
    "/v1/rpki",
    "/v1/aspa",
    "/v1/diff?since=1h",
    "/v1/top?by=filtered",
    "/v1/top?by=limit",
    "/v1/top?by=flaps",
    "/v1/top?by=cpu",
    "/",
    "/rpki",
    "/changes?since=1h",
    "/metrics",
    "/birdwatcher/rs1/status",
    "/birdwatcher/rs1/protocols",
    "/birdseye/rs1/api/symbols",
    "/birdseye/rs1/api/protocols/bgp",
]
ALL += ["/v1/members/65001/routes/" + kind for kind in KINDS]
ALL += [a + n for n in pair(1) for a in ("/v1/routes?prefix=", "/v1/routes?longest=", "/v1/why?prefix=", "/prefix/")]
ALL += ["/v1/prefix/%s/who-gets-it" % n for n in pair(1)]


def configured():
    """While both daemons take one configuration after the other, each address answers whole."""
    ended = threading.Event()

    def change(d):
        k = 0
        while not ended.is_set():
            k += 1
            with open(d.conf) as f:
                text = re.sub("max 24 as 65001|max 2. as 65001", "max 2%d as 65001" % (4 + k % 2), f.read())
            d.write(text)
            check(d.code("configure") in (3, 4, 18), "configure")

    threads = [threading.Thread(target=change, args=(d,)) for d in D]
    for t in threads:
        t.start()
    try:
        for _ in range(3):
            for target in ALL:
                status, _, body = G.get(target)
                equal(status, 200, "%s: %.200s" % (target, body))
                if target.startswith("/v1"):
                    for s in json.loads(body)["servers"]:
                        check(
                            s["reply"]["state"] == "up" and s["reply"]["code"] < 8100, "%s: %s" % (target, s["reply"])
                        )
    finally:
        ended.set()
        for t in threads:
            t.join()


def restarted():
    """A daemon that restarts with -R: meanwhile the answers have the state of each server, then the same routes."""
    D[1].stop()
    a = G.json("/v1/routes?prefix=" + pair(1)[1])
    equal([s["reply"]["state"] for s in a["servers"]], ["up", "away"], a)
    equal(G.get("/v1/status")[0], 200, "an old reply")
    check("rs2" in G.text("/prefix/" + pair(1)[1]), "the page says so")
    for n in range(1, 6):
        P[2, n].s.close()
        P[1, n].s.close()
    D[1].start("-R")
    wait_until(lambda: G.json("/v1/status")["servers"][1]["reply"]["state"] == "up", "rs2 returns")
    join()
    members()
    networks()


join()
case("lists of a member", members)
case("questions about a network", networks)
case("IPv6 next hops of IPv4 routes", six_hops)
case("pages", looks)
case("birdwatcher, Bird's Eye and metrics", clients)
case("streams of routes", streams)
case("lists in pages", in_pages)
case("during configure", configured)
case("a restart with -R", restarted)
equal(G.stop(), 0, "the end of ternhttp")
done()
