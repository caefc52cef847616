# SPDX-License-Identifier: GPL-3.0-or-later
"""show diff: sessions, reloads, configurations, routes gained and lost, each at its time; the choice of times and
members; gaps after a restart and of a busy member; rights."""

import json

from harness import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
threads 2;
cli "RUN/lg.ctl" { restrict; };
cli "RUN/few.ctl" { restrict; allow "show status"; };
protocol device { }
template bgp any { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client;
  ipv4 { import keep filtered; import where net.len <= 24; export all; }; }
protocol bgp p1 from any { description "Example Networks"; neighbor 127.0.11.1 as 65001; }
protocol bgp p2 from any { neighbor 127.0.11.2 as 65002; }
""".replace(
    "PORT", str(PORT)
)
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
D = Daemon(CONF).start()
PEERS = []


def objects(rest="", ctl=None):
    reply = Cli(ctl or D.ctl).run("json show diff since %s" % (rest or "0"))
    found = [json.loads(t) for c, t in reply if c == 1100]
    wrong = [e for o in found for e in SCHEMA.errors(o)]
    check(not wrong, "; ".join(wrong))
    equal((found[0]["type"], found[-1]["type"], reply[-1][0]), ("diff", "summary", 0), reply)
    return found[1:-1]


def changes(kind, rest=""):
    return [o for o in objects(rest) if o.get("kind") == kind]


def reloaded(want, who):
    """Waits until the reloads of the member @who are @want: (direction, by)."""

    def found():
        return [(o["direction"], o["by"]) for o in changes("reload", "0 " + who)]

    wait_until(lambda: found() == want, lambda: "%s: %s" % (who, found()))


def routes(want, rest="p1"):
    """Waits until the sums of gained and lost are @want; returns the entries about routes."""
    found = []

    def fits():
        found[:] = changes("routes", "0 " + rest)
        sums = sum(o["ipv4"]["gained"] for o in found), sum(o["ipv4"]["lost"] for o in found)
        return sums == want

    wait_until(fits, lambda: str(found))
    return found


def sessions():
    p = member(PORT, 1, hold=0)
    wait_until(lambda: changes("session_up"), lambda: str(objects()))
    p.update(["20.0.%d.0/24" % i for i in range(5)] + ["20.1.0.0/25"])
    last = routes((5, 0))[-1]
    equal((last["as"], last["ipv4"]["accepted"], last["ipv4"]["filtered"]), (65001, 5, 1), last)
    check("ipv6" not in last and last["from_unix_s"] <= last["at_unix_s"], last)
    p.withdraw(["20.0.0.0/24", "20.0.1.0/24"])
    equal(routes((5, 2))[-1]["ipv4"]["accepted"], 3, "withdrawn")
    D.run('disable p1 "for a while"')
    down = changes("session_down")
    equal([(o["protocol"], o["cause"]) for o in down], [("p1", {"side": "us", "text": down[0]["cause"]["text"]})], down)
    check("for a while" in down[0]["cause"]["text"] and down[0]["up_s"] >= 0, down)
    equal(routes((5, 5))[-1]["ipv4"]["accepted"], 0, "the routes of a closed session are lost")
    times = [o["at_unix_s"] for o in objects("0 p1") if o["type"] == "change"]
    equal(times, sorted(times), "the oldest first")
    D.run("enable p1")


def reloads():
    p = member(PORT, 1, hold=0)
    wait_until(lambda: len(changes("session_up")) == 2, lambda: str(objects()))
    equal(objects("0 p2")[1:], [], "a member without changes")
    p.update(["20.0.%d.0/24" % i for i in range(5)])
    routes((10, 5))
    D.run("reload in p1")
    reloaded([("import", "command")], "p1")
    D.write(CONF.replace("net.len <= 24", "net.len <= 23"))
    D.run("configure")
    reloaded([("import", "command"), ("import", "configuration")], "p1")
    last = routes((10, 10))[-1]
    equal((last["ipv4"]["accepted"], last["ipv4"]["filtered"]), (0, 5), "refused by the new policy")
    D.write(CONF)
    D.run("configure")
    routes((15, 10))
    equal(changes("reload", "0 p2"), [], "no reload of a session that is down")
    PEERS.append(member(PORT, 2, hold=0))
    wait_until(lambda: changes("session_up", "0 p2"), lambda: str(objects()))
    D.run("reload out p2")
    reloaded([("export", "command")], "p2")
    own = [o.get("kind", o["type"]) for o in objects() if "protocol" not in o]
    equal(own, ["gap", "started", "configured", "configured"], "the daemon")
    check("plan" not in str(objects()), "no words of a configuration")
    p.s.close()
    wait_until(lambda: len(changes("session_down", "0 p1")) == 2, lambda: str(objects()))


def choices():
    every = [o for o in objects("0 p1") if o["type"] == "change"]
    middle = every[len(every) // 2]["at_unix_s"]
    since = objects("%d p1" % (int(middle) + 1))
    equal(since, [o for o in every if o["at_unix_s"] >= int(middle) + 1], "since")
    until = [o for o in objects("0 until %d p1" % int(middle)) if o["type"] == "change"]
    equal(until, [o for o in every if o["at_unix_s"] <= int(middle)], "until")
    equal(objects("%d p1" % (int(every[-1]["at_unix_s"]) + 1000)), [], "the future")
    for who in ("65001", "'p1'", '"p1"', '"Example*"'):
        equal([o for o in objects("0 " + who) if o["type"] == "change"], every, who)
    equal({o.get("protocol") for o in objects()} - {None}, {"p1", "p2"}, "all members")
    equal(objects("0", D.dir + "/lg.ctl"), objects("0"), "a restricted socket")
    equal(Cli(D.dir + "/few.ctl").run("show diff since 0")[-1][0], 8007, "a rule of the socket")
    for wrong in ("", "since", "since x", "since 25:00", 'since "03:00 x"', "since 0 until", "since 0 until x"):
        equal(D.code("show diff " + wrong), 9001, wrong)
    equal(D.code("show diff since 0 nosuch"), 9001, "no such protocol")
    equal(D.code("show diff since 0 64999"), 8003, "no such member")
    for good in ("03:00", '"03:00:30"', "2026-01-02T03:04", '"2026-01-02 03:04:05"', "2026-01-02", "0 until 04:00 p1"):
        equal(D.code("show diff since " + good), 0, good)
    lines = [t for c, t in D.run("show diff since 0 p1") if c == 1103]
    equal(len(lines), len(objects("0 p1")), "lines")
    for words in ("session_up", "session_down us: ", "reload import, by a configuration", "routes ipv4 +5 -0, 5"):
        check([t for t in lines if words in " ".join(t.split())], "%s: %s" % (words, lines))


def gaps():
    gap = objects("0 p1")[0]
    equal((gap["type"], gap["reason"], gap["protocol"]), ("gap", "restart", "p1"), "before the start")
    equal([o for o in objects("%d" % (int(gap["until_unix_s"]) + 1)) if o["type"] == "gap"], [], "no gap later")
    for i in range(1100):
        D.run("reload in p2")
    wait_until(lambda: len(changes("reload", "0 p2")) >= 1000, lambda: str(len(objects("0 p2"))))
    found = objects("%d p2" % (int(gap["until_unix_s"]) + 1))
    equal((found[0]["type"], found[0]["reason"]), ("gap", "lost"), "a busy member")
    check(1000 <= len([o for o in found if o["type"] == "change"]) <= 1024, len(found))
    check(found[0]["until_unix_s"] <= found[1]["at_unix_s"], found[:2])
    equal([o for o in objects("%d p1" % (int(gap["until_unix_s"]) + 1)) if o["type"] == "gap"], [], "another member")
    for i in range(10):
        D.write(CONF + "# %d\n" % i)
        D.run("configure")
    own = [(o["type"], o.get("reason"), o.get("kind")) for o in objects() if "protocol" not in o]
    equal(own, [("gap", "lost", None)] + [("change", None, "configured")] * 10, "the last configurations")
    D.stop()
    D.start()
    wait_until(lambda: D.code("show status") == 13, lambda: "the daemon starts")
    found = objects("0 p1")
    equal([o["type"] for o in found], ["gap"], "after a restart")
    check(found[0]["until_unix_s"] > gap["until_unix_s"], found)


def remade():
    """The route server closes sessions by itself and says so; the list of a member outlives `configure` that makes the
    instance anew, and ends if the instance is for another AS."""
    changed = CONF.replace("as 65001;", "as 65001; multihop 5;")

    def lost():
        return sum(o["ipv4"]["lost"] for o in changes("routes", "0 p1"))

    def closed(text):
        wait_until(lambda: len(changes("session_down", "0 p1")) > len(downs), lambda: str(objects("0 p1")))
        downs[:] = changes("session_down", "0 p1")
        equal(downs[-1]["cause"], {"side": "us", "text": text}, text)

    def came():
        peer = member(PORT, 1, hold=0)
        wait_until(lambda: changes("session_up", "0 p1")[len(downs) :], lambda: str(objects("0 p1")))
        return peer

    downs = []
    p = came()
    D.run("restart p1")
    closed("Administrative reset")
    p.s.close()
    p = came()
    p.update(["20.9.%d.0/24" % i for i in range(3)])
    wait_until(lambda: '"accepted": 3' in json.dumps(changes("routes", "0 p1")[-1:]), lambda: str(objects("0 p1")))
    sofar = lost()
    before = [o for o in objects("0 p1") if o["type"] == "change"]
    D.write(changed)
    check("restarts" in D.text("configure"), "the instance is made anew")
    closed("Other configuration change")
    p.s.close()
    found = objects("0 p1")
    equal([o for o in found if o["type"] == "change"][: len(before)], before, "the older changes")
    equal(len([o for o in found if o["type"] == "gap"]), 1, "no further gap")
    wait_until(lambda: lost() == sofar + 3, lambda: str(objects("0 p1")))
    p = came()
    D.write(CONF.replace("as 65001;", "as 65009;"))
    D.run("configure")
    wait_until(lambda: [o["type"] for o in objects("0 p1")] == ["gap"], lambda: str(objects("0 p1")))
    D.write(CONF)
    D.run("configure")


case("sessions, routes gained and lost", sessions)
case("reloads and configurations", reloads)
case("times, members, rights, text", choices)
case("gaps", gaps)
case("instances made anew, sessions closed by the route server", remade)
D.stop()
done()
