#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_names.py checks that all things exist that the pages about the code name: files, functions and other names of
the code, tests.

check_names.py, in the root of the tree. Looked at are words with an underscore (in rfc.md in small letters: those of an
RFC have capitals), words between backticks, and names of files. In a table whose columns are called "function" and
"test", and in a list whose items begin so, functions must be in the daemon's code and tests in test/, each test's
function in the file before its colon. The words of the glossary stand in order. A header with a map of its folder
names each .c file of the folder and below. No struct keeps in a bool whether it
holds a reference (CONTRIBUTING.md, 4). """
import re
import sys
from pathlib import Path

PAGES = ["architecture", "concurrency", "glossary", "performance", "rfc"]
FOLDERS = ["lib", "sysdep", "filter", "nest", "proto", "client", "test"]
WORD = r"[A-Za-z_][A-Za-z0-9_]*"
failed = 0


def words_of(path):
    text = path.read_text(errors="replace")
    if path.suffix in (".c", ".h", ".l", ".y"):
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return set(re.findall(WORD, text))


files = {
    p: words_of(p)
    for d in FOLDERS
    for p in Path(d).rglob("*")
    if p.suffix in (".c", ".h", ".l", ".y", ".py", ".sh", ".awk")
}
ours = set().union(*(w for p, w in files.items() if p.parts[0] != "test"))
everyone = ours.union(*files.values())
stems = {p.stem for p in files}
tests = {p.stem: words for p, words in files.items() if p.parts[0] == "test"}


def fail(page, line, what):
    global failed
    failed = 1
    print(f"doc/{page}.md:{line}: {what}")


def has_file(name):
    """As an end of a path: read.h stands for nest/rib/read.h."""
    return Path(name).exists() or any(str(p).endswith("/" + name) for p in files)


def known(word, names):
    if word.endswith("_"):  # of comm_*
        return any(n.startswith(word) for n in names)
    return word in names or word in stems


def look(page, line, text, names):
    for name in re.findall(r"[\w./-]*\w\.(?:c|h|l|y|py|sh)\b(?!\.)", text):
        if not has_file(name):
            fail(page, line, f"no such file: {name}")
    text = re.sub(r"[\w./-]+\.\w+", " ", text)
    for word in sorted(
        set(re.findall(r"\b[a-z][a-z0-9]*_[a-z0-9_]*\b", text))
        | set(re.findall(rf"`({WORD})`", text))
        | (set(re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]*\b", text)) if page != "rfc" else set())
    ):
        if not known(word, names):
            fail(page, line, f"the code has no {word}")


def look_tests(page, line, cell):
    """test_a: test_b, test_c; test_d"""
    for part in cell.split(";"):
        head, _, cases = part.partition(":")
        for name in re.findall(r"\b(?:test|prop|fuzz|stress)_\w+", head):
            if name not in tests:
                fail(page, line, f"no such test: {name}")
        for case in re.findall(r"\btest_\w+", cases):
            if not any(case in tests.get(n, ()) for n in re.findall(r"\w+", head)):
                fail(page, line, f"{head.strip()} has no {case}")


for p in files:
    if p.suffix in (".c", ".h") and p.parts[0] != "test":
        for line, text in enumerate(p.read_text(errors="replace").splitlines(), 1):
            if re.search(r"\bbool\s+\*?(\w+,\s*)*(owned|borrowed|has_ref|counted)\b", text):
                failed = 1
                print(f"{p}:{line}: a pointer says whether a reference is held (attr_hold_put), not a bool")


def lines_of(page):
    """(number, text) of each line; the lines of a list item "function:" or "test:" are one."""
    item = None
    for line, text in enumerate(Path(f"doc/{page}.md").read_text().splitlines(), 1):
        if item and re.match(r"    \S", text):
            item[1] += " " + text.strip()
            continue
        if item:
            yield item
        item = [line, text] if re.match(r"  - (function|test): ", text) else None
        if not item:
            yield line, text
    if item:
        yield item


for path in files:
    text = path.read_text(errors="replace") if path.suffix == ".h" else ""
    named = set(re.findall(WORD, text.partition("The map of the folder")[2].partition("*/")[0]))
    for p in sorted(path.parent.rglob("*.c")) if named else ():
        if p.stem not in named:
            print(f"{path}: the map of the folder lacks {p}")
            failed = 1

last = ""
for page in PAGES:
    head = []
    for line, text in lines_of(page):
        m = re.match(r"  - (function|test): (.*)", text)
        if m:
            if m.group(1) == "test":
                look_tests(page, line, m.group(2))
            else:
                look(page, line, m.group(2), ours)
            continue
        if not text.startswith("|"):
            word = re.match(r"- \*\*(.*?)\*\*: ", text)
            if page == "glossary" and word:
                if word.group(1).lower() < last:
                    fail(page, line, f"{word.group(1)} stands behind {last}")
                last = word.group(1).lower()
            head = []
            look(page, line, text, everyone)
            continue
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", text)[1:-1]]
        head = head or cells
        for title, cell in zip(head, cells):
            if title == "test":
                look_tests(page, line, cell)
            else:
                look(page, line, cell, ours if title == "function" else everyone)
sys.exit(failed)
