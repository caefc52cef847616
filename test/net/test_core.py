# SPDX-License-Identifier: GPL-3.0-or-later
"""Passwords and keys in the configuration, in included files and in files of their own: while sessions use them, after
a `configure` with others, and after a refused file, no memory of the daemon that the kernel would write into a core
file has one of them. A description, which is no secret, is found: the search works."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
if is_sanitized(program("ternd")):
    cannot_here("the allocator of sanitizers keeps what is freed")

OPEN = "planted-in-the-open-%d"
AO = """protocol bgp ao { local 127.0.10.1 as 65000; multihop; ipv4 { import none; export none; };
  neighbor 127.0.11.7 as 65007; authentication ao; keys { key { id 1; secret "%s"; }; }; }
"""
KINDS = "text file include constant template range bfd bytes rpki ao".split()


def secret(kind, n):
    return "planted%d-%s" % (n, kind)


def conf(n, ao):
    """A configuration with secrets of the generation @n."""
    s = {k: secret(k, n) for k in KINDS}
    with open(D.dir + "/own.key", "w") as f:
        f.write(s["file"] + "\n")
    with open(D.dir + "/part.conf", "w") as f:
        f.write('protocol bgp inc from t { neighbor 127.0.11.3 as 65003; password "%s"; }\n' % s["include"])
    text = """router id 10.0.0.1;
log "RUN/bird.log" all;
define PW = "%s";
roa4 table r4;
protocol device { }
protocol bfd { multihop { interval 50 ms; authentication keyed sha1; password "%s" { id 1; }; password %s { id 2; \
}; }; neighbor 127.0.11.1 local 127.0.10.1 multihop on; }
protocol rpki v { roa4 { table r4; }; remote 127.0.11.9 port %d; transport tcp { authentication md5; password "%s"; \
}; retry keep 1; }
template bgp t { local 127.0.10.1 port %d as 65000; strict bind; multihop; connect delay time 1; \
connect retry time 1; ipv4 { import none; export none; }; password "%s"; }
protocol bgp own from t { description "%s"; neighbor 127.0.11.1 as 65001; password "%s"; }
protocol bgp fil from t { neighbor 127.0.11.2 as 65002; password file "own.key"; }
include "part.conf";
protocol bgp con from t { neighbor 127.0.11.4 as 65004; password PW; }
protocol bgp tem from t { neighbor 127.0.11.5 as 65005; }
protocol bgp ran from t { neighbor range 127.0.12.0/24 external; password "%s"; }
""" % (
        s["constant"],
        s["bfd"],
        ":".join("%02x" % b for b in s["bytes"].encode()),
        free_port(),
        s["rpki"],
        PORT,
        s["template"],
        OPEN % n,
        s["text"],
        s["range"],
    )
    return text + (AO % s["ao"] if ao else "")


def found():
    """The planted texts in what a core file would hold: all memory but what the kernel was told to leave out."""
    seen = set()
    at, out = None, []
    with open("/proc/%d/smaps" % D.pid) as f:
        for line in f:
            m = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)", line)
            if m:
                at = int(m.group(1), 16), int(m.group(2), 16), m.group(3), m.group(4)
            elif line.startswith("VmFlags:") and " dd" not in line and at[2][0] == "r":
                out.append(at)
    with open("/proc/%d/mem" % D.pid, "rb", 0) as f:
        for begin, end, _, name in out:
            if name in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
                continue
            f.seek(begin)
            tail = b""
            while begin < end:
                try:
                    octets = f.read(min(1 << 20, end - begin))
                except OSError:
                    break
                if not octets:
                    break
                begin += len(octets)
                text = (tail + octets).replace(b"\0", b" ")
                seen |= {m.group().decode() for m in re.finditer(rb"planted(?:\d-[a-z]+|-in-the-open-\d)", text)}
                tail = octets[-64:]
    return seen


def clean(n):
    seen = found()
    check(OPEN % n in seen, "the search finds the description: %s" % seen)
    equal({t for t in seen if "open" not in t}, set(), "secrets in memory")


PORT = free_port()
D = Daemon("router id 10.0.0.1;\n")
D.write(conf(1, False))
D.start()
D.write(conf(1, True))
HAS_AO = "isn't in this build" not in str(D.run("configure"))
if not HAS_AO:
    note("skip TCP-AO (cannot here: this build's kernel headers have no TCP-AO)")


def uses():
    """Sessions, BFD and the cache have used their secrets."""
    D.write(conf(2, HAS_AO))
    D.run("configure")
    wait_until(
        lambda: re.search("^own .*Socket:", D.text("show protocols own"), re.M), lambda: D.text("show protocols")
    )
    wait_until(lambda: "127.0.11.1" in D.text("show bfd sessions"), lambda: D.text("show bfd sessions"))
    clean(2)


def changes():
    """Neither the secrets that went nor those that came stay."""
    D.write(conf(3, HAS_AO))
    got = D.run("configure")
    check(got[-1][0] in (3, 4), "configure: %s" % got)
    D.run("configure undo")
    D.write(conf(4, HAS_AO))
    got = D.run("configure")
    check(got[-1][0] in (3, 4), "configure: %s" % got)
    clean(4)


def errors():
    """A refused file leaves nothing: an error at its end, in its middle, and at the secret itself."""
    for wrong in (
        lambda t: t + "protocol wrong { }\n",
        lambda t: t.replace("include ", "including "),
        lambda t: t.replace('password "planted5-range"', 'password "planted5-range%s"' % ("x" * 80)),
        lambda t: t.replace('password "planted5-range"', 'passwort "planted5-range"'),
        lambda t: t.replace('password "planted5-range"', 'password "planted5-range'),
    ):
        D.write(wrong(conf(5, HAS_AO)))
        got = D.run("configure check")
        equal(got[-1][0], 8002, "refused: %s" % got)
        equal(D.run("configure")[-1][0], 8002, "refused")
        clean(4)


case("sessions use secrets", uses)
case("other secrets", changes)
case("refused files", errors)
D.stop()
done()
