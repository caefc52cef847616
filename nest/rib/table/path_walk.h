/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of a net for whoever may not have the best one: the best first, then the
 * other selectable ones, always the best of those that are left.
 *
 * It is the order of rank but for MED, which has its say among tied routes (table_best.c)
 * each time that one is taken from them.
 *
 * Any thread under RCU: what the walk gives is good until the next quiescent state. While
 * the table changes the net it may see a path that goes, or miss one that comes; the
 * net's segment follows (table_priv.h, I3). */
#ifndef TERN_NEST_PATH_WALK_H
#define TERN_NEST_PATH_WALK_H

#include "lib/base/base.h"

struct attr_set;
struct net;
struct path;
struct segment;
struct table;

/* more tied routes are taken in groups of this size */
#define PATH_WALK_TIED 16

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
/* path_walk_next - NULL: there are no more. */
const struct path *path_walk_next(struct path_walk *w);
/* path_as_segment - *@s as if @p were the best route of net @id, with nothing counted:
 * for a moment, under RCU. s->facts is NULL if its source has gone. */
void path_as_segment(struct segment *s, const struct table *t, const struct path *p,
    uint32_t id, uint32_t batch);
/* path_as_segment_with - the same, as if its set were @set (borrowed). */
void path_as_segment_with(struct segment *s, struct attr_set *set);

#endif
