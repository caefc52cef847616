# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of birdwatcher as Alice-LG 6.2 reads the API, with one table and with a table for each member: each request
of doc/http.md is played, and each field has the type of the table there. A field that is absent or has another type
breaks Alice-LG's request off."""

from glass_doc import *

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
MORE = """
filtered communities [(65000, 1101, *)];
protocol bgp p6 from any { neighbor 127.0.11.6 as 65006; ipv6 { import none; export all; }; }
"""
D = Daemon(CONF.replace("PORT", str(PORT)) + MORE, "rs1").start()
P1 = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", hold=0).establish()
P2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
LARGE = attribute(0xC0, 32, struct.pack("!IIIIII", 65000, 1000, 1, 65000, 1101, 13))
EXT = attribute(0xC0, 16, struct.pack("!BBHI", 0, 2, 64500, 7))
SMALL = attribute(0xC0, 8, struct.pack("!HHHH", 65000, 100, 64500, 1))
MED = attribute(0x80, 4, struct.pack("!I", 50))
P1.update(["20.0.1.0/24"], path=[65001, 64501], extra=MED + SMALL + EXT)
P1.update(["20.0.2.0/24"], path=[65001], extra=LARGE)
P1.update(["20.0.3.0/25"])
P1.update(["20.0.4.0/24"], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 0)))
G = Glass({"rs1": D.dir + "/lg.ctl", "rs2": D.dir + "/none"})
BASE = "/birdwatcher/rs1"


API = Api("birdwatcher", "%Y-%m-%d %H:%M:%S")
# A table for each member, and a pipe from there to master4.
MULTI = """
router id 10.0.0.2;
log "RUN/bird.log" all;
threads 2;
cli "RUN/lg.ctl" { restrict; mode "0666"; };
protocol device { }
filtered communities [(65000, 1101, *)];
filter f_in { if net.len > 24 then { bgp_large_community.add((65000, 1101, 1)); reject "too long"; }
  if net.len = 23 then bgp_large_community.add((65000, 1101, 3)); accept; }
filter f_main { if bgp_large_community ~ [(65000, 1101, *)] then reject; accept; }
template bgp any { local 127.0.10.2 port PORT as 65000; strict bind on; passive; multihop; rs client; }
ipv4 table T1;
protocol bgp R1 from any { neighbor 127.0.11.1 as 65001;
  ipv4 { table T1; import keep filtered; import filter f_in; export all; }; }
protocol pipe M1 { table master4; peer table T1; import filter f_main;
  export where !((65000, 0) ~ bgp_community); }
ipv4 table T2;
protocol bgp R2 from any { neighbor 127.0.11.2 as 65002;
  ipv4 { table T2; rejects 10; import filter f_in; export all; }; }
protocol pipe M2 { table master4; peer table T2; import filter f_main; export all; }
"""
D2 = Daemon(MULTI.replace("PORT", str(PORT)), "rs3").start()
R1 = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.2", hold=0).establish()
R2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.2", hold=0).establish()
R1.update(["20.0.1.0/24", "20.0.2.0/23", "20.0.3.0/25"])
R2.update(["20.0.4.0/24"], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 0)))
R2.update(["20.0.5.0/25"], extra=attribute(0xC0, 35, struct.pack("!I", 65009)))
G = Glass({"rs1": D.dir + "/lg.ctl", "rs2": D.dir + "/none", "rs3": D2.dir + "/lg.ctl"})
BASE, BASE3 = "/birdwatcher/rs1", "/birdwatcher/rs3"
# Requests with answers that have objects, for each row of the table: of the server with one table, and of the other.
PLAY = {
    "/status": [BASE + "/status", BASE3 + "/status"],
    "/protocols": [BASE + "/protocols", BASE3 + "/protocols"],
    "/protocols/bgp": [BASE + "/protocols/bgp"],
    "/protocols/short": [BASE + "/protocols/short?uncached=true"],
    "/routes/protocol/{protocol}": [BASE + "/routes/protocol/p1"],
    "/routes/peer/{address}": [BASE + "/routes/peer/127.0.11.1", BASE3 + "/routes/peer/127.0.11.1"],
    "/routes/table/{table}/peer/{address}": [BASE3 + "/routes/table/T1/peer/127.0.11.1"],
    "/routes/filtered/{protocol}": [BASE + "/routes/filtered/p1", BASE3 + "/routes/filtered/R1"],
    "/routes/pipe/filtered?table={table}&pipe={pipe}": [BASE3 + "/routes/pipe/filtered?table=T1&pipe=M1"],
    "/routes/pipe/filtered/count?table={table}&pipe={pipe}&address={address}": [
        BASE3 + "/routes/pipe/filtered/count?table=T1&pipe=M1&address=127.0.11.1"
    ],
    "/routes/noexport/{protocol}": [BASE + "/routes/noexport/p2", BASE3 + "/routes/noexport/M1"],
    "/routes/table/{table}": [BASE + "/routes/table/master4", BASE + "/routes/table/master"],
    "/routes/table/{table}/filtered": [BASE + "/routes/table/master4/filtered"],
}


