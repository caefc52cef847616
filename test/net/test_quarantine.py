# SPDX-License-Identifier: GPL-3.0-or-later
"""The option `quarantine` and `quarantine release`: no route passes in either direction until the release, and the
release needs no request to a peer; with all ways of keeping routes, overlay tables, `secondary`, drains, overrides and
ranges of neighbors; `configure`, restarts of session and daemon, `-R`, a lost state file; `show quarantine` equals what
the release then does."""

import json

from harness import *
from schema import Schema
from orders import A, B, C, FILTER, MORE, SERVER, WAYS, World

if KIND != "ternd":
    cannot_here("this is about ternd")
D, E = "20.4.0.0/24", "20.5.0.0/24"
NEW = {1: "quarantine on;"}
GR = b"\x40\x06\x01\x2c\0\1\1\x80"  # graceful restart, 300 s, IPv4 with the forwarding state
with open(os.path.join(SRC, "doc/json.schema.json")) as schema_file:
    SCHEMA = Schema(json.load(schema_file))


def shown(w, what=""):
    """{channel: object} of `show quarantine`, and the sums."""
    said = w.json("show quarantine " + what)
    wrong = [e for o in said for e in SCHEMA.errors(o)]
    check(not wrong, "not of the schema: %s" % wrong[:3])
    return {o["protocol"]: o for o in said if o["type"] == "quarantine"}, [
        o for o in said if o["type"] == "quarantine_sum"
    ][0]


def judged(w, accepted, what):
    """Wait until `show quarantine` has so many accepted routes. Returns: the object and the sums."""

    def seen():
        got = shown(w, "m1")
        return got if got[0]["m1"]["accepted"] == accepted else None

    return wait_until(seen, lambda: "%s: %r" % (what, shown(w, "m1")))


def ways(name):
    """Quarantine from the start: nothing passes; the report; release: all passes at once, without a request."""
    w = World(**dict(WAYS[name], own=NEW))
    constant = name == "a constant filter"
    more = [MORE] if constant else []
    w.m[3].wait([B, C], "the member is in quarantine")
    one, sums = judged(w, 2 + len(more), "accepted")
    one = one["m1"]
    sent = [] if name == "overlay tables" else [B, C] if name == "secondary" else [C]
    equal((one["as"], one["up"], one["export"], sums["members"]), (65001, True, len(sent), 1), "the report: %r" % one)
    equal("skipped" in one, name == "overlay tables", "overlays are not previewed")
    equal(sums["lost"], 0, "others lose nothing")
    refused = {r["reason"]: r["routes"] for r in one["refused"]}
    equal(refused, {} if constant else {"import_filter": 1}, "refused")
    equal(sorted(one["accepted_routes"]), sorted([A, B] + more), "accepted routes")
    equal(sorted(one["export_routes"]), sent, "routes to the member")
    equal(w.m[2].has, {}, "member 2 gets nothing of member 1")
    text = w.d.text("show quarantine")
    check("m1 ipv4 AS65001: in quarantine since 20" in text, text)
    why = w.d.text("show route why " + A)
    check("the member is in quarantine" in why, why)
    equal([o["reason"] for o in w.json("show route why " + A) if o.get("protocol") == "m1"], ["quarantine"], "JSON")
    why = w.d.text("show route why %s to m1" % C)
    check("the receiver is in quarantine" in why, why)
    told = [o["reason"] for o in w.json("show route why %s to m1" % C) if o["type"] == "why_to" and "reason" in o]
    check("quarantine_export" in told, "JSON: %r" % told)
    w.m[1].update([A], [65001, 65099])
    w.m[1].update([D])
    w.m[1].withdraw([B])
    judged(w, 2 + len(more), "after an update")
    w.m[1].listen()
    equal(w.m[1].has, {}, "nothing is sent to the member")
    asked = w.m[1].asked
    check("m1: released" in w.d.text("quarantine release m1"), "the reply")
    w.m[3].wait([A, B, C, D] + more, "released")
    w.m[2].wait([A, D] + more, "to member 2")
    w.m[1].wait([B, C], "to the member")
    equal(w.m[3].has[A], (65001, 65099), "as last announced")
    w.m[1].update([B])
    wait_until(lambda: w.m[3].listen() or w.m[3].has[B] == (65001,), "a later route")
    equal((w.m[1].asked, w.m[1].ended), (asked, None), "no request, no reset")
    equal(shown(w)[1]["members"], 0, "no member is left")
    w.end()


