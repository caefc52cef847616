# SPDX-License-Identifier: GPL-3.0-or-later
"""Filtered routes in the four ways (import filter, pipe to the shared table, reason communities, import checks): `show
members`, `show route why`, `show route filtered reasons` and JSON agree. Members have tables of their own, as IXP
Manager configures them, or share a table, as arouteserver configures them. A file has names for the communities."""

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
debug show route on;
cli "RUN/ro.ctl" { restrict; };
protocol device { }
communities file "names.txt";
filtered communities [(65000,1101,*)], [(65000,667)];
filter f_in {
  if net.type = NET_IP4 && net.len > 28 then { bgp_large_community.add((65000,1101,13)); reject "too long"; }
  if (65000,3) ~ bgp_community then bgp_large_community.add((65000,1101,3));
  if (65000,11) ~ bgp_community && 5 / bgp_med > 1 then accept;  # IN ERROR
  if (65000,1) ~ bgp_community then bgp_large_community.add((65000,1000,1));
  accept;
}
filter f_to_master {
  if bgp_large_community ~ [(65000,1101,*)] then reject;
  if (65000,9) ~ bgp_community then reject "not to others";  # PIPE
  if (65000,12) ~ bgp_community && 5 / bgp_med > 1 then accept;  # PIPE ERROR
  accept;
}
template bgp any { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client;
  ipv4 { import filter f_in; export all; }; }
ipv4 table t1;
ipv6 table t1v6;
protocol bgp p1 from any { neighbor 127.0.11.1 as 65001;
  ipv4 { table t1; import keep filtered; }; ipv6 { table t1v6; import filter f_in; export all; }; }
protocol pipe pp1v6 { table master6; peer table t1v6; import filter f_to_master; export all; }
ipv4 table t2;
protocol bgp p2 from any { neighbor 127.0.11.2 as 65002; ipv4 { table t2; }; }
protocol pipe pp1 { table master4; peer table t1; import filter f_to_master; export all; }
protocol pipe pp2 { table master4; peer table t2; import filter f_to_master; export all; }
ipv4 table shared;
protocol bgp p3 from any { neighbor 127.0.11.3 as 65003; ipv4 { table shared; }; }
protocol bgp p4 from any { neighbor 127.0.11.4 as 65004; ipv4 { table shared; }; }
ipv4 table ranged;
protocol bgp r from any { neighbor range 127.0.12.0/24 external; ipv4 { table ranged; }; }
ipv4 table big;
protocol bgp p5 from any { neighbor 127.0.11.5 as 65005; disabled; }
protocol bgp p6 from any { neighbor 127.0.11.6 as 65006;
  ipv4 { table big; rejects 100000; import where net.len <= 28; }; }
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
    """received, accepted, filtered, and filtered by import, tag and pipe, and by checks if there are any."""
    o = objects("members " + name, "member")[0][family]
    by = o["filtered_by"]
    ways = (by["import"], by["tagged"], by["pipe"]) + ((by["check"],) if by["check"] else ())
    return o["received"], o["accepted"], o["filtered"], ways


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
    """All commands say the same of the member's routes, as soon as pipes have passed on what `configure` changed."""
    by = {"import": 0, "tagged": 0, "pipe": 0, "check": 0}
    of_all = lambda: {k: w for k, w in reasons().items() if k[0] == name}
    wait_until(lambda: of_all() == reasons("protocol " + name), "reasons of one protocol")
    found = of_all()
    for (_, net), way in found.items():
        by[way] += 1
        if ":" not in net:
            equal(why(net + table).get((name, net)), way, "why %s" % net)
    equal(reasons("protocol " + name), found, "reasons of one protocol")
    sums = [told(name, f) for f in ("ipv4", "ipv6") if f in objects("members " + name, "member")[0]]
    counts = tuple(sum((s[3] + (0,))[i] for s in sums) for i in range(4))
    equal(counts, (by["import"], by["tagged"], by["pipe"], by["check"]), "%s: the counts" % name)
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


