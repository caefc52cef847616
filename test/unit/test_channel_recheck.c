/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_channel_recheck checks the list of nets that wait for another look: its bound, and
 * the mark for all further nets. */
#include "nest/channel/channel_recheck.c"

#include "nest/rib/index/rpki_index_priv.h"
#include "test/lib/spine_rig.h"
#include "test/lib/wait.h"

#define NETS 20
#define LIST 7

static struct roa_found found;
static uint32_t most, limit, left, reloads;

/* start - peer 0 has brought NETS nets; `found` has LIST of them. */
static struct channel *
test_channel_recheck_start(void)
{
	rig.cf_chan[0].keep_filtered = true;
	spine_rig_up(0);
	rig_announce(0, 0, NETS, 7, 1);
	rig_settle();
	for (uint32_t i = 0; i < LIST; i++)
		roa_found_net(&found, i);
	most = 0;
	limit = table_id_limit(rig_table());
	assert_in_range(limit, NETS, 3 * NETS);
	return rig.peer[0]->ch;
}

static uint32_t
test_channel_recheck_waiting(const struct recheck *first)
{
	uint32_t sum = 0;

	for (const struct recheck *r = first ? first->next : NULL; r; r = r->next)
		sum += r->walk.end - r->walk.pos;
	return sum;
}

static void
many_out(void *arg)
{
	struct channel *ch = arg;

	for (unsigned i = 0; i < 100; i++) {
		channel_recheck_export(ch, found.nets);
		most = (uint32_t)max_u64(
		    most, test_channel_recheck_waiting(ch->exp.recheck));
	}
	assert_true(ch->exp.recheck->affected == found.nets); /* the first goes on */
	while (channel_recheck_step(ch))
		;
	left = ch->exp.recheck != NULL;
}

static void
test_bound_out(void **state)
{
	struct channel *ch = test_channel_recheck_start();

	(void)state;
	rig_in(&rig.peer[0]->p.worker, many_out, ch);
	assert_in_range(most, LIST, limit);
	assert_int_equal(left, 0);
	roa_found_clear(&found);
}

static void
many_in(void *arg)
{
	struct channel *ch = arg;
	uint32_t nr = ch->imp.reload_nr;

	for (unsigned i = 0; i < 100; i++) {
		channel_recheck_import(ch, found.nets);
		most = (uint32_t)max_u64(
		    most, test_channel_recheck_waiting(ch->imp.recheck));
	}
	reloads = ch->imp.reload_nr - nr;
	while (channel_recheck_step(ch))
		;
	left = ch->imp.recheck != NULL;
}

/* One reload stands for all, however many there are. */
static void
test_bound_in(void **state)
{
	struct channel *ch = test_channel_recheck_start();

	(void)state;
	rig_in(&rig.peer[0]->p.worker, many_in, ch);
	assert_in_range(most, LIST, limit);
	assert_int_equal(reloads, 1);
	assert_int_equal(left, 0);
	roa_found_clear(&found);
	rig_settle();
}

static void
all_in(void *arg)
{
	struct channel *ch = arg;
	struct roa_affected *all = roa_affected_new(true);

	channel_recheck_import(ch, found.nets);
	channel_recheck_import(ch, all);
	left = ch->imp.recheck != NULL;
	roa_affected_unref(all);
}

/* A reload looks at all own nets: lists that wait aren't needed. */
static void
test_reload_stands_for_lists(void **state)
{
	struct channel *ch = test_channel_recheck_start();

	(void)state;
	rig_in(&rig.peer[0]->p.worker, all_in, ch);
	assert_int_equal(left, 0);
	roa_found_clear(&found);
	rig_settle();
}

static const struct recheck *of[4];

static void
all_out(void *arg)
{
	struct channel *ch = arg;
	struct roa_affected *all = roa_affected_new(true);

	channel_recheck_export(ch, found.nets);
	channel_recheck_export(ch, found.nets);
	channel_send_missing(ch);
	channel_recheck_export(ch, found.nets);
	of[0] = ch->exp.recheck;
	of[1] = of[0]->next->next;
	channel_recheck_export(ch, all);
	of[2] = of[0]->next;
	of[3] = of[2]->next;
	assert_ptr_equal(
	    of[1], of[2]); /* the walk over missing nets stays, right behind the first */
	assert_true(of[2]->missing && of[0]->affected == found.nets);
	assert_true(of[3]->affected == all && !of[3]->next);
	roa_affected_unref(all);
	while (channel_recheck_step(ch))
		;
}

/* All nets are looked at: what waited goes, but for an offer and what has begun. */
static void
test_forget_waiting(void **state)
{
	struct channel *ch = test_channel_recheck_start();

	(void)state;
	rig_in(&rig.peer[0]->p.worker, all_out, ch);
	roa_found_clear(&found);
}

/* ---- a peer that has to send all again ---- */

static struct channel_ops far_ops;

static void
many_again(void *arg)
{
	struct channel *ch = arg;

	if (ch->ops != &far_ops) {
		far_ops = *ch->ops;
		far_ops.far = true;
		ch->ops = &far_ops;
	}
	for (unsigned i = 0; i < 100; i++)
		channel_recheck_again(ch, 0);
}

static void
test_channel_recheck_end(void *arg)
{
	channel_import_end(arg);
}

/* a_minute - passes. */
static void
a_minute(void *arg)
{
	struct channel *ch = arg;

	ch->imp.plan.asked_ns -= REFRESH_EVERY_NS;
	channel_import_end(ch);
}

static void
test_channel_recheck_reload(void *arg)
{
	assert_true(channel_reload_in(arg));
}

static void
note_asked(void *arg)
{
	*(uint32_t *)arg = rig.peer[0]->refresh_cnt;
}

static uint32_t
test_channel_recheck_asked(void)
{
	uint32_t cnt;

	rig_in(&rig.peer[0]->p.worker, note_asked, &cnt);
	return cnt;
}

static void
wait_asked(uint32_t want)
{
	uint64_t until = rig_until();

	while (test_channel_recheck_asked() < want && clock_now_ns() < until)
		;
	wait_spread(2000); /* once, not twice */
	assert_int_equal(test_channel_recheck_asked(), want);
}

/* However often ROAs change, the peer is asked once, when it has sent all that it has;
 * and again a minute later. */
static void
test_asked_once(void **state)
{
	struct worker *w = &rig.peer[0]->p.worker;
	struct channel *ch = rig.peer[0]->ch;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, NETS, 7, 1);
	rig_in(w, many_again, ch);
	wait_asked(0);
	rig_in(w, test_channel_recheck_end, ch);
	wait_asked(1);
	rig_in(w, many_again, ch);
	rig_in(w, test_channel_recheck_end, ch);
	wait_asked(1);
	rig_in(w, a_minute, ch);
	wait_asked(2);
	/* who reloads by hand needn't wait, and then nothing else is wanted */
	rig_in(w, many_again, ch);
	rig_in(w, test_channel_recheck_reload, ch);
	rig_in(w, a_minute, ch);
	wait_asked(3);
	/* a session that is gone isn't asked, nor is the next one for it */
	rig_in(w, many_again, ch);
	wait_asked(4);
	rig_in(w, many_again, ch);
	spine_rig_down(0);
	spine_rig_up(0);
	rig_in(w, a_minute, ch);
	wait_asked(4);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		RIG_TEST(test_bound_out),
		RIG_TEST(test_bound_in),
		RIG_TEST(test_reload_stands_for_lists),
		RIG_TEST(test_forget_waiting),
		RIG_TEST(test_asked_once),
	};

	rig_hush();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
