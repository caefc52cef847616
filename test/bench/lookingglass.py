# SPDX-License-Identifier: GPL-3.0-or-later
"""lookingglass.py measures ternhttp: how long answers take while members converge and clients read whole tables, and
how many requests a quiet ternhttp serves. The figures of prometheus-bird-exporter on the same daemon stand beside those
of ternhttp.

    lookingglass.py --build FOLDER [--members 1000] [--routes 400400] [--streams 10] [--seconds 10] [--hold 10]
    lookingglass.py --build FOLDER --threads 5    processor time of the daemon's threads, with and without readers

The program starts ternd, ternload, ternhttp, wrk and the exporter, and ends them. Each table is one of Markdown. The
line `timer` is a process that sleeps for 10 ms and asks nobody: its lateness is that of the machine.
"""
import argparse
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import waits  # noqa: E402

EVERY_S = 0.01
CONTROL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "control.py")
TICKS = os.sysconf("SC_CLK_TCK")


# ---- the processes that ask ----


def lines(ask):
    """Calls @ask every 10 ms until SIGTERM; then a line for each call, also for the call under way: how long it
    took."""
    took, began = [], None

    def end(*_):
        if began:
            took.append(time.monotonic() - began)
        print("\n".join("%.6f" % t for t in took), flush=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    while True:
        began = time.monotonic()
        ask()
        took.append(time.monotonic() - began)
        began = None
        waits.pause(EVERY_S)


def poll(port, target):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask():
        c.request("GET", target)
        c.getresponse().read()

    lines(ask)


def timer():
    lines(lambda: waits.pause(EVERY_S))


def stream(port, target, address):
    """Reads @target again and again until SIGTERM; then the number of routes."""
    routes = 0
    signal.signal(signal.SIGTERM, lambda *_: (print(routes, flush=True), os._exit(0)))
    while True:
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=600, source_address=(address, 0))
        try:
            c.request("GET", target)
            r = c.getresponse()
            while part := r.read(1 << 16):
                routes += part.count(b'"type":"route"')
        except (OSError, http.client.HTTPException):
            pass  # the answer was lost to others that wait
        c.close()


# ---- figures ----


def cpu_s(pid):
    with open("/proc/%d/stat" % pid) as f:
        return sum(int(v) for v in f.read().rsplit(")", 1)[1].split()[11:13]) / TICKS


def peak_mb(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1)) / 1000


def part(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] * 1000


def row(name, values, less=0):
    v = [max(0, x - less) for x in values]
    print("| %s | %d | %.1f | %.1f | %.1f | %.1f |" % (name, len(v), *(part(v, s) for s in (0.5, 0.99, 0.999, 1))))


def head(title):
    print("\n%s\n\n| question | answers | median ms | 99th | 99.9th | longest |\n|---|---|---|---|---|---|" % title)


# ---- the run ----


