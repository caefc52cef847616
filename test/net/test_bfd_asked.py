# SPDX-License-Identifier: GPL-3.0-or-later
"""BFD sessions that BGP sessions and static routes ask for: one for all who want the same neighbour; what comes of it
when it is lost, when an operator takes it down, and when protocols, options and instances come and go."""

from bfd_place import *

if KIND != "ternd":
    cannot_here("this is about ternd")

HEAD = 'router id 10.8.0.%d; log "RUN/bird.log" all; protocol device {}\n'
BFD = 'protocol bfd { interface "a*" { %s }; multihop { %s }; }\n' % (FAST, FAST)
ROUTES = "protocol static nets { ipv4; route 10.%d.0.0/16 blackhole; }\n"


def bgp(name, ours, theirs, options, me=1):
    """A session between these addresses, as one of the two sides has it. Its hold time is long: only BFD ends it in
    time."""
    ours, theirs = (ours, theirs) if me == 1 else (theirs, ours)
    return (
        "protocol bgp %s { local %s as %d; neighbor %s as %d; connect delay time 1; connect retry time 1; error wait"
        " time 1, 1; hold time 240; %s ipv4 { import all; export all; next hop self; extended next hop; }; }\n"
        % (name, ours, 65000 + me, theirs, 65003 - me, options)
    )


def conf(me, *more):
    return HEAD % me + ROUTES % (20 + me) + "".join(more)


def pair(other, options, theirs=None, more="", ours="10.8.0.1", peer="10.8.0.2"):
    d = Daemon(conf(1, BFD, bgp("m", ours, peer, options), more)).start()
    o = other(conf(2, BFD, bgp("m", ours, peer, theirs or options, 2))).start()
    wait_up(d, o)
    return d, o


def wait_up(*sides):
    for d in sides:
        wait_until(lambda d=d: d.established() == 1, lambda: "established: %s" % (d.sessions(),))


def learned(d):
    return [line for _, line in d.run("show route 10.22.0.0/16") if "10.22.0.0/16" in line]


def cause(d):
    """The cause of the session m in `show members`: of JSON, which the text repeats."""
    found = [json.loads(t) for c, t in d.run("json show members m") if c == 1100]
    c = [o for o in found if o["type"] == "member"][0].get("cause", {})
    word = {"bfd": "BFD", "link": "the link"}.get(c.get("side"), c.get("side"))
    if c:
        check("%s: %s" % (word, c["text"]) in d.text("show members m"), d.text("show members m"))
    return c.get("side"), c.get("text")


def freezes(other, ours, peer, options=""):
    """The other side stops: BGP is down at once, with a Cease, and comes back when it goes on."""
    d, o = pair(other, "bfd; " + options, ours=ours, peer=peer)
    address = peer.split("%")[0]
    wait_state(d, address, "Up")
    equal(json_of(d)["asks"], 1, "who asks")
    wait_until(lambda: learned(d), "its route")
    freeze(o.pid)
    wait_until(lambda: d.established() == 0, "BGP is down, before the hold time of 240 s is over")
    wait_until(lambda: not learned(d), "its route to go")
    check("BFD session down" in d.text("show protocols m"), d.text("show protocols m"))
    equal(cause(d), ("bfd", "BFD session down"), "show members")
    wait_until(lambda: "Session to %s is down: Control Detection Time Expired" % address in d.whole_log(), "the log")
    os.kill(o.pid, signal.SIGCONT)
    wait_up(d, o)
    wait_state(d, address, "Up")
    wait_until(lambda: "Closing: BFD down" in d.whole_log(), lambda: "it was told why: " + d.whole_log()[-500:])
    o.kill()
    d.stop()


