/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interning of hops over lib/mt/rchash, and the references of sets to hops. Any thread.
 *
 * I1  A look-up takes its reference inside the comparison; a hop whose count has reached
 *     zero compares as different.
 * I2  A set keeps its references until its octets are freed. So a set found under RCU,
 *     dying or not, has living hops, and the reader may take references to the hops.
 *
 * Tested by test/unit/test_hop.c. */
#include "nest/rib/attr/hop_store.h"

#include "filter/run/custom.h"
#include "filter/run/hop.h"
#include "lib/attr/attr.h"
#include "lib/base/hash.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"

/* The hops are the first custom item, since no custom item has a lower id. */
_Static_assert(CUSTOM_HOPS == 0, "hops are looked for in the first place alone");

static const struct custom_head *
store_hops_at(const uint64_t *custom, uint32_t len, enum hop_form form)
{
	const struct custom_head *h = (const void *)custom;

	return len && h->id == CUSTOM_HOPS && h->type == form ? h : NULL;
}

bool
hops_interned(const uint64_t *custom, uint32_t len)
{
	return !store_hops_at(custom, len, HOPS_VALUES);
}

void
hop_store_init(struct hop_store *s)
{
	rchash_init(&s->hops, MEM_ATTR);
	s->seed = hash_seed_random();
}

void
hop_store_fini(struct hop_store *s)
{
	rchash_fini(&s->hops);
}

static bool
hop_store_same(struct rchash_node *n, const void *key)
{
	struct hop_node *h = container_of(n, struct hop_node, node);

	return !memcmp(&h->hop, key, sizeof(h->hop)) &&
	       counter32_add_unless_zero(&n->refs, 1); /* I1 */
}

/* hop_get - with a reference. */
static OWNED struct hop_node *
hop_get(struct hop_store *s, const struct hop *key)
{
	uint64_t hash = hash_bytes(s->seed, key, sizeof(*key));
	struct rchash_node *n = rchash_find(&s->hops, hash, hop_store_same, key);
	struct hop_node *h;

	if (n)
		return container_of(n, struct hop_node, node);
	h = mem_zalloc(MEM_ATTR, sizeof(*h));
	h->hop = *key;
	counter32_add(&h->node.refs, 1);
	n = rchash_insert(&s->hops, &h->node, hash, hop_store_same, key);
	if (n != &h->node)
		mem_free(MEM_ATTR, h);
	return container_of(n, struct hop_node, node);
}

static void
store_free_hop(struct rcu_node *n)
{
	mem_free(MEM_ATTR, container_of(n, struct hop_node, rcu));
}

static void
hop_unref(struct hop_store *s, TAKE struct hop_node *h)
{
	if (counter32_sub_acq_rel(&h->node.refs, 1) != 1)
		return;
	rchash_delete(&s->hops, &h->node);
	rcu_free_later(&h->rcu, store_free_hop);
}

uint32_t
hops_intern(struct hop_store *s, struct arena *a, uint64_t **custom, uint32_t len)
{
	const struct custom_head *from = store_hops_at(*custom, len, HOPS_VALUES);
	const struct hop *hop;
	struct hop_node **node;
	struct custom_head *to;
	uint32_t cnt, rest;

	if (!from)
		return len;
	cnt = from->len / (uint32_t)sizeof(*hop);
	rest = len - (uint32_t)sizeof(*from) - from->len; /* 40 is a multiple of 8 */
	to = arena_alloc(a, sizeof(*to) + cnt * sizeof(*node) + rest);
	*to = (struct custom_head){ CUSTOM_HOPS, HOPS_INTERNED, 0,
		cnt * (uint32_t)sizeof(*node) };
	hop = (const struct hop *)(from + 1);
	node = (struct hop_node **)(to + 1);
	for (uint32_t i = 0; i < cnt; i++)
		node[i] = hop_get(s, &hop[i]);
	if (rest)
		memcpy(node + cnt, hop + cnt, rest);
	*custom = (uint64_t *)to;
	return (uint32_t)sizeof(*to) + to->len + rest;
}

/* store_nodes_of - the hops in the custom attributes of a set. Returns: number of hops.
 */
static uint32_t
store_nodes_of(const uint64_t *custom, uint32_t len, struct hop_node *const **node)
{
	const struct custom_head *h = store_hops_at(custom, len, HOPS_INTERNED);

	*node = h ? (struct hop_node *const *)(h + 1) : NULL;
	return h ? h->len / (uint32_t)sizeof(**node) : 0;
}

void
hops_ref(const uint64_t *custom, uint32_t len)
{
	struct hop_node *const *node;

	for (uint32_t cnt = store_nodes_of(custom, len, &node); cnt--;)
		counter32_add(&node[cnt]->node.refs, 1);
}

void
hops_unref(struct hop_store *s, const uint64_t *custom, uint32_t len)
{
	struct hop_node *const *node;

	for (uint32_t cnt = store_nodes_of(custom, len, &node); cnt--;)
		hop_unref(s, node[cnt]);
}
