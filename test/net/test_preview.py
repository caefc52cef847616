# SPDX-License-Identifier: GPL-3.0-or-later
"""`configure preview` foretells what `configure` does to the routes of each member: random configurations and routes,
the preview of another configuration, then `configure`, and what each member has gained and lost. Ways of keeping
received routes, `secondary`, add-path, two threads; a session that ends, a member without kept routes, stale routes; a
second preview, a broken file, a client that leaves."""

import json
import random

from harness import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")
SERVER = "127.0.10.1"
HEAD = 'router id 10.0.0.1; log "RUN/bird.log" all;\nprotocol device {}\n'
with open(os.path.join(SRC, "doc/json.schema.json")) as schema_file:
    SCHEMA = Schema(json.load(schema_file))
NETS = ["20.%d.0.0/16" % n for n in range(1, 9)] + ["20.1.%d.0/24" % n for n in range(1, 5)]
SEED = int(os.environ.get("TERN_SEED", "1"))
ROUNDS = size(40, 8)


def texts(octets, ids):
    while octets:
        rid = 0
        if ids:
            rid, octets = struct.unpack("!I", octets[:4])[0], octets[4:]
        count = (octets[0] + 7) // 8
        yield "%s/%d" % (socket.inet_ntoa((octets[1 : 1 + count] + bytes(4))[:4]), octets[0]), rid
        octets = octets[1 + count :]


class Member(Peer):
    """.has: {(net, path id): octets of the attributes}."""

    def __init__(self, port, k, ids=False, caps=b""):
        if ids:
            caps += b"\x45\x04\x00\x01\x01\x01"
        super().__init__(port, "127.0.11.%d" % k, 65000 + k, hold=0, server=SERVER, caps=caps)
        self.has, self.asked, self.ended, self.ids = {}, 0, False, ids

    def listen(self):
        while not self.ended:
            try:
                got = self.receive(0.05)
            except (socket.timeout, BlockingIOError):
                return
            if got is None or got[0] == NOTIFICATION:
                self.ended = True
            elif got[0] == UPDATE:
                body = got[1]
                gone = 2 + struct.unpack("!H", body[:2])[0]
                end = gone + 2 + struct.unpack("!H", body[gone : gone + 2])[0]
                for key in texts(body[2:gone], self.ids):
                    self.has.pop(key, None)
                for key in texts(body[end:], self.ids):
                    self.has[key] = body[gone + 2 : end]
            elif got[0] == 5:
                self.asked += 1


def numbers(nets):
    return "[ %s ]" % ", ".join(nets)


