/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A walk over nets that a channel processes again, in steps of bounded cost. The users:
 * reload and recheck of import, recheck of export, changed next hops, ended sources.
 *
 * Loop: the channel's. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_WALK_H
#define TERN_NEST_CHANNEL_CHANNEL_WALK_H

#include "lib/base/check.h"

struct channel;
struct feeder;
struct net;
struct table;

#define WALK_STAY UINT32_MAX

/* The nets of a walk, and the position. Owner: the user of the walk. Life: one step, or
 * embedded in the owner. Nothing to free. */
struct channel_walk {
	const uint32_t *id; /* the net ids, borrowed; NULL: the ids from pos to end */
	uint32_t pos, end; /* in id; without id: net ids */
	/* only nets in chunks with paths of the feeder; NULL, or @id not NULL: all */
	const struct feeder *feeder;
};

/* channel_walk_fn - process net @id; @n: NULL: the net has no paths now. Returns: the
 * cost, 1 for a net, and more for a net with many paths; WALK_STAY: the step ends, and
 * the next step comes to the net again. */
typedef uint32_t (*channel_walk_fn)(void *arg, uint32_t id, const struct net *n);

/* channel_walk_step - give nets of @t to @fn, until a step's cost is reached, or, with
 * @import, records of @ch wait for room in the ring. Resets the channel's arena. Returns:
 * true: nets are left. */
bool channel_walk_step(struct channel *ch, struct channel_walk *w, const struct table *t,
    bool import, channel_walk_fn fn, void *arg);

#endif
