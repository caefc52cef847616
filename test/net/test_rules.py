# SPDX-License-Identifier: GPL-3.0-or-later
"""doc/examples/rs.conf with members that break each rule, and members that obey. `show route why`, `show route filtered
reasons` and the reason community name the rule; the members that obey receive the routes.

The addresses of the sessions become addresses of the loopback: the sessions are multihop. Next hops of IPv6 routes are
the addresses of the example, and IPv6 routes use sessions over IPv4. bird2 with the file: test_example."""

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
protocol static { roa6 { table r6; }; route 2a00:db81:8::/48 max 48 as 64501; route 2a00:db81:9::/48 max 48 as 64777;
  route 2a00:db82:9::/48 max 48 as 64777; }
"""
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))


def standard(*pairs):
    return attribute(0xC0, 8, b"".join(struct.pack("!HH", *c) for c in pairs))


def large(*triples):
    return attribute(0xC0, 32, b"".join(struct.pack("!III", *c) for c in triples))


def hop6(n):
    """The address of a router in the example."""
    return "2001:db8:0:1::%d" % n


class Peer6(Peer):
    """A router that announces IPv6 routes."""

    def update(self, prefixes, path=None, next_hop=None, extra=b""):
        path = [self.as_number] if path is None else path
        hop = next_hop or hop6(int(self.address.split(".")[-1]))
        nets = b""
        for prefix in prefixes:
            address, length = prefix.split("/")
            nets += bytes([int(length)]) + socket.inet_pton(socket.AF_INET6, address)[: (int(length) + 7) // 8]
        attrs = (
            attribute(0x40, 1, b"\0")
            + attribute(0x40, 2, bytes([2, len(path)]) + b"".join(struct.pack("!I", a) for a in path))
            + attribute(0x80, 14, b"\0\2\1\x10" + socket.inet_pton(socket.AF_INET6, hop) + b"\0" + nets)
            + extra
        )
        self.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs))


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
WRONG6 = (
    (64501, "2a00:db81:20::/49", {}, 1, "2a00:db81:20::/49 is too long"),
    (64501, "2a00:db81:20::7/128", {}, 1, "2a00:db81:20::7/128 is too long"),
    (64501, "::/0", {}, 2, "::/0 is the default route or too short"),
    (64501, "2001:db8:7::/48", {}, 3, "2001:db8:7::/48 is a bogon"),
    (64501, "2001:db8:0:1::/64", {}, 3, "2001:db8:0:1::/64 is a bogon"),
    (64501, "2a00:db81:21::/48", {"path": [64501, 64999, 3333]}, 4, "(path 64501 64999 3333)"),
    (64501, "2a00:db81:22::/48", {"path": [64501] * 64 + [3333]}, 5, "the path is longer than 64"),
    (64501, "2a00:db81:23::/48", {"path": [64502, 3333]}, 7, "the path begins with AS 64502"),
    (64501, "2a00:db81:24::/48", {"next_hop": hop6(12)}, 8, "next hop 2001:db8:0:1::12 is no router of the member"),
    (64503, "2a00:db83:24::/48", {"next_hop": hop6(12)}, 8, "next hop 2001:db8:0:1::12 is no router of the member"),
    (64501, "2a00:db82:25::/48", {}, 9, "2a00:db82:25::/48 is not registered for the member"),
    (64501, "2a00:db81:26::/48", {"path": [64501, 3334]}, 10, "origin AS 3334 is not in the member's AS-SET"),
    (64501, "2a00:db81:9::/48", {}, 13, "a ROA makes origin AS 64501 invalid for 2a00:db81:9::/48"),
    (64501, "2a00:db81:27::/48", {"path": [64501, 174, 3333]}, 14, "(path 64501 174 3333)"),
    (
        64501,
        "2a00:db81:28::/48",
        {"extra": standard(*((3333, i) for i in range(101)))},
        15,
        "more than 100 communities",
    ),
    (64502, "2a00:db82:20::7/128", {"extra": standard(BLACKHOLE)}, 100, "AS 64502 may not announce blackholes"),
    (64502, "2a00:db82:21::/48", {"extra": standard(BLACKHOLE)}, 100, "AS 64502 may not announce blackholes"),
    (64501, "2a00:db82:20::8/128", {"extra": standard(BLACKHOLE)}, 9, "20::8/128 is not registered for the member"),
)
RIGHT6 = (
    (64501, "2a00:db81:1::/48", {}, 2, (1, "", hop6(11))),
    (64501, "2a00:db81:8::/48", {}, 1, (1, "", hop6(11))),
    (64502, "2a00:db82:9::/48", {}, 3, (1, "", hop6(12))),
    (64501, "2a00:db81:2::/48", {"path": [64501] * 63 + [3333]}, 2, (64, "", hop6(11))),
    (64501, "2a00:db81:1::7/128", {"extra": standard(BLACKHOLE)}, 3, (1, "(65535,666) (65535,65281)", hop6(66))),
    (64501, "2a00:db81:4::/48", {"extra": standard((0, 64503))}, 2, None),
    (64501, "2a00:db81:6::/48", {"extra": standard((0, 65000), (65000, 64503))}, 2, (1, "", hop6(11))),
    (64501, "2a00:db81:11::/48", {"extra": large((65000, 0, 64503))}, 2, None),
    (64501, "2a00:db81:14::/48", {"extra": large((65000, 103, 64503))}, 2, (4, "", hop6(11))),
    (64501, "2a00:db81:16::/48", {"extra": large((65000, 1000, 1), (65000, 1101, 3))}, 2, (1, "", hop6(11))),
)
D = Daemon()
PEERS = {}


def read(*words):
    with open(os.path.join(EXAMPLES, *words)) as text:
        return text.read()


def write(name, text):
    text = re.sub(r"neighbor 2001:db8:0:1::(\d+)", r"neighbor 127.0.6.\1", text.replace("192.0.2.", "127.0.2."))
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
            write(name % n, read(name % n))
    write("rpki.conf", ROAS)
    write("communities.txt", read("communities.txt"))
    conf = read("rs.conf").replace("RS_PORT = 179", "RS_PORT = %d" % PORT)
    conf = conf.replace("template bgp rs_member {", "template bgp rs_member {\n\tmultihop;")
    conf = conf.replace("define RS_ADDRESS6 = 2001:db8:0:1::1;", "define RS_ADDRESS6 = 127.0.6.1;")
    D.write(conf.replace("192.0.2.", "127.0.2."))
    D.start()
    for n, address in ((64501, 11), (64502, 12), (64503, 13), (0, 14)):
        PEERS[4, n] = Peer(PORT, "127.0.2.%d" % address, n or 64503, server="127.0.2.1").establish()
        caps = b"\x01\x04\x00\x02\x00\x01"
        PEERS[6, n] = Peer6(PORT, "127.0.6.%d" % address, n or 64503, server="127.0.6.1", caps=caps).establish()


def session(family, n):
    return "as%d_%s%d" % (n, "a_" if n == 64503 else "", family)


def refuses(family, wrong):
    for n, net, says, _, _ in wrong:
        PEERS[family, n].update([net], **says)
    want = {(session(family, n), net) for n, net, _, _, _ in wrong}

    def found():
        routes = objects("route filtered reasons table master%d" % family, "route")
        return {(o["protocol"], o["network"]) for o in routes}

    wait_until(lambda: found() == want, lambda: "what differs: %r" % sorted(found() ^ want))
    for n, net, _, reason, text in wrong:
        o = [o for o in objects("route why %s" % net, "why") if o["protocol"] == session(family, n)][0]
        equal((o["reason"], o["filtered_by"], o["file"]), ("import_filter", "import", D.conf), net)
        line = D.read().split("\n")[o["line"] - 1]
        check(line.strip().startswith("reject "), "%s: the line that refuses: %s" % (net, line))
        check(text in D.text("show route why " + net), "%s: %s" % (net, D.text("show route why " + net)))
        marks = re.findall(r"\(65000, ?1101, ?(\d+)\)", D.text("show route %s filtered all" % net))
        equal(marks, [str(reason)], net + ": the reason community")
        texts = [c["text"] for c in objects("route %s filtered all" % net, "route")[0]["community_texts"]]
        equal([t.startswith("refused: ") for t in texts].count(True), 1, "%s: %r" % (net, texts))
    for n in (64501, 64502, 64503):
        by = [o for o in objects("members " + session(family, n), "member")][0]["ipv%d" % family]
        equal((by["accepted"], by["filtered"]), (0, [w[0] for w in wrong].count(n)), "member %d" % n)


def sent(name):
    """{prefix: (length of the path, communities, next hop)} that a session sends."""
    found = {}
    for o in objects("route all export %s" % name, "route"):
        a = o["attributes"]
        communities = " ".join("(%d,%d)" % tuple(c) for c in a.get("bgp_community", []))
        found[o["network"]] = (len(a["bgp_path"]), communities, a["bgp_next_hop"][0])
        equal([c for c in a["bgp_large_community"] if c[1] < 1000], [], "control communities")
    return found


def accepts(family, right):
    for n, net, says, _, _ in right:
        PEERS[family, n].update([net], **says)
    for n, net, _, rpki, _ in right:
        wait_until(lambda: net in D.text("show route " + net), net + ": accepted")
        text = D.text("show route %s all protocol %s" % (net, session(family, n)))
        marks = re.findall(r"\(65000, ?(1\d\d\d), ?(\d+)\)", text)
        equal(sorted(marks), [("1000", str(rpki)), ("1001", "1")], "%s: %s" % (net, text))
    want = {net: gets for _, net, _, _, gets in right if gets}
    for name in ("as64503_a_%d" % family, "as64503_b_%d" % family):
        wait_until(lambda: sent(name) == want, lambda: "%s: %r" % (name, set(sent(name).items()) ^ set(want.items())))


def two_routers(family, net, hop):
    """Each router of a member may announce the other router as the next hop."""
    name = session(family, 64501)
    PEERS[family, 0].update([net], next_hop=hop)
    wait_until(lambda: net in sent(name), lambda: D.text("show route why " + net))
    equal(sent(name)[net], (1, "", hop), "the next hop")


start()
case("members that break each rule", lambda: refuses(4, WRONG))
case("members that break each rule: IPv6", lambda: refuses(6, WRONG6))
case("members that obey", lambda: accepts(4, RIGHT))
case("members that obey: IPv6", lambda: accepts(6, RIGHT6))
case("a member with two routers", lambda: two_routers(4, "11.3.1.0/24", "127.0.2.13"))
case("a member with two routers: IPv6", lambda: two_routers(6, "2a00:db83:1::/48", hop6(13)))
D.stop()
done()
