# SPDX-License-Identifier: GPL-3.0-or-later
"""words.py computes figures about the text of the tree; test/tools/words.limits holds the greatest value of each
figure.

    words.py prose [--worst N]            stand-in words in comments and documents
    words.py messages [--worst N]         texts for operators with a word that stands for another word (messages.py)
    words.py function-names [--worst N]   functions whose name is one word; names that functions of several files
      share, in the product and in the C programs of test/; names that have one word twice, as rpki_rpki_reload;
      static functions whose name does not begin with a word of their file or folder
    words.py contracts [--worst N]        structs in headers without owner and life, without a comment of their own, or
      without a word on who frees them; files whose first comment does not say which loop runs the
      functions; files whose first comment begins with a question word or a pronoun; lines over 120 columns in Markdown
      and tests

A stand-in word stands for another word: it, that, which, one, others. A reader must look for the noun. The figures of
prose count sentences of 12 words and more; the figures -short count sentences of 5 to 11 words. --worst lists the N
worst places of each figure. Exit status 1: a figure is over its limit. A commit that lowers a figure lowers the limit,
until the limit is the goal."""

import argparse
import collections
import pathlib
import re
import sys

import messages as texts

STAND_INS = frozenset(
    """it its that what which one ones others other there them they so this these those such whose whoever who
same likewise also none""".split()
)
PRODUCT = ("lib", "sysdep", "filter", "nest", "proto", "client")
LEAST_WORDS = 12
LEAST_WORDS_SHORT = 5
HIGH_SHARE = 0.25
HIGH_SHARE_SHORT = 0.3
COLUMNS = 120
# bison, flex and configure write these, into the tree itself if the build is there.
WRITTEN = ("nest/conf/conf_gram.c", "nest/conf/conf_gram.h", "nest/conf/conf_lex.c", "sysdep/config.h")
# A struct states owner and life in its own comment, or the header's first comment states them for all structs.
OWNER = re.compile(r"\bowners?( of [^:.;]*)?:|\bowned by\b|\bbelongs? to\b|\bwhich owns\b|\bowner and life:", re.I)
LIFE = re.compile(r"\bli(fe|ves)\b|\bfreed\b|\bby value\b|\bon the stack\b|\bembedded\b|\bas long as\b", re.I)
# Who frees the struct: a sentence, a function, an arena, or an owner that holds the struct by value.
FREED = re.compile(
    r"\bfree[ds]?\b|\bfreeing\b|\b\w+_(free|fini|unref|put|drop|close|clear|del|reset)\b|\barena\b|"
    r"\bby value\b|\bon the (\w+'s )?stack\b|\bembed\w*\b|\bstatic\b|\bpart of\b|\bof the program\b",
    re.I,
)
# The comment of a table of functions or of names.
CONSTANT = re.compile(r"\bconstant\b", re.I)
LOOP = re.compile(
    r"\bloops?:|pure functions|(constants|types|macros) only|any (thread|loop|number)|"
    r"(in|by|of|owner:) [\w' ]*(thread|loop|worker)|'s (thread|loop|worker)|"
    r"(thread|loop|worker)s? (that|of|calls|reads|writes|appends)|one loop",
    re.I,
)


def sources(*suffixes, folders=PRODUCT):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.suffix in suffixes and str(path) not in WRITTEN:
                yield path, path.read_text(errors="replace")


def comments():
    """(place, text) of each comment of the product."""
    for path, text in sources(".c", ".h", ".l", ".y"):
        for m in re.finditer(r"/\*(.*?)\*/", text, re.S):
            place = "%s:%d" % (path, text.count("\n", 0, m.start()) + 1)
            yield place, re.sub(r"\s*\n\s*\*?\s*", " ", m.group(1)).strip()


def documents():
    yield from sources(".md", folders=("doc",))
    for path in pathlib.Path("README.md"), pathlib.Path("CONTRIBUTING.md"):
        if path.exists():
            yield path, path.read_text(errors="replace")


