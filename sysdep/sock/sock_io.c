/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls on stream sockets, which a signal does not interrupt. No state. Loop: any thread
 * that owns the descriptor. */
#include "sysdep/sock/sock_io.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* sock_io_result - of a call that takes or gives @n octets. */
static ssize_t
sock_io_result(ssize_t n)
{
	if (n >= 0)
		return n;
	return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

ssize_t
sock_send(struct os_fd fd, const void *p, size_t len)
{
	ssize_t n;

	do
		n = send(fd.os_nr, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return sock_io_result(n);
}

ssize_t
sock_sendv(struct os_fd fd, struct iovec *part, unsigned cnt, bool more)
{
	struct msghdr mh = { .msg_iov = part, .msg_iovlen = cnt };
	ssize_t n;

	do
		n = sendmsg(
		    fd.os_nr, &mh, MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0));
	while (n < 0 && errno == EINTR);
	return sock_io_result(n);
}

int
sock_send_all(struct os_fd fd, const void *p, size_t len)
{
	const uint8_t *at = p;

	while (len) {
		ssize_t n = send(fd.os_nr, at, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

ssize_t
sock_recv(struct os_fd fd, void *buf, size_t len)
{
	ssize_t n;

	do
		n = recv(fd.os_nr, buf, len, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n == 0 ? -EPIPE : sock_io_result(n);
}

uint32_t
sock_unread(struct os_fd fd)
{
	int n;

	return ioctl(fd.os_nr, SIOCINQ, &n) || n < 0 ? 0 : (uint32_t)n;
}

void
sock_shut_write(struct os_fd fd)
{
	shutdown(fd.os_nr, SHUT_WR);
}

int
sock_pair(struct os_fd fd[2])
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair))
		return -errno;
	fd[0] = os_fd_of(pair[0]);
	fd[1] = os_fd_of(pair[1]);
	return 0;
}