def checks():
    """Routes that a check refuses before any filter, beside routes that the other ways refuse."""
    p1, p2 = PEERS[1], PEERS[2]
    before = {n: told("p%d" % n) for n in (1, 2)}

    def grown(n, received, check, way=(0, 0, 0)):
        r, a, f, by = before[n]
        by = tuple(map(sum, zip(by, way))) + ((check,) if check else ())
        return (r + received, a, f + check + sum(way), by)

    p1.update(["20.1.20.0/24", "20.1.21.0/24"], path=[65001, 65000])  # own AS
    p1.update(["20.1.22.0/24"], next_hop="224.0.0.1")
    p2.update(["20.2.20.0/24"], path=[65002, 65000])
    p2.update(["20.2.21.0/30"])
    wait_until(lambda: told("p1") == grown(1, 3, 3), lambda: D.text("show members"))
    wait_until(lambda: told("p2") == grown(2, 2, 1, (1, 0, 0)), lambda: D.text("show members"))
    agree("p1")
    agree("p2")
    found = objects("route filtered reasons protocol p1", "filtered_route")
    equal(
        sorted((o["network"], o["reason"], o["filtered_by"]) for o in found),
        [
            ("20.1.20.0/24", "own_as", "check"),
            ("20.1.21.0/24", "own_as", "check"),
            ("20.1.22.0/24", "bad_next_hop", "check"),
        ],
        "the reasons",
    )
    text = D.text("show route filtered reasons 20.1.20.0/24 table t1")
    check("filtered, own AS in the path" in text, text)
    # an accepted route that fails a check is treated as withdrawn (RFC 7606)
    p1.update(["20.1.0.0/24"], path=[65001, 65000])
    r, a, f, by = grown(1, 3, 4)
    wait_until(lambda: told("p1") == (r, a - 1, f, by), lambda: D.text("show members"))
    agree("p1")
    # a right announcement, another refusal, and withdrawals
    p1.update(["20.1.20.0/24", "20.1.0.0/24"], extra=comm(1))
    p1.update(["20.1.21.0/30"])
    p1.withdraw(["20.1.21.0/24", "20.1.22.0/24", "20.1.20.0/24", "20.1.21.0/30"])
    p2.update(["20.2.20.0/24"], extra=comm(3))
    p2.withdraw(["20.2.20.0/24", "20.2.21.0/30"])
    for n in 1, 2:
        wait_until(lambda: told("p%d" % n) == before[n], lambda: D.text("show members"))
        agree("p%d" % n)


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


def ranged():
    """Members of a range that share a table: one line per real member, while members join and leave. The command walks
    the table once."""
    here, seen = {}, set()

    def join(n):
        def make():
            return Peer(PORT, "127.0.12.%d" % n, 65100 + n, server="127.0.10.1")

        seen.add(n)
        here[n] = join_when_taken(make, "member %d" % n)
        here[n].update(["20.12.%d.%d/32" % (n, i) for i in range(n)])
        here[n].update(["20.12.%d.0/25" % n], extra=comm(3))
        here[n].update(["20.12.%d.128/25" % n])

    def leave(n):
        here.pop(n).s.close()

    def rows():
        found = [o for o in objects("members", "member") if o["address"].startswith("127.0.12.")]
        return sorted(
            (int(o["address"].split(".")[-1]), o["state"], o["ipv4"]["received"], o["ipv4"]["filtered"]) for o in found
        )

    def agrees():
        up = [(n, "up", n + 2, n + 1) for n in here]
        wait_until(lambda: [r for r in rows() if r[1] == "up"] == sorted(up), lambda: D.text("show members"))
        found = rows()
        equal(sorted(r[0] for r in found), sorted(seen), "one line per member: %s" % found)
        text = [t for c, t in D.run("show members") if c == 1102]
        equal(len([t for t in text if "127.0.12." in t]), len(found), "the lines of the text: %s" % text)
        o = objects("members", "members")[0]
        equal(o["sessions"], len(objects("members", "member")), "the number of lines")
        for k in "received", "filtered":
            equal(o["ipv4"][k], sum(m["ipv4"][k] for m in objects("members", "member")), k)

    for n in 1, 2, 3:
        join(n)
    agrees()
    leave(2)
    join(4)
    agrees()
    join(2)
    leave(1)
    leave(3)
    join(5)
    agrees()
    check("127.0.12.0" not in D.text("show members"), "the range is no member")

    # all members of the table are counted by one walk
    here[5].update(["20.13.0.0/25"], extra=comm(3))
    wait_until(lambda: (5, "up", 8, 7) in rows(), lambda: D.text("show members"))
    here[5].update(["20.13.0.0/25"])
    wait_until(lambda: "20.13.0.0/25" not in D.text("show route filtered reasons table ranged"), "the change")
    before = D.whole_log().count("CLI: show members: ")
    D.run("show members")
    wait_until(lambda: D.whole_log().count("CLI: show members: ") == before + 1, D.whole_log)
    walks = re.findall(r"CLI: show members: (\d+) tables walked", D.whole_log())[-1]
    equal(walks, "1", "walks of tables after a change of one table")
    for n in list(here):
        leave(n)


