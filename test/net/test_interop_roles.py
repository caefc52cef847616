# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles and the Only-to-Customer attribute (RFC 9234) with other daemons: each allowed pair comes up, and the attribute
is at both ends as it should be; a pair that isn't allowed doesn't, and both say why."""

from others import *

if KIND != "ternd":
    cannot_here("this is about ternd beside other daemons")
MADE_BY = {
    "provider": "out",
    "rs_server": "out",
    "peer": "both",
    "customer": "in",
    "rs_client": "in",
}  # by our role: which routes have OTC


def with_role(kind, ours, theirs):
    other = kind()
    other.role = theirs
    d = Daemon(conf(other, v4="local role %s;" % ours)).start()
    other.start()
    other.ready()
    return d, other


def pair(kind, ours):
    d, other = with_role(kind, ours, ROLES[ours])
    mine, its = NETS["ipv4"]
    here_otc = lambda: re.findall(r"otc: (\d+)", d.text("show route all " + its))
    says = lambda: "%s, %s, %s: %s" % (ours, d.text("show route all " + its), other.routes(mine), other.said())
    try:
        wait_until(
            lambda: d.sessions()["v4"][2].startswith("Established"),
            lambda: "%s: %s %s" % (ours, d.sessions(), other.said()),
            60,
        )
        wait_until(lambda: other.routes(mine) and its in d.text("show route " + its), says, 30)
        text = d.text("show protocols all v4").split("Neighbor capabilities")[1]
        check("Role: " + ROLES[ours] in text, text)
        made = MADE_BY[ours]
        equal(here_otc(), [str(THEIRS)] if made != "out" else [], "OTC here, our role is " + ours)
        # openbgpd 8.8 calls that of a peer "bad length", with the same octets that it reads from a provider
        if not (NEWER and kind == Openbgpd and ours == "peer"):
            equal(other.otc(mine), [str(OURS)] if made != "in" else [], "OTC there, our role is " + ours)
    finally:
        d.kill()
        other.stop()


def wrong(kind):
    d, other = with_role(kind, "provider", "provider")
    try:
        wait_until(
            lambda: "ole mismatch" in d.text("show protocols all v4"), lambda: d.text("show protocols all v4"), 60
        )
        stays(lambda: not d.sessions()["v4"][2].startswith("Established"), "two providers have a session", 2)
    finally:
        d.kill()
        other.stop()


def roles(kind):
    for ours in ROLES:
        pair(kind, ours)
    wrong(kind)


make_link()
for kind in BIRDS + (Frr, Openbgpd):
    case(kind.__name__.lower(), roles, kind)
done()
