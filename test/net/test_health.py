# SPDX-License-Identifier: GPL-3.0-or-later
"""test_health checks the findings and the other lines of `show health`: sessions, stale routes, who is behind, how old
the data of caches is, by which files the daemon runs."""

import hashlib
import json

from harness import *
from rtr_cache import *
from schema import Schema

HEAD = 'router id 10.0.0.1;\nlog "RUN/bird.log" all;\nprotocol device {}\n'
MEMBER = (
    "protocol bgp m%d { local 127.0.10.1 port %d as 65000; neighbor 127.0.11.%d as 6500%d; strict bind on; passive;"
    " multihop; rs client; graceful restart on; ipv4 { %s import all; export all; }; }\n"
)

with open(os.path.join(SRC, "doc/json.schema.json")) as schema:
    SCHEMA = Schema(json.load(schema))


class Health:
    """A daemon, and what it says of its health: in text, in JSON, and in real time by the exit status of ternc."""

    def __init__(self, conf):
        self.d = Daemon(conf).start()

    def objects(self, kind):
        said = [json.loads(t) for c, t in self.d.run("json show health") if c == 1100]
        for o in said:
            wrong = SCHEMA.errors(o)
            check(not wrong, "%r: %s" % (o, wrong))
        return [o for o in said if o["type"] == kind]

    def findings(self):
        reply = self.d.run("show health")
        problems = [t[len("Problem: ") :] for _, t in reply if t.startswith("Problem: ")]
        n = len(problems)
        equal(
            reply[-1],
            (8099, "%d problem%s" % (n, "" if n == 1 else "s")) if n else (13, "No problems"),
            "the last line",
        )
        if not VIRTUAL:
            self.check_ternc(n)
        return problems

    def check_ternc(self, n):
        argv = [program("ternc"), "-s", self.d.ctl]
        for more in [], ["--json"]:
            rc = subprocess.run(
                argv + more + ["show", "health"], stdout=subprocess.DEVNULL, timeout=20, check=False
            ).returncode
            if (
                len([t for _, t in self.d.run("show health") if t.startswith("Problem: ")]) == n
            ):  # else it has changed meanwhile
                equal(rc, 1 if n else 0, "exit status of ternc")

    def line(self, what):
        return re.search("^%s: (.*)$" % what, self.d.text("show health"), re.M).group(1)

    def wait(self, problems):
        wait_until(lambda: self.findings() == problems, lambda: repr(self.findings()))


def dial(port, n, caps=b""):
    return Peer(port, "127.0.11.%d" % n, 65000 + n, server="127.0.10.1", caps=caps).establish()


def problems():
    """Each finding is a line, and goes when its cause does."""
    port = free_port()
    good = HEAD + MEMBER % (1, port, 1, 1, "import limit 10 action warn;")
    h = Health(good)
    equal((h.findings(), h.line("Sessions")), ([], "0 of 1 up"), "nobody is there")
    p = dial(port, 1)
    p.update(["20.0.%d.0/24" % k for k in range(8)])
    wait_until(lambda: "8 imported" in h.d.text("show protocols all m1"), "eight routes")
    equal((h.findings(), h.line("Sessions")), ([], "1 of 1 up"), "below 90 %")
    p.update(["20.0.8.0/24"])
    near = "m1.ipv4 has 9 routes, the import limit is 10"
    h.wait([near])
    h.d.write(good + "nonsense;\n")
    h.d.run("configure check")
    equal(h.findings(), [near], "a check isn't a configure")
    error = h.d.run("configure")[-1][1]
    equal(h.findings(), [near, "the last configure failed: " + error], "a broken file")
    status = h.d.text("show status")
    check("Last configure failed on " in status and "Reason is " + error in status, status)
    h.d.write(good)
    h.d.run("configure")
    equal(h.findings(), [near], "it is mended")
    check("failed" not in h.d.text("show status"), "it is mended")
    p.withdraw(["20.0.8.0/24"])
    h.wait([])
    h.d.run("disable m1")
    equal((h.findings(), h.line("Sessions")), ([], "0 of 0 up"), "who is disabled isn't wanted")
    h.d.stop()


