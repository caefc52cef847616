# SPDX-License-Identifier: GPL-3.0-or-later
"""ternd -t: the example of doc/filters.md, exit statuses, and that nothing is touched: it runs as a user without
rights, in a folder that it can't write, and dies if it makes a socket."""

from harness import *
import platform

FILTERS = os.path.join(SRC, "doc/filters.md")
EXAMPLES = os.path.join(SRC, "doc/examples")
NOBODY = 65534
SOCKET_NR = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
SIGSYS = 31


def forbid_sockets():
    """From now on socket() is the end of this process and its children."""
    arch, nr = SOCKET_NR[platform.machine()]
    code = [
        (0x20, 0, 0, 4),
        (0x15, 0, 3, arch),  # another architecture: let it be
        (0x20, 0, 0, 0),
        (0x15, 0, 1, nr),
        (0x06, 0, 0, 0x80000000),  # socket: the end
        (0x06, 0, 0, 0x7FFF0000),
    ]
    insns = b"".join(struct.pack("HBBI", *i) for i in code)
    buf = ctypes.create_string_buffer(insns)
    prog = struct.pack("HxxxxxxP", len(code), ctypes.addressof(buf))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, prog, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def reachable(path):
    """Can everybody run it?"""
    while path != "/":
        if not os.stat(path).st_mode & 0o001:
            return False
        path = os.path.dirname(path)
    return True


def in_jail():
    if os.getuid() == 0 and reachable(PROGRAM):
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    if platform.machine() in SOCKET_NR and not SLOW > 1:
        forbid_sockets()


def run(conf, *args, cwd=None):
    """(exit status, stdout, stderr) of `ternd -t -c conf` in the jail."""
    p = subprocess.Popen(
        [PROGRAM, "-t", "-c", conf] + list(args),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        preexec_fn=in_jail,
        cwd=cwd or os.path.dirname(conf),
    )
    out, err = p.communicate(timeout=20 * SLOW)
    # keys of validators aren't where the examples have them
    return (
        p.returncode,
        out.decode(),
        re.sub(r"warning: [^\n]*can't read /etc/tern/[^\n]*\n(\t[^\n]*\n)*", "", err.decode()),
    )


def folder(**files):
    d = temp_dir()
    for name, text in files.items():
        with open(os.path.join(d, name + ".conf"), "w") as f:
            f.write(text)
    os.chmod(d, 0o555)
    return d


def listing(d):
    return [(n, os.stat(os.path.join(d, n)).st_mtime_ns) for n in sorted(os.listdir(d))]


def test_jail():
    """The jail itself: a program that makes a socket dies there."""
    if platform.machine() not in SOCKET_NR or SLOW > 1:
        return
    pid = os.fork()
    if pid == 0:
        in_jail()
        socket.socket()
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    check(os.WIFSIGNALED(status) and os.WTERMSIG(status) == SIGSYS, "a socket in the jail: %#x" % status)


def test_manual():
    """What the manual shows is what comes out."""
    with open(FILTERS) as f:
        part = f.read().split("### Testing filters\n")[1].split("\n## ")[0]
    blocks = [[t[4:] for t in b.split("\n")] for b in re.findall(r"(?:^(?:    .*|)\n)+", part, re.M)]
    blocks = ["\n".join(b).strip("\n") for b in blocks if "".join(b).strip()]
    code, shown = blocks[0].split("$ ternd -t -c rs-tests.conf\n")
    d = temp_dir()
    shutil.copytree(EXAMPLES, d, dirs_exist_ok=True)
    with open(os.path.join(d, "rs-tests.conf"), "w") as f:
        f.write(code)
    rc, out, err = run(os.path.join(d, "rs-tests.conf"))
    equal((rc, out.strip(), err), (0, shown.strip(), ""), "the example")
    # and what it says of a filter that does otherwise
    with open(os.path.join(d, "rs.conf")) as f:
        rs = f.read().replace("bgp_local_pref = 0", "bgp_local_pref = 1")
    with open(os.path.join(d, "rs.conf"), "w") as f:
        f.write(rs)
    rc, out, err = run(os.path.join(d, "rs-tests.conf"))
    equal(rc, 1, "exit status of a suite that fails")
    equal(out.replace(d + "/", "").split("\n")[:2], blocks[1].split("\n"), "the example that fails")


