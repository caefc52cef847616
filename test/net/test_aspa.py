# SPDX-License-Identifier: GPL-3.0-or-later
"""ASPAs: static ones of several sources, what commands show of them, and what happens when they change
while sessions are up."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
%(extra)s
protocol device {}
aspa table at { digest settle time 50 ms 500 ms; };
filter by_aspa {
  print "asked about ", net;
  if aspa_check_upstream(at) = ASPA_INVALID then reject;
  if aspa_check_upstream(at) = ASPA_VALID then bgp_large_community.add((65000, 2, 1));
  accept;
}
template bgp rsmember { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; allow as sets;
  connect delay time 1; }
protocol static attested { aspa { table at; };
%(routes)s}
protocol static more { aspa { table at; preference 300; };
%(more)s}
protocol bgp m1 from rsmember { neighbor 127.0.11.1 as 65001; ipv4 { import keep filtered; import filter by_aspa; \
export none; }; }
protocol bgp m2 from rsmember { neighbor 127.0.11.2 as 65002; ipv4 { import where aspa_check_upstream(at) != \
ASPA_INVALID; export none; }; }
protocol bgp m3 from rsmember { neighbor 127.0.11.3 as 65003; ipv4 { import none;
  export where aspa_check(at, bgp_path, false) != ASPA_INVALID; }; }
protocol bgp m4 from rsmember { neighbor 127.0.11.4 as 65004; ipv4 { import keep filtered; export none;
  import filter { bgp_path.prepend(65099); if aspa_check_upstream(at) = ASPA_INVALID then reject; accept; }; }; }
protocol bgp m5 from rsmember { neighbor 127.0.11.5 as 65005; ipv4 { rpki reload off; import keep filtered;
  import filter by_aspa; export none; }; }
protocol bgp m6 from rsmember { neighbor 127.0.11.6 as 65006; ipv4 { import all; export none; }; }
protocol bgp m7 from rsmember { neighbor 127.0.11.7 as 65007; ipv4 { import none;
  export filter { if aspa_check_downstream(at) = ASPA_INVALID then reject; bgp_large_community.add((65000, 3, 1)); \
accept; }; }; }
protocol bgp m8 from rsmember { neighbor 127.0.11.8 as 65008; ipv4 { import none;
  export where aspa_check(at, bgp_path.prepend(65000), false) != ASPA_INVALID; }; }
"""


def conf(port, routes, more=(), extra=""):
    lines = lambda rr: "".join("  route aspa %s;\n" % r for r in rr)
    return CONF % {"port": port, "routes": lines(routes), "more": lines(more), "extra": extra}


def start(routes, more=(), extra=""):
    port = free_port()
    d = Daemon(conf(port, routes, more, extra)).start()

    def configure(now, also=()):
        d.write(conf(port, now, also, extra))
        equal(d.code("configure"), 3, "configure")

    return d, port, configure


def nets(d, what):
    return sorted(re.findall(r"^(\d+\.\d+\.\d+\.\d+/\d+)", d.text("show route table master4 " + what), re.M))


def asked(d, want, what):
    """by_aspa has run on these nets since the last call, and on no others. (What comes later than the last of
    them is seen by the next call.)"""
    found = []

    def look():
        with open(os.path.join(d.dir, "bird.log"), "rb") as f:
            f.seek(getattr(d, "asked_at", 0))
            whole = re.match(rb"(.*\n)?", f.read(), re.S)[0]
        d.asked_at = getattr(d, "asked_at", 0) + len(whole)
        found.extend(x.decode() for x in re.findall(rb"asked about (\S+)", whole))
        return len(found) >= len(want)

    wait_until(look, what)
    equal(sorted(found), want, what)


