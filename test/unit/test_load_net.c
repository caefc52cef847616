/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of prefixes: found again, growing, with and without a good guess. */
#include "test/load/load_net.c"
#include "test/lib/unit.h"

static void
test_add_find(void **state)
{
	struct load_nets ns;
	uint32_t i;

	(void)state;
	load_nets_init(&ns);
	for (i = 0; i < 5000; i++)
		assert_int_equal(
		    load_nets_add(&ns, (uint64_t)i << 40, 0, load_key(FAM_IP4, 24)), i);
	assert_int_equal(ns.cnt, 5000);
	for (i = 0; i < 5000; i++) {
		assert_int_equal(
		    load_nets_add(&ns, (uint64_t)i << 40, 0, load_key(FAM_IP4, 24)), i);
		assert_int_equal(
		    load_nets_lookup(&ns, (uint64_t)i << 40, 0, load_key(FAM_IP4, 23)),
		    LOAD_NONE);
	}
	/* The same bits in the other family are another net. */
	assert_int_equal(load_nets_add(&ns, 0, 0, load_key(FAM_IP6, 24)), 5000);
	load_nets_fini(&ns);
}

static void
test_guess(void **state)
{
	struct load_nets ns;
	uint32_t prev = LOAD_NONE, i, round, key = load_key(FAM_IP4, 24);

	(void)state;
	load_nets_init(&ns);
	for (i = 0; i < 100; i++)
		load_nets_add(&ns, (uint64_t)i << 40, 0, key);
	/* Another order than that of the numbers, learnt in the first round. */
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 100; i++) {
			uint32_t n = i * 37 % 100;

			if (round && i)
				assert_int_equal(ns.net[prev].next, n);
			prev = load_nets_after(&ns, prev, (uint64_t)n << 40, 0, key);
			assert_int_equal(prev, n);
		}
	}
	assert_int_equal(load_nets_after(&ns, prev, 1ull << 63, 0, key), 100);
	load_nets_fini(&ns);
}

static void
test_prefix(void **state)
{
	static const char *const text[] = { "0.0.0.0/0", "10.1.0.0/16", "1.2.3.4/32",
		"::/0", "2001:db8::/32", "2001:db8::1/128" };
	char s[PREFIX_STR_MAX];
	struct load_nets ns;
	struct prefix p;
	uint32_t i;

	(void)state;
	load_nets_init(&ns);
	for (i = 0; i < ARRAY_LEN(text); i++) {
		assert_int_equal(prefix_parse(&p, text[i]), 0);
		assert_int_equal(load_nets_add_prefix(&ns, &p), i);
		p = load_net_prefix(&ns.net[i]);
		assert_string_equal(prefix_str(s, &p), text[i]);
	}
	load_nets_fini(&ns);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_add_find),
	cmocka_unit_test(test_guess),
	cmocka_unit_test(test_prefix),
};

UNIT_MAIN(tests)
