# SPDX-License-Identifier: GPL-3.0-or-later
"""Unknown names and misspelled words: every command names the unknown word and the nearest known word, in no parser's
terms."""

import json

from harness import *

PORT = free_port()
HEAD = (
    """router id 10.0.0.1;
log "RUN/bird.log" { info, warning, error, fatal, bug%s };
ipv4 table clients4;
roa4 table roas;
filter from_member { accept; }
function is_bogon() -> bool { return net.len > 24; }
define TRANSIT = 65010;
define OURS = 192.0.2.0/24;
protocol device {}
protocol static originated { ipv4; route 192.0.2.0/24 blackhole; }
protocol bgp as64999 { local 127.0.0.1 port """
    + str(PORT)
    + """ as 64500; neighbor 127.0.0.9 as 64999; multihop; passive;
  ipv4 { import keep filtered; import all; export all; }; }
"""
)
D = Daemon(HEAD % "").start()

# (command, the reply's text)
NEAR = []
for words in (
    "show protocols %s",
    "show protocols all %s",
    "show route protocol %s",
    "show route export %s",
    "show route noexport %s.ipv4",
    "show route preexport %s",
    "show route import table %s.ipv4",
    "show route export table %s.ipv4",
    "show static %s",
    "show bfd sessions %s",
    "show route why 192.0.2.0/24 from %s",
    "show route why 192.0.2.0/24 to %s",
    "enable %s",
    "disable %s",
    "disable %s hold",
    "restart %s",
    "drain %s",
    "undrain %s",
    "reload %s",
    "reload in %s",
    "reload filters out %s",
    "reload bgp %s",
    "flush stale %s",
    "debug %s all",
    "mrtdump %s all",
):
    NEAR.append((words % "as9999", "no protocol 'as9999'; did you mean 'as64999'?"))
for words in (
    "show route table %s",
    "show table %s",
    "show route why 192.0.2.0/24 table %s",
    "mrt dump table %s to \"/dev/null\"",
    "show roa check 192.0.2.0/24 as 1 table %s",
):
    NEAR.append((words % "client4", "no table 'client4'; did you mean 'clients4'?"))
NEAR += [
    ("eval roa_check(raos, 192.0.2.0/24, 1)", "no table 'raos'; did you mean 'roas'?"),
    ("show route filter form_member", "no filter 'form_member'; did you mean 'from_member'?"),
    (
        "mrt dump table clients4 to \"/dev/null\" filter from_membr",
        "no filter 'from_membr'; did you mean 'from_member'?",
    ),
    ("show route where is_bogn()", "no function 'is_bogn'; did you mean 'is_bogon'?"),
    ("eval is_bogn()", "no function 'is_bogn'; did you mean 'is_bogon'?"),
    ("eval TRANSTI", "no symbol 'TRANSTI'; did you mean 'TRANSIT'?"),
    ("show route for OUSR", "no constant 'OUSR'; did you mean 'OURS'?"),
    ("show symbols form_member", "no symbol 'form_member'; did you mean 'from_member'?"),
    ("show filter is_bogno", "no filter, function or protocol 'is_bogno'; did you mean 'is_bogon'?"),
    ("debug as64999.ipv5 all", "no channel 'as64999.ipv5'; did you mean 'as64999.ipv4'?"),
    ("show route import table as64999.ipv6", "no channel 'as64999.ipv6'; did you mean 'as64999.ipv4'?"),
    ("show route noexport as64999.ip4", "no channel 'as64999.ip4'; did you mean 'as64999.ipv4'?"),
    ("shwo status", "no command 'shwo'; did you mean 'show'?"),
    ("show rotue", "no command 'rotue'; did you mean 'route'?"),
    ("show route 10.0.0.0/8 why", "'why' stands in front: show route why NETWORK"),
    ("show route all why", "'why' stands in front: show route why NETWORK"),
    ("show route reasons", "'reasons' stands behind 'filtered': show route filtered reasons"),
    ("show route coutn", "no option or network 'coutn'; did you mean 'count'?"),
    ("dump filtre all", "no dump 'filtre'; did you mean 'filter'?"),
    ("show protocols zebra", "no protocol 'zebra'"),
]

