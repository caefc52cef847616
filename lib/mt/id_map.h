/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers by small integers (ids): an array in blocks of neighbouring ids, which are
 * there while one of their numbers isn't 0.
 *
 * Which calls may run at the same time: those of one writer, and id_map_get of any thread
 * that has joined RCU.
 * G1  What was written before a number was put is seen by who reads it (pairs: IDMAP).
 * Progress: wait-free. */
#ifndef TERN_LIB_MT_ID_MAP_H
#define TERN_LIB_MT_ID_MAP_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"

#define ID_MAP_BLOCK 256

/* private */
struct id_map_block {
	struct rcu_node rcu;
	uint32_t used; /* of its numbers aren't 0 */
	struct pub32 num[ID_MAP_BLOCK];
};

struct id_map_dir {
	struct rcu_node rcu;
	uint32_t cnt;
	bool whole; /* it goes with its blocks */
	struct pubptr block[];
};

/* owner: its writer, in which it is embedded; freed by: id_map_clear, a grace period
 * later. All zeros: empty. */
struct id_map {
	struct pubptr dir; /* private */
};

/* id_map_put - Returns: the number that @id had; 0: none. */
uint32_t id_map_put(struct id_map *m, uint32_t id, uint32_t num);
/* id_map_clear - all numbers 0. */
void id_map_clear(struct id_map *m);

/* id_map_get - 0 where none was put. Any thread. */
static inline uint32_t
id_map_get(const struct id_map *m, uint32_t id)
{
	const struct id_map_dir *d = load_acquire_ptr(&m->dir); /* pairs: IDMAP */
	const struct id_map_block *b;

	if (!d || id / ID_MAP_BLOCK >= d->cnt)
		return 0;
	b = load_acquire_ptr(&d->block[id / ID_MAP_BLOCK]); /* pairs: IDMAP */
	return b ? load_acquire32(&b->num[id % ID_MAP_BLOCK]) : 0; /* pairs: IDMAP */
}

/* id_map_fetch - the writer is about to use @id: ask for its line. */
static inline void
id_map_fetch(const struct id_map *m, uint32_t id)
{
	const struct id_map_dir *d = load_relaxed_ptr(&m->dir);
	const struct id_map_block *b;

	if (!d || id / ID_MAP_BLOCK >= d->cnt)
		return;
	b = load_relaxed_ptr(&d->block[id / ID_MAP_BLOCK]);
	if (b)
		__builtin_prefetch(&b->num[id % ID_MAP_BLOCK], 1);
}

#endif
