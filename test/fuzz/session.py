# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutated messages in established sessions, through sockets: session.py [MESSAGES [SEED]]. fuzz_session.c sends many
more, without.

Members of several kinds send messages that are right but for a few octets; a session that ternd ends is opened again.
Another member does nothing wrong: its session has to stay, and its routes too, and what it is told of a network that
nobody spoils. ternd is to be built with AddressSanitizer and UndefinedBehaviorSanitizer, which end it when they find
something."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))
from harness import *  # noqa: E402

BATCH = 400
PORT = free_port()
V6 = b"\x01\x04\0\2\0\1"
# Options of the session, of its channels, capabilities besides the usual ones, AS number.
KINDS = [
    ("", "", b"", 65001),
    ("rs client;", "import keep filtered;", V6, 65002),
    ("", "add paths; import table;", b"\x45\x04\0\1\1\3", 65003),
    ("enable extended messages;", "extended next hop;", V6 + b"\x06\0\x05\x06\0\1\0\1\0\2", 65004),
    ("local role rs_server; interpret communities off;", "", b"\x09\1\2", 65005),
    ("rr client;", "aigp on;", V6, 65000),
    (
        "graceful restart; long lived graceful restart;",
        "",
        b"\x40\x06\0\x78\0\1\1\x80" + b"\x47\x07\0\1\1\x80\0\0\x78",
        65006,
    ),
]


def conf():
    text = 'router id 10.0.0.1;\nlog "RUN/bird.log" { error, fatal, bug };\nprotocol device {}\n'
    for k, (options, channel, caps, number) in enumerate(KINDS, 1):
        text += (
            "protocol bgp p%d { local 127.0.40.1 port %d as 65000; neighbor 127.0.41.%d as %d; multihop; passive;"
            " strict bind on; error wait time 1, 1; error forget time 1; disable after error off; %s ipv4 { import"
            " where net !~ [ 99.0.0.0/8+ ]; export none; %s }; %s };\n"
            % (k, PORT, k, number, options, channel, "ipv6 { import all; export none; };" if V6 in caps else "")
        ).replace("};\n", "}\n", 1)
    return (
        text
        + "protocol bgp good { local 127.0.40.1 port %d as 65000; neighbor 127.0.41.99 as 65099; multihop; passive;"
        " strict bind on; ipv4 { import all; export all; }; }\n" % PORT
    )


class Mutator:
    def __init__(self, rng, ids):
        self.rng, self.ids = rng, ids

    def attributes(self, number):
        r = self.rng
        path = [number] + [r.getrandbits(r.choice((8, 16, 32))) for _ in range(r.randrange(6))]
        found = [
            attribute(0x40, 1, bytes([r.randrange(4)])),
            attribute(0x40, 2, bytes([2, len(path)]) + struct.pack("!%dI" % len(path), *path)),
            attribute(0x40, 3, bytes([127, 0, 41, r.randrange(1, 9)])),
        ]
        for code, flags, size in (
            (4, 0x80, 4),
            (5, 0x40, 4),
            (6, 0x40, 0),
            (7, 0xC0, 8),
            (8, 0xC0, 4),
            (9, 0x80, 4),
            (10, 0x80, 4),
            (16, 0xC0, 8),
            (17, 0xC0, 6),
            (18, 0xC0, 8),
            (26, 0x80, 11),
            (32, 0xC0, 12),
            (35, 0xC0, 4),
            (99, 0xC0, 5),
            (128, 0xC0, 9),
        ):
            if r.random() < 0.2:
                found.append(attribute(flags, code, r.randbytes(size * r.choice((1, 1, 1, 2, 5)))))
        return found

    def update(self, number):
        """Some attribute has other octets, another length, other flags, stands twice or isn't there."""
        r = self.rng
        found = self.attributes(number)
        for _ in range(r.choice((1, 1, 2, 4))):
            k = r.randrange(len(found))
            a = bytearray(found[k])
            if not a:
                continue
            how = r.randrange(6)
            if how == 0 and len(a) > 3:
                a[r.randrange(3, len(a))] ^= 1 << r.randrange(8)
            elif how == 1:
                value = r.randbytes(r.randrange(41))
                a = a[:2] + bytes([len(value)]) + value
            elif how == 2:
                a[0] ^= r.choice((0x80, 0x40, 0x20, 1))
            elif how == 3:
                a[1] = r.randrange(1, 256)
                if a[1] in (14, 15):
                    a[1] = 13
            elif how == 4:
                found.append(bytes(a))
            else:
                a = bytearray()
            if len(a) > 2 and not a[0] & 0x10:
                a[2] = len(a) - 3
            found[k] = bytes(a)
        attrs = b"".join(found)
        nets = b"".join(
            (struct.pack("!I", r.randrange(9)) if self.ids else b"")
            + bytes([24, r.choice((20, 21, 99)), r.randrange(4), r.randrange(256)])
            for _ in range(r.randrange(1, 5))
        )
        gone = nets[: 4 + 4 * self.ids] if r.random() < 0.2 else b""
        return message(UPDATE, struct.pack("!H", len(gone)) + gone + struct.pack("!H", len(attrs)) + attrs + nets)

    def wild(self, number):
        """Any octet, any length."""
        r = self.rng
        m = bytearray(
            self.update(number) if r.random() < 0.8 else message(r.randrange(7), r.randbytes(r.randrange(60)))
        )
        for _ in range(r.choice((1, 2, 8))):
            m[r.randrange(16 if r.random() < 0.9 else 0, len(m))] = r.randrange(256)
        if r.random() < 0.3:
            m = m[: r.randrange(19, len(m) + 1)]
        if r.random() < 0.7 and len(m) >= 19:
            m[16:18] = struct.pack("!H", len(m))
        return bytes(m)


