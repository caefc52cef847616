/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of nets that a peer has ever announced. "No" is certain, "maybe" is not: most
 * nets of a large table are not announced by a given member, and a query spares a look
 * into the member's table. Loop: the owner's. */
#ifndef TERN_NEST_CHANNEL_EXPORT_OWN_NETS_H
#define TERN_NEST_CHANNEL_EXPORT_OWN_NETS_H

#include "lib/base/base.h"

#define OWN_NETS_LEVELS 5
/* bits of each level; a level with a quarter of its bits set gets a successor */
#define OWN_NETS_ORDER(level) (13 + 3 * (level))

/* Owner: one thread. Life: from zeroes until own_nets_clear. */
struct own_nets {
	/* private */
	uint64_t *bits[OWN_NETS_LEVELS];
	uint32_t set; /* set bits of the last level */
	uint8_t cnt; /* levels */
	bool full; /* all answers are "maybe" */
};

/* own_nets_add - add the net with hash @hash. */
void own_nets_add(struct own_nets *o, uint64_t hash);
/* own_nets_clear - remove all nets, and free the memory. */
void own_nets_clear(struct own_nets *o);

/* own_nets_mask - the three bits of a net, in one word: a query loads one cache line. */
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

/* own_nets_maybe - false: the net with hash @hash is not in the set. */
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
