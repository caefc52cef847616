/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal by one thread: order, reclaiming, cutting, positions, rounds of waking. */
#include "lib/mt/journal.c"
#include "test/lib/unit.h"
#include <stdlib.h>
#include <sys/mman.h>

#define MANY 40

static unsigned freed;

static void
test_journal_free_entry(struct journal_entry *e, void *arg)
{
	assert_ptr_equal(arg, &freed);
	freed++;
	mem_free(MEM_JOURNAL, e);
}

struct sleeper {
	struct cursor cursor; /* first */
	bool asleep;
	unsigned woken;
};

static bool
test_journal_wake(struct cursor *c, bool sleeper_only)
{
	struct sleeper *s = (struct sleeper *)c;

	(void)sleeper_only;
	s->woken++;
	if (!s->asleep)
		return false;
	s->asleep = false;
	return true;
}

static struct journal j;

static int
test_journal_set_up(void **state)
{
	(void)state;
	rcu_join();
	unsetenv("TERN_WRAP"); /* the tests name positions */
	freed = 0;
	journal_init(&j, 4, 1000, 2000, test_journal_free_entry, &freed); /* 16 entries */
	return 0;
}

static int
test_journal_tear_down(void **state)
{
	(void)state;
	journal_fini(&j);
	rcu_drain();
	rcu_leave();
	assert_int_equal(mem_used(MEM_JOURNAL), 0);
	return 0;
}

static void
test_journal_append(uint32_t bytes)
{
	struct journal_entry *e = mem_zalloc(MEM_JOURNAL, sizeof(*e));

	e->bytes = bytes;
	journal_append(&j, e);
}

static void
test_journal_start(struct sleeper *s, unsigned cnt)
{
	memset(s, 0, cnt * sizeof(*s));
	for (unsigned i = 0; i < cnt; i++) {
		cursor_init(&s[i].cursor, test_journal_wake);
		journal_add(&j, &s[i].cursor);
		cursor_start(&s[i].cursor, &j);
	}
}

static uint64_t
seq_of(void *e)
{
	assert_non_null(e);
	assert_ptr_not_equal(e, JOURNAL_LOST);
	return ((struct journal_entry *)e)->seq;
}

static void
test_order(void **state)
{
	struct sleeper s[2];

	(void)state;
	test_journal_append(10); /* before anybody reads: not seen */
	test_journal_start(s, 2);
	assert_false(journal_pending(&j, &s[0].cursor));
	assert_null(journal_read(&j, &s[0].cursor));
	for (int i = 0; i < 5; i++)
		test_journal_append(10);
	assert_true(journal_pending(&j, &s[0].cursor));
	for (uint64_t i = 1; i <= 5; i++)
		assert_int_equal(seq_of(journal_read(&j, &s[0].cursor)), i);
	assert_null(journal_read(&j, &s[0].cursor));
	assert_int_equal(journal_reclaim(&j), 50); /* neither has said done */
	journal_done(&s[0].cursor);
	assert_int_equal(journal_reclaim(&j), 50);
	assert_int_equal(seq_of(journal_read(&j, &s[1].cursor)), 1);
	assert_int_equal(seq_of(journal_read(&j, &s[1].cursor)), 2);
	journal_done(&s[1].cursor);
	assert_int_equal(journal_reclaim(&j), 30);
	assert_int_equal(freed, 3);
	cursor_stop(&s[1].cursor);
	assert_int_equal(journal_reclaim(&j), 0);
	assert_int_equal(freed, 6);
	assert_int_equal(j.dropped_cnt, 0);
}

/* More entries than places: who is at the tail loses nothing. */
static void
test_round_and_round(void **state)
{
	struct sleeper s[1];

	(void)state;
	test_journal_start(s, 1);
	for (uint64_t i = 0; i < 100; i++) {
		test_journal_append(10);
		assert_int_equal(seq_of(journal_read(&j, &s[0].cursor)), i);
		journal_done(&s[0].cursor);
	}
	assert_int_equal(j.dropped_cnt, 0);
}

static void
test_cut_by_count(void **state)
{
	struct sleeper s[2];
	struct journal_entry *held;

	(void)state;
	test_journal_start(s, 2);
	test_journal_append(1);
	held = journal_read(&j, &s[0].cursor);
	for (int i = 0; i < 16; i++)
		test_journal_append(1);
	assert_int_equal(j.dropped_cnt, 8);
	assert_int_equal(held->seq, 0); /* until the grace period: we are online */
	assert_ptr_equal(journal_read(&j, &s[0].cursor), JOURNAL_LOST);
	assert_null(journal_read(&j, &s[0].cursor)); /* now at the tail */
	assert_int_equal(load_relaxed64(&s[0].cursor.pos), 17);
	assert_int_equal(
	    load_relaxed64(&s[0].cursor.out_pos), 0); /* nothing is settled */
	test_journal_append(1);
	assert_int_equal(seq_of(journal_read(&j, &s[0].cursor)), 17);
	assert_ptr_equal(journal_read(&j, &s[1].cursor), JOURNAL_LOST);
	rcu_quiesce();
	rcu_drain();
	assert_int_equal(freed, 8);
}

