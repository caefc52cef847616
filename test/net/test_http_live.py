# SPDX-License-Identifier: GPL-3.0-or-later
"""/v1/events with a prefix or an AS: the present routes, changes and withdrawals, of two daemons; wrong requests; too
many streams; clients that leave, are killed or never read; a daemon that dies and returns. The script of the pages:
pages name the stream of their events, and the policy of content permits the script alone."""

from glass import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT, PORT2 = free_port(), free_port()
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
D = Daemon(CONF.replace("PORT", str(PORT)), "rs1").start()
E = Daemon(CONF.replace("PORT", str(PORT2)).replace("10.0.0.1", "10.0.0.2"), "rs2").start()
P1 = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", hold=0).establish()
P2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
Q1 = Peer(PORT2, "127.0.11.1", 65001, server="127.0.10.1", hold=0).establish()
P1.update(["20.0.1.0/24", "20.0.2.0/24", "20.0.3.0/25"])
P2.update(["20.0.2.0/24"])
Q1.update(["20.0.1.0/24"])
D.wait_established(2)
E.wait_established(1)
G = Glass({"rs1": D.dir + "/lg.ctl", "rs2": E.dir + "/lg.ctl"}, "-n", "0")


class Stream:
    """A client, and the routes that the client knows."""

    def __init__(self, query):
        self.c = http.client.HTTPConnection("127.0.0.1", G.port, timeout=60 * SLOW)
        self.c.request("GET", "/v1/events" + query)
        self.r = self.c.getresponse()
        self.have = {}
        if self.r.status == 200:
            equal(self.r.headers["Content-Type"], "text/event-stream", "a stream")
            equal(self.r.readline(), b"retry: 3000\n", "the first line")

    def next(self):
        kind, o = None, None
        while True:
            line = self.r.readline()
            check(line, "the stream has ended")
            key, _, value = line.decode().rstrip("\n").partition(": ")
            if key == "event":
                kind = value
            elif key == "data":
                o = json.loads(value)
            elif not key and o is not None:
                break
        server = o.pop("server")
        equal(o["type"], kind, "kind")
        if kind != "away":
            wrong = SCHEMA.errors(o)
            check(not wrong, "%s: %s" % (o, "; ".join(wrong)))
        key = server, o.get("table"), o.get("network"), o.get("protocol")
        if kind == "subscription":
            self.have = {k: v for k, v in self.have.items() if k[0] != server}
        elif kind == "route":
            self.have[key] = o
        elif kind == "withdrawn":
            del self.have[key]
        return kind, server, o

    def until(self, want):
        while not want(self.have):
            self.next()
        return self

    def snapshot(self, cnt=1):
        while cnt:
            cnt -= self.next()[0] == "snapshot"
        return self

    def nets(self, server="rs1"):
        return sorted(k[2] for k in self.have if k[0] == server)

    def close(self):
        self.r.close()
        self.c.close()


def prefix():
    wait_until(lambda: "20.0.2.0/24" in D.text("show route protocol p2"), "routes")
    wait_until(lambda: "20.0.1.0/24" in E.text("show route protocol p1"), "routes")
    s = Stream("?prefix=20.0.1.0/24").snapshot(2)
    equal((s.nets("rs1"), s.nets("rs2")), (["20.0.1.0/24"], ["20.0.1.0/24"]), "both servers")
    P2.update(["20.0.1.0/24"])
    s.until(lambda have: len([k for k in have if k[0] == "rs1"]) == 2)
    Q1.withdraw(["20.0.1.0/24"])
    s.until(lambda have: not [k for k in have if k[0] == "rs2"])
    s.close()
    s = Stream("?prefix=20.0.99.1&server=rs1").snapshot()
    equal(s.have, {}, "an address without a route")
    P1.update(["20.0.99.1/32"])  # refused by the filter
    P2.update(["20.0.98.0/24"])
    one = Stream("?prefix=20.0.98.0/24&server=rs1").until(lambda have: len(have) == 1)
    equal(s.have, {}, "refused routes are not public here")
    one.close()
    s.close()


def member():
    s = Stream("?as=65001&server=rs1").snapshot()
    equal(s.nets(), ["20.0.1.0/24", "20.0.2.0/24"], "the accepted routes of the member")
    P1.withdraw(["20.0.2.0/24"])
    s.until(lambda have: len(have) == 1)
    P1.update(["20.0.2.0/24"])
    s.until(lambda have: len(have) == 2)
    s.close()


