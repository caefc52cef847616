# SPDX-License-Identifier: GPL-3.0-or-later
"""Pipes: a table for each member, piped to one that all share, beside bird with the same configuration and the same
members; loops of pipes; pipes that come and go."""

from harness import *

import random

if KIND != "ternd":
    cannot_here("this is about ternd")

MEMBERS = 6
NETS = ["10.%d.0.0/16" % i for i in range(1, 40)]
SEED = int(os.environ.get("TERN_SEED") or random.randrange(1 << 32))
STEPS = 2000 if SOAK else 150


class Multi:
    """What the configuration says: a table for each member, a pipe from there to master4, filters on the pipe."""

    def __init__(self):
        self.there = set(range(1, MEMBERS + 1))
        self.out, self.into = {}, {}  # what a member's pipe keeps back: an AS in the path, a preference to set
        self.roas = []
        self.step = 0  # of the marks

    def text(self, port, kind):
        out = [
            'router id 10.0.0.1;\nlog "RUN/bird.log" all;\nprotocol device {}\nroa4 table r4;\n'
            'protocol static roas { roa4 { table r4; };%s }\n' % "".join(" route %s;" % r for r in self.roas),
            "template bgp any { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; strict bind on;\n"
            "  %s error wait time 1, 1; connect delay time 1; }\n"
            % (port, "deterministic med on;" if kind == "bird" else ""),
        ]
        for n in sorted(self.there):
            out.append(
                "ipv4 table t%d;\nprotocol bgp m%d from any { neighbor 127.0.11.%d as %d; ipv4 { table t%d; import all;"
                " export all; }; }\n" % (n, n, n, 65000 + n, n)
            )
            gone, pref = self.out.get(n, 0), self.into.get(n, 0)
            out.append(
                "protocol pipe p%d { table t%d; peer table master4;\n"
                "  export filter { if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; %s accept; };\n"
                "  import filter { if bgp_path ~ [= * %d * =] then reject; %s accept; }; }\n"
                % (
                    n,
                    n,
                    "if bgp_path.last = %d then reject;" % gone if gone else "",
                    65100 + n,
                    "preference = %d; bgp_community.add((65000, %d));" % (pref, pref) if pref else "",
                )
            )
        return "".join(out)


def taken(p, held):
    """What a member is told, into {net: attributes}; until nothing has come for a moment."""
    while True:
        try:
            got = p.receive(0.05 / SLOW)
        except (socket.timeout, TimeoutError):
            return
        check(got is not None, "the session has ended")
        if got[0] != UPDATE:
            continue
        body, nets = got[1], []
        cut = struct.unpack("!H", body[:2])[0]
        for net in prefixes(body[2 : 2 + cut]):
            held.pop(net, None)
        size = struct.unpack("!H", body[2 + cut : 4 + cut])[0]
        attrs = parsed(body[4 + cut : 4 + cut + size])
        for net in prefixes(body[4 + cut + size :]):
            held[net] = attrs


def prefixes(data):
    while data:
        octets = (data[0] + 7) // 8
        yield "%s/%d" % (socket.inet_ntoa(data[1 : 1 + octets].ljust(4, b"\0")), data[0])
        data = data[1 + octets :]


def parsed(data):
    found = []
    while data:
        long = data[0] & 0x10
        size = struct.unpack("!H", data[2:4])[0] if long else data[2]
        head = 4 if long else 3
        found.append((data[1], data[head : head + size]))
        data = data[head + size :]
    return sorted(found)


class Pair:
    """A member's sessions with both daemons, and what it holds of each."""

    def __init__(self, ports, n):
        self.n, self.ports = n, ports
        self.peers, self.held = [member(p, n, hold=0) for p in ports], [{}, {}]

    def both(self, fn, *args, **kw):
        for p in self.peers:
            getattr(p, fn)(*args, **kw)

    def hold(self):
        for p, held in zip(self.peers, self.held):
            taken(p, held)


def tables(d, multi):
    """{table: {net: [[protocol, preference, is it the best, AS path], ...]}}, the best one first."""
    found = {}
    for name in ["master4"] + ["t%d" % n for n in sorted(multi.there)]:
        nets, net = found.setdefault(name, {}), None
        for _, line in d.run("show route table %s all" % name):
            m = re.match(r"(\S+/\d+)? +\w+ \[(\S+) [^\]]*\](?: from \S+)?( \*)? \((\d+)\)", line)
            if m:
                net = m.group(1) or net
                nets.setdefault(net, []).append([m.group(2), m.group(4), bool(m.group(3))])
            m = re.match(r"\s+(BGP\.(?:as_path|community): .*)", line)
            if m:
                nets[net][-1].append(m.group(1))
    return found


