/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a segment to calls of the sink: one decision for all nets, or a decision for each
 * net if necessary (filters that read the net, an export limit near its bound, or a
 * reader that must tell only some nets of the segment).
 *
 * I1  A net that was given to the sink, or withdrawn, is clean (nest/rib/read.h).
 *
 * Loop: the session's. Tests: test_channel_send.c, prop_spine.c. */
#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/route.h"
#include "lib/base/bitmap.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/export/candidates.h"
#include "nest/channel/export/watched_nets.h"
#include "nest/channel/import/kept_set.h"
#include "nest/channel/export/sink.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"

/* channel_send_after - the units queued by the sink count for the reader's turn. */
static inline void
channel_send_after(struct channel *ch)
{
	ch->rd->queued = ch->sink->queued;
}

/* send_clean_segment - all nets are settled; no limit keeps them back. */
static void
send_clean_segment(struct channel *ch, const struct segment *s)
{
	const struct seg_run *run = segment_runs(s);

	for (uint32_t r = 0; unlikely(ch->exp.kept.cnt) && r < s->run_cnt; r++)
		kept_set_drop(&ch->exp.kept, run[r].id, run[r].cnt);
	for (uint32_t r = 0; ch->rd->dirty_cnt && r < s->run_cnt; r++)
		reader_clean(ch->rd, run[r].id, run[r].cnt);
}

/* channel_send_report_refused - @a concerns the net at @nlri, and maybe further nets. */
static void
channel_send_report_refused(
    struct channel *ch, const uint8_t *nlri, const struct export_answer *a)
{
	/* only refusals by settle are logged, not earlier refusals */
	const struct sink_policy_ops *policy = ch->sink->ops->policy;

	if (unlikely(a->reason > REASON_EXPORT_FILTER) && policy && policy->refused)
		policy->refused(ch->sink, nlri, a);
}

/* ---- the export limit ---- */

/* send_limit_blocks - true: `export limit N action block` keeps net @id from the peer. */
static bool
send_limit_blocks(const struct channel *ch, uint32_t id)
{
	const struct conf_limit *l = &ch->cf->limit.export;

	return l->action == LIMIT_BLOCK && ch->sink->held >= l->max &&
	       !channel_holds(ch->rd, id, 1);
}

/* channel_send_crosses - true: all nets of @s would exceed the export limit. */
static bool
channel_send_crosses(const struct channel *ch, const struct segment *s)
{
	const struct conf_limit *l = &ch->cf->limit.export;

	return l->action == LIMIT_BLOCK && ch->sink->held + s->nets.cnt > l->max;
}

/* ---- announcements that the peer already has ---- */

/* send_holds_net - true: the peer holds exactly @a for net @id of @s, and did not ask
 * again. */
static bool
send_holds_net(struct channel *ch, const struct segment *s, uint32_t id,
    const struct export_answer *a)
{
	struct seg_run one = { id, 1 };

	if (likely(!sink_knows(ch->sink)))
		return ch->exp.watch && watched_held(ch, id, a);
	return !(ch->rd->sweep.all_on && reader_is_dirty(ch->rd, id)) &&
	       ch->sink->ops->memory->holds_same(ch->sink, s, &one, 1, a);
}

/* send_holds_of - of how many nets of @s? */
static uint32_t
send_holds_of(struct channel *ch, const struct segment *s, const struct export_answer *a)
{
	const struct seg_run *run = segment_runs(s);

	if (likely(!sink_knows(ch->sink)))
		return 0;
	if (ch->rd->sweep.all_on && seg_runs_marked(&ch->rd->dirty, run, s->run_cnt))
		return 0;
	return ch->sink->ops->memory->holds_same(ch->sink, s, run, s->run_cnt, a);
}

/* ---- net by net ---- */

static void
send_withdraw_net(struct channel *ch, struct segment *s, const struct sink_nets *n)
{
	counter64_bump(
	    &ch->stats.exp_wd_accepted, ch->sink->ops->withdraw(ch->sink, s, n));
	kept_set_drop(&ch->exp.kept, n->run->id, 1);
	reader_clean(ch->rd, n->run->id, 1);
}