def shown():
    """Tables, routes and checks as commands show them; two sources of one customer."""
    d, _, configure = start(
        ["65001 providers 65020, 65010", "65010 transit", "4200000000 providers 65001"],
        ["65001 providers 65030", "65010 providers 65040 { preference = 50; }"],
    )
    table = lambda more="": [
        re.sub(r"\d\d:\d\d:\d\d\.\d\d\d", "TIME", x) for _, x in d.run("show route table at " + more)
    ]
    wait_until(lambda: "5 of 5 routes for 3 networks" in d.text("show route table at count"), "five routes")
    # The route's code runs before the channel's preference is in it.
    equal(
        table(),
        [
            "Table at:",
            "AS65001               [more TIME] * (300)",
            "                      [attested TIME] (200)",
            "AS65010               [attested TIME] * (200)",
            "                      [more TIME] (50)",
            "AS4200000000          [attested TIME] * (200)",
            "",
        ],
        "show route table at",
    )
    equal(
        [x.strip() for x in table("all") if "aspa_providers" in x],
        [
            "aspa_providers: 65030",
            "aspa_providers: 65010 65020",
            "aspa_providers: transit",
            "aspa_providers: 65040",
            "aspa_providers: 65001",
        ],
        "show route all",
    )
    equal(len(table("protocol more")), 4, "show route protocol")
    # in filters a list of AS numbers, as in BIRD 2.17
    cnt = lambda where: d.run("show route table at where %s count" % where)[0][1].split(" of ")[0]
    equal(
        [cnt("aspa_providers ~ " + what) for what in ("[0.0.253.242]", "[0.0.0.0]", "[0.0.253.232..0.0.254.2]")],
        ["1", "1", "2"],
        "aspa_providers",
    )
    equal(cnt("aspa_providers.len = 2"), "1", "aspa_providers.len")
    one = lambda what: [re.sub(r"\d\d:\d\d:\d\d\.\d\d\d", "TIME", x) for _, x in d.run("show route " + what)]
    equal(one("aspa 65001 table at")[1:3], table()[1:3], "show route aspa")
    equal(one("aspa 4200000000"), ["Table at:", table()[5], ""], "show route aspa, of no table")
    equal(d.code("show route aspa 65002"), 8001, "nobody")
    equal(d.code("show route aspa"), 9001, "aspa alone")
    check("AS65001\tproviders 65010 65020\n" in d.text("show static attested"), "show static")
    check("AS65010\tproviders transit\n" in d.text("show static attested"), "show static, transit")
    wait_until(lambda: re.search(r"ASPAs:\s+3\n.*Routes:\s+5", d.text("show table at")), "show table")
    check(re.search(r"Channel aspa\n.*\n.*Table: +at\n", d.text("show protocols all more")), "show protocols all")
    check("5 of 5 routes" in d.text("show route table all count"), "table all")
    paths = lambda more: [x[:8].strip() for x in table(more) if "[" in x]
    equal(paths("where net.type = NET_ASPA && net.asn = 65001"), ["AS65001", ""], "where net.asn")
    equal(paths("where net ~ [0.0.0.0/0+]"), [], "a set of prefixes has no ASPA")
    equal(d.code("show route table at for 10.0.0.0/8"), 9001, "a prefix")
    path = lambda *a: "+empty+" + "".join(".prepend(%d)" % x for x in a)
    ask = lambda up, *a: d.text("eval aspa_check(at, %s, %s)" % (path(*a), up)).strip()
    # The index follows the table in a thread of its own.
    wait_until(
        lambda: ask("true", 65001, 65030) == ask("true", 65001, 65020) == ask("true", 4200000000, 65001) == "ASPA_VALID"
        and ask("true", 65010, 65040) == "ASPA_VALID",
        "all ASPAs in the index",
    )
    # from the origin on
    equal(ask("true", 65001, 65030), "ASPA_VALID", "the one source's provider")
    equal(ask("true", 65001, 65020), "ASPA_VALID", "the other's")
    equal(ask("true", 65001, 65001, 65040), "ASPA_INVALID", "no provider")
    equal(ask("true", 4200000000, 65001, 65010, 65040), "ASPA_VALID", "three hops upwards")
    equal(ask("true", 4200000000, 65001, 65020, 65040), "ASPA_UNKNOWN", "65020 attests nothing")
    equal(ask("true", 65030, 65001), "ASPA_UNKNOWN", "65030 attests nothing")
    equal(ask("false", 65001, 65030, 65010), "ASPA_VALID", "up, and across")
    equal(ask("false", 65010, 65001, 65010, 65001), "ASPA_INVALID", "a valley")
    equal(d.code("disable more"), 0, "disable")
    wait_until(lambda: ask("true", 65001, 65030) == "ASPA_INVALID", "what it said is withdrawn")
    equal(ask("true", 65001, 65020), "ASPA_VALID", "what the other said stays")
    configure([])
    wait_until(lambda: "0 of 0 routes" in d.text("show route table at count"), "no routes")
    wait_until(lambda: ask("true", 65001, 65040) == "ASPA_UNKNOWN", "nothing is known")
    d.stop()


