# SPDX-License-Identifier: GPL-3.0-or-later
"""protocol kernel: twenty configurations give the kernel the routes that bird2 gives it, line by line, and take the
same ones out of it; what others have put there stays; what they break is mended by a scan; routes outlast the daemon
where that is wanted; and what the kernel refuses, or we may not do, is said and harms nothing else."""

import select

from kernel_routes import *

if KIND != "ternd":
    cannot_here("this is about ternd")

# What others have put into each of the tables.
FOREIGN = (
    "10.9.0.0/16 via 10.1.1.9",
    "10.8.0.0/16 via 10.1.1.9 metric 50 proto static",
    "10.7.0.0/16 via 10.1.1.9 metric 50 proto kernel",
    "10.6.0.0/16 via 10.1.1.9 metric 50 proto boot realm 5 mtu 1400 advmss 1300",
    "blackhole 10.5.0.0/16 proto 77",
    "10.4.0.0/16 proto 78 nexthop via 10.1.1.9 weight 3 nexthop via 10.2.1.9 weight 1",
    "10.3.0.0/16 via 10.1.1.9 src 10.1.1.1 proto 79",
    "10.2.0.0/16 dev m0 proto static",
    "unreachable 10.10.0.0/16 proto static metric 7",
    "10.11.0.0/16 via 10.1.1.9 dev d0 onlink proto 80",
    "20.0.0.0/24 via 10.1.1.9 proto 80",
    "prohibit 10.12.0.0/16 proto redirect",
)
FOREIGN6 = (
    "2001:db8:99::/48 via 2001:db8:1::9",
    "blackhole 2001:db8:98::/48 proto static metric 9",
    "2001:db8:97::/48 dev m0 proto kernel",
    "2001:db8:96::/48 via fe80::9 dev m0 proto 81 mtu 1300",
    "2001:db8:95::/48 proto 82 nexthop via 2001:db8:1::8 weight 2 nexthop via fe80::8 dev m0 weight 1",
)
# The channel's options, those of the instance, and routes.
SIMPLE = "route 20.0.0.0/24 via 10.1.1.2; route 20.0.1.0/24 via 10.2.1.7;"
ATTRS = (
    "krt_metric = 77; krt_realm = 5; krt_prefsrc = 10.1.1.1; krt_mtu = 1400; krt_lock_mtu = true; krt_feature_ecn ="
    " true; krt_advmss = 900;krt_hoplimit = 9; krt_initcwnd = 7; krt_rtt = 5; krt_window = 3; krt_rto_min = 4;"
    " krt_quickack = 1; krt_lock_rtt = true;"
)
FOUR = (
    ("export all;", "", SIMPLE),
    ("export all;", "metric 64;", SIMPLE + "route 0.0.0.0/0 via 10.1.1.2;"),
    ("export all;", "metric 0;", SIMPLE + "route 20.0.2.0/24 via 10.1.1.2 { krt_metric = 9; };"),
    ("export all;", "", "route 20.0.8.0/24 via 10.1.1.2 { %s };" % ATTRS),
    ("export filter { %s krt_scope = 200; accept; };" % ATTRS, "", SIMPLE),
    ("export all;", "learn;", SIMPLE),
    ("export all;", "learn; metric 0;", SIMPLE + "route 10.9.0.0/16 via 10.1.1.3 { krt_metric = 3; };"),
    ("export none;", "learn;", SIMPLE),
    (
        "import filter { if krt_source = 4 then reject; if krt_metric > 10 then krt_mtu = 1200; accept; }; export all;",
        "learn;",
        SIMPLE,
    ),
    ("export where net ~ [ 20.0.1.0/24 ];", "", SIMPLE),
    (
        "export filter { if defined(krt_mtu) then unset(krt_mtu); accept; };",
        "",
        "route 20.0.8.0/24 via 10.1.1.2 { krt_mtu = 1400; krt_initrwnd = 5; };",
    ),
    (
        "export all;",
        "",
        (
            "route 20.0.1.0/24 via 10.1.1.2 weight 3 via 10.2.1.2 weight 5; route 20.0.3.0/24 via \"m0\" via \"d0\";"
            "route 20.0.4.0/24 via 10.1.1.2 via 10.1.1.3 via 10.1.1.4 weight 256; route 20.0.5.0/24 via \"m0\";"
        ),
    ),
    ("export all;", "", "route 20.0.4.0/24 blackhole; route 20.0.5.0/24 unreachable; route 20.0.6.0/24 prohibit;"),
    (
        "export all;",
        "",
        (
            "route 20.0.7.0/24 via 10.77.7.7%m0 onlink; route 20.0.9.0/24 via 10.77.7.7%m0 onlink via 10.1.1.2; route"
            " 20.0.14.1/32 via 10.1.1.2;"
        ),
    ),
    ("export all;", "", "route 20.0.12.0/24 via 2001:db8:1::7; route 20.0.13.0/24 via fe80::7%m0 via 10.1.1.7;"),
    (
        "export all;",
        "",
        SIMPLE
        + "route 20.0.9.0/24 recursive 10.99.9.9; route 20.0.10.0/24 recursive 20.0.0.5; route 20.0.11.0/24 recursive"
        " 10.1.1.7;",
    ),
)
SIX = (
    (
        "export all;",
        "",
        (
            "route 2001:db8:a::/48 via 2001:db8:1::2; route 2001:db8:b::/48 via fe80::2%m0; route 2001:db8:10::/48 via"
            " \"m0\"; route ::/0 via fe80::2%m0;"
        ),
    ),
    (
        "export all;",
        "learn;",
        (
            "route 2001:db8:c::/48 via 2001:db8:1::2 weight 3 via fe80::2%m0 weight 5; route 2001:db8:11::/48 via"
            " 2001:db8:7::2%m0 onlink;"
        ),
    ),
    (
        "export all;",
        "metric 0;",
        (
            "route 2001:db8:d::/48 blackhole; route 2001:db8:e::/48 unreachable; route 2001:db8:f::/48 prohibit {"
            " krt_metric = 99; };"
        ),
    ),
    (
        "export all;",
        "metric 7;",
        (
            "route 2001:db8:12::/48 via 2001:db8:1::2 { krt_prefsrc = 2001:db8:1::1; krt_mtu = 1280; krt_hoplimit = 33;"
            " krt_lock_mtu = true; };"
        ),
    ),
)


HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { scan time 1; }
"""


def configuration():
    text, k = HEAD, 0
    for kind, cases in (("ipv4", FOUR), ("ipv6", SIX)):
        for channel, options, routes in cases:
            text += (
                "%s table t%d;\nprotocol kernel k%d { kernel table %d; %s %s { table t%d; %s }; }\nprotocol static s%d"
                " { %s { table t%d; };\n%s\n}\n" % (kind, k, k, 100 + k, options, kind, k, channel, k, kind, k, routes)
            )
            k += 1
    return text + 'protocol direct { interface "m0"; ipv4 { table t0; }; ipv6 { table t%d; }; }\n' % len(FOUR)


def in_table(route, t):
    """`table` stands behind the destination."""
    return re.sub(r"(\S+/\d+)", r"\1 table %d" % t, route, count=1)


def machine(tables=range(100, 100 + len(FOUR)), tables6=range(100 + len(FOUR), 100 + len(FOUR) + len(SIX))):
    ip(MACHINE)
    ip(
        "".join("route add %s\n" % in_table(f, t) for t in tables for f in FOREIGN)
        + "".join("route add %s\n" % in_table(f, t) for t in tables6 for f in FOREIGN6)
    )


def learned(d):
    """{(table, net): [what is said of the best route]}, of those that came from the kernel."""
    found, table, net, here = {}, None, None, False
    for _, line in d.run("show route all table all"):
        if line.startswith("Table "):
            table = line.split()[1]
        elif not line[:1].isspace() and line.strip():
            net, here = line.split()[0], " [k" in line
        elif line.startswith("  "):
            here = False
        if here and line.strip() and not line.startswith("Table "):
            found.setdefault((table, net), []).append(re.sub(r" \d\d:\d\d:\d\d\.\d+\]", "]", line))
    return found


def as_bird():
    if not os.path.exists(BIRD):
        needs("bird2")
    conf = configuration()
    before = kernels()
    b = Bird(conf, "bird").start()
    wait_until(lambda: len(ours()) > 30 and len(ours(fam="-6")) >= 9, lambda: "bird2's routes: %r" % ours())
    theirs, out = settled(lambda: (kernels(), learned(b)), "bird2")
    b.stop()
    empty()
    bare_machine()
    machine()
    equal(kernels(), before, "the machine once more")
    d = Daemon(conf).start()
    wait_until(
        lambda: kernels() == theirs,
        lambda: "bird2's kernel but not ours: %r; ours: %r"
        % ([x for x in theirs if x not in kernels()], [x for x in kernels() if x not in theirs]),
    )
    wait_until(
        lambda: learned(d) == out,
        lambda: "learned by bird2, by ternd: %r"
        % [(k, out.get(k), learned(d).get(k)) for k in set(out) | set(learned(d)) if out.get(k) != learned(d).get(k)],
    )
    text = d.text("json show route for 10.6.0.0/16 table t5 all")
    check('"krt_mtu":1400' in text.replace(" ", "") and '"krt_source":3' in text.replace(" ", ""), "as JSON: " + text)
    check(len(out) > 20 and len(ours()) > 30, "routes: %d learned, %d in the kernel" % (len(out), len(ours())))
    d.stop()
    equal(kernels(), before, "when ternd has gone")


ONE = (
    HEAD
    + """protocol kernel k { kernel table 100; %s ipv4 { %s }; }
