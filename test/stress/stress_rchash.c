/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hash under many threads that find, insert and delete counted objects, as interning
 * does.
 *
 * What is checked: who holds an object and asks for its key gets that object (G1: no
 * living twin); what is found is whole and alive (G2); when all is let go the table is
 * empty and everything freed. Few hash values for many keys make long runs of equal
 * hashes. Prints nothing; aborts on a failure. Argument: operations of each thread
 * (120,000). */
#include "lib/mt/rchash.h"
#include "lib/mt/rcu.h"
#include "test/lib/rchash_walk.h"
#include "test/lib/stress.h"

#define THREADS 6
#define HELD    40
#define ALIVE   0x11f311f3u

struct object {
	struct rchash_node node;
	struct rcu_node rcu;
	struct counter32 refs;
	uint32_t key, magic;
};

struct thread {
	struct stress base; /* first */
	struct object *held[HELD];
};

static struct rchash hash;
static struct counter64 made, freed;

static void
stress_rchash_die(const char *what)
{
	fprintf(stderr, "stress_rchash: %s\n", what);
	abort();
}

static bool
stress_rchash_same(struct rchash_node *n, const void *key)
{
	struct object *o = container_of(n, struct object, node);

	if (o->magic != ALIVE)
		stress_rchash_die("a freed object is found");
	return o->key == *(const uint32_t *)key && counter32_add_unless_zero(&o->refs, 1);
}

static uint64_t
stress_rchash_hash_of(uint32_t key)
{
	return hash_u64(3, key < 64 ? key % 5 : key);
}

static struct object *
stress_rchash_intern(uint32_t key)
{
	struct rchash_node *n = rchash_find(
	    &hash, stress_rchash_hash_of(key), stress_rchash_same, &key);
	struct object *o;

	if (n)
		return container_of(n, struct object, node);
	o = mem_zalloc(MEM_ATTR, sizeof(*o));
	o->key = key;
	o->magic = ALIVE;
	counter32_add(&o->refs, 1);
	n = rchash_insert(
	    &hash, &o->node, stress_rchash_hash_of(key), stress_rchash_same, &key);
	if (n != &o->node)
		mem_free(MEM_ATTR, o);
	else
		counter64_add(&made, 1);
	return container_of(n, struct object, node);
}

static void
free_object(struct rcu_node *n)
{
	struct object *o = container_of(n, struct object, rcu);

	o->magic = 0;
	counter64_add(&freed, 1);
	mem_free(MEM_ATTR, o);
}

static void
stress_rchash_release(struct object *o)
{
	if (counter32_sub_acq_rel(&o->refs, 1) != 1)
		return;
	rchash_delete(&hash, &o->node);
	rcu_free_later(&o->rcu, free_object);
}

static void
stress_rchash_check_walk(void)
{
	for (struct rchash_node *n = rchash_first(&hash); n; n = rchash_next(n))
		if (container_of(n, struct object, node)->magic != ALIVE)
			stress_rchash_die("a walk meets a freed object");
}

static void
stress_rchash_step(struct stress *base)
{
	struct thread *t = container_of(base, struct thread, base);
	struct object **at = &t->held[seed_below(&t->base.seed, HELD)], *again;

	if (seed_chance(&t->base.seed, 20000))
		stress_rchash_check_walk();
	if (!*at) {
		/* A small domain for contention, a large one so that the table grows. */
		*at = stress_rchash_intern(seed_chance(&t->base.seed, 3)
					       ? 64 + seed_below(&t->base.seed, 50000)
					       : seed_below(&t->base.seed, 64));
		return;
	}
	if ((*at)->magic != ALIVE)
		stress_rchash_die("an object is freed while it is held");
	again = stress_rchash_intern((*at)->key);
	if (again != *at)
		stress_rchash_die("two living objects of one key");
	stress_rchash_release(again);
	if (seed_chance(&t->base.seed, 2)) {
		stress_rchash_release(*at);
		*at = NULL;
	}
}

static void
stress_rchash_end(struct stress *base)
{
	struct thread *t = container_of(base, struct thread, base);

	for (unsigned i = 0; i < HELD; i++)
		if (t->held[i])
			stress_rchash_release(t->held[i]);
}

int
main(int argc, char **argv)
{
	struct seed s = seed_start("stress_rchash");
	struct thread thread[THREADS] = { 0 };
	uint64_t ops = argc > 1 ? strtoull(argv[1], NULL, 0) : seed_rounds(120000);

	rchash_init(&hash, MEM_ATTR);
	rcu_join();
	stress_run(thread, sizeof(thread[0]), THREADS, &s, ops, stress_rchash_step,
	    stress_rchash_end);
	if (rchash_count(&hash) || rchash_first(&hash))
		stress_rchash_die("the table isn't empty at the end");
	rcu_drain();
	if (counter64_get(&made) != counter64_get(&freed) || !counter64_get(&made))
		stress_rchash_die("not all objects were freed");
	rchash_fini(&hash);
	rcu_leave();
	return 0;
}
