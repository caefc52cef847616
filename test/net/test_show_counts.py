# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of `show protocols all` that agree with BIRD 2: withdrawals that count as ignored, the IGP table, timers of
RPKI, `Since`."""

import json

from harness import *

PORT = free_port()
CONF = (
    'router id 10.0.0.1;\nlog "RUN/bird.log" all;\nprotocol device {}\nipv4 table igp4;\nprotocol bgp m1 { local'
    ' 127.0.10.1 port %d as 65000; neighbor 127.0.11.1 as 65001; strict bind on; passive; multihop;\n  ipv4 { igp table'
    ' igp4; import where net.len > 24; export none; }; }\nprotocol bgp m2 { local 127.0.10.1 port %d as 65000; neighbor'
    ' 127.0.11.2 as 65002; strict bind on; passive; multihop;\n  ipv4 { import keep filtered; import where net.len >'
    ' 24; export none; }; }\nprotocol rpki c { roa4 { table r4; }; remote 127.0.0.1 port %d; }\n'
    % (PORT, PORT, free_port())
).replace("ipv4 table igp4;", "ipv4 table igp4;\nroa4 table r4;")
D = Daemon(CONF).start()


def row(name, what):
    """The numbers of a row of counters."""
    line = re.search(r"^ +%s: +(.*)$" % what, D.text("show protocols all " + name), re.M)
    return [int(x) if x.isdigit() else None for x in line.group(1).split()] if line else None


def filtered():
    """A refused route that isn't kept is no withdrawal; a withdrawal by the peer of what isn't there is one, and is
    ignored."""
    p = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1").establish()
    p.update(["20.0.1.0/24", "20.0.2.0/24", "20.0.3.0/25"])
    wait_until(lambda: row("m1", "Import updates") == [3, 0, 2, 0, 1], lambda: D.text("show protocols all m1"))
    equal(row("m1", "Import withdraws"), [0, 0, None, 0, 0], "withdrawals")
    p.update(["20.0.1.0/24", "20.0.2.0/24"], path=[65001, 9])
    wait_until(lambda: row("m1", "Import updates") == [5, 0, 4, 0, 1], lambda: D.text("show protocols all m1"))
    equal(row("m1", "Import withdraws"), [0, 0, None, 0, 0], "withdrawals after they came again")
    p.update(["20.0.3.0/25"], path=[65001, 9])
    p.withdraw(["20.0.4.0/24"])
    wait_until(lambda: row("m1", "Import withdraws") == [1, 0, None, 1, 0], lambda: D.text("show protocols all m1"))
    p.withdraw(["20.0.3.0/25"])
    wait_until(lambda: row("m1", "Import withdraws") == [2, 0, None, 1, 1], lambda: D.text("show protocols all m1"))
    p.reset()


def kept():
    """Of routes that are kept BIRD counts as before."""
    p = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1").establish()
    p.update(["20.0.1.0/24", "20.0.2.0/24", "20.0.3.0/25"])
    wait_until(lambda: row("m2", "Import updates") == [3, 0, 2, 0, 1], lambda: D.text("show protocols all m2"))
    wait_until(lambda: row("m2", "Import withdraws") == [0, 0, None, 2, 0], lambda: D.text("show protocols all m2"))
    p.reset()


def igp():
    p = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1").establish()
    wait_until(
        lambda: "IGP IPv4 table: igp4" in D.text("show protocols all m1"), lambda: D.text("show protocols all m1")
    )
    wait_until(
        lambda: "IGP IPv4 table: master4" in D.text("show protocols all m2"), lambda: D.text("show protocols all m2")
    )
    p.reset()


def timers():
    """All three rows are there, whatever runs."""
    for what in "Refresh timer", "Retry timer", "Expire timer":
        check(
            re.search(r"^  %-16s: (---|[\d.]+/\d+)$" % what, D.text("show protocols all c"), re.M),
            D.text("show protocols all c"),
        )
    check(re.search(r"^  (Refresh|Expire) timer +: ---$", D.text("show protocols all c"), re.M), "one doesn't run")


def since():
    """`restart` of a session that isn't up is a new beginning, other commands aren't."""

    def began():
        return [json.loads(t) for c, t in D.run("json show protocols m2") if c == 1100][0]["since_unix_s"]

    wait_until(lambda: " up " not in D.text("show protocols m2"), "it is down")
    before = began()
    D.run("reload in m2")
    equal(began(), before, "reload")
    D.run("restart m2")
    wait_until(lambda: began() > before, "restart")


case("refused routes", filtered)
case("refused routes that are kept", kept)
case("the IGP table", igp)
case("timers of RPKI", timers)
case("since", since)
D.stop()
done()
