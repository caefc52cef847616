# SPDX-License-Identifier: GPL-3.0-or-later
"""`drain` and `undrain` (RFC 8326): members are told GRACEFUL_SHUTDOWN, take another path, and then the session closes
with a message. All ways of keeping routes; overlay tables, `secondary`, add-path, graceful restart, limits, members of
a range; `configure`, `enable`, `disable`, `restart` and a restart of the daemon while a session drains."""

import json

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
SERVER = "127.0.10.1"
GSHUT = 0xFFFF0000
HEAD = 'router id 10.0.0.1; log "RUN/bird.log" all;\nprotocol device {}\n'
ONLY, BOTH, OTHER = "20.1.0.0/24", "20.2.0.0/24", "20.3.0.0/24"
MEMBERS = (1, 2, 3)


def texts(octets, ids):
    while octets:
        if ids:
            octets = octets[4:]
        size = (octets[0] + 7) // 8
        yield "%s/%d" % (socket.inet_ntoa((octets[1 : 1 + size] + bytes(4))[:4]), octets[0])
        octets = octets[1 + size :]


class Member(Peer):
    """.has: {net: {(path, communities)}}, with one element but for add-path."""

    def __init__(self, port, k, caps=b"", ids=False):
        super().__init__(port, "127.0.11.%d" % k, 65000 + k, hold=0, server=SERVER, caps=caps)
        self.has, self.ids, self.asked, self.ended = {}, ids, 0, None

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
        for net in texts(body[2:gone], self.ids):
            self.has.pop(net, None)
        for net in texts(body[end:], self.ids):
            if not self.ids:
                self.has[net] = set()
            self.has.setdefault(net, set()).add((path, comms))

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

    def wait(self, want, what):
        def seen():
            self.listen()
            return self.has == want

        wait_until(seen, lambda: "%s: %s, not %s" % (what, self.has, want))

    def wait_end(self, what, limit_s=30):
        def seen():
            self.listen()
            return self.ended is not None

        wait_until(seen, what, limit_s)
        return self.ended


def member_conf(k, chan="", more="", table=False):
    own = "table t%d; " % k if table else ""
    text = "ipv4 table t%d;\nprotocol pipe p%d { table master4; peer table t%d; import all; export all; }\n" % (k, k, k)
    return (text if table else "") + (
        "protocol bgp m%d { local %s port PORT as 65000; neighbor 127.0.11.%d as %d; rs client; direct; passive; "
        "connect delay time 600; error wait time 1, 1; %s ipv4 { %sexport all; %s }; }\n"
        % (
            k,
            SERVER,
            k,
            65000 + k,
            more,
            own,
            chan if "import all" in chan or "import filter" in chan else "import all; " + chan,
        )
    )


class World:
    """A daemon with three members: 1 and 2 announce, 3 listens."""

    def __init__(self, chan="", table=False, head="", more="", caps=b"", ids=False):
        self.chan, self.table, self.head, self.more = chan, table, head, more
        self.dir = temp_dir()
        self.path = os.path.join(self.dir, "state")
        self.port = free_port()
        self.d = Daemon(self.conf())
        self.d.start("--state", self.path)
        self.m = {}
        for k in MEMBERS:
            self.join(k, caps if k == 1 else b"", ids and k == 3)

    def conf(self, extra="", chan=None, skip=(), more=None):
        more = self.more if more is None else more
        text = (
            HEAD
            + self.head
            + "".join(
                member_conf(k, self.chan if chan is None else chan, more, self.table) for k in MEMBERS if k not in skip
            )
        )
        return text.replace("PORT", str(self.port)) + extra

    def join(self, k, caps=b"", ids=False):
        if ids:
            caps += b"\x45\x04\0\1\1\1"
        self.m[k] = join_when_taken(lambda: Member(self.port, k, caps, ids), "member %d is taken" % k)
        self.give(k)
        self.m[k].end_of_rib()

    def give(self, k):
        if k == 1:
            self.m[1].update([ONLY, BOTH])
        elif k == 2:
            self.m[2].update([BOTH, OTHER], [65002, 64999])

    def usual(self):
        """What members are told without a drain."""
        first = {((65001,), ())}
        second = {((65002, 64999), ())}
        return {1: {OTHER: second}, 2: {ONLY: first, BOTH: first}, 3: {ONLY: first, BOTH: first, OTHER: second}}

    def drained(self, both):
        """... while member 1 drains. @both: what member 2 is told of BOTH."""
        first = {((65001,), (GSHUT,))}
        second = {((65002, 64999), ())}
        two = {ONLY: first}
        if both:
            two[BOTH] = first
        return {1: {OTHER: {((65002, 64999), (GSHUT,))}}, 2: two, 3: {ONLY: first, BOTH: second, OTHER: second}}

    def left(self):
        """... when member 1 has gone."""
        second = {((65002, 64999), ())}
        return {2: {}, 3: {BOTH: second, OTHER: second}}

    def wait(self, want, what):
        for k, has in want.items():
            self.m[k].wait(has, "%s, member %d" % (what, k))

    def drain(self, name="m1"):
        said = [json.loads(t) for c, t in self.d.run("json show protocols all " + name) if c == 1100]
        return said[0].get("drain")

    def state(self, name="m1"):
        said = [json.loads(t) for c, t in self.d.run("json show protocols all " + name) if c == 1100]
        return said[0]["state"]

    def problems(self, kind):
        said = [json.loads(t) for c, t in self.d.run("json show health") if c == 1100]
        return [o["text"] for o in said if o["type"] == "problem" and o["kind"] == kind]

    def again(self, kill=False):
        if kill:
            self.d.kill()
        else:
            self.d.stop()
        self.d.start("--state", self.path)

    def read(self):
        with open(self.path) as f:
            return f.read()

    def end(self):
        self.d.stop()


