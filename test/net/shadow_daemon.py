# SPDX-License-Identifier: GPL-3.0-or-later
"""ternshadow with its feeds, and the answer of `show shadow`."""

from harness import Daemon, program


class Shadow(Daemon):
    def __init__(self, conf_text, feeds):
        super().__init__(conf_text, "shadow")
        self.own = [program("ternshadow")]
        self.feeds = feeds

    def start(self, *more, wait=True):
        return super().start("-D", self.log, *[x for f in self.feeds for x in ("--shadow", f)], wait=wait)

    def rows(self, what=""):
        """[(member, net, what, cause)], the last line."""
        said = self.run("show shadow " + what)
        rows = [tuple(t.split("\t")) for _, t in said if t[:1] not in ("\t", "")]
        return [r for r in rows[:-1] if r[2] in ("only live", "only here", "differs")], said[-1][1]
