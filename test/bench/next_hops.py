# SPDX-License-Identifier: GPL-3.0-or-later
"""next_hops.py measures the cost of a change of one of many resolved next hops: TERN_ROUTES routes (1,000,000) over
TERN_HOPS next hops (1,000), whose ways change one by one; and when the table changes that they are looked up in, but
none of them does. TERN_WATCHERS (1) sessions look up their next hops there, all but the first one those of one route.
Run it as test/net tests are run; it makes a namespace."""

import sys
import os

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))
from links import *

ROUTES = int(os.environ.get("TERN_ROUTES", "1000000"))
HOPS = int(os.environ.get("TERN_HOPS", "1000"))
WATCHERS = int(os.environ.get("TERN_WATCHERS", "1"))
CHANGES = 100
BULK = 200000
CONF = """router id 10.0.0.1;
log "RUN/bird.log" all;
ipv4 table tg;
protocol device { }
protocol static sg { ipv4 { table tg; }; route 30.0.0.0/8 via 10.1.1.2; }
template bgp one { local 127.0.10.1 port PORT as 65000; multihop; passive; strict bind on; hold time 240; }
protocol bgp b1 from one { neighbor 127.0.11.1 as 65001; ipv4 { igp table tg; import all; export none; }; }
protocol bgp b2 from one { neighbor 127.0.11.2 as 65002; ipv4 { table tg; import filter { gw = 10.1.1.3; accept; }; \
export none; }; }
"""


def hop(k):
    return "30.%d.%d.1" % (k >> 8, k & 255)


def net(k):
    return "%d.%d.%d.0/24" % (40 + (k >> 16), k >> 8 & 255, k & 255)


def cpu_s(pid):
    with open("/proc/%d/stat" % pid) as f:
        return sum(int(w) for w in f.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")


def quiet(d):
    """Nothing is done any more. Seconds of the processor until then."""
    return settled(lambda: cpu_s(d.pid), "the daemon", 0.3)


def costs():
    ip("link add m0 type veth peer name m1\nlink set m0 up\nlink set m1 up\naddr add 10.1.1.1/24 dev m0")
    port = free_port()
    others = range(3, WATCHERS + 2)
    more = "".join(
        "protocol bgp b%d from one { neighbor 127.0.11.%d as %d; ipv4 { igp table tg; import all; export none; }; }\n"
        % (i, i, 65000 + i)
        for i in others
    )
    d = Daemon((CONF + more).replace("PORT", str(port))).start()
    many, igp = member(port, 1), member(port, 2)
    rest = [member(port, i) for i in others]
    for i, c in zip(others, rest):
        c.update(["39.0.%d.0/24" % i], next_hop="30.200.%d.1" % i)
    before = cpu_s(d.pid)
    for k in range(HOPS):
        nets = [net(i) for i in range(k, ROUTES, HOPS)]
        for at in range(0, len(nets), 900):
            many.update(nets[at : at + 900], next_hop=hop(k))
    wait_until(
        lambda: "%d of" % (ROUTES + len(rest)) in d.text("show route count table master4"),
        "the routes",
        300,
        every_s=0.5,
    )
    start = quiet(d)
    note(
        "%d routes by %d next hops, %d sessions that look them up: %.2f s; %s"
        % (ROUTES, HOPS, WATCHERS, start - before, re.search("Total.*", d.text("show memory")).group())
    )
    for what, of in (
        ("one next hop that changes", lambda k: hop(k) + "/32"),
        ("a change that concerns none", lambda k: "31.%d.%d.1/32" % (k >> 8, k & 255)),
    ):
        start, began = quiet(d), time.monotonic()
        for k in range(CHANGES):
            igp.update([of(k)], next_hop="10.1.1.3")
            for c in [many] + rest if k % 50 == 0 else [many]:
                c.send(message(KEEPALIVE))
            spread(0.12)  # more than what changes are collected for
        took = quiet(d) - start
        note("%s: %.3f ms" % (what, 1000 * took / CHANGES))
    start = quiet(d)
    for k in range(0, BULK, 700):
        igp.update(
            ["31.%d.%d.%d/32" % (i >> 16, i >> 8 & 255, i & 255) for i in range(k, min(k + 700, BULK))],
            next_hop="10.1.1.3",
        )
    wait_until(
        lambda: "%d of" % BULK in d.text("show route count table tg where net ~ 31.0.0.0/8"), "them", 60, every_s=0.5
    )
    note("one of %d such changes at once, from the message on: %.2f us" % (BULK, 1e6 * (quiet(d) - start) / BULK))
    check(
        "10.1.1.3" in d.text("show route all for 40.0.0.0"),
        "the way has changed: " + d.text("show route all for 40.0.0.0"),
    )
    d.stop()


in_namespace()
link_case("what next hops that change cost", costs)
done()
