/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long-lived stale routes (RFC 9494, 4.2, 4.3): stale paths of a feeder with a long
 * absent peer get the community LLGR_STALE. Such paths rank last and are not sent to
 * peers that do not support the community. Paths with NO_LLGR are removed.
 *
 * The walk that removes dead paths does the work, net by net. It replaces the path by a
 * new path, still stale, with one more community: filters, pipes and `show` see what
 * peers get.
 *
 * The table's loop. Tests: test_path_count.c, test/net/test_restart. */
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/community.h"
#include "lib/mem/arena.h"
#include "lib/mt/near.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/table_priv.h"

struct attr_set *
long_lived_set(struct table *t, const struct attr_set *set)
{
	struct arena *a = &t->work.scratch;
	struct comm stale = { .v = { COMM_LLGR_STALE >> 16, COMM_LLGR_STALE & 0xffff } };
	struct attr_item it = { 0 };
	struct attr_set *made = NULL;
	struct attr_edit e;
	uint8_t *list;
	int len;

	wire_find(set->wire, ATTR_COMMUNITY, &it);
	attr_edit_init(&e, a, set);
	len = comm_add(&list, a, COMM_STD, it.val, it.len, stale);
	if (len >= 0 && !attr_edit_set(&e, ATTR_COMMUNITY, attr_flags(ATTR_COMMUNITY),
			    list, (uint32_t)len))
		made = attr_store_edit(t->store, &e);
	arena_reset(a);
	return made;
}

/* lived_is_due - ... to get the community, or to go. */
static bool
lived_is_due(const struct table *t, const struct path *p)
{
	const struct feeder *s = table_feeder_local(t, path_feeder(p));

	return s->epoch.long_lived && path_epoch(p) != s->epoch.now &&
	       epochs_live(feeder_epochs(s), path_epoch(p)) &&
	       !(p->flags & (PATH_LONG | PATH_FILTERED));
}

static void
lived_make_long(struct table *t, struct net *n, uint32_t id, struct path *p)
{
	struct feeder *s = table_feeder_local(t, path_feeder(p));
	struct route_in r = { .rid = path_rid_of(p),
		.origin = path_origin(p),
		.flags = (uint8_t)(p->flags | PATH_LONG),
		.again = true };
	uint8_t has = p->set->wire->has;

	if ((has & (WIRE_HAS_LLGR_STALE | WIRE_HAS_NO_LLGR)) == WIRE_HAS_LLGR_STALE)
		return; /* the peer sent the community */
	r.set = has & WIRE_HAS_NO_LLGR ? NULL : long_lived_set(t, p->set);
	if (!r.set) {
		table_withdraw(t, s, n, id, r.rid);
		return;
	}
	if (p->flags & PATH_PRE)
		r.pre = p->pre[0];
	table_announce(t, s, n, id, &r);
	attr_set_unref(t->store, r.set, 1);
}

void
table_long_lived(struct table *t, struct net *n, uint32_t id)
{
	struct path *p = near_load_relaxed(&n->paths), *next;

	for (; p; p = next) {
		next = near_load_relaxed(&p->next); /* @p is replaced, or goes */
		if (lived_is_due(t, p))
			lived_make_long(t, n, id, p);
	}
}
