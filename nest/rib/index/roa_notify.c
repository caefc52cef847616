/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds that notify subscribers of a ROA or ASPA table about changed answers.
 *
 * Changes are collected as they arrive, then reported in a round:
 *
 *      quiet -> (settle time) -> grace -> marking -> walking -> quiet
 *
 *   grace    A grace period. Later decisions see the new VRPs, and earlier decisions are
 *            on the ring of the subscriber, or pending behind the ring.
 *   marking  A subscriber with decisions not yet in its table is asked for a mark: a
 *            message that returns when the table has all earlier decisions. Without the
 *            mark, a route judged by old VRPs could enter behind the walk. The index
 *            reads the rings, and wakes only subscribers whose ring holds decisions.
 *   walking  Each IP table with subscribers is walked once, under RCU. Readers get one
 *            shared list of the affected nets (nest/rib/index/roa_changes.c); a
 *            subscriber with a feeder gets the affected nets of its feeder. A
 *            subscriber without `import keep filtered` has refused routes that the table
 *            does not store: the index notifies the subscriber of every round.
 *
 * A round looks at every net of each such table and searches the list of changes for the
 * net, because a hash table cannot find the nets below a prefix, and only a path knows
 * its customers. Turns of WALK_STEP looks hold up no other worker.
 *
 * I1  VRPs are published before a round begins; decisions after its grace period or a
 *     mark see them.
 * I2  A mark knows its subscriber until the subscriber is dropped, and a round waits for
 *     the marks of all present subscribers.
 * I3  A table is looked at only in a callback that found a subscriber of the table: a
 *     subscriber keeps its table alive. A group lives while it has a subscriber.
 * I4  A subscriber that starts during a round takes part. The subscriber posts its start
 *     in the callback of the first decision, so the start arrives before the end of any
 *     later grace period. In marking or walking, the decisions of the subscriber are by
 *     the new VRPs, except for decisions taken over from a predecessor. The predecessor
 *     is dropped after the start; notify_take_drop reports the rest of the round.
 * I5  A round skips a subscriber that made all its decisions with the round's changes
 *     (`since`): at the start, routes arrive while VRPs settle and are judged once.
 *
 * Loop: the index's. Tests: test_rpki_index.c, test_roa_said.c. */
#include "nest/rib/index/rpki_index_priv.h"

#include "lib/base/hash.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define WALK_STEP 4096 /* looks a turn, at a net or at a path */
#define FOUND_MAX 65536 /* ids in lists; full lists are reported at once */
/* between two subscribers that need all routes again; limit from the first to the last */
#define TURN_NS  (100 * NS_PER_MS)
#define TURNS_NS (50 * NS_PER_S)

/* ---- messages to subscribers ---- */

struct sub_msg {
	struct msg msg;
	struct roa_sub *sub;
	struct roa_affected *affected;
	struct table_mark *mark;
	uint64_t after_ns;
};

static void
notify_give_affected(struct worker *w, TAKE struct msg *m)
{
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);

	(void)w;
	sm->sub->affected(sm->sub, sm->affected);
	mem_free(MEM_TABLE, sm);
}

static void
notify_give_again(struct worker *w, TAKE struct msg *m)
{
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);

	(void)w;
	sm->sub->again(sm->sub, sm->after_ns);
	mem_free(MEM_TABLE, sm);
}

static void
notify_give_mark(struct worker *w, TAKE struct msg *m)
{
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);

	(void)w;
	sm->sub->ask(sm->sub, sm->mark);
	mem_free(MEM_TABLE, sm);
}

static void
notify_give_dropped(struct worker *w, TAKE struct msg *m)
{
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);

	(void)w;
	sm->sub->dropped(sm->sub);
	mem_free(MEM_TABLE, sm);
}

/* roa_notify_send - post @what; msg and sub are set here. */
static void
roa_notify_send(
    struct roa_sub *s, void (*fn)(struct worker *w, struct msg *m), struct sub_msg what)
{
	struct sub_msg *sm = mem_alloc(MEM_TABLE, sizeof(*sm));

	*sm = what;
	sm->msg.handle = fn;
	sm->sub = s;
	worker_post(s->worker, &sm->msg);
}

/* ---- marks ---- */

struct roa_mark {
	struct table_mark m; /* returns to the index; marks_out keeps the worker */
	struct roa_sub *sub; /* NULL: dropped (I2). Written by the index */
};

static void
notify_start_walking(struct rpki_index *x)
{
	x->round.phase = ROA_WALKING;
	x->round.walked = NULL;
	x->round.next_group = x->subs.groups.next;
	x->round.turn_ns = x->round.after_ns = 0;
	worker_again(&x->f.worker);
}

