/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many routes that leave the kernel one after the other.
 *
 * At each IPv4 route that leaves, the kernel (fib_trie.c, update_suffix) looks for the
 * first one that the node of its trie still has, past all that have gone. So routes that
 * leave in the order of their addresses, as those of a peer mostly do, cost the square of
 * the node's size: a million took 11 s. One that stays near the node's beginning ends
 * that search: a guard. So of many routes that leave in a row each KRT_GUARD_EACHth stays
 * until another route is added, or none has left for KRT_GUARD_NS. Then the last one goes
 * first.
 *
 * Loop: the instance's. */
#ifndef TERN_PROTO_KERNEL_GUARD_H
#define TERN_PROTO_KERNEL_GUARD_H

#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define KRT_GUARD_EACH 500
#define KRT_GUARD_MAX  10000
#define KRT_GUARD_NS   (200 * NS_PER_MS)

struct krt_batch;
struct rtnl_route;

/* owner: the sink, in which it is embedded. All zeros, nothing is kept back. */
struct krt_guard {
	struct timer timer;
	uint32_t left; /* routes in a row */
	uint32_t cnt, cap;
	struct krt_kept *kept; /* cnt of them */
};

/* krt_guard_fini - what is kept back is forgotten. */
void krt_guard_fini(struct krt_guard *g);
/* krt_guard_takes - one more is to leave. Returns: it is @r that stays for now. */
bool krt_guard_takes(struct krt_guard *g, const struct rtnl_route *r);
/* krt_guard_end - what is kept back leaves by @b; NULL: it stays for good. */
void krt_guard_end(struct krt_guard *g, struct krt_batch *b);

#endif
