# SPDX-License-Identifier: GPL-3.0-or-later
"""Interfaces and addresses that are there, come, go and change their names while members exchange routes: the list is
what the kernel has, and what bird2 shows of it, where that is installed."""

from links import *

import platform

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { interface "m1" { preferred 10.1.3.1; preferred 2001:db8:1::3; }; interface -"m0", "m*" { preferred \
10.9.0.2; }; }
"""
MACHINE = """
link add m0 type veth peer name m2
link set m0 up
link add d0 type bridge
link set d0 up
link add m3 type veth peer name m1
link set m1 up
link set m3 up
addr add 10.1.1.1/24 dev m1
addr add 10.1.1.2/24 dev m1
addr add 10.1.3.1/24 dev m1
addr add 10.1.3.2/16 dev m1
addr add 2001:db8:1::1/64 dev m1 nodad
addr add 2001:db8:1::3/64 dev m1 nodad
addr add fd00::3/64 dev m1 nodad
addr add 192.0.2.1 peer 192.0.2.9/32 dev d0
addr add 192.0.2.33 peer 192.0.2.99/28 dev d0
addr add 169.254.3.3/16 dev d0
addr add 172.17.3.3/31 dev d0
addr add 172.18.3.2/30 dev d0
addr add 172.18.3.9/32 dev d0
addr add 240.0.0.5/8 dev d0
addr add 8.8.9.8/24 scope host dev d0
addr add 2001:db8:9::1/127 dev d0 nodad
addr add 2001:db8:9::7/126 dev d0 nodad
addr add 2001:db8:a::1 peer 2001:db8:a::2 dev d0 nodad
addr add fec0::5/64 dev d0 nodad
addr add fe80::77/64 dev d0 nodad
addr add 10.9.0.1/24 dev m0
addr add 10.9.0.2/24 dev m0 label m0:x
link add br0 type bridge
link set br0 up
addr add 10.33.0.1/24 dev br0
link set m1 master br0
tuntap add tun0 mode tun
link set tun0 up
addr add 10.7.0.1/24 dev tun0
tuntap add tun2 mode tun
addr add fd00::7:1 peer fd00::7:2 dev tun2
link set tun2 multicast off
link add abcdefghijklmno type bridge
link set d0 mtu 9000
addr add 10.10.10.10/32 dev lo
"""


def machine():
    ip(MACHINE)
    wait_until(lambda: "tentative" not in ip_said("addr", "show", "up"), "link-local addresses")


def blocks(d, command):
    """{name: what is shown of it}; bird2 lists some interfaces not by index, but in the order in which it learned of
    them."""
    found, name = {}, None
    for code, line in d.run(command):
        if code == 1001 or (code == 1005 and line.split()):
            name = line.split()[0]
        if name and line:
            found.setdefault(name, []).append(line)
    return found


def as_bird():
    if not os.path.exists(BIRD):
        needs("bird2")
    machine()
    d, b = Daemon(CONF).start(), Bird(CONF, "bird").start()
    for command in ("show interfaces", "show interfaces summary"):
        wait_until(
            lambda: blocks(d, command) == blocks(b, command),
            lambda: "%s: %r, bird2: %r" % (command, blocks(d, command), blocks(b, command)),
        )
        check(len(blocks(d, command)) == 10, "interfaces")
    # What changes is seen, by both.
    for text in (
        "link set m0 down",
        "addr del 10.9.0.1/24 dev m0",
        "link set d0 mtu 1400",
        "link set m1 nomaster",
        "link del abcdefghijklmno",
        "link set lo down",
        "link set m0 up",
        "link set m2 up",
        "addr del 10.1.3.1/24 dev m1",
    ):
        step(text, lambda: blocks(b, "show interfaces"), True)
        wait_until(
            lambda: blocks(d, "show interfaces") == blocks(b, "show interfaces"),
            lambda: "%s: %r, bird2: %r" % (text, blocks(d, "show interfaces"), blocks(b, "show interfaces")),
        )
    for command in ("show interfaces m0", "show interfaces summary all"):
        equal(d.code(command), 9001, command)
    b.kill()
    # Preferred addresses follow the configuration.
    d.write(CONF.replace("10.9.0.2", "10.9.0.3"))
    ip("addr add 10.9.0.3/24 dev m2")
    equal(d.code("configure"), 3, "configure")
    wait_until(
        lambda: "\t10.9.0.3/24 (Preferred, scope site)" in blocks(d, "show interfaces")["m2"],
        "the address that is preferred now",
    )
    d.stop()


def no_router_id():
    """The lowest address of an interface that isn't loopback, at the start and later."""
    ip(
        "link add i0 type veth peer name i1\naddr add 10.44.0.2/24 dev i0\naddr add 10.44.0.9/24 dev i1\naddr add"
        " 10.1.0.1/32 dev lo"
    )
    d = Daemon('log "RUN/bird.log" all; protocol device {}\n').start()
    check("Router ID is 10.44.0.2" in d.text("show status"), d.text("show status"))
    equal(d.code("configure"), 3, "configure")
    check("Router ID is 10.44.0.2" in d.text("show status"), d.text("show status"))
    d.stop()
    bare_machine()
    d = Daemon('log "RUN/bird.log" all; protocol device {}\n')
    try:
        d.start()
    except Failed as e:
        check("no router id, and no interface to take a router id from" in str(e), str(e))
    check(not d.alive(), "it doesn't start without one")


