# SPDX-License-Identifier: GPL-3.0-or-later
"""ternhttp: a refused route has a remedy that follows from the rule and names the values of the route; a route that a
member does not get has the reason; and routes are found by a community."""

import html

from glass import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
threads 2;
cli "RUN/lg.ctl" { restrict; mode "0666"; };
communities file "names.txt";
filtered communities [(65000,1101,*)];
protocol device { }
roa4 table r4;
aspa table a1;
protocol static { aspa { table a1; }; route aspa 65009 providers 65008; }
protocol static { roa4 { table r4; };
  route 20.0.0.0/16 max 20 as 65001; route 20.1.0.0/16 max 24 as 65010; route 20.2.0.0/16 max 24 as 0; }
filter f_in {
  if roa_check(r4) = ROA_INVALID then reject "RPKI invalid";
  if net.len > 24 then reject "prefix too long";
  if bgp_path.len > 5 then reject "AS path too long";
  if (65000,1) ~ bgp_community then bgp_large_community.add((65000,1101,9));
  if (65000,2) ~ bgp_community then reject "odd <b>";
  if (65000,3) ~ bgp_community then reject;
  accept;
}
filter f_t5 { if (65000,5) ~ bgp_community then reject "not for 5"; accept; }
template bgp any { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client;
  ipv4 { import keep filtered; import filter f_in; export where !((65000, 0) ~ bgp_community); }; }
