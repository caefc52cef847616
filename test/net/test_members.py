# SPDX-License-Identifier: GPL-3.0-or-later
"""`show members`: a line for each member, with the cause that a session is not up, counts of both families, the share
of the limit, and sums; text and JSON agree. The IPv4 session and the IPv6 session of a member share a line."""

import json

from harness import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
threads 2;
protocol device { }
template bgp any { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client;
  ipv4 { import keep filtered; import where net.len <= 24; export all; }; }
protocol bgp p1 from any { description "Example Networks"; neighbor 127.0.11.1 as 65001;
  ipv4 { import limit 4 action warn; }; ipv6 { import all; export all; }; }
protocol bgp p2 from any { neighbor 127.0.11.2 as 65002; ipv4 { receive limit 3 action disable; }; }
protocol bgp p3 from any { description "Third"; neighbor 127.0.11.3 as 65003; }
protocol bgp p4 from any { neighbor 127.0.11.4 as 65004; disabled; }
protocol bgp many from any { neighbor range 127.0.12.0/24 external; }
""".replace(
    "PORT", str(PORT)
)
MP6 = b"\x01\x04\0\x02\0\x01"
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
D = Daemon(CONF).start()


def objects(rest=""):
    found = [json.loads(t) for c, t in D.run("json show members " + rest) if c == 1100]
    wrong = [e for o in found for e in SCHEMA.errors(o)]
    check(not wrong, "; ".join(wrong))
    return found


def named(name):
    return [o for o in objects() if o.get("name") == name][0]


def names(rest):
    """JSON and text choose alike. A change may come between the two commands: then both are asked again."""

    def both():
        found = [o["name"] for o in objects(rest) if o["type"] == "member"]
        rows = [t.split()[1] for c, t in D.run("show members " + rest) if c == 1102 and not t.startswith("Total")]
        return found, rows

    last = []

    def agree():
        last[:] = both()
        return last[0] == last[1]

    wait_until(agree, lambda: "show members %s: JSON has %r, text has %r" % (rest, last[0], last[1]))
    return last[0]


def counts(name):
    o = named(name)
    return {
        f: tuple(o[f][k] for k in ("received", "accepted", "filtered", "exported")) for f in ("ipv4", "ipv6") if f in o
    }


def cause(name):
    c = named(name).get("cause", {})
    return c.get("side"), c.get("text")


def announce6(p, nets):
    octets = b"".join(b"\x30" + socket.inet_pton(socket.AF_INET6, n)[:6] for n in nets)
    attrs = (
        attribute(0x40, 1, b"\0")
        + attribute(0x40, 2, struct.pack("!BBI", 2, 1, p.as_number))
        + attribute(0x80, 14, b"\0\2\1\x10" + socket.inet_pton(socket.AF_INET6, "2001:db8:fffe::1") + b"\0" + octets)
    )
    p.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs))


def before():
    equal(names(""), ["p1", "p2", "p3", "p4"], "the range is no member")
    equal(cause("p1"), ("them", "not connected yet"), "nobody has come")
    equal(cause("p4"), ("us", "disabled in the configuration"), "disabled")
    equal(names("down"), ["p1", "p2", "p3", "p4"], "down")
    equal(names("filtered"), [], "filtered")
    none = dict.fromkeys(("received", "accepted", "filtered", "exported"), 0)
    none["filtered_by"] = dict.fromkeys(("import", "tagged", "pipe", "check"), 0)
    sums = {"type": "members", "sessions": 4, "up": 0, "members": 4, "members_up": 0, "ipv4": none, "ipv6": none}
    equal(objects()[-2], sums, "the sums")


def both_families():
    p1 = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", caps=MP6).establish()
    p3 = Peer(PORT, "127.0.11.3", 65003, server="127.0.10.1").establish()
    p1.update(["20.0.1.0/24", "20.0.2.0/24", "20.0.3.0/24", "20.0.4.0/25"])
    announce6(p1, ["2001:db8:1::", "2001:db8:2::"])
    wait_until(lambda: counts("p1") == {"ipv4": (4, 3, 1, 0), "ipv6": (2, 2, 0, 0)}, lambda: D.text("show members"))
    wait_until(lambda: counts("p3") == {"ipv4": (0, 0, 0, 3)}, lambda: D.text("show members"))
    equal(named("p1")["limit"], {"kind": "import", "channel": "ipv4", "max": 4, "used_percent": 75}, "the limit")
    row = re.search(
        r"^ ?65001 +p1 \(Example Networks\) +127\.0\.11\.1 +up +\S+ +(\S+) +(\S+) +(\S+) +(\S+)  75% import$",
        "\n".join(t for c, t in D.run("show members p1") if c == 1102),
        re.M,
    )
    check(row, D.text("show members p1"))
    equal(row.groups(), ("4/2", "3/2", "1/0", "0/0"), "a line with both families")
    total = re.search(r"^Total +2 of 4 up +(\S+) +(\S+) +(\S+) +(\S+)$", D.text("show members"), re.M)
    check(total, D.text("show members"))
    equal(total.groups(), ("4/2", "3/2", "1/0", "3/0"), "the sums")
    equal(names("filtered"), ["p1"], "filtered")
    equal(names("down"), ["p2", "p4"], "down")
    equal(names("near limit"), [], "near a limit")
    p1.update(["20.0.5.0/24"])
    wait_until(lambda: names("near limit") == ["p1"], lambda: D.text("show members"))
    equal(names('"*Net*"'), ["p1"], "a pattern is for descriptions, too")
    equal(names('"p*"'), ["p1", "p2", "p3", "p4"], "a pattern")
    equal(names("65003"), ["p3"], "an AS number")
    equal(names("65003 down"), [], "an AS number, down")
    equal(D.code('show members "nosuch*"'), 8003, "nobody")
    equal(D.code("show members downn"), 9001, "a wrong word")
    p3.cease()
    wait_until(lambda: named("p3")["state"] == "down", "the session ends")
    side, text = cause("p3")
    equal(side, "them", text)
    p1.reset()
    wait_until(lambda: cause("p1")[0] == "them", lambda: D.text("show members"))
    equal(counts("p1"), {"ipv4": (0, 0, 0, 0), "ipv6": (0, 0, 0, 0)}, "a session that is down")


def of_a_range():
    """A session of a range keeps the AS number of its last OPEN, and has none before."""
    p = Peer(PORT, "127.0.12.7", 65107, server="127.0.10.1").establish()
    wait_until(lambda: objects("65107")[0].get("state") == "up", lambda: D.text("show members"))
    name = objects("65107")[0]["name"]
    p.s.close()
    wait_until(lambda: named(name)["state"] != "up", lambda: D.text("show members"))
    equal(named(name)["as"], 65107, "JSON")
    check(
        re.search(r"^ ?65107 +%s " % name, "\n".join(t for c, t in D.run("show members 65107")), re.M),
        D.text("show members"),
    )
    p = Peer(PORT, "127.0.12.8", 65108, server="127.0.10.1")
    wait_until(lambda: len(objects('"dynbgp*"')) == 4, lambda: D.text("show members"))
    row = [t for c, t in D.run('show members "dynbgp*"') if " 127.0.12.8 " in t][0]
    check(row.lstrip().startswith("- "), row)
    p.s.close()


def wrong_as():
    p = Peer(PORT, "127.0.11.2", 64999, server="127.0.10.1")
    p.send(p.open_message())
    want = ("them", "Bad peer AS 64999, expected 65002")
    wait_until(lambda: cause("p2") == want, lambda: D.text("show members"))
    check("BGP Error: Bad peer AS\n" in D.text("show protocols p2") + "\n", D.text("show protocols p2"))
    p.s.close()
    D.run("restart p2")  # ends the error wait
    wait_until(lambda: cause("p2") != want, lambda: D.text("show members"))


def causes():
    p2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1").establish()
    p2.update(["20.1.%d.0/24" % i for i in range(5)])
    want = ("limit", "disabled by receive limit 3 of ipv4")
    wait_until(lambda: cause("p2") == want, lambda: D.text("show members"))
    equal(named("p2")["state"], "disabled", "by a limit")
    check("limit: disabled by receive limit 3 of ipv4" in D.text("show members p2"), D.text("show members p2"))
    D.run('disable p1 "until noon"')
    equal(cause("p1"), ("us", "disabled by an operator: until noon"), "by an operator")
    D.run("enable p1")
    D.run('disable p1 hold "ticket 7"')
    equal(cause("p1"), ("us", "held by an operator: ticket 7"), "held")
    p2.s.close()
    D.write(CONF.replace("as 65003;", "as 65003; ipv4 { import limit 2 action restart; };"))
    equal(D.code("configure"), 3, "a limit that restarts")
    p3 = join_when_taken(lambda: Peer(PORT, "127.0.11.3", 65003, server="127.0.10.1"), "p3")
    p3.update(["20.3.%d.0/24" % i for i in range(5)])
    want = ("limit", "Route limit exceeded: import limit 2 of ipv4")
    wait_until(lambda: cause("p3") == want, lambda: D.text("show members"))
    p3.s.close()
    D.write(CONF)
    equal(D.code("configure"), 3, "without the limit")
    D.run("restart p3")  # ends the error wait


def configured():
    """Another description and a raised limit, during `configure`."""
    p3 = Peer(PORT, "127.0.11.3", 65003, server="127.0.10.1").establish()
    p3.update(["20.3.0.0/24", "20.3.0.0/25"])
    wait_until(lambda: counts("p3") == {"ipv4": (2, 1, 1, 0)}, lambda: D.text("show members"))
    D.write(CONF.replace('"Third"', '"Third, renamed"').replace("net.len <= 24", "net.len <= 25"))
    D.run("configure")
    wait_until(lambda: named("p3")["description"] == "Third, renamed", lambda: D.text("show members"))
    wait_until(lambda: counts("p3") == {"ipv4": (2, 2, 0, 0)}, lambda: D.text("show members"))
    equal(named("p3")["state"], "up", "the session stays")
    p3.reset()


JOINED = (
    CONF
    + """
