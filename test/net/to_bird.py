# SPDX-License-Identifier: GPL-3.0-or-later
"""`-p` of ternd and of BIRD over one text, for the tests of the way back to BIRD."""

import os
import re
import subprocess

from option_file import Row, whole
from ext_words import ENTRIES, OPTIONS, STATEMENTS

WORDS = {"LOCAL": "127.0.10.1", "PORT": "2001", "CACHE1": "3323", "CACHE2": "3324"}
HEAD = "protocol device { }\nroa4 table vrps;\naspa table asps;\n"


def prepare(folder):
    """Write the files that the texts name into @folder."""
    os.mkdir(os.path.join(folder, "RUN"))
    for name, text in (
        ("WORDS_FILE", "65000:1\ta text\n"),
        ("MAP_FILE", "10.7.1.1 fd07::1\n"),
        ("MACS_FILE", "10.7.1.1 02:00:00:00:00:01\n"),
        ("SECRET_FILE", "one\n"),
    ):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)


def in_folder(text, folder):
    text = text.replace('"FILE"', '"SECRET_FILE"')
    for word in ("RUN", "MRTFILE", "WORDS_FILE", "MAP_FILE", "MACS_FILE", "SECRET_FILE"):
        text = text.replace(word, os.path.join(folder, word))
    return text


def text_of(row, folder):
    """The file of a row of options."""
    text = whole([row], [row])
    text = re.sub(r"\b(%s)\b" % "|".join(WORDS), lambda m: WORDS[m.group(1)], text)
    text = re.sub(r"\bKT(\d+)\b", r"\1", re.sub(r"\bLISTEN\d+\b", "5000", text))
    text = re.sub(r"\bSTATION_\w+_(\d)\b", r"600\1", text)
    return in_folder(text, folder)


def lines(folder):
    """All lines of ext_words.py: (name, text of the file, part of the report or None)."""
    for statement, part in STATEMENTS.items():
        yield statement, HEAD + "filter f { %s accept; }\n" % statement, part
    for entry, part in ENTRIES.items():
        yield entry, HEAD + in_folder(entry, folder) + "\n", part
    Row.serial = 0  # each row has a file of its own, and addresses have room for 255 rows
    for i, ((table, text), part) in enumerate(OPTIONS.items()):
        yield text, text_of(Row(table, "own%d" % i, text), folder), part


def run_parser(command, folder, text, slow):
    """Returns: the exit status and the output of @command over the file @text."""
    path = os.path.join(folder, "row.conf")
    with open(path, "w") as f:
        f.write(text)
    p = subprocess.run(
        command + ["-p", "-c", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60 * slow
    )
    return p.returncode, p.stdout.decode()


def refused(said):
    """The lines of the report of `ternd -p --bird 2.17`."""
    return [x for x in said.split("\n") if x.endswith(": bird 2.17 refuses the word")]
