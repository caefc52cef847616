# SPDX-License-Identifier: GPL-3.0-or-later
"""The control socket: its framing to the octet, the layout of every `show`, reply codes, and what
tools that read it rely on. Where bird2 is there, the same things are asked of it, and what is
not time or number must be the same text."""

from harness import *

import threading

CLIENTS = 3
PORT = free_port()
OPTIONS = load_options(PORT, CLIENTS, nets=300, ratio=2)


# Lines of ours that bird2 has not, and the other way round.
EXTRA = (
    r"tern \d|    (Down at|Dirty networks|Last sent|Sent early|Segments read|Decisions made|Messages built|Messages"
    r" sent):"
)
NEWER = ["    Send hold timer:  T/T"]  # what 2.0 doesn't say yet


def conf(port, more="", kind=KIND):
    if kind != "bird2":
        more += 'cli "RUN/ro.ctl" { restrict; v2 attributes; };\n'
    text = load_conf(["--port", str(port)] + OPTIONS[2:])
    text = "timeformat base iso long ms;\ntimeformat route iso long ms;\n" + text
    return (
        text.replace(
            "export all; next hop keep;", "import keep filtered; export where source = RTS_BGP; next hop keep;"
        )
        + more
    )


# --- Framing ---


def test_banner():
    for _ in range(20):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(5)
        s.connect(D.ctl)
        first = s.recv(4096)
        check(re.fullmatch(rb"0001 BIRD [0-9.]+ ready\.\n", first), "banner in one piece: %r" % first)
        s.close()


def test_pieces():
    """Commands in pieces, several in one, with odd blanks, CR LF, comments."""
    c = Cli(D.ctl)
    for ch in "show status\n":
        c.send(ch)
        spread(0.005)
    equal(c.reply()[-1][0], 13, "a command in 12 pieces")
    c.send("show status\nshow protocols\nshow memory\nshow status\n")
    firsts = [c.reply()[0][0] for _ in range(4)]
    equal(firsts, [1000, 2002, 1018, 1000], "four commands at once, answered in order")
    equal(c.run("  show    status\r")[-1][0], 13, "blanks and CR")
    equal(c.run("show status # and more")[-1][0], 13, "a comment")
    equal(c.run("")[-1][0], 9001, "an empty line")
    equal(c.run("SHOW STATUS")[-1][0], 9001, "upper case")
    equal(c.run("sh st")[-1][0], 9001, "an abbreviation")
    equal(c.run("show nosuch")[-1][0], 9001, "an unknown command")
    equal(c.run("show status x")[-1][0], 9001, "a word too many")
    equal(c.run("show status")[-1][0], 13, "and it goes on")
    c.close()


def raw_reply(command):
    c = Cli(D.ctl)
    c.send(command + "\n")
    lines = []
    while True:
        line = c.line()
        check(line is not None, "closed")
        lines.append(line)
        if re.match(r"\d{4} ", line):
            c.close()
            return lines


def test_framing():
    for command in (
        "show status",
        "show protocols",
        "show protocols all",
        "show route",
        "show route all",
        "show route count",
        "show symbols",
        "show memory",
        "show route for 11.0.0.0/8 all",
    ):
        code = None
        for line in raw_reply(command):
            check(len(line) + 1 <= 512, "%s: a line of %d octets" % (command, len(line) + 1))
            if line.startswith(" "):
                check(code is not None, "%s: a line without a code at the start" % command)
                continue
            check(re.match(r"\d{4}[- ]", line), "%s: %r" % (command, line))
            check(line[4] == " " or int(line[:4]) != code, "%s: code %s given twice" % (command, line[:4]))
            code = int(line[:4])


def test_whole_lines():
    """Each write holds whole lines of at most 4096 octets: readers look at chunks."""
    c = Cli(D.ctl)
    c.send("show route all\n")
    # A stream socket joins writes; a fast reader sees most of them as they were.
    sizes, joined = [], b""
    while not re.search(rb"(^|\n)\d{4} [^\n]*\n$", joined):
        d = c.s.recv(1 << 20)
        check(d, "closed")
        sizes.append(len(d))
        joined = (joined + d)[-5000:]
        check(d.endswith(b"\n") or len(d) == 1 << 20, "a chunk ends within a line")
    c.close()


