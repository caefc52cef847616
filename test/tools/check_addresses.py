# SPDX-License-Identifier: GPL-3.0-or-later
"""check_addresses.py lists places that make numbers of addresses in memory. An order, a number or a choice that depends
on an address differs from run to run, and no seed replays the run. So a pointer becomes an integer, pointers get an
order, or the octets of a struct become a hash, only where addresses.list says why that is harmless (* stands for each
line of a file). A cast back to a pointer, which drops const, is no number. A text with %p is never harmless. An entry
that no line needs is an error, too. """
import re
import sys
from pathlib import Path

LIST = Path(__file__).with_name("addresses.list")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
# (TYPE *)(uintptr_t): from pointer to pointer
RECAST = re.compile(r'\(\s*(?:const\s+)?(?:struct\s+)?\w+\s*\*+\s*(?:const\s*)?\)\s*\(uintptr_t\)')
NUMBER = re.compile(r'\bu?intptr_t\b')
# hash_bytes(seed, KEY, LENGTH): texts, octets of a message and arrays of numbers called word have no pointers
HASH = re.compile(r'\bhash_bytes\(')
PLAIN = re.compile(r'\bhash_bytes\([^;]*?,\s*(?:word\b|w\b|[\w.>-]+,\s*strlen\()', re.S)
# a < b in any place; a loop over an array compares with a pointer whose name begins with end or ends in end
ORDER = re.compile(r'(?<![\w.>\])])([A-Za-z_][\w.>\[\]-]*) [<>]=? (?![\w.>-]*\bend\b)([A-Za-z_][\w.>\[\]-]*)(?![\w(*])')
# (long)p of a pointer p
CAST = re.compile(
    r'\((?:unsigned )?(?:long(?: long)?|u?int64_t|s?size_t|uint32_t)\)\s*([A-Za-z_][\w.>\[\]-]*)(?![\w(*\[.>-])'
)
# struct x *a, *const b; - names of pointers
POINTER = re.compile(r'[\w,] \*+(?:const )?(\w+)(?=,| =|;|\))')
# bison and flex write these into the tree itself
WRITTEN = ("conf_gram.c", "conf_gram.h", "conf_lex.c")
STRUCT = re.compile(r'^struct \w+ \{$.*?^\}', re.S | re.M)


def last(name):
    """Of x->y.z: z."""
    return re.split(r'->|\.', name)[-1]


def entries():
    """Of addresses.list: (path, text of the line)."""
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            part = [p.strip() for p in line.split(" | ")]
            if len(part) != 3 or not all(part):
                sys.exit(f"addresses.list: PATH | TEXT | REASON is expected: {line}")
            yield part[0], part[1]


def blank(m):
    """As many lines, without text."""
    return "\n" * m.group().count("\n")


def suspects(text):
    """Lines (number, line, fault) of a file."""
    text = COMMENT.sub(blank, text)
    lines = text.split("\n")
    members = {name for body in STRUCT.findall(text) for name in POINTER.findall(body)}
    begin = 0  # of the function or type that a line is in
    for nr, line in enumerate(lines, 1):
        if any("%p" in s for s in STRING.findall(line)):
            yield nr, line, "prints an address"
        rest = STRING.sub('""', line)
        if not line:
            continue
        if line[0] not in "\t {}":
            begin = nr
        for m in ORDER.findall(rest):
            own = POINTER.findall("\n".join(lines[begin - 1 : nr]))
            if all(last(n) in (own if last(n) == n else members) for n in m):
                yield nr, line, "compares addresses"
        for n in CAST.findall(rest):
            own = POINTER.findall("\n".join(lines[begin - 1 : nr]))
            if last(n) == n and n in own:
                yield nr, line, "makes a number of an address"
        if NUMBER.search(RECAST.sub("", rest)):
            yield nr, line, "makes a number of an address"
        if HASH.search(rest) and not PLAIN.search("\n".join(lines[nr - 1 : nr + 3])):
            yield nr, line, "hashes octets that may have an address in them"


def main():
    allowed = list(entries())
    used = set()
    failed = False
    for top in ("lib", "sysdep", "filter", "nest", "proto"):
        for path in sorted(Path(top).rglob("*.[chly]")):
            if path.name in WRITTEN:
                continue
            for nr, line, fault in suspects(path.read_text()):
                hit = [e for e in allowed if e[0] == str(path) and (e[1] == "*" or e[1] in line)]
                used.update(hit)
                if not hit or "%p" in line:
                    print(f"{path}:{nr}: {fault}: {line.strip()}")
                    failed = True
    for path, text in allowed:
        if (path, text) not in used:
            print(f"addresses.list: {path} has no line with '{text}'")
            failed = True
    sys.exit(failed)


main()
