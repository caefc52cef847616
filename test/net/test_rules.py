# SPDX-License-Identifier: GPL-3.0-or-later
"""doc/examples/rs.conf with members that break each rule, and members that obey. `show route why`, `show route filtered
reasons` and the reason community name the rule; the members that obey receive the routes.

The addresses of the example become addresses of the loopback: the sessions are multihop. IPv6, and bird2 with the file:
test_example."""

import json

from harness import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
EXAMPLES = os.path.join(SRC, "doc", "examples")
ROAS = """roa4 table r4; roa6 table r6;
protocol static { roa4 { table r4; }; route 11.1.8.0/24 max 24 as 64501; route 11.1.9.0/24 max 24 as 64777;
  route 11.2.9.0/24 max 24 as 64777; }
"""
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))


def standard(*pairs):
    return attribute(0xC0, 8, b"".join(struct.pack("!HH", *c) for c in pairs))


def large(*triples):
    return attribute(0xC0, 32, b"".join(struct.pack("!III", *c) for c in triples))


BLACKHOLE = (65535, 666)
# What the member with the AS number announces, the number of the reason, and the text of `reject`.
WRONG = (
    (64501, "11.1.20.0/25", {}, 1, "11.1.20.0/25 is too long"),
    (64501, "11.1.20.7/32", {}, 1, "11.1.20.7/32 is too long"),
    (64501, "0.0.0.0/0", {}, 2, "0.0.0.0/0 is the default route or too short"),
    (64501, "10.1.0.0/16", {}, 3, "10.1.0.0/16 is a bogon"),
    (64501, "11.1.21.0/24", {"path": [64501, 64999, 3333]}, 4, "(path 64501 64999 3333)"),
    (64501, "11.1.22.0/24", {"path": [64501] * 64 + [3333]}, 5, "the path is longer than 64"),
    (64501, "11.1.23.0/24", {"path": [64502, 3333]}, 7, "the path begins with AS 64502"),
    (64501, "11.1.24.0/24", {"next_hop": "127.0.2.12"}, 8, "next hop 127.0.2.12 is no router of the member"),
    (64503, "11.3.24.0/24", {"next_hop": "127.0.2.12"}, 8, "next hop 127.0.2.12 is no router of the member"),
    (64501, "11.2.25.0/24", {}, 9, "11.2.25.0/24 is not registered for the member"),
    (64501, "11.1.26.0/24", {"path": [64501, 3334]}, 10, "origin AS 3334 is not in the member's AS-SET"),
    (64501, "11.1.9.0/24", {}, 13, "a ROA makes origin AS 64501 invalid for 11.1.9.0/24"),
    (64501, "11.1.27.0/24", {"path": [64501, 174, 3333]}, 14, "(path 64501 174 3333)"),
    (64501, "11.1.28.0/24", {"extra": standard(*((3333, i) for i in range(101)))}, 15, "more than 100 communities"),
    (64502, "11.2.20.7/32", {"extra": standard(BLACKHOLE)}, 100, "AS 64502 may not announce blackholes"),
    (64502, "11.2.21.0/24", {"extra": standard(BLACKHOLE)}, 100, "AS 64502 may not announce blackholes"),
    (64501, "11.2.20.8/32", {"extra": standard(BLACKHOLE)}, 9, "11.2.20.8/32 is not registered for the member"),
)
# What they announce and the route server accepts: the RPKI community, and what the two routers of 64503 receive: the
# length of the path, the communities and the next hop; None: nothing.
RIGHT = (
    (64501, "11.1.1.0/24", {}, 2, (1, "", "127.0.2.11")),
    (64501, "11.1.8.0/24", {}, 1, (1, "", "127.0.2.11")),
    (64502, "11.2.9.0/24", {}, 3, (1, "", "127.0.2.12")),
    (64501, "11.1.2.0/24", {"path": [64501] * 63 + [3333]}, 2, (64, "", "127.0.2.11")),
    (64501, "11.1.1.7/32", {"extra": standard(BLACKHOLE)}, 3, (1, "(65535,666) (65535,65281)", "127.0.2.66")),
    (64501, "11.1.8.7/32", {"extra": standard(BLACKHOLE)}, 3, (1, "(65535,666) (65535,65281)", "127.0.2.66")),
    (64501, "11.1.3.0/24", {"extra": standard((65535, 65281))}, 2, (1, "(65535,65281)", "127.0.2.11")),
    (64501, "11.1.4.0/24", {"extra": standard((0, 64503))}, 2, None),
    (64501, "11.1.5.0/24", {"extra": standard((0, 65000))}, 2, None),
    (64501, "11.1.6.0/24", {"extra": standard((0, 65000), (65000, 64503))}, 2, (1, "", "127.0.2.11")),
    (64501, "11.1.7.0/24", {"extra": standard((65502, 64503), (3333, 1))}, 2, (3, "(3333,1)", "127.0.2.11")),
    (64501, "11.1.10.0/24", {"extra": standard((65501, 65000))}, 2, (2, "", "127.0.2.11")),
    (64501, "11.1.11.0/24", {"extra": large((65000, 0, 64503))}, 2, None),
    (64501, "11.1.12.0/24", {"extra": large((65000, 0, 0))}, 2, None),
    (64501, "11.1.13.0/24", {"extra": large((65000, 0, 0), (65000, 1, 64503))}, 2, (1, "", "127.0.2.11")),
    (64501, "11.1.14.0/24", {"extra": large((65000, 103, 64503))}, 2, (4, "", "127.0.2.11")),
    (64501, "11.1.15.0/24", {"extra": large((65000, 102, 0), (65000, 101, 64503))}, 2, (2, "", "127.0.2.11")),
    (64501, "11.1.16.0/24", {"extra": large((65000, 1000, 1), (65000, 1101, 3))}, 2, (1, "", "127.0.2.11")),
)
D = Daemon()
PEERS = {}


