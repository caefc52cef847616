# SPDX-License-Identifier: GPL-3.0-or-later
"""`json` before every show command, in several states: each object is as doc/json.schema.json says, the summary is the
last, codes and facts are those of the text; doc/json.md names every member, and every member of the schema is met."""

from caches import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """
router id 10.0.0.1;
hostname "rs1";
log "RUN/bird.log" all;
timeformat route iso long;
timeformat protocol iso long;
ipv4 table t1 { longest match index; };
roa4 table r4;
roa4 table rs;
aspa table a1;
attribute int seen;
attribute string said;
attribute bool 'odd-name';
function is_short(int n) { return n < 20; }
filter f_in {
  if net.len > 28 then reject;
  bgp_large_community.add((65000,1,1)); seen = 7; said = "a\\b"; 'odd-name' = true;
  if net = 10.20.1.0/24 then { mpls_label = 100; mpls_policy = MPLS_POLICY_PREFIX; local_metric = 5; }
  accept; }
filter f_same { if (65000,666) ~ bgp_community then reject; accept; }
filter f_out { if (65000,666) ~ bgp_community then reject; accept; }
protocol device { }
protocol bfd bf1 { neighbor 127.0.0.9 dev "lo"; }
protocol direct d1 { ipv4; interface "lo"; disabled; }
protocol static s1 { description "our own"; ipv4; check link;
  route 10.1.0.0/16 blackhole; route 10.2.0.0/16 unreachable; route 10.9.1.0/24 prohibit;
  route 10.3.0.0/16 via 192.0.2.5 dev "lo" onlink weight 3 via 192.0.2.6 dev "lo" onlink; route 10.4.0.0/16 recursive \
10.3.0.1;
  route 10.5.0.0/16 via "lo"; route 10.6.0.0/16 via 192.0.2.99; route 10.7.0.0/16 via 192.0.2.7%lo onlink; }
protocol static sr { roa4 { table rs; }; route 10.20.0.0/16 max 24 as 65001; route 10.30.0.0/16 max 16 as 65002; }
protocol static sa { aspa { table a1; }; route aspa 65001 providers 65000, 64999; route aspa 64999 transit; }
protocol pipe pp { table master4; peer table t1; import none; export where net ~ [10.9.0.0/16+]; import limit 5 action \
block; export limit 1 action warn; }
protocol image im { table master4; filename "RUN/im.fib"; attributes { next hop, origin as }; }
protocol rpki cache { roa4 { table r4; }; remote 127.0.0.1 port CACHE; retry keep 1; }
template bgp rsc {
  local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client; hold time 90;
  ipv4 { import keep filtered; import filter f_in; export filter f_out; };
}
protocol bgp p1 from rsc { neighbor 127.0.11.1 as 65001; description "Zürich \\ one"; advertise hostname on;
  local role rs_server; ipv4 { import table on; export table on; add paths on; }; }
protocol bgp p2 from rsc { neighbor 127.0.11.2 as 65002; ipv4 { import limit 100 action restart; export limit 50 \
action disable; }; }
protocol bgp p3 from rsc { neighbor 127.0.11.3 as 65003; ipv4 { import limit 2 action block; receive limit 50; }; }
protocol bgp p4 from rsc { neighbor 127.0.11.4 as 65004; disabled; }
protocol bgp p5 from rsc { neighbor 127.0.11.5 external; }
protocol bgp many from rsc { neighbor range 127.0.12.0/24 external; }
protocol bgp away { local 127.0.10.1 port PORT as 65000; strict bind on; neighbor 127.0.11.9 port PORT as 65009; \
multihop; connect retry time 1; ipv4 { import all; export none; }; }
protocol bgp inner { local 127.0.10.1 port PORT as 65000; strict bind on; neighbor 127.0.11.8 port PORT as 65000; \
multihop; rr client; ipv4; }
"""

