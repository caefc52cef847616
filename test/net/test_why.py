# SPDX-License-Identifier: GPL-3.0-or-later
"""`show route why` against a naive model. Members announce random routes that filters refuse at several lines, or
change; the model runs the filters by hand and the decision as RFC 4271 tells it, by elimination, and says at which step
each route is out, and why each member gets the best one or doesn't. Some members' refused routes are kept, others' are
only remembered."""

from harness import *
from schema import Schema

import copy
import threading

if KIND != "ternd":
    cannot_here("this is about ternd")

NETS = ["10.%d.0.0/16" % i for i in range(40)]
CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { }
function is_bad() {
  if (65000,2) ~ bgp_community then reject;  # IN FUNCTION
  return (65000,3) ~ bgp_community;  # DECIDES
}
filter f_in {
  if (65000,1) ~ bgp_community then reject;  # IN FIRST
  if is_bad() then
    reject "bad";  # IN SECOND
  if (65000,50) ~ bgp_community then preference = 150;
  if (65000,51) ~ bgp_community then bgp_local_pref = 90;
  if (65000,52) ~ bgp_community then bgp_local_pref = 110;
  accept;
}
filter f_out {
  if (65000,666) ~ bgp_community then reject;  # OUT TAG
  if bgp_path.len > 3 then reject;  # OUT LONG
  accept;
}
filter f_net {
  if (65000,666) ~ bgp_community then reject;  # NET TAG
  if net.len > 20 then reject;
  if proto = "p1" then reject;
  accept;
}
protocol static s1 { ipv4 { preference 100; }; route 10.0.0.0/16 blackhole; route 10.1.0.0/16 unreachable; route \
10.2.0.0/16 prohibit; }
template bgp rsc { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client; enforce first as \
off;
  ipv4 { import filter f_in; export filter f_out; }; }
protocol bgp p1 from rsc { neighbor 127.0.11.1 as 65001; }
protocol bgp p2 from rsc { neighbor 127.0.11.2 as 65002; ipv4 { import keep filtered; }; }
protocol bgp p3 from rsc { neighbor 127.0.11.3 as 65003; ipv4 { export all; }; }
protocol bgp p4 from rsc { neighbor 127.0.11.4 as 65004; ipv4 { rejects 2; export none; }; }
protocol bgp p5 from rsc { neighbor 127.0.11.5 as 65005; ipv4 { import table on; export table on; }; }
protocol bgp p6 { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; neighbor 127.0.11.6 as 65000;
  ipv4 { import filter f_in; export all; next hop keep; }; }
