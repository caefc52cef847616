/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Best-route selection in a table: the order in which routes come doesn't matter, MED
 * included; dead and filtered paths; what a batch remembers. The table has no worker
 * here. */
#include "nest/rib/table/table_best.c"
#define SOURCES     6
#define SOURCE_ASES 2
#include "nest/rib/table/feeder_priv.h"
#include "test/lib/one_net_rig.h"
#include "test/lib/seed.h"

static int
test_table_best_tear_down(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < SOURCES; i++)
		table_withdraw(t, &source[i], net, net_at, 0);
	net_rig_free(t, source, SOURCES);
	return 0;
}

static uint32_t
test_table_best_feeder(void)
{
	const struct path *p = net_best(net);

	return p ? path_feeder(p) : NO_FEEDER;
}

static struct rig_attrs
random_attrs(struct seed *s, uint32_t src)
{
	/* Small domains, so that ties go deep. */
	return (struct rig_attrs){ .pref = seed_chance(s, 5) ? 120 : 100,
		.local_pref = seed_chance(s, 5) ? 200 : 100,
		.as_cnt = seed_chance(s, 5) ? 2 : 1,
		.first_as = 1 + src % 2,
		.med = seed_below(s, 3),
		.origin = seed_chance(s, 6) };
}

/* next_order - the next permutation; false after the last. */
static bool
next_order(uint32_t *v, int cnt)
{
	int i = cnt - 2, k = cnt - 1;
	uint32_t tmp;

	while (i >= 0 && v[i] > v[i + 1])
		i--;
	if (i < 0)
		return false;
	while (v[k] < v[i])
		k--;
	tmp = v[i], v[i] = v[k], v[k] = tmp;
	for (int a = i + 1, b = cnt - 1; a < b; a++, b--)
		tmp = v[a], v[a] = v[b], v[b] = tmp;
	return true;
}

/* All orders of four routes give the same best. */
static void
test_all_orders(void **state)
{
	struct seed s = { 99 };

	(void)state;
	for (int round = 0; round < 150; round++) {
		uint32_t order[4] = { 0, 1, 2, 3 }, first = NO_FEEDER;
		struct rig_attrs a[4];

		for (uint32_t i = 0; i < 4; i++)
			a[i] = random_attrs(&s, i);
		do {
			for (int i = 0; i < 4; i++)
				one_net_rig_announce(order[i], &a[order[i]], 0);
			if (first == NO_FEEDER)
				first = test_table_best_feeder();
			assert_int_equal(test_table_best_feeder(), first);
			for (uint32_t i = 0; i < 4; i++)
				table_withdraw(t, &source[i], net, net_at, 0);
			assert_int_equal(test_table_best_feeder(), NO_FEEDER);
			net_rig_end_batch(t);
		} while (next_order(order, 4));
	}
}

/* After any history the best is that of a net to which the last routes alone were
 * announced. */
static void
test_history(void **state)
{
	struct seed s = { 7 };
	struct rig_attrs now[SOURCES];
	bool has[SOURCES] = { false }, filtered[SOURCES];
	struct prefix p2 = prefix_make(ip4(0x0b000000), 8, FAM_IP4);
	struct net *n1 = net, *n2;
	uint32_t id1 = net_at, id2, b;

	(void)state;
	n2 = rig_net_get(t, &p2, &id2);
	for (int i = 0; i < 6000; i++) {
		uint32_t k = seed_below(&s, SOURCES);

		if (seed_chance(&s, 30)) { /* its session goes and comes back */
			source[k].epoch.now++;
			store_relaxed64(&source[k].epoch.pub, source[k].epoch.now);
			source[k].cnt.live = source[k].cnt.live_filtered = 0;
			table_prune(t, net, net_at);
			has[k] = false;
		} else if (seed_chance(&s, 3)) {
			table_withdraw(t, &source[k], net, net_at, 0);
			has[k] = false;
		} else {
			now[k] = random_attrs(&s, k);
			filtered[k] = seed_chance(&s, 6);
			has[k] = true;
			one_net_rig_announce(k, &now[k], filtered[k] ? PATH_FILTERED : 0);
		}
		b = test_table_best_feeder();
		net = n2, net_at = id2;
		for (uint32_t j = SOURCES; j-- > 0;)
			if (has[j] && !filtered[j])
				one_net_rig_announce(j, &now[j], 0);
		assert_int_equal(b, test_table_best_feeder());
		for (uint32_t j = 0; j < SOURCES; j++)
			table_withdraw(t, &source[j], net, net_at, 0);
		net = n1, net_at = id1;
		net_rig_end_batch(t);
	}
}

