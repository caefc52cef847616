# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that others have made for BIRD: Debian's prometheus-bird-exporter and birdclient for Python. Each asks bird2
and ternd, which serve the same members with the same file, and must tell the same of both, times aside."""

import urllib.request

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd beside bird2")
if not shutil.which(BIRD):
    needs("bird2")
BIRDCLIENT = "birdclient==0.0.1"
CONF = """
router id 10.0.0.1;
hostname "rs1";
log "RUN/bird.log" all;
timeformat base iso long ms; timeformat route iso long ms; timeformat protocol iso long ms;
ipv4 table t1;
roa4 table r4;
filter f_in { if net.len > 28 then reject; accept; }
filter f_out { if (65000,666) ~ bgp_community then reject; accept; }
protocol device { }
protocol bfd { }
protocol direct { disabled; ipv4; }
protocol static s1 { description "site=ams"; ipv4; route 10.1.0.0/16 blackhole; route 10.2.0.0/16 unreachable; }
protocol static sr { roa4 { table r4; }; route 10.20.0.0/16 max 24 as 65001; }
protocol pipe pp { table master4; peer table t1; import none; export all; }
template bgp rsc {
  local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client; hold time 90;
  ipv4 { import keep filtered; import filter f_in; export filter f_out; };
}
protocol bgp p1 from rsc { neighbor 127.0.11.1 as 65001; description "member=one kind=large"; }
protocol bgp p2 from rsc { neighbor 127.0.11.2 as 65002; ipv4 { import limit 100 action restart; }; }
protocol bgp p3 from rsc { neighbor 127.0.11.3 as 65003; ipv4 { import limit 2 action block; }; }
protocol bgp p4 from rsc { neighbor 127.0.11.4 as 65004; disabled; }
protocol bgp p5 from rsc { neighbor 127.0.11.5 as 65005; ipv4 { export none; }; ipv6 { import all; export all; }; }
"""
# What each member sends: prefixes, with more attributes.
SENDS = {
    1: [(["10.11.%d.0/24" % i for i in range(20)], b""), (["10.12.0.0/29", "10.12.0.8/29"], b"")],
    2: [(["10.21.%d.0/24" % i for i in range(5)], attribute(0xC0, 8, struct.pack("!HH", 65000, 666)))],
    3: [(["10.31.%d.0/24" % i for i in range(4)], b"")],
}


class Pair:
    """bird2 and ternd in the same state."""

    def __init__(self):
        self.both, self.peers, ports = [], [], []
        for make in Bird, Daemon:
            ports.append(free_port())
            self.both.append(make(CONF.replace("PORT", str(ports[-1]))).start())
        members = [
            [(n, Peer(port, "127.0.11.%d" % n, 65000 + n, server="127.0.10.1").establish()) for n in SENDS]
            for port in ports
        ]
        # All sessions are there before any route, so that each route is counted once.
        for d, peers in zip(self.both, members):
            d.wait_established(len(SENDS))
            for n, p in peers:
                self.peers.append(p)
                wait_until(lambda: self.counts(d)["p%d" % n][0][2] >= 2, "the static routes")
            for n, p in peers:
                for prefixes, extra in SENDS[n]:
                    p.update(prefixes, extra=extra)
                p.end_of_rib()
        for d in self.both:
            wait_until(
                lambda: self.counts(d)["p1"] == [(20, 2, 4)] and self.counts(d)["p3"] == [(2, 2, 22)],
                lambda: repr(self.counts(d)),
            )
        wait_until(
            lambda: self.counts(self.both[0]) == self.counts(self.both[1]),
            lambda: repr([self.counts(d) for d in self.both]),
        )

    @staticmethod
    def counts(d):
        """{protocol: [(imported, filtered, exported) of each channel]}"""
        found = {}
        for _, text in d.run("show protocols all"):
            if re.match(r"\S", text):
                name = text.split()[0]
                found[name] = []
            m = re.match(r" +Routes: +(\d+) imported, (?:(\d+) filtered, )?(\d+) exported", text)
            if m:
                found[name].append(tuple(int(n or 0) for n in m.groups()))
        return found

    def stop(self):
        for p in self.peers:
            p.s.close()
        for d in self.both:
            d.kill()


def metrics(d, *options):
    """What the exporter makes of a daemon: {metric with labels: value}, without what a clock has made."""
    program_path = shutil.which("prometheus-bird-exporter")
    if not program_path:
        needs("prometheus-bird-exporter")
    port = free_port()
    p = spawn(
        [program_path, "-bird.v2", "-bird.socket", d.ctl, "-web.listen-address", "127.0.0.1:%d" % port, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    found = {}

    def asked():
        check(p.poll() is None, "the exporter has ended with %s" % p.poll())
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                "http://127.0.0.1:%d/metrics" % port, timeout=20
            ) as r:
                text = r.read().decode()
        except OSError:
            return False
        for line in text.split("\n"):
            if line and not re.match(r"#|go_|process_|promhttp_", line):
                name, value = line.rsplit(" ", 1)
                # Its labels have the second word of a time, too, and by which way the kernel has told of an end.
                found[re.sub(r"(Socket|Received): [^\"]*", "E", re.sub(r"\d\d:\d\d:\d\d\.\d+", "T", name))] = value
        return True

    wait_until(asked, "the exporter")
    end(p)
    return {name: value for name, value in found.items() if "uptime" not in name and "_time" not in name}


def differ(got, want):
    return [
        "%s: %s, bird %s" % (k, got.get(k), want.get(k))
        for k in sorted(set(got) | set(want))
        if got.get(k) != want.get(k)
    ]


def test_exporter():
    pair = Pair()
    for options in ([], ["-format.new=false"], ["-format.description-labels"]):
        want, got = (metrics(d, *options) for d in pair.both)
        check(len(want) > 60, "%d metrics of bird with %s" % (len(want), options))
        equal(differ(got, want), [], "metrics with %s" % options)
    # Members come and go.
    for p in pair.peers:
        p.cease()
    for d in pair.both:
        wait_until(lambda: d.established() == 0, "members to have gone")
    want, got = (metrics(d) for d in pair.both)
    equal(differ(got, want), [], "metrics without members")
    pair.stop()


def birdclient():
    """A Python with birdclient."""
    venv = os.path.join(BUILD, "test", "clients")
    python = os.path.join(venv, "bin", "python")
    mark = os.path.join(venv, "has-" + BIRDCLIENT)
    if os.path.exists(mark):
        return python
    shutil.rmtree(venv, ignore_errors=True)
    if subprocess.run(
        [sys.executable, "-m", "venv", venv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120
    ).returncode:
        needs("python3-venv")
    r = subprocess.run(
        [
            python,
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--quiet",
            "--retries",
            "2",
            "--timeout",
            "15",
            "--no-deps",
            BIRDCLIENT,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
    )
    if r.returncode:
        note(r.stdout.decode(errors="replace")[-1000:])
        cannot_here("the package index can't be reached")
    open(mark, "w").close()
    return python


ASK = """
import json, sys, birdclient
c = birdclient.BirdClient(sys.argv[1])
print(json.dumps([c.show_status(), c.show_protocols(), c.show_route_table("master4")]))
"""


def test_birdclient():
    python = birdclient()
    pair = Pair()
    said = []
    for d in pair.both:
        out = subprocess.run(
            [python, "-c", ASK, d.ctl], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60
        ).stdout.decode()
        check(out.startswith("["), "birdclient: " + out[-500:])
        text = re.sub(r"\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d(\.\d+)?", "T", out)
        text = re.sub(r'"version": "\d+\.[\d.]+"', '"version": "N"', text)
        status, protocols, routes = json.loads(text)
        said.append((status, protocols, sorted(json.dumps(r, sort_keys=True) for r in routes)))
    check(len(said[0][1]) == 11 and said[0][0]["version"] == "N", "what it makes of bird: %r" % (said[0],))
    for what, want, got in zip(("status", "protocols", "routes"), *said):
        equal(got, want, "the " + what)
    pair.stop()


def test_strangers():
    """Protocols that the exporter doesn't know, with descriptions."""
    d = Daemon(
        CONF.replace("PORT", str(free_port()))
        + """
protocol bmp b { description "to a station"; station address ip 127.0.10.9 port 1; monitoring rib in pre_policy; }
protocol mrt m { description "dumps"; table "master4"; filename "RUN/x.mrt"; period 600; }
"""
    ).start()
    found = metrics(d)
    check(any('name="p5"' in name for name in found), "metrics beside protocols that it doesn't know: %r" % found)
    d.stop()


