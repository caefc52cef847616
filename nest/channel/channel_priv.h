/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of a channel: for the files of nest/channel only. */
#ifndef TERN_NEST_CHANNEL_PRIV_H
#define TERN_NEST_CHANNEL_PRIV_H

#include "filter/filter.h"
#include "lib/attr/route.h"
#include "lib/base/bitmap.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/own_nets.h"
#include "nest/channel/import/kept_set.h"
#include "nest/channel/import/refresh_plan.h"
#include "nest/channel/proto.h"
#include "nest/channel/sink.h"
#include "nest/conf/config.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/reason.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table/path_walk.h"
#include "sysdep/loop/loop.h"

struct channel_second;
struct roa_hits;

/* What `show route export P` and decisions need of a session that is up. Immutable. */
struct export_view {
	struct rcu_node rcu;
	/* NULL: nothing is ever sent, and there are no rules */
	const struct sink_ops *ops;
	struct sink_rules *rules; /* owned */
	/* own id in the table, or that of the pipe that brings them there */
	uint32_t src;
	bool over; /* what is read is the base of the channel's table */
	/* by which routes of the base are in the table; counted; NULL: none are */
	struct overlay *overlay;
	/* the policy may change routes, and with them which of a net is the best */
	bool mixes;
	enum channel_gives gives;
	const struct filter *filter;
	const struct prefix *only_in; /* nets that go out are in it; NULL: all may */
	/* sink_rules.plain, with SEG_LISTS that filters look at; 0: or a limit blocks */
	uint8_t plain;
	struct config_ref *conf; /* counted: where the filter lies */
};

/* Records that found no room on the ring, in order; flushed as room comes. One UPDATE's
 * at most. */
struct pending {
	uint8_t *buf;
	uint32_t len, cap, pos;
};

/* What the log has of one limit's crossings. */
struct limit_said {
	struct timer timer; /* while it runs they are counted */
	struct channel *ch;
	uint32_t cnt; /* of feeder.limit_count's were said */
	uint32_t heard; /* number of the latest message */
	struct conf_limit limit; /* as it was said */
};

/* The way to the table. */
struct channel_import {
	struct pending pend;
	uint8_t id_len; /* of path identifiers before nets (lib/wire/bgp/bgp_nlri.h) */
	struct origin *origin; /* channel_import_for */
	bool was_blocked; /* the protocol was told false by channel_import_ready */
	/* what comes has the channel's preference, not one of the protocol's */
	bool prefers;
	bool seen; /* channel_import_seen is at work */
	uint32_t reload_nr; /* counts reloads, and what ends one */
	/* next net id to pass through the policy again; NO_SOURCE: no reload is on */
	uint32_t reload_pos;
	uint32_t reload_rid; /* and the path identifier to begin with, if it has many */
	bool reload_waits; /* for its mark */
	bool reload_again; /* when that one has ended */
	bool unsettled; /* the peer was asked for all since the policy has changed */
	uint32_t part_cnt; /* reloads of chosen nets that are under way */
	struct recheck *recheck; /* nets that pass the policy again since ROAs changed */
	/* of a ROA or ASPA table: goes behind what is being brought; NULL: nothing is */
	struct table_mark *whole;
	struct refresh_plan plan; /* when the peer is asked for all again */
	struct timer ask;
};

/* The way to the peer. */
struct channel_export {
	struct export_view *view; /* NULL while down */
	struct pubptr view_pub; /* the same, for readers under RCU */
	bool rewrites; /* a filter of this incarnation may have changed what was sent */
	/* the export filter was changed by `configure soft`: the peer holds what another
	 * one said */
	bool soft;
	bool limit_hit; /* the limit was crossed and told */
	/* and has kept nets from the peer since it was last changed */
	bool limit_blocked;
	struct kept_set kept; /* these, as long as nothing else keeps them back */
	/* of a changed filter: */
	struct export_view *before; /* the view to compare with; NULL: none */
	uint32_t before_pos; /* next net id to compare */
	uint32_t before_since; /* from cuts that show all up to this batch */
	/* nets that are to be sent if the peer should hold something else since ROAs
	 * changed */
	struct recheck *recheck;
};

/* What it works with: borrowed when first needed, until channel_rest. */
struct channel_work {
	struct filter_thread *ft;
	struct arena arena; /* of one callback */
	struct arena_lender lender; /* who lends its chunk */
};

/* A reader that is a channel's. */
struct channel_reader {
	struct reader r;
	struct channel *ch;
};

