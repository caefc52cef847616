# SPDX-License-Identifier: GPL-3.0-or-later
"""A generator of well-typed expressions, functions and filters, seeded, from the rows of a table.

`Table` reads table.txt. `Gen` makes text of a wanted type: it chooses among the rows whose result is
that type, the least used first, and makes their operands in the same way, down to literals. What a row
can't say about its text is made by a lit_NAME() here: numbers, addresses, names in scope, blocks of
`case` and `for`. Domains are small, so that things are often equal, and members of sets.

A text counts for its rows only when somebody says so (`credit`): who runs it knows whether it was
accepted."""

import ipaddress
import re

TYPES = "int bool pair string ip prefix rd ec lc path clist eclist lclist".split()
DECLARED = dict.fromkeys(TYPES)
DECLARED.update({t: t for t in TYPES})
DECLARED.update(path="bgppath", mask="bgpmask", int_set="int set", prefix_set="prefix set", quad="quad")
ENUMS = {
    "origin": ["ORIGIN_IGP", "ORIGIN_EGP", "ORIGIN_INCOMPLETE"],
    "rts": [
        "RTS_STATIC",
        "RTS_INHERIT",
        "RTS_DEVICE",
        "RTS_RIP",
        "RTS_OSPF",
        "RTS_OSPF_EXT1",
        "RTS_BGP",
        "RTS_PIPE",
        "RTS_BABEL",
    ],
    "rtd": ["RTD_UNICAST", "RTD_BLACKHOLE", "RTD_UNREACHABLE", "RTD_PROHIBIT"],
    "scope": ["SCOPE_HOST", "SCOPE_LINK", "SCOPE_SITE", "SCOPE_ORGANIZATION", "SCOPE_UNIVERSE", "SCOPE_UNDEFINED"],
    "roa": ["ROA_UNKNOWN", "ROA_VALID", "ROA_INVALID"],
    "nettype": [
        "NET_IP4",
        "NET_IP6",
        "NET_VPN4",
        "NET_VPN6",
        "NET_ROA4",
        "NET_ROA6",
        "NET_FLOW4",
        "NET_FLOW6",
        "NET_IP6_SADR",
    ],
    "ra_pref": ["RA_PREF_LOW", "RA_PREF_MEDIUM", "RA_PREF_HIGH"],
    "af": ["AF_IPV4", "AF_IPV6"],
}
INTS = [0, 1, 2, 3, 4, 5, 6, 7, 10, 24, 100, 255, 1000, 64501, 65000, 65535, 65536, 70000, 4200000000, 4294967295]
AS = [1, 2, 3, 4, 5, 6, 7, 8, 100, 64501, 65000, 70000]
U16 = [0, 1, 2, 3, 4, 5, 100, 65000, 65535]
WIDE = [65536, 70000, 4200000000]
IP4 = [
    "0.0.0.0",
    "10.0.0.0",
    "10.0.0.1",
    "10.1.2.3",
    "10.1.2.0",
    "127.0.1.1",
    "192.168.0.1",
    "192.0.2.1",
    "255.255.255.255",
]
IP6 = ["::", "::1", "2001:db8::", "2001:db8::1", "2001:db8:1::", "fe80::1", "ff02::1"]
NET4 = [
    "0.0.0.0/0",
    "10.0.0.0/8",
    "10.0.0.0/9",
    "10.1.0.0/16",
    "10.1.2.0/24",
    "10.1.2.3/32",
    "192.168.0.0/16",
    "192.168.1.0/24",
    "192.0.2.0/24",
    "128.0.0.0/1",
]
NET6 = ["::/0", "2001:db8::/32", "2001:db8:1::/48", "2001:db8::1/128", "fe80::/10", "2000::/3"]
RD = [
    "0:0",
    "1:2",
    "1:3",
    "65535:4294967295",
    "10.0.0.1:5",
    "10.0.0.2:0",
    "192.0.2.1:65535",
    "70000:5",
    "4200000000:65535",
    "2:1:2",
    "0:1:2",
]
TEXTS = ["", "a", "b", "ab", "abc", "a.b", "as64501", "AS-ONE", "10", "feed"]
GLOBS = ["*", "", "a*", "?b*", "*c", "a?c", "*1*", "feed", "A*", "??", "a*b*c", "[a]", "*\\\\*"]


NESTING_MAX = 2  # compound statements within each other


