# SPDX-License-Identifier: GPL-3.0-or-later
"""Import and export tables. `show route import table` and `show route export table` say what bird2 says; a peer with an
export table is told nothing that it has already, whatever filters change; a reload from an import table asks no
peer."""

import harness
from harness import *
from view import View

NETS = ["10.2.%d.0/24" % i for i in range(20)]
CONF = """
router id 127.0.10.1;
log "RUN/bird.log" all;
protocol device {}
protocol static own { ipv4; route 10.0.0.0/8 blackhole; route 10.3.0.0/24 blackhole; route 10.3.1.0/24 blackhole { \
bgp_community.add((1, 2)); }; }
template bgp any { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001;
  ipv4 { import filter { %(in)s accept; }; export all; import table; import keep filtered; next hop keep; }; }
protocol bgp m2 from any { neighbor 127.0.11.2 as 65002;
  ipv4 { import all; export filter { %(out)s accept; }; import table; export table; next hop keep; }; }
protocol bgp m3 from any { neighbor 127.0.11.3 as 65003; ipv4 { import all; export all; next hop keep; }; }
"""
IN = "if net = 10.2.3.0/24 then reject; bgp_local_pref = 300;"
OUT = "if bgp_med = 4 then reject; if bgp_med > 9 then bgp_med = 100;"


def med(n):
    return attribute(0x80, 4, struct.pack("!I", n))


class Side:
    def __init__(self, kind):
        harness.KIND = self.kind = kind
        self.port = free_port()
        self.d = Daemon(CONF % {"port": self.port, "in": IN, "out": OUT}).start()
        self.m = {n: member(self.port, n) for n in (1, 2, 3)}
        for i, net in enumerate(NETS):
            self.m[1].update([net], [65001, 100 + i], extra=med(i))
        self.m[3].update(["10.2.1.0/24", "10.4.0.0/24"], [65003, 7], extra=med(1))
        for net in (
            "10.0.0.0/8",
            "10.3.0.0/24",
            "10.3.1.0/24",
            "10.4.0.0/24",
        ):  # which don't come by m1, as the mark does
            wait_until(lambda: self.told(net), net)
        self.mark(0)

    def mark(self, n):
        """What was there before has come: this comes behind it. Returns: messages of UPDATE that came to m2."""
        net, cnt = nlri("10.5.%d.0/24" % n), 0
        self.m[1].update(["10.5.%d.0/24" % n], [65001, 999], extra=med(1))
        while True:
            body = self.m[2].wait_for(UPDATE)
            check(body is not None, "the session has ended")
            if body.endswith(net):
                return cnt
            cnt += 1

    def configure(self, into=IN, out=OUT):
        self.d.write(CONF % {"port": self.port, "in": into, "out": out})
        check(self.d.code("configure") in (3, 4), "configure")

    def told(self, net):
        return net in self.d.text("show route export table m2.ipv4")

    def stop(self):
        for m in self.m.values():
            m.cease()
        harness.KIND = self.kind
        self.d.stop()


def blocks(text):
    """A reply without times, its nets in order."""
    text = re.sub(r"\[(\w+) [0-9:. -]+", r"[\1 T", text)
    found = re.split(r"\n(?=\d+\.)", text.strip())
    return [found[0]] + sorted(found[1:])


COMMANDS = [
    "show route %s table %s",
    "show route %s table %s all",
    "show route 10.2.1.0/24 %s table %s all",
    "show route count %s table %s",
    "show route for 10.2.5.1 %s table %s",
    "show route for 10.2.4.1 %s table %s",
    "show route in 10.2.0.0/21 %s table %s",
    "show route where bgp_path.len > 1 %s table %s",
    "show route %s table %s primary",
    "show route %s table %s filtered",
    "show route 10.9.0.0/16 %s table %s",
    "show route 10.2.3.0/24 %s table %s",
    "show route 10.2.4.0/24 %s table %s",
    "show route stats %s table %s",
]
MORE = [
    "show route export table m2",
    "show route export table m2.ipv6",
    "show route export table own.ipv4",
    "show route export table m3.ipv4",
    "show route import table m3.ipv4",
    "show route export table nobody.ipv4",
    "show route export m2 export table m2.ipv4",
    "show route import",
    "show route export table m2.ipv4 protocol m3",
]


