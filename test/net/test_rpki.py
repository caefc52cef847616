# SPDX-License-Identifier: GPL-3.0-or-later
"""Protocol rpki: caches of all versions, that restart with another session id, freeze, lie and die; several of them
into one table; what follows for routes."""

from caches import *

if KIND != "ternd":
    cannot_here("this is about ternd")


def versions():
    """All versions that a cache may speak, however it says so; ASPAs come with version 2."""
    for version in (0, 1, 2):
        for lower in ("error", "error 0", "answer"):
            cache, d = start(aspas={65001: [65002, 65003]}, version=version, lower=lower)
            wait_state(d, "Established")
            wait_until(lambda: len(keys(d)) == 2, "two ROAs")
            wait_until(lambda: keys(d, "r6") == ["2001:db8::/32-48 AS65001"], lambda: "roa6: %r" % keys(d, "r6"))
            equal(field(d, "Protocol version"), str(version), "version")
            wait_until(
                lambda: keys(d, "as1") == (["AS65001"] if version == 2 else []),
                lambda: "ASPAs in version %d: %r" % (version, keys(d, "as1")),
            )
            equal(field(d, "Session ID"), "4711", "session id")
            equal(field(d, "Serial number"), "1", "serial")
            if version == 2:
                check("65002 65003" in d.text("show route table as1 all"), "providers")
            cache.set(VRPS[:1], {65001: [65009], 65005: [0]})
            wait_until(lambda: keys(d) == ["192.0.2.0/24-25 AS65001"], "a withdrawal")
            wait_until(lambda: not keys(d, "r6"), lambda: "roa6: %r" % keys(d, "r6"))
            if version == 2:
                wait_until(lambda: keys(d, "as1") == ["AS65001", "AS65005"], "another ASPA")
                check("65009" in d.text("show route table as1 all"), "other providers")
                cache.set(aspas={})
                wait_until(lambda: not keys(d, "as1"), "no ASPA")
            equal(cache.asked[-1][1], SERIAL, "the last query")
            equal(cache.reports, [], "errors that the cache was told")
            finish(cache, d)
    cache, d = start("min version 2;", version=1)
    wait_state(d, "Fatal-Protocol-Error")
    check("Unsupported Protocol Version" in field(d, "Last error"), "why")
    wait_until(
        lambda: "Error Report received: Unsupported Protocol Version; trying again in 1 s" in d.whole_log(), "the log"
    )
    finish(cache, d)
    cache, d = start("max version 1;", aspas={65001: [65002]})
    wait_state(d, "Established")
    equal(field(d, "Protocol version"), "1", "max version")
    finish(cache, d)


def upgrades():
    """A cache that speaks a higher version after a restart is asked in that version, with or without another session
    id; then a lower one again. A report in a lower version, as of a cache that has no data yet, settles no version."""
    ways = (("error", 4711), ("error 0", 5), ("answer", 4711), ("answer", 6))
    d, caches = crew(len(ways), version=1)
    for (name, cache), (lower, _) in zip(caches.items(), ways):
        cache.lower = lower
        cache.set(aspas={65001: [65002]})
    for name in caches:
        wait_until(lambda: field(d, "Serial number", name) == "2", "the second serial")
        equal(field(d, "Protocol version", name), "1", name)
    equal(keys(d, "as1"), [], "ASPAs in version 1")
    before = {name: updates(d, name) for name in caches}
    for version in (2, 1, 2):
        for cache, (_, session) in zip(caches.values(), ways):
            cache.kill()
            cache.version, cache.session = version, session
            cache.open()
        for name in caches:
            wait_until(
                lambda: field(d, "Protocol version", name) == str(version) and state(d, name)[1] == "Established",
                lambda: "version %d: %s" % (version, d.text("show protocols all " + name)),
            )
        equal(sorted(roas(d).values()), [sorted(caches)] * 2, "ROAs")
        wait_until(
            lambda: version == 1 or roas(d, "as1") == {"AS65001": sorted(caches)}, lambda: "ASPAs: %r" % roas(d, "as1")
        )
    equal({name: updates(d, name) for name in caches}, before, "updates of ROAs")
    d.stop()
    for cache in caches.values():
        cache.kill()
    cache, d = start(aspas={65001: [65002]}, mode=lambda c, v, k, s, n: error_pdu(1, 2, text=b"starting"))
    wait_state(d, "Cache-Error-No-Data-Available")
    cache.mode = "ok"
    wait_until(
        lambda: keys(d, "as1") == ["AS65001"], lambda: "after a report in version 1: " + d.text("show protocols all c")
    )
    equal(field(d, "Protocol version"), "2", "version")
    finish(cache, d)


