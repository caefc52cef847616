/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From decided segments to messages for one peer.
 *
 * The fast path sends the shared messages of the session's class and sets bits by ranges.
 * bgp_parcel.c sends single nets in messages of this session only.
 *
 * I1  Bits change when a message is queued, so the rest of the callback sees the new
 *     bits.
 * I2  Waiting withdrawals (refused) belong to one batch, in which no net occurs twice;
 *     they are sent before a message of another batch.
 *
 * Loop: the session's. Tested by test/prop/prop_spine.c and
 * test/unit/test_bgp_rules.c. */
#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/core/tern.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream/msg_piece.h"
#include "nest/rib/stream/segment.h"
#include "proto/bgp/out/announce.h"
#include "proto/bgp/out/bgp_sink.h"
#include "proto/bgp/out/export_table.h"
#include "proto/bgp/out/msg_cache.h"

static struct bgp_sink *
bgp_sink_of(const struct sink *k)
{
	return container_of((struct sink *)(uintptr_t)k, struct bgp_sink, sink);
}

static size_t
bgp_sink_room(struct sink *k)
{
	return bgp_sink_of(k)->out->room(bgp_sink_of(k));
}

/* sink_announce_of - the announcement of the nets of @s by @a. */
static struct announce
sink_announce_of(
    struct bgp_sink *k, const struct segment *s, const struct export_answer *a)
{
	struct announce what = { .wire = a->set->wire };
	const struct session_class *cls = bgp_class_for(k, s, a);

	if (cls == k->classes.cls)
		what.look = LOOK_USUAL;
	else if (cls == k->classes.hop)
		what.look = LOOK_HOP_STAYS;
	else
		what.look = LOOK_IBGP;
	if (cls == &k->classes.from)
		what.originator_id = cls->bgp.originator_id;
	return what;
}

/* bgp_sink_sent - these nets of @s were announced as @a says. */
static inline void
bgp_sink_sent(struct bgp_sink *k, struct segment *s, const struct export_answer *a,
    const struct seg_run *run, uint32_t run_cnt)
{
	struct announce what;
	bool usual;

	if (unlikely(k->adj.table != NULL)) {
		what = sink_announce_of(k, s, a);
		usual = a->set == s->set && what.look == LOOK_USUAL;
		adj_out_record(&k->adj, run, run_cnt, &what, usual ? &s->hint : NULL);
	} else {
		adj_out_record(&k->adj, run, run_cnt, NULL, NULL);
	}
	k->sink.held = k->adj.out_cnt;
}

/* sink_withdraw_first - send the waiting withdrawals of another batch than that of @s,
 * because @s may announce one of the nets again. */
static inline void
sink_withdraw_first(struct bgp_sink *k, const struct segment *s)
{
	if (unlikely(k->refused.used) && (!s || k->refused_batch != s->batch))
		bgp_refused_send(k);
}

/* ---- runs of segments that are sent unchanged ---- */

/* sink_fetch_ahead - all sessions read the journal at about the same time, but each core
 * has to load its cache: prefetch the next segments, and the bits of the segments' nets.
 */
static inline void
sink_fetch_ahead(const struct bgp_sink *k, const struct sink_run *r, unsigned i)
{
	if (i + 8 < r->seen)
		__builtin_prefetch(r->s[i + 8]);
	if (i + 4 < r->seen)
		adj_out_fetch(&k->adj, r->s[i + 4]->nets.id);
}

static void
sink_put_piece(struct bgp_sink *k, struct msg_piece *m)
{
	if (m->len) {
		k->out->put(k, m);
		counter64_bump(&channel_stats(k->sink.ch)->messages_sent, m->msg_cnt);
	}
	*m = (struct msg_piece){ 0 };
}

/* sink_run_news - true if the peer has none of the announcements of @s; then the export
 * table records the announcements. */
