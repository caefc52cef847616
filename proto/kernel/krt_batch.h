/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to the kernel's routes, collected and written together: a write of hundreds
 * costs little more than what the kernel does for each of them.
 *
 * The kernel carries them out in the call that writes them, in order, and answers those
 * that fail. So a flush knows what has become of each. Loop: the instance's. */
#ifndef TERN_PROTO_KERNEL_BATCH_H
#define TERN_PROTO_KERNEL_BATCH_H

#include "lib/wire/rtnl_route.h"
#include "lib/wire/wbuf.h"

#define KRT_BATCH_OCTETS 65536
#define KRT_BATCH_MAX    2048 /* messages of a write */

/* A change. */
struct krt_item {
	uint32_t id; /* of the net; the caller's */
	bool del;
};

struct krt_batch_ops {
	/* failed - @it wasn't done: negative errno @err. In krt_batch_flush. */
	void (*failed)(void *arg, const struct krt_item *it, int err);
	/* lost - the write failed with @err, or answers were lost (-ENOBUFS): any of what
	 * was written may not have been done. */
	void (*lost)(void *arg, int err);
};

/* owner: who has it. */
struct krt_batch {
	int fd; /* -1: there is no socket */
	uint64_t mark; /* of the socket */
	struct wbuf w; /* its room is on the heap */
	uint8_t *answers;
	struct krt_item *item;
	uint32_t cnt, first_seq;
	uint32_t rx_buffer;
	const struct krt_batch_ops *ops;
	void *arg;
};

/* krt_batch_open - @b is all 0 or closed. @rx_buffer: octets for answers; 0: enough for
 * those of a write. Returns: 0, or negative errno: @b is open all the same, and each
 * flush fails until krt_batch_may has found a socket. */
int krt_batch_open(
    struct krt_batch *b, uint32_t rx_buffer, const struct krt_batch_ops *ops, void *arg);
/* krt_batch_close - what wasn't flushed is dropped. */
void krt_batch_close(struct krt_batch *b);
/* krt_batch_may - may we change routes? It opens a socket where there is none any more.
 * Returns: 0, -EPERM, or another negative errno. */
int krt_batch_may(struct krt_batch *b);
/* krt_batch_add, krt_batch_change, krt_batch_del - as the messages of
 * lib/wire/rtnl_route.h. They may flush what was there before. */
void krt_batch_add(struct krt_batch *b, uint32_t id, const struct rtnl_route *r);
void krt_batch_change(struct krt_batch *b, uint32_t id, const struct rtnl_route *r);
void krt_batch_del(struct krt_batch *b, uint32_t id, const struct rtnl_route *r);
void krt_batch_flush(struct krt_batch *b);

#endif
