# SPDX-License-Identifier: GPL-3.0-or-later
"""What a single `configure` does to instances and control sockets, and commands right behind it."""

from harness import *

HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
"""
SESSION = """protocol bgp %s { local 127.0.0.1 port %d as 65000; neighbor 127.0.9.%d as %d; passive; multihop; rs client;
	error wait time 1, 1; %s ipv4 { import all; export all; %s }; }
"""


def session(name, k=1, port=1, more="", channel=""):
    return SESSION % (name, port, k, 65000 + k, more, channel)


def configure(d, text, codes=(3, 4), command="configure"):
    d.write(text)
    code = d.code(command)
    check(code in codes, "%s: %d: %s" % (command, code, d.said()))


def member_replaced(threads):
    """Seventeen members, of which one goes while another comes. Nobody is connected."""
    def conf(first):
        return HEAD + "".join(session("m%d" % k, k % 250 + 1) for k in range(first, first + 17))

    d = Daemon(("threads %d;\n" % threads if threads else "") + conf(0)).start()
    for k in range(200):
        configure(d, conf(k + 1))
        check(d.alive(), "the daemon has ended after %d times: %s" % (k + 1, d.said()))
    wait_until(lambda: len(d.sessions()) == 17, "seventeen sessions")
    d.stop()


def rights(path):
    """What one may do there: None: nobody listens; else the code of a command that changes something."""
    try:
        c = Cli(path)
    except OSError:
        return None
    code = c.run("disable nobody")[-1][0]
    c.close()
    return code


def control_sockets():
    d = Daemon(HEAD).start()
    one, two = os.path.join(d.dir, "one.ctl"), os.path.join(d.dir, "two.ctl")
    equal(rights(one), None, "a socket that isn't configured")
    configure(d, HEAD + 'cli "RUN/one.ctl";\n')
    equal(rights(one), 9001, "an open one, asked for an unknown protocol")
    kept = Cli(one)
    configure(d, HEAD + 'cli "RUN/one.ctl" { restrict; };\ncli "RUN/two.ctl";\n')
    equal(kept.run("disable all")[-1][0], 8007, "a client that was there before")
    equal(rights(one), 8007, "a new client")
    equal(rights(two), 9001, "the other socket")
    configure(d, HEAD + 'cli "RUN/one.ctl";\n')
    equal(kept.run("disable nobody")[-1][0], 9001, "loosened again")
    equal(kept.run("restrict")[-1][0], 16, "restrict")
    configure(d, HEAD + 'cli "RUN/one.ctl";\n# the same\n')
    equal(kept.run("disable nobody")[-1][0], 8007, "what a client has given up stays so")
    equal(rights(two), None, "one that was taken away")
    check(not os.path.exists(two), "its file is still there")
    # The client that takes its own socket away gets its answer, then the end.
    d.write(HEAD)
    own = Cli(one)
    check(own.run("configure")[-1][0] in (3, 4), "the last answer")
    check(own.is_closed() and kept.is_closed(), "clients of a socket that was taken away")
    # Back and forth, as fast as it goes.
    for k in range(100):
        configure(d, HEAD + ('cli "RUN/one.ctl"%s;\n' % (" { restrict; }" if k % 4 else "") if k % 2 else ""))
        equal(rights(one), (None, 8007 if k % 4 else 9001)[k % 2], "rights, round %d" % k)
    equal(sorted(os.listdir(d.dir)), sorted(["rs.conf", "rs.ctl", "rs.pid", "rs.err", "bird.log", "one.ctl"]), "files")
    configure(d, HEAD)
    d.stop()


def control_socket_refused():
    """One that can't be had: the whole configuration is refused, and nothing has changed."""
    d = Daemon(HEAD + 'cli "RUN/one.ctl";\n').start()
    for bad, why in (("RUN/none/two.ctl", "No such file"), ("RUN/bird.log", "not a socket|on non-socket"),
                     ("RUN/rs.ctl", "in use")):
        d.write(HEAD + session("m1") + 'cli "RUN/new.ctl";\ncli "%s";\n' % bad)
        got = d.run("configure")
        equal(got[-1][0], 8002, "a control socket at %s" % bad)
        check(re.search(why, got[-1][1]) and bad.replace("RUN", d.dir) in got[-1][1], "why: %r" % (got[-1],))
        check(not d.sessions(), "a part of the configuration was taken")
        check(not os.path.exists(os.path.join(d.dir, "new.ctl")), "another socket was left behind")
        equal(rights(os.path.join(d.dir, "one.ctl")), 9001, "the old one")
    d.stop()


case("a member is replaced, a thread for each worker", member_replaced, 0)
case("a member is replaced, two threads", member_replaced, 2)
case("control sockets come, go and change their rights", control_sockets)
case("a control socket that can't be had", control_socket_refused)
done()
