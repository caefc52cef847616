# SPDX-License-Identifier: GPL-3.0-or-later
"""Every reason for which a route is kept back (nest/core/reason.h): it is caused, and `show route why`, JSON, `show
route exported` and `noexport`, what the peer holds, and the counters of `show reasons` say the same. A reason without a
row fails the test."""

from harness import *
from schema import Schema
from view import View

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { }
function fine(int limit) {
  print "length ", bgp_path.len;
  if bgp_path.len > limit then return false;  # IN LENGTH
  if (65000,1) ~ bgp_community then {
    bgp_large_community.add((65000,1101,9));
    return false;  # IN TAG
  }
  if (65000,2) ~ bgp_community then reject "two";  # IN TWO
  return true;
}
function deep(int limit) { return fine(limit); }
function small(int limit) {
  if net.len > limit then return false;  # SMALL
  return bgp_path.len < 3;  # SHORT
}
function sound() { if (65000,4) ~ bgp_community then return true; return small(24); }
function checks() { if ! small(24) then { print "in"; reject; }  # CHECKS
  return true; }
filter f_named {
  if (65000,5) ~ bgp_community then { checks(); accept; }
  if (65000,6) ~ bgp_community && bgp_path.len = 1 then reject;  # PLAIN
  if sound() then accept;
  print "not sound";
  bgp_med = 5;
  reject;  # NAMED
}
filter f_named_out {
  if ! small(24) then reject;  # NAMED OUT
  accept;
}
filter f_out {
  if (65000,666) ~ bgp_community then reject "no";  # OUT
  if (65000,777) ~ bgp_community then { LONG }
  if (65000,888) ~ bgp_community then bgp_next_hop = fd00::8;
  accept;
}
template bgp any { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; }
template bgp rsc from any { rs client; ipv4 { import all; export all; }; }
protocol bgp p1 from rsc { neighbor 127.0.11.1 as 65001; enforce first as; allow as sets off; ipv4 { import where ! ! \
deep(8); }; }
protocol bgp p2 { local 127.0.0.1 port PORT as 65000; strict bind on; passive; direct; neighbor 127.0.11.2 as 65002; \
rs client;
  ipv4 { import all; export none; }; }
protocol bgp p3 from any { neighbor 127.0.11.3 as 65000; rr client; ipv4 { import all; export none; next hop keep; }; }
protocol bgp p11 from any { neighbor 127.0.11.11 as 65000; ipv4 { import all; export none; next hop keep; }; }
protocol bgp p4 from any { neighbor 127.0.11.4 as 65004; prefer older; local role provider; ipv4 { import all; export \
none; }; }
protocol bgp p5 from any { neighbor 127.0.11.5 as 65005; prefer older; local role peer; ipv4 { import all; export \
none; }; }
protocol bgp p6 from any { neighbor 127.0.11.6 as 65006; confederation 65500; confederation member; ipv4 { import all; \
export none; }; }
protocol bgp p7 from rsc { neighbor 127.0.11.7 as 65007; ipv4 { import limit 1 action block; export none; }; }
protocol bgp p8 from rsc { neighbor 127.0.11.8 as 65008; ipv4 { receive limit 1 action block; export none; }; }
protocol bgp p9 from rsc { neighbor 127.0.11.9 as 65009; ipv4 { import limit 1 action block; import keep filtered; \
export none;
  import filter { if (65000,1) ~ bgp_community then { print "kept"; reject; } accept; }; }; }