protocol bgp p7 from rsc { neighbor 127.0.11.7 as 65007; ipv4 { import none; rejects 0; }; }
protocol bgp p8 from rsc { neighbor 127.0.11.8 as 65008; ipv4 { import none; export filter f_net; }; }
"""
KEPT = {2, 5}
REMEMBERS = {4: 2, 7: 0}
IBGP = 6
NO_EXPORT, NO_ADVERTISE = (65535, 65281), (65535, 65282)
STATIC = {NETS[0], NETS[1], NETS[2]}
RANDOM = random.Random(SEED)


def line(mark):
    return next(i for i, text in enumerate(D.read().split("\n"), 1) if text.endswith("# " + mark))


with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))


class Route:
    def __init__(self, n):
        self.n = n
        self.path = [RANDOM.choice((65101, 65102))] + [65200] * RANDOM.choice((0, 0, 0, 1, 2, 3))
        self.origin = RANDOM.choice((0, 0, 0, 0, 1, 2))
        self.med = RANDOM.choice((None, None, 0, 0, 1, 2))
        self.tags = {(65000, t) for t in (1, 2, 3, 50, 51, 52, 666) if RANDOM.random() < 0.06}
        if RANDOM.random() < 0.06:
            self.tags.add(RANDOM.choice((NO_EXPORT, NO_ADVERTISE)))
        self.local_pref = RANDOM.choice((None, 100, 100, 120)) if n == IBGP else None
        self.hop = "127.0.11.%d" % (RANDOM.randrange(1, 7) if RANDOM.random() < 0.1 else n)

    def announce(self, peer, net):
        extra = b""
        if self.med is not None:
            extra += attribute(0x80, 4, struct.pack("!I", self.med))
        if self.local_pref is not None:
            extra += attribute(0x40, 5, struct.pack("!I", self.local_pref))
        if self.tags:
            extra += attribute(0xC0, 8, b"".join(struct.pack("!HH", *t) for t in sorted(self.tags)))
        attrs = attribute(0x40, 1, bytes([self.origin]))
        attrs += attribute(0x40, 2, bytes([2, len(self.path)]) + b"".join(struct.pack("!I", a) for a in self.path))
        attrs += attribute(0x40, 3, socket.inet_aton(self.hop)) + extra
        peer.send(message(2, struct.pack("!HH", 0, len(attrs)) + attrs + nlri(net)))

    # --- the filters, by hand ---

    def refused_at(self):
        if (65000, 1) in self.tags:
            return "IN FIRST"
        if (65000, 2) in self.tags:
            return "IN FUNCTION"
        return "IN SECOND" if (65000, 3) in self.tags else None

    def pref(self):
        return 150 if (65000, 50) in self.tags else 100

    def lp(self):
        if (65000, 52) in self.tags:
            return 110
        if (65000, 51) in self.tags:
            return 90
        return 100 if self.local_pref is None else self.local_pref


def decide(routes, best_is_static, has_static):
    """{member: step at which its route is out, None for the best}, by elimination. With equal preference static routes
    or those of BGP stand first, as @best_is_static says."""
    out, left = {}, list(routes)

    def keep(step, key):
        nonlocal left
        least = min(map(key, left))
        for r in [r for r in left if key(r) != least]:
            out[r.n] = step
        left = [r for r in left if key(r) == least]

    if has_static and best_is_static:
        return {r.n: "preference" if r.pref() != 100 else "other_protocol" for r in routes}
    if not left:
        return out
    keep("preference", lambda r: -r.pref())
    keep("local_pref", lambda r: -r.lp())
    keep("as_path_length", lambda r: len(r.path))
    keep("origin", lambda r: r.origin)
    for r in list(left):
        if (r.med or 0) > min(x.med or 0 for x in left if x.path[0] == r.path[0]):
            out[r.n] = "med"
    left = [r for r in left if r.n not in out]
    keep("external", lambda r: r.n == IBGP)
    keep("router_id", lambda r: r.n)
    equal(len(left), 1, "the model has one best route")
    out[left[0].n] = None
    return out


def bar(best, q):
    """Why member @q doesn't get the route @best (None: the static one): (bar, rule or line)."""
    if best is not None and best.n == q:
        return ("own", None)
    if best is not None and q != IBGP and best.tags & {NO_EXPORT}:
        return ("rule", "no_export")
    if best is not None and best.tags & {NO_ADVERTISE}:
        return ("rule", "no_advertise")
    if q == 4:
        return ("filter", None)
    if q not in (3, IBGP) and best is not None:
        if (65000, 666) in best.tags:
            return ("filter", line("OUT TAG"))
        if len(best.path) > 3:
            return ("filter", line("OUT LONG"))
    if best is not None and best.hop == "127.0.11.%d" % q:
        return ("settled", None)
    return (None, None)


def ask(command):
    reply = D.run("json show route why " + command)
    objects = [json.loads(t) for _, t in reply[:-1]]
    wrong = [e for o in objects for e in SCHEMA.errors(o)]
    check(not wrong, "%s: %s" % (command, "; ".join(wrong)))
    return objects[:-1], reply[-1][0]


def dry_run(net, q, best):
    """With other communities p@q decides as if the route had them; the answers without `with` show no change."""
    tried = copy.copy(best)
    tried.tags = {RANDOM.choice((NO_EXPORT, NO_ADVERTISE, (65000, 7))), RANDOM.choice(((65000, 666), (65000, 50)))}
    words = " ".join("(%d, %d)" % t for t in sorted(tried.tags)) + " (65000, 1, 2)"
    o = next(o for o in ask("%s to p%d with %s" % (net, q, words))[0] if o["type"] == "why_to")
    want = bar(tried, q)
    equal((o.get("bar"), o.get("rule") or o.get("line")), want, "%s to p%d with %s" % (net, q, words))


