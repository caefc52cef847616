# SPDX-License-Identifier: GPL-3.0-or-later
"""test_plan checks that `configure check` and `configure` print the same plan, and that `configure` closes the sessions
of the plan and no other session."""

from harness import *

CNT = 6
HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
ipv4 table extra;
filter f_in { if net.len > 24 then reject; accept; }
protocol static s1 { ipv4; route 10.1.0.0/16 blackhole; }
"""
MEMBER = """protocol bgp m%d { local 127.0.10.1 port %d as 65000; neighbor 127.0.11.%d as %d; strict bind on; passive; \
multihop;
 rs client; hold time 90; description "first"; ipv4 { import limit 100; import filter f_in; export all; }; }
"""

# (what is replaced in a member, by what, how the plan says it, does its session close?)
EDITS = (
    ('"first"', '"second"', "changed: description", False),
    ("import limit 100", "import limit 200", "changed: ipv4 import limit", False),
    ("import filter f_in", "import all", "refiltered: ipv4 import", False),
    ("export all", "export none", "refiltered: ipv4 export", False),
    ("hold time 90", "hold time 30", "its session ends: hold time; changed: hold time", True),
    ("hold time 90", "hold time 180", "changed: hold time", False),
    ("rs client; ", "", "restarts: rs client", True),
    ("import limit 100;", "import limit 100; import table on;", "restarts: ipv4 import table", True),
    (
        "passive;",
        "passive; graceful restart on;",
        "changed: graceful restart; graceful restart takes effect in the next session: `restart m3`",
        False,
    ),
    ("passive;", "passive; disabled;", "disabled", True),
    (None, None, "removed", True),
)


class Rs:
    def __init__(self):
        self.port = free_port()
        self.conf = {n: MEMBER % (n, self.port, n, 65000 + n) for n in range(1, CNT + 1)}
        self.d = Daemon(self.text()).start()
        self.peer = {}
        self.all_up()

    def text(self, more=""):
        return HEAD + "".join(self.conf.values()) + more

    def all_up(self):
        for n in self.conf:
            if n not in self.peer or not self.is_up(n):
                self.peer[n] = member(self.port, n)
        self.d.wait_established(len(self.conf))

    def is_up(self, n):
        """By the peer's end of the connection: closing it is what a member notices."""
        p = self.peer[n]
        p.s.setblocking(False)
        try:
            while not getattr(p, "told_to_go", False):
                got = p.s.recv(65536)
                if (
                    not got
                    or b"\xff" * 16 in got
                    and 3 in [got[k + 18] for k in range(len(got) - 18) if got[k : k + 16] == b"\xff" * 16]
                ):
                    p.told_to_go = True
        except BlockingIOError:
            return True
        except OSError:
            p.told_to_go = True
        return False

    def lines(self, command):
        reply = self.d.run(command)
        check(reply[-1][0] in (3, 4, 20), "%s: %r" % (command, reply[-1]))
        return [t for code, t in reply if code == 2][1:]


def one_by_one():
    for old, new, says, closes in EDITS:
        rs = Rs()
        if old:
            check(old in rs.conf[3], old)
            rs.conf[3] = rs.conf[3].replace(old, new)
        else:
            del rs.conf[3]
        rs.d.write(rs.text())
        want = ["%d session%s will close" % (closes, "" if closes else "s"), "protocol m3: " + says]
        equal(rs.lines("configure check"), want, "check")
        equal(rs.lines("configure"), want, "configure")
        wait_until(lambda: rs.is_up(3) != closes, "m3, %s" % says)
        check(all(rs.is_up(n) for n in rs.conf if n != 3), "others, %s" % says)
        wait_until(lambda: rs.lines("configure check") == [], "nothing to be left to do")
        if "graceful" in says:
            told = [text for code, text in rs.d.run("graceful restart check")]
            check(any(t.startswith("m3 keeps no routes: graceful restart is on since") for t in told), told)
            check("m4 keeps no routes: graceful restart is not on" in told, told)
            equal(told[-1], "Neighbors that keep no routes: %d" % CNT, "last line")
        stays(
            lambda: [n for n in rs.peer if not rs.is_up(n)] == ([3] if closes else []), "who was closed: " + says, 0.2
        )
        rs.d.kill()


