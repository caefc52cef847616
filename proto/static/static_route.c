/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares static routes and next hops, so that a new configuration changes only routes
 * that differ. Pure functions; any thread. Tested by test/unit/test_static_ways.c,
 * test/net/test_static_ways.py. */
#include "proto/static/static_route.h"

#include "filter/filter.h"
#include "lib/net/ip.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_igp.h"

bool
static_via_possible(const struct static_via *v)
{
	uint32_t v4 = ip_is_v4(v->gw) ? ip_to_v4(v->gw) : 0;

	if (ip_is_none(v->gw) || v->recursive)
		return v->recursive || v->ifname;
	if (v4 >> 28 == 0xe || v4 == UINT32_MAX || v->gw.hi >> 56 == 0xff)
		return false; /* multicast, broadcast */
	return ip_scope(v->gw) > IP_SCOPE_HOST && (v->ifname || !ip_is_link_local(v->gw));
}

bool
static_via_way_same(const struct static_via *a, const struct static_via *b)
{
	return ip_equal(a->gw, b->gw) && a->onlink == b->onlink && a->bfd == b->bfd &&
	       a->recursive == b->recursive && (!a->ifname) == (!b->ifname) &&
	       (!a->ifname || !strcmp(a->ifname, b->ifname));
}

static bool
route_via_same(const struct static_via *a, const struct static_via *b)
{
	return a->weight == b->weight && static_via_way_same(a, b);
}

static bool
route_vias_same(const struct static_route *a, const struct static_route *b)
{
	if (a->via_cnt != b->via_cnt)
		return false;
	for (unsigned i = 0; i < a->via_cnt; i++)
		if (!route_via_same(&a->via[i], &b->via[i]))
			return false;
	return true;
}

bool
static_route_same(const struct static_route *a, const struct static_route *b)
{
	return a->dest == b->dest && route_vias_same(a, b) &&
	       a->provider_cnt == b->provider_cnt &&
	       (!a->provider_cnt || !memcmp(a->provider, b->provider,
					a->provider_cnt * sizeof(*a->provider))) &&
	       (!a->code) == (!b->code) && (!a->code || filter_same(a->code, b->code));
}

const char *
static_conf_igp(const struct conf_proto *p, enum family f)
{
	const struct static_conf *sc = p->opt;

	if (sc->igp[f])
		return sc->igp[f]->name;
	return p->chan->table->kind == f ? p->chan->table->name : conf_igp_master(f);
}

uint32_t
static_conf_recursive(const struct static_conf *sc, struct ip_addr *to)
{
	uint32_t cnt = 0;

	for (uint32_t w = 0; w < sc->way_cnt; w++)
		if (sc->way[w].via->recursive)
			to[cnt++] = sc->way[w].via->gw;
	return cnt;
}
