/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A single change past a full table: a session that lags sends it first, once, and ends
 * up right. */
#include "test/lib/spine_rig.h"
#include "test/lib/wait.h"

#include <unistd.h>

#define RECORDS 100
#define EACH    20
#define MANY    (RECORDS * EACH)
#define BEFORE  3500 /* nets that peer 0 has announced before */
#define SINGLE  3000 /* net that changes by itself */
#define READER  2

/* One turn of the reader, with little room. */
static void
test_reader_early_one_run(void *arg)
{
	struct rig_peer *pe = arg;

	channel_export_run(pe->ch);
}

static void
run_reader(size_t room)
{
	rig.peer[READER]->room = room;
	rig_in(&rig.peer[READER]->p.worker, test_reader_early_one_run, rig.peer[READER]);
}

static uint32_t
test_reader_early_held_cnt(uint32_t first, uint32_t cnt)
{
	uint32_t held = 0;

	for (uint32_t i = first; i < first + cnt; i++)
		held += rig.peer[READER]->held[i] != 0;
	return held;
}

static void
test_reader_early_idle(void *arg)
{
	channel_work_put(arg);
}

static void
test_reader_early_hurry(void *arg)
{
	journal_hurry(arg);
}

static uint64_t
test_reader_early_cnt(void)
{
	return counter64_get(&rig.peer[READER]->ch->stats.early);
}

struct flushed {
	struct channel *ch;
	bool all;
};

static void
test_reader_early_flush_pending(void *arg)
{
	struct flushed *f = arg;

	f->all = channel_flush_pending(f->ch);
}

static void
test_reader_early_announce_many(void *arg)
{
	for (uint32_t i = 0; i < RECORDS; i++) {
		struct rig_route r = { arg, i * EACH, EACH, 8, i };

		rig_do_announce(&r);
	}
}

/* Peer 0 fills the journal with RECORDS segments while the reader is blocked. None of it
 * is single, however slow the machine: it has used up its credit before, and each record
 * costs more than passes meanwhile. */
static void
test_reader_early_fill(void)
{
	struct flushed f = { .ch = rig.peer[0]->ch };

	for (unsigned k = 0; k < 3; k++)
		spine_rig_up(k);
	rig_announce(1, SINGLE, 1, 9, 9);
	rig_announce(0, BEFORE, 500, 8, 1);
	rig_export(READER);
	assert_int_equal(rig.peer[READER]->held[SINGLE], rig_holds(9, 9));
	rig.peer[READER]->room = 0;
	rig.peer[READER]->msg_cnt = 0;
	rig_in(&rig.peer[0]->p.worker, test_reader_early_announce_many, rig.peer[0]);
	do { /* what the ring had no room for while the table was slower */
		rig_in(&rig.peer[0]->p.worker, test_reader_early_flush_pending, &f);
		rig_settle();
	} while (!f.all);
}

static void
test_past_journal(void **state)
{
	(void)state;
	test_reader_early_fill();
	rig_withdraw(1, SINGLE, 1);
	run_reader(0);
	assert_int_equal(rig.peer[READER]->held[SINGLE], rig_holds(9, 9));
	run_reader(100);
	assert_int_equal(rig.peer[READER]->held[SINGLE], 0);
	assert_in_range(test_reader_early_held_cnt(0, MANY), 0, MANY / 10);
	rig_announce(1, SINGLE, 1, 9, 5);
	rig_announce(1, SINGLE, 1, 9, 6); /* the former has no interest any more */
	run_reader(100);
	assert_int_equal(rig.peer[READER]->held[SINGLE], rig_holds(9, 6));
	assert_in_range(test_reader_early_held_cnt(0, MANY), 0, MANY / 5);
	rig.peer[READER]->room = 4000;
	rig_export(READER);
	assert_int_equal(test_reader_early_held_cnt(0, MANY), MANY);
	assert_int_equal(rig.peer[READER]->held[SINGLE], rig_holds(9, 6));
	/* nothing went out twice, or in vain */
	assert_int_equal(rig.peer[READER]->msg_cnt, RECORDS + 2);
	rig_in(&rig.peer[READER]->p.worker, test_reader_early_idle, rig.peer[READER]->ch);
	assert_null(rig.peer[READER]->ch->rd->early.nets);
}

