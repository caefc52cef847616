/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts: what they show, when they are shared, when not, how they go. */
#include "nest/rib/ids.h"
#include "nest/rib/stream/cut.c"
#include "test/lib/spine_rig.h"

static struct arena arena;

static int
test_cut_set_up(void **state)
{
	arena_init(&arena, MEM_OTHER, 4096);
	return rig_start(state);
}

static int
test_cut_tear_down(void **state)
{
	arena_fini(&arena);
	return rig_finish(state);
}

static uint32_t
nets_in(const struct cut *c)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < c->seg_cnt; i++)
		cnt += c->seg[i]->nets.cnt;
	return cnt;
}

#define NOW UINT32_MAX / 4 /* a batch that is still to come */

static struct cut *
test_cut_get(const uint64_t *mask, uint32_t since)
{
	return cut_get(&rig_table()->best, 0, mask, since, &arena);
}

static void
test_share(void **state)
{
	struct cut *a, *b, *c;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 100, 1, 1);
	rig_announce(0, 100, 10, 1, 2);
	a = test_cut_get(NULL, NOW);
	assert_int_equal(nets_in(a), 110);
	assert_int_equal(a->seg_cnt, 2);
	assert_true(a->present[1] == (1ull << 46) - 1);
	b = test_cut_get(NULL, NOW);
	assert_ptr_equal(a, b);
	rig_announce(0, 0, 1, 1, 7);
	c = test_cut_get(NULL, NOW);
	assert_ptr_not_equal(a, c);
	assert_int_equal(c->seg_cnt, 3);
	assert_true((int32_t)(c->batch - a->batch) > 0);
	assert_int_equal(nets_in(a), 110); /* as it was, for who still has it */
	rig_withdraw(0, 0, 50);
	cut_put(c);
	c = test_cut_get(NULL, NOW);
	assert_int_equal(nets_in(c), 60);
	assert_false(c->present[0] & 1);
	assert_int_equal(counter64_get(&rig_table()->st.cuts_built), 3);
	assert_int_equal(counter64_get(&rig_table()->st.cuts_shared), 1);
	cut_put(a);
	cut_put(b);
	cut_put(c);
}

/* Who wants few nets makes a cut of his own with only these, unless one lies there. */
static void
test_mask(void **state)
{
	uint64_t mask[CHUNK_NETS / 64] = { 0 };
	struct cut *a, *b;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 100, 1, 1);
	mask[0] = 6;
	a = test_cut_get(mask, NOW);
	assert_int_equal(nets_in(a), 2);
	assert_null(load_relaxed_ptr(&stream_chunk(&rig_table()->best, 0)->cut));
	b = test_cut_get(NULL, NOW);
	assert_int_equal(nets_in(b), 100);
	cut_put(a);
	a = test_cut_get(mask, NOW);
	assert_ptr_equal(a, b);
	cut_put(a);
	cut_put(b);
}

/* Who needs nothing newer shares a cut, whatever has come since. */
static void
test_since(void **state)
{
	uint32_t since;
	struct cut *a, *b;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 100, 1, 1);
	since = load_relaxed32(&rig_table()->batch);
	a = test_cut_get(NULL, since);
	rig_announce(0, 0, 1, 1, 7);
	b = test_cut_get(NULL, since);
	assert_ptr_equal(a, b);
	assert_int_equal(b->seg_cnt, 1);
	cut_put(b);
	b = test_cut_get(NULL, load_relaxed32(&rig_table()->batch));
	assert_ptr_not_equal(a, b);
	assert_int_equal(b->seg_cnt, 2);
	cut_put(a);
	a = test_cut_get(NULL, since); /* the newer one serves as well */
	assert_ptr_equal(a, b);
	cut_put(a);
	cut_put(b);
}

/* change_only - in the table's thread: a batch that has changed a net but isn't
 * published. */
static void
change_only(void *arg)
{
	struct table *t = rig_table();
	struct net *n = table_net_ptr(t, 0);

	(void)arg;
	store_release32(&t->batch, load_relaxed32(&t->batch) + 1); /* pairs: TBATCH */
	t->work.used = false;
	store_release32(&n->batch, load_relaxed32(&t->batch)); /* pairs: NBATCH */
	store_release32(
	    &stream_chunk(&t->best, 0)->ver, load_relaxed32(&t->batch)); /* pairs: CVER */
}

static void
publish_it(void *arg)
{
	struct table *t = rig_table();

	(void)arg;
	store_release32(&t->done, load_relaxed32(&t->batch)); /* pairs: TDONE */
}

