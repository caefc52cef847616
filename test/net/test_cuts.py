# SPDX-License-Identifier: GPL-3.0-or-later
"""All messages cut at each octet, before and after a session is up, capabilities of each length, attributes of each
length from 0 to 40 with each set of flags. Only the offender's session may move, and that only where RFC 4271 and RFC
7606 have it; what the others are told of the routes is well-formed."""

from harness import *

import itertools

HOSTS = 60  # offenders; after an error the daemon waits for a second before it takes one again
LENGTHS = 41
PORT = free_port()

# What RFC 7606 leaves to a reset of the session: MP_REACH and MP_UNREACH (5.3 and 7.11).
MAY_RESET = {14, 15}
# What is known to the daemon, and the flags that go out with it: optional and transitive.
FLAGS = {
    1: 0x40,
    2: 0x40,
    3: 0x40,
    4: 0x80,
    5: 0x40,
    6: 0x40,
    7: 0xC0,
    8: 0xC0,
    9: 0x80,
    10: 0x80,
    14: 0x80,
    15: 0x80,
    16: 0xC0,
    17: 0xC0,
    18: 0xC0,
    26: 0x80,
    32: 0xC0,
    35: 0xC0,
}


def conf():
    text = (
        'router id 10.0.0.1;\nlog "RUN/bird.log" { warning, error, fatal, bug };\nthreads 2;\nprotocol device'
        ' {}\ntemplate bgp all { local 127.0.10.1 port %d as 65000; strict bind; multihop; passive; rs client; allow'
        ' bgp_med; allow bgp_local_pref; error wait time 1, 1; restart time 0; hold time 240; graceful restart off;'
        ' long lived graceful restart off; enable extended messages; ipv4 { import all; export all; }; ipv6 { import'
        ' all; export all; }; }\n' % PORT
    )
    for n in 1, 2:
        text += "protocol bgp good%d from all { neighbor 127.0.11.%d as %d; }\n" % (n, n, 65000 + n)
    for n in range(HOSTS):
        text += "protocol bgp bad%d from all { neighbor 127.0.12.%d as %d; }\n" % (n, n + 1, 64600 + n)
    return text


NEXT = itertools.cycle(range(HOSTS))
FREE_AT = [0.0] * HOSTS


class Offender(Peer):
    def __init__(self, caps=b"", established=True):
        n = next(NEXT)
        passes(FREE_AT[n] - time.monotonic())
        FREE_AT[n] = time.monotonic() + 1.2 * SLOW
        super().__init__(PORT, "127.0.12.%d" % (n + 1), 64600 + n, server="127.0.10.1", caps=caps)
        if established:
            self.establish()

    def let_go(self):
        FREE_AT[self.as_number - 64600] = time.monotonic() + 1.2 * SLOW
        self.s.close()


def good():
    """Two members that are there all the time, with a route each."""
    both = []
    for n in 1, 2:
        p = Peer(PORT, "127.0.11.%d" % n, 65000 + n, hold=240, server="127.0.10.1").establish()
        p.update(["10.11.%d.0/24" % n])
        both.append(p)
    return both


def since():
    return {n: s[1] for n, s in D.sessions().items() if n.startswith("good")}


def has_whole(p):
    """Does a whole message lie in what @p has read?"""
    return len(p.buf) >= 19 and len(p.buf) >= struct.unpack("!H", p.buf[16:18])[0]


def has_seen(p, net):
    """Read the messages of a good member @p. Has the member been told the route of @net?"""
    p.lying(0)
    p.s.setblocking(True)
    while has_whole(p):
        kind, body = p.receive()
        check(kind in (UPDATE, KEEPALIVE), "message of type %d" % kind)
        if kind == UPDATE:
            judge(body)
            SEEN[p] = SEEN.get(p, b"") + body
    return nlri(net) in SEEN.get(p, b"")


def others_are_well():
    """Their sessions are as old as they were, they have each other's route, and what they were told can be read."""
    equal(since(), SINCE, "the others' sessions")
    for p, net in (GOOD[0], "10.11.2.0/24"), (GOOD[1], "10.11.1.0/24"):
        p.s.setblocking(True)
        p.send(message(KEEPALIVE))
        wait_until(lambda: has_seen(p, net), "the route of the other one")
    equal(D.text("show route protocol good1 table master4 count").split()[0], "1", "routes of the first one")


SEEN = {}


def judge(body):
    gone = struct.unpack("!H", body[:2])[0]
    (size,) = struct.unpack("!H", body[2 + gone : 4 + gone])
    attrs = body[4 + gone : 4 + gone + size]
    last = -1
    while attrs:
        flags, code = attrs[0], attrs[1]
        if flags & 0x10:
            length, at = struct.unpack("!H", attrs[2:4])[0], 4
        else:
            length, at = attrs[2], 3
        check(len(attrs) >= at + length, "attribute %d goes beyond the message" % code)
        check(code in (14, 15) or code > last, "attribute %d is out of order" % code)
        last = max(last, code if code not in (14, 15) else last)
        equal(flags & 0xC0, FLAGS.get(code, 0xC0), "flags of attribute %d" % code)
        attrs = attrs[at + length :]


