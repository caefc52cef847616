# SPDX-License-Identifier: GPL-3.0-or-later
"""`ternc support FILE`: the parts of the bundle, masks in place of secrets, an absent, a silent and a restricted
daemon, and no half file under the name."""

import json
import resource
import tarfile

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

HIDDEN = "hunter2"  # begins each secret, and nothing else
CONF = """
router id 10.0.0.1;
log "bird.log" all;
log "bird.log" { warning };
define LOG2 = "RUN/second.log";
log LOG2 { info };
log fixed "fixed.log" 16384 { info };
log "RUN/pipe.log" { bug };
log syslog name "rs" { bug };
define HALF = "hunter2half";
define PW = HALF ++ "hunter2constant";
define OPEN = "in the open";
# protocol bgp old { password "hunter2old"; }
/* the password, once
   hunter2comment */
include "members/*.conf";
protocol device { }
protocol bgp m1 { description "not hunter2plain"; disabled; local as 65000; neighbor 192.0.2.1 as 65001;
	password "hunter2plain"; ipv4 { import none; export none; }; }
protocol bgp m2 { disabled; local as 65000; neighbor 192.0.2.2 as 65002; password PW; ipv4 { import none; \
export none; }; }
protocol bgp m3 { disabled; local as 65000; neighbor 192.0.2.3 as 65003; password file "bgp.key"; ipv4 { import none; \
export none; }; }
protocol bgp m4 { disabled; local as 65000; neighbor 192.0.2.4 as 65004; ipv4 { import none; export none; };
	password
include "value.inc";
}
"""
MEMBER = """protocol bgp m5 { disabled; local as 65000; neighbor 192.0.2.5 as 65005; ipv4 { import none; export none; };
	password 'hunter2 wrong;
	password "hunter2inc"; }
"""
RIGHT = MEMBER.replace("\tpassword 'hunter2 wrong;\n", "")
REPLIES = {
    "status": "show status",
    "health": "show health",
    "protocols": "show protocols all",
    "members": "show members",
    "memory": "show memory",
    "threads": "show threads",
}
D = Daemon(CONF)
# Where a user without rights may run the program, even if the tree lies in a folder of root's own.
TERNC = shutil.copy(program("ternc"), D.dir)


def put(name, text):
    with open(os.path.join(D.dir, name), "w") as f:
        f.write(text)


def support(name, *more, before=(), ctl=None, **kw):
    """Returns: exit status, output, errors, and the path of the bundle."""
    path = os.path.join(D.dir, name)
    argv = [TERNC, *before, "-s", ctl or D.ctl, "support", path, *more]
    p = subprocess.run(argv, capture_output=True, text=True, timeout=120 * SLOW, cwd="/", **kw)
    return p.returncode, p.stdout, p.stderr, path


def unpack(path):
    """The parts {name: text}; each is a file of mode 0600 in one folder."""
    parts = {}
    equal(os.stat(path).st_mode & 0o7777, 0o600, "mode of the bundle")
    with tarfile.open(path, "r:") as tar:
        for m in tar.getmembers():
            check(m.isreg() and m.mode == 0o600 and m.name.startswith("tern-support/"), m.name)
            parts[m.name.split("/", 1)[1]] = tar.extractfile(m).read().decode()
    return parts


def no_secret(parts):
    for name, text in parts.items():
        check(HIDDEN not in text, "%s has a secret: %s" % (name, text))


def told(parts, out):
    """MANIFEST and the output have a line for each part, with its octets."""
    check(out.startswith(parts["MANIFEST"]), out)
    for name, text in parts.items():
        if name != "MANIFEST":
            check("%s: %d octets (" % (name, len(text.encode())) in out, "%s: %s" % (name, out))


def lacks(out, name):
    """The reason for which the bundle lacks the part."""
    found = re.search("^%s: not packed: (.*) [(]" % re.escape(name), out, re.M)
    check(found, "%s: %s" % (name, out))
    return found.group(1)


os.mkdir(D.dir + "/members")
put("members/a.conf", RIGHT)
put("value.inc", '"hunter2lexical";\n')
put("bgp.key", "hunter2file\n")
os.mkfifo(D.dir + "/pipe.log")
D.start()


