# SPDX-License-Identifier: GPL-3.0-or-later
"""/v1/events of ternhttp: events of one and of two daemons, positions of a client that comes back, a configure
meanwhile, clients that are killed or never read, too many streams, and a daemon that goes and returns."""

from glass import *

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT, PORT2 = free_port(), free_port()
STREAMS = 200  # STREAMS_MAX
D = Daemon(CONF.replace("PORT", str(PORT)).replace("threads 2", "threads 4"), "rs1").start()
E = Daemon(CONF.replace("PORT", str(PORT2)).replace("10.0.0.1", "10.0.0.2"), "rs2").start()
G = Glass({"rs1": D.dir + "/lg.ctl", "rs2": E.dir + "/lg.ctl"}, "-n", "0")


class Stream:
    """A client of /v1/events."""

    def __init__(self, query="", last=None):
        self.c = http.client.HTTPConnection("127.0.0.1", G.port, timeout=60 * SLOW)
        self.c.request("GET", "/v1/events" + query, headers={"Last-Event-ID": last} if last else {})
        self.r = self.c.getresponse()
        self.id = None

    def begun(self):
        equal((self.r.status, self.r.headers["Content-Type"]), (200, "text/event-stream"), "a stream")
        equal(self.r.headers["Cache-Control"], "no-store", "caches")
        equal(self.r.readline(), b"retry: 3000\n", "the first line")
        return self

    def next(self):
        """(event, data); comments are passed over."""
        event, data = None, None
        while True:
            line = self.r.readline()
            check(line, "the stream has ended")
            key, _, value = line.decode().rstrip("\n").partition(": ")
            if key == "id":
                self.id = value
            elif key == "event":
                event = value
            elif key == "data":
                data = json.loads(value)
            elif not key and data is not None:
                return event, data

    def until(self, event, **want):
        while True:
            kind, data = self.next()
            if kind == event and all(data.get(k) == v for k, v in want.items()):
                return data

    def close(self):
        self.r.close()
        self.c.close()


def begun(query="", last=None):
    return Stream(query, last).begun()


def ready(server):
    """A stream of @server that gets new events: its position is known."""
    s = begun("?server=" + server)
    equal(s.next(), ("subscription", {"server": server, "type": "subscription"}), "the position")
    return s


def one_server():
    s = ready("rs1")
    other = ready("rs1")
    p = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", hold=0).establish()
    for x in s, other:
        e = x.until("session_up")
        equal((e["server"], e["type"], e["protocol"], e["as"]), ("rs1", "event", "p1", 65001), "up")
    check(re.match(r"\d+-\d+$", s.id), s.id)
    before = s.id
    p.cease()
    e = s.until("session_down")
    equal(e["cause"]["side"], "them", "the cause")
    D.run("configure")
    s.until("configured", command="configure")
    # a client that returns gets what it has missed
    back = begun("?server=rs1", last=before)
    equal([back.next()[0] for _ in range(2)], ["session_down", "configured"], "missed")
    equal(back.id, s.id, "the position")
    since = begun("?server=rs1&since=" + before)
    equal(since.next()[0], "session_down", "since")
    for x in s, other, back, since:
        x.close()


def both_servers():
    a, b = ready("rs1"), ready("rs2")
    s = begun()
    equal({s.next()[1]["server"] for _ in range(2)}, {"rs1", "rs2"}, "positions")
    D.run("reload p1")
    E.run("reload p1")
    got = {s.until("reload", protocols="p1")["server"] for _ in range(2)}
    equal(got, {"rs1", "rs2"}, "both servers")
    m = re.match(r"rs1=(\d+-\d+),rs2=(\d+-\d+)$", s.id)
    check(m, s.id)
    a.until("reload", protocols="p1")
    equal(a.id, m.group(1), "the id of one")
    before = s.id
    E.run("reload p2")
    s.until("reload", protocols="p2", server="rs2")
    back = begun(last=before)
    equal(back.next()[1]["protocols"], "p2", "only the missed one")
    equal(back.id, s.id, "the position")
    for x in a, b, s, back:
        x.close()


