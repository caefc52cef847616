/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors that travel over a socket. No state. Loop: any thread that owns the socket.
 * Tested by test/unit/test_sock_pass.c. */
#include "sysdep/sock/sock_pass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* Room for control data, aligned as cmsg(3) asks. Owner: the caller. Life: on the
 * stack. */
union pass_room {
	struct cmsghdr align;
	char octets[CMSG_SPACE(sizeof(int))];
};

ssize_t
sock_pass_send(struct os_fd fd, const void *p, size_t len, struct os_fd passed)
{
	struct iovec part = { .iov_base = (void *)(uintptr_t)p, .iov_len = len };
	union pass_room room = { .octets = { 0 } };
	struct msghdr mh = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = CMSG_SPACE(sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&mh);
	ssize_t n;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &passed.os_nr, sizeof(int));
	do
		n = sendmsg(fd.os_nr, &mh, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return n;
	return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}