def whole():
    # the text in force has another secret than the file
    put("members/a.conf", MEMBER)
    equal(D.code("configure"), 8002, "configure")
    wait_until(lambda: "a quoted name must end" in D.whole_log(), D.whole_log)
    for i in range(1500):
        with open(D.log, "a") as f:
            f.write("line %d of hunter2inc\n" % i)
    with open(D.log, "a") as f:
        f.write('2026-01-01 10:00:00 <INFO> was password "hunter2former"\n')
        f.write('another program { password "hunter2unknown"; }\n')
    rc, out, err, path = support("whole.tar")
    equal((rc, err), (0, ""), out)
    parts = unpack(path)
    no_secret(parts)
    told(parts, out)
    check(out.endswith("read the files before you send the bundle.\n"), out)
    for name, command in REPLIES.items():
        check(parts[name + ".txt"].strip() and "(%s)" % command in out, command)
        objects = [json.loads(line) for line in parts[name + ".json"].splitlines()]
        equal(objects[-1]["type"], "summary", command)
    check("Last configure failed" in parts["status.txt"], parts["status.txt"])
    check("\nm5 " in parts["protocols.txt"], parts["protocols.txt"])
    check("ternc (tern " in parts["versions.txt"] and os.uname().release in parts["versions.txt"], "versions")
    main = parts["configuration/001-rs.conf"]
    whole_file = D.read()
    equal(main.count("\n"), whole_file.count("\n"), "lines of the configuration")
    for text in (
        'define HALF = ***;\ndefine PW = ***;\ndefine OPEN = "in the open";\n',
        '# protocol bgp old { password ***\n',
        'description "not ***"',
        "\tpassword ***; ipv4 {",
        "password PW; ipv4 {",
        'password file "bgp.key"; ipv4 {',
        '\tpassword\ninclude "value.inc";\n}\n',
    ):
        check(text in main, "%s: %s" % (text, main))
    equal(parts["configuration/003-value.inc"], "***;\n", "a value in a file of its own")
    member = parts["configuration/002-a.conf"]
    check("ipv4 { import none; export none; };\n\tpassword ***\n\t***\n" in member, member)
    log = parts["logs/001-bird.log"].splitlines()
    equal((len(log), log[-1]), (1000, "another program { password ***"), "lines of the log")
    equal(log[-2], "2026-01-01 10:00:00 <INFO> was password ***", "a line with a date")
    equal(log[0], "line 502 of ***", "the first line of the log")
    equal(lacks(out, "logs/004-pipe.log"), "not a regular file", "a pipe")
    check("logs/005" not in out and "bgp.key:" not in out, out)
    check("Started" in parts["logs/002-second.log"], parts["logs/002-second.log"])
    equal(os.path.exists(path + ".part"), False, "the file under way")
    put("members/a.conf", RIGHT)
    equal(D.code("configure"), 3, "configure")


def fixed_log():
    """Of a log of fixed size the last lines are the newest lines."""
    for i in range(200):
        equal(D.code("configure check"), 20, "configure check")
        D.run('disable m1 "%d"' % i)
        D.run('enable m1 "%d"' % i)
    equal(D.code("configure"), 3, "configure")
    wait_until(lambda: "Reconfigured" in D.whole_log(), D.whole_log)
    rc, out, _, path = support("fixed.tar")
    equal(rc, 0, out)
    with open(D.dir + "/fixed.log") as f:
        text = f.read()
    part = unpack(path)["logs/003-fixed.log"]
    newest, mark = text.split("==== the newest line is above ====")[0].splitlines()[-1], "==== the newest"
    check(len(text) == 16384 and mark in text and mark not in part, "the log has run over")
    equal(part.splitlines()[-1], newest, "the newest line")


def taken_name():
    for name, why in (
        ("whole.tar", "File exists"),
        ("link.tar", "File exists"),
        ("bundle.tar.gz", "ends in .tar"),
        ("none/a.tar", "No such file or directory"),
        ("left.tar", "left.tar.part exists"),
    ):
        if name == "link.tar":
            os.symlink("nowhere", D.dir + "/link.tar")
        if name == "left.tar":
            put("left.tar.part", "")
        before = {n: os.lstat(D.dir + "/" + n).st_size for n in os.listdir(D.dir) if "tar" in n}
        rc, out, err, _ = support(name)
        check(rc == 1 and why in err and not out, "%s: %s%s" % (name, out, err))
        after = {n: os.lstat(D.dir + "/" + n).st_size for n in os.listdir(D.dir) if "tar" in n}
        equal(after, before, name)


