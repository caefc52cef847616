# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache that speaks the RPKI-to-Router protocol, versions 0 (RFC 6810), 1 (RFC 8210) and 2
(draft-ietf-sidrops-8210bis-14), and that can misbehave. It runs in threads of the test."""
import functools
import socket
import struct
import threading
import time

import waits
from streams import read_exactly

NOTIFY, SERIAL, RESET, RESPONSE, IPV4, IPV6, END, CACHE_RESET, KEY, ERROR, ASPA = 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11


def pdu(version, kind, word=0, body=b""):
    return struct.pack("!BBHI", version, kind, word, 8 + len(body)) + body


@functools.lru_cache(maxsize=None)  # a cache tells the same ones again and again
def packed(vrp):
    addr, length = vrp[0].split("/")
    addr = socket.inet_pton(socket.AF_INET6 if ":" in addr else socket.AF_INET, addr)
    return bytes([int(length), vrp[1], 0]) + addr + struct.pack("!I", vrp[2])


def prefix_pdu(version, vrp, announce=True):
    """@vrp: (prefix, max length, AS)"""
    body = packed(vrp)
    return pdu(version, IPV4 if len(body) == 11 else IPV6, 0, bytes([announce]) + body)


def aspa_pdu(version, customer, providers, announce=True):
    body = struct.pack("!I", customer) + b"".join(struct.pack("!I", p) for p in sorted(providers) if announce)
    return pdu(version, ASPA, 256 if announce else 0, body)


def error_pdu(version, code, about=b"", text=b""):
    return pdu(version, ERROR, code, struct.pack("!I", len(about)) + about + struct.pack("!I", len(text)) + text)


class Closed(Exception):
    pass


class Cache:
    """A cache with its data. What may be changed at any time:

    version   the highest that it speaks
    lower     how it says that a version is too high: "error", "error 0" (in version 0, whatever it speaks), "answer"
              (in its own), "close"
    session   its session id; another one is that of a cache that has restarted
    history   how many serials back it can tell differences; 0: always Cache Reset
    times     refresh, retry, expire
    mode      "ok"; "freeze": takes queries, says nothing; "slow": one octet a second; "stop": the answer ends in
              the middle, and the connection stays; "cut": it is closed there; "nodata"; a function that makes the
              answer of (cache, version, query type, query's session id, serial), or None: the connection is closed"""

    def __init__(self, port, address="127.0.0.1"):
        self.vrps, self.aspas = set(), {}
        self.version, self.lower, self.session, self.serial, self.history = 2, "error", 4711, 1, 100
        self.times = (3600, 600, 7200)
        self.mode = "ok"
        self.past = {}
        self.asked, self.reports, self.links = [], [], []
        self.address, self.port = address, port
        self.lock = threading.RLock()
        self.listener = None
        self.open()

    # --- its data ---

    def set(self, vrps=None, aspas=None, notify=True):
        """All of it; what differs becomes a new serial."""
        with self.lock:
            self.past[self.serial] = (set(self.vrps), dict(self.aspas))
            self.vrps = set(vrps) if vrps is not None else self.vrps
            self.aspas = dict(aspas) if aspas is not None else self.aspas
            self.serial = (self.serial + 1) % 2**32
            if notify:
                self.notify()

    def notify(self):
        with self.lock:
            for s, version in list(self.links):
                try:
                    s.sendall(pdu(version, NOTIFY, self.session, struct.pack("!I", self.serial)))
                except OSError:
                    pass

    def records(self, version):
        out = [prefix_pdu(version, v) for v in sorted(self.vrps)]
        if version >= 2:
            out += [aspa_pdu(version, c, p) for c, p in sorted(self.aspas.items())]
        return out

    def differences(self, version, serial):
        vrps, aspas = self.past[serial]
        out = [prefix_pdu(version, v) for v in sorted(self.vrps - vrps)]
        out += [prefix_pdu(version, v, False) for v in sorted(vrps - self.vrps)]
        if version >= 2:
            out += [aspa_pdu(version, c, p) for c, p in sorted(self.aspas.items()) if aspas.get(c) != p]
            out += [aspa_pdu(version, c, [], False) for c in sorted(set(aspas) - set(self.aspas))]
        return out

    def end_of_data(self, version):
        times = struct.pack("!III", *self.times) if version else b""
        return pdu(version, END, self.session, struct.pack("!I", self.serial) + times)

    def answer(self, version, kind, session, serial):
        with self.lock:
            if callable(self.mode):
                return self.mode(self, version, kind, session, serial)
            if self.mode == "nodata":
                return error_pdu(version, 2, text=b"nothing yet")
            if kind == SERIAL and session == self.session and serial == self.serial:
                records = []
            elif (
                kind == SERIAL
                and session == self.session
                and serial in self.past
                and self.serial - serial <= self.history
            ):
                records = self.differences(version, serial)
            elif kind == SERIAL and session == self.session:
                return pdu(version, CACHE_RESET)
            else:
                records = self.records(version)
            return pdu(version, RESPONSE, self.session) + b"".join(records) + self.end_of_data(version)

    # --- its connections ---

    def open(self):
        s = socket.socket(socket.AF_INET6 if ":" in self.address else socket.AF_INET)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind((self.address, self.port))
        s.listen(16)
        self.listener = s
        threading.Thread(target=self._accept, args=(s,), daemon=True).start()

    def kill(self):
        """All connections and the port; open() starts it again."""
        if self.listener:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
            self.listener = None
        self.drop()

    def drop(self):
        with self.lock:
            for s, _ in list(self.links):
                try:
                    s.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def _accept(self, listener):
        while True:
            try:
                s, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(s,), daemon=True).start()

    def _talk(self, s):
        link = None
        try:
            while True:
                version, kind, word, body = self._read(s)
                if kind == ERROR:
                    n = struct.unpack("!I", body[:4])[0]
                    self.reports.append((word, body[8 + n :].decode(errors="replace")))
                    continue
                serial = struct.unpack("!I", body)[0] if kind == SERIAL else None
                self.asked.append((version, kind, word, serial))
                if version > self.version:
                    if self.lower.startswith("error"):
                        s.sendall(
                            error_pdu(
                                0 if self.lower == "error 0" else self.version,
                                4,
                                struct.pack("!BBHI", version, kind, word, 8 + len(body)) + body,
                            )
                        )
                        raise Closed
                    if self.lower == "close":
                        raise Closed
                    version = self.version
                if link is None:
                    link = (s, version)
                    with self.lock:
                        self.links.append(link)
                data = self.answer(version, kind, word, serial)
                if data is None:
                    raise Closed
                self._send(s, data)
        except (OSError, EOFError, Closed, struct.error):
            pass
        finally:
            with self.lock:
                if link in self.links:
                    self.links.remove(link)
            s.close()

    def _send(self, s, data):
        mode = self.mode
        if mode == "freeze":
            return
        if mode == "slow":
            for i in range(len(data)):
                if self.mode != "slow":
                    s.sendall(data[i:])
                    return
                s.sendall(data[i : i + 1])
                waits.spread(0.25)
            return
        if mode in ("stop", "cut"):
            s.sendall(data[: len(data) // 2])
            if mode == "cut":
                raise Closed
            return
        s.sendall(data)

    @staticmethod
    def _read(s):
        version, kind, word, length = struct.unpack("!BBHI", read_exactly(s, 8))
        return version, kind, word, read_exactly(s, length - 8)
