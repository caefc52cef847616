/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes that are equal in rank: each difference decides in its turn, and two routes that
 * differ in anything are never equal, whichever of them is asked about first. */
#include "nest/rib/table/path_tie.h"

#include "lib/attr/attr.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/source.h"
#include "test/lib/net_rig.h"

static struct attr_store *st;

static struct attr_set *
test_path_tie_set(uint32_t as, uint32_t pref)
{
	struct rig_attrs a = { .pref = pref, .as_cnt = 1, .first_as = as };

	return rig_set(st, &a);
}

static void
test_path_tie_check(
    const struct path_tie *a, const struct path_tie *b, int want, enum reason because)
{
	enum reason why;
	int ab = path_tie_cmp(a, b, &why), ba = path_tie_cmp(b, a, &why);

	assert_int_equal((ab > 0) - (ab < 0), want);
	assert_int_equal((ba > 0) - (ba < 0), -want);
	if (want)
		assert_int_equal(why, because);
	assert_int_equal(path_tie_cmp(a, a, &why), 0);
}

static int
path_tie_rank(const struct route_cand *a, const struct route_cand *b)
{
	(void)a;
	(void)b;
	return 0;
}

static void
test_turn(void **state)
{
	static const struct path_order ranked = { .rank = path_tie_rank }, plain = { 0 };
	struct origin low = { .order = &ranked, .src = { .place = 1, .proto = "z" } },
		      high = { .order = &ranked, .src = { .place = 2, .proto = "a" } },
		      named = { .order = &ranked, .src = { .place = 2, .proto = "b" } },
		      still = { .order = &plain, .src = { .place = 1, .proto = "z" } };
	struct attr_set *x = test_path_tie_set(1, 100), *y = test_path_tie_set(2, 100);

	(void)state;
	/* the instance that the route comes from, whoever brought the route */
	test_path_tie_check(&(struct path_tie){ 2, &low, y, true },
	    &(struct path_tie){ 1, &high, x, true }, -1, REASON_EARLIER_PROTOCOL);
	test_path_tie_check(&(struct path_tie){ 1, &high, y, false },
	    &(struct path_tie){ 1, &named, x, false }, -1, REASON_EARLIER_PROTOCOL);
	/* then the attributes, unless of static routes in their own table */
	test_path_tie_check(&(struct path_tie){ 2, &low, x, false },
	    &(struct path_tie){ 1, &low, y, false }, -1, REASON_ATTRIBUTES);
	test_path_tie_check(&(struct path_tie){ 1, &still, x, true },
	    &(struct path_tie){ 1, &still, y, true }, -1, REASON_ATTRIBUTES);
	test_path_tie_check(&(struct path_tie){ 1, &still, y, false },
	    &(struct path_tie){ 1, &still, x, false }, 0, REASON_NONE);
	/* then the instance that brought the route */
	test_path_tie_check(&(struct path_tie){ 1, &low, x, true },
	    &(struct path_tie){ 2, &low, x, true }, -1, REASON_EARLIER_PROTOCOL);
	attr_set_unref(st, x, 1);
	attr_set_unref(st, y, 1);
}

/* what isn't in the octets of a message decides, too */
static void
test_local(void **state)
{
	struct wire_set w = { .len = 0 };
	struct attr_set a = { .wire = &w, .local = { .dest = DEST_BLACKHOLE } },
			b = { .wire = &w, .local = { .dest = DEST_UNREACHABLE } },
			c = { .wire = &w, .local = { .dest = DEST_BLACKHOLE, .rts = 1 } },
			d = { .wire = &w, .local = { .igp_metric = 1 } };

	(void)state;
	assert_true(path_tie_set(&a, &b) < 0 && path_tie_set(&b, &a) > 0);
	assert_true(path_tie_set(&a, &c) < 0 && path_tie_set(&c, &a) > 0);
	assert_true(path_tie_set(&a, &d) < 0 && path_tie_set(&d, &a) > 0);
}

static int
test_path_tie_set_up(void **state)
{
	(void)state;
	rcu_join();
	st = attr_store_new();
	return 0;
}

static int
test_path_tie_tear_down(void **state)
{
	(void)state;
	attr_store_free(st);
	rcu_drain();
	rcu_leave();
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_turn),
	cmocka_unit_test(test_local),
};

int
main(void)
{
	return cmocka_run_group_tests(
	    tests, test_path_tie_set_up, test_path_tie_tear_down);
}
