/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What waits for one connection's socket: whole messages, in order, bounded.
 *
 * Shared messages (of the journal) are put as pointers and written by sendmsg, or, where
 * many lie side by side, by sendfile: then a thousand sockets share the pages. What the
 * socket doesn't take stays where it is, held, or is copied. Own messages (KEEPALIVE,
 * End-of-RIB, NOTIFICATION ...) are copied at once and may be queued at any time, behind
 * a message of which a part is already gone too.
 *
 * When the queue is full: bgp_tx_room says 0, the channels stop putting and mark nets
 * dirty. Own messages have BGP_TX_OWN_MAX octets of their own beyond that; if these are
 * used up too, the connection is given up (err is -ENOBUFS). */
#ifndef TERN_PROTO_BGP_BGP_TX_H
#define TERN_PROTO_BGP_BGP_TX_H

#include "lib/mt/spare.h"
#include "sysdep/os/page_file.h"
#include <sys/uio.h>

#define BGP_TX_ROOM    65536 /* shared octets between two flushes */
#define BGP_TX_OWN_MAX 65536

/* owner: its session; lives: bgp_tx_init to bgp_tx_fini. */
struct bgp_tx {
	int fd;
	/* messages that lie in it needn't be copied; NULL: none do */
	const struct page_file *file;
	/* 0, or the negative errno of the first write that failed: all is dropped */
	int err;
	bool blocked; /* the socket took less than it was offered; ask for WATCH_WRITE */
	/* a KEEPALIVE is in the queue: another one would say no more */
	bool keepalive_waits;
	uint64_t octets; /* written so far */
	/* private */
	uint8_t *buf; /* what is owed: copies; NULL: nothing */
	uint32_t head, len, cap;
	uint32_t own; /* of len: own messages since the queue was last empty */
	/* from 1 on: messages elsewhere; since the last flush, or held */
	struct iovec *iov;
	struct bump_block **block; /* in which they lie; NULL: can't be held */
	struct bgp_tx_lists *lent; /* where both lie between put and flush */
	struct spare *spare; /* where lists come from that nobody uses now */
	uint32_t iov_cap, iov_cnt, iov_len;
	uint32_t held; /* so many of the first have a hold on their block */
};

/* @spare: for lists of what is put, which are needed from bgp_tx_put to bgp_tx_flush: of
 * all connections of the daemon. */
void bgp_tx_init(
    struct bgp_tx *tx, int fd, const struct page_file *file, struct spare *spare);
/* bgp_tx_fini - drop what waits. The descriptor stays open. */
void bgp_tx_fini(struct bgp_tx *tx);
/* bgp_tx_own - queue a copy of one message; what was put before goes out before. */
void bgp_tx_own(struct bgp_tx *tx, const void *msg, uint32_t len);
/* bgp_tx_room - octets that may be put before the next flush; 0: something waits for the
 * socket. */
uint32_t bgp_tx_room(const struct bgp_tx *tx);
/* bgp_tx_put - @len octets of whole messages, valid until bgp_tx_flush returns. @block:
 * of a bump, in which they lie; NULL: elsewhere. */
void bgp_tx_put(
    struct bgp_tx *tx, const void *msg, uint32_t len, struct bump_block *block);
/* bgp_tx_flush - write what waits, hold or copy what the socket doesn't take. Nothing put
 * is referred to afterwards without a hold. Returns: octets written. */
uint32_t bgp_tx_flush(struct bgp_tx *tx);

/* bgp_tx_pending - octets that wait. */
static inline uint32_t
bgp_tx_pending(const struct bgp_tx *tx)
{
	return tx->len + tx->iov_len;
}

#endif
