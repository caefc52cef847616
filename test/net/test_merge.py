# SPDX-License-Identifier: GPL-3.0-or-later
"""`merge paths` of protocol kernel: routes that are as good as the best one give it their next hops. Static routes, and
routes of BGP sessions that come, change and go, give the kernel the same multipath routes, line by line, as they do by
bird2."""

from kernel_routes import *

if KIND != "ternd":
    cannot_here("this is about ternd")
if not os.path.exists(BIRD):
    needs("bird2")

HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { scan time 1; }
protocol direct { interface "m0", "d0"; ipv4; ipv6; }
"""
# The instance's options, its channel's, and the routes of three static protocols.
FOUR = (
    (
        "merge paths;",
        "export all;",
        "route 20.0.0.0/24 via 10.1.1.2;",
        "route 20.0.0.0/24 via 10.2.1.7;",
        "route 20.0.0.0/24 via 10.1.1.3; route 20.0.1.0/24 via 10.1.1.4;",
    ),
    (
        "merge paths off;",
        "export all;",
        "route 20.0.0.0/24 via 10.1.1.2;",
        "route 20.0.0.0/24 via 10.2.1.7 { preference = 100; };",
        "",
    ),
    (
        "merge paths on limit 2;",
        "export all;",
        "route 20.0.0.0/24 via 10.1.1.9;",
        "route 20.0.0.0/24 via 10.2.1.7 weight 7;",
        "route 20.0.0.0/24 via 10.1.1.3 weight 9 via 10.1.1.8 weight 8;",
    ),
    (
        "merge paths limit 255;",
        "export all;",
        "route 20.0.0.0/24 via 10.1.1.2 weight 3;",
        "route 20.0.0.0/24 via 10.2.1.7 weight 5 via 10.1.1.2 weight 3;",
        "route 20.0.0.0/24 via 10.2.1.7;",
    ),
    (
        "merge paths;",
        "export all;",
        "route 20.0.0.0/24 blackhole { preference = 300; };",
        "route 20.0.0.0/24 via 10.2.1.7;",
        "route 20.0.1.0/24 via 10.1.1.2;",
    ),
    (
        "merge paths;",
        "export all;",
        "route 20.0.0.0/24 via 10.2.1.7;",
        "route 20.0.0.0/24 unreachable { preference = 100; };",
        "route 20.0.0.0/24 via 10.1.1.6;",
    ),
    (
        "merge paths; metric 0;",
        "export filter { krt_metric = 7; krt_mtu = 1300; accept; };",
        "route 20.0.0.0/24 via 10.1.1.2;",
        "route 20.0.0.0/24 via 10.2.1.7;",
        "",
    ),
    (
        "merge paths;",
        "export all;",
        "route 20.0.0.0/24 via 10.1.1.2 { preference = 300; };",
        "route 20.0.0.0/24 via 10.2.1.7;",
        "route 20.0.0.0/24 via 10.1.1.4 { preference = 300; };",
    ),
    (
        "merge paths;",
        "export all;",
        "route 20.0.0.0/24 recursive 10.1.1.77;",
        "route 20.0.0.0/24 recursive 10.2.1.77;",
        "route 20.0.1.0/24 recursive 10.1.1.77; route 20.0.1.0/25 recursive 99.1.1.1;",
    ),
    (
        "merge paths;",
        "export all;",
        "route 20.0.0.0/24 via 10.77.7.7%m0 onlink;",
        "route 20.0.0.0/24 via 10.77.7.7%d0 onlink;",
        "route 20.0.0.0/24 via fe80::7%m0;",
    ),
)
SIX = (
    (
        "merge paths;",
        "export all;",
        "route 2001:db8:a::/48 via 2001:db8:1::2;",
        "route 2001:db8:a::/48 via fe80::2%m0;",
        "route 2001:db8:a::/48 via 2001:db8:1::3 weight 4;",
    ),
    (
        "merge paths limit 1;",
        "export all;",
        "route 2001:db8:a::/48 via 2001:db8:1::2;",
        "route 2001:db8:a::/48 via fe80::2%m0 { preference = 100; };",
        "",
    ),
)


def configuration():
    text, k = HEAD, 0
    for kind, cases in (("ipv4", FOUR), ("ipv6", SIX)):
        for options, channel, *routes in cases:
            text += "%s table t%d;\nprotocol kernel k%d { kernel table %d; %s %s { table t%d; %s }; }\n" % (
                kind,
                k,
                k,
                100 + k,
                options,
                kind,
                k,
                channel,
            )
            text += "".join(
                "protocol static s%d_%d { %s { table t%d; }; igp table %s;\n%s\n}\n"
                % (k, i, kind, k, "master" + kind[3], r)
                for i, r in enumerate(routes)
            )
            k += 1
    return text


def exported(d, k):
    """What `show route export` has of kernel protocol @k, without times and whose route it is: that hangs on which came
    first."""
    return sorted(
        re.sub(r" \[.*\]", "", line)
        for _, line in d.run("show route table t%d export k%d" % (k, k))
        if not line.startswith("Table") and line.strip()
    )


def statics():
    conf, of, shown = configuration(), [], []
    for cls, name in ((Bird, "bird"), (Daemon, "ternd")):
        empty()
        bare_machine()
        ip(MACHINE)
        d = cls(conf, name).start()
        wait_until(lambda: len(ours()) >= 13 and len(ours(fam="-6")) >= 2, lambda: "%s: %r" % (name, ours()))
        settled(kernels, name)  # routes of the same protocol may follow
        if of:
            wait_until(
                lambda: sorted(kernels()) == sorted(of[0]),
                lambda: "routes by ternd: %r, by bird2: %r" % (kernels(), of[0]),
                5,
            )
        of.append(kernels())
        shown.append([exported(d, k) for k in range(len(FOUR) + len(SIX))])
        d.stop()
    equal(
        [x for x in of[1] if x not in of[0]],
        [x for x in of[0] if x not in of[1]],
        "routes by ternd but not bird2, and the other way round",
    )
    equal(shown[1], shown[0], "`show route export` by ternd, by bird2")
    check(sum("nexthop" in x for x in of[0]) >= 7, "routes of several hops: %r" % of[0])


SESSIONS = (
    HEAD
    + """protocol kernel k { kernel table 100; merge paths on; scan time 60; ipv4 { export filter {
	if source = RTS_DEVICE || (proto = "b3" && net = 50.0.0.0/16) then reject;
	if proto = "b1" then krt_mtu = 1300;
	accept; }; }; }