COMMANDS = """
status
route filtered reasons
members
members 65001
members near limit
members nosuch
overrides
memory
memory tables
memory table master4
threads
health
symbols
symbols filter
symbols p1
symbols nosuch
filter f_in
filter f_in code
filter is_short code
filter f_out
filter p1
filter nosuch
table
table master4
table r4
table a1
table nosuch
interfaces
interfaces summary
protocols
protocols all
protocols p1
protocols all "p*"
protocols all cache
protocols all pp
protocols "x*"
protocols where state != up
protocols all where routes > 0 and state = up sort routes
protocols "p*" where protocol = BGP sort state
protocols sort name
protocols where routes >= 4000000000
protocols nosuch
static
static s1
static p1
roa check 10.20.1.0/24 as 65001 table rs
roa check 10.20.1.0/24 as 65009 table rs
roa check 10.20.1.0/25 as 65001 table rs
roa check 10.20.1.0/24 path 65001 65000 64999 65001 table rs aspa table a1
roa check 192.0.2.0/24 as 65001
route
route all
route table all
route table all all
route table rs all
route table a1
route count
route stats all
route table all count
route 10.20.1.0/24 all
route 10.99.0.0/16
route for 10.20.1.7
route in 10.0.0.0/8 protocol p1
route filtered all
route protocol nosuch
route import table p1.ipv4 all
route export table p1.ipv4
route export p2 all
route noexport p1
route where bgp_path.len > 1
route primary
route why 10.20.1.0/24
route why 10.20.1.0/24 to p3
route why 10.20.1.0/24 to p2
route why 10.1.0.0/16 to p5 table master4
route why 10.50.0.0/16 from p5
route why to p2 with (65000,1)
route why from p1 to p3 with (0,65003) (65000,1,2)
route why 10.20.1.0/24 to p2 with (65000,1)
route why nosuch
reasons
reasons p3
bfd sessions
ospf
nosuch
""".strip().split(
    "\n"
)

# Members of the schema that no state here brings about.
UNMET = {
    r"(event|gap|subscription)\..*": "test_subscribe.py, of the same schema",
    r"(change|diff)\..*": "test_show_diff.py, of the same schema",
    r"(snapshot|withdrawn)\..*": "test_subscribe_routes.py, of the same schema",
    r"(plan|preview|preview_channel|preview_condition)\..*": "test_preview.py, of the same schema",
    r"quarantine(_sum)?\..*": "test_quarantine.py, of the same schema",
    r"manrs_(report|rule|member)\..*": "test_report.py, of the same schema",
    r"lan(_sum)?\..*": "test_lan_macs.py, of the same schema",
    r"counters\..*": "test_counters.py, of the same schema",
    r"sessions\.slowest.*": "a member that is behind: test_health.py",
    r"protocol\.channels\[\]\.(neighbor_restart|long_lived_left_s)": "a peer's restart: test_restart.py",
    r"member\.line": "a member with a session for each family: test_members.py",
    r"protocol\.bgp\.(neighbor_interface|error_wait_left_s|error_wait_s|restart_left_s|send_hold_left_s|send_hold_s)": (
        "sessions of other kinds"
    ),
    r"protocol\.(channels\[\]|pipe)\.limits.*|protocol\.pipe\.limits\.receive.*": (
        "the same object stands in three places"
    ),
    r"protocol\.bgp\.capabilities\..*": "what a peer can say is in test_restart.py, test_add_path.py",
    r"protocol\.rpki\.(retry_left_s|retry_s|last_error)": "validators that fail: test_rpki.py",
    r"status\.instance": "ternd -n: test_instances.py",
    r"protocol\.message": "test_limits.py",
    r"route\.not_installed|protocol\.channels\[\]\.routes\.not_installed|why_to\.installed": "test_kernel.py",
    r"(route|why)\.(filtered_by|community|community_texts?.*|pipe|pipe_filter|reason|filter|file|line|said)"
    r"|(route|why)\.added_communities.*"
    r"|filtered_route\..*": "test_filtered.py, of the same schema",
    r"why\.(accepted_by|filter_asked_about)": "test_override.py, of the same schema",
    r"(route|why|why_to|why_with)\.run_time_error": "test_filtered.py, of the same schema",
    r"why\.(origin_as|roa_state|roas.*)": "test_http_reasons.py, of the same schema",
    r"members?\.(interface|ipv6(\..*)?)": "test_members.py",
    r"route\.(stale|metric|path_id|igp_metric)": "test_restart.py, test_aigp.py, test_add_path.py, test_next_hop.py",
    r"route\.attributes\.(bgp_atomic_aggr|bgp_aggregator.*|bgp_originator_id|bgp_cluster_list)": "test_attr_json.c",
    r"route\.attributes\.(bgp_aigp|bgp_otc|mpls_class)": "test_attr_json.c",
    r"route\.attributes\.bgp_path\[\]\..*": "test_attr_json.c",
    r"status\.recovery.*|protocol\.channels\[\]\.recovery.*": "test_own_restart.py",
    r"status\.waits_for\[\]\..*": "test_rpki.py",
    r"interface\.(master|addresses\[\]\.opposite)": "test_links.py",
    r"problem\.table": "test_rpki.py",
    r"why\.(path_id|filter|file|line)|why_to\.(path_id|rule|what|sent|filter|file|line)": (
        "test_why.py, of the same schema"
    ),
    r"(why|why_to|why_with)\.attributes.*": "test_http_reasons.py, of the same schema",
    r"(route|why|why_to)\.decided_by.*": "test_reasons.py, of the same schema",
    r"why_with\.(decided_by.*|file|filter|line|rule|said|what)": "test_http.py, of the same schema",
    r"(why|why_to)\.(said|added_communities)": "test_reasons.py, of the same schema",
    r"filter\.(protocol|channel|direction)": "",
    r"shadow_(route|member|snapshot)\..*": "test_shadow.py",
    r"protocol\.bmp.*": "test_bmp_station.py",
    r"route\.next_hops\[\]\.mpls_label": "no static label",
}

