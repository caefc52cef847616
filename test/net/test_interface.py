# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions whose link comes and goes: one over link-local addresses whose interface comes only after the daemon's
start, goes, and comes back as another one of the same name; a range of them; and direct ones that lose interface,
address or carrier while they stand. The peer sits in a network namespace of its own."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")


def sh(text):
    subprocess.run(text, shell=True, check=True, timeout=20 * SLOW)


def link_up():
    there = "nsenter -t %d -n " % ROUTER.pid
    sh("ip link add a0 type veth peer name a1 && ip link set a0 netns %d && ip link set a1 up" % ROUTER.pid)
    sh(there + "ip link set a0 up && " + there + "ip address add fe80::1/64 dev a0 nodad")
    sh("ip address add fe80::2/64 dev a1 nodad")


def is_open(s):
    """Does the connection bring an OPEN?"""
    got = b""
    while len(got) < 19:
        more = s.recv(19 - len(got))
        if not more:
            return False
        got += more
    return got[18] == OPEN


def opened(port):
    """Does the daemon answer the peer with an OPEN?"""
    scope = socket.if_nametoindex("a1")
    s = socket.socket(socket.AF_INET6)
    s.settimeout(2 * SLOW)
    try:
        s.bind(("fe80::2", 0, 0, scope))
        s.connect(("fe80::1", port, 0, scope))
        return is_open(s)
    except OSError:
        return False
    finally:
        s.close()


def comes_late():
    port = free_port()
    d = Daemon(
        'router id 10.0.0.1; log "RUN/bird.log" all; protocol device {}\n'
        'protocol bgp { local fe80::1 port %d as 65000; neighbor fe80::2%%a0 as 65001; strict bind; passive;'
        ' error wait time 1, 1; ipv6 { import none; export none; }; }\n' % port
    )
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    d.start()
    wait_until(
        lambda: "Can't listen at fe80::1%%a0 port %d: No such device" % port in d.whole_log(), "the line in the log"
    )
    link_up()
    wait_until(lambda: opened(port), "a connection when the interface is there")
    wait_until(lambda: "Listening at fe80::1%%a0 port %d" % port in d.whole_log(), "that it listens is logged")
    sh("ip link del a1")
    sh("nsenter -t %d -n ip link add x0 type veth peer name x1" % ROUTER.pid)  # so that the next number is another one
    link_up()
    wait_until(lambda: opened(port), "a connection when it is back")
    d.kill()


def state(d, name="bgp1"):
    """Its state, and why it isn't up."""
    info = d.sessions()[name][2].split(None, 1)
    return info[0], info[1].strip() if len(info) > 1 else ""


LOSSES = (
    ("ip link set b1 down", "ip link set b1 up", "Link down"),
    ("ROUTER ip link set b0 down", "ROUTER ip link set b0 up", "Neighbor lost"),
    ("ROUTER ip address del 10.0.0.1/24 dev b0", "ROUTER ip address add 10.0.0.1/24 dev b0", "Neighbor lost"),
    (
        "ROUTER ip link set b0 down && ROUTER ip link set b0 name c0 && ROUTER ip link set c0 up",
        "ROUTER ip link set c0 down && ROUTER ip link set c0 name b0 && ROUTER ip link set b0 up",
        "Neighbor lost",
    ),
)


