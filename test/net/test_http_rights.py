# SPDX-License-Identifier: GPL-3.0-or-later
"""ternhttp with credentials: an anonymous visitor, members with a token, a proxy's header or a JWT, and the exchange;
and each forged credential. The filtered routes of a member are on no page for other visitors."""

import base64
import hashlib
import hmac
import shutil
import ssl

from glass import *

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
TAGGED = 'if (65000, 666) ~ bgp_community then reject "tagged"; accept; }'
SECRET = b"0123456789abcdef0123456789abcdef"
D = Daemon(CONF.replace("PORT", str(PORT)).replace("accept; }", TAGGED), "rs1").start()
P1 = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", hold=0).establish()
P2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
P1.update(["20.0.1.0/24", "20.0.3.0/25"])
P2.update(["20.0.1.0/24", "20.0.5.128/25", "20.0.3.0/25"])
P1.update(["20.0.6.0/24", "20.0.7.0/24"])
NAMES = {"65001": "one", "65002": "two", "exchange": "all"}
TOKENS = {}


def new_token(whose):
    """The token and the line that ternhttp prints."""
    p = subprocess.run([program("ternhttp"), "--token", whose], capture_output=True, text=True, timeout=20 * SLOW)
    equal(p.returncode, 0, p.stderr)
    token = re.search(r"^  ([0-9a-f]{48})$", p.stdout, re.M).group(1)
    line = re.search(r"^(token .*)$", p.stdout, re.M).group(1)
    equal(line, "token %s %s" % (whose, hashlib.sha256(token.encode()).hexdigest()), "the line")
    TOKENS[whose] = token
    return line


