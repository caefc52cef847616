/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filtered routes. A route of a BGP peer counts as filtered in one of four ways:
 *
 *   import   the import filter or a limit refuses the route
 *   tagged   the import accepts the route, and the route has a community of `filtered
 *            communities`
 *   pipe     the import accepts the route, and the pipe of the member's table to the
 *            shared table refuses the route
 *   check    an import check refuses the route, before any filter
 *
 * A member's table has a single pipe, and all its BGP protocols have the same peer AS.
 * The first fitting way counts. `show members`, `show route why` and `show route filtered
 * reasons` ask here, so the commands agree.
 *
 * Owner of all structs: the command, which frees the index with filtered_index_fini.
 * Lives: for the command; a struct filtered_look only for a step.
 *
 * In the session's loop, under RCU. */
#ifndef TERN_NEST_CLI_SHOW_ROUTE_CMD_FILTERED_H
#define TERN_NEST_CLI_SHOW_ROUTE_CMD_FILTERED_H

#include "lib/mem/arena.h"
#include "nest/channel/channel.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/conf/file/comm_words.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"

struct cli_session;
struct filter_thread;
struct net;
struct override;
struct path;
struct reply;
struct strbuf;
struct table;
struct tern_view;

enum filtered_way {
	FILTERED_NOT,
	FILTERED_IMPORT,
	FILTERED_TAGGED,
	FILTERED_PIPE,
	FILTERED_CHECK,
	FILTERED_WAYS
};

/* The cause why a route counts as filtered. */
struct filtered {
	enum filtered_way way;
	struct comm_of comm; /* TAGGED */
	struct reject_at at; /* IMPORT, from filtered_refused; CHECK */
	const struct channel *pipe; /* PIPE: the channel that reads the member's table */
	struct export_why why; /* PIPE */
};

/* The tables of members in a configuration. */
struct filtered_index {
	const struct config *conf; /* outlives the index */
	struct filtered_table *table; /* by conf_table.index. MEM_OTHER */
};

/* A table, with the pipe and the peers that use the table. Owner: struct filtered_index.
 * Freed by: filtered_index_fini. */
struct filtered_table {
	const struct conf_proto *pipe; /* the table's single pipe; NULL: no pipe */
	/* pipes and BGP protocols of the table; `neighbor range` counts as two peers, as
	 * the range may have any number of members */
	uint32_t pipes, peers;
	uint32_t as; /* of the peers; 0: several */
};

void filtered_index_init(struct filtered_index *x, const struct config *conf);
void filtered_index_fini(struct filtered_index *x);
/* filtered_table_of - the entry of @t; NULL: the configuration has no table of the
 * name. */
const struct filtered_table *filtered_table_of(
    const struct filtered_index *x, const struct table *t);
/* filtered_pipe - the channel of the pipe that reads the member's table @t. *@adopted:
 * the pipe has the configuration of @x. Returns: NULL: @t is no member's table, or the
 * pipe does not exist yet. */
const struct channel *filtered_pipe(const struct filtered_index *x,
    const struct tern_view *v, const struct table *t, bool *adopted);

/* Context for looking at the routes of a table, in a step. */
struct filtered_look {
	const struct config *conf;
	const struct tern_view *view;
	const struct table *table;
	const struct channel *pipe; /* filtered_pipe */
	struct filter_thread *ft;
	struct arena *arena; /* reset by each look */
};

/* filtered_get - the way in which @p, of @n, is filtered. */
enum filtered_way filtered_get(const struct filtered_look *l, const struct net *n,
    const struct path *p, struct filtered *out);
/* filtered_refused - fill @out->at: the line at which the import filter refuses @p now;
 * if the filter would accept @p, the limit that has refused @p. @comms: gets the text of
 * the added communities. */
void filtered_refused(const struct filtered_look *l, const struct net *n,
    const struct path *p, struct filtered *out, struct strbuf *comms);
/* filtered_accepted_by - the override by which @p, of @n, has passed although the import
 * filter refuses @p; NULL: none. If the channel keeps no routes before policy, the filter
 * decides about the set in the table, and *@after is true: an override passes the
 * received attributes, but a filter that accepts the route may have changed them. */
const struct override *filtered_accepted_by(const struct filtered_look *l,
    const struct net *n, const struct path *p, bool *after);
/* filtered_way_of - the way of a refusal for @r: IMPORT or CHECK; NOT: of another stage.
 * Pure. */
enum filtered_way filtered_way_of(enum reason r);
/* filtered_unkept - the way in which the route of @r from @ch counts as filtered: IMPORT
 * or CHECK; NOT if the channel has accepted or kept the route since. The table of @ch
 * does not keep the route. */
enum filtered_way filtered_unkept(const struct channel *ch, const struct reject *r);
/* filtered_key - the word for JSON; FILTERED_NOT: NULL. */
const char *filtered_key(enum filtered_way w);
/* filtered_reply_way - the way; in the text "filtered, tagged (65000, 1101, 3): bogon
 * prefix", or nothing for IMPORT and CHECK. filtered_reply_at - the place of a refusal
 * and the words of the filter: " by filter f_in at rs.conf:17: text; adds
 * (65000, 1101, 7) (path too long)", or ", own AS in the path"; JSON lacks the reason.
 * filtered_reply - both, for a route of `show route filtered`. */
void filtered_reply_way(
    struct reply *r, const struct config *c, const struct filtered *f);
void filtered_reply_at(
    struct reply *r, const struct config *c, const struct reject_at *at);
void filtered_reply(struct reply *r, const struct config *c, const struct filtered *f);

/* ---- cmd_filtered_roa.c ---- */
/* filtered_reply_roas - JSON: put the members `roa_state` and, if the state is invalid,
 * `roas`: what the ROA tables say about the route of @net with the origin @as. @as 0:
 * nothing. */
void filtered_reply_roas(
    struct reply *r, const struct tern_view *v, const struct prefix *net, uint32_t as);

#endif