protocol bgp p10 from rsc { neighbor 127.0.11.10 as 65010; ipv4 { import all; export none; add paths rx; net limit 2; \
}; }
protocol bgp q1 from rsc { neighbor 127.0.11.21 as 65021; ipv4 { export filter f_out; next hop map \
"RUN/lan.map"; }; }
protocol bgp q2 from rsc { neighbor 127.0.11.22 as 65022; ipv4 { export limit 2 action block; export in 10.40.0.0/16 \
where net.len > 8; }; }
protocol bgp q3 from any { neighbor 127.0.11.23 as 65000; ipv4 { import none; export all; next hop keep; }; }
protocol bgp q4 from rsc { neighbor 127.0.11.24 as 65024; local role customer; ipv4 { import none; export in \
10.50.0.0/16 all; }; }
protocol bgp q5 from rsc { neighbor 127.0.11.25 as 65025; ipv4 { export all; }; }
ipv4 table t6;
protocol bgp q6 from rsc { neighbor 127.0.11.26 as 65026; ipv4 { table t6; igp table master4; export all; }; }
protocol pipe pp { table master4; peer table t6; import where net != 10.5.12.0/24; export where ! ((65000,26) ~ \
bgp_community); }
protocol bgp p14 from rsc { neighbor 127.0.11.14 as 65014; ipv4 { import filter f_named; }; }
protocol bgp p15 from rsc { neighbor 127.0.11.15 as 65015; ipv4 { import keep filtered; export filter \
f_named_out; import filter f_named; }; }
protocol bgp p16 from rsc { neighbor 127.0.11.16 as 65016; ipv4 { }; }
ipv4 table t12;
ipv4 table t13;
ipv4 table t14;
protocol bgp p12 from rsc { neighbor 127.0.11.12 as 65012; enforce first as; ipv4 { table t12; export none; import \
where fine(8); }; }
protocol bgp p13 from rsc { neighbor 127.0.11.13 as 65013; enforce first as;
  ipv4 { table t13; import keep filtered; receive limit 3 action block; export none; import where fine(8); }; }
