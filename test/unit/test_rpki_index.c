/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of VRPs: what of its table is in it, and what subscribers are told after a
 * change. */
#define RIG_PEERS 18 /* two feed the table of ROAs, too */
#include "nest/rib/index/rpki_index_priv.h"
#include "test/lib/roa_rig.h"
#include "test/lib/wait.h"

static struct conf_table cf = { .ft = { .is_roa = true, .fam = FAM_IP4 },
	.name = "r4",
	.kind = TABLE_ROA4,
	.settle_min_ns = NS_PER_MS,
	.settle_max_ns = 10 * NS_PER_MS };

static struct vrp
test_rpki_index_vrp_of(uint32_t net, uint32_t asn)
{
	return (struct vrp){ rig_net(net), 24, asn };
}

static struct attr_set *
test_rpki_index_set_of(uint32_t preference)
{
	struct attr_local l = { .preference = preference, .rts = RTS_STATIC };
	struct attr_store *st = rig.tern.store;

	return attr_store_set(st, attr_store_empty(st)->wire, &l, NULL, 0);
}

/* change - one VRP of source @k; @preference 0: withdraw. */
static void
test_rpki_index_change(unsigned k, uint32_t net, uint32_t asn, uint32_t preference)
{
	roa_rig_change(k, test_rpki_index_vrp_of(net, asn),
	    preference ? test_rpki_index_set_of(preference) : NULL);
}

static enum roa_state
test_rpki_index_check(uint32_t net, uint32_t asn)
{
	struct prefix p = rig_net(net);

	return roa_map_check(rpki_index_map(t), &p, asn);
}

static void
test_rpki_index_start(void)
{
	roa_rig_start(&cf);
}

/* A VRP counts while any source has it, refused routes left out. */
static void
test_vrps(void **state)
{
	(void)state;
	test_rpki_index_start();
	assert_ptr_equal(rpki_index_table(t), roa_rig_table);
	assert_null(rpki_index_aspa(t));
	test_rpki_index_change(0, 1, 7, 200);
	assert_int_equal(test_rpki_index_check(1, 7), ROA_VALID);
	assert_int_equal(test_rpki_index_check(1, 8), ROA_INVALID);
	test_rpki_index_change(1, 1, 7, 300);
	assert_int_equal(rpki_index_cnt(t), 1);
	assert_int_equal(counter64_get(&src[0].stats.preferred), 0);
	assert_int_equal(counter64_get(&src[1].stats.preferred), 1);
	test_rpki_index_change(0, 1, 7, 0);
	assert_int_equal(test_rpki_index_check(1, 7), ROA_VALID);
	test_rpki_index_change(1, 1, 7, 0);
	assert_int_equal(test_rpki_index_check(1, 7), ROA_UNKNOWN);
	assert_int_equal(rpki_index_cnt(t), 0);
	/* a flap between two looks leaves no trace, and nothing behind */
	for (unsigned i = 0; i < 100; i++) {
		roa_rig_put(
		    0, test_rpki_index_vrp_of(i % 3, 7), test_rpki_index_set_of(200));
		roa_rig_put(
		    1, test_rpki_index_vrp_of(i % 3, 7), test_rpki_index_set_of(100));
		roa_rig_put(0, test_rpki_index_vrp_of(i % 3, 7), NULL);
		roa_rig_put(1, test_rpki_index_vrp_of(i % 3, 7), NULL);
	}
	roa_rig_settle();
	assert_int_equal(rpki_index_cnt(t), 0);
	roa_rig_finish();
}

/* A source that goes takes its VRPs with it, and refused ones don't count. */
static void
test_source_gone(void **state)
{
	struct wait w = { 0 };

	(void)state;
	test_rpki_index_start();
	test_rpki_index_change(0, 1, 7, 200);
	test_rpki_index_change(0, 2, 7, 200);
	test_rpki_index_change(1, 2, 7, 100);
	roa_rig_begin(1, test_rpki_index_set_of(100));
	roa_rig_add(1, test_rpki_index_vrp_of(3, 7));
	src[1].rec.flags = PATH_FILTERED;
	roa_rig_give(1);
	roa_rig_alone(0, &(struct rec){ .type = REC_DOWN });
	roa_rig_give(0);
	roa_rig_settle();
	while (rpki_index_cnt(t) != 1)
		lib_wait_turn(&w, "the table's walk");
	assert_int_equal(rpki_index_cnt(t), 1);
	assert_int_equal(test_rpki_index_check(1, 7), ROA_UNKNOWN);
	assert_int_equal(test_rpki_index_check(2, 7), ROA_VALID);
	assert_int_equal(test_rpki_index_check(3, 7), ROA_UNKNOWN);
	roa_rig_finish();
}

