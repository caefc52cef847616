# SPDX-License-Identifier: GPL-3.0-or-later
"""ternhttp beside two daemons: each path of the API, hostile requests, clients that never read, the rights of the
process, and a daemon that dies and returns."""

import gzip
import select

from glass import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT, PORT2 = free_port(), free_port()
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
MANY = 20000
ASPA = "aspa table a4; protocol static s2 { aspa { table a4; }; route aspa 65001 providers 65002, 65003; }\n"
PERMITS = 'restrict; allow "show", "subscribe", "configure preview";'
CONF = CONF.replace("restrict;", PERMITS)
D = Daemon(CONF.replace("PORT", str(PORT)) + ASPA, "rs1").start()
E = Daemon(CONF.replace("PORT", str(PORT2)).replace("10.0.0.1", "10.0.0.2"), "rs2").start()
P1 = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", hold=0).establish()
P2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
P1.update(["20.0.1.0/24", "20.0.2.0/24", "20.0.3.0/25"])
P1.update(["20.0.4.0/24"], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 0)))
P2.update(["20.0.1.0/24"])
for k in range(0, MANY, 500):
    P2.update(["30.%d.%d.0/24" % divmod(i, 256) for i in range(k, k + 500)])
G = Glass({"rs1": D.dir + "/lg.ctl", "rs2": E.dir + "/lg.ctl"}, "-n", "0")


def told(o):
    """The object as the daemon sent it: without what ternhttp adds."""
    return {k: v for k, v in o.items() if k not in ("words", "remedy")}


def servers(target):
    """{name: (objects, reply)}; each object is as json.schema.json says."""
    found = {}
    for s in G.json(target)["servers"]:
        wrong = [e for o in s["objects"] for e in SCHEMA.errors(told(o))]
        check(not wrong, "%s: %s" % (target, "; ".join(wrong)))
        found[s["server"]] = s["objects"], s["reply"]
    return found


def objects(target, kind, server="rs1"):
    sign = "&" if "?" in target else "?"
    return [o for o in servers(target + sign + "server=" + server)[server][0] if o["type"] == kind]


def nets(kind):
    return {o["network"] for o in objects("/v1/members/65001/routes/" + kind, "route")}


def answers():
    both = servers("/v1/status")
    equal([both[s][0][0]["router_id"] for s in ("rs1", "rs2")], ["10.0.0.1", "10.0.0.2"], "both servers")
    equal({r["state"] for _, r in both.values()}, {"up"}, "state")
    check(all(0 <= r["age_s"] < 60 for _, r in both.values()), both)
    check("working_folder" not in both["rs1"][0][0], "a restricted session has no paths")
    equal(list(servers("/v1/status?server=all")), ["rs1", "rs2"], "all")
    check(objects("/v1/health", "sessions"), "health")
    names = {o["name"] for o in objects("/v1/protocols", "protocol")}
    equal(names, {"device1", "static1", "s2", "p1", "p2", "p3"}, "names")
    equal([o["name"] for o in objects("/v1/members", "member")], ["p1", "p2", "p3"], "members")
    m = objects("/v1/members/65001", "member")[0]
    wait_until(
        lambda: objects("/v1/members/65001", "member")[0]["ipv4"]["received"] == 4, lambda: G.text("/v1/members/65001")
    )
    equal((m["name"], m["state"]), ("p1", "up"), "a member")
    wait_until(lambda: nets("accepted") == {"20.0.1.0/24", "20.0.2.0/24", "20.0.4.0/24"}, lambda: str(nets("accepted")))
    equal(nets("filtered"), {"20.0.3.0/25"}, "filtered")
    equal(nets("received"), nets("accepted") | nets("filtered"), "received")
    f = objects("/v1/members/65001/routes/filtered", "route")[0]
    equal((f["reason"], f["filter"], f["said"]), ("import_filter", "f_in", "too long"), "the reason")
    check("import policy" in f["words"] and "a shorter prefix that contains 20.0.3.0/25" in f["remedy"], f)
    both = objects("/v1/members/65001/routes/received", "route")
    equal([o["network"] for o in both if "words" in o], ["20.0.3.0/25"], "words for refused routes")
    check(f["line"] > 0 and f["file"].endswith("rs1.conf"), f)
    out = {o["network"] for o in objects("/v1/members/65002/routes/exported", "route")}
    check("20.0.2.0/24" in out and "20.0.4.0/24" not in out, out)
    held = {o["network"]: o["reason"] for o in objects("/v1/members/65002/routes/notexported", "route")}
    equal(held, {"20.0.4.0/24": "export_filter"}, "not exported")
    equal({o["name"] for o in objects("/v1/tables", "table")}, {"master4", "master6", "r4", "a4"}, "tables")
    equal(len(objects("/v1/routes?prefix=20.0.1.0/24", "route")), 2, "paths")
    equal({o["network"] for o in objects("/v1/routes?longest=20.0.2.9", "route")}, {"20.0.2.0/24"}, "longest match")
    equal({o["fate"] for o in objects("/v1/why?prefix=20.0.1.0/24", "why")}, {"best", "lost"}, "why")
    to = objects("/v1/why?prefix=20.0.4.0/24&from=p1&to=p2", "why_to")
    equal((to[0]["goes"], to[0]["reason"]), (False, "export_filter"), "why not")
    check("export policy" in to[0]["words"] and "communities" in to[0]["remedy"], to)
    equal(servers("/v1/rpki")["rs1"][0], [], "no cache")


