# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of doc/http.md about an API that existing clients read: requests, and fields of objects. A test plays each
request; each field has the type of the table, and an answer has no field that the table lacks."""

import datetime

from glass import *


def string(v):
    return isinstance(v, str)


def number(v):
    return isinstance(v, int) and not isinstance(v, bool)


def texts(v):
    return isinstance(v, list) and all(string(x) for x in v)


def tuples(width):
    return lambda v: isinstance(v, list) and all(len(x) == width and all(number(y) for y in x) for x in v)


def when(layout):
    def fits(v):
        try:
            return bool(datetime.datetime.strptime(v, layout))
        except (ValueError, TypeError):
            return False

    return fits


VALUES = {
    "text": string,
    "number": number,
    "boolean": lambda v: isinstance(v, bool),
    "texts": texts,
    "pairs": tuples(2),
    "triples": tuples(3),
    "numbers": lambda v: isinstance(v, dict) and v and all(number(x) for x in v.values()),
    "counts": lambda v: set(v) == {"imported", "filtered", "exported", "preferred"} and all(map(number, v.values())),
    "lists of three texts": lambda v: isinstance(v, list) and all(texts(x) and len(x) == 3 for x in v),
    "RFC 3339 time": when("%Y-%m-%dT%H:%M:%SZ"),
    "`UP` or `DOWN`": lambda v: v in ("UP", "DOWN"),
}


class Api:
    """The section @title of doc/http.md. @time: the layout of the value `time`."""

    def __init__(self, title, time):
        self.values = dict(VALUES, time=when(time))
        self.requests, self.fields, self.seen = {}, {}, set()
        with open(os.path.join(SRC, "doc/http.md"), encoding="utf-8") as f:
            section = f.read().split("\n## %s\n" % title)[1].split("\n## ")[0]
        for line in section.splitlines():
            cell = [c.strip() for c in line.strip("|").split(" | ")]
            if line.startswith("| `/"):
                key, data = re.fullmatch(r"`(\w+)`: (.*)", cell[2]).groups()
                self.requests[cell[0].strip("`")] = key, data
            elif line.startswith("| ") and len(cell) == 3 and cell[1].startswith("`"):
                self.fields.setdefault(cell[0], {})[cell[1].strip("`")] = cell[2]
        check(self.requests and self.fields, "tables of " + title)

    def check_object(self, kind, o, what):
        """@o has the fields of the object @kind, and no other field."""
        flat = flatten(o, self.fields[kind])
        for path, value in self.fields[kind].items():
            value, sometimes = re.fullmatch(r"(.*?)(, or absent)?", value).groups()
            found = [v for p, v in flat if p == path]
            check(found or sometimes or "*" in path, "%s: no %s in %s" % (what, path, o))
            for v in found:
                check(self.values[value](v), "%s: %s is %r, not %s" % (what, path, v, value))
                self.seen.add((kind, path))
        extra = {p for p, _ in flat} - set(self.fields[kind])
        check(not extra, "%s: doc/http.md lacks %s" % (what, extra))

    def check_answer(self, pattern, target, answer):
        """@answer, to the request @target of the row @pattern. Returns: the objects."""
        key, data = self.requests[pattern]
        rest = {k: v for k, v in answer.items() if k != key}
        check(key in answer, "%s: no %s" % (target, key))
        self.check_object("envelope", rest, target)
        data = data.split(";")[0]
        kind, objects = data.split(", ")[0], answer[key]
        if kind in self.values:
            for v in objects.values() if "by " in data else [objects]:
                check(self.values[kind](v), "%s: %s" % (target, answer))
            return objects
        check(isinstance(objects, list if data.endswith("a list") else dict), target)
        if "by name" in data:
            check(all(k == o.get("protocol", k) for k, o in objects.items()), "%s: keys" % target)
        listed = objects if isinstance(objects, list) else objects.values() if "by name" in data else [objects]
        check(listed, "%s: no object" % target)
        for o in listed:
            self.check_object(kind, o, target)
        return objects

    def check_all(self, played):
        """Each request of the table was played, and each field was seen in an answer."""
        equal(set(played), set(self.requests), "requests of doc/http.md")
        all_of = {(kind, path) for kind, fields in self.fields.items() for path in fields}
        check(not all_of - self.seen, "no answer has %s" % (all_of - self.seen))


def flatten(o, paths, prefix=""):
    """[(path, value)] of @o, down to the depth of @paths; `*` in a path is any key."""
    found = []
    for k, v in o.items():
        path = prefix + k
        if path not in paths and prefix + "*" + "." in {p[: len(prefix) + 2] for p in paths}:
            path = prefix + "*"
        if path not in paths and isinstance(v, dict):
            found += flatten(v, paths, path + ".")
        else:
            found.append((path, v))
    return found
