# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of Bird's Eye as IXP Manager 7.4 reads the API: each request of doc/http.md is played, and each field has the
type of the table there. An absent field makes an error page of IXP Manager; a time with decimals of seconds, too."""

import urllib.parse

from glass_doc import *

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
API = Api("Bird's Eye", "%Y-%m-%dT%H:%M:%S+00:00")
# As IXP Manager writes the configuration: refused routes are marked, and the pipe refuses marked routes.
CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
threads 2;
cli "RUN/lg.ctl" { restrict; mode "0666"; };
protocol device { }
protocol static s4 { ipv4; route 192.0.2.0/24 blackhole; }
filtered communities [(65000, 1101, *)];
filter f_in { if net.len > 24 then bgp_large_community.add((65000, 1101, 1));
  if net.len = 23 then { bgp_large_community.add((65000, 1101, 3)); reject; } accept; }
filter f_main { if bgp_large_community ~ [(65000, 1101, *)] then reject; accept; }
template bgp any { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client; }
ipv4 table t_0011_as65001;
protocol bgp pb_0011_as65001 from any { description "AS65001 - One"; neighbor 127.0.11.1 as 65001;
  ipv4 { table t_0011_as65001; import filter f_in; rejects 10; export all; import limit 2000 action restart; }; }
protocol pipe pp_0011_as65001 { table master4; peer table t_0011_as65001; import filter f_main; export all; }
ipv4 table t_0012_as65002;
protocol bgp pb_0012_as65002 from any { neighbor 127.0.11.2 as 65002;
  ipv4 { table t_0012_as65002; import filter f_in; export all; }; }
protocol pipe pp_0012_as65002 { table master4; peer table t_0012_as65002; import filter f_main; export all; }
protocol bgp pb_0013_as65003 from any { neighbor 127.0.11.3 as 65003; ipv4 { import all; export all; }; }
"""
D = Daemon(CONF.replace("PORT", str(PORT)), "rs1").start()
P1 = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", hold=240).establish()
P2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
SMALL = attribute(0xC0, 8, struct.pack("!HHHH", 65000, 100, 64500, 1))
MED = attribute(0x80, 4, struct.pack("!I", 50))
AGGREGATOR = attribute(0x40, 6, b"") + attribute(0xC0, 7, struct.pack("!I4B", 64501, 192, 0, 2, 9))
P1.update(["20.0.1.0/24"], path=[65001, 64501], extra=MED + SMALL + AGGREGATOR)
P1.update(["20.0.2.0/23", "20.0.3.0/25"])
G = Glass({"rs1": D.dir + "/lg.ctl", "rs2": D.dir + "/none"})
BASE = "/birdseye/rs1/api"
MEMBER, OTHER = "pb_0011_as65001", "pb_0012_as65002"
NET = urllib.parse.quote("20.0.1.0/24", safe="")
PLAY = {
    "/status": ["/status"],
    "/protocols/bgp": ["/protocols/bgp", "/protocols/bgp?use_cache=0"],
    "/protocol/{protocol}": ["/protocol/" + MEMBER, "/protocol/pb_0013_as65003"],
    "/symbols": ["/symbols"],
    "/symbols/tables": ["/symbols/tables"],
    "/symbols/protocols": ["/symbols/protocols"],
    "/routes/protocol/{protocol}": ["/routes/protocol/" + MEMBER],
    "/routes/table/{table}": ["/routes/table/t_0011_as65001", "/routes/table/master4", "/routes/table/master"],
    "/routes/export/{protocol}": ["/routes/export/" + OTHER],
    "/routes/count/protocol/{protocol}": ["/routes/count/protocol/" + MEMBER],
    "/routes/count/table/{table}": ["/routes/count/table/master4"],
    "/routes/count/export/{protocol}": ["/routes/count/export/" + OTHER],
    "/routes/lc-zwild/protocol/{protocol}/{x}/{y}": ["/routes/lc-zwild/protocol/%s/65000/1101" % MEMBER],
    "/route/{net}": ["/route/" + NET],
    "/route/{net}/protocol/{protocol}": ["/route/%s/protocol/%s" % (NET, MEMBER)],
    "/route/{net}/table/{table}": ["/route/%s/table/t_0011_as65001" % NET, "/route/%s/table/master" % NET],
    "/route/{net}/export/{protocol}": ["/route/%s/export/%s" % (NET, OTHER)],
}