protocol kernel k6 { kernel table 100; %s ipv6 { export all; }; }
protocol static s { ipv4; route 20.1.0.0/24 via 10.1.1.2; route 20.1.1.0/24 via 10.2.1.2 via 10.1.1.2; route \
20.1.2.0/24 blackhole; %s }
protocol static s6 { ipv6; route 2001:db8:a::/48 via 2001:db8:1::2; route 2001:db8:b::/48 via 2001:db8:1::2 via \
fe80::2%%m0; }
"""
)


def one(options="scan time 1;", channel="export all;", routes=""):
    return ONE % (options, channel, options, routes)


def all_there(d, cnt=3, cnt6=2):
    wait_until(
        lambda: len(ours(100)) == cnt and len(ours(100, "-6")) == cnt6,
        lambda: "%r %r %s" % (ours(100), ours(100, "-6"), d.whole_log()),
    )
    return ours(100) + ours(100, "-6")


def has_reason(d, key, net="20.1.0.0/24"):
    """show route why and show reasons say why the kernel lacks @net."""
    wait_until(
        lambda: '"reason":"%s"' % key in d.text("json show route why %s to k" % net).replace(" ", ""),
        lambda: d.text("json show route why %s to k" % net),
    )
    check('"%s":' % key in d.text("json show reasons k"), d.text("json show reasons k"))


def stolen():
    """What others take away, change and put in the way."""
    d = Daemon(one()).start()
    want = all_there(d)
    foreign = [x for x in kernels() if x not in want]
    ip_all(
        """route del 20.1.0.0/24 table 100
route change 20.1.1.0/24 via 10.1.1.77 table 100 metric 32 proto bird
route add 20.1.9.0/24 via 10.1.1.77 table 100 proto bird
route add 20.1.2.0/24 via 10.1.1.77 table 100 proto bird metric 9
-6 route del 2001:db8:a::/48 table 100
-6 route append 2001:db8:b::/48 via 2001:db8:1::77 table 100 metric 32 proto bird
"""
    )
    wait_until(lambda: ours(100) + ours(100, "-6") == want, lambda: "after a scan: %r" % (ours(100) + ours(100, "-6")))
    equal([x for x in kernels() if x not in want], foreign, "what others have there")
    ip("route del 20.1.0.0/24 table 100\nroute add 20.1.0.0/24 via 10.1.1.88 table 100 proto static metric 32")
    wait_until(lambda: "the kernel has a route of another program" in d.whole_log(), "what is in the way")
    check("20.1.0.0/24 via 10.1.1.88" in "\n".join(kernel()), "it stays: %r" % kernel())
    has_reason(d, "kernel_taken")
    ip("route del 20.1.0.0/24 table 100")
    wait_until(lambda: ours(100) + ours(100, "-6") == want, "when that has gone")
    ip("link set m0 down\nlink set m0 up\naddr add 2001:db8:1::1/64 dev m0 nodad")
    ip("addr add fe80::aa/64 dev m0 nodad")
    wait_until(
        lambda: ours(100) + ours(100, "-6") == want, lambda: "a link went and came: %r" % (ours(100) + ours(100, "-6"))
    )
    ip_all("route flush table 100 proto bird\n-6 route flush table 100 proto bird")
    wait_until(lambda: ours(100) + ours(100, "-6") == want, "all were taken away")
    d.stop()


def persists():
    d = Daemon(one("persist; scan time 60;")).start()
    want = all_there(d)
    d.stop()
    equal(ours(100) + ours(100, "-6"), want, "they outlast the daemon")
    d = Daemon(
        one(routes="route 20.1.3.0/24 via 10.1.1.5;")
        .replace("20.1.0.0/24 via 10.1.1.2;", "20.1.0.0/24 via 10.1.1.3;")
        .replace("route 20.1.2.0/24 blackhole;", "")
    ).start()
    wait_until(
        lambda: len(ours(100)) == 3 and "via 10.1.1.3" in ours(100)[0] and "20.1.3.0" in "\n".join(ours(100)),
        lambda: "what another configuration makes of them: %r" % ours(100),
    )
    check("20.1.2.0" not in "\n".join(ours(100)), "%r" % ours(100))
    d.proc.kill()
    d.proc.wait()
    check(len(ours(100)) == 3, "one that was killed leaves its routes")
    d = Daemon(one()).start()
    wait_until(lambda: ours(100) + ours(100, "-6") == want, lambda: "of one that was killed: %r" % ours(100))
    d.stop()
    equal(ours(100) + ours(100, "-6"), [], "without persist")


def restarts():
    """Our own restart: the command leaves the kernel's routes; with `graceful restart` they stay until recovery is
    over."""
    port = free_port()
    text = (
        HEAD.replace("protocol device", "graceful restart wait 100; protocol device")
        + """
protocol direct { interface "m0"; ipv4; }
protocol kernel k { kernel table 100; scan time 1; %s ipv4 { export where source = RTS_BGP; }; }
protocol bgp b { local 127.0.10.1 port PORT as 65000; neighbor 127.0.11.1 as 65001; multihop; passive; strict bind on; \
graceful restart on;
  ipv4 { import all; export none; }; }
