# SPDX-License-Identifier: GPL-3.0-or-later
"""stimulus.py generates, from a seed, announcements of members that match every rule of a route server's policy.

    stimulus.py POLICY.json OUT.json [SEED]

Each member announces routes that are good but for one thing, and then routes with several such
things at once, chosen at random. Rounds: announce; change and withdraw; sessions end; one returns.
"""

import ipaddress
import json
import os
import random
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import irr
from wire import *

TAG = OPTIONAL | TRANSITIVE
KINDS = {"std": COMMUNITY, "lrg": LARGE_COMMUNITY, "ext": EXT_COMMUNITY}
COMMON = ["80.1.%d.0/24" % i for i in range(8)], ["2a80:1:%x::/48" % i for i in range(8)]


def std(a, b):
    return (COMMUNITY, struct.pack("!HH", a & 0xffff, b & 0xffff))


def lrg(a, b, c):
    return (LARGE_COMMUNITY, struct.pack("!III", a, b, c))


def ext(kind, a, b):
    """RFC 4360 and 5668: a 2-octet AS number or a 4-octet one, as the first number wants."""
    sub = {"rt": 2, "ro": 3}.get(kind)
    if a > 65535:
        return (EXT_COMMUNITY, struct.pack("!BBIH", 2, sub, a, b & 0xffff))
    return (EXT_COMMUNITY, struct.pack("!BBHI", 0, sub, a, b))


class Route:
    """A route as its member will say it; mutators change it."""

    def __init__(self, member, prefix, path):
        self.prefix = str(ipaddress.ip_network(prefix))
        self.path = path
        self.next_hop = member.ip
        self.tags = []
        self.attrs = {ORIGIN: (TRANSITIVE, b"\0")}

    def update(self, member, withdrawn=()):
        attrs = dict(self.attrs)
        for code, value in self.tags:
            flags, before = attrs.get(code, (TAG, b""))
            attrs[code] = (flags, before + value)
        attrs[AS_PATH] = (TRANSITIVE, self.path)
        return update([self.prefix], attrs, self.next_hop, member.as4, withdrawn)