def starts_over():
    """A Serial Query that a restarted cache can't answer is followed by a Reset Query at once, not after the retry
    interval of 600 s; the log names the cache, what is wrong and what follows, and says when all is well again."""
    full = lambda c, v: pdu(v, RESPONSE, c.session) + b"".join(c.records(v)) + c.end_of_data(v)
    told = lambda bad: lambda c, v, k, s, n: bad(v, s) if k == SERIAL else full(c, v)
    ways = {
        "report": (
            told(lambda v, s: error_pdu(v, 0, b"", b"who are you")),
            "Corrupt Data: who are you; connecting again at once",
        ),
        "request": (
            told(lambda v, s: error_pdu(v, 3)),
            "Error Report received: Invalid Request; connecting again at once",
        ),
        "closes": (told(lambda v, s: None), "the cache; connecting again at once"),
        "no data": (told(lambda v, s: error_pdu(v, 2)), "No Data Available; asking for all data at once"),
        "unknown": (
            told(lambda v, s: pdu(v, RESPONSE, s) + prefix_pdu(v, ("10.0.0.0/8", 8, 1), False)),
            (
                "an unknown record was withdrawn (Withdrawal of Unknown Record; an Error Report was sent); connecting"
                " again at once"
            ),
        ),
        "half": (told(lambda v, s: pdu(v, RESPONSE, s) + error_pdu(v, 1)), "Internal Error; connecting again at once"),
        "late": (
            told(lambda v, s: pdu(v, RESPONSE, s) + error_pdu(v, 2)),
            "No Data Available; asking for all data at once",
        ),
    }
    caches = {name: Cache(free_port()) for name in ways}
    names = {name: "c%d" % i for i, name in enumerate(ways)}
    for cache in caches.values():
        cache.vrps = set(VRPS)
    d = Daemon(conf(*[rpki(names[name], caches[name].port, retry=600) for name in ways])).start()
    for name in ways:
        wait_state(d, "Established", names[name])
    before = {name: updates(d, names[name]) for name in ways}
    for name, (answer, _) in ways.items():
        cache = caches[name]
        cache.kill()
        cache.session, cache.mode, cache.asked = 77, answer, []
        cache.open()
    for name, (_, text) in ways.items():
        line = "%s: Cache 127.0.0.1 port %d: " % (names[name], caches[name].port)
        wait_until(
            lambda: field(d, "Session ID", names[name]) == "77" and state(d, names[name])[1] == "Established",
            lambda: "%s: %s" % (name, d.text("show protocols all " + names[name])),
        )
        equal([a[1] for a in caches[name].asked][:2], [SERIAL, RESET], "queries: " + name)
        equal(updates(d, names[name]), before[name], "updates: " + name)
        said = [x.split(line, 1)[1] for x in d.whole_log().splitlines() if line in x]
        check(
            any(text in x and "the cache's data stays until expiry" in x for x in said),
            "%s: the log says %r" % (name, said),
        )
        equal(said[-1], "In sync again (version 2, session id 77, serial 1)", name)
    # Without an answer to a Reset Query there is a pause, which grows.
    cache = caches["no data"]
    cache.kill()
    cache.mode, cache.asked, cache.session = "nodata", [], 78
    cache.open()
    wait_until(lambda: len(cache.asked) >= 4, lambda: "%r: %s" % (cache.asked, d.said()))
    equal([a[1] for a in cache.asked[:4]], [SERIAL, RESET, RESET, RESET], "queries without data")
    cache.mode = "ok"
    cache.notify()
    wait_until(lambda: field(d, "Session ID", names["no data"]) == "78", "data at last")
    pauses = re.findall(
        r"%s: Cache .*No Data Available: nothing yet; trying again in (\d+) s" % names["no data"], d.whole_log()
    )
    equal(int(pauses[1]), 2 * int(pauses[0]), "pauses")
    d.stop()
    for cache in caches.values():
        cache.kill()


def channel_state(d, name="c"):
    """In text and JSON: of its first channel."""
    shown = json.loads(d.run("json show protocols all " + name)[0][1])
    return field(d, "State", name), shown["channels"][0]["state"]


def never_up():
    """A channel of a cache that isn't there is down, as in BIRD, until there is data."""
    port = free_port()
    d = Daemon(conf(rpki("c", port))).start()
    wait_state(d, "Transport-Error")
    equal(channel_state(d), ("DOWN", "down"), "without a cache")
    cache = Cache(port)
    cache.set(VRPS)
    wait_until(lambda: len(keys(d)) == 2, "two ROAs", 20)
    equal(channel_state(d), ("UP", "up"), "with a cache")
    finish(cache, d)


