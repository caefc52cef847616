/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session that is to end soon (RFC 8326): each imported route gets the community
 * GRACEFUL_SHUTDOWN and preference 0, after the import filter; each route to the peer
 * gets the community, after the export filter. So routers move their traffic while the
 * routes still exist.
 *
 * I1  The end of a drain restores the routes without a request to the peer: a channel
 *     that keeps no routes before policy keeps the result of the filter as the set before
 *     policy while the session drains (REC_KEEP). A channel that keeps routes before
 *     policy passes the routes through the filter again.
 * I2  A path is drained if its set is the drained form of its kept set; so a walk and
 *     announcements under way may meet in any order.
 * I3  A walk looks at the table when the table has all earlier decisions (as a reload).
 *
 * Loop: the session's. Tested by test/net/test_drain.py. */
#include "nest/channel/channel_drain_priv.h"

#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/community.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel_priv.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"

/* drain_add - Returns: true: @e has the community. */
static bool
drain_add(struct attr_edit *e)
{
	struct comm c = { .v = { COMM_GRACEFUL_SHUTDOWN >> 16,
			      COMM_GRACEFUL_SHUTDOWN & 0xffff } };
	struct attr_item it = { 0 };
	uint8_t *list;
	int len;

	if (!attr_edit_get(e, ATTR_COMMUNITY, &it))
		it.len = 0;
	else if (comm_has(COMM_STD, it.val, it.len, c))
		return true;
	len = comm_add(&list, e->arena, COMM_STD, it.val, it.len, c);
	return len >= 0 && !attr_edit_set(e, ATTR_COMMUNITY, attr_flags(ATTR_COMMUNITY),
			       list, (uint32_t)len);
}

struct attr_set *
channel_drain_set(struct attr_store *store, struct attr_edit *e, bool import)
{
	struct attr_set *set = NULL;
	struct attr_edit bare;

	if (import)
		e->local.preference = 0;
	bare = *e;
	if (drain_add(e))
		set = attr_store_edit(store, e);
	return set ? set : attr_store_edit(store, &bare);
}

/* drain_form - the drained form of the imported set @set. */
static OWNED struct attr_set *
drain_form(struct channel *ch, const struct attr_set *set)
{
	struct attr_edit e;

	attr_edit_init(&e, &ch->work.arena, set);
	return channel_drain_set(table_store(ch->table), &e, true);
}

/* drain_is - true: @now is the drained form of @pre, which lives. */
static bool
drain_is(struct channel *ch, const struct attr_set *pre, const struct attr_set *now)
{
	struct attr_set *set = drain_form(ch, pre);
	bool is = set == now;

	if (set)
		attr_set_unref(table_store(ch->table), set, 1);
	return is;
}

/* drain_move - the path @p gets the set @to (TAKE) in place of @now (TAKE). */
static void
drain_move(struct channel *ch, const struct net *n, const struct path *p,
    TAKE struct attr_set *now, TAKE struct attr_set *to)
{
	uint8_t nlri[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK] = { 0 };
	unsigned id_len = ch->imp.id_len;
	struct nlri k = net_nlri(ch->table, n);
	struct rec rec = { .type = REC_ANNOUNCE,
		.flags = (uint8_t)(REC_MOVE |
				   (channel_drains(ch) ? REC_KEEP : REC_FORGET) |
				   (path_filtered(p) ? PATH_FILTERED : 0) |
				   (id_len ? REC_IDS : 0)),
		.prefix_cnt = 1,
		.set = to,
		.pre = now };

	if (id_len)
		put_be32(nlri, path_rid(p));
	rec.nlri_len = (uint16_t)(id_len + NLRI_BY_KIND(ch->kind, nlri_put, nlri + id_len,
					       k.word, k.head));
	channel_post_rec(ch, &rec, nlri);
}

OWNED struct attr_set *
channel_drain_path(struct channel *ch, const struct net *n, const struct path *p)
{
	struct attr_store *store = table_store(ch->table);
	struct attr_set *now = path_set(p), *pre = path_pre(p), *to = NULL;
	bool drained;

	if (!attr_set_ref_live(now))
		return NULL;
	if (pre && !attr_set_ref_live(pre)) {
		attr_set_unref(store, now, 1); /* the path is being replaced */
		return NULL;
	}
	drained = pre && drain_is(ch, pre, now);
	if (channel_drains(ch) && !drained)
		to = drain_form(ch, now);
	else if (!channel_drains(ch) && drained)
		to = attr_set_ref(pre, 1);
	else if (!channel_drains(ch) && pre && pre != now)
		ch->imp.drain_lost = true;
	if (pre)
		attr_set_unref(store, pre, 1);
	if (!to || to == now) {
		if (to)
			attr_set_unref(store, to, 1);
		return now;
	}
	attr_set_ref(to, 1);
	drain_move(ch, n, p, now, to);
	return to;
}
