# SPDX-License-Identifier: GPL-3.0-or-later
"""No test sleeps for a fixed time.

A test waits for a condition (test/lib/waits.py, wait.h, wait.sh). Only the files of sleeps.allow sleep: at most 10
files, each with a reason. An entry that no line of the file needs is an error, too. Found are, below test/:

- Python: calls of sleep(); a select, poll or wait that has nothing to wait for, or whose result nobody reads; a time
  that ends in `pass`; `sleep N` in a text.
- C: sleep, usleep, nanosleep, thrd_sleep and their relatives; poll and select without descriptors.
- shell: `sleep N`, `read -t N`, and Python in a script.
- Python: time.time() that a variable keeps or that is compared with a variable. A step of the calendar clock would end
  such a wait early or late; time.monotonic() makes no steps. Machines of the rig agree on moments by the calendar
  clock.

`sleep infinity` keeps a process alive and is no delay. A process's wait(N) has an end that is an event; so has a
thread's join(N)."""
import ast
import re
import sys
from pathlib import Path

ALLOW = Path("test/tools/sleeps.allow")
WAITS = Path("test/lib/waits.py")
MOST = 10
C_COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
C_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
C_SLEEP = re.compile(
    r'\b(?:sleep|usleep|nanosleep|clock_nanosleep|thrd_sleep)\s*\(|\bp?poll\s*\(\s*(?:NULL|0)\s*,|'
    r'\bp?select\s*\(\s*0\s*,\s*NULL\s*,\s*NULL\s*,\s*NULL\s*,\s*(?!NULL)'
)
SHELL_SLEEP = re.compile(r'(?<![\w.-])sleep\s+["$.\d]|\bread\s[^|;&]*-t\s*[\d.$]|\btime\.sleep\b|\bsleep\s*\(\s*[\d.]')
TEXT_SLEEP = re.compile(r'(?<![\w.-])(?:u|nano)?sleep(?:\s+["$.\d]|\s*\(\s*[\d.])|\btime\.sleep\b')
PROCESSES = re.compile(r'(?:^|_|\.)(?:p|proc|process|child|server|daemon|ip|other|sshd|popen)$', re.I)


def entries():
    """Of sleeps.allow: {path: reason}."""
    found = {}
    for line in ALLOW.read_text().splitlines():
        if line and not line.startswith("#"):
            part = [p.strip() for p in line.split(" | ")]
            if len(part) != 2 or not all(part) or part[0] in found:
                sys.exit("sleeps.allow: PATH | REASON is expected, a path once: " + line)
            found[part[0]] = part[1]
    return found


def number(node):
    """Is @node a time that the file fixes?"""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    if isinstance(node, ast.BinOp):
        return number(node.left) or number(node.right)
    return isinstance(node, ast.Name) and node.id.isupper() and node.id.endswith("_S")


def times(call):
    return [a for a in call.args if number(a)] + [
        k.value for k in call.keywords if k.arg and re.match("timeout|limit", k.arg) and number(k.value)
    ]


def empty(node):
    return (
        isinstance(node, (ast.List, ast.Tuple))
        and not node.elts
        or isinstance(node, ast.Constant)
        and node.value is None
    )


def passes(handlers):
    """Does nothing happen when the time is over?"""
    return all(all(isinstance(s, ast.Pass) for s in h.body) for h in handlers)


def of_call(call, unread, forgiven):
    """Why a call is a delay, or None. @unread: its result is dropped. @forgiven: its time's end is."""
    name = (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else call.func.id
        if isinstance(call.func, ast.Name)
        else ""
    )
    whose = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if name in ("sleep", "usleep", "nanosleep"):
        return "sleeps"
    if name == "select" and len(call.args) >= 4 and all(empty(a) for a in call.args[:3]):
        return "selects no descriptor"
    if name == "sigtimedwait" and call.args and empty(call.args[0]):
        return "waits for no signal"
    if unread and times(call):
        if name in ("select", "poll", "sigtimedwait"):
            return "the result of the wait is not read"
        if name == "wait" and not PROCESSES.search(whose):
            return "the result is not read"
        if forgiven and name in ("wait", "get", "recv", "recvfrom", "accept", "communicate"):
            return "the limit may pass without an effect"
    return None