def data(request):
    answer = G.json(BASE + request)
    (key,) = set(answer) - {"api"}
    return answer[key]


def networks(request):
    return sorted(r["network"] for r in data(request))


def arrived():
    return (
        networks("/routes/export/" + OTHER) == ["192.0.2.0/24", "20.0.1.0/24"]
        and len(networks("/routes/protocol/" + MEMBER)) == 2
        and len(networks("/routes/lc-zwild/protocol/%s/65000/1101" % MEMBER)) == 2
    )


def fields():
    wait_until(arrived, lambda: G.text(BASE + "/protocols/bgp"))
    for pattern, targets in PLAY.items():
        for target in targets:
            API.check_answer(pattern, target, G.json(BASE + target))
    API.check_all(PLAY)


def protocols():
    p = data("/protocols/bgp")
    equal(set(p), {MEMBER, OTHER, "pb_0013_as65003"}, "BGP alone")
    one = p[MEMBER]
    equal((one["state"], one["bgp_state"], one["neighbor_as"]), ("up", "Established", 65001), "state")
    equal((one["description"], one["neighbor_address"]), ("AS65001 - One", "127.0.11.1"), "description")
    equal((one["table"], one["routes"]["imported"]), ("t_0011_as65001", 2), "table")
    equal((one["import_limit"], one["route_limit_at"], one["limit_action"]), (2000, 2, "restart"), "limit")
    equal((one["hold_timer"], one["input_filter"]), (240, "f_in"), "details")
    check({"external", "route-server", "multihop"} <= set(one["bgp_session"]), str(one["bgp_session"]))
    check("refresh" in one["neighbor_capabilities"], str(one["neighbor_capabilities"]))
    equal(one["route_changes"]["import_updates"]["received"], 3, "changes")
    down = p["pb_0013_as65003"]
    check(down["state"] != "up" and down["bgp_state"] == "Passive", str(down))
    check("import_limit" not in down, str(down))
    equal(data("/protocol/" + MEMBER)["neighbor_as"], 65001, "one protocol")


def symbols():
    s = data("/symbols")
    check({MEMBER, "pp_0011_as65001", "s4"} <= set(s["protocol"]), str(s))
    check({"master4", "t_0011_as65001"} <= set(s["routing table"]) and "f_in" in s["filter"], str(s))
    equal(data("/symbols/tables"), s["routing table"], "tables")
    equal(data("/symbols/protocols"), s["protocol"], "protocols")


def routes():
    (r,) = data("/route/%s/protocol/%s" % (NET, MEMBER))
    equal((r["gateway"], r["from_protocol"], r["learnt_from"]), ("127.0.11.1", MEMBER, "127.0.11.1"), "gateway")
    bgp = r["bgp"]
    equal((bgp["as_path"], bgp["med"], bgp["local_pref"]), (["65001", "64501"], 50, "100"), "attributes")
    equal((bgp["aggregator"], bgp["communities"]), ("192.0.2.9 AS64501", [[65000, 100], [64500, 1]]), "aggregator")
    equal(networks("/routes/protocol/" + MEMBER), ["20.0.1.0/24", "20.0.3.0/25"], "of the protocol")
    equal(networks("/routes/table/master4"), ["192.0.2.0/24", "20.0.1.0/24"], "of the table")
    equal(networks("/route/20.0.1.9/table/master"), ["20.0.1.0/24"], "an address")
    (hole,) = [r for r in data("/routes/table/master4") if r["network"] == "192.0.2.0/24"]
    check(hole["gateway"] == "blackhole" and "bgp" not in hole, str(hole))
    equal(data("/routes/count/protocol/" + MEMBER), {"routes": 2}, "count")
    equal(data("/routes/count/export/" + OTHER), {"routes": 2}, "count")


