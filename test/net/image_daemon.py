# SPDX-License-Identifier: GPL-3.0-or-later
"""The images of a daemon of a test: the file NAME.fib in the folder of the daemon."""

import os

from harness import wait_until
from image_read import look


def path(d, name="i4"):
    return os.path.join(d.dir, name + ".fib")


def entry(d, address, want, name="i4"):
    """The image soon says @want of the address; @want None: no route."""
    got = []

    def same():
        got.append(look(path(d, name), address))
        return (
            got[-1] is None
            if want is None
            else got[-1] is not None and all(got[-1].get(k) == v for k, v in want.items())
        )

    wait_until(same, lambda: "%s: %r, not %r" % (address, got[-1], want))


def files(d):
    return sorted(f for f in os.listdir(d.dir) if ".fib" in f)
