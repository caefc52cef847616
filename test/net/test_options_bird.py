# SPDX-License-Identifier: GPL-3.0-or-later
"""The way back to BIRD: `bird -p` of 2.17 (TERN_BIRD) accepts each row of option_rows.py except NOT_IN_BIRD_2,
refuses the lines of ext_words.py, and doc/migrate.md names each refused option. test_to_bird.py compares `ternd -p
--bird 2.17` with both tables."""

from harness import *
from option_file import Row
from option_rows import NOT_IN_BIRD_2, ROWS
from to_bird import lines, prepare, run_parser, text_of

# Debian's bird 2.17 has no `protocol bmp`. BIRD wants one `remote`, and the row of `remote` adds a second.
SKIPPED_TABLES, SKIPPED = {"bmp"}, {("rpki", "remote")}


def refuses(folder, text):
    """What BIRD says about the file @text; None: BIRD accepts the file."""
    status, said = run_parser([BIRD], folder, text, SLOW)
    return said if status else None


def names_option(page, option):
    """Does @page name @option as code, alone or with a value behind the name?"""
    return re.search("`%s[` ;]" % re.escape(option), page)


def rows():
    folder = temp_dir()
    prepare(folder)
    with open(os.path.join(SRC, "doc/migrate.md")) as f:
        page = f.read()
    wrong, tried = [], 0
    for table, options in ROWS.items():
        for option, told in options.items():
            if table in SKIPPED_TABLES or (table, option) in SKIPPED:
                continue
            row = Row(table, option, told)
            text = text_of(row, folder)
            said, is_refused = refuses(folder, text), option in NOT_IN_BIRD_2.get(table, [])
            if (said is not None) != is_refused:
                wrong.append("%s: %s: bird says %r" % (table, option, (said or "")[-200:]))
            if is_refused and not names_option(page, option):
                wrong.append("doc/migrate.md lacks `%s` (%s)" % (option, table))
            tried += 1
    for table, options in NOT_IN_BIRD_2.items():
        wrong += ["option_rows.py has no row %s: %s" % (table, x) for x in options if x not in ROWS.get(table, {})]
    check(not wrong, "\n".join(wrong))
    check(tried > 200, "only %d rows" % tried)


def words():
    """BIRD accepts each line of ext_words.py without a report, and refuses the others."""
    folder = temp_dir()
    prepare(folder)
    wrong = []
    for name, text, part in lines(folder):
        said = refuses(folder, text)
        if (said is None) != (part is None):
            wrong.append("%s: bird says %r" % (name, (said or "")[-200:]))
    check(not wrong, "\n".join(wrong))


if KIND != "ternd":
    cannot_here("this is about the options of ternd")
version = subprocess.run([BIRD, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
if not re.search(r"version 2\.(1[7-9]|[2-9]\d)", version):
    cannot_here("%s; bird 2.17 has the facts: TERN_BIRD" % version.strip())
case("each row of the options", rows)
case("words, literals and types", words)
done()
