/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds and descriptors of a loop, and how a worker ends. */
#include "sysdep/loop/loop.c"
#include "test/lib/scene.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"

/* --- Descriptors: both are ready in one round; the first called takes the other out. ---
 */

struct duel {
	struct watch a, b;
	int fd[2][2];
	unsigned call_cnt;
};

static void
duel_ready(struct watch *wa, uint32_t events)
{
	struct duel *d = scene_of(wa->worker)->arg;

	assert_int_equal(events, WATCH_READ);
	d->call_cnt++;
	if (d->call_cnt == 1) {
		watch_del(wa == &d->a ? &d->b : &d->a);
		worker_again(
		    wa->worker); /* one more round, in which nothing comes of the other */
		return;
	}
	assert_true(os_fd_is_open(d->a.fd) != os_fd_is_open(d->b.fd));
	watch_del(wa);
	watch_del(wa);
	worker_stop(wa->worker);
}

static void
duel_play(struct scene *s)
{
	struct duel *d = s->arg;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe(d->fd[i]), 0);
		assert_int_equal(write(d->fd[i][1], "x", 1), 1);
	}
	watch_add(&d->a, &s->worker, os_fd_of(d->fd[0][0]), WATCH_READ, duel_ready);
	watch_add(&d->b, &s->worker, os_fd_of(d->fd[1][0]), WATCH_READ, duel_ready);
}

static void
test_delete_in_round(void **arg)
{
	struct duel d = { 0 };

	(void)arg;
	watch_del(&d.a); /* never added */
	assert_true(scene_run(duel_play, &d));
	assert_int_equal(d.call_cnt, 2);
	for (int i = 0; i < 4; i++)
		close(d.fd[i / 2][i % 2]);
}

/* --- A timer takes out a descriptor whose event the same round has brought. --- */

struct late {
	struct watch first, taken;
	struct timer timer, end;
	int fd[2][2];
	bool fired, called;
};

static void
late_called(struct watch *wa, uint32_t events)
{
	struct late *d = scene_of(wa->worker)->arg;

	(void)events;
	d->called = true;
}

static void
late_fires(struct timer *t)
{
	struct late *d = scene_of(t->worker)->arg;

	d->fired = true;
	watch_del(&d->taken);
	/* As a freed object's memory would: whoever looks at it is seen. */
	d->taken.ready = late_called;
	d->taken.events = WATCH_READ;
	timer_set(&d->end, loop_now_ns(t->worker) + 1000000);
}

static void
late_end(struct timer *t)
{
	worker_stop(t->worker);
}

/* A round that had an event of its own comes before. */
static void
late_first(struct watch *wa, uint32_t events)
{
	struct late *d = scene_of(wa->worker)->arg;

	(void)events;
	watch_del(wa);
	watch_add(&d->taken, wa->worker, os_fd_of(d->fd[1][0]), WATCH_READ, late_called);
	timer_set(&d->timer, 0);
}

static void
late_play(struct scene *s)
{
	struct late *d = s->arg;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe(d->fd[i]), 0);
		assert_int_equal(write(d->fd[i][1], "x", 1), 1);
	}
	timer_init(&d->timer, &s->worker, late_fires);
	timer_init(&d->end, &s->worker, late_end);
	watch_add(&d->first, &s->worker, os_fd_of(d->fd[0][0]), WATCH_READ, late_first);
}

static void
test_delete_by_timer(void **arg)
{
	struct late d = { 0 };

	(void)arg;
	assert_true(scene_run(late_play, &d));
	assert_true(d.fired);
	assert_false(d.called);
	for (int i = 0; i < 4; i++)
		close(d.fd[i / 2][i % 2]);
}

/* --- Interests are changed; a hang-up without interest is told once. --- */

struct change {
	struct watch watch;
	struct timer timer;
	int fd[2];
	unsigned step, error_cnt;
	uint64_t round_cnt;
};

static void
change_ready(struct watch *wa, uint32_t events)
{
	struct change *c = scene_of(wa->worker)->arg;

	switch (c->step++) {
	case 0:
		assert_int_equal(events, WATCH_WRITE);
		watch_set(wa, WATCH_READ);
		assert_int_equal(write(c->fd[1], "x", 1), 1);
		break;
	case 1:
		assert_int_equal(events, WATCH_READ);
		watch_set(wa, 0);
		close(c->fd[1]);
		break;
	default:
		assert_int_equal(events, WATCH_ERROR);
		c->error_cnt++;
		c->round_cnt = counter64_get(&wa->worker->loop->stats.round_cnt);
		timer_set(&c->timer, loop_now_ns(wa->worker) + 20 * NS_PER_MS);
	}
}

