/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Last words: a connection that the session has given up, until its NOTIFICATION is sent.
 *
 * close() on a socket with unread octets sends a reset, and a reset makes the peer's
 * kernel drop unread octets, including the NOTIFICATION. The waiting octets are therefore
 * written, the sending side is shut, and the peer's octets are read and dropped until the
 * peer closes, for LINGER_NS at most.
 *
 * Bound: LINGER_MAX connections a session; the oldest is closed first.
 *
 * Loop: the session's. Tested by test/unit/test_bgp_session.c and
 * test/net/test_open_close.py. */
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "proto/bgp/out/bgp_tx.h"
#include "proto/bgp/session/bgp_instance.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_io.h"

#define LINGER_NS  NS_PER_S
#define LINGER_MAX 4

struct last_words {
	struct bgp_session *s;
	struct list link; /* of session->lingering, oldest first */
	struct sock_tcp sock;
	struct bgp_tx tx;
	struct timer end;
	bool shut;
};

static void
linger_free(struct last_words *l)
{
	timer_cancel(&l->end);
	sock_tcp_close(&l->sock);
	bgp_tx_fini(&l->tx);
	list_del(&l->link);
	session_soon(l->s); /* the end of the instance may wait for it */
	mem_free(MEM_PROTO, l);
}

/* To be freed from the loop: a callback of the socket must not free it. */
static void
linger_done(struct last_words *l)
{
	sock_tcp_close(&l->sock);
	timer_set(&l->end, 0);
}

static void
linger_end_fires(struct timer *t)
{
	linger_free(container_of(t, struct last_words, end));
}

static void
bgp_linger_push(struct last_words *l)
{
	bgp_tx_flush(&l->tx);
	if (l->tx.err) {
		linger_done(l);
		return;
	}
	if (!bgp_tx_pending(&l->tx) && !l->shut) {
		l->shut = true;
		sock_shut_write(sock_tcp_fd(&l->sock));
	}
	sock_tcp_want(&l->sock, true, l->tx.blocked);
}

static void
linger_drop_input(struct sock_tcp *sock)
{
	struct last_words *l = container_of(sock, struct last_words, sock);
	uint8_t buf[2048];
	ssize_t n = 0;

	for (int i = 0; i < 16 && (n = sock_tcp_read(sock, buf, sizeof(buf))) > 0; i++)
		;
	if (n < 0)
		linger_done(l);
}

static void
linger_may_write(struct sock_tcp *sock)
{
	bgp_linger_push(container_of(sock, struct last_words, sock));
}

static void
bgp_linger_broke(struct sock_tcp *sock, int err)
{
	(void)err;
	linger_done(container_of(sock, struct last_words, sock));
}

static const struct sock_tcp_ops linger_ops = {
	.readable = linger_drop_input,
	.writable = linger_may_write,
	.failed = bgp_linger_broke,
};

void
linger_start(struct bgp_session *s, struct os_fd fd, struct bgp_tx *tx)
{
	struct last_words *l = mem_zalloc(MEM_PROTO, sizeof(*l));
	struct list *n;
	unsigned cnt = 0;

	list_for_each (n, &s->lingering)
		cnt++;
	if (cnt >= LINGER_MAX)
		linger_free(container_of(s->lingering.next, struct last_words, link));
	l->s = s;
	sock_tcp_init(&l->sock, &s->p.worker, &linger_ops);
	sock_tcp_adopt(&l->sock, fd);
	l->tx = *tx;
	l->tx.fd = fd;
	bgp_tx_init(tx, OS_FD_NONE, NULL, NULL);
	timer_init(&l->end, &s->p.worker, linger_end_fires);
	timer_set(&l->end, loop_now_ns(&s->p.worker) + LINGER_NS);
	list_add_tail(&s->lingering, &l->link);
	bgp_linger_push(l);
}
