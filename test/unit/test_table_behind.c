/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_table_behind checks when readers are notified of a change behind the best path of
 * a net with many paths. */
#include "nest/rib/table/table_behind.c"
#define SOURCES     2
#define SOURCE_ASES 2
#include "sysdep/os/clock.h"
#include "test/lib/one_net_rig.h"

#define PATHS 40
/* of 41 paths and 100 readers: 2.1 ms of looks */
#define PACE (4 * NS_PER_MS)

/* say - source 1 has a route by @rid, with MED @med; or none. */
static void
test_table_behind_announce(uint32_t rid, uint32_t med)
{
	struct attr_set *set = rig_set(
	    t->store, &(struct rig_attrs){ .pref = 100, .med = med });

	table_announce(t, &source[1], net, net_at,
	    &(struct route_in){ .set = set, .rid = rid, .flags = PATH_EXT });
	attr_set_unref(t->store, set, 1);
}

static void
test_table_behind_withdraw(uint32_t from, uint32_t to)
{
	for (uint32_t rid = from; rid < to; rid++)
		table_withdraw(t, &source[1], net, net_at, rid);
}

/* many - and the best is of source 0. It is a second after the beginning. */
static int
test_table_behind_many(void **state)
{
	one_net_rig_set_up(state);
	t->behind.readers = 100;
	t->time.now_ns = 1000 * NS_PER_MS;
	one_net_rig_announce(0, &(struct rig_attrs){ .pref = 200 }, 0);
	for (uint32_t rid = 0; rid < PATHS; rid++)
		test_table_behind_announce(rid, 1);
	assert_true(net->flags & NET_MANY);
	assert_int_equal(table_behind_step(t, t->time.now_ns + PACE), 0);
	net_rig_end_batch(t);
	t->time.now_ns += PACE;
	return 0;
}

static int
test_table_behind_none(void **state)
{
	(void)state;
	test_table_behind_withdraw(0, PATHS);
	table_withdraw(t, &source[0], net, net_at, 0);
	for (unsigned i = 0; i < BEHIND_PACES; i++)
		assert_true(list_empty(&t->behind.waits[i]));
	net_rig_free(t, source, SOURCES);
	return 0;
}

/* told - by the batch that ends: does it have the net? */
static bool
test_table_behind_told(void)
{
	uint32_t cnt = t->best.change_cnt;

	assert_true(cnt <= 1);
	net_rig_end_batch(t);
	return cnt == 1;
}

/* A net that was quiet is told at once; what follows when the time is over, once. */
static void
test_pace(void **state)
{
	uint64_t due = t->time.now_ns + PACE;

	(void)state;
	test_table_behind_announce(5, 2);
	assert_true(test_table_behind_told());
	assert_int_equal(table_behind_step(t, t->time.now_ns), 0);
	test_table_behind_announce(6, 2);
	test_table_behind_announce(7, 2);
	assert_false(test_table_behind_told());
	t->time.now_ns = due - 1;
	test_table_behind_withdraw(7, 8);
	assert_int_equal(table_behind_step(t, t->time.now_ns), due);
	assert_false(test_table_behind_told());
	t->time.now_ns = due;
	assert_int_equal(table_behind_step(t, t->time.now_ns), 0);
	assert_true(test_table_behind_told());
	test_table_behind_announce(7, 1);
	assert_false(test_table_behind_told());
	t->time.now_ns += PACE;
	table_behind_step(t, t->time.now_ns);
	assert_true(test_table_behind_told());
	t->time.now_ns += PACE;
	test_table_behind_announce(7, 2);
	assert_true(test_table_behind_told());
}

/* A change of the best is told at once. The one that waits is told, too. */
static void
test_best(void **state)
{
	(void)state;
	test_table_behind_announce(5, 2);
	assert_true(test_table_behind_told());
	test_table_behind_announce(6, 2);
	assert_false(test_table_behind_told());
	table_withdraw(t, &source[0], net, net_at, 0);
	assert_true(net->flags & NET_MOVED);
	assert_true(test_table_behind_told());
	table_behind_step(t, t->time.now_ns + PACE);
	assert_true(test_table_behind_told());
}

/* What waits when the net has few paths again is told then. */
static void
test_few(void **state)
{
	uint32_t rid = 0;

	(void)state;
	test_table_behind_announce(5, 2);
	assert_true(test_table_behind_told());
	test_table_behind_announce(6, 2);
	while (net->flags & NET_MANY) {
		assert_false(test_table_behind_told());
		test_table_behind_withdraw(rid, rid + 1);
		rid++;
	}
	assert_true(test_table_behind_told());
	assert_int_equal(table_behind_step(t, t->time.now_ns + PACE), 0);
	test_table_behind_withdraw(rid, rid + 1);
	assert_true(test_table_behind_told());
}

/* All go with one source. */
static void
test_gone(void **state)
{
	(void)state;
	test_table_behind_announce(5, 2);
	assert_true(test_table_behind_told());
	test_table_behind_announce(6, 2);
	source[1].epoch.now++;
	t->walk.nr++;
	table_prune(t, net, net_at);
	assert_false(net->flags & NET_MANY);
	assert_true(test_table_behind_told());
}

static void
test_nobody(void **state)
{
	(void)state;
	t->behind.readers = 0;
	test_table_behind_announce(5, 2);
	test_table_behind_announce(6, 2);
	assert_false(test_table_behind_told());
	assert_int_equal(table_behind_step(t, t->time.now_ns + PACE), 0);
	assert_false(test_table_behind_told());
}

/* The more paths and readers, the longer; a second at most. */
static void
test_paces(void **state)
{
	struct path_index ix = { .cnt = 33 };

	(void)state;
	t->behind.readers = 1;
	assert_int_equal(behind_pace_of(t, &ix), 0);
	ix.cnt = 16000;
	assert_int_equal(behind_pace_of(t, &ix), 4);
	ix.cnt = PATHS_MOST;
	t->behind.readers = 1000;
	assert_int_equal(behind_pace_of(t, &ix), BEHIND_PACES - 1);
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(                                                 \
	    fn, test_table_behind_many, test_table_behind_none)

static const struct CMUnitTest tests[] = {
	TEST(test_pace),
	TEST(test_best),
	TEST(test_few),
	TEST(test_gone),
	TEST(test_nobody),
	TEST(test_paces),
};

int
main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
