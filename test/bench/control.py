# SPDX-License-Identifier: GPL-3.0-or-later
"""control.py measures how long the control socket lets a client wait. The program asks `show status` every 10 ms, on
one connection, until it is told to end.

    control.py SOCKET       a line for each question: when it was asked and how long the answer took, in seconds
                            (CLOCK_MONOTONIC); what wasn't answered at the end, too"""
import os
import re
import signal
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import waits  # noqa: E402

EVERY_S = 0.01
LAST = re.compile(rb"(?:^|\n)\d{4} [^\n]*\n$")


def answer(s):
    """Read up to the last line of a reply: a number of four digits and a blank."""
    got = b""
    while not LAST.search(got):
        more = s.recv(65536)
        if not more:
            sys.exit(0)  # the daemon has ended
        got += more


def main(path):
    asked = None

    def end(*_):
        if asked:
            print("%.6f %.6f" % (asked, time.monotonic() - asked))
        sys.stdout.flush()
        sys.exit(0)

    signal.signal(signal.SIGTERM, end)
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    answer(s)  # the greeting
    while True:
        asked = time.monotonic()
        s.sendall(b"show status\n")
        answer(s)
        print("%.6f %.6f" % (asked, time.monotonic() - asked))
        asked = None
        waits.pause(EVERY_S)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except OSError as e:
        sys.exit("control.py: %s" % e)
