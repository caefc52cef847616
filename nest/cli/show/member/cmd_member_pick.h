/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members that a command concerns: NAME, "pattern" or AS number. Owner: the command,
 * as a plain value. Lives until member_pick_fini. Loop: the session's. */
#ifndef TERN_NEST_CLI_SHOW_MEMBER_CMD_MEMBER_PICK_H
#define TERN_NEST_CLI_SHOW_MEMBER_CMD_MEMBER_PICK_H

#include "lib/base/check.h"

struct cli_scan;
struct cli_session;
struct proto;

/* A selection of members. Owner: the command. Freed by: member_pick_fini. */
struct member_pick {
	char *pattern; /* of names and descriptions; NULL: none. MEM_OTHER */
	uint32_t as; /* 0: none */
};

/* member_pick_take - step over the member, if one is named; @words: words that are no
 * names; ends with NULL. Returns: false: the reply has ended. */
bool member_pick_take(struct cli_session *s, struct cli_scan *sc, struct member_pick *k,
    const char *const *words);
void member_pick_fini(struct member_pick *k);
/* member_pick_is_all - has the command named no member? */
bool member_pick_is_all(const struct member_pick *k);
/* member_pick_wants - is @p a member that the command concerns? Under RCU. */
bool member_pick_wants(const struct member_pick *k, const struct proto *p);

#endif