def stale():
    """Routes of a member that restarts are counted until it has told them again."""
    port = free_port()
    h = Health(HEAD + MEMBER % (1, port, 1, 1, ""))
    restarts = bytes.fromhex("4006007800010180")
    p = dial(port, 1, restarts)
    p.update(["20.0.%d.0/24" % k for k in range(8)])
    p.end_of_rib()
    wait_until(lambda: "8 imported" in h.d.text("show protocols all m1"), "eight routes")
    equal(h.line("Stale routes"), "0", "while it is up")
    p.reset()
    wait_until(lambda: h.line("Stale routes") == "8", lambda: h.d.text("show health"))
    equal((h.findings(), h.objects("sessions")[0]["stale_routes"]), ([], 8), "that is no problem")
    p = dial(port, 1, bytes.fromhex("4006807800010180"))
    p.update(["20.0.1.0/24"])
    p.end_of_rib()
    wait_until(lambda: h.line("Stale routes") == "0", lambda: h.d.text("show health"))
    h.d.stop()


def slowest():
    """A member that doesn't read is behind, from when it is on, and no more when it has read all."""
    port = free_port()
    h = Health(HEAD + MEMBER % (1, port, 1, 1, "") + MEMBER % (2, port, 2, 2, "") + MEMBER % (3, port, 3, 3, ""))
    peers = {n: dial(port, n) for n in (1, 2, 3)}
    peers[2].s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wait_until(lambda: h.line("Slowest member") == "none is behind", lambda: h.d.text("show health"))
    reads = threading.Thread(target=lambda: peers[3].wait_for(NOTIFICATION, 60), daemon=True)
    reads.start()
    nets = ["20.%d.%d.0/24" % (k // 256, k % 256) for k in range(20000)]
    began = time.monotonic()
    for i, net in enumerate(nets):  # more than sockets hold
        peers[1].update([net], [65001, 70000 + i] + list(range(1, 240)))
    wait_until(lambda: "20000 imported" in h.d.text("show protocols all m1"), "all routes", 60)
    wait_until(
        lambda: h.line("Slowest member").startswith("m2.ipv4, behind for "),
        lambda: h.d.text("show health") + h.d.text("show protocols all m2"),
    )
    one = h.objects("sessions")[0]["slowest"]
    # the time that a member is behind grows by the time that passes
    wait_until(
        lambda: h.objects("sessions")[0]["slowest"]["behind_s"] > one["behind_s"] + 0.9,
        lambda: "the time to grow: %r" % one,
    )
    two = h.objects("sessions")[0]["slowest"]
    equal((two["protocol"], two["channel"]), ("m2", "ipv4"), "who")
    check(two["behind_s"] < time.monotonic() - began, "since it is: %r, %r" % (one, two))
    check(0 <= two["dirty_networks"] <= len(nets), "what waits: %r" % two)
    peers[2].reset()
    wait_until(lambda: h.line("Slowest member") == "none is behind", lambda: h.d.text("show health"))
    again = dial(port, 2)
    threading.Thread(target=lambda: again.wait_for(NOTIFICATION, 60), daemon=True).start()
    wait_until(
        lambda: "20000 exported" in h.d.text("show protocols all m2"), lambda: h.d.text("show protocols all m2"), 60
    )
    wait_until(lambda: h.line("Slowest member") == "none is behind", lambda: h.d.text("show health"))
    check("slowest" not in h.objects("sessions")[0], "in JSON")
    h.d.stop()


def data_of_caches():
    """Its age begins anew with each answer of the cache; data that should have come again is a problem."""
    cache = Cache(free_port())
    cache.vrps = {("192.0.2.0/24", 25, 65001)}
    conf = (
        HEAD
        + "roa4 table r4;\nprotocol rpki c { roa4 { table r4; }; remote 127.0.0.1 port %d; retry keep 1; refresh keep"
        " %d; }\n"
    )
    h = Health(conf % (cache.port, 1))
    wait_until(lambda: "old" in h.line("Data of c"), lambda: h.d.text("show health"))
    ages = []

    def begins_anew():
        ages.append(h.objects("rpki_data")[0]["updated_age_s"])
        return len(ages) > 1 and ages[-1] < ages[-2]

    wait_until(begins_anew, lambda: "it is asked again: %r" % ages)
    equal(h.objects("rpki_data")[0]["protocol"], "c", "whose data")
    cache.kill()
    wait_until(
        lambda: any(re.fullmatch(r"the data of c is \d+ s old", p) for p in h.findings()),
        lambda: h.d.text("show health"),
        30,
    )
    check(h.objects("rpki_data")[0]["updated_age_s"] > 2, "in JSON")
    h.d.stop()


def digest():
    """It is that of the texts, what is included first; when they were read is there, too."""
    d = temp_dir()
    for name in "b", "a":
        with open(os.path.join(d, name + ".inc"), "w") as f:
            f.write("define IN_%s = [ 10.0.0.0/8+, 192.0.2.0/24 ]; # %s\n" % (name, name * 3000))
    text = HEAD + 'include "%s/*.inc";\ndefine LAST = "x";' % d
    h = Health(text)

    def want(*parts):
        return hashlib.sha256("".join(parts).encode()).hexdigest()

    def included():
        return [open(os.path.join(d, n + ".inc")).read() for n in ("a", "b")]

    equal(h.line("Digest of its files"), want(*included(), h.d.read()), "the digest")
    first = h.objects("configuration")[0]
    equal(first["sha256"], h.line("Digest of its files"), "in JSON")
    with open(os.path.join(d, "a.inc"), "a") as f:
        f.write("# more\n")
    h.d.run("configure check")
    equal(h.objects("configuration")[0], first, "a check changes nothing")
    equal(h.d.code("configure"), 3, "configure")
    second = h.objects("configuration")[0]
    equal(second["sha256"], want(*included(), h.d.read()), "another file")
    check(second["configured_unix_s"] > first["configured_unix_s"], "when: %r" % second)
    h.d.write("nonsense")
    h.d.run("configure")
    equal(h.objects("configuration")[0], second, "what can't be read isn't what runs")
    h.d.stop()


def loop():
    """A member that a limit restarts again and again."""
    port = free_port()
    h = Health(
        HEAD
        + MEMBER.replace("graceful restart on;", "error wait time 1, 1; connect retry time 1;")
        % (1, port, 1, 1, "import limit 5 action restart;")
    )
    for turn in (1, 2):

        def comes():
            try:
                p = dial(port, 1)
                p.update(["20.0.%d.0/24" % k for k in range(8)])
                p.wait_for(NOTIFICATION)
                return True
            except (OSError, Failed):
                return False

        wait_until(comes, "the session comes up and a limit ends the session", 30)
        wait_until(lambda: "Route limit exceeded" in h.d.text("show protocols all m1"), "the limit")
        found = [x for x in h.findings() if "restarted" in x]
        check(len(found) == turn - 1, "turn %d: %r" % (turn, found))
    check(re.match(r"a limit has restarted m1 2 times, the last time \d+ s ago", found[0]), "%r" % found)
    check("limit_loop" in [o["kind"] for o in h.objects("problem")], "kind")
    h.d.stop()


def dead():
    """A cache that is away is a finding after three times the retry interval, though its data isn't old yet."""
    h = Health(
        HEAD
        + "roa4 table r4;\nprotocol rpki c { roa4; remote 127.0.0.1 port %d; retry keep 1; refresh keep 3600; expire"
        " keep 7200; }\n" % free_port()
    )
    equal(h.findings()[1:], [], "at first it may be on its way")
    wait_until(
        lambda: [x for x in h.findings() if re.match(r"c: no data from the cache for [5-9] s", x)],
        lambda: repr(h.findings()),
        20,
    )
    h.d.run("disable c")
    wait_until(lambda: not [x for x in h.findings() if x.startswith("c: ")], lambda: repr(h.findings()))
    h.d.stop()


def full_disk():
    """Lines that a full disk does not take."""
    h = Health(HEAD + 'log "/dev/full" all;\n')
    wait_until(
        lambda: re.fullmatch(
            r"\d+ log lines could not be written since the start, the last line within an hour: "
            "No space left on device",
            "".join(h.findings()),
        ),
        lambda: repr(h.findings()),
    )
    check(int(h.line("Log lines not written")) > 0 and h.objects("log")[0]["lost_lines"] > 0, "counted")
    h.d.stop()


case("problems", problems)
real_case("problems, and the exit status of ternc", problems)
case("stale routes", stale)
case("the slowest member", slowest)
case("data of caches", data_of_caches)
case("a limit that restarts", loop)
case("a dead cache", dead)
case("a full disk", full_disk)
case("files", digest)
done()
