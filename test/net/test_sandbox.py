# SPDX-License-Identifier: GPL-3.0-or-later
"""The sandbox of a running daemon (sysdep/os/sandbox.h). Real time: the kernel is the sandbox.

A library that is loaded into ternd plays an intruder: when the daemon opens a file with the name `hostile.conf`, the
library makes system calls that the daemon never makes."""

from harness import *

if KIND != "ternd" or SANITIZED:
    cannot_here("a build without sandbox")

INTRUDER = """
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void intrude(const char *path)
{
	size_t n = strlen(path);

	if (n < 12 || strcmp(path + n - 12, "hostile.conf"))
		return;
	syscall(SYS_execve, "/bin/true", 0, 0);
	syscall(SYS_execve, "/bin/true", 0, 0);
	syscall(SYS_ptrace, 0, 0, 0, 0);
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	intrude(path);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

FILE *fopen(const char *path, const char *how)
{
	FILE *(*real)(const char *, const char *) = (FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, "fopen");

	intrude(path);
	return real(path, how);
}
"""
CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
protocol device { }
protocol static s { ipv4; route 192.0.2.0/24 blackhole; }
"""


def status(d):
    (found,) = [line.split(", ", 1)[1] for _, line in d.run("show status") if line.startswith("tern ")]
    with open("/proc/%d/status" % d.pid) as f:
        kernel = dict(line.split(":", 1) for line in f)
    return found, int(kernel["Seccomp"]), int(kernel["NoNewPrivs"])


def active():
    d = Daemon(CONF).start()
    equal(status(d), ("sandbox: system calls, files", 2, 1), "the daemon is in the sandbox")
    answer = json.loads(Cli(d.ctl).run("json show status")[0][1])
    equal(answer["sandbox"], {"system_calls": True, "files": True, "refused": 0}, "the same in JSON")
    d.stop()


def switched_off():
    d = Daemon(CONF).start("--no-sandbox")
    equal(status(d), ("sandbox: none", 0, 0), "the daemon is free")
    d.stop()


def intruder():
    folder = temp_dir()
    source, library = os.path.join(folder, "intruder.c"), os.path.join(folder, "intruder.so")
    with open(source, "w") as f:
        f.write(INTRUDER)
    subprocess.run(
        [os.environ.get("CC", "cc").split()[-1], "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, source], check=True
    )
    d = Daemon(CONF)
    d.hostile = True
    d.write(CONF)
    hostile = os.path.join(d.dir, "hostile.conf")
    with open(hostile, "w") as f:
        f.write(CONF.replace("RUN", d.dir))
    os.environ["LD_PRELOAD"] = library
    try:
        d.start()
    finally:
        del os.environ["LD_PRELOAD"]
    d.text('configure check "%s"' % hostile)
    wait_until(lambda: d.whole_log().count("Sandbox refused system call") == 2, d.said)
    for name in ("execve", "ptrace"):
        check(re.search(r"<ERR> Sandbox refused system call \d+ \(%s\) of thread '" % name, d.said()), d.said())
    equal(status(d)[0], "sandbox: system calls, files; refused calls: 3", "the count")
    d.stop()


case("the sandbox is active", active)
case("--no-sandbox", switched_off)
case("an intruder is refused and reported", intruder)
done()
