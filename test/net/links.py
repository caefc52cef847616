# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests of interfaces and their addresses share these parts: ip(8), a machine that each case begins with anew, and
bird2 beside ternd while links change."""

from harness import *


def ip(text):
    """Commands of ip, one a line."""
    subprocess.run(["ip", "-batch", "-"], input=text.encode(), check=True, timeout=60 * SLOW, stdout=subprocess.DEVNULL)


def ip_said(*words):
    return subprocess.run(["ip", *words], check=True, timeout=60 * SLOW, stdout=subprocess.PIPE).stdout.decode()


def ip_has(*words):
    """What ip says, as lists of dicts."""
    return json.loads(ip_said("-json", *words) or "[]")


def bare_machine():
    """No interface but lo, which is up and has the addresses of loopback alone."""
    ip("link set lo down\naddr flush dev lo\nlink set lo up\n")
    for link in ip_has("link"):
        # One end of a pair takes the other with it, and what the kernel itself has made stays.
        subprocess.run(["ip", "link", "del", link["ifname"]], timeout=60 * SLOW, stderr=subprocess.DEVNULL)


def on_a_bare_machine(fn, *args):
    """A bare machine, whatever became of the one before; then @fn."""
    bare_machine()
    try:
        fn(*args)
    finally:
        for d in Daemon.all:
            d.kill()


def link_case(what, fn, *args):
    """A case that begins with a bare machine."""
    case(what, on_a_bare_machine, fn, *args)


def step(text, theirs, changes):
    """Change something, and wait until bird2's answer has changed; of what changes nothing, nothing is to be waited
    for."""
    before = theirs()
    ip(text)
    if changes:
        wait_until(lambda: theirs() != before, "bird2 to see: " + text, every_s=0.02)
