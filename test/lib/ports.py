# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports for daemons that tests and benchmarks start."""
import socket


def first_free(ports):
    """The first of these on which nobody listens, also not on addresses of our own (peers may share the
    machine). None: there is none."""
    for port in ports:
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    return None
