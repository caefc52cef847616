/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why: what became of the routes of a network (cmd_why.c), what kept routes of
 * other tables back (cmd_why_tables.c), and how that is told (cmd_why_print.c). */
#ifndef TERN_NEST_CMD_WHY_H
#define TERN_NEST_CMD_WHY_H

#include "lib/base/htab.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "nest/cli/show/route/cmd_route.h"

struct channel;
struct cli_session;
struct export_why;
struct filter_thread;
struct lost_at;
struct net;
struct overlay;
struct path;
struct reject_at;
struct table;

/* What is asked, and what it takes to answer. */
struct why {
	struct cli_session *s;
	struct route_query q; /* the net */
	char *from, *to, *table_name; /* NULL: not said */
	const struct table *table;
	const struct net *net; /* NULL: the table has nothing of it */
	const struct table *titled; /* the table that the last title names */
	struct filter_thread *ft;
	struct arena arena;
	struct strbuf comms; /* of find_line */
	uint32_t told;
	/* routes of the table that were told, or are there: by source and identifier */
	struct htab seen;
	struct arena seen_nodes;
};

/* Members that are NULL, or 0, don't apply. */
struct why_told {
	const char *proto;
	struct ip_addr from;
	uint32_t rid;
	const char *fate; /* in JSON */
	const struct lost_at *lost;
	const struct reject_at *at; /* why it was refused */
};

/* ---- cmd_why.c ---- */
/* why_path - tell what became of @p, of w->table. why_rejects - tell the routes of which
 * @ch, of w->table, remembers that they were refused. Neither tells a route twice. */
void why_path(struct why *w, const struct path *p);
void why_rejects(struct why *w, const struct channel *ch);
/* why_see_nothing - no route was told: feeders of another table have other numbers.
 * why_see_live - the routes that the table has by now count as told. */
void why_see_nothing(struct why *w);
void why_see_live(struct why *w);
/* why_is_asked - is the command about routes of @proto? */
bool why_is_asked(const struct why *w, const char *proto);
/* why_decide - does @p go to the peer of @ch? @own: a route of the peer's own is better.
 * Returns: false: the source of @p has gone. */
bool why_decide(struct why *w, const struct channel *ch, const struct path *p, bool own,
    struct export_why *y);

/* ---- cmd_why_tables.c ---- */
/* why_tables - tell what was refused on its way into @asked through another table and a
 * pipe. @o: of @asked; NULL: @asked is no overlay. w->table is another one afterwards. */
void why_tables(struct why *w, const struct table *asked, const struct overlay *o);

/* ---- cmd_why_print.c ---- */
/* why_title - table and net, if the text of the reply does not name the table yet. */
void why_title(struct why *w);
/* why_id - the number by which @ch gives @p to its peer. */
uint32_t why_id(const struct why *w, const struct channel *ch, const struct path *p);
/* why_tell - a route. why_tell_to - whether @p, whose source is there, goes to the peer
 * of @ch. */
void why_tell(struct why *w, const struct why_told *t);
void why_tell_to(struct why *w, const struct channel *ch, const struct path *p,
    const struct export_why *y);

#endif