def paragraphs():
    """(place, text) of each paragraph of the documents and of each cell of a table; headings and code are left out."""
    for path, text in documents():
        text = re.sub(r"```.*?```", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
        text = re.sub(r"(?m)^(    |#).*$", "", text)
        for m in re.finditer(r"(?m)^\|(.*)$", text):
            for cell in re.split(r"(?<!\\)\|", m.group(1)):
                yield "%s:%d" % (path, text.count("\n", 0, m.start()) + 1), cell.strip()
        text = re.sub(r"(?m)^\|.*$", "", text)
        at = 0
        for part in re.split(r"(\n\s*\n)", text):
            if part.strip():
                yield "%s:%d" % (path, text.count("\n", 0, at) + 1), re.sub(r"\s+", " ", part)
            at += len(part)


# Macros of mdoc that belong to the sentence around them. Other macros end a sentence.
IN_SENTENCE = frozenset(".Nm .Fl .Ar .Ic .Cm .Ql .Pa .Xr .Li .Dv .Ev .Va .Pq .Po .Pc .Qq .Op .Ns .Sq".split())


def manuals():
    """(place, text) of each part of the man pages between two macros that end a sentence."""
    for path, text in sources(".5", ".8", folders=("doc",)):
        part, start = [], 1
        for number, line in enumerate(text.splitlines() + [".El"], 1):
            macro = line.split(" ")[0]
            if not line.startswith("."):
                part.append(line)
            elif macro in IN_SENTENCE:
                part.append(line[len(macro) :])
            else:
                yield "%s:%d" % (path, start), " ".join(part)
                part, start = [], number + 1


def sentences(parts):
    """[(share of stand-in words, place, sentence, words), ...]"""
    found = []
    for place, text in parts:
        for sentence in re.split(r"(?<=[.?!:;])\s+", text):
            words = re.findall(r"[A-Za-z']+", sentence.lower())
            if len(words) >= LEAST_WORDS_SHORT:
                found.append((sum(w in STAND_INS for w in words) / len(words), place, sentence, len(words)))
    return found


def prose():
    for name, parts in ("comments", comments()), ("documents", paragraphs()), ("manuals", manuals()):
        every = sorted(sentences(parts), reverse=True)
        found = [f for f in every if f[3] >= LEAST_WORDS]
        cnt = max(len(found), 1)
        yield name + "-stand-ins", round(sum(f[0] for f in found) / cnt, 4), ["%.2f %s: %s" % f[:3] for f in found]
        yield name + "-high", round(100 * sum(f[0] >= HIGH_SHARE for f in found) / cnt, 2), []
        short = [f for f in every if f[3] < LEAST_WORDS]
        high = ["%.2f %s: %s" % f[:3] for f in short if f[0] >= HIGH_SHARE_SHORT]
        yield name + "-short", round(100 * len(high) / max(len(short), 1), 2), high


def messages():
    found, unused = texts.messages(sources(".c", ".h", ".l", ".y", folders=PRODUCT + ("test/load",)))
    yield "messages-stand-ins", len(found), found
    yield "messages-allow-unused", len(unused), unused


def may_share(kind, name):
    """May another file have a function of the name of a function of test/? The report of a test names program and
    case, and a function that is not static replaces a function of the product or of the C library."""
    return name.startswith("test_") and kind == "static void" or "static" not in kind


# Names in which both places of the word have a meaning of their own.
TWICE = frozenset("bi_list_add_list bi_prefix_in_prefix test_round_and_round".split())


def has_word_twice(name):
    words = name.split("_")
    return len(set(words)) < len(words) and name not in TWICE


# The head of a function with a body. Groups: the line before the name, or the type before the name, or PRINTF_LIKE; the
# name.
NAMED_BODY = re.compile(
    r"(?m)^(?:(.*)\n|(static [\w *]*?(?<!\w))|(.*PRINTF_LIKE\(\d, \d\)\s+(?:static \w+ )?))"
    r"([a-z]\w*) ?\([^;{}]*\)\s*\n?\{"
)


# A static function of filter/run/builtin/builtin_X.c begins with bi, which is short for builtin.
SHORT = {"builtin": "bi"}


def strangers():
    """Static functions of .c files of the product whose name does not begin with a word of the file or of a folder."""
    found = []
    for path, text in sources(".c"):
        text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
        words = {w for part in (*path.parts[:-1], path.stem) for w in part.split("_")}
        words |= {w.rstrip("s") for w in words} | {w + "s" for w in words} | {SHORT[w] for w in words & set(SHORT)}
        for m in re.finditer(NAMED_BODY, text):
            kind, name = m.group(1) or m.group(2) or m.group(3) or "", m.group(4)
            if "static" in kind and name.split("_")[0] not in words:
                found.append("%s:%d %s" % (path, text.count("\n", 0, m.start(4)) + 1, name))
    return found


def function_names():
    named, files, twice = collections.defaultdict(list), collections.defaultdict(set), []
    for path, text in sources(".c", ".h", ".l", ".y", folders=PRODUCT + ("test",)):
        text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
        # The name begins a line, or follows the type, or follows PRINTF_LIKE.
        for m in re.finditer(NAMED_BODY, text):
            kind, name = m.group(1) or m.group(2) or "", m.group(4)
            if name == "main":
                continue
            if path.parts[0] != "test" or not may_share(kind, name):
                files[name].add(str(path))
            place = "%s:%d" % (path, text.count("\n", 0, m.start(4)) + 1)
            if "_" not in name:
                named[name].append(place)
            elif has_word_twice(name):
                twice.append("%s: %s" % (name, place))
    worst = ["%s: %s" % (n, ", ".join(p)) for n, p in sorted(named.items(), key=lambda x: -len(x[1]))]
    yield "one-word-functions", sum(map(len, named.values())), worst
    yield "one-word-functions-twice", sum(len(p) > 1 for p in named.values()), []
    yield "static-names-without-module", len(strange := strangers()), strange
    # A stack trace and a profile tell two functions apart by the name alone.
    shared = ["%s: %s" % (n, ", ".join(sorted(p))) for n, p in sorted(files.items()) if len(p) > 1]
    yield "function-names-shared", len(shared), shared
    yield "function-names-word-twice", len(twice), twice


def says_loop(text):
    """Does the first comment below the licence say which loop, thread or worker runs the functions? Paths of files
    do not count: sysdep/loop/loop.h is no statement."""
    head = (re.findall(r"/\*.*?\*/", text, re.S) + ["", ""])[1]
    return LOOP.search(re.sub(r"\S*/\S*\w|\w+\.[ch]\b|\s*\n \*", "", head))


# The first comment of a file: in C below the licence, in Python the docstring, in shell the lines below the licence.
FIRST = {
    ".c": re.compile(r"\A/\*[^\n]*\*/\n/\*\s*(\w+)"),
    ".py": re.compile(r"\A(?:#.*\n)*\s*\"\"\"\s*(\w+)"),
    ".sh": re.compile(r"\A(?:#!.*\n)?(?:# SPDX.*\n)?#\s*(\w+)"),
}
NO_SUBJECT = frozenset("what who whom whose when where why how which whether it its this that these those they".split())


def no_subject(path, text):
    """Does the first comment of the file begin with a word that is no subject, a question word or a pronoun?"""
    m = FIRST[".c" if path.suffix == ".h" else path.suffix].match(text)
    return m and m.group(1).lower() in NO_SUBJECT


def states(head, own, name):
    """Do the comments of a header, @head, and of its struct @name, @own, state owner and life?"""
    if CONSTANT.search(own):
        return True
    # "Owner of struct x: ..." in the first comment speaks of no other struct.
    sentences = re.split(r"(?<=[.;])\s+", re.sub(r"\s*\n \*?\s*", " ", head))
    other = re.compile(r"\bowner of (a |the |each )?struct (?!%s\b)" % name, re.I)
    said = own + " ".join(s for s in sentences if not other.search(s))
    return OWNER.search(said) and LIFE.search(said)


def names_freer(head, own):
    return CONSTANT.search(own) or FREED.search(own + " " + head)


def contracts():
    lacking, bare, unfreed = [], [], []
    for path, text in sources(".h"):
        head = (re.findall(r"/\*.*?\*/", text, re.S) + ["", ""])[1]
        for m in re.finditer(r"(?m)^(/\*(?:(?!\*/).)*\*/\n)?struct (\w+) \{", text, re.S):
            own, place = m.group(1), "%s:%d: struct %s" % (path, text.count("\n", 0, m.start(2)) + 1, m.group(2))
            if not states(head, own or "", m.group(2)):
                lacking.append(place)
            # The first comment of the file speaks for a struct only if the struct says what the struct is.
            if not own:
                bare.append(place)
            elif not names_freer(head, own):
                unfreed.append(place)
    yield "structs-without-contract", len(lacking), lacking
    yield "structs-without-comment", len(bare), bare
    yield "structs-without-freer", len(unfreed), unfreed
    silent = [str(path) for path, text in sources(".c", ".h") if not says_loop(text)]
    yield "files-without-loop", len(silent), silent
    asks = [
        "%s: the first comment begins without its subject" % path
        for path, text in sources(".c", ".h", ".py", ".sh", folders=PRODUCT + ("test",))
        if no_subject(path, text)
    ]
    yield "first-comments-without-subject", len(asks), asks
    wide = [
        "%s:%d: %d columns" % (path, i, len(line))
        for path, text in list(sources(".py", ".sh", folders=("test",))) + list(documents())
        for i, line in enumerate(text.splitlines(), 1)
        if len(line.expandtabs(8)) > COLUMNS
    ]
    yield "wide-lines", len(wide), wide


def limits():
    """{figure: (limit, goal)}"""
    found = {}
    for line in (pathlib.Path(__file__).parent / "words.limits").read_text().splitlines():
        if line and not line.startswith("#"):
            name, limit, goal = line.split()
            found[name] = float(limit), float(goal)
    return found


def main():
    kinds = {"prose": prose, "messages": messages, "function-names": function_names, "contracts": contracts}
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("kind", choices=kinds)
    args.add_argument("--worst", type=int, default=0, metavar="N")
    args = args.parse_args()
    bounds, failed = limits(), False
    for name, value, worst in kinds[args.kind]():
        limit, goal = bounds[name]
        failed |= value > limit
        print("%s%s: %g, limit %g, goal %g" % ("FAIL " if value > limit else "", name, value, limit, goal))
        for line in worst[: args.worst]:
            print("    " + line)
    sys.exit(failed)


main()
