# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests of BFD share these parts: two namespaces with a link between them, daemons on either side, and what they
say of their sessions. Ours has 10.8.0.1, fd08::1 and fe80::1 on a1, and 10.8.1.1 and fd08:1::1 on lo; the other one
ends in 2, on a0."""

from harness import *

# In real time a busy machine stops a process for longer than three intervals. The other daemons have no priority over
# the tests beside them.
MULTIPLIER = 3 if VIRTUAL else 10 if SLOW == 1 else 5
FAST = "interval %d ms; multiplier %d;" % (100 * SLOW, MULTIPLIER)
FAST_S = round(0.1 * SLOW * MULTIPLIER, 3)  # the detection time
# For what must not lose a session: no machine is so busy.
PATIENT = FAST if VIRTUAL else "interval 100 ms; multiplier 50;"


def sh(text):
    subprocess.run(text, shell=True, check=True, timeout=60 * SLOW)


class Place:
    """The other namespace."""

    def __init__(self):
        self.proc = other_namespace()
        self.enter = ["nsenter", "-t", str(self.proc.pid), "-n"]
        sh(
            "ip link set lo up; ip link add a1 type veth peer name a0; ip link set a0 netns %d; ip link set a1"
            " addrgenmode none up; ip addr add 10.8.0.1/24 dev a1; ip addr add fd08::1/64 dev a1 nodad; ip addr add"
            " fe80::1/64 dev a1 nodad; ip addr add 10.8.1.1/32 dev lo; ip addr add fd08:1::1/128 dev lo nodad"
            % self.proc.pid
        )
        for line in (
            "link set lo up",
            "link set a0 addrgenmode none up",
            "addr add 10.8.0.2/24 dev a0",
            "addr add fd08::2/64 dev a0 nodad",
            "addr add fe80::2/64 dev a0 nodad",
            "addr add 10.8.1.2/32 dev lo",
            "addr add fd08:1::2/128 dev lo nodad",
            "route add 10.8.1.1 via 10.8.0.1",
            "route add fd08:1::1 via fd08::1",
        ):
            self.run("ip " + line)
        sh("ip route add 10.8.1.2 via 10.8.0.2; ip route add fd08:1::2 via fd08::2")

    def run(self, text):
        sh(" ".join(self.enter) + " " + text)


class There:
    """A daemon that runs in the other namespace."""

    place = None

    def argv(self, *more):
        return There.place.enter + super().argv(*more)


class BirdThere(There, Bird):
    pass


class TernThere(There, Daemon):
    pass


class Frr:
    """bfdd in the other namespace, with a peer for each kind of session."""

    PROGRAMS = ["/usr/lib/frr/bfdd", "/usr/lib/frr/zebra", "/usr/bin/vtysh"]
    CONF = """hostname other
bfd
 profile fast
  transmit-interval %d
  receive-interval %d
  detect-multiplier %d
 !
 peer 10.8.0.1 interface a0
  profile fast
 !
 peer fd08::1 local-address fd08::2 interface a0
  profile fast
 !
 peer fe80::1 local-address fe80::2 interface a0
  profile fast
 !
 peer 10.8.1.1 multihop local-address 10.8.1.2
  profile fast
 !
 peer fd08:1::1 multihop local-address fd08:1::2
  profile fast
 !
!
line vty
"""

    def __init__(self, env=(), multiplier=MULTIPLIER):
        self.dir = temp_dir()
        os.chmod(self.dir, 0o777)
        self.procs, self.env = [], list(env)
        for name, text in (
            ("zebra", "hostname other\nline vty\n"),
            ("bfdd", self.CONF % (100 * SLOW, 200 * SLOW, multiplier)),
        ):
            with open(self.path(name + ".conf"), "w") as conf:
                conf.write(text)
        self.spawn("zebra")
        wait_until(lambda: os.path.exists(self.path("zserv")), "zebra")
        self.spawn_bfdd()

    def path(self, name):
        return os.path.join(self.dir, name)

    def spawn(self, name, *more):
        with open(self.path("said"), "a") as said:
            self.procs.append(
                spawn(
                    There.place.enter
                    + self.env
                    + [
                        "/usr/lib/frr/" + name,
                        "-u",
                        "frr",
                        "-g",
                        "frr",
                        "-P",
                        "0",
                        "-A",
                        "127.0.0.1",
                        "-z",
                        self.path("zserv"),
                        "--vty_socket",
                        self.dir,
                        "-f",
                        self.path(name + ".conf"),
                        "-i",
                        self.path(name + ".pid"),
                        *more,
                    ],
                    stdout=said,
                    stderr=said,
                )
            )

    def spawn_bfdd(self):
        """FRR 8 has a control socket, whose default path is the same for all instances. FRR 10 has no control socket
        and no such option."""
        options = subprocess.run(
            ["/usr/lib/frr/bfdd", "--help"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60 * SLOW,
            text=True,
        ).stdout
        self.spawn("bfdd", *(["--bfdctl", self.path("bfdd.sock")] if "--bfdctl" in options else []))

    def peers(self):
        """{address: what it says of that peer}"""
        text = subprocess.run(
            There.place.enter + ["vtysh", "--vty_socket", self.dir, "-d", "bfdd", "-c", "show bfd peers json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=60 * SLOW,
            text=True,
        ).stdout
        return {p["peer"]: p for p in json.loads(text[text.index("[") :])}

    def end(self):
        for p in self.procs:
            end(p)


def begin():
    in_namespace()
    There.place = Place()
    return There.place


def alone(fn):
    """Nothing of a case before listens any more."""

    def run(*args):
        for d in Daemon.all:
            d.kill()
        fn(*args)

    return run


def sessions(d):
    """{(address, interface): (state, interval, timeout)}"""
    found = {}
    for code, line in d.run("show bfd sessions"):
        w = line.split()
        if code == 1020 and len(w) >= 6 and w[0] != "IP":
            found[w[0], w[1]] = (w[2], float(w[-2]), float(w[-1]))
    return found


def state(d, address):
    return [s[0] for (a, _), s in sessions(d).items() if a == address]


def wait_state(d, address, want, limit_s=20):
    wait_until(lambda: state(d, address) == [want], lambda: "%s %s: %s" % (address, want, sessions(d)), limit_s)


def one(d, address):
    return [s for (a, _), s in sessions(d).items() if a == address][0]


def json_of(d, words=""):
    objects = [json.loads(text) for _, text in d.run("json show bfd sessions " + words) if text.startswith("{")]
    return [o for o in objects if o["type"] == "bfd_session"][0]


def exchanged(d, addresses, cnt):
    """Each session has sent and received so many packets more: its timers work, and the other side answers."""
    before = {a: json_of(d, "address " + a) for a in addresses}

    def more():
        return {
            a: [json_of(d, "address " + a)[key] - before[a][key] for key in ("packets_sent", "packets_received")]
            for a in addresses
        }

    wait_until(
        lambda: min(min(m) for m in more().values()) >= cnt, lambda: "%d packets of each session: %s" % (cnt, more())
    )


def stands(d, addresses):
    """Each session is up and receives packets for more than a detection time without a loss. A busy machine may lose a
    session: then the count begins again."""
    for a in addresses:
        began = []

        def stood():
            s = json_of(d, "address " + a)
            facts = s["state"], s["losses"]
            if not began or began[0] != facts:
                began[:] = facts, s["packets_received"]
            return s["state"] == "Up" and s["packets_received"] > began[1] + 2 * MULTIPLIER

        wait_until(stood, lambda: "%s to stand: %s" % (a, json_of(d, "address " + a)))