def written(name, text, mode=0o644):
    path = os.path.join(D.dir, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


written("portal.key", SECRET.decode() + "\n")
FILE = written(
    "ternhttp.conf",
    "\n".join(
        ["# who may see what", "connections 0", *[new_token(w) for w in NAMES], "server rs1 %s/lg.ctl" % D.dir]
        + ["proxy 127.0.0.2 header X-Member-AS", "jwt HS256 portal.key claim asn audience lg", ""]
    ),
)
G = Glass({}, "-c", FILE)


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jwt(claims, alg="HS256", secret=SECRET):
    body = b64(json.dumps({"typ": "JWT", "alg": alg}).encode()) + "." + b64(json.dumps(claims).encode())
    sign = b"" if alg == "none" else hmac.new(secret, body.encode(), "sha256").digest()
    return body + "." + b64(sign)


def bearer(token):
    return {"Authorization": "Bearer " + token}


def claims(**more):
    return {"exp": int(time.time()) + 600, "aud": "lg", "asn": 65001, **more}


def get(target, headers=None, source=None):
    c = http.client.HTTPConnection(
        "127.0.0.1", G.port, timeout=60 * SLOW, source_address=(source, 0) if source else None
    )
    try:
        c.request("GET", target, headers=headers or {})
        r = c.getresponse()
        return r.status, r.headers, r.read().decode()
    finally:
        c.close()


FILTERED = "/v1/members/%s/routes/filtered"
OPEN = ["20.0.1.0/24", "20.0.6.0/24", "20.0.7.0/24"]
PRIVATE = ("20.0.3.0/25", "20.0.5.128/25", "too long", "f_in")
ONE = {"headers": bearer(TOKENS["65001"])}


def nets(asn, **who):
    status, _, body = get(FILTERED % asn, **who)
    equal(status, 200, body)
    return sorted(o["network"] for o in json.loads(body)["servers"][0]["objects"] if o["type"] == "route")


def public():
    """Everyone sees the members and their accepted routes; no page has a filtered route."""
    wait_until(lambda: nets("65002", headers=bearer(TOKENS["exchange"])) == ["20.0.3.0/25", "20.0.5.128/25"], "routes")
    accepted = json.loads(get("/v1/members/65001/routes/accepted")[2])["servers"][0]["objects"]
    equal([o["network"] for o in accepted if o["type"] == "route"], OPEN, "accepted")
    for target in (
        "/",
        "/member/65001",
        "/member/65001/accepted",
        "/member/65001/exported",
        "/member/65001/notexported",
        "/prefix/20.0.3.0/25",
        "/prefix/20.0.3.0/25?to=all",
        "/prefix/20.0.3.1",
        "/rpki",
        "/changes?since=1h",
        "/v1/diff?since=1h",
        "/v1/status",
        "/v1/health",
        "/v1/members",
        "/v1/members/65001",
        "/v1/members/65001/routes/accepted",
        "/v1/members/65001/routes/exported",
        "/v1/members/65001/routes/notexported",
        "/v1/routes?longest=20.0.3.1",
        "/v1/routes?prefix=20.0.3.0/25",
        "/v1/why?prefix=20.0.3.0/25",
        "/v1/why?prefix=20.0.3.0/25&from=p1&to=p2",
        "/v1/why?prefix=20.0.3.1",
        "/v1/why?longest=20.0.3.0/28",
        "/birdwatcher/rs1/routes/protocol/p1",
        "/birdwatcher/rs1/routes/table/master4",
        "/birdwatcher/rs1/routes/peer/127.0.11.1",
        "/birdwatcher/rs1/routes/table/master4/peer/127.0.11.1",
        "/birdseye/rs1/api/routes/protocol/p1",
        "/birdseye/rs1/api/routes/table/master4",
        "/birdseye/rs1/api/route/20.0.3.0%2F25/protocol/p1",
        "/birdseye/rs1/api/route/20.0.3.0%2F25/table/master4",
    ):
        status, _, body = get(target)
        check(status in (200, 404), "%s: %s" % (target, body))
        text = body.replace("20.0.3.0/25</h1>", "").replace("20.0.3.0/25</title>", "")
        found = [p for p in PRIVATE[1:3] if p in text]
        check(not found, "%s: %s" % (target, found))
    for target in ("/v1/why?prefix=20.0.3.0/25", "/v1/routes?longest=20.0.3.1"):
        check("20.0.3.0/25" not in get(target)[2], target)
    check('<a href="/login?as=65001">log in</a>' in get("/member/65001")[2], "the page of a member has a login")


NET = (
    ("/prefix/P", "/prefix/P?to=all", "/prefix/P?to=p2", "/prefix/A", "/prefix/A?to=p3")
    + ("/v1/routes?prefix=P", "/v1/routes?longest=A", "/v1/routes?prefix=P&limit=1")
    + ("/v1/prefix/P/who-gets-it", "/v1/prefix/A/who-gets-it")
    + tuple("/v1/why?prefix=P" + q for q in ("", "&from=p1", "&from=p2", "&from=p3", "&to=p1", "&to=p2", "&to=p3"))
    + ("/v1/why?prefix=A", "/v1/why?prefix=P&from=p2&to=p3", "/v1/why?prefix=P&from=p3&to=p2")
    + ("/v1/why?longest=A", "/v1/why?longest=P", "/v1/why?longest=A&from=p2", "/v1/why?longest=A&to=p3")
    + ("/v1/communities?value=65000:1&prefix=A",)
    + tuple("/v1/communities?value=65000:1&prefix=P" + q for q in ("", "&from=p1", "&from=p2", "&from=p3"))
    + tuple("/birdseye/rs1/api/route/E" + q for q in ("", "/protocol/p1", "/protocol/p2", "/table/master4"))
    + ("/birdseye/rs1/api/route/E/export/p3",)
)


def same(target, net, **who):
    """The answer about the network @net, without what differs between two networks."""
    address = net.split("/")[0]
    names = {"P": net, "E": net.replace("/", "%2F"), "A": address[:-1] + "1"}
    target = re.sub(r"(?<=[/=])[PEA](?![a-z])", lambda m: names[m[0]], target)
    status, headers, body = get(target, **who)
    body = body.replace(address.rsplit(".", 1)[0] + ".", "NET.")
    body = re.sub(r'("age_s"|"changed_unix_s"):[0-9.]+|\d\d:\d\d(:\d\d)?(\.\d+)?Z?', r"\1", body)
    return status, headers["ETag"], headers["Content-Type"], body


def blind():
    """An answer for a visitor who may not see a filtered route is as if the route did not exist: the pairs are a
    filtered network and an unknown network, and a network with a filtered route of p2 beside the route of p1, and a
    network with the route of p1 alone. The member 65003 knows as little as anyone."""
    P2.update(["20.0.6.0/24"], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 666)))
    P2.update(["20.0.6.0/25"])
    wait_until(lambda: "20.0.6.0/25" in nets("65002", headers=bearer(TOKENS["exchange"])), "two filtered routes")
    longest = json.loads(get("/v1/why?longest=20.0.6.1", headers=bearer(TOKENS["exchange"]))[2])["servers"][0][
        "objects"
    ]
    equal({o["network"] for o in longest}, {"20.0.6.0/24", "20.0.6.0/25"}, "the exchange sees both networks")
    who = {"headers": {"X-Member-AS": "65003"}, "source": "127.0.0.2"}
    for hidden, other in (("20.0.3.0/25", "20.0.9.0/25"), ("20.0.6.0/24", "20.0.7.0/24")):
        for target in NET:
            equal(same(target, hidden), same(target, other), "%s: %s" % (target, hidden))
            equal(same(target, hidden, **who), same(target, other, **who), "%s: %s" % (target, hidden))
    # what the visitor may see differs, so that the comparison can fail
    for target in ("/v1/why?prefix=P", "/prefix/P", "/v1/why?prefix=P&to=p3"):
        check(same(target, "20.0.3.0/25", **ONE) != same(target, "20.0.9.0/25", **ONE), target)
    P2.withdraw(["20.0.6.0/25"])
    # a filtered route that arrives changes no list of other routes; the tag of a list counts changes of the tables
    lists = ("/v1/routes?prefix=20.0.6.0/24", "/v1/members/65001/routes/accepted", "/v1/routes?as=65001")
    count = lambda: json.loads(get("/v1/tables")[2])["servers"][0]["objects"][0]["filtered"]
    wait_until(lambda: count() == 4, "the tables have the routes")
    before = {t: same(t, "-")[::3] for t in lists}
    P2.update(["20.0.7.0/24"], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 666)))
    wait_until(lambda: count() == 5, "another filtered route")
    for t in lists:
        equal(same(t, "-")[::3], before[t], t)


