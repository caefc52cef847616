# SPDX-License-Identifier: GPL-3.0-or-later
"""A BGP proxy that breaks what one client is sent, to prove that ternload notices.

The proxy listens on one port and connects on to another from the address that the client itself came from,
so the route server still knows each client by its address. The proxy parses and breaks what goes to one
client; all else passes as it is. Proxy.faults lists (fault, prefix).

  none       nothing is broken
  drop       one prefix is never announced
  community  one prefix gets a community that it doesn't have
  repeat     a withdrawn prefix is announced once more
  withhold   the last message never arrives

With `ids` what the server sends has path identifiers (RFC 7911). Then `drop` and `community` break one path
of a prefix, and there are:

  double     one path comes a second time, under another identifier
  other      a withdrawal names another path of its prefix
  unknown    a path is withdrawn that never came
"""

import ipaddress
import socket
import struct
import threading
import time

from streams import read_exactly

UPDATE = 2
COMMUNITY = 8
MISSED_S = 2  # a message that nothing has followed for so long is missed by the client


def prefixes(octets, id_len):
    """IPv4 NLRI as a list of pairs: octets as they stand, text. @id_len: octets of a path identifier before each
    prefix: 0 or 4."""
    out = []
    at = 0
    while at < len(octets):
        bits = octets[at + id_len]
        end = at + id_len + 1 + (bits + 7) // 8
        addr = octets[at + id_len + 1 : end].ljust(4, b"\0")
        out.append((octets[at:end], "%s/%d" % (ipaddress.IPv4Address(addr), bits)))
        at = end
    return out


def split(msg):
    """An UPDATE as withdrawn octets, attribute octets, NLRI octets."""
    body = msg[19:]
    wlen, = struct.unpack_from(">H", body)
    alen, = struct.unpack_from(">H", body, 2 + wlen)
    at = 4 + wlen
    return body[2:2 + wlen], body[at:at + alen], body[at + alen:]


def build(withdrawn, attrs, nlri):
    body = struct.pack(">H", len(withdrawn)) + withdrawn
    body += struct.pack(">H", len(attrs)) + attrs + nlri
    return b"\xff" * 16 + struct.pack(">HB", 19 + len(body), UPDATE) + body


def with_community(attrs, community):
    """The same attributes with one more community."""
    out = b""
    value = b""
    at = 0
    while at < len(attrs):
        flags, code = attrs[at], attrs[at + 1]
        if flags & 0x10:
            length, = struct.unpack_from(">H", attrs, at + 2)
            start = at + 4
        else:
            length = attrs[at + 2]
            start = at + 3
        if code == COMMUNITY:
            value = attrs[start:start + length]
        else:
            out += attrs[at:start + length]
        at = start + length
    value += struct.pack(">I", community)
    return out + struct.pack(">BBH", 0xd0, COMMUNITY, len(value)) + value