def described():
    """doc/openapi.json and the program have the same paths and parameters, and each answer is as the file says."""
    with open(os.path.join(SRC, "doc/openapi.json")) as f:
        doc = json.load(f)
    with open(os.path.join(SRC, "client/http/job/request.h")) as f:
        rows = re.findall(r'X\(API_\w+, "(\S+)", ([A-Z_ |]+)\)', re.sub(r"\s*\\\n\s*", " ", f.read()))
    check(len(rows) > 8, rows)
    have = {}
    for path, takes in rows:
        for kind in ("received", "accepted", "filtered", "exported", "notexported") if "*kind" in path else [""]:
            named = path.replace("*as", "{asn}").replace("*kind", kind).replace("*net", "{prefix}")
            words = {t.strip()[6:].lower() for t in takes.split("|")}
            have[named] = words - {"page"} | ({"limit", "cursor"} if "page" in words else set())
            have[named] |= {"limit"} if "by" in words else set()
    named = lambda p: p.get("name") or p["$ref"].split("/")[-1]
    want = {
        path: {named(p) for p in o["get"]["parameters"] if p.get("in") != "path"} for path, o in doc["paths"].items()
    }
    equal(want, have, "paths and their parameters")
    schemas = doc["components"]["schemas"]
    envelope = Schema({"$defs": schemas, "oneOf": []})
    for path, o in doc["paths"].items():
        if "text/event-stream" in o["get"]["responses"]["200"]["content"]:
            continue  # test_http_events.py
        target = path
        for p in o["get"]["parameters"]:
            if "example" in p and p["in"] == "path":
                target = target.replace("{%s}" % p["name"], str(p["example"]))
            elif "example" in p:
                target += "%s%s=%s" % ("&" if "?" in target else "?", p["name"], p["example"])
        answer = G.json(target)
        content = o["get"]["responses"]["200"]["content"]["application/json"]
        wrong = list(envelope._look(answer, content["schema"], path))
        check(not wrong, "%s: %s" % (target, wrong))
        kinds = {ref["$ref"].split("/")[-1] for ref in content["x-objects"]}
        for s in answer["servers"]:
            for obj in s["objects"][:200]:
                check(obj["type"] in kinds and not SCHEMA.errors(told(obj)), "%s: %s" % (target, obj))
        status, headers, body = G.get(target + ("&" if "?" in target else "?") + "nonsense=1")
        problem = doc["components"]["responses"]["problem"]["content"]
        equal((status, [headers["Content-Type"]]), (400, list(problem)), target)
        wrong = list(envelope._look(json.loads(body), schemas["problem"], path))
        check(not wrong and "400" in o["get"]["responses"], "%s: %s" % (target, wrong))


