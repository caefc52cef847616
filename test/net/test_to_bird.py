# SPDX-License-Identifier: GPL-3.0-or-later
"""`ternd -p --bird 2.17` names exactly the words that BIRD 2.17 refuses, with file, line and column.

The tables NOT_IN_BIRD_2 (option_rows.py) and ext_words.py say what BIRD refuses; test_options_bird.py takes both tables
to BIRD 2.17."""

from harness import *
from option_file import Row
from option_rows import NOT_IN_BIRD_2, ROWS
from to_bird import in_folder, lines, prepare, refused, run_parser, text_of

TERND = os.path.join(BUILD, "ternd")
KNOWS = "bird 2.17 knows every word"


def ask(folder, text, *more):
    return run_parser([TERND, "--bird", "2.17", *more], folder, text, SLOW)


# Errors that say nothing about the words.
LIMITS = "isn't in this build", "all keys are deprecated"


def fault_of(name, status, said, part):
    """What is wrong with the reply about @name; None: the reply is right."""
    uses = refused(said)
    whole = status == 0 and said.rstrip("\n").endswith(KNOWS)
    if any(x in said for x in LIMITS):
        whole = status == 1
    if part is None:
        right = whole and not uses
    else:
        right = status == 1 and KNOWS not in said and any(part in x for x in uses)
    return None if right else "%s: status %d, %r" % (name, status, said[-400:])


def rows():
    """Each row of the option tables. A row of `protocol bmp` stands beside refused options of its instance."""
    folder = temp_dir()
    prepare(folder)
    wrong = []
    for table, options in ROWS.items():
        for option, told in options.items():
            status, said = ask(folder, text_of(Row(table, option, told), folder))
            is_refused = option in NOT_IN_BIRD_2.get(table, []) or (table, option) == ("rpki", "remote")
            name, part = "%s: %s" % (table, option), "'%s'" % option if is_refused else None
            if table != "bmp":
                wrong.append(fault_of(name, status, said, part))
            elif any("option '%s' of protocol bmp" % option in x for x in refused(said)) != is_refused:
                wrong.append("%s: %r" % (name, said[-400:]))
    check(not any(wrong), "\n".join(x for x in wrong if x))


def words():
    """Each line of ext_words.py."""
    folder = temp_dir()
    prepare(folder)
    wrong = [fault_of(name, *ask(folder, text), part) for name, text, part in lines(folder)]
    check(not any(wrong), "\n".join(x for x in wrong if x))


def places():
    """The report has a line for each use, in the order of the file, and names included files."""
    folder = temp_dir()
    prepare(folder)
    with open(os.path.join(folder, "more.conf"), "w") as f:
        f.write("filter steps 5000;\n")
    text = (
        'include "%s/more.conf";\n' % folder
        + "protocol device { }\n"
        + "template bgp t {\n\tlocal as 1;\n\tpassword file \"FILE\";\n\tipv4 {\n"
        + "\t\tnet limit 5; export where bt_route(10.0.0.0/8);\n\t\timport all; net limit 6;\n\t};\n}\n"
        + "protocol bgp a from t { neighbor 1.2.3.4 as 2; revive after limit; }\n"
        + "protocol bgp b from t { neighbor 1.2.3.5 as 2; }\n"
    )
    status, said = ask(folder, in_folder(text, folder))
    path = os.path.join(folder, "row.conf")
    want = [
        "%s/more.conf:1:8 statement 'filter steps'" % folder,
        path + ":5:11 a secret from a file",
        path + ":7:3 option 'net limit' of a channel",
        path + ":7:29 function 'bt_route'",
        path + ":8:15 option 'net limit' of a channel",
        path + ":11:48 option 'revive after limit' of a protocol",
    ]
    check(status == 1, said)
    check(said.split("\n")[:-1] == [x + " is tern's own: bird 2.17 refuses the word" for x in want], said)


def usage():
    folder = temp_dir()
    text = "protocol device { }\n"
    status, said = run_parser([TERND, "--bird", "2.0"], folder, text, SLOW)
    check(status == 1 and "2.17" in said, said)
    for version in ("2.17.6", "2.17.12"):
        status, said = run_parser([TERND, "--bird", version], folder, text, SLOW)
        check(status == 0 and KNOWS in said, "%s: %s" % (version, said))
    for version in ("2.1", "2.170", "2.17.", "2.17x", "2.17.6a", "2.17.6.1", ""):
        status, said = run_parser([TERND, "--bird", version], folder, text, SLOW)
        check(status == 1 and KNOWS not in said, "%s: %s" % (version, said))
    path = os.path.join(folder, "row.conf")
    p = subprocess.run([TERND, "--bird", "2.17", "-c", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check(p.returncode == 1 and b"--bird needs -p" in p.stdout, p.stdout)
    status, said = ask(folder, "filter steps 5000;\nprotocol device { no such option; }\n")
    check(status == 1 and KNOWS not in said and len(refused(said)) == 1, said)
    status, said = run_parser([TERND], folder, "protocol device { }\nfilter steps 5000;\n", SLOW)
    check((status, said) == (0, ""), said)


if KIND != "ternd":
    cannot_here("this is about the options of ternd")
case("each row of the options", rows)
case("words, literals and types", words)
case("places", places)
case("the option --bird", usage)
done()
