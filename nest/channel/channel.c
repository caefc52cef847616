/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a channel: attach, up, down, reconfigure, detach; messages from the table.
 * Loop: the instance's, but for functions marked in the header.
 *
 *      channel_new     private to its creator
 *      channel_attach  attached to its table, idle
 *      channel_up      facts to the table (REC_UP), cursor at the tail, all nets dirty
 *                      (the feed)
 *      channel_down    REC_DOWN; cursor released, bits and view dropped
 *      channel_away    REC_AWAY instead of REC_DOWN: routes stay, stale, while the peer
 *                      restarts (channel_stale.c)
 *      channel_detach  -> (all paths gone, a grace period) -> ops->detached ->
 *                      channel_free
 *
 * No reference survives the teardown: the cursor is idle before REC_DOWN, the table
 * removes the cursor from its list and waits a grace period before it answers `detached`;
 * RCU frees the view, and the facts are counted. */
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_refresh_priv.h"
#include "nest/channel/channel_rpki_priv.h"
#include "nest/channel/import/kept_set.h"

#include "lib/base/wrap.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/ring.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel_offer_priv.h"
#include "nest/channel/channel_override_priv.h"
#include "nest/channel/channel_stale_priv.h"
#include "nest/channel/channel_tally.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/override.h"
#include "nest/core/recovery.h"
#include "nest/core/tern.h"
#include "nest/rib/ids.h"
#include "nest/rib/source.h"
#include "sysdep/loop/loop.h"

/* ---- life ---- */

static void
channel_reader_new(struct channel *ch, struct channel_reader *r)
{
	r->ch = ch;
	reader_init(
	    &r->r, ch->from, &ch->proto->worker, &channel_reader_ops, &ch->work.arena);
}

/* channel_with_table - number of feeders and readers that the table must know. */
static uint8_t
channel_with_table(const struct channel *ch)
{
	return (uint8_t)(!ch->offer.of + (ch->sink != NULL) + (ch->all != NULL) +
			 (ch->over != NULL));
}

bool
channel_is_attached(const struct channel *ch)
{
	return ch->life.attached == channel_with_table(ch) && !ch->life.detaching;
}

struct channel *
channel_make(struct proto *p, const struct conf_channel *cf,
    const struct channel_ops *ops, struct sink *sink, const struct channel *of)
{
	struct channel *ch = mem_aligned(MEM_PROTO, CACHE_LINE, sizeof(*ch));

	memset(ch, 0, sizeof(*ch));
	ch->life.incarnation = (uint32_t)wrap_start(0, 32);
	ch->proto = p;
	ch->cf = cf;
	store_release_ptr(&ch->pub.cf, (void *)(uintptr_t)cf); /* pairs: CCONF */
	ch->ops = ops;
	ch->fam = (enum family)cf->family;
	ch->offer.of = of;
	ch->table = of ? of->table : tern_table_of(p->tern, cf->table->name);
	ch->kind = table_kind(ch->table);
	table_use(ch->table);
	ch->from = ch->table;
	if (sink && p->cls->conf->through && conf_table_base(cf->table))
		ch->from = of ? of->ground.base
			      : tern_table_of(p->tern, conf_table_base(cf->table)->name);
	ch->ground.base = ch->from;
	table_use(ch->ground.base);
	store_release_ptr(&ch->pub.from, ch->from); /* pairs: CFROM */
	feeder_init(&ch->ts, ch->table, &p->worker);
	ch->ts.order = &p->cls->order;
	ch->ts.ops = &channel_feeder_ops;
	ch->ts.stats = &ch->stats.in;
	ch->ts.keeps_filtered = cf->keep_filtered;
	channel_count_filtered(ch, false);
	ch->imp.reload_pos = NO_ID;
	channel_work_init(ch);
	channel_reader_new(ch, &ch->best);
	ch->best.r.wants.behind = sink && sink->merges;
	if (sink && sink->can_all) {
		ch->all = mem_zalloc(MEM_PROTO, sizeof(*ch->all));
		channel_reader_new(ch, ch->all);
		ch->all->r.wants.all = true;
		ch->all->r.wants.shunned = &ch->ts;
	}
	channel_limit_init(ch);
	channel_ask_init(ch);
	ch->sink = sink;
	if (sink) {
		sink->ch = ch;
		sink->arena = &ch->work.arena;
	}
	if (ch->from != ch->table)
		channel_overlay_new(ch);
	channel_choose(ch);
	return ch;
}