with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))


def ask(what):
    """The objects of `json show`, each as the schema wants it, and the last code of the reply."""
    reply = D.run("json show " + what)
    objects = []
    for code, text in reply[:-1]:
        equal(code, 1100, "%s: code of %.60r" % (what, text))
        objects.append(json.loads(text))
        wrong = SCHEMA.errors(objects[-1])
        check(not wrong, "%s: %s in %.300s" % (what, "; ".join(wrong), text))
    code, text = reply[-1]
    last = objects.pop()
    equal(
        (last["type"], last["ok"], last["code"], last.get("message", ""), last["objects"]),
        ("summary", code < 8000, code, text, len(objects)),
        what + ": the summary",
    )
    return objects, code


def same_end(what, code):
    """A reply in text ends alike; one of a code of lines ends in 0 as JSON."""
    theirs = D.run("show " + what)[-1][0]
    equal(code, 0 if theirs == 1010 else theirs, what + ": the last code")


def routes_agree(what, objects):
    text = [t for c, t in D.run("show " + what) if c == 1007]
    lines = [m for m in (re.search(r"\[(\S+) [\d: .-]+(?: from \S+)?\]( \*)? \((\d+)", t) for t in text) if m]
    routes = [o for o in objects if o["type"] == "route"]
    equal(
        [(o["protocol"], o["best"], o["preference"]) for o in routes],
        [(m[1], bool(m[2]), int(m[3])) for m in lines],
        what + ": routes",
    )
    nets = [t.split()[0] for t in text if re.match(r"[0-9A]\S* .*\[", t)]
    ours = []
    for o in routes:
        net = "AS%d" % o["customer_as"] if "customer_as" in o else o["network"]
        net += "-%d AS%d" % (o["max_length"], o["as"]) if "max_length" in o else ""
        if not ours or ours[-1] != (o["table"], net):
            ours.append((o["table"], net))
    equal([n.split()[0] for _, n in ours], nets, what + ": networks")
    vias = [m[1] for m in (re.match(r"\tvia (\S+) on", t) for t in text) if m]
    equal([h["gateway"] for o in routes for h in o.get("next_hops", ()) if "gateway" in h], vias, what + ": gateways")