def look(net, told, forgotten):
    """All that is said of @net; @told: {member: Route}."""
    objects, code = ask(net)
    routes = {int(o["protocol"][1:]): o for o in objects if o["protocol"] != "s1"}
    static = [o for o in objects if o["protocol"] == "s1"]
    taken = {n: r for n, r in told.items() if n != 7 and not r.refused_at()}
    known = {n for n, r in told.items() if n != 7 and r.refused_at() and n not in forgotten}
    equal(sorted(routes), sorted(set(taken) | known), net + ": who is told")
    equal(code, 0 if objects else 8001, net + ": the code")
    for n in known:
        equal(
            (routes[n]["fate"], routes[n]["filter"], routes[n]["file"], routes[n]["line"]),
            ("refused", "f_in", D.conf, line(told[n].refused_at())),
            "%s, p%d" % (net, n),
        )
        by = routes[n].get("decided_by")
        mark = told[n].refused_at()
        equal(by and by["line"], line("DECIDES") if mark == "IN SECOND" else None, "%s, p%d: decided by" % (net, n))
    best_is_static = bool(static) and static[0]["fate"] == "best"
    if static and not best_is_static:
        check(
            static[0]["fate"] == "lost" and static[0]["step"] in ("preference", "other_protocol"),
            "%s: %r" % (net, static),
        )
    steps = decide(list(taken.values()), best_is_static, bool(static))
    for n, step in steps.items():
        got = routes[n].get("step") if routes[n]["fate"] == "lost" else routes[n]["fate"]
        equal(got, step or "best", "%s, p%d: the step; %r" % (net, n, vars(told[n])))
        STEPS.add(step)
    best = None if best_is_static else next((taken[n] for n, s in steps.items() if not s), None)
    if not taken and not static:
        return
    for q in range(1, 7):
        found, _ = ask("%s to p%d" % (net, q))
        found = [o for o in found if o["type"] == "why_to"]
        equal(len(found), 1, "%s to p%d: answers" % (net, q))
        o = found[0]
        want = bar(best, q)
        equal((o.get("bar"), o.get("rule") or o.get("line")), want, "%s to p%d; %r" % (net, q, best and vars(best)))
        equal(o["goes"], want[0] is None, "%s to p%d goes" % (net, q))
        BARS.add(want[0])
        if best:
            dry_run(net, q, best)
        if q == 5:
            wait_until(lambda: ask("%s to p5" % net)[0][-1]["sent"] == (want[0] is None), "%s: p5 isn't told" % net)
        if q == 1:  # and what was sent is what is said to go
            text = D.text("show route %s export p1" % net)
            equal("Network not found" not in text and ("[" in text), want[0] is None, "%s: show route export p1" % net)


def settle():
    """Until each member's routes are where they belong."""

    def through():
        for n in peers:
            o = [json.loads(t) for _, t in D.run("json show protocols all p%d" % n)[:-1]][0]["channels"][0]
            # A channel that is not up yet has no changes.
            if "changes" not in o or o["changes"]["import_updates"]["received"] != sent[n]:
                return False
            if o["sending"]["dirty_networks"]:
                return False
        return True

    wait_until(through, "the daemon has all")
    settled(
        lambda: re.findall(r"(?:updates|withdraws|Routes|networks): .*", D.text("show protocols all")),
        "counters",
        0.1 * SLOW,
    )


def the_model():
    said = {net: {} for net in NETS}
    refused = {n: [] for n in peers}  # in order
    for _ in range(3):
        for net in NETS:
            for n, p in peers.items():
                if RANDOM.random() < 0.3:
                    continue
                if net in said and n in said[net] and RANDOM.random() < 0.2:
                    p.withdraw([net])
                    del said[net][n]
                    refused[n] = [x for x in refused[n] if x != net]
                    continue
                r = Route(n)
                r.announce(p, net)
                sent[n] += 1
                said[net][n] = r
                if r.refused_at():  # one that is accepted later stays remembered; it isn't told
                    refused[n] = [x for x in refused[n] if x != net] + [net]
        settle()
        for net in NETS:
            forgotten = {
                n
                for n in peers
                if n not in KEPT
                and net in refused[n]
                and refused[n].index(net) < len(refused[n]) - REMEMBERS.get(n, 10000)
            }
            look(net, said[net], forgotten)
    note("     steps: %s" % ", ".join(sorted(str(s) for s in STEPS)))
    note("     bars: %s" % ", ".join(sorted(str(b) for b in BARS)))
    if SEED == 1:
        missing = {
            "preference",
            "other_protocol",
            "local_pref",
            "as_path_length",
            "origin",
            "med",
            "external",
            "router_id",
        } - STEPS
        missing |= {"own", "rule", "filter", "settled"} - BARS
        check(not missing, "nothing was like that: %s" % missing)