/* How a route of a table's own stands to one of its base. */
enum own_rank {
	OWN_NONE, /* there is none that counts */
	OWN_BEHIND,
	OWN_FIRST, /* nothing is sent */
	OWN_TIED, /* by MED alone: all routes are to be compared */
};

#define OWN_NOTED 8

/* Of a segment of the base that is being sent: its nets with own routes that are
 * OWN_FIRST or OWN_TIED to the best. */
struct own_noted {
	bool all; /* it has no others; false: nothing is known */
	uint8_t cnt;
	struct own_net {
		uint32_t id;
		enum own_rank rank;
	} net[OWN_NOTED];
};

/* What a channel has whose table is an overlay. */
struct channel_top {
	struct channel_reader rd; /* follows the table itself */
	/* nets of the base whose own routes have changed: looked at when what is told of
	 * the base is level, since that judges most of them */
	struct bitmap later;
	uint32_t later_cnt;
	unsigned waits; /* turns that they have waited */
	bool looks; /* they are being looked at: the reader is busy */
	struct pub32 grounded; /* 1: the table is an ordinary one (channel_ground.c) */
	struct own_noted noted;
	struct own_nets nets; /* all that the peer has announced since it came */
};

/* owner: the worker of its instance, but for its feeder and what is said to be published;
 * lives: as its instance. */
struct channel {
	struct feeder ts; /* first: shared with the table */
	/* what follows the table; its dirty nets are those of the peer */
	struct reader *rd; /* best or all: what it follows since it is up */
	struct channel_reader best;
	struct channel_reader *all; /* NULL: its sink never takes all paths */
	struct channel *next;
	/* gives to a sink of its own what this one would if its export filter accepted
	 * everything (channel_beside.c); NULL: there is none. Stays, once it is made */
	struct channel *beside;
	struct pubptr beside_pub; /* the same, for others; NULL: it rests, too */
	/* of one that is beside another: that one, and what it goes by; else NULL */
	const struct channel *of;
	struct conf_channel *like;
	bool rests; /* nobody wants what it gives: it isn't up */
	struct proto *proto;
	const struct conf_channel *cf;
	struct pubptr cf_pub; /* the same, for readers under RCU */
	const struct channel_ops *ops;
	enum family fam;
	enum nlri_kind kind; /* of nets */
	struct table *table;
	/* whose routes go out: table, or the base that lies below it
	 * (nest/rib/table/overlay.h), and then `top` follows table, and stays also when
	 * the channel is grounded */
	struct table *from;
	struct pubptr from_pub; /* the same, for others */
	struct table *base; /* what `from` was first; used until the channel is freed */
	bool grounds; /* it waits until the table is an ordinary one (channel_ground.c) */
	uint32_t ground_pos; /* then: next net id of the base to look up in the table */
	struct channel_top *top;
	bool goes_on; /* a route that the peer may not have isn't the end (secondary) */
	struct sink *sink; /* NULL: this channel sends nothing */
	struct channel_stats stats;

	uint8_t attached; /* of ts and rd: how many the table has */
	bool up, detaching;
	/* routes that come are kept as they were before policy; and so were all that
	 * there are. Others read them */
	struct pub32 notes_pre, keeps_pre;
	bool away; /* between channel_away and the next channel_up or channel_down */
	/* since a ROA or ASPA table isn't ready: it takes no routes, it sends none */
	bool held_in, held_out;
	/* it sends nothing: the daemon has restarted (nest/recovery.h) */
	bool recovering;
	bool recovers; /* though it isn't to another machine */
	/* the same, and whether its peer is waited for, to be shown: CHANNEL_* */
	struct pub32 recovery;
	uint64_t ask_tail; /* who asks waits until its reader is there (proto_wait.c) */
	struct msg *detach_done; /* waits for pending records */
	struct route_source own; /* facts of the present incarnation */
	uint32_t incarnation; /* counts channel_up; 0: never up */
	/* DEBUG_*, and SAID: by an operator in place of cf->debug; 0: not a word */
	struct pub32 debug_said;
	uint32_t traces; /* DEBUG_ROUTES, DEBUG_FILTERS: as it was when last looked at */
	struct channel_watch *watch; /* ROA tables that the filters ask */
	struct limit_said limit_said[LIMIT_KINDS];

