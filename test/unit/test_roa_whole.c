/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No filter is asked again while a source is in the middle of what it has to say. */
#define RIG_PEERS 8 /* two feed the table of ROAs, too */
#include "nest/rib/index/rpki_index_priv.h"
#include "test/lib/roa_rig.h"
#include "test/lib/wait.h"

#define SETTLE_MS 1
#define MANY      20000

static struct conf_table cf = { .ft = { .is_roa = true, .fam = FAM_IP4 },
	.name = "r4",
	.kind = TABLE_ROA4,
	.settle_min_ns = SETTLE_MS * NS_PER_MS,
	.settle_max_ns = 5 * SETTLE_MS * NS_PER_MS };

static OWNED struct attr_set *
test_roa_whole_set(void)
{
	struct attr_local l = { .preference = 200, .rts = RTS_RPKI };
	struct attr_store *st = rig.tern.store;

	return attr_store_set(st, attr_store_empty(st)->wire, &l, NULL, 0);
}

static struct vrp
test_roa_whole_vrp(uint32_t net)
{
	return (struct vrp){ rig_net(net), 24, 7 };
}

/* change - one VRP of source @k; it comes or goes. */
static void
test_roa_whole_change(unsigned k, uint32_t net, bool there)
{
	roa_rig_change(k, test_roa_whole_vrp(net), there ? test_roa_whole_set() : NULL);
}

static void
test_roa_whole_start(void)
{
	roa_rig_start(&cf);
	spine_rig_up(2);
	rig_announce(2, 0, 20, 3, 1);
	roa_rig_watch(0, WATCH_READS, 0, false);
	roa_rig_watch(1, WATCH_KEEPS, 2, false);
}

/* stop - nets 0 to @cnt - 1 have had VRPs of source 0, or of the other one. */
static void
test_roa_whole_stop(uint32_t cnt)
{
	roa_rig_unwatch(0);
	roa_rig_unwatch(1);
	for (uint32_t i = 0; i < cnt; i++)
		for (unsigned k = 0; k < 2; k++)
			test_roa_whole_change(k, i, false);
	roa_rig_finish();
}

/* whole - the mark goes behind what source @k has said. */
static void
test_roa_whole_mark(unsigned k, TAKE struct table_mark *mark)
{
	roa_rig_alone(k, &(struct rec){ .type = REC_MARK, .mark = mark });
	roa_rig_give(k);
}

/* untold - for many times the settle time. */
static void
test_roa_whole_untold(void)
{
	rcu_sleep();
	wait_spread(40 * SETTLE_MS * 1000);
	rcu_wake();
	assert_int_equal(watcher[0].told + watcher[1].told, 0);
}

/* told - of @cnt nets at once, and no more. */
static void
test_roa_whole_told(uint32_t cnt)
{
	for (unsigned k = 0; k < 2; k++) {
		assert_int_equal(next_cnt(k), cnt);
		assert_int_equal(watcher[k].told, watcher[k].read);
	}
}

/* However slowly a source says it. */
static void
test_half(void **state)
{
	struct table_mark *mark;

	(void)state;
	test_roa_whole_start();
	mark = rpki_index_mark(t);
	assert_non_null(mark);
	test_roa_whole_change(0, 0, true);
	test_roa_whole_untold();
	test_roa_whole_change(0, 1, true);
	test_roa_whole_untold();
	test_roa_whole_change(0, 2, true);
	test_roa_whole_mark(0, mark);
	test_roa_whole_told(3);
	/* and one that says no end settles */
	test_roa_whole_change(1, 3, true);
	test_roa_whole_told(1);
	test_roa_whole_stop(4);
}

/* The end of the one isn't the end of the other. */
static void
test_two(void **state)
{
	struct table_mark *mark[2];

	(void)state;
	test_roa_whole_start();
	for (unsigned k = 0; k < 2; k++) {
		mark[k] = rpki_index_mark(t);
		test_roa_whole_change(k, k, true);
	}
	test_roa_whole_mark(0, mark[0]);
	test_roa_whole_untold();
	test_roa_whole_change(1, 2, true);
	test_roa_whole_mark(1, mark[1]);
	test_roa_whole_told(3);
	test_roa_whole_stop(3);
}

/* So it is where the file gives settle times; they begin at the end. */
static void
test_given(void **state)
{
	struct conf_table given = cf;
	struct table_mark *mark;

	(void)state;
	test_roa_whole_start();
	given.settle_given = true;
	rpki_index_times(t, &given);
	mark = rpki_index_mark(t);
	test_roa_whole_change(0, 0, true);
	test_roa_whole_untold();
	test_roa_whole_change(0, 1, true);
	test_roa_whole_mark(0, mark);
	test_roa_whole_told(2);
	test_roa_whole_stop(2);
}

static void
test_roa_whole_long_ago(void *arg)
{
	(void)arg;
	t->pending.first_ns = 1;
}

/* A source that dies in the middle says no end; one that never comes to its end holds up
 * the others for a while only. */
static void
test_cut(void **state)
{
	struct table_mark *mark;

	(void)state;
	test_roa_whole_start();
	mark = rpki_index_mark(t);
	test_roa_whole_change(0, 0, true);
	test_roa_whole_untold();
	rpki_index_mark_partial(mark);
	test_roa_whole_mark(0, mark);
	test_roa_whole_told(1); /* when it has settled */
	mark = rpki_index_mark(t);
	test_roa_whole_change(0, 1, true);
	rig_in(&t->f.worker, test_roa_whole_long_ago, NULL);
	test_roa_whole_told(1);
	test_roa_whole_mark(0, mark);
	test_roa_whole_stop(2);
}

/* An index that has much to read before the mark begins no round in the middle. */
static void
test_behind(void **state)
{
	struct table_mark *mark;
	struct held *h;

	(void)state;
	test_roa_whole_start();
	mark = rpki_index_mark(t);
	h = hold_worker(&t->f.worker);
	for (uint32_t n = 0; n < MANY; n += 500) {
		roa_rig_begin(0, test_roa_whole_set());
		for (uint32_t i = n; i < n + 500; i++)
			roa_rig_add(0, test_roa_whole_vrp(i));
		roa_rig_give(0);
	}
	test_roa_whole_mark(0, mark);
	while (!ring_empty(&src[0].f.ring)) /* then the mark is on its way to the index */
		rig_in(&roa_rig_table->worker, rig_nothing, NULL);
	rig_in(&roa_rig_table->worker, rig_nothing, NULL);
	sem_post(&h->go);
	test_roa_whole_told(UINT32_MAX);
	roa_rig_settle();
	assert_int_equal(watcher[0].told, 1);
	roa_rig_many(MANY, NULL, test_roa_whole_vrp);
	test_roa_whole_stop(0);
	sem_destroy(&h->go);
	free(h);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		RIG_TEST(test_half),
		RIG_TEST(test_two),
		RIG_TEST(test_given),
		RIG_TEST(test_cut),
		RIG_TEST(test_behind),
	};

	rig_hush();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
