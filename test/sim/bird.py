# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare what members hold at the end of drawn days with bird: the file of the day, and members that send what the
members of the day have sent. The oracle has judged the day before, so that bird judges the oracle.

    bird.py [--seed N] [--seeds N]

bird has real time, and addresses in a network namespace of the program. BIRD names the program (bird); a day with more
than 20 members is left out.

Environment: TERN_SRCDIR, TERN_BUILDDIR, BIRD."""

import argparse
import os
import re
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

SRC = os.path.abspath(os.environ.get("TERN_SRCDIR", "."))
BUILD = os.path.abspath(os.environ.get("TERN_BUILDDIR", "."))
sys.path.insert(0, os.path.join(SRC, "test", "lib"))
import namespace  # noqa: E402

BIRD = os.environ.get("BIRD", "bird")
SERVER = "10.0.0.1"
QUIET_S, LIMIT_S = 1.5, 60
OPEN, UPDATE, NOTIFICATION, KEEPALIVE = 1, 2, 3, 4
ORIGIN, AS_PATH, NEXT_HOP, MED, LOCAL_PREF, COMMUNITY = 1, 2, 3, 4, 5, 8


def message(kind, body=b""):
    return b"\xff" * 16 + struct.pack("!HB", 19 + len(body), kind) + body


def attribute(code, value, flags=0x40):
    return struct.pack("!BBB", flags, code, len(value)) + value


def prefix_octets(prefix):
    address, bits = prefix.split("/")
    return bytes([int(bits)]) + socket.inet_aton(address)[: (int(bits) + 7) // 8]


def route_update(address, prefix, text):
    """An UPDATE of a route as a story writes the route: path, community, med."""
    words = re.match(r"path([ 0-9]*)(?: community \((\d+),(\d+)\))?(?: med (\d+))?$", text)
    if not words:
        sys.exit("bird.py: '%s' has an attribute that the program does not know" % text)
    path = [int(n) for n in words.group(1).split()]
    attrs = attribute(ORIGIN, b"\0")
    attrs += attribute(AS_PATH, bytes([2, len(path)]) + b"".join(struct.pack("!I", n) for n in path) if path else b"")
    attrs += attribute(NEXT_HOP, socket.inet_aton(address))
    if words.group(4):
        attrs += attribute(MED, struct.pack("!I", int(words.group(4))), 0x80)
    if words.group(2):
        attrs += attribute(COMMUNITY, struct.pack("!HH", int(words.group(2)), int(words.group(3))), 0xC0)
    return message(UPDATE, struct.pack("!HH", 0, len(attrs)) + attrs + prefix_octets(prefix))


def attributes_text(p):
    """Attributes as codec_text.c writes them."""
    found = {}
    while p:
        wide = p[0] & 0x10
        size = struct.unpack("!H", p[2:4])[0] if wide else p[2]
        at = 4 if wide else 3
        found[p[1]] = p[at : at + size]
        p = p[at + size :]
    out = []
    for code in sorted(found):
        v = found[code]
        if code == ORIGIN and v != b"\0":
            out.append("origin %s" % ("egp", "incomplete")[v[0] - 1])
        elif code == AS_PATH:
            out.append("path")
            while v:
                out += [str(n) for n in struct.unpack("!%dI" % v[1], v[2 : 2 + 4 * v[1]])]
                v = v[2 + 4 * v[1] :]
        elif code == NEXT_HOP:
            out.append("next hop %s" % socket.inet_ntoa(v))
        elif code in (MED, LOCAL_PREF):
            out.append("%s %d" % ("med" if code == MED else "pref", struct.unpack("!I", v)[0]))
        elif code == COMMUNITY:
            pairs = struct.iter_unpack("!HH", v)
            out.append("community " + " ".join("(%d,%d)" % pair for pair in pairs))
        elif code != ORIGIN:
            out.append("attribute %d %s" % (code, v.hex()))
    return " ".join(out)


def prefixes(p):
    while p:
        size = (p[0] + 7) // 8
        yield "%s/%d" % (socket.inet_ntoa(p[1 : 1 + size].ljust(4, b"\0")), p[0])
        p = p[1 + size :]


class Member:
    """A speaker with the routes of one member of the day."""

    def __init__(self, name, number, address):
        self.name, self.number, self.address = name, number, address
        self.told, self.expected, self.holds = {}, {}, {}
        self.s, self.buf, self.is_up = None, b"", False

    def dial(self):
        self.s = socket.socket()
        self.s.bind((self.address, 0))
        try:
            self.s.connect((SERVER, 179))
        except OSError:
            self.s.close()
            self.s = None
            return
        caps = b"\1\4\0\1\0\1" + b"\2\0" + b"\x41\4" + struct.pack("!I", self.number)
        body = struct.pack("!BHH4sB", 4, min(self.number, 23456), 90, socket.inet_aton(self.address), 2 + len(caps))
        self.s.sendall(message(OPEN, body + bytes([2, len(caps)]) + caps))

    def read(self):
        """Take what came. Returns: has a table changed?"""
        try:
            d = self.s.recv(65536)
        except OSError:
            d = b""
        if not d:
            self.s.close()
            self.s, self.buf, self.is_up, self.holds = None, b"", False, {}
            return True
        self.buf += d
        changed = False
        while len(self.buf) >= 19 and len(self.buf) >= struct.unpack("!H", self.buf[16:18])[0]:
            size = struct.unpack("!H", self.buf[16:18])[0]
            kind, body, self.buf = self.buf[18], self.buf[19:size], self.buf[size:]
            if kind == OPEN:
                self.s.sendall(message(KEEPALIVE))
            elif kind == KEEPALIVE and not self.is_up:
                self.is_up = changed = True
                self.s.sendall(b"".join(route_update(self.address, *route) for route in self.told.items()))
            elif kind == UPDATE:
                changed = True
                self.update(body)
        return changed

    def update(self, p):
        gone = struct.unpack("!H", p[:2])[0]
        size = struct.unpack("!H", p[2 + gone : 4 + gone])[0]
        for prefix in prefixes(p[2 : 2 + gone]):
            self.holds.pop(prefix, None)
        attrs = p[4 + gone : 4 + gone + size]
        for prefix in prefixes(p[4 + gone + size :]):
            self.holds[prefix] = attributes_text(attrs)


def read_day(text):
    """(bird's file, members) of the script of a day."""
    members = {}
    for name, number, address in re.findall(r"^member (\S+) as (\d+) at (\S+)", text, re.M):
        members[name] = Member(name, int(number), address)
    for name, verb, prefix, attrs in re.findall(r"^# (\S+) (told|holds) (\S+) (.*)", text, re.M):
        (members[name].told if verb == "told" else members[name].expected)[prefix] = attrs
    conf = re.findall(r"^at \S+ config\n(.*?)^\.$", text, re.M | re.S)[-1]
    conf = re.sub(r"^(log|threads) .*\n", "", conf, flags=re.M)
    return "log stderr all;\n" + conf, list(members.values())


def converge(members):
    """Dial and read until all members are up and nothing has changed for QUIET_S."""
    until = time.monotonic() + LIMIT_S
    quiet = time.monotonic()
    while time.monotonic() < until:
        sel = selectors.DefaultSelector()
        for m in members:
            if not m.s:
                m.dial()
                quiet = time.monotonic()
            if m.s:
                sel.register(m.s, selectors.EVENT_READ, m)
        for key, _ in sel.select(0.3):
            if key.data.read():
                quiet = time.monotonic()
        sel.close()
        if all(m.is_up for m in members) and time.monotonic() - quiet > QUIET_S:
            return True
    return False


def compare(seed, folder):
    """Returns: (number of compared routes, number of differences); None: the day is left out."""
    script = os.path.join(folder, "day.story")
    sim = os.path.join(BUILD, "test", "sim", "sim")
    subprocess.run([sim, "--day", "--seed", str(seed), "--script", script], check=True, stdout=subprocess.DEVNULL)
    with open(script) as f:
        conf, members = read_day(f.read())
    if len(members) > 20:
        return None
    with open(os.path.join(folder, "bird.conf"), "w") as f:
        f.write(conf)
    argv = [BIRD, "-f", "-c", os.path.join(folder, "bird.conf"), "-s", os.path.join(folder, "bird.ctl")]
    with open(os.path.join(folder, "log"), "w") as log:
        bird = subprocess.Popen(argv, stderr=log, stdout=log, cwd=folder)
    wrong = 0
    try:
        if not converge(members):
            with open(os.path.join(folder, "log")) as f:
                sys.exit("bird.py: seed %d: not all members are up:\n%s" % (seed, f.read()[-3000:]))
        for m in members:
            for prefix in sorted(set(m.holds) | set(m.expected)):
                if m.holds.get(prefix) != m.expected.get(prefix):
                    wrong += 1
                    print("seed %d, %s, %s" % (seed, m.name, prefix))
                    print("  tern: %s\n  bird: %s" % (m.expected.get(prefix), m.holds.get(prefix)))
    finally:
        for m in members:
            if m.s:
                m.s.close()
        bird.terminate()
        if bird.wait(20) not in (0, -signal.SIGTERM):
            print("seed %d: bird ends with %d" % (seed, bird.returncode))
    return sum(len(m.expected) for m in members), wrong


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--seeds", type=int, default=20)
    a = p.parse_args()
    if not namespace.enter():
        sys.exit("bird.py: no network namespace of its own")
    for line in (
        "link add lan type veth peer name lan-far",
        "addr add 10.0.0.1/16 dev lan",
        "link set lo up",
        "link set lan up",
        "link set lan-far up",
        "route add local 10.0.0.0/16 dev lo",
    ):
        subprocess.run(["ip"] + line.split(), check=True, timeout=20)
    routes = wrong = days = 0
    for seed in range(a.seed, a.seed + a.seeds):
        with tempfile.TemporaryDirectory() as folder:
            result = compare(seed, folder)
        if result:
            days += 1
            routes += result[0]
            wrong += result[1]
    print("%d days, %d left out, %d routes of members compared, %d differ" % (days, a.seeds - days, routes, wrong))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
