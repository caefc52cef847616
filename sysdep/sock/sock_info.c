/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts that the kernel knows of a socket. No state. Loop: any thread that owns the
 * descriptor. Tested by test/unit/test_sock_io.c. */
#include "sysdep/sock/sock_info.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static int
info_get_int(int fd, int option)
{
	int v = 0;
	socklen_t len = sizeof(v);

	return getsockopt(fd, SOL_SOCKET, option, &v, &len) ? -1 : v;
}

static void
sock_info_name_of(struct sock_name *to, const struct sockaddr_storage *a, socklen_t len)
{
	const struct sockaddr_un *un = (const void *)a;
	size_t head = offsetof(struct sockaddr_un, sun_path);

	if (a->ss_family == AF_INET || a->ss_family == AF_INET6) {
		to->kind = SOCK_NAME_IP;
		to->end = sock_to_end(a);
	} else if (a->ss_family == AF_UNIX && len > head) {
		to->kind = SOCK_NAME_PATH;
		snprintf(
		    to->path, sizeof(to->path), "%.*s", (int)(len - head), un->sun_path);
	}
}

bool
sock_info_get(int fd, struct sock_info *out)
{
	static const char *const type[] = { [SOCK_STREAM] = "stream",
		[SOCK_DGRAM] = "datagram",
		[SOCK_RAW] = "raw",
		[SOCK_SEQPACKET] = "packets" };
	int kind = info_get_int(fd, SO_TYPE);
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);

	if (kind < 0)
		return false;
	*out = (struct sock_info){ .type = (size_t)kind < ARRAY_LEN(type) && type[kind]
					       ? type[kind]
					       : "other",
		.stream = kind == SOCK_STREAM,
		.listens = info_get_int(fd, SO_ACCEPTCONN) > 0,
		.in = -1,
		.out = -1 };
	if (!getsockname(fd, (struct sockaddr *)&a, &len))
		sock_info_name_of(&out->local, &a, len);
	len = sizeof(a);
	if (!getpeername(fd, (struct sockaddr *)&a, &len))
		sock_info_name_of(&out->remote, &a, len);
	if (!out->listens &&
	    (ioctl(fd, FIONREAD, &out->in) || ioctl(fd, TIOCOUTQ, &out->out)))
		out->in = out->out = -1;
	return true;
}

bool
sock_info_peer(struct os_fd fd, struct sock_peer *out)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd.os_nr, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return false;
	*out = (struct sock_peer){ cred.uid, cred.pid };
	return true;
}

bool
sock_info_peer_may(struct os_fd fd, const struct stat *st)
{
	gid_t group[SOCK_GROUPS_MAX];
	struct ucred cred;
	socklen_t len = sizeof(cred);
	bool member;

	if (getsockopt(fd.os_nr, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return false;
	if (!cred.uid)
		return true;
	if (cred.uid == st->st_uid)
		return st->st_mode & S_IWUSR;
	member = cred.gid == st->st_gid;
	len = sizeof(group);
	if (!member && !getsockopt(fd.os_nr, SOL_SOCKET, SO_PEERGROUPS, group, &len))
		for (size_t i = 0; i < len / sizeof(*group); i++)
			member |= group[i] == st->st_gid;
	return st->st_mode & (member ? S_IWGRP : S_IWOTH);
}
