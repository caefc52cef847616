# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans: what is measured, with which daemons and on which machines. doc/rig.md describes the format.

Whatever is wrong with a file is said with its line: a key that isn't known, one that is missing, a value of the
wrong kind, and what doesn't go together."""
import os
import re

import yaml

SETUPS = {"single": [], "multi": ["--multi"], "imex": ["--imex"], "mulimex": ["--multi", "--imex"]}
CHANGING = ("churn", "mark", "flap", "hold")  # steps that a plan may have, beside announce and settle
ALONE = ("flap",)  # those that one load machine alone can do


class BadPlan(Exception):
    pass


class Place(dict):
    """A mapping that knows where its keys stand."""


class Loader(yaml.SafeLoader):
    pass


def _mapping(loader, node):
    out = Place()
    out.lines = {}
    out.line = node.start_mark.line + 1
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in out:
            raise BadPlan("%s:%d: '%s' occurs twice" % (node.start_mark.name, key_node.start_mark.line + 1, key))
        out[key] = loader.construct_object(value_node, deep=True)
        out.lines[key] = key_node.start_mark.line + 1
    return out


Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def seconds(text):
    """180, '3m', '2h'"""
    if isinstance(text, (int, float)) and not isinstance(text, bool) and text > 0:
        return float(text)
    m = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh])", str(text))
    if not m or not float(m.group(1)):
        raise ValueError("a time: seconds, or a number with s, m or h")
    return float(m.group(1)) * {"s": 1, "m": 60, "h": 3600}[m.group(2)]


def whole(least, most):
    def take(v):
        if not isinstance(v, int) or isinstance(v, bool) or not least <= v <= most:
            raise ValueError("a whole number from %d to %d" % (least, most))
        return v

    return take


def real(least, most):
    def take(v):
        if not isinstance(v, (int, float)) or isinstance(v, bool) or not least <= v <= most:
            raise ValueError("a number from %g to %g" % (least, most))
        return float(v)

    return take


def words(v):
    if not isinstance(v, str) or not v:
        raise ValueError("a text")
    return v


def name(v):
    if not isinstance(v, str) or not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.+]*(-[A-Za-z0-9_.+]+)*", v):
        raise ValueError("a name: letters, digits, _ . + and single -")
    return v


def flag(v):
    if not isinstance(v, bool):
        raise ValueError("yes or no")
    return v


def one_of(*these):
    def take(v):
        if v not in these:
            raise ValueError("one of %s" % ", ".join(map(str, these)))
        return v

    return take


def some(take):
    """A list of these, or one alone."""

    def take_all(v):
        out = [take(x) for x in (v if isinstance(v, list) else [v])]
        if not out or len(set(out)) != len(out):
            raise ValueError("a list without repetitions")
        return out

    return take_all


def network(v):
    m = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)\.(\d+)/(\d+)", str(v))
    if not m or any(int(n) > 255 for n in m.groups()[:4]) or not 8 <= int(m.group(5)) <= 20:
        raise ValueError("an IPv4 prefix from /8 to /20")
    at = sum(int(n) << s for n, s in zip(m.groups()[:4], (24, 16, 8, 0)))
    if at & ((1 << (32 - int(m.group(5)))) - 1):
        raise ValueError("a prefix without bits behind its length")
    return str(v)


def raw(v):
    return v


