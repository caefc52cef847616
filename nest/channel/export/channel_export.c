/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel as a reader of its table: reader_ops, the amount of a turn, and counters of
 * the export.
 *
 * Loop: the session's. Tested by test/unit/test_reader.c and
 * test/unit/test_channel_send.c. */
#include "lib/base/bitmap.h"
#include "lib/mt/atomic.h"
#include "nest/channel/export/candidates.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/export/watched_nets.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

/* dirty nets above which the session gives way; fewer take a moment */
#define GIVE_WAY_NETS 256
#define LAZY_NS       (200 * NS_PER_MS)

size_t
channel_room(struct reader *r)
{
	const struct channel *ch = channel_of(r);

	return ch->rpki.held_out || ch->life.recovering || ch->exp.waits ||
		       ch->ground.waits
		   ? 0
		   : ch->sink->ops->room(ch->sink);
}

/* channel_send_lent - reader_ops.lent. */
static unsigned
channel_send_lent(struct reader *r, struct segment *const *s, unsigned cnt)
{
	const struct channel *ch = channel_of(r);
	unsigned i;

	for (i = 0; i < cnt && r->queued < r->limit; i++) {
		if (worker_lease_ends(r->worker) || !export_known(ch, s[i]))
			break;
		channel_send_run(r, &s[i], 1, cnt - i);
	}
	return i;
}

static bool
channel_minds_behind(const struct reader *r, uint32_t id)
{
	return channel_of(r)->sink->merges ? channel_holds(r, id, 1)
					   : watched_net(channel_of(r), id);
}

static void
channel_flush(struct reader *r)
{
	struct sink *k = channel_of(r)->sink;

	k->ops->flush(k);
}

static void
channel_synced(struct reader *r)
{
	struct sink *k = channel_of(r)->sink;

	k->ops->synced(k);
}

static void
channel_busy_step(struct reader *r)
{
	struct channel *ch = channel_of(r);

	if (ch->exp.cand->work)
		ch->exp.cand->work(ch);
	channel_compare_step(ch);
}

const struct reader_ops channel_reader_ops = {
	.room = channel_room,
	.run = channel_send_run,
	.lent = channel_send_lent,
	.segment = channel_send_segment,
	.gone = channel_send_gone,
	.holds = channel_holds,
	.minds_behind = channel_minds_behind,
	.flush = channel_flush,
	.synced = channel_synced,
	.work = channel_busy_step,
	.slow = channel_slow_post,
	.progress = channel_progress,
};

void
channel_readers_start(struct channel *ch)
{
	reader_start(ch->rd);
	if (ch->exp.cand->up)
		ch->exp.cand->up(ch);
}

void
channel_readers_stop(struct channel *ch)
{
	reader_stop(ch->rd);
	if (ch->exp.cand->down)
		ch->exp.cand->down(ch);
	watched_clear(ch);
}

/* export_limit - report the crossing of the export limit, once for each crossing. With
 * the action `block` the sink refuses single nets (channel_send.c). */
static void
export_limit(struct channel *ch)
{
	const struct conf_limit *l = &ch->cf->limit.export;
	bool over = l->action == LIMIT_BLOCK ? ch->sink->held >= l->max
					     : ch->sink->held > l->max;

	if (l->action == LIMIT_OFF || over == ch->exp.limit_hit)
		return;
	ch->exp.limit_hit = over;
	if (over)
		channel_limit_export(ch);
}

/* export_publish_behind - publish whether the channel is behind. A channel whose exports
 * are held is not behind. A channel without room is not woken for publications, so it
 * counts as behind. */
static void
export_publish_behind(struct channel *ch)
{
	struct counter64 *at = &ch->stats.behind_ns;
	bool behind = !ch->rpki.held_out && !ch->life.recovering && !ch->ground.waits &&
		      (!channel_room(ch->rd) || !reader_caught_up(ch->rd) ||
			  !reader_has_read(ch->rd, reader_tail(ch->rd)));

	if (behind != (counter64_get(at) != 0))
		counter64_set(at, behind ? clock_now_ns() : 0);
}

