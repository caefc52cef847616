/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The place of a direct neighbour: the longest local prefix with the neighbour's
 * address. Pure functions; any thread. Tested by test/net/test_bfd_asked.py. */
#include "nest/bfd/bfd_place.h"

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/iface/iface.h"

#include <string.h>

/* bfd_place_fits - length of the prefix of address @a, if it contains @peer; -1: it does
 * not. */
static int
bfd_place_fits(const struct iface_addr *a, struct ip_addr peer)
{
	if (ip_is_v4(a->local) != ip_is_v4(peer) || ip_equal(a->local, peer))
		return -1;
	return prefix_has_ip(&a->subnet, peer) ? a->subnet.len : -1;
}

/* place_local_on - the local address on @i for @place. Returns: length of its prefix; -1:
 * none. */
static int
place_local_on(const struct bfd_place *place, const struct iface *i, bool onlink,
    struct ip_addr *local)
{
	bool ll = ip_is_link_local(place->peer);
	int best = -1;

	for (uint32_t k = 0; k < i->addr_cnt; k++) {
		const struct iface_addr *a = &i->addr[k];
		int len = bfd_place_fits(a, place->peer);

		if (!ip_is_none(place->local) && !ip_equal(place->local, a->local))
			continue;
		if (len < 0 && onlink && ip_is_v4(a->local) == ip_is_v4(place->peer))
			len = 0;
		if (len < 0 || (ll && !ip_is_link_local(a->local)) || len <= best)
			continue;
		best = len;
		*local = a->local;
	}
	return best;
}

bool
bfd_place_find(
    struct bfd_place *place, const struct iface_list *l, const char *ifname, bool onlink)
{
	struct bfd_place found = *place;
	int best = -1;

	for (uint32_t k = 0; k < l->cnt; k++) {
		const struct iface *i = &l->iface[k];
		struct ip_addr local = IP_NONE;
		int len;

		if (!(i->flags & IFF_UP) || (ifname && strcmp(ifname, i->name)) ||
		    (!ifname && ip_is_link_local(place->peer)))
			continue;
		len = place_local_on(place, i, onlink && ifname, &local);
		if (len <= best)
			continue;
		best = len;
		found.local = local;
		found.ifindex = i->index;
	}
	if (best < 0)
		return false;
	*place = found;
	return true;
}
