/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posting and waking from outside. */
#include "sysdep/loop/loop_inbox.c"
#include "sysdep/os/clock.h"
#include "test/lib/scene.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"

#define MSG_CNT 1000

struct post {
	struct msg msg;
	unsigned number;
};

struct box {
	struct worker worker;
	struct post post[MSG_CNT];
	unsigned got, runs;
	struct pub32 run_done; /* copy of runs, for the other thread */
	unsigned turn_msg_cnt, most; /* messages since the last run */
	sem_t gone;
};

static struct box *
box_of(struct worker *w)
{
	return container_of(w, struct box, worker);
}

static void
box_run(struct worker *w)
{
	struct box *b = box_of(w);

	if (b->turn_msg_cnt > b->most)
		b->most = b->turn_msg_cnt;
	b->turn_msg_cnt = 0;
	b->runs++;
	store_release32(&b->run_done, b->runs); /* pairs: TESTBOX */
}

static void
box_gone(struct worker *w)
{
	sem_post(&box_of(w)->gone);
}

static void
box_msg(struct worker *w, struct msg *m)
{
	struct box *b = box_of(w);

	assert_int_equal(container_of(m, struct post, msg)->number, b->got);
	b->got++;
	b->turn_msg_cnt++;
	worker_again(w);
	if (b->got == MSG_CNT)
		worker_stop(w);
}

static const struct worker_ops box_ops = { .run = box_run, .gone = box_gone };

static void
await_runs(struct box *b, unsigned cnt)
{
	struct wait w = { 0 };

	while (load_acquire32(&b->run_done) < cnt) /* pairs: TESTBOX */
		lib_wait_turn(&w, "runs");
	assert_int_equal(load_relaxed32(&b->run_done), cnt);
}

static void
await_sleep(struct box *b)
{
	struct wait w = { 0 };

	while (load_relaxed32(&b->worker.loop->word) == LOOP_AWAKE)
		lib_wait_turn(&w, "the loop to sleep");
}

static void
test_wake(void **arg)
{
	static struct box b;

	(void)arg;
	sem_init(&b.gone, 0, 0);
	worker_start(&b.worker, &box_ops, WORKER_TABLE, "box");
	await_sleep(&b);
	assert_int_equal(load_relaxed32(&b.run_done), 0);
	assert_true(worker_wake(&b.worker));
	await_runs(&b, 1);
	await_sleep(&b);
	/* A sleeper that is woken runs, also when there is nothing to be found. */
	fence_seq_cst();
	assert_true(worker_wake_sleeper(&b.worker));
	await_runs(&b, 2);
	await_sleep(&b);
	/* An idle loop stays asleep. */
	{
		uint64_t before = counter64_get(&b.worker.loop->stats.round_cnt);

		wait_spread(50000);
		assert_int_equal(counter64_get(&b.worker.loop->stats.round_cnt), before);
	}
	/* Messages: in order, a bounded number before each run. The last one ends it. */
	rcu_wake();
	for (unsigned i = 0; i < MSG_CNT; i++) {
		b.post[i].number = i;
		b.post[i].msg.handle = box_msg;
		worker_post(&b.worker, &b.post[i].msg);
	}
	rcu_sleep();
	sem_wait(&b.gone);
	assert_int_equal(b.got, MSG_CNT);
	assert_true(b.most <= LOOP_MSG_CNT);
	loop_pool_fini();
}

/* A box whose handler asks for no turn: the loop alone must remember the messages behind
 * the first LOOP_MSG_CNT. */
struct quiet_box {
	struct worker worker;
	struct post post[MSG_CNT];
	sem_t all_posted, gone;
	struct pub32 got;
};

static void
quiet_box_msg(struct worker *w, struct msg *m)
{
	struct quiet_box *b = container_of(w, struct quiet_box, worker);
	uint32_t got = load_relaxed32(&b->got);

	(void)m;
	if (got == 0)
		sem_wait(&b->all_posted); /* the other messages become one batch */
	store_release32(&b->got, got + 1); /* pairs: TESTBOX */
	if (got + 1 == MSG_CNT)
		worker_stop(w);
}

static void
quiet_box_gone(struct worker *w)
{
	sem_post(&container_of(w, struct quiet_box, worker)->gone);
}

static const struct worker_ops quiet_box_ops = { .gone = quiet_box_gone };

static void
test_quiet_handler(void **arg)
{
	static struct quiet_box b;
	struct wait w = { 0 };

	(void)arg;
	sem_init(&b.all_posted, 0, 0);
	sem_init(&b.gone, 0, 0);
	worker_start(&b.worker, &quiet_box_ops, WORKER_TABLE, "quiet");
	rcu_wake();
	for (unsigned i = 0; i < MSG_CNT; i++) {
		b.post[i].msg.handle = quiet_box_msg;
		worker_post(&b.worker, &b.post[i].msg);
	}
	rcu_sleep();
	sem_post(&b.all_posted);
	while (load_acquire32(&b.got) < MSG_CNT) /* pairs: TESTBOX */
		lib_wait_turn(&w, "all messages");
	sem_wait(&b.gone);
	loop_pool_fini();
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_wake),
		cmocka_unit_test(test_quiet_handler) };
	int rc;

	/* The main thread plays the part of a loop. */
	rcu_join();
	rcu_sleep();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_leave();
	return rc;
}
