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

static int
path_tie_cmp(const struct path_tie *a, const struct path_tie *b)
{
	int c = path_tie_source(a, b);

	return c ? c : path_tie_set(a->set, b->set);
}

static void
test_path_tie_check(const struct path_tie *a, const struct path_tie *b, int want)
{
	int ab = path_tie_cmp(a, b), ba = path_tie_cmp(b, a);

	assert_int_equal((ab > 0) - (ab < 0), want);
	assert_int_equal((ba > 0) - (ba < 0), -want);
	assert_int_equal(path_tie_cmp(a, a), 0);
}

static void
test_turn(void **state)
{
	struct origin low = { .src = { .place = 1, .proto = "z" } },
		      high = { .src = { .place = 2, .proto = "a" } },
		      named = { .src = { .place = 2, .proto = "b" } };
	struct attr_set *x = test_path_tie_set(1, 100), *y = test_path_tie_set(2, 100);

	(void)state;
	/* the instance that brought the route, then where the route comes from */
	test_path_tie_check(
	    &(struct path_tie){ 1, &high, y }, &(struct path_tie){ 2, &low, x }, -1);
	test_path_tie_check(
	    &(struct path_tie){ 1, &low, y }, &(struct path_tie){ 1, &high, x }, -1);
	test_path_tie_check(
	    &(struct path_tie){ 1, &high, y }, &(struct path_tie){ 1, &named, x }, -1);
	/* then the attributes */
	test_path_tie_check(
	    &(struct path_tie){ 1, &low, x }, &(struct path_tie){ 1, &low, y }, -1);
	test_path_tie_check(
	    &(struct path_tie){ 1, &low, x }, &(struct path_tie){ 1, &low, x }, 0);
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
