# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests of the kernel's routes share these parts: a machine with two links, and the routes of its tables as ip(8)
shows them."""

from links import *

MACHINE = """
link add m0 type veth peer name m1
link add d0 type veth peer name d1
link set m0 up
link set m1 up
link set d0 up
link set d1 up
addr add 10.1.1.1/24 dev m0
addr add 10.2.1.1/24 dev d0
addr add 2001:db8:1::1/64 dev m0 nodad
addr add fe80::aa/64 dev m0 nodad
"""


def kernel(*words):
    """Routes as ip shows them, several next hops in one line."""
    text = ip_said(*words, "route", "show", *(() if "table" in words else ("table", "all")))
    return sorted(
        line
        for line in re.sub(r"\n\t", " ", text).split("\n")
        if line.strip() and "local" not in line and " dev lo proto kernel" not in line
    )


def kernels():
    return kernel() + kernel("-6")


def ours(t=None, fam="-4"):
    return [line for line in kernel(fam) if "proto bird" in line and (t is None or " table %d " % t in line)]


def ip_all(text):
    """Commands of ip, one a line, with -6 before some of them."""
    for words in text.strip().split("\n"):
        subprocess.run(
            ["ip"] + words.split(), check=True, timeout=60 * SLOW, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )


def empty():
    """No routes in the tables that are used here."""
    for t in set(re.findall(r" table (1\d\d) ", "\n".join(kernels()))):
        for fam in "-4", "-6":
            subprocess.run(
                ["ip", fam, "route", "flush", "table", t],
                timeout=60 * SLOW,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
