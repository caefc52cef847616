/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leases, one case after the other: a lender's callback wakes a sleeper, whose turn runs
 * in the lender's thread or whose own thread is woken. What threads do to each other at
 * any time: stress_loop, prop_lease. */
#include "sysdep/loop/loop_lease.c"
#include "test/lib/scene.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"

#define WAIT_NS (10 * NS_PER_S)

enum mode {
	PLAIN,
	LEAVES,
	SETS_TIMER,
	SETS_INTEREST,
	GETS_MESSAGE,
	GETS_EVENT,
	LENDS_ON,
	HEARS_MORE
};

struct sleeper {
	struct worker worker;
	struct timer timer;
	struct watch watch;
	struct watch blind; /* without interest, though its pipe has an octet */
	int fd[2], blind_fd[2];
	enum mode mode;
	pthread_t lent_by;
	uint64_t lent_now_ns;
	bool ended; /* what worker_lease_ends said */
	struct pub32 lent, runs, fired, handled, read, seen; /* how often */
	struct pub32 gone;
};

static struct sleeper one, other;
static struct msg message;

static struct sleeper *
sleeper_of(struct worker *w)
{
	return container_of(w, struct sleeper, worker);
}

/* count - in the sleeper's own thread. */
static void
test_loop_lease_count(struct pub32 *p)
{
	store_release32(p, load_relaxed32(p) + 1); /* pairs: TESTLEASE */
}

static void
test_loop_lease_await(const struct pub32 *p, uint32_t cnt)
{
	struct wait w = { 0 };

	while (load_acquire32(p) < cnt) /* pairs: TESTLEASE */
		lib_wait_turn(&w, "turns");
	assert_int_equal(load_relaxed32(p), cnt);
}

static void
await_word(const struct sleeper *s, uint32_t word)
{
	struct wait w = { 0 };

	while (load_acquire32(&s->worker.loop->word) != word)
		lib_wait_turn(&w, "the state of a worker");
	assert_int_equal(load_relaxed32(&s->worker.loop->word), word);
}

static void
test_loop_lease_handle(struct worker *w, struct msg *m)
{
	assert_ptr_equal(m, &message);
	assert_false(worker_is_lent(w));
	test_loop_lease_count(&sleeper_of(w)->handled);
}

static void
test_loop_lease_fire(struct timer *t)
{
	assert_false(worker_is_lent(t->worker));
	test_loop_lease_count(&sleeper_of(t->worker)->fired);
}

static void
test_loop_lease_readable(struct watch *wa, uint32_t events)
{
	char c;

	assert_int_equal(events, WATCH_READ);
	assert_false(worker_is_lent(wa->worker));
	assert_int_equal(read(wa->fd.os_nr, &c, 1), 1);
	test_loop_lease_count(&sleeper_of(wa->worker)->read);
}

static void
test_loop_lease_seen(struct watch *wa, uint32_t events)
{
	assert_int_equal(events, WATCH_READ);
	assert_false(worker_is_lent(wa->worker));
	watch_set(wa, 0);
	test_loop_lease_count(&sleeper_of(wa->worker)->seen);
}

static void
test_loop_lease_start(struct worker *w)
{
	struct sleeper *s = sleeper_of(w);

	assert_int_equal(pipe(s->fd), 0);
	timer_init(&s->timer, w, test_loop_lease_fire);
	watch_add(&s->watch, w, os_fd_of(s->fd[0]), WATCH_READ, test_loop_lease_readable);
	assert_int_equal(pipe(s->blind_fd), 0);
	assert_int_equal(write(s->blind_fd[1], "x", 1), 1);
	watch_add(&s->blind, w, os_fd_of(s->blind_fd[0]), 0, test_loop_lease_seen);
}

static void
test_loop_lease_run(struct worker *w)
{
	assert_false(worker_is_lent(w));
	test_loop_lease_count(&sleeper_of(w)->runs);
}

static bool
test_loop_lease_lent(struct worker *w)
{
	struct sleeper *s = sleeper_of(w);

	assert_true(worker_is_lent(w));
	test_loop_lease_count(&s->lent);
	s->lent_by = pthread_self();
	s->lent_now_ns = loop_now_ns(w);
	assert_false(worker_lease_ends(w));
	switch (s->mode) {
	case PLAIN:
		break;
	case LEAVES:
		return true;
	case SETS_TIMER:
		timer_set(&s->timer, loop_now_ns(w) + NS_PER_MS);
		break;
	case SETS_INTEREST:
		watch_set(&s->blind, WATCH_READ);
		break;
	case GETS_MESSAGE:
		message.handle = test_loop_lease_handle;
		worker_post(w, &message);
		s->ended = worker_lease_ends(w);
		break;
	case GETS_EVENT: /* its own thread waits */
		assert_int_equal(write(s->fd[1], "x", 1), 1);
		await_word(s, LOOP_WANTED);
		s->ended = worker_lease_ends(w);
		assert_int_equal(load_relaxed32(&s->read), 0);
		break;
	case LENDS_ON:
		assert_true(worker_wake_sleeper(&other.worker));
		break;
	case HEARS_MORE:
		s->mode = PLAIN;
		assert_false(worker_wake_sleeper(w));
		break;
	}
	return false;
}

static void
test_loop_lease_gone(struct worker *w)
{
	store_release32(&sleeper_of(w)->gone, 1); /* pairs: TESTLEASE */
}

