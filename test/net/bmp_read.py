# SPDX-License-Identifier: GPL-3.0-or-later
"""BMP (RFC 7854, 8671, 9069), read independently of the daemon: a station that keeps what it is told.

    Station(port)           listens; .accept() and .feed() or .run() in a thread
    Station.peers           {key: Peer}, of those that are up
    Peer.ribs               {"pre" | "post" | "loc" | "out pre" | "out post": {prefix or (id, prefix): attributes}}
    Station.seen            messages by type

Whatever doesn't fit a message, is left over in it, or is about a peer that isn't up, is an error.
"""
import collections
import functools
import ipaddress
import socket
import struct
import threading
import time

from mrt_read import Bad, Octets

MONITORING, STATS, DOWN, UP, INIT, TERM, MIRROR = range(7)
NAMES = ["monitoring", "stats", "down", "up", "init", "term", "mirror"]


class Peer:
    def __init__(self, key, sent, received, table):
        self.key, self.sent, self.received, self.table = key, sent, received, table
        self.ribs = collections.defaultdict(dict)
        self.ends = collections.Counter()  # (rib, AFI): End-of-RIBs
        # families in which the peer sends path identifiers
        self.ids = {f for f, how in received["add_path"].items() if how & 2} & {
            f for f, how in sent["add_path"].items() if how & 1
        }
        # and in which they are sent to it
        self.ids_out = {f for f, how in sent["add_path"].items() if how & 2} & {
            f for f, how in received["add_path"].items() if how & 1
        }
        self.as4 = received["as4"] is not None and sent["as4"] is not None


def open_message(o):
    """The OPEN at the cursor."""
    if o.take(16) != b"\xff" * 16:
        raise Bad("no marker")
    length, kind = o.num(2), o.num(1)
    if kind != 1:
        raise Bad("type %d where an OPEN is due" % kind)
    b = Octets(o.take(length - 19))
    got = {
        "version": b.num(1),
        "as": b.num(2),
        "hold": b.num(2),
        "id": b.take(4),
        "as4": None,
        "add_path": {},
        "mp": [],
    }
    p = Octets(b.take(b.num(1)))
    b.done()
    while p.left():
        kind = p.num(1)
        caps = Octets(p.take(p.num(1)))
        while kind == 2 and caps.left():
            code = caps.num(1)
            v = Octets(caps.take(caps.num(1)))
            if code == 1:
                got["mp"].append((v.num(2), v.num(2) & 255))
            elif code == 65:
                got["as4"] = v.num(4)
            elif code == 69:
                while v.left():
                    family = (v.num(2), v.num(1))
                    got["add_path"][family] = v.num(1)
            else:
                v.take(v.left())
            v.done()
    return got


@functools.lru_cache(None)
def network(octets, bits):
    return str(ipaddress.ip_network((octets, bits)))


