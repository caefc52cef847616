/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of a net in order of rank, and selection of the best path. The table's loop.
 *
 * The order is strict and leaves out MED, which is not transitive: preference, the
 * protocol's rank, the number of pipes on the way, then path_tie.h. The best route is the
 * first selectable path, unless further paths are tied in all steps before MED: then the
 * protocol chooses among tied paths (RFC 4271, 9.1.2.2 c). Order of arrival is no step.
 *
 * I1  A new path is linked before the best pointer moves; the old path of equal source
 *     and received identifier is unlinked afterwards, so a reader never sees a gap.
 * I2  Paths of dead epochs and filtered paths are never best after the net was touched.
 *
 * A net with few paths is walked for each change. A net with many paths has an index
 * (path_index.h): a change costs a few comparisons, and needs no selection if the best
 * path was and is the first path not eliminated by MED (best_stays). */
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/near.h"
#include "lib/mt/slab.h"
#include "nest/conf/config.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/path_priv.h"
#include "nest/core/reason.h"
#include "nest/rib/source.h"
#include "nest/rib/stream.h"
#include "nest/rib/table.h"
#include "nest/rib/table/feeder_priv.h"
#include "nest/rib/table/path_index.h"
#include "nest/rib/table/path_tie.h"
#include "nest/rib/table_priv.h"

/* beyond, the first 256 in rank take part in the comparison of MED */
#define TIED_MAX 256

static struct path *
best_next(const struct path *p)
{
	return near_load_relaxed(&p->next);
}

static bool
best_dead(const struct table *t, const struct path *p)
{
	return !epochs_live(
	    feeder_epochs(table_feeder_local(t, path_feeder(p))), path_epoch(p));
}

static struct route_cand
table_best_cand(const struct table *t, const struct path *p)
{
	const struct origin *f = path_origin_local(t, p);

	return (struct route_cand){ p->set, &f->src, path_time_cs(p) };
}

static struct path_tie
best_tie_of(const struct table *t, const struct path *p)
{
	return (struct path_tie){ table_feeder_local(t, path_feeder(p))->place,
		path_origin_local(t, p), p->set, path_origin(p) != 0 };
}

/* best_cmp_equal - best_cmp of two paths with equal rank. For equal routes the feeders'
 * numbers decide, which follow the order of arrival. */
static int
best_cmp_equal(const struct table *t, const struct path *a, const struct path *b)
{
	struct path_tie ta = best_tie_of(t, a), tb = best_tie_of(t, b);
	enum reason why;
	int c = path_tie_cmp(&ta, &tb, &why);

	if (c)
		return c;
	if (path_rid_of(a) != path_rid_of(b))
		return path_rid_of(a) < path_rid_of(b) ? -1 : 1;
	return path_feeder(a) < path_feeder(b) ? -1 : path_feeder(a) > path_feeder(b);
}

/* best_cmp - < 0: @a comes before @b. Inlined into the walk of a few paths, too. */
static inline __attribute__((always_inline)) int
best_cmp(const struct table *t, const struct path *a, const struct path *b)
{
	const struct path_order *oa, *ob;
	int fa = a->flags & PATH_FILTERED, fb = b->flags & PATH_FILTERED, c;
	struct route_cand ca, cb;

	if (fa != fb)
		return fa - fb;
	if (a->set->local.preference != b->set->local.preference)
		return a->set->local.preference > b->set->local.preference ? -1 : 1;
	oa = path_order_of(t, a);
	ob = path_order_of(t, b);
	if (oa != ob) /* or the order wouldn't be transitive */
		return oa->kind < ob->kind ? -1 : 1;
	if (oa->rank) {
		ca = table_best_cand(t, a);
		cb = table_best_cand(t, b);
		c = oa->rank(&ca, &cb);
		if (c)
			return c;
	}
	c = path_generation(t, a) - path_generation(t, b);
	return c ? c : best_cmp_equal(t, a, b); /* the shorter way */
}

/* table_best_rivals - true: MED may be compared between @first and the later ranked
 * @p. */
