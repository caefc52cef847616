# SPDX-License-Identifier: GPL-3.0-or-later
"""test_prompt plays operators: a command and then a look, 200 times, against a model, also while sessions come up and a
`configure` runs; a hundred clients, half of which never read; one reload after the other."""

import multiprocessing
import random
import threading

from harness import *

SEED = int(os.environ.get("TERN_SEED", time.time_ns() % 1000000))
R = random.Random(SEED)
MEMBERS = 20
SEQUENCES = 200 if SLOW == 1 else 40

HEAD = """
router id 10.0.0.1;
log "RUN/bird.log" { info, remote, warning, error, auth, fatal, bug };
define MARK = %d;
filter f_in { bgp_community.add((65000, MARK)); accept; }
protocol device { }
protocol static s1 { ipv4; route 10.1.0.0/16 blackhole; }
"""
MEMBER = (
    "protocol bgp m%d { local 127.0.10.1 port %d as 65000; neighbor 127.0.11.%d as %d; strict bind on; passive;"
    " multihop; rs client; %s ipv4 { import filter f_in; export where 1 = 1; }; }\n"
)


def conf(port, mark=1, members=MEMBERS, text=""):
    return HEAD % mark + "".join(
        MEMBER % (n, port, n, 65000 + n, 'description "%s";' % text) for n in range(1, members + 1)
    )


class Member(threading.Thread):
    """One that comes back whenever it is turned away, and announces two networks."""

    def __init__(self, port, n):
        super().__init__(daemon=True)
        self.port, self.n, self.over = port, n, False

    def run(self):
        while not self.over:
            try:
                p = Peer(self.port, "127.0.11.%d" % self.n, 65000 + self.n, server="127.0.10.1")
                if p.opened():
                    p.update(["20.%d.0.0/24" % self.n, "20.%d.1.0/24" % self.n])
                    p.end_of_rib()
                    while p.receive(60) is not None:
                        pass
                p.s.close()
            except OSError:
                pass
            spread(0.2)


class Model:
    """What each protocol has been told last, and what it must look like at once."""

    def __init__(self):
        self.disabled = {}
        self.names = ["m%d" % n for n in range(1, MEMBERS + 1)] + ["s1"]

    def look(self, c, name):
        """On one connection: what a protocol looks like now. Returns: what is wrong, or None."""
        rows = [t for code, t in c.run("show protocols all " + name) if code == 1002]
        routes = [t for code, t in c.run("show route protocol %s count" % name) if code == 1007]
        state = rows[0].split()[3]
        if self.disabled.get(name):
            if state != "down" or not routes[0].startswith("0 of "):
                return "%s is disabled, and: %r %r" % (name, rows, routes)
        elif state == "down":
            return "%s is enabled, and: %r" % (name, rows)
        elif name == "s1" and not routes[0].startswith("1 of "):
            return "s1 has one route, and: %r %r" % (rows, routes)
        return None


