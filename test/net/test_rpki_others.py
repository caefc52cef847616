# SPDX-License-Identifier: GPL-3.0-or-later
"""Protocol rpki beside programs of others: the same tables as bird has from the same cache; caches that aren't ours; a real
sshd before a cache."""

from caches import *

if KIND != "ternd":
    cannot_here("this is about ternd")


def as_bird():
    """The same cache, the same tables, after random changes."""
    if not os.path.exists(BIRD):
        needs("bird2")
    cache = Cache(free_port())
    cache.version, cache.lower = 1, "answer"
    many = sorted(crowd(2000)) + [("2001:db8:%x::/48" % i, 48 + i % 16, 65000 + i % 7) for i in range(500)]
    random.seed(SEED)
    cache.vrps = set(random.sample(many, 1000))
    text = HEAD % "" + rpki("c", cache.port, "max version 1;", "roa4 { table r4; }; roa6 { table r6; };")
    d = Daemon(text).start()
    b = Bird(text.replace("max version 1;", "").replace("{ states, packets }", "off"), "bird").start()
    for _ in range(100 if SOAK else 15):
        old = sorted(cache.vrps)
        cache.set(set(old) - set(random.sample(old, random.randrange(300))) | set(random.sample(many, random.randrange(300))))
        want = {t: sorted("%s-%d AS%d" % v for v in cache.vrps if (":" in v[0]) == (t == "r6")) for t in ("r4", "r6")}
        for t in want:
            wait_until(lambda: keys(d, t) == want[t], "ternd's " + t)
            wait_until(lambda: keys(b, t) == want[t], "bird's " + t)
    b.kill()
    finish(cache, d)


def stayrtr():
    """A cache that isn't ours, beside bird."""
    program_ = shutil.which("stayrtr")
    if not program_:
        needs("stayrtr")
    where, port = temp_dir(), free_port()
    path = os.path.join(where, "roas.json")

    def write(vrps):
        with open(path + ".new", "w") as f:
            json.dump({"metadata": {"buildtime": "2026-01-01T00:00:00Z"},
                       "provider_authorizations": {"ipv4": [{"customer_asid": 65001, "providers": [65002]}], "ipv6": []},
                       "roas": [{"prefix": v[0], "maxLength": v[1], "asn": "AS%d" % v[2], "ta": "x"} for v in vrps]}, f)
        os.rename(path + ".new", path)

    def serve(version):
        return spawn([program_, "-bind", "127.0.0.1:%d" % port, "-cache", path, "-checktime=false", "-refresh", "1",
                      "-protocol", version, "-metrics.addr", "127.0.0.1:%d" % free_port()],
                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    write(VRPS)
    if "8210bis-10" in subprocess.run([program_, "-h"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode():
        p = serve("2")  # an earlier draft, with an ASPA of it
        d = Daemon(conf(rpki("c", port))).start()
        wait_until(lambda: len(keys(d)) == 2, "the ROAs")
        equal(field(d, "Protocol version"), "1", "version after an ASPA of 8210bis-10")
        check("of an earlier draft?): going on with version 1" in log_of(d), "the log")
        d.stop()
        end(p)
    p = serve("1")
    text = HEAD % "" + rpki("c", port, "", "roa4 { table r4; }; roa6 { table r6; };")
    d = Daemon(text).start()
    b = Bird(text.replace("{ states, packets }", "off"), "bird").start() if os.path.exists(BIRD) else None
    for vrps in (VRPS, VRPS[:1], sorted(crowd(5000)), VRPS):
        write(vrps)
        want = sorted("%s-%d AS%d" % v for v in vrps if ":" not in v[0])
        for x in (d, b):
            if x:
                wait_until(lambda: keys(x) == want, "%d ROAs" % len(want), 60)
    before = updates(d)
    end(p, signal.SIGKILL)
    wait_state(d, "Transport-Error")
    equal(len(keys(d)), 2, "ROAs when it is dead")
    session = field(d, "Session ID")
    p = serve("1")
    wait_until(lambda: state(d)[1] == "Established" and field(d, "Session ID") != session, "its restart")
    equal(updates(d), before, "updates by its restart")
    if b:
        b.kill()
    d.stop()
    end(p)


# --- SSH ---

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


def keygen(path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True, timeout=20)


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
        self.proc = spawn([SSHD, "-D", "-e", "-f", self.path("conf"), "-h", self.path(host)],
                          stdout=subprocess.DEVNULL, stderr=open(self.path("log"), "ab"))

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
Subsystem rpki-rtr %(python)s -B %(dir)s/relay.py
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
        return rpki(name, sshd.port, 'transport ssh { bird private key "%s"; %suser "%s"; };' % (sshd.path(key), more, user)).replace(
            "remote 127.0.0.1", "remote " + remote)

    d = Daemon(conf(proto("known", public=sshd.known("127.0.0.1", "host")), proto("alone", public=sshd.path("host.pub")),
                    proto("name", public=sshd.known("localhost", "host"), remote='"localhost"'), proto("any"),
                    proto("changed", public=sshd.known("127.0.0.1", "other")), proto("changed2", public=sshd.path("other.pub")),
                    proto("nobody", key="stranger", public=sshd.path("host.pub")),
                    proto("nokey", key="missing", public=sshd.path("host.pub")))).start()
    check("without remote public key" in d.said(), "a warning: %s" % d.said())
    for name in ("known", "alone", "name", "any"):
        wait_state(d, "Established", name)
    wait_until(lambda: "Routes:         20002 imported" in d.text("show protocols all known"), "the ROAs")
    equal(field(d, "Transport", "known"), "SSHv2", "transport")
    for name, why in (("changed", "changed"), ("changed2", "key"), ("nobody", "doesn't let user"), ("nokey", "can't read the private key")):
        wait_until(lambda: state(d, name)[1] == "Transport-Error" and why in field(d, "Last error", name),
                   lambda: "%s: %s" % (name, d.text("show protocols all " + name)))
    began = time.time()
    equal(d.code("show status"), 13, "show status")
    check(time.time() - began < 1, "somebody waits for SSH")
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


in_namespace()
subprocess.run(["ip", "link", "set", "lo", "up"], check=True, timeout=20)
case("the same tables as bird", as_bird)
case("stayrtr", stayrtr)
case("SSH", ssh)
done()
