/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing arrays: what they hold, how far they grow, and what is counted for them. */
#include "lib/base/vec.c"
#include "test/lib/unit.h"

static void
test_grows(void **state)
{
	size_t before = mem_used(MEM_OTHER);
	uint32_t *v = NULL, cap = 0, moves = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t old = cap;

		v = vec_room(MEM_OTHER, v, &cap, i + 1, sizeof(*v));
		assert_true(cap >= i + 1);
		moves += cap != old;
		v[i] = ~i;
	}
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(v[i], ~i);
	assert_in_range(moves, 1, 15);
	assert_true(mem_used(MEM_OTHER) >= before + 100000 * sizeof(*v));
	mem_free(MEM_OTHER, v);
	assert_int_equal(mem_used(MEM_OTHER), before);
}

/* What is asked for at once is there at once, and no less than twice what was. */
static void
test_many_at_once(void **state)
{
	uint32_t cap = 0;
	uint8_t *v = vec_room(MEM_OTHER, NULL, &cap, 1000, 3);

	(void)state;
	assert_int_equal(cap, 1000);
	memset(v, 1, 3000);
	assert_ptr_equal(vec_room(MEM_OTHER, v, &cap, 1000, 3), v);
	v = vec_room(MEM_OTHER, v, &cap, 1001, 3);
	assert_int_equal(cap, 2000);
	memset(v, 2, 6000);
	mem_free(MEM_OTHER, v);
}

/* Nothing is taken where nothing is needed. */
static void
test_empty(void **state)
{
	uint32_t cap = 0;

	(void)state;
	assert_null(vec_room(MEM_OTHER, NULL, &cap, 0, 8));
	assert_int_equal(cap, 0);
}

/* New room of vec_zeroed is zero; old items stay. */
static void
test_zeroed(void **state)
{
	uint32_t *v = NULL, cap = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i += 37) {
		v = vec_zeroed(MEM_OTHER, v, &cap, i + 1, sizeof(*v));
		assert_int_equal(v[i], 0);
		v[i] = i + 1;
	}
	for (uint32_t i = 0; i < cap; i++)
		assert_int_equal(v[i], i < 1000 && i % 37 == 0 ? i + 1 : 0);
	mem_free(MEM_OTHER, v);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_grows),
	cmocka_unit_test(test_many_at_once),
	cmocka_unit_test(test_empty),
	cmocka_unit_test(test_zeroed),
};

UNIT_MAIN(tests)