REFUSED = size(60000, 30000)


def paused(sock):
    """A client that reads nothing, in the middle of the refused routes of p6."""
    c = Cli(sock)
    c.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    c.send("json show route filtered reasons table big\n")
    c.wait_full()
    return c


def nets_of(reply):
    return [json.loads(t)["network"] for c, t in reply if c == 1100 and '"filtered_route"' in t]


def walk():
    """The walk of refused routes waits for a client that does not read, and goes on in the same place."""
    p6 = peer(6)
    nets = ["21.%d.%d.%d/32" % (i >> 16, i >> 8 & 255, i & 255) for i in range(REFUSED)]
    for i in range(0, REFUSED, 500):
        p6.update(nets[i : i + 500])
    wait_until(lambda: told("p6") == (REFUSED, 0, REFUSED, (REFUSED, 0, 0)), lambda: D.text("show members p6"))
    # the members before p6 change places, leave, and come back
    for conf in (CONF.replace("protocol bgp p5 ", "# "), CONF):
        c = paused(D.dir + "/ro.ctl")
        D.write(conf)
        equal(D.run("configure")[-1][0] in (3, 4), True, "configure")
        wait_until(lambda: ("\np5 " in D.text("show protocols")) == (conf == CONF), lambda: D.text("show protocols"))
        found = nets_of(c.reply())
        equal((len(found), len(set(found))), (REFUSED, REFUSED), "each refused route once")
        c.close()
    # p6 leaves: what comes then lay in buffers
    c = paused(D.dir + "/ro.ctl")
    p6.s.close()
    wait_until(lambda: told("p6")[0] == 0, lambda: D.text("show members p6"))
    reply = c.reply()
    check(0 < len(nets_of(reply)) < REFUSED, "the client has waited")
    octets = sum(len(t) + 1 for _, t in reply)
    check(octets < 400000, "%d octets lay in buffers" % octets)
    c.close()


def reply(rest):
    return D.text("show route why " + rest)


def words():
    text = D.text("show route why 20.4.2.0/30 table shared")
    check("adds (65000, 1101, 13) (refused, reason 13)" in text, text)
    text = D.text("show route why 20.3.0.0/24 table shared")
    check("best, filtered, tagged (65000, 1101, 3): bogon prefix" in text, text)
    equal(text.count("bogon prefix"), 1, "the text once: " + text)
    equal(D.text("show route why 20.4.2.0/30 table shared").count("refused, reason 13"), 1, "the added text once")
    # the texts of the other communities, each once
    PEERS[3].update(["20.3.2.0/24"], extra=comm(3, 1))
    wait_until(lambda: "20.3.2.0/24" in reply("20.3.2.0/24 table shared"), "the route")
    wait_until(lambda: "RPKI valid" in reply("20.3.2.0/24 table shared"), lambda: reply("20.3.2.0/24 table shared"))
    text = reply("20.3.2.0/24 table shared")
    check("\t\t(65000, 1000, 1): RPKI valid" in text and text.count("bogon prefix") == 1, text)
    # no title of a table without a line, and one title for each table
    for n in 1, 2:
        PEERS[n].update(["20.9.0.0/24"], extra=comm(9))
    wait_until(lambda: reply("20.9.0.0/24").count(": not to others\n") == 4, lambda: reply("20.9.0.0/24"))
    titles = re.findall(r"^Table (\w+):$", reply("20.9.0.0/24"), re.M)
    equal(titles, ["t1", "t2"], reply("20.9.0.0/24"))
    PEERS[3].withdraw(["20.3.2.0/24"])
    for n in 1, 2:
        PEERS[n].withdraw(["20.9.0.0/24"])
    wait_until(lambda: "from" not in reply("20.9.0.0/24") + reply("20.3.2.0/24 table shared"), "the routes have gone")
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