static bool
table_best_rivals(const struct table *t, const struct path *first, const struct path *p)
{
	const struct path_order *order = path_order_of(t, first);
	struct route_cand a, b;

	if (!order->tied || (p->flags & PATH_FILTERED) || path_order_of(t, p) != order ||
	    p->set->local.preference != first->set->local.preference)
		return false;
	a = table_best_cand(t, first);
	b = table_best_cand(t, p);
	return order->tied(&a, &b);
}

/* best_tied - select among the paths tied with @first, the best path but for MED. */
static struct path *
best_tied(const struct table *t, struct path *first, const struct path *skip)
{
	const struct path_order *order = path_order_of(t, first);
	struct route_cand cand[TIED_MAX];
	struct path *at[TIED_MAX], *p;
	unsigned cnt = 1;

	at[0] = first;
	cand[0] = table_best_cand(t, first);
	for (p = best_next(first); p && cnt < TIED_MAX; p = best_next(p)) {
		if (p == skip || best_dead(t, p))
			continue;
		if ((p->flags & PATH_FILTERED) || path_order_of(t, p) != order ||
		    p->set->local.preference != first->set->local.preference)
			break;
		cand[cnt] = table_best_cand(t, p);
		if (!order->tied(&cand[0], &cand[cnt]))
			break;
		at[cnt++] = p;
	}
	return cnt > 1 ? at[order->select(cand, cnt)] : first;
}

/* table_best_choose - the best path other than @skip; NULL: none. */
static struct path *
table_best_choose(const struct table *t, const struct net *n, const struct path *skip)
{
	struct path *p = near_load_relaxed(&n->paths);

	while (p && (p == skip || best_dead(t, p)))
		p = best_next(p);
	if (!p || (p->flags & PATH_FILTERED))
		return NULL;
	if (!best_next(p) || !path_order_of(t, p)->tied)
		return p;
	return best_tied(t, p, skip);
}

static void
best_count(struct table *t, const struct path *p, uint64_t add)
{
	if (p)
		counter64_bump(
		    &table_feeder_local(t, path_feeder(p))->stats->preferred, add);
}

/* best_set - set the best path to @p, after any change of a path of the net. Marks the
 * net for this batch's segments (I2, I3 of table_priv.h). */
static void
best_set(struct table *t, struct net *n, uint32_t id, struct path *p)
{
	struct path *old = near_load_relaxed(&n->best);

	if (old == p && (likely(!t->behind.readers) || !p))
		return;
	stream_note(&t->best,
	    (struct change){ .id = id,
		.old_src = old ? path_feeder(old) : NO_FEEDER,
		.old_set = old ? old->set : NULL },
	    &n->batch, load_relaxed32(&t->batch), old != p);
	if (old == p)
		return;
	n->flags |= NET_MOVED;
	best_count(t, old, (uint64_t)-1);
	best_count(t, p, 1);
	near_store_release(&n->best, p); /* pairs: TBEST */
	if (unlikely(table_traces(t, DEBUG_ROUTES)))
		table_trace_best(t, n, p);
}

/* best_new - a path of @epoch. NULL: no room. */
static struct path *
best_new(
    struct table *t, const struct feeder *s, const struct route_in *r, uint32_t epoch)
{
	struct path *p = slab_get(path_slab(t, r->flags));

	if (unlikely(!p))
		return NULL;
	*p = (struct path){ .set = attr_set_ref(r->set, 1),
		.time_lo = (uint32_t)t->time.now_cs,
		.time_hi = t->time.now_cs >> 32 & 7,
		.flags = r->flags };
	store_relaxed32(&p->from, path_from(load_relaxed32(&s->id), epoch));
	if (r->flags & PATH_PRE)
		p->pre[0] = attr_set_ref(r->pre, 1);
	if (unlikely(r->flags & PATH_EXT))
		*path_ext(p) = (struct path_ext){ r->rid, r->origin };
	if (unlikely(r->origin))
		table_origin_hold(t, r->origin);
	return p;
}

/* best_unlink - unlink @p with predecessor @prev (NULL: @p is first). */
static void
best_unlink(
    struct table *t, struct net *n, uint32_t id, struct path *prev, struct path *p)
{
	near_store_release(
	    prev ? &prev->next : &n->paths, best_next(p)); /* pairs: TPATH */
	table_path_count(t, id, p, -1);
	table_path_unpublish(t, p);
	/* Readers at @p still follow `next`, so retired paths form an array. */
	t->work.retired = vec_room(MEM_TABLE, t->work.retired, &t->work.retired_cap,
	    t->work.retired_cnt + 1, sizeof(*t->work.retired));
	t->work.retired[t->work.retired_cnt++] = p;
}

