/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A net that was added is never denied; others mostly are, until there are too many. */
#include "lib/base/hash.h"
#include "nest/channel/export/own_nets.c"
#include "test/lib/unit.h"

static uint32_t
test_own_nets_mistaken(const struct own_nets *o)
{
	uint32_t cnt = 0;

	for (uint64_t i = 0; i < 10000; i++)
		cnt += own_nets_maybe(o, hash_u64(5, i | 1ull << 40));
	return cnt;
}

static void
test_levels(void **state)
{
	/* how many nets, and how many of 10,000 others are taken for one of them */
	static const uint32_t row[][2] = { { 0, 0 }, { 1, 1 }, { 600, 200 },
		{ 4000, 400 }, { 30000, 700 }, { 200000, 900 } };
	struct own_nets o = { .cnt = 0 };
	uint32_t added = 0;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		for (; added < row[i][0]; added++)
			own_nets_add(&o, hash_u64(5, added));
		for (uint32_t k = 0; k < added; k++)
			assert_true(own_nets_maybe(&o, hash_u64(5, k)));
		assert_in_range(test_own_nets_mistaken(&o), 0, row[i][1]);
		assert_false(o.full);
	}
	for (; !o.full; added++)
		own_nets_add(&o, hash_u64(5, added));
	assert_in_range(added, 1000000, 6000000);
	assert_int_equal(test_own_nets_mistaken(&o), 10000);
	own_nets_clear(&o);
	assert_int_equal(test_own_nets_mistaken(&o), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
