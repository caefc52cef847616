/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map from small integers (ids) to numbers: an array in blocks of neighbouring ids. A
 * block exists while one of its numbers is not 0.
 *
 * Which calls may run at the same time: the calls of one writer, and id_map_get of any
 * thread that has joined RCU.
 * G1  A reader of a number sees all writes that preceded the id_map_put (pairs: IDMAP).
 * Progress: wait-free. */
#ifndef TERN_LIB_MT_ID_MAP_H
#define TERN_LIB_MT_ID_MAP_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"

#define ID_MAP_BLOCK 256

/* private. Owner: the map's writer. Life: until replaced or empty, and a grace period. */
struct id_map_block {
	struct rcu_node rcu;
	uint32_t used; /* count of numbers other than 0 */
	struct pub32 num[ID_MAP_BLOCK];
};

/* private. Owner: the map's writer. Life: until replaced or cleared, and a grace
 * period. */
struct id_map_dir {
	struct rcu_node rcu;
	uint32_t cnt;
	bool whole; /* free the blocks together with the directory */
	struct pubptr block[];
};

/* Owner: the writer, whose object embeds the map. Life: embedded. Freed by: id_map_clear
 * frees the blocks a grace period later. All zeros: an empty map. */
struct id_map {
	struct pubptr dir; /* private */
};

/* id_map_put - store @num for @id. Returns: the previous number of @id; 0: none. */
uint32_t id_map_put(struct id_map *m, uint32_t id, uint32_t num);
/* id_map_clear - all numbers 0. */
void id_map_clear(struct id_map *m);

/* id_map_get - the number of @id; 0: no number was put. Any thread. */
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
