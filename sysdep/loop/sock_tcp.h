/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A TCP stream of a worker: connecting or connected, never blocking, without buffers. All
 * calls and callbacks in the worker's loop. A callback may close the stream and open the
 * stream again, but not free the memory of @s. */
#ifndef TERN_SYSDEP_LOOP_SOCK_TCP_H
#define TERN_SYSDEP_LOOP_SOCK_TCP_H

#include "sysdep/loop/loop.h"
#include "sysdep/sock/sock_opt.h"
#include "sysdep/os/os_fd.h"
#include <sys/uio.h>

struct sock_ao;
struct sock_tcp;

/* Callbacks of a stream. Owner: the user of the stream, as a constant. Life: static,
 * never freed. */
struct sock_tcp_ops {
	/* connected - the end of sock_tcp_connect. @err: 0, or negative errno; then it is
	 * closed. */
	void (*connected)(struct sock_tcp *s, int err);
	/* readable - octets, the end or an error can be read; only while reading is
	 * wanted. */
	void (*readable)(struct sock_tcp *s);
	/* writable - the socket has room again; only while writing is wanted. */
	void (*writable)(struct sock_tcp *s);
	/* failed - the connection broke while neither read nor write was wanted. Called
	 * once; the stream is not closed. */
	void (*failed)(struct sock_tcp *s, int err);
};

/* Owner: its worker. Life: embedded, as long as the worker. */
struct sock_tcp {
	/* private */
	/* -1: closed. worker_stop removes the descriptor from the loop, the owner closes
	 * the descriptor */
	int fd;
	struct watch watch;
	const struct sock_tcp_ops *ops;
	struct worker *worker;
	bool connecting;
	/* counts openings, to detect that a callback has reopened the stream */
	uint32_t life;
};

/* The parameters of a connection. Owner: the caller. Life: on the stack; the pointers are
 * borrowed. */
struct sock_tcp_dial {
	struct sock_end local; /* address ip4(0) or IP_NONE: any; port 0: any */
	struct sock_end remote;
	struct sock_conf conf;
	const char *md5_key; /* of veil_text; NULL: none */
	const struct sock_ao *ao; /* NULL: none */
};

void sock_tcp_init(struct sock_tcp *s, struct worker *w, const struct sock_tcp_ops *ops);
/* sock_tcp_connect - begin to connect; ops->connected reports the result, never before
 * this function returns. Returns: 0, or negative errno: no connection was begun. */
MUST_CHECK int sock_tcp_connect(struct sock_tcp *s, const struct sock_tcp_dial *d);
/* sock_tcp_adopt - take over the connected, non-blocking @fd; neither read nor write is
 * wanted yet. */
void sock_tcp_adopt(struct sock_tcp *s, TAKE struct os_fd fd);
bool sock_tcp_is_open(const struct sock_tcp *s); /* also while it connects */

/* sock_tcp_want - choose which of readable and writable are called from now on. */
void sock_tcp_want(struct sock_tcp *s, bool read, bool write);
/* sock_tcp_read - Returns: octets put into @buf; 0: none now; -EPIPE: the peer has closed
 * its side; another negative errno: the connection is broken. */
MUST_CHECK ssize_t sock_tcp_read(struct sock_tcp *s, void *buf, size_t len);
/* sock_tcp_unread - octets that wait in the kernel to be read. */
uint32_t sock_tcp_unread(const struct sock_tcp *s);
/* sock_tcp_fd - for options and addresses (sock_apply, sock_local_end ...). OS_FD_NONE if
 * closed. */
struct os_fd sock_tcp_fd(const struct sock_tcp *s);
/* sock_tcp_close - what is in the kernel is still sent. No effect if closed. */
void sock_tcp_close(struct sock_tcp *s);

#endif