def unordered(nets):
    """Of a table: routes behind the best one have no order."""
    return {net: (rows[0], sorted(map(str, rows))) for net, rows in nets.items()}


def routes(nets):
    return [(net, row) for net, rows in nets.items() for row in rows]


def piped(nets, multi, there, off):
    """{table: {net: (protocol, preference)}} that pipes bring to it, by what is in the tables that they come from.
    @there: members that are up. @off: those whose pipe is down."""
    invalid = {r.split()[0] for r in multi.roas}
    found = {"master4": set()}
    for n in sorted(multi.there):
        own, back, found["t%d" % n] = "m%d" % n, str(multi.into.get(n) or 100), set()
        if n in off:
            continue
        for net, row in routes(nets["t%d" % n]):
            last = int(row[3].split()[-1])
            if row[0] == own and n in there and last != multi.out.get(n) and (net not in invalid or last == 65001):
                found["master4"].add((net, own, row[1]))
        for net, row in routes(nets["master4"]):
            if row[0] != own and str(65100 + n) not in row[3].split():
                found["t%d" % n].add((net, row[0], back))
    return found


def is_piped(d, multi, pairs, off):
    nets = tables(d, multi)
    return piped(nets, multi, pairs, off) == {
        t: {(net, row[0], row[1]) for net, row in routes(in_it) if t != row[0].replace("m", "t")}
        for t, in_it in nets.items()
    }


def agree(daemons, multi, pairs, what, off=()):
    """The same in all tables, and at all members; what the latest configuration asks for, and what members have
    said."""
    multi.step += 1
    for p in pairs.values():
        p.both("update", ["11.%d.0.0/16" % p.n], extra=attribute(0xC0, 8, struct.pack("!HH", 7, multi.step)))
    mark = struct.pack("!HH", 7, multi.step)

    def marked(p):
        return all(
            any(mark in value for _, value in held.get("11.%d.0.0/16" % n, ()))
            for held in p.held
            for n in pairs
            if n != p.n and not {n, p.n} & set(off)
        )

    def same():
        for p in pairs.values():
            p.hold()
        a, b = (tables(d, multi) for d in daemons)
        return (
            {t: unordered(nets) for t, nets in a.items()} == {t: unordered(nets) for t, nets in b.items()}
            and all(p.held[0] == p.held[1] and marked(p) for p in pairs.values())
            and all(is_piped(d, multi, pairs, off) for d in daemons)
        )

    def differs():
        a, b = (tables(d, multi) for d in daemons)
        members = [
            (p.n, n, p.held[0].get(n), p.held[1].get(n))
            for p in pairs.values()
            for n in set(p.held[0]) | set(p.held[1])
            if p.held[0].get(n) != p.held[1].get(n)
        ]
        return "%s (seed %d): tables %s, members %s, marked %s, as piped %s" % (
            what,
            SEED,
            [
                (t, net, a[t].get(net), b[t].get(net))
                for t in a
                for net in set(a[t]) | set(b[t])
                if unordered(a[t]).get(net) != unordered(b[t]).get(net)
            ][:3],
            members[:3],
            [marked(p) for p in pairs.values()],
            [is_piped(d, multi, pairs, off) for d in daemons],
        )

    wait_until(same, differs, 120)


def again(daemons, command, name):
    """@command, which takes a pipe's routes anew: its counters show when it does."""
    for d in daemons:

        def shown():
            return re.findall(r"up +[0-9:.]+|(?:Im|Ex)port updates: .*", d.text("show protocols all " + name))

        before = shown()
        d.run("%s %s" % (command, name))
        wait_until(lambda: len(shown()) == len(before) and shown() != before, "%s %s" % (command, name))


def configure(daemons, ports, multi):
    for d, port, kind in zip(daemons, ports, ("ternd", "bird")):
        d.write(multi.text(port, kind))
        check(d.code("configure") in (3, 4), "configure")


def wait_sessions(daemons, multi):
    for d in daemons:
        d.wait_established(len(multi.there))