class Run:
    def __init__(self, args):
        self.args, self.own, self.used, self.said = args, [], [], {}
        self.dir = tempfile.mkdtemp(prefix="tern-http-bench.")
        os.chmod(self.dir, 0o711)
        self.port = self.free()

    @staticmethod
    def free():
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            return s.getsockname()[1]

    def start(self, *argv, **more):
        self.own.append(subprocess.Popen([str(a) for a in argv], text=True, **more))
        return self.own[-1]

    def me(self, *argv):
        return self.start(sys.executable, "-B", os.path.abspath(__file__), *argv, stdout=subprocess.PIPE)

    def end(self, p):
        p.send_signal(signal.SIGTERM)
        out = p.communicate()[0] if p.stdout else p.wait() and ""
        self.own.remove(p)
        if p in self.said:
            with self.said.pop(p) as f:
                f.seek(0)
                out = f.read()
        return out or ""

    def close(self):
        for p in reversed(self.own):
            p.kill()
            p.wait()
        shutil.rmtree(self.dir)

    def program(self, name):
        return os.path.join(self.args.build, name)

    def daemon(self):
        load = ["--server", "127.0.0.1", "--port", str(self.port), "--server-as", "65000"]
        load += ["--clients", str(self.args.members), "--nets", str(self.args.routes)]
        load += ["--ratio", "1", "--sets-per-client", "1"]
        conf = subprocess.run([self.program("ternload"), *load, "--conf", "bird2"], stdout=subprocess.PIPE, text=True)
        path = os.path.join(self.dir, "c.conf")
        with open(path, "w") as f:
            f.write(conf.stdout.replace("./bird.log", self.dir + "/log"))
            f.write('cli "%s/lg.ctl" { restrict; mode "0666"; };\n' % self.dir)
        self.ctl = self.dir + "/m.ctl"
        self.ternd = self.start(self.program("ternd"), "-f", "-c", path, "-s", self.ctl, "-P", self.dir + "/pid")
        waits.until(lambda: os.path.exists(self.dir + "/lg.ctl"), "the daemon", 60)
        self.web_port = self.free()
        web = ["-n", "0", "-l", "127.0.0.1:%d" % self.web_port, "-s", "rs=" + self.dir + "/lg.ctl"]
        self.web = self.start(self.program("ternhttp"), *web, stdout=subprocess.DEVNULL)
        waits.until(lambda: self.get("/v1/status")[0] == 200, "ternhttp", 60)
        return load

    def get(self, target, port=0, headers=()):
        """Returns: status, octets, seconds."""
        began = time.monotonic()
        c = http.client.HTTPConnection("127.0.0.1", port or self.web_port, timeout=600)
        try:
            c.request("GET", target, headers=dict(headers))
            r = c.getresponse()
            return r.status, len(r.read()), time.monotonic() - began
        except OSError:
            return 0, 0, 0
        finally:
            c.close()

    def control(self):
        """control.py prints each answer at once: a pipe would be full after 3,000 answers."""
        said = open(os.path.join(self.dir, "control"), "w+")
        p = self.start(sys.executable, "-B", CONTROL, self.ctl, stdout=said)
        self.said[p] = said
        return p

    def asks(self):
        return {
            "timer": self.me("--as", "timer"),
            "`show status`": self.control(),
            "`/v1/status`": self.me("--as", "poll", "--port", self.web_port, "--target", "/v1/status"),
            "`/v1/tables`": self.me("--as", "poll", "--port", self.web_port, "--target", "/v1/tables"),
        }

    def announce(self, load):
        """Starts the members, which announce their routes. Returns: a function: do all members have all routes?"""
        said = os.path.join(self.dir, "load")
        with open(said, "w") as out:
            self.load = self.start(
                *[self.program("ternload"), *load, "--time-limit", 900, "--pid", self.ternd.pid],
                *["--do", "announce,settle,hold=1000000"],
                stdout=subprocess.DEVNULL,
                stderr=out,
            )

        def held():
            with open(said) as f:
                return " hold " in f.read()

        return held

    def streams(self):
        return [
            self.me("--as", "stream", "--port", self.web_port, "--target", self.whole(), "--address", "127.0.1.%d" % i)
            for i in range(1, self.args.streams + 1)
        ]

    def threads(self):
        """{name: seconds} of the daemon's threads, in ns: `show threads` rounds the time of each session down to 1 ms.
        The threads of sessions count together."""
        used, folder = {}, "/proc/%d/task" % self.ternd.pid
        for tid in os.listdir(folder):
            try:
                with open("%s/%s/comm" % (folder, tid)) as f, open("%s/%s/schedstat" % (folder, tid)) as g:
                    name, ran_ns = f.read().strip(), int(g.read().split()[0])
            except OSError:  # a thread of a client has ended
                continue
            # ternload names the members p1, p2 ...
            name = "all sessions" if re.fullmatch(r"p\d+", name) else name
            used[name] = used.get(name, 0) + ran_ns / 1e9
        return used

    def converge_threads(self, load, asked):
        """@asked: the Run whose daemon the readers ask; None: no readers. Returns: processor time of the threads when
        all members have all routes."""
        own = [*asked.asks().values(), *asked.streams()] if asked else []
        waits.until(self.announce(load), "the members", 900)
        used = self.threads()
        for p in own:
            asked.end(p)
        return used

    def converge(self, load):
        print("Load of the machine at the begin: %.1f, %.1f, %.1f." % os.getloadavg(), flush=True)
        asks = self.asks()
        held = self.announce(load)
        streams = self.streams()
        waits.until(held, "the members", 900)
        waits.pause(self.args.hold)  # a small run converges before the first answer
        routes = [int(self.end(s) or 0) for s in streams]
        head("%d members converge; %d clients read %s routes each" % (self.args.members, len(streams), mean(routes)))
        for name, p in asks.items():
            took = [float(t.split()[-1]) for t in self.end(p).splitlines()]
            row(name, took, EVERY_S if name == "timer" else 0)
        print("\nLoad of the machine at the end: %.1f, %.1f, %.1f." % os.getloadavg())
        print("\nternd used %.1f s, ternhttp %.1f s of processor time." % (cpu_s(self.ternd.pid), cpu_s(self.web.pid)))

    def whole(self):
        return "/v1/members/100000/routes/exported"

    def quiet(self):
        head("All members are up, no changes")
        gzip = {"Accept-Encoding": "gzip"}
        whole = "/metrics?collect[]=all"
        for name, target, headers, count in (
            ("`/v1/why?prefix=`", "/v1/why?prefix=%s" % self.some_net(), {}, 500),
            ("`/v1/members`", "/v1/members", {}, 50),
            ("`/metrics`", "/metrics", {}, 20),
            ("`/metrics`, gzip", "/metrics", gzip, 20),
            ("`%s`" % whole, whole, {}, 20),
            ("`%s`, gzip" % whole, whole, gzip, 20),
            ("%d routes as JSON" % self.args.routes, self.whole(), {}, 3),
        ):
            before = cpu_s(self.ternd.pid), cpu_s(self.web.pid)
            found = [self.get(target, headers=headers) for _ in range(count)]
            if {s for s, _, _ in found} != {200}:
                sys.exit("lookingglass.py: %s: %s" % (target, found[0]))
            row("%s, %.2f MB" % (name, found[0][1] / 1e6), [t for _, _, t in found])
            self.used.append((name, *((cpu_s(p.pid) - b) / count for p, b in zip((self.ternd, self.web), before))))
        self.exporter()
        print("\n| processor time of an answer | ternd ms | ternhttp ms |\n|---|---|---|")
        for name, daemon, web in self.used:
            print("| %s | %.1f | %.1f |" % (name, daemon * 1000, web * 1000))
        self.requests()

    def some_net(self):
        argv = [self.program("ternc"), "-s", self.ctl, "show", "route", "protocol", "p1"]
        out = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
        return re.search(r"^(\d+\.\S+/\d+)", out.stdout, re.M).group(1)

    def exporter(self):
        path = shutil.which("prometheus-bird-exporter")
        if not path:
            return
        port = self.free()
        p = self.start(
            *[path, "-bird.v2", "-bird.socket", self.ctl, "-web.listen-address", "127.0.0.1:%d" % port],
            stderr=subprocess.DEVNULL,
        )
        waits.until(lambda: self.get("/", port)[0] == 200, "the exporter", 60)
        before = cpu_s(self.ternd.pid), cpu_s(p.pid)
        found = [self.get("/metrics", port) for _ in range(20)]
        row("bird_exporter `/metrics`, %.1f MB" % (found[0][1] / 1e6), [t for _, _, t in found])
        self.costs = "%.0f ms in ternd, %.0f ms in the exporter" % (
            (cpu_s(self.ternd.pid) - before[0]) * 50,
            (cpu_s(p.pid) - before[1]) * 50,
        )
        self.end(p)
        print("\nProcessor time of a scrape by bird_exporter: %s." % self.costs)

    def requests(self):
        print("\n| small requests, 10 connections | a second | a second of processor time | 99th |\n|---|---|---|---|")
        for target in ("/v1/status", "/style.css", "/v1/routes?longest=%s" % self.some_net().split("/")[0]):
            before = cpu_s(self.web.pid)
            url = "http://127.0.0.1:%d%s" % (self.web_port, target)
            argv = ["wrk", "-t1", "-c10", "-d%d" % self.args.seconds, "--latency", url]
            out = subprocess.run(argv, stdout=subprocess.PIPE, text=True).stdout
            used = cpu_s(self.web.pid) - before
            done = int(re.search(r"(\d+) requests in", out).group(1))
            if "Non-2xx" in out:
                sys.exit("lookingglass.py: %s: %s" % (target, out))
            print(
                "| `%s` | %.0f | %.0f | %s |"
                % (target, done / self.args.seconds, done / max(used, 0.01), re.search(r"99%\s+(\S+)", out).group(1))
            )
        print("\nPeak memory: ternhttp %.1f MB, ternd %.1f MB." % (peak_mb(self.web.pid), peak_mb(self.ternd.pid)))