def restarts():
    """A cache that restarts with another session id and the same data moves nothing; other data moves the
    difference."""
    cache, d = start()
    wait_until(lambda: len(keys(d)) == 2, "two ROAs")
    before = updates(d)
    since = re.findall(r"\[c (\S+)\]", d.text("show route table r4"))
    for session in (5, 6):
        cache.kill()
        wait_state(d, "Transport-Error")
        equal(len(keys(d)), 2, "ROAs while the cache is away")
        check(state(d)[0] == "start", "it is up")
        equal(channel_state(d), ("START", "start"), "the channel")
        cache.session, cache.past, cache.serial = session, {}, 1
        cache.open()
        wait_until(lambda: field(d, "Session ID") == str(session) and state(d)[1] == "Established", "the new session")
    equal(updates(d), before, "updates by a restart")
    equal(re.findall(r"\[c (\S+)\]", d.text("show route table r4")), since, "times of routes")
    cache.session = 7  # behind the back of an established connection
    cache.vrps = {VRPS[0], ("203.0.113.0/24", 24, 65003)}
    cache.notify()
    wait_until(lambda: keys(d) == ["192.0.2.0/24-25 AS65001", "203.0.113.0/24-24 AS65003"], "what differs")
    equal(updates(d), [before[0] + 1, 1], "updates")
    wait_until(lambda: "the cache has another session id" in d.whole_log(), lambda: "why, in the log")
    equal([r for r in cache.reports if "session id" not in r[1]], [], "what the cache was told")
    cache.history = 0  # Cache Reset
    cache.set(VRPS)
    wait_until(lambda: len(keys(d, "r6")) == 1 and len(keys(d)) == 2, "after Cache Reset")
    equal([x[1] for x in cache.asked[-2:]], [SERIAL, RESET], "queries")
    equal(updates(d), [before[0] + 2, 2], "updates after Cache Reset")
    # the serial wraps
    cache.history, cache.serial = 100, 2**32 - 1
    cache.session = 8
    cache.notify()
    wait_until(lambda: field(d, "Serial number") == str(2**32 - 1), "the last serial")
    cache.history = 2**40
    cache.set(VRPS[:2])
    wait_until(lambda: field(d, "Serial number") == "0" and not keys(d, "r6"), "serial 0")
    finish(cache, d)


def crew(cnt, *more, **options):
    """@cnt caches with the same data, and a daemon that has it of each: (daemon, {name: cache})."""
    caches = {"c%d" % i: Cache(free_port()) for i in range(cnt)}
    for cache in caches.values():
        cache.vrps = set(VRPS)
        for k, v in options.items():
            setattr(cache, k, v)
    d = Daemon(conf(*[rpki(name, cache.port, *more) for name, cache in caches.items()])).start()
    wait_until(lambda: len(roas(d)) == 2 and all(v == sorted(caches) for v in roas(d).values()), "the data of all")
    return d, caches


def halves():
    """What came before an answer ended in the middle is of no effect."""
    d, caches = crew(3)
    before = {name: updates(d, name) for name in caches}
    begun = roas(d)
    for mode, (name, cache) in zip(("stop", "cut", "freeze"), caches.items()):
        cache.mode = mode
        cache.session = 99  # everything anew
        cache.vrps = {("10.%d.0.0/16" % i, 16, 65000) for i in range(200)}
        cache.notify()
    for name, cache in caches.items():
        wait_until(lambda: re.search(r"%s: .*Transport-Error" % name, d.whole_log()), cache.mode)
        equal(roas(d), begun, cache.mode)
        equal(updates(d, name), before[name], cache.mode)
    for cache in caches.values():
        cache.mode = "ok"
    wait_until(lambda: sorted(roas(d).values()) == [sorted(caches)] * 200, "the whole answers")
    for name in caches:
        equal(updates(d, name), [before[name][0] + 200, 2], "updates")
    d.stop()
    for cache in caches.values():
        cache.kill()


def slow():
    """One octet a second: it holds up nobody."""
    cache, d = start("retry keep 3;", mode="slow")
    other = Cache(free_port())
    other.vrps = set(VRPS)
    d.write(conf(rpki("c", cache.port, "retry keep 3;"), rpki("o", other.port)))
    equal(d.code("configure"), 3, "configure")
    wait_state(d, "Established", "o")
    wait_until(lambda: roas(d).get("192.0.2.0/24-25 AS65001") == ["o"], "the other one's")
    # longer than Retry: something comes
    stays(lambda: state(d)[1] in ("Sync-Start", "Sync-Running"), lambda: "slow, but there: %s" % state(d)[1], 5)
    cache.mode = "ok"
    wait_state(d, "Established")
    other.kill()
    finish(cache, d)


def several():
    """Two caches into one table: an entry stays while one of them brings it."""
    a, b = Cache(free_port()), Cache(free_port())
    a.vrps, b.vrps = set(VRPS), set(VRPS[1:]) | {("203.0.113.0/24", 24, 65003)}
    a.aspas, b.aspas = {65001: [1, 2]}, {65001: [2, 3]}
    d = Daemon(conf(rpki("a", a.port), rpki("b", b.port))).start()
    both = {
        "192.0.2.0/24-25 AS65001": ["a"],
        "198.51.100.0/24-24 AS65002": ["a", "b"],
        "203.0.113.0/24-24 AS65003": ["b"],
    }
    wait_until(lambda: roas(d) == both, lambda: "both: %r" % roas(d))
    wait_until(lambda: roas(d, "as1") == {"AS65001": ["a", "b"]}, lambda: "ASPAs of both: %r" % roas(d, "as1"))
    wait_until(lambda: re.search(r"ROAs:\s+3\n", d.text("show table r4")), "three in the index")
    a.kill()
    wait_state(d, "Transport-Error", "a")
    equal(roas(d), both, "a is dead")
    b.set([])
    wait_until(
        lambda: sorted(roas(d)) == ["192.0.2.0/24-25 AS65001", "198.51.100.0/24-24 AS65002"], "b has nothing any more"
    )
    equal(d.text("eval roa_check(r4, 198.51.100.0/24, 65002)"), "ROA_VALID", "a's is asked")
    equal(d.code("disable a"), 0, "disable")
    wait_until(lambda: not roas(d), "none")
    b.kill()
    d.stop()