def protocols_agree(what, objects):
    text = D.run("show " + what)
    rows = [re.match(r"(\S+) +(\S+) +(\S+) +(\S+) +\S+ \S+  (.*)$", t).groups() for c, t in text if c == 1002]
    equal(
        [
            (
                o["name"],
                o["protocol"],
                "---" if o["protocol"] in ("Direct", "RPKI") else o.get("table", "---"),
                o["state"],
                o["info"],
            )
            for o in objects
        ],
        [(n, p, t, s, i.rstrip(" ")) for n, p, t, s, i in rows],
        what,
    )
    if " all" not in what:
        return
    imported = [int(m[1]) for m in (re.match(r" +Routes: +(\d+) imported", t) for _, t in text) if m]
    got = []
    for o in objects:
        got += (
            [
                c["routes"]["imported"]
                for c in o.get("channels", ()) + ([o["pipe"]] if o.get("pipe", {}).get("state") == "up" else [])
                if "routes" in c
            ]
            if isinstance(o.get("channels", ()), list)
            else ([o["pipe"]["routes"]["imported"]] if o.get("pipe", {}).get("state") == "up" else [])
        )
    equal(got, imported, what + ": routes imported")


def counts_agree(what, objects):
    for o, m in zip(
        [o for o in objects if o["type"] == "route_table"],
        re.findall(r"(\d+) of (\d+) routes for (\d+) networks in table (\S+)", D.text("show " + what)),
    ):
        equal((o["shown"], o["routes"], o["networks"], o["table"]), (int(m[0]), int(m[1]), int(m[2]), m[3]), what)


def symbols_agree(what, objects):
    lines = [t.split("\t") for c, t in D.run("show " + what) if c == 1010]
    equal([(o["name"], o["class"]) for o in objects], [(a.rstrip(" "), b) for a, b in lines], what)


def look(state):
    settled(
        lambda: (
            re.sub(r"[\d.]+", "", D.text("show route table all all")),
            D.text("show route table all count"),
            len(D.sessions()),
        ),
        "what is shown",
        0.2,
    )
    for what in COMMANDS:
        objects, code = ask(what)
        same_end(what, code)
        if code >= 8000:
            check(
                what == "health" or all(o["type"] == "route_table" and not o["shown"] for o in objects),
                "%s, %s: objects and an error" % (state, what),
            )
            continue
        if what.startswith("route ") or what == "route":
            if "count" in what or "stats" in what:
                counts_agree(what, objects)
            if "count" not in what:
                routes_agree(what, objects)
        if what.startswith("protocols"):
            protocols_agree(what, objects)
        if what.startswith("symbols"):
            symbols_agree(what, objects)


def communities(kind, octets):
    return attribute(0xC0, kind, octets)


def nobody():
    wait_until(lambda: ask("protocols all cache")[0][0]["rpki"]["state"] == "Established", lambda: D.said())
    wait_until(lambda: ask("protocols im")[0][0]["state"] == "up", lambda: D.said())
    look("nobody is up")


def up():
    peers[1] = member(D.port, 1)
    extra = attribute(0x80, 4, struct.pack("!I", 17)) + communities(8, struct.pack("!HHHH", 65001, 7, 65002, 8))
    extra += communities(16, bytes.fromhex("0002fde900000001")) + communities(32, struct.pack("!III", 65001, 2, 3))
    extra += attribute(0xC0, 99, bytes(range(256)) * 7)
    peers[1].update(["10.20.1.0/24", "10.20.2.0/24"], [65001] + [64999] * 200, extra=extra)
    peers[1].update(["10.20.1.128/29"])
    peers[2] = member(D.port, 2)
    peers[2].update(["10.20.1.0/24", "10.30.0.0/16"], [65002, 64998, 64997])
    peers[3] = member(D.port, 3)
    peers[3].update(["10.40.1.0/24", "10.40.2.0/24", "10.40.3.0/24"])
    for p in peers.values():
        p.end_of_rib()
    wait_until(lambda: len(ask("route protocol p3")[0]) >= 2, lambda: D.text("show route"))
    look("members are up")
    one = [o for o in ask("route 10.20.1.0/24 all protocol p1")[0] if o["type"] == "route"][0]
    equal(one["attributes"]["bgp_path"], [65001] + [64999] * 200, "a long path, whole")
    equal(
        one["attributes"]["other"],
        [{"code": 99, "transitive": True, "partial": True, "value_hex": (bytes(range(256)) * 7).hex()}],
        "an attribute of 1,792 octets, whole",
    )
    equal(
        one["attributes"]["custom"],
        [{"name": "seen", "value": 7}, {"name": "said", "value": "a\\b"}, {"name": 'odd-name', "value": True}],
        "custom attributes",
    )
    equal([o["description"] for o in ask("protocols p1")[0]], ["Zürich \\ one"], "UTF-8 in a description")


