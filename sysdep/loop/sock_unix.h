/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control socket. The daemon binds the socket before it has workers, so that a
 * second daemon on the same path is refused at once; a worker then listens on the
 * socket. Loop: any thread binds and removes the file; all further functions run in the
 * worker's loop. */
#ifndef TERN_SYSDEP_LOOP_SOCK_UNIX_H
#define TERN_SYSDEP_LOOP_SOCK_UNIX_H

#include "sysdep/loop/loop.h"
#include "sysdep/os/os_fd.h"

struct stat;

#define SOCK_DEFAULT_GROUP UINT32_MAX
#define SOCK_MODE          0660u

/* The rights of a socket's file. Owner: the caller. Life: on the stack, or by value in
 * the structs of the caller. */
struct sock_rights {
	uint32_t mode;
	/* SOCK_DEFAULT_GROUP: the group of new files of the folder: of the process, or
	 * the folder's if the folder has the set-group-ID bit */
	uint32_t gid;
};

/* sock_unix_bind - listen on @path with @rights (NULL: SOCK_MODE and the own group);
 * replaces a socket that no process answers on. *@inode: inode of the file, for
 * sock_unix_remove. Any thread. Returns: descriptor, or negative errno: -EADDRINUSE: a
 * process answers on @path; -ENOTSOCK: the file is no socket; -ENAMETOOLONG; -EPERM: the
 * process is no member of the group. */
MUST_CHECK struct os_fd sock_unix_bind(
    const char *path, const struct sock_rights *rights, uint64_t *inode);
/* sock_unix_rights - give the file @path of @inode the rights @r. A file of another inode
 * stays as it is. Any thread. Returns: 0, or negative errno: the rights are as before. */
MUST_CHECK int sock_unix_rights(
    const char *path, uint64_t inode, const struct sock_rights *r);
/* sock_unix_stat - the rights of the file @path. Any thread. Returns: false: the file is
 * no socket of @inode. */
bool sock_unix_stat(const char *path, uint64_t inode, struct stat *st);
/* sock_unix_remove - remove the file @path if its inode is still @inode. The descriptor
 * of @inode is open or was closed just now. Any thread. */
void sock_unix_remove(const char *path, uint64_t inode);

/* Owner: its worker. Life: embedded, as long as the worker. */
struct sock_unix {
	/* accepted - @fd is non-blocking and the callee's (TAKE). */
	void (*accepted)(struct sock_unix *u, struct os_fd fd);
	/* private */
	int fd;
	struct watch watch;
	struct timer pause; /* out of descriptors: time of the next accept */
	uint64_t said_ns; /* time of the last log message about the pause */
	char *path;
	uint64_t inode;
};

/* sock_unix_start - in the worker's loop. @fd, @inode: from sock_unix_bind, on @path
 * (copied). */
void sock_unix_start(struct sock_unix *u, struct worker *w, TAKE struct os_fd fd,
    uint64_t inode, const char *path,
    void (*accepted)(struct sock_unix *u, struct os_fd fd));
/* sock_unix_close - in the worker's loop, or later in its ops->stop; the file is removed,
 * if it is still ours. No effect if it isn't open. */
void sock_unix_close(struct sock_unix *u);

#endif
