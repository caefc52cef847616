/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sandbox of ternd: forty attempts of a hostile program that runs in the daemon's
 * process. Each attempt is refused; each system call outside the list is reported; the
 * work of the daemon goes on. */
#include "sysdep/os/sandbox.h"
#include "sysdep/os/sandbox_priv.h"
#include "test/lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef TERN_SANDBOX

/* A system call outside the list: number and arguments. Each argument is harmless where
 * the kernel permits the call. */
static const struct attempt {
	const char *name;
	long nr, arg[3];
} attempts[] = {
#define ATTEMPT(name, ...)                                                               \
	{                                                                                \
#name, SYS_##name,                                                       \
		{                                                                        \
			__VA_ARGS__                                                      \
		}                                                                        \
	}
	ATTEMPT(execve, 0, 0, 0),
	ATTEMPT(execveat, -1, 0, 0),
	ATTEMPT(ptrace, 0, 0, 0),
	ATTEMPT(process_vm_readv, 1, 0, 0),
	ATTEMPT(process_vm_writev, 1, 0, 0),
	ATTEMPT(kill, 1, 0, 0),
	ATTEMPT(tkill, 1, 0, 0),
	ATTEMPT(pidfd_open, 1, 0, 0),
	ATTEMPT(pidfd_send_signal, -1, 0, 0),
	ATTEMPT(setuid, 0, 0, 0),
	ATTEMPT(setgid, 0, 0, 0),
	ATTEMPT(setresuid, 0, 0, 0),
	ATTEMPT(setgroups, 0, 0, 0),
	ATTEMPT(capset, 0, 0, 0),
	ATTEMPT(mount, 0, 0, 0),
	ATTEMPT(umount2, 0, 0, 0),
	ATTEMPT(pivot_root, 0, 0, 0),
	ATTEMPT(chroot, 0, 0, 0),
	ATTEMPT(setns, -1, 0, 0),
	ATTEMPT(unshare, 0, 0, 0),
	ATTEMPT(bpf, 0, 0, 0),
	ATTEMPT(perf_event_open, 0, 0, 0),
	ATTEMPT(keyctl, 0, 0, 0),
	ATTEMPT(init_module, 0, 0, 0),
	ATTEMPT(finit_module, -1, 0, 0),
	ATTEMPT(kexec_load, 0, 0, 0),
	ATTEMPT(reboot, 0, 0, 0),
	ATTEMPT(sethostname, 0, 0, 0),
	ATTEMPT(settimeofday, 0, 0, 0),
	ATTEMPT(clock_settime, 0, 0, 0),
	ATTEMPT(swapon, 0, 0, 0),
	ATTEMPT(quotactl, 0, 0, 0),
	ATTEMPT(io_uring_setup, 0, 0, 0),
	ATTEMPT(userfaultfd, 0, 0, 0),
	ATTEMPT(personality, 0, 0, 0),
	ATTEMPT(fanotify_init, 0, 0, 0),
	ATTEMPT(mknodat, -1, 0, 0),
	ATTEMPT(acct, 0, 0, 0),
	ATTEMPT(linkat, -1, 0, -1),
	ATTEMPT(symlinkat, 0, -1, 0),
#undef ATTEMPT
};

#define ATTEMPT_CNT (sizeof(attempts) / sizeof(attempts[0]))

static void *
sandbox_thread(void *arg)
{
	errno = 0;
	*(int *)arg = syscall(SYS_chroot, 0) < 0 && errno == EPERM;
	return NULL;
}

/* sandbox_calls_try - in a child. Returns: exit status, 0: all is as expected; the
 * message stands on stderr. */
