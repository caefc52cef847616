/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prefixes with path identifiers.
 *
 * They are to sessions with add-path what nets are to others (load_net.c), for the same
 * reasons: what is received becomes a number by a guess that is mostly right.
 *
 * I1  Numbers are dense and never change; none is removed.
 * I2  index holds every number; it is at most half full. */
#include "test/load/load_pathid.h"

#include "lib/base/hash.h"
#include "lib/mem/mem.h"

static uint32_t
load_pathid_hash_of(const struct load_pathid *p)
{
	return (uint32_t)hash_u64(hash_u64(p->id, p->lo) ^ p->key, p->hi);
}

static void
load_pathid_index_put(struct load_pathids *ps, uint32_t n)
{
	uint32_t i = load_pathid_hash_of(&ps->at[n]) & ps->index_mask;

	while (ps->index[i])
		i = (i + 1) & ps->index_mask;
	ps->index[i] = n + 1;
}

static void
load_pathid_make(struct load_pathids *ps, uint32_t cap)
{
	uint32_t n;

	ps->cap = cap;
	ps->at = mem_realloc(MEM_OTHER, ps->at, cap, sizeof(*ps->at));
	mem_free(MEM_OTHER, ps->index);
	ps->index_mask = cap * 2 - 1;
	ps->index = mem_zalloc(MEM_OTHER, (size_t)cap * 2 * sizeof(*ps->index));
	for (n = 0; n < ps->cnt; n++)
		load_pathid_index_put(ps, n);
}

void
load_pathids_init(struct load_pathids *ps)
{
	memset(ps, 0, sizeof(*ps));
	load_pathid_make(ps, 1024);
}

void
load_pathids_fini(struct load_pathids *ps)
{
	mem_free(MEM_OTHER, ps->at);
	mem_free(MEM_OTHER, ps->index);
}

uint32_t
load_pathids_add(
    struct load_pathids *ps, struct load_nets *ns, const struct load_pathid *want)
{
	uint32_t i = load_pathid_hash_of(want) & ps->index_mask, n;

	for (; ps->index[i]; i = (i + 1) & ps->index_mask) {
		const struct load_pathid *p = &ps->at[ps->index[i] - 1];

		if (p->hi == want->hi && p->lo == want->lo && p->key == want->key &&
		    p->id == want->id)
			return ps->index[i] - 1;
	}
	if (ps->cnt == ps->cap)
		load_pathid_make(ps, 2 * ps->cap);
	n = ps->cnt++;
	ps->at[n] = *want;
	ps->at[n].next = n + 1;
	ps->at[n].net = load_nets_add(ns, want->hi, want->lo, want->key);
	load_pathid_index_put(ps, n);
	return n;
}
