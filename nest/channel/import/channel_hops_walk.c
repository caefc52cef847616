/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk over routes whose next hop changed its resolution (channel_hops.h). The walk
 * also covers routes of an absent peer: forwarding by its stale routes must follow the
 * change.
 *
 * I1  The table has all decisions made before the change when the walk begins: a mark
 *     precedes the walk. Later decisions know the change.
 * I2  A walk changes a path only if the path still has the seen set (REC_MOVE).
 * I3  A walk visits the nets that the table has for the changed next hops
 *     (nest/rib/table/hop_nets.h) when the mark arrives; if these are very many, all nets
 *     of the feeder.
 *
 * Loop: the instance's. Tested by test/net/test_igp.py. */
#include "nest/channel/import/channel_hops.h"

#include "filter/run/custom.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/base/htab.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_stale_priv.h"
#include "nest/channel/channel_walk.h"
#include "nest/channel/import/channel_hops_priv.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/ids.h"
#include "nest/rib/index/igp.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/hop_nets.h"
#include "sysdep/iface/iface.h"
#include "sysdep/loop/loop.h"

#define LISTED_MAX (1 << 17) /* most listed nets of a walk */

static const struct far_hop *
walk_changed_of(const struct channel_hops *h, const struct attr_set *set)
{
	const struct far_hop *f;
	struct custom_item it;
	struct ip_addr a;

	if (!set->local.custom_words || !custom_find(set, CUSTOM_RECURSIVE, &it) ||
	    it.len != sizeof(a))
		return NULL;
	memcpy(&a, it.val, sizeof(a));
	f = far_hop_find(h, a);
	return f && f->changed ? f : NULL;
}

/* channel_hops_walk_move - give path @p of @n the resolution of @f. */
static void
channel_hops_walk_move(struct channel *ch, const struct net *n, const struct path *p,
    const struct far_hop *f)
{
	struct attr_store *store = table_store(ch->table);
	uint8_t nlri[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK] = { 0 };
	unsigned id_len = ch->imp.id_len;
	struct rec rec = { .type = REC_ANNOUNCE,
		.flags = (uint8_t)(REC_MOVE | (id_len ? REC_IDS : 0) |
				   (path_filtered(p) ? PATH_FILTERED : 0)),
		.prefix_cnt = 1 };
	struct nlri k = net_nlri(ch->table, n);
	struct attr_set *old = path_set(p), *set;
	struct attr_edit e;

	if (!attr_set_ref_live(old))
		return;
	attr_edit_init(&e, &ch->work.arena, old);
	set = far_hop_put(&e, f) ? attr_store_edit(store, &e) : NULL;
	if (!set || set == old) {
		attr_set_unref(store, old, set ? 2 : 1);
		return;
	}
	if (id_len)
		put_be32(nlri, path_rid(p));
	rec.nlri_len = (uint16_t)(id_len + NLRI_BY_KIND(ch->kind, nlri_put, nlri + id_len,
					       k.word, k.head));
	rec.set = set;
	rec.pre = old;
	channel_post_rec(ch, &rec, nlri);
}

/* walk_net - Returns: how many paths @n has. */
static uint32_t
walk_net(struct channel *ch, const struct net *n)
{
	uint32_t cnt = 0;

	for (const struct path *p = net_first(n); p; p = path_next(p), cnt++) {
		const struct far_hop *f;

		if (path_src(p) != load_relaxed32(&ch->ts.id) || !path_live(ch->table, p))
			continue;
		f = walk_changed_of(ch->imp.hops, path_set(p));
		if (f)
			channel_hops_walk_move(ch, n, p, f);
		if (cnt % 64 == 63)
			arena_reset(&ch->work.arena);
	}
	return cnt;
}

struct walk_mark {
	struct table_mark mark;
	struct channel *ch;
	uint32_t nr;
	struct ip_addr *addr; /* changed next hops */
	uint32_t addr_cnt;
	uint32_t *listed, listed_cnt;
};

