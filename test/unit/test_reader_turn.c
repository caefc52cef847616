/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_reader_turn checks the work of a reader before its loop serves the next worker. */
#include "sysdep/os/clock.h"
static uint64_t clock_of_test(void);
#define clock_now_ns clock_of_test
#include "nest/rib/stream/reader.c"
#undef clock_now_ns
#include "test/lib/seed.h"
#include "test/lib/spine_rig.h"

#define NETS 80

static uint64_t took_ns; /* between two looks at the clock */

static uint64_t
clock_of_test(void)
{
	static uint64_t later_ns;

	later_ns += took_ns;
	return clock_now_ns() + later_ns;
}

static void
test_reader_turn_one_run(void *arg)
{
	channel_export_run(((struct rig_peer *)arg)->ch);
}

/* What a filter refuses fills no message: a turn ends when its time is over. */
static void
test_slow_turn(void **state)
{
	struct rig_peer *pe = rig.peer[1];
	unsigned before;

	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_export(1);
	for (unsigned i = 0; i < NETS; i++)
		rig_announce(0, i, 1, 9, i);
	before = pe->msg_cnt;
	took_ns = 2 * TURN_NS;
	rig_in(&pe->p.worker, test_reader_turn_one_run, pe);
	took_ns = 0;
	assert_in_range(pe->msg_cnt - before, 1, RUN_SEGMENTS + 1);
	rig_export(1);
	assert_int_equal(pe->msg_cnt - before, NETS);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_slow_turn),
};

UNIT_MAIN(tests)