def words():
    """The text, and what is refused."""
    peers[1].update(["10.99.0.0/16"], [65001, 1, 2])
    peers[2].update(["10.99.0.0/16"], [65002])
    peers[3].update(["10.99.0.0/16"], [65003], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 1)))
    wait_until(
        lambda: "p3 from" in D.text("show route why 10.99.0.0/16"), lambda: D.text("show route why 10.99.0.0/16")
    )
    wait_until(lambda: len(ask("10.99.0.0/16")[0]) == 3, "three routes")
    equal(
        [t for _, t in D.run("show route why 10.99.0.0/16 to p3")],
        [
            "Table master4:",
            "10.99.0.0/16",
            "\tp2 from 127.0.11.2: best",
            "\tp1 from 127.0.11.1: lost, longer AS path: 3, the best has 1",
            "\t\tto do: Prepend less, if the traffic shall come to you.",
            "\tp3 from 127.0.11.3: refused by filter f_in at %s:%d" % (D.conf, line("IN FIRST")),
            "\t\tto do: Ask the exchange about the conditions of the rule (filter f_in, line %d of %s)."
            % (line("IN FIRST"), os.path.basename(D.conf)),
            "\tto p3.ipv4, p2: goes",
            "",
        ],
        "the text",
    )
    equal(ask("10.99.0.0/16 from p3")[0][0]["fate"], "refused", "from p3")
    equal(D.code("show route why 10.98.0.0/16"), 8001, "a network that nobody knows")
    for command in (
        "",
        " 10.99.0.0/16 nosuch",
        " 10.99.0.0/16 from nosuch",
        " 10.99.0.0/16 from p1 from p2",
        " 10.99.0.0/33",
        " 2001:db8::/32 to p1",
        " 10.99.0.0/16 table p1",
        " 10.99.0.0/16 with (1, 2)",
        " 10.99.0.0/16 to p1 with",
        " 10.99.0.0/16 to p1 with 1",
        " 10.99.0.0/16 to p1 with (1)",
        " 10.99.0.0/16 to p1 with (1, 2",
        " 10.99.0.0/16 to p1 with (1, 2, 3, 4)",
        " 10.99.0.0/16 to p1 with (65536, 2)",
        " 10.99.0.0/16 to p1 with (1, 4294967296, 2)",
        " 10.99.0.0/16 to p1 with" + " (1, 2)" * 33,
        " for",
        " for p1",
        " to p1",
        " from p1 to p2",
        " with (1, 2)",
        " from p1 with (1, 2)",
        " to s1 with (1, 2)",
        " to p1 with (1, 2) table master4",
        " to p1 with (1, 2) 10.99.0.0/16",
    ):
        equal(D.code("show route why" + command), 9001, "show route why" + command)
    peers[3].withdraw(["10.99.0.0/16"])
    wait_until(lambda: len(ask("10.99.0.0/16")[0]) == 2, "what was withdrawn is forgotten")
    peers[3].update(["10.97.0.0/16"], [65003], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 1)))
    wait_until(lambda: len(ask("10.97.0.0/16")[0]) == 1, "refused")
    peers[3].cease()
    wait_until(lambda: ask("10.97.0.0/16")[1] == 8001, "what a session brought goes with it")
    peers[3] = member(D.port, 3)


def matches():
    """`for`: refused networks that contain the address or the prefix, and the longest accepted network."""
    refuse = attribute(0xC0, 8, struct.pack("!HH", 65000, 1))
    peers[1].update(["10.120.0.0/16", "10.120.0.0/15"], [65001])
    peers[2].update(["10.120.2.0/24"], [65002], extra=refuse)  # kept
    peers[5].update(["10.120.1.0/24", "10.120.1.0/26", "10.128.0.0/9"], [65005], extra=refuse)

    def found(what):
        return [(o["network"], o["protocol"], o.get("fate", o.get("goes"))) for o in ask("for " + what)[0]]

    wide = ("10.120.0.0/16", "p1", "best")
    near = ("10.120.1.0/24", "p5", "refused")
    wait_until(lambda: found("10.120.1.7") == [("10.120.1.0/26", "p5", "refused"), near, wide], "an address")
    wait_until(lambda: found("10.120.2.0/25") == [("10.120.2.0/24", "p2", "refused"), wide], "a kept route")
    equal(found("10.120.1.128/25"), [near, wide], "a longer prefix")
    equal(found("10.120.1.0/24"), [near, wide], "the prefix")
    equal(found("10.120.3.0"), [wide], "an address without a refused network")
    equal(found("10.121.255.255"), [("10.120.0.0/15", "p1", "best")], "a shorter network")
    equal(found("10.120.1.7 from p5"), [("10.120.1.0/26", "p5", "refused"), near], "of one member")
    equal(found("10.129.0.1"), [("10.128.0.0/9", "p5", "refused")], "a refused network alone")
    equal(found("10.120.3.1 to p2")[-1], ("10.120.0.0/16", "p1", True), "to a member")
    equal(ask("for 11.0.0.1"), ([], 8001), "a network that nobody knows")
    equal(ask("for 2001:db8::1"), ([], 8001), "the other family")
    text = D.text("show route why for 10.120.1.200")
    equal(re.findall("^10.*", text, re.M), ["10.120.1.0/24", "10.120.0.0/16"], "each network has a title")