WAYS = {
    "nothing kept": {},
    "filtered routes kept": {"chan": "import keep filtered on;"},
    "an import table": {"chan": "import table on;"},
    "a filter that edits": {"chan": "import filter { preference = 200; bgp_med = 7; accept; };"},
    "overlay tables": {"table": True},
    "overlay tables, routes kept": {"table": True, "chan": "import keep filtered on;"},
    "secondary": {"chan": "secondary on;", "head": "", "sorted": True},
    "two threads": {"head": "threads 2;\n"},
    "an export table": {"chan": "export table on;"},
}


def ways(name):
    """Both directions, the wait, the Cease; back again; the end of a drain half way asks no peer for its routes."""
    opts = dict(WAYS[name])
    if opts.pop("sorted", False):
        opts["head"] = "ipv4 table master4 sorted;\n"
    w = World(**opts)
    # with `secondary` a peer whose own route is best is told the next
    both = name == "secondary"
    usual, drained = w.usual(), w.drained(both)
    if both:
        usual[1] = {OTHER: usual[1][OTHER], BOTH: {((65002, 64999), ())}}
        drained[1] = {n: {((65002, 64999), (GSHUT,))} for n in (OTHER, BOTH)}
    else:
        drained[1] = {n: {((65002, 64999), (GSHUT,))} for n in (OTHER, BOTH)}
        drained[2] = {ONLY: {((65001,), (GSHUT,))}}
    w.wait(usual, "before")
    rows = [t for c, t in w.d.run('drain m1 for 1h "back at six"') if t]
    check("m1: draining, at most 3600 s" in rows[0], "%r" % rows)
    w.wait(drained, "draining")
    w.m[1].update(["20.9.0.0/24"])  # a new route, too
    for k in (2, 3):
        drained[k]["20.9.0.0/24"] = {((65001,), (GSHUT,))}
        usual[k]["20.9.0.0/24"] = {((65001,), ())}
    w.wait(drained, "a new route")
    text = w.d.text("show route for 20.1.0.1 all table %s" % ("t1" if opts.get("table") else "master4"))
    check("(65535,0)" in text and re.search(r"\[m1 [^]]*\][ *]+\(0[/)]", text), text)
    asked = w.m[1].asked
    check("m1: the drain has ended" in w.d.text("undrain m1"), "undrain")
    w.wait(usual, "undrained")
    equal(w.m[1].asked, asked, "no refresh was asked for")
    equal(w.drain(), None, "no drain")
    text = w.d.text("show route for 20.1.0.1 all table %s" % ("t1" if opts.get("table") else "master4"))
    check("65535" not in text and "(0)" not in text, text)
    w.d.run('drain m1 "back at six"')
    w.wait(drained, "draining again")
    equal(w.drain()["phase"], "draining", "phase")
    words = w.m[1].wait_end("the session is closed")
    equal(words[:2], b"\6\2", "administrative shutdown")
    equal(words[3 : 3 + words[2]], b"back at six", "RFC 9003")
    left = w.left()
    w.wait(left, "drained")
    equal((w.drain()["phase"], w.state()), ("drained", "down"), "phase")
    w.d.run("undrain m1")
    w.join(1)
    del usual[2]["20.9.0.0/24"], usual[3]["20.9.0.0/24"]
    w.wait(usual, "back")
    w.end()


