/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The strategy of `secondary`: if the peer may not get the best route of a net, the peer
 * gets the next allowed route (nest/rib/table/path_walk.h), and the search in a net for
 * each strategy that tries further candidates (candidates.h).
 *
 * The channel follows the journal of best routes like every channel. If the channel or
 * its sink refuses the best route, the channel searches in the present net, under RCU,
 * and watches the net from then on (watched_nets.c has the invariants).
 *
 * Loop: the session's, but for queries of `show route`. Tests: test_channel_secondary.c,
 * prop_spine.c. */
#include "nest/channel/export/candidates.h"
#include "nest/channel/channel_priv.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/route.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/sent_set.h"
#include "nest/channel/export/watched_nets.h"
#include "nest/channel/export/sink.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table/path_walk.h"

void
channel_secondary(struct channel *ch)
{
	ch->exp.first_allowed = true;
	if (ch->over) /* followed after grounding */
		ch->over->rd.r.wants.behind = true;
	if (!ch->exp.watch_kept) /* a merging sink may already look behind the best */
		watched_new(ch);
}

/* ---- answers about routes ---- */

/* first_may_recall - true: the answer about a route also holds for further nets. */
static bool
first_may_recall(const struct channel *ch)
{
	return !export_by_net(ch->exp.view) &&
	       !(export_reads(ch->exp.view) & FILTER_READ_TABLE);
}

static struct candidate_memo *
first_memo_of(struct watched_nets *w, const struct segment *s)
{
	for (unsigned i = 0; i < ARRAY_LEN(w->memo); i++)
		if (w->memo[i].set == s->set && w->memo[i].facts == s->facts)
			return &w->memo[i];
	return NULL;
}

static void
first_forget_one(struct channel *ch, struct candidate_memo *m)
{
	if (m->set)
		export_answer_done(ch->table, &m->answer);
	m->set = NULL;
}

void
candidates_forget(struct channel *ch)
{
	for (unsigned i = 0; i < ARRAY_LEN(ch->exp.watch->memo); i++)
		first_forget_one(ch, &ch->exp.watch->memo[i]);
}

const struct export_answer *
candidates_decide(struct channel *ch, struct candidate_search *l)
{
	struct watched_nets *w = ch->exp.watch;
	struct candidate_memo *m = first_may_recall(ch) ? first_memo_of(w, &l->seg)
							: NULL;
	struct route_view r = { .what = NULL };
	struct fnet what;

	if (m)
		return &m->answer;
	m = &w->memo[w->memo_next++ % ARRAY_LEN(w->memo)];
	first_forget_one(ch, m);
	net_view(ch->from, l->net, &r, &what);
	export_decide(ch, &l->seg, &r, &m->answer);
	m->set = l->seg.set;
	m->facts = l->seg.facts;
	return &m->answer;
}

/* ---- a search ---- */

void
candidates_begin(struct channel *ch, struct candidate_search *l, uint32_t id,
    const struct segment *refused)
{
	l->id = id;
	l->net = table_net_of(ch->from, id);
	path_walk_start(&l->walk, ch->from, l->net);
	l->refused = refused;
	l->first = true;
	l->is_first = l->found = l->query = false;
}

const struct path *
candidates_path(struct candidate_search *l)
{
	const struct path *p = path_walk_next(&l->walk);

	l->is_first = p && l->first && p == l->walk.best;
	l->first = false;
	return p;
}

bool
candidates_show(struct channel *ch, struct candidate_search *l, const struct path *p)
{
	path_as_segment(&l->seg, ch->from, p, l->id, l->refused ? l->refused->batch : 0);
	return l->seg.facts != NULL;
}

static const struct export_answer *
first_next(struct channel *ch, struct candidate_search *l)
{
	const struct segment *no = l->first ? l->refused : NULL;
	const struct export_answer *a;
	const struct path *p;

	for (; (p = candidates_path(l)); no = NULL) {
		if (no && path_set(p) == no->set && path_src(p) == no->src)
			continue;
		if (!candidates_show(ch, l, p))
			continue;
		a = candidates_decide(ch, l);
		if (a->verdict == EXPORT_ACCEPT)
			return a;
		if (l->refused)
			channel_count_refused(ch, a, 1);
	}
	return NULL;
}

void
candidates_end(
    struct channel *ch, struct candidate_search *l, const struct export_answer *sent)
{
	struct watched_nets *w = ch->exp.watch;

	if (l->query)
		return;
	w->looked = table_batch(ch->from);
	if (l->is_first || !l->walk.best) {
		watched_drop(w, l->id);
		return;
	}
	watched_add(w, l->id);
	if (!sink_knows(ch->sink) && sent)
		sent_set_put(&w->sent, l->id, sent->set->wire, sent->way);
	else if (!sink_knows(ch->sink))
		sent_set_del(&w->sent, l->id);
}

/* first_is_announced - true: the last announcement to the peer was @a, of the found
 * route. Without an export table the function knows the announcement of watched nets
 * only. */
static bool
first_is_announced(
    struct channel *ch, const struct candidate_search *l, const struct export_answer *a)
{
	struct seg_run one = { l->id, 1 };

	if (sink_knows(ch->sink))
		return ch->sink->ops->memory->holds_same(ch->sink, &l->seg, &one, 1, a);
	return l->is_first ||
	       sent_set_is(&ch->exp.watch->sent, l->id, a->set->wire, a->way);
}

bool
candidates_differs(struct channel *ch, uint32_t id)
{
	const struct candidates *c = ch->exp.cand;
	bool holds = channel_holds(ch->rd, id, 1), differs;
	const struct export_answer *a;
	struct candidate_search l;

	c->begin(ch, &l, id, NULL);
	l.query = true;
	a = c->next(ch, &l);
	if (watched_has(ch->exp.watch, id) != (l.walk.best && !l.is_first) ||
	    holds != (a != NULL))
		differs = true;
	else
		differs = a && !first_is_announced(ch, &l, a);
	candidates_forget(ch);
	c->end(ch, &l, NULL);
	return differs;
}

/* ---- the strategy ---- */

static bool
first_fits(const struct channel *ch)
{
	return ch->exp.first_allowed;
}

static void
first_send(struct channel *ch, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	bool sent = a->verdict == EXPORT_ACCEPT && channel_send_announce(ch, s, n, a);

	if (!sent && s->set) {
		if (channel_send_next(ch, s, n))
			return;
	} else {
		watched_drop(ch->exp.watch, n->run->id);
	}
	if (!sent)
		channel_send_withdraw(ch, s, n, a);
}

static bool
first_by_net(struct channel *ch, const struct segment *s, const struct export_answer *a)
{
	return s->set && (a->verdict != EXPORT_ACCEPT || watched_some(ch, s));
}

const struct candidates candidates_first = {
	.gives = GIVES_FIRST,
	.fits = first_fits,
	.reader = channel_table_reader,
	.items = candidates_net,
	.send = first_send,
	.begin = candidates_begin,
	.next = first_next,
	.end = candidates_end,
	.by_net = first_by_net,
	.done = candidates_forget,
};

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
