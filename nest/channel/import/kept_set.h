/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ids of nets or paths that a limit keeps back, one bit each, for queries of operators.
 *
 * One writer, the channel's worker. Any thread queries under RCU.
 * G1  A query sees the last put or drop, or the state shortly before.
 * Progress: wait-free for queries. */
#ifndef TERN_NEST_CHANNEL_IMPORT_KEPT_SET_H
#define TERN_NEST_CHANNEL_IMPORT_KEPT_SET_H

#include "lib/mt/atomic.h"

/* Owner: the channel that embeds the set. Life: from zeros until kept_set_fini, with no
 * query left. */
struct kept_set {
	struct pubptr bits; /* struct kept_bits *; NULL: no put yet */
	uint32_t cnt; /* number of ids in the set */
};

void kept_set_fini(struct kept_set *k);
void kept_set_put(struct kept_set *k, uint32_t id);
void kept_set_drop_range(struct kept_set *k, uint32_t id, uint32_t cnt);
void kept_set_clear(struct kept_set *k);
/* kept_set_has - any thread under RCU. */
bool kept_set_has(const struct kept_set *k, uint32_t id);

/* kept_set_drop - drop a range; fast for the usual empty set. */
static inline void
kept_set_drop(struct kept_set *k, uint32_t id, uint32_t cnt)
{
	if (unlikely(k->cnt))
		kept_set_drop_range(k, id, cnt);
}

#endif