DAEMON = {
    "name": name,
    "kind": None,
    "path": words,
    "package": words,
    "build": words,
    "threads": whole(1, 1024),
    "edit": words,
    "limit": seconds,
}
MEMBER = {"kind": one_of("bird2", "tern", "none"), "every": real(0.01, 60), "table": flag}
LINK = {
    "burst": whole(1, 65000),
    "rcvbuf": whole(1024, 1 << 30),
    "sndbuf": whole(1024, 1 << 30),
    "tc": words,
    "tcp_rmem": words,
}
MACHINES = {"dut": name, "load": some(name), "collector": name}
KEYS = {
    "name": name,
    "machines": raw,
    "network": network,
    "daemons": raw,
    "setups": some(one_of(*SETUPS)),
    "peers": some(whole(2, 60000)),
    "routes": some(whole(1, 20000000)),
    "ratio": real(1, 64),
    "filter": one_of("dummy", "none"),
    "prefixes": words,
    "seed": whole(0, 1 << 62),
    "plain": flag,
    "repetitions": whole(1, 1000),
    "first": some(words),
    "limit": seconds,
    "total": seconds,
    "memory": whole(1, 1 << 24),
    "steps": words,
    "load_machines": some(whole(1, 100)),
    "member": raw,
    "link": raw,
    "sample": real(0.01, 60),
}
DEFAULTS = {
    "network": "100.64.0.0/10",
    "setups": ["single"],
    "ratio": 2.5,
    "filter": "dummy",
    "seed": 1,
    "repetitions": 1,
    "first": [],
    "limit": 180.0,
    "total": None,
    "memory": None,
    "steps": "announce,settle",
    "plain": False,
    "load_machines": None,
    "member": {},
    "link": {},
    "sample": 0.1,
    "prefixes": None,
}


class Daemon:
    """One line of the charts."""

    def __init__(self, d):
        self.name, self.kind = d["name"], d["kind"]
        self.path, self.build, self.package = d.get("path"), d.get("build"), d.get("package")
        self.threads, self.edit, self.limit = d.get("threads"), d.get("edit"), d.get("limit")


def point_name(setup, peers, routes):
    return "%s-%d-%d" % (setup, peers, routes)


class Run:
    """One run: a point, a daemon, a repetition."""

    def __init__(self, setup, peers, routes, daemon, loads, rep):
        self.setup, self.peers, self.routes, self.daemon, self.loads, self.rep = (
            setup,
            peers,
            routes,
            daemon,
            loads,
            rep,
        )

    @property
    def id(self):
        return "%s-%s-l%d-r%d" % (
            point_name(self.setup, self.peers, self.routes),
            self.daemon.name,
            self.loads,
            self.rep,
        )