def diff():
    """What has changed, as `show diff` says; a time is checked."""
    what = "/v1/diff?since=1h"
    wait_until(lambda: [o for o in objects(what, "change") if o["kind"] == "routes"], lambda: G.text(what))
    kinds = {o["kind"] for o in objects(what, "change")}
    check({"started", "session_up", "routes"} <= kinds, kinds)
    equal({o["as"] for o in objects(what + "&as=65001", "change")}, {65001}, "one member")
    found = objects(what + "&as=65003", "gap")
    equal([(o["protocol"], o["reason"]) for o in found], [("p3", "restart")], "a gap")
    head = objects("/v1/diff?since=1000000000&until=1000000060", "diff")[0]
    check(head["since_unix_s"] <= head["until_unix_s"], head)
    equal(objects("/v1/diff?since=1000000000&until=1000000060", "change"), [], "long ago")
    equal(G.problem("/v1/diff", 400), "the request lacks the parameter since", "since")
    equal(G.problem("/v1/diff?since=x", 400), "wrong value of the parameter since", "since")
    equal(G.problem("/v1/diff?since=1h&until=2h", 400), "until is before since", "until")
    equal(G.problem("/v1/diff?since=1h&as=99&server=rs1", 404), "No members match", "no member")


def long_answer():
    """A list beyond any buffer arrives whole, and complete JSON."""
    wait_until(lambda: len(objects("/v1/members/65002/routes/accepted", "route")) == MANY + 1, "all routes")
    status, headers, body = G.get("/v1/members/65002/routes/accepted?server=rs1")
    equal((status, headers.get("Transfer-Encoding")), (200, "chunked"), "a stream")
    equal(json.loads(body)["servers"][0]["reply"]["code"], 0, "the end")


def searches():
    """Routes by community and by AS, who gets a network, ASPAs, and the greatest values."""
    equal([o["network"] for o in objects("/v1/routes?community=65000:0", "route")], ["20.0.4.0/24"], "community")
    equal(objects("/v1/routes?community=65000:7", "route"), [], "no such community")
    equal(objects("/v1/routes?community=65000:0:7", "route"), [], "no such large community")
    equal(
        {o["network"] for o in objects("/v1/routes?as=65001", "route")},
        {"20.0.1.0/24", "20.0.2.0/24", "20.0.4.0/24"},
        "an AS in the path",
    )
    both = [o["network"] for o in objects("/v1/routes?as=65002", "route")]
    equal(pages("/v1/routes?as=65002&server=rs1", 8000), (both, 3), "in pages")
    who = {o["to"]: (o["goes"], o.get("reason")) for o in objects("/v1/prefix/20.0.4.0/24/who-gets-it", "why_to")}
    equal(who, {"p1": (False, "own"), "p2": (False, "export_filter"), "p3": (False, "down")}, "who gets it")
    who = {o["to"]: o["goes"] for o in objects("/v1/prefix/20.0.2.0%2F24/who-gets-it", "why_to")}
    equal(who, {"p1": False, "p2": True, "p3": False}, "who gets it")
    equal(G.problem("/v1/prefix/99.0.0.0/8/who-gets-it?server=rs1", 404), "Network not found", "no such network")
    what = "/v1/communities?prefix=20.0.2.0/24&value="
    who = {o["to"]: o["goes"] for o in objects(what + "65000:7", "why_to")}
    equal(who, {"p1": False, "p2": True, "p3": False}, "another community")
    who = {o["to"]: o.get("reason") for o in objects(what + "65000:0,65000:1:2&from=p1", "why_to")}
    equal(who, {"p1": "own", "p2": "export_filter", "p3": "down"}, "a community that keeps the route")
    who = {o["to"]: o.get("rule") for o in objects(what + "65535:65281", "why_to")}
    equal(who["p2"], "no_export", "a well-known community")
    what = "/v1/communities?prefix=20.0.4.0/24&value=65000:1"
    check({o["to"]: o["goes"] for o in objects(what, "why_to")}["p2"], "without its community the route goes")
    aspas = [(o["customer_as"], o["attributes"]["aspa_providers"]) for o in objects("/v1/aspa", "route")]
    equal(aspas, [(65001, [65002, 65003])], "ASPAs")
    top = objects("/v1/top?by=filtered", "member")
    equal([(o["name"], o["ipv4"]["filtered"]) for o in top], [("p1", 1)], "filtered")
    top = [o["cpu_s"] for o in objects("/v1/top?by=cpu&limit=2", "thread")]
    check(len(top) <= 2 and top == sorted(top, reverse=True), top)
    equal(objects("/v1/top?by=limit", "member"), [], "limits")
    for target in (
        "/v1/routes?community=65000",
        "/v1/routes?community=65536:0",
        "/v1/routes?community=1:2:3:4",
        "/v1/routes?community=1:2)",
        "/v1/routes?as=0",
        "/v1/routes?as=1&community=1:2",
        "/v1/routes?prefix=20.0.1.0/24&as=1",
        "/v1/communities?prefix=20.0.1.0/24",
        "/v1/communities?value=1:2)",
        "/v1/communities?prefix=20.0.1.0/24&value=1:2)",
        "/v1/communities?prefix=20.0.1.0/24&value=" + ",".join(["1:2"] * 9),
        "/v1/top",
        "/v1/top?by=x",
        "/v1/top?by=cpu&limit=101",
        "/v1/top?by=cpu&cursor=x",
    ):
        G.problem(target, 400)
    who = {o["to"]: o["goes"] for o in objects("/v1/prefix/20.0.2.7/who-gets-it", "why_to")}
    equal(who, {"p1": False, "p2": True, "p3": False}, "who gets the network of an address")


