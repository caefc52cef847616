# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python module (client/fib/ternfib.py) reads images that a daemon writes: facts of routes, ranges, numbers, the
check of the image, removed and damaged files."""

import array
import errno
import importlib.util

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
LIBRARY = os.environ["TERNFIB_LIBRARY"] = os.path.join(BUILD, "libternfib.so.1")
with open(LIBRARY, "rb") as f:
    if re.search(rb"__[at]san_init", f.read()):
        cannot_here("a library with a sanitizer does not load into Python")
spec = importlib.util.spec_from_file_location("ternfib", os.path.join(SRC, "client", "fib", "ternfib.py"))
ternfib = importlib.util.module_from_spec(spec)
spec.loader.exec_module(ternfib)
PORT = free_port()
CONF = (
    """
router id 10.0.0.1;
log "RUN/bird.log" all;
roa4 table r4;
protocol device {}
protocol static roas { roa4; route 20.1.0.0/16 max 24 as 65003; }
protocol static s6 { ipv6; route 2001:db8::/32 blackhole; route 2001:db8:1::/48 unreachable; }
protocol bgp m1 { local 127.0.10.1 port %d as 65000; neighbor 127.0.11.1 as 65001; passive; rs client; strict bind on;
  error wait time 1, 1; connect delay time 1; multihop; ipv4 { import all; export none; }; }
protocol image i4 { table master4; filename "RUN/i4.fib"; resolve no;
  attributes { next hop, origin as, peer as, communities, rpki }; }
protocol image i6 { table master6; filename "RUN/i6.fib"; }
"""
    % PORT
)


def path(d, name):
    return os.path.join(d.dir, name + ".fib")


def opened(path):
    """An image of the file, once the daemon has written the file."""
    got = []

    def try_open():
        try:
            got.append(ternfib.Image(path))
        except OSError as e:
            check(e.errno in (errno.ENOENT, errno.EAGAIN) and e.filename == path, "%r" % e)
        return got

    wait_until(try_open, "the image " + path)
    return got[0]


def start():
    d = Daemon(CONF).start()
    m = member(PORT, 1, hold=0)
    many = [(65001, n) for n in range(300)]
    communities = attribute(0xD0, 8, b"".join(struct.pack("!HH", *c) for c in many))
    communities += attribute(0xC0, 32, struct.pack("!3I", 65001, 1, 2))
    m.update(["20.1.1.0/24", "20.2.0.0/16"], [65001, 65003], "10.1.1.2", communities)
    m.update(["20.3.0.0/16"], [65001], "10.1.1.3")
    t = opened(path(d, "i4"))
    wait_until(lambda: t.poll() or t.find("20.3.0.1"), "the routes in the image")
    return d, m, t


def facts():
    """Next hop, origin, peer, communities and RPKI state, one by one and of a bulk."""
    d, m, t = start()
    want = {"kind": "ip", "next hop": "10.1.1.2", "interface": 0, "origin as": 65003, "peer as": 65001}
    want["communities"] = [(65001, n) for n in range(256)]
    want["large communities"] = [(65001, 1, 2)]
    want["more communities"] = 44
    equal(t.find("20.1.1.9"), dict(want, rpki="valid"), "a valid route")
    equal(t.find("20.2.1.9"), dict(want, rpki="unknown"), "an unknown route")
    other = dict(want, communities=[], rpki="unknown", **{"next hop": "10.1.1.3", "origin as": 65001})
    other.update({"large communities": [], "more communities": 0})
    equal(t.find("20.3.1.9"), other, "a route without communities")
    equal(t.find("20.4.1.9"), None, "no route")
    answers = t.bulk(array.array("I", [0x14010109, 0x14030109, 0x14040109]))
    equal(t.facts(answers[1]), other, "the facts of a bulk")
    equal(answers[2], 0, "no route of a bulk")
    for wrong in (lambda: t.find("2001:db8::1"), lambda: t.bulk(b"\1\2\3")):
        try:
            wrong()
            check(False, "no error")
        except ValueError:
            pass
    t.close()
    d.stop()


def whole():
    """Ranges, numbers, the check of the whole image, both families."""
    d, m, t = start()
    ranges = [(str(first), str(last), t.facts(a)["origin as"]) for first, last, a in t.walk()]
    equal(
        ranges,
        [
            ("20.1.1.0", "20.1.1.255", 65003),
            ("20.2.0.0", "20.2.255.255", 65003),
            ("20.3.0.0", "20.3.255.255", 65001),
        ],
        "the ranges",
    )
    seen = []

    def ends(first, last, answer):
        seen.append(first)
        raise KeyError("enough")

    try:
        t.walk(ends)
        check(False, "the exception of a function was lost")
    except KeyError:
        equal(len(seen), 1, "calls after an exception")
    s = t.stat()
    equal((s["table"], s["bits"], s["prefix_cnt"], s["replaced"]), ("master4", 32, 3, False), "the numbers")
    equal(s["fields"], ["next hop", "origin as", "peer as", "communities", "rpki"], "the fields")
    equal(s["generation"], t.generation, "the generation")
    check(s["heartbeat_ns"] and s["image_octets"], "numbers that are 0: %r" % s)
    equal(t.verify(), None, "the check of a sound image")
    with opened(path(d, "i6")) as six:
        first, last, answer = six.walk()[0]
        equal((str(first), six.facts(answer)["kind"]), ("2001:db8::", "drop"), "the first range")
        equal(six.find("2001:db8:1::1")["kind"], "reject", "a route of IPv6")
        equal(six.stat()["fields"], ["next hop"], "the fields")
    t.close()
    d.stop()


def lost():
    """A damaged image, a removed image, and the image of the next daemon."""
    d, m, t = start()
    d.stop()
    with open(path(d, "i4"), "rb") as f:
        octets = bytearray(f.read())
    at = struct.unpack_from("<Q", octets, 64)[0]  # slots; the first section
    octets[at + 8 * 0x1402] ^= 1
    with open(path(d, "bad"), "wb") as f:
        f.write(octets)
    with ternfib.Image(path(d, "bad")) as bad:
        check("checksum" in bad.verify(), "a damaged image: %r" % bad.verify())
    os.unlink(path(d, "i4"))
    equal(t.wait(t.generation), True, "a wait at the removed image")
    try:
        wait_until(t.poll, "the loss of the image")
        check(False, "the loss of the image caused no error")
    except OSError as e:
        equal((e.errno, e.filename), (errno.ENOENT, path(d, "i4")), "the error")
    equal(t.find("20.3.0.1")["origin as"], 65001, "a lookup in the former image")
    equal(t.wait(t.generation, 1), False, "a wait without an image")
    d.start()
    with opened(path(d, "i4")):
        equal(t.wait(t.generation, 20000), True, "a wait for the next image")
    equal(t.poll(), True, "the next image")
    wait_until(lambda: t.poll() or t.find("20.3.0.1") is None, "the routes without the member")
    t.close()
    d.stop()


case("facts of routes", facts)
case("ranges, numbers, check", whole)
case("damaged and removed images", lost)
done()
