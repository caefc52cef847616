#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of doc/language.md: ternd accepts each block marked conf, every option that
has an effect stands in one of them, and each expression has the value beside it. Each page in the manual's
folder and below opens with its readers and its question.

check_docs.py TERND MANUAL [PAGE]
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TERND = sys.argv[1]
MANUAL = Path(sys.argv[2])
PAGE = Path(sys.argv[3]) if len(sys.argv) > 3 else None  # tern.conf.5
# Tables whose options all must have an example; others are of later versions.
SHOWN = ["top level", "table", "protocol", "channel", "device", "static", "static channel",
         "bgp", "bgp channel"]

text = MANUAL.read_text()
failed = 0


def fail(line, what):
    global failed
    failed += 1
    print(f"{MANUAL.name}:{line}: {what}")


def line_of(pos):
    return text.count("\n", 0, pos) + 1


def ternd(args, conf):
    with tempfile.TemporaryDirectory() as d:
        path = Path(d, "doc.conf")
        path.write_text(conf)
        Path(d, "lan.map").write_text("192.0.2.11 2001:db8::11\n")
        Path(d, "lan.macs").write_text("192.0.2.11 02:00:00:00:00:11\n")
        Path(d, "communities.txt").write_text("65000:1101:3\tbogon prefix\n")
        r = subprocess.run([TERND, *args, "-c", str(path)], capture_output=True, text=True,
                           timeout=60, check=False)
        return r.returncode, (r.stdout + r.stderr).replace(str(path), "example")


blocks = [(line_of(m.start()), m.group(1))
          for m in re.finditer(r"^```conf\n(.*?)^```$", text, re.M | re.S)]
for line, conf in blocks:
    rc, out = ternd(["-p"], conf)
    if rc:
        fail(line, "this example is refused\n" + out)
    for w in re.findall(r"^.*not supported yet.*$", out, re.M):
        fail(line, "this example shows what isn't supported: " + w)

code = "\n".join(re.sub(r"#.*", "", conf) for _, conf in blocks)
# A table of options, and the list of the options with long forms behind the table.
ROWS = r"((?:\|.*\n)+(?:\n(?:- `.*\n(?:  .*\n)*)+)?)"
for m in re.finditer(r"^<!-- options: (.*) -->\n" + ROWS, text, re.M):
    if m.group(1) not in SHOWN:
        continue
    for words in re.findall(r"^[|-] `([a-z0-9_]+(?: [a-z0-9_]+)*)", m.group(2), re.M):
        if not re.search(r"(?:^|[;{])\s*" + words.replace(" ", r"\s+") + r"\b", code, re.M):
            fail(line_of(m.start()), f"no example has the option '{words}' of {m.group(1)}")

exprs = []
for m in re.finditer(r"^\| `(.*?)` \| `(.*?)` \|$", text, re.M):
    exprs.append((line_of(m.start()), *(g.replace("\\|", "|") for g in m.groups())))
conf = "protocol device { }\n"
for i, (line, expr, value) in enumerate(exprs):
    conf += f"function doc{i}() {{ bt_assert(({expr}) = ({value})); }}\n"
    conf += f'bt_test_suite(doc{i}, "line {line}");\n'
rc, out = ternd(["-t"], conf)
if rc:
    fail(0, "expressions have other values than it says\n"
         + re.sub(r"^passed.*\n", "", out, flags=re.M))

# The manual page: what it calls options of BGP are in the manual's tables.
known = set()
for m in re.finditer(r"^<!-- (?:options|not yet): (?:protocol|bgp|channel|bgp channel) -->\n" + ROWS, text, re.M):
    known |= set(re.findall(r"^[|-] `([a-z0-9_]+(?: [a-z0-9_]+)*)", m.group(1), re.M))
page = PAGE.read_text() if PAGE else ""
for m in re.finditer(r"^\.It (Ic .*)$", page[page.find(".Sh PROTOCOL BGP"):page.find(".Sh OTHER OPTIONS")], re.M):
    for words in re.findall(r"Ic ((?:[a-z0-9_]+ ?)+)", m.group(1)):
        words = words.strip()
        if words not in known | {"ipv4", "ipv6"}:
            print(f"{PAGE.name}: the manual doesn't know '{words}'")
            failed += 1

# And the page has each option of the protocols that tern supports: in the section of the protocol or in the section
# of further options, at the beginning of an item or behind a comma.
SECTIONS = {"top level": "GLOBAL STATEMENTS", "table": "GLOBAL STATEMENTS", "protocol": "ALL PROTOCOLS",
            "channel": "ALL PROTOCOLS", "device": "PROTOCOL DEVICE", "direct": "PROTOCOL DIRECT",
            "kernel": "PROTOCOL KERNEL", "image": "", "mrt": "PROTOCOL MRT", "bfd": "PROTOCOL BFD",
            "bfd interface": "PROTOCOL BFD", "bmp": "PROTOCOL BMP", "static": "PROTOCOL STATIC",
            "pipe": "PROTOCOL PIPE", "rpki": "PROTOCOL RPKI", "rpki transport": "PROTOCOL RPKI",
            "bgp": "PROTOCOL BGP", "bgp keys key": "", "bgp channel": "PROTOCOL BGP"}
MACROS = r"(?<!\S)\.?(?:It|Cm|Ar|Oo|Oc|Ns|No|Qo|Qc|Qq|Op|Li|Ql)(?=\s)"
calls, place = {}, ""
for x in page.splitlines():
    if x.startswith((".Sh ", ".Ss ")):
        place = x[4:]
    elif x.startswith("."):
        calls.setdefault(place, []).extend(
            re.sub(r"\s+", " ", re.sub(MACROS, "", c)).strip() for c in re.split(r"[,;|{]|\.?\bIc\b", x))
for m in re.finditer(r"^<!-- options: (.*) -->\n" + ROWS, text, re.M) if PAGE else ():
    if m.group(1) not in SECTIONS:
        continue
    there = calls.get(SECTIONS[m.group(1)], []) + calls.get("Options of " + m.group(1), [])
    for words in re.findall(r"^[|-] `([a-z0-9_]+(?: [a-z0-9_]+)*)", m.group(2), re.M):
        if not any(c == words or c.startswith(words + " ") for c in there):
            print(f"{PAGE.name}: the option '{words}' of {m.group(1)} is missing")
            failed += 1

# A page opens with its readers and its question.
OPENING = re.compile(r"# .+\n\nFor [^.]+\. The page answers: [^?]+\?")
for path in sorted(MANUAL.parent.rglob("*.md")):
    if not OPENING.match(path.read_text()):
        print(f"{path.name}: the first paragraph is not 'For READERS. The page answers: QUESTION?'")
        failed += 1

if len(blocks) < 8 or len(exprs) < 50:
    fail(0, f"only {len(blocks)} examples and {len(exprs)} expressions were found")
sys.exit(1 if failed else 0)
