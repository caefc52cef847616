/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The send queue of one connection.
 *
 * I1  The order on the socket is the order of the calls: buf before iov, and bgp_tx_copy
 *     moves iov to buf before it appends.
 * I2  After bgp_tx_flush iov is empty, or all its messages are held; after bgp_tx_copy
 *     iov is empty: no borrowed octets outlive the call.
 * I3  At most BGP_TX_ROOM octets of shared messages wait, in at most HOLD_BLOCKS blocks
 *     or in buf, and at most BGP_TX_COPY_MAX octets of other messages. bgp_tx_room is 0
 *     while octets wait, so shared octets belong to one flush.
 * I4  An error drops everything at once; the session learns of the error from `err`.
 *
 * Loop: the session's. */
#include "proto/bgp/out/bgp_tx.h"
#include "lib/mem/mem.h"
#include "lib/mt/bump.h"
#include "sysdep/sock/sock_io.h"
#include <errno.h>

#define IOV_CNT 512
/* Octets side by side from which on sendfile is cheaper than a copy. The call has a price
 * of its own: measured with 100 sockets in step, copies that stay in the cache win below
 * 16 kB; where peers lag and copies go to cold memory, they lose from 2 kB on. */
#define SENDFILE_MIN 8192
/* Blocks that waiting messages may hold: sessions that lag hold the same blocks, while a
 * copy belongs to one session. Messages in more blocks are copied. */
#define HOLD_BLOCKS 4

/* The lists of one flush. A session needs the lists for microseconds and borrows the
 * lists. */
struct bgp_tx_lists {
	struct iovec iov[1 + IOV_CNT];
	struct bump_block *block[1 + IOV_CNT];
};

void
bgp_tx_init(
    struct bgp_tx *tx, struct os_fd fd, const struct page_file *file, struct spare *spare)
{
	*tx = (struct bgp_tx){ .fd = fd, .file = file, .spare = spare };
}

/* tx_use_lists - change the place of iov and block; the contents are not moved. */
static void
tx_use_lists(
    struct bgp_tx *tx, struct iovec *iov, struct bump_block **block, uint32_t cap)
{
	if (tx->lent) {
		spare_give_back(tx->spare, MEM_PROTO, tx->lent);
		tx->lent = NULL;
	} else {
		mem_free(MEM_PROTO, tx->iov);
		mem_free(MEM_PROTO, tx->block);
	}
	tx->iov = iov;
	tx->block = block;
	tx->iov_cap = cap;
}

/* tx_drop_iov - nothing of it waits any more. */
static void
tx_drop_iov(struct bgp_tx *tx)
{
	for (uint32_t i = 1; i <= tx->held; i++)
		bump_put(tx->block[i]);
	tx_use_lists(tx, NULL, NULL, 0);
	tx->iov_cnt = tx->iov_len = tx->held = 0;
}

static void
tx_drop_all(struct bgp_tx *tx)
{
	mem_free(MEM_PROTO, tx->buf);
	tx->buf = NULL;
	tx->head = tx->len = tx->cap = tx->copied = 0;
	tx->keepalive_waits = false;
	tx_drop_iov(tx);
}

void
bgp_tx_fini(struct bgp_tx *tx)
{
	tx_drop_all(tx);
	tx->fd = OS_FD_NONE;
}

static void
bgp_tx_fail(struct bgp_tx *tx, int err)
{
	if (!tx->err)
		tx->err = err;
	tx_drop_all(tx);
}

/* bgp_tx_append - to the copies. */
static void
bgp_tx_append(struct bgp_tx *tx, const uint8_t *p, uint32_t len)
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

