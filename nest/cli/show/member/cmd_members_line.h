/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of a line of `show members`: counts, limits and state of one session, or of
 * the IPv4 session and the IPv6 session of a member. Loop: the session's, under RCU. */
#ifndef TERN_NEST_CLI_SHOW_MEMBER_CMD_MEMBERS_LINE_H
#define TERN_NEST_CLI_SHOW_MEMBER_CMD_MEMBERS_LINE_H

#include "lib/net/prefix.h"
#include "lib/wire/counters.h"
#include "nest/channel/proto.h"
#include "nest/cli/show/route/cmd_filtered.h"

#define MEMBERS_HOURS COUNTERS_HOURS
#define MEMBERS_DAYS  COUNTERS_DAYS

enum members_count {
	MEMBERS_RECEIVED,
	MEMBERS_ACCEPTED,
	MEMBERS_REFUSED, /* filtered */
	MEMBERS_EXPORTED,
	MEMBERS_COUNTS
};

/* How often a session was lost in each of the last 24 hours, and in each of the last 7
 * times 24 hours; the oldest first. The last hour has begun less than an hour ago. Owner:
 * the caller, on the stack. Life: one call. Nothing to free. */
struct members_downs {
	uint32_t hour[MEMBERS_HOURS], day[MEMBERS_DAYS];
	bool in_hours, in_days; /* false: never */
};

/* Routes of one family. Owner and life: embedded in struct member_row and struct
 * members_line; nothing to free. */
struct member_routes {
	bool has; /* the session has the family */
	uint64_t n[MEMBERS_COUNTS];
	uint64_t by[FILTERED_WAYS]; /* of MEMBERS_REFUSED, by enum filtered_way */
};

/* A limit, and the share of the limit in use. Owner and life: embedded in struct
 * member_row and struct members_line; nothing to free. */
struct member_limit {
	const char *kind, *channel; /* kind NULL: no limit */
	uint32_t max;
	uint64_t percent;
};

/* A session. Owner and life: embedded in struct members_line; nothing to free. */
struct member_row {
	const struct proto *p; /* borrowed, under RCU */
	struct proto_member who;
	struct member_routes routes[FAM_CNT];
	struct member_limit limit; /* the limit with the highest use */
};

/* A line: one session, or the IPv4 session and the IPv6 session of a member. Owner: the
 * caller. Lives: until the end of the RCU section; nothing to free. */
struct members_line {
	struct member_row row[2];
	unsigned cnt; /* sessions */
	struct member_routes routes[FAM_CNT];
	struct member_limit limit; /* the limit with the highest use */
};

/* members_line_add - add the session @p, which may be NULL. The sessions of a line have
 * no family in common. */
void members_line_add(struct members_line *l, const struct proto *p);
/* members_line_shown - the session whose state the line has: a session that is not up,
 * else the session that came up last. */
const struct member_row *members_line_shown(const struct members_line *l);
/* members_is_up - is the session up? members_state_text - "up", "down" or "disabled". */
bool members_is_up(const struct proto *p);
const char *members_state_text(const struct proto *p);
/* members_downs - how often the session @p was lost. */
void members_downs(const struct proto *p, struct members_downs *d);

#endif
