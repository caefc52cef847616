# SPDX-License-Identifier: GPL-3.0-or-later
"""1,000 tables at once, in 64 GB of addresses; some are added, filled and deleted by `configure`, and nothing happens
to the others."""

from harness import *

import resource

SANITIZED = is_sanitized(os.path.join(BUILD, "ternd"))
# ThreadSanitizer has room for fewer threads.
CNT = 200 if SANITIZED else 1000
LIMIT = 64 << 30


def conf(routes):
    """A table for each of @routes, and so many routes in it."""
    text = ["log \"RUN/bird.log\" all;", "router id 192.0.2.1;", "protocol device { }"]
    for nr, cnt in routes.items():
        text.append("ipv4 table t%d;" % nr)
        text.append(
            "protocol static s%d { ipv4 { table t%d; }; %s }"
            % (nr, nr, " ".join("route 10.%d.%d.0/24 blackhole;" % (nr % 256, k) for k in range(cnt)))
        )
    return "\n".join(text) + "\n"


def counts(d):
    """{table number: routes in it}"""
    found = {}
    for _, text in d.run("show route table all count"):
        m = re.match(r"\d+ of (\d+) routes for \d+ networks in table t(\d+)$", text)
        if m:
            found[int(m.group(2))] = int(m.group(1))
    return found


def holds(d, routes):
    wait_until(lambda: counts(d) == routes, "what was configured is in the tables", 30)


def since(d):
    """{name of a static protocol: since when it has been in its state}"""
    return {
        m.group(1): m.group(2)
        for _, text in d.run("show protocols")
        for m in [re.match(r"(s\d+)\s+Static\s+\S+\s+up\s+(\S+)", text)]
        if m
    }


def addresses(d):
    """Octets that are mapped."""
    with open("/proc/%d/statm" % d.pid) as f:
        return int(f.read().split()[0]) * 4096


def stacks_kb(d):
    m = re.search(r"Thread stacks: +([0-9.]+) (kB|MB)", d.text("show memory"))
    return float(m.group(1)) * (1024 if m.group(2) == "MB" else 1)


def configure(d, routes):
    d.write(conf(routes))
    check(d.code("configure", 120) in (3, 4), "configure")
    holds(d, routes)


def many():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, resource.getrlimit(resource.RLIMIT_AS)[1]))
    routes = {nr: nr % 4 for nr in range(CNT)}
    d = Daemon(conf(routes)).start()
    holds(d, routes)
    if not SANITIZED:
        note("     %d tables take %.1f MB of addresses each" % (CNT, addresses(d) / CNT / 1e6))
        check(addresses(d) < LIMIT, "%d octets are mapped" % addresses(d))
        each = (d.stats()["rss_kb"] - stacks_kb(d)) / CNT
        note("     and %.1f kB of memory beside stacks, with the protocol that fills it" % each)
        check(each < 68, "a table of few nets has %.1f kB" % each)
    wait_until(lambda: len(since(d)) == CNT, "all protocols to be up", 30)
    before, fds, threads = since(d), d.stats()["fds"], d.stats()["threads"]
    passes(1)  # they tell since when by the second
    # Every tenth goes, as many come; one in ten of the rest has other routes.
    gone = [nr for nr in routes if nr % 10 == 3]
    changed = [nr for nr in routes if nr % 10 == 5]
    other = {nr: cnt for nr, cnt in routes.items() if nr not in gone}
    other.update({CNT + nr: 7 for nr in gone})
    other.update({nr: 20 for nr in changed})
    configure(d, other)
    now = since(d)
    for nr in other:
        name = "s%d" % nr
        if nr < CNT and nr not in changed:
            equal(now[name], before[name], "since when %s is up" % name)
    configure(d, routes)
    wait_until(lambda: d.stats()["threads"] == threads, "the threads of those that went to end")
    wait_until(lambda: d.stats()["fds"] <= fds, "their files to be closed")
    configure(d, {0: 1})
    wait_until(lambda: d.stats()["threads"] < 20, "one table is left")
    configure(d, routes)
    d.stop()


case("%d tables" % CNT, many)
done()
