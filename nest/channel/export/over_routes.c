/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets and routes of an overlay, put together from the two tables. Loop: any thread,
 * under RCU. Tested by test/net/test_overlay.py. */
#include "nest/channel/export/over_routes.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"

/* routes_come_through - true: the policy passes @c, a route of @n in the base, to the
 * overlay; @c then has the set after the policy. */
static bool
routes_come_through(const struct overlay *o, struct filter_thread *ft, struct arena *a,
    const struct net *n, struct overlay_cand *c)
{
	static const struct filter_env env = { .log = NULL };
	struct route_view r = { .what = NULL };
	struct attr_edit e;
	struct fnet what;
	uint32_t reads;

	arena_reset(a);
	net_view(o->base, n, &r, &what);
	r.src = &c->from->src;
	r.set = c->set;
	r.feeder = path_src(c->path);
	attr_edit_init(&e, a, c->set);
	if (filter_run(o->policy, ft, &env, &r, &e, &reads) != FILTER_ACCEPT)
		return false;
	if (!attr_edit_changed(&e))
		return true;
	c->set = attr_store_edit(table_store(o->base), &e);
	c->held = c->set;
	return c->held != NULL;
}

static unsigned
routes_paths_of(const struct net *n)
{
	unsigned cnt = 0;

	for (const struct path *p = n ? net_first(n) : NULL; p; p = path_next(p))
		cnt++;
	return cnt;
}

static bool
over_routes_counts(const struct table *t, const struct path *p)
{
	return !path_filtered(p) && path_live(t, p);
}

void
over_routes_get(struct over_routes *r, const struct overlay *o, struct filter_thread *ft,
    struct arena *a, const struct nlri *k)
{
	const struct path *p;
	unsigned max;

	*r = (struct over_routes){ .store = table_store(o->base), .loan = rcu_borrow() };
	r->own = table_find_nlri(o->over, k);
	r->net = table_find_nlri(o->base, k);
	max = routes_paths_of(r->own) + routes_paths_of(r->net);
	r->cand = mem_alloc(MEM_OTHER, (max + 1) * sizeof(*r->cand));
	for (p = r->own ? net_first(r->own) : NULL; p && r->cnt < max; p = path_next(p))
		if (overlay_owns(o, p) && over_routes_counts(o->over, p))
			r->cnt += overlay_cand(&r->cand[r->cnt], o->over, p, NULL, true);
	for (p = r->net ? net_first(r->net) : NULL; p && r->cnt < max; p = path_next(p))
		if (over_routes_counts(o->base, p) &&
		    overlay_brings(o, path_src(p), path_origin_of(o->base, p)) &&
		    overlay_cand(&r->cand[r->cnt], o->base, p, NULL, false))
			r->cnt += routes_come_through(o, ft, a, r->net, &r->cand[r->cnt]);
}

void
over_routes_sort(struct over_routes *r)
{
	if (!r->sorted)
		overlay_sort(r->cand, r->cnt);
	r->sorted = true;
}

struct overlay_cand
over_routes_take(struct over_routes *r)
{
	DCHECK(rcu_is_lent(&r->loan));
	over_routes_sort(r);
	return r->cand[--r->cnt];
}

void
over_cand_done(const struct over_routes *r, struct overlay_cand *c)
{
	attr_hold_put(r->store, &c->held, NULL);
}

void
over_routes_done(struct over_routes *r)
{
	while (r->cnt)
		over_cand_done(r, &r->cand[--r->cnt]);
	mem_free(MEM_OTHER, r->cand);
}

/* Even numbers are nets of the base, odd numbers nets of the overlay: numbers stay valid
 * while both tables grow. A net in both tables counts with the overlay's number, which
 * survives the end of the pipe. */
uint32_t
over_limit(const struct overlay *o)
{
	uint32_t a = table_id_limit(o->base), b = table_id_limit(o->over);

	return 2 * (a > b ? a : b);
}

bool
over_at(const struct overlay *o, uint32_t pos, struct nlri *k)
{
	const struct table *t = pos % 2 ? o->over : o->base;
	uint32_t id = pos / 2;
	const struct net *n = id < table_id_limit(t) ? table_net_at(t, id) : NULL;

	if (!n)
		return false;
	*k = net_nlri(t, n);
	return t == o->over || overlay_is_empty(o->over) || !table_find_nlri(o->over, k);
}