/* What was made while the chunk's newest batch was under way isn't shared, but with those
 * who can do without that batch. */
static void
test_open_batch(void **state)
{
	struct cut *a, *b;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 10, 1, 1);
	rig_in(&rig_table()->worker, change_only, NULL);
	a = test_cut_get(NULL, NOW);
	assert_int_equal(nets_in(a), 10);
	b = test_cut_get(NULL, a->done + 1);
	assert_ptr_not_equal(a, b);
	cut_put(a);
	a = test_cut_get(NULL, b->done);
	assert_ptr_equal(a, b);
	cut_put(a);
	rig_in(&rig_table()->worker, publish_it, NULL);
	a = test_cut_get(NULL, NOW);
	assert_ptr_not_equal(a, b);
	cut_put(b);
	assert_ptr_equal(load_relaxed_ptr(&stream_chunk(&rig_table()->best, 0)->cut), a);
	cut_put(a);
}

static void
test_cut_expire(void *arg)
{
	bool *left = arg;

	*left = stream_cuts_expire(&rig_table()->best);
}

static void
test_expire(void **state)
{
	struct cut *a;
	bool left;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 10, 1, 1);
	a = test_cut_get(NULL, NOW);
	assert_int_equal(counter32_get(&rig_table()->best.cuts_live), 1);
	rig_in(&rig_table()->worker, test_cut_expire, &left);
	assert_true(left); /* used since the last look */
	rig_in(&rig_table()->worker, test_cut_expire, &left);
	assert_false(left);
	assert_int_equal(counter32_get(&rig_table()->best.cuts_live), 0);
	assert_null(load_relaxed_ptr(&stream_chunk(&rig_table()->best, 0)->cut));
	assert_int_equal(nets_in(a), 10); /* ours until we put it */
	cut_put(a);
	a = test_cut_get(NULL, NOW); /* one is left for table_cuts_free */
	cut_put(a);
}

/* Its segments go with the last reference, not only when a grace period ends: this thread
 * is a reader. */
static void
test_put(void **state)
{
	struct attr_set *set;
	uint32_t refs;
	struct cut *a;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 100, 1, 1);
	set = net_best(table_net_ptr(rig_table(), 0))->set;
	refs = counter32_get(&set->refs);
	a = test_cut_get((uint64_t[CHUNK_NETS / 64]){ 6 }, NOW);
	assert_int_equal(counter32_get(&set->refs), refs + 1);
	cut_put(a);
	assert_int_equal(counter32_get(&set->refs), refs);
}

struct late_reader {
	sem_t reads, over;
};

/* A thread that holds up grace periods. */
static void *
read_long(void *arg)
{
	struct late_reader *r = arg;

	rcu_join();
	sem_post(&r->reads);
	while (sem_wait(&r->over))
		;
	rcu_leave();
	return NULL;
}

static bool paused;

static void
export_paused(void *arg)
{
	rig_do_export(arg);
	paused = timer_active(&((struct rig_peer *)arg)->ch->rd->sweep.pause);
}

/* Too much memory waits for the end of a grace period: dirty nets wait as well. */
static void
test_crowded(void **state)
{
	struct bump b;
	struct bump_block *bb;
	struct late_reader r;
	pthread_t thread;

	(void)state;
	sem_init(&r.reads, 0, 0);
	sem_init(&r.over, 0, 0);
	assert_int_equal(pthread_create(&thread, NULL, read_long, &r), 0);
	while (sem_wait(&r.reads))
		;
	spine_rig_up(0);
	rig_announce(0, 0, 100, 9, 1);
	spine_rig_up(2);
	bump_init(&b, MEM_OTHER, 1u << 20, 16);
	while (bump_waiting() <= 65u << 20) {
		bump_alloc(&b, 1u << 19, &bb);
		bump_put(bb);
	}
	bump_fini(&b);
	rig_in(&rig.peer[2]->p.worker, export_paused, rig.peer[2]);
	assert_true(paused);
	assert_int_equal(rig.peer[2]->held[0], 0);
	sem_post(&r.over);
	pthread_join(thread, NULL);
	rcu_drain();
	assert_true(bump_waiting() < 1u << 20);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[99], rig_holds(9, 1));
	assert_int_equal(rig.peer[2]->eor_cnt, 1);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, test_cut_set_up, test_cut_tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_share),
	TEST(test_mask),
	TEST(test_since),
	TEST(test_put),
	TEST(test_open_batch),
	TEST(test_expire),
	TEST(test_crowded),
};

UNIT_MAIN(tests)
