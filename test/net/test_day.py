# SPDX-License-Identifier: GPL-3.0-or-later
"""An operator's day at the control socket: what a command says is so when it has answered, on its own connection and on any
other. Each case with a thread a worker, and with two threads."""

from harness import *

HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
"""
SESSION = """protocol bgp %s { local 127.0.0.1 port %d as 65000; neighbor 127.0.9.%d as %d; passive; multihop; rs client;
	error wait time 1, 1; %s ipv4 { import all; export all; %s }; }
"""
STATIC_CNT = 3000
STATIC = "protocol static s1 { ipv4; %s }\n" % " ".join(
    "route 30.%d.%d.0/24 blackhole;" % (k // 250, k % 250) for k in range(STATIC_CNT))
NETS = ["20.%d.%d.0/24" % (k // 250, k % 250) for k in range(1000)]


def session(name, k=1, port=1, more="", channel=""):
    return SESSION % (name, port, k, 65000 + k, more, channel)


def head(threads):
    return ("threads %d;\n" % threads if threads else "") + HEAD


def announce(p, nets=NETS):
    for k in range(0, len(nets), 200):
        p.update(nets[k : k + 200])


def imported(d, name, cnt):
    wait_until(lambda: re.search(r"Routes: +%d imported" % cnt, d.text("show protocols all " + name)),
               lambda: "%d routes of %s: %s" % (cnt, name, d.text("show protocols all " + name)))


def routes_of(c, name):
    return int(re.match(r"(\d+) of", c.run("show route protocol %s count" % name)[0][1]).group(1))


def state_of(c, name):
    rows = [t.split() for code, t in c.run("show protocols " + name) if code == 1002]
    return rows[0][3]


def said_is_so(threads):
    """disable, enable and restart of a member with routes, of static routes, and of a pipe; each time two clients look."""
    port = free_port()
    d = Daemon(head(threads) + session("m1", 1, port) + STATIC + "ipv4 table t2;\n"
               "protocol pipe p1 { table master4; peer table t2; import none; export all; }\n").start()
    own, other = Cli(d.ctl), Cli(d.ctl)
    for turn in range(5):
        p = Peer(port, "127.0.9.1", 65001, server="127.0.0.1").establish()
        announce(p)
        imported(d, "m1", len(NETS))
        wait_until(lambda: int(re.match(r"(\d+) of", d.text("show route table t2 count")).group(1)) == len(NETS) + STATIC_CNT,
                   "the pipe")
        for name, back in ("p1", "up"), ("m1", "start"), ("s1", "up"):
            equal(own.run('disable %s "turn %d"' % (name, turn)), [(9, name + ": disabled"), (0, "")], "disable")
            for c in other, own:
                equal(routes_of(c, name), 0, "routes of %s, disabled, turn %d" % (name, turn))
                equal(state_of(c, name), "down", name + ", disabled")
                check("turn %d" % turn in "".join(t for _, t in c.run("show protocols all " + name)), "the message")
            if name == "p1":
                equal(other.run("show route table t2 count")[0][1].split()[0], "0", "routes behind the pipe, turn %d" % turn)
            equal(own.run("enable " + name), [(11, name + ": enabled"), (0, "")], "enable")
            for c in other, own:
                equal(state_of(c, name), back, name + ", enabled")
                if name == "s1":
                    equal(routes_of(c, name), STATIC_CNT, "static routes, enabled, turn %d" % turn)
        equal(own.run("restart s1")[0], (12, "s1: restarted"), "restart")
        equal(routes_of(other, "s1"), STATIC_CNT, "static routes, restarted, turn %d" % turn)
        equal(own.run("reload s1")[0], (15, "s1: reloading"), "reload")
        p.s.close()
    d.stop()


for threads in 0, 2:
    how = ", two threads" if threads else ""
    case("what a command says is so when it has answered" + how, said_is_so, threads)
done()