static void
test_cut_by_octets(void **state)
{
	struct sleeper s[1];

	(void)state;
	test_journal_start(s, 1);
	for (int i = 0; i < 5; i++)
		test_journal_append(500);
	assert_int_equal(j.dropped_cnt, 0); /* 2,500: the next one finds it too much */
	test_journal_append(500);
	assert_int_equal(j.dropped_cnt, 3);
	assert_int_equal(j.bytes, 1500);
	assert_ptr_equal(journal_read(&j, &s[0].cursor), JOURNAL_LOST);
}

/* An entry alone beyond the ceiling still gets in. */
static void
test_giant(void **state)
{
	struct sleeper s[1];

	(void)state;
	test_journal_start(s, 1);
	test_journal_append(5000);
	assert_int_equal(seq_of(journal_read(&j, &s[0].cursor)), 0);
	test_journal_append(6000);
	assert_int_equal(j.bytes, 6000);
	assert_int_equal(seq_of(journal_read(&j, &s[0].cursor)), 1);
}

static void
test_hurry(void **state)
{
	struct sleeper s[2];

	(void)state;
	test_journal_start(s, 2);
	test_journal_append(400);
	test_journal_append(400);
	journal_read(&j, &s[1].cursor);
	journal_read(&j, &s[1].cursor);
	journal_done(&s[1].cursor);
	journal_reclaim(&j);
	assert_int_equal(s[0].woken, 0);
	test_journal_append(
	    400); /* above the soft bound: the older half is to be passed */
	journal_reclaim(&j);
	assert_int_equal(s[0].woken, 1);
	assert_int_equal(load_relaxed64(&s[0].cursor.hurry), 1);
	assert_int_equal(s[1].woken, 0);
	journal_reclaim(&j);
	assert_int_equal(s[0].woken, 1); /* once */
	journal_hurry(&j);
	assert_int_equal(load_relaxed64(&s[0].cursor.hurry), 3);
	assert_int_equal(load_relaxed64(&s[1].cursor.hurry), 3);
}

/* charge - @cnt octets to each entry from @s's position on that is there. */
static void
charge_all(struct sleeper *s, uint32_t cnt)
{
	struct journal_entry *e;

	while ((e = journal_read(&j, &s->cursor)) && (void *)e != JOURNAL_LOST)
		journal_charge(&j, e, cnt);
}

/* What readers hang on entries counts for the ceiling, and goes with them. */
static void
test_charge(void **state)
{
	struct journal_entry loose = { .bytes = 1 };
	struct sleeper s[2];

	(void)state;
	test_journal_start(s, 2);
	for (int i = 0; i < 8; i++)
		test_journal_append(100);
	charge_all(&s[0], 50);
	journal_done(&s[0].cursor);
	assert_int_equal(journal_reclaim(&j), 1200);
	assert_int_equal(
	    load_relaxed64(&s[1].cursor.hurry), 4); /* above the soft bound */
	for (int i = 0; i < 4; i++)
		test_journal_append(100);
	charge_all(&s[0], 100);
	assert_int_equal(j.dropped_cnt, 0);
	test_journal_append(10); /* 2,000 octets: just not too much */
	assert_int_equal(j.dropped_cnt, 0);
	test_journal_append(10);
	assert_int_equal(j.dropped_cnt, 7); /* the older half of 13 */
	assert_int_equal(journal_bytes(&j), 1 * 150 + 4 * 200 + 2 * 10);
	charge_all(&s[0], 2000); /* nothing is appended: the next look sees it */
	assert_true(journal_reclaim(&j) <= 2000);
	journal_done(&s[0].cursor);
	assert_ptr_equal(journal_read(&j, &s[1].cursor), JOURNAL_LOST);
	journal_done(&s[1].cursor);
	assert_int_equal(journal_reclaim(&j), 0);
	journal_charge(&j, &loose, 10); /* of a cut, for instance */
	assert_int_equal(counter64_get(&j.held), 0);
}

