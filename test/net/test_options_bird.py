# SPDX-License-Identifier: GPL-3.0-or-later
"""The way back to BIRD: `bird -p` of 2.17 (TERN_BIRD) accepts each row of option_rows.py except NOT_IN_BIRD_2, and
doc/migrate.md names each refused option."""

from harness import *
from option_file import Row, whole
from option_rows import NOT_IN_BIRD_2, ROWS

# Debian's bird 2.17 has no `protocol bmp`. BIRD wants one `remote`, and the row of `remote` adds a second.
SKIPPED_TABLES, SKIPPED = {"bmp"}, {("rpki", "remote")}
WORDS = {"LOCAL": "127.0.10.1", "PORT": "2001", "CACHE1": "3323", "CACHE2": "3324"}


def text_of(row, folder):
    text = whole([row], [row])
    text = re.sub(r"\b(%s)\b" % "|".join(WORDS), lambda m: WORDS[m.group(1)], text)
    text = re.sub(r"\bKT(\d+)\b", r"\1", re.sub(r"\bLISTEN\d+\b", "5000", text))
    for word in ("RUN", "MRTFILE", "WORDS_FILE"):
        text = text.replace(word, os.path.join(folder, word))
    return text


def refuses(name, folder, text):
    """What the program @name says about the file @text; None: the program accepts the file."""
    path = os.path.join(folder, "row.conf")
    with open(path, "w") as f:
        f.write(text)
    p = subprocess.run([name, "-p", "-c", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60 * SLOW)
    return p.stdout.decode() if p.returncode else None


def names_option(page, option):
    """Does @page name @option as code, alone or with a value behind the name?"""
    return re.search("`%s[` ;]" % re.escape(option), page)


def rows():
    folder = temp_dir()
    os.mkdir(os.path.join(folder, "RUN"))
    with open(os.path.join(folder, "WORDS_FILE"), "w") as f:
        f.write("65000:1\ta text\n")
    with open(os.path.join(SRC, "doc/migrate.md")) as f:
        page = f.read()
    wrong, tried = [], 0
    for table, options in ROWS.items():
        for option, told in options.items():
            if table in SKIPPED_TABLES or (table, option) in SKIPPED:
                continue
            row = Row(table, option, told)
            text = text_of(row, folder)
            said, is_refused = refuses(BIRD, folder, text), option in NOT_IN_BIRD_2.get(table, [])
            if (said is not None) != is_refused:
                wrong.append("%s: %s: bird says %r" % (table, option, (said or "")[-200:]))
            if is_refused and not names_option(page, option):
                wrong.append("doc/migrate.md lacks `%s` (%s)" % (option, table))
            tried += 1
    for table, options in NOT_IN_BIRD_2.items():
        wrong += ["option_rows.py has no row %s: %s" % (table, x) for x in options if x not in ROWS.get(table, {})]
    check(not wrong, "\n".join(wrong))
    check(tried > 200, "only %d rows" % tried)


if KIND != "ternd":
    cannot_here("this is about the options of ternd")
version = subprocess.run([BIRD, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
if not re.search(r"version 2\.(1[7-9]|[2-9]\d)", version):
    cannot_here("%s; bird 2.17 has the facts: TERN_BIRD" % version.strip())
case("each row of the options", rows)
done()
