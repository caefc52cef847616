/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clients that flood, without sockets: what they send, and that it ends with what the
 * model has. test/net/test_bench.py tests the pair, with daemons. */
#include "test/load/load_step_busy.c"
#include "test/lib/load_rig.h"
#include <unistd.h>

static const char *const argv[] = { "ternload", "--clients", "4", "--nets", "300",
	"--ratio", "2.4", "--plain", "--quiet" };

/* Prefixes and sets of the whole messages that wait to be sent. Returns: the last set. */
static uint32_t
test_load_step_busy_look(
    struct load_rig *f, const struct load_client *c, uint32_t *prefixes, uint32_t *msgs)
{
	static uint8_t buf[MSG_MAX + MSG_SLACK];
	uint64_t hi, lo;
	uint32_t set = 0, key;
	size_t at;
	unsigned len, type;

	*prefixes = *msgs = 0;
	for (at = c->tx_pos; at < c->tx_len; at += len) {
		struct msg_update u;

		assert_int_equal(msg_header(c->tx + at, &len, &type), 0);
		memcpy(buf, c->tx + at, len);
		assert_int_equal(
		    msg_get_update(&u, buf + MSG_HEADER, len - MSG_HEADER), 0);
		if (u.nlri.len)
			set = load_set_of_update(&f->run.sets, &u, true);
		while (u.nlri.len && msg_next_prefix(&u.nlri, FAM_IP4, &hi, &lo, &key))
			++*prefixes;
		++*msgs;
	}
	return set;
}

static void
test_flood(void **state)
{
	struct load_step on = { .kind = &step_flood, .a = 2 },
			 off = { .kind = &step_flood };
	uint32_t c, i, prefixes, msgs, last;
	struct load_client *cl;
	struct load_rig f;

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	for (c = 0; c < 4; c++)
		f.run.client[c].as4 = true;
	rig_serve_all(&f);
	f.run.client[3].stalled = true; /* hence clients 2 and 1 */
	on.kind->start(&f.run, &on);
	assert_true(on.kind->done(&f.run, &on));
	assert_int_equal(f.steps.flood_cnt, 2);
	assert_true(load_steps_quiet(&f.run)); /* the model is as it was */
	load_flood_tick(&f.run);
	cl = &f.run.client[2];
	last = test_load_step_busy_look(&f, cl, &prefixes, &msgs);
	assert_int_equal(prefixes, 2 * cl->route_cnt);
	assert_int_not_equal(last, f.run.model.route[cl->route[cl->route_cnt - 1]].set);
	assert_int_equal(f.run.client[0].tx_len + f.run.client[3].tx_len, 0);
	assert_int_equal(
	    f.steps.changes, 2 * (cl->route_cnt + f.run.client[1].route_cnt));
	i = (uint32_t)cl->tx_len;
	load_flood_tick(&f.run); /* the socket hasn't taken that yet */
	assert_int_equal(cl->tx_len, i);
	cl->tx_pos = cl->tx_len;
	load_flood_tick(&f.run); /* from the beginning */
	assert_int_equal(cl->tx_len - cl->tx_pos, i);
	off.kind->start(&f.run, &off);
	assert_int_equal(f.steps.flood_cnt, 0);
	last = test_load_step_busy_look(&f, cl, &prefixes, &msgs);
	assert_int_equal(prefixes, 3 * cl->route_cnt);
	assert_int_equal(last, f.run.model.route[cl->route[cl->route_cnt - 1]].set);
	load_rig_down(&f);
	load_steps_fini(&f.steps);
}

static void
test_too_few(void **state)
{
	struct load_step on = { .kind = &step_flood, .a = 5 };
	struct load_rig f;
	int err = dup(2);

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	assert_non_null(freopen("/dev/null", "w", stderr));
	on.kind->start(&f.run, &on);
	fflush(stderr);
	dup2(err, 2);
	close(err);
	assert_true(f.run.fatal);
	load_steps_fini(&f.steps);
	load_rig_down(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_too_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
