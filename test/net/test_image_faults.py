# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of the files of images: the daemon reports each fault (`show protocols`, `show health`, log), tries again, and
keeps all routes; readers keep the last image. In real time: the files have a real disk with little room."""

from image_read import Image, generation, look
from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
protocol static s4 { ipv4;%s }
protocol image i4 { table master4; filename "%s"; attributes { next hop, communities }; }
"""


def conf(path, *nets):
    return CONF % ("".join(" route %s;" % n for n in nets), path)


def daemon(path, *nets):
    d = Daemon()
    d.write(conf(path, *nets))
    return d.start()


def configure(d, path, *nets):
    d.write(conf(path, *nets))
    check(d.code("configure") in (3, 4), "configure: " + d.said())


def kind(path, address, want):
    """The image soon has a route of kind @want; None: no route."""
    wait_until(
        lambda: (look(path, address) or {}).get("kind") == want,
        lambda: "%s: %r, not %r" % (address, look(path, address), want),
    )


def reports(d, what):
    """`show protocols` and `show health` tell the fault, and the log did."""
    wait_until(lambda: what in d.text("show protocols i4"), lambda: "%s: %s" % (what, d.text("show protocols i4")))
    check(what in d.text("show health"), "health: " + d.text("show health"))
    check(what in d.whole_log(), "the log: " + d.said())


def well(d):
    """No fault is reported any more."""
    wait_until(
        lambda: re.search(r"^i4 +Image +master4 +up +\S+ *$", d.text("show protocols i4"), re.M),
        lambda: "the end of the fault: " + d.text("show protocols i4"),
    )


def gone():
    """A removed file, and a file of another program in its place."""
    path = os.path.join(temp_dir(), "a.fib")
    d = daemon(path, "10.1.0.0/16 blackhole")
    kind(path, "10.1.0.0", "drop")
    old = Image(path)
    os.unlink(path)
    kind(path, "10.1.0.0", "drop")
    wait_until(lambda: old.replaced, "the removed image to say that another file has its place")
    equal(old.look("10.1.0.0")["kind"], "drop", "what a reader of the removed image sees")
    old.close()
    with open(path + ".x", "w") as f:
        f.write("notes of an operator\n")
    os.rename(path + ".x", path)
    reports(d, "not an image")
    configure(d, path, "10.1.0.0/16 blackhole", "10.2.0.0/16 blackhole")
    with open(path) as f:
        equal(f.read(), "notes of an operator\n", "the operator's file")
    os.unlink(path)
    kind(path, "10.2.0.0", "drop")
    well(d)
    d.stop()


def cut():
    """Another process cuts off or overwrites the file while the daemon writes."""
    path = os.path.join(temp_dir(), "a.fib")
    d = daemon(path, "10.1.0.0/16 blackhole")
    kind(path, "10.1.0.0", "drop")
    for n, size in enumerate((0, 8192, os.stat(path).st_size // 2), 2):
        os.truncate(path, size)
        configure(d, path, "10.1.0.0/16 blackhole", "10.%d.1.0/24 unreachable" % n)
        kind(path, "10.%d.1.0" % n, "reject")
        well(d)
    check("cut off" in d.whole_log(), "the log: " + d.said())
    # Behind a heartbeat the daemon writes nothing for a second: no store of the daemon is under way.
    image = Image(path)
    last = image.heartbeat_ns
    wait_until(lambda: image.heartbeat_ns != last, "a heartbeat", every_s=0.01)
    image.close()
    with open(path, "r+") as f:  # an empty file would be the daemon's again
        f.write("notes of an operator\n" * 1000)
        f.flush()
        f.truncate()
    reports(d, "not an image")
    with open(path) as f:
        equal(f.read(), "notes of an operator\n" * 1000, "the operator's file")
    os.unlink(path)
    kind(path, "10.1.0.0", "drop")
    well(d)
    check("File lost:        4 times" in d.text("show protocols all i4"), d.text("show protocols all i4"))
    d.stop()


def two_writers():
    """Two daemons with one file: the second waits, and takes over when the first ends, even by kill -9."""
    path = os.path.join(temp_dir(), "a.fib")
    d = daemon(path, "10.1.0.0/16 blackhole")
    kind(path, "10.1.0.0", "drop")
    before = generation(path)
    e = daemon(path, "10.1.0.0/16 unreachable")
    reports(e, "another process writes the file")
    kind(path, "10.1.0.0", "drop")
    d.kill()
    kind(path, "10.1.0.0", "reject")
    check(generation(path) > before, "the generation of the second writer: %d after %d" % (generation(path), before))
    well(e)
    e.stop()


def no_folder():
    """The folder does not exist at first."""
    folder = os.path.join(temp_dir(), "later")
    path = os.path.join(folder, "a.fib")
    d = daemon(path, "10.1.0.0/16 blackhole")
    reports(d, "No such file or directory")
    os.mkdir(folder)
    kind(path, "10.1.0.0", "drop")
    well(d)
    d.stop()


def damaged():
    """A file that begins like an image and is cut off, and an image with a wrong word, are replaced."""
    path = os.path.join(temp_dir(), "a.fib")
    d = daemon(path, "10.1.0.0/16 blackhole")
    kind(path, "10.1.0.0", "drop")
    d.stop()
    for cut in (lambda f: f.truncate(100), lambda f: (f.seek(40), f.write(b"\xff" * 8))):
        with open(path, "r+b") as f:
            cut(f)
        d = daemon(path, "10.1.0.0/16 unreachable")
        kind(path, "10.1.0.0", "reject")
        well(d)
        d.stop()


def full():
    """A disk without room: readers keep the last image, and get the new routes when there is room."""
    folder = temp_dir()
    if (
        ctypes.CDLL(None).unshare(0x20000)
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], stderr=subprocess.DEVNULL
        ).returncode
    ):
        cannot_here("no file systems can be mounted")
    path = os.path.join(folder, "a.fib")
    nets = ["%d.%d.0.0/24 %s" % (i // 250, i % 250, k) for i in range(2500, 10000) for k in ("blackhole",)]
    d = daemon(path, "10.1.0.0/16 blackhole")
    kind(path, "10.1.0.0", "drop")
    with open(os.path.join(folder, "ballast"), "wb", buffering=0) as f:
        with contextlib.suppress(OSError):
            while f.write(bytes(4096)):
                pass
    configure(d, path, "10.1.0.0/16 blackhole", *nets)
    reports(d, "No space left on device")
    kind(path, "10.1.0.0", "drop")
    os.unlink(os.path.join(folder, "ballast"))
    kind(path, nets[-1].split("/")[0], "drop")
    well(d)
    d.stop()


case("a removed file, a foreign file", gone)
case("a file that another process cuts off or overwrites", cut)
case("two daemons with one file", two_writers)
case("a folder that does not exist yet", no_folder)
case("truncated and damaged images", damaged)
case("a full disk", full)
done()
