/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes to a peer before and after. The three ways in which a channel gives routes
 * (enum channel_gives) have a function each.
 *
 * Loop: the owner's, under RCU. Tested by test/net/test_preview.py. */
#include "nest/preview/preview_priv.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_try.h"
#include "nest/preview/preview.h"
#include "nest/core/reason.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table/path_walk.h"

/* A route to decide about. */
struct export_route {
	const struct path *path; /* NULL: no route */
	struct attr_set *set;
	const struct route_source *facts;
};

/* The decisions about a net. */
struct export_pair {
	struct try_answer was, is;
};

static struct export_route
export_route_of(const struct preview_table *t, const struct path *p)
{
	struct export_route r = { .path = p };

	if (p) {
		r.set = path_set(p);
		r.facts = path_facts(t->table, p);
	}
	return r;
}

static struct export_route
export_cand_of(const struct overlay_cand *c)
{
	return (struct export_route){ c->path, c->set, &c->from->src };
}

static bool
export_gone(const struct preview_channel *c)
{
	return !c->cf;
}

/* export_decide_one - would @c send @r of @n, before or (@after) after? */
static void
export_decide_one(struct preview *pv, const struct preview_table *t,
    const struct preview_channel *c, const struct preview_net *n,
    const struct export_route *r, bool after, struct try_answer *a)
{
	struct channel_trial trial = { .ft = pv->ft, .arena = &pv->work };
	struct route_view rv = { .what = NULL };
	uint64_t steps = filter_steps(pv->ft);
	struct fnet what;

	*a = (struct try_answer){ .reason = REASON_DOWN };
	if (!r->path || !r->facts || (after && export_gone(c)))
		return;
	if (after) {
		trial.cf = c->cf;
		trial.conf = c->of->conf;
		trial.quarantine = c->quarantine;
	}
	net_view(t->table, n->net, &rv, &what);
	rv.src = r->facts;
	rv.set = r->set;
	rv.feeder = path_src(r->path);
	channel_try_export(c->ch, &trial, &rv, a);
	arena_reset(&pv->work);
	pv->sums.decided++;
	steps = filter_steps(pv->ft) - steps;
	if (after)
		pv->sums.steps_next += steps;
	else
		pv->sums.steps_now += steps;
}

/* export_settle - count the difference between the answers @p about @n, and end them. */
static void
export_settle(struct preview *pv, const struct preview_table *t,
    struct preview_channel *c, struct preview_net *const *n, unsigned cnt,
    struct export_pair *p, const struct path *of)
{
	bool differs = p->was.accept != p->is.accept ||
		       (p->was.accept && !channel_try_same(c->ch, &p->was, &p->is));
	enum preview_change k = !p->is.accept   ? PREVIEW_LOST
				: p->was.accept ? PREVIEW_CHANGED
						: PREVIEW_GAINED;

	for (unsigned i = 0; differs && i < cnt; i++) {
		struct preview_sample s = { .net = net_prefix(t->table, n[i]->net),
			.rid = of ? path_id(of) : 0,
			.reason = p->is.reason,
			.file = p->is.file,
			.line = p->is.line };

		preview_count(pv, &c->out, k, &s);
	}
	channel_try_done(c->ch, &p->was);
	channel_try_done(c->ch, &p->is);
}

/* export_no_route - the reason of a loss when no route of @n is left. */
static void
export_no_route(const struct preview_net *n, struct try_answer *a)
{
	a->reason = n->lost_why ? n->lost_why : REASON_DOWN;
	a->file = n->file;
	a->line = n->line;
}

static void
export_best(struct preview *pv, const struct preview_table *t, struct preview_channel *c,
    struct preview_net *const *n, unsigned cnt)
{
	const struct preview_net *one = n[0];
	struct export_route was = export_route_of(t, one->was), is = was;
	struct export_pair p;

	if (one->changed)
		is = one->cand_cnt ? export_cand_of(&one->cand[one->cand_cnt - 1])
				   : export_route_of(t, NULL);
	export_decide_one(pv, t, c, one, &was, false, &p.was);
	export_decide_one(pv, t, c, one, &is, true, &p.is);
	if (!is.path)
		export_no_route(one, &p.is);
	export_settle(pv, t, c, n, cnt, &p, NULL);
}

/* export_first_was - the first route that @c sends before. */
static void
export_first_was(struct preview *pv, const struct preview_table *t,
    const struct preview_channel *c, const struct preview_net *n, bool after,
    struct try_answer *a)
{
	struct path_walk w;
	const struct path *p;

	*a = (struct try_answer){ .reason = REASON_DOWN };
	path_walk_start(&w, t->table, n->net);
	while ((p = path_walk_next(&w))) {
		struct export_route r = export_route_of(t, p);

		channel_try_done(c->ch, a);
		export_decide_one(pv, t, c, n, &r, after, a);
		if (a->accept)
			return;
	}
}

static void
export_first(struct preview *pv, const struct preview_table *t, struct preview_channel *c,
    struct preview_net *n)
{
	struct export_pair p;

	export_first_was(pv, t, c, n, false, &p.was);
	if (!n->changed) {
		export_first_was(pv, t, c, n, true, &p.is);
	} else {
		p.is = (struct try_answer){ .accept = false };
		export_no_route(n, &p.is);
		for (unsigned i = n->cand_cnt; i && !p.is.accept; i--) {
			struct export_route r = export_cand_of(&n->cand[i - 1]);

			channel_try_done(c->ch, &p.is);
			export_decide_one(pv, t, c, n, &r, true, &p.is);
		}
	}
	export_settle(pv, t, c, &n, 1, &p, NULL);
}

/* export_cand_find - the route of @p after; no path: none. */
static struct export_route
export_cand_find(
    const struct preview_table *t, const struct preview_net *n, const struct path *p)
{
	if (!n->changed)
		return export_route_of(t, p);
	for (unsigned i = 0; i < n->cand_cnt; i++)
		if (n->cand[i].path == p)
			return export_cand_of(&n->cand[i]);
	return export_route_of(t, NULL);
}

static void
export_all(struct preview *pv, const struct preview_table *t, struct preview_channel *c,
    struct preview_net *n)
{
	for (const struct path *p = net_first(n->net); p; p = path_next(p)) {
		bool was = path_live(t->table, p) && !path_filtered(p);
		struct export_route a = export_route_of(t, was ? p : NULL);
		struct export_route b = n->changed || was ? export_cand_find(t, n, p) : a;
		struct export_pair pair;

		export_decide_one(pv, t, c, n, &a, false, &pair.was);
		export_decide_one(pv, t, c, n, &b, true, &pair.is);
		if (!b.path)
			export_no_route(n, &pair.is);
		export_settle(pv, t, c, &n, 1, &pair, p);
	}
}

void
preview_export(struct preview *pv, const struct preview_table *t,
    struct preview_channel *c, struct preview_net *const *n, unsigned cnt)
{
	enum channel_gives gives = channel_gives(c->ch);

	if (gives == GIVES_BEST && !c->by_net) {
		export_best(pv, t, c, n, cnt);
		return;
	}
	for (unsigned i = 0; i < cnt; i++)
		if (gives == GIVES_BEST)
			export_best(pv, t, c, &n[i], 1);
		else if (gives == GIVES_FIRST)
			export_first(pv, t, c, n[i]);
		else
			export_all(pv, t, c, n[i]);
}
