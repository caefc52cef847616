/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_static_ways checks the next hops of static routes, and which routes have equal
 * next hops. */
#include "proto/static/static_ways.c"
#include "test/lib/addr.h"

#define LOWER_UP (1u << 16)

static struct iface_addr
test_static_ways_with_peer(struct iface_addr a, const char *peer, uint8_t len)
{
	a.subnet = prefix_make(addr_of(peer), len, (enum family)a.subnet.fam);
	return a;
}

/* via - of "10.0.0.1", "10.0.0.1%eth0", "%eth0". */
static struct static_via
test_static_ways_via(const char *text, bool onlink, uint16_t weight)
{
	static char buf[32][64];
	static unsigned nr;
	char *s = strcpy(buf[nr++ % 32], text), *sign = strchr(s, '%');

	if (sign)
		*sign = 0;
	return (struct static_via){ .gw = *s ? addr_of(s) : IP_NONE,
		.ifname = sign ? sign + 1 : NULL,
		.weight = weight,
		.onlink = onlink };
}

static uint32_t vrf = IFACE_ANY_VRF;

static const char *
test_static_ways_find(
    const struct iface_list *l, const char *text, bool onlink, bool check_link)
{
	struct static_via v = test_static_ways_via(text, onlink, 7);
	static struct hop h;

	if (!static_way_find(&h, &v, l, vrf, check_link))
		return "-";
	assert_true(ip_equal(h.gw, v.gw));
	assert_int_equal(h.weight, 1);
	assert_int_equal(h.onlink, onlink);
	assert_int_equal(h.ifindex, iface_find(l, h.ifname)->index);
	return h.ifname;
}