	/* struct reject_memory *: NULL: nothing was refused yet. limit_rejects is written
	 * by the table's thread */
	struct pubptr rejects, limit_rejects;
	struct channel_import imp;
	struct channel_hops *hops; /* NULL: no next hops are looked up */
	struct channel_export exp;
	bool lazy; /* it reads when `turn` says so */
	bool waits, due; /* for it; it has said so, and not all is read yet */
	struct timer turn;
	struct channel_second *secondary; /* NULL: it isn't configured */
	/* the same, while that is what the peer gets; NULL: the best route or none, or
	 * all paths */
	struct channel_second *second;
	struct channel_work work;
};

/* channel_is_grounded - it follows its table, which was an overlay. Any thread.
 * channel_is_over - it follows the base of its table. */
static inline bool
channel_is_grounded(const struct channel *ch)
{
	return ch->top && load_relaxed32(&ch->top->grounded);
}

static inline bool
channel_is_over(const struct channel *ch)
{
	return unlikely(ch->top) && !load_relaxed32(&ch->top->grounded);
}

/* ---- channel_ground.c ---- */
/* channel_ground_begin - @ch has another configuration: is its table an overlay no more?
 * channel_ground_step - on, if the pipe has poured. Returns: whether it waits for that.
 * channel_ground_end - the session is down: at once. */
void channel_ground_begin(struct channel *ch);
bool channel_ground_step(struct channel *ch);
void channel_ground_end(struct channel *ch);

/* ---- channel_hops.c ---- */
/* channel_leads - is it to be said where packets of routes go? By a table, or to the
 * link-local one of two next hops: that leads somewhere over a link alone. */
static inline bool
channel_leads(const struct channel *ch)
{
	return ch->hops ||
	       ((ch->cf->prefer_local || ch->cf->over_link) && ch->own.link_if);
}

/* channel_hops_apply - to a route in the making, whose base is as it came; where
 * channel_leads. */
void channel_hops_apply(struct channel *ch, struct attr_edit *e);
/* channel_hops_step - a part of the walk. Returns: is there more to do now? */
bool channel_hops_step(struct channel *ch);
/* channel_hops_down - what was looked up is forgotten. */
void channel_hops_down(struct channel *ch);
void channel_hops_free(struct channel *ch);

/* ---- channel_limit.c ---- */
/* channel_limit_init - with the channel; channel_limit_fini - in its worker, when it is
 * detached. */
void channel_limit_init(struct channel *ch);
void channel_limit_fini(struct channel *ch);
/* channel_feeder_ops - what the table says to a channel. */
extern const struct feeder_ops channel_feeder_ops;
/* channel_slow_post, channel_progress - as the reader's `slow`, `progress`. */
void channel_slow_post(
    struct reader *r, uint64_t out_pos, uint64_t progress, bool anyway);
uint64_t channel_progress(const struct reader *r);
/* channel_limit_own - as its `limit`, by the session itself: of the export limit. */
void channel_limit_own(struct channel *ch);
/* channel_limit_renew - the export limit may be another one, or the session is. */
void channel_limit_renew(struct channel *ch);

/* ---- channel_view.c ---- */
/* channel_publish_view - make and publish what decisions need. */
void channel_publish_view(struct channel *ch);
void channel_view_free(TAKE struct export_view *v); /* a grace period later */
/* channel_policy_changed - @old (TAKE) was in force until now, and others may go out by
 * the present view. */
void channel_policy_changed(struct channel *ch, TAKE struct export_view *old);
/* channel_swap_view - a new one, or (@up false) none. Returns: the one until now. */
OWNED struct export_view *channel_swap_view(struct channel *ch, bool up);

/* ---- export_decide.c ---- */
/* export_decide - about all nets of @seg, which isn't a withdrawal. @r: NULL, or the
 * one of them that it is about (then never PER_NET, and no memo is used). @a: all of it
 * is set, field by field: a struct that is returned is written in parts and copied as a
 * whole, for which the processor has to wait (5 % of an export). Owner's thread. */
void export_decide(struct channel *ch, struct segment *seg, const struct route_view *r,
    struct export_answer *a);
/* export_decide_here - the same of one that came through the policy below, if there is
 * one, and is as that left it. */
void export_decide_here(struct channel *ch, struct segment *seg,
    const struct route_view *r, struct export_answer *a);
/* export_through - does the net of @r, one of @seg's and of the base, come to the table?
 * @a: its set and `held` say how, also if not. */
bool export_through(struct channel *ch, struct segment *seg, const struct route_view *r,
    struct export_answer *a);
/* export_known - is the answer for all of @seg, or a withdrawal, found without a run? */
bool export_known(const struct channel *ch, const struct segment *seg);
static inline void
export_answer_done(struct table *t, struct export_answer *a)
{
	attr_hold_put(table_store(t), &a->held, NULL);
}