static bool
sink_run_news(struct bgp_sink *k, struct segment *s)
{
	struct announce what = { .wire = s->wire, .look = LOOK_USUAL };

	return export_table_news(
	    k->adj.table, &what, &s->hint, segment_runs(s), s->run_cnt);
}

/* bgp_sink_run - reads one cache line per segment: the messages lie in the segment, side
 * by side with the messages of other segments. */
static unsigned
bgp_sink_run(struct sink *sink, struct sink_run *r)
{
	struct bgp_sink *k = bgp_sink_of(sink);
	const struct session_class *cls = k->classes.cls;
	uint32_t hop_key = bgp_hop_key(k->rules.peer_addr), other_key = hop_key;
	struct msg_piece m = { 0 };
	unsigned i;

	if (unlikely(!ip_is_none(k->rules.peer_other)))
		other_key = bgp_hop_key(k->rules.peer_other);
	for (i = 0; i < r->cnt && sink->queued < r->limit; i++) {
		struct segment *s = r->s[i];

		sink_fetch_ahead(k, r, i);
		if ((s->form & r->uniform) != SEG_UNIFORM || s->src == r->not_src ||
		    s->class_key == hop_key || s->class_key == other_key ||
		    !segment_quick(s, cls)) {
			if (s->form & SEG_BEHIND)
				continue;
			break;
		}
		if (k->refused.used && k->refused_batch != s->batch)
			break;
		if (unlikely(s->form & SEG_LOCAL_HOP) &&
		    export_rules_foreign(&k->rules, &s->facts->src))
			break;
		if (unlikely(k->adj.table != NULL) && !sink_run_news(k, s))
			break;
		if (m.data + m.len != s->quick_data) {
			sink_put_piece(k, &m);
			m.data = s->quick_data;
			m.block =
			    s->quick_block; /* between two blocks' octets is a head */
		}
		m.len += s->quick_len;
		m.msg_cnt += s->quick_cnt;
		sink->queued += s->quick_len;
		if (likely(s->form & SEG_ONE_RUN))
			adj_out_sent(&k->adj, s->nets.id, s->nets.cnt);
		else
			adj_out_ranges(&k->adj, s->run, s->run_cnt);
		r->nets += s->nets.cnt;
	}
	sink_put_piece(k, &m);
	sink->held = k->adj.out_cnt;
	return i;
}

/* ---- segments, whole or in parts ---- */

static enum sink_took
bgp_sink_announce(struct sink *sink, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	struct bgp_sink *k = bgp_sink_of(sink);
	struct wire_set *wire = a->set == s->set ? s->wire : a->set->wire;
	bool built = false, ok;
	struct msg_piece m;

	sink_withdraw_first(k, s);
	if (n) {
		if (!bgp_parcel_announce(k, s, n, a))
			return SINK_REFUSED;
		bgp_sink_sent(k, s, a, n->run, n->run_cnt);
		return SINK_TAKEN;
	}
	ok = msg_cache_get(channel_from(sink->ch), s, bgp_class_for(k, s, a), wire,
	    sink->arena, &m, &built);
	if (!ok) {
		bgp_log_unsent(
		    k, bgp_class_for(k, s, a), wire, segment_nlri(s), s->nlri_len);
		return SINK_REFUSED;
	}
	if (built)
		counter64_bump(&channel_stats(sink->ch)->messages_built, m.msg_cnt);
	bgp_sink_sent(k, s, a, segment_runs(s), s->run_cnt);
	bgp_put(k, &m);
	return SINK_TAKEN;
}

/* sink_collect_refused - @s was refused: withdraw its nets with a set bit together with
 * nets of other segments of the batch. (Mostly the peer's own route became best, and no
 * other session needs the message.) */
