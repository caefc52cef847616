# SPDX-License-Identifier: GPL-3.0-or-later
"""The .c files that run between one received UPDATE and its copy to another member.

    make route-files       builds ternd with --coverage, prints the files by folder, and their number outside lib/

Two members have open sessions with a quiet route server. gdb resets the counters of gcov in the daemon. One member
sends an UPDATE with one route, the other member receives the UPDATE, and gdb writes the counters. A file counts if a
line of the file ran. The clock of the daemon continues, so a timer may add a file of its own
(sysdep/loop/loop_timer.c).

Run in the coverage build's folder.
"""

import glob
import gzip
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))
from harness import UPDATE, Daemon, cannot_here, check, end, free_port, member, settled, temp_dir  # noqa: E402

FLOORS = ("lib", "sysdep", "filter", "nest", "proto")
CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp any { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; ipv4 { import all; export all; }; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; ipv4 { import all; export all; }; }
"""


def gdb(pid, *calls):
    argv = ["gdb", "-nx", "-batch", "-p", str(pid)]
    for c in calls:
        argv += ["-ex", "call (void) %s()" % c]
    got = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(got.returncode == 0 and "No symbol" not in got.stdout, "gdb: %s" % got.stdout[-2000:])


def worked_ns(pid):
    """Processor time of all threads of the daemon."""
    total = 0
    for name in glob.glob("/proc/%d/task/*/schedstat" % pid):
        with open(name) as f:
            total += int(f.read().split()[0])
    return total


def files_of(build):
    """{file: lines that ran} of the counters in the build folder."""
    out = temp_dir()
    found = [os.path.abspath(p) for p in glob.glob(os.path.join(build, "**", "*.gcda"), recursive=True)]
    subprocess.run(["gcov", "-j"] + found, cwd=out, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ran = {}
    for name in glob.glob(os.path.join(out, "*.gcov.json.gz")):
        with gzip.open(name, "rt") as f:
            for one in json.load(f)["files"]:
                for floor in FLOORS:
                    at = one["file"].rfind("/" + floor + "/")
                    path = one["file"][at + 1 :] if at >= 0 else one["file"]
                    if path.startswith(floor + "/") and path.endswith(".c"):
                        lines = sum(line["count"] > 0 for line in one["lines"])
                        ran[path] = max(ran.get(path, 0), lines)
    return {p: n for p, n in ran.items() if n}


def main():
    if subprocess.run(["which", "gdb"], stdout=subprocess.DEVNULL).returncode:
        cannot_here("gdb is not installed")
    build = os.environ["TERN_BUILDDIR"]
    for name in glob.glob(os.path.join(build, "**", "*.gcda"), recursive=True):
        os.remove(name)
    port = free_port()
    d = Daemon(CONF % port).start()
    one, two = member(port, 1), member(port, 2)
    one.end_of_rib()
    two.end_of_rib()
    check(two.wait_for(UPDATE) is not None, "no End-of-RIB came")
    settled(lambda: worked_ns(d.pid), "the daemon", 0.1)
    gdb(d.pid, "__gcov_reset")
    one.update(["10.1.0.0/16"])
    check(two.wait_for(UPDATE) is not None, "no UPDATE came")
    gdb(d.pid, "__gcov_dump", "__gcov_reset")
    ran = files_of(build)
    end(d.proc)
    outside = sorted(p for p in ran if not p.startswith("lib/"))
    for path in sorted(ran):
        print("%5d %s" % (ran[path], path))
    print("%d .c files ran, %d of them outside lib/" % (len(ran), len(outside)))


main()
