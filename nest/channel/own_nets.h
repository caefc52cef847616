/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has a peer announced a net, ever? "No" is certain, "maybe" isn't: most nets of a large
 * table are none of one member's, and asking here spares a look into its table. Owner
 * only. */
#ifndef TERN_NEST_OWN_NETS_H
#define TERN_NEST_OWN_NETS_H

#include "lib/base/base.h"

#define OWN_NETS_LEVELS 3
/* bits of each level; one follows when a quarter of them are set */
#define OWN_NETS_ORDER(level) (15 + 3 * (level))

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

static inline bool
own_nets_in(const struct own_nets *o, unsigned level, uint64_t hash)
{
	uint32_t i = (uint32_t)(hash >> 33) & ((1u << OWN_NETS_ORDER(level)) - 1);

	return o->bits[level][i / 64] >> (i % 64) & 1;
}

/* own_nets_maybe - may the net of @hash be one of them? */
static inline bool
own_nets_maybe(const struct own_nets *o, uint64_t hash)
{
	bool yes = o->full;

	for (unsigned i = 0; i < o->cnt && !yes; i++)
		yes = own_nets_in(o, i, hash);
	return yes;
}

#endif