def wrong():
    for query in "?since=x", "?since=1-", "?server=rs1&since=rs1=1-1-1", "?since=1-1":
        G.problem("/v1/events" + query, 400)
    G.problem("/v1/events?server=none", 404)
    G.problem("/v1/events?from=p1", 400)
    status, headers, _ = G.get("/v1/events", "HEAD")
    equal((status, headers["Content-Type"]), (200, "text/event-stream"), "HEAD")
    s = begun("?server=rs1&since=7-7")
    equal(s.next(), ("gap", {"server": "rs1", "type": "gap", "reason": "restart"}), "another run")
    equal(s.next()[0], "started", "everything")
    s.close()


def never_reads():
    lazy, gone, s = ready("rs1"), ready("rs1"), ready("rs1")
    cnt = 3000
    for i in range(0, cnt, 100):
        c = Cli(D.ctl)
        c.send("reload p1\n" * 100)
        for _ in range(100):
            c.reply()
        c.close()
        if i == 500:
            gone.close()
        for _ in range(100):
            s.until("reload", protocols="p1")
    equal(len(D.run("show protocols p1")) > 0, True, "the daemon answers")
    check(G.json("/v1/status")["servers"], "ternhttp answers")
    # what the client gets is in order, with a gap where the tail has moved on, or the connection has ended
    try:
        last = 0
        while last < int(s.id.split("-")[1]):
            event, _ = lazy.next()
            nr = int(lazy.id.split("-")[1])
            check(nr > last or event == "gap", (nr, last))
            last = nr
    except (Failed, OSError, http.client.HTTPException):
        pass
    lazy.close()
    s.close()


def too_many():
    # closed streams of the cases before may still count
    all = [Stream("?server=rs2") for _ in range(STREAMS + 1)]
    statuses = [s.r.status for s in all]
    check(set(statuses) == {200, 503} and statuses == sorted(statuses), statuses)
    for s in all:
        s.close()

    # closed connections are noticed without an event
    def room():
        s = Stream("?server=rs2")
        s.close()
        return s.r.status == 200

    wait_until(room, "room for a stream")


def restarts():
    s = ready("rs1")
    before = s.id
    D.stop()
    equal(s.until("away"), {"server": "rs1", "type": "away"}, "away")
    D.start()
    equal(s.next()[0], "back", "back")
    equal(s.next(), ("gap", dict(s_gap(s), server="rs1")), "a gap")
    equal(s.next()[0], "started", "the new run")
    check(s.id.split("-")[0] > before.split("-")[0], (s.id, before))
    s.close()
    back = begun("?server=rs1", last=before)
    # the last events of the run before came, or were lost with that run
    kinds = []
    while kinds[-1:] != ["started"]:
        kinds.append(back.next()[0])
    check("gap" in kinds, kinds)
    back.close()


def stopped():
    """A daemon that is stopped is away, also for streams of routes and for a stream that begins meanwhile."""
    s, live = ready("rs2"), begun("?server=rs2&prefix=20.0.1.0/24")
    live.until("snapshot")
    freeze(E.pid)
    try:
        equal(s.next(), ("away", {"server": "rs2", "type": "away"}), "away")
        equal(live.next()[0], "away", "the stream of routes")
        late = begun("?server=rs2")
        equal([late.next()[0] for _ in range(2)], ["subscription", "away"], "a stream that begins meanwhile")
        back = begun("?server=rs2", last=s.id)
        equal(back.next()[0], "away", "a client that returns meanwhile")
    finally:
        os.kill(E.pid, signal.SIGCONT)
    for x in s, late, back:
        equal(x.next(), ("back", {"server": "rs2", "type": "back"}), "back")
    live.until("subscription")
    for x in s, live, late, back:
        x.close()


def s_gap(s):
    return {"type": "gap", "reason": "restart", "id": re.sub("-.*", "-0", s.id)}


def ends():
    s = ready("rs1")
    equal(G.stop(), 0, "ternhttp ends")
    try:
        while s.r.readline():
            pass
    except (OSError, http.client.HTTPException):
        pass


case("events of one server, and a client that returns", one_server)
case("events of both servers", both_servers)
case("wrong requests, unknown positions", wrong)
case("clients that never read, or are killed", never_reads)
case("too many streams", too_many)
case("a daemon goes and returns", restarts)
case("a daemon is stopped, and goes on", stopped)
case("ternhttp ends beside a stream", ends)
D.stop()
E.stop()
done()
