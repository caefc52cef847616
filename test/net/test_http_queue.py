# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions of ternhttp's clients to the daemon. Silent clients hold the connections for long lists; the time-outs are
longer than this test, so that an answer shows that no time-out was needed. The tests assert order and not speed."""

import select

from glass import *

if KIND != "ternd":
    cannot_here("this is about ternd")

ROUTES = 20000  # more octets than the buffers of a connection hold
NEVER = 3600  # seconds: longer than this test
PORT = free_port()
D = Daemon(CONF.replace("PORT", str(PORT)), "rs1").start()
P2 = Peer(PORT, "127.0.11.2", 65002, server="127.0.10.1", hold=0).establish()
for k in range(0, ROUTES, 500):
    P2.update(["30.%d.%d.0/24" % divmod(i, 256) for i in range(k, k + 500)])
P2.update(["20.0.9.0/25"])  # refused: too long
LONG = "/v1/members/65002/routes/accepted"
g = None


def glass(silent, stall):
    """ternhttp with the times @silent and @stall, in seconds."""
    global g
    if g:
        equal(g.stop(), 0, "the end of ternhttp")
    path = os.path.join(temp_dir(), "ternhttp.conf")
    with open(path, "w") as f:
        f.write("silent %d\nstall %d\n" % (silent, stall))
    g = Glass({"rs1": D.dir + "/lg.ctl"}, "-n", "0", "-c", path)
    wait_until(lambda: g.text(LONG).count('"network"') == ROUTES, "all routes", 60)


def dial(client, target=LONG, buffer=0):
    """A request of the address @client; @buffer octets are received before the client reads, 0: many."""
    s = socket.socket()
    if buffer:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    s.settimeout(60 * SLOW)
    s.bind((client, 0))
    s.connect(("127.0.0.1", g.port))
    s.sendall(("GET %s HTTP/1.0\r\nHost: a\r\n\r\n" % target).encode())
    return s


def has_begun(s):
    return bool(select.select([s], [], [], 0)[0])


def silent(clients, each):
    """Requests for long lists that nobody reads. Returns: their sockets, when as many as may begin have begun."""
    socks = [dial(c, buffer=4096) for c in clients for _ in range(each)]
    most = min(3, 2 * len(clients))
    wait_until(lambda: sum(map(has_begun, socks)) == most, "%d answers begin" % most, 60)
    return socks


def answer(s):
    """The whole answer: status, and octets of the body."""
    got = b""
    while True:
        d = s.recv(65536)
        if not d:
            break
        got += d
    s.close()
    head, _, body = got.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), body


def ask(client, target):
    status, body = answer(dial(client, target))
    equal(status, 200, "%s: %.300s" % (target, body))
    return body


def whole(body):
    return body.count(b'"network"') == ROUTES


def leave(socks, how=socket.socket.close):
    for s in socks:
        how(s)


def turns():
    """One client holds as many connections as it may and has requests that wait; others do not notice."""
    socks = silent(["127.0.0.2"], 60)
    check(whole(ask("127.0.0.3", LONG)), "a long list of another client")
    check(b"too long" in ask("127.0.0.3", "/member/65002"), "a page of another client")
    # a page does not wait for long lists, not even for those of its own client
    check(b"too long" in ask("127.0.0.2", "/member/65002"), "a page of the silent client")
    check(b'"type"' in ask("127.0.0.2", "/v1/status"), "a short question")
    equal(sum(map(has_begun, socks)), 2, "no silent request has lost its place")
    leave(socks)


def displaced():
    """When too many requests wait, the client with the most waiting requests loses one."""
    socks = silent(["127.0.0.2", "127.0.0.3"], 33)  # 3 requests run, 63 wait
    late = [dial("127.0.0.%d" % i) for i in (8, 9)]
    wait_until(lambda: sum(map(has_begun, socks)) == 4, "a request of a silent client is refused", 60)
    leave(socks)
    for s in late:
        status, body = answer(s)
        equal(status, 200, body[:300])
        check(whole(body), "the long list of a late client")


def full():
    """As many clients wait as may wait: a further client learns that the server is busy, and not that it is away."""
    socks = [dial("127.1.0.%d" % i, buffer=4096) for i in range(1, 81)]  # 3 requests run, 64 wait, 13 are refused
    wait_until(lambda: sum(map(has_begun, socks)) == 16, "the queue is full", 60)
    for kind in "accepted?limit=3", "filtered", "exported":
        c = http.client.HTTPConnection("127.0.0.1", g.port, timeout=60 * SLOW, source_address=("127.0.0.9", 0))
        c.request("GET", "/v1/members/65002/routes/" + kind)
        r = c.getresponse()
        body = r.read().decode()
        equal((r.status, r.headers["Content-Type"]), (503, "application/problem+json"), body)
        check(int(r.headers["Retry-After"]) > 0 and "rs1 is busy" in json.loads(body)["detail"], body)
        c.close()
    status, body = answer(dial("127.0.0.9", "/member/65002/accepted"))
    equal(status, 503, body[:300])
    check(b"rs1 is busy" in body and b"does not answer" not in body, body)
    for target in "/birdwatcher/rs1/routes/protocol/p2", "/birdseye/rs1/api/routes/protocol/p2":
        status, body = answer(dial("127.0.0.9", target))
        equal(status, 503, body[:300])
        check(b"rs1 is busy" in body, body)
    check(b'"type"' in ask("127.0.0.9", "/v1/status"), "a short question")
    leave(socks)


def left():
    """Silent clients hold all connections for long lists. They leave, and the next question is answered."""
    for how, name in ((socket.socket.close, "close"), (lambda s: s.shutdown(socket.SHUT_WR), "shutdown")):
        socks = silent(["127.0.0.%d" % i for i in range(2, 8)], 5)
        late = dial("127.0.0.9")
        for s in socks:
            check(not has_begun(late), "the question waits")
            how(s)
        status, body = answer(late)
        equal(status, 200, name)
        check(whole(body), name)
        leave(socks)


def waits():
    """Clients whose questions wait leave; the running questions stay. The next client's turn is not theirs."""
    socks = silent(["127.0.0.2", "127.0.0.3"], 10)
    begun = [s for s in socks if has_begun(s)]
    others = [s for s in socks if s not in begun]
    late = dial("127.0.0.9")
    leave(others)
    check(not has_begun(late), "the question waits")
    begun[0].close()
    status, body = answer(late)
    equal(status, 200, "the next question")
    check(whole(body), "the list is whole")
    leave(begun[1:])


def stalled():
    """Clients that do not read lose their places to clients that wait. The silent clients stay connected."""
    glass(NEVER, 1)
    socks = silent(["127.0.0.%d" % i for i in range(2, 8)], 5)
    check(whole(ask("127.0.0.9", LONG)), "the long list of a client that reads")
    leave(socks)
    # without others that wait a silent client keeps its place
    one = dial("127.0.0.2", buffer=65536)
    wait_until(lambda: has_begun(one), "the answer begins")
    for _ in range(5):
        g.text("/v1/members/65002")
        g.text("/member/65002")
    status, body = answer(one)
    equal(status, 200, "the status")
    check(whole(body), "the answer of the client that was slow")


glass(NEVER, NEVER)
case("clients take turns", turns)
case("too many requests wait", displaced)
case("as many clients wait as may wait", full)
case("silent clients leave", left)
case("clients whose questions wait leave", waits)
case("silent clients lose their places", stalled)
equal(g.stop(), 0, "the end of ternhttp")
D.stop()
done()
