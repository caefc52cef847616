/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes that stay while a peer restarts: what is counted of them, what limits make of
 * them, and which changes its readers see. */
#include "test/lib/spine_rig.h"
#include "test/lib/table_find.h"
#include "test/lib/table_rest.h"

static void
do_away(void *arg)
{
	channel_away(((struct rig_peer *)arg)->ch);
}

static void
do_stale(void *arg)
{
	channel_stale(((struct rig_peer *)arg)->ch);
}

static void
do_sweep(void *arg)
{
	channel_sweep(((struct rig_peer *)arg)->ch);
}

static void
test_path_count_do(unsigned k, void (*what)(void *arg))
{
	rig_in(&rig.peer[k]->p.worker, what, rig.peer[k]);
	rig_settle();
}

static const struct feeder *
test_path_count_feeder(unsigned k)
{
	return &rig.peer[k]->ch->ts;
}

static void
test_path_count_counts(uint32_t imported, uint32_t stale)
{
	const struct feeder_stats *st = &rig.peer[0]->ch->stats.in;

	assert_int_equal(counter64_get(&st->imported), imported);
	assert_int_equal(counter64_get(&st->stale), stale);
	assert_int_equal(test_path_count_feeder(0)->cnt.live, imported);
	assert_int_equal(test_path_count_feeder(0)->cnt.stale, stale);
}

/* told - the messages that peer 1 gets now. */
static uint32_t
test_path_count_told(void)
{
	uint32_t was = rig.peer[1]->msg_cnt;

	rig_export(1);
	return rig.peer[1]->msg_cnt - was;
}

static bool
test_path_count_holds(uint32_t net, uint32_t med)
{
	return rig.peer[1]->held[net] == rig_holds(7, med);
}

/* It goes, comes back, and tells some again: only what differs is passed on. */
static void
test_restart(void **state)
{
	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(0, 0, 10, 7, 1);
	test_path_count_told();
	test_path_count_counts(10, 0);
	test_path_count_do(0, do_away);
	test_path_count_counts(10, 10);
	spine_rig_up(0);
	test_path_count_counts(10, 10);
	rig_announce(0, 0, 4, 7, 1);
	test_path_count_counts(10, 6);
	assert_int_equal(test_path_count_told(), 0);
	assert_int_equal(counter64_get(&rig.peer[0]->ch->stats.in.imp_upd_ignored), 4);
	rig_announce(0, 4, 2, 7, 2);
	rig_withdraw(0, 6, 1);
	test_path_count_counts(9, 3);
	test_path_count_told();
	assert_true(test_path_count_holds(3, 1) && test_path_count_holds(5, 2) &&
		    test_path_count_holds(7, 1));
	test_path_count_do(0, do_sweep);
	test_path_count_counts(6, 0);
	test_path_count_told();
	assert_true(test_path_count_holds(3, 1) && test_path_count_holds(5, 2) &&
		    !rig.peer[1]->held[7]);
	spine_rig_down(0);
	test_path_count_counts(0, 0);
	test_path_count_told();
	assert_int_equal(rig.peer[1]->held[3], 0);
	spine_rig_down(1);
}

/* It breaks once more before it has told all: what was stale already goes (RFC 4724,
 * 4.2). */
static void
test_second_restart(void **state)
{
	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(0, 0, 10, 7, 1);
	test_path_count_do(0, do_away);
	spine_rig_up(0);
	rig_announce(0, 0, 4, 7, 1);
	test_path_count_do(0, do_away);
	test_path_count_counts(4, 4);
	test_path_count_told();
	assert_true(test_path_count_holds(3, 1) && !rig.peer[1]->held[4]);
	spine_rig_down(0); /* it never comes back */
	test_path_count_counts(0, 0);
	test_path_count_told();
	assert_int_equal(rig.peer[1]->held[3], 0);
	spine_rig_down(1);
}

static void
up_with_id(uint32_t router_id)
{
	struct route_source src = { .from = ip4(0x7f000001u),
		.peer_as = 1,
		.peer_router_id = router_id,
		.is_bgp = true,
		.is_ebgp = true };

	rig_up_as(0, &src, NULL, NULL);
}

/* Stale routes are ordered by the facts of the present session. */
static void
test_other_facts(void **state)
{
	(void)state;
	up_with_id(5);
	rig_announce(0, 0, 10, 7, 1);
	test_path_count_do(0, do_away);
	up_with_id(5);
	test_path_count_counts(10, 10);
	test_path_count_do(0, do_away);
	test_path_count_counts(0, 0); /* they were stale twice */
	up_with_id(5);
	rig_announce(0, 0, 10, 7, 1);
	test_path_count_do(0, do_away);
	up_with_id(6);
	test_path_count_counts(0, 0);
	spine_rig_down(0);
}

