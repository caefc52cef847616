# SPDX-License-Identifier: GPL-3.0-or-later
"""subscribe routes: the routes of a prefix, of a member and of a search, then changes, withdrawals and changes of the
best route; a network that has no route yet; queries that are wrong or become wrong; rights; a client that never reads
and a client that is killed."""

from glass import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
MORE = """
cli "RUN/no.ctl" { restrict; deny "subscribe routes"; };
cli "RUN/noroute.ctl" { restrict; deny "show route"; };
"""
ALL = CONF.replace("PORT", str(PORT)) + MORE
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
D = Daemon(ALL, "rs1").start()
LG = D.dir + "/lg.ctl"
P1 = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", hold=0).establish()
P2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
P1.update(["20.0.1.0/24", "20.0.2.0/24"])
D.wait_established(2)


class Sub(Cli):
    """A subscription."""

    def __init__(self, query, path=LG):
        super().__init__(path, 60 * SLOW)
        self.send("json subscribe routes %s\n" % query)
        self.have = {}

    def next(self):
        line = self.line(60 * SLOW)
        check(line is not None and not re.match(r"\d{4} ", line), "the subscription has ended: %s" % line)
        o = json.loads(line[5:] if line.startswith("1100-") else line[1:])
        wrong = SCHEMA.errors(o)
        check(not wrong, "%s: %s" % (line, "; ".join(wrong)))
        key = o.get("table"), o.get("network"), o.get("protocol"), o.get("path_id")
        if o["type"] == "route":
            self.have[key] = o
        elif o["type"] == "withdrawn":
            check(key in self.have, "a withdrawal of nothing: %s" % o)
            del self.have[key]
        return o

    def begin(self):
        """The first look."""
        while True:
            o = self.next()
            if o["type"] == "snapshot":
                equal(o["routes"], len(self.have), "routes of the snapshot")
                return self

    def until(self, want):
        """Read until want(self.have)."""
        passed = []
        while not want(self.have):
            passed.append(self.next())
        return passed

    def nets(self):
        return sorted(k[1] for k in self.have)

    def ends(self):
        while True:
            line = self.line(60 * SLOW)
            if line is None or re.match(r"\d{4} ", line):
                return line


def best(have):
    return [k[2] for k, o in have.items() if o["best"]]


def prefix():
    """A prefix: the snapshot, another path, the best path changes, withdrawals."""
    wait_until(lambda: "20.0.2.0/24" in D.text("show route protocol p1"), "routes")
    s = Sub("20.0.1.0/24 all table all").begin()
    equal((s.nets(), best(s.have)), (["20.0.1.0/24"], ["p1"]), "the snapshot")
    P1.update(["20.0.9.0/24"])  # of no concern
    P2.update(["20.0.1.0/24"])
    o = s.until(lambda have: len(have) == 2)
    equal([(x["type"], x["protocol"]) for x in o], [("route", "p2")], "the new path alone")
    P1.update(["20.0.1.0/24"], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 77)))
    s.until(lambda have: "77" in str(have))
    P1.withdraw(["20.0.1.0/24"])
    s.until(lambda have: len(have) == 1 and best(have) == ["p2"])
    P2.withdraw(["20.0.1.0/24"])
    equal(s.until(lambda have: not have)[-1]["type"], "withdrawn", "the last path")
    P1.update(["20.0.1.0/24"])
    s.until(lambda have: best(have) == ["p1"])
    s.close()


def absent():
    """A network that has no route yet."""
    s = Sub("20.0.77.0/24 table all").begin()
    equal(s.have, {}, "no route")
    P2.update(["20.0.77.0/24"])
    s.until(lambda have: len(have) == 1)
    s.close()


def member():
    """The routes of a member, over the end of the session; routes that are sent to a member."""
    s = Sub("protocol p2 all").begin()
    to = Sub("export p1").begin()
    P2.update(["21.0.%d.0/24" % i for i in range(200)])
    s.until(lambda have: len([k for k in have if k[1].startswith("21.")]) == 200)
    to.until(lambda have: len([k for k in have if k[1].startswith("21.")]) == 200)
    D.run("disable p2")
    s.until(lambda have: not have)
    to.until(lambda have: not have)
    D.run("enable p2")
    s.close()
    to.close()


def wrong():
    """Wrong queries; a query that becomes wrong."""
    for query in ("nonsense", "protocol nobody", "why 20.0.1.0/24", "count", "table all stats", "filtered reasons"):
        check(D.code("json subscribe routes " + query) >= 8000, query)
    equal(D.code("subscribe routes"), 9001, "text")
    check("nobody" in D.text("json subscribe routes protocol nobody"), "the words of the query's error")
    s = Sub("protocol p3").begin()
    D.write(re.sub(r"protocol bgp p3.*\n", "", ALL))
    check(D.code("configure") in (3, 4), "configure")
    check(s.ends()[:1] in "89", "the protocol is gone")
    D.write(ALL)
    check(D.code("configure") in (3, 4), "configure")


def rights():
    for path in ("no.ctl", "noroute.ctl"):
        equal(Cli(D.dir + "/" + path).run("json subscribe routes")[-1][0], 8007, path)
    s = Sub("protocol p1").begin()
    D.write(ALL.replace('lg.ctl" { restrict;', 'lg.ctl" { restrict; deny "show route";'))
    check(D.code("configure") in (3, 4), "configure")
    equal(s.ends(), "8007 Access denied", "the right is gone")
    D.write(ALL)
    check(D.code("configure") in (3, 4), "configure")
    wait_until(lambda: Cli(LG).run("json show route count")[-1][0] < 8000, "the right is back")


def slow():
    """A client that never reads gets the present state when it reads; others do not wait."""
    fast, lazy, gone = Sub("all").begin(), Sub("all"), Sub("all")
    nets = ["22.%d.%d.0/24" % (i // 250, i % 250) for i in range(1500)]

    def reads(s, mark):
        """Read until all networks have the community @mark."""
        marked = lambda o: [65000, mark] in o["attributes"].get("bgp_community", [])
        left = set(nets) - {k[1] for k, o in s.have.items() if marked(o)}
        while left:
            o = s.next()
            if o["type"] == "route" and marked(o):
                left.discard(o["network"])

    for turn in range(4):
        for i in range(0, len(nets), 500):
            P1.update(nets[i : i + 500], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 100 + turn)))
        reads(fast, 100 + turn)
        equal(D.code("show status"), 13, "the daemon answers")
        if turn == 1:
            gone.close()
    lazy.begin()
    reads(lazy, 103)
    P1.withdraw(nets)
    for s in (fast, lazy):
        left = set(nets)
        while left:
            o = s.next()
            if o["type"] == "withdrawn":
                left.discard(o["network"])
        s.close()


prefix()
absent()
member()
wrong()
rights()
slow()
D.stop()