def full_disk():
    """A limit of the size of files plays the full disk; without a handler the limit kills ternc."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    rc, out, err, path = support("full.tar", preexec_fn=limit, restore_signals=False)
    check(rc == 1 and "File too large" in err and not out, "%s %s" % (out, err))
    equal([n for n in os.listdir(D.dir) if n.startswith("full")], [], "files")
    rc, out, err, path = support("killed.tar", preexec_fn=limit)
    equal((rc, out), (-signal.SIGXFSZ, ""), err)
    equal([n for n in os.listdir(D.dir) if n.startswith("killed")], ["killed.tar.part"], "files")
    rc, out, err, path = support("killed.tar")
    check(rc == 1 and "killed.tar.part exists" in err, err)
    os.unlink(path + ".part")
    rc, out, err, path = support("killed.tar")
    equal(rc, 0, err)


def rights():
    """A restricted session gets no paths; a user without rights gets the reasons."""
    rc, out, err, path = support("restricted.tar", D.conf, before=["-r"])
    equal((rc, err), (0, ""), out)
    parts = unpack(path)
    no_secret(parts)
    check("configuration_file" not in parts["status.json"], parts["status.json"])
    if os.getuid():
        note("skip another user (not root)")
        return
    os.chmod(D.conf, 0o600)
    os.mkdir(D.dir + "/user")
    os.chown(D.dir + "/user", 65534, 65534)

    def drop():
        os.setgid(65534)
        os.setuid(65534)

    rc, out, err, path = support("user/a.tar", D.conf, preexec_fn=drop)
    equal(rc, 0, err)
    equal(lacks(out, "configuration/001-rs.conf"), "Permission denied", "configuration")
    equal(lacks(out, "status.txt"), "no connection to the daemon", "socket")
    check("Permission denied" in err, err)
    check("versions.txt" in unpack(path), out)


def denied():
    """A reply that the socket refuses is no part; the reason is the reply."""
    whole_file = D.read()
    D.write(whole_file + 'cli "RUN/noc.ctl" { deny "show members", "show threads"; };\n')
    equal(D.code("configure"), 3, "configure")
    rc, out, err, path = support("denied.tar", ctl=D.dir + "/noc.ctl")
    equal((rc, err), (0, ""), out)
    for name in "members.txt", "members.json", "threads.txt":
        check("denied" in lacks(out, name), out)
    parts = unpack(path)
    check("members.txt" not in parts and "protocols.txt" in parts and "memory.json" in parts, sorted(parts))
    D.write(whole_file)
    equal(D.code("configure"), 3, "configure")


def odd_files():
    """The daemon's file has a name with a backslash; a pattern fits no file, another fits a folder; the log is longer
    than 64 MB, its last line has no end."""
    os.makedirs(D.dir + "/odd/folder.conf")
    name = D.dir + "/odd/back\\slash.conf"
    with open(name, "w") as f:
        f.write('include "none*.conf";\ninclude "f*.conf" ;\nrouter id 10.0.0.1;\nlog "long.log" all;\n')
        f.write('protocol device { }\ninclude "plain" "quoted";\n')
    with open(D.dir + "/long.log", "wb") as f:
        f.truncate(65 << 20)
        f.seek(0, os.SEEK_END)
        f.write(b"cut off\nfirst whole line\nlast line")
    rc, out, err, path = support("odd.tar", name)
    equal((rc, err), (0, ""), out)
    parts = unpack(path)
    equal(parts["configuration/001-back_slash.conf"], open(name).read(), "the file of the daemon")
    equal(lacks(out, "configuration/002-none*.conf".replace("*", "_")), "no file is like the pattern", out)
    check("folder.conf" not in out, out)
    equal(parts["logs/001-long.log"], "first whole line\nlast line\n", "the end of a long log")


def usage():
    for words in (["support"], ["support", "a.tar", "b", "c"], ["--json", "support", "a.tar"]):
        p = subprocess.run([program("ternc"), *words], capture_output=True, text=True, timeout=20 * SLOW, cwd=D.dir)
        check(p.returncode == 1 and "support FILE.tar" in p.stderr, "%s: %s" % (words, p.stderr))
    p = subprocess.run(
        [program("ternc"), "-s", D.ctl], input="support a.tar\n", capture_output=True, text=True, timeout=20 * SLOW
    )
    check(p.returncode == 1 and "from the shell" in p.stdout, p.stdout)


def silent():
    """A daemon that does not answer costs one wait."""
    freeze(D.pid)
    try:
        rc, out, err, path = support("silent.tar", D.conf)
    finally:
        os.kill(D.pid, signal.SIGCONT)
    equal(rc, 0, err)
    for name in REPLIES:
        equal(lacks(out, name + ".json"), "no connection to the daemon", name)
    check("configuration/001-rs.conf" in unpack(path), out)


def absent():
    D.stop()
    rc, out, err, path = support("absent.tar", D.conf)
    equal(rc, 0, err)
    parts = unpack(path)
    no_secret(parts)
    told(parts, out)
    equal(lacks(out, "health.txt"), "no connection to the daemon", "health")
    check("Unable to connect" in err and "configuration/002-a.conf" in parts, err + out)
    equal(lacks(out, "logs/001-bird.log"), "No such file or directory", "a relative name without the daemon's folder")
    check("logs/002-second.log" in parts, out)
    # the configuration in the current folder, and a configuration that includes itself
    put("tern.conf", 'include "tern.conf";\ninclude "none/*.conf";\npassword "hunter2self";\n')
    p = subprocess.run(
        [program("ternc"), "-l", "support", "local.tar"], capture_output=True, text=True, timeout=20 * SLOW, cwd=D.dir
    )
    equal(p.returncode, 0, p.stderr)
    parts = unpack(D.dir + "/local.tar")
    no_secret(parts)
    equal(lacks(p.stdout, "configuration/009-tern.conf"), "files are included more than 8 deep", "depth")
    check("password ***;" in parts["configuration/001-tern.conf"], p.stdout)


case("the bundle", whole)
case("a log of fixed size", fixed_log)
case("the name is taken", taken_name)
case("full disk, killed client", full_disk)
case("rights", rights)
case("denied commands", denied)
case("odd files", odd_files)
case("usage", usage)
case("silent daemon", silent)
case("absent daemon", absent)
done()
