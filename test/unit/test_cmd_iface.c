/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Behind which interface a next hop is. */
#include "nest/cli/show/cmd_iface.h"
#include "test/lib/addr.h"

/* The longest subnet counts; of link-local ones, which are alike, the session's link. */
static void
test_iface_of(void **state)
{
	struct iface_addr a[] = { local_addr("10.0.0.1", 8), local_addr("fe80::1", 64) };
	struct iface_addr b[] = { local_addr("10.1.0.1", 16), local_addr("fe80::2", 64) };
	struct iface both[] = { { .name = "a", .index = 4, .addr_cnt = 2, .addr = a },
		{ .name = "b", .index = 7, .addr_cnt = 2, .addr = b } };
	struct iface_list l = { .cnt = 2, .iface = both };

	(void)state;
	assert_string_equal(iface_of(&l, addr_of("10.1.2.3"), 4), "b");
	assert_string_equal(iface_of(&l, addr_of("10.2.2.3"), 7), "a");
	assert_null(iface_of(&l, addr_of("192.0.2.1"), 4));
	assert_string_equal(iface_of(&l, addr_of("fe80::9"), 4), "a");
	assert_string_equal(iface_of(&l, addr_of("fe80::9"), 7), "b");
	/* its link has gone, or it wasn't direct */
	assert_string_equal(iface_of(&l, addr_of("fe80::9"), 9), "a");
	assert_string_equal(iface_of(&l, addr_of("fe80::9"), 0), "a");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_iface_of) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