class World:
    """Four members with random routes. .conf(): a random configuration."""

    def __init__(self, seed, **fixed):
        self.r = random.Random(seed)
        r = self.r
        self.kept = {k: r.choice(["import keep filtered on;", "import table on;", ""]) for k in range(1, 5)}
        self.way = {k: r.choice(["", "", "secondary on;", "add paths tx;", "export table on;"]) for k in range(1, 5)}
        self.head = r.choice(["", "threads 2;\n"])
        self.caps = {}
        self.more = ""
        self.__dict__.update(fixed)
        if any("secondary" in w for w in self.way.values()):
            self.head += "ipv4 table master4 sorted;\n"
        self.port = free_port()
        self.parts = {k: self.part(k) for k in range(1, 5)}
        self.d = Daemon(self.conf())
        self.d.start()
        self.m, self.sent = {}, {}
        for k in range(1, 5):
            self.join(k)
        self.rest()

    def join(self, k):
        r = self.r
        self.m[k] = join_when_taken(
            lambda: Member(self.port, k, "add paths" in self.way[k], self.caps.get(k, b"")), "member %d is taken" % k
        )
        self.sent[k] = []
        for net in r.sample(NETS, r.randint(3, 9)):
            path = [65000 + k] + [64500 + r.randint(0, 3) for _ in range(r.randint(0, 2))]
            extra = b""
            if r.random() < 0.4:
                extra = attribute(0x80, 4, struct.pack("!I", r.randint(0, 2)))
            if r.random() < 0.5:
                extra += attribute(0xC0, 8, struct.pack("!HH", 65000, r.randint(1, 6)))
            self.sent[k].append((net, path, extra))
        self.announce(k)

    def announce(self, k):
        for net, path, extra in self.sent[k]:
            self.m[k].update([net], path, extra=extra)
        self.m[k].end_of_rib()

    def statement(self, writes):
        r = self.r
        nets = numbers(r.sample(NETS, r.randint(1, 4)))
        return r.choice(
            [
                "if net ~ %s then reject;" % nets,
                "if net.len > 16 then reject;",
                "if bgp_path ~ [= * 6450%d * =] then reject;" % r.randint(0, 3),
                "if (65000,%d) ~ bgp_community then reject;" % r.randint(1, 6),
                "if bgp_path.len > 2 then reject;",
            ]
            + (
                [
                    "bgp_med = %d;" % r.randint(0, 9),
                    "if net ~ %s then preference = %d;" % (nets, r.randint(90, 110)),
                    "bgp_community.add((65000,%d));" % r.randint(1, 6),
                    "if net ~ %s then bgp_path.prepend(65099);" % nets,
                ]
                if writes
                else []
            )
        )

    def filter(self, export):
        r = self.r
        if r.random() < 0.2:
            return "all"
        if r.random() < 0.05:
            return "none"
        return "filter { %s accept; }" % " ".join(self.statement(True) for _ in range(r.randint(1, 2)))

    def part(self, k):
        return (self.filter(False), self.filter(True), self.r.choice([100, 100, 100, 120]))

    def conf(self):
        text = HEAD + self.head
        for k, part in self.parts.items():
            if part is None:
                continue
            text += (
                "protocol bgp m%d { local %s port PORT as 65000; neighbor 127.0.11.%d as %d; rs client; direct; "
                "passive; connect delay time 600; error wait time 1, 1; "
                "ipv4 { preference %d; import %s; export %s; %s %s }; }\n"
                % (k, SERVER, k, 65000 + k, part[2], part[0], part[1], self.kept[k], self.way[k])
            )
        return re.sub("(filter [{].*?[}]);", r"\1;", text + self.more).replace("PORT", str(self.port))

    def change(self):
        """Another configuration of some members; the imports of members without kept routes stay."""
        r = self.r
        for k in r.sample(sorted(self.parts), r.randint(1, 3)):
            old = self.parts[k]
            new = self.part(k)
            if not self.kept[k]:
                new = (old[0], new[1], old[2])
            self.parts[k] = new

    def rest(self):
        """All is sent: nothing comes for a while."""
        for _ in range(3):
            arrives()
            for m in self.m.values():
                m.listen()

    def state(self):
        self.rest()
        return {k: dict(m.has) for k, m in self.m.items() if not m.ended}

    def preview(self, words=""):
        path = os.path.join(temp_dir(), "next.conf")
        with open(path, "w") as f:
            f.write(self.conf().replace("RUN", os.path.dirname(self.d.conf)))
        return self.json('configure preview "%s" %slimit 1000' % (path, words))

    def json(self, command):
        objects = [json.loads(t) for c, t in self.d.run("json " + command) if c == 1100]
        wrong = [e for o in objects for e in SCHEMA.errors(o)]
        check(not wrong, "not of the schema: %s" % wrong[:3])
        return objects

    def end(self):
        self.d.stop()


def channels(reply):
    check(reply[-1].get("ok"), "the preview: %r" % reply[-1])
    return {o["protocol"]: o for o in reply if o["type"] == "preview_channel"}


def told(o, what):
    """The networks that the preview names, each as often as routes change."""
    if o is None:
        return []
    rows = o["export"][what + "_routes"]
    equal(len(rows), o["export"][what], "%s of %s" % (what, o["protocol"]))
    return sorted(x["network"] for x in rows)


def foretold(w, what):
    """The preview of the present w.conf(), then `configure`: equal gains, losses and changes."""
    before = w.state()
    reply = w.preview()
    again = w.state()
    equal(again, before, "%s: the preview changes nothing" % what)
    named = channels(reply)
    w.d.write(w.conf())
    w.d.run("configure")
    for k, m in w.m.items():
        # asked for routes: a member without kept routes whose filter changed
        m.listen()
    after = w.state()
    for k in after:
        a, b = before[k], after[k]
        o = named.get("m%d" % k)
        for word, want in (
            ("gained", set(b) - set(a)),
            ("lost", set(a) - set(b)),
            ("changed", {n for n in set(a) & set(b) if a[n] != b[n]}),
        ):
            equal(told(o, word), sorted(net for net, _ in want), "%s: %s by m%d" % (what, word, k))
    return reply