static void
notify_mark_done(struct rpki_index *x, struct roa_sub *s)
{
	s->asked->sub = NULL;
	s->asked = NULL;
	if (!--x->round.waiting && x->round.phase == ROA_MARKING)
		notify_start_walking(x);
}

static void
notify_take_mark(struct worker *w, TAKE struct msg *m)
{
	struct rpki_index *x = rpki_index_of_worker(w);
	struct roa_mark *k = container_of(m, struct roa_mark, m.msg);

	x->round.marks_out--;
	if (k->sub)
		notify_mark_done(x, k->sub);
	mem_free(MEM_TABLE, k);
	rpki_index_try_stop(x);
}

/* notify_ask_if_behind - in ROA_MARKING: ask for a mark if decisions are not yet in the
 * table. */
static void
notify_ask_if_behind(struct rpki_index *x, struct roa_sub *s)
{
	struct roa_mark *k;

	if (s->waits_only || !s->feeder || feeder_through(s->feeder))
		return;
	k = mem_zalloc(MEM_TABLE, sizeof(*k));
	k->m.msg.handle = notify_take_mark;
	k->m.to = &x->f.worker;
	k->sub = s;
	s->asked = k;
	x->round.waiting++;
	x->round.marks_out++;
	roa_notify_send(s, notify_give_mark, (struct sub_msg){ .mark = &k->m });
}

static void
notify_ask_group(struct rpki_index *x, struct roa_group *g)
{
	struct list *n;

	list_for_each (n, &g->subs)
		notify_ask_if_behind(x, container_of(n, struct roa_sub, link));
}

static void
notify_take_graced(struct worker *w, TAKE struct msg *m)
{
	struct rpki_index *x = rpki_index_of_worker(w);
	struct list *n;

	(void)m;
	x->round.marks_out--;
	x->round.phase = ROA_MARKING;
	list_for_each (n, &x->subs.groups)
		notify_ask_group(x, roa_group_of(n));
	if (!x->round.waiting)
		notify_start_walking(x);
	rpki_index_try_stop(x);
}

static void
roa_notify_graced(struct rcu_node *n)
{
	struct rpki_index *x = container_of(n, struct rpki_index, round.grace);

	worker_post(&x->f.worker, &x->round.graced);
}

static void
notify_start_round(struct rpki_index *x)
{
	roa_changes_take(&x->round.changes, &x->pending.changed);
	x->round.round_applied = load_relaxed64(&x->round.applied);
	x->round.phase = ROA_GRACE;
	x->round.marks_out++;
	rcu_free_later(&x->round.grace, roa_notify_graced);
}

/* ---- the walk ---- */

/* notify_walk_some - Returns: whether the table is through. */
static bool
notify_walk_some(struct rpki_index *x)
{
	const struct table *routes = x->round.walked->routes;
	uint32_t limit = table_id_limit(routes), looks = 0;

	if (!x->round.changes.cnt) /* nothing, or everything */
		return true;
	x->round.changes.last = NULL;
	for (; x->round.walk_pos < limit && looks < WALK_STEP; x->round.walk_pos++) {
		const struct net *n = table_net_at(routes, x->round.walk_pos);

		looks++;
		if (n && roa_changes_touch(&x->round.changes, routes, n, &looks))
			roa_found_add(x, x->round.walk_pos, n, &looks);
	}
	return x->round.walk_pos >= limit;
}

/* roa_notify_knows - did all decisions of @s see the round's changes? (I5) */
static bool
roa_notify_knows(const struct rpki_index *x, const struct roa_sub *s)
{
	return s->waits_only ||
	       load_acquire64(&s->since) >= x->round.round_applied; /* pairs: RSINCE */
}

/* notify_found_all - true: only the found nets can have changed answers. */
static bool
notify_found_all(const struct rpki_index *x, const struct roa_sub *s)
{
	return !x->round.changes.all && !s->other_nets;
}

/* notify_by_list - true: a list of found nets is enough for the subscriber. */
static bool
notify_by_list(const struct rpki_index *x, const struct roa_sub *s)
{
	return notify_found_all(x, s) && (!s->feeder || s->keeps);
}

/* notify_wants_all - true: the subscriber is notified of all nets after the walk of its
 * table. */
static bool
notify_wants_all(const struct rpki_index *x, const struct roa_sub *s)
{
	return roa_changes_any(&x->round.changes) && !notify_by_list(x, s) &&
	       !roa_notify_knows(x, s);
}

static void
notify_affected(struct roa_sub *s, struct roa_affected *h)
{
	counter32_add(&h->refs, 1);
	roa_notify_send(s, notify_give_affected, (struct sub_msg){ .affected = h });
}