protocol pipe pp12 { table master4; peer table t12; import where ! ((65000,12) ~ bgp_community); export all; }
protocol pipe pp14 { table t14; peer table t13; import where ! ((65000,13) ~ bgp_community); export none; }
protocol pipe pp13 { table master4; peer table t14; import where ! ((65000,12) ~ bgp_community); export none; import \
limit 3 action block; }
ipv4 table u1;
ipv4 table u2;
ipv4 table u3;
protocol pipe u12 { table u1; peer table u2; import all; export all; }
protocol pipe u21 { table u2; peer table u1; import all; export all; max generation 3; }
protocol pipe u23 { table u2; peer table u3; import none; export all; max generation 1; }
protocol static us { ipv4 { table u1; }; route 10.9.9.0/24 blackhole; route 10.9.8.0/24 blackhole; }
protocol static us2 { ipv4 { table u2; }; route 10.9.8.0/24 blackhole; route 10.9.7.0/24 blackhole; }
protocol static us3 { ipv4 { table u2; }; route 10.9.7.0/24 blackhole; }
"""

# Reasons that other tests cause: file, and a text in it.
ELSEWHERE = {
    "override": ("test/net/test_override.py", '"override"'),
    "override_export": ("test/net/test_override.py", '"override_export"'),
    "quarantine": ("test/net/test_quarantine.py", '"quarantine"'),
    "quarantine_export": ("test/net/test_quarantine.py", '"quarantine_export"'),
    "table_full": ("test/unit/test_table_inbox.c", "REASON_TABLE_FULL"),
    "no_room": ("test/unit/test_export_decide.c", "REASON_NO_ROOM"),
    "no_next_hop": ("test/unit/test_bgp_rules.c", "REASON_NO_NEXT_HOP"),
    "no_extended_next_hop": ("test/net/test_http_two.py", '"no_extended_next_hop"'),
    "preference": ("test/net/test_why.py", '"preference"'),
    "other_protocol": ("test/net/test_why.py", '"other_protocol"'),
    "local_pref": ("test/net/test_why.py", '"local_pref"'),
    "as_path_length": ("test/net/test_why.py", '"as_path_length"'),
    "origin": ("test/net/test_why.py", '"origin"'),
    "med": ("test/net/test_why.py", '"med"'),
    "external": ("test/net/test_why.py", '"external"'),
    "router_id": ("test/net/test_why.py", '"router_id"'),
    "kernel_refused": ("test/net/test_kernel.py", '"kernel_refused"'),
    "kernel_taken": ("test/net/test_kernel.py", '"kernel_taken"'),
    "kernel_denied": ("test/net/test_kernel.py", '"kernel_denied"'),
    "attributes": ("test/net/test_ties.py", "attributes that are later in order"),
    "reachable": ("test/unit/test_bgp_decide.c", '"reachable"'),
    "long_lived_stale": ("test/unit/test_bgp_decide.c", '"long_lived_stale"'),
    "aigp": ("test/unit/test_bgp_decide.c", '"aigp"'),
    "igp_metric": ("test/unit/test_bgp_decide.c", '"igp_metric"'),
    "cluster_list_length": ("test/unit/test_bgp_decide.c", '"cluster_list_length"'),
    "peer_address": ("test/unit/test_bgp_decide.c", '"peer_address"'),
}

with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
with open(os.path.join(SRC, "nest/core/reason.h")) as f:
    TABLE = re.findall(r'X\((\w+), (\w+), "(\w+)",\s*(?:\\\n\s*)?"([^"]*)"\)', f.read().replace("\\\n", "\n"))
REASONS = {key: (stage.lower(), text) for _, stage, key, text in TABLE if key != "none"}
CAUSED = set()
SUMS = {"import_check": "rejected", "import_filter": "filtered"}


def objects(command):
    found = [json.loads(t) for _, t in D.run("json show " + command)[:-1]][:-1]
    wrong = [e for o in found for e in SCHEMA.errors(o)]
    check(not wrong, "%s: %s" % (command, "; ".join(wrong)))
    return found


def counts(proto):
    return objects("reasons " + proto)[0]["reasons"]


def line(mark):
    return next(i for i, text in enumerate(D.read().split("\n"), 1) if text.endswith("# " + mark))


def comm(*pairs):
    return attribute(0xC0, 8, b"".join(struct.pack("!HH", *p) for p in pairs))


def lists_agree(key, o, text):
    """JSON and text of one answer name the reason as the table does."""
    stage, words = REASONS[key]
    equal((o["reason"], o["stage"], o["text"], o["page"]), (key, stage, words, "reasons.md#" + key), "%s: JSON" % key)
    if "filter" not in o:
        check(words in text, "%s: text: %s" % (key, text))


def sums_agree(proto):
    """The counters by reason add up to those of `show protocols all`."""
    ch = objects("protocols all " + proto)[0]["channels"][0]
    told = counts(proto)
    equal(told, ch["reasons"], proto + ": show reasons and show protocols all")
    by = {}
    for key, cnt in told.items():
        by[REASONS[key][0]] = by.get(REASONS[key][0], 0) + cnt
    imp, exp = ch["changes"]["import_updates"], ch["changes"]["export_updates"]
    equal(
        (by.get("import_check", 0), by.get("import_filter", 0)), (imp["rejected"], imp["filtered"]), proto + ": import"
    )
    kept = sum(by.get(s, 0) for s in ("export_check", "export_filter", "export_after", "packing")) - told.get("pipe", 0)
    equal(kept, exp["rejected"] + exp["filtered"], proto + ": export")


# --- what isn't accepted ---

NEXT = iter("10.%d.%d.0/24" % (i // 200 + 20, i % 200) for i in range(2000))


def refused(key, n, announce, cnt=1, net=None, **more):
    """@announce(peer, net) by p@n is refused for @key. @more: members of the answer."""
    net = net or next(NEXT)
    before = counts("p%d" % n).get(key, 0)
    announce(peers[n], net)
    what = "%s by p%d" % (key, n)
    wait_until(
        lambda: counts("p%d" % n).get(key, 0) == before + cnt,
        lambda: "%s: the counter: %r; %s" % (what, counts("p%d" % n), D.text("show route why " + net)),
    )
    wait_until(lambda: objects("route why " + net), "%s: why" % what)
    found = objects("route why " + net)
    equal([(o["protocol"], o["fate"]) for o in found], [("p%d" % n, "refused")], what)
    text = D.text("show route why " + net)
    lists_agree(key, found[0], text)
    for member, value in more.items():
        equal(found[0].get(member), value, "%s: %s" % (what, member))
        check(str(value) in text, "%s: %s in %s" % (what, value, text))
    equal(D.code("show route " + net), 8001, what + ": it isn't there")
    CAUSED.add(key)
    return net


def sends(path=None, hop=None, extra=b"", origin=b"\0", raw_path=None):
    def announce(p, net):
        seq = [p.as_number] if path is None else path
        octets = raw_path or bytes([2, len(seq)]) + b"".join(struct.pack("!I", a) for a in seq)
        attrs = attribute(0x40, 1, origin) + attribute(0x40, 2, octets if seq or raw_path else b"")
        attrs += attribute(0x40, 3, socket.inet_aton(hop or p.address)) + extra
        p.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + nlri(net)))

    return announce


def imports():
    refused("malformed", 1, sends(origin=b"\7"))
    refused("own_as", 1, sends([65001, 65000]))
    refused("first_as", 1, sends([65099]))
    refused("as_set", 1, sends(raw_path=struct.pack("!BBIBBI", 2, 1, 65001, 1, 1, 65077)))
    refused("bad_next_hop", 1, sends(hop="224.0.0.1"))
    refused("own_next_hop", 1, sends(hop="127.0.10.1"))
    refused("bogus_network", 1, sends(), net="127.1.0.0/16")
    refused("far_next_hop", 2, sends(hop="10.9.9.9"))
    lp = attribute(0x40, 5, struct.pack("!I", 100))
    refused("own_originator", 3, sends([], extra=lp + attribute(0x80, 9, socket.inet_aton("10.0.0.1"))))
    refused("own_cluster", 3, sends([], extra=lp + attribute(0x80, 10, socket.inet_aton("10.0.0.1"))))
    refused("otc_downstream", 4, sends(extra=attribute(0xC0, 35, struct.pack("!I", 65004))))
    refused("otc_mismatch", 5, sends(extra=attribute(0xC0, 35, struct.pack("!I", 65077))))
    refused("no_confed_sequence", 6, sends([65006]))
    refused("own_confederation", 6, sends(extra=lp, raw_path=struct.pack("!BBIBBI", 3, 1, 65006, 2, 1, 65500)))
    for n in range(1, 7):
        sums_agree("p%d" % n)


def import_filter():
    """`return false` under `where` has its own line, with what was said before and the communities that were added."""
    place = {"filter": "(unnamed)", "file": D.conf}
    refused("import_filter", 1, sends([65001] * 9), line=line("IN LENGTH"), said="length 9", **place)
    refused(
        "import_filter",
        1,
        sends(extra=comm((65000, 1))),
        line=line("IN TAG"),
        said="length 1",
        added_communities="(65000, 1101, 9)",
        **place
    )
    refused("import_filter", 1, sends(extra=comm((65000, 2))), line=line("IN TWO"), said="length 1; two", **place)
    net = refused("import_filter", 9, sends(extra=comm((65000, 1))), said="kept")
    peers[9].withdraw([net])
    wait_until(lambda: not objects("route why " + net), "it is withdrawn")
    sums_agree("p1")


def decided(o, function, returned, mark):
    equal(
        o.get("decided_by"),
        function and {"function": function, "returned": returned, "file": D.conf, "line": line(mark)},
        "what decided: %r" % o,
    )


def functions():
    """A named filter with functions: the refusing statement, and the return that led there."""
    long = [65000, 65001, 65002]
    for n in 14, 15:
        place = {"filter": "f_named", "file": D.conf}
        said = "not sound"
        for net, path, tag, mark, by in (
            ("10.9.%d.0/25" % n, 0, None, "NAMED", ("small", False, "SMALL")),
            ("10.9.%d.0/24" % n, 1, None, "NAMED", ("small", False, "SHORT")),
            ("10.10.%d.0/25" % n, 0, 5, "CHECKS", ("small", False, "SMALL")),
            ("10.11.%d.0/25" % n, 0, 6, "PLAIN", (None, None, None)),
        ):
            more = dict(place, line=line(mark))
            if mark == "NAMED":
                more["said"] = said
            path = [65000 + n] + (long[1:] if path else [])
            extra = comm((65000, tag)) if tag else b""
            if n == 14:
                refused("import_filter", n, sends(path, extra=extra), net=net, **more)
            else:
                sends(path, extra=extra)(peers[n], net)
                wait_until(lambda: objects("route why " + net), "the route " + net)
            o, text = objects("route why " + net)[0], D.text("show route why " + net)
            decided(o, *by)
            words = ", as %s returned false at %s:%d" % (by[0], D.conf, line(by[2])) if by[0] else "%d\n" % line(mark)
            check(words in text, "%s in %s" % (words, text))
            found = [o for o in objects("route all filtered reasons") if o.get("network") == net]
            decided(found[0], *by)
    sends([65016])(peers[16], "10.12.0.0/25")
    why = "route why 10.12.0.0/25 to p15"
    wait_until(lambda: [o for o in objects(why) if o["type"] == "why_to"], "the route to p15")
    decided([o for o in objects(why) if o["type"] == "why_to"][0], "small", False, "SMALL")
    words = "at %s:%d, as small returned false at %s:%d" % (D.conf, line("NAMED OUT"), D.conf, line("SMALL"))
    check(words in D.text("show " + why), words)


def limits():
    for n, key in (7, "import_limit"), (8, "receive_limit"), (9, "import_limit"):
        peers[n].update(["10.6.%d.0/24" % n])
        wait_until(lambda: objects("route why 10.6.%d.0/24" % n), "p%d: the first route" % n)
        net = refused(key, n, sends())
        peers[n].withdraw([net])
        wait_until(lambda: not objects("route why " + net), "p%d: it is withdrawn" % n)
        net = refused(key, n, sends())
        peers[n].withdraw(["10.6.%d.0/24" % n])
        wait_until(lambda: not objects("route why 10.6.%d.0/24" % n), "p%d: there is room" % n)
        peers[n].update([net])
        wait_until(lambda: objects("route why " + net)[0]["fate"] == "best", "p%d: the route has come" % n)
        peers[n].withdraw([net])
        wait_until(lambda: not objects("route why " + net), "p%d: nothing is left" % n)


def forgotten():
    """What is accepted, withdrawn, or goes with its session isn't told any more."""
    net = refused("own_as", 1, sends([65001, 65000]))
    peers[1].update([net])
    wait_until(lambda: [o["fate"] for o in objects("route why " + net)] == ["best"], "it is accepted")
    sends([65001, 65000])(peers[1], net)
    wait_until(lambda: [o.get("reason") for o in objects("route why " + net)] == ["own_as"], "and refused")
    peers[1].withdraw([net])
    wait_until(lambda: not objects("route why " + net), "and withdrawn")