def sequences():
    port = free_port()
    d = Daemon(conf(port)).start()
    members = [Member(port, n) for n in range(1, MEMBERS + 1)]
    m, mark = Model(), 1
    c, other = Cli(d.ctl), Cli(d.ctl)
    for x in members:  # they come up meanwhile
        x.start()
    for step in range(SEQUENCES):
        name = R.choice(m.names)
        what = R.choice(
            (
                "disable",
                "disable",
                "enable",
                "enable",
                "restart",
                "reload",
                "reload in",
                "configure",
                "configure soft",
                "undo",
            )
        )
        if what.startswith(("configure", "undo")):
            if what != "undo":
                mark += 1
                d.write(conf(port, mark, text="" if R.random() < 0.5 else str(mark)))
            codes = [x for x, _ in (c.run("configure undo") if what == "undo" else c.run(what))]
            if codes[-1] != 19:
                m.disabled.clear()  # configure enables what a command has disabled
            check(codes[-1] in (3, 4, 19), "seed %d, step %d: %s: %r" % (SEED, step, what, codes))
            name = R.choice(m.names)
        else:
            was = m.disabled.get(name, False)
            code = c.run("%s %s" % (what, name))[0][0]
            want = {
                "disable": (8,) if was else (9,),
                "enable": (11,) if was else (10,),
                "restart": (8,) if was else (12,),
            }.get(what, (8, 15))
            check(code in want, "seed %d, step %d: %s %s: %d, was disabled %r" % (SEED, step, what, name, code, was))
            if what in ("disable", "enable"):
                m.disabled[name] = what == "disable"
        for who in (c, other):
            wrong = m.look(who, name)
            check(not wrong, "seed %d, step %d, after %s %s: %s" % (SEED, step, what, name, wrong))
    d.run("enable all")
    wait_until(
        lambda: d.text("show protocols").count("Established") == MEMBERS,
        lambda: "all come up: " + d.text("show protocols"),
        60,
    )
    wait_until(lambda: "%d of" % (2 * MEMBERS + 1) in d.text("show route count"), lambda: d.text("show route count"))
    for x in members:
        x.over = True
    check(d.alive(), "it runs")
    d.stop()


def noise(ctl, n, until):
    """One of fifty that send nonsense. What it gets in return must be right."""
    rnd = random.Random(SEED + n)
    command = "show route protocol s1 count\n"
    while time.monotonic() < until:
        try:
            c = Cli(ctl)
            kind = n % 4
            if kind == 0:  # cut at each octet
                for i in range(len(command)):
                    c.send(command[:i])
                    spread(0.001)
                    c.send(command[i:])
                    equal(c.reply()[-1], (0, ""), "cut at %d" % i)
                    if time.monotonic() > until:
                        break
            elif kind == 1:
                c.s.sendall(bytes(rnd.randrange(256) for _ in range(3000)) + b"\nshow status\n")
                while time.monotonic() < until and c.line(2):
                    pass
            elif kind == 2:  # 1 MB
                c.s.sendall(b"x" * 1000000 + b"\n")
                equal(c.reply()[-1][0], 9000, "1 MB")
            else:  # goes in the middle
                c.send("show route all\n")
                c.line(20)
            c.close()
        except (OSError, TimeoutError):
            pass
        spread(0.05)


def noise_of(ctl, some, until, failed):
    """A process with some of the fifty: who measures shares no interpreter with them."""

    def guarded(n):
        try:
            noise(ctl, n, until)
        except Failed as e:
            failed.put(str(e))

    threads = [threading.Thread(target=guarded, args=(n,), daemon=True) for n in some]
    for t in threads:
        t.start()
    for t in threads:
        t.join(max(0.0, until + 10 - time.monotonic()))
    failed.put(None)
    failed.close()
    failed.join_thread()
    os._exit(0)


