/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the builtin functions of filters on addresses and prefixes. The thread of the
 * run calls. Tested by test/unit/test_conf_golden.c and test/net/test_diff.sh. */
#include "filter/run/builtin/builtin.h"
#include "filter/run/frun.h"
#include "filter/run/net.h"
#include "filter/set/set.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

static bool
bi_ip_in_prefix(struct frun *r, struct fvalue *v)
{
	struct prefix p = fvalue_place(&v[1]);

	(void)r;
	fvalue_set_u32(&v[0], T_BOOL, p.fam != FAM_CNT && prefix_has_ip(&p, v[0].ip));
	return true;
}

/* bi_prefix_in_prefix - compare networks of one kind by the prefixes alone. */
static bool
bi_prefix_in_prefix(struct frun *r, struct fvalue *v)
{
	struct prefix a = fvalue_place(&v[0]), b = fvalue_place(&v[1]);
	bool same = fvalue_kind(&v[0]) == fvalue_kind(&v[1]) && a.fam != FAM_CNT;

	(void)r;
	fvalue_set_u32(&v[0], T_BOOL, same && prefix_contains(&b, &a));
	return true;
}

static bool
bi_in_prefix_set(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_BOOL,
	    (v[0].type != T_PREFIX || fvalue_set_key(&v[0])) &&
		fset_has(v[1].set, &v[0]));
	return true;
}

static bool
bi_is_v4(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_BOOL, ip_is_v4(v[0].ip));
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

#define LABEL_BITS 20 /* the length of a network of MPLS */

static bool
bi_len(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_INT,
	    fvalue_kind(&v[0]) == NET_MPLS ? LABEL_BITS : fvalue_place(&v[0]).len);
	return true;
}

static bool
bi_ip(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0] = fvalue_ip(fvalue_place(&v[0]).addr);
	return true;
}

static bool
bi_type(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_ENUM_NETTYPE, fvalue_kind(&v[0]));
	return true;
}

/* Networks of some kinds have more than others: a filter asks for the type first.
 * Returns: NULL after vm_fail. */
static const struct fnet *
builtin_net_want(struct frun *r, const struct fvalue *v, uint32_t kinds)
{
	if (kinds & 1u << fvalue_kind(v))
		return v->net;
	vm_fail(r, "a network of this type doesn't have that");
	return NULL;
}

static bool
bi_rd(struct frun *r, struct fvalue *v)
{
	const struct fnet *n = builtin_net_want(
	    r, v, 1u << NET_VPN4 | 1u << NET_VPN6 | 1u << NET_EVPN);

	if (n)
		v[0] = (struct fvalue){ .type = T_RD, .w = { n->rd[0], n->rd[1] } };
	return n != NULL;
}

static bool
bi_maxlen(struct frun *r, struct fvalue *v)
{
	const struct fnet *n = builtin_net_want(r, v, 1u << NET_ROA4 | 1u << NET_ROA6);

	if (n)
		fvalue_set_u32(&v[0], T_INT, n->len2);
	return n != NULL;
}

static bool
bi_net_asn(struct frun *r, struct fvalue *v)
{
	const struct fnet *n = builtin_net_want(
	    r, v, 1u << NET_ROA4 | 1u << NET_ROA6 | 1u << NET_ASPA);

	if (n)
		fvalue_set_u32(&v[0], T_INT, n->num);
	return n != NULL;
}

#define WITH_BOTH_ENDS (1u << NET_FLOW4 | 1u << NET_FLOW6 | 1u << NET_IP6_SADR)

static bool
bi_src(struct frun *r, struct fvalue *v)
{
	const struct fnet *n = builtin_net_want(r, v, WITH_BOTH_ENDS);
	struct prefix p;

	if (!n)
		return false;
	p = (struct prefix){ n->src, n->len2, n->fam };
	v[0] = fvalue_prefix(&p);
	return true;
}

static bool
bi_dst(struct frun *r, struct fvalue *v)
{
	const struct fnet *n = builtin_net_want(r, v, WITH_BOTH_ENDS);
	struct prefix p;

	if (!n)
		return false;
	p = (struct prefix){ n->addr, n->len, n->fam };
	v[0] = fvalue_prefix(&p);
	return true;
}