static void
test_loop_lease_end(struct worker *w, struct msg *m)
{
	(void)m;
	worker_stop(w);
	close(sleeper_of(w)->fd[0]);
	close(sleeper_of(w)->fd[1]);
	close(sleeper_of(w)->blind_fd[0]);
	close(sleeper_of(w)->blind_fd[1]);
}

static const struct worker_ops ops = { .start = test_loop_lease_start,
	.run = test_loop_lease_run,
	.lent = test_loop_lease_lent,
	.gone = test_loop_lease_gone };

static void
test_loop_lease_launch(struct sleeper *s)
{
	memset(s, 0, sizeof(*s));
	worker_start(&s->worker, &ops, WORKER_SESSION, "sleeper");
}

/* lend_once - from a lender's callback. Returns: whether the sleeper's own thread was
 * woken. */
static bool
lend_once(struct sleeper *s, enum mode mode)
{
	await_word(s, LOOP_PARKED);
	s->mode = mode;
	this_loop->lend.cnt = 1; /* of a round without an end, however slow we are */
	this_loop->lend.end_ns = UINT64_MAX;
	return worker_wake_sleeper(&s->worker);
}

static void
test_loop_lease_cases(struct worker *w)
{
	uint64_t rounds;
	uint32_t cnt;

	await_word(&one, LOOP_PARKED);
	rounds = counter64_get(&one.worker.loop->stats.round_cnt);
	assert_false(lend_once(&one, PLAIN));
	assert_int_equal(load_relaxed32(&one.lent), 1);
	assert_true(pthread_equal(one.lent_by, pthread_self()));
	assert_int_equal(one.lent_now_ns, loop_now_ns(w));
	assert_false(lend_once(&one, HEARS_MORE));
	assert_int_equal(load_relaxed32(&one.lent), 3);
	assert_int_equal(counter64_get(&one.worker.loop->stats.round_cnt), rounds);
	assert_int_equal(load_relaxed32(&one.runs), 0);

	assert_true(lend_once(&one, LEAVES));
	test_loop_lease_await(&one.runs, 1);
	assert_true(lend_once(&one, SETS_TIMER)); /* its thread sleeps for longer */
	test_loop_lease_await(&one.fired, 1);
	assert_true(lend_once(&one, SETS_INTEREST)); /* its thread waits for less */
	test_loop_lease_await(&one.seen, 1);
	assert_true(lend_once(&one, GETS_MESSAGE));
	assert_true(one.ended);
	test_loop_lease_await(&one.handled, 1);
	one.ended = false;
	assert_true(lend_once(&one, GETS_EVENT));
	assert_true(one.ended);
	test_loop_lease_await(&one.read, 1);
	/* A lease isn't taken within a lease. */
	await_word(&other, LOOP_PARKED);
	assert_false(lend_once(&one, LENDS_ON));
	test_loop_lease_await(&other.runs, 1);
	assert_int_equal(load_relaxed32(&other.lent), 0);
	/* Nor by who doesn't want to, nor without end. */
	await_word(&other, LOOP_PARKED);
	worker_lends_nobody(w);
	assert_true(worker_wake_sleeper(&other.worker));
	test_loop_lease_await(&other.runs, 2);
	assert_false(lend_once(&other, PLAIN));
	for (cnt = 2; cnt <= LEND_MAX && !worker_wake_sleeper(&other.worker); cnt++)
		;
	assert_int_equal(cnt, LEND_MAX);
	assert_int_equal(load_relaxed32(&other.lent), LEND_MAX - 1);
	test_loop_lease_await(&other.runs, 3);
	/* Nor for long. */
	await_word(&other, LOOP_PARKED);
	this_loop->lend.cnt = 1;
	this_loop->lend.end_ns = clock_now_ns();
	assert_true(worker_wake_sleeper(&other.worker));
	test_loop_lease_await(&other.runs, 4);
}

static void
test_loop_lease_play(struct scene *s)
{
	static struct msg last[2];

	test_loop_lease_cases(&s->worker);
	last[0].handle = last[1].handle = test_loop_lease_end;
	worker_post(&one.worker, &last[0]);
	worker_post(&other.worker, &last[1]);
	worker_stop(&s->worker);
}

static void
test_leases(void **state)
{
	(void)state;
	test_loop_lease_launch(&one);
	test_loop_lease_launch(&other);
	assert_true(scene_run(test_loop_lease_play, NULL));
	test_loop_lease_await(&one.gone, 1);
	test_loop_lease_await(&other.gone, 1);
}

/* As if somebody who calls the worker had said so, and had not pushed it yet. */
static void
end_called(struct worker *w, struct msg *m)
{
	xchg_acq_rel32(&w->queued, 1);
	test_loop_lease_end(w, m);
}

/* A worker that has stopped and isn't released yet: its loop sleeps, and has nothing to
 * lend. */
static void
test_stopped(void **state)
{
	static struct msg last = { .handle = end_called };
	struct loop *l;

	(void)state;
	test_loop_lease_launch(&one);
	await_word(&one, LOOP_PARKED);
	l = one.worker.loop;
	worker_post(&one.worker, &last);
	await_word(&one, LOOP_ASLEEP);
	assert_int_equal(load_relaxed32(&one.gone), 0);
	stack_push(&l->queue, &one.worker.queue_node);
	fence_seq_cst();
	loop_kick(l);
	test_loop_lease_await(&one.gone, 1);
	loop_pool_fini();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leases),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
