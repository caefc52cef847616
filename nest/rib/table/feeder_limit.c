/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits of a feeder (`import limit`, `receive limit`, `net limit`).
 *
 * I1  While the peer is up, limits count the announcements of the present session: stale
 *     routes do not count.
 * I2  While the peer is away, its stale routes count. A limit that is lowered meanwhile
 *     may be crossed by stale routes; a route that passes import policy again is refused
 *     while the feeder has more routes than the limit allows (feeder_again).
 *
 * I3  A path beyond `net limit` is refused and not kept: the limit bounds the memory and
 *     the time of nets with many paths.
 * I4  Lowering a `net limit` removes paths from nets with too many paths: the walk that
 *     removes dead paths looks at all nets of the feeder, and the latest paths become
 *     dead.
 *
 * I5  `receive limit` counts filtered routes if options of the session keep these routes
 *     (`import keep filtered`, `import table`), as BIRD 2.17 counts. A monitor changes no
 *     count.
 *
 * The table's loop. Tests: test_feeder.c, test/net/test_stale,
 * test/net/test_many_paths. */
#include "lib/base/plural.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/mt/near.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/rib/nlri.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/feeder_out.h"
#include "nest/rib/table/feeder_priv.h"
#include "nest/rib/table/path_index.h"
#include "nest/rib/table_priv.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <stdlib.h>

/* least interval between log lines about nets of one feeder */
#define NET_SAY_NS (60 * NS_PER_S)

/* limit_counted_imported - number of routes that the import limit counts (I1, I2).
 * feeder_limit_counted - number of routes that the receive limit counts (I5). */
static uint32_t
limit_counted_imported(const struct feeder *s)
{
	return s->up ? feeder_fresh_imported(s) : s->cnt.live - s->cnt.live_filtered;
}

static uint32_t
feeder_limit_counted(const struct feeder *s)
{
	if (!feeder_counts_filtered(s->stats))
		return limit_counted_imported(s);
	return s->up ? feeder_fresh(s) : s->cnt.live;
}

void
feeder_notify_room(struct feeder *s)
{
	bool kept = !s->limit.refused;

	if (!s->limit.refused && !s->limit.blocked)
		return;
	s->limit.refused = s->limit.blocked = false;
	s->ops->refused(s, kept);
}

/* feeder_limit_crossed - would one more path than @now cross @l? Each crossing is
 * reported once. Returns: true: refuse the path. */
static bool
feeder_limit_crossed(struct feeder *s, enum limit_kind k, const struct conf_limit *l,
    uint32_t now, bool *hit)
{
	if (l->action == LIMIT_OFF)
		return false;
	if (now < l->max) {
		*hit = false;
		return false;
	}
	if (!*hit) {
		*hit = true;
		s->ops->limit(s, k, l);
	}
	return l->action != LIMIT_WARN;
}

enum feeder_word
feeder_allows(struct feeder *s, bool is_new, bool filtered, enum reason *why)
{
	const struct conf_limit *l = &s->limit.import;

	*why = REASON_RECEIVE_LIMIT;
	/* a path that is not new is present as a filtered path */
	if ((feeder_counts_filtered(s->stats) ? is_new : !filtered) &&
	    feeder_limit_crossed(s, LIMIT_RECEIVE, &s->limit.receive,
		feeder_limit_counted(s), &s->limit.receive_hit))
		return FEEDER_REFUSES;
	*why = REASON_IMPORT_LIMIT;
	if (filtered || !feeder_limit_crossed(s, LIMIT_IMPORT, l,
			    limit_counted_imported(s), &s->limit.import_hit))
		return FEEDER_TAKES;
	return l->action == LIMIT_BLOCK && s->keeps_filtered ? FEEDER_BLOCKS
							     : FEEDER_REFUSES;
}

/* limit_is_over - true: @now is more than a refusing limit allows. */
static bool
limit_is_over(const struct conf_limit *l, uint32_t now)
{
	return l->action > LIMIT_WARN && now > l->max;
}

