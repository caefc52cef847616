# SPDX-License-Identifier: GPL-3.0-or-later
"""ternshadow with feeds written octet by octet: a table of a live server, its records of sessions, a member's records,
and a router that reports by BMP. `show shadow` has the state of each member; the log has each malformed part."""

from bmp_write import bmp, init, open_of, peer_head, route, up
from harness import *
from mrt_write import index, message_record, net_record, record, state_record
from shadow_daemon import Shadow

if KIND != "ternd":
    cannot_here("this is about ternshadow")

SERVER = ("10.9.0.254", 65000)
NOBODY = "0.0.0.0"
UP, IDLE, CONNECT = 6, 1, 2
CEASE = message(NOTIFICATION, b"\x06\x02")
ROUTE_REFRESH = b"\x02\x00"  # the capability
TWO_OCTETS, BY_LOCAL, WITH_IDS = 1, 7, 9  # kinds of message_record


def conf(more="", cnt=4):
    """Members m1 to m@cnt; m4 has the AS of m3. @more: lines of the first member's channel."""
    text = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
template bgp any { local 10.9.0.254 as 65000; multihop; passive; rs client; graceful restart off;
  error wait time 1, 1; ipv4 { import all; export all; }; }
"""
    for n in range(1, cnt + 1):
        text += "protocol bgp m%d from any { neighbor 10.9.0.%d as %d; %s }\n" % (
            n,
            n,
            as_of(n),
            more if n == 1 else "",
        )
    return text


def as_of(n):
    return 65000 + min(n, 3)


def place(n):
    return ("10.9.0.%d" % n, as_of(n))


def attributes(path, size=4):
    numbers = struct.pack("!BB%d%s" % (len(path), "HI"[size == 4]), 2, len(path), *path)
    return attribute(0x40, 1, b"\0") + attribute(0x40, 2, numbers) + attribute(0x40, 3, b"\x0a\x09\0\x63")


def update(prefixes, path, size=4):
    attrs = attributes(path, size)
    return message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + b"".join(nlri(p) for p in prefixes))


def withdrawal(prefix):
    gone = nlri(prefix)
    return message(UPDATE, struct.pack("!H", len(gone)) + gone + b"\0\0")


END_OF_RIB = message(UPDATE, bytes(4))


def heard(n, *messages, sub=4):
    """Messages of member @n, in the words of the live server."""
    return b"".join(message_record(place(n), SERVER, m, sub) for m in messages)


def told(n, *messages, sub=4):
    """Messages to member @n, in the words of the member: its peer is the live server."""
    return b"".join(message_record(SERVER, place(n), m, sub) for m in messages)


class Row:
    """The line of a member: name, address, state, announces, live sends, here, differ, wait."""

    def __init__(self, line):
        cells = line.split("\t")
        self.name, self.state = cells[0], cells[2]
        self.fed, self.live, self.here = (int(w) for w in re.findall(r"\d+", cells[3]))
        self.differ, self.wait = (int(w) for w in re.findall(r"\d+", cells[4]))


class Fed(Shadow):
    """A shadow of files that grow."""

    def __init__(self, text, **files):
        """@files: the kind of each file, `mrt` or `mrt-out`."""
        super().__init__(text, [])
        self.path = {name: os.path.join(self.dir, name) for name in files}
        self.feeds = ["%s:%s" % (kind.replace("_", "-"), self.path[name]) for name, kind in files.items()]
        for path in self.path.values():
            open(path, "wb").close()

    def put(self, name, octets):
        with open(self.path[name], "ab") as f:
            f.write(octets)

    def members(self):
        return [Row(text) for _, text in self.run("show shadow all") if "\tannounces " in text]

    def member(self, n):
        """The row of member @n, or a row of an unknown member."""
        found = [m for m in self.members() if m.name == "m%d" % n]
        check(len(found) < 2, "rows of m%d: %d" % (n, len(found)))
        return found[0] if found else Row("---\t\tunknown\t0, 0, 0\t0, 0")

    def expect(self, n, **want):
        """Until the row of member @n is as wanted."""

        def so():
            row = self.member(n)
            return all(getattr(row, k) == v for k, v in want.items())

        wait_until(so, lambda: "m%d %s: %s" % (n, want, self.text("show shadow all")))

    def logged(self, text):
        wait_until(lambda: text in self.whole_log(), lambda: "'%s' in the log: %s" % (text, self.said()))


def path_of(d, net, name):
    """The AS paths of member @name's routes of @net."""
    return re.findall(r"BGP\.as_path: *(.*)", d.text("show route %s protocol %s all" % (net, name)))


