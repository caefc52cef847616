/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The client's end of the control socket.
 *
 * I1  At most one command is under way: a caller sends the next command after the last
 *     line of the reply. Only unasked lines may come at any time (cli_line.async).
 * I2  Reading never blocks, so that the client serves terminal and signals during a slow
 *     reply; writing may block, but a command fits into any socket buffer.
 *
 * Loop: the only thread of ternc. Tested by test/unit/test_client_session.c. */
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
	c->fd = -1;
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
	c->fd = -1;
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
		n = recv(c->fd, c->buf, sizeof(c->buf), MSG_DONTWAIT);
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
