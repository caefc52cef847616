# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of measurements: workloads, one a row of the results, and the budgets that tern has for them.

A row is a set of options of ternload. All figures of a run come from its report; figures.py says how. What ternload
can't play has a function of its own (`measure`) that gives the figures."""
import rpki


class Budget:
    """tern's figure may be at most @factor times that of @beside (None: at most @factor itself), a daemon, or
    ROW:DAEMON, that daemon in a row that was run before."""

    def __init__(self, figure, factor, beside=None, who="tern"):
        self.figure, self.factor, self.beside, self.who = figure, factor, beside, who

    def judge(self, medians):
        """Returns: (text, True, False or None: the daemons aren't there)."""
        ours = medians.get(self.who, {}).get(self.figure)
        if self.beside is None:
            text = "%s: %s at most %g" % (self.who, self.figure, self.factor)
            return text, None if ours is None else ours <= self.factor
        theirs = medians.get(self.beside, {}).get(self.figure)
        text = "%s: %s at most %.3g of %s's" % (self.who, self.figure, self.factor, self.beside)
        if ours is None or theirs is None:
            return text, None
        text += " (%.3g)" % (ours / theirs if theirs else 0)
        return text, ours <= theirs * self.factor


class Row:
    def __init__(
        self,
        name,
        text,
        load,
        steps=None,
        budgets=(),
        event=None,
        example=None,
        own=None,
        reload=None,
        reloads=0,
        clear="* soft out",
        only=None,
        limit_s=600,
        busy=False,
        rmem=None,
        control=False,
        lan=False,
        measure=None,
        made_up=False,
    ):
        self.name, self.text = name, text
        self.load = load.split()
        self.steps = steps or "announce,settle=1500"
        self.budgets = budgets
        self.event = event  # the step that the row is about; None: the announcement
        self.example = example  # a file of doc/examples instead of the configuration by ternload
        self.own = own  # daemons to use instead of those that were asked for
        self.reload = reload  # options of ternload for the configuration after the event
        self.reloads = reloads  # so many events one after the other, each with a configuration of its own (--irr)
        self.clear = clear  # what FRR has to be told then: clear bgp ...
        self.only = only  # kinds of daemons that can do this; None: all
        self.limit_s = limit_s
        self.rmem = rmem  # what the system receives ahead of a process (tcp_rmem); None: as it likes
        self.measure = measure  # (bench, daemon) -> figures, instead of ternload
        self.lan = lan  # clients and server are in a network that isn't loopback (namespace.lan)
        self.made_up = made_up  # prefixes: its filters refuse some of the Internet's, which ternload doesn't know
        self.control = control  # somebody asks on the control socket meanwhile
        self.busy = busy  # latencies are measured while the daemon takes all that it gets of the processors


def number(text):
    """42k, 2M"""
    scale = {"k": 1000, "M": 1000000}.get(text[-1], 1)
    return int(float(text[:-1] if scale > 1 else text) * scale)


def single(clients, nets, budgets=()):
    n = number(nets)
    ratio = 2.5 if nets == "800k" else 2.4  # 2,000,000 routes
    return Row(
        "single-%d-%s" % (clients, nets),
        "%s clients, %s nets, %.1f clients a net" % (format(clients, ","), format(n, ","), ratio),
        "--clients %d --nets %d --ratio %g" % (clients, n, ratio),
        budgets=budgets,
        limit_s=900 if clients * n >= 5 * 10**8 else 1800 if clients * n >= 10**7 else 600,
    )


NEW_TABLE = "--clients %d --nets %d --ratio 2.4"
ONE_SET = "--clients %d --nets %d --ratio 1 --sets-per-client 1"
# A flap seen by another client, median: so many times bird2's, alone and with two threads.
FLAPS = {10: (3, 2), 100: (1, 0.8), 1000: (0.7, 0.5)}


def flap(clients, nets):
    alone, two = FLAPS[clients]
    # With few clients 200 flaps are a moment; with a thousand they are as long as BIRD needs.
    return Row(
        "flap-%d" % clients,
        "%s clients, %s nets, one prefix flaps at a time" % (format(clients, ","), format(nets, ",")),
        NEW_TABLE % (clients, nets),
        "announce,settle=1000,flap=%d,settle" % (300 if clients < 1000 else 100),
        event="flap",
        budgets=[
            Budget("flap_median_ms", alone, "bird2"),
            Budget("flap_median_ms", two, "bird2", "tern-2"),
            Budget("flap_p99_to_median", 5),
            Budget("flap_p99_to_median", 5, None, "tern-2"),
        ],
        limit_s=1800,
    )


