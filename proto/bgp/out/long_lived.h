/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long-lived stale routes (RFC 9494): the attributes of routes of a peer that is absent
 * for long. Any thread. */
#ifndef TERN_PROTO_BGP_OUT_LONG_LIVED_H
#define TERN_PROTO_BGP_OUT_LONG_LIVED_H

#include "lib/attr/attr.h"
#include "lib/mem/arena.h"

struct attr_store;

/* long_lived_set - @set with the community LLGR_STALE: such a route ranks last, and peers
 * without the capability do not get the route (RFC 9494, 4.3). Returns: a reference;
 * NULL: the set has NO_LLGR (RFC 9494, 4.2), or no room for the community. */
OWNED struct attr_set *long_lived_set(
    struct attr_store *store, struct attr_set *set, struct arena *a);

#endif
