#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes an MRT file of BGP4MP updates: some peers with 2-octet AS numbers, some with 4, whose routes
come, change and go. The same seed gives the same file.

    make_mrt.py FILE [--peers N] [--messages N] [--nets N] [--seed N]
"""
import argparse
import ipaddress
import random
import struct

AS_TRANS = 23456


def attr(flags, code, value):
    if len(value) > 255:
        return struct.pack(">BBH", flags | 0x10, code, len(value)) + value
    return struct.pack(">BBB", flags, code, len(value)) + value


def segment(kind, numbers, size):
    return struct.pack(">BB%d%s" % (len(numbers), "HI"[size == 4]), kind, len(numbers), *numbers)


def narrow(numbers):
    return [AS_TRANS if n > 65535 else n for n in numbers]


def attributes(rnd, peer_as, as4, next_hop):
    path = [peer_as] + [rnd.choice([rnd.randint(1, 64000), rnd.randint(131072, 400000)])
                        for _ in range(rnd.randint(1, 5))]
    members = [rnd.randint(1, 400000) for _ in range(2)] if rnd.random() < 0.1 else []
    out = attr(0x40, 1, bytes([rnd.choice([0, 0, 0, 1, 2])]))

    def whole(size):
        conv = narrow if size == 2 else list
        return segment(2, conv(path), size) + (segment(1, conv(members), size) if members else b"")
    out += attr(0x40, 2, whole(4 if as4 else 2))
    out += attr(0x40, 3, next_hop)
    if rnd.random() < 0.3:
        out += attr(0x80, 4, struct.pack(">I", rnd.randint(1, 500)))
    aggregator = None
    if members:
        aggregator = (path[-1], bytes([198, 51, 100, rnd.randint(1, 254)]))
        out += attr(0x40, 6, b"")
        out += attr(0xc0, 7, struct.pack(">I" if as4 else ">H",
                                         aggregator[0] if as4 else narrow([aggregator[0]])[0]) +
                    aggregator[1])
    if rnd.random() < 0.6:
        pairs = {(rnd.randint(1, 65000), rnd.randint(0, 65535)) for _ in range(rnd.randint(1, 8))}
        if rnd.random() < 0.1:
            pairs.add((65000, 1))
        out += attr(0xc0, 8, b"".join(struct.pack(">HH", *p) for p in sorted(pairs)))
    if not as4 and any(n > 65535 for n in path + members):
        out += attr(0xc0, 17, whole(4))
    if not as4 and aggregator and aggregator[0] > 65535:
        out += attr(0xc0, 18, struct.pack(">I", aggregator[0]) + aggregator[1])
    return out


def prefix(net):
    n = ipaddress.ip_network(net)
    return bytes([n.prefixlen]) + n.network_address.packed[:(n.prefixlen + 7) // 8]


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file")
    p.add_argument("--peers", type=int, default=4)
    p.add_argument("--messages", type=int, default=2000)
    p.add_argument("--nets", type=int, default=400)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    rnd = random.Random(args.seed)
    nets = ["%d.%d.%d.0/%d" % (rnd.choice([11, 20, 45, 80, 10]), i // 200, i % 200, 24)
            for i in range(args.nets)]
    with open(args.file, "wb") as f:
        for t in range(args.messages):
            i = rnd.randrange(args.peers)
            as4 = i % 2 == 1
            peer_as = 200000 + i if as4 else 3000 + i
            addr = bytes([203, 0, 113, 10 + i])
            gone = rnd.sample(nets, rnd.randint(1, 4)) if rnd.random() < 0.3 else []
            come = [] if gone and rnd.random() < 0.7 else rnd.sample(nets, rnd.randint(1, 6))
            come = [n for n in come if n not in gone]
            wd = b"".join(map(prefix, gone))
            at = attributes(rnd, peer_as, as4, addr) if come else b""
            body = struct.pack(">H", len(wd)) + wd + struct.pack(">H", len(at)) + at
            body += b"".join(map(prefix, come))
            msg = b"\xff" * 16 + struct.pack(">HB", 19 + len(body), 2) + body
            head = struct.pack(">IIHH" if as4 else ">HHHH", peer_as, 65000, 0, 1)
            rec = head + addr + bytes([203, 0, 113, 1]) + msg
            f.write(struct.pack(">IHHI", 1700000000 + t, 16, 4 if as4 else 1, len(rec)) + rec)


if __name__ == "__main__":
    main()
