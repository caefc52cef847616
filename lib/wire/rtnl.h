/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the kernel about links, addresses, neighbors and routes (rtnetlink(7)), and
 * the requests for all links, addresses and neighbors; lib/wire/rtnl_route.h has the
 * requests about routes.
 *
 * Numbers are in the machine's order. A message is a header, a fixed part and attributes,
 * each attribute aligned to 4 octets. The messages are read like octets from outside: no
 * read goes beyond the end, and RTNL_BROKEN differs from RTNL_OTHER.
 *
 * Libraries exist (libmnl, libnl). tern needs a few fields of three kinds of messages;
 * the decoder is shorter than the calls of a library would be, and the decoder has the
 * tests of the other decoders.
 *
 * Owner: the caller. Life: every struct is by value; `route` is valid as long as the
 * octets. No state; any thread. */
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
	RTNL_LINK, /* a new or changed link */
	RTNL_LINK_GONE,
	RTNL_ADDR, /* a new or changed address */
	RTNL_ADDR_GONE,
	RTNL_ROUTE, /* a new or changed route */
	RTNL_ROUTE_GONE,
	RTNL_NEIGH, /* a neighbor */
	/* the end of an answer; .error: 0, or the reason of an incomplete answer */
	RTNL_DONE,
	RTNL_OTHER, /* about something else */
	RTNL_BROKEN, /* shorter than the stated length */
};

/* An interface as the kernel reports it. Owner: the caller; by value: nothing to free. */
struct rtnl_link {
	uint32_t index;
	uint32_t flags; /* IFF_* */
	char name[RTNL_NAME_MAX]; /* "": absent */
	uint32_t mtu; /* 0: absent */
	uint32_t master; /* index of the bridge, bond or VRF above the link; 0: none */
};

/* An address of an interface. Owner: the caller; by value: nothing to free. */
struct rtnl_addr {
	uint32_t index; /* of the link */
	struct ip_addr local;
	/* the other end's address or subnet on a point-to-point link, else ours */
	struct prefix subnet;
	uint32_t flags; /* IFA_F_* */
	uint8_t scope; /* RT_SCOPE_* */
};

/* A neighbor: an IP address of a link. Owner: the caller; by value: nothing to free. */
struct rtnl_neigh {
	uint32_t index; /* of the link */
	struct ip_addr addr;
	/* a MAC address is known, by an answer or by hand, and was not found wrong */
	bool has_mac;
	uint8_t mac[6];
};

/* A message as a value. */
struct rtnl_msg {
	uint8_t kind; /* enum rtnl_kind */
	bool interrupted; /* of an answer: the listed objects changed meanwhile */
	uint32_t seq; /* of the answered request */
	int error; /* of RTNL_DONE: 0 or negative errno */
	struct rtnl_link link; /* of RTNL_LINK, RTNL_LINK_GONE */
	struct rtnl_addr addr; /* of RTNL_ADDR, RTNL_ADDR_GONE */
	struct rtnl_neigh neigh; /* of RTNL_NEIGH */
	/* of RTNL_ROUTE, RTNL_ROUTE_GONE, for rtnl_route_get; points into rtnl_next's
	 * octets */
	struct rbuf route;
};

/* rtnl_next - take the next message from the octets of one recv. Returns: its kind. */
enum rtnl_kind rtnl_next(struct rbuf *r, struct rtnl_msg *out);
/* rtnl_ask_links, rtnl_ask_addrs, rtnl_ask_neighs - a request for all; @w has room for
 * RTNL_ASK_MAX. */
void rtnl_ask_links(struct wbuf *w, uint32_t seq);
void rtnl_ask_addrs(struct wbuf *w, uint32_t seq);
void rtnl_ask_neighs(struct wbuf *w, uint32_t seq);

#endif
