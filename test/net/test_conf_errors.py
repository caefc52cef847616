# SPDX-License-Identifier: GPL-3.0-or-later
"""Every broken configuration of test/conf, given to a running daemon with sessions: the reply names file, line, column
and what is wrong as the golden text has it; the running configuration stays in force and no session moves."""

from harness import *

# A copy that everybody may read: the daemon withholds words of files that are closed to others.
CONF = shutil.copytree(os.path.join(SRC, "test/conf"), os.path.join(temp_dir(), "conf"))
CLIENTS = 4
PORT = free_port()
OPTIONS = load_options(PORT, CLIENTS, nets=500, ratio=2)


def broken():
    return sorted(glob.glob(CONF + "/*.err"))


def state():
    """What a change would show in."""
    rows = [t for c, t in D.run("show protocols") if c == 1002]
    symbols = sorted(t for c, t in D.run("show symbols") if c == 1010)
    last = [t for _, t in D.run("show status") if t.startswith("Last reconfiguration")]
    return rows, symbols, last, D.run("show route count"), D.run("configure status")[0]


def one(path, command):
    conf = path[:-4] + ".conf"
    with open(path) as f:
        want = f.read().split("\n")[0]
    reply = D.run('%s "%s"' % (command, conf))
    equal(reply[0], (2, "Reading configuration from " + conf), "first line")
    code, text = reply[-1]
    equal(code, 8002, "code of %r" % (reply,))
    # The golden text has names without folders.
    got = text.replace(CONF + "/", "")
    check(re.match(r"\S+:\d+:\d+ ", got), "no file:line:column in %r" % text)
    if len(want) < 480:
        equal(got, want, "text")


def test_all(command):
    before = state()
    for path in broken():
        try:
            one(path, command)
        except Failed as e:
            raise Failed("%s: %s" % (os.path.basename(path), e))
        now = state()
        check(now == before, "%s changed something: %r" % (path, [x for x in zip(before, now) if x[0] != x[1]]))


def test_good_after():
    check(D.code("configure") in (3, 4), "the good configuration is refused afterwards")
    LOAD.proc.terminate()
    rc, _ = LOAD.finish()
    equal(rc, 0, "ternload's verdict: " + LOAD.said())
    D.stop()


if len(broken()) < 40:
    note("only %d broken configurations in test/conf" % len(broken()))
    sys.exit(1)
D = Daemon(load_conf(OPTIONS)).start()
LOAD = Load(OPTIONS, 600, steps="announce,settle,hold=600")
LOAD.wait_hold()
case("configure, %d broken ones" % len(broken()), test_all, "configure")
case("configure check", test_all, "configure check")
case("and then a good one", test_good_after)
done()
