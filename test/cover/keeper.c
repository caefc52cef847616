/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the counters of a coverage build for a program that may not write files when the
 * program ends (ternhttp; ternd -t). Linked in builds with --coverage only.
 *
 * A child that is forked before main has the addresses and the rights of the program. At
 * the end of the program the child copies the static data of the program, counters and
 * all, over its own, and writes the files. The child waits for the end on a socket, and
 * leaves without a file if the program was killed. Loop: before main, and after main.
 *
 * Tested by `make coverage`: client/http has lines of test/net/test_http.py, and
 * test/net/test_selftest.py finds no complaint of libgcov in the output of ternd -t. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char __data_start[], _end[];
void __gcov_dump(void);

static int keeper_fd = -1;

/* keeper_wait - the child: until the program @pid ends. */
static void __attribute__((noreturn)) keeper_wait(int fd, pid_t pid)
{
	size_t len = (size_t)(_end - __data_start);
	struct iovec to = { .iov_base = __data_start, .iov_len = len }, from = to;
	char c;

	/* no signal of the group, and no pipe of the program */
	setsid();
	if (dup2(fd, 0) == 0)
		close_range(1, ~0U, 0);
	if (read(0, &c, 1) != 1 ||
	    process_vm_readv(pid, &to, 1, &from, 1, 0) != (ssize_t)len)
		_Exit(1);
	__gcov_dump();
	_Exit(write(0, &c, 1) != 1);
}

/* keeper_end - libgcov's own end, which would complain about each file, never comes. */
static void
keeper_end(int status, void *arg)
{
	char c = 0;

	(void)arg;
	fflush(NULL);
	if (write(keeper_fd, &c, 1) == 1 && read(keeper_fd, &c, 1) == 1)
		_Exit(status);
}

/* keeper_is_needed - a ternd that serves members writes its counters itself. */
static bool
keeper_is_needed(int argc, char **argv)
{
	if (strcmp(program_invocation_short_name, "ternd") != 0)
		return true;
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-t"))
			return true;
	return false;
}

static void __attribute__((constructor)) keeper_start(int argc, char **argv)
{
	pid_t pid = getpid(), child;
	int pair[2];

	if (!keeper_is_needed(argc, argv) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return;
	/* a grandchild: the program has no child to wait for */
	child = fork();
	if (!child) {
		if (fork())
			_Exit(0);
		close(pair[0]);
		keeper_wait(pair[1], pid);
	}
	close(pair[1]);
	keeper_fd = pair[0];
	if (child > 0 && waitpid(child, NULL, 0) == child)
		on_exit(keeper_end, NULL);
}
