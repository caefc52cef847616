/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: routes that stay in the kernel for a moment while many routes are removed in a
 * row.
 *
 * When an IPv4 route is removed, the kernel (fib_trie.c, update_suffix) searches a node
 * of its trie for the first remaining route, past all removed routes. Routes that are
 * removed in the order of their addresses, as the routes of a peer mostly are, cost the
 * square of the node's size: removal of a million routes took 11 s. A route that stays
 * near the beginning of the node ends the search: a guard. So of many routes removed in a
 * row, each KRT_GUARD_EACHth route stays until another route is added, or until no route
 * was removed for KRT_GUARD_NS. Then the guards are removed, the last guard first.
 *
 * Loop: the instance's. */
#ifndef TERN_PROTO_KERNEL_KRT_GUARD_H
#define TERN_PROTO_KERNEL_KRT_GUARD_H

#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define KRT_GUARD_EACH 500
#define KRT_GUARD_MAX  10000
#define KRT_GUARD_NS   (200 * NS_PER_MS)

struct krt_batch;
struct rtnl_route;

/* Owner: the sink that embeds the struct. Zeroed: no guard. Freed by: krt_guard_fini. */
struct krt_guard {
	struct timer timer;
	uint32_t left; /* number of routes removed in a row */
	uint32_t cnt, cap;
	struct krt_kept *kept; /* cnt guards */
};

/* krt_guard_fini - forget the guards; their routes stay in the kernel. */
void krt_guard_fini(struct krt_guard *g);
/* krt_guard_takes - route @r is about to be removed. Returns: true: @r stays as a
 * guard. */
bool krt_guard_takes(struct krt_guard *g, const struct rtnl_route *r);
/* krt_guard_end - remove the guards by @b; NULL: the routes of the guards stay for
 * good. */
void krt_guard_end(struct krt_guard *g, struct krt_batch *b);

#endif
