/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spare objects: what was put comes out once, and there is an end to the room. */
#include "lib/mt/spare.h"
#include "test/lib/unit.h"

static void
test_all(void **state)
{
	struct spare s = { 0 };
	int thing[SPARE_CNT + 1];
	bool seen[SPARE_CNT + 1] = { false };

	(void)state;
	assert_null(spare_take(&s));
	for (int i = 0; i < SPARE_CNT; i++)
		assert_true(spare_put(&s, &thing[i]));
	assert_false(spare_put(&s, &thing[SPARE_CNT]));
	for (int i = 0; i < SPARE_CNT; i++) {
		int *t = spare_take(&s);

		assert_non_null(t);
		assert_false(seen[t - thing]);
		seen[t - thing] = true;
		if (i % 3 == 0) { /* in between */
			assert_true(spare_put(&s, t));
			assert_non_null(t = spare_take(&s));
			seen[t - thing] = true;
		}
	}
	assert_null(spare_take(&s));
}

/* Blocks are made when none is spare, and one that was given back is lent again. */
static void
test_borrow(void **state)
{
	struct spare s = { 0 };
	void *p[SPARE_CNT + 1], *again;

	(void)state;
	for (unsigned i = 0; i <= SPARE_CNT; i++)
		p[i] = spare_borrow(&s, MEM_OTHER, 1000);
	assert_true(mem_used(MEM_OTHER) >= (SPARE_CNT + 1) * 1000);
	for (unsigned i = 0; i <= SPARE_CNT; i++) /* one is too many */
		spare_give_back(&s, MEM_OTHER, p[i]);
	again = spare_borrow(&s, MEM_OTHER, 1000);
	assert_ptr_equal(again, p[0]);
	spare_give_back(&s, MEM_OTHER, again);
	spare_empty(&s, MEM_OTHER);
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(test_all),
	cmocka_unit_test(test_borrow) };

UNIT_MAIN(tests)
