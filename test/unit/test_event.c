/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events and their ring: numbers, bounds, faces, lost events, subscribers. */
#include "nest/event/event.h"
#include "nest/event/event_ring.h"

#include "lib/json/json.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/core/tern.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/latch.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct tern tern;
static struct worker control, reader;
static struct latch ended, joined;
static void (*in_control)(void);
static struct event_sub *sub;
static uint64_t seen; /* by the reader: the next number */
static struct pub32 looks, ends; /* of the thread beside: its looks; the test ends it */
static unsigned short_looks; /* the looks with fewer events than are kept */

/* ---- the control worker ---- */

static void
control_started(struct worker *w)
{
	if (in_control) {
		in_control();
		worker_stop(w);
	}
}

static void
control_ran(struct worker *w)
{
	(void)w;
	event_ring_run(tern.events);
}

static void
worker_is_gone(struct worker *w)
{
	(void)w;
	latch_open(&ended);
}

static const struct worker_ops control_ops = {
	.start = control_started, .run = control_ran, .gone = worker_is_gone
};

/* in_worker - run @fn in the control worker. */
static void
in_worker(void (*fn)(void))
{
	rcu_join();
	latch_init(&ended);
	in_control = fn;
	tern.control.worker = &control;
	tern.events = event_ring_new(&tern, 77);
	memset(&control, 0, sizeof(control));
	worker_start(&control, &control_ops, WORKER_CONTROL, "control");
	rcu_sleep();
	latch_wait(&ended);
	loop_pool_fini();
	rcu_wake();
	event_ring_free(tern.events);
	tern.events = NULL;
	rcu_leave();
	rcu_drain();
}

/* add_event - an event whose text has @len octets. */
static void
add_event(size_t len)
{
	struct event *e = event_new(&tern, EVENT_RELOAD);

	for (size_t i = 0; i < len; i++)
		strbuf_addc(&e->open.text, 'x');
	assert_true(event_ring_admit(tern.events));
	event_ring_add(tern.events, e);
}

/* ---- tests ---- */

static void
event_ring_numbers(void)
{
	const struct event *e;
	struct event *n = event_new(&tern, EVENT_CONFIGURE_FAILED);

	assert_int_equal(event_ring_next(tern.events), 1);
	assert_null(event_ring_get(tern.events, 1));
	assert_null(event_ring_get(tern.events, 0));
	json_str(&n->open.json, "a", "both");
	event_text(n, "short");
	event_split(n);
	json_str(&n->open.json, "b", "open");
	json_str(&n->shut.json, "c", "shut");
	event_text(n, "%s", "long");
	assert_true(event_ring_admit(tern.events));
	event_ring_add(tern.events, n);
	add_event(1);
	assert_int_equal(event_ring_next(tern.events), 3);
	e = event_ring_get(tern.events, 1);
	assert_non_null(strstr(event_face(e, false, false)->object.s,
	    "\"a\":\"both\",\"b\":\"open\",\"id\":\"77-1\"}"));
	assert_non_null(strstr(event_face(e, true, false)->object.s,
	    "\"a\":\"both\",\"c\":\"shut\",\"id\":\"77-1\"}"));
	assert_string_equal(event_face(e, false, false)->text.s, "long");
	assert_string_equal(event_face(e, true, false)->text.s, "short");
	/* `plans` shows plans, and no error */
	assert_string_equal(event_face(e, true, true)->text.s, "short");
	/* without a split both faces are one */
	e = event_ring_get(tern.events, 2);
	assert_ptr_equal(event_face(e, true, false), event_face(e, false, false));
	assert_null(event_ring_get(tern.events, 3));
}

static void
event_ring_bounds(void)
{
	uint64_t oldest;

	for (unsigned i = 0; i < EVENT_RING_CNT + 10; i++)
		add_event(1);
	assert_int_equal(event_ring_oldest(tern.events), 11);
	assert_null(event_ring_get(tern.events, 10));
	assert_non_null(event_ring_get(tern.events, 11));
	assert_non_null(event_ring_get(tern.events, EVENT_RING_CNT + 10));
	/* large events push out more of the small ones */
	for (unsigned i = 0; i < 120; i++)
		add_event(20000);
	oldest = event_ring_oldest(tern.events);
	assert_true(event_ring_next(tern.events) - oldest < 120);
	assert_null(event_ring_get(tern.events, oldest - 1));
	assert_non_null(event_ring_get(tern.events, oldest));
}

