# SPDX-License-Identifier: GPL-3.0-or-later
"""Many workers: 50 members, changes, a member killed and a reconfiguration in the middle, clients of the CLI
all the while; with a thread for each worker, and with two for all. Meant above all for builds
with a sanitizer, whose reports end the daemon with another status than 0."""

from harness import *

import threading

real_if_long()

CLIENTS = 200 if SOAK else 50
NETS = 20000 if SOAK else 1000
VICTIM_AS = 64700


def asker(d, stop):
    while not stop.is_set():
        c = Cli(d.ctl)
        for command in ("show status", "show protocols all", "show route count", "show route all", "show memory",
                        "show threads", "show route export p1 count"):
            c.run(command, 120)
        c.close()
        spread(0.05 * SLOW)


def run(threads):
    port = free_port()
    options = load_options(port, CLIENTS, nets=NETS, ratio=2.4, seed=SEED)
    text = load_conf(options, threads)
    victim = ("protocol bgp victim { local 127.0.0.1 port %d as 65000; neighbor 127.0.7.1 as %d; strict bind on;"
              " passive; multihop; rs client; ipv4 { import all; export all; next hop keep; }; }\n" % (port, VICTIM_AS))
    d = Daemon(text + victim).start()
    if KIND == "ternd" and not threads:
        # The control socket answers before all workers have been made.
        wait_until(lambda: d.stats()["threads"] > CLIENTS, lambda: "only %d threads" % d.stats()["threads"])
    if KIND == "ternd" and threads:
        check(d.stats()["threads"] < 20, "%d threads" % d.stats()["threads"])
    steps = "announce,settle,rate=%d,hold=%d,rate=0,settle=1000" % (200 // SLOW, 6)
    load = Load(options, 200, steps)
    stop = threading.Event()
    t = threading.Thread(target=asker, args=(d, stop), daemon=True)
    t.start()
    load.wait_hold(120)
    p = Peer(port, "127.0.7.1", VICTIM_AS).establish()
    p.update(["172.16.%d.0/24" % k for k in range(250)])
    spread(0.5)
    p.reset()
    d.write((text + victim).replace("if bgp_path.len > 64 then reject;", "if bgp_path.len >= 65 then reject;"))
    check(d.code("configure", 120) in (3, 4), "configure")
    spread(0.5)
    # A member leaves the configuration altogether.
    d.write(text)
    check(d.code("configure", 120) in (3, 4), "configure")
    result = load.succeed()
    stop.set()
    t.join(60 * SLOW)
    equal(result["sessions_lost"], 0, "sessions lost")
    check("victim" not in d.sessions(), "a protocol that is no longer configured is still there")
    d.stop()


case("a thread for each worker", run, 0)
case("two threads", run, 2)
done()
