# SPDX-License-Identifier: GPL-3.0-or-later
"""One network that a member announces under 65,000 path identifiers: every command and every dump that walks the routes
ends, and each route is there once."""

import random

import mrt_read
from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

SANITIZED = is_sanitized(os.path.join(BUILD, "ternd"))
HANG_S = 200
CNT = 64800 if SOAK else size(20000, 8000)
OTHERS = CNT // 400 * 5
NET = "80.99.0.0/24"
TAKES_PATHS = b"\x45\x04\x00\x01\x01\x02"  # RFC 7911, 4: the member sends several paths of a network

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
debug commands 1;
protocol device {}
ipv4 table over;
ipv4 table below;
filter some { if bgp_path.len > 1 then reject; accept; }
protocol bgp m1 { local 127.0.10.1 port PORT as 65000; multihop; passive; rs client; strict bind on; neighbor \
127.0.11.1 as 65001;
  ipv4 { table below; import keep filtered; import filter some; export none; add paths rx; }; }
protocol bgp m2 { local 127.0.10.1 port PORT as 65000; multihop; passive; rs client; strict bind on; neighbor \
127.0.11.2 as 65002;
  ipv4 { table over; import all; export none; }; }
template bgp small { local 127.0.10.1 port PORT as 65000; multihop; passive; rs client; strict bind on;
  ipv4 { import filter some; export none; add paths rx; }; }
