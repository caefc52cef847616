# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script or a looking glass reads: many commands, each asked of bird2 and of ternd, which serve the same members with
the same file, in several states. Codes must be equal, and texts but for times, sizes and what stands in ALLOWED, each
with its reason."""

from harness import *

if KIND == "bird2" or not BIRD or not shutil.which(BIRD):
    needs("bird2")

CONF = """
router id 10.0.0.1;
hostname "rs1";
log "RUN/bird.log" all;
timeformat base iso long;
timeformat route iso long;
timeformat protocol iso long;
ipv4 table t1;
ipv4 table empty4;
roa4 table r4;
define PFX = 10.1.0.0/16;
define ADR = 10.20.1.7;
define ROA = 10.20.0.0/16 max 24 as 65001;
define ASN = 65000;
define NETS = [10.0.0.0/8+, 192.168.0.0/16{20,24}];
define PAIRS = [(65000,1), (65001,1..5)];
define TEXT = "some";
attribute int seen;
function is_short(int n) { return n < 20; }
filter f_in { if net.len > 28 then reject; bgp_large_community.add((65000,1,1)); seen = 7; accept; }
filter f_out { if (65000,666) ~ bgp_community then reject; accept; }
filter f_pipe { if net ~ [10.9.0.0/16+] then accept; reject; }
protocol device { }
protocol static s1 { description "our own"; ipv4;
  route 10.1.0.0/16 blackhole; route 10.2.0.0/16 unreachable; route 10.9.1.0/24 prohibit; }
