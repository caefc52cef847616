# SPDX-License-Identifier: GPL-3.0-or-later
"""`override add block`, `accept`, `limit`, `no export`: routes go and return without a request to a peer that can be
spared; with all ways of keeping routes, overlay tables, `secondary`, add-path, drains and limits; the end of the time,
`override remove`, `override extend`; `configure` and a restart of the daemon; what shows an override."""

import json

from harness import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
SERVER = "127.0.10.1"
GSHUT = 0xFFFF0000
HEAD = 'router id 10.0.0.1; log "RUN/bird.log" all;\nprotocol device {}\n'
A, B, C, MORE = "20.1.0.0/24", "20.2.0.0/24", "20.3.0.0/24", "20.1.0.128/25"
FILTER = "import filter { if net.len > 24 then reject; bgp_med = 7; accept; };"


def texts(octets):
    while octets:
        size = (octets[0] + 7) // 8
        yield "%s/%d" % (socket.inet_ntoa((octets[1 : 1 + size] + bytes(4))[:4]), octets[0])
        octets = octets[1 + size :]


class Member(Peer):
    """.has: {net: path}; .comms: {net: communities}."""

    def __init__(self, port, k, caps=b""):
        super().__init__(port, "127.0.11.%d" % k, 65000 + k, hold=0, server=SERVER, caps=caps)
        self.has, self.comms, self.asked, self.ended = {}, {}, 0, None

    def take(self, body):
        gone = 2 + struct.unpack("!H", body[:2])[0]
        end = gone + 2 + struct.unpack("!H", body[gone : gone + 2])[0]
        attrs, path, comms = body[gone + 2 : end], (), ()
        while attrs:
            code, head = attrs[1], 4 if attrs[0] & 0x10 else 3
            length = int.from_bytes(attrs[2:head], "big")
            value, attrs = attrs[head : head + length], attrs[head + length :]
            if code == 2 and value:
                path = struct.unpack("!%dI" % value[1], value[2:])
            elif code == 8:
                comms = struct.unpack("!%dI" % (length // 4), value)
        for net in texts(body[2:gone]):
            self.has.pop(net, None)
        for net in texts(body[end:]):
            self.has[net], self.comms[net] = path, comms

    def listen(self):
        while self.ended is None:
            try:
                got = self.receive(0.05)
            except (socket.timeout, BlockingIOError):
                return
            if got is None:
                self.ended = b""
            elif got[0] == UPDATE:
                self.take(got[1])
            elif got[0] == NOTIFICATION:
                self.ended = got[1]
            elif got[0] == 5:
                self.asked += 1

    def wait(self, nets, what):
        def seen():
            self.listen()
            return set(self.has) == set(nets)

        wait_until(seen, lambda: "%s: %s, not %s" % (what, sorted(self.has), sorted(nets)))


class World:
    """Member 1 announces A, B, MORE; member 2 announces C and, with a longer path, B; member 3 listens."""

    def __init__(self, chan=FILTER, table=False, head="", more="", caps=b""):
        self.chan, self.table, self.head, self.more, self.caps = chan, table, head, more, caps
        self.path = os.path.join(temp_dir(), "state")
        self.port = free_port()
        self.d = Daemon(self.conf())
        self.d.start("--state", self.path)
        self.m = {}
        self.join()

    def conf(self, chan=None, skip=()):
        text = HEAD + self.head
        for k in (1, 2, 3):
            if k in skip:
                continue
            own = ""
            if self.table:
                text += (
                    "ipv4 table t%d;\n"
                    "protocol pipe p%d { table master4; peer table t%d; import all; export all; }\n"
                    % (
                        k,
                        k,
                        k,
                    )
                )
                own = "table t%d; " % k
            text += (
                "protocol bgp m%d { local %s port PORT as 65000; neighbor 127.0.11.%d as %d; rs client; direct; "
                "passive; connect delay time 600; error wait time 1, 1; %s ipv4 { %sexport all; %s }; }\n"
                % (k, SERVER, k, 65000 + k, self.more, own, chan or self.chan)
            )
        return text.replace("PORT", str(self.port))

    def join(self, members=(1, 2, 3)):
        for k in members:
            self.m[k] = join_when_taken(
                lambda n=k: Member(self.port, n, self.caps if n == 1 else b""), "member %d is taken" % k
            )
        if 1 in members:
            self.m[1].update([A, B, MORE])
        if 2 in members:
            self.m[2].update([B], [65002, 64999])
            self.m[2].update([C])

    def json(self, command):
        told = [json.loads(t) for c, t in self.d.run("json " + command) if c == 1100]
        for o in told:
            check(not SCHEMA.errors(o), "%s: %s" % (command, SCHEMA.errors(o)))
        return told

    def shown(self):
        return [o for o in self.json("show overrides") if o["type"] == "override"]

    def tells_acceptance(self):
        """`why` names the override for the route that the filter refuses, and for no other route."""
        why = self.d.text("show route why %s" % MORE)
        check("best, accepted by an override of an operator: override 1 until 20" in why and "agreed" in why, why)
        equal(self.told(A), {A: ""}, "the filter accepts the route")
        check("override 1 until 20" in self.told(MORE)[MORE] and "agreed" in self.told(MORE)[MORE], self.told(MORE))

    def told(self, net):
        told = [o for o in self.json("show route why " + net) if o["type"] == "why" and o["protocol"] == "m1"]
        return {o["network"]: o.get("accepted_by", "") for o in told}

    def problems(self):
        return [o["text"] for o in self.json("show health") if o["type"] == "problem" and o["kind"] == "override"]

    def read(self):
        with open(self.path) as f:
            return f.read()

    def again(self, kill=False):
        if kill:
            self.d.kill()
        else:
            self.d.stop()
        self.d.start("--state", self.path)
        self.join()

    def end(self):
        self.d.stop()


WAYS = {
    "nothing kept": {},
    "filtered routes kept": {"chan": FILTER + "import keep filtered on;"},
    "an import table": {"chan": FILTER + "import table on;"},
    "a constant filter": {"chan": "import all;"},
    "overlay tables": {"table": True},
    "secondary": {"chan": FILTER + "secondary on;", "head": "ipv4 table master4 sorted;\n"},
    "two threads": {"head": "threads 2;\n"},
    "an export table": {"chan": FILTER + "export table on;"},
}


def ways(name):
    """Block and no export: at once, also for later announcements, and back again without a request to the peer."""
    w = World(**WAYS[name])
    more = [MORE] if name == "a constant filter" else []
    w.m[3].wait([A, B, C] + more, "before")
    asked = w.m[1].asked
    text = w.d.text('override add block 20.1.0.0/24 from as65001 for 4h reason "ticket 4711"')
    check("override 1 until 20" in text and "block 20.1.0.0/24 from as65001" in text, text)
    w.m[3].wait([B, C] + more, "blocked")
    w.m[1].update([A], [65001, 65099])
    w.m[1].update(["20.7.0.0/24"])
    w.m[3].wait([B, C, "20.7.0.0/24"] + more, "an announcement of the blocked network")
    why = w.d.text("show route why %s" % A)
    check("blocked by an override of an operator" in why and "override 1 until 20" in why, why)
    check("ticket 4711" in why, why)
    equal([o["reason"] for o in w.json("show route why " + A) if o.get("protocol") == "m1"], ["override"], "JSON")
    w.d.run('override add block 20.0.0.0/8+ from m1 reason "all of it"')
    w.m[3].wait([B, C], "blocked with all longer prefixes")
    equal(w.m[3].has[B], (65002, 64999), "the other path of B")
    w.d.run("override remove 2")
    w.m[3].wait([B, C, "20.7.0.0/24"] + more, "the second has ended")
    w.d.run("override remove 1")
    w.m[3].wait([A, B, C, "20.7.0.0/24"] + more, "back")
    equal(w.m[3].has[A], (65001, 65099), "as last announced")
    equal(w.m[1].asked, asked, "no refresh was asked for")
    w.m[1].withdraw(["20.7.0.0/24"])
    w.d.run('override add no export 20.2.0.0/24 to m3 reason "loop"')
    w.m[3].wait([A, C] + more, "not exported")
    w.m[2].wait([A, B] + more, "to others")
    why = w.d.text("show route why %s to m3" % B)
    check("kept back by an override of an operator" in why and "loop" in why, why)
    told = [o["reason"] for o in w.json("show route why %s to m3" % B) if o["type"] == "why_to" and "reason" in o]
    check("override_export" in told, "JSON: %r" % told)
    w.d.run('override add no export to as65003 reason "nothing"')
    w.m[3].wait([], "nothing is exported")
    w.d.run("override remove 4")
    w.d.run("override remove 3")
    w.m[3].wait([A, B, C] + more, "all again")
    equal(w.read(), 'tern state 1\ncounter "override" last="4"\nend 1\n', "the numbers are not used again")
    w.end()


def accepts():
    """Accept: kept routes pass at once; else the peer is asked; the end refuses the routes again."""
    for chan, table in (FILTER, False), (FILTER + "import keep filtered on;", False), (FILTER, True):
        w = World(chan=chan, table=table)
        w.m[3].wait([A, B, C], "before")
        w.m[1].listen()
        asked = w.m[1].asked
        w.d.run('override add accept 20.1.0.128/25 from as65001 reason "agreed"')

        def answered():
            w.m[1].listen()
            if w.m[1].asked > asked:
                w.m[1].update([A, B, MORE])
                w.m[1].asked = asked
            w.m[3].listen()
            return MORE in w.m[3].has

        wait_until(answered, "the route passes")
        w.m[3].wait([A, B, C, MORE], "accepted")
        w.tells_acceptance()
        w.d.run('override add accept 20.1.0.0/24 from m1 reason "idle"')
        w.tells_acceptance()
        w.d.run("override remove 2")
        text = w.d.text('override add block 20.1.0.0/24+ from as65001 reason "no"')
        check("Warning: override 3 conflicts with override 1: the block precedes" in text, text)
        w.m[3].wait([B, C], "the block precedes")
        equal(w.told(MORE), {"20.1.0.128/25": ""}, "a block precedes the acceptance")
        w.d.run("override remove 3")
        w.m[3].wait([A, B, C, MORE], "back")
        w.d.run("override remove 1")

        def refused():
            w.m[1].listen()
            if w.m[1].asked > asked:
                w.m[1].update([A, B, MORE])
                w.m[1].asked = asked
            w.m[3].listen()
            return MORE not in w.m[3].has

        wait_until(refused, "the route is refused again")
        w.end()


def limits():
    """Limit: another number in place of the configured limit, with its action; without a limit of the file the surplus
    is blocked."""
    w = World(chan="import all; import limit 3 action restart;")
    w.m[3].wait([A, B, C, MORE], "before")
    text = w.d.text('override add limit 4 from m1 reason "a new customer"')
    check("override 1 until" in text, text)
    w.m[1].update(["20.7.0.0/24"])
    w.m[3].wait([A, B, C, MORE, "20.7.0.0/24"], "a fourth route")
    check(re.search(r"Import limit: +4\n", w.d.text("show protocols all m1")), "the limit in force")
    text = w.d.text("show members m1")
    check("100% import" in text, text)
    text = w.d.text("configure check")
    check("override 1 stays until 20" in text and "limit 4 from m1: a new customer" in text, text)
    check("override 1: import limit 4 in place of 3 of m1.ipv4" in text, text)
    w.m[1].update(["20.8.0.0/24"])
    wait_until(lambda: w.m[1].listen() or w.m[1].ended is not None, "a fifth route ends the session")
    equal(w.m[1].ended[:2], b"\6\1", "the limit")
    w.end()
    w = World(chan="import all;")
    w.d.run('override add limit 3 from as65001 reason "a leak"')
    w.m[1].update(["20.7.0.0/24"])
    arrives()
    w.m[3].wait([A, B, C, MORE], "the surplus is blocked")
    w.d.run("override remove 1")
    w.m[1].update(["20.8.0.0/24"])
    w.m[3].wait([A, B, C, MORE, "20.8.0.0/24"], "no limit any more")
    w.end()


def ends():
    """The end of the time, `extend`, a crash and a stop; an override whose time is over at the start ends at once."""
    w = World()
    w.m[3].wait([A, B, C], "before")
    w.d.run('override add block 20.1.0.0/24 from as65001 for 100 reason "short"')
    w.d.run('override add block 20.2.0.0/24 from m1 for 1h reason "long"')
    w.m[3].wait([B, C], "blocked")
    first = w.shown()[0]
    equal(
        {k: first[k] for k in ("id", "kind", "network", "as", "sessions", "reason", "what", "longer")},
        {
            "id": 1,
            "kind": "block",
            "network": A,
            "as": 65001,
            "sessions": 1,
            "reason": "short",
            "what": "block 20.1.0.0/24 from as65001",
            "longer": False,
        },
        "show overrides",
    )
    check(first["by"].startswith("uid ") and first["until_unix_s"] - first["since_unix_s"] == 100, "%r" % first)
    text = w.d.text("show overrides")
    check(re.search(r"^1: block 20.1.0.0/24 from as65001 until 20.*, sessions: 1, by uid .*: short$", text, re.M), text)
    equal(len(w.problems()), 2, "show health")
    for kill in (False, True):
        w.again(kill)
        w.m[3].wait([B, C], "after a restart")
        equal(w.m[3].has[B], (65002, 64999), "the path of member 2")
        equal([o["id"] for o in w.shown()], [1, 2], "after a restart")
    w.d.run("override extend 1 for 200")
    equal(w.shown()[0]["until_unix_s"] > first["until_unix_s"], True, "extended")
    spread(120)
    equal([o["id"] for o in w.shown()], [1, 2], "the first end has passed")
    w.m[3].wait([B, C], "still blocked")
    spread(120)
    w.m[3].wait([A, B, C], "the time is over")
    equal([o["id"] for o in w.shown()], [2], "one is left")
    w.d.stop()
    spread(3600)
    w.d.start("--state", w.path)
    equal(w.shown(), [], "its time was over at the start")
    w.join()
    w.m[3].wait([A, B, C], "all again")
    equal(w.m[3].has[B], (65001,), "the path of member 1")
    w.end()


def configures():
    """`configure` leaves overrides: another filter, a restart of the session, a session that leaves."""
    w = World()
    w.d.run('override add block 20.1.0.0/24 from as65001 reason "leak"')
    w.d.run('override add no export 20.3.0.0/24 to m3 reason "loop"')
    w.m[3].wait([B], "overridden")
    w.d.write(w.conf(chan="import filter { bgp_med = 9; accept; };"))
    text = w.d.text("configure")
    check("override 1 stays until 20" in text and "block 20.1.0.0/24 from as65001: leak" in text, text)
    for m in w.m.values():
        m.listen()
    w.m[1].update([A, B, MORE])
    w.m[3].wait([B, MORE], "another filter")
    w.d.write(w.conf(chan="import all; import table on;"))
    w.d.run("configure")
    w.join()
    w.m[3].wait([B, MORE], "another session")
    w.d.write(w.conf(skip=(1,)))
    text = w.d.text("configure")
    check("Warning: override 1 has no effect: the configuration has no such session" in text, text)
    w.end()


def drains():
    """A block while a session drains, and the end of the drain while the block stands."""
    for chan in (FILTER, FILTER + "import keep filtered on;"):
        w = World(chan=chan)
        w.m[3].wait([A, B, C], "before")
        w.d.run('override add block 20.1.0.0/24 from as65001 reason "leak"')
        w.m[3].wait([B, C], "blocked")
        w.d.run("drain m1 for 1h")
        w.m[1].update(["20.7.0.0/24"])
        w.m[3].wait([B, C, "20.7.0.0/24"], "draining")
        w.d.run("override remove 1")
        w.m[3].wait([A, B, C, "20.7.0.0/24"], "the block has ended")
        equal(w.m[3].comms[A], (GSHUT,), "a drained route")
        w.d.run('override add block 20.1.0.0/24 from as65001 reason "leak"')
        w.m[3].wait([B, C, "20.7.0.0/24"], "blocked again")
        w.d.run("undrain m1")
        w.d.run("override remove 2")
        w.m[3].wait([A, B, C, "20.7.0.0/24"], "all again")

        def bare():
            w.m[3].listen()
            return not any(w.m[3].comms[n] for n in (A, "20.7.0.0/24")) and w.m[3].has[B] == (65001,)

        wait_until(bare, lambda: "without the community: %r" % w.m[3].comms)
        w.end()


def away():
    """Stale routes of a member that restarts: blocked, back, and blocked when the member is back."""
    for chan in (FILTER, FILTER + "import keep filtered on;"):
        w = World(chan=chan, caps=b"\x40\x06\x01\x2c\0\1\1\x80")
        w.m[3].wait([A, B, C], "before")
        w.m[1].reset()
        w.m[3].wait([A, B, C], "stale")
        w.d.run('override add block 20.1.0.0/24 from m1 reason "leak"')
        w.m[3].wait([B, C], "a stale route is blocked")
        w.d.run("override remove 1")
        w.m[3].wait([A, B, C], "a stale route is back")
        w.d.run('override add block 20.1.0.0/24 from m1 reason "leak"')
        w.join((1,))
        w.m[1].end_of_rib()
        arrives()
        w.m[3].wait([B, C], "the member is back")
        w.d.run("override remove 2")
        w.m[3].wait([A, B, C], "all again")
        w.end()


def full():
    """The end of a block does not exceed an import limit: the surplus stays blocked."""
    for keep in ("", "import keep filtered on;"):
        w = World(chan="import all; import limit 3 action block; " + keep)
        w.m[3].wait([A, B, C, MORE], "before")
        w.d.run('override add block 20.1.0.0/24 from m1 reason "leak"')
        w.m[3].wait([B, C, MORE], "blocked")
        w.m[1].update(["20.7.0.0/24"])
        w.m[3].wait([B, C, MORE, "20.7.0.0/24"], "a route takes the place")
        w.d.run("override remove 1")
        arrives()
        w.m[3].wait([B, C, MORE, "20.7.0.0/24"], "the limit stands")
        w.end()


def wrong():
    """Errors, restricted sockets, records of the state file that are no overrides, the bound."""
    w = World()
    for text in (
        "override",
        "override add",
        "override add block",
        "override add block 20.1.0.0/24",
        "override add block 20.1.0.0/33 from as65001 reason \"a\"",
        "override add block 20.1.0.0/24 to as65001 reason \"a\"",
        "override add block 20.1.0.0/24 from nosuch reason \"a\"",
        "override add block 20.1.0.0/24 from as65001",
        "override add block 20.1.0.0/24 from as65001 reason",
        "override add block 20.1.0.0/24 from as65001 reason \"\"",
        "override add block 20.1.0.0/24 from as65001 reason \"a\" for 4h",
        "override add limit from as65001 reason \"a\"",
        "override add no import to m1 reason \"a\"",
        "override remove",
        "override remove 0",
        "override extend 1",
        "override extend 1 for",
    ):
        equal(w.d.code(text), 9001, text)
    equal(w.d.code("override remove 7"), 8000, "no such override")
    text = w.d.text('override add block 20.1.0.0/24 from as64999 reason "early"')
    check("Warning: override 1 has no effect now: no such session" in text, text)
    cli = Cli(w.d.ctl)
    cli.run("restrict")
    equal(cli.run('override add block 20.1.0.0/24 from m1 reason "a"')[-1][0], 8007, "a restricted session")
    equal(cli.run("override remove 1")[-1][0], 8007, "a restricted session")
    equal(cli.run("show overrides")[-1][0], 0, "a restricted session looks")
    cli.close()
    w.d.stop()
    with open(w.path, "w") as f:
        f.write(
            'tern state 1\noverride "1" kind="eat" reason="a"\noverride "x" kind="block"\n'
            'override "9" kind="limit" limit="5" protocol="m1" since="1" until="4000000000" reason="ok"\nend 3\n'
        )
    w.d.start("--state", w.path)
    equal([o["id"] for o in w.shown()], [9], "the one that is whole")
    check("isn't an override" in w.d.whole_log(), "the log has the others")
    w.join()
    w.d.run('override add block 20.1.0.0/24 from m1 reason "a"')
    equal([o["id"] for o in w.shown()], [9, 10], "the next number")
    check('override "x" kind="block"' in w.read(), "a record that is no override stays")
    w.end()


for name in WAYS:
    case(name, ways, name)
case("accept", accepts)
case("limits", limits)
case("the end", ends)
case("configure", configures)
case("drains", drains)
case("a member that is away", away)
case("a limit that is reached", full)
case("errors", wrong)
done()
