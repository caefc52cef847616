/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls on descriptors, which a signal does not interrupt. No state. Loop: any thread
 * that owns the descriptor. */
#include "sysdep/os/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define WAIT_CNT 4

ssize_t
fd_read(struct os_fd fd, void *buf, size_t len)
{
	ssize_t n;

	do
		n = read(fd.os_nr, buf, len);
	while (n < 0 && errno == EINTR);
	return fd_octets(n);
}

int
fd_write_all(struct os_fd fd, const void *p, size_t len)
{
	const uint8_t *at = p;

	while (len) {
		ssize_t n = write(fd.os_nr, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENOSPC;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

struct os_fd
fd_dup(struct os_fd fd)
{
	int copy = fcntl(fd.os_nr, F_DUPFD_CLOEXEC, 0);

	return os_fd_of(copy < 0 ? -errno : copy);
}

int
fd_close(struct os_fd fd)
{
	return close(fd.os_nr) ? -errno : 0;
}

void
fd_path(struct os_fd fd, char out[FD_PATH_MAX])
{
	snprintf(out, FD_PATH_MAX, "/proc/self/fd/%d", fd.os_nr);
}

int
fd_wait(struct fd_want *w, unsigned cnt, int wait_ms)
{
	struct pollfd p[WAIT_CNT];
	int n;

	ASSERT(cnt <= WAIT_CNT);
	for (unsigned i = 0; i < cnt; i++)
		p[i] = (struct pollfd){ .fd = w[i].fd.os_nr,
			.events = (short)((w[i].read ? POLLIN : 0) |
					  (w[i].write ? POLLOUT : 0)) };
	n = poll(p, cnt, wait_ms);
	for (unsigned i = 0; i < cnt; i++)
		w[i].ready = n > 0 && p[i].revents;
	return n < 0 ? -errno : n;
}
