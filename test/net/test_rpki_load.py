# SPDX-License-Identifier: GPL-3.0-or-later
"""Protocol rpki under load: many VRPs that go and come while sessions flap and the configuration is read each second;
many caches that come and go, after which nothing is left."""

from caches import *

if KIND != "ternd":
    cannot_here("this is about ternd")

JUDGE = """
roa4 table r4;
roa6 table r6;
aspa table as1;
attribute int judged;
filter judge { if roa_check(r4) = ROA_VALID then judged = 1; else if roa_check(r4) = ROA_INVALID then judged = 2; \
accept; }
"""


def flapping(clients, vrps, drops):
    """Members whose nets are those of VRPs: (options and steps of ternload, configuration)."""
    path = os.path.join(temp_dir(), "prefixes")
    with open(path, "w") as f:
        f.write("".join(v[0] + "\n" for v in sorted(vrps)[:: max(1, len(vrps) // 4000)]))
    options = load_options(free_port(), clients, nets=2000, ratio=2.4, seed=SEED, no_filter=True, prefixes=path)
    text = (
        load_conf(options)
        .replace("timeformat protocol iso long ms;", "")
        .replace("template bgp", JUDGE + "template bgp")
    )
    steps = "announce,settle=500,%s,settle=1000" % ",".join(["drop=%d:0.5" % (clients // 5)] * drops)
    return options, steps, text.replace("import all;", "import keep filtered; import filter judge;")


def many():
    """Many VRPs: all withdrawn and back, and a restart that moves nothing, while the configuration is read each second,
    members go and return, and another cache flaps. In the end each member holds what he must."""
    cnt, clients, drops = (600000, 100, 60) if SOAK else (100000 // SLOW, 10, 3)
    cache, flap = Cache(free_port()), Cache(free_port())
    vrps = crowd(cnt)
    cache.vrps, flap.vrps = vrps, set(VRPS)
    options, steps, text = flapping(clients, vrps, drops)
    # it takes its time to make an answer
    d = Daemon(text + rpki("c", cache.port, "retry keep 60;") + rpki("f", flap.port)).start()
    count = lambda: int(
        (re.findall(r"Routes: +(\d+) imported", d.text("show protocols all c")) + [0])[0]
    )  # none: it isn't up
    wait_until(lambda: count() == cnt, "all", 60)
    load = Load(options, 1800 if SOAK else 120, steps)
    base, rounds, configured = None, 0, 0
    while load.proc.poll() is None or rounds < 3:
        before = updates(d)
        cache.session += 1
        cache.past = {}
        cache.notify()
        wait_until(
            lambda: field(d, "Session ID") == str(cache.session) and state(d)[1] == "Established",
            lambda: "its restart: " + d.text("show protocols all c") + d.said(),
            60,
        )
        equal(updates(d), before, "updates by a restart")
        for want in (set(), vrps):
            cache.set(want)

            def all_come():
                nonlocal configured
                if time.monotonic() > configured + 1:
                    flap.drop()
                    check(d.code("configure") in (3, 4), "configure")
                    configured = time.monotonic()
                return count() == len(want)

            wait_until(all_come, lambda: "%d of %d" % (count(), len(want)), 60)
        equal(updates(d), [before[0] + cnt, before[1] + cnt], "updates")
        rounds += 1
        base = base or d.stats()
    wait_state(d, "Established", "f")
    load.succeed()
    now = d.stats()
    note("     %d rounds of %d VRPs, %d members: %r" % (rounds, cnt, clients, now))
    check(now["fds"] <= base["fds"] + 2 and now["threads"] <= base["threads"] + 2, "left behind: %r, %r" % (base, now))
    if not is_sanitized(program("ternd")):  # which keep what is freed
        check(now["rss_kb"] < base["rss_kb"] * 1.3 + 20000, "memory: %r, %r" % (base, now))
    flap.kill()
    finish(cache, d)


def come_and_go():
    """Instances are configured and go, caches die and return: threads, descriptors and tables are as before."""
    rng = random.Random(SEED)
    caches = {"c%d" % i: Cache(free_port()) for i in range(40)}
    for i, cache in enumerate(caches.values()):
        cache.vrps = set(VRPS) | {("10.%d.0.0/16" % i, 16, 65000)}
        cache.aspas = {65000 + i: [65100]}
    d = Daemon(conf()).start()
    equal(d.code("show status"), 13, "show status")  # the connection for commands
    base = d.stats()
    came, there, rss_kb, most = 0, set(), 0, 1000 if SOAK else 100
    while came < most:
        now = set(rng.sample(sorted(caches), 20))
        d.write(conf(*[rpki(name, caches[name].port) for name in sorted(now)]))
        check(d.code("configure") in (3, 4), "configure")
        came += len(now - there)
        there = now
        wait_until(
            lambda: {k for k in keys(d, "as1")} == {"AS%d" % (65000 + int(name[1:])) for name in there},
            lambda: "the data of all: %r, not %r" % (keys(d, "as1"), sorted(there))
            + d.text("show protocols")
            + d.said(),
        )
        for name in rng.sample(sorted(there), 5):
            caches[name].kill()
            caches[name].session += rng.randrange(2)
            caches[name].open()
            came += 1
        rss_kb = rss_kb or d.stats()["rss_kb"]
    d.write(conf())
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: not keys(d) and not keys(d, "as1"), "nothing in the end")
    # one thread more: that which frees what readers have left
    gone = lambda: d.stats()["fds"] <= base["fds"] + 1 and d.stats()["threads"] <= base["threads"] + 1
    wait_until(gone, lambda: "left behind: %r, %r" % (base, d.stats()))
    note("     %d came and went: %r, then %r" % (came, base, d.stats()))
    if not is_sanitized(program("ternd")):  # which keep what is freed
        check(d.stats()["rss_kb"] < rss_kb * 1.2, "memory: %d kB, then %r" % (rss_kb, d.stats()))
    d.stop()
    for cache in caches.values():
        cache.kill()


in_namespace()
subprocess.run(["ip", "link", "set", "lo", "up"], check=True, timeout=20)
real_case("many VRPs that go and come", many)
case("caches that come and go", come_and_go)
done()