class Impossible(Exception):
    """Nothing of that kind can be made here."""


class Row:
    def __init__(self, name, operands, result, ok, form):
        self.name = name
        self.result = result
        self.ok = ok
        self.form = form
        words = [] if operands == "-" else operands.split()
        self.needs = {w for w in words if w in ("route", "vars", "func")}
        self.args = [w for w in words if w not in self.needs]
        self.used = 0
        self.tried = 0
        self.level, self.least = precedence(form, len(self.args))
        m = re.match(r"defined\.(.*(?:path|community|list))$", name)
        self.asked = m.group(1) if m else ""
        # 2.0.12 confuses variables where a function has both loops and blocks with variables of their own.
        self.kind = "block" if "decl" in words else "loop" if form.startswith("{@for_") else ""
        self.prints = "{@tag}" in form
        self.compound = "stmt" in self.args or "{@case_" in form or "{@for_" in form


def precedence(form, argc):
    """How tightly the form binds (9: an operand), and how tightly each of its operands must."""
    m = re.match(r"\{0\} (\S+) \{1\}$", form)
    if m:
        op = m.group(1)
        level = {"&&": 1, "||": 1, "+": 3, "-": 3, "*": 4, "/": 4}.get(op, 2)
        return level, [level + (level == 2), level + 1]
    if form.startswith("!"):
        return 5, [5]
    if form.startswith("{0}."):
        return 9, [9] + [0] * (argc - 1)
    return 9, [0] * argc


class Table:
    def __init__(self, path):
        self.rows = []
        self.by_result = {}
        each = []
        with open(path) as f:
            for n, line in enumerate(f, 1):
                line = line.rstrip("\n")
                if not line or line.startswith("#"):
                    continue
                if line.startswith("%each "):
                    name, values = line[6:].split(":", 1)
                    each.append(("<%s>" % name.strip(), values.split()))
                    continue
                self.add(line, each, "%s:%d" % (path, n))
                each = []

    def add(self, line, each, where):
        if each:
            for v in each[0][1]:
                self.add(line.replace(each[0][0], v), each[1:], where)
            return
        parts = re.split(r"  +", line)
        if len(parts) != 5 or parts[3] not in ("yes", "no"):
            raise ValueError("%s: five columns are wanted: %r" % (where, parts))
        row = Row(parts[0], parts[1], parts[2], parts[3] == "yes", parts[4])
        if any(r.name == row.name for r in self.rows):
            raise ValueError("%s: %s is there twice" % (where, row.name))
        self.rows.append(row)
        self.by_result.setdefault(row.result, []).append(row)


class Scope:
    """What may be used in a text: variables by type, a route, a function to return from."""

    def __init__(self, route=False, returns=None):
        self.vars = []  # (type, name)
        self.route = route
        self.returns = returns
        self.cnt = 0

    def has(self, need):
        return {"route": self.route, "vars": True, "func": self.returns is not None}[need]


def number(text):
    """Value of a number, a name of PRELUDE or a sum or product in brackets."""
    text = text.replace("C_INT", "5").replace("C_IP", str(ip_number("10.1.2.3")))
    return eval(text, {}) & 0xFFFFFFFF  # pylint: disable=eval-used


def ip_number(text):
    a = ipaddress.ip_address(text)
    return int(a) + (0xFFFF << 32 if a.version == 4 else 0)


def field_span(text, last=0xFFFFFFFF):
    if text == "*":
        return 0, last
    a, _, b = text.partition("..")
    return number(a), number(b or a)


def rd_number(text):
    """The 64 bits of a route distinguisher."""
    head, _, n = text.rpartition(":")
    if "." in head:
        return 1 << 48 | ip_number(head) % 2**32 << 16 | int(n)
    kind, _, a = head.rpartition(":")
    kind = int(kind) if kind else 2 if int(a) > 0xFFFF else 0
    return kind << 48 | (int(a) << 16 if kind else int(a) << 32) | int(n)


def ec_head(kind, first):
    """The first 32 bits of an extended community; of wide ones the item's second part is left out."""
    n = number(first)
    if kind == "generic":
        return n
    if kind.startswith("unknown"):
        return int(kind.split()[1], 16) << 16 | n
    high = {"rt": 2, "ro": 3}[kind]
    return (high | 0x200) << 16 | n >> 16 if n > 0xFFFF else high << 16 | n


