/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Telling those whose filters ask a ROA table that answers have changed.
 *
 * Changes are collected while they come, then told in a round:
 *
 *      quiet -> (settle time) -> marking -> walking -> quiet, or the next round
 *
 *   marking  Each subscriber whose filter decides what goes into its table is asked for a
 *            mark: a message that comes back when all that it had decided before is in that
 *            table. Without it a route that was judged by the old VRPs could come in behind
 *            the walk's back.
 *   walking  Each IP table that has subscribers is walked once, under RCU; the nets
 *            that the changes concern (nest/roa_changes.c) are noted and told to all its
 *            subscribers: one list, shared.
 *
 * I1  VRPs are published before a round begins; decisions after a mark see them.
 * I2  A mark names its round and its subscriber by numbers: both may be gone when it comes.
 * I3  A table is looked at only in a callback that has found a subscriber on it: a
 *     subscriber keeps its table.
 *
 * Loop: the ROA table's. */
#include "nest/roa_table_priv.h"

#define WALK_STEP 4096 /* looks a turn, at a net or at a path */

/* ---- hits ---- */

static struct roa_hits *
hits_new(bool all)
{
	struct roa_hits *h = mem_zalloc(MEM_TABLE, sizeof(*h));

	counter32_add(&h->refs, 1);
	h->all = all;
	return h;
}

void
roa_hits_unref(TAKE struct roa_hits *h)
{
	if (counter32_sub_acq_rel(&h->refs, 1) != 1)
		return;
	mem_free(MEM_TABLE, h->id);
	mem_free(MEM_TABLE, h);
}

static void
hits_add(struct roa_hits *h, uint32_t id)
{
	if (h->cnt == h->cap) {
		h->cap = h->cap ? 2 * h->cap : 64;
		h->id = mem_realloc(MEM_TABLE, h->id, h->cap * sizeof(*h->id));
	}
	h->id[h->cnt++] = id;
}

/* ---- messages to subscribers ---- */

struct sub_msg {
	struct msg msg;
	struct roa_sub *sub;
	struct roa_hits *hits;
	struct table_mark *mark;
};

static void
give_hits(struct worker *w, TAKE struct msg *m)
{
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);

	(void)w;
	sm->sub->hits(sm->sub, sm->hits);
	mem_free(MEM_TABLE, sm);
}

static void
give_mark(struct worker *w, TAKE struct msg *m)
{
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);

	(void)w;
	sm->sub->ask(sm->sub, sm->mark);
	mem_free(MEM_TABLE, sm);
}

static void
give_dropped(struct worker *w, TAKE struct msg *m)
{
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);

	(void)w;
	sm->sub->dropped(sm->sub);
	mem_free(MEM_TABLE, sm);
}

static void
tell(struct roa_sub *s, void (*fn)(struct worker *w, struct msg *m), struct roa_hits *h,
    struct table_mark *mark)
{
	struct sub_msg *sm = mem_zalloc(MEM_TABLE, sizeof(*sm));

	sm->msg.handle = fn;
	sm->sub = s;
	sm->hits = h;
	sm->mark = mark;
	worker_post(s->worker, &sm->msg);
}

/* ---- marks ---- */

struct mark {
	struct table_mark m; /* to the ROA table: marks_out keeps its worker */
	uint64_t round, number; /* I2 */
};

static void
start_walking(struct roa_table *t)
{
	t->phase = ROA_WALKING;
	t->walked = NULL;
	t->walked_to = 0;
	worker_again(&t->worker);
}

static void
mark_done(struct roa_table *t, struct roa_sub *s)
{
	s->asked = false;
	if (!--t->waiting && t->phase == ROA_MARKING)
		start_walking(t);
}

static void
take_mark(struct worker *w, TAKE struct msg *m)
{
	struct roa_table *t = container_of(w, struct roa_table, worker);
	struct mark *k = container_of(m, struct mark, m.msg);
	struct list *n;

	t->marks_out--;
	list_for_each (n, &t->subs) {
		struct roa_sub *s = container_of(n, struct roa_sub, link);

		if (s->number == k->number && s->asked && k->round == t->round_number) {
			mark_done(t, s);
			break;
		}
	}
	mem_free(MEM_TABLE, k);
	roa_table_try_stop(t);
}

static void
ask(struct roa_table *t, struct roa_sub *s)
{
	struct mark *k = mem_zalloc(MEM_TABLE, sizeof(*k));

	k->m.msg.handle = take_mark;
	k->m.to = &t->worker;
	k->round = t->round_number;
	k->number = s->number;
	s->asked = true;
	t->waiting++;
	t->marks_out++;
	tell(s, give_mark, NULL, &k->m);
}

static void
start_round(struct roa_table *t)
{
	struct list *n;

	roa_changes_take(&t->round, &t->changed);
	t->round_number++;
	t->phase = ROA_MARKING;
	list_for_each (n, &t->subs) {
		struct roa_sub *s = container_of(n, struct roa_sub, link);

		if (s->import)
			ask(t, s);
	}
	if (!t->waiting)
		start_walking(t);
}

/* ---- the walk ---- */