/* Who still reads an entry that was cut may charge it, to no effect. */
static void
test_charge_cut(void **state)
{
	struct sleeper s[1];
	struct journal_entry *e;

	(void)state;
	test_journal_start(s, 1);
	test_journal_append(1500);
	test_journal_append(600);
	e = journal_read(&j, &s[0].cursor);
	journal_charge(&j, e, 10);
	test_journal_append(1);
	assert_int_equal(j.dropped_cnt, 1);
	assert_int_equal(counter64_get(&j.held), 0);
	journal_charge(&j, e, 7);
	assert_int_equal(counter64_get(&j.held), 0);
}

static void
test_min_out(void **state)
{
	struct sleeper s[3];
	struct cursor *slowest;

	(void)state;
	test_journal_append(1);
	test_journal_start(s, 2);
	test_journal_append(1);
	assert_int_equal(journal_min_out(&j, &slowest), 1);
	store_release64(&s[0].cursor.out_pos, 2);
	assert_int_equal(journal_min_out(&j, &slowest), 1);
	assert_ptr_equal(slowest, &s[1].cursor);
	cursor_stop(&s[1].cursor);
	assert_int_equal(journal_min_out(&j, &slowest), 2);
	assert_null(slowest);
}

/* A round reaches every sleeper if those that were woken go on with it. */
static void
finish_round(struct sleeper *s, unsigned cnt)
{
	bool more = true;

	while (more) {
		more = false;
		for (unsigned i = 0; i < cnt; i++)
			if (s[i].woken && !s[i].asleep) {
				journal_wake_more(&j);
				more |= journal_waking(&j);
			}
	}
}

static void
sleep_all(struct sleeper *s, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++) {
		s[i].asleep = true;
		s[i].woken = 0;
	}
}

static void
test_wake_round(void **state)
{
	struct sleeper s[MANY];

	(void)state;
	test_journal_start(s, MANY);
	for (unsigned idle = 0; idle < 3; idle++) {
		sleep_all(s, MANY);
		test_journal_append(1);
		journal_wake(&j);
		assert_true(journal_waking(&j)); /* the writer wakes a few only */
		finish_round(s, MANY);
		for (unsigned i = 0; i < MANY; i++)
			assert_int_equal(s[i].asleep, false);
	}
	/* Nobody sleeps: the writer looks through all, since nobody would go on. */
	journal_wake(&j);
	assert_false(journal_waking(&j));
}

/* Who can do nothing with entries is left alone until it can. */
static void
test_wake_deaf(void **state)
{
	struct sleeper s[3];

	(void)state;
	test_journal_start(s, 3);
	sleep_all(s, 3);
	cursor_deafen(&s[1].cursor, true);
	test_journal_append(1);
	journal_wake(&j);
	assert_int_equal(s[0].woken, 1);
	assert_int_equal(s[1].woken, 0);
	assert_int_equal(s[2].woken, 1);
	cursor_deafen(&s[1].cursor, false);
	test_journal_append(1);
	journal_wake(&j);
	assert_int_equal(s[1].woken, 1);
	cursor_deafen(&s[1].cursor, true);
	cursor_stop(&s[1].cursor);
	cursor_start(&s[1].cursor, &j); /* it hears again */
	sleep_all(s, 3);
	journal_wake(&j);
	assert_int_equal(s[1].woken, 1);
}

/* Who stands idle is left alone. */
static void
test_wake_idle(void **state)
{
	struct sleeper s[3];

	(void)state;
	test_journal_start(s, 3);
	cursor_stop(&s[1].cursor);
	sleep_all(s, 3);
	journal_wake(&j);
	assert_int_equal(s[0].woken, 1);
	assert_int_equal(s[1].woken, 0);
	assert_int_equal(s[2].woken, 1);
}

/* A cursor that moves to a place which the round has passed already is woken
 * nevertheless. */
static void
test_wake_while_removing(void **state)
{
	struct sleeper s[MANY];

	(void)state;
	test_journal_start(s, MANY);
	sleep_all(s, MANY);
	test_journal_append(1);
	journal_wake(&j); /* places 0 to 7 */
	assert_true(s[MANY - 1].asleep);
	journal_remove(&j, &s[3].cursor); /* the last one moves to place 3 */
	finish_round(s, MANY);
	for (unsigned i = 0; i < MANY; i++)
		assert_false(s[i].asleep);
}

static void
test_remove(void **state)
{
	struct sleeper s[4];

	(void)state;
	test_journal_start(s, 4);
	test_journal_append(1);
	journal_remove(&j, &s[0].cursor);
	journal_remove(&j, &s[2].cursor);
	for (int i = 1; i < 4; i += 2) {
		journal_read(&j, &s[i].cursor);
		journal_done(&s[i].cursor);
	}
	assert_int_equal(journal_reclaim(&j), 0); /* the others no longer count */
	journal_remove(&j, &s[3].cursor);
	journal_remove(&j, &s[1].cursor);
}