def update_message():
    attrs = (
        attribute(0x40, 1, b"\0")
        + attribute(0x40, 2, b"\2\2" + struct.pack("!II", 64600, 3))
        + attribute(0x40, 3, b"\x7f\0\x0c\1")
        + attribute(0xC0, 8, b"\0\1\0\2")
        + attribute(0x80, 14, b"\0\2\1\x10" + bytes(15) + b"\1\0" + b"\x20\x20\1\x0d\xb8")
    )
    return message(UPDATE, b"\0\4\x18\x0a\1\1" + struct.pack("!H", len(attrs)) + attrs + nlri("10.200.0.0/16"))


def cut_messages():
    """Cut off by the end of the connection, and by a length that is too short."""
    sample = Offender(established=False)
    opened = sample.open_message()
    sample.let_go()
    for kind, whole, up in (
        (OPEN, opened, False),
        (KEEPALIVE, message(KEEPALIVE), True),
        (UPDATE, update_message(), True),
        (NOTIFICATION, message(NOTIFICATION, b"\6\2\5bye"), True),
        (REFRESH, message(REFRESH, b"\0\1\0\1"), True),
    ):
        for length in range(len(whole)):
            p = Offender(established=up)
            p.send(whole[:length])
            p.let_go()
        for length in range(19, len(whole)):
            p = Offender(established=up)
            try:
                p.send(whole[:16] + struct.pack("!H", length) + whole[18:length])
                if not (kind == UPDATE and length > 23):
                    told = p.wait_for(NOTIFICATION, 5)
                    check(
                        told is not None or kind == NOTIFICATION,
                        "type %d of %d octets went without a NOTIFICATION" % (kind, length),
                    )
            except (ConnectionResetError, BrokenPipeError):
                pass
            p.let_go()
    others_are_well()


def capabilities():
    """An answer comes to each: what is known and wrong is left out or refused, and what isn't known is skipped."""
    known = (1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 65, 66, 67, 68, 69, 70, 71, 73, 128, 131, 255)
    for code in known:
        for length in range(LENGTHS):
            p = Offender(
                struct.pack("!BB", code, length) + bytes((k * 7 + code) % 256 for k in range(length)), established=False
            )
            p.send(p.open_message())
            got = p.receive(10)
            check(
                got is not None and got[0] in (OPEN, NOTIFICATION),
                "capability %d of %d octets: %r" % (code, length, got),
            )
            p.let_go()
    others_are_well()


def attributes():
    resets = {}
    p = Offender()
    for code in [*range(41), 128, 129, 255]:
        for flags in 0x00, 0x40, 0x80, 0xC0, 0xE0, 0x50, 0xD0, 0x0F:
            for length in range(LENGTHS):
                value = bytes((k * 5 + length) % 3 for k in range(length))
                head = struct.pack("!BBH" if flags & 0x10 else "!BBB", flags, code, length)
                base = [
                    (1, attribute(0x40, 1, b"\0")),
                    (2, attribute(0x40, 2, b"\2\1" + struct.pack("!I", p.as_number))),
                    (3, attribute(0x40, 3, socket.inet_aton(p.address))),
                ]
                attrs = b"".join(a for c, a in base if c != code) + head + value
                p.send(message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + nlri("10.201.%d.0/24" % length)))
            # whoever still answers to this was told nothing of an error
            p.send(message(REFRESH, b"\0\1\0\1") if code in MAY_RESET or (flags & 0x80) == 0 else b"")
            if code in MAY_RESET or not flags & 0x80:
                mark = "10.203.%d.%d/32" % (code, flags)
                p.update([mark])
                wait_until(
                    lambda: p.lying(NOTIFICATION) or mark in D.text("show route " + mark),
                    "attribute %d to be read" % code,
                    every_s=0.002,
                )
            if p.lying(NOTIFICATION):
                p.s.setblocking(True)
                resets.setdefault((code, flags & 0xC0), p.wait_for(NOTIFICATION))
                p.let_go()
                p = Offender()
            while has_whole(p):  # the rest of a message that arrives in parts stays
                p.buf = p.buf[struct.unpack("!H", p.buf[16:18])[0] :]
    p.s.setblocking(True)
    p.update(["10.202.0.0/16"])
    wait_until(lambda: "10.202.0.0/16" in D.text("show route table master4"), "a good route of the same session")
    for (code, flags), told in resets.items():
        # RFC 4271, 6.3: what isn't known must be optional
        unknown = code not in FLAGS and not flags & 0x80
        check(
            code in MAY_RESET or unknown,
            "attribute %d with flags %02x: the session ended with %r" % (code, flags, told),
        )
        equal(told[:1], b"\3", "code of the NOTIFICATION")
    p.cease()
    others_are_well()


D = Daemon(conf()).start()
GOOD = good()
D.wait_established(2)
SINCE = since()
case("cut messages", cut_messages)
case("capabilities", capabilities)
case("attributes", attributes)
check(D.proc.poll() is None, "the daemon has gone")
D.stop()
done()
