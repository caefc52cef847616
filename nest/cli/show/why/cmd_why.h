/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why: the state of the routes of a network (cmd_why.c), refusals in further
 * tables (cmd_why_tables.c), and the printers (cmd_why_print.c).
 *
 * Owner of the structs: the command, on the stack. Life: one step, under RCU.
 *
 * Loop: the session's, under RCU. */
#ifndef TERN_NEST_CLI_SHOW_WHY_CMD_WHY_H
#define TERN_NEST_CLI_SHOW_WHY_CMD_WHY_H

#include "lib/base/htab.h"
#include "lib/json/json.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/core/reply.h"

struct attr_edit;
struct attr_set;
struct attr_store;
struct channel;
struct cli_session;
struct export_why;
struct filter_thread;
struct lost_at;
struct net;
struct overlay;
struct override;
struct path;
struct table;
struct wire_set;

#define WHY_WITH_MAX 32 /* communities of each kind */

/* Communities to try in place of the communities of a route, canonical octets. Owner:
 * struct why. Life: the command. */
struct why_with {
	bool given;
	uint8_t std[4 * WHY_WITH_MAX], large[12 * WHY_WITH_MAX];
	uint32_t std_len, large_len;
};

/* The query, with resources for the answer. */
struct why {
	struct cli_session *s;
	struct route_query q; /* the net */
	char *from, *to, *table_name; /* NULL: not given */
	struct why_with with;
	const struct table *table;
	const struct net *net; /* NULL: the table has no such net */
	const struct table *titled; /* table named by the last title */
	struct filter_thread *ft;
	struct arena arena;
	struct strbuf comms; /* for filtered_refused */
	struct filtered_index members; /* tables of members */
	uint32_t explained;
	/* reported or present routes of the table: by source and identifier */
	struct htab seen;
	struct arena seen_nodes;
};

/* A report; members that are NULL or 0 do not apply. */
struct why_explained {
	const char *proto;
	struct ip_addr from;
	uint32_t rid;
	const char *fate; /* for JSON */
	const struct lost_at *lost;
	const struct reject_at *at; /* the refusal */
	const struct filtered *filtered;
	const struct override *by; /* accepts the route against the import filter */
	bool by_after; /* the filter was asked about the route after policy */
	/* NULL: unknown; a refused or filtered route has the attributes in JSON */
	const struct wire_set *wire;
};

/* ---- cmd_why_find.c ---- */
/* why_path - report the state of @p of w->table. why_rejects - report the refused routes
 * remembered by @ch of w->table. Both skip reported routes. */
void why_path(struct why *w, const struct path *p);
void why_rejects(struct why *w, const struct channel *ch);
/* why_see_nothing - forget reported routes: feeders of another table have other numbers.
 * why_see_live - note the present routes of the table as reported. */
void why_see_nothing(struct why *w);
void why_see_live(struct why *w);
/* why_filtered - the way in which @p, of w->table, is filtered. */
enum filtered_way why_filtered(struct why *w, const struct path *p, struct filtered *out);
/* why_is_asked - true: the query covers routes of @proto. */
bool why_is_asked(const struct why *w, const char *proto);
/* why_decide - would @ch send @p, with the communities of the query, to its peer? @own:
 * an own route of the peer is better.
 * Returns: false: the source of @p is gone. */
bool why_decide(struct why *w, const struct channel *ch, const struct path *p, bool own,
    struct export_why *y);

/* ---- cmd_why_tables.c ---- */
/* why_tables - report refusals on the way into @asked through further tables and pipes.
 * @o: of @asked; NULL: no overlay. Changes w->table. */
void why_tables(struct why *w, const struct table *asked, const struct overlay *o);

/* why_channel_for - the channel of the protocol @proto for networks of the kind of the
 * query, in @t; NULL: in any table. Returns: NULL: none. */
const struct channel *why_channel_for(
    const struct why *w, const char *proto, const struct table *t);

/* ---- cmd_why_with.c ---- */
/* why_edit_with - replace the communities of @e by those of the query. Returns: 0, or a
 * negative errno: too long. */
MUST_CHECK int why_edit_with(const struct why_with *with, struct attr_edit *e);
/* why_tried_set - @set with the communities of the query, in @store and w->arena.
 * Returns: NULL: too long. */
OWNED struct attr_set *why_tried_set(
    struct why *w, struct attr_store *store, const struct attr_set *set);

/* ---- cmd_why_any.c ---- */
/* why_any - report for each channel of the protocol `to` whether a route of any network
 * with the communities of the query goes to the peer. */
void why_any(struct why *w);

/* ---- cmd_why_match.c ---- */
/* Lengths of networks. Owner: the caller, on the stack: nothing to free. */
struct why_lens {
	unsigned most; /* the length of the network of the query */
	bool known[128 + 1]; /* by length */
};

/* why_match_lens - the lengths of the networks that contain the network of the query, are
 * not shorter than the longest accepted network of @asked, and may have routes. */
void why_match_lens(const struct why *w, const struct table *asked, struct why_lens *out);

/* ---- cmd_why_remedy.c ---- */
/* The remedy for a report, which follows from the JSON of the report. Owner: the
 * command, on the stack. Life: one report. Freed by: why_remedy_reply. */
struct why_remedy {
	struct strbuf text; /* the report, then the remedy; "": none */
	struct json json;
	struct reply reply;
};

/* why_remedy_begin - begin a report of the type @type, in JSON, whatever the form of the
 * session. why_remedy_end - the report is whole. why_remedy_reply - add the remedy to the
 * report @r, which is at the start of a line, and free @m. */
struct reply *why_remedy_begin(struct why_remedy *m, const char *type);
void why_remedy_end(struct why_remedy *m);
void why_remedy_reply(struct why_remedy *m, struct reply *r);

/* ---- cmd_why_print.c ---- */
/* why_title - print table and net, unless the text of the reply already names the
 * table. */
void why_title(struct why *w);
/* why_id - the table's id under which @ch keeps the state of @p at its peer: the id of
 * the path if @ch sends all allowed routes of a net, else the id of w->net. */
uint32_t why_id(const struct why *w, const struct channel *ch, const struct path *p);
/* why_explain - report a route. why_explain_to - report whether @ch sends @p, whose
 * source exists. */
void why_explain(struct why *w, const struct why_explained *t);
void why_explain_to(struct why *w, const struct channel *ch, const struct path *p,
    const struct export_why *y);
/* why_reply_attributes - JSON alone: the attributes of a route that is kept back. NULL:
 * none. */
void why_reply_attributes(struct reply *r, const struct wire_set *wire);
/* why_reply_bar - "not sent, community NO_EXPORT", or "refused by filter f at rs.conf:9";
 * JSON: the place in the filter, without the reason. why_reply_verdict - the same, JSON
 * with the reason. @y: its reason is not REASON_NONE. */
void why_reply_bar(struct reply *r, const struct config *c, const struct export_why *y);
void why_reply_verdict(
    struct reply *r, const struct config *c, const struct export_why *y);

#endif