PATTERNS = (
    '"m*"',
    '-"m*"',
    '-"m1", "*"',
    '10.0.0.0/8',
    '-"m0", 10.9.0.0/16',
    '"m1" 10.1.3.0/24',
    '"none"',
    '"lo"',
    '10.10.10.10',
    '-10.0.0.0/8, "*"',
    '192.0.2.9',
    '2001:db8::/32',
)


def router_id():
    """`router id from`, as bird2 has it."""
    if not os.path.exists(BIRD):
        needs("bird2")
    machine()
    found = {}
    for kind in (Daemon, Bird):
        for pattern in PATTERNS:
            d = kind('router id from %s; log "RUN/bird.log" all; protocol device {}\n' % pattern)
            try:
                d.start()
                said = re.search("Router ID is (\\S+)", d.text("show status")).group(1)
            except Failed:
                said = "none"
            found.setdefault(pattern, []).append(said)
            d.kill()
    for pattern in PATTERNS:
        equal(found[pattern][0], found[pattern][1], "router id from " + pattern)
    check(len({a for a, _ in found.values()}) > 4, "different ones: %r" % found)
    # What names us stays, though there is a lower one now; and goes with its interface.
    d = Daemon(CONF.replace("router id 10.0.0.1", 'router id from "br0"')).start()
    ip("link set br0 up\naddr add 10.2.0.1/24 dev br0")
    wait_until(lambda: "10.2.0.1/24" in d.text("show interfaces"), "the address")
    for change, want in ((None, "10.33.0.1"), ("addr del 10.33.0.1/24 dev br0", "10.2.0.1")):
        if change:
            ip(change)
            wait_until(lambda: "10.33.0.1/24" not in d.text("show interfaces"), "an address to go")
        equal(d.code("configure"), 3, "configure")
        check("Router ID is " + want in d.text("show status"), "router id " + want)
    ip("addr del 10.2.0.1/24 dev br0")
    wait_until(lambda: "10.2.0.1/24" not in d.text("show interfaces"), "an address to go")
    check("no address that fits" in d.text("configure"), "none to take a router id from")
    d.stop()


def kernels():
    """{(index, name): [addresses]}, as the kernel has them."""
    return {
        (i["ifindex"], i["ifname"]): [
            "%s/%d" % (a["local"], a["prefixlen"]) for a in i["addr_info"] if not a.get("tentative")
        ]
        for i in ip_has("addr")
    }


def ours(d):
    found, at = {}, None
    for code, line in d.run("show interfaces"):
        if code == 1001:
            m = re.match(r"(\S+) \S+ \(index=(\d+)", line)
            at = found.setdefault((int(m.group(2)), m.group(1)), [])
        elif code == 1003:
            at.append(line.split()[0])
    return found


def same(d, what):
    wait_until(lambda: ours(d) == kernels(), lambda: "%s: %r, kernel: %r" % (what, ours(d), kernels()))


