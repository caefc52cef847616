/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Implementation of own_nets.h. Each level is a Bloom filter. A full level gets a
 * successor eight times as large; a query reads all levels.
 *
 * Loop: the owner's. Tests: test_own_nets.c. */
#include "nest/channel/export/own_nets.h"

#include "lib/mem/mem.h"

static bool
own_nets_grow(struct own_nets *o)
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
	uint64_t *w, mask = own_nets_mask(hash);

	if (own_nets_maybe(o, hash))
		return;
	if ((!o->cnt || o->set >= 1u << (OWN_NETS_ORDER(o->cnt - 1) - 2)) &&
	    !own_nets_grow(o))
		return;
	w = own_nets_word(o, o->cnt - 1, hash);
	o->set += (uint32_t)__builtin_popcountll(mask & ~*w);
	*w |= mask;
}

void
own_nets_clear(struct own_nets *o)
{
	for (unsigned i = 0; i < o->cnt; i++)
		mem_free(MEM_PROTO, o->bits[i]);
	*o = (struct own_nets){ .cnt = 0 };
}
