/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map from 64-bit keys to small numbers that is constant over ranges of keys. Immutable
 * once built; any thread may read.
 *
 * The map serves sets with 100,000 members of which ten are searched in turn: the map has
 * 3 to 6 octets a range, and a lookup misses the near caches once. Owner: the set that
 * embeds the map. Life: the arena of the set. */
#ifndef TERN_FILTER_SET_RANGEMAP_H
#define TERN_FILTER_SET_RANGEMAP_H

#include "lib/mem/arena.h"

#define RANGEMAP_LEVELS 8

/* A map. Owner: the set that embeds the struct. Freed by: the arena of the set. */
struct rangemap {
	/* private */
	uint64_t base; /* no range begins before the base */
	const uint8_t *block; /* of 64 octets each, aligned */
	const int32_t *fence; /* first cells of blocks, and the tree above the cells */
	const uint64_t *last; /* by id */
	/* maps of the cells with too many ranges for a block */
	const struct rangemap *sub;
	uint32_t block_cnt;
	uint32_t before; /* the value of keys below the base */
	uint32_t sub_id; /* id that refers to sub; UINT32_MAX: none */
	uint32_t level_at[RANGEMAP_LEVELS];
	uint8_t levels; /* of fences; 0: a single block */
	uint8_t shift; /* all starts are multiples of 1 << shift */
	uint8_t cell; /* a cell has 1 << cell units */
	uint8_t width; /* octets of a start in a block: 2, 4, 8 */
	uint8_t id_width; /* 1, 2, 4 */
	uint8_t cap; /* starts in a block */
};

/* What a map is made of: the keys from start[i] (ascending) up to the next start, but at
 * most to start[i] + last[id[i]], are mapped to id[i]; all others to 0. */
struct rangemap_source {
	const uint64_t *start;
	const uint32_t *id;
	uint32_t cnt; /* at least 1 */
	/* For each id UINT64_MAX (up to the next start), or one less than a power of two
	 * that divides the starts of all ranges with the id; no other range begins
	 * inside. last[0]: UINT64_MAX. */
	const uint64_t *last;
	uint32_t id_cnt;
};

/* rangemap_build - build @m in @a; @m keeps from->last, which must live as long as @m. */
void rangemap_build(
    struct rangemap *m, struct arena *a, const struct rangemap_source *from);
/* rangemap_get - the value of @key. Cost: about one cache miss. */
uint32_t rangemap_get(const struct rangemap *m, uint64_t key);

#endif
