/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convert routes of tables to routes of the kernel, and the reverse. Pure functions; any
 * thread. */
#ifndef TERN_PROTO_KERNEL_KRT_ROUTE_H
#define TERN_PROTO_KERNEL_KRT_ROUTE_H

#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "lib/net/prefix.h"
#include "lib/wire/rtnl_route.h"
#include "sysdep/iface/iface.h"

struct attr_store;
struct kernel_conf;
struct table;

/* Context of a conversion. Owner: the caller. Life: one call, on the stack. */
struct krt_where {
	const struct kernel_conf *cf;
	const struct iface_list *ifaces;
	const struct table *table; /* the table that resolves next hops */
	enum family fam;
};

/* krt_route_of - fill @out except for the destination. @src: source of the route; NULL:
 * unknown. A route without a reachable next hop becomes unreachable. @out->hop: room for
 * RTNL_HOPS_MAX. Under RCU. */
void krt_route_of(struct rtnl_route *out, const struct krt_where *w,
    const struct attr_set *set, const struct route_source *src);
/* krt_route_key - fill the fields of @out by which the kernel finds the route, except for
 * the destination. */
void krt_route_key(
    struct rtnl_route *out, const struct krt_where *w, const struct attr_set *set);
/* krt_route_same - true: the kernel's route @got equals the wanted route @want. Pure. */
bool krt_route_same(const struct rtnl_route *want, const struct rtnl_route *got);
/* krt_set_of - the attribute set of the foreign kernel route @got; NULL: tern cannot
 * express the route. */
OWNED struct attr_set *krt_set_of(struct attr_store *store, struct arena *a,
    const struct rtnl_route *got, const struct iface_list *ifaces, uint32_t preference);
/* krt_metric_of - the kernel's metric of a set made by krt_set_of. */
uint32_t krt_metric_of(const struct attr_set *set);

#endif
