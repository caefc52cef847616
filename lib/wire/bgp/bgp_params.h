/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The properties of a session that a codec needs: bgp_params for decoding, bgp_class for
 * encoding. All sessions of one bgp_class send equal octets and therefore share
 * messages. Pure functions; any thread. */
#ifndef TERN_LIB_WIRE_BGP_BGP_PARAMS_H
#define TERN_LIB_WIRE_BGP_BGP_PARAMS_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"

#define BGP_MSG_MAX     4096 /* RFC 4271, 4.1 */
#define BGP_MSG_EXT_MAX 65535 /* RFC 8654, 3 */

#define FAM_BIT(fam) ((uint8_t)(1u << (fam)))

/* Negotiated for receiving. Immutable while the session is established. Owner: the
 * session. Life: embedded in the session. */
struct bgp_params {
	uint32_t local_as, peer_as;
	uint8_t fam; /* FAM_BIT of each family negotiated */
	bool as4; /* AS numbers have 4 octets (RFC 6793) */
	bool ext_msg; /* messages up to 65,535 octets (RFC 8654) */
	bool ibgp; /* the same AS, or the same member AS of a confederation */
	/* the peer is in the local confederation: confederation segments may occur in
	 * AS_PATH */
	bool confed;
	bool rs_client; /* transparent session (RFC 7947) */
	bool allow_local_pref; /* take LOCAL_PREF from eBGP */
	bool aigp; /* take AIGP (RFC 7311, 3.1) */
	bool ext_next_hop; /* IPv4 NLRI may have IPv6 next hops (RFC 8950) */
	/* FAM_BIT of each family whose prefixes have path identifiers (RFC 7911) */
	uint8_t ids;
};

/* The next hop of outgoing routes. */
enum bgp_next_hop_mode {
	/* the set's next hop, link-local included; self if the set has none */
	BGP_NH_KEEP,
	/* the set's next hop without link-local; self if only link-local (RFC 2545, 3) */
	BGP_NH_KEEP_GLOBAL,
	BGP_NH_SELF /* nh4, nh6 */
};

/* How a next hop without a global address goes out: RFC 2545 doesn't say. */
enum bgp_ll_form {
	BGP_LL_NATIVE, /* 32 octets: ::, local */
	BGP_LL_SINGLE, /* 16: local */
	BGP_LL_DOUBLE /* 32: local, local */
};

/* All properties that change outgoing octets. Classes are compared and hashed as octets:
 * the struct has no holes, and a class starts with bgp_class_init. Flags are 0 or 1.
 * Owner: the holder. Life: by value. */
struct bgp_class {
	struct ip_addr nh4, nh6,
	    nh6_ll; /* local addresses for BGP_NH_SELF; IP_NONE: none */
	uint32_t prepend_as; /* AS put before AS_PATH; 0: none (rs client, iBGP) */
	/* added if the set has none (reflection); 0: never added */
	uint32_t originator_id;
	/* prepended to CLUSTER_LIST (reflection); 0: not prepended */
	uint32_t cluster_id;
	/* with send_local_pref: the value for a set without LOCAL_PREF */
	uint32_t local_pref;
	uint32_t otc; /* OTC added if the set has none (RFC 9234); 0: never added */
	uint16_t msg_max; /* BGP_MSG_MAX or BGP_MSG_EXT_MAX */
	uint8_t next_hop; /* enum bgp_next_hop_mode */
	uint8_t as4; /* the peer takes 4-octet AS numbers */
	/* IPv4 uses MP_REACH and MP_UNREACH, else the message's NLRI fields */
	uint8_t mp4;
	uint8_t send_local_pref; /* iBGP, confederation, or allowed */
	uint8_t send_med;
	uint8_t send_reflect; /* ORIGINATOR_ID and CLUSTER_LIST may go out: iBGP */
	uint8_t send_aigp;
	/* leave out non-transitive extended communities (RFC 4360, 6) */
	uint8_t strip_ec;
	uint8_t confed; /* prepend_as goes into an AS_CONFED_SEQUENCE (RFC 5065, 5.3) */
	/* leave confederation segments in the path; else strip them */
	uint8_t keep_confed;
	uint8_t ids; /* prefixes have path identifiers (RFC 7911) */
	uint8_t ll_form; /* enum bgp_ll_form */
	uint8_t pad[4]; /* 0 */
};

_Static_assert(
    sizeof(struct bgp_class) == 3 * 16 + 5 * 4 + 2 + 18, "bgp_class has holes");

/* bgp_class_init - transparent: everything is sent as the set has it, but LOCAL_PREF,
 * reflection's attributes and AIGP; 4-octet AS numbers, short messages, classic NLRI. A
 * route server's client as it stands. */
static inline void
bgp_class_init(struct bgp_class *c)
{
	memset(c, 0, sizeof(*c));
	c->msg_max = BGP_MSG_MAX;
	c->as4 = 1;
	c->send_med = 1;
}

/* bgp_class_self_hop - our address as next hop, which nh6_ll goes with; IP_NONE: none. */
static inline struct ip_addr
bgp_class_self_hop(const struct bgp_class *c, enum family fam)
{
	return fam == FAM_IP4 && !ip_is_none(c->nh4) ? c->nh4 : c->nh6;
}

static inline bool
bgp_class_equal(const struct bgp_class *a, const struct bgp_class *b)
{
	return !memcmp(a, b, sizeof(*a));
}

#endif
