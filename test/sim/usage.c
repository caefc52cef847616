/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The resources that a daemon uses, for the bridge: memory, threads and descriptors. */
#include "test/sim/sim.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

void
sim_usage(unsigned daemon, uint64_t out[3])
{
	out[0] = sim_daemon_memory(daemon);
	out[1] = out[2] = 0;
	for (unsigned i = 0; sim_task_next(daemon, &i);)
		out[1]++;
	for (int fd = -1; (fd = sim_fd_next(daemon, fd)) >= 0;)
		out[2]++;
}

size_t
sim_threads_show(unsigned daemon, char *out, size_t room)
{
	const struct sim_task *t;
	unsigned i = 0;
	size_t at = 0;

	while (at + 64 < room && (t = sim_task_next(daemon, &i)))
		at += (size_t)snprintf(out + at, room - at, "%u %u %s\n", sim_task_nr(t),
		    sim_task_sleeps(t), sim_task_name_of(t));
	return at;
}

/* listener_show - " at ADDRESS PORT" of a TCP socket that listens, or nothing. */
static size_t
listener_show(int fd, char *out, size_t room)
{
	struct sockaddr_storage ss;
	const struct sockaddr_in *v4 = (const void *)&ss;
	const struct sockaddr_in6 *v6 = (const void *)&ss;
	socklen_t len = sizeof(int);
	char text[64];
	int listens = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) || !listens)
		return 0;
	len = sizeof(ss);
	if (getsockname(fd, (void *)&ss, &len) ||
	    (ss.ss_family != AF_INET && ss.ss_family != AF_INET6))
		return 0;
	inet_ntop(ss.ss_family,
	    ss.ss_family == AF_INET ? (const void *)&v4->sin_addr : &v6->sin6_addr, text,
	    sizeof(text));
	return (size_t)snprintf(out, room, " at %s %u", text,
	    ntohs(ss.ss_family == AF_INET ? v4->sin_port : v6->sin6_port));
}

/* file_show - the kind of a descriptor of the world, or the path of a real file. */
static size_t
file_show(int fd, char *out, size_t room)
{
	const struct sim_file *f = sim_fd_get(fd);
	char path[64];
	ssize_t n;

	if (f)
		return (size_t)snprintf(out, room, "%s", f->ops->name);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, out, room);
	return n < 0 ? 0 : (size_t)n;
}

size_t
sim_files_show(unsigned daemon, char *out, size_t room)
{
	size_t at = 0;

	for (int fd = -1; (fd = sim_fd_next(daemon, fd)) >= 0 && at + 256 < room;) {
		at += file_show(fd, out + at, 160);
		at += listener_show(fd, out + at, 90);
		out[at++] = '\n';
	}
	return at;
}
