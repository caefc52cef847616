/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel on an overlay (nest/rib/table/overlay.h): the reader of the overlay itself
 * with the channel's life, and changes of the pipe's policy. candidates_overlay.c has the
 * strategy.
 *
 * Loop: the session's. Tests: test_overlay.py. */
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_rpki_priv.h"

#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "nest/channel/export/own_nets.h"
#include "nest/rib/read.h"
#include "nest/rib/table/overlay.h"
#include "sysdep/loop/loop.h"

void
channel_overlay_new(struct channel *ch)
{
	ch->over = mem_zalloc(MEM_PROTO, sizeof(*ch->over));
	ch->over->rd.ch = ch;
	bitmap_init(&ch->over->later, MEM_PROTO);
	reader_init(&ch->over->rd.r, ch->table, &ch->proto->worker, &channel_overlay_ops,
	    &ch->work.arena);
	watched_new(ch);
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
