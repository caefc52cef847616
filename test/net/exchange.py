# SPDX-License-Identifier: GPL-3.0-or-later
"""A model of an exchange: what its operator may do to the configuration, at random.

`Exchange(rng)` holds what the configuration says; `change()` does some things that happen on an operator's day;
`text()` is the file. In it RUN stands for the daemon's folder, and PORT0 and PORT1 for its ports.
"""

import copy
import random

LIVE = 8  # members whose routers are there: 127.0.11.1 to .8
SILENT = 12  # members whose routers never come: 127.0.12.1 to .12
RS_AS = 65000
ROUTES = 6  # that a live member announces, at first


class Exchange:
    def __init__(self, rng):
        self.rng = rng
        self.serial = 0
        self.members = {}  # name -> dict
        self.tables = ["ta"]
        self.roa_tables = ["ra"]
        self.pipes = {}  # table -> dict: between that one and master4
        self.roas = {}  # (table, prefix, max length, AS)
        self.statics = {"st0": {"table": "master4", "nets": [1, 2], "own": 0}}
        self.sets = {k: rng.sample(range(40), 12) for k in range(3)}
        self.functions = {k: self._function() for k in range(3)}
        self.filters = {k: self._filter() for k in range(4)}
        self.templates = {k: self._template() for k in range(3)}
        self.strict = False
        self.sockets = {}  # name -> restricted
        self.logs = ["log0"]
        self.threads = None
        self.router_id = 1
        self.comment = 0
        for k in range(LIVE):
            self._join(live=True)
        for k in range(9):
            self._join(live=False)

    # --- parts ---

    def _name(self, prefix):
        self.serial += 1
        return "%s%d" % (prefix, self.serial)

    def _function(self):
        return (
            self.rng.choice(("set", "length", "path", "roa", "community")),
            self.rng.randrange(3),
            self.rng.randrange(100),
        )

    def _filter(self):
        return {
            "ask": self.rng.choice((None, 0, 1, 2)),
            "add": self.rng.choice((0, 0, 1, 2, 3)),
            "pref": self.rng.choice((0, 0, 150)),
            "med": self.rng.choice((0, 0, 7)),
            "not": self.rng.random() < 0.3,
        }

    def _template(self):
        return {
            "local": self.rng.choice((1, 1, 2)),
            "port": self.rng.choice((0, 0, 0, 1)),
            "keep": self.rng.random() < 0.5,
            "preference": self.rng.choice((100, 100, 120)),
            "passive": self.rng.random() < 0.8,
            "secure": self.rng.random() < 0.2,
        }

    def _free(self, live):
        used = {m["at"] for m in self.members.values() if m["live"] == live}
        return [k for k in range(1, (LIVE if live else SILENT) + 1) if k not in used]

    def _join(self, live, at=None, asn=None, name=None):
        free = self._free(live)
        if at is None:
            if not free:
                return
            at = self.rng.choice(free)
        name = name or self._name("m")
        self.members[name] = {
            "live": live,
            "at": at,
            "as": asn or (65100 if live else 65200) + at,
            "template": self.rng.randrange(3),
            "import": self.rng.randrange(4),
            "export": self.rng.randrange(4),
            "limit": None,
            "disabled": False,
            "table": "master4",
            "password": None,
            "ip6": self.rng.random() < 0.2,
            "text": None,
            "paths": self._paths(),
            "kept": self._kept(),
        }

    def _paths(self):
        return self.rng.choice((None, None, None, "tx", "rx", "on"))

    def _kept(self):
        """Which of the tables import, export."""
        return self.rng.choice(("", "", "import", "export", "import export")).split()

    def _one(self, live=None):
        names = [n for n, m in self.members.items() if live is None or m["live"] == live]
        return self.rng.choice(names) if names else None

    # --- what happens ---

    def _do_join(self):
        self._join(self.rng.random() < 0.5)

    def _do_leave(self):
        name = self._one()
        if name and len(self.members) > 6:
            del self.members[name]

    def _do_replace(self):
        """Another member with the address of one that goes."""
        name = self._one()
        if name:
            m = self.members.pop(name)
            self._join(m["live"], at=m["at"], asn=self.rng.choice((m["as"], m["as"] + 1000)))

    def _do_rename(self):
        name = self._one()
        if name:
            m = self.members.pop(name)
            self.members[self._name("n")] = m

    def _do_out_and_in(self):
        """One out, another in, as an exchange does it each week."""
        self._do_leave()
        self._do_join()

    def _do_swap(self):
        """Two members change names."""
        if len(self.members) > 1:
            a, b = self.rng.sample(sorted(self.members), 2)
            self.members[a], self.members[b] = self.members[b], self.members[a]

    def _do_option(self):
        name = self._one()
        if not name:
            return
        m = self.members[name]
        what = self.rng.choice(
            ("template", "import", "export", "disabled", "table", "ip6", "text", "password", "limit", "paths", "kept")
        )
        if what == "template":
            m[what] = self.rng.randrange(3)
        elif what in ("import", "export"):
            m[what] = self.rng.randrange(4)
        elif what in ("disabled", "ip6"):
            m[what] = not m[what]
        elif what == "table":
            m[what] = self.rng.choice(["master4"] + self.tables)
        elif what == "paths":
            m[what] = self._paths()
        elif what == "kept":
            m[what] = self._kept()
        elif what == "text":
            m[what] = self.rng.choice((None, "a member", "another one"))
        elif what == "password" and not m["live"]:
            m[what] = self.rng.choice((None, "secret", "other"))
        elif what == "limit":
            m[what] = self.rng.choice(
                (
                    None,
                    None,
                    ("import", 1000, "block"),
                    ("import", 3, "disable"),
                    ("receive", 4, "warn"),
                    ("import", 900, "restart"),
                    ("receive", 2, "disable"),
                )
            )

    def _do_table(self):
        if self.rng.random() < 0.5 and len(self.tables) < 4:
            self.tables.append(self._name("t"))
        elif self.tables:
            gone = self.rng.choice(self.tables)
            self.tables.remove(gone)
            self._without(gone)

    def _without(self, table):
        self.pipes.pop(table, None)
        for m in self.members.values():
            if m["table"] == table:
                m["table"] = "master4"
        for s in self.statics.values():
            if s["table"] == table:
                s["table"] = "master4"

    def _pipe(self):
        return {
            "name": self._name("pi"),
            "import": self.rng.choice(("all", "none", "filter fi%d" % self.rng.randrange(4))),
            "export": self.rng.choice(("all", "none", "filter fi%d" % self.rng.randrange(4))),
        }

    def _do_pipe(self):
        """One a table at most, and none between others: which of two equal routes is best would be chance."""
        if not self.tables:
            return
        table = self.rng.choice(self.tables)
        if table not in self.pipes:
            self.pipes[table] = self._pipe()
        elif self.rng.random() < 0.3:
            del self.pipes[table]
        else:
            self.pipes[table] = dict(self._pipe(), name=self.pipes[table]["name"])

    def _do_static(self):
        if self.rng.random() < 0.4 and len(self.statics) < 4:
            # Prefixes of its own: of two equal routes the older one is the best.
            name = self._name("st")
            self.statics[name] = {
                "table": self.rng.choice(["master4"] + self.tables),
                "nets": self.rng.sample(range(30), 5),
                "own": self.serial % 256,
            }
        elif self.statics:
            name = self.rng.choice(sorted(self.statics))
            if self.rng.random() < 0.5:
                del self.statics[name]
            else:
                self.statics[name]["table"] = self.rng.choice(["master4"] + self.tables)
                self.statics[name]["nets"] = self.rng.sample(range(30), self.rng.randrange(8))

    def _do_template(self):
        self.templates[self.rng.randrange(3)] = self._template()

    def _do_set(self):
        k = self.rng.randrange(3)
        self.sets[k] = self.rng.sample(range(40), self.rng.randrange(2, 20))

    def _do_function(self):
        self.functions[self.rng.randrange(3)] = self._function()

    def _do_filter(self):
        self.filters[self.rng.randrange(4)] = self._filter()

    def _do_roa(self):
        for _ in range(self.rng.randrange(1, 4)):
            if self.rng.random() < 0.6:
                key = (self.rng.choice(self.roa_tables), self.rng.randrange(40))
                self.roas[key] = (self.rng.choice((16, 24)), 65100 + self.rng.randrange(LIVE + 2))
            elif self.roas:
                del self.roas[self.rng.choice(sorted(self.roas))]

    def _do_roa_table(self):
        if len(self.roa_tables) == 1:
            self.roa_tables.append(self._name("r"))
        else:
            gone = self.rng.choice(self.roa_tables)
            self.roa_tables.remove(gone)
            self.roas = {k: v for k, v in self.roas.items() if k[0] != gone}

    def _do_listen(self):
        self.strict = not self.strict

    def _do_socket(self):
        name = self.rng.choice(("c1", "c2"))
        if name not in self.sockets:
            self.sockets[name] = self.rng.random() < 0.5
        elif self.rng.random() < 0.5:
            del self.sockets[name]
        else:
            self.sockets[name] = not self.sockets[name]

    def _do_log(self):
        self.logs = self.rng.sample(("log0", "log1", "log2"), self.rng.randrange(1, 3))

    def _do_threads(self):
        self.threads = self.rng.choice((None, 1, 2, 3))

    def _do_nothing(self):
        self.comment += 1

    def change(self):
        """Some things at once. Returns: their names."""
        weights = {
            "out_and_in": 6,
            "replace": 4,
            "rename": 4,
            "join": 2,
            "leave": 2,
            "swap": 1,
            "option": 6,
            "table": 2,
            "pipe": 3,
            "static": 2,
            "template": 1,
            "set": 2,
            "function": 2,
            "filter": 2,
            "roa": 3,
            "roa_table": 1,
            "listen": 0.4,
            "socket": 2,
            "log": 1,
            "threads": 0.3,
            "nothing": 1,
        }
        done = self.rng.choices(list(weights), list(weights.values()), k=self.rng.choice((1, 1, 1, 2, 3, 5)))
        for what in done:
            getattr(self, "_do_" + what)()
        return done

    # --- what others ask ---

    def copy(self):
        """As it is now; the random numbers stay those of the original."""
        rng, self.rng = self.rng, None
        other = copy.deepcopy(self)
        self.rng = rng
        other.rng = random.Random(0)
        return other

    def adopt(self, other):
        """Be as another one is, but for the random numbers and names that were given."""
        rng, serial = self.rng, self.serial
        self.__dict__.update(copy.deepcopy({k: v for k, v in other.__dict__.items() if k != "rng"}))
        self.rng, self.serial = rng, max(serial, self.serial)

    def place(self, name):
        """Where member `name` is to be dialled: (address, which port)."""
        t = self.templates[self.members[name]["template"]]
        return "127.0.10.%d" % t["local"], t["port"]

    # --- the file ---

    def _function_text(self, k):
        kind, arg, number = self.functions[k]
        table = self.roa_tables[number % len(self.roa_tables)]
        body = {
            "set": "net ~ PS%d" % arg,
            "length": "net.len <= %d" % (20 + arg * 4),
            "path": "bgp_path.len <= %d" % (1 + arg),
            "roa": "roa_check(%s, net, bgp_path.last) != ROA_INVALID" % table,
            "community": "(65000, %d) ~ bgp_community" % arg,
        }[kind]
        return "function f%d() { return %s; }\n" % (k, body)

    def _filter_text(self, k):
        f = self.filters[k]
        text = "filter fi%d {\n" % k
        if f["ask"] is not None:
            text += "\tif %s(f%d()) then reject;\n" % ("!" if f["not"] else "", f["ask"])
        if f["add"]:
            text += "\tbgp_community.add((65000, %d));\n" % f["add"]
        if f["pref"]:
            text += "\tbgp_local_pref = %d;\n" % f["pref"]
        if f["med"]:
            text += "\tbgp_med = %d;\n" % f["med"]
        return text + "\taccept;\n}\n"

    def _template_text(self, k):
        t = self.templates[k]
        text = "template bgp tt%d {\n\tlocal 127.0.10.%d port PORT%d as %d;\n\trs client;\n\tmultihop;\n" % (
            k,
            t["local"],
            t["port"],
            RS_AS,
        )
        text += "\terror wait time 1, 1;\n\terror forget time 1;\n\tconnect delay time 1;\n\tconnect retry time 2;\n"
        text += "\tstrict bind %s;\n\tpassive %s;\n" % ("on" if self.strict else "off", "on" if t["passive"] else "off")
        text += "\tinterpret communities %s;\n" % ("off" if t["secure"] else "on")
        return text + "\tipv4 { import keep filtered %s; preference %d; import all; export all; };\n}\n" % (
            "on" if t["keep"] else "off",
            t["preference"],
        )

    def _member_text(self, name, m):
        text = "protocol bgp %s from tt%d {\n\tneighbor 127.0.%d.%d as %d;\n" % (
            name,
            m["template"],
            11 if m["live"] else 12,
            m["at"],
            m["as"],
        )
        if m["text"]:
            text += '\tdescription "%s";\n' % m["text"]
        if m["disabled"]:
            text += "\tdisabled;\n"
        if m["password"]:
            text += '\tpassword "%s";\n' % m["password"]
        text += "\tipv4 { table %s; import filter fi%d; export filter fi%d;" % (m["table"], m["import"], m["export"])
        if m["paths"]:
            text += " add paths %s;" % m["paths"]
        text += "".join(" %s table on;" % way for way in m["kept"])
        if m["limit"]:
            text += " %s limit %d action %s;" % m["limit"]
        text += " };\n"
        if m["ip6"]:
            text += "\tipv6 { import all; export all; };\n"
        return text + "}\n"

    def text(self):
        parts = ["# %d\nrouter id 10.0.0.%d;\n" % (self.comment, self.router_id)]
        if self.threads:
            parts.append("threads %d;\n" % self.threads)
        parts += ['log "RUN/%s" all;\n' % name for name in self.logs]
        parts += ['cli "RUN/%s.ctl" { %s};\n' % (n, "restrict; " if r else "") for n, r in sorted(self.sockets.items())]
        parts.append("protocol device {}\n")
        parts += ["ipv4 table %s;\n" % t for t in self.tables]
        parts += ["roa4 table %s;\n" % t for t in self.roa_tables]
        for t in self.roa_tables:
            parts.append("protocol static roas_%s {\n\troa4 { table %s; };\n" % (t, t))
            parts += [
                "\troute 20.%d.0.0/16 max %d as %d;\n" % (p, v[0], v[1])
                for (of, p), v in sorted(self.roas.items())
                if of == t
            ]
            parts.append("}\n")
        for k, v in sorted(self.sets.items()):
            parts.append("define PS%d = [ %s ];\n" % (k, ", ".join("20.%d.0.0/16+" % p for p in sorted(v))))
        parts += [self._function_text(k) for k in sorted(self.functions)]
        parts += [self._filter_text(k) for k in sorted(self.filters)]
        for name, s in sorted(self.statics.items()):
            parts.append(
                "protocol static %s {\n\tipv4 { table %s; };\n%s}\n"
                % (
                    name,
                    s["table"],
                    "".join("\troute 30.%d.%d.0/24 blackhole;\n" % (n, s["own"]) for n in sorted(s["nets"])),
                )
            )
        parts.append("protocol static six { ipv6; route 2001:db8:1::/48 blackhole; }\n")
        parts += [self._template_text(k) for k in sorted(self.templates)]
        parts += [
            "protocol pipe %s {\n\ttable master4;\n\tpeer table %s;\n\timport %s;\n\texport %s;\n}\n"
            % (p["name"], t, p["import"], p["export"])
            for t, p in sorted(self.pipes.items())
        ]
        parts += [self._member_text(n, m) for n, m in sorted(self.members.items())]
        return "".join(parts)


def routes(rng):
    """What a member announces: {prefix: (path behind its own AS, communities)}."""
    found = {}
    for p in rng.sample(range(40), rng.randrange(1, ROUTES + 3)):
        path = tuple(rng.choice((65101, 65103, 64500)) for _ in range(rng.randrange(3)))
        comms = tuple((RS_AS, c) for c in rng.sample(range(4), rng.randrange(3)))
        found["20.%d.%d.0/24" % (p, rng.randrange(2))] = (path, comms)
    return found