/* walk_list_nets - in the table's worker. */
static void
walk_list_nets(struct table_mark *m)
{
	struct walk_mark *wm = container_of(m, struct walk_mark, mark);

	wm->listed = hop_nets_get(
	    wm->ch->ts.hop_nets, &wm->listed_cnt, wm->addr, wm->addr_cnt, LISTED_MAX);
}

static void
channel_hops_walk_marked(struct worker *w, TAKE struct msg *m)
{
	struct walk_mark *wm = container_of(m, struct walk_mark, mark.msg);
	struct channel_hops *h = wm->ch->imp.hops;

	if (wm->nr == h->mark_nr) {
		h->waits = false;
		h->pos = 0;
		h->listed = wm->listed;
		h->listed_cnt = wm->listed_cnt;
		wm->listed = NULL;
		worker_again(w);
	}
	mem_free(MEM_TABLE, wm->listed);
	mem_free(MEM_PROTO, wm->addr);
	mem_free(MEM_PROTO, wm);
}

static void
channel_hops_walk_begin(struct channel *ch)
{
	struct channel_hops *h = ch->imp.hops;
	struct walk_mark *wm = mem_zalloc(MEM_PROTO, sizeof(*wm));

	wm->mark.msg.handle = channel_hops_walk_marked;
	wm->mark.to = &ch->proto->worker;
	wm->mark.in_table = walk_list_nets;
	wm->ch = ch;
	wm->nr = ++h->mark_nr;
	wm->addr = mem_alloc(MEM_PROTO, (htab_cnt(&h->by_addr) + 1) * sizeof(*wm->addr));
	for (struct htab_node *n = NULL; (n = htab_walk(&h->by_addr, n));) {
		const struct far_hop *f = container_of(n, struct far_hop, node);

		if (f->changed)
			wm->addr[wm->addr_cnt++] = f->addr;
	}
	h->waits = true;
	h->walk_nr = h->nr;
	channel_mark(ch, &wm->mark);
}

static void
walk_forget_list(struct channel_hops *h)
{
	mem_free(MEM_TABLE, h->listed);
	h->listed = NULL;
	h->pos = NO_ID;
}

/* channel_hops_walk_end - end a walk; changes since its start begin another walk. */
static void
channel_hops_walk_end(struct channel *ch)
{
	struct channel_hops *h = ch->imp.hops;

	walk_forget_list(h);
	for (struct htab_node *n = NULL; (n = htab_walk(&h->by_addr, n));) {
		struct far_hop *f = container_of(n, struct far_hop, node);

		if (f->changed && f->changed <= h->walk_nr)
			f->changed = 0;
	}
	if (h->nr != h->walk_nr)
		channel_hops_walk_begin(ch);
}

static uint32_t
walk_visit(void *arg, uint32_t id, const struct net *n)
{
	(void)id;
	return 1 + (n ? walk_net(arg, n) : 0);
}

bool
channel_hops_step(struct channel *ch)
{
	struct channel_hops *h = ch->imp.hops;
	struct channel_walk w = { .feeder = &ch->ts };
	bool more;

	if (h->pos == NO_ID || !channel_has_routes(ch))
		return false;
	w.id = h->listed;
	w.pos = h->pos;
	w.end = h->listed ? h->listed_cnt : table_id_limit(ch->table);
	more = channel_walk_step(ch, &w, ch->table, true, walk_visit, ch);
	h->pos = w.pos;
	if (ch->imp.pend.len) {
		ch->imp.was_blocked = true;
		return false;
	}
	if (!more)
		channel_hops_walk_end(ch);
	return more;
}

void
channel_hops_changed(struct channel *ch)
{
	struct channel_hops *h = ch->imp.hops;
	bool any = false;

	for (struct htab_node *n = NULL; (n = htab_walk(&h->by_addr, n));) {
		struct far_hop *f = container_of(n, struct far_hop, node);

		if (!far_hop_look(ch, f))
			continue;
		f->changed = h->nr + 1;
		any = true;
	}
	if (!any)
		return;
	h->nr++;
	if (channel_has_routes(ch) && !h->waits && h->pos == NO_ID)
		channel_hops_walk_begin(ch);
}

void
hops_walk_end(struct channel_hops *h)
{
	walk_forget_list(h);
	h->mark_nr++;
	h->waits = false;
}