/* ---- subscribers ---- */

static void
test_hits(void **state)
{
	(void)state;
	test_rpki_index_start();
	spine_rig_up(2);
	rig_announce(2, 0, 10, 3, 1);
	roa_rig_watch(0, WATCH_READS, 0, false);
	roa_rig_watch(1, WATCH_READS, 0, true);
	roa_rig_watch(2, WATCH_BRINGS, 2, false);
	roa_rig_watch(3, WATCH_KEEPS, 2, false);
	test_rpki_index_change(0, 4, 7, 200);
	assert_int_equal(next_cnt(0), 1);
	assert_int_equal(next_cnt(1), UINT32_MAX);
	/* one that keeps nothing: its route in the table, and all that it was brought */
	assert_int_equal(next_cnt(2), 1);
	assert_int_equal(next_cnt(2), UINT32_MAX);
	assert_int_equal(next_cnt(3), 1);
	assert_int_equal(roa_rig_first(0), 4);
	assert_int_equal(roa_rig_first(3), 4);
	/* another path for a VRP that is there changes no answer */
	test_rpki_index_change(1, 4, 7, 300);
	/* and of a prefix that no net is in is told who may have refused one, which isn't
	 * in the table then */
	test_rpki_index_change(0, 100, 7, 200);
	assert_int_equal(next_cnt(1), UINT32_MAX);
	assert_int_equal(next_cnt(2), UINT32_MAX);
	for (unsigned k = 0; k < 4; k++)
		roa_rig_unwatch(k);
	assert_int_equal(watcher[0].told, 1);
	assert_int_equal(watcher[3].told, 1);
	test_rpki_index_change(0, 4, 7, 0);
	test_rpki_index_change(1, 4, 7, 0);
	test_rpki_index_change(0, 100, 7, 0);
	roa_rig_finish();
}

/* A mark that is asked for and doesn't come holds the round; a subscriber that goes
 * doesn't. */
static void
test_marks(void **state)
{
	struct table_mark *mark;

	(void)state;
	test_rpki_index_start();
	roa_rig_two();
	roa_rig_hold(0, test_rpki_index_vrp_of(4, 7), test_rpki_index_set_of(200));
	wait_spread(5000);
	assert_int_equal(sem_trywait(&watcher[1].event), -1);
	mark = watcher[0].mark;
	roa_rig_unwatch(0);
	assert_int_equal(next_cnt(1), 1); /* the walk went on without it */
	table_marked(mark); /* late, of one that has gone */
	roa_rig_watch(0, WATCH_KEEPS, 2, false);
	roa_rig_hold(0, test_rpki_index_vrp_of(5, 7), test_rpki_index_set_of(200));
	test_rpki_index_change(0, 6, 7, 200); /* for the next round */
	rig_announce(2, 20, 1, 3, 1);
	roa_rig_go(0);
	assert_int_equal(next_cnt(1), 1);
	assert_int_equal(next_cnt(1), 1);
	assert_int_equal(watcher[1].asked, 0); /* all that it brought is in the table */
	roa_rig_unwatch(0);
	roa_rig_unwatch(1);
	for (uint32_t n = 4; n < 7; n++)
		test_rpki_index_change(0, n, 7, 0);
	roa_rig_finish();
}

static void
do_renew(void *arg)
{
	roa_sub_renew(&((struct watcher *)arg)->sub);
}

/* Who begins anew when a round's changes are there isn't told of them, but of the
 * next. */