def calendar(tree):
    """Lines that measure time by the calendar clock."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.Return, ast.AugAssign)):
            held = node.value
            parts = held.elts if isinstance(held, ast.Tuple) else [held]
        elif isinstance(node, ast.Compare) and any(isinstance(a, ast.Name) for a in [node.left, *node.comparators]):
            parts = [node.left, *node.comparators]
        else:
            continue
        for part in parts:
            sides = [part.left, part.right] if isinstance(part, ast.BinOp) else [part]
            if any(isinstance(s, ast.Call) and ast.unparse(s.func) == "time.time" for s in sides):
                yield node.lineno, "measures by the calendar clock; time.monotonic() makes no steps"


def of_python(text):
    tree = ast.parse(text)
    yield from calendar(tree)
    docs, unread, forgiven = set(), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Constant):
                docs.add(node.value)
            if isinstance(node.value, ast.Call):
                unread.add(node.value)
        if isinstance(node, ast.Try) and node.handlers and passes(node.handlers) and len(node.body) == 1:
            forgiven.update(n for n in ast.walk(node.body[0]) if isinstance(n, ast.Call))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            why = of_call(node, node in unread, node in forgiven)
            if why:
                yield node.lineno, why
        elif isinstance(node, ast.ImportFrom) and any(a.name == "sleep" for a in node.names):
            yield node.lineno, "imports sleep"
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in docs
            and TEXT_SLEEP.search(node.value)
        ):
            yield node.lineno, "a text that sleeps"
        elif isinstance(node, (ast.List, ast.Tuple)):
            for a, b in zip(node.elts, node.elts[1:]):
                if (
                    isinstance(a, ast.Constant)
                    and a.value == "sleep"
                    and not (isinstance(b, ast.Constant) and re.match("[a-z]", str(b.value)))
                ):
                    yield node.lineno, "runs sleep"


def of_c(text):
    text = C_COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text)
    for nr, line in enumerate(text.split("\n"), 1):
        if C_SLEEP.search(C_STRING.sub('""', line)) or any(TEXT_SLEEP.search(s) for s in C_STRING.findall(line)):
            yield nr, "sleeps"


def of_shell(text):
    for nr, line in enumerate(text.split("\n"), 1):
        if not line.lstrip().startswith("#") and SHELL_SLEEP.search(line):
            yield nr, "sleeps"


def kind(path):
    if path.suffix == ".py":
        return of_python
    if path.suffix in (".c", ".h"):
        return of_c
    if path.suffix == ".sh":
        return of_shell
    if path.suffix:
        return None
    with open(path, "rb") as f:
        first = f.readline()
    return (of_python if b"python" in first else of_shell) if first.startswith(b"#!") else None


def main():
    allowed, needed, bad = entries(), set(), 0
    if len(allowed) > MOST:
        sys.exit("sleeps.allow: %d files; at most %d may sleep" % (len(allowed), MOST))
    for path in sorted(Path("test").rglob("*")):
        find = kind(path) if path.is_file() and "corpus" not in path.parts else None
        if not find:
            continue
        for nr, why in sorted(set(find(path.read_text(errors="replace")))):
            if "calendar" in why and (path.parts[:2] == ("test", "rig") or path == WAITS):
                continue
            if str(path) in allowed:
                needed.add(str(path))
                continue
            print("%s:%d: %s: wait for a condition (test/lib/waits.py, wait.h, wait.sh)" % (path, nr, why))
            bad = 1
    for path in allowed:
        if path not in needed:
            print("sleeps.allow: %s does not sleep" % path)
            bad = 1
    sys.exit(bad)


if __name__ == "__main__":
    main()
