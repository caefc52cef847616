/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the peer asks for all again: how often that is done, and that nothing is left out. */
#include "nest/channel/channel_export.c"
#include "test/lib/spine_rig.h"

#define GROUPS 8 /* of nets that share a message */
#define NETS   (GROUPS * 10)

/* announce_groups - each has attributes of its own, so that a sweep takes a turn for each while tx_room says 1. */
static void
announce_groups(void)
{
	rig_up(0);
	for (unsigned g = 0; g < GROUPS; g++)
		rig_announce(0, g * 10, 10, 9, g);
}

static void
ask(void *arg)
{
	channel_refresh_out(((struct rig_peer *)arg)->ch);
}

static void
one_run(void *arg)
{
	channel_export_run(((struct rig_peer *)arg)->ch);
}

static void
export_once(struct rig_peer *pe)
{
	rig_in(&pe->p.worker, one_run, pe);
}

static uint32_t
held_cnt(const struct rig_peer *pe)
{
	uint32_t cnt = 0;

	for (unsigned i = 0; i < NETS; i++)
		cnt += pe->held[i] == rig_holds(9, i / 10);
	return cnt;
}

static bool set_again, other_sweep; /* as seen in the session's thread */

/* The bit stands for the work of setting all of them. */
static void
ask_twice(void *arg)
{
	struct rig_peer *pe = arg;

	channel_refresh_out(pe->ch);
	pe->ch->adj.dirty_cnt -= bitmap_clear(&pe->ch->adj.dirty, 3);
	channel_refresh_out(pe->ch);
	set_again = bitmap_test(&pe->ch->adj.dirty, 3);
	adj_out_dirty(&pe->ch->adj, 3, 1);
}

/* What has passed nothing yet answers further requests, too. */
static void
test_together(void **state)
{
	struct rig_peer *pe = rig.peer[1];

	(void)state;
	announce_groups();
	rig_up(1);
	rig_export(1);
	assert_int_equal(held_cnt(pe), NETS);
	pe->eor_cnt = pe->msg_cnt = 0;
	rig_in(&pe->p.worker, ask_twice, pe);
	assert_false(set_again);
	rig_in(&pe->p.worker, ask, pe);
	rig_export(1);
	assert_int_equal(pe->eor_cnt, 1);
	assert_int_equal(pe->msg_cnt, GROUPS);
}

/* A peer that asks at each turn gets one sweep after the other, each to its end. */
static void
test_flood(void **state)
{
	struct rig_peer *pe = rig.peer[1];
	unsigned asked = 0;

	(void)state;
	announce_groups();
	rig_up(1);
	pe->room = 1;
	for (; asked < 100 && pe->eor_cnt < 3; asked++) {
		rig_in(&pe->p.worker, ask, pe);
		export_once(pe);
	}
	assert_true(asked < 100);
	assert_in_range(pe->msg_cnt, 3 * GROUPS, 4 * GROUPS);
	assert_int_equal(load_relaxed64(&pe->ch->ts.cursor.out_pos),
	    pe->ch->ts.cursor.read); /* a flood holds no net ids back */
}

/* A request in the middle of a sweep is done after it: End-of-RIB comes for both, and all nets come once more. */
static void
test_meanwhile(void **state)
{
	struct rig_peer *pe = rig.peer[1];

	(void)state;
	announce_groups();
	rig_up(1);
	pe->room = 1;
	export_once(pe);
	assert_in_range(held_cnt(pe), 10, NETS - 10);
	memset(pe->held, 0, sizeof(pe->held)); /* what came before doesn't count */
	rig_in(&pe->p.worker, ask, pe);
	rig_in(&pe->p.worker, ask, pe);
	while (!pe->eor_cnt)
		export_once(pe);
	assert_true(held_cnt(pe) < NETS);
	rig_export(1);
	assert_int_equal(held_cnt(pe), NETS);
	assert_int_equal(pe->eor_cnt, 2);
	assert_int_equal(pe->msg_cnt, 2 * GROUPS);
	export_once(pe);
	assert_int_equal(pe->eor_cnt, 2);
}

static void
dirty_sweep(void *arg)
{
	struct rig_peer *pe = arg;

	adj_out_dirty(&pe->ch->adj, 0, NETS);
	channel_export_run(pe->ch);
	other_sweep = pe->ch->sweeping && !pe->ch->feed_on;
	channel_refresh_out(pe->ch);
}

/* Nor does one stop a sweep that is on for another reason; and what is remembered goes with the session. */
static void
test_other_sweep(void **state)
{
	struct rig_peer *pe = rig.peer[1];

	(void)state;
	announce_groups();
	rig_up(1);
	rig_export(1);
	pe->eor_cnt = pe->msg_cnt = 0;
	pe->room = 1;
	rig_in(&pe->p.worker, dirty_sweep, pe);
	assert_true(other_sweep);
	rig_export(1);
	assert_int_equal(pe->eor_cnt, 1);
	assert_int_equal(pe->msg_cnt, 2 * GROUPS);
	rig_in(&pe->p.worker, dirty_sweep, pe);
	assert_true(other_sweep);
	rig_down(1);
	pe->eor_cnt = pe->msg_cnt = 0;
	rig_up(1);
	rig_export(1);
	assert_int_equal(pe->eor_cnt, 1);
	assert_int_equal(pe->msg_cnt, GROUPS);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_together),
	RIG_TEST(test_flood),
	RIG_TEST(test_meanwhile),
	RIG_TEST(test_other_sweep),
};

UNIT_MAIN(tests)