def wrong():
    for query, status in (
        ("?prefix=x", 400),
        ("?as=0", 400),
        ("?as=1&prefix=20.0.1.0/24", 400),
        ("?prefix=20.0.1.0/24&server=no", 404),
    ):
        status_, headers, body = G.get("/v1/events" + query)
        equal((status_, headers["Content-Type"]), (status, "application/problem+json"), query + body)


def too_many():
    """Four streams of a client; a client that leaves makes room; events and pages have their own places."""
    some = [Stream("?prefix=20.0.1.0/24&server=rs1").snapshot() for _ in range(4)]
    equal(Stream("?prefix=20.0.1.0/24&server=rs1").r.status, 503, "the fifth stream of a client")
    equal(G.get("/v1/status")[0], 200, "status")
    equal(G.get("/")[0], 200, "a page")
    for s in some:
        s.close()
    again = []

    def room():
        s = Stream("?prefix=20.0.1.0/24&server=rs1")
        again.append(s)
        return s.r.status == 200

    wait_until(room, "room")
    again[-1].snapshot()
    for s in again:
        s.close()


def slow():
    """A client that never reads stops its own stream alone."""
    nets = ["22.%d.%d.0/24" % (i // 250, i % 250) for i in range(2000)]
    lazy = socket.create_connection(("127.0.0.1", G.port), 60 * SLOW)
    lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    lazy.sendall(b"GET /v1/events?as=65001&server=rs1 HTTP/1.1\r\nHost: a\r\n\r\n")
    fast = Stream("?as=65001&server=rs1").snapshot()
    for turn in range(3):
        for i in range(0, len(nets), 500):
            P1.update(nets[i : i + 500], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 100 + turn)))
        left = set(nets)
        while left:
            kind, _, o = fast.next()
            if kind == "route" and [65000, 100 + turn] in o["attributes"].get("bgp_community", []):
                left.discard(o["network"])
        equal(G.get("/v1/status")[0], 200, "others are served")
        equal(D.code("show status"), 13, "the daemon answers")
    lazy.close()
    P1.withdraw(nets)
    left = set(nets)
    while left:
        kind, _, o = fast.next()
        if kind == "withdrawn":
            left.discard(o["network"])
    fast.close()


def returns():
    """The daemon dies: `away`; the daemon returns: all routes anew."""
    s = Stream("?prefix=20.0.1.0/24&server=rs1").snapshot()
    check(s.have, "routes")
    D.kill()
    while s.next()[0] != "away":
        pass
    D.start()
    while s.next()[0] != "subscription":
        pass
    s.snapshot()
    equal(s.have, {}, "the members are not back")
    p = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
    p.update(["20.0.1.0/24"])
    s.until(lambda have: len(have) == 1)
    s.close()


def script():
    for target, events in (
        ("/", "/v1/events"),
        ("/?server=rs1", "/v1/events?server=rs1"),
        ("/member/65001", "/v1/events"),
        ("/prefix/20.0.1.0/24", "/v1/events?prefix=20.0.1.0/24"),
        ("/prefix/20.0.1.0/24?server=rs1", "/v1/events?prefix=20.0.1.0/24&amp;server=rs1"),
        ("/rpki", None),
        ("/member/65001/accepted", None),
    ):
        status, headers, body = G.get(target)
        equal(status, 200, target)
        found = re.findall(r"<script([^>]*)></script>", body)
        equal(found, [' src="/live.js" data-events="%s" defer' % events] if events else [], target)
        equal(body.count("<script"), len(found), "no other script")
        policy = headers["Content-Security-Policy"]
        check("script-src 'self';" in policy and "connect-src 'self';" in policy and "unsafe" not in policy, policy)
    status, headers, body = G.get("/live.js")
    equal((status, headers["Content-Type"]), (200, "text/javascript; charset=utf-8"), "the script")
    check("EventSource" in body and "innerHTML" not in body and "eval" not in body, body)


case("a prefix on two servers", prefix)
case("a member", member)
case("wrong requests", wrong)
case("too many streams", too_many)
case("a client that never reads", slow)
case("a daemon that returns", returns)
case("the script of the pages", script)
equal(G.stop(), 0, "the end")
D.stop()
E.stop()
done()