/* export_same - would the net of @r, one of @seg's, go out alike under both views? NULL:
 * all of @seg's nets; only for filters that read nothing of the net. */
bool export_same(struct channel *ch, const struct export_view *old, struct segment *seg,
    const struct route_view *r);

/* export_reads - FILTER_READ_* of all that is asked of a route. */
static inline uint32_t
export_reads(const struct export_view *v)
{
	return filter_may_read(v->filter) |
	       (v->overlay ? filter_may_read(v->overlay->policy) : 0);
}

/* export_by_net - does the answer of @v hang on the net? */
static inline bool
export_by_net(const struct export_view *v)
{
	return v->only_in || (export_reads(v) & (FILTER_READ_NET | FILTER_READ_VOLATILE));
}

/* ---- channel_compare.c ---- */
/* channel_comparable - does the filter of @v still give the answers by which the peer
 * holds what it does? */
static inline bool
channel_comparable(const struct export_view *v)
{
	/* Other tables and the time have changed since, and who watched them for the old
	 * filter may have gone. */
	return !(export_reads(v) & (FILTER_READ_TABLE | FILTER_READ_VOLATILE)) &&
	       !v->mixes;
}
/* channel_compare_start - the export filter has changed: find the nets to which that
 * makes a difference.
 * @old: the view in force until now (TAKE). */
void channel_compare_start(struct channel *ch, TAKE struct export_view *old);
/* channel_compare_step - go on. Returns: whether more is to be done. */
bool channel_compare_step(struct channel *ch);
void channel_compare_stop(struct channel *ch);
/* channel_work_left - says to its reader whether there is. */
void channel_work_left(struct channel *ch);

/* ---- channel_overlay.c ---- */
/* channel_overlay_new - with the channel, if its table is an overlay.
 * channel_overlay_step - in the worker's run: what has changed above the base. */
void channel_overlay_new(struct channel *ch);
void channel_overlay_step(struct channel *ch);
/* channel_own_settle - after a turn of the readers: nets whose own routes have changed.
 * @more: they have more to do. Returns: the same, after this. */
bool channel_own_settle(struct channel *ch, bool more);
/* channel_own_step - of the reader's work: looks at some of these nets. */
void channel_own_step(struct channel *ch);
void channel_own_forget(struct channel *ch);
/* channel_own_note - the nets of @r (REC_ANNOUNCE) are the peer's own from now on. */
void channel_own_note(struct channel *ch, const struct rec *r);
void channel_overlay_free(struct channel *ch);
/* channel_same_below - is what comes from the base the same by both? */
bool channel_same_below(const struct export_view *a, const struct export_view *b);
/* channel_below_soft - after a view has taken the place of @old: the peer may hold what a
 * policy below said that was changed softly; and a policy that has come may have to wait
 * for a ROA table. */
void channel_below_soft(struct channel *ch, const struct export_view *old);
extern const struct reader_ops channel_own_ops;
/* channel_own_route - the best of the table's own for the net at @k; NULL: none that
 * counts. */
const struct path *channel_own_route(const struct channel *ch, const struct nlri *k);
enum own_rank channel_own_rank(
    const struct channel *ch, const struct net *n, const struct path *p);
/* channel_own_find - the same for net @n of the base. Under RCU, as long as @f is used.
 * channel_own_first - is that before @p? Only if it isn't OWN_TIED with any. */
struct own_found {
	const struct path *own;
	bool ordered; /* what it is before, it is before all that come after that */
	bool ties; /* it is OWN_TIED with one of the base's */
};
void channel_own_find(const struct channel *ch, const struct net *n, struct own_found *f);
bool channel_own_first(
    const struct channel *ch, const struct own_found *f, const struct path *p);
/* channel_own_later - only the source changed of @s, which stands before or behind own
 * routes by it. */
void channel_own_later(struct channel *ch, const struct segment *s);
/* channel_own_of - is a route of its own before that of @s, for one of its nets? */
bool channel_own_of(struct channel *ch, const struct segment *s);
/* channel_own_may - may what isn't policy keep some of @s from the peer? */
bool channel_own_may(const struct channel *ch, const struct segment *s);
/* channel_own_best - how the table's own stands to the best of net @id of the base. */
enum own_rank channel_own_best(const struct channel *ch, uint32_t id);

/* ---- channel_trace.c ---- */
/* channel_trace_renew - what is to be traced? Asked for each flush and each UPDATE. */
void channel_trace_renew(struct channel *ch);
/* channel_trace_import - for nets that the filter accepted, that were withdrawn, that it
 * refused. Only if ch->traces. */
