# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of tables (`protocol image`): the entries that other processes read, and the life of the file under commands
and `configure`. The test reads the files by a reader of its own (image_read.py)."""

from image_daemon import entry, files, path
from image_read import Image, generation, look
from links import *

if KIND != "ternd":
    cannot_here("this is about ternd")
in_namespace()
ROUTER = other_namespace()
PORT = free_port()

MACHINE = """
link add m0 type veth peer name m1
link set m0 up
link set m1 up
addr add 10.1.1.1/24 dev m0
"""

HEAD = """
router id 10.0.0.1;
log "RUN/bird.log" all;
%(top)s
roa4 table r4;
ipv4 table other;
protocol device { scan time 1; }
protocol direct dd { ipv4; }
protocol static roas { roa4;%(roas)s }
protocol static s4 { ipv4;%(routes)s }
protocol static so { ipv4 { table other; }; route 10.77.0.0/16 blackhole; }
protocol static s6 { ipv6; route 2001:db8::/32 via "m0"; route 2001:db8:1::/48 unreachable; }
template bgp any { local 127.0.10.1 port %(port)d as 65000; passive; rs client; strict bind on;
  error wait time 1, 1; connect delay time 1; multihop; ipv4 { import all; export none; }; }
protocol bgp m1 from any { neighbor 127.0.11.1 as 65001; %(more)s }
"""
ALL = "attributes { next hop, origin as, peer as, communities, rpki };"
ONE = 'protocol image i4 { table master4; filename "RUN/i4.fib"; stage 16, 8; %s }' % ALL


def conf(images=ONE, routes=(), roas=(), more="", top=""):
    return (
        HEAD
        % {
            "port": PORT,
            "routes": "".join(" route %s;" % r for r in routes),
            "roas": "".join(" route %s;" % r for r in roas),
            "more": more,
            "top": top,
        }
        + images
    )


def link():
    return ip_has("link", "show", "m0")[0]["ifindex"]


def start(*args, **kw):
    ip(MACHINE)
    if not VIRTUAL:  # in the simulated world the neighbor needs no link
        ip("link set m1 netns %d" % ROUTER.pid)
        there = ["nsenter", "-t", str(ROUTER.pid), "-n", "ip"]
        subprocess.run(there + ["link", "set", "m1", "up"], check=True, timeout=20 * SLOW)
        subprocess.run(there + ["addr", "add", "10.1.1.2/24", "dev", "m1"], check=True, timeout=20 * SLOW)
    d = Daemon(conf(*args, **kw)).start()
    for name in re.findall(r"RUN/(\w+)\.fib", args[0] if args else ONE):
        wait_until(lambda n=name: generation(path(d, n)), lambda: "the image %s: %s" % (name, d.said()))
    return d


def configure(d, *args, **kw):
    d.write(conf(*args, **kw))
    check(d.code("configure") in (3, 4), "configure: " + d.said())


def shown(d, name="i4"):
    """The lines of `show protocols all`: {name: value}."""
    text = d.text("show protocols all " + name)
    return dict(re.findall(r"^ *([A-Z][A-Za-z ]+): +(.+?)$", text, re.M))


def kinds():
    """Next hops, kinds of routes, and the longest match."""
    d = start(
        routes=(
            '10.1.0.0/16 via "m0"',
            "10.1.2.0/24 via 10.1.1.9",
            "10.1.2.128/25 blackhole",
            "10.1.2.200/32 unreachable",
            "10.1.3.0/24 prohibit",
        )
    )
    entry(d, "10.1.0.1", {"kind": "link", "hop": None, "ifindex": link()})
    entry(d, "10.1.2.1", {"kind": "ip", "hop": "10.1.1.9", "ifindex": link()})
    entry(d, "10.1.2.129", {"kind": "drop", "ifindex": 0})
    entry(d, "10.1.2.200", {"kind": "reject"})
    entry(d, "10.1.3.0", {"kind": "reject"})
    entry(d, "10.2.0.0", None)
    d.stop()
    entry(d, "10.1.2.129", {"kind": "drop"})  # readers keep the image of a daemon that has ended


def facts():
    """Origin AS, peer AS, communities and the RPKI state of routes of BGP, and their changes."""
    d = start(roas=("20.1.0.0/16 max 24 as 65003", "20.2.0.0/16 max 16 as 65003"))
    m = member(PORT, 1, hold=0)
    communities = attribute(0xC0, 8, struct.pack("!HHHH", 65001, 7, 65001, 9)) + attribute(
        0xC0, 32, struct.pack("!3I", 65001, 1, 2)
    )
    m.update(["20.1.1.0/24", "20.2.1.0/24", "20.3.0.0/16"], [65001, 65003], "10.1.1.2", communities)
    plain = {"kind": "ip", "hop": "10.1.1.2", "ifindex": link(), "origin": 65003, "peer": 65001}
    plain["communities"] = [(65001, 7), (65001, 9)]
    plain["large"] = [(65001, 1, 2)]
    entry(d, "20.1.1.9", dict(plain, rpki="valid"))
    entry(d, "20.2.1.9", dict(plain, rpki="invalid"))
    entry(d, "20.3.1.9", dict(plain, rpki="unknown"))
    m.update(["20.1.1.0/24"], [65001, 65002], "10.1.1.3")
    entry(d, "20.1.1.9", {"origin": 65002, "peer": 65001, "communities": [], "large": [], "rpki": "invalid"})
    # ROAs change, the routes do not
    configure(d, roas=("20.1.0.0/16 max 24 as 65002", "20.3.0.0/16 max 16 as 1"))
    entry(d, "20.1.1.9", {"origin": 65002, "rpki": "valid"})
    entry(d, "20.2.1.9", dict(plain, rpki="unknown"))
    entry(d, "20.3.1.9", dict(plain, rpki="invalid"))
    m.withdraw(["20.1.1.0/24", "20.3.0.0/16"])
    entry(d, "20.1.1.9", None)
    entry(d, "20.3.1.9", None)
    entry(d, "20.2.1.9", plain)
    d.stop()


def sources():
    """A route of equal attributes from another session has another peer AS."""
    two = "\nprotocol bgp m2 from any { neighbor 127.0.11.2 as 65002; enforce first as off; }\n"
    d = start(ONE + two, more="enforce first as off;")
    m, n = member(PORT, 1, hold=0), member(PORT, 2, hold=0)
    m.update(["20.1.0.0/16"], [65009], next_hop="10.1.1.9")
    entry(d, "20.1.0.1", {"peer": 65001, "origin": 65009, "hop": "10.1.1.9"})
    n.update(["20.1.0.0/16"], [65009], next_hop="10.1.1.9")
    wait_until(lambda: "[m2 " in d.text("show route all 20.1.0.0/16"), "the second route")
    m.withdraw(["20.1.0.0/16"])
    entry(d, "20.1.0.1", {"peer": 65002, "origin": 65009, "hop": "10.1.1.9"})
    d.stop()


class Neighbor(Peer):
    """A neighbor on the link, in another network namespace."""

    def dial(self):
        with inside(ROUTER):
            super().dial()


DIRECT = (
    """