static void
best_note_dead(struct table *t, struct net *n, uint32_t id)
{
	if (near_load_relaxed(&n->paths))
		return;
	counter64_bump(&t->st.nets, (uint64_t)-1);
	table_net_dead(t, n, id);
}

/* best_insert - @prev NULL: as the first. */
static void
best_insert(struct table *t, struct net *n, uint32_t id, struct path *prev,
    const struct path *at, struct path *p)
{
	near_store_relaxed(&p->next, at);
	near_store_release(prev ? &prev->next : &n->paths, p); /* pairs: TPATH */
	table_path_count(t, id, p, 1);
}

/* best_link - link @p in order of rank, before paths that are not better. */
static void
best_link(struct table *t, struct net *n, uint32_t id, struct path *p)
{
	struct path *prev = NULL, *at = near_load_relaxed(&n->paths);

	if (!at)
		counter64_bump(&t->st.nets, 1);
	/* A dead path has no facts to compare; dead paths may stand anywhere. */
	while (at && (best_dead(t, at) || best_cmp(t, at, p) < 0)) {
		prev = at;
		at = best_next(at);
	}
	best_insert(t, n, id, prev, at, p);
}

/* best_drop - unlink @old and the dead paths. The best path is none of these. */
static void
best_drop(struct table *t, struct net *n, uint32_t id, const struct path *old)
{
	struct path *prev = NULL, *p = near_load_relaxed(&n->paths), *next;

	for (; p; p = next) {
		next = best_next(p);
		if (p == old || best_dead(t, p))
			best_unlink(t, n, id, prev, p);
		else
			prev = p;
	}
}

/* The paths of a net at an announcement or withdrawal. */
struct look {
	struct path *old; /* the present path with the name; NULL: none */
	struct path *twin; /* a linked path of a dead epoch with the name; or NULL */
	uint32_t cnt; /* paths of present epochs */
	bool any_dead; /* the net has paths of dead epochs */
};

static struct look
best_scan(
    const struct table *t, const struct net *n, const struct feeder *s, uint32_t rid)
{
	uint32_t id = load_relaxed32(&s->id);
	struct look l = { NULL, NULL, 0, false };

	for (struct path *p = near_load_relaxed(&n->paths); p; p = best_next(p)) {
		if (best_dead(t, p)) {
			l.any_dead = true;
			if (path_is_of(p, id, rid))
				l.twin = p;
			continue;
		}
		l.cnt++;
		if (path_is_of(p, id, rid))
			l.old = p;
	}
	return l;
}

/* best_remove - remove @old and the dead paths. Dead paths exist. */
static void
best_remove(struct table *t, struct net *n, uint32_t id, const struct path *old)
{
	best_set(t, n, id, table_best_choose(t, n, old));
	best_drop(t, n, id, old);
	best_note_dead(t, n, id);
}

/* ---- nets of many paths ---- */

/* best_many_of - the index of @n, after removal of dead paths. NULL: @n has no index
 * now. */
static struct path_index *
best_many_of(struct table *t, struct net *n, uint32_t id)
{
	struct path_index *ix = path_index_get(t, id);
	uint32_t dead = 0;

	if (ix->clean == t->walk.nr)
		return ix;
	for (uint32_t i = 0; i < ix->cnt; i++)
		dead += best_dead(t, path_index_at(t, ix, i));
	ix->clean = t->walk.nr;
	if (!dead)
		return ix;
	best_remove(t, n, id, NULL);
	if (ix->cnt - dead < PATHS_FEW) {
		path_index_free(t, n, ix);
		return NULL;
	}
	path_index_fill(t, ix, n);
	return ix;
}

