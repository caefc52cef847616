/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The client's end of the control socket: descriptors that come with a line, and errors
 * of connect. */
#include "client/conn.c"
#include "test/lib/unit.h"

/* A line with descriptors: the caller gets the last, the others are closed, and the end
 * of the connection closes a descriptor that nobody took. */
static void
test_passed(void **state)
{
	union conn_room room;
	struct iovec part = { .iov_base = (char[]){ "0000 \n" }, .iov_len = 6 };
	struct msghdr mh = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = CMSG_SPACE(2 * sizeof(int)) };
	struct cmsghdr *m;
	struct cli_line line;
	struct conn c = { .fd = -1, .passed = -1 };
	int fd[2], a[2], b[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	c.fd = fd[0];
	assert_int_equal(pipe(a), 0);
	assert_int_equal(pipe(b), 0);
	memset(&room, 0, sizeof(room));
	m = CMSG_FIRSTHDR(&mh);
	*m = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
		.cmsg_len = CMSG_LEN(2 * sizeof(int)) };
	memcpy(CMSG_DATA(m), (int[]){ a[1], b[1] }, 2 * sizeof(int));
	assert_int_equal(sendmsg(fd[1], &mh, 0), 6);
	close(a[1]);
	close(b[1]);
	assert_int_equal(conn_next(&c, &line), 1);
	assert_true(c.passed >= 0);
	assert_int_equal(write(c.passed, "x", 1), 1);
	assert_int_equal(read(b[0], (char[2]){ 0 }, 2), 1);
	assert_int_equal(read(a[0], (char[2]){ 0 }, 2), 0); /* no writer */
	conn_close(&c);
	assert_int_equal(read(b[0], (char[2]){ 0 }, 2), 0);
	close(a[0]);
	close(b[0]);
	close(fd[1]);
}

static void
test_errors(void **state)
{
	struct conn c;
	char text[512], path[200];

	(void)state;
	assert_int_equal(conn_open(&c, "/nonexistent/socket"), -ENOENT);
	assert_non_null(
	    strstr(conn_explain(text, sizeof(text), "P", -ENOENT), "does not run"));
	assert_non_null(strstr(conn_explain(text, sizeof(text), "P", -EACCES), "user"));
	assert_non_null(
	    strstr(conn_explain(text, sizeof(text), "P", -ECONNREFUSED), "left behind"));
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(conn_open(&c, path), -ENAMETOOLONG);
	assert_non_null(strstr(
	    conn_explain(text, sizeof(text), "P", -ENAMETOOLONG), "at most 107 octets"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_passed),
	cmocka_unit_test(test_errors),
};

UNIT_MAIN(tests)
