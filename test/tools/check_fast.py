# SPDX-License-Identifier: GPL-3.0-or-later
"""No test asserts that something was fast.

A busy machine delays a test for seconds, so an upper bound of an elapsed time fails without a fault. A test waits for a
condition, and compares counts, orders and lower bounds. fast.allow lists the exceptions: PATH | FUNCTION | REASON. An
entry that no line of the function needs is an error, too. Found are, below test/:

- Python: an assertion (check(), assert, `if ...: raise`) that an elapsed time is less than something. An elapsed time
  is a clock minus something, what is computed from such a difference, and what a function of the file returns of them.
- C: the same in assert_true, assert_in_range, assert_false and ASSERT.
- shell: -lt and -le of $SECONDS, and of a difference with a name of a time.

No assertion of this kind is:

- the end of a wait: a clock that is compared with a moment (`time.time() < until`). The end tells a hang;
- an expression that has VIRTUAL in it: in virtual time no machine is slow;
- the condition of a loop."""
import ast
import re
import sys
from pathlib import Path

ALLOW = Path("test/tools/fast.allow")
CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "time_ns", "monotonic_ns", "perf_counter_ns")
ASSERTS = ("check", "assertTrue", "equal", "stays")
# functions whose result is an elapsed time if an argument is
PASSES = ("max", "min", "sum", "sorted", "abs", "median", "mean", "round", "int", "float", "list", "quantile", "len")
C_COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
C_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
C_ASSERT = re.compile(r'\b(?:assert_true|assert_false|assert_in_range|ASSERT)\s*\(')
C_CLOCK = r'\b(?:clock_\w*_ns|loop_now_ns|time)\s*\((?:[^()]|\([^()]*\))*\)'
# a name that is set to a clock, and a name that is set to a difference with such a name
C_NAMED = re.compile(r'\b([\w.>-]+) = ' + C_CLOCK + r'(?=[,;])')
C_LASTS = re.compile(r'\b([\w.>-]+) = (?:' + C_CLOCK + r'|([\w.>-]+)) - ')
C_FUNCTION = re.compile(r'^(\w+)\(', re.M)
SHELL_FAST = re.compile(r'(?:\$\{?SECONDS|\b(?:began|start|started|took|elapsed)\b)[^|;&]*-(?:lt|le)\b')
SHELL_FUNCTION = re.compile(r'^(\w+)\(\)')


def entries():
    """Of fast.allow: {(path, function)}."""
    found = {}
    for line in ALLOW.read_text().splitlines():
        if line and not line.startswith("#"):
            part = tuple(p.strip() for p in line.split(" | "))
            if len(part) != 3 or not all(part) or part[:2] in found:
                sys.exit("fast.allow: PATH | FUNCTION | REASON is expected, a function once: " + line)
            found[part[:2]] = part[2]
    return found


def name_of(node):
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


class Times:
    """Which names of a function are clocks, and which are elapsed times."""

    def __init__(self, outer=None, functions=()):
        self.clock = set(outer.clock if outer else ())
        self.elapsed = set(outer.elapsed if outer else ())
        self.functions = functions

    def is_clock(self, node):
        if isinstance(node, ast.Call):
            whose = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
            return name_of(node.func) in CLOCKS and (whose in ("time", "real_time") or name_of(node.func) != "time")
        return isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) in self.clock

    def is_elapsed(self, node):
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Sub) and self.is_clock(node.left):
                return True
            return self.is_elapsed(node.left) or self.is_elapsed(node.right)
        if isinstance(node, ast.Call):
            name = name_of(node.func)
            return name in self.functions or name in PASSES and name != "len" and any(map(self.is_elapsed, node.args))
        if isinstance(node, (ast.List, ast.Tuple)):
            return any(map(self.is_elapsed, node.elts))
        if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
            return self.is_elapsed(node.elt)
        if isinstance(node, (ast.Subscript, ast.Starred)):
            return self.is_elapsed(node.value)
        if isinstance(node, ast.UnaryOp):
            return self.is_elapsed(node.operand)
        if isinstance(node, ast.IfExp):
            return self.is_elapsed(node.body) or self.is_elapsed(node.orelse)
        return isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) in self.elapsed

    def assign(self, target, value):
        if isinstance(target, (ast.Tuple, ast.List)):
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value] * len(target.elts)
            for t, v in zip(target.elts, values):
                self.assign(t, v)
            return
        name = ast.unparse(target.value if isinstance(target, ast.Subscript) else target)
        if self.is_elapsed(value):
            self.elapsed.add(name)
        elif self.is_clock(value):
            self.clock.add(name)

    def learn(self, body):
        """Twice: a name may be used above its assignment in a loop."""
        for node in [n for b in body for n in ast.walk(b)] * 2:
            if isinstance(node, ast.Assign):
                for t in node.targets:
                    self.assign(t, node.value)
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value:
                self.assign(node.target, node.value)
            elif isinstance(node, ast.Call) and name_of(node.func) == "append" and node.args:
                if self.is_elapsed(node.args[0]):
                    self.elapsed.add(ast.unparse(node.func.value))
        return self

    def is_fast(self, test):
        """Does the assertion of @test say that an elapsed time is less than something? @test: what must hold."""
        if any(isinstance(n, ast.Name) and n.id == "VIRTUAL" for n in ast.walk(test)):
            return False
        for node in ast.walk(test):
            if isinstance(node, ast.Compare):
                sides = [node.left] + node.comparators
                for op, a, b in zip(node.ops, sides, sides[1:]):
                    if isinstance(op, (ast.Lt, ast.LtE)) and self.is_elapsed(a):
                        return True
                    if isinstance(op, (ast.Gt, ast.GtE)) and self.is_elapsed(b):
                        return True
        return False

    def is_slow(self, test):
        """Does @test hold if an elapsed time is more than something?"""
        flipped = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
        test = ast.parse(ast.unparse(test), mode="eval").body
        for node in ast.walk(test):
            if isinstance(node, ast.Compare):
                node.ops = [flipped.get(type(op), type(op))() for op in node.ops]
        return self.is_fast(test)


