# SPDX-License-Identifier: GPL-3.0-or-later
"""Protocol rpki beside programs of others: the same routes valid and invalid as bird finds with the same cache; caches
that aren't ours; a real sshd before a cache.

TERN_CHANGES: how many changes of the cache's data (250; 10,000 in the long form). TERN_BIRD: a bird that knows ASPAs
(2.16 or later), where the one that is installed doesn't. TERN_STAYRTR, TERN_RTRTR: these programs, where they aren't in
PATH."""

from caches import *

if KIND != "ternd":
    cannot_here("this is about ternd")


BESIDE = """
router id 10.0.0.1;
log "RUN/bird.log" all;
roa4 table r4;
roa6 table r6;
%(aspa_table)s
protocol device {}
filter seen {
  bgp_large_community.empty;
  if net.type = NET_IP4 then {
    if roa_check(r4) = ROA_VALID then bgp_large_community.add((1, 1, 1));
    if roa_check(r4) = ROA_INVALID then bgp_large_community.add((1, 1, 2));
  } else {
    if roa_check(r6) = ROA_VALID then bgp_large_community.add((1, 1, 1));
    if roa_check(r6) = ROA_INVALID then bgp_large_community.add((1, 1, 2));
  }
  %(aspa)s
  accept;
}
filter allowed {
  if net.type = NET_IP4 && roa_check(r4) = ROA_INVALID then reject;
  if net.type = NET_IP6 && roa_check(r6) = ROA_INVALID then reject;
  %(aspa_reject)s
  accept;
}
%(rpki)s
template bgp rsmember { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; allow as sets; }
protocol bgp m1 from rsmember { neighbor 127.0.11.1 as 65001; ipv4 { %(seen)s export none; }; ipv6 { %(seen)s export \
none; }; }
protocol bgp m2 from rsmember { neighbor 127.0.11.2 as 65002; ipv4 { %(allowed)s export none; }; ipv6 { %(allowed)s \
export none; }; }
"""
BESIDE_ASPA = dict(
    aspa_table="aspa table as1;",
    aspa="""
  if aspa_check_upstream(as1) = ASPA_VALID then bgp_large_community.add((1, 2, 1));
  if aspa_check_upstream(as1) = ASPA_INVALID then bgp_large_community.add((1, 2, 2));
  if aspa_check_downstream(as1) = ASPA_VALID then bgp_large_community.add((1, 3, 1));
  if aspa_check_downstream(as1) = ASPA_INVALID then bgp_large_community.add((1, 3, 2));
""",
    aspa_reject="if aspa_check_upstream(as1) = ASPA_INVALID then reject;",
)
SIX = b"\x01\x04\x00\x02\x00\x01"  # the capability of IPv6


