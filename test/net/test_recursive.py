# SPDX-License-Identifier: GPL-3.0-or-later
"""Recursive static routes: where bird2, where that is installed, sends packets of theirs, after each of many random
changes of the routes that they are resolved by; what else changes in that table announces nothing anew, and leaves no
memory."""

import ipaddress

from links import *

if KIND != "ternd":
    cannot_here("this is about ternd")

MACHINE = """
link add m0 type veth peer name m1
link add d0 type veth peer name d1
link set m0 up
link set m1 up
link set d0 up
link set d1 up
addr add 10.1.1.1/24 dev m0
addr add 10.2.1.1/24 dev d0
addr add 10.2.0.1/16 dev d0
addr add 2001:db8:1::1/64 dev m0 nodad
addr add 2001:db8:2::1/64 dev d0 nodad
"""
HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { scan time 1; }
ipv4 table tg; ipv6 table tg6;
protocol direct dd { ipv4 { table tg; }; ipv6 { table tg6; }; }
"""
# What a route that others are resolved by may be.
FORMS = (
    "via 10.1.1.2",
    "via 10.1.1.3",
    "via 10.2.1.2",
    "via 10.2.9.9",
    'via "m0"',
    'via "d0"',
    "via 10.7.7.7%d0 onlink",
    "via 10.7.7.7",
    "blackhole",
    "unreachable",
    "prohibit",
    "via 10.1.1.4 weight 3 via 10.2.1.4 weight 2",
    'via "m0" via "d0" weight 3',
    "via 10.1.1.5 via 10.2.1.5",
    "recursive 30.0.0.1",
    "via 2001:db8:1::5",
)
# Nested prefixes: which of them is the longest match changes.
NETS = (
    ["0.0.0.0/0"]
    + ["30.%d.0.0/%d" % (n, bits) for n in range(6) for bits in (16, 15, 14)]
    + ["30.%d.%d.0/24" % (n, k) for n in range(6) for k in range(3)]
    + ["30.%d.%d.1/32" % (n, k) for n in range(6) for k in range(2)]
)
ADDRESSES = ["30.%d.%d.%d" % (n, k, h) for n in range(7) for k in range(4) for h in (1, 9)] + [
    "10.1.1.1",
    "10.1.1.7",
    "10.2.1.255",
    "10.2.200.1",
    "99.0.0.1",
    "127.0.0.1",
    "224.0.0.5",
]
SIX = {
    "2001:db8:a::/48": "2001:db8:1::9",
    "2001:db8:b::/48": "2001:db8:2::9",
    "2001:db8:c::/48": "fe80::9",
    "2001:db8:d::/48": "2001:db8:1::1",
}


def conf(igp, more=""):
    """@igp: {prefix: form}."""
    nets = sorted({str(ipaddress.ip_network(n, strict=False)) for n in igp})
    form = {str(ipaddress.ip_network(n, strict=False)): f for n, f in igp.items()}
    return (
        HEAD
        + "protocol static sg { ipv4 { table tg; }; %s }\n" % "".join("route %s %s;\n" % (n, form[n]) for n in nets)
        + "protocol static sr { ipv4; igp table tg; %s %s }\n"
        % ("".join("route 40.0.%d.0/24 recursive %s;\n" % x for x in enumerate(ADDRESSES)), more)
        + "protocol static s6 { ipv6; igp table tg6; %s }\n"
        % "".join("route %s recursive %s;\n" % x for x in SIX.items())
        +
        # resolved by the table that they are in
        'protocol static sm { ipv4; route 50.0.0.0/24 recursive 50.1.0.9; route 50.1.0.0/24 via 10.1.1.8; route'
        ' 50.2.0.0/24 recursive 50.2.0.9;\nroute 50.3.0.0/24 recursive 50.0.0.1; route 50.4.0.0/24 recursive'
        ' 50.5.0.1; }\n'
    )


def shown(d):
    found, net = {}, None
    for table in "master4", "master6":
        for _, line in d.run("show route all table " + table):
            if not line[:1].isspace() and not line.startswith("Table") and line.strip():
                net = line.split()[0]
            if net and line.strip() and not line.startswith("Table"):
                found.setdefault(net, []).append(re.sub(r" \d\d:\d\d:\d\d\.\d+\]", "]", line))
    return found


def differ(d, b):
    ours, theirs = shown(d), shown(b)
    return {k: (ours.get(k), theirs.get(k)) for k in set(ours) | set(theirs) if ours.get(k) != theirs.get(k)}


def reconf(x, text):
    x.write(text)
    check(x.code("configure") in (3, 4), "configure")


def indexed(text, rng):
    """The index of longest matches, which bird2 doesn't have, comes and goes."""
    return text.replace(
        "ipv4 table tg;", "ipv4 table tg { longest match index %s; };" % rng.choice(("yes", "yes", "no"))
    )


