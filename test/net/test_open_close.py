# SPDX-License-Identifier: GPL-3.0-or-later
"""test_open_close compares the first and last messages to members, octet by octet beside bird: OPEN for many
configurations, and the NOTIFICATION of each reason."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
if not os.path.exists(BIRD):
    needs("bird2")
PORT = free_port()

# Name: options of the protocol, channels.
OPENS = {
    "plain": ("", "ipv4 { import all; export none; };"),
    "six": ("", "ipv6 { import all; export none; };"),
    "both": ("", "ipv4 { import all; export none; }; ipv6 { import all; export none; };"),
    "both_turned": ("", "ipv6 { import all; export none; }; ipv4 { import all; export none; };"),
    "no_as4": ("enable as4 off;", "ipv4 { import all; export none; };"),
    "no_refresh": ("enable route refresh off;", "ipv4 { import all; export none; };"),
    "ext_msg": ("enable extended messages on;", "ipv4 { import all; export none; };"),
    "no_caps": ("capabilities off;", "ipv4 { import all; export none; };"),
    "hold": ("hold time 30;", "ipv4 { import all; export none; };"),
    "hold_0": ("hold time 0;", "ipv4 { import all; export none; };"),
    "role_provider": ("local role provider;", "ipv4 { import all; export none; };"),
    "role_rs": ("local role rs_server;", "ipv4 { import all; export none; };"),
    "add_path": ("", "ipv4 { import all; export none; add paths; };"),
    "add_path_rx": (
        "",
        "ipv4 { import all; export none; add paths rx; }; ipv6 { import all; export none; add paths tx; };",
    ),
    "add_path_tx": ("", "ipv4 { import all; export none; }; ipv6 { import all; export none; add paths tx; };"),
    "ext_next_hop": (
        "",
        "ipv4 { import all; export none; extended next hop; }; ipv6 { import all; export none; extended next hop; };",
    ),
    "ext_next_hop_4": (
        "enable extended messages;",
        "ipv4 { import all; export none; extended next hop; add paths tx; };",
    ),
    "hostname": ("advertise hostname;", "ipv4 { import all; export none; };"),
    "hostname_more": (
        "advertise hostname; enable extended messages; local role peer;",
        "ipv4 { import all; export none; add paths; }; ipv6 { import all; export none; };",
    ),
    "all_of_it": (
        "advertise hostname; enable extended messages; local role peer;",
        "ipv4 { import all; export none; add paths; extended next hop; }; ipv6 { import all; export none; };",
    ),
    "gr": ("graceful restart;", "ipv4 { import all; export none; }; ipv6 { import all; export none; };"),
    "gr_time": (
        "graceful restart; graceful restart time 77;",
        "ipv4 { import all; export none; graceful restart off; }; ipv6 { import all; export none; };",
    ),
    "gr_off": ("graceful restart off; long lived graceful restart off;", "ipv4 { import all; export none; };"),
    "llgr": (
        "graceful restart; long lived graceful restart; long lived stale time 100;",
        "ipv4 { import all; export none; }; ipv6 { import all; export none; };",
    ),
    "all_there_is": (
        "graceful restart; long lived graceful restart; advertise hostname; enable extended messages; local role peer;",
        (
            "ipv4 { import all; export none; add paths; extended next hop; }; ipv6 { import all; export none; add"
            " paths; };"
        ),
    ),
    "gr_aware": (
        "graceful restart aware; long lived graceful restart aware;",
        "ipv4 { import all; export none; }; ipv6 { import all; export none; };",
    ),
    "gr_none": (
        "graceful restart; graceful restart time 0;",
        "ipv4 { import all; export none; graceful restart off; };",
    ),
    "llgr_some": (
        "graceful restart; graceful restart time 4095; long lived graceful restart; long lived stale time 16777215;",
        (
            "ipv4 { import all; export none; long lived graceful restart off; }; ipv6 { import all; export none; long"
            " lived stale time 7; };"
        ),
    ),
    "llgr_alone": (
        "graceful restart; long lived graceful restart;",
        (
            "ipv4 { import all; export none; graceful restart off; }; ipv6 { import all; export none; long lived"
            " graceful restart on; };"
        ),
    ),
    "hold_most": ("hold time 65535; local role rs_client;", "ipv4 { import all; export none; };"),
    "member": ("confederation 65100; confederation member;", "ipv4 { import all; export none; };"),
    "rs_client": ("rs client;", "ipv4 { import all; export none; };"),
    "much": (
        "enable extended messages; local role customer; hold time 9;",
        "ipv4 { import all; export none; add paths; }; ipv6 { import all; export none; add paths; };",
    ),
}


# What bird knows since 2.17 alone: TERN_BIRD.
NEWER = {
    "no_enhanced": ("enable enhanced route refresh off;", "ipv4 { import all; export none; };"),
    "no_refreshes": (
        "enable route refresh off; enable enhanced route refresh off; enable as4 off;",
        "ipv4 { import all; export none; };",
    ),
    "required": (
        "require as4; require route refresh; require enhanced route refresh; local role peer; require roles;",
        "ipv4 { import all; export none; mandatory; };",
    ),
    "required_more": (
        (
            "enable extended messages; require extended messages; require hostname; advertise hostname; graceful"
            " restart; require graceful restart; long lived graceful restart; require long lived graceful restart;"
        ),
        (
            "ipv4 { import all; export none; extended next hop; require extended next hop; add paths; require add"
            " paths; };"
        ),
    ),
    "gr_said": (
        (
            "graceful restart; graceful restart time 60; long lived graceful restart; min long lived stale time 5; max"
            " long lived stale time 50;"
        ),
        "ipv4 { import all; export none; }; ipv6 { import all; export none; require extended next hop off; };",
    ),
}
BIRD_IS = re.search(
    r"(\d+)\.(\d+)",
    subprocess.run([BIRD, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60).stdout.decode(),
)
if BIRD_IS and [int(n) for n in BIRD_IS.groups()] >= [2, 17]:
    OPENS.update(NEWER)

# Sessions that are ended: options, of the IPv4 channel.
ENDS = {
    "disable": ("", ""),
    "disable_text": ("", ""),
    "restart": ("", ""),
    "restart_text": ("", ""),
    "removed": ("", ""),
    "changed": ("", ""),
    "rejected": ("", ""),
    "hold_time": ("hold time 3;", ""),
    "kept": ("", "import table;"),
    "kept_deaf": ("", "import table;"),
    "receive_restart": ("", "receive limit 2 action restart;"),
    "receive_disable": ("", "receive limit 2 action disable;"),
    "import_restart": ("", "import limit 2 action restart;"),
    "import_disable": ("", "import limit 2 action disable;"),
    "export_restart": ("", "export limit 2 action restart;"),
    "export_disable": ("", "export limit 2 action disable;"),
    "no_family": ("", ""),
    "wrong_as": ("", ""),
    "short_hold": ("min hold time 60;", ""),
    "need_role": ("local role rs_server; require roles;", ""),
    "wrong_role": ("local role rs_server;", ""),
    "down": ("", ""),
}


def ends_conf(left_out=(), changed=""):
    text = ""
    for i, (name, (options, channel)) in enumerate(ENDS.items()):
        if name in left_out:
            continue
        text += (
            "protocol bgp e_%s { local SERVER port %d as 65000; strict bind; neighbor 127.0.32.%d as 65001; multihop;"
            " passive; %s %s ipv4 { import all; export where source = RTS_STATIC; %s }; }\n"
            % (name, PORT, i + 1, options, "hold time 200; allow local as 1;" if name == changed else "", channel)
        )
    return text


def conf(server, left_out=(), changed=""):
    text = 'router id 10.0.0.1;\nlog "RUN/bird.log" all;\nprotocol device {}\nhostname "rs1.example";\n'
    for i, (name, (options, channels)) in enumerate(OPENS.items()):
        text += (
            "protocol bgp o_%s { local %s port %d as 65000; strict bind; neighbor 127.0.31.%d as 65001; multihop;"
            " passive; connect delay time 1; %s %s }\n" % (name, server, PORT, i + 1, options, channels)
        )
    text += (
        "protocol static { ipv4; route 10.1.0.0/16 blackhole; route 10.2.0.0/16 blackhole; route 10.3.0.0/16"
        " blackhole; }\n"
    )
    return text + ends_conf(left_out, changed).replace("SERVER", server)


def open_of(server, n):
    p = Peer(PORT, "127.0.31.%d" % n, 65001, server=server)
    p.send(p.open_message())
    body = p.wait_for(OPEN)
    p.s.close()
    check(body is not None, "no OPEN")
    return body.hex(" ")


def opens():
    """All octets of it. Also those of bird 2.17 (TERN_BIRD)."""
    theirs()
    for i, name in enumerate(OPENS):
        ours, birds = (open_of(server, i + 1) for server in ("127.0.30.1", "127.0.30.2"))
        equal(ours, birds, "OPEN of " + name)


# All that members announce, but for what is tested elsewhere.
SAID = [
    b"\x01\x04\0\1\0\1",
    b"\x01\x04\0\2\0\1",
    b"\x02\0",
    b"\x05\x06\0\1\0\1\0\2",
    b"\x06\0",
    b"\x09\x01\x04",
    b"\x41\x04\0\0\xfd\xe9",
    b"\x45\x08\0\1\1\3\0\2\1\1",
    b"\x49\x07\x05m1\x1bx\n\0",
]


def shown_of(d, server):
    """What `show protocols all` says of the capabilities of both sides."""
    n = list(OPENS).index("all_of_it") + 1
    p = Peer(PORT, "127.0.31.%d" % n, 65001, server=server)
    caps = b"".join(SAID)
    p.open_message = lambda: message(
        OPEN, struct.pack("!BHH4sB", 4, 65001, 90, b"\1\1\1\1", len(caps) + 2) + bytes([2, len(caps)]) + caps
    )
    p.establish()
    wait_until(lambda: d.sessions()["o_all_of_it"][2].startswith("Established"), "o_all_of_it to be up")
    text = d.text("show protocols all o_all_of_it")
    p.cease()
    text = text[text.index("    Local capabilities") : text.index("    Session:")]
    found, skip = [], False
    for line in text.split("\n"):
        if line.startswith("      ") and not line.startswith("       "):
            skip = line.strip() in ("Graceful restart", "Long-lived graceful restart", "Enhanced refresh")
        elif not line.startswith("       "):
            skip = False
        if not skip:
            found.append(line)
    return found


def shown():
    ours, birds = shown_of(D, "127.0.30.1"), shown_of(theirs(), "127.0.30.2")
    equal(ours, [line.replace("m1 x ", "m1?x?") for line in birds], "what is shown of capabilities")
    check("      Hostname: m1?x?" in ours and "      Hostname: rs1.example" in ours, "hostnames in %s" % ours)


class End:
    """One daemon's session to be ended."""

    def __init__(self, d, server, name, **more):
        self.d, self.name = d, "e_" + name
        self.p = Peer(
            PORT, "127.0.32.%d" % (list(ENDS).index(name) + 1), more.pop("as_number", 65001), server=server, **more
        )

    def reason(self):
        """Code, subcode and data of the NOTIFICATION; nothing: it was closed without one."""
        return self.p.wait_for(NOTIFICATION) or b""