""".replace(
            "PORT", str(port)
        )
    )
    able = struct.pack("!BBHHBB", 64, 6, 120, 1, 1, 0x80)

    def up(d, *routes):
        p = member(port, 1, able)
        p.update(list(routes), next_hop="10.1.1.7")
        return p

    def has(*want):
        return sorted(re.search(r"[0-9.]+/[0-9]+", line).group() for line in ours(100)) == sorted(want)

    for option in ("graceful restart;", ""):
        d = Daemon(text % option).start()
        p = up(d, "20.7.0.0/16", "20.8.0.0/16")
        wait_until(lambda: has("20.7.0.0/16", "20.8.0.0/16"), lambda: "its routes: %r" % ours(100))
        equal(Cli(d.ctl).run("graceful restart")[-1][0], 25, "graceful restart")
        equal(d.proc.wait(20 * SLOW), 0, "exit status")
        d.drop_cli()
        check(has("20.7.0.0/16", "20.8.0.0/16"), "after the command: %r" % ours(100))
        p.s.close()
        d.start("-R")
        if not option:
            wait_until(lambda: has(), lambda: "without the option: %r" % ours(100))
            d.stop()
            break
        both = lambda: has("20.7.0.0/16", "20.8.0.0/16")
        recovery = lambda: "during recovery: %r" % ours(100)
        stays(both, recovery, 1.5)  # a scan, and another one
        p = up(d, "20.8.0.0/16", "20.9.0.0/16")
        wait_until(lambda: "20.9.0.0/16" in d.text("show route"), lambda: "its routes: " + d.text("show route"))
        stays(both, recovery, 1.5)
        p.end_of_rib()
        wait_until(lambda: has("20.8.0.0/16", "20.9.0.0/16"), lambda: "after it: %r" % ours(100))
        p.s.close()
        d.stop()
        check(has(), "after `down`: %r" % ours(100))


def changes():
    """Configurations, commands, limits."""
    d = Daemon(one()).start()
    want = all_there(d)
    d.write(one("scan time 1; metric 55;"))
    d.code("configure")
    wait_until(
        lambda: ours(100) + ours(100, "-6") == [x.replace("metric 32", "metric 55") for x in want],
        lambda: "another metric: %r" % ours(100),
    )
    d.write(one("scan time 1;", "export where net != 20.1.1.0/24;", "route 20.1.4.0/24 via 10.1.1.9;"))
    d.code("configure")
    wait_until(
        lambda: len(ours(100)) == 3
        and "20.1.1.0" not in "\n".join(ours(100))
        and "metric 55" not in "\n".join(ours(100)),
        lambda: "another filter: %r" % ours(100),
    )
    d.run("disable k")
    wait_until(lambda: ours(100) == [], lambda: "disabled: %r" % ours(100))
    wait_until(lambda: len(ours(100, "-6")) == 2, "the other one isn't")
    d.run("enable k")
    wait_until(lambda: len(ours(100)) == 3, lambda: "enabled: %r" % ours(100))
    d.run("restart k")
    wait_until(lambda: len(ours(100)) == 3, lambda: "restarted: %r" % ours(100))
    d.write(one("scan time 1;", "export all; export limit 2 action block;"))
    d.code("configure")
    d.run("restart k")
    wait_until(lambda: len(ours(100)) == 2, lambda: "a limit: %r" % ours(100))
    check(d.text("show protocols all k").count("exported"), d.text("show protocols all k"))
    d.stop()


POLICIES = (
    ("another source address", "export filter { krt_prefsrc = 10.1.1.1; accept; };", lambda r: "src 10.1.1.1" in r),
    ("none", "export all;", lambda r: "src" not in r and "mtu" not in r),
    ("an attribute of the kernel", "export filter { krt_mtu = 1400; accept; };", lambda r: "mtu 1400" in r),
    ("a gateway", "export filter { gw = 10.1.1.5; accept; };", lambda r: "via 10.1.1.5" in r),
    ("a destination", "export filter { dest = RTD_UNREACHABLE; accept; };", lambda r: r.startswith("unreachable")),
    ("a metric", "export filter { krt_metric = 9; accept; };", lambda r: "metric 9" in r),
    ("another metric", "export filter { krt_metric = 77; accept; };", lambda r: "metric 77" in r),
    ("all again", "export all;", lambda r: "via" in r and "metric" not in r),
)


def policies():
    """Another export filter that changes what is local alone: gateway, destination, attributes of the kernel. The scan
    is far away; and packets never lack the route."""
    d = Daemon(one("metric 0; scan time 600;", routes="route 20.1.3.0/24 via 10.1.1.3;")).start()
    all_there(d, 4)
    heard = spawn(["ip", "monitor", "route"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)

    def hears():
        ip("route add 30.9.0.0/16 via 10.1.1.44 table 101\nroute del 30.9.0.0/16 table 101")
        return select.select([heard.stdout], [], [], 0)[0]

    wait_until(hears, "changes are heard of")
    for what, policy, there in POLICIES:
        d.write(one("metric 0; scan time 600;", policy, "route 20.1.3.0/24 via 10.1.1.3;"))
        d.code("configure")
        wait_until(lambda: there(route_of("20.1.3.0/24")), lambda: "%s: %r" % (what, route_of("20.1.3.0/24")))
    ip("route add 30.8.0.0/16 via 10.1.1.44 table 101\nroute del 30.8.0.0/16 table 101")
    there = {"0"}  # metrics of which there is a route
    while True:
        line = heard.stdout.readline().decode()
        if "30.8.0.0" in line:
            break
        if "20.1.3.0/24" in line:
            metric = (re.findall(r" metric (\d+)", line) or ["0"])[0]
            (there.discard if line.startswith("Deleted") else there.add)(metric)
            check(there, "the kernel lacks the route for a moment: " + line)
    equal(there, {"0"}, "metrics, at the end")
    end(heard)
    d.stop()


def route_of(net):
    return "\n".join(x for x in ours(100) if x.split(" metric")[0].count(net))


def refused_is_exported(d, least):
    """`exported`, `noexport`, `why`, text and JSON of `show protocols all` agree about routes that the kernel
    refuses."""

    def told():
        return [json.loads(t) for _, t in d.run("json show route exported k table master4")[:-1] if '"network"' in t]

    wait_until(
        lambda: sum("not_installed" in r for r in told()) >= least
        and (least or not any("not_installed" in r for r in told())),
        lambda: "%d refused: %r" % (least, told()),
    )
    refused = [r["network"] for r in told() if "not_installed" in r]
    text = d.text("show route exported k table master4")
    equal(sorted(re.findall(r"^(\S+) .* ! \(", text, re.M)), sorted(refused), "the mark of exported routes: " + text)
    check(not re.findall(r"^\S+/", d.text("show route noexport k table master4"), re.M), "the filter refuses nothing")
    channel = json.loads(d.run("json show protocols all k")[0][1])["channels"][0]
    equal(
        (channel["routes"]["exported"], channel["routes"].get("not_installed", 0)),
        (3, len(refused)),
        "JSON of show protocols all",
    )
    shown = d.text("show protocols all k")
    check("3 exported" in shown, shown)
    equal(
        re.findall(r"Not installed: +(\d+) of", shown),
        [str(len(refused))] if refused else [],
        "text of show protocols all",
    )
    for net in "20.1.0.0/24", "20.1.1.0/24", "20.1.2.0/24":
        o = json.loads(d.run("json show route why %s to k" % net)[1][1])
        equal((o["goes"], o.get("installed", True), "bar" in o), (True, net not in refused, False), "JSON of why")
        equal(
            "sent, but not installed: the kernel refuses the route" in d.text("show route why %s to k" % net),
            net in refused,
            "text of why",
        )


def kept():
    """A route that the kernel refuses in place of another one: that stays, `show route` and JSON say so, and a scan
    tries again."""
    good, bad = "export all;", "export filter { krt_prefsrc = 10.200.0.1; accept; };"
    d = Daemon(one("scan time 600;")).start()
    all_there(d)
    check(" * (" in d.text("show route 20.1.0.0/24"), "it is there: " + d.text("show route 20.1.0.0/24"))
    d.write(one("scan time 600;", bad))
    d.code("configure")
    wait_until(
        lambda: " ! (" in d.text("show route 20.1.0.0/24"), lambda: "refused: " + d.text("show route 20.1.0.0/24")
    )
    check(
        '"not_installed":"kernel_refused"' in d.text("json show route 20.1.0.0/24").replace(" ", ""),
        d.text("json show route 20.1.0.0/24"),
    )
    has_reason(d, "kernel_refused")
    refused_is_exported(d, 2)
    check("via 10.1.1.2" in route_of("20.1.0.0/24"), "the old one is there: %r" % route_of("20.1.0.0/24"))
    d.write(one("scan time 1;", bad))
    d.code("configure")
    wait_until(lambda: d.whole_log().count("20.1.") > 0, "the log says so")
    check("via 10.1.1.2" in route_of("20.1.0.0/24"), "after a scan: %r" % route_of("20.1.0.0/24"))
    ip("addr add 10.200.0.1/32 dev lo")
    wait_until(
        lambda: "src 10.200.0.1" in route_of("20.1.0.0/24"), lambda: "when it can be: %r" % route_of("20.1.0.0/24")
    )
    wait_until(
        lambda: " * (" in d.text("show route 20.1.0.0/24"), lambda: "and is said: " + d.text("show route 20.1.0.0/24")
    )
    refused_is_exported(d, 0)
    d.write(one("scan time 1;", good))
    d.code("configure")
    wait_until(lambda: "src" not in route_of("20.1.0.0/24"), "as at first")
    d.stop()


def nothing_changes():
    """Realms stand on routes without gateways, too; and what a scan finds again is counted once."""
    realm = "{ krt_realm = 5; }"
    d = Daemon(
        one(
            "learn; scan time 1;",
            "import all; export all;",
            "route 20.1.5.0/24 blackhole %s; route 20.1.6.0/24 unreachable %s; route 20.1.7.0/24 via 10.1.1.2 %s;"
            % (realm, realm, realm),
        )
    ).start()
    all_there(d, 6)
    for k in 5, 6, 7:
        check(re.search(r"realms? 5", route_of("20.1.%d.0/24" % k)), route_of("20.1.%d.0/24" % k))
    wait_until(lambda: "10.1.1.9" in d.text("show route 10.9.0.0/16"), "it learns")

    def counts():
        return re.findall(r"(?:Import|Export) (?:updates|withdraws):.*", d.text("show protocols all k"))

    def scans():
        heard.append(d.text("show protocols all k"))
        ip("route del 20.1.%d.0/24 table 100" % (5 + len(heard) % 2))
        wait_until(lambda: len(ours(100)) == 6, "a scan has mended it")

    heard = []
    scans()
    before = counts()
    check(len(before) == 4, heard[0])
    scans()
    scans()
    equal(counts(), before, "counters, three scans later")
    d.stop()


def news():
    """Routes of others come and go at once."""
    d = Daemon(one("learn; scan time 60;")).start()
    all_there(d, 3, 2)
    cnt = d.text("show route count protocol k")

    def said(net):
        return d.text("show route all for " + net)

    wait_until(
        lambda: "10.1.1.9" in said("10.9.0.0/16"), lambda: "learned at the start: %s %s" % (cnt, said("10.9.0.0/16"))
    )
    ip("route add 30.0.0.0/8 via 10.1.1.44 table 100 metric 5\nroute add 30.0.0.0/8 via 10.1.1.45 table 100 metric 4")
    wait_until(
        lambda: "10.1.1.45" in said("30.0.0.0/8") and "10.1.1.44" in said("30.0.0.0/8"), lambda: said("30.0.0.0/8")
    )
    check(
        said("30.0.0.0/8").index("10.1.1.45") < said("30.0.0.0/8").index("10.1.1.44"),
        "the lower metric is better: " + said("30.0.0.0/8"),
    )
    ip("route replace 30.0.0.0/8 via 10.1.1.46 table 100 metric 4")
    wait_until(
        lambda: "10.1.1.46" in said("30.0.0.0/8") and "10.1.1.45" not in said("30.0.0.0/8"), lambda: said("30.0.0.0/8")
    )
    ip("route del 30.0.0.0/8 table 100 metric 4\nroute del 30.0.0.0/8 table 100 metric 5")
    wait_until(lambda: "30.0.0.0" not in said("30.0.0.0/8"), lambda: said("30.0.0.0/8"))
    ip("\n".join("route add 31.%d.%d.0/24 via 10.1.1.9 table 100" % (k >> 8, k & 255) for k in range(3000)))
    wait_until(
        lambda: "3000 of" in d.text("show route count where net ~ 31.0.0.0/8"),
        lambda: d.text("show route count where net ~ 31.0.0.0/8"),
    )
    ip("link set m0 down")
    wait_until(
        lambda: d.text("show route count where net ~ 31.0.0.0/8").startswith("0 of"),
        lambda: "a link went: " + d.text("show route count where net ~ 31.0.0.0/8"),
    )
    check("k4" not in d.text("show protocols all k"), "")
    d.stop()


def closed():
    """Something closes the sockets under us, and their descriptors become other ones: a scan opens others, and mends
    what was lost."""
    d = Daemon(one("learn; scan time 1;")).start()
    want = all_there(d)
    fds = {fd: os.readlink("/proc/%d/fd/%s" % (d.pid, fd)) for fd in os.listdir("/proc/%d/fd" % d.pid)}
    with open("/proc/%d/net/netlink" % d.pid) as f:
        inodes = {line.split()[-1] for line in f.read().split("\n")[1:] if line.strip()}
    mine = [fd for fd, what in fds.items() if what.startswith("socket:[") and what[8:-1] in inodes]
    check(len(mine) >= 7, "netlink sockets: %r" % mine)
    # In a thread that sleeps in epoll: glibc aborts when a call cuts short the futex that the main thread waits for.
    there = "python [t.switch() for t in gdb.selected_inferior().threads() if t.name == 'interfaces']"
    subprocess.run(
        ["gdb", "-p", str(d.pid), "-batch", "-ex", there]
        + [x for fd in mine for x in ("-ex", "call (int)close(%s)" % fd)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=60 * SLOW,
        check=False,
    )
    left = [os.readlink("/proc/%d/fd/%s" % (d.pid, fd)) for fd in os.listdir("/proc/%d/fd" % d.pid)]
    check(not {fds[fd] for fd in mine} & set(left), "closed: %r" % left)
    ip_all("route flush table 100 proto bird\n-6 route flush table 100 proto bird")
    wait_until(lambda: ours(100) + ours(100, "-6") == want, lambda: "after a scan: %r %s" % (ours(100), d.whole_log()))
    ip("route add 30.0.0.0/8 via 10.1.1.44 table 100")
    wait_until(lambda: "10.1.1.44" in d.text("show route 30.0.0.0/8"), "routes of others are heard of")
    ip("addr add 10.3.1.1/24 dev d0")
    wait_until(lambda: "10.3.1.1" in d.text("show interfaces"), "interfaces are followed")
    d.write(one("learn; scan time 1;", routes="route 20.1.7.0/24 via 10.3.1.2;"))
    d.code("configure")
    wait_until(lambda: len(ours(100)) == 4, lambda: "a new route: %r" % ours(100))
    d.stop()
    equal(ours(100) + ours(100, "-6"), [], "when it has gone")


def refused():
    """What the kernel won't have; what we may not do."""
    d = Daemon(
        one(
            routes=(
                "route 20.1.5.0/24 via 10.1.1.2 { krt_prefsrc = 10.200.0.1; }; route 20.1.6.0/24 via 10.1.1.2 via"
                " 10.2.1.9 { krt_prefsrc = 10.200.0.1; };"
            )
        )
    ).start()
    all_there(d)
    wait_until(lambda: "The kernel refuses network 20.1." in d.whole_log(), "that is said: " + d.whole_log())
    stays(lambda: d.whole_log().count("The kernel refuses") == 1, lambda: "once: " + d.whole_log(), 2.5)  # scans
    ip("addr add 10.200.0.1/32 dev lo")
    all_there(d, 5)
    d.stop()
    if os.path.exists("/usr/bin/setpriv") or shutil.which("setpriv"):
        d = Daemon(one("scan time 1; learn;"))
        d.argv = lambda *more, argv=d.argv: ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin"] + argv(
            *more
        )
        d.start()
        wait_until(
            lambda: "Not permitted to change the kernel's routes" in d.whole_log(),
            lambda: "without privileges: " + d.whole_log(),
        )
        wait_until(lambda: "10.1.1.9" in d.text("show route 10.9.0.0/16"), "it learns all the same")
        wait_until(lambda: d.whole_log().count("Not permitted") == 2, d.whole_log)
        equal(ours(100), [], "it runs on, and changes nothing")
        has_reason(d, "kernel_denied")
        d.stop()


