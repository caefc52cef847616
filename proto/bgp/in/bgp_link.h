/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose next hops can be reached directly: the subnets of the link that a session runs
 * over. */
#ifndef TERN_PROTO_BGP_BGP_LINK_H
#define TERN_PROTO_BGP_BGP_LINK_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/iface/iface.h"

#define BGP_LINK_SUBNETS 8

/* cnt 0: nothing is known, and any next hop passes. */
struct bgp_link {
	uint8_t cnt;
	uint32_t ifindex; /* 0: not known */
	struct ip_addr ll; /* our link-local IPv6 address on it; IP_NONE: none */
	struct prefix subnet[BGP_LINK_SUBNETS];
};

/* Where a session's link is looked for. */
struct bgp_link_query {
	const struct iface_list *ifaces;
	const char *name; /* of the interface; NULL: the one that has `local` */
	struct ip_addr local;
	bool onlink; /* the peer is on it, whatever its subnets are */
};

/* bgp_link_find - the interface and its subnets, if @remote is in one of them; nothing if
 * it isn't. Pure. */
void bgp_link_find(
    struct bgp_link *l, const struct bgp_link_query *q, struct ip_addr remote);
/* bgp_link_neigh - the interface, up and no loopback, on a subnet of which a direct peer
 * is. @name: of the only one that counts; NULL: any. NULL: there is none. Pure. */
const struct iface *bgp_link_neigh(
    const struct iface_list *l, const char *name, struct ip_addr remote);
/* bgp_link_vrf - likewise of the interfaces of VRF @vrf. Pure. */
const struct iface *bgp_link_vrf(
    const struct iface_list *l, const char *vrf, struct ip_addr remote);
/* bgp_link_onlink - the interface @name, if it is up and no loopback: a peer is on it
 * whatever its address. NULL: it isn't there. Pure. */
const struct iface *bgp_link_onlink(const struct iface_list *l, const char *name);
/* bgp_link_own - our first address of a family on the interface that others may know: no
 * link-local and no loopback address. IP_NONE: there is none. Pure. */
struct ip_addr bgp_link_own(const struct bgp_link_query *q, bool v4);
/* bgp_link_add - one subnet more; what is above the bound is left out. Pure. */
void bgp_link_add(struct bgp_link *l, const struct prefix *p);
/* bgp_link_same - are the interface, its subnets and our link-local address the same?
 * Pure. */
bool bgp_link_same(const struct bgp_link *a, const struct bgp_link *b);
/* bgp_link_has - can a host with this address be on the link? Pure. */
bool bgp_link_has(const struct bgp_link *l, struct ip_addr a);

#endif
