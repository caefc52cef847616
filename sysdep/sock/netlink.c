/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens sockets of rtnetlink, sends requests to the kernel and receives the answers. No
 * state. Loop: any thread that owns the descriptor. Tested by test/unit/test_names.c. */
#include "sysdep/sock/netlink.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* netlink_be_deaf_to - what the owner of @protocol changes itself is not reported to the
 * owner. The octet of the protocol stands behind the header and 5 more. */
static void
netlink_be_deaf_to(int fd, uint8_t protocol)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, NLMSG_HDRLEN + 5),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, protocol, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
	};
	struct sock_fprog prog = { .len = 4, .filter = code };

	(void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog));
}

/* netlink_set_wishes - options without which the socket works, too. */
static void
netlink_set_wishes(int fd, const struct netlink_conf *c)
{
	int size = c->rx_buffer < INT32_MAX ? (int)c->rx_buffer : INT32_MAX, on = 1;
	struct timeval most = { .tv_sec = (time_t)c->wait_s };

	if (size && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (c->wait_s)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
	if (c->strict)
		(void)setsockopt(
		    fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	if (c->short_errors)
		(void)setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	if (c->deaf_to)
		netlink_be_deaf_to(fd, c->deaf_to);
}

struct os_fd
netlink_new(const struct netlink_conf *c)
{
	struct sockaddr_nl sa = { .nl_family = AF_NETLINK, .nl_groups = c->groups };
	int fd = socket(AF_NETLINK,
	    SOCK_RAW | SOCK_CLOEXEC | (c->wait_s ? 0 : SOCK_NONBLOCK), NETLINK_ROUTE);
	int rc;

	if (fd < 0)
		return os_fd_of(-errno);
	netlink_set_wishes(fd, c);
	if (!c->groups || !bind(fd, (struct sockaddr *)&sa, sizeof(sa)))
		return os_fd_of(fd);
	rc = -errno;
	close(fd);
	return os_fd_of(rc);
}

int
netlink_send(struct os_fd fd, const void *p, size_t len)
{
	ssize_t n;

	do
		n = send(fd.os_nr, p, len, 0);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

ssize_t
netlink_recv(struct os_fd fd, void *buf, size_t room)
{
	ssize_t n;

	do /* MSG_TRUNC: the length that the message really had */
		n = recv(fd.os_nr, buf, room, MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return (size_t)n > room ? -ENOBUFS : n;
	if (n == 0)
		return -EPIPE;
	return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}