def test_overlong():
    """A command that is too long ends the session, or is refused; nobody else notices."""
    c = Cli(D.ctl)
    try:
        c.send("show route where " + "x" * 10000 + "\n")
        line = c.line(5)
        check(line is None or line.startswith("9"), "reply to 10 kB: %r" % line)
    except ConnectionError:
        pass
    c.close()
    c = Cli(D.ctl)
    equal(c.run("show status")[-1][0], 13, "others go on")
    equal(c.run("show status #" + "x" * ((4094 if KIND != "bird2" else 900) - 13))[-1][0], 13, "a long command")
    c.close()


def test_client_words():
    """help, quit and exit are the client's words; who sends them all the same is not left waiting."""
    if KIND == "bird2":
        return
    for word in ("help", "quit", "exit"):
        c = Cli(D.ctl)
        c.send(word + "\n")
        line = c.line(5)
        check(line is None or re.match(r"\d{4}[ -]", line), "%s: %r" % (word, line))
        c.close()


def test_restrict():
    c = Cli(D.ctl)
    reply = c.run("restrict")
    equal(reply[-1], (16, "Access restricted"), "restrict")
    for command in (
        "configure",
        "configure check",
        "configure soft",
        "down",
        "enable p0",
        "disable p0",
        "restart p0",
        "reload p0",
        "disable all",
    ):
        equal(c.run(command)[-1], (8007, "Access denied"), command)
    for command in ("show status", "show protocols all", "show route", "show symbols", "show memory"):
        check(c.run(command)[-1][0] < 8000, "%s is refused" % command)
    c.close()
    check(all(s[2].startswith("Established") for s in D.sessions().values()), "a session moved")


def test_disconnect():
    """Clients that go in the middle of a reply, many at a time."""
    before = D.stats()
    for i in range(60):
        c = Cli(D.ctl)
        c.send("show route all\n" * 3)
        if i % 2:
            c.s.recv(100)
        c.close()
    many = [Cli(D.ctl) for _ in range(50)]
    for c in many:
        c.send("show route count\n")
    for c in many:
        check(c.reply()[-1][0] in (0, 14), "one of 50 clients")
        c.close()
    wait_until(lambda: D.stats()["fds"] <= before["fds"], "descriptors to be closed")
    wait_until(lambda: D.stats()["threads"] <= before["threads"], "threads to end")


# --- Layouts ---


def test_status():
    text = D.run("show status")
    codes = [c for c, _ in text]
    equal(codes[0], 1000, "code of the version")
    equal(set(codes[1:-1]), {1011}, "codes of the rest")
    equal(codes[-1], 13, "code of the last line")
    lines = [t for _, t in text]
    check(re.fullmatch(r"BIRD [0-9.]+", lines[0]), lines[0])
    equal(lines[1], "Router ID is 10.0.0.1", "router id")
    check(re.match(r"Hostname is \S+", lines[2]), lines[2])
    when = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?"
    for want in ("Current server time is ", "Last reboot on ", "Last reconfiguration on "):
        check(any(re.fullmatch(re.escape(want) + when, t) for t in lines), "no line '%s'" % want)
    equal(lines[-1], "Daemon is up and running", "last line")


def test_protocols():
    text = D.run("show protocols")
    equal(text[0], (2002, "Name       Proto      Table      State  Since         Info"), "heading")
    rows = text[1:-1]
    check(all(c == 1002 for c, _ in rows), "codes of rows")
    equal(text[-1], (0, ""), "end")
    when = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}"
    check(
        any(re.fullmatch(r"p0         BGP        ---        up     %s  Established   " % when, t) for _, t in rows),
        "row of a session: %r" % rows,
    )
    check(
        any(re.fullmatch(r"device1    Device     ---        up     %s  " % when, t) for _, t in rows),
        "row of device: %r" % rows,
    )
    equal(len(D.run("show protocols p1")), 3, "one by name")
    equal(len(D.run('show protocols "p*"')), 2 + CLIENTS, "by pattern")
    equal(D.run('show protocols "nosuch*"')[-1], (8003, "No protocols match"), "none by pattern")
    equal(D.run("show protocols nosuch")[-1][0], 9001, "unknown name")


