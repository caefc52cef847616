# SPDX-License-Identifier: GPL-3.0-or-later
"""The audit trail (`log ... { audit };`): who ran which command, with which result. Real time: the kernel knows the
process at the other end of a socket."""

import pwd
import re
import signal

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")

CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
log "%s" { audit };
threads 2;
debug commands 2;
protocol device { }
protocol static s { ipv4; route 192.0.2.0/24 blackhole; }
cli "RUN/ro.ctl" { restrict; mode "0666"; };
cli "RUN/check.ctl" { restrict; mode "0666"; allow "configure check"; };
"""
D = Daemon(CONF % "RUN/audit.log").start()
os.chmod(D.dir, 0o711)
AUDIT = D.dir + "/audit.log"
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? <AUDIT> "
ME = "uid %d login %s pid %d socket %%s" % (os.getuid(), pwd.getpwuid(os.getuid()).pw_name, os.getpid())


def lines(path=AUDIT):
    with open(path, errors="replace") as f:
        return f.read().splitlines()


def logged(text, path=AUDIT, cnt=1):
    """Wait for @cnt lines that end with @text. Returns: the last."""

    def found():
        return [x for x in lines(path) if re.fullmatch(TIME + re.escape(text), x)]

    wait_until(lambda: len(found()) >= cnt, lambda: "%s in %s" % (text, lines(path)))
    equal(len(found()), cnt, text)
    return found()[-1]


def command(sock, code, text):
    return "%s result %s command: %s" % (ME % sock, code, text)


def digest():
    return re.search(r"Digest of its files: (\w+)", D.text("show health")).group(1)


def clients():
    """Two clients, one of them on a restricted socket: each line names its socket and its result."""
    a, b = Cli(D.ctl), Cli(D.dir + "/ro.ctl")
    a.run("show  status /* all of it */")
    b.run("down")
    b.run("show protocols s")
    a.run("json show status")
    a.run("nonsense")
    a.run("disable s \"a  b\"")
    a.run("enable s")
    logged(command(D.ctl, "0013", "show status"))
    logged(command(D.dir + "/ro.ctl", "8007", "down"))
    logged(command(D.dir + "/ro.ctl", "0000", "show protocols s"))
    logged(command(D.ctl, "9001", "nonsense"))
    logged(command(D.ctl, "0000", 'disable s "a  b"'))
    check("<AUDIT>" not in D.whole_log(), "`all` has no audit lines")
    # commands whose answers go to a file or the log
    for text, code in (
        ("dump routes", "0000"),
        ('dump protocols "%s/d"' % D.dir, "0013"),
        ('dump sockets "/dev/full"', "8000"),
        ('dump routes "/nonexistent/d"', "8000"),
    ):
        equal("%04d" % a.run(text)[-1][0], code, text)
        logged(command(D.ctl, code, text))
    a.close()
    b.close()


def as_user(name, ask):
    """Run @ask in a process of user @name. Returns: its number, and the text that @ask returns."""
    if os.getuid():
        cannot_here("a process becomes another user as root alone")
    user = pwd.getpwnam(name)
    read, write = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.setgroups([])
            os.setgid(user.pw_gid)
            os.setuid(user.pw_uid)
            os.write(write, ask().encode())
            code = 0
        except BaseException as e:
            note("the process of %s: %r" % (name, e))
        finally:
            os._exit(code)
    os.close(write)
    with open(read) as f:
        said = f.read()
    equal(os.waitpid(child, 0)[1], 0, "the process of " + name)
    return child, said


def users():
    """Another user: the uid is the kernel's, not the client's word. Two commands of a session have the same name."""

    def ask():
        c = Cli(D.dir + "/ro.ctl")
        return "%d %d" % (c.run("down")[-1][0], c.run("down")[-1][0])

    child, said = as_user("nobody", ask)
    equal(said, "8007 8007", "the commands of another user")
    uid = pwd.getpwnam("nobody").pw_uid
    want = r"%suid %d login nobody pid %d socket \S+/ro\.ctl result 8007 command: down" % (TIME, uid, child)
    wait_until(lambda: len([x for x in lines() if re.fullmatch(want, x)]) == 2, lambda: "%s in %s" % (want, lines()))


def told(replies, words):
    """Some line of the replies has @words."""
    said = "\n".join(text for _, text in replies)
    check(words in said, said)


def quoted():
    """A client that names a file learns no words of files that the client may not read."""
    secret, outer = D.dir + "/secret.conf", D.dir + "/outer.conf"
    with open(secret, "w") as f:
        f.write("router id 10.0.0.1;\nhunter2;\n")
    with open(outer, "w") as f:
        f.write('include "secret.conf";\n')
    os.chmod(outer, 0o644)

    def everything_by(user, path):
        def ask():
            return "\n".join(text for _, text in Cli(D.dir + "/check.ctl").run('configure check "%s"' % path))

        return as_user(user, ask)[1]

    def asked_by(user, path):
        said = everything_by(user, path)
        check("secret.conf:2:1 " in said, said)
        return "hunter2" in said

    for folder in D.dir, os.path.dirname(D.dir):
        os.chmod(folder, 0o755)

    nobody = "nobody"
    for mode in 0o600, 0o640:
        os.chmod(secret, mode)
        for path in secret, outer:
            check(not asked_by(nobody, path), "another user reads %s, mode %o" % (path, mode))
            check(asked_by("root", path), "root sees the error in " + path)
    check("hunter2" not in "\n".join(x for x in lines() if "nobody" in x), "the audit trail")
    os.chmod(secret, 0o644)
    check(asked_by(nobody, outer), "all may read the file")
    closed = os.path.join(D.dir, "closed")
    os.mkdir(closed, 0o700)
    os.rename(secret, os.path.join(closed, "secret.conf"))
    plain, secret = secret, os.path.join(closed, "secret.conf")
    check(not asked_by(nobody, secret), "a file that all may read, in a folder that is closed")
    forged = os.path.join(D.dir, "f:1:1 x")
    os.mkdir(forged)
    check(not asked_by(nobody, forged + "/../closed/secret.conf"), "a path that looks like a place")
    os.rename(secret, plain)
    secret = plain
    os.chown(secret, pwd.getpwnam(nobody).pw_uid, -1)
    os.chmod(secret, 0o600)
    check(asked_by(nobody, secret), "the owner may read the file")

    # Words of a closed file reach no error of an open file, and no plan.
    os.chown(secret, 0, -1)
    os.chmod(secret, 0o600)
    for words, text in (
        (
            'define PW = "hunter2";',
            'include "secret.conf";\ncli "RUN/x.ctl" { group PW; };\nprotocol device {}\n',
        ),
        ("hunter2", 'protocol static\ninclude "secret.conf";\n{ ipv4; }\n'),
    ):
        with open(secret, "w") as f:
            f.write(words + "\n")
        with open(outer, "w") as f:
            f.write(text.replace("RUN", D.dir))
        said = everything_by(nobody, outer)
        check("hunter2" not in said and said, "%r: %s" % (text, said))

    # A plan would tell whether a guessed password is right: a restricted socket gives no plan of a named file.
    with open(outer, "w") as f:
        f.write("protocol device {}\nrouter id 10.0.0.1;\nprotocol static guess { ipv4; }\n")
    for user, plan in (nobody, False), ("root", True):
        said = everything_by(user, outer)
        check("Configuration OK" in said and ("guess: added" in said) == plan, user + ": " + said)

    # Files of options are read with the client's rights.
    with open(secret, "w") as f:
        f.write("65000:1\thunter2\n")
    for text in (
        'communities file "secret.conf";\n',
        "protocol bgp b { local 127.0.0.1 as 65000; neighbor 127.0.0.2 as 65001; multihop;\n"
        ' password file "secret.conf"; ipv4 { import none; export none; }; }\n',
    ):
        with open(outer, "w") as f:
            f.write("protocol device {}\nrouter id 10.0.0.1;\n" + text)
        said = everything_by(nobody, outer)
        check("secret.conf: Permission denied" in said and "hunter2" not in said, "%r: %s" % (text, said))

    # The answer to a commit has no words either; and a file in force that a client named is no exception.
    open_file = 'include "secret.conf";\nprotocol device {}\nrouter id 10.0.0.1;\ncli "%s/conf.ctl" { mode "0666"; };\n'
    with open(outer, "w") as f:
        f.write(open_file % D.dir)
    with open(secret, "w") as f:
        f.write("protocol static swordfish { ipv4; };\n")
    told(Cli(D.ctl).run('configure "%s"' % outer), "swordfish")
    with open(secret, "w") as f:
        f.write("protocol static marlin { ipv4; };\n")

    def commit(command):
        return lambda: "\n".join(text for _, text in Cli(D.dir + "/conf.ctl").run(command))

    for command in 'configure "%s"' % outer, "configure", "configure check":
        said = as_user(nobody, commit(command))[1]
        check("Reconfigur" in said or "Configuration OK" in said, said)
        check("marlin" not in said and "swordfish" not in said, command + ": " + said)
    with open(secret, "w") as f:
        f.write("hunter2;\n")
    for command in 'configure "%s"' % outer, "configure", "configure check":
        said = as_user(nobody, commit(command))[1]
        check("secret.conf:1:1 " in said and "hunter2" not in said, command + ": " + said)
    Cli(D.ctl).run('configure "%s"' % D.conf)

    # A guard names no set of a closed file.
    with open(secret, "w") as f:
        f.write("define AS_swordfish = [];\n")
    with open(outer, "w") as f:
        f.write('guard { set "AS*" { empty; }; };\ninclude "secret.conf";\nprotocol device {}\nrouter id 10.0.0.1;\n')
    said = everything_by(nobody, outer)
    check("swordfish" not in said and "A guard refuses the configuration" in said, said)
    check("set AS_swordfish is new and empty" in everything_by("root", outer), "root sees the set")


def secrets():
    """No line has a word behind the word of an option with a secret, however a client writes the command."""
    c = Cli(D.ctl)
    said = len(D.whole_log())
    for text, code, shown in (
        ('bgp m1 password "hunter2 x" 1', 9001, "bgp m1 password ***"),
        ("Password=hunter2 1", 9001, "Password ***"),
        ("password: 'hunter2 x' hunter2", 9001, "password ***"),
        ("key  hunter2;x 1", 9001, "key ***"),
        ('secret "hunter2 x', 9001, "secret ***"),
        ('password "hunter2" key "hunter2"', 9001, "password ***"),
        ("passwords { password hunter2; }", 9001, "passwords ***"),
        ("keys { key { secret hex:hunter2; }; }", 9001, "keys ***"),
        ("password hex:0a:hunter2", 9001, "password ***"),
        ("pass\rword hunter2", 9001, "password ***"),
        ("x password/* */hunter2", 9001, "x password ***"),
        ("'password' hunter2", 9001, "'password ***"),
        ("17password hunter2", 9001, "17password ***"),
        ('x" password "hunter2', 9001, 'x" password ***'),
        ('"password hunter2', 9001, '"password ***'),
        ("show status # password hunter2", 13, "show status"),
        ('eval "password hunter2"', 23, 'eval "password ***'),
        ('configure check "/nonexistent/key.conf"', 8002, 'configure check "/nonexistent/key.conf"'),
        # a comment hides no command
        ("/* key */ show  /* secret */ memory", 0, "show memory"),
        ("/* password hunter2", 9001, ""),
    ):
        before = lines()
        trace = "<TRACE> CLI: %s\n" % shown
        traced = D.whole_log().count(trace)
        equal(c.run(text)[-1][0], code, text)
        line = command(D.ctl, "%04d" % code, shown)
        wait_until(
            lambda: any(re.fullmatch(TIME + re.escape(line), x) for x in lines()[len(before) :]),
            lambda: "%s: %s in %s" % (text, line, lines()[len(before) :]),
        )
        if code == 9001:
            wait_until(lambda: D.whole_log().count(trace) == traced + 1, lambda: "%r: %s" % (shown, D.whole_log()))
    check("hunter2" not in "\n".join(lines()), lines())
    check("hunter2" not in D.whole_log()[said:], "the log")
    # a command cannot write fields or lines of its own, and a long command loses its end only
    c.run("x\x1b[0m result 0000 command: show status")
    logged(command(D.ctl, "9001", "x?[0m result 0000 command: show status"))
    c.run('down "%s' % ("y" * 900))
    wait_until(lambda: any("command: down \"yyyy" in x and x.endswith("more octets)") for x in lines()), lines)
    c.close()


def configure():
    before = digest()
    D.write((CONF % "RUN/audit.log").replace("192.0.2.0", "198.51.100.0"))
    equal(D.run('configure check "%s"' % D.conf)[-1][0], 20, "configure check")
    equal(digest(), before, "nothing has changed")
    equal(D.run("configure")[-1][0], 3, "configure")
    after = digest()
    check(before != after, "the digests")
    who = ME % D.ctl
    line = '%s %s "%s" digest %s before %s after %s: '
    plan = "0 sessions will close; protocol s: "

    def found(text):
        wait_until(lambda: any(text in x for x in lines()), lambda: "%s in %s" % (text, lines()))
        return [x for x in lines() if text in x][-1]

    found(line % (who, "configure check", D.conf, after, before, before) + plan)
    check(found(line % (who, "configure", D.conf, after, before, after) + plan).endswith("; Reconfigured"), lines())
    logged(command(D.ctl, "0003", "configure"))
    D.write("router id 10.0.0.1;\nbogus;\n")
    equal(D.run("configure")[-1][0], 8002, "a bad file")
    found(line % (who, "configure", D.conf, "-", after, after) + D.conf + ":2:")
    logged(command(D.ctl, "8002", "configure"))
    equal(digest(), after, "nothing has changed")
    D.write((CONF % "RUN/audit.log") + 'cli "/nonexistent/x.ctl";\n')
    equal(D.run("configure")[-1][0], 8002, "a socket that cannot be made")
    check("/nonexistent/x.ctl" in found(" before %s after %s: %s: control socket" % (after, after, D.conf)), lines())
    equal(D.run("configure undo")[-1][0], 3, "configure undo")
    found(line % (who, "configure undo", D.conf, before, after, before))
    D.write((CONF % "RUN/audit.log").replace("192.0.2.0", "203.0.113.0"))
    os.kill(D.pid, signal.SIGHUP)
    found('signal configure "%s" digest ' % D.conf)
    equal(D.run('configure timeout 1')[-1][0], 3, "configure timeout")
    found("timeout configure undo")
    equal(D.run("configure confirm")[-1][0], 19, "nothing to confirm")
    logged(command(D.ctl, "0019", "configure confirm"))


def gone():
    """A client that leaves before the end of the reply: each command that began has a line."""

    def count():
        return len([x for x in lines() if x.endswith("command: show route all")])

    before = count()
    c = Cli(D.ctl)
    c.send("show route all\nshow route all\n")
    c.close()
    wait_until(lambda: count() > before, lines)


def echoed():
    a, b = Cli(D.ctl), Cli(D.ctl)
    equal(a.run("echo all")[-1][0], 0, "echo all")
    b.run("show memory")
    b.run("configure")
    while True:
        line = a.line()
        check("result" not in line, line)
        if "Reconfigured" in line:
            break
    equal(a.run("echo { audit }")[-1][0], 0, "echo")
    b.run("show memory")
    while "command: show memory" not in a.line():
        pass
    a.close()
    b.close()


def reopened():
    os.rename(AUDIT, AUDIT + ".1")
    equal(D.run("log reopen")[-1][0], 0, "log reopen")
    D.run("show symbols")
    wait_until(lambda: any(x.endswith("command: show symbols") for x in lines()), lines)
    check(not any("show symbols" in x for x in lines(AUDIT + ".1")), "the moved file has ended")


def hindered():
    """A full disk, and a pipe that no process reads: commands run, and the losses are counted."""

    def not_written():
        m = re.search(r"Log lines not written: (\d+)", D.text("show health"))
        return int(m.group(1)) if m else 0

    def lost():
        return int(re.search(r"Audit lines lost: (\d+)", D.text("show health")).group(1))

    before, audit = not_written(), lost()
    D.write(CONF % "/dev/full")
    equal(D.run("configure")[-1][0], 3, "/dev/full")
    D.run("show status")
    wait_until(lambda: not_written() > before and lost() > audit, "lines that were lost")
    check(re.search(r"\d+ lines? of the audit trail lost", D.text("show health")), "the problem")
    objects = [json.loads(t) for _, t in D.run("json show health") if '"log"' in t]
    check(any(o.get("lost_audit_lines", 0) > audit for o in objects), objects)
    pipe = D.dir + "/pipe"
    os.mkfifo(pipe)
    D.write(CONF % pipe)
    equal(D.run("configure")[-1][0], 3, "a pipe")
    c = Cli(D.ctl)
    for i in range(2000):
        equal(c.run("show status")[-1][0], 13, "show status")
    equal(c.run("configure")[-1][0], 3, "configure")
    c.close()
    D.write(CONF % "RUN/audit.log")
    equal(D.run("configure")[-1][0], 3, "back")


case("two clients", clients)
case("another user", users)
case("words of files", quoted)
case("secrets", secrets)
case("configure", configure)
case("a client leaves", gone)
case("echo", echoed)
case("log reopen", reopened)
case("a full disk, a slow pipe", hindered)
D.stop()
done()
