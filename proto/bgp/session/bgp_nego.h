/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agreement of two OPENs: pure functions from configuration and OPENs to the terms
 * of the session and the parameters of the codec (RFC 4271, 4.2 and 6.2; RFC 5492; RFC
 * 4760, 8; RFC 6286; RFC 9234). Pure functions; any thread. */
#ifndef TERN_PROTO_BGP_SESSION_BGP_NEGO_H
#define TERN_PROTO_BGP_SESSION_BGP_NEGO_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"

struct bgp_channel_conf;
struct bgp_conf;
struct conf_channel;
struct conf_proto;

/* The terms of an established session. Owner: the connection. Life: embedded in the
 * connection. */
struct bgp_terms {
	struct bgp_params params;
	uint32_t peer_router_id;
	uint32_t hold_s; /* 0: neither hold nor keepalive timer */
	uint32_t keepalive_s; /* 0 only with hold_s 0 */
	uint32_t send_hold_s; /* 0: off */
	bool refresh; /* the peer accepts ROUTE-REFRESH (RFC 2918) */
	bool enh_refresh; /* with begin and end (RFC 7313) */
	/* FAM_BIT of each family whose sent prefixes have path identifiers; received:
	 * params.ids (RFC 7911) */
	uint8_t ids_tx;
	/* RFC 4724: FAM_BIT of each family whose routes stay when the connection breaks,
	 * for gr_s seconds; of each family that the peer has kept during a restart */
	uint8_t gr_fam, gr_kept;
	uint32_t gr_s;
	/* RFC 8538: routes also stay after NOTIFICATIONs of either side, except a Hard
	 * Reset */
	bool gr_notify;
	/* RFC 9494: the same for when gr_s is over, or is 0 */
	uint8_t llgr_fam, llgr_kept;
	uint32_t llgr_s[FAM_CNT];
	uint8_t err_data[4]; /* what a finding's data may point to */
};

/* bgp_nego_restarts - do we ask the peer to keep the routes of this channel while we
 * restart? bgp_nego_long_lived - for longer (RFC 9494)? */
bool bgp_nego_restarts(const struct bgp_conf *cf, const struct bgp_channel_conf *cc);
bool bgp_nego_long_lived(const struct bgp_conf *cf, const struct bgp_channel_conf *cc);
/* R and F of RFC 4724, 3: the daemon has restarted; the routes that the peer has kept are
 * still valid. */
enum { BGP_OPEN_R = 1, BGP_OPEN_F = 2 };
/* bgp_nego_open - our OPEN; its hostname is empty where it is to be the machine's.
 * @router_id: in force. @with_caps: false after a peer refused optional parameters.
 * @again: BGP_OPEN_*. */
void bgp_nego_open(const struct conf_proto *p, uint32_t router_id, bool with_caps,
    unsigned again, struct bgp_open *out);
/* bgp_nego - @ours and @theirs against the configuration. Returns: BGP_OK, or a RESET
 * with code OPEN, whose data may point into @out. */
struct bgp_err bgp_nego(const struct conf_proto *p, const struct bgp_open *ours,
    const struct bgp_open *theirs, bool with_caps, struct bgp_terms *out);
/* bgp_nego_timers - only those, into @t. */
struct bgp_err bgp_nego_timers(
    const struct bgp_conf *cf, const struct bgp_open *theirs, struct bgp_terms *t);
/* bgp_nego_class - what leaves on channel @c of a session with @t looks like. @local: our
 * address. @from_ibgp: of routes from internal peers, else of all others. */
void bgp_nego_class(const struct conf_proto *p, const struct conf_channel *c,
    const struct bgp_terms *t, struct ip_addr local, bool from_ibgp,
    struct bgp_class *out);
/* bgp_nego_self_hop - the sources (HOP_*) whose routes go out on @c with our address
 * though nobody asked for that: to external peers, without `next hop self` and `next hop
 * keep`. */
uint8_t bgp_nego_self_hop(const struct conf_proto *p, const struct conf_channel *c);
/* bgp_nego_class_hop - change *@c into the class of routes whose next hop stays. */
void bgp_nego_class_hop(const struct conf_proto *p, struct bgp_class *c);

#endif
