/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's description of a descriptor that may be a socket, for people. Owner: the
 * caller. Life: on the stack. Loop: any thread that owns the descriptor. */
#ifndef TERN_SYSDEP_SOCK_SOCK_INFO_H
#define TERN_SYSDEP_SOCK_SOCK_INFO_H

#include "lib/base/check.h"
#include "sysdep/sock/sock_opt.h"
#include "sysdep/os/os_fd.h"

#define SOCK_GROUPS_MAX 1024

struct stat;

enum sock_name_kind { SOCK_NAME_NONE, SOCK_NAME_IP, SOCK_NAME_PATH };

/* A text for one end of a socket. Owner: the caller; by value: nothing to free. */
struct sock_name {
	enum sock_name_kind kind;
	struct sock_end end; /* SOCK_NAME_IP */
	char path[112]; /* SOCK_NAME_PATH */
};

/* The description of a descriptor. Owner: the caller; by value: nothing to free. */
struct sock_info {
	const char *type; /* "stream", "datagram", "raw", "packets", "other" */
	bool stream, listens;
	struct sock_name local, remote;
	int in, out; /* octets to be read and to be sent; -1: not known */
};

/* sock_info_get - describe descriptor @nr, which may be any number and may be closed or
 * reused at any time. Any thread. Returns: false: @nr is no socket. */
bool sock_info_get(int nr, struct sock_info *out);

/* The process at the other end of a local socket, as it connected (unix(7),
 * SO_PEERCRED). */
struct sock_peer {
	uint32_t uid;
	int pid;
};

/* sock_info_peer - of the connected local socket @fd. Any thread. Returns: false: the
 * kernel does not know the process. */
bool sock_info_peer(struct os_fd fd, struct sock_peer *out);

/* sock_info_peer_may - may the process that has connected @fd, a Unix socket, connect to
 * the socket's file with the rights @st? The user and the groups are those of the
 * connect, at most SOCK_GROUPS_MAX further groups; root always may. Any thread. */
bool sock_info_peer_may(struct os_fd fd, const struct stat *st);

#endif
