# SPDX-License-Identifier: GPL-3.0-or-later
"""By BIRD's names: where `make install-compat` puts them, and that birdc, birdcl and bird do what BIRD's do."""

import pty
import select

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
PLACES = ["prefix=/usr", "sysconfdir=/etc/tern", "runstatedir=/run"]
LINKS = {
    "usr/sbin/bird": "ternd",
    "usr/sbin/birdc": "../bin/ternc",
    "usr/sbin/birdcl": "../bin/ternc",
    "usr/lib/systemd/system/bird.service": "tern.service",
    "usr/share/man/man8/bird.8": "tern.8",
    "usr/share/man/man8/birdc.8": "ternc.8",
    "usr/share/man/man8/birdcl.8": "ternc.8",
}
CONF = """router id 10.0.0.1;
hostname "rs1";
timeformat base "now"; timeformat route "now"; timeformat protocol "now";
protocol device { }
protocol static s1 { ipv4; route 10.1.0.0/16 blackhole; route 10.2.0.0/16 unreachable; }
protocol static s2 { disabled; ipv4; }
"""


def make(target, root, *more):
    """`make TARGET` into @root with the programs as they are. Returns: exit status and output."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}
    argv = [
        "make",
        "-s",
        target,
        "DESTDIR=" + root,
        *PLACES,
        "-o",
        "all",
        "-oternd",
        "-oternc",
        "-oternload",
        "-oMakefile",
        *more,
    ]
    p = subprocess.run(argv, cwd=BUILD, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return p.returncode, p.stdout.decode()


def installed():
    root = temp_dir()
    for target in "install", "install-compat":
        rc, out = make(target, root)
        check(rc == 0, "make %s: %s" % (target, out))
    return root


def test_links():
    root = installed()
    for path, to in LINKS.items():
        full = os.path.join(root, path)
        equal(os.readlink(full) if os.path.islink(full) else None, to, path)
        check(os.path.exists(full), "%s leads nowhere" % path)
    with open(root + "/usr/lib/tmpfiles.d/tern-bird.conf") as f:
        check("\nL /run/bird/bird.ctl - - - - /run/tern/tern.ctl\n" in f.read(), "the link to the socket")
    equal(make("install-compat", root)[0], 0, "once more")
    rc, out = make("uninstall-compat", root)
    check(rc == 0 and not [p for p in LINKS if os.path.lexists(os.path.join(root, p))], "uninstall-compat: " + out)
    # BIRD's own programs aren't overwritten, nor taken away.
    with open(root + "/usr/sbin/birdc", "w") as f:
        f.write("BIRD's\n")
    rc, out = make("install-compat", root)
    check(
        rc != 0 and "/usr/sbin/birdc is no link of ours" in out and not os.path.lexists(root + "/usr/sbin/bird"),
        "over BIRD's: " + out,
    )
    equal(make("uninstall-compat", root)[0], 0, "uninstall-compat beside BIRD's")
    check(os.path.exists(root + "/usr/sbin/birdc"), "BIRD's own birdc has gone")


def both(root, name, args, text=None, cwd=None):
    """BIRD's program and ours with these arguments: output, errors and exit status are equal, but for its version."""
    said = []
    for path in (shutil.which(name) or "/usr/sbin/" + name, root + "/usr/sbin/" + name):
        p = subprocess.run(
            [name] + args,
            executable=path,
            input=(text or "").encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=20,
            cwd=cwd,
            env=dict(os.environ, TERM="dumb"),
        )
        said.append(
            (
                p.returncode,
                *(re.sub(r"(BIRD version )\d+\.[\d.]+", r"\1N", out.decode()) for out in (p.stdout, p.stderr)),
            )
        )
    equal(said[1], said[0], "%s %s with %r" % (name, " ".join(args), text))
    return said[1]


def test_clients():
    """In a folder with bird.ctl, which is ternd's."""
    root = installed()
    d = Daemon(CONF, "bird").start()
    for name in "birdc", "birdcl":
        for args in (
            ["-h"],
            ["--help"],
            ["--version"],
            ["-x"],
            ["-s"],
            ["-l", "show", "status"],
            ["-l", "-v", "show", "route"],
            ["-s", d.ctl, "sh", "ro"],
            ["-s", d.ctl, "-r", "disable", "s1"],
            ["-r", "-v", "-s", d.ctl, "configure", "check"],
            ["-l", "nosuch"],
            ["-l", "disable", "nosuch"],
            ["-l", "disable", "s2"],
            ["-lv", "show", "route", "192.0.2.0/24"],
        ):
            both(root, name, args, cwd=d.dir)
        rc, _, err = both_fail(root, name, ["-s", d.dir + "/nosuch", "show", "status"])
        check(
            rc == 1 and err.startswith("Unable to connect to server control socket (%s/nosuch)" % d.dir),
            "no socket: " + err,
        )
    for text in (
        "show status\nnosuch\nshow route",
        "quit\nshow status\n",
        "",
        "\n",
        "disable nosuch\nshow protocols s1\n",
        "show route\n\n  show  symbols s1  \n",
    ):
        both(root, "birdcl", ["-l"], text, cwd=d.dir)
        both(root, "birdcl", ["-l", "-v"], text, cwd=d.dir)
    d.stop()


def both_fail(root, name, args):
    p = subprocess.run(
        [name] + args, executable=root + "/usr/sbin/" + name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20
    )
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def screen(path, argv, cwd):
    """What a terminal shows after `show status` and `quit`."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.environ["TERM"] = "dumb"
        os.execv(path, argv)
    out = b""
    for wait_for, key in ((b"bird> ", b"show status\r"), (b"up and running\r\nbird> ", b"quit\r"), (None, b"")):
        until = time.monotonic() + 10 * SLOW
        while (wait_for is None or wait_for not in out) and time.monotonic() < until:
            if select.select([fd], [], [], 0.1)[0]:
                try:
                    out += os.read(fd, 4096)
                except OSError:
                    break
        os.write(fd, key) if key else None
    os.waitpid(pid, 0)
    os.close(fd)
    # readline takes the prompt away before a reply, which no screen shows.
    return re.sub("bird> \r *\r", "", out.decode())


def test_terminal():
    """First words and prompts of a terminal."""
    root = installed()
    d = Daemon(CONF, "bird").start()
    for name in "birdc", "birdcl":
        got, want = (
            screen(path, [name, "-l"], d.dir)
            for path in (root + "/usr/sbin/" + name, shutil.which(name) or "/usr/sbin/" + name)
        )
        equal(got, want, name)
    d.stop()


def test_daemon():
    root = installed()
    d = Daemon(CONF, "bird")
    both(root, "bird", ["--version"])
    equal(both(root, "bird", ["-p", "-c", d.conf])[0], 0, "bird -p")
    equal(both(root, "bird", ["-p", "-l"], cwd=d.dir)[0], 0, "bird -p -l")
    p = spawn(["bird", "-f", "-l"], executable=root + "/usr/sbin/bird", cwd=d.dir, stderr=subprocess.DEVNULL)
    d.proc, d.pid = p, p.pid
    d.wait_up()
    equal(d.code("show status"), 13, "the daemon with bird.conf and bird.ctl")
    d.stop()


case("where they are", test_links)
bird_case("birdc and birdcl", test_clients)
bird_case("birdc and birdcl on a terminal", test_terminal)
bird_case("bird", test_daemon)
done()
