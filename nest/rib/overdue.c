/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overdue paths: stale paths of a feeder whose peer stays absent for long.
 *
 * An overdue path has the set that the class of sinks makes of the path's set
 * (seg_class.overdue), or leaves the table. The walk that removes dead paths does the
 * work, net by net. The walk replaces the path by a new path, still stale, with the other
 * set: filters, pipes and `show` see what peers get.
 *
 * The table's loop. Tests: test_path_count.c, test/net/test_restart. */
#include "lib/attr/attr.h"
#include "lib/mt/near.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table_priv.h"

struct attr_set *
overdue_set(struct table *t, struct attr_set *set)
{
	const struct seg_class *c = t->tern->seg_class;

	return c ? c->overdue(t->store, set, &t->work.scratch) : attr_set_ref(set, 1);
}

/* overdue_is_due - the path must become overdue. */
static bool
overdue_is_due(const struct table *t, const struct path *p)
{
	const struct feeder *s = table_feeder_local(t, path_feeder(p));

	return s->epoch.overdue && path_epoch(p) != s->epoch.now &&
	       epochs_live(feeder_epochs(s), path_epoch(p)) &&
	       !(p->flags & (PATH_OVERDUE | PATH_FILTERED));
}

static void
overdue_replace(struct table *t, struct net *n, uint32_t id, struct path *p)
{
	struct feeder *s = table_feeder_local(t, path_feeder(p));
	struct route_in r = { .rid = path_rid_of(p),
		.origin = path_origin(p),
		.flags = (uint8_t)(p->flags | PATH_OVERDUE),
		.again = true };

	r.set = overdue_set(t, p->set);
	if (!r.set) {
		table_withdraw(t, s, n, id, r.rid);
		return;
	}
	if (p->flags & PATH_PRE)
		r.pre = p->pre[0];
	if (r.set != p->set)
		table_announce(t, s, n, id, &r);
	attr_set_unref(t->store, r.set, 1);
}

void
table_overdue(struct table *t, struct net *n, uint32_t id)
{
	struct path *p = near_load_relaxed(&n->paths), *next;

	for (; p; p = next) {
		next = near_load_relaxed(&p->next); /* @p is replaced, or goes */
		if (overdue_is_due(t, p))
			overdue_replace(t, n, id, p);
	}
}