static void
change_fire(struct timer *t)
{
	struct change *c = scene_of(t->worker)->arg;

	/* It was told, once, and the loop slept since. */
	assert_int_equal(c->error_cnt, 1);
	assert_true(counter64_get(&t->worker->loop->stats.round_cnt) < c->round_cnt + 10);
	watch_del(&c->watch);
	close(c->fd[0]);
	worker_stop(t->worker);
}

static void
change_play(struct scene *s)
{
	struct change *c = s->arg;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, c->fd), 0);
	timer_init(&c->timer, &s->worker, change_fire);
	watch_add(&c->watch, &s->worker, os_fd_of(c->fd[0]), WATCH_WRITE, change_ready);
}

static void
test_interests(void **arg)
{
	struct change c = { 0 };

	(void)arg;
	assert_true(scene_run(change_play, &c));
	assert_int_equal(c.step, 3);
}

/* --- The end: no callback but stop and gone; messages that are left are given back. ---
 */

struct ending {
	struct worker worker;
	struct msg msg[3];
	struct timer timer;
	struct watch watch;
	int fd[2];
	unsigned handled, lost, runs, fired;
	unsigned order; /* how often ops were called at the time of ... */
	unsigned stop_at, gone_at;
	sem_t gone;
};

static struct ending *
ending_of(struct worker *w)
{
	return container_of(w, struct ending, worker);
}

static void
ending_msg(struct worker *w, struct msg *m)
{
	struct ending *e = ending_of(w);

	assert_ptr_equal(m, &e->msg[e->handled]);
	e->handled++;
	timer_set(&e->timer, loop_now_ns(w));
	worker_again(w);
	worker_stop(w);
	worker_stop(w);
	timer_set(&e->timer, loop_now_ns(w)); /* no effect any more */
	worker_wake(w);
}

static void
ending_fire(struct timer *t)
{
	ending_of(t->worker)->fired++;
}

static void
ending_ready(struct watch *wa, uint32_t events)
{
	(void)events;
	ending_of(wa->worker)->fired++;
}

static void
ending_start(struct worker *w)
{
	struct ending *e = ending_of(w);

	assert_int_equal(pipe(e->fd), 0);
	assert_int_equal(write(e->fd[1], "x", 1), 1);
	timer_init(&e->timer, w, ending_fire);
	watch_add(&e->watch, w, os_fd_of(e->fd[0]), WATCH_READ, ending_ready);
	for (int i = 0; i < 3; i++) {
		e->msg[i].handle = ending_msg;
		worker_post(w, &e->msg[i]);
	}
}

static void
ending_run(struct worker *w)
{
	ending_of(w)->runs++;
}

static void
ending_stop(struct worker *w)
{
	struct ending *e = ending_of(w);

	assert_false(timer_active(&e->timer));
	assert_false(os_fd_is_open(e->watch.fd));
	e->stop_at = ++e->order;
	close(e->fd[0]);
	close(e->fd[1]);
}

static void
ending_lost(struct worker *w, struct msg *m)
{
	struct ending *e = ending_of(w);

	assert_ptr_equal(m, &e->msg[e->handled + e->lost]);
	assert_int_equal(e->stop_at, 1);
	e->lost++;
}

static void
ending_gone(struct worker *w)
{
	struct ending *e = ending_of(w);

	e->gone_at = ++e->order;
	sem_post(&e->gone);
}

static void
test_end(void **arg)
{
	static const struct worker_ops ops = { .start = ending_start,
		.run = ending_run,
		.stop = ending_stop,
		.lost = ending_lost,
		.gone = ending_gone };
	struct ending e = { 0 };

	(void)arg;
	sem_init(&e.gone, 0, 0);
	worker_start(&e.worker, &ops, WORKER_SESSION, "ending");
	sem_wait(&e.gone);
	loop_pool_fini();
	assert_int_equal(e.handled, 1);
	assert_int_equal(e.lost, 2);
	assert_int_equal(e.runs, 0);
	assert_int_equal(e.fired, 0);
	assert_int_equal(e.stop_at, 1);
	assert_int_equal(e.gone_at, 2);
}

/* --- A worker that always wants another turn keeps nobody else from working. --- */

static void
hog_run(struct worker *w)
{
	worker_again(w);
}