def begin(d, server, name):
    """Give it a reason to end @name. Returns: the session."""
    if name in ("wrong_as", "no_family", "short_hold", "need_role", "wrong_role"):
        e = End(
            d,
            server,
            name,
            as_number=65009 if name == "wrong_as" else 65001,
            hold=30 if name == "short_hold" else 90,
            caps=b"\x09\x01\x00" if name == "wrong_role" else b"",
        )
        text = e.p.open_message()
        if name == "no_family":
            text = text.replace(b"\x01\x04\x00\x01\x00\x01", b"\x01\x04\x00\x02\x00\x01")
        e.p.send(text)
        return e
    e = End(d, server, name)
    e.p.establish()
    if name.startswith("export"):
        return e
    wait_until(lambda: d.sessions()[e.name][2].startswith("Established"), e.name + " to be up")
    kind, _, action = name.partition("_")
    if kind in ("disable", "restart"):
        d.run("%s %s%s" % (kind, e.name, " \"caf\u00e9 at noon\"" if action else ""))
    elif kind in ("receive", "import"):
        e.p.update(["20.1.0.0/16", "20.2.0.0/16", "20.3.0.0/16"])
    elif name == "removed":
        d.write(conf(server, left_out=[name]))
        d.run("configure")
    elif name == "changed":
        d.write(conf(server, left_out=["removed"], changed=name))
        d.run("configure")
    elif name == "rejected":
        first, e = e, End(d, server, name)
        e.p.first = first
    elif name == "down":
        d.run("down")
    return e


