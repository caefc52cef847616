# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the looking glass, without a script: members of both servers side by side, a member with its refused
routes, lists, a prefix with the fate of each path and who gets it, RPKI, errors, and a server that is away. Each page
is well-formed, escapes what members and operators wrote, has no foreign resource, and its links lead to pages."""

import html.parser
import urllib.parse

from glass import *

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT, PORT2 = free_port(), free_port()
EVIL = "<script>alert(1)</script>"
D = Daemon(CONF.replace("PORT", str(PORT)).replace("too long", "too " + EVIL), "rs1").start()
E = Daemon(CONF.replace("PORT", str(PORT2)), "rs2").start()
PEERS = []
for port in (PORT, PORT2):
    p1 = Peer(port, "127.0.11.1", 65001, server="127.0.10.1", hold=0).establish()
    p2 = Peer(port, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
    p1.update(["20.0.1.0/24", "20.0.2.0/24", "20.0.3.0/25"])
    p1.update(["20.0.4.0/24"], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 0)))
    p1.update(["21.%d.0.128/25" % i for i in range(150)])
    p2.update(["20.0.1.0/24"], path=[65002, 65009])
    PEERS += [p1, p2]
G = Glass({"rs1": D.dir + "/lg.ctl", "rs2": E.dir + "/lg.ctl"})
VOID = {"meta", "link", "input", "br", "hr", "img"}


class Page(html.parser.HTMLParser):
    """A page: its text, links and form targets; tags must match."""

    def __init__(self, target, body):
        super().__init__()
        self.target, self.open, self.words, self.links, self.rows, self.ids = target, [], [], [], [], []
        self.tags, self.begun = set(), 0
        self.feed(body)
        self.close()
        check(not self.open, "%s: open tags %s" % (target, self.open))
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            check(not name.startswith("on"), "%s: %s" % (self.target, name))
            if name in ("href", "src", "action"):
                check(value.startswith(("/", "#")) and not value.startswith("//"), "%s: %s" % (self.target, value))
                self.links.append(value)
            if name == "id":
                check(value not in self.ids, "%s: two of id %s" % (self.target, value))
                self.ids.append(value)
        if tag == "tr":
            self.rows.append([])
        if tag not in VOID:
            self.open.append(tag)
        if tag == "th":
            self.begun = len(self.words)

    def handle_endtag(self, tag):
        check(self.open and self.open.pop() == tag, "%s: </%s>" % (self.target, tag))
        # a reader who hears the page hears the head of each row and column
        check(tag != "th" or "".join(self.words[self.begun :]).strip(), "%s: an empty head" % self.target)

    def handle_data(self, data):
        self.words.append(data)
        if self.rows and "tr" in self.open:
            self.rows[-1].append(data.strip())


def page(target, want=200):
    status, headers, body = G.get(target)
    equal(status, want, "%s: %.300s" % (target, body))
    equal(headers["Content-Type"], "text/html; charset=utf-8", target)
    check("default-src 'none'" in headers["Content-Security-Policy"], target)
    check(EVIL not in body, target)
    p = Page(target, body)
    check(not p.tags & {"iframe", "img", "object", "b"}, "%s: %s" % (target, p.tags))
    check("script" not in p.tags or "/live.js" in p.links, "%s: a script" % target)
    check({"h1", "main", "header", "footer", "nav"} <= p.tags, target)
    return p


def row(p, first):
    """The texts of the row of the page @p that has the text @first."""
    found = [r for r in p.rows if first in r]
    check(found, "%s: no row has %s: %s" % (p.target, first, p.text))
    return " ".join(t for t in found[0] if t)


def settled_routes():
    for target in ("/v1/members/65001?server=rs1", "/v1/members/65001?server=rs2"):
        wait_until(
            lambda t=target: G.json(t)["servers"][0]["objects"][0]["ipv4"]["received"] == 154,
            lambda t=target: G.text(t),
        )


def members():
    settled_routes()
    wait_until(lambda: "151" in row(page("/"), "65001"), "a fresh reply")
    p = page("/")
    check("rs1 up" in p.text and "rs2 up" in p.text and "2 of 3 sessions are up" in p.text, p.text)
    r = row(p, "65001")
    check("Example <b>&'Networks" in r and "127.0.11.1" in r, r)
    equal(r.count("151"), 2, "filtered on both servers: " + r)
    check("not connected yet" in row(p, "65003"), p.text)
    equal([h for h in p.links if h.startswith("/member/")], ["/member/%d" % n for n in (65001, 65002, 65003)], "links")
    one = page("/?server=rs2")
    check("rs1" not in one.text and "rs2 up" in one.text, one.text)


def member():
    p = page("/member/65001")
    check("refuses the route" in p.text and "too " + EVIL in p.text, p.text)
    check("f_in" in p.text and "rs1.conf line" in p.text and D.dir not in p.text, p.text)
    check("To do:" in p.text and "The first 100 routes" in p.text, p.text)
    check("The session p2 has no filtered route" in page("/member/65002").text, "nothing is filtered")
    check("not connected yet" in page("/member/65003").text, "the cause")


def lists():
    want = {
        "received": ("20.0.1.0/24", "20.0.3.0/25"),
        "accepted": ("20.0.1.0/24", "20.0.4.0/24"),
        "filtered": ("20.0.3.0/25", "21.149.0.128/25"),
    }
    for kind, nets in want.items():
        p = page("/member/65001/" + kind)
        check(all(n in p.text for n in nets), "%s: %s" % (kind, p.text))
    check("20.0.3.0/25" not in page("/member/65001/accepted").text, "accepted")
    check("20.0.2.0/24" in page("/member/65002/exported").text, "exported")
    p = page("/member/65002/notexported")
    check("20.0.4.0/24" in p.text and "/prefix/20.0.4.0/24?to=p2" in p.links, p.text)
    check("export policy" in page("/prefix/20.0.4.0/24?to=p2").text, "why not")


def prefix():
    p = page("/prefix/20.0.1.0/24")
    equal(p.text.count("2 paths of"), 2, "on both servers: " + p.text)
    check("best" in row(p, "p1") and "valid" in row(p, "p1"), row(p, "p1"))
    lost = row(p, "p2")
    check("not preferred" in lost and "shorter AS path" in lost and "invalid" in lost, lost)
    check("65002 65009" in lost and "next hop 127.0.11.2" in lost, lost)
    p = page("/prefix/20.0.1.0/24?to=all")
    check("yes" in row(p, "the path of") and "session of the receiver is down" in p.text, p.text)
    p = page("/prefix/20.0.3.0/25")
    check("refused" in row(p, "p1") and "too " + EVIL in p.text, p.text)
    p = page("/prefix/20.0.1.77")
    check("2 paths of 20.0.1.0/24" in p.text and "Further networks" not in p.text, "an address")
    p = page("/prefix/20.0.3.77")
    check("1 path of 20.0.3.0/25" in p.text and "refused" in row(p, "p1"), "an address in a refused network")
    check("ROA unknown" in row(p, "p1") and "origin AS65001" in row(p, "p1"), row(p, "p1"))
    PEERS[0].update(["20.0.2.128/25"])
    wait_until(lambda: "refused" in page("/prefix/20.0.2.128/25").text, "a refused part of a network")
    p = page("/prefix/20.0.2.130?server=rs1")
    check("1 path of 20.0.2.0/24" in p.text and "/prefix/20.0.2.128/25" in p.links, p.text)
    PEERS[0].withdraw(["20.0.2.128/25"])
    check("No member announces" in page("/prefix/198.51.100.0/24").text, "nobody")
    check("r4 ROAs 1" in page("/rpki").text, "RPKI")


def changes():
    wait_until(lambda: "gained" in page("/changes?since=1h&as=65001").text, lambda: page("/changes").text)
    p = page("/changes")
    check("AS65001 p1 up" in p.text and "AS65002 p2 up" in p.text, p.text)
    body = G.text("/changes")  # on a narrow screen a label and its field are not torn apart
    equal(body.count('<div class="field"><label'), 3, "labels of the form")
    check("154 gained" not in p.text and "3 gained, 0 lost; now 3 accepted, 151 filtered" in p.text, p.text)
    check("the daemon has started" in p.text and "history of 3 sessions begins" in p.text, p.text)
    check("/member/65001" in p.links and "/changes?since=24h" in p.links, p.links)
    p = page("/changes?since=03:00&until=03:00&as=65001&server=rs1")
    equal(p.text.count("No changes."), 1, p.text)
    check("rs2" not in p.text and "/changes?since=24h&as=65001" in p.links, p.links)
    check("no such member" in page("/changes?since=1h&as=99").text, "another AS")
    check("/changes?as=65001&since=24h" in page("/member/65001").links, "from the page of the member")
    page("/changes?since=%3Cb%3E", 400)
    page("/changes?since=1h&until=2h", 400)


def search():
    for q, where in (
        ("as65001", "/member/65001"),
        ("20.0.1.0/24", "/prefix/20.0.1.0/24"),
        ("2001:db8::1", "/prefix/2001:db8::1"),
        ("65000:0", "/community/65000:0"),
    ):
        status, headers, _ = G.get("/search?q=" + urllib.parse.quote_plus(q))
        equal((status, headers["Location"]), (303, where), q)
    p = page("/community/65000:0")
    equal((p.text.count("Routes with 65000:0"), p.links.count("/prefix/20.0.4.0/24")), (2, 2), "on both servers")
    p = page("/search?q=" + urllib.parse.quote_plus(EVIL), 400)
    check(EVIL in p.text, p.text)


def errors():
    page("/nosuch", 404)
    page("/member/99", 404)
    page("/member/x", 404)
    page("/member/65001/nonsense", 404)
    page("/prefix/nonsense", 404)
    page("/?server=nosuch", 404)
    page("/?x=1", 400)
    page("/prefix/20.0.1.0/24?to=%22%3E", 400)


def links():
    """Each link of the pages leads to an answer."""
    seen, left = set(), ["/"]
    while left:
        target = left.pop()
        if target in seen or target.startswith("#"):
            continue
        seen.add(target)
        status, headers, body = G.get(target)
        check(status == 200 or target == "/search", "%s: %d" % (target, status))
        if headers["Content-Type"].startswith("text/html") and len(seen) < size(150, 40):
            left += [h for h in Page(target, body).links if not h.startswith("/prefix/21.")]
    check(len(seen) > 15, seen)


def away():
    """A server dies: its card says so with the age of the rows; other pages have the other server."""
    page("/")
    E.kill()
    wait_until(lambda: "rs2 does not answer" in page("/").text, "the card")
    p = page("/")
    check(re.search(r"The data below is \d+ s old", p.text), p.text)
    check("Example" in row(p, "65001"), p.text)
    p = page("/prefix/20.0.1.0/24")
    check("gives no answer" in p.text and "2 paths of" in p.text, p.text)
    check("gives no answer" in page("/member/65001").text, "a member")
    page("/prefix/20.0.1.0/24?server=rs2", 503)
    E.start()
    wait_until(lambda: "rs2 up" in page("/").text, "the server is back")
    D.kill()
    E.kill()
    for target in ("/member/65001", "/prefix/20.0.1.0/24", "/community/65000:0", "/changes"):
        p = page(target, 503)
        equal(p.text.count("does not answer"), 2, "%s: %s" % (target, p.text))
        check("gives no answer" in p.text and "Asked at" in p.text, p.text)
    wait_until(lambda: page("/").text.count("does not answer") == 2, "no server answers; the rows are old")


def losses():
    """A session that was lost has a picture with words; a session without a loss has none."""
    words = "lost 1 time in 7 days, 1 in the last 24 hours"
    check("lost " not in page("/").text, "no loss yet")
    PEERS[1].reset()
    PEERS[1] = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
    PEERS[1].update(["20.0.1.0/24"], path=[65002, 65009])
    wait_until(lambda: words in row(page("/"), "65002"), lambda: page("/").text)
    body = G.text("/")
    equal((body.count('aria-label="' + words), body.count("<rect ")), (1, 1), "one bar, on one server")
    check(words in page("/member/65002").text, "the page of the member")
    check("lost " not in page("/member/65001").text, "another member")


case("members", members)
case("a member", member)
case("lists of routes", lists)
case("a prefix", prefix)
case("what has changed", changes)
case("losses of a session", losses)
case("search", search)
case("errors", errors)
case("links", links)
case("a server that is away", away)
equal(G.stop(), 0, "the end of ternhttp")
done()
