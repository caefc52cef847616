# SPDX-License-Identifier: GPL-3.0-or-later
"""A network namespace of one's own, with nothing in it but loopback: no port is taken, no process of the machine
can be reached by mistake, and what is set there is gone with it."""
import contextlib
import os
import subprocess
import sys

INSIDE = "TERN_OWN_NAMESPACE"


def enter():
    """Run the program again in a namespace of its own, unless that has been done. Where there is none to be had
    (no unshare, no right to it), go on as it is. Returns: are we in one?"""
    if os.environ.get(INSIDE) == str(os.getpid()):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True, timeout=20)
        return True
    if INSIDE in os.environ:  # of a program that started us
        return True
    for argv in (["unshare", "-n"], ["unshare", "-rn"]):
        try:
            if (
                subprocess.run(
                    argv + ["ip", "link", "set", "lo", "up"],
                    timeout=20,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                ).returncode
                == 0
            ):
                sys.stdout.flush()
                os.environ[INSIDE] = str(os.getpid())  # unshare becomes the program: the number stays
                os.execvp(argv[0], argv + [sys.executable, "-B"] + sys.argv)
        except (OSError, subprocess.TimeoutExpired):
            pass
    print("no network namespace of its own can be had: running in that of the machine", file=sys.stderr)
    return False


def default_routes():
    """In a namespace of one's own, default routes through loopback. OpenBGPD 8 takes next hops from the kernel's
    routes, and a route without a valid next hop is not announced. 7.7 took every next hop on Linux."""
    for family in "-4", "-6":
        subprocess.run(
            ["ip", family, "route", "replace", "default", "dev", "lo"],
            timeout=20,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def lan():
    """In a namespace of one's own, a network of a route server and its clients that isn't loopback: 100.64.0.0/10,
    every address of which is ours. bird2 takes loopback for no interface, hence all its sessions there for multihop,
    and refuses sorted tables to those. Returns: options of ternload."""
    if subprocess.run(
        ["ip", "link", "show", "lan"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20
    ).returncode:
        for line in (
            "link add lan type veth peer name lan-far",
            "addr add 100.127.255.254/10 dev lan",
            "addr add 2001:db8:ffff::ffff:1/64 dev lan nodad",
            "link set lo up",
            "link set lan up",
            "link set lan-far up",
            "route add local 100.64.0.0/10 dev lo",
        ):
            subprocess.run(["ip"] + line.split(), check=True, timeout=20)
    return ["--direct", "--server", "100.127.255.254", "--first-address", "100.64.0.1"]


@contextlib.contextmanager
def setting(path, text):
    """While the block runs, the file @path of /proc/sys has @text, if we are in a namespace of our own and the
    file is there; None: it stays as it is."""
    old = None
    if text is not None and INSIDE in os.environ and os.path.exists(path):
        with open(path) as f:
            old = f.read()
        with open(path, "w") as f:
            f.write(text)
    try:
        yield
    finally:
        if old is not None:
            with open(path, "w") as f:
                f.write(old)
