# SPDX-License-Identifier: GPL-3.0-or-later
"""One run: a device under test, ternloads that play its members, a real daemon that is one of them, and what was
found.

    1  addresses and routes; the device under test starts, and its samples begin
    2  the ternloads work out what they will do, and wait; the member starts
    3  all connect at one moment, and announce as their sessions come up
    4  when each client holds what it must: an independent program says what that is, and both hashes of what clients
       hold and the member's table are compared with it
    5  steps that change something, each at one moment
    6  everything ends, and its folders are collected

Times are by our clock: those of machines are put right by the offsets that were measured."""
import ipaddress
import json
import os
import queue
import re
import time

import machines
import waits

FIRST_AS = 100000
SERVER_AS = 65000
BURST = 8  # sessions being set up at a time: bird2 listens for so many, and who finds no place waits for a second
START_IN_S = 0.4
RELOAD_IN_S = 0.3  # the new configuration is written before
MEMBER_AHEAD_S = 1.0  # bird2 doesn't connect earlier
MEMBER_STILL_S = 5  # a member that got nothing for so long, when all others are complete, gets nothing more


class Failed(Exception):
    """A run that gives no figures; why. @kind: "failed", "timeout", "memory", or "refused": the daemon doesn't know
    this."""

    def __init__(self, what, kind="failed"):
        super().__init__(what)
        self.kind = kind


class Rig:
    """The machines of a plan, while it runs."""

    def __init__(self, plan, inventory, setup):
        self.plan, self.inventory, self.setup = plan, inventory, setup
        self.events = queue.Queue()
        self.channels = {}
        self.lost = False  # a connection has ended that was to stay

    def channel(self, name):
        ch = self.channels.get(name)
        if ch is None or ch.gone:
            if ch:
                ch.close()
            self.lost = self.lost or bool(ch)
            self.channels.pop(name, None)
            was_lost, self.lost = self.lost, True  # until it has answered
            ch = self.channels[name] = machines.Channel(self.inventory, name, self.events)
            self.lost = was_lost
            print(
                "rig: %s: %s, %d cores, %d MB; clock %+.2f ms ahead (within %.2f)"
                % (name, ch.about["kernel"], ch.about["cpus"], ch.about["mem_mb"], ch.offset_s * 1e3, ch.rtt_s * 500),
                flush=True,
            )
        return self.channels[name]

    def close(self):
        for ch in self.channels.values():
            self.lost = self.lost or bool(ch.gone)
            ch.close()
        self.channels = {}


def addresses(network, inventory):
    """{host: its own address with length}, the first member's address. Those of hosts are the network's last, and
    the same whichever of them a plan has."""
    net = ipaddress.ip_network(network)
    last = int(net.broadcast_address) - 1
    own = {h: "%s/%d" % (ipaddress.ip_address(last - i), net.prefixlen) for i, h in enumerate(sorted(inventory.vars))}
    return own, str(ipaddress.ip_address(int(net.network_address) + 1))


def prefixes_name(plan):
    """Of the file of prefixes, on machines: how it is compressed is seen by its name."""
    return "prefixes.gz" if plan.prefixes.endswith(".gz") else "prefixes"


def nets_of(plan, run):
    return max(int(run.routes / plan.ratio + 0.5), 1)