def loses_link(more=""):
    """The session ends at once, waits, and is back at once, however long `error wait time` and `connect retry time`
    are."""
    there = "nsenter -t %d -n" % ROUTER.pid
    sh(
        "ip link add b0 type veth peer name b1 && ip link set b0 netns %d && ip address add 10.0.0.2/24 dev b1 && ip"
        " link set b1 up"
        % ROUTER.pid
    )
    sh("%s ip link set b0 up && %s ip address add 10.0.0.1/24 dev b0" % (there, there))
    port = free_port()
    common = 'log "RUN/bird.log" all; protocol device {}\nprotocol bgp { connect delay time 1; %s'
    d = Daemon(
        'router id 10.0.0.1; '
        + common % more
        + "local 10.0.0.1 port %d as 65000; neighbor 10.0.0.2 port %d as 65001;"
        " error wait time 60, 60; connect retry time 60; ipv4 { import all; export none; }; }\n" % (port, port)
    )
    argv = d.argv
    d.argv = lambda *words: there.split() + argv(*words)
    peer = Daemon(
        'router id 10.0.0.2; '
        + common % "multihop; "
        + "local 10.0.0.2 port %d as 65001; neighbor 10.0.0.1 port %d as 65000;"
        " error wait time 1, 1; connect retry time 1; ipv4 { import none; export all; }; }\n"
        "protocol static { ipv4; route 192.0.2.0/24 via 10.0.0.2; }\n" % (port, port)
    )
    d.start()
    peer.start()
    for lose, gain, why in LOSSES[:1] if more else LOSSES:
        d.wait_established(1)
        wait_until(lambda: "192.0.2.0/24" in d.text("show route"), "a route")
        sh(lose.replace("ROUTER", there))
        if more and why == "Link down":
            stays(lambda: state(d) == ("Established", ""), "without `check link`", 0.5)
        elif " name " not in lose:
            wait_until(lambda: state(d) == ("Idle", "Error: " + why), lambda: "%s: %r" % (lose, state(d)))
            wait_until(lambda: "192.0.2.0/24" not in d.text("show route"), "its routes to go")
            stays(lambda: state(d) == ("Idle", "Error: " + why), lambda: "it tries: %s: %r" % (lose, state(d)), 0.2)
        else:
            d.wait_established(1)  # under the other name, too
        sh(gain.replace("ROUTER", there))
    d.wait_established(1)
    # One that is away for good, and the operator's commands meanwhile.
    sh("ip link del b1")
    wait_until(lambda: state(d) == ("Idle", "Error: Neighbor lost"), lambda: "deleted: %r" % (state(d),), 3)
    for command, code in (("disable bgp1", 9), ("enable bgp1", 11)):
        equal(d.run(command)[0][0], code, command)
    check(d.alive() and peer.alive(), "both live")
    d.stop()
    peer.stop()


def opens_from(address, name, port):
    """Does the daemon take a connection from there? True: an OPEN; False: a NOTIFICATION."""
    scope = socket.if_nametoindex(name)
    s = socket.socket(socket.AF_INET6)
    s.settimeout(2 * SLOW)
    try:
        s.bind((address, 0, 0, scope))
        s.connect(("fe80::1", port, 0, scope))
        return is_open(s)
    finally:
        s.close()


def range_by_interface():
    """Members of a link-local range are those that come by the interfaces that it names; each has its own, also if
    their addresses are equal."""
    there = "nsenter -t %d -n" % ROUTER.pid
    for name in ("mem0", "mem1", "mem9", "oth0"):
        sh("ip link add p%s type veth peer name %s && ip link set %s netns %d" % (name, name, name, ROUTER.pid))
        sh("ip link set p%s addrgenmode none up && ip address add fe80::2/64 dev p%s nodad" % (name, name))
        sh(
            "%s ip link set %s addrgenmode none up && %s ip address add fe80::1/64 dev %s nodad"
            % (there, name, there, name)
        )
    port = free_port()
    d = Daemon(
        'router id 10.0.0.1; log "RUN/bird.log" all; protocol device {}\nprotocol bgp range { local as 65000 port %d;'
        ' neighbor range fe80::/10 external; interface range -"mem9", "mem*"; dynamic name "m"; ipv6 { import none;'
        ' export none; }; }\n' % port
    )
    argv = d.argv
    d.argv = lambda *words: there.split() + argv(*words)
    d.start()
    wait_until(lambda: opens(port), "mem0")
    check(opens_from("fe80::2", "pmem1", port), "mem1")
    check(not opens_from("fe80::2", "pmem9", port), "mem9, which is left out")
    check(not opens_from("fe80::2", "poth0", port), "another interface")
    found = sorted(re.findall(r"Neighbor address: (\S+)", d.text("show protocols all")))
    equal(found, ["fe80::2%mem0", "fe80::2%mem1"], "whom it has")
    d.stop()


def opens(port):
    try:
        return opens_from("fe80::2", "pmem0", port)
    except OSError:
        return False


in_namespace()
sh("ip link set lo up")
ROUTER = other_namespace()
case("an interface that comes late", comes_late)
case("a range by interface", range_by_interface)
case("links that are lost", loses_link)
case("links that are lost, check link off", loses_link, "check link off; ")
done()
