/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a batch: dead nets and their ids. */
#include "test/lib/spine_rig.h"

static uint32_t flaps;

static void
flap(void *arg)
{
	struct rig_route r = { arg, 0, 1, 1, 1 };

	while (flaps < 70000 && channel_import_ready(r.pe->ch)) {
		rig_do_announce(&r);
		rig_do_withdraw(&r);
		flaps++;
	}
}

static void
flush_pending(void *arg)
{
	channel_wake(arg);
}

/* One net that flaps 70,000 times while a session holds its ids back. */
static void
test_deaths(void **state)
{
	(void)state;
	rig_up(0);
	rig_up(1);
	for (flaps = 0; flaps < 70000;) {
		rig_in(&rig.peer[0]->p.worker, flap, rig.peer[0]);
		rig_settle();
		rig_in(&rig.peer[0]->p.worker, flush_pending, rig.peer[0]->ch);
		rig_settle();
	}
	assert_true(rig_table()->dead_cnt <= 1);
	rig_export(1);
	usleep(120000); /* the table's tick */
	rig_settle();
	rig_announce(0, 0, 1, 1, 2);
	rig_export(1);
	assert_int_equal(rig.peer[1]->held[0], rig_holds(1, 2));
}

/* Up to where a session has said that its withdrawals are out. */
static uint64_t
out_pos(unsigned k)
{
	return load_relaxed64(&rig.peer[k]->ch->ts.cursor.out_pos);
}

/* A session that follows the journal, and nothing else is to be sent, tells how far it is with each flush: not
 * just when it has come to the end. */
static void
test_settles(void **state)
{
	struct rig_peer *pe = rig.peer[1];
	uint64_t before;

	(void)state;
	rig_up(0);
	rig_up(1);
	for (uint32_t i = 0; i < 100; i++)
		rig_announce(0, 16 * i, 16, 1, i);
	rig_export(1);
	before = out_pos(1);
	for (uint32_t i = 0; i < 100; i++)
		rig_withdraw(0, 16 * i, 16);
	pe->fills = true;
	pe->room = 500;
	rig_export(1);
	assert_int_equal(pe->room, 0);
	assert_true(pe->ch->ts.cursor.read > before + 2);
	assert_true(journal_pending(&rig_table()->journal, &pe->ch->ts.cursor));
	assert_int_equal(out_pos(1), pe->ch->ts.cursor.read);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_deaths),
	RIG_TEST(test_settles),
};

UNIT_MAIN(tests)