/* best_rank_of - present or future position of @p: before paths that are not better. */
static uint32_t
best_rank_of(const struct table *t, const struct path_index *ix, const struct path *p)
{
	uint32_t from = 0, to = ix->cnt;

	while (from < to) {
		uint32_t mid = (from + to) / 2;

		if (best_cmp(t, path_index_at(t, ix, mid), p) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* best_place - position of the linked path @p: only its successor may be equal. */
static uint32_t
best_place(const struct table *t, const struct path_index *ix, const struct path *p)
{
	uint32_t pos = best_rank_of(t, ix, p);

	if (path_index_at(t, ix, pos) != p)
		pos++;
	ASSERT(pos < ix->cnt && path_index_at(t, ix, pos) == p);
	return pos;
}

/* best_wins - true: @p eliminates the better ranked @victim by MED. */
static bool
best_wins(const struct table *t, const struct path *p, const struct path *victim)
{
	struct route_cand c[2];

	if (!table_best_rivals(t, victim, p))
		return false;
	c[0] = table_best_cand(t, victim);
	c[1] = table_best_cand(t, p);
	return path_order_of(t, p)->select(c, 2) == 1;
}

/* limit of examined paths that MED eliminated before the best */
#define OUT_MAX 8

/* A change of a net with an index, which has both paths. */
struct many_change {
	const struct path *old, *p; /* removed, new path; NULL: none */
	uint32_t old_pos, pos;
};

/* best_stays - true: the best path does not change. MED eliminated all better ranked
 * paths, each by the lowest MED of its group. False: unknown.
 *
 * - A removed path behind the best may have eliminated better ranked paths.
 * - A removed path before the best eliminated no more than the lowest of its group does.
 * - A new path behind may eliminate the best; a new path before the best may be best.
 * - Only the first TIED_MAX paths count: a removal brings a path in, an addition pushes
 *   one out. */
static bool
best_stays(const struct table *t, const struct net *n, const struct path_index *ix,
    const struct many_change *c)
{
	const struct path *best = near_load_relaxed(&n->best);
	uint32_t at = 0;

	if (!best || best == c->old)
		return false;
	if (path_index_at(t, ix, 0) != best)
		at = best_place(t, ix, best);
	if (at > OUT_MAX || (at && ix->cnt > TIED_MAX))
		return false;
	if (c->p && (c->pos < at || (c->pos <= TIED_MAX && best_wins(t, c->p, best))))
		return false;
	if (!c->old || c->old_pos < at)
		return true;
	for (uint32_t i = 0; i < at; i++)
		if (best_wins(t, c->old, path_index_at(t, ix, i)))
			return false;
	return ix->cnt <= TIED_MAX || !best_wins(t, path_index_at(t, ix, TIED_MAX), best);
}

/* best_at - @pos may be the end, or UINT32_MAX. */
static struct path *
best_at(const struct table *t, const struct path_index *ix, uint32_t pos)
{
	return pos < ix->cnt ? path_index_at(t, ix, pos) : NULL;
}

/* best_many - table_best_choose with the index; no path is dead. */
static struct path *
best_many(const struct table *t, const struct net *n, const struct path_index *ix,
    const struct path *skip)
{
	struct path *p = best_at(t, ix, 0);
	const struct path_order *order;
	struct route_cand c;

	if (p && p == skip)
		p = best_at(t, ix, 1);
	if (!p || (p->flags & PATH_FILTERED))
		return NULL;
	order = path_order_of(t, p);
	c = table_best_cand(t, p);
	return order->lowest && order->lowest(&c) ? p : table_best_choose(t, n, skip);
}

/* best_change - @p (NULL: none) replaces @old (NULL: none). */
static void
best_change(struct table *t, struct net *n, uint32_t id, struct path_index *ix,
    struct path *old, struct path *p)
{
	struct many_change c = { old, p, 0, 0 };
	struct path *was = near_load_relaxed(&n->best), *best;

	if (p) {
		c.pos = best_rank_of(t, ix, p);
		best_insert(
		    t, n, id, best_at(t, ix, c.pos - 1), best_at(t, ix, c.pos), p);
		path_index_put(t, ix, c.pos, p);
	}
	if (old)
		c.old_pos = best_place(t, ix, old);
	best = best_stays(t, n, ix, &c) ? was : best_many(t, n, ix, old);
	if (best != was || !table_behind_later(t, ix))
		best_set(t, n, id, best);
	if (!old)
		return;
	best_unlink(t, n, id, best_at(t, ix, c.old_pos - 1), old);
	path_index_remove(t, ix, c.old_pos);
	if (ix->cnt < PATHS_FEW)
		path_index_free(t, n, ix);
}

/* ---- announcements of sources ---- */

/* table_best_look - as best_scan, or by the net's index (*@ix, else NULL): no dead
 * epochs then. */
static struct look
table_best_look(struct table *t, struct net *n, uint32_t id, const struct feeder *s,
    uint32_t rid, struct path_index **ix)
{
	*ix = unlikely(n->flags & NET_MANY) ? best_many_of(t, n, id) : NULL;
	if (likely(!*ix))
		return best_scan(t, n, s, rid);
	return (
	    struct look){ .old = path_index_find(t, *ix, load_relaxed32(&s->id), rid) };
}

/* table_best_is_same - true: the announcement changes nothing. */
static bool
table_best_is_same(const struct path *p, const struct route_in *r)
{
	return p && p->set == r->set && p->flags == r->flags &&
	       (!(r->flags & PATH_PRE) || p->pre[0] == r->pre) &&
	       path_origin(p) == r->origin;
}

/* table_best_prune - remove the outdated paths of @l. */
static void
table_best_prune(struct table *t, struct net *n, uint32_t id, struct path_index *ix,
    const struct look *l)
{
	if (unlikely(ix && l->old))
		best_change(t, n, id, ix, l->old, NULL);
	else if (l->old || l->any_dead)
		best_remove(t, n, id, l->old);
}

bool
table_announce(struct table *t, struct feeder *s, struct net *n, uint32_t id,
    const struct route_in *r)
{
	struct path_index *ix;
	struct look l = table_best_look(t, n, id, s, r->rid, &ix);
	struct path *p;
	bool was_ok = l.old && !(l.old->flags & PATH_FILTERED);

	if (table_best_is_same(l.old, r) && !l.any_dead) {
		if (!r->again)
			table_path_freshen(s, l.old);
		if (!(r->flags & PATH_FILTERED) && !r->seen)
			counter64_bump(&s->stats->imp_upd_ignored, 1);
		return true;
	}
	p = unlikely(ix && ix->cnt >= PATHS_MOST && !l.old)
		? NULL
		: best_new(t, s, r, r->again && l.old ? path_epoch(l.old) : s->epoch.now);
	if (unlikely(!p)) { /* the previous path is void */
		table_best_prune(t, n, id, ix, &l);
		return false;
	}
	if (unlikely(t->all))
		table_path_publish(t, id, p, l.old ? l.old : l.twin);
	if (unlikely(ix)) {
		best_change(t, n, id, ix, l.old, p);
	} else {
		best_link(t, n, id, p);
		best_set(t, n, id, table_best_choose(t, n, l.old));
		if (l.old || l.any_dead)
			best_drop(t, n, id, l.old);
		if (unlikely(l.cnt >= PATHS_MANY))
			path_index_new(t, n, id);
	}
	if (!(r->flags & PATH_FILTERED))
		counter64_bump(&s->stats->imp_upd_accepted, 1);
	else if (!r->blocked)
		feeder_count_withdraw(s, was_ok, false);
	return true;
}

bool
table_withdraw(
    struct table *t, struct feeder *s, struct net *n, uint32_t id, uint32_t rid)
{
	struct path_index *ix;
	struct look l = table_best_look(t, n, id, s, rid, &ix);
	bool was_ok = l.old && !(l.old->flags & PATH_FILTERED);

	table_best_prune(t, n, id, ix, &l);
	return was_ok;
}

void
table_prune(struct table *t, struct net *n, uint32_t id)
{
	struct path *p = near_load_relaxed(&n->paths);

	if (unlikely(n->flags & NET_MANY)) {
		best_many_of(t, n, id);
		return;
	}
	while (p && !best_dead(t, p))
		p = best_next(p);
	if (p)
		best_remove(t, n, id, NULL);
}

const struct path *
table_feeder_path(
    const struct table *t, const struct feeder *s, const struct net *n, uint32_t rid)
{
	const struct path_index *ix;
	const struct path *p;

	if (likely(!(n->flags & NET_MANY)))
		return best_scan(t, n, s, rid).old;
	ix = path_index_get(t, net_id(t, n));
	p = path_index_find(t, ix, load_relaxed32(&s->id), rid);
	return p && !best_dead(t, p) ? p : NULL;
}
