/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ways of an instance: the different next hops of its routes, the users of each way,
 * and the test whether packets can follow a way with the present interfaces. Loop: the
 * instance's. */
#ifndef TERN_PROTO_STATIC_STATIC_WAYS_H
#define TERN_PROTO_STATIC_STATIC_WAYS_H

#include "filter/run/hop.h"
#include "lib/mem/arena.h"
#include "proto/static/static_route.h"
#include "sysdep/iface/iface.h"

/* static_ways_index - fill in the ways of @sc, whose items are set, in @a. Cost: O(routes
 * and vias). */
void static_ways_index(struct static_conf *sc, struct arena *a);
/* static_way_find - set *@out to the hop, of weight 1, of @v with the interfaces @l. If
 * @v names no interface, only interfaces of @vrf (iface_vrf) count. Returns: false:
 * packets cannot follow @v. Pure. Cost: O(addresses). */
bool static_way_find(struct hop *out, const struct static_via *v,
    const struct iface_list *l, uint32_t vrf, bool check_link);

#endif
