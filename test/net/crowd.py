# SPDX-License-Identifier: GPL-3.0-or-later
"""Many members that one thread plays: each keeps a session with one server, comes again when it has ended, and
remembers when it came up, when and how it ended, and the longest silence of the server.

The thread owns the sockets. Others set what is wanted (silent, dialling, post()) and read what there is."""

import collections
import selectors
import socket
import struct
import threading
import time

from harness import KEEPALIVE, NOTIFICATION, OPEN, message

TICK_S = 0.05


class One:
    """A member. state: down, connecting, opening, confirmed, up."""

    def __init__(self, address, as_number):
        self.address, self.as_number = address, as_number
        self.s, self.state = None, "down"
        self.buf = self.out = b""
        self.again_at = self.alive_at = self.heard_at = 0.0
        self.ups, self.ends = [], []  # when; when and how
        self.silence = 0.0


class Crowd:
    def __init__(self, members, server, port, hold, again_s=1.0):
        """@members: addresses and AS numbers."""
        self.server, self.hold, self.again_s = (server, port), hold, again_s
        self.members = [One(*m) for m in members]
        self.sel = selectors.DefaultSelector()
        self.silent = False  # no KEEPALIVEs
        self.dialling = True
        self.ending = False
        self.error = None
        self.stall = 0.0  # the longest turn of the thread
        self.to_post = collections.deque()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self.thread.start()
        return self

    def up(self):
        return sum(m.state == "up" for m in self.members)

    def lost(self, since=0.0):
        """How sessions have ended since then: {how: number}."""
        return dict(collections.Counter(how for m in self.members for at, how in m.ends if at >= since))

    def longest_silence(self):
        """Of the server, within sessions that are up."""
        return max(m.silence for m in self.members)

    def post(self, member, data):
        """Send it, in the session that it has then."""
        self.to_post.append((member, data))

    def posted(self):
        return not self.to_post and not any(m.out for m in self.members)

    def end(self):
        self.ending = True
        self.thread.join(20)
        if self.error:
            raise self.error

    def _run(self):
        ticked = began = 0.0
        try:
            while not self.ending:
                now = time.monotonic()
                self.stall = max(self.stall, now - (began or now))
                began = now
                for key, _ in self.sel.select(TICK_S):
                    self._ready(key.data)
                while self.to_post:
                    m, data = self.to_post.popleft()
                    self._send(m, data)
                if time.monotonic() > ticked + TICK_S:
                    ticked = time.monotonic()
                    self._tick(ticked)
        except Exception as e:  # pylint: disable=broad-except
            self.error = e
        for m in self.members:
            if m.s is not None:
                m.s.close()

    def _tick(self, now):
        for k, m in enumerate(self.members):
            if m.state == "down":
                if self.dialling and now >= m.again_at:
                    self._dial(m, now)
            elif m.state == "up" and not self.silent and now > m.alive_at + self.hold / 3:
                # not all at the same time
                m.alive_at = now - (k % 7 * self.hold / 42 if not m.alive_at else 0)
                self._send(m, message(KEEPALIVE))
            elif m.state != "up" and now > m.alive_at + 5:
                self._gone(m, "no answer")

    def _dial(self, m, now):
        m.s = socket.socket()
        m.s.setblocking(False)
        m.buf = m.out = b""
        m.again_at, m.alive_at = now + self.again_s, now
        try:
            m.s.bind((m.address, 0))
            m.s.connect(self.server)
        except BlockingIOError:
            pass
        except OSError:
            m.s.close()
            m.s = None
            return
        m.state = "connecting"
        self.sel.register(m.s, selectors.EVENT_READ | selectors.EVENT_WRITE, m)

    def _gone(self, m, how):
        if m.s is None:
            return
        self.sel.unregister(m.s)
        m.s.close()
        m.s = None
        if m.state == "up":
            m.ends.append((time.monotonic(), how))
        m.state = "down"

    def _send(self, m, data):
        if m.s is None:
            return
        m.out += data
        try:
            m.out = m.out[m.s.send(m.out) :]
        except BlockingIOError:
            pass
        except OSError as e:
            self._gone(m, "can't send: %s" % e.strerror)
            return
        self.sel.modify(m.s, selectors.EVENT_READ | (selectors.EVENT_WRITE if m.out else 0), m)

    def _open(self, m):
        caps = b"\x01\x04\x00\x01\x00\x01\x02\x00\x41\x04" + struct.pack("!I", m.as_number)
        body = struct.pack("!BHH4sB", 4, min(m.as_number, 23456), self.hold, socket.inet_aton(m.address), len(caps) + 2)
        self._send(m, message(OPEN, body + bytes([2, len(caps)]) + caps))

    def _ready(self, m):
        if m.s is None:
            return
        if m.state == "connecting":
            if m.s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                self._gone(m, "")
                return
            m.state = "opening"
            self._open(m)
            return
        if m.out:
            self._send(m, b"")
        try:
            data = m.s.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError as e:
            self._gone(m, e.strerror)
            return
        if not data:
            self._gone(m, "closed")
            return
        self._read(m, m.buf + data)

    def _read(self, m, buf):
        at, now = 0, time.monotonic()
        if m.state == "up":
            m.silence = max(m.silence, now - m.heard_at)
        m.heard_at = now
        while len(buf) >= at + 19:
            length, kind = struct.unpack("!HB", buf[at + 16 : at + 19])
            if len(buf) < at + length:
                break
            if kind == NOTIFICATION:
                self._gone(m, "told " + buf[at + 19 : at + 21].hex())
                return
            if kind == OPEN:
                self._send(m, message(KEEPALIVE))
            elif kind == KEEPALIVE and m.state == "opening":
                m.state, m.alive_at = "up", 0.0
                m.ups.append(now)
            at += length
        m.buf = buf[at:]
