/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of one configuration of an instance, and what the table has of them. */
#ifndef TERN_PROTO_STATIC_LIST_H
#define TERN_PROTO_STATIC_LIST_H

#include "filter/run/hop.h"
#include "lib/base/bitmap.h"
#include "lib/base/check.h"
#include "nest/conf/config_ref.h"
#include "nest/rib/index/igp.h"
#include "proto/static/static_route.h"
#include "sysdep/iface/iface.h"

struct static_bfd;
struct table;

/* A way, as it was when somebody last looked. */
struct static_state {
	bool up; /* routes may have it; else the rest means nothing */
	uint8_t dest; /* enum route_dest */
	uint16_t cnt;
	struct hop *hop; /* of DEST_UNICAST: cnt of them, one if it isn't recursive */
};

/* What is looked at. */
struct static_scene {
	const struct iface_list *ifaces;
	uint32_t vrf; /* iface_vrf */
	const struct table *igp; /* NULL: there are no recursive routes */
	struct static_bfd *bfd;
	struct igp_way way; /* the answer */
};

/* owner: the instance. All zeros there is no configuration; freed by:
 * static_list_fini. */
struct static_list {
	struct config_ref *conf; /* a reference; cf lies in it */
	const struct conf_proto *cf;
	struct static_state *way; /* of each one of the configuration */
	struct bitmap there; /* items that the table has, as far as it was told */
	struct bitmap dirty; /* items of which it is to be told anew */
	/* private: the next way to look at, and the next of its users to be marked */
	uint32_t look, mark;
	struct net_pick *pick; /* NULL: no reload of some is on */
	uint32_t pick_pos;
};

/* static_list_init - none of the routes is there, and no way is known. */
void static_list_init(
    struct static_list *l, struct config_ref *conf, const struct conf_proto *cf);
void static_list_fini(struct static_list *l);
/* static_list_pick - items of these networks are to be told anew; of no configuration
 * all will be, in any case. static_list_pick_step - mark some of them. Returns: false:
 * all are marked. */
void static_list_pick(struct static_list *l, struct net_pick *pick);
bool static_list_pick_step(struct static_list *l);
static inline const struct static_conf *
static_list_conf(const struct static_list *l)
{
	return l->cf->opt;
}

/* static_list_look - go on looking at the ways, as they are in @sc; where one isn't what
 * it was, its routes become dirty. Returns: false: all were looked at. Under RCU.
 * Cost: O(addresses), or of as many routes as are marked in a step. */
bool static_list_look(struct static_list *l, struct static_scene *sc);
/* static_list_again - look at all ways once more. */
void static_list_again(struct static_list *l);
/* static_list_same - is item @i of @a the same route as item @k of @b, and do its packets
 * go the same ways now? */
bool static_list_same(
    const struct static_list *a, uint32_t i, const struct static_list *b, uint32_t k);
/* static_list_way - where packets of item @i go now. Returns: false: nowhere, and the
 * route isn't to be in the table. */
bool static_list_way(const struct static_list *l, struct igp_way *out, uint32_t i);

#endif
