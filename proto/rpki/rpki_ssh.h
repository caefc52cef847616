/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread of an SSH connection. Apart from rpki_priv.h, since libssh, too, has names
 * that begin with channel_. */
#ifndef TERN_PROTO_RPKI_RPKI_SSH_H
#define TERN_PROTO_RPKI_RPKI_SSH_H

#include "lib/base/check.h"

#define RPKI_TEXT_MAX 200 /* of an error */

/* What the thread of an SSH connection needs. Freed by it. */
struct ssh_task {
	int fd; /* TCP, connected; the thread's */
	char *host, *user, *private_key, *public_key; /* public_key NULL: don't check */
	uint16_t port;
};

/* rpki_ssh_thread - talk SSH over task->fd, and pass octets between the cache and @fd
 * until one side ends. The first line into @fd is "+" or "-" and a text. In a thread of
 * its own; takes @fd and @task. */
void rpki_ssh_thread(TAKE int fd, TAKE void *task);

#endif
