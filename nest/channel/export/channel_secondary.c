/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `secondary`: if the peer may not get the best route of a net, the peer gets the next
 * allowed route (nest/rib/table/path_walk.h).
 *
 * The channel follows the journal of best routes like every channel. If the channel or
 * its sink refuses the best route, the channel looks at the present net, under RCU, and
 * watches the net from then on: when another path of the net changes, the table publishes
 * the change (SEG_BEHIND), and the channel looks again.
 *
 * I1  A net is watched if its first route was refused at the last look. For a net neither
 *     watched nor dirty, the best route of the read segments was sent, or a limit keeps
 *     the net back.
 * I2  A look may see more than the read part of the journal, even the middle of a batch.
 *     Segments follow for everything that the look may have seen, and the channel skips
 *     none of them: a segment with a mere change of the source belongs to a batch up to
 *     `looked`; a SEG_BEHIND segment belongs to a batch without another best route.
 * I3  The sent route of a watched net is remembered, so an unchanged route is not sent
 *     again. The channel remembers nothing of unwatched nets: a newly watched net is sent
 *     again even if unchanged. A sink with an export table is queried instead.
 *
 * I4  A net is also watched if an own route of an overlay precedes the first route: a
 *     route behind the first may eliminate the own route by MED (channel_overlay.c).
 *
 * Loop: the session's, but for queries of `show route`. Tests: test_channel_secondary.c,
 * prop_spine.c. */
#include "nest/channel/channel_own_priv.h"
#include "nest/channel/channel_priv.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/route.h"
#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/channel_secondary_priv.h"
#include "nest/channel/export/channel_watched_priv.h"
#include "nest/channel/export/sent_set.h"
#include "nest/channel/sink.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/read.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table/path_walk.h"
#include "sysdep/loop/loop.h"

void
channel_secondary_new(struct channel *ch)
{
	struct channel_secondary *sec = mem_zalloc(MEM_PROTO, sizeof(*sec));

	bitmap_init(&sec->watched, MEM_PROTO);
	sec->sent.store = table_store(ch->table);
	ch->exp.secondary_kept = sec;
	ch->best.r.wants.behind = true;
	ch->sink->no_promise = true;
}

void
channel_secondary(struct channel *ch)
{
	ch->exp.goes_on = true;
	if (ch->over) /* followed after grounding */
		ch->over->rd.r.wants.behind = true;
	if (!ch->exp.secondary_kept) /* a merging sink may already look behind the best */
		channel_secondary_new(ch);
}

void
channel_secondary_drop(struct channel *ch)
{
	if (!ch->exp.secondary)
		return;
	bitmap_clear_all(&ch->exp.secondary->watched);
	ch->exp.secondary->watched_cnt = 0;
	sent_set_clear(&ch->exp.secondary->sent);
}

void
channel_secondary_free(struct channel *ch)
{
	struct channel_secondary *sec = ch->exp.secondary_kept;

	if (!sec)
		return;
	bitmap_fini(&sec->watched);
	sent_set_clear(&sec->sent);
	mem_free(MEM_PROTO, sec);
}

/* ---- watched nets ---- */

/* ---- a look at a net ---- */

/* secondary_may_recall - true: the answer about a route also holds for further nets. */
static bool
secondary_may_recall(const struct channel *ch)
{
	return !export_by_net(ch->exp.view) &&
	       !(export_reads(ch->exp.view) & FILTER_READ_TABLE);
}

static struct secondary_memo *
secondary_memo_of(struct channel_secondary *sec, const struct segment *s)
{
	for (unsigned i = 0; i < ARRAY_LEN(sec->memo); i++)
		if (sec->memo[i].set == s->set && sec->memo[i].facts == s->facts)
			return &sec->memo[i];
	return NULL;
}

static void
secondary_forget_one(struct channel *ch, struct secondary_memo *m)
{
	if (m->set)
		export_answer_done(ch->table, &m->answer);
	m->set = NULL;
}

void
channel_secondary_forget(struct channel *ch)
{
	for (unsigned i = 0; i < ARRAY_LEN(ch->exp.secondary->memo); i++)
		secondary_forget_one(ch, &ch->exp.secondary->memo[i]);
}

/* channel_secondary_decide - about l->seg. The answer is borrowed until
 * channel_secondary_forget. */
