/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns decided segments into records on the ring to the opposite table.
 *
 * The sink reads all paths of the nets, and each path becomes a path of the opposite
 * table, with the path's number in the read table as identifier. A segment becomes a
 * single record, with the unchanged set and NLRI; the sink collects single paths as long
 * as their sets are equal.
 *
 * I1  The bit of a path is set from the announcement to the opposite table until the
 *     withdrawal: bits change when the sink posts a record.
 * I2  A record without room waits in the opposite channel, and meanwhile the sink has no
 *     room. Therefore at most one segment waits, and later segments become dirty bits of
 *     the reader.
 *
 * Loop: the pipe's. Tested by test/prop/prop_pipe.c. */
#include "proto/pipe/pipe_sink.h"

#include "lib/attr/attr.h"
#include "lib/base/bitmap.h"
#include "lib/base/plural.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/channel/export/sink.h"
#include "nest/core/reason.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

static struct pipe_sink *
pipe_sink_of(const struct sink *k)
{
	return container_of((struct sink *)(uintptr_t)k, struct pipe_sink, sink);
}

static size_t
pipe_sink_room(struct sink *k)
{
	if (pipe_sink_of(k)->counts)
		return RING_SIZE / 2;
	/* After 0 the channel calls again when the ring has room (import_ready). */
	return channel_import_ready(pipe_sink_of(k)->to) ? RING_SIZE / 2 : 0;
}

static struct attr_store *
sink_store_of(const struct pipe_sink *k)
{
	return table_store(channel_table(k->to));
}

/* ---- parcels ---- */

static void
pipe_sink_parcel_send(struct pipe_sink *k, struct pipe_parcel *p)
{
	if (!p->len)
		return;
	memset(p->nlri + p->len, 0, NLRI_SLACK);
	if (p->what.set) {
		channel_pass(k->to, &p->what, p->nlri, p->len);
		attr_set_unref(sink_store_of(k), p->what.set, 1);
		origin_put(p->what.origin);
		p->what = (struct passed){ NULL, NULL };
	} else {
		channel_withdraw(k->to, p->nlri, p->len);
	}
	p->len = 0;
}

static bool
pipe_sink_same(const struct passed *a, const struct passed *b)
{
	return a->set == b->set && a->origin == b->origin;
}

/* pipe_sink_parcel_add - @what: borrowed; without a set: a withdrawal. */
static void
pipe_sink_parcel_add(struct pipe_sink *k, struct pipe_parcel *p,
    const struct passed *what, const uint8_t *nlri, uint32_t len)
{
	if (!pipe_sink_same(&p->what, what) || p->len + len > PIPE_PARCEL)
		pipe_sink_parcel_send(k, p);
	if (!p->len && what->set) {
		p->what = *what;
		attr_set_ref(what->set, 1);
		origin_ref_live(what->origin);
	}
	memcpy(p->nlri + p->len, nlri, len);
	p->len += len;
	k->sink.queued += len;
}

static void
pipe_sink_parts_done(struct sink *sink)
{
	struct pipe_sink *k = pipe_sink_of(sink);

	pipe_sink_parcel_send(k, &k->withdrawn);
	pipe_sink_parcel_send(k, &k->put);
}

/* ---- calls for announcements ---- */

static enum sink_took
pipe_sink_announce(struct sink *sink, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	struct pipe_sink *k = pipe_sink_of(sink);
	struct sink_nets nets = n ? *n : sink_nets_all(s);
	struct passed what = { a->set, NULL };

	if (!k->counts) {
		what.origin = origin_through(s->facts, channel_table(sink->ch));
		if (!what.origin) {
			sink->reason = REASON_NO_ROOM;
			return SINK_REFUSED;
		}
	}
	if (k->counts) {
		sink->queued += nets.nlri_len;
	} else if (n) {
		pipe_sink_parcel_add(k, &k->put, &what, nets.nlri, nets.nlri_len);
	} else {
		channel_pass(k->to, &what, nets.nlri, nets.nlri_len);
		sink->queued += nets.nlri_len + sizeof(struct rec);
	}
	for (uint32_t r = 0; r < nets.run_cnt; r++)
		sink->held += bitmap_set_range(&k->out, nets.run[r].id, nets.run[r].cnt);
	return SINK_TAKEN;
}

