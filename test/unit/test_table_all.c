/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stream of all paths of a table that is full already: it is made in steps, while
 * routes change, and whoever asked for it is attached when it is whole. */
#include "nest/rib/stream/table_all.c"
#include "nest/rib/read.h"
#include "test/lib/spine_rig.h"
#include "test/lib/wait.h"

#define NETS  (10 * RIG_NETS)
#define FLAPS 200

struct follower {
	struct reader rd;
	struct arena arena;
	struct msg done;
	sem_t told;
	uint32_t missed; /* when it was attached: paths without an id */
	uint64_t batches;
};

static const struct reader_ops no_ops;

/* missed - paths that the stream of all doesn't have as they are. */
static uint32_t
test_table_all_missed(void)
{
	const struct table *t = rig_table();
	uint32_t cnt = 0;

	for (uint32_t id = 0; id < table_id_limit(t); id++) {
		const struct path *p = net_first(table_net_ptr(t, id));

		for (; p; p = path_next(p))
			cnt += !p->id || stream_path(t->all, p->id) != p ||
			       load_relaxed32(&t->all->slot[p->id].net) != id;
	}
	return cnt;
}

/* told - in the worker of peer 1. */
static void
test_table_all_told(struct worker *w, TAKE struct msg *m)
{
	struct follower *f = container_of(m, struct follower, done);

	(void)w;
	f->batches = counter64_get(&rig_table()->st.batches) - f->batches;
	f->missed = test_table_all_missed();
	sem_post(&f->told);
}

static struct worker *
worker_of(unsigned k)
{
	return &rig.peer[k]->p.worker;
}

static void
test_table_all_do_attach(void *arg)
{
	struct follower *f = arg;

	f->done.handle = test_table_all_told;
	reader_attach(&f->rd, &f->done);
}

static void
test_table_all_do_detach(void *arg)
{
	struct follower *f = arg;

	f->done.handle = test_table_all_told;
	reader_detach(&f->rd, &f->done);
}

static void
test_table_all_follow(struct follower *f)
{
	memset(f, 0, sizeof(*f));
	sem_init(&f->told, 0, 0);
	arena_init(&f->arena, MEM_OTHER, 4096);
	reader_init(&f->rd, rig_table(), worker_of(1), &no_ops, &f->arena);
	f->rd.wants.all = true;
	f->batches = counter64_get(&rig_table()->st.batches);
	rig_in(worker_of(1), test_table_all_do_attach, f);
}

static void
wait_told(struct follower *f)
{
	rcu_sleep();
	while (sem_wait(&f->told))
		;
	rcu_wake();
}

static void
follower_fini(struct follower *f)
{
	rig_in(worker_of(1), test_table_all_do_detach, f);
	wait_told(f);
	reader_fini(&f->rd);
	arena_fini(&f->arena);
	sem_destroy(&f->told);
}

static void
test_table_all_fill(void)
{
	spine_rig_up(0);
	spine_rig_up(1);
	for (uint32_t i = 0; i < NETS; i += RIG_NETS) {
		rig_announce(0, i, RIG_NETS, 1, 1);
		rig_announce(1, i, RIG_NETS, 2, 1);
	}
}

/* So many batches are needed that none takes more than TAKE_STEP of nets and paths. */
static void
test_steps(void **state)
{
	struct follower f, g;

	(void)state;
	test_table_all_fill();
	test_table_all_follow(&f);
	test_table_all_follow(&g); /* asks while it is made */
	wait_told(&f);
	wait_told(&g);
	/* the last one isn't counted yet, maybe */
	assert_true(f.batches + 1 >= 3 * NETS / TAKE_STEP);
	assert_int_equal(f.missed, 0);
	assert_int_equal(g.missed, 0);
	assert_int_equal(stream_limit(rig_table()->all), 1 + 2 * NETS);
	assert_int_equal(rig_table()->all->reader_cnt, 2);
	follower_fini(&f);
	follower_fini(&g);
}

