#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the file of an `origin set` from lists of prefixes with origins.

    origins.py [-o FILE] [--up-to LENGTH4,LENGTH6] INPUT...

INPUT is a file, or - for the standard input. The kinds:

- JSON, and YAML where Python has the module yaml: entries in a list, or lists of entries below names. An entry is a
  text, "192.0.2.0/24", or an object with `prefix` and maybe `length`; the lengths `ge` and `le` (also
  `greater-equal`, `less-equal`, `max_length`, `maxLength`); `exact`; and the origin `origin` (also `asn`, `as`,
  `origin_as`, or a list `origins`). An entry without an origin has the origin of the name above, such as AS64500:
  so a cache of an IRR by AS, the output of `bgpq4 -j -l AS64500 AS64500`, and a list of ROAs are inputs.
- Text: a prefix, maybe with +, {FROM,TO} or `upto N`, and the number of the AS, one entry on a line, as
  `bgpq4 -l AS64500 -F '%n/%l{%a,%A} %N\\n' AS64500` prints.

--up-to 24,48 lets each prefix have longer prefixes, of 24 bits of IPv4 and 48 bits of IPv6 at most. The output is
sorted, has no entry twice, and replaces FILE as a whole. After an error FILE stays as before, and the exit status
is 1."""

import argparse
import ipaddress
import json
import os
import re
import sys
import tempfile

FROM = ("ge", "greater-equal", "min_length", "minLength")
TO = ("le", "less-equal", "max_length", "maxLength")
ORIGIN = ("origin", "asn", "as", "origin_as", "origin_asn", "origins", "asns")


class Wrong(Exception):
    pass


def as_number(value, where):
    found = re.fullmatch(r"(?:AS)?(\d+)", str(value).strip(), re.I)
    if not found or int(found.group(1)) > 0xFFFFFFFF:
        raise Wrong("%s: %r is no number of an AS" % (where, value))
    return int(found.group(1))


def first_of(entry, keys):
    return next((entry[k] for k in keys if entry.get(k) is not None), None)


def network(text, where):
    try:
        return ipaddress.ip_network(text)
    except ValueError as e:
        raise Wrong("%s: %s" % (where, e)) from e


class Origins:
    def __init__(self, up_to):
        self.up_to = up_to
        self.entries = set()  # (version, address, length, from, to, origin)

    def add(self, net, low, high, origin, where):
        low = net.prefixlen if low is None else int(low)
        high = max(net.prefixlen, low) if high is None else int(high)
        if not net.prefixlen <= low <= high <= net.max_prefixlen:
            raise Wrong("%s: %s has no lengths from %d to %d" % (where, net, low, high))
        if self.up_to:
            high = max(high, self.up_to[net.version])
        self.entries.add((net.version, int(net.network_address), net.prefixlen, low, high, origin))

    def add_entry(self, entry, name, where):
        """@name: an AS above the entry, or None."""
        if not isinstance(entry, dict):
            entry = {"prefix": entry}
        text = str(entry.get("prefix", ""))
        if "/" not in text and "length" in entry:
            text += "/%s" % entry["length"]
        net = network(text, where)
        low, high = first_of(entry, FROM), first_of(entry, TO)
        if entry.get("exact") is False and low is None and high is None:
            high = net.max_prefixlen
        origins = first_of(entry, ORIGIN)
        if origins is None:
            origins = name
        if origins is None:
            raise Wrong("%s: %s has no origin" % (where, net))
        for origin in origins if isinstance(origins, list) else [origins]:
            self.add(net, low, high, as_number(origin, where), where)

    def add_tree(self, tree, name, where):
        if isinstance(tree, list):
            for i, entry in enumerate(tree):
                at = "%s[%d]" % (where, i)
                if isinstance(entry, dict) and "prefix" not in entry:
                    self.add_tree(entry, name, at)
                else:
                    self.add_entry(entry, name, at)
        elif isinstance(tree, dict):
            own = first_of(tree, ORIGIN)
            for key, value in tree.items():
                if not isinstance(value, (list, dict)) or key in ORIGIN:
                    continue
                is_as = re.fullmatch(r"(?:AS)?\d+", str(key), re.I)
                self.add_tree(value, key if is_as else name if own is None else own, "%s.%s" % (where, key))
        else:
            raise Wrong("%s: expected lists of prefixes" % where)

    def add_text(self, text, where):
        for number, line in enumerate(text.split("\n"), 1):
            line, at = line.split("#")[0].strip(), "%s:%d" % (where, number)
            if not line:
                continue
            found = re.fullmatch(
                r"([0-9a-fA-F.:]+/\d+)\s*(?:(\+)|\{\s*(\d+)\s*,\s*(\d+)\s*\}|upto\s+(\d+))?[\s,]+(?:AS)?(\d+)\s*,?",
                line,
                re.I,
            )
            if not found:
                raise Wrong("%s: expected a prefix and the number of an AS: %s" % (at, line))
            net, (plus, low, high, upto) = network(found.group(1), at), found.group(2, 3, 4, 5)
            self.add(net, low, net.max_prefixlen if plus else high or upto, as_number(found.group(6), at), at)

    def add_file(self, name):
        with sys.stdin if name == "-" else open(name) as f:
            text = f.read()
        if text.lstrip()[:1] in ("{", "["):
            try:
                tree = json.loads(text)
            except ValueError as e:
                raise Wrong("%s: %s" % (name, e)) from e
        elif name.endswith((".yml", ".yaml")):
            try:
                import yaml
            except ImportError as e:
                raise Wrong("%s: this Python has no module yaml" % name) from e
            try:
                tree = yaml.safe_load(text)
            except yaml.YAMLError as e:
                raise Wrong("%s: %s" % (name, e)) from e
        else:
            self.add_text(text, name)
            return
        self.add_tree(tree, None, name)

    def lines(self):
        for version, address, length, low, high, origin in sorted(self.entries):
            net = (ipaddress.IPv4Network if version == 4 else ipaddress.IPv6Network)((address, length))
            lengths = "" if low == high == length else "{%d,%d}" % (low, high)
            yield "%s%s %d\n" % (net, lengths, origin)


def write(path, lines):
    """Replace the file at once: a reader finds the old file or the new file."""
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as f:
        try:
            f.writelines(lines)
            f.flush()
            os.fsync(f.fileno())
            os.chmod(f.name, 0o644)
            os.replace(f.name, path)
        except BaseException:
            os.unlink(f.name)
            raise


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-o", metavar="FILE")
    p.add_argument("--up-to", metavar="LENGTH4,LENGTH6")
    p.add_argument("input", nargs="+")
    a = p.parse_args()
    up_to = None
    if a.up_to:
        found = re.fullmatch(r"(\d+),(\d+)", a.up_to)
        if not found or int(found.group(1)) > 32 or int(found.group(2)) > 128:
            p.error("--up-to takes two lengths, such as 24,48")
        up_to = {4: int(found.group(1)), 6: int(found.group(2))}
    origins = Origins(up_to)
    try:
        for name in a.input:
            origins.add_file(name)
        if a.o:
            write(a.o, origins.lines())
        else:
            sys.stdout.writelines(origins.lines())
    except (Wrong, OSError) as e:
        sys.exit("origins.py: %s" % e)


if __name__ == "__main__":
    main()
