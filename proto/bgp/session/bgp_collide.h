/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two decisions of a session, as pure functions: the connection to keep among two (RFC
 * 4271, 6.8; RFC 6286, 2.3), and the wait after an error. Owner: the session. Life:
 * structs are by value or embedded in the session. Pure functions; any thread. */
#ifndef TERN_PROTO_BGP_SESSION_BGP_COLLIDE_H
#define TERN_PROTO_BGP_SESSION_BGP_COLLIDE_H

#include "proto/bgp/session/bgp_fsm.h"

enum bgp_collision {
	BGP_COLLIDE_NONE, /* go on with both */
	BGP_COLLIDE_THIS, /* dump the connection that the OPEN came on */
	BGP_COLLIDE_OTHER /* dump the other one */
};

/* One side of a session. Owner: the caller; by value: nothing to free. */
struct bgp_speaker {
	uint32_t router_id, as; /* host order */
};

/* bgp_collide - decide a collision when a valid OPEN arrived, before the OPEN becomes an
 * event. @incoming: the peer opened this connection. @other: state of the session's other
 * connection. */
enum bgp_collision bgp_collide(bool incoming, enum bgp_state other,
    struct bgp_speaker local, struct bgp_speaker remote);

/* Waiting after errors. All zeros: no error yet. */
struct bgp_backoff {
	uint32_t wait_s; /* last wait */
	uint64_t last_ns; /* of the last error; 0: none */
};

/* bgp_backoff_next - an error at @now_ns: the wait is @min_s (`error wait time`) at
 * first, and twice the last wait, at most @max_s, if the error comes at most @forget_s
 * (`error forget time`) after the end of the last wait. Returns: seconds to wait. */
uint32_t bgp_backoff_next(struct bgp_backoff *b, uint64_t now_ns, uint32_t min_s,
    uint32_t max_s, uint32_t forget_s);

#endif
