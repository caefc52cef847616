/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route of ROA and ASPA tables: VRPs or customers in order, in steps, under RCU.
 *
 * I1  Between two steps only the last VRP that was looked at is kept. A net's paths are one
 *     immutable object, shown in one step.
 *
 * In the session's loop. */
#include "nest/cli/show/cmd_route.h"

#include "filter/run/net.h"
#include "nest/rpki/roa_table.h"

#include <stdio.h>

static void
print_path(struct cli_session *s, struct route_job *j, const struct vrp *v,
    const struct roa_path *p, const struct attr_set *set, bool named, bool best)
{
	char net[PREFIX_STR_MAX], text[PREFIX_STR_MAX + 24] = "";

	if (named && j->customers)
		snprintf(text, sizeof(text), "AS%u", v->asn);
	else if (named)
		snprintf(text, sizeof(text), "%s-%u AS%u", prefix_str(net, &v->net),
		    v->max_len, v->asn);
	cli_say(s, CLI_ROUTE, "%-20s  [%s %s]%s (%u)", text, p->src->proto->name,
	    route_time_text(s, j, p->time_ns), best ? " *" : "", set->local.preference);
	if (j->q.all)
		route_print_attrs(s, set);
}

/* show_path - Returns: whether it is among those to show. */
static bool
show_path(struct cli_session *s, struct route_job *j, const struct vrp *v,
    const struct roa_path *p, bool named, bool best)
{
	struct route_source src = { .proto = p->src->proto->name };
	struct fnet what;
	struct route_view r = {
		.net = v->net, .what = &what, .src = &src, .set = p->set
	};
	struct attr_set *set = p->set;
	bool owned = false, ok = true;

	if (j->q.proto && strcmp(j->q.proto, src.proto))
		return false;
	fnet_of_vrp(&what, v, j->customers);
	if (j->q.expr) {
		ok = route_passes(j, s, &r, &set, &owned);
		arena_reset(&j->arena);
	}
	if (ok && !j->q.count) {
		route_put_heading(s, j);
		print_path(s, j, v, p, set, named, best);
	}
	if (owned)
		attr_set_unref(s->tern->store, set, 1);
	return ok;
}

static void
show_vrp(struct cli_session *s, struct route_job *j, const struct vrp *v,
    const struct roa_paths *l)
{
	bool named = false;

	j->sum.nets++;
	for (uint32_t i = 0; i < l->cnt; i++) {
		j->sum.routes++;
		if (show_path(s, j, v, &l->path[i], !named, i == 0)) {
			named = true;
			j->sum.shown++;
		}
		if (j->q.primary)
			break;
	}
}

bool
route_roa_step(struct cli_session *s, struct route_job *j, const struct route_scene *sc)
{
	const struct roa_paths *l;

	if (j->q.filtered || j->q.export != EXPORT_ANY)
		return true;
	j->customers = roa_table_aspa(sc->roa) != NULL;
	while (cli_go_on(s)) {
		l = roa_table_next(sc->roa, &j->vrp, !j->pos);
		if (!l)
			return true;
		j->pos = 1;
		show_vrp(s, j, &j->vrp, l);
	}
	return false;
}
