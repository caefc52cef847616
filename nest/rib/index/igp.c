/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolution of recursive next hops (igp.h). igp_watch.c reports changes.
 *
 * Any thread under RCU. Tested by test/net/test_recursive.py. */
#include "nest/rib/index/igp.h"

#include "filter/run/custom.h"
#include "filter/run/hop.h"
#include "filter/run/links.h"
#include "lib/attr/aigp.h"
#include "lib/attr/attr.h"
#include "lib/attr/route.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/rib/table.h"
#include "sysdep/iface/iface.h"

/* ---- an answer ---- */

/* igp_first_hops - write the hops of a route to @to: the hops of the set, or the next
 * hop of a session on a link. Returns: number of hops. */
static unsigned
igp_first_hops(const struct attr_set *set, const struct route_source *src, struct hop *to)
{
	struct ip_addr gw = wire_next_hop(set->wire);
	unsigned cnt = 0;

	while (cnt < HOPS_MAX && hop_of(set, cnt, &to[cnt]))
		cnt++;
	if (cnt || !src || !src->link_if || ip_is_none(gw))
		return cnt;
	to[0] = hop_make(gw, src->link_if, NULL);
	return 1;
}

static bool
igp_has(const struct iface *i, struct ip_addr a)
{
	for (uint32_t k = 0; k < i->addr_cnt; k++)
		if (ip_equal(i->addr[k].local, a))
			return true;
	return false;
}

/* igp_settle - complete hop @h of a route that leads to address @a. Returns: false:
 * packets cannot use the hop. */
static bool
igp_settle(struct hop *h, struct ip_addr a, const struct iface_list *ifaces)
{
	const struct iface *i = h->ifindex ? iface_by_index(ifaces, h->ifindex)
					   : links_gateway(ifaces, h->gw);

	if (ip_is_none(h->gw)) {
		if (i && igp_has(i, a))
			return false; /* @a is a local address */
		h->gw = a;
	}
	if (i) {
		h->ifindex = i->index;
		memset(h->ifname, 0, sizeof(h->ifname));
		memcpy(h->ifname, i->name, strlen(i->name));
	}
	return true;
}

/* igp_metric_of - IGP metric from the attributes of a route. */
static uint32_t
igp_metric_of(const struct attr_set *set)
{
	uint64_t metric;

	if (set->local.rts != RTS_BGP)
		return aigp_way_of(set);
	if (!aigp_of(set->wire, &metric))
		return UINT32_MAX;
	metric = aigp_total(set, metric);
	return metric < UINT32_MAX ? (uint32_t)metric : UINT32_MAX;
}

void
igp_resolve(const struct table *t, struct igp_way *out, struct ip_addr a,
    const struct iface_list *ifaces)
{
	const struct net *n = table_match(t, a);
	const struct path *p = n ? net_best(n) : NULL;
	const struct attr_set *set = p ? path_set(p) : NULL;
	struct custom_item it;
	unsigned cnt, to = 0;

	out->dest = DEST_UNREACHABLE;
	out->cnt = 0;
	out->metric = 0;
	if (!set || (set->local.custom_words && custom_find(set, CUSTOM_RECURSIVE, &it)))
		return;
	if (set->local.dest != DEST_UNICAST) {
		out->dest = set->local.dest;
		out->metric = igp_metric_of(set);
		return;
	}
	cnt = igp_first_hops(set, path_facts(t, p), out->hop);
	for (unsigned i = 0; i < cnt; i++)
		if (igp_settle(&out->hop[i], a, ifaces))
			out->hop[to++] = out->hop[i];
	out->cnt = (uint16_t)hops_sort(out->hop, to);
	if (!out->cnt)
		return;
	out->dest = DEST_UNICAST;
	out->metric = igp_metric_of(set);
}