class Breaker:
    """What is done to the messages of one session; each takes a message and gives a list of them."""

    def __init__(self, faults, id_len, nth=50):
        self.faults, self.id_len = faults, id_len
        self.nth = nth  # so many announcements pass before the victim is chosen
        self.victim = None
        self.last = {}
        self.ids = {}  # prefix: identifiers under which it is there
        self.kept, self.kept_at = None, 0

    def say(self, fault, text):
        self.faults.append((fault, text))

    def prefixes(self, octets):
        return prefixes(octets, self.id_len)

    def none(self, msg):
        return [msg]

    def choose(self, fault, nlri):
        for raw, text in nlri:
            if self.victim is None and self.nth == 0:
                self.victim = raw
                self.say(fault, text)
            self.nth = max(self.nth - 1, 0)

    def drop(self, msg):
        withdrawn, attrs, octets = split(msg)
        nlri = self.prefixes(octets)
        self.choose("drop", nlri)
        rest = b"".join(raw for raw, _ in nlri if raw != self.victim)
        if rest == octets:
            return [msg]
        return [build(withdrawn, attrs, rest)] if rest else []

    def community(self, msg):
        withdrawn, attrs, octets = split(msg)
        nlri = self.prefixes(octets)
        self.choose("community", nlri)
        rest = b"".join(raw for raw, _ in nlri if raw != self.victim)
        if rest == octets:
            return [msg]
        out = [build(withdrawn, attrs, rest)] if rest else []
        out.append(build(b"", with_community(attrs, 0xfde70001), self.victim))
        return out

    def repeat(self, msg):
        withdrawn, attrs, octets = split(msg)
        out = [msg]
        for raw, text in self.prefixes(withdrawn):
            if raw in self.last:
                out.append(build(b"", self.last[raw], raw))
                self.say("repeat", text)
        for raw, _ in self.prefixes(octets):
            self.last[raw] = attrs
        return out

    def double(self, msg):
        _, attrs, octets = split(msg)
        nlri = self.prefixes(octets)
        self.choose("double", nlri)
        if self.victim is None or self.victim not in [raw for raw, _ in nlri]:
            return [msg]
        return [msg, build(b"", attrs, b"\x7f" + self.victim[1:])]

    def other(self, msg):
        withdrawn, attrs, octets = split(msg)
        gone = b""
        for raw, text in self.prefixes(withdrawn):
            there = self.ids.get(raw[self.id_len :], set())
            there.discard(raw[: self.id_len])
            if there:
                self.say("other", text)
            gone += (min(there) if there else raw[: self.id_len]) + raw[self.id_len :]
        for raw, _ in self.prefixes(octets):
            self.ids.setdefault(raw[self.id_len :], set()).add(raw[: self.id_len])
        return [build(gone, attrs, octets)] if gone else [msg]

    def unknown(self, msg):
        known = self.victim
        self.choose("unknown", self.prefixes(split(msg)[2]))
        if known or not self.victim:
            return [msg]
        return [msg, build(b"\x7f" + self.victim[1:], b"", b"")]

    def withhold(self, msg):
        withdrawn, attrs, octets = split(msg)
        if not withdrawn and not octets:
            return [msg]  # End-of-RIB
        now = time.monotonic()
        if self.kept and now > self.kept_at + MISSED_S:  # it was the last one: what follows is from the end of the run
            self.say_kept()
        out = [self.kept] if self.kept else []
        self.kept, self.kept_at = msg, now
        return out

    def say_kept(self):
        withdrawn, _, octets = split(self.kept)
        for _, text in self.prefixes(octets) + self.prefixes(withdrawn):
            self.say("withhold", text)

    def end(self):
        if self.kept:
            self.say_kept()


class Proxy:
    """@port: of the server. @client: whose messages @fault breaks. @ids: the server sends path identifiers."""

    def __init__(self, listen, port, client, fault, ids=False, address="127.0.0.1"):
        self.port, self.client, self.fault, self.id_len = port, client, fault, 4 if ids else 0
        self.address = address
        self.faults, self.breakers, self.sockets = [], [], []
        self.listener = socket.create_server((address, listen))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                down, (address, _) = self.listener.accept()
            except OSError:
                return
            up = socket.socket()
            up.bind((address, 0))
            try:
                up.connect((self.address, self.port))
            except OSError:
                down.close()
                up.close()
                continue
            self.join(down, up, self.fault if address == self.client else "none")

    def join(self, down, up, fault):
        breaker = Breaker(self.faults, self.id_len)
        self.sockets += [down, up]
        self.breakers.append(breaker)
        for copy in (lambda: copy_raw(down, up)), (lambda: copy_broken(up, down, getattr(breaker, fault))):
            threading.Thread(target=one_way, args=(copy, down, up), daemon=True).start()

    def end(self):
        """A fault that the end of a session tells is in Proxy.faults afterwards."""
        self.listener.close()
        for s in self.sockets:
            hang_up(s)
        for b in self.breakers:
            b.end()


def hang_up(s):
    """End both directions; whoever reads sees the end."""
    try:
        s.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def one_way(copy, *both):
    try:
        copy()
    except (OSError, EOFError):
        pass
    for s in both:
        hang_up(s)


def copy_raw(source, sink):
    while data := source.recv(65536):
        sink.sendall(data)


def copy_broken(source, sink, change):
    while True:
        head = read_exactly(source, 19)
        length, kind = struct.unpack(">HB", head[16:])
        msg = head + read_exactly(source, length - 19)
        for out in change(msg) if kind == UPDATE else [msg]:
            sink.sendall(out)