def refused():
    for target in (
        FILTERED % 65001,
        "/v1/members/65001/routes/received",
        "/member/65001/filtered",
        "/member/65001/received",
        "/birdwatcher/rs1/routes/filtered/p1",
        "/birdwatcher/rs1/routes/table/master4/filtered",
        "/birdwatcher/rs1/routes/pipe/filtered?table=t1&pipe=m1",
        "/birdseye/rs1/api/routes/lc-zwild/protocol/p1/65000/1101",
        "/v1/configurations",
        "/v1/overrides",
        "/overrides",
        "/v1/preview",
    ):
        status, headers, body = get(target)
        equal(status, 401, target)
        equal([w.split()[0] for w in headers.get_all("WWW-Authenticate")], ["Bearer", "Basic"], target)
        check(not [p for p in PRIVATE if p in body], body)
        equal(headers["Cache-Control"], "no-store", target)
    check("configurations are for the exchange" in get("/v1/configurations")[2], "not about routes")
    p = json.loads(get(FILTERED % 65001)[2])
    equal((p["status"], p["title"]), (401, "Unauthorized"), "a problem")


def member(**who):
    """@who is the member 65001, and no other."""
    equal(nets("65001", **who), ["20.0.3.0/25"], "own routes")
    status, _, body = get(FILTERED % 65002, **who)
    equal((status, json.loads(body)["title"]), (403, "Forbidden"), "routes of another member")
    for target in "/v1/configurations", "/v1/overrides", "/overrides", "/v1/preview":
        equal(get(target, **who)[0], 403, target)
    fates = [
        (o["protocol"], o["fate"])
        for o in json.loads(get("/v1/why?prefix=20.0.3.0/25", **who)[2])["servers"][0]["objects"]
    ]
    equal(fates, [("p1", "refused")], "why, of its own route alone")
    check("too long" in get("/member/65001", **who)[2], "the page of the member")
    check("20.0.5.128" not in get("/member/65002", **who)[2], "the page of another member")
    check("too long" in get("/prefix/20.0.3.0/25", **who)[2], "the page of a prefix")
    check("too long" not in get("/prefix/20.0.5.128/25", **who)[2], "the page of a prefix")
    status, _, body = get("/birdwatcher/rs1/routes/filtered/p2", **who)
    check(status == 200 and not json.loads(body)["routes"], body)
    equal(len(json.loads(get("/birdwatcher/rs1/routes/filtered/p1", **who)[2])["routes"]), 1, "birdwatcher")
    table = json.loads(get("/birdwatcher/rs1/routes/table/master4/filtered", **who)[2])["routes"]
    equal([r["from_protocol"] for r in table], ["p1"], "the table")


def members():
    member(**ONE)
    basic = base64.b64encode(b"any:" + TOKENS["65001"].encode()).decode()
    member(headers={"Authorization": "Basic " + basic})
    member(headers={"X-Member-AS": "65001"}, source="127.0.0.2")
    member(headers={"X-Member-AS": "AS65001, 64999"}, source="127.0.0.2")
    member(headers=bearer(jwt(claims())))
    member(headers=bearer(jwt(claims(asn=["AS65001", 64999]))))