# What is ours: a peer that sends too much is told how much it may send (RFC 4486, 4), and one whose session is up
# already why another connection is closed; bird says nothing there. Of a wrong AS number bird sends octets that are now
# and then others.
OURS = {
    "wrong_as": b"\2\2\0\0\xfd\xf1",
    "rejected": b"\6\5",
    **dict.fromkeys(["receive_restart", "receive_disable", "import_restart", "import_disable"], b"\6\1\0\1\1\0\0\0\2"),
}


def both(name):
    return [begin(D, "127.0.30.1", name), begin(theirs(), "127.0.30.2", name)]


def seen(d):
    """What `show protocols` says of each session that has been ended."""
    return {name: s[2] for name, s in d.sessions().items() if name.startswith("e_") and "kept" not in name}


def ends():
    names = [n for n in ENDS if not n.startswith("kept")]
    begun = [both(n) for n in names if n != "down"]  # bird takes its time
    reasons = [[e.reason() for e in pair] for pair in begun]
    shown_of_both = lambda: (seen(D), seen(theirs()))
    wait_until(lambda: seen(D) == seen(theirs()), lambda: "what is shown: %s, and by bird %s" % shown_of_both())
    check("Automatic shutdown: Route limit exceeded" in seen(D)["e_import_disable"], "a limit isn't shown")
    reasons.append([e.reason() for e in both("down")])
    for name, (ours, birds) in zip(names, reasons):
        check(birds or name in OURS, name + ": bird says nothing")
        equal(ours.hex(), OURS.get(name, birds).hex(), name)


