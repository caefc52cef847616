/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One net of a table (net_rig.h) and SOURCES external BGP peers of SOURCE_ASES
 * neighbouring ASes, both defined by who includes this, after table_best.c. */
#ifndef TERN_TEST_LIB_ONE_NET_RIG_H
#define TERN_TEST_LIB_ONE_NET_RIG_H

#include "proto/bgp/in/bgp_decide.h"
#include "test/lib/net_rig.h"

static const struct path_order bgp_order = {
	.rank = bgp_decide_cmp,
	.tied = bgp_decide_tied,
	.select = bgp_decide_select,
	.lowest = bgp_decide_lowest,
};

static struct table *t;
static struct feeder source[SOURCES];
static struct feeder_stats stats[SOURCES];
static struct origin facts[SOURCES];
static struct net *net;
static uint32_t net_at;

static int
one_net_rig_set_up(void **state)
{
	struct prefix p = prefix_make(ip4(0x0a000000), 8, FAM_IP4);

	(void)state;
	t = net_rig_new();
	memset(source, 0, sizeof(source));
	memset(stats, 0, sizeof(stats));
	memset(facts, 0, sizeof(facts));
	for (uint32_t i = 0; i < SOURCES; i++) {
		facts[i].src = (struct route_source){ .from = ip4(0x0a000001 + i),
			.peer_as = 1 + i % SOURCE_ASES,
			.peer_router_id = 100 - i,
			.is_bgp = true,
			.is_ebgp = true };
		net_rig_feeder(t, i, &source[i], &stats[i], &facts[i], &bgp_order);
	}
	net = rig_net_get(t, &p, &net_at);
	return 0;
}

/* announce - what @src says of the net. */
static inline void
one_net_rig_announce(uint32_t src, const struct rig_attrs *a, uint8_t flags)
{
	struct attr_set *set = rig_set(t->store, a);

	table_announce(t, &source[src], net, net_at,
	    &(struct route_in){ .set = set, .flags = flags });
	attr_set_unref(t->store, set, 1);
}

#endif
