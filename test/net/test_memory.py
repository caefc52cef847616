# SPDX-License-Identifier: GPL-3.0-or-later
"""`show memory` accounts for what the daemon holds, and what a large member left goes back to the system."""

import json

from harness import *

if is_sanitized(os.path.join(BUILD, "ternd")) or KIND == "bird2":
    cannot_here("memory is not the daemon's own")

UNIT = {"B": 1, "kB": 1024, "MB": 1 << 20, "GB": 1 << 30}
NETS = 400000 if SOAK else 100000


def rows(d):
    """{name: (effective, overhead)} in octets."""
    found = {}
    for _, text in d.run("show memory"):
        m = re.match(r"(\S.*?): +([0-9.]+) +(\S+) +([0-9.]+) +(\S+)$", text)
        if m:
            found[m.group(1)] = tuple(float(m.group(i)) * UNIT[m.group(i + 1)] for i in (2, 4))
    return found


def one_look(d):
    """Rows, their sum, the total row, and the resident size that the kernel tells."""
    got = rows(d)
    rss = d.stats()["rss_kb"] * 1024
    total = sum(got.pop("Total"))
    missed = got.pop("Not accounted")[1]
    return got, sum(a + b for a, b in got.values()), total, missed, rss


def adds_up(d, when):
    """The rows, none of which is a remainder, against the resident size. The two are read one after the
    other, so while memory goes back to the system they are looked at again."""
    look = ()

    def adds():
        nonlocal look
        look = one_look(d)
        _, told, total, _, rss = look
        return abs(told - rss) < 0.1 * rss and abs(total - rss) < 0.1 * rss

    wait_until(adds, lambda: "%s: rows, what they tell, total, missed, resident: %r" % (when, look), every_s=0.2)
    got, told, total, missed, rss = look
    note("     %s: %.1f MB resident, %.1f MB in rows, %.1f MB missed" % (when, rss / 1e6, told / 1e6, missed / 1e6))
    return got


def clients(cnt, nets):
    port = free_port()
    options = load_options(port, cnt, nets=nets, ratio=min(cnt, 2.4), seed=SEED, plain=True, no_filter=True)
    d = Daemon(load_conf(options)).start()
    adds_up(d, "idle")
    load = Load(options, 60, "announce,hold=60")
    load.wait_hold()
    wait_until(lambda: d.routes()[1] == nets, "all nets are there", 30)
    got = adds_up(d, "%d clients" % cnt)
    check(got["Routing tables"][0] > 32 * nets, "tables have %d octets" % got["Routing tables"][0])
    load.stop()
    d.stop()


def leaves():
    """Most of what a large member brought is with the system some seconds after it has left."""
    port = free_port()
    options = load_options(port, 1, nets=NETS, ratio=1, seed=SEED, plain=True, no_filter=True)
    d = Daemon(load_conf(options)).start()
    for turn in (1, 2):
        before = d.stats()["rss_kb"]
        load = Load(options, 60, "announce,hold=60")
        wait_until(lambda: d.routes()[1] == NETS, "the routes come", 30)
        full = d.stats()["rss_kb"]
        adds_up(d, "full")
        load.stop()
        wait_until(lambda: d.routes()[1] == 0, "the routes go")
        gives_back(d, before, full)
    d.stop()


def gives_back(d, before, full):
    """Two thirds of what came are with the system when it has gone. Sizes in kB."""
    wait_until(
        lambda: d.stats()["rss_kb"] <= before + (full - before) // 3,
        lambda: "before %d kB, with it %d kB, later %d kB: %r" % (before, full, d.stats()["rss_kb"], rows(d)),
        every_s=0.2,
    )
    note("     %d kB before, %d kB with it, %d kB after" % (before, full, d.stats()["rss_kb"]))
    adds_up(d, "after")


def leaves_others():
    """The same while nine others stay, with routes of their own between those that go."""
    port = free_port()
    options = load_options(
        port, 10, nets=5000, ratio=2.4, full=NETS, seed=SEED, plain=True, no_filter=True, allow_loss=True
    )
    d = Daemon(load_conf(options)).start()
    load = Load(options, 120, "announce,hold=3,join,hold=90")
    load.wait_hold()
    few = d.routes()[1]
    before = d.stats()["rss_kb"]
    wait_until(lambda: d.routes()[1] >= NETS, "the full table comes", 30)
    adds_up(d, "full, with others")
    full = d.stats()["rss_kb"]
    d.run("disable p0")
    wait_until(lambda: d.routes()[1] == few, "its routes go")
    gives_back(d, before, full)
    load.stop()
    d.stop()


def journal():
    """What a member that doesn't read leaves in the journal is counted once, not as part of the program, too."""
    port = free_port()
    options = load_options(port, 3, nets=100000, ratio=1, seed=SEED, plain=True, no_filter=True)
    d = Daemon(load_conf(options)).start()
    load = Load(options, 120, "stall=1:0,announce,hold=60")
    wait_until(lambda: d.routes()[1] >= 60000, "two announce", 30)
    wait_until(lambda: rows(d)["Journals"][0] > 4e6, "the journal fills", 30)
    adds_up(d, "a member doesn't read")
    load.stop()
    d.stop()


