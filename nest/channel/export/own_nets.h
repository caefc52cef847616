/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has a peer announced a net, ever? "No" is certain, "maybe" isn't: most nets of a large
 * table are none of one member's, and asking here spares a look into its table. Owner
 * only. */
#ifndef TERN_NEST_OWN_NETS_H
#define TERN_NEST_OWN_NETS_H

#include "lib/base/base.h"

#define OWN_NETS_LEVELS 5
/* bits of each level; one follows when a quarter of them are set */
#define OWN_NETS_ORDER(level) (13 + 3 * (level))

/* owner: one thread; starts as zeroes; freed by: own_nets_clear. */
struct own_nets {
	/* private */
	uint64_t *bits[OWN_NETS_LEVELS];
	uint32_t set; /* bits of the last level */
	uint8_t cnt; /* levels */
	bool full; /* more than it can tell apart */
};

/* own_nets_add - the net of @hash. */
void own_nets_add(struct own_nets *o, uint64_t hash);
/* own_nets_clear - none, and the memory. */
void own_nets_clear(struct own_nets *o);

/* own_nets_mask - a net has three bits, of one word: one line of the cache to ask. */
static inline uint64_t
own_nets_mask(uint64_t hash)
{
	uint64_t h = hash * 0x9e3779b97f4a7c15;

	return 1ull << (h >> 58) | 1ull << (h >> 52 & 63) | 1ull << (h >> 46 & 63);
}

static inline uint64_t *
own_nets_word(const struct own_nets *o, unsigned level, uint64_t hash)
{
	return &o->bits[level][hash >> 33 & ((1u << (OWN_NETS_ORDER(level) - 6)) - 1)];
}

/* own_nets_maybe - may the net of @hash be one of them? */
static inline bool
own_nets_maybe(const struct own_nets *o, uint64_t hash)
{
	uint64_t mask = own_nets_mask(hash);
	bool yes = o->full;

	for (unsigned i = 0; i < o->cnt && !yes; i++)
		yes = (*own_nets_word(o, i, hash) & mask) == mask;
	return yes;
}

#endif