def shape(line):
    """A line with what differs between runs taken out."""
    line = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?", "TIME", line)
    line = re.sub(r"\d+\.\d{3}/\d+", "T/T", line)
    line = re.sub(r"^BIRD \d+\.\d+(\.\d+)?$", "BIRD VERSION", line)
    line = re.sub(r"\b\d+(\.\d+)? ( B|kB|MB)\b", "SIZE", line)
    return re.sub(r" +SIZE", " SIZE", line)


def test_protocols_all():
    text = D.run("show protocols all p0")
    lines = [t for _, t in text]
    equal([c for c, _ in text][:2], [2002, 1002], "codes")
    check(all(c == 1006 for c, _ in text[2:-1]), "codes of details")
    equal(lines[-2], "", "a blank line ends each protocol")
    for want in (
        r"  BGP state:          Established",
        r"    Neighbor address: 127\.0\.1\.1",
        r"    Neighbor AS:      100000",
        r"    Local AS:         65000",
        r"    Neighbor ID:      [0-9.]+",
        r"    Local capabilities",
        r"    Neighbor capabilities",
        r"    Session:          external multihop route-server AS4",
        r"    Source address:   127\.0\.0\.1",
        r"    Hold timer:       [0-9.]+/180",
        r"    Keepalive timer:  [0-9.]+/60",
        r"    Send hold timer:  [0-9.]+/360",
        r"  Channel ipv4",
        r"    State:          UP",
        r"    Table:          master4",
        r"    Preference:     100",
        r"    Input filter:   f_in",
        r"    Output filter:  \(unnamed\)",
        r"    Routes:         \d+ imported, \d+ filtered, \d+ exported, \d+ preferred",
        r"    Route change stats:     received   rejected   filtered    ignored   accepted",
        r"      Import updates:   ( +\d+){5}",
        r"      Import withdraws: ( +\d+){2} +---( +\d+){2}",
        r"      Export updates:   ( +\d+){3} +---( +\d+)",
        r"      Export withdraws: +\d+( +---){3} +\d+",
        r"    BGP Next hop:   127\.0\.0\.1",
    ):
        check(any(re.fullmatch(want, t) for t in lines), "no line like %r in\n%s" % (want, "\n".join(lines)))
    rows = [t for c, t in D.run("show protocols all") if c == 1002]
    equal(len(rows), len(D.run("show protocols")) - 2, "rows of all")


def test_route():
    text = D.run("show route")
    equal(text[0], (1007, "Table master4:"), "title")
    equal(text[-1], (0, ""), "end")
    when = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}"
    row = (
        r"([0-9./]+ *|  +)(unicast|blackhole|unreachable|prohibited) \[\w+ "
        + when
        + r"( from [0-9.]+)?\]( \*)? \(\d+(/\S+)?\)( \[(AS\d+)?[ie?]\])?"
    )
    rows = [t for c, t in text[1:-1] if t]
    for t in rows:
        check(re.fullmatch(row, t) or t.startswith("\tvia ") or t == "Table master6:", "a route line: %r" % t)
        check(len(t.split(" ")[0]) >= 20 or t[20] == " ", "columns: %r" % t)
    # The best comes first, and only it has the star.
    nets = {}
    net = None
    for t in rows:
        if re.match(r"\d", t):
            net = t.split()[0]
        if re.match(r"[\d ]", t):
            nets.setdefault(net, []).append(" * " in t)
    check(all(v[0] and not any(v[1:]) for v in nets.values()), "stars are wrong")
    routes, cnt = D.routes()
    equal((sum(len(v) for v in nets.values()), len(nets)), (routes, cnt), "rows and the count")


def first_net(least=2):
    """A net with several routes."""
    net, n = None, 0
    for _, t in D.run("show route table master4"):
        if re.match(r"\d+\.\d", t):
            net, n = t.split()[0], 1
        elif t.startswith("   "):
            n += 1
            if n >= least:
                return net
    raise Failed("no net with %d routes" % least)