def lies():
    """Errors by code; each costs the session, none of the data, and the cache is told."""
    one = VRPS[0]
    cases = [
        (6, "unknown", lambda c, v, k, s, n: pdu(v, RESPONSE, c.session) + prefix_pdu(v, ("10.0.0.0/8", 8, 1), False)),
        (7, "twice", lambda c, v, k, s, n: pdu(v, RESPONSE, c.session) + 2 * prefix_pdu(v, ("10.0.0.0/8", 8, 1))),
        (
            0,
            "length of a prefix",
            lambda c, v, k, s, n: pdu(v, RESPONSE, c.session) + prefix_pdu(v, ("10.0.0.0/8", 7, 1)),
        ),
        (
            0,
            "length",
            lambda c, v, k, s, n: pdu(v, RESPONSE, c.session) + struct.pack("!BBHI", v, IPV4, 0, 7) + bytes(20),
        ),
        (0, "length", lambda c, v, k, s, n: struct.pack("!BBHI", v, IPV4, 0, 2**31) + bytes(20)),
        (5, "type", lambda c, v, k, s, n: pdu(v, 77, 0, bytes(4))),
        (8, "version", lambda c, v, k, s, n: pdu(v, RESPONSE, c.session) + prefix_pdu(v - 1, one)),
        (4, "version", lambda c, v, k, s, n: b"\xff" * 64),
        (3, "ask", lambda c, v, k, s, n: pdu(v, RESET)),
        (0, "out of place", lambda c, v, k, s, n: prefix_pdu(v, one)),
        (0, "out of place", lambda c, v, k, s, n: c.end_of_data(v)),
        (0, "session id", lambda c, v, k, s, n: pdu(v, RESPONSE, c.session) + pdu(v, END, c.session + 1, bytes(16))),
    ]
    said = (0, 1, 3, 7, 99)  # what the cache may say
    d, caches = crew(len(cases) + len(said) + 2 + 1 + 10, version=1)
    before = {name: updates(d, name) for name in caches}
    begun = roas(d)
    rest = list(caches.items())

    def some(modes):
        """The next caches, one for each of the modes, which begin now."""
        for mode in modes:
            name, cache = rest.pop(0)
            cache.mode, cache.serial = mode, 2
            cache.notify()
            yield name, cache

    liars = list(some(answer for _, _, answer in cases))
    sayers = list(some([lambda c, v, k, s, n, code=code: error_pdu(v, code, b"", b"no\nmore") for code in said]))
    # a report is never answered by one, even if its version is wrong
    late = lambda c, v, k, s, n: pdu(v, RESPONSE, c.session) + error_pdu(v - 1, 1, b"", b"other")
    early = lambda c, v, k, s, n: error_pdu(v - 1, 1, b"", b"other")
    reporters = list(some([late, early]))
    ((empty, _),) = some(["nodata"])
    rng = [random.Random(SEED + i) for i in range(10)]  # garbage behind a good beginning
    garbage = list(
        some([lambda c, v, k, s, n, r=r: pdu(v, RESPONSE, c.session) + r.randbytes(r.randrange(1, 400)) for r in rng])
    )
    for (code, text, _), (name, cache) in zip(cases, liars):
        wait_until(lambda: cache.reports, lambda: "error %d (%s): %s" % (code, text, d.said()))
        check(
            cache.reports[0][0] == code and text in cache.reports[0][1],
            "told %r, not %d %s" % (cache.reports[0], code, text),
        )
    for name, cache in sayers:
        wait_state(d, "Fatal-Protocol-Error", name)
        check("no?more" in field(d, "Last error", name), "its text")
    for name, cache in reporters:
        wait_until(
            lambda: ": other" in d.text("show protocols all " + name),
            lambda: "its text: " + d.text("show protocols all " + name),
        )
        equal(cache.reports, [], "reports of reports")
    wait_state(d, "Cache-Error-No-Data-Available", empty)
    equal(state(d, empty)[0], "up", "it is connected")
    for name, cache in garbage:
        wait_until(lambda: len(cache.asked) > (60 if SOAK else 3), "another try", 200 if SOAK else 20)
    check(d.alive(), "the daemon")
    equal(roas(d), begun, "ROAs after all that")
    for name, cache in caches.items():
        equal(updates(d, name), before[name], "updates")
        cache.mode = "ok"
    for name in caches:
        wait_state(d, "Established", name)
        equal(updates(d, name), before[name], "updates")
    equal(roas(d), begun, "ROAs in the end")
    d.stop()
    for cache in caches.values():
        cache.kill()


