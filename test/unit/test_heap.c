/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timer heap against a search for the least. */
#include "lib/base/heap.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define NODES 200

static struct heap_node node[NODES];

static void
heap_ok(const struct heap *h)
{
	for (uint32_t i = 1; i <= h->cnt; i++) {
		assert_int_equal(h->node[i]->pos, i);
		if (i > 1)
			assert_true(h->node[i]->key >= h->node[i / 2]->key);
	}
}

static void
test_random(void **state)
{
	struct seed s = seed_start("heap");
	struct heap h;

	(void)state;
	heap_init(&h, MEM_LOOP);
	assert_null(heap_min(&h));
	for (uint32_t step = 0; step < seed_rounds(20000); step++) {
		struct heap_node *n = &node[seed_below(&s, NODES)];
		uint64_t least = UINT64_MAX;
		uint32_t in = 0;

		if (n->pos || seed_chance(&s, 3))
			heap_remove(&h, n);
		else
			heap_insert(&h, n, seed_below(&s, 1000));
		for (int i = 0; i < NODES; i++) {
			if (!node[i].pos)
				continue;
			in++;
			least = min_u64(least, node[i].key);
		}
		assert_int_equal(h.cnt, in);
		assert_int_equal(heap_min(&h) != NULL, in > 0);
		if (in)
			assert_int_equal(heap_min(&h)->key, least);
		if (step % 100 == 0)
			heap_ok(&h);
	}
	heap_fini(&h);
	for (int i = 0; i < NODES; i++)
		assert_int_equal(node[i].pos, 0);
}

/* Taking out the least again and again sorts, for all orders of 6 keys. */
static void
test_all_orders(void **state)
{
	struct heap h;

	(void)state;
	heap_init(&h, MEM_LOOP);
	for (unsigned order = 0; order < 720; order++) {
		unsigned left[6] = { 0, 1, 2, 3, 4, 5 }, o = order;

		for (unsigned n = 6; n > 0; n--) {
			unsigned pick = o % n;

			heap_insert(&h, &node[left[pick]], left[pick]);
			left[pick] = left[n - 1];
			o /= n;
		}
		for (unsigned k = 0; k < 6; k++) {
			assert_ptr_equal(heap_min(&h), &node[k]);
			heap_remove(&h, &node[k]);
		}
		assert_null(heap_min(&h));
	}
	heap_fini(&h);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_all_orders),
};

UNIT_MAIN(tests)
