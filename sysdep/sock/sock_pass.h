/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors that travel over a socket of the control plane (SCM_RIGHTS, unix(7)). Any
 * thread that owns the socket.
 *
 * A descriptor travels with the first octet of a message, so that the receiver gets the
 * descriptor with the octet, or earlier. Received descriptors have close-on-exec. */
#ifndef TERN_SYSDEP_SOCK_SOCK_PASS_H
#define TERN_SYSDEP_SOCK_SOCK_PASS_H

#include "lib/base/check.h"

#include <sys/types.h>

/* sock_pass_send - send @len octets (at least 1), and with them the descriptor @passed,
 * which the caller keeps. Blocks: never. Returns: octets that the kernel has taken; 0:
 * the kernel has no room and has taken no descriptor; negative errno. */
MUST_CHECK ssize_t sock_pass_send(int fd, const void *p, size_t len, int passed);
/* sock_pass_recv - as sock_recv (sysdep/sock/sock_io.h). *@passed: a descriptor that came
 * with the octets; -1: none. Of several descriptors the first stays, and the call closes
 * the others. */
MUST_CHECK ssize_t sock_pass_recv(int fd, void *buf, size_t len, OWNED int *passed);

#endif
