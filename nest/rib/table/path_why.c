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
#include "nest/rib/path_priv.h"
#include "nest/rib/reason.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/path_tie.h"
#include "nest/rib/table_priv.h"

#define TIED_MAX 256 /* as table_best.c */

/* A path with its origin and its order. */
struct known {
	const struct path *p;
	const struct origin *from;
	const struct path_order *order;
	uint64_t place; /* of the instance that brought the path */
};

/* path_why_know - Returns: false: the source is gone. */
static bool
path_why_know(struct known *k, const struct table *t, const struct path *p)
{
	const struct feeder *f;

	*k = (struct known){ .p = p, .from = path_origin_of(t, p) };
	if (!k->from || !path_live(t, p))
		return false;
	f = table_feeder_at(t, path_feeder(p));
	k->order = path_piped(p) ? k->from->order : f->order;
	k->place = f->place;
	return true;
}

static struct route_cand
path_why_cand_of(const struct known *k)
{
	return (struct route_cand){ k->p->set, &k->from->src, path_time_cs(k->p) };
}

/* why_tied_with - collect the paths of @n tied with @best, including @best. Returns:
 * number. */
static unsigned
why_tied_with(struct route_cand tied[TIED_MAX], const struct table *t,
    const struct net *n, const struct known *best)
{
	const struct path_order *o = best->order;
	struct route_cand b = path_why_cand_of(best);
	unsigned cnt = 0;

	for (const struct path *p = net_first(n); p && cnt < TIED_MAX; p = path_next(p)) {
		struct known k;

		if (!path_why_know(&k, t, p) || path_filtered(p) || k.order != o ||
		    p->set->local.preference != best->p->set->local.preference)
			continue;
		tied[cnt] = path_why_cand_of(&k);
		cnt += !o->tied || o->tied(&b, &tied[cnt]);
	}
	return cnt;
}

/* path_ways - number of pipes on the way. */
static unsigned
path_ways(const struct known *k)
{
	return path_piped(k->p) ? k->from->generation : 0;
}

static struct lost_at
path_why_step(enum reason name, uint64_t value, uint64_t best)
{
	return (struct lost_at){ name, true, value, best };
}

/* why_lost_to - the step at which @k lost to @best. */
static struct lost_at
why_lost_to(const struct table *t, const struct net *n, const struct known *best,
    const struct known *k)
{
	uint32_t pref = k->p->set->local.preference;
	const struct path_order *o = best->order;
	struct route_cand tied[TIED_MAX], b = path_why_cand_of(best),
					  c = path_why_cand_of(k);
	struct path_tie tie, best_tie;
	struct lost_at at;

	if (pref != best->p->set->local.preference)
		return path_why_step(
		    REASON_PREFERENCE, pref, best->p->set->local.preference);
	if (k->order != o)
		return (struct lost_at){ .step = REASON_OTHER_PROTOCOL };
	if (o->lost && o->lost(&at, &b, &c, tied, why_tied_with(tied, t, n, best)))
		return at;
	if (path_ways(k) != path_ways(best))
		return path_why_step(REASON_PIPES, path_ways(k), path_ways(best));
	tie = (struct path_tie){ k->place, k->from, k->p->set };
	best_tie = (struct path_tie){ best->place, best->from, best->p->set };
	if (path_tie_source(&tie, &best_tie))
		return (struct lost_at){ .step = REASON_EARLIER_PROTOCOL };
	if (path_piped(k->p) && path_tie_set(k->p->set, best->p->set))
		return (struct lost_at){ .step = REASON_ATTRIBUTES };
	return path_why_step(REASON_PATH_ID, path_rid_of(k->p), path_rid_of(best->p));
}

enum path_fate
path_why(
    struct lost_at *at, const struct table *t, const struct net *n, const struct path *p)
{
	const struct path *b = net_best(n);
	struct known best, k;

	if (!path_why_know(&k, t, p))
		return PATH_GOES;
	if (path_filtered(p))
		return PATH_REFUSED;
	if (p == b)
		return PATH_IS_BEST;
	if (!b || !path_why_know(&best, t, b))
		return PATH_GOES;
	*at = why_lost_to(t, n, &best, &k);
	return PATH_LOST;
}
