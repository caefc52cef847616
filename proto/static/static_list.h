/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of one configuration of an instance, and what the table has of them. */
#ifndef TERN_PROTO_STATIC_LIST_H
#define TERN_PROTO_STATIC_LIST_H

#include "filter/run/hop.h"
#include "lib/base/bitmap.h"
#include "lib/base/check.h"
#include "nest/conf/config_ref.h"
#include "proto/static/static_route.h"
#include "sysdep/iface.h"

/* A way, as it was when somebody last looked. */
struct static_state {
	struct hop hop; /* of weight 1 */
	bool up; /* packets can go there; else the hop means nothing */
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
};

/* static_list_init - none of the routes is there, and no way is known. */
void static_list_init(
    struct static_list *l, struct config_ref *conf, const struct conf_proto *cf);
void static_list_fini(struct static_list *l);
static inline const struct static_conf *
static_list_conf(const struct static_list *l)
{
	return l->cf->opt;
}

/* static_list_look - go on looking at the ways, with the interfaces of @ifs; where one
 * isn't what it was, its routes become dirty. Returns: false: all were looked at.
 * Cost: O(addresses), or of as many routes as are marked in a step. */
bool static_list_look(struct static_list *l, const struct iface_list *ifs);
/* static_list_again - look at all ways once more. */
void static_list_again(struct static_list *l);
/* static_list_same - is item @i of @a the same route as item @k of @b, and do its packets
 * go the same ways now? */
bool static_list_same(
    const struct static_list *a, uint32_t i, const struct static_list *b, uint32_t k);
/* static_list_hops - the next hops of item @i that packets can go to, in @to of HOPS_MAX,
 * in order. Returns: how many. */
unsigned static_list_hops(const struct static_list *l, struct hop *to, uint32_t i);

#endif
