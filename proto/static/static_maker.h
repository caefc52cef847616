/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Make networks and attribute sets of static routes. Loop: the instance's. */
#ifndef TERN_PROTO_STATIC_STATIC_MAKER_H
#define TERN_PROTO_STATIC_STATIC_MAKER_H

#include "lib/mem/arena.h"
#include "lib/base/check.h"
#include "nest/rib/index/igp.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/rib/nlri.h"
#include "proto/static/static_route.h"

struct attr_set;
struct filter_thread;
struct proto;

/* Owner: the instance that embeds the struct. Freed by: static_maker_fini. */
struct static_maker {
	/* private */
	struct proto *p;
	struct arena arena;
	struct filter_thread *ft; /* NULL: no code of a route has run yet */
	/* set of last_route, the last route without code; NULL: none */
	struct attr_set *last_set;
	const struct static_route *last_route;
};

void static_maker_init(struct static_maker *m, struct proto *p);
void static_maker_fini(struct static_maker *m);
/* static_maker_forget - drop the kept set: ways changed, or the configuration of the last
 * route is about to be freed. */
void static_maker_forget(struct static_maker *m);
/* static_maker_set - the attribute set of @r before import policy, with the hops of @w.
 * Returns: a set with a reference; NULL: the attributes are too long. */
OWNED struct attr_set *static_maker_set(struct static_maker *m,
    const struct static_route *r, const struct igp_way *w, uint32_t preference);
/* static_item_put - write the network as NLRI of kind @k; with @ids, behind the path
 * identifier. Returns: octets. Pure. */
unsigned static_item_put(const struct static_item *it, enum nlri_kind k, bool ids,
    uint8_t to[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK]);

#endif
