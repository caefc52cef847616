# SPDX-License-Identifier: GPL-3.0-or-later
"""test_install checks the files of `make install`, the systemd unit and the daemon's messages to systemd. (In roots of
Debian, with systemd at work: make check-deb.)"""

from harness import *

if KIND != "ternd":
    cannot_here("this is about ternd")
PLACES = {
    "prefix": "/usr",
    "sysconfdir": "/etc/tern",
    "localstatedir": "/var",
    "runstatedir": "/run",
    "libexecdir": "/usr/libexec",
}
UNIT = "usr/lib/systemd/system/tern.service"
PROGRAMS = {
    "usr/sbin/ternd": 0o755,
    "usr/sbin/ternshadow": 0o755,
    "usr/sbin/ternhttp": 0o755,
    "usr/bin/ternc": 0o755,
    "usr/bin/ternload": 0o755,
    "usr/libexec/tern/tern-service": 0o755,
    UNIT: 0o644,
    "usr/lib/systemd/system/tern@.service": 0o644,
    "etc/logrotate.d/tern": 0o644,
    "usr/lib/systemd/system/ternhttp.service": 0o644,
    "usr/lib/sysusers.d/tern.conf": 0o644,
    "usr/lib/tmpfiles.d/tern.conf": 0o644,
    "etc/tern/tern.conf": 0o644,
    "etc/tern/ternhttp.conf": 0o644,
    "usr/share/man/man5/tern.conf.5": 0o644,
    "usr/share/man/man8/tern.8": 0o644,
    "usr/share/man/man8/ternc.8": 0o644,
    "usr/share/man/man8/ternhttp.8": 0o644,
    "usr/share/man/man8/ternload.8": 0o644,
    "usr/share/man/man8/ternshadow.8": 0o644,
    "usr/share/man/man8/ternd.8": 0o644,
    "usr/share/doc/tern/README.md": 0o644,
    "usr/share/doc/tern/NEWS": 0o644,
    "usr/share/doc/tern/manual.md": 0o644,
    "usr/share/doc/tern/experiment.md": 0o644,
    "usr/share/doc/tern/experiment/count-single.png": 0o644,
    "usr/share/doc/tern/examples/rs.conf": 0o644,
    "usr/share/doc/tern/examples/members/as64501.conf": 0o644,
}


def make(target, root, **places):
    """`make TARGET` into @root. MAKEFLAGS is the outer make's."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}
    argv = ["make", "-s", target, "DESTDIR=" + root] + ["%s=%s" % p for p in dict(PLACES, **places).items()]
    # The programs are taken as they are: others may be building here.
    argv += ["-o", "all"] + ["-o" + p for p in ("ternd", "ternshadow", "ternc", "ternhttp", "ternload", "Makefile")]
    p = subprocess.run(argv, cwd=BUILD, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    check(p.returncode == 0, "make %s: %s" % (target, p.stdout.decode()[-500:]))


def files(root):
    """{path: mode} below @root."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, root)] = os.stat(path).st_mode & 0o7777
    return found


def text_of(*path):
    with open(os.path.join(*path), errors="replace") as f:
        return f.read()


def test_files():
    root = temp_dir()
    make("install", root)
    found = files(root)
    for path, mode in PROGRAMS.items():
        equal(oct(found.get(path, 0)), oct(mode), "mode of " + path)
    for path in found:
        if not os.access(os.path.join(root, path), os.X_OK):
            check(
                path.startswith("usr/share/doc") or not re.search(r"@\w+@", text_of(root, path)),
                "a variable is left in " + path,
            )
    check(os.path.isdir(root + "/run/tern"), "no folder for the socket")
    # Without systemd's unit, too, the folders of the socket, the state and the logs are there.
    made = re.findall(r"^d (\S+) (\S+)", text_of(root, "usr/lib/tmpfiles.d/tern.conf"), re.M)
    equal(made, [("/run/tern", "0755"), ("/var/lib/tern", "0750"), ("/var/log/tern", "0750")], "folders at boot")
    # The sample is right, and examples find what they include.
    for path in ("etc/tern/tern.conf", "usr/share/doc/tern/examples/rs.conf"):
        p = subprocess.run([program("ternd"), "-p", "-c", os.path.join(root, path)], stderr=subprocess.PIPE)
        # The example names keys that every exchange has to make.
        said = [
            w
            for w in p.stderr.decode().split("\n")
            if "arning" in w and not re.search(r"can't read /etc/tern/[a-z.]*: No such file", w)
        ]
        equal((p.returncode, said), (0, []), "ternd -p of " + path)
    # A configuration that is there stays, both ways.
    kept = ["etc/tern/tern.conf", "etc/tern/ternhttp.conf"]
    for path in kept:
        with open(os.path.join(root, path), "w") as f:
            f.write("mine\n")
    make("install", root)
    for path in kept:
        equal(text_of(root, path), "mine\n", path + " after another install")
    make("uninstall", root)
    equal(files(root), {path: found[path] for path in kept}, "what is left by uninstall")
    make("uninstall", root)


