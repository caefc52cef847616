/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What keeps a route from a BGP peer, and what goes out for a next hop: rules of RFC
 * 1997, 4271, 4456 and 9234 beside any filter.
 *
 * Immutable; asked in any thread under RCU (nest/channel/sink.h). Test:
 * test_bgp_rules.c. */
#ifndef TERN_PROTO_BGP_RULES_H
#define TERN_PROTO_BGP_RULES_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_params.h"
#include "nest/channel/sink.h"
#include "nest/rib/reason.h"

#define EXPORT_LINKS 8

/* Where routes come from, as options about next hops tell it apart. */
#define HOP_EXTERNAL 0x01 /* an external BGP peer */
#define HOP_INTERNAL 0x02 /* an internal one */
#define HOP_OURS     0x04 /* no BGP peer */

/* What a session says of its peer. */
struct export_rules {
	/* a route that would go out with this for a next hop isn't sent, and that is
	 * logged */
	struct ip_addr peer_addr;
	bool to_ibgp; /* the peer is internal */
	bool interior; /* the same, or it is in our confederation (RFC 5065) */
	/* it is a client of our reflection: internal routes may go to it */
	bool rr_client;
	/* NO_EXPORT, NO_ADVERTISE, NO_EXPORT_SUBCONFED (RFC 1997) */
	bool interpret_communities;
	bool no_stale; /* nor does it get what has LLGR_STALE (RFC 9494, 4.3) */
	/* the peer takes no IPv6 next hops: another than its own may be needed */
	bool only_ip4;
	/* value of `aigp`: 0: it isn't sent; BGP_AIGP_ORIGINATE */
	uint8_t aigp;
	/* a route with OTC isn't sent: asked after the filter (RFC 9234, 5) */
	bool keep_otc;
	/* A route without a BGP next hop is sent with its gateway for one if that is in
	 * one of these subnets of the session's link (RFC 4271, 5.1.3); to an interior
	 * peer, always. */
	uint8_t link_cnt;
	/* HOP_*: such routes go out with our address, but for those that
	 * bgp_sink_set_class_hop is about */
	uint8_t own_hop;
	uint32_t link_if; /* interface of the link; 0: the session isn't direct */
	struct prefix link[EXPORT_LINKS];
};

/* How routes go out with our address for a next hop. */
struct export_own {
	/* whatever they have, but where that stays (bgp_sink_set_class_hop) */
	bool always;
	bool for_local; /* if they have a link-local address alone */
	/* our address is the peer's: only `next hop address` makes that */
	bool is_peer;
};

struct bgp_rules {
	struct sink_rules base; /* first */
	struct export_rules peer;
	uint32_t hop_key; /* segment_hop_key of the peer */
	bool keyless; /* not only next hops with the peer's hop_key can be the peer */
	struct export_own own[2]; /* the second: of routes from internal peers */
	/* for operators: what messages look like, as bgp_looks: usual, of routes from
	 * internal peers, of those whose next hop stays */
	struct bgp_class look[3];
	bool reflect; /* the second with ORIGINATOR_ID */
	enum family fam;
};

/* export_answer.way */
#define BGP_WAY_HOP_STAYS 1 /* bgp_sink_set_class_hop */

/* export_rules_same - do @a and @b keep the same routes from the peer, and give routes
 * the same next hops? @but_marks: whatever well-known communities are worth. Pure. */
bool export_rules_same(
    const struct export_rules *a, const struct export_rules *b, bool but_marks);
/* bgp_rules_init - @cls, @cls_ibgp: what announcements look like (bgp_sink.h);
 * @others_differ: there is more than one look. */
void bgp_rules_init(struct bgp_rules *r, const struct export_rules *peer, enum family fam,
    const struct bgp_class *cls, const struct bgp_class *cls_ibgp, bool others_differ);
/* bgp_rules_forbid, bgp_rules_settle, bgp_rules_packs - as of a sink. */
uint8_t bgp_rules_forbid(const struct sink_rules *r, uint8_t marks);
void bgp_rules_settle(
    const struct sink_rules *r, const struct export_question *q, struct export_answer *a);
uint8_t bgp_rules_packs(const struct sink_rules *r, const struct export_question *q,
    const struct export_answer *a, const uint8_t *nlri, uint32_t len);
/* bgp_rules_unsent - what keeps @w from being told of one net, @nlri with its path
 * identifier if @c has them. @a: takes the message. Returns: REASON_NONE: nothing. */
enum reason bgp_rules_unsent(const struct bgp_class *c, enum family fam,
    const struct wire_set *w, const uint8_t *nlri, uint32_t len, struct arena *a);

#endif