/* The subscriber with the lowest number from @from on; with @on only those of that table. */
static struct roa_sub *
next_sub(struct roa_table *t, uint64_t from, const struct table *on)
{
	struct list *n;

	list_for_each (n, &t->subs) {
		struct roa_sub *s = container_of(n, struct roa_sub, link);

		if (s->number >= from && (!on || s->routes == on))
			return s; /* the list is in the order of numbers */
	}
	return NULL;
}

static bool
served_before(struct roa_table *t, const struct roa_sub *s)
{
	return next_sub(t, 0, s->routes) != s;
}

/* walk_some - Returns: whether the table is through. */
static bool
walk_some(struct roa_table *t)
{
	uint32_t limit = table_id_limit(t->walked), looks = 0;

	t->round.last = NULL;
	for (; t->walk_pos < limit && looks < WALK_STEP; t->walk_pos++) {
		const struct net *n = table_net_at(t->walked, t->walk_pos);

		looks++;
		if (n && roa_changes_touch(&t->round, t->walked, n, &looks))
			hits_add(t->found, t->walk_pos);
	}
	return t->walk_pos >= limit;
}

static void
tell_all(struct roa_table *t)
{
	struct roa_hits *all = hits_new(true);
	struct list *n;

	list_for_each (n, &t->subs) {
		struct roa_sub *s = container_of(n, struct roa_sub, link);
		struct roa_hits *h = s->other_nets ? all : t->found;

		if (s->routes != t->walked)
			continue;
		counter32_add(&h->refs, 1);
		tell(s, give_hits, h, NULL);
	}
	roa_hits_unref(all);
}

static void
drop_walk(struct roa_table *t)
{
	if (t->found)
		roa_hits_unref(t->found);
	t->found = NULL;
	t->walked = NULL;
}

static void
arm(struct roa_table *t)
{
	uint64_t now = loop_now_ns(&t->worker), at;

	at = min_u64(now + load_relaxed64(&t->settle_min_ns),
	    t->first_ns + load_relaxed64(&t->settle_max_ns));
	timer_set(&t->settle, at);
}

static void
round_over(struct roa_table *t)
{
	roa_changes_clear(&t->round);
	t->phase = ROA_QUIET;
	if (roa_changes_any(&t->changed))
		arm(t);
}

void
roa_notify_run(struct roa_table *t)
{
	struct roa_sub *s;

	if (t->phase != ROA_WALKING)
		return;
	if (t->walked && !next_sub(t, 0, t->walked))
		drop_walk(t); /* I3: all its subscribers have gone */
	if (t->walked) {
		if (walk_some(t)) {
			tell_all(t);
			drop_walk(t);
		}
		worker_again(&t->worker);
		return;
	}
	for (s = next_sub(t, t->walked_to, NULL); s && served_before(t, s);)
		s = next_sub(t, s->number + 1, NULL);
	if (!s) {
		round_over(t);
		return;
	}
	t->walked = s->routes;
	t->walked_to = s->number + 1;
	t->walk_pos = 0;
	t->found = hits_new(false);
	worker_again(&t->worker);
}

void
roa_notify_batch_end(struct roa_table *t)
{
	if (!roa_changes_any(&t->changed) || t->phase != ROA_QUIET)
		return;
	if (!timer_active(&t->settle))
		t->first_ns = loop_now_ns(&t->worker);
	arm(t);
}

static void
settled(struct timer *tm)
{
	start_round(container_of(tm, struct roa_table, settle));
}

/* ---- subscribing ---- */

static void
take_start(struct worker *w, TAKE struct msg *m)
{
	struct roa_table *t = container_of(w, struct roa_table, worker);
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);

	sm->sub->number = ++t->last_number;
	list_add_tail(&t->subs, &sm->sub->link);
	mem_free(MEM_TABLE, sm);
}

static void
take_drop(struct worker *w, TAKE struct msg *m)
{
	struct roa_table *t = container_of(w, struct roa_table, worker);
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);
	struct roa_sub *s = sm->sub;

	list_del(&s->link);
	if (s->asked)
		mark_done(t, s);
	if (t->walked && !next_sub(t, 0, t->walked))
		drop_walk(t);
	counter32_sub_acq_rel(&t->users, 1);
	sm->msg.handle = give_dropped;
	worker_post(s->worker, &sm->msg);
	roa_table_try_stop(t);
}

static void
post(struct roa_sub *s, void (*fn)(struct worker *w, struct msg *m))
{
	struct sub_msg *sm = mem_zalloc(MEM_TABLE, sizeof(*sm));

	sm->msg.handle = fn;
	sm->sub = s;
	worker_post(&s->table->worker, &sm->msg);
}

bool
roa_sub_start(struct roa_sub *s)
{
	if (!counter32_add_unless_zero(&s->table->users, 1))
		return false;
	list_init(&s->link);
	post(s, take_start);
	return true;
}

void
roa_sub_drop(struct roa_sub *s)
{
	post(s, take_drop);
}

void
roa_notify_init(struct roa_table *t)
{
	list_init(&t->subs);
	t->changed.customers = t->round.customers = t->aspa != NULL;
	timer_init(&t->settle, &t->worker, settled);
}

void
roa_notify_fini(struct roa_table *t)
{
	roa_changes_clear(&t->changed);
	roa_changes_clear(&t->round);
	drop_walk(t);
}
