# SPDX-License-Identifier: GPL-3.0-or-later
"""The waits of tests in Python. This file, test/lib/wait.h and test/lib/wait.sh hold the only pauses of the tests (make
check-sleeps).

A test waits for a condition: until() fails after a limit that only a hang reaches.

To show that something does not happen, a test waits for an event that proves that the thing cannot come any more:
- a later message on the same connection, because a connection keeps the order;
- a counter that shows that the daemon has handled the input;
- the reply to a command, because the owner answers after all that the owner received before;
- an alarm of the protocol itself: the next KEEPALIVE, the next scan, the next BFD packet.
stays() is for things without such an event. A slow machine cannot make stays() fail, but may hide a fault from
stays()."""

import time

LIMIT_S = 40
slow = 1  # what sanitizers cost in time (harness.py)


class Failed(Exception):
    pass


def pause(seconds):
    time.sleep(seconds)


def happens(condition, limit_s=LIMIT_S, every_s=0.05):
    """Wait until @condition() is true. Returns: the result of @condition(), which is false at the limit for a hang.
    @every_s: the pause between two looks, or a function that returns the pause."""
    end = time.monotonic() + limit_s * slow
    while True:
        got = condition()
        if got or time.monotonic() > end:
            return got
        pause(every_s() if callable(every_s) else every_s)


def until(condition, what, limit_s=LIMIT_S, every_s=0.05):
    """The same; fails at the limit. @what: the missing thing in words, or a function that returns the words when the
    time is over, so that the words can show the state."""
    got = happens(condition, limit_s, every_s)
    if not got:
        raise Failed("in vain: " + (what() if callable(what) else what))
    return got


def stays(condition, what, for_s, every_s=0.05):
    """@condition() is true now, at the end of @for_s seconds, and whenever stays() looks between."""
    end = time.monotonic() + for_s
    while True:
        over = time.monotonic() >= end
        if not condition():
            raise Failed("no longer: " + (what() if callable(what) else what))
        if over:
            return
        pause(every_s)


def settled(look, what, every_s=0.5):
    """Wait until @look() returns an equal value three times in a row, for a program that does not tell when its work is
    done. Returns: that value."""
    seen = []

    def same():
        seen.append(look())
        return seen[-3:] == [seen[-1]] * 3

    until(same, lambda: "%s to settle: %.3000r" % (what, seen[-3:]), every_s=every_s)
    return seen[-1]


def passes(seconds):
    """Wait for the end of an interval that a configuration or the product names."""
    end = time.monotonic() + seconds
    pause(max(0, seconds))  # in virtual time a pause of 0 lets others run
    while time.monotonic() < end:
        pause(0.001)


def clock_shows(at):
    """Wait until the calendar clock shows @at (time.time()), a moment on which several machines have agreed."""
    pause(max(0, at - time.time()))  # in virtual time a pause of 0 lets others run
    while time.time() < at:
        pause(0.001)


def spread(seconds):
    """A pause of a load, so that the next step meets the daemon in another state. The length decides no verdict."""
    pause(seconds)
