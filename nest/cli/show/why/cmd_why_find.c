/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Search of `show route why` for a net: the routes of a table, refused routes that a
 * channel remembers, and the decision of a channel about a route.
 *
 * Kept refused routes pass the present filter again, which finds the line. For further
 * refused routes the channel has a memory (nest/channel/import/reject_memory.h). For `to`
 * the decision of the session is repeated here, in this thread.
 *
 * All in one step, under RCU; in the session's loop. Tested by test/net/test_why.py and
 * test/net/test_reasons.py. */
#include "filter/lang/sym.h"
#include "filter/run/net.h"
#include "lib/attr/attr.h"
#include "lib/attr/route.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/over_routes.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/cli/show/why/cmd_why.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table/path_walk.h"
#include "nest/rib/table/path_why.h"

static void
cmd_why_find_view_of(
    const struct why *w, const struct path *p, struct route_view *r, struct fnet *what)
{
	net_view(w->table, w->net, r, what);
	r->src = path_facts(w->table, p);
	r->set = path_set(p);
	r->feeder = path_src(p);
}

const struct channel *
why_channel_for(const struct why *w, const char *proto, const struct table *t)
{
	const struct proto *p = cmd_proto_named(w->s->tern, proto);

	for (struct channel *ch = p ? proto_first_channel(p) : NULL; ch;
	     ch = channel_after(p, ch))
		if (table_kind(channel_table(ch)) == w->q.kind &&
		    (!t || channel_table(ch) == t))
			return ch;
	return NULL;
}

bool
why_is_asked(const struct why *w, const char *proto)
{
	return !w->from || !strcmp(w->from, proto);
}

/* owner: struct why. */
struct why_seen {
	struct htab_node node;
	uint64_t name;
};

static uint64_t
why_route_name(uint32_t src, uint32_t rid)
{
	return (uint64_t)src << 32 | rid;
}

static bool
find_was_seen(const struct why *w, uint32_t src, uint32_t rid)
{
	uint64_t name = why_route_name(src, rid);
	struct htab_node *n;

	htab_each_same (n, &w->seen, hash_u64(0, name))
		if (container_of(n, struct why_seen, node)->name == name)
			return true;
	return false;
}

/* why_see - note the route by name: the table may replace the path meanwhile. */
static void
why_see(struct why *w, const struct path *p)
{
	struct why_seen *seen = arena_alloc(&w->seen_nodes, sizeof(*seen));

	seen->name = why_route_name(path_src(p), path_rid(p));
	htab_add(&w->seen, &seen->node, hash_u64(0, seen->name));
}

/* why_see_nothing - feeders of another table have other numbers. */
void
why_see_nothing(struct why *w)
{
	htab_fini(&w->seen);
	htab_init(&w->seen, MEM_OTHER);
	arena_reset(&w->seen_nodes);
}

static struct filtered_look
cmd_why_find_look_of(struct why *w)
{
	const struct tern_view *v = tern_view_get(w->s->tern);
	bool adopted;

	return (struct filtered_look){ .conf = w->s->conf->conf,
		.view = v,
		.table = w->table,
		.pipe = filtered_pipe(&w->members, v, w->table, &adopted),
		.ft = w->ft,
		.arena = &w->arena };
}

enum filtered_way
why_filtered(struct why *w, const struct path *p, struct filtered *out)
{
	struct filtered_look l = cmd_why_find_look_of(w);

	return filtered_get(&l, w->net, p, out);
}

/* find_fate - the state of @p of w->table. The own routes of an overlay compete with the
 * routes of the base. */
static enum path_fate
find_fate(struct why *w, const struct path *p, struct lost_at *lost)
{
	enum path_fate fate = path_why(lost, w->table, w->net, p);
	const struct overlay *o = overlay_of(w->table);
	struct over_routes r;

	if (!o || (fate != PATH_IS_BEST && fate != PATH_LOST))
		return fate;
	over_routes_get(&r, o, w->ft, &w->arena, &w->q.net);
	over_routes_sort(&r);
	for (unsigned i = 0; i < r.cnt; i++)
		if (r.cand[i].path == p)
			fate = overlay_why(lost, r.cand, r.cnt, i);
	over_routes_done(&r);
	return fate;
}

/* find_acceptance - the override by which the route @p of @proto has passed the import of
 * the session, also if the table of the session is another and a pipe brings @p. *@after:
 * as in filtered_accepted_by. */
