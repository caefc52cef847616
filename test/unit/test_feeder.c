/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of feeders: given again, lowest first, when all have read what names the one before. */
#include "nest/rib/feeder.c"
#include "test/lib/spine_rig.h"

static uint32_t picked;

static void
give_back(void *arg)
{
	struct table *t = arg;

	ids_release(t);
	id_hold(t, RIG_PEERS);
	picked = id_pick(t);
}

static void
pick(void *arg)
{
	struct table *t = arg;

	journal_reclaim(&t->journal);
	picked = id_pick(t);
}

static void
test_number_again(void **state)
{
	struct table *t = rig_table();

	(void)state;
	rig_up(0);
	rig_up(1);
	rig_in(&t->worker, pick, t);
	assert_int_equal(picked, RIG_PEERS);
	rig_announce(0, 0, 5, 1, 3);
	rig_in(&t->worker, give_back, t); /* 0 and 1 haven't read */
	assert_int_equal(picked, RIG_PEERS + 1);
	rig_export(0);
	rig_in(&t->worker, pick, t);
	assert_int_equal(picked, RIG_PEERS + 2);
	rig_export(1);
	rig_in(&t->worker, pick, t);
	assert_int_equal(picked, RIG_PEERS);
	rig_in(&t->worker, pick, t);
	assert_int_equal(picked, RIG_PEERS + 1); /* nobody has put a source there */
}

/* When there is no other, one that is held is given. */
static void
test_all_held(void **state)
{
	struct table *t = rig_table();

	(void)state;
	rig_up(0);
	rig_announce(0, 0, 5, 1, 3);
	rig_in(&t->worker, give_back, t);
	t->src_hint = TABLE_SOURCE_MAX;
	rig_in(&t->worker, pick, t);
	assert_int_equal(picked, RIG_PEERS);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_number_again),
	RIG_TEST(test_all_held),
};

UNIT_MAIN(tests)
