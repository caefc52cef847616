/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The next hops of a route (route_hops.h).
 *
 * A BGP route uses its next hop if the next hop is on a link; else the route uses the
 * next hops by which the table resolves that address.
 *
 * No state; any thread under RCU. Tested by test/unit/test_krt_route.c,
 * test/net/test_kernel.py, test/net/test_image.py. */
#include "nest/rib/index/route_hops.h"

#include "filter/run/hop.h"
#include "filter/run/links.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/net/ip.h"
#include "nest/rib/index/igp.h"
#include "sysdep/iface/iface.h"

/* hops_usable - write the usable hops of @set to @to. *@any: @set has hops. Returns:
 * number of usable hops. */
static unsigned
hops_usable(
    struct hop *to, bool *any, const struct hops_place *at, const struct attr_set *set)
{
	unsigned cnt = 0, i;

	for (i = 0; i < HOPS_MAX && hop_of(set, i, &to[cnt]); i++) {
		struct hop *h = &to[cnt];
		const struct iface *on = h->ifindex ? NULL
						    : links_gateway(at->ifaces, h->gw);

		if (on)
			h->ifindex = on->index;
		cnt += h->ifindex != 0;
	}
	*any = i;
	return cnt;
}

/* hops_local - the link-local next hop of a set; IP_NONE: no such next hop. */
static struct ip_addr
hops_local(const struct attr_set *set)
{
	struct attr_item it;
	struct ip_addr a;

	if (!wire_slot(set->wire, SLOT_NEXT_HOP, ATTR_NEXT_HOP, &it) || it.len < 16)
		return IP_NONE;
	a = ip_get16(it.val + (it.len >= 32 ? 16 : 0));
	return ip_is_link_local(a) ? a : IP_NONE;
}

/* hops_of_next_hop - of a route with a BGP next hop. Returns: number of hops. */
static unsigned
hops_of_next_hop(struct hop *to, const struct hops_place *at, const struct attr_set *set,
    const struct route_source *src, bool *resolved)
{
	struct ip_addr a = wire_next_hop(set->wire), local = hops_local(set);
	const struct iface *on = links_gateway(at->ifaces, a);
	struct igp_way way = { .cnt = 0 };
	unsigned cnt = 0;

	if (on || (src && src->link_if && !ip_is_none(local))) {
		to[0] = hop_make(on ? a : local, on ? on->index : src->link_if, NULL);
		return 1;
	}
	if (ip_is_none(a))
		return 0;
	igp_resolve(at->table, &way, a, at->ifaces);
	if (resolved)
		*resolved = true;
	for (unsigned i = 0; i < way.cnt; i++)
		if (way.hop[i].ifindex)
			to[cnt++] = way.hop[i];
	return cnt;
}

unsigned
route_hops_find(struct hop *to, const struct hops_place *at, const struct attr_set *set,
    const struct route_source *src, bool *resolved)
{
	bool any;
	unsigned cnt;

	if (resolved)
		*resolved = false;
	if (set->local.dest != DEST_UNICAST)
		return 0;
	cnt = hops_usable(to, &any, at, set);
	return any ? cnt : hops_of_next_hop(to, at, set, src, resolved);
}
