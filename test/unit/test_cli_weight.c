/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weights of the control socket's clients, with a clock and a priority of our own. */
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

static bool nice_now[64];
static uint64_t look_at;

#define worker_nice(w, is_nice) ((void)(nice_now[(w)->run_cnt] = (is_nice)))
#define timer_set(t, at)        ((void)(look_at = (at)))
#define timer_init(t, w, fire)  ((void)(t), (void)(fire))
#define timer_cancel(t)         ((void)(t))
#include "nest/cli/cli_weight.c"
#include "test/lib/unit.h"

#define CLIENTS 50
#define US      1000ull

struct client {
	struct worker worker; /* run_cnt: its place in nice_now */
	struct cli_weight weight;
};

static struct client *
test_cli_weight_come(struct client *c, struct cli_weights *all, unsigned nr, uint64_t now)
{
	c->worker.run_cnt = nr;
	nice_now[nr] = false;
	cli_weight_init(&c->weight, all, &c->worker, now);
	cli_weight_start(&c->weight);
	return c;
}

static void
test_cli_weight_turn(struct client *c, uint64_t now, uint64_t cpu)
{
	cli_weight_turn(&c->weight, now, 0, false);
	cli_weight_turn(&c->weight, now, cpu, false);
}

static void
test_cli_weight_go(struct client *c, uint64_t now)
{
	cli_weight_end(&c->weight);
	cli_weight_left(&c->weight, now);
}

/* One that asks for whole tables gives way after 10 ms, and comes back. */
static void
test_alone(void **state)
{
	struct cli_weights all = { 0 };
	struct client c = { 0 };
	uint64_t now = NS_PER_S, began = now;

	(void)state;
	test_cli_weight_come(&c, &all, 0, now);
	while (!nice_now[0]) {
		now += NS_PER_MS;
		test_cli_weight_turn(&c, now, NS_PER_MS);
	}
	assert_in_range(now - began, 10 * NS_PER_MS, 16 * NS_PER_MS);
	assert_int_equal(counter32_get(&all.owing), 1);
	for (began = now; nice_now[0]; now = look_at) {
		assert_true(look_at > now);
		cli_weight_turn(&c.weight, look_at, 0, false);
	}
	assert_in_range(now - began, 150 * NS_PER_MS, 700 * NS_PER_MS);
	assert_int_equal(counter32_get(&all.owing), 0);
	test_cli_weight_go(&c, now);
}

/* Short questions are free, whatever others do; octets that are no command aren't. */
static void
test_short(void **state)
{
	static struct client c[CLIENTS];
	struct cli_weights all = { 0 };
	uint64_t now = NS_PER_S;

	(void)state;
	for (unsigned i = 0; i < CLIENTS; i++)
		test_cli_weight_come(&c[i], &all, i, now);
	for (unsigned k = 0; k < 1000; k++) {
		now += NS_PER_MS;
		for (unsigned i = 1; i < CLIENTS; i++)
			test_cli_weight_turn(&c[i], now, NS_PER_MS);
		test_cli_weight_turn(&c[0], now, 150 * US);
		assert_false(nice_now[0]);
	}
	for (unsigned i = 1; i < CLIENTS; i++)
		assert_true(nice_now[i]);
	assert_int_equal(counter32_get(&all.owing), CLIENTS - 1);
	for (unsigned k = 0; k < 1000 && !nice_now[0]; k++)
		cli_weight_turn(&c[0].weight, now, 10 * US, true);
	assert_true(nice_now[0]);
	for (unsigned i = 0; i < CLIENTS; i++)
		test_cli_weight_go(&c[i], now);
	assert_int_equal(counter32_get(&all.owing), 0);
}

/* Fifty have at full weight about what one has: those that ask for half a millisecond,
 * again and again, and those that come anew each time. */
static uint64_t
full_weight(bool anew)
{
	static struct client c[CLIENTS];
	struct cli_weights all = { 0 };
	uint64_t now = NS_PER_S, sum = 0;

	for (unsigned i = 0; i < CLIENTS; i++)
		test_cli_weight_come(&c[i], &all, i, now);
	for (unsigned k = 0; k < 2000; k++) {
		unsigned i = k % CLIENTS;

		now += 500 * US; /* one processor is busy with them alone */
		for (unsigned step = 0; step < (anew ? 4 : 1); step++) {
			if (!nice_now[i])
				sum += 500 * US;
			test_cli_weight_turn(&c[i], now, 500 * US);
		}
		if (anew) {
			test_cli_weight_go(&c[i], now);
			test_cli_weight_come(&c[i], &all, i, now);
		}
	}
	for (unsigned i = 0; i < CLIENTS; i++)
		test_cli_weight_go(&c[i], now);
	return sum;
}

static void
test_many(void **state)
{
	uint64_t same = full_weight(false), anew = full_weight(true);

	(void)state;
	/* of 1 s, and of 4 s: before, it was 600 ms and all of it */
	assert_in_range(same, 50 * NS_PER_MS, 250 * NS_PER_MS);
	assert_in_range(anew, 50 * NS_PER_MS, 1500 * NS_PER_MS);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_alone),
	cmocka_unit_test(test_short),
	cmocka_unit_test(test_many),
};

UNIT_MAIN(tests)
