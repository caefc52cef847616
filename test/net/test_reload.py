# SPDX-License-Identifier: GPL-3.0-or-later
"""A reload every second, and changed filters, while routes change all the time."""

from harness import *

real_if_long()

CLIENTS = 50 if SOAK else 10
SECONDS = 600 if SOAK else 8
NETS = 50000 if SOAK else 3000


def run(threads):
    port = free_port()
    options = load_options(port, CLIENTS, nets=NETS, ratio=2.4, seed=SEED)
    text = load_conf(options, threads)
    variants = [
        text,
        # The same in effect; different enough that filters must run again, either way.
        text.replace("if bgp_path.len > 64 then reject;", "if bgp_path.len >= 65 then reject;"),
        text.replace("export all;", "export where bgp_path.len < 1000;"),
        text.replace("import filter f_in;", "import limit 1000000 action block; import filter f_in;"),
    ]
    d = Daemon(text).start()
    load = Load(
        options,
        SECONDS + 60,
        steps="announce,settle,rate=%d,hold=%d,rate=0,settle=1000" % (300 // SLOW, SECONDS + 2 * SLOW),
    )
    load.wait_hold(60)
    since = {n: s[1] for n, s in d.sessions().items()}
    until = time.monotonic() + SECONDS - 2
    cnt = 0
    took = []
    while time.monotonic() < until or cnt < 3:
        cnt += 1
        d.write(variants[cnt % len(variants)])
        began = time.monotonic()
        check(d.code("configure") in (3, 4), "configure")
        d.code("reload in all" if cnt % 2 else "reload out all")
        took.append(time.monotonic() - began)
        spread(1)
    equal({n: s[1] for n, s in d.sessions().items()}, since, "since when sessions are up")
    result = load.succeed()
    equal(result["sessions_lost"], 0, "sessions lost")
    took.sort()
    note("     configure and reload took %.1f s, median" % took[len(took) // 2])
    d.stop(120 if SOAK else 30)  # the machine may be busy with other things for minutes


case("a thread for each worker", run, 0)
case("two threads", run, 2)
done()
