/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that others can cause: so many in a period, and the number of the others once. */
#include "sysdep/log/log_rate.h"
#include "test/lib/unit.h"

static void
test_rate(void **state)
{
	struct log_rate r = { 0 };
	uint32_t left_out;

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(log_rate_take(&r, 5 + i, 100, 3, &left_out), i < 3);
		assert_int_equal(left_out, 0);
	}
	assert_int_equal(log_rate_due(&r, 104, 100, 3), 0); /* the period lasts */
	assert_true(log_rate_take(&r, 105, 100, 3, &left_out));
	assert_int_equal(left_out, 7);
	assert_true(log_rate_take(&r, 106, 100, 3, &left_out));
	assert_int_equal(left_out, 0);
	for (unsigned i = 0; i < 4; i++)
		(void)log_rate_take(&r, 107, 100, 3, &left_out);
	assert_int_equal(log_rate_due(&r, 205, 100, 3), 3);
	assert_int_equal(log_rate_due(&r, 206, 100, 3), 0); /* they are named once */
	assert_true(log_rate_take(&r, 207, 100, 3, &left_out));
	assert_int_equal(left_out, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