def links():
    """The cause in `show members` while a link is down: the own end, and the peer's end with the carrier. Without BFD:
    what the kernel says of the interface ends the session."""
    for options in ("", "strict bind; "):
        d, o = pair(TernThere, options)
        equal(cause(d), (None, None), "up")
        for down, up, run in (
            ("ip link set a1 down", "ip link set a1 up", sh),
            ("ip link set a0 down", "ip link set a0 up", PLACE.run),
        ):
            run(down)
            wait_until(lambda: d.established() == 0, "BGP is down: " + down)
            wait_until(lambda: cause(d)[0] == "link", lambda: "%s: %s" % (down, d.text("show members")))
            note("     %s: %s" % (down, cause(d)[1]))
            run(up)
            wait_up(d, o)
            equal(cause(d), (None, None), "up again")
        d.stop()
        o.stop()


def kept():
    """With `graceful` its routes stay as stale; where the peer can't keep its routes, they go."""
    for options in ("bfd graceful;", "bfd { graceful; };"):
        d, o = pair(BirdThere, options + " graceful restart on;")
        wait_state(d, "10.8.0.2", "Up")
        wait_until(lambda: learned(d), "its route")
        freeze(o.pid)
        wait_until(lambda: d.established() == 0, "BGP is down")
        equal(len(learned(d)), 1, "its route stays")
        os.kill(o.pid, signal.SIGCONT)
        wait_up(d, o)
        wait_until(lambda: learned(d), "its route again")
        o.kill()
        d.stop()
    d, o = pair(BirdThere, "bfd graceful; graceful restart off;")
    wait_state(d, "10.8.0.2", "Up")
    wait_until(lambda: learned(d), "its route")
    freeze(o.pid)
    wait_until(lambda: d.established() == 0, "BGP is down")
    wait_until(lambda: not learned(d), "its route to go")
    o.kill()
    d.stop()


def operators():
    """What operators do on either side leaves the BGP session up: BFD disabled, its options changed, not asked for any
    more."""
    d, o = pair(TernThere, "bfd;")
    wait_state(d, "10.8.0.2", "Up")
    up = lambda: [line for _, line in d.run("show protocols m") if "Established" in line]
    before = up()
    for side, far, mine, theirs in ((o, d, "10.8.0.1", "10.8.0.2"), (d, o, "10.8.0.2", "10.8.0.1")):
        side.run("disable bfd1")
        wait_state(far, theirs, "Down")
        side.run("enable bfd1")
        wait_state(far, theirs, "Up")
        side.run("restart bfd1")
        wait_state(side, mine, "Up")
    both = lambda options: conf(1, BFD, bgp("m", "10.8.0.1", "10.8.0.2", options))
    for options, want in (("bfd { min tx interval 300 ms; min rx interval 300 ms; };", 0.3), ("bfd on;", 0.1 * SLOW)):
        d.write(both(options))
        d.run("configure")
        wait_until(
            lambda: max(one(d, "10.8.0.2")[1], 0.1 * SLOW) == max(want, 0.1 * SLOW),
            lambda: "%s: %s" % (options, sessions(d)),
        )
    d.write(both("bfd off;"))
    d.run("configure")
    wait_until(lambda: sessions(d) == {}, "nobody asks any more")
    wait_state(o, "10.8.0.1", "Down")
    d.write(both("bfd;"))
    d.run("configure")
    wait_state(d, "10.8.0.2", "Up")
    d.write(conf(1, bgp("m", "10.8.0.1", "10.8.0.2", "bfd;")))
    d.run("configure")
    wait_until(lambda: "There is no BFD protocol running" in d.text("show bfd sessions"), "protocol bfd is gone")
    d.write(conf(1, bgp("m", "10.8.0.1", "10.8.0.2", "bfd;"), BFD.replace("bfd {", "bfd other {")))
    d.run("configure")
    wait_state(d, "10.8.0.2", "Up")
    equal(up(), before, "the BGP session is the same all the time")
    equal(json_of(d)["losses"], 0, "losses")
    o.stop()
    d.stop()


