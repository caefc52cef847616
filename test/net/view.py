# SPDX-License-Identifier: GPL-3.0-or-later
"""A view holds the routes that a daemon has sent to a member of the test, path by path."""

from harness import *


def attributes(octets):
    """{code: (flags, value)}; communities in order, for they are sets."""
    found = {}
    while octets:
        flags, code, head = octets[0], octets[1], 4 if octets[0] & 0x10 else 3
        length = int.from_bytes(octets[2:head], "big")
        value, octets = octets[head:head + length], octets[head + length:]
        if code == 8:
            value = b"".join(sorted(value[i:i + 4] for i in range(0, length, 4)))
        found[code] = (flags & 0xe0, value)
    return found


class View:
    """@ids: the daemon sends it path identifiers. @strict: it may not withdraw what it hasn't announced."""

    def __init__(self, who, peer, ids, strict):
        self.who, self.peer, self.ids, self.strict = who, peer, ids, strict
        self.routes = {}  # (identifier, net) -> octets of its attributes
        self.told = []  # nets, as they came
        self.refreshes = 0  # so often it was asked for what it has said

    def nets(self, data):
        while data:
            ident = 0
            if self.ids:
                ident, data = struct.unpack("!I", data[:4])[0], data[4:]
            size = 1 + (data[0] + 7) // 8
            yield ident, data[:size]
            data = data[size:]

    def take(self, body):
        size = struct.unpack("!H", body[:2])[0]
        withdrawn, rest = body[2:2 + size], body[2 + size:]
        size = struct.unpack("!H", rest[:2])[0]
        attrs, nets = rest[2:2 + size], rest[2 + size:]
        for key in self.nets(withdrawn):
            self.told.append(key[1])
            known = self.routes.pop(key, None) is not None
            check(known or not self.strict, "%s: %r is withdrawn and wasn't announced" % (self.who, key))
        for key in self.nets(nets):
            self.told.append(key[1])
            self.routes[key] = attrs

    def drain(self):
        """All that lies in the socket."""
        p = self.peer
        p.s.setblocking(False)
        try:
            while True:
                data = p.s.recv(1 << 16)
                check(data, "%s: the session has ended" % self.who)
                p.buf += data
        except BlockingIOError:
            pass
        p.s.settimeout(20 * SLOW)
        while len(p.buf) >= 19:
            length, kind = struct.unpack("!HB", p.buf[16:19])
            if len(p.buf) < length:
                break
            body, p.buf = p.buf[19:length], p.buf[length:]
            check(kind != NOTIFICATION, "%s: NOTIFICATION %r" % (self.who, body))
            if kind == UPDATE:
                self.take(body)
            self.refreshes += kind == REFRESH

    def held(self):
        """{net: its routes}, without identifiers."""
        found = {}
        for (_, net), attrs in self.routes.items():
            found.setdefault(net, []).append(attrs)
        return {n: sorted(v) for n, v in found.items()}