def test_route_all():
    net = first_net()
    reply = D.run("show route %s all" % net)
    text = [t for _, t in reply]
    equal(reply[2], (1008, "\tType: BGP univ"), "type")
    check(reply[3][0] == 1012, "code of attributes")
    for want in (
        r"\tBGP\.origin: (IGP|EGP|Incomplete)",
        r"\tBGP\.as_path: [0-9{} ]+",
        r"\tBGP\.next_hop: [0-9.]+",
        r"\tBGP\.local_pref: \d+",
    ):
        check(any(re.fullmatch(want, t) for t in text), "no %r in %r" % (want, text))
    everything = "\n".join(t for _, t in D.run("show route all"))
    for want in (
        r"\tBGP\.med: \d+\n",
        r"\tBGP\.community: (\(\d+,\d+\) ?)+\n",
        r"\tBGP\.large_community: (\(\d+, \d+, \d+\) ?)+\n",
    ):
        check(re.search(want, everything), "no %r" % want)


def test_route_options():
    net = first_net()
    inside = net.split("/")[0]
    equal(D.run("show route for %s" % inside)[1][1].split()[0], net, "for an address")
    equal(D.run("show route for %s" % net)[1][1].split()[0], net, "for a prefix")
    equal(D.run("show route 1.2.3.4/32")[-1], (8001, "Network not found"), "no such prefix")
    equal(D.run("show route for 240.0.0.1")[-1], (8001, "Network not found"), "no route for it")
    equal(D.run("show route table nosuch")[-1][0], 9001, "unknown table")
    equal(D.run("show route protocol nosuch")[-1][0], 9001, "unknown protocol")
    equal(len(D.run("show route primary %s" % net)), 3, "primary")
    count = D.text("show route count").split("\n")
    check(re.fullmatch(r"\d+ of \d+ routes for \d+ networks in table master4", count[0]), repr(count))
    check(re.fullmatch(r"Total: \d+ of \d+ routes for \d+ networks in \d+ tables", count[-1]), repr(count))
    equal(D.code("show route count"), 14, "code of the total")
    reply = D.run("show route table master4 count")
    equal((reply[0][0], reply[-1]), (1007, (0, "")), "count of one table")
    total = int(count[0].split()[2])
    by_source = sum(
        int(D.text("show route protocol %s table master4 count" % p).split()[0])
        for p in ["p%d" % i for i in range(CLIENTS)]
    )
    equal(by_source, total, "routes by protocol")
    nets = int(re.search(r"for (\d+) net", count[0]).group(1))
    equal(int(D.text("show route table master4 primary count").split()[0]), nets, "primary count")
    long = int(D.text("show route table master4 where net.len > 20 count").split()[0])
    short = int(D.text("show route table master4 count where net.len <= 20").split()[0])
    equal(long + short, total, "where, before and after other options")
    equal(
        int(D.text("show route table master4 filter { if net.len > 20 then accept; reject; } count").split()[0]),
        long,
        "filter { }",
    )
    equal(int(D.text("show route table master4 where net.type = NET_IP4 count").split()[0]), total, "net.type")
    equal(D.code("show route where nonsense"), 9001, "a broken condition")


def test_route_export():
    exported = int(D.text("show route table master4 export p0 count").split()[0])
    counters = re.search(r"(\d+) exported", D.text("show protocols all p0")).group(1)
    own = int(D.text("show route table master4 primary protocol p0 count").split()[0])
    nets = int(D.text("show route table master4 primary count").split()[0])
    equal(exported, int(counters), "exported, by the list and by the counter")
    check(exported <= nets - own, "exported: %d of %d nets, %d its own" % (exported, nets, own))
    text = D.run("show route noexport p0")
    check(text[-1][0] < 8000, "noexport: %r" % text[-1:])


def test_filtered():
    counts = re.findall(r"(\d+) imported, (\d+) filtered", D.text("show protocols all p0"))
    shown = int(D.text("show route table master4 filtered protocol p0 count").split()[0])
    equal(shown, int(counts[0][1]), "filtered routes")


def test_symbols():
    got = dict((t.split("\t")[0].strip(), t.split("\t")[1]) for c, t in D.run("show symbols") if c == 1010)
    for name, what in (
        ("p0", "protocol"),
        ("rsc", "protocol template"),
        ("f_in", "filter"),
        ("master4", "routing table"),
    ):
        equal(got.get(name), what, "symbol " + name)
    equal(D.run("show symbols p0"), [(1010, "p0      \tprotocol")], "one symbol")


