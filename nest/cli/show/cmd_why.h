/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why: what became of the routes of a network (cmd_why.c), and how that is
 * told (cmd_why_print.c). */
#ifndef TERN_NEST_CMD_WHY_H
#define TERN_NEST_CMD_WHY_H

#include "lib/base/arena.h"
#include "lib/base/htab.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "nest/cli/show/cmd_route.h"

struct channel;
struct cli_session;
struct export_why;
struct filter_thread;
struct lost_at;
struct net;
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

/* ---- cmd_why_print.c ---- */
/* why_id - the number by which @ch gives @p to its peer. */
uint32_t why_id(const struct why *w, const struct channel *ch, const struct path *p);
/* why_tell - a route. why_tell_to - whether @p, whose source is there, goes to the peer
 * of @ch. */
void why_tell(struct why *w, const struct why_told *t);
void why_tell_to(struct why *w, const struct channel *ch, const struct path *p,
    const struct export_why *y);

#endif
