# SPDX-License-Identifier: GPL-3.0-or-later
"""One network that a member announces under 65,000 path identifiers: every command and every dump that walks the routes
ends, and each route is there once."""

import random

import mrt_read
from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

SANITIZED = is_sanitized(os.path.join(BUILD, "ternd"))
CNT = 20000 if SANITIZED else 64800
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
protocol bgp m1 { local 127.0.10.1 port PORT as 65000; multihop; passive; rs client; strict bind on; neighbor 127.0.11.1 as 65001;
  ipv4 { table below; import keep filtered; import filter some; export none; add paths rx; }; }
protocol bgp m2 { local 127.0.10.1 port PORT as 65000; multihop; passive; rs client; strict bind on; neighbor 127.0.11.2 as 65002;
  ipv4 { table over; import all; export none; }; }
protocol pipe p { table below; peer table over; import none; export filter { if (0, 2) ~ bgp_community then reject; accept; }; }
"""


def load(peer, path):
    """In no order, and with others between, so that the list of paths isn't in the order of memory."""
    ids = list(range(1, CNT + 1))
    random.Random(1).shuffle(ids)
    for at in range(0, CNT, 400):
        peer.update([(i, NET) for i in ids[at:at + 400]], path)
        peer.update([(1, "83.%d.%d.0/24" % (at // 400, k)) for k in range(5)], path)


def asked(d, command):
    """Its reply, and how long that took."""
    began = time.time()
    lines = d.run(command, 30)
    return [text for _, text in lines], time.time() - began


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
        self.d = Daemon(CONF.replace("PORT", str(self.port))).start()
        self.peer = member(self.port, 1, TAKES_PATHS)
        load(self.peer, [65001])
        wait_until(lambda: count(self.d, "table below")[0] == CNT + OTHERS, "%d paths are there" % CNT, 60, 0.2)


def shown():
    d = world.d
    routes(d, "show route table below %s" % NET, 1)
    routes(d, "show route table below all where net = %s" % NET, 1)
    routes(d, "show route table below primary %s" % NET, 1, 1)
    check(asked(d, "show status")[1] < 5 * SLOW, "show status")


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
    ids = sorted(e.path_id for net, entries in dump.ribs.items() if str(net).split("/")[0].startswith("80.99.0.0")
                 for e in entries)
    equal((len(ids), ids[0], ids[-1]), (CNT, 1, CNT), "entries of %s" % NET)


def why():
    text, took = asked(world.d, "show route why %s table below" % NET)
    equal(sum("from m1" in line or "m1" in line for line in text) >= CNT, True, "routes that are told of")
    note("     show route why: %.2f s" % took)


def filtered():
    """All of them refused: none is the best, and none is left out."""
    d = world.d
    load(world.peer, [65001, 65001])
    wait_until(lambda: count(d, "table below filtered")[0] == CNT + OTHERS, "%d paths are refused" % CNT, 60, 0.2)
    routes(d, "show route table below filtered %s" % NET, 1)


def limited():
    """So many of each network are taken, until the limit is raised; one that goes makes room for another."""
    d, text = world.d, CONF.replace("PORT", str(world.port))
    d.write(text.replace("add paths rx", "net limit 40; add paths rx"))
    check(d.code("configure") in (3, 4), "configure")
    world.peer.cease()
    wait_until(lambda: count(d, "table below filtered")[0] == 0, "its routes have gone", 30)
    world.peer = member(world.port, 1, TAKES_PATHS)
    world.peer.update([(i, NET) for i in range(1, 301)] + [(i, "84.0.0.0/24") for i in range(1, 31)])
    wait_until(lambda: count(d, "table below")[:2] == (70, 70), lambda: "40 and 30 of them: %r" % (count(d, "table below"),))
    check("network %s has 40 paths, the net limit" % NET in d.whole_log(), "the log says so")
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
    wait_until(lambda: count(d, "table below")[0] == 300 + 30 + 1 + 2, lambda: "without a limit: %r" % (count(d, "table below"),))


world = World()
case("`show route` of a network of many paths", shown)
case("the table that lies over it", over)
case("a dump in MRT format", dumped)
case("`show route why`", why)
case("refused routes", filtered)
case("a limit of paths of one network", limited)
done()
