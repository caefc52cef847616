# SPDX-License-Identifier: GPL-3.0-or-later
"""`configure` equals a fresh start, for each option: an instance per row of option_rows.py. One daemon runs a file
without the options, then a file with the options, then the first file again, while members announce and withdraw
routes. After each `configure` the daemon must be what a daemon is that was just started with this file: what `show`
prints, the routes, what the members and the monitoring stations were told, the routes of the kernel, and the listening
sockets.

TERN_ROWS: a pattern of the rows to try, such as "bgp channel: add paths"."""

import threading

import bmp_read
import fleet
from at_rest import difference, protocols, routes
from harness import *
from option_file import Row, whole
from option_rows import ROWS
from rtr_cache import Cache

if KIND != "ternd":
    cannot_here("this is about ternd")
REST_S = 120  # at most
PREFIXES = 30  # that several members announce
RESTART_ALL = {("top level", "router id")}  # options that restart each session, and would hide what others don't do
# What a peer is told in the OPEN alone: the peer hears of the change in the next session (doc/maintenance.md).
NEXT_SESSION = {("protocol", "hostname"), ("bgp", "graceful restart"), ("bgp channel", "graceful restart")}
DAEMONS = {"main": 0, "fresh": 1}


def manual():
    """{table of options: its options}, as the manual has them; what the program doesn't do yet is left out."""
    with open(os.path.join(SRC, "doc/language.md")) as f:
        parts = re.split(r"<!-- options: (.*?) -->\n", f.read())
    found = {}
    for name, text in zip(parts[1::2], parts[2::2]):
        rows = re.match(r"(?:\|.*\n)+(?:\n(?:- `.*\n(?:  .*\n)*)+)?", text).group()
        names = []
        for form in re.findall(r"^[|-] `([^`]*)`(?: \||:)", rows, re.M):
            names.append(re.match(r"[a-z0-9_ ]*", form).group(0).strip() or form)
        found[name] = names
    return found


def every_option():
    """Each option of the protocols, channels, tables and the top level has a row, and each row has an option."""
    has = manual()
    mine = {
        n: o
        for n, o in has.items()
        if n.split()[0]
        in (
            "top",
            "table",
            "protocol",
            "channel",
            "device",
            "direct",
            "kernel",
            "mrt",
            "bfd",
            "bmp",
            "static",
            "pipe",
            "rpki",
            "bgp",
        )
        and not n.startswith("top level ")
    }
    equal(sorted(ROWS), sorted(mine), "tables of options")
    for name, options in mine.items():
        equal(sorted(ROWS[name]), sorted(set(options)), "options of " + name)
    note("     %d options" % sum(len(o) for o in ROWS.values()))


class Place:
    """A daemon, its ports and its stations."""

    def __init__(self, which):
        self.which = which
        self.d = Daemon(name=which)
        self.local = "127.0.10.%d" % (1 + DAEMONS[which])
        self.port = PORT
        self.stations = {}
        self.listens = {}  # by row
        self.own = None  # what same() looks for, and what it writes instead
        self.renamed = set()  # how the names of dynamic sessions begin, which keep their names

    def put(self, text):
        self.own = None
        self.renamed.update(re.findall(r'dynamic name "(\w+)"', text))
        text = re.sub(r"\bLOCAL\b", self.local, text)
        text = re.sub(r"\bPORT\b", str(self.port), text)
        text = re.sub(r"\bKT(\d+)\b", lambda m: str(1000 * (1 + DAEMONS[self.which]) + int(m.group(1))), text)
        text = re.sub(r"\bLISTEN(\d+)\b", lambda m: str(self.listens.setdefault(m.group(1), free_port())), text)
        text = text.replace("MRTFILE", MRT_FILE).replace("WORDS_FILE", WORDS_FILE).replace("MAP_FILE", MAP_FILE)
        text = text.replace("MACS_FILE", MACS_FILE)
        for number, cache in enumerate(CACHES, 1):
            text = text.replace("CACHE%d" % number, str(cache.port))
        text = re.sub(r"\bSTATION_(\w+?)_([12])\b", lambda m: str(self.station(m.group(1) + m.group(2)).port), text)
        self.d.write(text)

    def station(self, name):
        if name not in self.stations:
            self.stations[name] = Monitor()
        return self.stations[name]

    def told_stations(self):
        held = {name: s.held(self) for name, s in self.stations.items()}
        return {name: h for name, h in held.items() if h}

    def same(self, text):
        """Without what is this daemon's own."""
        if self.own is None:
            names = {"port %d" % st.port: "port of " + n for n, st in self.stations.items()}
            names.update(("port %d" % port, "port of %s" % k) for k, port in self.listens.items())
            names.update({self.local: "LOCAL", repr(socket.inet_aton(self.local))[2:-1]: "LOCL", self.d.dir: "RUN"})
            renamed = ["%s\\d+" % name for name in self.renamed]
            self.own = re.compile("(?:%s)(?!\\d)" % "|".join([re.escape(n) for n in names] + renamed)), names
        pattern, names = self.own
        return pattern.sub(lambda m: names.get(m.group(0), "DYNAMIC"), text)

    def same_lines(self, lines):
        return self.same("\n".join(lines)).split("\n")

    def end(self):
        self.d.kill()
        for s in self.stations.values():
            s.stop()
        for s in self.stations.values():
            s.end()


