/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merge the next hops of several routes (krt_merge.h).
 *
 * The routes of the net may be newer than the channel's position in the journal. Then the
 * table publishes the net again (SEG_BEHIND, or another best route), and the next merge
 * is right.
 *
 * Loop: the instance's. Tested by test/net/test_merge.py. */
#include "proto/kernel/krt_merge.h"

#include "filter/run/hop.h"
#include "filter/run/net.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/sink.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/index/route_hops.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "proto/kernel/krt_route.h"

/* Next hops collected so far. */
struct hops {
	unsigned cnt;
	struct hop hop[2 * HOPS_MAX];
};

/* krt_merge_take - add the next hops of one route. Only the first `limit` hops in order
 * count, so further hops are dropped at once. */
static void
krt_merge_take(struct hops *h, const struct krt_merging *m, const struct attr_set *set,
    const struct route_source *src)
{
	const struct hops_place at = { m->w->ifaces, m->w->table };

	h->cnt += route_hops_find(h->hop + h->cnt, &at, set, src, NULL);
	h->cnt = hops_sort(h->hop, h->cnt);
	if (h->cnt > m->limit)
		h->cnt = m->limit;
}

static bool
merge_as_good(const struct krt_merging *m, const struct path *p)
{
	const struct origin *o = path_origin_of(m->w->table, p);
	struct route_cand a = { .set = m->best, .src = &m->from->src },
			  b = { .set = path_set(p) };

	if (!o || o->order != m->from->order || path_filtered(p) ||
	    !path_live(m->w->table, p) || (o == m->from && b.set == a.set) ||
	    a.set->local.preference != b.set->local.preference)
		return false;
	b.src = &o->src;
	return o->order->merges(&a, &b);
}

/* krt_merge_add - add the hops of @p, if the filter accepts @p. */
static void
krt_merge_add(struct hops *h, const struct krt_merging *m, const struct net *n,
    const struct path *p)
{
	const struct table *t = m->w->table;
	struct route_view r = {
		.src = path_facts(t, p), .set = path_set(p), .feeder = path_src(p)
	};
	struct attr_set *out;
	struct fnet what;
	int rc;

	if (!r.src)
		return;
	net_view(t, n, &r, &what);
	rc = m->ft ? channel_would_export(m->ch, m->ft, m->arena, &r, &out)
		   : channel_exported(m->ch, &r, &out);
	if (rc != 1)
		return;
	krt_merge_take(h, m, out, r.src);
	attr_set_unref(table_store(t), out, 1);
}

static bool
krt_merge_is_alone(const struct krt_merging *m, const struct net *n)
{
	const struct path *p = net_first(n);

	return !m->from || !m->from->order->merges || !p || !path_next(p);
}

OWNED struct attr_set *
krt_merge(const struct krt_merging *m, const struct net *n, struct attr_set *set)
{
	struct attr_edit e;
	struct hops h;

	if (krt_merge_is_alone(m, n))
		return NULL;
	h.cnt = 0;
	krt_merge_take(&h, m, set, &m->from->src);
	if (!h.cnt)
		return NULL;
	for (const struct path *p = net_first(n); p; p = path_next(p))
		if (merge_as_good(m, p))
			krt_merge_add(&h, m, n, p);
	if (h.cnt < 2)
		return NULL;
	attr_edit_init(&e, m->arena, set);
	return hops_set(&e, h.hop, h.cnt) ? NULL
					  : attr_store_edit(table_store(m->w->table), &e);
}
