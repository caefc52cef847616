/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graceful restart of the daemon at a member: the routes of a lost session
 * (member_stale.c). For member.c. */
#ifndef TERN_TEST_SIM_MEMBER_STALE_H
#define TERN_TEST_SIM_MEMBER_STALE_H

#include "test/sim/member.h"

/* stale_keeps - does the member keep routes of the session that is lost? */
bool stale_keeps(const struct member *m);
/* stale_begin - the session is lost: the routes of each family whose restart was agreed
 * become stale, and the other routes go. */
void stale_begin(struct member *m);
/* stale_back - a session is up: the routes of families that the daemon has not preserved
 * go. */
void stale_back(struct member *m);
/* stale_drop - the stale routes of a family go: End-of-RIB came, or a time is over. */
void stale_drop(struct member *m, bool v6);
/* stale_clear - no route is stale any more; the received routes stay. */
void stale_clear(struct member *m);
/* stale_expire - apply the times that are over. */
void stale_expire(struct member *m);
/* stale_next_ns - when the next time is over; SIM_NEVER: no time runs. */
uint64_t stale_next_ns(const struct member *m);

#endif
