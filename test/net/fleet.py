# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of an exchange that one thread plays: each keeps a session with every daemon that it is told to dial,
announces its routes, answers route refreshes, and remembers what it is told.

The thread owns the sockets. Others set what is wanted (dial, routes) and read what came (table); both are replaced
whole or changed under the lock.
"""

import random
import selectors
import socket
import struct
import threading
import time

from harness import KEEPALIVE, NOTIFICATION, OPEN, REFRESH, SLOW, UPDATE, attribute, message, nlri

HOLD_S = 240
RETRY_S = 0.05  # doubles with each session in a row that did not establish
RETRY_AT_MOST_S = 0.4
TICK_S = 0.02
CONNECT_S = 3  # or the kernel would ask ever more rarely, where the daemon's end drops what it is asked
MP_REACH, MP_UNREACH = 14, 15


def _prefixes(data, family, ids=False):
    """The NLRI in data: [(text, path identifier or 0), ...]."""
    found, at, octets = [], 0, 4 if family == socket.AF_INET else 16
    path_id = 0
    while at < len(data):
        if ids:
            (path_id,) = struct.unpack("!I", data[at : at + 4])
            at += 4
        length = data[at]
        used = (length + 7) // 8
        addr = data[at + 1 : at + 1 + used] + b"\0" * (octets - used)
        found.append(("%s/%d" % (socket.inet_ntop(family, addr), length), path_id))
        at += 1 + used
    return found


def _add_paths(body):
    """Of an OPEN: what its sender does with several IPv4 paths a prefix (RFC 7911, 4): 1 it receives, 2 it sends."""
    at, flags = 10, 0
    while at < len(body):
        kind, size = body[at], body[at + 1]
        caps, at = body[at + 2 : at + 2 + size], at + 2 + size
        while kind == 2 and caps:
            code, value, caps = caps[0], caps[2 : 2 + caps[1]], caps[2 + caps[1] :]
            for k in range(0, len(value) if code == 69 else 0, 4):
                if value[k : k + 3] == b"\0\1\1":
                    flags = value[k + 3]
    return flags


def _all_paths(prefix, route):
    """What a member announces that may tell several paths: {(prefix, identifier): route}. Some have two."""
    path, comms = route
    found = {(prefix, 7): route}
    if len(comms) == 1:
        found[(prefix, 3)] = (path + (64999, 64999), comms)
    return found


class Session:
    """One connection of a member. Owner: the fleet's thread."""

    def __init__(self, member, name):
        self.member, self.name = member, name
        self.s = None
        self.state = "down"
        self.target = None
        self.again_at = 0
        self.retry_s = RETRY_S
        self.buf = b""
        self.out = b""
        self.told = {}  # what we announced: prefix -> route
        self.seen = None  # the member's routes that it was made of
        self.table = {}  # what it told us: (prefix, path identifier or 0) -> attributes
        self.add_paths = 0  # _add_paths of the daemon's OPEN
        self.alive_at = 0
        self.dialled_at = 0


class Member:
    """One speaker. routes: {prefix: (path, communities)}; dial: {name: (address, port)}."""

    def __init__(self, address, as_number):
        self.address, self.as_number = address, as_number
        self.routes = {}
        self.dial = {}
        self.sessions = {}
        self.leave = "cease"  # how a session is ended: cease, reset or eof


