/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write changes to the kernel's routes (krt_batch.h).
 *
 * The kernel answers only failed messages, with the sequence number of the message.
 * Answers are short (NETLINK_CAP_ACK) and lie in the socket's buffer when the write
 * returns. Tested by test/net/test_kernel.py.
 *
 * Loop: the instance's. */
#include "proto/kernel/krt_batch.h"

#include "lib/base/wrap.h"
#include "lib/mem/mem.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/rtnl.h"
#include "sysdep/os/fd.h"
#include "sysdep/sock/netlink.h"
#include "sysdep/sock/sock_opt.h"

#include <errno.h>
#include <linux/netlink.h>

#define ANSWER_OCTETS 32768
#define RX_BUFFER     (4 << 20) /* KRT_BATCH_MAX answers, by the kernel's accounting */

/* batch_open_socket - Returns: 0 or negative errno. */
static int
batch_open_socket(struct krt_batch *b)
{
	struct netlink_conf c = { .rx_buffer = b->rx_buffer ? b->rx_buffer : RX_BUFFER,
		.short_errors = true };
	struct os_fd fd = netlink_new(&c);

	if (!os_fd_is_open(fd))
		return os_fd_error(fd);
	b->fd = fd;
	b->mark = sock_mark(fd);
	return 0;
}

/* krt_batch_is_ours - true: the socket is open. If foreign code closed the socket, the
 * descriptor may name another file; then forget the descriptor. */
static bool
krt_batch_is_ours(struct krt_batch *b)
{
	if (os_fd_is_open(b->fd) && sock_mark(b->fd) != b->mark)
		b->fd = OS_FD_NONE;
	return os_fd_is_open(b->fd);
}

int
krt_batch_open(
    struct krt_batch *b, uint32_t rx_buffer, const struct krt_batch_ops *ops, void *arg)
{
	b->fd = OS_FD_NONE;
	b->rx_buffer = rx_buffer;
	b->w = wbuf_of(mem_alloc(MEM_PROTO, KRT_BATCH_OCTETS), KRT_BATCH_OCTETS);
	b->answers = mem_alloc(MEM_PROTO, ANSWER_OCTETS);
	b->item = mem_alloc(MEM_PROTO, KRT_BATCH_MAX * sizeof(*b->item));
	b->cnt = 0;
	b->first_seq = (uint32_t)wrap_start(1, 32);
	b->ops = ops;
	b->arg = arg;
	return batch_open_socket(b);
}

void
krt_batch_close(struct krt_batch *b)
{
	if (!b->w.start)
		return;
	if (krt_batch_is_ours(b))
		fd_close(b->fd);
	mem_free(MEM_PROTO, b->w.start);
	mem_free(MEM_PROTO, b->answers);
	mem_free(MEM_PROTO, b->item);
	*b = (struct krt_batch){ .fd = OS_FD_NONE };
}

/* batch_read_answers - read the answers to the last write. */
static void
batch_read_answers(struct krt_batch *b)
{
	struct rtnl_msg m;

	for (;;) {
		ssize_t len = netlink_recv(b->fd, b->answers, ANSWER_OCTETS);
		struct rbuf r = rbuf_of(b->answers, len > 0 ? (size_t)len : 0);

		if (len == -ENOBUFS)
			b->ops->lost(b->arg, -ENOBUFS);
		else if (len <= 0)
			return;
		while (rtnl_next(&r, &m) != RTNL_END)
			if (m.kind == RTNL_DONE && m.error &&
			    m.seq - b->first_seq < b->cnt)
				b->ops->failed(
				    b->arg, &b->item[m.seq - b->first_seq], m.error);
	}
}

/* batch_first_half - length of about half of the messages in @len octets; @len for one
 * message. */
static size_t
batch_first_half(const uint8_t *at, size_t len)
{
	size_t pos = 0;

	do {
		struct nlmsghdr h;

		memcpy(&h, at + pos, sizeof(h));
		pos += NLMSG_ALIGN(h.nlmsg_len);
	} while (pos < len / 2);
	return pos < len ? pos : len;
}

/* batch_write_all - write all messages; in halves, down to single messages, while the
 * kernel has no room for the whole. Returns: 0, or negative errno of an unwritten
 * message. */
static int
batch_write_all(struct krt_batch *b, const uint8_t *at, size_t len)
{
	size_t half = batch_first_half(at, len);
	int err = netlink_send(b->fd, at, len), rc;

	if ((err != -ENOBUFS && err != -EMSGSIZE) || half == len)
		return err;
	err = batch_write_all(b, at, half);
	rc = batch_write_all(b, at + half, len - half);
	return err ? err : rc;
}

void
krt_batch_flush(struct krt_batch *b)
{
	int err;

	if (!b->cnt)
		return;
	err = krt_batch_is_ours(b) ? batch_write_all(b, b->w.start, wbuf_len(&b->w))
				   : -EBADF;
	if (err)
		b->ops->lost(b->arg, err);
	if (os_fd_is_open(b->fd))
		batch_read_answers(b);
	b->first_seq += b->cnt;
	if (b->first_seq > UINT32_MAX - KRT_BATCH_MAX) /* 0 is the probe's */
		b->first_seq = 1;
	b->cnt = 0;
	b->w = wbuf_of(b->w.start, KRT_BATCH_OCTETS);
}

int
krt_batch_may(struct krt_batch *b)
{
	uint8_t octets[64];
	struct wbuf w = wbuf_of(octets, sizeof(octets));
	struct rtnl_msg m;
	ssize_t len;
	struct rbuf r;
	int err = 0;

	krt_batch_flush(b);
	if (!krt_batch_is_ours(b))
		err = batch_open_socket(b);
	rtnl_route_probe(&w, 0);
	if (!err)
		err = netlink_send(b->fd, octets, wbuf_len(&w));
	if (err)
		return err;
	len = netlink_recv(b->fd, b->answers, ANSWER_OCTETS);
	if (len < 0)
		return (int)len;
	r = rbuf_of(b->answers, (size_t)len);
	while (rtnl_next(&r, &m) != RTNL_END)
		if (m.kind == RTNL_DONE && !m.seq)
			return m.error == -EINVAL ? 0 : m.error;
	return 0;
}

/* krt_batch_next - reserve a message with room for @r about net @id. Returns: its
 * sequence number. */
static uint32_t
krt_batch_next(struct krt_batch *b, uint32_t id, bool del, const struct rtnl_route *r)
{
	size_t need = RTNL_ROUTE_FIXED + (del ? 0 : r->hop_cnt * RTNL_HOP_OCTETS);

	if (b->cnt == KRT_BATCH_MAX || wbuf_room(&b->w) < need)
		krt_batch_flush(b);
	b->item[b->cnt] = (struct krt_item){ id, del };
	return b->first_seq + b->cnt++;
}

void
krt_batch_add(struct krt_batch *b, uint32_t id, const struct rtnl_route *r)
{
	uint32_t seq = krt_batch_next(b, id, false, r);

	rtnl_route_add(&b->w, seq, r);
}

void
krt_batch_change(struct krt_batch *b, uint32_t id, const struct rtnl_route *r)
{
	uint32_t seq = krt_batch_next(b, id, false, r);

	rtnl_route_change(&b->w, seq, r);
}

void
krt_batch_del(struct krt_batch *b, uint32_t id, const struct rtnl_route *r)
{
	uint32_t seq = krt_batch_next(b, id, true, r);

	rtnl_route_del(&b->w, seq, r);
}
