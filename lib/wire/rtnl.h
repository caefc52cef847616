/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the kernel about links, their addresses and routes (rtnetlink(7)), and the
 * requests for all of the former; those about routes are in lib/wire/rtnl_route.h.
 *
 * Numbers are in the machine's order. A message is a header, a fixed part and attributes,
 * each of these aligned to 4 octets. The kernel isn't distrusted, but what it says is
 * read like any octets from outside: nothing is read beyond the end, and a message that
 * makes no sense is told from one that is about something else.
 *
 * There are libraries for this (libmnl, libnl). What is needed here is three kinds of
 * messages of some fields each, less text than what calls a library for them, and it
 * stands under the same tests as the other decoders.
 *
 * No state; any thread. */
#ifndef TERN_LIB_WIRE_RTNL_H
#define TERN_LIB_WIRE_RTNL_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"

#define RTNL_NAME_MAX 16 /* IFNAMSIZ, with the 0 at the end */
#define RTNL_ASK_MAX  40 /* octets of a request */

enum rtnl_kind {
	RTNL_END, /* no whole message is left */
	RTNL_LINK, /* there is this link, or it has changed */
	RTNL_LINK_GONE,
	RTNL_ADDR, /* there is this address, or it has changed */
	RTNL_ADDR_GONE,
	RTNL_ROUTE, /* there is this route, or it has changed */
	RTNL_ROUTE_GONE,
	RTNL_DONE, /* all that was asked for has come; .error: 0 or why it isn't all */
	RTNL_OTHER, /* about something else */
	RTNL_BROKEN, /* too short for what it says it is */
};

struct rtnl_link {
	uint32_t index;
	uint32_t flags; /* IFF_* */
	char name[RTNL_NAME_MAX]; /* "": not said */
	uint32_t mtu; /* 0: not said */
	uint32_t
	    master; /* index of the bridge, bond or VRF that it belongs to; 0: none */
};

struct rtnl_addr {
	uint32_t index; /* of the link */
	struct ip_addr own;
	/* the other end's address or subnet on a point-to-point link, else ours */
	struct prefix subnet;
	uint32_t flags; /* IFA_F_* */
	uint8_t scope; /* RT_SCOPE_* */
};

/* A message as a value. */
struct rtnl_msg {
	uint8_t kind; /* enum rtnl_kind */
	bool interrupted; /* of an answer: what it lists has changed meanwhile */
	uint32_t seq; /* of the request that it answers */
	int error; /* of RTNL_DONE: 0 or negative errno */
	struct rtnl_link link; /* of RTNL_LINK, RTNL_LINK_GONE */
	struct rtnl_addr addr; /* of RTNL_ADDR, RTNL_ADDR_GONE */
	/* of RTNL_ROUTE, RTNL_ROUTE_GONE, for rtnl_route_get; in what rtnl_next read */
	struct rbuf route;
};

/* rtnl_next - take the next message of what one recv gave. Returns: its kind. */
enum rtnl_kind rtnl_next(struct rbuf *r, struct rtnl_msg *out);
/* rtnl_ask_links, rtnl_ask_addrs - a request for all; @w has room for RTNL_ASK_MAX. */
void rtnl_ask_links(struct wbuf *w, uint32_t seq);
void rtnl_ask_addrs(struct wbuf *w, uint32_t seq);

#endif
