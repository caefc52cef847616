# SPDX-License-Identifier: GPL-3.0-or-later
"""`override add block`, `accept`, `limit`, `no export`: routes go and return without a request to a peer that can be
spared; with all ways of keeping routes, overlay tables, `secondary`, add-path, drains and limits; the end of the time,
`override remove`, `override extend`; `configure` and a restart of the daemon; what shows an override."""

from harness import *
from orders import A, B, C, FILTER, MORE, WAYS, World

if KIND != "ternd":
    cannot_here("this is about ternd")
GSHUT = 0xFFFF0000


def ways(name):
    """Block and no export: at once, also for later announcements, and back again without a request to the peer."""
    w = World(**WAYS[name])
    more = [MORE] if name == "a constant filter" else []
    w.m[3].wait([A, B, C] + more, "before")
    asked = w.m[1].asked
    text = w.d.text('override add block 20.1.0.0/24 from as65001 for 4h reason "ticket 4711"')
    check("override 1 until 20" in text and "block 20.1.0.0/24 from as65001" in text, text)
    w.m[3].wait([B, C] + more, "blocked")
    w.m[1].update([A], [65001, 65099])
    w.m[1].update(["20.7.0.0/24"])
    w.m[3].wait([B, C, "20.7.0.0/24"] + more, "an announcement of the blocked network")
    why = w.d.text("show route why %s" % A)
    check("blocked by an override of an operator" in why and "override 1 until 20" in why, why)
    check("ticket 4711" in why, why)
    equal([o["reason"] for o in w.json("show route why " + A) if o.get("protocol") == "m1"], ["override"], "JSON")
    w.d.run('override add block 20.0.0.0/8+ from m1 reason "all of it"')
    w.m[3].wait([B, C], "blocked with all longer prefixes")
    equal(w.m[3].has[B], (65002, 64999), "the other path of B")
    w.d.run("override remove 2")
    w.m[3].wait([B, C, "20.7.0.0/24"] + more, "the second has ended")
    w.d.run("override remove 1")
    w.m[3].wait([A, B, C, "20.7.0.0/24"] + more, "back")
    equal(w.m[3].has[A], (65001, 65099), "as last announced")
    equal(w.m[1].asked, asked, "no refresh was asked for")
    w.m[1].withdraw(["20.7.0.0/24"])
    w.d.run('override add no export 20.2.0.0/24 to m3 reason "loop"')
    w.m[3].wait([A, C] + more, "not exported")
    w.m[2].wait([A, B] + more, "to others")
    why = w.d.text("show route why %s to m3" % B)
    check("kept back by an override of an operator" in why and "loop" in why, why)
    told = [o["reason"] for o in w.json("show route why %s to m3" % B) if o["type"] == "why_to" and "reason" in o]
    check("override_export" in told, "JSON: %r" % told)
    w.d.run('override add no export to as65003 reason "nothing"')
    w.m[3].wait([], "nothing is exported")
    w.d.run("override remove 4")
    w.d.run("override remove 3")
    w.m[3].wait([A, B, C] + more, "all again")
    equal(w.read(), 'tern state 1\ncounter "override" last="4"\nend 1\n', "the numbers are not used again")
    w.end()


def accepts():
    """Accept: kept routes pass at once; else the peer is asked; the end refuses the routes again."""
    for chan, table in (FILTER, False), (FILTER + "import keep filtered on;", False), (FILTER, True):
        w = World(chan=chan, table=table)
        w.m[3].wait([A, B, C], "before")
        w.m[1].listen()
        asked = w.m[1].asked
        w.d.run('override add accept 20.1.0.128/25 from as65001 reason "agreed"')

        def answered():
            w.m[1].listen()
            if w.m[1].asked > asked:
                w.m[1].update([A, B, MORE])
                w.m[1].asked = asked
            w.m[3].listen()
            return MORE in w.m[3].has

        wait_until(answered, "the route passes")
        w.m[3].wait([A, B, C, MORE], "accepted")
        w.tells_acceptance()
        w.d.run('override add accept 20.1.0.0/24 from m1 reason "idle"')
        w.tells_acceptance()
        w.d.run("override remove 2")
        text = w.d.text('override add block 20.1.0.0/24+ from as65001 reason "no"')
        check("Warning: override 3 conflicts with override 1: the block precedes" in text, text)
        w.m[3].wait([B, C], "the block precedes")
        equal(w.told(MORE), {"20.1.0.128/25": ""}, "a block precedes the acceptance")
        w.d.run("override remove 3")
        w.m[3].wait([A, B, C, MORE], "back")
        w.d.run("override remove 1")

        def refused():
            w.m[1].listen()
            if w.m[1].asked > asked:
                w.m[1].update([A, B, MORE])
                w.m[1].asked = asked
            w.m[3].listen()
            return MORE not in w.m[3].has

        wait_until(refused, "the route is refused again")
        w.end()