def overrides():
    """Overrides, with the words of operators, are for the exchange: a list, a page, problems and events. No request
    changes an override or a drain."""
    D.run('override add block 20.0.1.0/24 from as65001 for 2h reason "ticket <b>47"')
    D.run('drain p3 for 30min "until <noon>"')
    before = D.text("json show overrides")
    all_ = bearer(TOKENS["exchange"])
    found = json.loads(get("/v1/overrides", headers=all_)[2])["servers"][0]["objects"]
    told = [(o["type"], o["kind"], o["network"], o["as"], o["reason"]) for o in found]
    equal(told, [("override", "block", "20.0.1.0/24", 65001, "ticket <b>47")], found)
    # requests of one second share a reply
    wait_until(lambda: "until &lt;noon&gt;" in get("/overrides", headers=all_)[2], "the drain")
    wait_until(lambda: "ticket" in get("/v1/health", headers=all_)[2], "the problem")
    wait_until(lambda: "ticket" in get("/", headers=all_)[2], "the problem in the list of members")
    page = get("/overrides", headers=all_)[2]
    check("ticket &lt;b&gt;47" in page and "until &lt;noon&gt;" in page and ">drain" in page, page)
    page = get("/prefix/20.0.1.0/24", headers=all_)[2]
    check("The operator says: override 1 until " in page and "The rule says" not in page, page)
    listed = json.loads(get("/v1/members")[2])["servers"][0]["objects"]
    check("until <noon>" in [o.get("drain", {}).get("message") for o in listed], listed)
    for who, sees in ((all_, True), (bearer(TOKENS["65001"]), False), ({}, False)):
        health = get("/v1/health", headers=who)[2]
        kinds = {o.get("kind") for o in json.loads(health)["servers"][0]["objects"]}
        equal(("override" in kinds, "drain" in kinds, "ticket" in health), (sees, True, sees), "problems")
        home = get("/", headers=who)[2]
        equal(('href="/overrides"' in home, "ticket" in home), (sees, sees), "the list of members")
        c = http.client.HTTPConnection("127.0.0.1", G.port, timeout=60 * SLOW)
        c.request("GET", "/v1/events?since=0-1", headers=who)
        r, seen = c.getresponse(), ""
        # the problem of the override comes when the daemon looks for problems; a later event ends the streams of others
        drains, mark = (1, '"problem":"override"') if sees else (2, "")
        while seen.count("event: drain") < drains or mark not in seen:
            seen += r.readline().decode()
        c.close()
        if sees:
            D.run("drain p2 for 30min")
        equal("event: override" in seen, sees, "events: %s" % seen)
        equal("ticket" in seen, sees, "the words of an override in any event: %s" % seen)
    D.run("undrain p2")
    for target in "/v1/overrides", "/overrides", "/v1/overrides?remove=1", "/v1/members/65003":
        for method in "POST", "PUT", "DELETE", "PATCH":
            equal(G.get(target, method, all_)[0], 405, "%s %s" % (method, target))
    for target in "/v1/overrides?remove=1", "/v1/overrides/1", "/v1/overrides?server=rs1%0Aoverride%20remove%201":
        check(get(target, headers=all_)[0] in (400, 404), target)
    c = Cli(D.dir + "/lg.ctl", 60 * SLOW)
    for command in "override remove 1", "undrain p3":
        equal(c.run(command, 60 * SLOW)[-1][0], 8007, command)
    c.close()
    equal(D.text("json show overrides"), before, "the overrides are unchanged")
    check('"phase":"drain' in D.text("json show members"), "the drain is unchanged")
    D.run("override remove 1")
    D.run("undrain p3")


def login():
    """/login lies in the root of the paths: a browser sends the password of /login for each page (RFC 7617, 2.2). The
    page asks for a password, and leads to the page of the member."""
    status, headers, body = get("/login?as=65001")
    equal(status, 401, body)
    equal([w.split()[0] for w in headers.get_all("WWW-Authenticate")], ["Bearer", "Basic"], "a challenge")
    check("password is the token of the member" in body, body)
    basic = "Basic " + base64.b64encode(b"any:" + TOKENS["65001"].encode()).decode()
    for who, target, location in (
        ({"headers": {"Authorization": basic}}, "/login", "/member/65001"),
        ({"headers": bearer(jwt(claims(asn=[65002, 65001])))}, "/login", "/member/65002"),
        ({"headers": bearer(TOKENS["exchange"])}, "/login", "/"),
        ({"headers": bearer(TOKENS["exchange"])}, "/login?as=65002", "/member/65002"),
    ):
        status, headers, _ = get(target, **who)
        equal((status, headers["Location"], headers["Cache-Control"]), (303, location, "no-store"), target)
    check('href="/login"' in get("/")[2] and 'href="/login"' not in get("/", **ONE)[2], "who may log in")
    check("log in" not in get("/member/65002", **ONE)[2], "a member on the page of another member")
    for target in "/login?as=x", "/login?q=1", "/login?as=65001&as=2":
        equal(get(target, **ONE)[0], 400, target)
    equal(get("/login", headers=bearer("0" * 48))[0], 401, "a wrong token")


