/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines all constants of the filter language in one table, and finds a constant by name
 * or value. Pure functions; any thread. Tested by test/unit/test_value.c. */
#include "filter/value/enum_const.h"

#include "filter/value/irr.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/base/spell.h"
#include "lib/net/aspa.h"
#include "lib/net/roa.h"

static const struct enum_const enums[] = {
	{ "RTS_STATIC", T_ENUM_RTS, RTS_STATIC },
	{ "RTS_INHERIT", T_ENUM_RTS, RTS_INHERIT },
	{ "RTS_DEVICE", T_ENUM_RTS, RTS_DEVICE },
	{ "RTS_STATIC_DEVICE", T_ENUM_RTS, 4 },
	{ "RTS_REDIRECT", T_ENUM_RTS, 5 },
	{ "RTS_RIP", T_ENUM_RTS, 6 },
	{ "RTS_OSPF", T_ENUM_RTS, 7 },
	{ "RTS_OSPF_IA", T_ENUM_RTS, 8 },
	{ "RTS_OSPF_EXT1", T_ENUM_RTS, 9 },
	{ "RTS_OSPF_EXT2", T_ENUM_RTS, 10 },
	{ "RTS_BGP", T_ENUM_RTS, RTS_BGP },
	{ "RTS_PIPE", T_ENUM_RTS, RTS_PIPE },
	{ "RTS_RPKI", T_ENUM_RTS, RTS_RPKI },
	{ "RTS_BABEL", T_ENUM_RTS, 14 },
	{ "RTS_L3VPN", T_ENUM_RTS, 15 },
	{ "RTS_AGGREGATED", T_ENUM_RTS, 16 },
	{ "RTD_UNICAST", T_ENUM_RTD, DEST_UNICAST },
	{ "RTD_ROUTER", T_ENUM_RTD, DEST_UNICAST },
	{ "RTD_DEVICE", T_ENUM_RTD, DEST_UNICAST },
	{ "RTD_MULTIPATH", T_ENUM_RTD, DEST_UNICAST },
	{ "RTD_BLACKHOLE", T_ENUM_RTD, DEST_BLACKHOLE },
	{ "RTD_UNREACHABLE", T_ENUM_RTD, DEST_UNREACHABLE },
	{ "RTD_PROHIBIT", T_ENUM_RTD, DEST_PROHIBIT },
	{ "SCOPE_HOST", T_ENUM_SCOPE, 0 },
	{ "SCOPE_LINK", T_ENUM_SCOPE, 1 },
	{ "SCOPE_SITE", T_ENUM_SCOPE, 2 },
	{ "SCOPE_ORGANIZATION", T_ENUM_SCOPE, 3 },
	{ "SCOPE_UNIVERSE", T_ENUM_SCOPE, 4 },
	{ "SCOPE_UNDEFINED", T_ENUM_SCOPE, 5 },
	{ "ROA_UNKNOWN", T_ENUM_ROA, ROA_UNKNOWN },
	{ "ROA_VALID", T_ENUM_ROA, ROA_VALID },
	{ "ROA_INVALID", T_ENUM_ROA, ROA_INVALID },
	{ "ASPA_UNKNOWN", T_ENUM_ASPA, ASPA_UNKNOWN },
	{ "ASPA_VALID", T_ENUM_ASPA, ASPA_VALID },
	{ "ASPA_INVALID", T_ENUM_ASPA, ASPA_INVALID },
	{ "IRR_PREFIX", T_ENUM_IRR, IRR_PREFIX },
	{ "IRR_VALID", T_ENUM_IRR, IRR_VALID },
	{ "IRR_LENGTH", T_ENUM_IRR, IRR_LENGTH },
	{ "IRR_ORIGIN", T_ENUM_IRR, IRR_ORIGIN },
	{ "ORIGIN_IGP", T_ENUM_ORIGIN, ORIGIN_IGP },
	{ "ORIGIN_EGP", T_ENUM_ORIGIN, ORIGIN_EGP },
	{ "ORIGIN_INCOMPLETE", T_ENUM_ORIGIN, ORIGIN_INCOMPLETE },
	{ "NET_IP4", T_ENUM_NETTYPE, 1 },
	{ "NET_IP6", T_ENUM_NETTYPE, 2 },
	{ "NET_VPN4", T_ENUM_NETTYPE, 3 },
	{ "NET_VPN6", T_ENUM_NETTYPE, 4 },
	{ "NET_ROA4", T_ENUM_NETTYPE, 5 },
	{ "NET_ROA6", T_ENUM_NETTYPE, 6 },
	{ "NET_FLOW4", T_ENUM_NETTYPE, 7 },
	{ "NET_FLOW6", T_ENUM_NETTYPE, 8 },
	{ "NET_IP6_SADR", T_ENUM_NETTYPE, 9 },
	{ "NET_MPLS", T_ENUM_NETTYPE, 10 },
	{ "NET_ASPA", T_ENUM_NETTYPE, 11 },
	{ "NET_ETH", T_ENUM_NETTYPE, 12 },
	{ "NET_EVPN", T_ENUM_NETTYPE, 13 },
	{ "NET_NEIGHBOR", T_ENUM_NETTYPE, 14 },
	{ "MPLS_POLICY_NONE", T_ENUM_MPLS_POLICY, 0 },
	{ "MPLS_POLICY_STATIC", T_ENUM_MPLS_POLICY, 1 },
	{ "MPLS_POLICY_PREFIX", T_ENUM_MPLS_POLICY, 2 },
	{ "MPLS_POLICY_AGGREGATE", T_ENUM_MPLS_POLICY, 3 },
	{ "MPLS_POLICY_VRF", T_ENUM_MPLS_POLICY, 4 },
	{ "RA_PREF_LOW", T_ENUM_RA_PREF, 24 },
	{ "RA_PREF_MEDIUM", T_ENUM_RA_PREF, 0 },
	{ "RA_PREF_HIGH", T_ENUM_RA_PREF, 8 },
	{ "KBR_SRC_BIRD", T_ENUM_KBR_SRC, 0 },
	{ "KBR_SRC_LOCAL", T_ENUM_KBR_SRC, 1 },
	{ "KBR_SRC_STATIC", T_ENUM_KBR_SRC, 2 },
	{ "KBR_SRC_DYNAMIC", T_ENUM_KBR_SRC, 3 },
	{ "NET_EVPN_EAD", T_ENUM_EVPN, 1 },
	{ "NET_EVPN_MAC", T_ENUM_EVPN, 2 },
	{ "NET_EVPN_IMET", T_ENUM_EVPN, 3 },
	{ "NET_EVPN_ES", T_ENUM_EVPN, 4 },
	{ "AF_IPV4", T_ENUM_AF, 1 },
	{ "AF_IPV6", T_ENUM_AF, 2 },
};

const struct enum_const *
enum_const_find(const char *name)
{
	unsigned i;

	for (i = 0; i < ARRAY_LEN(enums); i++)
		if (!strcmp(enums[i].name, name))
			return &enums[i];
	return NULL;
}

void
enum_const_spell(struct spell *sp)
{
	for (unsigned i = 0; i < ARRAY_LEN(enums); i++)
		spell_add(sp, enums[i].name);
}

const char *
enum_const_name(enum ftype t, uint32_t value)
{
	unsigned i;

	for (i = 0; i < ARRAY_LEN(enums); i++)
		if (enums[i].type == t && enums[i].value == value)
			return enums[i].name;
	return NULL;
}
