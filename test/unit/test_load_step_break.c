/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clients that die and come back, without sockets: who is away, what the others must hold
 * then, and when a step is done. */
#include "test/load/load_step_break.c"
#include "test/lib/load_rig.h"

#define CLIENTS 6

static const char *const argv[] = { "ternload", "--clients", "6", "--nets", "120",
	"--ratio", "1", "--quiet" };

static uint32_t
up_cnt(const struct load_rig *f)
{
	uint32_t c, cnt = 0;

	for (c = 0; c < CLIENTS; c++)
		cnt += f->run.facts[c].up && !f->run.client[c].away;
	return cnt;
}

static void
test_die_and_join(void **state)
{
	struct load_step die = { .kind = &step_die, .a = 2 };
	struct load_step join = { .kind = &step_join };
	struct load_step feed = { .kind = &step_feed };
	struct load_rig f;
	uint32_t c;

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	rig_serve_all(&f);
	assert_true(load_steps_quiet(&f.run));
	die.kind->start(&f.run, &die);
	assert_int_equal(f.run.away_cnt, 2);
	assert_int_equal(up_cnt(&f), 4);
	assert_int_equal(f.run.up_cnt, 4);
	assert_int_equal(f.run.lost, 0); /* it was our wish */
	assert_false(die.kind->done(&f.run, &die)); /* the others hold too much */
	rig_serve_all(&f);
	assert_true(die.kind->done(&f.run, &die));
	for (c = 0; c < CLIENTS; c++) /* nobody comes back by himself */
		if (f.run.client[c].away)
			load_client_tick(&f.run, &f.run.client[c]);
	assert_int_equal(f.run.connecting_cnt, 0);

	join.kind->start(&f.run, &join);
	assert_int_equal(f.run.away_cnt, 0);
	assert_int_equal(up_cnt(&f), CLIENTS);
	rig_serve_all(&f);
	assert_false(join.kind->done(&f.run, &join)); /* two aren't up yet */
	for (c = 0; c < CLIENTS; c++) {
		f.run.client[c].state = CL_ESTABLISHED;
		f.run.client[c].dropped = false;
	}
	f.run.up_cnt = CLIENTS;
	rig_serve_all(&f);
	assert_true(join.kind->done(&f.run, &join));
	feed.kind->start(&f.run, &feed);
	assert_true(feed.kind->done(&f.run, &feed));
	load_rig_down(&f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_die_and_join),
};

UNIT_MAIN(tests)