def own_nodes(body):
    """Nodes of a function without those of functions in it."""
    todo = list(body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            todo += ast.iter_child_nodes(node)


def of_body(name, body, outer, functions):
    times = Times(outer, functions).learn(body)
    for node in own_nodes(body):
        test = None
        if isinstance(node, ast.Assert):
            test = node.test
        elif isinstance(node, ast.Call) and name_of(node.func) in ASSERTS and node.args:
            test = node.args[0]
        if test is not None and times.is_fast(test):
            yield node.lineno, name
        if isinstance(node, ast.If) and any(isinstance(n, ast.Raise) for s in node.body for n in ast.walk(s)):
            if times.is_slow(node.test):
                yield node.lineno, name
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield from of_body(node.name, node.body, times, functions)


def of_python(text):
    tree = ast.parse(text)
    functions = set()
    for _ in range(2):
        for f in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]:
            times = Times(None, functions).learn(f.body)
            if any(isinstance(n, ast.Return) and n.value and times.is_elapsed(n.value) for n in own_nodes(f.body)):
                functions.add(f.name)
    yield from of_body("-", tree.body, None, functions)


def whole_call(text, at):
    """The text of the brackets that open behind @at."""
    depth = 0
    for i in range(text.index("(", at), len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if not depth:
            return text[at : i + 1]
    return text[at:]


def of_c(text):
    text = C_COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    text = C_STRING.sub(lambda m: '"%s"' % (" " * (len(m.group()) - 2)), text)
    for m in C_ASSERT.finditer(text):
        call = re.sub(r"\s+", " ", whole_call(text, m.start()))
        names = C_FUNCTION.findall(text[: m.start()])
        body = text[text.rfind("\n{", 0, m.start()) : m.start()] if names else ""
        clocks = set(C_NAMED.findall(body))
        lasts = {n for n, of in C_LASTS.findall(body) if not of or of in clocks}
        parts = [C_CLOCK + r"\s*-(?!>)"] + [r"(?<![\w.>])%s\s*-(?!>)" % re.escape(n) for n in clocks]
        e = re.search("|".join(parts + [r"(?<![\w.>])%s\b" % re.escape(n) for n in lasts]), call)
        if not e:
            continue
        less = re.search(r"<(?![<])", call[e.end() :]) or re.search(r">(?!>)", call[: e.start()].replace("->", "  "))
        if call.startswith("assert_false"):
            less = re.search(r">(?![>])", call[e.end() :].replace("->", "  "))
        if less or call.startswith("assert_in_range"):
            yield text.count("\n", 0, m.start()) + 1, names[-1] if names else "-"


def of_shell(text):
    name = "-"
    for nr, line in enumerate(text.split("\n"), 1):
        f = SHELL_FUNCTION.match(line)
        name = f.group(1) if f else "-" if line == "}" else name
        if not line.lstrip().startswith("#") and SHELL_FAST.search(line):
            yield nr, name


def kind(path):
    if path.suffix in (".py", ".c", ".h", ".sh"):
        return {".py": of_python, ".c": of_c, ".h": of_c, ".sh": of_shell}[path.suffix]
    return None


def main():
    allowed, needed, bad = entries(), set(), 0
    for path in sorted(Path("test").rglob("*")):
        find = kind(path) if path.is_file() and "corpus" not in path.parts else None
        if not find:
            continue
        for nr, function in sorted(set(find(path.read_text(errors="replace")))):
            if (str(path), function) in allowed:
                needed.add((str(path), function))
                continue
            print("%s:%d: %s: a time has an upper bound: wait for a condition, or fast.allow" % (path, nr, function))
            bad = 1
    for path, function in allowed:
        if (path, function) not in needed:
            print("fast.allow: %s %s asserts no upper bound of a time" % (path, function))
            bad = 1
    sys.exit(bad)


if __name__ == "__main__":
    main()
