# SPDX-License-Identifier: GPL-3.0-or-later
"""doc/examples/rs.conf as it stands, with members in both families: refused routes, communities, blackholes, limits,
and maintenance. bird2 with the same files, where bird2 is installed, sends the members the same routes. test_rules
breaks each rule."""

from links import *

import ipaddress

if KIND != "ternd":
    cannot_here("this is about ternd")

EXAMPLES = os.path.join(SRC, "doc", "examples")
# In place of validators.
ROAS = """roa4 table r4; roa6 table r6;
protocol static { roa4 { table r4; }; route 11.1.1.0/24 max 24 as 64501; route 11.1.2.0/24 max 24 as 64777; }
protocol static { roa6 { table r6; }; route 2a00:db81:1::/48 max 48 as 64501; route 2a00:db81:2::/48 max 48 as 64777; }
"""
SC = "bgp_community.add((%s)); "
LC = "bgp_large_community.add((65000,%s)); "
IRR = ((1001, 1),)
UNKNOWN = ((1000, 2),) + IRR
# What member 64501 announces: the prefix, in both families, what is said in it, and what member 64502 is told: the path
# and our large communities. None: nothing.
OFFERS = (
    ("0/24", "", (1, UNKNOWN)),
    ("1/24", "", (1, ((1000, 1),) + IRR)),
    ("2/24", "", None),
    ("3/25", "", None),
    ("4/24", "bgp_path.prepend(65001); ", None),
    ("5/24", "bgp_path.prepend(64501); bgp_path.prepend(64501); ", (3, UNKNOWN)),
    ("6/24", "bgp_path.prepend(3333); " * 64, None),
    ("7/24", "bgp_path.prepend(3333); " * 63, (64, UNKNOWN)),
    ("8/24", LC % "0,64502", None),
    ("9/24", LC % "0,0", None),
    ("10/24", LC % "0,0" + LC % "1,64502", (1, UNKNOWN)),
    ("11/24", LC % "0,0" + LC % "1,64503", None),
    ("12/24", LC % "101,64502", (2, UNKNOWN)),
    ("13/24", LC % "102,64502", (3, UNKNOWN)),
    ("14/24", LC % "103,64502" + LC % "103,64503", (4, UNKNOWN)),
    ("15/24", LC % "1000,1" + LC % "1001,7", (1, UNKNOWN)),
    ("16/24", "bgp_path.prepend(3356); ", None),
    ("17/24", SC % "0,64502", None),
    ("18/24", SC % "0,65000" + SC % "65000,64502", (1, UNKNOWN)),
    ("19/24", SC % "65502,64502", (3, UNKNOWN)),
    ("20/24", LC % "101,0", (2, UNKNOWN)),
    ("21/24", "bgp_path.prepend(3334); ", None),
)
# And what is like none of these.
OTHERS = {
    4: ("10.1.0.0/16", "192.0.2.0/24", "0.0.0.0/0", "11.2.0.0/24", "11.77.0.0/24"),
    6: ("2001:db8:7::/48", "2002:100::/32", "::/0", "2a00:db82::/48", "2a00:db77::/48"),
}
BOTH = {4: "11.9.0.0/24", 6: "2a00:db89:1::/48"}  # which both members announce
BLACKHOLES = {4: "11.1.7.7/32", 6: "2a00:db81:7::7/128"}
BLACKHOLE = "(65535,666) (65535,65281)"
OURS = {4: "192.0.2.1", 6: "2001:db8:0:1::1"}


def prefix(family, short):
    number, length = short.split("/")
    if family == 4:
        return "11.1.%s.0/%s" % (number, length)
    return str(ipaddress.ip_network("2a00:db81:%x::/%d" % (int(number), 2 * int(length))))


def there(n):
    return ["nsenter", "-t", str(PLACES[n].pid), "-n"]


def inside(n, d):
    """A daemon that runs in the network namespace PLACES[@n]."""
    argv = d.argv
    d.argv = lambda *more: there(n) + argv(*more)
    return d