template bgp four from any { ipv4 { import limit 10 action warn; }; }
template bgp six { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client;
  ipv6 { import keep filtered; import where net.len <= 48; export all; import limit 4 action warn; }; }
# one router with a session for each family; other names
protocol bgp m10_1 from four { description "Tenth"; neighbor 127.0.11.10 as 65010; }
protocol bgp m10_x from six { description "Tenth"; neighbor 127.0.11.110 as 65010; }
# two routers, each with a session for each family: the names differ in 4 and 6
protocol bgp m12a_6 from six { neighbor 127.0.11.112 as 65012; }
protocol bgp m12a_4 from four { description "Twelfth"; neighbor 127.0.11.12 as 65012; }
protocol bgp m12b_4 from four { neighbor 127.0.11.13 as 65012; }
protocol bgp m12b_6 from six { neighbor 127.0.11.113 as 65012; }
# a router with two sessions, a router with one session; sessions of two members
protocol bgp m14_4 from four { neighbor 127.0.11.14 as 65014; }
protocol bgp m14_6 from six { neighbor 127.0.11.114 as 65014; disabled; }
protocol bgp m14_c from any { neighbor 127.0.11.15 as 65014; }
protocol bgp m16_4 from four { neighbor 127.0.11.16 as 65016; }
protocol bgp m16_6 from six { neighbor 127.0.11.116 as 65017; }
""".replace(
        "PORT", str(PORT)
    )
)


def rows(rest=""):
    """{name column: the rest of the line}"""
    found = [t for c, t in D.run("show members " + rest) if c in (1102, -1102)]
    return {t.split()[1]: t for t in found if not t.startswith("Total")}


def joined():
    D.write(JOINED)
    D.run("configure")
    want = {"m10_1+m10_x", "m12a_4+m12a_6", "m12b_4+m12b_6", "m14_4+m14_6", "m14_c", "m16_4", "m16_6"}
    wait_until(lambda: set(rows('"m*"')) == want, lambda: D.text("show members"))
    check("Total      0 of 7 up" in D.text('show members "m*"'), D.text('show members "m*"'))
    sums = objects('"m*"')[-2]
    equal((sums["sessions"], sums["members"], sums["members_up"]), (11, 7, 0), "the sums")
    lines = {o["name"]: o.get("line") for o in objects('"m*"') if o["type"] == "member"}
    equal(lines["m12b_4"], "m12b_4", "the line of the first session")
    equal((lines["m12b_6"], lines["m10_x"], lines["m14_c"]), ("m12b_4", "m10_1", None), "the lines")
    check("m10_1+m10_x (Tenth)" in rows("65010")["m10_1+m10_x"], "one line: " + D.text("show members 65010"))
    check(re.search(r" 127.0.11.10, 127.0.11.110 +down ", D.text("show members 65010")), "both addresses")
    check(D.text("show members 65010").count("not connected yet") == 1, "both have the cause")
    check("them: m10" not in D.text("show members 65010"), "the name is unnecessary")
    equal(set(rows("m10_x")), {"m10_x"}, "a name chooses a session")
    four = Peer(PORT, "127.0.11.10", 65010, server="127.0.10.1").establish()
    four.update(["20.10.1.0/24", "20.10.2.0/24", "20.10.3.0/25"])
    wait_until(lambda: counts("m10_1") == {"ipv4": (3, 2, 1, 0)}, lambda: D.text("show members"))
    line = rows("65010")["m10_1+m10_x"]
    check(re.search(r" down +\S+ +3/0 +2/0 +1/0 +0/0  20% import +them: m10_x: not connected yet$", line), line)
    equal(set(rows("65010 filtered")), {"m10_1+m10_x"}, "filtered")
    equal(set(rows("65010 down")), {"m10_1+m10_x"}, "a line with a session that is down")
    down = [o["name"] for o in objects("65010 down") if o["type"] == "member"]
    equal(down, ["m10_x"], "JSON has the session that is down")
    six = Peer(PORT, "127.0.11.110", 65010, server="127.0.10.1", caps=MP6).establish()
    announce6(six, ["2001:db8:10::", "2001:db8:11::", "2001:db8:12::"])
    wait_until(lambda: counts("m10_x") == {"ipv6": (3, 3, 0, 0)}, lambda: D.text("show members"))
    line = rows("65010")["m10_1+m10_x"]
    check(re.search(r" up +\S+ +3/3 +2/3 +1/0 +0/0  75% import$", line), line)
    equal((objects("65010")[-2]["members_up"], objects("65010")[-2]["up"]), (1, 2), "up")
    equal(set(rows("65010 down")), set(), "none is down")
    check("disabled in the configuration" not in rows("65014")["m14_4+m14_6"], "the IPv4 session is shown")
    four.reset()
    six.reset()


MANY = size(1500, 700)
CROWD = JOINED + "".join(
    'protocol bgp c%d from any { description "%s"; neighbor 127.1.%d.%d as %d; disabled; }\n'
    % (n, "member %d of the crowd " % n * 8, n // 250, n % 250 + 1, 70000 + n)
    for n in range(MANY)
)


def slow_client():
    """A client that does not read, in the middle of the lines of a crowd: other clients get their answers, members
    leave and join, and the client gets each remaining member once."""
    D.write(CROWD)
    check(D.code("configure") in (3, 4), "the crowd")
    wait_until(lambda: objects("")[-2]["sessions"] >= MANY, "the crowd to be there")
    for command in "show members", "json show members":
        c = Cli(D.ctl)
        c.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        c.send(command + "\n")
        c.wait_full()
        equal(len(names('"c1*"')), len([n for n in range(MANY) if str(n)[0] == "1"]), "another client")
        # members of the end leave, others join, and a member of the beginning has another state
        lines = CROWD.splitlines()
        D.write(
            "\n".join(
                lines[:-50]
                + ["protocol bgp new%d from any { neighbor 127.2.0.%d as %d; }" % (i, i, 80000 + i) for i in (1, 2)]
            )
        )
        check(D.code("configure") in (3, 4), "some leave and join")
        wait_until(lambda: "up and running" in D.text("show status"), lambda: D.text("show status"))
        wait_until(lambda: names('"new*"') == ["new1", "new2"], "the new members")
        found = re.findall(r"\bc(\d+)\b(?= |\",)", "\n".join(t for _, t in c.reply()))
        seen = [int(n) for n in dict.fromkeys(found)]
        equal(seen[: MANY - 50], list(range(MANY - 50)), "each member that stays, in order")
        check(set(seen) <= set(range(MANY)), "members that leave may have a line: %s" % seen[MANY - 50 :])
        c.close()
        D.write(CROWD)
        check(D.code("configure") in (3, 4), "the crowd again")
        wait_until(lambda: objects("")[-2]["sessions"] >= MANY and not D.text("show protocols").count("new1"), "again")


case("nobody is there", before)
case("both families", both_families)
case("a wrong AS number", wrong_as)
case("causes", causes)
case("configure", configured)
case("a session of a range", of_a_range)
case("sessions of a member share a line", joined)
case("a slow client and a crowd", slow_client)
D.stop()
done()
