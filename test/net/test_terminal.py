# SPDX-License-Identifier: GPL-3.0-or-later
"""ternc on a terminal: keys go in through tmux, and what stands on its screen is compared with what should: first
screen, help, completion, pager, interrupt, `watch`, narrow windows, a daemon that goes and comes back, colours."""

from harness import *

if not shutil.which("tmux"):
    needs("tmux")

CONF = """
router id 10.0.0.1;
hostname "rs1";
log "RUN/bird.log" all;
ipv4 table other;
filter f_members { accept; }
filter f_mine { accept; }
function is_short(int n) { return n < 20; }
protocol device { }
protocol static statics { ipv4; %s }
protocol static second { ipv4 { table other; }; }
"""
NETS = "".join("route 10.%d.%d.0/24 blackhole;" % (k // 250, k % 250) for k in range(3000))


class Screen:
    """ternc in a window of its own."""

    def __init__(self, d, columns=80, rows=24, argv=(), env=""):
        self.socket = os.path.join(d.dir, "tmux")
        self.name = "w%d" % time.monotonic_ns()
        command = (
            "trap : INT; "
            + " ".join(["env", "-u", "NO_COLOR", env, program("ternc"), "-s", d.ctl, *argv])
            + "; echo ended with $?; sleep infinity"
        )
        # its server outlives a last window: the next one would meet it on its way out
        self.tmux(
            "-f",
            "/dev/null",
            "start-server",
            ";",
            "set-option",
            "-g",
            "exit-empty",
            "off",
            ";",
            "new-session",
            "-d",
            "-s",
            self.name,
            "-x",
            str(columns),
            "-y",
            str(rows),
            "sh",
            "-c",
            command,
        )

    def tmux(self, *words):
        return subprocess.run(
            ["tmux", "-S", self.socket, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20, check=True
        ).stdout.decode()

    def keys(self, *keys):
        self.tmux("send-keys", "-t", self.name, *keys)

    def type(self, text):
        self.tmux("send-keys", "-t", self.name, "-l", text)

    def run(self, command):
        self.type(command)
        self.keys("Enter")

    def lines(self, *options):
        return [x.rstrip() for x in self.tmux("capture-pane", "-p", *options, "-t", self.name).splitlines()]

    def last(self):
        """The last line that isn't empty."""
        return ([x for x in self.lines() if x] or [""])[-1]

    def shows(self, what, limit_s=20):
        wait_until(
            lambda: any(re.search(what, x) for x in self.lines()),
            lambda: "%r on\n%s" % (what, "\n".join(self.lines())),
            limit_s,
        )

    def at_end(self, what):
        wait_until(
            lambda: re.fullmatch(what, self.last()), lambda: "%r at the end of\n%s" % (what, "\n".join(self.lines()))
        )

    def clear(self):
        self.at_end("tern( .not connected.)?>")
        self.keys("C-l")
        wait_until(lambda: len([x for x in self.lines() if x]) == 1, lambda: "\n".join(self.lines()))

    def end(self, status=0):
        """Ctrl-D on an empty line ends ternc; @status: 1 if the last command failed."""
        if not self.last().startswith("ended with"):
            self.keys("C-u", "C-d")
            self.at_end("ended with %d" % status)
        self.tmux("kill-session", "-t", self.name)


def first_screen():
    s = Screen(D)
    s.at_end("tern>")
    equal(
        [x for x in s.lines() if x],
        [
            "BIRD 2.0.12 ready.",
            "rs1, router id 10.0.0.1, tern 0.1.0, at " + D.ctl,
            "`?' lists commands, and the words that may follow; Tab completes.",
            "tern>",
        ],
        "the first screen",
    )
    s.run("quit")
    s.at_end("ended with 0")
    s.end()
    s = Screen(D, argv=["-r"])
    s.shows("^Access restricted$")
    s.run("down")
    s.shows("Access denied")
    s.keys("C-d")
    s.at_end("ended with .")
    s.end()


def completion():
    """Commands, then names, which the daemon knows."""
    s = Screen(D)
    for typed, want in (
        ("sh", "show"),
        ("show proto", "show protocols"),
        ("show route table oth", "show route table other"),
        ("disable stat", "disable statics"),
        ("show filter f_mi", "show filter f_mine"),
        ("log re", "log reopen"),
        ("dump fil", "dump filter"),
    ):
        s.clear()
        s.type(typed)
        s.keys("Tab")
        s.at_end("tern> " + want)
        s.keys("C-u")
    s.clear()
    s.type("show filter f_")
    s.keys("Tab")
    s.shows(r"^f_members +f_mine$")
    s.at_end("tern> show filter f_m")
    s.keys("C-u")
    # names that are made while it is open
    D.write(D.read() + "filter later_one { accept; }\n")
    equal(D.code("configure"), 3, "configure")
    s.clear()
    s.type("show filter lat")
    s.keys("Tab")
    s.at_end("tern> show filter later_one")
    s.end()


def help_key():
    s = Screen(D)
    s.clear()
    s.type("configure ?")
    s.shows("^configure (undo|confirm)")
    s.at_end("tern> configure")
    s.keys("C-u")
    s.clear()
    s.type("eval \"?\" + 1?")
    s.at_end(r'tern> eval "\?" \+ 1\??')
    s.keys("C-u")
    s.clear()
    s.run("shwo")
    s.shows("^No such command")
    s.end(1)


def between():
    """Lines that nobody has asked for stand above the prompt, and the typed text stays."""
    s = Screen(D)
    s.clear()
    s.run("echo all")
    s.at_end("tern>")
    s.type("show sta")
    s.at_end("tern> show sta")
    D.run("disable second")
    s.shows("^>>> .*second")
    s.at_end("tern> show sta")
    s.type("tus")
    s.keys("Enter")
    s.shows("^Daemon is up and running|^Current server time")
    D.run("enable second")
    s.at_end("tern>")
    s.end()


def other_names():
    """Tab offers names of the kind that the command takes: no filter for `disable`, no protocol for a table."""
    s = Screen(D)
    for typed in "disable f_mi", "show route table stat", "show route table nosuc":
        s.clear()
        s.type(typed)
        s.keys("Tab")
        s.type("x")
        s.at_end("tern> " + typed + "x")
        s.keys("C-u")
    s.end()


def pager():
    """A page at a time, a line at a time, enough; the window may be narrow."""
    for columns, rows in (80, 24), (30, 8), (200, 50), (20, 9):
        s = Screen(D, columns, rows)
        s.clear()
        s.run("show route")
        s.shows(r"^--More-- \(space: page, enter: line, q: no more\)$" if columns > 50 else "^--More--$")
        first = s.lines("-J")
        stays(lambda: s.lines("-J") == first, "it waits", 0.3)
        s.keys("Space")
        wait_until(lambda: s.lines("-J") != first, lambda: "nothing happens: " + "\n".join(s.lines()))
        second = s.lines("-J")
        s.keys("Enter")
        wait_until(lambda: s.lines("-J") != second, lambda: "nothing happens: " + "\n".join(s.lines()))
        s.keys("q")
        s.at_end("tern>")
        for key in "Q", "C-d":
            s.run("show route")
            s.shows("^--More--")
            s.keys(key)
            s.at_end("tern>")
        s.run("eval 1 + 1")
        s.shows("^2$")
        s.end()


def whole():
    """What was shown page by page is all of it, in order."""
    s = Screen(D, 100, 30)
    s.tmux("set-option", "-g", "history-limit", "50000")
    s.clear()
    s.run("show symbols")
    s.shows("More|^is_short")

    def at_end():
        if s.last().startswith("--More"):
            s.keys("Space")
        return s.last() == "tern>"

    wait_until(at_end, "the prompt")
    got = [x.split()[0] for x in s.lines("-S", "-200") if "\t" in x or re.match(r"\S+ +\S", x)]
    want = [t.split()[0] for _, t in D.run("show symbols")[:-1] if t.split()]
    check([x for x in got if x in want][-len(want) :] == want, "%r, not %r" % (got, want))
    s.end()


def interrupted():
    s = Screen(D)
    s.clear()
    s.type("some words")
    s.keys("C-c")
    s.at_end("tern>")
    s.run("show route table all all")
    s.shows("More")
    s.keys("C-c")
    s.shows("^Interrupted$")
    s.at_end("tern>")
    s.run("eval 2 + 3")
    s.shows("^5$")
    s.end()


def watched():
    s = Screen(D)
    s.clear()
    s.run("watch 1 show protocols statics")
    s.shows("^statics +Static")
    heads = set()

    def look():
        heads.update(x for x in s.lines() if re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$", x))
        return len(heads) >= 3

    wait_until(look, lambda: "three times: %r" % heads)
    wait_until(
        lambda: len([x for x in s.lines() if x.startswith("statics")]) == 1,
        lambda: "in one place: " + "\n".join(s.lines()),
    )
    s.keys("C-c")
    s.at_end("tern>")
    s.run("eval 3 + 4")
    s.shows("^7$")
    s.end()


def resized():
    s = Screen(D)
    s.clear()
    s.type("show protocols")
    s.tmux("resize-window", "-t", s.name, "-x", "40", "-y", "10")
    wait_until(lambda: s.tmux("display-message", "-p", "-t", s.name, "#{pane_width}").strip() == "40", "the new size")
    s.keys("Enter")
    s.shows("statics")
    s.at_end("tern>")
    s.run("show route")
    s.shows("More")
    check(len([x for x in s.lines() if x]) <= 10, "a page of the new size")
    s.keys("q")
    s.at_end("tern>")
    s.end()


def comes_back():
    """The daemon goes and comes back: the next command is answered by the new one."""
    s = Screen(D, 120)
    s.clear()
    D.stop()
    s.shows("^Connection closed by server$")
    s.at_end("tern .not connected.>")
    s.run("show status")
    s.shows("^Unable to connect|is not running|No such file")
    s.at_end("tern .not connected.>")
    s.type("disable st")
    s.keys("Tab")
    s.at_end("tern .not connected.> disable st")
    s.keys("C-u")
    D.start()
    s.clear()
    s.run("show protocols statics")
    s.shows("^rs1, router id 10.0.0.1, tern ")
    s.shows("^statics +Static")
    s.at_end("tern>")
    s.run("down")
    s.at_end("tern .not connected.>")
    s.run("quit")
    s.shows("^ended with")
    s.end()
    wait_until(lambda: D.proc.poll() is not None, "the daemon ends")
    D.start()


def colours():
    """On a terminal errors are red, elsewhere nothing is, nor with NO_COLOR."""
    s = Screen(D)
    s.clear()
    s.run("show route table nosuch")
    s.shows("^no table 'nosuch'")
    check(any("\033[31mno table" in x for x in s.lines("-e")), "red: %r" % s.lines("-e"))
    check(not any("\033[31m" in x for x in s.lines("-e") if "no table" not in x), "the rest isn't")
    s.end(1)
    s = Screen(D, env="NO_COLOR=1")
    s.clear()
    s.run("show route table nosuch")
    s.shows("^no table 'nosuch'")
    check(not any("\033[31m" in x for x in s.lines("-e")), "NO_COLOR: %r" % s.lines("-e"))
    s.end(1)
    out = subprocess.run(
        [program("ternc"), "-s", D.ctl, "show", "route", "table", "nosuch"],
        stdout=subprocess.PIPE,
        timeout=20,
        check=False,
    ).stdout
    check(b"\033" not in out, "in a pipe: %r" % out)


def from_a_pipe():
    """Commands from a pipe: no line may be longer than a command, and the end of the daemon is the end."""

    def ternc(text, *argv):
        p = subprocess.run(
            [program("ternc"), "-s", D.ctl, *argv], input=text, capture_output=True, text=True, timeout=20 * SLOW
        )
        return p.returncode, p.stdout, p.stderr

    rc, out, err = ternc("eval 1 + 1\neval 2 + 2")
    equal((rc, out.split("\n")[1:], err), (0, ["2", "4", ""], ""), "the last line lacks its end")
    rc, out, err = ternc("eval 1 + 1\neval %s\neval 2 + 2\n" % ("1 + " * 2000))
    equal((rc, out.split("\n")[1:], err), (1, ["2", ""], "ternc: a line of input is too long\n"), "a long line")
    rc, out, err = ternc("down\n" + 20000 * "eval 1 + 1\n")
    lines = out.split("\n")[1:]
    equal((rc, lines[0], lines[-1]), (1, "Shutdown requested", ""), "a daemon that ends: " + err)
    equal(set(lines[1:-1]) <= {"2"}, True, "the commands that the daemon answers before its end: %r" % lines[:9])
    equal(err, "Connection closed by server\n", "once")
    wait_until(lambda: D.proc.poll() is not None, "the daemon ends")
    D.start()
    with open("/dev/full", "wb") as full:
        p = subprocess.run(
            [program("ternc"), "-s", D.ctl, "watch", "1", "show", "status"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60 * SLOW,
            check=False,
        )
    equal((p.returncode, "No space left on device" in p.stderr), (1, True), "watch: " + p.stderr)


def all_known():
    """ternc knows each command that the daemon lists."""
    for _, line in D.run("help")[:-1]:
        words = re.match(r"(\S+( \S+)*)", line).group(1).split("  ")[0]
        said = subprocess.run(
            [program("ternc"), "-s", D.ctl, words + " ?"], stdout=subprocess.PIPE, timeout=20, check=False
        ).stdout.decode()
        check("No such command" not in said, "%s: %s" % (words, said))


D = Daemon(CONF % NETS).start()
case("first screen", first_screen)
case("completion", completion)
case("names of another kind", other_names)
case("lines between commands", between)
case("help", help_key)
case("pager", pager)
case("all of a long reply", whole)
case("interrupt", interrupted)
case("watch", watched)
case("another size", resized)
case("colours", colours)
case("all commands are known", all_known)
case("commands from a pipe", from_a_pipe)
case("a daemon that comes back", comes_back)
subprocess.run(
    ["tmux", "-S", os.path.join(D.dir, "tmux"), "kill-server"], stderr=subprocess.DEVNULL, timeout=20, check=False
)
done()