static const struct override *
find_acceptance(struct why *w, const struct path *p, const char *proto, bool *after)
{
	const struct channel *ch = path_piped(p) ? why_channel_for(w, proto, NULL) : NULL;
	struct filtered_look l = cmd_why_find_look_of(w);
	const struct override *o = NULL;
	const struct net *n;

	if (!path_piped(p))
		return filtered_accepted_by(&l, w->net, p, after);
	l.table = ch ? channel_table(ch) : NULL;
	n = ch ? table_find_nlri(l.table, &w->q.net) : NULL;
	for (const struct path *q = n ? net_first(n) : NULL; q && !o; q = path_next(q))
		if (path_src(q) == channel_source_id(ch) && path_live(l.table, q))
			o = filtered_accepted_by(&l, n, q, after);
	return o;
}

void
why_path(struct why *w, const struct path *p)
{
	static const char *const fate[] = { [PATH_GOES] = "going",
		[PATH_REFUSED] = "refused",
		[PATH_IS_BEST] = "best",
		[PATH_LOST] = "lost" };
	const struct route_source *src = path_facts(w->table, p);
	struct lost_at lost;
	enum path_fate f = find_fate(w, p, &lost);
	struct why_explained t = {
		.fate = fate[f], .rid = path_rid(p), .wire = path_set(p)->wire
	};
	struct filtered filtered;
	struct filtered_look l;

	if (!src || !why_is_asked(w, src->proto) ||
	    find_was_seen(w, path_src(p), path_rid(p)))
		return;
	why_see(w, p);
	t.proto = src->proto;
	t.from = src->from;
	t.lost = f == PATH_LOST ? &lost : NULL;
	l = cmd_why_find_look_of(w);
	if (filtered_get(&l, w->net, p, &filtered))
		t.filtered = &filtered;
	if (f == PATH_REFUSED) {
		filtered_refused(&l, w->net, p, &filtered, &w->comms);
		t.at = &filtered.at;
	} else {
		t.by = find_acceptance(w, p, src->proto, &t.by_after);
	}
	why_explain(w, &t);
}

void
why_see_live(struct why *w)
{
	for (const struct path *p = w->net ? net_first(w->net) : NULL; p;
	     p = path_next(p))
		if (path_live(w->table, p) && !find_was_seen(w, path_src(p), path_rid(p)))
			why_see(w, p);
}

/* find_is_kept_out - true: a limit refused the route after its acceptance. */
static bool
find_is_kept_out(const struct why *w, const struct channel *ch, uint32_t rid)
{
	const struct reject_memory *m = channel_rejects(ch, true);
	const struct reject *r = NULL;

	while (m && (r = reject_next(m, &w->q.net, r)) && reject_rid(r) != rid)
		;
	return r != NULL;
}

static void
cmd_why_find_refused(struct why *w, const struct channel *ch, bool limits)
{
	const struct reject_memory *m = channel_rejects(ch, limits);
	const struct route_source *src = channel_facts(ch);
	const struct reject *r = NULL;

	while (m && (r = reject_next(m, &w->q.net, r))) {
		struct reject_at at = reject_where(r);
		struct filtered f = { .way = filtered_way_of(at.reason) };
		struct why_explained t = { .proto = channel_proto(ch)->name,
			.from = src ? src->from : IP_NONE,
			.rid = reject_rid(r),
			.fate = "refused",
			.at = &at,
			.filtered = f.way ? &f : NULL };

		if (!find_was_seen(w, channel_source_id(ch), t.rid) &&
		    (limits || !find_is_kept_out(w, ch, t.rid)))
			why_explain(w, &t);
	}
}

void
why_rejects(struct why *w, const struct channel *ch)
{
	cmd_why_find_refused(w, ch, false);
	cmd_why_find_refused(w, ch, true);
}

bool
why_decide(struct why *w, const struct channel *ch, const struct path *p, bool own,
    struct export_why *y)
{
	struct attr_store *store = table_store(w->table);
	struct attr_set *tried = NULL;
	struct route_view r;
	struct fnet what;

	cmd_why_find_view_of(w, p, &r, &what);
	if (!r.src)
		return false;
	arena_reset(&w->arena);
	if (w->with.given) {
		tried = why_tried_set(w, store, r.set);
		if (!tried)
			return false;
		r.set = tried;
	}
	channel_why(ch, w->ft, &w->arena, &r, y);
	if (tried)
		attr_set_unref(store, tried, 1);
	if (!y->reason && own)
		y->reason = REASON_BEHIND_OWN;
	if (w->with.given) /* limits and the kernel concern the route as sent */
		return true;
	if (!y->reason && channel_limit_kept(ch, why_id(w, ch, p)))
		y->reason = REASON_EXPORT_LIMIT;
	if (!y->reason)
		y->reason = channel_failure(ch, why_id(w, ch, p));
	return true;
}
