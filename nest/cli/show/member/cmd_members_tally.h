/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of filtered routes for `show members`, beyond the counters of the tables: routes
 * that a pipe refuses, routes with a reason community, and refused routes outside the
 * table.
 *
 * A walk leaves the counts at the channels (nest/channel/channel_tally.h) with a stamp of
 * the facts. A later command walks only tables with changed stamps, so a poll walks no
 * table of a member at rest.
 *
 * Loop: the session's, under RCU. */
#ifndef TERN_NEST_CLI_SHOW_MEMBER_CMD_MEMBERS_TALLY_H
#define TERN_NEST_CLI_SHOW_MEMBER_CMD_MEMBERS_TALLY_H

#include "lib/mem/arena.h"
#include "nest/cli/show/route/cmd_filtered.h"

struct channel;
struct cli_session;
struct filter_thread;
struct proto;
struct reject_memory;

/* The walks of a command. Owner: the command. Lives: from members_tally_init to
 * members_tally_fini. */
struct members_tally {
	struct filtered_index index;
	struct filter_thread *ft;
	struct arena arena;
	/* private: the position */
	unsigned chan; /* finished channels of the present member */
	/* whose refused routes are counted: an identity, which nobody follows; NULL: the
	 * count of a channel has not begun */
	const struct reject_memory *memory;
	bool rejects_done; /* the present channel's memory is finished */
	bool walks;
	uint32_t walk_cnt; /* walks of tables that the command has begun */
	uint64_t table_nr; /* number of the walked table */
	uint64_t stamp; /* at the beginning of the walk */
	uint32_t pos; /* a net id */
	uint32_t bucket; /* of refused routes */
	uint64_t rejects[FILTERED_WAYS]; /* in the ways IMPORT and CHECK */
	/* routes of each source of the table, in the ways PIPE and TAGGED. MEM_OTHER */
	struct members_counts *count;
	uint32_t count_cnt, count_cap;
	/* tables with several peers that the command has walked. MEM_OTHER */
	uint64_t *walked;
	uint32_t walked_cnt, walked_cap;
};

void members_tally_init(struct members_tally *t, struct cli_session *s);
void members_tally_fini(struct members_tally *t);
/* members_tally_proto - count the routes of @p, a member. Returns: false: the step is
 * over; call again for the instance of equal name. */
bool members_tally_proto(
    struct members_tally *t, struct cli_session *s, const struct proto *p);
/* members_tally_skip - the member is gone. */
void members_tally_skip(struct members_tally *t);
/* members_tally_get - the counts of @ch by way. FILTERED_IMPORT and FILTERED_CHECK have
 * the routes outside the table only. */
void members_tally_get(const struct channel *ch, uint64_t by[FILTERED_WAYS]);

#endif
