# SPDX-License-Identifier: GPL-3.0-or-later
"""Members that speak BFD by hand, as processes of their own in the other namespace (bfd_place.py). They take packets
from one socket and answer each as RFC 5880, 6.8.6 says.

    members CNT       so many multihop sessions of 10.8.1.1 with 10.9.0.1 and those after it; each sends by itself, when
    its time has come
    down PORT TRIES   a BGP session of 10.8.0.2 with 10.8.0.1 and its BFD session: says Down; prints the microseconds
      until the Cease came
    mute PORT TRIES   likewise, but sends no more; prints the microseconds from when its detection time was over"""

from harness import *

import heapq

AWAY, INIT, UP = 1, 2, 3
POLL, FINAL = 0x20, 0x10
MULT = 3
CONTROL = struct.Struct(">BBBBIIIII")


class Bfd:
    """Sessions by the address that each has here."""

    def __init__(self, addresses, peer, port, interval_us):
        self.interval_us = interval_us
        self.inbox = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.inbox.setsockopt(socket.IPPROTO_IP, 8, 1)  # IP_PKTINFO
        self.inbox.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.inbox.bind(("", port))
        self.inbox.setblocking(False)
        self.index = {socket.inet_aton(a): i for i, a in enumerate(addresses)}
        self.state = [AWAY] * len(addresses)
        self.yours = [0] * len(addresses)
        self.out = []
        for i, a in enumerate(addresses):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 255)
            s.bind((a, 49152 + i))
            s.connect((peer, port))
            self.out.append(s)
        self.due = [(time.monotonic() + random.random() * interval_us / 1e6, i) for i in range(len(addresses))]
        heapq.heapify(self.due)

    def send(self, i, flags=0):
        try:
            self.out[i].send(
                CONTROL.pack(
                    0x20,
                    self.state[i] << 6 | flags,
                    MULT,
                    24,
                    i + 1,
                    self.yours[i],
                    self.interval_us,
                    self.interval_us,
                    0,
                )
            )
        except OSError:
            pass

    def take(self):
        """All that has come."""
        while True:
            try:
                data, extra, _, _ = self.inbox.recvmsg(128, 64)
            except BlockingIOError:
                return
            i = self.index[extra[0][2][8:12]]
            _, flags, _, _, mine, *_ = CONTROL.unpack_from(data)
            theirs, self.yours[i] = flags >> 6, mine
            if self.state[i] == AWAY and theirs in (AWAY, INIT):
                self.state[i] = INIT if theirs == AWAY else UP
            elif self.state[i] == INIT and theirs in (INIT, UP):
                self.state[i] = UP
            elif self.state[i] != AWAY and theirs < (UP if self.state[i] == UP else INIT) and theirs != INIT:
                self.state[i] = AWAY
            if flags & POLL:
                self.send(i, FINAL)

    def turn(self):
        """What is there to do until the next millisecond."""
        self.take()
        now = time.monotonic()
        while self.due[0][0] <= now:
            i = self.due[0][1]
            self.send(i)
            self.sent = time.monotonic()
            heapq.heapreplace(self.due, (now + self.interval_us / 1e6 * random.uniform(0.75, 1), i))
        spread(max(0, min(self.due[0][0] - time.monotonic(), 0.001)))


def members(cnt):
    bfd = Bfd(["10.9.%d.%d" % (i // 250, i % 250 + 1) for i in range(cnt)], "10.8.1.1", 4784, 100000)
    while True:
        bfd.turn()


def established(port):
    """A session that isn't up yet where the daemon waits after an error."""
    while True:
        p = Peer(port, "10.8.0.2", 65002, server="10.8.0.1")
        try:
            return p.establish()
        except (Failed, OSError):
            p.s.close()


def lose(port, tries, mute):
    bfd = Bfd(["10.8.0.2"], "10.8.0.1", 3784, 100000 * SLOW)
    for k in range(tries):
        bgp = established(port)
        bfd.state[0] = AWAY
        while bfd.state[0] != UP:
            bfd.turn()
        until = time.monotonic() + (0.5 + 0.01 * (k % 10)) * SLOW
        while time.monotonic() < until:
            bfd.turn()
        check(bfd.state[0] == UP, "the session stands")
        bfd.state[0] = UP if mute else AWAY
        began = time.monotonic()
        bfd.send(0)
        said = bgp.wait_for(NOTIFICATION)
        took = time.monotonic() - began - (MULT * bfd.interval_us / 1e6 if mute else 0)
        equal(said[:2], b"\x06\x0a", "a Cease, BFD Down")
        print("%.0f" % (took * 1e6), flush=True)
        bgp.s.close()


if __name__ == "__main__":
    what, *numbers = sys.argv[1:]
    numbers = [int(n) for n in numbers]
    if what == "members":
        members(*numbers)
    else:
        lose(*numbers, what == "mute")