def shown():
    if not os.access(BIRD, os.X_OK):
        needs("bird2")
    sides = [Side("bird2"), Side("ternd")]
    asked = [
        c % (way, table)
        for c in COMMANDS
        for way, table in (("export", "m2.ipv4"), ("import", "m1.ipv4"), ("import", "m2.ipv4"))
    ] + MORE
    for s in sides:
        s.m[1].withdraw(["10.2.7.0/24"])
        s.m[2].update(["10.2.2.0/24"], [65002], extra=med(50))
        s.mark(1)
        wait_until(lambda: "10.2.2.0/24" in s.d.text("show route import table m2.ipv4"), "what m2 has said")
    for c in asked:
        bird, tern = (s.d.run(c) for s in sides)
        equal(tern[-1][0], bird[-1][0], "%s: code" % c)
        if bird[-1][0] == 9001:
            continue  # the words of a syntax error are tern's own
        equal(blocks("\n".join(t for _, t in tern)), blocks("\n".join(t for _, t in bird)), c)
    text = sides[1].d.text("show route export table m2.ipv4")
    check(len(re.findall("^10", text, re.M)) > 15 and "10.2.4.0/24" not in text, "the table is as it must be: " + text)
    for s in sides:
        s.stop()


def told():
    s = Side("ternd")
    s.mark(1)
    s.configure(out="if bgp_med = 4 then reject; if bgp_med >= 10 then bgp_med = 90 + 10;")
    equal(s.mark(2), 0, "messages for a changed export filter with equal outcome")
    s.configure(out="if bgp_med = 5 then reject; if bgp_med >= 10 then bgp_med = 100;")
    wait_until(lambda: s.told(NETS[4]) and not s.told(NETS[5]), "the changed filter's nets")
    equal(s.mark(3), 2, "messages for one net more and one less")
    s.m[1].update(NETS[12:15], [65001, 112], extra=med(90))
    equal(s.mark(4), 1, "messages for nets that differ")
    s.m[1].update(NETS[12:15], [65001, 112], extra=med(91))
    equal(s.mark(5), 0, "messages for what the filter makes equal")
    s.m[2].send(message(5, b"\0\1\0\1"))
    for _ in range(15):
        check(s.m[2].wait_for(UPDATE) is not None, "who asks is told all")
    s.stop()


def reloads():
    s = Side("ternd")
    s.mark(1)
    for n, again in (
        (
            2,
            lambda: s.configure(
                into="if net = 10.2.3.0/24 then reject; bgp_local_pref = 299; bgp_local_pref = bgp_local_pref + 1;"
            ),
        ),
        (3, lambda: equal(s.d.run("reload in m1")[0], (15, "m1: reloading"), "reload in")),
    ):
        before = s.d.filtered("m1")
        again()
        wait_until(lambda: s.d.filtered("m1") > before, "a reload %d" % n)
        equal(s.mark(n), 0, "messages for a reload with equal outcome")
    s.configure(into="bgp_local_pref = 300;")
    wait_until(lambda: s.told(NETS[3]), "the net that the filter takes now")
    equal(s.mark(4), 1, "messages for one net more")
    equal(s.m[1].lying(REFRESH), 0, "ROUTE-REFRESH to a peer whose routes are kept")
    s.stop()


def read_meanwhile():
    """Commands read the tables while sessions write them."""
    s = Side("ternd")
    view, c, rng = View("m2", s.m[2], False, False), Cli(s.d.ctl), random.Random(SEED)
    commands = [
        "show route %s\n" % t
        for t in ("export table m2.ipv4 all", "import table m1.ipv4 all", "count export table m2.ipv4")
    ]
    for k in range(300 if SOAK else 30):
        for command in commands:
            c.send(command)
        for _ in range(20):
            nets = rng.sample(NETS, 4)
            if rng.random() < 0.4:
                s.m[1].withdraw(nets)
            else:
                s.m[1].update(nets, [65001, 100 + k], extra=med(rng.randrange(12)))
        for command in commands:
            equal(c.reply()[-1][0], 0, command)
        view.drain()
    c.close()
    s.m[1].update(NETS[:10], [65001, 4242], extra=med(3))
    s.m[1].withdraw(NETS[10:])
    want = set(NETS[:10]) - {NETS[3]}  # m1's filter refuses that one

    def in_table():
        return set(re.findall(r"^(10\.2\.\S+)", s.d.text("show route export table m2.ipv4"), re.M))

    def held():
        view.drain()
        return {net for net in NETS if nlri(net) in view.held()}

    wait_until(
        lambda: in_table() == held() == want, lambda: "in the table %s, held %s, not %s" % (in_table(), held(), want)
    )
    s.stop()


in_namespace()
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
case("commands beside bird2", shown)
case("what is told", told)
case("reloads", reloads)
case("read while it changes", read_meanwhile)
done()
