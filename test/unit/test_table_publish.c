/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a batch: dead nets and their ids. */
#include "test/lib/spine_rig.h"
#include "test/lib/wait.h"
#include "lib/mem/vmem.h"
#include "nest/rib/ids.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os.h"

static uint32_t flaps;

static void
test_table_publish_flap(void *arg)
{
	struct rig_route r = { arg, 0, 1, 1, 1 };

	while (flaps < 70000 && channel_import_ready(r.pe->ch)) {
		rig_do_announce(&r);
		rig_do_withdraw(&r);
		flaps++;
	}
}

static void
test_table_publish_flush_pending(void *arg)
{
	channel_step(arg);
}

/* One net that flaps 70,000 times while a session holds its ids back. */
static void
test_deaths(void **state)
{
	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	for (flaps = 0; flaps < 70000;) {
		rig_in(&rig.peer[0]->p.worker, test_table_publish_flap, rig.peer[0]);
		rig_settle();
		rig_in(&rig.peer[0]->p.worker, test_table_publish_flush_pending,
		    rig.peer[0]->ch);
		rig_settle();
	}
	assert_true(rig_table()->best.dead.cnt <= 1);
	rig_export(1);
	wait_spread(120000); /* the table's tick */
	rig_settle();
	rig_announce(0, 0, 1, 1, 2);
	rig_export(1);
	assert_int_equal(rig.peer[1]->held[0], rig_holds(1, 2));
}

/* Up to where a session has said that its withdrawals are out. */
static uint64_t
out_pos(unsigned k)
{
	return load_relaxed64(&rig.peer[k]->ch->rd->cursor.out_pos);
}

/* A session that follows the journal, and nothing else is to be sent, tells how far it is
 * with each flush: not just when it has come to the end. */
static void
test_settles(void **state)
{
	struct rig_peer *pe = rig.peer[1];
	uint64_t before;

	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
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
	assert_true(pe->ch->rd->cursor.read > before + 2);
	assert_true(journal_pending(&rig_table()->best.journal, &pe->ch->rd->cursor));
	assert_int_equal(out_pos(1), pe->ch->rd->cursor.read);
}

/* ---- too many nets wait: three chunks of them, that peers 1 and 2 hold ---- */

#define DEAD (3 * CHUNK_NETS)
#define STEP (CHUNK_NETS / 2) /* that are let go at once */

static bool crowded_before;

/* As if a second had passed since the table last looked; between the calls it never does
 * by itself. */
static void
do_look(void *arg)
{
	struct table *t = rig_table();
	uint32_t before = t->best.dead.cnt;
	bool more;

	(void)arg;
	t->best.dead.min = 1000;
	t->best.dead.crowded_ns = crowded_before;
	more = table_release_dead(t);
	/* by steps: a million at once took 20 ms and more */
	assert_true(before - t->best.dead.cnt <= STEP);
	assert_int_equal(more, before - t->best.dead.cnt == STEP);
	crowded_before = t->best.dead.crowded_ns != 0;
	t->best.dead.min = UINT32_MAX;
}

static void
test_table_publish_look(void)
{
	rig_in(&rig_table()->worker, do_look, NULL);
	for (unsigned k = 1; k <= 2; k++)
		rig_in(&rig.peer[k]->p.worker, rig_nothing, NULL);
}

static void
test_table_publish_asked(unsigned one, unsigned two)
{
	assert_int_equal(rig.peer[1]->slow_cnt, one);
	assert_int_equal(rig.peer[2]->slow_cnt, two);
}

static void
set_min(void *arg)
{
	(void)arg;
	rig_table()->best.dead.min = UINT32_MAX;
}

