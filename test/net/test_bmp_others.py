# SPDX-License-Identifier: GPL-3.0-or-later
"""protocol bmp, heard by a collector that others have made: pmacct's pmbmpd. What it logs, put together to RIBs, is
what the tables, the import tables and the export tables have, while members change, come and go, and when it is killed
and started again."""

import json
import random

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
if not shutil.which("pmbmpd"):
    needs("pmacct")
SEED = int(os.environ.get("TERN_SEED", "1"))
PORT, BMP = free_port(), free_port()
MEMBERS = (1, 2, 3)
RIBS = ("pre", "post", "out")
CONF = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
filter tagged { if net ~ [ 10.66.0.0/16+, 2001:db8:6600::/40+ ] then reject; bgp_community.add((65000, 1)); accept; }
filter told { if net ~ [ 10.77.0.0/16+ ] then reject; if bgp_path.len > 3 then bgp_large_community.add((65000, 2, 3)); \
accept; }
template bgp any { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; strict bind on;
  error wait time 1,1; graceful restart off;
  ipv4 { import table; import filter tagged; export filter told; export table; };
  ipv6 { import table; import filter tagged; export filter told; export table; }; }
%s
protocol bmp b { station address ip 127.0.0.1 port %d; connect retry time 1; monitoring rib in pre_policy;
  monitoring rib in post_policy; monitoring rib local; monitoring rib out post_policy; }