def test_example():
    d = temp_dir()
    shutil.copytree(EXAMPLES, d, dirs_exist_ok=True)
    rc, out, err = run(os.path.join(d, "rs-tests.conf"))
    equal((rc, err), (0, ""), "doc/examples/rs-tests.conf: " + out)
    check("14 suites: 14 passed" in out, out)


def test_status():
    good = "protocol device {}\nlog \"x.log\" all;\nfunction f() { bt_assert(true); }\nbt_test_suite(f, \"one\");\n"
    bad = good + "function g() { bt_assert(1 = 2); }\nbt_test_suite(g, \"two\");\n"
    d = folder(
        good=good,
        bad=bad,
        none="protocol device {}\n",
        wrong="protocol device {\n",
        only="function f() { return true; }\nbt_test_suite(f, \"x\");\n",
        ordinary=bad.replace("two", "three"),
    )
    before = listing(d)
    rc, out, err = run(d + "/good.conf")
    equal((rc, out, err), (0, "passed  one (1 assertion)\n1 suite: 1 passed, 0 failed; 1 assertion\n", ""), "good")
    rc, out, err = run(d + "/bad.conf")
    equal((rc, err), (1, ""), "bad")
    check("FAILED  two (1 assertion)\n        %s/bad.conf:5: bt_assert(1 = 2)\n" % d in out, "bad: " + out)
    rc, out, err = run(d + "/none.conf")
    equal((rc, out, err), (0, d + "/none.conf: no test suites\n", ""), "no suites")
    rc, out, err = run(d + "/wrong.conf")
    check(rc == 1 and "wrong.conf:" in err and not out, "a file with errors: %d %r %r" % (rc, out, err))
    rc, out, err = run(d + "/only.conf")
    equal(rc, 0, "a file of tests without protocols: " + err)
    rc, out, err = run("good.conf", cwd=d)
    equal(rc, 0, "a relative name")
    equal(listing(d), before, "the folder's files")
    # The tests of a configuration are nothing to a daemon.
    p = subprocess.run([PROGRAM, "-p", "-c", d + "/ordinary.conf"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    equal((p.returncode, p.stdout), (0, b""), "-p with a suite that would fail")


PROGRAM = program("ternd")
RPKI = """
router id 1.2.3.4;
roa4 table r4; aspa table a1;
protocol static { roa4 { table r4; }; route 10.0.0.0/16 max 24 as 65001; route 10.0.0.0/16 max 24 as 65002; route \
10.0.0.0/8 max 8 as 0; }
protocol static { aspa { table a1; }; route aspa 65001 providers 65000, 64999; route aspa 64999 transit; }
protocol static { aspa { table a1; }; route aspa 65001 providers 64000; }
function t() {
  bt_assert(roa_check(r4, 10.0.1.0/24, 65001) = ROA_VALID && roa_check(r4, 10.0.1.0/24, 65002) = ROA_VALID);
  bt_assert(roa_check(r4, 10.0.1.0/25, 65001) = ROA_INVALID && roa_check(r4, 10.9.0.0/16, 65001) = ROA_INVALID);
  bt_assert(roa_check(r4, 11.0.0.0/8, 65001) = ROA_UNKNOWN);
  bt_assert(aspa_check(a1, prepend(prepend(+empty+, 65001), 64000), true) = ASPA_VALID);
  bt_assert(aspa_check(a1, prepend(prepend(+empty+, 65001), 65000), true) = ASPA_VALID);
  bt_assert(aspa_check(a1, prepend(prepend(+empty+, 65001), 63000), true) = ASPA_INVALID);
  bt_assert(aspa_check(a1, prepend(prepend(+empty+, 64999), 63000), true) = ASPA_INVALID);
}
bt_test_suite(t, "static ROAs");
"""


def test_rpki():
    """ROA and ASPA tables hold the static routes of the file."""
    d = folder(good=RPKI, bad=RPKI.replace("providers 64000", "providers 62000"))
    status, out, err = run(os.path.join(d, "good.conf"))
    equal((status, out.splitlines()[0], err), (0, "passed  static ROAs (7 assertions)", ""), "as the file has them")
    status, out, _ = run(os.path.join(d, "bad.conf"))
    equal((status, out.count("bt_assert")), (1, 1), "another file: " + out)


case("the jail", test_jail)
case("the example of doc/filters.md", test_manual)
case("doc/examples/rs-tests.conf", test_example)
case("exit status, and nothing touched", test_status)
case("ROAs and ASPAs of the file", test_rpki)
done()
