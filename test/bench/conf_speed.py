#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A configuration with 1,000,000 prefixes in the prefix sets of 700 members: CPU time of parsing, of
starting and of `configure`, and memory. Options: --prefixes N, --members N, --rounds N."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import language as lang


def configuration(lists, with_sets):
    """The members' filters use their sets; without sets they accept everything."""
    text = ["router id 10.0.0.1;\nlog \"RUN/bird.log\" all;\nprotocol device {}\n"]
    for k, prefixes in enumerate(lists):
        if with_sets:
            text.append(lang.prefix_define("AS%d_V4" % k, prefixes))
            text.append("filter in_%d { if net ~ AS%d_V4 then accept; reject; }\n" % (k, k))
        else:
            text.append("filter in_%d { if net.len < 25 then accept; reject; }\n" % k)
    for k in range(len(lists)):
        text.append("protocol bgp m%d {\n  local 127.0.0.1 port %d as 65000;\n"
                    "  neighbor 127.0.%d.%d as %d;\n  strict bind on; passive; multihop;\n"
                    "  ipv4 { import filter in_%d; export all; };\n}\n"
                    % (k, lang.PORT, 1 + k // 200, 1 + k % 200, 100000 + k, k))
    return "".join(text)


def measure(kind, full, bare, rounds):
    """Returns: the figures of one daemon."""
    out = {}
    d = lang.Daemon(kind, bare)
    d.start()
    d.quiesce()
    out["bare_mb"] = d.rss_mb()
    d.stop()
    d = lang.Daemon(kind, full)
    out["check"] = lang.median(d.check_cpu() for _ in range(rounds))
    d.start()
    d.quiesce(120)
    out["start"] = d.cpu()
    out["start_mb"] = d.rss_mb()
    runs = [d.configure() for _ in range(rounds)]
    out["conf"] = lang.median(r[0] for r in runs)
    out["conf_s"] = lang.median(r[1] for r in runs)
    out["conf_mb"] = d.rss_mb()
    d.stop()
    return out


def main(a):
    lists = lang.members(a.members, a.prefixes)
    full, bare = configuration(lists, True), configuration(lists, False)
    got = {k: measure(k, full, bare, a.rounds) for k in lang.kinds()}
    t, b = got["ternd"], got.get("bird2")

    def line(what, key, unit, budget=None, scale=1.0, less=None):
        of = lambda x: None if x is None else (x[key] - (x[less] if less else 0)) * scale
        lang.say(what, of(t), of(b), unit, budget)

    print("%d prefixes in sets of %d members, a file of %.1f MB" %
          (a.prefixes, a.members, len(full) / 1e6))
    wanted = "%.2f" % (a.prefixes / 4e6)
    line("parsing (-p)", "check", "s of CPU", wanted)
    line("start: parsed and committed, sessions included", "start", "s of CPU", wanted)
    line("configure, nothing changed", "conf", "s of CPU")
    line("configure, elapsed until the answer", "conf_s", "s")
    line("resident after the start", "start_mb", "MB")
    line("  a prefix (less the same without sets)", "start_mb", "octets", "40",
         1048576 / a.prefixes, "bare_mb")
    line("resident after configure (the one before is kept)", "conf_mb", "MB")
    line("  a prefix (less the same without sets)", "conf_mb", "octets", "40",
         1048576 / a.prefixes, "bare_mb")
    print("tern: %.1f million prefixes/s parsed, %.1f parsed and committed (wanted: 4)" %
          (a.prefixes / t["check"] / 1e6, a.prefixes / t["start"] / 1e6))


if __name__ == "__main__":
    lang.run(main, __doc__)