""" % (
    PORT,
    "\n".join("protocol bgp m%d from any { neighbor 127.0.11.%d as %d; }" % (n, n, 65000 + n) for n in MEMBERS),
    BMP,
)
COLLECTOR = """bmp_daemon_ip: 127.0.0.1
bmp_daemon_port: %d
bmp_daemon_max_peers: 10
bmp_daemon_msglog_file: %s
bmp_daemon_msglog_output: json
logfile: %s
"""
IPV6 = bytes([1, 4, 0, 2, 0, 1])  # capability: multiprotocol, IPv6 unicast


class Collector:
    """A pmbmpd, and the RIBs that its log amounts to: {(peer, rib): {prefix: (next hop, path, communities)}}."""

    def __init__(self):
        self.dir = temp_dir()
        self.lives = 0
        self.start()

    def start(self):
        self.lives += 1
        self.log = os.path.join(self.dir, "log%d.json" % self.lives)
        conf = os.path.join(self.dir, "pmbmpd.conf")
        with open(conf, "w") as f:
            f.write(COLLECTOR % (BMP, self.log, os.path.join(self.dir, "pmbmpd.log")))
        self.read_to, self.ribs, self.downs, self.init = 0, {}, [], None
        self.process = spawn(["pmbmpd", "-f", conf])

    def kill(self):
        end(self.process, signal.SIGKILL)  # it takes no SIGTERM

    def read(self):
        """Take in what it has logged since the last time; whole lines."""
        try:
            with open(self.log) as f:
                f.seek(self.read_to)
                text = f.read()
        except FileNotFoundError:
            return
        whole = text.rfind("\n") + 1
        self.read_to += len(text[:whole].encode())
        for line in text[:whole].splitlines():
            self.take(json.loads(line))

    def take(self, e):
        kind = e.get("bmp_msg_type")
        if kind == "init":
            self.init = (e["bmp_init_info_sysdescr"], e["bmp_init_info_sysname"])
        elif kind == "peer_down":
            self.downs.append((e["peer_ip"], e["reason_type"]))
            for key in [k for k in self.ribs if k[0] == e["peer_ip"]]:
                del self.ribs[key]
        elif kind == "route_monitor":
            rib = "loc" if e.get("is_loc") else "out" if e.get("is_out") else "post" if e["is_post"] else "pre"
            routes = self.ribs.setdefault((e["peer_ip"], rib), {})
            if e["log_type"] == "withdraw":
                routes.pop(e["ip_prefix"], None)
            elif e["log_type"] == "update":
                routes[e["ip_prefix"]] = (e["bgp_nexthop"], e["as_path"], e.get("comms", ""), e.get("lcomms", ""))

    def rib(self, n, name):
        self.read()
        return self.ribs.get(("127.0.11.%d" % n if n else "0.0.0.0", name), {})


def shown(d, command):
    """{prefix: (next hop, path, communities, large communities)} of a `show route`."""
    out, net = {}, None
    for line in d.text(command + " all").splitlines():
        m = re.match(r"(\S+/\d+)", line)
        if m:
            net, out[m.group(1)] = m.group(1), ["", "", "", ""]
        m = re.match(r"\s+BGP\.(next_hop|as_path|community|large_community): ?(.*)$", line)
        if m and net:
            at = ("next_hop", "as_path", "community", "large_community").index(m.group(1))
            out[net][at] = (
                " ".join(":".join(re.findall(r"\d+", c)) for c in m.group(2).split(") ("))
                if at >= 2
                else m.group(2).split()[0] if at == 0 else m.group(2)
            )
    return {p: tuple(v) for p, v in out.items()}


def due(d, n, name):
    out = {}
    for table in (4, 6):
        command = {
            "pre": "show route import table m%d.ipv%d" % (n, table),
            "out": "show route export table m%d.ipv%d" % (n, table),
            "post": "show route table master%d protocol m%d" % (table, n),
            "loc": "show route table master%d primary" % table,
        }[name]
        out.update(shown(d, command))
    return out


def differs(d, c, members):
    """What first differs between collector and daemon, or nothing."""
    for n, name in [(0, "loc")] + [(n, name) for n in members for name in RIBS]:
        got, want = c.rib(n, name), due(d, n, name)
        if got != want:
            return "m%d %s: %s" % (
                n,
                name,
                [(p, got.get(p), want.get(p)) for p in sorted(set(got) | set(want)) if got.get(p) != want.get(p)][:3],
            )
    return ""


def wait_same(d, c, members, what):
    wait_until(lambda: not differs(d, c, members), lambda: "%s: %s" % (what, differs(d, c, members)), 30, 0.3)


def nlri6(i, n):
    """2001:db8:NNII::/48; those of 66 are refused."""
    return bytes([48, 0x20, 1, 0x0D, 0xB8, 0x66 if i < 5 else n, i])


def change(rnd, m, n):
    """Announce or withdraw some routes of both families; some are refused on import, others on export."""
    nets = sorted({"10.%d.%d.0/24" % (rnd.choice((n, 66, 77)), rnd.randrange(20)) for _ in range(10)})
    nets.append("172.16.%d.0/24" % rnd.randrange(4))  # of all members
    six = b"".join(nlri6(i, n) for i in sorted({rnd.randrange(30) for _ in range(6)}))
    path = [65000 + n] + [rnd.randrange(1, 64000) for _ in range(rnd.randrange(5))]
    if rnd.random() < 0.3:
        m.withdraw(nets)
        value = struct.pack("!HB", 2, 1) + six
        body = attribute(0x80, 15, value)
    else:
        m.update(nets, path=path)
        hop = socket.inet_pton(socket.AF_INET6, "2001:db8::%d" % n)
        body = (
            attribute(0x40, 1, b"\0")
            + attribute(0x40, 2, bytes([2, len(path)]) + struct.pack("!%dI" % len(path), *path))
            + attribute(0x80, 14, struct.pack("!HBB", 2, 1, 16) + hop + b"\0" + six)
        )
    m.send(message(UPDATE, struct.pack("!HH", 0, len(body)) + body))


def heard():
    rnd = random.Random(SEED)
    note("seed %d" % SEED)
    c = Collector()
    d = Daemon(CONF).start()
    live = {n: member(PORT, n, caps=IPV6) for n in MEMBERS}
    for n in MEMBERS:
        for _ in range(5):
            change(rnd, live[n], n)
    for n in MEMBERS:
        live[n].update(["172.17.%d.0/24" % n])
    wait_until(lambda: all("[m%d " % n in d.text("show route 172.17.%d.0/24" % n) for n in MEMBERS), "the feed")
    wait_same(d, c, MEMBERS, "after the feed")
    check(c.init and c.init[0].startswith("tern "), "Initiation: %s" % (c.init,))
    for n in MEMBERS:
        cnt = {name: len(c.rib(n, name)) for name in RIBS}
        check(
            cnt["pre"] > cnt["post"] > 0 and cnt["out"] and any(":" in p for p in c.rib(n, "out")), "m%d: %s" % (n, cnt)
        )
    for _ in range(150):
        n = rnd.choice(MEMBERS)
        change(rnd, live[n], n)
    wait_same(d, c, MEMBERS, "after changes")
    live[1].cease()
    wait_until(lambda: not c.rib(1, "pre") and c.downs, lambda: "Peer Down: %s" % c.downs)
    equal(c.downs[-1], ("127.0.11.1", 3), "reason of the Peer Down")
    wait_same(d, c, (2, 3), "without m1")
    live[1] = member(PORT, 1, caps=IPV6)
    change(rnd, live[1], 1)
    wait_same(d, c, MEMBERS, "m1 is back")
    c.kill()
    for n in MEMBERS:
        change(rnd, live[n], n)
    c.start()
    wait_same(d, c, MEMBERS, "the collector is back")
    equal(d.established(), len(MEMBERS), "sessions")
    d.stop()
    c.kill()


case("pmacct's collector", heard)
done()
