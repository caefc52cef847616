/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gateways on the subnets of the machine's interfaces. The thread of the run calls.
 *
 * A run that looks up an interface is volatile, and its verdict is never remembered;
 * after a change of interfaces only the next run is needed. */
#include "filter/run/links.h"
#include "lib/net/ip.h"

/* links_find_but - find, without interfaces that have a flag of @skip (IFF_*). */
static const struct iface *
links_find_but(const struct iface_list *l, struct ip_addr a, unsigned skip)
{
	const struct iface *best = NULL;
	unsigned best_len = 0;

	/* the interface of a link-local address is unknown */
	if (ip_is_none(a) || ip_is_link_local(a))
		return NULL;
	if (iface_with(l, a))
		return NULL; /* also if the interface is down */
	for (uint32_t i = 0; i < l->cnt; i++) {
		const struct iface *k = &l->iface[i];

		if ((k->flags & skip) || !(k->flags & IFF_UP))
			continue;
		for (uint32_t n = 0; n < k->addr_cnt; n++) {
			const struct iface_addr *at = &k->addr[n];

			if (iface_is_host(&at->subnet, a) &&
			    (!best || at->subnet.len > best_len)) {
				best = k;
				best_len = at->subnet.len;
			}
		}
	}
	return best;
}

const struct iface *
links_find(const struct iface_list *l, struct ip_addr a)
{
	return links_find_but(l, a, IFF_LOOPBACK);
}

const struct iface *
links_gateway(const struct iface_list *l, struct ip_addr a)
{
	return ip_scope(a) == IP_SCOPE_HOST ? NULL : links_find_but(l, a, 0);
}
