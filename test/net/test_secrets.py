# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets: `password file "F"` and `secret file "F"`; no answer, log line or error has a secret."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
log "RUN/audit.log" { audit };
debug protocols all;
debug commands 2;
roa4 table r4;
protocol device { }
protocol bgp m1 { disabled; local as 65000; neighbor 192.0.2.1 as 65001; password file "bgp.key"; ipv4 { import none; \
export none; }; }
protocol rpki v { disabled; roa4 { table r4; }; remote 192.0.2.3; transport tcp { authentication md5; password file \
"RUN/rpki.key"; }; }
protocol bfd { interface "eth*" { authentication simple; password file "bfd.key" { id 1; }; }; }
"""
AO = """
protocol bgp m2 { disabled; local as 65000; neighbor 192.0.2.2 as 65002; ipv4 { import none; export none; }; \
authentication ao;
	keys { key { id 1; secret file "ao.key"; }; }; }
"""
FILES = {"bgp": "hunter2bgp\n", "ao": "hunter2ao", "rpki": "hunter2rpki\r\n", "bfd": "hunter2bfd\n"}
D = Daemon(CONF)


def key(name, text):
    with open("%s/%s.key" % (D.dir, name), "w") as f:
        f.write(text)


for name, text in FILES.items():
    key(name, text)
D.start()
D.write(CONF + AO)
if "isn't in this build" in str(D.run("configure")):
    note("this build has no TCP-AO")
    D.write(CONF)
    del FILES["ao"]


def taken():
    """Each secret is in force: another content of the file is a change of the option."""
    for name, says in [
        x
        for x in (
            ("bgp", "m1: restarts: password"),
            ("ao", "m2: changed: keys"),
            ("rpki", "v: restarts: password"),
            ("bfd", "bfd1: "),
        )
        if x[0] in FILES
    ]:
        key(name, FILES[name].strip())
        text = "\n".join(t for _, t in D.run("configure check"))
        check(says not in text and "Configuration OK" in text, "a line end is no part of the secret: " + text)
        key(name, "hunter2other")
        text = "\n".join(t for _, t in D.run("configure check"))
        check(says in text and "hunter2" not in text, "%s: %s" % (name, text))
        key(name, FILES[name])


def wrong():
    """An error names the place of the option, the file and the reason."""
    lines = {"bgp": 9, "ao": 14, "rpki": 10, "bfd": 11}
    for name in FILES:
        path = "%s/%s.key" % (D.dir, name)
        for text, why in (
            (None, "No such file or directory"),
            ("", "the file is empty"),
            ("\n", "the file is empty"),
            ("hunter2\nhunter2\n", "the file has more than one line"),
            ("hunter2\0x\n", "the file has a NUL octet"),
            ("hunter2" * 200, "File too large"),
            ("hunter2" * 15, "has"),
        ):
            key(name, text or "")
            if text is None:
                os.unlink(path)
            for command in "configure", "configure check":
                code, said = D.run(command)[-1]
                equal(code, 8002, said)
                check(said.startswith("%s:%d:" % (D.conf, lines[name])) or why == "has", said)
                check(why in said and "hunter2" not in said, said)
                check(path in said or why == "has", said)
        key(name, FILES[name])
    equal(D.run("configure")[-1][0], 3, "configure")


def told():
    for command in (
        "show protocols all",
        "json show protocols all",
        "show bfd sessions all",
        "show status",
        "show symbols",
        "show health",
        "json show health",
    ):
        text = repr(D.run(command))
        check("hunter2" not in text, text)
    check("hunter2" not in D.whole_log(), "the log")
    with open(D.dir + "/audit.log") as f:
        check("hunter2" not in f.read(), "the audit trail")


case("files", taken)
case("errors", wrong)
case("answers and logs", told)
D.stop()
done()
