/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lib/mt/rchash.c: threads intern objects of few keys and let the objects go, as the
 * store of attribute sets does. The holder of an object gets the same object for its
 * key (G1). The heap fails the run when a thread touches a freed object (G2). */
#include "lib/base/base.h"
#include "lib/base/hash.h"
#include "lib/mem/mem.h"
#include "lib/mt/rchash.h"
#include "lib/mt/rcu.h"
#include "test/sim/subturns/subturns.h"

#define INTERNERS 3
#define KEYS      3
#define STEPS     5 /* of a thread */

struct object {
	struct rchash_node node;
	struct rcu_node rcu;
	struct counter32 refs;
	uint32_t key, again; /* again: equal to key */
};

static struct rchash table;

static bool
hash_same(struct rchash_node *n, const void *key)
{
	struct object *o = container_of(n, struct object, node);

	if (o->key != o->again)
		sub_fail("an object is without its content");
	return o->key == *(const uint32_t *)key && counter32_add_unless_zero(&o->refs, 1);
}

static void
hash_object_free(struct rcu_node *n)
{
	mem_free(MEM_ATTR, container_of(n, struct object, rcu));
}

static struct object *
hash_intern(uint32_t key)
{
	uint64_t code = hash_u64(3, key % 2); /* keys 0 and 2 have one hash */
	struct rchash_node *n = rchash_find(&table, code, hash_same, &key);
	struct object *o;

	if (n)
		return container_of(n, struct object, node);
	o = mem_zalloc(MEM_ATTR, sizeof(*o));
	o->key = o->again = key;
	counter32_add(&o->refs, 1);
	n = rchash_insert(&table, &o->node, code, hash_same, &key);
	if (n != &o->node)
		mem_free(MEM_ATTR, o);
	return container_of(n, struct object, node);
}

static void
hash_drop(struct object *o)
{
	if (counter32_sub_acq_rel(&o->refs, 1) != 1)
		return;
	rchash_delete(&table, &o->node);
	rcu_free_later(&o->rcu, hash_object_free);
}

static void
hash_interner(void *arg)
{
	struct object *held[KEYS] = { NULL };

	(void)arg;
	rcu_join();
	for (unsigned i = 0; i < STEPS; i++) {
		uint32_t key = (uint32_t)sub_random(KEYS);
		struct object *o = hash_intern(key);

		if (o->key != key)
			sub_fail("key %u gives the object of key %u", key, o->key);
		if (held[key] && held[key] != o)
			sub_fail("key %u has two living objects", key);
		if (held[key] || sub_random(2))
			hash_drop(o);
		else
			held[key] = o;
		if (!sub_random(3)) {
			key = (uint32_t)sub_random(KEYS);
			if (held[key])
				hash_drop(held[key]);
			held[key] = NULL;
		}
		rcu_quiesce();
	}
	for (uint32_t key = 0; key < KEYS; key++)
		if (held[key])
			hash_drop(held[key]);
	rcu_leave();
}

static void
hash_play(void)
{
	static const char *const name[INTERNERS] = { "thread 0", "thread 1", "thread 2" };
	unsigned nr[INTERNERS];

	rchash_init(&table, MEM_ATTR);
	for (unsigned i = 0; i < INTERNERS; i++)
		nr[i] = sub_thread_new(name[i], hash_interner, NULL);
	for (unsigned i = 0; i < INTERNERS; i++)
		sub_thread_join(nr[i]);
	if (rchash_count(&table))
		sub_fail("an object is left in the table");
	rchash_fini(&table);
}

static void
hash_judge(void)
{
	if (sub_heap_left())
		sub_fail("%u blocks are never freed", sub_heap_left());
}

extern const struct sub_program prog_hash;
const struct sub_program prog_hash = { "hash",
	"lib/mt/rchash.c: three threads that intern and let go", hash_play, hash_judge };
