/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The link of a direct session (RFC 4271, 5.1.3 and 6.3: a next hop that isn't on a common
 * subnet makes the route unusable).
 *
 * The kernel is asked once, when the session comes up: an address that is added to the
 * interface later counts from the next session on. Its order of addresses is kept. Where the answer makes no sense - the
 * interface isn't found, or the peer isn't in its subnets - nothing is checked.
 *
 * Any loop. */
#include "proto/bgp/session/bgp_link.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

static bool
get_addr(const struct sockaddr *sa, struct ip_addr *out)
{
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	if (!sa || (sa->sa_family != AF_INET && sa->sa_family != AF_INET6))
		return false;
	if (sa->sa_family == AF_INET) {
		memcpy(&in, sa, sizeof(in));
		*out = ip4(ntohl(in.sin_addr.s_addr));
	} else {
		memcpy(&in6, sa, sizeof(in6));
		*out = ip_get16(in6.sin6_addr.s6_addr);
	}
	return true;
}

static bool
get_subnet(const struct ifaddrs *i, struct prefix *out)
{
	struct ip_addr addr, mask;
	unsigned len;

	if (!get_addr(i->ifa_addr, &addr) || !get_addr(i->ifa_netmask, &mask))
		return false;
	len = ip_is_v4(addr) ? (unsigned)__builtin_popcount(ip_to_v4(mask))
			     : (unsigned)(__builtin_popcountll(mask.hi) +
					  __builtin_popcountll(mask.lo));
	*out = prefix_make(addr, len, ip_is_v4(addr) ? FAM_IP4 : FAM_IP6);
	return true;
}

void
bgp_link_add(struct bgp_link *l, const struct prefix *p)
{
	if (l->cnt < BGP_LINK_SUBNETS)
		l->subnet[l->cnt++] = *p;
}

bool
bgp_link_has(const struct bgp_link *l, struct ip_addr a)
{
	for (unsigned i = 0; i < l->cnt; i++) {
		const struct prefix *p = &l->subnet[i];
		uint32_t host;

		if ((p->fam == FAM_IP4) != ip_is_v4(a) || !prefix_has_ip(p, a))
			continue;
		if (p->fam == FAM_IP6 || p->len > 30)
			return true;
		/* the subnet's own address and its broadcast address are nobody's */
		host = ip_to_v4(a) & ~mask4(p->len);
		if (host && host != ~mask4(p->len))
			return true;
	}
	return !l->cnt;
}

static const char *
iface_with(const struct ifaddrs *all, struct ip_addr local)
{
	struct ip_addr a;

	for (const struct ifaddrs *i = all; i; i = i->ifa_next)
		if (get_addr(i->ifa_addr, &a) && ip_equal(a, local))
			return i->ifa_name;
	return NULL;
}

/* is_public - as bgp_link_own says. */
static bool
is_public(struct ip_addr a)
{
	if (ip_is_v4(a))
		return ip_to_v4(a) >> 24 != 127;
	return !ip_is_link_local(a) && !(a.hi == 0 && a.lo == 1);
}

void
bgp_link_find(
    struct bgp_link *l, const char *name, struct ip_addr local, struct ip_addr remote)
{
	struct ifaddrs *all;
	struct ip_addr a;
	struct prefix p;

	*l = (struct bgp_link){ 0 };
	if (getifaddrs(&all))
		return;
	if (!name)
		name = iface_with(all, local);
	for (const struct ifaddrs *i = name ? all : NULL; i; i = i->ifa_next) {
		if (strcmp(i->ifa_name, name) || !get_subnet(i, &p))
			continue;
		bgp_link_add(l, &p);
		if (get_addr(i->ifa_addr, &a) && ip_is_link_local(a))
			l->ll = a;
	}
	if (l->cnt && bgp_link_has(l, remote))
		l->ifindex = if_nametoindex(name);
	else
		*l = (struct bgp_link){ 0 };
	freeifaddrs(all);
}

struct ip_addr
bgp_link_own(const char *name, struct ip_addr local, bool v4)
{
	struct ifaddrs *all;
	struct ip_addr a, found = IP_NONE;

	if (getifaddrs(&all))
		return IP_NONE;
	if (!name)
		name = iface_with(all, local);
	for (const struct ifaddrs *i = name ? all : NULL; i && ip_is_none(found);
	     i = i->ifa_next)
		if (!strcmp(i->ifa_name, name) && get_addr(i->ifa_addr, &a) &&
		    ip_is_v4(a) == v4 && is_public(a))
			found = a;
	freeifaddrs(all);
	return found;
}
