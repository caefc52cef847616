# SPDX-License-Identifier: GPL-3.0-or-later
"""The differential test: generated expressions, functions and filters, run by bird2 and by ternd, must have the same
values, errors, verdicts and attributes.

    diff.py [--count N] [--seed S] [--least N] [--show N] [--short]

--count N   how many texts (10,000): 5 of 10 expressions for `eval`, 2 functions, 3 filters over routes
--seed S    replay a run; several with commas; `random` chooses one. The seed is printed.
--least N   fail if a row of the table that 2.0.12 has came up fewer than N times (default: count / 200)
--show N    how many of each kind of trouble to show (10)
--short     2,000 texts of fixed seeds: what every change must pass; new seeds are for `make diff`

A text that bird2 refuses must be refused by ternd. A text that bird2 refuses for its syntax or types is an
error of table.txt or gen.py, and fails the test, too.
Exit status: 0, 1, or 77 when bird2 is not installed."""

import argparse
import random
import sys
import os
import re

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../net"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ.pop("TERN_DAEMON", None)
from harness import *  # noqa: E402
import gen  # noqa: E402
import feed  # noqa: E402

BIRD = shutil.which("bird") or ("/usr/sbin/bird" if os.path.exists("/usr/sbin/bird") else None)
BATCH = 2500
SHORT_SEEDS = (1, 2, 3, 4, 5)
PRINTABLE = set(gen.TYPES) | {"quad"} | {"e_" + e for e in gen.ENUMS}
LINE_MAX = 3800  # a command of bird2's control socket
# What a refusal of bird2 says when the text itself is to blame.
ILL = re.compile(
    r"syntax error|must be of type|must be |unknown type|ncompatible type|not defined|expected|unknown character"
    r"|No such|Can't filter|inval",
    re.I,
)
VALUE_ERRORS = re.compile(
    r"Mother told me|out of bounds|can't be used with 4-byte|too long|too large"
    r"|(ROA|VPN address|Flow or SADR) expected",
    re.I,
)


# What 2.17 says now and then of an expression that it takes otherwise (doc/differences.md): nothing is learned from it.
OWN_LIMIT = "Too many nested method calls"


class Diverged(Exception):
    pass


