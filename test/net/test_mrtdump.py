# SPDX-License-Identifier: GPL-3.0-or-later
"""`mrtdump`: messages and states of sessions in an MRT file are what was said, what bird2 writes of the same, and what
ternload replays."""

import mrt_read
from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
PORT = free_port()
ESTABLISHED = 6
RX = struct.pack("!BBHBB", 69, 4, 1, 1, 2)  # it sends several paths

CONF = """mrtdump "RUN/all.mrt"; mrtdump protocols %s;
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp any { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; strict bind on;
  ipv4 { import all; export none; add paths rx; }; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; %s }
"""


def records(d, name="all.mrt"):
    return mrt_read.read(os.path.join(d.dir, name))[0]


def said(d, n, kind=None, name="all.mrt"):
    """Messages of member @n that are in the file."""
    return [
        r
        for r in records(d, name)
        if isinstance(r, mrt_read.Message) and str(r.peer) == "127.0.11.%d" % n and kind in (None, r.octets[18])
    ]


def states(d, n):
    return [(r.old, r.new) for r in records(d) if isinstance(r, mrt_read.State) and str(r.peer) == "127.0.11.%d" % n]


def as_it_came():
    d = Daemon(CONF % ("all", PORT, "mrtdump { states };")).start()
    a, b, c = member(PORT, 1), member(PORT, 2), None
    a.update(["10.1.0.0/16", "10.2.0.0/16"])
    a.withdraw(["10.1.0.0/16"])
    b.update(["10.3.0.0/16"])
    a.send(message(NOTIFICATION, b"\x06\x02"))
    wait_until(lambda: len(said(d, 1, NOTIFICATION)) == 1, lambda: "the NOTIFICATION of m1: %s" % d.said())
    a.s.close()
    got = said(d, 1)
    equal([r.octets[18] for r in got], [OPEN, KEEPALIVE, UPDATE, UPDATE, NOTIFICATION], "messages of m1")
    equal(got[0].octets, a.open_message(), "its OPEN")
    equal(got[3].octets[19:], bytes([0, 3, 16, 10, 1, 0, 0]), "its withdrawal")
    for r in got:
        equal(
            (str(r.local), r.peer_as, r.local_as, r.as4, r.add_path, r.is_local),
            ("127.0.10.1", 65001, 65000, True, False, False),
            "head",
        )
        check(abs(r.time - time.time()) < 60 * SLOW, "time %s" % r.time)
    equal(said(d, 2), [], "messages of m2, whose states alone are wanted")
    wait_until(
        lambda: all((5, 6) in states(d, n) for n in (1, 2)), lambda: "both up: %s %s" % (states(d, 1), states(d, 2))
    )
    for n in (1, 2):
        walk = states(d, n)
        check(all(1 <= s <= 6 for pair in walk for s in pair), "m%d: %s" % (n, walk))
    wait_until(lambda: (6, 1) in states(d, 1), "m1 is Idle again")
    check((6, 1) not in states(d, 2), "m2 isn't")
    # path identifiers
    c = member(PORT, 1, caps=RX)
    c.update([(7, "10.9.0.0/16")])
    wait_until(lambda: any(r.add_path for r in said(d, 1, UPDATE)), "an UPDATE with path identifiers")
    # a command, and a file that was moved away
    equal(d.code("mrtdump m2 all"), 0, "mrtdump m2")
    b.update(["10.4.0.0/16"])
    wait_until(lambda: said(d, 2, UPDATE), "an UPDATE of m2")
    equal(d.code('mrtdump "m*" off'), 0, "mrtdump off")
    os.rename(os.path.join(d.dir, "all.mrt"), os.path.join(d.dir, "old.mrt"))
    d.write(d.read().replace("mrtdump { states };", "mrtdump { messages };"))
    equal(d.code("configure"), 3, "configure")
    wait_until(lambda: os.path.exists(os.path.join(d.dir, "all.mrt")), "a new file")
    b.update(["10.5.0.0/16"])
    wait_until(lambda: len(said(d, 2, UPDATE)) == 1, "an UPDATE of m2 in it")
    equal(len(said(d, 2, UPDATE, "old.mrt")), 1, "in the old one")
    for bad in ("mrtdump", "mrtdump m1", "mrtdump m1 packets", "mrtdump m1 { states, events }", "mrtdump nix all"):
        check(d.code(bad) >= 8000, bad)
    # without a file nothing is written
    d.write(d.read().replace('mrtdump "RUN/all.mrt";'.replace("RUN", d.dir), ""))
    equal(d.code("configure"), 3, "configure")
    size = os.path.getsize(os.path.join(d.dir, "all.mrt"))
    b.update(["10.6.0.0/16"])
    wait_until(lambda: "10.6.0.0/16" in d.text("show route"), "the route")
    path = os.path.join(d.dir, "all.mrt")
    d.stop()  # what waited to be written is by then
    equal(os.path.getsize(path), size, "octets")


def no_file():
    d = Daemon((CONF % ("all", PORT, "")).replace("RUN/all.mrt", "RUN/no/all.mrt")).start()
    wait_until(lambda: "mrtdump %s/no/all.mrt: No such file" % d.dir in d.said(), "a line in the log")
    a = member(PORT, 1)
    a.update(["10.1.0.0/16"])
    wait_until(lambda: "10.1.0.0/16" in d.text("show route"), "the route")
    d.stop()


def updates(path):
    """{peer: [UPDATE, ...]}"""
    out = {}
    for r in mrt_read.read(path)[0]:
        if isinstance(r, mrt_read.Message) and r.octets[18] == UPDATE:
            out.setdefault((str(r.peer), r.peer_as), []).append((r.octets, r.as4, r.add_path))
    return out


def like_birds():
    """bird2 is told the same: UPDATEs are the same octets in the same order. Then ternload plays what ternd wrote."""
    files = []
    for cls in (Daemon, Bird):
        options = load_options(PORT, 5, nets=300, as2=1)
        d = cls('mrtdump "RUN/all.mrt"; mrtdump protocols all;\n' + load_conf(options)).start()
        load_run(options, steps="announce,settle")
        routes = sorted(l.split()[0] for l in d.text("show route count").splitlines())
        d.stop()
        files.append(os.path.join(d.dir, "all.mrt"))
    ours, theirs = updates(files[0]), updates(files[1])
    equal(len(ours), 5, "peers")
    equal(ours, theirs, "UPDATEs")
    again = ["--mrt", files[0], "--port", str(PORT)]
    d = Daemon(load_conf(again))
    d.start()
    load = Load(again + ["--then", "'%s' -s '%s' show route count >'%s/routes'" % (program("ternc"), d.ctl, d.dir)], 60)
    load.succeed()
    with open(d.dir + "/routes") as f:
        got = [
            int(x) for x in re.search(r"(\d+) of (\d+) routes for (\d+) networks in table master4", f.read()).groups()
        ]
    prefixes = set()
    for peer, list_ in ours.items():
        for octets, _, _ in list_:
            body = octets[19:]
            withdrawn = struct.unpack("!H", body[:2])[0]
            attrs = struct.unpack("!H", body[2 + withdrawn : 4 + withdrawn])[0]
            o = mrt_read.Octets(body[4 + withdrawn + attrs :])
            while o.left():
                prefixes.add((peer, mrt_read.prefix(o, 4)))
    check(0.5 * len(prefixes) < got[1] <= len(prefixes), "%s routes of %d" % (got, len(prefixes)))
    d.stop()


case("messages and states as they came", as_it_came)
case("a file that can't be had", no_file)
bird_case("UPDATEs are those that bird2 writes, and ternload replays them", like_birds)
done()