def overruns():
    """More routes of others come and go at once than the kernel keeps for us: all are read again."""
    d = Daemon(one("learn; scan time 100; netlink rx buffer 8192;")).start()
    all_there(d)
    for command, cnt in (
        ("\n".join("route add 31.%d.%d.0/24 via 10.1.1.9 table 100" % (k >> 8, k & 255) for k in range(3000)), 3000),
        ("\n".join("route del 31.%d.%d.0/24 table 100" % (k >> 8, k & 255) for k in range(2990)), 10),
    ):
        freeze(d.pid)  # so that nobody reads
        ip(command)
        os.kill(d.pid, signal.SIGCONT)
        wait_until(
            lambda: "%d of" % cnt in d.text("show route count where net ~ 31.0.0.0/8"),
            lambda: d.text("show route count where net ~ 31.0.0.0/8"),
        )
    d.stop()


def leave():
    """Of many routes that leave in a row some are kept back for a moment: then they go, too, whatever else happens."""
    many = "".join("route 32.%d.%d.0/24 via 10.1.1.2; " % (k >> 8, k & 255) for k in range(4000))

    def go(d, options, routes, cnt):
        d.write(one(options, routes=routes))
        d.code("configure")
        if cnt:
            wait_until(lambda: len(ours(100)) == cnt, lambda: "%d routes, not %d" % (len(ours(100)), cnt))

    for options in "scan time 100;", "scan time 100; persist;":
        d = Daemon(one(options)).start()
        want = all_there(d)
        go(d, options, many, 4003)
        go(d, options, "", 3)
        go(d, options, many, 4003)
        go(d, options, "", 0)
        go(d, options, many + "route 33.0.0.0/8 via 10.1.1.3;", 4004)
        go(d, options, "", 0)
        wait_until(lambda: len(ours(100)) < 50, "almost all to leave", every_s=0.001)
        d.stop()
        equal(ours(100) + ours(100, "-6"), want if "persist" in options else [], "when it has gone")


