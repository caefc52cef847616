/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which of two colliding connections stays (RFC 4271, 6.8), and how long a
 * session waits after an error. Any loop: pure functions. */
#include "proto/bgp/session/bgp_collide.h"
#include "sysdep/os/clock.h"

/* collide_local_wins - true if the connection that the local side opened stays. The
 * connection of the higher BGP identifier stays; with equal identifiers the connection
 * of the higher AS (RFC 6286, 2.3). */
static bool
collide_local_wins(struct bgp_speaker local, struct bgp_speaker remote)
{
	if (local.router_id != remote.router_id)
		return local.router_id > remote.router_id;
	return local.as > remote.as;
}

enum bgp_collision
bgp_collide(bool incoming, enum bgp_state other, struct bgp_speaker local,
    struct bgp_speaker remote)
{
	if (other == BGP_ESTABLISHED)
		return BGP_COLLIDE_THIS;
	/* In OPENSENT the peer's identifier is unknown on the other connection, but RFC
	 * 4271, 6.8 allows the use of the identifier known from this connection. The
	 * session waits for the OPEN on the other connection: then both sides decide
	 * about equal pairs of connections. */
	if (other != BGP_OPENCONFIRM)
		return BGP_COLLIDE_NONE;
	if (collide_local_wins(local, remote))
		return incoming ? BGP_COLLIDE_THIS : BGP_COLLIDE_OTHER;
	return incoming ? BGP_COLLIDE_OTHER : BGP_COLLIDE_THIS;
}

uint32_t
bgp_backoff_next(struct bgp_backoff *b, uint64_t now_ns, uint32_t min_s, uint32_t max_s,
    uint32_t forget_s)
{
	uint64_t since = now_ns - b->last_ns;

	if (!b->last_ns || since > forget_s * NS_PER_S + b->wait_s * NS_PER_S)
		b->wait_s = min_s;
	else
		b->wait_s = (uint32_t)min_u64(max_s, 2 * (uint64_t)b->wait_s);
	if (b->wait_s < min_s)
		b->wait_s = min_s;
	b->last_ns = now_ns;
	return b->wait_s;
}
