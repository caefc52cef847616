/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hops of several routes in one (krt_merge.h).
 *
 * What it finds may be newer than what the channel has read of the journal: then the
 * table tells of the net again (SEG_BEHIND, or another best route), and the next answer
 * holds.
 *
 * Loop: the instance's. Tested by test/net/test_merge.py. */
#include "proto/kernel/krt_merge.h"

#include "filter/run/hop.h"
#include "filter/run/net.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "nest/channel/channel.h"
#include "nest/channel/sink.h"
#include "nest/rib/attr_store.h"
#include "nest/rib/segment.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/kernel/krt_route.h"

/* What is being merged. */
struct merging {
	struct channel *ch;
	const struct krt_where *w;
	const struct table *table;
	const struct segment *best;
	unsigned cnt;
	struct hop hop[2 * HOPS_MAX];
};

/* take - hops more. Only the first ones in order count, so later ones can go at once. */
static void
take(struct merging *m, const struct attr_set *set, const struct route_source *src)
{
	m->cnt += krt_hops(m->hop + m->cnt, m->w, set, src);
	m->cnt = hops_sort(m->hop, m->cnt);
	if (m->cnt > m->w->cf->merge)
		m->cnt = m->w->cf->merge;
}

static bool
as_good(const struct merging *m, const struct path *p)
{
	const struct origin *best = m->best->facts, *o = path_origin_of(m->table, p);
	struct route_cand a = { .set = m->best->set, .src = &best->src },
			  b = { .set = path_set(p) };

	if (!o || o->order != best->order || path_filtered(p) ||
	    !path_live(m->table, p) || (o == best && b.set == a.set) ||
	    a.set->local.preference != b.set->local.preference)
		return false;
	b.src = &o->src;
	return best->order->merges(&a, &b);
}

/* add - @p, if it is as good, and the filter lets it through. */
static void
add(struct merging *m, const struct net *n, const struct path *p)
{
	struct route_view r = {
		.src = path_facts(m->table, p), .set = path_set(p), .feeder = path_src(p)
	};
	struct attr_set *out;
	struct fnet what;

	if (!r.src)
		return;
	net_view(m->table, n, &r, &what);
	if (channel_exported(m->ch, &r, &out) != 1)
		return;
	take(m, out, r.src);
	attr_set_unref(table_store(m->table), out, 1);
}

static bool
is_alone(const struct merging *m, const struct net *n)
{
	const struct path *p = net_first(n);

	return !m->best->facts || !m->best->facts->order->merges || !p || !path_next(p);
}

OWNED struct attr_set *
krt_merge(struct channel *ch, struct arena *a, const struct krt_where *w,
    const struct net *n, const struct segment *s, struct attr_set *set)
{
	struct merging m = { .ch = ch, .w = w, .table = channel_table(ch), .best = s };
	struct attr_edit e;

	if (is_alone(&m, n))
		return NULL;
	take(&m, set, &s->facts->src);
	if (!m.cnt)
		return NULL;
	for (const struct path *p = net_first(n); p; p = path_next(p))
		if (as_good(&m, p))
			add(&m, n, p);
	if (m.cnt < 2)
		return NULL;
	attr_edit_init(&e, a, set);
	return hops_set(&e, m.hop, m.cnt) ? NULL
					  : attr_store_edit(table_store(m.table), &e);
}
