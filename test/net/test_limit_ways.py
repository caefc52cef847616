# SPDX-License-Identifier: GPL-3.0-or-later
"""Each limit of routes with each action, with and without what is kept of refused routes: states, counters,
NOTIFICATIONs and the log beside bird2 2.0.12, which gets the same messages."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd beside bird2")
if not os.path.exists(BIRD):
    needs("bird2")

LIMITS = ["receive", "import", "export"]
ACTIONS = ["warn", "block", "restart", "disable"]
KEPT = ["", "import keep filtered;", "import table;"]
WAYS = [(limit, action, kept) for limit in LIMITS for action in ACTIONS for kept in KEPT]
SOURCE = len(WAYS) + 1  # whose routes are exported


def name_of(way):
    return "p_%s_%s_%d" % (way[0], way[1], KEPT.index(way[2]))


def conf(port):
    text = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
ipv4 table away;
template bgp t { local 127.0.16.1 port %d as 65000; strict bind on; passive; multihop; error wait time 600, 600; error \
forget time 700;
  ipv4 { import where net !~ [ 30.0.0.0/8+ ]; export none; }; }
protocol bgp p_source from t { neighbor 127.0.17.%d as %d; ipv4 { table away; }; }
""" % (
        port,
        SOURCE,
        65000 + SOURCE,
    )
    for i, way in enumerate(WAYS, 1):
        limit, action, kept = way
        text += "ipv4 table t_%s;\n" % name_of(way)
        text += "protocol bgp %s from t { neighbor 127.0.17.%d as %d; ipv4 { %s %s limit 5 action %s; %s }; }\n" % (
            name_of(way),
            i,
            65000 + i,
            kept,
            limit,
            action,
            "table away; import none; export all;" if limit == "export" else "table t_%s;" % name_of(way),
        )
    return text


class One:
    """A daemon, and a peer for each way."""

    def __init__(self, d, port):
        self.d = d.start()
        self.peers = {
            way: Peer(port, "127.0.17.%d" % i, 65000 + i, server="127.0.16.1").establish()
            for i, way in enumerate(WAYS, 1)
        }
        self.source = Peer(port, "127.0.17.%d" % SOURCE, 65000 + SOURCE, server="127.0.16.1").establish()

    def state(self, way):
        """State, reason, counters."""
        name = name_of(way)
        text = self.d.text("show protocols all " + name)
        head = re.search(r"^%s +BGP +\S+ +(\S+) +\S+ *(.*)$" % name, text, re.M)
        out = [head.group(1), head.group(2).strip()] if head else [text[:300]]
        which = "Export" if way[0] == "export" else "Import"
        for row in "Routes:", which + " updates:", which + " withdraws:":
            found = re.search(r"^ +%s +(.*)$" % row, text, re.M)
            words = found.group(1).split() if found else ["-"]
            # of ignored withdrawals bird counts its own, for refused routes, too
            out.append(" ".join([words[0], words[-1]] if "withdraws" in row else words))
        return out

    def told(self, way):
        """The NOTIFICATION that the peer got."""
        try:
            body = self.peers[way].wait_for(NOTIFICATION, 0.2)
            return body.hex() if body else "closed"
        except (TimeoutError, OSError):
            return "none"


def nets(first, *numbers):
    return ["%d.0.%d.0/24" % (first, n) for n in numbers]


# What each peer sends, one step after the other; how many routes of its own it is to have then with `block`, of a limit
# that counts refused routes, and of one that doesn't.
STEPS = [
    ("three, and two that are refused", lambda p: (p.update(nets(20, 1, 2, 3)), p.update(nets(30, 1, 2)))),
    ("two more", lambda p: p.update(nets(20, 4, 5))),
    ("three more", lambda p: p.update(nets(20, 6, 7, 8))),
    ("the same three", lambda p: p.update(nets(20, 6, 7, 8))),
    ("other attributes", lambda p: p.update(nets(20, 1, 2, 8), path=[p.as_number, 65333])),
    ("four go", lambda p: p.withdraw(nets(20, 1, 8, 99) + nets(30, 1))),
    ("two return", lambda p: p.update(nets(20, 1, 8))),
]


def step_of(one, step):
    for p in list(one.peers.values()) + [one.source]:
        try:
            step(p)
        except OSError:
            pass  # it has been closed


def after_block(way, what):
    """bird2 never lets go of what a limit has blocked: routes that find room again stay out until the session is
    restarted."""
    return way[1] == "block" and what == "two return"


def ways():
    port = free_port(), free_port()
    ours, theirs = One(Daemon(conf(port[0])), port[0]), One(Bird(conf(port[1]), name="bird"), port[1])
    for what, step in STEPS:
        step_of(ours, step)
        step_of(theirs, step)
        for way in WAYS * 2:  # at first both may have read nothing yet
            if after_block(way, what):
                wait_until(
                    lambda: re.match(ROOM[way], ours.state(way)[2]),
                    lambda: "%s of %s: %s" % (what, name_of(way), ours.state(way)),
                )
                continue
            wait_until(
                lambda: ours.state(way) == theirs.state(way),
                lambda: "%s of %s: ternd %s, bird2 %s" % (what, name_of(way), ours.state(way), theirs.state(way)),
            )
    for way in WAYS:
        # the same code and subcode; family and number are ours (RFC 4486, 4)
        told, data = theirs.told(way), "00010100000005"
        equal(ours.told(way), told + data if told == "0601" else told, "NOTIFICATION of " + name_of(way))
    said = lambda d: sorted(re.findall(r"<WARN> (Protocol p_\S+ hits .*)", d.whole_log()))
    equal(len(said(theirs.d)), len(WAYS), "lines of the log, by bird2")
    equal(said(ours.d), said(theirs.d), "what the log says of limits")
    ours.d.stop()
    theirs.d.stop()


# What there is of each in the end: there was room for one more, but where refused routes count, too.
ROOM = {way: r"5 imported" for way in WAYS if way[0] == "import"}
ROOM.update({way: r"5 imported" if not way[2] else "4 imported" for way in WAYS if way[0] == "receive"})
ROOM.update({way: r"0 imported, .*5 exported" for way in WAYS if way[0] == "export"})

case("ways", ways)
done()
