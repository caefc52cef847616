# SPDX-License-Identifier: GPL-3.0-or-later
"""protocol mrt, `load`: the routes of a file that ternd wrote, and of recorded UPDATEs, are in tables as they were,
each peer a source of its own; files that can't be read are named with their record."""

import ipaddress
import random

import bmp_read
import mrt_read
from harness import *
from mrt_write import index, net_record, record

if KIND != "ternd":
    cannot_here("this is about ternd")
PORT = free_port()
RX = struct.pack("!BBHBB", 69, 4, 1, 1, 2)  # it sends several paths

WRITES = (
    """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp any { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; strict bind on; error wait time 1,1;
  ipv4 { import all; export all; add paths rx; }; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; }
protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; }
"""
    % PORT
)

READS = """router id 10.0.0.2;
log "RUN/bird.log" all;
protocol device {}
ipv4 table only1;
protocol mrt d { load "%s"; ipv4 { %s }; ipv6 { import all; }; }
protocol pipe p { table master4; peer table only1; import none; export where proto = "d/127.0.11.1"; }
"""


def rows(d, what):
    """[(net, from, attributes)] of `show route ... all`, without what differs from daemon to daemon."""
    out, net = [], None
    for line in d.text("show route %s all" % what).splitlines():
        m = re.match(r"(\S+/\d+)?\s+(?:unicast|blackhole|unreachable) \[(\S+) [^\]]*?(?:from (\S+?))?\]", line)
        if m:
            net = m.group(1) or net
            out.append((net, m.group(3), []))
        elif out and re.match(
            r"\s+BGP\.(as_path|next_hop|community|large_community|med|origin|atomic_aggr|aggregator)", line
        ):
            out[-1][2].append(line.strip())
    return sorted((n, f, tuple(sorted(a))) for n, f, a in out)


def loaded(d, limit_s=30):
    wait_until(lambda: "peers" in d.text("show protocols d"), lambda: d.text("show protocols d"), limit_s)