class One:
    """One of the two daemons, with the same configuration but for its port and log."""

    def __init__(self, kind):
        self.kind = kind
        self.port = free_port()
        self.peer = None
        self.crashed = []
        self.daemon = Daemon()
        if kind == "bird2":
            self.daemon.argv = lambda *more: [
                BIRD,
                "-c",
                self.daemon.conf,
                "-s",
                self.daemon.ctl,
                "-P",
                self.daemon.pidfile,
            ] + list(more)

    def start(self):
        self.daemon.start()
        self.peer = feed.feed(self.port, self.daemon)

    def stop(self):
        self.peer.cease()
        self.daemon.kill()

    def ask(self, command, text):
        """A reply; None: bird2 has crashed, which it does in some cases, and was started anew."""
        try:
            return self.daemon.run(command)
        except (Failed, OSError) as e:
            if self.kind != "bird2":
                raise Failed("%s: %s\n%s" % (self.kind, e, text))
        self.crashed.append(text)
        check(len(self.crashed) < 50, "bird2 crashes all the time")
        self.stop()
        self.start()
        return None

    def write(self, texts):
        """The configuration with @texts, one a line. Returns the number of the line before them."""
        head = feed.CONF.replace("PORT", str(self.port)) + gen.PRELUDE
        with open(self.daemon.conf, "w") as f:
            f.write(head.replace("RUN", self.daemon.dir) + "\n".join(texts) + "\n")
        return head.count("\n")

    def refused(self, texts):
        """Which of @texts are refused, and why: {index: message}."""
        texts = list(texts)
        bad = {}
        while True:
            head = self.write(texts)
            p = subprocess.run(self.daemon.argv("-p"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
            if p.returncode == 0:
                return bad
            out = p.stdout.decode(errors="replace")
            found = re.findall(r"\.conf:(\d+):\d+ (.*)", out)
            check(found, "%s: %s" % (self.kind, out[-500:]))
            for line, why in found:
                i = int(line) - head - 1
                check(0 <= i < len(texts), "%s refuses the head: %s" % (self.kind, out[-500:]))
                if texts[i]:
                    bad[i] = why
                texts[i] = ""


# --- Texts of values ---


class Values:
    """Brings both daemons' texts to one form: enumerations by name, sets without regard to how ranges were joined."""

    def __init__(self, bird):
        self.name = {}
        for names in gen.ENUMS.values():
            for n in names:
                self.name.setdefault(bird.text("eval " + n), n)
        # It has these networks, but no name for their type.
        self.name[bird.text("eval (mpls 1).type")] = "NET_MPLS"

    def canonical(self, text):
        text = re.sub(r"\(enum \w+\)\d+", lambda m: self.name.get(m.group(0), m.group(0)), text)
        return text


def eval_result(reply, values):
    code, text = reply[-1]
    if code == 23:
        return values.canonical("\n".join(t for _, t in reply))
    return "error"


# --- Routes ---

ROUTE = re.compile(r"(\S+)\s+(\w+) \[(\S+) \S+ from (\S+)\] (\*)? ?\((\d+)(?:/\S+)?\) \[(.*)\]")


def routes(reply):
    """{prefix: [attribute lines]} of `show route ... all`."""
    out = {}
    key = None
    for code, text in reply:
        m = ROUTE.match(text)
        if code == 1007 and m:
            key = m.group(1)
            # ternd shows no origin AS for a path that ends in AS 0, which no path may hold.
            origin = re.sub(r"^AS0(?!\d)", "", m.group(7))
            out[key] = [" ".join(m.group(2, 3, 4)) + " pref " + m.group(6) + " [" + origin + "]"]
        elif key and text.startswith("\t"):
            # Of neighbours on the link igp_metric is 0 in ternd, and not told.
            # An attribute that was emptied stays, without a value, in bird2; an empty list is no attribute in ternd.
            if not re.match(r"(igp_metric: (0|4294967295)|(BGP\.\w*(community|cluster_list)|c_\w+):)$", text.strip()):
                out[key].append(text.strip())
    for v in out.values():
        v[1:] = sorted(v[1:])
    return out


def printed(one):
    """What `print` and the like wrote: {name of function or filter: [lines]}."""
    with open(one.daemon.log, errors="replace") as f:
        text = f.read()
    out = {}
    for m in re.finditer(r"^\S+ \S+ <INFO> (\w+): (.*)$", text, re.M):
        out.setdefault(m.group(1), []).append(m.group(2))
    return out


# --- The run ---


class Run:
    def __init__(self, seed, count):
        self.rng = random.Random(seed)
        self.seed = seed
        self.count = count
        self.table = gen.Table(os.path.join(os.path.dirname(os.path.abspath(__file__)), "table.txt"))
        self.gen = gen.Gen(self.rng, self.table)
        self.both = [One("bird2"), One("ternd")]
        self.diverged = []
        self.ill = []
        self.shared_text = {}
        self.errors = self.limits = 0

    # Each text is (kind, text, rows).

    def next_row(self, kinds):
        """The row that came up least, of those that a text of this kind can have."""
        rows = [
            r
            for r in self.table.rows
            if r.ok
            and not r.needs - kinds[1]
            and (r.result in kinds[0] or ("route" in r.needs and r.result in PRINTABLE))
        ]
        least = min(r.tried for r in rows)
        return self.rng.choice([r for r in rows if r.tried <= least + 2])

    def texts(self, cnt, make):
        out = []
        while len(out) < cnt:
            try:
                text, rows = make(len(out))
            except gen.Impossible:
                continue
            if len(text) <= LINE_MAX:
                out.append((text, rows))
        return out

    def expressions(self, cnt):
        def make(_):
            return self.gen.expression(self.next_row((PRINTABLE, set())))

        return self.texts(cnt, make)

    def functions(self, cnt, first):
        def make(i):
            row = self.next_row(({"stmt", "decl"}, {"vars", "func"}))
            return self.gen.function("f%d" % (first + i), self.rng.choice(gen.TYPES), row)

        return self.texts(cnt, make)

    def filters(self, cnt, first):
        def make(i):
            row = self.next_row(({"stmt", "decl"}, {"vars", "route"}))
            return self.gen.filter("r%d" % (first + i), row)

        return self.texts(cnt, make)

    def shared(self):
        """Some functions that others call."""
        out = []
        for t in gen.TYPES:
            for k in range(3):
                name = "g_%s%d" % (t, k)
                text, rows = self.gen.function(name, t, None)
                out.append((t, name, text))
        return out

    def differ(self, text, what, a, b):
        self.diverged.append((text, what, a, b))

    def credit(self, text, rows, why):
        """@why: bird2's refusal, or None."""
        if why and ILL.search(why) and not VALUE_ERRORS.search(why):
            self.ill.append((text, why))
            return
        self.gen.credit(rows)

    def accepted(self, items):
        """Those texts that bird2 takes; ternd must refuse the others. Both configurations are left with these."""
        texts = [t for t, _ in items]
        bird, tern = (one.refused(texts) for one in self.both)
        for i, (text, rows) in enumerate(items):
            self.credit(text, rows, bird.get(i))
            if (i in bird) != (i in tern):
                self.differ(text, "refused", bird.get(i, "accepted"), tern.get(i, "accepted"))
        keep = [i for i in range(len(items)) if i not in bird and i not in tern]
        self.errors += len(bird)
        for one in self.both:
            one.write([texts[i] for i in keep])
        return [items[i] for i in keep]

    def expect(self, text, what, command, values):
        ra, rb = self.ask(command, text)
        if ra:
            a, b = eval_result(ra, values), eval_result(rb, values)
            self.errors += a == "error"
            if a != b:
                self.differ(text, what, a if a != "error" else ra[-1][1], b if b != "error" else rb[-1][1])

    def ask(self, command, text):
        """Both replies; (None, None): bird2 has crashed, or was at a limit of its own."""
        bird, tern = self.both
        a = bird.ask(command, text)
        if a and a[-1][1] == OWN_LIMIT:
            self.limits += 1
            return None, None
        return a, a and tern.ask(command, text)

    def eval_expressions(self, items, values):
        for text, rows in items:
            ra, rb = self.ask("eval " + text, text)
            if not ra:
                continue
            a, b = eval_result(ra, values), eval_result(rb, values)
            self.credit(text, rows, ra[-1][1] if ra[-1][0] == 9001 else None)
            self.errors += a == "error"
            if a != b:
                self.differ("eval " + text, "value", a if a != "error" else ra[-1][1], b if b != "error" else rb[-1][1])

    def show_filters(self, items, values):
        for text, _ in items:
            name = text.split()[1]
            ra, rb = self.ask("show route filter %s all" % name, text)
            if not ra:
                continue
            a, b = routes(ra), routes(rb)
            for net in feed.NETS:
                if a.get(net) != b.get(net):
                    self.differ(text, "route " + net, a.get(net, "rejected"), b.get(net, "rejected"))
                    break

    def compare_prints(self, items, values):
        text = {t.split()[1].split("(")[0]: t for t, _ in items}
        bird = printed(self.both[0])

        def complete():
            """ternd's log thread writes later than the filter runs: has each function as many lines as in bird2?"""
            tern = printed(self.both[1])
            return all(len(bird.get(name, [])) <= len(tern.get(name, [])) for name in text)

        # A line that is still missing at the end of the time is a difference.
        happens(complete, 10, 0.1)
        tern = printed(self.both[1])
        for name in sorted(set(bird) | set(tern)):
            a, b = (sorted(values.canonical(x) for x in lines.get(name, [])) for lines in (bird, tern))
            if a != b and name in text:
                left = [x for x in a if x not in b] or ["%d lines" % len(a)]
                right = [x for x in b if x not in a] or ["%d lines" % len(b)]
                self.differ(text[name], "printed", left[:3], right[:3])

    def batch(self, cnt, first):
        self.gen.functions = {}
        shared = self.shared()
        texts = [(t, []) for _, _, t in shared]
        ok = {t for t, _ in self.accepted(texts)}
        bird = self.both[0]
        bird.start()
        lib = []
        for t, name, text in shared:
            self.shared_text[name] = text
            if text in ok and bird.ask("eval %s()" % name, text):
                self.gen.functions.setdefault(t, []).append(name)
                lib.append((text, []))
        bird.stop()
        funcs = self.functions(cnt * 2 // 10, first)
        filts = self.filters(cnt * 3 // 10, first)
        taken = self.accepted(lib + funcs + filts)
        for one in self.both:
            one.start()
        crashes = len(self.both[0].crashed)
        values = Values(self.both[0].daemon)
        self.eval_expressions(self.expressions(cnt - len(funcs) - len(filts)), values)
        for text, _ in taken:
            if text.startswith("function f"):
                self.expect(text, "value", "eval %s()" % text.split()[1].split("(")[0], values)
        self.show_filters([x for x in taken if x[0].startswith("filter")], values)
        if len(self.both[0].crashed) == crashes:
            self.compare_prints(taken, values)
        for one in self.both:
            check(one.daemon.alive(), "%s has ended: %s" % (one.kind, one.daemon.said()))
            one.stop()

    def go(self):
        done = 0
        while done < self.count:
            n = min(BATCH, self.count - done)
            self.batch(n, done)
            done += n


def report(run, least, began):
    rows = [r for r in run.table.rows if r.ok]
    rare = [r for r in rows if r.used < least]
    note(
        "seed %d: %d texts, %d constructs, %d errors in both, %d crashes of bird2, rarest %d times, %d diverged, %d"
        " ill-formed, %.0f s"
        % (
            run.seed,
            run.count,
            len(rows),
            run.errors,
            len(run.both[0].crashed),
            min(r.used for r in rows),
            len(run.diverged),
            len(run.ill),
            time.monotonic() - began,
        )
    )
    if run.limits:
        note("%d times bird2 said: %s" % (run.limits, OWN_LIMIT))
    # Short ones first: they tell more.
    for text, what, a, b in sorted(run.diverged, key=lambda x: len(x[0]))[:SHOW]:
        note("DIVERGED %.1500s\n   %s\n   bird2: %s\n   ternd: %s" % (text, what, a, b))
        for name in sorted(set(re.findall(r"\bg_\w+", text))) if len(text) < 200 else []:
            note("   with %.1500s" % run.shared_text.get(name))
    if SHOW > 10:
        for text in run.both[0].crashed:
            note("CRASHED bird2 %.1500s" % text)
    for text, why in sorted(run.ill, key=lambda x: len(x[0]))[:SHOW]:
        note("ILL-FORMED %.1500s\n   bird2: %s" % (text, why))
    for r in rare[:SHOW]:
        note("RARE %s: %d times" % (r.name, r.used))
    if rare:
        note("%d constructs came up fewer than %d times" % (len(rare), least))
    return not (run.diverged or run.ill or rare)


def one_kind_of_rd():
    """Since 2.0.12, which tern follows, bird2 compares route distinguishers of different kinds otherwise."""
    version = subprocess.run(
        [BIRD, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ).stdout.split()[-1]
    if not version.startswith("2.0."):
        gen.RD[:] = [rd for rd in gen.RD if re.match(r"\d{1,5}:\d+$", rd) and int(rd.split(":")[0]) < 65536]
        note("route distinguishers of one kind only: bird2 is %s" % version)


def main():
    global SHOW
    p = argparse.ArgumentParser(add_help=False)
    p.add_argument("--count", type=int, default=10000)
    p.add_argument("--seed", default="random")
    p.add_argument("--least", type=int)
    p.add_argument("--short", action="store_true")
    p.add_argument("--show", type=int, default=10)
    a = p.parse_args()
    SHOW = a.show
    if a.short:
        a.count, a.seed, a.least = 400, ",".join(map(str, SHORT_SEEDS)), 0
    if not BIRD:
        needs("bird2")
    one_kind_of_rd()
    least = a.count // 200 if a.least is None else a.least
    ok = True
    for s in a.seed.split(","):
        seed = random.SystemRandom().randrange(1 << 31) if s == "random" else int(s)
        note("seed %d" % seed)
        began = time.monotonic()
        run = Run(seed, a.count)
        run.go()
        ok &= report(run, least, began)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