def down():
    D.run('disable p2 "gone fishing"')
    peers[1].cease()
    D.write(D.read().replace("protocol device", "protocol nonsense"))
    check(D.code("configure") >= 8000, "a bad file")
    wait_until(lambda: ask("protocols p1")[0][0]["state"] != "up", lambda: D.text("show protocols"))
    D.run('drain p1 for 1h "soon"')
    D.run('override add block 10.0.0.0/8+ from as64999 reason "leak"')
    D.run('override add limit 5 from p4 for 1h reason "few"')
    look("some are down")
    D.run("undrain p1")
    D.run("override remove 1")
    D.run("override remove 2")
    objects, code = ask("health")
    equal(code, 8099, "health")
    check({"configure", "limit"} <= {o.get("kind") for o in objects}, "what is wrong: %r" % objects)
    one, two = (ask("protocols all " + p)[0][0]["bgp"] for p in ("p1", "p2"))
    check("last_error" in one, "the last error")
    equal(
        (one["down_count"], len(one["downs"]), one["downs"][0]["notification"]["sent"]),
        (1, 1, False),
        "p1 went: %r" % one["downs"],
    )
    told = two["downs"][0]["notification"]
    equal(
        (told["sent"], told["code"], told["subcode"], two["downs"][0]["message"]),
        (True, 6, 2, "gone fishing"),
        "p2 was told",
    )
    check(
        re.search(
            r"Down at: +\S+ \S+ after \d+ s, sent 6/2 Administrative shutdown: gone fishing$",
            D.text("show protocols all p2"),
            re.M,
        ),
        "in the text: " + D.text("show protocols all p2"),
    )


def ten_downs():
    """The last ten, the newest first; a configure and a disable leave them."""
    D.write(D.read().replace("protocol nonsense", "protocol device"))
    peers[3].cease()
    wait_until(lambda: ask("protocols p3")[0][0]["state"] != "up", "p3 down")
    before = ask("protocols all p3")[0][0]["bgp"]["down_count"]
    D.run("restart p3")
    for i in range(12):
        p = member(D.port, 3)
        wait_until(lambda: ask("protocols p3")[0][0]["state"] == "up", "p3 up")
        if i % 2:
            p.cease()
        else:
            p.s.close()
        wait_until(lambda: ask("protocols all p3")[0][0]["bgp"]["down_count"] == before + i + 1, "p3 down %d times" % i)
        D.run("restart p3")
    D.run("disable p3")
    check(D.code("configure") in (3, 4), "configure")
    b = ask("protocols all p3")[0][0]["bgp"]
    equal((b["down_count"], len(b["downs"])), (before + 12, 10), "how many")
    equal(["notification" in d for d in b["downs"]], [True, False] * 5, "which")
    times = [d["at_unix_s"] for d in b["downs"]]
    equal(times, sorted(times, reverse=True), "the newest first")


