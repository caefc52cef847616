/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sending half of a connection: the send queue, its progress, and the wish for events
 * of the socket. The files that send (bgp_chan.c, bgp_refreshes.c, bgp_notice.c) use this
 * file. This file calls no other file of the session.
 *
 * I1  An error during writing is reported from the loop (session_soon): a channel may be
 *     writing.
 *
 * Loop: the session's. Tested by test/unit/test_bgp_session.c. */
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "proto/bgp/out/bgp_tx.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"

bool
conn_has_socket(const struct bgp_conn *c)
{
	return sock_tcp_is_open(&c->sock);
}

bool
conn_unread(const struct bgp_conn *c)
{
	return c->paused || sock_tcp_unread(&c->sock);
}

void
conn_want(struct bgp_conn *c)
{
	if (conn_has_socket(c) && c->state >= BGP_OPENSENT)
		sock_tcp_want(
		    &c->sock, !c->paused && !c->eof && !conn_deaf(c), c->tx.blocked);
}

/* tx_notify_channels - the socket took octets at @now_ns. */
static void
tx_notify_channels(struct bgp_session *s, uint64_t now_ns)
{
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->chan[f])
			counter64_set(&channel_stats(s->chan[f])->last_tx_ns, now_ns);
}

void
conn_progress(struct bgp_conn *c)
{
	uint32_t limit_s = c->terms.send_hold_s;

	c->timer.progress_ns = loop_now_ns(&c->s->p.worker);
	if (limit_s && c->s->est == c)
		counter64_set(
		    &c->s->shown.send_hold_ns, c->timer.progress_ns + limit_s * NS_PER_S);
}

/* bgp_conn_tx_flush - @was_blocked: before anything was put or written that ends here. */
static void
bgp_conn_tx_flush(struct bgp_conn *c, bool was_blocked)
{
	if (!conn_has_socket(c))
		return;
	if (bgp_tx_flush(&c->tx)) {
		conn_progress(c);
		if (c->s->est == c)
			tx_notify_channels(c->s, c->timer.progress_ns);
	}
	if (c->tx.err)
		session_soon(c->s);
	else
		conn_want(c);
	/* The channels may put more messages. If a message of the session, such as a
	 * keepalive, finds room first, no event would notify the channels, because
	 * `writable` is no longer wanted. */
	if (was_blocked && !c->tx.blocked && c->s->est == c)
		worker_again(&c->s->p.worker);
}

void
conn_flush(struct bgp_conn *c)
{
	bgp_conn_tx_flush(c, c->tx.blocked);
}

void
bgp_conn_send(struct bgp_conn *c, const void *msg, uint32_t len)
{
	bool was_blocked = c->tx.blocked;

	if (!bgp_tx_pending(&c->tx))
		conn_progress(c);
	bgp_tx_copy(&c->tx, msg, len);
	bgp_conn_tx_flush(c, was_blocked);
}
