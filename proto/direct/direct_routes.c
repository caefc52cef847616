/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes of interfaces, as in bird2: a route to the network of each address of an
 * interface that is up. No state; any thread.
 *
 * - On a point-to-point link the route leads to the other end. If the other end has a
 *   whole network, the route leads to the local address's network of that size, as in
 *   `show interfaces`.
 * - Addresses of host or link scope have no route (127.0.0.1, ::1, fe80::1).
 * - Secondary addresses have no route, because the primary address has the network.
 * - Loopback is treated like any interface.
 * - A network and interface give one route.
 *
 * Tested by test/unit/test_direct_routes.c, test/net/test_direct.py. */
#include "proto/direct/direct_routes.h"

#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "sysdep/iface/iface_pattern.h"

#include <linux/if_addr.h>
#include <stdlib.h>

int
direct_route_cmp(const struct direct_route *a, const struct direct_route *b)
{
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return prefix_cmp(&a->net, &b->net);
}

bool
direct_route_same(const struct direct_route *a, const struct direct_route *b)
{
	return !direct_route_cmp(a, b) && !strcmp(a->name, b->name);
}

static int
direct_routes_cmp(const void *a, const void *b)
{
	return direct_route_cmp(a, b);
}

/* direct_routes_wanted - do the patterns take @a of @i? */
static bool
direct_routes_wanted(
    const struct direct_conf *cf, const struct iface *i, const struct iface_addr *a)
{
	for (const struct direct_ifaces *p = cf->last; p; p = p->before)
		if (iface_pattern_fits(p->pattern, i, a))
			return true;
	return !cf->last;
}

static struct prefix
routes_net_of(const struct iface_addr *a)
{
	enum family fam = a->subnet.fam;

	return a->subnet.len == family_bits(fam)
		   ? a->subnet
		   : prefix_make(a->local, a->subnet.len, fam);
}

/* routes_add_iface - the routes of @i, sorted among themselves. */
static void
routes_add_iface(struct direct_routes *to, const struct direct_conf *cf,
    const struct iface *i, enum family fam)
{
	uint32_t from = to->cnt, end = from;

	for (uint32_t k = 0; k < i->addr_cnt; k++) {
		const struct iface_addr *a = &i->addr[k];

		if (a->subnet.fam != fam || (a->flags & IFA_F_SECONDARY) ||
		    ip_scope(a->local) <= IP_SCOPE_LINK ||
		    !direct_routes_wanted(cf, i, a))
			continue;
		to->r = vec_room(MEM_PROTO, to->r, &to->cap, to->cnt + 1, sizeof(*to->r));
		to->r[to->cnt] = (struct direct_route){ .net = routes_net_of(a),
			.index = i->index };
		memcpy(to->r[to->cnt++].name, i->name, sizeof(i->name));
	}
	if (to->cnt - from < 2)
		return;
	qsort(to->r + from, to->cnt - from, sizeof(*to->r), direct_routes_cmp);
	for (uint32_t k = from; k < to->cnt; k++)
		if (end == from || direct_route_cmp(&to->r[end - 1], &to->r[k]))
			to->r[end++] = to->r[k];
	to->cnt = end;
}

void
direct_routes_make(struct direct_routes *to, const struct direct_conf *cf,
    const struct iface_list *l, uint32_t vrf, enum family fam)
{
	to->cnt = 0;
	for (uint32_t i = 0; i < l->cnt; i++)
		if ((l->iface[i].flags & IFF_UP) && iface_in_vrf(&l->iface[i], vrf) &&
		    (!cf->check_link || iface_has_carrier(&l->iface[i])))
			routes_add_iface(to, cf, &l->iface[i], fam);
}

void
direct_routes_fini(struct direct_routes *d)
{
	mem_free(MEM_PROTO, d->r);
	*d = (struct direct_routes){ .cnt = 0 };
}
