/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Import: filter, intern, post to the table. Runs in the session's thread.
 *
 * Neighbouring prefixes of an UPDATE with equal outcomes are one record. If the filter
 * cannot read the prefix, the filter runs once for all prefixes.
 *
 * I1  Each set of a record carries one reference, which the table takes over. */
#include "nest/channel/channel_drain_priv.h"
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_priv.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/base/heap.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/ring.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_override_priv.h"
#include "nest/channel/channel_rejects_priv.h"
#include "nest/channel/import/refresh_plan.h"
#include "nest/core/override.h"
#include "nest/core/reason.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"

/* ---- outcomes ---- */

/* import_facts_of - facts of the origin of imported routes. */
static const struct route_source *
import_facts_of(const struct channel *ch)
{
	return ch->imp.origin ? &ch->imp.origin->src : &ch->imp.facts;
}

void
channel_import_for(struct channel *ch, struct origin *o)
{
	ch->imp.origin = o;
}

/* Result of the policy for a prefix. */
struct outcome {
	bool accept;
	/* an override blocks the accepted route: the table keeps the route as filtered */
	bool blocked;
	/* a reference: the set after the filter; NULL: rejected unchanged */
	struct attr_set *set;
	/* a reference: the set after the filter and before a drain, if the channel keeps
	 * no set before policy; NULL: no drain */
	struct attr_set *plain;
};

/* A run of neighbouring prefixes with one outcome. */
struct run {
	struct channel *ch;
	struct attr_set *pre; /* borrowed; a scratch set unless the channel keeps it */
	struct origin *origin; /* NULL: the channel's present origin */
	struct outcome o;
	const uint8_t *nlri;
	uint32_t nlri_len, cnt;
	bool again; /* of a reload */
	bool seen; /* from a scan: one net, perhaps unchanged */
	bool prefer; /* and with another preference than the table has kept */
};

/* channel_import_fit - octets of the NLRI for one record; *@cnt is the number of nets. */
static uint32_t
channel_import_fit(
    const struct channel *ch, const uint8_t *nlri, uint32_t len, uint32_t *cnt)
{
	return ch->imp.id_len ? nlri_part_ids(ch->kind, nlri, len, REC_NLRI_MAX, cnt)
			      : nlri_part(ch->kind, nlri, len, REC_NLRI_MAX, cnt);
}

static bool
import_same_outcome(const struct outcome *a, const struct outcome *b)
{
	return a->accept == b->accept && a->blocked == b->blocked && a->set == b->set &&
	       a->plain == b->plain;
}

static void
import_outcome_done(const struct channel *ch, const struct outcome *o)
{
	if (o->set)
		attr_set_unref(table_store(ch->table), o->set, 1);
	if (o->plain)
		attr_set_unref(table_store(ch->table), o->plain, 1);
}

/* import_reason - the reason of the refusal @o. */
static enum reason
import_reason(const struct channel *ch, const struct outcome *o)
{
	if (!o->blocked)
		return REASON_IMPORT_FILTER;
	return channel_quarantined(ch) ? REASON_QUARANTINE : REASON_OVERRIDE;
}

/* import_post_run - post one record (several for many NLRI). Uses up the references of
 * the outcome. */
