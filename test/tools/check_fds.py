# SPDX-License-Identifier: GPL-3.0-or-later
"""check_fds.py lists the places of filter, nest and proto where a descriptor of the system is a number: a variable, a
parameter, a field or the result of a function that is an int and is called fd or ends in _fd; the number in a struct
os_fd (os_nr); and a struct os_fd made from a number (os_fd_of). sysdep alone calls the system (check_doors.sh); the
other folders keep struct os_fd. fds.list has the exceptions: PATH | NUMBER | WHY. Another file, another number, and an
entry that no file needs are errors. """
import re
import subprocess
import sys
from pathlib import Path

LIST = Path("test/tools/fds.list")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
DESCRIPTOR = re.compile(r'\bint\s+(?:\*?\w+(?:\[\d*\])?(?:\s*=[^,;()]*)?,\s*)*\*?(?:\w+_)?fd\b|\bos_nr\b|\bos_fd_of\b')
# bison and flex write these into the tree itself
WRITTEN = ("conf_gram.c", "conf_gram.h", "conf_lex.c")


def entries():
    """Of fds.list: {path: number}."""
    found = {}
    for line in LIST.read_text().splitlines() if LIST.exists() else ():
        if line and not line.startswith("#"):
            part = [p.strip() for p in line.split(" | ")]
            if len(part) != 3 or not all(part) or not part[1].isdigit() or part[0] in found:
                sys.exit("fds.list: PATH | NUMBER | WHY is expected, a path once: " + line)
            found[part[0]] = int(part[1])
    return found


def lines_of(text):
    """The numbers of the lines that have a descriptor, once for each descriptor."""
    text = STRING.sub('""', COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text))
    return [text.count("\n", 0, m.end()) + 1 for m in DESCRIPTOR.finditer(text)]


def main():
    allowed, bad = entries(), 0
    files = [p for d in ("filter", "nest", "proto") for p in sorted(Path(d).rglob("*.[chly]")) if p.name not in WRITTEN]
    for path in files:
        lines = lines_of(path.read_text(errors="replace"))
        number = allowed.pop(str(path), 0)
        if len(lines) != number:
            where = ", ".join(map(str, lines)) or "none"
            print("%s: %d descriptors are numbers (lines %s), fds.list has %d" % (path, len(lines), where, number))
            bad = 1
    for path in allowed:
        print("fds.list: %s is no file" % path)
        bad = 1
    sys.exit(bad)


if __name__ == "__main__":
    main()
