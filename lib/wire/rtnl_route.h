/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's routes as values: messages that report, add and delete a route
 * (rtnetlink(7)), and the request for all routes of a table.
 *
 * Owner: the caller. Life: every struct is by value; the caller provides the array of
 * hops. No state; any thread. */
#ifndef TERN_LIB_WIRE_RTNL_ROUTE_H
#define TERN_LIB_WIRE_RTNL_ROUTE_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"

#define RTNL_HOPS_MAX    256
#define RTNL_METRICS     18 /* RTAX_*: below it */
#define RTNL_ASK_ROUTES  40 /* octets of a request */
#define RTNL_HOP_OCTETS  40 /* at most, of one of several */
#define RTNL_ROUTE_FIXED 256 /* of a message without those, at most */

#define RTNL_CONGCTL 16 /* room for the name of an algorithm, NUL included */

/* A next hop of a route. Owner: the caller, in the array of hops; by value: nothing to
 * free. */
struct rtnl_hop {
	struct ip_addr gw; /* IP_NONE: packets go to the interface */
	uint32_t ifindex; /* 0: none */
	uint16_t weight; /* 1 to 256 */
	bool onlink;
};

/* A route of the kernel. Owner: the caller, who also frees the array of hops; by
 * value. */
struct rtnl_route {
	struct prefix dst;
	uint32_t table;
	uint32_t priority; /* the metric of the route as a whole */
	uint8_t protocol; /* RTPROT_* */
	uint8_t scope; /* RT_SCOPE_* */
	uint8_t type; /* RTN_* */
	/* the route depends on more than the destination, or is a copy kept by the
	 * kernel */
	bool other;
	struct ip_addr prefsrc; /* IP_NONE: none */
	uint32_t realm; /* 0: none */
	uint32_t metrics; /* 1 << RTAX_*: the metrics that are present */
	uint32_t metric[RTNL_METRICS]; /* by RTAX_*; absent metrics are 0 */
	char congctl[RTNL_CONGCTL]; /* of congestion control (RTAX_CC_ALGO); "": none */
	uint16_t hop_cnt; /* up to RTNL_HOPS_MAX */
	struct rtnl_hop *hop; /* the caller's array */
};

/* rtnl_route_get - decode the body of an RTM_NEWROUTE or RTM_DELROUTE. @out->hop: room
 * for RTNL_HOPS_MAX. Returns: false: the body is invalid, or the family is not IPv4 or
 * IPv6. */
bool rtnl_route_get(struct rbuf body, struct rtnl_route *out);

/* rtnl_route_add - write a message that adds @r unless a route with the same destination
 * and metric exists. The kernel answers only on failure. */
void rtnl_route_add(struct wbuf *w, uint32_t seq, const struct rtnl_route *r);
/* rtnl_route_change - write a message that adds @r, or replaces the route of the same
 * destination and metric, whichever program added the route. The kernel answers only on
 * failure; then the old route stays. */
void rtnl_route_change(struct wbuf *w, uint32_t seq, const struct rtnl_route *r);
/* rtnl_route_del - write a message that deletes the route to the destination of @r in the
 * table of @r with the protocol and metric of @r. */
void rtnl_route_del(struct wbuf *w, uint32_t seq, const struct rtnl_route *r);
/* rtnl_route_probe - write a message that the kernel refuses with EINVAL if tern may
 * change routes, and with EPERM otherwise. */
void rtnl_route_probe(struct wbuf *w, uint32_t seq);
/* rtnl_route_ask - request all routes of @table; @protocol 0: of any protocol. The answer
 * may have more routes, because older kernels do not filter. */
void rtnl_route_ask(
    struct wbuf *w, uint32_t seq, enum family fam, uint32_t table, uint8_t protocol);

#endif
