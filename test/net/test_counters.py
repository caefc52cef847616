# SPDX-License-Identifier: GPL-3.0-or-later
"""subscribe counters: the values of the page are those of the commands, a socket gets what it may see, the page follows
configure, readers that die or send without end harm nobody; ternhttp serves metrics and the front page from the page
without a command, notices a daemon that is stopped or restarted, and asks by commands where a daemon has no page."""

from counters_page import *
from glass import *

if KIND != "ternd":
    cannot_here("this is about ternd")

PORT = free_port()
MORE = """
cli "RUN/less.ctl" { restrict; mode "0666"; deny "show memory"; deny "show protocols all"; };
cli "RUN/none.ctl" { restrict; mode "0666"; deny "subscribe counters"; };
log "RUN/audit.log" { audit };
protocol bgp p6 from any { neighbor 127.0.11.6 as 65006;
  ipv6 { import none; export all; import limit 9 action warn; }; }
"""
ALL = CONF.replace("PORT", str(PORT)) + MORE
D = Daemon(ALL, "rs1").start()
P1 = Peer(PORT, "127.0.11.1", 65001, server="127.0.10.1", hold=0).establish()
P2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
P1.update(["20.0.1.0/24", "20.0.2.0/24", "20.0.3.0/25"])
P2.update(["20.0.7.0/24"], extra=attribute(0xC0, 8, struct.pack("!HH", 65000, 0)))
LG = D.dir + "/lg.ctl"


def shown(command, kind):
    """The objects of a command."""
    found = [json.loads(t) for c, t in D.run("json " + command) if c == 1100]
    return [o for o in found if o["type"] == kind]


def beside(o, want, path=""):
    """Each member of the object @o of the page has the value of @want."""
    for key, v in o.items():
        at = path + "." + key
        if key in ("cpu_s", "now_unix_s", "type") or key.endswith("age_s") or key.endswith("behind_s"):
            continue
        check(key in want, "%s is not shown: %s" % (at, want))
        if isinstance(v, dict):
            beside(v, want[key], at)
        elif isinstance(v, list):
            equal(len(v), len(want[key]), at)
            for a, b in zip(v, want[key]):
                beside({"item": a}, {"item": b}, at)
        elif isinstance(v, float):
            check(abs(v - want[key]) < 0.0015, "%s: %s %s" % (at, v, want[key]))
        else:
            equal(v, want[key], at)


def values():
    """The page has what the commands show."""
    p = Page(LG)
    counted = lambda: [m["ipv4"] for m in p.of("member") if m["name"] in ("p1", "p2")]
    wait_until(lambda: [c["received"] for c in counted()] == [3, 1], lambda: str(p.objects()))
    wait_until(lambda: [c["exported"] for c in counted()] == [0, 2], lambda: str(p.objects()))
    for kind, command in (
        ("status", "show status"),
        ("problem", "show health"),
        ("sessions", "show health"),
        ("log", "show health"),
        ("protocol", "show protocols all"),
        ("table", "show table"),
        ("member", "show members"),
        ("members", "show members"),
    ):
        p.next()
        got, want = p.of(kind), shown(command, kind)
        equal(len(got), len(want), kind)
        for a, b in zip(got, want):
            beside(a, b, kind)
    protocol = {o["name"]: o for o in p.of("protocol")}
    equal(protocol["p1"]["channels"][0]["routes"]["filtered"], 1, "filtered")
    check(protocol["p1"]["channels"][0]["reasons"]["import_filter"] == 1, protocol["p1"])
    equal(protocol["p6"]["channels"][1]["limits"]["import"]["max"], 9, "limit")
    equal({o["name"] for o in p.of("memory")}, {o["name"] for o in shown("show memory", "memory")}, "memory")
    names = {o["name"] for o in shown("show threads", "thread")}
    check({o["name"] for o in p.of("thread")} <= names and len(p.of("thread")) > 3, names)
    h = p.head()
    check(1000 <= h["PERIOD_MS"] < 60000, h)
    check(abs(h["AT_NS"] / 1e9 - time.time()) < 60 * SLOW, h)
    p.close()


def read_only():
    p = Page(LG)
    for flags in (mmap.PROT_WRITE, mmap.PROT_READ | mmap.PROT_WRITE):
        try:
            mmap.mmap(p.fd, 4096, prot=flags)
        except PermissionError:
            pass
        else:
            check(False, "the page can be written")
    for call in (lambda: os.write(p.fd, b"x"), lambda: os.ftruncate(p.fd, 0)):
        try:
            call()
        except OSError:
            continue
        check(False, "the file can be written")
    p.close()


def rights():
    """A socket gets the kinds of the commands that it may run; rights that change; no right."""
    every = {KINDS[k][0] for k in KINDS}
    p, less, own = Page(LG), Page(D.dir + "/less.ctl"), Page(D.ctl, restrict=True)
    equal((p.kinds(), own.kinds()), (every, every), "all kinds")
    equal(every - less.kinds(), {"memory", "protocol", "channel", "reasons"}, "denied kinds")
    equal({o["type"] for o in less.objects()} & {"memory", "protocol"}, set(), "denied blocks")
    equal(Cli(D.dir + "/none.ctl").run("json subscribe counters")[-1][0], 8007, "no right")
    # words of a file that failed are for the owner of the daemon
    D.write(ALL + "protocol bgp secret_words;\n")
    equal(D.code("configure"), 8002, "a wrong file")
    bad = lambda: [o for o in p.next().of("problem") if o["kind"] == "configure"]
    wait_until(bad, lambda: str(p.objects()))
    check("secret_words" not in str(bad()) and "rs1.conf" in str(bad()), bad())
    D.write(ALL.replace('lg.ctl" { restrict;', 'lg.ctl" { restrict; deny "show table"; deny "subscribe counters";'))
    equal(D.code("configure"), 3, "configure")
    equal(p.ended()[:4], "8007", "the right is gone")
    wait_until(lambda: p.head()["CLOSED"] == 1, "the page is closed")
    D.write(ALL.replace("less.ctl", "other.ctl"))
    equal(D.code("configure"), 3, "configure")
    wait_until(lambda: less.head()["CLOSED"] == 1, "the page of a removed socket is closed")
    D.write(ALL)
    equal(D.code("configure"), 3, "configure")
    for x in (p, less, own):
        x.close()