enum trace_import { TRACE_ADDED, TRACE_REMOVED, TRACE_FILTERED };
void channel_trace_import(
    const struct channel *ch, enum trace_import what, const uint8_t *nlri, uint32_t len);
/* channel_trace_export - before the bits of net @id change. @a: about it; NULL: it is
 * withdrawn. @blocked: by the export limit. Only if ch->traces. */
void channel_trace_export(const struct channel *ch, uint32_t id, const uint8_t *nlri,
    const struct export_answer *a, bool blocked);

/* ---- channel_export.c ---- */
extern const struct reader_ops channel_reader_ops;
/* channel_of - whose reader it is. Any thread. */
static inline struct channel *
channel_of(const struct reader *r)
{
	return container_of((struct reader *)(uintptr_t)r, struct channel_reader, r)->ch;
}

/* channel_make - a channel that its instance doesn't list. @of: the channel beside it,
 * whose tables it uses; then in the instance's worker, too. NULL: none. */
OWNED struct channel *channel_make(struct proto *p, const struct conf_channel *cf,
    const struct channel_ops *ops, struct sink *sink, const struct channel *of);

/* ---- channel_work.c ---- */
/* channel_work_init - with the channel, whose `proto` is there. */
void channel_work_init(struct channel *ch);
struct filter_thread *channel_filter_thread(struct channel *ch);
extern const struct filter_env channel_filter_env;

/* ---- channel_records.c ---- */
/* channel_flush_pending - put what waits on the ring. Returns: true if nothing waits any
 * more. */
bool channel_flush_pending(struct channel *ch);
void channel_post_rec(struct channel *ch, const struct rec *r, const uint8_t *nlri);

/* ---- channel_import.c ---- */
/* channel_reload_once_more - as channel_reload_in, but one that is on goes on to its end
 * first: whoever asks again and again doesn't keep it from the last nets. */
void channel_reload_once_more(struct channel *ch);
/* channel_reload_step - go on with a reload. Returns: true if more is to be done now. */
bool channel_reload_step(struct channel *ch);
void channel_import_down(struct channel *ch, enum rec_type how);
/* channel_reload_net - pass paths of this channel in @n through the policy again, some
 * hundred of them: those from identifier *@rid on, 0 at first. Returns: whether there are
 * more; then *@rid is where to go on, else it is 0 again. Its arena is reset. */
bool channel_reload_net(struct channel *ch, const struct net *n, uint32_t *rid);

/* ---- channel_recheck.c ---- */
/* channel_recheck_import, export - look at @h again; export: NULL: all nets.
 * channel_recheck_again - on import at all, refused ones that the table doesn't have,
 * too; its turn among the channels of which that is wanted is @after_ns from now. */
void channel_recheck_import(struct channel *ch, struct roa_hits *h);
void channel_recheck_again(struct channel *ch, uint64_t after_ns);
void channel_recheck_export(struct channel *ch, struct roa_hits *h);
/* channel_recheck_part - pass the nets of @pick through the import policy, or send them.
 */
void channel_recheck_part(struct channel *ch, TAKE struct net_pick *pick, bool import);
/* channel_recheck_step - go on. Returns: true if more is to be done now. */
bool channel_recheck_step(struct channel *ch);
/* channel_recheck_out - is what the peer holds of each net what the present filter says?
 * What isn't goes out anew. One that is under way begins anew. */
void channel_recheck_out(struct channel *ch);
/* channel_offer_others - nets that the peer doesn't hold: may it have them? Those that it
 * holds are left as they are, since the filter was changed softly. In steps. */
void channel_offer_others(struct channel *ch);
void channel_recheck_stop(struct channel *ch);
/* channel_recheck_stop_out - nets of another table were to be looked at on export. */
void channel_recheck_stop_out(struct channel *ch);

/* ---- channel_second.c ---- */
/* A look at a net, for the first route that the peer may have. */
struct second_look {
	struct path_walk walk;
	uint32_t id;
	const struct net *net;
	/* of which the net is one: that was refused. NULL: nobody sends what is found */
	const struct segment *refused;
	struct own_found own; /* of the table, where that is an overlay */
	bool own_won; /* it is before the last route that was looked at */
	bool first; /* no route has been looked at */
	bool is_first; /* what was found is the net's best route */
	/* of a view that mixes: the routes that are left, and the answer about the last
	 * one; owned */
	struct overlay_cand *cand;
	unsigned cand_cnt;
	struct overlay_cand taken;
	struct export_answer answer;
	bool answered;
	/* last: as if the route that was found were the net's best */
	struct segment seg;
};

