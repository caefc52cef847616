# SPDX-License-Identifier: GPL-3.0-or-later
"""Filtered routes in the three ways (import filter, pipe to the shared table, reason communities): `show members`,
`show route why`, `show route filtered reasons` and JSON agree. Members have tables of their own, as IXP Manager
configures them, or share a table, as arouteserver configures them. A file has names for the communities."""

import json

from harness import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
NAMES = """# names of communities
65000:1101:3\tbogon prefix
65000:1101:*\trefused, reason $2

65000:666\tblackhole
(65000, 1000, 1)\tRPKI valid
"""
CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
threads 2;
protocol device { }
communities file "names.txt";
filtered communities [(65000,1101,*)], [(65000,667)];
filter f_in {
  if net.type = NET_IP4 && net.len > 28 then { bgp_large_community.add((65000,1101,13)); reject "too long"; }
  if (65000,3) ~ bgp_community then bgp_large_community.add((65000,1101,3));
  if (65000,1) ~ bgp_community then bgp_large_community.add((65000,1000,1));
  accept;
}
filter f_to_master {
  if bgp_large_community ~ [(65000,1101,*)] then reject;
  if (65000,9) ~ bgp_community then reject "not to others";
  accept;
}
template bgp any { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client;
  ipv4 { import filter f_in; export all; }; }
ipv4 table t1;
ipv6 table t1v6;
protocol bgp p1 from any { neighbor 127.0.11.1 as 65001;
  ipv4 { table t1; import keep filtered; }; ipv6 { table t1v6; import filter f_in; export all; }; }
protocol pipe pp1 { table master4; peer table t1; import filter f_to_master; export all; }
protocol pipe pp1v6 { table master6; peer table t1v6; import filter f_to_master; export all; }
ipv4 table t2;
protocol bgp p2 from any { neighbor 127.0.11.2 as 65002; ipv4 { table t2; }; }
protocol pipe pp2 { table master4; peer table t2; import filter f_to_master; export all; }
ipv4 table shared;
protocol bgp p3 from any { neighbor 127.0.11.3 as 65003; ipv4 { table shared; }; }
protocol bgp p4 from any { neighbor 127.0.11.4 as 65004; ipv4 { table shared; }; }
""".replace("PORT", str(PORT))
MP6 = b"\x01\x04\0\x02\0\x01"
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
D = Daemon()
PEERS = {}


def names(text):
    with open(os.path.join(D.dir, "names.txt"), "w") as out:
        out.write(text)


names(NAMES)
D.write(CONF)
D.start()


def comm(*values):
    return attribute(0xC0, 8, b"".join(struct.pack("!HH", 65000, v) for v in values))


def objects(command, kind):
    found = [json.loads(t) for c, t in D.run("json show " + command) if c == 1100]
    wrong = [e for o in found for e in SCHEMA.errors(o)]
    check(not wrong, "%s: %s" % (command, "; ".join(wrong)))
    return [o for o in found if o["type"] == kind]


def told(name, family="ipv4"):
    """received, accepted, filtered, and filtered by import, tag and pipe."""
    o = objects("members " + name, "member")[0][family]
    by = o["filtered_by"]
    return o["received"], o["accepted"], o["filtered"], (by["import"], by["tagged"], by["pipe"])


def reasons(rest=""):
    """{(protocol, network): way} of `show route filtered reasons`."""
    command = "route filtered reasons " + rest
    found = objects(command, "route") + objects(command, "filtered_route")
    return {(o["protocol"], o["network"]): o["filtered_by"] for o in found}


def why(net):
    """The same of `show route why`."""
    found = [o for o in objects("route why " + net, "why") if "filtered_by" in o]
    return {(o["protocol"], o["network"]): o["filtered_by"] for o in found}


def agree(name, table=""):
    """All commands say the same of the member's routes."""
    by = {"import": 0, "tagged": 0, "pipe": 0}
    found = {k: w for k, w in reasons().items() if k[0] == name}
    for (_, net), way in found.items():
        by[way] += 1
        if ":" not in net:
            equal(why(net + table).get((name, net)), way, "why %s" % net)
    equal(reasons("protocol " + name), found, "reasons of one protocol")
    sums = [told(name, f) for f in ("ipv4", "ipv6") if f in objects("members " + name, "member")[0]]
    counts = tuple(sum(s[3][i] for s in sums) for i in range(3))
    equal(counts, (by["import"], by["tagged"], by["pipe"]), "%s: the counts" % name)
    text = D.text("show route filtered reasons count protocol %s table all" % name)
    count = re.search(r"(\d+) of \d+ routes", text.split("Total")[-1])
    equal(int(count.group(1)), len(found), "count of " + name)


