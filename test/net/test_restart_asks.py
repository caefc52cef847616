# SPDX-License-Identifier: GPL-3.0-or-later
"""`ternc graceful restart`: on a terminal (a pty) ternc names the members that keep no routes and asks; without a
terminal ternc names them and does not ask. To turn the option on closes no session."""

from harness import *

import pty
import select

if KIND != "ternd":
    cannot_here("this is about ternd")

HEAD = """router id 10.0.0.1; log "RUN/bird.log" all; %s protocol device { }
template bgp any { local 127.0.10.1 port %d as 65000; multihop; passive; rs client; strict bind on;
  ipv4 { import all; export all; }; %s }
"""
MEMBER = "protocol bgp m%d from any { neighbor 127.0.11.%d as 6500%d; %s }\n"
KEEPS = struct.pack("!BBHHBB", 64, 6, 120, 1, 1, 0x80)
ON = "graceful restart on;"


class Asked:
    """ternc with both ends of its command on a pty."""

    def __init__(self, d, *command):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ["TERM"] = "vt100"
            os.execv(program("ternc"), ["ternc", "-s", d.ctl, *command])
        self.text = ""

    def read(self):
        try:
            while select.select([self.fd], [], [], 0)[0]:
                got = os.read(self.fd, 4096)
                if not got:
                    return
                self.text += got.decode().replace("\r", "")
        except OSError:  # the other end is closed
            pass

    def shows(self, text):
        wait_until(lambda: self.read() or text in self.text, lambda: "%r is not in %r" % (text, self.text))

    def key(self, key):
        os.write(self.fd, key)

    def end(self):
        """The exit status."""
        done = []

        def over():
            self.read()
            if not done:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    done.append(os.waitstatus_to_exitcode(status))
            return done

        wait_until(over, lambda: "ternc goes on: %r" % self.text)
        self.read()
        os.close(self.fd)
        return done[0]


def text(port, members, option=ON, more=""):
    return HEAD % (more, port, option) + "".join(MEMBER % (n, n, n, members[n]) for n in members)


def started(more=""):
    """m1 and m2 keep routes, m3 does not, m4 is not asked to."""
    port = free_port()
    d = Daemon(text(port, {1: "", 2: "", 3: "", 4: "graceful restart off;"}, more=more)).start()
    p = {n: member(port, n, b"" if n == 3 else KEEPS, hold=0) for n in (1, 2, 3, 4)}
    return d, p, port


def up(d):
    return sum("Established" in t for _, t in d.run("show protocols"))


def asks(more=""):
    d, p, _ = started(more)
    wait_until(lambda: up(d) == 4, "four sessions")
    for key, said in (b"n", "no"), (b"\r", "no"), (b"x", "no"):
        t = Asked(d, "graceful", "restart")
        t.shows("Restart? [y/N] ")
        for n, named in (1, False), (2, False), (3, True), (4, True):
            equal("m%d keeps no routes: " % n in t.text, named, "m%d in %r" % (n, t.text))
        equal(up(d), 4, "sessions while ternc asks")
        t.key(key)
        check(t.end() != 0, "the exit status of a command that was not sent: %r" % t.text)
        check(said in t.text.split("[y/N]")[1] and "requested" not in t.text, t.text)
        equal(up(d), 4, "sessions after the answer %r" % key)
    t = Asked(d, "graceful", "restart")
    t.shows("Restart? [y/N] ")
    t.key(b"y")
    equal(t.end(), 0, "the exit status: %r" % t.text)
    check("Graceful restart requested" in t.text, t.text)
    d.drop_cli()
    equal(d.proc.wait(20 * SLOW), 0, "the daemon's exit status")
    for n in p:
        p[n].s.close()


def all_keep():
    """No question where all members keep their routes."""
    port = free_port()
    d = Daemon(text(port, {1: "", 2: ""})).start()
    p = [member(port, n, KEEPS, hold=0) for n in (1, 2)]
    wait_until(lambda: up(d) == 2, "two sessions")
    t = Asked(d, "graceful", "restart")
    equal(t.end(), 0, "the exit status: %r" % t.text)
    check("[y/N]" not in t.text and "Graceful restart requested" in t.text, t.text)
    d.drop_cli()
    equal(d.proc.wait(20 * SLOW), 0, "the daemon's exit status")
    for x in p:
        x.s.close()


def no_terminal():
    d, p, _ = started()
    wait_until(lambda: up(d) == 4, "four sessions")
    r = subprocess.run(
        [program("ternc"), "-s", d.ctl, "graceful", "restart"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60 * SLOW,
    )
    said = r.stdout.decode()
    equal(r.returncode, 0, said)
    check("m3 keeps no routes: " in said and "m4 keeps no routes: " in said and "m1 keeps" not in said, said)
    check("[y/N]" not in said and "Graceful restart requested" in said, said)
    d.drop_cli()
    equal(d.proc.wait(20 * SLOW), 0, "the daemon's exit status")
    for n in p:
        p[n].s.close()


def turned_on():
    """The option is turned on while members are up: no session closes, the plan says so, and the restart asks."""
    port = free_port()
    members = {1: "", 2: ""}
    d = Daemon(text(port, members, "graceful restart aware;")).start()
    p = [member(port, n, KEEPS, hold=0) for n in (1, 2)]
    wait_until(lambda: up(d) == 2, "two sessions")
    d.write(text(port, members))
    plan = "\n".join(t for _, t in d.run("configure check"))
    check("0 sessions will close" in plan and "graceful restart" in plan, plan)
    d.run("configure")
    wait_until(lambda: "will close" not in str(d.run("configure check")), "the new configuration")
    equal(up(d), 2, "sessions after `graceful restart on`")
    t = Asked(d, "graceful", "restart")
    t.shows("Restart? [y/N] ")
    check("m1 keeps no routes: graceful restart is on since" in t.text, t.text)
    t.key(b"n")
    t.end()
    equal(up(d), 2, "sessions")
    d.stop()
    for x in p:
        x.s.close()


case("a terminal asks", asks)
case("a terminal asks, threads 2", asks, "threads 2;")
case("all members keep routes", all_keep)
case("no terminal", no_terminal)
case("the option is turned on", turned_on)
done()
