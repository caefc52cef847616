/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Octets of connected stream sockets, by their descriptors. No signal reports a broken
 * connection; the call returns -EPIPE. Any thread that owns the descriptor. */
#ifndef TERN_SYSDEP_SOCK_SOCK_IO_H
#define TERN_SYSDEP_SOCK_SOCK_IO_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

#include <sys/types.h>
#include <sys/uio.h>

/* sock_send - Blocks: never. Returns: octets that the kernel has taken; 0: the kernel has
 * no room; negative errno. */
ssize_t sock_send(struct os_fd fd, const void *p, size_t len);
/* sock_sendv - send the @cnt parts of @part. @more: further octets follow at once, so the
 * kernel may hold back a segment. Blocks: never. Returns: as sock_send. */
MUST_CHECK ssize_t sock_sendv(
    struct os_fd fd, struct iovec *part, unsigned cnt, bool more);
/* sock_send_all - send all of @p. Blocks until the kernel has all octets, if @fd blocks.
 * Returns: 0 or negative errno. */
MUST_CHECK int sock_send_all(struct os_fd fd, const void *p, size_t len);
/* sock_recv - Blocks: never. Returns: octets put into @buf; 0: none now; -EPIPE: the peer
 * has closed its side; another negative errno: the connection is broken. */
ssize_t sock_recv(struct os_fd fd, void *buf, size_t len);
/* sock_unread - octets that wait in the kernel. Any socket; 0 on error. */
uint32_t sock_unread(struct os_fd fd);
/* sock_shut_write - end the sending side; the peer reads the end after the sent
 * octets. */
void sock_shut_write(struct os_fd fd);
/* sock_pair - create two connected, non-blocking stream sockets. Returns: 0 or negative
 * errno. */
MUST_CHECK int sock_pair(OWNED struct os_fd fd[2]);

#endif
