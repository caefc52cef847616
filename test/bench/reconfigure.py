#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`configure` of a route server with 700 members and 1,000,000 prefixes in their prefix sets, where
one member's list has changed: what it costs beyond parsing, and who is looked at again. All members
are up (ternload plays them). Options: --prefixes N, --members N, --rounds N."""
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import language as lang

NETS = 4000


def server(a):
    """The part of the configuration that doesn't change: sessions, an import filter each."""
    opts = lang.harness.load_options(lang.PORT, a.members, nets=NETS, ratio=2.4, no_filter=True)
    text = lang.harness.load_conf(opts)
    for k in range(a.members):
        text = text.replace(
            "protocol bgp p%d from rsc {" % k,
            "filter in_%d { if net ~ AS%d_V4 then accept; dummy = 1; accept; }\n"
            "protocol bgp p%d from rsc { ipv4 { import filter in_%d; };" % (k, k, k, k),
        )
    # sets and the attribute come before their use
    head, rest = text.split("filter in_0 ", 1)
    return opts, "attribute int dummy;\n" + head, "filter in_0 " + rest


def sets(lists):
    return "".join(lang.prefix_define("AS%d_V4" % k, p) for k, p in enumerate(lists))


def counters(d):
    """{name: (updates received, export decisions)} of all sessions; bird2 counts no decisions: its
    count of updates offered to the channel stands for them."""
    out, name, received = {}, None, 0
    for _, line in d.run("show protocols all"):
        m = re.match(r"(p\d+)\s+BGP", line)
        if m:
            name = m.group(1)
        m = re.match(r"\s+Import updates:\s+(\d+)", line)
        if m:
            received = int(m.group(1))
        m = re.match(r"\s+Export updates:\s+(\d+)", line)
        if m and name:
            out[name] = (received, int(m.group(1)))
        m = re.match(r"\s+Decisions made:\s+(\d+)", line)
        if m and name:
            out[name] = (received, int(m.group(1)))
    return out


def elapsed_check(d):
    """Seconds of `configure check`: the same daemon parses the same file."""
    began = time.monotonic()
    d.code("configure check")
    return time.monotonic() - began


def measure(kind, a):
    """Returns: the figures of one daemon."""
    opts, head, rest = server(a)
    lists = lang.members(a.members, a.prefixes)
    d = lang.Daemon(kind, head + sets(lists) + rest)
    d.start()
    load = lang.harness.Load(opts, time_limit_s=600, steps="announce,settle,hold=500")
    load.wait_hold(60)
    d.quiesce()
    rounds = []
    for r in range(a.rounds):
        check = lang.median(d.check_cpu() for _ in range(3))
        parse = lang.median(elapsed_check(d) for _ in range(3))
        # the list of member r loses its first prefix and gets another
        lists[r] = sorted(set(lists[r][1:]) | {(0x01000000 + (r << 8), 24)})
        before = counters(d)
        d.write(head + sets(lists) + rest)
        cpu, elapsed = d.configure()
        after = counters(d)
        touched = sorted(n for n in before if before[n] != after.get(n))
        imports = sorted(n for n in before if before[n][0] != after.get(n, (0, 0))[0])
        rounds.append((cpu, cpu - check, elapsed, elapsed - parse, len(imports), touched, imports, "p%d" % r))
    ok = len(before) == a.members and d.established() == a.members
    load.stop()
    d.stop()
    return rounds, ok


def main(a):
    got = {k: measure(k, a) for k in lang.kinds()}
    print("%d members are up, %d prefixes in their sets, the list of one has changed" % (a.members, a.prefixes))

    def line(what, i, unit, budget=None):
        lang.say(what, *[lang.median(r[i] for r in got[k][0]) for k in lang.kinds()], unit=unit, budget=budget)

    line("configure", 0, "s of CPU")
    line("configure, beyond parsing (-p)", 1, "s of CPU", "0.05")
    line("configure, elapsed until the answer", 2, "s")
    line("configure, elapsed beyond `configure check`", 3, "s", "0.05")
    line("members that had to send their routes again", 4, "", "1")
    wrong = []
    for r in got["ternd"][0]:
        touched, imports, changed = r[5:]
        if imports != [changed]:
            wrong.append("imports of %s were looked at, not of %s" % (imports[:5], changed))
        exports = [n for n in touched if n not in imports]
        if exports:
            wrong.append("export filters of %s ran" % exports[:5])
        print(
            "tern: the list of %s changed; sent its routes again: %s; others whose filters ran: %d"
            % (changed, ", ".join(imports) or "nobody", len(exports))
        )
    if not got["ternd"][1]:
        wrong.append("not all sessions are up, or counted")
    if wrong:
        raise lang.harness.Failed("; ".join(wrong))


if __name__ == "__main__":
    lang.run(main, __doc__)