def old_aspa():
    """An ASPA of an earlier draft, or a malformed one: version 1 goes on, and the log says so."""
    early = lambda v: pdu(v, ASPA, 0, struct.pack("!BBHII", 1, 3, 1, 65001, 65002))
    unsorted = lambda v: pdu(v, ASPA, 256, struct.pack("!III", 65001, 7, 6))
    for bad in (early, unsorted):
        cache, d = start(vrps=[])
        wait_state(d, "Established")

        def answer(c, v, k, s, n):
            data = pdu(v, RESPONSE, c.session) + b"".join(prefix_pdu(v, x) for x in VRPS)
            return data + (bad(v) if v == 2 else b"") + c.end_of_data(v)

        cache.mode, cache.session = answer, 5
        cache.notify()
        wait_until(lambda: len(keys(d)) == 2, "the ROAs")
        equal(field(d, "Protocol version"), "1", "version")
        wait_until(lambda: "going on with version 1" in d.whole_log(), "the log")
        finish(cache, d)
    # When no answer is due it is an error like others: there is nothing to ask for in another version.
    cache, d = start(aspas={65001: [65002]})
    wait_until(lambda: keys(d, "as1") == ["AS65001"], "an ASPA")
    for bad in (early(2), error_pdu(2, 4)):
        wait_until(lambda: len(cache.links) == 1, "the connection before has gone")
        cache.links[0][0].sendall(bad)
        wait_until(
            lambda: "Fatal-Protocol-Error state (%s" % ("a wrong PDU" if bad[1] == ASPA else "another Error Report")
            in d.whole_log(),
            "that it is told",
        )
        wait_state(d, "Established")
        equal(field(d, "Protocol version"), "2", "version")
        equal(keys(d, "as1"), ["AS65001"], "ASPAs")
    check("going on with version" not in d.whole_log(), "the log")
    equal([code for code, _ in cache.reports], [9], "what the cache was told")
    finish(cache, d)


def commands():
    """disable, enable, restart, reload, configure."""
    cache, d = start()
    wait_until(lambda: len(keys(d)) == 2, "two ROAs")
    asked = len(cache.asked)
    before = updates(d)
    equal(d.code("reload in c"), 0, "reload")
    wait_until(lambda: updates(d)[0] == before[0] + 2, "all pass the policy again")
    equal(len(cache.asked), asked, "the cache isn't asked for that")
    d.write(d.read().replace("roa4;", "roa4 { import where net.asn != 65001; };"))
    equal(d.code("configure"), 3, "configure")
    wait_until(lambda: keys(d) == ["198.51.100.0/24-24 AS65002"], "the import filter")
    d.write(d.read().replace("retry keep 1;", "retry keep 1; refresh keep 5; expire keep 600;"))
    equal(d.code("configure"), 3, "configure")
    # while a query is under way there is no such timer
    wait_until(lambda: field(d, "Refresh timer").endswith("/5") and field(d, "Expire timer").endswith("/600"), "times")
    equal(len(cache.asked), asked, "no restart")
    wait_until(lambda: len(cache.asked) > asked, "a query by the new time")
    equal(d.code("disable c"), 0, "disable")
    wait_until(lambda: not keys(d), "no ROA")
    wait_until(lambda: state(d)[0] == "down", "the state")
    equal(d.code("enable c"), 0, "enable")
    wait_until(lambda: len(keys(d)) == 1, "one ROA")
    equal(d.code("restart c"), 0, "restart")
    wait_until(lambda: len(keys(d)) == 1 and state(d)[1] == "Established", "one ROA")
    equal(cache.asked[-1][1], RESET, "a restart asks for everything")
    d.write(d.read().replace("roa4 { import where net.asn != 65001; };", "roa4 { import limit 1 action disable; };"))
    check(d.code("configure") in (3, 4), "configure")
    d.code("restart c")
    stopped = lambda: state(d)[0] == "down" and "Route limit exceeded" in d.text("show protocols all c")
    wait_until(stopped, "the limit")
    cache.set(crowd(50000))  # too many for the table at once: it ends while there are more to tell
    d.write(d.read().replace("import limit 1 ", "import limit 2000 ").replace("retry keep 1;", "retry keep 5;"))
    for command in ("configure", "enable c"):  # either starts it
        asked = len(cache.asked)
        check(d.code(command) in (0, 3, 4), command)
        wait_until(
            lambda: len(cache.asked) > asked and stopped(), lambda: "the limit: " + d.text("show protocols all c")
        )
    cache.set(VRPS)
    equal(d.code("enable c"), 0, "enable")
    wait_until(lambda: len(keys(d)) == 2, lambda: "what is left: " + d.text("show protocols all c"))
    other = Cache(free_port())
    other.vrps = {VRPS[0]}
    d.write(conf(rpki("c", other.port, "ignore max length;")))
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: keys(d) == ["192.0.2.0/24-32 AS65001"], lambda: "another cache: %r" % keys(d))
    d.write(conf())
    check(d.code("configure") in (3, 4), "configure")
    wait_until(lambda: not keys(d), "nothing of it")
    other.kill()
    finish(cache, d)