def statics():
    """Static routes with bfd are there while their next hop answers, and share the session of others."""
    routes = (
        "protocol static s { ipv4; route 10.50.0.0/16 via 10.8.0.2 bfd; route 10.51.0.0/16 via 10.8.0.2; "
        "route 10.52.0.0/16 via 10.8.0.2 bfd via 10.8.0.3; route 10.53.0.0/16 via 10.8.0.3 bfd; }\n"
    )
    there = lambda: sorted(re.findall(r"10\.5\d\.0\.0/16", d.text("show route protocol s")))
    d, o = pair(BirdThere, "bfd;", more=routes)
    wait_state(d, "10.8.0.2", "Up")
    wait_until(lambda: there() == ["10.50.0.0/16", "10.51.0.0/16", "10.52.0.0/16"], lambda: "routes: %s" % there())
    equal(json_of(d, "address 10.8.0.2")["asks"], 2, "one session for BGP and the routes")
    equal(state(d, "10.8.0.3"), ["Down"], "nobody is there")
    check("10.8.0.2" in d.text("show route 10.52.0.0/16"), "both next hops")
    freeze(o.pid)
    wait_until(lambda: there() == ["10.51.0.0/16", "10.52.0.0/16"], lambda: "routes: %s" % there())
    wait_until(lambda: "10.8.0.2" not in d.text("show route 10.52.0.0/16"), "the other next hop alone")
    os.kill(o.pid, signal.SIGCONT)
    wait_until(lambda: there() == ["10.50.0.0/16", "10.51.0.0/16", "10.52.0.0/16"], lambda: "routes: %s" % there())
    d.write(d.read().replace("10.8.0.2 bfd", "10.8.0.2").replace(" via 10.8.0.3 bfd", " via 10.8.0.3"))
    d.run("configure")
    wait_until(lambda: json_of(d, "address 10.8.0.2")["asks"] == 1, "only BGP asks")
    wait_until(lambda: state(d, "10.8.0.3") == [], lambda: "it isn't wanted: %s" % sessions(d))
    wait_until(
        lambda: there() == ["10.50.0.0/16", "10.51.0.0/16", "10.52.0.0/16", "10.53.0.0/16"],
        lambda: "routes without bfd: %s" % there(),
    )
    o.kill()
    d.stop()


def of_a_range():
    """A member of a range has a session of its own as soon as it is there; the range has none."""
    d = Daemon(
        conf(
            1,
            BFD,
            (
                "protocol bgp r { local 10.8.0.1 as 65001; neighbor range 10.8.0.0/24 as 65002; dynamic name \"m\";"
                " bfd; error wait time 1, 1; ipv4 { import all; export all; }; }\n"
            ),
        )
    ).start()
    equal(sessions(d), {}, "sessions before it comes")
    o = BirdThere(conf(2, BFD, bgp("m", "10.8.0.1", "10.8.0.2", "bfd;", 2))).start()
    wait_up(d, o)
    wait_state(d, "10.8.0.2", "Up")
    freeze(o.pid)
    wait_until(lambda: d.established() == 0, "BGP is down")
    wait_until(lambda: "m1: BFD session down" in d.whole_log(), "the log")
    os.kill(o.pid, signal.SIGCONT)
    wait_up(d, o)
    o.kill()
    d.stop()


PLACE = begin()
bird_case("BGP with bird2 that freezes", alone(freezes), BirdThere, "10.8.0.1", "10.8.0.2")
bird_case("the same over IPv6", alone(freezes), BirdThere, "fd08::1", "fd08::2")
bird_case("the same, multihop", alone(freezes), BirdThere, "10.8.1.1", "10.8.1.2", "multihop;")
case("the same with another ternd", alone(freezes), TernThere, "10.8.0.1", "10.8.0.2")
case("a link that is down", alone(links))
bird_case("routes that are kept", alone(kept))
case("operators", alone(operators))
bird_case("a range of neighbors", alone(of_a_range))
bird_case("static routes", alone(statics))
done()
