/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `merge paths`: one route of the kernel with the hops of several routes of a net. */
#ifndef TERN_PROTO_KERNEL_MERGE_H
#define TERN_PROTO_KERNEL_MERGE_H

#include "lib/base/check.h"

struct arena;
struct attr_set;
struct channel;
struct krt_where;
struct net;
struct segment;

/* krt_merge - what becomes of @set, by which the channel exports the route of @s for net
 * @n, with the hops of all routes that are as good as that of @s (path_order.merges) and
 * are exported, too. The first hops in order are left, up to the configured number.
 * Returns: a set with a reference; NULL: @set it is. The channel's worker. */
OWNED struct attr_set *krt_merge(struct channel *ch, struct arena *a,
    const struct krt_where *w, const struct net *n, const struct segment *s,
    struct attr_set *set);

#endif
