# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one daemon on one configuration, play its members by a plan, write down all that can be seen.

    player.py KIND PROGRAM CONFIG PLAN OUT     (in a network namespace of its own: unshare -n)

The daemon gets a second namespace; a veth pair is the exchange's LAN. The plan has rounds; after
each, when all is quiet, OUT gets what every member has been told, the daemon's tables and states.
"""

import ctypes
import ipaddress
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import waits
import wire

SLOW = float(os.environ.get("TERN_SLOW", "1"))
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
TCP_MD5SIG = 14
SERVER = {4: "192.0.2.2", 6: "2001:db8:1:1::2"}


def fail(text):
    sys.exit("player: " + text)


def run(*argv):
    r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20)
    if r.returncode != 0:
        fail("%s: %s" % (" ".join(argv), r.stdout.decode(errors="replace")))


def die_with_parent():
    LIBC.prctl(1, signal.SIGKILL)


class Lan:
    """The members' side is this process's namespace; the daemon's is that of a sleeping child."""

    def __init__(self, addresses):
        self.keeper = subprocess.Popen(["unshare", "-n", "sleep", "infinity"], preexec_fn=die_with_parent)
        own = os.stat("/proc/self/ns/net").st_ino
        if not waits.happens(lambda: os.stat("/proc/%d/ns/net" % self.keeper.pid).st_ino != own, every_s=0.01):
            fail("no second namespace")
        self.ns = os.open("/proc/%d/ns/net" % self.keeper.pid, os.O_RDONLY)
        run("ip", "link", "add", "ix0", "type", "veth", "peer", "name", "ix1", "netns", str(self.keeper.pid))
        into = ["nsenter", "--net=/proc/%d/ns/net" % self.keeper.pid]
        for dev, where, addrs in (("ix0", [], addresses), ("ix1", into, SERVER.values())):
            run(*where, "ip", "link", "set", "lo", "up")
            run(*where, "ip", "link", "set", dev, "up")
            for a in addrs:
                if ":" in a:
                    run(*where, "ip", "addr", "add", a + "/64", "dev", dev, "nodad")
                else:
                    run(*where, "ip", "addr", "add", a + "/24", "dev", dev)

    def enter(self):
        die_with_parent()
        if LIBC.setns(self.ns, CLONE_NEWNET) != 0:
            os._exit(99)

    def close(self):
        self.keeper.kill()
        self.keeper.wait()


class Control:
    def __init__(self, path):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(30 * SLOW)
        self.s.connect(path)
        self.f = self.s.makefile("rb")
        self.f.readline()

    def run(self, command):
        """The reply's lines, without codes."""
        self.s.sendall(command.encode() + b"\n")
        out = []
        while True:
            line = self.f.readline().decode(errors="replace").rstrip("\n")
            if not line:
                fail("the daemon closed its control socket")
            if line[0] == "+":
                continue
            if line[0] == " ":
                out.append(line[1:])
                continue
            out.append(line[5:])
            if line[4] == " ":
                return out


class Refused(Exception):
    pass


