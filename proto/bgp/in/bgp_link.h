/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subnets of a session's link: next hops in these subnets can be reached directly.
 * Loop: any thread. */
#ifndef TERN_PROTO_BGP_IN_BGP_LINK_H
#define TERN_PROTO_BGP_IN_BGP_LINK_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/iface/iface.h"

#define BGP_LINK_SUBNETS 8

/* cnt 0: the link is unknown, and any next hop passes. Owner: the session. Life: embedded
 * in the session. */
struct bgp_link {
	uint8_t cnt;
	uint32_t ifindex; /* 0: not known */
	struct ip_addr ll; /* the local link-local IPv6 address; IP_NONE: none */
	struct prefix subnet[BGP_LINK_SUBNETS];
};

/* The parameters of a search for a link. Owner: the caller. Life: on the stack; the
 * pointers are borrowed. */
struct bgp_link_query {
	const struct iface_list *ifaces;
	/* of the interface; NULL: the interface with the address `local` */
	const char *name;
	struct ip_addr local;
	bool onlink; /* the peer is on the link, whatever the subnets are */
};

/* bgp_link_find - find the interface and its subnets if @remote is in one of the subnets;
 * else @l is empty. Pure. */
void bgp_link_find(
    struct bgp_link *l, const struct bgp_link_query *q, struct ip_addr remote);
/* bgp_link_neigh - the interface, up and no loopback, with a subnet that contains a
 * direct peer. @name: consider this interface only; NULL: any. Returns: NULL: none.
 * Pure. */
const struct iface *bgp_link_neigh(
    const struct iface_list *l, const char *name, struct ip_addr remote);
/* bgp_link_vrf - bgp_link_neigh among the interfaces of VRF @vrf. Pure. */
const struct iface *bgp_link_vrf(
    const struct iface_list *l, const char *vrf, struct ip_addr remote);
/* bgp_link_onlink - the interface @name, if it is up and no loopback: the peer is on the
 * interface whatever the peer's address. Returns: NULL: none. Pure. */
const struct iface *bgp_link_onlink(const struct iface_list *l, const char *name);
/* bgp_link_local - the first local address of a family on the interface that other
 * routers may use: no link-local and no loopback address. IP_NONE: none. Pure. */
struct ip_addr bgp_link_local(const struct bgp_link_query *q, bool v4);
/* bgp_link_add - add a subnet; subnets above the bound are dropped. Pure. */
void bgp_link_add(struct bgp_link *l, const struct prefix *p);
/* bgp_link_keep - drop the facts of a family that no next hop of the session has: subnets
 * of IPv4 without @ip4, subnets of IPv6 and the link-local address without @ip6. Pure. */
void bgp_link_keep(struct bgp_link *l, bool ip4, bool ip6);
/* bgp_link_same - true if interface, subnets and local link-local address are equal.
 * Pure. */
bool bgp_link_same(const struct bgp_link *a, const struct bgp_link *b);
/* bgp_link_has - true if a host with address @a can be on the link. Pure. */
bool bgp_link_has(const struct bgp_link *l, struct ip_addr a);

#endif
