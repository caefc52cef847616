/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_direct_routes checks the routes of interfaces. */
#include "proto/direct/direct_routes.c"
#include "test/lib/addr.h"
#include <stdio.h>

static struct iface_addr
with_flags(struct iface_addr a, uint32_t flags)
{
	a.flags = flags;
	return a;
}

static struct iface_addr
test_direct_routes_with_peer(struct iface_addr a, const char *peer, uint8_t len)
{
	a.subnet = prefix_make(addr_of(peer), len, (enum family)a.subnet.fam);
	return a;
}

/* check - the routes of @fam are @want: "net index, net index". */
static void
test_direct_routes_check(const struct direct_conf *cf, const struct iface_list *l,
    enum family fam, const char *want)
{
	struct direct_routes d = { .cnt = 0 };
	char text[1024] = "", net[PREFIX_STR_MAX];

	for (int again = 0; again < 2; again++) { /* in place of what it held */
		direct_routes_make(&d, cf, l, IFACE_ANY_VRF, fam);
		*text = 0;
		for (uint32_t i = 0; i < d.cnt; i++) {
			size_t n = strlen(text);

			snprintf(text + n, sizeof(text) - n, "%s%s %s%u", n ? ", " : "",
			    prefix_str(net, &d.r[i].net), d.r[i].name, d.r[i].index);
		}
		assert_string_equal(text, want);
	}
	direct_routes_fini(&d);
}

static void
test_addresses(void **state)
{
	struct iface_addr lo[] = { local_addr("127.0.0.1", 8), local_addr("10.0.0.9", 32),
		local_addr("::1", 128), local_addr("2001:db8:f::1", 128) };
	struct iface_addr at[] = { local_addr("192.0.2.1", 24),
		local_addr("10.9.0.1", 24),
		with_flags(local_addr("10.9.0.2", 24), IFA_F_SECONDARY),
		local_addr("10.9.0.3", 16),
		test_direct_routes_with_peer(local_addr("10.1.0.1", 32), "10.2.0.1", 32),
		test_direct_routes_with_peer(
		    local_addr("10.3.0.33", 28), "10.3.0.99", 28),
		local_addr("255.255.255.255", 32), local_addr("0.0.0.5", 8),
		local_addr("2001:db8::1", 64), local_addr("2001:db8::2", 64),
		local_addr("fe80::1", 64) };
	struct iface iface[] = {
		{ "lo", 1, .flags = IFF_UP | IFF_LOOPBACK, .addr_cnt = 4, .addr = lo },
		{ "a", 2, .flags = IFF_UP, .addr_cnt = ARRAY_LEN(at), .addr = at },
		{ "down", 3, .addr_cnt = 1, .addr = at },
	};
	struct iface_list l = { .cnt = ARRAY_LEN(iface), .iface = iface };
	struct direct_conf cf = { .last = NULL };

	(void)state;
	test_direct_routes_check(&cf, &l, FAM_IP4,
	    "10.0.0.9/32 lo1, 10.2.0.1/32 a2, 10.3.0.32/28 a2, 10.9.0.0/16 a2, "
	    "10.9.0.0/24 a2, 192.0.2.0/24 a2");
	test_direct_routes_check(
	    &cf, &l, FAM_IP6, "2001:db8:f::1/128 lo1, 2001:db8::/64 a2");
	test_direct_routes_check(&cf, &iface_list_none, FAM_IP4, "");
}

static void
test_patterns(void **state)
{
	struct iface_addr at[] = { local_addr("192.0.2.1", 24),
		local_addr("10.9.0.1", 24) };
	struct iface iface[] = {
		{ "a", 1, .flags = IFF_UP | 1u << 16, .addr_cnt = 2, .addr = at },
		{ "b", 2, .flags = IFF_UP, .addr_cnt = 2, .addr = at },
	};
	struct iface_list l = { .cnt = ARRAY_LEN(iface), .iface = iface };
	struct iface_pattern any = { .mask = "*" };
	struct iface_pattern not_a = { .mask = "a", .negative = true, .next = &any };
	struct iface_pattern ten = { .has_in = true,
		.in = prefix_make(addr_of("10.0.0.0"), 8, FAM_IP4) };
	struct direct_ifaces first = { .pattern = &not_a };
	struct direct_ifaces second = { .pattern = &ten, .before = &first };
	struct direct_conf cf = { .last = &first };

	(void)state;
	test_direct_routes_check(&cf, &l, FAM_IP4, "10.9.0.0/24 b2, 192.0.2.0/24 b2");
	cf.last = &second; /* what one of them takes */
	test_direct_routes_check(
	    &cf, &l, FAM_IP4, "10.9.0.0/24 a1, 10.9.0.0/24 b2, 192.0.2.0/24 b2");
	cf.check_link = true;
	test_direct_routes_check(&cf, &l, FAM_IP4, "10.9.0.0/24 a1");
}

static void
test_same(void **state)
{
	struct direct_route a = { .index = 1, .name = "a" }, b = a;

	(void)state;
	assert_true(direct_route_same(&a, &b));
	b.name[0] = 'b'; /* another interface to routes, the same path identifier */
	assert_false(direct_route_same(&a, &b));
	assert_int_equal(direct_route_cmp(&a, &b), 0);
	b.index = 2;
	assert_true(direct_route_cmp(&a, &b) < 0 && direct_route_cmp(&b, &a) > 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_addresses),
	cmocka_unit_test(test_patterns),
	cmocka_unit_test(test_same),
};

UNIT_MAIN(tests)
