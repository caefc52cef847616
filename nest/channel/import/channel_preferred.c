/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Number of a channel's routes that are best of their nets.
 *
 * The table counts changes of best routes. In an overlay (nest/rib/table/overlay.h) a
 * route may lose to a route of the base, without notice to the overlay: so the nets are
 * compared for each query. Cost: O(own routes of the overlay), and a run of the policy
 * for each route of the base in these nets.
 *
 * Any thread under RCU. Tests: test_overlay.py. */
#include "nest/channel/channel_priv.h"

#include "filter/filter.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/export/over_routes.h"
#include "nest/core/tern.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"

/* channel_preferred_is_ours - does @p come from @ch? */
static bool
channel_preferred_is_ours(const struct channel *ch, const struct path *p)
{
	return p && path_src(p) == load_relaxed32(&ch->ts.id) &&
	       path_live(ch->table, p) && !path_filtered(p);
}

/* preferred_has_any - has @n of the table a route of @ch? */
static bool
preferred_has_any(const struct channel *ch, const struct net *n)
{
	for (const struct path *p = net_first(n); p; p = path_next(p))
		if (channel_preferred_is_ours(ch, p))
			return true;
	return false;
}

/* channel_preferred_wins - is a route of @ch the best of the net at @k, of table and
 * base? */
static bool
channel_preferred_wins(const struct channel *ch, const struct overlay *o,
    struct filter_thread *ft, struct arena *a, const struct nlri *k)
{
	struct over_routes r;
	bool ours = false;

	over_routes_get(&r, o, ft, a, k);
	if (r.cnt) {
		struct overlay_cand c = over_routes_take(&r);

		ours = c.own && channel_preferred_is_ours(ch, c.path);
		over_cand_done(&r, &c);
	}
	over_routes_done(&r);
	return ours;
}

uint64_t
channel_preferred(const struct channel *ch)
{
	const struct overlay *o = overlay_of(ch->table);
	struct filter_thread *ft;
	struct arena a;
	uint64_t sum = 0;
	uint32_t limit;

	if (likely(!o) || overlay_is_empty(ch->table))
		return counter64_get(&ch->stats.in.preferred);
	ft = filter_thread_new(&ch->proto->tern->ifaces);
	arena_init(&a, MEM_OTHER, 8192);
	limit = table_id_limit(ch->table);
	for (uint32_t id = 0; id < limit; id++) {
		const struct net *n = table_net_at(ch->table, id);
		struct nlri k;

		if (!n || !preferred_has_any(ch, n))
			continue;
		k = net_nlri(ch->table, n);
		if (table_find_nlri(o->base, &k))
			sum += channel_preferred_wins(ch, o, ft, &a, &k);
		else
			sum += channel_preferred_is_ours(ch, net_best(n));
	}
	arena_fini(&a);
	filter_thread_free(ft);
	return sum;
}
