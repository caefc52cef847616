/* SPDX-License-Identifier: GPL-3.0-or-later */
/* VRPs: what RFC 6811 says of a few, all prefixes of a small tree, and what is left
 * behind. */
#include "lib/net/roa.c"
#include "test/lib/unit.h"

static struct prefix
test_roa_pfx(const char *s)
{
	struct prefix p;

	assert_int_equal(prefix_parse(&p, s), 0);
	return p;
}

static struct vrp_change
test_roa_add(const char *s, unsigned max, uint32_t asn)
{
	return (struct vrp_change){ { test_roa_pfx(s), (uint8_t)max, asn }, true };
}

static enum roa_state
ask_map(const struct roa_map *m, const char *s, uint32_t asn)
{
	struct prefix p = test_roa_pfx(s);

	return roa_map_check(m, &p, asn);
}

static void
test_states(void **state)
{
	struct vrp_change c[] = { test_roa_add("10.0.0.0/8", 24, 65000),
		test_roa_add("10.0.0.0/8", 16, 65001), test_roa_add("10.1.0.0/16", 16, 0),
		test_roa_add("0.0.0.0/0", 0, 9), test_roa_add("10.2.3.4/32", 32, 8) };
	struct roa_map *m = roa_map_new(FAM_IP4);

	(void)state;
	assert_int_equal(ask_map(m, "10.0.0.0/8", 1), ROA_UNKNOWN);
	roa_map_update(m, c, ARRAY_LEN(c));
	assert_int_equal(roa_map_cnt(m), 5);
	assert_int_equal(ask_map(m, "10.0.0.0/8", 65000), ROA_VALID);
	assert_int_equal(ask_map(m, "10.0.0.0/8", 65002), ROA_INVALID);
	assert_int_equal(ask_map(m, "10.255.0.0/16", 65001), ROA_VALID);
	assert_int_equal(ask_map(m, "10.255.0.0/17", 65001), ROA_INVALID);
	/* of AS 0 nothing is valid, whoever asks (RFC 6483, 4) */
	assert_int_equal(ask_map(m, "10.1.0.0/16", 0), ROA_INVALID);
	assert_int_equal(ask_map(m, "10.1.0.0/16", 65000), ROA_VALID);
	/* the shortest of all covers the rest */
	assert_int_equal(ask_map(m, "0.0.0.0/0", 9), ROA_VALID);
	assert_int_equal(ask_map(m, "0.0.0.0/0", 1), ROA_INVALID);
	assert_int_equal(ask_map(m, "11.0.0.0/8", 9), ROA_INVALID);
	assert_int_equal(ask_map(m, "10.2.3.4/32", 8), ROA_VALID);
	assert_int_equal(ask_map(m, "10.2.3.5/32", 8), ROA_INVALID);
	assert_int_equal(ask_map(m, "2001:db8::/32", 65000), ROA_UNKNOWN);
	rcu_drain();
	roa_map_free(m);
}

/* Depths, and both halves of an address. */
static void
test_ip6(void **state)
{
	struct vrp_change c[] = { test_roa_add("2001:db8::/32", 48, 1),
		test_roa_add("2000::/3", 4, 2), test_roa_add("2001::/23", 24, 3),
		test_roa_add("2001:db8::1:0:0:0/80", 96, 4),
		test_roa_add("2001:db8::/64", 64, 5) };
	struct roa_map *m = roa_map_new(FAM_IP6);

	(void)state;
	roa_map_update(m, c, ARRAY_LEN(c));
	assert_int_equal(ask_map(m, "2001:db8:1::/48", 1), ROA_VALID);
	assert_int_equal(ask_map(m, "2001:db8:1::/49", 1), ROA_INVALID);
	assert_int_equal(ask_map(m, "2000::/4", 2), ROA_VALID);
	assert_int_equal(ask_map(m, "3000::/5", 2), ROA_INVALID);
	assert_int_equal(ask_map(m, "4000::/5", 2), ROA_UNKNOWN);
	assert_int_equal(ask_map(m, "2001:100::/24", 3), ROA_VALID);
	assert_int_equal(ask_map(m, "2001:db8::1:0:0:0/96", 4), ROA_VALID);
	assert_int_equal(ask_map(m, "2001:db8::1:0:0:0/97", 4), ROA_INVALID);
	assert_int_equal(ask_map(m, "2001:db8::/64", 5), ROA_VALID);
	assert_int_equal(ask_map(m, "10.0.0.0/8", 1), ROA_UNKNOWN);
	rcu_drain();
	roa_map_free(m);
}

/* All prefixes of /0 to /4, @shift bits down, as VRPs and as questions: which covers
 * which. */
static struct prefix
test_roa_small(unsigned n, unsigned shift)
{
	unsigned len = 31 - (unsigned)__builtin_clz(n + 1);
	uint32_t bits = n + 1 - (1u << len);

	return prefix_make(
	    ip4(len ? bits << (32 - len) >> shift : 0), len ? len + shift : 0, FAM_IP4);
}

static void
test_small(void **state)
{
	(void)state;
	for (unsigned shift = 0; shift <= 24; shift += 6) {
		for (unsigned v = 0; v < 31; v++) {
			struct roa_map *m = roa_map_new(FAM_IP4);
			struct vrp_change c = { { test_roa_small(v, shift), 32, 1 },
				true };

			roa_map_update(m, &c, 1);
			for (unsigned q = 0; q < 31; q++) {
				struct prefix p = test_roa_small(q, shift);
				bool in = prefix_contains(&c.vrp.net, &p);

				assert_int_equal(roa_map_check(m, &p, 1),
				    in ? ROA_VALID : ROA_UNKNOWN);
				assert_int_equal(roa_map_check(m, &p, 2),
				    in ? ROA_INVALID : ROA_UNKNOWN);
			}
			roa_map_free(m);
		}
	}
}