def prefixes(o, is_v6, ids):
    out = []
    while o.left():
        path_id = o.num(4) if ids else None
        bits = o.num(1)
        octets = o.take((bits + 7) // 8)
        size = 16 if is_v6 else 4
        if bits > 8 * size:
            raise Bad("/%d" % bits)
        p = network(octets + bytes(size - len(octets)), bits)
        out.append((path_id, p) if ids else p)
    return out


class Update:
    """withdrawn, reached: {prefix: attributes}; end: AFI of an End-of-RIB."""

    def __init__(self, octets, as4, ids):
        o = Octets(octets)
        if o.take(16) != b"\xff" * 16:
            raise Bad("no marker")
        if o.num(2) != len(octets):
            raise Bad("length of an UPDATE")
        if o.num(1) != 2:
            raise Bad("no UPDATE")
        self.withdrawn, self.reached, self.attrs, self.end = [], [], {}, None
        self.withdrawn += prefixes(Octets(o.take(o.num(2))), False, (1, 1) in ids)
        a = Octets(o.take(o.num(2)))
        plain = prefixes(o, False, (1, 1) in ids)
        empty = not self.withdrawn and not a.left() and not plain
        while a.left():
            flags, code = a.num(1), a.num(1)
            value = a.take(a.num(2 if flags & 0x10 else 1))
            if code in self.attrs or (code in (14, 15) and getattr(self, "mp%d" % code, False)):
                raise Bad("attribute %d twice" % code)
            if code == 14:
                self.mp14 = True
                v = Octets(value)
                afi, safi = v.num(2), v.num(1)
                self.attrs[3] = v.take(v.num(1))
                v.take(1)
                self.reached += prefixes(v, afi == 2, (afi, safi) in ids)
            elif code == 15:
                self.mp15 = True
                v = Octets(value)
                afi, safi = v.num(2), v.num(1)
                gone = prefixes(v, afi == 2, (afi, safi) in ids)
                self.withdrawn += gone
                if not gone and not plain:
                    self.end = afi
            elif code == 2:
                self.attrs[2] = path(value, 4 if as4 else 2)
            else:
                self.attrs[code] = value
        self.reached += plain
        if empty:
            self.end = 1
        if self.reached and not {1, 2, 3} <= set(self.attrs):
            raise Bad("routes without mandatory attributes: %s" % sorted(self.attrs))


def path(value, size):
    o, out = Octets(value), []
    while o.left():
        kind = o.num(1)
        out.append((kind, [o.num(size) for _ in range(o.num(1))]))
    return out


class Station:
    def __init__(self, port=0):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.listener.listen(8)
        self.strict = True  # times are near ours; nothing is said of a peer that isn't up
        self.error = None
        self.lock = threading.Lock()
        self.conn = None
        self.forget()

    def forget(self):
        self.peers, self.buf, self.seen, self.log = {}, b"", collections.Counter(), []
        self.begun = self.ended = False
        self.stats, self.downs, self.mirrored = {}, [], []

    def accept(self, rcvbuf=None, limit_s=30):
        if rcvbuf:
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        self.listener.settimeout(limit_s)
        self.conn = self.listener.accept()[0]
        self.forget()
        return self

    def run(self):
        """Read all that comes, in a thread, until stop()."""
        self.reading = True
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        return self

    def _read(self):
        try:
            self.conn.settimeout(0.1)
            while self.reading:
                try:
                    d = self.conn.recv(1 << 16)
                except socket.timeout:
                    continue
                if not d:
                    break
                with self.lock:
                    self.take(d)
        except OSError:
            pass
        except Exception as e:  # pylint: disable=broad-except
            self.error = "%s: %s" % (type(e).__name__, e)

    def pause(self):
        self.reading = False
        self.thread.join()

    def close(self):
        if getattr(self, "thread", None):
            self.pause()
        if self.conn:
            self.conn.close()
        self.conn = None

    def take(self, octets):
        self.buf += octets
        at = 0
        while len(self.buf) - at >= 6:
            version, length, kind = struct.unpack("!BIB", self.buf[at : at + 6])
            if version != 3 or length < 6:
                raise Bad("version %d, length %d" % (version, length))
            if len(self.buf) - at < length:
                break
            self.message(kind, Octets(self.buf[at + 6 : at + length]))
            at += length
        self.buf = self.buf[at:]

    def message(self, kind, o):
        if kind > MIRROR:
            raise Bad("type %d" % kind)
        if self.ended:
            raise Bad("a message after Termination")
        if not self.begun and kind != INIT:
            raise Bad("%s before Initiation" % NAMES[kind])
        self.seen[NAMES[kind]] += 1
        if kind == INIT:
            self.begun = True
            self.init = self.tlvs(o)
        elif kind == TERM:
            self.ended = True
            self.term = self.tlvs(o)
        else:
            head = Octets(o.take(42))
            self.of_peer(kind, head, o)

    @staticmethod
    def tlvs(o):
        out = []
        while o.left():
            kind = o.num(2)
            out.append((kind, o.take(o.num(2))))
        return out

    def of_peer(self, kind, head, o):
        ptype, flags, dist = head.num(1), head.num(1), head.num(8)
        addr = head.take(16)
        asn, bgp_id = head.num(4), head.take(4)
        seconds, micro = head.num(4), head.num(4)
        if ptype not in (0, 3):
            raise Bad("peer type %d" % ptype)
        if self.strict and seconds and abs(seconds - time.time()) > 3600 or micro >= 1000000:
            raise Bad("time %d.%06d" % (seconds, micro))
        if ptype == 0 and not flags & 0x80 and addr[:12] != bytes(12):
            raise Bad("an IPv4 address of %s" % addr.hex())
        key = (ptype, dist, addr, asn, bgp_id)
        self.log.append((NAMES[kind], key, flags))
        if kind == UP:
            self.up(key, o)
            return
        p = self.peers.get(key)
        if p is None and not self.strict:
            return
        if p is None:
            raise Bad("%s about a peer that isn't up: %s" % (NAMES[kind], (key,)))
        if kind == DOWN:
            del self.peers[key]
            self.downs.append((key, o.num(1), o.take(o.left())))
        elif kind == MONITORING:
            self.routes(p, ptype, flags, o.take(o.left()))
        elif kind == STATS:
            cnt = o.num(4)
            t = self.tlvs(o)
            if cnt != len(t):
                raise Bad("%d statistics, %d said" % (len(t), cnt))
            self.stats[key] = {}
            for what, v in t:
                if what in (9, 10, 16, 17):
                    self.stats[key][what, int.from_bytes(v[:2], "big")] = int.from_bytes(v[3:], "big")
                else:
                    self.stats[key][what] = int.from_bytes(v, "big")
        else:
            self.mirrored.append((key, self.tlvs(o)))

    def up(self, key, o):
        if key in self.peers:
            raise Bad("up twice: %s" % (key,))
        o.take(20)
        sent, received = open_message(o), open_message(o)
        table = dict(self.tlvs(o)).get(3)
        if (table is not None) != (key[0] == 3):
            raise Bad("table's name %s" % table)
        self.peers[key] = Peer(key, sent, received, table.decode() if table else None)

    @staticmethod
    def routes(p, ptype, flags, octets):
        rib = "loc" if ptype == 3 else ("out " if flags & 0x10 else "") + ("post" if flags & 0x40 else "pre")
        u = Update(octets, ptype == 3 or not flags & 0x20, p.ids_out if rib.startswith("out") else p.ids)
        rib_now = p.ribs[rib]
        for k in u.withdrawn:
            rib_now.pop(k, None)
        for k in u.reached:
            rib_now[k] = u.attrs
        if u.end:
            p.ends[rib, u.end] += 1

    # ---- what tests ask ----

    def check(self):
        if self.error:
            raise Bad(self.error)

    def peer(self, address):
        """The peer of an IPv4 address; None: it isn't up."""
        with self.lock:
            for key, p in self.peers.items():
                if key[0] == 0 and key[2] == bytes(12) + socket.inet_aton(address):
                    return p
        return None

    def table(self, name):
        with self.lock:
            for p in self.peers.values():
                if p.table == name:
                    return p
        return None

    def rib(self, address, rib):
        """A copy of {prefix: attributes}; None: the peer isn't up."""
        p = self.table(address) if rib == "loc" else self.peer(address)
        with self.lock:
            return None if p is None else dict(p.ribs[rib])
