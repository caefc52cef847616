/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watched nets: nets whose first route is not sent. Owner of the struct: the caller.
 * Life: a run of segments. Loop: the session's. */
#ifndef TERN_NEST_CHANNEL_EXPORT_CHANNEL_WATCHED_PRIV_H
#define TERN_NEST_CHANNEL_EXPORT_CHANNEL_WATCHED_PRIV_H

#include "nest/channel/channel.h"
#include "nest/channel/sink.h"
#include "nest/rib/stream/segment.h"

struct channel_secondary;

/* channel_watched - true: @id is watched. channel_watch_net - watch @id, whatever the
 * peer holds. */
bool channel_watched(const struct channel_secondary *sec, uint32_t id);
void channel_watch_net(struct channel_secondary *sec, uint32_t id);
/* channel_secondary_watches - true: @s has a watched net. channel_secondary_watches_net -
 * also without `secondary`. */
bool channel_secondary_watches(const struct channel *ch, const struct segment *s);
bool channel_secondary_watches_net(const struct channel *ch, uint32_t id);
/* channel_secondary_others - number of segments, from number @from of @cnt on, without a
 * watched net or channel_own_may. @seen: the caller's, zero at first. On the stack:
 * nothing to free. */
struct secondary_seen {
	unsigned end; /* earlier segments have no watched net ... */
	uint32_t nr; /* ... as of channel_secondary.watched_nr */
};
unsigned channel_secondary_others(const struct channel *ch, struct segment *const *s,
    unsigned from, unsigned cnt, struct secondary_seen *seen);
/* channel_secondary_watch - the net's first route is the peer's own and is not sent.
 * channel_secondary_unwatch - the first route was sent, or none exists. _gone - for nets
 * of @s. */
void channel_secondary_watch(struct channel *ch, uint32_t id);
void channel_secondary_unwatch(struct channel *ch, uint32_t id);
void channel_secondary_gone(struct channel *ch, const struct segment *s);
/* channel_secondary_concerned - true: @s may matter although the best sets did not
 * change. Also without `secondary`. */
bool channel_secondary_concerned(const struct channel *ch, const struct segment *s);
/* channel_secondary_held - true: the peer holds exactly the answer @a. */
bool channel_secondary_held(
    const struct channel *ch, uint32_t id, const struct export_answer *a);

#endif
