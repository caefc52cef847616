/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ASPA: verdicts on a few paths, one by one, entries, and walks in order. */
#include "lib/net/aspa.c"
#include "test/lib/unit.h"

/* Ends with 0. */
static enum aspa_state
test_aspa_check(const struct aspa_map *m, const uint32_t *path, bool upstream)
{
	struct aspa_walk w;

	aspa_walk_init(&w, m);
	while (*path)
		aspa_walk_as(&w, *path++);
	assert_ptr_equal(aspa_walk_attested(&w, 21), m ? aspa_map_get(m, 21) : NULL);
	return aspa_walk_state(&w, upstream);
}

#define PATH(...) ((const uint32_t[]){ __VA_ARGS__, 0 })

/* put - @cnt 0: the customer's goes. */
static void
test_aspa_put(struct aspa_map *m, uint32_t customer, uint32_t a, uint32_t b, uint32_t cnt)
{
	uint32_t provider[] = { a, b };
	struct aspa_change c = { customer,
		cnt ? aspa_new(customer, provider, cnt) : NULL };

	aspa_map_update(m, &c, 1);
}

/* 1 and 2 have no provider; 11 has 1; 12 has 1 and 2; 21 has 11; 22 has 12; of 30 nothing
 * is known. */
static struct aspa_map *
small_world(void)
{
	struct aspa_map *m = aspa_map_new();

	test_aspa_put(m, 1, 0, 0, 1);
	test_aspa_put(m, 2, 0, 0, 2);
	test_aspa_put(m, 11, 1, 1, 2);
	test_aspa_put(m, 12, 2, 1, 2);
	test_aspa_put(m, 21, 11, 0, 1);
	test_aspa_put(m, 22, 12, 0, 1);
	return m;
}

static void
test_upstream(void **state)
{
	struct aspa_map *m = small_world();

	(void)state;
	assert_int_equal(test_aspa_check(m, PATH(0), true), ASPA_INVALID);
	assert_int_equal(test_aspa_check(m, PATH(21), true), ASPA_VALID);
	assert_int_equal(test_aspa_check(m, PATH(21, 21, 21), true), ASPA_VALID);
	assert_int_equal(test_aspa_check(m, PATH(11, 21), true), ASPA_VALID);
	assert_int_equal(test_aspa_check(m, PATH(1, 1, 11, 11, 21), true), ASPA_VALID);
	/* a leak: 12 hands 1's routes on to 2 */
	assert_int_equal(test_aspa_check(m, PATH(12, 1, 11), true), ASPA_INVALID);
	/* nobody says who 30's providers are */
	assert_int_equal(test_aspa_check(m, PATH(11, 30), true), ASPA_UNKNOWN);
	assert_int_equal(test_aspa_check(m, PATH(30, 30), true), ASPA_VALID);
	/* one that is no provider outweighs what isn't known */
	assert_int_equal(test_aspa_check(m, PATH(30, 21, 30), true), ASPA_INVALID);
	assert_int_equal(test_aspa_check(m, PATH(2, 1), true), ASPA_INVALID);
	rcu_drain();
	aspa_map_free(m);
}

static void
test_downstream(void **state)
{
	struct aspa_map *m = small_world();

	(void)state;
	assert_int_equal(test_aspa_check(m, PATH(0), false), ASPA_INVALID);
	assert_int_equal(test_aspa_check(m, PATH(1), false), ASPA_VALID);
	/* two ramps always meet between two ASes, whatever they attest */
	assert_int_equal(test_aspa_check(m, PATH(2, 1), false), ASPA_VALID);
	assert_int_equal(test_aspa_check(m, PATH(30, 1), false), ASPA_VALID);
	/* up to 1 and down from there */
	assert_int_equal(test_aspa_check(m, PATH(12, 1, 11, 21), false), ASPA_VALID);
	/* over the link of two at the top */
	assert_int_equal(
	    test_aspa_check(m, PATH(22, 12, 2, 1, 11, 21), false), ASPA_VALID);
	/* 12, a customer of both, between 2 and 1 */
	assert_int_equal(test_aspa_check(m, PATH(2, 12, 1), false), ASPA_INVALID);
	assert_int_equal(test_aspa_check(m, PATH(2, 30, 1), false), ASPA_INVALID);
	/* 30 and 31 may be the top, but nobody says so */
	assert_int_equal(
	    test_aspa_check(m, PATH(22, 30, 31, 32, 1), false), ASPA_INVALID);
	assert_int_equal(test_aspa_check(m, PATH(30, 31, 11), false), ASPA_UNKNOWN);
	rcu_drain();
	aspa_map_free(m);
}