def reasons():
    """A marked route of the member's table, and a route that the filter refused, with the reasons."""
    found = {r["network"]: r for r in data("/routes/lc-zwild/protocol/%s/65000/1101" % MEMBER)}
    equal(set(found), {"20.0.2.0/23", "20.0.3.0/25"}, "filtered prefixes")
    equal(found["20.0.3.0/25"]["bgp"]["large_communities"], [[65000, 1101, 1]], "marked")
    equal(found["20.0.2.0/23"]["bgp"]["large_communities"], [[65000, 1101, 3]], "refused")
    check(all(r["learnt_from"] == "127.0.11.1" for r in found.values()), str(found))
    equal(data("/routes/lc-zwild/protocol/%s/65000/1102" % MEMBER), [], "other communities")


def bound():
    many = ["21.%d.%d.0/24" % (i >> 8, i & 255) for i in range(1001)]
    for i in range(0, len(many), 200):
        P2.update(many[i : i + 200])
    wait_until(lambda: data("/routes/count/protocol/" + OTHER)["routes"] == 1001, "routes")
    for target in ("/routes/protocol/" + OTHER, "/routes/table/t_0012_as65002"):
        status, headers, body = G.get(BASE + target)
        equal((status, headers["Content-Type"]), (403, "text/plain; charset=utf-8"), body)
    P2.withdraw([many[0]])
    wait_until(lambda: data("/routes/count/protocol/" + OTHER)["routes"] == 1000, "a withdrawal")
    equal(len(data("/routes/protocol/" + OTHER)), 1000, "the whole list")


def down():
    """A session that is down has no routes."""
    for name in ("pb_0013_as65003",):
        for target, want in (
            ("/routes/protocol/", {"routes": []}),
            ("/routes/export/", {"routes": []}),
            ("/routes/count/export/", {"count": {"routes": 0}}),
        ):
            status, _, body = G.get(BASE + target + name)
            got = json.loads(body) if status == 200 else body
            equal((status, {k: got[k] for k in want} if status == 200 else got), (200, want), target + name)


def errors():
    for target, want in (
        (BASE + "/routes/protocol/nosuch", 404),
        (BASE + "/routes/table/nosuch", 404),
        (BASE + "/routes/export/nosuch", 404),
        (BASE + "/routes/count/table/nosuch", 404),
        (BASE + "/routes/lc-zwild/protocol/nosuch/65000/1101", 404),
        (BASE + "/protocol/nosuch", 404),
        (BASE + "/protocol/s4", 404),
        (BASE + "/route/x/table/master4", 400),
        (BASE + "/route/x", 400),
        (BASE + "/route/10.0.0.0%2F33/protocol/p1", 400),
        (BASE + "/route/x/export/p1", 400),
        (BASE + "/route/%s/table/nosuch" % NET, 404),
        (BASE + "/nosuch", 404),
        ("/birdseye/rs9/api/status", 404),
        ("/birdseye/rs2/api/status", 503),
        ("/birdseye/rs2/api/protocols/bgp", 503),
        ("/birdseye/rs2/api/routes/table/master4", 503),
    ):
        status, headers, body = G.get(target)
        equal((status, headers["Content-Type"]), (want, "text/plain; charset=utf-8"), target)
        check(body.strip() and not body.startswith(("{", "[")), body)
    equal(data("/route/%s/table/master4" % urllib.parse.quote("99.0.0.0/8", safe="")), [], "no route")


def away():
    G.text(BASE + "/protocols/bgp")
    D.kill()
    wait_until(lambda: G.get(BASE + "/protocols/bgp")[0] == 503, "the daemon is away")


case("each field", fields)
case("protocols", protocols)
case("symbols", symbols)
case("routes", routes)
case("reasons", reasons)
case("more routes than a list holds", bound)
case("errors", errors)
case("a session that is down", down)
case("a daemon that is away", away)
done()