def waits_for():
    """A network whose best route stays the member's own although another path exists keeps the session until the time
    is over; with the last such network the session closes at once."""
    w = World(chan="import filter { if bgp_path.first = 65002 then preference = 0; accept; };")
    w.wait(w.usual(), "before")
    w.d.run("drain m1 for 100")
    wait_until(lambda: w.drain()["networks_left"] == 1, lambda: "%r" % w.drain())
    found = w.problems("drain")
    check(
        len(found) == 1 and re.search(r"m1 has been draining for \d+ s, at most for \d+ s more: 1 networks", found[0]),
        found,
    )
    text = w.d.text("show protocols all m1")
    check("draining" in text and "Networks left: 1, at most until 20" in text and "by uid" in text, text)
    since = w.drain()["since_unix_s"]
    spread(60)
    equal(w.drain()["phase"], "draining", "after a minute")
    w.m[1].wait_end("the time is over", 60)
    equal(w.drain()["phase"], "drained", "the time is over")
    equal(w.drain()["until_unix_s"] - since, 100, "the time")
    w.d.run("undrain m1")
    w.join(1)
    w.wait(w.usual(), "back")
    w.d.run("drain m1 for 1h")
    wait_until(lambda: w.drain()["networks_left"] == 1, lambda: "%r" % w.drain())
    w.m[2].withdraw([BOTH])
    w.m[1].wait_end("no network is left")
    w.end()


def two():
    """Two members drain: the path of the other that drains is no other path."""
    w = World()
    w.wait(w.usual(), "before")
    rows = [t for c, t in w.d.run('drain "m[12]" for 1h') if c == 8003]
    equal(rows, ["No protocols match"], "globs have * and ? alone")
    w.d.run("drain all for 1h")
    for k in MEMBERS:
        w.m[k].wait_end("member %d" % k)
    w.d.run('undrain "*"')
    for k in MEMBERS:
        w.join(k)
    w.wait(w.usual(), "back")
    w.end()


def again():
    """A drain survives a stop and a crash, half way and at its end; a record of the state file that is broken stops
    nothing."""
    for kill in (False, True):
        w = World()
        w.d.run('drain m1 for 1h "back at six"')
        text = w.read()
        check(re.search(r'^drain "m1" since="\d+" until="\d+" message="back at .*" by="uid', text, re.M), text)
        until = w.drain()["until_unix_s"]
        w.again(kill)
        equal((w.drain()["phase"], w.drain()["until_unix_s"]), ("draining", until), "after a restart")
        for k in MEMBERS:
            w.join(k)
        drained = w.drained(False)
        drained[2] = {ONLY: {((65001,), (GSHUT,))}}
        w.wait({2: drained[2], 3: drained[3]}, "the drain goes on")
        w.m[1].wait_end("the session closes")
        w.again(kill)
        equal((w.drain()["phase"], w.state()), ("drained", "down"), "after a second restart")
        check("drained" in w.d.text("show protocols m1"), "show protocols")
        check("hold" not in "%r" % w.problems("hold") and len(w.problems("drain")) == 1, "health")
        w.d.run("enable m1")
        equal((w.drain(), w.read()), (None, "tern state 1\nend 0\n"), "enable ends a drain")
        for k in MEMBERS:
            w.join(k)
        w.wait(w.usual(), "back")
        w.end()
    w = World()
    w.d.stop()
    with open(w.path, "w") as f:
        f.write('tern state 1\ndrain "m1" until="soon"\ndrain "gone" since="1" until="2"\nend 2\n')
    w.d.start("--state", w.path)
    wait_until(lambda: w.drain()["phase"] == "drained", "a drain without a time ends at once")
    check('drain "gone"' in w.read(), w.read())
    w.end()


