/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deferred freeing: callbacks run in order, and not while a reader is on. */
#include "lib/mt/rcu.h"
#include "lib/mt/atomic.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"
#include <pthread.h>
#include <unistd.h>

struct thing {
	struct rcu_node defer;
	struct counter32 *order;
	unsigned at; /* 0: not yet */
};

static void
thing_freed(struct rcu_node *n)
{
	struct thing *t = container_of(n, struct thing, defer);

	t->at = counter32_add(t->order, 1) + 1;
}

static void
test_order(void **arg)
{
	struct counter32 order = { 0 };
	struct thing t[50] = { 0 };

	(void)arg;
	rcu_join();
	for (unsigned i = 0; i < ARRAY_LEN(t); i++) {
		t[i].order = &order;
		rcu_free_later(&t[i].defer, thing_freed);
	}
	rcu_drain();
	for (unsigned i = 0; i < ARRAY_LEN(t); i++)
		assert_int_equal(t[i].at, i + 1);
	rcu_leave();
}

struct reader {
	struct pub32 joined, let_go;
};

static void *
reader_thread(void *arg)
{
	struct reader *r = arg;
	struct wait w = { 0 };

	rcu_join();
	store_release32(&r->joined, 1); /* pairs: TESTRJ */
	while (!load_acquire32(&r->let_go)) /* pairs: TESTRL */
		lib_wait_turn(&w, "the end");
	rcu_quiesce();
	rcu_sleep();
	rcu_wake();
	rcu_leave();
	return NULL;
}

static void
test_reader_holds(void **arg)
{
	struct counter32 order = { 0 };
	struct thing t = { .order = &order };
	struct reader r = { 0 };
	pthread_t thread;
	struct wait w = { 0 };

	(void)arg;
	assert_int_equal(pthread_create(&thread, NULL, reader_thread, &r), 0);
	while (!load_acquire32(&r.joined)) /* pairs: TESTRJ */
		lib_wait_turn(&w, "the reader");
	rcu_free_later(&t.defer, thing_freed);
	wait_spread(50000);
	assert_int_equal(counter32_get(&order), 0);
	store_release32(&r.let_go, 1); /* pairs: TESTRL */
	rcu_drain();
	assert_int_equal(counter32_get(&order), 1);
	pthread_join(thread, NULL);
}

/* A loan is good in its own section only. Debug builds number the sections. */
static void
test_loan(void **arg)
{
#ifdef TERN_DEBUG
	static void (*const end[])(void) = { rcu_quiesce, rcu_sleep, rcu_drain };
	struct rcu_loan l;

	(void)arg;
	rcu_join();
	for (unsigned i = 0; i < ARRAY_LEN(end); i++) {
		l = rcu_borrow();
		assert_true(rcu_is_lent(&l));
		end[i]();
		assert_false(rcu_is_lent(&l));
		if (end[i] == rcu_sleep)
			rcu_wake();
		assert_false(rcu_is_lent(&l));
	}
	l = rcu_borrow();
	rcu_leave();
	assert_false(rcu_is_lent(&l));
#else
	struct rcu_loan l;

	(void)arg;
	rcu_join();
	l = rcu_borrow();
	assert_int_equal(l.section, 0);
	rcu_leave();
#endif
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_reader_holds),
		cmocka_unit_test(test_loan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
