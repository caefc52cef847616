/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages that wait for one connection's socket: whole messages, in order, bounded.
 *
 * Shared messages (of the journal) are queued as pointers and written by sendmsg or, if
 * many messages lie side by side, by sendfile: a thousand sockets then share the pages.
 * Octets that the socket does not accept stay in place and are held, or are copied.
 * Messages of the session (KEEPALIVE, End-of-RIB, NOTIFICATION ...) are copied at once
 * and may be queued at any time, even behind a partly sent message.
 *
 * If the queue is full, bgp_tx_room is 0; the channels stop and mark nets dirty. Messages
 * of the session have BGP_TX_COPY_MAX further octets; if these octets are used up too,
 * the connection is given up (err is -ENOBUFS).
 *
 * Loop: the session's. */
#ifndef TERN_PROTO_BGP_OUT_BGP_TX_H
#define TERN_PROTO_BGP_OUT_BGP_TX_H

#include "lib/mt/spare.h"
#include "sysdep/os/page_file.h"
#include "sysdep/os/os_fd.h"
#include <sys/uio.h>

#define BGP_TX_ROOM     65536 /* shared octets between two flushes */
#define BGP_TX_COPY_MAX 65536

/* Owner: its session. Life: from bgp_tx_init to bgp_tx_fini, embedded in the session. */
struct bgp_tx {
	struct os_fd fd;
	/* messages in this file need no copy; NULL: no such file */
	const struct page_file *file;
	/* 0, or the negative errno of the first failed write: everything was dropped */
	int err;
	/* the socket accepted fewer octets than offered; watch for WATCH_WRITE */
	bool blocked;
	/* a KEEPALIVE is in the queue: another one would say no more */
	bool keepalive_waits;
	uint64_t octets; /* written so far */
	/* private */
	uint8_t *buf; /* what is owed: copies; NULL: nothing */
	uint32_t head, len, cap;
	uint32_t copied; /* of len: own messages since the queue was last empty */
	/* from 1 on: messages elsewhere; since the last flush, or held */
	struct iovec *iov;
	struct bump_block **block; /* in which they lie; NULL: can't be held */
	struct bgp_tx_lists *lent; /* where both lie between put and flush */
	struct spare *spare; /* where lists come from that nobody uses now */
	uint32_t iov_cap, iov_cnt, iov_len;
	uint32_t held; /* so many of the first have a hold on their block */
};

/* bgp_tx_init - @spare: the lists of all connections of the daemon, borrowed from
 * bgp_tx_put to bgp_tx_flush. */
void bgp_tx_init(struct bgp_tx *tx, struct os_fd fd, const struct page_file *file,
    struct spare *spare);
/* bgp_tx_fini - drop the waiting messages. The descriptor stays open. */
void bgp_tx_fini(struct bgp_tx *tx);
/* bgp_tx_copy - queue a copy of one message behind all earlier messages. */
void bgp_tx_copy(struct bgp_tx *tx, const void *msg, uint32_t len);
/* bgp_tx_room - octets that may be put before the next flush; 0: octets wait for the
 * socket. */
uint32_t bgp_tx_room(const struct bgp_tx *tx);
/* bgp_tx_put - queue @len octets of whole messages, valid until bgp_tx_flush returns.
 * @block: the bump block of the octets; NULL: not in a bump. */
void bgp_tx_put(
    struct bgp_tx *tx, const void *msg, uint32_t len, struct bump_block *block);
/* bgp_tx_flush - write the waiting messages, and hold or copy the octets that the socket
 * does not accept. Afterwards the queue refers to put octets only with a hold. Returns:
 * octets written. */
uint32_t bgp_tx_flush(struct bgp_tx *tx);

/* bgp_tx_pending - octets that wait. */
static inline uint32_t
bgp_tx_pending(const struct bgp_tx *tx)
{
	return tx->len + tx->iov_len;
}

#endif
