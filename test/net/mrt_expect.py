#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mrt_expect computes the routes that a route server must hold after a replay of recorded updates.

The updates come from Debian's bgpdump (`bgpdump -m FILE`), the decision is a few lines below, and what
the daemon holds is its own text: `show route all` in BIRD's layout. Compared are all routes, attribute by
attribute, and which route of each net is the best.

    mrt_expect.py --mrt FILE --routes ROUTES      compare; exit 0 if all is the same
    mrt_expect.py --mrt FILE                      only print the counts

Peers are clients 0, 1, ... in the order of their first update, as ternload plays them; protocols are
expected to be called p0, p1, ..., as in the configurations that it prints. `bgpdump -m` prints a MED
of 0 for a route without one, so these two count as equal.
"""
import argparse
import ipaddress
import re
import subprocess
import sys

ORIGINS = {"IGP": 0, "EGP": 1, "INCOMPLETE": 2}


def router_id(client):
    """The BGP identifier that ternload gives to a client."""
    return 0x0B000000 | ((client * 0x9E3779 + 0x5BD1) & 0xFFFFFF)


class Route:
    """Attributes in one form for both sources; compared by `facts`."""

    def __init__(self, peer, path, origin, next_hop, med, communities, atomic, aggregator):
        self.peer = peer
        self.path = path
        self.origin = origin
        self.next_hop = next_hop
        self.med = med
        self.communities = communities
        self.atomic = atomic
        self.aggregator = aggregator

    def facts(self):
        return {"path": self.path, "origin": self.origin, "next hop": self.next_hop,
                "med": self.med, "communities": self.communities, "atomic": self.atomic,
                "aggregator": self.aggregator}

    def path_items(self):
        """AS numbers; a set is one item."""
        return re.findall(r"\{[^}]*\}|\d+", self.path)

    def local_pref(self):
        return 90 if (65000, 1) in self.communities else 100


def canonical_path(text):
    """Sets with their members sorted, whatever divides them."""
    def one_set(m):
        return "{" + " ".join(sorted(re.findall(r"\d+", m.group(0)), key=int)) + "}"
    return " ".join(re.sub(r"\{[^}]*\}", one_set, text).split())


WELL_KNOWN = {"no-export": (65535, 65281), "no-advertise": (65535, 65282),
              "local-AS": (65535, 65283)}


def dump_communities(text):
    out = set()
    for word in text.split():
        out.add(WELL_KNOWN[word] if word in WELL_KNOWN else tuple(map(int, word.split(":"))))
    return frozenset(out)


def read_dump(mrt):
    """Final routes by (client, prefix), and the clients' number."""
    text = subprocess.run(["bgpdump", "-m", mrt], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True, text=True).stdout
    peers = {}
    routes = {}
    for line in text.splitlines():
        f = line.split("|")
        if f[0] != "BGP4MP" or f[2] not in "AW":
            continue
        peer = peers.setdefault((f[3], f[4]), len(peers))
        key = (peer, str(ipaddress.ip_network(f[5])))
        if f[2] == "W":
            routes.pop(key, None)
            continue
        aggregator = tuple(f[13].split()) if f[13] else None
        routes[key] = Route(peer, canonical_path(f[6]), f[7], f[8], int(f[10]),
                            dump_communities(f[11]), f[12] == "AG", aggregator)
    return routes, len(peers)


def refused(net, route, server_as):
    """The import filter of the set-up, and the loop check."""
    n = ipaddress.ip_network(net)
    if n.version == 4:
        for bad in ("10.0.0.0/8", "192.168.0.0/16"):
            if n.subnet_of(ipaddress.ip_network(bad)):
                return True
    items = route.path_items()
    numbers = re.findall(r"\d+", route.path)
    return len(items) > 64 or str(server_as) in numbers