enum feeder_word
feeder_again(const struct feeder *s, bool filtered, enum reason *why)
{
	if (s->up)
		return FEEDER_TAKES;
	*why = REASON_RECEIVE_LIMIT;
	if ((!filtered || feeder_counts_filtered(s->stats)) &&
	    limit_is_over(&s->limit.receive, feeder_limit_counted(s)))
		return FEEDER_REFUSES;
	*why = REASON_IMPORT_LIMIT;
	if (filtered || !limit_is_over(&s->limit.import, limit_counted_imported(s)))
		return FEEDER_TAKES;
	return s->keeps_filtered ? FEEDER_BLOCKS : FEEDER_REFUSES;
}

/* feeder_limit_lowered - report at once if the feeder already has more routes than a new
 * limit allows. */
static void
feeder_limit_lowered(struct feeder *s, enum limit_kind k, const struct conf_limit *l,
    uint32_t now, bool *hit)
{
	*hit = (s->up || s->epoch.kept) && l->action != LIMIT_OFF && now > l->max;
	if (*hit)
		s->ops->limit(s, k, l);
}

static bool
feeder_limit_looser(const struct conf_limit *l, const struct conf_limit *old)
{
	return old->action > LIMIT_WARN && (l->action <= LIMIT_WARN || l->max > old->max);
}

/* limit_net_refuses - has `net limit` refused a path since the limit was changed, or
 * since the session began? */
static void
limit_net_refuses(struct feeder *s, bool on)
{
	s->limit.net_refused = on;
	counter64_set(&s->stats->net_refused, on);
}

void
feeder_limits_anew(struct feeder *s)
{
	s->limit.import_hit = s->limit.receive_hit = s->limit.refused = s->limit.blocked =
	    false;
	limit_net_refuses(s, false);
}

/* limit_net_lowered - nets may have more paths than a new limit allows. */
static void
limit_net_lowered(struct feeder *s, uint32_t max)
{
	s->limit.net_logged_ns = 0;
	if (!max || (s->limit.net && max >= s->limit.net) || !s->cnt.live)
		return;
	s->table->walk.trims = true;
	feeder_walk(s->table, s);
}

void
feeder_limits(struct feeder *s, const struct rec *r)
{
	bool more = feeder_limit_looser(&r->limit[0], &s->limit.import) ||
		    feeder_limit_looser(&r->limit[1], &s->limit.receive);
	bool any = !r->prefix_cnt || r->prefix_cnt > s->limit.net;

	if (s->limit.net_refused && any)
		s->limit.refused = more = true;
	if (any)
		limit_net_refuses(s, false);
	if (r->prefix_cnt != s->limit.net)
		limit_net_lowered(s, r->prefix_cnt);
	s->limit.net = r->prefix_cnt;
	s->limit.import = r->limit[0];
	s->limit.receive = r->limit[1];
	s->limit.count[LIMIT_IMPORT].logged = s->limit.count[LIMIT_RECEIVE]
						  .logged = false;
	feeder_limit_lowered(s, LIMIT_RECEIVE, &s->limit.receive, feeder_limit_counted(s),
	    &s->limit.receive_hit);
	feeder_limit_lowered(s, LIMIT_IMPORT, &s->limit.import, limit_counted_imported(s),
	    &s->limit.import_hit);
	if (more && s->up)
		feeder_notify_room(s);
}

/* ---- `net limit` ---- */

/* limit_net_counts - does @p, of @s, count (I1, I2)? */
static bool
limit_net_counts(const struct feeder *s, const struct path *p)
{
	return s->up ? path_epoch(p) == s->epoch.now
		     : epochs_live(feeder_epochs(s), path_epoch(p));
}

/* feeder_paths_of - number of counted paths of @s in @n. */
static uint32_t
feeder_paths_of(const struct feeder *s, const struct net *n)
{
	uint32_t id = load_relaxed32(&s->id), cnt = 0;

	for (const struct path *p = net_first(n); p; p = path_next(p))
		cnt += path_feeder(p) == id && limit_net_counts(s, p);
	return cnt;
}

