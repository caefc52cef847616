# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of routes: crossed by routes, and lowered by a reconfiguration below what is there."""

from harness import *

PEER_AS, OTHER_AS = 65101, 65102
NETS = ["20.0.%d.0/24" % i for i in range(4)]


def conf(port, limit):
    return """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp t { local 127.0.0.1 port %d as 65000; strict bind on; passive; multihop; rs client;
	error wait time 1, 1; ipv4 { import all; export all; }; }
protocol bgp p1 from t { neighbor 127.0.3.1 as %d; ipv4 { %s }; }
protocol bgp p2 from t { neighbor 127.0.3.2 as %d; }
""" % (port, PEER_AS, limit, OTHER_AS)


def lower(kind, action):
    """Four routes; then a limit of two."""
    port = free_port()
    d = Daemon(conf(port, "%s limit 100 action %s;" % (kind, action))).start()
    p1 = Peer(port, "127.0.3.1", PEER_AS).establish()
    p2 = Peer(port, "127.0.3.2", OTHER_AS).establish()
    (p2 if kind == "export" else p1).update(NETS)
    want = "4 exported" if kind == "export" else "4 imported"
    wait_until(lambda: want in d.text("show protocols all p1"), want)
    check("HIT" not in d.text("show protocols all p1") and "hits" not in d.whole_log(), "a limit is hit too early")
    d.write(conf(port, "%s limit 2 action %s;" % (kind, action)))
    check(d.code("configure") in (3, 4), "configure")
    said = "p1 hits route %s limit (2), action: %s" % (kind, action)
    wait_until(lambda: said in d.whole_log(), "the limit in the log")
    if action in ("warn", "block"):
        stays(lambda: d.sessions()["p1"][2].startswith("Established"), "action %s ended the session" % action, 0.3)
        check("[HIT]" in d.text("show protocols all p1"), "it isn't shown")
    else:
        wait_until(lambda: not d.sessions()["p1"][2].startswith("Established"), "the session to end")
        if action == "disable":
            equal(d.sessions()["p1"][0], "down", "state of p1")
    equal(d.whole_log().count(said), 1, "how often it was said")
    check(d.sessions()["p2"][2].startswith("Established"), "the other session went down, too")
    # Raised again: nothing.
    d.write(conf(port, "%s limit 100 action %s;" % (kind, action)))
    check(d.code("configure") in (3, 4), "configure")
    stays(lambda: d.whole_log().count(" hits route ") == 1, "how often a limit was hit", 0.3)
    d.stop()
    for p in (p1, p2):
        p.s.close()


for kind in ("import", "receive", "export"):
    for action in ("warn", "block", "restart", "disable"):
        case("%s limit lowered, action %s" % (kind, action), lower, kind, action)
done()
