/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of received routes that need the session besides the octets; the codec leaves
 * these checks to the session. Pure functions; any thread. */
#ifndef TERN_PROTO_BGP_IN_BGP_POLICY_H
#define TERN_PROTO_BGP_IN_BGP_POLICY_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/core/reason.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/in/bgp_link.h"
#include "sysdep/iface/iface.h"

/* So begins why a route is a leak: operators' tools look for it in the log. */
#define BGP_POLICY_LEAK "Route leak detected - "

/* Octets that bgp_policy_default may add. */
#define BGP_POLICY_ROOM 16

/* The inputs of the checks. Owner: the session. Life: on the stack; the pointers are
 * borrowed. */
struct bgp_judge {
	const struct bgp_conf *cf;
	uint32_t router_id, peer_as;
	struct ip_addr local_ip; /* the local end of the connection */
	/* the local address for routes of the other family; IP_NONE: none */
	struct ip_addr other_local;
	const struct bgp_link *link; /* NULL: next hops may be anywhere (multihop) */
	const struct iface_list *ifaces; /* with the local addresses; NULL: not known */
	uint32_t link_if; /* of the peer's interface; 0: not known */
	bool no_aigp; /* AIGP is left out (RFC 7311, 3.4.3) */
};

/* bgp_policy_check - may the route with the canonical octets @data enter the import
 * filter? Returns: REASON_NONE, or why not: what was announced before is withdrawn then.
 * Pure. */
enum reason bgp_policy_check(
    const struct bgp_judge *j, const uint8_t *data, uint32_t len);
/* bgp_policy_usable - copy the prefixes of the checked @nlri that unicast routes can
 * have: without loopback, multicast, link-local and "this host" prefixes. @out: NULL:
 * only measure; else room for all prefixes. Returns: octets of the copied prefixes.
 * Pure. */
uint32_t bgp_policy_usable(
    enum family fam, const struct bgp_nlri *nlri, uint8_t *out, uint32_t *dropped);
/* bgp_policy_default - copy @data with the attributes that the session adds: LOCAL_PREF
 * if absent (RFC 4271, 5.1.5), OTC if the peer's role demands OTC (RFC 9234, 5); and
 * without AIGP with no_aigp. @out has room for @len + BGP_POLICY_ROOM octets. Returns:
 * the new length. Pure. */
uint32_t bgp_policy_default(
    const struct bgp_judge *j, const uint8_t *data, uint32_t len, uint8_t *out);

#endif
