/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ROA or ASPA table with two sources, its index, and a subscriber for each peer of
 * spine_rig.h, for tests. */
#ifndef TERN_TEST_LIB_ROA_RIG_H
#define TERN_TEST_LIB_ROA_RIG_H

#include "nest/rib/index/rpki_index_priv.h"
#include "test/lib/rec_put.h"
#include "test/lib/spine_rig.h"
#include "test/lib/wait.h"

static struct table *roa_rig_table;
static struct rpki_index *t;

static struct roa_rig_source {
	struct feeder f;
	struct feeder_stats stats;
	struct msg done;
	sem_t told;
	struct rec rec; /* to be put */
	uint8_t nlri[REC_NLRI_MAX + REC_SLACK];
	uint32_t len;
	bool put; /* there was room for it */
} src[2];

static inline void
roa_rig_told(struct worker *w, struct msg *m)
{
	(void)w;
	sem_post(&container_of(m, struct roa_rig_source, done)->told);
}

/* roa_rig_do_put - the source's record, if there is room. */
static inline void
roa_rig_do_put(void *arg)
{
	struct roa_rig_source *s = arg;

	s->put = rig_rec_try(&s->f, &s->rec, s->nlri, s->len);
}

static inline void
roa_rig_do_attach(void *arg)
{
	struct roa_rig_source *s = arg;

	feeder_attach(&s->f, &s->done);
}

static inline void
roa_rig_do_detach(void *arg)
{
	struct roa_rig_source *s = arg;

	roa_rig_do_put(s);
	ASSERT(s->put); /* all before have been taken */
	feeder_detach(&s->f, &s->done);
}

static inline void
roa_rig_in(struct roa_rig_source *s, void (*fn)(void *arg))
{
	rig_in(s->f.worker, fn, s);
}

/* roa_rig_give - the record of source @k; waits for room, as the table may be slow. */
static inline void
roa_rig_give(unsigned k)
{
	do
		roa_rig_in(&src[k], roa_rig_do_put);
	while (!src[k].put);
}

/* roa_rig_begin - a record of source @k; @set NULL: withdraw. roa_rig_add - of this one,
 * too. */
static inline void
roa_rig_begin(unsigned k, TAKE struct attr_set *set)
{
	src[k].rec = (struct rec){ .type = set ? REC_ANNOUNCE : REC_WITHDRAW };
	src[k].rec.set = set;
	src[k].len = 0;
}

static inline void
roa_rig_add(unsigned k, struct vrp v)
{
	enum nlri_kind kind = table_kind(roa_rig_table);
	struct nlri n = nlri_of_vrp(kind, &v);
	struct roa_rig_source *s = &src[k];

	s->len += NLRI_BY_KIND(kind, nlri_put, s->nlri + s->len, n.word, n.head);
	s->rec.prefix_cnt++;
}

/* roa_rig_alone - a record of source @k without nets. */
static inline void
roa_rig_alone(unsigned k, const struct rec *rec)
{
	src[k].rec = *rec;
	src[k].len = 0;
}

/* roa_rig_put - one VRP or customer of source @k, without waiting; @set NULL:
 * withdraw. */
static inline void
roa_rig_put(unsigned k, struct vrp v, TAKE struct attr_set *set)
{
	roa_rig_begin(k, set);
	roa_rig_add(k, v);
	roa_rig_give(k);
}

struct roa_rig_level {
	bool level;
};

static inline void
roa_rig_look(void *arg)
{
	uint64_t tail = load_acquire64(&roa_rig_table->best.journal.tail);

	((struct roa_rig_level *)arg)->level = t->f.reader.on &&
					       reader_caught_up(&t->f.reader) &&
					       t->f.reader.cursor.read == tail &&
					       !t->feed.id_cnt;
}

/* roa_rig_settle - until the table has taken all records, and the index all that it
 * published. */
static inline void
roa_rig_settle(void)
{
	struct roa_rig_level l = { false };
	uint64_t until = rig_until();

	for (unsigned k = 0; k < 2; k++)
		while (!ring_empty(&src[k].f.ring) ||
		       load_relaxed32(&src[k].f.queue.queued)) {
			rig_in(&roa_rig_table->worker, rig_nothing, NULL);
			assert_true(clock_now_ns() < until);
		}
	rig_in(&roa_rig_table->worker, rig_nothing, NULL);
	while (!l.level) {
		assert_true(clock_now_ns() < until);
		wait_pause(200);
		rig_in(&t->f.worker, roa_rig_look, &l);
	}
}

/* roa_rig_change - one VRP of source @k; @set NULL: withdraw. */
static inline void
roa_rig_change(unsigned k, struct vrp v, TAKE struct attr_set *set)
{
	roa_rig_put(k, v, set);
	roa_rig_settle();
}

