# SPDX-License-Identifier: GPL-3.0-or-later
"""Many clients of ternhttp, of which half never read: a session of the daemon stays up, the control sockets answer, and
the memory of ternhttp keeps its bound; also while ternhttp is stopped (SIGSTOP), and when ternhttp is killed.
TERN_SOAK=1: 1,000 clients instead of 100, as many as ternhttp serves."""

import resource
import select

from glass import *

if KIND != "ternd":
    cannot_here("this is about ternd")

CLIENTS = 1000 if SOAK else 100
ROUTES = 20000
PORT = free_port()
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)

# A session with a hold time, between two daemons: a daemon that does not serve its session for 9 s loses the session.
LIVE = """
protocol bgp live from any { neighbor 127.0.11.9 as 65009; hold time 9; keepalive time 3; }
"""
NEIGHBOUR = """
router id 10.0.0.9;
log "RUN/bird.log" all;
protocol device { }
protocol bgp up { local 127.0.11.9 as 65009; neighbor 127.0.10.1 port PORT as 65000; multihop; hold time 9;
  keepalive time 5; connect delay time 1; ipv4 { import all; export none; }; }
"""
D = Daemon(CONF.replace("PORT", str(PORT)) + LIVE, "rs1").start()
E = Daemon(NEIGHBOUR.replace("PORT", str(PORT)), "neighbour").start()
P2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
for k in range(0, ROUTES, 500):
    P2.update(["30.%d.%d.0/24" % divmod(i, 256) for i in range(k, k + 500)])
SHORT = ("/v1/status", "/v1/members", "/v1/routes?longest=30.0.7.1", "/", "/metrics", "/v1/nosuch")
LONG = ("/v1/members/65002/routes/accepted", "/v1/routes?as=65002", "/birdwatcher/rs1/routes/protocol/p2")
g = None


def started():
    global g
    g = Glass({"rs1": D.dir + "/lg.ctl"}, "-n", "0")


def session():
    """The state of the live session, and how often the session was lost."""
    for line in D.text("json show protocols all live").splitlines():
        m = re.search(r'"type":"protocol".*"bgp":{"state":"(\w+)".*"down_count":(\d+)', line)
        if m:
            return m.group(1), int(m.group(2))
    return None


def hold_left_s():
    for line in D.text("json show protocols all live").splitlines():
        m = re.search(r'"hold_left_s":([\d.]+)', line)
        if m:
            return float(m.group(1))
    return None


def served(cnt):
    """Wait until the daemon has read @cnt KEEPALIVE messages of the live session: each restarts the hold timer."""
    last, seen = hold_left_s(), 0

    def all_read():
        nonlocal last, seen
        left = hold_left_s()
        if None not in (left, last) and left > last:
            seen += 1
        last = left
        return seen >= cnt

    wait_until(all_read, "%d KEEPALIVE messages" % cnt, 60)


def unaffected(what):
    equal(session(), ("Established", 0), what)
    # a client of the same restricted socket, and a client of the main socket
    c = Cli(D.dir + "/lg.ctl", 60 * SLOW)
    equal(c.run("show status", 60 * SLOW)[-1], (13, "Daemon is up and running"), what)
    c.close()
    equal(D.code("show status"), 13, what)


def dial(target):
    """A client with a small buffer; None: ternhttp has closed the connection."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(60 * SLOW)
    try:
        s.connect(("127.0.0.1", g.port))
        s.sendall(("GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" % target).encode())
        return s
    except OSError:
        s.close()
        return None


def read_all(s):
    """The status of the answer; None: no answer."""
    got = b""
    try:
        while True:
            d = s.recv(65536)
            if not d:
                break
            got += d
    except OSError:
        pass
    s.close()
    m = re.match(rb"HTTP/1\.1 (\d{3}) ", got)
    return m and int(m.group(1))


def memory_kb(kind="VmHWM"):
    with open("/proc/%d/status" % g.proc.pid) as f:
        return int(re.search(kind + r":\s+(\d+) kB", f.read()).group(1))


def crowd():
    """Half of the clients ask for long lists and never read. Returns: their sockets."""
    lazy = [dial(LONG[i % len(LONG)]) for i in range(CLIENTS // 2)]
    check(all(lazy), "all clients are connected")
    ready = select.poll()  # select.select has no room for so many
    for s in lazy:
        ready.register(s, select.POLLIN)
    wait_until(lambda: ready.poll(0), "an answer begins")
    return lazy


def leave(lazy):
    for s in lazy:
        s.close()


def busy():
    lazy = crowd()
    for _ in range(3):
        reading = [dial(SHORT[i % len(SHORT)]) for i in range(CLIENTS // 2)]
        check(all(reading), "all clients are connected")
        found = [read_all(s) for s in reading]
        # 503: more than 64 questions wait for the daemon, and this client has the most
        check(set(found) <= {200, 404, 503} and found.count(200) > len(found) // 4, found)
        unaffected("many clients")
    # doc/http.md: 8 kB and 48 kB of each connection; 20 MB of program and of replies that requests share
    bound = 20000 + CLIENTS * 60
    check(SANITIZED or memory_kb() < bound, "%d kB of %d" % (memory_kb(), bound))
    leave(lazy)
    wait_until(lambda: g.get(LONG[0])[0] == 200, "a long list", 60)
    unaffected("silent clients are gone")


def stopped():
    """ternhttp stops in the middle of long answers of the daemon."""
    lazy = crowd()
    os.kill(g.proc.pid, signal.SIGSTOP)
    more = [dial(LONG[0]) for _ in range(20)]
    served(4)  # 12 s: longer than the hold time
    unaffected("ternhttp is stopped")
    os.kill(g.proc.pid, signal.SIGCONT)
    leave([s for s in lazy + more if s])
    wait_until(lambda: g.get("/v1/status")[0] == 200, "ternhttp goes on", 60)
    unaffected("ternhttp goes on")


def files():
    """With few descriptors, clients take none that the questions to the daemon need."""
    script = 'ulimit -n 128; exec "$0" "$@"'
    h = Glass({"rs1": D.dir + "/lg.ctl"}, "-n", "0", through=["sh", "-c", script])
    begun = "GET /v1/status HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
    held = [socket.create_connection(("127.0.0.1", h.port), 60 * SLOW) for _ in range(200)]
    for s in held:
        s.sendall(begun.encode())
    held[0].sendall(b"\r\n")
    equal(read_all(held[0]), 200, "a client among many that send no request")
    leave(held)
    equal(h.stop(), 0, "the end of ternhttp")


def killed():
    """ternhttp dies in the middle of long answers; the next one serves at once."""
    lazy = crowd()
    g.proc.kill()
    g.proc.wait()
    unaffected("ternhttp was killed")
    leave(lazy)
    started()
    wait_until(lambda: g.get(LONG[0])[0] == 200, "a long list", 60)
    unaffected("another ternhttp")


started()
wait_until(lambda: session() == ("Established", 0), lambda: "the session: %s" % (session(),), 60)
wait_until(lambda: g.text(LONG[0]).count('"network"') == ROUTES, "all routes", 60)
case("clients that read and clients that never read", busy)
case("ternhttp is stopped", stopped)
case("few descriptors", files)
case("ternhttp is killed", killed)
equal(g.stop(), 0, "the end of ternhttp")
unaffected("the end")
E.stop()
D.stop()
done()