/* sink_withdraw_parts - withdraw those nets that the opposite table has. */
static void
sink_withdraw_parts(struct pipe_sink *k, const struct sink_nets *n)
{
	const struct passed none = { NULL, NULL };
	enum nlri_kind kind = table_kind(channel_table(k->to));
	const uint8_t *pos = n->nlri;

	for (struct seg_nets w = seg_nets_of(n->run, n->run_cnt); seg_nets_next(&w);) {
		uint32_t len = NLRI_ID_LEN + nlri_len(kind, pos[NLRI_ID_LEN]);

		if (bitmap_test(&k->out, w.id))
			pipe_sink_parcel_add(k, &k->withdrawn, &none, pos, len);
		pos += len;
	}
}

static uint32_t
pipe_sink_withdraw(struct sink *sink, struct segment *s, const struct sink_nets *n)
{
	struct pipe_sink *k = pipe_sink_of(sink);
	struct sink_nets all;
	uint32_t held;

	if (!n) {
		all = sink_nets_all(s);
		n = &all;
	}
	held = sink->held ? seg_runs_marked(&k->out, n->run, n->run_cnt) : 0;
	if (!held)
		return 0;
	if (k->counts) {
		sink->queued += n->nlri_len;
	} else if (n == &all && held == n->cnt) {
		channel_withdraw(k->to, n->nlri, n->nlri_len);
		sink->queued += n->nlri_len + sizeof(struct rec);
	} else {
		sink_withdraw_parts(k, n);
		if (n == &all)
			pipe_sink_parcel_send(k, &k->withdrawn);
	}
	for (uint32_t r = 0; r < n->run_cnt; r++)
		bitmap_clear_range(&k->out, n->run[r].id, n->run[r].cnt);
	sink->held -= held;
	return held;
}

/* ---- the ring's memory ---- */

#define IDLE_NS (2 * NS_PER_S)

/* The ring is given back when nothing has come for a while. */
void
pipe_sink_used(struct pipe_sink *k)
{
	k->used_ns = loop_now_ns(&channel_proto(k->sink.ch)->worker);
	if (!timer_active(&k->idle))
		timer_set(&k->idle, k->used_ns + IDLE_NS);
}

static void
pipe_sink_idle(struct timer *t)
{
	struct pipe_sink *k = container_of(t, struct pipe_sink, idle);

	uint64_t now = loop_now_ns(&channel_proto(k->sink.ch)->worker);

	if (now - k->used_ns < IDLE_NS)
		timer_set(t, k->used_ns + IDLE_NS);
	else if (!channel_idle(k->to)) /* a busy table may hold a record */
		timer_set(t, now + IDLE_NS);
}

/* ---- further calls of a channel ---- */

static void
pipe_sink_flush(struct sink *k)
{
	if (!k->queued)
		return;
	counter64_set(&channel_stats(k->ch)->last_tx_ns, clock_now_ns());
	k->queued = 0;
	pipe_sink_used(pipe_sink_of(k));
}

static void
pipe_sink_synced(struct sink *sink)
{
	struct pipe_sink *k = pipe_sink_of(sink);
	void (*poured)(struct pipe_sink * k) = k->poured;

	if (!poured)
		return;
	if (k->early) {
		k->early = false;
		return;
	}
	pipe_sink_parts_done(sink);
	k->poured = NULL;
	poured(k);
}