def as_bird():
    if not os.path.exists(BIRD):
        needs("bird2")
    ip(MACHINE)
    rng = random.Random(int(os.environ.get("TERN_SEED", "1")))
    igp = {n: rng.choice(FORMS) for n in rng.sample(NETS, 20)}
    d, b = Daemon(indexed(conf(igp), rng)).start(), Bird(conf(igp), "bird").start()
    same = lambda what: wait_until(
        lambda: not differ(d, b), lambda: "%s: ternd, bird2: %r" % (what, differ(d, b)), every_s=0.02 * SLOW
    )
    same("at the start")
    check(len(shown(d)) > 60, "routes: %r" % shown(d))
    up, seen = {"m0": True, "d0": True}, set()
    for k in range(10000 if SOAK else size(300, 100)):
        what = []
        for _ in range(rng.choice((1, 1, 2, 6))):
            n = rng.choice(NETS)
            if n in igp and rng.random() < 0.5:
                del igp[n]
            else:
                igp[n] = rng.choice(FORMS)
            what.append((n, igp.get(n)))
        if rng.random() < 0.1:
            link = rng.choice(sorted(up))
            up[link] = not up[link]
            what.append("link set %s %s" % (link, "up" if up[link] else "down"))
            ip(what[-1])
            if up[link] and link == "m0":
                ip("addr add 2001:db8:1::1/64 dev m0 nodad")
            elif up[link]:
                ip("addr add 2001:db8:2::1/64 dev d0 nodad")
        reconf(d, indexed(conf(igp), rng))
        reconf(b, conf(igp))
        same("seed %s, change %d: %r" % (os.environ.get("TERN_SEED", "1"), k, what))
        seen |= {line[0].split()[1] for line in shown(d).values()}
    equal(seen, {"unicast", "blackhole", "unreachable", "prohibited"}, "what routes lead to")
    b.kill()
    d.stop()


def touches():
    """Only what is resolved another way is announced anew."""
    ip(MACHINE)
    many_cnt = size(2000, 500)
    many = {"60.%d.%d.0/24" % (k >> 8, k & 255): "via 10.1.1.2" for k in range(many_cnt)}
    igp = {"30.0.0.0/8": "via 10.1.1.2", "30.1.0.0/16": "via 10.2.1.2"}
    d = Daemon(conf(igp)).start()
    cnt = lambda: d.counters("sr")
    start = len(ADDRESSES)
    # direct's routes may come after those of sg: until then those behind them lead nowhere, too
    nowhere = lambda: {
        ADDRESSES[int(line.split(".")[2])]
        for line in d.text("show route table master4").splitlines()
        if " unreachable [sr" in line
    }
    wait_until(
        lambda: cnt()[0] >= start and nowhere() == {"10.1.1.1", "99.0.0.1", "127.0.0.1", "224.0.0.5"},
        lambda: "the first routes: %r %r" % (cnt(), nowhere()),
    )

    def moved(what, igp, came, more="", net="40.0.8.0/24", way="via 10.2.1.2 on d0"):
        before = cnt()
        reconf(d, conf(igp, more))
        least = before[0] + (min(came) if isinstance(came, tuple) else came)
        wait_until(
            lambda: way in d.text("show route " + net) and cnt()[0] >= least,
            lambda: "%s: %r, %r before: %s" % (what, cnt(), before, d.text("show route " + net)),
        )
        got = [x - y for x, y in zip(settled(cnt, "counters", 0.05), before)]
        check(got[0] in (came if isinstance(came, tuple) else (came,)) and not got[1], "%s: %r" % (what, got))

    moved("routes that lead nowhere that is asked for", {**igp, **many}, 0)
    wait_until(
        lambda: "%d of" % many_cnt in d.text("show route count table tg where net ~ [ 60.0.0.0/8+ ]"), "many routes"
    )
    moved("the same go", igp, 0)
    moved("a longer prefix that leads the same way", {**igp, "30.1.0.0/24": "via 10.2.1.2"}, 0)
    moved("a longer prefix for two", {**igp, "30.1.0.0/24": "via 10.1.1.9"}, 2, way="via 10.1.1.9 on m0")
    moved("it goes", igp, 2)
    moved("another gateway for eight", {**igp, "30.1.0.0/16": "via 10.2.1.3"}, 8, way="via 10.2.1.3 on d0")
    moved("nothing for all but eight", {"30.1.0.0/16": "via 10.2.1.3"}, 48, net="40.0.0.0/24", way="unreachable")
    moved("all again", igp, 56)
    moved("one recursive route more", igp, 1, "route 41.0.0.0/24 recursive 30.1.77.1;", "41.0.0.0/24")
    moved(
        "it is followed, too",
        {**igp, "30.1.77.0/24": "via 10.1.1.4"},
        1,
        "route 41.0.0.0/24 recursive 30.1.77.1;",
        "41.0.0.0/24",
        "via 10.1.1.4 on m0",
    )
    # its next hop's route goes at the same time: the one instance may see the other's change before or after its own
    moved("with code", igp, (1, 2), "route 41.0.0.0/24 recursive 30.1.77.1 { preference = ifindex; };", "41.0.0.0/24")
    d.write(conf(igp).replace("igp table tg;", ""))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(
        lambda: d.text("show route").count("unreachable [sr") == start, "another igp table, in which there is nothing"
    )
    d.write(re.sub(r"recursive \S+;", "blackhole;", conf(igp)))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: d.text("show route").count("blackhole [sr") == start, "no recursive route")
    d.write(conf(igp))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: "via 10.2.1.2 on d0" in d.text("show route 40.0.8.0/24"), "recursive routes again")
    for command in "restart sr", "disable sr", "enable sr", "reload sr":
        d.run(command)
    wait_until(lambda: "via 10.2.1.2 on d0" in d.text("show route 40.0.8.0/24"), "it is enabled again")
    check("40.0.8.0/24\trecursive 30.1.0.1" in d.text("show static sr"), d.text("show static sr")[:300])
    d.write(HEAD)
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: d.code("show protocols sr") != 1002 and d.routes()[0] < 10, "the instances to go")
    d.stop()


