/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors that travel over a control socket, from the daemon's end to the client's
 * end: one, none, several, no room, the end; the page of counters as a reader in another
 * process gets the page. */
#include "client/conn.h"
#include "client/http/counted/page_map.h"
#include "lib/mt/count_page.h"
#include "sysdep/os/share_page.h"
#include "sysdep/sock/sock_io.h"
#include "sysdep/sock/sock_pass.h"
#include "test/lib/fd_pair.h"
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

/* sock_pass_conn - the client's end @fd of a connection. */
static void
sock_pass_conn(struct conn *c, int fd)
{
	memset(c, 0, sizeof(*c));
	c->fd = fd;
	c->passed = -1;
	cli_reader_init(&c->rd);
}

static void
sock_pass_one(void **state)
{
	int fd[2], pipes[2], before = sock_pass_open();
	struct cli_line line;
	struct conn c;
	char buf[16];

	(void)state;
	assert_int_equal(fd_pair(fd), 0);
	assert_int_equal(pipe(pipes), 0);
	sock_pass_conn(&c, fd[1]);
	assert_int_equal(conn_next(&c, &line), 0);
	assert_int_equal(sock_send(os_fd_of(fd[0]), "1100-a\n", 7), 7);
	assert_int_equal(conn_next(&c, &line), 1);
	assert_int_equal(c.passed, -1);
	/* with the second line */
	assert_int_equal(
	    sock_pass_send(os_fd_of(fd[0]), "1100-b\n", 7, os_fd_of(pipes[1])), 7);
	assert_int_equal(conn_next(&c, &line), 1);
	assert_string_equal(line.text, "b");
	assert_true(c.passed >= 0 && c.passed != pipes[1]);
	assert_int_equal(fcntl(c.passed, F_GETFD), FD_CLOEXEC);
	assert_int_equal(write(c.passed, "x", 1), 1);
	assert_int_equal(read(pipes[0], buf, sizeof(buf)), 1);
	/* a further line leaves the descriptor; the end closes the descriptor */
	assert_int_equal(sock_send(os_fd_of(fd[0]), "1100-c\n", 7), 7);
	assert_int_equal(conn_next(&c, &line), 1);
	assert_true(c.passed >= 0);
	assert_int_equal(sock_pass_send(os_fd_of(fd[0]), "e", 1, os_fd_of(-1)), -EBADF);
	close(fd[0]);
	assert_int_equal(conn_next(&c, &line), -ECONNRESET);
	assert_int_equal(
	    sock_pass_send(os_fd_of(fd[1]), "e", 1, os_fd_of(pipes[0])), -EPIPE);
	conn_close(&c);
	assert_int_equal(c.passed, -1);
	close(pipes[0]);
	close(pipes[1]);
	assert_int_equal(sock_pass_open(), before);
}

/* sock_pass_many - the receiver keeps one of several descriptors, and loses none. */
static void
sock_pass_many(void **state)
{
	int fd[2], before = sock_pass_open(), many[9];
	union {
		struct cmsghdr align;
		char octets[CMSG_SPACE(sizeof(many))];
	} room = { .octets = { 0 } };
	struct iovec part = { .iov_base = "1100-x\n", .iov_len = 7 };
	struct msghdr mh = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = sizeof(room) };
	struct cmsghdr *m = CMSG_FIRSTHDR(&mh);
	struct cli_line line;
	struct conn c;

	(void)state;
	assert_int_equal(fd_pair(fd), 0);
	sock_pass_conn(&c, fd[1]);
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		many[i] = fd[0];
	m->cmsg_level = SOL_SOCKET;
	m->cmsg_type = SCM_RIGHTS;
	m->cmsg_len = CMSG_LEN(sizeof(many));
	memcpy(CMSG_DATA(m), many, sizeof(many));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(sendmsg(fd[0], &mh, 0), 7);
		assert_int_equal(conn_next(&c, &line), 1);
		assert_int_equal(sock_pass_open(), before + 3);
	}
	conn_close(&c);
	close(fd[0]);
	assert_int_equal(sock_pass_open(), before);
}

static void
sock_pass_full(void **state)
{
	static char octets[1 << 16];
	int fd[2];

	(void)state;
	assert_int_equal(fd_pair(fd), 0);
	while (sock_send(os_fd_of(fd[0]), octets, sizeof(octets)) > 0)
		;
	assert_int_equal(sock_pass_send(os_fd_of(fd[0]), "x", 1, os_fd_of(fd[0])), 0);
	close(fd[0]);
	close(fd[1]);
}

/* sock_pass_sweep - a sweep of one block with the value @value. */
static void
sock_pass_sweep(struct count_page *p, uint64_t value)
{
	struct count_copy c;

	count_copy_init(&c, 1, "t4");
	c.value[c.cnt++] = value;
	count_page_begin(p);
	count_page_put(p, &c);
	count_page_end(p, value, 1, 2);
}

/* sock_pass_reader - in another process: read the block of the page that comes over the
 * socket. Returns: 0, or the step that failed. */
static int
sock_pass_reader(int fd)
{
	struct cli_line line;
	struct count_copy c;
	struct conn conn;
	const void *page;
	size_t len;

	sock_pass_conn(&conn, fd);
	if (conn_next(&conn, &line) != 1 || conn.passed < 0)
		return 1;
	page = page_map_new(conn.passed, &len);
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
	int fd[2], status;
	char buf[1];
	pid_t pid;

	(void)state;
	assert_int_equal(share_page_new(&file, 1 << 16), 0);
	count_page_init(&page, file.memory, file.len, 1);
	sock_pass_sweep(&page, 5);
	assert_int_equal(fd_pair(fd), 0);
	assert_int_equal(sock_pass_send(os_fd_of(fd[0]), "1100-x\n", 7, file.read_fd), 7);
	pid = fork();
	if (!pid) {
		alarm(60); /* a failed parent leaves no process behind */
		_exit(sock_pass_reader(fd[1]));
	}
	while (sock_recv(os_fd_of(fd[0]), buf, 1) == 0 &&
	       waitpid(pid, &status, WNOHANG) == 0)
		;
	sock_pass_sweep(&page, 6);
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