def data(request, base=BASE):
    answer = G.json(base + request)
    return answer["routes" if "/routes/" in request else "protocols"]


def routes(request, base=BASE):
    found = {}
    for r in data(request, base):
        check(r["network"] not in found, "%s: twice %s" % (request, r["network"]))
        found[r["network"]] = r
    return found


def arrived():
    have = [
        len(data("/routes/protocol/p1")),
        len(data("/routes/filtered/p1")),
        len(data("/routes/table/master4", BASE3)),
        len(data("/routes/peer/127.0.11.1", BASE3)),
        len(data("/routes/filtered/R1", BASE3)),
        len(data("/routes/filtered/R2", BASE3)),
    ]
    return have == [3, 2, 2, 2, 1, 1]


def fields():
    wait_until(arrived, lambda: G.text(BASE3 + "/protocols"))
    for pattern, targets in PLAY.items():
        for target in targets:
            answer = G.json(target)
            API.check_answer(pattern, target, answer)
            check(answer["ttl"] > answer["cached_at"], "the end of Alice-LG's cache entry")
    # the routes of the main table have attributes of other members
    R2.update(["20.0.6.0/24"], extra=attribute(0xC0, 35, struct.pack("!I", 65009)))
    wait_until(lambda: len(data("/routes/table/master4", BASE3)) == 3, "a route with OTC")
    API.check_answer("/routes/table/{table}", "", G.json(BASE3 + "/routes/table/master4"))
    API.check_all(PLAY)
    R2.withdraw(["20.0.6.0/24"])
    wait_until(lambda: len(data("/routes/table/master4", BASE3)) == 2, "a withdrawal")


def protocols():
    all_of, bgp = data("/protocols"), data("/protocols/bgp")
    check("static1" in all_of and set(bgp) == {"p1", "p2", "p3", "p6"}, str(set(bgp)))
    p1 = bgp["p1"]
    equal((p1["state"], p1["bgp_state"], p1["neighbor_as"]), ("UP", "Established", 65001), "p1")
    equal((p1["description"], p1["neighbor_address"]), ("Example <b>&'Networks", "127.0.11.1"), "p1")
    equal((p1["routes"]["imported"], p1["routes"]["filtered"]), (3, 1), "counts")
    equal(set(bgp["p6"]["channels"]), {"ipv4", "ipv6"}, "channels")
    check(all(c["routes_count"] == c["routes"] for c in bgp["p6"]["channels"].values()), "p6")
    equal(bgp["p3"]["state"], "DOWN", "p3")


def values():
    r = routes("/routes/protocol/p1")["20.0.1.0/24"]
    equal((r["gateway"], r["learnt_from"], r["from_protocol"]), ("127.0.11.1", "", "p1"), "gateway")
    bgp = r["bgp"]
    equal((bgp["as_path"], bgp["med"], bgp["local_pref"]), (["65001", "64501"], "50", "100"), "attributes")
    equal(bgp["communities"], [[65000, 100], [64500, 1]], "communities")
    equal(bgp["ext_communities"], [["rt", "64500", "7"]], "extended communities")
    large = routes("/routes/protocol/p1")["20.0.2.0/24"]["bgp"]["large_communities"]
    equal(large, [[65000, 1000, 1], [65000, 1101, 13]], "large communities")
    # refused by the filter, and marked by a community
    equal(set(routes("/routes/filtered/p1")), {"20.0.2.0/24", "20.0.3.0/25"}, "filtered")
    equal(set(routes("/routes/noexport/p2")), {"20.0.4.0/24"}, "not exported")
    equal(set(routes("/routes/table/master4/filtered")), {"20.0.2.0/24", "20.0.3.0/25"}, "filtered of the table")
    names = set(data("/protocols"))
    check(all(r["from_protocol"] in names for r in data("/routes/table/master4")), "names of sessions")
    # a next hop that is not the session's address
    P2.update(["20.0.9.0/24"], next_hop="127.0.11.77")
    wait_until(lambda: "20.0.9.0/24" in routes("/routes/table/master4"), "a route")
    r = routes("/routes/table/master4")["20.0.9.0/24"]
    equal((r["gateway"], r["learnt_from"]), ("127.0.11.77", "127.0.11.2"), "a foreign next hop")


