/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prefixes of one run, each with a small number, and what clients must hold for them.
 */
#ifndef TERN_TEST_LOAD_NET_H
#define TERN_TEST_LOAD_NET_H

#include "lib/net/prefix.h"

#define LOAD_NONE UINT32_MAX

/* 32 octets, so that taking a prefix apart touches half a cache line here.
 * owner: struct load_nets; lives: as long as that. */
struct load_net {
	uint64_t hi,
	    lo; /* address, left aligned: an IPv4 address is the upper half of hi */
	uint32_t key; /* family << 8 | length */
	uint32_t next; /* the net that came after this one last time: a guess */
	uint32_t want; /* attribute set that clients must hold; 0: no route */
	uint32_t want_src; /* the client it comes from, who must hold nothing */
};

struct load_nets {
	struct load_net *net;
	uint32_t cnt;
	/* private */
	uint32_t cap;
	uint32_t *index; /* net number + 1; 0: empty */
	uint32_t index_mask;
};

void load_nets_init(struct load_nets *ns);
void load_nets_fini(struct load_nets *ns);
/* load_nets_add - find the prefix or add it. Returns: its number. */
uint32_t load_nets_add(struct load_nets *ns, uint64_t hi, uint64_t lo, uint32_t key);
/* load_nets_lookup - Returns: number or LOAD_NONE. */
uint32_t load_nets_lookup(
    const struct load_nets *ns, uint64_t hi, uint64_t lo, uint32_t key);
/* load_nets_after - find the prefix, trying first the one that followed @prev last time,
 * and remember what follows. Unknown prefixes are added. @prev: a number, or LOAD_NONE.
 */
static inline uint32_t
load_nets_after(
    struct load_nets *ns, uint32_t prev, uint64_t hi, uint64_t lo, uint32_t key)
{
	uint32_t guess = prev < ns->cnt ? ns->net[prev].next : 0;
	uint32_t n;

	if (likely(guess < ns->cnt)) {
		const struct load_net *g = &ns->net[guess];

		if (likely(g->hi == hi && g->lo == lo && g->key == key))
			return guess;
	}
	n = load_nets_add(ns, hi, lo, key);
	if (prev < ns->cnt)
		ns->net[prev].next = n;
	return n;
}

/* load_net_prefix - the same as a value of lib/net. */
struct prefix load_net_prefix(const struct load_net *n);
/* load_nets_add_prefix - load_nets_add of such a value. */
uint32_t load_nets_add_prefix(struct load_nets *ns, const struct prefix *p);

static inline uint32_t
load_key(enum family fam, unsigned len)
{
	return (uint32_t)fam << 8 | len;
}

static inline enum family
load_net_family(const struct load_net *n)
{
	return (enum family)(n->key >> 8);
}

#endif