def once():
    """Where `import keep filtered` keeps ROAs, a changed import filter is asked once about each."""
    cache = Cache(free_port())
    cache.vrps = set(VRPS)
    text = conf(
        rpki(
            "c", cache.port, channels='roa4 { import keep filtered; import filter { print "first ", net; accept; }; };'
        )
    )
    d = Daemon(text).start()
    wait_until(lambda: len(keys(d)) == 2, "two ROAs")
    for word in "second", "third":
        d.write(text.replace("first", word))
        equal(d.code("configure"), 3, "configure")
        wait_until(lambda: d.whole_log().count(word + " ") >= 2, word)
    for word in "first", "second":
        equal(d.whole_log().count(word + " "), 2, word)
    finish(cache, d)


def md5():
    """TCP MD5: with the cache's key, by address and by name, and with another one."""
    cache = Cache(free_port())
    cache.vrps = set(VRPS)
    key = b"secret"
    sockaddr = struct.pack("=HH", socket.AF_INET, 0) + socket.inet_aton("127.0.0.1") + bytes(120)
    try:
        cache.listener.setsockopt(
            socket.IPPROTO_TCP, 14, sockaddr + struct.pack("=BBHI", 0, 0, len(key), 0) + key.ljust(80, b"\0")
        )
    except OSError as e:
        cannot_here("no TCP MD5: %s" % e)
    more = 'transport tcp { authentication md5; password "%s"; };'
    named = lambda name, password: rpki(name, cache.port, more % password).replace(
        "remote 127.0.0.1", 'remote "localhost"'
    )
    d = Daemon(
        conf(
            rpki("c", cache.port, more % "secret"),
            named("m", "secret"),
            rpki("w", cache.port, more % "wrong"),
            named("x", "wrong"),
            rpki("n", cache.port),
        )
    ).start()
    for name in "cm":
        wait_state(d, "Established", name)
        equal(field(d, "Transport", name), "TCP MD5", "transport")
    for name in "wxn":
        wait_until(lambda: re.search(r"%s: Cache .*; trying again in " % name, d.whole_log()), "a try that failed")
        check(state(d, name)[1] in ("Connecting", "Transport-Error"), "without the key: %r" % (state(d, name),))
    finish(cache, d)


def names():
    """By name: resolved beside the loop; one that doesn't exist is told."""
    cache = Cache(free_port())
    cache.vrps = set(VRPS)
    d = Daemon(
        conf(rpki("c", cache.port), rpki("n", cache.port))
        .replace("remote 127.0.0.1", 'remote "localhost"', 1)
        .replace("n { roa4; roa6; aspa; remote 127.0.0.1", 'n { roa4; roa6; aspa; remote "no.such.name.invalid"')
    ).start()
    wait_state(d, "Established")
    equal(field(d, "Cache server"), "localhost", "name")
    wait_until(lambda: state(d, "n")[1] == "Transport-Error", "no such name")
    wait_until(lambda: "Can't resolve 'no.such.name.invalid'" in field(d, "Last error", "n"), "why")
    finish(cache, d)


def with_own(d, source):
    """The daemon with functions of ours in place of the C library's."""
    if is_sanitized(program("ternd")):
        cannot_here("sanitizers want to be loaded first")
    where = temp_dir()
    with open(os.path.join(where, "ext.c"), "w") as f:
        f.write(source)
    subprocess.run(
        os.environ.get("CC", "cc").split()
        + ["-O1", "-shared", "-fPIC", "-o", where + "/own.so", where + "/ext.c", "-ldl"],
        check=True,
        timeout=60,
    )
    argv = d.argv
    d.argv = lambda *more: ["env", "LD_PRELOAD=%s/own.so" % where] + argv(*more)
    return d