static void
test_find(void **state)
{
	struct iface_addr at[] = { local_addr("10.1.0.1", 16), local_addr("10.1.1.1", 24),
		local_addr("10.2.0.0", 31), local_addr("2001:db8::1", 64),
		test_static_ways_with_peer(local_addr("10.3.0.1", 32), "10.4.0.1", 32),
		test_static_ways_with_peer(local_addr("10.5.0.1", 24), "10.6.0.1", 24),
		local_addr("192.0.2.1", 24), local_addr("10.7.0.1", 32),
		local_addr("10.8.0.1", 24), local_addr("fe80::9", 64) };
	struct iface iface[] = {
		{ .name = "lo",
		    .index = 1,
		    .flags = IFF_UP | IFF_LOOPBACK | LOWER_UP,
		    .addr_cnt = 2,
		    .addr = &at[7] },
		{ .name = "wide",
		    .index = 2,
		    .flags = IFF_UP | LOWER_UP,
		    .addr_cnt = 1,
		    .addr = &at[0] },
		{ .name = "lan",
		    .index = 3,
		    .flags = IFF_UP,
		    .addr_cnt = 5,
		    .addr = &at[1] },
		{ .name = "six",
		    .index = 5,
		    .flags = IFF_UP | LOWER_UP,
		    .addr_cnt = 1,
		    .addr = &at[9] },
		{ .name = "down", .index = 4, .addr_cnt = 1, .addr = &at[6] },
	};
	struct iface_list l = { .cnt = ARRAY_LEN(iface), .iface = iface };
	static const struct {
		const char *via, *want, *onlink, *carrier;
	} row[] = {
		{ "10.1.1.2", "lan", "lan",
		    "-" }, /* not those of wide, without a carrier */
		{ "10.1.2.2", "wide", "wide", "wide" },
		{ "10.1.1.1", "lan", "lan", "-" }, /* our own */
		{ "10.1.1.255", "wide", "wide", "wide" },
		{ "10.1.0.0", "-", "-", "-" },
		{ "10.2.0.1", "lan", "lan", "-" },
		{ "2001:db8::", "lan", "lan", "-" },
		{ "10.4.0.1", "lan", "lan", "-" }, /* the other end */
		{ "10.3.0.1", "lan", "lan", "-" },
		{ "10.3.0.2", "-", "-", "-" },
		{ "10.6.0.1", "-", "-", "-" }, /* as bird2 has it */
		{ "10.5.0.7", "lan", "lan", "-" },
		{ "192.0.2.2", "-", "-", "-" },
		{ "10.7.0.1", "lo", "lo", "lo" },
		{ "10.8.0.9", "lo", "lo", "lo" },
		{ "10.99.0.1", "-", "-", "-" },
		{ "10.99.0.1%wide", "-", "wide", "-" },
		{ "10.1.1.2%wide", "wide", "wide", "wide" },
		{ "10.1.2.2%lan", "-", "lan", "-" },
		{ "192.0.2.2%down", "-", "-", "-" },
		{ "10.1.1.2%none", "-", "-", "-" },
		{ "fe80::1", "-", "-", "-" },
		{ "fe80::1%wide", "-", "wide", "-" },
		{ "fe80::1%six", "six", "six", "six" },
		{ "169.254.1.1", "-", "-", "-" },
		{ "169.254.1.1%wide", "-", "wide", "-" },
		{ "127.0.0.1%lo", "-", "-", "-" },
		{ "::1%lo", "-", "-", "-" },
		{ "224.0.0.5%wide", "-", "-", "-" },
		{ "255.255.255.255%wide", "-", "-", "-" },
		{ "ff02::5%wide", "-", "-", "-" },
		{ "%wide", "wide", "wide", "wide" },
		{ "%lan", "lan", "lan", "-" },
		{ "%down", "-", "-", "-" },
		{ "%none", "-", "-", "-" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		assert_string_equal(
		    test_static_ways_find(&l, row[i].via, false, false), row[i].want);
		assert_string_equal(
		    test_static_ways_find(&l, row[i].via, true, false), row[i].onlink);
		assert_string_equal(
		    test_static_ways_find(&l, row[i].via, false, true), row[i].carrier);
	}
}

/* In a VRF, but not where an interface is named. */
static void
test_vrf(void **state)
{
	struct iface_addr at[] = { local_addr("10.1.0.1", 16),
		local_addr("10.1.1.1", 24) };
	struct iface iface[] = {
		{ .name = "red", .index = 1, .flags = IFF_UP },
		{ .name = "in",
		    .index = 2,
		    .flags = IFF_UP,
		    .master = 1,
		    .addr_cnt = 1,
		    .addr = at },
		{ .name = "out",
		    .index = 3,
		    .flags = IFF_UP,
		    .addr_cnt = 1,
		    .addr = &at[1] },
	};
	struct iface_list l = { .cnt = ARRAY_LEN(iface), .iface = iface };

	(void)state;
	assert_string_equal(test_static_ways_find(&l, "10.1.1.2", false, false), "out");
	vrf = iface_vrf(&l, "red");
	assert_string_equal(test_static_ways_find(&l, "10.1.1.2", false, false), "in");
	assert_string_equal(
	    test_static_ways_find(&l, "10.1.1.2%out", false, false), "out");
	assert_string_equal(test_static_ways_find(&l, "%out", false, false), "out");
	vrf = iface_vrf(&l, "none");
	assert_string_equal(test_static_ways_find(&l, "10.1.1.2", false, false), "-");
	vrf = iface_vrf(&l, NULL);
}

/* Routes that go the same way share it, whatever their weights. */
static void
test_index(void **state)
{
	struct static_via a[] = { test_static_ways_via("10.0.0.1", false, 1),
		test_static_ways_via("10.0.0.2", false, 2) },
			  b[] = { test_static_ways_via("10.0.0.2", false, 3),
				  test_static_ways_via("10.0.0.1", true, 1),
				  test_static_ways_via("10.0.0.2%e", false, 1),
				  test_static_ways_via("%e", false, 1),
				  test_static_ways_via("%e", false, 2),
				  test_static_ways_via("10.0.0.2%e", false, 1) };
	struct static_route r[] = { { .via = a, .via_cnt = 2 }, { .via_cnt = 0 },
		{ .via = b, .via_cnt = 6 } };
	struct static_item item[] = { { &r[0], 0, 0 }, { &r[1], 0, 2 }, { &r[2], 0, 2 } };
	struct static_conf sc = { .item = item, .item_cnt = 3 };
	static const uint32_t way[] = { 0, 1, 1, 2, 3, 4, 4, 3 },
			      users[] = { 0, 0, 2, 2, 2, 2, 2, 2 };
	struct arena arena;
	uint32_t total = 0;

	(void)state;
	arena_init(&arena, MEM_OTHER, 4096);
	static_ways_index(&sc, &arena);
	assert_int_equal(sc.way_cnt, 5);
	assert_memory_equal(sc.way_of, way, sizeof(way));
	for (uint32_t w = 0; w < sc.way_cnt; w++) {
		assert_int_equal(sc.way[w].first_user, total);
		total += sc.way[w].user_cnt;
	}
	assert_int_equal(total, ARRAY_LEN(users));
	assert_memory_equal(sc.user, users, sizeof(users));
	assert_true(static_via_way_same(sc.way[1].via, &a[1]));
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_vrf),
		cmocka_unit_test(test_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
