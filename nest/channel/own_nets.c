/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See own_nets.h. Each level is a set of hashes, one bit each. When it gets full the next
 * one, eight times as large, takes what comes; all of them are asked.
 *
 * Loop: the owner's. Tests: test_own_nets.c. */
#include "nest/channel/own_nets.h"

#include "lib/base/mem.h"

static bool
grow(struct own_nets *o)
{
	if (o->cnt == OWN_NETS_LEVELS) {
		o->full = true;
		return false;
	}
	o->bits[o->cnt] = mem_zalloc(
	    MEM_PROTO, (size_t)1 << (OWN_NETS_ORDER(o->cnt) - 3));
	o->cnt++;
	o->set = 0;
	return true;
}

void
own_nets_add(struct own_nets *o, uint64_t hash)
{
	uint32_t i;

	if (own_nets_maybe(o, hash))
		return;
	if ((!o->cnt || o->set >= 1u << (OWN_NETS_ORDER(o->cnt - 1) - 2)) && !grow(o))
		return;
	i = (uint32_t)(hash >> 33) & ((1u << OWN_NETS_ORDER(o->cnt - 1)) - 1);
	o->bits[o->cnt - 1][i / 64] |= 1ull << (i % 64);
	o->set++;
}

void
own_nets_clear(struct own_nets *o)
{
	for (unsigned i = 0; i < o->cnt; i++)
		mem_free(MEM_PROTO, o->bits[i]);
	*o = (struct own_nets){ .cnt = 0 };
}
