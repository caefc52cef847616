# SPDX-License-Identifier: GPL-3.0-or-later
"""expect.py computes the required routes of each member of an exchange from the announcements and the policy alone. The
program shares only its input with ternload (`ternload --routes`), and nothing with any daemon: attributes are taken
apart here, the best route is chosen by RFC 4271, 9.1.2.2, and what a route server passes on (RFC 7947) is written down
again. So a mistake that ternload's own model shares with a daemon shows here."""
import re
import subprocess
import zlib

ORIGIN, PATH, NEXT_HOP, MED, LOCAL_PREF, ATOMIC, AGGREGATOR, COMMUNITY = range(1, 9)
ORIGINATOR, CLUSTER, MP_REACH, EXT_COMMUNITY, AIGP, LARGE = 9, 10, 14, 16, 26, 32
KNOWN = {ORIGIN, PATH, NEXT_HOP, MED, LOCAL_PREF, ATOMIC, AGGREGATOR, COMMUNITY, ORIGINATOR, CLUSTER, MP_REACH,
         EXT_COMMUNITY, AIGP, LARGE}
NEVER = {LOCAL_PREF, ORIGINATOR, CLUSTER, AIGP}  # of a session, or of an AS
SIZE = {COMMUNITY: 4, EXT_COMMUNITY: 8, LARGE: 12}
NOT_OUT = {0xffffff01, 0xffffff02, 0xffffff03}  # RFC 1997
TRANSITIVE, PARTIAL = 0x40, 0x20
NAMES = ("igp", "egp", "incomplete")


def numbers(octets, size=4):
    return [int.from_bytes(octets[i:i + size], "big") for i in range(0, len(octets), size)]


def segments(octets):
    """[(type, [AS, ...]), ...] of an AS_PATH"""
    out = []
    while octets:
        n = octets[1]
        out.append((octets[0], numbers(octets[2:2 + 4 * n])))
        octets = octets[2 + 4 * n:]
    return out


class Attributes:
    """One set of attributes as it is announced, and what becomes of it."""

    def __init__(self, octets, rules):
        self.items = {}
        while octets:
            length = int.from_bytes(octets[2:4], "big")
            self.items[octets[1]] = (octets[0], octets[4:4 + length])
            octets = octets[4 + length:]
        path = segments(self.get(PATH))
        ases = [a for _, seg in path for a in seg]
        self.path_len = sum(1 if kind == 1 else len(seg) for kind, seg in path)
        self.first = path[0][1][0] if path and path[0][0] == 2 else 0
        self.origin = self.get(ORIGIN)[0]
        self.med = (numbers(self.get(MED)) or [0])[0]
        communities = numbers(self.get(COMMUNITY))
        self.local_pref = 90 if rules["filter"] and 65000 << 16 | 1 in communities else 100
        self.rejected = rules["server_as"] in ases or (rules["filter"] and self.path_len > 64)
        self.stays = bool(NOT_OUT & set(communities))
        out = self.passed_on()
        self.weight = 1 << 32 | zlib.crc32(out)

    def get(self, kind):
        return self.items.get(kind, (0, b""))[1]

    def passed_on(self):
        out = b""
        for kind in sorted(self.items):
            flags, value = self.items[kind]
            if kind in NEVER or (kind not in KNOWN and not flags & TRANSITIVE):
                continue
            if kind not in KNOWN:
                flags |= PARTIAL
            if kind in SIZE:
                each = [value[i:i + SIZE[kind]] for i in range(0, len(value), SIZE[kind])]
                each = sorted(set(each))
                if kind == EXT_COMMUNITY:
                    each = [e for e in each if not e[0] & 0x40]  # RFC 4360, 6
                    if not each:
                        continue
                value = b"".join(each)
            if kind == PATH:
                value = b"".join(bytes([k, len(seg)]) + b"".join(a.to_bytes(4, "big") for a in
                                                                  (sorted(set(seg)) if k == 1 else seg))
                                 for k, seg in segments(value))
            out += bytes([flags, kind]) + len(value).to_bytes(2, "big") + value
        return out

    def text(self):
        """As members show it: {what: text}."""
        path = " ".join("{%s}" % " ".join(map(str, sorted(set(seg)))) if kind == 1 else " ".join(map(str, seg))
                        for kind, seg in segments(self.get(PATH)))
        out = {"origin": NAMES[self.origin], "as_path": path,
               "next_hop": ".".join(map(str, self.get(NEXT_HOP)))}
        if MED in self.items:
            out["med"] = str(self.med)
        if COMMUNITY in self.items:
            out["community"] = " ".join("(%d,%d)" % (c >> 16, c & 0xffff)
                                        for c in sorted(set(numbers(self.get(COMMUNITY)))))
        if LARGE in self.items:
            each = {tuple(numbers(self.get(LARGE)[i:i + 12])) for i in range(0, len(self.get(LARGE)), 12)}
            out["large_community"] = " ".join("(%d,%d,%d)" % c for c in sorted(each))
        return out