def test_prefix():
    """Below another prefix everything is, and the unit opens the folder of the socket to the daemon."""
    root = temp_dir()
    make(
        "install",
        root,
        prefix="/opt/t",
        sysconfdir="/opt/t/etc",
        localstatedir="/opt/t/var",
        runstatedir="/opt/t/var/run",
        libexecdir="/opt/t/libexec",
    )
    strangers = [p for p in files(root) if not p.startswith("opt/t/")]
    equal(strangers, [], "files elsewhere")
    unit = text_of(root, "opt/t/lib/systemd/system/tern.service")
    check(
        "\nReadWritePaths=-/opt/t/var/run/tern\n" in unit and "\nRuntimeDirectory=" not in unit,
        "the socket's folder in the unit",
    )
    check("ExecStart=/opt/t/sbin/ternd" in unit, "the daemon in the unit")
    make(
        "uninstall",
        root,
        prefix="/opt/t",
        sysconfdir="/opt/t/etc",
        runstatedir="/opt/t/var/run",
        libexecdir="/opt/t/libexec",
    )
    equal(sorted(files(root)), ["opt/t/etc/tern.conf", "opt/t/etc/ternhttp.conf"], "what is left by uninstall")


def verify(root, unit="tern.service"):
    """What systemd-analyze finds in the unit."""
    p = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--root=" + root, unit],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    return p.returncode, p.stdout.decode()


def test_unit():
    if not shutil.which("systemd-analyze"):
        needs("systemd")
    root = temp_dir()
    make("install", root)
    there = glob.glob("/lib/systemd/system/*.target") + glob.glob("/lib/systemd/system/*.slice")
    for path in there:
        shutil.copy(path, os.path.join(root, os.path.dirname(UNIT)), follow_symlinks=False)
    rc, said = verify(root)
    if rc and "unrecognized option" in said:
        cannot_here("this systemd-analyze has no --root")
    equal((rc, said), (0, ""), "systemd-analyze verify")
    equal(verify(root, "tern@rs1.service"), (0, ""), "systemd-analyze verify, a unit with a name")
    equal(verify(root, "ternhttp.service"), (0, ""), "systemd-analyze verify, the looking glass")
    glass = text_of(root, "usr/lib/systemd/system/ternhttp.service")
    check(re.search(r"^Restart=(on-failure|always)$", glass, re.M), "systemd starts a killed looking glass again")
    unit = text_of(root, UNIT)
    for old, new in (("ProtectClock=", "ProtectClok="), ("/usr/sbin/ternd -f", "/usr/sbin/nosuch -f")):
        with open(os.path.join(root, UNIT), "w") as f:
            f.write(unit.replace(old, new))
        check(verify(root) != (0, ""), "not noticed: %s instead of %s" % (new, old))


