/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's routes as values: messages that tell of one, that make one and that take
 * one away (rtnetlink(7)), and the request for all of a table.
 *
 * No state; any thread. */
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

struct rtnl_hop {
	struct ip_addr gw; /* IP_NONE: packets go to the interface */
	uint32_t ifindex; /* 0: none */
	uint16_t weight; /* 1 to 256 */
	bool onlink;
};

struct rtnl_route {
	struct prefix dst;
	uint32_t table;
	uint32_t priority; /* the metric of the route as a whole */
	uint8_t protocol; /* RTPROT_* */
	uint8_t scope; /* RT_SCOPE_* */
	uint8_t type; /* RTN_* */
	/* it hangs on more than its destination, or is a copy that the kernel keeps */
	bool other;
	struct ip_addr prefsrc; /* IP_NONE: none */
	uint32_t realm; /* 0: none */
	uint32_t metrics; /* 1 << RTAX_*: which of .metric are given */
	uint32_t metric[RTNL_METRICS]; /* by RTAX_*; others are 0 */
	uint16_t hop_cnt; /* up to RTNL_HOPS_MAX */
	struct rtnl_hop *hop; /* whose room is the caller's */
};

/* rtnl_route_get - the body of an RTM_NEWROUTE or RTM_DELROUTE. @out->hop: room for
 * RTNL_HOPS_MAX. Returns: false: it makes no sense, or is of no family of ours. */
bool rtnl_route_get(struct rbuf body, struct rtnl_route *out);

/* rtnl_route_add - a message that makes @r, if there is no other of its destination and
 * metric. It is answered if that fails. */
void rtnl_route_add(struct wbuf *w, uint32_t seq, const struct rtnl_route *r);
/* rtnl_route_change - a message that makes @r in place of the route of its destination
 * and metric, whoever has made that, or anew. It is answered if that fails; then the old
 * route stays. */
void rtnl_route_change(struct wbuf *w, uint32_t seq, const struct rtnl_route *r);
/* rtnl_route_del - takes away the route to the destination of @r in its table with its
 * protocol and metric, whatever else it is. */
void rtnl_route_del(struct wbuf *w, uint32_t seq, const struct rtnl_route *r);
/* rtnl_route_probe - a message that the kernel refuses with EINVAL if we may change
 * routes, and with EPERM if not. */
void rtnl_route_probe(struct wbuf *w, uint32_t seq);
/* rtnl_route_ask - for all routes of @table; @protocol 0: of any. The answer may have
 * more than that, as older kernels don't choose. */
void rtnl_route_ask(
    struct wbuf *w, uint32_t seq, enum family fam, uint32_t table, uint8_t protocol);

#endif
