/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether an interface and its addresses match a pattern of the configuration.
 * Pure functions; any thread. Tested by test/unit/test_iface.c. */
#include "sysdep/iface/iface_pattern.h"

#include "lib/base/scan.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

static bool
pattern_fits_one(
    const struct iface_pattern *p, const struct iface *i, const struct iface_addr *a)
{
	struct ip_addr other;

	if (p->mask && !scan_glob(p->mask, i->name))
		return false;
	if (!p->has_in)
		return true;
	if (!a || a->subnet.fam != p->in.fam)
		return false;
	other = iface_opposite(a);
	return prefix_has_ip(&p->in, a->local) ||
	       (!ip_is_none(other) && prefix_has_ip(&p->in, other));
}

bool
iface_pattern_fits(
    const struct iface_pattern *first, const struct iface *i, const struct iface_addr *a)
{
	for (const struct iface_pattern *p = first; p; p = p->next)
		if (pattern_fits_one(p, i, a))
			return !p->negative;
	return !first;
}
