#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each C file of the product has a test.

check_tested.py, in the root of the tree. A file X.c of lib, sysdep, filter, nest, proto or client has a test if a
test has the file's name (test/unit/test_X.c, test/prop/prop_X.c, test/stress/stress_X.c, test/net/test_X.py,
test/net/test_X.sh, test/sim/stories/X.story) and no second file has the name X.c, or if the first comment of X.c
names a test: "Tested by test/unit/test_a.c and test/net/test_b.py." or "Tests: test_a.c, prop_b.c." A file of options
may name the configurations that test_conf_golden.c reads: "Tested by test/conf/a*.conf." Each test that a comment
names must exist.

Exempt are:
- files without logic: each function has at most 3 statements (tables, wrappers);
- generated files: they lie in the build folder, and .l and .y files are not C files;
- the files of test/tools/tested.allow, if that list exists: "PATH | REASON", for code that no test runs. An entry of a
  file that has a test or does not exist is an error.
"""
import re
import sys
from collections import Counter
from pathlib import Path

FLOORS = ["lib", "sysdep", "filter", "nest", "proto", "client"]
ALLOW = Path("test/tools/tested.allow")
SMALL = 3
PLACES = {
    "test/unit": r"(test_\w+)\.c",
    "test/prop": r"(prop_\w+)\.c",
    "test/stress": r"(stress_\w+)\.c",
    "test/fuzz": r"(fuzz_\w+)\.c",
    "test/net": r"(test_\w+)\.(?:py|sh)",
    "test/sim/stories": r"(\w+)\.story",
}
TEST = r"(?:test/(?:\w+/)*)?\b(?:(?:test|prop|stress|fuzz)_\w+(?:\.(?:c|py|sh))?|\w+\.story|[\w*]+\.conf)"
NAMED = re.compile(rf"\b(?:Tested\s+by|Tests:)\s+({TEST}(?:(?:,| and|, and)\s+{TEST})*)")
KEYWORD = re.compile(r"\b(?:if|for|while|switch)\s*\(")
failed = 0


def fail(path, what):
    global failed
    failed = 1
    print(f"{path}: {what}")


def comments(text):
    """The texts of the comments at the head of a file, without the line of the license."""
    at = 0
    found = []
    while True:
        m = re.compile(r"\s*/\*(.*?)\*/", re.S).match(text, at)
        if not m:
            return found
        at = m.end()
        if "SPDX-License" not in m.group(1):
            found.append(re.sub(r"\n\s*\*?", "\n", m.group(1)))


def bare(text):
    """C without comments, texts and preprocessor lines."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*', " ", text, flags=re.S)
    text = re.sub(r"'(?:[^'\\\n]|\\.)+'", "0", text)
    return re.sub(r"^#(?:.*\\\n)*.*", "", text, flags=re.M)


def statements(body):
    """Of a function's body: its semicolons outside parentheses, and its branches and loops."""
    depth, n = 0, len(KEYWORD.findall(body))
    for c in body:
        depth += (c == "(") - (c == ")")
        n += c == ";" and depth == 0
    return n


def has_logic(text):
    """Does a function have more than SMALL statements? The brace of its end stands in column 1."""
    return any(statements(body) > SMALL for body in re.findall(r"\)\n\{(.*?)^\}", bare(text), re.S | re.M))


def same_name(stem):
    names = [f"test/unit/test_{stem}.c", f"test/prop/prop_{stem}.c", f"test/stress/stress_{stem}.c"]
    names += [f"test/net/test_{stem}.py", f"test/net/test_{stem}.sh", f"test/sim/stories/{stem}.story"]
    return any(Path(n).exists() for n in names)


tests = {}  # name without suffix -> the paths
for place, pattern in PLACES.items():
    for p in Path(place).glob("*"):
        m = re.fullmatch(pattern, p.name)
        if m:
            tests.setdefault(m.group(1), set()).add(str(p))


def exists(name):
    """@name is test_a.c, test_a, a.story, or one of these behind a folder; or test/conf/a*.conf."""
    if name.endswith(".conf"):
        return name.startswith("test/conf/") and any(Path("test/conf").glob(name[len("test/conf/") :]))
    stem = re.sub(r"\.(?:c|py|sh|story)$", "", name.rpartition("/")[2])
    return any(
        path == name or path.endswith("/" + name) or path.rpartition(".")[0].endswith(name)
        for path in tests.get(stem, ())
    )


def entries():
    """Of tested.allow: {path: reason}."""
    found = {}
    for line in ALLOW.read_text().splitlines() if ALLOW.exists() else []:
        if line and not line.startswith("#"):
            part = [p.strip() for p in line.split(" | ")]
            if len(part) != 2 or not all(part) or part[0] in found:
                sys.exit("tested.allow: PATH | REASON is expected, a path once: " + line)
            found[part[0]] = part[1]
    return found


# bison and flex write these, into the tree itself if the build is there.
WRITTEN = ("conf_gram.c", "conf_lex.c")
allowed, needed = entries(), set()
files = sorted(p for d in FLOORS for p in Path(d).rglob("*.c") if p.name not in WRITTEN)
stems = Counter(p.stem for p in files)
for path in files:
    text = path.read_text(errors="replace")
    head = comments(text)[:1]
    names = [n for c in head for m in NAMED.finditer(c) for n in re.findall(TEST, m.group(1))]
    for name in names:
        if not exists(name):
            fail(path, f"no such test: {name}")
    if not names and not (stems[path.stem] == 1 and same_name(path.stem)) and has_logic(text):
        if str(path) in allowed:
            needed.add(str(path))
        else:
            fail(path, 'no test: a first comment says "Tested by test/unit/test_x.c." (check_tested.py)')
for path in sorted(set(allowed) - needed):
    fail(ALLOW, f"{path} needs no entry")
sys.exit(failed)
