/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions with add-path (RFC 7911) name a prefix and a path identifier in their NLRI.
 * Each pair of a prefix and an identifier has a small number. All sessions that receive
 * the pair share the number. */
#ifndef TERN_TEST_LOAD_PATHID_H
#define TERN_TEST_LOAD_PATHID_H

#include "test/load/load_net.h"

/* 32 octets, as a load_net.
 * owner: struct load_pathids; lives: as long as its owner. */
struct load_pathid {
	uint64_t hi, lo; /* of the net */
	uint32_t key;
	uint32_t id; /* on the wire */
	uint32_t next; /* the number that came after this one last time: a guess */
	uint32_t net;
};

struct load_pathids {
	struct load_pathid *at;
	uint32_t cnt;
	/* private */
	uint32_t cap;
	uint32_t *index; /* number + 1; 0: empty */
	uint32_t index_mask;
};

void load_pathids_init(struct load_pathids *ps);
void load_pathids_fini(struct load_pathids *ps);
/* load_pathids_add - find @id of this prefix or add it, and the prefix to @ns. Returns:
 * its number. */
uint32_t load_pathids_add(
    struct load_pathids *ps, struct load_nets *ns, const struct load_pathid *want);

/* load_pathids_after - likewise, trying first what followed @prev last time. @prev: a
 * number, or LOAD_NONE; @want: hi, lo, key and id count. */
static inline uint32_t
load_pathids_after(struct load_pathids *ps, struct load_nets *ns, uint32_t prev,
    const struct load_pathid *want)
{
	uint32_t guess = prev < ps->cnt ? ps->at[prev].next : 0;
	uint32_t n;

	if (likely(guess < ps->cnt)) {
		const struct load_pathid *g = &ps->at[guess];

		if (likely(g->hi == want->hi && g->id == want->id && g->lo == want->lo &&
			   g->key == want->key))
			return guess;
	}
	n = load_pathids_add(ps, ns, want);
	if (prev < ps->cnt)
		ps->at[prev].next = n;
	return n;
}

#endif