static void
import_post_run(struct run *r)
{
	struct channel *ch = r->ch;
	/* A reloaded route was kept: REC_AGAIN is a flag of announcements only. */
	bool has_pre = r->again || channel_notes_pre(ch);
	bool keep = has_pre || r->o.blocked;
	struct rec rec = { .type = REC_ANNOUNCE, .flags = ch->imp.id_len ? REC_IDS : 0 };
	bool known = r->seen && channel_table_has(ch, r->nlri,
				    r->o.set ? r->o.set : r->pre, r->o.accept);

	if (!r->cnt)
		return;
	if (known && !r->o.accept && !keep)
		return; /* the table has no such route, and needs none */
	rec.flags |= known ? REC_SEEN : 0;
	counter64_bump(&ch->stats.imp_upd_received, r->seen && !known ? r->cnt : 0);
	if (!r->o.accept && !keep)
		rec.type = REC_WITHDRAW;
	if (unlikely(ch->log.traces) && !(r->again && r->o.accept))
		channel_trace_import(
		    ch, r->o.accept ? TRACE_ADDED : TRACE_FILTERED, r->nlri, r->nlri_len);
	if (!r->o.accept)
		rec.flags |= PATH_FILTERED;
	if (r->again)
		rec.flags |= r->prefer ? REC_AGAIN | REC_PREFER : REC_AGAIN;
	while (r->nlri_len) {
		uint32_t len = channel_import_fit(
		    ch, r->nlri, r->nlri_len, &rec.prefix_cnt);

		rec.nlri_len = (uint16_t)len;
		rec.set = rec.pre = NULL;
		if (rec.type == REC_ANNOUNCE) {
			rec.set = attr_set_ref(r->o.set ? r->o.set : r->pre, 1);
			if (has_pre && r->o.set && (r->o.accept || r->o.set != r->pre))
				rec.pre = attr_set_ref(r->pre, 1);
			else if (unlikely(r->o.plain))
				rec.pre = attr_set_ref(r->o.plain, 1);
			rec.origin = r->origin ? r->origin->id : 0;
			if (r->origin)
				origin_ref_live(r->origin);
		}
		channel_post_rec(ch, &rec, r->nlri);
		r->nlri += len;
		r->nlri_len -= len;
	}
	if (!r->o.accept && !known) {
		counter64_bump(&ch->stats.imp_upd_filtered, r->cnt);
		counter64_bump(&ch->stats.reason[import_reason(ch, &r->o)], r->cnt);
	}
	import_outcome_done(ch, &r->o);
	r->cnt = 0;
}

/* import_drain - the outcome of the accepted route @e while the session drains. */
static struct outcome
import_drain(const struct channel *ch, struct attr_edit *e)
{
	struct attr_store *store = table_store(ch->table);
	struct outcome o = { .accept = false };

	if (!channel_notes_pre(ch)) {
		o.plain = attr_store_edit(store, e);
		if (!o.plain)
			return o;
	}
	o.set = channel_drain_set(store, e, true);
	o.accept = o.set != NULL;
	return o;
}

/* import_override - the verdict about @rv after the filter's verdict @v. *@blocks: an
 * override or the quarantine keeps the route, if accepted, out of selection. */
static enum filter_verdict
import_override(struct channel *ch, const struct route_view *rv, struct attr_edit *e,
    enum filter_verdict v, bool *blocks)
{
	const struct override *o = channel_override_import(ch, &rv->net);

	*blocks = channel_override_blocks(ch, o);
	if (!o || o->kind != OVERRIDE_ACCEPT || v == FILTER_ACCEPT)
		return v;
	attr_edit_init(e, &ch->work.arena, rv->set);
	if (channel_leads(ch))
		channel_hops_apply(ch, e);
	return FILTER_ACCEPT;
}

/* import_run_policy - apply the import filter to a route (or to all of an UPDATE, if the
 * filter cannot read the prefix). @rv: as received. @last, @was: edit and outcome of the
 * previous prefix (NULL: none): prefixes of an UPDATE mostly end alike, and then need no
 * look-up. */
static struct outcome
import_run_policy(struct channel *ch, const struct route_view *rv, struct attr_edit *e,
    const struct attr_edit *last, const struct outcome *was)
{
	struct attr_store *store = table_store(ch->table);
	struct outcome o = { .accept = false };
	struct filter_thread *ft = channel_filter_thread(ch);
	uint64_t steps = filter_steps(ft);
	enum filter_verdict v;
	bool blocks = false;
	uint32_t reads = 0;

	attr_edit_init(e, &ch->work.arena, rv->set);
	if (unlikely(channel_leads(ch)))
		channel_hops_apply(ch, e);
	v = filter_run(ch->cf->import, ft, &channel_filter_env, rv, e, &reads);
	counter64_bump(&ch->stats.import_steps, filter_steps(ft) - steps);
	if (unlikely(ch->imp.overrides))
		v = import_override(ch, rv, e, v, &blocks);
	if (v != FILTER_ACCEPT) {
		/* Filters tag refused routes with a reason, for `show route filtered`. */
		if (channel_notes_pre(ch) && attr_edit_changed(e))
			o.set = attr_store_edit(store, e);
		return o;
	}
	if (channel_drains(ch))
		o = import_drain(ch, e);
	else if (last && was->accept && attr_edit_same(e, last))
		o.set = attr_set_ref(was->set, 1);
	else
		o.set = attr_store_edit(store, e);
	o.blocked = o.set && blocks;
	o.accept = o.set && !blocks;
	return o;
}

