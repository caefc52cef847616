/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a session of a channel: down, or away while the peer restarts.
 *
 * Loop: the session's. Tested by test/unit/test_channel.c and
 * test/net/test_restart.py. */
#include "nest/channel/channel.h"
#include "nest/channel/channel_drain_priv.h"
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_refresh_priv.h"
#include "nest/channel/channel_rejects_priv.h"
#include "nest/channel/channel_rpki_priv.h"
#include "nest/channel/export/own_nets.h"
#include "nest/channel/import/kept_set.h"
#include "lib/mt/atomic.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/recovery.h"
#include "nest/core/tern.h"
#include "nest/rib/ids.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "sysdep/loop/loop.h"

void
channel_set_recovering(struct channel *ch, bool on)
{
	uint32_t old = load_relaxed32(&ch->pub.recovery) & ~CHANNEL_HELD;

	ch->life.recovering = on;
	store_relaxed32(&ch->pub.recovery, old | (on ? CHANNEL_HELD : 0));
}

static void
down_import(struct channel *ch, enum rec_type how)
{
	struct rec rec = { .type = (uint8_t)how };

	ch->imp.reload_nr++;
	ch->imp.reload_pos = NO_ID;
	ch->imp.reload_waits = ch->imp.reload_again = false;
	channel_recheck_stop(ch);
	if (how == REC_DOWN)
		channel_hops_down(ch);
	channel_ask_down(ch);
	if (ch->offer.of)
		return;
	channel_clear_refused(ch);
	channel_post_rec(ch, &rec, NULL);
	channel_import_partial(ch);
}

static void
channel_leave(struct channel *ch, enum rec_type how)
{
	if (ch->offer.ch && ch->offer.ch->life.up)
		channel_leave(ch->offer.ch, REC_DOWN);
	ch->life.up = false;
	channel_set_recovering(ch, false);
	if (ch->exp.lazy)
		timer_cancel(&ch->exp.turn);
	ch->exp.waits = ch->exp.due = false;
	if (ch->sink) {
		channel_readers_stop(ch);
		kept_set_clear(&ch->exp.kept);
		ch->sink->ops->down(ch->sink);
	}
	counter64_set(&ch->stats.exported, 0);
	counter64_set(&ch->stats.dirty, 0);
	counter64_set(&ch->stats.behind_ns, 0);
	down_import(ch, how);
	if (ch->over && how == REC_DOWN)
		own_nets_clear(&ch->over->nets);
	channel_compare_stop(ch);
	channel_view_free(channel_swap_view(ch, false));
	channel_ground_end(ch);
	if (ch->proto->cmd.acks)
		/* requests may have waited for the end */
		worker_again(&ch->proto->worker);
}

void
channel_down(struct channel *ch)
{
	if (ch->life.up) {
		channel_leave(ch, REC_DOWN);
	} else if (ch->life.away) {
		channel_hops_down(ch);
		channel_post_rec(ch, &(struct rec){ .type = REC_DOWN }, NULL);
	}
	ch->life.away = false;
}

/* down_decides - is a decision about routes in the table under way? */
static bool
down_decides(const struct channel *ch)
{
	return ch->imp.reload_waits || ch->imp.reload_pos != NO_ID || ch->imp.recheck ||
	       ch->imp.part_cnt;
}

void
channel_away(struct channel *ch)
{
	bool again = down_decides(ch);

	ASSERT(ch->life.up);
	channel_leave(ch, REC_AWAY);
	ch->life.away = true;
	if (again && channel_keeps_pre(ch))
		channel_reload_in(ch);
	else if (again && channel_drains(ch))
		channel_reload_drain(ch);
}
