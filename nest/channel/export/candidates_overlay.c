/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The strategy of a channel on an overlay (candidates.h, nest/rib/table/overlay.h).
 *
 * The channel follows the base, and applies the pipe's policy before its own filter. A
 * route refused by the policy is not in the overlay, so the channel tries the next route,
 * as for `secondary` (candidates_first.c). The routes announced by the peer
 * itself are in the overlay too: they are never sent to the peer, but if an own route is
 * best, the peer gets no route, unless `secondary` is configured. So a second reader
 * follows the overlay, and the channel decides the nets of the base with changed own
 * routes again.
 *
 * Loop: the session's. Tests: test_overlay.py. */
#include "nest/channel/export/candidates.h"
#include "nest/channel/channel_own_priv.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_offer_priv.h"

#include "filter/run/net.h"
#include "lib/attr/attr.h"
#include "lib/attr/route.h"
#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/own_nets.h"
#include "nest/channel/export/watched_nets.h"
#include "nest/channel/export/sink.h"
#include "nest/core/reason.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table/path_walk.h"
#include "sysdep/loop/loop.h"

#define WAITS_MAX 32 /* turns without an end */
#define LOOKS_MAX 1024 /* nets handled in a turn */

/* ---- the reader of the table itself ---- */

/* channel_overlay_look_again - at the net at @k, in the base. */
static void
channel_overlay_look_again(struct channel *ch, const struct nlri *k)
{
	const struct net *n = ch->ground.waits ? NULL : table_find_nlri(ch->from, k);

	if (n)
		ch->over->later_cnt += bitmap_set(&ch->over->later, net_id(ch->from, n));
}

/* channel_overlay_count_own - net @k got an own best route: if the own route is best of
 * all, the channel keeps the own route from the peer and counts a refusal, as in an
 * ordinary table. */
static void
channel_overlay_count_own(struct channel *ch, const struct nlri *k)
{
	const struct overlay *o = ch->exp.view->overlay;
	const struct net *n = o ? table_find_nlri(o->base, k) : NULL;
	const struct path *p = n ? net_best(n) : NULL;
	const struct path *own = overlay_own(ch->table, k);

	if (!own || path_src(own) != load_relaxed32(&channel_feeder(ch)->id))
		return;
	if (p && overlay_brings(o, path_src(p), path_origin_of(o->base, p)) &&
	    !channel_own_before(ch, own, p))
		return;
	counter64_bump(&ch->stats.exp_upd_received, 1);
	counter64_bump(&ch->stats.exp_upd_rejected, 1);
	counter64_bump(&ch->stats.reason[REASON_OWN], 1);
}

/* channel_overlay_room - a reader that only looks never waits for the peer. */
static size_t
channel_overlay_room(struct reader *r)
{
	(void)r;
	return SIZE_MAX;
}

static void
channel_overlay_segment(struct reader *r, struct segment *s, enum read_check check)
{
	struct channel *ch = channel_of(r);
	const uint8_t *pos = segment_nlri(s);

	for (struct seg_nets n = segment_nets(s); seg_nets_next(&n);) {
		struct nlri net;

		pos += NLRI_BY_KIND(ch->kind, nlri_get, &net, pos);
		if (!reader_passes(r, s, n.id, check))
			continue;
		reader_clean(r, n.id, 1);
		if (s->set && !(s->form & SEG_BEHIND))
			channel_overlay_count_own(ch, &net);
		channel_overlay_look_again(ch, &net);
	}
}

static unsigned
channel_overlay_lent(struct reader *r, struct segment *const *s, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++)
		channel_overlay_segment(r, s[i], READ_ALL);
	return cnt;
}

static unsigned
channel_overlay_run(
    struct reader *r, struct segment *const *s, unsigned cnt, unsigned seen)
{
	(void)seen;
	return channel_overlay_lent(r, s, cnt);
}

static void
channel_overlay_gone(struct reader *r, const uint32_t *id, uint32_t cnt)
{
	struct channel *ch = channel_of(r);

	for (uint32_t i = 0; i < cnt; i++) {
		struct nlri k = net_nlri(ch->table, reader_net(r, id[i]));

		channel_overlay_look_again(ch, &k);
		reader_clean(r, id[i], 1);
	}
}

/* channel_overlay_holds - all: every removed own route needs a look. */
static uint32_t
channel_overlay_holds(const struct reader *r, uint32_t id, uint32_t cnt)
{
	(void)r, (void)id;
	return cnt;
}

static void
channel_overlay_flush(struct reader *r)
{
	r->queued = 0;
}

/* The calls of the overlay's reader, until the overlay becomes ordinary. A turn always
 * makes progress, and slow ignores a reader that isn't channel.rd. */
const struct reader_ops channel_overlay_ops = {
	.room = channel_overlay_room,
	.run = channel_overlay_run,
	.lent = channel_overlay_lent,
	.segment = channel_overlay_segment,
	.gone = channel_overlay_gone,
	.holds = channel_overlay_holds,
	.flush = channel_overlay_flush,
	.slow = channel_slow_post,
	.progress = channel_progress,
};