/* What was turned to dirty bits because the journal wanted its room is overtaken as
 * well. */
static void
test_past_dirty(void **state)
{
	(void)state;
	test_reader_early_fill();
	rig_withdraw(1, SINGLE, 1);
	rig_in(&rig_table()->worker, test_reader_early_hurry, &rig_table()->best.journal);
	run_reader(0);
	assert_int_equal(rig.peer[READER]->ch->rd->dirty_cnt, MANY + 1);
	run_reader(100);
	assert_int_equal(rig.peer[READER]->held[SINGLE], 0);
	assert_in_range(test_reader_early_held_cnt(0, MANY), 0, MANY / 4);
	rig_announce(1, SINGLE, 1, 9, 5);
	run_reader(100);
	assert_int_equal(rig.peer[READER]->held[SINGLE], rig_holds(9, 5));
	rig.peer[READER]->room = 4000;
	rig_export(READER);
	assert_int_equal(test_reader_early_held_cnt(0, MANY), MANY);
	assert_int_equal(rig.peer[READER]->ch->rd->dirty_cnt, 0);
}

/* Who follows the journal has nothing to overtake. */
static void
test_no_lag(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 3; k++)
		spine_rig_up(k);
	rig_export(READER);
	for (uint32_t i = 0; i < 40; i++) {
		rig_announce(1, i, 1, 9, i);
		rig_export(READER);
	}
	assert_int_equal(test_reader_early_held_cnt(0, 40), 40);
	assert_int_equal(test_reader_early_cnt(), 0);
}

/* More single changes than are remembered, and than the table notes: all come all the
 * same. */
static void
test_too_many(void **state)
{
	(void)state;
	test_reader_early_fill();
	for (uint32_t i = 0; i < 400; i++) {
		rig_announce(1, SINGLE + i, 1, 9, i);
		if (i % 50 == 0)
			run_reader(100);
	}
	rig.peer[READER]->room = 4000;
	rig_export(READER);
	assert_int_equal(test_reader_early_held_cnt(0, MANY), MANY);
	for (uint32_t i = 0; i < 400; i++)
		assert_int_equal(rig.peer[READER]->held[SINGLE + i], rig_holds(9, i));
}

/* Members that flap all the time take a part of what a slow reader takes, and not all:
 * its backlog goes on, both in the journal and as dirty nets. */
static void
flaps_beside(uint32_t rounds)
{
	struct rig_peer *pe = rig.peer[READER];

	pe->fills = true;
	for (uint32_t k = 0; k < rounds; k++) {
		wait_spread(30000); /* its credit comes back */
		rig_announce(1, SINGLE, 20, 9, k);
		run_reader(800);
	}
	pe->fills = false;
}

static void
test_backlog_goes_on(void **state)
{
	uint32_t held;

	(void)state;
	test_reader_early_fill();
	flaps_beside(45);
	assert_true(test_reader_early_cnt() > 200);
	held = test_reader_early_held_cnt(0, MANY);
	assert_in_range(held, 10, MANY - 1);
	rig_in(&rig_table()->worker, test_reader_early_hurry, &rig_table()->best.journal);
	run_reader(0);
	assert_in_range(rig.peer[READER]->ch->rd->dirty_cnt, MANY / 2, MANY + 20);
	flaps_beside(45);
	assert_in_range(test_reader_early_held_cnt(0, MANY), held + 10, MANY - 1);
	rig.peer[READER]->room = 4000;
	rig_export(READER);
	assert_int_equal(test_reader_early_held_cnt(0, MANY), MANY);
	assert_int_equal(test_reader_early_held_cnt(SINGLE, 20), 20);
}

/* The reader sent the net as it was with peer 1's route; that it is peer 0's now, with
 * the same attributes, is nothing to tell, but what comes after that is. */