/* Nets come, change and go before the walk has come by, and behind it. */
static void
test_changes(void **state)
{
	struct follower f;

	(void)state;
	test_table_all_fill();
	test_table_all_follow(&f);
	for (uint32_t i = 0; i < FLAPS; i++) {
		uint32_t first = i * 7919 % (NETS - 100);

		rig_announce(0, first, 50, 1, i);
		rig_withdraw(1, first + 25, 50);
		rig_announce(1, first + 40, 20, 2, i);
		rig_announce(0, NETS + i, 1, 1, i);
	}
	wait_told(&f);
	rig_settle();
	assert_int_equal(test_table_all_missed(), 0);
	follower_fini(&f);
}

struct rest {
	uint32_t given; /* paths that have an id */
	bool empty; /* and nothing is kept for them */
};

/* look - in the table's worker. */
static void
test_table_all_look(void *arg)
{
	const struct table *t = rig_table();
	struct rest *r = arg;

	r->given = 0;
	for (uint32_t id = 0; id < table_id_limit(t); id++) {
		const struct path *p = net_first(table_net_ptr(t, id));

		for (; p; p = path_next(p))
			r->given += p->id != 0;
	}
	r->empty = stream_empty(t->all) && !t->all->dead.block && !t->all->change;
}

/* wait_idle - until no path has an id and all are free again. */
static void
wait_idle(void)
{
	struct rest r = { .given = 1 };

	struct wait w = { 0 };

	while (r.given || !r.empty) {
		rig_settle();
		lib_wait_turn(&w, "an idle table");
		rig_in(&rig_table()->worker, test_table_all_look, &r);
	}
	assert_int_equal(r.given, 0);
	assert_true(r.empty);
}

/* When the last reader has gone its memory goes back, and nothing is noted any more. Who
 * comes later, or while it is under way, is attached to a whole one. */
static void
test_idle(void **state)
{
	struct follower f, g;

	(void)state;
	test_table_all_fill();
	test_table_all_follow(&f);
	test_table_all_follow(&g);
	wait_told(&f);
	wait_told(&g);
	follower_fini(&f);
	rig_settle();
	assert_int_equal(test_table_all_missed(), 0);
	follower_fini(&g);
	wait_idle();
	rig_announce(0, 0, RIG_NETS, 1, 7);
	rig_withdraw(1, 0, RIG_NETS);
	wait_idle();
	for (unsigned i = 0; i < 20; i++) {
		test_table_all_follow(&f);
		rig_announce(0, i, 100, 1, 8 + i);
		wait_told(&f);
		assert_int_equal(f.missed, 0);
		rig_withdraw(0, i * 50, 10);
		follower_fini(&f);
		if (i % 3 == 0)
			rig_settle();
	}
	wait_idle();
}

/* count_dead - in the table's worker. */
static void
count_dead(void *arg)
{
	*(uint32_t *)arg = rig_table()->best.dead.cnt;
}

static uint32_t
test_table_all_dead(void)
{
	uint32_t cnt;

	rig_in(&rig_table()->worker, count_dead, &cnt);
	return cnt;
}

/* A net is withdrawn before anybody has asked for the stream of all paths. The id of the
 * net is free again although the stream is made while the id waits for a reader. */
static void
test_dead_before(void **state)
{
	struct follower f;

	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(0, 0, RIG_NETS - 1, 1, 1);
	rig_settle();
	rig_export(1);
	rig_withdraw(0, 0, RIG_NETS - 1);
	rig_settle();
	assert_null(rig_table()->all);
	assert_true(test_table_all_dead() > 0);
	test_table_all_follow(&f);
	wait_told(&f);
	follower_fini(&f);
	for (unsigned i = 0; i < 5000 && test_table_all_dead(); i++) {
		rig_export(0);
		rig_export(1);
		rig_announce(0, RIG_NETS - 1, 1, 1, i); /* the table works */
		rig_settle();
	}
	assert_int_equal(test_table_all_dead(), 0);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_steps),
	RIG_TEST(test_changes),
	RIG_TEST(test_idle),
	RIG_TEST(test_dead_before),
};

UNIT_MAIN(tests)
