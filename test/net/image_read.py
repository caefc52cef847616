# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a table image (lib/fib/fib_format.h) in Python, independent of libternfib."""

import ipaddress
import mmap
import struct

MAGIC = b"TERNFIB\0"
SECTIONS = ("slot", "direct", "hop", "origin", "attr", "set", "chunk")
FIXED = struct.Struct("<8s8I3Q14Q64sQ")
LIVE = (FIXED.size + 63) & ~63
KINDS = {1: "ip", 2: "link", 3: "drop", 4: "reject"}
STATES = {0: None, 1: "unknown", 2: "valid", 3: "invalid"}
CHUNK = 0x80000000


class Torn(Exception):
    """The writer changed the image during the lookup."""


class Image:
    """A mapped file. The caller closes the image."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
        if len(self.m) < 4096:
            raise ValueError("%s is no image" % path)
        head = FIXED.unpack_from(self.m, 0)
        if head[0] != MAGIC or head[1] != 0x01020304:
            raise ValueError("%s is no image" % path)
        (
            _,
            self.version,
            _,
            self.bits,
            self.stage,
            self.stride,
            self.fields,
            self.pid,
        ) = head[1:9]
        self.start_id, self.created_ns, self.size = head[9:12]
        self.section = {s: head[12 + 2 * i] for i, s in enumerate(SECTIONS)}
        self.table = head[26].split(b"\0")[0].decode()
        if len(self.m) < self.size:
            raise ValueError("%s is cut off" % path)

    def close(self):
        self.m.close()

    def word(self, form, at):
        return struct.unpack_from("<" + form, self.m, at)[0]

    @property
    def generation(self):
        return self.word("Q", LIVE)

    @property
    def replaced(self):
        return self.word("Q", LIVE + 16) != 0

    @property
    def prefixes(self):
        return self.word("Q", LIVE + 64 + 16)

    def used(self, *sections):
        """Octets of @sections up to the last octet in use."""
        return sum(self.word("Q", LIVE + 96 + 8 * SECTIONS.index(s)) for s in sections)

    def idle(self, *sections):
        """Octets of @sections that hold nothing."""
        return sum(self.word("Q", LIVE + 152 + 8 * SECTIONS.index(s)) for s in sections)

    def answer(self, key):
        """(hop, origin, attr) of the address with number @key."""
        left = self.bits - self.stage
        slot = self.word("I", self.section["slot"] + 4 * (key >> left))
        if not slot & CHUNK:
            if not self.fields:
                return slot, 0, 0
            whole = self.word("Q", self.section["direct"] + 8 * slot)
            return whole & 0xFFFF, whole >> 16 & 0xFFFFF, whole >> 36
        unit = slot & ~CHUNK
        for _ in range(14):
            at = self.section["chunk"] + 8 * unit
            left -= self.stride
            value = key >> left & 0xFF
            start = self.word("Q", at + 8 * (value // 64)) & ((2 << value % 64) - 1)
            run = self.m[at + 32 + value // 64] + bin(start).count("1")
            width, child, hop_width, origin_width = self.m[at + 36 : at + 40]
            bit = run * width
            leaf = self.word("Q", at + 40 + bit // 8) >> bit % 8 & ((1 << width) - 1)
            if child:
                kind, leaf = leaf & 1, leaf >> 1
                if kind:
                    unit = leaf
                    continue
            return (
                leaf & ((1 << hop_width) - 1),
                leaf >> hop_width & ((1 << origin_width) - 1),
                leaf >> (hop_width + origin_width),
            )
        raise Torn

    def look(self, address):
        """The facts of an address as a dict; None: no route."""
        before = self.generation
        hop, origin, attr = self.answer(int(ipaddress.ip_address(address)))
        found = {} if hop else None
        if hop:
            _, addr, ifindex, kind = struct.unpack_from("<Q16sIB3x", self.m, self.section["hop"] + 32 * hop)
            a = ipaddress.ip_address(addr)
            found["kind"] = KINDS[kind]
            found["hop"] = str(a.ipv4_mapped or a) if int(a) else None
            found["ifindex"] = ifindex
        if origin:
            found["origin"] = self.word("I", self.section["origin"] + 8 * origin + 4)
        if attr:
            at = self.section["set"] + 8 * self.word("I", self.section["attr"] + 8 * attr + 4)
            peer, rpki, std, large = struct.unpack_from("<IB3xHH", self.m, at)
            words = struct.unpack_from("<%dI" % (std + 3 * large), self.m, at + 12)
            found["peer"] = peer
            found["rpki"] = STATES[rpki]
            found["communities"] = [(w >> 16, w & 0xFFFF) for w in words[:std]]
            found["large"] = [tuple(words[std + 3 * i :][:3]) for i in range(large)]
        if self.generation - before > 1:
            raise Torn
        return found


def look(path, address):
    """Image.look by a mapping of its own; None: no file, no image, or no route."""
    try:
        x = Image(path)
    except (OSError, ValueError):
        return None
    try:
        return x.look(address)
    finally:
        x.close()


def generation(path):
    """0: no file."""
    try:
        x = Image(path)
    except (OSError, ValueError):
        return 0
    try:
        return x.generation
    finally:
        x.close()
