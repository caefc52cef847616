# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-in words in the texts of the programs: words.py messages.

A text is a string literal of a C source of the product, adjacent literals joined. Texts of two words and more are read:
log lines, errors, replies, help texts. An operator who reads a log line has no sentence before the line, so a pronoun
has no noun to stand for. These words are findings:

- a pronoun: it, they, them, others, something, nothing, what, which, who ...
- `there`: "there is", and the adverb without a place
- this, that, these, those, one, another, other, the same, if no noun follows: "one is down", "the same, as DSCP"
- `its` and `their` at the beginning of a text or of a clause
- "so many", "so long": a number that the text does not name

messages.allow names the exceptions: PATH | PART OF THE TEXT | REASON. An entry that excepts no text is an error."""
import pathlib
import re
import sys

ALLOW = pathlib.Path("test/tools/messages.allow")
LEAST_WORDS = 2
TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|\\\n|\s+)|(?P<char>'(?:[^'\\\n]|\\.)+')|"(?P<text>(?:[^"\\\n]|\\.)*)"|"""
    r"""(?P<format>\bPRI[a-zA-Z]+\d+\b)|(?P<other>\w+|.)""",
    re.S,
)
# The end of the text, a mark, or a word that is no noun follows.
ALONE = (
    r"(?=\s*(?:$|[^\w\s'\"`<%(-])|\s+(?-i:is|isn't|are|aren't|was|wasn't|were|has|hasn't|have|had|may|can|can't|must|"
    r"needs?|does|doesn't|do|did|will|would|goes|gets|stays?|works?|and|or|but|by|from|to|in|on|at|as|for|OF|with|"
    r"without|within|that|than|then|when|while|if|here|more|only|also|already|until|since|after|before|too)\b)"
)
FINDINGS = re.compile(
    r"\b(?:it|they|them|others|something|somebody|someone|anything|anybody|anyone|nothing|nobody|everything|everybody|"
    r"things?|what|whatever|(?<!for )(?<!after )which|whichever|who|whoever|whose|whom|there|"
    r"so (?:many|much|long))\b(?!-)"
    r"|(?<!all )\bones\b|(?:^|[:;(])\s*(?:its|their)\b|\b(?:this|that) one\b"
    r"|\b(?:this|these|those|(?<!each )other|another|the same)" + ALONE.replace("OF", "of")
    + r"|(?<!at least )(?<!more than )\bone" + ALONE.replace("OF|", "")
    + r"|\bthat(?= of\b|'s\b)|(?:^|[:;,(])\s*that(?= (?:is|isn't|was|has|may|can)\b)",
    re.I,
)


def literals(text):
    """(line, text) of each run of adjacent literals."""
    parts, at = [], 0
    for m in TOKEN.finditer(text):
        if m.group("text") is not None:
            at = at if parts else m.start()
            parts.append(m.group("text").replace("\\\n", ""))
        elif m.group("format") and parts:
            parts.append("u")
        elif not m.group("skip") and parts:
            yield text.count("\n", 0, at) + 1, "".join(parts)
            parts = []


def plain(text):
    """The words that a reader sees: escapes become spaces, a value becomes %."""
    text = re.sub(r"\\[nt]", " ", text).replace('\\"', '"')
    return re.sub(r"%%|%[-+ #0]*[\d*]*(?:\.[\d*]*)?(?:hh?|ll?|[zjt])?[a-zA-Z]", "%", text)


def findings(text):
    """The stand-in words of a literal."""
    text = plain(text)
    if len(re.findall(r"[A-Za-z']+", text)) < LEAST_WORDS:
        return []
    return [m.group().strip(" :;,(") for m in FINDINGS.finditer(text)]


def allowed():
    """[[path, part of the text, reason], ...]"""
    found = []
    for line in ALLOW.read_text().splitlines() if ALLOW.exists() else ():
        if line and not line.startswith("#"):
            part = re.fullmatch(r"(\S+) \| (.+) \| (.+)", line)
            if not part:
                sys.exit("messages.allow: PATH | PART OF THE TEXT | REASON is expected: " + line)
            found.append(part.groups())
    return found


def messages(files):
    """Of @files, (path, content): [place: words: text, ...], and the entries of the list without a text."""
    entries, found, used = allowed(), [], set()
    for path, content in files:
        for line, text in literals(content):
            words = findings(text)
            fits = [e for e in entries if e[0] == str(path) and e[1] in text] if words else []
            used.update(fits)
            if words and not fits:
                found.append("%s:%d: %s: %s" % (path, line, ", ".join(words), text))
    return found, ["messages.allow: no finding in %s: %s" % e[:2] for e in entries if e not in used]
