/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel on an overlay (nest/rib/table/overlay.h).
 *
 * The channel follows the base, and applies the pipe's policy before its own filter. A
 * route refused by the policy is not in the overlay, so the channel looks at the next
 * route, as for `secondary` (channel_second.c). The routes announced by the peer itself
 * are in the overlay too: they are never sent to the peer, but if an own route is best,
 * the peer gets no route, unless `secondary` is configured. So a second reader follows
 * the overlay, and the channel decides the nets of the base with changed own routes
 * again.
 *
 * I1  Own routes are looked up at the time of sending: the answer is current, or a
 *     segment of the overlay follows.
 *
 * Loop: the session's. Tests: test_overlay.py. */
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_offer_priv.h"
#include "nest/channel/channel_rpki_priv.h"

#include "lib/attr/attr.h"
#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/own_nets.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/reason.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "sysdep/loop/loop.h"

#define WAITS_MAX  32 /* turns without an end */
#define RIVALS_MAX 12 /* routes of a net whose MEDs are compared by group */
#define LOOKS_MAX  1024 /* nets handled in a turn */

/* ---- the reader of the table itself ---- */

/* channel_overlay_look_again - at the net at @k, in the base. */
static void
channel_overlay_look_again(struct channel *ch, const struct nlri *k)
{
	const struct net *n = ch->grounds ? NULL : table_find_nlri(ch->from, k);

	if (n)
		ch->over->later_cnt += bitmap_set(&ch->over->later, net_id(ch->from, n));
}

/* own_is_before - does @own come before @p of the base? */
static bool
own_is_before(const struct channel *ch, const struct path *own, const struct path *p)
{
	struct overlay_cand c[2];

	return overlay_cand(&c[0], ch->table, own, NULL, true) &&
	       overlay_cand(&c[1], ch->from, p, NULL, false) && overlay_best(c, 2) == 0;
}

/* channel_overlay_count_own - net @k got an own best route: if the own route is best of
 * all, the channel keeps it from the peer and counts a refusal, as in an ordinary
 * table. */
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
	    !own_is_before(ch, own, p))
		return;
	counter64_bump(&ch->stats.exp_upd_received, 1);
	counter64_bump(&ch->stats.exp_upd_rejected, 1);
	counter64_bump(&ch->stats.reason[REASON_OWN], 1);
}

static size_t
channel_overlay_room(struct reader *r)
{
	return channel_is_grounded(channel_of(r)) ? channel_reader_ops.room(r) : SIZE_MAX;
}

static void
channel_overlay_segment(struct reader *r, struct segment *s, enum read_check check)
{
	struct channel *ch = channel_of(r);
	const struct seg_run *run = segment_runs(s);
	const uint8_t *pos = segment_nlri(s);

	if (channel_is_grounded(ch)) {
		channel_reader_ops.segment(r, s, check);
		return;
	}
	for (uint32_t i = 0; i < s->run_cnt; i++)
		for (uint32_t k = 0; k < run[i].cnt; k++) {
			struct nlri net;

			pos += NLRI_BY_KIND(ch->kind, nlri_get, &net, pos);
			if (!reader_passes(r, s, run[i].id + k, check))
				continue;
			reader_clean(r, run[i].id + k, 1);
			if (s->set && !(s->form & SEG_BEHIND))
				channel_overlay_count_own(ch, &net);
			channel_overlay_look_again(ch, &net);
		}
}

static unsigned
channel_overlay_run(
    struct reader *r, struct segment *const *s, unsigned cnt, unsigned seen)
{
	if (channel_is_grounded(channel_of(r)))
		return channel_reader_ops.run(r, s, cnt, seen);
	for (unsigned i = 0; i < cnt; i++)
		channel_overlay_segment(r, s[i], READ_ALL);
	return cnt;
}

static unsigned
channel_overlay_lent(struct reader *r, struct segment *const *s, unsigned cnt)
{
	return channel_is_grounded(channel_of(r)) ? channel_reader_ops.lent(r, s, cnt)
						  : channel_overlay_run(r, s, cnt, cnt);
}

static void
channel_overlay_gone(struct reader *r, const uint32_t *id, uint32_t cnt)
{
	struct channel *ch = channel_of(r);

	if (channel_is_grounded(ch)) {
		channel_reader_ops.gone(r, id, cnt);
		return;
	}
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
	return channel_is_grounded(channel_of(r)) ? channel_reader_ops.holds(r, id, cnt)
						  : cnt;
}