def limits():
    """Limit: another number in place of the configured limit, with its action; without a limit of the file the surplus
    is blocked."""
    w = World(chan="import all; import limit 3 action restart;")
    w.m[3].wait([A, B, C, MORE], "before")
    text = w.d.text('override add limit 4 from m1 reason "a new customer"')
    check("override 1 until" in text, text)
    w.m[1].update(["20.7.0.0/24"])
    w.m[3].wait([A, B, C, MORE, "20.7.0.0/24"], "a fourth route")
    check(re.search(r"Import limit: +4\n", w.d.text("show protocols all m1")), "the limit in force")
    text = w.d.text("show members m1")
    check("100% import" in text, text)
    text = w.d.text("configure check")
    check("override 1 stays until 20" in text and "limit 4 from m1: a new customer" in text, text)
    check("override 1: import limit 4 in place of 3 of m1.ipv4" in text, text)
    w.m[1].update(["20.8.0.0/24"])
    wait_until(lambda: w.m[1].listen() or w.m[1].ended is not None, "a fifth route ends the session")
    equal(w.m[1].ended[:2], b"\6\1", "the limit")
    w.end()
    w = World(chan="import all;")
    w.d.run('override add limit 3 from as65001 reason "a leak"')
    w.m[1].update(["20.7.0.0/24"])
    arrives()
    w.m[3].wait([A, B, C, MORE], "the surplus is blocked")
    w.d.run("override remove 1")
    w.m[1].update(["20.8.0.0/24"])
    w.m[3].wait([A, B, C, MORE, "20.8.0.0/24"], "no limit any more")
    w.end()


def ends():
    """The end of the time, `extend`, a crash and a stop; an override whose time is over at the start ends at once."""
    w = World()
    w.m[3].wait([A, B, C], "before")
    w.d.run('override add block 20.1.0.0/24 from as65001 for 100 reason "short"')
    w.d.run('override add block 20.2.0.0/24 from m1 for 1h reason "long"')
    w.m[3].wait([B, C], "blocked")
    first = w.shown()[0]
    equal(
        {k: first[k] for k in ("id", "kind", "network", "as", "sessions", "reason", "what", "longer")},
        {
            "id": 1,
            "kind": "block",
            "network": A,
            "as": 65001,
            "sessions": 1,
            "reason": "short",
            "what": "block 20.1.0.0/24 from as65001",
            "longer": False,
        },
        "show overrides",
    )
    check(first["by"].startswith("uid ") and first["until_unix_s"] - first["since_unix_s"] == 100, "%r" % first)
    text = w.d.text("show overrides")
    check(re.search(r"^1: block 20.1.0.0/24 from as65001 until 20.*, sessions: 1, by uid .*: short$", text, re.M), text)
    equal(len(w.problems()), 2, "show health")
    for kill in (False, True):
        w.again(kill)
        w.m[3].wait([B, C], "after a restart")
        equal(w.m[3].has[B], (65002, 64999), "the path of member 2")
        equal([o["id"] for o in w.shown()], [1, 2], "after a restart")
    w.d.run("override extend 1 for 200")
    equal(w.shown()[0]["until_unix_s"] > first["until_unix_s"], True, "extended")
    spread(120)
    equal([o["id"] for o in w.shown()], [1, 2], "the first end has passed")
    w.m[3].wait([B, C], "still blocked")
    spread(120)
    w.m[3].wait([A, B, C], "the time is over")
    equal([o["id"] for o in w.shown()], [2], "one is left")
    w.d.stop()
    spread(3600)
    w.d.start("--state", w.path)
    equal(w.shown(), [], "its time was over at the start")
    w.join()
    w.m[3].wait([A, B, C], "all again")
    equal(w.m[3].has[B], (65001,), "the path of member 1")
    w.end()


def configures():
    """`configure` leaves overrides: another filter, a restart of the session, a session that leaves."""
    w = World()
    w.d.run('override add block 20.1.0.0/24 from as65001 reason "leak"')
    w.d.run('override add no export 20.3.0.0/24 to m3 reason "loop"')
    w.m[3].wait([B], "overridden")
    w.d.write(w.conf(chan="import filter { bgp_med = 9; accept; };"))
    text = w.d.text("configure")
    check("override 1 stays until 20" in text and "block 20.1.0.0/24 from as65001: leak" in text, text)
    for m in w.m.values():
        m.listen()
    w.m[1].update([A, B, MORE])
    w.m[3].wait([B, MORE], "another filter")
    w.d.write(w.conf(chan="import all; import table on;"))
    w.d.run("configure")
    w.join()
    w.m[3].wait([B, MORE], "another session")
    w.d.write(w.conf(skip=(1,)))
    text = w.d.text("configure")
    check("Warning: override 1 has no effect: the configuration has no such session" in text, text)
    w.end()