class Fleet:
    def __init__(self):
        self.lock = threading.RLock()
        self.members = {}
        self.sel = selectors.DefaultSelector()
        self.ending = False
        self.tick_at = 0
        self.error = None
        self.all_paths = 0  # UPDATEs with path identifiers that members were sent
        self.rng = random.Random(1)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    # --- what others call ---

    def add(self, key, address, as_number):
        with self.lock:
            self.members[key] = Member(address, as_number)
        return self.members[key]

    def drop(self, name):
        """Nobody dials the daemon of that name any more."""
        with self.lock:
            for m in self.members.values():
                m.dial.pop(name, None)

    def tables(self, name):
        """{member: what it was told} of the established sessions with a daemon."""
        with self.lock:
            return {
                k: self._by_prefix(m.sessions[name].table)
                for k, m in self.members.items()
                if name in m.sessions and m.sessions[name].state == "established"
            }

    @staticmethod
    def _by_prefix(table):
        """{prefix: what was told of it}; identifiers are each daemon's own."""
        found = {}
        for (prefix, _), route in table.items():
            found.setdefault(prefix, []).append(route)
        return {prefix: sorted(routes) for prefix, routes in found.items()}

    def end(self):
        self.ending = True
        self.thread.join(10)

    # --- the thread ---

    def _run(self):
        try:
            while not self.ending:
                for key, _ in self.sel.select(TICK_S):
                    with self.lock:
                        self._ready(key.data)
                if time.monotonic() >= self.tick_at:
                    self.tick_at = time.monotonic() + TICK_S
                    with self.lock:
                        self._tick()
        except Exception as e:  # pylint: disable=broad-except
            self.error = e
            raise
        for m in self.members.values():
            for s in m.sessions.values():
                self._close(s)

    def _close(self, s):
        if s.s is not None:
            self.sel.unregister(s.s)
            s.s.close()
        s.s = None
        s.state = "down"
        s.buf = s.out = b""
        s.told, s.table, s.seen = {}, {}, None
        self._retry_later(s)

    def _retry_later(self, s):
        s.again_at = time.monotonic() + s.retry_s * self.rng.uniform(0.5, 1.5)
        s.retry_s = min(2 * s.retry_s, RETRY_AT_MOST_S)

    def _leave(self, s):
        how = s.member.leave
        try:
            if how == "cease" and s.state != "connecting":
                s.s.send(message(NOTIFICATION, b"\x06\x02"))
            elif how == "reset":
                s.s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        self._close(s)

    def _tick(self):
        now = time.monotonic()
        for m in self.members.values():
            for name in m.dial:
                if name not in m.sessions:
                    m.sessions[name] = Session(m, name)
            for name, s in list(m.sessions.items()):
                target = m.dial.get(name)
                if target is not None:
                    target += (m.as_number,)
                if s.s is not None and target != s.target:
                    self._leave(s)
                if target is None:
                    if s.s is None:
                        del m.sessions[name]
                elif s.s is None and now >= s.again_at:
                    self._dial(s, target)
                elif s.state == "connecting" and now > s.dialled_at + CONNECT_S:
                    self._close(s)
                elif s.state == "established":
                    self._announce(s)
                    if now > s.alive_at + HOLD_S / 4:
                        s.alive_at = now
                        self._send(s, message(KEEPALIVE))

    def _dial(self, s, target):
        s.target = target
        s.s = socket.socket()
        s.s.setblocking(False)
        s.s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 255)  # RFC 5082
        try:
            s.s.bind((s.member.address, 0))
            s.s.connect(target[:2])
        except BlockingIOError:
            pass
        except OSError:
            s.s.close()
            s.s = None
            self._retry_later(s)
            return
        s.state, s.dialled_at = "connecting", time.monotonic()
        self.sel.register(s.s, selectors.EVENT_READ | selectors.EVENT_WRITE, s)

    def _send(self, s, data):
        if s.s is None:  # what was sent before it has failed
            return
        s.out += data
        try:
            n = s.s.send(s.out)
            s.out = s.out[n:]
        except BlockingIOError:
            pass
        except OSError:
            self._close(s)
            return
        self.sel.modify(s.s, selectors.EVENT_READ | (selectors.EVENT_WRITE if s.out else 0), s)

    def _open(self, s):
        asn = s.target[2]
        caps = (
            b"\x01\x04\x00\x01\x00\x01"
            + b"\x01\x04\x00\x02\x00\x01"
            + b"\x02\x00"
            + b"\x41\x04"
            + struct.pack("!I", asn)
            + b"\x45\x04\x00\x01\x01\x03"
        )
        params = struct.pack("!BB", 2, len(caps)) + caps
        body = struct.pack(
            "!BHH4sB", 4, asn if asn < 65536 else 23456, HOLD_S, socket.inet_aton(s.member.address), len(params)
        )
        self._send(s, message(OPEN, body + params))

    def _announce(self, s):
        """What has changed since we told it last."""
        if s.seen == s.member.routes:
            return
        s.seen = dict(s.member.routes)
        ids = bool(s.add_paths & 1)
        want = {}
        for p, r in s.member.routes.items():
            want.update(_all_paths(p, r) if ids else {(p, 0): r})
        if want == s.told:
            return
        gone = [p for p in s.told if p not in want]
        groups = {}
        for p, r in want.items():
            if s.told.get(p) != r:
                groups.setdefault(r, []).append(p)
        out = b""
        if gone:
            w = b"".join(self._nlri(p, ids) for p in gone)
            out += message(UPDATE, struct.pack("!H", len(w)) + w + b"\0\0")
        for (path, comms), prefixes in groups.items():
            out += message(UPDATE, self._update(s, path, comms, [self._nlri(p, ids) for p in prefixes]))
        s.told = want
        self._send(s, out)

    @staticmethod
    def _nlri(named, ids):
        prefix, path_id = named
        return (struct.pack("!I", path_id) if ids else b"") + nlri(prefix)

    def _update(self, s, path, comms, nlris):
        asns = (s.target[2],) + path
        attrs = (
            attribute(0x40, 1, b"\0")
            + attribute(0x40, 2, bytes([2, len(asns)]) + b"".join(struct.pack("!I", a) for a in asns))
            + attribute(0x40, 3, socket.inet_aton(s.member.address))
        )
        if comms:
            attrs += attribute(0xC0, 8, b"".join(struct.pack("!HH", *c) for c in comms))
        return struct.pack("!HH", 0, len(attrs)) + attrs + b"".join(nlris)

    def _ready(self, s):
        if s.s is None:
            return
        if s.state == "connecting":
            if s.s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                self._close(s)
                return
            s.state = "opening"
            self._open(s)
            return
        try:
            data = s.s.recv(1 << 18)
        except BlockingIOError:
            if s.out:
                self._send(s, b"")
            return
        except OSError:
            data = b""
        if not data:
            self._close(s)
            return
        buf, at = s.buf + data, 0
        while s.s is not None and len(buf) - at >= 19:
            length, kind = struct.unpack("!HB", buf[at + 16 : at + 19])
            if len(buf) - at < length:
                break
            self._message(s, kind, buf[at + 19 : at + length])
            at += length
        s.buf = b"" if s.s is None else buf[at:]
        if s.s is not None and s.out:
            self._send(s, b"")

    def _message(self, s, kind, body):
        if kind == OPEN:
            s.add_paths = _add_paths(body)
            self._send(s, message(KEEPALIVE))
            s.state = "confirming"
        elif kind == KEEPALIVE and s.state == "confirming":
            s.state = "established"
            s.retry_s = RETRY_S
            s.alive_at = time.monotonic()
            self._announce(s)
        elif kind == REFRESH:
            s.seen = None
            s.told = dict.fromkeys(s.told)  # all again, and what has gone since is withdrawn
            self._announce(s)
        elif kind == UPDATE:
            self._take_update(s, body)
        elif kind == NOTIFICATION:
            self._close(s)

    def _take_update(self, s, body):
        (gone,) = struct.unpack("!H", body[:2])
        ids = bool(s.add_paths & 2)
        self.all_paths += ids
        for p in _prefixes(body[2 : 2 + gone], socket.AF_INET, ids):
            s.table.pop(p, None)
        at = 2 + gone
        (length,) = struct.unpack("!H", body[at : at + 2])
        attrs, rest = body[at + 2 : at + 2 + length], body[at + 2 + length :]
        kept, reach, unreach = [], None, None
        at = 0
        while at < len(attrs):
            flags, code = attrs[at], attrs[at + 1]
            size, head = (struct.unpack("!H", attrs[at + 2 : at + 4])[0], 4) if flags & 0x10 else (attrs[at + 2], 3)
            value = attrs[at + head : at + head + size]
            at += head + size
            if code == MP_REACH:
                reach = value
            elif code == MP_UNREACH:
                unreach = value
            else:
                kept.append((code, value))
        if unreach is not None:
            for p in _prefixes(unreach[3:], socket.AF_INET6):
                s.table.pop(p, None)
        if reach is not None:
            hop = 4 + reach[3]
            for p in _prefixes(reach[hop + 1 :], socket.AF_INET6):
                s.table[p] = (tuple(kept), reach[4:hop])
        for p in _prefixes(rest, socket.AF_INET, ids):
            s.table[p] = (tuple(kept), b"")


assert SLOW  # the harness looks at the build when it is imported
