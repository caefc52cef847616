# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of a router that reports by BMP (RFC 7854). The AS of the router is 65000; member @n is 10.9.0.@n of AS
65000 + @n."""

import socket
import struct

from harness import OPEN, UPDATE, attribute, message, nlri


def bmp(kind, body):
    return struct.pack("!BIB", 3, 6 + len(body), kind) + body


def peer_head(n, kind=0, flags=0):
    return (
        struct.pack("!BBQ", kind, flags, 0)
        + bytes(12)
        + socket.inet_aton("10.9.0.%d" % n)
        + struct.pack("!I4sII", 65000 + n, bytes([10, 9, 0, n]), 0, 0)
    )


def open_of(as_number, n, more=b"", hold=90):
    """@more: further capabilities."""
    caps = b"\x01\x04\x00\x01\x00\x01" + b"\x41\x04" + struct.pack("!I", as_number) + more
    params = struct.pack("!BB", 2, len(caps)) + caps
    return message(OPEN, struct.pack("!BHH4sB", 4, as_number, hold, bytes([10, 9, 0, n]), len(params)) + params)


def up(n, local="0.0.0.0", received=None, sent=None, kind=0):
    """@received, @sent: the OPENs of member and router."""
    ends = bytes(12) + socket.inet_aton(local) + struct.pack("!HH", 179, 1024)
    return bmp(3, peer_head(n, kind) + ends + (sent or open_of(65000, 1)) + (received or open_of(65000 + n, n)))


def route(n, prefixes, flags=0):
    attrs = (
        attribute(0x40, 1, b"\0")
        + attribute(0x40, 2, b"\x02\x01" + struct.pack("!I", 65000 + n))
        + attribute(0x40, 3, b"\x0a\0\0\1")
    )
    return bmp(
        0,
        peer_head(n, flags=flags)
        + message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + b"".join(nlri(p) for p in prefixes)),
    )


def init(name):
    return bmp(4, struct.pack("!HH", 1, 1) + b"d" + struct.pack("!HH", 2, len(name)) + name)
