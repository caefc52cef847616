/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The different ways that the routes of an instance go: which there are, which routes
 * have them, and whether packets can go there with the interfaces at hand. */
#ifndef TERN_PROTO_STATIC_WAYS_H
#define TERN_PROTO_STATIC_WAYS_H

#include "filter/run/hop.h"
#include "lib/mem/arena.h"
#include "proto/static/static_route.h"
#include "sysdep/iface/iface.h"

/* static_ways_index - fill in the ways of @sc, whose items are there, in @a.
 * Cost: O(routes and their vias). */
void static_ways_index(struct static_conf *sc, struct arena *a);
/* static_way_find - the hop, of weight 1, that @v is with the interfaces of @l, those of
 * @vrf (iface_vrf) where it names none. Returns: false: packets can't go there. Pure.
 * Cost: O(addresses). */
bool static_way_find(struct hop *out, const struct static_via *v,
    const struct iface_list *l, uint32_t vrf, bool check_link);

#endif