def refused_net(prefix):
    """10.0.0.0/8+, 192.168.0.0/16+"""
    return prefix.startswith("10.") or prefix.startswith("192.168.")


class Exchange:
    def __init__(self, lines, rules):
        """@lines: of `ternload --routes`; @rules: server_as, filter: does the server's import filter work?"""
        self.members = {}  # number: (router id, address)
        sets, found = {}, {}
        for line in lines:
            w = line.split()
            if w[0] == "member":
                self.members[int(w[1])] = (int(w[3]), tuple(int(n) for n in w[4].split(".")))
            elif w[0] == "set":
                sets[int(w[1])] = bytes.fromhex(w[2])
            else:
                if not isinstance(sets[int(w[3])], Attributes):
                    sets[int(w[3])] = Attributes(sets[int(w[3])], rules)
                found.setdefault(w[2], []).append((int(w[1]), sets[int(w[3])]))
        self.best = {}  # prefix: (member, Attributes)
        for prefix, routes in found.items():
            if rules["filter"] and refused_net(prefix):
                continue
            routes = [r for r in routes if not r[1].rejected]
            if routes:
                member, attrs = self.choose(routes)
                if not attrs.stays:
                    self.best[prefix] = member, attrs

    @classmethod
    def of_command(cls, argv, rules):
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as p:
            made = cls(p.stdout, rules)
        if p.returncode:
            raise RuntimeError("%s: exit status %d" % (argv[0], p.returncode))
        return made

    def choose(self, routes):
        if len(routes) > 1:
            least = min((-a.local_pref, a.path_len, a.origin) for _, a in routes)
            routes = [r for r in routes if (-r[1].local_pref, r[1].path_len, r[1].origin) == least]
            routes = [r for r in routes if not any(o[1].first == r[1].first and o[1].med < r[1].med for o in routes)]
        return min(routes, key=lambda r: self.members[r[0]])

    def hashes(self):
        """{member: (nets, hash)}, as ternload's load_dump.h has it"""
        total, own = [0, 0], {m: [0, 0] for m in self.members}
        for prefix, (member, attrs) in self.best.items():
            h = zlib.crc32(prefix.encode()) * attrs.weight
            for sums in (total, own[member]):
                sums[0] += 1
                sums[1] += h
        return {m: (total[0] - n, "%016x" % ((total[1] - h) % (1 << 64))) for m, (n, h) in own.items()}

    def table(self, member):
        """{prefix: Attributes} that @member must hold"""
        return {p: a for p, (m, a) in self.best.items() if m != member}


def table_of(text):
    """{prefix: {attribute: text}} of what `show route all` says"""
    table, now = {}, None
    for line in text.splitlines():
        line = line[5:] if re.match(r"\d{4}[- ]", line) else line[1:]
        m = re.match(r"([0-9a-f.:]+/\d+)\s", line)
        if m:
            now = table.setdefault(m.group(1), {})
            continue
        m = re.match(r"\s+BGP\.(\w+):\s*(.*)", line)
        if m and now is not None:
            now[m.group(1)] = m.group(2).strip()
    return table


def tidy(name, text):
    """Order and blanks of lists mean nothing; neither do letters' cases."""
    text = text.lower()
    if name.endswith("community"):
        return " ".join("(%s)" % ",".join(map(str, each)) for each in sorted(
            tuple(int(n) for n in re.findall(r"\d+", one)) for one in re.findall(r"\([^)]*\)", text)))
    return re.sub(r"\{\s*([^}]*?)\s*\}", lambda m: "{%s}" % " ".join(
        sorted(re.split(r"[ ,]+", m.group(1)), key=int)), text)


def compare_table(text, exchange, member, report):
    """What @member shows beside what it must hold. Returns: {routes, wrong, differences: [the first of them]}"""
    have, want, wrong, said = table_of(text), exchange.table(member), 0, []
    for prefix in sorted(set(have) | set(want)):
        if prefix not in have:
            what = "is missing"
        elif prefix not in want:
            what = "must be absent"
        else:
            must = want[prefix].text()
            other = [n for n in ("origin", "as_path", "next_hop", "med", "community", "large_community")
                     if tidy(n, have[prefix].get(n, "")) != must.get(n, "")]
            if not other:
                continue
            what = "; ".join("%s is '%s' and must be '%s'" % (n, have[prefix].get(n, ""), must.get(n, ""))
                             for n in other)
        wrong += 1
        if len(said) < report:
            said.append("%s %s" % (prefix, what))
    return {"routes": len(have), "wrong": wrong, "differences": said}