template bgp one { local 127.0.10.1 port PORT as 65000; multihop; passive; strict bind on; hold time 240; MORE ipv4 { \
import all; export none; }; }
protocol bgp b1 from one { neighbor 127.0.11.1 as 65001; }
protocol bgp b2 from one { neighbor 127.0.11.2 as 65002; }
protocol bgp b3 from one { neighbor 127.0.11.3 as 65003; }
"""
)


def med(value):
    return attribute(0x80, 4, struct.pack("!I", value))


def steps(d, port):
    """What the kernel has after each step."""
    seen = []

    def look(p, net):
        """@net comes last: then all is there."""
        p.update([net], next_hop="10.1.1.250")
        wait_until(
            lambda: any(net in line for line in ours(100)), lambda: "%s: %r %s" % (net, ours(100), d.text("show route"))
        )
        seen.append(settled(lambda: ours(100), "the kernel's routes", 0.2))

    a, b, c = (member(port, n) for n in (1, 2, 3))
    a.update(
        ["50.0.0.0/16", "50.1.0.0/16", "50.2.0.0/16", "50.3.0.0/16", "50.4.0.0/16", "50.6.0.0/16"], next_hop="10.1.1.7"
    )
    b.update(["50.0.0.0/16", "50.4.0.0/16"], next_hop="10.2.1.7")
    b.update(["50.1.0.0/16"], path=[65002, 7], next_hop="10.2.1.7")
    b.update(["50.2.0.0/16"], next_hop="10.2.1.7", extra=med(5))
    b.update(["50.3.0.0/16"], path=[65001], next_hop="10.2.1.7", extra=med(5))
    b.update(["50.6.0.0/16"], next_hop="10.1.1.7")
    c.update(["50.0.0.0/16", "50.5.0.0/16"], next_hop="10.1.1.9")
    c.update(["50.4.0.0/16"], next_hop="99.9.9.9")
    look(c, "60.0.0.0/16")
    b.update(["50.0.0.0/16"], next_hop="10.2.1.8")  # one behind the best changes, one comes, and one goes
    c.update(["50.6.0.0/16"], next_hop="10.1.1.8")
    b.withdraw(["50.4.0.0/16"])
    look(b, "60.1.0.0/16")
    b.update(
        ["50.4.0.0/16"], next_hop="10.2.1.7"
    )  # it comes again, the best becomes worse, and another one gets better
    a.update(["50.0.0.0/16"], path=[65001, 9], next_hop="10.1.1.7")
    b.update(["50.1.0.0/16"], next_hop="10.2.1.7")
    look(c, "60.2.0.0/16")
    a.update(["50.0.0.0/16"], next_hop="10.1.1.7")
    look(a, "60.3.0.0/16")
    a.cease()
    wait_until(lambda: not any("60.3.0.0" in line for line in ours(100)), "the best to go")
    look(b, "60.4.0.0/16")
    c.cease()
    wait_until(lambda: not any("60.2.0.0" in line for line in ours(100)), "those of c to go")
    look(b, "60.5.0.0/16")
    b.cease()
    wait_until(lambda: not ours(100), lambda: "all to go: %r" % ours(100))
    return seen


def sessions(more):
    of = []
    for cls, name in ((Bird, "bird"), (Daemon, "ternd")):
        empty()
        bare_machine()
        ip(MACHINE)
        port = free_port()
        d = cls(SESSIONS.replace("PORT", str(port)).replace("MORE", more), name).start()
        of.append(steps(d, port))
        d.stop()
    for k, (theirs, ours_) in enumerate(zip(*of)):
        equal(
            [x for x in ours_ if x not in theirs],
            [x for x in theirs if x not in ours_],
            "step %d: routes by ternd but not bird2, and the other way round" % k,
        )
    check(any("nexthop" in x for s in of[0] for x in s), "routes of several hops: %r" % of[0])


def changes():
    """Another filter, interfaces that go and come, and scans."""
    conf = (
        HEAD
        + """protocol kernel k { kernel table 100; merge paths; scan time 1; ipv4 { export EXPORT; }; }
