# SPDX-License-Identifier: GPL-3.0-or-later
"""TCP MD5 (RFC 2385) with different passwords on both sides: the kernel drops what it gets, and the session says so;
with equal ones, and without any, nothing is said."""

from harness import *

OURS, THEIRS = "127.0.9.1", "127.0.9.2"
DROPPED = "dropped segments of this peer or of another peer"


def conf(own, other, port, password, more=""):
    """Two servers; `peer` is the session in question."""
    text = 'router id 1.1.1.%s;\nlog "RUN/bird.log" all;\nprotocol device {}\n' % own[-1]
    word = 'password "%s";' % password if password else ""
    return (
        text
        + "protocol bgp peer { local %s port %d as 6500%s; neighbor %s port %d as 6500%s; strict bind; multihop; %s"
        " connect delay time 1; connect retry time 1; error wait time 1, 1; %s ipv4 { import all; export all; }; }\n"
        % (own, port, own[-1], other, port, other[-1], word, more)
    )


def start(ours, theirs, passive=""):
    port = free_port()
    return (
        port,
        Daemon(conf(OURS, THEIRS, port, ours, passive)).start(),
        Daemon(conf(THEIRS, OURS, port, theirs)).start(),
    )


def up(d):
    return "Established" in d.text("show protocols peer")


def last_error(d):
    m = re.search(r"Last error: +(.*)", d.text("show protocols all peer"))
    return m.group(1) if m else ""


def wrong(passive=""):
    port, a, b = start("open sesame", "open sezame", passive)
    wait_until(
        lambda: re.match(r"Socket: No answer; [1-9]\d* wrong signatures, \d+ missing \(all peers\)", last_error(a)),
        lambda: last_error(a),
    )
    wait_until(lambda: DROPPED in a.whole_log(), "the line in the log")
    wait_until(lambda: "Have both sides the same password?" in a.whole_log(), lambda: "what it asks")
    check(not up(a), "it is up")
    stays(
        lambda: a.whole_log().count(DROPPED) == 1,
        lambda: "lines in the log: %d" % a.whole_log().count(DROPPED),
        3 * SLOW,
    )
    check('"last_error":"Socket: No answer;' in a.text("json show protocols all peer"), "JSON has it")
    # with the right one it comes up, and nothing is left of that
    b.write(conf(THEIRS, OURS, port, "open sesame"))
    b.text("configure")
    wait_until(lambda: up(a) and up(b), "the right password", 60)
    equal(last_error(a), "", "the error of before")
    a.stop()
    b.stop()


def waits():
    wrong("passive;")


def says_soon():
    """The connect retry time of a session that waits is 120 s: the session does not wait as long to say what it sees.
    The other side tries again and again."""
    port = free_port()
    text = conf(OURS, THEIRS, port, "open sesame", "passive;").replace(" connect retry time 1;", "")
    a = Daemon(text).start()
    b = Daemon(conf(THEIRS, OURS, port, "open sezame")).start()
    wait_until(lambda: "wrong signatures" in last_error(a), lambda: last_error(a), 60 * SLOW)
    wait_until(lambda: DROPPED in a.whole_log(), "the line in the log")
    a.stop()
    b.stop()


def missing():
    """The other side has none."""
    port, a, b = start("open sesame", "")
    wait_until(
        lambda: re.match(r"Socket: No answer; \d+ wrong signatures, [1-9]\d* missing", last_error(a)),
        lambda: last_error(a),
    )
    check(DROPPED not in b.whole_log() and "No answer" not in last_error(b), "who has no password")
    a.stop()
    b.stop()


def right():
    """Equal passwords beside a pair with different ones: once up, nothing; none: nothing ever."""
    port, a, b = start("open sesame", "open sesame")
    wait_until(lambda: up(a) and up(b), "equal passwords")
    port2, c, e = start("", "")
    wait_until(lambda: up(c) and up(e), "no passwords")
    for d in a, b, c, e:
        check(DROPPED not in d.whole_log(), "it is in the log")
        equal(last_error(d), "", "an error")
    for d in a, b, c, e:
        d.stop()


def nobody():
    """Nobody listens: Linux doesn't refuse what is signed. No counter rises."""
    port = free_port()
    a = Daemon(conf(OURS, THEIRS, port, "open sesame")).start()
    wait_until(
        lambda: last_error(a) == "Socket: No answer: no router has the address, or the peer has another password",
        lambda: last_error(a),
    )
    check(DROPPED not in a.whole_log(), "it is in the log")
    a.stop()


case("another password", wrong)
case("another password, and we wait", waits)
case("what a session says that waits 120 s", says_soon)
case("no password", missing)
case("the same one", right)
case("nobody there", nobody)
done()
