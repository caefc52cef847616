/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that find and compare the addresses of a BFD session. Pure functions; any
 * thread. */
#ifndef TERN_NEST_BFD_BFD_PLACE_H
#define TERN_NEST_BFD_BFD_PLACE_H

#include "lib/net/ip.h"

struct iface_list;

/* A neighbour. By value; owner: the embedding object; lives as long. */
struct bfd_place {
	struct ip_addr peer, local;
	uint32_t ifindex; /* of a direct neighbour; 0 for multihop */
	bool multihop;
};

/* bfd_place_find - find the interface of a direct neighbour, and the local address there;
 * @ifname: required interface (NULL: any). place->peer is given; place->local is given,
 * or IP_NONE. @onlink: the neighbour is on the interface, whatever its subnets. Returns:
 * false: no such interface now. Pure. */
bool bfd_place_find(
    struct bfd_place *place, const struct iface_list *l, const char *ifname, bool onlink);
/* bfd_place_same - true: one session serves both places. The local address counts too.
 * Pure. */
static inline bool
bfd_place_same(const struct bfd_place *a, const struct bfd_place *b)
{
	return a->multihop == b->multihop && a->ifindex == b->ifindex &&
	       ip_equal(a->peer, b->peer) && ip_equal(a->local, b->local);
}

#endif