def story():
    """Counts, reasons and places for an operator."""
    w = World(SEED, kept={k: "import keep filtered on;" for k in range(1, 5)}, way={k: "" for k in range(1, 5)})
    w.parts = {k: ("all", "all", 100) for k in range(1, 5)}
    w.d.write(w.conf())
    w.d.run("configure")
    before = w.state()
    nets = sorted({n for n, _, _ in w.sent[1]})
    w.parts[1] = ("filter { if net ~ %s then reject; accept; }" % numbers(nets[:1]), "all", 100)
    w.parts[2] = ("all", "none", 100)
    reply = w.preview()
    named = channels(reply)
    equal(named["m1"]["import"]["lost"], 1, "the import of member 1")
    row = named["m1"]["import"]["lost_routes"][0]
    equal((row["network"], row["reason"]), (nets[0], "import_filter"), "the lost route")
    check(row["file"].endswith("next.conf") and row["line"] > 0, "the place: %r" % row)
    equal(named["m2"]["export"]["lost"], len(before[2]), "all routes of member 2")
    equal(named["m2"]["export"]["reasons"], [{"reason": "export_filter", "routes": len(before[2])}], "why")
    sums = [o for o in reply if o["type"] == "preview"][0]
    equal((sums["closed"], sums["sessions"]), (0, 4), "sessions")
    plan = [o for o in reply if o["type"] == "plan"][0]["lines"]
    check("protocol m2: refiltered: ipv4 export" in plan, "the plan: %r" % plan)
    text = w.d.text('configure preview "%s"' % os.path.join(temp_dir(), "missing.conf"))
    check("No such file" in text or "annot" in text, text)
    foretold(w, "the story")
    w.end()


def ends():
    """A session that ends takes its routes along; `for` limits the reply to a member."""
    w = World(SEED, kept={k: "import keep filtered on;" for k in range(1, 5)})
    w.parts[1] = None
    reply = w.preview()
    named = channels(reply)
    equal(named["m1"]["session"], "removed", "member 1")
    equal([o for o in reply if o["type"] == "preview"][0]["closed"], 1, "sessions")
    equal(set(channels(w.preview("for m2 "))) - {"m2"}, set(), "for m2")
    foretold(w, "member 1 is removed")
    check(w.m[1].ended, "the session has ended")
    w.end()


def kinds():
    """An instance becomes another protocol of the same name: a session in quarantine, and back."""
    routes = "protocol static late { ipv4; route 20.250.0.0/24 unreachable; }\n"
    w = World(SEED, more=routes)
    for quarantine in ("", "quarantine; "):
        w.more = (
            "protocol bgp late { local %s port PORT as 65000; neighbor 127.0.11.9 as 65009; rs client; direct; "
            "passive; %sipv4 { import all; export all; }; }\n" % (SERVER, quarantine)
        )
        foretold(w, "bgp in place of static; %s" % quarantine)
        w.more = routes
        named = channels(w.preview())
        equal(named.get("m1", {}).get("lost", 0), 0, "a session without routes becomes static routes")
        w.d.write(w.conf())
        w.d.run("configure")
    w.end()


GR = b"\x40\x06\x00\x78\x00\x01\x01\x80"  # graceful restart, 120 s, IPv4 with the forwarding state


def stale():
    """Stale routes of a member that is away: kept routes pass the new filter, others are withdrawn."""
    for kept in ("import keep filtered on;", ""):
        w = World(SEED, kept={1: kept, 2: "", 3: "", 4: ""}, way={k: "" for k in range(1, 5)}, caps={1: GR})
        w.parts = {k: ("all", "all", 100) for k in range(1, 5)}
        w.d.write(w.conf())
        w.d.run("configure")
        w.rest()
        if not kept:
            w.announce(1)
        w.state()
        w.m[1].reset()
        w.m[1].ended = True
        wait_until(lambda: "stale" in w.d.text("show protocols all m1").lower(), "stale routes")
        w.parts[1] = ("filter { if net.len > 16 then reject; accept; }", "all", 100)
        named = foretold(w, "stale routes, %s" % (kept or "not kept"))
        lost = [o for o in named if o.get("protocol") == "m1"][0]["import"]["lost"]
        want = [n for n, _, _ in w.sent[1] if not kept or n.endswith("/24")]
        equal(lost, len(want), "lost imports of member 1")
        w.end()