def crowd():
    """50 that never read, 50 that send nonsense, in pieces: one that asks is answered at once."""
    port = free_port()
    d = Daemon(conf(port, members=2)).start()
    p = Peer(port, "127.0.11.1", 65001, server="127.0.10.1").establish()
    for k in range(0, 20000, 200):
        p.update(["30.%d.%d.0/24" % ((k + i) // 256, (k + i) % 256) for i in range(200)])
    wait_until(lambda: "20000 imported" in d.text("show protocols all m1"), "routes")
    deaf = []
    for _ in range(50):
        c = Cli(d.ctl)
        c.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        c.send("show route all\n" * 20)
        deaf.append(c)
    until = time.monotonic() + (6 if SOAK else size(4, 2))
    failed = multiprocessing.Queue()
    loads = [
        multiprocessing.Process(target=noise_of, args=(d.ctl, range(k, 50, 2), until, failed), daemon=True)
        for k in range(2)
    ]
    for x in loads:
        x.start()
    c, took, late = Cli(d.ctl), [], []
    spread(0.5)
    while time.monotonic() < until:
        began = time.perf_counter()
        equal(c.run("show status")[-1][0], 13, "show status")
        answered = time.perf_counter()
        took.append((answered - began) * 1000)
        spread(0.005)
        late.append((time.perf_counter() - answered) * 1000 - 5)  # the machine's part
    said = [failed.get(timeout=20) for _ in loads]
    for x in loads:
        x.join(10)
    took.sort()
    late.sort()
    p99, late99 = took[len(took) * 99 // 100], late[len(late) * 99 // 100]
    note(
        "     show status among a hundred: median %.2f ms, 99th %.2f ms, of %d; woken %.2f ms late"
        % (took[len(took) // 2], p99, len(took), late99)
    )
    check(said == [None] * len(loads), "others: %r" % said)
    p.update(["31.0.0.0/24"])
    wait_until(lambda: "20001 imported" in d.text("show protocols all m1"), "routing goes on")
    for x in deaf:
        x.close()
    d.stop()


def reloads():
    """A prefix set changes a little, 24 times: no session moves, only what follows from it is sent, and memory
    stays."""
    port = free_port()
    nets = ["40.%d.%d.0/24" % (k // 250, k % 250) for k in range(4000)]

    def text(left_out):
        return (
            "define NETS = [ "
            + ", ".join(n for n in nets if n not in left_out)
            + " ];\n"
            + conf(port, members=8)
            .replace("filter f_in { ", "filter f_in { if net !~ NETS then reject; ")
            .replace("ipv4 { import", "ipv4 { import table on; import")
        )

    d = Daemon(text(())).start()
    peers = {n: Peer(port, "127.0.11.%d" % n, 65000 + n, server="127.0.10.1").establish() for n in range(1, 9)}
    for k in range(0, len(nets), 200):
        peers[1].update(nets[k : k + 200])
    wait_until(lambda: "4001 exported" in d.text("show protocols all m8"), "routes")
    since = [line for line in d.text("show protocols").splitlines() if " BGP " in line]

    def sent():
        return int(
            re.search(r"Export updates: +(\d+).*\n.*Export withdraws: +(\d+)", d.text("show protocols all m8")).group(1)
        )

    def rings():
        number, unit = re.search(r"Rings: +([\d.]+) +(\S+)", d.text("show memory")).groups()
        return float(number) * {"B": 1 / 1024, "kB": 1, "MB": 1024}[unit]

    def settled(cnt):
        wait_until(
            lambda: "%d exported" % cnt in d.text("show protocols all m8"), lambda: d.text("show protocols all m8"), 60
        )

    rss = []
    left = ()
    at_first = waits.settled(rings, "the memory of rings of sessions that bring nothing", 2)
    for i in range(24):
        new = tuple(R.sample(nets, 40))
        before = sent()
        d.write(text(new))
        check(d.code("configure") in (3, 4), "configure")
        settled(len(nets) + 1 - len(new))
        more = len(set(left) - set(new))
        wait_until(
            lambda: sent() - before == more, lambda: "%d updates sent, %d have come back" % (sent() - before, more)
        )
        left = new
        rss.append(d.stats()["rss_kb"])
        if i == 11:
            d.write("nonsense")
            equal(d.code("configure"), 8002, "a broken file")
            equal(sent() - before, more, "it changes nothing")
            check("Last configure failed" in d.text("show status"), "and is remembered")
    equal([line for line in d.text("show protocols").splitlines() if " BGP " in line], since, "no session moves")
    note("     memory after each: %s" % rss)
    wait_until(
        lambda: rings() <= at_first,
        lambda: "the rings' memory goes back: %.1f kB, %.1f at first" % (rings(), at_first),
        20,
    )
    if rss[1] and SLOW == 1:
        check(
            rss[-1] <= rss[1] + 2048, "memory: %r" % rss
        )  # malloc's heaps fill up to some 8 MB, after 60 reloads, too
    d.stop()


note("     seed %d" % SEED)
case("a command, then a look", sequences)
real_case("a hundred clients", crowd)
case("one reload after the other", reloads)
done()