def unreachable():
    """A gateway that the kernel can't reach, which only it knows: one line, and everything else is there."""
    d = Daemon(
        one(routes="".join("route 20.2.%d.0/24 via 10.77.7.7%%m0 onlink { onlink = false; }; " % k for k in range(50)))
    ).start()
    all_there(d)
    wait_until(lambda: "Network is unreachable" in d.whole_log(), d.whole_log)
    d.write(
        one(
            routes="".join("route 20.2.%d.0/24 via 10.77.7.7%%m0 onlink { onlink = false; }; " % k for k in range(50))
            + "route 20.1.3.0/24 via 10.1.1.5;"
        )
    )
    d.code("configure")
    all_there(d, 4)
    stays(lambda: d.whole_log().count("The kernel refuses") == 1, lambda: "one line: " + d.whole_log(), 2.5)  # scans
    ip("addr add 10.77.7.1/24 dev m0")
    all_there(d, 54)
    d.stop()


# Lets send() of 1,000 octets and more fail for lack of room; then runs its arguments.
NO_ROOM = """
import ctypes, os, struct, sys
nr = {"x86_64": 44, "aarch64": 206}[os.uname().machine]
f = b"".join(struct.pack("HBBI", *i) for i in ((0x20, 0, 0, 0), (0x15, 0, 3, nr), (0x20, 0, 0, 32), (0x35, 0, 1, 1000),
    (0x06, 0, 0, 0x00050000 | 105), (0x06, 0, 0, 0x7fff0000)))
buf = ctypes.create_string_buffer(f)
prog = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(f) // 8, ctypes.addressof(buf)))
c = ctypes.CDLL(None, use_errno=True)
if c.prctl(38, 1, 0, 0, 0) or c.prctl(22, 2, prog, 0, 0):
    sys.exit("prctl: %d" % ctypes.get_errno())
os.execvp(sys.argv[1], sys.argv[1:])
"""


