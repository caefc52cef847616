/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Read the kernel's routes: the answer to a question for all routes of a table, or
 * notifications about changed routes.
 *
 * Received messages are processed route by route, while the user has room.
 *
 * Loop: the instance's. Owner: the object with the embedded struct krt_read. Life: from
 * krt_read_open until krt_read_close frees the buffers. */
#ifndef TERN_PROTO_KERNEL_KRT_READ_H
#define TERN_PROTO_KERNEL_KRT_READ_H

#include "lib/net/prefix.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/rtnl_route.h"
#include "sysdep/loop/loop.h"

struct krt_read;

/* The calls to the owner. Constant: nothing to free. */
struct krt_read_ops {
	/* ready - may `route` be called? After false, the user calls krt_read_go when
	 * ready. */
	bool (*ready)(struct krt_read *r);
	/* route - the kernel has the route @got, or (@gone) the route was removed. */
	void (*route)(struct krt_read *r, const struct rtnl_route *got, bool gone);
	/* done - the answer to krt_read_ask is complete. @err: 0, or negative errno: the
	 * answer ended early. @torn: routes changed during the answer. NULL: the user
	 * asks no question. */
	void (*done)(struct krt_read *r, int err, bool torn);
	/* lost - notifications were lost. The socket is closed unless @err is
	 * -ENOBUFS. */
	void (*lost)(struct krt_read *r, int err);
};

/* A read under way. Owner: the object that embeds the struct. Freed by:
 * krt_read_close. */
struct krt_read {
	struct watch watch; /* fd OS_FD_NONE: closed */
	uint64_t mark; /* sock_mark of the socket */
	const struct krt_read_ops *ops;
	uint8_t *buf;
	struct rtnl_hop *hop;
	struct rbuf rest; /* part of buf that is not processed yet */
	uint32_t seq; /* of the open question; 0: no question is open */
	uint32_t last_seq;
	bool torn;
};

/* krt_read_open - open a socket. @r is zeroed or closed. @groups: RTMGRP_*: notify of
 * changed routes, except routes with the daemon's protocol number. Returns: 0 or negative
 * errno. */
int krt_read_open(struct krt_read *r, struct worker *w, uint32_t groups,
    uint32_t rx_buffer, const struct krt_read_ops *ops);
void krt_read_close(struct krt_read *r);
/* krt_read_is_open - false: @r has no socket, or foreign code closed the socket. In the
 * latter case no message arrives and no callback reports the loss; the user still calls
 * krt_read_close. */
bool krt_read_is_open(const struct krt_read *r);
/* krt_read_ask - send the question of rtnl_route_ask. No question is open. Returns: 0 or
 * negative errno. */
int krt_read_ask(struct krt_read *r, enum family fam, uint32_t table, uint8_t protocol);
/* krt_read_go - the user is ready: continue with received messages. */
void krt_read_go(struct krt_read *r);

#endif