static void
sink_collect_refused(struct bgp_sink *k, struct segment *s)
{
	const uint8_t *pos = segment_nlri(s);
	uint32_t ids = segment_before(s);

	k->refused_batch = s->batch;
	for (struct seg_nets n = segment_nets(s); seg_nets_next(&n);) {
		uint32_t len = ids + prefix_wire_len(pos[ids]);

		if (bitmap_test(&k->adj.out, n.id))
			bgp_refused_add(k, pos, len);
		pos += len;
	}
}

/* sink_withdraw_nets - withdraw net by net. Returns: number of nets that the peer held.
 */
static uint32_t
sink_withdraw_nets(struct bgp_sink *k, const struct sink_nets *n)
{
	const uint8_t *pos = n->nlri;
	uint32_t cnt = 0, ids = k->sink.all ? NLRI_ID_LEN : 0;

	for (struct seg_nets w = seg_nets_of(n->run, n->run_cnt); seg_nets_next(&w);) {
		uint32_t len = ids + prefix_wire_len(pos[ids]);

		cnt += bgp_parcel_withdraw(k, w.id, pos, len);
		pos += len;
	}
	k->sink.held = k->adj.out_cnt;
	return cnt;
}

/* sink_withdraw_shared - the peer holds all nets of @s. */
static void
sink_withdraw_shared(struct bgp_sink *k, struct segment *s)
{
	struct sink *sink = &k->sink;
	bool built = false, ok;
	struct msg_piece m;

	ok = msg_cache_get(
	    channel_from(sink->ch), s, k->classes.cls, NULL, sink->arena, &m, &built);
	if (built && ok)
		counter64_bump(&channel_stats(sink->ch)->messages_built, m.msg_cnt);
	if (ok)
		bgp_put(k, &m);
}

static uint32_t
bgp_sink_withdraw(struct sink *sink, struct segment *s, const struct sink_nets *n)
{
	struct bgp_sink *k = bgp_sink_of(sink);
	struct sink_nets all;
	uint32_t held;

	sink_withdraw_first(k, s);
	if (n)
		return sink_withdraw_nets(k, n);
	all = sink_nets_all(s);
	held = k->adj.out_cnt ? seg_runs_marked(&k->adj.out, all.run, all.run_cnt) : 0;
	if (!held)
		return 0;
	if (s->set) {
		sink_collect_refused(k, s);
	} else if (held < s->nets.cnt) {
		sink_withdraw_nets(k, &all);
		bgp_parcels_send(k);
		return held;
	} else {
		sink_withdraw_shared(k, s);
	}
	for (uint32_t r = 0; r < all.run_cnt; r++)
		adj_out_gone(&k->adj, all.run[r].id, all.run[r].cnt);
	sink->held = k->adj.out_cnt;
	return held;
}

static void
bgp_sink_parts_done(struct sink *k)
{
	bgp_parcels_send(bgp_sink_of(k));
}

static void
bgp_sink_flush(struct sink *sink)
{
	struct bgp_sink *k = bgp_sink_of(sink);

	if (k->refused.used)
		bgp_refused_send(k);
	k->out->flush(k);
	sink->queued = 0;
}

static void
bgp_sink_synced(struct sink *k)
{
	bgp_sink_of(k)->out->end_of_rib(bgp_sink_of(k));
}

static uint32_t
bgp_sink_holds(const struct sink *k, uint32_t id, uint32_t cnt)
{
	const struct adj_out *adj = &bgp_sink_of(k)->adj;

	return cnt == 1 ? bitmap_test(&adj->out, id)
			: bitmap_count_range(&adj->out, id, cnt);
}

static uint32_t
sink_holds_same(struct sink *sink, const struct segment *s, const struct seg_run *run,
    uint32_t run_cnt, const struct export_answer *a)
{
	struct bgp_sink *k = bgp_sink_of(sink);
	struct announce what = sink_announce_of(k, s, a);

	return export_table_same(k->adj.table, &what, run, run_cnt);
}

