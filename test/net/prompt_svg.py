# SPDX-License-Identifier: GPL-3.0-or-later
"""doc/prompt.svg, the picture in README: three commands and their replies at the prompt of ./quickstart.

prompt_svg.py SOURCE BUILD >doc/prompt.svg

test_documents.py compares the picture with a live exchange; digits may differ."""

import html
import os
import re
import sys
import tempfile

from live import Quickstart

COMMANDS = (
    "show protocols",
    "show route 11.0.24.0/21",
    "show route why 11.0.24.0/21 to member2",
    "show route why 10.0.0.0/16 from member1",
)
COLUMN, ROW, MARGIN = 7.8, 18, 14
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img" aria-label="Commands and replies \
at tern's prompt">
<rect width="100%%" height="100%%" rx="8" fill="#16202c"/>
<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13" fill="#d6deeb" xml:space="preserve">
"""


def prompt_lines(exchange):
    """The lines that a reader of README sees; the folder of the exchange has a new name each time."""
    lines = []
    for command in COMMANDS:
        status, reply, err = exchange.ternc(*command.split())
        if status:
            raise RuntimeError("%s: %s%s" % (command, reply, err))
        lines += ["tern> " + command] + reply.replace(os.path.dirname(exchange.ctl) + "/", "").splitlines()[1:]
    return [line.expandtabs(8).rstrip() for line in lines]


def draw(lines):
    width = max(len(line) for line in lines) * COLUMN + 2 * MARGIN
    text = HEAD % (width, len(lines) * ROW + 2 * MARGIN)
    for row, line in enumerate(lines):
        colour = ' fill="#7fdbca"' if line.startswith("tern> ") else ""
        text += '<text x="%d" y="%d"%s>%s</text>\n' % (MARGIN, MARGIN + (row + 0.75) * ROW, colour, html.escape(line))
    return text + "</g>\n</svg>\n"


def shape(svg):
    """The texts of a picture without their digits."""
    texts = [html.unescape(t) for t in re.findall(r"<text.*?>(.*)</text>", svg)]
    return [re.sub(r" +", " ", re.sub(r"\d+", "N", t)) for t in texts]


def main(src, build):
    with tempfile.TemporaryDirectory() as tmp:
        os.chmod(tmp, 0o711)  # ternhttp has a user of its own
        exchange = Quickstart(src, build, tmp)
        try:
            sys.stdout.write(draw(prompt_lines(exchange)))
        finally:
            exchange.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
