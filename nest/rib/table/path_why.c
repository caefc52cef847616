/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of best-route selection, in the order of table_best.c.
 *
 * Before and after MED, keys are compared: a route loses at the first key in which it is
 * worse than the final best route. MED eliminates a route if a tied route of its group
 * has a lower MED.
 *
 * Any thread under RCU. Tests: prop_paths.c, test/net/test_why.py. */
#include "nest/rib/table/path_why.h"

#include "lib/attr/attr.h"
#include "nest/core/reason.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table/path_tie.h"
#include "nest/rib/table_priv.h"

#define TIED_MAX 256 /* as table_best.c */

/* A path with its origin and its order. */
struct known {
	const struct path *p;
	const struct attr_set *set;
	const struct origin *from;
	const struct path_order *order;
	unsigned generation; /* number of pipes on the way */
	uint64_t time_cs;
	uint64_t place; /* of the instance that brought the path */
};

/* The routes that are tied with the best route, the best route too. */
struct why_tied {
	struct route_cand cand[TIED_MAX];
	unsigned cnt;
};

/* path_why_know - Returns: false: the source is gone. */
static bool
path_why_know(struct known *k, const struct table *t, const struct path *p)
{
	const struct feeder *f;

	*k = (struct known){ .p = p,
		.set = p->set,
		.from = path_origin_of(t, p),
		.time_cs = path_time_cs(p) };
	if (!k->from || !path_live(t, p))
		return false;
	f = table_feeder_at(t, path_feeder(p));
	k->order = path_piped(p) ? k->from->order : f->order;
	k->generation = path_piped(p) ? k->from->generation : 0;
	k->place = f->place;
	return true;
}

/* why_know_cand - of an overlay. One pipe brings all routes of the base. */
static struct known
why_know_cand(const struct overlay_cand *c)
{
	return (struct known){ .p = c->path,
		.set = c->set,
		.from = c->from,
		.order = c->from->order,
		.generation = c->generation,
		.time_cs = c->time_ns / TABLE_CS_NS };
}

static struct route_cand
path_why_cand_of(const struct known *k)
{
	return (struct route_cand){ k->set, &k->from->src, k->time_cs };
}

/* why_tied_add - add @k to the tied routes, if @k is tied with @best. */
static void
why_tied_add(struct why_tied *t, const struct known *best, const struct known *k)
{
	const struct path_order *o = best->order;
	struct route_cand b = path_why_cand_of(best), c = path_why_cand_of(k);

	if (t->cnt == TIED_MAX || k->order != o ||
	    k->set->local.preference != best->set->local.preference ||
	    (o->tied && !o->tied(&b, &c)))
		return;
	t->cand[t->cnt++] = c;
}

static struct lost_at
path_why_step(enum reason name, uint64_t value, uint64_t best)
{
	return (struct lost_at){ name, true, value, best };
}

/* why_lost_to - the step at which @k lost to @best. */
static struct lost_at
why_lost_to(const struct why_tied *tied, const struct known *best, const struct known *k)
{
	uint32_t pref = k->set->local.preference, best_pref = best->set->local.preference;
	const struct path_order *o = best->order;
	struct route_cand b = path_why_cand_of(best), c = path_why_cand_of(k);
	struct path_tie tie = { k->place, k->from, k->set, path_piped(k->p) };
	struct path_tie best_tie = { best->place, best->from, best->set,
		path_piped(best->p) };
	struct lost_at at;
	enum reason why;

	if (pref != best_pref)
		return path_why_step(REASON_PREFERENCE, pref, best_pref);
	if (k->order != o)
		return (struct lost_at){ .step = REASON_OTHER_PROTOCOL };
	if (o->lost && o->lost(&at, &b, &c, tied->cand, tied->cnt))
		return at;
	if (k->generation != best->generation)
		return path_why_step(REASON_PIPES, k->generation, best->generation);
	if (path_tie_cmp(&tie, &best_tie, &why))
		return (struct lost_at){ .step = why };
	return path_why_step(REASON_PATH_ID, path_rid_of(k->p), path_rid_of(best->p));
}

enum path_fate
path_why(
    struct lost_at *at, const struct table *t, const struct net *n, const struct path *p)
{
	const struct path *b = net_best(n);
	struct why_tied tied = { .cnt = 0 };
	struct known best, k, other;

	if (!path_why_know(&k, t, p))
		return PATH_GOES;
	if (path_filtered(p))
		return PATH_REFUSED;
	if (p == b)
		return PATH_IS_BEST;
	if (!b || !path_why_know(&best, t, b))
		return PATH_GOES;
	for (const struct path *q = net_first(n); q; q = path_next(q))
		if (!path_filtered(q) && path_why_know(&other, t, q))
			why_tied_add(&tied, &best, &other);
	*at = why_lost_to(&tied, &best, &k);
	return PATH_LOST;
}

enum path_fate
overlay_why(struct lost_at *at, const struct overlay_cand *c, unsigned cnt, unsigned i)
{
	struct known best = why_know_cand(&c[cnt - 1]), k = why_know_cand(&c[i]), other;
	struct why_tied tied = { .cnt = 0 };

	if (i == cnt - 1)
		return PATH_IS_BEST;
	for (unsigned o = 0; o < cnt; o++) {
		other = why_know_cand(&c[o]);
		why_tied_add(&tied, &best, &other);
	}
	*at = why_lost_to(&tied, &best, &k);
	return PATH_LOST;
}
