/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prefixes of one run.
 *
 * A net is a number; all that is kept for nets are arrays. Receiving 60 million prefixes
 * has to be cheap, and daemons tend to send the same prefixes in the same order to all
 * clients, so each net remembers which one came after it last time: most lookups are then
 * one comparison in memory that was about to be read anyway. The hash index serves the
 * rest.
 *
 * I1  Numbers are dense and never change; nets are never removed.
 * I2  index holds every net; it is at most half full. */
#include "test/load/load_net.h"

#include "lib/base/hash.h"
#include "lib/mem/mem.h"

static uint32_t
load_net_hash_of(uint64_t hi, uint64_t lo, uint32_t key)
{
	return (uint32_t)hash_u64(lo ^ (uint64_t)key << 32, hi);
}

static void
load_net_index_put(struct load_nets *ns, uint32_t n)
{
	const struct load_net *net = &ns->net[n];
	uint32_t i = load_net_hash_of(net->hi, net->lo, net->key) & ns->index_mask;

	while (ns->index[i])
		i = (i + 1) & ns->index_mask;
	ns->index[i] = n + 1;
}

static void
load_net_grow(struct load_nets *ns)
{
	uint32_t n;

	ns->cap *= 2;
	ns->net = mem_realloc(MEM_OTHER, ns->net, ns->cap, sizeof(*ns->net));
	mem_free(MEM_OTHER, ns->index);
	ns->index_mask = ns->cap * 2 - 1;
	ns->index = mem_zalloc(MEM_OTHER, (size_t)ns->cap * 2 * sizeof(*ns->index));
	for (n = 0; n < ns->cnt; n++)
		load_net_index_put(ns, n);
}

void
load_nets_init(struct load_nets *ns)
{
	ns->cnt = 0;
	ns->cap = 1024;
	ns->net = mem_alloc(MEM_OTHER, ns->cap * sizeof(*ns->net));
	ns->index_mask = ns->cap * 2 - 1;
	ns->index = mem_zalloc(MEM_OTHER, (size_t)ns->cap * 2 * sizeof(*ns->index));
}

void
load_nets_fini(struct load_nets *ns)
{
	mem_free(MEM_OTHER, ns->net);
	mem_free(MEM_OTHER, ns->index);
}

uint32_t
load_nets_lookup(const struct load_nets *ns, uint64_t hi, uint64_t lo, uint32_t key)
{
	uint32_t i = load_net_hash_of(hi, lo, key) & ns->index_mask;

	for (; ns->index[i]; i = (i + 1) & ns->index_mask) {
		const struct load_net *net = &ns->net[ns->index[i] - 1];

		if (net->hi == hi && net->lo == lo && net->key == key)
			return ns->index[i] - 1;
	}
	return LOAD_NONE;
}

uint32_t
load_nets_add(struct load_nets *ns, uint64_t hi, uint64_t lo, uint32_t key)
{
	uint32_t n = load_nets_lookup(ns, hi, lo, key);

	if (n != LOAD_NONE)
		return n;
	if (ns->cnt == ns->cap)
		load_net_grow(ns);
	n = ns->cnt++;
	ns->net[n] = (struct load_net){ hi, lo, key, n + 1, 0, LOAD_NONE };
	load_net_index_put(ns, n);
	return n;
}

struct prefix
load_net_prefix(const struct load_net *n)
{
	struct ip_addr a = { n->hi, n->lo };

	if (load_net_family(n) == FAM_IP4)
		a = ip4((uint32_t)(n->hi >> 32));
	return prefix_make(a, n->key & 0xff, load_net_family(n));
}

uint32_t
load_nets_add_prefix(struct load_nets *ns, const struct prefix *p)
{
	uint64_t hi = p->addr.hi, lo = p->addr.lo;

	if (p->fam == FAM_IP4) {
		hi = (uint64_t)ip_to_v4(p->addr) << 32;
		lo = 0;
	}
	return load_nets_add(ns, hi, lo, load_key((enum family)p->fam, p->len));
}