def read(*words):
    with open(os.path.join(EXAMPLES, *words)) as text:
        return text.read()


def write(name, text):
    text = text.replace("192.0.2.", "127.0.2.").replace("2001:db8:0:1::", "::ffff:127.0.6.")
    with open(os.path.join(D.dir, name), "w") as out:
        out.write(text)


def objects(command, kind):
    found = [json.loads(t) for c, t in D.run("json show " + command) if c == 1100]
    wrong = [e for o in found for e in SCHEMA.errors(o)]
    check(not wrong, "%s: %s" % (command, "; ".join(wrong)))
    return [o for o in found if o["type"] == kind]


def start():
    os.makedirs(os.path.join(D.dir, "members/lists"))
    for name in ("members/as6450%d.conf", "members/lists/as6450%d.conf"):
        for n in (1, 2, 3):
            text = read(name % n)
            # The loopback has no IPv6 address of the example.
            text = re.sub(r"(?s)protocol bgp \w+_6 .*?\n}\n", "", text)
            write(name % n, re.sub(r", 2001:db8:0:1::\d+", "", text))
    write("rpki.conf", ROAS)
    write("communities.txt", read("communities.txt"))
    conf = read("rs.conf").replace("RS_PORT = 179", "RS_PORT = %d" % PORT)
    conf = conf.replace("template bgp rs_member {", "template bgp rs_member {\n\tmultihop;")
    conf = re.sub(r"(?m)^(define \w+6 = ).*2001:db8:0:1::(1|66);", r"\1 2001:db8:9::\2;", conf)
    D.write(conf.replace("192.0.2.", "127.0.2."))
    D.start()
    for n, address in ((64501, 11), (64502, 12), (64503, 13), (0, 14)):
        PEERS[n] = Peer(PORT, "127.0.2.%d" % address, n or 64503, server="127.0.2.1").establish()


def session(n):
    return "as64503_a_4" if n == 64503 else "as%d_4" % n


def refuses():
    for n, net, says, _, _ in WRONG:
        PEERS[n].update([net], **says)
    want = {(session(n), net) for n, net, _, _, _ in WRONG}

    def found():
        return {(o["protocol"], o["network"]) for o in objects("route filtered reasons", "route")}

    wait_until(lambda: found() == want, lambda: "what differs: %r" % sorted(found() ^ want))
    for n, net, _, reason, text in WRONG:
        o = [o for o in objects("route why %s" % net, "why") if o["protocol"] == session(n)][0]
        equal((o["reason"], o["filtered_by"], o["file"]), ("import_filter", "import", D.conf), net)
        line = D.read().split("\n")[o["line"] - 1]
        check(line.strip().startswith('reject '), "%s: the line that refuses: %s" % (net, line))
        check(text in D.text("show route why " + net), "%s: %s" % (net, D.text("show route why " + net)))
        marks = re.findall(r"\(65000, ?1101, ?(\d+)\)", D.text("show route %s filtered all" % net))
        equal(marks, [str(reason)], net + ": the reason community")
        texts = [c["text"] for c in objects("route %s filtered all" % net, "route")[0]["community_texts"]]
        equal([t.startswith("refused: ") for t in texts].count(True), 1, "%s: %r" % (net, texts))
    for n in (64501, 64502, 64503):
        by = [o for o in objects("members " + session(n), "member")][0]["ipv4"]
        equal((by["accepted"], by["filtered"]), (0, [w[0] for w in WRONG].count(n)), "member %d" % n)


def sent(name):
    """{prefix: (length of the path, communities, next hop)} that a session sends."""
    found = {}
    for o in objects("route all export %s" % name, "route"):
        a = o["attributes"]
        communities = " ".join("(%d,%d)" % tuple(c) for c in a.get("bgp_community", []))
        found[o["network"]] = (len(a["bgp_path"]), communities, a["bgp_next_hop"][0])
        equal([c for c in a["bgp_large_community"] if c[1] < 1000], [], "control communities")
    return found


def accepts():
    for n, net, says, _, _ in RIGHT:
        PEERS[n].update([net], **says)
    for n, net, _, rpki, _ in RIGHT:
        wait_until(lambda: net in D.text("show route " + net), net + ": accepted")
        text = D.text("show route %s all protocol %s" % (net, session(n)))
        marks = re.findall(r"\(65000, ?(1\d\d\d), ?(\d+)\)", text)
        equal(sorted(marks), [("1000", str(rpki)), ("1001", "1")], "%s: %s" % (net, text))
    want = {net: gets for _, net, _, _, gets in RIGHT if gets}
    for name in ("as64503_a_4", "as64503_b_4"):
        wait_until(lambda: sent(name) == want, lambda: "%s: %r" % (name, set(sent(name).items()) ^ set(want.items())))


def two_routers():
    """Each router of a member may announce the other router as the next hop."""
    PEERS[0].update(["11.3.1.0/24"], next_hop="127.0.2.13")
    wait_until(lambda: "11.3.1.0/24" in sent("as64501_4"), lambda: D.text("show route why 11.3.1.0/24"))
    equal(sent("as64501_4")["11.3.1.0/24"], (1, "", "127.0.2.13"), "the next hop")


start()
case("members that break each rule", refuses)
case("members that obey", accepts)
case("a member with two routers", two_routers)
D.stop()
done()
