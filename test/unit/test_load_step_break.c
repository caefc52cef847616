/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clients that die and come back, without sockets: who is away, what the others must hold
 * then, and when a step is done. */
#include "test/load/load_step_break.c"
#include "test/lib/unit.h"

#include "test/load/load_setup.h"

#define CLIENTS 6

struct fixture {
	struct load_opt opt;
	struct load_run run;
	struct load_steps steps;
};

static void
set_up(struct fixture *f)
{
	static const char *const argv[] = { "ternload", "--clients", "6", "--nets", "120",
		"--ratio", "1", "--quiet" };
	uint32_t c;

	memset(f, 0, sizeof(*f));
	assert_int_equal(load_opt_parse(&f->opt, ARRAY_LEN(argv), (char **)argv), 0);
	f->run.opt = &f->opt;
	f->run.steps = &f->steps;
	assert_int_equal(load_setup(&f->run, NULL), 0);
	f->run.now = load_now();
	for (c = 0; c < CLIENTS; c++)
		f->run.client[c].state = CL_ESTABLISHED;
	f->run.up_cnt = CLIENTS;
}

static void
tear_down(struct fixture *f)
{
	uint32_t c;

	for (c = 0; c < CLIENTS; c++)
		f->run.client[c].state = CL_IDLE;
	load_setup_fini(&f->run);
}

/* All who are up get what they must hold. */
static void
serve(struct fixture *f)
{
	uint32_t c, n;

	for (c = 0; c < CLIENTS; c++)
		for (n = 0; n < f->run.nets.cnt; n++)
			if (f->run.client[c].state == CL_ESTABLISHED)
				load_board_receive(&f->run.board, c, n,
				    load_board_expected(&f->run.board, c, n), f->run.now);
}

static uint32_t
up_cnt(const struct fixture *f)
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
	struct fixture f;
	uint32_t c;

	(void)state;
	set_up(&f);
	serve(&f);
	assert_true(load_steps_quiet(&f.run));
	die.kind->start(&f.run, &die);
	assert_int_equal(f.run.away_cnt, 2);
	assert_int_equal(up_cnt(&f), 4);
	assert_int_equal(f.run.up_cnt, 4);
	assert_int_equal(f.run.lost, 0); /* it was our wish */
	assert_false(die.kind->done(&f.run, &die)); /* the others hold too much */
	serve(&f);
	assert_true(die.kind->done(&f.run, &die));
	for (c = 0; c < CLIENTS; c++) /* nobody comes back by himself */
		if (f.run.client[c].away)
			load_client_tick(&f.run, &f.run.client[c]);
	assert_int_equal(f.run.connecting_cnt, 0);

	join.kind->start(&f.run, &join);
	assert_int_equal(f.run.away_cnt, 0);
	assert_int_equal(up_cnt(&f), CLIENTS);
	serve(&f);
	assert_false(join.kind->done(&f.run, &join)); /* two aren't up yet */
	for (c = 0; c < CLIENTS; c++) {
		f.run.client[c].state = CL_ESTABLISHED;
		f.run.client[c].dropped = false;
	}
	f.run.up_cnt = CLIENTS;
	serve(&f);
	assert_true(join.kind->done(&f.run, &join));
	feed.kind->start(&f.run, &feed);
	assert_true(feed.kind->done(&f.run, &feed));
	tear_down(&f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_die_and_join),
};

UNIT_MAIN(tests)
