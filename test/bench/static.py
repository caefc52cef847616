# SPDX-License-Identifier: GPL-3.0-or-later
"""static.py measures the time until many static routes of a file are in their table, from the start of the daemon on,
and until a file with ten other ones has moved these: by ternd, and by bird2 if it is installed. TERN_ROUTES says how
many (1,000,000). Run it as test/net tests are run; it makes a namespace."""

import sys
import os

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))
from links import *

ROUTES = int(os.environ.get("TERN_ROUTES", "1000000"))
MOVED = 10
HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { }
"""


def net(k):
    return "%d.%d.%d.0/24" % (20 + (k >> 16), k >> 8 & 255, k & 255)


def routes(first):
    return "protocol static ways { ipv4;\n%s}\n" % "".join(
        "route %s via 10.1.1.2;\n" % net(k) for k in range(first, first + ROUTES)
    )


def cpu_s(pid):
    with open("/proc/%d/stat" % pid) as f:
        return sum(int(w) for w in f.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")


def peak_mb(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"VmHWM:\s*(\d+)", f.read()).group(1)) / 1024


def has_all(d):
    return " %d of" % ROUTES in " " + d.text("show route count")


def by_daemon(cls, name):
    d, texts = cls(HEAD, name), [HEAD + routes(0), HEAD + routes(MOVED)]
    d.write(texts[0])
    began = time.monotonic()
    d.start(wait=False)
    d.wait_up(300)
    up = time.monotonic() - began
    wait_until(lambda: has_all(d), "the routes", 300, every_s=0.01)
    took, cpu, peak = time.monotonic() - began, cpu_s(d.pid), peak_mb(d.pid)
    d.write(texts[1])
    began = time.monotonic()
    d.run("configure")
    wait_until(
        lambda: net(ROUTES + MOVED - 1) in d.text("show route for " + net(ROUTES + MOVED - 1)) and has_all(d),
        "the other ones",
        300,
        every_s=0.01,
    )
    note(
        "%s: %.2f s, %.2f s of them until it answers; %.2f s of the processor, at most %d MB; another file: %.2f s,"
        " %.2f s, %d MB, updates and withdrawals %r"
        % (
            name,
            took,
            up,
            cpu,
            peak,
            time.monotonic() - began,
            cpu_s(d.pid) - cpu,
            peak_mb(d.pid),
            d.counters("ways") if cls is Daemon else "-",
        )
    )
    d.kill()


def compare():
    ip("link add m0 type veth peer name m1\nlink set m0 up\nlink set m1 up\naddr add 10.1.1.1/24 dev m0")
    by_daemon(Daemon, "ternd")
    if os.path.exists(BIRD):
        by_daemon(Bird, "bird2")


in_namespace()
link_case("%d static routes" % ROUTES, compare)
done()
