/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sandbox: files can be read and not opened for writing; an open log may grow; a
 * system call of another architecture ends the program. */
#include "client/http/sandbox.h"
#include "test/lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* http_sandbox_try - in the sandbox, with the file @fd. Returns: the number of the first
 * test that failed; 0: none. */
static int
http_sandbox_try(int fd, bool logs)
{
	static const int flags[] = { O_WRONLY, O_RDWR, O_RDONLY | O_CREAT,
		O_RDONLY | O_TRUNC, O_WRONLY | O_APPEND | O_CLOEXEC };

	if (sandbox_enter(NULL, logs))
		return 1;
	if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
		return 2;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (open("/dev/null", flags[i], 0600) >= 0 || errno != EPERM)
			return 3 + (int)i;
	if ((write(fd, "x", 1) == 1) != logs)
		return 20;
	return unlink("/nosuch") == 0 || errno != EPERM ? 21 : 0;
}

static void
http_sandbox_files(void **state)
{
	char path[] = "/tmp/tern-sandbox.XXXXXX";
	int fd = mkstemp(path), status;

	(void)state;
	unlink(path);
	for (int logs = 0; logs < 2; logs++) {
		pid_t pid = fork();

		if (!pid) {
			signal(SIGXFSZ, SIG_IGN);
			_exit(http_sandbox_try(fd, logs));
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	close(fd);
}

#if defined(__x86_64__) && !defined(__ILP32__)
/* http_sandbox_i386, http_sandbox_x32 - getpid(2) of i386 and of x32. */
static void
http_sandbox_i386(void)
{
	long nr = 20;

	__asm__ volatile("int $0x80" : "+a"(nr) : : "memory", "r8", "r9", "r10", "r11");
}

static void
http_sandbox_x32(void)
{
	(void)syscall(0x40000000 + SYS_getpid);
}

/* http_sandbox_dies - the signal that ends a process which calls @call; 0: none. */
static int
http_sandbox_dies(void (*call)(void), bool in_sandbox)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		/* a sanitizer would report the signal */
		signal(SIGSEGV, SIG_DFL);
		if (in_sandbox && sandbox_enter(NULL, false))
			_exit(1);
		call();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	assert_int_equal(WEXITSTATUS(status), 0);
	return 0;
}

static void
http_sandbox_foreign(void **state)
{
	(void)state;
	assert_int_equal(http_sandbox_dies(http_sandbox_x32, false), 0);
	assert_int_equal(http_sandbox_dies(http_sandbox_x32, true), SIGSYS);
	/* a kernel may lack the calls of i386 */
	if (!http_sandbox_dies(http_sandbox_i386, false))
		assert_int_equal(http_sandbox_dies(http_sandbox_i386, true), SIGSYS);
}
#else
static void
http_sandbox_foreign(void **state)
{
	(void)state;
	skip();
}
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(http_sandbox_files),
		cmocka_unit_test(http_sandbox_foreign) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