def peer(n, caps=b""):
    PEERS[n] = Peer(PORT, "127.0.11.%d" % n, 65000 + n, server="127.0.10.1", caps=caps).establish()
    return PEERS[n]


def announce6(p, net, extra=b""):
    attrs = (attribute(0x40, 1, b"\0") + attribute(0x40, 2, struct.pack("!BBI", 2, 1, p.as_number)) + extra +
             attribute(0x80, 14, b"\0\2\1\x10" + socket.inet_pton(socket.AF_INET6, "2001:db8:fffe::1") +
                       b"\0" + b"\x30" + socket.inet_pton(socket.AF_INET6, net)[:6]))
    p.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs))


def own_tables():
    p1 = peer(1, MP6)
    p1.update(["20.1.0.0/24", "20.1.1.0/24"], extra=comm(1))
    p1.update(["20.1.2.0/24"], extra=comm(3))
    p1.update(["20.1.3.0/24", "20.1.4.0/24"], extra=comm(9))
    p1.update(["20.1.5.0/30"])
    announce6(p1, "2001:db8:1::")
    announce6(p1, "2001:db8:2::", comm(3))
    announce6(p1, "2001:db8:3::", comm(9))
    p2 = peer(2)
    p2.update(["20.2.0.0/24"])
    p2.update(["20.2.1.0/24"], extra=comm(3))
    p2.update(["20.2.5.0/30", "20.2.5.4/30"])
    wait_until(lambda: told("p1") == (6, 2, 4, (1, 1, 2)), lambda: D.text("show members"))
    wait_until(lambda: told("p1", "ipv6") == (3, 1, 2, (0, 1, 1)), lambda: D.text("show members"))
    wait_until(lambda: told("p2") == (4, 1, 3, (2, 1, 0)), lambda: D.text("show members"))
    agree("p1")
    agree("p2")
    equal(told("p1"), (6, 2, 4, (1, 1, 2)), "again, without a walk")
    # what tools parse is as before
    text = D.text("show route filtered table t1")
    check("20.1.5.0/30" in text and "20.1.2.0/24" not in text and "filtered" not in text, text)
    # a withdrawal and another route
    p1.withdraw(["20.1.3.0/24"])
    p1.update(["20.1.2.0/24"])
    wait_until(lambda: told("p1") == (5, 3, 2, (1, 0, 1)), lambda: D.text("show members"))
    # a refused route that is not kept, and is let in later; another one goes
    p2.withdraw(["20.2.5.0/30"])
    p2.update(["20.2.1.0/24"], extra=comm(9))
    wait_until(lambda: told("p2") == (3, 1, 2, (1, 0, 1)), lambda: D.text("show members"))
    agree("p1")
    agree("p2")


def shared_table():
    peer(3).update(["20.3.0.0/24"], extra=comm(3))
    PEERS[3].update(["20.3.1.0/24"])
    p4 = peer(4)
    p4.update(["20.4.0.0/24", "20.4.1.0/24"], extra=comm(667))
    p4.update(["20.4.2.0/30"])
    wait_until(lambda: told("p3") == (2, 1, 1, (0, 1, 0)), lambda: D.text("show members"))
    wait_until(lambda: told("p4") == (3, 0, 3, (1, 2, 0)), lambda: D.text("show members"))
    agree("p3", " table shared")
    agree("p4", " table shared")


