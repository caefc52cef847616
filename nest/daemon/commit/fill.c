/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fill of ROA and ASPA tables by a commit: filters that query a table wait until the
 * routes of new and changed static protocols, and their copies behind pipes, are in the
 * index of the table. Without the wait, the first routes of a start would be judged by an
 * empty table, and judged again a second later.
 *
 *      fill_begin  mark the tables, before any instance gets the configuration
 *      fill_ask    ask the static protocols; then ask the pipes as many times as a route
 *                  may pass pipes (proto_ask: a pipe has read everything)
 *      fill_end    the tables have the routes: tell the indices
 *
 * I1  Each fill ends: after FILL_NS at the latest, whatever the instances do. A table
 *     without a changed static protocol or pipe has no fill.
 * I2  A channel of a ROA or ASPA table waits for no fill (channel_rpki.c). So no static
 *     protocol and no pipe waits for its own fill.
 *
 * A table that no cache feeds has all data after its fill: `rpki wait` ends, too.
 *
 * Loop: the control worker's. Tested by test/sim/stories/static_roas.story. */
#include "nest/daemon/control_priv.h"

#include "lib/mem/mem.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/rib/index/rpki_index.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define FILL_NS   (10 * NS_PER_S)
#define PIPES_MAX 4 /* pipes in a row */

/* A ROA or ASPA table of the configuration. */
struct fill_table {
	bool fed; /* a changed static protocol or pipe brings routes */
	bool cached; /* a cache may bring routes */
	struct rpki_fill *fill; /* NULL: not marked */
};

/* A fill. Owner: the control worker; freed when all questions are back. */
struct table_fill {
	struct control_group group; /* first */
	struct control *c;
	struct config_ref *conf; /* a reference */
	struct fill_table *table; /* by conf_table.index */
	unsigned round, rounds; /* rounds of questions to pipes */
};

/* fill_changed - true: the instance of @cf is new, restarts or gets a different
 * configuration. */
static bool
fill_changed(const struct control *c, const struct conf_proto *cf)
{
	const struct instance *in = instance_find(c, cf->name);

	if (cf->disabled)
		return false;
	if (!in || !in->p || in->deleting || in->down)
		return true;
	return c->planned == c->conf->conf ? in->change != 0
					   : conf_proto_diff(in->cf, cf) != 0;
}

/* fill_feed - mark the table of @cf's RPKI channel, and the table at the other end of a
 * pipe. */
static void
fill_feed(struct fill_table *table, const struct conf_proto *cf, bool fed, bool cached)
{
	for (const struct conf_channel *ch = cf->chan; ch; ch = ch->next) {
		if (!ch->is_rpki)
			continue;
		table[ch->table->index].fed |= fed;
		table[ch->table->index].cached |= cached;
	}
}

/* fill_through - copy the marks along the pipes of @conf. Returns: number of pipes of fed
 * tables. */
static unsigned
fill_through(struct fill_table *table, const struct config *conf)
{
	unsigned pipes = 0;
	bool again = true;

	while (again) {
		again = false;
		pipes = 0;
		for (unsigned i = 0; i < conf->proto_cnt; i++) {
			const struct conf_proto *cf = conf->proto[i];
			const struct conf_channel *a = cf->chan;
			const struct fill_table *t, *u;

			if (cf->kind != PROTO_PIPE || !a->is_rpki || cf->disabled)
				continue;
			t = &table[a->table->index];
			u = &table[a->next->table->index];
			pipes += t->fed || u->fed;
			if (t->fed == u->fed && t->cached == u->cached)
				continue;
			fill_feed(table, cf, t->fed || u->fed, t->cached || u->cached);
			again = true;
		}
	}
	return pipes;
}

static void
fill_free(TAKE struct table_fill *fl)
{
	config_ref_put(fl->conf);
	mem_free(MEM_CONFIG, fl->table);
	mem_free(MEM_CONFIG, fl);
}

static void
fill_end(TAKE struct table_fill *fl, bool late)
{
	for (unsigned i = 0; i < fl->conf->conf->table_cnt; i++) {
		struct fill_table *t = &fl->table[i];

		if (t->fill)
			rpki_fill_end(t->fill, !t->cached, late);
	}
	fill_free(fl);
}

/* fill_round - ask the instances of @kind that have a channel of a fed table. Returns:
 * false: no such instance. */
static bool
fill_round(struct table_fill *fl, unsigned kind)
{
	const struct config *conf = fl->conf->conf;
	bool any = false;

	for (unsigned i = 0; i < conf->proto_cnt; i++) {
		const struct conf_proto *cf = conf->proto[i];
		struct instance *in = instance_find(fl->c, cf->name);

		if (cf->kind != kind || cf->disabled || !in || !in->p ||
		    !cf->chan->is_rpki || !fl->table[cf->chan->table->index].fed)
			continue;
		control_wait_group(fl->c, &fl->group, in);
		any = true;
	}
	return any;
}

static void
fill_answered(struct control_group *g, bool late)
{
	struct table_fill *fl = (struct table_fill *)g;

	while (!late && !fl->c->end.stopping && fl->round++ < fl->rounds)
		if (fill_round(fl, PROTO_PIPE))
			return;
	fill_end(fl, late);
}

struct table_fill *
fill_begin(struct control *c, const struct config *conf)
{
	struct fill_table *table = mem_zalloc(
	    MEM_CONFIG, (conf->table_cnt + 1) * sizeof(*table));
	struct table_fill *fl;
	unsigned pipes;
	bool any = false;

	for (unsigned i = 0; i < conf->proto_cnt; i++) {
		const struct conf_proto *cf = conf->proto[i];
		bool brings = cf->kind == PROTO_STATIC || cf->kind == PROTO_PIPE;

		if (!brings && cf->kind != PROTO_RPKI)
			continue;
		fill_feed(table, cf, brings && cf->chan->is_rpki && fill_changed(c, cf),
		    cf->kind == PROTO_RPKI);
	}
	pipes = fill_through(table, conf);
	for (unsigned i = 0; i < conf->table_cnt; i++) {
		struct table_slot *ts = table_find_slot(c, conf->table[i]->name);

		if (table[i].fed && ts && ts->rpki)
			table[i].fill = rpki_fill_begin(ts->rpki);
		any |= table[i].fill != NULL;
	}
	if (!any) {
		mem_free(MEM_CONFIG, table);
		return NULL;
	}
	fl = mem_zalloc(MEM_CONFIG, sizeof(*fl));
	fl->group.done = fill_answered;
	fl->group.until_ns = loop_now_ns(&c->worker) + FILL_NS;
	fl->c = c;
	fl->conf = config_ref_get(c->conf);
	fl->table = table;
	fl->rounds = pipes < PIPES_MAX ? pipes : PIPES_MAX;
	return fl;
}

void
fill_ask(TAKE struct table_fill *fl)
{
	if (!fill_round(fl, PROTO_STATIC))
		fill_answered(&fl->group, false);
}
