# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of the tables of a route server where each member has a table, and a pipe to the common table."""

from image_daemon import entry, files
from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
in_namespace()
PORT = free_port()

MULTI = """
ipv4 table t1;
protocol bgp m1 { local 127.0.10.1 port %(port)d as 65000; neighbor 127.0.11.1 as 65001; passive; rs client;
  strict bind on; error wait time 1, 1; connect delay time 1; multihop; graceful restart on;
  ipv4 { table t1; import all; export all; }; }
protocol bgp m2 { local 127.0.10.1 port %(port)d as 65000; neighbor 127.0.11.2 as 65002; passive; rs client;
  strict bind on; error wait time 1, 1; connect delay time 1; multihop; ipv4 { import all; export none; }; }
protocol pipe p1 { table master4; peer table t1; import all; export filter {
  if net ~ [20.2.%(refused)d.0/24] then reject; accept; }; }
protocol static s4 { ipv4; route 10.9.0.0/16 blackhole; }
"""
OVER = 'protocol image over { table t1; filename "RUN/over.fib"; attributes { next hop, origin as, peer as }; }'
BASE = OVER.replace("over", "base").replace("t1", "master4")


def member_table(top=""):
    """The image of the table of one member, which stores the member's routes only until another reader comes: all
    routes that the pipe lets through, while `configure` adds the image, changes the policy of the pipe, and moves the
    image between the table and its base. The sessions stay, and routes of a member that restarts stay, too."""

    def text(images, refused):
        return "router id 10.0.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device {}\n%s\n%s\n%s\n" % (
            top,
            MULTI % {"port": PORT, "refused": refused},
            images,
        )

    def again(images, refused):
        d.write(text(images, refused))
        check(d.code("configure") in (3, 4), "configure: " + d.said())

    value = struct.pack("!HHBB", 120, 1, 1, 0x80)
    restarts = struct.pack("!BB", 64, len(value)) + value
    d = Daemon(text("", 1)).start()
    m, n = member(PORT, 1, restarts, hold=0), member(PORT, 2, hold=0)
    m.update(["20.1.1.0/24", "20.3.0.0/24"], [65001, 7], "10.1.1.2")
    m.end_of_rib()
    n.update(["20.2.1.0/24", "20.2.2.0/24", "20.3.0.0/24"], [65002], "10.1.1.3")
    wait_until(lambda: "20.2.2.0/24" in d.text("show route table t1"), "the routes of the pipe")
    again(OVER + BASE, 1)
    entry(d, "20.1.1.1", {"origin": 7, "peer": 65001}, "over")
    entry(d, "20.2.2.1", {"origin": 65002, "peer": 65002}, "over")
    entry(d, "20.3.0.1", {"origin": 65002}, "over")
    entry(d, "20.2.1.1", None, "over")
    entry(d, "10.9.0.1", {"kind": "drop"}, "over")
    entry(d, "20.2.1.1", {"origin": 65002}, "base")
    entry(d, "20.1.1.1", {"origin": 7}, "base")
    again(OVER + BASE, 2)
    entry(d, "20.2.2.1", None, "over")
    entry(d, "20.2.1.1", {"origin": 65002}, "over")
    n.withdraw(["20.3.0.0/24"])
    entry(d, "20.3.0.1", {"origin": 7}, "over")
    again(OVER.replace("table t1", "table master4") + BASE.replace("table master4", "table t1"), 2)
    entry(d, "20.2.2.1", {"origin": 65002}, "over")
    entry(d, "20.2.2.1", None, "base")
    again(OVER, 2)
    entry(d, "20.2.2.1", None, "over")
    m.reset()
    wait_until(lambda: "stale" in d.text("show protocols all m1").lower(), "stale routes")
    entry(d, "20.1.1.1", {"origin": 7}, "over")
    again(OVER, 1)
    entry(d, "20.2.2.1", {"origin": 65002}, "over")
    entry(d, "20.1.1.1", {"origin": 7}, "over")
    back = struct.pack("!HHBB", 0x8000 | 120, 1, 1, 0x80)
    m = member(PORT, 1, struct.pack("!BB", 64, len(back)) + back, hold=0)
    m.update(["20.1.2.0/24"], [65001, 8], "10.1.1.2")
    m.end_of_rib()
    entry(d, "20.1.2.1", {"origin": 8}, "over")
    entry(d, "20.1.1.1", None, "over")
    again("", 1)
    wait_until(lambda: not files(d), lambda: "the files: %r" % files(d))
    equal(d.established(), 2, "the sessions")
    equal(len(re.findall(r"m2.*(?:closed|Closed|down)", d.whole_log())), 0, "ends of the session of m2")
    d.stop()


case("the table of one member", member_table)
case("the table of one member, threads 2", lambda: member_table("threads 2;"))
done()
