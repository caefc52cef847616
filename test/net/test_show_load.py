# SPDX-License-Identifier: GPL-3.0-or-later
"""Long commands cost the table's thread nothing and delay nobody: while one client reads `show route all` and another
has the configuration read again, `show status` is answered at once, and changes of routes go on."""

from harness import *

import threading

NETS = 417000 if SOAK else 40000
CLIENTS = 10
NICE_MOST = 19


def thread_cpu(d, name):
    """CPU ticks of the threads with this name."""
    return sum(int(x) for of, stat in d.threads() if of.startswith(name) for x in stat[11:13])


def latencies(d, stop, out, late):
    """@late: by how much we ourselves are woken too late, which is the machine's part."""
    c = Cli(d.ctl)
    while not stop.is_set():
        began = time.perf_counter()
        c.run("show status")
        answered = time.perf_counter()
        out.append((answered - began) * 1000)
        spread(0.002)
        late.append((time.perf_counter() - answered) * 1000 - 2)
    c.close()


def while_asking(d, fn):
    """Run @fn, again if it is soon over; returns what show status took meanwhile and by how much we were woken
    too late, both in ms and sorted, and how often @fn has run."""
    runs = 1
    stop, took, late = threading.Event(), [], []
    t = threading.Thread(target=latencies, args=(d, stop, took, late), daemon=True)
    t.start()
    until = time.monotonic() + 60 * SLOW
    try:
        fn()
        while len(took) <= 20 and time.monotonic() < until:
            fn()
            runs += 1
    finally:
        stop.set()
        t.join()
    return sorted(took), sorted(late), runs


def read_all(d, command, cnt):
    """Read replies with a program of its own, so that this one's speed doesn't matter."""
    for _ in range(cnt):
        subprocess.run([program("ternc"), "-s", d.ctl, command], stdout=subprocess.DEVNULL, check=True, timeout=300)


def judge(what, took, late, runs, each=1):
    """An answer that waited for the other command would come once for each such command. @each: commands of a run."""
    check(
        len(took) > max(20, 2 * runs * each), "%s: only %d answers beside %d commands" % (what, len(took), runs * each)
    )
    p99, late99 = took[len(took) * 99 // 100], late[len(late) * 99 // 100]
    note(
        "     %s: show status %d times, median %.2f ms, 99th percentile %.2f ms, last %.2f ms; woken %.2f ms late"
        % (what, len(took), took[len(took) // 2], p99, took[-1], late99)
    )


def test_routes():
    before = thread_cpu(D, "master4")
    took = while_asking(D, lambda: read_all(D, "show route all", 1 if SOAK else 5))
    used = thread_cpu(D, "master4") - before
    judge("during show route all", *took, 1 if SOAK else 5)
    note("     the table's thread used %d ticks" % used)
    check(used <= 2, "the table's thread used %d ticks" % used)


def test_json():
    """All routes as JSON, to a reader that only counts."""
    for command in "json show route", "json show route all":
        began = time.monotonic()
        argv = [program("ternc"), "-s", D.ctl, command]
        with subprocess.Popen(argv, stdout=subprocess.PIPE) as p:
            size = tail = 0
            while data := p.stdout.read(1 << 20):
                size, tail = size + len(data), data
        took = time.monotonic() - began
        last = json.loads(tail.rstrip(b"\n").split(b"\n")[-1])
        check(last["type"] == "summary" and last["ok"], "the end of %s: %r" % (command, last))
        a_million = took * 1e6 / last["objects"]
        note(
            "     %s: %d objects, %.0f MB in %.2f s, a million in %.2f s"
            % (command, last["objects"], size / 1e6, took, a_million)
        )
    judge(
        "during json show route all",
        *while_asking(D, lambda: read_all(D, "json show route all", 1 if SOAK else 5)),
        1 if SOAK else 5,
    )


def test_where():
    before = thread_cpu(D, "master4")
    took = while_asking(D, lambda: read_all(D, "show route where bgp_path.len > 3 count", 5 if SOAK else 20))
    judge("during show route where", *took, 5 if SOAK else 20)
    check(thread_cpu(D, "master4") - before <= 2, "the table's thread did the work")


def nices(d, name):
    """The nice values of the threads with this name."""
    return sorted(int(stat[16]) for of, stat in d.threads() if of == name)


def test_weight():
    """Clients that ask for whole tables weigh less than tables and sessions, a question after that as much as
    before."""
    own = os.nice(0)
    if own == NICE_MOST:
        cannot_here("nice values below %d, that of this test" % own)
    check(set(nices(D, "master4")) == {own}, "the table's nice value is %s" % nices(D, "master4"))
    wait_until(lambda: set(nices(D, "cli")) == {own}, "clients of before to weigh as much as at first", 20)
    clients = [Cli(D.ctl) for _ in range(10)]
    check(set(nices(D, "cli")) == {own}, "clients start with %s" % nices(D, "cli"))
    stop = threading.Event()

    def ask(c):
        while not stop.is_set():
            c.run("show route all count", 120)

    threads = [threading.Thread(target=ask, args=(c,), daemon=True) for c in clients]
    for t in threads:
        t.start()
    try:
        wait_until(
            lambda: sum(n >= min(own + 10, NICE_MOST) for n in nices(D, "cli")) == 10, "ten clients that give way", 60
        )
    finally:
        stop.set()
        for t in threads:
            t.join()
    if os.geteuid() == 0:
        wait_until(lambda: set(nices(D, "cli")) == {own}, "clients that weigh as much as before", 20)
    for c in clients:
        c.close()


def test_configure():
    def some():
        c = Cli(D.ctl)
        until = time.monotonic() + 1
        while time.monotonic() < until:
            check(c.run("configure", 60)[-1][0] in (3, 4), "configure")
        c.close()

    judge("during configure", *while_asking(D, some))


PORT = free_port()
OPTIONS = load_options(PORT, CLIENTS, nets=NETS, ratio=2.4)
D = Daemon(load_conf(OPTIONS)).start()
LOAD = Load(OPTIONS, 3600, steps="announce,settle,hold=3600")
LOAD.wait_hold(300)
check(thread_cpu(D, "master4") > 0 or KIND == "bird2", "there is no thread called master4")
note("     %d routes of %d nets" % D.routes())
case("show route all", test_routes)
case("show route where", test_where)
if KIND != "bird2":
    case("json show route", test_json)
case("configure", test_configure)
if KIND != "bird2":
    case("clients' weight", test_weight)
LOAD.stop()
case("down", D.stop)
done()
