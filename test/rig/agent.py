#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent runs on each machine of the rig.

    agent.py serve HOME            commands as lines of JSON on stdin, replies and events on stdout
    agent.py network HOME INTERFACE ADDRESS/LENGTH     give the interface its address, if it hasn't
    agent.py stop HOME             end what serves there, with all that it started
    agent.py clean HOME INTERFACE  likewise, and take address and routes away

`network`, `stop` and `clean` print "changed" or "unchanged". All that an agent starts ends with it, and it ends
with the connection that it serves, when nothing came over that for a minute (the rig says every few seconds that it
is there), and when another one begins to serve: whatever happens to the rig, nothing goes on here."""
import base64
import io
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import waits  # noqa: E402
from measure import Control, Counter, Sampler  # noqa: E402

PROTO = "201"  # of the routes that are ours
PORTS = (17900, 19000)
MEMBER_PORT = 1791
COLLECT_MAX = 32 << 20
SILENCE_S = 60  # the rig is heard far more often than that


def ip(*words, text=None):
    return subprocess.run(
        ["ip"] + list(words), input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60
    )


# --- Without a connection ---


def own_addresses(interface):
    """[address with length, ...] that we have given to it: they have a label."""
    got = ip("-o", "-4", "addr", "show", "dev", interface, "label", interface + ":rig")
    return re.findall(r"inet (\S+)", got.stdout)


def flush_routes():
    """Returns: were there any?"""
    found = False
    for table in ("local", "main"):
        if ip("route", "show", "table", table, "proto", PROTO).stdout.strip():
            ip("route", "flush", "table", table, "proto", PROTO)
            found = True
    return found


def forget_addresses(interface):
    """Returns: were there any?"""
    found = own_addresses(interface)
    for address in found:
        ip("addr", "del", address, "dev", interface)
    return bool(found)


def network(interface, address):
    """Returns: was there something to do? An address of an earlier rig would be another machine's now."""
    if own_addresses(interface) == [address]:
        return False
    forget_addresses(interface)
    got = ip("addr", "add", address, "dev", interface, "label", interface + ":rig")
    if got.returncode:
        sys.exit("ip addr add %s dev %s: %s" % (address, interface, got.stderr.strip()))
    ip("link", "set", interface, "up")
    return True