/* Both are blocked, and the nets are withdrawn. */
static void
let_die(void)
{
	crowded_before = false;
	rig_in(&rig_table()->worker, set_min, NULL);
	for (unsigned k = 0; k <= 2; k++) {
		rig.peer[k]->count_only = rig.peer[k]->fills = true;
		rig.peer[k]->room = 1u << 30;
		spine_rig_up(k);
	}
	for (uint32_t i = 0; i < DEAD; i += CHUNK_NETS)
		rig_announce(0, i, CHUNK_NETS, 1, 1);
	for (unsigned k = 1; k <= 2; k++) {
		rig_export(k);
		assert_int_equal(rig.peer[k]->sink.adj.out_cnt, DEAD);
		rig.peer[k]->room = 0;
	}
	for (uint32_t i = 0; i < DEAD; i += CHUNK_NETS)
		rig_withdraw(0, i, CHUNK_NETS);
	rig_export(0); /* holds none of them */
	assert_int_equal(rig_table()->best.dead.cnt, DEAD);
	test_table_publish_look();
	test_table_publish_asked(0, 0);
	for (unsigned k = 1; k <= 2; k++) {
		rig_export(k); /* in a hurry */
		assert_int_equal(rig.peer[k]->ch->rd->dirty_cnt, DEAD);
	}
}

/* take - the socket of peer @k takes a part of what is to be withdrawn. */
static void
test_table_publish_take(unsigned k)
{
	rig.peer[k]->room = 100;
	rig_export(k);
	assert_int_equal(rig.peer[k]->room, 0);
}

/* Who takes what is sent isn't closed, however much it holds; who doesn't is, and nobody
 * is before it stood still from one look to the next. */
static void
test_progress(void **state)
{
	uint64_t out;

	(void)state;
	let_die();
	out = out_pos(1);
	test_table_publish_take(1);
	assert_int_equal(out_pos(1), out); /* a sweep tells nothing before its end */
	test_table_publish_look();
	test_table_publish_asked(0, 1);
	test_table_publish_take(1);
	rig_in(&rig.peer[2]->p.worker, rig_do_down, rig.peer[2]);
	test_table_publish_look();
	test_table_publish_asked(0, 1);
	rig.peer[1]->room = 1;
	test_table_publish_look();
	test_table_publish_asked(
	    0, 1); /* it is blocked no more, and hasn't had its turn */
	rig.peer[1]->room = 0;
	test_table_publish_look();
	test_table_publish_asked(1, 1);
	rig.peer[1]->room = 1u << 30;
	rig_export(1);
	for (uint32_t i = 0; i < DEAD; i += STEP)
		test_table_publish_look();
	test_table_publish_asked(1, 1);
	assert_int_equal(rig_table()->best.dead.cnt, 0);
}

/* When ids get scarce progress doesn't help. */
static void
test_scarce(void **state)
{
	(void)state;
	let_die();
	rig_table()->best.dead.max = 2000;
	test_table_publish_take(1);
	test_table_publish_take(2);
	test_table_publish_look();
	test_table_publish_asked(1, 0);
}

static void
do_look_rest(void *arg)
{
	const struct table *t = rig_table();
	bool *rests = arg;

	*rests = !t->best.dead.cnt && !t->work.scratch.chunk && !t->best.change_cap &&
		 !t->paths.slab[0].block_cnt && !os_resident(t->net.at, VMEM_STEP);
	for (unsigned i = 0; i < NET_PARTS; i++)
		*rests &= !((struct hash_arr *)load_relaxed_ptr(&t->hash.part[i].arr))
			       ->mask;
}

/* A table whose last net has gone keeps nothing for the next ones, and takes them. */
static void
test_rest(void **state)
{
	(void)state;
	spine_rig_up(0);
	for (unsigned turn = 0; turn < 3; turn++) {
		uint64_t until = clock_now_ns() + 10 * NS_PER_S;
		bool rests = false;

		for (uint32_t i = 0; i < 5000; i += 500)
			rig_announce(0, i, 500, 1, 1);
		rig_in(&rig_table()->worker, do_look_rest, &rests);
		assert_false(rests);
		for (uint32_t i = 0; i < 5000; i += 500)
			rig_withdraw(0, i, 500);
		while (!rests && clock_now_ns() < until) {
			rig_export(0);
			wait_pause(10000);
			rig_in(&rig_table()->worker, do_look_rest, &rests);
		}
		assert_true(rests);
	}
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_rest),
	RIG_TEST(test_progress),
	RIG_TEST(test_scarce),
	RIG_TEST(test_deaths),
	RIG_TEST(test_settles),
};

UNIT_MAIN(tests)
