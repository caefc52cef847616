/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route of an overlay (nest/rib/table/overlay.h): own routes, and routes of the base
 * that the policy of the pipe accepts, in one order for each net.
 *
 * I1  As in cmd_route_walk.c; each step asks the policy again.
 * I2  Asking the policy about all routes of a net may take longer than a step: then the
 *     step shows routes for as long as the policy took, so that a net with many routes is
 *     done after a few steps.
 *
 * In the session's loop, under RCU. Tested by test/net/test_overlay.py. */
#include "filter/run/net.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "lib/net/prefix.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/rib/nlri.h"
#include "nest/channel/export/over_routes.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table.h"
#include "sysdep/os/clock.h"

static struct route_scene
over_base_of(const struct route_scene *sc)
{
	struct route_scene below = *sc;

	below.table = sc->over->base;
	below.over = NULL;
	below.below = true;
	below.kernel = NULL; /* the kernel's channel exports the overlay */
	return below;
}

/* cmd_route_over_counts - the conditions of the query on every route. */
static bool
cmd_route_over_counts(
    const struct route_job *j, const struct route_scene *sc, const struct overlay_cand *c)
{
	return !j->q.stale || path_stale(c->own ? sc->table : sc->over->base, c->path);
}

bool
route_over_has(struct route_job *j, const struct route_scene *sc, const struct nlri *k)
{
	struct over_routes r;
	bool has = false;

	over_routes_get(&r, sc->over, j->ft, &j->arena, k);
	for (unsigned i = 0; i < r.cnt; i++)
		has |= cmd_route_over_counts(j, sc, &r.cand[i]);
	over_routes_done(&r);
	return has;
}

bool
route_over_leads(struct route_job *j, const struct route_scene *sc, const struct net *n)
{
	struct route_scene at = *sc;
	struct nlri k = net_nlri(sc->table, n);

	at.over = overlay_of(sc->table);
	return at.over && route_over_has(j, &at, &k);
}

static void
cmd_route_over_show(struct cli_session *s, struct route_job *j,
    const struct route_scene *sc, struct route_shown *r)
{
	j->sum.routes++;
	if (!j->net.summed)
		j->sum.nets++;
	j->net.summed = true;
	route_show(s, j, sc, r);
}

/* cmd_route_over_barred - with `noexport NAME reasons`: no route of the net came through
 * the pipe. Show the best route of the base, whose reason may be the pipe. */
static void
cmd_route_over_barred(struct cli_session *s, struct route_job *j,
    const struct route_scene *below, const struct over_routes *r)
{
	struct route_shown shown = { .net = r->net,
		.path = r->net ? net_best(r->net) : NULL,
		.named = !j->net.named,
		.best = true };

	if (shown.path)
		cmd_route_over_show(s, j, below, &shown);
}

bool
route_over_show(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    const struct nlri *k)
{
	struct route_scene below = over_base_of(sc);
	uint64_t began_ns = clock_now_ns();
	struct over_routes r;
	bool through = true;
	uint32_t i = 0, done = 0;

	over_routes_get(&r, sc->over, j->ft, &j->arena, k);
	while (i < j->net.path && r.cnt) { /* I2 */
		struct overlay_cand c = over_routes_take(&r);

		over_cand_done(&r, &c);
		i++;
	}
	if (j->q.bars && !r.cnt && !i)
		cmd_route_over_barred(s, j, &below, &r);
	if (j->net.path)
		cli_at_place(s, clock_now_ns() - began_ns);
	while (r.cnt && through && !(j->q.primary && i)) {
		struct overlay_cand c = over_routes_take(&r);
		struct route_shown shown = { .net = c.own ? r.own : r.net,
			.path = c.path,
			.came_as = c.set,
			.named = !j->net.named,
			.best = !i };

		through = !done++ || cli_go_on(s);
		if (through && cmd_route_over_counts(j, sc, &c))
			cmd_route_over_show(s, j, c.own ? sc : &below, &shown);
		if (through)
			j->net.path = ++i;
		over_cand_done(&r, &c);
	}
	over_routes_done(&r);
	if (!through)
		return false;
	route_net_done(j);
	return true;
}

/* ---- nets of an overlay ---- */

bool
route_over_at(
    const struct route_job *j, const struct route_scene *sc, uint32_t pos, struct nlri *k)
{
	struct prefix p;

	if (!over_at(sc->over, pos, k))
		return false;
	p = nlri_prefix(table_kind(sc->table), k->word, k->head);
	return j->q.where != WHERE_IN || prefix_contains(&j->q.prefix, &p);
}

/* cmd_route_over_longest - route_over_longest in one of the two tables, with a route to
 * show. */
static const struct net *
cmd_route_over_longest(
    struct route_job *j, const struct route_scene *sc, const struct table *t)
{
	const struct net *n = table_match_prefix(t, &j->q.prefix);

	while (n) {
		struct nlri k = net_nlri(t, n);
		struct prefix p = net_prefix(t, n);

		if (route_over_has(j, sc, &k))
			return n;
		if (!p.len)
			return NULL;
		p = prefix_make(p.addr, p.len - 1u, p.fam);
		n = table_match_prefix(t, &p);
	}
	return NULL;
}

bool
route_over_longest(struct route_job *j, const struct route_scene *sc, struct nlri *k)
{
	const struct net *own = cmd_route_over_longest(j, sc, sc->table);
	const struct net *n = cmd_route_over_longest(j, sc, sc->over->base);

	if (n &&
	    (!own || net_prefix(sc->over->base, n).len > net_prefix(sc->table, own).len))
		*k = net_nlri(sc->over->base, n);
	else if (own)
		*k = net_nlri(sc->table, own);
	return n || own;
}