def acceptance():
    """An override that accepts a route against the import filter: the page and the answer of the network name the
    override, for each visitor, as the route is public."""
    D.run('override add accept 20.0.3.0/25 from as65001 for 2h reason "agreed <b>12"')
    P1.update(["20.0.3.0/25"])  # the session keeps no routes before policy, and has asked for the routes
    for who in {}, ONE, {"headers": bearer(TOKENS["exchange"])}:
        wait_until(lambda: "agreed <b>12" in get("/v1/why?prefix=20.0.3.0/25", **who)[2], "the answer")
        objects = json.loads(get("/v1/why?prefix=20.0.3.0/25", **who)[2])["servers"][0]["objects"]
        told = [o["accepted_by"].split()[:3] for o in objects if o.get("fate") == "best"]
        equal(told, [["override", "2", "until"]], objects)
        page = get("/prefix/20.0.3.0/25", **who)[2]
        check("an operator of the exchange accepts" in page and "agreed &lt;b&gt;12" in page, page)
        check("agreed" not in get("/prefix/20.0.1.0/24", **who)[2], "a route without an override")
    D.run("override remove 2")
    P1.update(["20.0.3.0/25"])
    wait_until(lambda: get("/v1/why?prefix=20.0.3.0/25")[0] == 404, "the route is refused again")


VALUES = {
    "*as": ["65002"],
    "*net": ["20.0.5.128/25"],
    "*kind": ["received", "accepted", "filtered", "exported", "notexported"],
    "*comm": ["65000:1"],
    "*server": ["rs1"],
    "*name": ["p2", "master4"],
    "*number": ["65000"],
    "*address": ["127.0.11.2"],
}
QUERIES = {
    "/search": "q=20.0.5.129",
    "/changes": "since=1h",
    "/v1/routes": "prefix=20.0.5.128/25",
    "/v1/why": "longest=20.0.5.129",
    "/v1/communities": "value=65000:1&prefix=20.0.5.128/25&from=p2",
    "/v1/top": "by=filtered",
    "/v1/diff": "since=1h",
    "/birdwatcher/rs1/routes/pipe/filtered": "table=t1&pipe=m1",
    "/birdwatcher/rs1/routes/pipe/filtered/count": "table=t1&pipe=m1&address=127.0.11.2",
}


def every_target():
    """A request of each page of the program (PAGE_TABLE), except streams."""
    with open(os.path.join(SRC, "client/http/job/request.h")) as f:
        table = re.search(r"#define PAGE_TABLE(.*?)\n\n", f.read(), re.S).group(1)
    paths = re.findall(r'X\(\w+,[\s\\]*"([^"]+)"', table)
    equal(len(paths), table.count("X("), "the rows of the table")
    for path in paths:
        targets = [path]
        for word, values in VALUES.items():
            while any(word in t for t in targets):
                targets = [t.replace(word, v, 1) for t in targets for v in values]
        for t in targets:
            if t != "/v1/events":
                yield t + ("?" + QUERIES[t] if t in QUERIES else "")


def every_page():
    """Each page of the program for three visitors: only the exchange sees the filtered route of another member, and no
    method changes the daemon."""
    all_, seen = bearer(TOKENS["exchange"]), 0
    before = [D.text(c) for c in ("json show overrides", "json show configurations", "json show symbols")]
    targets = list(every_target())
    check(len(targets) > 60, targets)
    for target in targets:
        for who in {}, bearer(TOKENS["65001"]), all_:
            status, _, body = get(target, headers=who)
            check(status in (200, 303, 401, 403, 404, 422), "%s: %d" % (target, status))
            shows = "too long" in body and "20.0.5.128" in body
            check(who is all_ or not shows, "%s shows a private route: %s" % (target, body))
            seen += shows
        for method in "POST", "PUT", "DELETE", "PATCH", "OPTIONS":
            equal(G.get(target, method, all_)[0], 405, "%s %s" % (method, target))
    check(seen > 5, "the exchange sees the route on %d pages" % seen)
    equal(
        [D.text(c) for c in ("json show overrides", "json show configurations", "json show symbols")], before, "state"
    )


