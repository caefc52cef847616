# SPDX-License-Identifier: GPL-3.0-or-later
"""TCP-AO (RFC 5925) between two ternds, or a ternd and another daemon (TERN_AO_PEER: a bird of 2.17 or later): the
algorithms, wrong and missing keys, and keys that are exchanged while the session stays. Where the build or the kernel
hasn't got it, how that is said."""

from harness import *

import errno

OURS, THEIRS = "127.0.9.1", "127.0.9.2"
TCP_AO_INFO = 40
PEER = os.environ.get("TERN_AO_PEER")


def key(send, recv=None, secret="open sesame", algorithm="hmac sha1", more=""):
    how = "algorithm %s; " % algorithm if algorithm else ""
    ids = "id %d;" % send if recv is None else "send id %d; recv id %d;" % (send, recv)
    return 'key { %s secret "%s"; %s%s };' % (ids, secret, how, more)


def conf(own, other, port, keys, more=""):
    text = 'router id 1.1.1.%s;\nlog "RUN/bird.log" all;\nprotocol device {}\n' % own[-1]
    text += "protocol static s { ipv4; route 10.%s.0.0/16 blackhole; }\n" % own[-1]
    auth = "authentication ao; keys { %s };" % keys if keys else ""
    return (
        text
        + "protocol bgp peer { local %s port %d as 6500%s; neighbor %s port %d as 6500%s; strict bind; multihop; %s"
        " connect delay time 1; connect retry time 1; error wait time 1, 1; hold time 9; ipv4 { import all; export"
        " all; }; }\n%s" % (own, port, own[-1], other, port, other[-1], auth, more)
    )


def has_build():
    d = Daemon(conf(OURS, THEIRS, 179, key(1)))
    return subprocess.run(d.argv("-p"), capture_output=True, text=True, timeout=20 * SLOW)


def kernel_has():
    with socket.socket() as s:
        try:
            s.getsockopt(socket.IPPROTO_TCP, TCP_AO_INFO, 64)
        except OSError as e:
            return e.errno != errno.ENOPROTOOPT
    return True


def not_built():
    r = has_build()
    equal(r.returncode, 1, "exit status")
    check("authentication ao isn't in this build" in r.stdout + r.stderr, r.stdout + r.stderr)


def no_kernel():
    """It is said by name, nobody gets in without keys, and other sessions don't mind."""
    port = free_port()
    other = (
        "protocol bgp plain { local 127.0.9.1 port %d as 65001; neighbor 127.0.9.3 as 65003; strict bind; multihop;"
        " passive; ipv4 { import all; export all; }; }" % port
    )
    d = Daemon(conf(OURS, THEIRS, port, key(1), other)).start()
    wait_until(
        lambda: "Can't set the keys of TCP-AO for 127.0.9.2: this kernel has no TCP-AO" in d.whole_log(),
        "the line in the log",
    )
    wait_until(lambda: "this kernel has no TCP-AO" in d.text("show protocols all peer"), "the reason that is shown")
    s = socket.socket()
    s.bind((THEIRS, 0))
    s.connect((OURS, port))
    s.settimeout(10 * SLOW)
    equal(s.recv(4096)[18:21], b"\3\6\5", "what a connection without keys is told")
    s.close()
    s = socket.socket()
    s.bind(("127.0.9.3", 0))
    s.connect((OURS, port))
    s.settimeout(10 * SLOW)
    equal(s.recv(4096)[18:19], b"\1", "what another neighbor is told")
    s.close()
    d.stop()


class Other(Daemon):
    def argv(self, *more):
        more = [m for m in more if m != "-f"] + (["-f"] if "-f" in more else [])
        return (
            (PEER.split() + ["-c", self.conf, "-s", self.ctl, "-P", self.pidfile] + more)
            if PEER
            else super().argv(*more)
        )


def start(port, keys, theirs):
    a = Daemon(conf(OURS, THEIRS, port, keys)).start()
    return a, Other(conf(THEIRS, OURS, port, theirs)).start()


def up(d, net):
    return "Established" in d.text("show protocols peer") and net in d.text("show route")


def both_up(a, b, what):
    wait_until(lambda: up(a, "10.2.0.0/16") and up(b, "10.1.0.0/16"), what)