static void
import_by_net(
    struct channel *ch, struct attr_set *pre, const uint8_t *nlri, uint32_t nlri_len)
{
	struct run run = {
		.ch = ch, .pre = pre, .origin = ch->imp.origin, .seen = ch->imp.seen
	};
	const uint8_t *pos = nlri, *end = nlri + nlri_len;
	struct route_view rv = { .src = import_facts_of(ch), .set = pre };
	struct attr_edit edit[2];
	unsigned now = 0, id_len = ch->imp.id_len;
	struct fnet what;

	while (pos < end) {
		uint32_t one = id_len + nlri_view_get(ch->kind, pos + id_len, &rv, &what);
		struct outcome o = import_run_policy(
		    ch, &rv, &edit[now], run.cnt ? &edit[!now] : NULL, &run.o);

		now = !now;
		if (!o.accept && !o.blocked)
			channel_note_refused(ch, &edit[!now], pos, one);
		if (run.cnt && import_same_outcome(&o, &run.o)) {
			import_outcome_done(ch, &o);
		} else {
			import_post_run(&run);
			run.o = o;
			run.nlri = pos;
			run.nlri_len = 0;
		}
		run.nlri_len += one;
		run.cnt++;
		pos += one;
	}
	import_post_run(&run);
}

static void
import_set(
    struct channel *ch, struct attr_set *pre, const uint8_t *nlri, uint32_t nlri_len)
{
	const struct filter *f = ch->cf->import;
	struct run run = { .ch = ch,
		.pre = pre,
		.origin = ch->imp.origin,
		.seen = ch->imp.seen,
		.nlri = nlri,
		.nlri_len = nlri_len };
	enum filter_verdict fixed;
	struct route_view rv = { .src = import_facts_of(ch), .set = pre };
	struct attr_edit e;
	struct fnet what;
	int cnt = ch->imp.id_len ? nlri_cnt_ids(ch->kind, nlri, nlri_len)
				 : nlri_cnt(ch->kind, nlri, nlri_len);

	ASSERT(cnt >= 0);
	run.cnt = (uint32_t)cnt;
	channel_trace_renew(ch);
	if (!run.seen)
		counter64_bump(&ch->stats.imp_upd_received, run.cnt);
	if (filter_is_const(f, &fixed) &&
	    likely(!channel_leads(ch) && !channel_drains(ch) && !ch->imp.overrides)) {
		run.o.accept = fixed == FILTER_ACCEPT;
		run.o.set = run.o.accept ? attr_set_ref(pre, 1) : NULL;
		if (!run.o.accept)
			channel_note_refused(ch, NULL, nlri, nlri_len);
		import_post_run(&run);
	} else if (ch->imp.overrides ||
		   filter_may_read(f) & (FILTER_READ_NET | FILTER_READ_VOLATILE)) {
		import_by_net(ch, pre, nlri, nlri_len);
	} else {
		/* a run-time error is logged for the first */
		nlri_view_get(ch->kind, nlri + ch->imp.id_len, &rv, &what);
		run.o = import_run_policy(ch, &rv, &e, NULL, NULL);
		if (!run.o.accept)
			channel_note_refused(ch, &e, nlri, nlri_len);
		import_post_run(&run);
	}
}

void
channel_import(struct channel *ch, const uint8_t *data, uint32_t len,
    const struct attr_local *local, const uint8_t *nlri, uint32_t nlri_len)
{
	struct attr_store *store = table_store(ch->table);
	struct attr_local l = *local;
	enum filter_verdict fixed;
	struct attr_set *pre;

	refresh_plan_heard(&ch->imp.plan, loop_now_ns(&ch->proto->worker));
	l.preference = ch->cf->preference;
	ch->imp.prefers = true;
	if (!channel_notes_pre(ch) && (!filter_is_const(ch->cf->import, &fixed) ||
					  channel_drains(ch) || ch->imp.overrides)) {
		/* Only the set after the filter is kept. */
		import_set(
		    ch, attr_scratch(&ch->work.arena, data, len, &l), nlri, nlri_len);
		arena_reset(&ch->work.arena);
		return;
	}
	pre = attr_store_intern(store, data, len, &l, NULL, 0);
	import_set(ch, pre, nlri, nlri_len);
	attr_set_unref(store, pre, 1);
	arena_reset(&ch->work.arena);
}

