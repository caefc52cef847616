/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolution of next hops (channel_hops.h).
 *
 * A resolved route has the address in its set (CUSTOM_RECURSIVE), reachable or not: the
 * address finds the route, even after a filter wrote another next hop. A filter that
 * assigns a gateway removes the attribute. Sets kept before policy stay as received, so a
 * reload resolves again.
 *
 * Loop: the instance's. Tested by test/net/test_igp.py. */
#include "nest/channel/import/channel_hops.h"

#include "filter/run/custom.h"
#include "filter/run/hop.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "lib/base/htab.h"
#include "lib/base/wrap.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/import/channel_hops_priv.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/ids.h"
#include "nest/rib/index/igp.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/hop_nets.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define NEXT_HOPS_MAX 10000 /* of a session; further next hops are unreachable */
#define PURGE_MIN     1000 /* fewer next hops are never purged */
#define PURGE_NS      NS_PER_S /* least interval of purges at NEXT_HOPS_MAX */
#define NOTIFY_NS     (10 * NS_PER_MS) /* from a new next hop until the watch gets it */

static OWNED struct ip_addr *
hops_all_addresses(const struct channel_hops *h, uint32_t *cnt)
{
	struct ip_addr *a = mem_alloc(
	    MEM_PROTO, (htab_cnt(&h->by_addr) + 1) * sizeof(*a));

	*cnt = 0;
	for (struct htab_node *n = NULL; (n = htab_walk(&h->by_addr, n));)
		a[(*cnt)++] = container_of(n, struct far_hop, node)->addr;
	return a;
}

/* ---- next hops without routes ---- */

struct purge_mark {
	struct table_mark mark;
	struct channel *ch;
	uint32_t life;
	struct ip_addr *addr;
	uint32_t cnt;
};

/* hops_leave_unused - in the table's worker. */
static void
hops_leave_unused(struct table_mark *m)
{
	struct purge_mark *pm = container_of(m, struct purge_mark, mark);
	uint32_t cnt = pm->cnt;

	pm->cnt = 0;
	for (uint32_t i = 0; i < cnt; i++)
		if (!hop_nets_has(pm->ch->ts.hop_nets, pm->addr[i]))
			pm->addr[pm->cnt++] = pm->addr[i];
}

static void
channel_hops_purged(struct worker *w, TAKE struct msg *m)
{
	struct purge_mark *pm = container_of(m, struct purge_mark, mark.msg);
	struct channel_hops *h = pm->ch->imp.hops;

	(void)w;
	if (pm->life == h->life) {
		for (uint32_t i = 0; i < pm->cnt; i++) {
			struct far_hop *f = far_hop_find(h, pm->addr[i]);

			if (f && !f->used)
				far_hop_drop(h, f);
		}
		h->purging = false;
		h->purge_at = 2 * (uint32_t)htab_cnt(&h->by_addr);
		if (h->purge_at < PURGE_MIN)
			h->purge_at = PURGE_MIN;
	}
	mem_free(MEM_PROTO, pm->addr);
	mem_free(MEM_PROTO, pm);
}

/* channel_hops_purge - forget next hops that no route uses when a mark reaches the table,
 * and that no route used since. Earlier decisions are on the ring before the mark: the
 * function is not called during a decision. */
static void
channel_hops_purge(struct channel *ch)
{
	struct channel_hops *h = ch->imp.hops;
	uint32_t cnt = (uint32_t)htab_cnt(&h->by_addr);
	uint64_t now = loop_now_ns(&ch->proto->worker);
	struct purge_mark *pm;

	if (h->purging || (cnt < h->purge_at && cnt < NEXT_HOPS_MAX) ||
	    (cnt < h->purge_at && now - h->purged_ns < PURGE_NS))
		return;
	h->purging = true;
	h->purged_ns = now;
	for (struct htab_node *n = NULL; (n = htab_walk(&h->by_addr, n));)
		container_of(n, struct far_hop, node)->used = false;
	pm = mem_zalloc(MEM_PROTO, sizeof(*pm));
	pm->mark.msg.handle = channel_hops_purged;
	pm->mark.to = &ch->proto->worker;
	pm->mark.in_table = hops_leave_unused;
	pm->ch = ch;
	pm->life = h->life;
	pm->addr = hops_all_addresses(h, &pm->cnt);
	channel_mark(ch, &pm->mark);
}

/* ---- known next hops ---- */

/* hops_notify_watch - give the watches all addresses. The answer of a watch causes a look
 * at all of them. */
static void
hops_notify_watch(struct timer *t)
{
	struct channel_hops *h = container_of(t, struct channel_hops, notify);
	uint32_t cnt, v4;
	struct ip_addr *a = hops_all_addresses(h, &cnt);

	v4 = ip_group(a, cnt);
	if (h->watch[FAM_IP4])
		igp_watch_set(h->watch[FAM_IP4], a, v4);
	if (h->watch[FAM_IP6])
		igp_watch_set(h->watch[FAM_IP6], a + v4, cnt - v4);
	mem_free(MEM_PROTO, a);
	channel_hops_purge(h->ch);
}

