# SPDX-License-Identifier: GPL-3.0-or-later
"""`ternc report manrs`: the rules and their counts agree with `show route filtered reasons` and `show members`, for
routes that are kept and routes that are not, for tags and for ROAs; the text has the numbers of the JSON; a connection
that ends within a reply leaves no report."""

import collections
import threading

from harness import *
from orders import A, B, C, MORE, SCHEMA, World

if KIND != "ternd":
    cannot_here("this is about ternd")
LONG = "20.7.0.128/25"
HEAD = """
roa4 table r4;
protocol static vrps { roa4 { table r4; }; route 20.2.0.0/24 max 24 as 65009; }
filtered communities [(65000,666)];
filter f_in {
  if net.len > 24 then reject "too long: ", net;
  if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject "RPKI invalid";
  if net = 20.9.0.0/24 then bgp_community.add((65000,666));
  accept;
}
"""


def ternc(w, *words):
    return subprocess.run(
        [program("ternc"), "-s", w if isinstance(w, str) else w.d.ctl, *words],
        capture_output=True,
        text=True,
        timeout=60 * SLOW,
    )


def report(w, *words):
    r = ternc(w, *words, "report", "manrs", "--json")
    equal((r.returncode, r.stderr), (0, ""), "ternc report manrs --json")
    objects = [json.loads(line) for line in r.stdout.splitlines()]
    wrong = [e for o in objects for e in SCHEMA.errors(o)]
    check(not wrong, "not of the schema: %s" % wrong[:3])
    kinds = collections.defaultdict(list)
    for o in objects:
        kinds[o["type"]].append(o)
    return kinds["manrs_report"][0], kinds["manrs_rule"], {o["protocol"]: o for o in kinds["manrs_member"]}


def daemon_says(w):
    """{member: routes by `show route filtered reasons`}"""
    routes = [o for o in w.json("show route filtered reasons") if o["type"] in ("route", "filtered_route")]
    return collections.Counter(o["protocol"] for o in routes)


def counts(keep):
    w = World(head=HEAD, chan="import filter f_in; " + keep)
    w.m[1].update([LONG])
    w.m[2].update(["20.9.0.0/24"])
    w.m[3].wait([A, C, "20.9.0.0/24"], "routes")
    wait_until(lambda: sum(daemon_says(w).values()) == 5, lambda: str(daemon_says(w)))
    head, rules, members = report(w)
    equal(
        {name: sum(r["routes"] for r in m["rules"]) for name, m in members.items() if m["rules"]},
        daemon_says(w),
        "sums",
    )
    told = {o["name"]: o for o in w.json("show members") if o["type"] == "member"}
    equal(set(members), set(told), "members")
    for name, m in members.items():
        equal({k: told[name]["ipv4"][k] for k in m["ipv4"]}, m["ipv4"], name)
        equal((m["as"], m["state"]), (told[name]["as"], "up"), name)
    equal((head["sessions"], head["filtered"], head["accepted"]), (3, 5, 2), "head")
    by = {r.get("said") or r.get("community") or r["line"]: r for r in rules}
    roa, tag = by["RPKI invalid"], [r for r in rules if r["filtered_by"] == "tagged"][0]
    equal((roa["routes"], roa["sessions"], roa["filter"]), (2, 2, "f_in"), "the rule about ROAs: %r" % roa)
    equal(roa["invalid"], 2 if keep else 0, "ROAs of kept routes")
    equal((tag["routes"], tag["sessions"], tag["community"]), (1, 1, "(65000,666)"), "the tag: %r" % tag)
    (long,) = [r for r in rules if r not in (roa, tag)]
    equal((long["routes"], long["sessions"], "said" in long), (2, 1, False), "a rule with several texts: %r" % long)
    check(long["file"].endswith(".conf") and long["line"] > 0, "the place: %r" % long)
    text = ternc(w, "report", "manrs").stdout
    check("3; routes: %d received, 2 accepted, 5 filtered" % head["received"] in text, text)
    check("RPKI invalid, filter f_in, " in text and "routes: 2, sessions: 2" in text, text)
    check(all(m["rules"][0]["network"] in text for m in members.values() if m["rules"]), text)
    equal(report(w, "-r")[1:], (rules, members), "a restricted session")
    # as of now: after a withdrawal and a change of the filter
    w.m[1].withdraw([LONG])
    w.d.write(w.conf().replace("if roa_check(r4, net, bgp_path.last) = ROA_INVALID", "if false"))
    w.d.run("configure")

    def decided_anew():
        """A member without route refresh announces again: a session may read an UPDATE before the new filter."""
        if not keep:
            w.m[1].update([B])
            w.m[2].update([B], [65002, 64999])
        return sum(daemon_says(w).values()) == 2

    wait_until(decided_anew, lambda: str(daemon_says(w)))
    w.m[3].wait([A, B, C, "20.9.0.0/24"], "another filter")
    equal(report(w)[0]["filtered"], 2, "later")
    w.end()


def fails():
    w = World()
    for words in (("report",), ("report", "nosuch"), ("report", "manrs", "now")):
        r = ternc(w, *words)
        check(r.returncode == 1 and "Usage" in r.stderr and not r.stdout, words)
    w.end()
    r = ternc(w, "report", "manrs")
    check(r.returncode == 1 and r.stderr and not r.stdout, "without a daemon: %r" % r)


def cut():
    """A connection that ends after a part of the objects, at each command of the report."""
    path = os.path.join(temp_dir(), "cut.ctl")
    line = b'1100-{"type":"member","name":"m1","state":"up"}\n'
    for whole in range(4):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(1)

        def serve(left=whole):
            s, _ = listener.accept()
            s.sendall(b"0001 ternd ready.\n")
            while s.recv(4096):
                s.sendall(line + (b'1100 {"type":"summary","ok":true,"code":0}\n' if left else b""))
                left -= 1
                if left < 0:
                    break
            s.close()

        t = threading.Thread(target=serve)
        t.start()
        r = ternc(path, "report", "manrs")
        t.join()
        listener.close()
        os.unlink(path)
        check(r.returncode == 1 and r.stderr and not r.stdout, "after %d replies: %r" % (whole, r))


case("kept routes", counts, "import keep filtered on;")
case("routes that are not kept", counts, "")
case("what fails", fails)
case("a reply that is cut", cut)
done()
