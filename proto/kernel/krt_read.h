/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's routes as it tells them: all of a table when it is asked, or each that
 * changes.
 *
 * What was received is taken route by route, while whoever takes them has room. Loop: the
 * instance's. */
#ifndef TERN_PROTO_KERNEL_READ_H
#define TERN_PROTO_KERNEL_READ_H

#include "lib/net/prefix.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/rtnl_route.h"
#include "sysdep/loop/loop.h"

struct krt_read;

struct krt_read_ops {
	/* ready - may `route` be called? If not, krt_read_go is called when it may. */
	bool (*ready)(struct krt_read *r);
	/* route - there is @got, or (@gone) it went. */
	void (*route)(struct krt_read *r, const struct rtnl_route *got, bool gone);
	/* done - what was asked for has come. @err: 0, or negative errno: it isn't all.
	 * @torn: routes have changed meanwhile. */
	void (*done)(struct krt_read *r, int err, bool torn);
	/* lost - messages were lost. The socket is closed unless @err is -ENOBUFS. */
	void (*lost)(struct krt_read *r, int err);
};

/* owner: who has it. */
struct krt_read {
	struct watch watch; /* fd -1: closed */
	uint64_t mark; /* of the socket */
	const struct krt_read_ops *ops;
	uint8_t *buf;
	struct rtnl_hop *hop;
	struct rbuf rest; /* of buf: not taken yet */
	uint32_t seq; /* of the question; 0: none is open */
	uint32_t last_seq;
	bool torn;
};

/* krt_read_open - @r is all 0 or closed. @groups: RTMGRP_*: tell of what changes, but
 * what has our protocol. Returns: 0 or negative errno. */
int krt_read_open(struct krt_read *r, struct worker *w, uint32_t groups,
    uint32_t rx_buffer, const struct krt_read_ops *ops);
void krt_read_close(struct krt_read *r);
/* krt_read_is_open - has @r a socket? Not if something else has closed it: nothing comes
 * any more then, and nobody is told; krt_read_close is still to be called. */
bool krt_read_is_open(const struct krt_read *r);
/* krt_read_ask - as rtnl_route_ask; no question is open. Returns: 0 or negative errno. */
int krt_read_ask(struct krt_read *r, enum family fam, uint32_t table, uint8_t protocol);
/* krt_read_go - ops->ready would say yes. */
void krt_read_go(struct krt_read *r);

#endif
