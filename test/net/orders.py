# SPDX-License-Identifier: GPL-3.0-or-later
"""Three members of a route server, for tests of orders of an operator (overrides, quarantine)."""

import json

from harness import *
from schema import Schema

with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))
SERVER = "127.0.10.1"
HEAD = 'router id 10.0.0.1; log "RUN/bird.log" all;\nprotocol device {}\n'
A, B, C, MORE = "20.1.0.0/24", "20.2.0.0/24", "20.3.0.0/24", "20.1.0.128/25"
FILTER = "import filter { if net.len > 24 then reject; bgp_med = 7; accept; };"


def texts(octets):
    while octets:
        size = (octets[0] + 7) // 8
        yield "%s/%d" % (socket.inet_ntoa((octets[1 : 1 + size] + bytes(4))[:4]), octets[0])
        octets = octets[1 + size :]


class Member(Peer):
    """.has: {net: path}; .comms: {net: communities}."""

    def __init__(self, port, k, caps=b""):
        super().__init__(port, "127.0.11.%d" % k, 65000 + k, hold=0, server=SERVER, caps=caps)
        self.has, self.comms, self.asked, self.ended = {}, {}, 0, None

    def take(self, body):
        gone = 2 + struct.unpack("!H", body[:2])[0]
        end = gone + 2 + struct.unpack("!H", body[gone : gone + 2])[0]
        attrs, path, comms = body[gone + 2 : end], (), ()
        while attrs:
            code, head = attrs[1], 4 if attrs[0] & 0x10 else 3
            length = int.from_bytes(attrs[2:head], "big")
            value, attrs = attrs[head : head + length], attrs[head + length :]
            if code == 2 and value:
                path = struct.unpack("!%dI" % value[1], value[2:])
            elif code == 8:
                comms = struct.unpack("!%dI" % (length // 4), value)
        for net in texts(body[2:gone]):
            self.has.pop(net, None)
        for net in texts(body[end:]):
            self.has[net], self.comms[net] = path, comms

    def listen(self):
        while self.ended is None:
            try:
                got = self.receive(0.05)
            except (socket.timeout, BlockingIOError):
                return
            if got is None:
                self.ended = b""
            elif got[0] == UPDATE:
                self.take(got[1])
            elif got[0] == NOTIFICATION:
                self.ended = got[1]
            elif got[0] == 5:
                self.asked += 1

    def wait(self, nets, what):
        def seen():
            self.listen()
            return set(self.has) == set(nets)

        wait_until(seen, lambda: "%s: %s, not %s" % (what, sorted(self.has), sorted(nets)))


class World:
    """Member 1 announces A, B, MORE; member 2 announces C and, with a longer path, B; member 3 listens."""

    def __init__(self, chan=FILTER, table=False, head="", more="", caps=b"", own=None):
        """own: {member: options of the member alone}"""
        self.chan, self.table, self.head, self.more, self.caps, self.own = chan, table, head, more, caps, own or {}
        self.path = os.path.join(temp_dir(), "state")
        self.port = free_port()
        self.d = Daemon(self.conf())
        self.d.start("--state", self.path)
        self.m = {}
        self.join()

    def conf(self, chan=None, skip=()):
        text = HEAD + self.head
        for k in (1, 2, 3):
            if k in skip:
                continue
            own = ""
            if self.table:
                text += (
                    "ipv4 table t%d;\n"
                    "protocol pipe p%d { table master4; peer table t%d; import all; export all; }\n"
                    % (
                        k,
                        k,
                        k,
                    )
                )
                own = "table t%d; " % k
            text += (
                "protocol bgp m%d { local %s port PORT as 65000; neighbor 127.0.11.%d as %d; rs client; direct; "
                "passive; connect delay time 600; error wait time 1, 1; %s ipv4 { %sexport all; %s }; }\n"
                % (k, SERVER, k, 65000 + k, self.more + self.own.get(k, ""), own, chan or self.chan)
            )
        return text.replace("PORT", str(self.port))

    def join(self, members=(1, 2, 3)):
        for k in members:
            self.m[k] = join_when_taken(
                lambda n=k: Member(self.port, n, self.caps if n == 1 else b""), "member %d is taken" % k
            )
        if 1 in members:
            self.m[1].update([A, B, MORE])
        if 2 in members:
            self.m[2].update([B], [65002, 64999])
            self.m[2].update([C])

    def json(self, command):
        told = [json.loads(t) for c, t in self.d.run("json " + command) if c == 1100]
        for o in told:
            check(not SCHEMA.errors(o), "%s: %s" % (command, SCHEMA.errors(o)))
        return told

    def shown(self):
        return [o for o in self.json("show overrides") if o["type"] == "override"]

    def tells_acceptance(self):
        """`why` names the override for the route that the filter refuses, and for no other route."""
        why = self.d.text("show route why %s" % MORE)
        check("best, accepted by an override of an operator: override 1 until 20" in why and "agreed" in why, why)
        # without kept routes the answer says so: the filter cannot be asked about the received route
        kept = "keep filtered" in self.chan
        check(("(the filter was asked about the route in the table)" in why) != kept, why)
        asked = [o.get("filter_asked_about") for o in self.json("show route why " + MORE) if "accepted_by" in o]
        check(set(asked) == {"received" if kept else "table"}, str(asked))
        equal(self.told(A), {A: ""}, "the filter accepts the route")
        check("override 1 until 20" in self.told(MORE)[MORE] and "agreed" in self.told(MORE)[MORE], self.told(MORE))

    def told(self, net):
        told = [o for o in self.json("show route why " + net) if o["type"] == "why" and o["protocol"] == "m1"]
        return {o["network"]: o.get("accepted_by", "") for o in told}

    def problems(self):
        return [o["text"] for o in self.json("show health") if o["type"] == "problem" and o["kind"] == "override"]

    def read(self):
        with open(self.path) as f:
            return f.read()

    def again(self, kill=False, *options):
        if kill:
            self.d.kill()
        else:
            self.d.stop()
        self.d.start("--state", self.path, *options)
        self.join()

    def end(self):
        self.d.stop()


WAYS = {
    "nothing kept": {},
    "filtered routes kept": {"chan": FILTER + "import keep filtered on;"},
    "an import table": {"chan": FILTER + "import table on;"},
    "a constant filter": {"chan": "import all;"},
    "overlay tables": {"table": True},
    "secondary": {"chan": FILTER + "secondary on;", "head": "ipv4 table master4 sorted;\n"},
    "two threads": {"head": "threads 2;\n"},
    "an export table": {"chan": FILTER + "export table on;"},
}