static void
event_ring_losses(void)
{
	for (unsigned i = 0; i < EVENT_WAY_MAX; i++)
		assert_true(event_ring_admit(tern.events));
	assert_false(event_ring_admit(tern.events));
	assert_false(event_ring_admit(tern.events));
	event_ring_add(tern.events, event_new(&tern, EVENT_RELOAD));
	assert_int_equal(event_ring_next(tern.events), 4);
	assert_null(event_ring_get(tern.events, 1));
	assert_null(event_ring_get(tern.events, 2));
	assert_non_null(event_ring_get(tern.events, 3));
	/* the event under way has left room */
	assert_true(event_ring_admit(tern.events));
}

/* ---- events about configurations ---- */

static void
add_configured(void)
{
	assert_true(event_ring_admit(tern.events));
	event_ring_add(tern.events, event_new(&tern, EVENT_CONFIGURED));
}

/* event_confs_cnt - the number of kept events; 0: they are not in order. */
static unsigned
event_confs_cnt(const struct event **e)
{
	unsigned cnt = event_ring_confs(tern.events, e);

	for (unsigned i = 1; i < cnt; i++)
		if (e[i - 1]->nr >= e[i]->nr)
			return 0;
	return cnt;
}

static void *
event_confs_look(void *arg)
{
	const struct event *e[EVENT_CONF_CNT];

	(void)arg;
	rcu_join();
	while (!load_acquire32(&ends)) {
		short_looks += event_confs_cnt(e) != EVENT_CONF_CNT;
		store_release32(&looks, load_relaxed32(&looks) + 1);
		rcu_quiesce();
	}
	rcu_leave();
	return NULL;
}

static void
event_ring_confs_stay(void)
{
	const struct event *e[EVENT_CONF_CNT];
	pthread_t thread;

	for (unsigned i = 1; i <= 25; i++) {
		unsigned want = i < EVENT_CONF_CNT ? i : EVENT_CONF_CNT;

		add_configured();
		assert_int_equal(event_confs_cnt(e), want);
		assert_int_equal(e[want - 1]->nr, i);
	}
	/* a reader beside sees ten, whenever the reader looks */
	assert_int_equal(pthread_create(&thread, NULL, event_confs_look, NULL), 0);
	while (load_acquire32(&looks) < 20000) {
		add_configured();
		rcu_quiesce();
	}
	store_release32(&ends, 1);
	rcu_sleep();
	pthread_join(thread, NULL);
	rcu_wake();
	assert_int_equal(short_looks, 0);
}

static void
test_confs(void **state)
{
	(void)state;
	in_worker(event_ring_confs_stay);
}

static void
test_numbers(void **state)
{
	(void)state;
	in_worker(event_ring_numbers);
}

static void
test_bounds(void **state)
{
	(void)state;
	in_worker(event_ring_bounds);
}

static void
test_losses(void **state)
{
	(void)state;
	in_worker(event_ring_losses);
}

static void
test_words(void **state)
{
	(void)state;
	assert_string_equal(event_word(EVENT_SESSION_DOWN), "session_down");
	assert_null(event_new(&tern, EVENT_LIMIT)); /* no ring */
}

/* ---- a subscriber ---- */

static void
reader_started(struct worker *w)
{
	sub = event_sub_new(tern.events, w);
}

static void
event_control_end(struct worker *w, TAKE struct msg *m)
{
	mem_free(MEM_OTHER, m);
	worker_stop(w);
}

static void
reader_ran(struct worker *w)
{
	struct msg *m;

	seen = event_ring_next(tern.events);
	if (seen == 1)
		latch_open(&joined); /* the wake-up of the subscription itself */
	if (seen < 3 || !sub)
		return;
	event_sub_leave(sub);
	sub = NULL;
	m = mem_zalloc(MEM_OTHER, sizeof(*m));
	m->handle = event_control_end;
	worker_post(&control, m);
	worker_stop(w);
}

static const struct worker_ops reader_ops = {
	.start = reader_started, .run = reader_ran, .gone = worker_is_gone
};

static void
test_subscriber(void **state)
{
	struct event *e;

	(void)state;
	rcu_join();
	latch_init(&ended);
	latch_init(&joined);
	in_control = NULL;
	tern.control.worker = &control;
	tern.events = event_ring_new(&tern, 77);
	memset(&control, 0, sizeof(control));
	worker_start(&control, &control_ops, WORKER_CONTROL, "control");
	worker_start(&reader, &reader_ops, WORKER_CONTROL, "reader");
	rcu_sleep();
	latch_wait(&joined);
	rcu_wake();
	for (unsigned i = 0; i < 2; i++) {
		e = event_new(&tern, EVENT_STARTED);
		event_text(e, "text");
		event_post(e);
	}
	rcu_sleep();
	latch_wait(&ended);
	latch_wait(&ended);
	loop_pool_fini();
	rcu_wake();
	assert_int_equal(seen, 3);
	event_ring_free(tern.events);
	tern.events = NULL;
	rcu_leave();
	rcu_drain();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_confs),
		cmocka_unit_test(test_subscriber),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
