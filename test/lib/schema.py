# SPDX-License-Identifier: GPL-3.0-or-later
"""As much of JSON Schema (draft 2020-12) as doc/json.schema.json uses, with messages that name the place. What it
doesn't know it refuses, so that no word of a schema goes unread."""

import re

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
}
KNOWN = {
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "description",
    "minItems",
    "maxItems",
    "enum",
    "const",
    "minimum",
    "maximum",
    "pattern",
    "oneOf",
    "$ref",
    "$defs",
    "$schema",
    "$comment",
}


class Schema:
    def __init__(self, root):
        self.root = root
        self.seen = set()  # "route.next_hops[].gateway": members that were met

    def errors(self, v):
        """What is wrong with the document @v: texts; none if it is as the schema says. Objects are told apart by
        `type`."""
        if not isinstance(v, dict) or v.get("type") not in self.root["$defs"]:
            return ["no object of a known type: %.80r" % (v,)]
        return list(self._look(v, self.root["$defs"][v["type"]], v["type"]))

    def members(self):
        """All members that the schema's objects may have, as in `seen`."""
        out = set()
        for ref in self.root["oneOf"]:
            name = ref["$ref"].split("/")[-1]
            self._members(self.root["$defs"][name], name, out)
        return out

    def _members(self, s, at, out):
        s = self._of(s)
        for k, sub in s.get("properties", {}).items():
            out.add("%s.%s" % (at, k))
            self._members(sub, "%s.%s" % (at, k), out)
        if "items" in s:
            self._members(s["items"], at + "[]", out)
        for sub in s.get("oneOf", ()):
            self._members(sub, at, out)

    def _of(self, s):
        unknown = set(s) - KNOWN
        if unknown:
            raise ValueError("schema words that aren't known here: %s" % ", ".join(sorted(unknown)))
        return self.root["$defs"][s["$ref"].split("/")[-1]] if "$ref" in s else s

    def _look(self, v, s, at):
        s = self._of(s)
        types = s.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not any(TYPES[t](v) for t in types):
            yield "%s is no %s: %.80r" % (at, " or ".join(types), v)
            return
        if "const" in s and (v != s["const"] or isinstance(v, bool) != isinstance(s["const"], bool)):
            yield "%s isn't %r: %.80r" % (at, s["const"], v)
        if "enum" in s and v not in s["enum"]:
            yield "%s is none of %r: %.80r" % (at, s["enum"], v)
        if v < s["minimum"] if "minimum" in s else False:
            yield "%s is below %r: %r" % (at, s["minimum"], v)
        if v > s["maximum"] if "maximum" in s else False:
            yield "%s is above %r: %r" % (at, s["maximum"], v)
        if "pattern" in s and not re.search(s["pattern"], v):
            yield "%s doesn't look like %s: %.80r" % (at, s["pattern"], v)
        if "oneOf" in s and sum(not list(self._look(v, x, at)) for x in s["oneOf"]) != 1:
            yield "%s isn't just one of what it may be: %.80r" % (at, v)
        if isinstance(v, dict) and "properties" in s:
            yield from self._object(v, s, at)
        if isinstance(v, list):
            if not s.get("minItems", 0) <= len(v) <= s.get("maxItems", len(v)):
                yield "%s has %d items" % (at, len(v))
            for x in v:
                yield from self._look(x, s["items"], at + "[]")

    def _object(self, v, s, at):
        for k in s.get("required", ()):
            if k not in v:
                yield "%s has no %s" % (at, k)
        for k, x in v.items():
            if k not in s["properties"]:
                yield "%s has an unknown member %s" % (at, k)
                continue
            self.seen.add("%s.%s" % (at, k))
            yield from self._look(x, s["properties"][k], "%s.%s" % (at, k))
