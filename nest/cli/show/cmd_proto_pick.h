/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selection and order of the instances of `show protocols`:
 *      [NAME | "pattern"] [where FIELD OP VALUE [and ...]] [sort FIELD]
 * FIELD is name, protocol, state, since, or a count of routes over all channels of the
 * instance (doc/commands.md). Read once, at the start of the command.
 *
 * Owner of the structs: the command. Life: until proto_pick_fini.
 *
 * Loop: the session's, under RCU. */
#ifndef TERN_NEST_CLI_SHOW_CMD_PROTO_PICK_H
#define TERN_NEST_CLI_SHOW_CMD_PROTO_PICK_H

#include "nest/cli/cli_session.h"

struct cmd_names;
struct tern_view;

#define PROTO_PICK_CONDS 8

enum proto_field {
	PROTO_BY_NONE, /* in the order of the file */
	PROTO_BY_NAME,
	PROTO_BY_KIND,
	PROTO_BY_STATE,
	PROTO_BY_SINCE,
	PROTO_BY_ROUTES,
	PROTO_BY_FILTERED,
	PROTO_BY_EXPORTED,
	PROTO_BY_PREFERRED,
	PROTO_BY_STALE,
	PROTO_BY_DIRTY,
};

/* A condition. Owner: struct proto_pick. Freed by: proto_pick_fini. */
struct proto_cond {
	enum proto_field field;
	char op; /* '=', '!' (not equal), '<', '>', 'l' (at most), 'g' (at least) */
	uint64_t num; /* for counts */
	char word[32]; /* for texts */
};

/* A selection. Owner: the command. Freed by: proto_pick_fini. */
struct proto_pick {
	char *pattern; /* NULL: all */
	struct proto_cond cond[PROTO_PICK_CONDS];
	unsigned cond_cnt;
	enum proto_field sort;
};

/* proto_pick_take - read the rest of the command. @all: after `all`. Returns: false: the
 * reply has ended. */
bool proto_pick_take(
    struct cli_session *s, struct cli_scan *sc, struct proto_pick *k, bool all);
void proto_pick_fini(struct proto_pick *k);
/* proto_pick_names - note the selected instances, in order. */
void proto_pick_names(
    const struct proto_pick *k, struct cmd_names *n, const struct tern_view *v);

#endif