def notified(d, *argv):
    """Start with $NOTIFY_SOCKET; what came there, (text, could the control socket be reached at that moment?)"""
    path = os.path.join(d.dir, "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind(path)
        s.settimeout(0.1)
        p = spawn(d.argv("-f", *argv), env=dict(os.environ, NOTIFY_SOCKET=path), stderr=subprocess.DEVNULL, cwd=d.dir)
        d.proc, d.pid = p, p.pid
        until = time.monotonic() + 20 * SLOW
        while time.monotonic() < until:
            over = p.poll() is not None
            try:
                text = s.recv(100)
            except socket.timeout:
                if over:
                    return None
                continue
            Cli(d.ctl).close()
            return text
    raise Failed("neither a word nor an end")


def test_notify():
    d = Daemon("router id 10.0.0.1;\nprotocol device {}\n")
    equal(notified(d), b"READY=1", "said when it is up")
    d.stop()
    d.write("router id 10.0.0.1;\nnonsense;\n")
    os.unlink(os.path.join(d.dir, "notify"))
    equal(notified(d), None, "said of a broken configuration")


def test_units():
    """Both units check the file that they start with the options of the start. The unit with a name has its own socket,
    logs and options."""
    root = temp_dir()
    make("install", root)
    plain, named = text_of(root, UNIT), text_of(root, "usr/lib/systemd/system/tern@.service")
    for unit, name, folder in ((plain, "", "tern"), (named, " -n %i", "tern-%i")):
        for line in (
            "ExecStartPre=/usr/sbin/ternd%s -p $TERN_ARGS" % name,
            "ExecStart=/usr/sbin/ternd%s -f $TERN_ARGS $TERN_RECOVER" % name,
            "ExecReload=/usr/libexec/tern/tern-service reload",
            "RuntimeDirectory=" + folder,
            "EnvironmentFile=-/run/%s/restart.env" % folder,
            "EnvironmentFile=-/etc/tern/%s.env" % ("%i" if name else "tern"),
            "LogsDirectory=tern" + ("/%i" if name else ""),
            "WorkingDirectory=%L/tern" + ("/%i" if name else ""),
        ):
            check("\n" + line + "\n" in unit, "no line %s in %s" % (line, unit))
        left = unit.replace("tern@NAME", "").replace("@system-service", "")
        check("@" not in left, "a place of the template: " + unit)


def test_build_depends():
    """debian/control asks for what ./check and ./quickstart install to build; the compiler and its like come by
    themselves."""
    here = set(re.search('build_packages="([^"]*)"', text_of(SRC, "test/lib/setup.sh")).group(1).split())
    there = set(
        re.findall(r"[a-z][a-z0-9.-]+", re.search("Build-Depends: (.*)", text_of(SRC, "debian/control")).group(1))
    )
    equal(here - {"gcc", "libc6-dev", "make", "autoconf", "automake"} - there, set(), "not in Build-Depends")
    version = re.search(r"AC_INIT\(\[tern\], \[(.*?)\]\)", text_of(SRC, "configure.ac")).group(1)
    check(
        text_of(SRC, "debian/changelog").startswith("tern (%s)" % version),
        "debian/changelog isn't about version " + version,
    )


CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
protocol bgp p1 { local 127.0.10.1 port %(port)d as 65000; neighbor 127.0.11.1 as 65001; multihop; passive; rs client; \
strict bind on;
  %(option)s ipv4 { import all; export all; }; }
"""
RESTARTS = struct.pack("!BBHHBB", 64, 6, 120, 1, 1, 0x80)


class Service:
    """tern-service of an installation whose folder for run-time files is the daemon's, with a systemctl that says
    @job."""

    def __init__(self, option, job):
        port = free_port()
        self.d = Daemon(CONF % {"port": port, "option": option}).start()
        self.root = temp_dir()
        make("install", self.root, runstatedir="/run")
        self.note = self.d.dir + "/restart.env"
        path = self.root + "/usr/libexec/tern/tern-service"
        text = text_of(path).replace("/usr/bin/ternc", program("ternc")).replace("/usr/sbin/ternd", program("ternd"))
        with open(path, "w") as f:
            f.write(text)
        with open(self.d.dir + "/systemctl", "w") as f:
            f.write("#!/bin/sh\necho '1 other.service restart running'\necho '2 tern.service %s running'\n" % job)
        os.chmod(self.d.dir + "/systemctl", 0o755)
        self.path = path
        self.p = Peer(port, "127.0.11.1", 65001, server="127.0.10.1", caps=RESTARTS).establish()
        self.d.wait_established(1)

    def run(self, what, **env):
        # The daemon is our child: once it has ended, somebody must ask for its status.
        p = spawn(
            ["sh", self.path, what],
            env=dict(
                os.environ,
                PATH=self.d.dir + ":" + os.environ["PATH"],
                MAINPID=str(self.d.pid),
                TERN_RUN=self.d.dir,
                **dict({"TERN_SOCKET": self.d.ctl}, **env)
            ),
        )
        wait_until(lambda: (self.d.proc.poll(), p.poll())[1] is not None, "tern-service " + what)
        return p.returncode

    def marked(self):
        return os.path.exists(self.note) and text_of(self.note)


def test_stop():
    for option, job, graceful in (
        ("graceful restart on;", "restart", True),
        ("graceful restart on;", "stop", False),
        ("", "restart", False),
    ):
        s = Service(option, job)
        equal(s.run("stop"), 0, "tern-service stop")
        equal(s.d.alive(), not graceful, "does it run on, with '%s' and job %s" % (option, job))
        equal(s.marked(), "TERN_RECOVER=-R\n" if graceful else False, "what the next start is told")
        if graceful:
            check(s.p.wait_for(NOTIFICATION) is None, "a NOTIFICATION for a member that is to keep our routes")
        else:
            s.d.stop()
        s.p.s.close()


def test_reload():
    """A reload checks the file of the daemon's options, and talks to the socket of these options."""
    s = Service("", "stop")
    args = "-c %s -T 2 -s %s -P /nowhere" % (s.d.conf, s.d.ctl)
    equal(s.run("reload", TERN_ARGS=args, TERN_SOCKET="/nowhere/tern.ctl"), 0, "a right file")
    s.d.write(s.d.read() + "nonsense;\n")
    before = s.d.text("show status")
    check(s.run("reload", TERN_ARGS=args) != 0, "a wrong file of TERN_ARGS is taken")
    check("Last configure failed" not in s.d.text("show status"), "the daemon was asked: " + before)
    s.d.stop()
    s.p.s.close()


def test_stopped():
    s = Service("", "stop")
    for result, again in (
        ("success", False),
        ("exit-code", False),
        ("signal", "TERN_RECOVER=-R\n"),
        ("core-dump", "TERN_RECOVER=-R\n"),
    ):
        equal(s.run("stopped", SERVICE_RESULT=result), 0, "tern-service stopped")
        equal(s.marked(), again, "what the next start is told after " + result)
    s.d.stop()
    s.p.s.close()


case("what is installed", test_files)
case("another prefix", test_prefix)
case("the unit is one that systemd knows", test_unit)
case("the units start what they check", test_units)
case("Debian's package asks for what is needed", test_build_depends)
case("systemd is told when it is up", test_notify)
case("a restart by systemd is graceful where that is configured", test_stop)
case("a reload with options", test_reload)
case("a start after a crash", test_stopped)
done()
