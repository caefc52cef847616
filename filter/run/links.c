/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gateways on the subnets of the machine's interfaces.
 *
 * A filter that asks is never remembered (its run reads what is volatile), so nothing but
 * the next run is needed when the answer changes. */
#include "filter/run/links.h"
#include "lib/net/ip.h"

const struct iface *
links_find(const struct iface_list *l, struct ip_addr a)
{
	const struct iface *best = NULL;
	unsigned best_len = 0;

	/* which interface a link-local address is on can't be told */
	if (ip_is_none(a) || ip_is_link_local(a))
		return NULL;
	for (uint32_t i = 0; i < l->cnt; i++) {
		const struct iface *k = &l->iface[i];

		if ((k->flags & IFF_LOOPBACK) || !(k->flags & IFF_UP))
			continue;
		for (uint32_t n = 0; n < k->addr_cnt; n++) {
			const struct iface_addr *at = &k->addr[n];

			if (ip_equal(at->own, a))
				return NULL;
			if (iface_is_host(&at->subnet, a) &&
			    (!best || at->subnet.len > best_len)) {
				best = k;
				best_len = at->subnet.len;
			}
		}
	}
	return best;
}
