# SPDX-License-Identifier: GPL-3.0-or-later
"""A reader of the page of counters, written from doc/counters.md alone."""

import json
import mmap

from harness import *
from schema import Schema

NONE = 2**64 - 1
HEAD = "MAGIC VERSION BOOT BLOCKS MISSED LAYOUT SWEEP AT_NS PERIOD_MS KINDS CLOSED".split()


def kinds_of_document():
    """{number: (type, [path of a text], [(path, form) of a value])}"""
    with open(os.path.join(SRC, "doc/counters.md")) as f:
        text = f.read().split("<!-- kinds -->")[1]
    found = {}
    for item in re.split(r"\n(?=\d+\. )", text.strip()):
        number, name = re.match(r"(\d+)\. `(\w+)`", item).groups()
        parts = {"texts": [], "values": []}
        for what, rest in re.findall(r"- (texts|values): ((?:.|\n(?!   - ))*)", item):
            parts[what] = [
                (path, form)
                for path, form, n in re.findall(r"`([\w.]+)`(?:\s+\((ns|bool|list)(?: of (\d+))?\))?", rest)
                for _ in range(int(n or 1))
            ]
        found[int(number)] = name, [p for p, _ in parts["texts"]], parts["values"]
    check(len(found) > 10, found)
    return found


KINDS = kinds_of_document()
with open(os.path.join(SRC, "doc/json.schema.json")) as f:
    SCHEMA = Schema(json.load(f))


def put(o, path, v):
    *groups, key = path.split(".")
    for g in groups:
        o = o.setdefault(g, {})
    check(key not in o, "twice: " + path)
    o[key] = v


class Page:
    """A subscription, and its page."""

    def __init__(self, path, restrict=False):
        self.cli = Cli(path, 60 * SLOW)
        if restrict:
            self.cli.run("restrict")
        self.cli.send("json subscribe counters\n")
        data, fds, _, _ = socket.recv_fds(self.cli.s, 4096, 4)
        while data[-1:] != b"\n":
            data += self.cli.s.recv(4096)
        self.line = data.decode()
        check(self.line.startswith("1100-"), self.line)
        equal(len(fds), 1, "descriptors")
        self.about = json.loads(self.line[5:])
        equal(SCHEMA.errors(self.about), [], self.line)
        self.fd = fds[0]
        self.map = mmap.mmap(self.fd, self.about["octets"], prot=mmap.PROT_READ)
        self.word = memoryview(self.map).cast("Q")
        wait_until(lambda: self.head()["SWEEP"], "the first sweep")
        equal((self.head()["MAGIC"], self.head()["VERSION"]), (0x6E7265740A0D1A01, 1), "the head")
        equal(self.head()["BOOT"], self.about["boot"], "the start")

    def head(self):
        return dict(zip(HEAD, self.word[: len(HEAD)]))

    def ended(self):
        """The last line of the reply."""
        while True:
            line = self.cli.line(60 * SLOW)
            if line is None or re.match(r"\d{4} ", line):
                return line

    def next(self):
        """Wait until a sweep has begun and ended from now on."""
        was = self.head()["SWEEP"]
        wait_until(lambda: self.head()["SWEEP"] >= was + 2, lambda: "two sweeps: %s" % self.head())
        return self

    def block(self, i):
        at = 128 * (1 + i)
        while True:
            before = self.word[at]
            w = list(self.word[at : at + 128])
            if before % 2 == 0 and self.word[at] == before:
                return w

    def objects(self):
        """The objects of the page, as `json show` has them."""
        while True:
            h = self.head()
            blocks = [self.block(i) for i in range(h["BLOCKS"])]
            if h["LAYOUT"] % 2 == 0 and self.head()["LAYOUT"] == h["LAYOUT"]:
                break
        check(h["MISSED"] == 0, h)
        all, channel = [], None
        for w in blocks:
            octets = struct.pack("128Q", *w)
            name = octets[32:112].split(b"\0")[0].decode()
            text = [t.decode() for t in octets[112 : 112 + w[3]].split(b"\0")[:-1]]
            value = w[62 : 62 + w[2]]
            kind, texts, values = KINDS[w[1]]
            check(h["KINDS"] >> w[1] & 1, "a block of a kind that the head lacks: " + kind)
            o = {"type": kind, **({"name": name} if name else {})}
            for path, v in zip(texts, text):
                if v:
                    put(o, path, v)
            for (path, form), v in zip(values, value):
                if form == "list" and v != NONE:
                    o.setdefault(path, []).append(v)
                elif v != NONE:
                    put(o, path, v / 1e9 if form == "ns" else bool(v) if form == "bool" else v)
            if kind == "channel":
                channel = o
                [p for p in all if p["type"] == "protocol"][-1].setdefault("channels", []).append(o)
            elif kind == "reasons":
                channel.setdefault("reasons", {}).update(zip(text, value))
            else:
                all.append(o)
        return all

    def of(self, kind):
        return [o for o in self.objects() if o["type"] == kind]

    def kinds(self):
        return {KINDS[k][0] for k in KINDS if self.head()["KINDS"] >> k & 1}

    def close(self):
        self.cli.close()
        self.word.release()
        self.map.close()
        os.close(self.fd)
