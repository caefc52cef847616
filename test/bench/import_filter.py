#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An import filter such as exchanges use - bogons, length of the path, first AS, IRR sets of prefixes and
origins, ROA check, scrubbing of communities - on the routes of ternload's clients: the daemon's CPU time
with the filter less that with `import all`, a route. One configuration for tern and bird2.
Options: --members N, --nets N, --rounds N."""
import argparse
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import language as lang

COMMON = """
define BOGONS = [ 0.0.0.0/8+, 10.0.0.0/8+, 100.64.0.0/10+, 127.0.0.0/8+, 169.254.0.0/16+, 172.16.0.0/12+,
  192.0.2.0/24+, 192.168.0.0/16+, 198.18.0.0/15+, 198.51.100.0/24+, 203.0.113.0/24+, 224.0.0.0/3+ ];
define BOGON_ASNS = [ 0, 23456, 64496..64511, 65535..65551, 4200000000..4294967295 ];
define TRANSIT_ASNS = [ 174, 209, 286, 701, 1239, 1299, 2828, 2914, 3257, 3320, 3356, 3549, 5511, 6453, 6461,
  6762, 6830, 7018, 12956 ];
roa4 table vrps;
function scrub() {
  bgp_community.delete([(65000, *), (0, *), (64900..64999, *)]);
  bgp_large_community.delete([(65000, *, *)]);
  bgp_ext_community.delete([(rt, 65000, *), (ro, 65000, *)]);
}
function common(int peer_as) {
  if net.len < 8 || net.len > 24 then reject;
  if net ~ BOGONS then reject;
  if bgp_path.len < 1 || bgp_path.len > 64 then reject;
  if bgp_path.first != peer_as then reject;
  if bgp_path ~ BOGON_ASNS then reject;
  if bgp_path ~ TRANSIT_ASNS then reject;
}
"""

IMPORT = """filter in_%d {
  common(%d);
  scrub();
  if net ~ PREFIXES_%d then bgp_large_community.add((65000, 1, 1)); else reject;
  if bgp_path.last ~ ORIGINS_%d then bgp_large_community.add((65000, 1, 2)); else reject;
  if roa_check(vrps) = ROA_INVALID then reject;
  accept;
}
"""


def base(a):
    opts = lang.harness.load_options(lang.PORT, a.members, nets=a.nets, ratio=2.4, no_filter=True)
    return opts, lang.harness.load_conf(opts).replace("import all; export all;", "import all; export none;")


def feed(kind, conf, opts):
    """Start a daemon, let the clients announce everything. Returns: (daemon, load)."""
    d = lang.Daemon(kind, conf)
    d.start()
    load = lang.harness.Load(opts, time_limit_s=200)
    d.wait_established(int(opts[opts.index("--clients") + 1]), 60)
    d.quiesce(90)
    return d, load


def announced(a):
    """What each client announces: {client: [(prefix, origin AS)]}, as a daemon has it."""
    opts, conf = base(a)
    d, load = feed("ternd", conf, opts)
    out, net = {k: [] for k in range(a.members)}, None
    for _, line in d.run("show route"):
        m = re.match(r"(\d+\.\d+\.\d+\.\d+/\d+)?\s+\w+ \[p(\d+) .*?(?:\[AS(\d+)|$)", line)
        if m:
            net = m.group(1) or net
            out[int(m.group(2))].append((net, int(m.group(3) or 0)))
    load.stop()
    d.stop()
    return out


def policy(a, routes):
    """The filters, by what the members announce: nine of ten prefixes and origins are registered, one ROA
    of thirty makes a route invalid; lists have other members, too."""
    rnd = random.Random(2)
    text, roas = [COMMON], {}
    for k, mine in routes.items():
        prefixes = {p for p, _ in mine if rnd.randrange(10)}
        prefixes |= {"%s/24" % lang.dotted(rnd.randrange(0x0100, 0xdf0000) << 8) for _ in range(len(mine))}
        origins = {o for _, o in mine if rnd.randrange(10)} | {rnd.randrange(1, 400000) for _ in range(500)}
        text.append("define PREFIXES_%d = [\n%s ];\n" % (k, ",\n".join(sorted(prefixes))))
        text.append("define ORIGINS_%d = [\n%s ];\n" % (k, ",\n".join(map(str, sorted(origins)))))
        text.append(IMPORT % (k, 100000 + k, k, k))
        for p, o in mine:
            if rnd.randrange(2):
                roas[p] = o if rnd.randrange(30) else 1
    text.append("protocol static roas {\n  roa4 { table vrps; };\n%s}\n" % "".join(
        "  route %s max %s as %d;\n" % (p, p.split("/")[1], o) for p, o in sorted(roas.items())))
    return "".join(text)


def with_policy(a, conf, text):
    head, rest = conf.split("template bgp", 1)
    for k in range(a.members):
        rest = rest.replace("protocol bgp p%d from rsc {" % k,
                            "protocol bgp p%d from rsc { ipv4 { import filter in_%d; };" % (k, k))
    return head + text + "template bgp" + rest


def cost(kind, conf, opts):
    """Returns: (CPU seconds from the start of the clients on, routes in master4)."""
    d = lang.Daemon(kind, conf)
    d.start()
    d.quiesce()
    before = d.cpu()
    load = lang.harness.Load(opts, time_limit_s=200)
    d.wait_established(int(opts[opts.index("--clients") + 1]), 60)
    d.quiesce(90)
    used = d.cpu() - before
    m = re.search(r"(\d+) of \d+ routes for (\d+) networks in table master4", d.text("show route count"))
    load.stop()
    d.stop()
    return used, int(m.group(1))


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--members", type=int, default=10)
    p.add_argument("--nets", type=int, default=200000)
    p.add_argument("--rounds", type=int, default=3)
    a = p.parse_args()
    opts, conf = base(a)
    routes = announced(a)
    sent = sum(len(r) for r in routes.values())
    full = with_policy(a, conf, policy(a, routes))
    runs = {k: [] for k in lang.kinds()}
    for _ in range(a.rounds):
        for k in runs:
            plain, everything = cost(k, conf, opts)
            lang.harness.equal(everything, sent, "routes without a filter in " + k)
            runs[k].append((plain, *cost(k, full, opts)))
    accepted = {r[2] for v in runs.values() for r in v}
    print("%d members, %d routes, of which %s are accepted" % (a.members, sent, accepted))
    lang.harness.check(len(accepted) == 1, "the daemons disagree about what is accepted")

    def line(what, fn, budget=None):
        lang.say(what, *[lang.median(fn(r) for r in v) for v in runs.values()], unit="us of CPU a route",
                 budget=budget)

    line("receiving the routes, import all", lambda r: 1e6 * r[0] / sent)
    line("the same with the filter", lambda r: 1e6 * r[1] / sent)
    line("the filter: the difference", lambda r: 1e6 * (r[1] - r[0]) / sent, "half of bird2's")


if __name__ == "__main__":
    lang.guard(main)