def as_sets():
    """Refused (RFC 9774), counted, and logged once a session."""
    e = End(D, "127.0.30.1", "disable")
    e.p.establish()
    path = b"\2\1\0\0\xfd\xe9\1\2\0\0\0\7\0\0\0\x08"
    attrs = attribute(0x40, 1, b"\0") + attribute(0x40, 2, path) + attribute(0x40, 3, socket.inet_aton("127.0.32.1"))
    for n in range(3):
        e.p.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + nlri("20.%d.0.0/16" % n)))
    wait_until(
        lambda: "AS_SETs refused:  3" in D.text("show protocols all e_disable"),
        lambda: D.text("show protocols all e_disable"),
    )
    check("20." not in D.text("show route protocol e_disable"), "a route with an AS_SET")
    said = lambda: [line for line in D.whole_log().split("\n") if "AS_SET" in line]
    wait_until(said, "a line of the log about AS_SETs")
    lines = said()
    equal(len(lines), 1, "lines of the log about AS_SETs")
    check("<RMT> e_disable: Route 20.0.0.0/16 refused: AS_SET in the path" in lines[0], lines[0])
    e.p.cease()


def theirs():
    """bird, from the first case on that asks for bird."""
    if not BESIDE:
        BESIDE.append(Bird(conf("127.0.30.2")).start())
    return BESIDE[0]


BESIDE = []
D = Daemon(conf("127.0.30.1")).start()
bird_case("OPENs beside bird's", opens)
bird_case("capabilities are shown as bird's", shown)
case("AS_SETs are refused", as_sets)


def refreshes(p):
    """ROUTE-REFRESH messages that have come by now."""
    found = 0
    while True:
        try:
            got = p.receive(0.2)
        except TimeoutError:
            return found
        check(got is not None, "the session has ended")
        found += got[0] == REFRESH


def reloads():
    """Where routes are kept the peer isn't asked, but by `reload bgp in`; who can't be asked, and keeps nothing, is
    named."""

    def told(command, name, code, text):
        equal(
            D.run("%s e_%s" % (command, name)), [(code, "e_%s: %s" % (name, text)), (0, "")], "%s %s" % (command, name)
        )

    # the session of an earlier case may still end
    wait_until(lambda: not D.sessions()["e_down"][2].startswith("Established"), "e_down is not up")
    for command in ("reload", "reload in", "reload bgp out"):
        told(command, "down", 8, "is not UP")
    equal(D.run("reload bgp all")[-1][0], 0, "reload bgp all")
    check(D.run("reload bgp static1")[0][0] > 8000, "reload bgp of a protocol that isn't BGP")
    for name, caps, asked in (
        ("disable", True, [1, 1, 0]),
        ("kept", True, [0, 1, 0]),
        ("removed", False, [None, None, 0]),
        ("kept_deaf", False, [0, None, 0]),
    ):
        e = End(D, "127.0.30.1", name)
        e.p.open_text = e.p.open_message() if caps else e.p.open_message().replace(b"\x02\x00A", b"\x82\x00A")
        e.p.open_message = lambda: e.p.open_text
        e.p.establish()
        wait_until(lambda: D.sessions()[e.name][2].startswith("Established"), e.name + " to be up")
        for command, cnt in zip(("reload in", "reload bgp in", "reload bgp out"), asked):
            if cnt is None:
                told(command, name, 8006, "reload failed")
            else:
                told(command, name, 15, "reloading")
            first = int(cnt == 1 and e.p.wait_for(REFRESH) is not None)
            equal(first + refreshes(e.p), cnt or 0, "%s: refreshes after %s" % (name, command))
        e.p.cease()


case("reloads", reloads)
bird_case("reasons beside bird's", ends)
done()