class Offender:
    def __init__(self, k, rng):
        self.k, (_, _, self.caps, self.number) = k, KINDS[k - 1]
        self.m, self.p, self.opened = Mutator(rng, b"\x45" in self.caps), None, 0

    def session(self):
        if self.p is None:
            self.opened += 1
            self.p = Peer(
                PORT, "127.0.41.%d" % self.k, self.number, server="127.0.40.1", caps=self.caps + b"\x46\0", hold=0
            ).establish()
        return self.p

    def all_read(self):
        """Until a refresh has been answered (RFC 7313); False: the session has ended."""
        while True:
            body = self.p.wait_for(REFRESH, 5)
            if body is None or body[2] == 2:
                return body is not None

    def turn(self, d):
        """Returns: how many were sent in a session that was up until then."""
        check(d.alive(), "ternd has ended: " + d.said())
        try:
            p = self.session()
            p.send(b"".join(self.m.update(self.number) for _ in range(BATCH)) + message(REFRESH, b"\0\1\0\1"))
            if not self.all_read():
                self.drop()
                return 0
            wild = self.m.wild(self.number)
            p.send(wild)
            if len(wild) < 19 or struct.unpack("!H", wild[16:18])[0] > len(wild):
                self.drop()  # what comes next would be its rest
            return BATCH + 1
        except (OSError, socket.timeout, Failed):
            self.drop()
            return 0

    def drop(self):
        if self.p is not None:
            self.p.reset()
        self.p = None


def main():
    want = int(sys.argv[1]) if len(sys.argv) > 1 else 200000
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns())
    d = Daemon(conf()).start()
    good = Peer(PORT, "127.0.41.99", 65099, server="127.0.40.1", hold=0).establish()
    good.update(["30.1.0.0/16"])
    offenders = [Offender(k, rng) for k in range(1, len(KINDS) + 1)]
    cnt, began = 0, time.monotonic()
    while cnt < want:
        for o in offenders:
            cnt += o.turn(d)
        good.s.settimeout(5)
        while good.lying(UPDATE) > 1000:
            good.buf = b""
        check(d.alive(), "ternd has ended: " + d.said())
        check("Established" in d.sessions()["good"][2], "another session has ended")
        check("30.1.0.0/16" in d.text("show route 30.1.0.0/16"), "another's route is gone")
    check(
        "ERROR: " not in d.whole_log() and "runtime error" not in d.whole_log() and "BUG" not in d.whole_log(), d.said()
    )
    note(
        "session: %d messages in established sessions, %d sessions ended, %.0f s"
        % (cnt, sum(o.opened for o in offenders), time.monotonic() - began)
    )
    d.stop(60)


try:
    main()
except Failed as e:
    note("FAIL session: %s" % e)
    sys.exit(1)