/* RFC 7313: the peer begins to tell all again, more often than it ends. */
static void
test_refresh(void **state)
{
	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 10, 7, 1);
	for (unsigned i = 0; i < 254; i++)
		test_path_count_do(0, do_stale);
	test_path_count_counts(10, 10);
	rig_announce(0, 0, 5, 7, 1);
	test_path_count_counts(10, 5);
	test_path_count_do(0, do_stale);
	test_path_count_counts(10, 10);
	rig_announce(0, 0, 5, 7, 1);
	test_path_count_do(0, do_stale); /* that was too often */
	test_path_count_counts(10, 5);
	test_path_count_do(0, do_stale);
	test_path_count_counts(10, 5);
	rig_announce(0, 0, 5, 7, 1);
	test_path_count_do(0, do_sweep);
	test_path_count_counts(5, 0);
	test_path_count_do(0, do_sweep);
	test_path_count_counts(5, 0);
	spine_rig_down(0);
}

/* Limits are about what the peer tells now. */
static void
test_limits(void **state)
{
	struct conf_limit *l = &rig.cf_chan[0].limit.import;

	(void)state;
	*l = (struct conf_limit){ .action = LIMIT_BLOCK, .max = 10 };
	spine_rig_up(0);
	rig_announce(0, 0, 10, 7, 1);
	test_path_count_do(0, do_away);
	spine_rig_up(0);
	rig_announce(0, 100, 9, 7, 1);
	test_path_count_counts(19, 10);
	rig_announce(0, 0, 3, 7, 1); /* one of them is the tenth */
	test_path_count_counts(17, 7);
	assert_int_equal(rig.peer[0]->refresh_cnt, 0);
	test_path_count_do(0, do_sweep);
	test_path_count_counts(10, 0);
	/* there is no more room than before: or two peers would refresh without an end */
	assert_int_equal(rig.peer[0]->refresh_cnt, 0);
	spine_rig_down(0);
	*l = (struct conf_limit){ .action = LIMIT_OFF };
}

/* A reload doesn't make a stale route fresh. */
static void
do_reload(void *arg)
{
	struct rig_peer *pe = arg;

	assert_true(channel_reload_in(pe->ch));
}

static void
test_reload(void **state)
{
	(void)state;
	channel_keep_pre(rig.peer[0]->ch, true);
	spine_rig_up(0);
	rig_announce(0, 0, 10, 7, 1);
	test_path_count_do(0, do_away);
	spine_rig_up(0);
	rig_announce(0, 0, 4, 7, 1);
	rig.cf_chan[0].preference = 90;
	rig_in(&rig.peer[0]->p.worker, do_reload, rig.peer[0]);
	for (unsigned i = 0; i < 20; i++) {
		rig_settle();
		rig_export(0);
	}
	assert_int_equal(counter64_get(&rig.peer[0]->ch->stats.in.imp_upd_accepted), 10);
	test_path_count_counts(10, 6);
	test_path_count_do(0, do_sweep);
	test_path_count_counts(4, 0);
	spine_rig_down(0);
	rig.cf_chan[0].preference = 100;
	channel_keep_pre(rig.peer[0]->ch, false);
}

static void
do_long(void *arg)
{
	channel_long_lived(((struct rig_peer *)arg)->ch);
}

/* how_many - of the first 10 nets have LLGR_STALE. */
static uint32_t
how_many(void)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < 10; i++) {
		struct prefix p = rig_net(i);
		const struct net *n = rig_find(rig_table(), &p);

		if (n && net_best(n))
			cnt += (net_best(n)->set->wire->has & WIRE_HAS_LLGR_STALE) != 0;
	}
	return cnt;
}

/* RFC 9494: stale for long. What breaks then keeps both, what was stale before and what
 * becomes it. */
static void
test_long_lived(void **state)
{
	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(0, 0, 10, 7, 1);
	test_path_count_do(0, do_long); /* nothing is stale */
	assert_int_equal(how_many(), 0);
	assert_int_equal(rig_table()->feeders.overdue_cnt, 0);
	test_path_count_told();
	test_path_count_do(0, do_away);
	assert_int_equal(test_path_count_told(), 0);
	test_path_count_do(0, do_long);
	test_path_count_counts(10, 10);
	assert_int_equal(how_many(), 10);
	assert_in_range(test_path_count_told(), 1, 10);
	spine_rig_up(0);
	rig_announce(0, 0, 4, 7, 1);
	test_path_count_counts(10, 6);
	assert_int_equal(how_many(), 6);
	test_path_count_do(0, do_away);
	test_path_count_counts(10, 10);
	assert_int_equal(how_many(), 10);
	spine_rig_up(0);
	rig_announce(0, 0, 2, 7, 1);
	test_path_count_do(0, do_sweep);
	test_path_count_counts(2, 0);
	assert_int_equal(how_many(), 0);
	assert_int_equal(rig_table()->feeders.overdue_cnt, 0);
	test_path_count_told();
	assert_true(test_path_count_holds(1, 1) && !rig.peer[1]->held[2]);
	test_path_count_do(0, do_away); /* as if it were the first time */
	test_path_count_counts(2, 2);
	assert_int_equal(how_many(), 0);
	test_path_count_do(0, do_long);
	spine_rig_down(0);
	test_path_count_counts(0, 0);
	assert_int_equal(rig_table()->feeders.overdue_cnt, 0);
	spine_rig_down(1);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_restart),
	RIG_TEST(test_second_restart),
	RIG_TEST(test_other_facts),
	RIG_TEST(test_refresh),
	RIG_TEST(test_limits),
	RIG_TEST(test_long_lived),
	RIG_TEST(test_reload),
};

UNIT_MAIN(tests)
