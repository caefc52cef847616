/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether a set is sent to a peer, and in which form.
 *
 * First come rules of the peer, never remembered: own route, reflection, well-known
 * communities. Then the export filter, once for all nets of a segment unless the filter
 * may read the prefix; the segment keeps the answer for channels with this filter. Last
 * the sink settles the result of the filter (nest/channel/export/sink.h).
 *
 * Loop: the session's; channel_would_export and the functions for operators in any
 * thread. */
#include "nest/channel/channel_priv.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_ask_priv.h"
#include "nest/channel/channel_drain_priv.h"
#include "nest/channel/export/watched_nets.h"
#include "nest/channel/export/sink.h"
#include "nest/core/override.h"
#include "nest/core/reason.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/attr/export_memo.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"

#include <errno.h>

/* decide_marks_forbid - the rules about SEG_*. Returns: enum reason. */
static inline uint8_t
decide_marks_forbid(const struct export_view *v, uint8_t marks)
{
	if (likely(!marks) || !v->policy || !v->policy->forbids)
		return REASON_NONE;
	return v->policy->forbids(v->rules, marks);
}

/* decide_before - the reason of a refusal before any filter; REASON_NONE: none. */
static inline uint8_t
decide_before(const struct export_view *v, uint32_t src, uint8_t marks)
{
	if (unlikely(v->quarantined))
		return REASON_QUARANTINE_EXPORT;
	return src == v->src ? REASON_OWN : decide_marks_forbid(v, marks);
}

/* decide_run_filter - @out: gets the answer. Returns: FILTER_READ_* of the run. */
static uint32_t
decide_run_filter(const struct export_question *q, const struct filter *f,
    struct filter_thread *ft, const struct route_view *rv, struct export_answer *out)
{
	const struct filter_env *env = q->quiet ? &channel_quiet_env
						: &channel_filter_env;
	struct attr_store *store = table_store(q->table);
	struct attr_edit e;
	uint32_t reads = 0;

	attr_edit_init(&e, q->arena, rv->set);
	out->verdict = filter_run(f, ft, env, rv, &e, &reads) == FILTER_ACCEPT
			   ? EXPORT_ACCEPT
			   : EXPORT_REJECT;
	out->set = (struct attr_set *)(uintptr_t)rv->set;
	if (out->verdict == EXPORT_ACCEPT && attr_edit_changed(&e)) {
		out->set = attr_store_edit(store, &e);
		if (!out->set) {
			out->verdict = EXPORT_REJECT;
			out->reason = REASON_NO_ROOM;
		}
		attr_hold_put(store, &out->held, out->set);
	}
	return reads;
}

static const struct route_source unknown_source = { .proto = "" };

static bool
export_decide_recall(
    const struct segment *seg, const struct filter *f, struct export_answer *a)
{
	const struct export_memo *m = export_memo_find(&seg->memo, f);

	if (!m)
		return false;
	a->verdict = m->verdict == FILTER_ACCEPT ? EXPORT_ACCEPT : EXPORT_REJECT;
	if (m->set)
		a->set = m->set;
	return true;
}

/* export_decide_remember - store the answer for all nets of @seg in the segment, unless
 * the run read another table, whose contents may change. */
static void
export_decide_remember(const struct export_question *q, const struct filter *f,
    struct config_ref *conf, uint32_t reads, const struct export_answer *a)
{
	bool yes = a->verdict == EXPORT_ACCEPT;
	struct export_memo m = {
		.by = f,
		.conf = conf,
		.verdict = yes ? FILTER_ACCEPT : FILTER_REJECT,
		.set = yes ? a->set : NULL,
	};
	uint32_t more;

	if (reads & (FILTER_READ_TABLE | FILTER_READ_VOLATILE))
		return;
	more = export_memo_put(table_store(q->table), &q->seg->memo, q->seg->wire, &m);
	if (more)
		segment_charge(q->table, q->seg, more);
}

