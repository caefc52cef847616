/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hops that are looked up (channel_hops.h).
 *
 * A route that was looked up has the address in its set (CUSTOM_RECURSIVE), whether or
 * not anything leads there: by that it is found, also when a filter has written another
 * next hop. A filter that assigns a gateway takes it out. What is kept from before the
 * policy is as it came, so a reload looks up anew by itself.
 *
 * I1  What was decided before a change is in the table when the walk begins: a mark goes
 *     before it. What is decided after it knows the change.
 * I2  A walk changes a path only if it is still the one that was seen (REC_MOVE).
 * I3  A walk goes over the nets that the table has of the next hops that have changed
 *     (nest/rib/hop_nets.h) when its mark comes there; where those are very many, over
 *     all nets of the feeder.
 *
 * Loop: the instance's. Tested by test/net/test_igp.py. */
#include "nest/channel/channel_hops.h"

#include "filter/run/custom.h"
#include "filter/run/hop.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "lib/base/arena.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/conf/config.h"
#include "nest/rib/attr_store.h"
#include "nest/rib/hop_nets.h"
#include "nest/rib/ids.h"
#include "nest/rib/igp.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/tern.h"
#include "sysdep/clock.h"
#include "sysdep/iface.h"
#include "sysdep/loop.h"

#define NEXT_HOPS_MAX 10000 /* of a session; others lead nowhere */
#define TELL_NS       (10 * NS_PER_MS) /* from a new one until the watch has it */
#define STEP_NETS     1024
#define LISTED_MAX    (1 << 17) /* nets of a walk that aren't looked for */

/* A next hop, and what it came to. */
struct far_hop {
	struct htab_node node;
	struct ip_addr addr;
	uint32_t metric; /* UINT32_MAX: unknown */
	uint32_t changed; /* in which change; 0: its routes know it */
	uint8_t dest; /* enum route_dest */
	uint16_t cnt; /* hops */
	struct hop *hop;
};

/* owner: the channel's worker; freed by: channel_hops_free. */
struct channel_hops {
	struct table *igp; /* used; constant */
	struct igp_watch *watch; /* its instance's */
	struct htab by_addr;
	struct timer tell;
	bool timed; /* tell was set up */
	uint32_t nr; /* counts changes */
	uint32_t walk_nr; /* the walk is about changes up to this */
	uint32_t *listed; /* ids of the walk; NULL: all that there are */
	uint32_t listed_cnt;
	/* of the walk, the next in `listed`, or net id; NO_SOURCE: none is on */
	uint32_t pos;
	uint32_t mark_nr; /* counts walks, and what ends one */
	bool waits; /* for its mark */
};

/* has_routes - also of a peer that is away for a while: who forwards by them is to go
 * where they lead now. */
static bool
has_routes(const struct channel *ch)
{
	return ch->up || ch->away;
}

static uint64_t
hash_of(struct ip_addr a)
{
	return hash_u64(hash_u64(0, a.hi), a.lo);
}

static struct far_hop *
find(const struct channel_hops *h, struct ip_addr a)
{
	struct htab_node *n;

	htab_each_same (n, &h->by_addr, hash_of(a)) {
		struct far_hop *f = container_of(n, struct far_hop, node);

		if (ip_equal(f->addr, a))
			return f;
	}
	return NULL;
}

/* look - what does @f come to now? Returns: another answer than before. */
static bool
look(struct channel *ch, struct far_hop *f)
{
	struct igp_way way;
	bool same;

	igp_resolve(
	    ch->hops->igp, &way, f->addr, iface_list_get(&ch->proto->tern->ifaces));
	same = f->dest == way.dest && f->metric == way.metric && f->cnt == way.cnt &&
	       (!way.cnt || !memcmp(f->hop, way.hop, way.cnt * sizeof(*f->hop)));
	if (same)
		return false;
	mem_free(MEM_PROTO, f->hop);
	f->hop = way.cnt ? mem_alloc(MEM_PROTO, way.cnt * sizeof(*f->hop)) : NULL;
	if (way.cnt)
		memcpy(f->hop, way.hop, way.cnt * sizeof(*f->hop));
	f->dest = way.dest;
	f->metric = way.metric;
	f->cnt = way.cnt;
	return true;
}

/* tell_watch - all addresses. Its answer makes us look at all of them again. */
static void
tell_watch(struct timer *t)
{
	struct channel_hops *h = container_of(t, struct channel_hops, tell);
	uint32_t cnt = 0;
	struct ip_addr *a = mem_alloc(
	    MEM_PROTO, (htab_cnt(&h->by_addr) + 1) * sizeof(*a));

	for (struct htab_node *n = NULL; (n = htab_walk(&h->by_addr, n));)
		a[cnt++] = container_of(n, struct far_hop, node)->addr;
	if (h->watch)
		igp_watch_set(h->watch, a, cnt);
	mem_free(MEM_PROTO, a);
}

