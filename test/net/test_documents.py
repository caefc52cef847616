# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands in README, in doc/*.md and in the comments of doc/examples, run against a live ./quickstart.

- Each `ternc` command of a code block gets a reply without an error. Commands that only look run first, then commands
that
  change something, in the order of the document; a command that ends the daemon runs against a daemon of its own.
- Each `ternd -p` and `ternd -t` line of a code block or an example's comment ends with status 0.
- Each command of ternc in running text is a command that `help` knows; in README, where the text has no placeholder,
  the
  command runs.
- Each option of ternd and ternc in running text is one that --help has.
- ternd accepts each block marked conf of the operator's pages.
- doc/prompt.svg shows what the prompt shows.

A line with a placeholder (a word in capital letters) is a synopsis; its command has to be known, and does not run."""

import shlex

from harness import *
from live import Quickstart
import prompt_svg

LOOKS = ("show", "json", "eval", "help", "configure check", "configure status", "echo", "timeformat", "restrict")
ENDS = ("down", "graceful restart")
VERBS = {
    "show",
    "json",
    "configure",
    "enable",
    "disable",
    "restart",
    "reload",
    "debug",
    "dump",
    "mrt",
    "mrtdump",
    "eval",
    "echo",
    "timeformat",
    "restrict",
    "down",
    "graceful",
    "flush",
    "log",
    "watch",
}
PLACEHOLDER = re.compile(r"\b(?!BGP\b)[A-Z]{2,}\b|\bN\b|\.\.\.|…")
# First words of commands that are also first words of the configuration language.
ALSO_OPTIONS = ("graceful", "log", "disable", "enable", "debug", "timeformat", "restrict", "mrtdump", "restart")
PAGES = ["README.md", "CONTRIBUTING.md"] + sorted(
    os.path.relpath(p, SRC) for p in glob.glob(os.path.join(SRC, "doc", "*.md"))
)
# Commands of BIRD and FRR that documents name as such; ternc has none of these.
OTHERS = {"dump neighbors", "dump ao keys", "show bgp neighbors", "show ip bgp"}
CONF_PAGES = [p for p in PAGES if p != "doc/language.md"]  # whose blocks check_docs.py reads
faults = []


def fault(page, line, what):
    faults.append("%s:%d: %s" % (page, line, what))


def block_lines(text):
    """(line number, line) of the code blocks of a Markdown text, without the indentation and with continued lines
    joined."""
    fenced, text = False, re.sub(r"\\\n\s*", " ", text)
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield number, line.strip()


def running_text(text):
    """(line number, code) of each piece of code in running text."""
    for number, line in block_gaps(text):
        for code in re.findall(r"`([^`]+)`", line):
            yield number, code.replace("\\|", "|")


def block_gaps(text):
    inside = {number for number, _ in block_lines(text)}
    return [(n, line) for n, line in enumerate(text.splitlines(), 1) if n not in inside]


def commands_of(page, text):
    """(line, program, words) of the code blocks. A pipe ends the command."""
    found = []
    for number, line in block_lines(text):
        m = re.match(r"(?:\$ )?(ternc|ternd) (.*)|tern> (.*)", line)
        if not m:
            continue
        program_name, rest = (m.group(1), m.group(2)) if m.group(1) else ("ternc", m.group(3))
        try:
            words = shlex.split(rest, comments=True)
        except ValueError as e:
            fault(page, number, "%s: %s" % (line, e))
            continue
        if "|" in words and program_name == "ternc" and "[" not in rest:
            words = words[: words.index("|")]
        found.append((number, program_name, words, bool(PLACEHOLDER.search(rest) or rest.startswith("["))))
    return found


def without_socket(words):
    if words[:1] == ["-s"]:
        return words[2:]
    return words


def starts_with(words, what):
    return " ".join(words).startswith(what) and words[:1] == what.split()[:1]


def command_words(words):
    return [w for w in words if not w.startswith("--json")]


class Ternc:
    """Runs the commands of all pages. Answers are kept: many pages name the same command."""

    def __init__(self, exchange):
        self.exchange, self.known = exchange, {}

    def run(self, page, line, words):
        if words[0] == "support":  # no file may stand under the name
            words = [words[0], os.path.join(temp_dir(), os.path.basename(words[1])), *words[2:]]
        status, reply, err = self.exchange.ternc(*words)
        if status:
            fault(page, line, "ternc %s: status %d: %s%s" % (" ".join(words), status, reply.split("\n", 1)[-1], err))

    def knows(self, page, line, command):
        """@command up to its first placeholder is a command of ternc."""
        words = []
        for w in re.split(r"\s+", command):
            if not re.fullmatch(r"[a-z]+", w):
                break
            words.append(w)
        if words[0] == "json":
            words = words[1:]
        if not words:
            return
        name = " ".join(words)
        if name not in self.known:
            self.known[name] = self.exchange.ternc("help", *words)[0] == 0
        if self.known[name] == (name in OTHERS):
            fault(page, line, "ternc %s '%s'" % ("has" if self.known[name] else "has no command", name))


def run_ends(page, line, words):
    d = Daemon("router id 192.0.2.1; log stderr all; protocol device { }").start()
    p = subprocess.run(
        [program("ternc"), "-s", d.ctl, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60 * SLOW
    )
    if p.returncode:
        fault(page, line, "ternc %s: %s" % (" ".join(words), p.stdout.decode()))
        return
    wait_until(lambda: d.proc.poll() is not None, "the daemon to end")


def run_ternd(folder, page, line, words):
    """`ternd -p` or `ternd -t` in the folder of the examples, or in the source tree."""
    if words and words[-1].startswith("says"):
        words = words[:-1]
    name = words[words.index("-c") + 1] if "-c" in words else None
    cwd = folder if name and os.path.exists(os.path.join(folder, name)) else SRC
    p = subprocess.run(
        [program("ternd"), *words],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120 * SLOW,
        stdin=subprocess.DEVNULL,
    )
    if p.returncode:
        fault(page, line, "ternd %s: status %d: %s" % (" ".join(words), p.returncode, p.stdout.decode()[-600:]))


def options_of(name):
    text = subprocess.run([program(name), "--help"], stdout=subprocess.PIPE, timeout=60 * SLOW).stdout.decode()
    return set(re.findall(r"(?<![\w-])--?[A-Za-z][a-z-]*", text)) | {"--help", "--version", "-h"}


def check_page(page, text, ternc, folder):
    """Returns the commands that change something or end the daemon, for later, and how many commands ran."""
    later, ran = [], 0
    for line, name, words, synopsis in commands_of(page, text):
        if name == "ternd":
            if not synopsis and words[:1] in (["-p"], ["-t"]):
                run_ternd(folder, page, line, words)
                ran += 1
            continue
        words = without_socket(words)
        if synopsis:
            if words and words[0] in VERBS:
                ternc.knows(page, line, " ".join(words))
        elif any(starts_with(command_words(words), w) for w in LOOKS):
            ternc.run(page, line, words)
            ran += 1
        else:
            later.append((page, line, words))
    options = {name: options_of(name) for name in ("ternd", "ternc")}
    for line, code in running_text(text):
        m = re.match(r"(ternd|ternc) (.*)", code)
        if m:
            for option in re.findall(r"(?<![\w-])(--?[A-Za-z][a-z-]*)", m.group(2)):
                if option not in options[m.group(1)] and len(option) > 2 and not option.startswith("--"):
                    option = option[:2]
                if option not in options[m.group(1)]:
                    fault(page, line, "%s has no option %s" % (m.group(1), option))
            if m.group(1) == "ternc" and not m.group(2).startswith(("-", "[")):
                code = m.group(2)
            else:
                continue
        words = code.split()
        if not words or words[0] not in VERBS or "(" in code or "{" in code or ";" in code:
            continue
        if words[0] in ALSO_OPTIONS and not m and page != "doc/commands.md":
            continue
        ternc.knows(page, line, code)
        if page == "README.md" and not PLACEHOLDER.search(code) and words[0] in ("show", "json"):
            ternc.run(page, line, shlex.split(code))
            ran += 1
    return later, ran


def example_comments(folder):
    """The commands in the comments of the examples, as code blocks."""
    for root, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(".conf"):
                with open(os.path.join(root, name)) as f:
                    lines = [
                        (
                            "    " + re.sub(r"\s{2,}.*", "", m.group(1))
                            if (m := re.match(r"#\s*(tern[cd] .*)", line.rstrip()))
                            else ""
                        )
                        for line in f
                    ]
                yield "doc/examples/" + os.path.relpath(os.path.join(root, name), folder), "\n".join(lines)


def check_conf_blocks(page, text):
    for m in re.finditer(r"^```conf\n(.*?)^```$", text, re.M | re.S):
        d = temp_dir()
        path = os.path.join(d, "block.conf")
        with open(path, "w") as f:
            f.write(m.group(1))
        p = subprocess.run(
            [program("ternd"), "-p", "-c", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60 * SLOW
        )
        if p.returncode:
            fault(
                page,
                text.count("\n", 0, m.start()) + 1,
                "ternd refuses this block: " + p.stdout.decode().replace(path, "block"),
            )


def seen_by(page, text, ternc):
    """What check_page finds wrong in @text."""
    before = len(faults)
    check_page(page, text, ternc, EXAMPLES)
    found = faults[before:]
    del faults[before:]
    return found


def read(page):
    with open(os.path.join(SRC, page)) as f:
        return f.read()


def documents():
    ternc, later, ran = Ternc(EXCHANGE), [], 0
    for page in PAGES:
        more, cnt = check_page(page, read(page), ternc, EXAMPLES)
        later += more
        ran += cnt
        if page in CONF_PAGES:
            check_conf_blocks(page, read(page))
    for page, text in example_comments(EXAMPLES):
        more, cnt = check_page(page, text, ternc, EXAMPLES)
        later += more
        ran += cnt
    for page, line, words in later:
        if any(starts_with(words, w) for w in ENDS):
            run_ends(page, line, words)
        else:
            ternc.run(page, line, words)
    check(not faults, "\n".join(faults))
    check(ran + len(later) >= 60, "only %d commands were found" % (ran + len(later)))


def planted():
    """The check sees a wrong command in each place."""
    ternc = Ternc(EXCHANGE)
    for page, text in (
        ("README.md", "`show route 11.0.0.0/8 in all`"),
        ("doc/x.md", "    ternc show route 11.0.0.0/8 in all"),
        ("doc/x.md", "`show frobs`"),
        ("doc/x.md", "```\n$ ternd -p -c doc/examples/absent.conf\n```"),
        ("doc/x.md", "`ternd --frob`"),
        ("doc/x.md", "    ternc show nosuch NAME"),
    ):
        equal(len(seen_by(page, text, ternc)), 1, "faults in %r" % text)
    for page, text in (
        ("README.md", "`show route all in 11.0.0.0/8`"),
        ("doc/x.md", "    ternc show protocols | head"),
        ("doc/x.md", "`show route why PREFIX to NAME`"),
        ("doc/x.md", "    ternd -t -c rs-tests.conf"),
    ):
        equal(seen_by(page, text, ternc), [], "faults in %r" % text)


def picture():
    want, got = prompt_svg.shape(read("doc/prompt.svg")), prompt_svg.shape(
        prompt_svg.draw(prompt_svg.prompt_lines(EXCHANGE))
    )
    equal(want, got, "doc/prompt.svg and the prompt: make it anew with test/net/prompt_svg.py")


if KIND != "ternd":
    cannot_here("this is about ternd")
if not os.path.exists(os.path.join(SRC, "quickstart")):
    cannot_here("no quickstart in this tree")
EXAMPLES = os.path.join(SRC, "doc", "examples")
try:
    EXCHANGE = Quickstart(SRC, BUILD, temp_dir(), int(120 * SLOW))
except OSError:
    cannot_here("no pseudo-terminals")
try:
    case("the picture", picture)
    case("wrong commands are seen", planted)
    case("the documents' commands", documents)
    equal(EXCHANGE.end(), 0, "exit status of quickstart")
finally:
    EXCHANGE.abandon()
done()
