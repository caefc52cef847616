/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors that travel over a socket of the control plane (SCM_RIGHTS, unix(7)). Any
 * thread that owns the socket. client/conn.h receives the descriptors. */
#ifndef TERN_SYSDEP_SOCK_SOCK_PASS_H
#define TERN_SYSDEP_SOCK_SOCK_PASS_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

#include <sys/types.h>

/* sock_pass_send - send @len octets (at least 1), and with the first octet the descriptor
 * @passed, which the caller keeps: the receiver gets the descriptor with the octet.
 * Blocks: never. Returns: octets that the kernel has taken; 0: the kernel has no room and
 * has taken no descriptor; negative errno. */
MUST_CHECK ssize_t sock_pass_send(
    struct os_fd fd, const void *p, size_t len, struct os_fd passed);

#endif
