/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of a route that every floor passes on besides the attribute set. Loop:
 * any thread; a route is a value of the caller. */
#ifndef TERN_LIB_ATTR_ROUTE_H
#define TERN_LIB_ATTR_ROUTE_H

#include "lib/attr/attr.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

/* Facts of a route's source. A source is one channel of a protocol instance, in one
 * incarnation of the session. Owner: none, the facts are immutable. Life: embedded in the
 * origin (nest/rib/source.h). Freed by: the release of the origin's last reference. */
struct route_source {
	const char *proto; /* name of the protocol instance */
	struct ip_addr from; /* peer's address; IP_NONE: not a peer */
	uint32_t peer_as;
	uint32_t local_as;
	uint32_t peer_router_id; /* of its OPEN */
	/* interface of a direct session; 0: unknown, or the session is not direct */
	uint32_t link_if;
	uint64_t place; /* of the instance in the configuration (struct proto) */
	bool is_bgp, is_ebgp;
	bool in_confed; /* is_ebgp, but of our confederation (RFC 5065) */
	bool med_metric; /* compare MED of different neighbour ASes */
	bool no_path_metric; /* `path metric off` */
	bool no_igp_metric; /* `igp metric off` */
	bool prefer_older; /* the older route before the lower router id (RFC 5004) */
	uint32_t default_med; /* what an absent MED counts as */
	bool rr_client, rs_client;
};

struct fnet;

/* A route as filters and printers see the route. Owner: the caller. Life: on the stack;
 * the pointers are borrowed. */
struct route_view {
	struct prefix net;
	/* the network of a ROA or an ASPA (filter/run/net.h); NULL: the prefix alone */
	const struct fnet *what;
	const struct route_source *src;
	const struct attr_set *set;
	/* number of the channel that announced the route, in the route's table */
	uint32_t feeder;
};

#endif