protocol static sr { roa4 { table r4; }; route 10.20.0.0/16 max 24 as 65001; route 10.30.0.0/16 max 16 as 65002; }
protocol pipe pp { table master4; peer table t1; import none; export filter f_pipe; }
template bgp rsc {
  local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client; hold time 90;
  ipv4 { import keep filtered; import filter f_in; export filter f_out; };
}
protocol bgp p1 from rsc { neighbor 127.0.11.1 as 65001; description "one"; }
protocol bgp p2 from rsc { neighbor 127.0.11.2 as 65002; ipv4 { import limit 100 action restart; }; }
protocol bgp p3 from rsc { neighbor 127.0.11.3 as 65003; ipv4 { import limit 2 action block; receive limit 50; }; }
protocol bgp p4 from rsc { neighbor 127.0.11.4 as 65004; disabled; }
protocol bgp p5 from rsc { neighbor 127.0.11.5 as 65005; ipv4 { export none; }; }
"""

COMMANDS = """
show status
show protocols
show protocols all
show protocols p1
show protocols "p*"
show protocols "x*"
show protocols all "s*"
show protocols nosuch
show protocols all p4
show protocols t1
show protocols all all
show symbols
show symbols table
show symbols filter
show symbols function
show symbols protocol
show symbols template
show symbols constant
show symbols variable
show symbols p1
show symbols ASN
show symbols nosuch
show symbols rsc
show symbols seen
show symbols is_short
show symbols table p1
show route
show route all
show route table master4
show route table t1
show route table t1 all
show route table r4
show route table r4 all
show route table empty4
show route table all
show route table all all
show route table master4 table t1
show route table nosuch
show route table p1
show route 10.1.0.0/16
show route 10.1.0.0/16 all
show route 10.20.1.0/24 all
show route 10.99.0.0/16
show route 10.1.0.0
show route 10.1.2.0/16
show route 10.1.0.0/33
show route for 10.20.1.7
show route for 10.20.1.7 all
show route for 10.20.1.0/25
show route for 172.16.0.1
show route PFX
show route PFX all
show route for PFX
show route for ADR
show route for ADR all
show route in PFX
show route for ASN
show route ASN
show route in ADR
show route ROA
show route ROA table r4
show route in ROA
show route in 10.0.0.0/8
show route in 10.20.0.0/16 all
show route in 172.16.0.0/12
show route in 10.0.0.0/8 count
show route 10.20.1.0/24 count
show route for 10.20.1.7 count
show route for 10.20.1.7 table t1
show route 10.20.0.0/16 max 24 as 65001 table r4
show route 10.20.0.0/16 max 24 as 65009 table r4
show route 10.20.0.0/16 max 8 as 65001 table r4
show route 10.20.0.0/16 max 24 table r4
show route protocol p1
show route protocol p1 all
show route protocol p3
show route protocol s1
show route protocol p4
show route protocol nosuch
show route protocol t1
show route protocol p1 protocol p2
show route protocol p1 table t1
show route protocol p1 count
show route protocol pp
show route protocol pp table t1
show route primary
show route primary protocol p1
show route primary count
show route filtered
show route filtered all
show route filtered protocol p1
show route filtered protocol p1 all
show route all filtered protocol p2
show route filtered count
show route filtered primary
show route filtered export p1
show route filtered table t1
show route export p1
show route export p1 all
show route export p1 count
show route export p4
show route export p5
show route export pp
show route export pp table master4
show route export p1 table t1
show route export nosuch
show route export p1.ipv4
show route export p1.ipv4 all
show route export p1.ipv4 count
show route export p1.ipv6
show route export p1.
show route export p1.ipv4 table master4
show route export p1.ipv4 table t1
show route export pp.main
show route export pp.pri
show route preexport p1
show route preexport p1.ipv4
show route noexport p1
show route noexport p1.ipv4
show route noexport p5
show route noexport pp
show route noexport p1 all
show route exported p1
show route exported p1.ipv4
show route export p1 export p2
show route export p1 protocol p2
show route export p1 10.20.1.0/24
show route export p1 for 10.20.1.1 all
show route export p1 where net.len = 24
show route export table p1.ipv4
show route import table p1.ipv4
show route import table p1.ipv6
show route import table p1
show route import
show route where net.len = 24
show route where net.len = 24 all
show route where nosuch
show route where 5
show route where source = RTS_STATIC
show route where bgp_path ~ [= 65001 * =]
show route where from = 127.0.11.1
show route all where from = 127.0.11.1
show route where net ~ [10.20.0.0/16+]
show route where net ~ NETS
show route where is_short(net.len)
show route where roa_check(r4, net, 65001) = ROA_VALID
show route where net.type = NET_IP4 count
show route count where net.type = NET_IP6
show route filter f_in
show route filter f_in all
show route filter nosuch
show route filter p1
show route filter { if net.len = 16 then accept; reject; }
show route filter { bgp_community.add((1,2)); accept; } all protocol p1
show route where net.len = 24 where net.len = 16
show route all primary table master4 protocol p1 where net.len = 24
show route stats
show route stats protocol p1
show route count
show route count table t1
show route table r4 count
show route table master4 count
show route table all count
show route table empty4 count
show route stats table empty4
show route count protocol p1 table master4
show route for 10.20.1.1 table r4
show route 10.20.1.0/24 table r4
show route nosuch
show route all nosuch
show route for
show route table
show route in
show route protocol
show route where
show route filter
show static
show static s1
show static sr
show static p1
show static nosuch
show interfaces nosuch
show bfd sessions
show bfd sessions p1
show ospf
show ospf neighbors
show rip interfaces
show rip neighbors
show babel neighbors
show babel interfaces
show nosuch
show
nosuch
show status all
show route "text"
eval 1 + 2
eval ASN
eval NETS
eval PAIRS
eval TEXT
eval "a text"
eval 10.0.0.1
eval 10.0.0.0/8
eval 2001:db8::1
eval 2001:db8::/32
eval true
eval (1,2)
eval (1,2,3)
eval (rt,1,2)
eval [1,2,5..9]
eval [10.0.0.0/8, 10.1.0.0/16+]
eval [(1,2),(3,4..5)]
eval [(1,2,3)]
eval [(rt,1,2)]
eval [= 1 * 2 =]
eval [= 1 ? [2,3] =]
eval 10.0.0.1.mask(8)
eval 10.1.0.0/16 ~ NETS
eval 10.1.0.0/16.len
eval is_short(5)
eval is_short(25)
eval +empty+
eval -empty-
eval --empty--
eval ---empty---
eval RTS_BGP
eval ROA_VALID
eval ORIGIN_IGP
eval NET_IP4
eval SCOPE_HOST
eval RTD_UNICAST
eval 5 / 0
eval nosuch
eval 1 +
eval
eval 1 2
eval roa_check(r4, 10.20.0.0/16, 65001)
eval roa_check(r4, 10.20.0.0/16, 65002)
eval roa_check(r4, 11.20.0.0/16, 65002)
eval prepend(+empty+, 5)
eval add(-empty-, (1,2))
eval bgp_path
eval net
eval 'ASN'
eval (65000,1) ~ PAIRS
eval !true
eval 1 = 1
eval 1 ~ [1..3]
eval 0x1f
eval 1:2
eval 10.0.0.1:5
eval defined(1)
eval format(5)
eval format([1,2])
echo all
echo off
echo { debug, trace }
echo { info, remote } 2000
echo
echo nosuch
echo all 255
echo all 256
echo all 65536
echo all 65537
echo off
echo { nosuch }
debug p1 all
debug p1 off
debug p1 { states, routes, filters, interfaces, events, packets }
debug all off
debug "p*" { states }
debug "x*" all
debug nosuch all
debug p1
debug p1 nosuch
debug p1.ipv4 all
debug p1.ipv4 off
debug pp.pri { routes }
debug pp.sec off
debug all.ipv4 all
debug p1.nosuch off
debug all off
mrtdump nosuch all
mrtdump p1
configure check
configure check "nosuch.conf"
configure status
configure confirm
configure undo nosuch
configure nosuch
configure timeout nosuch
configure timeout 0
configure confirm
disable nosuch
disable "x*"
disable p4
enable p1
reload p4
reload nosuch
reload "x*"
reload in s1
reload out s1
reload pp
reload p1 partial
restart p4
graceful
graceful nosuch
down nosuch
restrict nosuch
show protocols 'p1'
show route protocol 'p1' count
show route table 'master4' all where from=127.0.11.1
show route all export 'p1'
show route all noexport 'p1'
show route table 't1' noexport 'pp' all
show route table 'master4' noexport 'pp' protocol 'p1' all
dump
dump nosuch
dump resources
dump sockets
dump events
dump interfaces
dump attributes
dump routes
dump routes all
dump protocols
dump filter all
dump filter
show /* a comment */ status
show status # comment
show route /* one */ count /* two */
show status /* open
"""

# Asked again in each state.
STATE_COMMANDS = """
show protocols
show protocols all
show protocols all p1
show protocols all p3
show route
show route all
show route table t1
show route table all count
show route filtered all
show route export p1 all
show route export p1.ipv4 count
show route noexport p1.ipv4
show route preexport p3.ipv4
show route export p2
show route protocol p1 all
show route for 10.20.1.7 all
show route 10.20.1.0/24
show route count
show route stats protocol p2
show symbols protocol
configure status
"""

# What differs, and stays: (command, line of bird2 or of ternd, why)
ALLOWED = (
    ("show .*status", r"tern \d", "who it is, where no tool looks"),
    ("show protocols all", r" +(Dirty networks|Last sent|Sent early|Segments read|Decisions made|Messages built|Messages sent):",
     "how far behind a member is"),
    ("show protocols all", r"    Down at: ", "when and why it was lost before"),
    ("show protocols all", r"    Send hold timer:  T/T", "later versions have it"),
    ("show protocols all", r"      (Enhanced refresh|Graceful restart|Long-lived graceful restart)$", "what was negotiated"),
    ("show protocols all", r" +(Import|Export) (updates|withdraws):", "counted in other places: test_cli.py and test_day.py look"),
    ("show protocols all", r"    Import limit:   2( \[HIT\])?$", "bird2 doesn't say each time that it was hit"),
    ("show symbols", r"\S+ *\tundefined", "each word that the parser has met"),
    ("show symbols", r"ip[prst]+_\w+ *\tconstant", "constants out of /etc/iproute2"),
    ("eval .*", None, "texts of values: doc/differences.md"),
    ("configure check .*", None, "why a file can't be read"),
    ("show route table 't1' noexport 'pp' all", r"Table t1:", "a table that was named has a heading"),
)


def shape(line):
    """A line with what differs between runs taken out."""
    line = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?", "TIME", line)
    line = re.sub(r"\d+\.\d{3}/\d+", "T/T", line)
    return re.sub(r"/\S+/rs\.conf", "CONF", line)


def allowed(command, text):
    return any(re.fullmatch(c + "( .*)?", command) and line and re.match(line, text) for c, line, _ in ALLOWED)


def told(d, command):
    """What is compared: lines in any order, since networks come in no order from bird2. Of what isn't understood the code."""
    reply = [(code, shape(text)) for code, text in d.run(command)]
    if reply[-1][0] == 9001:
        return [(9001, "")]
    if any(re.fullmatch(c, command) and not line for c, line, _ in ALLOWED):
        return [(code, "") for code, _ in reply]
    return sorted(x for x in reply if not allowed(command, x[1]))


def compare(commands, state):
    different = []
    for command in commands.strip("\n").split("\n"):
        ours, theirs = told(TERN, command), told(THEIRS, command)
        # What a table was told may be on its way yet.
        until = time.time() + 5 * SLOW
        while ours != theirs and time.time() < until and re.match("show (route|protocols)", command):
            time.sleep(0.1)
            ours, theirs = told(TERN, command), told(THEIRS, command)
        if ours == theirs:
            continue
        different.append(command)
        note("     %s:" % command)
        for x in [x for x in theirs if x not in ours][:5]:
            note("       bird2 %r" % (x,))
        for x in [x for x in ours if x not in theirs][:5]:
            note("       ternd %r" % (x,))
    check(not different, "%s: other than bird2: %s" % (state, ", ".join(different)))


def both(fn):
    for d in TERN, THEIRS:
        fn(d)


def announce(n, fn):
    def one(d):
        d.peer[n] = member(d.port, n)
        fn(d.peer[n])
        d.peer[n].end_of_rib()
    both(one)


def communities(kind, octets):
    return attribute(0xC0, kind, octets)


def first(p):
    extra = attribute(0x80, 4, struct.pack("!I", 17)) + communities(8, struct.pack("!HHHH", 65001, 7, 65002, 8))
    extra += communities(16, bytes.fromhex("0002fde900000001")) + communities(32, struct.pack("!III", 65001, 2, 3))
    p.update(["10.20.1.0/24", "10.20.2.0/24"], [65001, 64999], extra=extra)
    p.update(["10.20.1.128/29"])
    p.update(["10.9.7.0/24"])


def second(p):
    p.update(["10.20.1.0/24", "10.30.0.0/16"], [65002, 64998, 64997])
    p.update(["10.31.0.0/16"], [65002], extra=communities(8, struct.pack("!HH", 65000, 666)))


def third(p):
    p.update(["10.40.1.0/24", "10.40.2.0/24", "10.40.3.0/24"])


def time_formats():
    """A command of later versions, and of one connection."""
    c = Cli(TERN.ctl)
    for command in ("iso long", "iso short ms", "iso long us", '"%T" 600 "%F"', '"%T" limit 600 "%F"'):
        equal(c.run("timeformat " + command), [(0, "")], command)
    for command in ("nosuch", "", "iso", "iso long 5", '"%T" 600', "iso short h"):
        equal(c.run("timeformat " + command)[-1][0], 9001, command)
    c.close()


def nobody():
    compare(STATE_COMMANDS, "nobody is up")


def all_up():
    announce(1, first)
    announce(2, second)
    announce(3, third)
    compare(COMMANDS, "members are up")
    compare(STATE_COMMANDS, "members are up")


def changes():
    """Commands that change something, then what is there."""
    for command in ('disable p2 "gone fishing"', "disable p2", "enable p4", "enable p4", "disable p4", "restart s1", "reload s1",
                    "reload in p1", "reload out p1", 'disable "s*"', 'enable "s*"', "disable all", "disable all", "enable all",
                    "reload all", "restart all", "disable p4"):
        if command == "reload s1":  # bird2's has to come up again first
            both(lambda d: wait_until(lambda: re.search(r"^s1 .* up ", d.text("show protocols s1"), re.M), "s1 is up"))
        # who has nothing to reload is named, as later versions do
        ours = [x for x in TERN.run(command) if not x[1].endswith(": is not UP")]
        equal(sorted(ours), sorted(THEIRS.run(command)), command)
    both(lambda d: [p.s.close() for p in d.peer.values()])
    announce(1, first)
    announce(3, third)
    both(lambda d: d.run("disable p2"))
    compare(STATE_COMMANDS, "p2 is disabled")


def goes():
    both(lambda d: d.peer[1].cease())
    compare(STATE_COMMANDS, "p1 has gone")


def reconfigured():
    def other(d):
        d.write(d.read().replace("protocol bgp p5", "protocol bgp p6").replace("net.len > 28", "net.len > 29")
                .replace("route 10.2.0.0/16 unreachable;", ""))
        d.sum = [c for c, _ in d.run("configure")]
    both(other)
    check(TERN.sum[-1] in (3, 4) and THEIRS.sum[-1] in (3, 4), "configure: %r, %r" % (TERN.sum, THEIRS.sum))
    both(lambda d: [p.s.close() for p in d.peer.values()])
    announce(1, first)
    announce(2, second)
    announce(3, third)
    compare(STATE_COMMANDS, "another configuration")
    for command in ("configure timeout 100", "configure timeout", "configure confirm", "configure confirm", "configure undo",
                    "configure undo", "configure status", "configure soft", "configure soft timeout 0"):
        ours, theirs = TERN.run(command), THEIRS.run(command)
        # in progress or done: which of the two is a matter of time
        last = [{3: 4}.get(r[-1][0], r[-1][0]) for r in (ours, theirs)]
        equal(last[0], last[1], command)


def unasked():
    """Log lines come as bird2 says them, between replies; not to who hasn't asked, and no more when it has said `off`."""
    def one(d):
        c, quiet = Cli(d.ctl), Cli(d.ctl)
        equal(c.run("echo { info }"), [(0, "")], "echo")
        d.run("disable p3")
        d.run("enable p3")
        d.run("configure timeout 1")
        want = ["+Disabling protocol p3", "+Enabling protocol p3", "+Reconfiguring", "+Reconfigured",
                "+Config timeout expired, starting undo"]
        got = []
        while [x for x in want if x not in got]:
            got.append(c.line(10 * SLOW))
        check([x for x in got if x in want][:5] == want, "in this order: %r" % got)
        equal(c.run("echo off"), [(0, "")], "echo off")
        d.run("reload s1")
        equal(quiet.run("show status")[-1][0], 13, "one that hasn't asked")
        time.sleep(0.3)
        c.s.setblocking(False)
        try:
            c.buf += c.s.recv(4096)
        except BlockingIOError:
            pass
        check(b"Reloading" not in c.buf, "after `off`: %r" % c.buf)
    both(one)


def flood():
    """Who doesn't read what it has asked for holds up nobody, and is told how much it has missed."""
    c = Cli(TERN.ctl)
    equal(c.run("echo all 256"), [(0, "")], "echo")
    for _ in range(200):
        TERN.run("reload s1")
    wait_until(lambda: re.search("^\\+[0-9]+ log lines lost", c.line(5) or ""), "the count of what was lost")
    equal(c.run("echo off")[-1], (0, ""), "off")
    c.close()


def start(d):
    d.port = free_port()
    d.peer = {}
    d.write(CONF.replace("PORT", str(d.port)))
    return d.start()


TERN, THEIRS = start(Daemon()), start(Bird())
case("nobody is up", nobody)
case("members are up", all_up)
case("time formats", time_formats)
case("commands that change something", changes)
case("a member goes", goes)
case("another configuration", reconfigured)
case("log lines for who asks", unasked)
case("more of them than it reads", flood)
case("down", TERN.stop)
THEIRS.kill()
done()
