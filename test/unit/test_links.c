/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_links checks which addresses can be gateways. */
#include "filter/run/links.c"
#include "test/lib/addr.h"

static const char *
test_links_find(const struct iface_list *l, const char *a)
{
	const struct iface *i = links_find(l, addr_of(a));

	return i ? i->name : "-";
}

static const char *
test_links_gateway(const struct iface_list *l, const char *a)
{
	const struct iface *i = links_gateway(l, addr_of(a));

	return i ? i->name : "-";
}

static void
test_find(void **state)
{
	struct iface_addr at[] = { local_addr("10.0.0.1", 8), local_addr("10.9.0.1", 24),
		local_addr("10.7.0.0", 31), local_addr("2001:db8::1", 64),
		local_addr("192.0.2.1", 24), local_addr("127.0.0.1", 8),
		local_addr("198.51.100.1", 24) };
	struct iface iface[] = {
		{ .name = "wide", .flags = IFF_UP, .addr_cnt = 1, .addr = &at[0] },
		{ .name = "lan", .flags = IFF_UP, .addr_cnt = 2, .addr = &at[1] },
		{ .name = "six", .flags = IFF_UP, .addr_cnt = 1, .addr = &at[3] },
		{ .name = "down", .addr_cnt = 1, .addr = &at[4] },
		{ .name = "lo",
		    .flags = IFF_UP | IFF_LOOPBACK,
		    .addr_cnt = 2,
		    .addr = &at[5] },
	};
	struct iface_list l = { .cnt = ARRAY_LEN(iface), .iface = iface };

	(void)state;
	assert_string_equal(test_links_find(&l, "10.9.0.2"), "lan");
	assert_string_equal(test_links_find(&l, "10.8.0.2"), "wide");
	assert_string_equal(test_links_find(&l, "10.9.0.1"), "-"); /* our own */
	assert_string_equal(
	    test_links_find(&l, "10.9.0.0"), "wide"); /* no host of the small one */
	assert_string_equal(
	    test_links_find(&l, "192.0.2.1"), "-"); /* of one that is down */
	assert_string_equal(test_links_gateway(&l, "192.0.2.1"), "-");
	assert_string_equal(test_links_find(&l, "10.255.255.255"), "-");
	assert_string_equal(test_links_gateway(&l, "10.9.0.2"), "lan");
	assert_string_equal(test_links_gateway(&l, "10.9.0.1"), "-");
	assert_string_equal(test_links_find(&l, "198.51.100.7"), "-"); /* on loopback */
	assert_string_equal(test_links_gateway(&l, "198.51.100.7"), "lo");
	assert_string_equal(test_links_gateway(&l, "127.0.0.2"), "-");
	assert_string_equal(
	    test_links_find(&l, "10.7.0.1"), "lan"); /* its second subnet */
	assert_string_equal(test_links_find(&l, "2001:db8::"), "six");
	assert_string_equal(test_links_find(&l, "2001:db8:0:1::"), "-");
	assert_string_equal(test_links_find(&l, "192.0.2.7"), "-"); /* it is down */
	assert_string_equal(test_links_find(&l, "127.0.0.2"), "-");
	assert_string_equal(test_links_find(&l, "198.51.100.1"), "-");
	assert_string_equal(test_links_find(&l, "fe80::1"), "-");
	assert_string_equal(test_links_find(&l, "::"), "-");
	assert_string_equal(test_links_find(&iface_list_none, "10.9.0.2"), "-");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_find),
};

UNIT_MAIN(tests)