def tables():
    """p12 has a table over master4, and p13 one that is two pipes away. What their imports and the pipes refuse is told
    for the common table, for a member of it, and for a member of another table; what came by itself is asked for by its
    name."""
    asked = "", " to q5", " to q6"
    for n in 12, 13:
        for key, announce, said in (
            ("first_as", sends([65099]), None),
            ("import_filter", sends(extra=comm((65000, 2))), "length 1; two"),
        ):
            net = refused(key, n, announce)
            for to in asked + (" from p%d" % n, " from p%d to q5" % n, " table t%d" % n):
                command = "route why %s%s" % (net, to)
                found = objects(command)
                equal(
                    [(o["protocol"], o["table"], o["reason"], o.get("said")) for o in found],
                    [("p%d" % n, "t%d" % n, key, said)],
                    command,
                )
                check("Table t%d:" % n in D.text("show " + command), "%s: %s" % (command, D.text("show " + command)))
                lists_agree(key, found[0], D.text("show " + command))
            for to in " table master4", " from q5":
                equal(objects("route why %s%s" % (net, to)), [], net + to)
            check(D.code("show route why %s table master4" % net) == 8001, net + " in master4")
            check(
                D.code("show route why %s from p%d table master4" % (net, n)) == 9001,
                "p%d has no channel in master4" % n,
            )
            peers[n].withdraw([net])
            wait_until(lambda: not objects("route why " + net), net + " is withdrawn")

    def by_pipe(n, tag, pipe, table, key="export_filter"):
        net = next(NEXT)
        sends(extra=comm((65000, tag)))(peers[n], net)

        def told(to=""):
            return [
                (o["protocol"], o["table"], o["to"], o["reason"])
                for o in objects("route why %s%s" % (net, to))
                if o["type"] == "why_to" and o["to"].startswith("pp")
            ]

        for to in asked:
            wait_until(
                lambda: told(to) == [("p%d" % n, table, pipe, key)],
                lambda: "%s%s: %s" % (net, to, D.text("show route why " + net + to)),
            )
        lists_agree(key, objects("route why " + net)[-1], D.text("show route why " + net))
        return net

    nets = [by_pipe(12, 12, "pp12", "t12"), by_pipe(13, 13, "pp14", "t13"), by_pipe(13, 12, "pp13", "t14")]
    for net, n in zip(nets, (12, 13, 13)):
        peers[n].withdraw([net])
        wait_until(lambda: not objects("route why " + net), net + " is withdrawn")
    for net in nets[:3]:
        sends()(peers[13], net)
        wait_until(
            lambda: [o["fate"] for o in objects("route why " + net)] == ["best"],
            lambda: D.text("show route why " + net),
        )
    refused("receive_limit", 13, sends())
    for net in nets:  # what has come is not told twice
        equal([(o["table"], o["fate"]) for o in objects("route why " + net)], [("master4", "best")], net)
        peers[13].withdraw([net])