def table():
    """A table from before policy: its peers are members, whose routes pass the filters; the record of another member
    says what the live server sends."""
    d = Fed(conf(), table="mrt", out="mrt_out").start()
    d.put(
        "table",
        index([place(1), place(2), ("0.0.0.0", 0)])
        + net_record(0, "10.1.0.0/16", [0, 2], attributes([65001]))
        + net_record(1, "10.2.0.0/16", [1], attributes([65002, 64900]))
        + net_record(2, "10.3.0.0/16", [0, 1], attributes([65001])),
    )
    d.put(
        "out",
        told(2, update(["10.1.0.0/16", "10.3.0.0/16"], [65001]), END_OF_RIB)
        # in the words of a member, a table has no peers of the live server
        + index([place(4)]) + net_record(0, "10.4.0.0/16", [0], attributes([65003])),
    )
    d.expect(1, fed=2, here=1, state="not compared: the live server does not report the session")
    d.expect(2, fed=2, live=2, here=2, state="compared", wait=0, differ=0)
    equal(path_of(d, "10.2.0.0/16", "m2"), ["65002 64900"], "the path of the table")
    equal(sorted(m.name for m in d.members()), ["m1", "m2"], "a peer without an AS is the server itself")
    # the next index replaces the first; a net names a peer that the index lacks; a route without readable attributes
    d.put(
        "table",
        index([place(3)])
        + net_record(0, "10.5.0.0/16", [0], attributes([65003]))
        + net_record(1, "10.6.0.0/16", [1], attributes([65003]))
        + net_record(2, "10.7.0.0/16", [0], b"\x40\x01\x05")
        + net_record(3, "10.8.0.0/16", [0], attributes([65003])),
    )
    d.expect(3, fed=2, here=3)
    d.logged("Shadow: %s: attributes can't be read" % d.path["table"])
    check("a record can't be read" not in d.whole_log(), "a table that began before the file is no fault")
    d.stop()


def sessions():
    """The records of the live server about its sessions: a state, a NOTIFICATION, an end without an address."""
    d = Fed(conf(), live="mrt").start()
    # without an OPEN, with 2-octet AS numbers
    d.put("live", heard(1, update(["10.1.0.0/16"], [65001, 64512], 2), sub=TWO_OCTETS))
    d.expect(1, fed=1)
    wait_until(lambda: path_of(d, "10.1.0.0/16", "m1") == ["65001 64512"], lambda: d.text("show route all"))
    # then with path identifiers, for which the session has to agree anew
    d.put("live", heard(1, update([(7, "10.1.1.0/24")], [65001]), sub=WITH_IDS))
    d.expect(1, fed=2)
    d.put("live", heard(2, open_of(65002, 2), update(["10.2.0.0/16"], [65002])))
    d.put("live", heard(3, open_of(65003, 3), update(["10.3.0.0/16"], [65003])))
    d.put("live", heard(4, open_of(65003, 4), update(["10.4.0.0/16"], [65003])))
    for n in (2, 3, 4):
        d.expect(n, fed=1)
    # messages of nobody's, and states that are no end of a session
    d.put("live", message_record((NOBODY, 65002), SERVER, update(["10.9.0.0/16"], [65002])))
    d.put("live", state_record(place(2), SERVER, IDLE, CONNECT))
    # the connection of a member has broken: the record has its AS alone
    d.put("live", state_record((NOBODY, 65002), SERVER, UP, IDLE))
    d.expect(2, fed=0, state="not fed")
    # nobody of this AS is up; two of this AS are up
    d.put("live", state_record((NOBODY, 65002), SERVER, UP, IDLE) + state_record((NOBODY, 65003), SERVER, UP, IDLE))
    d.logged(
        "Shadow: %s: a session of an AS with several sessions has ended, and the record does not name the session"
        % d.path["live"]
    )
    for n in (3, 4):
        equal(d.member(n).fed, 1, "routes of m%d" % n)
    d.put("live", state_record(place(3), SERVER, UP, IDLE))
    d.expect(3, fed=0, state="not fed")
    wait_until(lambda: not path_of(d, "10.3.0.0/16", "m3"), lambda: d.text("show route"))
    d.put("live", heard(4, CEASE))
    d.expect(4, fed=0, state="not fed")
    wait_until(lambda: "Received: Administrative shutdown" in d.text("show protocols all m4"), d.said)
    d.put("live", heard(4, open_of(65003, 4), update(["10.4.0.0/16"], [65003])))
    d.expect(4, fed=1)
    # a second OPEN: the session ended unnoticed, and its routes with it
    d.put("live", heard(4, open_of(65003, 4), update(["10.4.1.0/24", "10.4.2.0/24"], [65003])))
    d.expect(4, fed=2)
    wait_until(lambda: not path_of(d, "10.4.0.0/16", "m4"), lambda: d.text("show route"))
    d.stop()


