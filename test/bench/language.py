# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmarks of the configuration and the filter language share these parts: member lists, a daemon (ternd or
bird2) with its CPU time and memory, and a line for each result.

Environment: TERN_BUILDDIR, TERN_SRCDIR as for the tests; TERN_PORT: the first port to use."""
import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import time

SRC = os.path.abspath(os.environ.get("TERN_SRCDIR", "."))
sys.path.insert(0, os.path.join(SRC, "test", "net"))
sys.path.insert(0, os.path.join(SRC, "test", "lib"))
import harness  # noqa: E402
import namespace  # noqa: E402

PORT = int(os.environ.get("TERN_PORT", "23500"))
TICK = os.sysconf("SC_CLK_TCK")
BIRD = shutil.which("bird") or "/usr/sbin/bird"


def kinds():
    """What is measured: ternd, and bird2 where it is installed."""
    return ["ternd", "bird2"] if os.path.exists(BIRD) else ["ternd"]


def members(cnt, prefixes, seed=1):
    """A list of prefixes for each of @cnt members, @prefixes in all, as bgpq4 orders them."""
    rnd = random.Random(seed)
    out = []
    for k in range(cnt):
        want = prefixes // cnt + (k < prefixes % cnt)
        got = set()
        while len(got) < want:
            length = rnd.choice((16, 18, 19, 20, 21, 22, 22, 23, 24, 24, 24, 24, 24, 24))
            got.add((rnd.randrange(0x01000000, 0xDF000000) >> (32 - length) << (32 - length), length))
        out.append(sorted(got))
    return out


def run(main, doc):
    """Call @main with the options that the benchmarks of large configurations share; @doc: what
    --help says."""
    p = argparse.ArgumentParser(description=doc)
    p.add_argument("--prefixes", type=int, default=1000000)
    p.add_argument("--members", type=int, default=700)
    p.add_argument("--rounds", type=int, default=3)
    guard(main, p.parse_args())


def guard(main, *args):
    """Call @main; if it fails, say why and exit with status 1."""
    namespace.enter()
    try:
        main(*args)
    except harness.Failed as e:
        sys.exit("failed: %s" % e)


def dotted(a):
    return "%d.%d.%d.%d" % (a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255)


def prefix_define(name, prefixes):
    """`define NAME = [ ... ];`, a prefix a line."""
    return "define %s = [\n%s\n];\n" % (name, ",\n".join("  %s/%d{%d,24}" % (dotted(a), n, n) for a, n in prefixes))


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def cpu_of(argv):
    """CPU seconds of a program that runs to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise harness.Failed("%s: %s" % (argv[0], done.stderr.decode()[-2000:]))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Daemon(harness.Daemon):
    """A daemon of a kind, and what it costs."""

    def __init__(self, kind, conf):
        self.kind = kind
        super().__init__(conf)

    def argv(self, *more):
        harness.KIND = self.kind
        return super().argv(*more)

    def cpu(self):
        """Its CPU seconds up to now."""
        with open("/proc/%d/stat" % self.pid) as f:
            part = f.read().rsplit(")", 1)[1].split()
        return (int(part[11]) + int(part[12])) / TICK

    def rss_mb(self, settle_s=7):
        """Resident MB when what was only needed for a moment has been given back."""
        harness.spread(settle_s)
        return self.stats()["rss_kb"] / 1024

    def check_cpu(self):
        """CPU seconds of `-p`: reading and compiling the file, no more."""
        return cpu_of(self.argv("-p"))

    def quiesce(self, limit_s=60):
        """Wait until it has nothing to do for half a second."""
        last = [self.cpu()]

        def rests():
            last.append(self.cpu())
            return last[-1] - last[-2] <= 1.5 / TICK

        harness.spread(0.5)
        harness.wait_until(rests, "the daemon to come to rest", limit_s, 0.5)

    def configure(self):
        """Returns: (CPU seconds, elapsed seconds) of `configure`, until all is done."""
        self.quiesce()
        before, began = self.cpu(), time.monotonic()
        code = self.code("configure", 120)
        elapsed = time.monotonic() - began
        harness.check(code in (3, 4), "configure answers %d" % code)
        self.quiesce()
        return self.cpu() - before, elapsed


def say(what, tern, bird=None, unit="", budget=None):
    """One line: the figure of tern, that of bird2, their ratio, what was wanted."""
    text = "%-58s tern %10.3f" % (what, tern)
    text += "   bird2 %10.3f   ratio %6.3f" % (bird, tern / bird) if bird else " " * 35
    print("%s %s%s" % (text, unit, "   (wanted: %s)" % budget if budget else ""), flush=True)
