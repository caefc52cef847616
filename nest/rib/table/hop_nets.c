/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets by next hop (hop_nets.h).
 *
 * Each address has an open-addressing table of net ids. The table has an entry for each
 * path, so an id may have several entries: for a moment during a replacement (the new
 * path is added first), or longer if a source has several paths of a net.
 *
 * I1  An id stands in the first free place from its home on: a removal closes the gap. So
 *     a search finds the id before a free place.
 * I2  At most 3/4 of the places are taken.
 *
 * Loop: the table's. */
#include "nest/rib/table/hop_nets.h"

#include "filter/run/custom.h"
#include "lib/attr/attr.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/mem/mem.h"

#define FREE   UINT32_MAX /* no net id */
#define PLACES 4 /* at first */
#define FEW(n) ((n) / 8) /* of @n places: below this count, shrink to half */
#define SPREAD 0x9e3779b1u /* 2^32 by the golden ratio */

/* Owner: the table; freed with its last net. */
struct hop_set {
	struct htab_node node;
	struct ip_addr addr;
	uint32_t *id;
	uint32_t places; /* a power of two */
	uint32_t cnt;
};

struct hop_nets {
	struct htab by_addr;
};

static uint32_t
hop_nets_place_of(const struct hop_set *h, uint32_t id)
{
	return (id * SPREAD) >> (32 - (uint32_t)__builtin_ctz(h->places));
}

static void
hop_nets_put(struct hop_set *h, uint32_t id)
{
	uint32_t i = hop_nets_place_of(h, id);

	while (h->id[i] != FREE)
		i = (i + 1) & (h->places - 1);
	h->id[i] = id;
}

static void
hop_nets_resize(struct hop_set *h, uint32_t places)
{
	uint32_t *old = h->id, old_places = h->places;

	h->id = mem_alloc(MEM_TABLE, places * sizeof(*h->id));
	h->places = places;
	memset(h->id, 0xff, places * sizeof(*h->id));
	for (uint32_t i = 0; i < old_places; i++)
		if (old[i] != FREE)
			hop_nets_put(h, old[i]);
	mem_free(MEM_TABLE, old);
}

/* hop_nets_take_out - remove the entry at @i; move later entries up where I1 allows. */
static void
hop_nets_take_out(struct hop_set *h, uint32_t i)
{
	uint32_t mask = h->places - 1;

	for (uint32_t k = (i + 1) & mask; h->id[k] != FREE; k = (k + 1) & mask)
		if (((k - hop_nets_place_of(h, h->id[k])) & mask) >= ((k - i) & mask)) {
			h->id[i] = h->id[k];
			i = k;
		}
	h->id[i] = FREE;
}

static uint64_t
hop_nets_hash_of(struct ip_addr a)
{
	return hash_u64(hash_u64(0, a.hi), a.lo);
}

static struct hop_set *
hop_nets_find(const struct hop_nets *x, struct ip_addr a)
{
	struct htab_node *n;

	htab_each_same (n, &x->by_addr, hop_nets_hash_of(a)) {
		struct hop_set *h = container_of(n, struct hop_set, node);

		if (ip_equal(h->addr, a))
			return h;
	}
	return NULL;
}

static void
hop_nets_add_one(struct hop_nets *x, struct ip_addr a, uint32_t id)
{
	struct hop_set *h = hop_nets_find(x, a);

	if (!h) {
		h = mem_zalloc(MEM_TABLE, sizeof(*h));
		h->addr = a;
		htab_add(&x->by_addr, &h->node, hop_nets_hash_of(a));
		hop_nets_resize(h, PLACES);
	}
	if (h->cnt >= h->places / 4 * 3)
		hop_nets_resize(h, 2 * h->places);
	hop_nets_put(h, id);
	h->cnt++;
}

static void
hop_nets_drop(struct hop_nets *x, struct hop_set *h)
{
	htab_del(&x->by_addr, &h->node);
	mem_free(MEM_TABLE, h->id);
	mem_free(MEM_TABLE, h);
}

static void
hop_nets_take_one(struct hop_nets *x, struct ip_addr a, uint32_t id)
{
	struct hop_set *h = hop_nets_find(x, a);
	uint32_t i;

	ASSERT(h);
	i = hop_nets_place_of(h, id);
	while (h->id[i] != id) {
		ASSERT(h->id[i] != FREE);
		i = (i + 1) & (h->places - 1);
	}
	hop_nets_take_out(h, i);
	if (!--h->cnt)
		hop_nets_drop(x, h);
	else if (h->places > PLACES && h->cnt < FEW(h->places))
		hop_nets_resize(h, h->places / 2);
}

void
hop_nets_count(struct hop_nets *x, const struct attr_set *set, uint32_t id, int add)
{
	struct custom_item it;
	struct ip_addr a;

	if (!set->local.custom_words || !custom_find(set, CUSTOM_RECURSIVE, &it) ||
	    it.len != sizeof(a))
		return;
	memcpy(&a, it.val, sizeof(a));
	if (add > 0)
		hop_nets_add_one(x, a, id);
	else
		hop_nets_take_one(x, a, id);
}

bool
hop_nets_has(const struct hop_nets *x, struct ip_addr a)
{
	return hop_nets_find(x, a) != NULL;
}

OWNED uint32_t *
hop_nets_get(const struct hop_nets *x, uint32_t *cnt, const struct ip_addr *addr,
    uint32_t addr_cnt, uint32_t most)
{
	uint32_t *ids, to = 0;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < addr_cnt; i++) {
		const struct hop_set *h = hop_nets_find(x, addr[i]);

		sum += h ? h->cnt : 0;
	}
	*cnt = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
	if (sum > most)
		return NULL;
	ids = mem_alloc(MEM_TABLE, (*cnt + 1) * sizeof(*ids));
	for (uint32_t i = 0; i < addr_cnt; i++) {
		const struct hop_set *h = hop_nets_find(x, addr[i]);

		for (uint32_t k = 0; h && k < h->places; k++)
			if (h->id[k] != FREE)
				ids[to++] = h->id[k];
	}
	return ids;
}

OWNED struct hop_nets *
hop_nets_new(void)
{
	struct hop_nets *x = mem_zalloc(MEM_TABLE, sizeof(*x));

	htab_init(&x->by_addr, MEM_TABLE);
	return x;
}

void
hop_nets_free(TAKE struct hop_nets *x)
{
	struct htab_node *n;

	if (!x)
		return;
	while ((n = htab_walk(&x->by_addr, NULL)))
		hop_nets_drop(x, container_of(n, struct hop_set, node));
	htab_fini(&x->by_addr);
	mem_free(MEM_TABLE, x);
}
