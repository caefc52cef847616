/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Octets of any descriptor: files, pipes, terminals, sockets. Any thread that owns the
 * descriptor. */
#ifndef TERN_SYSDEP_OS_FD_H
#define TERN_SYSDEP_OS_FD_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

#include <errno.h>
#include <sys/types.h>

/* fd_read - Blocks: as the descriptor does. Returns: octets put into @buf; 0: none now;
 * -EPIPE: the end; another negative errno. */
MUST_CHECK ssize_t fd_read(struct os_fd fd, void *buf, size_t len);
/* fd_octets - @n: what read(2), recv(2) returned. Returns: as fd_read does. */
MUST_CHECK static inline ssize_t
fd_octets(ssize_t n)
{
	if (n > 0)
		return n;
	if (n == 0)
		return -EPIPE;
	return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

/* fd_write_all - Blocks: as the descriptor does. Returns: 0, or negative errno: a part
 * may be written. */
MUST_CHECK int fd_write_all(struct os_fd fd, const void *p, size_t len);
/* fd_dup - Returns: another descriptor of the same file or socket, which the caller owns;
 * or negative errno. */
MUST_CHECK struct os_fd fd_dup(struct os_fd fd);
/* fd_close - Returns: 0, or negative errno: octets written before may be lost. @fd is
 * closed in either case. */
int fd_close(TAKE struct os_fd fd);

#define FD_PATH_MAX 32
/* fd_path - the name by which this process opens the file of @fd again. */
void fd_path(struct os_fd fd, char out[FD_PATH_MAX]);

/* One descriptor of fd_wait. Owner: the caller. Life: on the stack. */
struct fd_want {
	struct os_fd fd;
	bool read, write; /* wanted */
	/* result: a wanted call will not block, or the other side has closed */
	bool ready;
};

/* fd_wait - wait until a descriptor is ready, @wait_ms at most. Blocks. @cnt: 4 at most.
 * Returns: number of ready descriptors, or negative errno. */
int fd_wait(struct fd_want *w, unsigned cnt, int wait_ms);

#endif