def texts():
    """A changed function: the plan names the function and the filter that calls it, with the included file. Lines that
    only move change nothing."""
    rs = Rs()
    body = "function is_long() -> bool {\n\treturn net.len > %d;\n}\n"
    head = HEAD.replace(
        "filter f_in { if net.len > 24 then", 'include "RUN/texts.conf";\nfilter f_in {\n if is_long() then'
    )
    d = rs.d
    for text, want in (
        (body % 24, None),
        ("\n\n" + body % 24, []),
        (
            "\n\n\n" + body % 25,
            [
                "0 sessions will close",
                "function is_long: changed, %s/texts.conf:4" % d.dir,
                "filter f_in: changed, %s:6" % d.conf,
            ]
            + ["protocol m%d: refiltered: ipv4 import" % n for n in range(1, CNT + 1)],
        ),
    ):
        with open(d.dir + "/texts.conf", "w") as f:
            f.write(text)
        d.write(head + "".join(rs.conf.values()))
        if want is not None:
            equal(rs.lines("configure check"), want, "check")
        rs.lines("configure")
    where = d.text("show filter is_long")
    check("defined in:   %s/texts.conf, line 4" % d.dir in where, where)
    inner = "\n" * 70000 + "\tif net.len = 16 then\n\t\treject \"inner\";\n"
    with open(d.dir + "/inner.conf", "w") as f:
        f.write(inner)
    d.write(
        rs.text().replace(
            "protocol static s1 { ipv4;",
            'filter f_inner {\n include "RUN/inner.conf";\n reject "outer";\n}\n'
            "protocol static s1 { ipv4 { import filter f_inner; }; route 10.2.0.0/15 blackhole;",
        )
    )
    rs.lines("configure")
    wait_until(lambda: "inner" in d.text("show route why 10.1.0.0/16"), "the refused route")
    for net, place in (("10.1.0.0/16", d.dir + "/inner.conf:70002: inner"), ("10.2.0.0/15", d.conf + ":8: outer")):
        said = d.text("show route why " + net)
        check("s1: refused by filter f_inner at " + place in said, said)
    said = d.text("show filter f_inner")
    check("defined in:   %s, line 6" % d.conf in said, said)
    many = "".join("filter g%d { if net.len > %%d then reject; accept; }\n" % n for n in range(30))
    d.write(rs.text(many.replace("%d then", "20 then")))
    rs.lines("configure")
    d.write(rs.text(many.replace("%d then", "21 then")))
    told = rs.lines("configure check")
    equal(len(told), 22, "lines: %r" % told)
    equal(told[-1], "functions and filters: 10 more", "last line")
    d.kill()


def other_objects():
    rs = Rs()
    more = 'cli "RUN/ro.ctl" { restrict; };\n'
    rs.d.write(
        rs.text(more).replace("table extra", "table other").replace("route 10.1", "route 10.2")
        + MEMBER % (9, rs.port, 9, 65009)
    )
    want = [
        "0 sessions will close",
        "table extra: removed",
        "table other: added",
        "protocol s1: changed: routes",
        "protocol m9: added",
        "control socket %s/ro.ctl: added" % rs.d.dir,
    ]
    equal(rs.lines("configure check"), want, "check")
    check(not os.path.exists(rs.d.dir + "/ro.ctl"), "check makes nothing")
    equal(rs.lines("configure"), want, "configure")
    check(os.path.exists(rs.d.dir + "/ro.ctl"), "configure does")
    rs.d.write(rs.text(more.replace("restrict;", "")))
    got = rs.lines("configure check")
    for line in ("control socket %s/ro.ctl: unrestricted" % rs.d.dir, "protocol m9: removed", "table extra: added"):
        check(line in got, "%r in %r" % (line, got))
    rs.d.run("disable m2")
    check("protocol m2: revived" in rs.lines("configure check"), "who is revived")
    check("protocol m2: revived" in rs.lines("configure"), "who is revived")
    rs.d.stop()


