/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A walk gives the routes of a net in the order in which they would be the best, if each
 * time the best one went: MED, filtered routes and dead epochs included. */
#include "nest/rib/table/feeder_priv.h"
#include "nest/rib/table/path_walk.h"
#include "nest/rib/table/table_best.c"
#define SOURCES     12
#define SOURCE_ASES 3
#include "test/lib/one_net_rig.h"
#include "test/lib/seed.h"

#define ROUNDS 2000

static int
test_path_walk_tear_down(void **state)
{
	(void)state;
	net_rig_free(t, source, SOURCES);
	return 0;
}

static void
announce_any(struct seed *s, uint32_t src)
{
	struct rig_attrs a = { .pref = seed_chance(s, 8) ? 120 : 100,
		.as_cnt = seed_chance(s, 5) ? 2 : 1,
		.first_as = 1 + seed_below(s, 3),
		.med = seed_below(s, 4) };

	one_net_rig_announce(src, &a, seed_chance(s, 8) ? PATH_FILTERED : 0);
}

/* walk - all that it gives. Returns: how many. */
static uint32_t
test_path_walk_all(const struct path *at[SOURCES])
{
	const struct path *p;
	struct path_walk w;
	uint32_t cnt = 0;

	path_walk_start(&w, t, net);
	while ((p = path_walk_next(&w))) {
		assert_true(cnt < SOURCES);
		at[cnt++] = p;
	}
	return cnt;
}

static void
test_order(void **state)
{
	struct seed s = seed_start("test_path_walk");
	const struct path *at[SOURCES];
	uint32_t most = 0, moved = 0;

	(void)state;
	for (unsigned r = 0; r < ROUNDS; r++) {
		uint32_t cnt;

		for (uint32_t i = 0; i < SOURCES; i++)
			if (!seed_chance(&s, 3))
				announce_any(&s, i);
		for (uint32_t i = 0; i < SOURCES; i++)
			if (seed_chance(&s, 10)) { /* nobody has come by since */
				feeder_new_epoch(t, &source[i]);
				source[i].up = true;
			}
		cnt = test_path_walk_all(at);
		table_prune(t, net, net_at);
		if (cnt && net_best(net) != at[0])
			cnt = test_path_walk_all(
			    at); /* MED of a dead one had its say in that */
		for (uint32_t i = 0; i < cnt; i++) {
			assert_ptr_equal(net_best(net), at[i]);
			moved += net_first(net) != at[i];
			table_withdraw(t, &source[path_feeder(at[i])], net, net_at, 0);
		}
		assert_null(net_best(net));
		most = cnt > most ? cnt : most;
		for (uint32_t i = 0; i < SOURCES; i++)
			table_withdraw(t, &source[i], net, net_at, 0);
		net_rig_end_batch(t);
	}
	assert_true(most > 8);
	assert_true(moved > ROUNDS / 4); /* MED has had its say */
}

/* A reader comes while the table puts a path in: a filtered one whose epoch is dead
 * stands before it, until it is taken out a moment later. */
static void
test_behind_filtered(void **state)
{
	struct rig_attrs a = { .pref = 100, .as_cnt = 1, .first_as = 1 };
	struct attr_set *set = rig_set(t->store, &a);
	struct route_in r = { .set = set, .flags = PATH_FILTERED };
	const struct path *at[SOURCES];
	struct path *p;

	(void)state;
	table_announce(t, &source[0], net, net_at, &r);
	feeder_new_epoch(t, &source[0]);
	source[0].up = true;
	r.flags = 0;
	p = best_new(t, &source[1], &r, source[1].epoch.now);
	best_link(t, net, net_at, p);
	assert_ptr_not_equal(net_first(net), p);
	assert_int_equal(test_path_walk_all(at), 1);
	assert_ptr_equal(at[0], p);
	best_set(t, net, net_at, p);
	best_drop(t, net, net_at, NULL);
	table_withdraw(t, &source[1], net, net_at, 0);
	attr_set_unref(t->store, set, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(
	    test_order, one_net_rig_set_up, test_path_walk_tear_down),
	cmocka_unit_test_setup_teardown(
	    test_behind_filtered, one_net_rig_set_up, test_path_walk_tear_down),
};

UNIT_MAIN(tests)
