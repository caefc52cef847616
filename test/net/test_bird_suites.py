# SPDX-License-Identifier: GPL-3.0-or-later
"""The suites of filters in BIRD's source packages pass, except for the differences that doc/differences.md names.

TERN_BIRD_SOURCE names the folders of unpacked source packages (separated by `:`); by default the folders of
TERN_PEERS/source, where test/tools/peers.sh puts them. The test runs a copy without the statements that use a feature
which tern lacks. An assertion may fail only if DIFFERS has its text."""

from harness import *

import glob

# Attributes, channels and protocols that tern lacks (doc/differences.md).
LACKS = re.compile(r"\b(ospf\w*|rip_\w+|babel_\w+|radv_\w+|bgp_mpls_label_stack|vpn[46]|mpls)\b|^route \d+:\d+:\d+ ")
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/|#[^\n]*|[{};]|\w+|\s+|.', re.S)
# Texts of earlier versions that differ from the texts of 3.3.2, which tern prints: the versions, the assertion, the
# reason in doc/differences.md.
DIFFERS = (
    (r"2\.", r'format\(\w+\) = "\(enum \w+\)\d+"', "enumerations: `(enum 30)1`"),
    (r"2\.", r'format\(\[[ 0-9,.]+\]\) = "\[[ 0-9,.]+\]"', "sets of integers: `[1, 1, 2]`"),
)
PROGRAM = program("ternd")


def is_blank(token):
    return token.isspace() or token.startswith("/*") or token.startswith("#")


class Without:
    """A text without the statements that use a feature of LACKS. The other lines keep their numbers."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.gone = set()
        at = 0
        while at < len(self.tokens):
            at = self.block(at)
        kept = (re.sub(r"[^\n]", "", t) if i in self.gone else t for i, t in enumerate(self.tokens))
        # A protocol whose only channel has gone.
        self.text = re.sub(r"protocol static\s*\{\s*\}", lambda m: "\n" * m[0].count("\n"), "".join(kept))

    def block(self, at):
        """The statements from @at on: the index behind the bracket that closes their block."""
        begin = at
        while at < len(self.tokens):
            token = self.tokens[at]
            at += 1
            if token == "}":
                return at
            if token == "{":
                at = self.block(at)
                behind = at
                while behind < len(self.tokens) and is_blank(self.tokens[behind]):
                    behind += 1
                if behind < len(self.tokens) and self.tokens[behind] == ";":
                    at = behind + 1
            if token in "{;":
                self.statement(begin, at)
                begin = at
        return at

    def statement(self, begin, end):
        words = [i for i in range(begin, end) if i not in self.gone and not is_blank(self.tokens[i])]
        text = "".join(self.tokens[i] for i in range(begin, end) if i in words or self.tokens[i].isspace()).strip()
        # A block of statements goes for the words of its head, a block of options for any word.
        if LACKS.search(text if text.endswith(";") else text.split("{")[0]):
            self.gone.update(words)


def version_of(folder):
    with open(os.path.join(folder, "NEWS")) as f:
        return re.search(r"Version (\S+)", f.read())[1]


def suites(folder):
    d = temp_dir()
    for path in glob.glob(os.path.join(folder, "filter", "test*")):
        if os.path.isfile(path):
            with open(path) as f, open(os.path.join(d, os.path.basename(path)), "w") as out:
                out.write(Without(f.read()).text if "conf" in path else f.read())
    version = version_of(folder)
    p = subprocess.run(
        [PROGRAM, "-t", "-c", os.path.join(d, "test.conf")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        timeout=120 * SLOW,
    )
    out = p.stdout.decode()
    total = re.search(r"^(\d+) suites: (\d+) passed, (\d+) failed; (\d+) assertions", out, re.M)
    check(total, "BIRD %s: the file is refused: %s" % (version, p.stderr.decode()[-3000:]))
    false = re.findall(r"^ +\S+test\.conf:\d+: (.*)", out, re.M)
    mine = [(text, reason) for pattern, text, reason in DIFFERS if re.match(pattern, version)]
    unknown = [line for line in false if not any(re.search(text, line) for text, _ in mine)]
    check(not unknown, "BIRD %s: these assertions are false:\n%s" % (version, "\n".join(unknown)))
    with open(os.path.join(SRC, "doc", "differences.md")) as f:
        page = f.read()
    for _, reason in mine:
        check(reason in page, "doc/differences.md names: " + reason)
    listed = re.search(r"- %s: (\d+) of (\d+) suites pass" % re.escape(version), page)
    if listed:
        equal(listed.groups(), (total[2], total[1]), "doc/differences.md, %s: suites that pass" % version)
    else:
        print("BIRD %s: %s; doc/differences.md lacks this version" % (version, total[0]))
    check(int(total[3]) == 0 or false, "a suite fails without a false assertion: " + out[-2000:])
    check(int(total[1]) > 20, "the file has suites: " + total[0])


def sources():
    named = os.environ.get("TERN_BIRD_SOURCE")
    if named:
        return named.split(":")
    return sorted(glob.glob(os.path.join(os.environ.get("TERN_PEERS", "/nonexistent"), "source", "bird*")))


folders = [d for d in sources() if os.path.exists(os.path.join(d, "filter", "test.conf"))]
if not folders:
    case("suites of BIRD", lambda: cannot_here("no source package of BIRD in TERN_BIRD_SOURCE or TERN_PEERS/source"))
for folder in folders:
    case("suites of BIRD " + version_of(folder), suites, folder)
done()