/* limit_net_is_full - a path of @n was refused, or taken away. */
static void
limit_net_is_full(struct table *t, struct feeder *s, const struct net *n)
{
	uint64_t now = loop_now_ns(table_worker(t));
	const struct origin *o = load_relaxed_ptr(&s->facts);
	struct nlri k = net_nlri(t, n);
	char net[NLRI_STR_MAX];

	limit_net_refuses(s, true);
	if (!log_due(&s->limit.net_logged_ns, now, NET_SAY_NS))
		return;
	nlri_str(net, t->kind, k.word, k.head);
	log_msg(LOG_C_WARN,
	    "Protocol %s: network %s has %u path%s, the net limit: more are refused",
	    o ? o->name : "?", net, s->limit.net, plural(s->limit.net, "", "s"));
}

bool
feeder_net_full(struct table *t, struct feeder *s, const struct net *n)
{
	/* the index also counts dead paths */
	if (((n->flags & NET_MANY) && path_index_of(path_index_get(t, net_id(t, n)),
					  load_relaxed32(&s->id)) < s->limit.net) ||
	    feeder_paths_of(s, n) < s->limit.net)
		return false;
	limit_net_is_full(t, s, n);
	return true;
}

/* ---- `net limit` is lowered ---- */

/* A path of a feeder with a limit of paths. */
struct trim_path {
	struct feeder *feeder;
	struct path *path;
};

/* limit_trim_cmp - order by feeder, then by arrival. */
static int
limit_trim_cmp(const void *x, const void *y)
{
	const struct trim_path *a = x, *b = y;
	uint32_t fa = path_feeder(a->path), fb = path_feeder(b->path);
	uint64_t ta = path_time_cs(a->path), tb = path_time_cs(b->path);

	if (fa != fb)
		return fa < fb ? -1 : 1;
	if (ta != tb)
		return ta < tb ? -1 : 1;
	return a->path->id < b->path->id ? -1 : a->path->id > b->path->id;
}

/* limit_trim_paths - into the table's scratch memory. Returns: how many. */
static uint32_t
limit_trim_paths(struct table *t, const struct net *n, struct trim_path **out)
{
	struct path *p = near_load_relaxed(&n->paths);
	uint32_t cnt = 0, max = 0;
	struct feeder *s;

	for (struct path *q = p; q; q = near_load_relaxed(&q->next))
		max += table_feeder_local(t, path_feeder(q))->limit.net != 0;
	if (max < 2)
		return 0;
	*out = arena_alloc(&t->work.scratch, max * sizeof(**out));
	for (; p; p = near_load_relaxed(&p->next)) {
		s = table_feeder_local(t, path_feeder(p));
		if (s->limit.net && limit_net_counts(s, p))
			(*out)[cnt++] = (struct trim_path){ s, p };
	}
	return cnt;
}

/* limit_trim_one - make @p of @s dead. */
static void
limit_trim_one(struct table *t, struct feeder *s, const struct net *n, struct path *p)
{
	struct nlri k = net_nlri(t, n);

	limit_net_is_full(t, s, n);
	feeder_keeps_out(s, REASON_NET_LIMIT, &k, path_rid_of(p));
	table_path_kill(s, p);
}

void
feeder_limit_enforce(struct table *t, struct net *n)
{
	struct trim_path *tp = NULL;
	uint32_t cnt = limit_trim_paths(t, n, &tp), nr = 0;
	bool any = false;

	if (cnt)
		qsort(tp, cnt, sizeof(*tp), limit_trim_cmp);
	for (uint32_t i = 0; i < cnt; i++) {
		nr = i && tp[i].feeder == tp[i - 1].feeder ? nr + 1 : 0;
		if (nr < tp[i].feeder->limit.net)
			continue;
		limit_trim_one(t, tp[i].feeder, n, tp[i].path);
		any = true;
	}
	if (any && (n->flags & NET_MANY))
		path_index_get(t, net_id(t, n))->clean = t->walk.nr - 1;
	arena_reset(&t->work.scratch);
}