class Member:
    def __init__(self, policy, client, ip, number):
        own, general = client.get("cfg", {}), policy["cfg"]
        self.asn, self.ip, self.number = client["asn"], ip, number
        self.mapped = client.get("16bit_mapped_asn")
        self.family = family(ip)
        self.as4 = self.asn != 5
        self.cfg = own
        roles = dict(general["filtering"].get("roles", {}), **own.get("filtering", {}).get("roles", {}))
        self.role = None
        if roles.get("enabled") and number % 3:
            # What goes with the role of the route server's end (RFC 9234, 4.2).
            self.role = {"rs": 2, "provider": 3, "peer": 4}[roles.get("local_role", "rs")]
        # bird 2 lets nothing in any more after `block`, whatever is withdrawn (doc/differences.md)
        limit = own.get("filtering", {}).get("max_prefix", {})
        self.still = limit.get("action") == "block" and limit.get("limit_ipv4", 0) < 100
        sets = own.get("filtering", {}).get("irrdb", {}).get("as_sets") or \
            policy["asns"].get("AS%d" % self.asn, {}).get("as_sets") or ["AS%d" % self.asn]
        self.asns = sorted({a for s in sets for a in (irr.asns(s) if s != "AS%d" % self.asn else [self.asn])})
        self.prefixes = [e for s in sets for e in irr.prefixes(s, self.family)]
        self.block = 20 + self.asn % 100 if self.family == 4 else "2a%02d" % (self.asn % 100)
        self.fresh = 0

    def plan(self, policy):
        cfg = dict(policy["cfg"], **{k: v for k, v in self.cfg.items() if not isinstance(v, dict)})
        return {"ip": self.ip, "asn": self.asn, "number": self.number, "as4": self.as4, "role": self.role,
                "families": [4, 6] if cfg.get("rfc8950") and self.family == 6 else [self.family],
                "extended_next_hop": bool(cfg.get("rfc8950")), "add_path": bool(cfg.get("add_path")),
                "password": self.password}

    def next_prefix(self):
        """One that the registry knows and nobody else uses."""
        self.fresh += 1
        n = self.fresh * 8 + self.number % 8  # members of one AS number share its space
        if self.family == 4:
            return "%d.%d.%d.0/24" % (self.block, 64 + n // 256, n % 256)
        return "%s:40:%x::/48" % (self.block, n)

    def good(self, prefix=None, origin=None):
        tail = [] if origin in (None, self.asn) else [origin]
        return Route(self, prefix or self.next_prefix(), [self.asn] + tail)

    def own(self, text):
        """A prefix of the member's block: the rest of it, per family "four|six"."""
        four, six = text.split("|")
        text = "%d.%s" % (self.block, four) if self.family == 4 else "%s:%s" % (self.block, six)
        return str(ipaddress.ip_network(text, strict=False))


# --- What can be said in communities ---


def expand(value, kind, rs_as, peers, dyn):
    """All the communities that a line of the policy stands for, with numbers for its macros."""
    value = str(value).replace("rs_as", str(rs_as))
    if "peer_as" in value:
        texts = [value.replace("peer_as", str(p)) for p in peers]
    elif "dyn_val" in value:
        texts = [value.replace("dyn_val", str(d)) for d in dyn]
    else:
        texts = [value]
    for text in texts:
        parts = text.split(":")
        numbers = [int(x) for x in parts if x.isdigit()]
        if kind == "ext":
            yield ext(parts[0], *numbers)
        elif kind == "lrg":
            yield lrg(*numbers)
        elif numbers[1] < 65536 and numbers[0] < 65536:
            yield std(*numbers)


def vocabulary(policy):
    """[(name, community)] of all that the policy gives a meaning, and of what others do."""
    cfg = policy["cfg"]
    peers = [64999]
    for c in policy["clients"]:
        peers += [c["asn"]] + ([c["16bit_mapped_asn"]] if "16bit_mapped_asn" in c else [])
    dyn = [int(x) for x in str(cfg.get("rtt_thresholds", "5")).split(",")] + [0, 6, 14, 65535]
    words = []
    for name, kinds in sorted(dict(cfg["communities"], **cfg.get("custom_communities", {})).items()):
        if name == "reject_cause_map":
            kinds_list = sorted(kinds.items())
        else:
            kinds_list = [("", kinds)]
        for _, k in kinds_list:
            for kind, value in sorted(k.items()):
                for c in expand(value, kind, cfg["rs_as"], sorted(set(peers)), dyn):
                    words.append((name, c))
    words += [("well-known", std(65535, x)) for x in (666, 0, 65281, 65282, 65283, 65284, 7)]
    words += [("rpki", (EXT_COMMUNITY, struct.pack("!BBHI", 0x43, 0, 0, x))) for x in (0, 1, 2, 3)]
    words += [("odd", (EXT_COMMUNITY, struct.pack("!BBHI", t, s, 64512, 11)))
              for t, s in ((0x40, 2), (0x03, 0x0c), (0x01, 2), (0x80, 6), (0x06, 1))]
    words += [("foreign", std(65000, 1)), ("foreign", lrg(4294967295, 4294967295, 4294967295)),
              ("foreign", lrg(0, 0, 0)), ("foreign", std(0, 0)), ("foreign", std(65535, 65535))]
    return words


# --- What can be wrong with a route: name -> function (random, member, policy, route) ---


def mutators(policy, members):
    cfg = policy["cfg"]
    filt = cfg["filtering"]
    found = {}

    def add(name, fn):
        found[name] = fn

    def path(name, make):
        def change(m, r):
            r.path = make(m, (flat(r.path) or [m.asn])[-1])
        add("path " + name, change)

    path("first AS of another", lambda m, o: [7000, o])
    path("empty", lambda m, o: [])
    most = filt.get("max_as_path_len", 32)
    for n in (6, 7, most, most + 1, 64, 65):
        path("of %d" % n, lambda m, o, n=n: [m.asn] * (n - 1) + [o])
    for a in (23456, 64496, 64511, 64512, 65534, 65535, 65536, 65551, 65552, 131071, 4200000000,
              4294967294, 4294967295):
        path("with AS %d inside" % a, lambda m, o, a=a: [m.asn, a, o])
    path("with AS 131072 inside", lambda m, o: [m.asn, 131072, o])
    path("with a private origin", lambda m, o: [m.asn, 64600])
    for a in [174, 3356, 7018, 6453, 6939, 4100000000, 701]:
        path("with transit-free AS %d inside" % a, lambda m, o, a=a: [m.asn, a, o])
        path("with transit-free origin %d" % a, lambda m, o, a=a: [m.asn, a])
    path("with the route server's AS", lambda m, o: [m.asn, cfg["rs_as"], o])
    path("with an AS_SET at its end", lambda m, o: [m.asn, 1500, [o, 1501, 1502]])
    path("with an AS_SET of one", lambda m, o: [m.asn, [o]])
    path("with an AS_SET inside", lambda m, o: [m.asn, [1501, 1502], o])
    path("with a private AS in an AS_SET", lambda m, o: [m.asn, [64512, o]])
    path("prepended by its origin", lambda m, o: [m.asn, 1500, o, o, o])
    path("of 4-octet numbers", lambda m, o: [m.asn, 400000, 399999, o])
    path("origin not registered", lambda m, o: [m.asn, 9999])
    for a in (1000, 2000, 3000, 135000):
        path("origin %d and more" % a, lambda m, o, a=a: [m.asn, a + m.asn % 100])
    path("white-listed origin", lambda m, o: [m.asn, 1999])
    path("with origin 1998", lambda m, o: [m.asn, 1998])

    def prefix(name, text):
        def change(m, r):
            r.prefix = m.own(text)
        add("prefix " + name, change)

    def absolute(p):
        def change(m, r):
            if m.family == family(p):
                r.prefix = p
        add("prefix " + p, change)

    for i in (1, 2, 3, 7):
        prefix("registered %d" % i, "%d.0.0/16|%d00::/32" % (i, i))
        prefix("longer than registered %d" % i, "%d.64.0/19|%d00:8000::/36" % (i, i))
        prefix("much longer than registered %d" % i, "%d.64.0/24|%d00:8000:1::/48" % (i, i))
    prefix("of a range, shortest", "40.16.0/20|40:1000::/40")
    prefix("of a range, too short", "40.32.0/19|40:2000::/36")
    prefix("of a range, too long", "40.48.128/25|40:3000:8000::/49")
    prefix("inside a range", "42.0.0/15|40:4000::/44")
    prefix("with a ROA only", "60.0.0/16|6000::/32")
    prefix("longer, with a ROA only", "60.7.0/24|6000:7::/48")
    prefix("of AS 0", "61.0.0/16|6100::/32")
    prefix("not registered", "250.0.0/16|fa00::/32")
    prefix("of 1 host", "40.99.1/32|40:5000::1/128")
    prefix("of 25", "40.98.128/25|40:6000:8000::/52")
    prefix("the whole block", "0.0.0/8|:/16")
    prefix("of 9", "0.0.0/9|:/20")
    prefix("black-listed", "3.0.0/16|300::/24")
    prefix("black-listed, longer", "3.1.0/24|310::/32")
    prefix("black-listed, in a range", "7.9.0/24|700::/40")
    prefix("white-listed", "200.0.0/16|9900::/32")
    prefix("white-listed, longer", "200.4.0/24|9900:1::/48")
    prefix("white-listed route", "210.0.0/20|9a00::/32")
    prefix("white-listed route, longer", "210.1.0/24|9a00:1::/48")
    prefix("white-listed route with origin", "211.0.0/16|9a00:2::/48")
    for b in policy["bogons"] + filt.get("global_black_list_pref", []):
        absolute("%s/%d" % (b["prefix"], b["length"]))
    for p in ("10.1.0.0/16", "172.16.0.0/29", "172.31.0.0/16", "172.16.0.0/12", "192.0.2.128/25", "240.0.0.0/8",
              "22.128.4.0/24", "23.128.4.0/24", "0.0.0.0/1", "127.0.0.0/8",
              "2001:db8:5::/48", "2002:a::/32", "4000::/3", "4000:1::/32", "fd00:1::/48", "2000::/3", "::/1",
              "2a01:8000:1::/48"):
        absolute(p)

    def hop(name, four, six):
        def change(m, r):
            r.next_hop = four if m.family == 4 else six
        add("next hop " + name, change)

    hop("nobody's", "192.0.2.98", "2001:db8:1:1::98")
    hop("authorized", "192.0.2.99", "2001:db8:1:1::99")
    hop("the route server's", "192.0.2.2", "2001:db8:1:1::2")
    hop("of another exchange", "198.51.100.9", "2001:db8:9::9")
    for m in members:
        if m.family == 4:
            hop("of %s" % m.ip, m.ip, m.ip.replace("192.0.2.", "2001:db8:1:1::"))

    def attr(name, code, flags, value):
        def change(m, r):
            r.attrs[code] = (flags, value)
        add("attribute " + name, change)

    attr("origin EGP", ORIGIN, TRANSITIVE, b"\1")
    attr("origin incomplete", ORIGIN, TRANSITIVE, b"\2")
    attr("origin out of range", ORIGIN, TRANSITIVE, b"\3")
    attr("med 0", MED, OPTIONAL, bytes(4))
    attr("med", MED, OPTIONAL, struct.pack("!I", 4000000000))
    attr("local preference", LOCAL_PREF, TRANSITIVE, struct.pack("!I", 5000))
    attr("atomic aggregate", ATOMIC, TRANSITIVE, b"")
    attr("aggregator", AGGREGATOR, TAG, struct.pack("!I4s", 1500, b"\1\2\3\4"))
    attr("aggregator with 4 octets", AGGREGATOR, TAG, struct.pack("!I4s", 400000, b"\1\2\3\4"))
    attr("only to customer", OTC, TAG, struct.pack("!I", 1500))
    attr("only to customer, the route server", OTC, TAG, struct.pack("!I", cfg["rs_as"]))
    attr("only to customer, bad length", OTC, TAG, b"\0\1")
    attr("unknown, transitive", 99, TAG, b"hello")
    attr("unknown, transitive, partial", 99, TAG | PARTIAL, bytes(300))
    attr("unknown, not transitive", 98, OPTIONAL, b"hello")
    for name, code, value in (("", COMMUNITY, std(65000, 7)), (" large", LARGE_COMMUNITY, lrg(65000, 0, 7)),
                              (" extended", EXT_COMMUNITY, ext("rt", 65000, 7))):
        attr("communities, partial" + name, code, TAG | PARTIAL, value[1])
    attr("originator", 9, OPTIONAL, b"\1\2\3\4")
    attr("cluster list", 10, OPTIONAL, b"\1\2\3\4\5\6\7\10")
    add("attribute origin, none", lambda m, r: r.attrs.pop(ORIGIN))

    def own_otc(m, r):
        r.attrs[OTC] = (TAG, struct.pack("!I", m.asn))
    add("attribute only to customer, own", own_otc)
    return found


class Stimulus:
    def __init__(self, policy, seed):
        self.policy = policy
        self.rnd = random.Random(seed)
        self.members = []
        for client in policy["clients"]:
            ips = client["ip"] if isinstance(client["ip"], list) else [client["ip"]]
            for ip in ips:
                m = Member(policy, client, ip, len(self.members) + 1)
                m.password = client.get("password")
                self.members.append(m)
        self.words = vocabulary(policy)
        self.ways = mutators(policy, self.members)
        self.said = {}
        self.log = {}

    def rich(self, m):
        """Mutators that are told of whole by this member: the first of each family says everything."""
        return m is next(x for x in self.members if x.family == m.family)

    def routes(self, m):
        """[(what, route)] of one member, in order."""
        rnd, out = self.rnd, []
        for _ in range(3):
            out.append(("good", m.good()))
        for name, change in sorted(self.ways.items()):
            if self.rich(m) or rnd.random() < 0.4:
                r = m.good()
                change(m, r)
                out.append((name, r))
        for name, c in self.words:
            if self.rich(m) or rnd.random() < 0.25:
                r = m.good()
                r.tags = [c]
                out.append(("community " + name, r))
        # What blackholing allows: any length, inside one's own space.
        holes = [c for name, c in self.words if name == "blackholing"] + [std(65535, 666)]
        for i, c in enumerate(holes):
            for text in ("40.%d.1/32|40:5%d::1/128", "1.%d.0/24|100:%d::/48", "251.%d.1/32|fb00:%d::1/128"):
                r = m.good(m.own(text.replace("%d", str(i + m.number % 8 * 10))))
                r.tags = [c]
                out.append(("blackhole", r))
        # The same prefix from many, so that the best has to be found.
        for p in COMMON[m.family == 6]:
            r = Route(m, p, [m.asn] + rnd.sample(range(1000, 1010), rnd.randint(0, 2)))
            r.attrs[ORIGIN] = (TRANSITIVE, bytes([rnd.randint(0, 2)]))
            if rnd.random() < 0.5:
                r.attrs[MED] = (OPTIONAL, struct.pack("!I", rnd.randint(0, 3)))
            if rnd.random() < 0.3:
                r.tags = [rnd.choice(self.words)[1]]
            out.append(("common", r))
        names = sorted(self.ways)
        for _ in range(60 if self.rich(m) else 25):
            r = m.good()
            what = rnd.sample(names, rnd.randint(0, 2))
            for name in what:
                self.ways[name](m, r)
            r.tags = [c for _, c in rnd.sample(self.words, rnd.randint(0, 6))]
            if r.tags and rnd.random() < 0.3:
                r.tags.append(r.tags[0])  # one twice
            out.append((" + ".join(what + ["communities"]), r))
        return out

    def mark(self, m, med):
        """A good route that tells when what came before it has been dealt with."""
        r = m.good(m.own("127.%d.0/24|40:f0%d::/48".replace("%d", str(m.number))))
        r.attrs[MED] = (OPTIONAL, struct.pack("!I", med))
        return r

    def send(self, m, updates, med):
        mark = self.mark(m, med)
        self.marks.append((m.ip, mark.prefix, med))
        self.log.setdefault(m.ip, {}).setdefault(mark.prefix, []).append("mark")
        return {"ip": m.ip, "do": "send", "updates": [u.hex() for u in updates + [mark.update(m)]]}

    def announce(self, m, routes, med):
        for what, r in routes:
            self.said.setdefault(m.ip, {})[r.prefix] = r
            r.what = what
            self.log.setdefault(m.ip, {}).setdefault(r.prefix, []).append(what)
        return self.send(m, [r.update(m) for _, r in routes], med)

    def change(self, m, med):
        """Some routes go, some get what another had, some come with a withdrawal in one message."""
        updates, rnd = [], self.rnd
        said = self.said[m.ip]
        for p in sorted(said):
            dice = rnd.random()
            if dice < 0.12:
                updates.append(update([], {}, m.ip, m.as4, [p]))
            elif dice < 0.3:
                other = said[rnd.choice(sorted(said))]
                new = Route(m, p, list(other.path))
                new.next_hop, new.tags, new.attrs = other.next_hop, list(other.tags), dict(other.attrs)
                gone = [q for q in [rnd.choice(sorted(said))] if q != p and rnd.random() < 0.2]
                updates.append(new.update(m, gone))
                self.log[m.ip][p].append("as %s (%s)" % (other.prefix, other.what))
        return self.send(m, updates, med)

    def round(self, name, steps):
        return {"name": name, "steps": steps, "marks": self.marks}

    def plan(self):
        rounds = []
        self.marks = []
        steps = [{"ip": m.ip, "do": "up"} for m in self.members]
        steps += [self.announce(m, self.routes(m), 1) for m in self.members]
        rounds.append(self.round("announce", steps))
        self.marks = []
        rounds.append(self.round("change", [self.change(m, 2) for m in self.members if not m.still]))
        a, b = self.members[1], self.members[3]
        self.marks = []
        rounds.append(self.round("down", [{"ip": a.ip, "do": "cease"}, {"ip": b.ip, "do": "reset"}]))
        self.marks = []
        rounds.append(self.round("again", [{"ip": a.ip, "do": "up"}, self.announce(
            a, [x for x in self.routes(a) if self.rnd.random() < 0.5], 3)]))
        addresses = [m.ip for m in self.members] + ["192.0.2.99", "2001:db8:1:1::99"]
        return {"sessions": [m.plan(self.policy) for m in self.members], "addresses": addresses,
                "rounds": rounds, "log": self.log}


def make(policy, out, seed):
    with open(policy) as f:
        plan = Stimulus(json.load(f), seed).plan()
    with open(out, "w") as f:
        json.dump(plan, f)
    return plan


if __name__ == "__main__":
    got = make(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    print(sum(len(s.get("updates", [])) for r in got["rounds"] for s in r["steps"]), "updates")