def change(threads):
    d, port, configure = start([], extra="threads %d;" % threads if threads else "")
    m1, m2, m4, m5 = [member(port, n) for n in (1, 2, 4, 5)]
    m1.update(["10.0.0.0/16"])
    m1.update(["10.1.0.0/16", "10.2.0.0/16"], path=[65001, 65010])
    m1.update(["10.3.0.0/16"], path=[65001, 65011, 65010])
    m1.update(["10.4.0.0/16"], path=[65001, 65012])
    m2.update(["11.0.0.0/16"], path=[65002, 65010])
    m2.end_of_rib()
    m4.update(["12.0.0.0/16"])
    m5.update(["13.0.0.0/16"], path=[65005, 65010])
    wait_until(lambda: len(nets(d, "")) == 8, "eight routes")
    first = ["10.%d.0.0/16" % i for i in range(5)]
    asked(d, first + ["13.0.0.0/16"], "routes that the filter saw")

    # 65010 says that its provider is 65011: 65001 can't have its routes from it.
    configure(["65010 providers 65011"])
    wait_until(lambda: nets(d, "filtered protocol m1") == ["10.1.0.0/16", "10.2.0.0/16"], "two are refused")
    equal(nets(d, "protocol m1"), ["10.0.0.0/16", "10.3.0.0/16", "10.4.0.0/16"], "m1's other routes")
    asked(d, first[1:4], "routes with 65010 in their path, and no others")
    equal(nets(d, "protocol m5"), ["13.0.0.0/16"], "rpki reload off")
    check(m2.wait_for(5) is not None, "m2 isn't asked for its routes")
    m2.update(["11.0.0.0/16"], path=[65002, 65010])
    wait_until(lambda: nets(d, "protocol m2") == [], "m2's route is refused")

    # A second source knows 65001, too; and 65011 says the same of it. Refused routes come back.
    configure(["65010 providers 65011", "65011 providers 65001"], ["65010 providers 65001"])
    wait_until(lambda: len(nets(d, "protocol m1")) == 5, "all of m1's routes")
    wait_until(
        lambda: d.text("show route protocol m1 all").count("(65000, 2, 1)") == 4, "10.4.0.0/16 alone isn't valid"
    )
    asked(d, first[1:4], "routes that were looked at")

    # One source says the same as the other: nothing to look at.
    configure(["65010 providers 65011, 65001", "65011 providers 65001"], ["65010 providers 65001"])
    stays(lambda: asked(d, [], "the union is what it was") is None, "the union is what it was", 0.5, 0.25)

    # The one who is prepended has nothing attested until now.
    equal(nets(d, "protocol m4"), ["12.0.0.0/16"], "m4's route")
    configure(["65004 providers 65098"])
    wait_until(lambda: nets(d, "protocol m4") == [], "65099 isn't its provider")
    configure(["65004 providers 65099"])
    wait_until(lambda: nets(d, "protocol m4") == ["12.0.0.0/16"], "it is")

    # Undo brings the former content back.
    equal(d.code("configure undo"), 3, "undo")
    wait_until(lambda: nets(d, "protocol m4") == [], "undo")
    equal([m1.lying(5), m4.lying(5)], [0, 0], "peers whose routes are kept are asked for them")
    equal(
        d.counters("m1")[0],
        5 + 3 * 3,
        "updates that came from m1: 5 announced, 3 that were looked at again three times",
    )
    d.stop()


def export():
    """The export filter of m3 asks: what becomes invalid is withdrawn, and comes back. That of m7 also changes
    what it passes, that of m8 asks about another path."""
    d, port, configure = start([])
    m3, m6, _m7, _m8 = [member(port, n) for n in (3, 6, 7, 8)]
    d.wait_established(4)
    m6.update(["10.0.0.0/16"])
    m6.update(["10.1.0.0/16"], path=[65006, 65010, 65020])
    counts = lambda: [
        int((re.findall(r"(\d+) exported", d.text("show protocols all " + m)) or [0])[0]) for m in ("m3", "m7", "m8")
    ]
    wait_until(lambda: counts() == [2, 2, 2], "two routes are exported")
    configure(["65020 transit", "65006 transit"])
    wait_until(lambda: counts() == [1, 1, 1], "one is withdrawn")
    for m in ("m3", "m7", "m8"):
        equal(nets(d, "export " + m), ["10.0.0.0/16"], "what is exported to " + m)
    configure(["65020 transit"])
    wait_until(lambda: counts() == [2, 2, 2], "it comes back")
    # What the answer doesn't change about isn't sent again: it has the customer in its path, too.
    got = []
    while len(got) < 5:
        body = m3.wait_for(2)
        check(body is not None, "the session has ended")
        withdrawn = struct.unpack("!H", body[:2])[0]
        got.append("w" if withdrawn else "e" if len(body) == 4 else "a")
    equal(sorted(got[:3]), ["a", "a", "e"], "what m3 was sent first")
    equal(got[3:], ["w", "a"], "what m3 was sent then")
    equal(m3.lying(2), 0, "messages for m3 beyond")
    d.stop()


def many():
    """30,000 customers, changed while routes stand: more than are noted one by one."""
    routes = lambda provider: ["%d providers %d, 65001" % (100000 + i, provider) for i in range(30000)]
    d, port, configure = start(routes(64999))
    count = lambda: int(re.search(r"(\d+) of \d+ routes", d.text("show route table at count")).group(1))
    wait_until(lambda: count() == 30000, "30,000 customers")
    m1 = member(port, 1)
    m1.update(["10.0.0.0/16"], path=[65001, 100007])
    m1.update(["10.1.0.0/16"], path=[65001, 64999, 129999])
    wait_until(lambda: len(nets(d, "")) == 2, "two routes")
    configure(routes(64998))
    wait_until(lambda: nets(d, "filtered") == ["10.1.0.0/16"], "one is refused")
    configure(["100007 transit"])
    wait_until(lambda: nets(d, "") == ["10.1.0.0/16"] and nets(d, "filtered") == ["10.0.0.0/16"], "the other one")
    equal(count(), 1, "customers")
    d.stop()


case("what is shown, two sources", shown)
case("changed ASPAs, a thread for each worker", change, 0)
case("changed ASPAs, two threads", change, 2)
case("changed ASPAs and an export filter", export)
case("many ASPAs", many)
done()
