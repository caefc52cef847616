/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of a net for a reader that may not have the best route: the best route, then
 * each time the best of the remaining selectable routes.
 *
 * The order is rank, but with MED: MED decides among tied routes (table_best.c) each time
 * the walk takes a route from them.
 *
 * Any thread under RCU: a route is valid until the next quiescent state. While the table
 * changes the net, the walk may see a path that is being removed, or miss a new path; the
 * net's segment follows (table_priv.h, I3). */
#ifndef TERN_NEST_RIB_TABLE_PATH_WALK_H
#define TERN_NEST_RIB_TABLE_PATH_WALK_H

#include "lib/base/base.h"

struct attr_set;
struct net;
struct path;
struct segment;
struct table;

/* larger sets of tied routes are handled in groups of this size */
#define PATH_WALK_TIED 16

/* A walk. Owner: the caller, on the stack. Life: one RCU section. */
struct path_walk {
	const struct table *table;
	const struct path *best; /* when the walk began */
	/* private */
	bool best_given, begun;
	const struct path *at; /* next in rank */
	const struct path *tied[PATH_WALK_TIED]; /* not given yet, in order of rank */
	unsigned cnt;
};

void path_walk_start(struct path_walk *w, const struct table *t, const struct net *n);
/* path_walk_next - the next route; NULL: end. */
const struct path *path_walk_next(struct path_walk *w);
/* path_as_segment - fill *@s as if @p were the best route of net @id, without references:
 * valid under RCU. s->facts is NULL if the source is gone. */
void path_as_segment(struct segment *s, const struct table *t, const struct path *p,
    uint32_t id, uint32_t batch);
/* path_as_segment_with - replace the set of *@s by @set (borrowed). */
void path_as_segment_with(struct segment *s, const struct table *t, struct attr_set *set);

#endif