/* decide_ask_filter - apply filter @f of @conf to the set accepted so far. */
static void
decide_ask_filter(const struct export_question *q, const struct filter *f,
    struct config_ref *conf, struct export_answer *a)
{
	struct route_view rv = { .set = q->set };
	struct filter_thread *ft;
	struct fnet what;
	uint64_t steps;
	uint32_t reads;

	if (!q->net && (filter_may_read(f) & FILTER_READ_NET)) {
		a->verdict = EXPORT_PER_NET;
		return;
	}
	if (!q->net && export_decide_recall(q->seg, f, a))
		return;
	rv.src = q->facts;
	rv.what = q->what;
	if (q->net)
		rv.net = *q->net;
	else /* a run-time error is reported with the first net */
		nlri_view_get(table_kind(q->table),
		    segment_nlri(q->seg) + segment_before(q->seg), &rv, &what);
	ft = q->ft ? q->ft : channel_filter_thread(q->ch);
	steps = filter_steps(ft);
	reads = decide_run_filter(q, f, ft, &rv, a);
	a->reads |= (uint8_t)reads;
	if (!q->ft) /* the session itself asks */
		counter64_bump(&q->ch->stats.export_steps, filter_steps(ft) - steps);
	if (!q->net)
		export_decide_remember(q, f, conf, reads, a);
}

/* export_decide_knows - the fixed verdict of @f for all routes whose lists are at most
 * @has (SEG_LISTS). Returns: false: @f must run. */
static inline bool
export_decide_knows(const struct filter *f, uint8_t has, enum filter_verdict *v)
{
	uint8_t lists;

	return filter_bare(f, v, &lists) && !(has & lists << SEG_LISTS_AT);
}

/* export_decide_ask - export_decide_knows, else decide_ask_filter. */
static inline void
export_decide_ask(const struct export_question *q, const struct filter *f,
    struct config_ref *conf, struct export_answer *a)
{
	enum filter_verdict v;

	if (export_decide_knows(f, q->lists, &v))
		a->verdict = v == FILTER_ACCEPT ? EXPORT_ACCEPT : EXPORT_REJECT;
	else
		decide_ask_filter(q, f, conf, a);
}

/* decide_comes_through - true: the policy passes the route from the base to the overlay.
 * Sets PER_NET if the answer depends on the net. */
static bool
decide_comes_through(const struct export_question *q, struct export_answer *a)
{
	const struct overlay *o = q->v->overlay;

	a->absent = true;
	a->ruled = true;
	a->reason = q->src == q->v->src ? REASON_OWN : REASON_PIPE;
	if (!o || !overlay_brings(o, q->src, q->origin))
		return false;
	export_decide_ask(q, o->policy, o->conf, a);
	a->absent = a->ruled = a->verdict == EXPORT_REJECT;
	if (a->verdict != EXPORT_ACCEPT)
		return false;
	a->verdict = EXPORT_REJECT;
	a->reason = REASON_NONE;
	return true;
}

/* decide_is_in - true: the net lies in only_in. Sets PER_NET without a net. */
static bool
decide_is_in(
    const struct export_view *v, const struct export_question *q, struct export_answer *a)
{
	if (q->net) {
		if (prefix_contains(v->only_in, q->net))
			return true;
		a->reason = REASON_ELSEWHERE;
		return false;
	}
	a->verdict = EXPORT_PER_NET;
	return false;
}

/* decide_drain - the accepted route gets GRACEFUL_SHUTDOWN. */
static void
decide_drain(const struct export_question *q, struct export_answer *a)
{
	struct attr_store *store = table_store(q->table);
	struct attr_set *set;
	struct attr_edit e;

	attr_edit_init(&e, q->arena, a->set);
	set = channel_drain_set(store, &e, false);
	if (!set)
		return;
	a->set = set;
	attr_hold_put(store, &a->held, set);
}

/* decide_overrides - true: no override keeps the net from the peer. Sets PER_NET without
 * a net. */
