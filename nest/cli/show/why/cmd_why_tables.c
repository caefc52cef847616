/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why: a member with its own table announces a route, and the member's import
 * or the pipe to the common table refuses the route, without trace in the common table.
 * The reply reports the refusals of each table whose routes come into the queried table,
 * through one or several pipes.
 *
 * Accepted routes of such a table are not reported unless the routes count as filtered:
 * the queried table shows their state.
 *
 * In the session's loop, under RCU. Tested by test/net/test_filtered.py. */
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "nest/channel/channel.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/why/cmd_why.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/reason.h"
#include "nest/core/tern.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table/path_why.h"

/* A channel of a table. Owner: struct feeding. Freed by: the arena. */
struct feeding_channel {
	struct feeding_channel *next;
	const struct proto *proto;
	const struct channel *ch;
};

/* The queried table, or a table whose routes come into it. Owner: struct feeding. Freed
 * by: the arena. */
struct feeding_table {
	struct htab_node node;
	struct feeding_table *next; /* in the order of the distance */
	const struct table *table;
	unsigned pipes; /* pipes on the shortest way into the queried table */
	struct feeding_channel *first, **last;
};

/* Owner: one command. */
struct feeding {
	struct why *w;
	const struct tern_view *v;
	const struct table *asked;
	const struct overlay *over; /* of asked */
	struct arena arena;
	struct htab tables; /* struct feeding_table */
	struct feeding_table *first, **last;
};

/* tables_feeding_find - @t: NULL: is in no list. */
static struct feeding_table *
tables_feeding_find(const struct feeding *f, const struct table *t)
{
	struct feeding_table *ft;
	struct htab_node *n;

	if (!t)
		return NULL;
	htab_each_same (n, &f->tables, hash_u64(0, table_number(t))) {
		ft = container_of(n, struct feeding_table, node);
		if (ft->table == t)
			return ft;
	}
	return NULL;
}

static void
tables_feeding_add(struct feeding *f, const struct table *t, unsigned pipes)
{
	struct feeding_table *ft = arena_alloc(&f->arena, sizeof(*ft));

	*ft = (struct feeding_table){ .table = t, .pipes = pipes };
	ft->last = &ft->first;
	*f->last = ft;
	f->last = &ft->next;
	htab_add(&f->tables, &ft->node, hash_u64(0, table_number(t)));
}

/* tables_pipe_other - table on the other side of @ch; NULL: @p is no pipe. */
static const struct table *
tables_pipe_other(const struct proto *p, const struct channel *ch)
{
	if (p->cls->conf->kind != PROTO_PIPE)
		return NULL;
	for (const struct channel *c = proto_first_channel(p); c; c = channel_after(p, c))
		if (c != ch)
			return channel_table(c);
	return NULL;
}

/* tables_feeding_widen - add the tables that are one pipe further away than the tables at
 * distance @pipes. Returns: false: no table is new. */
static bool
tables_feeding_widen(struct feeding *f, unsigned pipes)
{
	const struct feeding_table *to;
	bool more = false;

	for (uint32_t i = 0; i < f->v->proto_cnt; i++) {
		const struct proto *p = f->v->proto[i];

		for (const struct channel *ch = proto_first_channel(p); ch;
		     ch = channel_after(p, ch)) {
			to = tables_feeding_find(f, tables_pipe_other(p, ch));
			if (!to || to->pipes != pipes ||
			    tables_feeding_find(f, channel_table(ch)))
				continue;
			tables_feeding_add(f, channel_table(ch), pipes + 1);
			more = true;
		}
	}
	return more;
}

/* why_is_absent - true: the queried table lacks the route @p of a member's table. */
static bool
why_is_absent(struct why *w, const struct path *p)
{
	struct filtered f;
	struct lost_at lost;

	return path_why(&lost, w->table, w->net, p) == PATH_REFUSED ||
	       why_filtered(w, p, &f) != FILTERED_NOT;
}

/* why_explain_imports - report the filtered routes of @ch. */
static void
why_explain_imports(struct why *w, const struct channel *ch)
{
	uint32_t src = channel_source_id(ch);

	why_see_nothing(w);
	for (const struct path *p = w->net ? net_first(w->net) : NULL; p;
	     p = path_next(p))
		if (path_src(p) == src && why_is_absent(w, p))
			why_path(w, p);
	why_see_live(w);
	why_rejects(w, ch);
}

/* why_explain_pipe - report the best route of the table, if the pipe reads the table by
 * @ch and refuses the route. */
static void
why_explain_pipe(struct feeding *f, const struct channel *ch)
{
	const struct path *p = f->w->net ? net_best(f->w->net) : NULL;
	const struct route_source *src = p ? path_facts(f->w->table, p) : NULL;
	struct export_why y;

	if (src && why_is_asked(f->w, src->proto) && why_decide(f->w, ch, p, false, &y) &&
	    y.reason && y.reason != REASON_OWN)
		why_explain_to(f->w, ch, p, &y);
}

static void
why_explain_channel(
    struct feeding *f, const struct feeding_table *from, const struct feeding_channel *c)
{
	const struct feeding_table *to = tables_feeding_find(
	    f, tables_pipe_other(c->proto, c->ch));

	if (why_is_asked(f->w, c->proto->name))
		why_explain_imports(f->w, c->ch);
	if (to && to->pipes < from->pipes)
		why_explain_pipe(f, c->ch);
}

/* why_explain_feeding - report all refusals of a table together, wherever the protocols
 * of the table stand in the configuration. */
static void
why_explain_feeding(struct feeding *f, const struct feeding_table *from)
{
	/* the reply already has the routes of the table and of its base */
	if (from->table == f->asked || (f->over && from->table == f->over->base))
		return;
	f->w->table = from->table;
	f->w->net = table_find_nlri(from->table, &f->w->q.net);
	for (const struct feeding_channel *c = from->first; c; c = c->next)
		why_explain_channel(f, from, c);
}

/* tables_feeding_channels - list the channels of each table. */
static void
tables_feeding_channels(struct feeding *f)
{
	struct feeding_channel *c;
	struct feeding_table *t;

	for (uint32_t i = 0; i < f->v->proto_cnt; i++) {
		for (const struct channel *ch = proto_first_channel(f->v->proto[i]); ch;
		     ch = channel_after(f->v->proto[i], ch)) {
			t = tables_feeding_find(f, channel_table(ch));
			if (!t)
				continue;
			c = arena_alloc(&f->arena, sizeof(*c));
			*c = (struct feeding_channel){ .proto = f->v->proto[i],
				.ch = ch };
			*t->last = c;
			t->last = &c->next;
		}
	}
}

void
why_tables(struct why *w, const struct table *asked, const struct overlay *o)
{
	struct feeding f = {
		.w = w, .v = tern_view_get(w->s->tern), .asked = asked, .over = o
	};

	f.last = &f.first;
	arena_init(&f.arena, MEM_OTHER, 4096);
	htab_init_arena(&f.tables, &f.arena);
	tables_feeding_add(&f, asked, 0);
	for (unsigned pipes = 0; tables_feeding_widen(&f, pipes); pipes++)
		;
	tables_feeding_channels(&f);
	for (const struct feeding_table *t = f.first; t; t = t->next)
		why_explain_feeding(&f, t);
	arena_fini(&f.arena);
}
