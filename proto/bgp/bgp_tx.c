/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The send queue of one connection.
 *
 * I1  The order on the socket is that of the calls: buf before iov, and bgp_tx_own
 *     moves iov to buf before it appends.
 * I2  iov is empty after bgp_tx_flush and after bgp_tx_own: nothing borrowed outlives
 *     them.
 * I3  buf holds at most BGP_TX_ROOM octets of shared messages and BGP_TX_OWN_MAX own
 *     ones: bgp_tx_room is 0 while buf holds any, so that shared octets come from one
 *     flush.
 * I4  After an error everything is dropped at once; the session hears of it by err.
 *
 * Loop: the session's. */
#include "proto/bgp/bgp_tx.h"
#include <errno.h>
#include <sys/socket.h>

#define IOV_CNT 512

void
bgp_tx_init(struct bgp_tx *tx, int fd)
{
	*tx = (struct bgp_tx){ .fd = fd };
}

static void
drop_all(struct bgp_tx *tx)
{
	mem_free(MEM_PROTO, tx->buf);
	mem_free(MEM_PROTO, tx->iov);
	tx->buf = NULL;
	tx->iov = NULL;
	tx->head = tx->len = tx->cap = tx->own = 0;
	tx->iov_cnt = tx->iov_len = 0;
	tx->keepalive_waits = false;
}

void
bgp_tx_fini(struct bgp_tx *tx)
{
	drop_all(tx);
	tx->fd = -1;
}

static void
fail(struct bgp_tx *tx, int err)
{
	if (!tx->err)
		tx->err = err;
	drop_all(tx);
}

/* append - to the copies. */
static void
append(struct bgp_tx *tx, const uint8_t *p, uint32_t len)
{
	if (tx->head + tx->len + len > tx->cap) {
		uint32_t cap = tx->cap ? tx->cap : 128;
		uint8_t *buf;

		while (cap < tx->len + len)
			cap *= 2;
		buf = mem_alloc(MEM_PROTO, cap);
		if (tx->len)
			memcpy(buf, tx->buf + tx->head, tx->len);
		mem_free(MEM_PROTO, tx->buf);
		tx->buf = buf;
		tx->cap = cap;
		tx->head = 0;
	}
	memcpy(tx->buf + tx->head + tx->len, p, len);
	tx->len += len;
}

/* keep_rest - copy what of iov is not yet written, @done octets are. */
static void
keep_rest(struct bgp_tx *tx, uint32_t done)
{
	for (uint32_t i = 1; i <= tx->iov_cnt; i++) {
		const uint8_t *p = tx->iov[i].iov_base;
		uint32_t len = (uint32_t)tx->iov[i].iov_len;

		if (done >= len) {
			done -= len;
			continue;
		}
		append(tx, p + done, len - done);
		done = 0;
	}
	mem_free(MEM_PROTO, tx->iov);
	tx->iov = NULL;
	tx->iov_cnt = tx->iov_len = 0;
}

/* consumed - the first @n octets of buf are out. */
static void
consumed(struct bgp_tx *tx, uint32_t n)
{
	tx->head += n;
	tx->len -= n;
	if (tx->len)
		return;
	mem_free(MEM_PROTO, tx->buf); /* an idle session holds none */
	tx->buf = NULL;
	tx->head = tx->cap = tx->own = 0;
	tx->keepalive_waits = false;
}

uint32_t
bgp_tx_flush(struct bgp_tx *tx)
{
	struct iovec one, *iov = tx->iov ? tx->iov : &one;
	struct msghdr mh = { .msg_iov = iov + 1, .msg_iovlen = tx->iov_cnt };
	uint32_t from_buf;
	ssize_t n;

	if (tx->err || !bgp_tx_pending(tx))
		return 0;
	if (tx->len) { /* iov[0] is kept free for it */
		iov[0] = (struct iovec){ tx->buf + tx->head, tx->len };
		mh.msg_iov = iov;
		mh.msg_iovlen++;
	}
	do {
		n = sendmsg(tx->fd, &mh, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
		fail(tx, -errno);
		return 0;
	}
	if (n < 0)
		n = 0;
	tx->blocked = (uint32_t)n < bgp_tx_pending(tx);
	tx->octets += (uint64_t)n;
	from_buf = (uint32_t)min_u64((uint64_t)n, tx->len);
	if (from_buf)
		consumed(tx, from_buf);
	keep_rest(tx, (uint32_t)n - from_buf);
	return (uint32_t)n;
}

void
bgp_tx_own(struct bgp_tx *tx, const void *msg, uint32_t len)
{
	if (tx->iov_cnt)
		bgp_tx_flush(tx);
	if (tx->err)
		return;
	if (tx->own + len > BGP_TX_OWN_MAX) {
		fail(tx, -ENOBUFS);
		return;
	}
	tx->own += len;
	append(tx, msg, len);
}

uint32_t
bgp_tx_room(const struct bgp_tx *tx)
{
	if (tx->err || tx->len || tx->iov_len >= BGP_TX_ROOM)
		return 0;
	return BGP_TX_ROOM - tx->iov_len;
}

void
bgp_tx_put(struct bgp_tx *tx, const void *msg, uint32_t len)
{
	struct iovec *last = tx->iov_cnt ? &tx->iov[tx->iov_cnt] : NULL;

	if (tx->err || !len)
		return;
	/* Messages that were made together lie side by side. */
	if (last && (const uint8_t *)last->iov_base + last->iov_len == msg) {
		last->iov_len += len;
		tx->iov_len += len;
		return;
	}
	if (tx->iov_cnt == IOV_CNT)
		bgp_tx_flush(tx);
	if (tx->err)
		return;
	if (!tx->iov)
		tx->iov = mem_alloc(MEM_PROTO, (1 + IOV_CNT) * sizeof(*tx->iov));
	tx->iov[++tx->iov_cnt] = (struct iovec){ (void *)(uintptr_t)msg, len };
	tx->iov_len += len;
}
