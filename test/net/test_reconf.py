# SPDX-License-Identifier: GPL-3.0-or-later
"""An operator's day: an exchange (exchange.py) is reconfigured at random, while its members (fleet.py) come, go and
flap and two clients of the control socket ask and act. The daemon must live through it, and at rest it must be what a
daemon is that was just started with the same file: protocols, routes, what each member was told, threads, descriptors,
listening sockets, log files, control sockets and their rights.

TERN_SEED replays what is done (not when). TERN_RECONF: how many reconfigurations in each case; TERN_SOAK=1: 20 minutes
each.
"""

from harness import *

import threading

import exchange
import fleet
from at_rest import difference, protocols, routes

real_if_long()

SOAK_S = 1200
COUNT = int(os.environ.get("TERN_RECONF", "40"))
STRETCH = 20  # steps between two looks
REST_S = 75  # in which it must have come to rest: changed ROAs may wait for a minute (doc/differences.md)
MEMBER = "127.0.11.%d"


def free_ports():
    """Two neighbouring ports, twice."""
    while True:
        ports = [free_port() for _ in range(2)]
        if all(first_free([p + 1]) for p in ports) and abs(ports[0] - ports[1]) > 1:
            return ports


class Rs(Daemon):
    """A daemon that runs an exchange's file."""

    def __init__(self, port):
        super().__init__()
        self.port = port

    def put(self, text, path=None):
        text = text.replace("RUN", self.dir).replace("PORT0", str(self.port)).replace("PORT1", str(self.port + 1))
        with open((path or self.conf) + ".new", "w") as f:
            f.write(text)
        os.rename((path or self.conf) + ".new", path or self.conf)

    def end_on_failure(self):
        return "the daemon ended (%s): %s" % (self.proc.poll(), self.said())

    def said(self):
        text = super().said()
        for name in ("log0", "log1", "log2"):
            path = os.path.join(self.dir, name)
            if os.path.exists(path):
                with open(path, errors="replace") as f:
                    text += "\n%s: %s" % (name, f.read()[-700:])
        return text


# --- what it is like at rest ---


def descriptors(d):
    found = {}
    if VIRTUAL:
        for what, _ in d.proc.files():
            what = what.replace(d.dir, "RUN")
            found[what] = found.get(what, 0) + 1
        return found
    base = "/proc/%d/fd" % d.pid
    for n in os.listdir(base):
        try:
            to = os.readlink(os.path.join(base, n))
        except OSError:
            continue
        to = re.sub(r"socket:\[\d+\]", "socket", to.replace(d.dir, "RUN"))
        found[to] = found.get(to, 0) + 1
    return found


def threads(d):
    return sorted(line.split("  ")[0] for _, line in d.run("show threads") if line and not line.startswith("Thread "))


def workers(d):
    return sum(
        int(re.match(r".*?\s{2,}(\d+) ", line).group(1))
        for _, line in d.run("show threads")
        if line and not line.startswith("Thread ")
    )


def listening(d):
    if VIRTUAL:
        return sorted((at[0], at[1] - d.port) for _, at in d.proc.files() if at and ":" not in at[0])
    inodes = set()
    base = "/proc/%d/fd" % d.pid
    for n in os.listdir(base):
        try:
            m = re.match(r"socket:\[(\d+)\]", os.readlink(os.path.join(base, n)))
        except OSError:
            continue
        if m:
            inodes.add(m.group(1))
    found = []
    with open("/proc/net/tcp") as f:
        for line in list(f)[1:]:
            w = line.split()
            if w[3] == "0A" and w[9] in inodes:
                addr, port = w[1].split(":")
                found.append((addr, int(port, 16) - d.port))
    return sorted(found)


def rights(d, model):
    """What the control sockets let one do."""
    found = {}
    for name in ("c1", "c2"):
        path = os.path.join(d.dir, name + ".ctl")
        if not os.path.exists(path):
            found[name] = "none"
            continue
        try:
            c = Cli(path)
            found[name] = (c.run("restart nobody")[-1][0], name in model.sockets)
            c.close()
        except (OSError, Failed) as e:
            found[name] = repr(e)
    return found