/* get - Returns: NULL: there are too many. */
static struct far_hop *
get(struct channel *ch, struct ip_addr a)
{
	struct channel_hops *h = ch->hops;
	struct far_hop *f = find(h, a);

	if (f || htab_cnt(&h->by_addr) >= NEXT_HOPS_MAX)
		return f;
	f = mem_zalloc(MEM_PROTO, sizeof(*f));
	f->addr = a;
	htab_add(&h->by_addr, &f->node, hash_of(a));
	look(ch, f);
	if (!h->timed) {
		timer_init(&h->tell, &ch->proto->worker, tell_watch);
		h->timed = true;
	}
	if (!timer_active(&h->tell))
		timer_set(&h->tell, loop_now_ns(&ch->proto->worker) + TELL_NS);
	return f;
}

/* put - what @f came to, into @e. Returns: false: there is no room for it. */
static bool
put(struct attr_edit *e, const struct far_hop *f)
{
	e->local.dest = f->dest;
	e->local.igp_metric = f->metric;
	if (attr_edit_set_custom(e, CUSTOM_RECURSIVE, T_IP, &f->addr, sizeof(f->addr)))
		return false;
	if (f->cnt)
		return !hops_set(e, f->hop, f->cnt);
	return !hops_unset(e);
}

/* over_link - to the next hop, or of its two addresses to the link-local one. */
static void
over_link(struct channel *ch, struct attr_edit *e)
{
	const struct iface *i = iface_by_index(
	    iface_list_get(&ch->proto->tern->ifaces), ch->own.link_if);
	struct ip_addr a = wire_next_hop(e->base->wire);
	struct attr_item it;
	struct hop h;

	if (ch->cf->prefer_local &&
	    wire_slot(e->base->wire, SLOT_NEXT_HOP, ATTR_NEXT_HOP, &it) && it.len >= 32)
		a = ip_get16(it.val + 16);
	else if (!ch->cf->over_link)
		return;
	if (!i || ip_is_none(a))
		return;
	h = hop_make(a, i->index, i->name);
	(void)!hops_set(e, &h, 1); /* without room for it: to the global address */
}

void
channel_hops_apply(struct channel *ch, struct attr_edit *e)
{
	struct ip_addr a = wire_next_hop(e->base->wire);
	const struct far_hop *f;

	if (!ch->hops) {
		over_link(ch, e);
		return;
	}
	if (e->base->local.dest != DEST_UNREACHABLE || ip_is_none(a) ||
	    family_of_ip(a) != table_family(ch->hops->igp))
		return; /* it is on a link; or nothing there can lead to it */
	f = get(ch, a);
	if (f && !put(e, f))
		e->local.dest = DEST_UNREACHABLE;
}

/* ---- a walk ---- */

static const struct far_hop *
changed_of(const struct channel_hops *h, const struct attr_set *set)
{
	const struct far_hop *f;
	struct custom_item it;
	struct ip_addr a;

	if (!set->local.custom_words || !custom_find(set, CUSTOM_RECURSIVE, &it) ||
	    it.len != sizeof(a))
		return NULL;
	memcpy(&a, it.val, sizeof(a));
	f = find(h, a);
	return f && f->changed ? f : NULL;
}