static void
test_source_only(void **state)
{
	(void)state;
	test_reader_early_fill();
	rig_announce(1, SINGLE, 1, 9, 5);
	run_reader(100);
	assert_int_equal(rig.peer[READER]->held[SINGLE], rig_holds(9, 5));
	rig_announce(0, SINGLE, 1, 9, 5);
	rig_withdraw(1, SINGLE, 1);
	rig.peer[READER]->room = 4000;
	rig_export(READER);
	assert_int_equal(test_reader_early_held_cnt(0, MANY), MANY);
	assert_int_equal(rig.peer[READER]->held[SINGLE], rig_holds(9, 5));
	rig_withdraw(0, SINGLE, 1);
	rig_export(READER);
	assert_int_equal(rig.peer[READER]->held[SINGLE], 0);
}

static struct reader_ops counted;
static unsigned run_cnt;

static unsigned
count_run(struct reader *r, struct segment *const *s, unsigned cnt, unsigned seen)
{
	unsigned took = channel_send_run(r, s, cnt, seen);

	run_cnt += took;
	return took;
}

/* What was told early concerns few segments: the others go on as a stretch. */
static void
test_stretch(void **state)
{
	struct reader *r = rig.peer[READER]->ch->rd;

	(void)state;
	test_reader_early_fill();
	rig_withdraw(1, SINGLE, 1);
	run_reader(100);
	assert_non_null(r->early.nets);
	counted = *reader_ops_of(r);
	counted.run = count_run;
	reader_set_ops(r, &counted);
	run_cnt = 0;
	rig.peer[READER]->room = 4000;
	rig_export(READER);
	assert_int_equal(test_reader_early_held_cnt(0, MANY), MANY);
	assert_in_range(run_cnt, RECORDS * 8 / 10, RECORDS);
}

/* Changes that are told, of one source or of all together: so many at once, so many a
 * hundredth of a second. */
static void
test_credit(void **state)
{
	struct express_credit c = { EXPRESS_BURST, 0 };

	(void)state;
	assert_true(express_spend(&c, 0, EXPRESS_BURST));
	assert_false(express_spend(&c, 0, 1));
	assert_true(express_spend(&c, 1, EXPRESS_REFILL - 1));
	assert_false(express_spend(&c, 1, 1));
	assert_false(express_spend(&c, 2, 1000000));
	assert_false(express_spend(&c, 2 + EXPRESS_DEBT / EXPRESS_REFILL, 1));
	assert_true(express_spend(&c, 3 + EXPRESS_DEBT / EXPRESS_REFILL, 1));
	assert_true(express_spend(&c, 1000000, EXPRESS_BURST));
	assert_false(express_spend(&c, 1000000, 1));
}

static void
spend_all(void *arg)
{
	struct table *t = arg;

	t->best.express.credit = (struct express_credit){ INT32_MIN, t->time.now_cs };
}

/* Members that change a little each are no single changes together: what one changes
 * counts for all, and when they have used up their credit its own is no help. */
static void
test_all_pay(void **state)
{
	struct express *x = &rig_table()->best.express;
	uint64_t tail;

	(void)state;
	test_reader_early_fill();
	rig_announce(1, SINGLE, 20, 9, 1);
	assert_true(x->credit.left <= EXPRESS_BURST - 20);
	tail = express_tail(x);
	rig_announce(1, SINGLE, 1, 9, 2);
	assert_int_equal(express_tail(x), tail + 1);
	rig_in(&rig_table()->worker, spend_all, rig_table());
	rig_announce(1, SINGLE, 1, 9, 3);
	assert_int_equal(express_tail(x), tail + 1);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_stretch),
	RIG_TEST(test_all_pay),
	cmocka_unit_test(test_credit),
	RIG_TEST(test_past_journal),
	RIG_TEST(test_past_dirty),
	RIG_TEST(test_no_lag),
	RIG_TEST(test_too_many),
	RIG_TEST(test_backlog_goes_on),
	RIG_TEST(test_source_only),
};

UNIT_MAIN(tests)