def snapshot(d, f, name, model):
    per_loop = model.fixed_threads
    return {
        "protocols": protocols(d),
        "routes": routes(d, ""),
        "filtered routes": routes(d, "filtered"),
        "symbols": sorted(d.text("show symbols").split("\n")),
        "told": f.tables(name),
        "threads": workers(d) if per_loop else threads(d),
        "descriptors": descriptors(d),
        "listening": listening(d),
        "rights": rights(d, model),
    }


# --- two clients that ask and act meanwhile ---

ASK = (
    "show protocols all",
    "show route all table all",
    "show route count",
    "show status",
    "show threads",
    "show memory",
    "show symbols",
    "show route filtered",
    "show route where net.len > 20",
    "show protocols",
    "show static",
    "eval 1 + 1",
    "configure status",
)
ACT = (
    "reload all",
    "reload in all",
    "reload out all",
    "restart {}",
    "reload {}",
    "debug {} all",
    "debug all off",
    "disable {}",
    "disable {} hold",
    "enable {}",
    "log reopen",
)


class Asker:
    """Owner: its thread. `go` is clear: it has closed its connection and waits."""

    def __init__(self, d, names, seed, path):
        self.d, self.names, self.path = d, names, path
        self.rng = random.Random(seed)
        self.go, self.resting, self.stop = threading.Event(), threading.Event(), False
        self.resting.set()
        self.failed = None
        self.acts = True  # or it only asks
        self.cnt = 0
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.stop:
            if not self.go.wait(0.1):
                continue
            self.resting.clear()
            if self.go.is_set():
                self._work()
            self.resting.set()

    def _work(self):
        """One connection."""
        path = self.path if os.path.exists(self.path) else self.d.ctl
        try:
            c = Cli(path, 60 * SLOW)
        except OSError:
            spread(0.01)
            return
        try:
            while self.go.is_set() and self.rng.random() > 0.05:
                if not self.acts or self.rng.random() < 0.6:
                    command = self.rng.choice(ASK)
                else:
                    names = self.names()
                    command = self.rng.choice(ACT).format(self.rng.choice(names) if names else "x")
                c.run(command, 60 * SLOW)
                self.cnt += 1
                spread(self.rng.choice((0, 0, 0.002, 0.01)))
        except socket.timeout:
            self.failed = "no answer to '%s' on %s" % (command, path)
        except (Failed, OSError) as e:
            # A control socket that is taken away ends its clients.
            if path == self.d.ctl and self.d.alive():
                self.failed = "%s: %r on %s" % (command, e, path)
        finally:
            c.close()

    def pause(self):
        self.go.clear()
        check(self.resting.wait(90 * SLOW), "a client's command doesn't end")
        check(not self.failed, "a client: %s" % self.failed)


# --- the day ---


