# SPDX-License-Identifier: GPL-3.0-or-later
"""ternd and other daemons on one link: sessions over IPv4 (with a password and TTL security), IPv6 and link-local
addresses between 4-octet AS numbers; routes with their attributes are compared at both ends; each side asks the other
for its routes again; several routes of a net are sent to who takes them (RFC 7911)."""

from others import *

if KIND != "ternd":
    cannot_here("this is about ternd beside other daemons")


def interop(kind):
    other = kind()
    d = Daemon(conf(other)).start()
    other.start()
    other.ready()
    try:
        between(d, other)
    finally:
        d.stop(command='down "moving to the other site"')
        try:
            if other.shows_why:
                wait_until(lambda: "moving to the other site" in other.why(), lambda: "why we went: %s" % other.why())
        finally:
            other.stop()


def between(d, other):
    names = [n for n in SESSIONS if n != "ll" or other.local]
    wait_until(
        lambda: all(d.sessions()[n][2].startswith("Established") for n in names),
        lambda: "%s %s" % (d.sessions(), other.said()),
        60,
    )
    want = lambda asn: (str(asn), MED, COMMUNITIES, LARGE)
    for name in names:
        mine, its = NETS[SESSIONS[name][2]]
        wait_until(
            lambda: sorted_route(here(d, name, its)) == want(THEIRS), lambda: "%s here: %r" % (name, here(d, name, its))
        )
        wait_until(
            lambda: want(OURS) in [sorted_route(r) for r in other.routes(mine)],
            lambda: "%s there: %r" % (name, other.routes(mine)),
        )
        text = d.text("show protocols all " + name)
        check("4-octet AS numbers" in text.split("Neighbor capabilities")[1], text)
    # Both routes of a net, to who takes them.
    wait_until(
        lambda: [sorted_route(r) for r in other.routes(TWICE)].count(want(OURS)) == 2,
        lambda: "add-path: %r" % (other.routes(TWICE),),
    )
    # Refresh, both ways.
    before = d.counters("v4", 1)
    if other.answers is not None:
        equal(d.run("reload bgp in v4")[0][0], 15, "reload bgp in")
    if other.answers:
        wait_until(lambda: d.counters("v4", 1)[0] > before[0], "it sends its routes again")
    if other.asks:
        other.refresh()
        wait_until(lambda: "Got ROUTE-REFRESH" in d.whole_log(), "it asks for ours")
    equal(d.established(), len(names), "all are still up")
    d.run("disable static1")
    wait_until(lambda: not other.routes(NETS["ipv4"][0]), "our withdrawal there")


make_link()
for kind in BIRDS + (Frr, Openbgpd, Gobgp, Exabgp):
    case(kind.__name__.lower(), interop, kind)
done()