/* move - @p, of @n, goes by what @f came to. */
static void
move(struct channel *ch, const struct net *n, const struct path *p,
    const struct far_hop *f)
{
	struct attr_store *store = table_store(ch->table);
	uint8_t nlri[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK] = { 0 };
	unsigned id_len = ch->imp.id_len;
	struct rec rec = { .type = REC_ANNOUNCE,
		.flags = (uint8_t)(REC_MOVE | (id_len ? REC_IDS : 0)),
		.prefix_cnt = 1 };
	struct nlri k = net_nlri(ch->table, n);
	struct attr_set *old = path_set(p), *set;
	struct attr_edit e;

	if (!attr_set_ref_live(old))
		return;
	attr_edit_init(&e, &ch->work.arena, old);
	set = put(&e, f) ? attr_store_edit(store, &e) : NULL;
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

static void
walk_net(struct channel *ch, const struct net *n)
{
	for (const struct path *p = net_first(n); p; p = path_next(p)) {
		const struct far_hop *f;

		if (path_src(p) != load_relaxed32(&ch->ts.id) ||
		    !path_live(ch->table, p) || path_filtered(p))
			continue;
		f = changed_of(ch->hops, path_set(p));
		if (f)
			move(ch, n, p, f);
	}
}

struct walk_mark {
	struct table_mark mark;
	struct channel *ch;
	uint32_t nr;
	struct ip_addr *addr; /* that have changed */
	uint32_t addr_cnt;
	uint32_t *listed, listed_cnt;
};

/* list_nets - in the table's worker. */
static void
list_nets(struct table_mark *m)
{
	struct walk_mark *wm = container_of(m, struct walk_mark, mark);

	wm->listed = hop_nets_get(
	    wm->ch->ts.hop_nets, &wm->listed_cnt, wm->addr, wm->addr_cnt, LISTED_MAX);
}

static void
marked(struct worker *w, TAKE struct msg *m)
{
	struct walk_mark *wm = container_of(m, struct walk_mark, mark.msg);
	struct channel_hops *h = wm->ch->hops;

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
begin(struct channel *ch)
{
	struct channel_hops *h = ch->hops;
	struct walk_mark *wm = mem_zalloc(MEM_PROTO, sizeof(*wm));

	wm->mark.msg.handle = marked;
	wm->mark.to = &ch->proto->worker;
	wm->mark.in_table = list_nets;
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
forget_list(struct channel_hops *h)
{
	mem_free(MEM_TABLE, h->listed);
	h->listed = NULL;
	h->pos = NO_SOURCE;
}

/* end - of a walk; what has changed since begins another one. */
static void
end(struct channel *ch)
{
	struct channel_hops *h = ch->hops;

	forget_list(h);
	for (struct htab_node *n = NULL; (n = htab_walk(&h->by_addr, n));) {
		struct far_hop *f = container_of(n, struct far_hop, node);

		if (f->changed && f->changed <= h->walk_nr)
			f->changed = 0;
	}
	if (h->nr != h->walk_nr)
		begin(ch);
}

/* next_id - of the walk. NO_SOURCE: that were all. */
static uint32_t
next_id(const struct channel *ch)
{
	struct channel_hops *h = ch->hops;

	if (h->listed)
		return h->pos < h->listed_cnt ? h->listed[h->pos++] : NO_SOURCE;
	if (!(h->pos % CHUNK_NETS)) /* past chunks without a route of ours */
		h->pos = feeder_next(&ch->ts, h->pos);
	return h->pos < table_id_limit(ch->table) ? h->pos++ : NO_SOURCE;
}

bool
channel_hops_step(struct channel *ch)
{
	struct channel_hops *h = ch->hops;
	uint32_t cnt = 0;

	if (likely(!h) || h->pos == NO_SOURCE || !has_routes(ch))
		return false;
	while (!ch->imp.pend.len && cnt++ < STEP_NETS) {
		uint32_t id = next_id(ch);
		const struct net *n;

		if (id == NO_SOURCE) {
			arena_reset(&ch->work.arena);
			end(ch);
			return false;
		}
		n = table_net_at(ch->table, id);
		if (n)
			walk_net(ch, n);
		if (!(cnt % 64))
			arena_reset(&ch->work.arena);
	}
	arena_reset(&ch->work.arena);
	if (ch->imp.pend.len)
		ch->imp.was_blocked = true;
	return !ch->imp.pend.len;
}

void
channel_hops_changed(struct channel *ch)
{
	struct channel_hops *h = ch->hops;
	bool any = false;

	for (struct htab_node *n = NULL; (n = htab_walk(&h->by_addr, n));) {
		struct far_hop *f = container_of(n, struct far_hop, node);

		if (!look(ch, f))
			continue;
		f->changed = h->nr + 1;
		any = true;
	}
	if (!any)
		return;
	h->nr++;
	if (has_routes(ch) && !h->waits && h->pos == NO_SOURCE)
		begin(ch);
}

/* ---- life ---- */

void
channel_hops_new(struct channel *ch, struct table *igp)
{
	struct channel_hops *h = mem_zalloc(MEM_PROTO, sizeof(*h));

	h->igp = igp;
	h->pos = NO_SOURCE;
	table_use(igp);
	htab_init(&h->by_addr, MEM_PROTO);
	ch->hops = h;
	ch->ts.hop_nets = hop_nets_new();
}

struct table *
channel_hops_table(const struct channel *ch)
{
	return ch->hops ? ch->hops->igp : NULL;
}

void
channel_hops_watch(struct channel *ch, struct igp_watch *x)
{
	ch->hops->watch = x;
}

static void
forget(struct channel_hops *h)
{
	struct htab_node *n;

	while ((n = htab_walk(&h->by_addr, NULL))) {
		struct far_hop *f = container_of(n, struct far_hop, node);

		htab_del(&h->by_addr, n);
		mem_free(MEM_PROTO, f->hop);
		mem_free(MEM_PROTO, f);
	}
}

void
channel_hops_down(struct channel *ch)
{
	struct channel_hops *h = ch->hops;

	if (!h)
		return;
	forget(h);
	forget_list(h);
	h->mark_nr++;
	h->waits = false;
	if (h->timed)
		timer_cancel(&h->tell);
}

void
channel_hops_free(struct channel *ch)
{
	if (!ch->hops)
		return;
	forget(ch->hops);
	forget_list(ch->hops);
	htab_fini(&ch->hops->by_addr);
	table_unuse(ch->hops->igp);
	mem_free(MEM_PROTO, ch->hops);
}