static const struct export_answer *
channel_secondary_decide(struct channel *ch, struct secondary_look *l)
{
	struct channel_secondary *sec = ch->exp.secondary;
	struct secondary_memo *m = secondary_may_recall(ch)
				       ? secondary_memo_of(sec, &l->seg)
				       : NULL;
	struct route_view r = { .what = NULL };
	struct fnet what;

	if (m)
		return &m->answer;
	m = &sec->memo[sec->memo_next++ % ARRAY_LEN(sec->memo)];
	secondary_forget_one(ch, m);
	net_view(ch->from, l->net, &r, &what);
	export_decide(ch, &l->seg, &r, &m->answer);
	m->set = l->seg.set;
	m->facts = l->seg.facts;
	return &m->answer;
}

/* ---- where the policy changes routes ---- */

/* secondary_add_own - the table's own best route. */
static void
secondary_add_own(struct channel *ch, struct secondary_look *l)
{
	if (l->own.own)
		l->cand_cnt += overlay_cand(
		    &l->cand[l->cand_cnt], ch->table, l->own.own, NULL, true);
}

/* channel_secondary_add - add a route of the base, if the policy accepts the route. */
static void
channel_secondary_add(struct channel *ch, struct secondary_look *l, const struct path *p)
{
	struct overlay_cand *c = &l->cand[l->cand_cnt];
	struct route_view r = { .what = NULL };
	struct export_answer a;
	struct fnet what;
	bool in;

	path_as_segment(&l->seg, ch->from, p, l->id, 0);
	if (!l->seg.facts)
		return;
	net_view(ch->from, l->net, &r, &what);
	in = export_through(ch, &l->seg, &r, &a) &&
	     overlay_cand(c, ch->from, p, a.set, false);
	if (in) {
		c->held = a.held;
		l->cand_cnt++;
	} else {
		export_answer_done(ch->from, &a);
	}
}

static void
channel_secondary_collect(struct channel *ch, struct secondary_look *l)
{
	uint32_t cnt = 1;

	for (const struct path *p = net_first(l->net); p; p = path_next(p))
		cnt++;
	l->cand = mem_alloc(MEM_PROTO, cnt * sizeof(*l->cand));
	secondary_add_own(ch, l);
	for (const struct path *p = net_first(l->net); p && l->cand_cnt < cnt;
	     p = path_next(p))
		if (!path_filtered(p) && path_live(ch->from, p))
			channel_secondary_add(ch, l, p);
}

static void
secondary_cand_drop(struct channel *ch, struct overlay_cand *c)
{
	attr_hold_put(table_store(ch->from), &c->held, NULL);
}

/* secondary_answer_drop - drop the answer and the route of the answer. */
static void
secondary_answer_drop(struct channel *ch, struct secondary_look *l)
{
	if (l->answered)
		export_answer_done(ch->from, &l->answer);
	l->answered = false;
	secondary_cand_drop(ch, &l->taken);
}

/* channel_secondary_take - move to the best remaining route. */
static void
channel_secondary_take(struct channel *ch, struct secondary_look *l)
{
	unsigned i = overlay_best(l->cand, l->cand_cnt);

	secondary_answer_drop(ch, l);
	l->taken = l->cand[i];
	l->cand[i] = l->cand[--l->cand_cnt];
}

/* secondary_collected_done - free the collected routes. */
static void
secondary_collected_done(struct channel *ch, struct secondary_look *l)
{
	secondary_answer_drop(ch, l);
	while (l->cand_cnt)
		secondary_cand_drop(ch, &l->cand[--l->cand_cnt]);
	mem_free(MEM_PROTO, l->cand);
	l->cand = NULL;
}

static const struct export_answer *
secondary_next_collected(struct channel *ch, struct secondary_look *l)
{
	while (l->cand_cnt) {
		struct route_view r = { .what = NULL };
		struct fnet what;

		channel_secondary_take(ch, l);
		if (l->taken.own)
			return NULL;
		path_as_segment(&l->seg, ch->from, l->taken.path, l->id,
		    l->refused ? l->refused->batch : 0);
		if (!l->seg.facts)
			continue;
		path_as_segment_with(&l->seg, l->taken.set);
		net_view(ch->from, l->net, &r, &what);
		export_decide_here(ch, &l->seg, &r, &l->answer);
		l->answered = true;
		if (l->answer.verdict == EXPORT_ACCEPT)
			return &l->answer;
		if (l->refused)
			channel_count_refused(ch, &l->answer, 1);
		if (!channel_goes_on(ch, &l->answer))
			return NULL;
	}
	return NULL;
}

/* ---- one look ---- */