def words():
    text = D.text("show route why 20.4.2.0/30 table shared")
    check("adds (65000, 1101, 13) (refused, reason 13)" in text, text)
    text = D.text("show route why 20.3.0.0/24 table shared")
    check("best, filtered, tagged (65000, 1101, 3): bogon prefix" in text, text)
    check("\t\t(65000, 1101, 3): bogon prefix" in text, text)
    text = D.text("show route filtered reasons table t1")
    check("filtered, refused by pipe pp1, filter f_to_master at " in text and ": not to others" in text, text)
    o = objects("route 20.3.0.0/24 table shared all", "route")[0]
    equal(o["community_texts"], [{"community": "(65000, 1101, 3)", "text": "bogon prefix"}], "the texts of a route")
    o = objects("route why 20.4.2.0/30 table shared", "why")[0]
    equal(o["added_communities_text"], "refused, reason 13", "the texts of added communities")
    o = objects("route filtered reasons protocol p3", "route")[0]
    equal(
        (o["community"], o["community_text"]),
        ("(65000, 1101, 3)", "bogon prefix"),
        "the community of a filtered route")
    equal(objects("members p1", "member")[0]["state"], "up", "the session is up")


def refused(conf, text, where):
    """A configuration with an error in names.txt is not taken, and the message has file and line."""
    if text is None:
        os.unlink(os.path.join(D.dir, "names.txt"))
    else:
        names(text)
    D.write(conf)
    reply = D.run("configure")
    equal(reply[-1][0], 8002, "configure: %s" % reply)
    check(where in "\n".join(t for _, t in reply), "%s in %s" % (where, reply))
    text = D.text("show route why 20.3.0.0/24 table shared")
    check("tagged (65000, 1101, 3): bogon prefix" in text, "the old configuration is in force: " + text)


def configured():
    refused(CONF, "", "names.txt:1:")
    refused(CONF, "# nothing\n\n", "names.txt:1:")
    refused(CONF, "65000:1101:3\tfine\n65000:1101 wrong\n", "names.txt:2:")
    refused(CONF, "65000:1101:3\tfine\n\n65000:x\twrong\n", "names.txt:3:1")
    refused(CONF, "65000:70000\twrong\n", "names.txt:1:1")
    refused(CONF, None, "names.txt")
    names(NAMES.replace("bogon prefix", "martian"))
    refused_line = CONF.replace("[(65000,1101,*)], [(65000,667)]", "17")
    D.write(refused_line)
    equal(D.run("configure")[-1][0], 8002, "no set")
    D.write(CONF.replace(", [(65000,667)]", "").replace('if (65000,9) ~', 'if (65000,8) ~'))
    equal(D.run("configure")[-1][0] in (3, 4), True, "configure")
    check("tagged (65000, 1101, 3): martian" in D.text("show route why 20.3.0.0/24 table shared"), "the new names")
    wait_until(lambda: told("p4") == (3, 2, 1, (1, 0, 0)), lambda: D.text("show members"))
    wait_until(lambda: told("p1") == (5, 4, 1, (1, 0, 0)), lambda: D.text("show members"))
    wait_until(lambda: told("p1", "ipv6") == (3, 2, 1, (0, 1, 0)), lambda: D.text("show members"))
    for n in 1, 2:
        agree("p%d" % n)
    for n in 3, 4:
        agree("p%d" % n, " table shared")
    D.write(CONF.replace("filtered communities", "# ").replace("communities file", "# "))
    D.run("configure")
    wait_until(lambda: told("p3") == (2, 2, 0, (0, 0, 0)), lambda: D.text("show members"))
    wait_until(lambda: told("p1", "ipv6") == (3, 1, 2, (0, 0, 2)), lambda: D.text("show members"))
    agree("p1")


case("tables of members", own_tables)
case("a shared table", shared_table)
case("words", words)
case("configure", configured)
D.stop()
done()