def leading():
    """What the manual says of the first and of the last protocol that leads packets in a table where next hops are
    looked up."""
    direct, static = (
        "protocol direct dd { ipv4; }\n",
        "protocol static st { ipv4; route 10.99.0.0/16 via 10.97.0.2; }\n",
    )
    rs = Rs()
    for more, closes in (
        (direct, True),
        (direct + static, False),
        (static, False),
        ("", True),
        (static.replace("via 10.97.0.2", "blackhole"), False),
    ):
        rs.d.write(rs.text(more))
        for command in "configure check", "configure":
            got = rs.lines(command)
            equal(got[0], "%d sessions will close" % (CNT if closes else 0), "%s: %s: %r" % (more, command, got))
            equal(
                [n for n in rs.conf if "protocol m%d: restarts: routes" % n in got],
                list(rs.conf) if closes else [],
                "%s: who restarts" % more,
            )
        wait_until(lambda: rs.lines("configure check") == [], "nothing to be left to do")
        for n in rs.conf:
            wait_until(lambda: rs.is_up(n) != closes, "m%d, %r" % (n, more), 5)
        rs.all_up()
    rs.d.stop()


def table_options():
    d = Daemon(HEAD + "roa4 table r4;").start()
    for options, says in (
        ("debug all;", "debug"),
        ("debug all; rpki wait 5;", "rpki wait"),
        ("rpki wait 7; digest settle time 1 s 30 s;", "debug, digest settle time, rpki wait"),
        ("rpki wait 7; digest settle time 1 s 20 s;", "digest settle time"),
        ("", "digest settle time, rpki wait"),
    ):
        d.write(HEAD + "roa4 table r4 { %s };" % options)
        want = ["0 sessions will close", "table r4: changed: " + says]
        for command in "configure check", "configure":
            equal([t for code, t in d.run(command) if code == 2][1:], want, command)
    d.stop()


def soft():
    rs = Rs()
    rs.conf[1] = rs.conf[1].replace("export all", "export none")
    rs.d.write(rs.text())
    want = ["0 sessions will close", "protocol m1: filters from now on: ipv4 export"]
    equal(rs.lines("configure check soft"), want, "check soft")
    equal(rs.lines("configure soft"), want, "soft")
    rs.d.stop()


def random_ones():
    """Any edits at once: the plan of `configure` is that of `check` before, and as many sessions close as it says."""
    r = random.Random(SEED)
    rs = Rs()
    plain = dict(rs.conf)
    for turn in range(8):
        rs.conf = dict(plain)
        for n in r.sample(sorted(plain), r.randint(1, CNT)):
            for old, new, _, _ in r.sample(EDITS[:-2], r.randint(1, 3)):
                rs.conf[n] = rs.conf[n].replace(old, new)
        rs.d.write(rs.text())
        before = rs.lines("configure check")
        equal(rs.lines("configure"), before, "turn %d" % turn)
        if before:
            cnt = int(before[0].split()[0])
            wait_until(
                lambda: sum(not rs.is_up(n) for n in rs.conf) == cnt,
                lambda: "%d are down: %s" % (sum(not rs.is_up(n) for n in rs.conf), before),
            )
            stays(lambda: sum(not rs.is_up(n) for n in rs.conf) == cnt, "down a little later: %s" % before, 0.3)
        rs.all_up()
    rs.d.stop()


case("each change alone", one_by_one)
case("tables, sockets, other protocols", other_objects)
case("the first and the last protocol that leads packets", leading)
case("texts of functions and filters", texts)
case("options of tables", table_options)
case("configure soft", soft)
case("several at once", random_ones)
done()
