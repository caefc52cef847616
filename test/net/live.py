# SPDX-License-Identifier: GPL-3.0-or-later
"""A live ./quickstart: the exchange that README's reader has at the prompt. The script runs on a pseudo-terminal,
because without a terminal the script ends by itself. doc/prompt.py and test_documents.py ask the daemon by its control
socket."""

import fcntl
import glob
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

PROMPT = b"tern> "


class Quickstart:
    """Owner: the caller, who ends the exchange with end()."""

    def __init__(self, src, build, tmp, limit_s=120):
        self.build, self.seen = build, b""
        env = dict(os.environ, TMPDIR=tmp, TERN_BUILDDIR=build, TERM="dumb")
        env.pop("MAKEFLAGS", None)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(os.path.join(src, "quickstart"), ["quickstart", "--time-limit", str(limit_s)], env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
        until = time.monotonic() + limit_s
        while PROMPT not in self.seen:
            if not self._read(1) or time.monotonic() > until:
                self.end()
                raise RuntimeError("no prompt: " + self.seen.decode(errors="replace")[-2000:])
        self.ctl = glob.glob(os.path.join(tmp, "tern-quickstart.*", "tern.ctl"))[0]

    def _read(self, limit_s):
        """False: the script has closed the terminal."""
        if not select.select([self.fd], [], [], limit_s)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += data
        return bool(data)

    def ternc(self, *words):
        """(exit status, reply with codes, stderr) of one command."""
        p = subprocess.run(
            [os.path.join(self.build, "ternc"), "-s", self.ctl, *words],
            capture_output=True,
            text=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return p.returncode, p.stdout, p.stderr

    def abandon(self):
        """End the script if the script still runs."""
        if self.fd >= 0:
            self.end()

    def end(self):
        """Leave the prompt, and wait until the script has cleaned up. Returns the exit status."""
        try:
            os.write(self.fd, b"quit\n")
        except OSError:
            pass
        until, status = time.monotonic() + 60, None
        while status is None:
            if time.monotonic() > until:
                os.kill(self.pid, signal.SIGKILL)
                until += 60
            self._read(0.1)
            got, st = os.waitpid(self.pid, os.WNOHANG)
            status = os.waitstatus_to_exitcode(st) if got else None
        os.close(self.fd)
        self.fd = -1
        return status
