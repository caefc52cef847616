/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control socket. It is bound before the daemon has workers, so that a second daemon
 * on the same path is refused at once; a worker then listens on it. */
#ifndef TERN_SYSDEP_SOCK_UNIX_H
#define TERN_SYSDEP_SOCK_UNIX_H

#include "sysdep/loop/loop.h"

/* sock_unix_bind - listen on @path, mode 0660; takes the place of a socket that nobody
 * answers on. *@inode: of the file, by which it is known again. Any thread. Returns:
 * descriptor, or negative errno: -EADDRINUSE: somebody answers there; -ENOTSOCK: the file
 * is something else; -ENAMETOOLONG. */
MUST_CHECK int sock_unix_bind(const char *path, uint64_t *inode);
/* sock_unix_remove - the file @path, if it is still the one of @inode, whose descriptor
 * is open or was closed just now. Any thread. */
void sock_unix_remove(const char *path, uint64_t inode);

/* owner: its worker; embedded; lives: as long as the worker that it was given. */
struct sock_unix {
	/* accepted - @fd is non-blocking and the callee's (TAKE). */
	void (*accepted)(struct sock_unix *u, int fd);
	/* private */
	int fd;
	struct watch watch;
	struct timer pause; /* out of descriptors: when it goes on */
	uint64_t said_ns; /* when that was logged */
	char *path;
	uint64_t inode;
};

/* sock_unix_start - in the worker's loop. @fd, @inode: from sock_unix_bind, on @path
 * (copied). */
void sock_unix_start(struct sock_unix *u, struct worker *w, TAKE int fd, uint64_t inode,
    const char *path, void (*accepted)(struct sock_unix *u, int fd));
/* sock_unix_close - in the worker's loop, or later in its ops->stop; the file is removed,
 * if it is still ours. No effect if it isn't open. */
void sock_unix_close(struct sock_unix *u);

#endif
