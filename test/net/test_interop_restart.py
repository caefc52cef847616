# SPDX-License-Identifier: GPL-3.0-or-later
"""Graceful restart (RFC 4724) with other daemons, in both roles: the one or the other is killed with -9 and comes back.
The other side keeps its routes all the time, and a third member of ternd hears of no withdrawal. If it doesn't come
back, they are long-lived stale (RFC 9494) where they have it, and go when that time is over."""

from others import *

if KIND != "ternd":
    cannot_here("this is about ternd beside other daemons")

# Where routes of a daemon that is killed stay: openbgpd 7.7 names no family of which it keeps the state, exabgp has
# none to keep. gobgpd 3.36 says that it has kept none (RFC 4724, F) to those who connect after its first session is
# done.
KEEPS_ITS_STATE = (Bird2, Bird3, Frr) + (() if NEWER else (Gobgp,))
# Where ours stay when ternd is killed: exabgp passes on what it is told, and keeps nothing.
KEEPS_OURS = (Bird2, Bird3, Frr, Openbgpd, Gobgp)
THIRD = "10.9.1.7"


# Who keeps routes for longer (RFC 9494), and whose routes we do.
LONG = BIRDS + (Frr, Gobgp)
LLGR_STALE = {"65535:6", "llgrStale"}  # as shown
TIMES = 2, 8  # seconds: graceful restart, and long-lived


def connections():
    return subprocess.run(["ss", "-tanoip"], stdout=subprocess.PIPE, text=True, timeout=20).stdout


def third(d, caps=b""):
    """A member beside, which is told all."""
    p = Peer(179, THIRD, 64999, server="10.9.0.1", hold=0, caps=caps).establish()
    p.has, p.withdrawn, p.stale = set(), [], set()
    return p


