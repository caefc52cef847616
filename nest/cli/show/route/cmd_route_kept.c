/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route import table, show route export table: routes of a channel before import
 * policy, and routes sent to its peer.
 *
 * An import table is a part of the channel's table: each path keeps its set before
 * policy. An export table has the sent sets by id, without the source; the source is
 * found by deciding again. A net without routes is not shown, though its withdrawal may
 * still wait for the socket.
 *
 * In the session's loop, under RCU. Tested by test/net/test_export_table.py. */
#include "nest/cli/show/route/cmd_route.h"

#include "filter/run/net.h"
#include "lib/attr/attr.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "nest/channel/channel.h"
#include "nest/cli/cli_session.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/table.h"

bool
route_is_kept(const struct route_scene *sc, const struct path *p)
{
	if (sc->kept == KEPT_IMPORT)
		return path_src(p) == channel_source_id(sc->of);
	return !path_filtered(p);
}

static const struct wire_set *
kept_announced_of(const struct route_scene *sc, const struct net *n, const struct path *p)
{
	uint32_t id = sc->gives == GIVES_ALL ? path_id(p) : net_id(sc->table, n);

	return channel_announced(sc->of, id);
}

/* kept_goes_as - the set that would be sent for @r now, if equal to @announced; NULL:
 * different. */
static OWNED struct attr_set *
kept_goes_as(struct route_job *j, struct cli_session *s, const struct route_scene *sc,
    const struct route_view *r, const struct wire_set *announced)
{
	struct attr_set *out = NULL;

	if (channel_would_export(sc->of, j->ft, &j->arena, r, &out) != 1)
		return NULL;
	if (out->wire == announced)
		return out;
	attr_set_unref(s->tern->store, out, 1);
	return NULL;
}

static bool
cmd_route_kept_goes(struct route_job *j, struct cli_session *s,
    const struct route_scene *sc, const struct net *n, const struct path *p)
{
	struct attr_set *out;
	struct route_view r;
	struct fnet what;

	arena_reset(&j->arena); /* memory of the last run: paths and nets may be many */
	net_view(sc->table, n, &r, &what);
	r.src = path_facts(sc->table, p);
	r.set = path_set(p);
	r.feeder = path_src(p);
	out = r.src ? kept_goes_as(j, s, sc, &r, kept_announced_of(sc, n, p)) : NULL;
	if (out)
		attr_set_unref(s->tern->store, out, 1);
	return out != NULL;
}

bool
route_announces_one(const struct route_scene *sc)
{
	return sc->kept == KEPT_EXPORT && sc->gives != GIVES_ALL;
}

bool
route_is_announced(const struct route_scene *sc, const struct net *n)
{
	return channel_announced(sc->of, net_id(sc->table, n)) != NULL;
}

bool
route_announced(struct route_job *j, struct cli_session *s, const struct route_scene *sc,
    const struct net *n, const struct path **announced)
{
	const struct path *p;
	uint32_t i = 0, done = 0;

	*announced = NULL;
	if (!route_is_announced(sc, n))
		return true;
	*announced = net_best(n);
	p = sc->gives == GIVES_FIRST ? net_first(n) : NULL;
	while (p && i < j->net.looked) {
		p = path_next(p);
		i++;
	}
	if (j->net.looked)
		cli_at_place(s, 0);
	for (; p; p = path_next(p), j->net.looked++) {
		if (path_filtered(p))
			continue;
		if (done++ && !cli_go_on(s))
			return false;
		if (cmd_route_kept_goes(j, s, sc, n, p)) {
			*announced = p;
			break;
		}
	}
	return true;
}

bool
route_kept_set(struct route_job *j, struct cli_session *s, const struct route_scene *sc,
    const struct route_view *v, struct route_shown *r)
{
	const struct wire_set *announced;
	struct attr_set *set;

	if (sc->kept == KEPT_IMPORT) {
		set = path_pre(r->path);
		if (set)
			r->set = set;
		return true;
	}
	announced = kept_announced_of(sc, r->net, r->path);
	if (!announced)
		return false;
	set = kept_goes_as(j, s, sc, v, announced);
	attr_hold_put(s->tern->store, &r->held, set);
	r->set = set ? set
		     : attr_scratch(&j->arena, announced->data, announced->len,
			   &path_set(r->path)->local);
	return true;
}
