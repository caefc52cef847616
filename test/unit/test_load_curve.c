/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of the curve: as often as asked for, only when something has changed, and of
 * clients that are played here alone. */
#include "test/load/load_curve.c"
#include "test/lib/load_rig.h"

static const char *const argv[] = { "ternload", "--clients", "4", "--nets", "50",
	"--ratio", "1", "--quiet", "--curve", "10", "--play", "1:3" };

static void
test_curve(void **state)
{
	struct load_rig f;
	struct load_curve *v;

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	v = &f.run.curve;
	assert_int_equal(f.run.elsewhere_cnt, 2);
	load_curve_take(&f.run);
	assert_int_equal(v->cnt, 1);
	assert_int_equal(v->point[0].complete, 0);
	assert_int_equal(
	    v->point[0].wrong, f.run.board.row[1].wrong + f.run.board.row[2].wrong);
	rig_serve(&f, 1);
	load_curve_take(&f.run); /* too early */
	assert_int_equal(v->cnt, 1);
	f.run.now += 10 * NS_MS;
	load_curve_take(&f.run);
	assert_int_equal(v->cnt, 2);
	assert_int_equal(v->point[1].complete, 1);
	f.run.now += 10 * NS_MS;
	load_curve_take(&f.run); /* nothing new */
	assert_int_equal(v->cnt, 2);
	load_rig_down(&f);
}

/* All who play a run draw the same changes, and each sends its own. */
static void
test_parts(void **state)
{
	static const char *const other[] = { "ternload", "--clients", "4", "--nets", "50",
		"--ratio", "1", "--quiet", "--play", "0:1" };
	struct load_rig f, g;
	uint32_t i;

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	load_rig_up(&g, other, ARRAY_LEN(other));
	for (i = 0; i < 4; i++) { /* those elsewhere aren't up here */
		f.run.client[i].state = f.run.client[i].elsewhere ? CL_IDLE
								  : CL_ESTABLISHED;
		g.run.client[i].state = g.run.client[i].elsewhere ? CL_IDLE
								  : CL_ESTABLISHED;
	}
	load_rng_u64(
	    &f.run.retry_rng); /* what one of them draws for itself doesn't count */
	load_churn(&f.run, 30);
	load_churn(&g.run, 30);
	assert_true(f.steps.changes > 0);
	assert_true(g.steps.changes > 0);
	assert_true(f.steps.changes < 30);
	for (i = 0; i < f.run.model.route_cnt; i++)
		assert_int_equal(f.run.model.route[i].set, g.run.model.route[i].set);
	load_rig_down(&f);
	load_rig_down(&g);
}

/* A prefix is lacked if it goes though nothing that clients announce was the reason. */
static void
test_lacked(void **state)
{
	struct load_rig f;
	struct load_board *b = &f.run.board;
	uint32_t net, c;

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	rig_serve_all(&f);
	for (net = 0; !f.run.nets.net[net].want; net++)
		;
	c = f.run.nets.net[net].want_src == 1 ? 2 : 1;
	load_board_receive(b, c, net, 0, f.run.now);
	assert_int_equal(b->row[c].lacked, 1);
	load_board_receive(b, c, net, 0, f.run.now); /* it was gone */
	assert_int_equal(b->row[c].lacked, 1);
	load_board_receive(b, c, net, f.run.nets.net[net].want, f.run.now);
	load_board_want(b, net, 0, LOAD_NONE, f.run.now);
	load_board_receive(b, c, net, 0, f.run.now);
	assert_int_equal(b->row[c].lacked, 1);
	load_rig_down(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_curve),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_lacked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