static bool
channel_overlay_minds_behind(const struct reader *r, uint32_t id)
{
	return !channel_is_grounded(channel_of(r)) ||
	       channel_reader_ops.minds_behind(r, id);
}

static void
channel_overlay_flush(struct reader *r)
{
	if (channel_is_grounded(channel_of(r)))
		channel_reader_ops.flush(r);
	else
		r->queued = 0;
}

static void
channel_overlay_synced(struct reader *r)
{
	if (channel_is_grounded(channel_of(r)))
		channel_reader_ops.synced(r);
}

/* channel_overlay_work - only a grounded reader is busy. */
static void
channel_overlay_work(struct reader *r)
{
	channel_reader_ops.work(r);
}

/* channel_overlay_slow, channel_overlay_progress - in the table's thread. A reader that
 * only looks never waits for the peer. */
static void
channel_overlay_slow(struct reader *r, uint64_t out_pos, uint64_t progress, bool anyway)
{
	if (channel_is_grounded(channel_of(r)))
		channel_slow_post(r, out_pos, progress, anyway);
}

static uint64_t
channel_overlay_progress(const struct reader *r)
{
	return channel_is_grounded(channel_of(r)) ? channel_progress(r)
						  : counter64_get(&r->turns);
}

const struct reader_ops channel_own_ops = {
	.room = channel_overlay_room,
	.run = channel_overlay_run,
	.lent = channel_overlay_lent,
	.segment = channel_overlay_segment,
	.gone = channel_overlay_gone,
	.holds = channel_overlay_holds,
	.minds_behind = channel_overlay_minds_behind,
	.flush = channel_overlay_flush,
	.synced = channel_overlay_synced,
	.work = channel_overlay_work,
	.slow = channel_overlay_slow,
	.progress = channel_overlay_progress,
};

/* ---- own routes ---- */

static uint64_t
own_hash(const struct channel *ch, const struct nlri *k)
{
	return NLRI_BY_KIND(ch->kind, nlri_hash, 0, k->word, k->head);
}

/* own_maybe - false: the peer never announced net @k. An offer channel uses the set of
 * its channel. */
static bool
own_maybe(const struct channel *ch, const struct nlri *k)
{
	const struct channel *of = ch->of ? ch->of : ch;

	return own_nets_maybe(&of->over->nets, own_hash(ch, k));
}

void
channel_own_note(struct channel *ch, const struct rec *r)
{
	unsigned ids = r->flags & REC_IDS ? NLRI_ID_LEN : 0;
	const uint8_t *pos = r->nlri, *end = pos + r->nlri_len;

	while (pos < end) {
		struct nlri k;

		pos += ids;
		pos += NLRI_BY_KIND(ch->kind, nlri_get, &k, pos);
		own_nets_add(&ch->over->nets, own_hash(ch, &k));
	}
}

const struct path *
channel_own_route(const struct channel *ch, const struct nlri *k)
{
	return channel_is_over(ch) && !ch->goes_on && own_maybe(ch, k)
		   ? overlay_own(ch->table, k)
		   : NULL;
}

/* MEDs of some routes, each with a group. */
struct meds {
	uint64_t group[RIVALS_MAX];
	uint32_t med[RIVALS_MAX];
	unsigned cnt;
	bool rivals; /* two routes of a group differ; or too many routes */
};

static void
med_add(struct meds *m, uint64_t group, uint32_t med)
{
	bool many = m->cnt == RIVALS_MAX;

	for (unsigned i = 0; i < m->cnt; i++)
		m->rivals |= m->med[i] != med && (many || m->group[i] == group);
	if (many)
		return;
	m->group[m->cnt] = group;
	m->med[m->cnt++] = med;
}

/* by_med - may MED tell some of @own and the routes of @n apart? Then the best of two
 * isn't always the best of all. */
static bool
by_med(const struct channel *ch, const struct net *n, const struct path *own)
{
	struct meds m = { .cnt = 0 };
	struct overlay_cand c;
	uint64_t group;
	uint32_t med;

	if (overlay_cand(&c, ch->table, own, NULL, true) && overlay_med(&c, &group, &med))
		med_add(&m, group, med);
	for (const struct path *p = net_first(n); p && !m.rivals; p = path_next(p))
		if (!path_filtered(p) && path_live(ch->from, p) &&
		    overlay_cand(&c, ch->from, p, NULL, false) &&
		    overlay_med(&c, &group, &med))
			med_add(&m, group, med);
	return m.rivals;
}

