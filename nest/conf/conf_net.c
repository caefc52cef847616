/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of networks of Ethernet, EVPN and neighbors (BIRD 3). tern has no tables of
 * these networks; filters compute with them. Loop: the thread that parses. Tested by
 * test/unit/test_conf_golden.c. */
#include "nest/conf/conf_net.h"

#include "filter/lang/ext.h"
#include "filter/run/net.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/conf/conf_parse.h"

#define VLAN_MAX 4095

static uint64_t
net_mac_number(const struct fvalue *mac)
{
	return (uint64_t)mac->w[0] << 32 | mac->w[1];
}

uint32_t
conf_net_vlan(struct conf_ctx *c, struct src_pos pos, const char *word, uint32_t num)
{
	if (strcmp(word, "vlan"))
		diag_error(c->diag, pos, "unexpected '%s', expected vlan", word);
	else if (num > VLAN_MAX)
		diag_error(c->diag, pos, "a VLAN is a number up to %d", VLAN_MAX);
	return num;
}

struct fvalue
conf_net_eth(struct conf_ctx *c, struct src_pos pos, struct fvalue mac, uint32_t vlan)
{
	struct fnet n = { .kind = NET_ETH,
		.fam = FAM_CNT,
		.num = vlan,
		.src = { 0, net_mac_number(&mac) } };

	ext_add(c->diag->ext, pos, KNOWN_BIRD_3, "a network of Ethernet");
	return fvalue_net(c->arena, &n, NULL, 0);
}

/* conf_net_evpn_type - 0: an error is reported. */
static int
conf_net_evpn_type(struct conf_ctx *c, struct src_pos pos, const char *word)
{
	static const char *const words[] = { "ead", "mac", "imet", "es" };

	for (unsigned i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(word, words[i]))
			return NET_EVPN_EAD + (int)i;
	diag_error(c->diag, pos, "unexpected '%s', expected ead, mac, imet or es", word);
	return 0;
}

/* net_fits_evpn - does @end have the fields of @type? */
static bool
net_fits_evpn(int type, uint64_t tag, const struct net_end *end)
{
	bool esi = end->first.type == T_BYTES && end->first.len == NET_ESI_LEN;
	bool ip = end->ip.type == T_IP, tagged = tag != CONF_NET_NO_TAG;

	switch (type) {
	case NET_EVPN_EAD:
		return tagged && esi && !ip;
	case NET_EVPN_MAC:
		return tagged && end->first.type == T_MAC;
	case NET_EVPN_IMET:
		return tagged && end->first.type == T_VOID && ip;
	default:
		return !tagged && esi && ip;
	}
}

struct fvalue
conf_net_evpn(struct conf_ctx *c, struct src_pos pos, const char *word, struct fvalue rd,
    uint64_t tag, const struct net_end *end)
{
	static const char *const form[] = { [NET_EVPN_EAD] = "ead RD TAG ESI",
		[NET_EVPN_MAC] = "mac RD TAG MAC ADDRESS or *",
		[NET_EVPN_IMET] = "imet RD TAG ADDRESS",
		[NET_EVPN_ES] = "es RD ESI ADDRESS" };
	struct fnet n = { .kind = NET_EVPN, .fam = FAM_CNT, .rd = { rd.w[0], rd.w[1] } };
	int type = conf_net_evpn_type(c, pos, word);

	ext_add(c->diag->ext, pos, KNOWN_BIRD_3, "a network of EVPN");
	if (type && !net_fits_evpn(type, tag, end))
		diag_error(c->diag, pos, "expected evpn %s; an ESI has %d octets",
		    form[type], NET_ESI_LEN);
	n.len2 = (uint8_t)type;
	n.num = tag == CONF_NET_NO_TAG ? 0 : (uint32_t)tag;
	if (end->ip.type == T_IP) {
		n.fam = ip_is_v4(end->ip.ip) ? FAM_IP4 : FAM_IP6;
		n.addr = end->ip.ip;
	}
	if (end->first.type == T_MAC)
		n.src.lo = net_mac_number(&end->first);
	for (unsigned i = 0; end->first.type == T_BYTES && i < end->first.len; i++)
		if (i < 8)
			n.src.hi |= (uint64_t)end->first.octets[i] << (56 - 8 * i);
		else if (i < NET_ESI_LEN)
			n.src.lo |= (uint64_t)end->first.octets[i] << (120 - 8 * i);
	return fvalue_net(c->arena, &n, NULL, 0);
}

struct fvalue
conf_net_neighbor(
    struct conf_ctx *c, struct src_pos pos, struct fvalue ip, uint32_t iface)
{
	struct fnet n = { .kind = NET_NEIGHBOR,
		.fam = ip_is_v4(ip.ip) ? FAM_IP4 : FAM_IP6,
		.num = iface,
		.addr = ip.ip };

	ext_add(c->diag->ext, pos, KNOWN_BIRD_3, "a network of a neighbor");
	return fvalue_net(c->arena, &n, NULL, 0);
}
