/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds an interface in a list by name, index, address or VRF, and reads facts of an
 * interface. A list is immutable once published. Any thread. */
#include "sysdep/iface/iface.h"

#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

/* IFF_LOWER_UP of linux/if.h, which doesn't go with net/if.h. */
#define LOWER_UP (1u << 16)

const struct iface_list iface_list_none;

void
iface_list_free(TAKE struct iface_list *l)
{
	if (!l)
		return;
	arena_fini(l->arena);
	mem_free(MEM_OTHER, l->arena);
	mem_free(MEM_OTHER, l);
}

const struct iface *
iface_find(const struct iface_list *l, const char *name)
{
	for (uint32_t i = 0; i < l->cnt; i++)
		if (!strcmp(l->iface[i].name, name))
			return &l->iface[i];
	return NULL;
}

uint32_t
iface_vrf(const struct iface_list *l, const char *name)
{
	const struct iface *v = name ? iface_find(l, name) : NULL;

	if (!name)
		return IFACE_ANY_VRF;
	return v ? v->index : IFACE_NO_VRF;
}

const struct iface *
iface_by_index(const struct iface_list *l, uint32_t index)
{
	uint32_t lo = 0, hi = l->cnt;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (l->iface[mid].index < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->cnt && l->iface[lo].index == index ? &l->iface[lo] : NULL;
}

const struct iface *
iface_with(const struct iface_list *l, struct ip_addr local)
{
	for (uint32_t i = 0; i < l->cnt; i++)
		for (uint32_t k = 0; k < l->iface[i].addr_cnt; k++)
			if (ip_equal(l->iface[i].addr[k].local, local))
				return &l->iface[i];
	return NULL;
}

bool
iface_has(const struct iface *i, struct ip_addr a)
{
	for (uint32_t k = 0; k < i->addr_cnt; k++)
		if (ip_equal(i->addr[k].local, a))
			return true;
	return false;
}

bool
iface_owns(const struct iface_list *l, struct ip_addr a)
{
	uint32_t lo = 0, hi = l->local_cnt;

	if (!l->local)
		return iface_with(l, a) != NULL;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ip_cmp(l->local[mid], a) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->local_cnt && ip_equal(l->local[lo], a);
}

bool
iface_is_host(const struct prefix *subnet, struct ip_addr a)
{
	uint32_t host;

	if ((subnet->fam == FAM_IP4) != ip_is_v4(a) || !prefix_has_ip(subnet, a))
		return false;
	if (subnet->fam == FAM_IP6 || subnet->len > 30)
		return true;
	host = ip_to_v4(a) & ~mask4(subnet->len);
	return host && host != ~mask4(subnet->len);
}

struct ip_addr
iface_opposite(const struct iface_addr *a)
{
	unsigned bits = family_bits((enum family)a->subnet.fam);
	struct ip_addr o = a->local;

	if (a->subnet.len == bits)
		return ip_equal(a->subnet.addr, a->local) ? IP_NONE : a->subnet.addr;
	if (!prefix_has_ip(&a->subnet, a->local))
		return IP_NONE; /* the other end has a subnet */
	if (a->subnet.len == bits - 1)
		o.lo ^= 1;
	else if (a->subnet.fam == FAM_IP4 && a->subnet.len == 30)
		o.lo ^= 3;
	else
		return IP_NONE;
	return o;
}

bool
iface_same(const struct iface *a, const struct iface *b)
{
	if (a->index != b->index || strcmp(a->name, b->name) ||
	    ((a->flags ^ b->flags) & (IFF_UP | LOWER_UP)) || a->addr_cnt != b->addr_cnt)
		return false;
	for (uint32_t k = 0; k < a->addr_cnt; k++)
		if (!ip_equal(a->addr[k].local, b->addr[k].local) ||
		    !prefix_equal(&a->addr[k].subnet, &b->addr[k].subnet))
			return false;
	return true;
}

bool
iface_has_carrier(const struct iface *i)
{
	return i->flags & LOWER_UP;
}
