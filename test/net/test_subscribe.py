# SPDX-License-Identifier: GPL-3.0-or-later
"""subscribe events: each kind of event and its cause, positions and gaps, rights, a configure meanwhile, subscribers
that are killed or never read, and a daemon that starts again."""

from caches import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT, CACHE = free_port(), free_port()
CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
threads 4;
cli "RUN/lg.ctl" { restrict; };
cli "RUN/later.ctl" { restrict; };
cli "RUN/plans.ctl" { restrict; plans; };
protocol device { }
roa4 table r4;
filter f_in { accept; }
protocol rpki cache { roa4 { table r4; }; remote 127.0.0.1 port CACHE; retry keep 1; }
template bgp any { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client;
  ipv4 { import filter f_in; export all; import limit 2 action warn; }; }
protocol bgp p1 from any { description "First"; neighbor 127.0.11.1 as 65001; }
protocol bgp p2 from any { neighbor 127.0.11.2 as 65002; }
""".replace("PORT", str(PORT)).replace("CACHE", str(CACHE))
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
RING = 4096  # EVENT_RING_CNT


class Sub(Cli):
    """A subscription, as JSON."""

    def __init__(self, path, more="", restrict=False):
        super().__init__(path, 60 * SLOW)
        if restrict:
            self.run("restrict")
        self.send("json subscribe events %s\n" % more)
        self.head = self.next()
        equal(self.head["type"], "subscription", more)

    def next(self):
        line = "+"
        while line and line[0] == "+":
            line = self.line(60 * SLOW)
        check(line is not None, "the subscription has ended")
        o = json.loads(line[5:] if line.startswith("1100-") else line[1:])
        wrong = SCHEMA.errors(o)
        check(not wrong, "%s: %s" % (line, "; ".join(wrong)))
        return o

    def until(self, kind, **want):
        """The next event of the kind @kind with the members @want, and the events before it."""
        passed = []
        while True:
            o = self.next()
            passed.append(o)
            if o.get("kind", o["type"]) == kind and all(o.get(k) == v for k, v in want.items()):
                return o, passed

    def event(self, kind, **want):
        return self.until(kind, **want)[0]


def number(o):
    return int(o["id"].split("-")[1])


def ends_with(sub):
    """The last line of a reply that the daemon ends; the connection stays."""
    while True:
        line = sub.line(60 * SLOW)
        if line is None or re.match(r"\d{4} ", line):
            return line


def ends(sub):
    """The last line of a subscription that the daemon ends."""
    last = None
    while True:
        line = sub.line(60 * SLOW)
        if line is None:
            return last
        last = line


D = Daemon(CONF).start()
LG = D.dir + "/lg.ctl"
S = Sub(D.ctl, "since all")


def sessions():
    e = S.event("started")
    equal(number(e), 1, "the first event")
    p = member(PORT, 1, hold=0)
    e = S.event("session_up")
    equal((e["protocol"], e["as"], e["address"], e["description"]), ("p1", 65001, "127.0.11.1", "First"), "up")
    check("cause" not in e, e)
    p.cease()
    e = S.event("session_down")
    equal((e["protocol"], e["cause"]["side"]), ("p1", "them"), "the member ends")
    check(e["up_s"] >= 0, e)
    p = member(PORT, 1, hold=0)
    S.event("session_up", protocol="p1")
    D.run('disable p1 "for a while"')
    e = S.event("session_down")
    equal(e["cause"], {"side": "us", "text": "disabled by an operator: for a while"}, "an operator")
    D.run("enable p1")
    p.s.close()
    p = member(PORT, 1, hold=0)
    S.event("session_up", protocol="p1")
    D.run('restart p1 "new cable"')
    equal(S.event("session_down")["cause"], {"side": "us", "text": "Administrative reset: new cable"}, "an operator")
    p.s.close()
    p = member(PORT, 1, hold=0)
    S.event("session_up", protocol="p1")
    p.reset()
    equal(S.event("session_down")["cause"]["side"], "them", "a reset")


def limits():
    p = member(PORT, 2, hold=0)
    S.event("session_up", protocol="p2")
    p.update(["20.0.%d.0/24" % i for i in range(5)])
    e = S.event("limit")
    equal((e["protocol"], e["channel"], e["limit"]), ("p2", "ipv4", "import"), "limit")
    equal((e["max"], e["action"]), (2, "warn"), "limit")
    D.run("reload in p2")
    e = S.event("reload")
    equal((e["protocols"], e["direction"]), ("p2", "import"), "reload")
    p.s.close()
    S.event("session_down", protocol="p2")


def caches():
    c = Cache(CACHE)
    c.set(VRPS[:2])
    e, passed = S.until("rpki_data")
    equal((e["protocol"], e["added"], e["removed"], e["records"]), ("cache", 2, 0, 2), "data")
    check([o for o in passed if o["kind"] == "rpki_up"], passed)
    c.kill()
    equal(S.event("rpki_down")["protocol"], "cache", "the cache is away")


def configurations():
    low = Sub(LG)
    D.write(CONF + 'protocol static s1 { ipv4; route 10.0.0.0/8 blackhole; }\n')
    D.run("configure")
    e = S.event("configured")
    equal((e["command"], [x for x in e["plan"] if "s1" in x] != []), ("configure", True), "the plan")
    low.event("configured", command="configure", plan_lines_more=len(e["plan"]))
    D.write(CONF + "secret words;\n")
    D.run("configure")
    e = S.event("configure_failed")
    check("secret" in e["text"] or "syntax" in e["text"], e)
    e = low.event("configure_failed")
    place = "rs.conf:%d:1" % (len(CONF.splitlines()) + 1)
    check("secret" not in json.dumps(e) and "syntax" not in e["text"] and e["text"].endswith(place), e)
    D.write(CONF)
    D.run("configure timeout 1")
    equal(S.event("configured")["undo_in_s"], 1, "with a timeout")
    equal(S.event("configured")["command"], "timeout", "the timeout")
    D.run("configure")
    S.event("configured")
    D.run("configure undo")
    equal(S.event("configured")["command"], "undo", "undo")
    kept = [json.loads(t) for c, t in D.run("json show configurations") if c == 1100]
    kinds = [o.get("command", o.get("kind")) for o in kept[:-1]]
    equal(kinds, ["started"] + ["configure"] * 3 + ["timeout", "configure", "undo"], "the last configurations")
    check([x for x in kept[1]["plan"] if "s1" in x], kept[1])
    check("secret" in kept[2]["text"] or "syntax" in kept[2]["text"], kept[2])
    shown = Cli(LG).run("json show configurations")
    check("secret" not in str(shown) and "syntax" not in str(shown), shown)
    equal(len(D.run("show configurations")), 8, "lines of text")
    low.close()


def hidden_plans():
    """The lines of a plan are words of the configuration: a restricted client gets their number."""
    low, restricted, reads = Sub(LG), Sub(D.ctl, restrict=True), Sub(D.dir + "/plans.ctl", restrict=True)
    changed = CONF.replace("filter f_in { accept; }", "filter f_in { if net.len > 28 then reject; accept; }")
    for text in changed, CONF:
        D.write(text)
        D.run("configure")
        plan = S.event("configured", command="configure")["plan"]
        check(any("f_in" in line for line in plan), plan)
        equal(reads.event("configured")["plan"], plan, "a socket with `plans`")
        for sub in low, restricted:
            e = sub.event("configured")
            check("plan" not in e and "f_in" not in json.dumps(e), e)
            equal(e["plan_lines_more"], len(plan), "the number of lines")
    for cli in Cli(LG), Cli(LG):
        shown = cli.run("json show configurations")
        check("f_in" not in repr(shown), shown)
        cli.close()
    low.close()
    D.write(CONF + "secret words;\n")
    D.run("configure")
    S.event("configure_failed")
    e = reads.event("configure_failed")
    check("secret" not in json.dumps(e) and "syntax" not in e["text"], e)
    D.write(CONF)
    D.run("configure")
    for sub in S, restricted, reads:
        sub.event("configured")
    shown = Cli(D.dir + "/plans.ctl").run("json show configurations")
    check("f_in" in str(shown) and "secret" not in str(shown), shown)
    reads.close()
    restricted.close()


def health():
    D.run("disable p2 hold")
    e = S.event("problem", problem="hold")
    equal((e["protocol"], e["text"].split(" for")[0]), ("p2", "p2 has been held"), "a problem")
    D.run("enable p2")
    e = S.event("problem_ended", problem="hold")
    equal(e["protocol"], "p2", "its end")


def positions():
    old = Sub(D.ctl, "since all")
    first, passed = old.until("configured", command="undo")
    everything = [o for o in passed if o["type"] == "event"]
    equal([number(o) for o in everything], list(range(1, len(everything) + 1)), "no number is missing")
    again = Sub(D.ctl, 'since "%s"' % everything[3]["id"])
    equal(again.next(), everything[4], "the event behind the id")
    now = Sub(D.ctl)
    check(number(now.head) >= number(first), "the last id")
    D.run("reload p1")
    equal(number(now.next()), number(now.head) + 1, "only later events")
    other = Sub(D.ctl, 'since "123-4"')
    equal({k: v for k, v in other.next().items() if k != "id"}, {"type": "gap", "reason": "restart"}, "another run")
    equal(other.next(), everything[0], "everything follows")
    ahead = Sub(D.ctl, 'since "%s-99999999"' % first["id"].split("-")[0])
    equal(ahead.next()["reason"], "restart", "a number of the future")
    equal(D.code('subscribe events since "x"'), 9001, "no id")
    equal(D.code("subscribe events since"), 9001, "no id")
    equal(D.code("json subscribe"), 9001, "of what")
    for s in old, again, now, other, ahead:
        s.close()


def many_configurations():
    for _ in range(12):
        D.run("configure")
    kept = [json.loads(t) for c, t in D.run("json show configurations") if c == 1100]
    equal([o.get("command") for o in kept[:-1]], ["configure"] * 10, "ten stay")
    nrs = [number(o) for o in kept[:-1]]
    equal(nrs, sorted(set(nrs)), "in order")


def as_text():
    c = Cli(D.ctl)
    c.send("subscribe events\n")
    line = []

    def told():
        D.run("reload p1")  # again, until the subscription has begun
        try:
            line.append(c.line(1))
        except TimeoutError:
            return False
        return True

    wait_until(told, "an event of the reload")
    check(re.match(r"1103-20\d\d-\S+ \S+ reload +reload of p1, both$", line[0]), line)
    c.close()


def never_reads():
    """One subscriber never reads, one is killed, one reads all; the ring turns round."""
    lazy = Sub(D.ctl)
    gone = subprocess.Popen([program("ternc"), "-s", D.ctl, "--json", "subscribe", "events"], stdout=subprocess.PIPE)
    json.loads(gone.stdout.readline())
    fast = Sub(LG)
    c = Cli(D.ctl)
    cnt = RING + 3000
    for i in range(0, cnt, 500):
        c.send("reload p1\n" * min(500, cnt - i))
        for _ in range(min(500, cnt - i)):
            c.reply()
        if i == 1000:
            gone.kill()
            gone.wait()
        for _ in range(min(500, cnt - i)):
            last = fast.event("reload")
    equal(D.code("show status"), 13, "the daemon answers")
    numbers, gaps = [number(lazy.head)], []
    while numbers[-1] < number(last):
        o = lazy.next()
        if o["type"] == "gap":
            gaps.append(o)
            equal((o["reason"], number(o)), ("lost", numbers[-1] + o["missing"]), "the gap")
        else:
            equal(number(o), (number(gaps.pop()) if gaps else numbers[-1]) + 1, "behind the gap")
            numbers.append(number(o))
    check(numbers[-1] - numbers[0] > len(numbers), "a gap")
    lazy.close()
    fast.close()
    c.close()
    gone.stdout.close()


def rights():
    later = Sub(D.dir + "/later.ctl")
    kept = Sub(LG)
    D.write(CONF.replace('cli "RUN/later.ctl" { restrict; };', ""))
    D.run("configure")
    ends(later)
    kept.event("configured")
    D.write(CONF.replace("lg.ctl\" { restrict; }", "lg.ctl\" { restrict; deny \"subscribe events\"; }"))
    D.run("configure")
    equal(ends_with(kept), "8007 Access denied", "the right has gone")
    equal(Cli(LG).run("subscribe events")[-1][0], 8007, "no right")
    kept.close()
    low = Sub(D.ctl, restrict=True)
    D.write(CONF)
    D.run("configure")
    low.event("configured")
    low.close()


def starts_again():
    last = number(S.event("configured"))
    while True:
        D.run("reload p1")
        o = S.event("reload")
        if number(o) > last:
            break
    D.stop()
    ends(S)
    D.start()
    s = Sub(D.ctl, 'since "%s"' % o["id"])
    equal(s.next()["reason"], "restart", "another run")
    equal(s.next()["kind"], "started", "its first event")
    check(s.head["id"].split("-")[0] > o["id"].split("-")[0], "the number of the run rises")
    s.close()


case("sessions come up and go down, with causes", sessions)
case("a limit, a reload", limits)
case("a cache, its data", caches)
case("configurations, with and without rights", configurations)
case("plans, with and without rights", hidden_plans)
case("problems begin and end", health)
case("positions in the ring", positions)
case("lines of text", as_text)
case("more configurations than are kept", many_configurations)
case("subscribers that never read or are killed", never_reads)
case("a socket loses its rights, or is removed", rights)
case("the daemon starts again", starts_again)
D.stop()
done()