def unknown():
    """Without kept routes the reply says which received routes are unknown."""
    w = World(SEED, kept={k: "" for k in range(1, 5)}, way={k: "" for k in range(1, 5)})
    for old, word in (("all", "accepted"), ("filter { bgp_med = 3; accept; }", "none")):
        w.parts = {k: (old, "all", 100) for k in range(1, 5)}
        w.d.write(w.conf())
        w.d.run("configure")
        for k, m in w.m.items():
            m.listen()
            if m.asked:
                w.announce(k)
        w.rest()
        w.parts[1] = ("filter { if net.len > 16 then reject; accept; }", "all", 100)
        reply = w.preview()
        o = channels(reply)["m1"]
        equal(o["received"], word, "known received routes")
        long = [n for n, _, _ in w.sent[1] if n.endswith("/24")]
        equal(o["import"]["lost"], len(long) if word == "accepted" else 0, "lost imports")
        equal([x for x in reply if x["type"] == "preview"][0]["unknown"], 1, "channels")
    w.end()


def limits():
    """Limits that the new number of routes crosses; a session that a limit closes."""
    w = World(SEED, kept={k: "import keep filtered on;" for k in range(1, 5)}, way={k: "" for k in range(1, 5)})
    w.parts = {k: ("none", "all", 100) for k in range(1, 5)}
    w.d.write(w.conf())
    w.d.run("configure")
    w.rest()
    w.parts[1] = ("all", "all", 100)
    w.kept[1] += " import limit 2 action restart;"
    w.kept[2] += " export limit 1 action warn;"
    reply = w.preview()
    named = channels(reply)
    cnt = len({n for n, _, _ in w.sent[1]})
    equal(
        named["m1"]["limits"], [{"limit": "import", "max": 2, "routes": cnt, "action": "restart"}], "the import limit"
    )
    equal(named["m2"]["limits"][0]["limit"], "export", "the export limit")
    equal([x for x in reply if x["type"] == "preview"][0]["closed"], 1, "sessions")
    w.end()


def faults():
    """A broken file, a second preview, a client that leaves, a `configure` in between."""
    w = World(SEED)
    path = os.path.join(temp_dir(), "bad.conf")
    with open(path, "w") as f:
        f.write(w.conf() + "protocol bgp {{\n")
    text = w.d.text('configure preview "%s"' % path)
    check(re.search(r"bad.conf:\d+:\d+ unexpected", text), text)
    before = w.state()
    w.change()
    one, two = w.preview(), w.preview()
    for reply in (one, two):
        reply[:] = [o for o in reply if o["type"] != "plan"]
        for o in reply:
            o.pop("cpu_s", None)
    equal(one, two, "two previews")
    equal(w.state(), before, "nothing changed")
    with open(path, "w") as f:
        f.write(w.conf())
    for _ in range(3):
        c = Cli(w.d.ctl)
        c.send(b'configure preview "%s"\n' % path.encode())
        c.close()
    foretold(w, "after clients that left")
    w.end()