# What birdwatcher and birdseye ask, by `birdc -r`.
QUESTIONS = """
show status
show symbols
show symbols protocol
show protocols
show protocols all
show protocols all 'p1'
show route all protocol 'p1' where net.type = NET_IP4
show route all protocol 'p1' where net.type = NET_IP6
show route 10.11.3.0/24 all where net.type = NET_IP4
show route all where from=127.0.11.2
show route table 't1' all where from=127.0.11.1
show route protocol 'p1' count
show route primary protocol 'p1' count
show route table 't1' count
show route table t1 count where net.type = NET_IP4
show route all filtered protocol 'p1'
show route table 'master4' all filtered
show route all export 'p1'
show route all noexport 'p1' where net.type = NET_IP4
show route for 10.11.3.9 table 'master4' all
show route for 10.99.0.1 table 'master4' all
show route table 'master4' noexport 'pp' all
show route table 'master4' noexport 'pp' protocol 'p2' all
show route export p3 count
show route all filter { if bgp_community ~ [(65000, *)] then accept; } protocol p2
show route where net ~ [ 10.11.0.0/16+ ]
show route where bgp_path ~ [= * 65002 * =]
""".strip().split(
    "\n"
)


# Left out: versions; keywords and constants, which BIRD lists more of as symbols; what only ternd's `show protocols
# all` has; a timer that comes and goes.
MORE = (
    "Send hold timer|Dirty networks|Last sent|Segments read|Decisions made|Messages built|Messages sent|Sent"
    " early|Rejects kept|Down at|Sessions"
)