def exchange():
    for who in (
        {"headers": bearer(TOKENS["exchange"])},
        {"headers": {"X-Member-AS": "exchange"}, "source": "127.0.0.2"},
        {"headers": bearer(jwt(claims(asn="exchange")))},
        {"headers": bearer(jwt(claims(asn=[65001, 65002])))},
    ):
        equal(nets("65001", **who), ["20.0.3.0/25"], "one")
        equal(nets("65002", **who), ["20.0.3.0/25", "20.0.5.128/25"], "two")


def preview():
    """/v1/preview for the exchange, if the socket permits the command; without plans no lines of the plan."""
    who = bearer(TOKENS["exchange"])
    before = D.read()
    status, _, body = get("/v1/preview", who)
    equal(status, 403, "not permitted by the socket: %s" % body)
    for words, plans in (("", False), ("plans; ", True)):
        D.write(before.replace("restrict;", 'restrict; %sallow "show", "subscribe", "configure preview";' % words))
        D.run("configure")
        changed = D.read().replace("import filter f_in;", "import none;")
        check(changed != D.read(), "another import filter")
        D.write(changed)
        status, _, body = get("/v1/preview", who)
        equal(status, 200, body)
        objects = json.loads(body)["servers"][0]["objects"]
        equal(bool(objects[0]["lines"]), plans, "the plan: %r" % objects[0])
        equal(objects[-1]["type"], "preview", "the sums")
        check(objects[-1]["lost"] > 0, "routes are lost: %r" % objects[-1])
        D.write(changed + "protocol wrong { }")
        equal(get("/v1/preview", who)[0], 422, "a file with an error")
    D.write(before)
    D.run("configure")


def forged():
    """A wrong credential is an error, also for public pages."""
    good = jwt(claims())
    for token in (
        "x",
        TOKENS["65001"][:-1],
        TOKENS["65001"] + "0",
        hashlib.sha256(TOKENS["65001"].encode()).hexdigest(),
        jwt(claims(), secret=b"another secret of enough octets"),
        jwt(claims(exp=int(time.time()) - 1000)),
        jwt({"asn": 65001, "aud": "lg"}),
        jwt(claims(nbf=int(time.time()) + 1000)),
        jwt(claims(aud="other")),
        jwt(claims(asn="")),
        jwt(claims(), alg="none"),
        jwt(claims(), alg="HS512"),
        good[:-2],
        good.rsplit(".", 1)[0] + ".",
        good.replace(".", "..", 1),
        good.split(".")[0] + "." + b64(json.dumps(claims(asn="exchange")).encode()) + "." + good.split(".")[2],
    ):
        for target in (FILTERED % 65001, "/v1/status", "/"):
            status, _, body = get(target, bearer(token))
            equal(status, 401, "%s: %s" % (token, body))
    for value in ("Basic eA==", "Basic " + base64.b64encode(b"x:y").decode(), "Digest x", "nonsense"):
        equal(get(FILTERED % 65001, {"Authorization": value})[0], 401, value)
    # a header of a client that is no proxy counts nothing
    equal(get(FILTERED % 65001, {"X-Member-AS": "65001"})[0], 401, "no proxy")
    equal(get("/v1/status", {"X-Member-AS": "exchange"})[0], 200, "no proxy")
    equal(get(FILTERED % 65001, {"X-Member-AS": ""}, "127.0.0.2")[0], 401, "the proxy knows no member")
    equal(get(FILTERED % 65001, {"X-Member-AS": "nonsense"}, "127.0.0.2")[0], 400, "no AS number")
    equal(get(FILTERED % 65001, {"X-Member-As-": "65001"}, "127.0.0.2")[0], 401, "another header")
    line = "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" % (FILTERED % 65001)
    twice = "Authorization: Bearer %s\r\n" % TOKENS["65001"]
    check(G.raw((line + twice * 2 + "\r\n").encode()).startswith(b"HTTP/1.1 400"), "a header twice")
    check(G.raw((line + twice + "\r\n").encode()).startswith(b"HTTP/1.1 200"), "a header once")


