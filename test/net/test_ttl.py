# SPDX-License-Identifier: GPL-3.0-or-later
"""`ttl security` (RFC 5082) against peers that send OPEN and KEEPALIVE straight after connect. The daemon is stopped
meanwhile, so the octets wait in the kernel before the daemon accepts the connection. Real time: the kernel keeps the
SYN and compares the TTL."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

NEAR, FAR = 255, 64
COOKIES = "/proc/sys/net/ipv4/tcp_syncookies"


def conf(port, neighbor, security="on", own="127.0.20.1"):
    return """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
protocol bgp a { local %s port %d as 65000; neighbor %s; ttl security %s; multihop 1; strict bind;
  connect delay time 600; error wait time 1, 1; ipv%d { import all; export all; }; }
""" % (
        own,
        port,
        neighbor,
        security,
        6 if ":" in own else 4,
    )


class Hasty(Peer):
    """Sends OPEN and KEEPALIVE at once, in packets with the TTL @ttl."""

    def __init__(self, port, ttl, here="127.0.21.1", server="127.0.20.1"):
        self.ttl = ttl
        super().__init__(port, here, 65001, server=server)

    def open_message(self):
        caps = struct.pack("!BBHBBBBI", 1, 4, 2 if ":" in self.server else 1, 0, 1, 0x41, 4, 65001)
        params = struct.pack("!BB", 2, len(caps)) + caps
        return message(OPEN, struct.pack("!BHH4sB", 4, 65001, 90, b"\x0a\0\0\2", len(params)) + params)

    def dial(self):
        v6 = ":" in self.server
        self.buf = b""
        self.s = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET)
        self.s.settimeout(waits.LIMIT_S * SLOW)
        level, option = (socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS) if v6 else (socket.IPPROTO_IP, socket.IP_TTL)
        self.s.setsockopt(level, option, self.ttl)
        self.s.bind((self.address, 0))
        self.s.connect((self.server, self.port))


def is_answered(d, ttl, hasty=True, **ends):
    """Does the daemon answer a peer with an OPEN? @hasty: the peer's octets arrive before the daemon accepts."""
    freeze(d.pid)
    try:
        p = Hasty(d.port, ttl, **ends)
        if hasty:
            p.send(p.open_message() + message(KEEPALIVE))
    finally:
        os.kill(d.pid, signal.SIGCONT)
    try:
        return p.wait_for(OPEN, 5) is not None
    except socket.timeout:
        return False
    finally:
        p.reset()


def daemon(neighbor, **more):
    port = free_port()
    d = Daemon(conf(port, neighbor, **more)).start()
    d.port = port

    def listens():
        try:
            Hasty(port, FAR, *(("::1", "::1") if more.get("own") == "::1" else ("127.0.22.1",))).reset()
            return True
        except ConnectionRefusedError:
            return False

    wait_until(listens, "the daemon listens")
    return d


def becomes_answered(d, ttl, what, **more):
    """The last connection may still be about to end: the daemon refuses a second connection of a peer."""
    wait_until(lambda: is_answered(d, ttl, **more), what)


def near_alone(neighbor, **ends):
    d = daemon(neighbor, **({"own": ends["server"]} if ends else {}))
    becomes_answered(d, NEAR, "a peer with TTL 255", **ends)
    wait_until(lambda: "Established" not in d.text("show protocols"), "the session with TTL 255 has ended")
    for _ in range(3):
        check(not is_answered(d, FAR, **ends), "a peer with TTL 64 gets no OPEN")
        check("Established" not in d.text("show protocols"), "a peer with TTL 64 gets no session")
    check("the TTL is 64 and must be at least 255 (ttl security)" in d.whole_log(), "the log: " + d.whole_log())
    becomes_answered(d, NEAR, "a peer with TTL 255 comes again", **ends)
    d.stop()


def range_of_members():
    """A far peer creates no member of the range."""
    d = daemon('range 127.0.21.0/24 external; dynamic name "dyn"')
    check(not is_answered(d, FAR), "a peer with TTL 64 gets no OPEN")
    equal(sorted(d.sessions()), ["a"], "instances after a far peer")
    becomes_answered(d, NEAR, "a peer with TTL 255")
    d.stop()


def session_stays():
    """A far peer with the neighbor's address does not end the session of the neighbor."""
    d = daemon("127.0.21.1 as 65001")
    p = Hasty(d.port, NEAR).establish()
    check(not is_answered(d, FAR), "a peer with TTL 64 gets no OPEN")
    check("Established" in d.text("show protocols a"), "the neighbor's session")
    p.cease()
    d.stop()


def many_refused():
    """The log names at most 10 refused connections a second, and the number of the others."""
    d = daemon("127.0.21.1 as 65001")
    freeze(d.pid)
    far = [Hasty(d.port, FAR) for _ in range(40)]
    os.kill(d.pid, signal.SIGCONT)
    for p in far:
        check(p.receive() is None, "a far peer is refused")
        p.s.close()
    check(1 <= d.whole_log().count("the TTL is 64") <= 20, "the log: " + d.whole_log())
    d.stop()


def without():
    d = daemon("127.0.21.1 as 65001", security="off")
    check(is_answered(d, FAR), "without ttl security a peer with TTL 64 is answered")
    d.stop()


def cookies():
    """The kernel keeps no SYN: octets that arrived before the check count as octets from far away."""
    try:
        with open(COOKIES, "w") as f:
            f.write("2")
    except OSError:
        cannot_here("this user cannot set " + COOKIES)
    d = daemon("127.0.21.1 as 65001")
    check(not is_answered(d, FAR), "a hasty peer with TTL 64 gets no OPEN")
    check("octets arrived before the TTL was checked" in d.whole_log(), "the log: " + d.whole_log())
    becomes_answered(d, NEAR, "a patient peer with TTL 255", hasty=False)
    d.stop()


in_namespace()
subprocess.run(["ip", "link", "set", "lo", "up"], check=True, timeout=20 * SLOW)
case("the neighbor dials", near_alone, "127.0.21.1 as 65001; passive")
case("both dial", near_alone, "127.0.21.1 as 65001")
case("IPv6", lambda: near_alone("::1 as 65001; passive", here="::1", server="::1"))
case("a range", range_of_members)
case("an established session", session_stays)
case("the log is bounded", many_refused)
case("no ttl security", without)
case("SYN cookies", cookies)
done()