/* MED groups: what loses to a neighbour's lower MED doesn't win by the rest. */
static void
test_med_groups(void **state)
{
	/* Sources 0, 2, 4 are AS 1; 1, 3, 5 AS 2. Lower router id wins: source 5 has the
	 * lowest. */
	struct rig_attrs a = { 100, 100, 1, 1, 10, 0 }, b = { 100, 100, 1, 2, 0, 0 };

	(void)state;
	one_net_rig_announce(4, &a, 0);
	one_net_rig_announce(1, &b, 0);
	assert_int_equal(
	    test_table_best_feeder(), 4); /* of other ASes: MED isn't compared */
	a.med = 5;
	one_net_rig_announce(0, &a, 0);
	assert_int_equal(
	    test_table_best_feeder(), 1); /* 4 loses to 0 by MED, and 1 beats 0 */
	table_withdraw(t, &source[1], net, net_at, 0);
	assert_int_equal(test_table_best_feeder(), 0);
	table_withdraw(t, &source[0], net, net_at, 0);
	assert_int_equal(test_table_best_feeder(), 4);
}

static void
test_filtered(void **state)
{
	struct rig_attrs a = { 100, 100, 1, 1, 0, 0 };

	(void)state;
	one_net_rig_announce(0, &a, PATH_FILTERED);
	assert_int_equal(test_table_best_feeder(), NO_FEEDER);
	assert_true(path_filtered(table_feeder_path(t, &source[0], net, 0)));
	one_net_rig_announce(1, &a, 0);
	assert_int_equal(test_table_best_feeder(), 1);
	assert_false(path_filtered(net_first(net))); /* filtered ones stand last */
	one_net_rig_announce(0, &a, 0);
	assert_false(path_filtered(table_feeder_path(t, &source[0], net, 0)));
	one_net_rig_announce(1, &a, PATH_FILTERED);
	assert_int_equal(test_table_best_feeder(), 0);
	assert_int_equal(counter64_get(&stats[1].filtered), 1);
	assert_int_equal(counter64_get(&stats[1].imported), 0);
	assert_int_equal(counter64_get(&stats[0].imported), 1);
	assert_null(table_feeder_path(t, &source[2], net, 0));
}

/* Paths of an old epoch are never best once the net was touched, and go with the next
 * change. */
static void
test_dead_epoch(void **state)
{
	struct rig_attrs good = { 200, 100, 1, 1, 0, 0 }, poor = { 100, 100, 1, 1, 0, 0 };

	(void)state;
	one_net_rig_announce(0, &good, 0);
	one_net_rig_announce(1, &poor, 0);
	assert_int_equal(test_table_best_feeder(), 0);
	source[0].epoch.now++;
	store_relaxed64(&source[0].epoch.pub, source[0].epoch.now);
	assert_false(path_live(t, net_best(net)));
	poor.med = 1;
	one_net_rig_announce(1, &poor, 0);
	assert_int_equal(test_table_best_feeder(), 1);
	assert_null(best_next(net_first(net)));
	one_net_rig_announce(0, &poor, 0);
	source[0].epoch.now++;
	source[1].epoch.now++;
	table_prune(t, net, net_at);
	assert_null(net_first(net));
	assert_int_equal(t->best.dead.cnt, 1);
}

/* The largest source and the last epoch fit beside the flags; the epoch after that is the
 * first one again. */
static void
test_last_epoch(void **state)
{
	struct rig_attrs a = { 100, 100, 1, 1, 0, 0 };
	struct feeder *s = &source[2];
	const struct path *p;

	(void)state;
	store_relaxed32(&s->id, FEEDER_MAX - 1);
	feeders_put(t, FEEDER_MAX - 1, s);
	s->epoch.now = (1u << EPOCH_BITS) - 1;
	store_relaxed64(&s->epoch.pub, s->epoch.now);
	one_net_rig_announce(2, &a, PATH_FILTERED);
	p = net_first(net);
	assert_int_equal(path_src(p), FEEDER_MAX - 1);
	assert_int_equal(p->flags, PATH_FILTERED);
	assert_true(path_live(t, p) && path_filtered(p));
	s->epoch.now++;
	store_relaxed64(&s->epoch.pub, s->epoch.now);
	assert_int_equal(s->epoch.now, 0);
	assert_false(path_live(t, p));
	table_prune(t, net, net_at);
	assert_null(net_first(net));
	one_net_rig_announce(2, &a, 0);
	assert_int_equal(path_feeder(net_best(net)), FEEDER_MAX - 1);
}

/* A batch notes a net once, with what was best before it; the same route again is
 * ignored. */