# of the right place, in words of the manual
WORDS = [
    (
        "show route 192.0.2.1",
        "a network is expected, such as 192.0.2.1/32; for the route to an address: show route for 192.0.2.1",
    ),
    (
        "show route why 2001:db8::1",
        "a network is expected, such as 2001:db8::1/128; for the route to an address: show route for 2001:db8::1",
    ),
    ("graceful", "syntax error, unexpected end of the command, expecting 'restart'"),
    ("help foo", "no command 'foo'"),
    ("show interfaces foo", "syntax error, unexpected 'foo', expecting 'summary' or the end of the command"),
    ("disable", "syntax error, unexpected end of the command, expecting a protocol, a pattern in quotes or 'all'"),
    (
        "disable as64999 hlod",
        (
            "syntax error, unexpected 'hlod', expecting 'hold', a text in quotes or the end of the command; did you"
            " mean 'hold'?"
        ),
    ),
    ("configure chekc", None),
    ("timeformat xx", "syntax error, unexpected 'xx', expecting 'iso' or a text in quotes"),
    ("timeformat iso xx", "syntax error, unexpected 'xx', expecting 'short' or 'long'"),
]
# Terms of a parser that no reply has.
TERMS = re.compile(r"CF_SYM|\b(END|TEXT|NUM|IP4|IP6|VPN_RD|KNOWN|UNDEFINED)\b")


def names():
    for command, text in NEAR:
        equal(D.run(command)[-1], (9001, text), command)
        if command.startswith("show"):
            said = [json.loads(t) for c, t in D.run("json " + command) if c == 1100]
            equal([said[-1][k] for k in ("ok", "code", "message")], [False, 9001, text], "json " + command)


def words():
    for command, text in WORDS:
        reply = D.run(command)
        equal(reply[-1][0], 9001, command)
        check(text is None or reply[-1][1] == text, "%s: %r" % (command, reply))
    check(D.text("configure chekc").rstrip().endswith("; did you mean 'check'?"), D.text("configure chekc"))


def plain():
    """No command answers in a parser's terms, whatever word is wrong: each command of `help`, with a wrong word or
    nothing behind it."""
    commands = [re.match(r"((?:[a-z]+ ?)+?) +[A-Z]", t).group(1) for c, t in D.run("help") if c == 1099]
    check(len(commands) > 25, "help: %r" % commands)
    for command in commands:
        if command.split()[0] in ("down", "graceful", "quit", "restrict", "configure", "help", "echo"):
            continue
        for more in (" nosuch", " 5 nosuch", " \"nosuch\" nosuch", " all nosuch"):
            text = D.text(command + more)
            check(not TERMS.search(text), "%s: %s" % (command + more, text))


def traces():
    """`debug` says so if its lines go nowhere; a log or a client's echo is enough."""
    want = "No log takes traces"
    for command in ("debug as64999 all", "debug all { states }", "debug as64999.ipv4 { routes }"):
        reply = D.run(command)
        check(reply[0][1].startswith(want) and reply[-1] == (0, ""), "%s: %r" % (command, reply))
    equal(D.run("debug as64999 off"), [(0, "")], "off")
    c = Cli(D.ctl)
    c.run("echo { trace }")
    equal(D.run("debug as64999 all"), [(0, "")], "a client takes traces")
    c.close()
    wait_until(lambda: want in D.text("debug as64999 all"), "it has gone")
    D.write(HEAD % ", trace")
    check(D.code("configure") in (3, 4), "configure")
    equal(D.run("debug as64999 all"), [(0, "")], "a log takes traces")


def listing():
    """A `?` lists one command, or one option, a line; ternc names the nearest command."""

    def ternc(*line):
        return subprocess.run(
            [program("ternc"), "-s", D.ctl] + list(line), stdout=subprocess.PIPE, timeout=20, check=False
        ).stdout.decode()

    lines = ternc("show route ?").splitlines()
    for option in (
        "for <prefix or address>",
        "in <prefix>",
        "table (<table> | all)",
        "protocol <protocol>",
        "filter <filter>",
        "where <condition>",
        "all",
        "primary",
        "filtered [reasons]",
        "stale",
        "count",
    ):
        check("    " + option in lines, "%s in %r" % (option, lines))
    check(all(len(x) <= 100 for x in ternc("?").splitlines() + lines), "short lines")
    check("did you mean 'show route'?" in ternc("show", "rotue"), ternc("show", "rotue"))


case("names", names)
case("words", words)
case("no parser's terms", plain)
case("debug without a log for traces", traces)
case("lists of ternc", listing)
D.stop()
done()
