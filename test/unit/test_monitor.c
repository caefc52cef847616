/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Monitors: who is in the list, what comes out of an inbox and in which order, how much
 * waits in it. */
#include "nest/monitor/monitor.h"

#include "lib/mem/mem.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "test/lib/unit.h"

#include <stdlib.h>
#include <errno.h>
#include <pthread.h>

/* An instance that has ended: nobody is woken. */
static struct proto quiet;
static const struct tern_view nothing;

static void
test_monitor_begin(struct tern *t)
{
	*t = (struct tern){ .process.start_ns = 0 };
	store_release32(&quiet.end.published, 1); /* pairs: PENDED */
	store_release_ptr(&t->view, (void *)(uintptr_t)&nothing); /* pairs: TVIEW */
}

static void
test_list(void **state)
{
	struct monitor *m[MONITOR_MAX + 1];
	struct tern t;
	uint32_t nr;

	(void)state;
	test_monitor_begin(&t);
	assert_null(monitor_list_get(&t));
	for (unsigned i = 0; i <= MONITOR_MAX; i++)
		m[i] = monitor_new(&quiet, i % 2 ? "m*" : "*");
	for (unsigned i = 0; i < MONITOR_MAX; i++)
		assert_int_equal(monitor_add(&t, m[i]), 0);
	assert_int_equal(monitor_add(&t, m[MONITOR_MAX]), -ENOSPC);
	assert_int_equal(monitor_list_get(&t)->cnt, MONITOR_MAX);
	nr = monitor_list_get(&t)->nr;
	assert_int_equal(load_relaxed32(&t.monitors.nr), nr);
	monitor_remove(&t, m[0]);
	assert_int_equal(monitor_list_get(&t)->nr, nr + 1);
	assert_ptr_equal(monitor_list_get(&t)->at[0], m[1]);
	assert_true(monitor_wants(m[1], "m1"));
	assert_false(monitor_wants(m[1], "n1"));
	assert_int_equal(monitor_add(&t, m[MONITOR_MAX]), 0);
	assert_true(m[MONITOR_MAX]->since > nr + 1);
	for (unsigned i = 1; i <= MONITOR_MAX; i++)
		monitor_remove(&t, m[i]);
	assert_null(monitor_list_get(&t));
	/* a list that comes after none isn't taken for an older one */
	m[0] = monitor_new(&quiet, "*");
	assert_int_equal(monitor_add(&t, m[0]), 0);
	assert_true(monitor_list_get(&t)->nr > nr + 1);
	monitor_remove(&t, m[0]);
	rcu_drain();
	monitor_lists_fini(&t);
}

static void
test_inbox(void **state)
{
	static const uint8_t octets[1000] = { 7 };
	struct monitor_octets *o = monitor_octets_new(octets, sizeof(octets));
	struct monitor_event *e, *next;
	struct monitor_life *l;
	struct monitor *m;
	unsigned cnt = 0;
	struct tern t;

	(void)state;
	test_monitor_begin(&t);
	m = monitor_new(&quiet, "*");
	m->room = 5000;
	assert_int_equal(monitor_add(&t, m), 0);
	l = monitor_life_new(&t, 0);
	assert_int_equal(l->nr, 1);
	assert_true(monitor_report(m, MON_UP, 1, l, NULL));
	while (monitor_report(m, MON_UPDATE, 0, l, o))
		cnt++;
	assert_true(cnt >= 3 && cnt < 5);
	assert_true(monitor_report(m, MON_LOST, 0, l, NULL)); /* there is always room */
	e = monitor_take(m);
	assert_int_equal(e->kind, MON_UP);
	assert_int_equal(e->reason, 1);
	for (unsigned i = 0; i < cnt; i++) {
		next = monitor_next(e);
		monitor_event_free(e);
		e = next;
		assert_int_equal(e->kind, MON_UPDATE);
		assert_ptr_equal(e->octets, o);
		assert_ptr_equal(e->life, l);
	}
	next = monitor_next(e);
	monitor_event_free(e);
	assert_int_equal(next->kind, MON_LOST);
	assert_null(monitor_next(next));
	monitor_event_free(next);
	assert_null(monitor_take(m));
	assert_int_equal(counter64_get(&m->waiting), 0);
	/* what is left in the inbox goes with the monitor */
	assert_true(monitor_report(m, MON_UPDATE, 0, l, o));
	monitor_octets_put(o);
	monitor_life_put(l);
	monitor_remove(&t, m);
	rcu_drain();
	monitor_lists_fini(&t);
}

/* Each list has a number of its own, and the number that is told is that of the last
 * list, also where nobody is left between two of them and where numbers wrap. */
static void
test_numbers(void **state)
{
	struct monitor *m;
	struct tern t;

	(void)state;
	test_monitor_begin(&t);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t before = load_relaxed32(&t.monitors.nr), since;

		m = monitor_new(&quiet, "*");
		assert_int_equal(monitor_add(&t, m), 0);
		since = m->since;
		assert_true(!before || monitor_nr_after(since, before));
		assert_int_equal(load_relaxed32(&t.monitors.nr), since);
		monitor_ask_out(&t, m);
		assert_true(monitor_nr_after(load_relaxed32(&m->out_since), since));
		monitor_remove(&t, m);
		assert_true(monitor_nr_after(load_relaxed32(&t.monitors.nr), since + 1));
		if (i == 1) /* just below the wrap */
			((struct monitor_list *)load_relaxed_ptr(&t.monitors.list))
			    ->nr = UINT32_MAX - 1;
		if (i == 1)
			store_relaxed32(&t.monitors.nr, UINT32_MAX - 1);
	}
	assert_true(load_relaxed32(&t.monitors.nr) < 4);
	rcu_drain();
	monitor_lists_fini(&t);
}

#define RACERS 4
#define ROUNDS 300

static struct tern raced;
static struct counter32 used[RACERS * ROUNDS * 3 + 4]; /* numbers of lists */

static void *
test_monitor_race(void *arg)
{
	(void)arg;
	rcu_join();
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct monitor *m = monitor_new(&quiet, "*");

		assert_int_equal(monitor_add(&raced, m), 0);
		counter32_add(&used[m->since], 1);
		monitor_ask_out(&raced, m);
		counter32_add(&used[load_relaxed32(&m->out_since)], 1);
		monitor_remove(&raced, m);
		rcu_quiesce();
	}
	rcu_leave();
	return NULL;
}

/* Monitors come and go in several threads: no number is given twice, none is left out,
 * and the last one is told. */
static void
test_race(void **state)
{
	pthread_t th[RACERS];
	uint32_t last = RACERS * ROUNDS * 3;

	(void)state;
	test_monitor_begin(&raced);
	for (unsigned i = 0; i < RACERS; i++)
		assert_int_equal(
		    pthread_create(&th[i], NULL, test_monitor_race, NULL), 0);
	rcu_sleep();
	for (unsigned i = 0; i < RACERS; i++)
		pthread_join(th[i], NULL);
	rcu_wake();
	for (uint32_t nr = 1; nr <= last; nr++)
		assert_true(counter32_get(&used[nr]) <= 1);
	assert_null(monitor_list_get(&raced));
	assert_int_equal(load_relaxed32(&raced.monitors.nr), last);
	rcu_drain();
	monitor_lists_fini(&raced);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_inbox),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_race),
	};
	int rc;

	unsetenv("TERN_WRAP"); /* test_race counts lists by their numbers */
	rcu_join();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_leave();
	return rc;
}