def key_span(name, text):
    """From where to where an item reaches, by its first part; more than it holds does no harm."""
    if name in ("int_item", "ip_item", "rd_item"):
        of = {"int_item": number, "ip_item": ip_number, "rd_item": rd_number}[name]
        a, _, b = text.replace("C_IP", "10.1.2.3").partition("..")
        return of(a), of(b or a)
    if name.startswith("item_"):
        return sum(ord(c) << 8 * i for i, c in enumerate(text)), sum(ord(c) << 8 * i for i, c in enumerate(text))
    ends = [e.strip("()").split(", ") for e in text.split(")..(")]
    if name == "ec_item":
        heads = [ec_head(*e[:2]) for e in ends]
        return heads[0], heads[-1]
    spans = [field_span(e[0]) for e in ends]
    return spans[0][0], spans[-1][1]


class Gen:
    def __init__(self, rng, table):
        self.rng = rng
        self.table = table
        self.scope = Scope()
        self.trace = []  # rows of the text that is being made
        self.nesting = 0  # statements around the one that is being made
        self.loops = []  # variables of the loops around it
        self.name = ""  # of the function or filter
        self.kind = ""  # whether it has loops or blocks
        self.functions = {}  # type: names of functions without arguments that return it

    # ---- texts from rows ----

    def possible(self, row):
        if row.compound and self.nesting >= NESTING_MAX:
            return False
        if row.prints and self.name.startswith("g_"):
            return False  # which operand is evaluated first shows only when functions print, and isn't promised
        if row.kind and self.kind not in ("", row.kind):
            return False
        if row.asked and any(r.result == "stmt" and r.form.startswith(row.asked) for r in self.trace):
            return False  # one that was emptied is absent here, and there an empty list
        return row.ok and all(self.scope.has(n) for n in row.needs)

    def pick(self, want, depth):
        rows = [r for r in self.table.by_result.get(want, []) if self.possible(r)]
        if depth <= 0:
            rows = [r for r in rows if not r.args] or rows
        if not rows:
            raise Impossible(want)
        if self.rng.random() < 0.6:
            least = min(r.tried for r in rows)
            rows = [r for r in rows if r.tried <= least + 1]
        return self.rng.choice(rows)

    def make(self, want, depth):
        """Text of type @want and its level of precedence."""
        if want == "any":
            want = self.rng.choice(TYPES)
        for _ in range(20):
            row = self.pick(want, depth)
            mark = len(self.trace), len(self.scope.vars)
            try:
                return self.fill(row, depth), row.level
            except Impossible:
                del self.trace[mark[0] :], self.scope.vars[mark[1] :]
        raise Impossible(want)

    def fill(self, row, depth):
        row.tried += 1
        self.trace.append(row)
        outer = len(self.scope.vars)
        self.nesting += row.compound
        self.kind = self.kind or row.kind
        try:
            text = self.text(row, depth)
        finally:
            self.nesting -= row.compound
        if row.result == "stmt":  # what a block declares ends with it
            del self.scope.vars[outer:]
        return text

    def text(self, row, depth):
        parts = []
        for i, t in enumerate(row.args):
            text, level = self.make(t, depth - 1)
            # Brackets where they are needed, and at times where they aren't.
            if level < row.least[i] or (level < 9 and self.rng.random() < 0.2):
                text = "(" + text + ")"
            parts.append(text)
        return re.sub(r"\{([@*_0-9])(\w*)\}", lambda m: self.part(m, parts, depth), row.form)

    def part(self, m, parts, depth):
        kind, name = m.groups()
        if kind == "@":
            return getattr(self, "lit_" + name)()
        if kind == "*":
            return ", ".join(self.items(name, depth))
        if kind == "_":
            return " ".join(self.make(name, depth - 1)[0] for _ in range(self.rng.randint(0, 4)))
        return parts[int(kind + name)]

    def items(self, name, depth):
        """Items of a set. Prefixes may overlap; of other overlapping items versions make different things."""
        out = []
        taken = []
        for _ in range(self.rng.randint(1, 5)):
            mark = len(self.trace)
            text = self.make(name, depth - 1)[0]
            span = None if name.startswith("net") else key_span(name, text)
            if span and any(span[0] <= b and a <= span[1] for a, b in taken):
                del self.trace[mark:]
                continue
            taken.append(span)
            out.append(text)
        return out

    def root(self, row, depth):
        """A text whose outermost row is @row."""
        self.trace = []
        return self.fill(row, depth)

    def credit(self, rows):
        for r in rows:
            r.used += 1

    # ---- numbers, addresses, strings ----

    def one(self, values):
        return str(self.rng.choice(values))

    def lit_tag(self):
        """What a printed line begins with, to know whose it is."""
        return '"%s: "' % self.name

    def lit_int(self):
        return self.one(INTS)

    def lit_hex(self):
        return hex(self.rng.choice(INTS))

    def lit_small(self):
        return str(self.rng.randint(0, 9))

    def lit_u16(self):
        return self.one(U16)

    def lit_wide(self):
        return self.one(WIDE)

    def lit_hex16(self):
        return self.one(["0x0002", "0x0003", "0x4300", "0x8006", "0x1"])

    def lit_dest(self):
        return self.one(ENUMS["rtd"])

    def lit_as(self):
        return self.one(AS)

    def lit_masklen(self):
        return self.one([0, 1, 8, 9, 16, 24, 31, 32])

    def span(self, values):
        a, b = sorted(self.rng.choice(values) for _ in range(2))
        return "%d..%d" % (a, b)

    def lit_int_range(self):
        return self.span(INTS)

    def lit_u16_range(self):
        return self.span(U16)

    def lit_few_range(self):
        return self.span(U16[:6])

    def lit_as_range(self):
        return self.span(AS)

    def to(self, form, values, each=False):
        """A range from one tuple to another; @each: each number of the first is at most that of the second."""
        a, b = ([self.rng.choice(values) for _ in range(form.count("%d"))] for _ in range(2))
        if each:
            a, b = [min(x) for x in zip(a, b)], [max(x) for x in zip(a, b)]
        return "..".join(form % tuple(x) for x in sorted((a, b)))

    def lit_pair_to(self):
        return self.to("(%d, %d)", U16, each=True)  # what 2.0.12 wants where both ends are literals

    def lit_pair_to_expr(self):
        return self.to("((%d, %d))", U16)

    def lit_ec_to_expr(self):
        return self.to("((rt, %d, %d))", U16)

    def lit_lc_to(self):
        return self.to("(%d, %d, %d)", INTS)

    def lit_lc_to_expr(self):
        return self.to("((%d, %d, %d))", INTS)

    def near(self, name, top):
        """Is a value that is at most one away from an end of an item, part by part, in the set?"""
        items = self.items(name, 1)
        end = self.rng.choice(self.rng.choice(items).split(")..(")).strip("()").split(", ")
        kind = [end.pop(0)] if name == "ec_item" else []
        parts = []
        for part in end:
            if parts and kind in (["rt"], ["ro"]) and parts[0] > 0xFFFF:
                top = 0xFFFF
            n = self.rng.choice(field_span(part, top)) + self.rng.choice((-1, 0, 0, 1))
            parts.append(min(max(n, 0), 0xFFFF if kind and kind[0].startswith("unknown") else top))
        return "(%s) ~ [%s]" % (", ".join(kind + [str(n) for n in parts]), ", ".join(items))

    def lit_near_pair(self):
        return self.near("pair_item", 0xFFFF)

    def lit_near_ec(self):
        return self.near("ec_item", 0xFFFFFFFF)

    def lit_near_lc(self):
        return self.near("lc_item", 0xFFFFFFFF)

    def lit_bool(self):
        return self.one(["true", "false"])

    def lit_text(self):
        return self.one(TEXTS)

    def lit_glob(self):
        return self.one(GLOBS)

    def lit_ip4(self):
        return self.one(IP4)

    def lit_ip6(self):
        return self.one(IP6)

    def lit_ip(self):
        return self.one(IP4 + IP6)

    def lit_ip_range(self):
        v = self.rng.choice([IP4, IP6])
        a, b = sorted(self.rng.randrange(len(v)) for _ in range(2))
        order = ORDER4 if v is IP4 else ORDER6
        return "%s..%s" % (order[a], order[b])

    def lit_net4(self):
        return self.one(NET4)

    def lit_net6(self):
        return self.one(NET6)

    def lit_rd(self):
        return self.one(RD)

    def lit_rd_range(self):
        a, b = sorted((self.rng.choice(RD) for _ in range(2)), key=rd_number)
        return "%s..%s" % (a, b)

    # ---- networks that are more than a prefix ----

    def lit_maxlen(self):
        net = self.one(NET4 + NET6)
        return "%s max %d" % (net, self.rng.randint(int(net.split("/")[1]), 128 if ":" in net else 32))

    def lit_net6_offset(self):
        net = self.one(NET6)
        return net + self.one([" offset 0", " offset 16", ""]) if int(net.split("/")[1]) >= 16 else net

    def flow_numbers(self, top):
        """Numbers of a component; those with a sign stand behind && or ||, or first."""
        few = [n for n in (0, 1, 2, 6, 17, 63, 80, 255, 443, 1023, 8080, 65535) if n <= top]
        text = ""
        for k in range(self.rng.randint(1, 3)):
            a, b = sorted(self.rng.choice(few) for _ in range(2))
            sign = self.rng.choice(["", "", "..", "= ", "< ", "> ", "<= ", ">= ", "!= "])
            plain = sign in ("", "..")
            if k:
                text += self.one([", ", " || "] if plain and last_plain else [" || "] if plain else [" || ", " && "])
            text += "%d..%d" % (a, b) if sign == ".." else "%s%d" % (sign, a)
            last_plain = plain
        return text

    def flow_masks(self):
        text = ""
        for k in range(self.rng.randint(1, 3)):
            mask = self.rng.choice([1, 2, 3, 0x12, 0x3F, 0x100, 0xFFF])
            value = mask & self.rng.choice([0, 1, 2, 0x10, 0xFFF])
            sign = "!" if value in (0, mask) and self.rng.random() < 0.4 else ""
            text += (self.one([" && ", " || ", ", "]) if k else "") + "%s%s/%s" % (sign, hex(value), hex(mask))
        return text

    def flow_fragments(self, v6):
        names = ["is_fragment", "first_fragment", "last_fragment"] + ["dont_fragment"] * (not v6)
        return "".join(
            (self.one([" && ", " || ", ", "]) if k else "") + self.one(["", "!"]) + self.one(names)
            for k in range(self.rng.randint(1, 3))
        )

    def flow(self, v6):
        parts = [
            name + " " + self.flow_numbers(top)
            for name, top in (
                ("port", 65535),
                ("dport", 65535),
                ("sport", 65535),
                ("icmp type", 255),
                ("icmp code", 255),
                ("length", 65535),
                ("dscp", 63),
                ("next header" if v6 else "proto", 255),
            )
        ]
        parts += ["tcp flags " + self.flow_masks(), "fragment " + self.flow_fragments(v6)]
        parts += ["label " + self.flow_numbers(65535)] if v6 else []
        parts = self.rng.sample(parts, self.rng.randint(0, 3))
        for end in "dst", "src":
            if self.rng.random() < 0.7:
                parts.append(end + " " + (self.lit_net6() if v6 else self.lit_net4()))
        self.rng.shuffle(parts)
        return "".join(p + "; " for p in parts)

    def lit_flow4(self):
        return self.flow(False)

    def lit_flow6(self):
        return self.flow(True)

    def bounds(self, top):
        a, b = sorted(self.rng.randint(0, top) for _ in range(2))
        return "{%d,%d}" % (a, b)

    def lit_bounds4(self):
        return self.bounds(32)

    def lit_bounds6(self):
        return self.bounds(128)

    # ---- paths and lists as functions build them ----

    def build(self, empty, call, values):
        text = empty
        for _ in range(self.rng.randint(1, 5)):
            text = "%s(%s, %s)" % (call, text, values())
        return text

    def lit_path(self):
        return self.build("+empty+", "prepend", self.lit_as)

    def lit_clist(self):
        return self.build("-empty-", "add", lambda: "(%s, %s)" % (self.lit_u16(), self.lit_u16()))

    def lit_eclist(self):
        return self.build(
            "--empty--", "add", lambda: "(%s, %s, %s)" % (self.one(["rt", "ro"]), self.lit_u16(), self.lit_int())
        )

    def lit_lclist(self):
        return self.build(
            "---empty---", "add", lambda: "(%s, %s, %s)" % (self.lit_int(), self.lit_int(), self.lit_int())
        )

    # ---- names ----

    def name_of(self, t):
        names = [n for vt, n in self.scope.vars if vt == t]
        if not names:
            raise Impossible("a variable of type " + t)
        return self.rng.choice(names)

    def new_var(self, t):
        self.scope.cnt += 1
        return "v_%s%d" % (t, self.scope.cnt)

    def call_of(self, t):
        names = self.functions.get(t)
        if not names:
            raise Impossible("a function of type " + t)
        return self.rng.choice(names) + "()"

    def lit_call_fact(self):
        return "lib_fact(%s)" % self.one([0, 1, 2, 5, 13, 60])

    def lit_call_gcd(self):
        return "lib_gcd(%s, %s)" % (self.lit_int(), self.lit_int())

    # ---- blocks ----

    def inner(self):
        text = self.make("stmt", 1)[0]
        # bird2 crashes in an arm of which folding has left nothing: `case 1 { 1: if false then ...`.
        return "{ lib_nop(); %s }" % text if text.startswith("if ") else text

    def arms(self, labels):
        """{ labels: statement ... }: labels are told apart, as overlapping ones differ between versions."""
        self.rng.shuffle(labels)
        text = "{ "
        for k in range(self.rng.randint(1, 3)):
            n = self.rng.randint(1, 2)
            if len(labels) < n:
                break
            text += "%s : %s " % (", ".join(labels.pop() for _ in range(n)), self.inner())
        if self.rng.random() < 0.7:
            text += "else: %s " % self.inner()
        return text + "}"

    def lit_case_int(self):
        return self.arms(["0", "1", "2..4", "5", "(3 + 3)", "7..9", "10..99", "100", "65000", "65535..4294967295"])

    def lit_case_pair(self):
        return self.arms(["(0, *)", "(1, 1)", "(1, 2..4)", "(2..3, *)", "(4, 2)..(5, 3)", "(100, 100)", "(65000, *)"])

    def lit_case_ip(self):
        return self.arms(
            ["0.0.0.0", "10.0.0.0..10.0.0.255", "10.1.2.3", "192.168.0.1", "::1", "2001:db8::..2001:db8:0:ffff::"]
        )

    def lit_case_ec(self):
        return self.arms(["(rt, 1, *)", "(rt, 2, 2)", "(rt, 3, 3..100)", "(ro, 1, *)", "(ro, 2, 1)"])

    def lit_case_lc(self):
        return self.arms(
            ["(0, *, *)", "(1, 1, 1)", "(1, 2, *)", "(2, 0, 0..100)", "(3, 5, 1)..(4, 2, 0)", "(5..100, *, *)"]
        )

    def lit_case_rd(self):
        return self.arms(["0:0..1:2", "1:3 ", "10.0.0.1:0..10.0.0.1:65535", "70000:5 ", "2:1:2 "])

    def lit_case_origin(self):
        return self.arms(list(ENUMS["origin"]))

    def loop_head(self, t):
        self.loops.append(self.new_var(t))
        return "for %s %s in " % (t, self.loops[-1])

    def lit_for_path(self):
        return self.loop_head("int")

    def lit_for_clist(self):
        return self.loop_head("pair")

    def lit_for_eclist(self):
        return self.loop_head("ec")

    def lit_for_lclist(self):
        return self.loop_head("lc")

    def loop_body(self, t):
        mark = len(self.scope.vars)
        loop = self.loops.pop()
        self.scope.vars.append((t, loop))
        sums = [n for vt, n in self.scope.vars[:mark] if vt == "int"]
        part = {"int": "%s", "pair": "%s.asn", "lc": "%s.data1"}.get(t)
        text = self.inner()
        if sums and part:
            text += " %s = %s * 3 + %s;" % (sums[0], sums[0], part % loop)
        del self.scope.vars[mark:]
        return text

    def lit_loop_int(self):
        return self.loop_body("int")

    def lit_loop_pair(self):
        return self.loop_body("pair")

    def lit_loop_ec(self):
        return self.loop_body("ec")

    def lit_loop_lc(self):
        return self.loop_body("lc")

    def lit_return(self):
        return "return %s;" % self.make(self.scope.returns, 2)[0]

    # ---- whole functions and filters ----

    def locals(self):
        """Variables between header and body: some are given a value first, the others are undefined."""
        decl = init = ""
        for t in self.rng.sample(TYPES, 4) + ["int", self.rng.choice(["mask", "int_set", "prefix_set"])]:
            name = self.new_var(t)
            decl += "%s %s; " % (DECLARED[t], name)
            # An undefined path or list differs between versions: doc/differences.md.
            if t in ("path", "clist", "eclist", "lclist") or self.rng.random() < 0.9:
                init += "%s = %s; " % (name, self.make(t, 1)[0])
            self.scope.vars.append((t, name))
        return decl, init

    def body(self, cnt, row):
        """Statements, @row among them."""
        at = self.rng.randrange(cnt + 1) if row and not row.asked else 0
        self.kind = row.kind if row else ""
        text = []
        for i in range(cnt + 1):
            if row and i == at:
                value = self.fill(row, 3)
                text.append(value if row.result in ("stmt", "decl") else "print %s, %s;" % (self.lit_tag(), value))
            text.append(self.make("decl" if self.rng.random() < 0.2 else "stmt", 2)[0])
        return " ".join(text)

    def function(self, name, returns, row):
        """Returns: text, rows."""
        self.scope = Scope(returns=returns)
        self.trace = []
        self.name = name
        self.kind = ""
        decl, init = self.locals()
        body = self.body(self.rng.randint(1, 3), row)
        last = self.make(returns, 3)[0]
        return "function %s() %s{ %s%s return %s; }" % (name, decl, init, body, last), self.trace

    def filter(self, name, row):
        self.scope = Scope(route=True)
        self.trace = []
        self.name = name
        self.kind = ""
        decl, init = self.locals()
        body = self.body(self.rng.randint(1, 4), row)
        # Most end by an accept, or nothing could be seen of what they did.
        last = "accept;" if self.rng.random() < 0.8 else "if %s then accept;" % self.make("bool", 2)[0]
        return "filter %s %s{ %s%s %s }" % (name, decl, init, body, last), self.trace

    def expression(self, row):
        self.scope = Scope()
        self.name = "eval"
        text = self.root(row, self.rng.randint(1, 4))
        if row.result == "bool":  # there are many of these, and they tell little each
            text = ", ".join([text] + [self.make("bool", self.rng.randint(1, 3))[0] for _ in range(3)])
            text = "lib_bits(" + text + ")"
        return text, self.trace


