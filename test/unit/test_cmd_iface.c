/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Behind which interface a next hop is. */
#include "nest/cli/show/cmd_iface.h"
#include "test/lib/unit.h"

static struct ip_addr
ip(const char *s)
{
	struct ip_addr a;

	assert_int_equal(ip_parse(&a, s), 0);
	return a;
}

static struct iface_addr
on(const char *own, unsigned len)
{
	struct ip_addr a = ip(own);
	enum family fam = ip_is_v4(a) ? FAM_IP4 : FAM_IP6;

	return (struct iface_addr){ a, prefix_make(a, len, fam) };
}

/* The longest subnet counts; of link-local ones, which are alike, the session's link. */
static void
test_iface_of(void **state)
{
	struct iface_addr a[] = { on("10.0.0.1", 8), on("fe80::1", 64) };
	struct iface_addr b[] = { on("10.1.0.1", 16), on("fe80::2", 64) };
	struct iface both[] = { { .name = "a", .index = 4, .addr_cnt = 2, .addr = a },
		{ .name = "b", .index = 7, .addr_cnt = 2, .addr = b } };
	struct iface_list l = { .cnt = 2, .iface = both };

	(void)state;
	assert_string_equal(iface_of(&l, ip("10.1.2.3"), 4), "b");
	assert_string_equal(iface_of(&l, ip("10.2.2.3"), 7), "a");
	assert_null(iface_of(&l, ip("192.0.2.1"), 4));
	assert_string_equal(iface_of(&l, ip("fe80::9"), 4), "a");
	assert_string_equal(iface_of(&l, ip("fe80::9"), 7), "b");
	/* its link has gone, or it wasn't direct */
	assert_string_equal(iface_of(&l, ip("fe80::9"), 9), "a");
	assert_string_equal(iface_of(&l, ip("fe80::9"), 0), "a");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_iface_of) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