def member_of(n):
    """bird2 as member @n in both families; what it is told is in its tables t4 and t6."""
    text = (
        """router id 192.0.2.1%d; log "RUN/bird.log" all; protocol device { scan time 1; }
        template bgp to_rs { direct; connect delay time 1; connect retry time 1; error wait time 1, 1; }\n"""
        % n
    )
    for f in (4, 6):
        routes = ["route %s blackhole { %s };" % (BOTH[f], "bgp_community.add((65535,0));" if n == 1 else "")]
        if n == 1:
            routes += ["route %s blackhole { %s};" % (prefix(f, short), said) for short, said, _ in OFFERS]
            routes += ["route %s blackhole;" % p for p in OTHERS[f]]
            routes += ["route %s blackhole { %s};" % (BLACKHOLES[f], SC % "65535,666")]
        text += """ipv%d table t%d;
            protocol static { ipv%d { table t%d; }; %s }
            protocol bgp rs%d from to_rs { local %s%d as 6450%d; neighbor %s as 65000;
            ipv%d { table t%d; import all; export where source = RTS_STATIC; }; }\n""" % (
            f,
            f,
            f,
            f,
            " ".join(routes),
            f,
            OURS[f],
            n,
            n,
            OURS[f],
            f,
            f,
        )
    return inside(n, Bird(text, "member%d" % n)).start()


def told(b, f):
    """{prefix: (path, large communities, communities, next hop)} that a member is told."""
    found, net = {}, None
    for _, line in b.run("show route all protocol rs%d table t%d" % (f, f)):
        if re.match(r"[0-9a-f:.]+/\d+ ", line):
            net = line.split()[0]
            found[net] = {}
        m = re.match(r"\s+BGP\.(as_path|large_community|community|next_hop): (.*)", line)
        if m:
            found[net][m.group(1)] = m.group(2)
    return {
        p: (
            tuple(r["as_path"].split()),
            tuple(sorted(re.findall(r"\((.*?)\)", r.get("large_community", "")))),
            " ".join(sorted(r.get("community", "").split())),
            r["next_hop"],
        )
        for p, r in found.items()
    }


def wanted(f, shutting_down):
    """What member 64502 is to be told."""
    community = "(65535,0)" if shutting_down else ""
    large = tuple("65000, %d, %d" % c for c in ((1000, 3),) + IRR)
    want = {BLACKHOLES[f]: (("64501",), large, " ".join(sorted((BLACKHOLE + " " + community).split())))}
    for short, said, get in OFFERS:
        if get:
            path = ["64501"] + re.findall(r"prepend\((\d+)\)", said)[::-1]
            path = ["64501"] * (get[0] - len(path)) + path
            want[prefix(f, short)] = (tuple(path), tuple(sorted("65000, %d, %d" % c for c in get[1])), community)
    return want


def seen(b, f):
    return {p: r[:3] for p, r in told(b, f).items()}


def router(kind):
    """The route server with the files of the examples, in a network namespace beside that of the members."""
    d = kind(None, "rs")
    shutil.copytree(os.path.join(EXAMPLES, "members"), os.path.join(d.dir, "members"))
    with open(os.path.join(d.dir, "rpki.conf"), "w") as f:
        f.write(ROAS)
    shutil.copy(os.path.join(EXAMPLES, "communities.txt"), d.dir)
    with open(os.path.join(EXAMPLES, "rs.conf")) as f:
        text = f.read()
    if kind is Bird:
        text = re.sub(r"(?s)# --- Options of tern.*?(?=# --- )", "", text)
    d.write(text)
    d.log = os.path.join(d.dir, "tern.log")
    return inside(0, d).start()


def held(d, more=""):
    return set(re.findall(r"(?m)^11\.3\.\S+", d.text("show route protocol as64503_a_4 " + more)))


def refused_for(d, net, reason):
    """show route why names a `reject` of rs.conf; the route has the community of the reason."""
    if d.__class__ is Daemon:
        o = json.loads(d.run("json show route why %s from as64503_a_4" % net)[0][1])
        equal((o["reason"], o["file"]), ("import_filter", d.conf), "%s: %r" % (net, o))
        check(d.read().split("\n")[o["line"] - 1].strip().startswith("reject "), "%s: the line that refuses" % net)
    said = d.text("show route %s filtered all protocol as64503_a_4" % net)
    equal(re.findall(r"\(65000, 1101, (\d+)\)", said), [str(reason)], "%s: %s" % (net, said))


