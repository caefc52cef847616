# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets: `password file "F"` and `secret file "F"`; no answer, log line, audit line or error has a secret, also with
JSON, on a restricted socket, and with `threads 2`."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
log "RUN/audit.log" { audit };
debug protocols all;
debug commands 2;
threads 2;
cli "RUN/ro.ctl" { restrict; };
define PW = "hunter2constant";
define OTHER = "in the open";
roa4 table r4;
protocol device { }
protocol bgp m1 { disabled; local as 65000; neighbor 192.0.2.1 as 65001; password file "bgp.key"; ipv4 { import none; \
export none; }; }
protocol rpki v { disabled; roa4 { table r4; }; remote 192.0.2.3; transport tcp { authentication md5; password file \
"RUN/rpki.key"; }; }
protocol bgp m3 { disabled; local as 65000; neighbor 192.0.2.3 as 65003; password PW; ipv4 { import none; \
export none; }; }
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
    # the kernel is not asked: the session is disabled
    note("skip TCP-AO (cannot here: this build's kernel headers have no TCP-AO)")
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
    lines = {"bgp": 13, "ao": 19, "rpki": 14, "bfd": 16}
    long = {
        "bgp": "a password has at most 80 octets",
        "ao": "a secret has 1 to 80 octets",
        "rpki": "a password has at most 80 octets",
        "bfd": "a password of BFD has 1 to 20 octets",
    }
    for name in FILES:
        path = "%s/%s.key" % (D.dir, name)
        for text, why in (
            (None, "No such file or directory"),
            ("", "the file is empty"),
            ("\n", "the file is empty"),
            ("hunter2\nhunter2\n", "the file has more than one line"),
            ("hunter2\0x\n", "the file has a NUL octet"),
            ("hunter2" * 200, "File too large"),
            ("hunter2" * 15, long[name]),
        ):
            key(name, text or "")
            if text is None:
                os.unlink(path)
            for command in "configure", "configure check":
                code, said = D.run(command)[-1]
                equal(code, 8002, said)
                check(said.startswith("%s:%d:" % (D.conf, lines[name])), said)
                check(why in said and "hunter2" not in said, said)
                check(path in said or why == long[name], said)
        key(name, FILES[name])
    equal(D.run("configure")[-1][0], 3, "configure")


def misspelled():
    """A faulty option: no message quotes a word that may be a secret."""
    whole = D.read()
    for fault, why in (
        ("password hunter2;", "expected text in double quotes, found '***'"),
        ("password 'hunter2';", "expected text in double quotes, found '***'"),
        ('password "hunter2" "hunter2";', "expected ';', found a value of type string"),
        ('password "hunter2"hunter2;', "expected ';', found '***'"),
        ("password hunter2.x;", "unexpected '.', expected '}'"),
        ("password 10.0.0.300;", "invalid IPv4 address ***"),
        ('pasword "hunter2";', "unknown option 'pasword' of protocol bgp; did you mean 'password'?"),
        ('password\n"hunter2"\nhunter2;', "expected ';' at the end of this line"),
        ("password $hunter2;", "unexpected character '$'"),
        ('hold time 90 password "hunter2";', "found 'password'"),
        ('passive password "hunter2";', "found 'password'"),
        ('description "a" password "hunter2";', "expected ';', found 'password'"),
        ('authentication md5 key "hunter2";', "expected ';', found 'key'"),
        ('keepalive; # password "hunter2"\n', "keepalive"),
        ('password "hunter2 ;', "string without an end"),
    ):
        with open(D.conf, "w") as f:
            f.write(whole + "protocol bgp m9 { local as 65000; neighbor 192.0.2.9 as 65009; %s }\n" % fault)
        code, said = D.run("configure")[-1]
        equal(code, 8002, fault)
        check(why in said or fault.endswith(' ;') and "isn't closed" in said, "%s: %s" % (fault, said))
        texts = [said, D.text("configure status"), D.text("show status"), D.text("show health")]
        r = subprocess.run(D.argv("-p"), capture_output=True, text=True, timeout=20 * SLOW)
        equal(r.returncode, 1, fault)
        check(why in r.stdout + r.stderr, r.stdout + r.stderr)
        for text in texts + [r.stdout, r.stderr]:
            check("hunter2" not in text and "10.0.0.300" not in text, "%s: %s" % (fault, text))
    with open(D.conf, "w") as f:
        f.write(whole)
    equal(D.run("configure")[-1][0], 3, "configure")


def words():
    """The words of the options that take a secret, as doc/language.md lists the options."""
    with open(os.path.join(SRC, "doc/language.md")) as f:
        return sorted(set(re.findall(r"^\| `(\w+) \( TEXT [^`]*\bfile TEXT \)", f.read(), re.M)))


def typed():
    """A command with a secret: neither the log (`debug commands 2`) nor the audit trail has the secret."""
    equal(words(), ["key", "password", "secret"], "options")
    for word in words():
        for command in '%s "hunter2"', 'bgp m1 { %s hunter2; }', "%s file hunter2", 'json show x %s="hunter2"':
            before = len(D.whole_log())
            code, said = D.run(command % word)[-1]
            equal(code, 9001, said)
            wait_until(lambda: word + " ***" in D.whole_log()[before:], lambda: D.whole_log()[before:])


def constants():
    """The constant of a secret has no value for commands."""
    for path in D.ctl, D.dir + "/ro.ctl":
        c = Cli(path)
        for command in (
            "eval PW",
            'show route where PW ~ "h*"',
            "json show route where PW = OTHER",
            "show route filter { print PW; accept; }",
        ):
            said = c.run(command)
            denied = path != D.ctl and said[-1][0] == 8007
            check("'PW' is a secret" in str(said) or denied, "%s: %r" % (command, said))
        equal(c.run('show route where OTHER = "x"')[-1][0], 0, "another constant")
        c.close()
    equal(D.run("eval OTHER")[-1], (23, "in the open"), "another constant")
    # filters: doc/language.md, `define`
    suite = "function t() { print \"<\", PW, \">\"; bt_assert(true); }\nbt_test_suite(t, \"a secret\");\n"
    with open(D.dir + "/suite.conf", "w") as f:
        f.write(CONF.replace("RUN", D.dir) + suite)
    r = subprocess.run([program("ternd"), "-t", "-c", f.name], capture_output=True, text=True, timeout=20 * SLOW)
    equal(r.returncode, 0, r.stdout + r.stderr)
    check("        <>\n" in r.stdout and "hunter2" not in r.stdout + r.stderr, r.stdout + r.stderr)


def told():
    for command in (
        "show protocols all",
        "json show protocols all",
        "show bfd sessions all",
        "show status",
        "show symbols",
        "show health",
        "json show health",
        "show filter",
        "json show symbols",
        "show symbols PW",
        "dump protocols",
        "dump filter all",
        "configure status",
        "configure check",
    ):
        text = repr(D.run(command))
        check("hunter2" not in text, text)
    check("hunter2" not in D.whole_log(), "the log")
    with open(D.dir + "/audit.log") as f:
        check("hunter2" not in f.read(), "the audit trail")


case("files", taken)
case("errors", wrong)
case("faulty options", misspelled)
case("commands with a secret", typed)
case("constants", constants)
case("answers and logs", told)
D.stop()
done()
