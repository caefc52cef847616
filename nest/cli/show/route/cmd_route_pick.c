/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of a query, and the selection of shown paths.
 *
 * Export queries are decided here, in the asker's thread, by published state of the
 * session; filters of the command run on each path.
 *
 * I1  Pointers found here live for the step only (RCU); each step looks up the names
 *     again.
 *
 * In the session's loop, under RCU. Tested by test/unit/test_cli.c and
 * test/net/test_reasons.py. */
#include "nest/cli/show/route/cmd_route.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/mt/rcu.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/reason.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"

/* pick_channel_on - channel of @proto on table @at; @name: NULL or the channel's name. */
static const struct channel *
pick_channel_on(
    const struct tern *t, const char *proto, const char *name, const struct table *at)
{
	const struct proto *p = cmd_proto_named(t, proto);
	struct channel *c = p ? proto_first_channel(p) : NULL;

	while (
	    c && (channel_table(c) != at || (name && strcmp(channel_name(c), name) != 0)))
		c = channel_after(p, c);
	return c;
}

/* cmd_route_pick_kernel_of - the first channel that exports @at to a kernel. */
static const struct channel *
cmd_route_pick_kernel_of(const struct tern_view *v, const struct table *at)
{
	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		const struct proto *p = v->proto[i];

		if (p->cls->conf->kind != PROTO_KERNEL)
			continue;
		for (struct channel *c = proto_first_channel(p); c;
		     c = channel_after(p, c))
			if (channel_table(c) == at)
				return c;
	}
	return NULL;
}

void
route_scene_find(struct route_scene *sc, const struct tern *t,
    const struct route_query *q, unsigned table)
{
	const struct tern_view *v = tern_view_get(t);
	const struct route_table *at = &q->table[table];
	const struct channel *from;
	bool adopted;

	*sc = (struct route_scene){ .src = UINT32_MAX, .loan = rcu_borrow() };
	for (uint32_t i = 0; i < v->table_cnt; i++)
		if (!strcmp(table_name(v->table[i]), at->name))
			sc->table = v->table[i];
	if (!sc->table)
		return;
	if (q->proto && (from = pick_channel_on(t, q->proto, NULL, sc->table)))
		sc->src = channel_source_id(from);
	if (q->export_proto)
		sc->to = pick_channel_on(
		    t, q->export_proto, q->export_channel, sc->table);
	if (sc->to && !channel_seems_up(sc->to))
		sc->to = NULL; /* the base has no own routes */
	if (q->reasons)
		sc->pipe = filtered_pipe(q->reasons, v, sc->table, &adopted);
	if (!at->kept && !q->filtered) /* filtered routes are the overlay's own */
		sc->over = overlay_of(sc->table);
	if (!at->kept) {
		sc->kernel = cmd_route_pick_kernel_of(v, sc->table);
		return;
	}
	sc->kept = at->kept;
	sc->of = pick_channel_on(t, at->proto, at->channel, sc->table);
	if (!sc->of || (at->kept == KEPT_EXPORT && !channel_keeps_export(sc->of)))
		sc->table = NULL;
	else
		sc->gives = channel_gives(sc->of);
	if (!sc->table || at->kept != KEPT_EXPORT ||
	    channel_from(sc->of) == channel_table(sc->of))
		return;
	sc->table = channel_from(sc->of);
	if (sc->gives == GIVES_BEST) /* the best route of another table */
		sc->gives = GIVES_FIRST;
}

bool
route_counts(
    const struct route_scene *sc, const struct route_query *q, const struct path *p)
{
	DCHECK(rcu_is_lent(&sc->loan));
	if (q->stale && !path_stale(sc->table, p))
		return false;
	if (!sc->kept && q->reasons)
		return path_live(sc->table, p) && !path_piped(p) &&
		       (!path_filtered(p) || path_shown_filtered(sc->table, p));
	if (!sc->kept && q->filtered)
		return path_shown_filtered(sc->table, p) && path_live(sc->table, p);
	if (!sc->kept)
		return !path_filtered(p) && path_live(sc->table, p);
	return !q->filtered && path_live(sc->table, p) && route_is_kept(sc, p);
}

enum reason
route_failure(const struct route_scene *sc, const struct route_shown *r)
{
	return sc->kernel && r->best
		   ? channel_failure(sc->kernel, net_id(sc->table, r->net))
		   : REASON_NONE;
}

bool
route_is_from(
    const struct route_scene *sc, const struct route_query *q, const struct path *p)
{
	const struct route_source *src;

	if (!path_piped(p) && !sc->below)
		return path_src(p) == sc->src;
	src = path_facts(sc->table, p);
	return src && !strcmp(src->proto, q->proto);
}

static void
cmd_route_pick_filter_log(void *ctx, const char *line)
{
	(void)ctx;
	log_msg(LOG_C_INFO, "%s", line);
}

/* cmd_route_pick_merged - the merged set of the channel's route with set @out (TAKE). */
static struct attr_set *
cmd_route_pick_merged(struct route_job *j, struct cli_session *s,
    const struct route_scene *sc, const struct route_shown *shown, struct attr_set *out)
{
	struct attr_set *m = channel_merged(sc->to, j->ft, &j->arena, shown->net, out);

	if (!m)
		return out;
	attr_set_unref(s->tern->store, out, 1);
	return m;
}

/* cmd_route_pick_is_limited - true: only the export limit keeps the route back. */
static bool
cmd_route_pick_is_limited(const struct route_scene *sc, enum channel_gives gives,
    const struct route_shown *shown)
{
	return channel_limit_kept(sc->to,
	    gives == GIVES_ALL ? path_id(shown->path) : net_id(sc->table, shown->net));
}

