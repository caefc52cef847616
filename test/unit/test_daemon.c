/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Going into the background, seen from outside, and the pid file. */
#include "sysdep/os/daemon.c"
#include "test/lib/unit.h"
#include "test/lib/wait.h"
#include <signal.h>

static char path[64];

static int
test_daemon_set_up(void **arg)
{
	int fd;

	(void)arg;
	snprintf(path, sizeof(path), "/tmp/tern-pid-XXXXXX");
	fd = mkstemp(path);
	close(fd);
	return fd < 0 ? -1 : 0;
}

static int
test_daemon_tear_down(void **arg)
{
	(void)arg;
	unlink(path);
	return 0;
}

/* Run a start of the daemon; its end is told by a pipe. Returns: the exit status of the
 * parent. */
static int
start_daemon(bool gets_ready, char *said)
{
	int status = -1, fd[2];
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		pid_t first = getpid();
		int ready;

		close(fd[0]);
		ready = daemon_detach().os_nr;
		if (ready < 0 || getpid() == first || getsid(0) != getpid())
			_exit(3);
		if (!gets_ready)
			_exit(4);
		daemon_ready(os_fd_of(ready));
		daemon_ready(os_fd_of(-1));
		/* Standard streams are gone, the daemon lives on. */
		if (write(STDERR_FILENO, "not to be seen\n", 15) != 15)
			_exit(5);
		wait_spread(10000);
		if (write(fd[1], "x", 1) != 1)
			_exit(6);
		_exit(0);
	}
	close(fd[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	*said = 0;
	assert_true(read(fd[0], said, 1) >= 0);
	close(fd[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
test_detach(void **arg)
{
	char said;

	(void)arg;
	assert_int_equal(start_daemon(true, &said), 0);
	assert_int_equal(said, 'x');
	assert_int_equal(start_daemon(false, &said), 1);
	assert_int_equal(said, 0);
}

static void
test_pid_file(void **arg)
{
	struct pidfh *own, *other;
	char text[32] = "";
	int pid = -1;
	FILE *f;

	(void)arg;
	/* What an earlier daemon left, longer than ours. */
	f = fopen(path, "w");
	fputs("12345678901234567890\n", f);
	fclose(f);
	assert_int_equal(daemon_pid_file(path, &own, &pid), 0);
	f = fopen(path, "r");
	assert_non_null(fgets(text, sizeof(text), f));
	assert_null(fgets(text + 20, 10, f));
	fclose(f);
	assert_int_equal(atoi(text), getpid());
	assert_int_equal(daemon_pid_file(path, &other, &pid), -EWOULDBLOCK);
	assert_int_equal(pid, getpid());
	/* A daemon that wrote more than its number holds the lock. */
	f = fopen(path, "w");
	fputs("1234\n", f);
	fclose(f);
	assert_int_equal(daemon_pid_file(path, &other, &pid), -EWOULDBLOCK);
	assert_int_equal(pid, 0);
	daemon_pid_remove(own);
	daemon_pid_remove(NULL);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(daemon_pid_file("/nonexistent/pid", &own, &pid), -ENOENT);
}

/* Who asked by NOTIFY_SOCKET, by a path or an abstract address, is told; what is no
 * address is nobody. */
static void
test_notify(void **arg)
{
	static const char *const bad[] = { "", "@", "relative", "/nonexistent/socket" };
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	char name[64], text[32];

	(void)arg;
	unlink(path);
	for (int abstract = 0; abstract < 2; abstract++) {
		int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
		int len = snprintf(name, sizeof(name), "%s%s", abstract ? "@" : "", path);

		memcpy(sa.sun_path, name, (size_t)len);
		if (abstract)
			sa.sun_path[0] = 0;
		assert_int_equal(bind(fd, (struct sockaddr *)&sa,
				     (socklen_t)(sizeof(sa.sun_family) + (size_t)len)),
		    0);
		setenv("NOTIFY_SOCKET", name, 1);
		daemon_notify("READY=1");
		assert_int_equal(recv(fd, text, sizeof(text), MSG_DONTWAIT), 7);
		assert_memory_equal(text, "READY=1", 7);
		close(fd);
		daemon_notify("READY=1"); /* nobody there any more */
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		setenv("NOTIFY_SOCKET", bad[i], 1);
		daemon_notify("READY=1");
	}
	unsetenv("NOTIFY_SOCKET");
	daemon_notify("READY=1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_detach),
		cmocka_unit_test_setup_teardown(
		    test_pid_file, test_daemon_set_up, test_daemon_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_notify, test_daemon_set_up, test_daemon_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