/* roa_rig_many - @cnt VRPs or customers of source 0, each by @vrp; @set NULL:
 * withdraw. */
static inline void
roa_rig_many(
    uint32_t cnt, OWNED struct attr_set *(*set)(void), struct vrp (*vrp)(uint32_t i))
{
	for (uint32_t n = 0; n < cnt; n += 500) {
		roa_rig_begin(0, set ? set() : NULL);
		for (uint32_t i = n; i < n + 500 && i < cnt; i++)
			roa_rig_add(0, vrp(i));
		roa_rig_give(0);
		roa_rig_settle(); /* the ring has room */
	}
}

/* roa_rig_slow - all that changes from now on is of one round, however long it takes; it
 * begins with the first change after the index has its times of before again. */
static inline void
roa_rig_slow(const struct conf_table *cf)
{
	struct conf_table slow = *cf;

	slow.settle_min_ns = slow.settle_max_ns = 1000 * NS_PER_S;
	rpki_index_times(t, &slow);
}

static inline void
roa_rig_start(const struct conf_table *cf)
{
	roa_rig_table = table_new(&rig.tern, cf);
	t = rpki_index_new(&rig.tern, roa_rig_table, cf);
	memset(src, 0, sizeof(src));
	for (unsigned k = 0; k < 2; k++) {
		struct origin *o = mem_zalloc(MEM_TABLE, sizeof(*o));
		struct roa_rig_source *s = &src[k];

		counter32_add(&o->refs, 1);
		sem_init(&s->told, 0, 0);
		feeder_init(&s->f, roa_rig_table, &rig.peer[k]->p.worker);
		s->f.order = &rig_class.order;
		s->f.stats = &s->stats;
		s->done.handle = roa_rig_told;
		roa_rig_in(s, roa_rig_do_attach);
		rig_wait(&s->told);
		roa_rig_alone(k, &(struct rec){ .type = REC_UP, .facts = o });
		roa_rig_give(k);
	}
	roa_rig_settle();
}

/* finish_later - the index ends when its subscribers have gone; the table with it. */
static inline void
finish_later(void)
{
	for (unsigned k = 0; k < 2; k++) {
		roa_rig_alone(k, &(struct rec){ .type = REC_DOWN });
		roa_rig_in(&src[k], roa_rig_do_detach);
		rig_wait(&src[k].told);
		feeder_fini(&src[k].f);
	}
	rpki_index_delete(t);
	table_delete(roa_rig_table);
}

static inline void
roa_rig_finish(void)
{
	uint32_t workers = counter32_get(&rig.tern.workers.cnt);

	finish_later();
	rig_wait_workers(workers - 2);
}

/* ---- a worker that stands still ---- */

struct held {
	struct msg msg;
	sem_t go;
};

static inline void
handle_held(struct worker *w, TAKE struct msg *m)
{
	sem_t *go = &container_of(m, struct held, msg)->go;

	(void)w;
	rcu_sleep(); /* grace periods go on */
	while (sem_wait(go))
		;
	rcu_wake();
}

/* hold_worker - it does nothing until sem_post of `go`; to be freed when it goes on. */
static inline struct held *
hold_worker(struct worker *w)
{
	struct held *h = calloc(1, sizeof(*h));

	sem_init(&h->go, 0, 0);
	h->msg.handle = handle_held;
	worker_post(w, &h->msg);
	return h;
}

/* ---- subscribers ---- */

static struct watcher {
	struct roa_sub sub;
	struct {
		bool all;
		uint32_t cnt, first;
	} got[16]; /* what was told, in order */
	uint32_t asked, told, read;
	uint64_t after_ns; /* with the last of those to be sent all again */
	sem_t event, gone, ready;
	bool hold; /* keep the mark */
	bool refused; /* by roa_sub_start */
	unsigned peer; /* who brings what it decides about */
	struct table_mark *mark;
} watcher[RIG_PEERS];

static inline void
roa_rig_ask(struct roa_sub *s, struct table_mark *mark)
{
	struct watcher *w = container_of(s, struct watcher, sub);

	w->asked++;
	if (w->hold)
		w->mark = mark;
	else
		table_marked(mark);
	if (w->hold)
		sem_post(&w->event);
}

static inline void
roa_rig_affected(struct roa_sub *s, TAKE struct roa_affected *h)
{
	struct watcher *w = container_of(s, struct watcher, sub);

	w->got[w->told % ARRAY_LEN(w->got)].all = h->all;
	w->got[w->told % ARRAY_LEN(w->got)].cnt = h->cnt;
	w->got[w->told % ARRAY_LEN(w->got)].first = h->cnt ? h->id[0] : 0;
	w->told++;
	roa_affected_unref(h);
	sem_post(&w->event);
}