void
channel_secondary_start(struct channel *ch, struct secondary_look *l, uint32_t id,
    const struct segment *refused)
{
	l->cand = NULL;
	l->cand_cnt = 0;
	l->taken.held = NULL;
	l->answered = false;
	l->id = id;
	l->net = table_net_of(ch->from, id);
	path_walk_start(&l->walk, ch->from, l->net);
	l->refused = refused;
	l->first = true;
	l->is_first = false;
	l->own.own = NULL;
	l->own_won = false;
	if (likely(!channel_is_over(ch)))
		return;
	channel_own_find(ch, l->net, &l->own);
	if (ch->exp.view->base_rewritten || l->own.ties)
		channel_secondary_collect(ch, l);
}

const struct export_answer *
channel_secondary_next(struct channel *ch, struct secondary_look *l)
{
	const struct path *p;

	if (unlikely(l->cand))
		return secondary_next_collected(ch, l);
	while ((p = path_walk_next(&l->walk))) {
		const struct segment *no = l->first ? l->refused : NULL;
		const struct export_answer *a;
		bool own;

		l->is_first = l->first && p == l->walk.best;
		l->first = false;
		own = unlikely(l->own.own) && channel_own_first(ch, &l->own, p);
		l->own_won = own;
		if (own && l->own.ordered)
			return NULL;
		if (no && path_set(p) == no->set && path_src(p) == no->src)
			continue;
		path_as_segment(
		    &l->seg, ch->from, p, l->id, l->refused ? l->refused->batch : 0);
		if (!l->seg.facts)
			continue;
		a = channel_secondary_decide(ch, l);
		if (own && !a->absent)
			return NULL;
		if (a->verdict == EXPORT_ACCEPT)
			return a;
		if (l->refused)
			channel_count_refused(ch, a, 1);
		if (!channel_goes_on(ch, a))
			return NULL;
	}
	l->is_first = false;
	return NULL;
}

void
channel_secondary_end(
    struct channel *ch, struct secondary_look *l, const struct export_answer *sent)
{
	struct channel_secondary *sec = ch->exp.secondary;

	sec->looked = table_batch(ch->from);
	if ((l->is_first && !l->own_won) || !l->walk.best) { /* I4 */
		channel_secondary_unwatch(ch, l->id);
	} else {
		channel_watch_net(sec, l->id);
		if (!sink_knows(ch->sink) && sent)
			sent_set_put(&sec->sent, l->id, sent->set->wire, sent->way);
		else if (!sink_knows(ch->sink))
			sent_set_del(&sec->sent, l->id);
	}
	secondary_collected_done(ch, l);
}

/* secondary_is_announced - true: the last announcement to the peer was @a, of the found
 * route. Without an export table the function knows the announcement of watched nets
 * only. */
static bool
secondary_is_announced(
    struct channel *ch, const struct secondary_look *l, const struct export_answer *a)
{
	struct seg_run one = { l->id, 1 };

	if (sink_knows(ch->sink))
		return ch->sink->ops->memory->holds_same(ch->sink, &l->seg, &one, 1, a);
	return l->is_first ||
	       sent_set_is(&ch->exp.secondary->sent, l->id, a->set->wire, a->way);
}

bool
channel_secondary_differs(struct channel *ch, uint32_t id)
{
	const struct channel_secondary *sec = ch->exp.secondary;
	bool holds = channel_holds(ch->rd, id, 1), differs;
	const struct export_answer *a;
	struct secondary_look l;

	channel_secondary_start(ch, &l, id, NULL);
	a = channel_secondary_next(ch, &l);
	if (channel_watched(sec, id) != (l.walk.best && (!l.is_first || l.own_won)) ||
	    holds != (a != NULL))
		differs = true;
	else
		differs = a && !secondary_is_announced(ch, &l, a);
	channel_secondary_forget(ch);
	secondary_collected_done(ch, &l);
	return differs;
}

/* ---- queries ---- */

bool
channel_gives_before(const struct channel *ch, struct filter_thread *ft, struct arena *a,
    const struct net *n, const struct path *p)
{
	struct table *t = channel_from(ch);
	struct attr_set *out;
	struct path_walk w;
	const struct path *q;

	path_walk_start(&w, t, n);
	while ((q = path_walk_next(&w)) && q != p) {
		struct route_view r = {
			.src = path_facts(t, q), .set = path_set(q), .feeder = path_src(q)
		};
		struct fnet what;

		net_view(t, n, &r, &what);
		if (channel_would_send(ch, ft, a, &r, &out) != 1)
			continue;
		attr_set_unref(table_store(t), out, 1);
		return true;
	}
	return false;
}