def member_records():
    """The records of members: the live server's OPEN, NOTIFICATION and the end of the session void what it sent."""
    d = Fed(conf(), live="mrt", out="mrt_out").start()
    d.put("live", heard(1, open_of(65001, 1), update(["10.1.0.0/16"], [65001])))
    d.put("live", heard(2, open_of(65002, 2), END_OF_RIB))
    sent = told(2, update(["10.1.0.0/16", "10.7.0.0/16"], [65001]))
    d.put("out", told(2, update(["10.2.0.0/16"], [65002]), sub=BY_LOCAL) + sent)
    d.expect(2, live=2, here=1, wait=0, differ=1, state="compared")
    equal(d.rows("m2")[0], [("m2", "10.7.0.0/16", "only live", "different input")], "the difference")
    for end_of_session in (
        told(2, CEASE),
        told(2, open_of(65000, 1)),
        state_record(SERVER, place(2), UP, IDLE),
        state_record(SERVER, (NOBODY, 65002), UP, IDLE),
    ):
        d.put("out", end_of_session)
        d.expect(2, live=0, here=1, state="not compared: the live server does not report the session")
        equal(d.rows("m2")[0], [], "differences of a member that is not compared")
        d.put("out", sent)
        d.expect(2, live=2, state="compared")
    d.put("out", told(2, message(KEEPALIVE)) + state_record(SERVER, place(2), CONNECT, IDLE))
    d.put("out", told(2, withdrawal("10.7.0.0/16")))
    d.expect(2, live=1, differ=0, wait=0)
    d.stop()


def several_paths():
    """A member that gets several paths of a net is not compared."""
    d = Fed(conf("ipv4 { import all; export all; add paths tx; };"), live="mrt", out="mrt_out").start()
    takes = struct.pack("!BBHBB", 69, 4, 1, 1, 1)
    d.put("live", heard(1, open_of(65001, 1, takes)))
    d.put("live", heard(2, open_of(65002, 2), update(["10.2.0.0/16"], [65002])))
    d.put("out", told(1, update([(1, "10.2.0.0/16"), (2, "10.2.0.0/16")], [65002]), sub=WITH_IDS))
    d.expect(1, state="not compared: several paths", live=0, here=0)
    check(d.rows()[1].startswith("0 differences of 0 members; 0 of 2 compared"), d.rows()[1])
    wait_until(lambda: "10.2.0.0/16" in d.text("show route export m1"), lambda: d.text("show route export m1"))
    d.stop()


def malformed_files():
    """A record that cannot be read is left out and logged; a file that is no MRT ends with a line in the log."""
    d = Fed(conf(), live="mrt", other="mrt", out="mrt_out").start()
    d.put("live", heard(1, open_of(65001, 1)))
    d.put("live", record(16, 4, b"\0\0"))
    d.logged("Shadow: %s: a record can't be read" % d.path["live"])
    d.put("live", record(16, 99, b"\0\0") + record(99, 4, b"") + heard(1, update(["10.1.0.0/16"], [65001])))
    d.expect(1, fed=1)
    # a message whose length is not the length of the record; an UPDATE that ends within an attribute
    d.put("live", heard(1, update(["10.2.0.0/16"], [65001]) + b"\0"))
    d.put("out", told(1, message(UPDATE, b"\0\0\0\x09\x40\x01\x01")))
    d.logged("Shadow: %s: " % d.path["out"])
    d.put("live", heard(2, message(UPDATE, b"\0\0\0\x09\x40\x01\x01"), open_of(65002, 2)))
    d.put("live", heard(2, update(["10.2.0.0/16"], [65002])))
    d.expect(2, fed=1)
    d.put("other", heard(3, open_of(65003, 3), update(["10.3.0.0/16"], [65003])) + b"no MRT at all: GET / HTTP/1.1\r\n")
    d.logged("Shadow: %s: the file isn't in MRT format; reading ends" % d.path["other"])
    d.put("other", heard(3, withdrawal("10.3.0.0/16")))
    d.put("live", heard(1, withdrawal("10.1.0.0/16")))
    d.expect(1, fed=0)
    d.expect(3, fed=1)
    d.stop()