def no_room():
    """A kernel that has no room for much at once: it is written in smaller parts."""
    if os.uname().machine not in ("x86_64", "aarch64"):
        cannot_here("a filter of system calls for this machine")
    d = Daemon(one(routes="".join("route 20.3.%d.0/24 via 10.1.1.2; " % k for k in range(40))))
    d.argv = lambda *more, argv=d.argv: [sys.executable, "-c", NO_ROOM] + argv(*more)
    d.start()
    wait_until(
        lambda: len([x for x in ours(100) if x.startswith("20.3.")]) == 40,
        lambda: "routes that came together: %r" % ours(100),
    )
    d.write(one())
    d.code("configure")
    all_there(d)
    check("may not have reached" not in d.whole_log(), d.whole_log())
    d.stop()
    equal(ours(100) + ours(100, "-6"), [], "when it has gone")


def node(cls, name, igp=""):
    """An AS112 node: two addresses that it announces, and what a neighbour on the link and a router behind that tell
    it."""
    conf = (
        HEAD
        + """protocol direct { ipv4; interface "m0"; }
protocol kernel k { kernel table 100; scan time 5; ipv4 { export where source != RTS_DEVICE; }; }
protocol static as112 { ipv4; route 192.175.48.0/24 via "lo"; route 192.31.196.0/24 via "lo"; route 10.77.0.0/16 via \
10.1.1.2; }
protocol bgp near { local 10.1.1.1 port 1790 as 112; neighbor 10.1.1.2 port 1790 as 65001; connect delay time 1; ipv4 \
{ import all; export where proto = "as112"; }; }
protocol bgp far { local 10.1.1.1 port 1790 as 112; neighbor 10.1.1.3 port 1790 as 112; connect delay time 1; \
multihop; ipv4 { import all; export none; }; }
"""
    )
    return cls(conf, name).start()