static void
export_publish_counts(struct channel *ch)
{
	export_limit(ch);
	export_publish_behind(ch);
	counter64_set(&ch->stats.exported, ch->sink->held);
	counter64_set(&ch->stats.dirty, ch->rd->dirty_cnt);
	counter64_set(&ch->stats.early, ch->rd->early.cnt);
	if (!ch->rd->dirty_cnt && ch->rd->dirty.word)
		bitmap_clear_all(&ch->rd->dirty); /* saves memory with many sessions */
}

/* ---- now and then ---- */

static void
channel_export_turn(struct timer *t)
{
	struct channel *ch = container_of(t, struct channel, exp.turn);

	ch->exp.waits = false;
	ch->exp.due = true;
	worker_again(&ch->proto->worker);
}

void
channel_lazy(struct channel *ch)
{
	timer_init(&ch->exp.turn, &ch->proto->worker, channel_export_turn);
	ch->exp.lazy = true;
}

void
channel_eager(struct channel *ch)
{
	if (!ch->exp.lazy)
		return;
	timer_cancel(&ch->exp.turn);
	ch->exp.lazy = ch->exp.waits = ch->exp.due = false;
	worker_again(&ch->proto->worker);
}

/* export_wait_turn - segments may be unread: read them later. */
static void
export_wait_turn(struct channel *ch)
{
	if (ch->exp.due || ch->exp.waits)
		return;
	ch->exp.waits = true;
	timer_set(&ch->exp.turn, loop_now_ns(&ch->proto->worker) + LAZY_NS);
}

bool
channel_export_run(struct channel *ch)
{
	const struct candidates *c = ch->exp.cand;
	bool more;

	if (!ch->life.up || !ch->sink)
		return false;
	if (unlikely(ch->exp.lazy))
		export_wait_turn(ch);
	channel_trace_renew(ch);
	more = c->run ? c->run(ch) : reader_run(ch->rd);
	if (ch->offer.ch)
		more |= channel_export_run(ch->offer.ch);
	export_publish_counts(ch);
	ch->exp.due = ch->exp.due && more;
	/* A reload gives hundreds of sessions so much work at once that the last session
	 * would be silent until all earlier sessions finished, each after a long time
	 * slice; work that follows the journal is shorter. */
	if (more && (ch->rd->busy || ch->rd->dirty_cnt > GIVE_WAY_NETS))
		worker_give_way(&ch->proto->worker);
	return more;
}

bool
channel_lent(struct channel *ch)
{
	const struct candidates *c = ch->exp.cand;
	bool left;

	if (!ch->life.up || !ch->sink)
		return false;
	channel_trace_renew(ch);
	if (ch->log.traces)
		return true;
	left = c->lent ? c->lent(ch) : reader_lent(ch->rd);
	left |= ch->rd->dirty_cnt > 0;
	/* the offer channel waits for the worker's own thread */
	left |= ch->offer.ch != NULL;
	export_publish_counts(ch);
	return left;
}

bool
channel_has_room(struct channel *ch)
{
	return ch->life.up && ch->sink && channel_room(ch->rd) > 0;
}

bool
channel_caught_up(const struct channel *ch)
{
	return !ch->life.up || !ch->sink || reader_caught_up(ch->rd);
}

bool
channel_feeds(const struct channel *ch)
{
	return ch->life.up && ch->sink &&
	       (ch->rd->sweep.all_on || ch->rd->sweep.all_again);
}

bool
channel_has_read(const struct channel *ch)
{
	return !ch->life.up || !ch->sink || reader_has_read(ch->rd, ch->life.ask_tail);
}

bool
channel_refresh_out(struct channel *ch)
{
	bool next;

	if (!ch->life.up || !ch->sink)
		return false;
	next = !ch->rd->sweep.all_on || ch->rd->sweep.all_new;
	if (!ch->rd->sweep.all_on &&
	    !ch->rd->sweep.on) { /* all goes out by the present filter */
		channel_compare_stop(ch);
		ch->exp.soft = false;
	}
	reader_all(ch->rd);
	return next;
}

const struct route_source *
channel_facts(const struct channel *ch)
{
	const struct origin *o = load_acquire_ptr(&ch->ts.facts); /* pairs: TFACTS */

	return o ? &o->src : NULL;
}

struct nlri
channel_nlri(const struct channel *ch, uint32_t id)
{
	return net_nlri(ch->from, reader_net(ch->rd, id));
}