def chases():
    """A route whose next hop is behind itself, where it leads nowhere, and is refused for that: it comes and goes, at a
    bounded rate."""
    d = Daemon(
        HEAD
        + """protocol static da { ipv4; route 0.0.0.0/0 via "lo"; }
protocol static sr { ipv4 { import where dest != RTD_UNREACHABLE; }; route 50.0.0.0/8 recursive 50.1.1.1; }
"""
    ).start()
    # until it is up there are no counters
    moves = lambda: int((re.search(r"Import updates: +(\d+)", d.text("show protocols all sr")) or [0, 0])[1])
    wait_until(lambda: moves() > 2, "its coming and going")
    before, since = moves(), time.monotonic()
    wait_until(lambda: moves() - before >= 10, lambda: "%d changes" % (moves() - before))
    cnt, took = moves() - before, time.monotonic() - since
    check(cnt < 25 * took, "%d changes in %.1f s" % (cnt, took))
    d.stop()


def first_and_last():
    """The first recursive route of an instance comes and the last one goes, again and again: its other routes aren't
    touched."""
    ip("link add m0 type veth peer name m1\nlink set m0 up\nlink set m1 up\naddr add 10.1.1.1/24 dev m0\n")
    more = "protocol static sg { ipv4 { table tg; }; route 30.0.0.0/8 via 10.1.1.2; }\n"
    text = HEAD + more + "protocol static sr { ipv4; igp table tg; route 10.0.0.0/8 blackhole; %s }\n"
    recursive = "route 20.0.0.0/8 recursive 30.0.0.1;"
    d = Daemon(text % "").start()
    wait_until(lambda: "blackhole [sr" in d.text("show route 10.0.0.0/8"), "the other route")
    instance = lambda: [line for code, line in d.run("show protocols sr") if code == 1002]
    before, since = d.text("show route 10.0.0.0/8"), instance()
    for turn in range(6):
        d.write(text % recursive)
        reply = d.run("configure")
        check(not any("sr: restarts" in line for _, line in reply), "the reply: %r" % reply)
        if turn % 2:  # the watch of the table may still be on its way
            wait_until(lambda: "via 10.1.1.2 on m0" in d.text("show route 20.0.0.0/8"), "the recursive route")
        d.write(text % "")
        check(d.code("configure") in (3, 4), "configure")
        wait_until(lambda: "20.0.0.0/8" not in d.text("show route"), "the recursive route to go")
    equal(d.text("show route 10.0.0.0/8"), before, "the other route")
    equal(instance(), since, "the instance")
    d.write(text % recursive)
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: "via 10.1.1.2 on m0" in d.text("show route 20.0.0.0/8"), "the recursive route")
    # It follows what leads to its next hop.
    d.write((text % recursive).replace("via 10.1.1.2", "via 10.1.1.3"))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: "via 10.1.1.3 on m0" in d.text("show route 20.0.0.0/8"), "another way")
    d.stop()


in_namespace()
link_case("where packets go", as_bird)
link_case("a route behind itself", chases)
link_case("what a change moves", touches)
link_case("the first and the last recursive route", first_and_last)
done()