def drains():
    """A block while a session drains, and the end of the drain while the block stands."""
    for chan in (FILTER, FILTER + "import keep filtered on;"):
        w = World(chan=chan)
        w.m[3].wait([A, B, C], "before")
        w.d.run('override add block 20.1.0.0/24 from as65001 reason "leak"')
        w.m[3].wait([B, C], "blocked")
        w.d.run("drain m1 for 1h")
        w.m[1].update(["20.7.0.0/24"])
        w.m[3].wait([B, C, "20.7.0.0/24"], "draining")
        w.d.run("override remove 1")
        w.m[3].wait([A, B, C, "20.7.0.0/24"], "the block has ended")
        equal(w.m[3].comms[A], (GSHUT,), "a drained route")
        w.d.run('override add block 20.1.0.0/24 from as65001 reason "leak"')
        w.m[3].wait([B, C, "20.7.0.0/24"], "blocked again")
        w.d.run("undrain m1")
        w.d.run("override remove 2")
        w.m[3].wait([A, B, C, "20.7.0.0/24"], "all again")

        def bare():
            w.m[3].listen()
            return not any(w.m[3].comms[n] for n in (A, "20.7.0.0/24")) and w.m[3].has[B] == (65001,)

        wait_until(bare, lambda: "without the community: %r" % w.m[3].comms)
        w.end()


def away():
    """Stale routes of a member that restarts: blocked, back, and blocked when the member is back."""
    for chan in (FILTER, FILTER + "import keep filtered on;"):
        w = World(chan=chan, caps=b"\x40\x06\x01\x2c\0\1\1\x80")
        w.m[3].wait([A, B, C], "before")
        w.m[1].reset()
        w.m[3].wait([A, B, C], "stale")
        w.d.run('override add block 20.1.0.0/24 from m1 reason "leak"')
        w.m[3].wait([B, C], "a stale route is blocked")
        w.d.run("override remove 1")
        w.m[3].wait([A, B, C], "a stale route is back")
        w.d.run('override add block 20.1.0.0/24 from m1 reason "leak"')
        w.join((1,))
        w.m[1].end_of_rib()
        arrives()
        w.m[3].wait([B, C], "the member is back")
        w.d.run("override remove 2")
        w.m[3].wait([A, B, C], "all again")
        w.end()


def full():
    """The end of a block does not exceed an import limit: the surplus stays blocked."""
    for keep in ("", "import keep filtered on;"):
        w = World(chan="import all; import limit 3 action block; " + keep)
        w.m[3].wait([A, B, C, MORE], "before")
        w.d.run('override add block 20.1.0.0/24 from m1 reason "leak"')
        w.m[3].wait([B, C, MORE], "blocked")
        w.m[1].update(["20.7.0.0/24"])
        w.m[3].wait([B, C, MORE, "20.7.0.0/24"], "a route takes the place")
        w.d.run("override remove 1")
        arrives()
        w.m[3].wait([B, C, MORE, "20.7.0.0/24"], "the limit stands")
        w.end()


def wrong():
    """Errors, restricted sockets, records of the state file that are no overrides, the bound."""
    w = World()
    for text in (
        "override",
        "override add",
        "override add block",
        "override add block 20.1.0.0/24",
        "override add block 20.1.0.0/33 from as65001 reason \"a\"",
        "override add block 20.1.0.0/24 to as65001 reason \"a\"",
        "override add block 20.1.0.0/24 from nosuch reason \"a\"",
        "override add block 20.1.0.0/24 from as65001",
        "override add block 20.1.0.0/24 from as65001 reason",
        "override add block 20.1.0.0/24 from as65001 reason \"\"",
        "override add block 20.1.0.0/24 from as65001 reason \"a\" for 4h",
        "override add limit from as65001 reason \"a\"",
        "override add no import to m1 reason \"a\"",
        "override remove",
        "override remove 0",
        "override extend 1",
        "override extend 1 for",
    ):
        equal(w.d.code(text), 9001, text)
    equal(w.d.code("override remove 7"), 8000, "no such override")
    text = w.d.text('override add block 20.1.0.0/24 from as64999 reason "early"')
    check("Warning: override 1 has no effect now: no such session" in text, text)
    cli = Cli(w.d.ctl)
    cli.run("restrict")
    equal(cli.run('override add block 20.1.0.0/24 from m1 reason "a"')[-1][0], 8007, "a restricted session")
    equal(cli.run("override remove 1")[-1][0], 8007, "a restricted session")
    equal(cli.run("show overrides")[-1][0], 0, "a restricted session looks")
    cli.close()
    w.d.stop()
    with open(w.path, "w") as f:
        f.write(
            'tern state 1\noverride "1" kind="eat" reason="a"\noverride "x" kind="block"\n'
            'override "9" kind="limit" limit="5" protocol="m1" since="1" until="4000000000" reason="ok"\nend 3\n'
        )
    w.d.start("--state", w.path)
    equal([o["id"] for o in w.shown()], [9], "the one that is whole")
    check("isn't an override" in w.d.whole_log(), "the log has the others")
    w.join()
    w.d.run('override add block 20.1.0.0/24 from m1 reason "a"')
    equal([o["id"] for o in w.shown()], [9, 10], "the next number")
    check('override "x" kind="block"' in w.read(), "a record that is no override stays")
    w.end()


for name in WAYS:
    case(name, ways, name)
case("accept", accepts)
case("limits", limits)
case("the end", ends)
case("configure", configures)
case("drains", drains)
case("a member that is away", away)
case("a limit that is reached", full)
case("errors", wrong)
done()
