# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a table image (lib/fib/fib_format.h) in Python, independent of libternfib."""

import bisect
import ipaddress
import mmap
import struct

MAGIC = b"TERNFIB\0"
SECTIONS = ("slot", "reserved", "hop", "origin", "attr", "set", "chunk")
FIXED = struct.Struct("<8s8I3Q14Q64sQ")
LIVE = (FIXED.size + 63) & ~63
KINDS = {1: "ip", 2: "link", 3: "drop", 4: "reject"}
STATES = {0: None, 1: "unknown", 2: "valid", 3: "invalid"}
ANSWER, CHUNK, TABLE, OCTETS, KEYS = 0, 1, 2, 4, 5  # enum fib_kind
UNIT_MASK = 0x0FFFFFFF


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
        if head[0] != MAGIC or head[1:3] != (0x01020304, 2):
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
    def heartbeat_ns(self):
        return self.word("Q", LIVE + 64)

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

    def unit(self, reference, at=0):
        """The offset of octet @at behind the unit of a reference."""
        return self.section["chunk"] + 8 * (reference & UNIT_MASK) + at

    def leaf(self, at, run, width, child, hop_width, origin_width):
        """Leaf number @run of the leaves at offset @at: (a reference to a chunk or None, an answer or None)."""
        bit = run * width
        leaf = self.word("Q", at + bit // 8) >> bit % 8 & ((1 << width) - 1)
        if child:
            if leaf & 1:
                return leaf >> 1, None
            leaf >>= 1
        return None, (
            leaf & ((1 << hop_width) - 1),
            leaf >> hop_width & ((1 << origin_width) - 1),
            leaf >> (hop_width + origin_width),
        )

    def octets(self, word, value):
        """The answer of @value in the octets of an IPv4 block."""
        at = self.unit(word, 8 * (word >> (32 + 8 * (value // 64)) & 31))
        run = bin(self.word("Q", at) & ((2 << value % 64) - 1)).count("1")
        return self.m[at + 8 + run], 0, 0

    def keys(self, word, number):
        """The leaf of @number among the sorted keys of an IPv6 table."""
        cnt, at = word >> 28 & 0xFFFF, self.unit(word)
        keys = [n ^ 0x80000000 for n in struct.unpack_from("<%dI" % cnt, self.m, at)]
        lists = cnt
        while cnt > 16:
            cnt = (cnt - 1) // 16
            lists += cnt
        return self.leaf(
            at + 4 * lists,
            bisect.bisect_right(keys, number),
            word >> 44 & 63,
            word >> 50 & 1,
            word >> 51 & 31,
            word >> 56 & 31,
        )

    def answer(self, key):
        """(hop, origin, attr) of the address with number @key."""
        left = self.bits - self.stage
        word = self.word("Q", self.section["slot"] + 8 * (key >> left))
        if word >> 61 == TABLE:
            left -= 8
            word = self.word("Q", self.unit(word, 8 * (key >> left & 0xFF)))
        kind, chunk = word >> 61, word & UNIT_MASK
        if kind == ANSWER:
            return word & 0xFFFF, word >> 16 & 0xFFFFF, word >> 36
        if kind == OCTETS:
            return self.octets(word, key >> (left - 8) & 0xFF)
        if kind == KEYS:
            left -= 32
            chunk, answer = self.keys(word, key >> left & 0xFFFFFFFF)
            if answer:
                return answer
        for _ in range(14):
            at = self.unit(chunk)
            left -= self.stride
            value = key >> left & 0xFF
            start = self.word("Q", at + 8 * (value // 64)) & ((2 << value % 64) - 1)
            run = self.m[at + 32 + value // 64] + bin(start).count("1")
            chunk, answer = self.leaf(at + 40, run, *self.m[at + 36 : at + 40])
            if answer:
                return answer
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
    """Image.look by a mapping of its own; None: no file, no image, an image of the other family, or no route."""
    try:
        x = Image(path)
    except (OSError, ValueError):
        return None
    try:
        return x.look(address) if x.bits == ipaddress.ip_address(address).max_prefixlen else None
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
