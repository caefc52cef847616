/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ROA or ASPA table with two sources and two subscribers, for tests; over spine_rig.h. */
#ifndef TERN_TEST_LIB_ROA_RIG_H
#define TERN_TEST_LIB_ROA_RIG_H

#include "nest/rpki/roa_table.h"
#include "test/lib/spine_rig.h"

static struct roa_table *t;
static struct roa_source src[2];

struct done {
	struct msg msg;
	sem_t sem;
};

static inline void
handle_done(struct worker *w, struct msg *m)
{
	(void)w;
	sem_post(&container_of(m, struct done, msg)->sem);
}

static inline void
wait_for(sem_t *s)
{
	rcu_sleep();
	while (sem_wait(s))
		;
	rcu_wake();
}

/* roa_rig_change - one VRP of source @k; @set NULL: withdraw. */
static inline void
roa_rig_change(unsigned k, struct vrp v, TAKE struct attr_set *set)
{
	struct roa_batch *b = mem_zalloc(MEM_TABLE, sizeof(*b) + sizeof(b->route[0]));
	struct done d = { .msg.handle = handle_done };

	sem_init(&d.sem, 0, 0);
	b->table = t;
	b->src = &src[k];
	b->done = &d.msg;
	b->cnt = 1;
	b->route[0] = (struct roa_route){ v, set };
	roa_table_post(t, b);
	wait_for(&d.sem);
}

static inline void
roa_rig_start(const struct conf_table *cf)
{
	t = roa_table_new(&rig.tern, cf);
	memset(src, 0, sizeof(src));
	for (unsigned k = 0; k < 2; k++) {
		src[k].worker = &rig.peer[k]->p.worker;
		src[k].proto = &rig.peer[k]->p;
		roa_table_join(t, &src[k]);
	}
}

static inline void
finish_later(void)
{
	for (unsigned k = 0; k < 2; k++) {
		struct done d = { .msg.handle = handle_done };

		sem_init(&d.sem, 0, 0);
		roa_table_leave(t, &src[k], &d.msg);
		wait_for(&d.sem);
	}
	roa_table_delete(t);
}

static inline void
finish(void)
{
	uint32_t workers = counter32_get(&rig.tern.workers);

	finish_later();
	rig_wait_workers(workers - 1);
}

/* ---- subscribers ---- */

static struct watcher {
	struct roa_sub sub;
	struct {
		bool all;
		uint32_t cnt, first;
	} got[16]; /* what was told, in order */
	uint32_t asked, told, read;
	sem_t event, gone;
	bool hold; /* keep the mark */
	bool refused; /* by roa_sub_start */
	struct table_mark *mark;
} watcher[2];

static inline void
ask(struct roa_sub *s, struct table_mark *mark)
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
hits(struct roa_sub *s, TAKE struct roa_hits *h)
{
	struct watcher *w = container_of(s, struct watcher, sub);

	w->got[w->told % ARRAY_LEN(w->got)].all = h->all;
	w->got[w->told % ARRAY_LEN(w->got)].cnt = h->cnt;
	w->got[w->told % ARRAY_LEN(w->got)].first = h->cnt ? h->id[0] : 0;
	w->told++;
	roa_hits_unref(h);
	sem_post(&w->event);
}

static inline void
dropped(struct roa_sub *s)
{
	sem_post(&container_of(s, struct watcher, sub)->gone);
}

static inline void
do_start(void *arg)
{
	((struct watcher *)arg)->refused = !roa_sub_start(&((struct watcher *)arg)->sub);
}

static inline void
do_drop(void *arg)
{
	roa_sub_drop(&((struct watcher *)arg)->sub);
}

static inline void
watch_by(unsigned k, bool import, bool other_nets, void (*how)(void *arg))
{
	struct watcher *w = &watcher[k];

	memset(w, 0, sizeof(*w));
	sem_init(&w->event, 0, 0);
	sem_init(&w->gone, 0, 0);
	w->sub = (struct roa_sub){ .table = t,
		.worker = &rig.peer[k]->p.worker,
		.routes = rig_table(),
		.import = import,
		.other_nets = other_nets,
		.ask = ask,
		.hits = hits,
		.dropped = dropped };
	rig_in(w->sub.worker, how, w);
}

static inline void
watch(unsigned k, bool import, bool other_nets)
{
	watch_by(k, import, other_nets, do_start);
}

static inline void
unwatch(unsigned k)
{
	struct watcher *w = &watcher[k];

	rig_in(w->sub.worker, do_drop, w);
	wait_for(&w->gone);
}

/* next_cnt - wait for the next that @k is told. Returns: how many nets; UINT32_MAX: all. */
static inline uint32_t
next_cnt(unsigned k)
{
	struct watcher *w = &watcher[k];
	uint32_t at;

	wait_for(&w->event);
	at = w->read++ % ARRAY_LEN(w->got);
	return w->got[at].all ? UINT32_MAX : w->got[at].cnt;
}

#endif
