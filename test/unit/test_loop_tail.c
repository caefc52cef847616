/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watched tails: who hasn't seen the end has a turn, nobody else, whoever comes and
 * goes. */
#include "sysdep/loop/loop_tail.c"
#include "test/lib/scene.h"
#include "test/lib/unit.h"

#define CNT 5

struct reader {
	struct tail_watch a, b;
};

static struct pub64 tail_a, tail_b;
static struct tail_news news_a, news_b;
static struct reader reader[CNT];

/* looked - has the worker been given a turn by a look at the tails? It is taken back. */
static bool
test_loop_tail_looked(struct worker *w)
{
	bool again;

	loop_look_at_tails(w->loop);
	again = w->again;
	w->again = false;
	list_del(&w->turn);
	return again;
}

static void
hear_all(struct worker *w)
{
	for (unsigned i = 0; i < CNT; i++) {
		tail_watch_add(&reader[i].a, w, &tail_a, &news_a);
		tail_watch_add(&reader[i].b, w, &tail_b, &news_b);
	}
}

static void
tails_play(struct scene *s)
{
	struct worker *w = &s->worker;
	struct loop *l = w->loop;

	hear_all(w);
	assert_int_equal(l->polls.cnt, 2);
	/* Ignored at first, and again when that is asked for. */
	store_relaxed64(&tail_a, 1);
	assert_false(test_loop_tail_looked(w));
	tail_watch_seen(&reader[3].a, 1);
	assert_false(test_loop_tail_looked(w));
	store_relaxed64(&tail_a, 2);
	assert_true(test_loop_tail_looked(w));
	assert_false(test_loop_tail_looked(w)); /* told once */
	tail_watch_seen(&reader[3].a, TAIL_IGNORED);
	store_relaxed64(&tail_a, 3);
	assert_false(test_loop_tail_looked(w));
	/* What has moved since it was seen is told at once (I1). */
	tail_watch_seen(&reader[3].a, 2);
	assert_true(w->again);
	w->again = false;
	list_del(&w->turn);
	/* One tail says nothing of the other. */
	tail_watch_seen(&reader[3].a, 3);
	store_relaxed64(&tail_b, 7);
	assert_false(test_loop_tail_looked(w));
	/* The last one takes the place of one that goes (I2). */
	tail_watch_seen(&reader[CNT - 1].a, 3);
	tail_watch_del(&reader[0].a);
	tail_watch_del(&reader[0].a);
	tail_watch_seen(&reader[3].a, TAIL_IGNORED);
	store_relaxed64(&tail_a, 4);
	assert_true(test_loop_tail_looked(w));
	tail_watch_seen(&reader[CNT - 1].a, 4);
	for (unsigned i = 1; i < CNT; i++)
		tail_watch_del(&reader[i].a);
	assert_int_equal(l->polls.cnt, 1);
	tail_watch_seen(&reader[1].a, 0); /* not registered: no effect */
	assert_false(w->again);
	tail_watch_seen(&reader[1].b, 7);
	store_relaxed64(&tail_b, 8);
	assert_true(test_loop_tail_looked(w));
	worker_stop(w);
	assert_int_equal(l->polls.cnt, 0);
	assert_null(reader[1].b.worker);
}

static void
test_tails(void **state)
{
	(void)state;
	assert_true(scene_run(tails_play, NULL));
}

/* --- Many tails: the loop reads a few of them, and is told of the others. --- */

#define MANY 100

static struct many {
	struct pub64 tail;
	struct tail_news news;
	struct tail_watch watch;
} many[MANY];

static void
test_loop_tail_move(struct many *m, bool notifies)
{
	store_relaxed64(&m->tail, load_relaxed64(&m->tail) + 1);
	if (notifies)
		assert_false(tail_news_notify(&m->news));
}

static void
watch_many(struct worker *w, struct many *m)
{
	tail_watch_add(&m->watch, w, &m->tail, &m->news);
	tail_watch_seen(&m->watch, load_relaxed64(&m->tail));
}

static void
many_play(struct scene *s)
{
	struct worker *w = &s->worker;
	struct loop *l = w->loop;
	struct many *last = &many[MANY - 1];

	for (unsigned i = 0; i < MANY; i++)
		watch_many(w, &many[i]);
	assert_int_equal(l->polls.cnt, TAIL_POLL_MAX);
	assert_false(test_loop_tail_looked(w));
	for (unsigned i = 0; i < MANY; i++) {
		struct many *m = &many[i];

		/* A tail that the loop isn't told of costs a round nothing: the loop
		 * doesn't see it. */
		test_loop_tail_move(m, false);
		assert_int_equal(test_loop_tail_looked(w), i < TAIL_POLL_MAX);
		test_loop_tail_move(m, true);
		assert_true(test_loop_tail_looked(w));
		assert_true(stack_empty(&l->news));
		tail_watch_seen(&m->watch, load_relaxed64(&m->tail));
		test_loop_tail_move(m, true); /* twice before the look: told once */
		test_loop_tail_move(m, true);
		assert_true(test_loop_tail_looked(w));
		assert_false(test_loop_tail_looked(w));
		tail_watch_seen(&m->watch, load_relaxed64(&m->tail));
	}
	/* What moved before the watch began is found without being told (I4). */
	tail_watch_del(&last->watch);
	assert_true(tail_news_notify(&last->news));
	tail_news_reap(&last->news);
	assert_null(load_relaxed_ptr(&last->news.first));
	test_loop_tail_move(last, true);
	tail_watch_add(&last->watch, w, &last->tail, &last->news);
	tail_watch_seen(&last->watch, load_relaxed64(&last->tail) - 1);
	assert_true(w->again);
	w->again = false;
	list_del(&w->turn);
	tail_watch_seen(&last->watch, load_relaxed64(&last->tail));
	/* A tail that is dropped while it is in the loop's stack, and watched again at
	 * once. */
	test_loop_tail_move(last, true);
	tail_watch_del(&last->watch);
	watch_many(w, last);
	assert_false(test_loop_tail_looked(w));
	store_relaxed64(&last->tail, 77);
	assert_true(tail_news_notify(&last->news));
	assert_true(test_loop_tail_looked(w));
	tail_news_reap(&last->news);
	assert_false(tail_news_notify(&last->news));
	/* What is left in the stack when the loop ends goes with it. */
	worker_stop(w);
	for (unsigned i = 0; i < MANY; i++)
		tail_news_fini(&many[i].news);
	assert_int_equal(l->polls.cnt, 0);
}

static void
test_many(void **state)
{
	(void)state;
	assert_true(scene_run(many_play, NULL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tails),
		cmocka_unit_test(test_many) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
