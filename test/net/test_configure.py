# SPDX-License-Identifier: GPL-3.0-or-later
"""What a single `configure` does to instances and control sockets, and commands right behind it."""

from harness import *

HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
"""
SESSION = """protocol bgp %s { local 127.0.0.1 port %d as 65000; neighbor 127.0.9.%d as %d; passive; multihop; rs client;
	error wait time 1, 1; %s ipv4 { import all; export all; %s }; }
"""


def session(name, k=1, port=1, more="", channel=""):
    return SESSION % (name, port, k, 65000 + k, more, channel)


def configure(d, text, codes=(3, 4), command="configure"):
    d.write(text)
    code = d.code(command)
    check(code in codes, "%s: %d: %s" % (command, code, d.said()))


def member_replaced(threads):
    """Seventeen members, of which one goes while another comes. Nobody is connected."""
    def conf(first):
        return HEAD + "".join(session("m%d" % k, k % 250 + 1) for k in range(first, first + 17))

    d = Daemon(("threads %d;\n" % threads if threads else "") + conf(0)).start()
    for k in range(200):
        configure(d, conf(k + 1))
        check(d.alive(), "the daemon has ended after %d times: %s" % (k + 1, d.said()))
    wait_until(lambda: len(d.sessions()) == 17, "seventeen sessions")
    d.stop()


case("a member is replaced, a thread for each worker", member_replaced, 0)
case("a member is replaced, two threads", member_replaced, 2)
done()