/* ---- nets with changed own routes ---- */

/* overlay_later_matters - the own route of net @id of the base changed. Returns: true:
 * the peer's state may be wrong. */
static bool
overlay_later_matters(const struct channel *ch, uint32_t id)
{
	const struct net *n = reader_net(ch->rd, id);
	const struct path *p = net_best(n);
	enum own_rank own;

	if (!p)
		return false;
	/* the peer may hold another route than the best */
	if (watched_net(ch, id))
		return true;
	own = channel_own_rank(ch, n, p);
	return !ch->exp.first_allowed &&
	       (own == OWN_TIED ||
		   (own == OWN_FIRST) == (channel_holds(ch->rd, id, 1) > 0));
}

/* overlay_settle - after a turn of the readers: handle nets with changed own routes when
 * the reader of the base has caught up, because segments of the base decide most of these
 * nets. @more: the readers have more work. Returns: the new value of @more. */
static bool
overlay_settle(struct channel *ch, bool more)
{
	struct channel_overlay *over = ch->over;

	if (!over->later_cnt || over->handles || (more && ++over->waits < WAITS_MAX))
		return more;
	over->handles = ch->rd->busy = true;
	return true;
}

/* overlay_later_step - handle some of the nets with changed own routes. */
static void
overlay_later_step(struct channel *ch)
{
	struct channel_overlay *over = ch->over;
	uint32_t id = 0;

	if (!over->handles)
		return;
	for (unsigned i = 0; i < LOOKS_MAX && ch->rd->queued < ch->rd->limit &&
			     (!i || !reader_is_late(ch->rd));
	     i++) {
		id = bitmap_next(&over->later, id);
		if (id == UINT32_MAX)
			break;
		over->later_cnt -= bitmap_clear(&over->later, id);
		if (!reader_is_dirty(ch->rd, id) && overlay_later_matters(ch, id))
			channel_send_now(ch, id);
	}
	if (!over->later_cnt)
		channel_own_forget(ch);
}

/* ---- the search ---- */

/* overlay_goes_on - after the refusal @a: may the peer get another route of the net? */
static bool
overlay_goes_on(const struct channel *ch, const struct export_answer *a)
{
	return ch->exp.first_allowed || a->absent;
}

/* overlay_search_own - the table's own best route. */
static void
overlay_search_own(struct channel *ch, struct candidate_search *l)
{
	if (l->own.own)
		l->cand_cnt += overlay_cand(
		    &l->cand[l->cand_cnt], ch->table, l->own.own, NULL, true);
}

/* overlay_search_add - add a route of the base, if the policy accepts the route. */
static void
overlay_search_add(struct channel *ch, struct candidate_search *l, const struct path *p)
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
overlay_search_collect(struct channel *ch, struct candidate_search *l)
{
	uint32_t cnt = 1;

	for (const struct path *p = net_first(l->net); p; p = path_next(p))
		cnt++;
	l->cand = mem_alloc(MEM_PROTO, cnt * sizeof(*l->cand));
	overlay_search_own(ch, l);
	for (const struct path *p = net_first(l->net); p && l->cand_cnt < cnt;
	     p = path_next(p))
		if (!path_filtered(p) && path_live(ch->from, p))
			overlay_search_add(ch, l, p);
}

static void
overlay_cand_drop(struct channel *ch, struct overlay_cand *c)
{
	attr_hold_put(table_store(ch->from), &c->held, NULL);
}

/* overlay_answer_drop - drop the answer and the route of the answer. */
static void
overlay_answer_drop(struct channel *ch, struct candidate_search *l)
{
	if (l->answered)
		export_answer_done(ch->from, &l->answer);
	l->answered = false;
	overlay_cand_drop(ch, &l->taken);
}

/* overlay_search_take - move to the best remaining route. */
static void
overlay_search_take(struct channel *ch, struct candidate_search *l)
{
	unsigned i = overlay_best(l->cand, l->cand_cnt);

	overlay_answer_drop(ch, l);
	l->taken = l->cand[i];
	l->cand[i] = l->cand[--l->cand_cnt];
}

/* overlay_search_end - also free the collected routes. */
static void
overlay_search_end(
    struct channel *ch, struct candidate_search *l, const struct export_answer *sent)
{
	candidates_end(ch, l, sent);
	overlay_answer_drop(ch, l);
	while (l->cand_cnt)
		overlay_cand_drop(ch, &l->cand[--l->cand_cnt]);
	mem_free(MEM_PROTO, l->cand);
	l->cand = NULL;
}

