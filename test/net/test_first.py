# SPDX-License-Identifier: GPL-3.0-or-later
"""test_first tries the daemon as a new user does: errors where they are, warnings in the reply, a port that is taken, a
command or a client too many."""

from harness import *

HEAD = 'router id 10.0.0.1;\nlog "RUN/bird.log" all;\nprotocol device {}\n'
MEMBER = (
    "protocol bgp m1 { local 127.0.10.1 port %d as 65000; neighbor 127.0.11.1 as 65001; strict bind on; passive;"
    " multihop; ipv4 { import all; export all; }; }\n"
)

# (text, line and column of the first error, what it says)
BROKEN = (
    ("define X = 5\n\ndefine Y = 6;", "1:13", "expected ';' at the end of this line"),
    ("hostname \"x\"\nipv4 table b;", "1:10", "expected ';' at the end of this line"),
    ("filter f {\n bgp_med = 5 # no semicolon\n accept; }", "2:13", "expected ';' at the end of this line"),
    ("filter f {\n accept }", "2:9", "unexpected '}', expected ';'"),
    (
        "protocol static { ipv4; route 10.0.0.0/8 blackhole\n route 11.0.0.0/8 blackhole; }",
        "1:51",
        "expected ';' at the end of this line",
    ),
    (
        "protocol bgp a { local as 1; neighbor 1.2.3.4 as 2\n ipv4 { import all; export all; }; }",
        "1:50",
        "expected an address, port, as, internal, external or ';' at the end of this line",
    ),
    ("protocol static { ipv4; route 10.0.0.0/8 blackhole;\n\nprotocol pipe { }", "1:17", "this '{' isn't closed"),
    ("filter f {\n if net.len > 3 then { accept;\n reject; }\n\nfilter g { accept; }", "1:10", "this '{' isn't closed"),
    ("protocol bgp a {\n ipv4 {\n import all; export all;\n };", "1:16", "this '{' isn't closed"),
    ("protocol bgp a {\n ipv4 {\n import all; export all;\n }", "1:16", "this '{' isn't closed"),
)


def places():
    """The first error names the place to mend: `ternd -p` and `configure` say the same."""
    d = Daemon(HEAD).start()
    for text, at, says in BROKEN:
        path = os.path.join(d.dir, "broken.conf")
        with open(path, "w") as f:
            f.write(text + "\n")
        want = "%s:%s %s" % (path, at, says)
        p = subprocess.run([program("ternd"), "-p", "-c", path], stderr=subprocess.PIPE, timeout=20, check=False)
        equal((p.returncode, p.stderr.decode().split("\n")[0]), (1, want), "ternd -p")
        equal(d.run('configure check "%s"' % path)[-1], (8002, want), "configure check")
    equal(d.run("configure")[-1], (3, "Reconfigured"), "and the daemon goes on")
    d.stop()


def warnings():
    """Each is a line of the reply, of `configure` and of `check`, and a line of the log."""
    d = Daemon(HEAD).start()
    d.write(HEAD + 'include "nosuch*.conf";\ninclude "others*.conf";\n')
    for command in "configure check", "configure":
        got = [t for _, t in d.run(command)][1:-1]
        equal([t.split()[:2] for t in got], [["Warning:", "%s:%d:9" % (d.conf, line)] for line in (4, 5)], command)
    wait_until(lambda: len(re.findall("<WARN> %s:[45]:9 " % re.escape(d.conf), d.said())) == 4, d.said)
    d.stop()


