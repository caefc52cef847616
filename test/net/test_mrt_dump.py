# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables in MRT format: what ternd writes is, record by record, what bird2 writes of the same routes, and what bgpdump
reads; files appear whole or not at all."""

import collections

import mrt_read
from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
PORT, BIRD_PORT = free_port(), free_port()
# of attributes that we write: optional and transitive bits (RFC 4271, 4760, 1997, 8092, 4360, 4456)
FLAGS = {
    1: 0x40,
    2: 0x40,
    3: 0x40,
    4: 0x80,
    5: 0x40,
    6: 0x40,
    7: 0xC0,
    8: 0xC0,
    9: 0x80,
    10: 0x80,
    14: 0x80,
    16: 0xC0,
    32: 0xC0,
}


def conf(options, more=""):
    """Without a custom attribute, which bird2 writes into its dumps; with static routes, which have no peer."""
    text = re.sub(r"(?m)^attribute int dummy;\n|^ *dummy = .*\n", "", load_conf(options))
    text = text.replace("export all", "export where source = RTS_BGP")
    return (
        text
        + """
protocol static st4 { ipv4; route 192.0.2.0/24 blackhole; }
protocol static st6 { ipv6; route 2001:db8:ffff::/48 unreachable; }
"""
        + more
    )


def facts(dump, entry):
    """A route, whichever number its peer has. bird2 writes the LOCAL_PREF that it gives to routes that come without."""
    attrs = {code: value for code, (_, value) in entry.attrs.items()}
    if attrs.get(5) == b"\0\0\0\x64":
        del attrs[5]
    return dump.peers[entry.peer], entry.path_id, tuple(sorted(attrs.items()))


def table(path):
    records, dump = mrt_read.read(path)
    equal(records, [], "messages in a dump")
    return dump


def dump_of(d, name, more=""):
    path = os.path.join(d.dir, name + ".mrt")
    equal(d.code('mrt dump table %s to "%s"%s' % (name, path, more)), 0, "the dump of " + name)
    return path


def both(options, more_ours="", more_theirs=""):
    """ternd and bird2 with the same members, all of which have said what they have."""
    runs = []
    for cls, port, more in ((Daemon, PORT, more_ours), (Bird, BIRD_PORT, more_theirs)):
        o = load_options(port, **options)
        d = cls(conf(o, more))
        d.start()
        runs.append((d, Load(o, 90, "announce,settle,hold=60")))
    for d, load in runs:
        load.wait_hold()
    return [d for d, _ in runs], [load for _, load in runs]


def compare(ours, theirs, ordered):
    equal(sorted(map(str, ours.ribs)), sorted(map(str, theirs.ribs)), "nets")
    check(len(ours.ribs) > 50, "few nets: %d" % len(ours.ribs))
    equal(sorted(map(str, ours.peers)), sorted(map(str, theirs.peers)), "peers")
    equal((ours.view, ours.collector, ours.peers[0]), (theirs.view, theirs.collector, theirs.peers[0]), "head")
    for net, entries in ours.ribs.items():
        a, b = [facts(ours, e) for e in entries], [facts(theirs, e) for e in theirs.ribs[net]]
        if ordered:
            equal(a[0], b[0], "the best route of %s" % net)
        equal(sorted(a, key=str), sorted(b, key=str), "routes of %s" % net)
        for e in entries:
            check(abs(e.time - time.time()) < 300 * SLOW, "the time of %s: %d" % (net, e.time))
            for code, (flags, _) in e.attrs.items():
                check(code not in FLAGS or flags & 0xC0 == FLAGS[code], "flags %x of attribute %d" % (flags, code))


def by_bgpdump(path):
    """{(prefix, peer's address, AS): (AS path, next hop)} of all lines."""
    text = subprocess.run(
        ["bgpdump", "-m", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, timeout=60 * SLOW
    ).stdout.decode()
    out = collections.Counter()
    for line in text.splitlines():
        f = line.split("|")
        out[(f[5], f[3], int(f[4]), f[6], f[8] if f[6] else "")] += 1
    return out


def path_text(value):
    words = []
    while value:
        kind, cnt = value[0], value[1]
        numbers = ["%d" % n for n in struct.unpack("!%dI" % cnt, value[2 : 2 + 4 * cnt])]
        words.append("{%s}" % ",".join(numbers) if kind == 1 else " ".join(numbers))
        value = value[2 + 4 * cnt :]
    return " ".join(words)


def as_bgpdump(dump):
    out = collections.Counter()
    for net, entries in dump.ribs.items():
        for e in entries:
            _, addr, number = dump.peers[e.peer]
            path = path_text(e.attrs[2][1]) if 2 in e.attrs else ""
            hop = ""
            if path:
                raw = e.attrs[3][1] if 3 in e.attrs else e.attrs[14][1][1:17]
                hop = str(mrt_read.Octets(raw).address(len(raw) == 16))
            out[(str(net), str(addr), number, path, hop)] += 1
    return out


def as_birds():
    (ours, theirs), loads = both({"clients": 6, "nets": 200, "family": "both"})
    for name in ("master4", "master6"):
        a, b = dump_of(ours, name), dump_of(theirs, name)
        compare(table(a), table(b), True)
        equal(table(a).add_path, False, "path identifiers")
        if shutil.which("bgpdump"):
            equal(by_bgpdump(a), as_bgpdump(table(a)), "what bgpdump reads of " + name)
        want = {str(n) for n in table(a).ribs if n.prefixlen == 24}
        got = table(dump_of(ours, name, " where net.len = 24"))
        equal({str(n) for n in got.ribs}, want, "nets that pass the filter")
        always = table(dump_of(ours, name, " always add path"))
        equal(always.add_path, True, "path identifiers")
        equal([e for n in always.ribs.values() for e in n], [e for n in table(a).ribs.values() for e in n], "routes")
    for load in loads:
        load.stop()
    for d in (ours, theirs):
        d.stop()


def with_ids():
    options = {"clients": 4, "nets": 100, "add_paths": "rx", "paths": 3}
    (ours, theirs), loads = both(options)
    a, b = dump_of(ours, "master4"), dump_of(theirs, "master4")
    compare(table(a), table(b), False)
    check(table(a).add_path, "no path identifiers")
    check(any(e.path_id for n in table(a).ribs.values() for e in n), "all path identifiers are 0")
    always = table(dump_of(ours, "master4", " always add path"))
    for net, entries in table(a).ribs.items():
        equal(
            collections.Counter(facts(table(a), e) for e in entries),
            collections.Counter(facts(always, e) for e in always.ribs[net]),
            "routes of %s" % net,
        )
    for load in loads:
        load.stop()
    for d in (ours, theirs):
        d.stop()


STATIC = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
ipv4 table t1; ipv4 table t2; ipv6 table u1; roa4 table r1;
filter tagged { bgp_community.add((65000, 7)); if net.len = 32 then reject; accept; }
protocol static a { ipv4 { table t1; }; route 192.0.2.0/24 blackhole; route 192.0.2.1/32 blackhole; }
protocol static b { ipv4 { table t2; }; route 198.51.100.0/24 blackhole; }
protocol static c { ipv6 { table u1; }; route 2001:db8::/32 blackhole; }
"""


def by_period():
    d = Daemon(
        STATIC
        + 'protocol mrt m1 { table "t*"; filename "RUN/%N-%Y-%%.mrt"; period 1; filter tagged; debug { events }; }\n'
        'protocol mrt m2 { table u1; filename "RUN/all.mrt"; period 1; }\n'
        'protocol mrt m3 { table "*"; filename "RUN/one.mrt"; period 1; always add path; }\n'
    ).start()
    year = time.strftime("%Y")
    t1, t2 = (os.path.join(d.dir, "t%d-%s-%%.mrt" % (k, year)) for k in (1, 2))
    for path in (t1, t2, os.path.join(d.dir, "all.mrt"), os.path.join(d.dir, "one.mrt")):
        wait_until(lambda: os.path.exists(path), path)
    equal(
        {str(n): [e.attrs for e in es] for n, es in table(t1).ribs.items()},
        {"192.0.2.0/24": [{8: (0xC0, bytes([0xFD, 0xE8, 0, 7]))}]},
        "routes that the filter changed",
    )
    equal(list(map(str, table(t2).ribs)), ["198.51.100.0/24"], "t2")
    equal(list(map(str, table(os.path.join(d.dir, "all.mrt")).ribs)), ["2001:db8::/32"], "u1")
    one = table(os.path.join(d.dir, "one.mrt"))
    equal(
        sorted(map(str, one.ribs)), ["192.0.2.0/24", "192.0.2.1/32", "198.51.100.0/24", "2001:db8::/32"], "all tables"
    )
    wait_until(lambda: "Dumped 2 tables: 2 routes of 2 nets" in d.said(), lambda: "what debug says: " + d.said())
    # another file, other routes; the one before isn't written any more
    d.write(STATIC + 'protocol mrt m1 { table t1; filename "RUN/new.mrt"; period 1; }\n')
    equal(d.code("configure"), 4, "configure, which ends two instances")
    wait_until(lambda: os.path.exists(os.path.join(d.dir, "new.mrt")), "new.mrt")
    equal(len(table(os.path.join(d.dir, "new.mrt")).ribs), 2, "routes")
    os.unlink(t2)
    equal(d.code("disable m1"), 0, "disable")
    os.unlink(os.path.join(d.dir, "new.mrt"))
    wait_until(lambda: not glob.glob(d.dir + "/*.part"), lambda: "files: %s" % os.listdir(d.dir))
    stays(
        lambda: not os.path.exists(t2) and not os.path.exists(os.path.join(d.dir, "new.mrt")),
        lambda: "an instance that is disabled or gone dumps: %s" % os.listdir(d.dir),
        1.5,
    )
    d.stop()


def refused():
    d = Daemon(STATIC).start()
    for command, code, text in (
        ("mrt dump", 9001, "Table not specified"),
        ("mrt dump table t1", 9001, "Filename not specified"),
        ("mrt dump table nix to \"x\"", 9001, None),
        ("mrt dump table t1 to x", 9001, None),
        ('mrt dump table "z*" to "RUN/x"', 8000, "no table"),
        ('mrt dump table r1 to "RUN/x"', 8000, "no table"),
        ('mrt dump table t1 to "/dev/null"', 8000, "isn't a file"),
        ('mrt dump table t1 to "RUN"', 8000, "Is a directory"),
        ('mrt dump table t1 to "RUN/no/x"', 8000, "No such file"),
        ('mrt dump table t1 to "RUN/x" where true where true', 9001, "Filter specified twice"),
        ('mrt dump table t1 to "RUN/x" where nix', 9001, None),
    ):
        got = d.run(command.replace("RUN", d.dir))
        equal(got[-1][0], code, command)
        check(not text or text in got[-1][1], "%s: %s" % (command, got))
    check(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"), "/dev/null is a file")
    equal([f for f in os.listdir(d.dir) if "x" in f], [], "files")
    cli = Cli(d.ctl)
    equal(cli.run("restrict")[-1][0], 16, "restrict")
    equal(cli.run('mrt dump table t1 to "%s/x"' % d.dir)[-1][0], 8007, "when restricted")
    d.stop()


class Small(Daemon):
    """With a disk of 64 kB, of its own."""

    def argv(self, *more):
        disk = os.path.join(self.dir, "disk")
        os.makedirs(disk, exist_ok=True)
        return ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=64k none "$0" && exec "$@"', disk] + super().argv(
            *more
        )


def full_disk():
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], stderr=subprocess.DEVNULL).returncode:
        cannot_here("no file systems of our own")
    routes = "".join(" route 10.%d.%d.0/24 blackhole;" % (i // 256, i % 256) for i in range(4000))
    text = (
        STATIC
        + "protocol static many { ipv4 { table t1; };%s }\n" % routes
        + 'protocol mrt m1 { table t1; filename "RUN/disk/big.mrt"; period 1; }\n'
    )
    d = Small(text).start()
    wait_until(
        lambda: "m1: MRT dump failed: %s/disk/big.mrt: No space left on device" % d.dir in d.said(), "a line in the log"
    )
    wait_until(
        lambda: "Dump failed: %s/disk/big.mrt: No space left on device" % d.dir in d.text("show protocols m1"),
        lambda: d.text("show protocols m1"),
    )
    d.write(text.replace("disk/big", "big"))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(
        lambda: "failed" not in d.text("show protocols m1"), lambda: "one that succeeds: " + d.text("show protocols m1")
    )
    d.write(text)
    check(d.code("configure") in (3, 4), "configure")
    wait_until(
        lambda: "Dump failed" in d.text("show protocols m1"), lambda: "it fails again: " + d.text("show protocols m1")
    )
    equal(d.code("disable m1"), 0, "disable")
    got = d.run('mrt dump table t1 to "%s/disk/x"' % d.dir)[-1]
    check(got[0] == 8000 and "No space left" in got[1], "the command: %s" % (got,))
    wait_until(lambda: os.listdir("/proc/%d/root%s/disk" % (d.pid, d.dir)) == [], "nothing to be left on the disk")
    equal(d.code('mrt dump table t2 to "%s/disk/x"' % d.dir), 0, "a small one")
    d.stop()


def ends_early():
    """The instance restarts, the client goes, the daemon ends, while a dump is under way."""
    routes = "".join(" route 10.%d.%d.0/24 blackhole;" % (i // 256, i % 256) for i in range(20000))
    d = Daemon(
        STATIC
        + "protocol static many { ipv4 { table t1; };%s }\n" % routes
        + 'protocol mrt m1 { table t1; filename "RUN/big.mrt"; period 1; }\n'
    ).start()
    wait_until(lambda: os.path.exists(os.path.join(d.dir, "big.mrt")), "a dump")
    for _ in range(5):
        equal(d.code("restart m1"), 0, "restart")
        equal(d.code('mrt dump table "t*" to "%s/%%N.mrt"' % d.dir), 0, "dump")
    equal(len(table(os.path.join(d.dir, "t1.mrt")).ribs), 20002, "routes")
    cli = Cli(d.ctl)
    cli.send('mrt dump table t1 to "%s/gone.mrt"\n' % d.dir)
    cli.close()
    d.stop()
    check(not glob.glob(d.dir + "/*.part"), "files: %s" % os.listdir(d.dir))


bird_case("dumps are bird2's, and bgpdump reads them", as_birds)
bird_case("dumps with path identifiers are bird2's", with_ids)
case("dumps by period, their names and filters", by_period)
case("what a command refuses", refused)
case("a full disk is a line in the log", full_disk)
case("dumps that end early", ends_early)
done()
