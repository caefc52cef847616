# SPDX-License-Identifier: GPL-3.0-or-later
"""/metrics of ternhttp beside Debian's prometheus-bird-exporter, which reads the same daemon: each series of the
exporter has the same name, labels and value, in the new and the old form. tern's own metrics, OpenMetrics, several
daemons, and a daemon that is away. The alert rules and the dashboard of doc/examples name metrics that are there, and
doc/http.md lists tern's own metrics."""

import urllib.parse
import urllib.request

from glass import *
from rtr_cache import *

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
CACHE = Cache(free_port())
CACHE.vrps = {("192.0.2.0/24", 25, 65001)}
MORE = (
    """
protocol bgp p6 from any { neighbor 127.0.11.6 as 65006; ipv6 { import none; export all; }; }
protocol static s4 { ipv4; route 10.9.0.0/16 unreachable; }
protocol bgp p7 from any { neighbor 127.0.11.7 as 65007; ipv4 { import limit 1 action block; }; }
protocol bfd far { neighbor 127.0.12.1 local 127.0.10.1 multihop; }
protocol rpki cache { roa4 { table r4; }; remote 127.0.0.1 port %d; retry keep 1; }
"""
    % CACHE.port
)
D = Daemon(CONF.replace("PORT", str(PORT)) + MORE, "rs1").start()
P1 = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", hold=0).establish()
P1.update(["20.0.1.0/24", "20.0.2.0/24", "20.0.3.0/25"])
P1.withdraw(["20.0.2.0/24"])
# routes with the community of the export filter, so that the export filter of p1 runs
P2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
P2.update(["20.0.7.0/24"], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 1)))
G = Glass({"rs1": D.dir + "/lg.ctl"})
G2 = Glass({"rs1": D.dir + "/lg.ctl", "rs2": D.ctl + ".none"})
ALL = "?collect[]=all"
USUAL = {"protocols", "members", "server"}
LINE = re.compile(r'([a-z0-9_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? ([-+0-9.e]+)')


