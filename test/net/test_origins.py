# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets of prefixes with origins in a running daemon: a changed file changes the routes that it concerns and no session,
a wrong file changes nothing, guards keep an emptied file out, and doc/examples/origins.py makes such files."""

import random

from harness import *
from view import View

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
threads 2;
protocol device { }
guard { set "ORIGINS*" { empty; shrink 60 %; older 48 h; }; };
define ORIGINS1 = origin set "one.list";
define ORIGINS2 = origin set "two.list";
function known(origin set s) {
  case origin_check(s) {
    IRR_VALID: return true;
    IRR_PREFIX: reject "prefix";
    IRR_LENGTH: reject "length";
    IRR_ORIGIN: reject "origin";
  }
  return false;
}
filter in1 { if known(ORIGINS1) then accept; reject; }
template bgp any { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; ipv4 { import filter in1; export none; import table on; }; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002; ipv4 { import none;
  export where origin_check(ORIGINS2, net, bgp_path.last) = IRR_VALID; }; }
protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; ipv4 { import none; export all; }; }
"""
ONE = ["10.1.0.0/16 64501", "10.2.0.0/16{17,24} AS64501", "10.3.0.0/16+ 64502", "10.4.0.0/16 64501"]
TWO = ["10.0.0.0/8{16,24} 64501 # all", "10.0.0.0/8{16,24} 64502"]
NETS = {  # what m1 announces, each with the last AS
    "10.1.0.0/16": 64501,
    "10.1.1.0/24": 64501,
    "10.2.0.0/16": 64501,
    "10.2.1.0/24": 64501,
    "10.3.0.0/25": 64502,
    "10.3.1.0/24": 64501,
    "10.4.0.0/16": 64501,
    "10.9.0.0/16": 64501,
}
RESULT = {"10.1.1.0/24": "length", "10.2.0.0/16": "length", "10.3.1.0/24": "origin", "10.9.0.0/16": "prefix"}


def write(name, lines, age_s=0):
    path = os.path.join(D.dir, name)
    with open(path + ".new", "w") as f:
        f.write("".join(l + "\n" for l in lines))
    os.utime(path + ".new", (time.time() - age_s,) * 2)
    os.rename(path + ".new", path)


def held(n):
    views[n].drain()
    return sorted(text for text in NETS if (0, nlri(text)) in views[n].routes)


def told(n):
    views[n].drain()
    names = {nlri(text): text for text in NETS}
    return sorted(names[o] for o in views[n].told)


def wait_held(n, nets):
    wait_until(lambda: held(n) == sorted(nets), lambda: "m%d holds %r, not %r" % (n, held(n), sorted(nets)))


def forget():
    for v in views.values():
        v.drain()
        v.told.clear()


def start():
    for net, last in NETS.items():
        views[1].peer.update([net], [65001, last])
    good = [n for n in NETS if n not in RESULT]
    wait_held(3, good)
    wait_held(2, [n for n in good if n != "10.3.0.0/25"])
    for net, why in RESULT.items():
        text = D.text("show route why " + net)
        check("refused by filter in1" in text and ": %s\n" % why in text, text)
    check("ORIGINS1" in D.text("show symbols ORIGINS1"), D.text("show symbols ORIGINS1"))
    check("10.2.0.0/16{17,24} as 64501" in D.text("eval ORIGINS1"), D.text("eval ORIGINS1"))
    text = D.text('eval origin set "one.list"')
    check("a command reads no file" in text, text)


def configure(*more):
    before = {k: v[2] for k, v in D.sessions().items()}
    check(D.code("configure " + " ".join(more)) in (3, 4), "configure")
    equal({k: v[2] for k, v in D.sessions().items()}, before, "sessions")