/* test_many_come - of 5,000 readers that come, and go again in any order, few make a new
 * list; at each moment all that are there count, and no other. */
static void
test_many_come(void **state)
{
	static struct sleeper s[5000];
	unsigned lists = 0;
	void *list = NULL;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(s); i++) {
		test_journal_start(&s[i], 1);
		lists += load_relaxed_ptr(&j.cursors) != list;
		list = load_relaxed_ptr(&j.cursors);
	}
	assert_true(lists < 20);
	sleep_all(s, ARRAY_LEN(s));
	test_journal_append(1);
	journal_wake(&j);
	finish_round(s, ARRAY_LEN(s));
	for (unsigned i = 0; i < ARRAY_LEN(s); i++) {
		assert_false(s[i].asleep);
		assert_non_null(journal_read(&j, &s[i].cursor));
	}
	for (unsigned i = 0; i < ARRAY_LEN(s); i++) {
		unsigned k = (i * 1999u + 7) % ARRAY_LEN(s);

		assert_int_equal(journal_reclaim(&j), 1);
		journal_remove(&j, &s[k].cursor);
		lists += load_relaxed_ptr(&j.cursors) != list;
		list = load_relaxed_ptr(&j.cursors);
	}
	assert_true(lists < 40);
	assert_int_equal(journal_reclaim(&j), 0);
}

static void
test_ahead(void **state)
{
	struct sleeper s[1];

	(void)state;
	test_journal_start(s, 1);
	test_journal_append(1);
	test_journal_append(1);
	assert_int_equal(seq_of(journal_ahead(&j, &s[0].cursor, 1, 2)), 1);
	assert_null(journal_ahead(&j, &s[0].cursor, 2, 2));
}

/* ring_pages - of the ring that are in memory. */
static uint32_t
ring_pages(void)
{
	static unsigned char in[VMEM_STEP / 4096];
	uint32_t pages = 0;

	assert_int_equal(mincore(j.item, VMEM_STEP, in), 0);
	for (unsigned i = 0; i < sizeof(in); i++)
		pages += in[i] & 1;
	return pages;
}

/* A large ring: what was passed while nothing waited isn't in memory, round after round;
 * what waits stays. */
static void
test_trim(void **state)
{
	enum { CAP = 1 << 18, STEP = 5000 };
	struct sleeper s[1];
	uint64_t nr = 0;

	(void)state;
	journal_fini(&j);
	journal_init(&j, 18, 1 << 30, 1 << 30, test_journal_free_entry, &freed);
	test_journal_start(s, 1);
	while (nr < 3 * CAP) {
		for (unsigned i = 0; i < STEP; i++) {
			test_journal_append(10);
			if (i % 16 == 15)
				journal_reclaim(&j); /* nothing may go */
		}
		for (unsigned i = 0; i < STEP; i++)
			assert_int_equal(seq_of(journal_read(&j, &s[0].cursor)), nr++);
		assert_null(journal_read(&j, &s[0].cursor));
		journal_done(&s[0].cursor);
		assert_int_equal(journal_reclaim(&j), 0);
		assert_int_equal(freed, nr);
		assert_true(ring_pages() <= TRIM * sizeof(*j.item) / 4096 + 1);
	}
	/* One that lags for a whole round of the ring. */
	for (unsigned i = 0; i < CAP; i++)
		test_journal_append(10);
	assert_int_equal(ring_pages(), VMEM_STEP / 4096);
	for (unsigned i = 0; i < CAP; i++)
		assert_int_equal(seq_of(journal_read(&j, &s[0].cursor)), nr++);
	journal_done(&s[0].cursor);
	journal_reclaim(&j);
	assert_true(ring_pages() <= TRIM * sizeof(*j.item) / 4096 + 1);
	assert_int_equal(j.dropped_cnt, 0);
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(fn, test_journal_set_up, test_journal_tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_order),
	TEST(test_round_and_round),
	TEST(test_cut_by_count),
	TEST(test_cut_by_octets),
	TEST(test_giant),
	TEST(test_hurry),
	TEST(test_charge),
	TEST(test_charge_cut),
	TEST(test_min_out),
	TEST(test_wake_round),
	TEST(test_wake_deaf),
	TEST(test_wake_idle),
	TEST(test_wake_while_removing),
	TEST(test_remove),
	TEST(test_many_come),
	TEST(test_ahead),
	TEST(test_trim),
};

UNIT_MAIN(tests)