static bool
decide_overrides(
    const struct export_view *v, const struct export_question *q, struct export_answer *a)
{
	if (!q->net) {
		a->verdict = EXPORT_PER_NET;
		return false;
	}
	if (!overrides_find(
		v->overrides, OVERRIDE_NO_EXPORT, v->peer, v->peer_as, q->net))
		return true;
	a->reason = REASON_OVERRIDE_EXPORT;
	a->ruled = true;
	return false;
}

/* decide_here - decide about a route of the table. */
static inline void
decide_here(const struct export_question *q, struct export_answer *a)
{
	const struct export_view *v = q->v;

	a->verdict = EXPORT_REJECT;
	a->reason = decide_before(v, q->src, q->marks);
	a->ruled = a->reason != REASON_NONE;
	if (a->ruled)
		return;
	if (unlikely(v->only_in) && !decide_is_in(v, q, a))
		return;
	if (unlikely(v->overrides) && !decide_overrides(v, q, a))
		return;
	export_decide_ask(q, v->filter, v->conf, a);
	if (unlikely(v->drains) && a->verdict == EXPORT_ACCEPT)
		decide_drain(q, a);
	if (a->verdict != EXPORT_ACCEPT) {
		if (a->verdict == EXPORT_REJECT && !a->reason)
			a->reason = REASON_EXPORT_FILTER;
	} else if (v->policy) {
		v->policy->settle(v->rules, q, a);
		if (a->verdict != EXPORT_ACCEPT && !a->reason)
			a->reason = REASON_NO_ROOM;
	}
}

/* decide_over - decide about a route of the base. */
static void
decide_over(const struct export_question *q, struct export_answer *a)
{
	struct attr_store *store = table_store(q->table);
	struct export_question left;
	struct attr_set *below;

	if (!decide_comes_through(q, a))
		return;
	if (a->set == q->set) {
		decide_here(q, a);
		return;
	}
	left = *q; /* the set after the policy */
	left.set = a->set;
	left.marks = segment_marks(q->table, a->set, q->facts);
	left.lists = q->lists == SEG_LISTS ? SEG_LISTS : segment_lists(a->set);
	below = a->held;
	a->held = NULL;
	decide_here(&left, a);
	if (!a->held && a->set == left.set)
		a->held = below;
	else
		attr_hold_put(store, &below, NULL);
}

/* export_decide_fill - all of @a is set, field by field (export_decide). */
static inline void
export_decide_fill(const struct export_question *q, struct export_answer *a)
{
	a->verdict = EXPORT_REJECT;
	a->set = q->set;
	a->held = NULL;
	a->absent = false;
	a->way = 0;
	a->reason = REASON_NONE;
	a->reads = 0;
	if (unlikely(q->v->over))
		decide_over(q, a);
	else
		decide_here(q, a);
}

/* export_decide_about - a question of the session itself about the net of @r in @seg, or
 * all nets (NULL). */
static inline struct export_question
export_decide_about(struct channel *ch, const struct export_view *v, struct segment *seg,
    const struct route_view *r)
{
	return (struct export_question){ .v = v,
		.table = ch->from,
		.ch = ch,
		.arena = &ch->work.arena,
		.seg = seg,
		.net = r ? &r->net : NULL,
		.what = r ? r->what : NULL,
		.set = seg->set,
		.facts = &seg->facts->src,
		.origin = seg->facts,
		.src = seg->src,
		.marks = seg->marks,
		.lists = seg->form & SEG_LISTS };
}

void
export_decide_asked(const struct export_question *q, struct export_answer *a)
{
	export_decide_fill(q, a);
}

void
export_decide(struct channel *ch, struct segment *seg, const struct route_view *r,
    struct export_answer *a)
{
	struct export_question q;

	/* another route may be best after the policy: each net is searched */
	if (unlikely(ch->exp.view->base_rewritten) && !r) {
		*a = (struct export_answer){ .verdict = EXPORT_REJECT, .absent = true };
		return;
	}
	q = export_decide_about(ch, ch->exp.view, seg, r);
	counter64_bump(&ch->stats.decisions, 1);
	export_decide_fill(&q, a);
}

