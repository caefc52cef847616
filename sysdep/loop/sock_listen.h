/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A listening TCP socket that passes each accepted connection to the worker. All calls
 * and callbacks in the worker's loop. */
#ifndef TERN_SYSDEP_LOOP_SOCK_LISTEN_H
#define TERN_SYSDEP_LOOP_SOCK_LISTEN_H

#include "sysdep/loop/loop.h"
#include "sysdep/sock/sock_opt.h"
#include "sysdep/os/os_fd.h"

#define SOCK_BACKLOG 4096

struct sock_ao;

/* Owner: its worker. Life: embedded, as long as the worker. */
struct sock_listen {
	/* accepted - @fd is non-blocking and the callee's (TAKE). The callee may close
	 * the listener, but not free the listener's memory. */
	void (*accepted)(struct sock_listen *l, struct os_fd fd,
	    const struct sock_end *remote, const struct sock_end *local);
	/* private */
	bool open; /* zeros: never opened */
	int fd;
	struct watch watch;
	struct timer pause; /* out of descriptors: time of the next accept */
	uint64_t said_ns; /* time of the last log message about the pause */
};

/* sock_listen_open - @local: address and port (0: any; ask sock_listen_end).
 * Returns: 0 or negative errno. */
MUST_CHECK int sock_listen_open(struct sock_listen *l, struct worker *w,
    const struct sock_end *local, const struct sock_conf *c,
    void (*accepted)(struct sock_listen *l, struct os_fd fd,
	const struct sock_end *remote, const struct sock_end *local));
struct sock_end sock_listen_end(const struct sock_listen *l);
/* sock_listen_md5 - take from peers in @peer only connections that are signed with @key;
 * NULL: again without. Ranges and @ifindex as for sock_md5_set. Returns: 0 or negative
 * errno. */
MUST_CHECK int sock_listen_md5(
    struct sock_listen *l, const struct prefix *peer, uint32_t ifindex, const char *key);
/* sock_listen_ao - the keys of TCP-AO that peers in @peer are to have: @a in place of
 * @old. NULL: none. Returns: 0 or negative errno (sysdep/sock/sock_ao.h). */
MUST_CHECK int sock_listen_ao(struct sock_listen *l, const struct prefix *peer,
    const struct sock_ao *old, const struct sock_ao *a);
/* sock_listen_close - no effect if it isn't open. */
void sock_listen_close(struct sock_listen *l);

/* sock_listen_error - the error number that sock_listen_open has given, as text. */
const char *sock_listen_error(int err);

#endif
