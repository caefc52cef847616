/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A batch of changes to the kernel's routes. A write of hundreds of messages costs little
 * more than the kernel's work for the messages.
 *
 * The kernel carries out the messages in order, during the write, and answers only failed
 * messages. So after a flush the result of each change is known.
 *
 * Loop: the instance's. Owner: the object with the embedded struct krt_batch. Life: from
 * krt_batch_open until krt_batch_close frees the buffers. */
#ifndef TERN_PROTO_KERNEL_KRT_BATCH_H
#define TERN_PROTO_KERNEL_KRT_BATCH_H

#include "lib/wire/rtnl_route.h"
#include "lib/wire/wbuf.h"
#include "sysdep/os/os_fd.h"

#define KRT_BATCH_OCTETS 65536
#define KRT_BATCH_MAX    2048 /* messages of a write */

/* A change in the batch. */
struct krt_item {
	uint32_t id; /* net id, chosen by the caller */
	bool del;
};

/* The calls to the owner. Constant: nothing to free. */
struct krt_batch_ops {
	/* failed - the kernel refused @it with the negative errno @err. Called in
	 * krt_batch_flush. */
	void (*failed)(void *arg, const struct krt_item *it, int err);
	/* lost - the write failed with @err, or answers were lost (-ENOBUFS). Any change
	 * of the write may have failed. */
	void (*lost)(void *arg, int err);
};

/* A batch. Owner: the object that embeds the struct. Freed by: krt_batch_close. */
struct krt_batch {
	struct os_fd fd; /* OS_FD_NONE: there is no socket */
	uint64_t mark; /* sock_mark of the socket */
	struct wbuf w; /* with a buffer on the heap */
	uint8_t *answers;
	struct krt_item *item;
	uint32_t cnt, first_seq;
	uint32_t rx_buffer;
	const struct krt_batch_ops *ops;
	void *arg;
};

/* krt_batch_open - open the socket. @b is zeroed or closed. @rx_buffer: octets for
 * answers; 0: enough for the answers to one write. Returns: 0, or negative errno. On an
 * error @b is open too, and each flush fails until krt_batch_may has opened a socket. */
int krt_batch_open(
    struct krt_batch *b, uint32_t rx_buffer, const struct krt_batch_ops *ops, void *arg);
/* krt_batch_close - drop changes that were not flushed, and free the buffers. */
void krt_batch_close(struct krt_batch *b);
/* krt_batch_may - may the daemon change routes? If the socket is gone, open a new socket.
 * Returns: 0, -EPERM, or another negative errno. */
int krt_batch_may(struct krt_batch *b);
/* krt_batch_add, krt_batch_change, krt_batch_del - append a message of
 * lib/wire/rtnl_route.h. If the batch is full, the call first flushes the batch. */
void krt_batch_add(struct krt_batch *b, uint32_t id, const struct rtnl_route *r);
void krt_batch_change(struct krt_batch *b, uint32_t id, const struct rtnl_route *r);
void krt_batch_del(struct krt_batch *b, uint32_t id, const struct rtnl_route *r);
void krt_batch_flush(struct krt_batch *b);

#endif