def multi():
    """What Alice-LG does with the answers of multi_table: filtered routes are those of two requests."""
    base = BASE3
    equal(set(routes("/routes/peer/127.0.11.1", base)), {"20.0.1.0/24", "20.0.2.0/23"}, "received")
    first = routes("/routes/filtered/R1", base)
    second = routes("/routes/pipe/filtered/?table=T1&pipe=M1", base)
    equal((set(first), set(second)), ({"20.0.3.0/25"}, {"20.0.2.0/23"}), "both stages")
    equal(first["20.0.3.0/25"]["bgp"]["large_communities"], [[65000, 1101, 1]], "the reason of the import")
    equal(second["20.0.2.0/23"]["bgp"]["large_communities"], [[65000, 1101, 3]], "the reason of the pipe")
    # a refused route that the table does not keep
    kept = routes("/routes/filtered/R2", base)
    equal(kept["20.0.5.0/25"]["bgp"]["large_communities"], [[65000, 1101, 1]], "the reason alone")
    equal(set(routes("/routes/noexport/M1", base)), {"20.0.4.0/24"}, "not exported")
    equal(set(routes("/routes/table/T1/peer/127.0.11.1", base)), {"20.0.1.0/24", "20.0.2.0/23"}, "of the table")
    equal(data("/routes/table/T1/peer/127.0.11.2", base), [], "another member")
    all_of = data("/protocols", base)
    pipe = all_of["M1"]
    equal((pipe["bird_protocol"], pipe["table"], pipe["peer_table"]), ("Pipe", "master4", "T1"), "the pipe")
    equal((all_of["R1"]["table"], all_of["R1"]["routes"]["imported"]), ("T1", 2), "the member")
    # Alice-LG subtracts both numbers
    equal(all_of["R1"]["routes"]["imported"] - pipe["routes"]["imported"], len(second), "filtered by the pipe")
    count = "/routes/pipe/filtered/count?table=T1&pipe=M1&address="
    equal((data(count + "127.0.11.1", base), data(count + "127.0.11.2", base)), (1, 0), "counts")


def errors():
    """JSON without routes would be an empty list for Alice-LG: errors are no JSON."""
    for target, want in (
        (BASE + "/routes/protocol/nosuch", 404),
        (BASE + "/routes/filtered/nosuch", 404),
        (BASE + "/routes/table/nosuch", 404),
        ("/birdwatcher/rs9/status", 404),
        (BASE + "/nosuch", 404),
        (BASE + "/routes/peer/127.0.11.9", 404),
        (BASE3 + "/routes/table/T9/peer/127.0.11.1", 404),
        (BASE3 + "/routes/pipe/filtered?table=T1&pipe=M9", 404),
        (BASE3 + "/routes/pipe/filtered?table=T1", 400),
        (BASE3 + "/routes/pipe/filtered/count?table=T1&pipe=M1", 400),
        ("/birdwatcher/rs2/status", 503),
        ("/birdwatcher/rs2/protocols/bgp", 503),
        ("/birdwatcher/rs2/routes/protocol/p1", 503),
    ):
        status, headers, body = G.get(target)
        equal((status, headers["Content-Type"]), (want, "text/plain; charset=utf-8"), target)
        check(body.strip() and not body.startswith(("{", "[", '"')), body)
    equal(G.get(BASE + "/status?uncached=true")[0], 200, "a parameter of birdwatcher")


def down():
    """A session that is down has no routes; Alice-LG shows a table without rows."""
    for name in ("p3", "p6"):
        target = BASE + "/routes/noexport/" + name
        status, _, body = G.get(target)
        equal((status, json.loads(body)["routes"] if status == 200 else body), (200, []), target)


def away():
    G.text(BASE + "/protocols")
    D.kill()
    wait_until(lambda: G.get(BASE + "/protocols/bgp")[0] == 503, "the daemon is away")


case("each field", fields)
case("protocols", protocols)
case("values", values)
case("a table for each member", multi)
case("errors", errors)
case("a session that is down", down)
case("a daemon that is away", away)
done()