/* notify_found - notify the affected subscribers, and begin new lists. */
static void
notify_found(struct rpki_index *x)
{
	struct list *n;

	list_for_each (n, &x->round.walked->subs) {
		struct roa_sub *s = container_of(n, struct roa_sub, link);
		struct roa_affected *h = roa_found_for(&x->round.found, s);

		if (!h || !notify_found_all(x, s) || roa_notify_knows(x, s))
			continue;
		notify_affected(s, h);
		if (notify_by_list(x, s))
			roa_said_count(x, s, h);
	}
	roa_found_clear(&x->round.found);
}

/* notify_has_lost - true: the table lacks the routes that the subscriber refused. */
static bool
notify_has_lost(const struct roa_sub *s)
{
	return s->feeder && !s->keeps;
}

/* notify_of_all - notify of all nets; @all: a list for all nets. @found: lists already
 * named the affected routes of the subscriber in the table. */
static void
notify_of_all(struct roa_sub *s, struct roa_affected *all, uint64_t after_ns, bool found)
{
	if (!found)
		notify_affected(s, all);
	if (notify_has_lost(s))
		roa_notify_send(
		    s, notify_give_again, (struct sub_msg){ .after_ns = after_ns });
}

/* notify_turn_of - interval between turns, from the number of subscribers with a turn. */
static uint64_t
notify_turn_of(const struct rpki_index *x)
{
	uint32_t cnt = 0;
	struct list *g, *n;

	list_for_each (g, &x->subs.groups)
		list_for_each (n, &roa_group_of(g)->subs) {
			struct roa_sub *s = container_of(n, struct roa_sub, link);

			cnt += notify_wants_all(x, s) && notify_has_lost(s);
		}
	return min_u64(TURN_NS, TURNS_NS / max_u64(cnt, 1));
}

/* roa_notify_all - notify the subscribers without lists, in turns: peers asked for
 * all routes at once would send all routes at once. */
static void
roa_notify_all(struct rpki_index *x)
{
	struct roa_affected *all = roa_affected_new(true);
	struct table_stats st;
	struct list *n;

	if (!x->round.turn_ns)
		x->round.turn_ns = notify_turn_of(x);
	table_stats(x->round.walked->routes, &st);
	list_for_each (n, &x->round.walked->subs) {
		struct roa_sub *s = container_of(n, struct roa_sub, link);

		if (!notify_wants_all(x, s))
			continue;
		notify_of_all(s, all, x->round.after_ns, notify_found_all(x, s));
		x->round.after_ns += notify_has_lost(s) ? x->round.turn_ns : 0;
		roa_said_all(x, s, st.nets);
	}
	roa_affected_unref(all);
}

static void
notify_drop_walk(struct rpki_index *x)
{
	roa_found_clear(&x->round.found);
	x->round.walked = NULL;
}

static void
roa_notify_arm(struct rpki_index *x)
{
	uint64_t now = loop_now_ns(&x->f.worker), at;

	at = min_u64(now + load_relaxed64(&x->pending.settle_min_ns),
	    x->pending.first_ns + load_relaxed64(&x->pending.settle_max_ns));
	timer_set(&x->pending.settle, at);
}

static void
notify_round_over(struct rpki_index *x)
{
	roa_said_end(x);
	roa_changes_clear(&x->round.changes);
	x->round.phase = ROA_QUIET;
	if (!roa_changes_any(&x->pending.changed))
		return;
	/* The settle time starts anew, however old the first collected change is. */
	x->pending.first_ns = loop_now_ns(&x->f.worker);
	roa_notify_arm(x);
	worker_again(&x->f.worker); /* complete data need not settle */
}

void
roa_notify_run(struct rpki_index *x)
{
	if (x->round.phase != ROA_WALKING)
		return;
	if (x->round.walked) {
		bool through = notify_walk_some(x);

		if (through || x->round.found.cnt >= FOUND_MAX)
			notify_found(x);
		if (through) {
			roa_notify_all(x);
			notify_drop_walk(x);
		}
	} else if (x->round.next_group == &x->subs.groups) {
		notify_round_over(x);
		return;
	} else {
		x->round.walked = roa_group_of(x->round.next_group);
		x->round.next_group = x->round.next_group->next;
		x->round.walk_pos = 0;
	}
	worker_again(&x->f.worker);
}

void
roa_notify_batch_end(struct rpki_index *x)
{
	if (x->round.phase != ROA_QUIET || !roa_changes_any(&x->pending.changed))
		return;
	if (!timer_active(&x->pending.settle))
		x->pending.first_ns = loop_now_ns(&x->f.worker);
	roa_notify_arm(x);
}