def third(d):
    """Routes with the next hop of another member, or with a wrong path; then more routes than the limit."""
    p = Peer(179, "192.0.2.13", 64503, server="192.0.2.1").establish()
    p.update(["11.3.1.0/24"], next_hop="192.0.2.11")
    p.update(["11.3.2.0/24"], path=[64501, 64503])
    p.update(["11.3.3.0/24"], path=[64503, 3333])
    p.update(["11.3.4.0/24"], path=[64503, 65550, 3333])
    p.update(["11.3.5.0/24"], next_hop="192.0.2.14")  # the member's second router
    wrong = {"11.3.1.0/24": 8, "11.3.2.0/24": 7, "11.3.4.0/24": 4}
    wait_until(lambda: held(d, "filtered") == set(wrong), lambda: "what is refused: %r" % held(d, "filtered"))
    wait_until(lambda: held(d) == {"11.3.3.0/24", "11.3.5.0/24"}, lambda: "what is taken: %r" % held(d))
    for net, reason in wrong.items():
        refused_for(d, net, reason)
    p.update(["11.3.%d.0/24" % k for k in range(100, 201)])
    wait_until(lambda: not held(d), "the end of a session with too many routes")
    check("limit" in d.text("show protocols all as64503_a_4"), d.text("show protocols all as64503_a_4"))
    p.s.close()
    # many that aren't in its list: they are refused, and kept, and so many are too many
    d.text("restart as64503_a_4")
    p = Peer(179, "192.0.2.13", 64503, server="192.0.2.1").establish()
    p.update(["31.3.%d.0/24" % k for k in range(201)], path=[64503, 3333])
    equal(p.wait_for(NOTIFICATION)[:2], b"\6\1", "what a leaker is told")
    p.s.close()


def whole(kind):
    """Everything with one daemon. Returns what members were told."""
    d, one, two = router(kind), member_of(1), member_of(2)
    wait_until(lambda: d.established() == 4, lambda: "four sessions: %r" % d.sessions(), 60)
    result = []
    for shutting_down in (False, True):
        for f in (4, 6):
            want = wanted(f, shutting_down)
            wait_until(
                lambda: {p: r for p, r in seen(two, f).items() if p != BOTH[f]} == want,
                lambda: "member 2, what differs: %r" % sorted(set(seen(two, f).items()) ^ set(want.items())),
            )
            # Of two routes that of the member that isn't about to go.
            best = (("64502",), ("65000, 1000, 3", "65000, 1001, 1"), "(65535,0)" if shutting_down else "")
            wait_until(lambda: seen(one, f) == {BOTH[f]: best}, lambda: "member 1: %r" % seen(one, f))
            check(BOTH[f] not in seen(two, f), "a member's own route")
            result += [told(one, f), told(two, f)]
        if not shutting_down:
            third(d)
            wait_until(lambda: d.established() == 4, "the third member to go")
            since = d.sessions()
            before = {(b, f): b.counters("rs%d" % f) for b in (one, two) for f in (4, 6)}
            d.write(d.read().replace("define SHUTTING_DOWN = false;", "define SHUTTING_DOWN = true;"))
            check(d.code("configure") in (3, 4), "configure")
    equal(
        {n: s[:2] for n, s in d.sessions().items() if s[2].startswith("Estab")},
        {n: s[:2] for n, s in since.items() if s[2].startswith("Estab")},
        "sessions that stay",
    )
    # Each route was told once more, and none was withdrawn.
    for (b, f), (updates, withdraws) in before.items():
        equal(b.counters("rs%d" % f), [updates + len(told(b, f)), withdraws], "updates and withdraws for maintenance")
    one.kill()
    two.kill()
    d.stop()
    return result


def example():
    if not os.path.exists(BIRD):
        needs("bird2")
    # A bridge here, on which the third member is, and a link to each of the others.
    ip("link add br0 type bridge\nlink set br0 up\naddr add 192.0.2.13/24 dev br0")
    for k, place in enumerate(PLACES):
        ip("link add p%d type veth peer name a0 netns %d\nlink set p%d master br0 up" % (k, place.pid, k))
        for text in (
            "link set lo up",
            "link set a0 up",
            "addr add 192.0.2.1%s/24 dev a0" % (k or ""),
            "addr add 2001:db8:0:1::1%s/64 dev a0 nodad" % (k or ""),
        ):
            subprocess.run(there(k) + ["ip"] + text.split(), check=True, timeout=20 * SLOW)
        wait_until(
            lambda: not subprocess.run(
                there(k) + "ip addr show tentative".split(), check=True, timeout=20 * SLOW, stdout=subprocess.PIPE
            ).stdout,
            "link-local addresses",
        )
    told_by = [whole(kind) for kind in (Daemon, Bird)]
    for ours, theirs in zip(*told_by):
        equal(ours, theirs, "what a member is told by ternd, and by bird2")


in_namespace()
PLACES = [other_namespace() for _ in range(3)]  # of the route server and of two members
link_case("rs.conf with members, ternd and bird2", example)
done()
