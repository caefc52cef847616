/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel on an overlay (nest/rib/table/overlay.h).
 *
 * The channel follows the base, and applies the pipe's policy before its own filter. A
 * route refused by the policy is not in the overlay, so the channel looks at the next
 * route, as for `secondary` (channel_secondary.c). The routes announced by the peer
 * itself are in the overlay too: they are never sent to the peer, but if an own route is
 * best, the peer gets no route, unless `secondary` is configured. So a second reader
 * follows the overlay, and the channel decides the nets of the base with changed own
 * routes again.
 *
 * Loop: the session's. Tests: test_overlay.py. */
#include "nest/channel/channel_own_priv.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_offer_priv.h"
#include "nest/channel/channel_rpki_priv.h"

#include "lib/attr/attr.h"
#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
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
static const struct reader_ops channel_own_ops = {
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

/* ---- the policy ---- */

void
channel_overlay_new(struct channel *ch)
{
	ch->over = mem_zalloc(MEM_PROTO, sizeof(*ch->over));
	ch->over->rd.ch = ch;
	bitmap_init(&ch->over->later, MEM_PROTO);
	reader_init(&ch->over->rd.r, ch->table, &ch->proto->worker, &channel_own_ops,
	    &ch->work.arena);
	channel_secondary_new(ch);
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