static void
test_changes(void **state)
{
	struct rig_attrs a = { 100, 100, 1, 1, 0, 0 };

	(void)state;
	one_net_rig_announce(0, &a, 0);
	assert_int_equal(t->best.change_cnt, 1);
	assert_int_equal(t->best.change[0].old_src, NO_FEEDER);
	assert_int_equal(load_relaxed32(&net->batch), 1);
	assert_int_equal(load_relaxed32(&stream_chunk(&t->best, 0)->ver), 1);
	net_rig_end_batch(t);
	one_net_rig_announce(0, &a, 0);
	assert_int_equal(t->best.change_cnt, 0);
	assert_int_equal(counter64_get(&stats[0].imp_upd_ignored), 1);
	a.med = 1;
	one_net_rig_announce(0, &a, 0);
	a.med = 2;
	one_net_rig_announce(0, &a, 0);
	assert_int_equal(t->best.change_cnt, 1);
	assert_int_equal(t->best.change[0].old_src, 0);
	assert_int_equal(wire_med(t->best.change[0].old_set->wire), 0);
	assert_int_equal(counter64_get(&stats[0].preferred), 1);
	net_rig_end_batch(t);
	one_net_rig_announce(1, &a, 0); /* lower router id: it takes over */
	assert_int_equal(t->best.change_cnt, 1);
	net_rig_end_batch(t);
	a.pref = 50;
	one_net_rig_announce(0, &a, 0); /* not best, before and after */
	assert_int_equal(t->best.change_cnt, 0);
}

/* The set before policy hangs on the path and goes with it. */
static void
test_pre(void **state)
{
	struct rig_attrs a = { 100, 100, 1, 1, 0, 0 }, b = { 100, 100, 1, 1, 9, 0 };
	struct attr_set *pre = rig_set(t->store, &a), *set = rig_set(t->store, &b);

	(void)state;
	table_announce(t, &source[0], net, net_at,
	    &(struct route_in){ .set = set, .pre = pre, .flags = PATH_PRE });
	assert_ptr_equal(path_pre(net_first(net)), pre);
	assert_ptr_equal(path_set(net_first(net)), set);
	table_announce(t, &source[0], net, net_at, &(struct route_in){ .set = set });
	assert_null(path_pre(net_first(net)));
	table_announce(t, &source[0], net, net_at,
	    &(struct route_in){ .set = pre, .flags = PATH_FILTERED });
	assert_ptr_equal(path_pre(net_first(net)), pre);
	attr_set_unref(t->store, pre, 1);
	attr_set_unref(t->store, set, 1);
}

/* If a reader wants it, a net is in the batch when any of its paths changes. It has moved
 * if its best was another one in between, also if it is the old one at the end. */
static void
test_behind(void **state)
{
	struct rig_attrs best = { .pref = 200 }, other = { .pref = 100 },
			 less = { .pref = 99 }, first = { .pref = 300 };

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		t->behind.readers = k;
		one_net_rig_announce(0, &best, 0);
		assert_int_equal(t->best.change_cnt, 1);
		assert_true(net->flags & NET_MOVED);
		net_rig_end_batch(t);
		one_net_rig_announce(1, &other, 0);
		assert_int_equal(t->best.change_cnt, k);
		one_net_rig_announce(1, &less, 0);
		assert_int_equal(t->best.change_cnt, k);
		net_rig_end_batch(t);
		one_net_rig_announce(1, &less, 0);
		assert_int_equal(t->best.change_cnt, 0);
		assert_false(net->flags & NET_MOVED);
		one_net_rig_announce(1, &first, 0);
		one_net_rig_announce(1, &less, 0);
		assert_int_equal(t->best.change_cnt, 1);
		assert_true(net->flags & NET_MOVED);
		net_rig_end_batch(t);
		table_withdraw(t, &source[1], net, net_at, 0);
		assert_int_equal(t->best.change_cnt, k);
		assert_int_equal(
		    path_feeder(net_best(net)), load_relaxed32(&source[0].id));
		net_rig_end_batch(t);
		table_withdraw(t, &source[0], net, net_at, 0);
		net_rig_end_batch(t);
		one_net_rig_announce(
		    1, &other, PATH_FILTERED); /* no best, before and after */
		assert_int_equal(t->best.change_cnt, 0);
		table_withdraw(t, &source[1], net, net_at, 0);
		net_rig_end_batch(t);
	}
	t->behind.readers = 0;
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(fn, one_net_rig_set_up, test_table_best_tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_all_orders),
	TEST(test_history),
	TEST(test_med_groups),
	TEST(test_filtered),
	TEST(test_dead_epoch),
	TEST(test_last_epoch),
	TEST(test_changes),
	TEST(test_behind),
	TEST(test_pre),
};

UNIT_MAIN(tests)
