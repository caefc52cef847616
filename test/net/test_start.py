# SPDX-License-Identifier: GPL-3.0-or-later
"""Options, signals, start and end of the daemon."""

from harness import *
from harness import _procs

import resource

PEER_AS = 65101


def conf(port, more=""):
    return """router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device {}
protocol bgp p1 { local 127.0.0.1 port %d as 65000; neighbor 127.0.3.1 as %d;
	strict bind on; passive; multihop; rs client; ipv4 { import all; export all; }; }
%s""" % (
        port,
        PEER_AS,
        more,
    )


def test_free_port():
    """A port on one of our addresses, or of IPv6 alone, isn't free: members would come to another test's daemon."""
    for family, addr in ((socket.AF_INET, "127.0.10.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family) as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind((addr, 0))
            except OSError as e:
                note("without %s: %s" % (addr, e))
                continue
            s.listen()
            equal(first_free([s.getsockname()[1]]), None, "free, beside %s" % addr)


def run(d, *args, limit_s=20, **kw):
    """The daemon's program with these options until it ends."""
    p = spawn(daemon_argv() + list(args), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=d.dir, **kw)
    try:
        out, _ = p.communicate(timeout=limit_s * SLOW)
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()
        raise Failed("%s did not end" % (args,))
    return p.returncode, out.decode(errors="replace")


def pid_of(d):
    wait_until(lambda: os.path.exists(d.pidfile) and os.path.getsize(d.pidfile) > 0, "the pid file")
    with open(d.pidfile) as f:
        return int(f.read().strip())


def gone(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().split(") ")[1][0] == "Z"
    except FileNotFoundError:
        return True


def test_options():
    d = Daemon(conf(free_port()))
    rc, out = run(d, "--version")
    check(rc == 0 and re.search(r"\d+\.\d+", out), "--version: %d %r" % (rc, out))
    rc, out = run(d, "-@")
    check(rc != 0 and "sage" in out, "unknown option: %d %r" % (rc, out))
    if KIND == "ternd":
        rc, out = run(d, "-f", "more")
        check(rc == 1 and "unexpected argument 'more'" in out, "an argument: %d %r" % (rc, out))


def test_parse_only():
    d = Daemon(conf(free_port()))
    rc, out = run(d, "-p", "-c", d.conf, "-s", d.ctl)
    equal(rc, 0, "-p with a good file (%s)" % out)
    d.write(conf(free_port(), "protocol bgp x {\n  nonsense 1;\n}\n"))
    rc, out = run(d, "-p", "-c", d.conf, "-s", d.ctl)
    check(rc != 0, "-p takes a broken file")
    check(re.search(r"rs\.conf:7:\d+", out), "no file, line and column in %r" % out)
    rc, out = run(d, "-p", "-c", d.dir + "/nosuch.conf")
    check(rc != 0 and "nosuch.conf" in out, "-p without a file: %d %r" % (rc, out))
    check(not os.path.exists(d.ctl), "-p made a socket")
    rc, out = run(d, "-f", "-c", d.conf, "-s", d.ctl)
    check(rc != 0, "it starts with a broken file")


def test_background():
    d = Daemon(conf(free_port()))
    rc, out = run(d, "-c", d.conf, "-s", d.ctl, "-P", d.pidfile)
    equal(rc, 0, "start in the background (%s)" % out)
    pid = pid_of(d)
    check(not gone(pid), "pid file names no process")
    try:
        mode = os.stat(d.ctl).st_mode & 0o777
        equal(oct(mode & 0o007), "0o0", "others' access to the socket")
        cli = Cli(d.ctl)
        equal(cli.run("show status")[-1], (13, "Daemon is up and running"), "show status")
        equal(cli.run("down")[-1][0], 7, "down")
        wait_until(lambda: gone(pid), "the daemon to end after down")
        check(not os.path.exists(d.ctl) and not os.path.exists(d.pidfile), "socket or pid file stay")
    finally:
        if not gone(pid):
            os.kill(pid, signal.SIGKILL)


def test_signals():
    for sig in (signal.SIGTERM, signal.SIGINT):
        port = free_port()
        d = Daemon(conf(port)).start()
        p = Peer(port, "127.0.3.1", PEER_AS).establish()
        os.kill(d.pid, sig)
        body = p.wait_for(NOTIFICATION)
        check(body is not None and body[0] == 6, "no Cease after signal %d but %r" % (sig, body))
        d.proc.wait(20 * SLOW)
        equal(d.proc.returncode, 0, "exit status after signal %d" % sig)
        check(not os.path.exists(d.ctl) and not os.path.exists(d.pidfile), "socket or pid file stay")
        p.s.close()


def test_down_is_orderly():
    port = free_port()
    d = Daemon(conf(port)).start()
    p = Peer(port, "127.0.3.1", PEER_AS).establish()
    d.stop()
    body = p.wait_for(NOTIFICATION)
    check(body is not None and body[0] == 6, "no Cease after down but %r" % (body,))
    check(p.receive() is None, "the connection stays open")
    p.s.close()


def test_hup():
    port = free_port()
    d = Daemon(conf(port)).start()
    p = Peer(port, "127.0.3.1", PEER_AS).establish()
    d.wait_established(1)
    since = d.sessions()["p1"][1]
    d.write(
        conf(
            port,
            "roa4 table r4;\nprotocol bgp p2 { local 127.0.0.1 port %d as 65000; neighbor 127.0.3.2 as 65102;\n"
            "strict bind on; passive; multihop; ipv4 { import all; export all; }; }\n" % port,
        )
    )
    os.kill(d.pid, signal.SIGHUP)
    wait_until(lambda: "p2" in d.sessions(), "SIGHUP to bring in a new protocol")
    equal(d.sessions()["p1"][1], since, "an unchanged session")
    # A broken file changes nothing.
    d.write(conf(port, "nonsense;\n"))
    os.kill(d.pid, signal.SIGHUP)
    wait_until(
        lambda: "nonsense" in d.whole_log() or "syntax error" in d.whole_log(),
        lambda: "the error to be told: " + d.whole_log(),
    )
    check("p2" in d.sessions() and d.sessions()["p1"][1] == since, "a broken file changed something")
    os.kill(d.pid, signal.SIGUSR1)
    stays(d.alive, "SIGUSR1 ended it", 0.2)
    if KIND == "ternd":

        def log():
            with open(d.log) as f:
                return f.read()

        # State for the log of an ordinary configuration, also with tables of ROAs.
        d.write(
            conf(
                port, "roa4 table r4;\nprotocol static roas { roa4 { table r4; }; route 10.0.0.0/8 max 24 as 1; }\n"
            ).replace('bird.log" all', 'bird.log" { info }')
        )
        os.kill(d.pid, signal.SIGHUP)
        wait_until(lambda: d.text("show route table r4 count").startswith("1 of 1"), "the ROA")
        os.kill(d.pid, signal.SIGUSR1)
        wait_until(lambda: "Protocol roas: up" in log(), "the state in the log")
        said = log()
        check(
            "Table r4: 1 network, 1 route," in said and "Table master4: 0 networks" in said, "SIGUSR1 says %r" % said
        )
    d.stop()
    p.s.close()


def test_term_at_once():
    # As soon as it is blocked, SIGTERM is waited for; then it must not come between the others.
    d = Daemon(conf(free_port()))
    for i in range(10):
        p = spawn(d.argv("-f"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=d.dir)
        while not int(re.search(r"SigBlk:\s+(\w+)", open("/proc/%d/status" % p.pid).read()).group(1), 16) >> 14 & 1:
            check(p.poll() is None, "it ended by itself")
        spread(i * 0.0003)
        p.send_signal(signal.SIGTERM)
        try:
            equal(p.wait(10), 0, "the exit status")
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
            raise Failed("SIGTERM at the start, and it runs for ever")


def test_twice():
    d = Daemon(conf(free_port())).start()
    rc, out = run(d, "-f", "-c", d.conf, "-s", d.ctl, "-P", d.pidfile)
    check(rc != 0, "a second daemon starts on the same socket")
    check(out.strip() or KIND == "bird2", "and says nothing")
    equal(pid_of(d), d.pid, "the pid file")
    if KIND == "ternd":
        # Refused for its second socket it leaves neither the first one nor a pid file.
        other = d.conf + ".other"
        with open(other, "w") as f:
            f.write('cli "%s";\nlog "%s" all;\nprotocol device { }\nrouter id 10.0.0.1;\n' % (d.ctl, d.log))
        rc, out = run(d, "-f", "-c", other, "-s", d.ctl + "2", "-P", d.pidfile + "2")
        check(rc == 1 and "another daemon answers" in out, "%d, %r" % (rc, out))
        check(not os.path.exists(d.ctl + "2") and not os.path.exists(d.pidfile + "2"), "it leaves files behind")
        rc, out = run(d, "-f", "-c", d.conf, "-s", "/nonexistent/x.ctl", "-P", d.pidfile + "2")
        check(rc == 1 and "/nonexistent/x.ctl: No such file or directory; make the folder, or use -s" in out, out)
        # Nor does one whose log, user or group isn't there.
        for more, what in (
            ((), "cannot open log file /nonexistent/"),
            (("-u", "nixda"), "no user or group has the name 'nixda'"),
            (("-g", "nixdo"), "no user or group has the name 'nixdo'"),
        ):
            with open(other, "w") as f:
                f.write('log "/nonexistent/log" all;\nprotocol device { }\nrouter id 10.0.0.1;\n')
            rc, out = run(d, "-f", "-c", other, "-s", d.ctl + "2", "-P", d.pidfile + "2", *more)
            check(rc == 1 and what in out, "%s: %d, %r" % (more, rc, out))
            check(not os.path.exists(d.ctl + "2") and not os.path.exists(d.pidfile + "2"), "it leaves files behind")
    equal(d.code("show status"), 13, "the first one answers")
    # What a killed daemon leaves behind is in nobody's way.
    d.kill()
    check(os.path.exists(d.ctl), "nothing left behind: the test tests nothing")
    d.start()
    equal(d.code("show status"), 13, "start over a stale socket")
    d.stop()


def test_logs():
    port = free_port()
    d = Daemon(conf(port)).start()
    d.run("disable p1")
    d.run("enable p1")
    d.stop()
    with open(d.log) as f:
        text = f.read()
    check("p1" in text, "nothing about p1 in the log: %r" % text)
    check(re.search(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", text, re.M), "no time in the log: %r" % text)
    # -D: everything goes to a file; -d: to stderr.
    debug = d.dir + "/debug.log"
    d.start("-D", debug)
    d.stop()
    check(os.path.getsize(debug) > 0, "-D wrote nothing")
    os.unlink(d.err)
    d.proc = spawn(d.argv("-d"), stderr=open(d.err, "wb"), cwd=d.dir)
    d.pid = d.proc.pid
    d.wait_up()
    d.stop()
    check(os.path.getsize(d.err) > 0, "-d wrote nothing")


def test_log_rotation():
    port = free_port()
    text = conf(port).replace(
        'log "RUN/bird.log" all;', 'log "RUN/bird.log" 16384 "RUN/bird.old" all;\ndebug protocols all;'
    )
    d = Daemon(text).start()
    for _ in range(2000):
        d.run("disable p1")
        d.run("enable p1")
        if os.path.exists(d.dir + "/bird.old"):
            break
    check(os.path.exists(d.dir + "/bird.old"), "the log was not rotated")
    check(os.path.getsize(d.dir + "/bird.old") <= 16384 + 512, "rotated too late")
    d.run("disable p1")
    wait_until(lambda: os.path.exists(d.log) and os.path.getsize(d.log) > 0, "the new log to be written")
    d.stop()


def test_local():
    d = Daemon(conf(free_port()))
    base = "tern" if KIND == "ternd" else "bird"
    os.rename(d.conf, d.dir + "/%s.conf" % base)
    d.ctl = d.dir + "/%s.ctl" % base
    d.proc = spawn(daemon_argv() + ["-f", "-l"], stderr=open(d.err, "wb"), cwd=d.dir)
    d.pid = d.proc.pid
    d.wait_up()
    equal(d.code("show status"), 13, "-l")
    d.stop()


def test_user():
    if os.getuid() != 0:
        cannot_here("only root can become somebody else")
    port = free_port()
    d = Daemon(conf(port))
    os.chmod(d.dir, 0o777)
    d.start("-u", "nobody", "-g", "nogroup")
    with open("/proc/%d/status" % d.pid) as f:
        status = f.read()
    check(re.search(r"Uid:\s+65534\s+65534", status), "-u: still root")
    check(re.search(r"Gid:\s+65534\s+65534", status), "-g: still root's group")
    for tid in os.listdir("/proc/%d/task" % d.pid):
        try:
            with open("/proc/%d/task/%s/status" % (d.pid, tid)) as f:
                check(re.search(r"Uid:\s+65534\s+65534", f.read()), "a thread is still root")
        except (FileNotFoundError, ProcessLookupError):
            pass  # that of the command line which asked whether the daemon runs
    p = Peer(port, "127.0.3.1", PEER_AS).establish()
    d.wait_established(1)
    p.cease()
    d.stop()
    rc, out = run(d, "-f", "-c", d.conf, "-s", d.ctl, "-u", "no-such-user")
    check(rc != 0 and "no-such-user" in out, "-u no-such-user: %d %r" % (rc, out))


def test_open_files():
    port = free_port()
    more = "".join(
        "protocol bgp q%d { local 127.0.0.1 port %d as 65000; neighbor 127.0.4.%d as 65200; strict bind on;"
        " passive; multihop; ipv4 { import all; export all; }; }\n" % (i, port, i)
        for i in range(1, 200)
    )
    d = Daemon(conf(port, more))
    d.start(wait=True)
    d.stop()
    limit = lambda hard: lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (min(64, hard), hard))
    p = subprocess.run(
        d.argv("-f"),
        preexec_fn=limit(100),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        timeout=20 * SLOW,
    )
    out = p.stdout.decode()
    check(p.returncode != 0, "it starts with 100 open files for 200 sessions")
    check("100" in out, "the refusal names no numbers: %r" % out)
    # A low soft limit is raised.
    p = subprocess.Popen(
        d.argv("-f"),
        preexec_fn=limit(20000),
        stdin=subprocess.DEVNULL,
        cwd=d.dir,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _procs.append(p)
    d.proc, d.pid = p, p.pid
    d.wait_up()
    with open("/proc/%d/limits" % p.pid) as f:
        soft = int(re.search(r"Max open files\s+(\d+)", f.read()).group(1))
    equal(soft, 20000, "the soft limit of open files")
    d.stop()


def test_clients_and_files():
    """Clients of the control socket leave the members the descriptors that they need."""
    port = free_port()
    members = "".join(
        "protocol bgp q%d { local 127.0.0.1 port %d as 65000; neighbor 127.0.3.%d as %d; strict bind on;"
        " passive; multihop; ipv4 { import all; export all; }; }\n" % (i, port, i + 1, PEER_AS + i)
        for i in range(1, 20)
    )
    d = Daemon("threads 2;\n" + conf(port, members))
    with open(d.err, "ab") as err:
        d.proc = spawn(["sh", "-c", 'ulimit -n 128; exec "$@"', "sh"] + d.argv("-f"), stderr=err, cwd=d.dir)
    d.pid = d.proc.pid
    d.wait_up()
    clients = []
    for _ in range(40):
        try:
            clients.append(Cli(d.ctl, 3 * SLOW))
        except OSError:
            break  # it isn't even refused
    served = [c for c in clients if c.banner]
    check(len(served) >= 8, "only %d clients are served" % len(served))
    peers = [Peer(port, "127.0.3.%d" % (i + 1), PEER_AS + i).establish() for i in range(20)]
    equal(served[0].run("show status")[-1][0], 13, "a client")
    for c in clients:
        c.close()
    d.wait_served()
    d.stop()
    for p in peers:
        p.s.close()


def test_file_size():
    """The file in which messages lie is larger than the limit: they lie elsewhere then."""
    d = Daemon(conf(free_port()))
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    p = subprocess.Popen(
        d.argv("-f"),
        preexec_fn=small,
        stdin=subprocess.DEVNULL,
        cwd=d.dir,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _procs.append(p)
    d.proc, d.pid = p, p.pid
    d.wait_up()
    d.stop()


case("options", test_options)
case("parse only", test_parse_only)
case("in the background", test_background)
case("signals end it with Cease", test_signals)
case("down is orderly", test_down_is_orderly)
case("a free port", test_free_port)
case("SIGHUP, SIGUSR1", test_hup)
case("SIGTERM at the start", test_term_at_once)
case("twice on one socket", test_twice)
case("logs", test_logs)
case("log rotation", test_log_rotation)
case("-l", test_local)
case("-u, -g", test_user)
if KIND == "ternd":
    case("limit of file sizes", test_file_size)
    case("limit of open files", test_open_files)
    case("clients and open files", test_clients_and_files)
done()
