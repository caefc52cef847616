/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time to ask a peer for all its routes again (ROUTE-REFRESH, RFC 2918), after a
 * change of tables that filters query. A refresh costs both sides as much as a new
 * session, and ROAs change all day. So a peer is asked
 *
 * - in its turn among all peers, not all peers in one second;
 * - at most once a minute, counting all requests;
 * - not while it sends all its routes, after a request or the start of the session: until
 *   its End-of-RIB, or until no route came for REFRESH_QUIET_NS, since many peers send no
 *   End-of-RIB; at the latest after REFRESH_LONG_NS, because the routes of a peer may
 *   always flap.
 *
 * One request covers all changes before it.
 *
 * The caller gives times. Loop: the session's. Tests: test_refresh_plan.c. */
#ifndef TERN_NEST_CHANNEL_IMPORT_REFRESH_PLAN_H
#define TERN_NEST_CHANNEL_IMPORT_REFRESH_PLAN_H

#include "lib/base/base.h"
#include "sysdep/os/clock.h"

#define REFRESH_EVERY_NS (60 * NS_PER_S)
#define REFRESH_QUIET_NS (5 * NS_PER_S)
#define REFRESH_LONG_NS  (300 * NS_PER_S)

/* A plan. Embedded in the channel, which owns it; lives as long. */
struct refresh_plan {
	/* private */
	bool wanted, runs, asked;
	uint64_t turn_ns; /* with wanted: earliest time */
	uint64_t began_ns, heard_ns; /* with runs: start, and time of the last route */
	uint64_t asked_ns; /* with asked: time of the last request of the session */
};

/* refresh_plan_up - a session begins: the peer sends all its routes. */
static inline void
refresh_plan_up(struct refresh_plan *p, uint64_t now_ns)
{
	*p = (struct refresh_plan){
		.runs = true, .began_ns = now_ns, .heard_ns = now_ns
	};
}

/* refresh_plan_want - ask, at @turn_ns or later. */
static inline void
refresh_plan_want(struct refresh_plan *p, uint64_t turn_ns)
{
	if (!p->wanted)
		p->turn_ns = turn_ns;
	p->wanted = true;
}

/* refresh_plan_asked - a request was sent, for any reason. */
static inline void
refresh_plan_asked(struct refresh_plan *p, uint64_t now_ns)
{
	refresh_plan_up(p, now_ns);
	p->asked = true;
	p->asked_ns = now_ns;
}

/* refresh_plan_runs - true: the peer still sends the requested routes. */
static inline bool
refresh_plan_runs(const struct refresh_plan *p, uint64_t now_ns)
{
	return p->runs && now_ns < min_u64(p->heard_ns + REFRESH_QUIET_NS,
				       p->began_ns + REFRESH_LONG_NS);
}

/* refresh_plan_heard - a route came. */
static inline void
refresh_plan_heard(struct refresh_plan *p, uint64_t now_ns)
{
	if (now_ns - p->heard_ns >= REFRESH_QUIET_NS)
		p->runs = false; /* the quiet time ended the run */
	p->heard_ns = now_ns;
}

/* refresh_plan_end - End-of-RIB came. */
static inline void
refresh_plan_end(struct refresh_plan *p)
{
	p->runs = false;
}

/* refresh_plan_due - time of the next request; later routes may delay it. UINT64_MAX: no
 * request is wanted. */
static inline uint64_t
refresh_plan_due(const struct refresh_plan *p)
{
	uint64_t at = p->turn_ns;

	if (!p->wanted)
		return UINT64_MAX;
	if (p->asked)
		at = max_u64(at, p->asked_ns + REFRESH_EVERY_NS);
	if (p->runs)
		at = max_u64(at, min_u64(p->heard_ns + REFRESH_QUIET_NS,
				     p->began_ns + REFRESH_LONG_NS));
	return at;
}

#endif
