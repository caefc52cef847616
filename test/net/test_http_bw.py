# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of birdwatcher as Alice-LG 6.2 reads the API with one table: each request of FIELDS is played, and each field
has the type that Alice-LG needs. A field that is absent or has another type breaks Alice-LG's request off."""

import datetime

from glass import *

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


def when(text):
    datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S")
    return True


def rfc3339(text):
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text))


def string(v):
    return isinstance(v, str)


def number(v):
    return isinstance(v, int) and not isinstance(v, bool)


def boolean(v):
    return isinstance(v, bool)


def strings(v):
    return isinstance(v, list) and all(string(x) for x in v)


def communities(width):
    return lambda v: isinstance(v, list) and all(len(x) == width and all(number(y) for y in x) for x in v)


def counts(v):
    return set(v) == {"imported", "filtered", "exported", "preferred"} and all(number(x) for x in v.values())


ENVELOPE = {
    "api.Version": string,
    "api.result_from_cache": boolean,
    "api.cache_status.cached_at.date": rfc3339,
    "ttl": rfc3339,
}
STATUS = {
    "version": string,
    "router_id": string,
    "message": lambda v: v == "Daemon is up and running",
    "current_server": when,
    "last_reboot": when,
    "last_reconfig": when,
}
PROTOCOL = {
    "bird_protocol": string,
    "protocol": string,
    "table": string,
    "state": lambda v: v in ("UP", "DOWN"),
    "state_changed": when,
    "description": string,
    "neighbor_address": string,
    "neighbor_as": number,
    "last_error": string,
    "bgp_state": string,
    "routes": counts,
}
ROUTE = {
    "network": string,
    "gateway": string,
    "learnt_from": string,
    "interface": string,
    "from_protocol": string,
    "metric": number,
    "primary": boolean,
    "age": when,
    "type": strings,
    "bgp.origin": lambda v: v in ("IGP", "EGP", "Incomplete"),
    "bgp.as_path": strings,
    "bgp.next_hop": string,
    "bgp.local_pref": string,
}
# Fields that a route may lack.
SOMETIMES = {
    "bgp.med": string,
    "bgp.otc": string,
    "bgp.communities": communities(2),
    "bgp.large_communities": communities(3),
    "bgp.ext_communities": lambda v: all(strings(x) and len(x) == 3 for x in v),
}
# Each request: where its objects stand, and their fields.
FIELDS = {
    "/status": ("status", STATUS),
    "/protocols": ("protocols", PROTOCOL),
    "/protocols/bgp": ("protocols", PROTOCOL),
    "/routes/protocol/p1": ("routes", ROUTE),
    "/routes/filtered/p1": ("routes", ROUTE),
    "/routes/noexport/p2": ("routes", ROUTE),
    "/routes/table/master4": ("routes", ROUTE),
    "/routes/table/master": ("routes", ROUTE),
    "/routes/table/master4/filtered": ("routes", ROUTE),
}


def field(o, path):
    for part in path.split("."):
        check(part in o, "no %s in %s" % (path, o))
        o = o[part]
    return o


def data(request):
    return G.json(BASE + request)[FIELDS[request][0]]


def routes(request):
    found = {}
    for r in data(request):
        check(r["network"] not in found, "%s: twice %s" % (request, r["network"]))
        found[r["network"]] = r
    return found


def fields():
    wait_until(lambda: len(data("/routes/protocol/p1")) == 3, lambda: G.text(BASE + "/routes/protocol/p1"))
    for request, (where, want) in FIELDS.items():
        answer = G.json(BASE + request)
        for path, fits in ENVELOPE.items():
            check(fits(field(answer, path)), "%s: %s" % (request, path))
        check(answer["ttl"] > answer["api"]["cache_status"]["cached_at"]["date"], "the end of Alice-LG's cache entry")
        objects = answer[where]
        if where == "protocols":
            check(all(k == o["protocol"] for k, o in objects.items()), "keys")
        objects = [objects] if where == "status" else list(objects.values()) if where == "protocols" else objects
        check(objects, request)
        for o in objects:
            for path, fits in want.items():
                check(fits(field(o, path)), "%s: %s: %s" % (request, path, o))
            for path, fits in SOMETIMES.items() if where == "routes" else ():
                check(path[4:] not in o["bgp"] or fits(o["bgp"][path[4:]]), "%s: %s: %s" % (request, path, o))


def protocols():
    all_of, bgp = data("/protocols"), data("/protocols/bgp")
    check("static1" in all_of and set(bgp) == {"p1", "p2", "p3", "p6"}, str(set(bgp)))
    p1 = bgp["p1"]
    equal((p1["state"], p1["bgp_state"], p1["neighbor_as"]), ("UP", "Established", 65001), "p1")
    equal((p1["description"], p1["neighbor_address"]), ("Example <b>&'Networks", "127.0.11.1"), "p1")
    equal((p1["routes"]["imported"], p1["routes"]["filtered"]), (3, 1), "counts")
    equal(set(bgp["p6"]["channels"]), {"ipv4", "ipv6"}, "channels")
    check(all(counts(c["routes"]) and c["routes_count"] == c["routes"] for c in bgp["p6"]["channels"].values()), "p6")
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


def errors():
    """JSON without routes would be an empty list for Alice-LG: errors are no JSON."""
    for target, want in (
        (BASE + "/routes/protocol/nosuch", 404),
        (BASE + "/routes/filtered/nosuch", 404),
        (BASE + "/routes/table/nosuch", 404),
        ("/birdwatcher/rs9/status", 404),
        (BASE + "/nosuch", 404),
        ("/birdwatcher/rs2/status", 503),
        ("/birdwatcher/rs2/protocols/bgp", 503),
        ("/birdwatcher/rs2/routes/protocol/p1", 503),
    ):
        status, headers, body = G.get(target)
        equal((status, headers["Content-Type"]), (want, "text/plain; charset=utf-8"), target)
        check(body.strip() and not body.startswith(("{", "[", '"')), body)
    equal(G.get(BASE + "/status?uncached=true")[0], 200, "a parameter of birdwatcher")


def away():
    G.text(BASE + "/protocols")
    D.kill()
    wait_until(lambda: G.get(BASE + "/protocols/bgp")[0] == 503, "the daemon is away")


case("each field", fields)
case("protocols", protocols)
case("values", values)
case("errors", errors)
case("a daemon that is away", away)
done()