def growth(used, name, arm):
    """The median growth of an arm over the arm `alone` of the same round, in per cent."""
    grown = sorted(100 * (u.get(name, 0) / max(a.get(name, 0), 1e-9) - 1) for u, a in zip(used[arm], used["alone"]))
    return "%+.1f %%" % grown[len(grown) // 2]


def compare_threads(args):
    """The processor time of each thread until all members have all routes, in rounds of three arms in changing order:
    without readers, with readers, and with as many readers of another daemon. The readers of the other daemon show what
    busy processors and caches cost, whatever the busy programs do."""
    arms = ["alone", "readers", "other"]
    used = {arm: [] for arm in arms}
    other = Run(args)
    try:
        waits.until(other.announce(other.daemon()), "the members of the other daemon", 900)
        for i in range(args.threads):
            for k in range(len(arms)):
                arm = arms[(i + k) % len(arms)]
                run = Run(args)
                try:
                    load = run.daemon()
                    asked = {"alone": None, "readers": run, "other": other}[arm]
                    used[arm].append(run.converge_threads(load, asked))
                finally:
                    run.close()
            print("round %d: %s" % (i + 1, {a: round(used[a][i].get("all sessions", 0), 3) for a in arms}), flush=True)
    finally:
        other.close()
    print("\nload of the machine at the end: %.1f" % os.getloadavg()[0])
    print("| thread | alone, s | with %d readers | readers of another daemon |\n|---|---|---|---|" % args.streams)
    for name in sorted({n for u in used["alone"] for n in u}):
        v = {arm: sorted(u.get(name, 0) for u in used[arm]) for arm in arms}
        if v["alone"][-1] < 0.01:
            continue
        cells = ["%.3f (%.3f to %.3f)" % (v[a][len(v[a]) // 2], v[a][0], v[a][-1]) for a in arms]
        cells = [c if a == "alone" else c + ", " + growth(used, name, a) for a, c in zip(arms, cells)]
        print("| %s | %s |" % (name, " | ".join(cells)))


def mean(values):
    return "{:,}".format(sum(values) // max(1, len(values)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default=".", help="folder with the programs")
    p.add_argument("--members", type=int, default=1000)
    p.add_argument("--routes", type=int, default=400400)
    p.add_argument("--streams", type=int, default=10)
    p.add_argument("--seconds", type=int, default=10, help="of each run of wrk")
    p.add_argument("--hold", type=int, default=10, help="seconds of questions after the members have converged")
    p.add_argument("--threads", type=int, default=0, metavar="ROUNDS", help="compare the threads of the daemon")
    for hidden in ("--as", "--port", "--target", "--address"):
        p.add_argument(hidden, help=argparse.SUPPRESS, dest=hidden.strip("-") + "_")
    p.add_argument("--write", metavar="FILE", help="write the tables to the file, too")
    args = p.parse_args()
    if args.write:
        tee = subprocess.Popen(["tee", args.write], stdin=subprocess.PIPE)
        os.dup2(tee.stdin.fileno(), 1)
        tee.stdin.close()
    if args.as_ == "timer":
        timer()
    elif args.as_ == "poll":
        poll(int(args.port_), args.target_)
    elif args.as_ == "stream":
        stream(int(args.port_), args.target_, args.address_)
    if args.threads:
        compare_threads(args)
        return
    if not shutil.which("wrk"):
        sys.exit("lookingglass.py: apt-get install wrk")
    run = Run(args)
    try:
        run.converge(run.daemon())
        run.quiet()
    finally:
        run.close()


if __name__ == "__main__":
    main()
