#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A BGP proxy that breaks what one client is sent, to prove that ternload notices.

It listens on one port and connects on to another from the address that the client itself came from,
so the route server still knows each client by its address. What goes to the client named by --client
is parsed and broken as --fault says; all else passes as it is. Each fault is one line on stdout:
fault, client, prefix.

  none       nothing is broken
  drop       one prefix is never announced
  community  one prefix gets a community that it doesn't have
  repeat     a withdrawn prefix is announced once more
  withhold   the last message never arrives

With --ids what the server sends has path identifiers (RFC 7911). Then `drop` and `community` break one path
of a prefix, and there are:

  double     one path comes a second time, under another identifier
  other      a withdrawal names another path of its prefix
  unknown    a path is withdrawn that never came
"""
import argparse
import asyncio
import ipaddress
import signal
import struct
import time

UPDATE = 2
COMMUNITY = 8
MISSED_S = 2  # a message that nothing has followed for so long is missed by the client


ID = 0  # octets of a path identifier before each prefix: 0 or 4


def prefixes(octets):
    """IPv4 NLRI as a list of pairs: octets as they stand, text."""
    out = []
    at = 0
    while at < len(octets):
        bits = octets[at + ID]
        end = at + ID + 1 + (bits + 7) // 8
        addr = octets[at + ID + 1:end].ljust(4, b"\0")
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

    def __init__(self, client, nth):
        self.client = client
        self.nth = nth  # so many announcements pass before the victim is chosen
        self.victim = None
        self.last = {}
        self.ids = {}  # prefix: identifiers under which it is there
        self.kept, self.kept_at = None, 0

    def say(self, fault, text):
        print(fault, self.client, text, flush=True)

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
        nlri = prefixes(octets)
        self.choose("drop", nlri)
        rest = b"".join(raw for raw, _ in nlri if raw != self.victim)
        if rest == octets:
            return [msg]
        return [build(withdrawn, attrs, rest)] if rest else []

    def community(self, msg):
        withdrawn, attrs, octets = split(msg)
        nlri = prefixes(octets)
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
        for raw, text in prefixes(withdrawn):
            if raw in self.last:
                out.append(build(b"", self.last[raw], raw))
                self.say("repeat", text)
        for raw, _ in prefixes(octets):
            self.last[raw] = attrs
        return out

    def double(self, msg):
        _, attrs, octets = split(msg)
        nlri = prefixes(octets)
        self.choose("double", nlri)
        if self.victim is None or self.victim not in [raw for raw, _ in nlri]:
            return [msg]
        return [msg, build(b"", attrs, b"\x7f" + self.victim[1:])]

    def other(self, msg):
        withdrawn, attrs, octets = split(msg)
        gone = b""
        for raw, text in prefixes(withdrawn):
            there = self.ids.get(raw[ID:], set())
            there.discard(raw[:ID])
            if there:
                self.say("other", text)
            gone += (min(there) if there else raw[:ID]) + raw[ID:]
        for raw, _ in prefixes(octets):
            self.ids.setdefault(raw[ID:], set()).add(raw[:ID])
        return [build(gone, attrs, octets)] if gone else [msg]

    def unknown(self, msg):
        known = self.victim
        self.choose("unknown", prefixes(split(msg)[2]))
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
        for _, text in prefixes(octets) + prefixes(withdrawn):
            self.say("withhold", text)

    def end(self):
        if self.kept:
            self.say_kept()


async def copy_raw(reader, writer):
    while True:
        data = await reader.read(65536)
        if not data:
            break
        writer.write(data)
        await writer.drain()


async def copy_broken(reader, writer, change):
    while True:
        head = await reader.readexactly(19)
        length, kind = struct.unpack(">HB", head[16:])
        msg = head + await reader.readexactly(length - 19)
        for out in change(msg) if kind == UPDATE else [msg]:
            writer.write(out)
        await writer.drain()


async def serve(args, reader, writer):
    client = writer.get_extra_info("peername")[0]
    try:
        up_reader, up_writer = await asyncio.open_connection(
            args.address, args.to, local_addr=(client, 0))
    except OSError:
        writer.close()
        return
    broken = client == args.client
    breaker = Breaker(client, args.nth)
    change = getattr(breaker, args.fault if broken else "none")
    tasks = [asyncio.create_task(copy_raw(reader, up_writer)),
             asyncio.create_task(copy_broken(up_reader, writer, change))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        breaker.end()
        writer.close()
        up_writer.close()


async def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--address", default="127.0.0.1")
    p.add_argument("--listen", type=int, required=True)
    p.add_argument("--to", type=int, required=True)
    p.add_argument("--client", default="127.0.1.2", help="whose messages are broken")
    p.add_argument("--fault", default="none",
                   choices=["none", "drop", "community", "repeat", "withhold", "double", "other", "unknown"])
    p.add_argument("--ids", action="store_true", help="what the server sends has path identifiers")
    p.add_argument("--nth", type=int, default=50)
    args = p.parse_args()
    global ID
    ID = 4 if args.ids else 0
    server = await asyncio.start_server(lambda r, w: serve(args, r, w), args.address,
                                        args.listen, backlog=1024)
    # What was withheld is said by sessions that are there still, too.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (KeyboardInterrupt, asyncio.CancelledError):
        pass