def hear(p, seconds=0.2):
    """What it is told."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            got = p.receive(0.1)
        except (socket.timeout, BlockingIOError):
            continue
        check(got is not None, "the session of the third has ended")
        if got[0] == UPDATE:
            gone = struct.unpack("!H", got[1][:2])[0]
            if gone:
                p.withdrawn.append(got[1][2 : 2 + gone].hex())
            attrs = struct.unpack("!H", got[1][2 + gone : 4 + gone])[0]
            nets = got[1][4 + gone + attrs :]
            p.has.add(nets)
            if b"\xff\xff\0\6" in got[1][4 + gone : 4 + gone + attrs]:
                p.stale.add(nets)


def stale(d, name):
    found = re.search(r"Stale routes: +(\d+)", d.text("show protocols all " + name))
    return int(found.group(1)) if found else 0


def up(d):
    return d.sessions()["v4"][2].startswith("Established")


def begun(kind, times):
    other = kind()
    other.restarts, other.times = True, times
    text = conf(
        other,
        "graceful restart on; graceful restart time %d; long lived graceful restart on; long lived stale time %d;"
        % times,
    )
    text += (
        "protocol bgp third { local 10.9.0.1 as %d; neighbor %s as 64999; passive; multihop; graceful restart off; ipv4"
        " { import all; export where source = RTS_BGP; }; }\n" % (OURS, THIRD)
    )
    d = Daemon(text).start()
    other.start()
    other.ready()
    return d, other


def restart(kind):
    d, other = begun(kind, (120, 600))
    try:
        killed(d, other)
        d.stop()
    finally:
        d.kill()
        other.stop()


def long_lived(kind):
    d, other = begun(kind, TIMES)
    try:
        for_long(d, other)
    finally:
        d.kill()
        other.stop()


def for_long(d, other):
    """One is killed and doesn't come back: its routes become long-lived stale, and go when that time is over, not
    before."""
    mine, its = NETS["ipv4"]
    name = type(other).__name__
    has = lambda: other.routes(mine)
    wait_until(lambda: up(d) and its in d.text("show route " + its), lambda: "%s %s" % (d.sessions(), other.said()), 60)
    wait_until(has, "our route there", 60)
    p = third(d, b"\x40\x06\0\x78\0\1\1\x80" + b"\x47\x07\0\1\1\x80\0\0\x78")
    wait_until(lambda: hear(p) or nlri(its) in p.has, "the route at the third")
    other.killed()
    wait_until(
        lambda: hear(p) or nlri(its) in p.stale,
        lambda: "LLGR_STALE at the third: %s" % d.text("show protocols all v4"),
        30,
    )
    equal(p.withdrawn, [], "what the third lost when %s was killed" % name)
    began = time.monotonic()
    wait_until(lambda: hear(p) or p.withdrawn, "the end of what is stale", 60)
    check(time.monotonic() - began > TIMES[1] - 2, "stale routes of %s go too early" % name)
    equal(p.withdrawn, [nlri(its).hex()], "what the third lost in the end")
    check(its not in d.text("show route " + its), "the stale route is still there")
    # And we.
    other.start()
    other.ready()
    wait_until(lambda: up(d) and has(), lambda: "both again: %s" % other.said(), 90)
    end(d.proc, signal.SIGKILL)
    d.drop_cli()
    began, marked = time.monotonic(), False

    def lost():
        nonlocal marked
        found = has()
        marked = marked or any(LLGR_STALE & set(r[2]) for r in found)
        return not found

    wait_until(lost, "%s keeps our route for ever" % name, 90, 0.1)
    check(
        time.monotonic() - began > sum(TIMES) - 2, "%s lost our route after %.1f s" % (name, time.monotonic() - began)
    )
    check(marked, "%s has our route without LLGR_STALE" % name)


def killed(d, other):
    kind = type(other)
    mine, its = NETS["ipv4"]
    has = lambda: other.routes(mine)
    wait_until(lambda: up(d) and its in d.text("show route " + its), lambda: "%s %s" % (d.sessions(), other.said()), 60)
    wait_until(has, "our route there", 60)
    p = third(d)
    wait_until(lambda: hear(p) or nlri(its) in p.has, "the route at the third")
    if kind in KEEPS_ITS_STATE:
        other.killed()
        wait_until(lambda: stale(d, "v4") == 1, lambda: "a stale route: " + d.text("show protocols all v4"))
        hear(p, 1)
        # gobgpd is told its routes when it runs, and sends End-of-RIB without waiting for them
        freeze(d.pid)
        other.start()
        other.ready()
        os.kill(d.pid, signal.SIGCONT)
        wait_until(
            lambda: up(d) and stale(d, "v4") == 0, lambda: "its return: %s" % d.text("show protocols all v4"), 90
        )
        hear(p, 1)
        check(its in d.text("show route " + its), "its route is gone")
        equal(p.withdrawn, [], "what the third lost when %s was killed" % kind.__name__)
        wait_until(has, "our route there again", 60)
    if kind in KEEPS_OURS:
        end(d.proc, signal.SIGKILL)
        d.drop_cli()
        stays(has, lambda: "%s lost our route when ternd was killed: %s" % (kind.__name__, other.said()), 1, 0.2)
        d.start("-R")

        def back():
            check(has(), "%s lost our route before ternd was back" % kind.__name__)
            return up(d) and "Waiting" not in d.text("show status")

        wait_until(
            back,
            lambda: "ternd isn't back: %s\n%s\n%s" % (d.text("show protocols all v4"), other.said(), connections()),
            90,
            0.1,
        )
        stays(has, lambda: "%s lost our route after ternd was back: %s" % (kind.__name__, other.said()), 1, 0.2)


make_link()
subprocess.run(["ip", "address", "add", THIRD + "/32", "dev", "lo"], check=True, timeout=20)
for kind in BIRDS + (Frr, Openbgpd, Gobgp):
    case(kind.__name__.lower(), restart, kind)
for kind in LONG:
    case(kind.__name__.lower() + ", for long", long_lived, kind)
done()