class Plan:
    def __init__(self, path, kinds):
        self.path = path
        self.base = os.path.dirname(os.path.abspath(path))
        self.kinds = kinds
        try:
            with open(path) as f:
                self.text = f.read()
            loader = Loader(self.text)
            loader.name = path
            top = loader.get_single_data()
        except OSError as e:
            raise BadPlan("%s: %s" % (path, e.strerror))
        except yaml.MarkedYAMLError as e:
            raise BadPlan("%s:%d: %s" % (path, (e.problem_mark.line if e.problem_mark else 0) + 1, e.problem))
        if not isinstance(top, Place):
            raise BadPlan("%s:1: a plan is a mapping of keys to values" % path)
        self.top = top
        values = dict(DEFAULTS, **self.take(top, KEYS, "", ("name", "machines", "daemons", "peers", "routes")))
        self.machines = self.take(self.sub(top, "machines"), MACHINES, "machines.", ("dut", "load"))
        self.machines.setdefault("collector", self.machines["load"][-1])
        self.member = dict(
            {"kind": "bird2", "every": 0.1, "table": True}, **self.take(self.sub(top, "member"), MEMBER, "member.")
        )
        self.link = self.take(self.sub(top, "link"), LINK, "link.")
        self.daemons = self.take_daemons(top)
        for key in KEYS:
            if not hasattr(self, key):
                setattr(self, key, values.get(key))
        self.load_machines = self.load_machines or [len(self.machines["load"])]
        self.check()

    def fail(self, where, key, what):
        line = where.lines.get(key, where.line) if isinstance(where, Place) else 1
        raise BadPlan("%s:%d: %s" % (self.path, line, what))

    def sub(self, top, key):
        got = top.get(key)
        if got is not None and not isinstance(got, Place):
            self.fail(top, key, "'%s' is a mapping of keys to values" % key)
        if got is None:
            got = Place()
            got.lines, got.line = {}, top.lines.get(key, 1)
        return got

    def take(self, where, known, prefix, needed=()):
        out = {}
        for key, value in where.items():
            if key not in known:
                self.fail(where, key, "no such key: '%s%s'; known: %s" % (prefix, key, ", ".join(known)))
            try:
                out[key] = known[key](value) if known[key] else value
            except ValueError as e:
                self.fail(where, key, "'%s%s' must be %s, not %r" % (prefix, key, e, value))
        for key in needed:
            if key not in out:
                self.fail(where, None, "'%s%s' is missing" % (prefix, key))
        return out

    def take_daemons(self, top):
        each = top["daemons"]
        if not isinstance(each, list) or not each or not all(isinstance(d, Place) for d in each):
            self.fail(top, "daemons", "'daemons' is a list of mappings, at least one")
        known = dict(DAEMON, kind=one_of(*self.kinds))
        out = []
        for d in each:
            got = self.take(d, known, "daemons.", ("name", "kind"))
            if got["name"] in [o.name for o in out]:
                self.fail(d, "name", "daemon '%s' occurs twice" % got["name"])
            if "build" in got and "path" not in got:
                self.fail(d, "build", "'build' needs 'path': where the command leaves the program")
            if "threads" in got and got["kind"] != "tern":
                self.fail(d, "threads", "only tern has 'threads'")
            if "package" in got and "path" in got:
                self.fail(d, "package", "'package' and 'path' don't go together")
            out.append(Daemon(got))
        return out

    def check(self):
        most = max(self.load_machines)
        if most > len(self.machines["load"]):
            self.fail(
                self.top,
                "load_machines",
                "'load_machines' has %d, but the plan has only %d load machines" % (most, len(self.machines["load"])),
            )
        for step in self.steps.split(","):
            kind = step.split("=")[0]
            if kind not in ("announce", "settle") + CHANGING:
                self.fail(
                    self.top,
                    "steps",
                    "no such step: '%s'; known: announce, settle, %s" % (kind, ", ".join(CHANGING)),
                )
            if kind in ALONE and most > 1:
                self.fail(
                    self.top, "steps", "step '%s' needs one load machine: members of several can't take turns" % kind
                )
        if not self.steps.startswith("announce,settle"):
            self.fail(self.top, "steps", "'steps' begins with announce,settle")
        for d in self.daemons:
            if d.kind not in ("bird2", "tern") and self.setups != ["single"]:
                self.fail(self.top, "setups", "%s (%s) knows set-up single alone" % (d.name, d.kind))
        names = {point_name(s, p, r) for s in self.setups for p, r in self.sizes()}
        for point in self.first:
            if point not in names:
                self.fail(self.top, "first", "'first': no point %s (SETUP-PEERS-ROUTES)" % point)
        if self.prefixes and not os.path.isfile(self.at(self.prefixes)):
            self.fail(self.top, "prefixes", "'prefixes': no file %s" % self.at(self.prefixes))
        if max(self.peers) >= 1 << (32 - int(self.network.split("/")[1])) - 1:
            self.fail(self.top, "network", "'network' is too small for %d peers" % max(self.peers))
        if min(self.peers) - (self.member["kind"] != "none") < most:
            self.fail(
                self.top, "peers", "%d peers are too few for %d load machines and the member" % (min(self.peers), most)
            )

    def at(self, path):
        """A path in the plan is relative to it."""
        return os.path.join(self.base, os.path.expanduser(path))

    def hosts(self):
        m = self.machines
        return list(dict.fromkeys([m["dut"]] + m["load"] + [m["collector"]]))

    def runs(self):
        """In the order in which they are tried: all daemons at a point after each other, beginning with another one
        each time; what is named in `first`, then small points before large ones, by what is sent to all peers; the
        whole once for each repetition."""
        out = []
        turn = 0
        for rep in range(1, self.repetitions + 1):
            points = [(s, p, r, n) for p, r in self.sizes() for s in self.setups for n in self.load_machines]
            points.sort(key=lambda x: point_name(*x[:3]) not in self.first)
            for setup, peers, routes, loads in points:
                for i in range(len(self.daemons)):
                    out.append(Run(setup, peers, routes, self.daemons[(i + turn) % len(self.daemons)], loads, rep))
                turn += 1
        return out

    def sizes(self):
        """(peers, routes) of all points, by how many routes all peers get together."""
        return sorted(((p, r) for p in self.peers for r in self.routes), key=lambda x: (x[0] * x[1], x))

    def limit_of(self, run):
        return run.daemon.limit or self.limit