class Member:
    """One session. What has been heard is in told: {prefix: attributes}."""

    def __init__(self, plan):
        self.plan = plan
        self.ip = plan["ip"]
        self.told = {}
        self.s = None
        self.end = None
        self.heard_at = 0
        self.notification = None

    def connect(self, alive, limit_s=20):
        family = 6 if ":" in self.ip else 4
        self.told, self.notification, self.rest, self.out = {}, None, b"", b""
        self.ends = 0  # of RIB
        until = time.monotonic() + limit_s * SLOW
        while True:
            s = socket.socket(socket.AF_INET6 if family == 6 else socket.AF_INET)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if self.plan.get("password"):
                key = self.plan["password"].encode()
                addr = struct.pack("=HH", socket.AF_INET6 if family == 6 else socket.AF_INET, 0)
                packed = ipaddress.ip_address(SERVER[family]).packed
                addr += packed if family == 4 else b"\0\0\0\0" + packed
                s.setsockopt(
                    socket.IPPROTO_TCP,
                    TCP_MD5SIG,
                    addr.ljust(128, b"\0") + struct.pack("=BBHi80s", 0, 0, len(key), 0, key),
                )
            if family == 6:
                s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, 255)
            else:
                s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 255)
            s.settimeout(2 * SLOW)
            s.bind((self.ip, 0))
            try:
                s.connect((SERVER[family], 179))
                s.sendall(
                    wire.open_message(
                        self.plan["asn"],
                        ipaddress.ip_address("10.99.0.%d" % self.plan["number"]).packed,
                        self.plan["families"],
                        self.plan.get("as4", True),
                        self.plan.get("role"),
                        self.plan.get("add_path", False),
                        self.plan.get("extended_next_hop", False),
                    )
                )
                self.s = s
                self.hear(wire.OPEN)
                s.sendall(wire.message(wire.KEEPALIVE))
                self.hear(wire.KEEPALIVE)
                self.notification = None
                break
            except (OSError, EOFError) as e:
                s.close()
                self.s = None
                if time.monotonic() > until or not alive():
                    raise Refused("%s can't get a session: %s, %s" % (self.ip, e, self.notification))
                self.rest = b""
                waits.pause(0.2)
        self.s.setblocking(False)
        self.take_all()  # what came in one piece with the last word of the handshake

    def hear(self, kind):
        """Wait for a message of this kind; only before the session is up."""
        while True:
            for k, body in self.messages():
                if k == kind:
                    return
                self.take(k, body)
            data = self.s.recv(65536)
            if not data:
                raise EOFError("the connection was closed")
            self.rest += data

    def messages(self):
        while len(self.rest) >= 19:
            length, kind = struct.unpack("!HB", self.rest[16:19])
            if len(self.rest) < length:
                return
            body, self.rest = self.rest[19:length], self.rest[length:]
            yield kind, body

    def take(self, kind, body):
        if kind == wire.NOTIFICATION:
            self.notification = "%d/%d" % (body[0], body[1])
        elif kind == wire.UPDATE:
            gone, new, attrs = wire.parse_update(body, self.plan.get("add_path", False))
            self.heard_at = time.monotonic()
            self.ends += not gone and not new and not attrs
            for p in gone:
                self.told.pop(p, None)
            for p in new:
                self.told[p] = attrs

    def readable(self):
        try:
            data = self.s.recv(1 << 20)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            self.told = {}
            return
        self.rest += data
        self.take_all()

    def take_all(self):
        for kind, body in self.messages():
            self.take(kind, body)

    def writable(self):
        try:
            n = self.s.send(self.out[: 1 << 18])
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        self.out = self.out[n:]

    def close(self):
        if self.s is not None:
            self.s.close()
            self.s, self.out = None, b""