def test_filter():
    """What is known of filters is told by a command of its own, so that what tools read stays as it is."""
    if KIND != "ternd":
        return
    got = D.run("show filter f_in")
    equal(got[0], (1010, "f_in    \tfilter"), "its first line")
    text = "\n".join(t for _, t in got)
    for want in (
        "\treads:        .+",
        "\twrites:       .+",
        "\tanswer holds: for .+",
        "\tused by:      [1-9][0-9]* imports",
    ):
        check(re.search("^" + want, text, re.M), "no line like %r in %s" % (want, text))
    check(not re.search(r"^ +0  [A-Z_]+", text, re.M), "code without being asked")
    check(re.search(r"^ +0  [A-Z_]+", D.text("show filter f_in code"), re.M), "no code")
    equal(got[-1][0], 0, "last code")
    check("(unnamed)" in D.text("show filter p0"), "filters of a protocol")
    equal(D.code("show filter master4"), 9001, "a table")
    equal(D.code("show filter nosuch"), 9001, "an unknown name")
    equal(D.code("show filter"), 9001, "no name")


def test_memory():
    reply = D.run("show memory")
    equal(reply[0], (1018, "BIRD memory usage"), "title")
    text = [t for _, t in reply]
    for want in ("Routing tables:", "Route attributes:", "Protocols:", "Total:"):
        check(any(t.startswith(want) and re.search(r"\d+(\.\d+)? +(B|kB|MB)", t) for t in text), "no " + want)
    equal(reply[-1][0], 0, "end")


def test_threads():
    if KIND == "bird2":
        return
    reply = D.run("show threads")
    check(all(c in (0, 1027) for c, _ in reply), "codes: %r" % reply)
    check("p0" in "\n".join(t for _, t in reply), "no p0 among the threads: %r" % reply)


# --- Changes ---


def test_changes():
    equal(D.run("disable p0"), [(9, "p0: disabled"), (0, "")], "disable")
    equal(D.run("disable p0"), [(8, "p0: already disabled"), (0, "")], "disable again")
    wait_until(lambda: D.sessions()["p0"][0] == "down", "p0 to be down")
    check("BGP state:          Down" in D.text("show protocols all p0"), "BGP state of a disabled session")
    equal(D.run("enable p0"), [(11, "p0: enabled"), (0, "")], "enable")
    equal(D.run("enable p0"), [(10, "p0: already enabled"), (0, "")], "enable again")
    equal(D.run("restart p0"), [(12, "p0: restarted"), (0, "")], "restart")
    for command in ("reload p1", "reload in p1", "reload out p1"):
        equal(D.run(command), [(15, "p1: reloading"), (0, "")], command)
    equal(D.run('disable p0 "gone fishing"')[0], (9, "p0: disabled"), "disable with a message")
    wait_until(lambda: "  Message:        gone fishing" in D.text("show protocols all p0"), "the message to be shown")
    D.run("enable p0")
    equal(D.run("enable nosuch")[-1][0], 9001, "enable what isn't there")
    equal(D.run('enable "nosuch*"')[-1], (8003, "No protocols match"), "enable by pattern")
    if KIND != "bird2":
        for command in ("reload filters p1", "reload filters in p1", "reload filters out p1", "reload bgp p1"):
            check(D.code(command) < 8000, command)


def test_configure():
    equal(D.run("configure check"), [(2, "Reading configuration from " + D.conf), (20, "Configuration OK")], "check")
    reply = D.run("configure")
    equal(reply[0], (2, "Reading configuration from " + D.conf), "configure")
    check(reply[-1] in ((3, "Reconfigured"), (4, "Reconfiguration in progress")), repr(reply))
    check(D.code("configure soft") in (3, 4), "configure soft")
    good = D.read()
    D.write(good + "\nnonsense;\n")
    line = good.count("\n") + 2
    for command in ("configure", "configure check"):
        code, text = D.run(command)[-1]
        equal(code, 8002, command + " of a broken file")
        check(re.match(r"%s:%d:\d+ " % (re.escape(D.conf), line), text), "where: %r" % text)
    D.write(good)
    check(D.code('configure "%s"' % D.conf) in (3, 4), "configure with a file")
    equal(D.code('configure check "/nonexistent"'), 8002, "configure with a file that isn't there")