def at(mark):
    return next(i for i, text in enumerate(D.read().split("\n"), 1) if text.endswith("# " + mark))


def errors():
    """A run-time error of the import filter and of the pipe's filter: text and JSON name the error, and the remedy is
    an act of the exchange. A pipe's refusal has the place and the words of the filter in JSON, too."""
    zero = attribute(0x80, 4, bytes(4))
    PEERS[1].update(["20.1.40.0/24"], extra=zero + comm(11))
    PEERS[1].update(["20.1.41.0/24"], extra=zero + comm(12))
    PEERS[1].update(["20.1.42.0/24"], extra=comm(9))
    rows = [
        ("20.1.40.0/24", "import", "f_in", "IN ERROR", "division by zero"),
        ("20.1.41.0/24", "pipe", "f_to_master", "PIPE ERROR", "division by zero"),
        ("20.1.42.0/24", "pipe", "f_to_master", "PIPE", "not to others"),
    ]
    wait_until(lambda: all((("p1", r[0]), r[1]) in reasons().items() for r in rows), lambda: str(reasons()))
    agree("p1")
    for net, way, name, mark, said in rows:
        error = mark.endswith("ERROR")
        place = "filter %s, line %d of rs.conf" % (name, at(mark))
        todo = (
            "Report the error to the exchange; the exchange corrects %s: division by zero." % place
            if error
            else "Change the route as the rule says: not to others. If the text is not clear, ask the exchange (%s)."
            % place
        )
        words = "%s at %s:%d%s: %s" % (name, D.conf, at(mark), ", run-time error" if error else "", said)
        check(words in reply(net), "%s in %s" % (words, reply(net)))
        check("to do: " + todo + "\n" in reply(net), "%s in %s" % (todo, reply(net)))
        check(words in D.text("show route filtered reasons table t1"), words)
        found = [o for o in objects("route why " + net, "why") if "filtered_by" in o][0]
        equal(found["remedy"], todo, net)
        in_list = [o for o in objects("route filtered reasons table t1", "route") if o["network"] == net]
        for o in [found] + in_list:
            equal(
                (o.get("pipe_filter", o.get("filter")), o["file"], o["line"], o["said"], o.get("run_time_error")),
                (name, D.conf, at(mark), said, True if error else None),
                "%s: %s" % (net, o),
            )
    to = [o for o in objects("route why 20.1.41.0/24", "why_to") if o["to"] == "pp1"]
    equal([(o["run_time_error"], o["line"]) for o in to], [(True, at("PIPE ERROR"))], "to the pipe")
    tried = [o for o in objects("route why to pp1 with (65000, 12)", "why_with") if not o["goes"]]
    equal([(o["run_time_error"], o["line"]) for o in tried], [(True, at("PIPE ERROR"))], "a dry run")
    PEERS[1].withdraw([r[0] for r in rows])
    wait_until(lambda: not any(("p1", r[0]) in reasons() for r in rows), lambda: str(reasons()))


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
    wait_until(lambda: told("p1") == (5, 3, 2, (1, 0, 1)), lambda: D.text("show members p1"))
    agree("p1")


case("tables of members", own_tables)
case("import checks", checks)
case("a shared table", shared_table)
case("a neighbor range", ranged)
case("a walk of refused routes", walk)
case("words", words)
case("run-time errors", errors)
case("configure", configured)
D.stop()
done()
