/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the sessions of `show members`, and which two sessions share a line: the
 * IPv4 session and the IPv6 session of a member. Loop: the session's, under RCU. */
#ifndef TERN_NEST_CLI_SHOW_MEMBER_CMD_MEMBERS_JOIN_H
#define TERN_NEST_CLI_SHOW_MEMBER_CMD_MEMBERS_JOIN_H

#include "nest/cli/cmd_names.h"

/* The sessions in the order of the lines. Owner: the command's job. Freed by:
 * members_join_fini. */
struct members_join {
	struct cmd_names names;
	bool
	    *with_next; /* the session shares its line with the next session. MEM_OTHER */
	/* the instances of `names`, in the call that made the list only. MEM_OTHER */
	const struct proto **proto;
};

/* members_join_init - list the instances of @v for which @wanted returns true. An IPv4
 * session precedes the IPv6 session of its line. */
void members_join_init(struct members_join *j, const struct tern_view *v,
    bool (*wanted)(const struct proto *p, const void *arg), const void *arg);
void members_join_fini(struct members_join *j);

#endif
