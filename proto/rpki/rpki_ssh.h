/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rpki_ssh_thread carries the octets of one SSH connection between a cache and a socket
 * of the instance. Loop: a thread of sysdep/os/side.h calls rpki_ssh_thread; the
 * instance's loop calls only if no thread starts, with the descriptor -1. Separate from
 * rpki_priv.h, because libssh also has names that begin with channel_. */
#ifndef TERN_PROTO_RPKI_RPKI_SSH_H
#define TERN_PROTO_RPKI_RPKI_SSH_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

#define RPKI_TEXT_MAX    200 /* of an error */
#define RPKI_SSH_WAIT_MS 1000 /* ssh_task.wait_ms of a daemon */
#define RPKI_SSH_TRIES   60 /* waits without completing a step */

/* The task of an SSH thread. Owner: the thread. Life: until the thread ends. Freed by:
 * the thread. */
struct ssh_task {
	struct os_fd fd; /* TCP, connected; the thread's */
	char *host, *user, *private_key, *public_key; /* public_key NULL: do not check */
	uint16_t port;
	/* The cache has RPKI_SSH_TRIES times this time for each step; libssh's own
	 * buffers are checked at this interval. */
	uint32_t wait_ms;
};

/* rpki_ssh_thread - talk SSH over the fd of the struct ssh_task @arg, and pass octets
 * between the cache and @fd until one side ends. The first line into @fd is "+" or "-"
 * and a text. In a separate thread; takes @fd and @arg. */
void rpki_ssh_thread(TAKE struct os_fd fd, TAKE void *arg);

#endif
