/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subnets of the machine's interfaces.
 *
 * The daemon keeps no list of interfaces; getifaddrs() costs some 20 us, which is too much
 * for each route of a table that comes in. A second is short beside what a session needs to
 * notice that an interface has changed. A filter that asks is never remembered (its run
 * reads what is volatile), so nothing but the next run is needed when the answer changes. */
#include "filter/run/links.h"
#include "lib/base/mem.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define LINKS_FRESH_NS 1000000000u

void
links_init(struct links *l)
{
	*l = (struct links){ .asked_ns = 0 };
}

void
links_fini(struct links *l)
{
	mem_free(MEM_LOOP, l->link);
	links_init(l);
}

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

static void
add(struct links *l, const struct ifaddrs *i)
{
	struct link *k;
	struct ip_addr own, mask;
	unsigned len;

	if ((i->ifa_flags & IFF_LOOPBACK) || !(i->ifa_flags & IFF_UP) ||
	    !get_addr(i->ifa_addr, &own) || !get_addr(i->ifa_netmask, &mask))
		return;
	len = ip_is_v4(own) ? (unsigned)__builtin_popcount(ip_to_v4(mask))
			    : (unsigned)(__builtin_popcountll(mask.hi) +
					 __builtin_popcountll(mask.lo));
	l->link = mem_realloc(MEM_LOOP, l->link, (l->cnt + 1) * sizeof(*l->link));
	k = &l->link[l->cnt++];
	*k = (struct link){ .own = own, .index = if_nametoindex(i->ifa_name) };
	k->subnet = prefix_make(own, len, ip_is_v4(own) ? FAM_IP4 : FAM_IP6);
	snprintf(k->name, sizeof(k->name), "%s", i->ifa_name);
}

static void
ask(struct links *l)
{
	struct ifaddrs *all;

	l->cnt = 0;
	if (getifaddrs(&all))
		return;
	for (const struct ifaddrs *i = all; i; i = i->ifa_next)
		add(l, i);
	freeifaddrs(all);
}

/* May a host of @p have this address? Of /31 and /32, all are hosts. */
static bool
is_host(const struct prefix *p, struct ip_addr a)
{
	uint32_t host;

	if (p->fam != (ip_is_v4(a) ? FAM_IP4 : FAM_IP6) || !prefix_has_ip(p, a))
		return false;
	if (p->fam == FAM_IP6 || p->len > 30)
		return true;
	host = ip_to_v4(a) & ~mask4(p->len);
	return host && host != ~mask4(p->len);
}

const struct link *
links_find(struct links *l, struct ip_addr a, uint64_t now_ns)
{
	const struct link *best = NULL;
	uint32_t i;

	if (!l->asked_ns || now_ns - l->asked_ns > LINKS_FRESH_NS) {
		ask(l);
		l->asked_ns = now_ns ? now_ns : 1;
	}
	/* which interface a link-local address is on can't be told */
	if (ip_is_none(a) || ip_is_link_local(a))
		return NULL;
	for (i = 0; i < l->cnt; i++) {
		const struct link *k = &l->link[i];

		if (ip_equal(k->own, a))
			return NULL;
		if (is_host(&k->subnet, a) && (!best || k->subnet.len > best->subnet.len))
			best = k;
	}
	return best;
}
