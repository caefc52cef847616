# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes that are equal in all that routes are compared by: the choice depends on the configuration and on the routes,
never on which route came first. One network from two instances; several routes of one add-path peer, behind pipes and
in overlays."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

HEAD = 'router id 10.0.0.1;\nlog "RUN/bird.log" all;\nprotocol device {}\n'
TABLES = 8
STARTS = 2 if SLOW > 1 else 5
STATIC = "protocol static %s { ipv4 { table t%d; }; route 10.0.0.0/8 %s; }\n"


def best(d, table, net):
    """The instance of the best route of a network in a table."""
    for line in d.text("show route %s table %s" % (net, table)).splitlines():
        m = re.match(r".*\[(\S+) .*\] \* ", line)
        if m:
            return m.group(1)
    return None


def statics(k, names):
    return "".join(STATIC % (n + str(k), k, how) for n, how in zip(names, ("unreachable", "blackhole", "prohibit")))


def starts(threads):
    """After each start the first instance of the file has the best route, whatever the names are."""
    text = HEAD + threads + "".join("ipv4 table t%d;\n%s" % (k, statics(k, "zma")) for k in range(TABLES))
    for _ in range(STARTS):
        d = Daemon(text).start()
        wait_until(
            lambda: d.text("show route table all count").count("3 of 3 routes for 1 networks") == TABLES, "all routes"
        )
        equal(
            [best(d, "t%d" % k, "10.0.0.0/8") for k in range(TABLES)],
            ["z%d" % k for k in range(TABLES)],
            "whose is the best",
        )
        d.stop()


def added():
    """An instance that is added stands where the file says, as after a start with that file."""
    d = Daemon(HEAD + "ipv4 table t0;\n" + STATIC % ("m", 0, "blackhole")).start()

    def put(names):
        d.write(HEAD + "ipv4 table t0;\n" + "".join(STATIC % (n, 0, "blackhole") for n in names))
        check(d.code("configure") in (3, 4), "configure")
        wait_until(
            lambda: "%d of %d routes for 1 " % (len(names), len(names)) in d.text("show route table t0 count"),
            "all routes",
        )

    for names in ("zm", "zbm", "zbma", "bma", "bm", "cbm", "m", "am"):
        put(names)
        wait_until(
            lambda: best(d, "t0", "10.0.0.0/8") == names[0], lambda: "of %s: %r" % (names, best(d, "t0", "10.0.0.0/8"))
        )
    # A restart changes no place.
    check(any(code == 12 for code, _ in d.run("restart m")), "restart")
    put("am")
    wait_until(lambda: best(d, "t0", "10.0.0.0/8") == "a", "the same after a restart of the other one")
    d.stop()


PIPES = (
    HEAD
    + """%s
ipv4 table far; ipv4 table farther; ipv4 table t2;
protocol bgp m1 { local 127.0.10.1 port %d as 65000; neighbor 127.0.11.1 as 65001; passive; multihop; strict bind on; \
rs client;
  ipv4 { import all; export none; add paths rx; }; }
protocol bgp m2 { local 127.0.10.1 port %d as 65000; neighbor 127.0.11.2 as 65002; passive; multihop; strict bind on; \
rs client;
  ipv4 { table t2; import all; export all; }; }
protocol pipe p1 { table master4; peer table far; export all; import none; }
protocol pipe p2 { table far; peer table farther; export filter { bgp_community.add((65000, 1)); accept; }; import \
none; }
protocol pipe p3 { table master4; peer table t2; export all; import none; }
"""
)
MARKS = ((65001, 3), (65001, 1), (65001, 2))  # by identifier


def with_id(ident, net):
    return struct.pack("!I", ident) + nlri(net)


def tell(peer, net, ident, mark):
    attrs = (
        attribute(0x40, 1, b"\0")
        + attribute(0x40, 2, b"\x02\x01" + struct.pack("!I", 65001))
        + attribute(0x40, 3, socket.inet_aton("127.0.11.1"))
        + attribute(0xC0, 8, struct.pack("!HH", *mark))
    )
    peer.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + with_id(ident, net)))


def marks_of(d, table, net):
    """The marks of the routes, the best first."""
    text = d.text("show route %s table %s all" % (net, table))
    return [tuple(int(x) for x in m) for m in re.findall(r"\(65001,(\d)\)", text)]


def behind_pipes(threads):
    """Whatever the order is in which the routes come and go, the best is the same in each table, and what is told to
    others."""
    port = free_port()
    d = Daemon(PIPES % (threads, port, port)).start()
    m1 = member(port, 1, b"\x45\x04\x00\x01\x01\x02")
    m2 = member(port, 2)
    orders = ((1, 2, 3), (3, 2, 1), (2, 1, 3), (2, 3, 1), (3, 1, 2), (1, 3, 2))
    for k, order in enumerate(orders):
        for step, ident in enumerate(order, 1):
            tell(m1, "10.%d.0.0/16" % k, ident, MARKS[ident - 1])
            # one by one, so that identifiers of pipes follow
            wait_until(
                lambda: len(marks_of(d, "farther", "10.%d.0.0/16" % k)) == step, "a route behind the second pipe"
            )
    # The attributes count in the table of the session, in the overlay, and behind pipes.
    for table in "master4", "t2", "far", "farther":
        wait_until(
            lambda: [len(marks_of(d, table, "10.%d.0.0/16" % k)) for k in range(len(orders))] == [3] * len(orders),
            "all routes",
        )
        found = [marks_of(d, table, "10.%d.0.0/16" % k)[0] for k in range(len(orders))]
        equal(found, [(1,)] * len(orders), "the best of each network in %s" % table)
    # What loses is said to lose by its attributes.
    check(
        "attributes that are later in order" in d.text("show route why 10.0.0.0/16 table far"),
        d.text("show route why 10.0.0.0/16 table far"),
    )
    # The best goes and comes back.
    m1.send(message(UPDATE, struct.pack("!H", len(with_id(2, "10.0.0.0/16"))) + with_id(2, "10.0.0.0/16") + b"\0\0"))
    wait_until(
        lambda: marks_of(d, "farther", "10.0.0.0/16") == [(2,), (3,)],
        lambda: "without it: %r" % marks_of(d, "farther", "10.0.0.0/16"),
    )
    tell(m1, "10.0.0.0/16", 2, MARKS[1])
    wait_until(
        lambda: marks_of(d, "farther", "10.0.0.0/16") == [(1,), (2,), (3,)],
        lambda: "back: %r" % marks_of(d, "farther", "10.0.0.0/16"),
    )
    equal(marks_of(d, "master4", "10.0.0.0/16"), [(1,), (2,), (3,)], "in the first table")
    m1.cease()
    m2.cease()
    d.stop()


case("equal static routes, a thread for each worker", starts, "")
case("equal static routes, shared threads", starts, "threads 2;\n")
case("an instance that is added", added)
case("routes of an add-path peer behind pipes", behind_pipes, "")
case("routes of an add-path peer behind pipes, shared threads", behind_pipes, "threads 2;")
done()