def busy():
    """A proxy names its clients; each client has a bounded number of requests under way."""
    path = written("busy.conf", "connections 2\nproxy 127.0.0.2\nserver rs1 %s/absent.ctl\n" % D.dir)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(D.dir + "/absent.ctl")
        os.chmod(D.dir + "/absent.ctl", 0o777)
        silent.listen(50)
        g = Glass({}, "-c", path)

        def ask(client, source="127.0.0.2"):
            s = socket.create_connection(("127.0.0.1", g.port), 20 * SLOW, source_address=(source, 0))
            forwarded = "X-Forwarded-For: 192.0.2.77, %s\r\n" % client
            s.sendall(("GET /v1/routes?prefix=10.0.0.0/8 HTTP/1.1\r\nHost: a\r\n%s\r\n" % forwarded).encode())
            return s

        def status(s):
            return s.recv(4096).decode().split()[1]

        held = [ask("192.0.2.1"), ask("192.0.2.1"), ask("192.0.2.2")]
        held += [ask("192.0.2.%d" % i, "127.0.0.3") for i in (1, 2)]
        # each of them waits for the daemon
        wait_until(lambda: status(ask("192.0.2.1")) == "429", "the third of a client")
        wait_until(lambda: status(ask("192.0.2.9", "127.0.0.3")) == "429", "no proxy: the address of the connection")
        more = ask("192.0.2.2")
        wait_until(lambda: status(ask("192.0.2.2")) == "429", "the third of another client")
        equal({status(s) for s in held + [more]}, {"504"}, "the others wait")
        equal(g.stop(), 0, "the end")


def rates():
    """A client has a burst and a rate. The client of a proxy counts, and the exchange has no bound."""
    log = D.dir + "/requests.log"
    path = written(
        "rate.conf",
        "rate 1 hour burst 2\nlog %s\nproxy 127.0.0.2 header X-Member-AS\nserver rs1 %s/lg.ctl\ntoken exchange %s\n"
        % (log, D.dir, hashlib.sha256(TOKENS["exchange"].encode()).hexdigest()),
    )
    g = Glass({}, "-c", path, *(["-u", "root"] if os.getuid() == 0 else []))

    def ask(target, headers=None, source="127.0.0.1"):
        c = http.client.HTTPConnection("127.0.0.1", g.port, timeout=60 * SLOW, source_address=(source, 0))
        c.request("GET", target, headers=headers or {})
        r = c.getresponse()
        body = r.read().decode()
        c.close()
        return r.status, r.headers, body

    def client(address):
        return {"X-Forwarded-For": "192.0.2.1, " + address}

    equal([ask("/v1/status")[0] for _ in range(2)], [200, 200], "the burst")
    status, headers, body = ask("/v1/status")
    equal((status, json.loads(body)["title"]), (429, "Too Many Requests"), body)
    check(3500 < int(headers["Retry-After"]) <= 3600, headers["Retry-After"])
    check("Too many requests</h1>" in ask("/")[2], "a page")
    equal(ask("/v1/status", {"X-Forwarded-For": "192.0.2.9"})[0], 429, "no proxy names another client")
    for address in ("192.0.2.7", "2001:db8::1"):
        found = [ask("/v1/status", client(address), "127.0.0.2")[0] for _ in range(3)]
        equal(found, [200, 200, 429], "a client of the proxy: " + address)
    equal(ask("/v1/status", client("2001:db8::2"), "127.0.0.2")[0], 429, "an address of the same network")
    # a wrong token costs a request, so that nobody tries many tokens
    found = [ask("/v1/status", {**client("192.0.2.8"), **bearer("x%d" % i)}, "127.0.0.2")[0] for i in range(3)]
    equal(found, [401, 401, 429], "wrong tokens")
    all_ = {**client("192.0.2.7"), **bearer(TOKENS["exchange"])}
    equal({ask("/v1/status?x=" + TOKENS["exchange"], all_, "127.0.0.2")[0] for _ in range(5)}, {400}, "the exchange")
    check(b"405" in g.raw(b"POST /v1/status HTTP/1.1\r\nHost: a\r\n\r\n"), "another method")
    equal(g.stop(), 0, "the end")
    with open(log) as f:
        text = f.read()
    check(not [t for t in TOKENS.values() if t in text], "no token in the log")
    form = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (\S+) (GET|POST) (\S+) (\d{3}) (\d+) \d+\.\d{3}"
    lines = [re.fullmatch(form, line).groups() for line in text.splitlines()]
    equal(lines[0][:4], ("127.0.0.1", "GET", "/v1/status", "200"), "the first line")
    equal(lines[2], ("127.0.0.1", "GET", "/v1/status", "429", str(len(body))), "a refusal")
    equal([x for x in lines if x[0] == "2001:db8::1"][0][3], "200", "a client of the proxy")
    equal({x[2] for x in lines if x[3] == "400"}, {"/v1/status?x=*"}, "a token in the address")
    equal(lines[-1][1:4], ("POST", "/v1/status", "405"), "another method")
    equal(len(lines), 5 + 7 + 3 + 5 + 1, "each request has a line")


