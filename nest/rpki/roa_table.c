/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ROA table: batches from its sources into the map.
 *
 * I1  With each VRP in the map stands a roa_paths with at least one path, in the order of
 *     preference, then of arrival. It is replaced whole; the old one goes a grace period
 *     later, one call_rcu a batch.
 * I2  Map and name live while the table is counted: by the control worker (the table list),
 *     by each configuration that has the table (its filters ask the map), by subscribers.
 *     The worker ends before that, when the table was deleted, and sources, subscribers and
 *     marks under way are gone.
 * I3  An instance that lags may subscribe by a configuration that isn't in force any more,
 *     when the table was deleted and its worker has ended or is about to. It counts itself
 *     in `users` before it posts, and does so only while that isn't 0: so either the worker
 *     waits for it, or it knows that no answer would come.
 *
 * Loop: the table's own. */
#include "nest/rpki/roa_table_priv.h"

#include "sysdep/clock.h"

/* What one batch replaces. It is given up when the map has let go of it: a grace period
 * that began before wouldn't wait for a reader that finds it until then. */
struct garbage {
	struct rcu_node rcu;
	uint32_t cnt;
	struct old {
		struct roa_paths *paths;
		struct attr_set *set; /* the path that goes; NULL: none */
	} old[];
};

static void
free_garbage(struct rcu_node *n)
{
	struct garbage *g = container_of(n, struct garbage, rcu);

	for (uint32_t i = 0; i < g->cnt; i++)
		mem_free(MEM_TABLE, g->old[i].paths);
	mem_free(MEM_TABLE, g);
}

static void
give_up(struct roa_table *t, TAKE struct garbage *g)
{
	for (uint32_t i = 0; i < g->cnt; i++)
		if (g->old[i].set)
			attr_set_unref(t->tern->store, g->old[i].set, 1);
	if (g->cnt)
		rcu_free_later(&g->rcu, free_garbage);
	else
		mem_free(MEM_TABLE, g);
}

/* ---- paths ---- */

static uint32_t
find_path(const struct roa_paths *l, const struct roa_source *s)
{
	uint32_t i = 0;

	while (l && i < l->cnt && l->path[i].src != s)
		i++;
	return i;
}

/* with_path - @old without the path of @s, and with one of @set if that isn't NULL.
 * Returns: NULL if none is left. */
static struct roa_paths *
with_path(const struct roa_paths *old, struct roa_source *s, struct attr_set *set)
{
	uint32_t have = old ? old->cnt : 0, i;
	struct roa_paths *l;
	struct roa_path fresh = { s, set, clock_coarse_ns() };

	l = mem_alloc(MEM_TABLE, sizeof(*l) + (have + 1) * sizeof(l->path[0]));
	l->cnt = 0;
	for (i = 0; i < have; i++) {
		if (old->path[i].src == s)
			continue;
		if (fresh.set &&
		    set->local.preference > old->path[i].set->local.preference) {
			l->path[l->cnt++] = fresh;
			fresh.set = NULL;
		}
		l->path[l->cnt++] = old->path[i];
	}
	if (fresh.set)
		l->path[l->cnt++] = fresh;
	if (l->cnt)
		return l;
	mem_free(MEM_TABLE, l);
	return NULL;
}

static void
count(struct roa_table *t, const struct roa_paths *old, const struct roa_paths *now,
    struct roa_source *s, const struct attr_set *set)
{
	if (old && old->cnt)
		counter64_bump(&old->path[0].src->preferred, (uint64_t)-1);
	if (now)
		counter64_bump(&now->path[0].src->preferred, 1);
	counter64_bump(&t->routes, (uint64_t)(now ? now->cnt : 0) - (old ? old->cnt : 0));
	counter64_bump(set ? &s->accepted : &s->wd_accepted, 1);
}

/* ---- batches ---- */

/* Changes of the map. */
struct change_list {
	union {
		struct vrp_change *vrp;
		struct aspa_change *aspa;
	};
	uint32_t cnt;
};

static struct roa_paths *
paths_of(const struct roa_table *t, const struct vrp *v)
{
	const struct aspa *a;

	if (!t->aspa)
		return roa_map_get(t->map, v);
	a = aspa_map_get(t->aspa, v->asn);
	return a ? a->data : NULL;
}

