/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors that travel over a socket: one, none, several, no room, the end; the page
 * of counters as a reader in another process gets the page. */
#include "sysdep/sock/sock_pass.h"
#include "lib/mt/count_page.h"
#include "sysdep/os/share_page.h"
#include "sysdep/sock/sock_io.h"
#include "test/lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* sock_pass_open - how many descriptors below 200 are open. */
static int
sock_pass_open(void)
{
	int cnt = 0;

	for (int fd = 0; fd < 200; fd++)
		cnt += fcntl(fd, F_GETFD) >= 0;
	return cnt;
}

static void
sock_pass_one(void **state)
{
	int fd[2], pipes[2], passed, before = sock_pass_open();
	char buf[16];

	(void)state;
	assert_int_equal(sock_pair(fd), 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(sock_pass_recv(fd[1], buf, sizeof(buf), &passed), 0);
	assert_int_equal(passed, -1);
	assert_int_equal(sock_send(fd[0], "ab", 2), 2);
	assert_int_equal(sock_pass_send(fd[0], "cd", 2, pipes[1]), 2);
	/* octets without a descriptor, then octets with a descriptor */
	assert_int_equal(sock_pass_recv(fd[1], buf, 1, &passed), 1);
	assert_int_equal(passed, -1);
	assert_int_equal(sock_pass_recv(fd[1], buf + 1, 1, &passed), 1);
	assert_int_equal(passed, -1);
	assert_int_equal(sock_pass_recv(fd[1], buf + 2, sizeof(buf), &passed), 2);
	assert_memory_equal(buf, "abcd", 4);
	assert_true(passed >= 0 && passed != pipes[1]);
	assert_int_equal(fcntl(passed, F_GETFD), FD_CLOEXEC);
	assert_int_equal(write(passed, "x", 1), 1);
	assert_int_equal(read(pipes[0], buf, sizeof(buf)), 1);
	close(passed);
	/* a descriptor that is none; the end */
	assert_int_equal(sock_pass_send(fd[0], "e", 1, -1), -EBADF);
	close(fd[0]);
	assert_int_equal(sock_pass_recv(fd[1], buf, sizeof(buf), &passed), -EPIPE);
	assert_int_equal(passed, -1);
	assert_int_equal(sock_pass_send(fd[1], "e", 1, pipes[0]), -EPIPE);
	close(fd[1]);
	close(pipes[0]);
	close(pipes[1]);
	assert_int_equal(sock_pass_open(), before);
}

/* sock_pass_many - the receiver keeps one of several descriptors, and loses none. */
static void
sock_pass_many(void **state)
{
	int fd[2], passed, before = sock_pass_open(), many[9];
	union {
		struct cmsghdr align;
		char octets[CMSG_SPACE(sizeof(many))];
	} room = { .octets = { 0 } };
	struct iovec part = { .iov_base = "x", .iov_len = 1 };
	struct msghdr mh = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = sizeof(room) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&mh);
	char buf[4];

	(void)state;
	assert_int_equal(sock_pair(fd), 0);
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		many[i] = fd[0];
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(many));
	memcpy(CMSG_DATA(c), many, sizeof(many));
	assert_int_equal(sendmsg(fd[0], &mh, 0), 1);
	assert_int_equal(sock_pass_recv(fd[1], buf, sizeof(buf), &passed), 1);
	assert_int_equal(sock_pass_open(), before + 3);
	close(passed);
	close(fd[0]);
	close(fd[1]);
	assert_int_equal(sock_pass_open(), before);
}

static void
sock_pass_full(void **state)
{
	static char octets[1 << 16];
	int fd[2], passed;

	(void)state;
	assert_int_equal(sock_pair(fd), 0);
	while (sock_send(fd[0], octets, sizeof(octets)) > 0)
		;
	assert_int_equal(sock_pass_send(fd[0], "x", 1, fd[0]), 0);
	while (sock_pass_recv(fd[1], octets, sizeof(octets), &passed) > 0)
		assert_int_equal(passed, -1);
	close(fd[0]);
	close(fd[1]);
}

/* sock_pass_reader - in another process: read the block of the page that comes over the
 * socket. Returns: 0, or the step that failed. */
static int
sock_pass_reader(int fd)
{
	struct count_copy c;
	const void *page;
	char buf[4];
	size_t len;
	int passed;

	if (sock_pass_recv(fd, buf, sizeof(buf), &passed) != 1 || passed < 0)
		return 1;
	page = share_page_map(passed, &len);
	if (!page || count_page_check(page, len) != 1)
		return 2;
	if (!count_block_read(&c, page, 0) || strcmp(c.name, "t4") || c.cnt != 1)
		return 3;
	/* tell the writer, and wait for another write */
	if (c.value[0] != 5 || write(fd, "y", 1) != 1)
		return 4;
	for (;;) {
		if (!count_block_read(&c, page, 0))
			return 5;
		if (c.value[0] == 6)
			return 0;
	}
}

static void
sock_pass_page(void **state)
{
	struct count_page page;
	struct share_page file;
	struct count_block *b;
	uint64_t value = 5;
	int fd[2], status;
	char buf[1];
	pid_t pid;

	(void)state;
	assert_int_equal(share_page_new(&file, 1 << 16), 0);
	count_page_init(&page, file.memory, file.len, 1);
	b = count_page_take(&page);
	count_block_write(b, 1, "t4", &value, 1);
	assert_int_equal(sock_pair(fd), 0);
	assert_int_equal(sock_pass_send(fd[0], "x", 1, file.read_fd), 1);
	pid = fork();
	if (!pid) {
		alarm(60); /* a failed parent leaves no process behind */
		_exit(sock_pass_reader(fd[1]));
	}
	while (sock_recv(fd[0], buf, 1) == 0 && waitpid(pid, &status, WNOHANG) == 0)
		;
	value = 6;
	count_block_write(b, 1, "t4", &value, 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	share_page_free(&file);
	close(fd[0]);
	close(fd[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sock_pass_one),
		cmocka_unit_test(sock_pass_many), cmocka_unit_test(sock_pass_full),
		cmocka_unit_test(sock_pass_page) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
