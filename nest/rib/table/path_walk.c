/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walk the selectable routes of a net in order of preference.
 *
 * I1  The best route is among the first tied routes, or no MED is compared. So the walk
 *     collects the tied routes first, and later leaves out the best route wherever it
 *     occurs.
 *
 * Any thread under RCU. */
#include "nest/rib/table/path_walk.h"

#include "lib/attr/attr.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table_priv.h"

/* path_walk_selectable - true: @p lives and its origin is known. */
static bool
path_walk_selectable(const struct table *t, const struct path *p)
{
	return path_live(t, p) && path_facts(t, p);
}

static struct route_cand
path_walk_cand_of(const struct table *t, const struct path *p)
{
	return (struct route_cand){ p->set, path_facts(t, p), path_time_cs(p) };
}

/* walk_order_of - as the table's own (path_order_of). */
static const struct path_order *
walk_order_of(const struct table *t, const struct path *p)
{
	const struct origin *o = path_piped(p) ? path_origin_of(t, p) : NULL;

	return o ? o->order : table_feeder_at(t, path_feeder(p))->order;
}

/* walk_next_of_rank - the next path in rank; NULL: none. Filtered paths come last,
 * except for filtered paths of dead epochs, which may stand anywhere. */
static const struct path *
walk_next_of_rank(struct path_walk *w)
{
	const struct path *p = w->at;

	while (p && ((p == w->best && w->begun) || !path_walk_selectable(w->table, p)))
		p = path_next(p);
	w->at = p && !path_filtered(p) ? p : NULL;
	return w->at;
}

static bool
path_walk_rivals(const struct table *t, const struct path *first, const struct path *p)
{
	const struct path_order *order = walk_order_of(t, first);
	struct route_cand a, b;

	if (!order->tied || walk_order_of(t, p) != order ||
	    p->set->local.preference != first->set->local.preference)
		return false;
	a = path_walk_cand_of(t, first);
	b = path_walk_cand_of(t, p);
	return a.src && b.src && order->tied(&a, &b);
}

/* path_walk_collect - the next path in rank, and the paths tied with that path. */
static void
path_walk_collect(struct path_walk *w)
{
	const struct path *p = walk_next_of_rank(w);

	while (p && w->cnt < PATH_WALK_TIED &&
	       (!w->cnt || path_walk_rivals(w->table, w->tied[0], p))) {
		w->tied[w->cnt++] = p;
		w->at = path_next(p);
		p = walk_next_of_rank(w);
	}
}

static const struct path *
path_walk_take(struct path_walk *w, unsigned i)
{
	const struct path *p = w->tied[i];

	w->cnt--;
	for (; i < w->cnt; i++)
		w->tied[i] = w->tied[i + 1];
	return p;
}

static const struct path *
walk_take_best(struct path_walk *w)
{
	struct route_cand c[PATH_WALK_TIED];

	for (unsigned i = 0; i < w->cnt; i++) {
		c[i] = path_walk_cand_of(w->table, w->tied[i]);
		if (!c[i].src) /* the source ended just now */
			return path_walk_take(w, i);
	}
	return path_walk_take(
	    w, w->cnt > 1 ? walk_order_of(w->table, w->tied[0])->select(c, w->cnt) : 0);
}

void
path_walk_start(struct path_walk *w, const struct table *t, const struct net *n)
{
	w->table = t;
	w->best = net_best(n);
	w->best_given = w->begun = false;
	w->at = net_first(n);
	w->cnt = 0;
}

/* path_walk_begin - collect the paths tied with the first path, and leave out the best
 * path. */
static void
path_walk_begin(struct path_walk *w)
{
	path_walk_collect(w);
	w->begun = true;
	for (unsigned i = 0; i < w->cnt; i++)
		if (w->tied[i] == w->best)
			path_walk_take(w, i);
}

const struct path *
path_walk_next(struct path_walk *w)
{
	if (!w->best_given) { /* most callers need only the best path */
		w->best_given = true;
		if (w->best && path_walk_selectable(w->table, w->best))
			return w->best;
	}
	if (!w->begun)
		path_walk_begin(w);
	if (!w->cnt)
		path_walk_collect(w);
	return w->cnt ? walk_take_best(w) : NULL;
}

void
path_as_segment(struct segment *s, const struct table *t, const struct path *p,
    uint32_t id, uint32_t batch)
{
	const struct route_source *src = path_facts(t, p);

	memset(s, 0, sizeof(*s));
	s->set = path_set(p);
	s->wire = s->set->wire;
	s->src = path_src(p);
	s->old_src = NO_FEEDER;
	s->batch = batch;
	s->nets = (struct seg_run){ id, 1 };
	s->run_cnt = 1;
	s->form = SEG_ONE_RUN;
	if (src)
		s->facts = container_of(
		    (struct route_source *)(uintptr_t)src, struct origin, src);
	path_as_segment_with(s, t, s->set);
}

void
path_as_segment_with(struct segment *s, const struct table *t, struct attr_set *set)
{
	s->set = set;
	s->wire = set->wire;
	s->form = (s->form & ~SEG_LISTS) | segment_lists(set);
	segment_note(t, s);
}
