/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What static routes bring: networks and attribute sets. */
#ifndef TERN_PROTO_STATIC_MAKER_H
#define TERN_PROTO_STATIC_MAKER_H

#include "lib/mem/arena.h"
#include "lib/base/check.h"
#include "nest/rib/index/igp.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/rib/nlri.h"
#include "proto/static/static_route.h"

struct attr_set;
struct filter_thread;
struct proto;

/* owner: the instance. */
struct static_maker {
	/* private */
	struct proto *p;
	struct arena arena;
	struct filter_thread *ft; /* NULL: no code has run */
	/* of the last route without code, which is plain_of; NULL: none */
	struct attr_set *plain;
	const struct static_route *plain_of;
};

void static_maker_init(struct static_maker *m, struct proto *p);
void static_maker_fini(struct static_maker *m);
/* static_maker_forget - ways have changed, or the configuration of the last route goes.
 */
void static_maker_forget(struct static_maker *m);
/* static_maker_set - what @r is before the import policy, with a reference; its packets
 * go as @w says. NULL: there is too much of it. */
OWNED struct attr_set *static_maker_set(struct static_maker *m,
    const struct static_route *r, const struct igp_way *w, uint32_t preference);
/* static_route_nlri - the network. Pure. */
struct nlri static_route_nlri(const struct static_route *r);
/* static_item_put - the network, as NLRI of @k, behind its path identifier if @ids.
 * Returns: octets. Pure. */
unsigned static_item_put(const struct static_item *it, enum nlri_kind k, bool ids,
    uint8_t to[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK]);

#endif
