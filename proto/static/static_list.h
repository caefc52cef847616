/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of one configuration of an instance, and the state of these routes in the
 * table. Loop: the instance's. */
#ifndef TERN_PROTO_STATIC_STATIC_LIST_H
#define TERN_PROTO_STATIC_STATIC_LIST_H

#include "filter/run/hop.h"
#include "lib/base/bitmap.h"
#include "lib/base/check.h"
#include "nest/conf/config_ref.h"
#include "nest/rib/index/igp.h"
#include "proto/static/static_route.h"
#include "sysdep/iface/iface.h"

struct static_bfd;
struct table;

/* A way at the time of the last look. Owner: the list. Life: until static_list_fini. */
struct static_state {
	bool up; /* routes may use the way; else the remaining fields are void */
	uint8_t dest; /* enum route_dest */
	uint16_t cnt;
	/* of DEST_UNICAST: cnt hops; one hop unless the way is recursive */
	struct hop *hop;
};

/* The surroundings of a look. Owner: the instance. Life: the instance's. Part of the
 * instance, freed with the instance. */
struct static_scene {
	const struct iface_list *ifaces;
	uint32_t vrf; /* iface_vrf */
	struct table *const *igp; /* by the family of the next hop: static_igp.table */
	struct static_bfd *bfd;
	struct igp_way way; /* the answer */
};

/* Owner: the instance. Zeroed: no configuration. Freed by: static_list_fini. */
struct static_list {
	struct config_ref *conf; /* a reference, for cf */
	const struct conf_proto *cf;
	struct static_state *way; /* state of each way of the configuration */
	struct bitmap there; /* items announced to the table */
	struct bitmap dirty; /* items to announce or withdraw */
	/* private: the next way to look at, and the next user of that way to mark */
	uint32_t look, mark;
	struct net_pick *pick; /* NULL: no partial reload runs */
	uint32_t pick_pos;
};

/* static_list_init - no route is in the table, and no way has been looked at. */
void static_list_init(
    struct static_list *l, struct config_ref *conf, const struct conf_proto *cf);
void static_list_fini(struct static_list *l);
/* static_list_pick - mark the items of the nets of @pick as dirty. A list without a
 * configuration needs no marks, because its next configuration announces all items.
 * static_list_pick_step - mark a bounded number of items. Returns: false: all are
 * marked. */
void static_list_pick(struct static_list *l, struct net_pick *pick);
bool static_list_pick_step(struct static_list *l);
static inline const struct static_conf *
static_list_conf(const struct static_list *l)
{
	return l->cf->opt;
}

/* static_list_look - one step of a look at the ways in @sc. Users of a changed way become
 * dirty. Returns: false: the look is complete. Under RCU. Cost: O(addresses), or O(users
 * marked in a step). */
bool static_list_look(struct static_list *l, struct static_scene *sc);
/* static_list_again - start a new look at all ways. */
void static_list_again(struct static_list *l);
/* static_list_same - true: item @i of @a and item @k of @b are equal routes with equal
 * ways. */
bool static_list_same(
    const struct static_list *a, uint32_t i, const struct static_list *b, uint32_t k);
/* static_list_way - set *@out to the present way of item @i. Returns: false: no packet
 * can follow the route, and the route must not be in the table. */
bool static_list_way(const struct static_list *l, struct igp_way *out, uint32_t i);

#endif
