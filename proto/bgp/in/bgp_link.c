/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The link of a direct session (RFC 4271, 5.1.3 and 6.3: a next hop outside a common
 * subnet makes the route unusable).
 *
 * The session looks for its link when it comes up, and again when the addresses of the
 * interface change. After a change the session decides again about the routes to the
 * peer, and asks the peer for a refresh of the received routes. A new IPv6 address does
 * not concern a session whose next hops are all IPv4 addresses: the kernel adds the
 * link-local address a second or two after the link has come up. The subnets keep the
 * kernel's order. If the interface is not found, or the peer is in none of the
 * interface's subnets, next hops are not checked.
 *
 * Any loop. Tested by test/unit/test_bgp_policy.c and test/net/test_facts.py. */
#include "proto/bgp/in/bgp_link.h"
#include "filter/run/links.h"
#include "lib/net/ip.h"

void
bgp_link_add(struct bgp_link *l, const struct prefix *p)
{
	if (l->cnt < BGP_LINK_SUBNETS)
		l->subnet[l->cnt++] = *p;
}

bool
bgp_link_has(const struct bgp_link *l, struct ip_addr a)
{
	for (unsigned i = 0; i < l->cnt; i++)
		if (iface_is_host(&l->subnet[i], a))
			return true;
	return !l->cnt;
}

void
bgp_link_keep(struct bgp_link *l, bool ip4, bool ip6)
{
	unsigned cnt = 0;

	for (unsigned i = 0; i < l->cnt; i++)
		if (l->subnet[i].fam == FAM_IP4 ? ip4 : ip6)
			l->subnet[cnt++] = l->subnet[i];
	for (unsigned i = cnt; i < l->cnt; i++)
		l->subnet[i] = (struct prefix){ 0 };
	l->cnt = (uint8_t)cnt;
	if (!ip6)
		l->ll = IP_NONE;
}

bool
bgp_link_same(const struct bgp_link *a, const struct bgp_link *b)
{
	if (a->cnt != b->cnt || a->ifindex != b->ifindex || !ip_equal(a->ll, b->ll))
		return false;
	for (unsigned i = 0; i < a->cnt; i++)
		if (!prefix_equal(&a->subnet[i], &b->subnet[i]))
			return false;
	return true;
}

static const struct iface *
link_iface_for(const struct bgp_link_query *q)
{
	return q->name ? iface_find(q->ifaces, q->name) : iface_with(q->ifaces, q->local);
}

/* link_is_public - as bgp_link_local says. */
static bool
link_is_public(struct ip_addr a)
{
	if (ip_is_v4(a))
		return ip_to_v4(a) >> 24 != 127;
	return !ip_is_link_local(a) && !(a.hi == 0 && a.lo == 1);
}

static void
link_add_host(struct bgp_link *l, struct ip_addr a)
{
	enum family fam = family_of_ip(a);
	struct prefix p = prefix_make(a, family_bits(fam), fam);

	bgp_link_add(l, &p);
}

void
bgp_link_find(struct bgp_link *l, const struct bgp_link_query *q, struct ip_addr remote)
{
	const struct iface *f = link_iface_for(q);

	*l = (struct bgp_link){ 0 };
	if (f && q->onlink)
		link_add_host(l, remote);
	for (uint32_t i = 0; f && i < f->addr_cnt; i++) {
		bgp_link_add(l, &f->addr[i].subnet);
		if (ip_is_link_local(f->addr[i].local))
			l->ll = f->addr[i].local;
	}
	if (l->cnt && bgp_link_has(l, remote))
		l->ifindex = f->index;
	else
		*l = (struct bgp_link){ 0 };
}

const struct iface *
bgp_link_onlink(const struct iface_list *l, const char *name)
{
	const struct iface *f = iface_find(l, name);

	return f && (f->flags & IFF_UP) && !(f->flags & IFF_LOOPBACK) ? f : NULL;
}

const struct iface *
bgp_link_neigh(const struct iface_list *l, const char *name, struct ip_addr remote)
{
	const struct iface *f = name ? bgp_link_onlink(l, name) : NULL;

	if (!name)
		return links_find(l, remote);
	for (uint32_t i = 0; f && i < f->addr_cnt; i++)
		if (iface_is_host(&f->addr[i].subnet, remote))
			return f;
	return NULL;
}

const struct iface *
bgp_link_vrf(const struct iface_list *l, const char *vrf, struct ip_addr remote)
{
	const struct iface *v = iface_find(l, vrf), *best = NULL;
	unsigned best_len = 0;

	for (uint32_t i = 0; v && i < l->cnt; i++) {
		const struct iface *f = &l->iface[i];

		if (f->master != v->index || !(f->flags & IFF_UP))
			continue;
		for (uint32_t k = 0; k < f->addr_cnt; k++)
			if (iface_is_host(&f->addr[k].subnet, remote) &&
			    (!best || f->addr[k].subnet.len > best_len)) {
				best = f;
				best_len = f->addr[k].subnet.len;
			}
	}
	return best;
}

struct ip_addr
bgp_link_local(const struct bgp_link_query *q, bool v4)
{
	const struct iface *f = link_iface_for(q);

	for (uint32_t i = 0; f && i < f->addr_cnt; i++)
		if (ip_is_v4(f->addr[i].local) == v4 && link_is_public(f->addr[i].local))
			return f->addr[i].local;
	return IP_NONE;
}