class Session:
    """A run under way."""

    def __init__(self, rig, run):
        self.rig, self.run, self.plan = rig, run, rig.plan
        m = self.plan.machines
        self.dut, self.loads = m["dut"], m["load"][: run.loads]
        self.member = m["collector"] if self.plan.member["kind"] != "none" else None
        self.hosts = list(dict.fromkeys([self.dut] + self.loads + ([self.member] if self.member else [])))
        self.own, self.first = addresses(self.plan.network, rig.inventory)
        self.server = self.own[self.dut].split("/")[0]
        self.ch = {}
        self.reports, self.ready, self.ended = {}, {}, {}
        self.bad = {}  # ternloads whose clients don't hold what they must: what they say, when they have
        self.result = {}
        self.notes = []

    # --- Options ---

    def load_options(self):
        """What all ternloads of the run have in common."""
        p, run = self.plan, self.run
        out = [
            "--clients",
            str(run.peers),
            "--nets",
            str(nets_of(p, run)),
            "--ratio",
            "%g" % p.ratio,
            "--seed",
            str(p.seed),
            "--server",
            self.server,
            "--server-as",
            str(SERVER_AS),
            "--first-address",
            self.first,
            "--first-as",
            str(FIRST_AS),
            "--quiet",
        ]
        out += ["--silent", "1"] if self.member else []
        out += ["--no-filter"] if p.filter == "none" else []
        out += ["--plain"] if p.plain else []
        out += ["--prefixes", "HOME/" + prefixes_name(p)] if p.prefixes else []
        if run.daemon.kind in ("bird2", "tern"):
            out += ["--direct"]
        elif p.kinds[run.daemon.kind].lenient:
            out += ["--lenient"]
        return out

    def for_host(self, host, words):
        return [w.replace("HOME", self.rig.inventory.dir(host)) for w in words]

    def parts(self):
        """{load machine: (first client, one behind the last)}"""
        clients = self.run.peers - (1 if self.member else 0)
        n = len(self.loads)
        return {h: (clients * i // n, clients * (i + 1) // n) for i, h in enumerate(self.loads)}

    # --- Talking ---

    def check_time(self):
        if time.time() > self.until:
            raise Failed("time is up: %d s" % self.plan.limit_of(self.run), "timeout")

    def event(self, limit_s=0.5):
        """Take one event, if there is one. Raises what must end the run."""
        self.check_time()
        try:
            host, e = self.rig.events.get(timeout=limit_s)
        except queue.Empty:
            return
        if host not in self.ch or e.get("run", self.run.id) != self.run.id:
            return
        if e["event"] == "gone":
            raise machines.Gone("%s: %s" % (host, self.ch[host].gone))
        if e["event"] == "server-end" and e["over_mb"]:
            raise Failed("%s: %s took more than %d MB" % (host, e["name"], e["over_mb"]), "memory")
        if e["event"] == "server-end":
            raise Failed("%s: %s ended with status %d: %s" % (host, e["name"], e["code"], e["said"].strip()))
        if e["event"] == "load-end":
            self.load_ended(host, e)
        elif e["event"] == "load":
            message = json.loads(e["line"])
            if "ready" in message:
                self.ready[host] = message["ready"]
            else:
                self.reports[host] = message
                if not message["ok"]:
                    self.bad[host] = ""

    def load_ended(self, host, e):
        if e["code"] == 0:
            self.ended[host] = True
        elif host in self.bad:
            self.bad[host] = e["said"].strip() or "ended with status %d" % e["code"]
            self.ended[host] = True
        else:
            raise Failed("%s: %s" % (host, e["said"].strip()))

    def gate(self):
        """Wait until all ternloads wait, and return for what; None: they have ended."""
        while len(self.ready) + len(self.ended) < len(self.loads):
            self.event()
        if self.bad:
            self.fail_by()
        names = set(self.ready.values())
        if len(names) > 1:
            raise Failed("ternloads wait for different steps: %s" % self.ready)
        return names.pop() if names else None

    def fail_by(self):
        """Some clients don't hold what they must: what their ternloads say of it."""
        bad = list(self.bad)
        for h in bad:
            self.ch[h].tell("tell", name=h, line="go 0")
        while not all(self.bad[h] for h in bad):
            self.event()
        limit, kinds, said = self.plan.limit_of(self.run), [], []
        for h in bad:
            text = self.bad[h]
            # Whoever still gets something is slow; who has got nothing for long gets nothing more.
            curve = self.reports[h].get("curve", [])
            still = limit - curve[-1][0] if curve else 0
            slow = "time is up" in text and still < max(limit / 4, 3)
            kinds.append("timeout" if slow else "failed")
            lines = text.split("\n")
            said.append("%s: %s" % (h, "\n".join(lines[:6] + lines[6:][-1:])))
            if not slow and curve:
                said.append("%s: no change in the last %.0f s" % (h, still))
        raise Failed("\n".join(said), "timeout" if "timeout" in kinds else "failed")

    def go(self, in_s):
        """All go on at one moment. Returns: when."""
        at = time.time() + in_s
        self.ready = {}
        for h in self.loads:
            self.ch[h].tell("tell", name=h, line="go %.6f" % (at + self.ch[h].offset_s))
        return at

    def ask_all(self, what, limit_s, each):
        """@each: {host: arguments}; all at the same time. Returns: {host: answer}"""
        boxes = {h: self.ch[h].tell(what, **a) for h, a in each.items()}
        return {h: self.ch[h].take(b, what, limit_s) for h, b in boxes.items()}

    # --- Stages ---

    def begin(self):
        parts = self.parts()
        arg = {
            h: {"run": self.run.id, "interface": self.rig.inventory.interface(h), "local": [], "via": [], "setting": {}}
            for h in self.hosts
        }

        def put(host, first, end):
            if first < end:
                for block in machines.blocks(str(ipaddress.ip_address(self.first) + first), end - first):
                    arg[host]["local"].append(block)
                    if host != self.dut:
                        arg[self.dut]["via"].append([block, self.own[host].split("/")[0]])

        for h, (first, end) in parts.items():
            put(h, first, end)
        if self.member:
            put(self.member, self.run.peers - 1, self.run.peers)
        link = self.plan.link
        for h in self.loads:
            if "tcp_rmem" in link:
                arg[h]["setting"]["/proc/sys/net/ipv4/tcp_rmem"] = link["tcp_rmem"]
        for h in self.loads + [self.dut]:
            if "tc" in link:
                arg[h]["shape"] = link["tc"]
        arg[self.dut]["setting"]["/proc/sys/net/core/somaxconn"] = "4096"
        self.ask_all("begin", 60, arg)

    def start_server(self):
        d = self.run.daemon
        load = self.for_host(self.dut, self.load_options() + self.rig.setup[self.run.setup])
        try:
            got = self.ch[self.dut].ask(
                "server",
                limit_s=300,
                name=d.name,
                kind=d.kind,
                program=d.program,
                threads=d.threads,
                edit=d.edit,
                address=self.server,
                load=load,
                interface=self.rig.inventory.interface(self.dut),
                sample_s=self.plan.sample,
                most_mb=self.plan.memory,
            )
        except machines.Trouble as e:
            raise Failed(str(e), "refused" if e.refused else "failed")
        self.port = got["port"]
        self.result["version"] = got["version"]

    def start_loads(self):
        p, parts = self.plan, self.parts()
        each = {}
        for h in self.loads:
            args = self.load_options() + self.rig.setup[self.run.setup]
            args += [
                "--port",
                str(self.port),
                "--at-once",
                "--stepwise",
                "--curve",
                "100",
                "--hashes",
                "RUN/hashes",
                "--time-limit",
                "%d" % p.limit_of(self.run),
                "--do",
                p.steps,
                "--reload",
                "true",
            ]
            args += (
                ["--play", "%d:%d" % parts[h]]
                if len(self.loads) > 1
                else (["--play", "0:%d" % parts[h][1]] if self.member else [])
            )
            args += ["--connect-burst", str(max(p.link.get("burst", BURST) // len(self.loads), 1))]
            for key in ("rcvbuf", "sndbuf"):
                args += ["--" + key, str(p.link[key])] if key in p.link else []
            each[h] = {"name": h, "args": self.for_host(h, args)}
        self.ask_all("load", 60, each)
        self.until = time.time() + 600  # to work out what they must get
        if self.gate() != "connect":
            raise Failed("ternload ended before the connection")

    def start_member(self):
        n = self.run.peers - 1
        how = "direct" if self.run.daemon.kind in ("bird2", "tern") else "multihop"
        self.ch[self.member].ask(
            "member",
            limit_s=60,
            name="member",
            kind=self.plan.member["kind"],
            address=str(ipaddress.ip_address(self.first) + n),
            server=self.server,
            port=self.port,
            server_as=SERVER_AS,
            every_s=self.plan.member["every"],
            how=how,
            **{"as": FIRST_AS + n}
        )

    def expect(self):
        """What the independent program says. Returns: {member: [nets, hash]}"""
        where = self.member or self.loads[0]
        return self.ch[where].ask(
            "expect",
            limit_s=600,
            load=self.for_host(where, self.load_options()),
            rules={"server_as": SERVER_AS, "filter": self.plan.filter == "dummy"},
        )["hashes"]

    def check_member(self, want):
        """The curve of `show route count`, and the table route by route."""
        n = str(self.run.peers - 1)
        nets = want[n][0]
        ch = self.ch[self.member]
        until = time.time() + self.plan.limit_of(self.run)
        points = []

        def has_all():
            """Or there is no hope; then the table tells what is missing."""
            nonlocal points
            points = ch.ask("counts", name="member")["points"]
            self.curve = [(at - ch.offset_s - self.t0, cnt) for at, cnt in points]
            if points and points[-1][1] == nets:
                self.result["count_s"] = self.curve[-1][0]
                return True
            return time.time() > min(until, points[-1][0] - ch.offset_s + MEMBER_STILL_S if points else until)

        waits.until(has_all, "the member's count", until - time.time() + 60, 0.1)
        if not self.plan.member["table"] or self.plan.kinds[self.run.daemon.kind].lenient:
            if "count_s" not in self.result:
                raise Failed(
                    "%s: the member %s has %d of %d nets"
                    % (self.member, self.plan.member["kind"], points[-1][1] if points else 0, nets)
                )
            return
        got = ch.ask("table", limit_s=600, name="member", number=self.run.peers - 1)
        self.result["table_routes"], self.result["table_wrong"] = got["routes"], got["wrong"]
        if got["wrong"]:
            raise Failed(
                "member %s (client %s): %d routes differ from the expected routes:\n%s"
                % (self.plan.member["kind"], n, got["wrong"], "\n".join(got["differences"]))
            )

    def step_changes(self, step):
        """A step that changes something, at one moment for all. Its CPU is until all have it."""
        name = step.split("=")[0]
        if name == "mark":
            m = re.search(r"mark=(\d+)", step)
            at = self.go(RELOAD_IN_S)
            self.at_step.append((step, at))
            self.ch[self.dut].ask(
                "reload",
                limit_s=300,
                name=self.run.daemon.name,
                at=at + self.ch[self.dut].offset_s,
                load=["--mark", m.group(1) if m else "1", "--conf-change"],
            )
        else:
            self.at_step.append((step, self.go(0.05)))

    def play(self):
        if self.member:
            self.start_member()
        self.t0 = self.go(MEMBER_AHEAD_S if self.member else START_IN_S)
        self.until = self.t0 + self.plan.limit_of(self.run) + 60  # ternload says itself when time is up
        changing = [s for s in self.plan.steps.split(",") if s.split("=")[0] not in ("announce", "settle")]
        self.at_step = []
        first = True
        while True:
            at = self.gate()
            if first:
                first = False
                self.check()
                self.until = time.time() + self.plan.limit_of(self.run) + 60
            if at == "end" or at is None:
                break
            self.step_changes(changing.pop(0))
        self.samples()
        self.go(0)
        self.until = time.time() + 60
        while len(self.ended) < len(self.loads):
            self.event()

    def check(self):
        self.want = self.expect()
        if self.member:
            self.check_member(self.want)

    def samples(self):
        got = self.ch[self.dut].ask("samples", name=self.run.daemon.name)
        off = self.ch[self.dut].offset_s
        self.sampled = [dict(zip(got["head"], [r[0] - off - self.t0] + r[1:])) for r in got["rows"]]

    def collect(self, folder):
        """End everything, and bring what there is; of machines that are there."""
        boxes = {}
        for h, ch in self.ch.items():
            try:
                boxes[h] = ch.tell("end")
            except machines.Gone as e:
                self.notes.append(str(e))
        for h, b in boxes.items():
            try:
                machines.unpack(self.ch[h].take(b, "end", 120)["tar"], os.path.join(folder, h))
            except (machines.Gone, machines.Trouble) as e:
                self.notes.append(str(e))

    def check_hashes(self, folder):
        """Each client of ternload held exactly what the independent program says."""
        wrong, seen = [], 0
        for h in self.loads:
            with open(os.path.join(folder, h, "hashes")) as f:
                for line in f:
                    n, cnt, digest = line.split()
                    seen += 1
                    if [int(cnt), digest] != list(self.want[n]):
                        wrong.append(
                            "client %s (%s): %s nets, hash %s; must be %d, %s"
                            % (n, h, cnt, digest, self.want[n][0], self.want[n][1])
                        )
        self.result["hashes"] = seen
        clients = self.run.peers - (1 if self.member else 0)
        if seen != clients:
            raise Failed("hashes of %d clients came, not of %d" % (seen, clients))
        if wrong:
            raise Failed(
                "%d clients don't hold the routes that the independent program computes:\n%s"
                % (len(wrong), "\n".join(wrong[:5]))
            )

    # --- Figures ---

    def cpu_until(self, at):
        """CPU of the device under test up to then, between samples in proportion."""
        before = {"at": self.sampled[0]["at"], "cpu_s": self.sampled[0]["cpu_s"]}
        for s in self.sampled:
            if s["at"] >= at:
                span = s["at"] - before["at"]
                part = (at - before["at"]) / span if span > 0 else 1
                return before["cpu_s"] + (s["cpu_s"] - before["cpu_s"]) * max(min(part, 1), 0)
            before = s
        return before["cpu_s"]

    def figures(self):
        r, out = self.reports, self.result
        start = {h: r[h]["started_at"] - self.ch[h].offset_s for h in self.loads}
        begin = min(start.values())
        out["elapsed_s"] = max(start[h] + r[h]["complete_since_connect_s"] for h in self.loads) - begin
        out["up_s"] = max(start[h] + r[h]["all_up_s"] for h in self.loads) - begin
        out["start_spread_s"] = max(start.values()) - begin
        shift = begin - self.t0
        out["cpu_s"] = self.cpu_until(out["elapsed_s"] + shift)
        out["peak_mb"] = max(s["peak_kb"] for s in self.sampled) / 1024
        out["settled_mb"] = self.sampled[-1]["rss_kb"] / 1024
        out["routes"] = r[self.loads[0]]["routes"]
        out["nets"] = r[self.loads[0]]["nets"]
        for key in ("in_octets", "in_messages", "in_prefixes", "in_withdrawn", "lacked", "load_cpu_s"):
            out[key] = sum(r[h][key] for h in self.loads)
        out["wire_mb"] = (self.sampled[-1]["tx_octets"] - self.sampled[0]["tx_octets"]) / 1e6
        self.event_figures(out)
        out["clocks"] = {h: [c.offset_s, c.rtt_s] for h, c in self.ch.items()}

    def event_figures(self, out):
        changing = [
            i
            for i, s in enumerate(self.reports[self.loads[0]]["steps"])
            if s["step"] not in ("announce", "settle", "hold")
        ]
        for (text, at), i in zip([a for a in self.at_step if not a[0].startswith("hold")], changing):
            steps = [self.reports[h]["steps"][i] for h in self.loads]
            name = steps[0]["step"]
            took = max(s["took_s"] for s in steps)
            if "flap_median_ms" in steps[0]:
                out["flap_median_ms"], out["flap_p99_ms"] = steps[0]["flap_median_ms"], steps[0]["flap_p99_ms"]
            else:
                out[name + "_s"] = max(s["last_s"] for s in steps)
            out[name + "_cpu_s"] = self.cpu_until(at - self.t0 + took) - self.cpu_until(at - self.t0)
            out[name + "_lacked"] = sum(s["lacked"] for s in steps)

    def curves(self):
        """For the charts of one run: what clients have, and the member, and the device's CPU and memory."""
        out = {
            "clients": [],
            "member": getattr(self, "curve", []),
            "device": [[s["at"], s["cpu_s"], s["rss_kb"]] for s in getattr(self, "sampled", [])],
        }
        for h in self.loads:
            shift = self.reports[h]["started_at"] - self.ch[h].offset_s - self.t0
            out["clients"].append([[at + shift, wrong, done] for at, wrong, done in self.reports[h].get("curve", [])])
        return out


def play(rig, run, folder):
    """One run. Returns: what results.jsonl has of it; never raises but when the rig is told to end."""
    began = time.time()
    s = Session(rig, run)
    status, why = "ok", ""
    os.makedirs(folder, exist_ok=True)
    try:
        try:
            for h in s.hosts:
                s.ch[h] = rig.channel(h)
            while not rig.events.empty():  # of an earlier run
                rig.events.get()
            s.until = time.time() + 600
            s.begin()
            s.start_server()
            s.start_loads()
            s.result["setup_s"] = time.time() - began
            s.play()
            s.figures()
        finally:
            s.collect(folder)
        s.check_hashes(folder) if not rig.plan.kinds[run.daemon.kind].lenient else None
    except Failed as e:
        status, why = e.kind, str(e)
    except machines.Gone as e:
        status, why = "failed", "machine gone: %s" % e
    except (machines.Trouble, KeyError, OSError) as e:
        status, why = "failed", "%s: %s" % (type(e).__name__, e)
    with open(os.path.join(folder, "machines.json"), "w") as f:
        json.dump({h: dict(c.about, offset_s=c.offset_s, rtt_s=c.rtt_s) for h, c in s.ch.items()}, f, indent=1)
    if status == "ok":
        with open(os.path.join(folder, "curves.json"), "w") as f:
            json.dump(s.curves(), f)
    return dict(
        {
            "id": run.id,
            "status": status,
            "why": why,
            "setup": run.setup,
            "peers": run.peers,
            "asked": run.routes,
            "daemon": run.daemon.name,
            "kind": run.daemon.kind,
            "loads": run.loads,
            "rep": run.rep,
            "when": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(began)),
            "took_s": round(time.time() - began, 2),
            "notes": s.notes,
        },
        **s.result
    )