static enum own_rank
channel_overlay_rank(const struct channel *ch, const struct path *own,
    const struct net *n, const struct path *p)
{
	struct overlay_cand c[2];

	if (!own || !overlay_cand(&c[0], ch->table, own, NULL, true) ||
	    !overlay_cand(&c[1], ch->from, p, NULL, false))
		return OWN_NONE;
	if (overlay_tied(&c[0], &c[1]) && by_med(ch, n, own))
		return OWN_TIED;
	return overlay_best(c, 2) == 0 ? OWN_FIRST : OWN_BEHIND;
}

enum own_rank
channel_own_rank(const struct channel *ch, const struct net *n, const struct path *p)
{
	struct nlri k;

	if (!channel_is_over(ch) || ch->goes_on)
		return OWN_NONE;
	k = net_nlri(ch->from, n);
	return channel_overlay_rank(ch, channel_own_route(ch, &k), n, p);
}

/* is_tied - is @p equal to @own by all rules before MED? */
static bool
is_tied(const struct channel *ch, const struct path *own, const struct path *p)
{
	struct overlay_cand c[2];

	return overlay_cand(&c[0], ch->table, own, NULL, true) &&
	       overlay_cand(&c[1], ch->from, p, NULL, false) &&
	       overlay_tied(&c[0], &c[1]);
}

void
channel_own_find(const struct channel *ch, const struct net *n, struct own_found *f)
{
	struct nlri k = net_nlri(ch->from, n);

	f->own = channel_own_route(ch, &k);
	f->ordered = f->own && !by_med(ch, n, f->own);
	f->ties = false;
	if (!f->own || f->ordered)
		return;
	for (const struct path *p = net_first(n); p && !f->ties; p = path_next(p))
		f->ties = !path_filtered(p) && path_live(ch->from, p) &&
			  is_tied(ch, f->own, p);
}

bool
channel_own_first(
    const struct channel *ch, const struct own_found *f, const struct path *p)
{
	return own_is_before(ch, f->own, p);
}

/* channel_overlay_note - note net @id of the present segment. */
static void
channel_overlay_note(struct own_noted *o, uint32_t id, enum own_rank rank)
{
	if (o->cnt == OWN_NOTED)
		o->all = false;
	else
		o->net[o->cnt++] = (struct own_net){ id, rank };
}

bool
channel_own_of(struct channel *ch, const struct segment *s)
{
	const struct seg_run *run = segment_runs(s);
	const uint8_t *pos = segment_nlri(s);
	struct own_noted *o;

	if (likely(!channel_is_over(ch)) || ch->goes_on || overlay_is_empty(ch->table))
		return false;
	o = &ch->over->noted;
	o->cnt = 0;
	o->all = true;
	for (uint32_t r = 0; r < s->run_cnt && o->all; r++)
		for (uint32_t i = 0; i < run[r].cnt && o->all; i++) {
			const struct path *p, *own;
			const struct net *n;
			enum own_rank how;
			struct nlri k;

			pos += NLRI_BY_KIND(ch->kind, nlri_get, &k, pos);
			own = channel_own_route(ch, &k);
			if (!own)
				continue;
			n = reader_net(ch->rd, run[r].id + i);
			p = net_best(n);
			how = p ? channel_overlay_rank(ch, own, n, p) : OWN_NONE;
			if (how >= OWN_FIRST)
				channel_overlay_note(o, run[r].id + i, how);
		}
	return o->cnt > 0;
}

bool
channel_own_may(const struct channel *ch, const struct segment *s)
{
	const struct overlay *o = ch->exp.view->overlay;
	const uint8_t *pos = segment_nlri(s);

	if (!o || !s->set || !overlay_brings(o, s->src, s->facts))
		return true;
	if (ch->goes_on || overlay_is_empty(ch->table))
		return false;
	for (uint32_t i = 0; i < s->nets.cnt; i++) {
		struct nlri k;

		pos += NLRI_BY_KIND(ch->kind, nlri_get, &k, pos);
		if (own_maybe(ch, &k))
			return true;
	}
	return false;
}

enum own_rank
channel_own_best(const struct channel *ch, uint32_t id)
{
	const struct own_noted *o;
	const struct path *p;
	const struct net *n;

	if (likely(!channel_is_over(ch)) || ch->goes_on)
		return OWN_NONE;
	o = &ch->over->noted;
	if (o->all) {
		for (unsigned i = 0; i < o->cnt; i++)
			if (o->net[i].id == id)
				return o->net[i].rank;
		return OWN_NONE;
	}
	n = reader_net(ch->rd, id);
	p = net_best(n);
	return p ? channel_own_rank(ch, n, p) : OWN_NONE;
}