def algorithms():
    for algorithm in "hmac md5", "hmac sha1", "hmac sha256", "hmac sha384", "hmac sha512", "cmac aes128", None:
        port = free_port()
        a, b = start(port, key(7, 9, algorithm=algorithm), key(9, 7, algorithm=algorithm))
        both_up(a, b, algorithm or "the default")
        a.stop()
        b.stop()


def refused():
    """A wrong secret, another number, none at all, or a password."""
    md5 = 'password "open sesame";'
    for theirs in key(1, secret="other"), key(2), key(1, algorithm="hmac sha256"), "", md5:
        port = free_port()
        a = Daemon(conf(OURS, THEIRS, port, key(1))).start()
        text = conf(THEIRS, OURS, port, "" if theirs == md5 else theirs)
        b = Other(text.replace("multihop;", "multihop; " + md5) if theirs == md5 else text).start()
        stays(lambda: "Established" not in a.text("show protocols peer"), "up with " + (theirs or "no key"), 4)
        # and the same session comes up when the other side has got the key
        b.write(conf(THEIRS, OURS, port, key(1)))
        b.text("configure")
        both_up(a, b, "after " + (theirs or "no key"))
        a.stop()
        b.stop()


def life(d):
    """What changes when a session goes: how often it was up."""
    return [
        line
        for line in d.whole_log().splitlines()
        if "Session established" in line or "losed" in line or "State changed to down" in line
    ]


def change(d, own, other, port, keys):
    d.write(conf(own, other, port, keys))
    said = d.text("configure")
    check("econfigured" in said, said)


def rollover():
    """A new key on both sides, one after the other; then the old one goes. Then once more, with the old number and
    another secret."""
    port = free_port()
    old, new = key(1), key(2, 3, "second", "cmac aes128")
    new_there = key(3, 2, "second", "cmac aes128")
    a, b = start(port, old, old)
    both_up(a, b, "the first key")
    before = life(a), since(a)
    steps = [
        (a, OURS, THEIRS, old + new),
        (b, THEIRS, OURS, old + new_there),
        (a, OURS, THEIRS, old + new.replace("; };", "; preferred; };")),
        (b, THEIRS, OURS, old.replace("; };", "; deprecated; };") + new_there),
        (a, OURS, THEIRS, new),
        (b, THEIRS, OURS, new_there),
    ]
    third = key(1, secret="third")
    steps += [
        (a, OURS, THEIRS, new + third),
        (b, THEIRS, OURS, new_there + third),
        (a, OURS, THEIRS, third),
        (b, THEIRS, OURS, third),
    ]
    for n, (d, own, other, keys) in enumerate(steps):
        change(d, own, other, port, keys)
        spread(1.2 if n in (3, 5, 7) else 0.2)
        traffic(a, b, n)
    stays(lambda: since(a) == before[1], "the session", 10)  # longer than the hold time
    traffic(a, b, 99)
    equal((life(a), since(a)), before, "life of the session")
    # who connects anew needs the new key
    b.text("restart peer")
    both_up(a, b, "a new connection with the third key")
    a.stop()
    b.stop()


def since(d):
    return next(line.split()[4] for line in d.text("show protocols peer").splitlines() if line.startswith("peer "))


def traffic(a, b, n):
    """Routes still arrive, both ways."""
    for d, to, own in (a, b, "1"), (b, a, "2"):
        net = "10.%s.%d.0/24" % (own, n)
        d.write(
            d.read().replace(
                "route 10.%s.0.0/16 blackhole;" % own, "route 10.%s.0.0/16 blackhole; route %s blackhole;" % (own, net)
            )
        )
        d.text("configure")
        wait_until(lambda: net in to.text("show route"), "route %s" % net, 5)


if has_build().returncode:
    case("not in this build", not_built)
    note("the rest needs headers with TCP-AO (Linux 6.7)")
elif not kernel_has():
    case("a kernel without it", no_kernel)
    note("the rest needs a kernel with TCP-AO (CONFIG_TCP_AO)")
else:
    case("algorithms", algorithms)
    case("who is refused", refused)
    case("keys change under way", rollover)
done()