static const struct export_answer *
overlay_next_collected(struct channel *ch, struct candidate_search *l)
{
	while (l->cand_cnt) {
		struct route_view r = { .what = NULL };
		struct fnet what;

		overlay_search_take(ch, l);
		if (l->taken.own)
			return NULL;
		path_as_segment(&l->seg, ch->from, l->taken.path, l->id,
		    l->refused ? l->refused->batch : 0);
		if (!l->seg.facts)
			continue;
		path_as_segment_with(&l->seg, ch->from, l->taken.set);
		net_view(ch->from, l->net, &r, &what);
		export_decide_here(ch, &l->seg, &r, &l->answer);
		l->answered = true;
		l->found = l->answer.verdict == EXPORT_ACCEPT;
		if (l->found)
			return &l->answer;
		if (l->refused)
			channel_count_refused(ch, &l->answer, 1);
		if (!overlay_goes_on(ch, &l->answer))
			return NULL;
	}
	return NULL;
}

static void
overlay_search_begin(struct channel *ch, struct candidate_search *l, uint32_t id,
    const struct segment *refused)
{
	candidates_begin(ch, l, id, refused);
	l->cand = NULL;
	l->cand_cnt = 0;
	l->taken.held = NULL;
	l->answered = false;
	channel_own_find(ch, l->net, &l->own);
	if (ch->exp.view->base_rewritten || l->own.ties)
		overlay_search_collect(ch, l);
}

/* overlay_next_path - the next route of the base, down to the own route. */
static const struct export_answer *
overlay_next_path(struct channel *ch, struct candidate_search *l)
{
	const struct segment *no = l->first ? l->refused : NULL;
	const struct export_answer *a;
	const struct path *p;

	for (; (p = candidates_path(l)); no = NULL) {
		bool own = l->own.own && channel_own_first(ch, &l->own, p);

		l->is_first &= !own; /* watched_nets.c, I4 */
		if (own && l->own.ordered)
			return NULL;
		if (no && path_set(p) == no->set && path_src(p) == no->src)
			continue;
		if (!candidates_show(ch, l, p))
			continue;
		a = candidates_decide(ch, l);
		if (own && !a->absent)
			return NULL;
		l->found = a->verdict == EXPORT_ACCEPT;
		if (l->found)
			return a;
		if (l->refused)
			channel_count_refused(ch, a, 1);
		if (!overlay_goes_on(ch, a))
			return NULL;
	}
	return NULL;
}

static const struct export_answer *
overlay_search_next(struct channel *ch, struct candidate_search *l)
{
	if (l->found && !ch->exp.first_allowed) /* the sink refused the best route */
		return NULL;
	return l->cand ? overlay_next_collected(ch, l) : overlay_next_path(ch, l);
}

/* ---- the strategy ---- */

static void
overlay_send(struct channel *ch, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	bool yes = a->verdict == EXPORT_ACCEPT, sent, on;
	enum own_rank own = yes ? channel_own_best(ch, n->run->id) : OWN_NONE;

	sent = yes && own < OWN_FIRST && channel_send_announce(ch, s, n, a);
	on = !sent && s->set && (own == OWN_TIED || overlay_goes_on(ch, a));
	if (own == OWN_FIRST) {
		/* the best route of the overlay is an own route, counted before */
		counter64_bump(&ch->stats.exp_upd_received, (uint64_t)-1);
		watched_withhold(ch->exp.watch, n->run->id);
	} else if (!on)
		watched_drop(ch->exp.watch, n->run->id);
	if (sent || (on && channel_send_next(ch, s, n)))
		return;
	channel_send_withdraw(ch, s, n, a);
}

static bool
overlay_by_net(struct channel *ch, const struct segment *s, const struct export_answer *a)
{
	if (!s->set)
		return false;
	if (a->verdict != EXPORT_ACCEPT)
		return a->verdict == EXPORT_PER_NET || overlay_goes_on(ch, a);
	return watched_some(ch, s) || channel_own_of(ch, s);
}

static void
overlay_done(struct channel *ch)
{
	candidates_forget(ch);
	ch->over->noted.all = false;
}

static void
overlay_up(struct channel *ch)
{
	reader_start(&ch->over->rd.r);
}

static void
overlay_down(struct channel *ch)
{
	reader_stop(&ch->over->rd.r);
	channel_own_forget(ch);
}

static bool
overlay_run(struct channel *ch)
{
	bool more = reader_run(&ch->over->rd.r);

	more |= reader_run(ch->rd);
	return overlay_settle(ch, more);
}

static bool
overlay_lent(struct channel *ch)
{
	bool left = reader_lent(&ch->over->rd.r);

	left |= reader_lent(ch->rd);
	return left || ch->over->later_cnt > 0;
}

const struct candidates candidates_overlay = {
	.gives = GIVES_BEST,
	.fits = channel_is_over,
	.reader = channel_table_reader,
	.items = candidates_net,
	.send = overlay_send,
	.begin = overlay_search_begin,
	.next = overlay_search_next,
	.end = overlay_search_end,
	.by_net = overlay_by_net,
	.special = channel_own_may,
	.skipped = channel_own_later,
	.done = overlay_done,
	.up = overlay_up,
	.down = overlay_down,
	.run = overlay_run,
	.lent = overlay_lent,
	.work = overlay_later_step,
};
