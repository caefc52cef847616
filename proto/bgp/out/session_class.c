/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interning of classes over lib/mt/rchash, like attribute sets
 * (nest/rib/attr/attr_store.c). Any thread that has joined RCU.
 *
 * I1  Content is written before the node is linked, and never afterwards.
 * I2  A lookup takes its reference inside the comparison, so a found class is alive. The
 *     thread that brings the count to zero removes the entry and frees the entry after a
 *     grace period; the dying class and a new equal class have different keys. */
#include "proto/bgp/out/session_class.h"

#include "lib/base/hash.h"
#include "lib/mem/mem.h"
#include "lib/mt/rchash.h"
#include "lib/mt/rcu.h"
#include "proto/bgp/out/announce.h"

struct class_registry {
	struct rchash classes;
	uint64_t seed;
	struct counter64 last; /* the last number given */
	struct bgp_unsent unsent;
	struct announces *announces; /* NULL: no session has an export table */
};

struct entry {
	struct session_class cls; /* first */
	struct rchash_node node;
	struct counter32 refs;
	struct rcu_node rcu;
};

static bool
session_class_same(struct rchash_node *n, const void *key)
{
	struct entry *e = container_of(n, struct entry, node);

	return bgp_class_equal(&e->cls.bgp, key) &&
	       counter32_add_unless_zero(&e->refs, 1);
}

struct class_registry *
class_registry_new(void)
{
	struct class_registry *r = mem_zalloc(MEM_PROTO, sizeof(*r));

	rchash_init(&r->classes, MEM_PROTO);
	r->seed = hash_seed_random();
	return r;
}

void
class_registry_free(TAKE struct class_registry *r)
{
	announces_free(r->announces);
	rcu_drain();
	ASSERT(!rchash_count(&r->classes));
	rchash_fini(&r->classes);
	mem_free(MEM_PROTO, r);
}

struct bgp_unsent *
class_registry_unsent(struct class_registry *r)
{
	return &r->unsent;
}

struct announces *
class_registry_announces(struct class_registry *r, struct attr_store *store)
{
	if (!r->announces)
		r->announces = announces_new(store);
	return r->announces;
}

const struct session_class *
session_class_get(struct class_registry *r, const struct bgp_class *c)
{
	uint64_t hash = hash_bytes(r->seed, c, sizeof(*c));
	struct rchash_node *n = rchash_find(&r->classes, hash, session_class_same, c);
	struct entry *e;

	if (n)
		return &container_of(n, struct entry, node)->cls;
	e = mem_zalloc(MEM_PROTO, sizeof(*e));
	e->cls.bgp = *c;
	e->cls.key = (counter64_add(&r->last, 1) + 1) << 32 | c->originator_id;
	counter32_add(&e->refs, 1);
	n = rchash_insert(&r->classes, &e->node, hash, session_class_same, c);
	if (n != &e->node)
		mem_free(MEM_PROTO, e);
	return &container_of(n, struct entry, node)->cls;
}

static void
session_class_entry_free(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct entry, rcu));
}

void
session_class_put(struct class_registry *r, const struct session_class *c)
{
	struct entry *e;

	if (!c)
		return;
	e = container_of((struct session_class *)(uintptr_t)c, struct entry, cls);
	if (counter32_sub_acq_rel(&e->refs, 1) != 1)
		return;
	rchash_delete(&r->classes, &e->node);
	rcu_free_later(&e->rcu, session_class_entry_free);
}
