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
 *            that the changes concern (nest/rpki/roa_changes.c) are noted and told to all its
 *            subscribers: one list, shared.
 *
 * I1  VRPs are published before a round begins; decisions after a mark see them.
 * I2  A mark knows its subscriber until that is dropped, and a round waits for all marks of those that aren't.
 * I3  A table is looked at only in a callback that has found a subscriber on it: a
 *     subscriber keeps its table. So a group of subscribers is there while it has one.
 * I4  Who starts while a round is on is part of it if it isn't walking yet. Else, if the round began after it
 *     asked to start, it may have decided by what there was before: in the next round it is told of all nets.
 *
 * I5  A subscriber all of whose decisions were made when a round's changes were there (`since`) isn't told: at the
 *     start routes come while the VRPs settle, and would be judged twice.
 *
 * Loop: the ROA table's. */
#include "nest/rpki/roa_table_priv.h"

#include "lib/base/hash.h"

#define WALK_STEP 4096 /* looks a turn, at a net or at a path */

enum roa_late { LATE_NOT, LATE_NEXT, LATE_NOW /* I4: told of all nets in which round */ };

/* Those who decide about the routes of one table. */
struct roa_group {
	struct list link; /* of t->groups */
	struct list same_slot;
	struct table *routes;
	struct list subs;
};

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

struct roa_mark {
	struct table_mark m; /* to the ROA table: marks_out keeps its worker */
	struct roa_sub *sub; /* NULL: it has gone (I2). The ROA table's */
};

static void
start_walking(struct roa_table *t)
{
	t->phase = ROA_WALKING;
	t->walked = NULL;
	t->next_group = t->groups.next;
	worker_again(&t->worker);
}

static void
mark_done(struct roa_table *t, struct roa_sub *s)
{
	s->asked->sub = NULL;
	s->asked = NULL;
	if (!--t->waiting && t->phase == ROA_MARKING)
		start_walking(t);
}

static void
take_mark(struct worker *w, TAKE struct msg *m)
{
	struct roa_table *t = container_of(w, struct roa_table, worker);
	struct roa_mark *k = container_of(m, struct roa_mark, m.msg);

	t->marks_out--;
	if (k->sub)
		mark_done(t, k->sub);
	mem_free(MEM_TABLE, k);
	roa_table_try_stop(t);
}

static void
ask(struct roa_table *t, struct roa_sub *s)
{
	struct roa_mark *k = mem_zalloc(MEM_TABLE, sizeof(*k));

	k->m.msg.handle = take_mark;
	k->m.to = &t->worker;
	k->sub = s;
	s->asked = k;
	t->waiting++;
	t->marks_out++;
	tell(s, give_mark, NULL, &k->m);
}

static struct roa_group *
group_of(struct list *n)
{
	return container_of(n, struct roa_group, link);
}

static void
ask_group(struct roa_table *t, struct roa_group *g)
{
	struct list *n;

	list_for_each (n, &g->subs) {
		struct roa_sub *s = container_of(n, struct roa_sub, link);

		if (s->late)
			s->late = LATE_NOW;
		if (s->import)
			ask(t, s);
	}
}

static void
start_round(struct roa_table *t)
{
	struct list *n;

	roa_changes_take(&t->round, &t->changed);
	store_release64(&t->begun, load_relaxed64(&t->begun) + 1); /* pairs: RBEGUN */
	t->round_applied = load_relaxed64(&t->applied);
	t->phase = ROA_MARKING;
	list_for_each (n, &t->groups)
		ask_group(t, group_of(n));
	if (!t->waiting)
		start_walking(t);
}

/* ---- the walk ---- */

/* walk_some - Returns: whether the table is through. */
static bool
walk_some(struct roa_table *t)
{
	const struct table *routes = t->walked->routes;
	uint32_t limit = table_id_limit(routes), looks = 0;

	t->round.last = NULL;
	for (; t->walk_pos < limit && looks < WALK_STEP; t->walk_pos++) {
		const struct net *n = table_net_at(routes, t->walk_pos);

		looks++;
		if (n && roa_changes_touch(&t->round, routes, n, &looks))
			hits_add(t->found, t->walk_pos);
	}
	return t->walk_pos >= limit;
}

static void
not_late(struct roa_table *t, struct roa_sub *s)
{
	if (s->late)
		t->late_cnt--;
	s->late = LATE_NOT;
}