static void
test_renewed(void **state)
{
	(void)state;
	test_rpki_index_start();
	roa_rig_two();
	roa_rig_hold(0, test_rpki_index_vrp_of(4, 7), test_rpki_index_set_of(200));
	rig_in(watcher[1].sub.worker, do_renew, &watcher[1]);
	roa_rig_go(0);
	assert_int_equal(next_cnt(0), 1);
	test_rpki_index_change(0, 5, 7, 200);
	assert_int_equal(next_cnt(0), 1);
	assert_int_equal(next_cnt(1), 1);
	assert_int_equal(watcher[1].told, 1);
	roa_rig_unwatch(0);
	roa_rig_unwatch(1);
	test_rpki_index_change(0, 4, 7, 0);
	test_rpki_index_change(0, 5, 7, 0);
	roa_rig_finish();
}

static void
do_start_instead(void *arg)
{
	struct watcher *w = arg;

	w->refused = !roa_sub_start(&w->sub, &watcher[1].sub);
}

/* One that takes another's place while a round is on is told of what that one decided
 * before. */
static void
test_instead(void **state)
{
	(void)state;
	test_rpki_index_start();
	roa_rig_two();
	roa_rig_hold(0, test_rpki_index_vrp_of(4, 7), test_rpki_index_set_of(200));
	watch_by(4, WATCH_KEEPS, 3, false, do_start_instead);
	roa_rig_unwatch(1);
	roa_rig_go(0);
	assert_int_equal(next_cnt(0), 1);
	assert_int_equal(next_cnt(4), 1);
	roa_rig_unwatch(0);
	roa_rig_unwatch(4);
	test_rpki_index_change(0, 4, 7, 0);
	roa_rig_finish();
}

/* A table that was deleted waits for the subscription that came before, and takes no
 * other, also when it has ended. */
static void
test_late(void **state)
{
	uint32_t workers;

	(void)state;
	test_rpki_index_start();
	workers = counter32_get(&rig.tern.workers.cnt);
	rpki_index_ref(t);
	roa_rig_watch(0, WATCH_KEEPS, 2, false);
	assert_false(watcher[0].refused);
	finish_later();
	roa_rig_unwatch(0);
	rig_wait_workers(workers - 2);
	roa_rig_watch(1, WATCH_KEEPS, 2, false);
	assert_true(watcher[1].refused);
	rpki_index_unref(t);
}

/* Of many members whose filters ask, only those are told that have a route of the net,
 * and nobody is asked for a mark whose routes are all in the table. */
static void
test_owners(void **state)
{
	uint32_t asked = 0, told = 0;

	(void)state;
	test_rpki_index_start();
	for (unsigned k = 2; k < RIG_PEERS; k++) {
		spine_rig_up(k);
		rig_announce(k, k, 1, 3, 1);
		roa_rig_watch(k, WATCH_KEEPS, k, false);
	}
	rig_announce(5, 4, 1, 3, 1); /* 4 has two routes */
	test_rpki_index_change(0, 4, 7, 200);
	assert_int_equal(next_cnt(4), 1);
	assert_int_equal(next_cnt(5), 1);
	for (unsigned k = 2; k < RIG_PEERS; k++) {
		roa_rig_unwatch(k);
		asked += watcher[k].asked;
		told += watcher[k].told;
	}
	assert_int_equal(asked, 0);
	assert_int_equal(told, 2);
	test_rpki_index_change(0, 4, 7, 0);
	roa_rig_finish();
}

/* Those who have to be sent all again have their turns one after the other, whatever
 * tables they have. */
static void
test_turns(void **state)
{
	static const struct conf_table own = {
		.ft = { .fam = FAM_IP4 }, .name = "own", .kind = TABLE_IP4
	};
	struct table *other = table_new(&rig.tern, &own);
	uint32_t workers = counter32_get(&rig.tern.workers.cnt);

	(void)state;
	test_rpki_index_start();
	for (unsigned k = 2; k < 12; k++) {
		spine_rig_up(k);
		watched = k < 7 ? NULL : other;
		roa_rig_watch(k, WATCH_BRINGS, k, false);
	}
	watched = NULL;
	test_rpki_index_change(0, 4, 7, 200);
	for (unsigned k = 2; k < 12; k++) {
		assert_int_equal(next_cnt(k), UINT32_MAX);
		assert_int_equal(watcher[k].after_ns, (k - 2) * 100 * NS_PER_MS);
	}
	for (unsigned k = 2; k < 12; k++)
		roa_rig_unwatch(k);
	test_rpki_index_change(0, 4, 7, 0);
	roa_rig_finish();
	table_delete(other);
	rig_wait_workers(workers - 1);
}