def any_network():
    """A dry run without a network: the answers that no network changes, and the inputs that the others need."""
    peers[8] = member(D.port, 8)

    def tried(words):
        objects, code = ask(words)
        equal((len(objects), code), (1, 0), words)
        return objects[0]

    for tags in ([(65000, 7)], [(65000, 666)], [NO_EXPORT], [NO_ADVERTISE, (65000, 50)]):
        for n in (1, 2, 5):
            for q in range(1, 7):
                r = Route(n)
                r.path, r.tags, r.hop = [65000 + n], set(tags), "127.0.11.%d" % n
                words = "from p%d to p%d with %s" % (n, q, " ".join("(%d, %d)" % t for t in tags))
                o = tried(words)
                want = bar(r, q)
                equal((o.get("bar"), o.get("rule") or o.get("line")), want, words)
                equal((o["goes"], o["depends_on"]), (want[0] is None, []), words)
    equal(set(tried("from p2 to p1 with (65000, 7)")["asked"]), {"bgp_path"}, "the filter asks for the path as well")
    equal(tried("from p1 to p3 with (65000, 7)")["asked"], [], "no filter")
    o = tried("from p1 to p8 with (65000, 666)")
    equal((o["goes"], o["depends_on"], o["line"]), (False, [], line("NET TAG")), "refused whatever the network")
    o = tried("from p1 to p8 with (65000, 7)")
    equal((o["depends_on"], set(o["asked"]), "goes" in o), (["network"], {"net", "proto"}, False), "by the network")
    o = tried("to p8 with (65000, 7)")
    equal((o["depends_on"], "from" in o, "goes" in o), (["network", "source"], False, False), "by the source as well")
    o = tried("to p8 with (65535, 65281)")
    equal((o["goes"], o["rule"]), (False, "no_export"), "a rule before the filter")
    equal(tried("to p7 with (65000, 7)")["bar"], "down", "no session")
    equal(
        [t for _, t in D.run("show route why from p1 to p8 with (65000, 7)")],
        ["\tto p8.ipv4: depends on the network; reads net, proto", ""],
        "the text",
    )
    equal(
        [t for _, t in D.run("show route why to p1 with (65000, 7)")],
        ["\tto p1.ipv4: goes; reads bgp_path", ""],
        "the text",
    )


def meanwhile():
    """Asked while routes are refused, forgotten, accepted and withdrawn: each answer is whole, and says what was so at
    some moment."""
    nets = ["10.100.%d.0/24" % i for i in range(60)]
    stop, answers, wrong = threading.Event(), [], []

    def asker():
        c = Cli(D.ctl)
        while not stop.is_set():
            net = nets[len(answers) % len(nets)]
            reply = c.run("json show route why %s to p5" % net)
            objects = [json.loads(t) for _, t in reply[:-1]]
            fates = sorted(o["fate"] for o in objects if o["type"] == "why")
            if [e for o in objects for e in SCHEMA.errors(o)] or len(fates) > 2 or reply[-1][0] not in (0, 8001):
                wrong.append(objects)
            answers.extend(fates or ["nothing"])
        c.close()

    threads = [threading.Thread(target=asker, daemon=True) for _ in range(3)]
    for t in threads:
        t.start()
    refuse = attribute(0xC0, 8, struct.pack("!HH", 65000, 1))
    until = time.monotonic() + 1.5 * SLOW
    while time.monotonic() < until:
        for n in (1, 4):
            for net in nets:
                kind = RANDOM.randrange(3)
                if kind == 2:
                    peers[n].withdraw([net])
                else:
                    peers[n].update([net], [65000 + n], extra=refuse if kind else b"")
        spread(0.02)
    stop.set()
    for t in threads:
        t.join()
    check(not wrong, "an answer that can't be: %r" % wrong[:1])
    note("     %s" % ", ".join("%d %s" % (answers.count(a), a) for a in sorted(set(answers))))
    check({"refused", "best", "nothing"} <= set(answers), "all was seen: %s" % set(answers))


STEPS, BARS = set(), set()
D = Daemon()
D.port = free_port()
D.write(CONF.replace("PORT", str(D.port)))
D.start()
peers = {n: member(D.port, n) for n in range(1, 6)}
ibgp = Peer(D.port, "127.0.11.6", 65000, server="127.0.10.1")
peers[IBGP] = ibgp.establish()
sent = {n: 0 for n in peers}
case("random routes against the model", the_model)
case("texts, refusals, what is forgotten", words)
case("the longest match", matches)
case("communities without a network", any_network)
case("asked while routes come and go", meanwhile)
D.stop()
done()