class NameServer:
    """Answers when it is told."""

    def __init__(self):
        self.path = os.path.join(temp_dir(), "name_server")
        os.mkfifo(self.path)

    def answer(self):
        """Whoever asks. Returns: did anybody?"""
        try:
            os.close(os.open(self.path, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return False
        return True


SLOW_NAMES = """
#include <fcntl.h>
#include <netdb.h>
#include <sys/prctl.h>
#include <unistd.h>
/* as when no name server answers, until the test opens the pipe */
int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **all)
{
	prctl(PR_SET_NAME, "asking");
	close(open("PIPE", O_RDONLY));
	return EAI_AGAIN;
}
"""


def slow_names():
    """A name server that doesn't answer: however often it is tried, one thread waits for it, and none when nobody wants
    it."""
    names = NameServer()
    d = with_own(
        Daemon(conf(rpki("dead", free_port()).replace("remote 127.0.0.1", 'remote "slow.example"'))),
        SLOW_NAMES.replace("PIPE", names.path),
    ).start()

    def asking():
        cnt = 0
        for path in glob.glob("/proc/%d/task/*/comm" % d.pid):
            try:
                with open(path) as f:
                    cnt += f.read() == "asking\n"
            except OSError:
                pass  # the thread has ended meanwhile
        return cnt

    tries = lambda: d.whole_log().count("Changing from Transport-Error to Connecting")
    most = 0

    def again():
        nonlocal most
        most = max(most, asking())
        return tries() >= 3

    wait_until(again, "it isn't tried again")
    equal(most, 1, "threads that ask at a time")
    wait_until(names.answer, "a thread that asks")
    wait_until(lambda: "Can't resolve 'slow.example'" in field(d, "Last error", "dead"), "that it is told")
    equal(d.code("disable dead"), 0, "disable")
    wait_until(lambda: not names.answer() and asking() == 0, "the end of the thread")
    had = tries()
    # it was tried each second
    stays(
        lambda: (tries(), asking()) == (had, 0),
        lambda: "tries and threads of who is disabled: %d, %d" % (tries() - had, asking()),
        2.5,
    )
    d.stop()


LATE_NAMES = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <unistd.h>
/* an answer when the test opens the pipe */
int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **all)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
		dlsym(RTLD_NEXT, "getaddrinfo");

	close(open("PIPE", O_RDONLY));
	return real("127.0.0.1", service, hints, all);
}
"""


def late_names():
    """The answer of a name server that comes between two tries, of a second each and about a second apart, is for the
    next one."""
    names = NameServer()
    cache = Cache(free_port())
    cache.vrps = set(VRPS)
    d = with_own(
        Daemon(conf(rpki("c", cache.port).replace("remote 127.0.0.1", 'remote "late.example"'))),
        LATE_NAMES.replace("PIPE", names.path),
    ).start()
    wait_state(d, "Transport-Error")
    wait_until(names.answer, "a question")  # there is one answer: the session that comes is of this one
    wait_state(d, "Established")
    tries = d.whole_log().count("to Connecting")
    check(tries >= 2, "tries: %d" % tries)
    finish(cache, d)


def expires():
    """Data of a cache that is gone leaves after Expire, with a line in the log, and comes back with the cache.
    600 s is the least that language and protocol know."""
    if not VIRTUAL:
        cannot_here("600 s pass in virtual time")
    after_s = 600
    cache = Cache(free_port())
    cache.vrps = set(VRPS)
    d = Daemon(conf(rpki("c", cache.port, "refresh keep 1; expire keep 600;"))).start()
    expired = lambda what: wait_until(lambda: not keys(d), what, 40 + after_s, 1)
    wait_until(lambda: len(keys(d)) == 2, "two ROAs")
    cache.kill()
    gone = time.monotonic()
    wait_state(d, "Transport-Error")
    equal(len(keys(d)), 2, "ROAs of a dead cache")
    expired("that its data expires")
    check(time.monotonic() - gone > after_s - 1, "after %.1f s, not %d" % (time.monotonic() - gone, after_s))
    wait_until(lambda: "The cache's data has expired: 3 records are removed" in d.whole_log(), "the log")
    equal(field(d, "Session ID"), "---", "session id")
    wait_state(d, "Transport-Error")  # for a moment it tries again
    cache.open()
    wait_until(lambda: len(keys(d)) == 2, "it is back")
    cache.mode = "freeze"  # connections, but no answer
    expired("that it expires again")
    finish(cache, d)


MEMBER = """
router id 10.0.0.1;
log "RUN/bird.log" all;
roa4 table r4%(settle)s;
protocol device {}
protocol bgp m1 { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; neighbor 127.0.11.1 as 65001;
  ipv4 { import keep filtered; import where roa_check(r4) != ROA_INVALID; export none; }; }