def own_file():
    cnt = size(2000, 500)  # of each of two members
    a = Daemon(WRITES).start()
    m = [member(PORT, n, caps=RX if n == 3 else b"") for n in (1, 2, 3)]
    com = attribute(0xC0, 8, struct.pack("!HH", 65000, 7))
    for h in m[:2]:
        for at in range(0, cnt, 500):
            h.update(
                ["10.%d.%d.%d/28" % (h.as_number - 65000, i // 16, i % 16 * 16) for i in range(at, at + 500)], extra=com
            )
        h.update(["172.16.0.0/24"], path=[h.as_number, 64999])
    m[2].update([(i, "10.3.0.0/16") for i in range(4)] + [(9, "172.16.0.0/24")])
    m[2].update([(2, "10.3.0.0/16")], path=[65003, 64000])
    wait_until(lambda: len(rows(a, "")) == 2 * cnt + 2 + 4 + 1, lambda: "%d routes" % len(rows(a, "")))
    path = os.path.join(a.dir, "a.mrt")
    equal(a.code('mrt dump table master4 to "%s"' % path), 0, "the dump")
    b = Daemon(READS % (path, "import all;"), name="reader").start()
    loaded(b)
    wait_until(lambda: rows(b, "") == rows(a, ""), "the same routes")
    check("%d routes of " % (2 * cnt + 7) in b.text("show protocols d"), b.text("show protocols d"))
    wait_until(lambda: len(rows(b, "table only1")) == cnt + 1, "what the pipe passes on")
    equal(rows(b, "table only1"), [r for r in rows(a, "protocol m1")], "routes of one peer")
    equal(len(rows(b, "where from = 127.0.11.3")), 5, "routes by their peer's address")
    best = re.findall(r"\[(\S+) [^\]]*\] \*", b.text("show route 172.16.0.0/24 primary"))
    equal(best, ["d/127.0.11.3"], "the best: it has the shortest path")
    shown = b.text("show protocols all d")
    check(re.search(r"Routes: +%d imported" % (2 * cnt + 7), shown), shown)
    # a dump of what was loaded has the peers
    again = os.path.join(b.dir, "again.mrt")
    equal(b.code('mrt dump table master4 to "%s"' % again), 0, "the dump of what was loaded")

    def told(path):
        dump = mrt_read.read(path)[1]
        return {
            net: sorted((dump.peers[e.peer], sorted(e.attrs.items())) for e in entries)
            for net, entries in dump.ribs.items()
        }

    equal(told(again), told(path), "the dump of what was loaded")
    equal(b.code('mrt dump table only1 to "%s"' % again), 0, "the dump behind the pipe")
    equal(
        {e[0][1] for entries in told(again).values() for e in entries},
        {ipaddress.ip_address("127.0.11.1")},
        "the peer behind the pipe",
    )
    # another filter
    b.write(READS % (path, "import where proto != \"d/127.0.11.2\" && bgp_path.len < 2;"))
    check(b.code("configure") in (3, 4), "configure")
    wait_until(lambda: len(rows(b, "")) == cnt + 4, lambda: "the filter: %d" % len(rows(b, "")))
    b.write(READS % (path, "import keep filtered; import where net.len < 28;"))
    check(b.code("configure") in (3, 4), "configure")
    wait_until(lambda: len(rows(b, "")) == 7, lambda: "the other one: %d" % len(rows(b, "")))
    wait_until(lambda: len(rows(b, "filtered")) == 2 * cnt, lambda: "what it refused: %d" % len(rows(b, "filtered")))
    b.write(READS % (path, "import keep filtered; import all;"))
    check(b.code("configure") in (3, 4), "configure")
    wait_until(lambda: rows(b, "") == rows(a, ""), "what is kept passes again, from where it came")
    b.code("disable d")
    wait_until(lambda: not rows(b, ""), "disabled")
    wait_until(lambda: not rows(b, "table only1"), "behind the pipe")
    b.code("enable d")
    loaded(b)
    wait_until(lambda: rows(b, "") == rows(a, ""), "enabled")
    b.write("router id 10.0.0.2;\nlog \"RUN/bird.log\" all;\nprotocol device {}\nipv4 table master4;\n")
    check(b.code("configure") in (3, 4), "configure")
    wait_until(lambda: not rows(b, ""), "taken away")
    a.stop()
    b.stop()


def messages():
    """Recorded UPDATEs: the last word of each peer about each net counts."""
    path = os.path.join(temp_dir(), "u.mrt")
    subprocess.run(
        [
            sys.executable,
            os.path.join(os.path.dirname(os.path.abspath(__file__)), "make_mrt.py"),
            path,
            "--messages",
            "4000",
        ],
        check=True,
    )
    last = {}
    for r in mrt_read.read(path)[0]:
        if isinstance(r, mrt_read.Message) and r.octets[18] == 2:
            u = bmp_read.Update(r.octets, r.as4, set())
            for p in u.withdrawn:
                last.pop((p, str(r.peer)), None)
            for p in u.reached:
                last[p, str(r.peer)] = u.attrs
    check(len(last) > 100, "few routes: %d" % len(last))
    d = Daemon(READS % (path, "import all;"), name="reader").start()
    loaded(d)
    wait_until(lambda: sorted((n, f) for n, f, _ in rows(d, "")) == sorted(last), "the same routes")
    got = {(n, f): a for n, f, a in rows(d, "")}
    for k, a in got.items():
        hop = [x for x in a if "next_hop" in x]
        if 3 in last[k] and len(last[k][3]) == 4:
            equal(hop, ["BGP.next_hop: " + socket.inet_ntoa(last[k][3])], "next hop of %s" % (k,))
    d.stop()


def bad_files():
    folder = temp_dir()
    path = os.path.join(folder, "bad.mrt")
    good = index(["10.0.0.1", "10.0.0.2"]) + net_record(0, "10.1.0.0/16", [0, 1]) + net_record(1, "10.2.0.0/16", [0])
    d = Daemon(READS % (path, "import all;"), name="reader").start()
    wait_until(lambda: "Can't be read: No such file" in d.text("show protocols d"), lambda: d.text("show protocols d"))
    wait_until(lambda: "%s: Can't be read: No such file" % path in d.whole_log(), "the log")

    def load(octets, says, routes):
        with open(path, "wb") as f:
            f.write(octets)
        d.code("restart d")
        wait_until(lambda: says in d.text("show protocols d"), lambda: "%s: %s" % (says, d.text("show protocols d")))
        wait_until(lambda: len(rows(d, "")) == routes, lambda: "%s: %d routes" % (says, len(rows(d, ""))))

    load(good, "3 routes of 2 peers", 3)
    load(good + index(["10.0.0.3"]) + net_record(2, "10.1.0.0/16", [0]), "4 routes of 3 peers", 4)
    load(good[:-5], "Record 3: the record is truncated", 2)
    load(
        good + net_record(2, "10.3.0.0/16", [7]) + net_record(3, "10.4.0.0/16", [0]),
        "Record 4: a peer that isn't in the index",
        3,
    )
    unread = "Record 4: the record can't be read"
    load(good + record(13, 2, b"\0\0\0\1\x21") + net_record(3, "10.4.0.0/16", [0]), unread, 3)
    load(good + struct.pack("!IHHI", 0, 13, 2, 1 << 30), unread, 3)
    load(good + record(99, 1, b"whatever") + net_record(3, "10.4.0.0/16", [0]), "4 routes of 2 peers", 4)
    # a peer of the index that was lost since, in messages that stand in the same file
    lost = record(
        16,
        5,
        struct.pack("!IIHH", 65001, 65000, 0, 1)
        + socket.inet_aton("10.0.0.1")
        + socket.inet_aton("10.0.0.9")
        + struct.pack("!HH", 6, 1),
    )
    load(good + lost, "3 routes of 1 peer", 1)
    load(good + lost + net_record(2, "10.3.0.0/16", [0, 1]), "5 routes of 2 peers", 3)
    # a route whose attributes are none: that one alone isn't taken
    load(
        good + net_record(2, "10.3.0.0/16", [0], b"\x40\x01\x05") + net_record(3, "10.4.0.0/16", [0]),
        "4 routes of 2 peers",
        4,
    )
    wait_until(lambda: "%s: record 4: a route isn't taken" % path in d.whole_log(), lambda: "the log")
    rnd = random.Random(int(os.environ.get("TERN_SEED", "1")))
    for _ in range(60):
        b = bytearray(good)
        for _ in range(rnd.randrange(1, 4)):
            b[rnd.randrange(len(b))] = rnd.randrange(256)
        with open(path, "wb") as f:
            f.write(b)
        d.code("restart d")
        wait_until(lambda: "Loading" not in d.text("show protocols d"), "an end of it")
    load(good, "3 routes of 2 peers", 3)
    os.unlink(path)
    os.mkdir(path)
    d.code("restart d")
    wait_until(lambda: "Can't be read" in d.text("show protocols d"), "a folder")
    d.stop()


def many():
    """Routes of 4 peers for each of many nets: others are served meanwhile."""
    cnt = 50000 if SOAK else size(30000, 5000)
    path = os.path.join(temp_dir(), "many.mrt")
    with open(path, "wb") as f:
        f.write(index(["10.0.0.%d" % i for i in range(1, 5)]))
        for i in range(cnt):
            f.write(net_record(i, "20.%d.%d.0/24" % (i // 256, i % 256), [0, 1, 2, 3]))
    d = Daemon(READS % (path, "import all;"), name="reader").start()
    worst, begun = 0, time.monotonic()

    def asked():
        nonlocal worst
        t = time.monotonic()
        d.code("show status")
        worst = max(worst, time.monotonic() - t)
        return "routes of 4 peers" in d.text("show protocols d")

    wait_until(asked, "all routes", 100, 0.01)
    note("loaded in %.2f s; the longest answer took %.0f ms" % (time.monotonic() - begun, worst * 1000))
    wait_until(
        lambda: "%d of %d" % (4 * cnt, 4 * cnt) in d.text("show route count"), lambda: d.text("show route count")
    )
    d.code("restart d")
    loaded(d)
    wait_until(
        lambda: "%d of %d" % (4 * cnt, 4 * cnt) in d.text("show route count"), lambda: d.text("show route count")
    )
    d.stop()


case("a file of ours", own_file)
case("recorded messages", messages)
case("files that can't be read", bad_files)
case("many routes", many)
done()