def refused():
    """The answer about a network whose routes are all refused says so, and where the reason is."""
    for target, net, way in (
        ("/v1/routes?prefix=20.0.3.0/25", "20.0.3.0/25", "prefix=20.0.3.0/25"),
        ("/v1/routes?longest=20.0.3.1", "20.0.3.1", "longest=20.0.3.1/32"),
        ("/v1/routes?prefix=20.0.3.1", "20.0.3.1", "longest=20.0.3.1/32"),
    ):
        said = G.problem(target, 404)
        check("received and refused" in said, said)
        equal(said.split()[-1], "/v1/why?" + way, target)
        found = objects(said.split()[-1], "why")
        equal([(o["network"], o["fate"], o["said"]) for o in found], [("20.0.3.0/25", "refused", "too long")], said)
    equal(G.problem("/v1/routes?prefix=20.0.99.0/24", 404), "Network not found", "a network that no member announced")
    P1.update(["20.0.8.0/24"])
    wait_until(lambda: "20.0.8.0/24" in nets("accepted"), "one more route")
    both = G.json("/v1/routes?prefix=20.0.8.0/24")["servers"]
    equal([s["reply"]["code"] for s in both], [0, 8001], "one server has the route")
    P1.withdraw(["20.0.8.0/24"])
    found = objects("/v1/why?prefix=20.0.2.7", "why")
    equal([(o["network"], o["fate"]) for o in found], [("20.0.2.0/24", "best")], "an address")
    found = objects("/v1/why?longest=20.0.2.128/25&to=p2", "why_to")
    equal([(o["network"], o["goes"]) for o in found], [("20.0.2.0/24", True)], "a longer prefix")
    G.problem("/v1/why?longest=20.0.2.1&prefix=20.0.2.0/24", 400)
    G.problem("/v1/why", 400)


def any_network():
    """A dry run without a network: the members that a route with these communities would reach."""
    who = {o["to"]: (o.get("goes"), o.get("reason")) for o in objects("/v1/communities?value=65000:7", "why_with")}
    equal(who, {"p1": (True, None), "p2": (True, None), "p3": (False, "down")}, "a community without a meaning")
    tried = objects("/v1/communities?value=65000:0,65000:1:2&from=p1", "why_with")
    who = {o["to"]: (o.get("goes"), o.get("reason")) for o in tried}
    equal(who, {"p1": (False, "own"), "p2": (False, "export_filter"), "p3": (False, "down")}, "from a member")
    check(all(o["from"] == "p1" and o["asked"] == [] for o in tried), tried)
    check("words" in tried[1] and "words" in tried[0], tried)
    check("no protocol" in G.problem("/v1/communities?value=65000:7&from=nosuch", 404), "from")


def pages(target, limit):
    """The networks of all pages, and the number of pages."""
    found, cursor, cnt = [], "", 0
    while True:
        a = G.json("%s&limit=%d%s" % (target, limit, "&cursor=" + cursor if cursor else ""))
        routes = [o["network"] for s in a["servers"] for o in s["objects"] if o["type"].endswith("route")]
        check(0 < len(routes) <= limit, "%s: %d routes" % (cursor, len(routes)))
        found += routes
        cnt += 1
        if "next" not in a:
            return found, cnt
        check("more routes follow" in [s["reply"].get("message") for s in a["servers"]], a["next"])
        cursor = a["next"]


