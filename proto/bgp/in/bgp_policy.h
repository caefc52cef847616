/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of received routes that need the session, not only the octets: what the codec
 * leaves to us. */
#ifndef TERN_PROTO_BGP_BGP_POLICY_H
#define TERN_PROTO_BGP_BGP_POLICY_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/rib/reason.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/in/bgp_link.h"
#include "sysdep/iface/iface.h"

/* So begins why a route is a leak: operators' tools look for it in the log. */
#define BGP_POLICY_LEAK "Route leak detected - "

/* Octets that bgp_policy_default may add. */
#define BGP_POLICY_ROOM 16

/* What the checks look at. */
struct bgp_judge {
	const struct bgp_conf *cf;
	uint32_t router_id, peer_as;
	struct ip_addr local_ip; /* our end of the connection */
	/* our address for routes of the other family; IP_NONE: none */
	struct ip_addr own;
	const struct bgp_link *link; /* NULL: next hops may be anywhere (multihop) */
	const struct iface_list *ifaces; /* which have our addresses; NULL: not known */
	uint32_t link_if; /* of the peer's interface; 0: not known */
	bool no_aigp; /* AIGP is left out (RFC 7311, 3.4.3) */
};

/* bgp_policy_check - may the route with the canonical octets @data enter the import
 * filter? Returns: REASON_NONE, or why not: what was announced before is withdrawn then.
 * Pure. */
enum reason bgp_policy_check(
    const struct bgp_judge *j, const uint8_t *data, uint32_t len);
/* bgp_policy_usable - copy the prefixes among the checked ones @nlri that unicast
 * routes can have: not those of loopback, multicast, link-local and "this host"
 * addresses. With @out NULL only measure; else it has room for all. Returns:
 * octets that stay. Pure. */
uint32_t bgp_policy_usable(
    enum family fam, const struct bgp_nlri *nlri, uint8_t *out, uint32_t *dropped);
/* bgp_policy_default - @data with what the session adds: LOCAL_PREF where there is none
 * (RFC 4271, 5.1.5), OTC where the peer's role wants it (RFC 9234, 5); without AIGP if
 * that isn't wanted. @out has room for @len + BGP_POLICY_ROOM octets. Returns: its
 * length. Pure. */
uint32_t bgp_policy_default(
    const struct bgp_judge *j, const uint8_t *data, uint32_t len, uint8_t *out);

#endif
