/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of each net that the server passes on. */
#include "test/load/load_offer.h"

#include "lib/mem/mem.h"

void
load_offers_fini(struct load_offers *os)
{
	uint32_t n;

	for (n = 0; n < os->cap; n++)
		mem_free(MEM_OTHER, os->at[n]);
	mem_free(MEM_OTHER, os->at);
}

void
load_offers_grow(struct load_offers *os, uint32_t cap)
{
	if (cap <= os->cap)
		return;
	os->at = mem_realloc(MEM_OTHER, os->at, cap, sizeof(*os->at));
	memset(os->at + os->cap, 0, (cap - os->cap) * sizeof(*os->at));
	os->cap = cap;
}

void
load_offers_put(struct load_offers *os, const struct load_sets *ss, uint32_t net,
    const struct load_path *path, uint32_t cnt)
{
	struct load_offer *o = os->at[net];
	uint32_t i;

	if (!cnt) {
		mem_free(MEM_OTHER, o);
		os->at[net] = NULL;
		return;
	}
	o = mem_realloc(MEM_OTHER, o, sizeof(*o) + cnt * sizeof(*path), 1);
	o->cnt = cnt;
	o->control = false;
	for (i = 0; i < cnt; i++) {
		o->path[i] = path[i];
		o->control = o->control || ss->set[path[i].set].control;
	}
	os->at[net] = o;
}

uint32_t
load_offer_first(const struct load_offer *o, const struct load_sets *ss, uint32_t client,
    bool own_ends)
{
	uint32_t i, set = 0;

	for (i = 0; o && i < o->cnt && !set; i++) {
		if (own_ends && o->path[i].src == client)
			break;
		set = load_path_for(&o->path[i], ss, client);
	}
	return set;
}