void
channel_import_attrs(
    struct channel *ch, struct attr_set *pre, const uint8_t *nlri, uint32_t nlri_len)
{
	import_set(ch, pre, nlri, nlri_len);
	arena_reset(&ch->work.arena);
}

void
channel_import_seen(
    struct channel *ch, struct attr_set *pre, const uint8_t *nlri, uint32_t nlri_len)
{
	ch->imp.seen = true;
	channel_import_attrs(ch, pre, nlri, nlri_len);
	ch->imp.seen = false;
}

void
channel_pass(
    struct channel *ch, const struct passed *what, const uint8_t *nlri, uint32_t nlri_len)
{
	struct rec rec = { .type = REC_ANNOUNCE, .flags = ch->imp.id_len ? REC_IDS : 0 };

	channel_trace_renew(ch);
	if (unlikely(ch->log.traces))
		channel_trace_import(ch, TRACE_ADDED, nlri, nlri_len);
	while (nlri_len) {
		uint32_t len = channel_import_fit(ch, nlri, nlri_len, &rec.prefix_cnt);

		rec.nlri_len = (uint16_t)len;
		rec.set = attr_set_ref(what->set, 1);
		origin_ref_live(what->origin);
		rec.origin = what->origin->id;
		counter64_bump(&ch->stats.imp_upd_received, rec.prefix_cnt);
		channel_post_rec(ch, &rec, nlri);
		nlri += len;
		nlri_len -= len;
	}
}

void
channel_withdraw(struct channel *ch, const uint8_t *nlri, uint32_t nlri_len)
{
	struct rec rec = { .type = REC_WITHDRAW, .flags = ch->imp.id_len ? REC_IDS : 0 };

	channel_trace_renew(ch);
	if (unlikely(ch->log.traces))
		channel_trace_import(ch, TRACE_REMOVED, nlri, nlri_len);
	channel_forget_refused(ch, nlri, nlri_len);
	while (nlri_len) {
		uint32_t len = channel_import_fit(ch, nlri, nlri_len, &rec.prefix_cnt);

		rec.nlri_len = (uint16_t)len;
		counter64_bump(&ch->stats.imp_wd_received, rec.prefix_cnt);
		channel_post_rec(ch, &rec, nlri);
		nlri += len;
		nlri_len -= len;
	}
}

/* ---- reload ---- */

/* channel_import_prefer - @pre (TAKE) with the present preference, which a configuration
 * may have changed. */
static OWNED struct attr_set *
channel_import_prefer(struct channel *ch, TAKE struct attr_set *pre)
{
	struct attr_store *store = table_store(ch->table);
	struct attr_set *set;
	struct attr_edit e;

	if (!ch->imp.prefers || pre->local.preference == ch->cf->preference)
		return pre;
	attr_edit_init(&e, &ch->work.arena, pre);
	e.local.preference = ch->cf->preference;
	set = attr_store_edit(store, &e);
	if (!set)
		return pre;
	attr_set_unref(store, pre, 1);
	return set;
}

#define RELOAD_PATHS 256 /* of one net in one step */
/* Paths on the stack; each session's thread keeps used stack pages, and few sessions have
 * more paths of a net. */
#define RELOAD_FEW 8

static bool
channel_import_owns(const struct channel *ch, const struct path *p)
{
	return path_src(p) == load_relaxed32(&ch->ts.id) && path_live(ch->table, p);
}

/* import_orders_path - bring a path that was not kept before policy into the present
 * state of the drain and of the overrides. */
static void
import_orders_path(struct channel *ch, const struct net *n, const struct path *p)
{
	struct attr_set *set = channel_drain_path(ch, n, p);

	if (!set)
		return;
	channel_override_path(ch, n, p, set);
	attr_set_unref(table_store(ch->table), set, 1);
}

