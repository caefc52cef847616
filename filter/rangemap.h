/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map from 64-bit keys to small numbers that is constant over ranges of keys. Immutable
 * once built; any thread may ask.
 *
 * Made for sets with 100,000 members of which ten are asked in turn: it has 3 to 5 octets
 * a range where addresses are near each other, and an answer takes one line of memory that
 * isn't in a near cache. */
#ifndef TERN_FILTER_RANGEMAP_H
#define TERN_FILTER_RANGEMAP_H

#include "lib/base/arena.h"

#define RANGEMAP_LEVELS 12

struct rangemap {
	uint32_t cnt; /* of ranges */
	/* private */
	uint32_t block_cnt;
	uint64_t base; /* the least key of a range */
	const uint8_t *block; /* of 64 octets each, aligned */
	const void *fence; /* first keys of blocks, and the tree above them */
	uint32_t level_at[RANGEMAP_LEVELS], level_cnt[RANGEMAP_LEVELS];
	uint8_t levels; /* of fences; 0: there is one block */
	uint8_t shift; /* all starts are multiples of 1 << shift */
	uint8_t width; /* octets of a start in a block: 2, 4, 8 */
	uint8_t id_width; /* 1, 2, 4 */
	uint8_t cap; /* starts in a block */
	bool wide; /* fences have 64 bits, not 32 */
};

/* rangemap_build - range i holds the keys from @start[i] (ascending) up to @start[i + 1],
 * and is mapped to @id[i]. What the map points to is in @a. @cnt > 0. */
void rangemap_build(struct rangemap *m, struct arena *a, const uint64_t *start,
    const uint32_t *id, uint32_t cnt);
/* rangemap_get - what @key is mapped to; keys before the first range to 0.
 * Cost: about one cache miss. */
uint32_t rangemap_get(const struct rangemap *m, uint64_t key);

#endif