/* note - that @now stands with @v from this batch on; NULL: it goes. */
static void
note(struct roa_table *t, struct change_list *l, const struct vrp *v,
    const struct roa_paths *old, struct roa_paths *now)
{
	bool differs = !old || !now;

	if (t->aspa) {
		const struct aspa *before = aspa_map_get(t->aspa, v->asn);
		struct aspa *after = now ? aspa_entry(v->asn, now) : NULL;

		differs = !before || !after || !aspa_same(before, after);
		l->aspa[l->cnt++] = (struct aspa_change){ v->asn, after };
	} else {
		l->vrp[l->cnt++] = (struct vrp_change){ *v, now };
	}
	if (differs)
		roa_changes_add(&t->changed, v);
}

/* one - into @l, if it is a change of the map; what it replaces goes to @g. */
static void
one(struct roa_table *t, struct roa_source *s, const struct roa_route *r,
    struct change_list *l, struct garbage *g)
{
	struct roa_paths *old = paths_of(t, &r->vrp), *now;
	uint32_t at = find_path(old, s);
	bool had = old && at < old->cnt;

	if (had ? r->set == old->path[at].set : !r->set) {
		if (r->set)
			attr_set_unref(t->tern->store, r->set, 1);
		counter64_bump(r->set ? &s->ignored : &s->wd_ignored, 1);
		return;
	}
	now = with_path(old, s, r->set);
	count(t, old, now, s, r->set);
	counter64_bump(&s->imported, (uint64_t)(r->set != NULL) - had);
	if (old)
		g->old[g->cnt++] = (struct old){ old, had ? old->path[at].set : NULL };
	note(t, l, &r->vrp, old, now);
}

static void
take_batch(struct worker *w, TAKE struct msg *m)
{
	struct roa_table *t = container_of(w, struct roa_table, worker);
	struct roa_batch *b = container_of(m, struct roa_batch, msg);
	struct change_list l = { .cnt = 0 };
	struct garbage *g;

	if (t->aspa)
		l.aspa = mem_alloc(MEM_TABLE, (b->cnt + 1) * sizeof(*l.aspa));
	else
		l.vrp = mem_alloc(MEM_TABLE, (b->cnt + 1) * sizeof(*l.vrp));
	g = mem_alloc(MEM_TABLE, sizeof(*g) + b->cnt * sizeof(g->old[0]));
	g->cnt = 0;
	for (uint32_t i = 0; i < b->cnt; i++)
		one(t, b->src, &b->route[i], &l, g);
	if (l.cnt && t->aspa)
		aspa_map_update(t->aspa, l.aspa, l.cnt);
	else if (l.cnt)
		roa_map_update(t->map, l.vrp, l.cnt);
	store_release64(
	    &t->applied, load_relaxed64(&t->applied) + 1); /* pairs: RAPPLIED */
	give_up(t, g);
	if (t->aspa)
		mem_free(MEM_TABLE, l.aspa);
	else
		mem_free(MEM_TABLE, l.vrp);
	roa_notify_batch_end(t);
	if (b->done)
		worker_post(b->src->worker, b->done);
	mem_free(MEM_TABLE, b);
}

void
roa_table_post(struct roa_table *t, TAKE struct roa_batch *b)
{
	b->msg.handle = take_batch;
	worker_post(&t->worker, &b->msg);
}

/* ---- sources ---- */

struct source_msg {
	struct msg msg;
	struct roa_source *src;
	struct msg *done; /* NULL: it joins */
};

static void
take_source(struct worker *w, TAKE struct msg *m)
{
	struct roa_table *t = container_of(w, struct roa_table, worker);
	struct source_msg *sm = container_of(m, struct source_msg, msg);

	if (sm->done) {
		t->source_cnt--;
		worker_post(sm->src->worker, sm->done);
	} else {
		t->source_cnt++;
	}
	mem_free(MEM_TABLE, sm);
	roa_table_try_stop(t);
}

static void
post_source(struct roa_table *t, struct roa_source *s, struct msg *done)
{
	struct source_msg *sm = mem_zalloc(MEM_TABLE, sizeof(*sm));

	sm->msg.handle = take_source;
	sm->src = s;
	sm->done = done;
	worker_post(&t->worker, &sm->msg);
}

void
roa_table_join(struct roa_table *t, struct roa_source *s)
{
	post_source(t, s, NULL);
}