def report():
    """The report equals what the release does: routes gained and changed of all other members."""
    w = World(own=NEW)
    w.m[3].wait([B, C], "in quarantine")
    one, sums = judged(w, 2, "accepted")
    before = {k: dict(w.m[k].has) for k in (2, 3)}
    w.d.run("quarantine release all")
    w.m[3].wait([A, B, C], "released")
    w.m[2].wait([A, B], "released")
    wait_until(lambda: w.m[3].listen() or w.m[3].has[B] == (65001,), "the shorter path")
    gained = sum(len(set(w.m[k].has) - set(before[k])) for k in before)
    changed = sum(1 for k in before for n in before[k] if w.m[k].has[n] != before[k][n])
    equal((sums["gained"], sums["changed"]), (gained, changed), "the report")
    w.end()


def survives():
    """`configure`, a restart of the session, of the daemon, a crash; in quarantine and released."""
    w = World(own=NEW)
    w.m[3].wait([B, C], "in quarantine")
    text = w.d.text("configure")
    check("protocol m1: stays in quarantine until `quarantine release m1`" in text, text)
    since = shown(w)[0]["m1"]["since_unix_s"]
    check('quarantine "m1" since="%d" as="65001"' % since in w.read(), w.read())
    equal(
        [o["kind"] for o in w.json("show health") if o["type"] == "problem" and o.get("protocol") == "m1"][:1],
        ["quarantine"],
        "health",
    )
    for kill in (False, True):
        w.again(kill)
        w.m[3].wait([B, C], "after a restart")
        equal(shown(w)[0]["m1"]["since_unix_s"], since, "since")
    w.d.run("restart m1")
    w.join((1,))
    judged(w, 2, "another session")
    w.m[3].wait([B, C], "another session")
    w.d.run("quarantine release m1")
    w.m[3].wait([A, B, C], "released")
    check('released="' in w.read() and 'by="uid' in w.read(), w.read())
    for kill in (False, True):
        w.again(kill)
        w.m[3].wait([A, B, C], "released, after a restart")
    w.d.run("configure")
    w.m[3].wait([A, B, C], "released, after configure")
    w.d.stop()
    os.unlink(w.path)
    w.d.start("--state", w.path)
    w.join()
    w.m[3].wait([B, C], "without a state file the member is in quarantine")
    w.d.run("quarantine release m1")
    w.m[3].wait([A, B, C], "released")
    w.end()


def configures():
    """The option comes and goes at a running session; the preview says what happens; another AS is another member."""
    for keep in ("", "import keep filtered on;", "import table on;"):
        w = World(chan=FILTER + keep)
        w.m[3].wait([A, B, C], "before")
        w.own = NEW
        w.d.write(w.conf())
        said = {o["protocol"]: o for o in w.json('configure preview') if o["type"] == "preview_channel"}
        equal((said["m1"]["import"]["lost"], said["m1"]["export"]["lost"]), (2, 1), "preview: %r" % said["m1"])
        equal(said["m3"]["export"]["lost"], 1, "preview of the third")
        text = w.d.text("configure")
        check("protocol m1: changed: quarantine" in text, text)
        w.m[3].wait([B, C], "quarantine begins")
        w.m[1].wait([], "nothing is left to the member")
        equal(w.m[3].has[B], (65002, 64999), "the other path")
        asked = w.m[1].asked
        w.own = {}
        w.d.write(w.conf())
        said = {o["protocol"]: o for o in w.json('configure preview') if o["type"] == "preview_channel"}
        equal((said["m1"]["import"]["gained"], said["m1"]["export"]["gained"]), (2, 1), "preview: %r" % said["m1"])
        w.d.run("configure")
        w.m[3].wait([A, B, C], "quarantine ends")
        w.m[1].wait([C], "the member gets routes")
        equal((w.m[1].asked, w.m[1].ended), (asked, None), "no request, no reset")
        equal(w.read().count("quarantine"), 0, "no record")
        w.end()
    w = World(own=NEW)
    w.d.run("quarantine release m1")
    w.m[3].wait([A, B, C], "released")
    w.m[1].wait([C], "released")
    w.d.write(w.conf().replace("as 65001", "as 65009"))
    said = {o["protocol"]: o for o in w.json('configure preview') if o["type"] == "preview_channel"}
    equal((said["m1"]["import"]["lost"], said["m1"]["export"]["lost"]), (2, 1), "another AS: %r" % said["m1"])
    w.d.run("configure")
    wait_until(lambda: shown(w)[1]["members"] == 1, "another AS is another member")
    w.end()


def orders():
    """A drain, a block and an acceptance while in quarantine; both end in any order."""
    for keep in ("", "import keep filtered on;"):
        w = World(chan=FILTER + keep, own=NEW)
        w.m[3].wait([B, C], "in quarantine")
        w.d.run('override add block 20.1.0.0/24 from m1 reason "leak"')
        w.d.run("drain m1 for 1h")
        w.m[1].update([D])
        judged(w, 2, "B and D")
        w.d.run("quarantine release m1")
        w.m[3].wait([B, C, D], "released, with the block")
        w.d.run("undrain m1")
        w.d.run("override remove 1")
        w.m[3].wait([A, B, C, D], "all")
        equal(w.m[3].comms[D] if w.m[3].comms[D] == () else None, (), "no community")
        w.end()


