# SPDX-License-Identifier: GPL-3.0-or-later
"""`ternc snapshot` and `ternd --preview NEW --against OLD --routes SNAPSHOT`: the numbers equal those of `configure
preview` in the daemon; conditions, exit statuses, text and JSON; snapshots that are cut at each record, foreign, empty,
absent or huge, wrong configurations; no process and no folder is left."""

import contextlib
import glob

from harness import *
from orders import A, B, C, FILTER, MORE, SCHEMA, World

if KIND != "ternd":
    cannot_here("this is about ternd")
TMP = temp_dir()
ENV = dict(os.environ, TMPDIR=TMP)


def ternc(w, *words):
    return subprocess.run(
        [program("ternc"), "-s", w.d.ctl, *words], capture_output=True, text=True, timeout=60 * SLOW, cwd=TMP
    )


def preview(new, old, routes, *more):
    r = subprocess.run(
        [program("ternd"), "--preview", new, "--against", old, "--routes", routes, *more],
        capture_output=True,
        text=True,
        timeout=120 * SLOW,
        env=ENV,
    )
    equal(glob.glob(TMP + "/tern-preview.*"), [], "folders that are left")
    return r


def objects(text):
    found = [json.loads(line) for line in text.splitlines()]
    wrong = [e for o in found for e in SCHEMA.errors(o)]
    check(not wrong, "not of the schema: %s" % wrong[:3])
    return found


def numbers(found):
    """What a preview says of each session, and in sum; without the cost of the preview."""

    def ordered(v):
        """A list in order; path identifiers of pipes are numbers of the process."""
        if not isinstance(v, list):
            return v
        return sorted(({k: x for k, x in o.items() if k != "path_id"} for o in v), key=str)

    channels = {
        (o["protocol"], o["channel"], d): (o["session"], {k: ordered(v) for k, v in o[d].items()})
        for o in found
        if o["type"] == "preview_channel"
        for d in ("import", "export")
        if d in o
    }
    (total,) = [o for o in found if o["type"] == "preview"]
    return channels, {k: total[k] for k in ("routes", "routes_next", "gained", "lost", "changed", "closed", "sessions")}