def flap_feed(clients, nets, full, p99_ms):
    return Row(
        "flapfeed-%d" % clients,
        "%d clients, %s nets; flaps while a member feeds %s" % (clients, format(nets, ","), format(full, ",")),
        # What a client's kernel takes ahead of it nobody can overtake: no more than a router would.
        NEW_TABLE % (clients, nets) + " --full %d --rcvbuf 65536" % full,
        "announce,settle=1000,feed,busyflap=300,settle",
        event="busyflap",
        budgets=[Budget("flap_p99_ms", p99_ms), Budget("flap_p99_ms", p99_ms, None, "tern-2")],
        limit_s=1800,
        busy=True,
    )


def join(clients, nets, full):
    return Row(
        "join-%d" % clients,
        "%d clients, %s nets; a member joins with %s" % (clients, format(nets, ","), format(full, ",")),
        NEW_TABLE % (clients, nets) + " --full %d" % full,
        "announce,settle=1000,join,settle=1500",
        event="join",
        limit_s=1800,
    )


def storm(clients, gone, nets, budgets=()):
    return Row(
        "storm-%d" % gone,
        "%d of %d members are closed at one moment and return, %s routes" % (gone, clients, format(nets, ",")),
        ONE_SET % (clients, nets) + " --error-wait 1",
        "announce,settle=1000,die=%d,settle,join,settle=1500" % gone,
        event="die",
        limit_s=1800,
        budgets=budgets,
    )


def irr(members, prefixes, reloads, budgets=()):
    """@prefixes: in all lists; a member has from a tenth of the mean to four times that."""
    nets = 572 * members if members >= 100 else 57 * members
    return Row(
        "irr-%d" % members,
        "%d members, lists of %s prefixes in all, %s routes; %d reloads"
        % (members, format(prefixes, ","), format(nets, ","), reloads),
        ONE_SET % (members, nets) + " --irr %d" % prefixes,
        "announce,settle=1000,beacon=20,hold=1,%sbeacon=0,settle=1000"
        % "".join("irr=%d,hold=1," % (i + 1) for i in range(reloads)),
        event="irr",
        reloads=reloads,
        budgets=budgets,
        limit_s=1800,
        busy=True,
        control=True,
        only=("tern", "bird2"),
    )


# The load of a daemon while the latency between two healthy members is measured.
BUSY = [Budget("pair_p95_ms", 1.2, "tern-2"), Budget("pair_p95_ms", 1.5, "bird2", "tern-2")]


def busy(name, text, load, steps, budgets):
    """What waits in sockets is bounded as on machines of their own: a daemon that takes less than members want to
    tell makes them wait, instead of having megabytes to take."""
    return Row(
        name,
        text + "; how long do changes take between two others",
        load + " --plain --pair --sndbuf 65536",
        "announce,settle=1000," + steps + ",settle",
        event="pair",
        own=["tern", "tern-2", "bird2"],
        only=("tern", "bird2"),
        budgets=budgets,
        limit_s=900,
        rmem="4096 65536 131072",
    )


def closed(gone, nets, seconds, budgets=()):
    return busy(
        "closed-%d" % gone,
        "%d of %d members don't read, 2 change all their routes without pause" % (gone, 2 * gone),
        NEW_TABLE % (2 * gone, nets),
        "".join("stall=%d," % c for c in range(gone)) + "flood=2,hold=2,pair=%d,flood=0,unstall" % seconds,
        budgets,
    )