bool
channel_send_announce(struct channel *ch, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	uint32_t id = n->run->id;
	bool blocked = send_limit_blocks(ch, id);

	ch->exp.limit_blocked |= blocked;
	if (unlikely(ch->log.traces))
		channel_trace_export(ch, id, n->nlri + channel_ids_out(ch), a, blocked);
	if (blocked) {
		counter64_bump(&ch->stats.exp_upd_rejected, 1);
		counter64_bump(&ch->stats.reason[REASON_EXPORT_LIMIT], 1);
		send_withdraw_net(ch, s, n);
		kept_set_put(&ch->exp.kept, id);
		return true;
	}
	kept_set_drop(&ch->exp.kept, id, 1);
	if (send_holds_net(ch, s, id, a)) {
		reader_clean(ch->rd, id, 1);
		return true;
	}
	switch (ch->sink->ops->announce(ch->sink, s, n, a)) {
	case SINK_TAKEN:
		counter64_bump(&ch->stats.exp_upd_accepted, 1);
		reader_clean(ch->rd, id, 1);
		break;
	case SINK_REFUSED:
		counter64_bump(&ch->stats.exp_upd_rejected, 1);
		counter64_bump(&ch->stats.reason[ch->sink->reason], 1);
		return false;
	case SINK_LATER:
		reader_dirty(ch->rd, id, 1);
		break;
	}
	return true;
}

void
channel_send_withdraw(struct channel *ch, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	if (unlikely(ch->log.traces) && a->verdict != EXPORT_ACCEPT)
		channel_trace_export(ch, n->run->id, n->nlri + channel_ids_out(ch),
		    s->set ? a : NULL, false);
	send_withdraw_net(ch, s, n);
}

/* send_announce_other - channel_send_announce for a route other than the present
 * segment's. The sink's collection of marked routes may depend on the source, so the
 * sink finishes the collection before and after. */
static bool
send_announce_other(struct channel *ch, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	bool alone = s->marks, sent;

	if (alone)
		ch->sink->ops->parts_done(ch->sink);
	sent = channel_send_announce(ch, s, n, a);
	if (alone)
		ch->sink->ops->parts_done(ch->sink);
	return sent;
}

bool
channel_send_next(struct channel *ch, struct segment *s, const struct sink_nets *n)
{
	const struct candidates *c = ch->exp.cand;
	const struct export_answer *a;
	enum filter_verdict fixed;
	struct candidate_search l;

	/* in a lease no filter is run */
	if (worker_is_lent(&ch->proto->worker) &&
	    (ch->exp.view->over || ch->exp.view->drains ||
		!filter_is_const(ch->exp.view->filter, &fixed))) {
		reader_dirty(ch->rd, n->run->id, 1);
		return true;
	}
	c->begin(ch, &l, n->run->id, s);
	while ((a = c->next(ch, &l)) && !send_announce_other(ch, &l.seg, n, a))
		;
	c->end(ch, &l, a);
	return a != NULL;
}

/* send_decide_net - decide one net of @s without a common answer. */
static void
send_decide_net(struct channel *ch, struct segment *s, const struct sink_nets *n)
{
	struct route_view rv = { .what = NULL };
	struct export_answer a;
	struct fnet what;

	nlri_view_get(ch->kind, n->nlri + channel_ids_out(ch), &rv, &what);
	export_decide(ch, s, &rv, &a);
	channel_send_report_refused(ch, n->nlri + channel_ids_out(ch), &a);
	ch->exp.cand->send(ch, s, n, &a);
	if (a.verdict != EXPORT_ACCEPT)
		channel_count_refused(ch, &a, 1);
	export_answer_done(ch->table, &a);
}

/* send_by_net - handle the nets of @s that the reader must tell; of a SEG_BEHIND
 * segment, the watched nets.
 * @whole: the common answer, or PER_NET. */
static void
send_by_net(struct channel *ch, struct segment *s, const struct export_answer *whole,
    enum read_check check)
{
	const uint8_t *pos = segment_nlri(s);
	bool watched = check == READ_ALL && (s->form & SEG_BEHIND) && !ch->sink->merges;
	unsigned ids = channel_ids_out(ch);

	for (struct seg_nets w = segment_nets(s); seg_nets_next(&w);) {
		struct seg_run one = { w.id, 1 };
		struct sink_nets n = { &one, 1, 1, pos,
			ids + nlri_len(ch->kind, pos[ids]) };

		pos += n.nlri_len;
		if (!reader_passes(ch->rd, s, one.id, check) ||
		    (watched && !watched_net(ch, one.id)))
			continue;
		if (whole->verdict == EXPORT_PER_NET) {
			send_decide_net(ch, s, &n);
			continue;
		}
		ch->exp.cand->send(ch, s, &n, whole);
		if (s->set && whole->verdict != EXPORT_ACCEPT)
			channel_count_refused(ch, whole, 1);
	}
	ch->sink->ops->parts_done(ch->sink);
}

