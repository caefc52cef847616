# SPDX-License-Identifier: GPL-3.0-or-later
"""A session over link-local addresses whose interface comes only after the daemon's start, goes, and comes back as another one
of the same name. The peer sits in a network namespace of its own."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")


def sh(text):
    subprocess.run(text, shell=True, check=True, timeout=20 * SLOW)


def link_up():
    there = "nsenter -t %d -n " % ROUTER.pid
    sh("ip link add a0 type veth peer name a1 && ip link set a0 netns %d && ip link set a1 up" % ROUTER.pid)
    sh(there + "ip link set a0 up && " + there + "ip address add fe80::1/64 dev a0 nodad")
    sh("ip address add fe80::2/64 dev a1 nodad")


def opened(port):
    """Does the daemon answer the peer with an OPEN?"""
    scope = socket.if_nametoindex("a1")
    s = socket.socket(socket.AF_INET6)
    s.settimeout(2 * SLOW)
    try:
        s.bind(("fe80::2", 0, 0, scope))
        s.connect(("fe80::1", port, 0, scope))
        got = s.recv(19)
        return len(got) == 19 and got[18] == OPEN
    except OSError:
        return False
    finally:
        s.close()


def comes_late():
    port = free_port()
    d = Daemon('router id 10.0.0.1; log "RUN/bird.log" all; protocol device {}\n'
               "protocol bgp { local fe80::1 port %d as 65000; neighbor fe80::2%%a0 as 65001; strict bind; passive;"
               " error wait time 1, 1; ipv6 { import none; export none; }; }\n" % port)
    argv = d.argv
    d.argv = lambda *more: ["nsenter", "-t", str(ROUTER.pid), "-n"] + argv(*more)
    d.start()
    wait_until(lambda: "Can't listen at fe80::1%%a0 port %d: No such device" % port in open(d.log).read(), "the line in the log")
    link_up()
    wait_until(lambda: opened(port), "a connection when the interface is there")
    check("Listening at fe80::1%%a0 port %d" % port in open(d.log).read(), "that it listens is logged")
    sh("ip link del a1")
    sh("nsenter -t %d -n ip link add x0 type veth peer name x1" % ROUTER.pid)  # so that the next number is another one
    link_up()
    wait_until(lambda: opened(port), "a connection when it is back")
    d.kill()


in_namespace()
sh("ip link set lo up")
ROUTER = other_namespace()
case("an interface that comes late", comes_late)
done()