def beside_bird():
    rng = random.Random(SEED)
    multi, ports = Multi(), (free_port(), free_port())
    daemons = [Daemon(multi.text(ports[0], "ternd")).start(), Bird(multi.text(ports[1], "bird")).start()]
    pairs = {n: Pair(ports, n) for n in multi.there}
    wait_sessions(daemons, multi)

    def change(p):
        nets = rng.sample(NETS, rng.randrange(1, 8))
        if rng.random() < 0.3:
            p.both("withdraw", nets)
        else:
            path = [65000 + p.n] + rng.sample(range(65101, 65101 + MEMBERS), rng.randrange(3))
            p.both("update", nets, path, extra=attribute(0x80, 4, struct.pack("!I", rng.randrange(3))))

    for p in pairs.values():
        for _ in range(6):
            change(p)
    agree(daemons, multi, pairs, "the feed")
    for k in range(STEPS):
        change(rng.choice(list(pairs.values())))
    agree(daemons, multi, pairs, "after %d changes" % STEPS)
    # changed filters, which pass what is there again
    multi.out[1], multi.into[2], multi.into[3] = 65102, 120, 80
    configure(daemons, ports, multi)
    agree(daemons, multi, pairs, "with other filters")
    multi.roas = ["%s max 16 as 65001" % n for n in NETS[:20]]
    configure(daemons, ports, multi)
    agree(daemons, multi, pairs, "with ROAs")
    multi.roas = multi.roas[5:]
    multi.into[3] = 0
    configure(daemons, ports, multi)
    agree(daemons, multi, pairs, "with other ROAs")
    # a member goes and comes back, another one with its table and its pipe
    pairs.pop(4).both("cease")
    gone = pairs.pop(5)
    multi.there.discard(5)
    configure(daemons, ports, multi)
    gone.both("cease")
    agree(daemons, multi, pairs, "without two members")
    multi.there.add(5)
    configure(daemons, ports, multi)
    for n in (4, 5):
        pairs[n] = Pair(ports, n)
        change(pairs[n])
    agree(daemons, multi, pairs, "with them again")
    for d in daemons:
        d.run("disable p1")
    agree(daemons, multi, pairs, "without a pipe", [1])
    for d in daemons:
        d.run("enable p1")
    agree(daemons, multi, pairs, "with it again")
    again(daemons, "restart", "p2")
    again(daemons, "reload", "p3")
    agree(daemons, multi, pairs, "restarted, reloaded")
    for p in pairs.values():
        p.both("cease")
    for d in daemons:
        d.stop()


SHOWN = """
router id 10.0.0.1;
log "RUN/bird.log" all;
ipv4 table a; ipv4 table b;
protocol device {}
protocol static s1 { ipv4 { table a; import all; }; route 10.1.0.0/16 blackhole { preference = 77; }; route \
10.2.0.0/16 blackhole; }
protocol static s2 { ipv4 { table b; import all; }; route 10.1.0.0/16 unreachable; route 10.3.0.0/16 blackhole; }
protocol pipe p1 { description "one"; table a; peer table b; import where net ~ [10.3.0.0/16]; export all;
  import limit 100 action block; export limit 5; }
protocol pipe p2 { disabled; table a; peer table b; import none; export filter { accept; }; }
"""


def shown():
    """What `show` says of pipes, and of routes behind them, is what bird says."""
    daemons = [Daemon(SHOWN).start(), Bird(SHOWN).start()]
    replies = []
    for d in daemons:
        wait_until(lambda: "10.2.0.0" in d.text("show route table b"), "the pipe")
        wait_until(lambda: "10.3.0.0" in d.text("show route table a"), "the pipe")
        got = []
        for command in (
            "show protocols all p1",
            "show protocols p2",
            "show protocols all p2",
            "show route table a all",
            "show route table b",
            "show route table b protocol s1",
            "show route table b protocol p1",
            "show route table a export p1",
            "show route table b export p1",
            "show route table a noexport p1",
            "show route export p1",
            "disable p1",
            "disable p1",
            "show protocols all p1",
            "show route table b",
            "enable p1",
            "reload p1",
            "restart p1",
        ):
            text = d.text(command)
            if command == "disable p1":  # its worker does it
                wait_until(lambda: re.search(r"^p1 .* down ", d.text("show protocols p1"), re.M), "p1 to be down")
            text = re.sub(r"\d\d:\d\d:\d\d(\.\d+)?", "TIME", text)
            # how often a route was looked at isn't the same; tern has a line more
            text = re.sub(r"(updates|withdraws): .*", r"\1:", text)
            text = re.sub(r"\n *Dirty networks: \d+", "", text)
            got.append((command, sorted(x for x in text.splitlines() if not x.startswith("Table "))))
        replies.append(got)
    for ours, theirs in zip(*replies):
        equal(ours, theirs, "what is shown")
    for d in daemons:
        d.stop()


