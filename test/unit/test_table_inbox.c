/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records into a table: what it can't take. */
#include "test/lib/spine_rig.h"
#include "test/lib/table_find.h"
#include "test/lib/wait.h"

static uint32_t graces;

static void
do_one_step(void *arg)
{
	(void)arg;
	rig_table()->paths.mem.steps = 1;
}

static void
do_graces(void *arg)
{
	(void)arg;
	graces = rig_table()->life.graces;
}

/* Until what was unlinked may be used again. */
static void
wait_graces(void)
{
	struct wait w = { 0 };

	do {
		lib_wait_turn(&w, "grace periods");
		rig_in(&rig_table()->worker, do_graces, NULL);
	} while (graces);
}

static uint64_t
test_table_inbox_ignored(unsigned k)
{
	return counter64_get(&rig.peer[k]->ch->stats.in.imp_upd_ignored);
}

static uint64_t
test_table_inbox_paths(void)
{
	struct table_stats st;

	table_stats(rig_table(), &st);
	return st.paths;
}

static uint32_t
test_table_inbox_med_of(uint32_t net)
{
	struct prefix p = rig_net(net);
	const struct net *n = rig_find(rig_table(), &p);
	const struct path *best = n ? net_best(n) : NULL;

	return best ? wire_med(best->set->wire) : 0;
}

/* All addresses for paths are taken: routes are refused, and nothing else happens. */
static void
test_full(void **state)
{
	uint32_t cnt = 26 * RIG_NETS, fit;
	struct table *t = rig_table();

	(void)state;
	rig_hush();
	rig_in(&t->worker, do_one_step, NULL);
	spine_rig_up(0);
	spine_rig_up(1);
	for (uint32_t i = 0; i < cnt; i += RIG_NETS)
		rig_announce(0, i, RIG_NETS, 1, 1);
	fit = t->paths.slab[0].per_block * 32;
	assert_in_range(fit, 80000, cnt - 100);
	assert_int_equal(test_table_inbox_paths(), fit);
	assert_int_equal(test_table_inbox_ignored(0), cnt - fit);
	assert_int_equal(table_id_limit(t), fit); /* nor have they taken ids */
	assert_int_equal(test_table_inbox_med_of(fit - 1), 1);
	assert_int_equal(test_table_inbox_med_of(fit), 0);
	assert_true(t->time.full_ns); /* the log has a line */
	assert_int_equal(
	    counter64_get(&channel_stats(rig.peer[0]->ch)->reason[REASON_TABLE_FULL]),
	    cnt - fit);

	rig_announce(1, 0, 10, 2, 0); /* another's, better */
	assert_int_equal(test_table_inbox_ignored(1), 10);
	assert_int_equal(test_table_inbox_med_of(0), 1);
	rig_announce(0, 0, 10, 1, 1); /* as they are */
	assert_int_equal(test_table_inbox_paths(), fit);
	assert_int_equal(test_table_inbox_med_of(0), 1);
	rig_announce(0, 10, 10, 1, 5); /* what is replaced isn't valid any more */
	assert_int_equal(test_table_inbox_paths(), fit - 10);
	assert_int_equal(test_table_inbox_med_of(10), 0);
	wait_graces();
	rig_announce(0, 10, 10, 1, 6);
	assert_int_equal(test_table_inbox_paths(), fit);
	assert_int_equal(test_table_inbox_med_of(10), 6);
	rig_withdraw(0, 0, RIG_NETS);
	wait_graces();
	rig_announce(1, 0, 10, 2, 3);
	assert_int_equal(test_table_inbox_med_of(9), 3);
	log_stop();
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_full),
};

UNIT_MAIN(tests)