def _typed(kind, make):
    for t in list(TYPES) + ["mask", "int_set", "prefix_set", "pair_set"]:
        setattr(Gen, "lit_%s_%s" % (kind, t), make(t))


def _declare(self, t):
    """int v = ...: the value is made before the name is known; a placeholder keeps the order."""
    name = self.new_var(t)
    self.scope.vars.append((t, name))
    return "%s %s = " % (DECLARED[t], name)


_typed("var", lambda t: lambda self: self.name_of(t))
_typed("call", lambda t: lambda self: self.call_of(t))
_typed("decl", lambda t: lambda self: _declare(self, t))
_typed("const", lambda t: lambda self: "C_" + t.upper())
for _e in ENUMS:
    setattr(Gen, "lit_e_" + _e, lambda self, _e=_e: self.one(ENUMS[_e]))
ORDER4 = sorted(IP4, key=lambda a: [int(x) for x in a.split(".")])
ORDER6 = ["::", "::1", "2001:db8::", "2001:db8::1", "2001:db8:1::", "fe80::1", "ff02::1"]

# What every configuration begins with.
PRELUDE = """
define C_INT = 5;
define C_PAIR = (1, 2);
define C_STRING = "abc";
define C_IP = 10.1.2.3;
define C_PREFIX = 10.1.0.0/16;
define C_EC = (rt, 1, 2);
define C_RD = 1:2;
define C_NET = 1:2 10.1.0.0/16;
define C_LC = (1, 2, 3);
define C_PATH = prepend(prepend(+empty+, 5), 64501);
define C_CLIST = add(add(-empty-, (1, 2)), (65000, 1));
define C_MASK = [= * 5 =];
define C_INT_SET = [1, 5..7, 64501];
define C_PAIR_SET = [(1, *), (65000, 1..5)];
attribute int c_int;
attribute ip c_ip;
attribute quad c_quad;
attribute bgppath c_path;
attribute clist c_clist;
attribute eclist c_eclist;
attribute lclist c_lclist;
function lib_bits(bool a; bool b; bool c; bool d) int r;
{ r = 0; if a then r = 1; if b then r = r + 2; if c then r = r + 4; if d then r = r + 8; return r; }
function lib_nop() { return 0; }
function lib_fact(int a) { if a = 0 then return 1; return a * lib_fact(a - 1); }
function lib_gcd(int a; int b) { if b = 0 then return a; return lib_gcd(b, a - b * (a / b)); }
"""