static inline void
roa_rig_again(struct roa_sub *s, uint64_t after_ns)
{
	struct watcher *w = container_of(s, struct watcher, sub);

	w->got[w->told % ARRAY_LEN(w->got)].all = true;
	w->after_ns = after_ns;
	w->told++;
	sem_post(&w->event);
}

static inline void
roa_rig_ready(struct roa_sub *s)
{
	if (!rpki_index_waits(s->index))
		sem_post(&container_of(s, struct watcher, sub)->ready);
}

static inline void
roa_rig_dropped(struct roa_sub *s)
{
	sem_post(&container_of(s, struct watcher, sub)->gone);
}

static inline void
do_start(void *arg)
{
	((struct watcher *)arg)->refused = !roa_sub_start(
	    &((struct watcher *)arg)->sub, NULL);
}

static inline void
roa_rig_do_drop(void *arg)
{
	roa_sub_drop(&((struct watcher *)arg)->sub);
}

enum watch_kind {
	WATCH_READS,
	WATCH_BRINGS, /* and keeps nothing that it refuses */
	WATCH_KEEPS,
};

/* whose nets they are told of; NULL: of rig_table */
static struct table *watched;

/* watch_by - in peer @k's worker; of what peer @feeder brings. */
static inline void
watch_by(unsigned k, enum watch_kind what, unsigned feeder, bool other_nets,
    void (*how)(void *arg))
{
	struct watcher *w = &watcher[k];

	memset(w, 0, sizeof(*w));
	w->peer = feeder;
	sem_init(&w->event, 0, 0);
	sem_init(&w->gone, 0, 0);
	sem_init(&w->ready, 0, 0);
	w->sub = (struct roa_sub){ .index = t,
		.worker = &rig.peer[k]->p.worker,
		.routes = watched ? watched : rig_table(),
		.feeder = what == WATCH_READS ? NULL : &rig.peer[feeder]->ch->ts,
		.keeps = what == WATCH_KEEPS,
		.other_nets = other_nets,
		.ask = roa_rig_ask,
		.affected = roa_rig_affected,
		.again = roa_rig_again,
		.ready = roa_rig_ready,
		.dropped = roa_rig_dropped };
	rig_in(w->sub.worker, how, w);
}

static inline void
roa_rig_watch(unsigned k, enum watch_kind what, unsigned feeder, bool other_nets)
{
	watch_by(k, what, feeder, other_nets, do_start);
}

/* rig_behind - as if peer @k had records that find no room. */
static inline void
rig_behind(unsigned k, bool behind)
{
	store_release32(&rig.peer[k]->ch->ts.queue.behind, behind); /* pairs: FBEHIND */
}

static inline void
roa_rig_unwatch(unsigned k)
{
	struct watcher *w = &watcher[k];

	rig_in(w->sub.worker, roa_rig_do_drop, w);
	rig_wait(&w->gone);
}

/* next_cnt - wait for the next that @k is told. Returns: how many nets; UINT32_MAX:
 * all. */
static inline uint32_t
next_cnt(unsigned k)
{
	struct watcher *w = &watcher[k];
	uint32_t at;

	rig_wait(&w->event);
	at = w->read++ % ARRAY_LEN(w->got);
	return w->got[at].all ? UINT32_MAX : w->got[at].cnt;
}

/* roa_rig_first - the first net that @k was told by what next_cnt has returned. */
static inline uint32_t
roa_rig_first(unsigned k)
{
	const struct watcher *w = &watcher[k];
	uint32_t id = w->got[(w->read - 1) % ARRAY_LEN(w->got)].first;
	struct prefix p = net_prefix(rig_table(), table_net_at(rig_table(), id));

	return rig_net_index(&p);
}

/* roa_rig_two - two peers bring nets 0 to 9, and keep what they refuse. */
static inline void
roa_rig_two(void)
{
	for (unsigned k = 0; k < 2; k++) {
		spine_rig_up(2 + k);
		rig_announce(2 + k, 0, 10, 3, 1);
		roa_rig_watch(k, WATCH_KEEPS, 2 + k, false);
	}
}

/* roa_rig_hold - a round begins by this change, and @k holds it. roa_rig_go - until
 * then. */
static inline void
roa_rig_hold(unsigned k, struct vrp v, TAKE struct attr_set *set)
{
	watcher[k].hold = true;
	rig_behind(watcher[k].peer, true);
	roa_rig_change(0, v, set);
	rig_wait(&watcher[k].event);
}

static inline void
roa_rig_go(unsigned k)
{
	struct table_mark *mark = watcher[k].mark;

	watcher[k].hold = false;
	rig_behind(watcher[k].peer, false);
	table_marked(mark);
}

#endif
