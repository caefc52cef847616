# SPDX-License-Identifier: GPL-3.0-or-later
"""`disable P hold` and the state file: a hold survives `configure`, a crash and a restart; a file that is broken, cut
or of a later version is named with its line and stops nothing; a disk that is full is reported."""

import json

from harness import *

HEAD = 'router id 10.0.0.1;\nlog "RUN/bird.log" all;\nprotocol device {}\n'
STATIC = "protocol static %s { ipv4; route 10.0.%d.0/24 blackhole; }\n"
CONF = HEAD + "".join(STATIC % ("s%d" % n, n) for n in (1, 2, 3))


class Held:
    """A daemon with a state file of its own, which may be started again."""

    def __init__(self, text=None, conf=CONF):
        self.dir = temp_dir()
        self.path = os.path.join(self.dir, "state")
        if text is not None:
            self.write(text)
        self.d = Daemon(conf)
        self.start()

    def start(self):
        self.d.start("--state", self.path)

    def again(self, kill=False):
        if kill:
            self.d.kill()
        else:
            self.d.stop()
        self.start()

    def write(self, text):
        with open(self.path, "w") as f:
            f.write(text)

    def read(self):
        with open(self.path) as f:
            return f.read()

    def state(self, name):
        said = [json.loads(t) for c, t in self.d.run("json show protocols all " + name) if c == 1100]
        return said[0]["state"], said[0]["held"], said[0].get("message")

    def problems(self, kind):
        said = [json.loads(t) for c, t in self.d.run("json show health") if c == 1100]
        return [o["text"] for o in said if o["type"] == "problem" and o["kind"] == kind]

    def end(self):
        self.d.stop()


def keeps():
    """Over configure, a crash and a restart; `enable` ends the hold for good."""
    h = Held()
    h.d.run('disable s1 hold "gone fishing"')
    check(not os.path.exists(h.path + ".new"), "no remains")
    check(re.fullmatch(r'tern state 1\nhold "s1" since="\d+" message="gone fishing"\nend 1\n', h.read()), h.read())
    for step in ("configure", "kill", "stop", "configure"):
        if step == "configure":
            h.d.run("configure")
        else:
            h.again(step == "kill")
        equal(h.state("s1"), ("down", True, "gone fishing"), step)
        equal(h.state("s2")[:2], ("up", False), step)
        row = [t for c, t in h.d.run("show protocols s1") if c == 1002][0]
        check(re.search(r"\bdown\b.* held$", row), row)
        check("Held:           since 20" in h.d.text("show protocols all s1"), step)
        found = h.problems("hold")
        check(len(found) == 1 and re.match(r"s1 has been held for \d+ s", found[0]), "%r" % found)
    h.d.run("disable s2 hold")
    h.d.run("enable s1")
    check(re.fullmatch(r'tern state 1\nhold "s2" since="\d+"\nend 1\n', h.read()), h.read())
    h.again()
    equal((h.state("s1")[:2], h.state("s2")[:2]), (("up", False), ("down", True)), "after enable")
    h.d.run("enable all")
    equal(h.read(), "tern state 1\nend 0\n", "nothing is held")
    equal(h.problems("hold") + h.problems("state"), [], "nothing is wrong")
    h.end()


def leaves():
    """A protocol that leaves the configuration takes its hold along; records of others, and of unknown kinds, stay."""
    h = Held('tern state 1\nhold "s1"\nhold "elsewhere"\nquota "s2" of="5"\nend 3\n')
    equal(h.state("s1")[:2], ("down", True), "as the file says")
    h.d.write(HEAD + STATIC % ("s2", 2))
    h.d.run("configure")
    wait_until(lambda: h.read() == 'tern state 1\nhold "elsewhere"\nquota "s2" of="5"\nend 2\n', h.read)
    h.d.write(CONF)
    h.d.run("configure")
    wait_until(lambda: h.state("s1")[:2] == ("up", False), "it is back, and not held")
    h.end()


def broken():
    """Broken, cut, of a later version, unreadable: named with the line; what stands before counts; nothing stops."""
    for text, line, s1 in (
        ('tern state 1\nhold "s1"\nnonsense\nend 2\n', 3, True),
        ('tern state 1\nhold "s1"\nhold "s2', 3, True),
        ("", 1, False),
        ("\0" * 100, 1, False),
        ('tern state 1\nhold "s1"\n', 3, True),
    ):
        h = Held(text)
        equal(h.state("s1")[1], s1, "%r" % text)
        equal(h.state("s3")[0], "up", "%r" % text)
        found = h.problems("state")
        check(len(found) == 1 and ("%s:%d: " % (h.path, line)) in found[0], "%r: %r" % (text, found))
        wait_until(lambda f=found[0]: f in h.d.whole_log(), "the log has it")
        h.d.run("disable s3 hold")
        check(h.read().startswith("tern state 1\n") and 'hold "s3"' in h.read(), h.read())
        with open(h.path + ".bad") as f:
            equal(f.read(), text, "what was broken is kept")
        equal(h.problems("state"), [], "all is well again")
        h.end()
    newer = 'tern state 2\nhold { s1 }\n'
    h = Held(newer)
    equal(h.state("s1")[1], False, "of a later version")
    found = h.problems("state")
    check(len(found) == 1 and h.path + ":1: " in found[0] and "later version" in found[0], "%r" % found)
    check("later version" in h.d.text("disable s1 hold") and h.read() == newer, "it is not replaced")
    equal(h.state("s1")[:2], ("down", True), "held for this run")
    h.end()


def full():
    """A disk that is full, a folder that is not there: the reply says so, the hold counts for this run; later the file
    is written."""
    h = Held()
    h.path = "/dev/full/state"
    h.again()
    text = h.d.text("disable s1 hold")
    check("Warning: State file /dev/full/state: Not a directory" in text and "s1: disabled" in text, text)
    equal(h.state("s1")[:2], ("down", True), "held")
    check("Not a directory" in h.problems("state")[0], "%r" % h.problems("state"))
    h.path = os.path.join(h.dir, "new", "state")
    h.again()
    h.d.run("disable s1 hold")
    check('hold "s1"' in h.read(), "the folder is made")
    h.end()


def no_room():
    """ENOSPC, on a file system of three pages."""
    where = temp_dir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12k,nr_inodes=8", "tern", where], check=False, stderr=subprocess.DEVNULL
    ).returncode:
        cannot_here("no mount")
    try:
        h = Held()
        h.path = os.path.join(where, "state")
        h.again()
        h.d.run("disable s2 hold")
        before = h.read()
        with open(os.path.join(where, "fill"), "wb", buffering=0) as f:
            try:
                while f.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        text = h.d.text('disable s1 hold "%s"' % ("y" * 400))
        check("No space left on device" in text, text)
        check("No space left on device" in h.problems("state")[0], "%r" % h.problems("state"))
        check(h.read().startswith(before[:13]), "the file is whole: %r" % h.read())
        os.unlink(os.path.join(where, "fill"))
        h.d.run('disable s3 hold')
        check('hold "s3"' in h.read() and "yyy" in h.read() and not h.problems("state"), h.read())
        h.end()
    finally:
        subprocess.run(["umount", where], check=True)


case("a hold stays", keeps)
case("protocols that leave", leaves)
case("files that are broken", broken)
case("files that cannot be written", full)
case("a full disk", no_room)
done()