void
export_decide_here(struct channel *ch, struct segment *seg, const struct route_view *r,
    struct export_answer *a)
{
	struct export_question q = export_decide_about(ch, ch->exp.view, seg, r);

	counter64_bump(&ch->stats.decisions, 1);
	*a = (struct export_answer){ .set = seg->set };
	decide_here(&q, a);
}

bool
export_through(struct channel *ch, struct segment *seg, const struct route_view *r,
    struct export_answer *a)
{
	struct export_question q = export_decide_about(ch, ch->exp.view, seg, r);

	*a = (struct export_answer){ .set = seg->set };
	return decide_comes_through(&q, a);
}

bool
export_known(const struct channel *ch, const struct segment *seg)
{
	const struct export_view *v = ch->exp.view;
	const struct export_memo *m;
	enum filter_verdict fixed;

	if ((seg->form & SEG_BEHIND) && !watched_concerns(ch, seg))
		return true;
	if ((v->only_in || v->overrides) && seg->set)
		return false;
	if (!seg->set)
		return true;
	if (v->drains) /* each set is edited */
		return false;
	if (v->over) /* two filters, and maybe further routes */
		return false;
	if (filter_is_const(v->filter, &fixed))
		return true;
	if (decide_before(v, seg->src, seg->marks))
		return !ch->exp.watch; /* else the search decides */
	if (export_decide_knows(v->filter, seg->form & SEG_LISTS, &fixed))
		return !ch->exp.watch || fixed == FILTER_ACCEPT;
	m = export_memo_find(&seg->memo, v->filter);
	return m && (!ch->exp.watch || m->verdict == FILTER_ACCEPT);
}

bool
export_same(struct channel *ch, const struct export_view *old, struct segment *seg,
    const struct route_view *r)
{
	struct export_question q = export_decide_about(ch, old, seg, r);
	struct export_answer a, b;
	bool same;

	export_decide_fill(&q, &a);
	q.v = ch->exp.view;
	export_decide_fill(&q, &b);
	same = a.verdict == b.verdict && a.absent == b.absent &&
	       (a.verdict != EXPORT_ACCEPT ||
		   ((ch->sink->wire_only ? a.set->wire == b.set->wire : a.set == b.set) &&
		       a.way == b.way));
	export_answer_done(ch->table, &a);
	export_answer_done(ch->table, &b);
	return same;
}

enum channel_gives
channel_gives(const struct channel *ch)
{
	const struct export_view *v = load_acquire_ptr(
	    &ch->exp.view_pub); /* pairs: CVIEW */

	return v ? v->gives : GIVES_BEST;
}

bool
channel_seems_up(const struct channel *ch)
{
	return load_acquire_ptr(&ch->exp.view_pub) != NULL; /* pairs: CVIEW */
}

bool
channel_rules_allow(const struct channel *ch, const struct route_view *r)
{
	const struct export_view *v = load_acquire_ptr(
	    &ch->exp.view_pub); /* pairs: CVIEW */

	return v && !decide_before(
			v, r->feeder, segment_marks(channel_from(ch), r->set, r->src));
}

struct export_question
export_question_of(const struct channel *ch, struct filter_thread *ft, struct arena *ar,
    const struct route_view *r)
{
	return (struct export_question){ .v = load_acquire_ptr(
					     &ch->exp.view_pub), /* pairs: CVIEW */
		.table = channel_from(ch),
		.ft = ft,
		.arena = ar,
		.net = &r->net,
		.what = r->what,
		.set = (struct attr_set *)(uintptr_t)r->set,
		.facts = r->src ? r->src : &unknown_source,
		.origin = r->src ? container_of((struct route_source *)(uintptr_t)r->src,
				       struct origin, src)
				 : NULL,
		.src = r->feeder,
		.marks = segment_marks(channel_from(ch), r->set, r->src),
		.lists = segment_lists(r->set) };
}

