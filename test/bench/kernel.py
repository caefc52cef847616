# SPDX-License-Identifier: GPL-3.0-or-later
"""kernel.py measures the time until the kernel has many routes: by ternd, by `ip -batch`, and by bird2 if it is
installed. What the kernel has afterwards is counted by ip. TERN_ROUTES says how many (1,000,000). Run it as test/net
tests are run; it makes a namespace."""

import sys
import os

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))
from links import *

ROUTES = int(os.environ.get("TERN_ROUTES", "1000000"))
CONF = """router id 10.0.0.1;
log "RUN/bird.log" all;
ipv4 table t;
protocol device { }
protocol kernel k { disabled; kernel table 100; scan time 3600; ipv4 { table t; export all; }; }
protocol static ways { ipv4 { table t; };
%s}
"""


def net(k):
    return "%d.%d.%d.0/24" % (20 + (k >> 16), k >> 8 & 255, k & 255)


def in_kernel():
    """How many routes ip counts there."""
    with subprocess.Popen(["ip", "route", "show", "table", "100"], stdout=subprocess.PIPE) as p:
        return sum(1 for _ in p.stdout)


def exported(d):
    found = re.search(r"(\d+) exported", d.text("show protocols all k"))
    return int(found.group(1)) if found else 0


def cpu_s(pid):
    """Seconds of a process in itself and in the kernel."""
    with open("/proc/%d/stat" % pid) as f:
        words = f.read().rsplit(")", 1)[1].split()
    return [int(w) / os.sysconf("SC_CLK_TCK") for w in words[11:13]]


def by_daemon(cls, name, limit_s=300):
    d = cls(CONF % "".join("route %s via 10.1.1.2;\n" % net(k) for k in range(ROUTES)), name).start(wait=False)
    d.wait_up(limit_s)
    wait_until(lambda: "%d of" % ROUTES in d.text("show route table t count"), "the routes", limit_s, every_s=0.5)
    before, cpu = time.monotonic(), cpu_s(d.pid)
    d.run("enable k")
    wait_until(lambda: exported(d) == ROUTES, "all to be exported", limit_s, every_s=0.02)
    took = time.monotonic() - before
    note("%s: %.2f s in itself, %.2f s in the kernel" % (name, *[b - a for a, b in zip(cpu, cpu_s(d.pid))]))
    equal(in_kernel(), ROUTES, "what ip counts, from " + name)
    before = time.monotonic()
    d.run("disable k")
    wait_until(lambda: in_kernel() == 0, "all to leave", limit_s)
    left = time.monotonic() - before
    d.run("enable k")
    wait_until(lambda: exported(d) == ROUTES, "all to be exported", limit_s, every_s=0.02)
    equal(in_kernel(), ROUTES, "what ip counts once more, from " + name)
    before, cpu = time.monotonic(), cpu_s(d.pid)
    d.run("disable ways")
    wait_until(lambda: in_kernel() == 0, "all to leave as their source does", limit_s)
    note(
        "%s: %.2f s, and %.2f s until they had left again; %.2f s when their source went, %.2f of them in the kernel"
        % (name, took, left, time.monotonic() - before, cpu_s(d.pid)[1] - cpu[1])
    )
    d.kill()
    return took


def by_ip():
    path = os.path.join(temp_dir(), "batch")
    with open(path, "w") as f:
        f.writelines("route add %s via 10.1.1.2 table 100 metric 32 proto bird\n" % net(k) for k in range(ROUTES))
    before = time.monotonic()
    subprocess.run(["ip", "-batch", path], check=True, timeout=600)
    took = time.monotonic() - before
    equal(in_kernel(), ROUTES, "what ip counts, by itself")
    note("ip -batch: %.2f s" % took)
    return took


def compare():
    ip("link add m0 type veth peer name m1\nlink set m0 up\nlink set m1 up\naddr add 10.1.1.1/24 dev m0")
    ours = by_daemon(Daemon, "ternd")
    if os.path.exists(BIRD):
        bird = by_daemon(Bird, "bird2")
        note("%.2f of bird2's time" % (ours / bird))
    note("%.2f of the time of ip -batch" % (ours / by_ip()))


in_namespace()
link_case("%d routes into the kernel" % ROUTES, compare)
done()
