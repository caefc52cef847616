/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The client's end of the control socket.
 *
 * I1  At most one command is under way: a caller sends the next command after the last
 *     line of the reply. Only unasked lines may come at any time (cli_line.async).
 * I2  Reading never blocks, so that the client serves terminal and signals during a slow
 *     reply; writing may block, but a command fits into any socket buffer.
 *
 * Loop: the only thread of ternc. Tested by test/unit/test_client_conn.c. */
#include "client/conn.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int
conn_connect_flags(struct conn *c, const char *path, int flags)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	size_t len = strlen(path);

	memset(c, 0, sizeof(*c));
	c->fd = c->passed = -1;
	cli_reader_init(&c->rd);
	if (len >= sizeof(sa.sun_path))
		return -ENAMETOOLONG;
	memcpy(sa.sun_path, path, len + 1);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	if (c->fd < 0)
		return -errno;
	if (connect(c->fd, (struct sockaddr *)&sa, sizeof(sa)) < 0) {
		int err = errno;

		conn_close(c);
		return -err;
	}
	return 0;
}

int
conn_open(struct conn *c, const char *path)
{
	return conn_connect_flags(c, path, 0);
}

int
conn_open_now(struct conn *c, const char *path)
{
	return conn_connect_flags(c, path, SOCK_NONBLOCK);
}

void
conn_close(struct conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->passed >= 0)
		close(c->passed);
	c->fd = c->passed = -1;
	c->pos = c->len = 0;
	cli_reader_fini(&c->rd);
}

int
conn_send(struct conn *c, const char *command)
{
	char line[CONN_COMMAND_MAX + 1];
	size_t len = strlen(command), sent = 0;

	if (len > CONN_COMMAND_MAX)
		return -EMSGSIZE;
	for (size_t i = 0; i < len; i++)
		line[i] = command[i] == '\n' || command[i] == '\r' ? ' ' : command[i];
	line[len++] = '\n';
	while (sent < len) {
		ssize_t n = send(c->fd, line + sent, len - sent, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return errno == EPIPE ? -ECONNRESET : -errno;
		if (n > 0)
			sent += (size_t)n;
	}
	return 0;
}

/* Descriptors of one message that conn_receive has room for. The kernel closes further
 * descriptors. */
#define CONN_PASS_MAX 4

/* Room for control data, aligned as cmsg(3) asks. Owner: the caller. Life: on the
 * stack. */
union conn_room {
	struct cmsghdr align;
	char octets[CMSG_SPACE(CONN_PASS_MAX * sizeof(int))];
};

/* conn_take - keep the last descriptor of the control data @m, and close others. */
static void
conn_take(struct conn *c, struct cmsghdr *m)
{
	size_t cnt = (m->cmsg_len - CMSG_LEN(0)) / sizeof(int);

	for (size_t i = 0; i < cnt; i++) {
		if (c->passed >= 0)
			close(c->passed);
		memcpy(&c->passed, CMSG_DATA(m) + i * sizeof(int), sizeof(int));
	}
}

/* conn_receive - as recv(2) into the buffer, with a passed descriptor. */
static ssize_t
conn_receive(struct conn *c)
{
	struct iovec part = { .iov_base = c->buf, .iov_len = sizeof(c->buf) };
	union conn_room room;
	struct msghdr mh = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = sizeof(room) };
	ssize_t n = recvmsg(c->fd, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	for (struct cmsghdr *m = n < 0 ? NULL : CMSG_FIRSTHDR(&mh); m;
	     m = CMSG_NXTHDR(&mh, m))
		if (m->cmsg_level == SOL_SOCKET && m->cmsg_type == SCM_RIGHTS)
			conn_take(c, m);
	return n;
}

int
conn_next(struct conn *c, struct cli_line *line)
{
	for (;;) {
		bool got = false;
		ssize_t n;

		while (c->pos < c->len) {
			c->pos += cli_read(
			    &c->rd, c->buf + c->pos, c->len - c->pos, line, &got);
			if (got)
				return 1;
		}
		n = conn_receive(c);
		if (n == 0)
			return -ECONNRESET;
		if (n < 0) {
			if (errno == EAGAIN || errno == EWOULDBLOCK)
				return 0;
			if (errno != EINTR)
				return -errno;
			continue;
		}
		c->pos = 0;
		c->len = (size_t)n;
	}
}

const char *
conn_explain(char *to, size_t size, const char *path, int err)
{
	const char *hint = "";

	switch (-err) {
	case ENOENT:
		hint = "; the daemon does not run, or has its socket elsewhere (-s)";
		break;
	case ECONNREFUSED:
		hint = "; a socket was left behind, but no daemon listens on the socket";
		break;
	case EACCES:
	case EPERM:
		hint =
		    "; this user may not use the socket: try the daemon's user or group";
		break;
	case ENAMETOOLONG:
		hint = "; the name of a socket has at most 107 octets";
		break;
	}
	snprintf(to, size, "Unable to connect to server control socket (%s): %s%s", path,
	    strerror(-err), hint);
	return to;
}