def serving(home):
    """Numbers of the agents that serve @home."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open("/proc/%s/cmdline" % name, "rb") as f:
                words = f.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if (
            "serve" in words
            and home in words
            and any(w.endswith("agent.py") for w in words)
            and "python" in os.path.basename(words[0])
        ):
            found.append(int(name))
    return found


def stop(home):
    """Returns: was there something to end?"""
    found = serving(home)
    for sig, wait_s in ((signal.SIGTERM, 15), (signal.SIGKILL, 5)):
        for pid in serving(home):
            try:
                os.kill(pid, sig)
            except ProcessLookupError:
                pass
        waits.happens(lambda: not serving(home), wait_s)
    return bool(found)


def clean(home, interface):
    changed = stop(home)
    changed = flush_routes() or changed
    return forget_addresses(interface) or changed


# --- Serving ---


class Agent:
    def __init__(self, home):
        self.home = home
        self.bin = os.path.join(home, "bin")
        self.lock = threading.Lock()
        self.run_dir = None
        self.servers = {}  # name: (daemons.Running, Sampler or None)
        self.members = {}  # name: (process, Counter)
        self.loads = {}
        self.shaped = None
        self.expected_of = None  # by which options: the same for all daemons and set-ups of a point

    def send(self, message):
        if "event" in message:  # of which run it is: it may be over
            message["run"] = os.path.basename(self.run_dir or "")
        with self.lock:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()

    # Commands: do_NAME(arguments) returns what the reply has.

    def do_hello(self, a):
        with open("/proc/meminfo") as f:
            mem_kb = int(f.readline().split()[1])
        with open("/proc/cpuinfo") as f:
            cpu = next((l.split(":", 1)[1].strip() for l in f if l.startswith("model name")), "unknown")
        return {
            "kernel": " ".join(os.uname()[:1] + os.uname()[2:3]),
            "cpus": os.cpu_count(),
            "mem_mb": mem_kb >> 10,
            "cpu": cpu,
            "host": os.uname().nodename,
        }

    def do_time(self, a):
        return {"time": time.time()}

    def do_begin(self, a):
        """A run: its folder, and the addresses and routes of its members. @a: run, interface, local: prefixes that
        are here, via: [[prefix, gateway], ...], setting: {path: text}, shape: arguments of tc for the interface."""
        self.run_dir = os.path.join(self.home, "runs", a["run"])
        shutil.rmtree(self.run_dir, ignore_errors=True)
        os.makedirs(self.run_dir)
        os.chmod(self.run_dir, 0o755)
        flush_routes()
        lines = ["route replace local %s dev %s proto %s" % (p, a["interface"], PROTO) for p in a.get("local", [])]
        lines += [
            "route replace %s via %s dev %s proto %s" % (p, gw, a["interface"], PROTO) for p, gw in a.get("via", [])
        ]
        if lines:
            got = ip("-batch", "-", text="\n".join(lines) + "\n")
            if got.returncode:
                raise RuntimeError("routes: " + got.stderr.strip())
        for path, text in a.get("setting", {}).items():
            try:
                with open(path, "w") as f:
                    f.write(text)
            except OSError:
                pass
        if a.get("shape"):
            self.shape(a["interface"], a["shape"])
        return {}

    def shape(self, interface, words):
        got = subprocess.run(
            ["tc", "qdisc", "replace", "dev", interface, "root"] + words.split(), stderr=subprocess.PIPE, text=True
        )
        if got.returncode:
            raise RuntimeError("tc qdisc %s: %s" % (words, got.stderr.strip()))
        self.shaped = interface

    def do_server(self, a):
        """Start a device under test. @a: name, kind, program, threads, address, load: options of ternload that its
        configuration is made with, edit: a command through which that goes, interface, sample_s."""
        import daemons

        d = daemons.Daemon(a["name"], a["kind"], self.program(a), a.get("threads"))
        build = os.path.dirname(d.program)
        folder = os.path.join(self.run_dir, a["name"])
        os.makedirs(folder, exist_ok=True)

        def configure(run, f, name):
            f.flush()
            argv = (
                [os.path.join(self.bin, "ternload")]
                + a["load"]
                + ["--port", str(run.port), "--run-dir", run.dir, "--conf", a["kind"]]
            )
            argv += a.get("reload", []) if name == "conf.new" else []
            text = subprocess.run(argv, stdout=subprocess.PIPE, check=True, timeout=300).stdout
            if a.get("edit"):
                text = subprocess.run(["sh", "-c", a["edit"]], input=text, stdout=subprocess.PIPE, check=True).stdout
            f.buffer.write(text)
            f.flush()

        run = daemons.Running(d, PORTS, build, configure, folder, a["address"])
        run.reload_args = a
        run.__enter__()
        sampler = Sampler(
            run.proc.pid, a.get("sample_s", 0.1), a["interface"], folder + "/samples.csv", a.get("most_mb")
        )
        sampler.start()
        self.servers[a["name"]] = (run, sampler)
        threading.Thread(target=self.watch_server, args=(a["name"], run.proc), daemon=True).start()
        return {"port": run.port, "pid": run.proc.pid, "version": d.version()}

    def program(self, a):
        import daemons

        own = os.path.join(self.bin, a["name"], os.path.basename(a["program"])) if a.get("program") else None
        path = own or daemons.KINDS[a["kind"]].program or os.path.join(self.bin, "ternd")
        if not os.access(path, os.X_OK):
            raise RuntimeError("%s doesn't exist" % path)
        return path

    def watch_server(self, name, proc):
        code = proc.wait()
        if name in self.servers and self.servers[name][0].proc is proc:
            run, sampler = self.servers[name]
            self.send(
                {
                    "event": "server-end",
                    "name": name,
                    "code": code,
                    "said": run.said()[-500:],
                    "over_mb": sampler.most_mb if sampler.over else None,
                }
            )

    def do_reload(self, a):
        """The server's policy changes at the moment @a["at"]. @a: name, load: options of ternload that say how."""
        run, _ = self.servers[a["name"]]
        run.reload_args["reload"] = a.get("load", [])
        run.write("conf.new")
        waits.clock_shows(a["at"])
        began = time.time()
        got = subprocess.run(["sh", "-c", run.reload_command(a.get("clear", "* soft out"))], timeout=300)
        if got.returncode:
            raise RuntimeError("reload of %s: %s" % (a["name"], run.said()[-300:]))
        return {"began": began, "took_s": time.time() - began}

    def do_samples(self, a):
        """Take one more, and tell what there is since @a["since"]."""
        _, sampler = self.servers[a["name"]]
        sampler.take()
        return {"head": Sampler.HEAD, "rows": [r for r in sampler.rows if r[0] >= a.get("since", 0)]}

    def do_member(self, a):
        """Start a daemon as a member of the exchange, and count. @a: name, kind, address, as, server, port,
        server_as, every_s."""
        import daemons

        folder = os.path.join(self.run_dir, a["name"])
        os.makedirs(folder)
        with open(folder + "/conf", "w") as f:
            f.write(
                "router id 10.255.255.254;\nprotocol device {}\nprotocol bgp server {\n"
                "  local %s port %d as %d;\n  neighbor %s port %d as %d;\n  %s;\n"
                "  connect delay time 1; connect retry time 5;\n  error wait time 1, 2; error forget time 5;\n"
                "  ipv4 { import all; export none; };\n}\n"
                % (a["address"], MEMBER_PORT, a["as"], a["server"], a["port"], a["server_as"], a.get("how", "direct"))
            )
        program = daemons.KINDS[a["kind"]].program or os.path.join(self.bin, "ternd")
        with open(folder + "/daemon.out", "w") as out:
            p = subprocess.Popen(
                [program, "-f", "-c", folder + "/conf", "-s", folder + "/ctl", "-P", folder + "/pid"],
                cwd=folder,
                stdout=out,
                stderr=out,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=daemons.die_with_us,
            )

        def connected():
            try:
                return Counter(folder + "/ctl", a.get("every_s", 0.1), folder + "/count.csv")
            except OSError:
                return p.poll() is not None

        counter = waits.happens(connected, every_s=0.02)
        if not isinstance(counter, Counter):
            with open(folder + "/daemon.out") as f:
                raise RuntimeError("the member doesn't start: " + f.read()[-300:])
        counter.start()
        self.members[a["name"]] = (p, counter)
        return {"pid": p.pid}

    def do_counts(self, a):
        return {"points": self.members[a["name"]][1].points}

    def do_expect(self, a):
        """What must be where by expect.py, from the routes that ternload announces with options @a["load"]."""
        import expect

        argv = [os.path.join(self.bin, "ternload")] + a["load"] + ["--routes"]
        if self.expected_of != (argv, a["rules"]):
            self.expected = self.expected_of = None  # room for the next
            self.expected = expect.Exchange.of_command(argv, a["rules"])
            self.hashes = {str(n): h for n, h in self.expected.hashes().items()}
            self.expected_of = argv, a["rules"]
        return {"hashes": self.hashes}

    def do_table(self, a):
        """The member's table, route by route. @a: name, number: of the member in the exchange."""
        import expect

        folder = os.path.join(self.run_dir, a["name"])
        text = Control(folder + "/ctl").ask("show route all")
        found = expect.compare_table(text, self.expected, a["number"], a.get("report", 5))
        with open(folder + "/table.txt", "w") as f:
            f.write("".join(line + "\n" for line in found["differences"]) or "no difference\n")
        return found

    def do_load(self, a):
        """Start a ternload. @a: name, args."""
        import daemons

        err = open(os.path.join(self.run_dir, a["name"] + ".err"), "w")
        argv = [os.path.join(self.bin, "ternload")] + [w.replace("RUN", self.run_dir) for w in a["args"]]
        p = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
            start_new_session=True,
            preexec_fn=daemons.die_with_us,
        )
        self.loads[a["name"]] = p
        threading.Thread(target=self.hear, args=(a["name"], p), daemon=True).start()
        return {"pid": p.pid}

    def hear(self, name, p):
        with open(os.path.join(self.run_dir, name + ".json"), "w") as f:
            for line in p.stdout:
                f.write(line)
                f.flush()
                self.send({"event": "load", "name": name, "line": line})
        code = p.wait()
        with open(os.path.join(self.run_dir, name + ".err"), errors="replace") as f:
            said = f.read()
        self.send({"event": "load-end", "name": name, "code": code, "said": said[-3000:]})

    def do_tell(self, a):
        self.loads[a["name"]].stdin.write(a["line"] + "\n")
        self.loads[a["name"]].stdin.flush()
        return {}

    def do_end(self, a):
        """End what the run has started. Returns: its folder, as a tar in base64."""
        self.end_all()
        out = io.BytesIO()
        left = COLLECT_MAX
        with tarfile.open(fileobj=out, mode="w:gz") as tar:
            for folder, _, names in os.walk(self.run_dir or "/nonexistent"):
                for n in sorted(names):
                    path = os.path.join(folder, n)
                    if not os.path.isfile(path) or os.path.islink(path) or os.path.getsize(path) > left:
                        continue
                    left -= os.path.getsize(path)
                    tar.add(path, os.path.relpath(path, self.run_dir))
        shutil.rmtree(self.run_dir or "/nonexistent", ignore_errors=True)
        return {"tar": base64.b64encode(out.getvalue()).decode()}

    def end_all(self):
        import daemons

        for p in self.loads.values():
            if p.poll() is None:
                p.kill()
        for p, counter in self.members.values():
            counter.finish()
            p.kill()
            p.wait()
        servers, self.servers = list(self.servers.values()), {}
        for run, sampler in servers:
            if sampler:
                sampler.finish()
            if run.proc:
                daemons.stop(run.proc)
        for p in self.loads.values():
            p.wait()
        self.loads, self.members = {}, {}
        if self.shaped:
            subprocess.run(["tc", "qdisc", "del", "dev", self.shaped, "root"], stderr=subprocess.DEVNULL)
            self.shaped = None
        flush_routes()

    def answer(self, message):
        reply = {"id": message["id"]}
        try:
            reply.update(getattr(self, "do_" + message["do"])(message))
        except Exception as e:  # whatever it is, the rig is told, and goes on with its next run
            reply["error"] = "%s" % e if isinstance(e, (RuntimeError, OSError)) else traceback.format_exc(limit=3)
            if type(e).__module__ == "daemons":
                reply["error"] = str(e)
                reply["refused"] = type(e).__name__ == "Refused"
        self.send(reply)

    def listen(self, commands):
        """What the rig says, to @commands; None when it has gone."""
        for line in sys.stdin:
            self.heard = time.monotonic()
            message = json.loads(line)
            if message["do"] != "alive":
                commands.put(message)
        commands.put(None)

    def next_of(self, commands):
        """The next command; None: there will be none."""
        while time.monotonic() - self.heard < SILENCE_S:
            try:
                return commands.get(timeout=1)
            except queue.Empty:
                pass
        return None

    def serve(self):
        commands = queue.Queue()
        self.heard = time.monotonic()
        threading.Thread(target=self.listen, args=(commands,), daemon=True).start()
        for message in iter(lambda: self.next_of(commands), None):
            if message["do"] in ("table", "expect", "reload"):  # long ones: others are answered meanwhile. What
                # starts something that shall end with us is done by this thread: the system asks for its life
                threading.Thread(target=self.answer, args=(message,), daemon=True).start()
            else:
                self.answer(message)


def serve(home):
    import daemons

    daemons.raise_limit()
    stop(home)
    os.makedirs(os.path.join(home, "runs"), exist_ok=True)
    agent = Agent(home)

    def leave(*_):
        sys.exit(0)

    for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(sig, leave)
    try:
        agent.serve()
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    finally:
        for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
            signal.signal(sig, signal.SIG_IGN)
        agent.end_all()
        shutil.rmtree(os.path.join(home, "runs"), ignore_errors=True)
        os._exit(0)  # threads that wait for something have nothing more to do


def main(argv):
    if len(argv) == 2 and argv[0] == "serve":
        serve(argv[1])
        return
    doing = {"network": lambda home, i, addr: network(i, addr), "stop": stop, "clean": clean}
    if len(argv) < 2 or argv[0] not in doing:
        sys.exit(__doc__)
    print("changed" if doing[argv[0]](*argv[1:]) else "unchanged")


if __name__ == "__main__":
    main(sys.argv[1:])
