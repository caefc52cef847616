/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interning of announcements over lib/mt/rchash, like attribute sets
 * (nest/rib/attr/attr_store.c). The number of an announcement is a place in a block; free
 * places form a list. Each block has as many places as all blocks before together, so a
 * few blocks suffice for all numbers, and a peer can use up no more than memory. Any
 * thread that has joined RCU.
 *
 * I1  Content is written before the announcement can be found, by content or by number,
 *     and never afterwards.
 * I2  The thread that brings a count to zero removes the announcement, by content and by
 *     number; the number and the reference on the wire set are released a grace period
 *     later.
 * I3  The list's head has a count of changes beside the number. A thread that takes the
 *     first free place by a CAS therefore detects that the place was taken and returned
 *     meanwhile. */
#include "proto/bgp/out/announce.h"

#include "lib/base/hash.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rchash.h"
#include "lib/mt/rcu.h"
#include "nest/rib/attr/attr_store.h"

#define FIRST_BITS 11 /* numbers of the first block */
#define BLOCK_CNT  (32 - FIRST_BITS + 1)

struct announces {
	struct rchash all;
	uint64_t seed;
	struct attr_store *store;
	struct pub64 free; /* count of changes and number; 0: none is free */
	struct counter32 last; /* number that was given first, last */
	/* made when needed: an array of struct pubptr, one a number. In use, the number's
	 * announcement, or NULL; free, the next free one, shifted, and a 1. */
	struct pubptr block[BLOCK_CNT];
};

struct dead {
	struct rcu_node rcu;
	struct announces *from;
	struct announce *a;
};

struct announces *
announces_new(struct attr_store *store)
{
	struct announces *as = mem_zalloc(MEM_PROTO, sizeof(*as));

	rchash_init(&as->all, MEM_PROTO);
	as->seed = hash_seed_random();
	as->store = store;
	return as;
}

void
announces_free(TAKE struct announces *as)
{
	if (!as)
		return;
	rcu_drain();
	ASSERT(!rchash_count(&as->all));
	rchash_fini(&as->all);
	for (unsigned i = 0; i < BLOCK_CNT; i++)
		mem_free(MEM_PROTO, load_relaxed_ptr(&as->block[i]));
	mem_free(MEM_PROTO, as);
}

/* ---- numbers ---- */

static unsigned
announce_block_of(uint32_t id)
{
	return id >> FIRST_BITS ? 32 - FIRST_BITS - (unsigned)__builtin_clz(id) : 0;
}

/* announce_first_of - the first number of block @b, and how many are in it; of the first
 * one the latter alone. */
static uint32_t
announce_first_of(unsigned b)
{
	return 1u << (b + FIRST_BITS - (b != 0));
}

static struct pubptr *
announce_place_of(const struct announces *as, uint32_t id)
{
	unsigned b = announce_block_of(id);
	struct pubptr *at = load_acquire_ptr(&as->block[b]); /* pairs: ANBLOCK */

	return &at[b ? id - announce_first_of(b) : id];
}

static void
announce_make_block(struct announces *as, unsigned b)
{
	void *none = NULL, *at;

	if (load_acquire_ptr(&as->block[b])) /* pairs: ANBLOCK */
		return;
	at = mem_zalloc(MEM_PROTO, announce_first_of(b) * sizeof(struct pubptr));
	if (!cas_acq_rel_ptr(&as->block[b], &none, at)) /* pairs: ANBLOCK */
		mem_free(MEM_PROTO, at);
}

/* announce_head_with - @id for the first free number instead of @head. */
static uint64_t
announce_head_with(uint64_t head, uint32_t id)
{
	return ((head >> 32) + 1) << 32 | id;
}

static uint32_t
announce_number_take(struct announces *as)
{
	uint64_t head = load_acquire64(&as->free); /* pairs: ANFREE */
	uint32_t id;

	while ((id = (uint32_t)head)) {
		uintptr_t next = (uintptr_t)load_relaxed_ptr(announce_place_of(as, id));

		if (cas_acq_rel64(&as->free, &head,
			announce_head_with(
			    head, (uint32_t)(next >> 1)))) /* pairs: ANFREE */
			return id;
	}
	id = counter32_add(&as->last, 1) + 1;
	announce_make_block(as, announce_block_of(id));
	return id;
}

static void
announce_number_give(struct announces *as, uint32_t id)
{
	uint64_t head = load_relaxed64(&as->free);

	do
		store_relaxed_ptr(announce_place_of(as, id),
		    (void *)((uintptr_t)(uint32_t)head << 1 | 1));
	while (!cas_acq_rel64(
	    &as->free, &head, announce_head_with(head, id))); /* pairs: ANFREE */
}

const struct announce *
announce_at(const struct announces *as, uint32_t id)
{
	const struct announce *a = load_acquire_ptr(
	    announce_place_of(as, id)); /* pairs: ANPLACE */

	return unlikely((uintptr_t)a & 1) ? NULL : a;
}

/* ---- by content ---- */

static bool
announce_take_it(struct rchash_node *n, const void *key)
{
	return announce_equal(container_of(n, struct announce, node), key) &&
	       counter32_add_unless_zero(&n->refs, 1);
}

static uint64_t
announce_hash_of(const struct announces *as, const struct announce *key)
{
	uint64_t hash = hash_u64(as->seed, key->wire->node.hash);

	if (unlikely(key->look || key->originator_id))
		hash = hash_u64(hash, (uint64_t)key->look << 32 | key->originator_id);
	return hash;
}

const struct announce *
announce_get(struct announces *as, const struct announce *key)
{
	uint64_t hash = announce_hash_of(as, key);
	struct rchash_node *n = rchash_find(&as->all, hash, announce_take_it, key);
	struct announce *a;

	if (n)
		return container_of(n, struct announce, node);
	a = mem_zalloc(MEM_PROTO, sizeof(*a));
	a->wire = wire_set_ref(key->wire);
	a->originator_id = key->originator_id;
	a->look = key->look;
	a->id = announce_number_take(as);
	counter32_add(&a->node.refs, 1);
	store_release_ptr(announce_place_of(as, a->id), a); /* pairs: ANPLACE */
	n = rchash_insert(&as->all, &a->node, hash, announce_take_it, key);
	if (n != &a->node) { /* nobody knows the number yet */
		announce_number_give(as, a->id);
		wire_set_unref(as->store, a->wire);
		mem_free(MEM_PROTO, a);
	}
	return container_of(n, struct announce, node);
}

static void
announce_free_dead(struct rcu_node *n)
{
	struct dead *d = container_of(n, struct dead, rcu);

	announce_number_give(d->from, d->a->id);
	wire_set_unref(d->from->store, d->a->wire);
	mem_free(MEM_PROTO, d->a);
	mem_free(MEM_PROTO, d);
}

void
announce_put(struct announces *as, TAKE const struct announce *a)
{
	struct announce *mine = (struct announce *)(uintptr_t)a;
	struct dead *d;

	if (counter32_sub_acq_rel(&mine->node.refs, 1) != 1)
		return;
	rchash_delete(&as->all, &mine->node);
	store_relaxed_ptr(announce_place_of(as, mine->id), NULL);
	d = mem_alloc(MEM_PROTO, sizeof(*d));
	d->from = as;
	d->a = mine;
	rcu_free_later(&d->rcu, announce_free_dead);
}