class Monitor:
    """A monitoring station that takes each connection."""

    def __init__(self):
        self.s = bmp_read.Station(0)
        self.ending = False
        self.port = self.s.port
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while not self.ending:
            try:
                self.s.accept(limit_s=0.2)
            except OSError:
                continue
            self.s.run()
            while not self.ending and self.s.thread.is_alive():
                self.s.thread.join(0.2)
            self.s.close()

    def held(self, place):
        """{(peer, RIB): its routes}."""
        if self.s.conn is None:
            return {}
        check(not self.s.error, "a station: %s" % self.s.error)
        with self.s.lock:
            return {
                (place.same(str(p.key)), rib): sorted(place.same(repr(r)) for r in routes_of.items())
                for p in self.s.peers.values()
                for rib, routes_of in p.ribs.items()
                if routes_of
            }

    def stop(self):
        self.ending, self.s.reading = True, False

    def end(self):
        self.thread.join(5)
        self.s.listener.close()


# --- the members ---


PLAIN = 4  # members besides those of the rows, without an option


def announced(rng, k):
    """What a member announces: a net of its own, and nets that others announce as well."""
    found = {
        "20.%d.%d.0/24" % (8 + k // 200, k % 200): ((1,), ((65000, k),)),
        "20.%d.%d.0/24" % (14 + k // 200, k % 200): ((1,), ((65535, 65281 + rng.randrange(2)),)),
    }
    for p in rng.sample(range(PREFIXES), 3):
        path = tuple(rng.choice((1, 2, 65001)) for _ in range(rng.randrange(1, 4)))
        comms = ((65535, 65281),) if rng.random() < 0.1 else ((65000, rng.randrange(4)),)
        found["20.%d.0.0/24" % p] = (path, comms)
    return found


def local_hidden(told, place):
    """What members were told, without the daemon's own address."""
    mine, any_one = socket.inet_aton(place.local), b"LOCL"
    return {
        k: {
            p: [(tuple((c, v.replace(mine, any_one)) for c, v in attrs), hop) for attrs, hop in r] for p, r in t.items()
        }
        for k, t in told.items()
    }


def forget_kernel_routes(place):
    """A daemon that was killed, or that persists, leaves its routes."""
    text = subprocess.run(
        ["ip", "-4", "route", "show", "table", "all"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    first = 1000 * (1 + DAEMONS[place.which])
    for t in sorted(set(re.findall(r" table (\d{4}) ", text))):
        if first <= int(t) < first + 1000:
            subprocess.run(["ip", "-4", "route", "flush", "table", t], check=True)


def kernel_routes(place):
    """The routes of the daemon's tables in the system; numbers of tables without the daemon's part."""
    text = subprocess.run(
        ["ip", "-4", "route", "show", "table", "all"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    first = 1000 * (1 + DAEMONS[place.which])
    found = []
    for line in text.splitlines():
        m = re.search(r" table (\d+) ", line + " ")
        if m and first <= int(m.group(1)) < first + 1000:
            found.append(line.replace(" table %s " % m.group(1), " table %d " % (int(m.group(1)) - first)).strip())
    return sorted(found)


def snapshot(place, members):
    d = place.d
    told = local_hidden(members.tables(place.which), place)
    return {
        "protocols": place.same_lines(
            re.sub(r"\b[12](\d{3})\b", r"\1", line)
            if "ernel table" in line
            else re.sub(r"since \d+-\d+-\d+ \d+:\d+:\d+,", "since TIME,", line)
            for line in protocols(d)
        ),
        "routes": place.same_lines(routes(d, "")),
        "filtered routes": place.same_lines(routes(d, "filtered")),
        "symbols": sorted(d.text("show symbols").split("\n")),
        "bfd": sorted(
            re.sub(r"\d+-\d+-\d+ \d+:\S+|\d+:\d+:\d+\.\d+", "TIME", line)
            for line in place.same_lines([d.text("show bfd sessions")])
        ),
        "told": told,
        "stations": place.told_stations(),
        "kernel": kernel_routes(place),
    }


def start(which, text):
    place = Place(which)
    place.put(text)
    place.d.start()
    return place


def with_owner(why, rows):
    """The differences, each below the rows that it names."""
    named = sorted({r.name for r in rows if re.search(r"\b%s\b" % r.name, why)})
    return "rows: %s\n%s" % (", ".join(named) or "none is named", why)


def look(main, text, members, rows, what):
    """Beside a daemon that is started now."""
    fresh = start("fresh", text)
    try:
        dial(members, fresh, rows)
        why, took = "", 0.0

        def same():
            nonlocal why, took
            check(main.d.alive() and fresh.d.alive(), "a daemon ended: " + main.d.said() + fresh.d.said())
            check(members.error is None, "the members: %r" % members.error)
            looked = time.monotonic()
            why = difference(snapshot(main, members), snapshot(fresh, members))
            took = time.monotonic() - looked
            return not why

        # Two daemons print all that they have: the looks take a fifth of the time, and the members work between them.
        wait_until(
            same,
            lambda: "%s: configure isn't a fresh start: %s" % (what, with_owner(why, rows)),
            REST_S,
            lambda: min(4 * took, 5),
        )
    finally:
        members.drop("fresh")
        fresh.end()
        forget_kernel_routes(fresh)
        Daemon.all.remove(fresh.d)


def dial(members, place, rows):
    with members.lock:
        for r in rows:
            if r.is_member():
                members.members[r.k].dial[place.which] = (place.local, place.port)


def move(members, rng, rows):
    """Members announce other routes now."""
    with members.lock:
        for r in rows:
            if r.is_member() and rng.random() < 0.5:
                members.members[r.k].routes = announced(rng, r.k)


def configure(place, text):
    place.put(text)
    got = place.d.run("configure")
    check(got[-1][0] in (3, 4), "configure: %r" % got)


def has_ao():
    """Whether this build knows TCP-AO."""
    d = Daemon(
        'protocol bgp b { local 127.0.0.1 as 1; neighbor 127.0.0.2 as 2; authentication ao; keys { key { id 1; secret'
        ' "s"; }; }; ipv4; }\n'
    )
    said = subprocess.run(
        daemon_argv() + ["-p", "-c", d.conf], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ).stdout
    Daemon.all.remove(d)
    return "no TCP-AO" not in said


def every_row():
    """Files without the options, with the options, and without them again."""
    pattern = os.environ.get("TERN_ROWS", "")
    rows = [Row(t, o, told) for t, options in ROWS.items() for o, told in options.items()]
    rows = [r for r in rows if re.search(pattern, "%s: %s" % (r.table, r.option))]
    rows += [Row("bgp", "plain %d" % i, "") for i in range(PLAIN)]
    if not has_ao():
        rows = [r for r in rows if "authentication ao" not in r.text + r.both and not r.table.startswith("bgp keys")]
    note("     %d rows" % len(rows))
    rng = random.Random(SEED)
    members = fleet.Fleet()
    for r in rows:
        if r.is_member():
            members.add(r.k, r.address, r.as_number).routes = announced(rng, r.k)
    alone = [r for r in rows if (r.table, r.option) in RESTART_ALL]
    steps = [("without the options", whole(rows, []))]
    steps += [("with the options", whole(rows, [r for r in rows if r not in alone])), steps[0]]
    for r in alone:
        steps += [("with " + r.option, whole(rows, [r])), steps[0]]
    main = start("main", steps[0][1])
    try:
        dial(members, main, rows)
        expected = sum(r.is_member() for r in rows) // 2
        wait_until(lambda: main.d.established() >= expected, "half of the members to be there", 30)
        for what, text in steps[1:]:
            move(members, rng, rows)
            configure(main, text)
            for r in rows:
                if (r.table, r.option) in NEXT_SESSION:
                    check(main.d.code("restart " + r.name) < 8000, "restart " + r.name)
            move(members, rng, rows)
            began = time.monotonic()
            look(main, text, members, rows, what)
            note("     %s: equal after %.1f s" % (what, time.monotonic() - began))
        check(main.d.code("down") == 7, "down")
    finally:
        members.end()
        main.end()


in_namespace()
sys.setswitchinterval(
    0.0005
)  # the members' thread gives way at each call of a socket, and gets its turn back only then
PORT = free_port()
ip_commands = "link set lo up\n" + "".join(
    "link add k%d type veth peer name j%d\nlink set k%d up\nlink set j%d up\naddr add 10.7.%d.1/24 dev k%d\n"
    % (i, i, i, i, i + 1, i)
    for i in range(2)
)
subprocess.run(["ip", "-batch", "-"], input=ip_commands.encode(), check=True)
CACHES = [Cache(free_port()) for _ in range(2)]
for number, cache in enumerate(CACHES):
    cache.set(vrps=[("20.%d.0.0/16" % p, 24, 1 + number) for p in range(20)], notify=False)
MRT_FILE = os.path.join(temp_dir(), "updates.mrt")
WORDS_FILE = os.path.join(temp_dir(), "words.txt")
with open(WORDS_FILE, "w") as f:
    f.write("65000:1101:7\tprefix is too long\n")
MAP_FILE = os.path.join(temp_dir(), "lan.map")
with open(MAP_FILE, "w") as f:
    f.write("10.7.1.1 fd07::1\n")
MACS_FILE = os.path.join(temp_dir(), "lan.macs")
with open(MACS_FILE, "w") as f:
    f.write("10.7.1.1 02:00:00:00:00:01\n")
subprocess.run(
    [
        sys.executable,
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "make_mrt.py"),
        MRT_FILE,
        "--messages",
        "200",
    ],
    check=True,
)
case("every option has a row", every_option)
case("each option by configure and by a fresh start", every_row)
done()