# --- what isn't best ---


def lost(key, net, proto, **other):
    def is_lost():
        found = [o for o in objects("route why %s%s" % (net, other.get("table", ""))) if o["protocol"] in proto]
        return found and [o for o in found if o.get("reason") == key]

    wait_until(is_lost, lambda: "%s: %s" % (key, D.text("show route why %s%s" % (net, other.get("table", "")))))
    lists_agree(key, is_lost()[0], D.text("show route why %s%s" % (net, other.get("table", ""))))
    CAUSED.add(key)


def selection():
    lost("pipes", "10.9.8.0/24", ("us",), table=" table u2")
    lost("earlier_protocol", "10.9.7.0/24", ("us3",), table=" table u2")
    peers[5].update(["10.7.1.0/24"])
    wait_until(lambda: objects("route why 10.7.1.0/24"), "p5's route")

    def younger():  # by 10 ms, which are a tick of the table's clock
        peers[4].withdraw(["10.7.1.0/24"])
        peers[4].update(["10.7.1.0/24"])
        return any(o.get("reason") == "older" for o in objects("route why 10.7.1.0/24"))

    wait_until(younger, "older")
    lost("older", "10.7.1.0/24", ("p4",))
    peers[10].update([(1, "10.7.2.0/24")])
    peers[10].update([(2, "10.7.2.0/24")])
    lost("path_id", "10.7.2.0/24", ("p10",))
    peers[10].update([(3, "10.7.2.0/24")])

    def third():
        return [o for o in objects("route why 10.7.2.0/24") if o.get("path_id") == 3 and o.get("reason") == "net_limit"]

    wait_until(third, lambda: "net_limit: " + D.text("show route why 10.7.2.0/24"))
    equal(counts("p10").get("net_limit"), 1, "net_limit: the counter")
    CAUSED.add("net_limit")