/* bgp_tx_advance - the first @done octets of iov are out. */
static void
bgp_tx_advance(struct bgp_tx *tx, uint32_t done)
{
	uint32_t gone = 0, held;

	tx->iov_len -= done;
	while (gone < tx->iov_cnt && done >= tx->iov[gone + 1].iov_len)
		done -= (uint32_t)tx->iov[++gone].iov_len;
	held = (uint32_t)min_u64(gone, tx->held);
	for (uint32_t i = 1; i <= held; i++)
		bump_put(tx->block[i]);
	tx->held -= held;
	tx->iov_cnt -= gone;
	if (!tx->iov_cnt) {
		tx_drop_iov(tx);
		return;
	}
	memmove(&tx->iov[1], &tx->iov[1 + gone], tx->iov_cnt * sizeof(tx->iov[0]));
	memmove(&tx->block[1], &tx->block[1 + gone], tx->iov_cnt * sizeof(tx->block[0]));
	tx->iov[1].iov_base = (uint8_t *)tx->iov[1].iov_base + done;
	tx->iov[1].iov_len -= done;
}

/* tx_copy_rest - all of iov to the copies. */
static void
tx_copy_rest(struct bgp_tx *tx)
{
	for (uint32_t i = 1; i <= tx->iov_cnt; i++)
		bgp_tx_append(tx, tx->iov[i].iov_base, (uint32_t)tx->iov[i].iov_len);
	tx_drop_iov(tx);
}

static void
tx_move_parts(const struct bgp_tx *tx, struct iovec *iov, struct bump_block **block)
{
	if (!tx->iov_cnt)
		return;
	memcpy(&iov[1], &tx->iov[1], tx->iov_cnt * sizeof(*iov));
	memcpy(&block[1], &tx->block[1], tx->iov_cnt * sizeof(struct bump_block *));
}

/* tx_borrow_lists - for as many parts as a flush may have. */
static void
tx_borrow_lists(struct bgp_tx *tx)
{
	struct bgp_tx_lists *l = spare_borrow(tx->spare, MEM_PROTO, sizeof(*l));

	tx_move_parts(tx, l->iov, l->block);
	tx_use_lists(tx, l->iov, l->block, IOV_CNT);
	tx->lent = l;
}

/* bgp_tx_lists_shrink - what is left may wait for long: lists just large enough, which
 * stay. */
static void
bgp_tx_lists_shrink(struct bgp_tx *tx)
{
	uint32_t cnt = tx->iov_cnt;
	struct iovec *iov = mem_alloc(MEM_PROTO, (1 + cnt) * sizeof(*iov));
	struct bump_block **block = mem_alloc(
	    MEM_PROTO, (1 + cnt) * sizeof(struct bump_block *));

	tx_move_parts(tx, iov, block);
	tx_use_lists(tx, iov, block, cnt);
}

/* tx_may_hold - do the rest's octets lie in blocks that can be held, and few? */
static bool
tx_may_hold(const struct bgp_tx *tx)
{
	unsigned blocks = 1;

	for (uint32_t i = 1; i <= tx->iov_cnt; i++) {
		if (!tx->block[i])
			return false;
		blocks += i > 1 && tx->block[i] != tx->block[i - 1];
	}
	return blocks <= HOLD_BLOCKS;
}

/* tx_keep_rest - keep the rest of iov, by holding the blocks or by a copy. */
static void
tx_keep_rest(struct bgp_tx *tx)
{
	if (!tx->iov_cnt)
		return;
	if (!tx_may_hold(tx)) {
		tx_copy_rest(tx);
		return;
	}
	while (tx->held < tx->iov_cnt)
		bump_hold(tx->block[++tx->held]);
	if (tx->lent)
		bgp_tx_lists_shrink(tx);
}

/* bgp_tx_consumed - the first @n octets of buf are out. */
static void
bgp_tx_consumed(struct bgp_tx *tx, uint32_t n)
{
	tx->head += n;
	tx->len -= n;
	if (tx->len)
		return;
	mem_free(MEM_PROTO, tx->buf); /* an idle session has no buffer */
	tx->buf = NULL;
	tx->head = tx->cap = tx->copied = 0;
	tx->keepalive_waits = false;
}