def logged():
    """The log on stderr; and a log that cannot be opened."""
    path = written("log.conf", "log stderr\nserver rs1 %s/lg.ctl\n" % D.dir)
    g = Glass({}, "-c", path)
    with open("/proc/%d/limits" % g.proc.pid) as f:
        check(not re.search(r"Max file size +0 +0 ", f.read()), "the log may grow")
    g.raw(b"GET /v1/tables HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    wait_until(lambda: " GET /v1/tables 200 " in g.said(), g.said)
    equal(g.stop(), 0, "the end")
    path = written("log.conf", "log /nosuch/log\nserver rs1 %s/lg.ctl\n" % D.dir)
    p = subprocess.run([program("ternhttp"), "-c", path], capture_output=True, text=True, timeout=20 * SLOW)
    check(p.returncode == 1 and "log /nosuch/log: No such file" in p.stderr, p.stderr)


def encrypted():
    """TLS: short and long answers, clients without TLS, and a wrong key."""
    if not shutil.which("openssl"):
        cannot_here("no openssl")
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2 -keyout"
    subprocess.run(
        ["openssl", *words.split(), D.dir + "/lg.key", "-out", D.dir + "/lg.pem"], check=True, capture_output=True
    )
    path = written("tls.conf", "tls lg.pem lg.key\nserver rs1 %s/lg.ctl\n" % D.dir)
    g = Glass({}, "-c", path)
    check("https://" in g.said(), g.said())
    context = ssl.create_default_context(cafile=D.dir + "/lg.pem")
    for _ in range(3):
        c = http.client.HTTPSConnection("localhost", g.port, timeout=60 * SLOW, context=context)
        for target in ("/v1/status", "/v1/members/65001/routes/filtered", "/style.css", "/"):
            c.request("GET", target)
            r = c.getresponse()
            equal((r.status, bool(r.read())), (200, True), target)
        check(c.sock.version() in ("TLSv1.2", "TLSv1.3"), c.sock.version())
        c.close()
    whole = b"GET /v1/status HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    check(b"200 OK" not in g.raw(whole), "a client without TLS")
    for k in range(0, 4000, 500):
        P2.update(["30.%d.%d.0/24" % divmod(i, 256) for i in range(k, k + 500)])

    def long_list():
        c = http.client.HTTPSConnection("localhost", g.port, timeout=60 * SLOW, context=context)
        c.request("GET", "/v1/members/65002/routes/accepted")
        r = c.getresponse()
        equal(r.getheader("Transfer-Encoding"), "chunked", "a stream")
        found = json.loads(r.read())["servers"][0]["objects"]
        c.close()
        return sum(o["type"] == "route" for o in found) == 4001

    wait_until(long_list, "a long list")
    equal(g.stop(), 0, "the end")
    written("other.key", open(D.dir + "/lg.key").read().replace("\n", "A\n", 2))
    path = written(
        "tls.conf",
        "listen 127.0.0.1:%d\ntls lg.pem other.key\nserver rs1 %s/lg.ctl\n" % (free_port(), D.dir),
    )
    p = subprocess.run([program("ternhttp"), "-c", path], capture_output=True, text=True, timeout=20 * SLOW)
    check(p.returncode == 1 and "the certificate or the key is wrong" in p.stderr, p.stderr)


def files():
    for text, want in (
        ("listen nonsense", "conf:1: ADDRESS:PORT is expected"),
        ("token 65001 abc", "conf:1: a SHA-256 digest"),
        ("\n\njwt HS256 absent", "conf:3: No such file"),
        ("server a b c", "too many words"),
        ("server a /x\nserver a /y", "conf:2: two servers have this name"),
    ):
        path = written("bad.conf", text + "\n")
        p = subprocess.run([program("ternhttp"), "-c", path], capture_output=True, text=True, timeout=20 * SLOW)
        check(p.returncode == 1 and want in p.stderr, "%s: %s" % (text, p.stderr))


case("public data", public)
case("anonymous visitors", refused)
case("members", members)
case("the exchange", exchange)
case("the login", login)
case("overrides and drains", overrides)
case("an override that accepts a route", acceptance)
case("a preview for the exchange", preview)
case("forged credentials", forged)
case("clients behind a proxy", busy)
case("filtered routes leave no trace", blind)
case("rates and the log of requests", rates)
case("the log on stderr", logged)
case("every page for three visitors", every_page)
case("TLS", encrypted)
case("wrong files", files)
equal(G.stop(), 0, "the end of ternhttp")
done()