protocol static s1 { ipv4; route 20.0.0.0/24 via 10.1.1.2; route 20.0.1.0/24 via 10.1.1.2; }
protocol static s2 { ipv4; route 20.0.0.0/24 via 10.2.1.2; }
"""
    )
    ip(MACHINE)
    d = Daemon(conf.replace("EXPORT", "where source = RTS_STATIC")).start()

    def is_merged(yes, cnt=2):
        wait_until(
            lambda: len(ours(100)) == cnt and sum("nexthop" in x for x in ours(100)) == yes, lambda: "%r" % ours(100)
        )
        return ours(100)

    want = is_merged(1)
    best = re.search(r"\[(s\d) ", d.text("show route 20.0.0.0/24")).group(1)
    d.write(conf.replace("EXPORT", "where source = RTS_STATIC && (net != 20.0.0.0/24 || proto = \"%s\")" % best))
    d.code("configure")
    is_merged(0)
    d.write(conf.replace("EXPORT", "where source = RTS_STATIC"))
    d.code("configure")
    is_merged(1)
    ip("route del 20.0.0.0/24 table 100\nroute add 20.0.0.0/24 via 10.1.1.2 table 100 proto bird metric 32")
    equal(is_merged(1), want, "a scan mends it")
    ip("link set d0 down")
    is_merged(0)
    ip("link set d0 up")
    equal(is_merged(1), want, "when the link is back")
    ip("link del d0")
    is_merged(0)
    ip("link add d0 type veth peer name d1\nlink set d0 up\nlink set d1 up\naddr add 10.2.1.1/24 dev d0")
    equal(is_merged(1), want, "by another link of that name")
    d.run("disable s1")
    is_merged(0, 1)
    d.run("enable s1")
    equal(is_merged(1), want, "enabled")
    d.write(conf.replace("EXPORT", "where source = RTS_STATIC").replace("merge paths", "merge paths off"))
    d.code("configure")
    is_merged(0)
    d.stop()
    equal(ours(100), [], "when it has gone")


in_namespace()
link_case("static routes as bird2 merges them", statics)
link_case("routes of sessions as bird2 merges them", sessions, "")
link_case("med metric", sessions, "med metric on;")
link_case("path metric off", sessions, "path metric off;")
link_case("what changes", changes)
done()