def in_pages():
    """Each route is on one page, in the order of the whole list, also across sessions and servers."""
    target = "/v1/members/65002/routes/accepted?server=all"
    whole = [o["network"] for s in G.json(target)["servers"] for o in s["objects"] if o["type"] == "route"]
    equal(pages(target, 7000), (whole, 3), "accepted")
    target = "/v1/members/65001/routes/received?server=rs1"
    whole = [o["network"] for s in G.json(target)["servers"] for o in s["objects"] if o["type"] == "route"]
    equal(len(whole), 4, "received")
    for limit in range(1, 6):
        equal(pages(target, limit), (whole, (4 + limit - 1) // limit), "received, %d" % limit)
    for more in ("limit=0", "limit=10001", "limit=x", "cursor=x", "cursor=9,p1,0,0,,0", "cursor=0,p2,0,0,,0"):
        G.problem(target + "&" + more, 400)
    G.problem("/v1/members?limit=5", 400)


def compressed():
    for target in (
        "/v1/members/65002/routes/accepted?server=rs1",
        "/v1/protocols?server=rs1",
        "/",
        "/member/65002/accepted",
    ):
        c = http.client.HTTPConnection("127.0.0.1", G.port, timeout=60 * SLOW)
        c.request("GET", target, headers={"Accept-Encoding": "br, gzip;q=0.5"})
        r = c.getresponse()
        data = r.read()
        equal(r.getheader("Content-Encoding"), "gzip", target)
        text = gzip.decompress(data).decode()
        check(len(data) < len(text) / 2, "%s: %d of %d octets" % (target, len(data), len(text)))
        if target.startswith("/v1"):
            check(json.loads(text)["servers"], target)
        else:
            check(text.rstrip().endswith("</html>"), target)
        c.request("GET", "/v1/nosuch", headers={"Accept-Encoding": "gzip"})
        equal(c.getresponse().getheader("Content-Encoding"), None, "a small answer")
        c.close()
    for accept in ("identity", "gzip;q=0", "deflate", ""):
        check("Content-Encoding" not in G.get("/", headers={"Accept-Encoding": accept})[1], accept)
    check("Accept-Encoding" in G.get("/")[1]["Vary"], "Vary")


def unchanged():
    """A list with the tag of the present generation isn't sent again; a change makes another tag."""
    for target in ("/v1/members/65001/routes/accepted?server=rs1", "/v1/routes?prefix=20.0.1.0/24&server=rs1"):
        status, headers, _ = G.get(target)
        tag = headers["ETag"]
        check(status == 200 and tag.startswith('W/"') and "no-store" not in headers["Cache-Control"], headers)
        for have in (tag, tag[2:], 'W/"x", ' + tag):
            status, headers, body = G.get(target, headers={"If-None-Match": have})
            equal((status, body, headers["ETag"]), (304, "", tag), have)
        for have in ('W/"x"', tag[:-2] + '"', "x" * 3000):
            equal(G.get(target, headers={"If-None-Match": have})[0], 200, have)
        P1.update(["20.0.9.0/24"])
        wait_until(lambda: G.get(target, headers={"If-None-Match": tag})[0] == 200, "another generation")
        P1.withdraw(["20.0.9.0/24"])
        wait_until(lambda: "20.0.9.0/24" not in nets("accepted"), "the route is gone")
    for kind in ("received", "filtered", "exported", "notexported"):
        check("ETag" not in G.get("/v1/members/65001/routes/" + kind)[1], kind)
    check("ETag" not in G.get("/v1/members/77/routes/accepted")[1], "a problem")


def errors():
    check("no such page" in G.problem("/v1/nosuch", 404), "page")
    check("No members match" in G.problem("/v1/members/77", 404), "member")
    check("no protocol" in G.problem("/v1/why?prefix=20.0.1.0/24&to=nosuch", 404), "to")
    what = "/v1/communities?value=0:64502&prefix=20.0.1.0/24&from="
    check("no protocol" in G.problem(what + "nosuch", 404), "from")
    check("no protocol" in G.problem(what.replace("20.0.1.0/24", "2a00::/48") + "nosuch", 404), "from, IPv6")
    check("two values of the parameter server" in G.problem("/v1/status?server=rs1&server=rs2", 400), "two servers")
    check("no such server" in G.problem("/v1/status?server=nosuch", 404), "server")
    for target in (
        "/v1/status?x=1",
        "/v1/routes",
        "/v1/routes?prefix=nonsense",
        "/v1/routes?prefix=20.0.1.0/24%20all",
        "/v1/why?prefix=20.0.1.0/24&to=p1%0adown",
        "/v1/why?prefix=20.0.1.0/24&to=p1'",
        "/v1/%zz",
        "/v1/%00",
        "/v1/../status",
        "/v1/%2e%2e/%2e%2e/etc/passwd",
    ):
        G.problem(target, 400)
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        status, headers, _ = G.get("/v1/status", method)
        equal((status, headers["Allow"]), (405, "GET, HEAD"), method)
        equal((headers["Content-Type"], headers["X-Frame-Options"]), ("application/problem+json", "DENY"), method)
    status, headers, body = G.get("/v1/status", "HEAD")
    equal((status, body), (200, ""), "HEAD")


def headers():
    for target in ("/v1/status", "/v1/nosuch", "/v1/members/65002/routes/accepted"):
        _, h, _ = G.get(target)
        check("default-src 'none'" in h["Content-Security-Policy"], target)
        equal(h["X-Content-Type-Options"], "nosniff", target)
        equal(h["Referrer-Policy"], "no-referrer", target)
        equal(h["Cache-Control"], "no-cache" if "accepted" in target else "no-store", target)
    with socket.create_connection(("127.0.0.1", G.port), 20 * SLOW) as s:
        got = b""
        for _ in range(3):
            s.sendall(b"GET /v1/status HTTP/1.1\r\nHost: a\r\n\r\n")
            wait_until(lambda: b"]}\n" in s.recv(65536), "an answer on a connection that stays")
    check(not got, "")


def served():
    return servers("/v1/status?server=rs1")["rs1"][1]["state"] == "up"


def hostile():
    line = b"GET /v1/status HTTP/1.1\r\nHost: a\r\n"
    for data, status in (
        (line + b"X: " + b"a" * 100000 + b"\r\n\r\n", (b"431", b"413", b"")),
        (b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", (b"414", b"")),
        # libmicrohttpd 1.0 has no memory left for the parameters, and says 431
        (b"GET /v1/status?" + b"a=1&" * 600 + b" HTTP/1.1\r\nHost: a\r\n\r\n", (b"414", b"431", b"")),
        (line + b"X: 1\r\n" * 5000 + b"\r\n", (b"431", b"413", b"")),
        (b"GET /v1/status\r\n\r\n", (b"400", b"505", b"")),
        (b"GET  HTTP/1.1\r\n\r\n", (b"400", b"404", b"")),
        (b"GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", (b"400", b"404")),
        (b"GET http://a/v1/status HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", (b"400", b"404")),
        (b"GET /v1/\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n", (b"400",)),
        (b"\0" * 20000, (b"400", b"414", b"")),
        (bytes(range(256)) * 50, (b"400", b"414", b"431", b"")),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 500 + b"\r\n\r\n", (b"400", b"")),
        (b"POST /v1/status HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n" + b"a" * 100000, (b"405", b"")),
        (line + b"Content-Length: -1\r\n\r\n", (b"400", b"")),
        (line[:20], (b"", b"400")),
    ):
        got = G.raw(data)
        code = got[9:12] if got.startswith(b"HTTP/1.") else got
        check(code in status, "%.60r: %.100r" % (data, got))
        check(b"rs1.conf" not in got and b"restrict" not in got, got)
        check(served(), "%.60r" % data)
    check(D.run("show status"), "the daemon answers")


def never_read():
    """A client with 100 requests for the longest list never reads: short questions and another client's list are
    answered meanwhile, the control socket has room for others, and the memory of ternhttp stays small."""
    held = []
    for _ in range(100):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(("127.0.0.1", G.port))
        s.sendall(b"GET /v1/members/65002/routes/accepted?server=rs1 HTTP/1.1\r\nHost: a\r\n\r\n")
        held.append(s)
    # the first of them have begun
    wait_until(lambda: held[0].recv(100, socket.MSG_PEEK), "an answer begins")
    for _ in range(20):
        check(served(), "a short question")
        check(D.run("show status"), "another client of the daemon")
    with open("/proc/%d/status" % G.proc.pid) as f:
        kb = int(re.search(r"VmRSS:\s+(\d+) kB", f.read()).group(1))
    check(SANITIZED or kb < 40000, "%d kB" % kb)
    status, _, body = G.get("/v1/members/65002/routes/exported?server=rs1", source="127.0.0.9")
    equal(status, 200, body[:300])
    check("20.0.2.0/24" in body, "a long list of another client")
    for s in held:
        s.close()
    # the silent client gets the list as well
    wait_until(lambda: len(objects("/v1/members/65002/routes/accepted", "route")) == MANY + 1, "the list", 60)


def rights():
    with open("/proc/%d/status" % G.proc.pid) as f:
        status = f.read()
    equal(re.search(r"CapEff:\s+(\w+)", status).group(1), "0" * 16, "capabilities")
    equal(re.search(r"CapPrm:\s+(\w+)", status).group(1), "0" * 16, "capabilities")
    equal(re.search(r"NoNewPrivs:\s+(\d)", status).group(1), "1", "new privileges")
    equal(re.search(r"Seccomp:\s+(\d)", status).group(1), "2", "the filter of system calls")
    check(os.getuid() or "Uid:\t0" not in status, "the user")
    with open("/proc/%d/limits" % G.proc.pid) as f:
        check(re.search(r"Max file size +0 +0 ", f.read()), "the size of files")


def restricted():
    """Also on a socket with all rights each session restricts itself before its first command."""
    trail = []
    D.write(CONF.replace("PORT", str(PORT)) + ASPA + 'log "RUN/audit.log" { audit };\n')
    equal(D.code("configure"), 3, "configure")
    g = Glass({"rs1": D.ctl}, "-u", "root") if os.getuid() == 0 else Glass({"rs1": D.ctl})
    for target in ("/v1/status", "/v1/members/65001/routes/accepted", "/v1/why?prefix=20.0.1.0/24&to=p1"):
        equal(g.get(target)[0], 200, target)
    if os.getuid() == 0:
        with open("/proc/%d/status" % g.proc.pid) as f:
            equal(re.search(r"CapPrm:\s+(\w+)", f.read()).group(1), "0" * 16, "capabilities of root")
    equal(g.stop(), 0, "the end")

    def told():
        with open(D.dir + "/audit.log") as f:
            trail[:] = re.findall(r"pid %d .* result (\S+) command: (.*)" % g.proc.pid, f.read())
        return any("why" in c for _, c in trail)

    wait_until(told, lambda: str(trail))
    equal(trail[0][1], "restrict", "the first command")
    check(all(c == "restrict" or c.startswith("json show ") for _, c in trail), trail)


def death():
    """The daemon dies: short questions say so; the daemon returns: answers again, without a restart of ternhttp."""
    check(servers("/v1/members?server=rs2"), "before")
    E.kill()

    # a reply of the last second is fresh
    def away():
        return {s: r["state"] for s, (_, r) in servers("/v1/members").items()} == {"rs1": "up", "rs2": "away"}

    wait_until(away, "one is away")
    old, reply = servers("/v1/members")["rs2"]
    equal([o["name"] for o in old if o["type"] == "member"], ["p1", "p2", "p3"], "the last reply")
    check(reply["age_s"] >= 1, reply)
    old, reply = servers("/v1/members?server=rs2")["rs2"]  # no other server has an answer
    equal((len(old), reply["state"]), (4, "away"), "the last reply")
    check(reply["age_s"] >= 1, reply)
    G.problem("/v1/routes?prefix=20.0.1.0/24&server=rs2", 503)
    E.start()
    wait_until(lambda: servers("/v1/status")["rs2"][1]["state"] == "up", "the daemon is back")
    equal(servers("/v1/routes?prefix=20.0.1.0/24&server=all")["rs2"][1]["state"], "up", "the daemon is back")


def stopped():
    """A daemon that does not answer: the questions end, and others are served."""
    freeze(E.pid)
    try:
        check(served(), "the other server")
        G.problem("/v1/routes?prefix=20.0.1.0/24&server=rs2", 504)
        # ternhttp remembers the silence: further requests do not wait. `idle` loses its connection after 15 s.
        idle = socket.create_connection(("127.0.0.1", G.port), 20 * SLOW)
        for _ in range(5):
            old, reply = servers("/v1/members")["rs2"]
            equal((len(old), reply["state"], "message" in reply), (4, "away", False), "the kept reply")
            check(reply["age_s"] > 0, reply)
        for target in ("/", "/member/65001", "/prefix/20.0.1.0/24", "/changes", "/rpki", "/v1/diff?since=1h"):
            check("does not answer" in G.text(target) or '"away"' in G.text(target), target)
        check(not select.select([idle], [], [], 0)[0], "the requests wait for the silent daemon anew")
        idle.close()
    finally:
        os.kill(E.pid, signal.SIGCONT)
    wait_until(lambda: servers("/v1/status")["rs2"][1]["state"] == "up", "the daemon answers")


def ends_while_it_waits():
    """SIGTERM ends ternhttp with status 0, though questions to a silent daemon are under way."""
    g = Glass({"rs1": D.dir + "/lg.ctl", "rs2": E.dir + "/lg.ctl"})
    wait_until(lambda: all(r["reply"]["state"] == "up" for r in g.json("/v1/status")["servers"]), "the daemons answer")
    freeze(E.pid)
    try:
        held = [socket.create_connection(("127.0.0.1", g.port), 20 * SLOW) for _ in range(3)]
        for k, s in enumerate(held):
            s.sendall(b"GET /v1/why?prefix=20.0.%d.0/24 HTTP/1.1\r\nHost: a\r\n\r\n" % k)
        # The answer to a later request: the requests before have been read.
        check(b"200" in g.raw(b"GET /style.css HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")[:20], "a style")
        g.proc.terminate()
        equal(g.proc.wait(20 * SLOW), 0, "exit status: " + g.said())
        for s in held:
            s.close()
    finally:
        os.kill(E.pid, signal.SIGCONT)


def per_client():
    """A client has COUNT connections at most."""
    g = Glass({"rs1": D.dir + "/lg.ctl"}, "-n", "2")
    held = [socket.create_connection(("127.0.0.1", g.port), 20 * SLOW) for _ in range(2)]
    for s in held:
        s.sendall(b"GET /v1/status HTTP/1.1\r\nHost: a\r\n\r\n")
        check(s.recv(100), "an answer")
    equal(g.raw(b"GET /v1/status HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"), b"", "the third connection")
    for s in held:
        s.close()
    whole = b"GET /v1/status HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    wait_until(lambda: g.raw(whole), "a connection is free again")
    equal(g.stop(), 0, "the end")


def usage():
    for words, text in (
        (["-n", "x"], "0 to 1000"),
        (["-l", "nonsense"], "ADDRESS:PORT"),
        (["-l", "127.0.0.1:99999"], "ADDRESS:PORT"),
        (["-l", "127.0.0.1:%d" % G.port], "cannot listen"),
        (["-s", "rs1"], "NAME=SOCKET"),
        (["-s", "a b=/x"], "a name has"),
        (["-s", "a=/x", "-s", "a=/y"], "two servers"),
        (["-s", "all=/x"], "a name has"),
        (["-x"], "Usage"),
        (["x"], "Usage"),
    ):
        p = subprocess.run([program("ternhttp"), *words], capture_output=True, text=True, timeout=20 * SLOW)
        check(p.returncode == 1 and text in p.stderr, "%s: %s" % (words, p.stderr))
    for word in ("--help", "--version"):
        p = subprocess.run([program("ternhttp"), word], capture_output=True, text=True, timeout=20 * SLOW)
        check(p.returncode == 0 and "ternhttp" in p.stdout, p.stdout)


case("each path of the API", answers)
case("the description", described)
case("what has changed", diff)
case("a long answer", long_answer)
case("searches", searches)
case("refused routes", refused)
case("communities without a network", any_network)
case("pages of a list", in_pages)
case("compressed answers", compressed)
case("entity tags", unchanged)
case("errors", errors)
case("headers", headers)
case("hostile requests", hostile)
case("clients that never read", never_read)
case("rights", rights)
case("restricted", restricted)
case("death of a daemon", death)
case("a daemon that is stopped", stopped)
case("the end while requests wait", ends_while_it_waits)
case("connections of one client", per_client)
case("usage", usage)
equal(G.stop(), 0, "the end of ternhttp")
done()