# --- what isn't sent ---


def kept(key, q, net, announce, n=1, held=None):
    """The route @net of p@n isn't sent to q@q for @key; nothing else is told. @held: another has it."""
    to = "q%d" % q
    before = counts(to).get(key, 0) if q in views else 0
    announce(peers[n], net)

    def answer():
        return [o for o in objects("route why %s to %s" % (net, to)) if o["type"] == "why_to"]

    wait_until(
        lambda: answer() and answer()[0].get("reason") == key and not answer()[0]["dirty_networks"],
        lambda: "%s to %s: %s" % (key, to, D.text("show route why %s to %s" % (net, to))),
    )
    o = answer()[0]
    equal(o["goes"], False, "%s to %s: goes" % (key, to))
    lists_agree(key, o, D.text("show route why %s to %s" % (net, to)))
    CAUSED.add(key)
    if q not in views:
        return
    if key == "own":
        check(counts(to).get(key), "own: the counter")
    elif key != "behind_own":
        wait_until(lambda: counts(to).get(key, 0) > before, lambda: "%s to %s: the counter: %r" % (key, to, counts(to)))
    views[q].drain()
    check(nlri(net) not in views[q].held(), "%s to %s: it was sent" % (key, to))
    told = D.text("show route %s exported %s" % (net, to))
    check("[p%d " % n not in told, "%s to %s: show route exported: %s" % (key, to, told))
    told = D.text("show route %s noexport %s" % (net, to))
    equal(
        "[p%d " % n in told,
        key in ("elsewhere", "export_filter", "otc", "no_room"),
        "%s to %s: show route noexport: %s" % (key, to, told),
    )


