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

static const struct CMUnitTest tests[] = { cmocka_unit_test(test_all) };

UNIT_MAIN(tests)