class Day:
    def __init__(self, fixed_threads, in_conf, seed):
        self.rng = random.Random(seed)
        self.model = exchange.Exchange(self.rng)
        self.model.fixed_threads = fixed_threads
        if in_conf:
            self.model.threads = fixed_threads
        self.ports = free_ports()
        self.d = Rs(self.ports[0])
        self.d.put(self.model.text())
        self.running, self.before = self.model.copy(), None
        self.path, self.path_before = self.d.conf, None
        self.fixed = fixed_threads
        self.fleet = fleet.Fleet()
        self.trail = []
        self.texts = []  # (when, what, file), of the last stretch
        self.count = self.looks = 0
        self.softly = False
        for k in range(1, exchange.LIVE + 1):
            m = self.fleet.add(k, MEMBER % k, 65100 + k)
            m.routes = exchange.routes(self.rng)
            m.up = True
        self.d.start(*([] if in_conf or not fixed_threads else ["-T", str(fixed_threads)]))
        names = lambda: list(self.running.members)
        self.askers = [
            Asker(self.d, names, seed * 2 + k, p)
            for k, p in enumerate((self.d.ctl, os.path.join(self.d.dir, "c1.ctl")))
        ]
        self.d.rights = None
        self.redial()

    def redial(self, name="main", port=None):
        """The members dial as the running configuration would have it."""
        port = self.ports[0] if port is None else port
        places = {m["at"]: (self.running.place(n), m["as"]) for n, m in self.running.members.items() if m["live"]}
        with self.fleet.lock:
            for k, m in self.fleet.members.items():
                if not m.up:
                    m.dial.pop(name, None)
                elif k in places:
                    (address, which), m.as_number = places[k]
                    m.dial[name] = (address, port + which)
                elif name != "main" or k % 2:
                    m.dial.pop(name, None)  # the others don't know yet that they have no contract any more

    def run(self, command, codes):
        got = self.d.run(command, 60 * SLOW)
        check(got[-1][0] in codes, "%s: %r" % (command, got))
        return got

    def commit(self, command, model, path):
        self.run(command, (3, 4))
        self.before, self.path_before = self.running, self.path
        self.running, self.path = model.copy(), path
        self.done(command)

    def done(self, what):
        self.texts = self.texts[-STRETCH:] + [(time.strftime("%H:%M:%S"), what, self.running.text())]
        self.count += 1
        self.redial()

    def leave_behind(self, why):
        """What is needed to look for the fault: files beside the tests' logs."""
        d = os.path.join(BUILD, "test", "log")
        os.makedirs(d, exist_ok=True)
        name = os.path.join(d, "reconf-%d-%d" % (SEED, self.fixed))
        with open(name + ".txt", "w") as f:
            f.write(why + "\n")
            for when, what, text in self.texts:
                f.write("\n#### %s %s\n%s" % (when, what, text))
            for k, m in self.fleet.members.items():
                f.write("\n#### member %d, AS%d, %s\n%r\n" % (k, m.as_number, "up" if m.up else "down", m.routes))
        for log in ("log0", "log1", "log2"):
            if os.path.exists(os.path.join(self.d.dir, log)):
                shutil.copy(os.path.join(self.d.dir, log), "%s.%s" % (name, log))
        return name + ".txt"

    def undo(self):
        """As `configure undo` does."""
        self.running, self.before = self.before, None
        self.path, self.path_before = self.path_before, None
        self.model.adopt(self.running)
        self.done("undo")

    def configure(self):
        done = self.model.change()
        how = self.rng.choices(
            ("plain", "path", "soft", "timeout", "check", "bad", "undo", "hup"), (70, 8, 3, 4, 4, 4, 6, 3)
        )[0]
        self.trail.append("%s %s" % (how, " ".join(done)))
        text = self.model.text()
        other = os.path.join(self.d.dir, "other.conf")
        if how == "path":
            self.d.put(text, other)
            self.commit('configure "%s"' % other, self.model, other)
        elif how == "soft":
            self.d.put(text, self.path)
            self.commit("configure soft", self.model, self.path)
            self.softly = True
        elif how == "timeout":
            self.d.put(text, self.path)
            long = self.rng.random() < 0.7
            self.commit("configure timeout %d" % (60 if long else 1), self.model, self.path)
            if not long:
                wait_until(lambda: all(code != 22 for code, _ in self.d.run("configure status")), "the time to be over")
                self.undo()
            elif self.rng.random() < 0.5:
                self.run("configure undo", (3, 4))
                self.undo()
            else:
                self.run("configure confirm", (18,))
        elif how == "check":
            self.d.put(text, other)
            self.run('configure check "%s"' % other, (20,))
            self.model.adopt(self.running)
        elif how == "bad":
            self.d.put(
                text
                + self.rng.choice(
                    (
                        "protocol bgp {\n",
                        "protocol static bad { ipv4 { table nobody; }; }\n",
                        'cli "/nowhere/at/all.ctl";\n',
                    )
                ),
                other,
            )
            self.run('configure "%s"' % other, (8002,))
            self.model.adopt(self.running)
        elif how == "undo" and self.before is not None:
            self.model.adopt(self.running)
            self.run("configure undo", (3, 4))
            self.undo()
        elif how == "hup":
            self.d.put(text, self.path)
            before = self.d.text("show status")
            os.kill(self.d.pid, signal.SIGHUP)
            self.commit("configure", self.model, self.path)
            self.before = None  # it was committed once or twice
            check(before, "show status")
        else:
            self.d.put(text, self.path)
            self.commit("configure", self.model, self.path)

    def members_move(self):
        with self.fleet.lock:
            m = self.fleet.members[self.rng.randrange(1, exchange.LIVE + 1)]
            what = self.rng.choice(("leave", "come", "flap", "routes", "routes"))
            m.leave = self.rng.choice(("cease", "cease", "reset", "eof"))
            if what == "leave":
                m.up = self.rng.random() < 0.2
            elif what == "come":
                m.up = True
            elif what == "flap":
                m.dial.pop("main", None)
            else:
                m.routes = exchange.routes(self.rng)
        if what == "flap":
            spread(0.02)
        self.redial()

    def check_alive(self):
        check(self.d.alive(), self.d.end_on_failure())
        check(self.fleet.error is None, "the members: %r" % self.fleet.error)

    def stretch(self):
        acts = self.rng.random() < 0.6
        for a in self.askers:
            a.acts = acts
            a.go.set()
        for _ in range(STRETCH):
            if self.rng.random() < 0.4:
                self.members_move()
            self.configure()
            self.check_alive()
            pause = self.rng.choice((0, 0, 0, 0.002, 0.01, 0.03, 0.1))
            spread(pause)
        for a in self.askers:
            a.pause()
        with self.fleet.lock:
            for m in self.fleet.members.values():
                m.leave = "cease"
        if not acts and self.before is not None and not self.softly and self.rng.random() < 0.7:
            self.model.adopt(self.running)
            self.run("configure undo", (3, 4))
            self.undo()
            return
        # What clients switched off or on by hand is as the file says again; what they hold is let go.
        self.run("enable all", (0, 8003))
        self.model.change()
        self.d.put(self.model.text(), self.path)
        self.commit("configure", self.model, self.path)
        if self.softly:
            self.run("reload all", (0, 8003))
            self.softly = False

    def look(self):
        """Beside a daemon that is started now with the same file."""
        fresh = Rs(self.ports[1])
        fresh.put(self.running.text())
        fresh.start("-T", str(self.fixed))
        self.redial("fresh", self.ports[1])
        model = self.running
        model.fixed_threads = self.fixed
        why = ""

        def same():
            nonlocal why
            self.check_alive()
            check(fresh.alive(), "fresh: " + fresh.end_on_failure())
            why = difference(snapshot(self.d, self.fleet, "main", model), snapshot(fresh, self.fleet, "fresh", model))
            return not why

        if not happens(same, REST_S, 0.03):
            if os.environ.get("TERN_KEEP"):
                note(self.d.text("show protocols all"))
                note(fresh.text("show protocols all"))
            raise Failed("it isn't what a fresh one is:\n%s\n%s" % (why, self.d.said()))
        self.fleet.drop("fresh")
        fresh.stop()
        Daemon.all.remove(fresh)
        shutil.rmtree(fresh.dir, ignore_errors=True)
        self.looks += 1

    def end(self):
        self.d.stop()
        for a in self.askers:
            a.stop = True
        self.fleet.end()