static void
sink_rename_one(struct sink *sink, uint32_t id, uint32_t to)
{
	struct bgp_sink *k = bgp_sink_of(sink);

	if (!k->next)
		k->next = adj_out_like(&k->adj);
	adj_out_rename(&k->adj, id, k->next, to);
}

/* sink_set_adj - replace the Adj-RIB-Out by @next. */
static void
sink_set_adj(struct bgp_sink *k, const struct adj_out *next)
{
	struct adj_out was = k->adj;

	k->adj = *next;
	store_release_ptr(&k->shown, k->adj.table); /* pairs: SAIDTAB */
	adj_out_fini(&was);
	k->sink.held = k->adj.out_cnt;
}

static void
bgp_sink_renamed(struct sink *sink)
{
	struct bgp_sink *k = bgp_sink_of(sink);

	if (!k->next)
		k->next = adj_out_like(&k->adj);
	sink_set_adj(k, k->next);
	mem_free(MEM_PROTO, k->next);
	k->next = NULL;
}

static void
sink_forget_next(struct bgp_sink *k)
{
	if (!k->next)
		return;
	adj_out_fini(k->next);
	mem_free(MEM_PROTO, k->next);
	k->next = NULL;
}

static const struct wire_set *
bgp_sink_announced(const struct sink *sink, uint32_t id)
{
	const struct export_table *t = load_acquire_ptr(
	    &bgp_sink_of(sink)->shown); /* pairs: SAIDTAB */
	const struct announce *a = t ? export_table_find(t, id) : NULL;

	return a ? a->wire : NULL;
}

/* ---- what messages look like ---- */

static OWNED struct sink_rules *
bgp_sink_rules(const struct sink *sink)
{
	struct bgp_rules *r = mem_zalloc(MEM_PROTO, sizeof(*r));
	const struct bgp_sink *k = bgp_sink_of(sink);
	const struct bgp_classes *l = &k->classes;

	bgp_rules_init(r, &k->rules, channel_family(sink->ch), &l->cls->bgp,
	    &l->ibgp->bgp, l->ibgp != l->cls);
	if (l->hop)
		r->look[2] = l->hop->bgp;
	r->reflect = l->reflect;
	r->conf = channel_proto(sink->ch)->conf;
	return &r->base;
}

/* bgp_sink_take_class - replace the class *@at by @cls (NULL: none). Returns: true: the
 * class changed. */
static bool
bgp_sink_take_class(
    struct bgp_sink *k, const struct session_class **at, const struct bgp_class *cls)
{
	struct class_registry *r = channel_proto(k->sink.ch)->tern->session_classes;
	const struct session_class *old = *at;

	*at = cls ? session_class_get(r, cls) : NULL;
	session_class_put(r, old);
	return *at != old;
}

void
bgp_sink_up(struct bgp_sink *k, const struct bgp_class *cls, const struct export_rules *r)
{
	k->rules = *r;
	k->sink.all = cls->ids;
	bgp_sink_take_class(k, &k->classes.cls, cls);
	bgp_sink_take_class(k, &k->classes.ibgp, cls);
	k->classes.reflect = false;
}

static void
bgp_sink_down(struct sink *sink)
{
	struct bgp_sink *k = bgp_sink_of(sink);

	sink_forget_next(k);
	adj_out_clear(&k->adj);
	k->fills = false;
	sink->held = 0;
	sink->queued = 0;
	bgp_sink_take_class(k, &k->classes.cls, NULL);
	bgp_sink_take_class(k, &k->classes.ibgp, NULL);
	bgp_sink_take_class(k, &k->classes.hop, NULL);
}

void
bgp_sink_set_class(struct bgp_sink *k, const struct bgp_class *cls)
{
	if (k->classes.cls && bgp_sink_take_class(k, &k->classes.cls, cls))
		channel_sink_changed(k->sink.ch);
}

void
bgp_sink_set_rules(struct bgp_sink *k, const struct export_rules *r)
{
	bool differs;

	if (!k->classes.cls)
		return;
	differs = !export_rules_same(&k->rules, r, true);
	k->rules = *r;
	if (differs)
		channel_sink_changed(k->sink.ch);
}