void
roa_table_leave(struct roa_table *t, struct roa_source *s, TAKE struct msg *done)
{
	post_source(t, s, done);
}

/* ---- life ---- */

void
roa_table_try_stop(struct roa_table *t)
{
	if (!counter32_get(&t->users) && !t->source_cnt && !t->marks_out)
		worker_stop(&t->worker);
}

static void
run(struct worker *w)
{
	roa_notify_run(container_of(w, struct roa_table, worker));
}

static void
gone(struct worker *w)
{
	struct roa_table *t = container_of(w, struct roa_table, worker);
	struct tern *tern = t->tern;

	roa_table_unref(t);
	tern_worker_gone(tern);
}

static const struct worker_ops ops = {
	.run = run,
	.gone = gone,
};

void
roa_table_settle(struct roa_table *t, const struct conf_table *cf)
{
	store_relaxed64(&t->settle_min_ns, cf->settle_min_ns);
	store_relaxed64(&t->settle_max_ns, cf->settle_max_ns);
}

struct roa_table *
roa_table_new(struct tern *tern, const struct conf_table *cf)
{
	struct roa_table *t = mem_aligned(MEM_TABLE, CACHE_LINE, sizeof(*t));

	memset(t, 0, sizeof(*t));
	counter32_add(&t->refs, 2); /* the caller's, the worker's */
	counter32_add(&t->users, 1);
	t->tern = tern;
	t->name = mem_strdup(MEM_TABLE, cf->name);
	t->fam = (enum family)cf->ft.fam;
	if (cf->ft.is_aspa)
		t->aspa = aspa_map_new();
	else
		t->map = roa_map_new(t->fam);
	roa_notify_init(t);
	roa_table_settle(t, cf);
	tern_worker_start(tern);
	worker_start(&t->worker, &ops, WORKER_TABLE, t->name);
	return t;
}

static void delete (struct worker *w, TAKE struct msg *m)
{
	struct roa_table *t = container_of(w, struct roa_table, worker);

	mem_free(MEM_TABLE, m);
	counter32_sub_acq_rel(&t->users, 1);
	roa_table_try_stop(t);
}

void
roa_table_delete(TAKE struct roa_table *t)
{
	struct msg *m = mem_zalloc(MEM_TABLE, sizeof(*m));

	m->handle = delete;
	worker_post(&t->worker, m);
	roa_table_unref(t);
}

struct roa_table *
roa_table_ref(struct roa_table *t)
{
	counter32_add(&t->refs, 1);
	return t;
}

bool
roa_table_ref_live(struct roa_table *t)
{
	return counter32_add_unless_zero(&t->refs, 1);
}

/* The map may still hold paths: of sources that went without withdrawing. There are none,
 * by roa_table_leave's contract. */
static void
free_table(struct rcu_node *n)
{
	struct roa_table *t = container_of(n, struct roa_table, rcu);

	roa_notify_fini(t);
	roa_map_free(t->map);
	aspa_map_free(t->aspa);
	mem_free(MEM_TABLE, t->name);
	mem_free(MEM_TABLE, t);
}

void
roa_table_unref(TAKE struct roa_table *t)
{
	if (counter32_sub_acq_rel(&t->refs, 1) == 1)
		rcu_free_later(&t->rcu, free_table);
}

const char *
roa_table_name(const struct roa_table *t)
{
	return t->name;
}

struct roa_map *
roa_table_map(const struct roa_table *t)
{
	return t->map;
}

struct aspa_map *
roa_table_aspa(const struct roa_table *t)
{
	return t->aspa;
}

uint64_t
roa_table_vrps(const struct roa_table *t)
{
	return t->aspa ? aspa_map_cnt(t->aspa) : roa_map_cnt(t->map);
}

const struct roa_paths *
roa_table_next(const struct roa_table *t, struct vrp *v, bool first)
{
	const struct aspa *a;

	if (!t->aspa)
		return roa_map_next(t->map, v, first);
	a = aspa_map_next(t->aspa, v->asn, first);
	if (!a)
		return NULL;
	*v = (struct vrp){ .asn = a->customer };
	return a->data;
}

enum family
roa_table_family(const struct roa_table *t)
{
	return t->fam;
}

uint64_t
roa_table_routes(const struct roa_table *t)
{
	return counter64_get(&t->routes);
}
