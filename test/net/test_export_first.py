# SPDX-License-Identifier: GPL-3.0-or-later
"""`secondary` and an export table: which route was told is found by the export filter, which may refuse many first. The
commands that ask so come to their end, and give back the memory that the filter took."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
PORT = free_port()
PATHS = 40
NETS = ["10.%d.0.0/16" % i for i in range(1, 9)]
LONG = [65001] + list(range(1, 70))  # every filter run compares each number with each: some 0.1 ms

CONF = """
router id 10.0.0.1;
protocol device {}
ipv4 table master4 sorted;
filter out { %s }
template bgp any { local 127.0.10.1 port %d as 65000; direct; passive; rs client; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001;
  ipv4 { import filter { bgp_local_pref = bgp_med; accept; }; export none; add paths rx; }; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; ipv4 { import all; export filter out; secondary; export \
table; }; }
"""
SLOW_FILTER = """
  int n = 0;
  for int a in bgp_path do for int b in bgp_path do if a = b then n = n + 1;
  if bgp_med > 1 then reject;
  if n > 1 then accept;
  reject;
"""


def started(text, caps=b""):
    d = Daemon(CONF % (text, PORT)).start()
    return d, member(PORT, 1, caps), member(PORT, 2)


def wait_counts(d, routes, told):
    for what, cnt in ("", routes), (" export table m2.ipv4", told):
        wait_until(lambda: d.text("show route count" + what).startswith("%d of" % cnt), "%d routes%s" % (cnt, what))


def ends():
    d, p, q = started(SLOW_FILTER, struct.pack("!BBHBB", 69, 4, 1, 1, 2))
    for i in range(1, PATHS + 1):
        p.update([(i, net) for net in NETS], LONG, extra=attribute(0x80, 4, struct.pack("!I", i)))
    wait_counts(d, len(NETS) * PATHS, len(NETS))
    for command in "show route export table m2.ipv4", "show route in 10.0.0.0/8 export table m2.ipv4 all":
        equal(re.findall(r"^10\S+", d.text(command), re.M), NETS, command)
    for command in (
        "show route for 10.3.1.1 export table m2.ipv4 all",
        "show route 10.3.0.0/16 export table m2.ipv4 all",
    ):
        equal(re.findall(r"BGP.med: (\d+)", d.text(command)), ["1"], command)
    p.cease(), q.cease()
    d.stop()


def peak_kb(d):
    with open("/proc/%d/status" % d.pid) as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))


def gives_back():
    d, p, q = started("bgp_community.add((1, 1)); accept;")
    for i in range(120):
        p.update(["10.%d.%d.0/24" % (i, k) for k in range(250)], extra=attribute(0x80, 4, bytes(4)))
    wait_counts(d, 30000, 30000)
    with open("/proc/%d/clear_refs" % d.pid, "w") as f:
        f.write("5")  # the peak begins anew
    before = peak_kb(d)
    check(d.text("show route export table m2.ipv4 filtered count").startswith("0 of 0"), "what is told isn't filtered")
    grown = peak_kb(d) - before
    check(grown < 500, "%d kB more for 30,000 filter runs" % grown)
    p.cease(), q.cease()
    d.stop()


in_namespace()
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
case("commands come to their end", ends)
if not is_sanitized(os.path.join(BUILD, "ternd")):  # what is free counts there
    case("filter runs give back their memory", gives_back)
done()