/* tx_by_file - is this part to be sent without a copy? */
static bool
tx_by_file(const struct bgp_tx *tx, const struct iovec *part)
{
	return part->iov_len >= SENDFILE_MIN && page_file_has(tx->file, part->iov_base);
}

/* tx_write_parts - buf, then iov, as far as the socket takes them. Returns: octets
 * written, or a negative errno. */
static ssize_t
tx_write_parts(struct bgp_tx *tx)
{
	struct iovec one, *iov = tx->iov ? tx->iov : &one;
	uint32_t i = tx->len ? 0 : 1, end = tx->iov_cnt + 1;
	ssize_t done = 0, n;

	iov[0] = (struct iovec){ tx->buf ? tx->buf + tx->head : NULL, tx->len };
	while (i < end) {
		uint32_t first = i;
		size_t want = iov[i].iov_len;

		if (tx_by_file(tx, &iov[i++])) {
			n = page_file_send(tx->file, tx->fd, iov[first].iov_base, want);
		} else {
			for (; i < end && !tx_by_file(tx, &iov[i]); i++)
				want += iov[i].iov_len;
			n = sock_sendv(tx->fd, &iov[first], i - first, i < end);
		}
		if (n < 0)
			return n;
		done += n;
		if ((size_t)n < want)
			break;
	}
	return done;
}

uint32_t
bgp_tx_flush(struct bgp_tx *tx)
{
	uint32_t from_buf;
	ssize_t n;

	if (tx->err || !bgp_tx_pending(tx))
		return 0;
	n = tx_write_parts(tx);
	if (n < 0) {
		bgp_tx_fail(tx, (int)n);
		return 0;
	}
	tx->blocked = (uint32_t)n < bgp_tx_pending(tx);
	tx->octets += (uint64_t)n;
	from_buf = (uint32_t)min_u64((uint64_t)n, tx->len);
	if (from_buf)
		bgp_tx_consumed(tx, from_buf);
	if (tx->iov_cnt)
		bgp_tx_advance(tx, (uint32_t)n - from_buf);
	tx_keep_rest(tx);
	return (uint32_t)n;
}

void
bgp_tx_copy(struct bgp_tx *tx, const void *msg, uint32_t len)
{
	/* What is held waits for the socket: whoever asked for that tries again, and sees
	 * whether `blocked` changes. */
	if (tx->iov_cnt && !tx->held)
		bgp_tx_flush(tx);
	if (tx->err)
		return;
	tx_copy_rest(tx); /* I1 */
	if (tx->copied + len > BGP_TX_COPY_MAX) {
		bgp_tx_fail(tx, -ENOBUFS);
		return;
	}
	tx->copied += len;
	bgp_tx_append(tx, msg, len);
}

uint32_t
bgp_tx_room(const struct bgp_tx *tx)
{
	if (tx->err || tx->len || tx->held || tx->iov_len >= BGP_TX_ROOM)
		return 0;
	return BGP_TX_ROOM - tx->iov_len;
}

void
bgp_tx_put(struct bgp_tx *tx, const void *msg, uint32_t len, struct bump_block *block)
{
	uint32_t i = tx->iov_cnt;

	if (tx->err || !len)
		return;
	/* Messages that were made together lie side by side. */
	if (i && tx->block[i] == block &&
	    (const uint8_t *)tx->iov[i].iov_base + tx->iov[i].iov_len == msg) {
		tx->iov[i].iov_len += len;
		tx->iov_len += len;
		return;
	}
	if (i == IOV_CNT) {
		bgp_tx_flush(tx);
		if (tx->iov_cnt == IOV_CNT)
			tx_copy_rest(tx);
	}
	if (tx->err)
		return;
	if (tx->iov_cnt == tx->iov_cap)
		tx_borrow_lists(tx);
	i = ++tx->iov_cnt;
	tx->iov[i] = (struct iovec){ (void *)(uintptr_t)msg, len };
	tx->block[i] = block;
	tx->iov_len += len;
}