/* import_reload_path - @rv: of the net of @p. */
static void
import_reload_path(
    struct channel *ch, const struct net *n, const struct path *p, struct route_view *rv)
{
	struct nlri k = net_nlri(ch->table, n);
	uint8_t nlri[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK] = { 0 };
	unsigned id_len = ch->imp.id_len;
	struct run run = { .ch = ch, .nlri = nlri, .cnt = 1, .again = true };
	struct attr_edit e;

	if (ch->imp.drain_walks) {
		import_orders_path(ch, n, p);
		return;
	}
	if (!path_pre(p) || !attr_set_ref_live(path_pre(p)))
		return;
	run.pre = channel_import_prefer(ch, path_pre(p));
	run.prefer = run.pre != path_pre(p);
	rv->set = run.pre;
	if (path_piped(p))
		run.origin = (struct origin *)(uintptr_t)path_origin_of(ch->table, p);
	rv->src = run.origin ? &run.origin->src : &ch->imp.facts;
	run.o = import_run_policy(ch, rv, &e, NULL, NULL);
	if (id_len)
		put_be32(nlri, path_rid(p));
	run.nlri_len = id_len +
		       NLRI_BY_KIND(ch->kind, nlri_put, nlri + id_len, k.word, k.head);
	counter64_bump(&ch->stats.imp_upd_received, 1); /* as if received again */
	import_post_run(&run); /* the table ignores an unchanged route */
	attr_set_unref(table_store(ch->table), run.pre, 1);
}

/* A candidate path for the least identifiers. */
struct picked {
	struct heap_node node;
	const struct path *p;
};

/* import_pick_least - fill @pick with the channel's paths with the least identifiers
 * from *@rid on. *@rid becomes the next identifier; 0: end. Returns: number:
 * RELOAD_PATHS, unless paths were just removed. */
static uint32_t
import_pick_least(const struct channel *ch, const struct net *n, uint32_t *rid,
    struct picked pick[RELOAD_PATHS])
{
	struct heap_node *last;
	struct picked *at;
	struct heap h;
	uint32_t cnt = 0;

	heap_init(&h, MEM_PROTO);
	for (const struct path *p = net_first(n); p; p = path_next(p)) {
		/* the heap's greatest key is the least identifier */
		uint64_t key = UINT32_MAX - path_rid(p);

		if (!channel_import_owns(ch, p) || path_rid(p) < *rid)
			continue;
		last = heap_min(&h);
		if (cnt < RELOAD_PATHS) {
			at = &pick[cnt++];
			at->node = (struct heap_node){ 0 };
		} else if (key <= last->key) {
			continue;
		} else {
			at = container_of(last, struct picked, node);
			heap_remove(&h, last);
		}
		at->p = p;
		heap_insert(&h, &at->node, key);
	}
	*rid = cnt == RELOAD_PATHS ? (uint32_t)(UINT32_MAX - heap_min(&h)->key) + 1 : 0;
	heap_fini(&h);
	return cnt;
}

bool
channel_reload_net(struct channel *ch, const struct net *n, uint32_t *rid)
{
	struct picked few[RELOAD_FEW], *pick = few;
	struct route_view rv = { .src = &ch->imp.facts };
	struct fnet what;
	const struct path *p = net_first(n);
	uint32_t cnt = 0;

	for (; p && cnt < RELOAD_FEW; p = path_next(p))
		if (channel_import_owns(ch, p) && path_rid(p) >= *rid)
			pick[cnt++].p = p;
	if (p) {
		pick = mem_alloc(MEM_PROTO, RELOAD_PATHS * sizeof(*pick));
		cnt = import_pick_least(ch, n, rid, pick);
	} else {
		*rid = 0;
	}
	net_view(ch->table, n, &rv, &what);
	for (uint32_t i = 0; i < cnt; i++) {
		import_reload_path(ch, n, pick[i].p, &rv);
		if (i % 64 == 63)
			arena_reset(&ch->work.arena);
	}
	if (pick != few)
		mem_free(MEM_PROTO, pick);
	return *rid != 0;
}