static void
roa_notify_settled(struct timer *tm)
{
	struct rpki_index *x = container_of(tm, struct rpki_index, pending.settle);

	/* Else nobody is left, and the worker may end before a grace period does. */
	if (!x->f.leaving && !roa_whole_held(x))
		notify_start_round(x);
}

/* ---- subscribing ---- */

static struct list *
roa_notify_slot_of(struct rpki_index *x, const struct table *routes)
{
	return &x->subs.by_routes[hash_u64(0, table_number(routes)) % ROA_GROUP_SLOTS];
}

/* notify_group_for - find or make the group of @routes. */
static struct roa_group *
notify_group_for(struct rpki_index *x, struct table *routes)
{
	struct list *slot = roa_notify_slot_of(x, routes), *n;
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
	list_add_tail(&x->subs.groups, &g->link);
	return g;
}

/* notify_group_gone - the last subscriber left (I3). */
static void
notify_group_gone(struct rpki_index *x, TAKE struct roa_group *g)
{
	if (x->round.walked == g)
		notify_drop_walk(x);
	if (x->round.next_group == &g->link)
		x->round.next_group = g->link.next;
	list_del(&g->link);
	list_del(&g->same_slot);
	mem_free(MEM_TABLE, g);
}

static void
notify_take_start(struct worker *w, TAKE struct msg *m)
{
	struct rpki_index *x = rpki_index_of_worker(w);
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);
	struct roa_sub *s = sm->sub;

	mem_free(MEM_TABLE, sm);
	s->group = notify_group_for(x, s->routes);
	list_add_tail(&s->group->subs, &s->link);
	if (x->round.phase == ROA_MARKING) /* for decisions of a predecessor (I4) */
		notify_ask_if_behind(x, s);
	if (!rpki_index_fills(x)) /* may repeat known news */
		rpki_wait_notify(s);
}

static void
notify_take_drop(struct worker *w, TAKE struct msg *m)
{
	struct rpki_index *x = rpki_index_of_worker(w);
	struct sub_msg *sm = container_of(m, struct sub_msg, msg);
	struct roa_sub *s = sm->sub;

	/* The end of the walk would notify @s. A successor that is notified by lists
	 * missed the lists before its start. */
	if (x->round.walked == s->group && notify_wants_all(x, s)) {
		struct roa_affected *all = roa_affected_new(true);

		notify_of_all(s, all, 0, false);
		roa_affected_unref(all);
	}
	list_del(&s->link);
	if (list_empty(&s->group->subs))
		notify_group_gone(x, s->group);
	if (s->asked)
		notify_mark_done(x, s);
	counter32_sub_acq_rel(&x->users, 1);
	sm->msg.handle = notify_give_dropped;
	worker_post(s->worker, &sm->msg);
	rpki_index_try_stop(x);
}

static void
roa_notify_post(struct roa_sub *s, void (*fn)(struct worker *w, struct msg *m))
{
	struct sub_msg *sm = mem_zalloc(MEM_TABLE, sizeof(*sm));

	sm->msg.handle = fn;
	sm->sub = s;
	worker_post(&s->index->f.worker, &sm->msg);
}

bool
roa_sub_start(struct roa_sub *s, const struct roa_sub *old)
{
	if (!counter32_add_unless_zero(&s->index->users, 1))
		return false;
	list_init(&s->link);
	s->asked = NULL;
	if (old) /* the decisions of @old continue */
		store_release64(
		    &s->since, load_relaxed64(&old->since)); /* pairs: RSINCE */
	else
		roa_sub_renew(s);
	roa_notify_post(s, notify_take_start);
	return true;
}

void
roa_sub_renew(struct roa_sub *s)
{
	uint64_t applied = load_acquire64(&s->index->round.applied); /* pairs: RAPPLIED */

	store_release64(&s->since, applied); /* pairs: RSINCE */
}

void
roa_sub_drop(struct roa_sub *s)
{
	roa_notify_post(s, notify_take_drop);
}

void
roa_notify_init(struct rpki_index *x)
{
	list_init(&x->subs.groups);
	for (unsigned i = 0; i < ROA_GROUP_SLOTS; i++)
		list_init(&x->subs.by_routes[i]);
	x->round.next_group = &x->subs.groups;
	x->pending.changed.customers = x->round.changes.customers = x->aspa != NULL;
	timer_init(&x->pending.settle, &x->f.worker, roa_notify_settled);
	roa_said_init(x);
	x->round.graced.handle = notify_take_graced;
}

void
roa_notify_fini(struct rpki_index *x)
{
	roa_changes_clear(&x->pending.changed);
	roa_changes_clear(&x->round.changes);
	notify_drop_walk(x);
}
