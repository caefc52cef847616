/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between which addresses a BFD session is. */
#ifndef TERN_NEST_BFD_PLACE_H
#define TERN_NEST_BFD_PLACE_H

#include "lib/net/ip.h"

struct iface_list;

/* With whom. */
struct bfd_place {
	struct ip_addr peer, local;
	uint32_t ifindex; /* of a direct one; 0 for multihop */
	bool multihop;
};

/* bfd_place_find - the interface of a direct neighbour, and our address there; of
 * @ifname (NULL: any). place->peer is given; place->local, too, or IP_NONE. @onlink: the
 * neighbour is on that interface, whatever its subnets are. Returns: false: there is no
 * such interface now. Pure. */
bool bfd_place_find(
    struct bfd_place *place, const struct iface_list *l, const char *ifname, bool onlink);
/* bfd_place_same - is one session enough for both? Our address counts, too. Pure. */
static inline bool
bfd_place_same(const struct bfd_place *a, const struct bfd_place *b)
{
	return a->multihop == b->multihop && a->ifindex == b->ifindex &&
	       ip_equal(a->peer, b->peer) && ip_equal(a->local, b->local);
}

#endif
