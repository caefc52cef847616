# SPDX-License-Identifier: GPL-3.0-or-later
"""A daemon that isn't root's: a `configure` that adds a listener, an SSH key or a kernel protocol works, or the reply,
`show protocols` and the log say by name what is missing. In a network namespace, so that port 179 is free."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
if os.getuid() != 0 or subprocess.call(["unshare", "-n", "true"], stderr=subprocess.DEVNULL):
    cannot_here("network namespaces are for root")
HEAD = 'router id 10.0.0.1;\nlog "RUN/bird.log" all;\nprotocol device {}\nroa4 table r4;\n'
MEMBER = (
    "protocol bgp m1 { local 127.0.0.1 port %d as 65000; neighbor 127.0.0.2 as 65001; multihop; passive; strict bind"
    " on; ipv4 { import all; export all; }; }\n"
)
KERNEL = """protocol static { ipv4; route 10.1.0.0/16 blackhole; }
protocol kernel k { ipv4 { export %s; }; %s }
"""
SSH = """protocol rpki r1 { roa4 { table r4; }; remote 127.0.0.9 port 22;
  transport ssh { bird private key "%s"; remote public key "%s"; user "rpki"; }; }
"""
PORT = "Warning: protocol m1: not permitted to listen at port 179 (CAP_NET_BIND_SERVICE)"
ROUTES = "not permitted to change the kernel's routes (CAP_NET_ADMIN)"
USER = 65534


class Unprivileged(Daemon):
    """Of a user of its own, with these capabilities alone, in a network of its own."""

    def __init__(self, caps=(), rtprio=None):
        super().__init__(HEAD)
        self.limit = "" if rtprio is None else "prlimit --rtprio=%d:%d " % (rtprio, rtprio)
        os.chown(self.dir, USER, USER)
        shutil.copy(program("ternd"), self.dir + "/ternd")
        self.caps = ",".join(["-all"] + ["+" + c for c in caps])
        self.start()

    def argv(self, *more):
        rights = " ".join("--%s %s" % (s, self.caps) for s in ("inh-caps", "ambient-caps", "bounding-set"))
        run = "ip link set lo up; exec %ssetpriv --reuid %d --regid %d --clear-groups %s %s/ternd -c %s -s %s %s" % (
            self.limit,
            USER,
            USER,
            rights,
            self.dir,
            self.conf,
            self.ctl,
            " ".join(more),
        )
        return ["unshare", "-n", "sh", "-c", run]

    def write(self, conf):
        super().write(conf)
        os.chmod(self.conf, 0o644)

    def configure(self, more):
        """The warnings of `configure check` and of `configure`, which must be the same."""
        self.write(HEAD + more)
        said = [[t for c, t in self.run(command) if "arning" in t] for command in ("configure check", "configure")]
        equal(said[0], said[1], "warnings of the check and of the command")
        wait_until(lambda: self.code("configure") == 3, "the configuration to be there")
        return said[1]

    def inside(self, command):
        return subprocess.run(
            ["nsenter", "-t", str(self.pid), "-n"] + command.split(), stdout=subprocess.PIPE
        ).stdout.decode()


def test_port():
    d = Unprivileged()
    equal(d.configure(MEMBER % 1790), [], "of port 1790")
    wait_until(lambda: d.sessions()["m1"][2] == "Passive", "to listen")
    equal(d.configure(MEMBER % 179), [PORT], "of port 179")
    wait_until(
        lambda: d.sessions()["m1"][2].endswith("Not listening: Permission denied (CAP_NET_BIND_SERVICE)"),
        lambda: repr(d.sessions()),
        10,
    )
    wait_until(
        lambda: "Can't listen at 127.0.0.1 port 179: Permission denied (CAP_NET_BIND_SERVICE)" in d.whole_log(),
        d.whole_log,
        10,
    )
    check(
        "Problem: m1: Not listening: Permission denied (CAP_NET_BIND_SERVICE)" in d.text("show health"), "show health"
    )
    check(
        "Warning: protocol m1: Not listening: Permission denied (CAP_NET_BIND_SERVICE)" in d.text("configure"),
        "the next configure",
    )
    # Where the system lets everybody have the port there is nothing to be said.
    with_sysctl = [
        "nsenter",
        "-t",
        str(d.pid),
        "-n",
        "sh",
        "-c",
        "echo 100 >/proc/sys/net/ipv4/ip_unprivileged_port_start",
    ]
    equal(subprocess.call(with_sysctl), 0, "the system's first free port")
    wait_until(lambda: d.sessions()["m1"][2] == "Passive", "the port to be had, after 5 s", 10)
    equal(d.configure(""), [], "without it")
    equal(d.configure(MEMBER % 179), [], "of port 179, free to all")
    d.stop()


def test_kernel():
    d = Unprivileged()
    equal(d.configure(KERNEL % ("none", "learn;")), [], "of one that only learns")
    equal(d.configure(""), [], "without it")
    equal(d.configure(KERNEL % ("all", "")), ["Warning: protocol k: " + ROUTES], "of one that exports")
    wait_until(lambda: ROUTES in d.text("show protocols k"), lambda: d.text("show protocols"), 10)
    wait_until(lambda: "CAP_NET_ADMIN" in d.whole_log(), lambda: "the log: " + d.whole_log())
    d.stop()


def test_bfd():
    """Its ports are above 1024, and nothing else of it needs a right."""
    d = Unprivileged()
    equal(
        d.configure(
            "protocol bfd b { neighbor 127.0.0.2 local 127.0.0.1; neighbor 127.0.0.3 local 127.0.0.1 multihop; }\n"
        ),
        [],
        "of BFD",
    )
    wait_until(lambda: d.text("show bfd sessions").count("Down") == 2, lambda: d.text("show bfd sessions"))
    ports = d.inside("ss -Hlun")
    check(":3784" in ports and ":4784" in ports, "its ports: " + ports)
    d.stop()


def test_key():
    d = Unprivileged()
    keys = temp_dir()
    for name in "mine", "theirs":
        with open(os.path.join(keys, name), "w") as f:
            f.write("no key\n")
        os.chmod(os.path.join(keys, name), 0o600)
    paths = (keys + "/mine", keys + "/theirs")
    said = d.configure(SSH % paths)
    equal(len(said), 2, "warnings: %r" % said)
    for text, path in zip(said, paths):
        check(text.endswith("can't read %s: Permission denied" % path), text)
    for path in paths:
        os.chown(path, USER, USER)
    equal(d.configure(SSH % paths), [], "of keys that can be read")
    said = d.configure(SSH % (keys + "/nosuch", paths[1]))
    check(len(said) == 1 and said[0].endswith("can't read %s/nosuch: No such file or directory" % keys), repr(said))
    d.stop()


def test_rights():
    """With the capabilities of the unit all of it works."""
    d = Unprivileged(("net_bind_service", "net_raw", "net_admin"))
    equal(d.configure(MEMBER % 179 + KERNEL % ("all", "")), [], "with all rights")
    wait_until(lambda: d.sessions()["m1"][2] == "Passive", "to listen")
    wait_until(lambda: "10.1.0.0/16" in d.inside("ip route show"), lambda: d.inside("ip route show") + d.said())
    check("127.0.0.1:179" in d.inside("ss -Hltn"), "the port")
    d.stop()


case("a listener", test_port)
case("a kernel protocol", test_kernel)
case("BFD", test_bfd)


def test_real_time():
    """BFD's thread has real-time priority with the limit and the rights that the unit for systemd gives, and no other
    thread has; without the limit the log says so."""
    with open(os.path.join(SRC, "dist", "tern.service.in")) as f:
        unit = dict(line.split("=", 1) for line in f.read().split("\n") if "=" in line and not line.startswith("#"))
    check(unit.get("RestrictRealtime", "no") == "no", "the unit lets nobody have it")
    for caps in ("AmbientCapabilities", "CapabilityBoundingSet"):
        check("CAP_SYS_NICE" not in unit[caps], "the limit is enough: " + unit[caps])
    caps = [c.lower().replace("cap_", "") for c in unit["AmbientCapabilities"].split()]
    limit, nice = int(unit["LimitRTPRIO"]), []
    if subprocess.call(["prlimit", "--rtprio=%d:%d" % (limit, limit), "true"], stderr=subprocess.DEVNULL):
        note("here nobody may raise that limit: CAP_SYS_NICE stands in for it")
        limit, nice = 0, ["sys_nice"]
    for more, limit, missing in ((nice, limit, False), ([], 0, True)):
        d = Unprivileged(caps + more, limit)
        equal(d.configure("protocol bfd b { neighbor 127.0.0.2 local 127.0.0.1 multihop; }\n"), [], "of BFD")
        wait_until(lambda: "Down" in d.text("show bfd sessions"), "a session")
        policies = {comm: (int(rest[38]), int(rest[37])) for comm, rest in d.threads()}  # policy, real-time priority
        equal(
            [n for n, p in policies.items() if p[0] != os.SCHED_OTHER],
            [] if missing else ["b"],
            "threads with another policy",
        )
        if not missing:
            equal(policies["b"], (os.SCHED_FIFO, 1), "of BFD's thread")
        if missing:
            wait_until(
                lambda: "b: Real-time priority is not available" in d.whole_log(), lambda: "the log: " + d.whole_log()
            )
        check(missing or "No real-time" not in d.whole_log(), "the log: " + d.whole_log())
        d.stop()


case("BFD's thread, by the unit's settings", test_real_time)
case("keys of SSH", test_key)
case("with all rights", test_rights)
done()