def series(text, openmetrics=False):
    """{(name, labels): value}; the series of a metric stand together, behind its TYPE."""
    found, typed = {}, []
    if openmetrics:
        check(text.endswith("\n# EOF\n") and text.count("# EOF") == 1, text[-80:])
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            check(kind in ("gauge", "counter"), line)
            if kind == "counter":
                # OpenMetrics names the metric, the text format names the series
                check(name.endswith("_total") != openmetrics, line)
                name = name.replace("_total", "") + "_total"
            check(name not in typed and name.endswith("_total") == (kind == "counter"), line)
            typed.append(name)
        elif not line.startswith("#"):
            m = LINE.fullmatch(line)
            check(m, line)
            key = m.group(1), frozenset(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', m.group(2) or ""))
            check(key not in found, "twice: " + line)
            found[key] = float(m.group(3))
            check(typed and typed[-1] == m.group(1), "not behind its TYPE: " + line)
    return found


def metrics(query="", glass=None):
    status, headers, body = (glass or G).get("/metrics" + query)
    equal(status, 200, body)
    check(headers["Content-Type"].startswith("text/plain; version=0.0.4"), headers["Content-Type"])
    return series(body)


def value(found, metric, **labels):
    got = [v for (n, l), v in found.items() if n == metric and set(labels.items()) <= l]
    equal(len(got), 1, "%s %s: %s" % (metric, labels, [k for k in found if k[0] == metric]))
    return got[0]


def values():
    wait_until(
        lambda: value(metrics(), "bird_protocol_prefix_filter_count", name="p1", ip_version="4") == 1,
        lambda: G.text("/metrics"),
    )
    wait_until(
        lambda: value(metrics(ALL), "tern_filter_steps_total", name="p1", direction="export") > 0, "the export filter"
    )
    m = metrics(ALL)
    equal(value(m, "bird_socket_query_success"), 1, "the query")
    equal(value(m, "bird_daemon_up"), 1, "up")
    equal(value(m, "bird_daemon_info", router_id="10.0.0.1"), 1, "info")
    check(value(m, "bird_last_reboot_timestamp_seconds") <= time.time(), "started")
    for name in ("p1", "p3", "s4", "static1"):
        up = value(m, "bird_protocol_up", name=name)
        equal(up, 0 if name == "p3" else 1, name)
    equal(value(m, "bird_protocol_prefix_import_count", name="static1", ip_version=""), 1, "a channel of ROAs")
    equal(value(m, "bird_protocol_prefix_import_count", name="p1", proto="BGP"), 1, "imported")
    equal(value(m, "bird_protocol_changes_withdraw_import_receive_count", name="p1"), 1, "withdrawals")
    equal(value(m, "bird_protocol_up", name="p1", state="Established", import_filter="f_in"), 1, "labels")
    equal(value(m, "bird_protocol_up", name="p6", ip_version="6"), 0, "a second channel")
    equal(value(m, "tern_refused_routes", name="p1", channel="ipv4", reason="import_filter"), 1, "refused")
    equal(value(m, "tern_table_networks", table="r4"), 2, "a table")
    equal((value(m, "tern_sessions_up"), value(m, "tern_sessions_wanted")), (3, 6), "members and the cache")
    equal((value(m, "tern_program_replaced"), value(m, "tern_configure_failed")), (0, 0), "the program")
    check(value(m, "tern_filter_steps_total", name="p1", direction="import") > 0, "filter cost")
    check(value(m, "tern_filter_steps_total", name="p1", direction="export") > 0, "filter cost")
    equal(value(m, "tern_limit_routes", name="p7", limit="import"), 1, "a limit")
    check(value(m, "tern_thread_cpu_seconds_total", thread="control") >= 0, "a thread")
    check(0 <= value(m, "tern_rpki_data_age_seconds", name="cache") < 1000, "age of RPKI data")
    check(value(m, "tern_memory_octets", kind="total") > 0, "memory")
    equal(G.get("/metrics?format=new")[0], 200, "the new form")
    equal(G.get("/metrics?format=x")[0], 400, "another form")


def groups():
    """Each group has its own metrics, and the groups together are the whole answer. A request without groups has the
    usual groups, a request with a form all."""
    whole = lasting(ALL)
    parts = {g: lasting("?collect[]=" + g) for g in USUAL | {"changes", "work"}}
    always = set.intersection(*(set(p) for p in parts.values()))
    daemon = {n for n, _ in whole if n.startswith("bird_daemon_") or n.endswith("_timestamp_seconds")}
    equal({n for n, _ in always}, {"bird_socket_query_success"} | daemon, "always")
    equal(set().union(*parts.values()), whole, "the union")
    equal(sum(len(p) - len(always) for p in parts.values()) + len(always), len(whole), "no series in two groups")
    check(
        all(re.match("bird_(protocol_(up|uptime|prefix_)|bfd_session_)", n) for n, _ in parts["protocols"] - always),
        "protocols",
    )
    check(all(n.startswith("bird_protocol_changes_") for n, _ in parts["changes"] - always), "changes")
    for group in ("members", "work"):
        check(all(n.startswith("tern_") and "name" in dict(l) for n, l in parts[group] - always), group)
    equal(
        {n for n, _ in parts["work"] - always},
        {"tern_filter_steps_total", "tern_export_decisions_total", "tern_messages_sent_total"},
        "work",
    )
    check(all(n.startswith("tern_") and "name" not in dict(l) for n, l in parts["server"] - always), "server")
    equal(lasting("?collect%5B%5D=changes&collect[]=server"), parts["changes"] | parts["server"], "two groups")
    equal(lasting(""), set().union(*(parts[g] for g in USUAL)), "the usual groups")
    equal(lasting("?format=new"), whole, "the new form")
    equal(
        {n for n, _ in lasting("?format=old")} & {n for n, _ in parts["work"]} - {n for n, _ in always},
        {n for n, _ in parts["work"] - always},
        "the old form",
    )
    equal(lasting("?format=new&collect[]=server"), parts["server"], "a form and a group")
    equal(G.get("/metrics?collect[]=x")[0], 400, "no such group")


SPARSE = {"limit_hit", "behind_seconds", "dirty_networks", "queued_octets", "thread_lag_seconds"}
SPARSE = {"tern_" + n for n in SPARSE | {"thread_longest_round_seconds"}}


def lasting(query):
    """The series but for those that come and go with their value."""
    return {k for k in metrics(query) if k[0] not in SPARSE}


def zeros():
    """A metric with (0) in doc/http.md has no series with the value 0, and its series comes with another value."""
    with open(os.path.join(SRC, "doc/http.md"), encoding="utf-8") as f:
        rows = [line.split("|")[1] for line in f if line.startswith("| `tern_")]
    equal({n for r in rows for n in re.findall(r"`(\w+)` \(0\)", r)}, SPARSE, "doc/http.md")
    m = metrics(ALL)
    equal([k for k, v in m.items() if k[0] in SPARSE and not v], [], "zeros")
    check("tern_limit_hit" not in {n for n, _ in m}, "no limit is hit")
    p7 = Peer(PORT, "127.0.11.7", 65007, server="127.0.10.1", hold=0).establish()
    p7.update(["20.0.8.0/24"])
    p7.update(["20.0.9.0/24"])
    wait_until(lambda: ("tern_limit_hit" in {n for n, _ in metrics()}), lambda: D.text("show protocols all p7"))
    equal(value(metrics(), "tern_limit_hit", name="p7", channel="ipv4", limit="import"), 1, "the limit")
    p3 = Peer(PORT, "127.0.11.3", 65003, server="127.0.10.1", hold=0)
    p3.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    p3.establish()
    for i in range(6000):  # more than the sockets of p3 hold
        P1.update(["21.%d.%d.0/24" % (i // 256, i % 256)], [65001, 70000 + i] + list(range(1, 240)))

    def behind():
        return {dict(l)["name"] for n, l in metrics() if n == "tern_behind_seconds"}

    wait_until(lambda: "p3" in behind(), lambda: D.text("show protocols all p3"))
    p3.reset()
    wait_until(lambda: "p3" not in behind(), lambda: D.text("show protocols all p3"))
    p7.reset()


def several():
    m = metrics("", G2)
    equal(value(m, "bird_socket_query_success", daemon="rs1"), 1, "rs1")
    equal(value(m, "bird_socket_query_success", daemon="rs2"), 0, "rs2")
    equal(value(m, "bird_protocol_up", daemon="rs1", name="p1"), 1, "rs1")
    equal(value(m, "tern_program_replaced", daemon="rs1"), 0, "rs1")
    check(all(("daemon", "rs1") in labels or ("daemon", "rs2") in labels for _, labels in m), "the label daemon")
    m = metrics("?server=rs2", G2)
    equal({k[0] for k in m}, {"bird_socket_query_success"}, "nothing else")
    equal({k for k in metrics("?server=rs1", G2) if k[0] not in SPARSE}, lasting(""), "one server")
    equal(G2.get("/metrics?server=x")[0], 404, "no such server")


def beside(old):
    exporter = shutil.which("prometheus-bird-exporter")
    if not exporter:
        needs("prometheus-bird-exporter")
    port = free_port()
    argv = [exporter, "-bird.v2", "-bird.socket", D.ctl, "-web.listen-address", "127.0.0.1:%d" % port]
    p = spawn(argv + ["-format.new=%s" % ("false" if old else "true")], stderr=subprocess.DEVNULL)

    def theirs():
        try:
            with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port, timeout=20 * SLOW) as r:
                text = r.read().decode()
        except OSError:
            return None
        keep = [l for l in text.splitlines() if not l.startswith(("#", "go_", "process_", "promhttp"))]
        return {k: v for k, v in series_loose(keep).items() if not k[0].endswith("_uptime")}

    def has_bfd(found):
        return {n for n, _ in found if n.startswith("bird_bfd_session_")}

    wait_until(theirs, "the exporter")
    wrong = []

    # the values of both are of one moment if nothing happens
    def same():
        want, have = theirs(), metrics("?format=old" if old else "?format=new")
        wrong[:] = [
            "%s %s: exporter %s, ternhttp %s" % (n, sorted(l), v, have.get((n, l)))
            for (n, l), v in want.items()
            if have.get((n, l)) != v
        ]
        return len(want) > 50 and has_bfd(want) == has_bfd(have) and len(has_bfd(have)) == 4 and not wrong

    wait_until(same, lambda: "%d differ:\n%s" % (len(wrong), "\n".join(wrong[:8])))
    end(p)


def series_loose(lines):
    found = {}
    for line in lines:
        m = LINE.fullmatch(line)
        check(m, line)
        found[m.group(1), frozenset(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', m.group(2) or ""))] = float(m.group(3))
    return found


def promtool():
    tool = shutil.which("promtool")
    if not tool:
        needs("prometheus")
    for query in ("", "?format=new", "?format=old"):
        p = subprocess.run([tool, "check", "metrics"], input=G.text("/metrics" + query), capture_output=True, text=True)
        # status 3: advice about names, and the gauges with the ending _count have the names of bird_exporter
        check(p.returncode in (0, 3), p.stdout + p.stderr)
        said = [t for t in (p.stdout + p.stderr).split("\n") if t]
        names = r"(bird_protocol|[a-z]+[46](_session)?)_\S*_count(_\S+)?"
        known = names + r" \S+ and \S+ metrics should not have \"_count\" suffix"
        check(not [t for t in said if not re.match(known, t)], "\n".join(said))


OPEN = {"Accept": "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"}


def openmetrics():
    """Both formats have the same series."""
    for query in ("", "?format=new", "?format=old"):
        status, headers, body = G.get("/metrics" + query, headers=OPEN)
        equal(status, 200, body)
        equal(headers["Content-Type"], "application/openmetrics-text; version=1.0.0; charset=utf-8", "the type")
        equal({k for k in series(body, True) if k[0] not in SPARSE}, lasting(query), "series")
    _, headers, body = G.get("/metrics", headers={"Accept": "text/plain"})
    check("# EOF" not in body and headers["Content-Type"].startswith("text/plain"), headers["Content-Type"])


def configure_failed():
    with open(D.conf, "a") as f:
        f.write("nosuch;\n")
    D.text("configure")
    wait_until(lambda: value(metrics(), "tern_configure_failed") == 1, lambda: D.text("show status"))
    check(value(metrics(), "tern_problems", kind="configure") == 1, "the problem")


def names_of(text):
    return set(re.findall(r"\b(?:tern|bird)_[a-z0-9_]+", text))


def documents():
    """Rules and dashboard ask for metrics that are there; each rule has a section; doc/http.md has each own metric."""
    printed, usual = (set(re.findall(r"^# TYPE (\w+)", G.text("/metrics" + q), re.M)) for q in (ALL, ""))
    with open(os.path.join(SRC, "doc/examples/prometheus-rules.yml"), encoding="utf-8") as f:
        rules = f.read()
    asked = [(e, usual) for e in re.findall(r"^        expr: '(.*)'$", rules, re.M)]
    asked += [(e, usual) for e in dashboard("grafana", "")] + [(e, printed) for e in dashboard("grafana-work", "")]
    check(len(asked) > 30, str(len(asked)))
    for expr, have in asked:
        names = names_of(expr)
        check(names and names <= have, "%s: no metric %s" % (expr, names - have))
    with open(os.path.join(SRC, "doc/monitoring.md"), encoding="utf-8") as f:
        sections = re.findall(r"^### (\w+)$", f.read().split("\n## Alerts\n")[1].split("\n## ")[0], re.M)
    alerts = re.findall(r"^      - alert: (\w+)$", rules, re.M)
    equal(sections, alerts, "sections of doc/monitoring.md and alerts")
    equal(re.findall(r"runbook: doc/monitoring\.md#(\w+)", rules), [a.lower() for a in alerts], "runbooks")
    with open(os.path.join(SRC, "doc/http.md"), encoding="utf-8") as f:
        listed = names_of("".join(line for line in f if line.startswith("| `tern_")))
    equal(listed, {n for n in printed if n.startswith("tern_")}, "metrics of doc/http.md")


def dashboard(name, instance):
    """The queries of the dashboard @name, for one instance."""
    with open(os.path.join(SRC, "doc/examples/%s.json" % name), encoding="utf-8") as f:
        board = json.load(f)
    equal(
        [v["query"] for v in board["templating"]["list"]],
        ["prometheus", "label_values(bird_socket_query_success, instance)"],
        "the variables",
    )
    return [t["expr"].replace("$instance", instance) for p in board["panels"] for t in p["targets"]]


def promtool_rules():
    tool = shutil.which("promtool")
    if not tool:
        needs("prometheus")
    p = subprocess.run(
        [tool, "check", "rules", os.path.join(SRC, "doc/examples/prometheus-rules.yml")], capture_output=True, text=True
    )
    equal(p.returncode, 0, p.stdout + p.stderr)


SCRAPE = """
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ["%s/doc/examples/prometheus-rules.yml"]
scrape_configs:
  - { job_name: tern, static_configs: [{ targets: ["127.0.0.1:%d"], labels: { instance: usual } }] }
  - job_name: all
    params: { "collect[]": [all] }
    static_configs: [{ targets: ["127.0.0.1:%d"], labels: { instance: all } }]
"""


def prometheus():
    """Prometheus itself reads the metrics as OpenMetrics, evaluates each rule without an error, and has data for each
    query of both dashboards."""
    tool = shutil.which("prometheus")
    if not tool:
        needs("prometheus")
    folder, port = temp_dir(), free_port()
    with open(folder + "/p.yml", "w") as f:
        f.write(SCRAPE % (SRC, G.port, G.port))
    argv = ["--config.file=" + folder + "/p.yml", "--storage.tsdb.path=" + folder + "/db"]
    argv.append("--web.listen-address=127.0.0.1:%d" % port)
    p = spawn([tool, *argv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(what):
        try:
            with urllib.request.urlopen("http://127.0.0.1:%d/api/v1/%s" % (port, what), timeout=20 * SLOW) as r:
                return json.load(r)["data"]
        except OSError:
            return {}

    def targets():
        return [t.get("health") for t in ask("targets").get("activeTargets") or []]

    def rules():
        return [r for g in ask("rules").get("groups", []) for r in g["rules"]]

    wait_until(lambda: targets() == ["up", "up"], targets)
    wait_until(lambda: rules() and all(r["health"] == "ok" for r in rules()), rules)
    empty = []

    def answered():
        asked = dashboard("grafana", "usual") + dashboard("grafana-work", "all")
        empty[:] = [q for q in asked if not ask("query?query=" + urllib.parse.quote(q)).get("result")]
        return not empty

    wait_until(answered, lambda: "no data: %s" % empty)
    equal(ask("label/instance/values"), ["all", "usual"], "the variable of the dashboards")
    # the text format has the type of tern_log_lines_total
    equal(ask("metadata?metric=tern_log_lines")["tern_log_lines"][0]["type"], "counter", "OpenMetrics")
    end(p)


case("values", values)
case("OpenMetrics", openmetrics)
case("groups", groups)
case("rules, dashboard and documents", documents)
case("promtool, rules", promtool_rules)
case("Prometheus", prometheus)
case("several servers", several)
case("the exporter, new form", beside, False)
case("the exporter, old form", beside, True)
case("promtool", promtool)
case("zeros", zeros)
case("a configuration with an error", configure_failed)
done()