static void
tell_all(struct roa_table *t)
{
	struct roa_hits *all = hits_new(true);
	struct list *n;

	list_for_each (n, &t->walked->subs) {
		struct roa_sub *s = container_of(n, struct roa_sub, link);
		bool late = s->late == LATE_NOW;
		struct roa_hits *h = s->other_nets || late ? all : t->found;

		if (late)
			not_late(t, s);
		else if (!roa_changes_any(&t->round) ||
			 load_acquire64(&s->since) >=
			     t->round_applied) /* pairs: RSINCE */
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
	if (roa_changes_any(&t->changed) || t->late_cnt)
		arm(t);
}

void
roa_notify_run(struct roa_table *t)
{
	if (t->phase != ROA_WALKING)
		return;
	if (t->walked) {
		if (walk_some(t)) {
			tell_all(t);
			drop_walk(t);
		}
	} else if (t->next_group == &t->groups) {
		round_over(t);
		return;
	} else {
		t->walked = group_of(t->next_group);
		t->next_group = t->next_group->next;
		t->walk_pos = 0;
		t->found = hits_new(false);
	}
	worker_again(&t->worker);
}

void
roa_notify_batch_end(struct roa_table *t)
{
	if (t->phase != ROA_QUIET || !(roa_changes_any(&t->changed) || t->late_cnt))
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

static struct list *
slot_of(struct roa_table *t, const struct table *routes)
{
	return &t->group_by_routes[hash_u64(0, (uintptr_t)routes) % ROA_GROUP_SLOTS];
}

/* group_for - of @routes, made if there is none yet. */
static struct roa_group *
group_for(struct roa_table *t, struct table *routes)
{
	struct list *slot = slot_of(t, routes), *n;
	struct roa_group *g;

	list_for_each (n, slot) {
		g = container_of(n, struct roa_group, same_slot);
		if (g->routes == routes)
			return g;
	}
	g = mem_zalloc(MEM_TABLE, sizeof(*g));
	g->routes = routes;
	list_init(&g->subs);
	list_add_tail(slot, &g->same_slot);
	list_add_tail(&t->groups, &g->link);
	return g;
}

/* group_gone - its last subscriber went (I3). */
static void
group_gone(struct roa_table *t, TAKE struct roa_group *g)
{
	if (t->walked == g)
		drop_walk(t);
	if (t->next_group == &g->link)
		t->next_group = g->link.next;
	list_del(&g->link);
	list_del(&g->same_slot);
	mem_free(MEM_TABLE, g);
}

static void
take_start(struct worker *w, TAKE struct msg *m)
{
	struct roa_table *t = container_of(w, struct roa_table, worker);
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);
	struct roa_sub *s = sm->sub;

	mem_free(MEM_TABLE, sm);
	s->group = group_for(t, s->routes);
	list_add_tail(&s->group->subs, &s->link);
	if (t->phase == ROA_MARKING) { /* I4 */
		if (s->import)
			ask(t, s);
	} else if (s->begun != load_relaxed64(&t->begun)) {
		s->late = LATE_NEXT;
		t->late_cnt++;
		roa_notify_batch_end(t);
	}
}

static void
take_drop(struct worker *w, TAKE struct msg *m)
{
	struct roa_table *t = container_of(w, struct roa_table, worker);
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);
	struct roa_sub *s = sm->sub;

	list_del(&s->link);
	if (list_empty(&s->group->subs))
		group_gone(t, s->group);
	if (s->asked)
		mark_done(t, s);
	not_late(t, s);
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
	s->asked = NULL;
	s->late = LATE_NOT;
	s->begun = load_acquire64(&s->table->begun); /* pairs: RBEGUN */
	roa_sub_renew(s);
	post(s, take_start);
	return true;
}

void
roa_sub_renew(struct roa_sub *s)
{
	uint64_t applied = load_acquire64(&s->table->applied); /* pairs: RAPPLIED */

	store_release64(&s->since, applied); /* pairs: RSINCE */
}

void
roa_sub_drop(struct roa_sub *s)
{
	post(s, take_drop);
}

void
roa_notify_init(struct roa_table *t)
{
	list_init(&t->groups);
	for (unsigned i = 0; i < ROA_GROUP_SLOTS; i++)
		list_init(&t->group_by_routes[i]);
	t->next_group = &t->groups;
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
