/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A callback of the loop of ternhttp for events of a file descriptor. Loop: the only
 * thread of ternhttp. */
#ifndef TERN_CLIENT_HTTP_JOB_WATCH_H
#define TERN_CLIENT_HTTP_JOB_WATCH_H

/* A place that an entry of the epoll set points to. Owner: the holder of the descriptor.
 * Life: until the holder removes the entry; no call of `ready` frees a watch. */
struct watch {
	/* ready - the descriptor has the events @events of epoll(7). */
	void (*ready)(struct watch *w, unsigned events);
};

#endif