def refused():
    """The reason for which a member has no session: its AS is another AS, its OPEN is malformed, no instance has its
    address; KEEPALIVEs keep a session up."""
    d = Fed(conf(), live="mrt").start()
    d.put("live", heard(1, open_of(65011, 1)))
    wait_until(lambda: d.member(1).state.startswith("no session: "), lambda: d.text("show shadow"))
    check("Bad peer AS" in d.member(1).state, d.member(1).state)
    d.put("live", heard(1, open_of(65001, 1, ROUTE_REFRESH), update(["10.1.0.0/16"], [65001])))
    d.expect(1, fed=1, state="not compared: the live server does not report the session")
    d.put("live", heard(2, message(OPEN, b"\4")))
    wait_until(lambda: d.member(2).state.startswith("no session"), lambda: d.text("show shadow"))
    d.put("live", message_record(("10.9.0.77", 65077), SERVER, update(["10.77.0.0/16"], [65077])))
    wait_until(
        lambda: "---\t10.9.0.77 AS65077\tno session\tannounces 1," in d.text("show shadow"),
        lambda: d.text("show shadow"),
    )
    equal(d.code("reload in m1"), 0, "reload in")
    wait_until(lambda: d.counters("m1")[0] == 2, lambda: "the route again: %s" % d.counters("m1"))
    # a session without hold time, and a session whose hold time is 90 s
    d.put("live", heard(3, open_of(65003, 3, hold=0), update(["10.3.0.0/16"], [65003])))
    d.expect(3, fed=1)
    since = {n: d.sessions()["m%d" % n][1] for n in (1, 3)}
    stays(lambda: {n: d.sessions()["m%d" % n][1] for n in (1, 3)} == since, "sessions past their hold time", 200, 20)
    equal((d.member(1).here, d.member(3).here), (1, 1), "routes past the hold time")
    d.stop()


def many_differences():
    """A report lists 10,000 differences, and has the number of all."""
    d = Fed(conf(), live="mrt", out="mrt_out").start()
    nets = ["20.%d.%d.%d/26" % (i >> 10, i >> 2 & 255, i % 4 * 64) for i in range(12000)]
    d.put("out", told(2, END_OF_RIB))
    d.put("live", heard(2, open_of(65002, 2)) + heard(1, open_of(65001, 1)))
    d.put("live", heard(1, *[update(nets[i : i + 500], [65001]) for i in range(0, len(nets), 500)]))
    d.expect(2, here=len(nets), live=0, differ=len(nets), wait=0)
    said = d.run("show shadow m2")
    equal(len([text for _, text in said if "\tonly here\t" in text]), 10000, "listed differences")
    check("2000 more aren't listed" in [text for _, text in said], "the last lines: %s" % said[-3:])
    check(said[-1][1].startswith("12000 differences of 1 member; 1 of 1 compared"), said[-1][1])
    d.stop()


def no_feeds():
    """Feeds that are none end the program with their text; an address of a feed may be IPv6."""
    for feed in ("bmp:0", "bmp:65536", "bmp:x", "bmp:1.2.3:179", "bmp:[::g]:179", "bmp:%s:179" % ("1" * 80), "mrt"):
        d = Fed(conf())
        d.feeds = [feed]
        d.start(wait=False)
        equal(d.proc.wait(20), 1, "exit status with " + feed)
        check("--shadow " + feed in d.said(), "%s: %s" % (feed, d.said()))
    port = free_port()
    d = Fed(conf())
    d.feeds = ["bmp:%d" % port, "bmp:[2001:db8::77]:%d" % port]
    d.start()
    d.logged("Shadow: can't listen at 2001:db8::77 port %d: " % port)
    join(port).close()
    d.logged("Shadow: a live server at 127.0.0.1 reports")
    d.stop()


