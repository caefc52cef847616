# SPDX-License-Identifier: GPL-3.0-or-later
"""protocol bfd: sessions with bird2, frr's bfdd and another ternd, in a network namespace of their own. IPv4, IPv6, link-local,
multihop, each authentication; what is lost when a link is cut, a neighbour freezes, ends or is told to be down; packets that are
forged. What a test of a millisecond would have to be on a busy machine is in test/load/bench_bfd.py."""

from bfd_place import *

if KIND != "ternd":
    cannot_here("this is about ternd")

OURS = 'router id 10.8.0.1; log "RUN/bird.log" all; protocol device {}\n'
NEIGHBORS = {
    "10.8.0.2": "neighbor 10.8.0.2;",
    "fd08::2": 'neighbor fd08::2 dev "a1" local fd08::1;',
    "fe80::2": "neighbor fe80::2%a1;",
    "10.8.1.2": "neighbor 10.8.1.2 local 10.8.1.1 multihop;",
    "fd08:1::2": "neighbor fd08:1::2 local fd08:1::1 multihop;",
}


def turned(text):
    """The same as seen from the other side."""
    text = re.sub(r"(10\.8\.\d\.|fd08:1::|fd08::|fe80::)([12])\b", lambda m: m.group(1) + "21"[int(m.group(2)) - 1], text)
    return text.replace("a1", "a0")


def conf(options, neighbors, head=""):
    return 'protocol bfd { %s interface "a*" { %s }; multihop { %s };\n%s\n}\n' % (head, options, options, "\n".join(neighbors))


def pair(other, ours=FAST, theirs=FAST, neighbors=NEIGHBORS.values(), head=""):
    d = Daemon(OURS + conf(ours, neighbors, head)).start()
    o = other(OURS.replace("10.8.0.1", "10.8.0.2") + conf(theirs, [turned(n) for n in neighbors])).start()
    return d, o


def kinds(other):
    """Sessions of all kinds come up, are told to be down, come back, and are lost when the link is cut."""
    d, o = pair(other)
    for a in NEIGHBORS:
        wait_state(d, a, "Up")
        wait_state(o, turned(a), "Up")
    wait_until(lambda: one(d, "10.8.0.2")[1:] == (0.1 * SLOW, FAST_S), lambda: "intervals: %s" % sessions(d))
    equal(sorted(i for _, i in sessions(d)), ["---", "---", "a1", "a1", "a1"], "interfaces")
    for words, want in (("ipv4", 2), ("ipv6", 3), ("direct", 3), ("multihop", 2), ("ipv6 multihop", 1), ('interface "a*"', 3),
                        ("address fd08::/16", 2), ("address 10.8.0.2", 1), ("bfd1", 5), ("bfd1 ipv4 direct all", 1)):
        got = [line for code, line in d.run("show bfd sessions " + words) if code == 1020 and " Up " in line]
        equal(len(got), want, "show bfd sessions " + words)
    text = d.text("show bfd sessions all address fd08::2")
    for what in ("Local address:        fd08::1", "Our intervals:        %.3f tx" % (0.1 * SLOW), "Authentication:       none"):
        check(what in text, "%r in %s" % (what, text))
    check("Sessions:       5, 5 up" in d.text("show protocols all bfd1"), "show protocols all")
    o.run("disable bfd1")
    for a in NEIGHBORS:
        wait_state(d, a, "Down")
    o.run("enable bfd1")
    for a in NEIGHBORS:
        wait_state(d, a, "Up")
    sh("ip link set a1 down")
    for a in ("10.8.0.2", "fd08::2", "10.8.1.2"):
        wait_until(lambda a=a: "Up" not in state(d, a), "the link is cut: " + a)
    sh("ip link set a1 up; ip addr replace fd08::1/64 dev a1 nodad; ip addr replace fd08:1::1/128 dev lo nodad; ip addr replace fe80::1/64 dev a1 nodad; "
       "ip route replace 10.8.1.2 via 10.8.0.2; ip route replace fd08:1::2 via fd08::2")
    for a in NEIGHBORS:
        wait_state(d, a, "Up")
    o.kill()
    d.stop()