# Routes that a pipe with `import none` would be refused are counted by BIRD alone.
OURS = re.compile(r"^pp .*\n(.*\n)*    Import updates: +0 +0 ")


def untimed(text):
    """Without times and what follows from them, and in the order of networks, which is nobody's promise."""
    text = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d+)?)?|\d\d:\d\d:\d\d\.\d+", "T", text)
    text = re.sub(r"BIRD \d+\.[\d.]+", "BIRD N", text)
    text = re.sub(r"(?m)^(tern [\d.]+.*|\S+ *\t(?:undefined|constant))\n", "", text)
    text = re.sub(r"(?m)^ +(%s):.*\n?" % MORE, "", text)
    text = re.sub(r"( timer:? +:? *)[\d.]+/", r"\1-/", text)
    return [block.rstrip() for block in sorted(re.split(r"\n(?=\S)", text))]


def test_birdc():
    """Debian's birdc asks both; ours by that name asks ternd."""
    pair = Pair()
    ours = os.path.join(temp_dir(), "birdc")
    os.symlink(program("ternc"), ours)
    theirs = shutil.which("birdc") or "/usr/sbin/birdc"
    bad = []
    for question in QUESTIONS:
        said = []
        for path, d in ((theirs, pair.both[0]), (theirs, pair.both[1]), (ours, pair.both[1])):
            p = subprocess.run([path, "-r", "-s", d.ctl, *question.split(" ")], stdout=subprocess.PIPE, timeout=20)
            text = p.stdout.decode()
            # Whether a table without such routes has a heading depends on the order of words in BIRD.
            said.append(
                (p.returncode, untimed(re.sub("Table master4:\n", "", text) if "noexport 'pp'" in question else text))
            )
        equal([b for b in said[2][1] if b not in said[1][1]], [], "what only our birdc says of " + question)
        equal(said[2][0], said[1][0], "exit statuses of " + question)
        for got, want in zip(said[1][1], said[0][1]):
            if got != want and not OURS.search(got):
                bad.append((question, got, want))
        if said[1][0] != said[0][0] or len(said[1][1]) != len(said[0][1]):
            bad.append((question, len(said[1][1]), len(said[0][1])))
    equal(bad, [], "answers")
    pair.stop()


case("prometheus-bird-exporter", test_exporter)
case("prometheus-bird-exporter and other protocols", test_strangers)
case("questions of birdwatcher and birdseye", test_birdc)
case("birdclient", test_birdclient)
done()