"""


def rounds():
    """An End of Data is the end of a round: routes are judged again at once, not after the settle time, unless the file
    has one."""
    for settle in ("", " { digest settle time 1 s 20 s; }"):
        port, cache = free_port(), Cache(free_port())
        d = Daemon(MEMBER % dict(port=port, settle=settle) + rpki("c", cache.port, "", "roa4;")).start()
        m1 = member(port, 1)
        m1.update(["10.%d.0.0/16" % i for i in range(100)])
        count = lambda: int(re.search(r"(\d+) of \d+ routes", d.text("show route table master4 count")).group(1))
        wait_until(lambda: count() == 100, "all routes")
        took = []
        for i in range(3 if settle else 6):
            cache.set({("10.%d.0.0/16" % x, 16, 9) for x in range(50)} if i % 2 == 0 else set())
            began = time.monotonic()
            wait_until(lambda: count() == (100 if i % 2 else 50), "the other verdict")
            took.append(time.monotonic() - began)
        if settle:
            check(min(took) > 0.8, "the settle time isn't kept: %r" % took)
        else:
            check(not VIRTUAL or sorted(took)[3] < 0.5, "a verdict waits for the settle time: %r" % took)
        finish(cache, d)


def example():
    """doc/examples/rpki.conf is right, where rs.conf there includes it."""
    where = temp_dir()
    shutil.copytree(os.path.join(SRC, "doc/examples"), where, dirs_exist_ok=True)
    keys = ["rtr", "validator.key"]  # ternd warns of keys that it can't read
    for key in keys:
        open(os.path.join(where, key), "w").close()
    conf = os.path.join(where, "rpki.conf")
    with open(conf) as f:
        text = f.read()
    with open(conf, "w") as f:
        f.write(text.replace("/etc/tern/", where + "/"))
    equal([key for key in keys if '"/etc/tern/%s"' % key not in text], [], "keys that the example names")
    p = subprocess.run(
        [program("ternd"), "-p", "-c", os.path.join(where, "rs.conf")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    equal((p.returncode, p.stdout), (0, b""), "what ternd says")


WAIT = """
router id 10.0.0.1;
log "RUN/bird.log" all;
roa4 table r4 { rpki wait %(wait)s; };
ipv4 table t3;
protocol device {}
template bgp m { local 127.0.10.1 port %(port)d as 65000; multihop; passive; rs client; }
protocol bgp m1 from m { neighbor 127.0.11.1 as 65001; ipv4 { import where roa_check(r4) != ROA_INVALID; export all; \
}; }
protocol bgp m2 from m { neighbor 127.0.11.2 as 65002; ipv4 { import none; export where roa_check(r4) != \
ROA_INVALID%(more)s; }; }
protocol bgp m3 from m { neighbor 127.0.11.3 as 65003; ipv4 { table t3; import none; export all; }; }
protocol bgp m4 from m { neighbor 127.0.11.4 as 65004; ipv4 { import all; export none; }; }
protocol pipe p { table master4; peer table t3; import none; export where roa_check(r4) = ROA_VALID; }
"""


def waiting(d):
    return [line for line in d.text("show status").splitlines() if "Waiting" in line]


def cold():
    """`rpki wait`: who asks a table neither takes nor sends routes, End-of-RIB included, before a cache has said all,
    and what is judged then is judged by all of it; behind a pipe, too. A table that was ready stays so. Without a cache
    it takes so long."""
    end = struct.pack("!HH", 0, 0)
    for dead in (False, True):
        port, cache = free_port(), Cache(free_port())
        cache.vrps = {("10.1.0.0/16", 16, 65001), ("10.2.0.0/16", 16, 9), ("10.4.0.0/16", 16, 65004)}
        cache.mode = "freeze"
        text = WAIT + rpki("c", cache.port, "", "roa4;").replace("%", "%%")
        values = dict(port=port, wait="8 s" if dead else "600 s", more="")
        d = Daemon(text % values).start()
        m1, m2, m3, m4 = [member(port, i) for i in (1, 2, 3, 4)]
        m1.update(["10.1.0.0/16", "10.2.0.0/16", "10.3.0.0/16"])
        m4.update(["10.4.0.0/16"])
        wait_until(lambda: re.findall(r"Networks: +(\d+)", d.text("show table master4")) == ["1"], "the route of m4")
        check(
            re.search("Waiting for the first data of table r4, [0-9]+ s more", "".join(waiting(d))),
            "show status: %r" % waiting(d),
        )
        equal((m1.lying(UPDATE), m2.lying(UPDATE), m3.lying(UPDATE)), (0, 0, 0), "UPDATEs that had to wait")
        equal(re.findall(r"Networks: +(\d+)", d.text("show table master4")), ["1"], "routes that don't wait")
        if not dead:
            d.write(text % dict(values, more=" && bgp_path.len < 9"))
            check(d.code("configure") in (3, 4), "configure")
            stays(
                lambda: (m1.lying(UPDATE), m2.lying(UPDATE), m3.lying(UPDATE)) == (0, 0, 0),
                "no UPDATE after a configure",
                0.5,
            )
            cache.mode = "ok"
            cache.drop()
        # what m1 has sent is read now
        good = {"10.1.0.0/16", "10.3.0.0/16", "10.4.0.0/16"} | ({"10.2.0.0/16"} if dead else set())
        has = lambda: set(re.findall(r"^(10[0-9./]+) ", d.text("show route table master4"), re.M))
        wait_until(lambda: has() == good, lambda: "%s: %s" % (good, has()))
        equal(waiting(d), [], "show status")
        for m in (m1, m2, m3):
            got = []
            while end not in got:
                got.append(m.wait_for(UPDATE))
            check(
                not any(nlri("10.2.0.0/16") in u for u in got) or (dead and m != m3),
                "what is invalid was sent: %r" % got,
            )
        if not dead:
            check(any(nlri("10.4.0.0/16") in u for u in got), "what the pipe lets through: %r" % got)
            cache.kill()
            d.write(text % values)
            check(d.code("configure") in (3, 4), "configure")
            m2.s.close()
            m5 = member(port, 2)
            while m5.wait_for(UPDATE) != end:
                pass
        finish(cache, d)


in_namespace()
subprocess.run(["ip", "link", "set", "lo", "up"], check=True, timeout=20)
case("versions 0, 1 and 2", versions)
case("a cache that is upgraded", upgrades)
case("a cache that has forgotten the session", starts_over)
case("a cache that isn't there", never_up)
case("a cache that restarts moves nothing", restarts)
case("half an answer is none", halves)
case("an octet a second", slow)
case("two caches, one table", several)
case("a cache that lies", lies)
case("ASPAs of another draft", old_aspa)
case("commands and configurations", commands)
case("a changed filter asked once", once)
case("TCP MD5", md5)
case("caches by name", names)
case("names that take long", slow_names)
case("a name that comes late", late_names)
case("Expire", expires)
case("End of Data is the end of a round", rounds)
case("routes wait for the first data", cold)
case("doc/examples/rpki.conf and rs.conf", example)
done()
