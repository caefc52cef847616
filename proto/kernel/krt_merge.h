/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `merge paths`: one route of the kernel with the hops of several routes of a net. */
#ifndef TERN_PROTO_KERNEL_MERGE_H
#define TERN_PROTO_KERNEL_MERGE_H

#include "lib/base/check.h"

#include <stdint.h>

struct arena;
struct attr_set;
struct channel;
struct filter_thread;
struct krt_where;
struct net;
struct origin;

/* Who asks, and about what. */
struct krt_merging {
	struct channel *ch;
	struct filter_thread *ft; /* NULL: the channel's, by its worker */
	struct arena *arena;
	const struct krt_where *w; /* .cf isn't looked at */
	uint32_t limit; /* hops at most */
	const struct attr_set *best; /* of the best route, before the filter */
	const struct origin *from; /* it comes from there; NULL: that has gone */
};

/* krt_merge - what becomes of @set, by which the channel exports the best route of @n,
 * with the hops of all routes that are as good (path_order.merges) and are exported, too.
 * Returns: a set with a reference; NULL: @set it is. Under RCU. */
OWNED struct attr_set *krt_merge(
    const struct krt_merging *m, const struct net *n, struct attr_set *set);

#endif