struct channel *
channel_new(struct proto *p, const struct conf_channel *cf, const struct channel_ops *ops,
    struct sink *sink)
{
	struct channel *ch = channel_make(p, cf, ops, sink, NULL);

	ch->next = load_relaxed_ptr(&p->channels);
	store_release_ptr(&p->channels, ch); /* pairs: PCHAN */
	return ch;
}

struct done_msg {
	struct msg msg;
	struct channel *ch;
};

static void
channel_attached(struct worker *w, TAKE struct msg *m)
{
	struct done_msg *d = container_of(m, struct done_msg, msg);

	(void)w;
	if (++d->ch->life.attached == channel_with_table(d->ch)) {
		if (d->ch->ops->attached)
			d->ch->ops->attached(d->ch);
		d->ch->proto->attach.attaching--;
		worker_again(&d->ch->proto->worker);
	}
	mem_free(MEM_PROTO, d);
}

static OWNED struct msg *
channel_done_msg(struct channel *ch, void (*handle)(struct worker *w, TAKE struct msg *m))
{
	struct done_msg *d = mem_zalloc(MEM_PROTO, sizeof(*d));

	d->msg.handle = handle;
	d->ch = ch;
	return &d->msg;
}

void
channel_attach(struct channel *ch)
{
	ch->proto->attach.attaching++;
	ch->ts.place = ch->proto->place;
	if (!ch->offer.of)
		feeder_attach(&ch->ts, channel_done_msg(ch, channel_attached));
	if (ch->sink)
		reader_attach(&ch->best.r, channel_done_msg(ch, channel_attached));
	if (ch->all)
		reader_attach(&ch->all->r, channel_done_msg(ch, channel_attached));
	if (ch->over)
		reader_attach(&ch->over->rd.r, channel_done_msg(ch, channel_attached));
	if (ch->offer.ch) /* after its feeder, whose routes it leaves out */
		channel_attach(ch->offer.ch);
}

/* channel_free_offer - free the offer channel of @ch, with @ch. */
static void
channel_free_offer(struct channel *ch)
{
	struct conf_channel *like;

	if (!ch->offer.ch)
		return;
	like = ch->offer.ch->offer.like;
	channel_free(ch->offer.ch);
	ch->offer.ch = NULL;
	mem_free(MEM_PROTO, like);
}

void
channel_free(TAKE struct channel *ch)
{
	channel_free_offer(ch);
	channel_work_put(ch); /* needs the reader */
	watched_free(ch);
	reject_memory_free(load_relaxed_ptr(&ch->rejected.memory));
	reject_memory_free(load_relaxed_ptr(&ch->rejected.by_limit));
	channel_tally_free(ch);
	kept_set_fini(&ch->exp.kept);
	channel_hops_free(ch);
	reader_fini(&ch->best.r);
	if (ch->all)
		reader_fini(&ch->all->r);
	channel_overlay_free(ch);
	mem_free(MEM_PROTO, ch->all);
	arena_fini(&ch->work.arena);
	feeder_fini(&ch->ts);
	mem_free(MEM_PROTO, ch->imp.pend.buf);
	table_unuse(ch->table);
	table_unuse(ch->ground.base);
	mem_free(MEM_PROTO, ch);
}

static void
channel_detached(struct worker *w, TAKE struct msg *m)
{
	struct done_msg *d = container_of(m, struct done_msg, msg);
	struct channel *ch = d->ch;

	(void)w;
	mem_free(MEM_PROTO, d);
	if (--ch->life.attached)
		return;
	channel_limit_fini(ch);
	if (ch->ops->detached)
		ch->ops->detached(ch);
	else {
		ch->proto->attach.detaching--;
		worker_again(&ch->proto->worker);
	}
}

void
channel_detach(struct channel *ch)
{
	ASSERT(!ch->life.up && !ch->life.away);
	if (ch->offer.ch) /* before its feeder */
		channel_detach(ch->offer.ch);
	ch->life.detaching = true;
	channel_watch_drop(ch);
	if (ch->sink)
		reader_detach(&ch->best.r, channel_done_msg(ch, channel_detached));
	if (ch->all)
		reader_detach(&ch->all->r, channel_done_msg(ch, channel_detached));
	if (ch->over)
		reader_detach(&ch->over->rd.r, channel_done_msg(ch, channel_detached));
	if (ch->offer.of && !ch->rpki.watch)
		return;
	ch->life.attached += ch->offer.of != NULL; /* until its subscriptions ended */
	if (ch->imp.pend.len || ch->rpki.watch)
		ch->life.detach_done = channel_done_msg(
		    ch, channel_detached); /* first the others; channel_step continues */
	else
		feeder_detach(&ch->ts, channel_done_msg(ch, channel_detached));
}