def configures():
    """`configure` goes on draining: unchanged, with another filter, with a restart of the session, removed."""
    w = World()
    w.wait(w.usual(), "before")
    w.d.run("drain m1 for 1h")
    drained = w.drained(False)
    drained[2] = {ONLY: {((65001,), (GSHUT,))}}
    drained[1] = {n: {((65002, 64999), (GSHUT,))} for n in (OTHER, BOTH)}
    w.wait(drained, "draining")
    w.d.write(w.conf())
    text = w.d.text("configure check") + w.d.text("configure")
    equal(text.count("protocol m1: goes on draining, at most until 20"), 2, text)
    w.d.write(w.conf(chan="import filter { preference = 300; accept; };"))
    w.d.run("configure")
    arrives()
    w.wait(drained, "another filter")
    w.d.write(w.conf(chan="import table on;"))
    text = w.d.text("configure")
    check("protocol m1: restarts" in text and "protocol m1: goes on draining" in text, text)
    for k in MEMBERS:
        w.join(k)
    w.wait(drained, "another session")
    w.m[1].wait_end("the session closes", 60)
    w.d.write(w.conf())
    text = w.d.text("configure")
    check("protocol m1: drained, stays down until `undrain m1`" in text, text)
    equal(w.state(), "down", "it stays down")
    w.d.write(w.conf(skip=(1,)))
    w.d.run("configure")
    wait_until(lambda: w.read() == "tern state 1\nend 0\n", w.read)
    w.d.write(w.conf())
    w.d.run("configure")
    w.join(1)
    equal(w.drain(), None, "a protocol that leaves takes its drain along")
    w.end()


def meanwhile():
    """`disable`, `enable`, `restart` and a second `drain` while a session drains, and of one that is down."""
    w = World()
    w.wait(w.usual(), "before")
    check("m1: not drained" in w.d.text("undrain m1"), "undrain of no drain")
    w.d.run("drain m1 for 1h")
    check("already enabled" in w.d.text("enable m1"), "enable")
    equal(w.drain()["phase"], "draining", "enable leaves the drain")
    until = w.drain()["until_unix_s"]
    w.d.run('drain m1 for 2h "later"')
    check(w.drain()["until_unix_s"] >= until + 3600 and w.drain()["message"] == "later", "%r" % w.drain())
    w.d.run("restart m1")
    w.join(1)
    w.wait({3: w.drained(False)[3]}, "a restart leaves the drain")
    w.d.run('disable m1 "now"')
    words = w.m[1].wait_end("disable")
    equal(words[3:], b"now", "its message")
    equal(w.drain()["phase"], "drained", "disable ends the wait")
    w.d.run("configure")
    equal(w.state(), "down", "it is held")
    check("m1: already drained" in w.d.text("drain m1"), "drain of one that is drained")
    w.d.run("undrain m1")
    w.join(1)
    w.wait({3: w.usual()[3]}, "back")
    w.d.run("disable m1")
    check("m1: already disabled" in w.d.text("drain m1"), "drain of one that is disabled")
    equal(w.drain(), None, "no drain")
    for text in (
        "drain",
        "drain m1 for",
        "drain m1 for 0",
        "drain m1 for 400d",
        "drain m1 for 4 weeks",
        "drain nosuch",
        'drain m1 "a" "b"',
        "undrain",
        'undrain m1 "a"',
    ):
        equal(w.d.code(text), 9001, text)
    equal(w.d.code('drain "nosuch*"'), 8003, "no such protocols")
    w.end()


def restarting():
    """Graceful restart: the session that closes is not kept as stale; of a member that breaks while it drains the
    routes stay stale and drained."""
    hard = bytes((0x40, 0x06, 0x41, 0x2C, 0, 1, 1, 0x80))
    w = World(caps=hard, more="graceful restart notification on;")
    w.wait(w.usual(), "before")
    w.d.run('drain m1 for 1h "bye"')
    w.wait({3: w.drained(False)[3]}, "draining")
    words = w.m[1].wait_end("the session closes")
    equal(words[:4], b"\6\x09\6\2", "a hard reset (RFC 8538)")
    w.wait(w.left(), "nothing is stale")
    w.end()
    w = World(caps=hard)
    w.wait(w.usual(), "before")
    w.d.run("drain m1 for 1h")
    w.m[1].reset()
    w.wait({3: w.drained(False)[3]}, "away")
    w.join(1, hard)
    w.wait({3: w.drained(False)[3]}, "back")
    w.m[1].wait_end("the session closes")
    w.wait(w.left(), "nothing is stale")
    w.end()


def limits():
    """The second announcement of a network is no further network of a limit; a member that a limit has disabled is
    drained."""
    w = World(chan="import limit 2 action disable;", more="")
    w.wait(w.usual(), "before")
    w.d.run("drain m1 for 1h")
    w.wait({3: w.drained(False)[3]}, "draining")
    w.d.run("reload in m1")
    w.d.run("undrain m1")
    w.wait(w.usual(), "undrained")
    w.d.run("drain m1 for 1h")
    w.m[1].update(["20.9.0.0/24"])
    words = w.m[1].wait_end("the limit")
    equal(words[:2], b"\6\1", "the limit")
    wait_until(lambda: w.drain()["phase"] == "drained", lambda: "%r" % w.drain())
    w.end()


