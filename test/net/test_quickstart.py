# SPDX-License-Identifier: GPL-3.0-or-later
"""./quickstart: ends well, ends badly when a member or the daemon fails, and leaves nothing behind in any case."""

from harness import *

import fcntl
import pty
import select
import termios

QUICKSTART = os.path.join(SRC, "quickstart")


def left_behind(mark):
    """Processes that have @mark in their command line."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as f:
                words = f.read().decode(errors="replace").replace("\0", " ")
            state = open(path.replace("cmdline", "stat")).read().split(") ")[1][0]
        except OSError:
            continue
        if mark in words and state != "Z":
            found.append(path.split("/")[2] + ": " + words)
    return found


def nothing_left(tmp):
    wait_until(lambda: not left_behind(tmp), "processes to end: %s" % left_behind(tmp), 5)
    equal(os.listdir(tmp), [], "files left behind")


def environment(tmp, steps=""):
    env = dict(os.environ, TMPDIR=tmp, TERN_BUILDDIR=BUILD, QUICKSTART_STEPS=steps)
    env.pop("MAKEFLAGS", None)
    return env


def start(tmp, *args, steps=""):
    return spawn(
        [QUICKSTART, "--once"] + list(args),
        env=environment(tmp, steps),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def pid_of(tmp, word):
    """The process that has both @tmp and @word in its command line; waits for it. (ternload runs twice: first it
    writes the configuration.)"""
    found = []

    def look():
        found[:] = [p for p in left_behind(tmp) if word in p and "quickstart --" not in p and "setpriv" not in p]
        return found

    wait_until(look, "%s to start" % word, 10)
    return int(found[0].split(":")[0])


def finish(p, limit_s):
    try:
        out, _ = p.communicate(timeout=limit_s * SLOW)
    except subprocess.TimeoutExpired:
        raise Failed("it does not end")
    return p.returncode, out.decode(errors="replace")


def test_once():
    tmp = temp_dir()
    rc, out = finish(start(tmp), 60)
    check(rc == 0, "status %d: %s" % (rc, out[-2000:]))
    for want in (
        "show protocols",
        "Established",
        "show route count",
        "routes for",
        "BGP.as_path",
        "show memory",
        "CPU",
    ):
        check(want in out, "nothing about '%s' in: %s" % (want, out[-2000:]))
    routes = int(re.search(r"(\d+) of \d+ routes for \d+ networks in table master4", out).group(1))
    check(45000 < routes < 55000, "%d routes" % routes)
    nothing_left(tmp)


def broken(steps="", hurt=None, limit=8):
    def run():
        tmp = temp_dir()
        p = start(tmp, "--time-limit", str(limit), steps=steps)
        if hurt:
            hurt(tmp)
        rc, out = finish(p, limit + 40)
        equal(rc, 1, "exit status (%s)" % out[-1500:])
        nothing_left(tmp)

    return run


def send(word, sig):
    def hurt(tmp):
        os.kill(pid_of(tmp, word), sig)

    return hurt


def has_terminals():
    try:
        for fd in pty.openpty():
            os.close(fd)
    except OSError:
        return False
    return True


def on_terminal(act, argv=(QUICKSTART,)):
    """Run it on a terminal; @act gets a function that writes keys and one that waits for output."""
    if not has_terminals():
        cannot_here("no pseudo-terminals")
    tmp = temp_dir()
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(argv[0], argv, environment(tmp))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    seen = [""]

    def read(limit_s):
        ready, _, _ = select.select([fd], [], [], limit_s)
        if not ready:
            return False
        try:
            d = os.read(fd, 65536)
        except OSError:
            return None
        seen[0] += d.decode(errors="replace")
        return bool(d)

    def wait_text(text):
        until = time.monotonic() + 60 * SLOW
        while text not in seen[0]:
            check(time.monotonic() < until, "no '%s' in: %s" % (text, seen[0][-1500:]))
            check(read(1) is not None, "it ended: " + seen[0][-1500:])
        seen[0] = seen[0].split(text, 1)[1]

    status = None
    try:
        act(lambda keys: os.write(fd, keys.encode()), wait_text, pid)
        until = time.monotonic() + 40 * SLOW
        while status is None:
            check(time.monotonic() < until, "it does not end: " + seen[0][-500:])
            read(0.1)
            got, st = os.waitpid(pid, os.WNOHANG)
            status = os.waitstatus_to_exitcode(st) if got else None
    finally:
        if status is None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.close(fd)
    nothing_left(tmp)
    return status


def test_prompt():
    def act(keys, wait_text, _pid):
        wait_text("tern> ")
        keys("show route count\n")
        wait_text("Total: ")
        wait_text("tern> ")
        keys("show sta\x03")  # an interrupt drops the line, and nothing else
        wait_text("tern> ")
        keys("show status\n")
        wait_text("Daemon is up and running")
        keys("quit\n")

    equal(on_terminal(act), 0, "exit status")


def test_interrupt_early():
    # At many moments: a shell is at each of them within some other command.
    for i in range(24):

        def act(keys, wait_text, _pid):
            wait_text("starting 5 members")
            spread(i * 0.0005)
            keys("\x03")

        equal(on_terminal(act), 130, "exit status of number %d" % i)


def test_terminated_at_prompt():
    def act(_keys, wait_text, pid):
        wait_text("tern> ")
        os.kill(pid, signal.SIGTERM)

    equal(on_terminal(act), 143, "exit status")


# A tree whose build stops behind each line until somebody opens the pipe of that name.
CONFIGURE = """#!/bin/sh
printf 'all:\\n\\t@for i in first second third; do echo "  CC  $$i.o"; [ ! -p ../$$i ] || cat ../$$i; done; exit \
%d\\n' >Makefile
"""
STEPS = "first", "second", "third"


def build_in(tree, status):
    with open(tree + "/configure", "w") as f:
        f.write(CONFIGURE % status)
    os.chmod(tree + "/configure", 0o755)
    return [
        "/bin/bash",
        "-c",
        "unset MAKEFLAGS MAKELEVEL MFLAGS; set -u; trap 'exit 130' INT; top=%s; . %s/test/lib/setup.sh; build b all"
        " --status=%d && echo built" % (tree, SRC, status),
    ]


def test_build():
    """A build shows what it is at; on a terminal alone, if it is short. Nothing of that stays, and an interrupt ends
    all."""
    tree = temp_dir()
    for name in STEPS:
        os.mkfifo(os.path.join(tree, name))

    def go_on(*names):
        for name in names:
            with open(os.path.join(tree, name), "w"):
                pass

    def works(_keys, wait_text, _pid):
        wait_text("==> building in b (all)")
        wait_text(" s:   CC  first.o")
        go_on("first", "second")
        wait_text(" s:   CC  third.o")
        go_on("third")
        wait_text("\r\x1b[Kbuilt")

    def breaks(_keys, wait_text, _pid):
        go_on("first")
        wait_text(" s:   CC  second.o")
        go_on("second", "third")
        wait_text("\r\x1b[K  CC  first.o\r\n  CC  second.o\r\n  CC  third.o")

    def interrupted(keys, wait_text, _pid):
        go_on("first")
        wait_text(" s:   CC  second.o")
        keys("\x03")

    for act, status, want in (works, 0, 0), (breaks, 3, 1), (interrupted, 0, 130):
        shutil.rmtree(tree + "/b", ignore_errors=True)
        equal(on_terminal(act, build_in(tree, status)), want, "exit status")
        wait_until(lambda: not left_behind(tree), "processes to end: %s" % left_behind(tree))
    for name in STEPS:
        os.unlink(os.path.join(tree, name))
    p = subprocess.run(build_in(tree, 4), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20 * SLOW)
    equal((p.returncode, p.stdout), (1, b"==> building in b (all)\n"), "a build without a terminal")


def test_options():
    for args in (["--nosuch"], ["--mrt", "/nonexistent"], ["--time-limit", "x"]):
        p = subprocess.run([QUICKSTART] + args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20)
        equal(p.returncode, 1, "status of %s" % args)


if not os.path.exists(QUICKSTART):
    cannot_here("no quickstart in this tree")


def build_left():
    """A build says how many of its files are compiled, and how long the others will take."""
    log = temp_dir() + "/build.log"
    with open(log, "w") as f:
        f.write("  CC a.o\n  CC b.o\n  LINK c\n")
    script = 'top=%s; . "$top/test/lib/setup.sh"; build_state %s 10 4; echo; build_left nowhere' % (SRC, log)
    p = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    said = p.stdout.split("\n")
    equal(said[0], "2 of 10 files, about 16 s left: ", "progress")
    check(int(said[1]) > 300, "files of a whole build: " + p.stdout)


case("--once", test_once)
case("a member gone", broken("drop=1:1000"))
case("a member frozen", broken("stall=1:1000"))
case("members killed", broken("hold=1000", send("--do hold=1000", signal.SIGKILL)))
case("members frozen", broken("hold=1000", send("--do hold=1000", signal.SIGSTOP)))
case("the daemon killed", broken("hold=1000", send("ternd -f", signal.SIGKILL)))
case("the daemon frozen", broken("hold=1000", send("ternd -f", signal.SIGSTOP)))
case("at the prompt", test_prompt)
case("interrupted early", test_interrupt_early)
case("terminated at the prompt", test_terminated_at_prompt)
case("wrong options", test_options)
case("how much of a build is left", build_left)
case("what a build shows", test_build)
done()