void
bgp_sink_set_class_ibgp(struct bgp_sink *k, const struct bgp_class *cls, bool reflect)
{
	bool differs;

	if (!k->classes.cls)
		return;
	differs = bgp_sink_take_class(k, &k->classes.ibgp, cls) ||
		  reflect != k->classes.reflect;
	k->classes.reflect = reflect;
	if (differs)
		channel_sink_changed(k->sink.ch);
}

void
bgp_sink_set_class_hop(struct bgp_sink *k, const struct bgp_class *cls, uint8_t self_hop)
{
	bool differs;

	if (!k->classes.cls)
		return;
	differs = self_hop != k->rules.self_hop;
	k->rules.self_hop = self_hop;
	if (bgp_sink_take_class(k, &k->classes.hop, cls) || differs)
		channel_sink_changed(k->sink.ch);
}

void
bgp_sink_like(struct bgp_sink *k, const struct bgp_sink *of)
{
	const struct bgp_classes *l = &of->classes;
	bool differs = l->reflect != k->classes.reflect ||
		       !export_rules_same(&k->rules, &of->rules, false);

	k->rules = of->rules;
	k->sink.all = of->sink.all;
	k->classes.reflect = l->reflect;
	differs |= bgp_sink_take_class(k, &k->classes.cls, &l->cls->bgp);
	differs |= bgp_sink_take_class(k, &k->classes.ibgp, &l->ibgp->bgp);
	differs |= bgp_sink_take_class(k, &k->classes.hop, l->hop ? &l->hop->bgp : NULL);
	if (differs)
		channel_sink_changed(k->sink.ch);
}

static const struct sink_policy_ops policy = {
	.rules = bgp_sink_rules,
	.forbids = bgp_rules_forbid,
	.settle = bgp_rules_settle,
	.packs = bgp_rules_packs,
	.refused = bgp_log_refused,
};

static const struct sink_memory_ops memory = {
	.holds_same = sink_holds_same,
	.announced = bgp_sink_announced,
	.rename = sink_rename_one,
	.renamed = bgp_sink_renamed,
};

const struct sink_ops bgp_sink_ops = {
	.room = bgp_sink_room,
	.run = bgp_sink_run,
	.announce = bgp_sink_announce,
	.withdraw = bgp_sink_withdraw,
	.parts_done = bgp_sink_parts_done,
	.flush = bgp_sink_flush,
	.synced = bgp_sink_synced,
	.holds = bgp_sink_holds,
	.down = bgp_sink_down,
	.policy = &policy,
	.memory = &memory,
};

void
bgp_sink_init(struct bgp_sink *k, const struct bgp_out *out, bool can_all)
{
	*k = (struct bgp_sink){
		.sink = { .ops = &bgp_sink_ops, .can_all = can_all, .wire_only = true },
		.out = out
	};
	adj_out_init(&k->adj);
}

void
bgp_sink_keep_table(struct bgp_sink *k, const struct tern *t)
{
	if (k->adj.table)
		return;
	k->adj.table = export_table_new(
	    class_registry_announces(t->session_classes, t->store));
	store_release_ptr(&k->shown, k->adj.table); /* pairs: SAIDTAB */
	store_relaxed32(&k->sink.knows, 1);
	k->fills = k->classes.cls != NULL;
}

void
bgp_sink_drop_table(struct bgp_sink *k)
{
	struct export_table *t = k->adj.table;

	store_relaxed32(&k->sink.knows, 0);
	store_release_ptr(&k->shown, NULL); /* pairs: SAIDTAB */
	k->adj.table = NULL;
	export_table_free(t);
}

void
bgp_sink_fini(struct bgp_sink *k)
{
	sink_forget_next(k);
	adj_out_fini(&k->adj);
}
