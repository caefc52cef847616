/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static routes of the configuration. The parser fills the structs; later they are
 * immutable.
 *
 * Owner of the structs: the configuration. Life: until the configuration is freed.
 *
 * Loop: the thread that parses fills the structs; any thread may read the structs
 * later. */
#ifndef TERN_PROTO_STATIC_STATIC_ROUTE_H
#define TERN_PROTO_STATIC_STATIC_ROUTE_H

#include "filter/lang/diag.h"
#include "lib/base/check.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"

struct conf_proto;
struct conf_table;
struct filter;

enum static_kind { STATIC_IP, STATIC_ROA, STATIC_ASPA };

/* One `via` of a route. */
struct static_via {
	/* IP_NONE: packets go to the interface itself */
	struct ip_addr gw;
	const char *ifname; /* NULL: the interface with the gateway's subnet */
	uint16_t weight; /* 1 to HOP_WEIGHT_MAX */
	bool bfd; /* the next hop counts only while BFD reports it as up */
	bool onlink; /* the gateway may be outside the subnets of the interface */
	/* resolve `gw` by the IGP table; the route has no second via */
	bool recursive;
};

/* One `route` of the configuration. */
struct static_route {
	/* IP route: only the prefix is set; ASPA: only the AS; the remaining fields are
	 * 0 */
	struct vrp vrp;
	uint8_t kind; /* enum static_kind */
	uint8_t dest; /* enum route_dest; of an IP route */
	uint16_t via_cnt; /* of DEST_UNICAST, up to HOPS_MAX; else 0 */
	uint32_t provider_cnt; /* number of providers of an ASPA */
	union {
		const uint32_t *provider; /* of an ASPA: ascending, without duplicates */
		const struct static_via
		    *via; /* of DEST_UNICAST; several routes may share the array */
	};
	uint32_t index; /* position in the file */
	const struct filter *code; /* sets attributes; NULL: none */
	const struct static_route *before; /* parser: the previous route of the file */
	struct src_pos pos;
};

/* A route in the sorted list of an instance. */
struct static_item {
	const struct static_route *r;
	/* path identifier: number of the route among routes to its prefix */
	uint32_t rid;
	uint32_t first_way; /* index in static_conf.way_of of the way of the first via */
};

/* A different next hop of an instance. Vias that differ only in weight share a way. */
struct static_way {
	const struct static_via *via; /* a via with the way */
	uint32_t first_user, user_cnt; /* range in static_conf.user: items with the way */
};

/* Options of an instance. */
struct static_conf {
	/* parser: head of the list, the last route of the file */
	const struct static_route *last;
	const struct static_via
	    *last_via; /* parser: the last via that has only an address */
	uint32_t cnt;
	bool check_link;
	/* resolve recursive routes, by the family of the next hop; NULL: not given, see
	 * static_conf_igp */
	const struct conf_table *igp[FAM_CNT];
	/* set by the check of the whole instance: */
	const struct static_route *const *route; /* in the order of the file */
	const struct static_item *item; /* by vrp_cmp, then rid */
	uint32_t item_cnt;
	const uint32_t *way_of; /* numbers of ways */
	const struct static_way *way;
	uint32_t way_cnt;
	/* numbers of items, grouped by way, ascending within a way */
	const uint32_t *user;
};

/* static_conf_recursive - write the gateways of recursive routes to @to, with room for
 * each way. Returns: number of gateways. Pure. */
uint32_t static_conf_recursive(const struct static_conf *sc, struct ip_addr *to);
/* static_conf_igp - name of the table that resolves recursive routes to next hops of
 * family @f: by default the channel's table, or master4 or master6 for the other
 * family. */
const char *static_conf_igp(const struct conf_proto *p, enum family f);
/* static_via_possible - true: with suitable interfaces, packets can follow @v. Pure. */
bool static_via_possible(const struct static_via *v);
/* static_via_way_same - true: @a and @b are equal except for the weight. Pure. */
bool static_via_way_same(const struct static_via *a, const struct static_via *b);
/* static_route_same - true: @a and @b are equal except for the prefix. */
bool static_route_same(const struct static_route *a, const struct static_route *b);

#endif
