/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes of tables as routes of the kernel, and the reverse. */
#ifndef TERN_PROTO_KERNEL_ROUTE_H
#define TERN_PROTO_KERNEL_ROUTE_H

#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "lib/net/prefix.h"
#include "lib/wire/rtnl_route.h"
#include "sysdep/iface/iface.h"

struct attr_store;
struct hop;
struct kernel_conf;
struct table;

/* Where a route is going. */
struct krt_where {
	const struct kernel_conf *cf;
	const struct iface_list *ifaces;
	const struct table *table; /* its hops are resolved by it */
	enum family fam;
};

/* krt_route_of - all of @out but its destination. @src: who brought it; NULL: that isn't
 * known. A route whose next hops lead nowhere is unreachable. @out->hop: room for
 * RTNL_HOPS_MAX. Under RCU. */
void krt_route_of(struct rtnl_route *out, const struct krt_where *w,
    const struct attr_set *set, const struct route_source *src);
/* krt_hops - where packets of a route go, in @to, which has room for HOPS_MAX; none that
 * lead nowhere. Returns: how many; 0: it isn't unicast, or unreachable. Under RCU. */
unsigned krt_hops(struct hop *to, const struct krt_where *w, const struct attr_set *set,
    const struct route_source *src);
/* krt_route_key - of @out what the kernel finds it by, but for its destination. */
void krt_route_key(
    struct rtnl_route *out, const struct krt_where *w, const struct attr_set *set);
/* krt_route_same - is what the kernel has, @got, just what was asked for? Pure. */
bool krt_route_same(const struct rtnl_route *want, const struct rtnl_route *got);
/* krt_set_of - the set of a route that somebody else has put into the kernel; NULL: it
 * can't be one of ours. */
OWNED struct attr_set *krt_set_of(struct attr_store *store, struct arena *a,
    const struct rtnl_route *got, const struct iface_list *ifaces, uint32_t preference);
/* krt_metric_of - of a set that krt_set_of has made. */
uint32_t krt_metric_of(const struct attr_set *set);

#endif