def unique(clients, full, budgets=()):
    return busy(
        "unique-%s" % ("%dk" % (full // 1000)),
        "one of %d members joins with %s routes, each with attributes of its own" % (clients, format(full, ",")),
        NEW_TABLE % (clients, full // 25) + " --share 1 --full %d" % full,
        "feed,pair=120",
        budgets,
    )


def churners(cnt, nets, seconds, budgets=()):
    return busy(
        "churners-%d" % cnt,
        "%d of %d members change all their routes without pause" % (cnt, 4 * cnt),
        NEW_TABLE % (4 * cnt, nets),
        "flood=%d,hold=2,pair=%d,flood=0" % (cnt, seconds),
        budgets,
    )


def policy(clients, nets, budgets=()):
    return Row(
        "policy-%d" % clients,
        "%d clients, %s routes; what all export changes" % (clients, format(nets, ",")),
        ONE_SET % (clients, nets),
        "announce,settle=1000,beacon=20,hold=2,mark=7,beacon=0,settle=1500",
        event="mark",
        reload="--mark 7",
        budgets=budgets,
        limit_s=1800,
        busy=True,
        # GoBGP 3.10 takes the new export policy but sends nothing anew, not by softresetout either.
        only=("tern", "bird2", "frr", "openbgpd"),
    )


def lists(clients, nets, unlisted, load=NEW_TABLE):
    return Row(
        "list-%d" % clients,
        "%d clients, %s nets, a list of prefixes each; one list changes" % (clients, format(nets, ",")),
        load % (clients, nets) + " --lists",
        "announce,settle=1000,unlisted=%d,settle=1500" % unlisted,
        event="unlisted",
        reload="--unlisted %d" % unlisted,
        clear="127.0.1.1 soft in",
        limit_s=1800,
        only=("tern", "bird2", "openbgpd", "gobgp"),
    )  # FRR 8.4 reads 24,000 lines of lists for minutes


def own(clients, nets, budgets=()):
    return Row(
        "own-%d" % clients,
        "%d clients, %s nets, each its own filter, control communities" % (clients, format(nets, ",")),
        NEW_TABLE % (clients, nets) + " --own-filter",
        budgets=budgets,
        limit_s=1800,
    )


def paths(name, text, clients, nets, options, budgets=()):
    """More than the best path of each net. bird2 has sorted tables only for sessions outside loopback."""
    return Row(
        "%s-%d" % (name, clients),
        "%d clients, %s nets; %s" % (clients, format(nets, ","), text),
        NEW_TABLE % (clients, nets) + " " + options,
        lan="--secondary" in options,
        budgets=budgets,
        limit_s=1800,
        only=("tern", "bird2"),
    )


def secondary(clients, nets, budgets=()):
    return paths("secondary", "who may not have the best path gets the next", clients, nets, "--secondary", budgets)


def addpath(clients, nets, budgets=()):
    return paths("addpath", "`add paths tx`: all get all paths", clients, nets, "--add-paths tx", budgets)


def imex(clients, nets, budgets=()):
    return paths("imex", "import and export tables", clients, nets, "--imex", budgets)


def own_secondary(clients, nets, budgets=()):
    return paths(
        "ownsecondary",
        "each its own filter, control communities; secondary",
        clients,
        nets,
        "--own-filter --secondary",
        budgets,
    )


def multi(clients, nets, budgets=(), only=("tern", "bird2")):
    """A table for each client, as doc/examples/multi.conf."""
    row = paths("multi", "a table each, filters on pipes", clients, nets, "--own-filter --multi", budgets)
    row.only = only
    return row


def mulimex(clients, nets, budgets=()):
    return paths(
        "mulimex",
        "a table each, filters on pipes; import and export tables",
        clients,
        nets,
        "--own-filter --multi --imex",
        budgets,
    )


# The examples, with what their filters do that `goes_to` doesn't.
EXAMPLES = {
    "small": "",
    "rs-secondary": "--no-filter --secondary",
    "rs-add-path": "--no-filter --add-paths tx --direct",
    "imex": "--no-filter",
    "multi": "--no-filter --multi",
    "mulimex": "--no-filter --multi",
}


def example(name, clients, nets):
    """An example as it is, but for its addresses and that each client is its first member."""
    row = paths(
        "example-" + name, "doc/examples/%s.conf" % name, clients, nets, "--own-filter --no-prepends " + EXAMPLES[name]
    )
    row.example, row.made_up = name + ".conf", name == "small"
    row.lan = row.lan or "--direct" in row.load
    return row


def flap_tables(name, options, budgets=()):
    """Flaps where each client's filter is its own, in one table or in a table each."""
    row = paths(name, "each its own filter; one prefix flaps at a time", 32, 50000, "--own-filter " + options, budgets)
    row.steps, row.event = "announce,settle=1000,flap=300,settle", "flap"
    return row


def churn(clients, nets, changes):
    return Row(
        "churn-%d" % clients,
        "%d clients, %s nets, %s routes change, 5 times" % (clients, format(nets, ","), format(changes, ",")),
        NEW_TABLE % (clients, nets),
        "announce,settle=1000," + "churn=%d," % changes * 5 + "settle",
        event="churn",
        limit_s=1800,
    )


def family(name, clients, nets):
    text = {"6": "IPv6", "both": "IPv4 and IPv6"}[name]
    return Row(
        "%s-%d" % ({"6": "ipv6", "both": "mixed"}[name], clients),
        "%d clients, %s nets, %s" % (clients, format(nets, ","), text),
        NEW_TABLE % (clients, nets) + " --family " + name,
        limit_s=1800,
    )


def sets(clients, nets, budgets=()):
    return Row(
        "sets-%d" % clients,
        "%d clients, %s routes in %d attribute sets" % (clients, format(nets, ","), clients),
        ONE_SET % (clients, nets),
        budgets=budgets,
        limit_s=1800,
    )


def vrps(name, text, measure, event, budgets, members=0):
    return Row(
        "rpki-" + name,
        text,
        "--clients %d --nets %d" % (members, rpki.NETS if members else 600000),
        event=event,
        measure=measure,
        budgets=budgets,
        only=("tern", "bird2"),
    )


def threads(clients, nets):
    return Row(
        "threads-%d" % clients,
        "%s clients, %s nets: threads" % (format(clients, ","), format(nets, ",")),
        NEW_TABLE % (clients, nets),
        own=["tern"] + ["tern-%d" % n for n in (1, 2, 4, 8, 16)],
        limit_s=1800,
        # The default is hardly worse than the best setting.
        budgets=[Budget("cpu_s", 1.3, "tern-1"), Budget("cpu_s", 1.3, "tern-2")],
    )


# Each mode's rows by name. Larger modes don't hold those of smaller ones.
TEST = [Row("test", "10 clients, 2,000 routes", "--clients 10 --nets 850 --ratio 2.4", "announce,settle=300")]
QUICK = [
    single(10, "4k"),
    single(10, "13k"),
    single(10, "42k"),
    single(32, "4k"),
    single(100, "4k"),
    sets(32, 20000),
    join(10, 4000, 20000),
    churn(10, 10000, 1000),
    flap(10, 10000),
    flap_feed(10, 10000, 50000, 20),
    storm(32, 5, 10000),
    policy(10, 10000),
    lists(10, 10000, 500),
    irr(20, 20000, 2),
    closed(3, 3000, 2),
    unique(10, 20000),
    churners(2, 3000, 2),
    own(10, 10000),
    family("6", 10, 10000),
    family("both", 10, 10000),
    secondary(10, 10000),
    addpath(10, 10000),
    own_secondary(10, 10000),
    imex(10, 10000),
    multi(10, 10000),
    mulimex(10, 10000),
] + [example(name, 10, 10000) for name in EXAMPLES]
for _row in QUICK:
    _row.limit_s = 60  # it shall be through in minutes
# Those with budgets come first: a limit on time for all cuts the end off.
NORMAL = [
    single(
        100,
        "100k",
        [
            Budget("cpu_s", 1 / 15, "bird2"),
            Budget("cpu_s", 1 / 10, "frr"),
            Budget("cpu_s", 1.3, "tern-2"),
            Budget("peak_mb", 0.6, "bird2"),
        ],
    ),
    own(100, 100000, [Budget("cpu_s", 1 / 10, "bird2")]),
    single(32, "50k"),
    secondary(32, 50000, [Budget("cpu_s", 2, "single-32-50k:tern")]),
    addpath(32, 50000, [Budget("cpu_s", 1 / 12, "bird2")]),
    own_secondary(100, 100000, [Budget("cpu_s", 1 / 8, "bird2")]),
    imex(32, 50000, [Budget("cpu_s", 1 / 15, "bird2"), Budget("peak_mb", 1 / 7, "bird2")]),
    multi(32, 50000, [Budget("cpu_s", 1 / 12, "bird2"), Budget("peak_mb", 1 / 6, "bird2")]),
    mulimex(32, 50000, [Budget("cpu_s", 1 / 11, "bird2"), Budget("peak_mb", 1 / 6, "bird2")]),
    flap_tables("flapown", ""),
    flap_tables("flapmulti", "--multi", [Budget("flap_median_ms", 2.5, "flapown-32:tern")]),
    vrps(
        "600k",
        "600,000 VRPs from a cache",
        rpki.load,
        None,
        [
            Budget("elapsed_s", 0.8),
            Budget("elapsed_s", 0.5, "bird2"),
            Budget("peak_mb", 80),
            Budget("peak_mb", 0.5, "bird2"),
        ],
    ),
    vrps(
        "reset",
        "a cache of 600,000 VRPs has another session id and the same data",
        rpki.reset,
        "reset",
        [Budget("event_cpu_s", 0.7), Budget("moved", 0), Budget("peak_ratio", 1.3)],
    ),
    vrps(
        "change",
        "%d members, %s nets; %s VRPs change" % (rpki.MEMBERS, format(rpki.NETS, ","), format(rpki.CHANGED, ",")),
        rpki.change,
        "change",
        [Budget("event_s", 0.05), Budget("event_cpu_s", 1 / 10, "bird2")],
        rpki.MEMBERS,
    ),
    flap(10, 100000),
    flap(100, 100000),
    flap_feed(10, 100000, 900000, 20),
    flap_feed(100, 100000, 900000, 100),
    irr(
        320,
        3200000,
        3,
        [Budget("event_s", 2), Budget("gap_s", 0.2), Budget("control_gap_s", 0.2), Budget("peak_mb", 350)],
    ),
    storm(700, 50, 400400, [Budget(f, 1 / 5, "bird2") for f in ("event_s", "event_cpu_s", "return_s", "return_cpu_s")]),
    closed(10, 20000, 20, BUSY),
    unique(20, 500000, BUSY),
    churners(5, 20000, 20, BUSY),
    policy(700, 400400, [Budget("event_s", 2), Budget("gap_s", 0.2)]),
    sets(
        700,
        400400,
        [
            Budget("cpu_s", 1 / 6, "frr"),
            Budget("cpu_s", 1 / 60, "bird2"),
            Budget("cpu_s", 1.3, "tern-2"),
            Budget("elapsed_s", 8),
        ],
    ),
    single(
        1000,
        "50k",
        [
            Budget("cpu_s", 1 / 20, "bird2"),
            Budget("cpu_s", 1 / 7, "frr"),
            Budget("cpu_s", 1.3, "tern-2"),
            Budget("peak_mb", 0.7, "bird2"),
        ],
    ),
    flap(1000, 50000),
    single(10, "100k"),
    single(32, "100k"),
    single(100, "4k"),
    single(100, "13k"),
    single(100, "42k"),
    churn(100, 100000, 10000),
    lists(100, 100000, 1000),
    join(100, 100000, 900000),
    family("6", 100, 100000),
    family("both", 100, 100000),
] + [example(name, 32, 50000) for name in EXAMPLES]
FULL = [
    single(316, "100k"),
    single(1000, "100k"),
    single(100, "420k"),
    single(100, "800k"),
    single(1000, "800k", [Budget("elapsed_s", 120), Budget("peak_mb", 800)]),
    imex(1000, 50000, [Budget("peak_mb", 350)]),
    multi(1000, 53600, [Budget("elapsed_s", 60), Budget("peak_mb", 600)], only=("tern",)),
    own(316, 100000),
    join(316, 100000, 900000),
    policy(100, 100000),
    lists(316, 400000, 1000),
    lists(700, 400400, 100, ONE_SET),
    threads(100, 100000),
    threads(1000, 50000),
]
MORE = []  # rows that are only found by name
MODES = {"test": TEST, "quick": QUICK, "normal": NORMAL, "full": NORMAL + FULL}


def find(names, mode):
    """Rows by name, from all modes; a name that ends in `*` means all that begin so."""
    every = {}
    for rows in (MODES[mode], MORE, NORMAL, FULL, QUICK, TEST):
        for r in rows:
            every.setdefault(r.name, r)
    if not names:
        return MODES[mode]
    out = []
    for name in names.split(","):
        words = name.split("-")
        found = [
            r
            for n, r in every.items()
            if n == name or (name == "budgets" and r.budgets) or (name.endswith("*") and n.startswith(name[:-1]))
        ]
        if not found and len(words) == 3 and words[0] == "single":
            found = [single(int(words[1]), words[2])]
        if not found:
            raise SystemExit("bench: no row '%s'; known: %s" % (name, " ".join(every)))
        out += [r for r in found if r not in out]
    return out