/* decide_pack_reason - the reason why the acceptance @a cannot be sent. */
static enum reason
decide_pack_reason(const struct export_question *q, const struct export_answer *a)
{
	const struct sink_policy_ops *ops = q->v->policy;
	uint8_t nlri[NLRI_MAX + NLRI_SLACK] = { 0 };

	if (!ops || !ops->packs || !nlri_is_ip(table_kind(q->table)))
		return REASON_NONE;
	return (enum reason)ops->packs(q->v->rules, q, a, nlri, prefix_put(nlri, q->net));
}

/* export_decide_would - as channel_would_send; @packs: messages are looked at. */
static int
export_decide_would(const struct export_question *q, bool packs, struct attr_set **out)
{
	struct export_answer a;
	int rv = 0;

	if (!q->v)
		return -ENOTCONN;
	export_decide_fill(q, &a);
	if (a.verdict != EXPORT_ACCEPT)
		rv = a.absent ? -ENOENT : a.ruled ? -EPERM : 0;
	else if (packs && decide_pack_reason(q, &a))
		rv = -EMSGSIZE;
	else if (a.held || attr_set_ref_live(a.set))
		rv = 1; /* else it was replaced while we looked: its successor is in
			   another state */
	if (rv == 1) {
		*out = a.set;
		a.held = NULL;
	}
	export_answer_done(q->table, &a);
	return rv;
}

int
channel_would_export(const struct channel *ch, struct filter_thread *ft, struct arena *ar,
    const struct route_view *r, struct attr_set **out)
{
	struct export_question q = export_question_of(ch, ft, ar, r);

	return export_decide_would(&q, false, out);
}

int
channel_would_send(const struct channel *ch, struct filter_thread *ft, struct arena *ar,
    const struct route_view *r, struct attr_set **out)
{
	struct export_question q = export_question_of(ch, ft, ar, r);

	return export_decide_would(&q, true, out);
}

int
channel_exported(struct channel *ch, const struct route_view *r, struct attr_set **out)
{
	return channel_would_export(
	    ch, channel_filter_thread(ch), &ch->work.arena, r, out);
}

OWNED struct attr_set *
channel_merged(const struct channel *ch, struct filter_thread *ft, struct arena *a,
    const struct net *n, struct attr_set *set)
{
	return ch->sink && ch->sink->merges
		   ? ch->sink->ops->written->merged(ch->sink, ft, a, n, set)
		   : NULL;
}

/* decide_why_filter - the filter of @v that refuses for reason @r; NULL: no filter. */
static const struct filter *
decide_why_filter(const struct export_view *v, enum reason r)
{
	if (r == REASON_PIPE)
		return v->overlay ? v->overlay->policy : &filter_reject_all;
	return r == REASON_EXPORT_FILTER ? v->filter : NULL;
}

void
channel_why(const struct channel *ch, struct filter_thread *ft, struct arena *ar,
    const struct route_view *r, struct export_why *why)
{
	struct export_question q = export_question_of(ch, ft, ar, r);
	struct export_answer a;
	enum filter_verdict v;

	*why = (struct export_why){ .reason = REASON_DOWN };
	if (!q.v)
		return;
	q.lists = SEG_LISTS; /* filters must run, since their place is reported */
	export_decide_fill(&q, &a);
	why->reason = a.verdict == EXPORT_ACCEPT ? decide_pack_reason(&q, &a)
						 : (enum reason)a.reason;
	why->reads = a.reads;
	why->filter = decide_why_filter(q.v, why->reason);
	if (why->reason == REASON_OVERRIDE_EXPORT) {
		const struct override *o = channel_override_at(ch, q.net, true);

		why->said = o ? o->text : NULL;
	}
	if (why->filter && !filter_is_const(why->filter, &v)) { /* the filter has run */
		why->said = filter_said(ft);
		why->failed = filter_failed(ft);
		(void)filter_where(ft, why->filter, &why->file, &why->line);
		why->by = filter_decided_by(ft, why->filter);
	}
	export_answer_done(q.table, &a);
}