static void
channel_post_up(struct channel *ch)
{
	struct origin *f = origin_new(
	    ch->proto->tern->origins, &ch->imp.facts, ch->proto->name);
	struct rec rec = { .type = REC_UP };

	f->order = ch->ts.order;
	f->incarnation = ch->life.incarnation;
	rec.facts = f;
	channel_post_rec(ch, &rec, NULL);
	channel_post_limits(ch);
}

/* channel_count_anew - reset the counters of one session life, as the table does
 * (REC_DOWN). */
static void
channel_count_anew(struct channel_stats *st)
{
	struct counter64 *const c[] = { &st->imp_upd_received, &st->imp_upd_invalid,
		&st->imp_upd_filtered, &st->imp_wd_received, &st->imp_wd_invalid,
		&st->exp_upd_received, &st->exp_upd_rejected, &st->exp_upd_filtered,
		&st->exp_upd_accepted, &st->exp_wd_received, &st->exp_wd_accepted,
		&st->import_steps, &st->export_steps };

	for (unsigned i = 0; i < ARRAY_LEN(c); i++)
		counter64_set(c[i], 0);
	for (unsigned r = 0; r < REASON_CNT; r++)
		if (reason_stage((enum reason)r) != REASON_AT_LIMIT) /* the table's */
			counter64_set(&st->reason[r], 0);
}

void
channel_recovers(struct channel *ch, bool on)
{
	ch->life.recovers = on;
}

void
channel_await(struct channel *ch, bool on)
{
	uint32_t old = load_relaxed32(&ch->pub.recovery) & ~CHANNEL_AWAITED;

	store_relaxed32(&ch->pub.recovery, old | (on ? CHANNEL_AWAITED : 0));
}

static bool
channel_holds_back(const struct channel *ch)
{
	return recovery_holds(&ch->proto->tern->recovery, ch->fam);
}

/* channel_recovered - recovery is over: begin the feed of the present table, with
 * End-of-RIB at its end. */
static void
channel_recovered(struct channel *ch)
{
	channel_set_recovering(ch, false);
	reader_stop(ch->rd);
	reader_start(ch->rd);
	channel_refresh_out(ch);
}

void
channel_up(struct channel *ch, const struct route_source *src)
{
	ASSERT(!ch->life.up); /* and attached */
	ASSERT(load_relaxed32(&channel_feeder(ch)->id) != NO_FEEDER);
	channel_watch_renew(ch);
	if (!ch->life.away) /* stale routes may not be kept */
		store_relaxed32(&ch->pub.keeps_pre, load_relaxed32(&ch->pub.notes_pre));
	ch->life.up = true;
	ch->life.away = false;
	ch->life.incarnation = serial_next(ch->life.incarnation);
	ch->imp.facts = *src;
	ch->imp.facts.proto = ch->proto->name;
	ch->imp.facts.place = ch->proto->place;
	channel_override_choose(ch);
	ch->exp.rewrites = ch->exp.soft = ch->exp.limit_blocked = false;
	if (ch->sink)
		channel_choose(ch);
	channel_count_anew(&ch->stats);
	channel_ask_up(ch);
	channel_hold(ch);
	channel_watch_update(ch);
	channel_publish_view(ch);
	if (channel_is_over(ch)) { /* the policy below is known now */
		channel_hold_out(ch);
		channel_watch_update(ch);
	}
	if (!ch->offer.of)
		channel_post_up(ch);
	if (!ch->sink)
		return;
	channel_set_recovering(
	    ch, (ch->ops->far || ch->life.recovers) && channel_holds_back(ch));
	channel_readers_start(ch);
	ch->imp.was_blocked = false;
	channel_limit_renew(ch);
	channel_refresh_out(ch);
	if (ch->offer.ch && !ch->offer.ch->offer.unused &&
	    channel_is_attached(ch->offer.ch))
		channel_up(ch->offer.ch, src);
}

uint64_t
channel_unsent(const struct channel *ch)
{
	return ch->life.up && ch->rd ? reader_unread(ch->rd) : 0;
}

void
channel_keep_pre(struct channel *ch, bool on)
{
	store_relaxed32(&ch->pub.notes_pre, on);
	if (!on || (!ch->life.up && !ch->life.away))
		store_relaxed32(&ch->pub.keeps_pre, on);
}

void
channel_count_filtered(struct channel *ch, bool on)
{
	feeder_count_filtered(&ch->ts, on || ch->ts.keeps_filtered);
}

