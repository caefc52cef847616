/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which a walk tells routes does not depend on where sessions and sets lie.
 * test/net/test_bmp.py walks tables. */
#include "proto/bmp/bmp_walk.c"
#include "test/lib/unit.h"

static void
test_order(void **state)
{
	/* who and set of each route in the walk, and where each route is told */
	static const uint8_t key[][2] = { { 1, 0 }, { 0, 1 }, { 1, 0 }, { 0, 0 },
		{ 1, 1 }, { 0, 1 }, { 1, 0 } };
	static const uint32_t want[] = { 0, 2, 6, 1, 5, 3, 4 };
	static struct bmp_who who[2];
	static struct attr_set set[2];
	struct found f[ARRAY_LEN(key)];

	(void)state;
	for (unsigned swap = 0; swap < 4; swap++) {
		for (uint32_t i = 0; i < ARRAY_LEN(key); i++)
			f[i] = (struct found){ .who = &who[key[i][0] ^ (swap & 1)],
				.set = &set[key[i][1] ^ (swap >> 1)],
				.at = i };
		walk_sort_found(f, ARRAY_LEN(key));
		for (uint32_t i = 0; i < ARRAY_LEN(key); i++)
			assert_int_equal(f[i].at, want[i]);
		assert_int_equal(f[2].first, 0);
		assert_int_equal(f[4].first, 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