def configures():
    """Members come and go: the page follows, and each look has each object once."""
    p = Page(LG)
    names = lambda: [o["name"] for o in p.of("protocol")]
    for cnt in (40, 7, 0, 25, 0):
        member = "protocol bgp q%d from any { neighbor 127.0.12.%d as 65100; }\n"
        more = "".join(member % (i, i + 1) for i in range(cnt))
        D.write(ALL + more)
        check(D.code("configure") in (3, 4), "configure")  # 4: under way
        seen, want = [], []

        def follows():
            want[:] = [o["name"] for o in shown("show protocols", "protocol")]
            seen[:] = names()
            equal(len(seen), len(set(seen)), "an object twice: %s" % seen)
            return seen == want and len([n for n in want if n[0] == "q"]) == cnt

        wait_until(follows, lambda: "%s %s" % (seen, want))
        equal(p.of("members")[0]["sessions"], 4 + cnt, "sessions")
    p.close()


def clients():
    return len([o for o in shown("show threads", "thread") if o["name"] == "cli"])


def readers():
    """Subscribers that die, send without end or never read: the others have their page, and nothing is left."""
    before = clients()
    p = Page(LG)
    gone = [Page(LG) for _ in range(5)]
    loud = Page(LG)
    loud.cli.s.setblocking(False)
    try:
        while True:
            loud.cli.s.send(b"show status\n" * 1000)
    except BlockingIOError:
        pass
    mute = []
    for _ in range(5):
        c = Cli(LG)
        c.send("json subscribe counters\n" * 100)
        mute.append(c)
    for g in gone:
        g.close()
    p.next()
    p.next()
    equal(D.code("show status"), 13, "the daemon answers")
    for c in mute:
        c.close()
    loud.close()
    p.close()
    wait_until(lambda: clients() <= before, lambda: "%d %d" % (clients(), before))


def asked(g):
    """The commands of the ternhttp @g, of the audit."""
    with open(D.dir + "/audit.log") as f:
        return re.findall(r"pid %d .* result \S+ command: (.*)" % g.proc.pid, f.read())


def counted(g):
    """Metrics and front page come from the page: no command reaches the daemon meanwhile. ternhttp asks a daemon by
    commands that just began, or that a busy machine keeps from writing the page for seconds: then the scrapes begin
    anew."""

    def free():
        g.text("/metrics")
        before = len(asked(g))
        for _ in range(20):
            text = g.text("/metrics")
            home = g.text("/")
        if "bird_protocol_up{" not in text:  # the daemon has just begun
            return False
        check("Second" in home and "tern_thread_cpu_seconds_total" in text, home)
        D.text("show status")  # the audit is written in order
        return len(asked(g)) == before

    wait_until(free, lambda: "commands for 20 scrapes: %s %s" % (asked(g)[-5:], g.text("/metrics")[:200]))


def same_series(g):
    """The page gives the series that commands give."""
    slow = Glass({"rs1": D.dir + "/none.ctl"})
    names = lambda text: sorted(re.sub(r"\S+$", "", line) for line in text.splitlines() if "cli" not in line)
    counted(g)
    equal(names(g.text("/metrics")), names(slow.text("/metrics")), "series")
    stable = re.compile(r"bird_protocol_(prefix|changes)|tern_(table_r|refused|limit)")
    value = lambda text: {line for line in text.splitlines() if stable.match(line)}
    wait_until(lambda: value(g.text("/metrics")) == value(slow.text("/metrics")), "equal values")
    equal(slow.stop(), 0, "the end")


def lives():
    """ternhttp is killed; the daemon stops, and is started again with -R."""
    before = clients()
    g = Glass({"rs1": LG})
    counted(g)
    g.proc.kill()
    g.proc.wait()
    wait_until(lambda: clients() <= before, lambda: "%d %d" % (clients(), before))
    g = Glass({"rs1": LG})
    same_series(g)
    freeze(D.pid)
    try:
        wait_until(lambda: "bird_socket_query_success 0" in g.text("/metrics"), "a stopped daemon", 60)
        check("does not answer" in g.text("/"), "the page says so")
    finally:
        os.kill(D.pid, signal.SIGCONT)
    counted(g)
    boot = Page(LG).about["boot"]
    D.kill()
    wait_until(lambda: "bird_socket_query_success 0" in g.text("/metrics"), "a dead daemon")
    home = lambda: g.get("/")[2]
    wait_until(lambda: "does not answer" in home() and "Second" in home() and "old" in home(), home)
    D.start("-R")
    check(Page(LG).about["boot"] != boot, "another start")
    wait_until(lambda: "bird_socket_query_success 1" in g.text("/metrics"), "the daemon is back")
    counted(g)
    equal(g.stop(), 0, "the end")


values()
read_only()
rights()
configures()
readers()
lives()
D.stop()