def flaps():
    """A thousand changes while members exchange routes: nobody loses a session, and the list is the kernel's."""
    ip("link add f0 type veth peer name f1\nlink set f1 up")
    options = load_options(free_port(), 6, nets=3000, seed=3)
    d = Daemon(load_conf(options)).start()
    load = Load(options, 300, "announce,settle,rate=2000,hold=%d,rate=0,settle" % (4 if not SOAK else 120))
    before = d.stats()
    for k in range(10 if not SOAK else 100):
        text = []
        for i in range(10):
            n = "%d.%d" % (i, k + 1)
            text += [
                "link set f0 up",
                "addr add 10.%s.1/24 dev f0" % n,
                "addr add 2001:db8:%d::%d/64 dev f0 nodad" % (k + 1, i + 1),
                "addr add 10.%s.2/24 dev f0" % n,
                "link set f1 down",
                "link set f1 up",
                "addr del 10.%s.1/24 dev f0" % n,
                "link set f0 down",
                "link set f0 name g0",
                "link set g0 name f0",
            ]
        ip("\n".join(text))
        if k % 5 == 4:
            same(d, "round %d" % k)
            ip("addr flush dev f0\nlink del f0\nlink add f0 type veth peer name f1\nlink set f1 up")
    same(d, "at the end")
    result = load.succeed()
    equal(result["sessions_lost"], 0, "lost sessions")
    after = d.stats()
    check(after["fds"] <= before["fds"] + 8, "descriptors: %s, %s" % (before, after))
    d.stop()


def many():
    """More at once than the kernel keeps for a socket: all is read again."""
    cnt = 120
    d = Daemon(CONF).start()
    same(d, "what it begins with")
    freeze(d.pid)  # so that nobody reads
    ip(
        "\n".join(
            "link add n%d type veth peer name p%d\naddr add 10.200.0.%d/32 dev n%d" % (k, k, k, k) for k in range(cnt)
        )
    )
    os.kill(d.pid, signal.SIGCONT)
    same(d, "many interfaces")
    check(len(ours(d)) >= 2 * cnt, "many interfaces")
    wait_until(lambda: "all are read again" in d.whole_log(), "a line in the log")
    freeze(d.pid)
    ip("\n".join("link del n%d" % k for k in range(0, cnt, 2)))
    os.kill(d.pid, signal.SIGCONT)
    same(d, "half of them")
    d.stop()


# Refuses socket(AF_NETLINK, ...), as a service manager's RestrictAddressFamilies does; then runs its arguments.
REFUSE = """
import ctypes, os, struct, sys
nr = {"x86_64": 41, "aarch64": 198}[os.uname().machine]
f = b"".join(struct.pack("HBBI", *i) for i in ((0x20, 0, 0, 0), (0x15, 0, 3, nr), (0x20, 0, 0, 16), (0x15, 0, 1, 16),
    (0x06, 0, 0, 0x00050000 | 97), (0x06, 0, 0, 0x7fff0000)))
buf = ctypes.create_string_buffer(f)
prog = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(f) // 8, ctypes.addressof(buf)))
c = ctypes.CDLL(None, use_errno=True)
if c.prctl(38, 1, 0, 0, 0) or c.prctl(22, 2, prog, 0, 0):
    sys.exit("prctl: %d" % ctypes.get_errno())
os.execvp(sys.argv[1], sys.argv[1:])
"""


def refused():
    """A daemon that may not ask the kernel says so once, and serves its members."""
    if platform.machine() not in ("x86_64", "aarch64"):
        cannot_here("a filter of system calls for this machine")
    options = load_options(free_port(), 3, nets=300, seed=3)
    d = Daemon(load_conf(options))
    argv = d.argv
    d.argv = lambda *more: [sys.executable, "-c", REFUSE] + argv(*more)
    d.start()
    equal(blocks(d, "show interfaces"), {}, "interfaces")
    load_run(options)
    lines = lambda: [
        d.whole_log().count("Can't %s the interfaces: Address family not supported by protocol" % what)
        for what in ("follow", "read")
    ]
    stays(
        lambda: lines() == [1, 1], lambda: "lines about following, about reading: %s" % lines(), 1.2
    )  # it tries once a second
    d.stop()


in_namespace()
link_case("no router id", no_router_id)
link_case("as bird2 shows them", as_bird)
link_case("router id from", router_id)
link_case("a thousand changes during traffic", flaps)
link_case("more than the kernel keeps", many)
link_case("a kernel that may not be asked", refused)
done()