void
pipe_sink_pour(struct pipe_sink *k, void (*poured)(struct pipe_sink *k))
{
	k->counts = false;
	channel_eager(k->sink.ch);
	bitmap_clear_all(&k->out);
	k->sink.held = 0;
	k->poured = poured;
	if (!poured)
		return;
	channel_sink_changed(k->sink.ch);
	k->early = !channel_refresh_out(k->sink.ch);
}

static uint32_t
pipe_sink_holds(const struct sink *k, uint32_t id, uint32_t cnt)
{
	const struct bitmap *out = &pipe_sink_of(k)->out;

	return cnt == 1 ? bitmap_test(out, id) : bitmap_count_range(out, id, cnt);
}

static void
pipe_sink_down(struct sink *sink)
{
	struct pipe_sink *k = pipe_sink_of(sink);

	bitmap_clear_all(&k->out);
	k->poured = NULL;
	timer_cancel(&k->look);
	sink->held = 0;
	sink->queued = 0;
	pipe_sink_used(k);
}

/* ---- rules ---- */

#define LOG_NS  (60 * NS_PER_S) /* between two lines in the log */
#define LOOK_NS (2 * NS_PER_S) /* time after which a refused net is checked */

struct pipe_rules {
	struct sink_rules base; /* first */
	const struct table *to;
	unsigned max_generation;
};

static OWNED struct sink_rules *
pipe_sink_rules(const struct sink *sink)
{
	struct pipe_rules *r = mem_zalloc(MEM_PROTO, sizeof(*r));
	const struct pipe_sink *k = pipe_sink_of(sink);

	r->base.by_source = true; /* the source is passed on as well */
	r->base.uniform = k->counts ? SEG_UNIFORM : 0; /* see run */
	r->to = channel_table(k->to);
	r->max_generation = k->max_generation;
	return &r->base;
}

/* sink_why_of - Returns: the reason why the sink must not feed a route with @o to table
 * @to, or REASON_NONE. */
static enum reason
sink_why_of(const struct origin *o, const struct table *to, unsigned max_generation)
{
	if (!o)
		return REASON_NONE;
	if (origin_passed(o, to))
		return REASON_PIPE_LOOP;
	return o->generation >= max_generation ? REASON_PIPE_COUNT : REASON_NONE;
}

/* pipe_sink_settle - end the loop of routes through pipes. */
static void
pipe_sink_settle(const struct sink_rules *rules, const struct export_question *q,
    struct export_answer *a)
{
	const struct pipe_rules *r = container_of(
	    (struct sink_rules *)(uintptr_t)rules, struct pipe_rules, base);

	a->reason = (uint8_t)sink_why_of(q->origin, r->to, r->max_generation);
	if (q->origin && !a->reason)
		return;
	a->verdict = EXPORT_REJECT;
	a->ruled = true;
}

/* sink_goes_round - does the pipe stop @p? */
static enum reason
sink_goes_round(const struct pipe_sink *k, const struct path *p)
{
	const struct table *t = channel_table(k->sink.ch);

	if (path_src(p) == channel_source_id(k->sink.ch) || !path_live(t, p))
		return REASON_NONE;
	return sink_why_of(path_origin_of(t, p), channel_table(k->to), k->max_generation);
}

static void
pipe_sink_log(struct pipe_sink *k, enum reason why)
{
	const struct proto *p = channel_proto(k->sink.ch);
	const struct table *to = channel_table(k->to);
	char net[NLRI_STR_MAX];

	k->logged_ns = loop_now_ns(&p->worker);
	nlri_str(net, table_kind(to), k->suspect.word, k->suspect.head);
	if (why == REASON_PIPE_LOOP)
		proto_log(p, LOG_C_ERR,
		    "A loop of pipes: network %s would come back to table %s", net,
		    table_name(to));
	else
		proto_log(p, LOG_C_ERR,
		    "Network %s has passed %u pipe%s already, so no further pipe passes "
		    "the network on",
		    net, k->max_generation, plural(k->max_generation, "", "s"));
}

