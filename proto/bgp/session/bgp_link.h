/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose next hops can be reached directly: the subnets of the link that a session runs
 * over. */
#ifndef TERN_PROTO_BGP_BGP_LINK_H
#define TERN_PROTO_BGP_BGP_LINK_H

#include "lib/net/prefix.h"

#define BGP_LINK_SUBNETS 8

/* cnt 0: nothing is known, and any next hop passes. */
struct bgp_link {
	uint8_t cnt;
	uint32_t ifindex; /* 0: not known */
	struct ip_addr ll; /* our link-local IPv6 address on it; IP_NONE: none */
	struct prefix subnet[BGP_LINK_SUBNETS];
};

/* bgp_link_find - the interface @name (NULL: the one that has @local) and its subnets, if
 * @remote is in one of them; nothing if it isn't. Asks the kernel. */
void bgp_link_find(
    struct bgp_link *l, const char *name, struct ip_addr local, struct ip_addr remote);
/* bgp_link_own - our first address of a family on the interface @name (NULL: the one that has @local) that
 * others may know: no link-local and no loopback address. IP_NONE: there is none. Asks the kernel. */
struct ip_addr bgp_link_own(const char *name, struct ip_addr local, bool v4);
/* bgp_link_add - one subnet more; what is above the bound is left out. Pure. */
void bgp_link_add(struct bgp_link *l, const struct prefix *p);
/* bgp_link_has - can a host with this address be on the link? Pure. */
bool bgp_link_has(const struct bgp_link *l, struct ip_addr a);

#endif