void
channel_own_later(struct channel *ch, const struct segment *s)
{
	const struct overlay *o = ch->exp.view->overlay;
	const struct seg_run *run = segment_runs(s);
	const uint8_t *pos = segment_nlri(s);
	bool gone = o && !overlay_brings(o, s->src, s->facts);

	if (s->form & SEG_BEHIND)
		return;
	for (uint32_t r = 0; r < s->run_cnt; r++)
		for (uint32_t i = 0; i < run[r].cnt; i++) {
			struct nlri k;

			pos += NLRI_BY_KIND(ch->kind, nlri_get, &k, pos);
			if (gone)
				reader_dirty(ch->rd, run[r].id + i, 1);
			else if (channel_own_route(ch, &k))
				ch->over->later_cnt += bitmap_set(
				    &ch->over->later, run[r].id + i);
		}
}

/* channel_overlay_matters - the own route of net @id of the base changed. Returns: true:
 * the peer's state may be wrong. */
static bool
channel_overlay_matters(const struct channel *ch, uint32_t id)
{
	const struct net *n = reader_net(ch->rd, id);
	const struct path *p = net_best(n);
	enum own_rank own;

	if (!p)
		return false;
	/* the peer may hold another route than the best */
	if (channel_second_watches_net(ch, id))
		return true;
	own = channel_own_rank(ch, n, p);
	return !ch->goes_on &&
	       (own == OWN_TIED ||
		   (own == OWN_FIRST) == (ch->sink->ops->holds(ch->sink, id, 1) > 0));
}

bool
channel_own_settle(struct channel *ch, bool more)
{
	struct channel_overlay *over = ch->over;

	if (!over->later_cnt || over->handles || (more && ++over->waits < WAITS_MAX))
		return more;
	over->handles = ch->rd->busy = true;
	return true;
}

void
channel_own_step(struct channel *ch)
{
	struct channel_overlay *over = ch->over;
	uint32_t id = 0;

	if (!over || !over->handles)
		return;
	for (unsigned i = 0; i < LOOKS_MAX && ch->rd->queued < ch->rd->limit &&
			     (!i || !reader_is_late(ch->rd));
	     i++) {
		id = bitmap_next(&over->later, id);
		if (id == UINT32_MAX)
			break;
		over->later_cnt -= bitmap_clear(&over->later, id);
		if (!reader_is_dirty(ch->rd, id) && channel_overlay_matters(ch, id))
			channel_send_now(ch, id);
	}
	if (!over->later_cnt)
		channel_own_forget(ch);
}

void
channel_own_forget(struct channel *ch)
{
	if (!ch->over)
		return;
	bitmap_clear_all(&ch->over->later);
	ch->over->later_cnt = ch->over->waits = 0;
	ch->over->handles = false;
	channel_work_left(ch);
}

/* ---- the policy ---- */

void
channel_overlay_new(struct channel *ch)
{
	ch->over = mem_zalloc(MEM_PROTO, sizeof(*ch->over));
	ch->over->rd.ch = ch;
	bitmap_init(&ch->over->later, MEM_PROTO);
	reader_init(&ch->over->rd.r, ch->table, &ch->proto->worker, &channel_own_ops,
	    &ch->work.arena);
	channel_second_new(ch);
}

void
channel_overlay_free(struct channel *ch)
{
	if (!ch->over)
		return;
	reader_fini(&ch->over->rd.r);
	bitmap_fini(&ch->over->later);
	own_nets_clear(&ch->over->nets);
	mem_free(MEM_PROTO, ch->over);
	ch->over = NULL;
}

bool
channel_same_below(const struct export_view *a, const struct export_view *b)
{
	const struct overlay *x = a->overlay, *y = b->overlay;

	return x && y ? x->nr == y->nr : x == y;
}

void
channel_below_soft(struct channel *ch, const struct export_view *old)
{
	const struct overlay *x = old->overlay, *y = ch->exp.view->overlay;

	ch->exp.soft |= x && y && x->soft_nr != y->soft_nr;
	if (!x && y)
		channel_hold_out(ch);
}

void
channel_overlay_step(struct channel *ch)
{
	struct export_view *before;

	if (channel_ground_step(ch) || !channel_is_over(ch))
		return;
	if (overlay_at(ch->table) == ch->exp.view->overlay)
		return;
	before = channel_swap_view(ch, true);
	channel_below_soft(ch, before);
	channel_watch_update(ch);
	if (channel_same_below(before, ch->exp.view))
		channel_view_free(before);
	else
		channel_policy_changed(ch, before);
}