protocol bgp p1 from any { neighbor 127.0.11.1 as 65001; }
protocol bgp p2 from any { neighbor 127.0.11.2 as 65002; }
protocol bgp p3 from any { neighbor 127.0.11.3 as 65003; ipv4 { export limit 1 action block; }; }
ipv4 table t5;
protocol bgp p5 from any { neighbor 127.0.11.5 as 65005; ipv4 { table t5; export all; }; }
protocol pipe pp5 { table master4; peer table t5; import all; export filter f_t5; }
""".replace(
    "PORT", str(PORT)
)
D = Daemon()
with open(os.path.join(D.dir, "names.txt"), "w") as f:
    f.write("(65000,1101,9)\tPrefix not in IRRDB AS-SETs\n(65000,6)\tfrom <Zurich>\n")
D.write(CONF)
D.start()
P = {n: Peer(PORT, "127.0.11.%d" % n, 65000 + n, server="127.0.10.1", hold=0).establish() for n in (1, 2, 3, 5)}
G = Glass({"rs1": D.dir + "/lg.ctl"}, "-n", "0")


def tag(*values):
    return attribute(0xC0, 8, b"".join(struct.pack("!HH", 65000, v) for v in values))


def objects(target, kind):
    found = G.json(target)["servers"][0]["objects"]
    for o in found:
        plain = {k: v for k, v in o.items() if k not in ("words", "remedy")}
        check(not SCHEMA.errors(plain), "%s: %s" % (target, SCHEMA.errors(plain)))
    return [o for o in found if o["type"] == kind]


def routes(asn, kind):
    return {o["network"]: o for o in objects("/v1/members/%d/routes/%s" % (asn, kind), "route")}


# network: communities, AS path, what the remedy says
REFUSED = {
    "20.0.1.0/24": ((), None, "The ROA of AS65001 for 20.0.0.0/16 permits prefixes up to /20"),
    "20.1.1.0/24": ((), None, "Announce 20.1.1.0/24 with the origin AS65010, or ask AS65010 for a ROA that"),
    "20.2.1.0/24": ((), None, "A ROA with AS0 forbids each origin: stop announcing 20.2.1.0/24"),
    "20.9.1.0/25": ((), None, "Announce a shorter prefix that contains 20.9.1.0/25"),
    "20.9.2.0/24": ((), [65001] * 6, "Prepend less: the AS path has 6 AS numbers"),
    "20.9.3.0/24": ((1,), None, "Register a route object for 20.9.3.0/24 with the origin AS65001"),
    "20.9.4.0/24": ((2,), None, "Change the route as the rule says: odd <b>"),
    "20.9.5.0/24": ((3,), None, "Ask the exchange about the conditions of the rule (filter f_in, line "),
}


def remedies():
    """The list, why and the pages say the same."""
    for net, (comms, path, _) in REFUSED.items():
        P[1].update([net], extra=tag(*comms) if comms else b"", path=path)
    wait_until(lambda: routes(65001, "filtered").keys() == REFUSED.keys(), lambda: str(routes(65001, "filtered")))
    found = routes(65001, "filtered")
    page = html.unescape(G.text("/member/65001/filtered"))
    for net, (_, _, text) in REFUSED.items():
        check(found[net]["remedy"].startswith(text), "%s: %s" % (net, found[net]))
        why = objects("/v1/why?prefix=%s&from=p1" % net, "why")[0]
        equal(why["remedy"], found[net]["remedy"], net)
        check("To do:</strong> " + text in page, "%s: %s" % (net, page))
        check(text[:12] in html.unescape(G.text("/prefix/" + net)), net)
    check("odd <b>" not in G.text("/member/65001/filtered"), "escapes")


def not_exported():
    """Each route that a member does not get has the reason: a filter, a community, a limit, the pipe to its table."""
    P[2].update(["30.0.0.0/24"])
    P[2].update(["30.0.1.0/24"], extra=tag(0))
    P[2].update(["30.0.2.0/24"], extra=attribute(0xC0, 8, struct.pack("!I", 0xFFFFFF01)))
    P[2].update(["30.0.3.0/24"], extra=tag(5))
    wait_until(lambda: "30.0.3.0/24" in routes(65002, "accepted"), "the routes")
    wait_until(lambda: "30.0.1.0/24" in routes(65001, "notexported"), "not exported")
    held = routes(65001, "notexported")
    equal({n: o["reason"] for n, o in held.items()}, {"30.0.1.0/24": "export_filter", "30.0.2.0/24": "no_export"}, "p1")
    o = held["30.0.1.0/24"]
    check(o["line"] > 0 and o["file"] == D.conf, o)
    check("export policy" in o["words"], o)
    check(o["remedy"].startswith("Ask AS65002, the announcing member, to remove"), o)
    check("(the route has 65000:0)" in o["remedy"] and ", line %d of " % o["line"] in o["remedy"], o)
    check("NO_EXPORT (65535:65281)" in held["30.0.2.0/24"]["remedy"], held)
    equal(routes(65002, "notexported"), {}, "no own route is in the list")
    wait_until(lambda: "export_limit" in reasons(65003), lambda: str(reasons(65003)))
    equal(sorted(set(reasons(65003))), ["export_filter", "export_limit", "no_export"], "a limit")
    five = routes(65005, "notexported")
    equal({n: o["reason"] for n, o in five.items()}, {"30.0.2.0/24": "no_export", "30.0.3.0/24": "pipe"}, "a pipe")
    equal((five["30.0.3.0/24"]["filter"], five["30.0.3.0/24"]["said"]), ("f_t5", "not for 5"), "the filter of the pipe")
    # each reason is that of `why`
    for asn, name in (65001, "p1"), (65003, "p3"), (65005, "p5"):
        for net, o in routes(asn, "notexported").items():
            why = objects("/v1/why?prefix=%s&to=%s" % (net, name), "why_to")
            equal([w["reason"] for w in why if w["to"] == name], [o["reason"]], "%s to %s" % (net, name))
            same_remedy(net, name, o)
    page = html.unescape(G.text("/member/65001/notexported"))
    check("Routes not sent to p1" in page and "export policy" in page and "To do:" in page, page)
    # birdwatcher's list has what the export filter refuses, as BIRD's
    body = json.loads(G.text("/birdwatcher/rs1/routes/noexport/p1"))
    equal([r["network"] for r in body["routes"]], ["30.0.1.0/24"], "birdwatcher")
    text = D.text("show route noexport p1 reasons")
    check("not sent, community NO_EXPORT" in text and "refused by filter (unnamed) at " in text, text)
    check("reasons" in "".join(t for _, t in D.run("show route exported p1 reasons")), "noexport alone has reasons")


def same_remedy(net, name, held):
    """`why`, who-gets-it and a dry run with the communities of the route name the same change as the list of routes
    that the member @name does not get: @held of this list."""
    asked = ["/v1/why?prefix=%s&to=%s" % (net, name), "/v1/prefix/%s/who-gets-it" % net]
    values = [":".join(map(str, c)) for c in held["attributes"].get("bgp_community", [])]
    if values:
        asked.append("/v1/communities?value=%s&prefix=%s" % (",".join(values), net))
    for target in asked:
        told = [o.get("remedy") for o in objects(target, "why_to") if o["to"] == name]
        # a dry run knows no limit
        if held["reason"] != "export_limit" or "/v1/communities" not in target:
            equal(told, [held.get("remedy")], "%s to %s" % (target, name))
    if held["reason"] == "export_filter":
        told = objects("/v1/communities?value=%s&from=p2" % ",".join(values), "why_with")
        equal([o["remedy"] for o in told if o["to"] == name], [held["remedy"]], "a dry run without a network")
        told = objects("/v1/communities?value=%s" % ",".join(values), "why_with")
        told = [o["remedy"] for o in told if o["to"] == name]
        equal(
            [t.startswith("Ask the announcing member to ") for t in told], [True], "a dry run of any member: %s" % told
        )
    lines = [json.loads(x) for x in D.text("json show route why %s to %s" % (net, name)).splitlines()]
    told = [o.get("remedy") for o in lines if o.get("to") == name]
    equal(told, [held.get("remedy")], "the control socket: %s to %s" % (net, name))
    text = D.text("show route why %s to %s" % (net, name))
    check(not held.get("remedy") or "\t\tto do: %s\n" % held["remedy"] in text, "%s: %s" % (held.get("remedy"), text))
    page = html.unescape(G.text("/prefix/%s?to=%s" % (net, name)))
    check("To do:</strong> " + held.get("remedy", "") in page, "%s to %s: %s" % (net, name, page))


def reasons(asn):
    return [o["reason"] for o in routes(asn, "notexported").values()]


def communities():
    P[2].update(["30.0.4.0/24"], extra=attribute(0xC0, 32, struct.pack("!III", 65000, 7, 4200000000)))
    large = "65000:7:4200000000"
    wait_until(lambda: objects("/v1/routes?community=" + large, "route"), "the route")
    for value, net in (("65000:5", "30.0.3.0/24"), (large, "30.0.4.0/24")):
        equal([o["network"] for o in objects("/v1/routes?community=" + value, "route")], [net], value)
        status, headers, _ = G.get("/search?q=" + value)
        equal((status, headers["Location"]), (303, "/community/" + value), "the search")
        page = G.text("/community/" + value)
        check("Community %s</h1>" % value in page and "/prefix/" + net in page and ">p2" in page, page)
    page = G.text("/community/65000:99?server=rs1")
    check("No accepted route of a member has this community" in page, page)
    check("20.9.4.0/24" not in G.text("/community/65000:2"), "a refused route")
    for target in ("/community/65000", "/community/x", "/community/1:2:3:4", "/community/70000:1"):
        equal(G.get(target)[0], 404, target)
    equal(G.get("/community/65000:1?server=nosuch")[0], 404, "no server")


def checked():
    """The page of a prefix has the state of each path by ROAs and ASPAs, and the communities in words."""
    P[3].update(["30.9.0.0/24"], path=[65003, 65009])
    P[2].update(["30.9.0.0/24"], path=[65002, 65008, 65008, 65009], extra=tag(6))
    for asn in (65002, 65003):
        wait_until(lambda n=asn: "30.9.0.0/24" in routes(n, "accepted"), "the route of AS%d" % asn)
    rows = [r for r in G.text("/prefix/30.9.0.0/24").split("<tr") if "next hop" in r]
    states = {r.split("</th>")[0].split(">")[-1]: re.findall(r"(?:ROA|ASPA) \w+", r) for r in rows}
    equal(states, {"p3": ["ROA unknown", "ASPA invalid"], "p2": ["ROA unknown", "ASPA unknown"]}, "states")
    check("from &lt;Zurich&gt;" in "".join(rows) and "(65000,6)" in "".join(rows), rows)


case("remedies", remedies)
case("routes that a member does not get", not_exported)
case("search by community", communities)
case("RPKI and communities in words", checked)
equal(G.stop(), 0, "the end of ternhttp")
done()
