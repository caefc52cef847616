/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builtins on addresses and prefixes. */
#include "filter/builtin.h"
#include "filter/pfxset.h"
#include "filter/set.h"

static bool
bi_ip_in_prefix(struct frun *r, struct fvalue *v)
{
	struct prefix p = fvalue_to_prefix(&v[1]);

	(void)r;
	v[0] = fvalue_u32(T_BOOL, prefix_has_ip(&p, v[0].ip));
	return true;
}

static bool
bi_prefix_in_prefix(struct frun *r, struct fvalue *v)
{
	struct prefix a = fvalue_to_prefix(&v[0]), b = fvalue_to_prefix(&v[1]);

	(void)r;
	v[0] = fvalue_u32(T_BOOL, prefix_contains(&b, &a));
	return true;
}

static bool
bi_in_prefix_set(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0] = fvalue_u32(T_BOOL, fset_has(v[1].set, &v[0]));
	return true;
}

static bool
bi_is_v4(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0] = fvalue_u32(T_BOOL, ip_is_v4(v[0].ip));
	return true;
}

static bool
bi_mask(struct frun *r, struct fvalue *v)
{
	bool v4 = ip_is_v4(v[0].ip);

	if (v[1].i > (v4 ? 32u : 128u))
		return vm_fail(r, "mask() with more bits than the address has");
	v[0] = fvalue_ip(prefix_make(v[0].ip, v[1].i, v4 ? FAM_IP4 : FAM_IP6).addr);
	return true;
}

static bool
bi_len(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0] = fvalue_u32(T_INT, v[0].plen);
	return true;
}

static bool
bi_ip(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0] = fvalue_ip(v[0].ip);
	return true;
}

static bool
bi_type(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0] = fvalue_u32(T_ENUM_NETTYPE, v[0].fam == FAM_IP4 ? 1 : 2);
	return true;
}

/* What only other kinds of networks have. Prefixes of routes are of IPv4 and IPv6 alone, so a filter that
 * asks for the type first never comes here. */
static bool
bi_other_net(struct frun *r, struct fvalue *v)
{
	(void)v;
	return vm_fail(r, "a network of this type doesn't have that");
}

const struct builtin builtin_nets[] = {
	{ "~", BI_OP, 2, { T_IP, T_PREFIX }, T_BOOL, bi_ip_in_prefix },
	{ "~", BI_OP, 2, { T_PREFIX, T_PREFIX }, T_BOOL, bi_prefix_in_prefix },
	{ "~", BI_OP, 2, { T_PREFIX, T_SET_PREFIX }, T_BOOL, bi_in_prefix_set },
	{ "~", BI_OP, 2, { T_IP, T_SET_PREFIX }, T_BOOL, bi_in_prefix_set },
	{ "is_v4", BI_METHOD, 1, { T_IP }, T_BOOL, bi_is_v4 },
	{ "mask", BI_METHOD, 2, { T_IP, T_INT }, T_IP, bi_mask },
	{ "len", BI_METHOD, 1, { T_PREFIX }, T_INT, bi_len },
	{ "ip", BI_METHOD, 1, { T_PREFIX }, T_IP, bi_ip },
	{ "type", BI_METHOD, 1, { T_PREFIX }, T_ENUM_NETTYPE, bi_type },
	{ "maxlen", BI_METHOD, 1, { T_PREFIX }, T_INT, bi_other_net },
	{ "asn", BI_METHOD, 1, { T_PREFIX }, T_INT, bi_other_net },
	{ "vlan_id", BI_METHOD, 1, { T_PREFIX }, T_INT, bi_other_net },
	{ "evpn_tag", BI_METHOD, 1, { T_PREFIX }, T_INT, bi_other_net },
	{ "router_ip", BI_METHOD, 1, { T_PREFIX }, T_IP, bi_other_net },
	{ "src", BI_METHOD, 1, { T_PREFIX }, T_PREFIX, bi_other_net },
	{ "dst", BI_METHOD, 1, { T_PREFIX }, T_PREFIX, bi_other_net },
	{ .name = NULL },
};