def file(name, text):
    path = os.path.join(TMP, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def live(w, new):
    return [json.loads(t) for c, t in w.d.run('json configure preview "%s"' % new) if c == 1100]


def snapshot(w, name="snap.mrt"):
    r = ternc(w, "snapshot", name)
    equal((r.returncode, r.stderr), (0, ""), "ternc snapshot: %r" % r)
    return os.path.join(TMP, name), r.stdout


def same(name, chan, table=False, head=""):
    """The new files: a stricter filter, another limit, a member less, the same file."""
    w = World(chan=chan, table=table, head=head)
    w.m[3].wait([A, B, C] + ([MORE] if chan == "import all;" else []), "routes")
    w.m[1].listen()
    old = file("old.conf", w.conf())
    routes, said = snapshot(w)
    keep = "import table on;" if "import table" in chan else ""
    for what, text, effect in (
        ("the same file", w.conf(), 0),
        ("a stricter filter", w.conf(chan="import where net != %s;" % A + keep), 1),
        ("nothing passes", w.conf(chan="import none;" + keep), 1),
        ("a lower limit", w.conf(chan=chan + "import limit 1 action restart;"), 1),
        ("a member less", w.conf(skip=(2,)), 1),
    ):
        new = file("new.conf", text)
        r = preview(new, old, routes, "--json")
        equal((r.returncode, r.stderr), (0, ""), "%s: %s" % (what, r.stderr))
        got = objects(r.stdout)
        equal(numbers(got), numbers(live(w, new)), "%s, %s" % (name, what))
        total = numbers(got)[1]
        check(table or (total["lost"] + total["closed"] > 0) == bool(effect), "%s, %s: %r" % (name, what, total))
    w.end()
    return said


def kept():
    said = same("import table", FILTER + "import table on;")
    check("Routes: 5\n" in said and "Channels" not in said, said)


def unkept():
    check("without their refused routes" in same("import all", "import all;"), "a warning")


def tables():
    same("tables of members", FILTER + "import table on;", table=True)


def conditions():
    w = World(chan=FILTER + "import table on;")
    w.m[3].wait([A, B, C], "routes")
    old, new = file("old.conf", w.conf()), file("new.conf", w.conf(chan="import none;"))
    routes, _ = snapshot(w)
    r = preview(new, old, routes, "--fail-if", "lost > 0, member.lost > 100")
    equal(r.returncode, 1, "a condition is met: %r" % r)
    check("lost" in r.stdout and "lost > 0" in r.stdout, r.stdout)
    r = preview(new, old, routes, "--fail-if", "lost > 100 %, closed > 3", "-T", "1")
    equal((r.returncode, r.stderr), (0, ""), "no condition is met: %r" % r)
    r = preview(new, old, routes, "--json", "--fail-if", "member.lost > 2")
    equal(r.returncode, 1, "JSON: %r" % r)
    met = [o["met"] for o in objects(r.stdout) if o["type"] == "preview_condition"]
    equal(met, ["member.lost > 2: m3 3 of 3"], "JSON")
    equal(preview(new, old, routes, "--fail-if", "lost >").returncode, 2, "a wrong condition")
    # the daemon goes, and has no part in the preview
    w.end()
    equal(preview(new, old, routes, "--fail-if", "lost > 0").returncode, 1, "without the daemon")


def away():
    """A session that is down has no routes in a snapshot; a session that the old file lacks is named."""
    w = World(chan=FILTER + "import table on;")
    w.m[3].wait([A, B, C], "routes")
    w.m[2].reset()
    w.m[3].wait([A, B], "member 2 is away")
    routes, _ = snapshot(w)
    old, new = file("old.conf", w.conf()), file("new.conf", w.conf(chan="import none;"))
    r = preview(new, old, routes, "--json")
    equal((r.returncode, r.stderr), (0, ""), "two sessions: %r" % r)
    equal(numbers(objects(r.stdout))[1]["sessions"], 2, "two sessions")
    old = file("old.conf", w.conf(skip=(1,)))
    r = preview(new, old, routes)
    equal(r.returncode, 0, "a session without a place: %r" % r)
    check("sessions that are not up" in r.stderr and "127.0.11.1" in r.stderr, r.stderr)
    w.end()


def bad():
    w = World(chan=FILTER + "import table on;")
    w.m[3].wait([A, B, C], "routes")
    conf = file("old.conf", w.conf())
    routes, _ = snapshot(w)
    w.end()
    with open(routes, "rb") as f:
        octets = f.read()
    ends, at = [], 0
    while at < len(octets):
        at += 12 + int.from_bytes(octets[at + 8 : at + 12], "big")
        ends.append(at)
    cut = os.path.join(TMP, "cut.mrt")

    def fails(octets, said, what):
        if octets is not None:
            with open(cut, "wb") as f:
                f.write(octets)
        r = preview(conf, conf, cut)
        check(r.returncode == 2 and said in r.stderr and not r.stdout, "%s: %r" % (what, r))

    fails(b"", "the file is empty", "an empty file")
    for end in ends:
        fails(octets[: end - 1], "the file ends within a record", "cut off at %d" % (end - 1))
    fails(octets[: ends[0] - 5] + octets[ends[0] :], "", "a record with a wrong length")
    fails(b"router id 10.0.0.1;\n" * 100, "", "a file that is not MRT")
    fails(b"\xff" * 100000, "the file isn't in MRT format", "another file that is not MRT")
    fails(octets[:12] + b"\xff" * (ends[0] - 12) + octets[ends[0] :], "a record can't be read", "a wrong index")
    os.unlink(cut)
    fails(None, "No such file", "no file")
    os.mkdir(cut)
    fails(None, "", "a folder")
    r = preview(conf, os.path.join(TMP, "nosuch.conf"), routes)
    check(r.returncode == 2 and "nosuch.conf" in r.stderr, "no old file: %r" % r)
    r = preview(os.path.join(TMP, "nosuch.conf"), conf, routes)
    check(r.returncode == 2 and "nosuch.conf" in r.stderr, "no new file: %r" % r)
    wrong = file("wrong.conf", "protocol nonsense {}\n")
    r = preview(wrong, conf, routes)
    check(r.returncode == 2 and "wrong.conf:1:" in r.stderr, "a wrong new file: %r" % r)
    r = preview(conf, wrong, routes)
    check(r.returncode == 2 and "wrong.conf:1:" in r.stderr and not r.stdout, "a wrong old file: %r" % r)
    r = subprocess.run([program("ternd"), "--preview", conf], capture_output=True, text=True, timeout=60)
    check(r.returncode == 2 and "Usage" in r.stderr, "options: %r" % r)


def killed():
    """The child ends with its parent."""
    w = World(chan=FILTER + "import table on;")
    w.m[3].wait([A, B, C], "routes")
    conf = file("old.conf", w.conf())
    routes, _ = snapshot(w)
    w.end()
    p = spawn([program("ternd"), "--preview", conf, "--against", conf, "--routes", routes], env=ENV)
    children = "/proc/%d/task/%d/children" % (p.pid, p.pid)

    def child():
        with contextlib.suppress(FileNotFoundError), open(children) as f:
            return f.read().split()

    (pid,) = wait_until(child, "the child")
    p.kill()
    p.wait()
    wait_until(lambda: not os.path.exists("/proc/%s/exe" % pid), "the child has ended")


case("routes before the import filter", kept)
case("routes that are not kept", unkept)
case("tables of members", tables)
case("conditions", conditions)
case("sessions that are down", away)
case("wrong input", bad)
case("the end of the parent", killed)
done()
