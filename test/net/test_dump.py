# SPDX-License-Identifier: GPL-3.0-or-later
"""`dump`: all there is of something, to a file that is there when it is whole, or to the log."""

from harness import *

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
timeformat base iso long;
timeformat route iso long;
timeformat protocol iso long;
ipv4 table t1;
roa4 table r4;
function is_short(int n) { return n < 20; }
filter f_in { if net.len > 28 then reject; accept; }
protocol device { }
protocol static s1 { ipv4; route 10.1.0.0/16 blackhole; route 10.2.0.0/16 unreachable; }
protocol static sr { roa4 { table r4; }; route 10.20.0.0/16 max 24 as 65001; }
protocol bgp m1 { local 127.0.10.1 port PORT as 65000; neighbor 127.0.11.1 as 65001; strict bind on; passive; multihop;
  ipv4 { import filter f_in; export all; }; }
"""

D = Daemon()
D.port = free_port()
D.write(CONF.replace("PORT", str(D.port)))
D.start()
PEER = Peer(D.port, "127.0.11.1", 65001, server="127.0.10.1").establish()
PEER.update(["20.0.%d.0/24" % k for k in range(100)])
wait_until(lambda: "100 imported" in D.text("show protocols all m1"), "routes")
for net, table in ("10.1.0.0/16", "master4"), ("10.2.0.0/16", "master4"), ("10.20.0.0/16", "r4"):
    wait_until(lambda: net in D.text("show route table " + table), "%s in table %s" % (net, table))

# What is dumped, and the command whose text it is.
SAME = {
    "routes": "show route all table all",
    "protocols": "show protocols all",
    "interfaces": "show interfaces",
    "tables": "show table",
    "resources": "show memory",
    "events": "show threads",
}


def at(name):
    return os.path.join(D.dir, name)


def dumped(what, name="d"):
    """What is in the file that the reply tells the size of."""
    if os.path.exists(at(name)):
        os.unlink(at(name))
    reply = D.run('dump %s "%s"' % (what, at(name)))
    with open(at(name)) as f:
        text = f.read()
    check(
        len(reply) == 1
        and reply[0][0] == 13
        and re.fullmatch(r"Dumped %d bytes in \d+\.\d{6} s" % len(text), reply[0][1]),
        "%s: %r" % (what, reply),
    )
    return text


def shape(text):
    """Without what changes from one moment to the next."""
    return [re.sub(r"\d+", "N", x).strip() for x in text.splitlines() if x.strip()]


def files():
    for what, command in SAME.items():
        got, want = shape(dumped(what)), shape("\n".join(t for _, t in D.run(command)))
        if what in ("resources", "events"):
            check(len(got) == len(want) and got[0] == want[0], "%s: %r" % (what, got))
        else:
            equal(got, want, what)
    equal(len(re.findall(r"^20\.0\.\d+\.0/24 ", dumped("routes"), re.M)), 100, "all routes")
    text = dumped("filter all")
    check(all(x in text for x in ("is_short", "f_in", "ipv4 import of m1", "ipv4 export of m1")), text)
    said = r"stream at 127\.0\.10\.1 port %d to 127\.0\.11\.1 port \d+, 0 octets to be read, 0 to be sent$" % D.port
    wait_until(
        lambda: re.search(said, dumped("sockets"), re.M), lambda: dumped("sockets")
    )  # what was sent is acknowledged a moment later
    text = dumped("sockets")
    check(re.search(r"stream listens at 127\.0\.10\.1 port %d$" % D.port, text, re.M), text)
    check('stream listens at "%s' % D.ctl in text, text)
    check(re.search(r"^Sets of attributes: [1-9]", dumped("attributes"), re.M), "attributes")


def to_log():
    """Without a file, as debug."""
    for what in list(SAME) + ["filter all", "sockets", "attributes"]:
        equal(D.run("dump " + what), [(0, "")], what)
    wait_until(
        lambda: all(
            x in D.whole_log() for x in ("<DBG> 20.0.99.0/24", "<DBG> Sets of attributes: ", "<DBG> f_in     filter")
        ),
        lambda: D.said(),
    )


def refused():
    for command in (
        "dump",
        "dump nosuch",
        "dump routes all",
        "dump filter",
        'dump routes "a" "b"',
        "json dump routes",
        "dump neighbors",
    ):
        equal(D.run(command)[-1][0], 9001, command)
    reply = D.run('dump routes "%s"' % at("nosuch/d"))
    check(reply[-1][0] == 8000 and "No such file" in reply[-1][1], "no such folder: %r" % reply)
    reply = D.run('dump routes "%s"' % D.dir)
    equal(reply[-1][0], 8000, "a folder")
    c = Cli(D.ctl)
    c.run("restrict")
    equal(c.run('dump routes "%s"' % at("r"))[-1][0], 8007, "who may only look")
    check(not os.path.exists(at("r")), "and writes nothing")
    equal(c.run("show status")[-1][0], 13, "goes on")
    c.close()


def cut_off():
    """A client that goes leaves no half of a file; the next command of one that stays finds its own reply."""
    for k in range(0, 20000, 200):
        PEER.update(["30.%d.%d.0/24" % ((k + i) // 256, (k + i) % 256) for i in range(200)])
    wait_until(lambda: "20100 imported" in D.text("show protocols all m1"), "routes")
    for _ in range(20):
        c = Cli(D.ctl)
        c.send('dump routes "%s"\n' % at("half"))
        c.s.close()
    left = lambda: [f for f in os.listdir(D.dir) if f.startswith("half") and f != "half"]
    equal(settled(left, "the dumps of clients that have gone"), [], "what is left behind")
    c = Cli(D.ctl)
    c.send('dump routes "%s"\nshow status\n' % at("whole"))
    equal((c.reply()[-1][0], c.reply()[-1][0]), (13, 13), "two commands")
    with open(at("whole")) as f:
        equal(len(re.findall(r"^(20|30)\.\d+\.\d+\.0/24 ", f.read(), re.M)), 20100, "each route once")
    c.close()


case("files", files)
case("to the log", to_log)
case("what is refused", refused)
case("a client that goes", cut_off)
case("down", D.stop)
done()