def best(routes):
    """The client whose route wins (RFC 4271, 9.1.2)."""
    for step in (lambda r: -r.local_pref(), lambda r: len(r.path_items()),
                 lambda r: ORIGINS[r.origin]):
        least = min(step(r) for r in routes)
        routes = [r for r in routes if step(r) == least]

    def beaten(r):
        return any(s.path_items()[:1] == r.path_items()[:1] and s.med < r.med for s in routes)
    routes = [r for r in routes if not beaten(r)]
    return min(routes, key=lambda r: router_id(r.peer)).peer


ROUTE = re.compile(r"^(\S+)?\s+(?:unicast|unreachable|blackhole) \[p(\d+) [^\]]*\]( \*)? \(")


def strip_code(line):
    """Lines as of the control socket or as of the client."""
    return re.sub(r"^\d{4}[- ]", "", line)


def read_routes(path):
    """Routes by (client, prefix) and best clients by prefix, as the daemon tells."""
    routes = {}
    bests = {}
    net = None
    route = None
    lines = []
    with open(path) as f:
        for line in f:
            line = strip_code(line.rstrip("\n"))
            if line.startswith("\t\t") and lines:  # a list that goes on
                lines[-1] += " " + line.strip()
            else:
                lines.append(line)
    for line in lines:
        m = ROUTE.match(line)
        if m:
            net = m.group(1) or net
            route = Route(int(m.group(2)), "", None, None, 0, frozenset(), False, None)
            key = (route.peer, str(ipaddress.ip_network(net)))
            if key in routes:
                print("p%d has two routes of %s" % key)
            routes[key] = route
            if m.group(3):
                bests[key[1]] = route.peer
            continue
        m = re.match(r"^\s+BGP\.(\w+):\s*(.*)$", line)
        if not m or route is None:
            continue
        name, value = m.groups()
        if name == "origin":
            route.origin = value.upper()
        elif name == "as_path":
            route.path = canonical_path(value)
        elif name == "next_hop":
            route.next_hop = value
        elif name == "med":
            route.med = int(value)
        elif name == "community":
            route.communities = frozenset(
                tuple(map(int, c)) for c in re.findall(r"\((\d+),\s*(\d+)\)", value))
        elif name == "atomic_aggr":
            route.atomic = True
        elif name == "aggregator":
            addr, asn = value.split()
            route.aggregator = (asn.replace("AS", ""), addr)
    return routes, bests


def compare(want, have):
    """Prints the first differences. Returns: their number."""
    diffs = []
    for key in sorted(want.keys() | have.keys(), key=str):
        name = "p%d %s" % key
        if key not in have:
            diffs.append("missing: " + name)
        elif key not in want:
            diffs.append("extra: " + name)
        else:
            w, h = want[key].facts(), have[key].facts()
            diffs += ["%s: %s is %s, must be %s" % (name, k, h[k], w[k])
                      for k in w if w[k] != h[k]]
    for d in diffs[:20]:
        print(d)
    return len(diffs)


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--mrt", required=True)
    p.add_argument("--routes", help="output of `show route all`")
    p.add_argument("--server-as", type=int, default=65000)
    p.add_argument("--no-filter", action="store_true", help="the server filters nothing")
    p.add_argument("--expect", help="ROUTES,NETS that there must be")
    args = p.parse_args()

    want, peers = read_dump(args.mrt)
    want = {k: r for k, r in want.items() if args.no_filter or
            not refused(k[1], r, args.server_as)}
    nets = {}
    for (_, net), r in want.items():
        nets.setdefault(net, []).append(r)
    counts = "%d,%d" % (len(want), len(nets))
    print("%d peers, %d routes of %d nets" % (peers, len(want), len(nets)))
    bad = 0
    if args.expect and args.expect != counts:
        print("must be %s" % args.expect)
        bad += 1
    if args.routes:
        have, bests = read_routes(args.routes)
        bad += compare(want, have)
        wrong = [(n, bests.get(n), best(r)) for n, r in nets.items()
                 if bests.get(n) != best(r)]
        for n, h, w in wrong[:20]:
            print("%s: best is %s, must be p%d" % (n, "none" if h is None else "p%d" % h, w))
        bad += len(wrong)
        print("%d differences" % bad)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
