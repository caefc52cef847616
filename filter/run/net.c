/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks of other kinds than IPv4 and IPv6: order, text and place. No state; any
 * thread.
 *
 * tern's tables of ROAs and ASPAs have such networks; filters of operators use all kinds,
 * and computations on constants must be right. The order is bird2's, found by experiment:
 * kind, then RD, then the prefix, then the rest. */
#include "filter/run/net.h"
#include "filter/run/flow.h"
#include "filter/value/rd.h"
#include "filter/value/type.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include <errno.h>
#include <stdlib.h>

struct fvalue
fvalue_net(struct arena *a, const struct fnet *n, const void *flow, uint32_t flow_len)
{
	struct fvalue v = { .type = T_PREFIX, .fam = FVALUE_NET, .plen = n->len };
	struct fnet *c = arena_zalloc(a, sizeof(*c) + flow_len);

	*c = *n;
	c->size = (uint32_t)sizeof(*c) + flow_len;
	c->flow_len = flow_len;
	if (flow_len)
		memcpy(c->flow, flow, flow_len);
	v.net = c;
	return v;
}

void
fnet_of_vrp(struct fnet *n, const struct vrp *v, bool aspa)
{
	*n = (struct fnet){ .size = sizeof(*n), .kind = NET_ASPA, .num = v->asn };
	if (aspa)
		return;
	n->kind = v->net.fam == FAM_IP4 ? NET_ROA4 : NET_ROA6;
	n->fam = v->net.fam;
	n->len = v->net.len;
	n->len2 = v->max_len;
	n->addr = v->net.addr;
}

enum net_kind
fvalue_kind(const struct fvalue *v)
{
	if (fvalue_is_net(v))
		return (enum net_kind)v->net->kind;
	return v->fam == FAM_IP4 ? NET_IP4 : NET_IP6;
}

static bool
net_has_place(enum net_kind k)
{
	return k < NET_MPLS;
}

struct prefix
fvalue_place(const struct fvalue *v)
{
	const struct fnet *n = v->net;

	if (!fvalue_is_net(v))
		return fvalue_to_prefix(v);
	return (struct prefix){ n->addr, n->len,
		net_has_place((enum net_kind)n->kind) ? n->fam : (uint8_t)FAM_CNT };
}

bool
fvalue_set_key(struct fvalue *v)
{
	struct prefix p;

	if (!fvalue_is_net(v))
		return true;
	if (v->net->kind < NET_VPN4 || v->net->kind > NET_ROA6)
		return false;
	p = fvalue_place(v);
	*v = fvalue_prefix(&p);
	return true;
}

static int
net_cmp_u32(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int
net_cmp_prefix(struct ip_addr a, unsigned alen, struct ip_addr b, unsigned blen)
{
	int c = ip_cmp(a, b);

	return c ? c : net_cmp_u32(alen, blen);
}

int
fnet_cmp(const struct fnet *a, const struct fnet *b)
{
	int c = net_cmp_u32(a->kind, b->kind);

	if (!c)
		c = net_cmp_u32(a->rd[0], b->rd[0]);
	if (!c)
		c = net_cmp_u32(a->rd[1], b->rd[1]);
	if (!c)
		c = net_cmp_prefix(a->addr, a->len, b->addr, b->len);
	if (c)
		return c;
	if (a->kind == NET_FLOW4 || a->kind == NET_FLOW6) {
		c = net_cmp_u32(a->flow_len, b->flow_len);
		return c ? c : memcmp(a->flow, b->flow, a->flow_len);
	}
	c = net_cmp_prefix(a->src, a->len2, b->src, b->len2);
	return c ? c : net_cmp_u32(a->num, b->num);
}

/* ---- text ---- */

void
fnet_esi(uint8_t *out, const struct fnet *n)
{
	for (unsigned i = 0; i < NET_ESI_LEN; i++)
		out[i] = (uint8_t)(i < 8 ? n->src.hi >> (56 - 8 * i)
					 : n->src.lo >> (120 - 8 * i));
}

static void
net_octets(struct strbuf *b, const uint8_t *p, unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		strbuf_addf(b, "%s%02x", i ? ":" : "", p[i]);
}

static void
net_mac(struct strbuf *b, const struct fnet *n)
{
	uint8_t mac[6];

	for (unsigned i = 0; i < 6; i++)
		mac[i] = (uint8_t)(n->src.lo >> (40 - 8 * i));
	net_octets(b, mac, sizeof(mac));
}

static void
net_evpn_print(struct strbuf *b, const struct fnet *n)
{
	static const char *const word[] = { [NET_EVPN_EAD] = "ead",
		[NET_EVPN_MAC] = "mac",
		[NET_EVPN_IMET] = "imet",
		[NET_EVPN_ES] = "es" };
	char text[IP_STR_MAX];
	uint8_t esi[NET_ESI_LEN];

	strbuf_addf(b, "evpn %s ", word[n->len2]);
	rd_print(b, n->rd);
	if (n->len2 != NET_EVPN_ES)
		strbuf_addf(b, " %u", n->num);
	if (n->len2 != NET_EVPN_IMET)
		strbuf_addc(b, ' ');
	fnet_esi(esi, n);
	if (n->len2 == NET_EVPN_MAC)
		net_mac(b, n);
	else if (n->len2 != NET_EVPN_IMET)
		net_octets(b, esi, sizeof(esi));
	if (n->len2 != NET_EVPN_EAD)
		strbuf_addf(b, " %s", n->fam == FAM_CNT ? "*" : ip_str(text, n->addr));
}

void
fnet_print(struct strbuf *b, const struct fnet *n)
{
	struct prefix dst = { n->addr, n->len, n->fam },
		      src = { n->src, n->len2, n->fam };
	char text[PREFIX_STR_MAX];

	switch (n->kind) {
	case NET_VPN4:
	case NET_VPN6:
		rd_print(b, n->rd);
		strbuf_addf(b, " %s", prefix_str(text, &dst));
		return;
	case NET_ROA4:
	case NET_ROA6:
		strbuf_addf(b, "%s-%u AS%u", prefix_str(text, &dst), n->len2, n->num);
		return;
	case NET_FLOW4:
	case NET_FLOW6:
		strbuf_addf(b, "flow%c { ", n->kind == NET_FLOW4 ? '4' : '6');
		flow_print(b, n->flow, n->flow_len, n->kind == NET_FLOW6);
		strbuf_addc(b, '}');
		return;
	case NET_IP6_SADR:
		strbuf_adds(b, prefix_str(text, &dst));
		strbuf_addf(b, " from %s", prefix_str(text, &src));
		return;
	case NET_ETH:
		net_mac(b, n);
		if (n->num)
			strbuf_addf(b, " vlan %u", n->num);
		return;
	case NET_EVPN:
		net_evpn_print(b, n);
		return;
	case NET_NEIGHBOR:
		strbuf_addf(b, "%s%%%u", ip_str(text, n->addr), n->num);
		return;
	default:
		strbuf_addf(b, "%u", n->num);
	}
}
