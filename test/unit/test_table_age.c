/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table after years: the numbers of its batches return, and its clock is beyond 32
 * bits. */
#include "nest/rib/table/table_age.c"
#include "nest/rib/path_priv.h"
#include "sysdep/os/clock.h"
#include "test/lib/spine_rig.h"

#define NETS 100

static struct net *
test_table_age_net_of(uint32_t i)
{
	struct prefix p = rig_net(i);
	struct nlri k = nlri_of_prefix(&p);
	uint32_t id;

	return table_net_find(rig_table(), &k, &id);
}

/* do_leap - batches pass, as many as *@arg says, in which nothing of these nets changes;
 * the table looks at its numbers now and then, as it does in each batch. */
static void
do_leap(void *arg)
{
	struct table *t = rig_table();
	uint32_t left = *(uint32_t *)arg;

	while (left) {
		uint32_t step = left < 1u << 27 ? left : 1u << 27;
		uint32_t batch = load_relaxed32(&t->batch) + step;

		store_relaxed32(&t->batch, batch);
		store_relaxed32(&t->done, batch);
		while (table_age(t))
			;
		left -= step;
	}
	t->work.used = true; /* the next batch takes the next number */
}

/* leap_to - the next batch's number is @nr. */
static void
leap_to(uint32_t nr)
{
	uint32_t cnt = nr - 1 - load_relaxed32(&rig_table()->batch);

	rig_in(&rig_table()->worker, do_leap, &cnt);
}

static void
all_hold(uint32_t first, uint32_t cnt, uint32_t med)
{
	rig_export(1);
	for (uint32_t i = first; i < first + cnt; i++)
		assert_int_equal(rig.peer[1]->held[i], rig_holds(1, med));
}

/* A change in the batch whose number the net had all batches ago. */
static void
test_returns(void **state)
{
	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(0, 0, NETS, 1, 1);
	all_hold(0, NETS, 1);
	for (uint32_t med = 2; med < 5; med++) {
		leap_to(load_relaxed32(&test_table_age_net_of(0)->batch));
		rig_announce(0, 0, NETS, 1, med);
		all_hold(0, NETS, med);
	}
	/* More than half of all numbers later what is old isn't new. */
	leap_to(load_relaxed32(&test_table_age_net_of(0)->batch) + (1u << 31) + 10);
	assert_false(serial_after(load_relaxed32(&test_table_age_net_of(0)->batch),
	    load_relaxed32(&rig_table()->batch)));
	assert_false(
	    serial_after(load_relaxed32(&stream_chunk(&rig_table()->best, 0)->ver),
		load_relaxed32(&rig_table()->batch)));
	rig_announce(0, 0, NETS, 1, 9);
	all_hold(0, NETS, 9);
}

/* New nets at the wrap: 0 is the number of a net that has no batch yet. */
static void
test_zero(void **state)
{
	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(0, 0, 1, 1, 1);
	all_hold(0, 1, 1);
	leap_to(UINT32_MAX - 2);
	for (uint32_t i = 1; i < 20; i++) {
		rig_announce(0, i, 1, 1, i);
		all_hold(i, 1, i);
		assert_int_not_equal(load_relaxed32(&rig_table()->batch), 0);
	}
	assert_true(load_relaxed32(&rig_table()->batch) < 100);
}

static void
do_set_clock(void *arg)
{
	struct table *t = rig_table();

	t->base_ns = clock_coarse_ns() - *(uint64_t *)arg * TABLE_CS_NS;
}

/* A path that came before the clock's lower half wrapped, and one that came after. */
static void
test_clock(void **state)
{
	uint64_t before = (1ull << 32) - 20, after = (1ull << 32) + 20, from;
	struct path *a, *b;

	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_in(&rig_table()->worker, do_set_clock, &before);
	rig_announce(0, 0, 1, 1, 1);
	a = near_load_relaxed(&test_table_age_net_of(0)->paths);
	rig_in(&rig_table()->worker, do_set_clock, &after);
	from = clock_now_ns();
	rig_announce(0, 1, 1, 1, 1);
	b = near_load_relaxed(&test_table_age_net_of(1)->paths);
	assert_true(path_time_cs(a) < path_time_cs(b));
	assert_true(path_time_cs(b) >> 32);
	/* The table's clock is coarse. */
	assert_true(path_time_ns(rig_table(), b) + 20 * NS_PER_MS > from);
	assert_true(path_time_ns(rig_table(), b) < clock_now_ns() + 20 * NS_PER_MS);
	/* After ten years the clock stands still. */
	after = PATH_TIME_MAX + 1000;
	rig_in(&rig_table()->worker, do_set_clock, &after);
	rig_announce(0, 2, 1, 1, 1);
	a = near_load_relaxed(&test_table_age_net_of(2)->paths);
	assert_true(path_time_cs(a) == PATH_TIME_MAX);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_returns),
	RIG_TEST(test_zero),
	RIG_TEST(test_clock),
};

UNIT_MAIN(tests)