def loop():
    """Pipes in a ring, with a filter that likes what comes back better: an error in the log, and a quiet daemon."""
    d = Daemon(
        """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
ipv4 table a; ipv4 table b; ipv4 table c; ipv4 table d;
protocol static s { ipv4 { table a; }; %s }
protocol pipe ab { table a; peer table b; export all; import all; }
protocol pipe bc { table b; peer table c; export all; import all; }
protocol pipe cd { table c; peer table d; export all; import all; }
protocol pipe db { table d; peer table b; export filter { preference = 500; accept; }; import filter { preference = \
400; accept; }; }
protocol pipe da { table d; peer table a; export all; import all; max generation 2; }
"""
        % " ".join("route 10.0.%d.0/24 blackhole;" % i for i in range(200))
    ).start()
    for t in "abcd":
        wait_until(lambda: "for 200 networks" in d.text("show route count table " + t), "table " + t)
    wait_until(lambda: "A loop of pipes" in d.said(), "an error in the log")

    def used():
        with open("/proc/%d/stat" % d.pid) as f:
            return sum(int(x) for x in f.read().rsplit(") ", 1)[1].split()[11:13])

    updates = lambda: re.findall(r"(?:Im|Ex)port (?:updates|withdraws):.*", d.text("show protocols all"))
    settled(updates, "counters of the pipes")
    ticks = [used()]

    def quiet():
        ticks.append(used())
        return ticks[-1] - ticks[-2] < 5

    wait_until(
        quiet,
        lambda: "a quiet daemon: ticks of processor time in each half of a second %s"
        % [b - a for a, b in zip(ticks, ticks[1:])],
        every_s=0.5,
    )
    d.run("disable s")
    for t in "abcd":
        wait_until(
            lambda: "0 of 0 routes" in d.text("show route count table " + t),
            lambda: "table %s to be empty: %s" % (t, d.text("show route count table " + t)),
        )
    d.stop()