/* ---- whole segments ---- */

/* send_whole - all nets of @s, as @a says. */
static void
send_whole(struct channel *ch, struct segment *s, struct export_answer *a)
{
	const struct sink_ops *ops = ch->sink->ops;
	uint32_t same = a->verdict == EXPORT_ACCEPT ? send_holds_of(ch, s, a) : 0;

	if (unlikely(same)) {
		if (same < s->nets.cnt)
			send_by_net(ch, s, a, READ_ALL);
		else
			send_clean_segment(ch, s);
		return;
	}
	if (a->verdict == EXPORT_ACCEPT)
		switch (ops->announce(ch->sink, s, NULL, a)) {
		case SINK_TAKEN:
			counter64_bump(&ch->stats.exp_upd_accepted, s->nets.cnt);
			send_clean_segment(ch, s);
			return;
		case SINK_LATER:
			reader_dirty_segment(ch->rd, s);
			return;
		case SINK_REFUSED:
			a->verdict = EXPORT_REJECT;
			a->ruled = true;
			a->reason = ch->sink->reason;
			if (ch->exp.watch) {
				send_by_net(ch, s, a, READ_ALL);
				return;
			}
			channel_count_refused(ch, a, s->nets.cnt);
			break;
		}
	else if (s->set)
		channel_count_refused(ch, a, s->nets.cnt);
	counter64_bump(&ch->stats.exp_wd_accepted, ops->withdraw(ch->sink, s, NULL));
	send_clean_segment(ch, s);
	if (ch->exp.watch)
		watched_drop_runs(ch->exp.watch, segment_runs(s), s->run_cnt);
}

static void
send_answer_for(struct channel *ch, struct segment *s, struct export_answer *a)
{
	if (unlikely(!s->set)) {
		counter64_bump(&ch->stats.exp_wd_received, s->nets.cnt);
		*a = (struct export_answer){ .verdict = EXPORT_REJECT };
		return;
	}
	export_decide(ch, s, NULL, a);
	if (likely(!a->absent))
		counter64_bump(&ch->stats.exp_upd_received, s->nets.cnt);
	channel_send_report_refused(ch, segment_nlri(s) + segment_before(s), a);
}

/* channel_send_concerns - a mere change of the source matters to the two sources, to
 * filters that read facts of the source, to sinks that depend on the source, and if the
 * next hop is valid on the link of the source only. */
static bool
channel_send_concerns(const struct channel *ch, const struct segment *s)
{
	if (likely(s->old_src == NO_FEEDER))
		return true;
	if (watched_concerns(ch, s) || ch->sink->merges)
		return true;
	return !(s->form & SEG_BEHIND) &&
	       (ch->exp.before || s->old_src == ch->exp.view->src ||
		   s->src == ch->exp.view->src || ch->exp.view->rules->by_source ||
		   (s->form & SEG_LOCAL_HOP) ||
		   (export_reads(ch->exp.view) & FILTER_READ_SOURCE));
}

/* send_news_of - number of nets of @s that the reader must tell, up to the first net that
 * differs from its predecessors. */
static uint32_t
send_news_of(struct channel *ch, const struct segment *s, enum read_check check)
{
	uint32_t seen = 0, news = 0;

	for (struct seg_nets n = segment_nets(s); seg_nets_next(&n);) {
		news += reader_passes(ch->rd, s, n.id, check);
		if (news && news != ++seen)
			break;
	}
	return news;
}

void
channel_send_segment(struct reader *r, struct segment *s, enum read_check check)
{
	struct channel *ch = channel_of(r);
	const struct candidates *c = ch->exp.cand;
	struct export_answer a;

	counter64_bump(&ch->stats.segments, 1);
	if (check == READ_LATER || check == READ_LATEST) {
		uint32_t news = send_news_of(ch, s, check);

		if (!news)
			return;
		if (news == s->nets.cnt && s->old_src == NO_FEEDER &&
		    !(s->form & SEG_BEHIND))
			check = READ_ALL;
	}
	if (check == READ_ALL && !channel_send_concerns(ch, s)) {
		if (c->skipped)
			c->skipped(ch, s);
		return;
	}
	send_answer_for(ch, s, &a);
	if (check != READ_ALL || a.verdict == EXPORT_PER_NET || ch->log.traces ||
	    channel_send_crosses(ch, s) || (c->by_net && c->by_net(ch, s, &a)))
		send_by_net(ch, s, &a, check);
	else
		send_whole(ch, s, &a);
	export_answer_done(ch->table, &a);
	if (c->done)
		c->done(ch);
	channel_send_after(ch);
}