/* net_want_evpn - NULL after vm_fail: @v is no EVPN network of a type in @types, a mask
 * of enum net_evpn. */
static const struct fnet *
net_want_evpn(struct frun *r, const struct fvalue *v, uint32_t types)
{
	const struct fnet *n = builtin_net_want(r, v, 1u << NET_EVPN);

	if (!n || types & 1u << n->len2)
		return n;
	vm_fail(r, "a network of this type doesn't have that");
	return NULL;
}

static bool
bi_mac(struct frun *r, struct fvalue *v)
{
	const struct fnet *n = fvalue_kind(v) == NET_EVPN
				   ? net_want_evpn(r, v, 1u << NET_EVPN_MAC)
				   : builtin_net_want(r, v, 1u << NET_ETH);

	if (n)
		v[0] = (struct fvalue){ .type = T_MAC,
			.w = { (uint32_t)(n->src.lo >> 32), (uint32_t)n->src.lo } };
	return n != NULL;
}

static bool
bi_vlan_id(struct frun *r, struct fvalue *v)
{
	const struct fnet *n = builtin_net_want(r, v, 1u << NET_ETH);

	if (n)
		fvalue_set_u32(&v[0], T_INT, n->num);
	return n != NULL;
}

static bool
bi_evpn_type(struct frun *r, struct fvalue *v)
{
	const struct fnet *n = builtin_net_want(r, v, 1u << NET_EVPN);

	if (n)
		fvalue_set_u32(&v[0], T_ENUM_EVPN, n->len2);
	return n != NULL;
}

static bool
bi_evpn_tag(struct frun *r, struct fvalue *v)
{
	const struct fnet *n = net_want_evpn(
	    r, v, 1u << NET_EVPN_EAD | 1u << NET_EVPN_MAC | 1u << NET_EVPN_IMET);

	if (n)
		fvalue_set_u32(&v[0], T_INT, n->num);
	return n != NULL;
}

static bool
bi_evpn_esi(struct frun *r, struct fvalue *v)
{
	const struct fnet *n = net_want_evpn(
	    r, v, 1u << NET_EVPN_EAD | 1u << NET_EVPN_ES);
	uint8_t *esi;

	if (!n)
		return false;
	esi = arena_alloc(&r->t->arena, NET_ESI_LEN);
	fnet_esi(esi, n);
	v[0] = (struct fvalue){ .type = T_BYTES, .len = NET_ESI_LEN, .octets = esi };
	return true;
}

static bool
bi_router_ip(struct frun *r, struct fvalue *v)
{
	const struct fnet *n = net_want_evpn(
	    r, v, 1u << NET_EVPN_IMET | 1u << NET_EVPN_ES);

	if (n)
		v[0] = fvalue_ip(n->addr);
	return n != NULL;
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
	{ "rd", BI_METHOD, 1, { T_PREFIX }, T_RD, bi_rd },
	{ "maxlen", BI_METHOD, 1, { T_PREFIX }, T_INT, bi_maxlen },
	{ "asn", BI_METHOD, 1, { T_PREFIX }, T_INT, bi_net_asn },
	{ "src", BI_METHOD, 1, { T_PREFIX }, T_PREFIX, bi_src },
	{ "dst", BI_METHOD, 1, { T_PREFIX }, T_PREFIX, bi_dst },
	{ "mac", BI_METHOD, 1, { T_PREFIX }, T_MAC, bi_mac },
	{ "vlan_id", BI_METHOD, 1, { T_PREFIX }, T_INT, bi_vlan_id },
	{ "evpn_type", BI_METHOD, 1, { T_PREFIX }, T_ENUM_EVPN, bi_evpn_type },
	{ "evpn_tag", BI_METHOD, 1, { T_PREFIX }, T_INT, bi_evpn_tag },
	{ "evpn_esi", BI_METHOD, 1, { T_PREFIX }, T_BYTES, bi_evpn_esi },
	{ "router_ip", BI_METHOD, 1, { T_PREFIX }, T_IP, bi_router_ip },
	{ .name = NULL },
};