def guards():
    """Guards on results: a configuration that loses too much or closes too many sessions is refused with numbers and
    names, nothing of it is in force, and `configure force` commits it; `configure check` says the same."""
    for threads in ("", "threads 2;\n"):
        w = World(SEED, kept={k: "import keep filtered on;" for k in range(1, 5)}, way={k: "" for k in range(1, 5)})
        w.head = threads + 'log "RUN/audit.log" { audit };\n' + "guard { lost routes 20 %; closed sessions 1; };\n"
        w.parts = {k: ("all", "all", 100) for k in range(1, 5)}
        w.d.write(w.conf())
        w.d.run("configure")
        before = w.state()
        good = w.d.read()
        w.parts[1] = ("none", "all", 100)
        w.parts[2] = ("none", "all", 100)
        w.d.write(w.conf())
        for command in ("configure check", "configure", "configure soft timeout 30"):
            lines = w.d.run(command)
            text = "\n".join(t for _, t in lines)
            equal(lines[-1][0], 8002, "%s is refused: %s" % (command, text))
            m = re.search(r"guard: sessions lose (\d+) of (\d+) routes, at most 20 %: (m\d \d+, )*m\d \d+", text)
            check(m, "numbers and names: " + text)
            equal(int(m.group(2)), sum(len(b) for b in before.values()), "the routes of all sessions")
            check("`configure force` commits the configuration" in text, text)
            equal(w.state(), before, "%s changes nothing" % command)
        lost = int(m.group(1))
        w.d.write(good)
        check(w.d.code("configure") in (3, 4), "the good file")
        w.d.write(w.conf())
        check(w.d.code("configure force") in (3, 4), "configure force")
        after = w.state()
        equal(sum(len(set(before[k]) - set(after[k])) for k in before), lost, "lost routes")
        with open(os.path.join(w.d.dir, "audit.log")) as f:
            text = f.read()
        check("configure force" in text and "guard: sessions lose" in text, "the audit trail: " + text)
        w.d.write(good)
        w.d.run("configure")
        w.rest()
        w.parts = {1: ("all", "all", 100), 2: None, 3: None, 4: ("all", "all", 100)}
        w.d.write(w.conf().replace("lost routes 20 %;", "lost routes 99 % warn;"))
        text = w.d.text("configure")
        check("guard: 2 of 4 sessions close, at most 1: m2, m3" in text, text)
        w.d.write(w.conf().replace("lost routes 20 %; closed", "lost routes 20 % warn; closed").replace(" 1;", " 2;"))
        text = w.d.text("configure")
        check("Warning: guard: sessions lose" in text and "Reconfigur" in text, text)
        w.end()


def emptied():
    """An emptied list never gets through: whatever set of a list is empty, the guard refuses the file."""
    for n in range(size(10, 3)):
        seed = SEED * 77 + n
        w = World(seed, kept={k: "import keep filtered on;" for k in range(1, 5)}, way={k: "" for k in range(1, 5)})
        w.head = "guard { lost routes 1 %; };\n" + ("ipv4 table master4 sorted;\n" if n % 2 else "")
        lists = {k: sorted({net for net, _, _ in w.sent[k]}) for k in w.sent}
        for k in lists:
            w.parts[k] = ("filter { if net ~ %s then accept; reject; }" % numbers(lists[k]), "all", 100)
        w.d.write(w.conf())
        check(w.d.code("configure force") in (3, 4), "the lists")
        before = w.state()
        k = w.r.choice(sorted(lists))
        w.parts[k] = ("filter { if net ~ [ 192.0.2.0/24 ] then accept; reject; }", "all", 100)
        w.d.write(w.conf())
        sums = [o for o in w.preview() if o["type"] == "preview"][0]
        refused = w.d.code("configure") == 8002
        equal(refused, sums["lost"] * 100 > sums["routes"], "seed %d: list of m%d, %r" % (seed, k, sums))
        if refused:
            equal(w.state(), before, "nothing changed")
        w.end()


def conditions():
    """`fail if` and ternc --fail-if: exit status 0, 1 and 2, for a check before a merge."""
    w = World(SEED, kept={k: "import keep filtered on;" for k in range(1, 5)}, way={k: "" for k in range(1, 5)})
    w.parts = {k: ("all", "all", 100) for k in range(1, 5)}
    w.d.write(w.conf())
    w.d.run("configure")
    before = w.state()
    w.parts[1] = ("all", "none", 100)
    w.parts[2] = None
    path = os.path.join(temp_dir(), "new.conf")
    with open(path, "w") as f:
        f.write(w.conf().replace("RUN", os.path.dirname(w.d.conf)))
    lost = len(before[1])
    for text, met in (
        ("lost > 99 %, closed > 1", []),
        ("member.lost > 99 %", ["member.lost > 99 %: m2 [0-9]+ of [0-9]+, m1 [0-9]+ of [0-9]+"]),
        ("closed > 0,lost>0%", ["closed > 0: 1 of 4", "lost > 0 %: [0-9]+ of [0-9]+"]),
        ("member.lost > %d" % (lost - 1), ["member.lost > %d: m1 %d of %d.*" % (lost - 1, lost, lost)]),
    ):
        lines = w.d.run('configure preview "%s" fail if "%s"' % (path, text))
        equal(lines[-1][0], 8098 if met else 20, text)
        told = [t[15:] for _, t in lines if t.startswith("Condition met: ")]
        equal(len(told), len(met), text)
        for one, want in zip(told, met):
            check(re.fullmatch(want, one), "%s: %s" % (want, one))
    for bad in ("lost 5", "lost > x", "won > 3", "lost > 5 %,", "member.closed > 1", ""):
        equal(w.d.code('configure preview "%s" fail if "%s"' % (path, bad)), 9001, bad)
    reply = w.json('configure preview "%s" fail if "closed > 0"' % path)
    equal([o["met"] for o in reply if o["type"] == "preview_condition"], ["closed > 0: 1 of 4"], "JSON")
    equal((reply[-1]["ok"], reply[-1]["code"]), (False, 8098), "the summary")
    w.end()


