/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_rpki_wait checks which sessions wait for the data of a ROA table, and until when:
 * for a cache, and for a fill by static protocols and pipes. */
#include "nest/rib/index/rpki_wait.c"
#include "test/lib/roa_rig.h"

static struct conf_table cf = { .ft = { .is_roa = true, .fam = FAM_IP4 },
	.name = "r4",
	.kind = TABLE_ROA4,
	.settle_min_ns = NS_PER_MS,
	.settle_max_ns = 10 * NS_PER_MS };

static OWNED struct attr_set *
some_set(void)
{
	struct attr_local l = { .preference = 200, .rts = RTS_STATIC };
	struct attr_store *st = rig.tern.store;

	return attr_store_set(st, attr_store_empty(st)->wire, &l, NULL, 0);
}

static bool
test_rpki_wait_waits(void)
{
	return rpki_index_waits(t) && rpki_index_waits_ns(t) > 0;
}

/* What waits for the first data is told when it is in the index; who comes later doesn't
 * wait, whatever becomes of it and of the configuration. */
static void
test_waits_for_data(void **state)
{
	struct conf_table wait = cf, longer = cf;
	struct vrp vrp = { rig_net(1), 24, 7 };

	(void)state;
	wait.rpki_wait_s = 1000;
	longer.rpki_wait_s = 2000;
	roa_rig_start(&wait);
	spine_rig_up(0);
	assert_true(test_rpki_wait_waits());
	roa_rig_watch(0, WATCH_READS, 0, false);
	roa_rig_change(0, vrp, some_set());
	assert_true(test_rpki_wait_waits());
	roa_rig_alone(0, &(struct rec){ .type = REC_MARK, .mark = rpki_index_mark(t) });
	roa_rig_in(&src[0], roa_rig_do_put);
	rig_wait(&watcher[0].ready);
	assert_false(test_rpki_wait_waits());
	assert_int_equal(roa_map_check(rpki_index_map(t), &vrp.net, 7), ROA_VALID);
	roa_rig_change(0, vrp, NULL);
	rpki_index_times(t, &longer);
	assert_false(test_rpki_wait_waits());
	roa_rig_unwatch(0);
	roa_rig_finish();
}

static void
test_rpki_wait_time_over(void *arg)
{
	(void)arg;
	assert_in_range(t->wait.timer.node.key - loop_now_ns(&t->f.worker),
	    980 * NS_PER_S, 1000 * NS_PER_S);
	timer_set(&t->wait.timer, 0);
}

static void
test_rpki_wait_nothing(void *arg)
{
	(void)arg;
}

/* For so long, and no longer; or until the file says otherwise. */
static void
test_waits_so_long(void **state)
{
	struct conf_table wait = cf;

	(void)state;
	wait.rpki_wait_s = 1000;
	for (unsigned off = 0; off < 2; off++) {
		roa_rig_start(&wait);
		spine_rig_up(0);
		roa_rig_watch(0, WATCH_READS, 0, false);
		assert_true(test_rpki_wait_waits());
		if (off)
			rpki_index_times(t, &cf);
		else
			rig_in(&t->f.worker, test_rpki_wait_time_over, NULL);
		rig_wait(&watcher[0].ready);
		assert_false(test_rpki_wait_waits());
		roa_rig_unwatch(0);
		roa_rig_finish();
		spine_rig_down(0);
	}
}

/* test_rpki_wait_fill - begin a fill. */
static struct rpki_fill *
test_rpki_wait_fill(void)
{
	struct rpki_fill *fl = rpki_fill_begin(t);

	assert_non_null(fl);
	assert_true(rpki_index_waits(t));
	assert_true(rpki_index_fills(t));
	return fl;
}

/* A fill ends when the index has the routes of the table; of two fills under way both
 * must end. A table without a fill does not wait. */
static void
test_fills(void **state)
{
	struct rpki_fill *first, *second;
	struct vrp vrp = { rig_net(1), 24, 7 };

	(void)state;
	roa_rig_start(&cf);
	spine_rig_up(0);
	assert_false(rpki_index_waits(t));
	first = test_rpki_wait_fill();
	assert_int_equal(rpki_index_waits_ns(t), 0); /* for no cache */
	roa_rig_watch(0, WATCH_READS, 0, false);
	second = test_rpki_wait_fill();
	rpki_fill_end(second, false, false);
	rig_wait(&watcher[0].ready); /* the later fill has the routes of the first */
	assert_false(rpki_index_waits(t));
	roa_rig_change(0, vrp, some_set());
	second = test_rpki_wait_fill();
	rpki_fill_end(first, false, false); /* no end of the later fill */
	rig_in(&t->f.worker, test_rpki_wait_nothing, NULL);
	assert_true(rpki_index_fills(t));
	rpki_fill_end(second, false, false);
	rig_wait(&watcher[0].ready);
	assert_int_equal(roa_map_check(rpki_index_map(t), &vrp.net, 7), ROA_VALID);
	roa_rig_unwatch(0);
	roa_rig_finish();
}

/* A fill that is late ends all the same. A fill without a cache ends `rpki wait`, unless
 * the fill is late or a cache feeds the table. */
static void
test_fill_of_all_data(void **state)
{
	struct conf_table wait = cf;

	(void)state;
	wait.rpki_wait_s = 1000;
	roa_rig_start(&wait);
	spine_rig_up(0);
	roa_rig_watch(0, WATCH_READS, 0, false);
	for (unsigned i = 0; i < 3; i++) {
		rpki_fill_end(test_rpki_wait_fill(), i != 0, i == 1);
		while (rpki_index_fills(t))
			rig_in(&t->f.worker, test_rpki_wait_nothing, NULL);
		rig_in(&t->f.worker, test_rpki_wait_nothing, NULL);
		assert_int_equal(rpki_index_waits(t), i < 2);
	}
	rig_wait(&watcher[0].ready);
	roa_rig_unwatch(0);
	roa_rig_finish();
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		RIG_TEST(test_waits_for_data),
		RIG_TEST(test_waits_so_long),
		RIG_TEST(test_fills),
		RIG_TEST(test_fill_of_all_data),
	};

	rig_hush();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