/* What a member had decided by the VRPs before, and what its table hasn't taken yet, is
 * waited for. */
static void
test_on_ring(void **state)
{
	struct rig_route r = { rig.peer[2], 4, 1, 3, 1 };
	struct held *h;

	(void)state;
	test_rpki_index_start();
	spine_rig_up(2);
	roa_rig_watch(0, WATCH_KEEPS, 2, false);
	watcher[0].hold = true;
	h = hold_worker(&rig_table()->worker);
	rig_in(&rig.peer[2]->p.worker, rig_do_announce, &r);
	test_rpki_index_change(0, 4, 7, 200);
	rig_wait(&watcher[0].event);
	assert_int_equal(watcher[0].asked, 1);
	sem_post(&h->go);
	rig_settle();
	table_marked(watcher[0].mark);
	assert_int_equal(next_cnt(0), 1);
	roa_rig_unwatch(0);
	test_rpki_index_change(0, 4, 7, 0);
	roa_rig_finish();
	sem_destroy(&h->go);
	free(h);
}

#define MANY_NETS 65536 /* with their routes more than are told at once */

static void
start_with_many_nets(void)
{
	test_rpki_index_start();
	spine_rig_up(2);
	for (uint32_t n = 0; n < MANY_NETS; n += RIG_NETS)
		rig_announce(2, n, RIG_NETS, 3, 1);
}

/* wide - concerns all of them. */
static struct vrp
test_rpki_index_wide(void)
{
	return (struct vrp){ prefix_make(ip4(0x0b000000u), 8, FAM_IP4), 24, 7 };
}

/* More is found than is told at once: each net comes once. */
static void
test_parts(void **state)
{
	uint32_t cnt[2] = { 0, 0 };

	(void)state;
	start_with_many_nets();
	roa_rig_watch(0, WATCH_READS, 0, false);
	roa_rig_watch(1, WATCH_KEEPS, 2, false);
	roa_rig_change(0, test_rpki_index_wide(), test_rpki_index_set_of(200));
	for (unsigned k = 0; k < 2; k++)
		while (cnt[k] < MANY_NETS)
			cnt[k] += next_cnt(k);
	roa_rig_unwatch(0);
	roa_rig_unwatch(1);
	for (unsigned k = 0; k < 2; k++) {
		assert_int_equal(cnt[k], MANY_NETS);
		assert_in_range(watcher[k].told, 2, 3);
	}
	roa_rig_change(0, test_rpki_index_wide(), NULL);
	roa_rig_finish();
}

/* ---- a subscription that is replaced in the middle of a walk ---- */

static bool was_walking;

struct in_walk {
	struct msg msg;
	sem_t done;
};

/* While the walk is on, when parts of it have been told, 4 comes in the place of 0. */
static void
replace_in_walk(struct worker *w, TAKE struct msg *m)
{
	if (t->round.phase == ROA_MARKING ||
	    (t->round.phase == ROA_WALKING && t->round.walk_pos < MANY_NETS * 3 / 4)) {
		worker_post(w, m);
		return;
	}
	was_walking = t->round.phase == ROA_WALKING && t->round.walked;
	watcher[4].refused = !roa_sub_start(&watcher[4].sub, &watcher[0].sub);
	roa_sub_drop(&watcher[0].sub);
	sem_post(&container_of(m, struct in_walk, msg)->done);
}

/* It is told by lists, of which it misses the first; the other one, which was to be told
 * at the end of the walk, is told when it goes. */
