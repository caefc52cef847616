# SPDX-License-Identifier: GPL-3.0-or-later
"""Two route servers at one exchange: bird2 and ternd serve the same members, whose routes change all the time.
One of them is reloaded, restarted or killed: no member lacks a prefix meanwhile that the other server has.

A ternload plays the members towards each server; from the same seed both announce the same and change the same. A
server has served all the time if no session to it went down and it withdrew nothing that nobody had changed
(`lacked` of ternload's report)."""

from harness import *

import daemons
import namespace

MEMBERS, NETS, CHANGES, ROUNDS = (100, 5000, 100, 12) if SOAK else (40, 2000, 40, 12)


class Server:
    """One server, with the ternload that plays the members towards it."""

    def __init__(self, name, address, more=()):
        self.name, self.address, self.version = name, address, 0
        daemon = daemons.parse(name, BUILD)
        check(daemon is not None, name + " isn't there")
        self.run = daemons.Running(daemon, (17900, 19000), BUILD, self.configure, temp_dir(), address)
        self.run.__enter__()
        steps = ",".join(["announce", "settle=100"] + ["churn=%d" % CHANGES] * ROUNDS + ["settle=300"])
        self.lines, self.said = [], 0
        self.load = subprocess.Popen(
            [program("ternload")]
            + self.options(self.run)
            + list(more)
            + ["--stepwise", "--quiet", "--time-limit", "60", "--do", steps],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=daemons.die_with_us,
        )
        os.set_blocking(self.load.stdout.fileno(), False)
        self.got = b""

    def options(self, run):
        return [
            "--clients",
            str(MEMBERS),
            "--nets",
            str(NETS),
            "--ratio",
            "2.4",
            "--server",
            self.address,
            "--port",
            str(run.port),
            "--error-wait",
            "1",
            "--connect-burst",
            "8",
        ]

    def configure(self, run, f, name):
        f.flush()
        argv = [program("ternload")] + self.options(run) + ["--conf", run.d.kind_name, "--run-dir", run.dir]
        subprocess.run(argv, stdout=f, check=True, timeout=60)
        f.seek(0, 2)
        f.write("filter another_%d { accept; }\n" % self.version)

    def waits(self):
        """For what its ternload waits; None: it has something to do."""
        self.got += self.load.stdout.read() or b""
        while b"\n" in self.got:
            line, self.got = self.got.split(b"\n", 1)
            self.lines.append(json.loads(line))
        asked = [l["ready"] for l in self.lines if "ready" in l]
        if len(asked) <= self.said and self.load.poll() is not None:
            raise Failed("the ternload of %s has ended: %r" % (self.name, self.load.stderr.read()[-1000:]))
        return asked[-1] if len(asked) > self.said else None

    def go(self):
        self.said += 1
        self.load.stdin.write(b"go 0\n")
        self.load.stdin.flush()

    def serves_all(self):
        try:
            cli = Cli(os.path.join(self.run.dir, "ctl"))
            lines = cli.run("show protocols")
            cli.close()
        except (OSError, Failed):
            return False
        return sum("Established" in text for _, text in lines) == MEMBERS

    def end(self):
        self.load.kill()
        self.load.wait()
        self.run.__exit__()

    # What may befall it.

    def is_reloaded(self):
        self.version += 1
        self.run.write("conf.new")
        equal(subprocess.run(["sh", "-c", self.run.reload_command("")], timeout=60).returncode, 0, "reload")

    def is_restarted(self):
        daemons.stop(self.run.proc)
        self.run.start()

    def is_killed(self):
        os.killpg(self.run.proc.pid, signal.SIGKILL)
        self.run.proc.wait()
        self.run.start()


def on_both(servers, until, most=3 + ROUNDS):
    """Let both go on until that is the case, each as soon as it can, up to @most times: members can't change what they
    announce to a server that isn't there, and do so when it is."""

    def looks():
        if until():
            return True
        for s in servers:
            if s.said < most and (s.waits() == "connect" or s.waits() not in (None, "end") and s.serves_all()):
                s.go()
        return False

    wait_until(looks, lambda: "no end: %r" % [(s.name, s.said, s.waits()) for s in servers], 60, 0.01)


def other_serves_on(victim_name, what):
    victim = Server(victim_name, "127.0.0.1", ["--allow-loss"])
    other = None
    try:
        other = Server("bird2" if victim_name == "tern" else "tern", "127.0.0.2")
        both = [victim, other]
        on_both(both, lambda: min(s.said for s in both) == 4, 4)  # connected, announced, two rounds
        getattr(victim, what)()
        before = other.said
        on_both([other], lambda: other.said == before + 3)  # changes that the victim doesn't hear of yet
        on_both(both, lambda: all(s.waits() == "end" for s in both))
        report = other.lines[-2]
        equal([report["ok"], report["sessions_lost"]], [True, 0], "sessions to %s" % other.name)
        equal(report["lacked"], 0, "prefixes lacked")
        mine = victim.lines[-2]
        equal(mine["ok"], True, "members of %s in the end" % victim.name)
        equal(mine["sessions_lost"] > 0, what != "is_reloaded", "did sessions to %s go down" % victim.name)
        equal([r["routes"] for r in (report, mine)], [report["routes"]] * 2, "routes that are announced")
        for s in both:
            s.go()
            equal(s.load.wait(20), 0, "exit status of the ternload of " + s.name)
    finally:
        for s in (victim, other):
            if s:
                s.end()


namespace.enter()
if not os.access("/usr/sbin/bird", os.X_OK):
    needs("bird2")
for name in ("tern", "bird2"):
    for event in ("is_reloaded", "is_restarted", "is_killed"):
        case("%s %s, and the other serves on" % (name, event.replace("_", " ")), other_serves_on, name, event)
done()
