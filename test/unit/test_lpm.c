/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of longest matches: nesting at each kind of bound, what is left behind, and
 * what one that is full says. */
#include "lib/net/lpm.c"
#include "test/lib/unit.h"

static struct lpm *map;

static struct prefix
test_lpm_pfx(const char *s)
{
	struct prefix p;

	assert_int_equal(prefix_parse(&p, s), 0);
	return p;
}

static void
test_lpm_put(const char *s, uint32_t value, uint32_t cover, unsigned len)
{
	struct prefix p = test_lpm_pfx(s);

	lpm_put(map, &p, value, (struct lpm_cover){ cover, (uint8_t)len });
}

static void
test_lpm_drop(const char *s, uint32_t value, uint32_t cover, unsigned len)
{
	struct prefix p = test_lpm_pfx(s);

	lpm_drop(map, &p, value, (struct lpm_cover){ cover, (uint8_t)len });
}

static uint32_t
test_lpm_find(const char *s)
{
	struct ip_addr a;

	assert_int_equal(ip_parse(&a, s), 0);
	return lpm_find(map, a);
}

static void
test_lpm_finish(void)
{
	struct lpm_old *o = lpm_old_take(map);

	if (o)
		lpm_old_free(map, o);
	assert_int_equal(load_relaxed64(&map->octets), 0);
	lpm_free(map);
	assert_int_equal(mem_used(MEM_TABLE), 0);
}

static void
test_ip4(void **state)
{
	(void)state;
	map = lpm_new(FAM_IP4);
	assert_int_equal(test_lpm_find("10.0.0.1"), 0);
	test_lpm_put("10.1.2.0/24", 24, 0, 0);
	assert_int_equal(test_lpm_find("10.1.2.255"), 24);
	assert_int_equal(test_lpm_find("10.1.3.0"), 0);
	test_lpm_put("0.0.0.0/0", 1, 0, 0);
	test_lpm_put("10.0.0.0/8", 8, 1, 0);
	test_lpm_put("10.1.0.0/16", 16, 8, 8);
	test_lpm_put("10.1.0.0/17", 17, 16, 16);
	test_lpm_put("10.1.2.128/25", 25, 24, 24);
	test_lpm_put("10.1.2.255/32", 32, 25, 25);
	assert_int_equal(test_lpm_find("10.1.2.1"), 24);
	assert_int_equal(test_lpm_find("10.1.2.200"), 25);
	assert_int_equal(test_lpm_find("10.1.2.255"), 32);
	assert_int_equal(test_lpm_find("10.1.3.0"), 17);
	assert_int_equal(test_lpm_find("10.1.128.0"), 16);
	assert_int_equal(test_lpm_find("10.2.0.0"), 8);
	assert_int_equal(test_lpm_find("255.255.255.255"), 1);
	test_lpm_drop("10.1.0.0/17", 17, 16, 16);
	assert_int_equal(test_lpm_find("10.1.3.0"), 16);
	test_lpm_drop("10.1.2.0/24", 24, 16, 16);
	assert_int_equal(test_lpm_find("10.1.2.1"), 16);
	assert_int_equal(test_lpm_find("10.1.2.200"), 25);
	test_lpm_drop("10.1.0.0/16", 16, 8, 8);
	assert_int_equal(test_lpm_find("10.1.2.1"), 8);
	test_lpm_drop("10.1.2.255/32", 32, 25, 25);
	assert_int_equal(test_lpm_find("10.1.2.255"), 25);
	test_lpm_drop("10.1.2.128/25", 25, 8, 8);
	test_lpm_drop("10.0.0.0/8", 8, 1, 0);
	test_lpm_drop("0.0.0.0/0", 1, 0, 0);
	assert_int_equal(test_lpm_find("10.1.2.1"), 0);
	test_lpm_finish();
}

/* A prefix above nodes of two levels changes what they say, and not what is longer. */
static void
test_ip6(void **state)
{
	(void)state;
	map = lpm_new(FAM_IP6);
	test_lpm_put("2001:db8:1:2::/64", 64, 0, 0);
	test_lpm_put("2001:db8:1:2::5/128", 128, 64, 64);
	test_lpm_put("2001:d00::/24", 24, 0, 0);
	assert_int_equal(test_lpm_find("2001:db8:1:2::5"), 128);
	assert_int_equal(test_lpm_find("2001:db8:1:2::6"), 64);
	assert_int_equal(test_lpm_find("2001:db8:1:3::"), 24);
	test_lpm_put("2001:db8::/29", 29, 24, 24);
	assert_int_equal(test_lpm_find("2001:db8:1:3::"), 29);
	assert_int_equal(test_lpm_find("2001:dc0::"), 24);
	test_lpm_drop("2001:d00::/24", 24, 0, 0);
	assert_int_equal(test_lpm_find("2001:dc0::"), 0);
	test_lpm_drop("2001:db8:1:2::/64", 64, 29, 29);
	assert_int_equal(test_lpm_find("2001:db8:1:2::6"), 29);
	test_lpm_drop("2001:db8::/29", 29, 0, 0);
	assert_int_equal(test_lpm_find("2001:db8:1:2::6"), 0);
	assert_int_equal(test_lpm_find("2001:db8:1:2::5"), 128);
	test_lpm_drop("2001:db8:1:2::5/128", 128, 0, 0);
	assert_int_equal(test_lpm_find("2001:db8:1:2::5"), 0);
	test_lpm_finish();
}

/* All of a /16 as /24: 256 runs, and their memory is used again. */
static void
test_memory(void **state)
{
	size_t len, nodes;

	(void)state;
	map = lpm_new(FAM_IP4);
	for (unsigned round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 256; i++) {
			struct prefix p = prefix_make(
			    ip4(10u << 24 | i << 8), 24, FAM_IP4);

			lpm_put(map, &p, i + 1, (struct lpm_cover){ 0 });
		}
		for (uint32_t i = 0; i < 256; i++)
			assert_int_equal(
			    lpm_find(map, ip4(10u << 24 | i << 8 | 9)), i + 1);
		for (uint32_t i = 0; i < 256; i++) {
			struct prefix p = prefix_make(
			    ip4(10u << 24 | i << 8), 24, FAM_IP4);

			lpm_drop(map, &p, i + 1, (struct lpm_cover){ 0 });
		}
		assert_ptr_equal(lpm_mem(map, &len, &nodes), map->root);
		assert_true(nodes);
		lpm_old_free(map, lpm_old_take(map));
		lpm_mem(map, &len, &nodes);
		assert_int_equal(nodes, 0);
		assert_int_equal(map->mem.open, 0);
	}
	test_lpm_finish();
}

static void
test_full(void **state)
{
	(void)state;
	map = lpm_new(FAM_IP4);
	assert_true(lpm_has_room(map));
	map->mem.open = MEM_MAX - LEVELS_MAX * VMEM_STEP;
	assert_false(lpm_has_room(map));
	map->mem.open = 0;
	test_lpm_finish();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ip4),
		cmocka_unit_test(test_ip6),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
