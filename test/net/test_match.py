# SPDX-License-Identifier: GPL-3.0-or-later
"""`longest match index`: `show route for` says the longest match of what the file has, right after each change of it,
whether the table has an index, gets one or loses it; `show table` says how far that is behind, `show memory` what it
takes. Next hops that are looked up in such a table: test_recursive.py; tables that lie over others: test_overlay.py."""

import ipaddress
import json
import random

from harness import *

HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
ipv4 table master4 { longest match index %s; };
ipv6 table master6 { longest match index %s; };
"""


def drawn(rng, bits):
    """A prefix out of a small tree."""
    length = rng.choice(
        (0, 8, 12, 16, 17, 20, 22, 24, 24, 24, 25, 30, 32)
        if bits == 32
        else (0, 3, 16, 20, 29, 32, 32, 40, 48, 48, 64, 65, 128)
    )
    if bits == 32:
        addr = 10 << 24 | rng.randrange(2) << 20 | rng.randrange(4) << 14 | rng.randrange(4) << 7 | rng.randrange(2)
    else:
        addr = (
            0x20010DB8 << 96
            | rng.randrange(4) << 94
            | rng.randrange(4) << 79
            | rng.randrange(4) << 63
            | rng.randrange(2)
        )
    return ipaddress.ip_network((addr >> (bits - length) << (bits - length) if length else 0, length))


def conf(nets, index):
    return HEAD % index + "".join(
        "protocol static s%d { ipv%d; %s }\n"
        % (v, v, "".join("route %s blackhole;\n" % n for n in sorted(nets, key=str) if n.version == v))
        for v in (4, 6)
    )


def longest(nets, addr):
    return str(max((n for n in nets if addr in n), key=lambda n: n.prefixlen, default=None))


def answer(d, addr):
    got = re.search(r"^(\S+/\d+)\s", d.text("show route for %s table master%d" % (addr, addr.version)), re.M)
    return got.group(1) if got else "None"


def objects(d, command):
    return [json.loads(line) for line in d.text("json " + command).splitlines() if line.startswith("{")]


def shown(d):
    """The networks of both tables."""
    return {
        ipaddress.ip_network(n)
        for v in (4, 6)
        for n in re.findall(r"^(\S+/\d+)\s", d.text("show route table master%d" % v), re.M)
    }


def of_table(d, name):
    return [t for t in objects(d, "show table " + name) if t.get("name") == name][0]


def memory(d):
    return {m["name"]: m["effective_octets"] for m in objects(d, "show memory") if "name" in m}


def changes():
    rng = random.Random(int(os.environ.get("TERN_SEED", "1")))
    nets = {drawn(rng, bits) for bits in (32, 128) for _ in range(150)}
    d = Daemon(conf(nets, ("yes", "no"))).start()
    for k in range(40 if not SOAK else 2000):
        index = rng.choice((("yes", "yes"), ("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no")))
        for _ in range(rng.choice((0, 1, 3, 40))):
            nets ^= {drawn(rng, rng.choice((32, 128)))}
        d.write(conf(nets, index))
        check(d.code("configure") in (3, 4), "configure")
        wait_until(lambda: shown(d) == nets, "the routes")
        for _ in range(40):
            n = drawn(rng, rng.choice((32, 128)))
            for addr in n[0], n[-1]:
                equal(
                    answer(d, addr),
                    longest(nets, addr),
                    "seed %s, change %d, index %s: %s" % (os.environ.get("TERN_SEED", "1"), k, index, addr),
                )
    d.stop()


def told():
    nets = {ipaddress.ip_network("10.%d.%d.0/24" % (k >> 8, k & 255)) for k in range(3000)}
    d = Daemon(conf(nets, ("yes", "no"))).start()
    wait_until(
        lambda: of_table(d, "master4").get("index_networks") == 3000,
        lambda: "what the index has: %r" % of_table(d, "master4"),
    )
    wait_until(lambda: of_table(d, "master4")["index_lag"] == 0, "it to be through")
    check("index_networks" not in of_table(d, "master6"), "a table without index")
    octets = of_table(d, "master4")["index_octets"]
    check(3000 < octets < 3 << 20, "octets: %d" % octets)
    # `show memory` counts the resident pages that the kernel calls the daemon's own, which may be few of the index.
    wait_until(
        lambda: 0 < memory(d)["match_indices"] < octets + (1 << 20), lambda: "%d, of %r" % (octets, memory(d))
    )
    check("Match indices:" in d.text("show memory"), d.text("show memory"))
    for line in "Index networks:      3000", "Index lag:           0", "Index octets:":
        check(line in d.text("show table master4"), d.text("show table master4"))
    equal(answer(d, ipaddress.ip_address("10.3.7.9")), "10.3.7.0/24", "the longest match")
    d.write(conf(nets, ("no", "no")))
    plan = d.text("configure check")
    check("longest match index" in plan, plan)
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: memory(d)["match_indices"] == 0, lambda: "its memory: %r" % memory(d))
    check("index_networks" not in of_table(d, "master4"), "the index went")
    equal(answer(d, ipaddress.ip_address("10.3.7.9")), "10.3.7.0/24", "the longest match")
    d.stop()


case("what is found", changes)
case("what is said of it", told)
done()
