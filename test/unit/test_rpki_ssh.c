/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread of an SSH connection leaves no descriptor open, wherever it fails. */
#include "proto/rpki/rpki_ssh.c"
#include "test/lib/unit.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* said - what the thread says to the instance, over a connection on which a cache has
 * said @greeting (NULL: it has hung up). Asserts that the connection is closed. */
static void
test_rpki_ssh_said(const char *greeting, char line[RPKI_TEXT_MAX + 2])
{
	struct ssh_task *t = mem_zalloc(MEM_PROTO, sizeof(*t));
	int us[2], cache[2];
	char rest[256];
	ssize_t n;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, us), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, cache), 0);
	if (greeting)
		assert_true(write(cache[1], greeting, strlen(greeting)) > 0);
	else
		shutdown(cache[1], SHUT_RDWR);
	t->fd = os_fd_of(cache[0]);
	t->host = mem_strdup(MEM_PROTO, "192.0.2.1");
	t->user = mem_strdup(MEM_PROTO, "rpki");
	t->private_key = mem_strdup(MEM_PROTO, "/dev/null");
	t->port = 22;
	t->wait_ms = 1; /* a cache that says nothing more: RPKI_SSH_TRIES times */
	rpki_ssh_thread(os_fd_of(us[1]), t);
	n = recv(us[0], line, RPKI_TEXT_MAX + 1, MSG_DONTWAIT);
	assert_true(n > 0);
	line[n] = '\0';
	if (greeting) /* its end follows what was sent */
		while (recv(cache[1], rest, sizeof(rest), MSG_DONTWAIT) > 0)
			;
	assert_int_equal(fcntl(cache[0], F_GETFD), -1);
	assert_true(recv(cache[1], rest, 1, MSG_DONTWAIT) == 0 || errno != EAGAIN);
	close(us[0]);
	close(cache[1]);
}

static void
test_failures(void **state)
{
	char line[RPKI_TEXT_MAX + 2];

	(void)state;
	test_rpki_ssh_said("no SSH at all\r\n\r\n\r\n", line);
	assert_string_equal(line, "-no answer\n");
	test_rpki_ssh_said(NULL, line);
	assert_int_equal(line[0], '-');
}

/* nobody - a user without an entry and a home: libssh refuses its own defaults. */
static int
test_rpki_ssh_nobody(void)
{
	char line[RPKI_TEXT_MAX + 2];

	unsetenv("HOME");
	if (setuid(54321))
		return 77;
	test_rpki_ssh_said("SSH-2.0-x\r\n", line);
	return strstr(line, "options") ? 0 : 1;
}

static void
test_options(void **state)
{
	pid_t child;
	int status;

	(void)state;
	fflush(NULL);
	child = fork();
	if (!child)
		_exit(test_rpki_ssh_nobody());
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
