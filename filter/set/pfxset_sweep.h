/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From patterns to ranges of addresses: the half of filter/set/pfxset.c that sorts and
 * sweeps. Owner: the builder of the set. Life: on the stack, until sweep_fini. Loop: the
 * parser's thread. */
#ifndef TERN_FILTER_SET_PFXSET_SWEEP_H
#define TERN_FILTER_SET_PFXSET_SWEEP_H

#include "filter/set/pfx_pattern.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

/* Set of prefix lengths 0 to 128. */
struct lenset {
	uint64_t w[3];
};

#define SWEEP_CACHE 256

/* Ranges of one family under construction, ascending; range i ends before start[i +
 * 1]. */
struct sweep {
	struct ip_addr *start;
	uint32_t *id; /* index of the range's length set in lens; 0: the empty set */
	uint32_t cnt;
	struct lenset *lens;
	uint32_t lens_cnt, lens_cap;
	uint32_t cache[SWEEP_CACHE]; /* by hash: an index in lens */
};

/* sweep_key - the address as the 128-bit number of its family's ranges: IPv4 stands in
 * the highest 32 bits, so both families share the code. */
static inline struct ip_addr
sweep_key(struct ip_addr a, unsigned fam)
{
	if (fam == FAM_IP4)
		return (struct ip_addr){ (uint64_t)ip_to_v4(a) << 32, 0 };
	return a;
}

/* patterns_sort - sort by family, address, length. Cost: one look at each pattern if
 * sorted. */
void patterns_sort(struct pfx_pattern *pat, uint32_t cnt);
/* sweep_run - compute the ranges of @pat, which are sorted and of one family; patterns
 * with hi < len have no range. Neighbouring ranges differ. */
void sweep_run(struct sweep *s, const struct pfx_pattern *pat, uint32_t cnt);
void sweep_fini(struct sweep *s);

#endif