/* hops_notify_soon - start the timer of hops_notify_watch. */
static void
hops_notify_soon(struct channel *ch)
{
	struct channel_hops *h = ch->imp.hops;

	if (!h->timed) {
		timer_init(&h->notify, &ch->proto->worker, hops_notify_watch);
		h->timed = true;
	}
	if (!timer_active(&h->notify))
		timer_set(&h->notify, loop_now_ns(&ch->proto->worker) + NOTIFY_NS);
}

static void
channel_hops_too_many(struct channel *ch)
{
	struct channel_hops *h = ch->imp.hops;

	if (log_due(&h->logged_ns, loop_now_ns(&ch->proto->worker), 60 * NS_PER_S))
		proto_log(ch->proto, LOG_C_WARN,
		    "More than %u next hops: routes by further next hops are unreachable",
		    NEXT_HOPS_MAX);
	hops_notify_soon(ch); /* may make room */
}

/* channel_hops_get - Returns: NULL: too many next hops. */
static struct far_hop *
channel_hops_get(struct channel *ch, struct ip_addr a)
{
	struct channel_hops *h = ch->imp.hops;
	struct far_hop *f = far_hop_find(h, a);

	if (f) {
		f->used = true;
		return f;
	}
	if (htab_cnt(&h->by_addr) >= NEXT_HOPS_MAX) {
		channel_hops_too_many(ch);
		return NULL;
	}
	f = mem_zalloc(MEM_PROTO, sizeof(*f));
	f->addr = a;
	f->used = true;
	htab_add(&h->by_addr, &f->node, far_hop_hash(a));
	far_hop_look(ch, f);
	hops_notify_soon(ch);
	return f;
}

/* hops_over_link - set a hop over the link of the session: to the next hop, or to the
 * link-local address of two. */
static void
hops_over_link(struct channel *ch, struct attr_edit *e)
{
	const struct iface *i = iface_by_index(
	    iface_list_get(&ch->proto->tern->ifaces), ch->imp.facts.link_if);
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
	(void)!hops_set(e, &h, 1); /* without room: to the global address */
}

void
channel_hops_apply(struct channel *ch, struct attr_edit *e)
{
	struct ip_addr a = wire_next_hop(e->base->wire);
	const struct far_hop *f;

	if (!ch->imp.hops) {
		hops_over_link(ch, e);
		return;
	}
	if (e->base->local.dest != DEST_UNREACHABLE || ip_is_none(a) ||
	    !ch->imp.hops->igp[family_of_ip(a)])
		return; /* on a link, or of a kind without resolution */
	f = channel_hops_get(ch, a);
	if (f && !far_hop_put(e, f))
		e->local.dest = DEST_UNREACHABLE;
}

/* ---- life ---- */

void
channel_hops_new(struct channel *ch, struct table *const igp[FAM_CNT])
{
	struct channel_hops *h = mem_zalloc(MEM_PROTO, sizeof(*h));

	h->nr = wrap_start(0, 32);
	h->ch = ch;
	h->purge_at = PURGE_MIN;
	h->pos = NO_ID;
	for (int f = 0; f < FAM_CNT; f++) {
		h->igp[f] = igp[f];
		if (igp[f])
			table_use(igp[f]);
	}
	htab_init(&h->by_addr, MEM_PROTO);
	ch->imp.hops = h;
	ch->ts.hop_nets = hop_nets_new();
}

bool
channel_hops_any(const struct channel *ch)
{
	return ch->imp.hops;
}

struct table *
channel_hops_table(const struct channel *ch, enum family f)
{
	return ch->imp.hops ? ch->imp.hops->igp[f] : NULL;
}

void
channel_hops_watch(struct channel *ch, enum family f, struct igp_watch *x)
{
	ch->imp.hops->watch[f] = x;
}

static void
channel_hops_forget(struct channel_hops *h)
{
	struct htab_node *n;

	while ((n = htab_walk(&h->by_addr, NULL)))
		far_hop_drop(h, container_of(n, struct far_hop, node));
}

void
channel_hops_down(struct channel *ch)
{
	struct channel_hops *h = ch->imp.hops;

	if (!h)
		return;
	channel_hops_forget(h);
	hops_walk_end(h);
	h->life++;
	h->purging = false;
	h->purge_at = PURGE_MIN;
	if (h->timed)
		timer_cancel(&h->notify);
}

void
channel_hops_free(struct channel *ch)
{
	if (!ch->imp.hops)
		return;
	channel_hops_forget(ch->imp.hops);
	hops_walk_end(ch->imp.hops);
	htab_fini(&ch->imp.hops->by_addr);
	for (int f = 0; f < FAM_CNT; f++)
		if (ch->imp.hops->igp[f])
			table_unuse(ch->imp.hops->igp[f]);
	mem_free(MEM_PROTO, ch->imp.hops);
}