class Offline(Daemon):
    """A ternshadow with a record of messages."""

    def __init__(self, conf, record):
        super().__init__(conf, "offline")
        self.own, self.record = [program("ternshadow")], record

    def start(self, *more, wait=True):
        return super().start("-D", self.log, "--shadow", "mrt:" + self.record, wait=wait)


def offline():
    """A record of the messages in place of the route server: the preview of a ternshadow equals that of the server."""
    w = World(SEED, kept={k: "import keep filtered on;" for k in range(1, 5)}, way={k: "" for k in range(1, 5)})
    w.head = 'mrtdump "%s/record.mrt";\nmrtdump protocols { messages, states };\n' % w.d.dir
    w.d.write(w.conf())
    w.d.run("configure")
    for m in w.m.values():
        m.cease()
    for k in w.m:
        w.join(k)
    before = w.state()
    old = w.conf().replace(w.head, "")
    w.change()
    live = w.preview()
    s = Offline(old, os.path.join(w.d.dir, "record.mrt"))
    s.start()
    path = os.path.join(temp_dir(), "next.conf")
    with open(path, "w") as f:
        f.write(w.conf().replace(w.head, "").replace("RUN", s.dir))
    count = {"m%d" % k: len(b) for k, b in before.items()}

    def settled():
        now = {
            o["name"]: sum(c["routes"]["exported"] for c in o["channels"])
            for o in (json.loads(t) for c, t in s.run("json show protocols all") if c == 1100)
            if o.get("name") in count and o["state"] == "up"
        }
        return now == count

    wait_until(settled, lambda: s.text("show protocols all")[-3000:])
    there = [json.loads(t) for c, t in s.run('json configure preview "%s" limit 1000' % path) if c == 1100]
    one, two = ({o["protocol"]: o for o in r if o["type"] == "preview_channel"} for r in (live, there))
    equal(set(two), set(one), "the channels with changes")
    for name, o in one.items():
        for what in ("gained", "lost", "changed"):
            key = what + "_routes"
            equal(
                sorted(x["network"] for x in two[name]["export"][key]),
                sorted(x["network"] for x in o["export"][key]),
                "%s by %s" % (what, name),
            )
    s.stop()
    w.end()