protocol bgp near { local 10.1.1.1 port %d as 65000; neighbor 10.1.1.2 as 65001; direct; passive; strict bind on;
  connect delay time 1; error wait time 1, 1; ipv4 { import all; export none; gateway direct; }; }
"""
    % PORT
)


def neighbor(images, *routes):
    """A daemon and a neighbor whose routes the daemon does not resolve, so later only the image looks again."""
    bare_machine()
    d = start(images + DIRECT, routes)
    m = join_when_taken(lambda: Neighbor(PORT, "10.1.1.2", 65001, 0, "10.1.1.1"), "the neighbor")
    # The session looks at its link when the session is up at the daemon, too.
    wait_until(lambda: d.established() == 1, "the session at the daemon")
    return d, m


def resolved():
    """A next hop that is not on a link any more: the table's routes resolve the next hop, and their changes reach the
    image, although the session announces nothing again."""
    d, m = neighbor(ONE, "192.0.2.0/24 via 10.1.1.9")
    ip("addr add 192.0.2.1/24 dev m0")
    # The session knows the address when the session asks for the routes again.
    check(m.wait_for(REFRESH) is not None, "no refresh after the address has come")
    m.update(["20.1.0.0/16"], next_hop="192.0.2.7")
    entry(d, "20.1.0.1", {"kind": "ip", "hop": "192.0.2.7", "ifindex": link()})
    ip("addr del 192.0.2.1/24 dev m0")
    entry(d, "20.1.0.1", {"kind": "ip", "hop": "10.1.1.9", "ifindex": link()})
    configure(d, ONE + DIRECT, ("192.0.2.0/24 via 10.1.1.10",))
    entry(d, "20.1.0.1", {"kind": "ip", "hop": "10.1.1.10"})
    configure(d, ONE + DIRECT, ("192.0.2.0/24 via 10.1.1.10", "192.0.2.7/32 blackhole"))
    entry(d, "20.1.0.1", {"kind": "reject"})
    configure(d, ONE + DIRECT, ("192.0.0.0/16 via 10.1.1.11",))
    entry(d, "20.1.0.1", {"kind": "ip", "hop": "10.1.1.11"})
    configure(d, ONE + DIRECT)
    entry(d, "20.1.0.1", {"kind": "reject"})
    d.stop()


def as_received():
    """`resolve no`: the next hop of the attributes; without `next hop`, none."""
    images = (
        'protocol image i4 { table master4; filename "RUN/i4.fib"; resolve no; }'
        'protocol image as { table master4; filename "RUN/as.fib"; attributes { origin as }; }'
        'protocol image i6 { table master6; filename "RUN/i6.fib"; attributes { next hop, peer as }; }'
    )
    d = start(images)
    m = member(PORT, 1, hold=0)
    m.update(["20.1.0.0/16"], [65001, 7], "192.0.2.7")
    m.update(["20.2.0.0/16"], [65001, 8], "10.1.1.2")
    entry(d, "20.1.0.1", {"kind": "ip", "hop": "192.0.2.7", "ifindex": 0})
    entry(d, "20.1.0.1", {"kind": "reject", "hop": None, "origin": 7}, "as")
    entry(d, "20.2.0.1", {"kind": "ip", "hop": None, "ifindex": 0, "origin": 8}, "as")
    entry(d, "2001:db8::1", {"kind": "link"}, "i6")
    entry(d, "2001:db8:1::1", {"kind": "reject"}, "i6")
    entry(d, "2001:db9::1", None, "i6")
    d.stop()


def lives():
    """Commands: `disable` removes the file, unless `persist` keeps it; `restart` and the end of the daemon leave it."""
    images = ONE + ' protocol image kept { table master4; filename "RUN/kept.fib"; persist; }'
    d = start(images, ("10.1.0.0/16 blackhole",))
    entry(d, "10.1.0.0", {"kind": "drop"})
    before = generation(path(d))
    d.run("restart i4")
    wait_until(lambda: generation(path(d)) > before or before == 1, "a new image after a restart")
    for name in "i4", "kept":
        d.run("disable " + name)
        wait_until(lambda n=name: re.search(r"^%s +Image +\S+ +down" % n, d.text("show protocols"), re.M), name)
    wait_until(lambda: not os.path.exists(path(d)), "the file to go")
    check(os.path.exists(path(d, "kept")), "persist removed the file")
    for name in "i4", "kept":
        d.run("enable " + name)
    entry(d, "10.1.0.0", {"kind": "drop"})
    wait_until(lambda: re.search(r"^kept +Image +\S+ +up", d.text("show protocols"), re.M), "the image to come back")
    d.stop()
    check(os.path.exists(path(d)) and os.path.exists(path(d, "kept")), "the end of the daemon removed an image")
    configured = conf(images.replace("protocol image i4 {", "protocol image i4 { disabled;"))
    d.write(configured)
    d.start()
    wait_until(lambda: not os.path.exists(path(d)), "the file of a disabled image to go")
    d.stop()


def configured():
    """`configure`: an unchanged image keeps its file; a new name moves the file; another table, and the end."""
    d = start(routes=("10.1.0.0/16 blackhole",))
    entry(d, "10.1.0.0", {"kind": "drop"})
    inode = os.stat(path(d)).st_ino
    configure(d, routes=("10.1.0.0/16 blackhole", "10.2.0.0/16 blackhole"))
    entry(d, "10.2.0.0", {"kind": "drop"})
    equal(os.stat(path(d)).st_ino, inode, "the file of an unchanged image")
    moved = ONE.replace("RUN/i4", "RUN/moved")
    configure(d, moved, ("10.1.0.0/16 blackhole",))
    entry(d, "10.1.0.0", {"kind": "drop"}, "moved")
    entry(d, "10.2.0.0", None, "moved")
    wait_until(lambda: not os.path.exists(path(d)), "the file of the old name to go")
    configure(d, moved.replace("table master4", "table other"), ("10.1.0.0/16 blackhole",))
    entry(d, "10.77.0.0", {"kind": "drop"}, "moved")
    entry(d, "10.1.0.0", None, "moved")
    check(d.code("configure undo") in (3, 4), "undo")
    entry(d, "10.1.0.0", {"kind": "drop"}, "moved")
    entry(d, "10.77.0.0", None, "moved")
    configure(d, "")
    wait_until(lambda: not os.path.exists(path(d, "moved")), "the file of a removed image to go")
    check("moved" not in " ".join(os.listdir(d.dir)), "files are left: %r" % os.listdir(d.dir))
    d.stop()


def all_up(d, cnt):
    """All @cnt instances of images soon are up, without a fault."""
    wait_until(
        lambda: len(re.findall(r"^\S+ +Image +\S+ +up +\S+ *$", d.text("show protocols"), re.M)) == cnt,
        lambda: d.text("show protocols"),
    )


def renamed():
    """Another name of the protocol or of the table: readers find an image under the filename at any time."""
    routes = ("10.1.0.0/16 blackhole",)
    d = start(routes=routes)
    entry(d, "10.1.0.0", {"kind": "drop"})
    before = generation(path(d))
    configure(d, ONE.replace("image i4", "image i5"), routes)
    stays(lambda: generation(path(d)) >= before, "an image", 0.1, every_s=0.01)
    wait_until(lambda: generation(path(d)) > before, "the image of the other protocol")
    entry(d, "10.1.0.0", {"kind": "drop"})
    all_up(d, 1)
    text = conf(ONE.replace("table master4", "table other"), routes)
    for new in "third", "fourth":
        before = generation(path(d))
        d.write(text.replace("table other", "table " + new))
        check(d.code("configure") in (3, 4), "configure: " + d.said())
        stays(lambda: generation(path(d)) >= before, "an image", 0.1, every_s=0.01)
        wait_until(lambda: generation(path(d)) > before, "the image of the other table")
        entry(d, "10.77.0.0", {"kind": "drop"})
        all_up(d, 1)
    equal(files(d), ["i4.fib"], "the files")
    d.stop()


def moved():
    """Other filenames: two instances exchange theirs, three instances exchange theirs in both directions, without a
    report of another writer; none leaves a file behind, also if an instance has not published an image under the former
    name yet, or if the table changes, too."""
    two = ONE + ' protocol image b { table other; filename "RUN/b.fib"; }'
    routes = ("10.1.0.0/16 blackhole",)
    d = start(two, routes)
    entry(d, "10.1.0.0", {"kind": "drop"})
    entry(d, "10.77.0.0", {"kind": "drop"}, "b")
    configure(d, two.replace("RUN/i4", "RUN/x").replace("RUN/b.", "RUN/i4.").replace("RUN/x", "RUN/b"), routes)
    entry(d, "10.77.0.0", {"kind": "drop"})
    entry(d, "10.1.0.0", {"kind": "drop"}, "b")
    entry(d, "10.1.0.0", None)
    all_up(d, 2)
    equal(files(d), ["b.fib", "i4.fib"], "the files")
    three = two + ' protocol image c { table master6; filename "RUN/c.fib"; }'
    tables = "10.1.0.0", "10.77.0.0", "2001:db8::1"
    configure(d, three, routes)
    for names in ("i4", "b", "c"), ("b", "c", "i4"), ("i4", "b", "c"):
        parts = re.split(r"RUN/\w+\.", three)
        text = "".join(x for pair in zip(parts, ["RUN/%s." % n for n in names] + [""]) for x in pair)
        configure(d, text, routes)
        for name, address in zip(names, tables):
            entry(d, address, {"kind": "link" if ":" in address else "drop"}, name)
        all_up(d, 3)
        equal(files(d), ["b.fib", "c.fib", "i4.fib"], "the files")
    configure(d, two, routes)
    wait_until(lambda: files(d) == ["b.fib", "i4.fib"], lambda: "the files: %r" % files(d))
    check("not up to date" not in d.whole_log(), "a fault during the exchange: " + d.said())
    d.run("restart i4")
    configure(d, ONE.replace("RUN/i4", "RUN/c"), routes)
    entry(d, "10.1.0.0", {"kind": "drop"}, "c")
    wait_until(lambda: files(d) == ["c.fib"], lambda: "the files: %r" % files(d))
    configure(d, 'protocol image i4 { table master6; filename "RUN/d.fib"; }', routes)
    entry(d, "2001:db8::1", {"kind": "link"}, "d")
    wait_until(lambda: files(d) == ["d.fib"], lambda: "the files: %r" % files(d))
    configure(d, ONE.replace("{", "{ disabled;", 1).replace("RUN/i4", "RUN/e"), routes)
    wait_until(lambda: not files(d), lambda: "the files: %r" % files(d))
    configure(d, ONE, routes)
    entry(d, "10.1.0.0", {"kind": "drop"})
    d.stop()


def less():
    """Attributes that go and come; the other family under the same filename."""
    d = start(routes=("10.1.0.0/16 blackhole",))
    m = member(PORT, 1, hold=0)
    m.update(["20.1.0.0/16"], [65001, 7], "10.1.1.2")
    entry(d, "20.1.0.1", {"origin": 7, "peer": 65001, "hop": "10.1.1.2"})
    configure(d, ONE.replace("origin as, ", ""))
    wait_until(lambda: "origin" not in look(path(d), "20.1.0.1"), "the origin to go")
    entry(d, "20.1.0.1", {"peer": 65001, "hop": "10.1.1.2"})
    configure(d, ONE.replace(ALL, ""))
    wait_until(lambda: "peer" not in look(path(d), "20.1.0.1"), "the peer to go")
    entry(d, "20.1.0.1", {"hop": "10.1.1.2"})
    configure(d, 'protocol image i4 { table master6; filename "RUN/i4.fib"; }')
    wait_until(lambda: Image(path(d)).bits == 128, "the image of the other family")
    entry(d, "2001:db8::1", {"kind": "link"})
    configure(d)
    wait_until(lambda: Image(path(d)).bits == 32, "the first family")
    entry(d, "20.1.0.1", {"origin": 7, "peer": 65001, "hop": "10.1.1.2"})
    d.stop()


def many_paths():
    """Add-path: the image has the best path of each network, and the next path when the best path ends."""
    both = "ipv4 { import all; export none; add paths rx; };"
    d = start(more=both)
    m = member(PORT, 1, struct.pack("!BBHBB", 69, 4, 1, 1, 2), hold=0)
    net = nlri("20.1.0.0/16")

    def says(number, ases, hop):
        attributes = attribute(0x40, 1, b"\0") + attribute(0x40, 3, socket.inet_aton(hop))
        attributes += attribute(0x40, 2, struct.pack("!BB%dI" % len(ases), 2, len(ases), *ases))
        body = struct.pack("!HH", 0, len(attributes)) + attributes + struct.pack("!I", number) + net
        m.send(message(2, body))

    says(1, [65001, 7, 9], "10.1.1.2")
    entry(d, "20.1.0.1", {"origin": 9, "hop": "10.1.1.2"})
    says(2, [65001, 8], "10.1.1.3")
    entry(d, "20.1.0.1", {"origin": 8, "hop": "10.1.1.3"})
    gone = struct.pack("!I", 2) + net
    m.send(message(2, struct.pack("!H", len(gone)) + gone + struct.pack("!H", 0)))
    entry(d, "20.1.0.1", {"origin": 9, "hop": "10.1.1.2"})
    gone = struct.pack("!I", 1) + net
    m.send(message(2, struct.pack("!H", len(gone)) + gone + struct.pack("!H", 0)))
    entry(d, "20.1.0.1", None)
    d.stop()


def filtered():
    """Routes that an import filter rejects later leave the image, and return with the next filter."""
    kept = "ipv4 { import keep filtered; import filter { if net = 20.%d.0.0/16 then reject; accept; }; export none; };"
    d = start(more=kept % 3)
    m = member(PORT, 1, hold=0)
    m.update(["20.1.0.0/16", "20.2.0.0/16"], [65001, 7], "10.1.1.2")
    entry(d, "20.1.0.1", {"origin": 7})
    configure(d, more=kept % 1)
    entry(d, "20.1.0.1", None)
    entry(d, "20.2.0.1", {"origin": 7})
    configure(d, more=kept % 2)
    entry(d, "20.1.0.1", {"origin": 7})
    entry(d, "20.2.0.1", None)
    d.stop()


def soon():
    """A mapped reader sees a change within 100 ms of the member's UPDATE, also while many routes change. In real time
    the case sees only that the change arrives."""
    d = start()
    m = member(PORT, 1, hold=0)
    m.update(["20.1.0.0/16"], [65001, 7], "10.1.1.2")
    entry(d, "20.1.0.1", {"origin": 7})
    x = Image(path(d))
    took = []
    for i in range(1, 21):
        m.update(["30.%d.%d.0/24" % (j // 250, j % 250) for j in range(0, 1000, 2)], [65001, 100 + i % 3], "10.1.1.2")
        began = time.monotonic()
        m.update(["20.1.0.0/16"], [65001, i], "10.1.1.2")
        wait_until(lambda n=i: (x.look("20.1.0.1") or {}).get("origin") == n, "the change", every_s=0.001)
        took.append(time.monotonic() - began)
    check(not VIRTUAL or max(took) <= 0.1, "a change took %r s" % took)
    x.close()
    d.stop()


def many():
    """Sixteen images at once, of both families, with shared threads."""
    images = "".join(
        'protocol image x%d { table master%d; filename "RUN/x%d.fib"; %s }'
        % (i, 6 if i % 2 else 4, i, "" if i % 3 else ALL)
        for i in range(16)
    )
    images = images.replace(", rpki }", " }")
    d = start(images, ["10.%d.0.0/16 blackhole" % i for i in range(50)], top="threads 2;")
    for i in range(16):
        if i % 2:
            entry(d, "2001:db8:1::1", {"kind": "reject"}, "x%d" % i)
        else:
            entry(d, "10.49.0.1", {"kind": "drop"}, "x%d" % i)
    configure(d, images, ["10.%d.0.0/16 unreachable" % i for i in range(50)], top="threads 2;")
    for i in range(0, 16, 2):
        entry(d, "10.49.0.1", {"kind": "reject"}, "x%d" % i)
    configure(d, "", ["10.%d.0.0/16 unreachable" % i for i in range(50)], top="threads 2;")
    wait_until(lambda: not [f for f in os.listdir(d.dir) if ".fib" in f], "the files to go")
    d.stop()


def stale():
    """Routes of a member that restarts stay in the image until the restart time is over."""
    value = struct.pack("!HHBB", 120, 1, 1, 0x80)
    d = start()
    m = member(PORT, 1, struct.pack("!BB", 64, len(value)) + value, hold=0)
    m.update(["20.1.0.0/16"], [65001, 7], "10.1.1.2")
    m.end_of_rib()
    entry(d, "20.1.0.1", {"origin": 7})
    m.reset()
    wait_until(lambda: "stale" in d.text("show protocols all m1").lower(), "stale routes")
    entry(d, "20.1.0.1", {"origin": 7})
    again = struct.pack("!HHBB", 0x8000 | 120, 1, 1, 0x80)
    m = member(PORT, 1, struct.pack("!BB", 64, len(again)) + again, hold=0)
    m.update(["20.2.0.0/16"], [65001, 8], "10.1.1.2")
    m.end_of_rib()
    entry(d, "20.2.0.1", {"origin": 8})
    entry(d, "20.1.0.1", None)
    d.stop()


def recovery():
    """After a crash and `ternd -R` readers keep the former image until the members have sent their routes again."""
    value = struct.pack("!HHBB", 120, 1, 1, 0x80)
    top = "graceful restart wait 120;"
    d = start(more="graceful restart on;", top=top)
    m = member(PORT, 1, struct.pack("!BB", 64, len(value)) + value, hold=0)
    m.update(["20.1.0.0/16", "20.2.0.0/16"], [65001, 7], "10.1.1.2")
    m.end_of_rib()
    entry(d, "20.1.0.1", {"origin": 7})
    entry(d, "20.2.0.1", {"origin": 7})
    before = generation(path(d))
    d.kill()
    m.s.close()
    d.start("-R")
    m = member(PORT, 1, struct.pack("!BB", 64, len(value)) + value, hold=0)
    m.update(["20.1.0.0/16"], [65001, 8], "10.1.1.2")
    wait_until(lambda: "20.1.0.0/16" in d.text("show route 20.1.0.0/16"), "the first route in the table")
    stays(lambda: (look(path(d), "20.2.0.1") or {}).get("origin") == 7, "the former image", 2)
    equal(generation(path(d)), before, "the generation before the end of recovery")
    m.update(["20.2.0.0/16"], [65001, 8], "10.1.1.2")
    m.end_of_rib()
    entry(d, "20.2.0.1", {"origin": 8})
    entry(d, "20.1.0.1", {"origin": 8})
    check(generation(path(d)) > before, "the generation after recovery")
    d.stop()


def lines():
    """`show protocols all` tells the state, the lag and the sizes."""
    d = start(routes=["10.%d.0.0/16 blackhole" % i for i in range(50)])
    entry(d, "10.49.0.0", {"kind": "drop"})
    got = shown(d)
    equal(got["Image state"], "published", "the state")
    equal(got["Image file"], path(d), "the file")
    wait_until(lambda: shown(d)["Prefixes"].startswith("51, "), lambda: "the prefixes: %r" % shown(d))
    check(int(shown(d)["Generation"]) >= 1, "the generation: %r" % got)
    for line in "Lag", "Fragments", "Full rebuilds", "Chunks written", "Image memory", "Builder memory":
        check(line in got, "no line %s: %r" % (line, got))
    d.stop()


def numbers():
    """The numbers of `show protocols all` are those of the file, after changes that leave holes."""
    routes = ["10.%d.%d.0/24 blackhole" % (i // 200, i % 200) for i in range(1000)]
    d = start(routes=routes)
    entry(d, "10.4.199.0", {"kind": "drop"})

    def counted(name):
        return [int(n) for n in re.findall(r"\d+", shown(d)[name])]

    def same():
        x, got = Image(path(d)), shown(d)
        octets = x.used("slot", "chunk")
        side, idle = x.used("hop", "origin", "attr", "set"), x.idle("chunk")
        want = {
            "Generation": "%d" % x.generation,
            "Lag": "0.000 s",
            "Prefixes": "%d, %d.%02d octets each" % ((x.prefixes,) + divmod(octets * 100 // x.prefixes, 100)),
            "Image memory": "%d octets of routes, %d of attributes" % (octets, side),
        }
        x.close()
        return all(got[k] == v for k, v in want.items()) and got["Fragments"].endswith(", %d octets" % idle)

    wait_until(same, lambda: "the numbers: %r" % shown(d))
    written, rebuilt = counted("Chunks written")[0], counted("Full rebuilds")[0]
    equal(rebuilt, 1, "the full rebuilds")
    routes[:300:3] = ["10.%d.%d.0/24 unreachable" % (i // 200, i % 200) for i in range(0, 300, 3)]
    before = generation(path(d))
    configure(d, routes=routes)
    wait_until(lambda: generation(path(d)) > before, "the changes")
    entry(d, "10.1.97.0", {"kind": "reject"})
    wait_until(same, lambda: "the numbers after changes: %r" % shown(d))
    # two blocks changed: one chunk each, at most twice
    check(2 <= counted("Chunks written")[0] - written <= 4, "the chunks: %r, before %d" % (shown(d), written))
    equal(counted("Full rebuilds")[0], 1, "the full rebuilds")
    d.stop()


def packed():
    """After many changes at once the chunks shrink without further changes to at most 1.1 of fresh chunks."""
    routes = ["10.%d.%d.0/24 blackhole" % (i % 100, i // 100 * 2) for i in range(5000)]
    d = start(routes=routes)
    entry(d, "10.99.98.0", {"kind": "drop"})
    configure(d, routes=[r.replace("blackhole", "unreachable") for r in routes])
    entry(d, "10.99.98.0", {"kind": "reject"})

    def octets():
        x = Image(path(d))
        got = x.used("chunk")
        x.close()
        return got

    last = [0]

    def steady():
        before, last[0] = last[0], generation(path(d))
        return before == last[0]

    wait_until(steady, "the end of compaction", every_s=0.3)
    worn, before = octets(), generation(path(d))
    d.run("restart i4")
    wait_until(lambda: generation(path(d)) > before, "a fresh image")
    check(worn <= 1.1 * octets(), "%d octets, fresh %d" % (worn, octets()))
    d.stop()


link_case("kinds of routes and the longest match", kinds)
link_case("origin, peer, communities, RPKI state", facts)
link_case("equal attributes from two sessions", sources)
link_case("next hops resolved by the table", resolved)
link_case("next hops as received, entries without next hops", as_received)
link_case("enable, disable, restart", lives)
link_case("configure", configured)
link_case("another name of the protocol, of the table", renamed)
link_case("other filenames", moved)
link_case("other attributes, the other family", less)
link_case("add-path", many_paths)
link_case("an import filter", filtered)
link_case("a change within 100 ms", soon)
link_case("holes after many changes", packed)
link_case("sixteen images, threads 2", many)
link_case("stale routes of a restarting member", stale)
link_case("crash and -R", recovery)
link_case("show protocols all", lines)
link_case("the numbers of show protocols all", numbers)
done()