def changes():
    good = [n for n in NETS if n not in RESULT]
    forget()
    lines = ONE + ONE
    random.Random(1).shuffle(lines)
    write("one.list", ["# another order"] + lines)
    configure()
    for n in (2, 3):
        wait_held(n, good if n == 3 else [x for x in good if x != "10.3.0.0/25"])
        equal(told(n), [], "m%d, after another order" % n)
    # an entry more, another origin, and an entry that goes
    write("one.list", ["10.1.0.0/16{16,24} 64501", "10.2.0.0/16{17,24} 64501", "10.3.0.0/16+ 64501"])
    configure()
    now = ["10.1.0.0/16", "10.1.1.0/24", "10.2.1.0/24", "10.3.1.0/24"]
    wait_held(3, now)
    equal(told(3), sorted(set(now) ^ set(good)), "m3 was told")
    wait_held(2, now)
    forget()
    write("two.list", ["10.0.0.0/8{16,24} 64502"] + ["10.1.0.0/16+ 64501"])
    configure()
    wait_held(2, ["10.1.0.0/16", "10.1.1.0/24"])
    equal(told(2), ["10.2.1.0/24", "10.3.1.0/24"], "m2 was told")
    equal(told(3), [], "m3 was told")


def wrong():
    now = held(3)
    forget()
    for lines, error in (
        (ONE + ["10.5.0.0/16"], "one.list:5:12 expected a blank and the number of an AS"),
        (["10.5.0.1/16 5"], "one.list:1:1 expected a prefix without bits beyond its length"),
        (["", "10.5.0.0/16{15,16} 5"], "one.list:2:12 expected {FROM,TO}"),
    ):
        write("one.list", lines)
        text = D.text("configure")
        check(error in text, text)
    with open(os.path.join(D.dir, "one.list"), "w") as f:
        f.write("10.1.0.0/16 6450")
    text = D.text("configure")
    check("one.list:1:17 expected a line end: the file may be cut off" in text, text)
    os.remove(os.path.join(D.dir, "one.list"))
    text = D.text("configure")
    check("can't read" in text and "one.list: No such file" in text, text)
    equal((held(3), told(3), told(2)), (now, [], []), "after wrong files")


def guards():
    now = held(3)
    for lines, age_s, error in (
        ([], 0, "guard: set ORIGINS1 is empty, 3 entries before"),
        (["10.1.0.0/16{16,24} 64501"], 0, "guard: set ORIGINS1 has 1 entry, 3 before: 66 % less, at most 60 %"),
        (ONE, 50 * 3600 + 1200, "guard: set ORIGINS1 is of a file that is 50 h 20 min old, at most 48 h"),
    ):
        write("one.list", lines, age_s)
        text = D.text("configure")
        check(error in text, text)
    equal(held(3), now, "after refused files")
    write("one.list", [])
    configure("force")
    wait_held(3, [])
    write("one.list", ONE)
    configure()
    wait_held(3, [n for n in NETS if n not in RESULT])


def converter():
    tool = os.path.join(SRC, "doc/examples/origins.py")
    tree = {"AS64501": [{"prefix": "10.1.0.0/16", "exact": True}, {"prefix": "10.2.0.0/16", "ge": 17, "le": 24}]}
    path = os.path.join(D.dir, "irr.json")
    with open(path, "w") as f:
        json.dump(tree, f)
    text = os.path.join(D.dir, "bgpq4.txt")
    with open(text, "w") as f:
        f.write("10.3.0.0/16{16,32} AS64502\n10.4.0.0/16{16,16} AS64501\n")
    out = os.path.join(D.dir, "one.list")
    subprocess.run([sys.executable, tool, "-o", out, path, text], check=True, timeout=60)
    configure()
    wait_held(3, [n for n in NETS if n not in RESULT])
    with open(path, "w") as f:
        f.write('{"some": ["10.1.0.0/16"]}')
    done = subprocess.run([sys.executable, tool, "-o", out, path], capture_output=True, text=True, timeout=60)
    equal((done.returncode, "10.1.0.0/16 has no origin" in done.stderr), (1, True), "a list without origins")
    with open(out) as f:
        equal(len(f.readlines()), 4, "the file after an error")


D = Daemon()
D.port = free_port()
D.write(CONF.replace("PORT", str(D.port)))
write("one.list", ONE)
write("two.list", TWO)
D.start()
views = {n: View("m%d" % n, member(D.port, n), False, False) for n in (1, 2, 3)}
case("a route and its set", start)
case("changed files", changes)
case("wrong files", wrong)
case("guards", guards)
case("origins.py", converter)
D.stop()
done()
