/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeders: their numbers are given again, lowest first, when all have read what names the
 * one before; an instance makes more of them while it runs. */
#include "nest/rib/ids.h"
#include "nest/rib/table/feeder.c"
#include "test/lib/rec_put.h"
#include "test/lib/spine_rig.h"
#include "test/lib/table_find.h"
#include "test/lib/table_rest.h"
#include "test/lib/wait.h"

static uint32_t picked;

static void
test_feeder_give_back(void *arg)
{
	struct table *t = arg;

	feeder_ids_release(t);
	feeder_id_hold(t, RIG_PEERS);
	picked = feeder_id_pick(t);
}

static void
test_feeder_pick(void *arg)
{
	struct table *t = arg;

	journal_reclaim(&t->best.journal);
	picked = feeder_id_pick(t);
}

static void
test_number_again(void **state)
{
	struct table *t = rig_table();

	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_in(&t->worker, test_feeder_pick, t);
	assert_int_equal(picked, RIG_PEERS);
	rig_announce(0, 0, 5, 1, 3);
	rig_in(&t->worker, test_feeder_give_back, t); /* 0 and 1 haven't read */
	assert_int_equal(picked, RIG_PEERS + 1);
	rig_export(0);
	rig_in(&t->worker, test_feeder_pick, t);
	assert_int_equal(picked, RIG_PEERS + 2);
	rig_export(1);
	rig_in(&t->worker, test_feeder_pick, t);
	assert_int_equal(picked, RIG_PEERS);
	rig_in(&t->worker, test_feeder_pick, t);
	assert_int_equal(picked, RIG_PEERS + 3); /* the two between have been given */
}

/* When there is no other, one that is held is given. */
static void
test_all_held(void **state)
{
	struct table *t = rig_table();

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 5, 1, 3);
	rig_in(&t->worker, test_feeder_pick, t);
	rig_in(&t->worker, test_feeder_give_back, t);
	bitmap_set_range(&t->feeders.taken, 0, FEEDER_MAX);
	rig_in(&t->worker, test_feeder_pick, t);
	assert_int_equal(picked, RIG_PEERS);
}

/* ---- feeders that a worker makes at run time ---- */

#define EXTRA (3 * ARR_MIN)

struct extra {
	struct feeder f; /* first */
	struct feeder_stats stats;
	struct msg done;
	uint32_t told;
};

static struct extra *extra[EXTRA];

static void
test_feeder_told(struct worker *w, TAKE struct msg *m)
{
	(void)w;
	container_of(m, struct extra, done)->told++;
}

/* put - one record without NLRI, or with net 0. */
static void
test_feeder_put(struct extra *e, const struct rec *r)
{
	uint8_t nlri[4 + 16];

	rig_rec_put(&e->f, r, nlri, rig_nlri(nlri, 0, r->prefix_cnt));
}

static void
make_extra(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < EXTRA; i++) {
		struct extra *e = calloc(1, sizeof(*e));

		extra[i] = e;
		feeder_init(&e->f, rig_table(), &rig.peer[0]->p.worker);
		e->f.order = &rig_class.order;
		e->f.stats = &e->stats;
		e->done.handle = test_feeder_told;
		feeder_attach(&e->f, &e->done);
	}
}

static void
test_feeder_bring(void *arg)
{
	struct attr_local local = { .preference = 100 };
	uint8_t data[64];

	(void)arg;
	for (uint32_t i = 0; i < EXTRA; i++) {
		struct origin *o = mem_zalloc(MEM_TABLE, sizeof(*o));
		struct rec r = { .type = REC_UP, .facts = o };

		assert_int_equal(extra[i]->told, 1);
		counter32_add(&o->refs, 1);
		o->src.peer_as = 1000 + i;
		test_feeder_put(extra[i], &r);
		r = (struct rec){ .type = REC_ANNOUNCE, .prefix_cnt = 1 };
		r.set = attr_store_intern(
		    rig.tern.store, data, rig_attrs(data, 1000 + i, i), &local, NULL, 0);
		test_feeder_put(extra[i], &r);
	}
}

static void
test_feeder_go_down(void *arg)
{
	struct rec r = { .type = REC_DOWN };

	(void)arg;
	for (uint32_t i = 0; i < EXTRA; i++) {
		test_feeder_put(extra[i], &r);
		feeder_detach(&extra[i]->f, &extra[i]->done);
	}
}

static uint32_t told_cnt;

static void
count_told(void *arg)
{
	(void)arg;
	told_cnt = 0;
	for (uint32_t i = 0; i < EXTRA; i++)
		told_cnt += extra[i]->told;
}

