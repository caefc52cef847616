/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interning of attribute sets from many threads.
 *
 * What is checked: who holds a set and asks for the same content gets that set (G1), its
 * content is what was asked for, a pointer that was published and read under RCU becomes
 * a reference or is said to be dying (G2), and nothing but the empty set is left at the
 * end. Prints nothing; aborts on a failure. Argument: operations of each thread
 * (60,000). */
#include "lib/mt/rcu.h"
#include "nest/rib/attr/attr_store.h"
#include "test/lib/stress.h"
#include "test/lib/wire.h"
#include <stdio.h>

#define THREADS 6
#define HELD    24
#define BOARD   8
#define DOMAIN  60

struct held {
	struct attr_set *set;
	uint32_t key;
};

struct thread {
	struct stress base; /* first */
	struct held held[HELD];
};

static struct attr_store *store;
static struct pubptr board[BOARD]; /* sets that others hold: each entry has a reference */

static void
stress_attr_store_die(const char *what)
{
	fprintf(stderr, "stress_attr_store: %s\n", what);
	abort();
}

/* make - the set of @key: 20 wire parts, three kinds of the rest to each. */
static struct attr_set *
stress_attr_store_make(uint32_t key)
{
	uint8_t data[64], path[6] = { AS_SEQUENCE, 1 }, med[4];
	struct wbuf w = wbuf_of(data, sizeof(data));
	struct attr_local local = { .preference = 100 + key / 20 };
	struct wire_set *wire;
	struct attr_set *a;

	put_be32(path + 2, 64512 + key % 20);
	put_be32(med, key % 20);
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	wire_item(&w, 0x80, ATTR_MED, med, sizeof(med));
	if (key % 3)
		return attr_store_intern(
		    store, data, (uint32_t)wbuf_len(&w), &local, NULL, 0);
	wire = attr_store_wire(store, data, (uint32_t)wbuf_len(&w));
	a = attr_store_set(store, wire, &local, NULL, 0);
	wire_set_unref(store, wire);
	return a;
}

static void
stress_attr_store_check(const struct attr_set *a, uint32_t key)
{
	if (a->local.preference != 100 + key / 20 || wire_med(a->wire) != key % 20 ||
	    a->wire->path_first != 64512 + key % 20)
		stress_attr_store_die("a set has another content than was asked for");
}

/* show - leave a set on the board; who was there before is let go. */
static void
stress_attr_store_show(struct thread *t, struct attr_set *a)
{
	struct attr_set *old = xchg_acq_rel_ptr(
	    &board[seed_below(&t->base.seed, BOARD)], attr_set_ref(a, 1));

	if (old)
		attr_set_unref(store, old, 1);
}

/* look - borrow from the board, turn it into a reference. */
static void
stress_attr_store_look(struct thread *t)
{
	struct attr_set *a = load_acquire_ptr(&board[seed_below(&t->base.seed, BOARD)]);
	uint32_t key;

	if (!a)
		return;
	key = (a->local.preference - 100) * 20 + wire_med(a->wire);
	stress_attr_store_check(a, key); /* readable, dying or not */
	if (!attr_set_ref_live(a))
		return;
	stress_attr_store_check(a, key);
	attr_set_unref(store, a, 1);
}

static void
stress_attr_store_step(struct stress *base)
{
	struct thread *t = container_of(base, struct thread, base);
	struct held *h = &t->held[seed_below(&t->base.seed, HELD)];
	struct attr_set *again;

	if (!h->set) {
		h->key = seed_below(&t->base.seed, DOMAIN);
		h->set = stress_attr_store_make(h->key);
		stress_attr_store_check(h->set, h->key);
		return;
	}
	again = stress_attr_store_make(h->key);
	if (again != h->set)
		stress_attr_store_die("two living sets of one content");
	if (seed_chance(&t->base.seed, 3))
		stress_attr_store_show(t, again);
	if (seed_chance(&t->base.seed, 2)) {
		attr_set_unref(store, again, 2); /* both at once */
		h->set = NULL;
	} else {
		attr_set_unref(store, again, 1);
	}
	stress_attr_store_look(t);
}

static void
stress_attr_store_end(struct stress *base)
{
	struct thread *t = container_of(base, struct thread, base);

	for (unsigned i = 0; i < HELD; i++)
		if (t->held[i].set)
			attr_set_unref(store, t->held[i].set, 1);
}

int
main(int argc, char **argv)
{
	struct seed s = seed_start("stress_attr_store");
	struct thread thread[THREADS] = { 0 };
	struct attr_store_stats st;
	uint64_t ops = argc > 1 ? strtoull(argv[1], NULL, 0) : seed_rounds(60000);

	rcu_join();
	store = attr_store_new();
	stress_run(thread, sizeof(thread[0]), THREADS, &s, ops, stress_attr_store_step,
	    stress_attr_store_end);
	for (unsigned i = 0; i < BOARD; i++)
		if (load_relaxed_ptr(&board[i]))
			attr_set_unref(store, load_relaxed_ptr(&board[i]), 1);
	rcu_drain(); /* the sets, which let their wire parts go */
	attr_store_stats(store, &st);
	if (st.sets != 1 || st.wires != 1)
		stress_attr_store_die("sets are left: a reference was lost");
	attr_store_free(store);
	rcu_drain();
	rcu_leave();
	return 0;
}