/* Without a map it is as with an empty one. */
static void
test_nothing(void **state)
{
	struct aspa_map *m = aspa_map_new();

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct aspa_map *which = i ? m : NULL;

		assert_int_equal(test_aspa_check(which, PATH(0), true), ASPA_INVALID);
		assert_int_equal(test_aspa_check(which, PATH(7, 7), true), ASPA_VALID);
		assert_int_equal(test_aspa_check(which, PATH(7, 8), true), ASPA_UNKNOWN);
		assert_int_equal(test_aspa_check(which, PATH(7, 8), false), ASPA_VALID);
		assert_int_equal(
		    test_aspa_check(which, PATH(7, 8, 9), false), ASPA_UNKNOWN);
	}
	rcu_drain();
	aspa_map_free(m);
}

static void
test_entries(void **state)
{
	static const uint32_t some[] = { 7, 3, 7, 4200000000u, 0 };
	struct aspa *a = aspa_new(9, some, 5), *b = aspa_new(8, some, 4),
		    *c = aspa_new(8, some, 3);

	(void)state;
	assert_int_equal(a->cnt, 4);
	assert_int_equal(a->provider[0], 0);
	assert_int_equal(a->provider[1], 3);
	assert_int_equal(a->provider[2], 7);
	assert_int_equal(a->provider[3], 4200000000u);
	assert_true(aspa_has_provider(a, 3) && aspa_has_provider(a, 4200000000u));
	assert_false(aspa_has_provider(a, 4) || aspa_has_provider(c, 0));
	assert_true(aspa_same(a, a));
	assert_false(aspa_same(a, b));
	assert_false(aspa_same(b, c));
	aspa_free(a);
	aspa_free(b);
	aspa_free(c);
}

static void
test_map(void **state)
{
	struct aspa_map *m = aspa_map_new();
	const struct aspa *a;

	(void)state;
	assert_null(aspa_map_get(m, 0));
	test_aspa_put(m, 4200000000u, 1, 0, 1);
	test_aspa_put(m, 0, 2, 0, 1);
	test_aspa_put(m, 7, 3, 4, 2);
	test_aspa_put(m, 7, 5, 0, 1); /* in its place */
	test_aspa_put(m, 8, 0, 0, 0); /* wasn't there */
	assert_int_equal(aspa_map_cnt(m), 3);
	a = aspa_map_get(m, 7);
	assert_int_equal(a->customer, 7);
	assert_int_equal(a->cnt, 1);
	assert_int_equal(a->provider[0], 5);
	assert_null(aspa_map_get(m, 8));
	assert_int_equal(aspa_map_get(m, 4200000000u)->customer, 4200000000u);
	test_aspa_put(m, 0, 0, 0, 0);
	test_aspa_put(m, 7, 0, 0, 0);
	test_aspa_put(m, 4200000000u, 0, 0, 0);
	assert_int_equal(aspa_map_cnt(m), 0);
	rcu_drain();
	aspa_map_free(m);
	aspa_map_free(NULL);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_upstream),
		cmocka_unit_test(test_downstream),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_map),
	};
	int rc;

	rcu_join();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_leave();
	return rc;
}