def same_neighbor():
    """Of two that want the same peer the first one gets it, as in bird2, and the second one is warned about; not so if
    one of them is disabled, or listens elsewhere."""
    port = free_port()
    m1 = MEMBER % port
    m2 = m1.replace("bgp m1", "bgp m2")
    d = Daemon(HEAD + m1 + m2).start()
    want = (
        "Warning: %s:5:14 protocol m2 has the neighbor and local address of m1: incoming connections go to only"
        " one of the protocols"
        % d.conf
    )
    check((2, want) in d.run("configure check"), repr(d.run("configure check")))
    wait_until(lambda: all(d.sessions()[n][2].startswith("Passive") for n in ("m1", "m2")), "both to wait")
    p = Peer(port, "127.0.11.1", 65001, server="127.0.10.1").establish()
    wait_until(lambda: d.sessions()["m1"][2].startswith("Established"), "the first one to be up")
    check(d.sessions()["m2"][2].startswith("Passive"), "the second one waits")
    for other in (
        m2.replace("passive;", "passive; disabled;"),
        m2.replace("port %d" % port, "port %d" % (port + 1)),
        m2.replace("127.0.11.1", "127.0.11.2"),
        m2.replace("127.0.10.1", "127.0.10.2"),
    ):
        d.write(HEAD + m1 + other)
        check("Warning" not in d.text("configure check"), other)
    p.cease()
    d.stop()
    for _ in range(10):  # whoever's worker is faster
        d = Daemon(HEAD + m1 + m2).start()
        wait_until(lambda: all(d.sessions()[n][2].startswith("Passive") for n in ("m1", "m2")), "both to wait")
        p = Peer(port, "127.0.11.1", 65001, server="127.0.10.1").establish()
        wait_until(lambda: d.sessions()["m1"][2].startswith("Established"), "the first one to be up")
        d.kill()


def port_taken():
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.10.1", 0))
    s.listen()
    d = Daemon(HEAD + MEMBER % s.getsockname()[1]).start()
    why = "Not listening: Address already in use"
    wait_until(lambda: d.sessions()["m1"][2] == "Passive       " + why, lambda: repr(d.sessions()), 5)
    for command in "configure", "configure check":
        check((2, "Warning: protocol m1: " + why) in d.run(command), command)
    d.run("disable m1")
    wait_until(lambda: why not in d.text("show protocols"), "nothing to be said of a disabled one", 5)
    d.run("enable m1")
    wait_until(lambda: why in d.text("show protocols"), "it to be said again", 5)
    s.close()
    wait_until(lambda: d.sessions()["m1"][2].strip() == "Passive", "the port to be had, after 5 s", 10)
    Peer(d_port(d), "127.0.11.1", 65001, server="127.0.10.1").establish()
    d.stop()


def d_port(d):
    return int(re.search(r"port (\d+)", d.read()).group(1))


def too_long():
    """Lines of any length are answered once, and the next command is understood."""
    d = Daemon(HEAD).start()
    c = Cli(d.ctl)
    for length in 4095, 4096, 4097, 8192, 1 << 20:
        c.send("x" * length + "\nshow status\n")
        equal(c.reply(), [(9000, "Command too long, at most 4094 octets")], "%d octets" % length)
        equal(c.reply()[-1], (13, "Daemon is up and running"), "the next command after %d octets" % length)
    equal(c.run("show status" + " " * 4083)[-1][0], 13, "4094 octets")
    c.send("x" * 5000)  # and it goes in the middle of it
    c.close()
    equal(d.run("show status")[-1][0], 13, "others go on")
    d.stop()


def too_many():
    """The 257th client is told why it isn't served; when one has gone, the next one is."""
    d = Daemon(HEAD).start()
    many = [Cli(d.ctl) for _ in range(256)]
    for c in many:
        check(c.banner.startswith("0001 "), c.banner)
    c = Cli(d.ctl)
    equal(c.banner, "8000 Too many clients\n", "one too many")
    check(c.is_closed(), "it is closed")
    many.pop().close()
    wait_until(lambda: Cli(d.ctl).banner.startswith("0001 "), "room for another")
    for c in many:
        c.close()
    d.wait_served()
    d.stop()


case("errors name their places", places)
case("warnings", warnings)
case("two with the same neighbor", same_neighbor)
case("a port that is taken", port_taken)
case("commands that are too long", too_long)
case("more clients than are served", too_many)
done()