class Play:
    def __init__(self, kind, program, conf, plan):
        self.kind = kind
        self.plan = plan
        self.dir = tempfile.mkdtemp(prefix="tern-ixp.")
        self.members = {p["ip"]: Member(p) for p in plan["sessions"]}
        self.marks, self.muted = {}, set()
        self.lan = Lan(plan["addresses"])
        with open(conf) as f:
            text = f.read().replace("/var/log/bird.log", self.dir + "/log").replace("RUN", self.dir)
        self.names = {
            ip: name
            for name, ip in re.findall(r"^protocol bgp (\w+)[^{]*\{[^}]*?neighbor ([0-9a-f.:]+) as", text, re.M)
        }
        # What one writes to syslog and traces costs another dearly.
        text = text.replace("log syslog all;", "")
        # Members send AS_SETs, which BIRD takes up to 2.17.
        text = re.sub(r"^protocol bgp [^{;]*\{", r"\g<0> allow as sets;", text, flags=re.M)
        if kind == "bird":
            text = re.sub(r"^debug protocols .*$", "", text, flags=re.M)
        with open(self.dir + "/conf", "w") as f:
            f.write(text)
        self.err = open(self.dir + "/err", "wb")
        self.proc = subprocess.Popen(
            [program, "-f", "-c", self.dir + "/conf", "-s", self.dir + "/ctl", "-P", self.dir + "/pid"],
            preexec_fn=self.lan.enter,
            stdin=subprocess.DEVNULL,
            stdout=self.err,
            stderr=self.err,
        )

        def answers():
            try:
                self.control = Control(self.dir + "/ctl")
                return True
            except OSError:
                if self.proc.poll() is not None:
                    fail("%s does not start: %s" % (kind, self.said()))
                return False

        if not waits.happens(answers, waits.LIMIT_S * SLOW):
            fail("%s does not start: %s" % (kind, self.said()))

    def said(self):
        text = ""
        for name in ("err", "log"):
            try:
                with open(os.path.join(self.dir, name), errors="replace") as f:
                    text += "".join(line for line in f if "<TRACE>" not in line)[-4000:]
            except OSError:
                pass
        return text

    def pump(self, seconds):
        until = time.monotonic() + seconds
        while True:
            up = [m for m in self.members.values() if m.s is not None]
            r, w, _ = select.select(
                [m.s for m in up], [m.s for m in up if m.out], [], max(0, min(0.05, until - time.monotonic()))
            )
            for m in up:
                if m.s in r:
                    m.readable()
                if m.s is not None and m.s in w:
                    m.writable()
            if self.proc.poll() is not None:
                fail("%s ended with status %d: %s" % (self.kind, self.proc.returncode, self.said()))
            if time.monotonic() >= until:
                return

    def counted(self):
        return [line for line in self.control.run("show protocols all") if "updates:" in line or "withdraws:" in line]

    def missing(self):
        """[(who said it, who hasn't been told)] of the latest marks; ("feed", who waits for the first feed);
        ("gone", who still has the mark of a member without a session)."""
        ups = [m for m in self.members.values() if m.s is not None]
        waiting = [("feed", m.ip) for m in ups if m.ends < len(m.plan["families"])]
        gone = [prefix for ip, (prefix, _) in self.marks.items() if self.members[ip].s is None]
        return (
            waiting
            + [("gone", m.ip) for m in ups if any(prefix in m.told for prefix in gone)]
            + [
                (ip, m.ip)
                for ip, (prefix, med) in self.marks.items()
                for m in ups
                if self.members[ip].s is not None
                and ip not in self.muted
                and m.ip != ip
                and wire.family(prefix) in m.plan["families"]
                and m.told.get(prefix, {}).get(wire.MED) != "80 %08x" % med
            ]
        )

    def quiet(self):
        """Until all is sent, everybody has been told every member's mark, and nobody hears more. A mark
        that a limit keeps out comes to nobody; then the daemon's counters must rest."""
        began = time.monotonic()
        counted, since = None, began
        while True:
            self.pump(0.1)
            now = time.monotonic()
            if now > began + 60 * SLOW:
                fail("%s: no end of updates; missing: %s" % (self.kind, self.missing()))
            if any(m.out for m in self.members.values() if m.s is not None):
                continue
            if now - max(m.heard_at for m in self.members.values()) < 0.4 * SLOW:
                continue
            missing = self.missing()
            if not missing and self.marks:
                return
            latest = self.counted()
            if latest != counted:
                counted, since = latest, now
            told_some = {"feed", "gone"} | {
                ip
                for ip in self.marks
                if sum(1 for a, _ in missing if a == ip)
                < sum(
                    1
                    for m in self.members.values()
                    if m.s is not None and m.ip != ip and wire.family(self.marks[ip][0]) in m.plan["families"]
                )
            }
            some = [a for a, _ in missing if a in told_some]
            if now - since > (5 if some else 1.2) * SLOW:
                self.muted |= {a for a, _ in missing}
                return

    def round(self, r):
        for step in r["steps"]:
            m = self.members[step["ip"]]
            if step["do"] == "up":
                try:
                    m.connect(lambda: self.proc.poll() is None)
                except Refused as e:
                    fail("%s; %s: %s" % (e, self.kind, self.said()))
            elif step["do"] == "cease":
                if m.s is not None:
                    m.s.setblocking(True)
                    m.s.sendall(wire.message(wire.NOTIFICATION, b"\x06\x02"))
                m.close()
                m.told = {}
            elif step["do"] == "reset":
                if m.s is not None:
                    m.s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                m.close()
                m.told = {}
            elif m.s is not None:
                m.out += b"".join(wire.message(wire.UPDATE, bytes.fromhex(u)) for u in step["updates"])
        for ip, prefix, med in r["marks"]:
            self.marks[ip] = (prefix, med)
            self.muted.discard(ip)
        self.quiet()
        return {
            "told": {ip: dict(m.told) for ip, m in self.members.items()},
            "up": {ip: m.s is not None for ip, m in self.members.items()},
            "notification": {ip: m.notification for ip, m in self.members.items()},
            "routes": self.control.run("show route all"),
            "filtered": self.control.run("show route filtered all"),
            "protocols": self.control.run("show protocols all"),
        }

    def play(self):
        seen = {"names": self.names, "rounds": {}}
        for r in self.plan["rounds"]:
            seen["rounds"][r["name"]] = self.round(r)
        self.control.run("down")
        try:
            status = self.proc.wait(30 * SLOW)
        except subprocess.TimeoutExpired:
            fail("%s does not end" % self.kind)
        if status != 0:
            fail("%s ended with status %d: %s" % (self.kind, status, self.said()))
        with open(self.dir + "/log", errors="replace") as f:
            seen["log"] = f.read().splitlines()
        return seen

    def close(self):
        if self.proc.poll() is None:
            self.proc.kill()
            self.proc.wait()
        self.lan.close()
        subprocess.run(["rm", "-rf", self.dir])


def main(kind, program, conf, plan, out):
    die_with_parent()
    with open(plan) as f:
        p = Play(kind, program, conf, json.load(f))
    try:
        seen = p.play()
    finally:
        p.close()
    with open(out, "w") as f:
        json.dump(seen, f)


if __name__ == "__main__":
    main(*sys.argv[1:])
