/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The next hops that packets of a route use: the hops of the route itself, a BGP next hop
 * on a link, or the hops by which a table resolves the BGP next hop. Pure functions; any
 * thread. */
#ifndef TERN_NEST_RIB_INDEX_ROUTE_HOPS_H
#define TERN_NEST_RIB_INDEX_ROUTE_HOPS_H

#include "lib/attr/route.h"
#include "lib/base/check.h"

struct hop;
struct iface_list;
struct table;

/* The surroundings of a route. Owner: the caller. Life: one call, on the stack. */
struct hops_place {
	const struct iface_list *ifaces;
	const struct table *table; /* the table that resolves next hops */
};

/* route_hops_find - write the usable next hops of the route of @set and @src (NULL:
 * unknown) to @to, with room for HOPS_MAX. Under RCU. *@resolved: set if the table
 * answered, so the result depends on routes of the table; may be NULL.
 * Returns: number of hops; 0: the route is not unicast, or unreachable. */
unsigned route_hops_find(struct hop *to, const struct hops_place *at,
    const struct attr_set *set, const struct route_source *src, bool *resolved);

#endif