def all_paths():
    """A member that is told all paths (RFC 7911) is told the drained path, too."""
    w = World(more="", chan="add paths on;", ids=True)
    first, second = ((65001,), ()), ((65002, 64999), ())
    w.m[3].wait({ONLY: {first}, BOTH: {first, second}, OTHER: {second}}, "before")
    w.m[3].has = {}
    w.d.run("drain m1 for 1h")
    gone = ((65001,), (GSHUT,))
    w.m[3].wait({ONLY: {gone}, BOTH: {gone}}, "draining: the changed paths alone")
    w.m[1].wait_end("the session closes")
    w.end()


def ranges():
    """A member of `neighbor range`: the record has the address; the range itself has no session."""
    conf = HEAD + (
        "protocol bgp rs { local %s port PORT as 65000; neighbor range 127.0.11.0/24 external; rs client; direct; "
        'dynamic name "dyn"; connect delay time 600; ipv4 { import all; export all; }; }\n' % SERVER
    )
    w = World.__new__(World)
    w.port = free_port()
    w.dir = temp_dir()
    w.path = os.path.join(w.dir, "state")
    w.d = Daemon(conf.replace("PORT", str(w.port)))
    w.d.start("--state", w.path)
    w.m = {}
    for k in MEMBERS:
        w.join(k)
    w.wait(w.usual(), "before")
    check("rs: has no session" in w.d.text("drain rs"), "the range")
    w.d.run("drain dyn1 for 1h")
    check('drain "rs@127.0.11.1"' in w.read(), w.read())
    w.wait({3: w.drained(False)[3]}, "draining")
    w.again()
    for k in (2, 3, 1):
        w.join(k)
    name = [n for n in ("dyn1", "dyn2", "dyn3") if w.drain(n)]
    equal(len(name), 1, "the member with the address")
    w.wait({3: w.drained(False)[3]}, "the drain goes on")
    w.m[1].wait_end("the session closes")
    w.d.run("undrain " + name[0])
    w.join(1)
    w.wait(w.usual(), "back")
    w.end()


def heard():
    """Restricted sockets, events, the audit trail, show members."""
    w = World(head='log "RUN/audit.log" { audit };\n')
    cli = Cli(w.d.ctl)
    cli.run("restrict")
    equal((cli.run("drain m1")[-1][0], cli.run("undrain m1")[-1][0]), (8007, 8007), "a restricted session")
    cli.close()
    events = Cli(w.d.ctl)
    events.send(b"json subscribe events since all\n")
    w.d.run('drain m1 "bye"')
    w.m[1].wait_end("the session closes")
    w.d.run("undrain m1")
    phases = []

    def all_phases():
        try:
            line = events.line(0.5)
        except (socket.timeout, BlockingIOError):
            return False
        o = json.loads(line[line.index("{") :]) if "{" in line else {}
        if o.get("kind") == "drain":
            phases.append((o["protocol"], o["phase"], o["message"]))
        return len(phases) == 3

    wait_until(all_phases, lambda: "%r" % phases)
    equal(phases, [("m1", p, "bye") for p in ("draining", "drained", "ended")], "events")
    events.close()
    w.join(1)
    wait_until(lambda: w.state() == "up", "m1 is up")
    w.d.run("drain m1")
    check(re.search(r"127.0.11.1 +draining", w.d.text("show members")), w.d.text("show members"))
    said = [json.loads(t) for c, t in w.d.run("json show members") if c == 1100]
    equal([o["drain"]["phase"] for o in said if o.get("name") == "m1"], ["draining"], "show members")
    w.end()
    with open(os.path.join(w.d.dir, "audit.log")) as f:
        text = f.read()
    check("command: drain m1" in text and "command: undrain m1" in text, text)


for name in WAYS:
    case(name, ways, name)
case("what a drain waits for", waits_for)
case("two drain", two)
case("a restart of the daemon", again)
case("configure", configures)
case("other commands meanwhile", meanwhile)
case("graceful restart", restarting)
case("limits", limits)
case("all paths", all_paths)
case("a range of neighbors", ranges)
case("who hears of it", heard)
done()
