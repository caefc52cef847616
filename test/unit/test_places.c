/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The place of a new instance: behind the one before it and before the next one, as often
 * as there is a gap between them. */
#include "nest/daemon/commit/places.c"
#include "test/lib/unit.h"

static void
test_between(void **state)
{
	uint64_t a = place_between(0, 0), b = place_between(a, 0), at = b, n = 0;

	(void)state;
	assert_true(0 < a && a < b);
	assert_in_range(place_between(0, a), 1, a - 1);
	while (place_between(a, at) > a) { /* each in front of the last one */
		uint64_t next = place_between(a, at);

		assert_true(next < at);
		at = next;
		n++;
	}
	assert_int_equal(n, 32);
	assert_int_equal(place_between(a, at), a);
	assert_true(place_between(b, a) > b); /* the two have changed places */
	/* as many as there may be, in their order */
	for (at = n = 0; n < 8000; n++)
		at = place_between(at, 0);
	assert_true(at > a && at < UINT64_MAX / 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_between),
};

int
main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
