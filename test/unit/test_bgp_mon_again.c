/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which sent routes are told anew does not depend on where announces lie.
 * test/net/test_bmp_out.py asks for them. */
#include "proto/bgp/monitor/bgp_mon_again.c"
#include "test/lib/unit.h"

static void
test_order(void **state)
{
	static const uint8_t what[] = { 2, 0, 1, 0, 2 }; /* of ids 10 to 14 */
	static const uint32_t want[] = { 10, 14, 11, 13, 12 };
	static struct announce a[3];
	struct held h[ARRAY_LEN(what)];

	(void)state;
	for (unsigned turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; i < ARRAY_LEN(what); i++)
			h[i] = (struct held){ &a[(what[i] + turn) % 3], 10 + i, 0 };
		again_sort_held(h, ARRAY_LEN(what));
		for (uint32_t i = 0; i < ARRAY_LEN(what); i++)
			assert_int_equal(h[i].id, want[i]);
	}
	again_sort_held(h, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