/* cmd_route_pick_bar - with `noexport NAME reasons`: does anything but the receiver's own
 * announcement keep the route back? The reason is in @shown. */
static bool
cmd_route_pick_bar(struct route_job *j, const struct route_scene *sc,
    enum channel_gives gives, const struct route_view *r, struct route_shown *shown)
{
	struct export_why *y = &shown->bar;

	channel_why(sc->to, j->ft, &j->arena, r, y);
	if (!y->reason && cmd_route_pick_is_limited(sc, gives, shown))
		y->reason = REASON_EXPORT_LIMIT;
	if (!y->reason || y->reason == REASON_OWN)
		return false;
	if (y->said) { /* a condition of the command runs another filter */
		strbuf_reset(&j->comms);
		strbuf_adds(&j->comms, y->said);
		y->said = j->comms.s;
	}
	return true;
}

/* cmd_route_pick_exports - does the route match export, noexport, preexport? */
static bool
cmd_route_pick_exports(struct route_job *j, struct cli_session *s,
    const struct route_scene *sc, const struct route_view *r, struct route_shown *shown)
{
	enum channel_gives gives = sc->to ? channel_gives(sc->to) : GIVES_BEST;
	struct attr_set *out;
	int rv;

	if (!sc->to || channel_from(sc->to) != sc->table)
		return false; /* an own route of an overlay, or a route of its pipe */
	if (gives == GIVES_BEST &&
	    !(sc->below ? shown->best : shown->path == net_best(shown->net)))
		return false;
	if (!sc->below && cmd_channel_is_source(sc->to, r))
		return false;
	if (j->q.bars)
		return cmd_route_pick_bar(j, sc, gives, r, shown);
	/* "noexport" covers only refusals by the filter, not by rules. */
	if (!channel_rules_allow(sc->to, r))
		return false;
	if (j->q.export == EXPORT_BEFORE)
		return true;
	rv = channel_would_send(sc->to, j->ft, &j->arena, r, &out);
	if (rv != 1)
		return rv == 0 && j->q.export == EXPORT_NO;
	if (j->q.export == EXPORT_YES && !cmd_route_pick_is_limited(sc, gives, shown) &&
	    !(gives == GIVES_FIRST && channel_gives_before(sc->to, j->ft, &j->arena,
					  shown->net, shown->path))) {
		shown->set = cmd_route_pick_merged(j, s, sc, shown, out);
		attr_hold_put(s->tern->store, &shown->held, shown->set);
		return true;
	}
	attr_set_unref(s->tern->store, out, 1);
	return false;
}

/* cmd_route_pick_passes - run the command's filter, which may change the shown set. */
static bool
cmd_route_pick_passes(struct route_job *j, struct cli_session *s,
    const struct route_view *r, struct route_shown *shown)
{
	static const struct filter_env env = { .log = cmd_route_pick_filter_log };
	struct attr_store *store = s->tern->store;
	struct attr_set *changed;
	struct attr_edit e;
	uint32_t reads = 0;

	attr_edit_init(&e, &j->arena, shown->set);
	if (filter_run(cli_expr_filter(j->q.expr), j->ft, &env, r, &e, &reads) !=
	    FILTER_ACCEPT)
		return false;
	if (j->q.count || !attr_edit_changed(&e))
		return true;
	changed = attr_store_edit(store, &e);
	if (!changed)
		return true; /* too long: show the unchanged set */
	attr_hold_put(store, &shown->held, changed);
	shown->set = changed;
	return true;
}

/* route_is_filtered - in which way (`reasons`)? */
static bool
route_is_filtered(struct route_job *j, struct cli_session *s,
    const struct route_scene *sc, struct route_shown *r)
{
	struct filtered_look l = { .conf = s->conf->conf,
		.view = tern_view_get(s->tern),
		.table = sc->table,
		.pipe = sc->pipe,
		.ft = j->ft,
		.arena = &j->arena };

	if (filtered_get(&l, r->net, r->path, &r->filtered) == FILTERED_NOT)
		return false;
	if (r->filtered.way == FILTERED_IMPORT && !j->q.count)
		filtered_refused(&l, r->net, r->path, &r->filtered, &j->comms);
	return true;
}

bool
route_pick(struct route_job *j, struct cli_session *s, const struct route_scene *sc,
    struct route_shown *r)
{
	struct route_view v;
	struct fnet what;
	bool ok = true;

	DCHECK(rcu_is_lent(&sc->loan));
	arena_reset(&j->arena);
	r->held = NULL;
	r->set = r->came_as ? r->came_as : path_set(r->path);
	net_view(sc->table, r->net, &v, &what);
	v.src = path_facts(sc->table, r->path);
	v.set = r->set;
	v.feeder = path_src(r->path);
	if (!v.src || (j->q.proto && !route_is_from(sc, &j->q, r->path)))
		return false;
	if (sc->kept)
		ok = route_kept_set(j, s, sc, &v, r);
	else if (j->q.export != EXPORT_ANY) {
		v.set = path_set(r->path); /* the policy below runs again */
		ok = cmd_route_pick_exports(j, s, sc, &v, r);
	}
	if (ok && j->q.expr) {
		v.set = r->set;
		ok = cmd_route_pick_passes(j, s, &v, r);
	}
	if (ok && j->q.reasons && !sc->kept)
		ok = route_is_filtered(j, s, sc, r);
	if (!ok)
		attr_hold_put(s->tern->store, &r->held, NULL);
	return ok;
}
