/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules that keep a route from a BGP peer, and the rules of the outgoing next hop,
 * besides any filter: RFC 1997, 4271, 4456 and 9234.
 *
 * Immutable; called in any thread under RCU (nest/channel/export/sink.h). Owner: the
 * session's sink. Life: until replaced, and a grace period. The structs are embedded in
 * struct bgp_rules, which the sink frees. Test: test_bgp_rules.c. */
#ifndef TERN_PROTO_BGP_OUT_BGP_RULES_H
#define TERN_PROTO_BGP_OUT_BGP_RULES_H

#include "lib/attr/route.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_params.h"
#include "nest/channel/export/sink.h"
#include "nest/core/reason.h"

#define EXPORT_LINKS 8

struct config_ref;
struct hop_map;

/* Where routes come from, as options about next hops distinguish sources. */
#define HOP_EXTERNAL 0x01 /* an external BGP peer */
#define HOP_INTERNAL 0x02 /* an internal one */
#define HOP_OURS     0x04 /* no BGP peer */

/* The properties of a peer for the rules. */
struct export_rules {
	/* a route with this next hop is not sent, and the refusal is logged */
	struct ip_addr peer_addr;
	bool to_ibgp; /* the peer is internal */
	bool interior; /* internal, or in the local confederation (RFC 5065) */
	/* the peer is a reflection client: internal routes may be sent */
	bool rr_client;
	/* NO_EXPORT, NO_ADVERTISE, NO_EXPORT_SUBCONFED (RFC 1997) */
	bool interpret_communities;
	bool no_stale; /* the peer does not get routes with LLGR_STALE (RFC 9494, 4.3) */
	/* the peer accepts no IPv6 next hops: the route's next hop may have to be
	 * replaced */
	bool only_ip4;
	/* value of `aigp`: 0: not sent; BGP_AIGP_ORIGINATE */
	uint8_t aigp;
	/* a route with OTC is not sent: checked after the filter (RFC 9234, 5) */
	bool keep_otc;
	/* A route without a BGP next hop is sent with its gateway as the next hop if the
	 * gateway is in one of these subnets of the session's link (RFC 4271, 5.1.3); to
	 * an interior peer, always. */
	uint8_t link_cnt;
	/* HOP_*: such routes are sent with the local address, except the routes of
	 * bgp_sink_set_class_hop */
	uint8_t self_hop;
	uint32_t link_if; /* interface of the link; 0: the session is not direct */
	struct prefix link[EXPORT_LINKS];
	/* Translation of IPv4 routes' next hops (rules_translate). Borrowed from the
	 * configuration of the channel's view; NULL: none */
	const struct hop_map *map;
	/* with a map: RFC 8950 over IPv6, so the peer may have no IPv4 address */
	bool only_ip6;
	/* by the map: the address of the peer's router in the other family. A route with
	 * this next hop is not sent, like a route with peer_addr */
	struct ip_addr peer_other;
};

/* The use of the local address as the next hop. */
struct export_self {
	/* for every route, unless the next hop stays (bgp_sink_set_class_hop) */
	bool always;
	bool for_local; /* for routes with a link-local next hop alone */
	/* the local address is the peer's: only `next hop address` makes this possible */
	bool is_peer;
};

/* The rules of a channel. Owner: the session's sink, which frees the rules a grace period
 * after their replacement. */
struct bgp_rules {
	struct sink_rules base; /* first */
	struct export_rules peer;
	uint32_t hop_key, other_key; /* bgp_hop_key of the peer and of peer_other */
	bool keyless; /* next hops without the peer's hop_key can be the peer as well */
	struct export_self self[2]; /* the second: of routes from internal peers */
	/* for operators: the encodings, as in bgp_classes: usual, of routes from internal
	 * peers, of routes whose next hop stays */
	struct bgp_class look[3];
	bool reflect; /* the second encoding has ORIGINATOR_ID */
	enum family fam;
	/* configuration of peer.map; borrowed from the channel's view */
	struct config_ref *conf;
};

/* Marks of a segment (seg_class.marks). From well-known communities (RFC 1997): stay in
 * the AS or confederation; stay in the member AS */
#define SEG_NO_EXPORT    0x01
#define SEG_NO_ADVERTISE 0x02
#define SEG_INTERNAL     0x04 /* from an internal peer other than a reflection client */
#define SEG_IBGP         0x08 /* from an internal peer */
#define SEG_NO_SUBCONFED 0x10
#define SEG_LLGR_STALE   0x20 /* the community (RFC 9494) */

/* export_answer.way */
#define BGP_WAY_HOP_STAYS 1 /* bgp_sink_set_class_hop */

/* export_rules_same - true if @a and @b refuse the same routes and choose the same next
 * hops. @but_policy: ignore the options that belong to the export policy, the treatment
 * of well-known communities and the next hop map. Pure. */
bool export_rules_same(
    const struct export_rules *a, const struct export_rules *b, bool but_policy);
/* export_rules_foreign - RFC 2545, 3: true if the peer is on a link, and the source @src
 * is not on this link: a link-local next hop of the source means nothing to the peer. A
 * peer without a link gets no link-local next hop in any case (BGP_NH_KEEP_GLOBAL).
 * Pure. */
static inline bool
export_rules_foreign(const struct export_rules *r, const struct route_source *src)
{
	return r->link_if && src->is_bgp && src->link_if != r->link_if;
}

/* bgp_rules_init - @cls, @cls_ibgp: the encodings of announcements (bgp_sink.h);
 * @others_differ: more than one encoding is in use. */
void bgp_rules_init(struct bgp_rules *r, const struct export_rules *peer, enum family fam,
    const struct bgp_class *cls, const struct bgp_class *cls_ibgp, bool others_differ);
/* bgp_rules_marks, bgp_rules_key, bgp_rules_form - callbacks of BGP's segments
 * (seg_class). bgp_hop_key - the key of a next hop; different keys belong to different
 * addresses. */
uint8_t bgp_rules_marks(const struct attr_set *set, const struct route_source *f);
uint32_t bgp_rules_key(const struct attr_set *set);
uint8_t bgp_rules_form(const struct attr_set *set);
static inline uint32_t
bgp_hop_key(struct ip_addr a)
{
	return (uint32_t)(a.hi ^ a.lo ^ (a.hi >> 32));
}

/* bgp_rules_forbid, bgp_rules_settle, bgp_rules_packs - callbacks of a sink's rules. */
uint8_t bgp_rules_forbid(const struct sink_rules *r, uint8_t marks);
void bgp_rules_settle(
    const struct sink_rules *r, const struct export_question *q, struct export_answer *a);
uint8_t bgp_rules_packs(const struct sink_rules *r, const struct export_question *q,
    const struct export_answer *a, const uint8_t *nlri, uint32_t len);
/* bgp_rules_no_hop - the reason why @w has no sendable next hop (bgp_class_has_hop is
 * false). bgp_rules_unsent - the reason why @w cannot be announced for the net @nlri
 * (with its path identifier if @c has identifiers). @a: memory for the message. Returns:
 * REASON_NONE: @w can be announced. */
enum reason bgp_rules_no_hop(
    const struct bgp_class *c, enum family fam, const struct wire_set *w);
enum reason bgp_rules_unsent(const struct bgp_class *c, enum family fam,
    const struct wire_set *w, const uint8_t *nlri, uint32_t len, struct arena *a);

#endif