def goes(q, net):
    def held():
        views[q].drain()
        return nlri(net) in views[q].held()

    wait_until(held, "%s goes to q%d" % (net, q))
    check("[p" in D.text("show route %s exported q%d" % (net, q)), "%s: show route exported q%d" % (net, q))
    check("[p" not in D.text("show route %s noexport q%d" % (net, q)), "%s: show route noexport q%d" % (net, q))


def exports():
    kept("down", 5, "10.5.1.0/24", sends())
    views[5] = View("q5", member(D.port, 25), False, False)
    goes(5, "10.5.1.0/24")
    kept("no_export", 1, "10.5.2.0/24", sends(extra=comm((65535, 65281))))
    kept("no_advertise", 1, "10.5.3.0/24", sends(extra=comm((65535, 65282))))
    kept("no_export_subconfed", 1, "10.5.4.0/24", sends(extra=comm((65535, 65283))))
    kept("llgr_stale", 1, "10.5.5.0/24", sends(extra=comm((65535, 6))))
    kept("internal", 3, "10.5.6.0/24", sends([], extra=attribute(0x40, 5, struct.pack("!I", 100))), n=11)
    kept("elsewhere", 4, "10.5.7.0/24", sends())
    kept("export_filter", 1, "10.5.8.0/24", sends(extra=comm((65000, 666))))
    text = D.text("show route why 10.5.8.0/24 to q1")
    check("filter f_out at %s:%d: no" % (D.conf, line("OUT")) in text, text)
    kept("otc", 4, "10.50.1.0/24", sends(extra=attribute(0xC0, 35, struct.pack("!I", 65001))))
    kept("peer_next_hop", 1, "10.5.9.0/24", sends(hop="127.0.11.21"))
    kept("unmapped_next_hop", 1, "10.5.14.0/24", sends(extra=comm((65000, 888))))
    kept("pipe", 6, "10.5.10.0/24", sends(extra=comm((65000, 26))))
    peers[21] = views[1].peer
    views[1].peer.update(["10.5.11.0/24"], [65021])
    wait_until(lambda: any(o.get("reason") == "own" for o in objects("route why 10.5.11.0/24 to q1")), "own")
    kept("own", 1, "10.5.11.0/24", sends([65001, 65101]))
    kept("too_long", 1, "10.5.13.0/24", sends(extra=comm((65000, 777), *[(1, i) for i in range(900)])))
    goes(5, "10.5.13.0/24")
    views[6].peer.update(["10.5.12.0/24"], [65026])
    kept("behind_own", 6, "10.5.12.0/24", sends([65001, 65101]))
    goes(1, "10.5.12.0/24")