def slices():
    """In real time, with so many networks that a preview takes many steps: each network counts once. A `configure`
    during a preview ends the preview with an error; a member that leaves during a preview is marked, or was before."""
    w = World(
        SEED, kept={k: "import keep filtered on;" for k in range(1, 5)}, way={2: "", 3: "secondary on;", 4: "", 1: ""}
    )
    w.parts = {k: ("all", "all", 100) for k in range(1, 5)}
    w.d.write(w.conf())
    w.d.run("configure")
    cnt = size(16384, 4096)
    nets = ["30.%d.%d.0/24" % (n >> 8, n & 255) for n in range(cnt)]
    for at in range(0, cnt, 64):
        extra = attribute(0xC0, 8, struct.pack("!HH", 65000, at // 64 % 50))
        w.m[1].update(nets[at : at + 64], [65001, 64500 + at // 64], extra=extra)

    def has():
        for m in w.m.values():
            m.listen()
        return all(len([1 for net, _ in w.m[k].has if net.startswith("30.")]) == cnt for k in (2, 3, 4))

    wait_until(has, "all networks at all members")
    w.parts[1] = ("filter { if net.len > 16 && (65000,7) ~ bgp_community then reject; accept; }", "all", 100)
    w.parts[3] = ("all", "filter { if (65000,8) ~ bgp_community then reject; bgp_med = 3; accept; }", 100)
    path = os.path.join(temp_dir(), "next.conf")
    with open(path, "w") as f:
        f.write(w.conf().replace("RUN", w.d.dir))
    old = w.d.read()
    named = {
        o["protocol"]: o for o in w.json('configure preview "%s" limit 0' % path) if o["type"] == "preview_channel"
    }
    ended = 0
    for _ in range(5):
        c = Cli(w.d.ctl)
        c.send(b'configure preview "%s"\n' % path.encode())
        w.d.write(old.replace("id 10.0.0.1;", "id 10.0.0.1; hostname \"h%d\";" % ended))
        w.d.run("configure")
        code, text = c.reply()[-1]
        check(code == 20 or (code == 8000 and "another configuration" in text), "%d %s" % (code, text))
        ended += code == 8000
        c.close()
    note("%d of 5 previews ended by a configure" % ended)
    w.d.write(old)
    w.d.run("configure")
    before = {k: dict(m.has) for k, m in w.m.items()}
    w.d.write(w.conf())
    w.d.run("configure")
    for k in (2, 3, 4):
        want = {x: named["m%d" % k]["export"][x] for x in ("gained", "lost", "changed")}

        def done():
            m = w.m[k]
            m.listen()
            a, b = before[k], m.has
            return want == {
                "gained": len(set(b) - set(a)),
                "lost": len(set(a) - set(b)),
                "changed": len([1 for n in set(a) & set(b) if a[n] != b[n]]),
            }

        wait_until(done, lambda: "m%d: foretold %r, has %d of %d" % (k, want, len(w.m[k].has), len(before[k])))
        check(want["lost"] > 0, "routes are lost")
    w.end()


def by_ternc():
    """In real time: ternc is another process."""
    w = World(SEED, kept={k: "import keep filtered on;" for k in range(1, 5)}, way={k: "" for k in range(1, 5)})
    path = os.path.join(temp_dir(), "new.conf")
    with open(path, "w") as f:
        f.write(w.conf().replace("RUN", os.path.dirname(w.d.conf)))

    def ternc(*words):
        return subprocess.run(
            [program("ternc"), "-s", w.d.ctl, *words], capture_output=True, text=True, timeout=60 * SLOW
        )

    equal(ternc("preview", path).returncode, 0, "without conditions")
    equal(ternc("preview", path, "--fail-if", "lost > 0").returncode, 0, "no condition is met")
    w.parts[1] = None
    with open(path, "w") as f:
        f.write(w.conf().replace("RUN", os.path.dirname(w.d.conf)))
    got = ternc("preview", path, "limit", "2", "--fail-if", "closed > 0")
    equal(got.returncode, 1, got.stdout)
    check("Condition met: closed > 0: 1 of 4" in got.stdout, got.stdout)
    got = ternc("--json", "preview", path)
    equal(got.returncode, 0, got.stderr)
    check([o for o in map(json.loads, got.stdout.splitlines()) if o["type"] == "preview"], got.stdout)
    equal(ternc("preview", path, "--fail-if", "lost >").returncode, 2, "an error")
    equal(ternc("preview", path + ".missing", "--fail-if", "lost > 0").returncode, 2, "no file")
    equal(ternc("-s", "/nosuch", "preview", path, "--fail-if", "lost > 0").returncode, 2, "no daemon")
    w.end()


def rounds():
    for n in range(ROUNDS):
        seed = SEED * 1000 + n
        w = World(seed)
        for step in range(3):
            w.change()
            foretold(w, "seed %d, step %d" % (seed, step))
        w.end()


case("a story", story)
case("a session that ends", ends)
case("other protocols of a name", kinds)
case("stale routes", stale)
case("unknown received routes", unknown)
case("limits", limits)
case("faults", faults)
case("guards on results", guards)
case("an emptied list", emptied)
case("conditions", conditions)
case("a record in place of the server", offline)
case("random configurations", rounds)
real_case("many networks", slices)
case("ternc preview", by_ternc)
done()