/* channel_second_new - it looks behind the best routes from now on. Before
 * channel_attach. */
void channel_second_new(struct channel *ch);
/* channel_second_drop - nothing is sent any more; channel_second_free - with the channel.
 * Both also without `secondary`, all others only with it but where that is said. */
void channel_second_drop(struct channel *ch);
void channel_second_free(struct channel *ch);
/* channel_second_start, then channel_second_next as often as the sink refuses what it
 * gives (NULL: there is no route any more), then channel_second_end: @sent is the answer
 * that was taken, or NULL. Answers are borrowed until channel_second_forget. */
void channel_second_start(struct channel *ch, struct second_look *l, uint32_t id,
    const struct segment *refused);
const struct export_answer *channel_second_next(
    struct channel *ch, struct second_look *l);
void channel_second_end(
    struct channel *ch, struct second_look *l, const struct export_answer *sent);
void channel_second_forget(struct channel *ch);
/* channel_second_watches - a net of @s. channel_second_watches_net - also without
 * `secondary`. */
bool channel_second_watches(const struct channel *ch, const struct segment *s);
bool channel_second_watches_net(const struct channel *ch, uint32_t id);
/* channel_second_others - how many of @cnt segments, from that of number @from on, have
 * no watched net, nor channel_own_may. @seen: of the caller, zero at first. */
struct second_seen {
	unsigned end; /* those before it have none... */
	uint32_t nr; /* ... as of channel_second.watched_nr */
};
unsigned channel_second_others(const struct channel *ch, struct segment *const *s,
    unsigned from, unsigned cnt, struct second_seen *seen);
/* channel_second_watch - nothing of the net is sent, its own route is the first; _unwatch
 * - the first was sent, or it has none; _gone - the same of the nets of @s. */
void channel_second_watch(struct channel *ch, uint32_t id);
void channel_second_unwatch(struct channel *ch, uint32_t id);
void channel_second_gone(struct channel *ch, const struct segment *s);
/* channel_second_concerned - may @s matter, though the best set of its nets is what it
 * was? Also without `secondary`. */
bool channel_second_concerned(const struct channel *ch, const struct segment *s);
/* channel_second_held - does the peer hold just that, and hasn't to be told again? */
bool channel_second_held(
    const struct channel *ch, uint32_t id, const struct export_answer *a);
/* channel_second_differs - should the peer hold something else of the net than it does,
 * or isn't that known? For a net that isn't watched: unless its first route is sent as
 * another one since. */
bool channel_second_differs(struct channel *ch, uint32_t id);

/* channel_goes_on - of a net about whose route it is @a, which is no acceptance: may the
 * peer get another one? */
static inline bool
channel_goes_on(const struct channel *ch, const struct export_answer *a)
{
	return ch->second && (ch->goes_on || a->hidden);
}

/* channel_ids_out - octets before each prefix of what it gives to its sink. */
static inline unsigned
channel_ids_out(const struct channel *ch)
{
	return unlikely(ch->sink->all) ? NLRI_ID_LEN : 0;
}

/* ---- channel_send.c ---- */
/* channel_count_refused - of @cnt nets. */
static inline void
channel_count_refused(struct channel *ch, const struct export_answer *a, uint32_t cnt)
{
	/* what the base has of the peer itself is no route of the table over it */
	if (likely(a->reason) && !(a->hidden && a->reason == REASON_OWN))
		counter64_bump(&ch->stats.reason[a->reason], cnt);
	if (unlikely(a->hidden))
		return;
	counter64_bump(
	    a->ruled ? &ch->stats.exp_upd_rejected : &ch->stats.exp_upd_filtered, cnt);
}

/* channel_send_run, channel_send_segment, channel_send_gone - as the reader's `run`,
 * `segment`, `gone`. */
unsigned channel_send_run(
    struct channel *ch, struct segment *const *s, unsigned cnt, unsigned seen);
void channel_send_segment(struct channel *ch, struct segment *s, enum read_check check);
void channel_send_gone(struct channel *ch, const uint32_t *id, uint32_t cnt);

/* channel_send_now - net @id as it is, though a segment that says so may be still to be
 * read; of a channel that looks behind the best (channel_second.c). In a turn of the
 * reader, not in a lease. */
void channel_send_now(struct channel *ch, uint32_t id);
#endif
