/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that change the server's policy, with two clients whose UPDATEs the test
 * writes itself: what counts as done, gaps, the beacon, and the command. */
#include "test/load/load_step_policy.c"
#include "test/lib/load_rig.h"
#include "test/lib/wait.h"
#include <fcntl.h>

static const char *const argv[] = { "ternload", "--clients", "3", "--nets", "30",
	"--ratio", "1", "--quiet", "--lists" };

static void
test_mark(void **state)
{
	struct load_step s = { .kind = &step_mark, .a = 9 };
	struct load_rig f;
	uint32_t c;

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	rig_serve_all(&f);
	assert_true(load_steps_quiet(&f.run));
	s.kind->start(&f.run, &s);
	assert_false(
	    s.kind->done(&f.run, &s)); /* all have the routes, but not the mark */
	for (c = 0; c < 3; c++) {
		assert_false(load_steps_quiet(&f.run));
		rig_serve(&f, c);
	}
	f.run.client[1].gap_ns = 5 * NS_MS;
	f.run.client[2].gap_ns = 7 * NS_MS;
	assert_true(s.kind->done(&f.run, &s));
	assert_int_equal(s.gap_ns, 7 * NS_MS);
	assert_int_equal(s.gap_median_ns, 5 * NS_MS);
	load_rig_down(&f);
}

static void
test_unlisted(void **state)
{
	struct load_step s = { .kind = &step_unlisted, .a = 4 };
	struct load_rig f;

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	rig_serve_all(&f);
	s.kind->start(&f.run, &s);
	assert_int_equal(f.run.board.row[0].wrong, 0);
	assert_int_equal(f.run.board.row[1].wrong, 4);
	rig_serve_all(&f);
	assert_true(s.kind->done(&f.run, &s));
	s.a = 0; /* and all back */
	s.kind->start(&f.run, &s);
	assert_int_equal(f.run.board.row[2].wrong, 4);
	load_rig_down(&f);
}

/* While it runs, nobody has to hold anything of its net; then all have to. */
static void
test_beacon(void **state)
{
	struct load_step s = { .kind = &step_beacon, .a = 100 };
	struct load_rig f;
	uint32_t c, net, set;

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	for (c = 0; c < 3; c++) {
		rig_serve(&f, c);
		f.run.client[c].state = CL_ESTABLISHED;
	}
	s.kind->start(&f.run, &s);
	net = f.run.model.route[f.steps.beacon_route].net;
	set = f.steps.beacon_set;
	for (c = 0; c < 3; c++) /* without a socket */
		f.run.client[c].state = CL_IDLE;
	load_beacon_tick(&f.run);
	assert_int_equal(f.run.model.route[f.steps.beacon_route].set, set);
	f.run.now += 11 * NS_MS;
	load_beacon_tick(&f.run);
	assert_int_equal(f.run.model.route[f.steps.beacon_route].set, 0);
	assert_int_equal(f.run.nets.net[net].want, 0);
	assert_true(load_steps_quiet(&f.run));
	for (c = 0; c < 3; c++)
		load_board_receive(&f.run.board, c, net, 0, f.run.now);
	assert_true(load_steps_quiet(&f.run));
	s.a = 0;
	s.kind->start(&f.run, &s);
	assert_int_equal(f.run.model.route[f.steps.beacon_route].set, set);
	assert_int_equal(f.run.board.complete_cnt, 1); /* its own client */
	load_rig_down(&f);
}

/* wait_silently - until the command of @r has ended; what is said about it isn't
 * shown. */
static void
wait_silently(struct load_run *r)
{
	int saved = dup(2), null = open("/dev/null", O_WRONLY);
	struct wait w = { 0 };

	dup2(null, 2);
	while (r->reload_pid) {
		lib_wait_turn(&w, "the command's end");
		watch_reload(r);
	}
	dup2(saved, 2);
	close(saved);
	close(null);
}

/* A command that fails ends the run; one that is under way is waited for. */
static void
test_reload(void **state)
{
	struct load_step s = { .kind = &step_mark, .a = 0 };
	struct load_rig f;
	struct wait w = { 0 };

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	rig_serve_all(&f);
	f.opt.reload = "exec true";
	s.kind->start(&f.run, &s);
	while (!s.kind->done(&f.run, &s))
		lib_wait_turn(&w, "the step's end");
	assert_true(!f.run.fatal && !f.run.reload_pid);
	f.opt.reload = "exec false";
	s.kind->start(&f.run, &s);
	wait_silently(&f.run);
	assert_true(f.run.fatal);
	load_rig_down(&f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_mark),
	cmocka_unit_test(test_unlisted),
	cmocka_unit_test(test_beacon),
	cmocka_unit_test(test_reload),
};

UNIT_MAIN(tests)
