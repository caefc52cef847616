/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static routes as configured. All of it is immutable after parsing and lives as its
 * configuration. */
#ifndef TERN_PROTO_STATIC_ROUTE_H
#define TERN_PROTO_STATIC_ROUTE_H

#include "filter/lang/diag.h"
#include "lib/base/check.h"
#include "lib/net/ip.h"
#include "lib/net/roa.h"

struct conf_table;
struct filter;

enum static_kind { STATIC_IP, STATIC_ROA, STATIC_ASPA };

/* One `via` of a route. */
struct static_via {
	/* IP_NONE: packets go to the interface itself */
	struct ip_addr gw;
	const char *ifname; /* NULL: whichever the gateway is on */
	uint16_t weight; /* 1 to HOP_WEIGHT_MAX */
	bool bfd; /* only while BFD says that it is there */
	bool onlink; /* the gateway needn't be in a subnet of the interface */
	/* packets go where those to `gw` go; it is the only one of its route */
	bool recursive;
};

/* One `route` of the configuration. */
struct static_route {
	/* of an IP route: only its prefix; of a customer: only its AS; all else 0 */
	struct vrp vrp;
	uint8_t kind; /* enum static_kind */
	uint8_t dest; /* enum route_dest; of an IP route */
	uint16_t via_cnt; /* of DEST_UNICAST, up to HOPS_MAX; else 0 */
	uint32_t provider_cnt; /* of a customer */
	union {
		const uint32_t *provider; /* of a customer: ascending, each once */
		const struct static_via
		    *via; /* of DEST_UNICAST; others may have it, too */
	};
	uint32_t index; /* in the order of the file */
	const struct filter *code; /* sets attributes; NULL: none */
	const struct static_route *before; /* parser: the one before in the file */
	struct src_pos pos;
};

/* A route in its place among those of an instance. */
struct static_item {
	const struct static_route *r;
	uint32_t rid; /* number among those of its prefix: its path identifier */
	uint32_t first_way; /* in static_conf.way_of: the ways of its vias */
};

/* Where packets of some routes go; each once in an instance, whatever the weights. */
struct static_way {
	const struct static_via *via; /* one of them */
	uint32_t first_user, user_cnt; /* in static_conf.user: items that have it */
};

/* Options of an instance. */
struct static_conf {
	const struct static_route *last; /* parser: in the reverse order of the file */
	const struct static_via
	    *plain; /* parser: the last one that is an address alone */
	uint32_t cnt;
	bool check_link;
	const struct conf_table *igp; /* these are resolved by it; NULL: the channel's */
	/* filled in by the check of the whole instance */
	const struct static_route *const *route; /* in the order of the file */
	const struct static_item *item; /* by vrp_cmp, then rid */
	uint32_t item_cnt;
	const uint32_t *way_of; /* numbers of ways */
	const struct static_way *way;
	uint32_t way_cnt;
	const uint32_t *user; /* numbers of items, ascending for each way */
};

/* static_conf_recursive - the addresses that recursive routes are resolved by, into @to,
 * which has room for each way. Returns: how many. Pure. */
uint32_t static_conf_recursive(const struct static_conf *sc, struct ip_addr *to);
/* static_via_possible - can packets ever go there, whatever interfaces there are?
 * Pure. */
bool static_via_possible(const struct static_via *v);
/* static_via_way_same - do packets go the same way, weight apart? Pure. */
bool static_via_way_same(const struct static_via *a, const struct static_via *b);
/* static_route_same - do they mean the same, prefix apart? */
bool static_route_same(const struct static_route *a, const struct static_route *b);

#endif