static int
sandbox_calls_try(void)
{
	struct sandbox_active active;
	struct sandbox_refusal r;
	bool reported[ATTEMPT_CNT] = { false };
	pthread_t thread;
	int refused = 0, fd;

	if (sandbox_confine(SANDBOX_TERND, false, NULL, &active) || !active.calls)
		return 2;
	for (size_t i = 0; i < ATTEMPT_CNT; i++) {
		const struct attempt *a = &attempts[i];

		errno = 0;
		if (syscall(a->nr, a->arg[0], a->arg[1], a->arg[2], 0, 0, 0) >= 0 ||
		    errno != EPERM) {
			fprintf(stderr, "%s: errno %d\n", a->name, errno);
			return 3;
		}
	}
	while (sandbox_refusal_next(&r))
		for (size_t i = 0; i < ATTEMPT_CNT; i++)
			reported[i] |= (long)r.nr == attempts[i].nr;
	for (size_t i = 0; i < ATTEMPT_CNT; i++)
		if (!reported[i]) {
			fprintf(stderr, "%s: no report\n", attempts[i].name);
			return 4;
		}
	if (sandbox_refused_cnt() != ATTEMPT_CNT)
		return 5;
	/* a later thread is in the sandbox, and a second call is counted alone */
	if (pthread_create(&thread, NULL, sandbox_thread, &refused) ||
	    pthread_join(thread, NULL) || !refused || sandbox_refusal_next(&r) ||
	    sandbox_refused_cnt() != ATTEMPT_CNT + 1)
		return 6;
	fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	return fd < 0 || close(fd) ? 7 : 0;
}

/* sandbox_files_try - in a child, with a file @keep in a folder of the system. */
static int
sandbox_files_try(const char *keep)
{
	const char *const kept[] = { keep, NULL };
	char path[] = "/tmp/tern-sandbox.XXXXXX";
	struct sandbox_active active;
	int fd;

	if (sandbox_confine(SANDBOX_TERND, true, kept, &active) || !active.files)
		return 2;
	fd = mkstemp(path);
	if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) || unlink(path))
		return 3;
	fd = open(keep, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || close(fd) || unlink(keep))
		return 4;
	if (open("/etc/tern-sandbox", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0)
		return 5;
	if (open("/etc/passwd", O_RDWR | O_CLOEXEC) >= 0 ||
	    truncate("/etc/passwd", 0) == 0)
		return 6;
	if (mkdir("/usr/tern-sandbox", 0700) == 0)
		return 7;
	fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	return fd < 0 || close(fd) ? 8 : 0;
}

/* sandbox_child - the exit status of a child that runs @fn or, with @keep,
 * sandbox_files_try. */
static int
sandbox_child(const char *keep)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(keep ? sandbox_files_try(keep) : sandbox_calls_try());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
test_sandbox_calls(void **state)
{
	(void)state;
	assert_int_equal(ATTEMPT_CNT, 40);
	assert_int_equal(sandbox_child(NULL), 0);
}

static void
test_sandbox_files(void **state)
{
	char folder[] = "/root/tern-sandbox.XXXXXX", keep[64];

	(void)state;
	/* without root no folder of the system is the test's */
	if (geteuid() || !mkdtemp(folder) ||
	    syscall(SYS_landlock_create_ruleset, NULL, 0,
		LANDLOCK_CREATE_RULESET_VERSION) < 3)
		unit_cannot_here("root and Landlock of Linux 6.2 are needed");
	snprintf(keep, sizeof(keep), "%s/log", folder);
	assert_int_equal(sandbox_child(keep), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* Each name of the list is a system call of some architecture, and stands once. */
static void
test_sandbox_list(void **state)
{
	(void)state;
	for (const struct sandbox_call *c = sandbox_calls; c->name; c++) {
		assert_true(c->programs != 0);
		for (const struct sandbox_call *d = c + 1; d->name; d++)
			assert_string_not_equal(c->name, d->name);
	}
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(test_sandbox_calls),
	cmocka_unit_test(test_sandbox_files), cmocka_unit_test(test_sandbox_list) };
#else
static void
test_sandbox_absent(void **state)
{
	struct sandbox_active active = { true, true };

	(void)state;
	assert_int_equal(sandbox_confine(SANDBOX_TERND, true, NULL, &active), 0);
	assert_false(active.calls);
	assert_false(active.files);
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(test_sandbox_absent) };
#endif

UNIT_MAIN(tests)