static void
fair_fire(struct timer *t)
{
	struct worker *hog = scene_of(t->worker)->arg;

	/* It may be the machine that lets nobody run for as long. */
	if (hog->run_cnt <= 100) {
		timer_set(t, loop_now_ns(t->worker) + NS_PER_MS);
		return;
	}
	worker_stop(hog);
	worker_stop(t->worker);
}

static void
fair_play(struct scene *s)
{
	static struct timer timer;

	timer_init(&timer, &s->worker, fair_fire);
	timer_set(&timer, loop_now_ns(&s->worker) + 20 * NS_PER_MS);
	worker_wake(s->arg);
}

static void
test_fair(void **arg)
{
	static const struct worker_ops ops = { .run = hog_run };
	struct worker hog;

	(void)arg;
	loop_pool_limit(1);
	worker_start(&hog, &ops, WORKER_TABLE, "hog");
	assert_true(scene_run(fair_play, &hog));
	loop_pool_limit(0);
}

/* --- A hundred sessions that have much to do, and descriptors that all have something to
 * read: the table of the same loop doesn't wait for all of them. --- */

#define CROWD      100
#define CROWD_TAKE (200 * NS_PER_US) /* what each turn, each callback takes */

struct member {
	struct worker worker;
	struct watch watch;
	unsigned turns, reads;
};

static struct crowd {
	struct worker table;
	struct member member[CROWD];
	int fd[2]; /* always readable */
	unsigned since, most,
	    table_turns; /* turns and reads of members between two of the table */
	struct counter32 gone;
} crowd;

static void
test_loop_spend(void)
{
	wait_spread(CROWD_TAKE / 1000);
	crowd.since++;
}

static void
member_reads(struct watch *wa, uint32_t events)
{
	assert_int_equal(events, WATCH_READ);
	container_of(wa, struct member, watch)->reads++;
	test_loop_spend();
}

static void
test_loop_member_start(struct worker *w)
{
	struct member *m = container_of(w, struct member, worker);
	int fd = dup(crowd.fd[0]);

	assert_true(fd >= 0);
	watch_add(&m->watch, w, os_fd_of(fd), WATCH_READ, member_reads);
	worker_again(w);
}

static void
test_loop_member_run(struct worker *w)
{
	container_of(w, struct member, worker)->turns++;
	test_loop_spend();
	worker_again(w);
}

static void
crowd_gone(struct worker *w)
{
	(void)w;
	counter32_add(&crowd.gone, 1);
}

static void
member_ends(struct worker *w, struct msg *m)
{
	mem_free(MEM_OTHER, m);
	worker_stop(w);
}

static bool
all_served(void)
{
	for (unsigned i = 0; i < CROWD; i++)
		if (crowd.member[i].turns < 3 || crowd.member[i].reads < 3)
			return false;
	return true;
}

static void
crowd_table_run(struct worker *w)
{
	if (crowd.table_turns++ && crowd.since > crowd.most)
		crowd.most = crowd.since;
	crowd.since = 0;
	if (!all_served()) {
		worker_again(w);
		return;
	}
	for (unsigned i = 0; i < CROWD; i++) {
		struct msg *m = mem_zalloc(MEM_OTHER, sizeof(*m));

		m->handle = member_ends;
		worker_post(&crowd.member[i].worker, m);
	}
	worker_stop(w);
}

static void
test_crowd(void **arg)
{
	static const struct worker_ops member_ops = { .start = test_loop_member_start,
		.run = test_loop_member_run,
		.gone = crowd_gone };
	static const struct worker_ops table_ops = { .run = crowd_table_run,
		.gone = crowd_gone };

	(void)arg;
	assert_int_equal(pipe(crowd.fd), 0);
	assert_int_equal(write(crowd.fd[1], "x", 1), 1);
	loop_pool_limit(1);
	for (unsigned i = 0; i < CROWD; i++)
		worker_start(
		    &crowd.member[i].worker, &member_ops, WORKER_SESSION, "member");
	worker_start(&crowd.table, &table_ops, WORKER_TABLE, "table");
	worker_wake(&crowd.table);
	loop_pool_fini();
	loop_pool_limit(0);
	assert_int_equal(counter32_get(&crowd.gone), CROWD + 1);
	assert_in_range(crowd.most, 1, 2 * (ROUND_NS / CROWD_TAKE + 2));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delete_in_round),
		cmocka_unit_test(test_delete_by_timer),
		cmocka_unit_test(test_interests),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_fair),
		cmocka_unit_test(test_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