protocol bgp k3 from small { neighbor 127.0.11.3 as 65003; ipv4 { LIMIT }; }
protocol bgp k4 from small { neighbor 127.0.11.4 as 65004; ipv4 { import keep filtered; LIMIT }; }
protocol bgp k5 from small { neighbor 127.0.11.5 as 65005; ipv4 { import table on; LIMIT }; }
protocol bgp k6 from small { neighbor 127.0.11.6 as 65006; graceful restart on; ipv4 { LIMIT }; }
protocol pipe p { table below; peer table over; import none; export filter { if (0, 2) ~ bgp_community then reject; \
accept; }; }
"""


def load(peer, path):
    """In no order, and with others between, so that the list of paths isn't in the order of memory."""
    ids = list(range(1, CNT + 1))
    random.Random(1).shuffle(ids)
    for at in range(0, CNT, 400):
        peer.update([(i, NET) for i in ids[at : at + 400]], path)
        peer.update([(1, "83.%d.%d.0/24" % (at // 400, k)) for k in range(5)], path)


def asked(d, command):
    """Its reply, and how long that took."""
    began = time.monotonic()
    lines = d.run(command, HANG_S)
    return [text for _, text in lines], time.monotonic() - began


def count(d, what=""):
    text, _ = asked(d, "show route %s count" % what)
    m = re.search(r"(\d+) of (\d+) routes for (\d+) networks", "\n".join(text))
    check(m, "show route %s count: %s" % (what, text))
    return tuple(int(x) for x in m.groups())


def routes(d, command, stars, cnt=CNT):
    """@cnt routes and so many stars."""
    text, took = asked(d, command)
    equal(sum("[m1 " in line for line in text), cnt, "routes of %s" % command)
    equal(sum(" * (" in line for line in text), stars, "best ones of %s" % command)
    note("     %s: %.2f s" % (command, took))


class World:
    def __init__(self):
        self.port = free_port()
        self.d = Daemon(CONF.replace("PORT", str(self.port)).replace("LIMIT", "")).start()
        self.peer = member(self.port, 1, TAKES_PATHS, hold=0)
        load(self.peer, [65001])
        wait_until(lambda: count(self.d, "table below")[0] == CNT + OTHERS, "%d paths are there" % CNT, HANG_S, 0.2)


def shown():
    d = world.d
    routes(d, "show route table below %s" % NET, 1)
    routes(d, "show route table below all where net = %s" % NET, 1)
    routes(d, "show route table below primary %s" % NET, 1, 1)
    equal(d.code("show status"), 13, "show status")


def over():
    """The same network of a table that lies over the first: the policy is asked of each route."""
    d = world.d
    routes(d, "show route table over %s" % NET, 1)
    equal(count(d, "table over")[0], count(d, "table below")[0], "routes of the table that lies over the other")


def dumped():
    path = os.path.join(world.d.dir, "many.mrt")
    equal(world.d.code('mrt dump table below to "%s"' % path), 0, "the dump")
    records, dump = mrt_read.read(path)
    equal(records, [], "messages in a dump")
    ids = sorted(
        e.path_id
        for net, entries in dump.ribs.items()
        if str(net).split("/")[0].startswith("80.99.0.0")
        for e in entries
    )
    equal((len(ids), ids[0], ids[-1]), (CNT, 1, CNT), "entries of %s" % NET)


def why():
    text, took = asked(world.d, "show route why %s table below" % NET)
    equal(sum("from m1" in line or "m1" in line for line in text) >= CNT, True, "routes that are told of")
    note("     show route why: %.2f s" % took)


def filtered():
    """All of them refused: none is the best, and none is left out."""
    d = world.d
    load(world.peer, [65001, 65001])
    wait_until(lambda: count(d, "table below filtered")[0] == CNT + OTHERS, "%d paths are refused" % CNT, HANG_S, 0.2)
    routes(d, "show route table below filtered %s" % NET, 1)


def limited():
    """So many of each network are taken, until the limit is raised; one that goes makes room for another."""
    d, text = world.d, CONF.replace("PORT", str(world.port)).replace("LIMIT", "")
    d.write(text.replace("add paths rx", "net limit 40; add paths rx"))
    check(d.code("configure") in (3, 4), "configure")
    world.peer.cease()
    wait_until(lambda: count(d, "table below filtered")[0] == 0, "its routes have gone", HANG_S)
    world.peer = member(world.port, 1, TAKES_PATHS, hold=0)
    world.peer.update([(i, NET) for i in range(1, 301)] + [(i, "84.0.0.0/24") for i in range(1, 31)])
    wait_until(
        lambda: count(d, "table below")[:2] == (70, 70), lambda: "40 and 30 of them: %r" % (count(d, "table below"),)
    )
    wait_until(lambda: "network %s has 40 paths, the net limit" % NET in d.whole_log(), lambda: "the log says so")
    world.peer.update([(i, NET) for i in range(1, 41)], [65001])  # those that are there change as before
    world.peer.withdraw([(7, NET), (8, NET)])
    world.peer.update([(1001, NET), (1002, NET), (1003, NET)])
    world.peer.update([(1, "85.0.0.0/24")])
    wait_until(lambda: count(d, "table below")[0] == 71, lambda: "two for two: %r" % (count(d, "table below"),))
    ids = re.findall(r"path_id\W+(\d+)", d.text("json show route table below %s" % NET))
    check("1001" in ids and "1002" in ids and "1003" not in ids and "7" not in ids, "which: %r" % ids)
    d.write(text)
    check(d.code("configure") in (3, 4), "configure")
    check(world.peer.wait_for(REFRESH) is not None, "a raised limit asks the peer again")
    world.peer.update([(i, NET) for i in range(1, 301)])
    wait_until(
        lambda: count(d, "table below")[0] == 300 + 30 + 1 + 2,
        lambda: "without a limit: %r" % (count(d, "table below"),),
    )


SMALL = "81.0.0.0/24", "81.0.1.0/24", "81.0.2.0/24"
GRACEFUL = TAKES_PATHS + b"\x40\x06\0\x78\0\1\1\x80"  # RFC 4724, 3: its forwarding state was kept
END_OF_RIB = message(UPDATE, struct.pack("!HH", 0, 0))


def limit(said):
    d = world.d
    d.write(CONF.replace("PORT", str(world.port)).replace("LIMIT", said))
    check(d.code("configure") in (3, 4), "configure")


def held(n):
    """{network: the identifiers that the table has of k@n}; whether the limit is hit; how many routes it refused."""
    d = world.d
    ids = {
        net: sorted(
            int(i) for i in re.findall(r"path_id\W+(\d+)", d.text("json show route %s all protocol k%d" % (net, n)))
        )
        for net in SMALL
    }
    hit = "[HIT]" in d.text("show protocols all k%d" % n)
    limits = json.loads(d.run("json show protocols all k%d" % n)[0][1])["channels"][0]["limits"]
    if limits and limits["net"]["hit"] != hit:  # the limit was reached between the two commands
        return held(n)
    if limits:
        equal(limits["net"]["action"], "block", "JSON of k%d" % n)
        if not re.search(r"Net limit: +%d\b" % limits["net"]["max"], d.text("show protocols all k%d" % n)):
            return None, "the text has another limit than the JSON"  # `configure` is not through yet
    return ids, hit


def say(peer):
    """Ten paths of one network, three of another, one of a third."""
    for net, cnt in zip(SMALL, (10, 3, 1)):
        peer.update([(i, net) for i in range(1, cnt + 1)])


def lowered():
    """A limit that `configure` sets, lowers, raises and takes away leaves what a fresh session of the same file has."""
    d = world.d
    peers = {n: member(world.port, n, TAKES_PATHS, hold=0) for n in (3, 4, 5, 6)}

    def settles(ids, hit, what):
        for n in peers:
            wait_until(lambda: held(n) == (dict(zip(SMALL, ids)), hit), lambda: "%s: k%d: %r" % (what, n, held(n)))

    for peer in peers.values():
        say(peer)
    every = [list(range(1, 11)), [1, 2, 3], [1]]
    settles(every, False, "no limit")
    for said, most in ("net limit 12;", 12), ("net limit 5;", 5), ("net limit 2;", 2), ("net limit 1;", 1):
        limit(said)
        settles([ids[:most] for ids in every], most < 10, said)
        if most < 10:
            for n in peers:
                wait_until(
                    lambda: "Protocol k%d: network %s has %d path%s, the net limit"
                    % (n, SMALL[0], most, "s" if most > 1 else "")
                    in d.whole_log(),
                    lambda: "%s: the log names k%d" % (said, n),
                )
                o = [
                    json.loads(t)
                    for _, t in d.run("json show route why %s from k%d table master4" % (SMALL[0], n))[:-1]
                ]
                equal(
                    sorted(x["path_id"] for x in o if x.get("reason") == "net_limit"),
                    list(range(most + 1, 11)),
                    "why, k%d" % n,
                )
    for n, peer in peers.items():  # a fresh session
        peer.cease()
        wait_until(lambda: held(n) == ({net: [] for net in SMALL}, False), lambda: "k%d: %r" % (n, held(n)))
        peers[n] = member(world.port, n, GRACEFUL if n == 6 else TAKES_PATHS, hold=0)
        say(peers[n])
    settles([[1]] * 3, True, "a fresh session")
    limit("net limit 2;")
    for n, peer in peers.items():
        check(peer.wait_for(REFRESH) is not None, "k%d: a raised limit asks the peer again" % n)
        say(peer)
    settles([[1, 2], [1, 2], [1]], True, "raised")
    limit("net limit 3;")
    for n, peer in peers.items():
        check(peer.wait_for(REFRESH) is not None, "k%d: a raised limit asks the peer again" % n)
        say(peer)
    settles([[1, 2, 3]] * 2 + [[1]], True, "raised again")
    peers[6].s.close()  # its paths are stale, and count; when it is back they don't
    wait_until(lambda: "Stale routes:   7" in d.text("show protocols all k6"), lambda: d.text("show protocols all k6"))
    limit("net limit 2;")
    settles([[1, 2], [1, 2], [1]], True, "lowered while a member is away")
    peers[6] = member(world.port, 6, GRACEFUL, hold=0)
    peers[6].update([(i, SMALL[0]) for i in (7, 8, 1)])
    wait_until(
        lambda: held(6) == ({SMALL[0]: [2, 7, 8], SMALL[1]: [1, 2], SMALL[2]: [1]}, True),
        lambda: "stale: %r" % (held(6),),
    )
    peers[6].send(END_OF_RIB)
    wait_until(
        lambda: held(6) == ({SMALL[0]: [7, 8], SMALL[1]: [], SMALL[2]: []}, True), lambda: "swept: %r" % (held(6),)
    )
    limit("")
    for n, peer in peers.items():
        check(peer.wait_for(REFRESH) is not None, "k%d: it is asked again" % n)
        say(peer)
    wait_until(lambda: held(5)[0] == dict(zip(SMALL, every)), lambda: "without a limit: %r" % (held(5),))


def many_lowered():
    """Of 65,000 paths all but 40 go; 40 of another network stay."""
    d, text = world.d, CONF.replace("PORT", str(world.port)).replace("LIMIT", "")
    load(world.peer, [65001])
    wait_until(
        lambda: count(d, "table below")[0] >= CNT + OTHERS,
        lambda: "all come: %r" % (count(d, "table below"),),
        HANG_S,
        0.2,
    )
    world.peer.update([(i, "84.0.1.0/24") for i in range(1, 41)])
    wait_until(lambda: count(d, "table below where net = 84.0.1.0/24")[0] == 40, "another network", HANG_S, 0.2)
    d.write(text.replace("add paths rx; }; }", "net limit 40; add paths rx; }; }", 1))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(
        lambda: count(d, "table below where net = %s" % NET)[0] == 40,
        lambda: "40 stay: %r" % (count(d, "table below where net = %s" % NET),),
        HANG_S,
        0.2,
    )
    equal(count(d, "table below where net = 84.0.1.0/24")[0], 40, "of another network")
    text, _ = asked(d, "show route %s table below" % NET)
    equal(sum("*" in line for line in text), 1, "one is the best")


world = World()
case("`show route` of a network of many paths", shown)
case("the table that lies over it", over)
case("a dump in MRT format", dumped)
case("`show route why`", why)
case("refused routes", filtered)
case("a limit of paths of one network", limited)
case("a limit that is lowered beside 65,000 paths", many_lowered)
case("a limit that is set, lowered and raised", lowered)
done()
