/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a peer is asked for all its routes again (ROUTE-REFRESH, RFC 2918) because what
 * filters ask has changed. It costs the peer and us as much as a new session, and ROAs
 * change all day. So a peer is asked
 *
 * - in its turn among others, not all in one second;
 * - once a minute at most, whatever has asked it before;
 * - not while it sends all that it has, because it was asked or is up anew: until its
 *   End-of-RIB, or until nothing has come for REFRESH_QUIET_NS, since many peers send
 *   none; after REFRESH_LONG_NS in any case, or one whose routes always flap would never
 *   be asked.
 *
 * Whatever changes meanwhile is covered by the one question that follows.
 *
 * Times are given by the caller. No loop, no clock. Tests: test_refresh_plan.c. */
#ifndef TERN_NEST_REFRESH_PLAN_H
#define TERN_NEST_REFRESH_PLAN_H

#include "lib/base/base.h"
#include "sysdep/os/clock.h"

#define REFRESH_EVERY_NS (60 * NS_PER_S)
#define REFRESH_QUIET_NS (5 * NS_PER_S)
#define REFRESH_LONG_NS  (300 * NS_PER_S)

struct refresh_plan {
	/* private */
	bool wanted, runs, asked;
	uint64_t turn_ns; /* wanted, but not before */
	uint64_t began_ns, heard_ns; /* if it runs: began, had a route last */
	uint64_t asked_ns; /* if it was, in this session */
};

/* refresh_plan_up - a session begins: the peer sends all that it has. */
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

/* refresh_plan_asked - for whatever reason. */
static inline void
refresh_plan_asked(struct refresh_plan *p, uint64_t now_ns)
{
	refresh_plan_up(p, now_ns);
	p->asked = true;
	p->asked_ns = now_ns;
}

/* refresh_plan_runs - does the peer still send what it was asked for? */
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
		p->runs = false; /* that was its end */
	p->heard_ns = now_ns;
}

/* refresh_plan_end - End-of-RIB came. */
static inline void
refresh_plan_end(struct refresh_plan *p)
{
	p->runs = false;
}

/* refresh_plan_due - when to ask, as far as is known now: a route that comes may put it
 * off. UINT64_MAX: nothing is wanted. */
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