def away():
    """Stale routes of a member that restarts, in quarantine and at the release; a daemon that starts with -R."""
    for keep in ("", "import keep filtered on;"):
        w = World(chan=FILTER + keep, own=NEW, caps=GR)
        w.m[3].wait([B, C], "in quarantine")
        judged(w, 2, "accepted")
        w.m[1].reset()
        arrives()
        w.m[3].wait([B, C], "stale")
        w.d.run("quarantine release m1")
        w.m[3].wait([A, B, C], "stale routes are released")
        w.end()
        w = World(chan=FILTER + keep, own=NEW, more="graceful restart on;", caps=GR)
        w.m[3].wait([B, C], "in quarantine")
        w.again(True, "-R")
        w.m[1].end_of_rib()
        judged(w, 2, "after a start with -R")
        w.m[3].wait([B, C], "after a start with -R")
        w.d.run("quarantine release m1")
        w.m[3].wait([A, B, C], "released")
        w.again(True, "-R")
        w.m[1].end_of_rib()
        w.m[3].wait([A, B, C], "released, after a start with -R")
        w.end()


class Range(World):
    """Members 1 and 4 are members of a range."""

    def conf(self, chan=None, skip=()):
        return super().conf(chan, (1,)) + (
            "protocol bgp new { local %s port %d as 65000; neighbor range 127.0.11.0/24 external; "
            "dynamic name \"new\"; rs client; direct; passive; quarantine; ipv4 { export all; %s }; }\n"
            % (SERVER, self.port, self.chan)
        )


def ranges():
    """Each member of a range has a quarantine of its own."""
    for head in ("", "threads 2;\n"):
        w = Range(head=head)
        w.m[3].wait([B, C], "member 1 is in quarantine")
        w.join((4,))
        w.m[4].update([D])
        wait_until(lambda: sum(o["accepted"] for o in shown(w)[0].values()) == 3, lambda: str(shown(w)))
        equal(sorted(shown(w)[0]), ["new1", "new2"], "members of the range")
        one, two = sorted(shown(w)[0], key=lambda name: shown(w)[0][name]["as"])
        check("%s: released" % one in w.d.text("quarantine release " + one), "the first")
        w.m[3].wait([A, B, C], "member 1 is released, member 4 is not")
        w.m[4].listen()
        equal((sorted(shown(w)[0]), w.m[4].has), ([two], {}), "member 4")
        w.d.run("quarantine release " + two)
        w.m[3].wait([A, B, C, D], "both are released")
        w.m[4].wait([A, B, C], "to member 4")
        w.d.run("configure")
        w.m[3].wait([A, B, C, D], "after configure")
        w.end()


def limits():
    """A limit that the release would cross stands in the report, and acts at the release."""
    w = World(chan="import all; import limit 2 action restart;", own=NEW)
    w.m[3].wait([B, C], "in quarantine")
    one, _ = judged(w, 3, "accepted")
    equal([(l["limit"], l["max"], l["routes"]) for l in one["m1"]["limits"]], [("import", 2, 3)], "the report")
    equal(w.m[1].listen() or w.m[1].ended, None, "the limit counts no blocked routes")
    w.d.run("quarantine release m1")
    wait_until(lambda: w.m[1].listen() or w.m[1].ended is not None, "the limit acts")
    w.end()


def wrong():
    """Errors, restricted sockets, members that are not in quarantine."""
    w = World(own=NEW)
    for text in ("quarantine", "quarantine release", "quarantine release m1 now", "show quarantine m1 all"):
        equal(w.d.code(text), 9001, text)
    equal(w.d.code("quarantine release nosuch"), 9001, "no such protocol")
    check("m2: not in quarantine" in w.d.text("quarantine release m2"), "not in quarantine")
    cli = Cli(w.d.ctl)
    cli.run("restrict")
    equal(cli.run("quarantine release m1")[-1][0], 8007, "a restricted session")
    equal(cli.run("show quarantine")[-1][0], 0, "a restricted session looks")
    cli.close()
    w.d.write(w.conf().replace("protocol device {}", "protocol device { quarantine on; }"))
    check("quarantine" in w.d.text("configure"), "no option of a protocol device")
    w.end()


for name in WAYS:
    case(name, ways, name)
case("the report and the release", report)
case("what survives", survives)
case("configure", configures)
case("overrides and drains", orders)
case("a member that is away", away)
case("a range of neighbors", ranges)
case("limits", limits)
case("errors", wrong)
done()