/* channel_send_segments - as many of the next segments as need no look of their own.
 * Returns: how many. */
static unsigned
channel_send_segments(struct channel *ch, struct sink_run *r)
{
	unsigned cnt = ch->sink->ops->run(ch->sink, r);

	if (!cnt)
		return 0;
	for (unsigned i = 0; ch->rd->dirty_cnt && i < cnt; i++)
		/* a SEG_BEHIND segment has no best route */
		if (!(r->s[i]->form & SEG_BEHIND))
			send_clean_segment(ch, r->s[i]);
	counter64_bump(&ch->stats.segments, cnt);
	counter64_bump(&ch->stats.decisions, cnt);
	counter64_bump(&ch->stats.exp_upd_received, r->nets);
	counter64_bump(&ch->stats.exp_upd_accepted, r->nets);
	channel_send_after(ch);
	return cnt;
}

unsigned
channel_send_run(struct reader *rd, struct segment *const *s, unsigned cnt, unsigned seen)
{
	struct channel *ch = channel_of(rd);
	/* routes that the peer asked for are sent even if held */
	bool again = sink_knows(ch->sink) && ch->rd->sweep.all_on;
	bool uniform = ch->exp.view->uniform && !ch->log.traces && !again &&
		       ch->sink->ops->run;
	struct watched_seen looked = { 0 };
	unsigned i = 0;

	while (i < cnt && rd->queued < rd->limit) {
		struct sink_run r = { .s = s + i,
			.cnt = cnt - i,
			.seen = seen - i,
			.uniform = ch->exp.view->uniform,
			.not_src = ch->exp.view->src,
			.limit = rd->limit };

		if (uniform && ch->exp.watch)
			r.cnt = watched_free_of(ch, s, i, cnt, &looked);
		if (uniform && r.cnt)
			i += channel_send_segments(ch, &r);
		if (i >= cnt || rd->queued >= rd->limit)
			break;
		if (!uniform && i + 8 < seen) { /* other threads read the segment last */
			__builtin_prefetch(s[i + 8]);
			__builtin_prefetch((const char *)s[i + 8] + CACHE_LINE);
		}
		channel_send_segment(rd, s[i++], READ_ALL);
	}
	return i;
}

/* One net in the form for a sink. Life: until the flush. */
struct one_net {
	struct seg_run run;
	struct sink_nets n;
	uint8_t nlri[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK];
};

static void
send_one_net_get(struct channel *ch, uint32_t id, struct one_net *one)
{
	struct nlri k = net_nlri(ch->from, reader_net(ch->rd, id));
	unsigned ids = channel_ids_out(ch);

	memset(one->nlri, 0, sizeof(one->nlri));
	if (ids)
		put_be32(one->nlri, id);
	one->run = (struct seg_run){ id, 1 };
	one->n = (struct sink_nets){ &one->run, 1, 1, one->nlri,
		ids + NLRI_BY_KIND(ch->kind, nlri_put, one->nlri + ids, k.word, k.head) };
}

void
channel_send_gone(struct reader *r, const uint32_t *id, uint32_t cnt)
{
	struct channel *ch = channel_of(r);
	unsigned ids = channel_ids_out(ch);

	for (uint32_t i = 0; i < cnt; i++) {
		struct one_net one;

		if (ch->exp.watch)
			watched_drop(ch->exp.watch, id[i]);
		kept_set_drop(&ch->exp.kept, id[i], 1);
		if (!channel_holds(r, id[i], 1)) {
			reader_clean(ch->rd, id[i], 1);
			continue;
		}
		send_one_net_get(ch, id[i], &one);
		if (unlikely(ch->log.traces))
			channel_trace_export(ch, id[i], one.nlri + ids, NULL, false);
		send_withdraw_net(ch, NULL, &one.n);
	}
	ch->sink->ops->parts_done(ch->sink);
	channel_send_after(ch);
}

void
channel_send_now(struct channel *ch, uint32_t id)
{
	/* the sink borrows the announcement until the flush */
	struct one_net *one = arena_alloc(&ch->work.arena, sizeof(*one));

	send_one_net_get(ch, id, one);
	if (!channel_send_next(ch, NULL, &one->n)) {
		if (unlikely(ch->log.traces))
			channel_trace_export(
			    ch, id, one->nlri + channel_ids_out(ch), NULL, false);
		send_withdraw_net(ch, NULL, &one->n);
	}
	ch->sink->ops->parts_done(ch->sink);
	ch->exp.cand->done(ch);
	channel_send_after(ch);
}