def intervals():
    """Each side sends as seldom as the other wants it, and a change of it is agreed without losing the session."""
    two = ["neighbor 10.8.0.2;"]
    d, o = pair(BirdThere, "min tx interval 100 ms; min rx interval 200 ms; multiplier 4;",
                "min tx interval 400 ms; min rx interval 300 ms; multiplier 7;", two)
    wait_state(d, "10.8.0.2", "Up")
    wait_until(lambda: one(d, "10.8.0.2")[1:] == (0.3, 2.8), lambda: "ours: %s" % sessions(d))
    wait_until(lambda: one(o, "10.8.0.1")[1:] == (0.4, 1.2), lambda: "theirs: %s" % sessions(o))
    for options, ours, theirs in (("interval 500 ms; multiplier 4;", (0.5, 3.5), (0.5, 2.0)),
                                  ("interval 250 ms; multiplier 5;", (0.3, 2.8), (0.4, 1.5))):
        d.write(OURS + conf(options, two))
        d.run("configure")
        wait_until(lambda: one(d, "10.8.0.2")[1:] == ours, lambda: "%s: ours: %s" % (options, sessions(d)))
        wait_until(lambda: one(o, "10.8.0.1")[1:] == theirs, lambda: "%s: theirs: %s" % (options, sessions(o)))
    equal(json_of(d)["losses"], 0, "the session stood")
    o.kill()
    d.stop()


AUTH = {
    "simple": 'authentication simple; password "pass";',
    "md5": 'authentication keyed md5; password "word" { id 7; };',
    "met md5": 'authentication meticulous keyed md5; password "word";',
    "sha1": 'authentication keyed sha1; password "a longer password 20" { id 3; };',
    "met sha1": 'authentication meticulous keyed sha1; password "abc" { id 200; };',
}


def authentication():
    """Of each kind with bird2: up with the same key; changed on both sides without a loss; down with another key."""
    two = ["neighbor 10.8.0.2;"]
    for name, options in AUTH.items():
        d, o = pair(BirdThere, FAST + options, FAST + options, two)
        wait_state(d, "10.8.0.2", "Up")
        wait_state(o, "10.8.0.1", "Up")
        time.sleep(2 * FAST_S)
        equal(json_of(d)["losses"], 0, name + ": it stands")
        d.write(OURS + conf(FAST + options.replace('"', '"x', 1).replace("password 20", "passwd 20"), two))
        d.run("configure")
        wait_state(d, "10.8.0.2", "Down")
        wait_until(lambda: "is refused: wrong password" in d.whole_log(), lambda: name + ": the log: " + d.whole_log())
        o.kill()
        d.stop()


def keys_change():
    """Keys that change by time, without a loss: each side has both, and which is sent follows from the hour."""
    two = ["neighbor 10.8.0.2;"]
    at = time.time() + 4 * SLOW
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
    options = FAST + ('authentication meticulous keyed sha1; passwords { password "old" { id 1; generate to "%s"; };'
                      ' password "new" { id 2; generate from "%s"; }; };' % (when, when))
    d, o = pair(TernThere, options, options, two)
    wait_state(d, "10.8.0.2", "Up")
    while time.time() < at + 1 + 3 * FAST_S:
        time.sleep(0.1)
    for side, a in ((d, "10.8.0.2"), (o, "10.8.0.1")):
        equal((state(side, a), json_of(side)["losses"]), (["Up"], 0), "the session stands")
    d.write(OURS + conf(FAST + 'authentication meticulous keyed sha1; password "new" { id 2; };', two))
    d.run("configure")
    time.sleep(3 * FAST_S)
    equal((state(d, "10.8.0.2"), json_of(d)["losses"]), (["Up"], 0), "the new key alone is in use")
    o.kill()
    d.stop()


PLACE = begin()
case("sessions with another ternd", alone(kinds), TernThere)
bird_case("sessions with bird2", alone(kinds), BirdThere)
bird_case("intervals of both sides", alone(intervals))
bird_case("authentication", alone(authentication))
case("keys change in time", alone(keys_change))
done()
