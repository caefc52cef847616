/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bump allocator by one thread: neighbours, alignment, large pieces, when blocks
 * go. */
#include "lib/mt/bump.c"
#include "test/lib/unit.h"

static void
test_neighbours(void **state)
{
	struct bump b;
	struct bump_block *one, *two;
	uint8_t *p, *q;

	(void)state;
	bump_init(&b, MEM_OTHER, 1024, 1);
	p = bump_alloc(&b, 75, &one);
	q = bump_alloc(&b, 3, &two);
	assert_ptr_equal(p + 75, q);
	assert_ptr_equal(one, two);
	assert_ptr_equal(bump_alloc(&b, 1, &two), q + 3);
	for (unsigned i = 0; i < 3; i++)
		bump_put(one);
	bump_fini(&b);
	rcu_drain();
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

static void
test_align(void **state)
{
	struct bump b;
	struct bump_block *block[40];

	(void)state;
	bump_init(&b, MEM_OTHER, 4096, 64);
	for (unsigned i = 0; i < 40; i++) {
		uint8_t *p = bump_alloc(&b, 1 + i, &block[i]);

		assert_int_equal((uintptr_t)p % 64, 0);
		memset(p, 1, 1 + i);
	}
	for (unsigned i = 0; i < 40; i++)
		bump_put(block[i]);
	bump_fini(&b);
	rcu_drain();
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

/* A block goes with its last piece; one that is handed out of stays. */
static void
test_blocks(void **state)
{
	struct bump b;
	struct bump_block *first, *other, *large;
	size_t one_block;

	(void)state;
	bump_init(&b, MEM_OTHER, 1000, 1);
	bump_fini(&b); /* nothing was taken */
	bump_alloc(&b, 200, &first);
	one_block = mem_used(MEM_OTHER);
	for (unsigned i = 0; i < 4; i++) {
		bump_alloc(&b, 200, &other);
		assert_ptr_equal(other, first);
		bump_put(other);
	}
	bump_alloc(&b, 200, &other);
	assert_ptr_not_equal(other, first);
	assert_int_equal(mem_used(MEM_OTHER), 2 * one_block);
	bump_put(first);
	rcu_drain();
	assert_int_equal(mem_used(MEM_OTHER), one_block);
	bump_put(other);
	rcu_drain();
	assert_int_equal(mem_used(MEM_OTHER), one_block); /* the present one */
	memset(bump_alloc(&b, 70000, &large), 7, 70000);
	assert_ptr_not_equal(large, other);
	bump_alloc(&b, 10, &first);
	assert_ptr_equal(first, other);
	bump_put(large);
	bump_put(first);
	bump_fini(&b);
	rcu_drain();
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

/* A block of which little was used stays; one of which more was goes with its last
 * piece. */
static void
test_rest(void **state)
{
	struct bump b;
	struct bump_block *first, *other;
	uint8_t *p;

	(void)state;
	bump_init(&b, MEM_OTHER, 1000, 1);
	bump_trim(&b); /* nothing was taken */
	p = bump_alloc(&b, 240, &first);
	bump_trim(&b);
	assert_ptr_equal(bump_alloc(&b, 10, &other), p + 240);
	assert_ptr_equal(other, first);
	bump_put(other);
	bump_trim(&b);
	memset(bump_alloc(&b, 10, &other), 1, 10);
	assert_ptr_not_equal(other, first);
	memset(p, 1, 240);
	bump_put(first);
	bump_put(other);
	bump_fini(&b);
	rcu_drain();
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

static void
bad_align(void)
{
	struct bump b;

	bump_init(&b, MEM_OTHER, 1000, 24);
}

static void
test_bounds(void **state)
{
	(void)state;
	assert_true(unit_dies(bad_align));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_neighbours),
	cmocka_unit_test(test_align),
	cmocka_unit_test(test_blocks),
	cmocka_unit_test(test_rest),
	cmocka_unit_test(test_bounds),
};

UNIT_MAIN(tests)