def by_bmp():
    """Members by BMP: the reasons, NOTIFICATIONs, malformed parts, and peers that are none."""
    port = free_port()
    d = Fed(conf())
    d.feeds = ["bmp:127.0.0.1:%d" % port]
    d.start()
    here = SERVER[0]
    s = join(port)
    s.sendall(init(b"live") + up(1, here) + up(2, here) + up(3, here) + route(1, ["10.1.0.0/16"]))
    s.sendall(route(2, ["10.1.0.0/16"], 0x50) + bmp(0, peer_head(2, flags=0x50) + END_OF_RIB))
    d.logged("Shadow: a live server at 127.0.0.1 reports")
    d.expect(1, fed=1)
    d.expect(2, fed=0, live=1, here=1)
    # a Loc-RIB, a Peer Up whose OPEN cannot be read, routes after policy and of a peer that is not up
    s.sendall(up(4, here, received=message(OPEN, b"\4")) + up(4, here, kind=3))
    s.sendall(route(1, ["10.11.0.0/16"], 0x40) + route(4, ["10.12.0.0/16"]) + route(1, ["10.13.0.0/16"]))
    d.expect(1, fed=2)
    equal(d.member(4).state, "unknown", "m4, which never came up")
    # an UPDATE that is none, and an UPDATE that ends within an attribute
    s.sendall(bmp(0, peer_head(1) + message(KEEPALIVE)))
    d.logged("Shadow: 10.9.0.1: the message holds no UPDATE")
    passes(10)  # a feed has one line in 10 s
    s.sendall(bmp(0, peer_head(2) + message(UPDATE, b"\0\0\0\x09\x40\x01\x01")))
    d.logged("Shadow: 10.9.0.2: ")
    # a member leaves with a NOTIFICATION; another one leaves without
    s.sendall(bmp(2, peer_head(1) + b"\3" + CEASE))
    d.expect(1, fed=0, state="not fed")
    wait_until(lambda: "Received: Administrative shutdown" in d.text("show protocols all m1"), d.said)
    s.sendall(bmp(2, peer_head(3) + b"\4"))
    d.expect(3, state="not fed")
    s.close()
    d.logged("the live server is gone: connection closed")
    d.expect(2, fed=0, live=0, state="not fed")
    s = join(port)
    s.sendall(init(b"live") + up(1, here) + route(1, ["10.1.0.0/16"]))
    d.expect(1, fed=1)
    s.sendall(bmp(5, struct.pack("!HHH", 1, 2, 0)))
    d.logged("the live server is gone: the sender has ended the connection")
    d.stop()


def join(port):
    s = socket.socket()
    s.connect(("127.0.0.1", port))
    return s


def strangers():
    """Strangers that reach the port do not fill the log; a port that another program has is named."""
    port = free_port()
    d = Fed(conf())
    d.feeds = ["bmp:127.0.0.1:%d" % port]
    d.start()
    for _ in range(150):
        s = join(port)
        s.sendall(b"GET / HTTP/1.1\r\n\r\n")
        s.settimeout(60)
        try:
            equal(s.recv(1), b"", "octets for a stranger")
        except ConnectionResetError:
            pass
        s.close()
    d.logged("the live server is gone: the version of BMP isn't 3")
    passes(60)  # the log has 100 lines about connections in this time
    s = join(port)
    s.sendall(init(b"live") + up(1, SERVER[0]) + route(1, ["10.1.0.0/16"]))
    d.expect(1, fed=1)

    def lines():
        """Of connections: logged, left out."""
        log = d.whole_log()
        logged = re.findall(r"a live server at \S+ reports|the live server is gone", log)
        left_out = re.findall(r"Shadow: (\d+) more lines? about connections not logged", log)
        return len(logged), [int(n) for n in left_out]

    wait_until(lambda: sum(lines()[1]) == 2 * 150 + 1 - lines()[0], lambda: "lines of 301: %s %s" % lines())
    check(lines()[0] <= 101, "lines about strangers: %d" % lines()[0])
    equal(len(lines()[1]), 1, "lines about lines that were left out")
    second = Fed(conf())
    second.feeds = ["bmp:127.0.0.1:%d" % port]
    second.start()
    second.logged("Shadow: can't listen at 127.0.0.1 port %d: " % port)
    second.stop()
    d.stop()


case("a table", table)
case("records of sessions", sessions)
case("records of members", member_records)
case("several paths", several_paths)
case("malformed files", malformed_files)
case("members without a session", refused)
case("many differences", many_differences)
case("feeds that are none", no_feeds)
case("by BMP", by_bmp)
case("strangers", strangers)
done()
