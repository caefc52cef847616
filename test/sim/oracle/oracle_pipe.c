/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipes: each route of a table passes to the other table, unless a filter refuses the
 * route or the route has been in the other table (doc/language.md, protocol pipe). */
#include "test/sim/oracle/oracle_model.h"

#include "proto/pipe/pipe.h"

/* One direction of a pipe. */
struct oracle_pipe {
	const struct conf_proto *p;
	struct oracle_table *from, *to;
	const struct filter *policy;
	const struct prefix *in; /* NULL: all networks */
	const struct conf_limit *limit;
	unsigned fed;
};

static bool
pipe_has_been(const struct oracle_route *r, const struct oracle_table *t)
{
	for (unsigned i = 0; i < r->way_cnt; i++)
		if (r->way[i] == t)
			return true;
	return false;
}

/* pipe_pass - a route with a doubt passes, because the route may exist. */
static void
pipe_pass(struct oracle *o, struct oracle_pipe *d, const struct oracle_route *r)
{
	const struct pipe_conf *pc = d->p->opt;
	struct oracle_route out = *r;

	if ((r->refused && !r->doubt) || pipe_has_been(r, d->to) ||
	    r->way_cnt > pc->max_generation || r->way_cnt == ORACLE_WAY_MAX ||
	    (d->in && !prefix_contains(d->in, &r->net)))
		return;
	if (!r->refused &&
	    !oracle_filter(o, d->policy, &r->net, r->source, &out.set, &out.doubt) &&
	    !out.doubt)
		return;
	out.by = d->p;
	out.way[out.way_cnt++] = d->to;
	d->fed++;
	if (d->limit->action > LIMIT_WARN && d->fed > d->limit->max)
		out.doubt = DOUBT_LIMIT;
	oracle_add(d->to, &out);
}

static void
pipe_both(const struct oracle *o, const struct conf_proto *p, struct oracle_pipe d[2])
{
	const struct pipe_conf *pc = p->opt;

	d[0] = (struct oracle_pipe){ p, oracle_table_of(o, pc->table),
		oracle_table_of(o, pc->peer), pc->export,
		pc->has_export_in ? &pc->export_in : NULL, &pc->export_limit, 0 };
	d[1] = (struct oracle_pipe){ p, oracle_table_of(o, pc->peer),
		oracle_table_of(o, pc->table), pc->import,
		pc->has_import_in ? &pc->import_in : NULL, &pc->import_limit, 0 };
}

/* oracle_pipes - all tables at once, again and again, until no table gets a new route. */
void
oracle_pipes(struct oracle *o)
{
	struct oracle_pipe *d = arena_zalloc(
	    &o->arena, 2 * (o->conf->proto_cnt + 1) * sizeof(*d));
	unsigned cnt = 0, *until;
	bool again = true;

	for (unsigned i = 0; i < o->conf->proto_cnt; i++) {
		const struct conf_proto *p = o->conf->proto[i];
		const struct pipe_conf *pc = p->opt;

		if (p->kind != PROTO_PIPE || p->disabled ||
		    conf_kind_is_rpki(pc->table->kind))
			continue;
		pipe_both(o, p, d + cnt);
		cnt += 2;
	}
	until = arena_zalloc(&o->arena, (o->conf->table_cnt + 1) * sizeof(*until));
	for (unsigned n = 0; n < cnt; n++)
		for (unsigned i = 0; i < cnt; i++)
			d[i].to->is_unsure |= d[i].from->is_unsure;
	while (again) {
		again = false;
		for (unsigned i = 0; i < o->conf->table_cnt; i++)
			until[i] = o->table[i].cnt;
		for (unsigned i = 0; i < cnt; i++)
			for (unsigned k = d[i].from->spread;
			     k < until[d[i].from->conf->index]; k++) {
				struct oracle_route r = d[i].from->route[k];

				pipe_pass(o, &d[i], &r);
			}
		for (unsigned i = 0; i < o->conf->table_cnt; i++) {
			again |= o->table[i].cnt > until[i];
			o->table[i].spread = until[i];
		}
	}
}