def as112():
    """The same neighbours, and the same routes of theirs, give the kernel what they give it by bird2."""
    if not os.path.exists(BIRD):
        needs("bird2")
    other = other_namespace()
    ip("link set m1 netns %d" % other.pid)
    inside = ["nsenter", "-t", str(other.pid), "-n"]
    for line in ("link set lo up", "link set m1 up", "addr add 10.1.1.2/24 dev m1", "addr add 10.1.1.3/24 dev m1"):
        subprocess.run(inside + ["ip"] + line.split(), check=True, timeout=60 * SLOW)
    n = Daemon(
        HEAD.replace("10.0.0.1", "10.0.0.2")
        + """
protocol static near { ipv4; %s route 50.9.0.0/24 via 10.1.1.3; route 50.9.1.0/24 blackhole; route 50.9.2.0/24 via \
10.1.1.2 { bgp_next_hop = 10.1.1.9; }; }
protocol static far { ipv4 { table tf; }; route 51.0.0.0/24 blackhole { bgp_next_hop = 10.77.3.3; }; route 51.0.1.0/24 \
blackhole { bgp_next_hop = 10.88.3.3; };
	route 51.0.2.0/24 blackhole { bgp_next_hop = 10.1.1.44; };
	route 51.0.3.0/24 blackhole { bgp_next_hop = 50.0.0.7; }; }
protocol bgp a { local 10.1.1.2 port 1790 as 65001; neighbor 10.1.1.1 port 1790 as 112; passive; ipv4 { import all; \
export where proto = "near"; next hop keep; }; }
protocol bgp b { local 10.1.1.3 port 1790 as 112; neighbor 10.1.1.1 port 1790 as 112; passive; multihop; ipv4 { table \
tf; import none; export all; next hop keep; }; }
""".replace(
            "protocol static near", "ipv4 table tf;\nprotocol static near"
        )
        % "".join("route 50.%d.0.0/16 blackhole; " % k for k in range(5)),
        "neighbour",
    )
    n.argv = lambda *more, argv=n.argv: inside + argv(*more)
    n.start()
    kernels_of = []
    for cls, name in ((Bird, "bird"), (Daemon, "ternd")):
        d = node(cls, name)
        wait_until(
            lambda: len(ours(100)) >= 15,
            lambda: "%s: %r %s %s" % (name, ours(100), d.text("show protocols"), d.text("show route")),
        )
        if kernels_of:
            wait_until(lambda: ours(100) == kernels_of[0], lambda: "%r, not %r" % (ours(100), kernels_of[0]))
        kernels_of.append(settled(lambda: (d.text("show protocols"), ours(100))[1], name))
        d.stop()
        wait_until(lambda: not ours(100), "%s to take its routes out" % name)
    equal(kernels_of[1], kernels_of[0], "routes by ternd, by bird2")
    n.stop()


in_namespace()


def with_machine(fn):
    def on_it():
        empty()
        machine()
        fn()

    return on_it


link_case("routes as bird2 has them", with_machine(as_bird))
link_case("what others break", with_machine(stolen))
link_case("routes that stay", with_machine(persists))
link_case("our own restart", with_machine(restarts))
link_case("changes", with_machine(changes))
link_case("another export filter", with_machine(policies))
link_case("a route that stays when its successor is refused", with_machine(kept))
link_case("scans that find nothing new", with_machine(nothing_changes))
link_case("routes of others", with_machine(news))
if shutil.which("gdb") and not is_sanitized(os.path.join(BUILD, "ternd")):
    link_case("sockets closed under us", with_machine(closed))
link_case("what is refused", with_machine(refused))
link_case("more than the kernel keeps", with_machine(overruns))
link_case("many that leave", with_machine(leave))
link_case("a gateway that the kernel doesn't reach", with_machine(unreachable))
link_case("no room in the kernel", with_machine(no_room))
link_case("an AS112 node", with_machine(as112))
done()
