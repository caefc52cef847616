# SPDX-License-Identifier: GPL-3.0-or-later
"""UPDATEs taken apart: what a member was told."""

import socket
import struct


def parts(body):
    """Octets of an UPDATE behind its header: what is withdrawn, the attributes, what is announced."""
    gone = 2 + struct.unpack("!H", body[:2])[0]
    end = gone + 2 + struct.unpack("!H", body[gone:gone + 2])[0]
    return body[2:gone], body[gone + 2:end], body[end:]


def nets(octets):
    """IPv4 prefixes without identifiers, as text."""
    while octets:
        end = 1 + (octets[0] + 7) // 8
        yield "%s/%d" % (socket.inet_ntoa(octets[1:end].ljust(4, b"\0")), octets[0])
        octets = octets[end:]


def attributes(octets):
    """Code and value of each."""
    while octets:
        head = 4 if octets[0] & 0x10 else 3
        end = head + int.from_bytes(octets[2:head], "big")
        yield octets[1], octets[head:end]
        octets = octets[end:]
