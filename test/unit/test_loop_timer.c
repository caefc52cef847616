/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timers: order, cancelling, setting anew, times in the past. */
#include "sysdep/loop/loop_timer.c"
#include "sysdep/os/clock.h"
#include "test/lib/scene.h"
#include "test/lib/unit.h"
#include <stdlib.h>

#define CNT 200

struct numbered {
	struct timer timer;
	uint64_t at_ns;
};

struct timers {
	struct numbered t[CNT];
	unsigned fired;
	uint64_t last_ns;
	struct timer self; /* sets itself into the past */
	unsigned self_cnt;
	uint64_t self_round;
};

static void
numbered_fire(struct timer *t)
{
	struct timers *all = scene_of(t->worker)->arg;
	struct numbered *n = container_of(t, struct numbered, timer);

	assert_false(timer_active(t));
	assert_true(n->at_ns >= all->last_ns);
	assert_true(loop_now_ns(t->worker) >= n->at_ns);
	all->last_ns = n->at_ns;
	all->fired++;
}

static void
self_fire(struct timer *t)
{
	struct timers *all = scene_of(t->worker)->arg;

	/* Once a round. */
	assert_true(loop_now_ns(t->worker) > all->self_round);
	all->self_round = loop_now_ns(t->worker);
	/* One of four was cancelled. Those that are left may all be due in one round. */
	if (++all->self_cnt > 3 && all->fired == CNT - CNT / 4)
		worker_stop(t->worker);
	else
		timer_set(t, 0);
}

static void
timers_play(struct scene *s)
{
	struct timers *all = s->arg;
	uint64_t now_ns = loop_now_ns(&s->worker);

	srand(1);
	for (unsigned i = 0; i < CNT; i++) {
		struct numbered *n = &all->t[i];

		timer_init(&n->timer, &s->worker, numbered_fire);
		assert_false(timer_active(&n->timer));
		timer_cancel(&n->timer);
		timer_set(&n->timer, now_ns + (uint64_t)rand() % 1000000);
		n->at_ns = now_ns + NS_PER_MS + (uint64_t)rand() % (20 * NS_PER_MS);
		timer_set(&n->timer, n->at_ns);
		assert_true(timer_active(&n->timer));
		assert_int_equal(timer_at_ns(&n->timer), n->at_ns);
		if (i % 4 == 0)
			timer_cancel(&n->timer);
	}
	timer_init(&all->self, &s->worker, self_fire);
	timer_set(&all->self, 0);
}

static void
test_timers(void **arg)
{
	static struct timers all;

	(void)arg;
	assert_true(scene_run(timers_play, &all));
	assert_int_equal(all.fired, CNT - CNT / 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_timers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