def day(fixed_threads, in_conf):
    n = Day(fixed_threads, in_conf, SEED)
    began, rss = time.monotonic(), []
    try:
        while (time.monotonic() - began < SOAK_S) if SOAK else (n.count < COUNT):
            n.stretch()
            n.look()
            rss.append(n.d.stats()["rss_kb"])
            if n.looks % 50 == 0:
                note(
                    "     %d reconfigurations, %d looks, %d commands, %d kB, %.0f s"
                    % (n.count, n.looks, sum(a.cnt for a in n.askers), rss[-1], time.monotonic() - began)
                )
    except Failed as e:
        raise Failed(
            "seed %d, after %d reconfigurations and %d looks (%s; see %s):\n%s"
            % (SEED, n.count, n.looks, "; ".join(n.trail[-STRETCH:]), n.leave_behind(str(e)), e)
        )
    except OSError:
        happens(lambda: not n.d.alive(), 1)
        n.check_alive()
        raise
    note(
        "     %d reconfigurations, %d looks, %d commands, %d kB at first, %d kB at last"
        % (n.count, n.looks, sum(a.cnt for a in n.askers), rss[0], rss[-1])
    )
    check(n.fleet.all_paths, "nobody was told several paths a prefix")
    n.end()


case("a thread for each worker", day, 0, False)
case("threads 2", day, 2, True)
case("-T 1", day, 1, False)
done()