static void
test_replaced_in_walk(void **state)
{
	struct in_walk r = { .msg.handle = replace_in_walk };

	(void)state;
	start_with_many_nets();
	spine_rig_up(3);
	roa_rig_watch(0, WATCH_KEEPS, 2, true);
	roa_rig_watch(1, WATCH_KEEPS, 3, false);
	watch_by(4, WATCH_KEEPS, 2, false, rig_nothing);
	sem_init(&r.done, 0, 0);
	roa_rig_hold(1, test_rpki_index_wide(), test_rpki_index_set_of(200));
	worker_post(&t->f.worker, &r.msg);
	roa_rig_go(1);
	rig_wait(&r.done);
	assert_true(was_walking);
	rig_wait(&watcher[0].gone);
	assert_int_equal(next_cnt(0), UINT32_MAX);
	assert_in_range(next_cnt(4), 1, MANY_NETS / 2);
	roa_rig_unwatch(1);
	roa_rig_unwatch(4);
	roa_rig_change(0, test_rpki_index_wide(), NULL);
	roa_rig_finish();
	sem_destroy(&r.done);
}

static struct attr_set *
test_rpki_index_many_set(void)
{
	return test_rpki_index_set_of(200);
}

static struct vrp
test_rpki_index_many_vrp(uint32_t i)
{
	return test_rpki_index_vrp_of(1000 + i, 7);
}

/* More changes than are noted one by one: everything may have changed. */
static void
test_many(void **state)
{
	(void)state;
	test_rpki_index_start();
	roa_rig_slow(&cf);
	spine_rig_up(2);
	rig_announce(2, 0, 10, 3, 1);
	roa_rig_watch(0, WATCH_READS, 0, false);
	roa_rig_many(20000, test_rpki_index_many_set, test_rpki_index_many_vrp);
	rpki_index_times(t, &cf);
	test_rpki_index_change(0, 500, 7, 200);
	assert_int_equal(next_cnt(0), UINT32_MAX);
	roa_rig_unwatch(0);
	test_rpki_index_change(0, 500, 7, 0);
	roa_rig_many(20000, NULL, test_rpki_index_many_vrp);
	roa_rig_finish();
}

static void
test_rpki_index_long_ago(void *arg)
{
	(void)arg;
	t->pending.first_ns = 1;
}

static uint64_t armed_ns; /* for how long; 0: not yet */

static void
look_at_timer(void *arg)
{
	(void)arg;
	if (t->round.phase == ROA_QUIET && timer_active(&t->pending.settle))
		armed_ns = t->pending.settle.node.key - loop_now_ns(&t->f.worker);
}

/* What changes during a round is told in the next one, which is the settle time later,
 * however long ago that began for which this one was. */
static void
test_apart(void **state)
{
	struct conf_table slow = cf;
	uint64_t until = rig_until();

	(void)state;
	slow.settle_min_ns = 10 * NS_PER_S;
	slow.settle_max_ns = 20 * NS_PER_S;
	test_rpki_index_start();
	roa_rig_two();
	roa_rig_hold(0, test_rpki_index_vrp_of(4, 7), test_rpki_index_set_of(200));
	rpki_index_times(t, &slow);
	test_rpki_index_change(0, 5, 7, 200);
	rig_in(&t->f.worker, test_rpki_index_long_ago, NULL);
	roa_rig_go(0);
	for (armed_ns = 0; !armed_ns && clock_now_ns() < until;)
		rig_in(&t->f.worker, look_at_timer, NULL);
	assert_in_range(armed_ns, 9 * NS_PER_S, 10 * NS_PER_S);
	next_cnt(0);
	next_cnt(1);
	rpki_index_times(t, &cf);
	test_rpki_index_change(0, 6, 7, 200);
	next_cnt(0);
	next_cnt(1);
	roa_rig_unwatch(0);
	roa_rig_unwatch(1);
	for (uint32_t n = 4; n <= 6; n++)
		test_rpki_index_change(0, n, 7, 0);
	roa_rig_finish();
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		RIG_TEST(test_vrps),
		RIG_TEST(test_source_gone),
		RIG_TEST(test_hits),
		RIG_TEST(test_renewed),
		RIG_TEST(test_marks),
		RIG_TEST(test_late),
		RIG_TEST(test_instead),
		RIG_TEST(test_owners),
		RIG_TEST(test_on_ring),
		RIG_TEST(test_turns),
		RIG_TEST(test_parts),
		RIG_TEST(test_replaced_in_walk),
		RIG_TEST(test_many),
		RIG_TEST(test_apart),
	};

	rig_hush();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
