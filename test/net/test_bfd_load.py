# SPDX-License-Identifier: GPL-3.0-or-later
"""test_bfd_load checks the cost and the delay of BFD, and that no other work of the daemon delays BFD: a thousand
sessions at 3 x 100 ms with members that send one by one; BGP hears of a lost one at once; none is lost while routes
arrive, a large configuration is read again and again, tables are shown and other processes want all processors.
TERN_SOAK=1: 1,000 sessions, 2,000,000 routes, files of 50 MB, 10 minutes."""

import threading

from bfd_place import *

if KIND != "ternd":
    cannot_here("this is about ternd")

MEMBER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bfd_member.py")
HEAD = 'router id 10.8.0.%d; log "RUN/bird.log" all; protocol device {}\n'
CNT = 1000 if SOAK else 200
FAST100 = "interval %d ms; multiplier 3;" % (100 * SLOW)
# A core's percentage that a thousand sessions may cost; what is measured has the delivery to who plays the members in
# it, a fifth or more.
BUDGET = 10 / 0.8


def far(cnt):
    return ["10.9.%d.%d" % (i // 250, i % 250 + 1) for i in range(cnt)]


def sessions_conf(cnt):
    return "protocol bfd { multihop { %s };\n%s\n}\n" % (
        FAST100,
        "\n".join("neighbor %s local 10.8.1.1 multihop;" % a for a in far(cnt)),
    )


def other_ternd(cnt):
    there = "\n".join("neighbor 10.8.1.1 local %s multihop;" % a for a in far(cnt))
    return TernThere(HEAD % 2 + "protocol bfd { multihop { %s };\n%s\n}\n" % (FAST100, there)).start()


def play(*argv, **kw):
    return spawn(PLACE.enter + [sys.executable, "-B", MEMBER, *[str(a) for a in argv]], **kw)


def sums(d):
    """[sessions that are up, losses, packets sent, packets received]"""
    found = [0] * 4
    for _, line in d.run("json show bfd sessions"):
        if '"bfd_session"' in line:
            s = json.loads(line)
            for k, n in enumerate((s["state"] == "Up", s["losses"], s["packets_sent"], s["packets_received"])):
                found[k] += n
    return found


def all_up(d, cnt):
    wait_until(lambda: sums(d)[0] == cnt, lambda: "%d of %d are up" % (sums(d)[0], cnt), 60, 0.5)


def cpu_s(d, name):
    """Processor time of the thread of that name: its own, and the system's for it."""
    ticks = [(int(rest[11]), int(rest[12])) for comm, rest in d.threads() if comm == name]
    equal(len(ticks), 1, "threads called " + name)
    return [n / os.sysconf("SC_CLK_TCK") for n in ticks[0]]


def cost(who, burn):
    """What the sessions cost by the second, @burn: beside processes that want all processors."""
    d = Daemon(HEAD % 1 + sessions_conf(CNT)).start()
    o = other_ternd(CNT) if who == "another ternd" else None
    p = None if o else play("members", CNT)
    all_up(d, CNT)
    burners = [spawn([sys.executable, "-c", "while True: pass"]) for _ in range(2 * os.cpu_count() if burn else 0)]
    seconds, shares = 10 if SOAK else 2, []
    start = sums(d)
    for _ in range(3 if SOAK else 1):
        before, began, packets = cpu_s(d, "bfd1"), time.monotonic(), sums(d)[2] + CNT * seconds * 10 // SLOW
        wait_until(
            lambda: sums(d)[2] >= packets,
            lambda: "packets of %d s: %d more are to come" % (seconds, packets - sums(d)[2]),
            60,
            0.2,
        )
        took = time.monotonic() - began
        shares.append([100 * (b - a) / took for a, b in zip(before, cpu_s(d, "bfd1"))])
    own, system = sorted(shares, key=sum)[len(shares) // 2]
    end_sums = sums(d)
    for b in burners:
        end(b)
    note(
        "%d sessions with %s: %.1f %% of a processor, and %.1f %% in the system; %d losses"
        % (CNT, who, own, system, end_sums[1] - start[1])
    )
    if real_time(d) and SLOW == 1:
        if o:  # members of their own have no real-time priority
            equal(end_sums[1] - start[1], 0, "losses")
        check(own + system < BUDGET, "it costs %.1f %% of a processor" % (own + system))
    if p:
        end(p)
    else:
        o.kill()
    d.stop()


def real_time(d):
    return "No real-time priority" not in d.whole_log()


def soon(how, crowd):
    """From what says that the session is lost until the peer of the BGP session reads its Cease; @crowd: beside
    sessions that cost their time."""
    port = free_port()
    bgp = (
        "protocol bgp m { local 10.8.0.1 port %d as 65001; neighbor 10.8.0.2 as 65002; passive; error wait time 1, 1;"
        " restart time 1; bfd; ipv4 { import none; export none; }; }\n" % port
    )
    text = sessions_conf(crowd) if crowd else "protocol bfd { }\n"
    d = Daemon(HEAD % 1 + bgp + text.replace("bfd {", 'bfd { interface "a*" { %s };' % FAST100, 1)).start()
    p = play("members", crowd) if crowd else None
    all_up(d, crowd)
    tries = 50 if SOAK else 5
    o = play(how, port, tries, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    out, _ = o.communicate(timeout=(60 + 5 * tries) * SLOW)
    check(o.returncode == 0 and re.fullmatch(r"(-?\d+\n)+", out), "the member: " + out[-2000:])
    us = sorted(int(n) for n in out.split())
    note(
        "%s, beside %d sessions: the Cease came after %d to %d us, %d in the middle"
        % (how, crowd, us[0], us[-1], us[len(us) // 2])
    )
    if p:
        end(p)
    d.stop()
    check(us[0] >= 0, "too early: %s" % us)


def prefixes(cnt, octet):
    return ", ".join("%d.%d.%d.%d/32" % (octet, i >> 16 & 255, i >> 8 & 255, i & 255) for i in range(cnt))


def large(size, octet):
    """So many octets of a configuration that has to be read: functions with lists of prefixes."""
    text = "\n".join(
        "function big%d() -> bool { return net ~ [ %s ]; }" % (k, prefixes(2000, octet + k)) for k in range(10)
    )
    return "\n".join(text.replace("big", "big%d_" % k) for k in range(max(1, size // len(text))))


def delays():
    """Routes arrive, `configure` reads a large file, `show route all` runs, other processes want all processors: no
    session is lost."""
    seconds, nets, size, every = (600, 2000000, 50000000, 10) if SOAK else (4, 30000, 2000000, 2)
    port = free_port()
    options = load_options(port, 10, nets=nets, ratio=1.2, seed=SEED, first_as=70000, no_filter=True, plain=True)
    text = load_conf(options).replace("router id 10.0.0.1", "router id 10.8.0.1") + sessions_conf(CNT)
    files = [text + large(size, octet) for octet in (20, 30)]
    d = Daemon(files[0]).start()
    # the other side is a daemon whose sessions are to stand as well
    o = other_ternd(CNT)
    all_up(d, CNT)
    before = [sums(d)[1], sums(o)[1]]
    burners = [spawn([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    load = Load(options, seconds + 300, "announce,settle,rate=2000,hold=%d" % (10 * seconds))
    shows, stop = [], threading.Event()

    def show():
        while not stop.is_set():
            shows.append(
                subprocess.run(
                    [program("ternc"), "-s", d.ctl, "show", "route", "all"], stdout=subprocess.DEVNULL, check=False
                ).returncode
            )
            spread(0.1)

    looker = threading.Thread(target=show, daemon=True)
    looker.start()
    until, rounds, took = time.monotonic() + seconds, 0, []
    while time.monotonic() < until or rounds < 2:
        d.write(files[(rounds + 1) % 2])
        began = time.monotonic()
        check(d.code("configure", 300) in (3, 4), "configure: " + d.said())
        took.append(time.monotonic() - began)
        rounds += 1
        passes(min(began + every, until) - time.monotonic())
    check(load.proc.poll() is None and not any(shows), "what was to be done was done: %r %s" % (shows, load.said()))
    cnt = d.routes()[0]
    stop.set()
    looker.join(60 * SLOW)
    for p in burners:
        end(p)
    load.stop()
    after = [sums(d)[1], sums(o)[1]]
    note(
        "%d sessions, %d s: %d routes in the end, %d times configure of %d MB (%.1f s in the middle): %d losses here,"
        " %d there"
        % (
            CNT,
            seconds,
            cnt,
            rounds,
            len(files[0]) // 1000000,
            sorted(took)[len(took) // 2],
            after[0] - before[0],
            after[1] - before[1],
        )
    )
    check(rounds >= 2 and cnt > nets / 10, "only %d rounds, %d routes" % (rounds, cnt))
    if real_time(d) and SLOW == 1:
        equal([after[0] - before[0], after[1] - before[1]], [0, 0], "losses on either side")
    o.kill()
    d.stop(120)


PLACE = begin()
PLACE.run("ip route replace local 10.9.0.0/16 dev lo")
sh("ip route replace 10.9.0.0/16 via 10.8.0.2")
case("cost with members of their own", alone(cost), "members of their own", False)
case("cost with another ternd, beside others", alone(cost), "another ternd", True)
for how in ("down", "mute"):
    if SOAK:
        case("BGP hears at once: " + how, alone(soon), how, 0)
    case("BGP hears at once, of one among many: " + how, alone(soon), how, CNT)
case("nothing delays it", alone(delays))
done()