/* has - is @s-@max of @asn among @cnt VRPs? */
static bool
test_roa_has(const struct vrp *v, uint32_t cnt, const char *s, unsigned max, uint32_t asn)
{
	struct vrp_change want = test_roa_add(s, max, asn);

	for (uint32_t i = 0; i < cnt; i++)
		if (!vrp_cmp(&v[i], &want.vrp))
			return true;
	return false;
}

/* What covers a prefix stands in buckets of several depths; what matches comes first. */
static void
test_cover(void **state)
{
	struct vrp_change c[] = { test_roa_add("10.0.0.0/8", 16, 1),
		test_roa_add("0.0.0.0/0", 32, 2), test_roa_add("10.1.0.0/16", 24, 3),
		test_roa_add("10.1.2.0/24", 24, 1), test_roa_add("10.1.2.0/24", 24, 0),
		test_roa_add("10.1.2.128/25", 25, 1), test_roa_add("10.1.3.0/24", 24, 1),
		test_roa_add("10.1.2.0/23", 24, 1) };
	struct prefix p = test_roa_pfx("10.1.2.0/24"),
		      six = test_roa_pfx("2001:db8::/32");
	struct roa_map *m = roa_map_new(FAM_IP4);
	struct roa_cover got;

	(void)state;
	roa_map_cover(m, &got, &p, 1);
	assert_int_equal(got.state, ROA_UNKNOWN);
	assert_int_equal(got.cnt, 0);
	roa_map_update(m, c, ARRAY_LEN(c));
	roa_map_cover(m, &got, &p, 1);
	assert_int_equal(got.state, ROA_VALID);
	assert_int_equal(got.cnt, 6);
	assert_int_equal(got.matching, 2);
	assert_true(test_roa_has(got.vrp, 2, "10.1.2.0/24", 24, 1));
	assert_true(test_roa_has(got.vrp, 2, "10.1.2.0/23", 24, 1));
	assert_true(test_roa_has(got.vrp + 2, 4, "10.0.0.0/8", 16, 1));
	assert_true(test_roa_has(got.vrp + 2, 4, "0.0.0.0/0", 32, 2));
	assert_true(test_roa_has(got.vrp + 2, 4, "10.1.0.0/16", 24, 3));
	assert_true(test_roa_has(got.vrp + 2, 4, "10.1.2.0/24", 24, 0));
	roa_map_cover(m, &got, &p, 0); /* nobody may */
	assert_int_equal(got.state, ROA_INVALID);
	assert_int_equal(got.matching, 0);
	assert_int_equal(got.cnt, 6);
	roa_map_cover(m, &got, &six, 1);
	assert_int_equal(got.state, ROA_UNKNOWN);
	rcu_drain();
	roa_map_free(m);
}

/* More than there is room for: all are counted, and those that match are there. */
static void
test_cover_many(void **state)
{
	struct vrp_change c[2 * ROA_COVER_MAX];
	struct roa_map *m = roa_map_new(FAM_IP4);
	struct prefix p = test_roa_pfx("10.1.2.0/24");
	struct roa_cover got;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(c); i++)
		c[i] = test_roa_add(i % 2 ? "10.1.2.0/24" : "10.0.0.0/8", 24, 1 + i);
	roa_map_update(m, c, ARRAY_LEN(c));
	for (uint32_t as = 1; as <= ARRAY_LEN(c); as++) {
		roa_map_cover(m, &got, &p, as);
		assert_int_equal(got.state, ROA_VALID);
		assert_int_equal(got.cnt, ARRAY_LEN(c));
		assert_int_equal(got.matching, 1);
		assert_int_equal(got.vrp[0].asn, as);
		assert_int_not_equal(got.vrp[ROA_COVER_MAX - 1].asn, as);
	}
	rcu_drain();
	roa_map_free(m);
}

static void
test_changes(void **state)
{
	struct vrp_change c[] = { test_roa_add("10.0.0.0/16", 24, 1),
		test_roa_add("10.0.1.0/24", 24, 1) };
	struct vrp_change d[] = { test_roa_add("10.0.0.0/16", 24, 1),
		test_roa_add("10.9.0.0/16", 24, 1) };
	struct roa_map *m = roa_map_new(FAM_IP4);

	(void)state;
	roa_map_update(m, c, 2);
	d[1].there = false; /* isn't there */
	roa_map_update(m, d, 2); /* and the first one is */
	assert_int_equal(roa_map_cnt(m), 2);
	assert_int_equal(ask_map(m, "10.0.2.0/24", 1), ROA_VALID);
	assert_int_equal(ask_map(m, "10.9.0.0/16", 1), ROA_UNKNOWN);
	d[0].there = false;
	roa_map_update(m, d, 1);
	assert_int_equal(ask_map(m, "10.0.2.0/24", 1), ROA_UNKNOWN);
	assert_int_equal(ask_map(m, "10.0.1.0/24", 1), ROA_VALID);
	c[0].there = c[1].there = false;
	roa_map_update(m, c, 2);
	assert_int_equal(roa_map_cnt(m), 0);
	assert_int_equal(ask_map(m, "10.0.1.0/24", 1), ROA_UNKNOWN);
	rcu_drain();
	roa_map_free(m);
	roa_map_free(NULL);
	assert_int_equal(mem_used(MEM_TABLE), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_ip6),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_cover),
		cmocka_unit_test(test_cover_many),
		cmocka_unit_test(test_changes),
	};
	int rc;

	rcu_join();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_leave();
	return rc;
}