/* pipe_sink_watch - @net is looked at in a while. */
static void
pipe_sink_watch(struct pipe_sink *k, const struct nlri *net)
{
	k->suspect = *net;
	k->has_next = false;
	timer_set(&k->look, loop_now_ns(&channel_proto(k->sink.ch)->worker) + LOOK_NS);
}

/* pipe_sink_look - is the suspect still stopped? */
static void
pipe_sink_look(struct timer *t)
{
	struct pipe_sink *k = container_of(t, struct pipe_sink, look);
	const struct net *n = table_find_nlri(channel_table(k->sink.ch), &k->suspect);
	const struct path *p = n ? net_first(n) : NULL;
	enum reason why = REASON_NONE;

	for (; p && !why; p = path_next(p))
		why = sink_goes_round(k, p);
	if (why)
		pipe_sink_log(k, why);
	else if (k->has_next)
		pipe_sink_watch(k, &k->next);
}

/* pipe_sink_refused - a loop is permanent, but a route of a second pipe may exist for a
 * while after the end of that pipe, for instance after a rename. The sink therefore
 * checks the net again before the log line about the refusal; if the route has gone, the
 * sink checks the net refused last. */
static void
pipe_sink_refused(struct sink *sink, const uint8_t *nlri, const struct export_answer *a)
{
	struct pipe_sink *k = pipe_sink_of(sink);
	uint64_t now = loop_now_ns(&channel_proto(sink->ch)->worker);

	if (a->reason != REASON_PIPE_LOOP && a->reason != REASON_PIPE_COUNT)
		return;
	if (k->logged_ns && now - k->logged_ns < LOG_NS)
		return;
	NLRI_BY_KIND(table_kind(channel_table(k->to)), nlri_get, &k->next, nlri);
	k->has_next = true;
	if (!timer_active(&k->look))
		pipe_sink_watch(k, &k->next);
}

/* pipe_sink_run - for a pipe that only counts. */
static unsigned
pipe_sink_run(struct sink *sink, struct sink_run *r)
{
	struct pipe_sink *k = pipe_sink_of(sink);
	const struct table *to = channel_table(k->to);
	unsigned i;

	for (i = 0; i < r->cnt && sink->queued < r->limit; i++) {
		const struct segment *s = r->s[i];
		const struct seg_run *nets = segment_runs(s);

		if (i + 8 < r->seen)
			__builtin_prefetch(r->s[i + 8]);
		if ((s->form & r->uniform) != SEG_UNIFORM || s->src == r->not_src ||
		    sink_why_of(s->facts, to, k->max_generation))
			break;
		for (uint32_t n = 0; n < s->run_cnt; n++)
			sink->held += bitmap_set_range(&k->out, nets[n].id, nets[n].cnt);
		sink->queued += s->nlri_len;
		r->nets += s->nets.cnt;
	}
	return i;
}

static const struct sink_policy_ops policy = {
	.rules = pipe_sink_rules,
	.settle = pipe_sink_settle,
	.refused = pipe_sink_refused,
};

static const struct sink_ops ops = {
	.room = pipe_sink_room,
	.run = pipe_sink_run,
	.announce = pipe_sink_announce,
	.withdraw = pipe_sink_withdraw,
	.parts_done = pipe_sink_parts_done,
	.flush = pipe_sink_flush,
	.synced = pipe_sink_synced,
	.holds = pipe_sink_holds,
	.down = pipe_sink_down,
	.policy = &policy,
};

void
pipe_sink_init(struct pipe_sink *k, struct worker *w)
{
	timer_init(&k->look, w, pipe_sink_look);
	timer_init(&k->idle, w, pipe_sink_idle);
	k->sink.ops = &ops;
	k->sink.can_all = k->sink.all = true;
	bitmap_init(&k->out, MEM_PROTO);
}

void
pipe_sink_fini(struct pipe_sink *k)
{
	bitmap_fini(&k->out);
}
