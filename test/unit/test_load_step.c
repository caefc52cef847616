/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps: their text, percentiles, and when a run counts as quiet. */
#include "test/load/load_step.c"
#include "test/lib/unit.h"
#include <fcntl.h>

static int
parse_silently(struct load_steps *ss, const char *text)
{
	int err, saved = dup(2), null = open("/dev/null", O_WRONLY);

	dup2(null, 2);
	err = load_steps_parse(ss, text);
	dup2(saved, 2);
	close(saved);
	close(null);
	return err;
}

static void
test_parse(void **state)
{
	static const char *const bad[] = { "jump", "flap=", "flap=x",
		"flap=1:", "flap=1:2:3", "drop=-1" };
	struct load_steps ss = { 0 };
	unsigned i;

	(void)state;
	assert_int_equal(
	    load_steps_parse(&ss, "announce,settle=200,flap,drop=5:0.25"), 0);
	assert_int_equal(ss.cnt, 4);
	assert_string_equal(ss.step[1].kind->name, "settle");
	assert_true(ss.step[1].a == 200 && ss.step[1].b < 0);
	assert_true(ss.step[2].a == 100);
	assert_true(ss.step[3].a == 5 && ss.step[3].b == 0.25);
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		ss.cnt = 0;
		assert_int_equal(parse_silently(&ss, bad[i]), -EINVAL);
	}
	ss.cnt = LOAD_STEPS_MAX;
	assert_int_equal(parse_silently(&ss, "announce"), -EINVAL);
}

static void
test_percentile(void **state)
{
	uint64_t v[] = { 5, 1, 4, 2, 3 };

	(void)state;
	load_sort(v, 5);
	assert_int_equal(load_percentile(v, 5, 0), 1);
	assert_int_equal(load_percentile(v, 5, 50), 3);
	assert_int_equal(load_percentile(v, 5, 99), 5);
	assert_int_equal(load_percentile(v, 0, 50), 0);
}

static void
test_quiet(void **state)
{
	struct load_client client[3] = { 0 };
	struct load_board_row row[3] = { 0 };
	struct load_run r = { .clients = 3, .client = client };

	(void)state;
	r.board.row = row;
	r.board.complete_cnt = 3;
	assert_true(load_steps_quiet(&r));
	row[1].wrong = 7;
	r.board.complete_cnt = 2;
	assert_false(load_steps_quiet(&r));
	client[1].stalled = true;
	assert_true(load_steps_quiet(&r));
	row[2].wrong = 1;
	r.board.complete_cnt = 1;
	assert_false(load_steps_quiet(&r));
}

/* Only turns that began after the clock of the step count. */
static void
test_lag(void **state)
{
	struct load_steps ss = { .cnt = 1 };
	uint64_t now = load_now();

	(void)state;
	load_steps_lag(&ss, now - NS_S); /* not started */
	assert_int_equal(ss.step[0].lag_ns, 0);
	ss.step[0].started = true;
	ss.step[0].start_ns = now - NS_S;
	load_steps_lag(&ss, now - 2 * NS_S);
	assert_int_equal(ss.step[0].lag_ns, 0);
	load_steps_lag(&ss, now - NS_S / 2);
	assert_true(ss.step[0].lag_ns >= NS_S / 2);
	ss.cur = 1; /* all are done */
	load_steps_lag(&ss, now - NS_S / 2);
	assert_int_equal(ss.step[1].lag_ns, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_parse),
	cmocka_unit_test(test_percentile),
	cmocka_unit_test(test_quiet),
	cmocka_unit_test(test_lag),
};

UNIT_MAIN(tests)
