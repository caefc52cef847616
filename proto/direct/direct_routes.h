/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes that a list of interfaces gives. Owner: the instance. Life: by value in the
 * instance's lists. Pure functions; any thread. */
#ifndef TERN_PROTO_DIRECT_DIRECT_ROUTES_H
#define TERN_PROTO_DIRECT_DIRECT_ROUTES_H

#include "lib/net/prefix.h"
#include "proto/direct/direct_conf.h"
#include "sysdep/iface/iface.h"

/* A route. Owner: the instance; by value in the lists of the instance, freed with the
 * lists. */
struct direct_route {
	struct prefix net;
	uint32_t index; /* of the interface */
	char name[IF_NAMESIZE];
};

/* In order of direct_route_cmp, each once. owner: whoever has it; freed by:
 * direct_routes_fini. */
struct direct_routes {
	struct direct_route *r;
	uint32_t cnt, cap;
};

/* direct_routes_make - compute the routes of @fam for the configuration @cf and the
 * interfaces of @l in @vrf (iface_vrf), and replace the contents of @to. Pure. Cost:
 * O(addresses). */
void direct_routes_make(struct direct_routes *to, const struct direct_conf *cf,
    const struct iface_list *l, uint32_t vrf, enum family fam);
void direct_routes_fini(struct direct_routes *d);
/* direct_route_cmp - compare by interface, then net. direct_route_same - compare the name
 * as well: an interface with another name is another interface for routes. Pure. */
int direct_route_cmp(const struct direct_route *a, const struct direct_route *b);
bool direct_route_same(const struct direct_route *a, const struct direct_route *b);

#endif