/* An instance that has a channel makes more feeders: of the table's others nobody minds,
 * the numbers outgrow the array that there was, and each brings a route of its own. They
 * go without the channel. */
static void
test_run_time(void **state)
{
	struct worker *w = &rig.peer[0]->p.worker;
	struct prefix net = rig_net(0);
	const struct net *n;
	uint32_t cnt = 0;
	struct wait turn = { 0 };

	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(0, 0, 1, 1, EXTRA);
	rig_in(w, make_extra, NULL);
	rig_in(&rig_table()->worker, rig_nothing, NULL);
	rig_in(w, test_feeder_bring, NULL);
	rig_settle();
	rig_export(1);
	assert_int_equal(rig.peer[1]->held[0], rig_holds(1000, 0));
	n = rig_find(rig_table(), &net);
	for (const struct path *p = net_first(n); p; p = path_next(p), cnt++) {
		assert_true(path_live(rig_table(), p));
		if (cnt == EXTRA) /* the channel's own comes last */
			break;
		assert_int_equal(path_facts(rig_table(), p)->peer_as, 1000 + cnt);
		assert_int_equal(path_src(p), load_relaxed32(&extra[cnt]->f.id));
	}
	assert_int_equal(cnt, EXTRA);
	rig_in(w, test_feeder_go_down, NULL);
	for (told_cnt = 0; told_cnt < 2 * EXTRA; lib_wait_turn(&turn, "news"))
		rig_in(w, count_told, NULL);
	for (uint32_t i = 0; i < EXTRA; i++) {
		feeder_fini(&extra[i]->f);
		free(extra[i]);
	}
	rig_export(1);
	assert_int_equal(rig.peer[1]->held[0], rig_holds(1, EXTRA));
}

/* ---- what is walked for one route ---- */

#define CHUNKS 16
#define WALKED 1024 /* nets a step of a reload */

static uint32_t steps;

static void
test_feeder_reload(void *arg)
{
	struct channel *ch = arg;

	for (steps = 1; channel_reload_step(ch); steps++)
		;
}

static void
ask_reload(void *arg)
{
	assert_true(channel_reload_in(arg));
}

/* Peer 0 has CHUNKS chunks of nets, peer 1 a route for one in the middle and one for the
 * last. */
static void
one_of_many(void)
{
	rig.peer[0]->count_only = rig.peer[1]->count_only = true;
	spine_rig_up(0);
	channel_keep_pre(rig.peer[1]->ch, true);
	spine_rig_up(1);
	for (uint32_t i = 0; i < CHUNKS; i++)
		rig_announce(0, i * CHUNK_NETS, CHUNK_NETS, 1, 5);
	rig_announce(1, (CHUNKS - 1) * CHUNK_NETS + 7, 1, 2, 6);
	rig_announce(1, (CHUNKS / 2) * CHUNK_NETS + 7, 1, 2, 6);
}

/* A reload of two routes looks at the nets of two chunks, and at none if there is no
 * route. */
static void
test_reload_steps(void **state)
{
	struct worker *w = &rig.peer[1]->p.worker;
	struct channel *ch = rig.peer[1]->ch;

	(void)state;
	one_of_many();
	rig_in(w, ask_reload, ch);
	rig_settle();
	rig_in(w, test_feeder_reload, ch);
	assert_int_equal(steps, 2 * CHUNK_NETS / WALKED);
	rig_withdraw(1, (CHUNKS / 2) * CHUNK_NETS + 7, 1);
	rig_withdraw(1, (CHUNKS - 1) * CHUNK_NETS + 7, 1);
	rig_in(w, ask_reload, ch);
	rig_settle();
	rig_in(w, test_feeder_reload, ch);
	assert_int_equal(steps, 1);
}

/* A feeder that had two routes goes: as many chunks are looked at. */
static void
test_down_steps(void **state)
{
	struct table *t = rig_table();
	uint64_t rounds;

	(void)state;
	one_of_many();
	rounds = counter64_get(&t->st.batches);
	rig_in(&rig.peer[1]->p.worker, rig_do_down, rig.peer[1]);
	rig_settle();
	while (table_walks(t))
		;
	rounds = counter64_get(&t->st.batches) - rounds;
	assert_in_range(rounds, 1, 3); /* all nets would take four and more */
	assert_int_equal(rig.peer[1]->ch->ts.cnt.paths, 0);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_number_again),
	RIG_TEST(test_all_held),
	RIG_TEST(test_run_time),
	RIG_TEST(test_reload_steps),
	RIG_TEST(test_down_steps),
};

UNIT_MAIN(tests)