TABLES, LARGE = 100, 200000


def many_conf(base):
    """@base, and TABLES tables: 60 have what a hub has, by pipes, one more all that members have announced; the rest
    routes of their own."""

    def static(name, table, net, cnt):
        return "protocol static %s { disabled; ipv4 { table %s; }; %s }\n" % (
            name,
            table,
            " ".join("route %s.%d.%d.0/24 blackhole;" % (net, k // 256, k % 256) for k in range(cnt)),
        )

    text = [base, "ipv4 table hub;\n", static("shub", "hub", "20", 3000)]
    for nr in range(TABLES):
        text.append("ipv4 table t%d;\n" % nr)
        if nr <= 60:
            text.append(
                "protocol pipe q%d { table t%d; peer table %s; import all; export all; }\n"
                % (nr, nr, "hub" if nr < 60 else "master4")
            )
        else:
            text.append(static("s%d" % nr, "t%d" % nr, "30", 300))
    return "".join(text)


def back(d, before, allowed, what):
    """Resident memory becomes @before kB and some more at most."""
    since = time.monotonic()
    wait_until(
        lambda: d.stats()["rss_kb"] <= before + allowed,
        lambda: "%s: %d kB before, later %d kB: %r" % (what, before, d.stats()["rss_kb"], rows(d)),
        every_s=0.1,
    )
    note("     %s: %d kB before, %d kB %.1f s later" % (what, before, d.stats()["rss_kb"], time.monotonic() - since))


def many_tables():
    """After the last route of many tables nearly all of their memory is with the system; of the tables, too, when
    they are deleted."""
    port = free_port()
    options = load_options(port, 1, nets=LARGE, ratio=1, seed=SEED, plain=True, no_filter=True)
    base = load_conf(options)
    d = Daemon(base).start()
    start = d.stats()["rss_kb"]
    for turn in (1, 2):
        d.write(many_conf(base))
        check(d.code("configure") in (3, 4), "configure")
        wait_until(lambda: len(re.findall(r"^q\d+ .* up ", d.text("show protocols"), re.M)) == 61, "pipes are up")
        before = settled(lambda: d.stats()["rss_kb"], "resident memory")
        load = Load(options, 60, "announce,hold=60")
        d.run('enable "s*"')
        for table, cnt in (("t60", LARGE), ("t59", 3000), ("t99", 300)):
            wait_until(
                lambda: "for %d networks" % cnt in d.text("show route count table " + table),
                "routes come to " + table,
                30,
            )
        spread(2)  # so that it has been seen in use
        full = d.stats()["rss_kb"]
        d.run('disable "s*"')
        load.stop()
        wait_until(
            lambda: not re.search(r"for [1-9]\d* networks", d.text("show route table all count")), "all routes go", 30
        )
        note("     %d kB in %d tables" % (full, TABLES))
        back(d, before, (full - before) // 7, "routes gone")
        d.write(base)
        check(d.code("configure") in (3, 4), "configure")
        wait_until(lambda: d.stats()["threads"] < 30, "tables go")
        back(d, start, (full - start) // 7, "tables gone")
    d.stop()


def tables():
    """With many small tables rows agree with the resident size, too, and each table has a line."""
    port = free_port()
    options = load_options(port, 100, nets=1000, ratio=2, seed=SEED, plain=True, no_filter=True, multi=True)
    d = Daemon(load_conf(options)).start()
    load = Load(options, 60, "announce,hold=60")
    load.wait_hold()
    adds_up(d, "100 tables")
    lines = [t for c, t in d.run("show memory tables") if c == 1018][1:]
    names = re.findall(r"^ *Table (\S+):$", d.text("show table"), re.M)
    equal([t.split()[0] for t in lines], names, "a line a table")
    check(len(names) >= 100, "tables: %r" % names)
    found = [json.loads(t) for _, t in d.run("json show memory tables") if "table_memory" in t]
    parts = "networks", "paths", "streams", "journals", "index"
    for t in found:
        equal(sum(t[k + "_octets"] for k in parts), t["total_octets"], t["name"])
    held = [sum(t[k + "_octets"] for t in found) for k in ("networks", "paths", "streams")]
    check(
        0.6 * rows(d)["Routing tables"][0] < sum(held) < 1.1 * rows(d)["Routing tables"][0],
        "%r of %r" % (held, rows(d)),
    )
    equal(d.text("show memory table " + names[0]).count("\n%s " % names[0]), 1, "one table")
    check(d.code("show memory table none") >= 8000, "a table that isn't there")
    load.stop()
    d.stop()


case("many small tables", tables)
case("many tables", many_tables)
case("one client", clients, 1, 20000)
case("a hundred clients", clients, 100, 20000)
case("a large member leaves", leaves)
case("a large member leaves others", leaves_others)
case("a member that doesn't read", journal)
done()
