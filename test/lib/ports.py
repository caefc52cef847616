# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports for daemons that tests and benchmarks start."""
import errno
import socket


def _listened_at(port):
    """Does somebody, on any address? Connections don't count (peers may share the machine)."""
    for family, addr in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
        try:
            with socket.socket(family) as s:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                s.bind((addr, port))
        except OSError as e:
            if family == socket.AF_INET or e.errno == errno.EADDRINUSE:
                return True
    return False


def first_free(ports):
    """The first of these on which nobody listens. None: there is none."""
    for port in ports:
        if not _listened_at(port):
            return port
    return None