void
channel_set_ids(struct channel *ch, unsigned id_len)
{
	ASSERT(!ch->life.up);
	ch->imp.id_len = (uint8_t)id_len;
}

void
channel_step(struct channel *ch)
{
	uint32_t pos;
	bool more;

	if (ch->offer.ch)
		channel_step(ch->offer.ch);
	reader_wake_more(&ch->best.r);
	if (ch->all)
		reader_wake_more(&ch->all->r);
	if (unlikely(ch->life.recovering) && !channel_holds_back(ch))
		channel_recovered(ch);
	if (ch->over) {
		reader_wake_more(&ch->over->rd.r);
		if (ch->life.up && channel_is_over(ch))
			channel_overlay_step(ch);
	}
	if (ch->imp.pend.len && !channel_flush_pending(ch))
		return;
	if (ch->life.detach_done && !ch->rpki.watch) {
		struct msg *m = ch->life.detach_done;

		ch->life.detach_done = NULL;
		if (ch->offer.of)
			channel_detached(&ch->proto->worker, m);
		else
			feeder_detach(&ch->ts, m);
		return;
	}
	pos = ring_pos(&ch->ts.ring);
	more = ch->imp.reload_pos != NO_ID && channel_reload_step(ch);
	if (unlikely(ch->imp.hops))
		more |= channel_hops_step(ch);
	if (ch->imp.recheck || ch->exp.recheck)
		more |= channel_recheck_step(ch);
	if (ring_pos(&ch->ts.ring) != pos && ch->ops->brought)
		ch->ops->brought(ch);
	if (more)
		worker_again(&ch->proto->worker);
	if (ch->imp.was_blocked && !ch->imp.pend.len && !ch->rpki.held_in) {
		ch->imp.was_blocked = false;
		if (ch->life.up)
			ch->ops->import_ready(ch);
	}
}

void
channel_sink_changed(struct channel *ch)
{
	if (!ch->life.up)
		return;
	channel_publish_view(ch);
	if (channel_is_over(ch))
		channel_watch_update(ch);
	channel_refresh_out(ch);
}

bool
channel_reconf(struct channel *ch, uint32_t change, bool soft)
{
	struct export_view *old;
	bool below;

	if (!ch->life.up) {
		if (ch->life.away)
			channel_stale_reconf(ch, change, soft);
		return true;
	}
	if (ch->offer.ch) /* the offer channel has no filter and no limit of @change */
		(void)channel_reconf(ch->offer.ch, 0, soft);
	if (change & CONF_CH_LIMIT) {
		channel_post_limits(ch);
		channel_limit_renew(ch); /* looked at anew, with the next counts */
		worker_again(&ch->proto->worker);
	}
	old = channel_swap_view(ch, true); /* always: the old configuration is to go */
	below = !channel_same_below(old, ch->exp.view);
	if (channel_is_over(ch)) {
		channel_below_soft(ch, old);
		channel_watch_update(ch);
	}
	ch->exp.soft |= soft && (change & CONF_CH_EXPORT);
	if ((change & CONF_CH_LIMIT) && ch->exp.limit_blocked) {
		/* Nets kept back by the old limit may be allowed now. */
		ch->exp.limit_blocked = false;
		if (soft && ch->exp.soft)
			channel_send_missing(ch);
		else
			channel_recheck_out(ch);
	}
	if (below || ((change & CONF_CH_EXPORT) && !soft && ch->sink)) {
		channel_policy_changed(ch, old);
	} else {
		channel_view_free(old);
	}
	if (soft || !(change & CONF_CH_IMPORT))
		return true;
	ch->imp.unsettled = true;
	return channel_reload_in(ch);
}

uint32_t
channel_change(const struct channel *ch, const struct proto_cmd *cmd)
{
	return conf_channel_diff(
	    ch->proto->cf, ch->cf, cmd->cf, conf_channel_like(cmd->cf, ch->cf));
}

void
channel_adopt(struct channel *ch, const struct conf_channel *cf)
{
	const struct conf_channel *was = ch->cf;

	ch->cf = cf;
	store_release_ptr(&ch->pub.cf, (void *)(uintptr_t)cf); /* pairs: CCONF */
	channel_hold_changed(ch, was);
	if ((channel_has_routes(ch) || ch->rpki.watch) && !ch->life.detaching)
		channel_watch_update(ch);
	channel_ground_begin(ch);
	if (ch->offer.ch)
		channel_offer_adopt(ch);
}
