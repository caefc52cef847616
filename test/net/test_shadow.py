# SPDX-License-Identifier: GPL-3.0-or-later
"""ternshadow with the file of a live route server, fed with what its members announce: while they announce,
withdraw and flap it finds no difference to what the live server sends; after one changed line in one filter it finds
exactly the routes that the line concerns; a member that isn't fed is told as other input. The live server is bird2,
by MRT, and ternd, by BMP. SHADOW_MEMBERS: how many there are."""

import random

import shadow_daemon
from fleet import Fleet
from harness import *
from schema import Schema

if KIND != "ternd":
    cannot_here("this is about ternd beside bird2")
CNT = int(os.environ.get("SHADOW_MEMBERS", "100" if SOAK else "8"))
ROUTES = int(os.environ.get("SHADOW_ROUTES", "60"))
CHURN_S = 30 if SOAK else 4
rng = random.Random(SEED)
with open(os.path.join(SRC, "doc/json.schema.json")) as schema_file:
    SCHEMA = json.load(schema_file)


def address(n):
    return "127.0.%d.%d" % (20 + n // 200, n % 200 + 2)


def conf(port, silent=0, lines=None, more=""):
    """silent: a member whose messages aren't written down; lines: {member: a line of its export filter}."""
    text = """router id 10.0.0.1;
log "RUN/bird.log" all;
mrtdump "RUN/live.mrt";
protocol device {}
protocol static own { ipv4; route 10.255.0.0/16 blackhole; }
define MINE = 65000;
function may_go(int peer) {
  if (0, peer) ~ bgp_community then return false;
  if (MINE, peer) ~ bgp_community then return true;
  return ! ((0, MINE) ~ bgp_community);
}
template bgp any { local 127.0.0.1 port %d as 65000; multihop; passive; rs client; strict bind on; error wait time 1,1;
  graceful restart off; }
%s""" % (
        port,
        more,
    )
    for n in range(CNT):
        text += """filter in_%d {
  if bgp_path.len > 6 || net ~ [ 10.%d.0.0/24+ ] then reject;
  if net.len > 26 then bgp_community.add((65000, 65535));
  bgp_large_community.add((65000, 1, %d));
  if (65000, 990) ~ bgp_community then bgp_local_pref = 200;
  accept;
}
filter out_%d {
  if ! may_go(%d) then reject;
  if (65001, %d) ~ bgp_community then bgp_path.prepend(bgp_path.first);
  %s
  bgp_community.delete([ (0, *), (65001, *) ]);
  accept;
}
protocol bgp m%d from any { neighbor %s as %d; %s ipv4 { import filter in_%d; export filter out_%d; }; }
""" % (
            n,
            10 + n,
            n,
            n,
            60001 + n,
            60001 + n,
            (lines or {}).get(n, ""),
            n,
            address(n),
            60001 + n,
            "" if n == silent - 1 else "mrtdump { messages, states };",
            n,
            n,
        )
    return text


class Recorded(Fleet):
    """Members that write down what they are sent, as `mrtdump` does."""

    def __init__(self, path):
        self.file = open(path, "wb", buffering=0)
        super().__init__()

    def record(self, s, subtype, body):
        head = struct.pack(
            "!IIHH4s4s",
            s.member.as_number,
            65000,
            0,
            1,
            socket.inet_aton("127.0.0.1"),
            socket.inet_aton(s.member.address),
        )
        self.file.write(
            struct.pack("!IHHI", int(time.time()), 16, subtype, len(head) + len(body)) + self.turned(head) + body
        )

    @staticmethod
    def turned(head):
        """Seen from the member: the live server is the peer."""
        return head[4:8] + head[:4] + head[8:]

    def _message(self, s, kind, body):
        self.record(s, 4, message(kind, body))
        super()._message(s, kind, body)

    def _close(self, s):
        if s.state == "established":
            self.record(s, 5, struct.pack("!HH", 6, 1))
        super()._close(s)


class Shadow(shadow_daemon.Shadow):
    def settled(self, cnt):
        last = self.rows()[1]
        return last.endswith("; %d of %d compared; 0 changes under way" % (cnt, CNT)) and last

    def wait_settled(self, cnt=CNT, limit_s=40):
        wait_until(
            lambda: self.settled(cnt),
            lambda: "%s\n%s" % (self.text("show shadow all")[-3000:], self.said()[-1500:]),
            limit_s,
            0.2,
        )
        return self.rows()

    def wait_none(self, limit_s=40):
        """No difference, and none under way; a live server that is slow may have been behind for a while."""
        none = "0 differences of 0 members; %d of %d compared; 0 changes under way" % (CNT, CNT)
        wait_until(
            lambda: self.rows()[1] == none,
            lambda: "%s\n%s" % (self.text("show shadow all")[-3000:], self.said()[-1500:]),
            limit_s,
            0.2,
        )


def some_route(n):
    """(path, communities) of member n's."""
    comms = rng.choice(
        [
            (),
            (),
            ((0, 60001 + rng.randrange(CNT)),),
            ((0, 65000), (65000, 60001 + rng.randrange(CNT))),
            ((65001, 60001 + rng.randrange(CNT)),),
            ((65000, 990),),
            ((77, 77), (65000, 42)),
        ]
    )
    return tuple(rng.randrange(64512, 64600) for _ in range(rng.randrange(7))), comms


def some_net():
    return "10.%d.%d.%d/%d" % (
        rng.randrange(10, 10 + max(CNT, 20)),
        rng.randrange(4),
        rng.randrange(4) * 64,
        rng.choice((26, 28)),
    )


def announce(fleet, n, cnt):
    with fleet.lock:
        fleet.members[n].routes = {some_net(): some_route(n) for _ in range(cnt)}


def change(fleet):
    with fleet.lock:
        m = fleet.members[rng.randrange(CNT)]
        routes = dict(m.routes)
        for _ in range(rng.randrange(1, 10)):
            if routes and rng.random() < 0.4:
                del routes[rng.choice(sorted(routes))]
            else:
                routes[some_net()] = some_route(0)
        m.routes = routes


def make_fleet(d, port, path):
    fleet = Recorded(path)
    for n in range(CNT):
        fleet.add(n, address(n), 60001 + n).dial = {"live": ("127.0.0.1", port)}
        announce(fleet, n, ROUTES)
    wait_until(
        lambda: len(fleet.tables("live")) == CNT,
        lambda: "members are up: %d %s" % (len(fleet.tables("live")), d.said()),
        60,
    )
    return fleet


def churn(fleet, shadow, seconds, port):
    """Changes, and sessions that flap; nothing is reported that has stood for a while."""
    until, asks = time.monotonic() + seconds, 0
    while time.monotonic() < until or asks < 4:
        change(fleet)
        if rng.random() < 0.03:
            with fleet.lock:
                m = fleet.members[rng.randrange(CNT)]
                m.leave = rng.choice(("cease", "reset", "eof"))
                m.dial = {} if m.dial else {"live": ("127.0.0.1", port)}
        if rng.random() < 0.1:
            rows, last = shadow.rows()
            check(not rows, "under churn: %s %s" % (rows[:5], last))
            asks += 1
        spread(0.02)
    with fleet.lock:
        for m in fleet.members.values():
            m.dial = {"live": ("127.0.0.1", port)}
    wait_until(lambda: len(fleet.tables("live")) == CNT, "all members are back", 60)


def tcp_sockets(pid):
    """Inodes of TCP sockets that the process has."""
    mine = set()
    for fd in os.listdir("/proc/%d/fd" % pid):
        try:
            mine.add(os.readlink("/proc/%d/fd/%s" % (pid, fd)))
        except OSError:
            pass
    found = set()
    for name in ("tcp", "tcp6"):
        with open("/proc/net/" + name) as f:
            found.update("socket:[%s]" % line.split()[9] for line in f.readlines()[1:])
    return mine & found


def all_sent(live, fleet, n):
    """Member n, which may have come back a moment ago, has as many routes as it is to have."""
    said = live.text("show route export m%d count" % n)
    found = re.search(r"(\d+) of \d+ routes", said)
    with fleet.lock:
        return found and int(found.group(1)) == len(fleet.tables("live").get(n, ()))


def one_line(live, fleet, shadow, text):
    """One line more in the export filter of one member: what it is sent with (77,77) goes."""
    n = CNT // 2
    wait_until(lambda: all_sent(live, fleet, n), lambda: live.text("show route export m%d count" % n))
    with fleet.lock:
        table = dict(fleet.tables("live")[n])
    want = sorted(
        p
        for p, r in table.items()
        if any(c == 8 and struct.pack("!HH", 77, 77) in [v[i : i + 4] for i in range(0, len(v), 4)] for c, v in r[0][0])
    )
    check(len(want) > 2, "%d routes are concerned" % len(want))
    shadow.write(
        text.replace(
            "  if (65001, %d) ~" % (60001 + n),
            "  if (77, 77) ~ bgp_community then reject;\n  if (65001, %d) ~" % (60001 + n),
        )
    )
    check(shadow.code("configure") in (3, 4), "configure: " + shadow.said())
    wait_until(lambda: shadow.rows()[0], "a difference", 40)
    rows, last = shadow.wait_settled()
    equal(sorted(r[1] for r in rows), want, "the routes that the line concerns")
    equal(
        {(r[0], r[2], r[3]) for r in rows},
        {("m%d" % n, "only live", "different decision")},
        "of that member, as decided otherwise",
    )
    check(last.startswith("%d differences of 1 member; " % len(want)), last)
    equal(shadow.rows("m%d" % n)[0], rows, "asked for the member")
    equal(shadow.rows("m0")[0], [], "asked for another one")


def attribute_line(shadow, text):
    """A line that changes an attribute: both are shown."""
    shadow.write(text.replace("bgp_large_community.add((65000, 1, 0));", "bgp_large_community.add((65000, 2, 0));"))
    check(shadow.code("configure") in (3, 4), "configure: " + shadow.said())
    wait_until(lambda: {r[2] for r in shadow.rows()[0]} == {"differs"}, lambda: shadow.text("show shadow")[-3000:], 40)
    rows, _ = shadow.wait_settled()
    check(rows and {r[2:] for r in rows} == {("differs", "different decision")}, "rows: %s" % rows[:5])
    said = shadow.text("show shadow m1")
    check(
        "\tlive\tBGP.large_community: (65000, 1, 0)\n" in said
        and "\there\tBGP.large_community: (65000, 2, 0)\n" in said,
        said[:600],
    )
    check("BGP.as_path" not in said, "attributes that are the same: " + said[:600])
    objects = [json.loads(t) for code, t in shadow.run("json show shadow m1") if code == 1100]
    schema = Schema(SCHEMA)
    wrong = [w for o in objects for w in schema.errors(o)]
    check(not wrong, "JSON: %s" % wrong[:3])
    unmet = {m for m in schema.members() - schema.seen if re.fullmatch(r"shadow_(route|member)\.\w+", m)} - {
        "shadow_member.reason"
    }
    check(not unmet, "no object has %s" % unmet)
    routes = [o for o in objects if o["type"] == "shadow_route"]
    check(
        routes
        and routes[0]["difference"] == "differs"
        and routes[0]["cause"] == "decision"
        and routes[0]["live"] != routes[0]["here"],
        str(objects[:2]),
    )


def beside_bird():
    if not os.path.exists(BIRD):
        needs("bird2")
    port = free_port()
    text = conf(port)
    live = Bird(text).start()
    fleet = make_fleet(live, port, os.path.join(live.dir, "members.mrt"))
    shadow = Shadow(text, ["mrt:%s/live.mrt" % live.dir, "mrt-out:%s/members.mrt" % live.dir]).start()
    shadow.wait_none()
    check(not tcp_sockets(shadow.pid), "it has TCP sockets")
    check(not os.path.exists(shadow.dir + "/live.mrt"), "it writes the live server's file")
    churn(fleet, shadow, CHURN_S, port)
    shadow.wait_none()
    one_line(live, fleet, shadow, text)
    attribute_line(shadow, text)
    shadow.write(text)
    check(shadow.code("configure") in (3, 4), "configure back")
    shadow.wait_none()
    fleet.end()
    check(not fleet.error, str(fleet.error))
    shadow.stop()
    live.stop()


def other_input():
    """What a member announces isn't told to the shadow; what a route of the live server's own is, neither."""
    if not os.path.exists(BIRD):
        needs("bird2")
    port = free_port()
    live = Bird(conf(port, silent=1)).start()
    fleet = make_fleet(live, port, os.path.join(live.dir, "members.mrt"))
    shadow = Shadow(conf(port), ["mrt:%s/live.mrt" % live.dir, "mrt-out:%s/members.mrt" % live.dir]).start()
    wait_until(lambda: shadow.rows()[0] and shadow.settled(CNT - 1), lambda: shadow.text("show shadow")[-600:], 30)
    rows, _ = shadow.rows()
    with fleet.lock:
        mine = {p for p in fleet.members[0].routes}
    check(rows and {r[1] for r in rows} <= mine, "only what member 0 announces: %s" % rows[:5])
    other = [r for r in rows if r[2] != "only here"]
    check(other and {r[3] for r in other} == {"different input"}, "what the live server sends of it: %s" % other[:5])
    check(
        "m0\t" not in shadow.text("show shadow m0") or "not fed" in shadow.text("show shadow m0"),
        shadow.text("show shadow m0"),
    )
    fleet.end()
    shadow.stop()
    live.stop()


def beside_tern():
    """By BMP; the connection ends and comes again; the live server is ternd."""
    port, at = free_port(), free_port()
    text = conf(port)
    station = (
        "protocol bmp b { station address ip 127.0.0.1 port %d; connect retry time 1; monitoring rib in pre_policy;"
        " monitoring rib out post_policy; }\n" % at
    )
    live = Daemon(text + station).start()
    fleet = make_fleet(live, port, os.path.join(live.dir, "members.mrt"))
    shadow = Shadow(text, ["bmp:127.0.0.1:%d" % at]).start()
    shadow.wait_none()
    churn(fleet, shadow, CHURN_S, port)
    live.run("restart b")
    shadow.wait_none()
    one_line(live, fleet, shadow, text)
    fleet.end()
    shadow.stop()
    live.stop()


def no_feed():
    """ternshadow wants a feed."""
    d = Shadow(conf(free_port()), [])
    for feed, text in ((["--shadow", "what"], "--shadow what"), ([], "--shadow FEED is missing")):
        p = subprocess.run(d.argv("-f", *feed), capture_output=True, text=True, timeout=20)
        check(p.returncode == 1 and text in p.stderr, "%d %s" % (p.returncode, p.stderr))


def no_shadow():
    """ternd is no shadow: it names the program, has no command of a shadow, and no symbol."""
    d = Daemon(conf(free_port()))
    p = subprocess.run(d.argv("-f", "--shadow", "mrt:/dev/null"), capture_output=True, text=True, timeout=20)
    check(p.returncode == 2 and "ternshadow" in p.stderr, "%d %s" % (p.returncode, p.stderr))
    d.start()
    equal(d.code("show shadow"), 9001, "show shadow")
    check("show shadow" not in d.text("help"), "help of ternd")
    d.stop()
    names = subprocess.run(["readelf", "-sW", program("ternd")], capture_output=True, text=True, timeout=60).stdout
    check("program_main" in names, "readelf: %.200s" % names)
    found = [n for n in names.split() if "shadow" in n]
    check(not found, "symbols of ternd: %s" % found[:5])


case("no feed", no_feed)
case("no shadow", no_shadow)
case("beside bird2, by MRT", beside_bird)
case("other input", other_input)
case("beside ternd, by BMP", beside_tern)
done()