def picked():
    def names(what):
        return [o["name"] for o in ask("protocols " + what)[0]]

    every = ask("protocols all")[0]
    routes = {
        o["name"]: sum(c.get("routes", {}).get("imported", 0) for c in o.get("channels", ()))
        for o in every
        if "pipe" not in o
    }
    equal(names("where state != up"), [o["name"] for o in every if o["state"] != "up"], "where state != up")
    equal(
        names("where protocol = BGP and state = up"),
        [o["name"] for o in every if (o["protocol"], o["state"]) == ("BGP", "up")],
        "and",
    )
    equal(
        names('where routes > 0 and name != pp and name != "cache" sort routes'),
        sorted((n for n in routes if n != "cache" and routes[n]), key=lambda n: -routes[n]),
        "sort routes",
    )
    equal(names("where routes <= 2 and routes >= 2 and name != pp"), [n for n in routes if routes[n] == 2], "<= and >=")
    equal(names("sort name"), sorted(o["name"] for o in every), "sort name")
    times = [o["since_unix_s"] for o in ask("protocols sort since")[0]]
    equal(times, sorted(times, reverse=True), "the last change first")
    equal(
        (ask("protocols where routes > 4000000000"), D.code("show protocols where routes > 4000000000")),
        (([], 0), 0),
        "none",
    )
    for bad in (
        "where",
        "where state",
        "where state up",
        "where nosuch = up",
        "where routes > up",
        "where state < up",
        "sort",
        "sort nosuch",
        "where since = 1",
        "where state = up or state = down",
        "sort name p1",
        "where state ! up",
        "where " + "state = up and " * 9,
    ):
        equal(ask("protocols " + bad)[1], 9001, bad)


def refusals():
    for command in ("json", "json configure", "json json show status", "json show", "json eval 1"):
        reply = D.run(command)
        equal([c for c, _ in reply], [1100, 9001], command)
        equal(json.loads(reply[0][1])["ok"], False, command)
    c = Cli(D.ctl)
    c.send("json show nosuch\n" + "x" * 5000 + "\nshow status\n")
    equal([c.reply()[-1][0] for _ in range(3)], [9001, 9000, 13], "nothing of JSON stays for the next command")
    c.close()


def by_ternc():
    def ternc(*args, stdin=""):
        return subprocess.run(
            [program("ternc"), "-s", D.ctl, *args], input=stdin, capture_output=True, text=True, timeout=30, check=False
        )

    r = ternc("--json", "sh", "pro")
    lines = [json.loads(line) for line in r.stdout.splitlines()]
    equal((r.returncode, r.stderr, lines[-1]["type"]), (0, "", "summary"), "ternc --json")
    equal([o["name"] for o in lines[:-1]], [o["name"] for o in ask("protocols")[0]], "ternc --json show protocols")
    # A session may change between two commands.
    wait_until(
        lambda: ternc("json", "show", "protocols").stdout.split("\n", 1)[1] == ternc("--json", "sh", "pro").stdout,
        "equal replies of json show and --json",
    )
    r = ternc("--json", "show", "route", "10.99.0.0/16")
    equal((r.returncode, json.loads(r.stdout.splitlines()[-1])["ok"]), (1, False), "nothing found")
    r = ternc("--json", "configure", "check")
    said = "ternc: --json is for show, subscribe and configure preview\n"
    equal((r.returncode, r.stdout, r.stderr), (1, "", said), "not for others")
    r = ternc("--json", stdin="show status\nshow nosuch\nshow protocols p1\n")
    kinds = [json.loads(line)["type"] for line in r.stdout.splitlines()]
    equal(
        (r.returncode, kinds[:2], kinds[-2:]),
        (1, ["status", "summary"], ["protocol", "summary"]),
        "commands from a pipe",
    )


def documented():
    with open(os.path.join(SRC, "doc/json.md")) as f:
        text = f.read()
    missing = sorted(m for m in SCHEMA.members() if "`%s`" % m.split(".")[-1] not in text)
    check(not missing, "doc/json.md doesn't say: " + ", ".join(missing))


def all_met():
    unmet = sorted(m for m in SCHEMA.members() - SCHEMA.seen if not any(re.fullmatch(u, m) for u in UNMET))
    check(not unmet, "no state has: " + ", ".join(unmet))


peers = {}
cache = Cache(free_port())
cache.vrps = set(VRPS)
D = Daemon()
D.port = free_port()
D.write(CONF.replace("PORT", str(D.port)).replace("CACHE", str(cache.port)))
D.start()
case("nobody is up", nobody)
case("members are up", up)
case("chosen and sorted", picked)
case("some are down", down)
case("the last ten times that a session was lost", ten_downs)
case("what is refused", refusals)
case("ternc --json", by_ternc)
case("doc/json.md has every member", documented)
if not os.environ.get("TERN_CASE"):
    case("every member was met", all_met)
D.stop()
cache.kill()
done()