def nets_of(rng, cnt, deepest):
    """Prefixes of few bits, so that many lie below others: (IPv4, IPv6)."""
    four, six = set(), set()
    while len(four) < cnt:
        n = rng.randrange(8, deepest + 1)
        four.add("%s/%d" % (socket.inet_ntoa(struct.pack("!I", 10 << 24 | rng.getrandbits(n - 8) << (32 - n))), n))
    while len(six) < cnt // 3:
        n = rng.randrange(32, 30 + deepest // 2)
        six.add(
            "%s/%d"
            % (
                socket.inet_ntop(
                    socket.AF_INET6,
                    struct.pack("!IIQ", 0x20010DB8, rng.getrandbits(n - 32) << (64 - n) if n > 32 else 0, 0),
                ),
                n,
            )
        )
    return sorted(four), sorted(six)


def six_nlri(address, prefix):
    addr, length = prefix.split("/")
    n = (int(length) + 7) // 8
    return attribute(
        0x80,
        14,
        b"\0\2\1\x10"
        + socket.inet_pton(socket.AF_INET6, address)
        + b"\0"
        + bytes([int(length)])
        + socket.inet_pton(socket.AF_INET6, addr)[:n],
    )


class Changes:
    """A cache whose data changes at random."""

    def __init__(self, cache, rng, aspas):
        self.cache, self.rng, self.with_aspas = cache, rng, aspas
        self.made = 0

    def vrp(self):
        rng = self.rng
        four, six = nets_of(rng, 3, 18)
        net = rng.choice(four + six)
        n = int(net.split("/")[1])
        return net, min(rng.choice((n, n, n + 2, n + 8, 128)), 128 if ":" in net else 32), 65000 + rng.randrange(1, 9)

    def step(self):
        """A few changes, then a new serial, or the whole anew, or a restart. Returns: is all told anew?"""
        rng, cache = self.rng, self.cache
        vrps, aspas = set(cache.vrps), dict(cache.aspas)
        for _ in range(rng.randrange(1, 21)):
            self.made += 1
            if self.with_aspas and rng.random() < 0.4:
                customer = 65000 + rng.randrange(1, 13)
                if rng.random() < 0.3:
                    aspas.pop(customer, None)
                else:
                    aspas[customer] = (
                        sorted(rng.sample(range(65001, 65013), rng.randrange(1, 8))) if rng.random() < 0.95 else [0]
                    )
            elif len(vrps) > 120 or vrps and rng.random() < 0.45:
                vrps.remove(rng.choice(sorted(vrps)))
            else:
                vrps.add(self.vrp())
        cache.history = 0 if rng.random() < 0.06 else 100
        dead = rng.random() < 0.03
        if dead:
            cache.kill()
        other = dead or rng.random() < 0.06
        if other:
            cache.session = cache.session % 65535 + 1
            cache.past = {}
        cache.set(vrps, aspas)
        if dead:
            cache.open()
        return other or cache.history == 0


def judged(d, how=""):
    """What is seen of the routes: {prefix: marks} of m1's, and which of m2's are allowed."""
    marks, net = {}, None
    for line in d.text("show route protocol m1 all " + how).splitlines():
        m = re.match(r"(\S+/\d+) ", line)
        if m:
            net = m.group(1)
            marks[net] = []
        elif "large_community" in line:
            marks[net] = sorted(re.findall(r"\(1, (\d), (\d)\)", line))
    allowed = re.findall(r"^(\S+/\d+) ", d.text("show route protocol m2 " + how.replace("seen", "allowed")), re.M)
    return marks, sorted(allowed)


def routes_as_bird(aspas):
    """The same routes are valid, invalid, unknown as bird finds when it is asked, after random changes of the cache's
    data."""
    if not os.path.exists(BIRD):
        needs("bird2")
    version = re.search(
        r"(\d+)\.(\d+)",
        subprocess.run([BIRD, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode(),
    )
    if aspas and tuple(map(int, version.groups())) < (2, 16):
        cannot_here("bird %s has no ASPA, 2.16 and later have: TERN_BIRD" % version.group(0))
    rng = random.Random(SEED)
    cache = Cache(free_port())
    cache.version, cache.lower = (2 if aspas else 1), "answer"
    changes, peers = Changes(cache, rng, aspas), []
    more = BESIDE_ASPA if aspas else dict(aspa_table="", aspa="", aspa_reject="")
    channels = "roa4 { table r4; }; roa6 { table r6; };" + (" aspa { table as1; };" if aspas else "")
    ports = free_port(), free_port()
    d = Daemon(
        BESIDE
        % dict(
            more,
            port=ports[0],
            rpki=rpki("c", cache.port, channels=channels),
            seen="import keep filtered; import filter seen;",
            allowed="import keep filtered; import filter allowed;",
        )
    ).start()
    b = Bird(
        BESIDE
        % dict(
            more,
            port=ports[1],
            rpki=rpki("c", cache.port, channels=channels),
            seen="import all;",
            allowed="import all;",
        ),
        "bird",
    ).start()
    four, six = nets_of(rng, 300, 24)
    for n in (1, 2):
        these = [member(port, n, SIX) for port in ports]
        for net in four + six:
            path = [65000 + n] + [65000 + rng.randrange(1, 13) for _ in range(rng.randrange(4))]
            for p in these:
                if ":" in net:
                    p.update([], path, extra=six_nlri("2001:db8::%d" % n, net))
                else:
                    p.update([net], path)
        peers += these
    count = lambda x: max(int(n) for n in re.findall(r"(\d+) of \d+ routes", x.text("show route protocol m1 count")))
    for x in (d, b):
        wait_until(lambda: count(x) == len(four + six), lambda: "all routes of m1: %d" % count(x))
    valid = invalid = 0
    while changes.made < int(os.environ.get("TERN_CHANGES", 10000 if SOAK else 250)):
        if changes.step() and aspas:  # 2.17.5 keeps ASPAs then that the cache has no more
            check("c: restarted" in b.text("restart c"), "restart")
        up_to_date = r"Status: +Established\n(.*\n)*.*Session ID: +%d\n.*Serial number: +%d\n" % (
            cache.session,
            cache.serial,
        )
        wait_until(
            lambda: re.search(up_to_date, b.text("show protocols all c")),
            lambda: "bird's data: " + b.text("show protocols all c"),
        )
        want = judged(b, "filter seen")
        valid += sum(("1", "1") in x for x in want[0].values())
        invalid += sum(("1", "2") in x for x in want[0].values())

        def differ():
            got = judged(d)
            marks = [
                "%s %s, bird %s" % (k, got[0].get(k), want[0].get(k))
                for k in want[0]
                if got[0].get(k) != want[0].get(k)
            ]
            return "after %d changes: %s; allowed: %s" % (
                changes.made,
                "; ".join(marks[:9]),
                sorted(set(got[1]) ^ set(want[1]))[:9],
            )

        wait_until(lambda: judged(d) == want, differ)
        for t in ("r4", "r6"):
            vrps = sorted("%s-%d AS%d" % v for v in cache.vrps if (":" in v[0]) == (t == "r6"))
            equal(keys(b, t), vrps, "bird's table " + t)
            # what changes no verdict may still be on its way
            wait_until(lambda: keys(d, t) == vrps, lambda: "table %s: %s" % (t, sorted(set(keys(d, t)) ^ set(vrps))))
        for p in peers:
            p.send(message(KEEPALIVE))
    check(valid > changes.made and invalid > changes.made, "too few are valid or invalid: %d, %d" % (valid, invalid))
    b.kill()
    finish(cache, d)


class Foreign:
    """A cache of another make, which reads its data from a file, again and again."""

    def __init__(self, name):
        self.program = os.environ.get("TERN_" + name.upper()) or shutil.which(name)
        if not self.program and name == "stayrtr":
            needs(name)
        if not self.program:
            cannot_here("no %s (cargo install %s)" % (name, name))
        self.dir, self.port, self.proc = temp_dir(), free_port(), None

    def put(self, name, text):
        path = os.path.join(self.dir, name)
        with open(path + ".new", "w") as f:
            f.write(text)
        os.rename(path + ".new", path)
        return path

    def run(self, *options):
        self.proc = spawn([self.program, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self):
        self.proc.send_signal(signal.SIGCONT)
        end(self.proc, signal.SIGKILL)


class Stayrtr(Foreign):
    """Data in both forms of its JSON: that of 0.4 has providers by family."""

    def __init__(self):
        super().__init__("stayrtr")
        usage = subprocess.run([self.program, "-h"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
        self.early = "8210bis-10" in usage  # its version 2

    def write(self, vrps, aspas=()):
        self.put(
            "data",
            json.dumps(
                {
                    "metadata": {"buildtime": "2026-01-01T00:00:00Z"},
                    "provider_authorizations": {
                        "ipv4": [{"customer_asid": c, "providers": p} for c, p in aspas],
                        "ipv6": [],
                    },
                    "roas": [{"prefix": v[0], "maxLength": v[1], "asn": "AS%d" % v[2], "ta": "x"} for v in vrps],
                }
            ),
        )

    def serve(self, version=1):
        self.run(
            "-bind",
            "127.0.0.1:%d" % self.port,
            "-cache",
            os.path.join(self.dir, "data"),
            "-checktime=false",
            "-refresh",
            "1",
            "-protocol",
            str(version),
            "-metrics.addr",
            "127.0.0.1:%d" % free_port(),
        )


class Rtrtr(Foreign):
    """NLnet Labs' proxy, with the RTR server of Routinator."""

    def __init__(self):
        super().__init__("rtrtr")
        self.conf = self.put("conf", RTRTR_CONF % dict(port=self.port, http=free_port(), dir=self.dir))

    def write(self, vrps, aspas=()):
        self.put(
            "data",
            json.dumps(
                {
                    "roas": [{"prefix": v[0], "maxLength": v[1], "asn": "AS%d" % v[2], "ta": "x"} for v in vrps],
                    "aspas": [{"customer": "AS%d" % c, "providers": ["AS%d" % x for x in p]} for c, p in aspas],
                }
            ),
        )

    def serve(self, version=2):
        self.run("--config", self.conf)


RTRTR_CONF = """
log_level = "error"
log_target = "stderr"
http-listen = ["127.0.0.1:%(http)d"]
[units.data]
type = "json"
uri = "file:%(dir)s/data"
refresh = 1
[targets.routers]
type = "rtr"
listen = ["127.0.0.1:%(port)d"]
unit = "data"
"""


def stayrtr():
    """Which versions it takes; what changes, beside bird."""
    cache = Stayrtr()
    cache.write(VRPS, [(65001, [65002])])
    # 0.4: an earlier draft, with an ASPA of it. 0.6: no version 2, which it says in version 0, or it closes the
    # connection.
    cache.serve(2 if cache.early else 1)
    d = Daemon(conf(rpki("c", cache.port))).start()
    wait_until(lambda: len(keys(d)) == 2, "the ROAs", 30)
    equal(field(d, "Protocol version"), "1", "version")
    wait_until(
        lambda: "of an earlier draft?): going on with version 1" in d.whole_log() or not cache.early, lambda: "the log"
    )
    d.stop()
    cache.kill()
    cache.serve(1)
    text = HEAD % "" + rpki("c", cache.port, "", "roa4 { table r4; }; roa6 { table r6; };")
    d = Daemon(text).start()
    b = Bird(text.replace("{ states, packets }", "off"), "bird").start() if os.path.exists(BIRD) else None
    for vrps in (VRPS, VRPS[:1], sorted(crowd(5000)), VRPS):
        cache.write(vrps)
        want = sorted("%s-%d AS%d" % v for v in vrps if ":" not in v[0])
        for x in (d, b):
            if x:
                wait_until(lambda: keys(x) == want, "%d ROAs" % len(want), 60)
    if b:
        b.kill()
    d.stop()
    cache.kill()


def aspas_of_another_make():
    """ASPAs of the draft that we know, from a cache that isn't ours."""
    cache = Rtrtr()
    cache.write(VRPS, [(65001, [65002, 65003]), (65009, [0])])
    cache.serve()
    d = Daemon(conf(rpki("c", cache.port))).start()
    said = lambda: d.text("show route table as1 all")
    wait_until(
        lambda: keys(d, "as1") == ["AS65001", "AS65009"] and len(keys(d)) == 2 and len(keys(d, "r6")) == 1,
        lambda: "all: " + d.said(),
    )
    check("65002 65003" in said(), "providers: " + said())
    equal(field(d, "Protocol version"), "2", "version")
    cache.write(VRPS[:1], [(65001, [65004]), (65010, list(range(1, 400)))])
    wait_until(
        lambda: keys(d, "as1") == ["AS65001", "AS65010"] and len(keys(d)) == 1 and "65004" in said(),
        lambda: "changes: " + d.said(),
    )
    check("65002" not in said(), "providers that are no more: " + said())
    equal(
        [d.text("eval aspa_check(as1, +empty+.prepend(65001).prepend(%d), true)" % p) for p in (65004, 65002)],
        ["ASPA_VALID", "ASPA_INVALID"],
        "verdicts",
    )
    cache.write(VRPS[:1], [(65001, [65005, 65004])])  # it sends them as they are
    wait_until(lambda: "aren't in order: going on with version 1" in d.whole_log(), "an ASPA out of order")
    wait_until(lambda: not keys(d, "as1"), "no ASPAs in version 1")
    equal((field(d, "Protocol version"), keys(d)), ("1", ["192.0.2.0/24-25 AS65001"]), "what is left")
    d.stop()
    cache.kill()


def faults(make):
    """What is there stays as it is while a cache is frozen, slow, dead, comes back with another session id, or tells
    garbage."""
    cache, own = make(), Cache(free_port())
    cache.write(VRPS, [(65001, [65002])])
    cache.serve()
    relay = Relay(cache.port)
    own.vrps = {VRPS[0]}
    d = Daemon(
        conf(rpki("c", relay.port, "refresh keep 1; retry keep 2;").replace("retry keep 1; ", ""), rpki("o", own.port))
    ).start()
    both = {"192.0.2.0/24-25 AS65001": ["c", "o"], "198.51.100.0/24-24 AS65002": ["c"]}
    wait_until(lambda: roas(d) == both, lambda: "the ROAs: " + d.said(), 30)
    before = updates(d)

    def stands(when):
        equal((roas(d), updates(d)), (both, before), "ROAs when it is " + when)

    freeze(cache.proc.pid)
    wait_state(d, "Transport-Error")
    stands("frozen")
    cache.proc.send_signal(signal.SIGCONT)
    wait_state(d, "Established")
    stands("back")
    relay.mode = "slow"
    wait_until(lambda: state(d)[1] in ("Sync-Start", "Sync-Running"), "a query")
    # longer than Retry: something comes
    stays(lambda: state(d)[1] in ("Sync-Start", "Sync-Running"), lambda: "slow, but there: %s" % state(d)[1], 3)
    stands("slow")
    own.set({VRPS[0], ("203.0.113.0/24", 24, 65003)})
    wait_until(lambda: roas(d).get("203.0.113.0/24-24 AS65003") == ["o"], "another cache meanwhile")
    own.set({VRPS[0]})
    wait_until(lambda: roas(d) == both, "the ROAs of before")
    session = field(d, "Session ID")
    cache.kill()
    relay.mode = "ok"
    wait_state(d, "Transport-Error")
    stands("dead")
    cache.serve()
    wait_until(lambda: state(d)[1] == "Established" and field(d, "Session ID") != session, "its restart", 30)
    stands("restarted")
    rng, tried = random.Random(SEED), relay.tries
    relay.mode = lambda data: data[:8] + rng.randbytes(max(len(data) - 8, 20))
    wait_until(lambda: relay.tries > tried + 1, "another try")
    stands("telling garbage")
    relay.mode = "ok"
    wait_state(d, "Established")
    stands("sane")
    cache.kill()
    finish(own, d)


# --- SSH ---

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


def keygen(path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True, timeout=20)


RETRY = 5  # seconds: sshd begins a shell and the relay for each try, and other tests run beside this one


class Sshd:
    """A real sshd whose subsystem rpki-rtr leads to a cache."""

    def __init__(self, cache):
        self.dir, self.port, self.proc = temp_dir(), free_port(), None
        os.chmod(self.dir, 0o700)
        for name in ("host", "other", "user", "stranger"):
            keygen(self.path(name))
        shutil.copy(self.path("user.pub"), self.path("authorized"))
        with open(self.path("relay.py"), "w") as f:
            f.write(RELAY % cache.port)
        with open(self.path("conf"), "w") as f:
            f.write(SSHD_CONF % dict(port=self.port, dir=self.dir, python=sys.executable))
        self.start("host")

    def path(self, name):
        return os.path.join(self.dir, name)

    def start(self, host):
        os.makedirs("/run/sshd", exist_ok=True)
        self.proc = spawn(
            [SSHD, "-D", "-e", "-f", self.path("conf"), "-h", self.path(host)],
            stdout=subprocess.DEVNULL,
            stderr=open(self.path("log"), "ab"),
        )

        def answers():
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", self.port)) == 0

        wait_until(answers, "sshd")

    def stop(self):
        end(self.proc)

    def known(self, host, name):
        """A file of known_hosts with the key @name for @host."""
        with open(self.path(name + ".pub")) as f:
            key = " ".join(f.read().split()[:2])
        path = self.path("known_%s_%s" % (host, name))
        with open(path, "w") as f:
            f.write("[%s]:%d %s\n" % (host, self.port, key))
        return path


RELAY = """
import os, select, socket
s = socket.create_connection(("127.0.0.1", %d))
while True:
    for r in select.select([0, s], [], [])[0]:
        data = os.read(0, 65536) if r == 0 else s.recv(65536)
        if not data:
            os._exit(0)
        if r == 0:
            s.sendall(data)
        else:
            while data:
                data = data[os.write(1, data):]
"""
SSHD_CONF = """
Port %(port)d
ListenAddress 127.0.0.1
PidFile none
AuthorizedKeysFile %(dir)s/authorized
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
MaxStartups 1000
PermitRootLogin prohibit-password
Subsystem rpki-rtr %(python)s -BIS %(dir)s/relay.py
"""


def ssh():
    """SSH to a real sshd: the right key, none, a changed one, a stranger's; what is lost and comes back."""
    if not os.path.exists(SSHD):
        needs("openssh-server")
    cache = Cache(free_port())
    cache.vrps = set(VRPS) | {("10.%d.%d.0/24" % (i // 256, i % 256), 24, 65000) for i in range(20000)}
    sshd = Sshd(cache)
    user = subprocess.run(["id", "-un"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()

    def proto(name, key="user", public=None, remote="127.0.0.1"):
        more = 'remote public key "%s"; ' % public if public else ""
        return rpki(
            name,
            sshd.port,
            'transport ssh { bird private key "%s"; %suser "%s"; };' % (sshd.path(key), more, user),
            retry=RETRY,
        ).replace("remote 127.0.0.1", "remote " + remote)

    d = Daemon(
        conf(
            proto("known", public=sshd.known("127.0.0.1", "host")),
            proto("alone", public=sshd.path("host.pub")),
            proto("name", public=sshd.known("localhost", "host"), remote='"localhost"'),
            proto("any"),
            proto("changed", public=sshd.known("127.0.0.1", "other")),
            proto("changed2", public=sshd.path("other.pub")),
            proto("nobody", key="stranger", public=sshd.path("host.pub")),
            proto("nokey", key="missing", public=sshd.path("host.pub")),
        )
    ).start()
    check("without remote public key" in d.said(), "a warning: %s" % d.said())
    for name in ("known", "alone", "name", "any"):
        wait_state(d, "Established", name)
    wait_until(lambda: "Routes:         20002 imported" in d.text("show protocols all known"), "the ROAs")
    equal(field(d, "Transport", "known"), "SSHv2", "transport")
    for name, why in (
        ("changed", "changed"),
        ("changed2", "key"),
        ("nobody", "doesn't let user"),
        ("nokey", "missing: No such file or directory"),
    ):
        wait_until(
            lambda: state(d, name)[1] == "Transport-Error" and why in field(d, "Last error", name),
            lambda: "%s: %s" % (name, d.text("show protocols all " + name)),
        )
    equal(d.code("show status"), 13, "show status, which doesn't wait for SSH")
    cache.set(VRPS)
    wait_until(lambda: len(keys(d)) == 2, "a withdrawal of 20,000")
    for name in ("known", "alone", "any"):
        equal(state(d, name)[1], "Established", name)
    sshd.stop()
    cache.drop()
    wait_state(d, "Transport-Error", "known")
    equal(len(keys(d)), 2, "ROAs while sshd is away")
    sshd.start("other")  # with another key
    wait_until(lambda: "changed" in field(d, "Last error", "known"), "a changed key is told")
    wait_state(d, "Established", "changed")
    equal(len(keys(d)), 2, "ROAs")
    equal(d.code("restart any"), 0, "restart in the middle of things")
    d.stop()
    cache.kill()
    sshd.stop()


def ssh_stayrtr():
    """StayRTR behind a real sshd: the right key, none of a user, a changed one of the host; its data change, it
    restarts."""
    if not os.path.exists(SSHD):
        needs("openssh-server")
    cache = Stayrtr()
    cache.write(VRPS)
    cache.serve(1)
    sshd = Sshd(cache)
    user = subprocess.run(["id", "-un"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()

    def proto(name, key, host):
        return rpki(
            name,
            sshd.port,
            'max version 1; transport ssh { bird private key "%s"; remote public key "%s"; user "%s"; };'
            % (sshd.path(key), sshd.known("127.0.0.1", host), user),
            retry=RETRY,
        )

    d = Daemon(
        conf(proto("c", "user", "host"), proto("changed", "user", "other"), proto("stranger", "stranger", "host"))
    ).start()
    for name, why in (("changed", "changed"), ("stranger", "doesn't let user")):
        wait_until(
            lambda: state(d, name)[1] == "Transport-Error" and why in field(d, "Last error", name),
            lambda: "%s: %s" % (name, d.text("show protocols all " + name)),
        )
    for vrps in (VRPS, sorted(crowd(5000)), VRPS[:1]):
        cache.write(vrps)
        want = sorted("%s-%d AS%d" % v for v in vrps if ":" not in v[0])
        wait_until(lambda: keys(d) == want, "%d ROAs" % len(want), 60)
    equal(field(d, "Transport", "c"), "SSHv2", "transport")
    cache.kill()
    cache.write(VRPS)
    wait_state(d, "Transport-Error", "c")
    equal(len(keys(d)), 1, "ROAs while it is away")
    cache.serve(1)  # with another session id
    wait_until(lambda: len(keys(d)) == 2, "the ROAs of the new session", 60)
    d.stop()
    cache.kill()
    sshd.stop()


in_namespace()
subprocess.run(["ip", "link", "set", "lo", "up"], check=True, timeout=20)
case("the same routes as bird", routes_as_bird, False)
case("the same routes as bird, with ASPAs", routes_as_bird, True)
case("stayrtr", stayrtr)
case("stayrtr with faults", faults, Stayrtr)
case("ASPAs of rtrtr", aspas_of_another_make)
case("rtrtr with faults", faults, Rtrtr)
case("SSH", ssh)
case("SSH to stayrtr", ssh_stayrtr)
done()
