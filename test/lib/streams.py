# SPDX-License-Identifier: GPL-3.0-or-later
"""Octets of a stream, for peers of the daemon that a test plays."""


def read_exactly(s, cnt):
    """@cnt octets of the socket @s. EOFError: the stream ends before."""
    data = b""
    while len(data) < cnt:
        more = s.recv(cnt - len(data))
        if not more:
            raise EOFError
        data += more
    return data
