/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The published state of a session (bgp_show.c) for replies (bgp_reply.c). Functions:
 * any thread, under RCU. */
#ifndef TERN_PROTO_BGP_SHOW_BGP_SNAP_PRIV_H
#define TERN_PROTO_BGP_SHOW_BGP_SNAP_PRIV_H

#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "proto/bgp/session/bgp_state.h"

struct conf_channel;

/* Immutable. Owner: the publishing session. Freed a grace period after its
 * replacement. */
struct bgp_snap {
	struct rcu_node rcu;
	char state[16];
	char error[BGP_ERROR_TEXT + 16]; /* "" : none */
	uint8_t error_kind; /* enum bgp_error_kind */
	char error_text[BGP_ERROR_TEXT]; /* error without the words of its kind */
	uint32_t bad_as; /* as in struct bgp_last_error */
	char limit[BGP_LIMIT_TEXT]; /* as in struct bgp_last_error */
	uint8_t closed; /* as in struct bgp_last_error */
	bool up;
	uint8_t stale, llgr; /* as in struct bgp_restart */
	uint32_t wait_s, retry_s;
	/* while up */
	uint32_t neighbor_id, hold_s, keepalive_s, send_hold_s;
	uint32_t their_hold_s; /* as the peer proposed */
	struct bgp_caps ours, theirs;
	uint32_t peer_as; /* also of the last session; 0: no session yet */
	bool as4;
	struct ip_addr local_ip, other_local, local_ll;
};

/* bgp_snap_next_hop - the next hop that the session sends for changed routes. The session
 * is up. */
struct ip_addr bgp_snap_next_hop(const struct bgp_snap *n, const struct conf_channel *cc);
/* bgp_role_text - of RFC 9234; "unknown". */
const char *bgp_role_text(unsigned role);
/* bgp_llgr_most_s - the longest stale time of all families. */
uint32_t bgp_llgr_most_s(const struct bgp_caps *c);

#endif
