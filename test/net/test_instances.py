# SPDX-License-Identifier: GPL-3.0-or-later
"""Four daemons at once on one host, each by its name: `ternd -n NAME` and `ternc -n NAME`. Each has its own file,
socket, process id, log and state. Then one program is replaced on disk: `show health` and `show status` of that
daemon say so."""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
if os.geteuid():
    needs("root: the paths of an installation are mounted over")
NAMES = ("rs1-v4", "rs1-v6", "rs2.v4", "rs2.v6")
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000


def own_folders():
    """Folders of our own in place of the configuration, the sockets and the state files of the build's installation."""
    libc = ctypes.CDLL(None, use_errno=True)
    check(libc.unshare(CLONE_NEWNS) == 0, "no mount namespace: errno %d" % ctypes.get_errno())
    check(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) == 0, "private mounts")
    said = subprocess.run([program("ternc"), "--help"], capture_output=True, text=True).stdout
    run = re.search(r"\((/.*)/tern/tern\.ctl\)", said).group(1)
    with open(BUILD + "/Makefile") as f:
        conf = re.search(r"^sysconfdir = (.*)$", f.read(), re.M).group(1).replace("${prefix}", "/usr/local")
    for folder in (run, conf, "/var/lib/tern"):
        os.makedirs(folder, exist_ok=True)
        check(libc.mount(b"none", folder.encode(), b"tmpfs", 0, None) == 0, "a folder of our own at " + folder)
    return run, conf


def ternc(name, *command):
    p = subprocess.run([program("ternc"), "-n", name] + list(command), capture_output=True, text=True, timeout=60)
    return p.returncode, p.stdout + p.stderr


def start(name, daemon):
    os.makedirs("%s/tern-%s" % (RUN, name), exist_ok=True)
    os.makedirs(LOGS + name, exist_ok=True)
    with open("%s/%s.conf" % (CONF, name), "w") as f:
        f.write(
            'router id 10.0.0.%d;\nlog "tern.log" all;\nprotocol device { }\n'
            "protocol static s { ipv4; route 10.%d.0.0/16 blackhole; }\n" % ((1 + NAMES.index(name),) * 2)
        )
    p = subprocess.Popen([daemon, "-n", name, "-f"], cwd=LOGS + name)
    STARTED[name] = p
    wait_until(lambda: ternc(name, "show", "status")[0] == 0, name + " to answer")


def four():
    own = {n: temp_dir() + "/ternd" for n in NAMES}
    for n in NAMES:
        shutil.copy(program("ternd"), own[n])
        start(n, own[n])
    for i, n in enumerate(NAMES):
        rc, said = ternc(n, "show", "status")
        check(rc == 0 and "Router ID is 10.0.0.%d\n" % (i + 1) in said, said)
        check(re.search("^tern .*, instance %s, sandbox: " % re.escape(n), said, re.M), said)
        rc, said = ternc(n, "--json", "show", "status")
        found = [json.loads(line).get("instance") for line in said.splitlines() if line.startswith("{")]
        check(n in found, "instance in JSON: " + said)
        rc, said = ternc(n, "show", "route")
        equal(re.findall(r"^10\.\S+", said, re.M), ["10.%d.0.0/16" % (i + 1)], "routes of " + n)
        with open("%s/tern-%s/tern.pid" % (RUN, n)) as f:
            equal(int(f.read()), STARTED[n].pid, "process id of " + n)
        check(os.path.getsize(LOGS + n + "/tern.log") > 0, "log of " + n)
    # a state of its own: one daemon holds its protocol
    equal(ternc(NAMES[0], "disable", "s", "hold")[0], 0, "hold")
    rc, said = ternc(NAMES[0], "show", "health")
    check("s has been held" in said, said)
    equal(ternc(NAMES[1], "show", "health")[0], 0, "health of another daemon")
    states = [f for f in os.listdir("/var/lib/tern") if "tern-" in f]
    equal(len(states), 1, "state files: %r" % states)
    # an upgrade of one program
    for what in ("status", "health"):
        check("not the running program" not in ternc(NAMES[2], "show", what)[1], "before the upgrade")
    shutil.copy(program("ternd"), own[NAMES[2]] + ".new")
    os.rename(own[NAMES[2]] + ".new", own[NAMES[2]])
    for what, rc in (("status", 0), ("health", 1)):
        got, said = ternc(NAMES[2], "show", what)
        check(got == rc and "The installed program is not the running program" in said, said)
        check("not the running program" not in ternc(NAMES[1], "show", what)[1], "the program of another daemon")
    os.unlink(own[NAMES[2]])
    for what, rc in (("status", 0), ("health", 1)):
        got, said = ternc(NAMES[2], "show", what)
        check(got == rc and "The installed program is missing" in said, said)
        check("is missing" not in ternc(NAMES[1], "show", what)[1], "the program of another daemon")
    # each ends alone
    equal(ternc(NAMES[3], "down")[0], 0, "down")
    equal(STARTED[NAMES[3]].wait(timeout=60), 0, "exit status")
    check(ternc(NAMES[3], "show", "status")[0] != 0 and ternc(NAMES[1], "show", "status")[0] == 0, "who answers")
    check(not os.path.exists("%s/tern-%s/tern.pid" % (RUN, NAMES[3])), "the pid file stays")


def twice():
    p = subprocess.run([program("ternd"), "-n", NAMES[0], "-f"], capture_output=True, text=True, timeout=60)
    check(p.returncode == 1 and "a daemon with process id %d is running" % STARTED[NAMES[0]].pid in p.stderr, p.stderr)


def wrong_names():
    for name in ("../x", "", "-x", "a/b", "x" * 33):
        for prog in ("ternd", "ternc"):
            p = subprocess.run([program(prog), "-n", name, "show"], capture_output=True, text=True, timeout=60)
            check(p.returncode == 1 and "name" in p.stderr, "%s -n %r: %r" % (prog, name, p.stderr))
    p = subprocess.run([program("ternd"), "-n", "nofile", "-p"], capture_output=True, text=True, timeout=60)
    check(p.returncode == 1 and CONF + "/nofile.conf" in p.stderr, p.stderr)


RUN, CONF = own_folders()
LOGS, STARTED = temp_dir() + "/", {}
try:
    case("four at once", four)
    case("a name twice", twice)
    case("wrong names", wrong_names)
finally:
    for daemon in STARTED.values():
        daemon.kill()
done()
