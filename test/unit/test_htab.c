/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hash tables of one owner: small cases, and the order that is promised. test/prop has
 * random operations against a list. */
#include "lib/base/htab.c"
#include "test/lib/unit.h"

struct thing {
	struct htab_node node;
	unsigned number;
};

static struct thing *
test_htab_thing_of(struct htab_node *n)
{
	return n ? container_of(n, struct thing, node) : NULL;
}

static void
test_empty(void **state)
{
	size_t before = mem_used(MEM_OTHER);
	struct htab t;

	(void)state;
	htab_init(&t, MEM_OTHER);
	assert_null(htab_find(&t, 0));
	assert_null(htab_walk(&t, NULL));
	assert_int_equal(mem_used(MEM_OTHER), before);
	htab_fini(&t);
}

/* G1, G2: all in one chain, and in two that a split makes of it. */
static void
test_order(void **state)
{
	struct thing thing[64] = { 0 };
	struct htab_node *n;
	struct htab t;
	int next;

	(void)state;
	for (unsigned apart = 0; apart < 2; apart++) {
		htab_init(&t, MEM_OTHER);
		for (unsigned i = 0; i < 64; i++) {
			thing[i].number = i;
			htab_add(&t, &thing[i].node, apart ? i % 2 * 8 : 1000);
		}
		assert_int_equal(htab_cnt(&t), 64);
		next = 63;
		htab_each_same (n, &t, apart ? 8 : 1000) {
			assert_int_equal(test_htab_thing_of(n)->number, next);
			next -= 1 + (int)apart;
		}
		assert_int_equal(next, -1);
		htab_fini(&t);
	}
}

static void
test_delete(void **state)
{
	size_t before = mem_used(MEM_OTHER);
	struct thing a, b, c;
	struct htab t;

	(void)state;
	htab_init(&t, MEM_OTHER);
	htab_add(&t, &a.node, 5);
	htab_add(&t, &b.node, 5);
	htab_add(&t, &c.node, 13); /* in the bucket of the others */
	assert_ptr_equal(htab_find(&t, 5), &b.node);
	htab_del(&t, &b.node);
	assert_ptr_equal(htab_find(&t, 5), &a.node);
	assert_null(htab_next(&a.node));
	htab_del(&t, &a.node);
	assert_null(htab_find(&t, 5));
	assert_ptr_equal(htab_find(&t, 13), &c.node);
	assert_ptr_equal(htab_walk(&t, NULL), &c.node);
	assert_null(htab_walk(&t, &c.node));
	htab_fini(&t);
	assert_int_equal(mem_used(MEM_OTHER), before);
}

static void
test_arena(void **state)
{
	struct thing thing[100];
	struct htab_node *n = NULL;
	unsigned cnt = 0;
	struct arena a;
	struct htab t;

	(void)state;
	arena_init(&a, MEM_CONFIG, 1024);
	htab_init_arena(&t, &a);
	for (unsigned i = 0; i < 100; i++)
		htab_add(&t, &thing[i].node, i * 77);
	for (unsigned i = 0; i < 100; i++)
		assert_ptr_equal(htab_find(&t, i * 77), &thing[i].node);
	while ((n = htab_walk(&t, n)))
		cnt++;
	assert_int_equal(cnt, 100);
	arena_fini(&a);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_empty),
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_delete),
	cmocka_unit_test(test_arena),
};

UNIT_MAIN(tests)