def compare_with_bird2():
    """The same exchange under bird2: every line must be the same but for times and sizes."""
    import harness

    if not shutil.which("bird"):
        needs("bird2")
    port = free_port()
    options = ["--port", str(port)] + OPTIONS[2:]
    was, harness.KIND = harness.KIND, "bird2"
    b = Daemon(conf(port, kind="bird2")).start()
    load = Load(options, 600, steps="announce,settle,hold=600")
    try:
        load.wait_hold(60)
        different = []
        net = first_net()
        for command in (
            "show status",
            "show protocols",
            "show protocols all p1",
            "show route table master4",
            "show route table master4 all",
            "show route count",
            "show route primary table master4 all",
            "show route table master4 filtered all",
            "show route table master4 export p1",
            "show route table master4 where net.len < 20",
            "show route %s all" % net,
            "show route for %s" % net.split("/")[0],
            "show route 1.2.3.4/32",
            "show route for 240.0.0.1",
            "show route in %s" % net,
            "show status x",
            "nosuch",
            "show symbols p1",
            "show protocols nosuch",
            "show route protocol p2 table master4",
            "show route noexport p1 table master4",
        ):
            ours = [(c, shape(t)) for c, t in D.run(command)]
            theirs = [(c, shape(t)) for c, t in b.run(command)]
            if "noexport" in command or "protocols all" in command:
                # What is refused for the peer's own routes and how many keepalives is no layout.
                ours = [(c, re.sub(r" +\d+", " N", t)) for c, t in ours]
                theirs = [(c, re.sub(r" +\d+", " N", t)) for c, t in theirs]
            if ours[-1][0] == theirs[-1][0] == 9001:
                ours, theirs = [(c, "") for c, _ in ours], [(c, "") for c, _ in theirs]
            # What tern says in addition, and what it can't do yet.
            ours = [(c, t) for c, t in ours if not re.match(EXTRA, t)]
            for newer in NEWER:
                if newer not in [t for _, t in theirs]:
                    ours = [(c, t) for c, t in ours if t != newer]
            if set(ours) != set(theirs) or len(ours) != len(theirs):
                different.append(command)
                note("     %s:" % command)
                for x in sorted(set(theirs) - set(ours))[:5]:
                    note("       bird2 %r" % (x,))
                for x in sorted(set(ours) - set(theirs))[:5]:
                    note("       ours  %r" % (x,))
            elif "show route" in command and ours != theirs:
                note("     %s: in another order" % command)
        check(not different, "differ from bird2: " + ", ".join(different))
    finally:
        load.stop()
        b.kill()
        harness.KIND = was


def test_second_socket():
    if KIND == "bird2":
        return
    c = Cli(D.dir + "/ro.ctl")
    equal(c.run("show status")[-1][0], 13, "show on it")
    equal(c.run("down")[-1], (8007, "Access denied"), "down on it")
    c.close()


D = Daemon(conf(PORT)).start()
LOAD = Load(OPTIONS, 600, steps="announce,settle,hold=600")
LOAD.wait_hold(60)


def test_full_disk():
    """ternc whose reply can't be written fails, and says why."""
    argv = [program("ternc"), "-s", D.ctl, "show", "status"]
    with open("/dev/full", "wb") as full:
        p = subprocess.run(argv, stdout=full, stderr=subprocess.PIPE, timeout=20, check=False)
    check(p.returncode == 1 and b"No space left" in p.stderr, "%d, %r" % (p.returncode, p.stderr))


case("banner", test_banner)
case("commands in pieces", test_pieces)
case("framing of replies", test_framing)
case("writes of whole lines", test_whole_lines)
case("over-long commands", test_overlong)
case("help, quit, exit", test_client_words)
case("restrict", test_restrict)
case("show status", test_status)
case("show protocols", test_protocols)
case("show protocols all", test_protocols_all)
case("show route", test_route)
case("show route all", test_route_all)
case("options of show route", test_route_options)
case("show route export, noexport", test_route_export)
case("show route filtered", test_filtered)
case("show symbols", test_symbols)
case("show filter", test_filter)
case("show memory", test_memory)
case("show threads", test_threads)
case("clients that go away", test_disconnect)
case("a further socket", test_second_socket)
case("ternc and a full disk", test_full_disk)
if KIND != "bird2":
    case("the same text as bird2", compare_with_bird2)
case("configure", test_configure)
case("enable, disable, restart, reload", test_changes)
LOAD.stop()
case("down", D.stop)
done()
