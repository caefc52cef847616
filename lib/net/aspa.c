/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ASPA: customers in one sorted array, and the check of a path in one pass. One loop
 * writes a map; any thread under RCU reads.
 *
 * The draft numbers a path without repetitions AS(1), the origin, to AS(N), the
 * neighbour. For two neighbours in the path the draft asks whether the first attests the
 * second as its provider: "Provider+", "Not Provider+", or "No Attestation". An up ramp
 * starts at the origin and continues while each AS attests the next AS. A down ramp
 * starts at the neighbour and continues while each AS attests the AS behind. The longest
 * ramp ends at the first "Not Provider+"; the shortest ramp ends at the first answer
 * other than "Provider+".
 *
 *      upstream    INVALID if the longest up ramp is shorter than N, UNKNOWN if the
 *                  shortest up ramp is shorter than N
 *      downstream  INVALID if both longest ramps together are shorter than N, UNKNOWN if
 *                  both shortest ramps together are shorter than N
 *
 * Paths are stored from the neighbour on. Pairs are numbered from 1. The pass notes the
 * last pair that ends the up ramp (nearest to the origin; the ramp's length is N less the
 * pair's number) and the first pair that ends the down ramp (the ramp's length is the
 * pair's number).
 *
 * I1  A published list is immutable; the writer copies the whole list for each batch. A
 *     list of 100,000 customers has 1.2 MB, and a batch has up to a thousand changes. In
 *     return a walk sees one state, and a lookup is one binary search.
 * I2  A replaced list and the replaced entries are freed a grace period later, by one
 *     call_rcu per batch. */
#include "lib/net/aspa.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"

#include <stdlib.h>

struct aspa_list {
	uint32_t cnt;
	const struct aspa **aspa; /* behind asn */
	uint32_t asn[]; /* ascending */
};

/* owner: the writer; lives: as the caller says. */
struct aspa_map {
	struct pubptr list; /* struct aspa_list *, never NULL */
};

/* What a batch replaced. */
struct aspa_garbage {
	struct rcu_node rcu;
	struct aspa_list *list;
	uint32_t cnt;
	const struct aspa *aspa[];
};

static const struct aspa_list *
aspa_list_of(const struct aspa_map *m)
{
	return load_acquire_ptr(&m->list); /* pairs: ASPALIST */
}

/* ---- entries ---- */

static int
aspa_as_cmp(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

struct aspa *
aspa_new(uint32_t customer, const uint32_t *provider, uint32_t cnt)
{
	struct aspa *a = mem_alloc(MEM_TABLE, sizeof(*a) + cnt * sizeof(a->provider[0]));
	uint32_t to = 0;

	a->customer = customer;
	memcpy(a->provider, provider, cnt * sizeof(a->provider[0]));
	qsort(a->provider, cnt, sizeof(a->provider[0]), aspa_as_cmp);
	for (uint32_t i = 0; i < cnt; i++)
		if (!to || a->provider[to - 1] != a->provider[i])
			a->provider[to++] = a->provider[i];
	a->cnt = to;
	return a;
}

bool
aspa_same(const struct aspa *a, const struct aspa *b)
{
	return a->cnt == b->cnt &&
	       !memcmp(a->provider, b->provider, a->cnt * sizeof(a->provider[0]));
}

/* aspa_upto - how many of @cnt ascending numbers are @as or below. */
static uint32_t
aspa_upto(const uint32_t *asn, uint32_t cnt, uint32_t as)
{
	uint32_t base = 0;

	if (!cnt)
		return 0;
	while (cnt > 1) {
		uint32_t half = cnt / 2;

		base = asn[base + half] <= as ? base + half : base;
		cnt -= half;
	}
	return base + (asn[base] <= as);
}

bool
aspa_has_provider(const struct aspa *a, uint32_t as)
{
	uint32_t i = aspa_upto(a->provider, a->cnt, as);

	return i && a->provider[i - 1] == as;
}

/* ---- lists ---- */

static struct aspa_list *
aspa_list_new(uint32_t cnt)
{
	size_t asn = ((size_t)cnt * sizeof(uint32_t) + 7) & ~(size_t)7;
	struct aspa_list *l;

	/* the size is a multiple of 8 up to asn, so the pointers behind asn are
	 * aligned */
	l = mem_alloc(MEM_TABLE, sizeof(*l) + asn + cnt * sizeof(l->aspa[0]));
	l->aspa = (const struct aspa **)(void *)((uint8_t *)l->asn + asn);
	l->cnt = 0;
	return l;
}

_Static_assert(offsetof(struct aspa_list, asn) % 8 == 0, "pointers stand behind asn");

static void
aspa_list_add(struct aspa_list *l, const struct aspa *a)
{
	l->asn[l->cnt] = a->customer;
	l->aspa[l->cnt++] = a;
}

static const struct aspa *
aspa_list_find(const struct aspa_list *l, uint32_t customer)
{
	uint32_t i = aspa_upto(l->asn, l->cnt, customer);

	return i && l->asn[i - 1] == customer ? l->aspa[i - 1] : NULL;
}

static void
aspa_free(const struct aspa *a)
{
	mem_free(MEM_TABLE, (void *)(uintptr_t)a);
}

static void
aspa_free_garbage(struct rcu_node *n)
{
	struct aspa_garbage *g = container_of(n, struct aspa_garbage, rcu);

	for (uint32_t i = 0; i < g->cnt; i++)
		aspa_free(g->aspa[i]);
	mem_free(MEM_TABLE, g->list);
	mem_free(MEM_TABLE, g);
}

/* ---- writing ---- */

static int
aspa_change_cmp(const void *x, const void *y)
{
	const struct aspa_change *a = x, *b = y;

	return aspa_as_cmp(&a->customer, &b->customer);
}

void
aspa_map_update(struct aspa_map *m, struct aspa_change *c, uint32_t cnt)
{
	struct aspa_list *old = load_relaxed_ptr(&m->list), *l;
	struct aspa_garbage *g;
	uint32_t i = 0;

	g = mem_alloc(MEM_TABLE, sizeof(*g) + cnt * sizeof(g->aspa[0]));
	g->cnt = 0;
	g->list = old;
	l = aspa_list_new(old->cnt + cnt);
	qsort(c, cnt, sizeof(*c), aspa_change_cmp);
	while (i < old->cnt || cnt) {
		if (!cnt || (i < old->cnt && old->asn[i] < c->customer)) {
			aspa_list_add(l, old->aspa[i++]);
			continue;
		}
		if (i < old->cnt && old->asn[i] == c->customer)
			g->aspa[g->cnt++] = old->aspa[i++];
		if (c->aspa)
			aspa_list_add(l, c->aspa);
		c++;
		cnt--;
	}
	store_release_ptr(&m->list, l); /* pairs: ASPALIST */
	rcu_free_later(&g->rcu, aspa_free_garbage);
}

/* ---- looking ---- */

const struct aspa *
aspa_map_get(const struct aspa_map *m, uint32_t customer)
{
	return aspa_list_find(aspa_list_of(m), customer);
}

uint64_t
aspa_map_cnt(const struct aspa_map *m)
{
	return aspa_list_of(m)->cnt;
}

/* ---- paths ---- */

enum hop { HOP_NO_ATTESTATION, HOP_PROVIDER, HOP_NOT_PROVIDER };

static enum hop
aspa_hop(const struct aspa *customer, uint32_t provider)
{
	if (!customer)
		return HOP_NO_ATTESTATION;
	return aspa_has_provider(customer, provider) ? HOP_PROVIDER : HOP_NOT_PROVIDER;
}

void
aspa_walk_init(struct aspa_walk *w, const struct aspa_map *m)
{
	static const struct aspa_list none;

	*w = (struct aspa_walk){ .list = m ? aspa_list_of(m) : &none };
}

void
aspa_walk_as(struct aspa_walk *w, uint32_t as)
{
	const struct aspa *a;
	enum hop up, down;

	if (w->cnt && w->last_as == as)
		return;
	a = aspa_list_find(w->list, as);
	if (w->cnt) { /* cnt is the pair's number */
		up = aspa_hop(a, w->last_as);
		down = aspa_hop(w->last, as);
		if (up == HOP_NOT_PROVIDER)
			w->up_not = w->cnt;
		if (up != HOP_PROVIDER)
			w->up_weak = w->cnt;
		if (down == HOP_NOT_PROVIDER && !w->down_not)
			w->down_not = w->cnt;
		if (down != HOP_PROVIDER && !w->down_weak)
			w->down_weak = w->cnt;
	}
	w->last = a;
	w->last_as = as;
	w->cnt++;
}

const struct aspa *
aspa_walk_attested(const struct aspa_walk *w, uint32_t customer)
{
	return aspa_list_find(w->list, customer);
}

enum aspa_state
aspa_walk_state(const struct aspa_walk *w, bool upstream)
{
	uint32_t n = w->cnt;
	uint32_t max_up = w->up_not ? n - w->up_not : n;
	uint32_t min_up = w->up_weak ? n - w->up_weak : n;
	uint32_t max_down = w->down_not ? w->down_not : n;
	uint32_t min_down = w->down_weak ? w->down_weak : n;

	if (!n)
		return ASPA_INVALID;
	if (upstream)
		max_down = min_down = 0;
	if (max_up + max_down < n)
		return ASPA_INVALID;
	return min_up + min_down < n ? ASPA_UNKNOWN : ASPA_VALID;
}

/* ---- life ---- */

struct aspa_map *
aspa_map_new(void)
{
	struct aspa_map *m = mem_zalloc(MEM_TABLE, sizeof(*m));

	store_release_ptr(&m->list, aspa_list_new(0)); /* pairs: ASPALIST */
	return m;
}

void
aspa_map_free(TAKE struct aspa_map *m)
{
	struct aspa_list *l;

	if (!m)
		return;
	l = load_relaxed_ptr(&m->list);
	for (uint32_t i = 0; i < l->cnt; i++)
		aspa_free(l->aspa[i]);
	mem_free(MEM_TABLE, l);
	mem_free(MEM_TABLE, m);
}
