/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `merge paths`: one route of the kernel with the next hops of several routes of a net.
 * Loop: the instance's. */
#ifndef TERN_PROTO_KERNEL_KRT_MERGE_H
#define TERN_PROTO_KERNEL_KRT_MERGE_H

#include "lib/base/check.h"

#include <stdint.h>

struct arena;
struct attr_set;
struct channel;
struct filter_thread;
struct krt_where;
struct net;
struct origin;

/* Arguments of krt_merge. Owner: the caller. Life: one call, on the stack. */
struct krt_merging {
	struct channel *ch;
	/* NULL: the channel's, if the worker of the channel calls */
	struct filter_thread *ft;
	struct arena *arena;
	const struct krt_where *w; /* without use of .cf */
	uint32_t limit; /* hops at most */
	const struct attr_set *best; /* set of the best route before the export filter */
	/* source of the best route; NULL: the source is gone */
	const struct origin *from;
};

/* krt_merge - merge the next hops of all equally good routes (path_order.merges) of @n
 * that the channel exports. @set: the exported set of the best route. Returns: a new set
 * with a reference; NULL: @set needs no change. Under RCU. */
OWNED struct attr_set *krt_merge(
    const struct krt_merging *m, const struct net *n, struct attr_set *set);

#endif