def export_limit():
    for i in range(2):
        peers[1].update(["10.40.%d.0/24" % i])
        goes(2, "10.40.%d.0/24" % i)
    kept("export_limit", 2, "10.40.2.0/24", sends())
    kept("export_limit", 2, "10.40.3.0/24", sends())
    peers[1].update(["10.40.0.0/24"], [65001, 65002])  # what it holds may change
    goes(2, "10.40.0.0/24")
    D.write(D.read().replace("export limit 2", "export limit 3"))
    check(D.code("configure") in (3, 4), "configure")
    wait_until(
        lambda: counts("q2") is not None
        and sum("[p1 " in D.text("show route 10.40.%d.0/24 exported q2" % i) for i in range(4)) == 3,
        "three go",
    )

    def differ():  # the UPDATE may still be on the way
        views[2].drain()
        nets = ["10.40.%d.0/24" % i for i in range(4)]
        return [n for n in nets if ("[p1 " in D.text("show route %s exported q2" % n)) != (nlri(n) in views[2].held())]

    wait_until(lambda: not differ(), lambda: "q2 holds what is exported: %s" % differ())
    D.write(D.read().replace("export limit 3 action block; ", ""))
    check(D.code("configure") in (3, 4), "configure")
    for i in range(4):
        goes(2, "10.40.%d.0/24" % i)


def pipes():
    for key, to in ("pipe_loop", "u21"), ("pipe_count", "u23"):
        command = "route why 10.9.9.0/24 to %s table u2" % to

        def answer():
            return [o for o in objects(command) if o["type"] == "why_to" and o.get("reason") == key]

        wait_until(answer, lambda: D.text("show " + command))
        lists_agree(key, answer()[0], D.text("show " + command))
        check(counts(to).get(key, 0) > 0, "%s: the counter: %r" % (key, counts(to)))
        CAUSED.add(key)


def whole():
    for q in views:
        sums_agree("q%d" % q)
    text = D.text("show reasons")
    check("own_as" in text and REASONS["own_as"][1] in text, text)
    equal(D.code('show reasons "nosuch*"'), 8003, "show reasons of nobody")
    missing = set(REASONS) - CAUSED - set(ELSEWHERE)
    check(not missing, "no row causes %s" % ", ".join(sorted(missing)))
    for key, (name, mark) in ELSEWHERE.items():
        with open(os.path.join(SRC, name)) as found:
            check(mark in found.read(), "%s doesn't cause %s" % (name, key))


D = Daemon()
with open(os.path.join(D.dir, "lan.map"), "w") as f:
    f.write("127.0.11.1 fd00::1\n")
D.port = free_port()
LONG = " ".join("bgp_large_community.add((1,2,%d));" % i for i in range(60))
D.write(CONF.replace("PORT", str(D.port)).replace("LONG", LONG))
D.start()
peers = {n: member(D.port, n) for n in (1, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16)}
peers[2] = Peer(D.port, "127.0.11.2", 65002).establish()
for n in 3, 11:
    peers[n] = Peer(D.port, "127.0.11.%d" % n, 65000, server="127.0.10.1").establish()
peers[10] = member(D.port, 10, caps=b"\x45\x04\0\1\1\2")
views = {}
for q in (1, 2, 4, 6):
    views[q] = View("q%d" % q, member(D.port, 20 + q), False, False)
views[3] = View("q3", Peer(D.port, "127.0.11.23", 65000, server="127.0.10.1").establish(), False, False)
case("refused before the import filter", imports)
case("refused by the import filter", import_filter)
case("what a function decided", functions)
case("kept out by limits", limits)
case("what is forgotten", forgotten)
case("in tables of members", tables)
case("not best", selection)
case("not sent", exports)
case("kept back by an export limit", export_limit)
case("loops of pipes", pipes)
case("every reason has a row; sums", whole)
D.stop()
done()