def come_and_go():
    """Pipes and their tables made and deleted, while routes change."""

    def conf(k):
        names = [i for i in range(8) if (i + k) % 3]
        return (
            "router id 10.0.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device {}\nipv4 table hub;\n"
            "protocol static s { ipv4 { table hub; }; %s }\n"
            % " ".join("route 10.%d.%d.0/24 blackhole;" % (i % 40, i // 40) for i in range(k % 7, 3000, 1 + k % 3))
            + "".join(
                "ipv4 table t%d;\nprotocol static s%d { ipv4 { table t%d; }; %s }\nprotocol pipe p%d { table t%d; peer"
                " table hub; import %s; export all; }\n"
                % (
                    i,
                    i,
                    i,
                    " ".join("route 20.%d.%d.0/24 blackhole;" % (i, j) for j in range(100)),
                    i,
                    i,
                    "all" if k % 2 else "where net.len = 24",
                )
                for i in names
            )
        ), names

    d = Daemon(conf(0)[0]).start()
    first = None
    for k in range(1, 400 if SOAK else size(30, 14)):
        text, names = conf(k)
        d.write(text)
        check(d.code("configure") in (3, 4), "configure")
        spread((k % 4) * 0.01)
        if k == 12:
            first = d.stats()
    text, names = conf(0)
    d.write(text)
    check(d.code("configure") in (3, 4), "configure")
    for t in ["t%d" % i for i in names] + ["hub"]:
        want = 3000 + 100 * len(names)
        wait_until(
            lambda: "for %d networks" % want in d.text("show route count table " + t),
            lambda: "table %s: %s" % (t, d.text("show route count table " + t)),
        )
    wait_until(
        lambda: d.stats()["threads"] <= first["threads"] + 8 and d.stats()["fds"] <= first["fds"] + 24,
        lambda: "%s, at first %s" % (d.stats(), first),
    )
    d.stop()


def local():
    """An export filter that sets what is local alone, and then something else: nothing else changes in the other
    table."""

    def conf(policy):
        return (
            "router id 10.0.0.1;\nlog \"RUN/bird.log\" all;\nattribute int mine;\nprotocol device {}\nipv4 table"
            " t;\nipv6 table t6;\nprotocol static s { ipv4; route 10.1.0.0/16 blackhole; }\nprotocol static s6 { ipv6;"
            " route 2001:db8::/32 blackhole; }\nprotocol pipe p { table master4; peer table t; import none; export"
            " filter { %s accept; }; }\nprotocol pipe p6 { table master6; peer table t6; import none; export filter {"
            " %s accept; }; }\n" % (policy, policy)
        )

    d = Daemon(conf("preference = 17;")).start()
    for policy, said in (
        ("preference = 17;", "(17)"),
        ("preference = 18;", "(18)"),
        ("mine = 5;", "mine: 5"),
        ("mine = 6;", "mine: 6"),
        ("dest = RTD_UNREACHABLE;", "unreachable ["),
        ("", "blackhole ["),
    ):
        d.write(conf(policy))
        check(d.code("configure") in (3, 4), "configure")
        for table in "t", "t6":
            wait_until(
                lambda: said in d.text("show route all table " + table),
                lambda: "%s: %s" % (policy, d.text("show route all table " + table)),
            )
    d.stop()


def filled():
    """What a pipe has brought goes on through another one, that comes later and then again."""

    def conf(behind, cnt):
        return (
            "router id 10.0.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device {}\nipv4 table hub; ipv4 table t; ipv4"
            " table u;\nprotocol static s { ipv4 { table hub; }; %s }\nprotocol static own { ipv4 { table t; }; route"
            " 20.0.0.0/8 blackhole; }\nprotocol pipe p { table t; peer table hub; import all; export all; }\n%s"
            % (
                " ".join("route 10.%d.%d.0/24 blackhole;" % (i % 40, i // 40) for i in range(cnt)),
                "protocol pipe q { table u; peer table t; import all; export none; }\n" if behind else "",
            )
        )

    def has(table, cnt):
        wait_until(
            lambda: "for %d networks" % cnt in d.text("show route count table " + table),
            lambda: "table %s: %s" % (table, d.text("show route count table " + table)),
        )

    d = Daemon(conf(False, 3000)).start()
    has("t", 3001)
    has("hub", 3001)
    for behind, cnt in ((True, 3000), (True, 2000), (False, 2500), (True, 2500), (True, 3000)):
        d.write(conf(behind, cnt))
        check(d.code("configure") in (3, 4), "configure")
        has("hub", cnt + 1)
        has("u", cnt + 1 if behind else 0)
    check(d.text("configure undo") is not None, "undo")
    has("u", 2501)
    d.text("restart p")
    has("u", 2501)
    has("hub", 2501)
    d.stop()


def quiet():
    """Pipes through which nothing goes give the memory of their rings back."""
    pipe_cnt = size(30, 8)
    d = Daemon(
        "router id 10.0.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device {}\nipv4 table hub;\n"
        "protocol static s { ipv4 { table hub; }; %s }\n"
        % " ".join("route 10.%d.%d.0/24 blackhole;" % (i // 256, i % 256) for i in range(8000))
        + "".join(
            "ipv4 table t%d;\nprotocol pipe p%d { table t%d; peer table hub; import where net.len > 0; }\n" % (i, i, i)
            for i in range(pipe_cnt)
        )
    ).start()
    for i in range(pipe_cnt):
        wait_until(lambda: "for 8000 networks" in d.text("show route count table t%d" % i), "table t%d" % i)

    def rings():
        number, unit = re.search(r"Rings: +([0-9.]+) +(k|M)?B", d.text("show memory")).groups()
        return float(number) * {None: 1, "k": 1000, "M": 1000000}[unit]

    wait_until(lambda: rings() < 70000, lambda: "%d octets of rings" % rings())  # that of the static routes
    d.stop()


def renamed():
    """A pipe gets another name, again and again, while routes change: what the one before has brought is no loop. When
    a second one is beside it, there is one."""

    def conf(pipes, k):
        return (
            "router id 10.0.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device {}\nipv4 table hub; ipv4 table t;\n"
            "protocol static s { ipv4 { table hub; }; %s }\nprotocol static own { ipv4 { table t; }; %s }\n%s"
            % (
                " ".join(
                    "route 10.%d.%d.0/24 blackhole;" % (i % 40, i // 40)
                    for i in range(k % 7, size(6000, 2000), 1 + k % 3)
                ),
                " ".join("route 20.%d.%d.0/24 blackhole;" % (i % 40, i // 40) for i in range(k % 5, size(3000, 1000))),
                "".join("protocol pipe %s { table t; peer table hub; import all; export all; }\n" % p for p in pipes),
            )
        )

    d = Daemon(conf(["p0"], 0)).start()
    for k in range(1, 200 if SOAK else size(40, 30)):
        d.write(conf(["p%d" % k], k))
        check(d.code("configure") in (3, 4), "configure")
        spread(2.5 if k % 25 == 0 else (k % 4) * 0.02)
    for t in ("t", "hub"):
        want = len(range(k % 7, size(6000, 2000), 1 + k % 3)) + len(range(k % 5, size(3000, 1000)))
        wait_until(
            lambda: "for %d networks" % want in d.text("show route count table " + t),
            lambda: "table %s: %s" % (t, d.text("show route count table " + t)),
        )
    told = lambda: [x for x in d.said().splitlines() if "A loop of pipes" in x]
    stays(lambda: not told(), lambda: "there is no loop, but it says %d times: %s" % (len(told()), told()[:1]), 3)
    d.write(conf(["p%d" % k, "q"], k))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: "A loop of pipes" in d.said(), "an error in the log")
    d.stop()


RPKI = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
ipv4 table a; ipv4 table b; roa4 table r1; roa4 table r2; roa4 table r3; aspa table p1; aspa table p2;
protocol static roas { roa4 { table r1; };%s }
protocol static other { roa4 { table r2; }; route 10.9.0.0/16 max 24 as 9; }
protocol static providers { aspa { table p1; };%s }
protocol pipe rr { table r1; peer table r2; export where net.len < 24; import all; }
protocol pipe rs { table r2; peer table r3; export all; import none; }
protocol pipe pp { table p1; peer table p2; export all; }
protocol static s { ipv4 { table a; }; %s }
protocol pipe ab { table a; peer table b; export where roa_check(r3, net, 7) != ROA_INVALID; import none; }
"""


def rpki():
    """ROAs and ASPAs through pipes; what filters of other pipes ask of them is asked again when they change."""
    nets = " ".join("route 10.%d.0.0/16 blackhole;" % i for i in range(50))

    def roa(a, k):
        return (
            "".join(" route 10.%d.0.0/16 max 16 as %d;" % (i, a) for i in range(k)) + " route 10.60.0.0/24 max 24 as 7;"
        )

    d = Daemon(RPKI % (roa(8, 20), " route aspa 5 providers 6; route aspa 6 transit;", nets)).start()

    def wait_counts(**want):
        def counts():
            return {
                t: int(re.search(r"for (\d+) networks", d.text("show route count table " + t)).group(1)) for t in want
            }

        wait_until(lambda: counts() == want, lambda: "%s, not %s" % (counts(), want))

    # not 10.9.0.0/16: another ROA covers it, too, with the same verdict
    wait_counts(r1=22, r2=21, r3=21, p2=2, b=30)
    check("providers" in d.text("show route table p2 all"), "what is attested")
    check("[roas " in d.text("show route table r3"), "where they come from")
    d.write(RPKI % (roa(7, 20), " route aspa 5 providers 6;", nets))
    check(d.code("configure") in (3, 4), "configure")
    wait_counts(r1=22, r2=21, r3=21, p2=1, b=50)
    d.write(RPKI % (roa(8, 45), "", nets))
    check(d.code("configure") in (3, 4), "configure")
    wait_counts(r1=47, r2=46, r3=46, p2=0, b=5)
    d.run("disable rr")
    wait_counts(r1=46, r2=1, r3=1, b=49)
    d.run("enable rr")
    wait_counts(r1=47, r2=46, r3=46, b=5)
    d.stop()


case("ROAs and ASPAs through pipes", rpki)
case("routes behind pipes, as bird shows them", shown)
case("a table for each member, beside bird", beside_bird)
case("a loop of pipes", loop)
case("an export filter that sets what is local", local)
case("pipes that come and go", come_and_go)
case("a pipe by other names", renamed)
case("quiet pipes", quiet)
case("what a pipe has brought goes on", filled)
done()
