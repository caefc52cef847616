/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of BGP path attributes with a name in tern.
 *
 * ATTR_TABLE(X): name, wire code, flags on the wire (RFC 4271, 4.3: optional 0x80,
 * transitive 0x40), name in filters, name in `show route all`. IANA's registry "BGP Path
 * Attributes" assigns the codes.
 *
 * Constants only; any thread. */
#ifndef TERN_LIB_ATTR_ATTR_DEF_H
#define TERN_LIB_ATTR_ATTR_DEF_H

#define ATTR_F_OPTIONAL   0x80
#define ATTR_F_TRANSITIVE 0x40
#define ATTR_F_PARTIAL    0x20
#define ATTR_F_EXTLEN     0x10

#define ATTR_TABLE(X)                                                                    \
	X(ORIGIN, 1, 0x40, "bgp_origin", "BGP.origin")                                   \
	X(AS_PATH, 2, 0x40, "bgp_path", "BGP.as_path")                                   \
	X(NEXT_HOP, 3, 0x40, "bgp_next_hop", "BGP.next_hop")                             \
	X(MED, 4, 0x80, "bgp_med", "BGP.med")                                            \
	X(LOCAL_PREF, 5, 0x40, "bgp_local_pref", "BGP.local_pref")                       \
	X(ATOMIC_AGGR, 6, 0x40, "bgp_atomic_aggr", "BGP.atomic_aggr")                    \
	X(AGGREGATOR, 7, 0xc0, "bgp_aggregator", "BGP.aggregator")                       \
	X(COMMUNITY, 8, 0xc0, "bgp_community", "BGP.community")                          \
	X(ORIGINATOR_ID, 9, 0x80, "bgp_originator_id", "BGP.originator_id")              \
	X(CLUSTER_LIST, 10, 0x80, "bgp_cluster_list", "BGP.cluster_list")                \
	X(MP_REACH, 14, 0x80, NULL, NULL)                                                \
	X(MP_UNREACH, 15, 0x80, NULL, NULL)                                              \
	X(EXT_COMMUNITY, 16, 0xc0, "bgp_ext_community", "BGP.ext_community")             \
	X(AS4_PATH, 17, 0xc0, NULL, NULL)                                                \
	X(AS4_AGGREGATOR, 18, 0xc0, NULL, NULL)                                          \
	X(AIGP, 26, 0x80, "bgp_aigp", "BGP.aigp")                                        \
	X(LARGE_COMMUNITY, 32, 0xc0, "bgp_large_community", "BGP.large_community")       \
	X(OTC, 35, 0xc0, "bgp_otc", "BGP.otc")

enum attr_code {
#define X(name, code, flags, filter_name, show_name) ATTR_##name = code,
	ATTR_TABLE(X)
#undef X
};

#define ORIGIN_IGP        0
#define ORIGIN_EGP        1
#define ORIGIN_INCOMPLETE 2

/* AS_PATH segment types (RFC 4271, 4.3; RFC 5065, 3) */
#define AS_SET             1
#define AS_SEQUENCE        2
#define AS_CONFED_SEQUENCE 3
#define AS_CONFED_SET      4

#endif
